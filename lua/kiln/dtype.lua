--- Dtypes as values: kiln.float32, kiln.int64, kiln.bool, ...
-- One object a dtype, so `x.dtype == kiln.float32` compares them.  Wherever a dtype is taken its
-- name (or an old name: "double", "long") does as well.
local ffi = require "ffi"
local C = require("kiln.ffi").C

---@class kiln.dtype
---@field name string
---@field code integer  its number in C
---@field itemsize integer  bytes an element
---@field is_floating_point boolean
---@field is_signed boolean
---@field below? number  what an integer dtype can hold, once fractions are dropped, lies between these two
---@field above? number
---@field pointer any  the ctype that points to its elements (uint16_t * for the 16-bit floats)
local Dtype = {}
Dtype.__index = Dtype
function Dtype.__tostring(d) return "kiln." .. d.name end
function Dtype.__call(d) -- kiln.float32(x), as in other libraries
  local raise, name = require("kiln.check").raise, "kiln." .. d.name
  raise(d.name, "a dtype is not called: x:to(%s), or kiln.tensor(v, { dtype = %s })", name, name)
end

local M = {
  by_code = {}, ---@type table<integer, kiln.dtype>
  by_name = {}, ---@type table<string, kiln.dtype>
  code = {},    ---@type table<any, integer>  dtype or name -> number in C
}

-- Other names, and what Torch called a tensor of it ("kiln.FloatTensor").
local FACTS = {
  float32 = { "float", tensor = "Float", pointer = "float *" },
  float64 = { "double", tensor = "Double", pointer = "double *" },
  float16 = { "half", tensor = "Half", pointer = "uint16_t *" },
  bfloat16 = { tensor = "BFloat16", pointer = "uint16_t *" },
  int8 = { "char", tensor = "Char", pointer = "int8_t *" },
  uint8 = { "byte", tensor = "Byte", pointer = "uint8_t *" },
  int16 = { "short", tensor = "Short", pointer = "int16_t *" },
  int32 = { "int", tensor = "Int", pointer = "int32_t *" },
  int64 = { "long", tensor = "Long", pointer = "int64_t *" },
  bool = { tensor = "Bool", pointer = "bool *" },
}

for code = 0, C.KILN_DTYPE_COUNT - 1 do
  local name = ffi.string(C.kiln_dtype_name(code))
  local facts = FACTS[name]
  local d = setmetatable({
    name = name, code = code, itemsize = C.kiln_dtype_size(code), tensor = facts.tensor,
    is_floating_point = name:find "float" ~= nil, is_signed = name ~= "bool" and name ~= "uint8",
    pointer = ffi.typeof(facts.pointer),
  }, Dtype)
  M.by_code[code] = d
  M.code[d] = code
  for _, n in ipairs { name, facts.tensor .. "Tensor", "kiln." .. facts.tensor .. "Tensor", facts[1] } do
    M.by_name[n] = d
    M.code[n] = code
  end
end

-- A negative number counts from the end of uint8, as in C.
for name, bits in pairs { int8 = 7, int16 = 15, int32 = 31, int64 = 63, uint8 = 8 } do
  local d = M.by_name[name]
  d.below, d.above = -2 ^ bits - math.max(1, 2 ^ (bits - 52)), 2 ^ bits
end
M.by_name.uint8.below = -256

--- The dtype that `v` (a dtype or a name) means, or nil.
---@return kiln.dtype?
function M.of(v)
  local code = v ~= nil and M.code[v]
  return code and M.by_code[code]
end

---@return boolean
function M.is_dtype(v) return getmetatable(v) == Dtype end

--- The dtype that new tensors of numbers get.
---@return kiln.dtype
function M.get_default() return M.by_code[C.kiln_default_dtype()] end

return M
