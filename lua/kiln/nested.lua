--- Nested tables of numbers as tensors on the CPU.  Values are read into float64, or into int64 where that
-- is wanted, and converted at the end.  An integer dtype drops fractions, and refuses what it cannot hold.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local size = require "kiln.size"

local is_tensor, istype, wrap = handles.is_tensor, ffi.istype, handles.wrap
local MAX_DIMS = 8

-- An uninitialised tensor (a reference); NULL when memory runs out even after a collection.
local function make(shape, ndim, dtype)
  local p = bind.make(C.kiln_tensor_new, shape, ndim, dtype, 0)
  if p == nil then check.raise_core("tensor", true) end
  return p
end

local function ragged(shape, depth, where, v)
  local place = #where > 0 and "[" .. table.concat(where, "][") .. "]" or ""
  if depth > #shape then
    check.raise("tensor", "the table is ragged: data%s is %s, its neighbours are numbers", place,
      check.got(v))
  elseif type(v) ~= "table" then
    check.raise("tensor", "the table is ragged: data%s is %s, its neighbours are tables of %d", place,
      check.got(v), shape[depth])
  end
  check.raise("tensor", "the table is ragged: data%s has %d entries, its neighbours have %d", place, #v,
    shape[depth])
end

-- The shape of nested tables, read along the first entries.
local function shape_of(data)
  local shape, v = {}, data
  while type(v) == "table" do
    shape[#shape + 1] = #v
    if #shape > MAX_DIMS then check.raise("tensor", "tables are nested deeper than %d", MAX_DIMS) end
    if #v == 0 and next(v) ~= nil then
      check.raise("tensor", "the data has the key '%s'; it must be nested lists of numbers",
        tostring(next(v)))
    end
    v = v[1]
    if v == nil then break end
  end
  return shape
end

-- A value of a table that is not a number: what it counts as.
local function odd_value(v, seen, where, i, exact)
  if type(v) == "boolean" then
    seen.bool = true
    return v and 1 or 0
  end
  if is_tensor(v) then
    check.tensor(v, "tensor", "data")
    if v:numel() ~= 1 then
      check.raise("tensor", "data[%d] has shape %s; only tensors of one element can stand in a table; "
        .. "kiln.stack joins others", i, check.shape_text(v))
    end
    if not seen.cuts and C.kiln_grad_enabled() and C.kiln_requires_grad(v.p) then
      check.raise("tensor", "data[%d] requires grad, and its gradient would be lost; kiln.stack keeps it, "
        .. "x:item() is the number", i)
    end
    return odd_value(v:item(), seen, where, i, exact)
  end
  if type(v) == "number" then
    seen.number = true
    return v
  end
  if type(v) == "cdata" and (istype("int64_t", v) or istype("uint64_t", v)) then
    seen.int64 = true
    return exact and v or tonumber(v)
  end
  where[#where + 1] = i
  check.raise("tensor", "data[%s] must be a number, got %s", table.concat(where, "]["), check.got(v))
end

local function misfit(v, where, i, dtype)
  where[#where + 1] = i
  check.raise("tensor", "data[%s] is %s, which %s cannot hold", table.concat(where, "]["),
    type(v) == "number" and ("%.14g"):format(v) or tostring(v), dtypes.by_code[dtype].name)
end

-- Writes a list of numbers between two; the place of the first that is none, or nil.
local function write_numbers(p, t, n, below, above)
  for i = 1, n do
    local v = t[i]
    if type(v) ~= "number" or below and not (v > below and v < above) then return i end
    p[i - 1] = v
  end
end

local CHUNK = 4096 -- rows between two looks for Ctrl-C
local NARROW = 16 -- a row of so few numbers is written without a loop of its own

-- Writes rows first..last of t, `width` numbers each, to p; the first row that is not such a one, or nil.
local ROWS = [[return function(p, t, first, last, below, above)
  for i = first, last do
    local row = t[i]
    if type(row) ~= "table" or #row ~= WIDTH or row[WIDTH + 2] ~= nil then return i end
    local VALUES = ENTRIES
    if not (CHECK) then return i end
    WRITE
  end
end]]
local PLACES = {
  VALUES = "v%d", ENTRIES = "row[%d]", WRITE = "p[(i - 1) * WIDTH + %d - 1] = v%d",
  CHECK = 'type(v%d) == "number"', BOUNDED = 'type(v%d) == "number" and v%d > below and v%d < above',
}
local SEPARATOR = { CHECK = " and ", BOUNDED = " and ", WRITE = "; " }
local writers = {}

local function writer_of(width, bounded)
  local key = bounded and -width or width
  if not writers[key] then
    local source = bounded and ROWS:gsub("CHECK", "BOUNDED") or ROWS
    for name, text in pairs(PLACES) do
      local list = {}
      for k = 1, width do list[k] = text:gsub("%%d", k) end
      source = source:gsub(name, table.concat(list, SEPARATOR[name] or ", "))
    end
    writers[key] = loadstring(source:gsub("WIDTH", width), "=kiln")()
  end
  return writers[key]
end
jit.off(writer_of) -- walks a table: docs/architecture.md, "LuaJIT"

-- The first of the n rows of t that write_level has to look at: all before it are lists of numbers, written.
local function write_rows(p, t, n, width, below, above)
  local write = writer_of(width, below ~= nil)
  for first = 1, n, CHUNK do
    check.poll()
    local odd = write(p, t, first, math.min(first + CHUNK - 1, n), below, above)
    if odd then return odd end
  end
  return n + 1
end

local function write_level(p, t, shape, depth, where, seen, exact, wanted)
  local n = shape[depth]
  if type(t) ~= "table" or #t ~= n then ragged(shape, depth, where, t) end
  if t[n + 2] ~= nil then -- a hole ends a list where Lua likes; one entry wide it can be told
    where[#where + 1] = n + 1
    check.raise("tensor", "data[%s] is nil, but the list goes on", table.concat(where, "]["))
  end
  if depth == #shape then
    local below, above
    if wanted then below, above = dtypes.by_code[wanted].below, dtypes.by_code[wanted].above end
    local odd = write_numbers(p, t, n, below, above)
    if not odd or odd > 1 then seen.number = true end
    for i = odd or n + 1, n do
      local v = t[i]
      if type(v) == "table" then
        where[#where + 1] = i
        ragged(shape, depth + 1, where, v)
      end
      v = odd_value(v, seen, where, i, exact)
      if type(v) == "number" and below and not (v > below and v < above)
        or istype("uint64_t", v) and v > 0x7fffffffffffffffULL then
        misfit(v, where, i, wanted)
      end
      p[i - 1] = v
    end
    return p + n
  end
  local level, from, width = #where + 1, 1, shape[depth + 1]
  if depth == #shape - 1 and width > 0 and width <= NARROW then
    local d = wanted and dtypes.by_code[wanted]
    from = write_rows(p, t, n, width, d and d.below, d and d.above)
    if from > 1 then seen.number = true end
    p = p + (from - 1) * width
  end
  for i = from, n do
    where[level] = i
    p = write_level(p, t[i], shape, depth + 1, where, seen, exact, wanted)
    where[level] = nil
  end
  return p
end

-- What the numbers of a table were, as a dtype.
local function inferred(seen)
  if seen.bool and not seen.number and not seen.int64 then return C.KILN_BOOL end
  if seen.int64 and not seen.number then return C.KILN_INT64 end
  return C.kiln_default_dtype()
end

--- A tensor (a reference) of nested tables; wanted: the code of a dtype, or nil for what the values were;
--- cuts: tensors in the tables may require grad, which the result knows nothing of.
local function from_table(data, wanted, cuts)
  local shape = shape_of(data)
  local c_shape, ndim = size.to_c(shape)
  local exact = wanted == C.KILN_INT64
  local seen = { cuts = cuts }
  local staging = wrap(make(c_shape, ndim, exact and C.KILN_INT64 or C.KILN_FLOAT64))
  local n = staging:numel()
  if n > 0 then write_level(staging:data_ptr(), data, shape, 1, {}, seen, exact, wanted) end
  if seen.int64 and not exact and wanted == nil and inferred(seen) == C.KILN_INT64 then
    staging:free()
    return from_table(data, C.KILN_INT64, cuts)
  end
  local dtype = wanted or inferred(seen)
  if dtype == staging.dtype.code then
    local p = C.kiln_tensor_retain(staging.p)
    staging:free()
    return p
  end
  local p = make(c_shape, ndim, dtype)
  C.kiln_convert(C.kiln_tensor_data(p), dtype, C.kiln_tensor_data(staging.p), C.KILN_FLOAT64, n)
  staging:free()
  return p
end

return from_table
