-- Distributions: shapes and moments of samples, gradients through rsample, what is refused.
-- Densities, entropies and divergences are compared in nn_golden_spec.lua.
local kiln = require "kiln"
local D = kiln.distributions
local support = require "spec.support"
local raises = support.raises

local N = 40000

local function moments(d, tolerance, n)
  local x = d:sample { n or N }
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
    assert.equals("[2, 3]", tostring(D.Normal(batch, 1):sample({ sample_shape = { 2 } }).shape))
    raises({ "Normal: sample", "unknown option 'shape'" }, function()
      D.Normal(0, 1):sample { shape = { 2 } }
    end)
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
    moments(D.HalfNormal(kiln.tensor { 0.5, 1 }), 0.03)
    moments(D.Gumbel(kiln.tensor { -1, 2 }, kiln.tensor { 0.3, 0.6 }), 0.03)
    moments(D.InverseGamma(kiln.tensor { 6, 8 }, 2), 0.03)
    moments(D.FisherSnedecor(kiln.tensor { 5, 9 }, 20), 0.05)
    moments(D.Weibull(1, kiln.tensor { 1.5, 3 }), 0.03)
    moments(D.Pareto(0.5, kiln.tensor { 6, 9 }), 0.03)
    moments(D.Kumaraswamy(kiln.tensor { 0.5, 2 }, kiln.tensor { 1.5, 3 }), 0.03)
    moments(D.ContinuousBernoulli(kiln.tensor { 0.2, 0.5, 0.9 }), 0.03)
    moments(D.NegativeBinomial(kiln.tensor { 3, 4.5 }, 0.3), 0.1)
    moments(D.Independent(D.Normal(kiln.zeros(2), 1), 1), 0.03)
    local loc, parts = kiln.tensor { 1, 2 }, D.Normal(kiln.tensor { -1, 1 }, 0.5)
    moments(D.MixtureSameFamily(D.Categorical(kiln.tensor { 0.3, 0.7 }), parts), 0.03)
    moments(D.MultivariateNormal(loc, { scale_tril = kiln.tensor { { 1, 0 }, { 0.5, 0.7 } } }), 0.05)
    moments(D.LowRankMultivariateNormal(loc, kiln.tensor { { 0.5 }, { 1 } }, kiln.ones(2) / 4), 0.05)
    for _, c in ipairs { -0.4, 0, 0.1 } do
      moments(D.GeneralizedPareto(kiln.tensor { 0, 1 }, kiln.tensor { 0.5, 1 }, c), 0.05)
    end
    for by, m in pairs { covariance_matrix = { { 0.2, 0.1 }, { 0.1, 0.3 } },
      precision_matrix = { { 5, 1 }, { 1, 6 } }, scale_tril = { { 0.4, 0 }, { 0.1, 0.5 } } } do
      kiln.manual_seed(7)
      moments(D.Wishart(kiln.tensor { 3, 5 }, { [by] = kiln.tensor(m) }), 0.05, N / 4)
    end
    for _, p in ipairs { 0.02, 0.4, 0.97 } do -- few trials, and more than are drawn one by one
      moments(D.Binomial(kiln.tensor { 5, 17 }, p), 0.15, N / 8)
      local many = D.Binomial(1000, p):sample { N / 8 } / 1000
      assert.near(p, many:mean():item(), 1e-3)
      assert.near(math.sqrt(p * (1 - p) / 1000), many:std():item(), 6e-4)
    end
    assert.equals(40, D.Binomial(40, 1):sample():item())
    assert.equals(0, D.Binomial(40, 0):sample():item())
  end)

  it("of correlations have the variance that their density says", function()
    for _, n in ipairs { 2, 3, 5 } do
      local d = D.LKJCholesky(n, kiln.tensor { 1, 2.5 })
      local l = d:sample { 2000 }
      assert.equals(("[2000, 2, %d, %d]"):format(n, n), tostring(l.shape))
      assert.is_true(d.support:check(l):all():item())
      assert.is_true(d:log_prob(l):isfinite():all():item())
      local r = kiln.matmul(l, l:transpose(-2, -1))
      local off = r:select(-1, 1):select(-1, n) -- a number of a Beta distribution on (-1, 1)
      support.near({ 0, 0 }, off:mean(1), 0.03)
      support.near({ 1 / (1 + n), 1 / (4 + n) }, (off * off):mean(1), 0.02)
    end
    support.raises({ "LKJCholesky", "dim must be at least 2, not 1" }, D.LKJCholesky, 1)
    support.raises({ "LKJCholesky", "value", "rows of length 1", "matrix 1" }, D.LKJCholesky(2).log_prob,
      D.LKJCholesky(2), kiln.eye(2) * 2)
  end)

  it("of a circle have its mean direction and variance", function()
    for _, k in ipairs { 1e-7, 0.5, 4, 1e3 } do
      local d = D.VonMises(1, k)
      local x = d:sample { N / 4 }
      assert.is_true(x:abs():max():item() <= math.pi + 1e-6)
      local c, s = x:cos():mean():item(), x:sin():mean():item()
      assert.near(d.variance:item(), 1 - math.sqrt(c * c + s * s), 0.02)
      if k > 0.1 then assert.near(1, math.atan2(s, c), 0.05) end
    end
    assert.near(1, D.VonMises(1, 1e12):sample():item(), 1e-4)
  end)

  it("lie in the support", function()
    local mean, scale = kiln.tensor { 0.1, -0.3 }, kiln.tensor { 0.5, 2 }
    local T = D.transforms
    local by = { logits = mean }
    for _, d in ipairs { D.LogisticNormal(mean, scale), D.RelaxedBernoulli(0.5, by),
      D.RelaxedOneHotCategorical(0.5, by), D.OneHotCategoricalStraightThrough(by), D.Gumbel(mean, scale),
      D.TransformedDistribution(D.Normal(mean, scale), { T.TanhTransform() }), D.Binomial(6, by),
      D.TransformedDistribution(D.Normal(mean, scale), { T.StickBreakingTransform() }), D.Pareto(scale, 2),
      D.Multinomial(6, by), D.Poisson(scale), D.Uniform(mean, scale), D.HalfCauchy(scale),
      D.VonMises(mean, scale) } do
      local x = d:sample { 50, 3 }
      assert.is_true(d.support:check(x):all():item(), tostring(d))
      local size = { 50, 3, unpack(d.batch_shape) }
      assert.same(size, { unpack(d:log_prob(x):size()) }, tostring(d))
      assert.is_true(d:log_prob(x):isfinite():all():item(), tostring(d))
    end
  end)

  it("of a Multinomial sum to its count", function()
    local x = D.Multinomial(100, kiln.tensor { { 0.1, 0.9, 0 }, { 0.3, 0.3, 0.4 } }):sample { 20 }
    assert.is_true(x:sum(-1):eq(100):all():item())
    assert.equals(0, x:select(-1, 3):select(-1, 1):sum():item())
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
    check("HalfNormal", { { 1.5 } })
    check("Gumbel", { { 1 }, { 0.5 } })
    check("InverseGamma", { { 6 }, { 2 } })
    check("FisherSnedecor", { { 6 }, { 20 } })
    check("Weibull", { { 1.5 }, { 2 } })
    check("Pareto", { { 0.5 }, { 6 } })
    check("Kumaraswamy", { { 1.5 }, { 2 } })
    check("ContinuousBernoulli", { { 0.3 } })
  end)

  it("reaches what others are made of", function()
    local loc = kiln.zeros(3):requires_grad_(true)
    local p = kiln.tensor({ 0.2, 0.3, 0.5 }):requires_grad_(true)
    D.MultivariateNormal(loc, { scale_tril = kiln.eye(3) }):rsample({ 2 }):sum():backward()
    support.near({ 2, 2, 2 }, loc.grad, 1e-6)
    D.TransformedDistribution(D.Independent(D.Normal(loc, 1), 1), D.transforms.ExpTransform()):rsample():sum()
      :backward()
    assert.is_true(loc.grad:gt(2):all():item())
    D.OneHotCategoricalStraightThrough(p):rsample():mul(kiln.tensor { 1, 2, 3 }):sum():backward()
    support.near({ 1 - 2.3, 2 - 2.3, 3 - 2.3 }, p.grad, 1e-6) -- as of probabilities that sum to 1
    assert.is_false(D.MixtureSameFamily.has_rsample)
    assert.is_true(D.Independent(D.Normal(loc, 1), 1).has_rsample)
    assert.is_false(D.Independent(D.Bernoulli(p), 1).has_rsample)
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
    raises({ "Categorical", "a whole number in 1..3", "element 2 is 4" }, d.log_prob, d, classes)
    raises({ "kl_divergence", "Normal", "StudentT" }, D.kl_divergence, D.Normal(0, 1), D.StudentT(1))
    raises({ "kl_divergence", "argument 2" }, D.kl_divergence, D.Normal(0, 1), 3)
    raises({ "Bernoulli", "cdf is not defined" }, function() D.Bernoulli(0.5):cdf(1) end)
  end)

  it("of values that the support does not have", function()
    local function refused(parts, d, x) raises(parts, function() d:log_prob(x) end) end
    refused({ "Normal", "value must be a number", "nan" }, D.Normal(0, 1), 0 / 0)
    refused({ "Gamma", "value must be at least 0", "element 2 is -1" }, D.Gamma(1, 1), kiln.tensor { 1, -1 })
    refused({ "Bernoulli", "value must be 0 or 1", "0.5" }, D.Bernoulli(0.5), 0.5)
    refused({ "Poisson", "whole number of at least 0", "1.5" }, D.Poisson(2), 1.5)
    refused({ "Uniform", "[low, high]", "3" }, D.Uniform(0, 1), 3)
    refused({ "Binomial", "0..high", "8" }, D.Binomial(7, 0.5), 8)
    refused({ "Pareto", "at least its bound", "0.5" }, D.Pareto(1, 1), 0.5)
    refused({ "Dirichlet", "sum to 1", "vector 2" }, D.Dirichlet(kiln.ones(2)),
      kiln.tensor { { 0.5, 0.5 }, { 1, 1 } })
    refused({ "Dirichlet", "event's shape [3]", "[1]" }, D.Dirichlet(kiln.ones(3)), kiln.ones(1))
    refused({ "OneHotCategorical", "zeros and one 1" }, D.OneHotCategorical(kiln.ones(3)),
      kiln.tensor { 1, 1, 0 })
    refused({ "Multinomial", "sum to 4" }, D.Multinomial(4, kiln.ones(2)), kiln.tensor { 1, 2 })
    refused({ "Categorical", "1..3", "1.5" }, D.Categorical(kiln.ones(3)), kiln.tensor(1.5))
    refused({ "Normal", "value must be a tensor", "'a'" }, D.Normal(0, 1), "a")
    refused({ "Weibull", "above 0", "element 1 is false" }, D.Weibull(1, 1),
      kiln.zeros({ 2 }, { dtype = kiln.bool }))
    assert.equals(-math.huge, D.Uniform(0, 1, { validate_args = false }):log_prob(3):item())
    D.Distribution.set_default_validate_args(false)
    local free = D.Uniform(0, 1)
    local unchecked = D.Normal(0, -1)
    D.Distribution.set_default_validate_args(true)
    assert.equals(-1, unchecked.scale:item())
    raises({ "Uniform", "3" }, free.log_prob, free, 3)
  end)

  it("of parameters that make no distribution", function()
    local function matrix(...) return kiln.tensor { ... } end
    raises({ "Categorical", "probs", "sum to 1", "vector 2" }, D.Categorical, matrix({ 1, 1 }, { 0, 0 }))
    raises({ "Geometric", "above 0" }, D.Geometric, 0)
    raises({ "Multinomial", "total_count must be at least 0" }, D.Multinomial, -1, kiln.ones(2))
    raises({ "Binomial", "total_count", "1.5" }, D.Binomial, 1.5, 0.5)
    local loc = kiln.zeros(2)
    raises({ "MultivariateNormal", "one of covariance_matrix" }, D.MultivariateNormal, loc)
    raises({ "MultivariateNormal", "positive definite" }, D.MultivariateNormal, loc,
      matrix({ 1, 2 }, { 2, 1 }))
    raises({ "MultivariateNormal", "symmetric" }, D.MultivariateNormal, loc, matrix({ 1, 0 }, { 2, 5 }))
    raises({ "MultivariateNormal", "lower triangular" }, D.MultivariateNormal, loc,
      { scale_tril = kiln.ones(2, 2) })
    raises({ "MultivariateNormal", "[2]", "[3, 3]" }, D.MultivariateNormal, loc, kiln.eye(3))
    raises({ "Independent", "0..1", "2" }, D.Independent, D.Normal(loc, 1), 2)
    raises({ "Independent", "must be a distribution" }, D.Independent, 3, 1)
    raises({ "parts[1] must be a transform" }, D.TransformedDistribution, D.Normal(loc, 1), { 3 })
    raises({ "MixtureSameFamily", "3", "2" }, D.MixtureSameFamily, D.Categorical(kiln.ones(3)),
      D.Normal(loc, 1))
    raises({ "AffineTransform", "scale" }, D.transforms.AffineTransform, 1, "a")
    raises({ "register_kl", "argument 2" }, D.register_kl, D.Normal, 3)
    local abs = D.TransformedDistribution(D.Normal(loc, 1), D.transforms.AbsTransform())
    raises({ "TransformedDistribution", "AbsTransform cannot be undone" }, abs.log_prob, abs, kiln.ones(2))
  end)
end)

describe("distributions", function()
  it("grow to a larger batch", function()
    local loc, scale = kiln.tensor { 0.5, -1 }, kiln.tensor { 1, 2 }
    local T = D.transforms
    local three, ones = D.Normal(kiln.zeros(2, 3), 1), kiln.ones(2, 3)
    for _, d in ipairs { D.Normal(loc, scale), D.Chi2(scale), D.Bernoulli { logits = loc },
      D.Binomial(5, { logits = loc }), D.Independent(three, 1), D.Categorical(ones), D.Dirichlet(ones),
      D.Multinomial(4, ones), D.MultivariateNormal(kiln.zeros(2, 3), kiln.eye(3)),
      D.TransformedDistribution(D.Normal(loc, scale), T.ExpTransform()),
      D.TransformedDistribution(three, T.StickBreakingTransform()),
      D.MixtureSameFamily(D.Categorical(ones), three) } do
      local large = d:expand { 4, 2 }
      assert.same({ 4, 2 }, large.batch_shape, tostring(d))
      assert.same(d.event_shape, large.event_shape)
      assert.equals(d.__name, large.__name)
      local x = d:sample()
      assert.is_true(large:log_prob(x):allclose(d:log_prob(x):expand(4, 2)), tostring(d))
      assert.same({ 3, 4, 2, unpack(d.event_shape) }, { unpack(large:sample({ 3 }):size()) })
      assert.same({ 2 }, d.batch_shape)
    end
    raises({ "Normal", "expand" }, function() D.Normal(loc, scale):expand(3) end)
    raises({ "Independent", "expand", "nil" }, function() D.Independent(three, 1):expand() end)
    raises({ "Normal: expand", "batch_shape[1]", "'a'" }, function() D.Normal(loc, scale):expand { "a" } end)
  end)

  it("list what they can give", function()
    assert.same({ { 0, 0 }, { 1, 1 } }, D.Bernoulli(kiln.ones(2) / 2):enumerate_support():tolist())
    assert.same({ { 0 }, { 1 }, { 2 } }, D.Binomial(2, kiln.ones(3) / 2):enumerate_support(false):tolist())
    assert.same({ { 1, 0 }, { 0, 1 } }, D.OneHotCategorical(kiln.ones(2)):enumerate_support():tolist())
    assert.is_true(D.Categorical.has_enumerate_support)
    assert.is_false(D.Normal.has_enumerate_support)
  end)

  it("take pairs for kl_divergence", function()
    local Mine = D.Normal:extend "Mine"
    raises({ "Mine", "Normal" }, D.kl_divergence, Mine(0, 1), D.Normal(0, 1))
    D.register_kl(Mine, D.Normal, function(p, q) return p.loc - q.loc end)
    assert.equals(3, D.kl_divergence(Mine(3, 1), D.Normal(0, 1)):item())
    assert.equals(math.huge, D.kl_divergence(D.Normal(0, 1), D.Gamma(1, 1)):item())
    raises({ "kl_divergence", "different transforms" }, D.kl_divergence,
      D.TransformedDistribution(D.Normal(0, 1), D.transforms.ExpTransform()),
      D.TransformedDistribution(D.Normal(0, 1), D.transforms.TanhTransform()))
  end)

  it("have a mode where the density is largest", function()
    local d = D.Kumaraswamy(3, 2)
    local x = kiln.arange(1, 1000) / 1000
    assert.near(x[d:log_prob(x):argmax()]:item(), d.mode:item(), 1e-3)
    raises({ "TransformedDistribution", "mean is not defined" }, function()
      return D.TransformedDistribution(D.Normal(0, 1), D.transforms.ExpTransform()).mean
    end)
    assert.near(0.5, D.Normal(0, kiln.tensor({ 0.5 }):half()).stddev:item(), 1e-3)
  end)

  it("have gradients though they were first asked for without", function()
    for _, make in ipairs { function(v) return D.Categorical { logits = v } end,
      function(v) return D.ContinuousBernoulli { logits = v } end,
      function(v) return D.Binomial { total_count = 3, logits = v } end } do
      local logits = kiln.tensor({ 0.1, 0.2, 0.3 }, { requires_grad = true })
      local d = make(logits)
      kiln.no_grad(function() return d.probs end)
      d.probs:select(1, 1):backward()
      assert.is_true(logits.grad:abs():sum():item() > 0)
    end
  end)

  -- Values of the reference.
  it("stay numbers at the ends of their parameters", function()
    local wide = { dtype = kiln.float64 }
    local narrow = D.LogNormal(kiln.tensor(3, wide), kiln.tensor(1e-8, wide))
    assert.near(2.00855369232e-07, narrow.stddev:item(), 1e-17)
    local logits = kiln.tensor({ -800, 800 }, wide):requires_grad_(true)
    local d = D.ContinuousBernoulli({ logits = logits, validate_args = false })
    support.near({ 0.0277441354017, 0.972255864598 }, d.mean, 1e-10)
    support.near({ -2.584730798, -2.584730798 }, d:entropy(), 1e-8)
    support.near({ 0, 0 }, d:cdf(kiln.tensor(-1e6, wide)))
    local probs = kiln.tensor({ { 0, 1, 0 } }, wide):requires_grad_(true)
    D.Multinomial(4, { probs = probs }):entropy():sum():backward()
    support.near({ { 144.174613556, 0, 144.174613556 } }, probs.grad, 1e-6)
  end)

  it("have no digits cancelled where a formula has a gap", function()
    local wide = D.ContinuousBernoulli(kiln.tensor({ 0.46, 0.4989, 0.5012, 0.56 }, { dtype = kiln.float64 }))
    local d = D.ContinuousBernoulli(wide.probs:float())
    support.near(wide.mean:tolist(), d.mean, 1e-5)
    support.near(wide.variance:tolist(), d.variance, 1e-5)
    support.near(wide:entropy():tolist(), d:entropy(), 1e-5)
    -- The reference's limits, here those of what is taken for uniform.
    local flat = D.ContinuousBernoulli(0.3, { lims = { 0.2, 0.8 } })
    assert.near(0.25, flat:cdf(kiln.tensor(0.25)):item(), 1e-7)
    assert.near(0.25, flat:expand({ 2 }):icdf(kiln.tensor(0.25))[2]:item(), 1e-7)
    raises("lims must be a list of two numbers", D.ContinuousBernoulli, 0.3, { lims = { 0.2 } })
  end)

  it("take a composed transform to be of vectors where a part is", function()
    local t = D.ComposeTransform { D.AffineTransform(0, 2), D.SoftmaxTransform() }
    assert.same({ 1, 1, 0 }, { t.domain.event_dim, t.codomain.event_dim,
      D.ComposeTransform({}).domain.event_dim })
  end)

  it("have a gradient of a mode", function() -- the values of the reference
    local c = kiln.tensor({ { 2, 4 }, { 0.5, 0.6 } }, { requires_grad = true })
    local mode = D.Dirichlet(c).mode
    support.near({ { 0.25, 0.75 }, { 0, 1 } }, mode, 1e-6)
    mode:select(2, 1):sum():backward()
    support.near({ { 0.1875, -0.0625 }, { 0, 0 } }, c.grad, 1e-6)
  end)

  it("leave out categories that cannot be", function()
    local logits = kiln.tensor({ { -math.huge, 0, 0 } }, { requires_grad = true })
    local entropy = D.Categorical({ logits = logits }):entropy()
    support.near({ math.log(2) }, entropy, 1e-6)
    entropy:sum():backward()
    support.near({ { 0, 0, 0 } }, logits.grad, 1e-6)
    support.near({ math.log(2) }, D.OneHotCategorical({ logits = logits }):entropy(), 1e-6)
    support.near({ math.log(2) }, D.Multinomial({ total_count = 1, logits = logits }):entropy(), 1e-5)
  end)

  it("diverge without bound from what excludes a part of them", function()
    local function divergence(name, p, q)
      return D.kl_divergence(D[name] { probs = kiln.tensor(p) }, D[name] { probs = kiln.tensor(q) })
    end
    support.near({ math.huge, math.huge, 0, 0 },
      divergence("Bernoulli", { 0.5, 0.5, 0, 1 }, { 0, 1, 0, 1 }), 1e-6)
    for _, name in ipairs { "Categorical", "OneHotCategorical" } do
      support.near({ math.huge, math.log(2) },
        divergence(name, { { 0.5, 0.5, 0 }, { 0, 1, 0 } }, { { 1, 0, 0 }, { 0.5, 0.5, 0 } }), 1e-6)
    end
  end)

  it("have moments with gradients beside others that do not exist", function()
    for name, values in pairs { StudentT = { 2, 5 }, Pareto = { 2, 5 }, InverseGamma = { 2, 5 },
      FisherSnedecor = { 4, 5 }, GeneralizedPareto = { 0.5, 0.1 } } do
      local x, one = kiln.tensor(values, { requires_grad = true }), kiln.ones(2, { requires_grad = true })
      local d = name == "StudentT" and D[name](x, 0, one)
        or name == "GeneralizedPareto" and D[name](0, one, x)
        or name == "InverseGamma" and D[name](x, one) or D[name](one, x)
      d.variance[2]:backward()
      for _, t in ipairs { x, one } do
        assert.equals(0, t.grad[1]:item(), name)
        assert.is_true(math.abs(t.grad[2]:item()) > 0, name)
      end
    end
  end)

  it("draw what can be undone, however far it lies", function()
    local d = D.RelaxedBernoulli { temperature = kiln.tensor(0.01), logits = kiln.tensor { -3, 3 } }
    assert.is_true(d:log_prob(d:sample { 100 }):isfinite():all():item())
    local x = kiln.tensor { -300, 60 }
    for _, name in ipairs { "SigmoidTransform", "StickBreakingTransform" } do
      local t = D.transforms[name]()
      assert.is_true(t.inv(t(x)):isfinite():all():item(), name)
    end
    local low_rank = D.LowRankMultivariateNormal(kiln.zeros(2), kiln.ones(2, 1), kiln.ones(2))
    support.near({ { 2, 1 }, { 1, 2 } }, low_rank.scale_tril:mm(low_rank.scale_tril:t()), 1e-6)
    local choice = D.Categorical { probs = kiln.ones(1, 3) }
    local mixture = D.MixtureSameFamily(choice, D.Normal(kiln.zeros(2, 3), 1))
    assert.equals("[2]", tostring(mixture:sample().shape))
  end)

  it("draw within the support where a concentration is tiny", function()
    kiln.manual_seed(7)
    for _, dtype in ipairs { kiln.float32, kiln.float64 } do
      local tiny = kiln.tensor({ 1e-3, 3e-3 }, { dtype = dtype }):requires_grad_(true)
      for _, d in ipairs { D.Gamma(tiny, 1), D.Beta(tiny, tiny), D.Dirichlet(tiny), D.InverseGamma(tiny, 1),
        D.Chi2(tiny), D.FisherSnedecor(tiny, 1) } do
        local x = d:rsample { 500 }
        x:sum():backward()
        assert.is_true(x:detach():gt(0):all():item(), d.__name)
        assert.is_false(d:log_prob(x:detach()):detach():isnan():any():item(), d.__name)
        if not (d.__name:find "Inv" or d.__name:find "Fisher") then -- whose samples are next to infinity
          assert.is_false(tiny.grad:isnan():any():item(), d.__name)
        end
        tiny.grad = nil
      end
    end
    local both = kiln.tensor({ 0.01, 0.03 }, { dtype = kiln.float64 }):requires_grad_(true)
    local shares = D.Dirichlet(both):rsample { N }
    support.near({ 0.25, 0.75 }, shares:detach():mean(1), 0.02)
    shares:mean(1)[1]:backward() -- of 0.01 / 0.04
    support.near({ 18.75, -6.25 }, both.grad, 1.5)
  end)
end)

describe("distribution functions", function()
  -- The numbers are scipy's.
  it("of Beta, StudentT, Gamma, InverseGamma and Chi2 are what tables say", function()
    local F64 = { dtype = kiln.float64 }
    local function double(v) return kiln.tensor(v, F64) end
    for _, row in ipairs { { D.Beta(double(2), double(3)), 0.3, 0.3483 },
      { D.Beta(double(0.5), double(0.5)), 0.25, 1 / 3 },
      { D.StudentT(double(3), double(0), double(1)), 1.5, 0.8847080673775886 },
      { D.StudentT(double(3), double(1), double(2)), -2, 0.11529193262241147 },
      { D.StudentT(double(1), double(0), double(1)), 1, 0.75 },
      { D.Gamma(double(2), double(1)), 3, 0.8008517265285442 },
      { D.InverseGamma(double(2), double(3)), 0.5, 0.017351265236664526 },
      { D.InverseGamma(double(0.5), double(1)), 40, 0.8230632737581214 },
      { D.Chi2(double(2)), 2, 1 - math.exp(-1) } } do
      assert.near(row[3], row[1]:cdf(double(row[2])):item(), 1e-12)
    end
    local x = kiln.tensor({ 0.3, -0.7 }, { dtype = kiln.float64, requires_grad = true })
    local t = D.StudentT(double(4), double(0), double(1))
    t:cdf(x):sum():backward()
    assert.is_true(x.grad:isclose(t:log_prob(x):detach():exp()):all():item())
    raises({ "betainc", "gradient of a is not defined" }, function()
      return D.Beta(double(2):requires_grad_(), double(3)):cdf(double(0.3))
    end)
  end)
end)

describe("matrices and parts", function()
  it("are refused where they do not fit", function()
    local eye, T = kiln.eye(2), D.transforms
    raises({ "Wishart", "takes one of" }, D.Wishart, 3)
    raises({ "Wishart", "takes one of" }, D.Wishart, 3, { scale_tril = eye, covariance_matrix = eye })
    raises({ "Wishart", "df", "above 1", "0.5" }, D.Wishart, 0.5, eye)
    raises({ "Wishart", "scale_tril", "lower triangular" }, D.Wishart, 3, { scale_tril = kiln.ones(2, 2) })
    raises({ "Wishart", "[..., n, n]", "[2]" }, D.Wishart, 3, { scale_tril = kiln.ones(2),
      validate_args = false })
    raises({ "CorrCholeskyTransform", "2 numbers" }, T.CorrCholeskyTransform(), kiln.ones(2))
    raises({ "CatTransform", "needs 3 along dim 1", "[2]" },
      T.CatTransform({ T.ExpTransform(), T.ExpTransform() }, 1, { 1, 2 }), kiln.ones(2))
    raises({ "CatTransform", "1 lengths for 2" }, T.CatTransform, { T.ExpTransform(), T.ExpTransform() }, 1,
      { 1 })
    raises({ "StackTransform", "dim must not be 0" }, T.StackTransform, { T.ExpTransform() }, 0)
    raises({ "ReshapeTransform", "4 elements", "3" }, T.ReshapeTransform, { 4 }, { 3 })
    raises({ "ReshapeTransform", "ends in [4]", "[3]" }, T.ReshapeTransform({ 4 }, { 2, 2 }), kiln.ones(3))
    raises({ "CumulativeDistributionTransform", "must be a distribution" },
      T.CumulativeDistributionTransform, 3)
    raises({ "GeneralizedPareto", "value", "in [low, high]" }, function()
      D.GeneralizedPareto(0, 1, -0.5):log_prob(kiln.tensor(3))
    end)
  end)

  it("become distributions", function()
    local T = D.transforms
    local d = D.TransformedDistribution(D.Normal(kiln.zeros(2, 3), 1), T.CorrCholeskyTransform())
    assert.equals("TransformedDistribution(batch_shape=[2], event_shape=[3, 3])", tostring(d))
    local x = d:sample { 4 }
    assert.equals("[4, 2]", tostring(d:log_prob(x).shape))
    d = D.TransformedDistribution(D.Normal(kiln.zeros(3), 1),
      T.CatTransform({ T.ExpTransform(), T.SigmoidTransform() }, -1, { 1, 2 }))
    x = d:sample { 5 }
    assert.is_true(d.support:check(x):all():item())
    assert.equals("[5, 3]", tostring(d:log_prob(x).shape))
    local copula = T.CumulativeDistributionTransform(D.Normal(0, 1))
    assert.is_true(copula(kiln.tensor { 0, 1.5 }):isclose(kiln.tensor { 0.5, 0.9331928 }):all():item())
    assert.equals(0, T.ExpTransform({ cache_size = 1 })(kiln.zeros(1)):log():item())
    local w = D.Wishart(4, { scale_tril = kiln.eye(2) }):expand { 3 }
    assert.equals("[3, 2, 2]", tostring(w.mean.shape))
    assert.equals("[5, 3, 2, 2]", tostring(w:rsample({ 5 }).shape))
    assert.equals("[3]", tostring(w:entropy().shape))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
