--- What stands behind Module:register_backward_hook: two identities around a module's forward, one
-- on its inputs and one on its outputs, through which its gradients pass.  Loaded only by modules
-- that have such a hook.
local kiln = require "kiln"
local Function = require("kiln.autograd").Function

local M = {}

-- An identity whose backward shows the gradients to `see` and passes on what it returns.
local function identity(name, see)
  local Identity = Function:extend(name)
  function Identity.forward(_ctx, ...)
    local views = { ... }
    for i, x in ipairs(views) do views[i] = x:view_as(x) end
    return unpack(views)
  end
  function Identity.backward(_ctx, ...)
    local n = select("#", ...)
    local gradients = see({ n = n, ... }) or { ... }
    return unpack(gradients, 1, n)
  end
  return Identity
end

-- Replaces the differentiable tensors of a list by identities of them.
local function pass_through(list, Identity)
  local places, tensors = {}, {}
  for i = 1, list.n do
    if kiln.is_tensor(list[i]) and list[i].requires_grad then
      places[#places + 1], tensors[#tensors + 1] = i, list[i]
    end
  end
  if #tensors == 0 then return false end
  local passed = { Identity:apply(unpack(tensors)) }
  for k, i in ipairs(places) do list[i] = passed[k] end
  return true
end

--- Watches one call of a module: `inputs` and `outputs` are given its lists, and change them.  `before` are
-- the hooks that see the gradients of the outputs on their way in.
function M.watch(module, hooks, before)
  local grad_outputs, has_inputs
  local function call(grad_inputs)
    for _, fn in ipairs(hooks) do
      local changed = fn(module, grad_inputs, grad_outputs)
      if changed ~= nil then grad_inputs = changed end
    end
    return grad_inputs
  end
  return {
    inputs = function(list) has_inputs = pass_through(list, identity("ModuleInputs", call)) end,
    outputs = function(list)
      pass_through(list, identity("ModuleOutputs", function(gradients)
        for _, fn in ipairs(before) do
          local changed = fn(module, gradients)
          if changed ~= nil then
            changed.n = gradients.n
            gradients = changed
          end
        end
        grad_outputs = gradients
        if not has_inputs then call({ n = 0 }) end
        return gradients
      end))
    end,
  }
end

return M
