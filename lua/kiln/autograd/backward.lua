--- Backward passes: x:backward(), autograd.backward, autograd.grad.
-- The core walks the graph and returns whenever a Lua function must be called (a Function's
-- backward, a hook, what was checkpointed); this loop calls it and hands the answer back.  Whatever goes
-- wrong on the way, the pass is freed and the error arrives as it was.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local anomaly = require "kiln.autograd.anomaly"
local args = require "kiln.args"
local bind = require "kiln.bind"
local check = require "kiln.check"
local handles = require "kiln.handles"
local keys = require "kiln.autograd.keys"
local modes = require "kiln.modes"
local refusal = require "kiln.autograd.refusal"

local M = { methods = {} }

local wrap = handles.wrap

-- -- The loop ----------------------------------------------------------------------------------

local function run_hook(task, hook)
  local g = bind.made("hook", C.kiln_task_grad, task, 0)
  local answer = refusal.watched(C.kiln_peek_task_node(task), "a hook", hook, g)
  if answer == nil then
    if g.p == nil then return end
    answer = g -- it may look at other memory now, or have another history
  end
  if not check.is_tensor(answer) then
    check.raise("hook", "a hook returns a gradient or nothing, got %s", check.got(answer))
  end
  check.status(C.kiln_task_give(task, 0, check.tensor(answer, "hook", "the gradient returned").p))
end

local function called(node, ok, err)
  if not ok then error(anomaly.annotate(err, node), 0) end
end

-- Calls what the pass asks for, with recording as the pass has it.
local function answer(task, what, create_graph)
  local target = keys.get(C.kiln_task_key(task))
  local is_hook, is_again = what == C.KILN_TASK_HOOK, what == C.KILN_TASK_AGAIN
  if target == nil then
    check.raise("backward", "%s of %s belongs to another Lua state",
      is_hook and "a hook" or is_again and "the checkpoint" or "the backward",
      ffi.string(C.kiln_node_name(C.kiln_peek_task_node(task))))
  end
  local node = C.kiln_peek_task_node(task)
  if is_again then return called(node, pcall(target.run_again, target, C.kiln_peek_task_region(task))) end
  if is_hook then return called(node, modes.set_grad_enabled(create_graph, pcall, run_hook, task, target)) end
  called(node, modes.set_grad_enabled(create_graph, pcall, target.run_backward, target, task))
end

-- Runs the pass to its end.  One that runs out of memory goes on after a collection, unless that did not
-- help it to do a single node more.
local function drive(task, create_graph)
  local stuck_at
  while true do
    local what = C.kiln_task_run(task)
    if what == C.KILN_TASK_DONE then return end
    if what > 0 then
      answer(task, what, create_graph)
    else
      local done = tonumber(C.kiln_task_progress(task))
      if done == stuck_at or not bind.retry() then anomaly.raise_core "backward" end
      stuck_at = done
    end
  end
end

local function pointers(list, n)
  local p = ffi.new("kiln_tensor *[?]", math.max(1, n))
  for i = 1, n do
    local x = list[i]
    p[i - 1] = x and x.p or nil
  end
  return p
end

-- Runs one pass.  `collect`: how many gradients to read at the end; 0 adds to .grad instead.
local function pass(roots, seeds, inputs, o, collect)
  local n, n_inputs = #roots, inputs and #inputs or 0
  anomaly.mark()
  local task = bind.make(C.kiln_backward, pointers(roots, n), pointers(seeds, n), n,
    pointers(inputs or {}, n_inputs), n_inputs, o.retain_graph, o.create_graph, collect == 0,
    anomaly.checks_nan())
  if task == nil then check.raise_core "backward" end
  ffi.gc(task, C.kiln_task_free) -- for a coroutine that yields inside a hook and never comes back
  local ok, err = pcall(drive, task, o.create_graph)
  local results = {}
  if ok then
    for i = 1, collect do
      local g = C.kiln_task_result(task, i - 1)
      results[i] = g ~= nil and wrap(g) or false
    end
  end
  C.kiln_task_free(ffi.gc(task, nil))
  if not ok then error(err, 0) end
  return results
end

-- -- Arguments ---------------------------------------------------------------------------------

local function tensor_list(v, name, argument)
  if check.is_tensor(v) then v = { v } end
  if type(v) ~= "table" or getmetatable(v) ~= nil or #v == 0 then
    check.raise(name, "%s must be a tensor or a list of tensors, got %s", argument, check.got(v))
  end
  for i = 1, #v do check.tensor(v[i], name, ("%s[%d]"):format(argument, i)) end
  return v
end

-- Gradients of the roots: nil or false entries mean ones.
local function seed_list(v, n, name, argument)
  if v == nil then return {} end
  if check.is_tensor(v) then v = { v } end
  if type(v) ~= "table" then
    check.raise(name, "%s must be a tensor or a list of tensors, got %s", argument, check.got(v))
  end
  for i = 1, n do
    if v[i] then check.tensor(v[i], name, ("%s[%d]"):format(argument, i)) end
  end
  if #v > n then check.raise(name, "%s has %d entries, there are %d tensors", argument, #v, n) end
  return v
end

local function flags(o, name)
  local create = o.create_graph ~= nil and check.bool(o.create_graph, name, "create_graph") or false
  local retain = create
  if o.retain_graph ~= nil then retain = check.bool(o.retain_graph, name, "retain_graph") end
  return { create_graph = create, retain_graph = retain }
end

local BACKWARD = { retain_graph = 1, create_graph = 1, inputs = 1, gradient = 1 }

-- -- What users call -----------------------------------------------------------------------------

--- Adds the gradients of x to the .grad of every leaf it was computed from.
--- x:backward(gradient?, { retain_graph, create_graph, inputs }); by position
--- x:backward(gradient, retain_graph, create_graph).
---@param gradient? kiln.Tensor  with the shape of x; may be left out when x has one element
function M.methods:backward(gradient, options, create_graph)
  check.tensor(self, "backward", "self")
  local is_empty = type(gradient) == "table" and next(gradient) == nil -- { retain_graph = nil }
  if is_empty or args.is_options(gradient) then gradient, options = nil, gradient end
  if type(options) == "boolean" or type(create_graph) == "boolean" then
    options = { retain_graph = options, create_graph = create_graph }
  end
  local o = check.options(options, BACKWARD, "backward")
  if gradient == nil then gradient = o.gradient end
  if gradient ~= nil then check.tensor(gradient, "backward", "gradient") end
  local inputs = o.inputs ~= nil and tensor_list(o.inputs, "backward", "inputs") or nil
  pass({ self }, { gradient }, inputs, flags(o, "backward"), 0)
end

--- The same for several tensors at once.
---@param tensors kiln.Tensor|kiln.Tensor[]
---@param gradients? kiln.Tensor|kiln.Tensor[]
---@param options? { retain_graph?: boolean, create_graph?: boolean, inputs?: kiln.Tensor[] }
function M.backward(tensors, gradients, options)
  local name = "autograd.backward"
  if args.is_options(gradients) then gradients, options = nil, gradients end
  local o = check.options(options, BACKWARD, name)
  local roots = tensor_list(tensors, name, "tensors")
  local seeds = seed_list(gradients, #roots, name, "gradients")
  local inputs = o.inputs ~= nil and tensor_list(o.inputs, name, "inputs") or nil
  pass(roots, seeds, inputs, flags(o, name), 0)
end

local GRAD = { grad_outputs = 1, retain_graph = 1, create_graph = 1, allow_unused = 1, only_inputs = 1 }

--- The gradients of outputs by inputs, one result an input; .grad stays as it is.
---@param outputs kiln.Tensor|kiln.Tensor[]
---@param inputs kiln.Tensor|kiln.Tensor[]
---@param grad_outputs? kiln.Tensor|kiln.Tensor[]
---@param options? { retain_graph?: boolean, create_graph?: boolean, allow_unused?: boolean }
---@return kiln.Tensor? ...  nil for an input that was not used, when allow_unused is set
function M.grad(outputs, inputs, grad_outputs, options)
  local name = "autograd.grad"
  if args.is_options(grad_outputs) then grad_outputs, options = nil, grad_outputs end
  local o = check.options(options, GRAD, name)
  if grad_outputs == nil then grad_outputs = o.grad_outputs end
  local roots = tensor_list(outputs, name, "outputs")
  local targets = tensor_list(inputs, name, "inputs")
  local seeds = seed_list(grad_outputs, #roots, name, "grad_outputs")
  local allow = o.allow_unused ~= nil and check.bool(o.allow_unused, name, "allow_unused") or false
  local results = pass(roots, seeds, targets, flags(o, name), #targets)
  for i = 1, #targets do
    if not results[i] then
      if not allow then
        check.raise(name, "input %d was not used in the graph; give allow_unused = true to get nil for it", i)
      end
      results[i] = nil
    end
  end
  return unpack(results, 1, #targets)
end

return M
