--- Methods that change what a tensor looks at, in place: set_, resize_, transpose_ and their kind.
-- They change a tensor's shape or memory, not values.  Those that keep the elements are recorded; the
-- others are refused where they would lose a history (a tensor that requires grad).  What shared the memory
-- before still does, and sees what is recorded of x.
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local modes = require "kiln.modes"
local size = require "kiln.size"
local tracing = require "kiln.tracing"

local M = { methods = {} }
local methods = M.methods

local function live(x, name) return check.tensor(x, name, "self") end

local function look_at(x, y, name)
  check.status(C.kiln_tensor_set(x.p, y.p, true), name)
  return x
end

-- x:NAME_(...) makes x what x:NAME(...) would be, and is recorded as that even under no_grad: a history
-- that does not fit the shape is none.
local RESHAPED = { "t", "transpose", "swapaxes", "swapdims", "squeeze", "unsqueeze", "permute", "as_strided" }
for _, name in ipairs(RESHAPED) do
  methods[name .. "_"] = function(x, ...)
    live(x, name .. "_")
    local view = C.kiln_requires_grad(x.p) and modes.enable_grad(x[name], x, ...) or x[name](x, ...)
    if view.p == x.p then return x end
    check.status(C.kiln_tensor_become(x.p, view.p), name .. "_")
    view:free()
    return x
  end
end

--- The bytes of x as numbers of a dtype, without copying.
---@param name string  the function as the user knows it
---@param x kiln.Tensor
---@param dtype any
---@return kiln.Tensor
function M.view_as(name, x, dtype)
  local to, from = dtypes.of(dtype), x.dtype
  if not to then check.raise(name, "size must be a list of sizes, or a dtype, got %s", check.got(dtype)) end
  if x.requires_grad and modes.is_grad_enabled() then
    check.raise(name, "x requires grad, and its bytes as %s have none; detach it first", to.name)
  end
  if to ~= from and (to.name == "bool" or from.name == "bool") then
    check.raise(name, "x is %s, whose bytes are not seen as %s: a bool is 0 or 1; x:%s() converts", from.name,
      to.name, to.name == "bool" and "bool" or "byte")
  end
  local shape, stride, n = { unpack(x.shape) }, x:stride(), x:dim()
  local strides, offset, ratio = { unpack(stride) }, x:storage_offset(), from.itemsize / to.itemsize
  local fits = ratio == 1 or n > 0 and (strides[n] == 1 or shape[n] == 1) and shape[n] * ratio % 1 == 0
    and offset * ratio % 1 == 0
  for d = 1, n - 1 do
    strides[d] = strides[d] * ratio
    fits = fits and (strides[d] % 1 == 0 or shape[d] == 1)
    if shape[d] == 1 then strides[d] = math.ceil(strides[d]) end
  end
  if not fits then
    check.raise(name, "x of shape %s, strides %s and offset %d is not made of whole numbers of %s, of %d "
      .. "bytes, along its last dim", tostring(x.shape), tostring(stride), offset, to.name, to.itemsize)
  end
  if ratio ~= 1 then shape[n], strides[n] = shape[n] * ratio, 1 end
  return (bind.made(name, C.kiln_tensor_from_storage, C.kiln_peek_storage(x.p), to.code, offset * ratio,
    size.to_c(shape), size.to_c(strides), n))
end

--- x looks at source's memory from now on, as a view of it would: x:set_(y), or
--- x:set_(storage, offset, size, stride) with the offset in elements.  x:set_() makes it empty.
function methods:set_(source, offset, shape, strides)
  live(self, "set_")
  if C.kiln_grad_enabled() and C.kiln_requires_grad(self.p) and C.kiln_is_leaf(self.p) then
    check.raise("set_", "a leaf that requires grad cannot be set in place; do it inside kiln.no_grad, or "
      .. "assign x.data")
  end
  if check.is_tensor(source) then
    return look_at(self, check.tensor(source, "set_", "source"), "set_")
  end
  if source == nil then
    local empty = bind.made("set_", C.kiln_tensor_new, size.to_c { 0 }, 1, C.kiln_tensor_dtype(self.p),
      C.kiln_tensor_device(self.p))
    check.status(C.kiln_tensor_set(self.p, empty.p, false), "set_")
    empty:free()
    return self
  end
  local storage = require "kiln.storage"
  if not storage.is_storage(source) then
    check.raise("set_", "source must be a tensor or a storage, got %s", check.got(source))
  end
  local all = source:tensor()
  if offset ~= nil or shape ~= nil then
    offset = offset == nil and 0 or check.int(offset, "set_", "offset")
    if shape == nil then shape = all:numel() - offset end
    shape = check.sizes(shape, "set_", "size")
    if strides == nil then
      strides = {}
      local n = 1
      for i = #shape, 1, -1 do
        strides[i] = n
        n = n * shape[i]
      end
    end
    all = all:as_strided(shape, strides, offset)
  end
  return look_at(self, all, "set_")
end

--- Changes the shape in place; memory grows when needed, and new elements are not initialised.
function methods:resize_(...)
  live(self, "resize_")
  local first = ...
  local shape = check.sizes(type(first) == "table" and first or { ... }, "resize_", "size")
  if tracing.mark ~= nil then tracing.mark() end
  check.status(C.kiln_tensor_resize(self.p, size.to_c(shape)), "resize_")
  return self
end

--- Gives x the shape of other.
function methods:resize_as_(other)
  return (live(self, "resize_as_"):resize_(check.tensor(other, "resize_as_", "other").shape))
end

--- Do both look at the same elements in the same order?
function methods:is_set_to(other)
  live(self, "is_set_to")
  check.tensor(other, "is_set_to", "other")
  return C.kiln_peek_storage(self.p) == C.kiln_peek_storage(other.p)
    and C.kiln_tensor_offset(self.p) == C.kiln_tensor_offset(other.p)
    and self.shape == other.shape and self:stride() == other:stride()
end

--- A view with the shape of other.
function methods:view_as(other)
  return (live(self, "view_as"):view(check.tensor(other, "view_as", "other").shape))
end

--- Expanded to the shape of other.
function methods:expand_as(other)
  return (live(self, "expand_as"):expand(check.tensor(other, "expand_as", "other").shape))
end

--- Reshaped to the shape of other.
function methods:reshape_as(other)
  return (live(self, "reshape_as"):reshape(check.tensor(other, "reshape_as", "other").shape))
end

return M
