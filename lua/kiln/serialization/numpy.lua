--- NumPy's files: .npy holds one array, .npz (a zip archive) several by name.
-- Lua has no arrays that a tensor could share memory with, so from_numpy() takes and x:numpy() gives the
-- bytes of an .npy: what np.save(io.BytesIO()) writes and np.load reads.  It refuses arrays of Python
-- objects (they need pickle), of records and text, and dtypes that kiln lacks.
local check = require "kiln.check"
local Source = require "kiln.serialization.source"
local sink = require "kiln.serialization.sink"
local zip = require "kiln.serialization.zip"
local zlib = require "kiln.utils.zlib"

local M = { methods = {} }

local MAGIC = "\147NUMPY"
local DTYPES = { f8 = "float64", f4 = "float32", f2 = "float16", i8 = "int64", i4 = "int32", i2 = "int16",
  i1 = "int8", u1 = "uint8", b1 = "bool" }
local CODES = {}
for code, name in pairs(DTYPES) do CODES[name] = (code:find "1$" and "|" or "<") .. code end
DTYPES.u2, DTYPES.u4, DTYPES.u8 = "uint16", "uint32", "uint64" -- read, as wider ones

-- -- Reading -----------------------------------------------------------------------------------

--- Does a file that starts like this look like an .npy?
function M.claims(head) return head:sub(1, #MAGIC) == MAGIC end

-- The values of the three keys of "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }".
local function read_header(source, text)
  local descr = text:match "'descr':%s*'([^']*)'"
  local order = text:match "'fortran_order':%s*(%a+)"
  local shape = text:match "'shape':%s*%(([%d%sL,]*)%)"
  if not descr and text:find "'descr':%s*%[" then
    source:fail("it is an array of records, which kiln cannot hold")
  end
  if not (descr and shape and (order == "True" or order == "False")) then
    source:fail("its header is damaged")
  end
  local list = {}
  for word in shape:gmatch "[^,%s]+" do
    local d = tonumber(word:match "^(%d+)L?$")
    if not d then source:fail("its header is damaged: the shape has '%s'", source.shown(word)) end
    list[#list + 1] = d
  end
  return descr, order == "True", list
end

local REFUSED = { O = "Python objects, which need pickle", U = "text", S = "text", V = "records",
  c = "complex numbers", M = "dates", m = "time spans" }

local function dtype_of(source, descr)
  local order, code = descr:match "^([<>|=]?)(%a%d*)"
  local kind = code and REFUSED[code:sub(1, 1)]
  if kind then source:fail("it is an array of %s (%s)", kind, source.shown(descr)) end
  local dtype = source:dtype_of(DTYPES, code or descr, "the array")
  return dtype, order == ">"
end

local function reversed(list)
  local other = {}
  for i = #list, 1, -1 do other[#other + 1] = list[i] end
  return other
end

--- The tensor in an .npy.  An array in Fortran's order keeps its strides.
---@param source kiln.serialization.Source
---@return kiln.Tensor
function M.read(source)
  local head = source:take(8, "the magic number")
  if not M.claims(head) then source:fail("it is no .npy file") end
  local version = head:byte(7)
  if version < 1 or version > 3 then source:fail("it is an .npy of version %d; 1 to 3 are known", version) end
  local length = source:unsigned(version == 1 and 2 or 4, "the length of the header")
  local descr, fortran, shape = read_header(source, source:take(length, "the header"))
  local dtype, big_endian = dtype_of(source, descr)
  local bytes = source:count(shape, "the array") * dtype.itemsize
  if bytes ~= source:left() then
    source:fail("it is truncated or damaged: the array takes %.0f bytes, there are %.0f", bytes,
      source:left())
  end
  if not fortran or #shape < 2 then return source:tensor(dtype, shape, "the array", big_endian) end
  local x = source:tensor(dtype, reversed(shape), "the array", big_endian)
  local dims = {}
  for i = 1, #shape do dims[i] = #shape + 1 - i end
  local y = x:permute(dims)
  x:free()
  return y
end

--- The tensors in an .npz by name, without the ".npy" of their entries.
---@param archive kiln.serialization.Archive
---@return table<string, kiln.Tensor>
function M.read_archive(archive)
  local tensors = {}
  for _, name in ipairs(archive.names) do
    local key = name:gsub("%.npy$", "")
    if tensors[key] then archive.source:fail("the array '%s' stands twice", archive.source.shown(key)) end
    tensors[key] = M.read(archive:open(name))
  end
  return tensors
end

--- A tensor with the values of a NumPy array, given as the bytes of an .npy.
---@param bytes string
---@return kiln.Tensor
function M.from_numpy(bytes)
  if type(bytes) ~= "string" then
    check.raise("from_numpy", "bytes must be the bytes of an .npy (kiln.load reads files), got %s",
      check.got(bytes))
  end
  return (Source.with(Source.of_string("from_numpy", bytes, "the bytes"), M.read))
end

-- -- Writing -----------------------------------------------------------------------------------

local function header_of(op, x, what)
  local code = CODES[x.dtype.name]
  if not code then check.raise(op, "%s is %s, which NumPy lacks; save x:float()", what, x.dtype.name) end
  local shape = table.concat(x.shape, ", ")
  if x:dim() == 1 then shape = shape .. "," end
  local text = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"):format(code, shape)
  text = text .. (" "):rep(-(#text + 11) % 64) .. "\n"
  return MAGIC .. "\1\0" .. string.char(#text % 256, math.floor(#text / 256)) .. text
end

--- The chunks of an .npy.
function M.chunks(op, x, what)
  check.tensor(x, op, what)
  return { header_of(op, x, what), x }
end

--- The chunks of an .npz: an entry a tensor, sorted by name.
---@param tensors table<string, kiln.Tensor>
function M.archive_chunks(op, tensors)
  local names, items = {}, {}
  for name, x in pairs(tensors) do
    if type(name) ~= "string" then
      check.raise(op, "an .npz holds tensors by name; %s is no name", check.got(name))
    end
    if not check.is_tensor(x) then
      check.raise(op, "an .npz holds tensors by name; '%s' is %s", tostring(name), check.got(x))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local chunks = M.chunks(op, tensors[name], ("'%s'"):format(name))
    local bytes = sink.bytes(chunks)
    items[i] = { name = name .. ".npy", size = #bytes, crc = zlib.crc32(bytes), chunks = { bytes } }
  end
  local chunks = zip.chunks(items)
  if not chunks then check.raise(op, "an .npz of 4 GiB or more; save it as safetensors") end
  return chunks
end
jit.off(M.archive_chunks)

--- The tensor as the bytes of an .npy: a copy.
---@return string
function M.methods:numpy()
  check.tensor(self, "numpy", "self")
  if self.requires_grad then
    check.raise("numpy", "the tensor requires grad, which NumPy does not know; use x:detach():numpy()")
  end
  return sink.bytes(M.chunks("numpy", self, "self"))
end

return M
