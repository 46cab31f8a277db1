--- Derivatives of functions: jacobian, hessian, and products with vectors on either side.
-- fn takes tensors and returns one or more; inputs is a tensor or a list of them.  Results have the
-- form of the inputs: one tensor for one, a list for a list.
local backward = require "kiln.autograd.backward"
local check = require "kiln.check"
local create = require "kiln.create"
local modes = require "kiln.modes"

local M = {}

local OPTIONS = { create_graph = 1 }

-- Inputs as a list of tensors to differentiate by; fresh leaves, unless a graph is wanted behind them.
local function prepare(inputs, name, create_graph)
  local list = check.is_tensor(inputs) and { inputs } or inputs
  if type(list) ~= "table" or #list == 0 then
    check.raise(name, "inputs must be a tensor or a list of tensors, got %s", check.got(inputs))
  end
  local out = {}
  for i, x in ipairs(list) do
    check.tensor(x, name, ("inputs[%d]"):format(i))
    out[i] = create_graph and x.requires_grad and x:view(x.shape) or x:detach():requires_grad_()
  end
  return out
end

local function call(fn, list, name)
  local outputs = { modes.enable_grad(fn, unpack(list)) }
  if #outputs == 0 then check.raise(name, "fn returned nothing") end
  for i, y in ipairs(outputs) do check.tensor(y, name, ("output %d of fn"):format(i)) end
  return outputs
end

local function like(form, list)
  if check.is_tensor(form) then return list[1] end
  return list
end

-- Gradients of the outputs, weighed by seeds, by each of the list; zeros where none depends on it.
local function gradients(outputs, list, seeds, create_graph, retain_graph)
  local g = {}
  if #outputs > 0 then
    g = { backward.grad(outputs, list, seeds, { create_graph = create_graph, retain_graph = retain_graph,
      allow_unused = true }) }
  end
  for i, x in ipairs(list) do g[i] = g[i] or create.zeros_like(x) end
  return g
end

-- The tensors that have a graph, and what stands beside each of them.
local function with_graph(tensors, beside)
  local few, few_beside = {}, {}
  for i, x in ipairs(tensors) do
    if x.requires_grad then few[#few + 1], few_beside[#few + 1] = x, beside[i] end
  end
  return few, few_beside
end

local function joined(a, b)
  local shape = {}
  for _, n in ipairs(a) do shape[#shape + 1] = n end
  for _, n in ipairs(b) do shape[#shape + 1] = n end
  return shape
end

-- The Jacobian of one output by each of the list: shape of y, then shape of x.
local function jacobian_of(y, list, create_graph)
  local rows, n = {}, y:numel()
  for t = 1, #list do rows[t] = {} end
  for i = 1, n do
    local seed = create.zeros(n, { dtype = y.dtype, device = y.device })
    seed[i] = 1
    local outputs, seeds = with_graph({ y }, { seed:view(y.shape) })
    for t, g in ipairs(gradients(outputs, list, seeds, create_graph, true)) do
      rows[t][i] = g:contiguous():view(1, g:numel())
    end
  end
  local result = {}
  for t, x in ipairs(list) do
    result[t] = n > 0 and require("kiln").cat(rows[t], 1):view(joined(y.shape, x.shape))
      or create.zeros(joined(y.shape, x.shape), { dtype = x.dtype, device = x.device })
  end
  return result
end

-- Checks what every function here takes; returns the inputs as a list, and create_graph.
local function begin(name, fn, inputs, options)
  check.fn(fn, name, "fn")
  local o = check.options(options, OPTIONS, name)
  local create_graph = o.create_graph ~= nil and check.bool(o.create_graph, name, "create_graph") or false
  return prepare(inputs, name, create_graph), create_graph
end

--- All first derivatives: a tensor with the output's shape followed by the input's; for a list of
--- inputs a list, for several outputs several results.
---@param fn fun(...: kiln.Tensor): kiln.Tensor ...
---@param inputs kiln.Tensor|kiln.Tensor[]
---@param options? { create_graph?: boolean }
function M.jacobian(fn, inputs, options)
  local name = "jacobian"
  local list, create_graph = begin(name, fn, inputs, options)
  local results = {}
  for k, y in ipairs(call(fn, list, name)) do
    results[k] = like(inputs, jacobian_of(y, list, create_graph))
  end
  return unpack(results)
end

local function scalar_output(fn, list, name)
  local outputs = call(fn, list, name)
  if #outputs ~= 1 or outputs[1]:numel() ~= 1 then
    check.raise(name, "fn must return one tensor of one element, got %d results, the first of shape %s",
      #outputs, check.shape_text(outputs[1]))
  end
  return outputs[1]
end

--- All second derivatives of a function with one number as result: for one input a tensor of its
--- shape twice, for a list a list of lists.
function M.hessian(fn, inputs, options)
  local name = "hessian"
  local list, create_graph = begin(name, fn, inputs, options)
  local first = gradients(with_graph({ scalar_output(fn, list, name) }, {}), list, nil, true, true)
  local rows = {}
  for i, g in ipairs(first) do rows[i] = like(inputs, jacobian_of(g, list, create_graph)) end
  return like(inputs, rows)
end

-- Vectors shaped like tensors; ones when there is one element and none is given.
local function vectors(v, tensors, name, argument)
  if v == nil then
    v = {}
    for i, x in ipairs(tensors) do
      if x:numel() ~= 1 then
        check.raise(name, "%s is needed: tensor %d has shape %s", argument, i, check.shape_text(x))
      end
      v[i] = create.ones_like(x)
    end
  end
  if check.is_tensor(v) then v = { v } end
  if type(v) ~= "table" or #v ~= #tensors then
    check.raise(name, "%s must be %d tensors, got %s", argument, #tensors, check.got(v))
  end
  for i, x in ipairs(tensors) do
    check.tensor(v[i], name, ("%s[%d]"):format(argument, i))
    if v[i].shape ~= x.shape then
      check.raise(name, "%s[%d] has shape %s, %s is needed", argument, i, check.shape_text(v[i]),
        check.shape_text(x))
    end
  end
  return v
end

local function single(list) if #list == 1 then return list[1] end return list end

--- Product of a vector with the Jacobian: returns fn's outputs (a list if several) and v^T J, in the
--- form of the inputs.
function M.vjp(fn, inputs, v, options)
  local name = "vjp"
  local list, create_graph = begin(name, fn, inputs, options)
  local outputs = call(fn, list, name)
  v = vectors(v, outputs, name, "v")
  return single(outputs), like(inputs, gradients(outputs, list, v, create_graph))
end

--- Product of the Jacobian with a vector: returns fn's outputs and J v (lists if several).
function M.jvp(fn, inputs, v, options)
  local name = "jvp"
  local list, create_graph = begin(name, fn, inputs, options)
  v = vectors(v, list, name, "v")
  local outputs = call(fn, list, name)
  -- u^T J is linear in u: its derivative by u, times v, is J v.
  local u = {}
  for i, y in ipairs(outputs) do u[i] = create.zeros_like(y, { requires_grad = true }) end
  local roots, seeds = with_graph(outputs, u)
  local g, used, with = {}, {}, {}
  if #roots > 0 then
    g = { backward.grad(roots, list, seeds, { create_graph = true, allow_unused = true }) }
  end
  for i = 1, #list do
    if g[i] ~= nil and g[i].requires_grad then used[#used + 1], with[#with + 1] = g[i], v[i] end
  end
  return single(outputs), single(gradients(used, u, with, create_graph))
end

--- Product of the Hessian with a vector: returns fn's output and H v in the form of the inputs.
function M.hvp(fn, inputs, v, options)
  local name = "hvp"
  local list, create_graph = begin(name, fn, inputs, options)
  v = vectors(v, list, name, "v")
  local y = scalar_output(fn, list, name)
  local first, with = with_graph(gradients(with_graph({ y }, {}), list, nil, true, true), v)
  return y, like(inputs, gradients(first, list, with, create_graph))
end

--- The Hessian is symmetric: vhp and hvp are one.
M.vhp = M.hvp

return M
