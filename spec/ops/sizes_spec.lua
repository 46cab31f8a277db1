--- Long tensors: loops over whole vectors give what the loops over their ends give, and what other roads
-- through memory give.
local kiln = require "kiln"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

-- The vector and the scalar form of a function may differ by an ulp or two, which a difference such as
-- x - tanh(x) makes larger.
local TOLERANCE = { float64 = 1e-13, float32 = 5e-6 }

-- Every tensor of the sample so many times over, along a new first dim.  What MANY make of 12 elements is
-- written past the caches.
local REPEATS, MANY = 90, 23001

local function repeated(s, dtype, repeats)
  local most = 0
  for _, t in ipairs(s.tensors) do most = math.max(most, #t.value.shape) end
  return tensors.arguments(s, function(t)
    local x = tensors.make(t, dtype)
    while x:dim() < most do x = x:unsqueeze(1) end
    local size = { repeats or REPEATS }
    for d = 1, most do size[d + 1] = x:size(d) end
    return x:unsqueeze(1):expand(size):clone()
  end)
end

describe("long tensors", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public(function(row) return row.pointwise end)) do
    it(row.name, function()
      local problems = {}
      for _, s in ipairs(samples.of(row)) do
        local dims = 0
        for _, t in ipairs(s.tensors) do dims = math.max(dims, #t.value.shape) end
        if dims > 0 and not (rows.has_golden(row) and rows.golden(s).error) then
          for dtype, tol in pairs(TOLERANCE) do
            local short = tensors.results(s, dtype)[1]
            local args, options = repeated(s, dtype)
            local long = tensors.call(row, args, s.n, options)[1]
            for _, i in ipairs { 1, 2, REPEATS - 1, REPEATS } do
              local why = tensors.unequal(long:select(1, i), short, tol)
              if why then problems[#problems + 1] = ("%s (%s): copy %d: %s"):format(dtype, s.key, i, why) end
            end
            local many, more = repeated(s, dtype, MANY)
            local past = tensors.call(row, many, s.n, more)[1]
            for _, i in ipairs { 1, 2, 1001, MANY - 1, MANY } do
              local why = tensors.unequal(past:select(1, i), long:select(1, math.min(i, 3)), 0)
              if why then
                problems[#problems + 1] = ("%s (%s): %d of many: %s"):format(dtype, s.key, i, why)
              end
            end
          end
        end
      end
      rows.report(problems)
    end)
  end

  -- Shorter and longer than a vector and than four, and so long that the row no longer lies on the stack, or
  -- in a core's cache, between its exps and the result, which is written past the caches.
  for _, name in ipairs { "softmax", "log_softmax", "logsumexp" } do
    it(name .. " of rows of every length", function()
      for _, size in ipairs { { 3, 1 }, { 3, 15 }, { 3, 17 }, { 2, 64 }, { 2, 65 }, { 2, 130 }, { 300, 4095 },
        { 70, 4097 }, { 2, 140000 } } do
        kiln.manual_seed(size[2])
        local x = kiln.randn(size)
        x[1][1] = -1 / 0
        local expected = kiln[name](x:double(), 2)
        local finite = expected:gt(-1 / 0)
        assert.is_true(kiln[name](x, 2)[finite]:allclose(expected[finite]:float(), { rtol = 1e-5 }),
          ("%d x %d"):format(size[1], size[2]))
      end
    end)
  end

  -- Along the last dim, along the first, and along a dim that is not next to itself in memory.
  for _, row in ipairs(rows.public(function(row) return row.group == "reduce" end)) do
    it(row.name .. " along any dim", function()
      for _, dtype in ipairs { "float64", "float32", "int32" } do
        local n = row.name == "prod" and 40 or 1033
        local x = tensors.of(samples.noise(7 * n, row.name), { 7, n })
        if dtype == "int32" then x = x * 3 end
        x = x:to(dtype)
        local rows_first, columns_first = x:contiguous(), x:transpose(1, 2):contiguous()
        local expected = kiln[row.name](rows_first:to "float64", { 2 })
        for k, result in ipairs {
          kiln[row.name](rows_first, { 2 }), kiln[row.name](columns_first, { 1 }),
          kiln[row.name](columns_first:transpose(1, 2), { 2 }),
          kiln[row.name](rows_first:view({ 7, 1, n }), { 2, 3 }),
        } do
          local tol = result.dtype == kiln.float32 and 1e-4 or 1e-12
          local why = tensors.difference(tensors.values(result), tensors.values(expected), tol)
          assert.is_nil(why, ("%s, road %d: %s"):format(dtype, k, tostring(why)))
        end
      end
    end)
  end
end)
