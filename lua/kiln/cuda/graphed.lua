--- Callables whose forward and backward passes are replays of graphs, for programs that cannot be captured
-- as a whole: what comes before and after them is Lua as always, and gradients flow through.  A call copies
-- its arguments into the tensors that the graphs read.  Its results stay good until the next call, which
-- writes the same memory; autograd refuses to use them after that.
local kiln = require "kiln"
local C = require("kiln.ffi").C
local Object = require "kiln.class"
local check = require "kiln.check"
local graph = require "kiln.cuda.graph"

local NAME = "make_graphed_callables"

local function raise(...) check.raise(NAME, ...) end

-- Tensors of the same shapes for a graph to read.
local function static_inputs(sample, i)
  if type(sample) ~= "table" then
    raise("samples[%d] must be a list of tensors, got %s", i, check.got(sample))
  end
  local list = {}
  for k, x in ipairs(sample) do
    x = check.tensor(x, NAME, ("samples[%d][%d]"):format(i, k))
    if not x.is_cuda then raise("samples[%d][%d] must be on a CUDA device, it is on %s", i, k, x.device) end
    list[k] = x:detach():clone():requires_grad_(x.requires_grad)
  end
  return list
end

local function outputs_of(...)
  local list = { ... }
  if #list == 0 then raise "a callable returned nothing" end
  for i, y in ipairs(list) do check.tensor(y, NAME, ("result %d of a callable"):format(i)) end
  return list
end

local function requiring_grad(list)
  local some = {}
  for _, x in ipairs(list) do if x.requires_grad then some[#some + 1] = x end end
  return some
end

-- What there is to capture of one callable.
local function plan_of(callable, sample, i)
  check.fn(callable, NAME, ("callables[%d]"):format(i))
  local plan = { callable = callable, inputs = static_inputs(sample, i), params = {} }
  if Object.is_instance(callable, kiln.nn.Module) then
    plan.module, plan.forward = callable, callable.forward
    for _, p in callable:named_parameters() do
      if p.requires_grad then plan.params[#plan.params + 1] = p end
    end
  end
  plan.wanted = requiring_grad(plan.inputs)
  for _, p in ipairs(plan.params) do plan.wanted[#plan.wanted + 1] = p end
  function plan.run() return outputs_of(callable(unpack(plan.inputs))) end
  return plan
end

local function gradients(plan, outputs, seeds)
  return { n = #plan.wanted,
    kiln.autograd.grad(outputs, plan.wanted, seeds, { allow_unused = true }) }
end

local function warm_up(plan)
  local outputs = requiring_grad(plan.run())
  local seeds = {}
  for i, y in ipairs(outputs) do seeds[i] = kiln.zeros_like(y) end
  if #outputs > 0 and #plan.wanted > 0 then gradients(plan, outputs, seeds) end
end

local function capture_forward(plan, pool)
  plan.graph, plan.outputs = graph.capture(plan.run, { warmup = 0, pool = pool })
  plan.seeds = {}
  for i, y in ipairs(plan.outputs) do
    if y.requires_grad then plan.seeds[i] = kiln.zeros_like(y:detach()) end
  end
end

local function capture_backward(plan, pool)
  local outputs, seeds = {}, {}
  for i, y in ipairs(plan.outputs) do
    if plan.seeds[i] then outputs[#outputs + 1], seeds[#seeds + 1] = y, plan.seeds[i] end
  end
  if #outputs == 0 or #plan.wanted == 0 then return end
  plan.back, plan.grads = graph.capture(function() return gradients(plan, outputs, seeds) end,
    { warmup = 0, pool = pool })
end

-- The op that replays: its arguments are the inputs, then the parameters.
local function op_of(plan)
  local Replay = kiln.autograd.Function:extend "GraphReplay"
  function Replay.forward(ctx, ...)
    for i, x in ipairs(plan.inputs) do
      local given = (select(i, ...))
      if not given:is_same(x) then x:detach():copy_(given:detach()) end
    end
    plan.graph:replay()
    plan.calls = (plan.calls or 0) + 1
    ctx.call = plan.calls
    local results, plain = {}, {}
    for i, y in ipairs(plan.outputs) do
      C.kiln_tensor_bump(y.p)
      results[i] = y:detach()
      if not plan.seeds[i] then plain[#plain + 1] = results[i] end
    end
    ctx:mark_non_differentiable(unpack(plain))
    return unpack(results)
  end
  function Replay.backward(ctx, ...)
    if ctx.call ~= plan.calls then
      check.raise("GraphReplay", "backward of call %d came after call %d, which overwrote what it needs",
        ctx.call, plan.calls)
    end
    for i = 1, #plan.outputs do
      if plan.seeds[i] then plan.seeds[i]:copy_((select(i, ...))) end
    end
    plan.back:replay()
    local results, at = {}, 0
    local n = #plan.inputs + #plan.params
    for i = 1, n do
      local x = plan.inputs[i] or plan.params[i - #plan.inputs]
      if x.requires_grad then
        at = at + 1
        local g = plan.grads[at]
        results[i] = g and g:clone() -- the next replay writes it
      end
    end
    return unpack(results, 1, n)
  end
  return Replay
end

local function check_arguments(plan, ...)
  if select("#", ...) ~= #plan.inputs then
    raise("the call has %d arguments, the sample %d", select("#", ...), #plan.inputs)
  end
  for i, x in ipairs(plan.inputs) do
    local given = check.tensor((select(i, ...)), NAME, ("argument %d"):format(i))
    if given:size() ~= x:size() or given.dtype ~= x.dtype or given.device ~= x.device then
      raise("argument %d is %s %s on %s, the sample %s %s on %s", i, tostring(given.dtype),
        check.shape_text(given), given.device, tostring(x.dtype), check.shape_text(x), x.device)
    end
  end
end

-- A module keeps its own forward for the mode that was not captured.
local function replacement(plan)
  local op = op_of(plan)
  local function call(...)
    check_arguments(plan, ...)
    local arguments = { ... }
    for _, p in ipairs(plan.params) do arguments[#arguments + 1] = p end
    return op.apply(unpack(arguments))
  end
  local module, forward = plan.module, plan.forward
  if not module then return call end
  local training = module.training
  module.forward = function(self, ...)
    if self.training ~= training then return forward(self, ...) end
    return call(...)
  end
  return module
end

local OPTIONS = { warmup = 1, pool = 1 }

--- Captures the forward and the backward pass of a function or module for a sample of its arguments (a list
--- of tensors), or of a list of them for a list of samples, in the order in which they will run.  Returns
--- what to call instead; a module is changed and returned.  `warmup` (1): how often each runs before.
---@param callables function|kiln.nn.Module|table
---@param samples kiln.Tensor[]|kiln.Tensor[][]
---@param options? { warmup?: integer, pool?: kiln.cuda.Graph }
return function(callables, samples, options)
  options = check.options(options, OPTIONS, NAME)
  local warmup = options.warmup == nil and 1 or check.int(options.warmup, NAME, "warmup")
  local alone = type(callables) == "function" or Object.is_instance(callables, Object)
  if alone then callables, samples = { callables }, { samples } end
  if type(callables) ~= "table" or type(samples) ~= "table" or #callables ~= #samples or #callables == 0 then
    raise("callables and samples must be lists of one length, got %s and %s", check.got(callables),
      check.got(samples))
  end
  local plans, pool = {}, options.pool
  for i, callable in ipairs(callables) do plans[i] = plan_of(callable, samples[i], i) end
  for _ = 1, warmup do
    for _, plan in ipairs(plans) do warm_up(plan) end
  end
  for _, plan in ipairs(plans) do
    capture_forward(plan, pool)
    pool = pool or plan.graph
  end
  for i = #plans, 1, -1 do capture_backward(plans[i], pool) end
  local list = {}
  for i, plan in ipairs(plans) do list[i] = replacement(plan) end
  if alone then return list[1] end
  return list
end
