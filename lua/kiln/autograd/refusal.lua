--- Nodes that refuse: a value whose history is not known, with a node that raises when somebody
-- differentiates through it.  It leads to all that the value may depend on, so a pass for chosen inputs
-- finds it too.  It refuses to guess.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local create = require "kiln.create"
local handles = require "kiln.handles"

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

return M
