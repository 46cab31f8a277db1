--- What all distributions share: shapes, checked parameters, properties.
-- A distribution has batch_shape (independent distributions side by side) and event_shape (one draw);
-- a sample of shape s has the shape s + batch_shape + event_shape.  mean, variance and stddev are
-- properties.  Concrete distributions are declarations: parameters with the values they may have, and
-- formulas.
local kiln = require "kiln"
local Object = require "kiln.class"
local check = require "kiln.check"
local reach = require "kiln.reach"

local raise, got = check.raise, check.got

---@class kiln.distributions.Distribution: kiln.Object
---@field batch_shape integer[]
---@field event_shape integer[]
---@field has_rsample boolean samples have gradients
---@field mean kiln.Tensor
---@field variance kiln.Tensor
---@field stddev kiln.Tensor
local Distribution = Object:extend "Distribution"
Distribution.has_rsample = false

local PROPERTIES = { mean = "get_mean", variance = "get_variance", stddev = "get_stddev", probs = "get_probs",
  logits = "get_logits" }

function Distribution:__index(key)
  local class = getmetatable(self)
  local v = class[key]
  if v == nil and PROPERTIES[key] and class[PROPERTIES[key]] then
    v = class[PROPERTIES[key]](self)
    if key == "probs" or key == "logits" then rawset(self, key, reach.keep(v)) end
  end
  return v
end

-- -- Parameters --------------------------------------------------------------------------------

-- What a parameter may be: a word for messages, and the mask of what is right.
local CONSTRAINTS = {
  real = { "a number", function(x) return x:eq(x) end },
  positive = { "above 0", function(x) return x:gt(0) end },
  nonnegative = { "at least 0", function(x) return x:ge(0) end },
  unit = { "in [0, 1]", function(x) return x:ge(0):logical_and(x:le(1)) end },
}

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

local function check_values(name, key, x, constraint)
  local text, test = unpack(CONSTRAINTS[constraint])
  local ok = test(x:detach())
  if ok:all():item() then return end
  local at = ok:logical_not():reshape(-1):nonzero():reshape(-1)[1]:item()
  raise(name, "%s must be %s; element %d is %g", key, text, at, x:detach():reshape(-1)[at]:item())
end

--- Stores parameters as tensors that were broadcast together; numbers become tensors of the dtype of the
-- others.  rows: { { name, value, constraint }, ... }
function Distribution:set_parameters(rows)
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
    check_values(self.__name, row[1], v, row[3])
    tensors[i] = v
  end
  local shape = broadcast_shape(self.__name, tensors)
  for i, row in ipairs(rows) do
    local t = tensors[i]
    self[row[1]] = #t:size() == #shape and tostring(t.shape) == "[" .. table.concat(shape, ", ") .. "]" and t
      or t:expand(shape)
  end
  self.batch_shape, self.event_shape = shape, {}
end

--- The last dims of a parameter belong to one event: moves `n` sizes from batch_shape to event_shape.
function Distribution:set_event_dims(n)
  for _ = 1, n do table.insert(self.event_shape, 1, table.remove(self.batch_shape)) end
end

-- -- Sampling ----------------------------------------------------------------------------------

local function concatenated(...)
  local all = {}
  for _, part in ipairs { ... } do
    for _, v in ipairs(part) do all[#all + 1] = v end
  end
  return all
end

--- A value whose probability is asked for: a tensor, or a number made into one.
function Distribution:value(x, like)
  if type(x) == "number" then return kiln.tensor(x, { dtype = like.dtype, device = like.device }) end
  return check.tensor(x, self.__name, "value")
end

--- sample_shape + batch_shape + event_shape
function Distribution:extended_shape(sample_shape)
  if type(sample_shape) == "number" then sample_shape = { sample_shape } end
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
function Distribution:noise(sample_shape, like)
  return kiln.empty(self:extended_shape(sample_shape), { dtype = like.dtype, device = like.device })
end

--- A sample without gradients.
function Distribution:sample(sample_shape)
  if not self.has_rsample then raise(self.__name, "has no sample") end
  return kiln.no_grad(function() return self:rsample(sample_shape) end)
end

--- A sample whose gradients reach the parameters.
function Distribution:rsample()
  raise(self.__name, "rsample: its samples have no gradient with respect to the parameters; use sample")
end

--- n samples.
function Distribution:sample_n(n) return self:sample { n } end

function Distribution:get_stddev() return self.variance:sqrt() end
function Distribution:perplexity() return self:entropy():exp() end

local function undefined(what)
  return function(self) raise(self.__name, "%s is not defined for it", what) end
end
for _, what in ipairs { "log_prob", "entropy", "cdf", "icdf", "enumerate_support" } do
  Distribution[what] = undefined(what)
end

function Distribution:__tostring()
  local batch, event = self.batch_shape or {}, self.event_shape or {}
  return ("%s(batch_shape=[%s], event_shape=[%s])"):format(self.__name, table.concat(batch, ", "),
    table.concat(event, ", "))
end

return Distribution
