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

-- Another operand in the shape of x, on the CPU, as LuaJIT can read it.
local function operand(y, x, name, argument)
  check.tensor(y, name, argument)
  if C.kiln_requires_grad(y.p) then
    check.raise(name, "%s requires grad, and a Lua loop has no gradient; use %s.data", argument, argument)
  end
  local half = y.dtype.itemsize == 2 and y.dtype.is_floating_point
  return (half and y:float() or y):cpu():expand(x.shape)
end

-- -- Loops -------------------------------------------------------------------------------------

-- A loop over all elements, row by row, written for how the operands lie.  LuaJIT makes it fast for the
-- function and the type of elements that it first saw in it, so large tensors get a loop of their own for
-- each; small ones share.  Ctrl-C is seen between two chunks: compiled loops look at no hook of Lua's.
local LARGE, CHUNK = 4096, 1024
local FEW, BLOCK = 7, 4 -- rows of so few elements are written out, longer ones get a loop over blocks
local SOURCE = [[
local EXACT = 2LL ^ 53
return function(fn, odd, poll, n, chunk, below, above, PARAMETERS)
  local PLACES
  for from = 0, n - 1, chunk do
    poll()
    for i = from, from + chunk < n and from + chunk - 1 or n - 1 do
      BODY
      STEP
    end
  end
end]]

-- The text for one element; at(k) is its place in operand k, wide[k]: int64 is read as a number where that is
-- exact.  What fn gives must lie between `below` and `above` if `bounded`.
local function element_text(count, at, from, wide, bounded)
  local lines, values = { "do" }, {}
  for k = 1, count do
    values[k] = "v" .. k
    lines[#lines + 1] = ("local v%d = %s%d[%s]"):format(k, from, k, at(k))
    if wide[k] then
      lines[#lines + 1] = ("if v@ <= EXACT and v@ >= -EXACT then v@ = tonumber(v@) end"):gsub("@", k)
    end
  end
  lines[#lines + 1] = ("local v = fn(%s)"):format(table.concat(values, ", "))
  lines[#lines + 1] = ("if type(v) ~= 'number'%s then v = odd(v) end"):format(
    bounded and " or not (v > below and v < above)" or "")
  lines[#lines + 1] = ("%s1[%s] = v end"):format(from, at(1))
  return table.concat(lines, " ")
end

-- The text of a loop over the blocks of a row, and of what is left of it.  j and left are places of operand
-- 1, jK those of operands that step otherwise.  No pointers to rows: LuaJIT would allocate them.
local function row_text(layout, place, element)
  local lines, step, go_on = {}, layout.apart[1] == 1 and "" or " * u1", ""
  local function add(format, ...) lines[#lines + 1] = format:format(...) end
  for k = 2, #layout.steps do
    if layout.apart[k] ~= layout.apart[1] and not layout.still[k] then
      add("local j%d = %s", k, place(k))
      go_on = ("%s j%d = j%d + %d * u%d"):format(go_on, k, k, BLOCK, k)
    elseif layout.same[k] ~= 1 and not layout.still[k] then
      add("local d%d = %s - %s", k, place(k), place(1))
    end
  end
  local function elements(from, count)
    for i = 0, count - 1 do
      lines[#lines + 1] = element(function(k)
        if layout.still[k] then return place(k) end
        if layout.apart[k] ~= layout.apart[1] then return ("j%d + %d * u%d"):format(k, i, k) end
        return ("%s%s + %d%s"):format(from, layout.same[k] == 1 and "" or " + d" .. k, i, step)
      end)
    end
  end
  add("for j = %s, %s + m%s, %d%s do", place(1), place(1), step, BLOCK, step)
  elements("j", BLOCK)
  add("%s end", go_on)
  if layout.left > 0 then
    add("local left = %s + (m + %d)%s", place(1), BLOCK, step)
    elements("left", layout.left)
  end
  return table.concat(lines, " ")
end

-- The text for what stands at the places at1, at2, ...: an element; or a row of m of them, u1, u2, ... apart.
local function body_text(layout, wide, bounded)
  local count = #layout.steps
  local function text(at, from) return element_text(count, at, from, wide, bounded) end
  local function place(k) return layout.ndim == 0 and "i" or "at" .. layout.same[k] end
  if layout.row == "none" then return text(place, "p") end
  if layout.row == "written" then
    local lines = {}
    for j = 0, layout.m - 1 do
      local function at(k) return j == 0 and place(k) or ("%s + %d * u%d"):format(place(k), j, k) end
      lines[j + 1] = text(at, "p")
    end
    return table.concat(lines, " ")
  end
  return row_text(layout, place, function(at) return text(at, "p") end)
end

-- From one place to the next along dim d, and where that dim ends (endN, a place of operand 1, which never
-- stands still) along the one before.
local function step_text(layout, d)
  local lines = {}
  for k, steps in ipairs(layout.steps) do
    if layout.same[k] == k and steps[d] ~= 0 then
      lines[#lines + 1] = ("at%d = at%d + s%d_%d"):format(k, k, k, d)
    end
  end
  if d > 1 then
    lines[#lines + 1] = ("if at1 == end%d then %s end%d = at1 + n%d end"):format(d,
      step_text(layout, d - 1), d, d)
  end
  return table.concat(lines, " ")
end

local function text_of(layout, wide, bounded)
  local parameters, places, begin = { "m" }, { "_" }, { "0" }
  for d = 2, layout.ndim do
    parameters[d] = "n" .. d
    places[d], begin[d] = "end" .. d, "n" .. d
  end
  for k, steps in ipairs(layout.steps) do
    parameters[#parameters + 1], parameters[#parameters + 2] = "p" .. k, "u" .. k
    for d = 1, #steps do parameters[#parameters + 1] = ("s%d_%d"):format(k, d) end
    if layout.ndim > 0 and layout.same[k] == k then
      places[#places + 1], begin[#begin + 1] = "at" .. k, "0"
    end
  end
  local words = {
    PARAMETERS = table.concat(parameters, ", "), BODY = body_text(layout, wide, bounded),
    PLACES = table.concat(places, ", ") .. " = " .. table.concat(begin, ", "),
    STEP = layout.ndim > 0 and step_text(layout, layout.ndim) or "",
  }
  return (SOURCE:gsub("%u%u+", words))
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

-- How to go through operands.  row: the last dim is a place each, or rows of m elements, `apart`, that are
-- written out or get a loop over blocks, with some left.  steps: those of places along `ndim` dims, less what
-- the dims behind have gone; same[k]: the first operand with the places of operand k; still[k]: it does not
-- move within a row.
local function layout_of(operands)
  local shape, strides, ndim = simplified(operands)
  local layout = { row = "none", m = shape[ndim] or 1, ndim = ndim, shape = shape, step1 = strides[1],
    steps = {}, same = {}, still = {}, apart = {} }
  local contiguous = ndim <= 1
  for k = 1, #operands do
    layout.apart[k] = strides[k][ndim] or 1
    layout.still[k] = layout.apart[k] == 0
    contiguous = contiguous and layout.apart[k] == 1
  end
  if contiguous then
    layout.ndim = 0
  elseif ndim > 1 then
    layout.row, layout.ndim = layout.m <= FEW and "written" or "loop", ndim - 1
  end
  layout.left = layout.row == "loop" and layout.m % BLOCK or 0
  local detail = layout.row == "written" and layout.m or layout.apart[1] == 1 and 1 or 0
  local key, first = { layout.row, detail, layout.left }, {}
  for k = 1, #operands do
    local steps = {}
    for d = 1, layout.ndim do
      steps[d] = strides[k][d] - (d < layout.ndim and shape[d + 1] * strides[k][d + 1] or 0)
    end
    local text = table.concat(steps, " ")
    first[text] = first[text] or k
    layout.steps[k], layout.same[k] = steps, first[text]
    local along = layout.still[k] and "=" or layout.apart[k] == layout.apart[1] and "+" or ""
    key[#key + 1] = first[text] .. along
    for d = 1, layout.ndim do key[#key + 1] = steps[d] == 0 and "0" or "+" end
  end
  layout.key = table.concat(key, " ")
  return layout
end

local shared, own = {}, setmetatable({}, { __mode = "k" }) -- own: by function

local function loop_for(fn, operands, layout)
  local loops, key, wide = shared, { layout.key }, {}
  local x = operands[1]
  if x:numel() >= LARGE then
    loops = own[fn] or {}
    own[fn] = loops
  end
  for k, t in ipairs(operands) do
    wide[k] = t.dtype.name == "int64"
    key[k + 1] = t.dtype.name
  end
  key = table.concat(key, " ")
  loops[key] = loops[key] or loadstring(text_of(layout, wide, x.dtype.below ~= nil), "=kiln")()
  return loops[key]
end

-- What fn returned that is not a number within bounds, if the elements of x can hold it.
local function fitting(v, x, name)
  local dtype = x.dtype
  local number = type(v) == "number" and v or type(v) == "cdata" and tonumber(v)
    or type(v) == "boolean" and dtype.name == "bool" and 0
  if type(number) ~= "number" then check.raise(name, "fn must return a number, got %s", check.got(v)) end
  local fits = not dtype.below or number > dtype.below and number < dtype.above
  if not fits or ffi.istype("uint64_t", v) and v > 0x7fffffffffffffffULL then
    check.raise(name, "fn returned %s, which %s cannot hold", type(v) == "number" and ("%.14g"):format(v)
      or tostring(v), dtype.name)
  end
  return v
end

-- Runs fn over x and the other operands, and writes what it returns into x.  What was saved of x is void
-- from now on, also if fn raises half way.  Their memory stays while the loop runs, also if fn frees them
-- or gives them other memory.
local function run(name, fn, x, ...)
  if x:numel() == 0 then return x end
  local operands = { x, ... }
  local layout = layout_of(operands)
  local m = layout.row == "none" and 1 or layout.m
  local given = { math.max(1, math.floor(CHUNK / m)), x.dtype.below or 0, x.dtype.above or 0,
    layout.m - layout.left - BLOCK }
  for d = 2, layout.ndim do given[#given + 1] = layout.shape[d] * layout.step1[d] end
  for k, t in ipairs(operands) do
    C.kiln_tensor_tidy(t.p)
    given[#given + 1], given[#given + 2] = t:data_ptr(), layout.apart[k]
    for _, step in ipairs(layout.steps[k]) do given[#given + 1] = step end
  end
  local function odd(v) return fitting(v, x, name) end
  if tracing.mark ~= nil then tracing.mark() end
  C.kiln_tensor_bump(x.p)
  C.kiln_tensor_written(x.p, C.kiln_writer(name))
  hold.during(C.KILN_HOLD_LOOP, operands, loop_for(fn, operands, layout), fn, odd, check.poll, x:numel() / m,
    unpack(given))
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

--- Writes one value along the main diagonal: of a matrix, or of dims that are all of one size.
---@param value number|boolean|kiln.Tensor
function methods:fill_diagonal_(value)
  local x = check.tensor(self, "fill_diagonal_", "self")
  local ndim, step = x:dim(), 0
  if ndim < 2 then
    check.raise("fill_diagonal_", "at least 2 dims are needed, the shape is %s", check.shape_text(x))
  end
  local n = math.min(x:size(1), x:size(2))
  for d = 1, ndim do
    if ndim > 2 and x:size(d) ~= x:size(1) then
      check.raise("fill_diagonal_", "more than 2 dims must have one size, the shape is %s",
        check.shape_text(x))
    end
    step = step + x:stride(d)
  end
  x:as_strided({ n }, { step }, x:storage_offset()):fill_(value)
  return x
end

--- Writes zeros everywhere.
function methods:zero_()
  local x = self:fill_(0)
  C.kiln_tensor_written(x.p, ZERO)
  return x
end

return M
