--- What all distributions share: shapes, checked parameters and values, properties.
-- A distribution has batch_shape (independent distributions side by side) and event_shape (one draw);
-- a sample of shape s has the shape s + batch_shape + event_shape.  mean, variance, stddev, mode and support
-- are properties.  Concrete distributions are declarations: parameters with the values they may have, and
-- formulas.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local reach = require "kiln.reach"
local constraints = require "kiln.distributions.constraints"

local raise, got = check.raise, check.got

---@class kiln.distributions.Distribution: kiln.Object
---@field batch_shape integer[]
---@field event_shape integer[]
---@field has_rsample boolean samples have gradients
---@field has_enumerate_support boolean
---@field mean kiln.Tensor
---@field variance kiln.Tensor
---@field stddev kiln.Tensor
---@field mode kiln.Tensor  where the density is largest
---@field support kiln.distributions.Constraint  what it can give
local Distribution = Object:extend "Distribution"
Distribution.has_rsample, Distribution.has_enumerate_support = false, false

local PROPERTIES = { mean = "get_mean", variance = "get_variance", stddev = "get_stddev", mode = "get_mode",
  support = "get_support", probs = "get_probs", logits = "get_logits",
  covariance_matrix = "get_covariance_matrix", precision_matrix = "get_precision_matrix",
  scale_tril = "get_scale_tril" }
local KEPT = { probs = true, logits = true, covariance_matrix = true, precision_matrix = true,
  scale_tril = true }

function Distribution:__index(key)
  local class = getmetatable(self)
  local v = class[key]
  if v == nil and PROPERTIES[key] and class[PROPERTIES[key]] then
    local get = class[PROPERTIES[key]]
    if not KEPT[key] then return get(self) end
    v = kiln.enable_grad(get, self) -- whoever asks first, others may differentiate it
    rawset(self, key, reach.keep(v))
  end
  return v
end

-- -- Whether arguments are checked -------------------------------------------------------------

local validates = true

--- Says whether parameters and values are checked where a distribution does not say it itself (with
-- validate_args).  A check reads the tensor, for which a device has to be waited for.
function Distribution.set_default_validate_args(value)
  validates = check.bool(value, "set_default_validate_args", "value")
end

function Distribution:validates()
  local own = rawget(self, "validate_args")
  if own == nil then return validates end
  return own
end

-- -- Parameters --------------------------------------------------------------------------------

-- The shape that sizes broadcast to.
local function broadcast_shape(name, tensors)
  local shape = {}
  for _, t in ipairs(tensors) do
    local size = t:size()
    while #shape < #size do table.insert(shape, 1, 1) end
    for d = 1, #size do
      local at = #shape - #size + d
      if shape[at] ~= size[d] and shape[at] ~= 1 and size[d] ~= 1 then
        raise(name, "parameter sizes %d and %d do not broadcast", shape[at], size[d])
      end
      if size[d] ~= 1 then shape[at] = size[d] end
    end
  end
  return shape
end
Distribution.broadcast_shape = broadcast_shape

--- Parameters as floating tensors; numbers become tensors of the dtype of the others.
-- rows: { { name, value, constraint }, ... }
---@return kiln.Tensor[]
function Distribution:floating(rows)
  local dtype, device, tensors = nil, nil, {}
  for _, row in ipairs(rows) do
    if kiln.is_tensor(row[2]) then
      if row[2].dtype.is_floating_point then dtype = row[2].dtype end
      device = row[2].device
    end
  end
  for i, row in ipairs(rows) do
    local v = row[2]
    if type(v) == "number" then
      v = kiln.tensor(v, { dtype = dtype or kiln.get_default_dtype(), device = device })
    elseif not kiln.is_tensor(v) then
      raise(self.__name, "%s must be a tensor or a number, not %s", row[1], got(v))
    elseif not v.dtype.is_floating_point then
      v = v:to(dtype or kiln.get_default_dtype())
    end
    if self:validates() then constraints.demand(self.__name, row[1], v, constraints[row[3]]) end
    tensors[i] = v
  end
  return tensors
end

--- Stores parameters as tensors that were broadcast together.
function Distribution:set_parameters(rows)
  local tensors = self:floating(rows)
  local shape = broadcast_shape(self.__name, tensors)
  for i, row in ipairs(rows) do
    local t = tensors[i]
    self[row[1]] = tostring(t.shape) == "[" .. table.concat(shape, ", ") .. "]" and t or t:expand(shape)
  end
  self.like = self[rows[1][1]] -- dtype and device of samples
  self.batch_shape, self.event_shape = shape, {}
end

--- The last dims of a parameter belong to one event: moves `n` sizes from batch_shape to event_shape.
function Distribution:set_event_dims(n)
  if check.int(n, self.__name, "n") < 0 or n > #self.batch_shape then
    raise(self.__name, "set_event_dims: %d of %d dims cannot be moved", n, #self.batch_shape)
  end
  for _ = 1, n do table.insert(self.event_shape, 1, table.remove(self.batch_shape)) end
end

--- A copy of a list of sizes for expand, which must be one.
---@return integer[]
function Distribution:batch_sizes(batch_shape)
  if type(batch_shape) ~= "table" then
    raise(self.__name, "expand: batch_shape must be a list of sizes, not %s", got(batch_shape))
  end
  for i, size in ipairs(batch_shape) do
    check.int(size, self.__name .. ": expand", ("batch_shape[%d]"):format(i))
  end
  return { unpack(batch_shape) }
end

--- The same distribution for a larger batch: of batch_shape, to which its own broadcasts.
---@param batch_shape integer[]
function Distribution:expand(batch_shape)
  check.self(self, "expand", "d")
  batch_shape = self:batch_sizes(batch_shape)
  local twin, mine = setmetatable({}, getmetatable(self)), #self.batch_shape
  for key, v in pairs(self) do
    if kiln.is_tensor(v) then
      local size = { unpack(batch_shape) }
      for d = mine + 1, v:dim() do size[#size + 1] = v:size(d) end
      v = v:expand(size)
    elseif Object.is_instance(v, Distribution) then
      v = v:expand(batch_shape)
    end
    twin[key] = v
  end
  twin.batch_shape = batch_shape
  return twin
end
jit.off(Distribution.expand)

--- x summed over its last n dims.
---@param x kiln.Tensor
---@param n integer
function Distribution.sum_last(x, n)
  for _ = 1, n do x = x:sum(-1) end
  return x
end

-- -- Sampling ----------------------------------------------------------------------------------

local function concatenated(...)
  local all = {}
  for _, part in ipairs { ... } do
    for _, v in ipairs(part) do all[#all + 1] = v end
  end
  return all
end

--- A value: a tensor, or a number made into one.
function Distribution:value(x)
  if type(x) == "number" then
    return kiln.tensor(x, { dtype = self.like.dtype, device = self.like.device })
  end
  return check.tensor(x, self.__name, "value")
end

--- A value whose probability is asked for: it ends in event_shape, and lies in the support.
function Distribution:supported(x)
  x = self:value(x)
  local event = self.event_shape
  local fits = x:dim() >= #event
  for d = 1, fits and #event or 0 do fits = x:size(d - #event - 1) == event[d] and fits end
  if not fits then
    raise(self.__name, "value must end in the event's shape [%s], its shape is %s",
      table.concat(event, ", "), tostring(x.shape))
  end
  if self:validates() and self.support then constraints.demand(self.__name, "value", x, self.support) end
  return x
end

--- sample_shape + batch_shape + event_shape
function Distribution:extended_shape(sample_shape)
  if type(sample_shape) == "number" then sample_shape = { sample_shape } end
  if type(sample_shape) == "table" and type((next(sample_shape))) == "string" then
    sample_shape = check.options(sample_shape, { sample_shape = 1 }, self.__name .. ": sample").sample_shape
  end
  if type(sample_shape) ~= "nil" and type(sample_shape) ~= "table" then
    raise(self.__name, "sample_shape must be a list of sizes, not %s", got(sample_shape))
  end
  for i, size in ipairs(sample_shape or {}) do
    if check.int(size, self.__name, ("sample_shape[%d]"):format(i)) < 0 then
      raise(self.__name, "sample_shape[%d] must be at least 0, not %d", i, size)
    end
  end
  return concatenated(sample_shape or {}, self.batch_shape, self.event_shape)
end

--- An empty tensor of a sample's shape, for random numbers.
function Distribution:noise(sample_shape)
  return kiln.empty(self:extended_shape(sample_shape), { dtype = self.like.dtype, device = self.like.device })
end

--- Draws of gamma distributions of rate 1, as small as their dtype can say but never 0.
---@param concentration kiln.Tensor  of the draws' shape
---@return kiln.Tensor
function Distribution.gamma_draws(concentration)
  return kiln.standard_gamma(concentration):clamp(kiln.finfo(concentration.dtype).tiny, math.huge)
end

-- Logarithms of gamma draws that are known to lie below log(bound), a small one: by how much has an
-- exponential distribution.  The gradient holds the place in the distribution.
local function small_logarithms(concentration, bound)
  local a = concentration:detach()
  local below = kiln.empty(a:size(), { dtype = a.dtype, device = a.device }):exponential_()
  local log_z = math.log(bound) - below / a
  return log_z + (concentration - a) * (((a + 1):digamma() - log_z) / a)
end

--- Gamma draws over their sum along the last dim, in (0, 1).  Where all are so small that the dtype could not
-- tell them from 0, their logarithms are drawn.
---@param concentration kiln.Tensor
---@return kiln.Tensor
function Distribution.gamma_shares(concentration)
  local info, g = kiln.finfo(concentration.dtype), kiln.standard_gamma(concentration)
  local bound = 8 * math.sqrt(info.tiny)
  local none = g:detach():max(-1, true):lt(bound)
  local shares = kiln.where(none, small_logarithms(concentration, bound):softmax(-1),
    g / g:sum(-1, true):masked_fill(none, 1))
  return shares:clamp(info.tiny, 1 - info.eps / 2)
end

--- The sigmoid of x, never quite 0 or 1, so that it can be undone.
---@param x kiln.Tensor
---@return kiln.Tensor
function Distribution.clipped_sigmoid(x)
  local info = kiln.finfo(x.dtype)
  return x:sigmoid():clamp(info.tiny, 1 - info.eps)
end

--- A sample without gradients.
function Distribution:sample(sample_shape)
  check.self(self, "sample", "d")
  if not self.has_rsample then raise(self.__name, "has no sample") end
  return kiln.no_grad(function() return self:rsample(sample_shape) end)
end

--- A sample whose gradients reach the parameters.
function Distribution:rsample()
  check.self(self, "rsample", "d")
  raise(self.__name, "rsample: its samples have no gradient with respect to the parameters; use sample")
end

--- n samples.
function Distribution:sample_n(n)
  check.self(self, "sample_n", "d")
  return self:sample { n }
end

function Distribution:get_stddev() return self.variance:sqrt() end
function Distribution:perplexity()
  check.self(self, "perplexity", "d")
  return self:entropy():exp()
end

local function undefined(what)
  return function(self)
    check.self(self, what, "d")
    raise(self.__name, "%s is not defined for it", what)
  end
end
for _, what in ipairs { "log_prob", "entropy", "cdf", "icdf", "enumerate_support" } do
  Distribution[what] = undefined(what)
end
for _, what in ipairs { "mean", "variance", "mode" } do Distribution["get_" .. what] = undefined(what) end

--- Values 0..n-1 or from another start, each for the whole batch: what enumerate_support gives of numbers.
function Distribution:all_of(values, expand)
  local shape = { values:size(1) }
  for _ = 1, #self.batch_shape do shape[#shape + 1] = 1 end
  for _, size in ipairs(self.event_shape) do shape[#shape + 1] = size end
  values = values:view(shape)
  return expand == false and values or values:expand(self:extended_shape { values:size(1) })
end

function Distribution:__tostring()
  local batch, event = self.batch_shape or {}, self.event_shape or {}
  return ("%s(batch_shape=[%s], event_shape=[%s])"):format(self.__name, table.concat(batch, ", "),
    table.concat(event, ", "))
end

-- -- Declarations ------------------------------------------------------------------------------

local CHECKED = { "log_prob", "cdf" } -- of a value, which is checked, too
local NAMED = { "sample", "rsample", "entropy", "enumerate_support", "expand" }
local EITHER = "probs or logits"

-- The row of the one parameter of two that was given.
local function given_one(name, a, constraint)
  if (a.probs == nil) == (a.logits == nil) then raise(name, "takes either probs or logits") end
  if a.probs ~= nil then return { "probs", a.probs, constraint } end
  return { "logits", a.logits, "real" }
end

--- Declares a distribution.
--   parameters  rows { name, constraint, default? }: by position or by name, broadcast together; the name
--               "probs or logits" stands for two, of which one is given, and the constraint of the first
--   methods     formulas, which get values that were checked; setup(self) runs once the parameters are there;
--               support is a constraint; base a class to inherit from
---@return table class
function Distribution.declare(name, parameters, methods)
  local class = (methods.base or Distribution):extend(name)
  local list, shown = {}, {}
  for i, p in ipairs(parameters) do
    local default = p[3] and (" = %g"):format(p[3]) or ""
    list[i], shown[i] = p[1] .. ": any" .. default, p[1] .. (p[3] and ": number" or ": tensor") .. default
    if p[1] == EITHER then
      list[i], shown[i] = "probs: any?, logits: any?", "probs: tensor?, logits: tensor?"
    end
  end
  class.argument_list = table.concat(shown, ", ") .. ", validate_args: bool?"
  local parse = args.define(name, table.concat(list, ", ") .. ", validate_args: bool?")
  class.has_rsample = methods.rsample ~= nil
  function class:init(...)
    local a, rows = parse(...), {}
    self.validate_args = a.validate_args
    for i, p in ipairs(parameters) do
      rows[i] = p[1] == EITHER and given_one(name, a, p[2]) or { p[1], a[p[1]], p[2] }
    end
    self:set_parameters(rows)
    if methods.setup then methods.setup(self) end
  end
  for key, method in pairs(methods) do
    if key ~= "base" then class[key] = method end
  end
  for _, key in ipairs(CHECKED) do
    local formula = methods[key]
    if formula then
      class[key] = function(self, x)
        check.self(self, key, "d")
        return formula(self, self:supported(x))
      end
    end
  end
  for _, key in ipairs(NAMED) do
    local formula = methods[key]
    if formula then
      class[key] = function(self, ...)
        check.self(self, key, "d")
        return formula(self, ...)
      end
    end
  end
  if methods.icdf then
    function class:icdf(p)
      check.self(self, "icdf", "d")
      return methods.icdf(self, self:value(p))
    end
  end
  class.has_enumerate_support = class.enumerate_support ~= Distribution.enumerate_support
  return class
end
jit.off(Distribution.declare)

return Distribution
