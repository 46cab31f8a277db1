--- Torch7's .t7 files: what torch.save of Torch7 writes, in binary or ascii.
-- Which of the two it is shows in the first bytes; whether `long` has 8 or 4 bytes (files of 64-bit and
-- 32-bit machines) shows in whether the file makes sense.  Tensors and storages come back and stay
-- shared; an object of another class, such as a module, comes back as a table of its fields with its
-- class as __typename.  Functions are skipped, with one line on standard error.  Nothing is run, and no
-- such files are written.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local create = require "kiln.create"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"

local M = {}

--- Where the line about skipped functions goes.
function M.warn(line) io.stderr:write(line) end

local DEEPEST = 1000
local NIL, NUMBER, STRING, TABLE, TORCH, BOOLEAN = 0, 1, 2, 3, 4, 5
local FUNCTION, LEGACY_FUNCTION, RECUR_FUNCTION = 6, 7, 8

local KINDS = { Double = "float64", Float = "float32", Half = "float16", Long = "int64", Int = "int32",
  Short = "int16", Char = "int8", Byte = "uint8", Cuda = "float32", CudaDouble = "float64",
  CudaHalf = "float16", CudaLong = "int64", CudaInt = "int32", CudaShort = "int16", CudaChar = "int8",
  CudaByte = "uint8" }

-- -- Numbers, in both forms ------------------------------------------------------------------------

local Reader = {}
Reader.__index = Reader

function Reader:fail(...) self.source:fail(...) end

local word = ffi.new "union { uint8_t byte[8]; int32_t i32; int64_t i64; double real; }"

local function plain(v)
  return v <= 2 ^ 53 and v >= -2 ^ 53 and tonumber(v) or v
end

local Binary = setmetatable({}, Reader)
Binary.__index = Binary

function Binary:int(what)
  self.source:copy(word.byte, 4, what)
  return word.i32
end

function Binary:long(what)
  if self.long_size == 4 then return self:int(what) end
  self.source:copy(word.byte, 8, what)
  return plain(word.i64 + 0LL)
end

function Binary:double(what)
  self.source:copy(word.byte, 8, what)
  return word.real == word.real and word.real or 0 / 0
end

function Binary:chars(n, what) return self.source:take(n, what) end

function Binary:elements(dtype, n)
  local what = "a storage"
  if dtype.name ~= "int64" or self.long_size == 8 then
    local flat = self.source:flat(dtype, n, what)
    self.source:fill(flat, dtype, what)
    return flat
  end
  local narrow = self.source:flat(dtypes.by_name.int32, n, what)
  self.source:fill(narrow, narrow.dtype, what)
  return narrow:to(dtype)
end

local Ascii = setmetatable({}, Reader)
Ascii.__index = Ascii

local MOST_WORD, AHEAD = 64, 4096

-- Words are found in a piece that was read ahead: `text`, whose byte `next` is the first not used yet.
local function read_ahead(self)
  local source = self.source
  self:rewind()
  self.start, self.next = source.at, 1
  self.text = source:take(math.min(AHEAD, source:left()), "a number")
end

-- Puts the source where the words end.
function Ascii:rewind()
  if self.text then self.source:seek(self.start + self.next - 1) end
  self.text = nil
end

-- The next word and the one white space behind it.  Without that the word may be a part of one.
function Ascii:word(what)
  if not self.text or #self.text - self.next < 2 * MOST_WORD then read_ahead(self) end
  local first, last = self.text:find("%S+", self.next)
  if not first or last == #self.text then
    self:fail("it is truncated or damaged: %s is missing or has no end", what)
  end
  if last - first >= MOST_WORD then self:fail("it is damaged: %s is too long for a number", what) end
  self.next = last + 2
  return self.text:sub(first, last)
end

function Ascii:int(what)
  local text = self:word(what)
  local v = text:find "^[+-]?%d+$" and tonumber(text)
  if not v or v ~= v or v >= 2 ^ 31 or v < -2 ^ 31 then
    self:fail("it is damaged: %s is '%s'", what, self.source.shown(text))
  end
  return v
end

function Ascii:long(what)
  local text = self:word(what)
  local sign, digits = text:match "^([+-]?)(%d+)$"
  if not digits or #digits > 19 then
    self:fail("it is damaged: %s is '%s'", what, self.source.shown(text))
  end
  local v = 0LL
  for d in digits:gmatch "%d" do v = v * 10 + tonumber(d) end
  return plain(sign == "-" and -v or v)
end

local REALS = { nan = 0 / 0, ["-nan"] = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }

function Ascii:double(what)
  local text = self:word(what)
  local v = REALS[text:lower()] or text:find "^[-+%d.eE]+$" and tonumber(text)
  if not v then self:fail("it is damaged: %s is '%s'", what, self.source.shown(text)) end
  return v
end

-- Text stands as it is, with a line's end behind it.
function Ascii:chars(n, what)
  self:rewind()
  local text = self.source:take(n, what)
  if n > 0 and self.source:left() > 0 then
    local c = self.source:take(1, what)
    if c ~= "\n" then self.source:seek(self.source.at - 1) end
  end
  return text
end

function Ascii:elements(dtype, n)
  local what = "a storage"
  self:rewind()
  if dtype.itemsize == 1 then
    local flat = self.source:flat(dtype, n, what)
    self.source:fill(flat, dtype, what)
    if n > 0 and self.source:left() > 0 then self.source:take(1, what) end
    return flat
  end
  if n < 0 or n * 2 > self.source:left() + 1 then
    self:fail("it is truncated or damaged: a storage of %.0f numbers in %.0f bytes", n, self.source:left())
  end
  local exact = dtype.name == "int64"
  local values = create.empty({ n }, { dtype = exact and dtype or dtypes.by_name.float64, device = "cpu" })
  local p = ffi.cast(exact and "int64_t *" or "double *", C.kiln_tensor_data(values.p))
  local read = exact and self.long or self.double
  for i = 0, n - 1 do p[i] = read(self, "an element") end
  return values:to(dtype)
end

-- -- Objects -----------------------------------------------------------------------------------

function Reader:string(what)
  local n = self:int("the length of a string")
  if n < 0 then self:fail("it is damaged: %s has the length %d", what, n) end
  return self:chars(n, what)
end

function Reader:read_storage(kind)
  local dtype = dtypes.by_name[KINDS[kind]]
  local n = self:long "the size of a storage"
  if type(n) ~= "number" or n < 0 then self:fail("it is damaged: a storage has %s elements", tostring(n)) end
  local flat = self:elements(dtype, n)
  if self.source.device ~= 0 then flat = flat:to(devices.of(self.source.device)) end
  return { flat = flat, kind = kind }
end

function Reader:longs(n, what)
  local list = {}
  for i = 1, n do list[i] = self:long(what) end
  return list
end

function Reader:read_tensor(kind, depth)
  local ndim = self:int "the dims of a tensor"
  if ndim < 0 or ndim > 8 then self:fail("it is damaged: a tensor has %d dims; 8 are the most", ndim) end
  local shape, stride = self:longs(ndim, "a size"), self:longs(ndim, "a stride")
  local offset = self:long "an offset"
  local storage = self:object(depth)
  local dtype = dtypes.by_name[KINDS[kind]]
  if storage == nil then
    if ndim > 0 and self.source:count(shape, "a tensor") > 0 then self:fail("a tensor without a storage") end
    storage = { flat = create.empty({ 0 }, { dtype = dtype }), kind = kind }
    self.storages[storage] = true
  end
  if type(storage) ~= "table" or storage.kind ~= kind or not self.storages[storage] then
    self:fail("it is damaged: a tensor of %s over what is no storage of %s", kind, kind)
  end
  if ndim == 0 then shape, stride, offset = { 0 }, { 1 }, 1 end
  if type(offset) ~= "number" then self:fail("it is damaged: an offset of %s", tostring(offset)) end
  return self.source:view(storage.flat, dtype, offset - 1, shape, stride, "a tensor")
end

function Reader:read_torch(index, depth)
  local class = self:string "the version of an object"
  if class:find "^V %d+$" then class = self:string "the class of an object" end
  local kind, what = class:match "^torch%.(%a+)(Tensor)$"
  if not kind then kind, what = class:match "^torch%.(%a+)(Storage)$" end
  if kind and KINDS[kind] and what == "Storage" then
    local storage = self:read_storage(kind)
    self.storages[storage] = true
    self.objects[index] = storage
    return storage
  elseif kind and KINDS[kind] then
    local x = self:read_tensor(kind, depth)
    self.objects[index] = x
    return x
  end
  if class:find "^torch%." or class:find "^tds%." then
    self:fail("it holds an object of the class %s, which kiln cannot read", self.source.shown(class))
  end
  local object = { __typename = class }
  self.objects[index] = object
  local fields = self:object(depth)
  if type(fields) ~= "table" or self.storages[fields] then
    self:fail("it holds an object of the class %s, which is stored in a way of its own",
      self.source.shown(class))
  end
  for key, v in pairs(fields) do object[key] = v end
  return object
end
jit.off(Reader.read_torch)

function Reader:read_table(index, depth)
  local n, t = self:int "the size of a table", {}
  if n < 0 then self:fail("it is damaged: a table of %d entries", n) end
  self.objects[index] = t
  for _ = 1, n do
    local key = self:value(depth)
    local v = self:value(depth)
    if type(key) == "number" and key ~= key then self:fail("it is damaged: a key is not a number") end
    if key ~= nil then t[key] = v end
  end
  return t
end

-- An object as the user sees it.
function Reader:value(depth)
  local v = self:object(depth)
  if not self.storages[v] then return v end
  v.object = v.object or v.flat:storage()
  return v.object
end

-- A function's code, its name where it is known, and what it closed over: read and forgotten.
function Reader:skip_function(kind, depth)
  local index
  if kind ~= FUNCTION then
    index = self:int "the number of a function"
    if self.objects[index] ~= nil then return nil end
    self.objects[index] = M.skipped
  end
  self:string "a function"
  self.functions = self.functions + 1
  self:object(depth)
  return nil
end

M.skipped = {} -- stands for a function among the objects

function Reader:object(depth)
  depth = depth + 1
  if depth > DEEPEST then self:fail("it is nested deeper than %d", DEEPEST) end
  local kind = self:int "the kind of a value"
  if kind == NIL then return nil end
  if kind == NUMBER then return self:double "a number" end
  if kind == BOOLEAN then return self:int "a boolean" == 1 end
  if kind == STRING then return self:string "a string" end
  if kind == FUNCTION or kind == LEGACY_FUNCTION or kind == RECUR_FUNCTION then
    return self:skip_function(kind, depth)
  end
  if kind ~= TABLE and kind ~= TORCH then self:fail("it is damaged: a value of kind %d", kind) end
  local index = self:int "the number of an object"
  local known = self.objects[index]
  if known == M.skipped then return nil end
  if known ~= nil then return known end
  if kind == TABLE then return self:read_table(index, depth) end
  return self:read_torch(index, depth)
end

-- -- Files -------------------------------------------------------------------------------------

--- Does a file that starts like this look like a .t7: "binary", "ascii" or nil.
---@return string?
function M.claims(head)
  if head:find "^[\1-\8]%z%z%z" or head == "\0\0\0\0" then return "binary" end
  if head:find "^[0-8]\r?\n" then return "ascii" end
end

local function read(source, form, long_size)
  source:seek(0)
  local self = setmetatable({ source = source, objects = {}, storages = {}, functions = 0,
    long_size = long_size }, form)
  local value = self:value(0)
  if form == Ascii then self:rewind() end
  local left = math.min(source:left(), 16)
  if form == Binary and left > 0 or source:take(left, "the end"):find "%S" then
    self:fail("it is damaged: there is more behind its value, at byte %.0f", source.at)
  end
  if self.functions > 0 then
    M.warn(("kiln: %s: %s: functions were skipped: %d; kiln runs no code from files\n"):format(source.op,
      source.name, self.functions))
  end
  return value
end

--- The value in a .t7.
---@param source kiln.serialization.Source
function M.read(source)
  local form = M.claims(source:take(math.min(8, source.size), "the start"))
  if form == "ascii" then return read(source, Ascii, 8) end
  local ok, value = pcall(read, source, Binary, 8)
  if ok then return value end
  local far = source.at
  local short_ok, short = pcall(read, source, Binary, 4)
  if short_ok then return short end
  check.rethrow(source.at > far and short or value) -- of the reading that made sense for longer
end

return M
