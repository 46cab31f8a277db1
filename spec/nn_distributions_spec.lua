-- Distributions: shapes and moments of samples, gradients through rsample, what is refused.
-- Densities, entropies and divergences are compared in nn_golden_spec.lua.
local kiln = require "kiln"
local D = kiln.distributions
local support = require "spec.support"
local raises = support.raises

local N = 40000

local function moments(d, tolerance)
  local x = d:sample { N }
  local mean = x:mean(1)
  local variance = ((x - mean) * (x - mean)):mean(1)
  support.near(d.mean:tolist(), mean, tolerance)
  support.near(d.variance:tolist(), variance, 3 * tolerance)
end

describe("samples", function()
  before_each(function() kiln.manual_seed(7) end)

  it("have the shape sample + batch + event", function()
    local batch = kiln.ones(3)
    assert.equals("[4, 2, 3]", tostring(D.Normal(kiln.zeros(3), 1):sample({ 4, 2 }).shape))
    assert.equals("[3]", tostring(D.Gamma(batch, batch):rsample().shape))
    assert.equals("[5, 3]", tostring(D.Poisson(batch):sample_n(5).shape))
    assert.equals("[]", tostring(D.Normal(0, 1):sample().shape))
    assert.equals("[4, 2, 3]", tostring(D.Dirichlet(kiln.ones(2, 3)):sample({ 4 }).shape))
    assert.equals("[4, 2]", tostring(D.Categorical(kiln.ones(2, 3)):sample({ 4 }).shape))
    assert.equals("[4, 2, 3]", tostring(D.OneHotCategorical(kiln.ones(2, 3)):sample({ 4 }).shape))
    assert.equals("[4, 2, 3]", tostring(D.Multinomial(6, kiln.ones(2, 3)):sample({ 4 }).shape))
    assert.equals("[2, 3]", tostring(D.Categorical(kiln.ones(3, 2)):enumerate_support():expand(2, 3).shape))
    assert.equals("Normal(batch_shape=[3], event_shape=[])", tostring(D.Normal(kiln.zeros(3), 1)))
  end)

  it("have the distribution's mean and variance", function()
    moments(D.Normal(kiln.tensor { -1, 2 }, kiln.tensor { 0.5, 1 }), 0.03)
    moments(D.Uniform(-1, kiln.tensor { 1, 2 }), 0.03)
    moments(D.Laplace(0.5, kiln.tensor { 0.3, 0.6 }), 0.03)
    moments(D.LogNormal(0, kiln.tensor { 0.2, 0.4 }), 0.03)
    moments(D.Exponential(kiln.tensor { 1, 2 }), 0.03)
    moments(D.Gamma(kiln.tensor { 0.5, 3 }, 2), 0.03)
    moments(D.Chi2(kiln.tensor { 1, 0.5 }), 0.05)
    moments(D.Beta(kiln.tensor { 0.5, 2 }, kiln.tensor { 1.5, 3 }), 0.03)
    moments(D.Dirichlet(kiln.tensor { 0.5, 1, 2 }), 0.03)
    moments(D.StudentT(kiln.tensor { 8, 12 }), 0.05)
    moments(D.Bernoulli(kiln.tensor { 0.2, 0.7 }), 0.03)
    moments(D.Geometric(kiln.tensor { 0.5, 0.8 }), 0.05)
    moments(D.Poisson(kiln.tensor { 0.5, 4 }), 0.06)
    moments(D.OneHotCategorical(kiln.tensor { 0.2, 0.5, 0.3 }), 0.03)
    moments(D.Multinomial(4, kiln.tensor { 0.2, 0.5, 0.3 }), 0.05)
  end)

  it("count categories from 1", function()
    local x = D.Categorical(kiln.tensor { 0, 0, 1 }):sample { 100 }
    assert.equals(kiln.int64, x.dtype)
    assert.equals(300, x:sum():item())
  end)

  it("end where a parameter has no bounds", function()
    assert.equals(math.huge, D.Gamma(math.huge, 1):sample():item())
    assert.equals(math.huge, D.Chi2(math.huge):sample():item())
    local large = kiln.tensor({ 1e12, 1e35, 1e300 }, { dtype = kiln.float64 })
    local draws = D.Gamma(large, 1):sample() / large
    assert.is_true((draws - 1):abs():max():item() < 1e-5)
    assert.truthy(tostring(D.Distribution()):find "Distribution")
  end)

  it("are the same for the same seed", function()
    local d = D.Beta(2, 3)
    kiln.manual_seed(1)
    local one = d:sample { 10 }
    kiln.manual_seed(1)
    assert.is_true(one:equal(d:sample { 10 }))
  end)
end)

describe("rsample", function()
  it("has the gradient that the mean has", function()
    kiln.manual_seed(7)
    local function check(name, values, tolerance)
      local params = {}
      for i, v in ipairs(values) do
        params[i] = kiln.tensor(v, { dtype = kiln.float64 }):requires_grad_(true)
      end
      local d = D[name](unpack(params))
      d:rsample({ N }):mean(1):select(1, 1):backward()
      local sampled = {}
      for i, p in ipairs(params) do
        sampled[i] = p.grad:clone()
        p.grad = nil
      end
      D[name](unpack(params)).mean:select(1, 1):backward()
      for i, p in ipairs(params) do
        local expected = p.grad and p.grad:tolist() or p:detach():mul(0):tolist()
        support.near(expected, sampled[i], tolerance or 0.04)
      end
    end
    check("Normal", { { 1 }, { 0.5 } })
    check("Uniform", { { -1 }, { 2 } })
    check("Laplace", { { 1 }, { 0.5 } })
    check("Exponential", { { 1.5 } })
    check("Gamma", { { 1.5 }, { 2 } })
    check("Beta", { { 1.5 }, { 2 } })
    check("Dirichlet", { { 0.8, 1.5, 2 } })
    check("StudentT", { { 9 }, { 1 }, { 0.5 } })
  end)

  it("is refused where there is none", function()
    assert.is_false(D.Bernoulli.has_rsample)
    assert.is_true(D.Normal.has_rsample)
    raises({ "Categorical", "rsample" }, function() D.Categorical(kiln.ones(3)):rsample() end)
    local mean = kiln.zeros(1):requires_grad_(true)
    assert.is_false(D.Normal(mean, 1):sample().requires_grad)
  end)
end)

describe("what cannot be is refused", function()
  it("with the value and its position", function()
    raises({ "Normal", "scale must be above 0", "element 2", "-1" }, D.Normal, 0, kiln.tensor { 1, -1 })
    raises({ "Bernoulli", "[0, 1]", "1.5" }, D.Bernoulli, 1.5)
    raises({ "Uniform", "low must be below high" }, D.Uniform, 2, 1)
    raises({ "Gamma", "rate is missing" }, D.Gamma, 1)
    raises({ "Gamma", "unknown option 'rat'" }, D.Gamma, { concentration = 1, rate = 1, rat = 2 })
    raises({ "Categorical", "either probs or logits" }, D.Categorical)
    raises({ "Categorical", "at least 1 dim" }, D.Categorical, kiln.tensor(1))
    raises({ "Normal", "broadcast", "3", "2" }, D.Normal, kiln.zeros(3), kiln.ones(2))
    local d = D.Categorical(kiln.ones(3))
    local classes = kiln.tensor({ 1, 4 }, { dtype = kiln.int64 })
    raises({ "category 4 at position 2", "1..3" }, d.log_prob, d, classes)
    raises({ "kl_divergence", "Normal", "Gamma" }, D.kl_divergence, D.Normal(0, 1), D.Gamma(1, 1))
    raises({ "kl_divergence", "argument 2" }, D.kl_divergence, D.Normal(0, 1), 3)
    raises({ "Bernoulli", "cdf is not defined" }, function() D.Bernoulli(0.5):cdf(1) end)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
