--- Continuous distributions: Normal, LogNormal, Uniform, Laplace, Cauchy, Exponential, Gamma, Chi2, Beta,
-- Dirichlet, StudentT.  Each is its parameters and its formulas; all have rsample.
local kiln = require "kiln"
local Distribution = require "kiln.distributions.distribution"
local check = require "kiln.check"

local raise = check.raise

local M = {}

local LOG_2PI = math.log(2 * math.pi)

-- Declares a distribution: parameters { { name, constraint, default? }, ... } and methods.
local function declare(name, parameters, methods)
  local class = Distribution:extend(name)
  class.has_rsample = true
  local known = {}
  for _, p in ipairs(parameters) do known[p[1]] = true end
  function class:init(first, ...)
    local values = { first, ... }
    local options = type(first) == "table" and getmetatable(first) == nil and first or nil
    local rows = {}
    check.options(options, known, name)
    for i, p in ipairs(parameters) do
      local v = options and options[p[1]] or nil
      if not options then v = values[i] end
      if v == nil then v = p[3] end
      if v == nil then raise(name, "%s is missing", p[1]) end
      rows[i] = { p[1], v, p[2] }
    end
    self:set_parameters(rows)
    if methods.setup then methods.setup(self) end
  end
  for key, method in pairs(methods) do class[key] = method end
  for _, key in ipairs { "log_prob", "cdf", "icdf" } do
    local formula = methods[key]
    if formula then
      class[key] = function(self, x) return formula(self, self:value(x, self[parameters[1][1]])) end
    end
  end
  M[name] = class
  return class
end

-- -- Location and scale ------------------------------------------------------------------------

declare("Normal", { { "loc", "real" }, { "scale", "positive" } }, {
  rsample = function(self, shape) return self.loc + self.scale * self:noise(shape, self.loc):normal_() end,
  log_prob = function(self, x)
    local z = (x - self.loc) / self.scale
    return z * z * -0.5 - self.scale:log() - 0.5 * LOG_2PI
  end,
  entropy = function(self) return self.scale:log() + (0.5 + 0.5 * LOG_2PI) end,
  cdf = function(self, x) return (((x - self.loc) / (self.scale * math.sqrt(2))):erf() + 1) * 0.5 end,
  icdf = function(self, p) return self.loc + self.scale * (p * 2 - 1):erfinv() * math.sqrt(2) end,
  get_mean = function(self) return self.loc end,
  get_variance = function(self) return self.scale * self.scale end,
})

declare("LogNormal", { { "loc", "real" }, { "scale", "positive" } }, {
  rsample = function(self, shape) return M.Normal.rsample(self, shape):exp() end,
  log_prob = function(self, x)
    local y = x:log()
    return M.Normal.log_prob(self, y) - y
  end,
  entropy = function(self) return M.Normal.entropy(self) + self.loc end,
  cdf = function(self, x) return M.Normal.cdf(self, x:log()) end,
  icdf = function(self, p) return M.Normal.icdf(self, p):exp() end,
  get_mean = function(self) return (self.loc + self.scale * self.scale * 0.5):exp() end,
  get_variance = function(self)
    local s2 = self.scale * self.scale
    return (s2:exp() - 1) * (self.loc * 2 + s2):exp()
  end,
})

declare("Uniform", { { "low", "real" }, { "high", "real" } }, {
  setup = function(self)
    if not self.low:detach():lt(self.high:detach()):all():item() then
      raise("Uniform", "low must be below high")
    end
  end,
  rsample = function(self, shape)
    return self.low + (self.high - self.low) * self:noise(shape, self.low):uniform_()
  end,
  log_prob = function(self, x)
    local inside = x:ge(self.low):logical_and(x:lt(self.high))
    local value = -(self.high - self.low):log()
    return kiln.where(inside, value, kiln.full_like(value:detach(), -math.huge))
  end,
  entropy = function(self) return (self.high - self.low):log() end,
  cdf = function(self, x) return ((x - self.low) / (self.high - self.low)):clamp(0, 1) end,
  icdf = function(self, p) return self.low + (self.high - self.low) * p end,
  get_mean = function(self) return (self.low + self.high) * 0.5 end,
  get_variance = function(self)
    local width = self.high - self.low
    return width * width / 12
  end,
})

declare("Laplace", { { "loc", "real" }, { "scale", "positive" } }, {
  rsample = function(self, shape)
    -- u in (-1, 1): the sign, and an exponential length.
    local u = self:noise(shape, self.loc):uniform_(-1, 1)
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
  get_mean = function(self) return self.loc end,
  get_variance = function(self) return self.scale * self.scale * 2 end,
})

declare("Cauchy", { { "loc", "real" }, { "scale", "positive" } }, {
  rsample = function(self, shape) return self.loc + self.scale * self:noise(shape, self.loc):cauchy_() end,
  log_prob = function(self, x)
    local z = (x - self.loc) / self.scale
    return -(z * z):log1p() - self.scale:log() - math.log(math.pi)
  end,
  entropy = function(self) return self.scale:log() + math.log(4 * math.pi) end,
  cdf = function(self, x) return ((x - self.loc) / self.scale):atan() / math.pi + 0.5 end,
  icdf = function(self, p) return self.loc + self.scale * ((p - 0.5) * math.pi):tan() end,
  get_mean = function(self) return kiln.full_like(self.loc:detach(), 0 / 0) end,
  get_variance = function(self) return kiln.full_like(self.loc:detach(), math.huge) end,
})

-- -- Positive ----------------------------------------------------------------------------------

declare("Exponential", { { "rate", "positive" } }, {
  rsample = function(self, shape) return self:noise(shape, self.rate):exponential_() / self.rate end,
  log_prob = function(self, x) return self.rate:log() - self.rate * x end,
  entropy = function(self) return 1 - self.rate:log() end,
  cdf = function(self, x) return -(-(self.rate * x)):expm1() end,
  icdf = function(self, p) return -(-p):log1p() / self.rate end,
  get_mean = function(self) return 1 / self.rate end,
  get_variance = function(self) return 1 / (self.rate * self.rate) end,
})

local gamma_methods = {
  rsample = function(self, shape)
    local alpha = self.concentration:expand(self:extended_shape(shape))
    return kiln.standard_gamma(alpha) / self.rate
  end,
  log_prob = function(self, x)
    return self.concentration * self.rate:log() + (self.concentration - 1) * x:log() - self.rate * x
      - self.concentration:lgamma()
  end,
  entropy = function(self)
    local a = self.concentration
    return a - self.rate:log() + a:lgamma() + (1 - a) * a:digamma()
  end,
  get_mean = function(self) return self.concentration / self.rate end,
  get_variance = function(self) return self.concentration / (self.rate * self.rate) end,
}
declare("Gamma", { { "concentration", "positive" }, { "rate", "positive" } }, gamma_methods)

declare("Chi2", { { "df", "positive" } }, {
  setup = function(self)
    self.concentration = self.df * 0.5
    self.rate = kiln.full_like(self.df:detach(), 0.5)
  end,
  rsample = gamma_methods.rsample, log_prob = gamma_methods.log_prob, entropy = gamma_methods.entropy,
  get_mean = gamma_methods.get_mean, get_variance = gamma_methods.get_variance,
})

declare("StudentT", { { "df", "positive" }, { "loc", "real", 0 }, { "scale", "positive", 1 } }, {
  rsample = function(self, shape)
    local chi2 = M.Chi2(self.df):rsample(shape)
    local z = self:noise(shape, self.loc):normal_()
    return self.loc + self.scale * z * (chi2 / self.df):rsqrt()
  end,
  log_prob = function(self, x)
    local z, n = (x - self.loc) / self.scale, self.df
    return ((n + 1) * 0.5):lgamma() - (n * 0.5):lgamma() - (n * math.pi):log() * 0.5 - self.scale:log()
      - (n + 1) * 0.5 * (z * z / n):log1p()
  end,
  entropy = function(self)
    local n = self.df
    local log_beta = (n * 0.5):lgamma() + math.log(math.pi) / 2 - ((n + 1) * 0.5):lgamma()
    return self.scale:log() + (n + 1) * 0.5 * (((n + 1) * 0.5):digamma() - (n * 0.5):digamma())
      + n:log() * 0.5 + log_beta
  end,
  get_mean = function(self)
    return kiln.where(self.df:gt(1), self.loc, kiln.full_like(self.loc:detach(), 0 / 0))
  end,
  get_variance = function(self)
    local n, huge = self.df, kiln.full_like(self.df:detach(), math.huge)
    local value = self.scale * self.scale * n / (n - 2)
    return kiln.where(n:gt(2), value, kiln.where(n:gt(1), huge, huge * 0))
  end,
})

-- -- On the simplex ----------------------------------------------------------------------------

declare("Dirichlet", { { "concentration", "positive" } }, {
  setup = function(self)
    if #self.batch_shape == 0 then raise("Dirichlet", "concentration must have at least 1 dim") end
    self:set_event_dims(1)
  end,
  rsample = function(self, shape)
    local g = kiln.standard_gamma(self.concentration:expand(self:extended_shape(shape)))
    return g / g:sum(-1, true)
  end,
  log_prob = function(self, x)
    local a = self.concentration
    return ((a - 1) * x:log()):sum(-1) + a:sum(-1):lgamma() - a:lgamma():sum(-1)
  end,
  entropy = function(self)
    local a = self.concentration
    local total, k = a:sum(-1), self.event_shape[1]
    return a:lgamma():sum(-1) - total:lgamma() - (k - total) * total:digamma()
      - ((a - 1) * a:digamma()):sum(-1)
  end,
  get_mean = function(self) return self.concentration / self.concentration:sum(-1, true) end,
  get_variance = function(self)
    local total = self.concentration:sum(-1, true)
    return self.concentration * (total - self.concentration) / (total * total * (total + 1))
  end,
})

declare("Beta", { { "concentration1", "positive" }, { "concentration0", "positive" } }, {
  rsample = function(self, shape)
    local size = self:extended_shape(shape)
    local a = kiln.standard_gamma(self.concentration1:expand(size))
    return a / (a + kiln.standard_gamma(self.concentration0:expand(size)))
  end,
  log_prob = function(self, x)
    local a, b = self.concentration1, self.concentration0
    return (a - 1) * x:log() + (b - 1) * (-x):log1p() + (a + b):lgamma() - a:lgamma() - b:lgamma()
  end,
  entropy = function(self)
    local a, b = self.concentration1, self.concentration0
    local total = a + b
    return a:lgamma() + b:lgamma() - total:lgamma() - (a - 1) * a:digamma() - (b - 1) * b:digamma()
      + (total - 2) * total:digamma()
  end,
  get_mean = function(self) return self.concentration1 / (self.concentration1 + self.concentration0) end,
  get_variance = function(self)
    local total = self.concentration1 + self.concentration0
    return self.concentration1 * self.concentration0 / (total * total * (total + 1))
  end,
})

return M
