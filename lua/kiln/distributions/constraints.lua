--- Sets of numbers, vectors and matrices: what a parameter may be, and what a distribution can give (its
-- support).  A constraint has `check(x)`, the mask of what lies in the set: for sets of vectors and matrices
-- (event_dim 1 and 2) without their dims.
local kiln = require "kiln"
local Object = require "kiln.class"
local check = require "kiln.check"

local raise = check.raise
local M = {}

---@class kiln.distributions.Constraint: kiln.Object
---@field text string  the set, as messages say it: "above 0"
---@field event_dim integer  how many dims one element of the set has
---@field is_discrete boolean
local Constraint = Object:extend "Constraint"
M.Constraint = Constraint

function Constraint:init(text, test, event_dim, is_discrete)
  self.text, self.test = text, test
  self.event_dim, self.is_discrete = event_dim or 0, is_discrete or false
end

--- Which elements of x lie in the set.
---@param x kiln.Tensor
---@return kiln.Tensor mask
function Constraint:check(x) return self.test(check.tensor(x, "constraint", "x")) end

function Constraint:__tostring() return ("Constraint(%s)"):format(self.text) end

--- Raises about the first element of x that is not in a constraint.
---@param name string  the distribution
---@param what string  the parameter
function M.demand(name, what, x, constraint)
  x = x:detach()
  local ok = constraint.test(x)
  if ok:all():item() then return end
  local at = ok:logical_not():reshape(-1):nonzero():reshape(-1)[1]:item()
  if constraint.event_dim > 0 then
    raise(name, "%s must be %s; %s %d is not", what, constraint.text,
      constraint.event_dim == 1 and "vector" or "matrix", at)
  end
  local v = x:expand_as(ok):reshape(-1)[at]:item()
  raise(name, "%s must be %s; element %d is %s", what, constraint.text, at,
    type(v) == "number" and ("%g"):format(v) or tostring(v))
end

-- -- Numbers -----------------------------------------------------------------------------------

local function is_whole(x) return x:eq(x:floor()) end
local function whole_from(least)
  return function(x) return x:ge(least):logical_and(x.dtype.is_floating_point and is_whole(x) or x:eq(x)) end
end

M.real = Constraint("a number", function(x) return x:eq(x) end)
M.positive = Constraint("above 0", function(x) return x:gt(0) end)
M.nonnegative = Constraint("at least 0", function(x) return x:ge(0) end)
M.unit_interval = Constraint("in [0, 1]", function(x) return x:ge(0):logical_and(x:le(1)) end)
M.boolean = Constraint("0 or 1", function(x) return x:eq(0):logical_or(x:eq(1)) end, 0, true)
M.nonnegative_integer = Constraint("a whole number of at least 0", whole_from(0), 0, true)
M.positive_integer = Constraint("a whole number of at least 1", whole_from(1), 0, true)

-- A bound as text: a number, or what it stands for.
local function bound(v, word) return type(v) == "number" and ("%g"):format(v) or word end

function M.greater_than(least)
  return Constraint("above " .. bound(least, "its bound"), function(x) return x:gt(least) end)
end
function M.greater_than_eq(least)
  return Constraint("at least " .. bound(least, "its bound"), function(x) return x:ge(least) end)
end
function M.less_than(most)
  return Constraint("below " .. bound(most, "its bound"), function(x) return x:lt(most) end)
end
--- From low to high, both included; numbers or tensors.
function M.interval(low, high)
  return Constraint(("in [%s, %s]"):format(bound(low, "low"), bound(high, "high")),
    function(x) return x:ge(low):logical_and(x:le(high)) end)
end
function M.half_open_interval(low, high)
  return Constraint(("in [%s, %s)"):format(bound(low, "low"), bound(high, "high")),
    function(x) return x:ge(low):logical_and(x:lt(high)) end)
end
--- Whole numbers from low to high, both included.
function M.integer_interval(low, high)
  local from = whole_from(low)
  return Constraint(("a whole number in %s..%s"):format(bound(low, "low"), bound(high, "high")),
    function(x) return from(x):logical_and(x:le(high)) end, 0, true)
end

-- -- Vectors -----------------------------------------------------------------------------------

M.real_vector = Constraint("a vector of numbers", function(x) return x:eq(x):all(-1) end, 1)
-- How far from 1 the sum of probabilities may be, by dtype.
local SLACK = { float64 = 1e-6, float32 = 1e-5, float16 = 2 ^ -7, bfloat16 = 2 ^ -4 }
M.simplex = Constraint("probabilities that sum to 1", function(x)
  return x:ge(0):all(-1):logical_and((x:sum(-1) - 1):abs():lt(SLACK[x.dtype.name] or 0.5))
end, 1)
M.one_hot = Constraint("zeros and one 1", function(x)
  return M.boolean.test(x):all(-1):logical_and(x:sum(-1):eq(1))
end, 1, true)
--- Counts that sum to `total`.
function M.multinomial(total)
  return Constraint(("counts that sum to %s"):format(bound(total, "total_count")), function(x)
    return M.nonnegative_integer.test(x):all(-1):logical_and(x:sum(-1):eq(total))
  end, 1, true)
end

-- -- Matrices ----------------------------------------------------------------------------------

local function each_matrix(mask) return mask:flatten(-2, -1):all(-1) end
local function is_square(x) return x:dim() >= 2 and x:size(-1) == x:size(-2) end
-- A mask of false, one for each matrix of x.
local function none(x)
  local shape = {}
  for d = 1, x:dim() - 2 do shape[d] = x:size(d) end
  return kiln.zeros(shape, { dtype = kiln.bool, device = x.device })
end

M.lower_triangular = Constraint("a lower triangular matrix", function(x)
  return is_square(x) and each_matrix(x:tril():eq(x)) or none(x)
end, 2)
M.lower_cholesky = Constraint("a lower triangular matrix with a diagonal above 0", function(x)
  if not is_square(x) then return none(x) end
  return each_matrix(x:tril():eq(x)):logical_and(x:diagonal(0, -2, -1):gt(0):all(-1))
end, 2)
M.corr_cholesky = Constraint("the lower factor of a correlation, rows of length 1", function(x)
  local slack = (SLACK[x.dtype.name] or 0.5) * (x:dim() > 0 and x:size(-1) or 1)
  if not is_square(x) then return none(x) end
  return M.lower_cholesky.test(x):logical_and(((x * x):sum(-1) - 1):abs():lt(slack):all(-1))
end, 2)
M.symmetric = Constraint("a symmetric matrix", function(x)
  return is_square(x) and each_matrix((x - x:transpose(-2, -1)):abs():le(1e-6)) or none(x)
end, 2)
M.positive_definite = Constraint("a symmetric positive definite matrix", function(x)
  if not is_square(x) then return none(x) end
  local symmetric = M.symmetric.test(x)
  if not symmetric:all():item() then return symmetric end
  return kiln.eigvalsh(x:detach()):gt(0):all(-1)
end, 2)

-- -- Combinations ------------------------------------------------------------------------------

--- Elements of `base` side by side in the last `n` dims as one.
function M.independent(base, n)
  return Constraint(base.text, function(x)
    local mask = base.test(x)
    for _ = 1, n do mask = mask:all(-1) end
    return mask
  end, base.event_dim + n, base.is_discrete)
end

-- Elements of several sets, in turn, which `split` takes out of x and `join` puts beside each other.
local function several(parts, split, join)
  local dims, discrete = 0, false
  for _, part in ipairs(parts) do
    dims, discrete = math.max(dims, part.event_dim), discrete or part.is_discrete
  end
  return Constraint("in the sets of its parts", function(x)
    local masks = {}
    for k, part in ipairs(parts) do masks[k] = part.test(split(x, k)) end
    return join(masks)
  end, dims, discrete)
end

--- The sets of slices of the given lengths (of 1 each without) along a dim, for what was joined by cat.
function M.cat(parts, dim, lengths)
  local starts, at = {}, 1
  for k in ipairs(parts) do
    starts[k] = at
    at = at + (lengths and lengths[k] or 1)
  end
  return several(parts, function(x, k) return x:narrow(dim, starts[k], lengths and lengths[k] or 1) end,
    function(masks) return kiln.cat(masks, dim) end)
end

--- The sets of the slices along a dim, for what was joined by stack.
function M.stack(parts, dim)
  return several(parts, function(x, k) return x:select(dim, k) end,
    function(masks) return kiln.stack(masks, dim) end)
end

return require("kiln.namespace").of("kiln.distributions.constraints", M)
