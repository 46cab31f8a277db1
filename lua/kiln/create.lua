--- Tensors from nothing, from Lua tables and from memory.
-- Lua cannot tell 2.0 from 2: numbers become the default float dtype unless a dtype is asked for;
-- booleans become bool, int64 cdata (5LL) int64.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local args = require "kiln.args"
local bind = require "kiln.bind"
local check = require "kiln.check"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local nested = require "kiln.nested"
local size = require "kiln.size"

local M = {}

local is_tensor, istype, wrap = handles.is_tensor, ffi.istype, handles.wrap
local make = bind.make
local MAX_DIMS = 8
local dims = ffi.new("int64_t[?]", MAX_DIMS)

local OPTIONS = { dtype = 1, device = 1, requires_grad = 1, volatile = 1, out = 1 }

-- -- What the constructors share -----------------------------------------------------------------

-- Reads a shape given as numbers or as one list, and the options behind it, into `dims`.
local function read_shape(name, given, n)
  while n > 0 and given[n] == nil do n = n - 1 end
  local options
  local last = given[n]
  if n > 0 and type(last) == "table" and getmetatable(last) == nil
    and (args.is_options(last) or (n > 1 and next(last) == nil)) then
    options = last
    n = n - 1
  end
  local list = given
  if n == 1 and type(given[1]) == "table" then
    list = given[1]
    n = #list
  end
  if n > MAX_DIMS then check.raise(name, "a tensor has at most %d dims, not %d", MAX_DIMS, n) end
  for i = 1, n do
    local d = list[i]
    if type(d) ~= "number" or d % 1 ~= 0 or d < 0 or d >= 2 ^ 53 then
      if dtypes.is_dtype(d) or type(d) == "string" then
        check.raise(name, "size[%d] must be a whole number, got %s%s", i, check.got(d), check.belongs(d))
      end
      d = check.int(d, name, ("size[%d]"):format(i))
      if d < 0 then check.raise(name, "size[%d] must not be negative, got %d", i, d) end
    end
    dims[i - 1] = d
  end
  if options then check.options(options, OPTIONS, name) end
  return n, options
end

local function want(options, name, default_dtype, default_device)
  if options == nil then return default_dtype or C.kiln_default_dtype(), default_device or devices.default end
  local dtype, device = options.dtype, options.device
  return dtype ~= nil and check.dtype(dtype, name) or default_dtype or C.kiln_default_dtype(),
    device ~= nil and check.device(device, name) or default_device or devices.default
end

-- x with the options' requires_grad, volatile and out applied.
local function decorate(x, options, name)
  if options == nil then return x end
  if options.out ~= nil then
    local out = check.tensor(options.out, name, "out")
    check.status(C.kiln_tensor_resize(out.p, size.to_c(x.shape), x:dim()), name)
    check.status(C.kiln_copy_(out.p, x.p, 0), name)
    x:free()
    x = out
  end
  if options.requires_grad ~= nil then
    local on = check.bool(options.requires_grad, name, "requires_grad")
    check.status(C.kiln_set_requires_grad(x.p, on), name)
  end
  if options.volatile ~= nil then
    C.kiln_set_volatile(x.p, check.bool(options.volatile, name, "volatile"))
  end
  return x
end

-- The same for a reference, NULL when it could not be made.
local function finish(p, options, name)
  if p == nil then check.raise_core(name, true) end
  return decorate(wrap(p), options, name)
end

local function new_full(n, value, dtype, device) return C.kiln_full(dims, n, value, dtype, device) end
local function new_tensor(n, dtype, device)
  if dtype == C.KILN_BOOL then return new_full(n, 0, dtype, device) end -- whatever was there may be no bool
  return C.kiln_tensor_new(dims, n, dtype, device)
end

-- -- Filled with one value -----------------------------------------------------------------------

local function filler(name, value)
  return function(...)
    local n, options = read_shape(name, { ... }, select("#", ...))
    local dtype, device = want(options, name)
    return finish(make(new_full, n, value, dtype, device), options, name)
  end
end

-- Constructors whose errors name the function that the user called.
local called = {
  zeros = function(name) return filler(name, 0) end,
  ones = function(name) return filler(name, 1) end,
}

--- kiln.zeros(2, 3) or kiln.zeros({ 2, 3 }, { dtype, device, requires_grad, out })
---@return kiln.Tensor
M.zeros = called.zeros "zeros"

--- kiln.ones(2, 3) or kiln.ones({ 2, 3 }, { dtype, device, requires_grad, out })
---@return kiln.Tensor
M.ones = called.ones "ones"

function called.empty(name)
  return function(...)
    local n, options = read_shape(name, { ... }, select("#", ...))
    local dtype, device = want(options, name)
    return finish(make(new_tensor, n, dtype, device), options, name)
  end
end

--- A tensor whose elements are whatever was in memory.
---@return kiln.Tensor
M.empty = called.empty "empty"

local function dtype_of_value(value)
  if type(value) == "boolean" then return C.KILN_BOOL end
  if type(value) == "cdata" then return C.KILN_INT64 end
end

local function fill_with(p, value, name)
  if p == nil then check.raise_core(name, true) end
  local number = bind.lend(value)
  if type(number) == "nil" then
    C.kiln_tensor_release(p)
    check.raise(name, "value must be a number, got %s", check.got(value))
  end
  if C.kiln_fill_(p, number) < 0 then
    C.kiln_tensor_release(p)
    check.raise_core(name, true)
  end
  return p
end

function called.full(name)
  return function(shape, value, options)
    local n = read_shape(name, { shape }, 1)
    options = check.options(options, OPTIONS, name)
    local dtype, device = want(options, name, dtype_of_value(value))
    return finish(fill_with(make(new_tensor, n, dtype, device), value, name), options, name)
  end
end

--- A tensor of one value: kiln.full({ 2, 3 }, 0.5, { dtype, device, requires_grad, out })
---@param shape integer[]|integer
---@param value number|boolean
---@param options? table
---@return kiln.Tensor
function M.full(shape, value, options) return called.full "full"(shape, value, options) end

local function like(name, x, options)
  check.tensor(x, name, "x")
  options = check.options(options, OPTIONS, name)
  local dtype, device = want(options, name, C.kiln_tensor_dtype(x.p), C.kiln_tensor_device(x.p))
  local n = C.kiln_tensor_ndim(x.p)
  for i = 0, n - 1 do dims[i] = C.kiln_tensor_size(x.p, i) end
  return n, dtype, device, options
end

--- Zeros with the shape, dtype and device of x, unless options say otherwise.
---@param x kiln.Tensor
function M.zeros_like(x, options)
  local n, dtype, device, o = like("zeros_like", x, options)
  return finish(make(new_full, n, 0, dtype, device), o, "zeros_like")
end

--- Ones with the shape, dtype and device of x.
function M.ones_like(x, options)
  local n, dtype, device, o = like("ones_like", x, options)
  return finish(make(new_full, n, 1, dtype, device), o, "ones_like")
end

function called.empty_like(name)
  return function(x, options)
    local n, dtype, device, o = like(name, x, options)
    return finish(make(new_tensor, n, dtype, device), o, name)
  end
end

--- Uninitialised memory with the shape, dtype and device of x.
M.empty_like = called.empty_like "empty_like"

--- One value with the shape, dtype and device of x.
function M.full_like(x, value, options)
  local n, dtype, device, o = like("full_like", x, options)
  return finish(fill_with(make(new_tensor, n, dtype, device), value, "full_like"), o, "full_like")
end

local renamed = {}

--- The constructor `maker` (zeros, ones, empty, full, empty_like), whose errors say `name`.
---@param maker string
---@param name string
---@return function
function M.called(maker, name)
  local key = maker .. " " .. name
  renamed[key] = renamed[key] or called[maker](name)
  return renamed[key]
end

-- -- Sequences ---------------------------------------------------------------------------------

local function sequence(name, start, step, count, options)
  if count > 2 ^ 53 then check.raise(name, "%.14g elements are too many", count) end
  local dtype, device = want(options, name)
  return finish(make(C.kiln_arange, start, step, math.max(0, count), dtype, device), options, name)
end

-- The same from an int64, exactly; the stop is not included.
local function exact_sequence(name, start, stop, step, options)
  local from, by = ffi.cast("int64_t", start), check.int(step, name, "step")
  if type(start) == "number" then check.int(start, name, "start") end
  if type(stop) == "number" then check.int(stop, name, "stop") end
  local reach = ffi.cast("int64_t", stop) - from
  local count = (reach - (by > 0 and 1 or -1)) / by + 1
  if reach == 0 or (reach > 0) ~= (by > 0) then count = 0 end
  local rest = args.with(options, "requires_grad", nil)
  rest.volatile, rest.out = nil, nil
  rest.dtype = rest.dtype == nil and dtypes.by_name.int64 or rest.dtype
  local x = sequence(name, 0, by, tonumber(count), rest)
  if x.dtype.is_floating_point then
    x:add_(tonumber(from))
  else
    check.status(C.kiln_add_(x.p, bind.number(from), 1), name)
  end
  return decorate(x, options, name)
end

-- start?, stop, step? and options, as arange and range take them.
local function read_range(name, first, a, b, c, d)
  local options
  if type(d) == "table" then options = d
  elseif type(c) == "table" then options, c = c, nil
  elseif type(b) == "table" then options, b, c = b, nil, nil end
  options = check.options(options, OPTIONS, name)
  if b == nil then a, b = first, a end
  a, b = check.number(a, name, "start"), check.number(b, name, "stop")
  c = c == nil and 1 or check.number(c, name, "step")
  if c == 0 or c ~= c then check.raise(name, "step must not be 0") end
  if a ~= a or b ~= b or a - a ~= 0 or b - b ~= 0 then
    check.raise(name, "start and stop must be finite, got %.14g and %.14g", a, b)
  end
  return a, b, c, options
end

local function is_int64(v) return type(v) == "cdata" and istype("int64_t", v) end

--- start, start + step, ... below stop: kiln.arange(5) is 0 1 2 3 4; kiln.arange(start, stop, step?).
--- int64 cdata gives int64, exactly.
---@return kiln.Tensor
function M.arange(a, b, c, d)
  local start, stop, step, options = read_range("arange", 0, a, b, c, d)
  if is_int64(a) or is_int64(b) then
    if type(b) == "number" or is_int64(b) then
      return exact_sequence("arange", a, b, step, options)
    end
    return exact_sequence("arange", 0, a, step, options)
  end
  return sequence("arange", start, step, math.ceil((stop - start) / step), options)
end

--- start, start + step, ... up to stop, included: kiln.range(1, 5) is 1 2 3 4 5.
---@return kiln.Tensor
function M.range(a, b, c, d)
  local start, stop, step, options = read_range("range", 1, a, b, c, d)
  return sequence("range", start, step, math.floor((stop - start) / step) + 1, options)
end

-- What stands behind start and stop: steps, which may be an option, and the other options.
local function read_steps(name, steps, options)
  if type(steps) == "table" then steps, options = nil, steps end
  check.option_table(options, name)
  if options ~= nil and options.steps ~= nil then
    if steps ~= nil then check.raise(name, "steps is given twice") end
    steps, options = options.steps, args.with(options, "steps", nil)
  end
  return steps, options
end

local function spaced(name, start, stop, steps, options)
  steps, options = read_steps(name, steps, options)
  options = check.options(options, OPTIONS, name)
  start, stop = check.number(start, name, "start"), check.number(stop, name, "stop")
  steps = steps == nil and 100 or check.int(steps, name, "steps")
  if steps < 0 then check.raise(name, "steps must not be negative, got %d", steps) end
  return start, steps > 1 and (stop - start) / (steps - 1) or 0, steps, options, stop
end

--- steps numbers at equal distances from start to stop, both included.
---@param start number
---@param stop number
---@param steps? integer  100 when left out
---@return kiln.Tensor
function M.linspace(start, stop, steps, options)
  local first, step, n, o, last = spaced("linspace", start, stop, steps, options)
  local dtype, device = want(o, "linspace")
  -- Up from the start and down from the stop, so that both are there.
  local is_float = dtypes.by_code[dtype].is_floating_point
  local plain = { dtype = dtypes.by_code[is_float and dtype or C.KILN_FLOAT64], device = devices.of(device) }
  local half = math.floor(n / 2)
  local up = sequence("linspace", first, step, half, plain)
  local down = sequence("linspace", n > 1 and last or first, -step, n - half, plain)
  local x = bind.fn "cat"({ up, down:flip { 1 } }, 1)
  return decorate(is_float and x or x:to(dtypes.by_code[dtype]), o, "linspace")
end

--- base (10) to the powers from start to stop.
---@return kiln.Tensor
function M.logspace(start, stop, steps, options)
  steps, options = read_steps("logspace", steps, options)
  options = options == nil and {} or options
  local base, rest = 10, options
  if options.base ~= nil then
    base, rest = check.number(options.base, "logspace", "base"), args.with(options, "base", nil)
  end
  local _, _, n, o = spaced("logspace", start, stop, steps, rest)
  local exponents = M.linspace(start, stop, n, { dtype = dtypes.by_name.float64 })
  local x = bind.fn "pow"(base, exponents)
  exponents:free()
  local dtype, device = want(o, "logspace")
  local y = bind.made("logspace", C.kiln_tensor_new, size.to_c(x.shape), 1, dtype, device)
  y:copy_(x)
  x:free()
  return decorate(y, o, "logspace")
end

--- Ones on the diagonal of a matrix of n rows and m (or n) columns.
---@param n integer
---@param m? integer
---@return kiln.Tensor
function M.eye(n, m, options)
  if type(m) == "table" then m, options = nil, m end
  options = check.options(options, OPTIONS, "eye")
  n = check.int(n, "eye", "n")
  m = m == nil and n or check.int(m, "eye", "m")
  if n < 0 or m < 0 then check.raise("eye", "sizes must not be negative, got %d and %d", n, m) end
  dims[0], dims[1] = n, m
  local dtype, device = want(options, "eye")
  local x = finish(make(new_full, 2, 0, dtype, device), nil, "eye")
  if n > 0 and m > 0 then
    local diagonal = x:as_strided({ math.min(n, m) }, { m + 1 }, 0)
    diagonal:fill_(1)
    diagonal:free()
  end
  return decorate(x, options, "eye")
end

-- -- From Lua values ---------------------------------------------------------------------------

local function from_scalar(v, wanted)
  local dtype = wanted or dtype_of_value(v) or C.kiln_default_dtype()
  return fill_with(make(new_tensor, 0, dtype, 0), v, "tensor")
end

-- Values of x go into a tensor without a history.  Whoever does not say that it is to be a leaf may expect
-- x's gradient.
local function check_cut(x, options, name, argument, instead)
  if options.requires_grad == nil and not options.volatile and C.kiln_grad_enabled()
    and C.kiln_requires_grad(x.p) then
    check.raise(name, "%s requires grad, and its gradient would be lost; %s", argument, instead)
  end
end

--- A tensor with the values of nested tables, of a number, or of another tensor (a copy).
--- Numbers become the default float dtype unless a dtype is given; booleans become bool.
--- Values that require grad are refused unless requires_grad or volatile says what the result is to be.
---@param data any
---@param options? { dtype?: kiln.dtype|string, device?: string, requires_grad?: boolean }
---@return kiln.Tensor
function M.tensor(data, options)
  options = check.options(options, OPTIONS, "tensor")
  local wanted = options.dtype ~= nil and check.dtype(options.dtype, "tensor") or nil
  local device = options.device ~= nil and check.device(options.device, "tensor") or devices.default
  local x
  if is_tensor(data) then
    check.tensor(data, "tensor", "data")
    check_cut(data, options, "tensor", "data", "data:clone() keeps it, data:detach() is a leaf")
    x = bind.made("tensor", C.kiln_detach, data.p)
    local dtype = dtypes.by_code[wanted or C.kiln_tensor_dtype(data.p)]
    x = x:to(dtype, { copy = true })
    if options.device == nil then device = C.kiln_tensor_device(data.p) end
  elseif type(data) == "table" and (getmetatable(data) == nil or size.is_size(data)) then
    x = wrap(nested(data, wanted, options.requires_grad ~= nil or options.volatile))
  elseif type(data) == "number" or type(data) == "boolean" or type(data) == "cdata" then
    x = wrap(from_scalar(data, wanted))
  else
    check.raise("tensor", "data must be numbers in nested tables, a number or a tensor, got %s",
      check.got(data))
  end
  if C.kiln_tensor_device(x.p) ~= device then x = x:to(devices.of(device)) end
  return decorate(x, options, "tensor")
end

--- data itself if it is a tensor of that dtype on that device, else kiln.tensor(data, options); gradients
--- flow.
---@param data any
---@param options? { dtype?: kiln.dtype|string, device?: string }
---@return kiln.Tensor
function M.as_tensor(data, options)
  options = check.options(options, { dtype = 1, device = 1 }, "as_tensor")
  if not is_tensor(data) then return (M.tensor(data, options)) end
  check.tensor(data, "as_tensor", "data")
  local dtype, device = want(options, "as_tensor", C.kiln_tensor_dtype(data.p), C.kiln_tensor_device(data.p))
  return (data:to(dtypes.by_code[dtype], devices.of(device)))
end

--- The reference's wrapper of old: a leaf that shares t's memory, with flags of its own.  A t that requires
--- grad is refused unless an option is given.
---@param t kiln.Tensor
---@param options? { requires_grad?: boolean, volatile?: boolean }
---@return kiln.Tensor
function M.Variable(t, options)
  check.tensor(t, "Variable", "t")
  options = check.options(options, { requires_grad = 1, volatile = 1 }, "Variable")
  if options.requires_grad and options.volatile then
    check.raise("Variable", "requires_grad and volatile exclude each other")
  end
  check_cut(t, options, "Variable", "t", "take t itself, or t:detach() for a leaf")
  return finish(C.kiln_detach(t.p), options, "Variable")
end

-- -- From memory -------------------------------------------------------------------------------

-- What C calls the elements of a dtype; two dtypes travel as uint16_t.
local ELEMENT = { float = "float32", double = "float64", ["signed char"] = "int8", char = "int8",
  ["unsigned char"] = "uint8", short = "int16", int = "int32", long = "int64", ["long long"] = "int64",
  int64_t = "int64", bool = "bool", ["unsigned short"] = "half" }

-- What a pointer or an array points to: a dtype's name, "half" for 16 bits, or nil for memory of no type;
-- and, of an array, its bytes.
local function pointed_to(pointer)
  local text = tostring(ffi.typeof(pointer)):match "^ctype<(.*)>$" or ""
  local element = text:match "^(.-) ?%*$" or text:match "^(.-) ?%[" or text:match "^(.-) ?%(&%)"
  if not element then
    check.raise("from_pointer", "pointer must be a pointer or an array, got %s", check.got(pointer))
  end
  element = element:gsub("const ", ""):gsub("volatile ", "")
  local bytes = text:find("[", 1, true) and ffi.sizeof(pointer) or nil
  if element == "void" then return nil, bytes end
  if not ELEMENT[element] then
    check.raise("from_pointer", "pointer is %s, which is of no dtype; cast it to void *", check.got(pointer))
  end
  return ELEMENT[element], bytes
end

--- A tensor over memory that somebody else owns: nothing is copied, and the memory must outlive the
--- tensor and all its views.
---@param pointer ffi.cdata*  its type says the dtype, unless it is a `void *`
---@param shape integer[]
---@param dtype? kiln.dtype|string  the pointer's when left out; of a `void *` the default float dtype
---@return kiln.Tensor
function M.from_pointer(pointer, shape, dtype)
  if type(pointer) ~= "cdata" or is_tensor(pointer) then
    check.raise("from_pointer", "pointer must be a pointer or an array, got %s", check.got(pointer))
  end
  local n = read_shape("from_pointer", { shape }, 1)
  local element, bytes = pointed_to(pointer)
  local code = dtype ~= nil and check.dtype(dtype, "from_pointer") or dtypes.code[element]
    or C.kiln_default_dtype()
  local d = dtypes.by_code[code]
  local fits = element == nil or element == d.name or element == "half" and d.itemsize == 2
  if not fits then
    check.raise("from_pointer", "pointer is %s, which holds no %s; cast it to void * if it does",
      check.got(pointer), d.name)
  end
  local numel = 1
  for i = 0, n - 1 do numel = numel * tonumber(dims[i]) end
  if bytes and numel * d.itemsize > bytes then
    check.raise("from_pointer", "%.14g elements of %s need %.14g bytes, the array has %d", numel, d.name,
      numel * d.itemsize, bytes)
  end
  local memory = ffi.cast("void *", pointer)
  if memory == nil and numel > 0 then check.raise("from_pointer", "pointer is NULL") end
  local p = C.kiln_tensor_borrow(memory, dims, n, code)
  return finish(p, nil, "from_pointer")
end

--- A copy of the bytes of a string: kiln.from_string(bytes, { 28, 28 }, kiln.uint8)
---@param bytes string
---@param shape? integer[]  one dim of all of it when left out
---@param dtype? kiln.dtype|string  uint8 when left out
---@return kiln.Tensor
function M.from_string(bytes, shape, dtype)
  if type(bytes) ~= "string" then
    check.raise("from_string", "bytes must be a string, got %s", check.got(bytes))
  end
  local code = dtype == nil and C.KILN_UINT8 or check.dtype(dtype, "from_string")
  local item = C.kiln_dtype_size(code)
  if shape == nil then shape = { math.floor(#bytes / item) } end
  local n = read_shape("from_string", { shape }, 1)
  local p = make(new_tensor, n, code, 0)
  if p == nil then check.raise_core "from_string" end
  local x = wrap(p)
  if x:numel() * item ~= #bytes then
    local text, numel = tostring(x.shape), x:numel()
    x:free()
    check.raise("from_string", "shape %s of %s needs %d bytes, the string has %d", text,
      dtypes.by_code[code].name, numel * item, #bytes)
  end
  local data = ffi.cast("uint8_t *", C.kiln_tensor_data(x.p))
  ffi.copy(data, bytes, #bytes)
  for i = 0, code == C.KILN_BOOL and #bytes - 1 or -1 do
    if data[i] > 1 then data[i] = 1 end
  end
  return x
end

-- -- Old constructors ----------------------------------------------------------------------------

local function old_constructor(dtype)
  local name = dtype.tensor .. "Tensor"
  return function(...)
    local first = ...
    if type(first) == "table" and not size.is_size(first) or is_tensor(first) then
      return M.tensor(first, { dtype = dtype, device = "cpu" })
    end
    if select("#", ...) == 0 then
      dims[0] = 0
      return finish(make(new_tensor, 1, dtype.code, 0), nil, name)
    end
    local n = read_shape(name, { ... }, select("#", ...))
    return finish(make(new_tensor, n, dtype.code, 0), nil, name)
  end
end

--- kiln.FloatTensor(2, 3) is uninitialised, kiln.FloatTensor({ { 1, 2 } }) holds these values; the
--- same for every dtype.
---@param name string  "FloatTensor"
---@return function?
function M.old_constructor(name)
  local dtype = dtypes.by_name[name]
  if dtype and name == dtype.tensor .. "Tensor" then return old_constructor(dtype) end
end

-- -- Defaults ----------------------------------------------------------------------------------

--- The dtype that new tensors of numbers get (float32 at the start).
---@param dtype kiln.dtype|string  a floating dtype
function M.set_default_dtype(dtype)
  local d = dtypes.by_code[check.dtype(dtype, "set_default_dtype")]
  if not d.is_floating_point then
    check.raise("set_default_dtype", "a floating dtype is needed, got %s", d.name)
  end
  C.kiln_set_default_dtype(d.code)
end

--- The same by the old name of a tensor type: "kiln.DoubleTensor", or "kiln.cuda.FloatTensor", which
--- also says where new tensors go.
function M.set_default_tensor_type(t)
  local cuda = 0
  if type(t) == "string" then t, cuda = t:gsub("^torch%.", "kiln."):gsub("^kiln%.cuda%.", "kiln.") end
  local device = cuda > 0 and check.device("cuda", "set_default_tensor_type") or 0
  M.set_default_dtype(t)
  devices.default = device
end

--- The device that new tensors get when none is given ("cpu" at the start).
---@param device string
function M.set_default_device(device) devices.default = check.device(device, "set_default_device") end

---@return string
function M.get_default_device() return devices.of(devices.default) end

---@return kiln.dtype
function M.get_default_dtype() return dtypes.get_default() end

return M
