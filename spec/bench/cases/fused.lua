--- A chain of pointwise ops and a sum, forward and backward.
local kiln = require "kiln"
local inputs = require "inputs"

local M = {}

local function expression(x, y, z) return ((x * y + z):tanh() * x):sum() end

function M.expression(n)
  local x, y, z = inputs.uniform(1, n), inputs.uniform(2, n), inputs.uniform(3, n)
  local leaves = { x, y, z }
  for _, leaf in ipairs(leaves) do leaf.requires_grad = true end
  local f = kiln.fuse and kiln.fuse(expression) or expression
  return function()
    for _, leaf in ipairs(leaves) do leaf.grad = nil end
    local loss = f(x, y, z)
    loss:backward()
    return loss
  end, function(run) return { run(), x.grad, y.grad, z.grad } end
end

return M
