--- The numbers that the cases compute with: pseudo-random, and by the same formula as in inputs.py, so that
-- both sides compute on equal bits.  All arithmetic is on whole numbers below 2^53, exact in doubles.
local kiln = require "kiln"

local M = {}

local PRIME, HALF = 8388593, 2 ^ 22
local HOST = { device = "cpu" }

local function hash(i, seed)
  local a = (i * 7368787 + seed * 1299709) % PRIME
  local b = (a * a + i) % PRIME
  return (b * 3141592 + a) % PRIME
end

-- What was made before: cases of a family often start from the same numbers.
local made, count = {}, 0
local MOST, LARGEST = 4, 1e7

local function numbers(n, seed)
  local key = n .. ":" .. seed
  if made[key] then return made[key] end
  if count >= MOST or n > LARGEST then made, count = {}, 0 end
  local x = kiln.empty({ n }, HOST)
  local p = x:data_ptr()
  for i = 0, n - 1 do p[i] = hash(i, seed) / HALF - 1 end
  x = x:to(kiln.get_default_device())
  if n <= LARGEST then made[key], count = x, count + 1 end
  return x
end

local function size_of(shape)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  return n
end

--- float32 in [-1, 1).
function M.uniform(seed, ...)
  local shape = { ... }
  return numbers(size_of(shape), seed):clone():view(shape)
end

--- float32 in [0, 1).
function M.share(seed, ...) return (M.uniform(seed, ...) + 1) / 2 end

--- bool, half of them true.
function M.mask(seed, ...) return M.uniform(seed, ...):lt(0) end

--- int64 positions 1..most.
function M.positions(seed, most, ...)
  local shape = { ... }
  local n = size_of(shape)
  local x = kiln.empty({ n }, { dtype = kiln.int64, device = "cpu" })
  local p = x:data_ptr()
  for i = 0, n - 1 do p[i] = hash(i, seed) % most + 1 end
  return x:to(kiln.get_default_device()):view(shape)
end

--- Gives the parameters of a module numbers by their names, shapes and order.
function M.fill(module)
  local seed = 100
  for name, p in module:named_parameters() do
    seed = seed + 1
    local shape = { unpack(p:size()) }
    local value = M.uniform(seed, unpack(shape))
    if #shape > 1 then
      value = value / math.sqrt(p:numel() / shape[1])
    else
      value = value / 10
      if name:match "weight$" then value = value + 1 end
    end
    p.data:copy_(value)
  end
  return module
end

return M
