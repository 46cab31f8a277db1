--- Results that mathematics leaves open, made definite: the columns of eigenvectors and singular vectors
-- are turned so that their sum is positive.  expressions.py does the same.
local function turn(results, vectors, ...)
  if results[vectors]:dim() < 2 then return end -- left out
  local sign = results[vectors]:detach():sum(-2, true):sign()
  for _, i in ipairs { vectors, ... } do results[i] = results[i] * sign end
end

local function eigenvectors(results) turn(results, 2) end

return {
  svd = function(results) turn(results, 1, 3) end,
  symmetric_eig = eigenvectors, eigh = eigenvectors, symeig = eigenvectors, eig = eigenvectors,
}
