--- What losses ask of their targets, before a mistake becomes a number: shapes that are equal, classes in
-- 1..c, no NaN.  Every error names the loss, the value and where it stands.
-- A NaN is looked for once a loss has turned out to be one, so that good targets are not read twice; on an
-- accelerator, where even that would wait for the device, it is left to show in the loss, unless every op
-- waits anyway (KILN_CUDA_SYNC=1).
local kiln = require "kiln"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

local is_watched = require("kiln.cuda.capturing").is_watched

local function text_of(x) return tostring(x.shape) end

-- "[2, 3]" of the first true element, nil when there is none.
local function first_place(mask)
  local at = mask:nonzero()
  if at:size(1) == 0 then return nil end
  local list = at[1]:tolist()
  return list, ("[%s]"):format(table.concat(list, ", "))
end

local function value_at(x, place)
  for _, i in ipairs(place) do x = x:select(1, i) end
  return x:item()
end

-- Raises about the first element where the mask is true: "target 7 at position [2] TEXT".
local function refuse(name, what, x, mask, text)
  local place, words = first_place(mask)
  if place then
    raise(name, "%s %s at position %s %s", what, tostring(value_at(x, place)):gsub("LL$", ""), words, text)
  end
end

--- x and y have one shape; broadcasting [n] against [n, 1] is a mistake nobody sees.  Numbers and 0-dim
--- tensors go with everything.
function M.same_shape(name, x, y, what)
  if not kiln.is_tensor(x) then raise(name, "x must be a tensor, got %s", got(x)) end
  if not kiln.is_tensor(y) or y:dim() == 0 or x:size() == y:size() then return end
  raise(name, "x has shape %s and %s %s; they must be equal", text_of(x), what or "target", text_of(y))
end

--- Tensors of equally many dims, each dim equal or 1.
---@param list table[]  { name of the argument, tensor }
function M.alike(name, list)
  local what, x = list[1][1], list[1][2]
  for i = 2, #list do
    local other, y = list[i][1], list[i][2]
    local fits = x:dim() == y:dim()
    for d = 1, fits and x:dim() or 0 do
      fits = fits and (x:size(d) == y:size(d) or x:size(d) == 1 or y:size(d) == 1)
    end
    if not fits then raise(name, "%s has shape %s and %s %s", what, text_of(x), other, text_of(y)) end
  end
end

--- A target that is compared with x element by element.
function M.numbers(name, x, target)
  M.same_shape(name, x, target)
  if kiln.is_tensor(target) and target.dtype == kiln.bool then
    raise(name, "target must hold numbers, not bool; use target:float()")
  end
end

--- A target of 1 and -1.
function M.signs(name, target)
  if not kiln.is_tensor(target) then
    if target ~= 1 and target ~= -1 then raise(name, "target must be 1 or -1, not %s", got(target)) end
    return
  end
  if target.dtype == kiln.bool then raise(name, "target must hold 1 and -1, not bool") end
  refuse(name, "target", target, target:abs():ne(1), "is neither 1 nor -1")
end

--- Class targets as int64: x [n, c, ...] and target [n, ...], or [c] and [].  Other integers are taken, and
--- floats that are whole, so that kiln.tensor({ 1, 2 }) is fine.
---@return kiln.Tensor
function M.classes(name, x, target)
  local n = x:dim()
  local fits = n >= 1 and target:dim() == math.max(n - 1, 0)
  for d = 1, fits and target:dim() or 0 do fits = fits and target:size(d) == x:size(d == 1 and 1 or d + 1) end
  if not fits then
    raise(name, "x of shape %s does not go with targets of shape %s", text_of(x), text_of(target))
  end
  if target.dtype == kiln.int64 then return target end
  if target.dtype == kiln.bool then raise(name, "target must hold classes, not bool") end
  local whole = target:detach():to(kiln.int64)
  if target.dtype.is_floating_point then
    refuse(name, "target", target:detach(), target:detach():ne(whole),
      ("is not a class in 1..%d"):format(x:size(n > 1 and 2 or 1)))
  end
  return whole
end

--- Classes (int64) in 1..classes, none ignored.
function M.in_range(name, classes, target)
  refuse(name, "target", target, target:lt(1):logical_or(target:gt(classes)),
    ("is not a class in 1..%d"):format(classes))
end

--- A weight for each of the `classes`.
function M.class_weight(name, classes, weight)
  if weight == nil then return end
  if weight:dim() ~= 1 or weight:size(1) ~= classes then
    raise(name, "weight must have shape [%d], a number a class; its shape is %s", classes, text_of(weight))
  end
  if not weight.dtype.is_floating_point then
    raise(name, "weight must be floating, not %s", weight.dtype.name)
  end
end

--- The variances of x: of its shape, or one for each row, [...] or [..., 1] of x [..., n].
---@return kiln.Tensor
function M.variance(name, x, var)
  if kiln.is_tensor(var) and var:dim() > 0 and x:size() ~= var:size() then
    local rows = var:dim() == x:dim() and var:size(-1) == 1 or var:dim() == x:dim() - 1
    for d = 1, rows and x:dim() - 1 or 0 do rows = rows and var:size(d) == x:size(d) end
    if not rows then
      raise(name, "x has shape %s and var %s; it must be equal, or have one number a row", text_of(x),
        text_of(var))
    end
    if var:dim() < x:dim() then var = var:unsqueeze(-1) end
  end
  if kiln.is_tensor(var) then refuse(name, "var", var:detach(), var:detach():lt(0), "is negative") end
  return var
end

--- Positions of several classes a row, of x's shape, int64; a row ends at its first 0.
---@return kiln.Tensor
function M.labels(name, x, target)
  M.same_shape(name, x, target)
  if target:dim() ~= x:dim() then
    raise(name, "x has shape %s and target %s; they must be equal", text_of(x), text_of(target))
  end
  if target.dtype ~= kiln.int64 then
    raise(name, "target must be int64 positions, not %s", target.dtype.name)
  end
  return target
end

--- Refuses a weight that requires grad where the loss has no gradient for it, which is the reference's way.
function M.no_weight_gradient(name, weight)
  if weight ~= nil and weight.requires_grad and kiln.is_grad_enabled() then
    raise(name, "weight requires grad, but its gradient is not defined; detach it")
  end
end

--- Hands the loss on, unless it is NaN because the target is.
---@param loss kiln.Tensor
function M.seen(name, target, loss)
  if not is_watched(loss) then return loss end
  if loss:dim() == 0 then
    local v = loss:item()
    if v == v then return loss end
  elseif not loss:detach():isnan():any():item() then
    return loss
  end
  if kiln.is_tensor(target) then
    refuse(name, "target", target:detach(), target:detach():isnan(), "is not a number")
  elseif target ~= target then
    raise(name, "target is nan")
  end
  return loss
end

--- The same, for a loss that is also NaN where x is no probability.
function M.seen_probability(name, x, target, loss)
  M.seen(name, target, loss)
  if is_watched(loss) and loss:detach():isnan():any():item() then
    local p = x:detach()
    refuse(name, "x", p, p:lt(0):logical_or(p:gt(1)), "is not a probability")
  end
  return loss
end

return M
