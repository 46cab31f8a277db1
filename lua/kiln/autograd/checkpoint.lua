--- checkpoint: recompute a part of the network in backward instead of keeping what it saved.
local C = require("kiln.ffi").C
local backward = require "kiln.autograd.backward"
local check = require "kiln.check"
local create = require "kiln.create"
local modes = require "kiln.modes"
local random = require "kiln.random"
local Function = require("kiln.autograd.function").Function

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

function Checkpoint.forward(ctx, _, fn, ...)
  ctx.fn, ctx.n = fn, select("#", ...)
  ctx.states = states()
  local saved = {}
  ctx.plain = {}
  for i = 1, ctx.n do
    local v = select(i, ...)
    if check.is_tensor(v) then saved[i] = v else ctx.plain[i] = v end
  end
  ctx:save_for_backward(unpack(saved, 1, ctx.n))
  return fn(...)
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
  local ok, outputs = pcall(function() return { modes.enable_grad(ctx.fn, unpack(given, 1, ctx.n)) } end)
  restore(now)
  if not ok then error(outputs, 0) end
  local roots, seeds = {}, {}
  for i, y in ipairs(outputs) do
    local g = (select(i, ...))
    if check.is_tensor(y) and y.requires_grad and g ~= nil then
      roots[#roots + 1], seeds[#seeds + 1] = y, g
    end
  end
  if #roots > 0 then backward.backward(roots, seeds) end
  local grads = {}
  for i = 1, ctx.n do grads[i] = leaves[i] and leaves[i].grad or nil end
  return nil, nil, unpack(grads, 1, ctx.n)
end

--- fn(...), of which nothing is kept but the arguments; backward runs it again, with the random
--- numbers of the first time.  The gradients of parameters that fn uses go to their .grad, so it works
--- with backward() only; autograd.grad raises.
---@param fn function
---@return any ...
return function(fn, ...)
  check.fn(fn, "checkpoint", "fn")
  if not C.kiln_grad_enabled() then return fn(...) end
  -- The guard makes the output require grad even if only parameters inside fn do.
  local guard = create.zeros(1, { requires_grad = true })
  return Checkpoint.apply(guard, fn, ...)
end
