--- Makes Lua functions from the rows of the op table.
-- A function is written as source and compiled the first time somebody asks for it: straight code
-- that tests its arguments, calls C and wraps the result, so that LuaJIT compiles a loop over it
-- to machine code.  What is not plain positional arguments goes to args.lua and comes back plain.
-- emit.lua writes the source; here are the helpers it calls.  It refuses to know any op by name, but
-- for copy_, which writes the `out` option.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local args = require "kiln.args"
local check = require "kiln.check"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local emit = require "kiln.emit"
local handles = require "kiln.handles"
local ops = require "kiln.ops"
local tracing = require "kiln.tracing"

local M = {}

local Handle, istype, is_tensor = handles.Handle, ffi.istype, handles.is_tensor

local MAX_LIST, MAX_OUT = 16, 6

-- -- Helpers of the generated code ---------------------------------------------------------------

local LIMIT = 2 ^ 53

local function whole(v) return v % 1 == 0 and v < LIMIT and v > -LIMIT end

local int64, uint64 = ffi.typeof "int64_t", ffi.typeof "uint64_t"

local INT64_END = 2 ^ 63

--- After a failed call: true when memory ran out and collecting may have helped.
local function retry()
  if C.kiln_error_code() ~= C.KILN_ENOMEM then return false end
  C.kiln_error_clear()
  handles.collect()
  return true
end
M.retry = retry

--- A Lua number, boolean or int64 as a lent 0-dim tensor, or nil: what is whole, and int64 can hold, is an
--- integer.  For who holds what must be released first when memory runs out: that is NULL here, and every
--- op of the core passes it on as its failure.
local function lend(v)
  local kind = type(v)
  if kind == "number" then
    if v % 1 == 0 and v < INT64_END and v >= -INT64_END and (v ~= 0 or 1 / v > 0) then
      return C.kiln_number_int(v)
    end
    return C.kiln_number(v)
  elseif kind == "boolean" then
    return C.kiln_number_int(v and 1 or 0)
  elseif kind == "cdata" and istype(int64, v) then
    return C.kiln_number_int(v)
  elseif kind == "cdata" and istype(uint64, v) then
    if v >= 0x8000000000000000ULL then return C.kiln_number(tonumber(v)) end
    return C.kiln_number_int(v)
  end
end
M.lend = lend

--- The same; raises when memory runs out.
local function number(v)
  local p = lend(v)
  if p == nil and type(p) == "cdata" then
    if retry() then p = lend(v) end
    if p == nil then check.raise_core() end
  end
  return p
end
M.number = number

--- The same as a tensor of its own, for composites: it still does not decide a dtype.
local function boxed(v)
  local p = number(v)
  if p ~= nil then return handles.wrap(C.kiln_tensor_retain(p)) end
end

-- The buffers that lists travel in; C reads them during the call only.
local buffers, lent = {}, {} -- lent: handles that numbers travel in, one an argument
for i = 1, 4 do buffers[i] = ffi.new("int64_t[?]", MAX_LIST) end
for i = 1, 16 do lent[i] = Handle() end
local outs = ffi.new("kiln_tensor *[?]", MAX_OUT)

--- Writes a list (or one number) into buf; returns its length, or nil when it is not one.
local function fill(buf, v)
  if type(v) == "number" then
    if not whole(v) then return nil end
    buf[0] = v
    return 1
  end
  if type(v) ~= "table" then return nil end
  local n = #v
  if n > MAX_LIST or (n == 0 and next(v) ~= nil) then return nil end
  for i = 1, n do
    local e = v[i]
    if type(e) ~= "number" or not whole(e) then return nil end
    buf[i - 1] = e
  end
  return n
end

--- The same for axes: from 1 to 0-based, negative ones stay.
local function fill_axes(buf, v)
  if type(v) == "number" then
    if v == 0 or not whole(v) then return nil end
    buf[0] = v > 0 and v - 1 or v
    return 1
  end
  if type(v) ~= "table" then return nil end
  local n = #v
  if n > MAX_LIST or (n == 0 and next(v) ~= nil) then return nil end
  for i = 1, n do
    local e = v[i]
    if type(e) ~= "number" or e == 0 or not whole(e) then return nil end
    buf[i - 1] = e > 0 and e - 1 or e
  end
  return n
end

--- Writes x:view(2, 3)'s numbers into buf; nil when one is not a number or there are too many.
local function spread(buf, axes, a, b, c, d, e, f, g, h, more)
  local fill_one = axes and fill_axes or fill
  if more ~= nil or type(a) ~= "number" or not fill_one(buf, a) then return nil end
  if b == nil then return 1 end
  if type(b) ~= "number" or not fill_one(buf + 1, b) then return nil end
  if c == nil then return 2 end
  if type(c) ~= "number" or not fill_one(buf + 2, c) then return nil end
  if d == nil then return 3 end
  if type(d) ~= "number" or not fill_one(buf + 3, d) then return nil end
  if e == nil then return 4 end
  if type(e) ~= "number" or not fill_one(buf + 4, e) then return nil end
  if f == nil then return 5 end
  if type(f) ~= "number" or not fill_one(buf + 5, f) then return nil end
  if g == nil then return 6 end
  if type(g) ~= "number" or not fill_one(buf + 6, g) then return nil end
  if h == nil then return 7 end
  if type(h) ~= "number" or not fill_one(buf + 7, h) then return nil end
  return 8
end

local pointer_lists, pointer_capacity = {}, { -1, -1, -1, -1 } -- an empty list has a buffer, too

--- Writes the pointers of a table of tensors into the k-th pointer buffer, which it returns with
--- the length; nil when it is not such a table.
local function pointers(k, v)
  if type(v) ~= "table" or getmetatable(v) ~= nil then return nil end
  local n = #v
  if n == 0 and next(v) ~= nil then return nil end
  if n > pointer_capacity[k] then
    pointer_capacity[k] = math.max(64, 2 * n)
    pointer_lists[k] = ffi.new("kiln_tensor *[?]", pointer_capacity[k])
  end
  local buf = pointer_lists[k]
  for i = 1, n do
    local h = v[i]
    if not is_tensor(h) or h.p == nil then return nil end
    buf[i - 1] = h.p
  end
  return buf, n
end
for k = 1, 4 do pointers(k, {}) end
M.pointers = pointers

--- Calls a C function that makes something; collects and tries again when memory runs out.
function M.make(f, ...)
  local p = f(...)
  if p == nil and retry() then p = f(...) end
  return p
end

--- The same as a handle; raises what the core says in the name of `name` when nothing was made.
function M.made(name, f, ...)
  local p = M.make(f, ...)
  if p == nil then check.raise_core(name) end
  return handles.wrap(p)
end

local function freed_of(v)
  if is_tensor(v) then return v.p == nil and v or nil end
  if type(v) == "table" and getmetatable(v) == nil then
    for _, e in pairs(v) do if is_tensor(e) and e.p == nil then return e end end
  end
end
jit.off(freed_of) -- walks a table: docs/architecture.md, "LuaJIT"

--- Raises what a failed call of op `name` with these arguments has to say.
local function fail(name, ...)
  for i = 1, select("#", ...) do
    local freed = freed_of((select(i, ...)))
    if freed then
      C.kiln_error_clear()
      check.raise(name, handles.why_freed(freed))
    end
  end
  check.raise_core(name)
end

-- The same for a row that may take other arguments instead.
local function fail_or_change(b)
  local function again(...)
    C.kiln_error_clear()
    return b.run(...)
  end
  return function(name, ...)
    for i = 1, select("#", ...) do
      if freed_of((select(i, ...))) then fail(name, ...) end
    end
    local changed = { b.row.instead(...) }
    if #changed == 0 then fail(name, ...) end
    return again(unpack(changed))
  end
end

-- -- The `out` option --------------------------------------------------------------------------

local shape_buffer = ffi.new("int64_t[?]", MAX_LIST)

local function same_shape(a, b)
  local n = C.kiln_tensor_ndim(a.p)
  if C.kiln_tensor_ndim(b.p) ~= n then return false end
  for i = 0, n - 1 do
    if C.kiln_tensor_size(a.p, i) ~= C.kiln_tensor_size(b.p, i) then return false end
  end
  return true
end

-- Whether h is one of the arguments, or in a list that is.
local is_given
function is_given(h, given)
  for _, v in pairs(given) do
    if rawequal(v, h) or type(v) == "table" and getmetatable(v) == nil and is_given(h, v) then return true end
  end
  return false
end
jit.off(is_given)

--- Writes `result` into `out`, which takes its shape; frees it, unless it is one of the arguments.
local function write_out(name, out, result, given)
  if not is_tensor(result) then check.raise(name, "returns no tensor, so it takes no out") end
  check.tensor(out, name, "out")
  if C.kiln_requires_grad(out.p) or C.kiln_requires_grad(result.p) then
    check.raise(name, "out = takes no part in autograd; use it under kiln.no_grad")
  end
  local to = dtypes.by_code[C.kiln_tensor_dtype(out.p)]
  local from = dtypes.by_code[C.kiln_tensor_dtype(result.p)]
  if from.is_floating_point and not to.is_floating_point then
    check.raise(name, "out is %s, which cannot hold the result's %s", to.name, from.name)
  end
  if not same_shape(out, result) then
    local n = C.kiln_tensor_ndim(result.p)
    for i = 0, n - 1 do shape_buffer[i] = C.kiln_tensor_size(result.p, i) end
    check.status(C.kiln_tensor_resize(out.p, shape_buffer, n), name)
  end
  check.status(C.kiln_copy_(out.p, result.p, 0), name)
  if not is_given(result, given) then result:free() end
  return out
end

local function deliver(name, out, given, ...)
  if select("#", ...) == 1 then return write_out(name, out, (...), given) end
  if type(out) ~= "table" or #out ~= select("#", ...) then
    check.raise(name, "out must be a table of %d tensors, got %s", select("#", ...), check.got(out))
  end
  local results = { ... }
  for i = 1, #out do results[i] = write_out(name, out[i], results[i], given) end
  return unpack(results, 1, #out)
end

-- The last argument of a call that args.lua has made plain.
local PLAIN = {}

--- Runs a call that is not plain: b is { row, name, run, has_out }, n the number of parameters,
--- `given` their values (built by the caller: LuaJIT 2.1 is very slow at { ... } with nils in it).
local function slow(b, n, given)
  if given[n] == PLAIN then check.raise(b.name, "a table of options must be the last argument") end
  local form = b.row.form and b.row.form(b.run, b.name, given, n)
  if form then return form() end
  local out, with_tensors, special
  given, out, with_tensors, special = args.canonical(b, given, n)
  local run, count = b.run, n
  if with_tensors then
    run, count = b.with_tensors, #b.row.parsed
  else
    given[n] = PLAIN
  end
  if special then run = b.with(run, special, #b.row.parsed) end
  if out == nil then return run(unpack(given, 1, count)) end
  return deliver(b.name, out, given, run(unpack(given, 1, count)))
end

-- -- Compiling ----------------------------------------------------------------------------------

local none = Handle()

local function pass(...) return ... end

-- x with what compute(x, ...) gives.  What a gradient saves of x must survive the write.
local function write_back(compute, name)
  local writer = C.kiln_writer(name)
  return function(x, ...)
    check.tensor(x, name, "self")
    local result = compute(C.kiln_requires_grad(x.p) and x:clone() or x, ...)
    if not same_shape(x, result) then
      check.raise(name, "the result has shape %s and does not fit in place into %s", check.shape_text(result),
        check.shape_text(x))
    end
    local to, from = x.dtype, result.dtype
    if from.is_floating_point and not to.is_floating_point then
      check.raise(name, "a %s result cannot be stored in place in %s", from.name, to.name)
    end
    if C.kiln_copy_(x.p, result.p, 0) < 0 then check.raise_core(name, true) end
    C.kiln_tensor_written(x.p, writer)
    return x
  end
end

local named = check.vocabulary {} -- functions that take a call over, by the name of the op

-- The function that options of row.with make of `call`, which takes n plain arguments.
local function with_options(row, name, inplace)
  return function(call, special, n)
    local changed = call
    for _, option in ipairs(special) do
      local inner, change = changed, row.with[option.name]
      changed = function(...) return change(name, inner, option.value, ...) end
    end
    if inplace then changed = write_back(changed, name) end
    return function(...) return changed(unpack({ ... }, 1, n)) end
  end
end

local function compile(row, name, inplace)
  local text, words = emit.source(row, inplace)
  local b = { row = row, name = name, inplace = inplace, has_out = not inplace }
  b.with_tensors = inplace and row.with_tensors and write_back(row.with_tensors, name) or row.with_tensors
  named[name] = b.with_tensors
  b.with = row.with and with_options(row, name, inplace)
  local chunk, why = loadstring(text, "=kiln:" .. name)
  if not chunk then error(("kiln: cannot bind %s: %s\n%s"):format(name, why, text), 0) end
  b.run = chunk {
    C = C, is_tensor = is_tensor, wrap = handles.wrap, own = handles.own,
    none = none, number = number, boxed = boxed,
    whole = whole, fill = fill, fill_axes = fill_axes, spread = spread, pointers = pointers,
    buffers = buffers, lent = lent, outs = outs, words = words, dtype_code = dtypes.code,
    device_code = devices.code, devices = devices, dtype_of = dtypes.of, are_options = args.are_options,
    slow = slow, fail = row.instead and fail_or_change(b) or fail,
    retry = retry, compute = row.lua, pass = pass, b = b, tracing = tracing,
  }
  return b.run
end

-- -- What others ask for -----------------------------------------------------------------------

local functions, inplaces, internals = {}, {}, {}

--- kiln.NAME for an op, or nil.
---@param name string
---@return function?
function M.fn(name)
  local f = functions[name]
  if f then return f end
  local row = ops.by_name[name]
  if not row and ops.also[name] then return M.fn(ops.also[name]) end
  if not row or row.internal or row.writes then return nil end
  f = compile(row, name, false)
  functions[name] = f
  return f
end

--- The function of an internal op, for composites; or nil.
---@param name string
---@return function?
function M.internal(name)
  local row = ops.by_name[name]
  if not row or not row.internal then return nil end
  internals[name] = internals[name] or compile(row, name, false)
  return internals[name]
end

--- x:NAME or x:NAME_ for an op, or nil.
---@param name string
---@return function?
function M.method(name)
  local f = inplaces[name]
  if f then return f end
  if ops.also[name] then return M.method(ops.also[name]) end
  local plain = type(name) == "string" and name:match "^(.+)_$"
  if ops.also[plain] then return M.method(ops.also[plain] .. "_") end
  local row = plain and ops.by_name[plain]
  if row and not row.internal and (row.inplace or row.writes) then
    f = row.group == "composite" and write_back(M.fn(row.name), name) or compile(row, name, true)
    inplaces[name] = f
    return f
  end
  row = ops.by_name[name]
  if row and row.is_method then return M.fn(name) end
end

--- The generated source of an op's function, for reading.
---@param name string  "add" or "add_"
---@return string?
function M.source(name)
  local row = ops.by_name[name]
  if row then return (emit.source(row, false)) end
  row = ops.by_name[name:gsub("_$", "")]
  return row and (emit.source(row, true))
end

M.fail = fail
M.fill = fill

return M
