--- Random numbers: each distribution against its own by Kolmogorov-Smirnov or chi-square over 10^6 draws
-- (10^4 on a device, as that may be emulated), the ends of ranges, seeds, and that threads change nothing.
-- Seeds are fixed, so the outcome is too; a sound generator exceeds the limits once in ten thousand times.
local kiln = require "kiln"
local device = require "spec.support.device"
local support = require "spec.support"
local raises = support.raises

local N = device.name and 1e4 or 1e6
local ROWS = N / 10
local KS_LIMIT = 2.23 -- of sqrt(n) D, at 1e-4
local F64 = { dtype = kiln.float64 }

local function draws(dtype) return kiln.zeros({ N }, { dtype = dtype }) end

-- sqrt(n) times the largest distance between the draws' distribution and cdf (of a float64 tensor).
local function distance(x, cdf)
  local n = x:numel()
  local sorted = x:to(kiln.float64):sort()
  local u = cdf(sorted)
  local steps = kiln.arange(1, n + 1, F64)
  local above, below = (steps / n - u):max():item(), (u - (steps - 1) / n):max():item()
  return math.sqrt(n) * math.max(above, below)
end

-- Chi-square of how often 1..#expected stand in x (positions), as standard deviations from its mean.
local function chi_square(x, expected)
  local counts, sum = kiln.bincount(x, { minlength = #expected }):tolist(), 0
  assert.equals(#expected, #counts)
  for i, p in ipairs(expected) do sum = sum + (counts[i] - N * p) ^ 2 / (N * p) end
  local freedom = #expected - 1
  return (sum - freedom) / math.sqrt(2 * freedom)
end

local function normal_cdf(x) return ((x / math.sqrt(2)):erf() + 1) / 2 end

describe("a generator of its own", function()
  it("gives the numbers of its seed and leaves the device's where they were", function()
    local g = kiln.Generator():manual_seed(3)
    kiln.manual_seed(3)
    local want = kiln.randn(6)
    assert.is_true(kiln.randn(3, { generator = g }):equal(want:narrow(1, 1, 3)))
    kiln.manual_seed(5)
    local there = kiln.rand(2)
    kiln.manual_seed(5)
    local a, b = g:draw(function(n) return kiln.rand(n), n end, 4)
    assert.equals(4, a:numel())
    assert.equals(4, b)
    assert.is_true(kiln.rand(2):equal(there))
    assert.equals(3, g:initial_seed())
    assert.equals(67280421310721, kiln.Generator():initial_seed())
  end)

  it("has a state that comes back, also after an error", function()
    local g = kiln.Generator()
    local state, one = g:get_state(), g:draw(kiln.rand, 3)
    kiln.manual_seed(1)
    local there = kiln.get_rng_state()
    support.raises({ "randn", "generator" }, g.draw, g, function()
      kiln.rand(7)
      kiln.randn(1, { generator = 1 })
    end)
    assert.is_true(kiln.get_rng_state():equal(there))
    g:set_state(state)
    assert.is_true(g:draw(kiln.rand, 3):equal(one))
  end)

  it("is taken by what draws", function()
    local function of(fn) return fn(kiln.Generator():manual_seed(8)) end
    local function same(fn) assert.is_true(of(fn):equal(of(fn))) end
    for _, name in ipairs { "uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "xavier_normal_",
      "kaiming_uniform_", "kaiming_normal_", "orthogonal_" } do
      same(function(g) return kiln.nn.init[name](kiln.empty(3, 3), { generator = g }) end)
    end
    same(function(g) return kiln.nn.init.sparse_(kiln.empty(3, 3), 0.5, 1, g) end)
    same(function(g) return kiln.randint(0, 9, { 5 }, { generator = g }) end)
    same(function(g) return kiln.normal(0, 1, { 5 }, { generator = g }) end)
    same(function(g) return kiln.rand_like(kiln.ones(4), { generator = g }) end)
    support.raises({ "randn", "generator", "the number 3" }, kiln.randn, 2, { generator = 3 })
    support.raises({ "init.normal", "generator", "a generator" }, kiln.nn.init.normal_, kiln.ones(2),
      { generator = 3 })
  end)
end)

describe("random numbers", function()
  local continuous = {
    { "uniform_", {}, function(x) return x end },
    { "uniform_", { -2, 3 }, function(x) return (x + 2) / 5 end },
    { "normal_", {}, normal_cdf },
    { "normal_", { 1, 3 }, function(x) return normal_cdf((x - 1) / 3) end },
    { "log_normal_", { 0.5, 0.25 }, function(x) return normal_cdf((x:log() - 0.5) / 0.25) end },
    { "exponential_", { 2 }, function(x) return 1 - (x * -2):exp() end },
    { "cauchy_", { 1, 2 }, function(x) return ((x - 1) / 2):atan() / math.pi + 0.5 end },
  }
  for _, case in ipairs(continuous) do
    local method, arguments, cdf = unpack(case)
    for _, dtype in ipairs { kiln.float32, kiln.float64 } do
      it(("%s(%s) of %s"):format(method, table.concat(arguments, ", "), tostring(dtype)), function()
        kiln.manual_seed(1)
        assert.is_true(distance(draws(dtype)[method](draws(dtype), unpack(arguments)), cdf) < KS_LIMIT)
      end)
    end
  end

  it("gamma of shape 1 is exponential, of shape 1/2 a square of a normal number", function()
    kiln.manual_seed(2)
    local one = kiln.standard_gamma(kiln.ones({ N }, F64))
    assert.is_true(distance(one, function(x) return 1 - (-x):exp() end) < KS_LIMIT)
    local half = kiln.standard_gamma(kiln.full({ N }, 0.5, F64))
    assert.is_true(distance(half, function(x) return x:sqrt():erf() end) < KS_LIMIT)
  end)

  it("counts of coins, dice, waiting times and arrivals", function()
    kiln.manual_seed(3)
    local function positions(x) return x:to(kiln.int64) end
    assert.is_true(math.abs(chi_square(positions(draws():bernoulli_(0.3) + 1), { 0.7, 0.3 })) < 5)
    local dice = {}
    for i = 1, 17 do dice[i] = 1 / 17 end
    assert.is_true(math.abs(chi_square(draws(kiln.int64):random_(-5, 12) + 6, dice)) < 5)
    local trials, rest = {}, 1
    for i = 1, 19 do
      trials[i] = 0.3 * 0.7 ^ (i - 1)
      rest = rest - trials[i]
    end
    trials[20] = rest
    assert.is_true(math.abs(chi_square(positions(draws():geometric_(0.3):clamp(1, 20)), trials)) < 5)
    for _, rate in ipairs { 3.5, 20 } do
      local expected, p, left = {}, math.exp(-rate), 1
      local last = rate == 20 and 45 or 15
      for k = 0, last - 1 do
        expected[k + 1], left = p, left - p
        p = p * rate / (k + 1)
      end
      expected[last + 1] = left
      local x = kiln.poisson(kiln.full({ N }, rate)):clamp(0, last) + 1
      if rate == 20 then -- join what is too rare to count
        local joined = expected[1]
        for k = 2, 6 do joined = joined + expected[k] end
        for _ = 1, 5 do table.remove(expected, 1) end
        expected[1] = joined
        x = (x - 5):clamp(1, last - 4)
      end
      assert.is_true(math.abs(chi_square(positions(x), expected)) < 5)
    end
  end)

  it("gamma draws have a gradient by their shape, once", function()
    local alpha = kiln.tensor({ 1, 2 }, { dtype = kiln.float64, requires_grad = true })
    local once = kiln.autograd.grad(kiln.standard_gamma(alpha):sum(), alpha)
    assert.is_true(once:gt(0):all():item())
    local loss = kiln.standard_gamma(alpha):sum()
    raises("standard_gamma_grad: has no gradient", kiln.autograd.grad, loss, alpha, { create_graph = true })
  end)

  it("multinomial follows its weights and never draws a weight of 0", function()
    kiln.manual_seed(4)
    local weights = kiln.tensor { 1, 0, 2, 3, 0, 4 }
    local counts = kiln.bincount(kiln.multinomial(weights, N, true)):tolist()
    for i, p in ipairs { 0.1, 0, 0.2, 0.3, 0, 0.4 } do
      assert.is_true(math.abs(counts[i] - N * p) <= 5 * math.sqrt(N * p * (1 - p)))
    end
    local pairs_ = kiln.multinomial(weights:unsqueeze(1):expand(ROWS, 6), 4)
    assert.is_false(pairs_:eq(2):any():item() or pairs_:eq(5):any():item())
    local sorted = pairs_:sort(2)
    assert.is_true(kiln.equal(sorted[1], kiln.tensor({ 1, 3, 4, 6 }, { dtype = kiln.int64 })))
    local first = kiln.bincount(pairs_:select(2, 1)):tolist()
    for i, p in ipairs { 0.1, 0, 0.2, 0.3, 0, 0.4 } do
      assert.is_true(math.abs(first[i] - ROWS * p) <= 5 * math.sqrt(ROWS * p * (1 - p)))
    end
  end)

  it("geometric numbers stop at the largest of an integer dtype", function()
    for name, most in pairs { int8 = 127, uint8 = 255, int16 = 2 ^ 15 - 1, int32 = 2 ^ 31 - 1 } do
      local x = kiln.zeros(1000, { dtype = name })
      assert.equals(most, x:geometric_(1e-12):max():item())
      assert.is_true(x:geometric_(2 / most):gt(0):all():item() and x:unique():numel() > 50)
    end
  end)

  it("multinomial follows weights of any size", function()
    local function follows(drawn, p)
      local counts = kiln.bincount(drawn, { minlength = 3 }):tolist()
      for i = 1, 3 do
        local n = drawn:numel()
        assert.is_true(math.abs(counts[i] - n * p[i]) <= 5 * math.sqrt(n * p[i] * (1 - p[i])))
      end
    end
    kiln.manual_seed(4)
    for _, unit in ipairs { 2 ^ -1074, 2 ^ -1070, 2 ^ 900, 2 ^ 1021 } do
      local weights = kiln.tensor({ unit, 2 * unit, unit }, { dtype = kiln.float64 })
      follows(kiln.multinomial(weights, ROWS, true), { 0.25, 0.5, 0.25 })
      follows(kiln.multinomial(weights:expand(ROWS, 3), 1):view(-1), { 0.25, 0.5, 0.25 })
    end
    local weights = kiln.tensor({ 1, 2 ^ -1074, 2 ^ -1073 }, { dtype = kiln.float64 }):expand(ROWS, 3)
    local drawn = kiln.multinomial(weights, 2)
    assert.is_true(drawn:select(2, 1):eq(1):all():item())
    follows(drawn:select(2, 2), { 0, 1 / 3, 2 / 3 })
  end)

  it("multinomial refuses what it cannot draw and leaves its input alone", function()
    local ten = kiln.ones(10)
    -- A kernel says it in the words that all kernels have for a number out of range.
    local function refuses(here, there, ...) raises(device.name and there or here, kiln.multinomial, ...) end
    local few = "number of weights above 0, %d at position [1] is out of range %d.."
    refuses("11 draws without replacement from 10 weights above 0", few:format(10, 11), ten, 11)
    assert.same({ 10 }, { unpack(ten.shape) })
    refuses("3 draws without replacement from 2 weights above 0", few:format(2, 3), kiln.tensor { 1, 0, 2 },
      3)
    refuses("weight -1 at position 2", "weight -1 at position [2]", kiln.tensor { 1, -1 }, 1)
    refuses("weight nan at position 1", "weight nan at position [1]", kiln.tensor { 0 / 0, 1 }, 1)
    refuses("1 draws from 0 weights above 0", few:format(0, 1), kiln.zeros(3), 1, true)
  end)

  it("uniform never gives its upper bound", function()
    kiln.manual_seed(5)
    for _, dtype in ipairs { kiln.float16, kiln.bfloat16, kiln.float32, kiln.float64 } do
      assert.is_true(draws(dtype):uniform_():to(kiln.float64):max():item() < 1)
      assert.is_true(draws(dtype):uniform_(1, 1.0625):to(kiln.float64):max():item() < 1.0625)
    end
  end)

  it("exponential is never 0 and normal never infinite", function()
    kiln.manual_seed(6)
    for _ = 1, 4 do
      assert.is_true(draws():exponential_():min():item() > 0)
      assert.is_true(draws():normal_():abs():max():item() < 7)
    end
  end)

  it("randperm holds every number once, in an order that follows nothing", function()
    kiln.manual_seed(7)
    local order = kiln.randperm(N)
    assert.is_true(kiln.equal((order:sort()), kiln.arange(1, N + 1, { dtype = kiln.int64 })))
    local a, b = order:to(kiln.float64), kiln.arange(1, N + 1, F64)
    local correlation = ((a - a:mean()) * (b - b:mean())):mean():item() / (N * N / 12)
    assert.is_true(math.abs(correlation) < 5 / math.sqrt(N))
    local seen = {}
    for _ = 1, 6000 do
      local key = table.concat(kiln.randperm(3):tolist(), " ")
      seen[key] = (seen[key] or 0) + 1
    end
    local kinds = 0
    for _, n in pairs(seen) do
      kinds = kinds + 1
      assert.is_true(math.abs(n - 1000) < 5 * math.sqrt(1000))
    end
    assert.equals(6, kinds)
    raises("uint8 does not hold every number of 1..300", kiln.randperm, 300, { dtype = kiln.uint8 })
  end)

  it("a seed gives the same numbers again, with one thread and with two", function()
    local function numbers(threads)
      kiln.set_num_threads(threads)
      kiln.manual_seed(8)
      local x = draws()
      return x:clone():uniform_(), x:clone():normal_(), x:clone():bernoulli_(0.5), (kiln.dropout(x + 1, 0.5)),
        kiln.standard_gamma(x + 2)
    end
    local one, two = { numbers(1) }, { numbers(2) }
    for i = 1, #one do assert.is_true(kiln.equal(one[i], two[i])) end
    assert.is_false(kiln.equal(one[1], draws():uniform_()))
  end)

  it("dropout keeps the expectation and its gradient uses the same mask", function()
    kiln.manual_seed(9)
    local x = kiln.ones({ N }, { requires_grad = true })
    local y, mask = kiln.dropout(x, 0.25)
    assert.is_true(math.abs(y:mean():item() - 1) < 5 * math.sqrt(0.25 / 0.75 / N))
    y:sum():backward()
    assert.is_true(kiln.equal(x.grad, mask:to(kiln.float32) * (1 / 0.75)))
    assert.equals(0, kiln.dropout(x, 1):abs():sum():item())
    raises("p must be in 0..1, got 1.5", kiln.dropout, x, 1.5)
  end)

  it("a gamma draw's gradient is that of its quantile", function()
    for _, case in ipairs { { 0.3, 0.05 }, { 0.5, 0.4 }, { 1, 2 }, { 3, 1 }, { 3, 9 }, { 50, 55 } } do
      local alpha, z = unpack(case)
      -- the distribution by its series, and its change with alpha at z
      local function cdf(a)
        local term, sum = 1, 1
        for k = 1, 400 do
          term = term * z / (a + k)
          sum = sum + term
        end
        return math.exp(a * math.log(z) - z - kiln.tensor(a + 1, F64):lgamma():item()) * sum
      end
      local density = math.exp((alpha - 1) * math.log(z) - z - kiln.tensor(alpha, F64):lgamma():item())
      local expected = -(cdf(alpha + 1e-5) - cdf(alpha - 1e-5)) / 2e-5 / density
      local C = require("kiln.ffi").C
      local a, s = kiln.tensor(alpha, F64), kiln.tensor(z, F64)
      local got = require("kiln.handles").wrap(C.kiln_standard_gamma_grad(a.p, s.p)):item()
      assert.is_true(math.abs(got - expected) < 1e-6 * math.abs(expected))
    end
  end)

  support.ends_without_live_tensors()
end)
