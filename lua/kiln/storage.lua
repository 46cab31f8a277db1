--- Typed storages: the memory behind tensors as one list of elements.
-- A storage holds a 1-dim tensor over all of the memory, so its life is that of any tensor, and all
-- storages and tensors over the same memory see each other's writes.  Positions count from 1.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local create = require "kiln.create"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local reach = require "kiln.reach"
local size = require "kiln.size"

---@class kiln.Storage
---@operator len: integer
local prototype = newproxy(true) -- a userdata, because LuaJIT's # asks no table's __len
local Storage = getmetatable(prototype)
Storage.__name = "Storage"
local methods = {}
local M = { methods = {} }

local fields = setmetatable({}, { __mode = "k" }) -- storage -> its tensor
local rooms = setmetatable({}, { __mode = "k" })  -- storage -> the elements its memory had room for then

-- How many elements of its dtype the memory of a tensor has.
local function room(x)
  local bytes = C.kiln_storage_bytes(C.kiln_peek_storage(x.p))
  return math.floor(tonumber(bytes) / C.kiln_dtype_size(C.kiln_tensor_dtype(x.p)))
end

local function set(s, all) -- all: a contiguous 1-dim tensor
  fields[s] = reach.keep(all) -- a storage may be held anywhere
  rooms[s] = room(all)
  return s
end

local function new(all) return set(newproxy(prototype), all) end

---@return boolean
function M.is_storage(v) return getmetatable(v) == Storage end

-- A tensor over all the memory of another, in elements of its dtype.
local function whole(x)
  local p = C.kiln_tensor_from_storage(C.kiln_peek_storage(x.p), C.kiln_tensor_dtype(x.p), 0,
    size.to_c { room(x) }, size.to_c { 1 }, 1)
  if p == nil then check.raise_core "storage" end
  return handles.wrap(p)
end

-- All elements of a storage, as many as there are by now.
local function elements(s)
  if room(fields[s]) ~= rooms[s] then set(s, whole(fields[s])) end
  return fields[s]
end

local function live(s, name)
  if not M.is_storage(s) then
    check.raise(name, "must be called on a storage (s:%s()), got %s", name, check.got(s))
  end
  return elements(s)
end

-- A storage over all the memory of a tensor, in elements of its dtype.
local function over(x) return new(whole(x)) end

-- -- Elements ----------------------------------------------------------------------------------

function Storage.__len(s) return elements(s):numel() end

local function element(all, i)
  local n = all:numel()
  local at = check.int(i, "storage", "the position")
  if at < 0 then at = at + n + 1 end
  if at < 1 or at > n then
    check.raise("storage", "position %d is out of range 1..%d", i, n)
  end
  return at
end

function Storage.__index(s, key)
  if type(key) == "string" then
    if key == "is_cuda" then return fields[s].is_cuda end
    if key == "is_sparse" then return false end
    if key == "dtype" or key == "device" then return fields[s][key] end
    local m = methods[key]
    if m == nil then check.raise(nil, "a storage has no field or method '%s'", key) end
    return m
  end
  local all = elements(s)
  return all[element(all, key)]:item()
end

function Storage.__newindex(s, key, value)
  if type(key) == "string" then check.raise(nil, "a storage has no field '%s' to assign", key) end
  local all = elements(s)
  all[element(all, key)] = value
end

function Storage.__tostring(s)
  local n = elements(s):numel()
  local lines = {}
  local i = 1
  while i <= n do
    lines[#lines + 1] = " " .. tostring(s[i])
    if n > 1000 and i == 3 then
      lines[#lines + 1] = " ..."
      i = n - 3
    end
    i = i + 1
  end
  return ("%s\n[%s of size %d]"):format(table.concat(lines, "\n"), s:type(), n)
end

-- The bytes of a string as elements; byte_order is "native", "little" or "big".  `count` elements
-- (without: all) from the byte `offset` (from 0) on.
local function from_buffer(dtype, bytes, byte_order, count, offset)
  local name = "from_buffer"
  if type(bytes) ~= "string" then
    check.raise(name, "the buffer must be a string, got %s", check.got(bytes))
  end
  local width = dtype.itemsize
  offset = offset == nil and 0 or check.int(offset, name, "offset")
  if offset < 0 or offset > #bytes then
    check.raise(name, "offset %d is outside of the buffer of %d bytes", offset, #bytes)
  end
  local rest = #bytes - offset
  if count == nil and rest % width ~= 0 then
    check.raise(name, "%d bytes are not a whole number of %s (%d bytes each)", rest, dtype.name, width)
  end
  count = count == nil and rest / width or check.int(count, name, "count")
  if count < 0 or count * width > rest then
    check.raise(name, "%d elements of %s need %.0f bytes, the buffer has %d from offset %d on", count,
      dtype.name, count * width, rest, offset)
  end
  bytes = bytes:sub(offset + 1, offset + count * width)
  if byte_order == "big" and ffi.abi "le" or byte_order == "little" and ffi.abi "be" then
    bytes = bytes:gsub(("."):rep(width), string.reverse)
  elseif byte_order ~= nil and byte_order ~= "native" and byte_order ~= "little"
    and byte_order ~= "big" then
    check.raise(name, "byte_order must be 'native', 'little' or 'big', got %s", check.got(byte_order))
  end
  return new(create.from_string(bytes, { count }, dtype))
end

-- -- Methods -----------------------------------------------------------------------------------

--- The number of elements.
function methods:size() return live(self, "size"):numel() end

--- A 1-dim tensor over the same memory.
function methods:tensor() return live(self, "tensor"):view(-1) end

--- Bytes an element.
function methods:element_size() return live(self, "element_size"):element_size() end

--- A typed pointer to the first element.
function methods:data_ptr() return live(self, "data_ptr"):data_ptr() end

function methods:fill_(value)
  live(self, "fill_"):fill_(value)
  return self
end

--- Copies the elements of another storage or tensor of as many elements, converting them.
function methods:copy_(source)
  local all = live(self, "copy_")
  local from = M.is_storage(source) and elements(source)
    or check.tensor(source, "copy_", "source"):contiguous():view(-1)
  if from:numel() ~= all:numel() then
    check.raise("copy_", "the source has %d elements, the storage %d", from:numel(), all:numel())
  end
  all:copy_(from)
  return self
end

function methods:clone() return new(live(self, "clone"):clone()) end

--- Changes the number of elements.  All storages over this memory see that it grew; that it shrank, this one
--- alone, for tensors may reach the rest.
function methods:resize_(n)
  local all = live(self, "resize_")
  n = check.int(n, "resize_", "n")
  if n < 0 then check.raise("resize_", "n must not be negative, got %d", n) end
  local raw, before = C.kiln_peek_storage(all.p), all:numel()
  check.status(C.kiln_storage_resize(raw, n * all:element_size()), "resize_")
  set(self, whole(all):narrow(1, 1, n))
  if n > before and all.dtype.name == "bool" then
    fields[self]:narrow(1, before + 1, n - before):fill_(false)
  end
  return self
end

--- The elements as a Lua list.
function methods:tolist() return live(self, "tolist"):tolist() end

--- A new storage of the same kind: s:new(n), s:new({ 1, 2, 3 }).
function methods:new(what)
  local all = live(self, "new")
  local options = { dtype = all.dtype, device = all.device }
  if type(what) == "table" then return new(create.tensor(what, options)) end
  return new(create.empty(what == nil and 0 or check.int(what, "new", "n"), options))
end

--- A new storage of this dtype with the bytes of a string: s:from_buffer(bytes, byte_order, count, offset).
function methods:from_buffer(...) return from_buffer(live(self, "from_buffer").dtype, ...) end

--- Without an argument the old name ("kiln.FloatStorage"); with a dtype a copy as that.
function methods:type(t)
  local all = live(self, "type")
  if t == nil then
    return (all.is_cuda and "kiln.cuda." or "kiln.") .. all.dtype.tensor .. "Storage"
  end
  if type(t) == "string" then t = t:gsub("Storage$", "Tensor") end
  return new(all:to(dtypes.by_code[check.dtype(t, "type")], { copy = true }))
end

for _, name in ipairs { "bool", "byte", "char", "double", "float", "half", "int", "long", "short",
  "cpu", "cuda" } do
  methods[name] = function(s, ...)
    local all = live(s, name)
    local y = all[name](all, ...)
    return y:is_same(all) and s or new(y)
  end
end

function methods:is_pinned() return live(self, "is_pinned"):is_pinned() end
function methods:is_shared() return live(self, "is_shared"):is_shared() end
function methods:share_memory_() return live(self, "share_memory_") and self end
function methods:pin_memory()
  local all = live(self, "pin_memory")
  local pinned = all:pin_memory()
  return pinned:is_same(all) and self or new(pinned)
end

-- -- Making storages -----------------------------------------------------------------------------

--- The storage of a tensor.
function M.methods:storage() return over(check.tensor(self, "storage", "self")) end

--- The old name of the storage's type: "kiln.FloatStorage".
function M.methods:storage_type()
  return over(check.tensor(self, "storage_type", "self")):type()
end

--- kiln.FloatStorage(n), kiln.FloatStorage({ 1, 2 }), kiln.FloatStorage.from_buffer(bytes): the same
--- for every dtype.
---@param name string  "FloatStorage"
---@return table?
function M.constructor(name)
  local dtype = dtypes.by_name[name:gsub("Storage$", "Tensor")]
  if not dtype or name ~= dtype.tensor .. "Storage" then return nil end
  return setmetatable({
    from_buffer = function(...) return from_buffer(dtype, ...) end,
  }, {
    __call = function(_, what)
      if type(what) == "table" then return new(create.tensor(what, { dtype = dtype }):view(-1)) end
      return new(create.empty(what == nil and 0 or check.int(what, name, "n"), { dtype = dtype }))
    end,
  })
end

return M
