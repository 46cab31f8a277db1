--- What dtypes hold and how they combine: kiln.finfo, iinfo, result_type, promote_types, can_cast.
-- It refuses to convert anything.
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"

local M = {}

-- Bits behind the point and the largest power of 2.
local FLOATS = { float32 = { 23, 127 }, float64 = { 52, 1023 }, float16 = { 10, 15 }, bfloat16 = { 7, 127 } }

--- What a floating dtype (without one the default) can hold.
---@param dtype? kiln.dtype|string
---@return { dtype: string, bits: integer, eps: number, max: number, min: number, tiny: number }
function M.finfo(dtype)
  local d = dtype == nil and dtypes.get_default() or dtypes.by_code[check.dtype(dtype, "finfo")]
  local facts = FLOATS[d.name]
  if not facts then check.raise("finfo", "a floating dtype is needed, got %s; see iinfo", d.name) end
  local eps, top = 2 ^ -facts[1], facts[2]
  local most, least = (2 - eps) * 2 ^ top, 2 ^ (1 - top)
  return { dtype = d.name, bits = 8 * d.itemsize, eps = eps, max = most, min = -most, tiny = least }
end

--- What an integer dtype can hold; of int64 as int64 cdata.
---@param dtype kiln.dtype|string
---@return { dtype: string, bits: integer, max: integer, min: integer }
function M.iinfo(dtype)
  local d = dtypes.by_code[check.dtype(dtype, "iinfo")]
  if d.is_floating_point or d.name == "bool" then
    check.raise("iinfo", "an integer dtype is needed, got %s", d.name)
  end
  local bits = 8 * d.itemsize
  local info = { dtype = d.name, bits = bits, min = d.is_signed and -2 ^ (bits - 1) or 0,
    max = 2 ^ (d.is_signed and bits - 1 or bits) - 1 }
  if bits == 64 then info.min, info.max = -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL end
  return info
end

local function operand(v, argument)
  if check.is_tensor(v) then return check.tensor(v, "result_type", argument).p end
  local p = bind.number(v)
  if p == nil then
    check.raise("result_type", "%s must be a tensor or a number, got %s", argument, check.got(v))
  end
  return p
end

--- The dtype of x + y, of tensors or numbers.
---@return kiln.dtype
function M.result_type(x, y)
  return dtypes.by_code[C.kiln_result_type(operand(x, "x"), operand(y, "y"))]
end

--- The dtype that two dtypes meet in.
---@return kiln.dtype
function M.promote_types(a, b)
  local from, to = check.dtype(a, "promote_types", "a"), check.dtype(b, "promote_types", "b")
  return dtypes.by_code[C.kiln_promote(from, to)]
end

local function kind(d) return d.is_floating_point and 2 or d.name == "bool" and 0 or 1 end

--- May values of one dtype be written in place into a tensor of another?
---@return boolean
function M.can_cast(from, to)
  return kind(dtypes.by_code[check.dtype(from, "can_cast", "from")])
    <= kind(dtypes.by_code[check.dtype(to, "can_cast", "to")])
end

return M
