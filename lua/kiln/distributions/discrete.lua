--- Discrete distributions: Bernoulli, Geometric, Poisson, Categorical, OneHotCategorical, Multinomial.
-- Given by probabilities or by logits: Bernoulli(0.3), Categorical { logits = scores }.  Categories
-- count from 1.
local kiln = require "kiln"
local Distribution = require "kiln.distributions.distribution"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

-- Smallest and largest probability whose logarithm is taken, by dtype.
local EPSILON = { float64 = 2 ^ -52, float32 = 2 ^ -23, float16 = 2 ^ -10, bfloat16 = 2 ^ -7 }
local function clamped(p)
  local eps = EPSILON[p.dtype.name]
  return p:clamp(eps, 1 - eps)
end

-- Reads (probs, logits) or { probs = , logits = } and stores the one that was given.
local function store_probs(self, constraint, probs, logits)
  if type(probs) == "table" and getmetatable(probs) == nil then
    check.options(probs, { probs = 1, logits = 1 }, self.__name)
    probs, logits = probs.probs, probs.logits
  end
  if (probs == nil) == (logits == nil) then raise(self.__name, "takes either probs or logits") end
  if probs ~= nil then self:set_parameters { { "probs", probs, constraint } }
  else self:set_parameters { { "logits", logits, "real" } } end
end

-- -- Two outcomes, counts -----------------------------------------------------------------------

local Bernoulli = Distribution:extend "Bernoulli"
M.Bernoulli = Bernoulli

function Bernoulli:init(probs, logits) store_probs(self, "unit", probs, logits) end
function Bernoulli:get_probs() return self.logits:sigmoid() end
function Bernoulli:get_logits()
  local p = clamped(self.probs)
  return p:log() - (-p):log1p()
end
function Bernoulli:sample(shape)
  local p = self.probs:detach()
  return self:noise(shape, p):bernoulli_(p)
end
function Bernoulli:log_prob(x)
  x = self:value(x, self.probs)
  return -kiln.binary_cross_entropy_with_logits(self.logits:expand_as(x * self.logits:detach()),
    x:expand_as(x * self.logits:detach()), { reduction = "none" })
end
function Bernoulli:entropy()
  local p, l = self.probs, self.logits
  return kiln.binary_cross_entropy_with_logits(l, p, { reduction = "none" })
end
function Bernoulli:enumerate_support()
  local shape = { 2 }
  for _ = 1, #self.batch_shape do shape[#shape + 1] = 1 end
  return kiln.arange(0, 2, { dtype = self.probs.dtype }):view(shape):expand(self:extended_shape { 2 })
end
function Bernoulli:get_mean() return self.probs end
function Bernoulli:get_variance() return self.probs * (1 - self.probs) end

--- Failures before the first success.
local Geometric = Distribution:extend "Geometric"
M.Geometric = Geometric

function Geometric:init(probs, logits) store_probs(self, "unit", probs, logits) end
Geometric.get_probs, Geometric.get_logits = Bernoulli.get_probs, Bernoulli.get_logits
function Geometric:sample(shape)
  local p = self.probs:detach()
  local u = self:noise(shape, p):uniform_(2 ^ -24, 1)
  return (u:log() / (-p):log1p()):floor()
end
function Geometric:log_prob(x)
  x = self:value(x, self.probs)
  return x * (-clamped(self.probs)):log1p() + self.probs:log()
end
function Geometric:entropy()
  return kiln.binary_cross_entropy_with_logits(self.logits, self.probs, { reduction = "none" }) / self.probs
end
function Geometric:get_mean() return 1 / self.probs - 1 end
function Geometric:get_variance() return (1 / self.probs - 1) / self.probs end

local Poisson = Distribution:extend "Poisson"
M.Poisson = Poisson

function Poisson:init(rate)
  if type(rate) == "table" and getmetatable(rate) == nil then rate = rate.rate end
  self:set_parameters { { "rate", rate, "nonnegative" } }
end
function Poisson:sample(shape)
  return kiln.no_grad(function() return kiln.poisson(self.rate:expand(self:extended_shape(shape))) end)
end
function Poisson:log_prob(x)
  x = self:value(x, self.rate)
  return self.rate:log() * x - self.rate - (x + 1):lgamma()
end
function Poisson:get_mean() return self.rate end
function Poisson:get_variance() return self.rate end

-- -- Several outcomes ---------------------------------------------------------------------------

local Categorical = Distribution:extend "Categorical"
M.Categorical = Categorical

-- The last dim is that of the categories; probabilities are made to sum to 1.
local function categories(self, probs, logits)
  store_probs(self, "nonnegative", probs, logits)
  if #self.batch_shape == 0 then raise(self.__name, "the parameter must have at least 1 dim") end
  self.num_events = table.remove(self.batch_shape)
  local p, l = rawget(self, "probs"), rawget(self, "logits")
  if p then self.probs = p / p:sum(-1, true) end
  if l then self.logits = l - l:logsumexp(-1, true) end
end

function Categorical:init(probs, logits) categories(self, probs, logits) end
function Categorical:get_probs() return self.logits:exp() end
function Categorical:get_logits() return clamped(self.probs):log() end

--- Categories 1..n, int64.
function Categorical:sample(shape)
  local size, n = self:extended_shape(shape), 1
  for _, s in ipairs(size) do n = n * s end
  local rows = {}
  for _, s in ipairs(size) do rows[#rows + 1] = s end
  rows[#rows + 1] = self.num_events
  if n == 0 then return kiln.empty(size, { dtype = kiln.int64 }) end
  local p = self.probs:detach():expand(rows):reshape(n, self.num_events)
  return kiln.multinomial(p, 1, true):view(size)
end

-- Checks that categories are in 1..n; the message names value and position.
local function check_categories(self, x)
  if not kiln.is_tensor(x) or x.dtype.is_floating_point then
    raise(self.__name, "log_prob: the value must be an int64 tensor of categories, not %s", got(x))
  end
  local bad = x:lt(1):logical_or(x:gt(self.num_events))
  if not bad:any():item() then return end
  local at = bad:reshape(-1):nonzero():reshape(-1)[1]:item()
  raise(self.__name, "log_prob: category %d at position %d is not in 1..%d", x:reshape(-1)[at]:item(), at,
    self.num_events)
end

function Categorical:log_prob(x)
  check_categories(self, x)
  local shape = self:extended_shape(nil)
  -- Broadcast the value and the batch together.
  local size = (x:to(kiln.float64) + kiln.zeros(shape, { dtype = kiln.float64 })):size()
  local rows = { unpack(size) }
  rows[#rows + 1] = self.num_events
  return self.logits:expand(rows):gather(-1, x:expand(size):unsqueeze(-1)):squeeze(-1)
end

function Categorical:entropy()
  local p = self.probs
  return -(p * self.logits):sum(-1)
end

function Categorical:enumerate_support()
  local shape = { self.num_events }
  for _ = 1, #self.batch_shape do shape[#shape + 1] = 1 end
  return kiln.arange(1, self.num_events + 1, { dtype = kiln.int64 }):view(shape)
    :expand(self:extended_shape { self.num_events })
end
function Categorical:get_mean() return kiln.full_like(self.probs:detach():select(-1, 1), 0 / 0) end
function Categorical:get_variance() return self:get_mean() end

--- The same with vectors of one 1.
local OneHotCategorical = Distribution:extend "OneHotCategorical"
M.OneHotCategorical = OneHotCategorical

function OneHotCategorical:init(probs, logits)
  self.categorical = Categorical(probs, logits)
  self.batch_shape, self.event_shape = self.categorical.batch_shape, { self.categorical.num_events }
end
function OneHotCategorical:get_probs() return self.categorical.probs end
function OneHotCategorical:get_logits() return self.categorical.logits end
function OneHotCategorical:sample(shape)
  local p = self.probs:detach()
  return kiln.one_hot(self.categorical:sample(shape), self.event_shape[1]):to(p.dtype)
end
function OneHotCategorical:log_prob(x)
  return self.categorical:log_prob(check.tensor(x, "OneHotCategorical", "value"):argmax(-1))
end
function OneHotCategorical:entropy() return self.categorical:entropy() end
function OneHotCategorical:get_mean() return self.probs end
function OneHotCategorical:get_variance() return self.probs * (1 - self.probs) end

--- How often each category came in total_count draws.
local Multinomial = Distribution:extend "Multinomial"
M.Multinomial = Multinomial

function Multinomial:init(total_count, probs, logits)
  if type(total_count) == "table" and getmetatable(total_count) == nil then
    total_count, probs, logits = total_count.total_count, total_count.probs, total_count.logits
  end
  self.total_count = check.int(total_count == nil and 1 or total_count, "Multinomial", "total_count")
  if self.total_count < 0 then raise("Multinomial", "total_count must be at least 0, not %d", total_count) end
  self.categorical = Categorical(probs, logits)
  self.batch_shape, self.event_shape = self.categorical.batch_shape, { self.categorical.num_events }
end
Multinomial.get_probs, Multinomial.get_logits = OneHotCategorical.get_probs, OneHotCategorical.get_logits
function Multinomial:sample(shape)
  local size = { self.total_count }
  if type(shape) == "number" then shape = { shape } end
  for _, s in ipairs(shape or {}) do size[#size + 1] = s end
  local p = self.probs:detach()
  return kiln.one_hot(self.categorical:sample(size), self.event_shape[1]):to(p.dtype):sum(1)
end
function Multinomial:log_prob(x)
  check.tensor(x, "Multinomial", "value")
  local total = x:sum(-1)
  local terms = kiln.where(x:gt(0), x * self.logits, kiln.zeros_like(x * self.logits:detach()))
  return (total + 1):lgamma() - (x + 1):lgamma():sum(-1) + terms:sum(-1)
end
function Multinomial:get_mean() return self.probs * self.total_count end
function Multinomial:get_variance() return self.probs * (1 - self.probs) * self.total_count end

return M
