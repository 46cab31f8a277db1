--- Sorting, ranks, running sums and placing by position, at sizes and values where they go wrong.
local kiln = require "kiln"
local support = require "spec.support"
local raises = support.raises

local I64 = { dtype = kiln.int64 }
local function positions(t) return kiln.tensor(t, I64) end
local NAN, INF = 0 / 0, math.huge

local function same(expected, x)
  local got = x:tolist()
  assert.equals(#expected, #got)
  for i, e in ipairs(expected) do
    local equal = e == got[i] or e ~= e and got[i] ~= got[i]
    assert.is_true(equal, ("element %d is %s"):format(i, tostring(got[i])))
  end
end

local function is_sorted(x)
  local n = x:size(1)
  return not x:narrow(1, 2, n - 1):lt(x:narrow(1, 1, n - 1)):any():item()
end

describe("sort", function()
  it("puts NaN last, treats -0 as 0 and keeps the order of equals", function()
    local x = kiln.tensor { NAN, 1, -INF, INF, NAN, -0.0, 0 }
    local values, where = x:sort()
    same({ -INF, 0, 0, 1, INF, NAN, NAN }, values)
    same({ 3, 6, 7, 2, 4, 1, 5 }, where)
    values, where = kiln.tensor { NAN, 1, 2, 1 }:sort(1, true)
    same({ NAN, 2, 1, 1 }, values)
    same({ 1, 3, 2, 4 }, where)
  end)

  it("agrees with topk, kthvalue and median for every dtype and around every switch of method", function()
    kiln.manual_seed(1)
    for _, name in ipairs { "float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32",
      "int64" } do
      for _, n in ipairs { 1, 2, 39, 40, 41, 300, 5000 } do
        local x = (kiln.zeros(n):normal_() * 50):to(kiln[name])
        local up, where = x:sort()
        local down = x:sort(1, true)
        assert.is_true(is_sorted(up))
        assert.is_true(kiln.equal(up, x:index_select(1, where)))
        assert.is_true(kiln.equal((where:sort()), kiln.arange(1, n + 1, I64)))
        local k = math.ceil(n / 3)
        assert.is_true(kiln.equal(x:topk(k), down:narrow(1, 1, k)))
        assert.equals(up[k]:item(), x:kthvalue(k):item())
        assert.equals(up[math.floor((n + 1) / 2)]:item(), x:median():item())
      end
    end
  end)

  it("does not depend on the number of threads", function()
    kiln.manual_seed(2)
    local x = kiln.zeros(300007, I64):random_(-50, 50)
    kiln.set_num_threads(1)
    local a, at = x:sort()
    kiln.set_num_threads(2)
    local b, bt = x:sort()
    assert.is_true(kiln.equal(a, b) and kiln.equal(at, bt))
  end)

  it("has all its entries where OpenMP gives fewer threads than it was asked for", function()
    local code = [[local kiln = require "kiln" kiln.set_num_threads(4)
      local values, where = kiln.arange(300000, 0, -1):sort()
      print(values:sum():item(), where[1]:item(), where[300000]:item())]]
    local pipe = assert(io.popen("OMP_THREAD_LIMIT=1 luajit -e '" .. code .. "' 2>&1"))
    local text = pipe:read "*a"
    pipe:close()
    assert.equals(table.concat({ kiln.arange(300000, 0, -1):sum():item(), 300000, 1 }, "\t") .. "\n", text)
  end)

  it("finds NaN as the median and the last of the most frequent", function()
    assert.is_true(kiln.tensor { 1, NAN, 2 }:median():item() ~= 0)
    same({ NAN }, kiln.tensor { 1, NAN, 2 }:median(1, true))
    local value, where = positions { 3, 1, 1, 2, 2 }:mode()
    assert.equals(1, tonumber(value:item()))
    assert.equals(3, tonumber(where:item()))
  end)

  it("counts every NaN for itself when it finds the mode", function()
    for _, case in ipairs { -- as PyTorch: a line, the mode's place
      { { NAN, 3, 2 }, 1 }, { { 3, NAN, 2 }, 3 }, { { 3, 2, NAN }, 2 }, { { NAN, NAN, 2 }, 1 },
      { { 2, NAN, NAN }, 1 }, { { 2, 2, NAN }, 2 }, { { NAN, 2, 2 }, 3 }, { { NAN, NAN }, 1 },
      { { NAN, 3, 1, 3, NAN }, 4 },
    } do
      for _, dtype in ipairs { "float64", "float32", "float16" } do
        local line, place = case[1], case[2]
        local value, where = kiln.tensor({ line, line }, { dtype = dtype }):mode(2)
        assert.same({ place, place }, where:tolist())
        same({ line[place], line[place] }, value)
      end
    end
  end)

  it("shares the gradient of the median of all elements among equal ones", function()
    for name, cases in pairs {
      median = {
        { { 1, 2, 2, 3, 2 }, { 0, 1 / 3, 1 / 3, 0, 1 / 3 } }, { { NAN, 1, NAN }, { 0.5, 0, 0.5 } },
        { { 1, 1, 2, 2 }, { 0.5, 0.5, 0, 0 } }, { { NAN, 2, 2, 2, 3 }, { 1, 0, 0, 0, 0 } },
      },
      nanmedian = {
        { { 1, 2, 2, 3, 2 }, { 0, 1 / 3, 1 / 3, 0, 1 / 3 } }, { { NAN, 1, NAN }, { 0, 1, 0 } },
        { { NAN, NAN }, { 0.5, 0.5 } }, { { NAN, 2, 2, 2, 3 }, { 0, 1 / 3, 1 / 3, 1 / 3, 0 } },
      },
    } do
      for _, case in ipairs(cases) do
        local x = kiln.tensor(case[1], { dtype = kiln.float64, requires_grad = true })
        kiln[name](x):backward()
        assert.same(case[2], x.grad:tolist())
        local lines = kiln.tensor({ case[1] }, { dtype = kiln.float64, requires_grad = true })
        kiln[name](lines, 2):sum():backward() -- along a dim it goes to the element that was chosen
        assert.equals(1, lines.grad:ne(0):sum():item())
      end
    end
  end)

  it("finds medians of no lines, and none of empty ones", function()
    for _, f in ipairs { kiln.median, kiln.nanmedian } do
      local value, where = f(kiln.zeros(2, 0, 3), 1)
      assert.same({ 0, 3 }, { unpack(value.shape) })
      assert.same({ 0, 3 }, { unpack(where.shape) })
      raises("no elements", f, kiln.zeros(2, 0, 3))
    end
    raises("no elements", kiln.nanmedian, kiln.zeros(2, 0, 3), 2)
  end)

  it("refuses ranks that are not there", function()
    raises("k must be in 0..3 for dim 1 of x, got 4", kiln.topk, kiln.ones(3), 4)
    raises("k must be in 1..3 for dim 1 of x, got 0", kiln.kthvalue, kiln.ones(3), 0)
    raises("no elements to choose from", kiln.median, kiln.zeros(0))
  end)
end)

describe("running sums", function()
  it("end in the sum, from both ends, at sizes around every switch of method", function()
    kiln.manual_seed(3)
    for _, n in ipairs { 1, 7, 8, 9, 4351, 4352, 8703, 8704, 8705, 100000 } do
      local x = kiln.zeros(n, { dtype = kiln.float64 }):normal_()
      local total = x:sum():item()
      local sums = x:cumsum(1)
      assert.is_true(math.abs(sums[n]:item() - total) < 1e-9)
      assert.is_true(math.abs(x:cumsum(1, true)[1]:item() - total) < 1e-9)
      assert.is_true(n == 1 or kiln.allclose(sums:diff(), x:narrow(1, 2, n - 1), 1e-8, 1e-8))
      kiln.set_num_threads(1)
      local one = x:cumsum(1)
      kiln.set_num_threads(2)
      assert.is_true(kiln.equal(one, sums))
    end
  end)

  it("of products have a gradient where factors are 0", function()
    for _, x in ipairs { { 2, 0, 3 }, { 0, 0, 3 }, { 2, 3, 0 } } do
      local a = kiln.tensor(x, { dtype = kiln.float64, requires_grad = true })
      local w = kiln.tensor({ 0.3, -1.5, 2 }, { dtype = kiln.float64 })
      assert.is_true(kiln.autograd.gradcheck(function(v) return (v:cumprod(1) * w):sum() end, { a }))
      assert.is_true(kiln.autograd.gradgradcheck(function(v) return (v:cumprod(1) * w):sum() end, { a }))
    end
  end)

  it("of floats are as precise as one sum, however many are summed", function()
    local n = 200000
    local last = { cumsum = n * 0.1, logcumsumexp = 0.1 + math.log(n), cumprod = (1 + 2 ^ -20) ^ n }
    for name, expected in pairs(last) do
      local x = name == "cumprod" and 1 + 2 ^ -20 or 0.1
      for _, shape in ipairs { { n, 2 }, { n } } do
        local y = kiln.full(shape, x)[name](kiln.full(shape, x), 1):view(n, -1)[n][1]:item()
        assert.near(1, y / expected, 3e-5, name)
      end
    end
    assert.near(1, kiln.full({ n }, 1 + 2 ^ -20):prod():item() / last.cumprod, 1e-4)
  end)

  it("of one product are the product of the others, whatever is 0 or infinite", function()
    local inf, nan = 1 / 0, 0 / 0
    for x, others in pairs {
      [{ 0, inf, 3 }] = { inf, 0, nan }, [{ 0, nan, 3 }] = { nan, 0, nan }, [{ 2, inf, 3 }] = { inf, 6, inf },
      [{ 0, 1e200, 1e200 }] = { inf, 0, 0 }, [{ 1e-200, 1e-200, 1e300 }] = { 1e100, 1e100, 0 },
    } do
      local a = kiln.tensor({ x, { 1, 2, 3 } }, { dtype = kiln.float64, requires_grad = true })
      local g = kiln.autograd.grad(a:prod(2):sum(), a)
      local expected = kiln.tensor({ others, { 6, 3, 2 } }, { dtype = kiln.float64 })
      assert.is_true(kiln.allclose(g, expected, { equal_nan = true }), tostring(g))
    end
  end)
end)

describe("distinct slices", function()
  it("are in the order of their elements, whatever the dim", function()
    local x = kiln.tensor { { { 1, 1 }, { 3, 0 } }, { { 0, 2 }, { 0, 0 } } }
    local values, inverse = x:unique { dim = 3, return_inverse = true }
    assert.same({ { { 1, 1 }, { 0, 3 } }, { { 2, 0 }, { 0, 0 } } }, values:tolist())
    assert.same({ 2, 1 }, inverse:tolist())
    assert.is_true(x:unique_consecutive({ dim = 3 }):equal(x))
  end)
end)

describe("positions", function()
  it("out of range are named with their place, and nothing is written", function()
    local x = kiln.arange(0, 12):view(3, 4)
    local before = x:clone()
    raises("index 7 at position [2, 1] is out of range 1..3", x.scatter_, x, 1, positions { { 1 }, { 7 } }, 5)
    raises("index 0 at position [1] is out of range 1..3", x.index_add_, x, 1, positions { 0 },
      kiln.ones(1, 4))
    raises("index 13 at position [1] is out of range 1..12", x.put_, x, positions { 13 }, 1)
    raises("12 true elements and src only 3", x.masked_scatter_, x, x:gt(-1), kiln.ones(3))
    raises("index of dim 1, 4 at position [1]", kiln.index_put, x, kiln.ones(1, 4), positions { 4 })
    assert.is_true(kiln.equal(x, before))
  end)

  it("multiply what falls on them, in parts that halve", function()
    local n, index, src, expected = 300, {}, {}, { 1, 1, 1, 2 }
    for i = 1, n do
      index[i] = i * i % 3 + 1
      src[i] = i % 5 == 0 and -1 or i % 7 == 0 and 2 or i % 11 == 0 and 0.5 or 1
      expected[index[i]] = expected[index[i]] * src[i]
    end
    local x = kiln.tensor({ 1, 1, 1, 2 }, { dtype = kiln.float64 })
    local at, factors = positions(index), kiln.tensor(src, { dtype = kiln.float64 })
    same(expected, x:scatter_reduce(1, at, factors, "prod"))
    same(expected, x:index_reduce(1, at, factors, "prod", false))
    same({ 6, 5 }, positions({ 2, 5 }):index_reduce_(1, positions { 1 }, positions { 3 }, "prod"))
    local none = kiln.zeros(0)
    same({ 1, 1, 1, 2 }, x:index_reduce(1, positions {}, none:double(), "prod"))
  end)

  it("cut where a list says, forwards and backwards", function()
    local x = kiln.arange(1, 6)
    local a, b, c = x:tensor_split { 3, 1 }
    same({ 1, 2, 3 }, a)
    same({}, b)
    same({ 2, 3, 4, 5 }, c)
    raises({ "sum_to_size", "[3, 1]", "[]" }, kiln.sum_to_size, kiln.ones(1):sum(), { 3, 1 })
    raises({ "sum_to_size", "[2, 3]", "[3]" }, kiln.sum_to_size, kiln.ones(3), { 2, 3 })
    raises({ "sum_to_size", "[2]", "[2, 3]" }, kiln.sum_to_size, kiln.ones(2, 3), { 2 })
    raises({ "diag_embed", "dim1 and dim2 are both 2" }, kiln.diag_embed, kiln.ones(3), 0, 2, -1)
  end)

  it("of sums and embeddings with padding and frequency", function()
    local weight = kiln.ones(4, 2, { requires_grad = true })
    kiln.embedding(weight, positions { 1, 2, 2, 3 }, 2):sum():backward()
    assert.same({ { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 0 } }, weight.grad:tolist())
    weight.grad = nil
    kiln.embedding(weight, positions { 1, 2, 2, 3 }, { scale_grad_by_freq = true }):sum():backward()
    assert.same({ { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 } }, weight.grad:tolist())
    local rows = kiln.arange(1, 9):view(4, 2)
    local bags = { sum = { { 0, 0 }, { 4, 6 }, { 12, 14 } }, mean = { { 0, 0 }, { 2, 3 }, { 6, 7 } },
      max = { { 0, 0 }, { 3, 4 }, { 7, 8 } } }
    for mode, expected in pairs(bags) do
      local index, offsets = positions { 1, 2, 3, 4 }, positions { 1, 1, 3 }
      local y = kiln.embedding_bag(rows:to(kiln.float32), index, offsets, mode)
      assert.same(expected, y:tolist())
    end
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
