--- Nodes that refuse: a value whose history is not known, with a node that raises when somebody
-- differentiates through it.  It leads to all that the value may depend on, so a pass for chosen inputs
-- finds it too.  It refuses to guess.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local create = require "kiln.create"
local handles = require "kiln.handles"
local modes = require "kiln.modes"

local M = {}

local Refusal -- a Function; made with the first refusal, for function.lua needs this file

local function new_class()
  local class = require("kiln.autograd.function").Function:extend "refusal"
  function class.forward(ctx, why, value)
    ctx.why = why
    return value
  end
  function class.backward(ctx) check.raise(nil, "%s", ctx.why) end
  return class
end

--- x with a node that raises `why`.
---@param x kiln.Tensor
---@param node ffi.cdata*?  x may depend on what the inputs of this node came from,
---@param others kiln.Tensor[]  and on these
---@param why string
---@return kiln.Tensor
function M.of(x, node, others, why)
  Refusal = Refusal or new_class()
  local from = { create.zeros(1, { requires_grad = true }), unpack(others) }
  for i = 0, node and C.kiln_node_inputs(node) - 1 or -1 do
    local p = C.kiln_node_input(node, i)
    if p ~= nil then from[#from + 1] = handles.wrap(p) end
  end
  return (Refusal.apply(why, x, unpack(from)))
end

-- The results of code that is part of a backward pass, where the tensors `given` reached it.
local function guarded(node, what, given, ...)
  local results = { n = select("#", ...), ... }
  for i = 1, results.n do
    local x = results[i]
    if check.is_tensor(x) and x.p ~= nil and C.kiln_is_derived(x.p) then
      results[i] = M.of(x, node, given, what .. " computed its result without recording (in no_grad): it "
        .. "cannot be differentiated; compute it with recording, or detach() it where it is a constant")
    end
  end
  return unpack(results, 1, results.n)
end

--- Calls fn(...), which computes gradients for a node.  While a graph of gradients is being created, what it
-- computes from tensors that require grad without recording it may not be differentiated through.
---@param node ffi.cdata*  lent
---@param what string  what fn is
---@param fn function
---@return any ...
function M.watched(node, what, fn, ...)
  if not C.kiln_grad_enabled() then return fn(...) end
  local given, was = {}, nil
  for i = 1, select("#", ...) do
    local x = select(i, ...)
    if check.is_tensor(x) and C.kiln_requires_grad(x.p) then given[#given + 1] = x end
  end
  return guarded(node, what, given, modes.during(function() was = C.kiln_set_noting(true) end,
    function() C.kiln_set_noting(was) end, fn, ...))
end

return M
