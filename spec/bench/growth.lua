--- What is timed against size: ops of every family, from 1 element to 10^8 where memory and time allow.
-- [1] and [2]: a case of catalogue.lua; `sizes`: what it is called with for n elements; `last`: the largest
-- power of ten, `step`: from power to power.
local function side(n) return math.floor(math.sqrt(n) + 0.5) end

local function elements(n) return n end
local function square(n) return side(n) end
local function rows(n) return math.max(1, n / 1000), math.min(n, 1000) end

return {
  { "pointwise", "add", sizes = elements, last = 8 },
  { "pointwise", "exp", sizes = elements, last = 8 },
  { "reduce", "sum", sizes = rows, last = 8 },
  { "reduce", "softmax", sizes = rows, last = 8 },
  { "movement", "transposed", sizes = square, last = 8, step = 2 },
  { "movement", "cumsum", sizes = elements, last = 8 },
  { "movement", "sort", sizes = elements, last = 7 },
  { "random", "rand", sizes = elements, last = 8 },
  { "matmul", "product", sizes = function(n) return side(n), side(n), side(n) end, last = 6, step = 2 },
  { "conv", "forward", sizes = function(n) return 1, 1, 1, side(n), 3, 1 end, last = 8, step = 2 },
  { "optim", "adam", sizes = function(n) return n, 1 end, last = 8 },
  { "fused", "expression", sizes = elements, last = 8 },
}
