--- Matrix products [m, k] x [k, n].
local inputs = require "inputs"

local M = {}

function M.product(m, k, n)
  local a, b = inputs.uniform(1, m, k), inputs.uniform(2, k, n)
  return function() return a:mm(b) end
end

function M.batched(count, n)
  local a, b = inputs.uniform(1, count, n, n), inputs.uniform(2, count, n, n)
  return function() return a:bmm(b) end
end

function M.left_transposed(n)
  local a, b = inputs.uniform(1, n, n):t(), inputs.uniform(2, n, n)
  return function() return a:mm(b) end
end

function M.right_transposed(n)
  local a, b = inputs.uniform(1, n, n), inputs.uniform(2, n, n):t()
  return function() return a:mm(b) end
end

return M
