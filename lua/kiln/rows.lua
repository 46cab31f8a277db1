--- Row-sparse gradients, as Lua sees them: what embedding with `sparse` leaves in weight.grad.
-- The rows of a tensor [n, ...] at some positions, sorted and distinct; all others are 0.  Here stand the
-- methods that take one; every op refuses it and says so.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local handles = require "kiln.handles"

local methods = {}

local function part(name, read)
  return function(x)
    local p = read(check.tensor(x, name, "self").p)
    if p == nil then check.raise_core(name) end
    return handles.wrap(p)
  end
end

local index = part("indices", C.kiln_rows_index)

--- The positions of the rows, int64 [1, k], from 1.
---@return kiln.Tensor
function methods:indices() return index(self):unsqueeze(1) end

--- The rows, [k, ...]: the gradient's own memory, so that what is written there changes it.
---@return kiln.Tensor
methods.values = part("values", C.kiln_rows_values)

local dense = part("to_dense", C.kiln_rows_dense)

--- An ordinary tensor: zeros with the rows in their places.  What is ordinary stays itself.
---@return kiln.Tensor
function methods:to_dense()
  if not C.kiln_is_rows(check.tensor(self, "to_dense", "self").p) then return self end
  return dense(self)
end

--- The gradient itself: positions are distinct and in order already.
---@return kiln.Tensor
function methods:coalesce()
  index(self)
  return self
end

--- Always true of a row-sparse tensor.
---@return boolean
function methods:is_coalesced()
  index(self)
  return true
end

--- How many rows it holds.
---@return integer
function methods:nnz() return index(self):numel() end

--- As text: the parts it is made of.
---@param x kiln.Tensor
---@return string
local function text(x)
  return ("rows of %s\npositions %s\nvalues %s"):format(check.shape_text(x), tostring(index(x)),
    tostring(methods.values(x)))
end

return { methods = methods, text = text }
