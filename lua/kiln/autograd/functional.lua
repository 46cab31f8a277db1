--- Derivatives of functions: jacobian, hessian, and products with vectors on either side.
-- fn takes tensors and returns one or more; inputs is a tensor or a list of them.  Results have the
-- form of the inputs: one tensor for one, a list for a list.  What an output does not depend on has zeros;
-- with `strict` that is refused, as is a derivative that does not depend on the inputs where it is to be
-- differentiated itself.
local backward = require "kiln.autograd.backward"
local check = require "kiln.check"
local create = require "kiln.create"
local modes = require "kiln.modes"

local M = {}

local OPTIONS = { create_graph = 1, strict = 1 }

-- Inputs as a list of tensors to differentiate by; fresh leaves, unless a graph is wanted behind them: then
-- all is recorded, also where the caller records nothing.
local function prepare(inputs, name, create_graph)
  local list = check.is_tensor(inputs) and { inputs } or inputs
  if type(list) ~= "table" or #list == 0 then
    check.raise(name, "inputs must be a tensor or a list of tensors, got %s", check.got(inputs))
  end
  local out = {}
  for i, x in ipairs(list) do
    check.tensor(x, name, ("inputs[%d]"):format(i))
    if not x.dtype.is_floating_point then
      check.raise(name, "inputs[%d] is %s; only floating tensors have derivatives", i, x.dtype.name)
    end
    out[i] = create_graph and x.requires_grad and modes.enable_grad(x.view, x, x.shape)
      or x:detach():requires_grad_()
  end
  return out
end

local function like(form, list)
  if check.is_tensor(form) then return list[1] end
  return list
end

-- With strict: x, a derivative or an output, must be there, and with `graph` depend on the inputs.
local function must(o, x, graph, format, ...)
  if o.strict and (x == nil or graph and not x.requires_grad) then
    check.raise(o.name, "strict: " .. format, ...)
  end
end

-- Gradients of the outputs, weighed by seeds, by each of the list, nil where none depends on it.
local function some_gradients(outputs, list, seeds, create_graph, retain_graph)
  if #outputs == 0 then return {} end
  return { backward.grad(outputs, list, seeds, { create_graph = create_graph, retain_graph = retain_graph,
    allow_unused = true }) }
end

-- The same with zeros for nil.
local function filled(g, list)
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

local function stacked(rows, shape) return require("kiln").stack(rows, 1):view(shape) end

-- The Jacobian of one output by each of the list: shape of y, then shape of x.  seen(g, t) is shown each
-- gradient by list[t], nil where there is none.
local function jacobian_of(y, list, create_graph, seen)
  local rows, n = {}, y:numel()
  for t = 1, #list do rows[t] = {} end
  for i = 1, n do
    local seed = create.zeros(n, { dtype = y.dtype, device = y.device })
    seed[i] = 1
    local outputs, seeds = with_graph({ y }, { seed:view(y.shape) })
    local g = some_gradients(outputs, list, seeds, create_graph, true)
    for t = 1, #list do seen(g[t], t) end
    for t, by_x in ipairs(filled(g, list)) do rows[t][i] = by_x end
  end
  local result = {}
  for t, x in ipairs(list) do
    result[t] = n > 0 and modes.set_grad_enabled(create_graph, stacked, rows[t], joined(y.shape, x.shape))
      or create.zeros(joined(y.shape, x.shape), { dtype = x.dtype, device = x.device })
  end
  return result
end

-- Checks what every function here takes; returns the inputs as a list, and { name, create_graph, strict }.
local function begin(name, fn, inputs, options)
  check.fn(fn, name, "fn")
  local given, o = check.options(options, OPTIONS, name), { name = name }
  for key in pairs(OPTIONS) do
    o[key] = given[key] ~= nil and check.bool(given[key], name, key) or false
  end
  return prepare(inputs, name, o.create_graph), o
end
jit.off(begin) -- walks a table: docs/architecture.md, "LuaJIT"

local function call(o, fn, list)
  local outputs = { modes.enable_grad(fn, unpack(list)) }
  if #outputs == 0 then check.raise(o.name, "fn returned nothing") end
  for i, y in ipairs(outputs) do
    check.tensor(y, o.name, ("output %d of fn"):format(i))
    must(o, y, true, "output %d of fn does not depend on the inputs", i)
  end
  return outputs
end

--- All first derivatives: a tensor with the output's shape followed by the input's; for a list of
--- inputs a list, for several outputs several results.
---@param fn fun(...: kiln.Tensor): kiln.Tensor ...
---@param inputs kiln.Tensor|kiln.Tensor[]
---@param options? { create_graph?: boolean, strict?: boolean }
function M.jacobian(fn, inputs, options)
  local list, o = begin("jacobian", fn, inputs, options)
  local results = {}
  for k, y in ipairs(call(o, fn, list)) do
    results[k] = like(inputs, jacobian_of(y, list, o.create_graph, function(g, t)
      must(o, g, false, "output %d of fn does not depend on input %d", k, t)
      must(o, g, o.create_graph, "with create_graph, the Jacobian of output %d by input %d must depend on "
        .. "the inputs", k, t)
    end))
  end
  return unpack(results)
end

local function scalar_output(o, fn, list)
  local outputs = call(o, fn, list)
  if #outputs ~= 1 or outputs[1]:numel() ~= 1 then
    check.raise(o.name, "fn must return one tensor of one element, got %d results, the first of shape %s",
      #outputs, check.shape_text(outputs[1]))
  end
  return outputs[1]
end

-- The gradient of a number by each of the list, with a graph.
local function slopes(o, y, list)
  local g = some_gradients(with_graph({ y }, {}), list, nil, true, true)
  for i = 1, #list do must(o, g[i], true, "the gradient by input %d does not depend on the inputs", i) end
  return filled(g, list)
end

-- What is shown of a second derivative by input i.
local function seen_twice(o)
  return function(g, i)
    must(o, g, false, "the gradient does not depend on input %d", i)
    must(o, g, o.create_graph, "with create_graph, the Hessian by input %d must depend on the inputs", i)
  end
end

--- All second derivatives of a function with one number as result: for one input a tensor of its
--- shape twice, for a list a list of lists.
function M.hessian(fn, inputs, options)
  local list, o = begin("hessian", fn, inputs, options)
  local rows = {}
  for i, g in ipairs(slopes(o, scalar_output(o, fn, list), list)) do
    rows[i] = like(inputs, jacobian_of(g, list, o.create_graph, seen_twice(o)))
  end
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

-- What fn returned, for the caller: its graph is used up where none was asked for.
local function shown(o, outputs)
  for i, y in ipairs(outputs) do if not o.create_graph then outputs[i] = y:detach() end end
  return single(outputs)
end

--- Product of a vector with the Jacobian: returns fn's outputs (a list if several) and v^T J, in the
--- form of the inputs.
function M.vjp(fn, inputs, v, options)
  local list, o = begin("vjp", fn, inputs, options)
  local outputs = call(o, fn, list)
  v = vectors(v, outputs, o.name, "v")
  local roots, seeds = with_graph(outputs, v)
  local g = some_gradients(roots, list, seeds, o.create_graph)
  for i = 1, #list do
    must(o, g[i], false, "fn does not depend on input %d", i)
    must(o, g[i], o.create_graph, "with create_graph, the gradient by input %d must depend on the inputs", i)
  end
  return shown(o, outputs), like(inputs, filled(g, list))
end

--- Product of the Jacobian with a vector: returns fn's outputs and J v (lists if several).
function M.jvp(fn, inputs, v, options)
  local list, o = begin("jvp", fn, inputs, options)
  v = vectors(v, list, o.name, "v")
  local outputs = call(o, fn, list)
  -- u^T J is linear in u: its derivative by u, times v, is J v.
  local u = {}
  for i, y in ipairs(outputs) do u[i] = create.zeros_like(y, { requires_grad = true }) end
  local roots, seeds = with_graph(outputs, u)
  local g, used, with = some_gradients(roots, list, seeds, true), {}, {}
  for i = 1, #list do
    must(o, g[i], true, "the gradient by input %d does not depend on fn's outputs", i)
    if g[i] ~= nil and g[i].requires_grad then used[#used + 1], with[#with + 1] = g[i], v[i] end
  end
  local products = some_gradients(used, u, with, o.create_graph)
  for i = 1, #u do
    must(o, products[i], false, "the gradient does not depend on that of output %d", i)
    must(o, products[i], o.create_graph, "with create_graph, product %d must depend on the inputs", i)
  end
  return shown(o, outputs), single(filled(products, u))
end

--- Product of the Hessian with a vector: returns fn's output and H v in the form of the inputs.
function M.hvp(fn, inputs, v, options)
  local list, o = begin("hvp", fn, inputs, options)
  v = vectors(v, list, o.name, "v")
  local y, seen = scalar_output(o, fn, list), seen_twice(o)
  local first, with = with_graph(slopes(o, y, list), v)
  local g = some_gradients(first, list, with, o.create_graph)
  for i = 1, #list do seen(g[i], i) end
  return shown(o, { y }), like(inputs, filled(g, list))
end

--- The Hessian is symmetric: vhp and hvp are one.
M.vhp = M.hvp

return M
