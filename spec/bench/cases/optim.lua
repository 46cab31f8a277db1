--- A step of Adam on n parameters in a number of tensors, and the same numbers to compare with two others.
local kiln = require "kiln"
local inputs = require "inputs"

local M = {}

local function adam(n, tensors)
  local list = {}
  for i = 1, tensors do
    local p = inputs.uniform(1, n / tensors)
    p.requires_grad = true
    p.grad = inputs.uniform(2, n / tensors)
    list[i] = p
  end
  local optimizer = kiln.optim.Adam(list, { lr = 1e-3 })
  return function() optimizer:step() end, function(run)
    run()
    return { list[1], list[tensors] }
  end
end

-- One in kiln; in PyTorch the default and the fused one.
M.adam, M.adam_fused = adam, adam

return M
