--- Are the results of two runs the same numbers?  Files of doubles, as the workers' `save` writes them.
local ffi = require "ffi"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return ffi.cast("const double *", bytes), bytes
end

local function different(a, b, from, n, tol)
  local scale = 1e-300
  for i = from, from + n - 1 do
    local v = math.abs(b[i])
    if v > scale and v < math.huge then scale = v end
  end
  for i = from, from + n - 1 do
    local x, y = a[i], b[i]
    local same = math.abs(x - y) <= tol * scale or x == y or (x ~= x and y ~= y)
    if not same then return i - from, x, y end
  end
end

--- counts: how many numbers each result has, "n n ...", by the one and by the other.  What differs, or nil.
return function(path_a, counts_a, path_b, counts_b, tol)
  if counts_a ~= counts_b then return ("results of %s and %s elements"):format(counts_a, counts_b) end
  local a, anchor_a = read(path_a)
  local b, anchor_b = read(path_b)
  local at, k = 0, 0
  for n in counts_a:gmatch "%d+" do
    k, n = k + 1, tonumber(n)
    local i, x, y = different(a, b, at, n, tol)
    if i then return ("result %d, element %d: %.9g and %.9g"):format(k, i + 1, x, y) end
    at = at + n
  end
  assert(8 * at == #anchor_a and #anchor_a == #anchor_b, "the files do not have what was announced")
end
