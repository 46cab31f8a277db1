--- checkpoint: recompute a part of the network in backward instead of keeping what it saved.
-- It refuses a function that does not give the same results again, by their sums: its gradient would be that
-- of something else than what ran.
local C = require("kiln.ffi").C
local autocast = require "kiln.amp.autocast"
local backward = require "kiln.autograd.backward"
local check = require "kiln.check"
local create = require "kiln.create"
local modes = require "kiln.modes"
local random = require "kiln.random"
local Function = require("kiln.autograd.function").Function
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

-- needs_all: backward() runs inside its backward; hidden: the guard is no argument of the user's.
local Checkpoint = Function:extend("checkpoint", { needs_all = true, hidden = 1 })

local function states()
  local list = {}
  for device = 0, C.kiln_device_count() do
    local g = random.generator(device > 0 and "cuda:" .. device or "cpu")
    list[#list + 1] = { generator = g, state = g:get_state() }
  end
  return list
end

local function restore(list) for _, s in ipairs(list) do s.generator:set_state(s.state) end end

local function pack(...) return { n = select("#", ...), ... } end

local function wide(y) return y.dtype.itemsize < 4 and y:float() or y end

-- Sums of the floating tensors among `list`, on their devices.
local function sums(list)
  local found = {}
  for i, y in pairs(list) do
    if check.is_tensor(y) and y.dtype.is_floating_point then found[i] = wide(y):detach():sum() end
  end
  return found
end

-- What a sum may differ by is measured by that of the magnitudes: another way to compute it is no change.
local function agree(before, now, y)
  if not before then return false end
  local a, b = before:item(), now:item()
  if a == b or (a ~= a and b ~= b) then return true end
  return math.abs(a - b) <= (y.dtype.itemsize < 4 and 1e-2 or 1e-5) * wide(y):abs():sum():item()
end

local function check_results(before, outputs)
  for i, now in pairs(sums(outputs)) do
    if not agree(before[i], now, outputs[i]) then
      check.raise("checkpoint", "fn did not give result %d again in backward (its sum was %s and is %s): "
        .. "what it reads beside its arguments has changed since, or is random", i,
        before[i] and tostring(before[i]:item()) or "nothing", tostring(now:item()))
    end
  end
end

function Checkpoint.forward(ctx, _, fn, ...)
  ctx.fn, ctx.n = fn, select("#", ...)
  ctx.states, ctx.autocast = states(), autocast.now()
  local saved = {}
  ctx.plain = {}
  for i = 1, ctx.n do
    local v = select(i, ...)
    if check.is_tensor(v) then saved[i] = v else ctx.plain[i] = v end
  end
  ctx:save_for_backward(unpack(saved, 1, ctx.n))
  local results = pack(fn(...))
  ctx.sums = sums(results)
  return unpack(results, 1, results.n)
end

function Checkpoint.backward(ctx, ...)
  if C.kiln_grad_enabled() then
    check.raise("checkpoint", "cannot be differentiated twice; create_graph needs what was not kept")
  end
  local given, leaves = {}, {}
  local saved = ctx.saved_tensors
  for i = 1, ctx.n do
    given[i] = ctx.plain[i]
    if saved[i] then
      leaves[i] = saved[i]:detach()
      if ctx.needs_input_grad[i + 2] then leaves[i].requires_grad = true end
      given[i] = leaves[i]
    end
  end
  local now = states()
  restore(ctx.states)
  local ok, outputs = pcall(function()
    return pack(modes.enable_grad(autocast.with, ctx.autocast, ctx.fn, unpack(given, 1, ctx.n)))
  end)
  restore(now)
  if not ok then error(outputs, 0) end
  modes.no_grad(check_results, ctx.sums, outputs)
  local roots, seeds, k = {}, {}, 0 -- gradients come for the tensors among the results
  for i = 1, outputs.n do
    local y = outputs[i]
    if check.is_tensor(y) then
      k = k + 1
      local g = (select(k, ...))
      if y.requires_grad and g ~= nil then roots[#roots + 1], seeds[#seeds + 1] = y, g end
    end
  end
  if #roots > 0 then backward.backward(roots, seeds) end
  local grads = {}
  for i = 1, ctx.n do grads[i] = leaves[i] and leaves[i].grad or nil end
  return nil, nil, unpack(grads, 1, ctx.n)
end

--- fn(...), of which nothing is kept but the arguments; backward runs it again, with the random
--- numbers of the first time.  The gradients of parameters that fn uses go to their .grad, so it works
--- with backward() only; autograd.grad raises.  A fn that names the variable which is given its result keeps
--- that, and its graph, until the variable is given something else.
---@param fn function
---@return any ...
return function(fn, ...)
  check.fn(fn, "checkpoint", "fn")
  if not C.kiln_grad_enabled() then return fn(...) end
  -- The guard makes the output require grad even if only parameters inside fn do.
  local guard = create.zeros(1, { requires_grad = true })
  return Checkpoint.apply(guard, fn, ...)
end
