--- A GradScaler inside a graph.  The scale lies in memory of the device, which each replay fills before its
-- launch; whether gradients were finite is looked at after it, and the scale adapts then.
local kiln = require "kiln"
local capturing = require "kiln.cuda.capturing"
local check = require "kiln.check"

local M = {}

-- Numbers on the device for one graph: by scaler, { scale, inverse }.
local live = setmetatable({}, { __mode = "k" })

local function numbers_of(scaler, device)
  local graph = capturing.current
  live[graph] = live[graph] or {}
  local numbers = live[graph][scaler]
  if numbers then return numbers end
  numbers = capturing.aside(function()
    return kiln.zeros(2, { dtype = kiln.float64, device = device })
  end)
  live[graph][scaler] = numbers
  capturing.at_replay {
    before = function()
      local now = { scaler.factor, 1 / scaler.factor }
      numbers:copy_(kiln.tensor(now, { dtype = kiln.float64, device = "cpu" }))
    end,
  }
  return numbers
end

--- A loss times the scale.
function M.scale(scaler, loss)
  local wide = loss.dtype == kiln.float64 and kiln.float64 or kiln.float32
  return (loss:to(wide) * numbers_of(scaler, loss.device)[1]:to(wide)):to(loss.dtype)
end

--- What the gradients of an optimizer are multiplied by.
function M.inverse(scaler, optimizer)
  return numbers_of(scaler, optimizer.param_groups[1].params[1].device)[2]
end

--- The optimizer's step; a replay whose gradients are not finite leaves it out and does not count it.
function M.step(optimizer, seen)
  if not seen.unless then return optimizer:step() end -- there are no gradients
  local hooks = capturing.guarded(seen.unless, function() optimizer:step() end)
  capturing.at_replay {
    after = function()
      seen.finite = seen.unless:item() == 0
      for _, hook in ipairs(seen.finite and {} or hooks) do
        if hook.undo then hook.undo() end
      end
    end,
  }
end

--- Adapts the scale after each replay, or sets it.
function M.update(scaler, scale)
  local all = {}
  for _, seen in pairs(scaler.seen) do all[#all + 1] = seen end
  if #all == 0 and scale == nil then
    check.raise("GradScaler: update", "nothing was unscaled in the graph; step() comes first")
  end
  scaler.seen = {}
  capturing.at_replay {
    after = function()
      local finite = true
      for _, seen in ipairs(all) do finite = finite and seen.finite ~= false end
      if scale then scaler.factor = scale else scaler:adapt(finite) end
    end,
  }
end
jit.off(M.update)

return M
