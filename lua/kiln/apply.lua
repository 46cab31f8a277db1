--- Lua functions as kernels: x:apply_(fn), x:map_(y, fn), x:map2_(y, z, fn).
-- Loops over memory in Lua, at the speed that LuaJIT gives them: no allocation, no op an element.
-- CPU only; tensors that require grad are refused, for such a loop has no gradient.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"

local M = { methods = {} }
local methods = M.methods

local int64s = ffi.typeof "int64_t[?]"

local function writable(x, name)
  check.tensor(x, name, "self")
  if C.kiln_requires_grad(x.p) then
    check.raise(name, "x requires grad, and a Lua loop has no gradient; use it on x.data")
  end
  if C.kiln_tensor_device(x.p) ~= 0 then
    check.raise(name, "works on the CPU only, x is on %s", x.device)
  end
  local dtype = x.dtype.name
  if dtype == "float16" or dtype == "bfloat16" then
    check.raise(name, "LuaJIT cannot read %s; use x:float()", dtype)
  end
  return x
end

-- The pointer to loop over.  What was saved of x is void from now on, also if fn raises half way.
local function open(x)
  C.kiln_tensor_bump(x.p)
  return x:data_ptr()
end

-- Another operand: same dtype and shape as x, on the CPU.
local function operand(y, x, name, argument)
  check.tensor(y, name, argument)
  if C.kiln_requires_grad(y.p) then
    check.raise(name, "%s requires grad, and a Lua loop has no gradient; use %s.data", argument, argument)
  end
  return y:cpu():to(x.dtype):expand(x.shape)
end

-- Calls row(n, offset1, offset2, ...) for each run along the last dim, with offsets in elements.
local function each_row(x, others, row)
  local ndim = x:dim()
  if x:numel() == 0 then return end
  C.kiln_tensor_tidy(x.p)
  for _, y in ipairs(others) do C.kiln_tensor_tidy(y.p) end
  if ndim == 0 then return row(1, 0, 0, 0) end
  local shape, count = x.shape, x:numel() / x:size(-1)
  local strides = {}
  for k, t in ipairs { x, unpack(others) } do strides[k] = t:stride() end
  local index, at = int64s(ndim), { 0, 0, 0 }
  for _ = 1, count do
    row(shape[ndim], at[1], at[2], at[3])
    local d = ndim - 1
    while d >= 1 do
      index[d] = index[d] + 1
      for k = 1, #strides do at[k] = at[k] + strides[k][d] end
      if index[d] < shape[d] then break end
      for k = 1, #strides do at[k] = at[k] - strides[k][d] * shape[d] end
      index[d] = 0
      d = d - 1
    end
  end
end

local function step_of(x) return x:dim() > 0 and x:stride(-1) or 1 end

-- A conversion that int64 elements need to be Lua numbers; nil where none is.
local function reads_wide(x) return x.dtype.name == "int64" end

-- What fn returned, if the elements of x can hold it.
local function fitting(v, x, name)
  if type(v) == "number" or type(v) == "cdata" and type(tonumber(v)) == "number"
    or type(v) == "boolean" and x.dtype.name == "bool" then
    return v
  end
  check.raise(name, "fn must return a number, got %s", check.got(v))
end

--- Replaces each element by fn(element).
---@param fn fun(v: number|boolean): number|boolean
function methods:apply_(fn)
  writable(self, "apply_")
  check.fn(fn, "apply_", "fn")
  local p, s, wide = open(self), step_of(self), reads_wide(self)
  each_row(self, {}, function(n, a)
    for i = 0, n - 1 do
      local at = a + i * s
      local v = p[at]
      if wide then v = tonumber(v) end
      v = fn(v)
      if type(v) ~= "number" then v = fitting(v, self, "apply_") end
      p[at] = v
    end
  end)
  return self
end

--- Replaces each element a of x by fn(a, b), b the element of y (broadcast) at the same place.
---@param y kiln.Tensor
---@param fn fun(a: number|boolean, b: number|boolean): number|boolean
function methods:map_(y, fn)
  writable(self, "map_")
  check.fn(fn, "map_", "fn")
  y = operand(y, self, "map_", "y")
  local p, q, s, r, wide = open(self), y:data_ptr(), step_of(self), step_of(y), reads_wide(self)
  each_row(self, { y }, function(n, a, b)
    for i = 0, n - 1 do
      local v, w = p[a + i * s], q[b + i * r]
      if wide then v, w = tonumber(v), tonumber(w) end
      v = fn(v, w)
      if type(v) ~= "number" then v = fitting(v, self, "map_") end
      p[a + i * s] = v
    end
  end)
  return self
end

--- The same with two other tensors: fn(a, b, c).
function methods:map2_(y, z, fn)
  writable(self, "map2_")
  check.fn(fn, "map2_", "fn")
  y, z = operand(y, self, "map2_", "y"), operand(z, self, "map2_", "z")
  local p, q, o = open(self), y:data_ptr(), z:data_ptr()
  local s, r, u, wide = step_of(self), step_of(y), step_of(z), reads_wide(self)
  each_row(self, { y, z }, function(n, a, b, c)
    for i = 0, n - 1 do
      local v, w, x = p[a + i * s], q[b + i * r], o[c + i * u]
      if wide then v, w, x = tonumber(v), tonumber(w), tonumber(x) end
      v = fn(v, w, x)
      if type(v) ~= "number" then v = fitting(v, self, "map2_") end
      p[a + i * s] = v
    end
  end)
  return self
end

--- Writes zeros everywhere.
function methods:zero_() return self:fill_(0) end

return M
