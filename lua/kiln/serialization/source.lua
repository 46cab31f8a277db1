--- Source: the bytes that a reader reads, from a file, a string or a part of another source.
-- Every read says how many bytes it wants and what they are; what is not there is an error that names
-- the source, the place and both numbers.  It refuses to hand out memory that the source did not pay
-- for: take() and flat() compare with what is left before they allocate.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local create = require "kiln.create"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local files = require "kiln.utils.files"
local size = require "kiln.size"
local handles = require "kiln.handles"

ffi.cdef [[
size_t kiln_c_fread(void *p, size_t width, size_t n, void *file) __asm__("fread");
]]
assert(ffi.abi "le", "kiln: files are read and written on little-endian machines only")

local PIECE = 2 ^ 16
local MOST = 2 ^ 30 -- of one string
local scratch = ffi.new("uint8_t[?]", PIECE)

---@class kiln.serialization.Source
---@field name string  what messages call it
---@field size integer  bytes
---@field at integer  how many of them were read or skipped
---@field device integer  where tensors go, a device's number in C
local Source = {}
Source.__index = Source

--- Raises "kiln: load: NAME: text".
function Source:fail(format, ...)
  check.raise(self.op, "%s: %s", self.name, select("#", ...) > 0 and format:format(...) or format)
end

function Source:left() return self.size - self.at end

-- Refuses n bytes that are not there.  `n` may be any number that a file claims.
function Source:need(n, what)
  if n >= 0 and n <= self:left() then return end
  self:fail("it is truncated or damaged: %s at byte %.0f takes %.0f bytes, %.0f are left", what, self.at,
    n, self:left())
end

--- Goes to a byte, counted from 0.
function Source:seek(at)
  if not (at >= 0 and at <= self.size) then
    self:fail("it is truncated or damaged: something is said to be at byte %.0f of %.0f", at, self.size)
  end
  self.at = at
end

--- The next n bytes, into memory.
function Source:copy(pointer, n, what)
  self:need(n, what)
  self:pull(ffi.cast("uint8_t *", pointer), n)
  self.at = self.at + n
end

--- The next n bytes as a string.
function Source:take(n, what)
  self:need(n, what)
  if n > MOST then self:fail("%s of %.0f bytes is more than kiln reads in one piece", what, n) end
  local buffer = n <= PIECE and scratch or ffi.new("uint8_t[?]", n)
  self:copy(buffer, n, what)
  return ffi.string(buffer, n)
end

--- The next n bytes as an unsigned little-endian number.
function Source:unsigned(n, what)
  self:need(n, what)
  self:copy(scratch, n, what)
  local value = 0
  for i = n - 1, 0, -1 do value = value * 256 + scratch[i] end
  return value
end

function Source:close()
  for i = #self.on_close, 1, -1 do self.on_close[i]() end
  self.on_close = {}
end

local function new(fields)
  fields.at, fields.device, fields.on_close = fields.at or 0, fields.device or 0, fields.on_close or {}
  return setmetatable(fields, Source)
end

-- -- Kinds -------------------------------------------------------------------------------------

--- How a path or another text from a file looks in a message: one line, not too long.
function Source.shown(text)
  text = text:gsub("[%c]", function(c) return ("\\%d"):format(c:byte()) end)
  return #text > 200 and text:sub(1, 200) .. "..." or text
end

local function pull_string(self, pointer, n)
  ffi.copy(pointer, ffi.cast("const uint8_t *", self.bytes) + self.at, n)
end

--- A source over a string.
function Source.of_string(op, bytes, name)
  return new { op = op, bytes = bytes, name = name, size = #bytes, pull = pull_string }
end

local function pull_file(self, pointer, n)
  if self.file_at ~= self.at then self.file:seek("set", self.at) end
  local got = tonumber(ffi.C.kiln_c_fread(pointer, 1, n, self.file))
  self.file_at = self.at + got
  if got ~= n then
    self:fail("the system gave %.0f of %.0f bytes at byte %.0f: it changed meanwhile, or the disk failed",
      got, n, self.at)
  end
end

--- A source over a file.
function Source.of_file(op, path)
  if type(path) ~= "string" or path == "" then
    check.raise(op, "path must be the name of a file, got %s", check.got(path))
  end
  local name = Source.shown(path)
  if path:find("\0", 1, true) then check.raise(op, "the path '%s' has a zero byte in it", name) end
  local file, why = files.open(path)
  if not file then check.raise(op, "cannot read %s: %s", name, why) end
  local bytes = file:seek "end"
  file:seek "set"
  return new { op = op, file = file, file_at = 0, name = name, size = bytes, pull = pull_file,
    on_close = { function() file:close() end } }
end

--- A part of a source, n bytes, whose pull(self, pointer, n) is given.  It is closed with the whole.
function Source.part(whole, n, name, pull)
  return new { op = whole.op, size = n, pull = pull, device = whole.device, on_close = whole.on_close,
    name = whole.name .. ": " .. name }
end

--- Runs fn(source), closes the source, and returns what fn did or passes its error on.
function Source.with(source, fn, ...)
  local function finish(ok, ...)
    source:close()
    if not ok then check.rethrow((...)) end
    return ...
  end
  return finish(pcall(fn, source, ...))
end

-- -- Tensors -----------------------------------------------------------------------------------

-- Unsigned integers that kiln lacks: their elements become the next wider signed ones, or else int64.
local UNSIGNED = {
  uint16 = { name = "uint16", itemsize = 2, wide = dtypes.by_name.int32, pointer = ffi.typeof "uint16_t *" },
  uint32 = { name = "uint32", itemsize = 4, wide = dtypes.by_name.int64, pointer = ffi.typeof "uint32_t *" },
  uint64 = { name = "uint64", itemsize = 8, wide = dtypes.by_name.int64, pointer = ffi.typeof "uint64_t *" },
}
Source.UNSIGNED = UNSIGNED

--- The dtype called `name`, in a table from a format's names to kiln's (or to uint16, uint32 and uint64).
function Source:dtype_of(known, name, what)
  local dtype = known[name] and (dtypes.by_name[known[name]] or UNSIGNED[known[name]])
  if not dtype then self:fail("%s has the dtype %s, which kiln lacks", what, Source.shown(tostring(name))) end
  return dtype
end

--- Checks sizes that a file claims; returns how many elements they make.
function Source:count(shape, what)
  if #shape > 8 then self:fail("%s has %d dims, a tensor has at most 8", what, #shape) end
  local n, has_zero = 1, false
  for i = 1, #shape do
    local d = shape[i]
    if type(d) ~= "number" or d % 1 ~= 0 or d < 0 or d >= 2 ^ 53 then
      self:fail("%s has the size %s at dim %d", what, Source.shown(tostring(d)), i)
    end
    if d == 0 then has_zero = true end
    n = n * math.max(d, 1)
  end
  if n >= 2 ^ 53 then self:fail("%s has more elements than memory can hold", what) end
  return has_zero and 0 or n
end

--- An uninitialised 1-dim tensor for n elements that the source is said to hold.
function Source:flat(dtype, n, what)
  self:count({ n }, what)
  if n * dtype.itemsize > self.size then
    self:fail("it is truncated or damaged: %s is said to have %.0f elements of %s, the whole has %.0f bytes",
      what, n, dtype.name, self.size)
  end
  return create.empty({ n }, { dtype = dtype.wide or dtype, device = devices.of(self.device) })
end

-- A bool is one byte, 0 or 1; what a file holds may be anything.
local function tidy_bools(bytes, n)
  for i = 0, n - 1 do
    if bytes[i] > 1 then bytes[i] = 1 end
  end
end

local function swap_bytes(bytes, n, width)
  for at = 0, n - 1, width do
    for i = 0, width / 2 - 1 do
      bytes[at + i], bytes[at + width - 1 - i] = bytes[at + width - 1 - i], bytes[at + i]
    end
  end
end

-- n elements at `from` become wider ones at `to`; they may be the upper half of the same memory.
local function widen(self, to, from, n, dtype, what)
  to, from = ffi.cast(dtype.wide.pointer, to), ffi.cast(dtype.pointer, from)
  if dtype.itemsize < 8 then
    for i = 0, n - 1 do to[i] = from[i] end
    return
  end
  for i = 0, n - 1 do
    if from[i] >= 2ULL ^ 63 then
      self:fail("%s has the uint64 element %s, which int64 does not hold", what, tostring(from[i]):sub(1, -4))
    end
  end
end

--- Gives the next bytes to a tensor that flat() made for elements of `dtype`.  big_endian: they stand the
--- other way round.
function Source:fill(flat, dtype, what, big_endian)
  local host = flat
  if self.device ~= 0 then host = create.empty(flat.shape, { dtype = flat.dtype, device = "cpu" }) end
  local n = flat:numel() * dtype.itemsize
  if n > 0 then
    local memory = ffi.cast("uint8_t *", C.kiln_tensor_data(host.p))
    local bytes = memory + (flat.dtype.itemsize - dtype.itemsize) * flat:numel()
    self:copy(bytes, n, what)
    if big_endian and dtype.itemsize > 1 then swap_bytes(bytes, n, dtype.itemsize) end
    if dtype.wide then widen(self, memory, bytes, flat:numel(), dtype, what) end
    if dtype.name == "bool" then tidy_bools(bytes, n) end
  end
  if self.device ~= 0 then
    flat:copy_(host)
    host:free()
  end
end

--- A view of a tensor's storage: sizes and strides are lists, offset is in elements.  stride nil: contiguous.
function Source:view(flat, dtype, offset, shape, stride, what)
  local n = self:count(shape, what)
  if not stride then
    stride = {}
    local step = 1
    for i = #shape, 1, -1 do
      stride[i] = step
      step = step * math.max(shape[i], 1)
    end
  end
  if #stride ~= #shape then self:fail("%s has %d sizes and %d strides", what, #shape, #stride) end
  for i = 0, #stride do
    local v = i == 0 and offset or stride[i]
    if type(v) ~= "number" or v % 1 ~= 0 or v >= 2 ^ 53 or v <= -2 ^ 53 then
      self:fail("%s has the %s %s", what, i == 0 and "offset" or "stride", Source.shown(tostring(v)))
    end
  end
  if n == 0 then
    return create.empty(shape, { dtype = dtype, device = devices.of(self.device) })
  end
  local p = C.kiln_tensor_from_storage(C.kiln_peek_storage(flat.p), dtype.code, offset, size.to_c(shape),
    size.to_c(stride), #shape)
  if p == nil then
    local why = ffi.string(C.kiln_error())
    C.kiln_error_clear()
    self:fail("%s: %s", what, why)
  end
  return handles.wrap(p)
end

--- A contiguous tensor of the next bytes.
function Source:tensor(dtype, shape, what, big_endian)
  local flat = self:flat(dtype, self:count(shape, what), what)
  self:fill(flat, dtype, what, big_endian)
  local x = self:view(flat, flat.dtype, 0, shape, nil, what)
  flat:free()
  return x
end

return Source
