--- Lua functions as kernels: x:apply_(fn), x:map_(y, fn), x:map2_(y, z, fn).
-- Loops over memory in Lua, at the speed that LuaJIT gives them: no allocation, no op an element.
-- CPU only; tensors that require grad are refused, for such a loop has no gradient.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local convert = require "kiln.convert"
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
  return convert.tidied((half and y:float() or y):cpu()):expand(x.shape)
end

-- -- Loops -------------------------------------------------------------------------------------

-- A loop over a tile of elements.  LuaJIT makes it fast for the function and the type of elements that it
-- first saw in it, so large tensors get a loop of their own for each; small ones share.  Where the elements
-- of a tile lie is an array of places, the same for all tiles, so that rows may be as short as they like; of
-- rows that lie in one piece, neither short nor endless, only the first element's place stands there.
-- Ctrl-C is seen between two tiles: compiled loops look at no hook of Lua's.
local LARGE, TILE = 4096, 2048
local SHORT, ENDLESS = 64, 2 ^ 18
local SOURCE = [[
local EXACT = 2LL ^ 53
return function(fn, odd, below, above, p, at, places, first, last, m)
  HEAD
  for i = first, last do BODY end
end]]
local ROW = "%s for j = 0, m - 1 do %s end"

-- The text of the loop.  wide[k]: int64 is read as a number where that is exact.  What fn gives must lie
-- between `below` and `above` if `bounded`.
local function text_of(layout, count, wide, bounded)
  local head, row, body, values = {}, {}, {}, {}
  local function place(k)
    local same = layout.same[k]
    if layout.even then return "i" end
    if not layout.m then return ("at%d + places%d[i]"):format(same, same) end
    return ("row%d%s"):format(same, layout.still[k] and "" or " + j")
  end
  for k = 1, count do
    values[k] = "v" .. k
    head[#head + 1] = ("local p@ = p[@]"):gsub("@", k)
    if not layout.even and layout.same[k] == k then
      head[#head + 1] = ("local at@, places@ = at[@], places[@]"):gsub("@", k)
      row[#row + 1] = ("local row@ = at@ + places@[i]"):gsub("@", k)
    end
    body[#body + 1] = ("local v%d = p%d[%s]"):format(k, k, place(k))
    if wide[k] then
      body[#body + 1] = ("if v@ <= EXACT and v@ >= -EXACT then v@ = tonumber(v@) end"):gsub("@", k)
    end
  end
  body[#body + 1] = ("local v = fn(%s)"):format(table.concat(values, ", "))
  body[#body + 1] = ("if type(v) ~= 'number'%s then v = odd(v) end"):format(
    bounded and " or not (v > below and v < above)" or "")
  body[#body + 1] = ("p1[%s] = v"):format(place(1))
  local words = { HEAD = table.concat(head, " "), BODY = table.concat(body, " ") }
  if layout.m then words.BODY = ROW:format(table.concat(row, " "), words.BODY) end
  return (SOURCE:gsub("%f[%u]%u%u%u%u%f[%U]", words))
end

-- The dims of the operands (all of one shape) without those of size 1, neighbours joined where every operand
-- steps evenly through both: sizes (one at least), for each operand strides, and how many.
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
  if n == 0 then
    shape[1] = 1
    for k = 1, #operands do strides[k][1] = 1 end
  end
  return shape, strides, math.max(n, 1)
end

-- The places of one operand in a tile, and their type.
local function places_of(layout, strides)
  local sizes, reach, ndim = { [layout.cut] = layout.rows }, 0, #layout.shape
  for d = layout.cut, ndim do
    sizes[d] = sizes[d] or layout.shape[d]
    reach = reach + (sizes[d] - 1) * strides[d]
  end
  local type = reach < 2^31 and "int32_t[?]" or "double[?]"
  local places, n = ffi.new(type, layout.rows * layout.inner), 1
  for d = ndim, layout.cut, -1 do
    for j = 1, sizes[d] - 1 do
      for i = 0, n - 1 do places[j * n + i] = places[i] + j * strides[d] end
    end
    n = n * sizes[d]
  end
  return places, type
end

-- How to go through operands.  even: place i of each holds element i.  Otherwise a tile is `rows` or less
-- along dim `cut` with all behind it, `inner` places each; places[k] are those of operand k, or of the
-- operand same[k] before it.  m: at a place stands a row of so many elements,
-- of which operand k has but one if still[k].
local function layout_of(operands)
  local shape, strides, ndim = simplified(operands)
  local layout = { shape = shape, strides = strides, cut = ndim, inner = 1, even = ndim == 1, same = {},
    places = {}, still = {} }
  local pieces = ndim > 1
  for k = 1, #operands do
    layout.even = layout.even and strides[k][1] == 1
    layout.still[k] = strides[k][ndim] == 0
    pieces = pieces and (strides[k][ndim] == 0 or strides[k][ndim] == 1)
  end
  if pieces and shape[ndim] >= SHORT and shape[ndim] <= ENDLESS then
    layout.m, shape[ndim], layout.cut = shape[ndim], nil, ndim - 1
  end
  local most = math.max(1, math.floor(TILE / (layout.m or 1)))
  while layout.cut > 1 and layout.inner * shape[layout.cut] <= most do
    layout.inner, layout.cut = layout.inner * shape[layout.cut], layout.cut - 1
  end
  local size = shape[layout.cut]
  layout.rows = math.ceil(size / math.ceil(size / math.floor(most / layout.inner)))
  local key, first = { layout.even and "even" or layout.m and "rows" or "" }, {}
  for k = 1, layout.even and 0 or #operands do
    local text = table.concat(strides[k], " ")
    if not first[text] then
      first[text] = k
      layout.places[k], key[#key + 1] = places_of(layout, strides[k])
    end
    layout.same[k], key[#key + 1] = first[text], first[text]
    if layout.m then key[#key + 1] = tostring(layout.still[k]) end
  end
  layout.key = table.concat(key, " ")
  return layout
end

-- Runs loop(first, last) for one tile after the other, at[k] where it begins in operand k.
local function tile_by_tile(layout, at, loop, fn, odd, below, above, p)
  local shape, strides, cut, rows, inner = layout.shape, layout.strides, layout.cut, layout.rows, layout.inner
  local done = {}
  for d = 1, cut do done[d] = 0 end
  local d = cut
  while d > 0 do
    check.poll()
    local n = inner * math.min(rows, shape[cut] - done[cut])
    local first = layout.even and done[1] or 0
    loop(fn, odd, below, above, p, at, layout.places, first, first + n - 1, layout.m)
    d = cut
    while d > 0 do
      local go_on = d == cut and rows or 1
      done[d] = done[d] + go_on
      local back = done[d] >= shape[d] and done[d] or 0
      done[d] = done[d] - back
      for k = 1, #at do at[k] = at[k] + (go_on - back) * strides[k][d] end
      if back == 0 then break end
      d = d - 1
    end
  end
end

jit.off(tile_by_tile) -- every loop would be a branch of one trace

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
  loops[key] = loops[key] or loadstring(
    text_of(layout, #operands, wide, x.dtype.below ~= nil), "=kiln")()
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
  local pointers, at = {}, {}
  C.kiln_tensor_tidy(x.p)
  for k, t in ipairs(operands) do
    pointers[k], at[k] = t:data_ptr(), 0
  end
  local function odd(v) return fitting(v, x, name) end
  if tracing.mark ~= nil then tracing.mark() end
  C.kiln_tensor_bump(x.p)
  C.kiln_tensor_written(x.p, C.kiln_writer(name))
  hold.during(C.KILN_HOLD_LOOP, operands, tile_by_tile, layout, at, loop_for(fn, operands, layout), fn, odd,
    x.dtype.below or 0, x.dtype.above or 0, pointers)
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

--- Writes one value along the main diagonal: of a matrix, or of dims that are all of one size.  wrap: of a
--- matrix with more rows, one row below its end it begins anew.
---@param value number|boolean|kiln.Tensor
---@param wrap? boolean|{ wrap: boolean }
function methods:fill_diagonal_(value, wrap)
  local x = check.tensor(self, "fill_diagonal_", "self")
  local ndim, step = x:dim(), 0
  if type(wrap) == "table" then wrap = check.options(wrap, { wrap = 1 }, "fill_diagonal_").wrap end
  if wrap ~= nil then check.bool(wrap, "fill_diagonal_", "wrap") end
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
  local below = ndim == 2 and x:size(1) - x:size(2) - 1 or 0
  if wrap and below > 0 and n > 0 then x:narrow(1, n + 2, below):fill_diagonal_(value, true) end
  return x
end

--- Writes zeros everywhere.
function methods:zero_()
  local x = self:fill_(0)
  C.kiln_tensor_written(x.p, ZERO)
  return x
end

return M
