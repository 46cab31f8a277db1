--- checkpoint: recompute a part of the network in backward instead of keeping what it saved.
-- It refuses a function that does not give the same results again: its gradient would be that of something
-- else than what ran.  Compared are how many results there are, plain values, and of tensors shape, dtype,
-- device and a weighted sum of each row (of some 64 elements or more).
-- Arguments and results may hold tensors in plain tables.  A result that holds one in an object is refused,
-- for its gradient would be lost.
local C = require("kiln.ffi").C
local autocast = require "kiln.amp.autocast"
local backward = require "kiln.autograd.backward"
local check = require "kiln.check"
local create = require "kiln.create"
local modes = require "kiln.modes"
local random = require "kiln.random"
local Function = require("kiln.autograd.function").Function
local Object = require "kiln.class"
local hooks = require "kiln.autograd.hooks"
local leaves = require "kiln.autograd.leaves"
local reach = require "kiln.reach"
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

-- Each tensor and each other value of the results: a list of { value, path }.
local function values_of(results)
  local list = {}
  local function note(v, path)
    list[#list + 1] = { value = v, path = path }
    return v
  end
  leaves.map(results, note, note)
  return list
end

local function digests(results)
  local list = {}
  for i, e in ipairs(values_of(results)) do
    list[i] = digest(e.value)
    list[i].path = e.path
  end
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

local function check_results(before, results)
  local now = values_of(results)
  if #before ~= #now then
    check.raise("checkpoint", "fn gave %d results, and %d in backward", #before, #now)
  end
  for i, e in ipairs(now) do
    local why = before[i].path ~= e.path and ("it is now result %s"):format(e.path)
      or difference(before[i], e.value)
    if why then
      check.raise("checkpoint", "fn did not give result %s again in backward (%s): what it reads beside its "
        .. "arguments has changed since, or is random", before[i].path, why)
    end
  end
end

-- -- Running twice -------------------------------------------------------------------------------

-- Modules hold what they computed for other reasons.
local function is_module(v)
  local Module = package.loaded["kiln.nn.module"]
  return Module ~= nil and Object.is_instance(v, Module)
end

-- An object may hold a result of the first run, which has no history.
local function check_objects(results)
  for _, e in ipairs(values_of(results)) do
    if type(e.value) == "table" and not is_module(e.value) then
      reach.new(function(x)
        if C.kiln_is_derived(x.p) then
          check.raise("checkpoint", "result %s is an object that holds a tensor, which would have no "
            .. "gradient; return the tensor itself, or in a plain table", e.path)
        end
      end, 1000):follow(e.value)
    end
  end
end

-- call: { fn, list (the arguments, as they came), given (with slots for tensors) }; ...: these tensors.
function Checkpoint.forward(ctx, _, call, ...)
  ctx.fn, ctx.given, ctx.n = call.fn, call.given, select("#", ...)
  ctx.states, ctx.autocast, ctx.frame = states(), autocast.now(), hooks.new_frame()
  ctx:save_for_backward(...)
  ctx:set_materialize_grads(false)
  local results = pack(hooks.run_frame(ctx.frame, false, call.fn, unpack(call.list, 1, call.list.n)))
  check_objects(results)
  ctx.results = autocast.autocast({ enabled = false }, digests, results)
  local tensors
  call.results, tensors = leaves.take_out(results)
  return unpack(tensors, 1, tensors.n)
end

-- Runs fn again on these tensors; returns the tensors among its results.
local function run_again(ctx, tensors)
  local given, now = leaves.put_back(ctx.given, tensors), states()
  restore(ctx.states)
  local ok, results = pcall(function()
    return pack(hooks.run_frame(ctx.frame, true, modes.enable_grad, autocast.with, ctx.autocast, ctx.fn,
      unpack(given, 1, given.n)))
  end)
  restore(now)
  if not ok then error(results, 0) end
  modes.no_grad(autocast.autocast, { enabled = false }, check_results, ctx.results, results)
  local _, outputs = leaves.take_out(results)
  return outputs
end

function Checkpoint.backward(ctx, ...)
  if C.kiln_grad_enabled() then
    check.raise("checkpoint", "cannot be differentiated twice; create_graph needs what was not kept")
  end
  local tensors, saved = {}, ctx.saved_tensors
  for i = 1, ctx.n do
    tensors[i] = saved[i]:detach()
    if ctx.needs_input_grad[i + 2] then tensors[i].requires_grad = true end
  end
  local roots, seeds, outputs = {}, {}, run_again(ctx, tensors)
  for i = 1, outputs.n do
    local g = (select(i, ...))
    if outputs[i].requires_grad and g ~= nil then roots[#roots + 1], seeds[#seeds + 1] = outputs[i], g end
  end
  if #roots > 0 then backward.backward(roots, seeds) end
  hooks.forget_run(ctx.frame)
  local grads = {}
  for i = 1, ctx.n do grads[i] = tensors[i].grad end
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
  local list = pack(...)
  local given, tensors = leaves.take_out(list)
  local call = { fn = fn, list = list, given = given }
  -- The guard makes the output require grad even if only parameters inside fn do.
  local guard = create.zeros(1, { requires_grad = true })
  local outputs = { Checkpoint.apply(guard, call, unpack(tensors, 1, tensors.n)) }
  local results = leaves.put_back(call.results, outputs)
  return unpack(results, 1, results.n)
end
