--- kiln: tensors, autograd and neural networks for Lua.
-- This file is the table that `require "kiln"` returns.  It is filled when names are first used:
-- values and functions from the files named below, one function an op (bind.lua), and the packages
-- kiln.nn, kiln.optim, ...  It refuses to do anything itself.
assert(jit, "kiln needs LuaJIT: run your program with `luajit`")

local once = require "kiln.once"
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local namespace = require "kiln.namespace"
local ops = require "kiln.ops"
local tensor = require "kiln.tensor"

C.kiln_interrupt_install()

-- Functions of the table, by the file that has them.
local FILES = {
  ["kiln.tensor"] = { "is_tensor", "numel" },
  ["kiln.create"] = {
    "tensor", "as_tensor", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like",
    "full_like",
    "arange", "range", "linspace", "logspace", "eye", "Variable", "from_pointer", "from_string",
    "set_default_dtype", "get_default_dtype", "set_default_tensor_type", "set_default_device",
    "get_default_device",
  },
  ["kiln.random"] = {
    "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "default_generator",
    "generator", "Generator", "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "normal",
  },
  ["kiln.modes"] = { "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled" },
  ["kiln.scope"] = { "scope" },
  ["kiln.fuse"] = { "fuse" },
  ["kiln.memory"] = { "memory", "collect", "empty_cache", "set_memory_floor" },
  ["kiln.config"] = { "config", "get_num_threads", "set_num_threads" },
  ["kiln.format"] = { "set_printoptions" },
  ["kiln.index"] = { "newaxis" },
  ["kiln.storage"] = { "is_storage" },
  ["kiln.typeinfo"] = { "finfo", "iinfo", "result_type", "promote_types", "can_cast" },
}
local file_of = {}
for file, names in pairs(FILES) do
  for _, name in ipairs(names) do file_of[name] = file end
end

local PACKAGES = {
  amp = true, autograd = true, cuda = true, distributions = true, nn = true, optim = true,
  serialization = true, utils = true, vision = true,
}

-- Functions that packages put into the table itself.
local FROM_PACKAGES = {
  save = "kiln.serialization", load = "kiln.serialization", from_numpy = "kiln.serialization",
}

---@class kiln
---@field float32 kiln.dtype
---@field float64 kiln.dtype
---@field float16 kiln.dtype
---@field bfloat16 kiln.dtype
---@field int8 kiln.dtype
---@field uint8 kiln.dtype
---@field int16 kiln.dtype
---@field int32 kiln.dtype
---@field int64 kiln.dtype
---@field bool kiln.dtype
local kiln = { dtype = {} }

for code = 0, C.KILN_DTYPE_COUNT - 1 do
  local d = dtypes.by_code[code]
  kiln[d.name] = d
  kiln.dtype[d.name] = d
end
for _, old in ipairs { "float", "double", "half", "char", "byte", "short", "int", "long" } do
  kiln[old] = dtypes.by_name[old]
end

--- The methods of tensors: `function kiln.Tensor:name(...)` adds one.  Called, it makes a tensor as
--- in Torch7: kiln.Tensor(2, 3), kiln.Tensor({ 1, 2 }).
kiln.Tensor = setmetatable(tensor.methods, {
  __index = function(_, name) return type(name) == "string" and tensor.method(name) or nil end,
  __call = function(_, ...)
    return require("kiln.create").old_constructor(dtypes.get_default().tensor .. "Tensor")(...)
  end,
})

--- A device's name in full: kiln.device("cuda") is "cuda:1".  Raises where there is none.
---@param name string
---@return string
function kiln.device(name) return require("kiln.device").of(check.device(name, "device", "name")) end

local function resolve(name)
  if file_of[name] then return require(file_of[name])[name] end
  local f = bind.fn(name) or name:find "_$" and tensor.method(name)
  if f then return f end
  if PACKAGES[name] then return require("kiln." .. name) end
  if FROM_PACKAGES[name] then return require(FROM_PACKAGES[name])[name] end
  if name:find "Tensor$" then return require("kiln.create").old_constructor(name) end
  if name:find "Storage$" then return require("kiln.storage").constructor(name) end
end

-- The names that resolve finds.
local function names()
  local list = {}
  for name in pairs(file_of) do list[#list + 1] = name end
  for name in pairs(FROM_PACKAGES) do list[#list + 1] = name end
  for name in pairs(PACKAGES) do list[#list + 1] = name end
  for _, row in ipairs(ops.rows) do
    if not row.internal then list[#list + 1] = row.writes and row.name .. "_" or row.name end
  end
  for name in pairs(ops.also) do list[#list + 1] = name end
  return list
end
jit.off(names) -- walks a table: docs/architecture.md, "LuaJIT"

once.modules.kiln = namespace.of("kiln", check.vocabulary(kiln), resolve, names)
return once.modules.kiln
