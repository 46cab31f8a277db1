--- checkpoint: recompute a part of the network in backward instead of keeping what it saved.
-- It refuses a function that does not give the same results again: its gradient would be that of something
-- else than what ran.  Compared are how many results there are, plain values, and of tensors shape, dtype,
-- device and a weighted sum of each row (of some 64 elements or more).
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

-- -- Comparing results ---------------------------------------------------------------------------

local ROW = 64 -- a row is as many trailing dims as hold so many elements

-- y as a matrix of rows, wide enough to sum them, and weights of both signs and no period.
local function rows_of(y)
  local n, width = math.max(1, y:numel()), 1
  for d = y:dim(), 1, -1 do if width < ROW and y:numel() > 0 then width = width * y:size(d) end end
  local wide = y.dtype.is_floating_point and (y.dtype.itemsize < 4 and y:float() or y) or y:double()
  local weights = create.arange(1, width + 1, { dtype = wide.dtype, device = wide.device }):mul_(1.7):cos_()
  return wide:reshape(y:numel() > 0 and n / width or 0, width), weights
end

-- What is kept of a result.
local function digest(v)
  if not check.is_tensor(v) then return { is = type(v), value = type(v) ~= "table" and v or nil } end
  local rows, weights = rows_of(v)
  return { is = ("a %s tensor of shape %s on %s"):format(v.dtype.name, check.shape_text(v), v.device),
    sums = rows:mv(weights), half = v.dtype.itemsize < 4 and v.dtype.is_floating_point }
end

local function digests(results)
  local list = { n = results.n }
  for i = 1, results.n do list[i] = digest(results[i]) end
  return list
end

-- What is different now, in words; nil when nothing is.  A sum may differ by the rounding of its row: another
-- way to compute it is no change.
local function difference(before, v)
  local now = digest(v)
  if before.is ~= now.is then return ("it was %s and is %s"):format(before.is, now.is) end
  if not now.sums then
    local a, b = before.value, now.value
    if a == b or type(a) == "function" or (a ~= a and b ~= b) then return nil end
    return ("it was %s and is %s"):format(tostring(a), tostring(b))
  end
  local rows, weights = rows_of(v)
  local a, b = before.sums, now.sums
  local slack = rows:abs():mv(weights:abs()):mul_(before.half and 1e-2 or 1e-5)
  local same = (a - b):abs():le(slack):logical_or(a:eq(b)):logical_or(a:isnan():logical_and(b:isnan()))
  if same:all():item() then return nil end
  local row = same:logical_not():nonzero()[1]:item()
  return ("a weighted sum of row %d was %g and is %g"):format(row, a[row]:item(), b[row]:item())
end

local function check_results(before, outputs)
  if before.n ~= outputs.n then
    check.raise("checkpoint", "fn gave %d results, and %d in backward", before.n, outputs.n)
  end
  for i = 1, outputs.n do
    local why = difference(before[i], outputs[i])
    if why then
      check.raise("checkpoint", "fn did not give result %d again in backward (%s): what it reads beside its "
        .. "arguments has changed since, or is random", i, why)
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
  ctx.results = autocast.autocast({ enabled = false }, digests, results)
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
  modes.no_grad(autocast.autocast, { enabled = false }, check_results, ctx.results, outputs)
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
