--- Sizes as Lua values: x.shape and x:size() are lists of numbers that print, compare and multiply.
local ffi = require "ffi"
local C = require("kiln.ffi").C

---@class kiln.Size
---@operator eq: boolean
local Size = { __name = "Size" }

-- x.shape[-1] is the last size.  Behind it there is nil, as in any list; before the first one, a nil would
-- show up later, elsewhere.
function Size.__index(s, key)
  if type(key) ~= "number" or key > 0 then return Size[key] end
  if key < 0 and key >= -#s then return s[#s + 1 + key] end
  if key == 0 then
    require("kiln.check").raise("shape", "the position is 0; positions count from 1 (x.shape[1])")
  end
  require("kiln.check").raise("shape", "the position is %s, of %d sizes", key, #s)
end

-- x:shape(), as in other libraries
function Size.__call()
  require("kiln.check").raise("shape", "a size is a list and is not called: x.shape[1], or x:size(1)")
end

function Size.__tostring(s) return "[" .. table.concat(s, ", ") .. "]" end

function Size.__eq(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do if a[i] ~= b[i] then return false end end
  return true
end

--- The product of the sizes.
---@return integer
function Size:numel()
  local n = 1
  for i = 1, #self do n = n * self[i] end
  return n
end

local M = {}

--- Marks a list of numbers as a size.
---@param list integer[]
---@return kiln.Size
function M.new(list) return setmetatable(list, Size) end

--- The size of a live tensor.
---@return kiln.Size
function M.of(x)
  local s = {}
  for i = 1, C.kiln_tensor_ndim(x.p) do s[i] = tonumber(C.kiln_tensor_size(x.p, i - 1)) end
  return setmetatable(s, Size)
end

--- The strides of a live tensor, in elements.
---@return kiln.Size
function M.strides_of(x)
  local s = {}
  for i = 1, C.kiln_tensor_ndim(x.p) do s[i] = tonumber(C.kiln_tensor_stride(x.p, i - 1)) end
  return setmetatable(s, Size)
end

---@return boolean
function M.is_size(v) return getmetatable(v) == Size end

local ints = ffi.typeof "int64_t[?]"

--- A C array of a list of numbers, and its length.
function M.to_c(list) return ints(math.max(1, #list), list), #list end

return M
