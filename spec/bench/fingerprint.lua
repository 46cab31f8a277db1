--- A result as four numbers: its size, its sum, the sum of its elements without their signs, and a sum with
-- weights, which tells orders apart.
local SPREAD, CYCLE = 7919, 101

---@param p ffi.cdata* doubles
---@param n integer
return function(p, n)
  local sum, size, weighted = 0, 0, 0
  for i = 0, n - 1 do
    sum, size = sum + p[i], size + math.abs(p[i])
    weighted = weighted + p[i] * (i * SPREAD % CYCLE / 50 - 1)
  end
  return { n, sum, size, weighted }
end
