--- The tensor as Lua sees it: what `.`, `[]`, operators and `#` mean on a handle.
-- The only ffi.metatype in kiln.  Methods come from `methods`: a few are here, others in the files
-- named below (loaded when first used), and one an op, made by bind.lua.  It refuses to hold any
-- state of a tensor: everything is asked of the core.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local ops = require "kiln.ops"
local size = require "kiln.size"
local spelling = require "kiln.spelling"
local tracing = require "kiln.tracing"

local Handle, is_tensor, wrap = handles.Handle, handles.is_tensor, handles.wrap

---@class kiln.Tensor
---@field shape kiln.Size
---@field dtype kiln.dtype
---@field device string
---@field ndim integer
---@field grad kiln.Tensor?
---@field data kiln.Tensor  the same memory, outside the graph
---@field requires_grad boolean
---@field volatile boolean
---@field is_leaf boolean
---@field grad_fn kiln.GradFn?
---@field T kiln.Tensor  with the dims in reverse order
---@field mT kiln.Tensor  with the last two dims exchanged
---@field itemsize integer  bytes an element
---@field nbytes integer  bytes of all elements
---@field is_cuda boolean
---@field is_sparse boolean  a row-sparse gradient: embedding with `sparse` makes them
---@field version integer  how often its memory was written
---@operator add(kiln.Tensor|number): kiln.Tensor
---@operator sub(kiln.Tensor|number): kiln.Tensor
---@operator mul(kiln.Tensor|number): kiln.Tensor
---@operator div(kiln.Tensor|number): kiln.Tensor
---@operator mod(kiln.Tensor|number): kiln.Tensor
---@operator pow(kiln.Tensor|number): kiln.Tensor
---@operator unm: kiln.Tensor
---@operator len: integer
local methods = check.vocabulary {}
local M = { methods = methods }

-- Files that provide methods, in their table `methods`.
local PROVIDERS = {
  ["kiln.convert"] = {
    "item", "tolist", "type", "type_as", "to", "cpu", "cuda", "float", "double", "half", "bfloat16",
    "int", "long", "short", "char", "byte", "bool", "new", "new_tensor", "new_zeros", "new_ones",
    "new_full", "new_empty", "contiguous", "is_signed", "is_floating_point", "pin_memory",
    "is_pinned", "record_stream", "share_memory_", "is_shared",
  },
  ["kiln.reshape"] = {
    "set_", "resize_", "resize_as_", "is_set_to", "view_as", "expand_as", "t_", "transpose_",
    "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "permute_", "as_strided_", "reshape_as",
  },
  ["kiln.storage"] = { "storage", "storage_type" },
  ["kiln.serialization.numpy"] = { "numpy" },
  ["kiln.rows"] = { "indices", "values", "to_dense", "coalesce", "is_coalesced", "nnz" },
  ["kiln.apply"] = { "zero_", "fill_diagonal_", "apply_", "map_", "map2_" },
  ["kiln.autograd"] = { "backward", "register_hook", "retain_grad", "requires_grad_", "detach_" },
}
local provider = {}
for file, names in pairs(PROVIDERS) do
  for _, name in ipairs(names) do provider[name] = file end
end

local function live(x, name) return check.tensor(x, name, "self") end

--- The method `name` of tensors, or nil.
local function method(name)
  local m = rawget(methods, name)
  if m ~= nil then return m end
  if provider[name] then
    m = require(provider[name]).methods[name]
  else
    m = bind.method(name)
  end
  if m ~= nil then methods[name] = m end
  return m
end

-- -- Properties --------------------------------------------------------------------------------

local get, set = {}, {}

function get.shape(x) return size.of(x) end
function get.dtype(x) return dtypes.by_code[C.kiln_tensor_dtype(x.p)] end
function get.device(x) return devices.of(C.kiln_tensor_device(x.p)) end
function get.ndim(x) return C.kiln_tensor_ndim(x.p) end
-- LuaJIT compiles no call of C that returns a bool and stands at the end of a function.
function get.requires_grad(x)
  local yes = C.kiln_requires_grad(x.p)
  return yes
end
function get.volatile(x)
  local yes = C.kiln_is_volatile(x.p)
  return yes
end
function get.is_leaf(x)
  local yes = C.kiln_is_leaf(x.p)
  return yes
end
function get.is_sparse(x)
  local yes = C.kiln_is_rows(x.p)
  return yes
end
function get.is_cuda(x) return C.kiln_tensor_device(x.p) > 0 end
function get.version(x) return tonumber(C.kiln_tensor_version(x.p)) end
function get.grad_fn(x) return require("kiln.autograd.graph").of(x) end
function get.data(x) return C.kiln_is_rows(x.p) and x or x:detach() end

function get.grad(x)
  local g = C.kiln_grad(x.p)
  return g ~= nil and wrap(g) or nil
end

function get.T(x)
  local dims = {}
  for i = C.kiln_tensor_ndim(x.p), 1, -1 do dims[#dims + 1] = i end
  return x:permute(dims)
end

function get.mT(x) return x:transpose(-2, -1) end
function get.itemsize(x) return C.kiln_dtype_size(C.kiln_tensor_dtype(x.p)) end
function get.nbytes(x) return get.itemsize(x) * x:numel() end

function set.requires_grad(x, on)
  check.status(C.kiln_set_requires_grad(x.p, check.bool(on, "requires_grad", "requires_grad")))
end

function set.volatile(x, on)
  C.kiln_set_volatile(x.p, check.bool(on, "volatile", "volatile"))
end

function set.grad(x, g)
  check.status(C.kiln_set_grad(x.p, g ~= nil and check.tensor(g, "grad", "grad").p or nil))
end

-- x.data = y: x looks at y's memory from now on and stays the leaf that it is.
function set.data(x, y)
  local plain = check.tensor(y, "data", "data"):detach()
  check.status(C.kiln_tensor_set(x.p, plain.p, false), "data")
  plain:free()
end

-- -- Index and assignment ------------------------------------------------------------------------

local index_file -- kiln.index, loaded with the first index

local function index_module()
  index_file = index_file or require "kiln.index"
  return index_file
end

-- Raises that x has no `key`, for index(), and why somebody may have thought so.
local function absent(x, key)
  local name, value = debug.getlocal(3, 1) -- the first argument or local of who asks
  local hint
  if name == "self" and rawequal(value, x) then
    hint = "; `self` is a tensor here: net.forward(x) was called for net:forward(x)"
  elseif key:find "^%s*[%-%d:]" then
    hint = "; positions and slices are lists: x[{ {}, { 1, 3 } }] is 1 to 3 of the second dim"
  else
    local names = M.names(true)
    for field in pairs(get) do names[#names + 1] = field end
    hint = spelling.hint(key, names)
  end
  check.raise(nil, "a tensor has no field or method '%s'%s", check.one_line(key), hint)
end
jit.off(absent) -- walks a table: docs/architecture.md, "LuaJIT"

local function index(x, key)
  if type(key) == "string" then
    local m = rawget(methods, key)
    if m ~= nil then return m end
    local read = get[key]
    if read ~= nil then return read(live(x, key)) end
    m = method(key)
    return m == nil and absent(x, key) or m
  end
  return (index_file or index_module()).get(live(x, "index"), key)
end

local function not_assigned(key)
  if get[key] then check.raise(key, "cannot be assigned") end
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  check.raise(nil, "a tensor has no field '%s' to assign%s", key, spelling.hint(key, names))
end
jit.off(not_assigned)

local function newindex(x, key, value)
  if type(key) == "string" then
    local write = set[key]
    if write == nil then not_assigned(key) end
    return write(live(x, key), value)
  end
  return (index_file or index_module()).set(live(x, "index"), key, value)
end

-- -- Operators ---------------------------------------------------------------------------------

local function op(name)
  return function(a, b)
    local f = rawget(methods, name) or method(name)
    return f(a, b)
  end
end

local function unary_minus(a) return method "neg"(a) end

local function comparable(v, name)
  if type(v) == "number" then return v end
  if is_tensor(v) and v.p ~= nil and C.kiln_tensor_ndim(v.p) == 0 then
    v = method "item"(v)
    if type(v) == "boolean" then v = v and 1 or 0 end
    return v
  end
  if is_tensor(v) then
    live(v, name)
    check.raise(name, "'%s' works between numbers and 0-dim tensors, this one has shape %s; "
      .. "x:%s(y) gives a mask", name == "lt" and "<" or "<=", check.shape_text(v), name)
  end
  check.raise(name, "a tensor cannot be compared with %s", check.got(v))
end

local metatable = {
  __index = index,
  __newindex = newindex,
  __add = op "add", __sub = op "sub", __mul = op "mul", __div = op "div", __mod = op "remainder",
  __pow = op "pow", __unm = unary_minus,
  __lt = function(a, b) return comparable(a, "lt") < comparable(b, "lt") end,
  __le = function(a, b) return comparable(a, "le") <= comparable(b, "le") end,
  __len = function(x)
    live(x, "#")
    if C.kiln_tensor_ndim(x.p) == 0 then check.raise("#", "a 0-dim tensor has no length") end
    return tonumber(C.kiln_tensor_size(x.p, 0))
  end,
  __call = function() -- for row in x do
    check.raise(nil, "a tensor cannot be called; x[i] indexes, and for i, row in ipairs(x) do goes over rows")
  end,
  __concat = function()
    check.raise("..", "tensors are not joined with '..'; use kiln.cat, or tostring(x) for text")
  end,
  __tostring = function(x)
    if not is_tensor(x) then return (tostring(ffi.cast("void *", x)):gsub("void", "struct kiln_handle")) end
    if x.p ~= nil and C.kiln_is_rows(x.p) then return require("kiln.rows").text(x) end
    return require("kiln.format").tostring(x)
  end,
}

-- for i, row in ipairs(x): along the first dim.
function metatable.__ipairs(x)
  local n = #x
  return function(t, i)
    if i < n then return i + 1, t[i + 1] end
  end, x, 0
end

function metatable.__pairs()
  check.raise("pairs", "a tensor has positions only: for i, row in ipairs(x) do")
end

ffi.metatype(Handle, metatable)

-- -- Methods that only ask ---------------------------------------------------------------------

-- The 0-based number of dim d of x.
local function dim_of(x, d, name)
  d = check.int(d, name, "dim")
  local n = C.kiln_tensor_ndim(x.p)
  if d == 0 or d > n or d < -n then
    check.raise(name, d == 0 and "dim is 0; dims count from 1 (or from the end: -1)"
      or "dim %d is out of range for a %d-dim tensor", d, n)
  end
  return d > 0 and d - 1 or d + n
end

--- The size, or the size of one dim.
---@param d? integer
---@return kiln.Size|integer
function methods:size(d)
  live(self, "size")
  if d == nil then return size.of(self) end
  return tonumber(C.kiln_tensor_size(self.p, dim_of(self, d, "size")))
end

--- The strides in elements, or that of one dim.
---@param d? integer
function methods:stride(d)
  live(self, "stride")
  if d == nil then return size.strides_of(self) end
  return tonumber(C.kiln_tensor_stride(self.p, dim_of(self, d, "stride")))
end

--- The number of dims.
---@return integer
function methods:dim() return C.kiln_tensor_ndim(live(self, "dim").p) end
methods.ndimension = methods.dim

--- The number of elements.
---@return integer
function methods:numel() return tonumber(C.kiln_tensor_numel(live(self, "numel").p)) end
methods.nelement = methods.numel

---@return boolean
function methods:is_contiguous()
  return C.kiln_tensor_is_contiguous(live(self, "is_contiguous").p)
end

--- Where the first element stands in the storage (0: at its start).
---@return integer
function methods:storage_offset()
  return tonumber(C.kiln_tensor_offset(live(self, "storage_offset").p))
end

--- Bytes an element.
---@return integer
function methods:element_size()
  return C.kiln_dtype_size(C.kiln_tensor_dtype(live(self, "element_size").p))
end

--- A typed pointer to the first element, for loops over memory: p[0], p[1], ...  It is good while
--- the tensor lives, and for reading.  Who writes through it calls x:bump_version() afterwards: a gradient
--- that needs the old values raises then; without that call it would take the new ones.
--- Of a tensor on a device it is a `void *`, for C functions that expect device memory: Lua cannot read
--- through it.
---@return ffi.cdata*
function methods:data_ptr()
  local d = dtypes.by_code[C.kiln_tensor_dtype(live(self, "data_ptr").p)]
  if C.kiln_is_rows(self.p) then check.raise("data_ptr", "the tensor is row-sparse; use values()") end
  local p = C.kiln_tensor_data(self.p)
  return C.kiln_tensor_device(self.p) == 0 and ffi.cast(d.pointer, p) or p
end

--- Says that the memory was written through a pointer, so that saved values notice.
function methods:bump_version()
  live(self, "bump_version")
  if tracing.mark ~= nil then tracing.mark() end
  C.kiln_tensor_bump(self.p)
  return self
end

--- Are both handles of one tensor?
---@return boolean
function methods:is_same(other)
  return live(self, "is_same").p == check.tensor(other, "is_same", "other").p
end

--- Releases the tensor's memory now.  Using it later is an error.
function methods:free()
  if not is_tensor(self) then live(self, "free") end
  handles.free(self)
end

--- x where condition is true, else y: x:where(condition, y).
function methods.where(x, condition, y) return bind.fn "where"(condition, x, y) end

--- True for tensors.
---@return boolean
function M.is_tensor(v) return is_tensor(v) end

--- The number of elements.
function M.numel(x) return check.tensor(x, "numel", "x"):numel() end

--- What a tensor has, for completion: its methods, or its fields.
---@param of_methods boolean
---@return string[]
function M.names(of_methods)
  local list = {}
  if not of_methods then
    for name in pairs(get) do list[#list + 1] = name end
    return list
  end
  for name in pairs(provider) do list[#list + 1] = name end
  for name, m in next, methods do
    if type(m) == "function" and not provider[name] and not ops.by_name[(name:gsub("_$", ""))] then
      list[#list + 1] = name
    end
  end
  for _, row in ipairs(ops.rows) do
    if row.is_method and not row.internal then
      if not row.writes and not provider[row.name] then list[#list + 1] = row.name end
      if (row.writes or row.inplace) and not provider[row.name .. "_"] then
        list[#list + 1] = row.name .. "_"
      end
    end
  end
  for name, target in pairs(ops.also) do
    local row = ops.by_name[target]
    if row.is_method then list[#list + 1] = name end
    if row.is_method and row.inplace then list[#list + 1] = name .. "_" end
  end
  return list
end
jit.off(M.names)

M.method = method
M.wrap = wrap
M.Handle = Handle

return M
