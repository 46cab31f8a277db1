--- Ops that move elements, and those that order them.
local kiln = require "kiln"
local inputs = require "inputs"

local M = {}

function M.transposed(n)
  local x = inputs.uniform(1, n, n):t()
  return function() return x:contiguous() end
end

function M.add_transposed(n)
  local x = inputs.uniform(1, n, n)
  return function() return x + x:t() end
end

function M.cat(n)
  local a, b = inputs.uniform(1, n / 2, n), inputs.uniform(2, n / 2, n)
  local both = { a, b }
  return function() return kiln.cat(both, 1) end
end

function M.index_select(n)
  local x, rows = inputs.uniform(1, n, n), inputs.positions(2, n, n)
  return function() return x:index_select(1, rows) end
end

function M.gather(n)
  local x, places = inputs.uniform(1, n, n), inputs.positions(2, n, n, n)
  return function() return x:gather(2, places) end
end

function M.masked_select(n)
  local x, mask = inputs.uniform(1, n), inputs.mask(2, n)
  return function() return x:masked_select(mask) end
end

function M.embedding_backward(words, width, n)
  local weight, index = inputs.uniform(1, words, width), inputs.positions(2, words, n)
  local g = inputs.uniform(3, n, width)
  weight.requires_grad = true
  return function()
    weight.grad = nil
    kiln.nn.functional.embedding(index, weight):backward(g)
    return weight.grad
  end
end

-- Of equal elements PyTorch keeps no order, so positions are compared by what is found there.
function M.sort(n)
  local x = inputs.uniform(1, n)
  return function() return x:sort() end, function(run)
    local values, where = run()
    return { values, x:index_select(1, where) }
  end
end

function M.topk(n, k)
  local x = inputs.uniform(1, n)
  return function() return x:topk(k) end, function(run)
    local values, where = run()
    return { values, x:index_select(1, where) }
  end
end

function M.cumsum(n)
  local x = inputs.uniform(1, n)
  return function() return x:cumsum(1) end
end

return M
