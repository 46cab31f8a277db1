--- One thread against two: every op gives the same bits, at sizes where it does use threads; random
-- ops give the same numbers from the same seed, and others from another.
local kiln = require "kiln"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local ENOUGH, MOST = 70000, 1e6 -- elements of the largest input; of all inputs and results

-- Libraries choose how to split a product by the number of threads.
local SPLIT = { matmul = 1e-11, conv = 1e-11, linalg = 1e-9 }

-- LAPACK gives eigenvalues of large matrices in an order that depends on rounding.
local SMALL = { eig = true }

-- A sample of its own for a row.
local function sample_of(row, sample)
  local s = samples.of({ name = row.name, parsed = row.parsed, domain = row.domain, ins = row.ins,
    writes = row.writes, samples = { sample } })[1]
  s.row = row
  return s
end

-- Calls f with every text of a tensor in a sample, and gives the sample with what f returns instead.
local function map(sample, f)
  local new = {}
  for k, v in pairs(sample) do
    if type(v) == "table" and samples.parse(v[1]) then
      new[k] = {}
      for i, e in ipairs(v) do new[k][i] = f(e) end
    else
      new[k] = samples.parse(v) and f(v) or v
    end
  end
  return new
end

-- The sample with every size of every tensor times the same number.
local function enlarged(sample, factor)
  return map(sample, function(text)
    return (text:gsub("%[([^%]]*)%]$", function(sizes)
      return "[" .. sizes:gsub("%d+", function(n) return ("%d"):format(n * factor) end) .. "]"
    end))
  end)
end

-- The elements of a sample's inputs and results.
local function elements(s)
  local results, n = tensors.results(s), 1
  for _, t in ipairs(s.tensors) do n = n + #t.value.data end
  for i = 1, results.n do
    if kiln.is_tensor(results[i]) then n = n + results[i]:numel() end
  end
  return n
end

-- By how much the sizes may be multiplied; raises, or returns nil, where they may not.
local function factor_of(row, sample)
  local largest, dims = 0, 1
  map(sample, function(text)
    local shape = samples.parse(text).shape
    if samples.numel(shape) > largest then largest, dims = samples.numel(shape), math.max(1, #shape) end
    return text
  end)
  if largest == 0 then return nil end
  local one = elements(sample_of(row, sample))
  local two = elements(sample_of(row, enlarged(sample, 2)))
  local factor = math.ceil((ENOUGH / largest) ^ (1 / dims))
  local growth = math.log(two / one) / math.log(2)
  if growth > 0 then factor = math.min(factor, math.floor((MOST / one) ^ (1 / growth))) end
  return math.max(1, factor)
end

-- The first sample that can be enlarged, as large as it may be; or the first as it is.
local function pick(row)
  for _, sample in ipairs(not SMALL[row.name] and row.samples or {}) do
    local ok, s = pcall(function()
      local large = sample_of(row, enlarged(sample, factor_of(row, sample)))
      tensors.results(large)
      return large
    end)
    if ok then return s end
  end
  return samples.of(row)[1]
end

local function run(s, threads)
  kiln.set_num_threads(threads)
  kiln.manual_seed(7)
  return tensors.results(s)
end

describe("threads", function()
  before_each(rows.count)
  after_each(function()
    kiln.set_num_threads(2)
    rows.recount()
  end)

  for _, row in ipairs(rows.public()) do
    it(row.name, function()
      local s = pick(row)
      local one, two = run(s, 1), run(s, 2)
      assert.equal(one.n, two.n)
      for i = 1, one.n do
        if kiln.is_tensor(one[i]) then
          local why
          if SPLIT[row.family] then
            why = tensors.unequal(one[i], two[i], SPLIT[row.family])
          elseif tensors.bits(one[i]) ~= tensors.bits(two[i]) then
            why = tensors.unequal(one[i], two[i], 0) or "the signs of zeros or NaNs differ"
          end
          if why then error(("(%s): result %d: %s"):format(s.key, i, why), 0) end
        end
      end
    end)
  end
end)
