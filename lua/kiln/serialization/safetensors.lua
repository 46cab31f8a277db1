--- safetensors: eight bytes of length, a header in JSON, tensors one behind the other.
-- Reads what the format allows and checks what its own library checks: sizes, offsets without holes or
-- overlaps, a file that ends where the last tensor does.  It refuses dtypes that kiln lacks.
local json = require "kiln.serialization.json"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local MOST = 100e6 -- bytes of a header, as in the format's own library

local DTYPES = { F64 = "float64", F32 = "float32", F16 = "float16", BF16 = "bfloat16", I64 = "int64",
  I32 = "int32", I16 = "int16", I8 = "int8", U8 = "uint8", BOOL = "bool" }
local NAMES = {}
for theirs, ours in pairs(DTYPES) do NAMES[ours] = theirs end
DTYPES.U16, DTYPES.U32, DTYPES.U64 = "uint16", "uint32", "uint64" -- read, as wider ones

-- -- Reading -----------------------------------------------------------------------------------

--- Does a file that starts with these 9 bytes and has `size` look like one?
function M.claims(head, size)
  if #head < 9 or head:sub(9, 9) ~= "{" then return false end
  local n = 0
  for i = 8, 1, -1 do n = n * 256 + head:byte(i) end
  return n + 8 <= size or head:sub(6, 8) == "\0\0\0" -- else a truncated one
end

local function read_header(source)
  local n = source:unsigned(8, "the length of the header")
  if n > MOST then source:fail("the header is said to have %.0f bytes; at most %.0f are allowed", n, MOST) end
  local header, why = json.decode(source:take(n, "the header"))
  if why then source:fail("the header is not JSON: %s", why) end
  if not json.is_object(header) then source:fail("the header is not a JSON object") end
  return header
end

local function read_entry(source, name, fields)
  local what = ("tensor '%s'"):format(source.shown(name))
  if not json.is_object(fields) or not json.is_array(fields.shape) or not json.is_array(fields.data_offsets)
    or type(fields.dtype) ~= "string" then
    source:fail("%s lacks a dtype, a shape or data_offsets", what)
  end
  local first, last = fields.data_offsets[1], fields.data_offsets[2]
  if #fields.data_offsets ~= 2 or type(first) ~= "number" or type(last) ~= "number" or first % 1 ~= 0
    or last % 1 ~= 0 or first < 0 then
    source:fail("%s has bad data_offsets", what)
  end
  local dtype = source:dtype_of(DTYPES, fields.dtype, what)
  local shape = {}
  for i = 1, #fields.shape do shape[i] = fields.shape[i] end
  local bytes = source:count(shape, what) * dtype.itemsize
  if last - first ~= bytes then
    source:fail("%s of %s [%s] takes %.0f bytes, its data_offsets have %.0f", what, dtype.name,
      table.concat(shape, ", "), bytes, last - first)
  end
  return { name = name, what = what, dtype = dtype, shape = shape, first = first, last = last }
end

local function read_metadata(source, fields)
  if fields == nil then return {} end
  if not json.is_object(fields) then source:fail("__metadata__ is not a JSON object") end
  for key, value in pairs(fields) do
    if type(value) ~= "string" then
      source:fail("__metadata__ has a value that is no string, '%s'", source.shown(key))
    end
  end
  return fields
end

-- The entries in the order of the file, and the metadata.
local function read_index(source)
  local header, list = read_header(source), {}
  local metadata = read_metadata(source, header.__metadata__)
  for name, fields in pairs(header) do
    if name ~= "__metadata__" then list[#list + 1] = read_entry(source, name, fields) end
  end
  table.sort(list, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    if a.last ~= b.last then return a.last < b.last end
    return a.name < b.name
  end)
  local at = 0
  for _, entry in ipairs(list) do
    if entry.first ~= at then
      source:fail("%s starts at byte %.0f of the data, the one before it ends at %.0f", entry.what,
        entry.first, at)
    end
    at = entry.last
  end
  if at ~= source:left() then
    source:fail("it is truncated or damaged: the header describes %.0f bytes of data, there are %.0f", at,
      source:left())
  end
  return list, metadata
end

--- The tensors by name, and the metadata (strings by name).
---@param source kiln.serialization.Source
---@return table<string, kiln.Tensor> tensors
---@return table<string, string> metadata
function M.read(source)
  local list, metadata = read_index(source)
  local tensors = {}
  for _, entry in ipairs(list) do
    tensors[entry.name] = source:tensor(entry.dtype, entry.shape, entry.what)
  end
  return tensors, metadata
end

-- -- Writing -----------------------------------------------------------------------------------

local function too_large(bytes)
  return nil, ("the names and the values around the tensors take %d bytes, a header holds %d; keep data in "
    .. "tensors"):format(bytes, MOST)
end

--- The chunks of a file.  Wide dtypes come first, so that every tensor is aligned.
---@param tensors table<string, kiln.Tensor>  names are UTF-8 and not "__metadata__"
---@param metadata table<string, string>
---@return table? chunks  nil and why when it cannot be written
---@return string? why
function M.chunks(tensors, metadata)
  local names = {}
  for _, text in pairs(metadata) do
    if #text > MOST then return too_large(#text) end
  end
  for name in pairs(tensors) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    local wide_a, wide_b = tensors[a]:element_size(), tensors[b]:element_size()
    if wide_a ~= wide_b then return wide_a > wide_b end
    return a < b
  end)
  local header, chunks, at = {}, { "" }, 0
  if next(metadata) then header[1] = '"__metadata__":' .. json.encode(metadata) end
  for _, name in ipairs(names) do
    local x = tensors[name]
    local stop = at + x:numel() * x:element_size()
    header[#header + 1] = json.quote(name) .. ":" .. json.encode {
      dtype = NAMES[x.dtype.name], shape = json.array { unpack(x.shape) },
      data_offsets = json.array { at, stop },
    }
    chunks[#chunks + 1], at = x, stop
  end
  local text = "{" .. table.concat(header, ",") .. "}"
  text = text .. (" "):rep(-#text % 8)
  if #text > MOST then return too_large(#text) end
  local length, left = {}, #text
  for i = 1, 8 do
    length[i] = string.char(left % 256)
    left = math.floor(left / 256)
  end
  chunks[1] = table.concat(length) .. text
  return chunks
end

return M
