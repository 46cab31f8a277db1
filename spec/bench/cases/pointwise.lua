--- One pass over memory: n elements, as a matrix where rows or columns are broadcast.
local kiln = require "kiln"
local inputs = require "inputs"

local M = {}

local function unary(name, scale)
  M[name] = function(n)
    local x = inputs.uniform(1, n) * scale
    return function() return x[name](x) end
  end
end
for name, scale in pairs { relu = 1, exp = 3, tanh = 3, sigmoid = 5, gelu = 3 } do unary(name, scale) end

function M.add(n)
  local a, b = inputs.uniform(1, n), inputs.uniform(2, n)
  return function() return a + b end
end

function M.mul(n)
  local a, b = inputs.uniform(1, n), inputs.uniform(2, n)
  return function() return a * b end
end

local function sides(n)
  local rows = 10 ^ math.floor(math.log10(n) / 2)
  return rows, n / rows
end

function M.add_row(n)
  local rows, columns = sides(n)
  local a, b = inputs.uniform(1, rows, columns), inputs.uniform(2, columns)
  return function() return a + b end
end

function M.add_column(n)
  local rows, columns = sides(n)
  local a, b = inputs.uniform(1, rows, columns), inputs.uniform(2, rows, 1)
  return function() return a + b end
end

function M.where(n)
  local mask, a, b = inputs.mask(3, n), inputs.uniform(1, n), inputs.uniform(2, n)
  return function() return kiln.where(mask, a, b) end
end

function M.add_in_place(n)
  local a, b = inputs.uniform(1, n), inputs.uniform(2, n)
  return function() return a:add_(b) end
end

return M
