--- GradScaler: multiplies losses, so that gradients in float16 do not vanish, and divides them again
-- before the optimizer reads them.  A step whose gradients are infinite or NaN is left out and the
-- scale shrinks; after growth_interval good steps it grows.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local captured = require "kiln.amp.captured"
local capturing = require "kiln.cuda.capturing"
local check = require "kiln.check"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise, got = check.raise, check.got

local parse = args.define("GradScaler", "init_scale: number = 65536, growth_factor: number = 2, "
  .. "backoff_factor: number = 0.5, growth_interval: count = 2000, enabled: bool = true")

local function above(v, least) return v > least end -- false for NaN

---@class kiln.amp.GradScaler: kiln.Object
local GradScaler = Object:extend("GradScaler")

--- Options by position or name: init_scale (65536), growth_factor (2), backoff_factor (0.5),
--- growth_interval (2000), enabled (true; otherwise everything passes through unscaled).
function GradScaler:init(...)
  local o = parse(...)
  if not above(o.init_scale, 0) then
    raise("GradScaler", "init_scale must be above 0, not %g", o.init_scale)
  end
  if not above(o.growth_factor, 1) then
    raise("GradScaler", "growth_factor must be above 1, not %g", o.growth_factor)
  end
  if not (above(o.backoff_factor, 0) and o.backoff_factor < 1) then
    raise("GradScaler", "backoff_factor must be in (0, 1), not %g", o.backoff_factor)
  end
  self.enabled, self.growth_interval = o.enabled, o.growth_interval
  self.growth_factor, self.backoff_factor = o.growth_factor, o.backoff_factor
  self.factor, self.good_steps = o.init_scale, 0
  self.seen = {} -- optimizer -> { finite = boolean, stepped = boolean } since the last update
end

--- The loss (or each of a list of losses) times the scale.
---@generic T
---@param losses T
---@return T
function GradScaler:scale(losses)
  check.self(self, "scale", "scaler")
  if not self.enabled then return losses end
  if kiln.is_tensor(losses) then
    if capturing.current and losses.is_cuda then return captured.scale(self, losses) end
    return losses * self.factor
  end
  if type(losses) ~= "table" then
    raise("GradScaler: scale", "a loss must be a tensor or a list of them, not %s", got(losses))
  end
  local list = {}
  for i, loss in ipairs(losses) do list[i] = self:scale(loss) end
  return list
end

local function gradients(optimizer)
  if type(optimizer) ~= "table" or type(optimizer.param_groups) ~= "table" then
    raise("GradScaler", "optimizer must be an optimizer, not %s", got(optimizer))
  end
  local list = {}
  for _, group in ipairs(optimizer.param_groups) do
    for _, p in ipairs(group.params) do
      local g = p.grad
      if g then list[#list + 1] = g.is_sparse and g:values() or g:detach() end
    end
  end
  return list
end

-- Multiplies in place; a number for each device, which is 0 where all gradients are finite and NaN otherwise.
local function unscale(list, by)
  local sums = {} -- 0 times a gradient sums to 0, or to NaN
  for _, g in ipairs(list) do
    g:mul_(by)
    local sum, device = (g * 0):sum():to(kiln.float32), tostring(g.device)
    sums[device] = sums[device] and sums[device] + sum or sum
  end
  return sums
end

local function is_finite(sums)
  for _, sum in pairs(sums) do
    if sum:item() ~= 0 then return false end
  end
  return true
end

--- Divides the gradients of an optimizer's parameters by the scale, as step() would: for whoever
--- looks at them first, as clip_grad_norm_ does.
---@param optimizer kiln.optim.Optimizer
function GradScaler:unscale_(optimizer)
  check.self(self, "unscale_", "scaler")
  if not self.enabled then return end
  local list, seen = gradients(optimizer), self.seen[optimizer]
  if seen then
    raise("GradScaler: unscale_", seen.stepped and "the optimizer has stepped since the last update"
      or "the gradients are unscaled already; call update() after step()")
  end
  kiln.no_grad(function()
    if capturing.current then
      local by = captured.inverse(self, optimizer)
      self.seen[optimizer] = { unless = select(2, next(unscale(list, by))), stepped = false }
    else
      self.seen[optimizer] = { finite = is_finite(unscale(list, 1 / self.factor)), stepped = false }
    end
  end)
end

--- The optimizer's step with unscaled gradients, unless one of them is infinite or NaN.
---@param optimizer kiln.optim.Optimizer
---@return any # what the optimizer's step returned; nil when it was left out
function GradScaler:step(optimizer, ...)
  check.self(self, "step", "scaler")
  if not self.enabled then return optimizer:step(...) end
  if (...) ~= nil then
    raise("GradScaler: step", "takes no closure: it would have to scale its losses itself")
  end
  if not self.seen[optimizer] then self:unscale_(optimizer) end
  local seen = self.seen[optimizer]
  if seen.stepped then raise("GradScaler: step", "the optimizer has stepped since the last update") end
  seen.stepped = true
  if capturing.current then return captured.step(optimizer, seen) end
  if seen.unless then
    raise("GradScaler: step", "unscale_() was captured in a graph, and step() was not")
  end
  if seen.finite then return optimizer:step() end
end

--- Ends a step: shrinks or grows the scale, or sets it.
---@param scale? number
function GradScaler:update(scale)
  check.self(self, "update", "scaler")
  if not self.enabled then return end
  if scale ~= nil and not above(check.number(scale, "GradScaler: update", "scale"), 0) then
    raise("GradScaler: update", "scale must be above 0, not %g", scale)
  end
  if capturing.current then
    captured.update(self, scale)
    return
  end
  if scale ~= nil then
    self.factor = scale
    self.seen = {}
    return
  end
  if next(self.seen) == nil then
    raise("GradScaler: update", "nothing was unscaled since the last update; step() comes first")
  end
  local finite = true
  for _, seen in pairs(self.seen) do finite = finite and seen.finite end
  self:adapt(finite)
  self.seen = {}
end

--- Shrinks or grows the scale after a step whose gradients were finite, or were not.
---@param finite boolean
function GradScaler:adapt(finite)
  self.good_steps = finite and self.good_steps + 1 or 0
  if not finite then
    self.factor = self.factor * self.backoff_factor
  elseif self.good_steps == self.growth_interval then
    self.factor, self.good_steps = self.factor * self.growth_factor, 0
  end
end

--- The scale; 1 when not enabled.
---@return number
function GradScaler:get_scale()
  check.self(self, "get_scale", "scaler")
  return self.enabled and self.factor or 1
end

---@return boolean
function GradScaler:is_enabled()
  check.self(self, "is_enabled", "scaler")
  return self.enabled
end

local STATE = { "factor", "growth_factor", "backoff_factor", "growth_interval", "good_steps" }

--- What a checkpoint needs; an empty table when not enabled.
---@return table<string, number>
function GradScaler:state_dict()
  check.self(self, "state_dict", "scaler")
  local state = {}
  for _, name in ipairs(self.enabled and STATE or {}) do state[name] = self[name] end
  return state
end

---@param state table what state_dict() gave
function GradScaler:load_state_dict(state)
  check.self(self, "load_state_dict", "scaler")
  if not self.enabled then return end
  if type(state) ~= "table" then
    raise("GradScaler: load_state_dict", "state must be a table, not %s", got(state))
  end
  for _, name in ipairs(STATE) do
    if type(state[name]) ~= "number" then
      raise("GradScaler: load_state_dict", "state.%s must be a number, not %s", name, got(state[name]))
    end
  end
  for _, name in ipairs(STATE) do self[name] = state[name] end
end

return GradScaler
