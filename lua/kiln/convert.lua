--- Tensors as Lua values, and as tensors of another dtype or device.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local args = require "kiln.args"
local bind = require "kiln.bind"
local check = require "kiln.check"
local create = require "kiln.create"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local size = require "kiln.size"

local M = { methods = {} }
local methods = M.methods

local function live(x, name) return check.tensor(x, name, "self") end

-- -- As Lua values -----------------------------------------------------------------------------

local number, integer = ffi.new "double[1]", ffi.new "int64_t[1]"
local EXACT = 2 ^ 53

-- An int64 as a Lua number, or as it is when a number could not hold it.
local function plain(i)
  if i <= EXACT and i >= -EXACT then return tonumber(i) end
  return i
end

--- The value of a tensor of one element: a number, a boolean, or int64 cdata beyond 2^53.
---@return number|boolean|ffi.cdata*
function methods:item()
  local kind = C.kiln_tensor_item(live(self, "item").p, number, integer)
  if kind == 1 then return number[0] end
  if kind == 2 then
    if C.kiln_tensor_dtype(self.p) == C.KILN_BOOL then return integer[0] ~= 0 end
    return plain(integer[0] + 0LL)
  end
  check.raise_core "item"
end

--- x on the CPU, contiguous and outside the graph: x itself if it is that already.
---@return kiln.Tensor
function M.host(x)
  local y = x
  if C.kiln_requires_grad(y.p) then y = y:detach() end
  if C.kiln_tensor_device(y.p) ~= 0 then y = y:cpu() end
  if not C.kiln_tensor_is_contiguous(y.p) then y = y:clone() end
  return y
end

--- x, or a copy in which no NaN is one that Lua would take for a value of its own.  x is on the CPU.
---@return kiln.Tensor
function M.tidied(x)
  if C.kiln_tensor_is_tidy(x.p) then return x end
  local y = x:clone()
  C.kiln_tensor_tidy(y.p)
  return y
end

--- x as both: to be read through data_ptr().
---@return kiln.Tensor
function M.readable(x) return M.tidied(M.host(x)) end

local new_table = require "table.new"
local CHUNK = 4096 -- entries between two looks for Ctrl-C
local MANY = 2 ^ 16
local NARROW = 16 -- a row of so few numbers is one constructor, not a loop of its own

-- Writes t[first..last]: numbers, or rows of `width` of them.  One function a dtype and width: the type of
-- p is a constant of the compiled code.
local FILL = [[local value = ...
return function(t, first, last, p)
  for i = first, last do t[i] = %s end
end]]
local fills = {}

local function fill_of(dtype, width)
  local key = dtype .. (width or "")
  if not fills[key] then
    local read = dtype == "int64" and "value(p[(i - 1) * %d + %d] + 0LL)" or "p[(i - 1) * %d + %d]"
    local values = {}
    for k = 1, width or 1 do values[k] = read:format(width or 1, k - 1) end
    local row = table.concat(values, ", ")
    fills[key] = loadstring(FILL:format(width and "{ " .. row .. " }" or row), "=kiln")(plain)
  end
  return fills[key]
end

local function nested(shape, depth, p, dtype)
  local n, width = shape[depth], shape[depth + 1]
  local t = new_table(n, 0)
  if depth < #shape - 1 or width and (width == 0 or width > NARROW) then
    for i = 1, n do t[i], p = nested(shape, depth + 1, p, dtype) end
    return t, p
  end
  local fill = fill_of(dtype, width)
  for first = 1, n, CHUNK do
    check.poll()
    fill(t, first, math.min(first + CHUNK - 1, n), p)
  end
  return t, p + n * (width or 1)
end

-- The same of many numbers.  Lua's collector has a rest: all that is made is kept, and it would walk that
-- again and again.
local function nested_many(...)
  local was_running = collectgarbage "isrunning"
  collectgarbage "stop"
  local ok, t = pcall(nested, ...)
  if was_running then collectgarbage "restart" end
  if not ok then check.rethrow(t) end
  return t
end

--- The values as nested tables; of a 0-dim tensor the value itself.
---@return table|number|boolean
function methods:tolist()
  live(self, "tolist")
  if self:dim() == 0 then return self:item() end
  local x = self
  if x.dtype.name == "float16" or x.dtype.name == "bfloat16" then x = x:to(dtypes.by_name.float32) end
  x = M.readable(x)
  local build = x:numel() > MANY and nested_many or nested
  return (build(self.shape, 1, x:data_ptr(), self.dtype.name))
end

-- -- Other dtypes and devices ----------------------------------------------------------------------

-- The methods that call this make no tail call, so that errors name them.
-- x as dtype (a code) on a device (a code); x itself when it is that already.  later: x is pinned and need
-- not have been read when this returns.
local function to(x, dtype, device, copy, later)
  local same_dtype = C.kiln_tensor_dtype(x.p) == dtype
  if C.kiln_tensor_device(x.p) ~= device then
    local there = { dtype = dtypes.by_code[dtype], device = devices.of(device) }
    local y = create.called("empty", "to")(x.shape, there)
    return y:copy_(x, later == true)
  end
  if same_dtype then return copy and x:clone() or x end
  return bind.fn "cast"(x, dtypes.by_code[dtype])
end

local TO_OPTIONS = { dtype = 1, device = 1, copy = 1, non_blocking = 1 }

--- x with another dtype and/or on another device: x:to(kiln.float64), x:to("cuda"), x:to(y),
--- x:to("cuda", kiln.float16, { copy = true, non_blocking = true }).  x itself when nothing changes.
---@return kiln.Tensor
function methods:to(...)
  live(self, "to")
  local dtype, device = C.kiln_tensor_dtype(self.p), C.kiln_tensor_device(self.p)
  local copy, later = false, false
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if check.is_tensor(v) then
      check.tensor(v, "to", "other")
      dtype, device = C.kiln_tensor_dtype(v.p), C.kiln_tensor_device(v.p)
    elseif v ~= nil and dtypes.code[v] then
      dtype = dtypes.code[v]
    elseif type(v) == "string" then
      device = check.device(v, "to")
    elseif args.is_options(v) then
      check.options(v, TO_OPTIONS, "to")
      if v.dtype ~= nil then dtype = check.dtype(v.dtype, "to") end
      if v.device ~= nil then device = check.device(v.device, "to") end
      if v.copy ~= nil then copy = check.bool(v.copy, "to", "copy") end
      if v.non_blocking ~= nil then later = check.bool(v.non_blocking, "to", "non_blocking") end
    elseif type(v) == "boolean" then
      copy = v
    elseif v ~= nil then
      check.raise("to", "a dtype, a device or a tensor is needed, got %s", check.got(v))
    end
  end
  return (to(self, dtype, device, copy, later))
end

for name, dtype in pairs { float = "float32", double = "float64", half = "float16",
  bfloat16 = "bfloat16", int = "int32", long = "int64", short = "int16", char = "int8",
  byte = "uint8", bool = "bool" } do
  local code = dtypes.code[dtype]
  methods[name] = function(x) return (to(live(x, name), code, C.kiln_tensor_device(x.p))) end
end

--- x on the CPU.
function methods:cpu() return (to(live(self, "cpu"), C.kiln_tensor_dtype(self.p), 0)) end

--- x on an accelerator: the current one, or the i-th, counted from 1.  With non_blocking (or a second
--- argument true), pinned memory is read later, in the order of the device's stream.
---@param i? integer|string|{ device?: integer|string, non_blocking?: boolean }
---@param non_blocking? boolean|{ non_blocking: boolean }
function methods:cuda(i, non_blocking)
  live(self, "cuda")
  local options = args.is_options(i) and i or args.is_options(non_blocking) and non_blocking
  if options then
    local first = options == i
    local o = check.options(options, { device = first and 1 or nil, non_blocking = 1, async = 1 }, "cuda")
    if first then i = o.device end
    non_blocking = o.non_blocking
    if non_blocking == nil then non_blocking = o.async end
  end
  if type(i) == "number" then i = "cuda:" .. check.int(i, "cuda", "device") end
  local later = non_blocking ~= nil and check.bool(non_blocking, "cuda", "non_blocking")
  return (to(self, C.kiln_tensor_dtype(self.p), check.device(i or "cuda", "cuda"), false, later))
end

local function type_name(x)
  local dtype = dtypes.by_code[C.kiln_tensor_dtype(x.p)]
  return (C.kiln_tensor_device(x.p) > 0 and "kiln.cuda." or "kiln.") .. dtype.tensor .. "Tensor"
end

--- Without an argument the type's old name ("kiln.FloatTensor"); with a dtype or such a name x as
--- that.
---@param t? kiln.dtype|string
function methods:type(t)
  live(self, "type")
  if t == nil then return type_name(self) end
  local device = C.kiln_tensor_device(self.p)
  if type(t) == "string" then
    local plain_name, on_cuda = t:gsub("^kiln%.cuda%.", "kiln.")
    if on_cuda > 0 and device == 0 then device = check.device("cuda", "type") end
    t = plain_name
  end
  return (to(self, check.dtype(t, "type"), device))
end

--- x with the dtype and on the device of other.
function methods:type_as(other)
  check.tensor(other, "type_as", "other")
  return (to(live(self, "type_as"), C.kiln_tensor_dtype(other.p), C.kiln_tensor_device(other.p)))
end

--- A contiguous tensor of the same values: x itself if it is one.
function methods:contiguous()
  if C.kiln_tensor_is_contiguous(live(self, "contiguous").p) then return self end
  return (self:clone())
end

function methods:is_signed() return live(self, "is_signed").dtype.is_signed end
function methods:is_floating_point()
  return live(self, "is_floating_point").dtype.is_floating_point
end

--- Is the memory page-locked, so that copies to an accelerator need not wait?
function methods:is_pinned() return C.kiln_tensor_is_pinned(live(self, "is_pinned").p) end

--- A copy in page-locked memory; x itself if it is there, or if there is no accelerator to copy to.
---@return kiln.Tensor
function methods:pin_memory()
  if C.kiln_tensor_is_pinned(live(self, "pin_memory").p) then return self end
  local p = C.kiln_tensor_pin(self.p)
  if p == nil then check.raise_core "pin_memory" end
  if p == self.p then
    C.kiln_tensor_release(p)
    return self
  end
  return handles.wrap(p)
end

--- Keeps x's memory for work on another stream: it is not given to others before that is done.
---@param stream kiln.cuda.Stream
function methods:record_stream(stream)
  live(self, "record_stream")
  if type(stream) ~= "table" or type(stream.id) ~= "number" then
    check.raise("record_stream", "stream must be a kiln.cuda.Stream, got %s", check.got(stream))
  end
  check.status(C.kiln_stream_keep(self.p, stream.id), "record_stream")
end

-- Tensors pass between threads as they are.

--- Can other threads of this process use it?  They always can.
function methods:is_shared() return live(self, "is_shared") ~= nil end

--- x itself: it can be handed to other threads as it is.
function methods:share_memory_() return live(self, "share_memory_") end

-- -- New ones of the same kind -------------------------------------------------------------------

local KIND_OPTIONS = { dtype = 1, device = 1, requires_grad = 1 }

local function kind_of(x, options, name)
  local given = check.options(options, KIND_OPTIONS, name)
  local dtype, device = given.dtype, given.device
  if dtype == nil then dtype = x.dtype end
  if device == nil then device = x.device end
  return { dtype = dtype, device = device, requires_grad = given.requires_grad }
end

--- A tensor of x's dtype and device: x:new(2, 3) uninitialised, x:new({ 1, 2 }) with these values.
function methods:new(...)
  live(self, "new")
  local first = ...
  local kind = kind_of(self)
  if type(first) == "table" and not size.is_size(first) or check.is_tensor(first) then
    return create.tensor(first, kind)
  end
  if select("#", ...) == 0 then return create.empty({ 0 }, kind) end
  local shape = size.is_size(first) and first or { ... }
  return create.called("empty", "new")(shape, kind)
end

--- Values as a tensor of x's dtype and device.
function methods:new_tensor(data, options)
  return (create.tensor(data, kind_of(live(self, "new_tensor"), options, "new_tensor")))
end

for name, maker in pairs { new_zeros = "zeros", new_ones = "ones", new_empty = "empty" } do
  methods[name] = function(x, ...)
    live(x, name)
    local given = { ... }
    local options = args.is_options(given[#given]) and table.remove(given) or nil
    local shape = type(given[1]) == "table" and given[1] or given
    return create.called(maker, name)(shape, kind_of(x, options, name))
  end
end

--- One value in a shape, in x's dtype and on its device.
function methods:new_full(shape, value, options)
  return create.called("full", "new_full")(shape, value, kind_of(live(self, "new_full"), options, "new_full"))
end

return M
