--- Lua functions as kernels: x:apply_(fn), x:map_(y, fn), x:map2_(y, z, fn).
-- Loops over memory in Lua, at the speed that LuaJIT gives them: no allocation, no op an element.
-- CPU only; tensors that require grad are refused, for such a loop has no gradient.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local hold = require "kiln.hold"
local tracing = require "kiln.tracing"

local M = { methods = {} }
local methods = M.methods

local int64s = ffi.typeof "int64_t[?]"
local ZERO = C.kiln_writer "zero_"

local function writable(x, name)
  check.tensor(x, name, "self")
  if C.kiln_requires_grad(x.p) then
    check.raise(name, "x requires grad, and a Lua loop has no gradient; use it on x.data")
  end
  if C.kiln_tensor_device(x.p) ~= 0 then
    check.raise(name, "works on the CPU only, x is on %s", x.device)
  end
  for d = 1, x:dim() do
    if x:stride(d) == 0 and x:size(d) > 1 then
      check.raise(name, "elements of x (shape %s) share memory; clone it first", check.shape_text(x))
    end
  end
  local dtype = x.dtype.name
  if dtype == "float16" or dtype == "bfloat16" then
    check.raise(name, "LuaJIT cannot read %s; use x:float()", dtype)
  end
  return x
end

-- Another operand: same dtype and shape as x, on the CPU.
local function operand(y, x, name, argument)
  check.tensor(y, name, argument)
  if C.kiln_requires_grad(y.p) then
    check.raise(name, "%s requires grad, and a Lua loop has no gradient; use %s.data", argument, argument)
  end
  return y:cpu():to(x.dtype):expand(x.shape)
end

-- -- Loops -------------------------------------------------------------------------------------

-- LuaJIT makes a loop fast for the function and the type of elements that it first saw in it, so large
-- tensors get a loop of their own for each; small ones share.
local LARGE = 4096
local SOURCE = [[
return function(fn, odd, n, PARAMETERS)
  if UNIT then
    for i = 0, n - 1 do
      local v = fn(READ_UNIT)
      if type(v) ~= "number" then v = odd(v) end
      p1[i] = v
    end
  else
    local ZEROS
    for _ = 1, n do
      local v = fn(READ)
      if type(v) ~= "number" then v = odd(v) end
      p1[at1] = v
      STEP
    end
  end
end]]

-- The text of a loop over `count` operands, int64 elements of which are read as numbers if `wide`.
local function text_of(count, wide)
  local element = wide and "tonumber(p%d[%s])" or "p%d[%s]"
  local function each(format, separator)
    local parts = {}
    for k = 1, count do parts[k] = (format:gsub("#", tostring(k))) end
    return table.concat(parts, separator)
  end
  local words = {
    PARAMETERS = each("p#, s#", ", "), UNIT = each("s# == 1", " and "), READ_UNIT = element:gsub("%%d", "#"),
    ZEROS = each("at#", ", ") .. " = " .. each("0", ", "), STEP = each("at# = at# + s#", " "),
  }
  words.READ_UNIT = each(element:format(0, "i"):gsub("p0", "p#"), ", ")
  words.READ = each(element:format(0, "at#"):gsub("p0", "p#"), ", ")
  return (SOURCE:gsub("%u[%u_]+", words))
end

local shared, own = {}, setmetatable({}, { __mode = "k" }) -- own: by function

local function loop_for(fn, x, count)
  local wide = x.dtype.name == "int64"
  local key = count .. x.dtype.name
  local loops = shared
  if x:numel() >= LARGE then
    loops = own[fn] or {}
    own[fn] = loops
  end
  loops[key] = loops[key] or loadstring(text_of(count, wide), "=kiln")()
  return loops[key]
end

-- The dims of the operands (all of one shape) without those of size 1, neighbours joined where every operand
-- steps evenly through both: sizes, and for each operand strides.
local function simplified(operands)
  local x = operands[1]
  local shape, strides, n = {}, {}, 0
  for k = 1, #operands do strides[k] = {} end
  for d = 1, x:dim() do
    local size, joins = x:size(d), n > 0
    for k, t in ipairs(operands) do joins = joins and strides[k][n] == t:stride(d) * size end
    if size ~= 1 then
      n = joins and n or n + 1
      shape[n] = joins and shape[n] * size or size
      for k, t in ipairs(operands) do strides[k][n] = t:stride(d) end
    end
  end
  return shape, strides, n
end

-- Calls run(n, pointer and stride of each operand) for each run of memory along the last dim, in order.
local function each_run(operands, run)
  local numel = operands[1]:numel()
  if numel == 0 then return end
  local p = {}
  for k, t in ipairs(operands) do
    C.kiln_tensor_tidy(t.p)
    p[k] = t:data_ptr()
  end
  local shape, strides, ndim = simplified(operands)
  if ndim == 0 then return run(1, p[1], 1, p[2], 1, p[3], 1) end
  local index, at = int64s(ndim), { 0, 0, 0 }
  local function place(k)
    if p[k] then return p[k] + at[k], strides[k][ndim] end
  end
  for _ = 1, numel / shape[ndim] do
    local p1, s1 = place(1)
    local p2, s2 = place(2)
    run(shape[ndim], p1, s1, p2, s2, place(3))
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

-- What fn returned, if the elements of x can hold it.
local function fitting(v, x, name)
  if type(v) == "number" or type(v) == "cdata" and type(tonumber(v)) == "number"
    or type(v) == "boolean" and x.dtype.name == "bool" then
    return v
  end
  check.raise(name, "fn must return a number, got %s", check.got(v))
end

-- Ctrl-C is seen between two chunks: compiled loops look at no hook of Lua's.
local CHUNK = 1024

-- Runs fn over x and the other operands, and writes what it returns into x.  What was saved of x is void
-- from now on, also if fn raises half way.  Their memory stays while the loop runs, also if fn frees them
-- or gives them other memory.
local function run(name, fn, x, ...)
  local operands = { x, ... }
  local loop = loop_for(fn, x, #operands)
  local function odd(v) return fitting(v, x, name) end
  local function in_chunks(n, p1, s1, p2, s2, p3, s3)
    for from = 0, n - 1, CHUNK do
      check.poll()
      loop(fn, odd, math.min(CHUNK, n - from), p1 + from * s1, s1, p2 and p2 + from * s2, s2,
        p3 and p3 + from * s3, s3)
    end
  end
  if tracing.mark ~= nil then tracing.mark() end
  C.kiln_tensor_bump(x.p)
  C.kiln_tensor_written(x.p, C.kiln_writer(name))
  hold.during(C.KILN_HOLD_LOOP, operands, each_run, operands, in_chunks)
  return x
end

--- Replaces each element by fn(element).
---@param fn fun(v: number|boolean): number|boolean
function methods:apply_(fn)
  writable(self, "apply_")
  return run("apply_", check.fn(fn, "apply_", "fn"), self)
end

--- Replaces each element a of x by fn(a, b), b the element of y (broadcast) at the same place.
---@param y kiln.Tensor
---@param fn fun(a: number|boolean, b: number|boolean): number|boolean
function methods:map_(y, fn)
  writable(self, "map_")
  check.fn(fn, "map_", "fn")
  return run("map_", fn, self, operand(y, self, "map_", "y"))
end

--- The same with two other tensors: fn(a, b, c).
function methods:map2_(y, z, fn)
  writable(self, "map2_")
  check.fn(fn, "map2_", "fn")
  return run("map2_", fn, self, operand(y, self, "map2_", "y"), operand(z, self, "map2_", "z"))
end

--- Writes zeros everywhere.
function methods:zero_()
  local x = self:fill_(0)
  C.kiln_tensor_written(x.p, ZERO)
  return x
end

return M
