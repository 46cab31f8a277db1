--- One thread against two: every op gives the same bits, at sizes where it does use threads; random
-- ops give the same numbers from the same seed, and others from another.
local kiln = require "kiln"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local ENOUGH = 70000 -- elements of the largest input

-- Libraries choose how to split a product by the number of threads.
local SPLIT = { matmul = 1e-11, conv = 1e-11, linalg = 1e-9 }

-- The sample with every size of every tensor times the same number; nil where that is no sample.
local function enlarged(row, sample)
  local largest, dims = 0, 1
  local function look(v)
    local spec = samples.parse(v)
    if spec and samples.numel(spec.shape) > largest then
      largest, dims = samples.numel(spec.shape), math.max(1, #spec.shape)
    end
  end
  for _, v in pairs(sample) do
    if type(v) == "table" then for _, e in ipairs(v) do look(e) end else look(v) end
  end
  if largest == 0 then return nil end
  local factor = math.ceil((ENOUGH / largest) ^ (1 / dims))
  local function grow(v)
    local spec = samples.parse(v)
    if not spec then return v end
    return (v:gsub("%[([^%]]*)%]$", function(sizes)
      return "[" .. sizes:gsub("%d+", function(n) return tostring(n * factor) end) .. "]"
    end))
  end
  local new = {}
  for k, v in pairs(sample) do
    if type(v) == "table" and samples.parse(v[1]) then
      new[k] = {}
      for i, e in ipairs(v) do new[k][i] = grow(e) end
    else
      new[k] = grow(v)
    end
  end
  return samples.of({ name = row.name, parsed = row.parsed, group = "none", domain = row.domain,
    samples = { new }, writes = row.writes, ins = row.ins })[1]
end

-- The sample to run: the row's own large one, the first that can be enlarged, or the first.
local function pick(row)
  if row.large then
    return samples.of({ name = row.name, parsed = row.parsed, group = "none", domain = row.domain,
      samples = { row.large }, writes = row.writes, ins = row.ins })[1]
  end
  for _, sample in ipairs(row.samples) do
    local ok, s = pcall(enlarged, row, sample)
    if ok and s then
      s.row = row
      if pcall(tensors.results, s) then return s end
    end
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
      s.row = row
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
