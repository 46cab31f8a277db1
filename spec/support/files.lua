--- What the file specs share: the fixtures of spec/golden/files, a folder for files of their own, and the
-- values that kiln's own committed files hold.
local ffi = require "ffi"
local kiln = require "kiln"

local M = { folder = "spec/golden/files/" }

M.dtypes = { "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool" }

--- The bytes of a file.
M.bytes = require "spec.support.read"

function M.write(path, bytes)
  local f = assert(io.open(path, "wb"))
  f:write(bytes)
  f:close()
end

--- What fn(...) returns, and what was said meanwhile about functions in Torch7 files.
function M.warned(fn, ...)
  local torch7, said = require "kiln.serialization.torch7", {}
  local warn = torch7.warn
  function torch7.warn(line) said[#said + 1] = line end
  local ok, v = pcall(fn, ...)
  torch7.warn = warn
  if not ok then error(v, 0) end
  return v, table.concat(said)
end

--- A fixture, loaded.
function M.load(name, ...) return kiln.load(M.folder .. name, ...) end

--- 0 1 2 3 4 5 as [2, 3]; of bools whether these are odd.
function M.six(dtype)
  local x = kiln.arange(0, 6, { dtype = kiln.int64 }):view(2, 3)
  if dtype == "bool" then return x:remainder(2):eq(1) end
  return x:to(kiln[dtype])
end

function M.all_dtypes(skip)
  local t = {}
  for _, name in ipairs(M.dtypes) do
    if name ~= skip then t[name] = M.six(name) end
  end
  return t
end

--- Same dtype, shape and elements, NaN equal to NaN.
function M.same(a, b)
  if a.dtype ~= b.dtype or a.shape ~= b.shape then return false end
  local x, y = a:detach():cpu():contiguous(), b:detach():cpu():contiguous()
  local n = x:numel() * x:element_size()
  return n == 0 or ffi.string(ffi.cast("char *", x:data_ptr()), n)
    == ffi.string(ffi.cast("char *", y:data_ptr()), n)
end

--- A value with one of everything that kiln.save takes.
function M.everything()
  local base = kiln.arange(0, 12, { dtype = kiln.float32 }):view(3, 4)
  local loop = { name = "loop" }
  loop.self = loop
  local leaf = M.six "float64"
  leaf.requires_grad = true
  return {
    dtypes = M.all_dtypes(), base = base, row = base[2], column = base[{ {}, 3 }], transposed = base:t(),
    again = base, one = kiln.ones(1):expand(1000, 1000), none = kiln.zeros(0, 3), scalar = kiln.tensor(7),
    leaf = leaf, parameter = kiln.nn.Parameter(M.six "float32"),
    number = 0.1, whole = 2 ^ 53, least = 5e-324, huge = math.huge, tiny = -math.huge, minus_zero = -0.0,
    nan = 0 / 0, big = 9007199254740993LL, negative = -9223372036854775807LL - 1,
    unsigned = 18446744073709551615ULL,
    text = "grüße \"you\"\n", bytes = "\0\255\128", long = ("0123456789"):rep(500), empty_text = "",
    yes = true, no = false, dtype = kiln.bfloat16, shape = base.shape,
    list = { 1, { 2, { 3 } }, "end" }, empty = {}, loop = loop, twice = loop,
    [1] = "one", [-7] = "minus", [1.5] = "half", [true] = "yes", [2 ^ 60] = "far",
  }
end

--- The bytes of kiln's own files, by name.  spec/golden/files.py --check reads them with the libraries
--- whose formats they are.
function M.ours()
  local serialization = kiln.serialization
  local path = os.tmpname()
  local function written(write, extension)
    local name = path .. (extension or "")
    write(name)
    local bytes = M.bytes(name)
    os.remove(name)
    return bytes
  end
  local files = {
    ["ours.safetensors"] = serialization.dumps(M.everything()),
    ["ours_plain.safetensors"] = written(function(name)
      serialization.save_safetensors({ x = M.six "float32" }, name, { made = "by kiln" })
    end),
    ["ours.npy"] = M.six("float32"):numpy(),
    ["ours.npz"] = written(function(name) kiln.save(M.all_dtypes "bfloat16", name) end, ".npz"),
  }
  os.remove(path)
  return files
end

return M
