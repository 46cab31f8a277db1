--- Discrete distributions: Bernoulli, Geometric, Binomial, NegativeBinomial, Poisson, Categorical,
-- OneHotCategorical, Multinomial; and what they become with gradients: ContinuousBernoulli, RelaxedBernoulli,
-- OneHotCategoricalStraightThrough, RelaxedOneHotCategorical.
-- Given by probabilities or by logits: Bernoulli(0.3), Categorical { logits = scores }.  Categories
-- count from 1.
local kiln = require "kiln"
local Distribution = require "kiln.distributions.distribution"
local constraints = require "kiln.distributions.constraints"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise = check.raise
local M = {}

-- Smallest and largest probability whose logarithm is taken, by dtype.
local EPSILON = { float64 = 2 ^ -52, float32 = 2 ^ -23, float16 = 2 ^ -10, bfloat16 = 2 ^ -7 }
local function clamped(p)
  local eps = EPSILON[p.dtype.name]
  return p:clamp(eps, 1 - eps)
end

local function declare(name, parameters, methods)
  M[name] = Distribution.declare(name, parameters, methods)
  return M[name]
end

local function constant(t, value) return kiln.full_like(t:detach(), value) end
local function cross_entropy(logits, p)
  return kiln.binary_cross_entropy_with_logits(logits, p, { reduction = "none" })
end

-- -- Two outcomes, counts -----------------------------------------------------------------------

local EITHER = "probs or logits"

-- What distributions of two outcomes share: each of probs and logits by the other.
local function get_probs(self) return self.logits:sigmoid() end
local function get_logits(self)
  local p = clamped(self.probs)
  return p:log() - (-p):log1p()
end

-- x and the logits, broadcast together.
local function beside_logits(self, x)
  local shape = Distribution.broadcast_shape(self.__name, { x, self.logits })
  return x:expand(shape), self.logits:expand(shape)
end

declare("Bernoulli", { { EITHER, "unit_interval" } }, {
  get_probs = get_probs, get_logits = get_logits, support = constraints.boolean,
  sample = function(self, shape) return self:noise(shape):bernoulli_(self.probs:detach()) end,
  log_prob = function(self, x)
    local value, logits = beside_logits(self, x)
    return -cross_entropy(logits, value)
  end,
  entropy = function(self) return cross_entropy(self.logits, self.probs) end,
  enumerate_support = function(self, expand)
    return self:all_of(kiln.arange(0, 2, { dtype = self.like.dtype, device = self.like.device }), expand)
  end,
  get_mean = function(self) return self.probs end,
  get_mode = function(self)
    local p = self.probs:detach()
    return kiln.where(p:eq(0.5), constant(p, 0 / 0), p:ge(0.5):to(p.dtype))
  end,
  get_variance = function(self) return self.probs * (1 - self.probs) end,
})

--- Failures before the first success.
declare("Geometric", { { EITHER, "unit_interval" } }, {
  get_probs = get_probs, get_logits = get_logits, support = constraints.nonnegative_integer,
  setup = function(self)
    local p = rawget(self, "probs")
    if p and self:validates() then constraints.demand("Geometric", "probs", p, constraints.positive) end
  end,
  sample = function(self, shape)
    local p = self.probs:detach()
    return (self:noise(shape):uniform_(2 ^ -24, 1):log() / (-p):log1p()):floor()
  end,
  log_prob = function(self, x) return x * (-clamped(self.probs)):log1p() + self.probs:log() end,
  entropy = function(self) return cross_entropy(self.logits, self.probs) / self.probs end,
  get_mean = function(self) return 1 / self.probs - 1 end,
  get_mode = function(self) return constant(self.like, 0) end,
  get_variance = function(self) return (1 / self.probs - 1) / self.probs end,
})

local FEW = 16 -- trials that are drawn one by one
local TINY = 2 ^ -60

-- Binomial counts of n trials, tensors of one shape.  The k-th smallest of n uniform numbers is a Beta
-- number: on which side of it p lies says k of the outcomes at once, and halves n (Relles 1972).
local function binomial(n, p)
  local count = kiln.zeros_like(p)
  while true do
    local many = n:gt(FEW)
    if not many:any():item() then break end
    local k = (n / 2):floor() + 1
    local a, b = kiln.standard_gamma(k), kiln.standard_gamma((n + 1 - k):clamp(1, math.huge))
    local x = a / (a + b)
    local above = x:gt(p)
    local left, right = k - 1, n - k
    count = kiln.where(many:logical_and(above:logical_not()), count + k, count)
    local rest = kiln.where(above, p / x:clamp(TINY, 1), (p - x) / (1 - x):clamp(TINY, 1)):clamp(0, 1)
    rest = kiln.where(p:ge(1), p, rest)
    n = kiln.where(many, kiln.where(above, left, right), n)
    p = kiln.where(many, rest, p)
  end
  for trial = 1, FEW do
    local drawn = kiln.empty_like(p):bernoulli_(p)
    count = count + drawn * n:ge(trial):to(p.dtype)
  end
  return count
end

-- log(n over x)
local function log_choices(n, x) return (n + 1):lgamma() - (x + 1):lgamma() - (n - x + 1):lgamma() end

--- Successes in total_count trials.
declare("Binomial", { { "total_count", "nonnegative_integer", 1 }, { EITHER, "unit_interval" } }, {
  get_probs = get_probs, get_logits = get_logits,
  get_support = function(self) return constraints.integer_interval(0, self.total_count:detach()) end,
  sample = function(self, shape)
    return kiln.no_grad(function()
      local size = self:extended_shape(shape)
      return binomial(self.total_count:expand(size), self.probs:expand(size))
    end)
  end,
  log_prob = function(self, x)
    local n, l = self.total_count, self.logits
    return log_choices(n, x) + x * l + n * (-l):logsigmoid()
  end,
  entropy = function(self)
    local most = self.total_count:detach():max():item()
    if self.total_count:detach():min():item() ~= most then
      raise("Binomial", "entropy: total_count must be the same everywhere in the batch")
    end
    local log_p = self:log_prob(self:enumerate_support(false))
    return -(log_p:exp() * log_p):sum(1)
  end,
  enumerate_support = function(self, expand)
    local most = self.total_count:detach():max():item()
    if self.total_count:detach():min():item() ~= most then
      raise("Binomial", "enumerate_support: total_count must be the same everywhere in the batch")
    end
    local options = { dtype = self.like.dtype, device = self.like.device }
    return self:all_of(kiln.arange(0, most + 1, options), expand)
  end,
  get_mean = function(self) return self.total_count * self.probs end,
  get_mode = function(self)
    return kiln.minimum(((self.total_count + 1) * self.probs):floor(), self.total_count):detach()
  end,
  get_variance = function(self) return self.total_count * self.probs * (1 - self.probs) end,
})

--- Successes before total_count failures; total_count need not be whole.
declare("NegativeBinomial", { { "total_count", "nonnegative" }, { EITHER, "unit_interval" } }, {
  get_probs = get_probs, get_logits = get_logits, support = constraints.nonnegative_integer,
  sample = function(self, shape)
    return kiln.no_grad(function()
      local size = self:extended_shape(shape)
      local rate = kiln.standard_gamma(self.total_count:expand(size)) * self.logits:exp()
      return kiln.poisson(rate)
    end)
  end,
  log_prob = function(self, x)
    local n, l = self.total_count, self.logits
    local value = n * (-l):logsigmoid() + x * l:logsigmoid() + (n + x):lgamma() - (x + 1):lgamma()
      - n:lgamma()
    return kiln.where((n + x):eq(0), constant(value, 0), value)
  end,
  get_mean = function(self) return self.total_count * self.logits:exp() end,
  get_mode = function(self)
    return ((self.total_count - 1) * self.logits:exp()):floor():clamp(0, math.huge)
  end,
  get_variance = function(self) return self.mean / (-self.logits):sigmoid() end,
})

declare("Poisson", { { "rate", "nonnegative" } }, {
  support = constraints.nonnegative_integer,
  sample = function(self, shape)
    return kiln.no_grad(function() return kiln.poisson(self.rate:expand(self:extended_shape(shape))) end)
  end,
  log_prob = function(self, x) return kiln.xlogy(x, self.rate) - self.rate - (x + 1):lgamma() end,
  get_mean = function(self) return self.rate end,
  get_mode = function(self) return self.rate:floor() end,
  get_variance = function(self) return self.rate end,
})

-- -- Several outcomes ---------------------------------------------------------------------------

-- The last dim is that of the categories; probabilities are made to sum to 1.
local function categories(self)
  if #self.batch_shape == 0 then raise(self.__name, "the parameter must have at least 1 dim") end
  self.num_events = table.remove(self.batch_shape)
  local p, l = rawget(self, "probs"), rawget(self, "logits")
  if p then self.probs = p / p:sum(-1, true) end
  if l then self.logits = l - l:logsumexp(-1, true) end
  if not self:validates() then return end
  if p then constraints.demand(self.__name, "probs, over their sum,", self.probs, constraints.simplex)
  else constraints.demand(self.__name, "logits, less their logsumexp,", self.logits, constraints.real) end
end
-- The same where one draw is a vector of all categories.
local function category_vectors(self)
  categories(self)
  self.event_shape = { self.num_events }
end

local function probs_of(self) return self.logits:exp() end
local function logits_of(self) return clamped(self.probs):log() end
-- Categories that cannot be, with logits of -inf, add nothing.
local function category_entropy(self)
  return -(self.probs * self.logits:clamp(-kiln.finfo(self.logits.dtype).max, math.huge)):sum(-1)
end

-- Categories 1..n, int64, of a shape.
local function draw_categories(self, size)
  local n, rows = 1, { unpack(size) }
  for _, s in ipairs(size) do n = n * s end
  rows[#rows + 1] = self.num_events
  local p = self.probs:detach()
  if n == 0 then return kiln.empty(size, { dtype = kiln.int64, device = p.device }) end
  return kiln.multinomial(p:expand(rows):reshape(n, self.num_events), 1, true):view(size)
end

declare("Categorical", { { EITHER, "nonnegative" } }, {
  get_probs = probs_of, get_logits = logits_of, setup = categories, entropy = category_entropy,
  get_support = function(self) return constraints.integer_interval(1, self.num_events) end,
  --- Categories 1..n, int64.
  sample = function(self, shape) return draw_categories(self, self:extended_shape(shape)) end,
  log_prob = function(self, x)
    x = x:to(kiln.int64)
    local log_p = self.logits
    local size = Distribution.broadcast_shape("Categorical", { x, log_p:detach():select(-1, 1) })
    local rows = { unpack(size) }
    rows[#rows + 1] = self.num_events
    return log_p:expand(rows):gather(-1, x:expand(size):unsqueeze(-1)):squeeze(-1)
  end,
  enumerate_support = function(self, expand)
    local options = { dtype = kiln.int64, device = self.like.device }
    return self:all_of(kiln.arange(1, self.num_events + 1, options), expand)
  end,
  get_mean = function(self) return constant(self.like:select(-1, 1), 0 / 0) end,
  get_mode = function(self) return self.probs:detach():argmax(-1) end,
  get_variance = function(self) return constant(self.like:select(-1, 1), 0 / 0) end,
})

-- The positions of the batch and event of a sample shape, without the dim of the categories.
local function outer_size(self, shape)
  local size = self:extended_shape(shape)
  table.remove(size)
  return size
end

local function one_hot_sample(self, shape)
  return kiln.one_hot(draw_categories(self, outer_size(self, shape)), self.num_events):to(self.like.dtype)
end

--- The same with vectors of one 1.
local OneHotCategorical = declare("OneHotCategorical", { { EITHER, "nonnegative" } }, {
  get_probs = probs_of, get_logits = logits_of, setup = category_vectors, entropy = category_entropy,
  support = constraints.one_hot, sample = one_hot_sample,
  log_prob = function(self, x)
    local shape = Distribution.broadcast_shape(self.__name, { x, self.logits })
    return self.logits:expand(shape):gather(-1, x:expand(shape):argmax(-1, true)):squeeze(-1)
  end,
  enumerate_support = function(self, expand)
    local n = self.num_events
    local values = kiln.eye(n, { dtype = self.like.dtype, device = self.like.device })
    local shape = { n }
    for _ = 1, #self.batch_shape do shape[#shape + 1] = 1 end
    shape[#shape + 1] = n
    values = values:view(shape)
    return expand == false and values or values:expand(self:extended_shape { n })
  end,
  get_mean = function(self) return self.probs end,
  get_mode = function(self)
    local p = self.probs:detach()
    return kiln.one_hot(p:argmax(-1), self.num_events):to(p.dtype)
  end,
  get_variance = function(self) return self.probs * (1 - self.probs) end,
})

--- OneHotCategorical whose samples pass the gradient on to the probabilities (Bengio et al. 2013).
declare("OneHotCategoricalStraightThrough", { { EITHER, "nonnegative" } }, {
  base = OneHotCategorical, setup = category_vectors,
  rsample = function(self, shape)
    return self:sample(shape) + (self.probs - self.probs:detach())
  end,
  sample = one_hot_sample, log_prob = nil,
})

--- How often each category came in total_count draws.
local Multinomial = Distribution.declare("Multinomial", { { EITHER, "nonnegative" } }, {
  get_probs = probs_of, get_logits = logits_of, setup = category_vectors,
  get_support = function(self) return constraints.multinomial(self.total_count) end,
  sample = function(self, shape)
    return kiln.no_grad(function()
      -- Category by category: a binomial count of what is left.
      local size = self:extended_shape(shape)
      local p = self.probs:detach():expand(size)
      local outer = outer_size(self, shape)
      local left = kiln.full(outer, self.total_count, { dtype = p.dtype, device = p.device })
      local rest, counts = kiln.ones_like(left), {}
      for k = 1, self.num_events do
        local mine = p:select(-1, k)
        local share = kiln.where(rest:gt(0), mine / rest, rest):clamp(0, 1)
        counts[k] = k < self.num_events and binomial(left, share) or left
        left, rest = left - counts[k], rest - mine
      end
      return kiln.stack(counts, -1)
    end)
  end,
  log_prob = function(self, x)
    local logits = kiln.where(x:eq(0):logical_and(self.logits:eq(-math.huge)), constant(self.logits, 0),
      self.logits)
    return (x:sum(-1) + 1):lgamma() - (x + 1):lgamma():sum(-1) + (x * logits):sum(-1)
  end,
  entropy = function(self)
    local n = self.total_count
    local x = kiln.arange(0, n + 1, { dtype = self.like.dtype, device = self.like.device })
    local shape = { n + 1 }
    for _ = 1, self.probs:dim() do shape[#shape + 1] = 1 end
    x = x:view(shape)
    local p = clamped(self.probs)
    local log_p = log_choices(kiln.full_like(x, n), x) + x * p:log() + (n - x) * (-p):log1p()
    return n * category_entropy(self) - self:log_factorial(n)
      + (log_p:exp() * (x + 1):lgamma()):sum(1):sum(-1)
  end,
  get_mean = function(self) return self.probs * self.total_count end,
  get_variance = function(self) return self.probs * (1 - self.probs) * self.total_count end,
})
M.Multinomial = Multinomial

-- log(n!), a number.
function Multinomial.log_factorial(_, n)
  return kiln.tensor(n + 1, { dtype = kiln.float64 }):lgamma():item()
end

Multinomial.argument_list = "total_count: int = 1, probs: tensor?, logits: tensor?, validate_args: bool?"
local parse_multinomial = args.define("Multinomial", "total_count: int = 1, probs: any?, logits: any?, "
  .. "validate_args: bool?")
local init_probs = Multinomial.init
function Multinomial:init(...)
  local a = parse_multinomial(...)
  check.at_least(a.total_count, "Multinomial", "total_count", 0)
  self.total_count = a.total_count
  init_probs(self, { probs = a.probs, logits = a.logits, validate_args = a.validate_args })
end

-- -- With gradients -----------------------------------------------------------------------------

-- Draws of the logistic distribution around 0.
local function logistic(self, shape)
  local u = clamped(self:noise(shape):uniform_())
  return u:log() - (-u):log1p()
end

-- Where the normalising constant has a removable singularity, at p = 1/2: near it, between two limits, the
-- parameter is moved to an edge in formulas, and their Taylor expansion is used instead.
local function is_off(p, lims) return p:le(lims[1]):logical_or(p:gt(lims[2])) end
local function cut(p, lims) return kiln.where(is_off(p, lims), p, constant(p, lims[1])) end

-- Limits within which the expansions of the constant and of the moments are at least as precise as the
-- formulas: these lose the digits of 1 / (1 - 2 p)^2.
local function moment_limits(self)
  local lims = self.lims
  if self.probs.dtype == kiln.float64 then return lims end
  return { math.min(lims[1], 0.45), math.max(lims[2], 0.55) }
end

--- A Bernoulli density over all of [0, 1]: p^x (1 - p)^(1 - x), normalised (Loaiza-Ganem and Cunningham
-- 2019).
local ContinuousBernoulli = declare("ContinuousBernoulli", { { EITHER, "unit_interval" } }, {
  get_probs = function(self) return clamped(get_probs(self)) end,
  get_logits = get_logits, support = constraints.unit_interval,
  setup = function(self)
    if rawget(self, "probs") then self.probs = clamped(self.probs) end
  end,
  --- The logarithm of the normalising constant.
  log_constant = function(self)
    local lims = moment_limits(self)
    local p, x = cut(self.probs, lims), self.probs - 0.5
    local below = kiln.where(p:le(0.5), p, constant(p, 0))
    local above = kiln.where(p:ge(0.5), p, constant(p, 1))
    local exact = ((-p):log1p() - p:log()):abs():log()
      - kiln.where(p:le(0.5), (below * -2):log1p(), (above * 2 - 1):log())
    x = x * x
    local taylor = (4 / 3 + 104 / 45 * x) * x + math.log(2)
    return kiln.where(is_off(self.probs, lims), exact, taylor)
  end,
  log_prob = function(self, x)
    local value, logits = beside_logits(self, x)
    return self:log_constant() - cross_entropy(logits, value)
  end,
  rsample = function(self, shape) return self:icdf(self:noise(shape):uniform_()) end,
  cdf = function(self, x)
    local lims = self.lims
    local p = cut(self.probs, lims)
    x = x:clamp(0, 1)
    local value = (p ^ x * (1 - p) ^ (1 - x) + p - 1) / (p * 2 - 1)
    return kiln.where(is_off(self.probs, lims), value, x):clamp(0, 1)
  end,
  icdf = function(self, u)
    local lims = self.lims
    local p = cut(self.probs, lims)
    local value = ((-p + u * (p * 2 - 1)):log1p() - (-p):log1p()) / (p:log() - (-p):log1p())
    return kiln.where(is_off(self.probs, lims), value, u)
  end,
  entropy = function(self)
    local log0, log1 = (-self.probs):log1p(), self.probs:log()
    return self.mean * (log0 - log1) - self:log_constant() - log0
  end,
  get_mean = function(self)
    local lims = moment_limits(self)
    local p, x = cut(self.probs, lims), self.probs - 0.5
    local exact = p / (p * 2 - 1) + 1 / ((-p):log1p() - p:log())
    local taylor = (1 / 3 + 16 / 45 * x * x) * x + 0.5
    return kiln.where(is_off(self.probs, lims), exact, taylor)
  end,
  get_variance = function(self)
    local lims = moment_limits(self)
    local p, x = cut(self.probs, lims), self.probs - 0.5
    local ratio, gap = 1 - p * 2, (-p):log1p() - p:log()
    local exact = p * (p - 1) / (ratio * ratio) + 1 / (gap * gap)
    x = x * x
    local taylor = (x * (128 / 945) - 1 / 15) * x + 1 / 12
    return kiln.where(is_off(self.probs, lims), exact, taylor)
  end,
})

local LIMS = ", lims: pair = 0.499 0.501, validate_args: bool?"
local parse_continuous = args.define("ContinuousBernoulli", "probs: any?, logits: any?" .. LIMS)
ContinuousBernoulli.argument_list = "probs: tensor?, logits: tensor?" .. LIMS
local init_continuous = ContinuousBernoulli.init
function ContinuousBernoulli:init(...)
  local a = parse_continuous(...)
  self.lims = a.lims
  init_continuous(self, { probs = a.probs, logits = a.logits, validate_args = a.validate_args })
end

--- A Bernoulli whose samples lie between 0 and 1, the closer to them the lower the temperature (Maddison et
-- al. 2017).
declare("RelaxedBernoulli", { { "temperature", "positive" }, { EITHER, "unit_interval" } }, {
  get_probs = get_probs, get_logits = get_logits, support = constraints.unit_interval,
  rsample = function(self, shape)
    return Distribution.clipped_sigmoid((logistic(self, shape) + self.logits) / self.temperature)
  end,
  log_prob = function(self, x)
    local t = self.temperature
    local y = x:log() - (-x):log1p()
    local gap = self.logits - y * t
    return t:log() + gap - gap:exp():log1p() * 2 - x:log() - (-x):log1p()
  end,
})

--- OneHotCategorical whose samples lie in the simplex, the closer to its corners the lower the temperature.
declare("RelaxedOneHotCategorical", { { "temperature", "positive" }, { EITHER, "nonnegative" } }, {
  get_probs = probs_of, get_logits = logits_of, setup = category_vectors, support = constraints.simplex,
  rsample = function(self, shape)
    local gumbel = -(self:noise(shape):exponential_():log())
    return ((self.logits + gumbel) / self.temperature):softmax(-1)
  end,
  log_prob = function(self, x)
    local t, k = self.temperature, self.num_events
    local y = x:log()
    local score = self.logits - y * t
    score = (score - score:logsumexp(-1, true)):sum(-1)
    local constants = kiln.tensor(k, { dtype = kiln.float64 }):lgamma():item()
    return score + t:select(-1, 1):log() * (k - 1) + constants - y:sum(-1)
  end,
})

return M
