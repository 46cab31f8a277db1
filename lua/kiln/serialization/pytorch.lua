--- PyTorch's .pt and .pth files: what torch.save writes, as a zip archive or in the older form.
-- A pickle says how the value is built, the storages stand beside it.  Tensors, parameters, storages,
-- dtypes, sizes, devices, dicts, lists, numbers and strings come back; storages that tensors share stay
-- shared; a sparse tensor is a table of its parts.  Everything else is refused by its name: whole modules,
-- quantized tensors, TorchScript archives, the tar form of PyTorch 0.1.  It writes no such files.
local check = require "kiln.check"
local create = require "kiln.create"
local dtypes = require "kiln.dtype"
local pickle = require "kiln.serialization.pickle"
local size = require "kiln.size"
local UNSIGNED = require("kiln.serialization.source").UNSIGNED

local M = {}

local NONE, kind_of = pickle.NONE, pickle.kind
local MOST_DIMS = 64
local PARAMETER = "torch.nn.parameter.Parameter"

-- -- What a pickle may name ------------------------------------------------------------------------

local STORAGES = { DoubleStorage = "float64", FloatStorage = "float32", HalfStorage = "float16",
  BFloat16Storage = "bfloat16", LongStorage = "int64", IntStorage = "int32", ShortStorage = "int16",
  CharStorage = "int8", ByteStorage = "uint8", BoolStorage = "bool", UntypedStorage = "uint8",
  _UntypedStorage = "uint8" }

-- A kind of storage is a global that cannot be called; its dtype stands here.
local dtype_of = {}
local function storage_type(name)
  local function kind(vm) vm:fail("it makes a storage out of nothing") end
  dtype_of[kind] = dtypes.by_name[name]
  return kind
end

-- A storage: its memory as a 1-dim tensor, filled now or later.
local Storage = {}

local function list_of(vm, v, what)
  if size.is_size(v) then return v end
  if kind_of(v) ~= "tuple" and kind_of(v) ~= "list" then vm:fail("%s of a tensor is no list", what) end
  return v
end

-- A view of a storage; `dtype` where the storage is bytes of no dtype.
local function rebuild(vm, storage, offset, shape, stride, dtype)
  if getmetatable(storage) ~= Storage then vm:fail("a tensor without a storage") end
  dtype = dtype or storage.dtype
  return vm.source:view(storage.flat, dtype, offset, list_of(vm, shape, "the size"),
    list_of(vm, stride, "the stride"), "a tensor")
end

local SIGNED = { uint16 = "int16", uint32 = "int32", uint64 = "int64" }

-- A tensor of an unsigned dtype that kiln lacks: a copy in the next wider signed one, no larger than the file
-- accounts for.
local function rebuild_unsigned(vm, dtype, storage, offset, shape, stride)
  local same = rebuild(vm, storage, offset, shape, stride, dtypes.by_name[SIGNED[dtype.name]])
  vm.widened = (vm.widened or 0) + same:numel() * dtype.itemsize
  if vm.widened > vm.source.size then
    vm:fail("its tensors of %s are larger than itself; save them as %s", dtype.name, dtype.wide.name)
  end
  local x = create.empty(same.shape, { dtype = dtype.wide, device = same.device })
  vm.later[#vm.later + 1] = function()
    x:copy_(same)
    if dtype.itemsize < 8 then
      x:remainder_(2 ^ (8 * dtype.itemsize))
    elseif same:lt(0):any():item() then
      vm:fail("a tensor of uint64 has elements beyond 2^63 - 1, which int64 does not hold")
    end
    same:free()
  end
  return x
end

local function require_grad(vm, x, on)
  if on ~= true then return x end
  if not x.dtype.is_floating_point then vm:fail("a tensor of %s requires grad", x.dtype.name) end
  x.requires_grad = true
  return x
end

local GLOBALS = {}

GLOBALS["torch._utils._rebuild_tensor"] = function(vm, a) return rebuild(vm, a[1], a[2], a[3], a[4]) end

GLOBALS["torch._utils._rebuild_tensor_v2"] = function(vm, a, n)
  local extra = n >= 7 and a[7] ~= NONE and a[7]
  if extra and kind_of(extra) == "dict" and (extra.conj or extra.neg) then
    vm:fail("a tensor with a conjugate or negative bit")
  end
  return require_grad(vm, rebuild(vm, a[1], a[2], a[3], a[4]), a[5])
end

GLOBALS["torch._utils._rebuild_tensor_v3"] = function(vm, a)
  local dtype = a[7]
  if type(dtype) == "table" and UNSIGNED[dtype.name] == dtype then
    return rebuild_unsigned(vm, dtype, a[1], a[2], a[3], a[4])
  end
  if not dtypes.is_dtype(dtype) or dtype.name == "bool" then vm:fail("a tensor without a dtype") end
  return require_grad(vm, rebuild(vm, a[1], a[2], a[3], a[4], dtype), a[5])
end

GLOBALS["torch._utils._rebuild_parameter"] = function(vm, a)
  if not check.is_tensor(a[1]) then vm:fail("a parameter without a tensor") end
  if a[2] == true and not a[1].dtype.is_floating_point then
    vm:fail("a parameter of %s requires grad", a[1].dtype.name)
  end
  return require("kiln.nn.parameter").new(a[1], a[2] == true)
end

-- A tensor or parameter that attributes were set on in Python.  Here it has none, and they are left out.
GLOBALS["torch._utils._rebuild_parameter_with_state"] = GLOBALS["torch._utils._rebuild_parameter"]
local function rebuild_from_type(vm, a)
  local fn, type_of = a[1], vm.classes[a[2]]
  if fn == GLOBALS["torch._tensor._rebuild_from_type_v2"] then vm:fail("a tensor inside a tensor") end
  if type_of ~= "torch.Tensor" and type_of ~= PARAMETER then vm:fail("a tensor of no class") end
  local x = vm:call(fn, a[3])
  if not check.is_tensor(x) then vm:fail("a tensor that is none") end
  return x
end
GLOBALS["torch._tensor._rebuild_from_type_v2"] = rebuild_from_type
for _, name in ipairs { "torch.Tensor", PARAMETER } do
  GLOBALS[name] = function(vm) vm:fail("it makes a tensor out of nothing") end
end

-- What stands in front of the values of a sparse tensor, by its layout.
local PARTS = { sparse_coo = { "indices" }, sparse_csr = { "crow_indices", "col_indices" },
  sparse_csc = { "ccol_indices", "row_indices" } }

GLOBALS["torch.serialization._get_layout"] = function(vm, a)
  local layout = type(a[1]) == "string" and a[1]:match "^torch%.(.*)$"
  if not PARTS[layout] then
    vm:fail("a tensor of the layout %s; save x.to_dense()", vm.source.shown(tostring(a[1])))
  end
  return layout
end

-- { layout = , size = , values = , indices = }; what PyTorch counts from 0 counts from 1 here.
GLOBALS["torch._utils._rebuild_sparse_tensor"] = function(vm, a)
  local layout, data = a[1], a[2]
  local names = PARTS[layout]
  if not names or kind_of(data) ~= "tuple" then vm:fail("a sparse tensor that is not described") end
  local t = { layout = layout, values = data[#names + 1], size = data[#names + 2] }
  for i, name in ipairs(names) do t[name] = data[i] end
  if not check.is_tensor(t.values) or not size.is_size(t.size) then
    vm:fail("a sparse tensor without its parts")
  end
  for _, name in ipairs(names) do
    local x = t[name]
    if not check.is_tensor(x) or x.dtype.name ~= "int64" then
      vm:fail("a sparse tensor without %s", name)
    end
    vm.widened = (vm.widened or 0) + x:numel() * x:element_size()
    if vm.widened > vm.source.size then vm:fail("its sparse tensors are larger than itself") end
    vm.later[#vm.later + 1] = function() t[name] = x + 1 end
  end
  return t
end

GLOBALS["collections.OrderedDict"] = function(vm, a, n)
  local dict = vm:dict()
  if n == 0 then return dict end
  if kind_of(a[1]) ~= "list" then vm:fail("an OrderedDict of what is no list") end
  -- One list may be given to many of them.
  vm.copied = (vm.copied or 0) + vm:count(a[1])
  if vm.copied > vm.source.size then vm:fail("its OrderedDicts have more items than it has bytes") end
  for i = 1, vm:count(a[1]) do
    local pair = a[1][i]
    if type(pair) ~= "table" or vm:count(pair) ~= 2 then
      vm:fail("an OrderedDict with an item that is no pair")
    end
    vm:set_item(dict, pair[1], pair[2])
  end
  return dict
end

GLOBALS["torch.Size"] = function(vm, a)
  local list, given = {}, list_of(vm, a[1], "a size")
  if #given > MOST_DIMS then vm:fail("a size of %d dims", #given) end
  for i, d in ipairs(given) do
    if type(d) ~= "number" then vm:fail("a size with what is no number") end
    list[i] = d
  end
  return size.new(list)
end

GLOBALS["torch.device"] = function(vm, a)
  local name, i = a[1], a[2]
  if type(name) ~= "string" then vm:fail("a device without a name") end
  name, i = name:match "^[^:]*", i or tonumber(name:match ":(%d+)$")
  return type(i) == "number" and ("%s:%d"):format(name, i + 1) or name
end

GLOBALS["__builtin__.bytes"] = function(vm, _, n)
  if n > 0 then vm:fail("bytes made of something") end
  return ""
end

-- Bytes, in the pickles that know text only.
GLOBALS["_codecs.encode"] = function(vm, a)
  if type(a[1]) ~= "string" or a[2] ~= "latin1" then vm:fail("bytes in the code of '%s'", tostring(a[2])) end
  return (a[1]:gsub("[\194\195][\128-\191]", function(c)
    return string.char((c:byte(1) - 194) * 64 + c:byte(2))
  end))
end

for theirs, ours in pairs { float64 = "float64", double = "float64", float32 = "float32", float = "float32",
  float16 = "float16", half = "float16", bfloat16 = "bfloat16", int64 = "int64", long = "int64",
  int32 = "int32", int = "int32", int16 = "int16", short = "int16", int8 = "int8", uint8 = "uint8",
  bool = "bool" } do
  GLOBALS["torch." .. theirs] = dtypes.by_name[ours]
end
for name, dtype in pairs(UNSIGNED) do GLOBALS["torch." .. name] = dtype end
for name, dtype in pairs(STORAGES) do
  GLOBALS["torch." .. name] = storage_type(dtype)
  GLOBALS["torch.storage." .. name] = GLOBALS["torch." .. name]
  GLOBALS["torch.cuda." .. name] = GLOBALS["torch." .. name]
end

local function refuse(name)
  if name:find "^torch%.nn%.modules" then return "save the module's state_dict()" end
  if name:find "qtensor" or name:find "^torch%.Q" or name:find "^torch%.storage%.Q" then
    return "kiln has no quantized dtypes"
  end
  if name:find "^torch%.Complex" or name:find "^torch%.complex" then return "kiln has no complex dtypes" end
  if name:find "^torch%.[%w]*$" or name:find "^torch%.storage%." then return "kiln has nothing like it" end
  return "save tensors, numbers, strings, lists and dicts"
end

-- -- Storages ----------------------------------------------------------------------------------

-- ("storage", type, key, device, elements, ...): finds the storage of that key or makes it with
-- make(key, dtype, elements).
local function persistent(storages, make)
  return function(vm, id)
    local kind = kind_of(id) == "tuple" and id[1]
    if kind ~= "storage" then
      vm:fail("it refers to something outside itself (%s)", vm.source.shown(tostring(kind)))
    end
    local type_of, key, n, view = id[2], id[3], id[5], id[6]
    if not dtype_of[type_of] or type(key) ~= "string" or type(n) ~= "number" then
      vm:fail("a storage is not described")
    end
    local dtype = dtype_of[type_of]
    if view ~= nil then vm:fail("a storage that is a view of another") end
    local storage = storages[key]
    if storage and storage.dtype ~= dtype and n == 0 and storage.flat:numel() == 0 then
      -- PyTorch takes care that storages differ only where they have bytes.
      return setmetatable({ dtype = dtype, flat = vm.source:flat(dtype, 0, "a storage") }, Storage)
    end
    if not storage then
      storage = setmetatable({ dtype = dtype, flat = make(key, dtype, n) }, Storage)
      storages[key] = storage
    end
    if storage.dtype ~= dtype or storage.flat:numel() ~= n then
      vm:fail("the storage '%s' has two descriptions", vm.source.shown(key))
    end
    return storage
  end
end

-- What stands in the value for a storage that was saved by itself.
local function value_of(v, vm)
  if type(v) == "table" and UNSIGNED[v.name] == v then
    vm:fail("it holds the dtype torch.%s, which kiln lacks", v.name)
  end
  if getmetatable(v) ~= Storage then return v end
  v.object = v.object or v.flat:storage()
  return v.object
end

-- -- The two forms -------------------------------------------------------------------------------

--- Is the archive one of torch.save?  Returns the folder inside that it stands in.
---@param archive kiln.serialization.Archive
---@return string? prefix
function M.prefix(archive)
  for _, name in ipairs(archive.names) do
    local prefix = name:match "^(.*/)data%.pkl$" or name:match "^()data%.pkl$" and ""
    if prefix then return prefix end
  end
end

--- The value in an archive.
---@param source kiln.serialization.Source
---@param archive kiln.serialization.Archive
---@param prefix string
function M.read_archive(source, archive, prefix)
  if archive.entries[prefix .. "constants.pkl"] then
    source:fail("it is a TorchScript archive, which holds code; save the module's state_dict()")
  end
  local order = archive:open(prefix .. "byteorder")
  local big_endian = order and order:take(order.size, "the byte order") == "big"
  local storages = {}
  local function read(key, dtype, n)
    local name = prefix .. "data/" .. key
    local part = archive:open(name)
    if not part then source:fail("the storage '%s' is missing", source.shown(name)) end
    local what = "the storage"
    local flat = part:flat(dtype, n, what)
    if n * dtype.itemsize ~= part.size then
      part:fail("%.0f elements of %s take %.0f bytes, there are %.0f", n, dtype.name, n * dtype.itemsize,
        part.size)
    end
    part:fill(flat, dtype, what, big_endian)
    return flat
  end
  local value, complete = M.run(archive:open(prefix .. "data.pkl"), persistent(storages, read))
  complete()
  return value
end

--- The value of one pickle whose storages `find` knows; and what to call when they have their bytes.
function M.run(source, find)
  local later = {}
  local value = pickle.load(source, { globals = GLOBALS, refuse = refuse, value = value_of, persistent = find,
    later = later })
  return value, function()
    for _, fn in ipairs(later) do fn() end
  end
end

local MAGIC = "\138\10l\252\156F\249 j\168P\25."
M.magic = "\128\2" .. MAGIC -- as torch.save writes it unless told another protocol
local MAGIC_TEXT = "L119547037146038801333356L\n." -- protocols 0 and 1

--- How many bytes the pickled magic number takes with which a file of the older form begins, or nil.
---@param head string
---@return integer?
function M.legacy(head)
  if head:sub(1, #MAGIC_TEXT) == MAGIC_TEXT then return #MAGIC_TEXT end
  local at = head:find(MAGIC, 1, true)
  local framed = at == 12 and head:find "^\128[\4\5]\149"
  local known = framed or at == 3 and head:find "^\128[\2\3]"
  return known and at + #MAGIC - 1 or nil
end

--- The value in a file of the older form: three pickles in front, the value, the storages in order.
---@param source kiln.serialization.Source
---@param from integer  the bytes of the magic number
function M.read_legacy(source, from)
  source:seek(from)
  local nothing = { globals = {} }
  local version = pickle.load(source, nothing)
  if version ~= 1001 then
    source:fail("it is in version %s of PyTorch's old format; 1001 is known", source.shown(tostring(version)))
  end
  pickle.load(source, nothing)
  local storages, claimed = {}, 0
  local value, complete = M.run(source, persistent(storages, function(_, dtype, n)
    local flat = source:flat(dtype, n, "a storage")
    claimed = claimed + n * dtype.itemsize
    if claimed > source.size then
      source:fail("it is truncated or damaged: its storages do not fit into it")
    end
    return flat
  end))
  local keys, seen = pickle.load(source, nothing), {}
  if type(keys) ~= "table" then source:fail("its list of storages is damaged") end
  for _, key in ipairs(keys) do
    local storage = storages[key]
    if not storage or seen[key] then source:fail("its list of storages is damaged") end
    seen[key] = true
    local n = source:unsigned(8, "the size of a storage")
    if n ~= storage.flat:numel() then
      source:fail("a storage is said to have %.0f and %.0f elements", storage.flat:numel(), n)
    end
    source:fill(storage.flat, storage.dtype, "a storage")
  end
  for key in pairs(storages) do
    if not seen[key] then source:fail("the storage '%s' is missing", source.shown(key)) end
  end
  complete()
  return value
end
jit.off(M.read_legacy)

return M
