--- What stands behind Module:register_backward_hook: two identities around a module's forward, one
-- on its inputs and one on its outputs, through which its gradients pass.  They are views: what the module
-- writes in place reaches the caller's tensors, with the history that it has without hooks.  Loaded only by
-- modules that have such a hook.
local kiln = require "kiln"
local Function = require("kiln.autograd").Function
local check = require "kiln.check"

local M = {}

-- An identity of what stands at `places` in a list of n.  Its backward shows the gradients to `see`, each at
-- the place of what it belongs to, with the places at which one arrived, and passes on what that returns.
local function identity(name, places, n, see)
  local Identity = Function:extend(name, { gives_views = true })
  function Identity.forward(ctx, ...)
    ctx:set_materialize_grads(false)
    local views = { ... }
    for i, x in ipairs(views) do views[i] = x:view_as(x) end
    return unpack(views)
  end
  function Identity.backward(_ctx, ...)
    local gradients, arrived, passed = { n = n }, {}, {}
    for k, i in ipairs(places) do
      gradients[i] = (select(k, ...))
      if gradients[i] ~= nil then arrived[#arrived + 1] = i end
    end
    gradients = see(gradients, arrived)
    for k, i in ipairs(places) do passed[k] = gradients[i] end
    return unpack(passed, 1, #places)
  end
  return Identity
end

-- Replaces the differentiable tensors of a list by identities of them.
local function pass_through(list, name, see)
  local places, tensors = {}, {}
  for i = 1, list.n do
    if kiln.is_tensor(list[i]) and list[i].requires_grad then
      places[#places + 1], tensors[#tensors + 1] = i, list[i]
    end
  end
  if #tensors == 0 then return false end
  local passed = { identity(name, places, list.n, see):apply(unpack(tensors)) }
  for k, i in ipairs(places) do list[i] = passed[k] end
  return true
end

-- The gradients once a hook has seen them: those it returned, of which none may be missing or too many.
local function after_hook(module, kind, places, seen, changed)
  if kiln.is_tensor(changed) then changed = { [places[1] or 1] = changed } end
  if changed ~= nil and type(changed) ~= "table" then
    check.raise(module.__name, "a %s returns a list of gradients or nothing, got %s", kind,
      check.got(changed))
  end
  local list, gradients = changed or seen, { n = seen.n }
  for _, i in ipairs(places) do
    if not kiln.is_tensor(list[i]) then
      check.raise(module.__name, "a %s must return a gradient for each that it got: number %d is %s", kind, i,
        check.got(list[i]))
    end
    gradients[i] = list[i]
  end
  for i in pairs(list) do
    if i ~= "n" and gradients[i] == nil then
      check.raise(module.__name, "a %s returned a gradient %s, it got none there", kind, check.one_line(i))
    end
  end
  return gradients
end
jit.off(after_hook)

--- Watches one call of a module: `inputs` and `outputs` are given its lists, and change them.  `before` are
-- the hooks that see the gradients of the outputs on their way in.  None is called by gradients that come
-- past the outputs.
function M.watch(module, hooks, before)
  local grad_outputs, has_inputs
  local function call(grad_inputs, places)
    if not grad_outputs then return grad_inputs end
    for _, fn in ipairs(hooks) do
      local changed = fn(module, grad_inputs, grad_outputs)
      grad_inputs = after_hook(module, "backward hook", places, grad_inputs, changed)
    end
    return grad_inputs
  end
  return {
    inputs = function(list) has_inputs = pass_through(list, "ModuleInputs", call) end,
    outputs = function(list)
      pass_through(list, "ModuleOutputs", function(gradients, places)
        for _, fn in ipairs(before) do
          gradients = after_hook(module, "backward pre-hook", places, gradients, fn(module, gradients))
        end
        grad_outputs = gradients
        if not has_inputs then call({ n = 0 }, {}) end
        return gradients
      end)
    end,
  }
end

return M
