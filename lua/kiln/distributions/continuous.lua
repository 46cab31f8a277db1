--- Continuous distributions of numbers: Normal, LogNormal, HalfNormal, Uniform, Laplace, Cauchy, HalfCauchy,
-- Gumbel, StudentT, VonMises; Exponential, Gamma, Chi2, InverseGamma, FisherSnedecor, Weibull, Pareto,
-- GeneralizedPareto; Beta, Kumaraswamy.  Each is its parameters and its formulas; all but VonMises have
-- rsample.
local kiln = require "kiln"
local Distribution = require "kiln.distributions.distribution"
local constraints = require "kiln.distributions.constraints"
local check = require "kiln.check"

local raise = check.raise

local M = {}

local LOG_2PI, EULER = math.log(2 * math.pi), 0.57721566490153286
local LOCATION = { "loc", "real" }
local SCALE = { "scale", "positive" }

local function declare(name, parameters, methods)
  M[name] = Distribution.declare(name, parameters, methods)
end

-- A constant of t's shape, dtype and device.
local function constant(t, value) return kiln.full_like(t:detach(), value) end
-- Draws in (0, 1) and from the exponential distribution of rate 1.
local function uniform(self, shape) return self:noise(shape):uniform_(2 ^ -24, 1) end
local function exponential(self, shape) return self:noise(shape):exponential_() end

-- x where the mask is true, elsewhere a value at which a formula and its gradient are numbers.
local function only(mask, x, value) return kiln.where(mask, x, constant(x, value)) end

local function loc_of(self) return self.loc end
local function nan_mean(self) return constant(self.like, 0 / 0) end
local function huge_variance(self) return constant(self.like, math.huge) end

-- -- Location and scale ------------------------------------------------------------------------

local normal = {
  support = constraints.real,
  rsample = function(self, shape) return self.loc + self.scale * self:noise(shape):normal_() end,
  log_prob = function(self, x)
    local z = (x - self.loc) / self.scale
    return z * z * -0.5 - self.scale:log() - 0.5 * LOG_2PI
  end,
  entropy = function(self) return self.scale:log() + (0.5 + 0.5 * LOG_2PI) end,
  cdf = function(self, x) return (((x - self.loc) / (self.scale * math.sqrt(2))):erf() + 1) * 0.5 end,
  icdf = function(self, p) return self.loc + self.scale * (p * 2 - 1):erfinv() * math.sqrt(2) end,
  get_mean = loc_of, get_mode = loc_of,
  get_variance = function(self) return self.scale * self.scale end,
}
declare("Normal", { LOCATION, SCALE }, normal)

declare("LogNormal", { LOCATION, SCALE }, {
  support = constraints.positive,
  rsample = function(self, shape) return normal.rsample(self, shape):exp() end,
  log_prob = function(self, x)
    local y = x:log()
    return normal.log_prob(self, y) - y
  end,
  entropy = function(self) return normal.entropy(self) + self.loc end,
  cdf = function(self, x) return normal.cdf(self, x:log()) end,
  icdf = function(self, p) return normal.icdf(self, p):exp() end,
  get_mean = function(self) return (self.loc + self.scale * self.scale * 0.5):exp() end,
  get_mode = function(self) return (self.loc - self.scale * self.scale):exp() end,
  get_variance = function(self)
    local s2 = self.scale * self.scale
    return s2:expm1() * (self.loc * 2 + s2):exp()
  end,
})

--- |x| of a normal number around 0.
declare("HalfNormal", { SCALE }, {
  support = constraints.nonnegative,
  rsample = function(self, shape) return self.scale * self:noise(shape):normal_():abs() end,
  log_prob = function(self, x)
    local z = x / self.scale
    return z * z * -0.5 - self.scale:log() + (math.log(2) - 0.5 * LOG_2PI)
  end,
  entropy = function(self) return self.scale:log() + (0.5 + 0.5 * LOG_2PI - math.log(2)) end,
  cdf = function(self, x) return (x / (self.scale * math.sqrt(2))):erf() end,
  icdf = function(self, p) return self.scale * p:erfinv() * math.sqrt(2) end,
  get_mean = function(self) return self.scale * math.sqrt(2 / math.pi) end,
  get_mode = function(self) return constant(self.scale, 0) end,
  get_variance = function(self) return self.scale * self.scale * (1 - 2 / math.pi) end,
})

declare("Uniform", { { "low", "real" }, { "high", "real" } }, {
  setup = function(self)
    if self:validates() and not self.low:detach():lt(self.high:detach()):all():item() then
      raise("Uniform", "low must be below high")
    end
  end,
  get_support = function(self) return constraints.interval(self.low:detach(), self.high:detach()) end,
  rsample = function(self, shape) return self.low + (self.high - self.low) * self:noise(shape):uniform_() end,
  log_prob = function(self, x)
    local inside = x:ge(self.low):logical_and(x:lt(self.high))
    local value = -(self.high - self.low):log()
    return kiln.where(inside, value, constant(value, -math.huge))
  end,
  entropy = function(self) return (self.high - self.low):log() end,
  cdf = function(self, x) return ((x - self.low) / (self.high - self.low)):clamp(0, 1) end,
  icdf = function(self, p) return self.low + (self.high - self.low) * p end,
  get_mean = function(self) return (self.low + self.high) * 0.5 end,
  get_mode = nan_mean,
  get_variance = function(self)
    local width = self.high - self.low
    return width * width / 12
  end,
})

declare("Laplace", { LOCATION, SCALE }, {
  support = constraints.real,
  rsample = function(self, shape)
    -- u in (-1, 1): the sign, and an exponential length.
    local u = self:noise(shape):uniform_(-1, 1)
    return self.loc - self.scale * u:sign() * (-u:abs()):log1p()
  end,
  log_prob = function(self, x) return -((x - self.loc):abs() / self.scale) - (self.scale * 2):log() end,
  entropy = function(self) return (self.scale * 2):log() + 1 end,
  cdf = function(self, x)
    local z = (x - self.loc) / self.scale
    return 0.5 - z:sign() * (-z:abs()):expm1() * 0.5
  end,
  icdf = function(self, p)
    local u = p - 0.5
    return self.loc - self.scale * u:sign() * (u:abs() * -2):log1p()
  end,
  get_mean = loc_of, get_mode = loc_of,
  get_variance = function(self) return self.scale * self.scale * 2 end,
})

local cauchy = {
  support = constraints.real,
  rsample = function(self, shape) return self.loc + self.scale * self:noise(shape):cauchy_() end,
  log_prob = function(self, x)
    local z = (x - self.loc) / self.scale
    return -(z * z):log1p() - self.scale:log() - math.log(math.pi)
  end,
  entropy = function(self) return self.scale:log() + math.log(4 * math.pi) end,
  cdf = function(self, x) return ((x - self.loc) / self.scale):atan() / math.pi + 0.5 end,
  icdf = function(self, p) return self.loc + self.scale * ((p - 0.5) * math.pi):tan() end,
  get_mean = nan_mean, get_variance = huge_variance, get_mode = loc_of,
}
declare("Cauchy", { LOCATION, SCALE }, cauchy)

--- |x| of a Cauchy number around 0.
declare("HalfCauchy", { SCALE }, {
  support = constraints.nonnegative,
  rsample = function(self, shape) return self.scale * self:noise(shape):cauchy_():abs() end,
  log_prob = function(self, x)
    local z = x / self.scale
    return -(z * z):log1p() - self.scale:log() + math.log(2 / math.pi)
  end,
  entropy = function(self) return self.scale:log() + math.log(2 * math.pi) end,
  cdf = function(self, x) return (x / self.scale):atan() * (2 / math.pi) end,
  icdf = function(self, p) return self.scale * (p * (math.pi / 2)):tan() end,
  get_mean = huge_variance, get_variance = huge_variance,
  get_mode = function(self) return constant(self.scale, 0) end,
})

declare("Gumbel", { LOCATION, SCALE }, {
  support = constraints.real,
  rsample = function(self, shape) return self.loc - self.scale * exponential(self, shape):log() end,
  log_prob = function(self, x)
    local z = (self.loc - x) / self.scale
    return z - z:exp() - self.scale:log()
  end,
  entropy = function(self) return self.scale:log() + (1 + EULER) end,
  cdf = function(self, x) return (-((self.loc - x) / self.scale):exp()):exp() end,
  icdf = function(self, p) return self.loc - self.scale * (-p:log()):log() end,
  get_mean = function(self) return self.loc + self.scale * EULER end,
  get_mode = loc_of,
  get_variance = function(self) return self.scale * self.scale * (math.pi * math.pi / 6) end,
})

-- -- Positive ----------------------------------------------------------------------------------

declare("Exponential", { { "rate", "positive" } }, {
  support = constraints.nonnegative,
  rsample = function(self, shape) return exponential(self, shape) / self.rate end,
  log_prob = function(self, x) return self.rate:log() - self.rate * x end,
  entropy = function(self) return 1 - self.rate:log() end,
  cdf = function(self, x) return -(-(self.rate * x)):expm1() end,
  icdf = function(self, p) return -(-p):log1p() / self.rate end,
  get_mean = function(self) return 1 / self.rate end,
  get_mode = function(self) return constant(self.rate, 0) end,
  get_variance = function(self) return 1 / (self.rate * self.rate) end,
})

local gamma = {
  support = constraints.nonnegative,
  rsample = function(self, shape)
    local draws = self.gamma_draws(self.concentration:expand(self:extended_shape(shape)))
    return (draws / self.rate):clamp(kiln.finfo(draws.dtype).tiny, math.huge)
  end,
  log_prob = function(self, x)
    return self.concentration * self.rate:log() + kiln.xlogy(self.concentration - 1, x) - self.rate * x
      - self.concentration:lgamma()
  end,
  entropy = function(self)
    local a = self.concentration
    return a - self.rate:log() + a:lgamma() + (1 - a) * a:digamma()
  end,
  --- Its gradient is in the value alone, as gammainc's.
  cdf = function(self, x) return kiln.igamma(self.concentration, self.rate * x) end,
  get_mean = function(self) return self.concentration / self.rate end,
  get_mode = function(self) return ((self.concentration - 1) / self.rate):clamp(0, math.huge) end,
  get_variance = function(self) return self.concentration / (self.rate * self.rate) end,
}
declare("Gamma", { { "concentration", "positive" }, { "rate", "positive" } }, gamma)

local chi2 = { setup = function(self)
  self.concentration = self.df * 0.5
  self.rate = constant(self.df, 0.5)
end }
for name, method in pairs(gamma) do chi2[name] = method end
declare("Chi2", { { "df", "positive" } }, chi2)

--- 1 over a Gamma number.
declare("InverseGamma", { { "concentration", "positive" }, { "rate", "positive" } }, {
  support = constraints.positive,
  rsample = function(self, shape) return 1 / gamma.rsample(self, shape) end,
  log_prob = function(self, x)
    local a, b = self.concentration, self.rate
    return a * b:log() - (a + 1) * x:log() - b / x - a:lgamma()
  end,
  cdf = function(self, x) return kiln.igammac(self.concentration, self.rate / x) end,
  entropy = function(self)
    local a = self.concentration
    return a + self.rate:log() + a:lgamma() - (1 + a) * a:digamma()
  end,
  get_mean = function(self)
    local a, is_finite = self.concentration, self.concentration:gt(1)
    return kiln.where(is_finite, self.rate / (only(is_finite, a, 2) - 1), constant(a, math.huge))
  end,
  get_mode = function(self) return self.rate / (self.concentration + 1) end,
  get_variance = function(self)
    local is_finite = self.concentration:gt(2)
    local a = only(is_finite, self.concentration, 3)
    local mean = self.rate / (a - 1)
    return kiln.where(is_finite, mean * mean / (a - 2), constant(a, math.huge))
  end,
})

--- The ratio of two Chi2 numbers, each over its degrees of freedom.
declare("FisherSnedecor", { { "df1", "positive" }, { "df2", "positive" } }, {
  support = constraints.positive,
  rsample = function(self, shape)
    local size = self:extended_shape(shape)
    local a = self.gamma_draws((self.df1 * 0.5):expand(size)) / self.df1
    local ratio = a / (self.gamma_draws((self.df2 * 0.5):expand(size)) / self.df2)
    return ratio:clamp(kiln.finfo(ratio.dtype).tiny, math.huge)
  end,
  log_prob = function(self, x)
    local a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
    return (a + b):lgamma() - a:lgamma() - b:lgamma() + a * ratio:log() + (a - 1) * x:log()
      - (a + b) * (ratio * x):log1p()
  end,
  get_mean = function(self)
    local exists = self.df2:gt(2)
    local b = only(exists, self.df2, 3)
    return kiln.where(exists, b / (b - 2), constant(b, 0 / 0))
  end,
  get_mode = function(self)
    local mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
    return kiln.where(self.df1:gt(2), mode, constant(self.df1, 0 / 0))
  end,
  get_variance = function(self)
    local exists = self.df2:gt(4)
    local a, b = self.df1, only(exists, self.df2, 5)
    local gap = b - 2
    local value = b * b * (a + b - 2) * 2 / (a * gap * gap * (b - 4))
    return kiln.where(exists, value, constant(b, 0 / 0))
  end,
})

declare("StudentT", { { "df", "positive" }, { "loc", "real", 0 }, { "scale", "positive", 1 } }, {
  support = constraints.real,
  rsample = function(self, shape)
    local chi = self.gamma_draws((self.df * 0.5):expand(self:extended_shape(shape))) * 2
    local z = self:noise(shape):normal_()
    return self.loc + self.scale * z * (chi / self.df):rsqrt()
  end,
  log_prob = function(self, x)
    local z, n = (x - self.loc) / self.scale, self.df
    return ((n + 1) * 0.5):lgamma() - (n * 0.5):lgamma() - (n * math.pi):log() * 0.5 - self.scale:log()
      - (n + 1) * 0.5 * (z * z / n):log1p()
  end,
  --- By the share of a beta function beyond |z|; its gradient is in the value alone, as betainc's.
  cdf = function(self, x)
    local z, n = (x - self.loc) / self.scale, self.df
    local beyond = kiln.betainc(n * 0.5, constant(n, 0.5), n / (n + z * z)) * 0.5
    return kiln.where(z:gt(0), 1 - beyond, beyond)
  end,
  entropy = function(self)
    local n = self.df
    local log_beta = (n * 0.5):lgamma() + math.log(math.pi) / 2 - ((n + 1) * 0.5):lgamma()
    return self.scale:log() + (n + 1) * 0.5 * (((n + 1) * 0.5):digamma() - (n * 0.5):digamma())
      + n:log() * 0.5 + log_beta
  end,
  get_mean = function(self) return kiln.where(self.df:gt(1), self.loc, constant(self.loc, 0 / 0)) end,
  get_mode = loc_of,
  get_variance = function(self)
    local is_finite, huge = self.df:gt(2), constant(self.df, math.huge)
    local n = only(is_finite, self.df, 3)
    local value = self.scale * self.scale * n / (n - 2)
    return kiln.where(is_finite, value, kiln.where(self.df:gt(1), huge, huge * 0))
  end,
})

declare("Weibull", { SCALE, { "concentration", "positive" } }, {
  support = constraints.positive,
  rsample = function(self, shape) return self.scale * exponential(self, shape) ^ (1 / self.concentration) end,
  log_prob = function(self, x)
    local k, z = self.concentration, x / self.scale
    return k:log() - self.scale:log() + (k - 1) * z:log() - z ^ k
  end,
  entropy = function(self)
    return (1 - 1 / self.concentration) * EULER + (self.scale / self.concentration):log() + 1
  end,
  cdf = function(self, x) return -(-(x / self.scale) ^ self.concentration):expm1() end,
  icdf = function(self, p) return self.scale * (-(-p):log1p()) ^ (1 / self.concentration) end,
  get_mean = function(self) return self.scale * (1 / self.concentration + 1):lgamma():exp() end,
  get_mode = function(self)
    local k = self.concentration
    return self.scale * ((k - 1) / k) ^ (1 / k)
  end,
  get_variance = function(self)
    local inverse = 1 / self.concentration
    return self.scale * self.scale
      * ((inverse * 2 + 1):lgamma():exp() - ((inverse + 1):lgamma() * 2):exp())
  end,
})

declare("Pareto", { SCALE, { "alpha", "positive" } }, {
  get_support = function(self) return constraints.greater_than_eq(self.scale:detach()) end,
  rsample = function(self, shape) return self.scale * (exponential(self, shape) / self.alpha):exp() end,
  log_prob = function(self, x)
    return self.alpha:log() + self.alpha * self.scale:log() - (self.alpha + 1) * x:log()
  end,
  entropy = function(self) return (self.scale / self.alpha):log() + 1 / self.alpha + 1 end,
  cdf = function(self, x) return 1 - (self.scale / x) ^ self.alpha end,
  icdf = function(self, p) return self.scale * (1 - p) ^ (-1 / self.alpha) end,
  get_mean = function(self)
    local is_finite = self.alpha:gt(1)
    local a = only(is_finite, self.alpha, 2)
    return kiln.where(is_finite, a * self.scale / (a - 1), constant(a, math.huge))
  end,
  get_mode = function(self) return self.scale end,
  get_variance = function(self)
    local is_finite = self.alpha:gt(2)
    local a = only(is_finite, self.alpha, 3)
    local value = self.scale * self.scale * a / ((a - 1) * (a - 1) * (a - 2))
    return kiln.where(is_finite, value, constant(a, math.huge))
  end,
})

-- Where the tail of a GeneralizedPareto is that of an exponential distribution, and a concentration that is
-- never 0.
local function is_exponential(self)
  local mask = self.concentration:abs():le(1e-8)
  return mask, self.concentration:masked_fill(mask, 1)
end

declare("GeneralizedPareto", { LOCATION, SCALE, { "concentration", "real" } }, {
  get_support = function(self)
    local low, c = self.loc:detach(), self.concentration:detach()
    local high = kiln.where(c:lt(0), low - self.scale:detach() / c, constant(low, math.huge))
    return constraints.interval(low, high)
  end,
  rsample = function(self, shape) return self:quantile(self:noise(shape):uniform_()) end,
  log_prob = function(self, x)
    local z, mask, c = (x - self.loc) / self.scale, is_exponential(self)
    local power = 1 / c + 1
    local tail = kiln.where(power:eq(0), power, power * (c * z):log1p())
    return -self.scale:log() - kiln.where(mask, z, tail)
  end,
  --- log P(X > x).
  log_survival = function(self, x)
    local z, mask, c = (x - self.loc) / self.scale, is_exponential(self)
    return -kiln.where(mask, z, (c * z):log1p() / c)
  end,
  quantile = function(self, p)
    local mask, c = is_exponential(self)
    local tail = (-p):log1p()
    return self.loc + self.scale * kiln.where(mask, -tail, (-c * tail):expm1() / c)
  end,
  cdf = function(self, x) return -self:log_survival(x):expm1() end,
  icdf = function(self, p) return self:quantile(p) end,
  entropy = function(self) return self.scale:log() + self.concentration + 1 end,
  get_mean = function(self)
    local exists = self.concentration:lt(1)
    local c = only(exists, self.concentration, 0)
    return kiln.where(exists, self.loc + self.scale / (1 - c), constant(c, 0 / 0))
  end,
  get_mode = loc_of,
  get_variance = function(self)
    local exists, s = self.concentration:lt(0.5), self.scale
    local c = only(exists, self.concentration, 0)
    local value = s * s / ((1 - c) * (1 - c) * (1 - c * 2))
    return kiln.where(exists, value, constant(c, 0 / 0))
  end,
})

-- -- On an interval ----------------------------------------------------------------------------

declare("Beta", { { "concentration1", "positive" }, { "concentration0", "positive" } }, {
  support = constraints.unit_interval,
  rsample = function(self, shape)
    local size = self:extended_shape(shape)
    local both = kiln.stack({ self.concentration1:expand(size), self.concentration0:expand(size) }, -1)
    return self.gamma_shares(both):select(-1, 1)
  end,
  log_prob = function(self, x)
    local a, b = self.concentration1, self.concentration0
    return kiln.xlogy(a - 1, x) + kiln.xlogy(b - 1, 1 - x) + (a + b):lgamma() - a:lgamma() - b:lgamma()
  end,
  --- Its gradient is in the value alone, as betainc's.
  cdf = function(self, x) return kiln.betainc(self.concentration1, self.concentration0, x) end,
  entropy = function(self)
    local a, b = self.concentration1, self.concentration0
    local total = a + b
    return a:lgamma() + b:lgamma() - total:lgamma() - (a - 1) * a:digamma() - (b - 1) * b:digamma()
      + (total - 2) * total:digamma()
  end,
  get_mean = function(self) return self.concentration1 / (self.concentration1 + self.concentration0) end,
  get_mode = function(self)
    local at_ends = self.concentration1:lt(1):logical_and(self.concentration0:lt(1))
    local a = only(at_ends:logical_not(), self.concentration1, 2)
    local b = only(at_ends:logical_not(), self.concentration0, 2)
    local larger = self.concentration1:ge(self.concentration0):to(a.dtype)
    a, b = (a - 1):clamp(0, math.huge), (b - 1):clamp(0, math.huge)
    return kiln.where(at_ends, larger, a / (a + b))
  end,
  get_variance = function(self)
    local total = self.concentration1 + self.concentration0
    return self.concentration1 * self.concentration0 / (total * total * (total + 1))
  end,
})

-- The logarithm of the beta function.
local function log_beta(a, b) return a:lgamma() + b:lgamma() - (a + b):lgamma() end

--- a b x^(a-1) (1 - x^a)^(b-1): much like Beta, and with a cdf in closed form.
declare("Kumaraswamy", { { "concentration1", "positive" }, { "concentration0", "positive" } }, {
  support = constraints.unit_interval,
  rsample = function(self, shape)
    return (1 - uniform(self, shape) ^ (1 / self.concentration0)) ^ (1 / self.concentration1)
  end,
  log_prob = function(self, x)
    local a, b = self.concentration1, self.concentration0
    return a:log() + b:log() + (a - 1) * x:log() + (b - 1) * (-x ^ a):log1p()
  end,
  entropy = function(self)
    local a, b = self.concentration1, self.concentration0
    local harmonic = (b + 1):digamma() + EULER
    return 1 - 1 / b + (1 - 1 / a) * harmonic - a:log() - b:log()
  end,
  cdf = function(self, x) return 1 - (1 - x ^ self.concentration1) ^ self.concentration0 end,
  icdf = function(self, p) return (1 - (1 - p) ^ (1 / self.concentration0)) ^ (1 / self.concentration1) end,
  get_mean = function(self)
    local b = self.concentration0
    return b * log_beta(1 + 1 / self.concentration1, b):exp()
  end,
  get_mode = function(self)
    local a, b = self.concentration1, self.concentration0
    local mode = ((a - 1) / (a * b - 1)) ^ (1 / a)
    return kiln.where(a:lt(1):logical_or(b:lt(1)), constant(a, 0 / 0), mode)
  end,
  get_variance = function(self)
    local b, mean = self.concentration0, self.mean
    return b * log_beta(1 + 2 / self.concentration1, b):exp() - mean * mean
  end,
})

-- -- On a circle -------------------------------------------------------------------------------

-- Abramowitz and Stegun 9.8.1 to 9.8.4: the modified Bessel functions I0 and I1 up to 3.75, and above it
-- times sqrt(x) exp(-x); I1 up to 3.75 is over x.
local BESSEL = {
  [0] = { small = { 1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2 },
    large = { 0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1,
      -0.1647633e-1, 0.392377e-2 } },
  [1] = { small = { 0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3 },
    large = { 0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1,
      -0.2895312e-1, 0.1787654e-1, -0.420059e-2 } },
}

local function polynomial(y, coefficients)
  local sum = coefficients[#coefficients]
  for k = #coefficients - 1, 1, -1 do sum = coefficients[k] + y * sum end
  return sum
end

-- log I_order(x) for x > 0.
local function log_bessel(x, order)
  local table_of, small_x = BESSEL[order], x:clamp(0, 3.75)
  local y = small_x / 3.75
  local small = polynomial(y * y, table_of.small):log()
  if order == 1 then small = small + small_x:log() end
  local large_x = x:clamp(3.75, math.huge)
  local large = large_x - large_x:log() * 0.5 + polynomial(3.75 / large_x, table_of.large):log()
  return kiln.where(x:lt(3.75), small, large)
end

declare("VonMises", { LOCATION, { "concentration", "positive" } }, {
  support = constraints.real,
  log_prob = function(self, x)
    return self.concentration * (x - self.loc):cos() - LOG_2PI - log_bessel(self.concentration, 0)
  end,
  --- By rejection (Best and Fisher 1979) in float64; where it is narrow, the normal distribution it tends to.
  sample = function(self, shape)
    return kiln.no_grad(function()
      local size, wide = self:extended_shape(shape), { dtype = kiln.float64, device = self.like.device }
      local k = self.concentration:double():expand(size)
      local function draw() return kiln.empty(size, wide):uniform_(2 ^ -53, 1) end
      local done = k:gt(1e6)
      local angle = kiln.empty(size, wide):normal_() / k:sqrt()
      local small = k:clamp(0, 1e6)
      local tau = (small * small * 4 + 1):sqrt() + 1
      local rho = (tau - (tau * 2):sqrt()) / (small * 2)
      local r = kiln.where(small:lt(1e-5), 1 / small + small, (rho * rho + 1) / (rho * 2))
      while not done:all():item() do
        local u, v, side = draw(), draw(), draw()
        local z = (u * math.pi):cos()
        local f = ((r * z + 1) / (r + z)):clamp(-1, 1)
        local c = small * (r - f)
        local accepted = (c * (2 - c) - v):gt(0):logical_or(((c / v):log() + 1 - c):ge(0))
        angle = kiln.where(accepted:logical_and(done:logical_not()), (side - 0.5):sign() * f:acos(), angle)
        done = done:logical_or(accepted)
      end
      return ((angle + math.pi + self.loc):remainder(2 * math.pi) - math.pi):to(self.like.dtype)
    end)
  end,
  get_mean = loc_of, get_mode = loc_of,
  --- The variance on the circle, 1 - I1 / I0.
  get_variance = function(self)
    return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)):exp()
  end,
})

return M
