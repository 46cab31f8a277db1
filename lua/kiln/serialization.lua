--- Files: kiln.save, kiln.load, and the formats of others.
-- kiln.save writes a safetensors file whose metadata describes the Lua value around the tensors.
-- kiln.load reads that, any other safetensors file, .npy and .npz, PyTorch's .pt and .pth, and Torch7's
-- .t7; what a file is shows in its first bytes, never in its name.  It refuses to run anything a file
-- says, to unpack anything to the disk, and to allocate what the file's size does not account for.
local check = require "kiln.check"
local numpy = require "kiln.serialization.numpy"
local pytorch = require "kiln.serialization.pytorch"
local safetensors = require "kiln.serialization.safetensors"
local sink = require "kiln.serialization.sink"
local Source = require "kiln.serialization.source"
local torch7 = require "kiln.serialization.torch7"
local value_of = require "kiln.serialization.value"
local zip = require "kiln.serialization.zip"

local M = { from_numpy = numpy.from_numpy }

-- -- Reading -----------------------------------------------------------------------------------

local function read_safetensors(source)
  local tensors, metadata = safetensors.read(source)
  local description = metadata[value_of.key]
  if description then return value_of.build(source, tensors, description) end
  return tensors
end

local function read_zip(source)
  local archive = zip.open(source)
  local prefix = pytorch.prefix(archive)
  if prefix then return pytorch.read_archive(source, archive, prefix) end
  for _, name in ipairs(archive.names) do
    if not name:find "%.npy$" then
      source:fail("it is a zip archive, but neither PyTorch's nor NumPy's: it has '%s'", source.shown(name))
    end
  end
  return numpy.read_archive(archive)
end

local HEAD = 512 -- bytes that show what a file is

local function read_any(source)
  local head = source:take(math.min(HEAD, source.size), "the start")
  source:seek(0)
  if head == "" then source:fail("it is empty") end
  if head:sub(1, 4) == "PK\3\4" or head:sub(1, 4) == "PK\5\6" then return read_zip(source) end
  if numpy.claims(head) then return numpy.read(source) end
  local magic = pytorch.legacy(head)
  if magic then return pytorch.read_legacy(source, magic) end
  if head:sub(258, 262) == "ustar" then
    source:fail("it is a tar archive, as PyTorch 0.1 wrote; load and save it again with a newer PyTorch")
  end
  if safetensors.claims(head:sub(1, 9), source.size) then return read_safetensors(source) end
  if torch7.claims(head) then return torch7.read(source) end
  source:fail("it is none of the files that kiln reads (safetensors, .npy, .npz, .pt, .t7), or is damaged")
end

local OPTIONS = { device = 1, map_location = 1 }

-- Where tensors go, from the options of load and loads.
local function device_of(op, options)
  options = check.options(options, OPTIONS, op)
  local device = options.device
  if device == nil then device = options.map_location end
  return device == nil and 0 or check.device(device, op)
end

--- What a file holds.  Tensors go to the CPU, or to { device = "cuda" }.
---@param path string
---@param options? { device?: string, map_location?: string }
---@return any
function M.load(path, options)
  local device = device_of("load", options)
  local source = Source.of_file("load", path)
  source.device = device
  return Source.with(source, read_any)
end

--- The same from the bytes of a file.
---@param bytes string
---@param options? { device?: string, map_location?: string }
---@return any
function M.loads(bytes, options)
  if type(bytes) ~= "string" then
    check.raise("loads", "bytes must be a string, got %s", check.got(bytes))
  end
  local source = Source.of_string("loads", bytes, "the bytes")
  source.device = device_of("loads", options)
  return Source.with(source, read_any)
end

--- The tensors of a safetensors file by name, whoever wrote it, and the strings of its metadata.
---@param path string
---@param options? { device?: string, map_location?: string }
---@return table<string, kiln.Tensor> tensors
---@return table<string, string> metadata
function M.load_safetensors(path, options)
  local device = device_of("load_safetensors", options)
  local source = Source.of_file("load_safetensors", path)
  source.device = device
  return Source.with(source, safetensors.read)
end

-- -- Writing -----------------------------------------------------------------------------------

local function chunks_of(op, value)
  local tensors, description = value_of.describe(value)
  local chunks, why = safetensors.chunks(tensors, { [value_of.key] = description })
  if not chunks then check.raise(op, "%s", why) end
  return chunks
end

--- Writes a value: tensors, numbers, strings, booleans, dtypes, sizes, and tables of them, such as the
--- state_dict() of modules and optimizers.  The file is a safetensors file; a path that ends in .npy
--- (a tensor) or .npz (tensors by name) gives a file of NumPy's.
---@param value any
---@param path string
function M.save(value, path)
  if type(value) == "string" and type(path) ~= "string" then
    check.raise("save", "path must be the name of a file, got %s; the value comes first: save(value, path)",
      check.got(path))
  end
  sink.check_path("save", path)
  local chunks
  if path:find "%.npy$" then
    chunks = numpy.chunks("save", value, "the value")
  elseif path:find "%.npz$" then
    if type(value) ~= "table" or getmetatable(value) ~= nil then
      check.raise("save", "an .npz holds a table of tensors by name, got %s", check.got(value))
    end
    chunks = numpy.archive_chunks("save", value)
  else
    chunks = chunks_of("save", value)
  end
  sink.write("save", path, chunks)
end

--- The bytes that save() would write.
---@param value any
---@return string
function M.dumps(value) return sink.bytes(chunks_of("dumps", value)) end

--- Writes a plain safetensors file: tensors by name, and strings of metadata.
---@param tensors table<string, kiln.Tensor>
---@param path string
---@param metadata? table<string, string>
function M.save_safetensors(tensors, path, metadata)
  local op, json = "save_safetensors", require "kiln.serialization.json"
  local function utf8(s) return type(s) == "string" and not json.bad_utf8(s) end
  if type(tensors) ~= "table" or getmetatable(tensors) ~= nil then
    check.raise(op, "tensors must be a table of tensors by name, got %s", check.got(tensors))
  end
  for name, x in pairs(tensors) do
    if not utf8(name) or name == "__metadata__" then
      check.raise(op, "a name must be a UTF-8 string other than __metadata__, got %s", check.got(name))
    end
    check.tensor(x, op, ("'%s'"):format(name))
  end
  if metadata ~= nil and type(metadata) ~= "table" then
    check.raise(op, "metadata must be a table of strings by name, got %s", check.got(metadata))
  end
  for key, text in pairs(metadata or {}) do
    if not utf8(key) or not utf8(text) then
      check.raise(op, "metadata must be UTF-8 strings by name, got %s", check.got(text))
    end
  end
  local chunks, why = safetensors.chunks(tensors, metadata or {})
  if not chunks then check.raise(op, "%s", why) end
  sink.write(op, path, chunks)
end
jit.off(M.save_safetensors)

return require("kiln.namespace").of("kiln.serialization", M)
