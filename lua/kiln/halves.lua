--- Halves: formulas whose squares, sums or powers leave the range or the precision of 16 bits before their
-- result does.  It refuses to look at what a formula computes.
local HALVES = { float16 = true, bfloat16 = true }

local M = {}

---@param x kiln.Tensor
---@return boolean
function M.is_half(x) return HALVES[x.dtype.name] == true end

--- The formula of x (and y), computed in float32 where one of both is a half; the result has the dtype that
--- both promote to.
---@param formula fun(x: kiln.Tensor, y: any, ...): kiln.Tensor
---@return fun(x: kiln.Tensor, y: any, ...): kiln.Tensor
function M.in_float32(formula)
  return function(x, y, ...)
    local kiln = require "kiln"
    local is_pair = kiln.is_tensor(y)
    local x_is_half, y_is_half = M.is_half(x), is_pair and M.is_half(y)
    if not (x_is_half or y_is_half) then return formula(x, y, ...) end
    local dtype = is_pair and kiln.result_type(x, y) or x.dtype
    return formula(x_is_half and x:float() or x, y_is_half and y:float() or y, ...):to(dtype)
  end
end

return M
