--- Transforms of tensors, with the logarithm of how much they stretch, for TransformedDistribution.
-- A transform t is called, t(x); t.inv undoes it, and t:log_abs_det_jacobian(x, y) is log |dy/dx|.  Those of
-- vectors (domain_dim or codomain_dim 1) have one number a vector.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local constraints = require "kiln.distributions.constraints"
local Distribution = require "kiln.distributions.distribution"

local clipped_sigmoid, sum_last = Distribution.clipped_sigmoid, Distribution.sum_last

local raise, got = check.raise, check.got
local M = {}

---@class kiln.distributions.Transform: kiln.Object
---@field domain_dim integer  how many dims what it takes has
---@field codomain_dim integer
---@field bijective boolean
---@field sign? number  1 where it grows, -1 where it falls, nil where it does neither
---@field inv kiln.distributions.Transform
local Transform = Object:extend "Transform"
M.Transform = Transform
Transform.domain_dim, Transform.codomain_dim, Transform.bijective, Transform.is_inverse = 0, 0, true, false

local function undefined(what)
  return function(self) raise(self.__name, "%s is not defined for it", what) end
end
Transform.forward, Transform.inverse = undefined "forward", undefined "inverse"
Transform.log_abs_det_jacobian = undefined "log_abs_det_jacobian"

function Transform:__call(x) return self:forward(check.tensor(x, self.__name, "x")) end
function Transform:__tostring() return getmetatable(self).__name .. "()" end

--- The batch and event sizes of what it makes of such sizes, and back.
function Transform.forward_shape(_, shape) return shape end
function Transform.inverse_shape(_, shape) return shape end

-- -- The other way round -----------------------------------------------------------------------

local Inverse = Transform:extend "InverseTransform"

function Inverse:init(of)
  self.inv, self.domain_dim, self.codomain_dim, self.sign = of, of.codomain_dim, of.domain_dim, of.sign
  self.bijective, self.domain, self.codomain = of.bijective, of.codomain, of.domain
end
function Inverse:forward(x) return self.inv:inverse(x) end
function Inverse:inverse(y) return self.inv:forward(y) end
function Inverse:log_abs_det_jacobian(x, y) return -self.inv:log_abs_det_jacobian(y, x) end
function Inverse:forward_shape(shape) return self.inv:inverse_shape(shape) end
function Inverse:inverse_shape(shape) return self.inv:forward_shape(shape) end

function Transform:__index(key)
  local v = getmetatable(self)[key]
  if v ~= nil or key ~= "inv" then return v end
  v = Inverse(self)
  rawset(self, "inv", v)
  return v
end
Inverse.__index = Transform.__index

-- -- Declarations ------------------------------------------------------------------------------

-- Declares a transform: an argument list, methods and constants.  PyTorch's cache_size is taken and has no
-- effect: what it keeps is worked out anew.
local function declare(name, text, methods)
  local class = Transform:extend(name)
  local parse = args.define(name, (text ~= "" and text .. ", " or "") .. "cache_size: int = 0")
  class.argument_list = text
  function class:init(...)
    for key, value in pairs(parse(...)) do self[key] = value end
    if methods.setup then methods.setup(self) end
  end
  jit.off(class.init)
  for key, method in pairs(methods) do class[key] = method end
  M[name] = class
end
jit.off(declare)

local function zeros_like(x) return kiln.zeros_like(x:detach()) end

-- -- Of numbers --------------------------------------------------------------------------------

declare("ExpTransform", "", {
  domain = constraints.real, codomain = constraints.positive, sign = 1,
  forward = function(_, x) return x:exp() end,
  inverse = function(_, y) return y:log() end,
  log_abs_det_jacobian = function(_, x) return x end,
})

--- x^exponent, for x above 0.
declare("PowerTransform", "exponent: any", {
  domain = constraints.positive, codomain = constraints.positive,
  setup = function(self)
    local e = self.exponent
    if type(e) ~= "number" and not kiln.is_tensor(e) then
      raise("PowerTransform", "exponent must be a number or a tensor, not %s", got(e))
    end
    self.sign = type(e) == "number" and (e < 0 and -1 or 1) or kiln.is_tensor(e) and e:detach():sign()
  end,
  forward = function(self, x) return x ^ self.exponent end,
  inverse = function(self, y) return y ^ (1 / self.exponent) end,
  log_abs_det_jacobian = function(self, x, y) return (self.exponent * y / x):abs():log() end,
})

declare("SigmoidTransform", "", {
  domain = constraints.real, codomain = constraints.unit_interval, sign = 1,
  forward = function(_, x) return clipped_sigmoid(x) end,
  inverse = function(_, y)
    local info = kiln.finfo(y.dtype)
    y = y:clamp(info.tiny, 1 - info.eps)
    return y:log() - (-y):log1p()
  end,
  log_abs_det_jacobian = function(_, x) return x:logsigmoid() + (-x):logsigmoid() end,
})

declare("TanhTransform", "", {
  domain = constraints.real, codomain = constraints.interval(-1, 1), sign = 1,
  forward = function(_, x) return x:tanh() end,
  inverse = function(_, y) return y:atanh() end,
  log_abs_det_jacobian = function(_, x) return (math.log(2) - x + (x * 2):logsigmoid()) * 2 end,
})

declare("SoftplusTransform", "", {
  domain = constraints.real, codomain = constraints.positive, sign = 1,
  forward = function(_, x) return x:softplus() end,
  inverse = function(_, y) return y + (-(-y):expm1()):log() end,
  log_abs_det_jacobian = function(_, x) return x:logsigmoid() end,
})

--- |x|, which cannot be undone: inverse gives the positive one of two.
declare("AbsTransform", "", {
  domain = constraints.real, codomain = constraints.positive, bijective = false,
  forward = function(_, x) return x:abs() end,
  inverse = function(_, y) return y end,
})

--- loc + scale x; event_dim says how many dims belong to one event.
declare("AffineTransform", "loc: any, scale: any, event_dim: int = 0", {
  setup = function(self)
    for _, name in ipairs { "loc", "scale" } do
      if type(self[name]) ~= "number" and not kiln.is_tensor(self[name]) then
        raise("AffineTransform", "%s must be a number or a tensor, not %s", name, got(self[name]))
      end
    end
    check.at_least(self.event_dim, "AffineTransform", "event_dim", 0)
    self.domain_dim, self.codomain_dim = self.event_dim, self.event_dim
    local scale = self.scale
    self.sign = type(scale) == "number" and (scale < 0 and -1 or 1) or kiln.is_tensor(scale)
      and scale:detach():sign()
    self.domain = constraints.independent(constraints.real, self.event_dim)
    self.codomain = self.domain
  end,
  forward = function(self, x) return x * self.scale + self.loc end,
  inverse = function(self, y) return (y - self.loc) / self.scale end,
  log_abs_det_jacobian = function(self, x)
    local scale = self.scale
    local value = zeros_like(x) + (kiln.is_tensor(scale) and scale:abs():log() or math.log(math.abs(scale)))
    for _ = 1, self.event_dim do value = value:sum(-1) end
    return value
  end,
})

-- -- Of vectors --------------------------------------------------------------------------------

--- The softmax of a vector; it cannot be undone, and has no volume.
declare("SoftmaxTransform", "", {
  domain = constraints.real_vector, codomain = constraints.simplex, domain_dim = 1, codomain_dim = 1,
  bijective = false,
  forward = function(_, x) return x:softmax(-1) end,
  inverse = function(_, y) return y:log() end,
})

local function with_last(name, shape, change)
  local size = { unpack(shape) }
  if #size == 0 then raise(name, "needs at least 1 dim") end
  size[#size] = size[#size] + change
  return size
end

--- n numbers as n + 1 probabilities: each says which share of what is left is broken off.
declare("StickBreakingTransform", "", {
  domain = constraints.real_vector, codomain = constraints.simplex, domain_dim = 1, codomain_dim = 1,
  forward = function(_, x)
    local n = x:size(-1)
    local offset = kiln.arange(n, 0, -1, { dtype = x.dtype, device = x.device })
    local z = clipped_sigmoid(x - offset:log())
    local left = (1 - z):cumprod(-1)
    local one = kiln.ones_like(left:narrow(-1, 1, 1):detach())
    return kiln.cat({ z, one }, -1) * kiln.cat({ one, left }, -1)
  end,
  inverse = function(_, y)
    local n = y:size(-1) - 1
    local offset = kiln.arange(n, 0, -1, { dtype = y.dtype, device = y.device })
    local broken = y:narrow(-1, 1, n)
    local left = (1 - broken:cumsum(-1)):clamp(kiln.finfo(y.dtype).tiny, math.huge)
    return broken:log() - left:log() + offset:log()
  end,
  log_abs_det_jacobian = function(_, x, y)
    local n = x:size(-1)
    local offset = kiln.arange(n, 0, -1, { dtype = x.dtype, device = x.device })
    x = x - offset:log()
    return (-x + x:logsigmoid() + y:narrow(-1, 1, n):log()):sum(-1)
  end,
  forward_shape = function(self, shape) return with_last(self.__name, shape, 1) end,
  inverse_shape = function(self, shape) return with_last(self.__name, shape, -1) end,
})

-- -- Of matrices -------------------------------------------------------------------------------

local eye_like = require("kiln.distributions.factors").identity

-- The places below the diagonal `above` of an [n, n] matrix whose rows stand behind each other.
local function places_below(n, above, x)
  local mask = kiln.ones({ n, n }, { dtype = kiln.bool, device = x.device }):tril(above)
  return mask:reshape(-1):nonzero():reshape(-1)
end
local function below(matrix, above)
  return matrix:flatten(-2, -1):index_select(-1, places_below(matrix:size(-1), above, matrix))
end

-- n (n - 1) / 2 numbers are those below the diagonal of an [n, n] matrix.
local function rows_of(name, count)
  local n = math.floor(math.sqrt(0.25 + 2 * count) + 0.5 + 1e-9)
  if count < 1 or n * (n - 1) / 2 ~= count then
    raise(name, "%d numbers do not stand below a diagonal: 1, 3, 6, 10, ... do", count)
  end
  return n
end

local function one_before(x) -- a 1 before each row, its last number out
  local one = kiln.ones_like(x:narrow(-1, 1, 1):detach())
  return kiln.cat({ one, x:narrow(-1, 1, x:size(-1) - 1) }, -1)
end

--- n (n - 1) / 2 numbers as the lower factor of a correlation [n, n]: tanh of each is its share of what is
-- left of its row's length 1, as in StickBreakingTransform.
declare("CorrCholeskyTransform", "", {
  domain = constraints.real_vector, codomain = constraints.corr_cholesky, domain_dim = 1, codomain_dim = 2,
  forward = function(self, x)
    local n, eps = rows_of(self.__name, x:size(-1)), kiln.finfo(x.dtype).eps
    local size = { unpack(x:size()) }
    size[#size] = n * n
    local flat = kiln.zeros(size, { dtype = x.dtype, device = x.device })
      :index_copy(-1, places_below(n, -1, x), x:tanh():clamp(eps - 1, 1 - eps))
    size[#size], size[#size + 1] = n, n
    local r = flat:view(size)
    return (r + eye_like(x, n)) * one_before((1 - r * r):sqrt():cumprod(-1))
  end,
  inverse = function(_, y)
    local left = one_before(1 - (y * y):cumsum(-1))
    return (below(y, -1) / below(left, -1):sqrt()):atanh()
  end,
  log_abs_det_jacobian = function(_, x, y)
    local left = below(1 - (y * y):cumsum(-1), -2):log():sum(-1) * 0.5
    return left - (x + (x * -2):softplus() - math.log(2)):sum(-1) * 2
  end,
  forward_shape = function(self, shape)
    local size = with_last(self.__name, shape, 0)
    local n = rows_of(self.__name, size[#size])
    size[#size], size[#size + 1] = n, n
    return size
  end,
  inverse_shape = function(self, shape)
    local size, n = { unpack(shape) }, shape[#shape]
    if #size < 2 or size[#size - 1] ~= n then raise(self.__name, "needs matrices [n, n]") end
    size[#size] = nil
    size[#size] = n * (n - 1) / 2
    return size
  end,
})

local lower = {
  forward = function(_, x) return x:tril(-1) + x:diagonal(0, -2, -1):exp():diag_embed() end,
  inverse = function(_, y) return y:tril(-1) + y:diagonal(0, -2, -1):log():diag_embed() end,
}

--- The lower triangle of a matrix, with exp of its diagonal.
declare("LowerCholeskyTransform", "", {
  domain = constraints.independent(constraints.real, 2), codomain = constraints.lower_cholesky,
  domain_dim = 2, codomain_dim = 2, forward = lower.forward, inverse = lower.inverse,
})

--- L L' for the factor L that LowerCholeskyTransform makes.
declare("PositiveDefiniteTransform", "", {
  domain = constraints.independent(constraints.real, 2), codomain = constraints.positive_definite,
  domain_dim = 2, codomain_dim = 2,
  forward = function(_, x)
    local l = lower.forward(nil, x)
    return kiln.matmul(l, l:transpose(-2, -1))
  end,
  inverse = function(_, y) return lower.inverse(nil, kiln.cholesky(y)) end,
})

-- -- Combinations ------------------------------------------------------------------------------

local function check_parts(name, parts)
  if type(parts) ~= "table" or getmetatable(parts) then
    raise(name, "parts must be a list of transforms, not %s", got(parts))
  end
  for i = 1, #parts do
    if not Object.is_instance(parts[i], Transform) then
      raise(name, "parts[%d] must be a transform, not %s", i, got(parts[i]))
    end
  end
end

--- Several, one after another: the first in the list comes first.
-- A constraint on what has so many dims.
local function widened(constraint, dims)
  local more = dims - (constraint.event_dim or 0)
  return more > 0 and constraints.independent(constraint, more) or constraint
end

declare("ComposeTransform", "parts: table", {
  setup = function(self)
    check_parts("ComposeTransform", self.parts)
    self.sign = 1
    -- The dims of the first input such that every part gets as many as it takes.
    local need = 0
    for k = #self.parts, 1, -1 do
      local part = self.parts[k]
      need = math.max(part.domain_dim, need + part.domain_dim - part.codomain_dim)
    end
    self.domain_dim = need
    local made = need
    for _, part in ipairs(self.parts) do
      made = made + part.codomain_dim - part.domain_dim
      self.bijective = self.bijective and part.bijective
      self.sign = self.sign and part.sign and self.sign * part.sign
    end
    self.codomain_dim = made
    local first, last = self.parts[1], self.parts[#self.parts]
    self.domain = widened(first and first.domain or constraints.real, self.domain_dim)
    self.codomain = widened(last and last.codomain or constraints.real, self.codomain_dim)
  end,
  forward = function(self, x)
    for _, part in ipairs(self.parts) do x = part:forward(x) end
    return x
  end,
  inverse = function(self, y)
    for k = #self.parts, 1, -1 do y = self.parts[k]:inverse(y) end
    return y
  end,
  log_abs_det_jacobian = function(self, x)
    local total, dims = nil, self.domain_dim
    for _, part in ipairs(self.parts) do
      local y = part:forward(x)
      local term = sum_last(part:log_abs_det_jacobian(x, y), dims - part.domain_dim)
      total = total and total + term or term
      dims, x = dims + part.codomain_dim - part.domain_dim, y
    end
    return total or zeros_like(x)
  end,
  forward_shape = function(self, shape)
    for _, part in ipairs(self.parts) do shape = part:forward_shape(shape) end
    return shape
  end,
  inverse_shape = function(self, shape)
    for k = #self.parts, 1, -1 do shape = self.parts[k]:inverse_shape(shape) end
    return shape
  end,
})

-- What CatTransform and StackTransform share: parts side by side along a dim.  `take(self, x, k)` is the k-th
-- part's share of x, `join(list, dim)` puts such back together, n(self) is how long the dim must be.
local function side_by_side(name, text, constraint, n, take, join)
  local function each(self, x, fn, ...)
    local dim = self.dim < 0 and x:dim() + self.dim + 1 or self.dim
    if dim < 1 or dim > x:dim() or x:size(dim) ~= n(self) then
      raise(name, "needs %d along dim %d, the shape is %s", n(self), self.dim, tostring(x.shape))
    end
    local list = {}
    for k, part in ipairs(self.tseq) do list[k] = fn(part, take(self, x, k), ...) end
    return list
  end
  declare(name, text, {
    setup = function(self)
      check_parts(name, self.tseq)
      if #self.tseq == 0 then raise(name, "tseq must have a transform") end
      if self.dim == 0 then raise(name, "dim must not be 0: dims count from 1") end
      local domains, codomains = {}, {}
      for k, part in ipairs(self.tseq) do
        self.bijective = self.bijective and part.bijective
        self.domain_dim = math.max(self.domain_dim, part.domain_dim)
        self.codomain_dim = math.max(self.codomain_dim, part.codomain_dim)
        domains[k], codomains[k] = part.domain or constraints.real, part.codomain or constraints.real
      end
      n(self)
      self.domain = constraint(domains, self.dim, self.lengths)
      self.codomain = constraint(codomains, self.dim, self.lengths)
    end,
    forward = function(self, x)
      return join(each(self, x, function(part, share) return part:forward(share) end), self.dim)
    end,
    inverse = function(self, y)
      return join(each(self, y, function(part, share) return part:inverse(share) end), self.dim)
    end,
    log_abs_det_jacobian = function(self, x, y)
      local ys, k, cut = each(self, y, function(_, share) return share end), 0, name == "CatTransform"
      local logs = each(self, x, function(part, share)
        k = k + 1
        local log = part:log_abs_det_jacobian(share, ys[k])
        return cut and sum_last(log, self.domain_dim - part.domain_dim) or log
      end)
      if not cut then return join(logs, self.dim) end
      local dim = (self.dim < 0 and self.dim or self.dim - x:dim() - 1) + self.domain_dim
      if dim < 0 then return join(logs, dim) end
      local sum = logs[1] -- the dim was part of an event
      for i = 2, #logs do sum = sum + logs[i] end
      return sum
    end,
  })
end

--- Slices of lengths (of 1 each without) along a dim, each with a transform of its own.
side_by_side("CatTransform", "tseq: table, dim: int = 1, lengths: table?", constraints.cat, function(self)
  if not self.starts then
    local lengths, at = self.lengths or {}, 1
    if self.lengths and #lengths ~= #self.tseq then
      raise("CatTransform", "%d lengths for %d transforms", #lengths, #self.tseq)
    end
    self.starts = {}
    for k = 1, #self.tseq do
      self.starts[k] = at
      at = at + check.int(lengths[k] or 1, "CatTransform", ("lengths[%d]"):format(k))
    end
    self.total = at - 1
  end
  return self.total
end, function(self, x, k)
  return x:narrow(self.dim, self.starts[k], self.lengths and self.lengths[k] or 1)
end, kiln.cat)

--- The slices along a dim, each with a transform of its own.
side_by_side("StackTransform", "tseq: table, dim: int = 1", constraints.stack,
  function(self) return #self.tseq end, function(self, x, k) return x:select(self.dim, k) end, kiln.stack)

local function check_shape(name, what, shape)
  local n = 1
  for i, size in ipairs(shape) do
    n = n * check.int(size, name, ("%s[%d]"):format(what, i))
    if size < 0 then raise(name, "%s[%d] must be at least 0, not %d", what, i, size) end
  end
  return n
end

-- A shape whose last sizes are `from`, with `to` in their place.
local function reshaped(name, shape, from, to)
  local size, before = {}, #shape - #from
  for d = 1, math.max(before, 0) do size[d] = shape[d] end
  for d, want in ipairs(from) do
    if shape[before + d] ~= want then
      raise(name, "needs a shape that ends in [%s], not [%s]", table.concat(from, ", "),
        table.concat({ unpack(shape) }, ", "))
    end
  end
  for _, n in ipairs(to) do size[#size + 1] = n end
  return size
end

--- The last dims, in_shape, as out_shape.
declare("ReshapeTransform", "in_shape: table, out_shape: table", {
  setup = function(self)
    local a = check_shape("ReshapeTransform", "in_shape", self.in_shape)
    local b = check_shape("ReshapeTransform", "out_shape", self.out_shape)
    if a ~= b then raise("ReshapeTransform", "in_shape has %d elements, out_shape %d", a, b) end
    self.domain_dim, self.codomain_dim = #self.in_shape, #self.out_shape
    self.domain = constraints.independent(constraints.real, self.domain_dim)
    self.codomain = constraints.independent(constraints.real, self.codomain_dim)
  end,
  forward = function(self, x) return x:reshape(self:forward_shape(x:size())) end,
  inverse = function(self, y) return y:reshape(self:inverse_shape(y:size())) end,
  log_abs_det_jacobian = function(self, x)
    local batch = reshaped(self.__name, x:size(), self.in_shape, {})
    return kiln.zeros(batch, { dtype = x.dtype, device = x.device })
  end,
  forward_shape = function(self, shape)
    return reshaped(self.__name, shape, self.in_shape, self.out_shape)
  end,
  inverse_shape = function(self, shape)
    return reshaped(self.__name, shape, self.out_shape, self.in_shape)
  end,
})

--- The distribution function of a distribution, which makes its samples uniform.
declare("CumulativeDistributionTransform", "distribution: any", {
  codomain = constraints.unit_interval, sign = 1,
  setup = function(self)
    if not Object.is_instance(self.distribution, require "kiln.distributions.distribution") then
      raise("CumulativeDistributionTransform", "distribution must be a distribution, not %s",
        got(self.distribution))
    end
    self.domain = self.distribution.support
  end,
  forward = function(self, x) return self.distribution:cdf(x) end,
  inverse = function(self, y) return self.distribution:icdf(y) end,
  log_abs_det_jacobian = function(self, x) return self.distribution:log_prob(x) end,
})

--- A transform whose last dims, that many more, belong to one event.
declare("IndependentTransform", "base_transform: any, reinterpreted_batch_ndims: int", {
  setup = function(self)
    check_parts("IndependentTransform", { self.base_transform })
    local base, n = self.base_transform, self.reinterpreted_batch_ndims
    check.at_least(n, "IndependentTransform", "reinterpreted_batch_ndims", 0)
    self.domain_dim, self.codomain_dim = base.domain_dim + n, base.codomain_dim + n
    self.bijective, self.sign = base.bijective, base.sign
    self.domain = constraints.independent(base.domain, n)
    self.codomain = constraints.independent(base.codomain, n)
  end,
  forward = function(self, x) return self.base_transform:forward(x) end,
  inverse = function(self, y) return self.base_transform:inverse(y) end,
  log_abs_det_jacobian = function(self, x, y)
    return sum_last(self.base_transform:log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)
  end,
  forward_shape = function(self, shape) return self.base_transform:forward_shape(shape) end,
  inverse_shape = function(self, shape) return self.base_transform:inverse_shape(shape) end,
})

return require("kiln.namespace").of("kiln.distributions.transforms", M)
