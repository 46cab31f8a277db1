--- Lua values as a set of named tensors and a description, and back.
-- The tensors are what a safetensors file holds; the description is JSON text for its metadata, under
-- the key "kiln".  Tables are numbered, so one that stands at two places, or inside itself, comes back
-- as one.  Tensors whose memory overlaps come back over one storage.  It refuses functions, userdata,
-- coroutines, other cdata and tables with metatables, and says where in the value they stand.
--
--   { version, root = V, tables = { { list = [V...], keys = [V...], values = [V...] }... },
--     tensors = { { entry = name, dtype?, offset?, shape?, stride?, requires_grad?, parameter? }... } }
--   V: true, false, null, a string, a finite number, or one of
--     { table = i } { tensor = i } { int64 = "9" } { uint64 = "9" } { number = "nan" | "inf" | "-inf" }
--     { dtype = "float32" } { size = [2, 3] } { text = name of the uint8 tensor that holds a string }
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local create = require "kiln.create"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local json = require "kiln.serialization.json"
local size = require "kiln.size"

local M = { key = "kiln" }

local VERSION = 1
local LONG_TEXT = 4096 -- longer strings become tensors: a header has a limit
local shown = require("kiln.serialization.source").shown

local istype = ffi.istype
local function address(pointer) return tonumber(ffi.cast("uintptr_t", pointer)) end

-- -- Where a value stands ------------------------------------------------------------------------

-- A place is { up = place, key = key }; the root has no key.

local function key_text(key) return type(key) == "number" and ("%.17g"):format(key) or tostring(key) end

-- "model.conv1.weight", with the last parts only where the way is long.
local function name_of(place)
  local parts = {}
  while place.up and #parts < 16 do
    table.insert(parts, 1, key_text(place.key))
    place = place.up
  end
  return table.concat(parts, ".")
end

local function where(place)
  local name = name_of(place)
  return name == "" and "the value" or ("the value at '%s'"):format(shown(name))
end

local function copy(list)
  local array = json.array {}
  for i = 1, #list do array[i] = list[i] end
  return array
end

-- -- Writing: tensors ------------------------------------------------------------------------------

local Writer = {}
Writer.__index = Writer

-- A name for an entry that no other has.
function Writer:unique(place, suffix)
  local name = name_of(place)
  if json.bad_utf8(name) then name = name:gsub("[\128-\255]", "?") end
  name = (name == "" and "value" or name) .. (suffix or "")
  local taken, n = name, 1
  while self.entries[taken] or taken == "__metadata__" do
    n = n + 1
    taken = ("%s#%d"):format(name, n)
  end
  return taken
end

-- The bytes of the storage that a tensor reaches: first, and one behind the last.
local function range_of(x)
  local first, last = x:storage_offset(), x:storage_offset()
  local shape, stride = x.shape, x:stride()
  for i = 1, #shape do
    local step = (shape[i] - 1) * stride[i]
    if step < 0 then first = first + step else last = last + step end
  end
  local width = x:element_size()
  return first * width, (last + 1) * width
end

function Writer:tensor(x, place)
  local at = address(x.p)
  local number = self.tensor_number[at]
  if number then return number end
  number = #self.tensors + 1
  local row = { x = x, place = place, number = number, item = {} }
  if x:numel() > 0 then
    row.storage = address(C.kiln_peek_storage(x.p))
    row.first, row.last = range_of(x)
  else
    row.storage, row.first, row.last = -number, 0, 0 -- shares with nobody
  end
  if x.requires_grad then
    row.item.requires_grad = true
    row.item.parameter = require("kiln.nn.parameter").is(x) or nil
  end
  self.tensors[number], self.tensor_number[at] = row, number
  return number
end

-- A contiguous row that has all the memory of its group, if every row is of its dtype.
local function owner_of(group)
  local owner
  for _, row in ipairs(group) do
    local x = row.x
    if x.dtype ~= group[1].x.dtype then return nil end
    if not owner and row.first == group.first and row.last == group.last and x:is_contiguous() then
      owner = row
    end
  end
  return owner
end

-- A 1-dim tensor over the memory of a group; bytes where the dtypes differ.
local function memory_of(group)
  local dtype = group[1].x.dtype
  for _, row in ipairs(group) do
    if row.x.dtype ~= dtype then dtype = dtypes.by_name.uint8 end
  end
  local first = group.first - group.first % 8
  if dtype.name ~= "uint8" then first = group.first end
  local n = (group.last - first) / dtype.itemsize
  local p = C.kiln_tensor_from_storage(C.kiln_peek_storage(group[1].x.p), dtype.code, first / dtype.itemsize,
    size.to_c { n }, size.to_c { 1 }, 1)
  if p == nil then check.raise_core "save" end
  return handles.wrap(p), first
end

local function as_view(row, entry, memory, start)
  local x, item = row.x, row.item
  local width = x:element_size()
  item.entry = entry
  item.dtype = x.dtype ~= memory.dtype and x.dtype.name or nil
  item.offset = (x:storage_offset() * width - start) / width
  item.shape, item.stride = copy(x.shape), copy(x:stride())
end

-- One tensor by itself is written in order of its elements, unless it is expanded.
local function is_plain(group)
  local x = group[1].x
  return #group == 1 and x:numel() * x:element_size() <= group.last - group.first
end

function Writer:write_group(group)
  local owner = is_plain(group) and group[1] or owner_of(group)
  if owner then
    local entry = self:unique(owner.place)
    self.entries[entry], owner.item.entry = owner.x, entry
    for _, row in ipairs(group) do
      if row ~= owner then as_view(row, entry, owner.x, group.first) end
    end
    return
  end
  local entry = self:unique(group[1].place, ".storage")
  local memory, start = memory_of(group)
  self.entries[entry] = memory
  for _, row in ipairs(group) do as_view(row, entry, memory, start) end
end

-- Tensors whose memory overlaps make a group.
function Writer:write_tensors()
  local rows = {}
  for i, row in ipairs(self.tensors) do rows[i] = row end
  table.sort(rows, function(a, b)
    if a.storage ~= b.storage then return a.storage < b.storage end
    if a.first ~= b.first then return a.first < b.first end
    return a.number < b.number
  end)
  local groups, group = {}, nil
  for _, row in ipairs(rows) do
    if group and group.storage == row.storage and row.first < group.last then
      group[#group + 1] = row
      group.last = math.max(group.last, row.last)
    else
      group = { row, storage = row.storage, first = row.first, last = row.last }
      groups[#groups + 1] = group
    end
  end
  -- Addresses differ from run to run, the file must not.
  for _, g in ipairs(groups) do table.sort(g, function(a, b) return a.number < b.number end) end
  table.sort(groups, function(a, b) return a[1].number < b[1].number end)
  for _, g in ipairs(groups) do self:write_group(g) end
end

-- -- Writing: values -------------------------------------------------------------------------------

local function refuse(v, place)
  local mt = type(v) == "table" and getmetatable(v)
  if mt then
    local hint = type(v.state_dict) == "function" and "; save what its state_dict() returns"
      or "; only plain tables are saved"
    check.raise("save", "%s is %s%s", where(place), check.got(v), hint)
  end
  check.raise("save", "%s is %s, which cannot be saved", where(place), check.got(v))
end

function Writer:text(s, place)
  if #s <= LONG_TEXT and not json.bad_utf8(s) then return s end
  local entry = self.texts[s]
  if not entry then
    entry = self:unique(place, ".text")
    self.entries[entry], self.texts[s] = create.from_string(s), entry
  end
  return { text = entry }
end

local function number(v)
  if v ~= v then return { number = "nan" } end
  if v == math.huge then return { number = "inf" } end
  if v == -math.huge then return { number = "-inf" } end
  return v
end

-- The description of one value; tables are put on the list to be described later.
function Writer:value(v, place)
  local kind = type(v)
  if v == nil then return json.null end -- a hole in a list
  if kind == "boolean" then return v end
  if kind == "number" then return number(v) end
  if kind == "string" then return self:text(v, place) end
  if check.is_tensor(v) then return { tensor = self:tensor(check.tensor(v, "save", where(place)), place) } end
  if dtypes.is_dtype(v) then return { dtype = v.name } end
  if size.is_size(v) then return { size = copy(v) } end
  if kind == "cdata" and istype("int64_t", v) then return { int64 = tostring(v):match "^%-?%d+" } end
  if kind == "cdata" and istype("uint64_t", v) then return { uint64 = tostring(v):match "^%d+" } end
  if kind ~= "table" or getmetatable(v) ~= nil then refuse(v, place) end
  local n = self.table_number[v]
  if not n then
    n = #self.tables + 1
    self.tables[n], self.table_number[v] = { value = v, place = place }, n
  end
  return { table = n }
end

local RANK = { number = 1, string = 2, boolean = 3 }

-- Keys outside the list part, in an order that depends on nothing else.
local function sorted_keys(t, place)
  local keys, n = {}, #t
  for key in pairs(t) do
    if not RANK[type(key)] then
      check.raise("save", "a key of %s is %s; numbers, strings and booleans can be keys", where(place),
        check.got(key))
    end
    if not (type(key) == "number" and key % 1 == 0 and key >= 1 and key <= n) then keys[#keys + 1] = key end
  end
  table.sort(keys, function(a, b)
    local rank_a, rank_b = RANK[type(a)], RANK[type(b)]
    if rank_a ~= rank_b then return rank_a < rank_b end
    if type(a) == "boolean" then return a and not b end
    return a < b
  end)
  return keys
end
jit.off(sorted_keys)

function Writer:describe_table(row)
  local t, place = row.value, row.place
  local list, keys, values = {}, {}, {}
  local sorted = sorted_keys(t, place)
  for i = 1, #t do list[i] = self:value(t[i], { up = place, key = i }) end
  for i, key in ipairs(sorted) do
    local here = { up = place, key = key }
    keys[i], values[i] = self:value(key, here), self:value(t[key], here)
  end
  return { list = #list > 0 and json.array(list) or nil, keys = #keys > 0 and json.array(keys) or nil,
    values = #keys > 0 and json.array(values) or nil }
end

--- Named tensors, and the text that says how the value is built from them.
---@return table<string, kiln.Tensor> tensors
---@return string description
function M.describe(value)
  local w = setmetatable({ entries = {}, tensors = {}, tensor_number = {}, tables = {}, table_number = {},
    texts = {} }, Writer)
  local root = w:value(value, {})
  local tables, i = {}, 1
  while w.tables[i] do -- describing a table may add others
    tables[i] = w:describe_table(w.tables[i])
    i = i + 1
  end
  w:write_tensors()
  local tensors = {}
  for k, row in ipairs(w.tensors) do tensors[k] = row.item end
  return w.entries, json.encode { version = VERSION, root = root, tables = json.array(tables),
    tensors = json.array(tensors) }
end

-- -- Reading -----------------------------------------------------------------------------------

local Reader = {}
Reader.__index = Reader

function Reader:damaged(what, ...) self.source:fail("its description is damaged: " .. what, ...) end

function Reader:list(v, what)
  if v == nil then return json.array {} end
  if not json.is_array(v) then self:damaged("%s is not a list", what) end
  return v
end

function Reader:entry(name)
  local x = type(name) == "string" and self.entries[name]
  if not x then
    self:damaged("there is no tensor called '%s'", shown(tostring(name)))
  end
  return x
end

-- Every bool that a view of bytes shows must be 0 or 1.
local function tidy_bools(self, memory, item, shape, what)
  local bytes = self.source:view(memory, dtypes.by_name.uint8, item.offset, shape, item.stride, what)
  if bytes:numel() > memory:numel() * memory:element_size() then self:damaged("%s is too large", what) end
  local fixed = bytes:ne(0)
  bytes:copy_(fixed)
  fixed:free()
  bytes:free()
end

function Reader:tensor(i, item)
  local what = ("tensor %d"):format(i)
  if not json.is_object(item) then self:damaged("%s is not described", what) end
  local x = self:entry(item.entry)
  if item.offset ~= nil then
    local dtype = item.dtype == nil and x.dtype or type(item.dtype) == "string" and dtypes.of(item.dtype)
    if not dtype then self:damaged("%s has an unknown dtype", what) end
    local shape, stride = self:list(item.shape, "a shape"), self:list(item.stride, "a stride")
    local view = self.source:view(x, dtype, item.offset, shape, stride, what)
    if dtype.name == "bool" and x.dtype ~= dtype and view:numel() > 0 then
      tidy_bools(self, x, item, shape, what)
    end
    x = view
  end
  if item.requires_grad then
    if not x.dtype.is_floating_point then self:damaged("%s cannot require grad", what) end
    if item.parameter then return require("kiln.nn.parameter").new(x) end
    if item.offset == nil then x = x:detach() end
    x.requires_grad = true
  end
  return x
end

-- Decimal digits as a number of a 64-bit type, or nil.
local function integer(v, zero, pattern)
  local sign, digits = tostring(v):match(pattern)
  if not digits or type(v) ~= "string" or #digits > 20 then return nil end
  local n = zero
  for d in digits:gmatch "%d" do n = n * 10 + tonumber(d) end
  return sign == "-" and -n or n
end

-- { int64 = "5" } and the like: a function a kind.
local KINDS = {
  int64 = function(v) return integer(v, 0LL, "^(%-?)(%d+)$") end,
  uint64 = function(v) return integer(v, 0ULL, "^(%+?)(%d+)$") end,
  number = function(v)
    return v == "nan" and 0 / 0 or v == "inf" and math.huge or v == "-inf" and -math.huge or nil
  end,
  dtype = function(v) return type(v) == "string" and dtypes.by_name[v] or nil end,
  size = function(v)
    if not json.is_array(v) then return nil end
    local list = {}
    for i = 1, #v do
      if type(v[i]) ~= "number" then return nil end
      list[i] = v[i]
    end
    return size.new(list)
  end,
  table = function(v, self) return self.tables[v] end,
  tensor = function(v, self) return self.tensors[v] end,
  text = function(v, self)
    local x = self:entry(v)
    return x.dtype.name == "uint8" and ffi.string(C.kiln_tensor_data(x:cpu().p), x:numel()) or nil
  end,
}

-- The entry of a table that has one only.  It is not compiled: docs/architecture.md, "LuaJIT".
local function only_entry(t)
  local key, value = next(t)
  if key ~= nil and next(t, key) == nil then return key, value end
end
jit.off(only_entry)

function Reader:value(v)
  if not json.is_object(v) then
    if v == json.null then return nil end
    if json.is_array(v) then self:damaged("a list stands where a value should be") end
    return v
  end
  local kind, content = only_entry(v)
  local read = KINDS[kind]
  if not read then self:damaged("a value of no known kind") end
  local value = read(content, self)
  if value == nil then self:damaged("a bad value of kind %s", kind) end
  return value
end

function Reader:fill_table(t, row)
  if not json.is_object(row) then self:damaged("a table is not described") end
  for i, v in ipairs(self:list(row.list, "a list")) do t[i] = self:value(v) end
  local keys, values = self:list(row.keys, "keys"), self:list(row.values, "values")
  if #keys ~= #values then self:damaged("%d keys and %d values", #keys, #values) end
  for i = 1, #keys do
    local key = self:value(keys[i])
    if not RANK[type(key)] or key ~= key then self:damaged("a bad key") end
    t[key] = self:value(values[i])
  end
end

--- The value that describe() took apart.
---@param source kiln.serialization.Source  for messages and views
---@param entries table<string, kiln.Tensor>
---@param text string
function M.build(source, entries, text)
  local self = setmetatable({ source = source, entries = entries, tables = {}, tensors = {} }, Reader)
  local doc, why = json.decode(text)
  if why then self:damaged("%s", why) end
  if not json.is_object(doc) then self:damaged("it is not an object") end
  if doc.version ~= VERSION then
    source:fail("it was written by another version of kiln (format %s, this one reads %d)",
      shown(tostring(doc.version)), VERSION)
  end
  local tables = self:list(doc.tables, "tables")
  for i = 1, #tables do self.tables[i] = {} end
  for i, item in ipairs(self:list(doc.tensors, "tensors")) do self.tensors[i] = self:tensor(i, item) end
  for i = 1, #tables do self:fill_table(self.tables[i], tables[i]) end
  return self:value(doc.root)
end

return M
