--- nn.Parameter: a leaf tensor that a Module registers when it is assigned to one of its fields.
-- A parameter is an ordinary tensor; that it is one is remembered by handle.
local kiln = require "kiln"
local check = require "kiln.check"

local raise, got = check.raise, check.got

local known = setmetatable({}, { __mode = "k" })

local Parameter = {}

--- Is this handle a parameter?
function Parameter.is(value) return known[value] == true end

--- A parameter that shares memory with `data` and starts a history of its own.
---@param data kiln.Tensor
---@param requires_grad? boolean default true
---@return kiln.Tensor
function Parameter.new(data, requires_grad)
  if not kiln.is_tensor(data) then raise("Parameter", "data must be a tensor, not %s", got(data)) end
  if type(requires_grad) == "table" then
    requires_grad = check.options(requires_grad, { requires_grad = 1 }, "Parameter").requires_grad
  end
  local p = data:detach()
  if requires_grad ~= false then p:requires_grad_(true) end
  known[p] = true
  return p
end

return setmetatable(Parameter, { __call = function(_, ...) return Parameter.new(...) end })
