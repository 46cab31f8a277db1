--- Statistics and special functions where their formulas change or end: values are SciPy's and PyTorch's.
local kiln = require "kiln"
local support = require "spec.support"
local near, raises = support.near, support.raises

local F64, I64 = { dtype = kiln.float64 }, { dtype = kiln.int64 }
local NAN, INF = 0 / 0, math.huge

-- Each of `cases`, { arguments..., value }, to 13 digits.
local function gives(name, cases)
  for _, case in ipairs(cases) do
    local args = {}
    for i = 1, #case - 1 do args[i] = kiln.tensor(case[i], F64) end
    local got, want = kiln[name](unpack(args)):item(), case[#case]
    local equal = got == want or got ~= got and want ~= want
      or math.abs(got - want) <= 1e-13 * math.abs(want)
    local given = table.concat(case, ", ", 1, #case - 1)
    assert.is_true(equal, ("%s(%s) is %.16g, not %.16g"):format(name, given, got, want))
  end
end

describe("special functions", function()
  it("share the gamma function, whatever is large or small", function()
    gives("igamma", { { 2, 3, 0.8008517265285442 }, { 0.5, 0.1, 0.3452791539814232 },
      { 100, 100, 0.5132987982791487 }, { 1000, 1050, 0.9413288886226819 },
      { 50, 0.5, 1.788776510435156e-80 },
      { 3, 20, 0.9999995444850495 }, { 0, 1, 1 }, { 1, 0, 0 }, { 0, 0, NAN }, { INF, 1, 0 }, { 1, INF, 1 },
      { INF, INF, NAN }, { -1, 1, NAN }, { 1, -1, NAN }, { NAN, 1, NAN }, { INF, NAN, NAN } })
    gives("igammac", { { 2, 3, 0.1991482734714558 }, { 0.5, 0.1, 0.6547208460185768 },
      { 100, 100, 0.4867012017208514 }, { 1000, 1050, 0.05867111137731806 },
      { 1e-10, 0.5, 5.597735948055005e-11 }, { 3, 200, 2.795609373660892e-83 }, { 0, 1, 0 }, { 1, 0, 1 },
      { INF, 1, 1 }, { 1, INF, 0 }, { INF, INF, NAN } })
    for _, a in ipairs { 1e3, 1e6, 1.1e6, 1e9, 1e300 } do -- both sides of every switch of method
      for _, far in ipairs { 0.3, 0.999, 1 - 1e-4, 1, 1 + 1e-4, 1.001, 3 } do
        local both = kiln.tensor({ a, a * far }, F64)
        assert.near(1, (kiln.igamma(both[1], both[2]) + kiln.igammac(both[1], both[2])):item(), 1e-14)
      end
    end
    local below, above = kiln.tensor(0.9999e6, F64), kiln.tensor(1.0001e6, F64)
    for _, x in ipairs { 0.9985, 0.9995, 1, 1.0005, 1.0015 } do -- the expansions for large a meet
      local change = kiln.igamma(above, above * x) - kiln.igamma(below, below * x)
      assert.near(0, change:item(), 5e-5)
    end
  end)

  it("share the beta function", function()
    gives("betainc", { { 2, 3, 0.3, 0.3483 }, { 0.5, 0.5, 0.25, 1 / 3 }, { 1, 1, 0.7, 0.7 },
      { 2, 1, 0.5, 0.25 },
      { 5, 5, 0.5, 0.5 }, { 3, 4, 0, 0 }, { 3, 4, 1, 1 }, { 0, 1, 0.5, NAN }, { 1, -1, 0.5, NAN },
      { 1, 1, 1.5, NAN }, { 1, INF, 0.5, NAN }, { NAN, 1, 0.5, NAN }, { 1, 1, NAN, NAN } })
    for _, a in ipairs { 0.001, 0.5, 17, 1e4, 1e6 } do -- both sides of the mean
      for _, b in ipairs { 0.2, 300, 1e6 } do
        local x = kiln.tensor({ 0.01, 0.3, 0.77 }, F64)
        local whole = kiln.betainc(kiln.tensor(a, F64), kiln.tensor(b, F64), x)
          + kiln.betainc(kiln.tensor(b, F64), kiln.tensor(a, F64), 1 - x)
        assert.near(0, (whole - 1):abs():max():item(), 1e-11)
      end
    end
  end)

  it("refuse the gradient that they do not have", function()
    local a, x = kiln.tensor({ 2 }, F64), kiln.tensor({ 1 }, F64)
    a.requires_grad = true
    raises({ "igamma", "gradient of a is not defined" }, kiln.igamma, a, x)
    assert.is_false(kiln.no_grad(kiln.igamma, a, x).requires_grad)
    raises({ "igammac", "gradient of a is not defined" }, kiln.igammac, a, x)
  end)

  it("go on where erfc is 0", function()
    gives("erfcx", { { -INF, INF }, { -30, INF }, { -5, 144009798674.661 }, { -1, 5.008980080762283 },
      { 0.3, 0.7345993345676554 }, { 6.9, 0.08093362330974414 }, { 7.1, 0.07869751534162678 },
      { 1e5, 5.641895835195468e-06 }, { INF, 0 }, { NAN, NAN } })
    gives("log_ndtr", { { -INF, -INF }, { -30, -454.3212439563433 }, { -1.5, -2.70594440082389 },
      { -1, -1.841021645009263 }, { 0.3, -0.4814101615884813 }, { 7.1, -6.237844463333531e-13 },
      { NAN, NAN } })
    gives("ndtri", { { 0, -INF }, { 1e-300, -37.0470962993612 }, { 1e-5, -4.264890793922825 },
      { 0.05, -1.644853626951473 }, { 0.1, -1.2815515655446 }, { 0.3, -0.5244005127080409 }, { 0.5, 0 },
      { 0.95, 1.644853626951472 }, { 1 - 1e-10, 6.361340889697422 }, { 1, INF }, { -0.1, NAN }, { 1.1, NAN },
      { NAN, NAN } })
    gives("entr", { { -INF, -INF }, { -1, -INF }, { 0, 0 }, { 1, 0 }, { INF, -INF }, { NAN, NAN } })
  end)

  it("divide the least integers as the reference", function()
    for _, dtype in ipairs { "int8", "int16", "int32", "int64" } do
      local least = kiln.iinfo(dtype).min
      local function of(...) return kiln.tensor({ ... }, { dtype = dtype }) end
      assert.is_true(kiln.gcd(of(least, least, 0, least, 6, least), of(0, least, least, 6, least, -1))
        :equal(of(least, least, least, -2, -2, 1)))
      assert.is_true(kiln.lcm(of(least, least, least, 6, least), of(0, least, 6, least, 15))
        :equal(of(0, least, least, least, least)))
    end
  end)

  it("know that 255 is no -1, and the poles from both sides", function()
    local function bytes(...) return kiln.tensor({ ... }, { dtype = "uint8" }) end
    local x, y = bytes(5, 255, 1, 254), 255
    assert.is_true((x % y):equal(bytes(5, 0, 1, 254)) and x:fmod(y):equal(bytes(5, 0, 1, 254)))
    assert.is_true(kiln.gcd(x, bytes(255, 255, 255, 255)):equal(bytes(5, 255, 1, 1)))
    local near_0 = kiln.tensor({ -1e-20, 1e-20, -3.2e-8 }, F64)
    local slopes = near_0:digamma() * near_0 / -1
    assert.is_true(kiln.allclose(slopes, kiln.ones(3, F64), 1e-7, 0))
    assert.near(1, kiln.polygamma(1, near_0)[1]:item() / 1e40, 1e-9)
  end)

  it("take the order of polygamma first or second, and in place", function()
    local x = kiln.tensor({ 0.5, 2 }, F64)
    local slope = kiln.polygamma(1, x)
    assert.near(math.pi ^ 2 / 2, slope[1]:item(), 1e-12)
    assert.is_true(slope:equal(x:polygamma(1)) and slope:equal(kiln.polygamma(x, 1)))
    assert.is_true(slope:equal(x:clone():polygamma_(1)))
  end)
end)

describe("histograms", function()
  local function data() return kiln.tensor { 0, 1, 2, 1, 3, 2.5, -1, 4, NAN } end

  it("count what is in a bin, the last end included", function()
    local x = data()
    near({ 1, 2, 3 }, (kiln.histogram(x, kiln.tensor { 0, 1, 2, 3 })))
    near({ 1, 2, 3 }, (kiln.histogram(x, 3, { range = { 0, 3 } })))
    local counts, edges = kiln.histogram(kiln.tensor { 2, 2 }, 2)
    near({ 0, 2 }, counts)
    near({ 1.5, 2, 2.5 }, edges)
    near({ 1 / 21, 10 / 21 }, (kiln.histogram(x, kiln.tensor { 0, 1, 3 },
      { weight = kiln.tensor { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, density = true })))
    local points = kiln.tensor { { 0, 0 }, { 1, 1 }, { 1, 0.5 }, { 2, 3 } }
    near({ { 1 }, { 2 } }, (kiln.histogramdd(points, { kiln.tensor { 0, 1, 2 }, kiln.tensor { 0, 1 } })))
    near({ 0, 0, 0 }, (kiln.histogram(kiln.zeros(0), 3)))
  end)

  it("refuse what has no bins", function()
    local x = data()
    raises({ "histogram", "[nan, nan] is not finite" }, kiln.histogram, x, 3)
    raises({ "histogram", "bins must be a whole number from 1", "0" }, kiln.histogram, x, 0)
    raises({ "histogram", "must not end before it begins" }, kiln.histogram, x, 3, { 2, 1 })
    raises({ "histogram", "x must be floating, got int64" }, kiln.histogram, x:long(), 3)
    raises({ "histogram", "range must be a list of 2 numbers" }, kiln.histogram, x, 3, { 1 })
    raises({ "histogram", "weight must have shape [9], it has [2]" }, kiln.histogram, x, 3, nil, kiln.ones(2))
    raises({ "histogramdd", "an entry for each of 2 dims, it has 3" }, kiln.histogramdd, kiln.ones(4, 2),
      { 1, 2, 3 })
    raises({ "histogramdd", "[..., n]" }, kiln.histogramdd, kiln.ones(4), 2)
  end)
end)

describe("statistics", function()
  it("refuse weights that sum to 0", function()
    raises({ "cov", "the weights sum to 0" }, kiln.cov, kiln.ones(2, 3), 1, kiln.zeros({ 3 }, I64))
    raises({ "cov", "the weights sum to 0" }, kiln.cov, kiln.ones(2, 3), 1, nil, kiln.zeros(3))
  end)

  it("differentiate integers, and refuse too few samples", function()
    near({ 3, 4, 6, 7 }, kiln.gradient(kiln.tensor({ 1, 4, 9, 16 }, I64)))
    near({ 1, 1 }, kiln.gradient(kiln.tensor { 1, 2 }))
    raises({ "gradient", "dim 1 has size 2, at least 3 is needed" }, kiln.gradient, kiln.ones(2), 1, nil, 2)
    raises({ "gradient", "edge_order must be 1 or 2, got 3" }, kiln.gradient, kiln.ones(9), 1, nil, 3)
    raises({ "gradient", "an entry for each of 2 dims, it has 1" }, kiln.gradient, kiln.ones(3, 3), { 1 })
    raises({ "gradient", "shape [3], theirs is [2]" }, kiln.gradient, kiln.ones(3), { kiln.ones(2) })
  end)
end)

describe("combinations", function()
  -- By the definition: all of them in order.
  local function all(n, r, again, from, chosen, list)
    chosen, list = chosen or {}, list or {}
    if #chosen == r then
      list[#list + 1] = { unpack(chosen) }
      return list
    end
    for v = from or 1, n do
      chosen[#chosen + 1] = v
      all(n, r, again, again and v or v + 1, chosen, list)
      chosen[#chosen] = nil
    end
    return list
  end

  it("are all of them, in order", function()
    for n = 0, 5 do
      for r = 1, 6 do
        for _, again in ipairs { false, true } do
          local x = kiln.arange(1, n + 1)
          local got, want = kiln.combinations(x, r, again), all(n, r, again)
          assert.same({ #want, r }, { unpack(got.shape) })
          if #want > 0 then assert.same(want, got:tolist()) end
        end
      end
    end
  end)

  it("need the memory and time of their result alone", function()
    assert.same({ 20, 19 }, { unpack(kiln.combinations(kiln.arange(20), 19).shape) })
    assert.same({ 499500, 2 }, { unpack(kiln.combinations(kiln.ones(1000)).shape) })
    raises({ "combinations", "[49999995000000, 2], which memory cannot hold" },
      kiln.combinations, kiln.ones(10000000))
    assert.same({ 0, 2 ^ 40 }, { unpack(kiln.combinations(kiln.ones(3), 2 ^ 40).shape) })
    raises({ "combinations: r asks for", "which memory cannot hold" },
      kiln.combinations, kiln.ones(3), 2 ^ 40, true)
    raises({ "combinations: r asks for", "which memory cannot hold" },
      kiln.combinations, kiln.ones(1), 2 ^ 45, true)
    raises({ "mvlgamma: p asks for", "which memory cannot hold" }, kiln.mvlgamma, kiln.ones(1), 2 ^ 45)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
