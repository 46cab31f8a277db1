--- Reductions of a matrix, and what is computed row by row.
local inputs = require "inputs"

local M = {}

local function case(name, run)
  M[name] = function(rows, columns)
    local x = inputs.uniform(1, rows, columns)
    return function() return run(x) end
  end
end

case("sum", function(x) return x:sum() end)
case("sum_of_rows", function(x) return x:sum(2) end)
case("sum_of_columns", function(x) return x:sum(1) end)
case("mean", function(x) return x:mean() end)
case("var", function(x) return x:var() end)
case("max", function(x) return x:max(2) end)
case("logsumexp", function(x) return x:logsumexp(2) end)
case("softmax", function(x) return x:softmax(2) end)
case("log_softmax", function(x) return x:log_softmax(2) end)

function M.layer_norm(rows, columns)
  local x, w, b = inputs.uniform(1, rows, columns), inputs.uniform(2, columns), inputs.uniform(3, columns)
  local shape = { columns }
  return function() return x:layer_norm(shape, w, b) end
end

return M
