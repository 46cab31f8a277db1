--- Calls on a few elements: what a call costs besides the arithmetic.
local kiln = require "kiln"
local inputs = require "inputs"

local M = {}

function M.add(n)
  local a, b = inputs.uniform(1, n), inputs.uniform(2, n)
  return function() return a + b end
end

function M.add_grad(n)
  local a, b = inputs.uniform(1, n), inputs.uniform(2, n)
  a.requires_grad = true
  return function() return a + b end
end

-- Twenty ops, their sum, and back.
function M.chain(n)
  local x, w = inputs.uniform(1, n), inputs.uniform(2, n)
  x.requires_grad = true
  return function()
    local y = x
    for _ = 1, 10 do y = (y * w):tanh() end
    x.grad = nil
    y:sum():backward()
    return x.grad
  end
end

function M.select(n)
  local x = inputs.uniform(1, n)
  return function() return x[2] end
end

function M.view(n)
  local x = inputs.uniform(1, n)
  return function() return x:view(n / 2, 2) end
end

function M.zero(n)
  local x = kiln.ones(n)
  return function() return x:zero_() end
end

return M
