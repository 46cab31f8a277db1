--- kl_divergence(p, q) in closed form, by the kinds of p and q; register_kl adds a pair.
-- Pairs of which q gives what p does not exclude with probability 0 are infinite.
local kiln = require "kiln"
local Object = require "kiln.class"
local Distribution = require "kiln.distributions.distribution"
local check = require "kiln.check"

local raise, got = check.raise, check.got

local LOG_2PI, EULER = math.log(2 * math.pi), 0.57721566490153286

-- By "P Q".
local formulas = {}
-- Kinds that are another one, and pairs of a kind that are another one transformed, which does not change it.
local ALIAS = { Chi2 = "Gamma", OneHotCategoricalStraightThrough = "OneHotCategorical" }
local SAME = { LogNormal = "Normal", InverseGamma = "Gamma", HalfCauchy = "Cauchy",
  OneHotCategorical = "Categorical" }

local function constant(t, value) return kiln.full_like(t:detach(), value) end
-- `value`, infinite where the mask is true.
local function infinite_where(mask, value) return kiln.where(mask, constant(value, math.huge), value) end
local function square(x) return x * x end
local function xlogx(x) return kiln.xlogy(x, x) end

-- -- Of one kind -------------------------------------------------------------------------------

formulas["Normal Normal"] = function(p, q)
  local ratio, t = square(p.scale / q.scale), square((p.loc - q.loc) / q.scale)
  return (ratio + t - 1 - ratio:log()) * 0.5
end
formulas["HalfNormal HalfNormal"] = function(p, q)
  local ratio = square(p.scale / q.scale)
  return (ratio - 1 - ratio:log()) * 0.5
end
formulas["LogisticNormal LogisticNormal"] = function(p, q) return formulas["Normal Normal"](p, q):sum(-1) end

formulas["Laplace Laplace"] = function(p, q)
  local ratio, gap = p.scale / q.scale, (p.loc - q.loc):abs()
  return -ratio:log() + gap / q.scale + ratio * (-gap / p.scale):exp() - 1
end

formulas["Cauchy Cauchy"] = function(p, q)
  local gap = p.loc and p.loc - q.loc or 0 -- HalfCauchy has none
  return (square(p.scale + q.scale) + gap * gap):log() - (p.scale * q.scale * 4):log()
end

formulas["Gumbel Gumbel"] = function(p, q)
  local ratio, gap = p.scale / q.scale, (p.loc - q.loc) / q.scale
  return -ratio:log() + gap + ratio * EULER + ((ratio + 1):lgamma() - gap):exp() - (1 + EULER)
end

formulas["Uniform Uniform"] = function(p, q)
  local outside = q.low:gt(p.low):logical_or(q.high:lt(p.high))
  return infinite_where(outside, ((q.high - q.low) / (p.high - p.low)):log())
end

formulas["Exponential Exponential"] = function(p, q)
  local ratio = q.rate / p.rate
  return ratio - 1 - ratio:log()
end

formulas["Gamma Gamma"] = function(p, q)
  local a, b = p.concentration, q.concentration
  return b * (p.rate / q.rate):log() + b:lgamma() - a:lgamma() + (a - b) * a:digamma()
    + (q.rate - p.rate) * (a / p.rate)
end

formulas["Beta Beta"] = function(p, q)
  local total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
  return q.concentration1:lgamma() + q.concentration0:lgamma() + total_p:lgamma()
    - (p.concentration1:lgamma() + p.concentration0:lgamma() + total_q:lgamma())
    + (p.concentration1 - q.concentration1) * p.concentration1:digamma()
    + (p.concentration0 - q.concentration0) * p.concentration0:digamma()
    + (total_q - total_p) * total_p:digamma()
end

formulas["Pareto Pareto"] = function(p, q)
  local ratio = q.alpha / p.alpha
  return infinite_where(p.scale:lt(q.scale), q.alpha * (p.scale / q.scale):log() - ratio:log() + ratio - 1)
end

formulas["Dirichlet Dirichlet"] = function(p, q)
  local a, b = p.concentration, q.concentration
  local total = a:sum(-1)
  return total:lgamma() - b:sum(-1):lgamma() - (a:lgamma() - b:lgamma()):sum(-1)
    + ((a - b) * (a:digamma() - total:digamma():unsqueeze(-1))):sum(-1)
end

local function own_divergence(p, q) return p:divergence(q) end
formulas["MultivariateNormal MultivariateNormal"] = own_divergence
formulas["Wishart Wishart"] = own_divergence

formulas["Bernoulli Bernoulli"] = function(p, q)
  local a, b = p.probs, q.logits
  local excluded = q.probs:eq(0):logical_and(a:gt(0)):logical_or(q.probs:eq(1):logical_and(a:lt(1)))
  return infinite_where(excluded, -b * a - (-b):logsigmoid() - p:entropy())
end

formulas["ContinuousBernoulli ContinuousBernoulli"] = function(p, q)
  return p.mean * (p.logits - q.logits) + p:log_constant() + (-p.probs):log1p() - q:log_constant()
    - (-q.probs):log1p()
end

formulas["Binomial Binomial"] = function(p, q)
  if p.total_count:detach():lt(q.total_count:detach()):any():item() then
    raise("kl_divergence", "no closed form where q has more trials than p")
  end
  local value = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs):log1p() - (-q.probs):log1p())
  return infinite_where(p.total_count:gt(q.total_count), value)
end

formulas["Geometric Geometric"] = function(p, q)
  return -p:entropy() - (-q.probs):log1p() / p.probs - q.logits
end

formulas["Poisson Poisson"] = function(p, q)
  return p.rate * (p.rate:log() - q.rate:log()) - (p.rate - q.rate)
end

formulas["Categorical Categorical"] = function(p, q)
  local terms = infinite_where(q.probs:eq(0), p.probs * (p.logits - q.logits))
  return kiln.where(p.probs:eq(0), constant(p.probs, 0), terms):sum(-1)
end

-- -- Against a normal, an exponential or a gamma density ----------------------------------------

-- The cross entropy needs no more of p than its moments.
local function normal_from(mean, variance, entropy, q)
  return -entropy + LOG_2PI / 2 + q.scale:log() + (variance + square(mean - q.loc)) / square(q.scale) * 0.5
end
local function against_normal(p, q) return normal_from(p.mean, p.variance, p:entropy(), q) end
for kind in ("Beta ContinuousBernoulli Exponential Gamma Gumbel Laplace Uniform"):gmatch "%S+" do
  formulas[kind .. " Normal"] = against_normal
end
formulas["Pareto Normal"] = function(p, q)
  local excluded = p.alpha:le(2) -- where the moments are not numbers
  local mean, variance = p.mean:masked_fill(excluded, 0), p.variance:masked_fill(excluded, 0)
  return infinite_where(excluded, normal_from(mean, variance, p:entropy(), q))
end

local function against_exponential(p, q) return -p:entropy() - q.rate:log() + q.rate * p.mean end
for _, kind in ipairs { "Beta", "ContinuousBernoulli", "Gamma", "Pareto" } do
  formulas[kind .. " Exponential"] = against_exponential
end
formulas["Uniform Exponential"] = function(p, q)
  return infinite_where(p.low:lt(0), against_exponential(p, q))
end

-- E log x of each kind is known.
local function gamma_from(mean, mean_log, entropy, q)
  local a = q.concentration
  return -entropy + a:lgamma() - a * q.rate:log() - (a - 1) * mean_log + q.rate * mean
end
-- The mean of log x over a uniform distribution.
local function uniform_log(low, high) return (xlogx(high) - xlogx(low)) / (high - low) - 1 end

formulas["Beta Gamma"] = function(p, q)
  local total = p.concentration1 + p.concentration0
  return gamma_from(p.mean, p.concentration1:digamma() - total:digamma(), p:entropy(), q)
end
formulas["Exponential Gamma"] = function(p, q)
  return gamma_from(p.mean, -EULER - p.rate:log(), p:entropy(), q)
end
formulas["Pareto Gamma"] = function(p, q)
  return gamma_from(p.mean, p.scale:log() + 1 / p.alpha, p:entropy(), q)
end
formulas["Uniform Gamma"] = function(p, q)
  return infinite_where(p.low:lt(0), gamma_from(p.mean, uniform_log(p.low, p.high), p:entropy(), q))
end

-- -- Against other densities ---------------------------------------------------------------------

-- E z + E exp(-z) of z = (x - loc) / scale is what a Gumbel density asks for.
local function gumbel_from(mean, exp_mean, entropy, q)
  return -entropy + q.scale:log() + (mean - q.loc) / q.scale + exp_mean
end
formulas["Normal Gumbel"] = function(p, q)
  local z = (p.loc - q.loc) / q.scale
  return gumbel_from(p.loc, (square(p.scale / q.scale) * 0.5 - z):exp(), p:entropy(), q)
end
formulas["Exponential Gumbel"] = function(p, q)
  local rate = p.rate * q.scale
  return gumbel_from(p.mean, (q.loc / q.scale):exp() * rate / (rate + 1), p:entropy(), q)
end
formulas["Gamma Gumbel"] = function(p, q)
  local rate = p.rate * q.scale
  local mean = (q.loc / q.scale - p.concentration * (1 / rate):log1p()):exp()
  return gumbel_from(p.mean, mean, p:entropy(), q)
end
formulas["Uniform Gumbel"] = function(p, q)
  local share, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
  return gumbel_from(p.mean, share * ((-low):exp() - (-high):exp()), p:entropy(), q)
end

formulas["Normal Laplace"] = function(p, q)
  local gap = p.loc - q.loc
  local z = gap / p.scale
  local distance = p.scale * (z * z * -0.5):exp() * math.sqrt(2 / math.pi)
    + gap * (z * math.sqrt(0.5)):erf()
  return -p:entropy() + (q.scale * 2):log() + distance / q.scale
end

formulas["Uniform Beta"] = function(p, q)
  local a, b = q.concentration1, q.concentration0
  local value = -p:entropy() + a:lgamma() + b:lgamma() - (a + b):lgamma()
    - (a - 1) * uniform_log(p.low, p.high) - (b - 1) * uniform_log(1 - p.high, 1 - p.low)
  return infinite_where(p.high:gt(1):logical_or(p.low:lt(0)), value)
end
formulas["Uniform Pareto"] = function(p, q)
  local value = -p:entropy() - q.alpha:log() - q.alpha * q.scale:log()
    + (q.alpha + 1) * uniform_log(p.low, p.high)
  return infinite_where(p.low:lt(q.scale), value)
end

local function against_continuous(p, q)
  return -p:entropy() - p.mean * q.logits - (-q.probs):log1p() - q:log_constant()
end
formulas["Beta ContinuousBernoulli"] = against_continuous
formulas["Uniform ContinuousBernoulli"] = function(p, q)
  return infinite_where(p.high:gt(1):logical_or(p.low:lt(0)), against_continuous(p, q))
end

local function inside_uniform(p, q)
  return infinite_where(q.high:lt(1):logical_or(q.low:gt(0)), -p:entropy() + (q.high - q.low):log())
end
formulas["Beta Uniform"], formulas["ContinuousBernoulli Uniform"] = inside_uniform, inside_uniform

formulas["Bernoulli Poisson"] = function(p, q) return -p:entropy() - (p.probs * q.rate:log() - q.rate) end

-- -- Vectors -------------------------------------------------------------------------------------

-- Of normal vectors, one or both by a few factors.
local function dense(d)
  if d.__name == "MultivariateNormal" then return d end
  return require("kiln.distributions.multivariate").MultivariateNormal(d.loc, {
    covariance_matrix = d.covariance_matrix, validate_args = false })
end
local function dense_divergence(p, q) return dense(p):divergence(dense(q)) end
formulas["LowRankMultivariateNormal LowRankMultivariateNormal"] = dense_divergence
formulas["LowRankMultivariateNormal MultivariateNormal"] = dense_divergence
formulas["MultivariateNormal LowRankMultivariateNormal"] = dense_divergence

-- -- Infinite --------------------------------------------------------------------------------------

local INFINITE = {
  Beta = "Pareto", ContinuousBernoulli = "Pareto", Exponential = "Beta ContinuousBernoulli Pareto Uniform",
  Gamma = "Beta ContinuousBernoulli Pareto Uniform", Pareto = "Beta ContinuousBernoulli Uniform",
  Gumbel = "Beta ContinuousBernoulli Exponential Gamma Pareto Uniform",
  Laplace = "Beta ContinuousBernoulli Exponential Gamma Pareto Uniform",
  Normal = "Beta ContinuousBernoulli Exponential Gamma Pareto Uniform", Poisson = "Bernoulli Binomial",
}
local function infinite(p, q)
  local shape = Distribution.broadcast_shape("kl_divergence", { p.like:detach(), q.like:detach() })
  return kiln.full(shape, math.huge, { dtype = p.like.dtype, device = p.like.device })
end
for p, list in pairs(INFINITE) do
  for q in list:gmatch "%S+" do formulas[p .. " " .. q] = infinite end
end

-- -- The functions -----------------------------------------------------------------------------------

local kl_divergence

formulas["Independent Independent"] = function(p, q)
  if p.reinterpreted_batch_ndims ~= q.reinterpreted_batch_ndims then
    raise("kl_divergence", "the distributions have %d and %d dims of their batch as one event",
      p.reinterpreted_batch_ndims, q.reinterpreted_batch_ndims)
  end
  return Distribution.sum_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
end

formulas["TransformedDistribution TransformedDistribution"] = function(p, q)
  local same = #p.transforms == #q.transforms
  for k = 1, #p.transforms do same = same and p.transforms[k] == q.transforms[k] end
  if not same then raise("kl_divergence", "the distributions are made by different transforms") end
  return kl_divergence(p.base_dist, q.base_dist)
end

--- The Kullback-Leibler divergence of q from p, [batch_shape].
---@param p kiln.distributions.Distribution
---@param q kiln.distributions.Distribution
---@return kiln.Tensor
function kl_divergence(p, q)
  local given = { p, q }
  for i = 1, 2 do
    if not Object.is_instance(given[i], Distribution) then
      raise("kl_divergence", "argument %d must be a distribution, not %s", i, got(given[i]))
    end
  end
  local first, second = p.__name, q.__name
  local formula = formulas[first .. " " .. second]
  if not formula then
    first, second = ALIAS[first] or first, ALIAS[second] or second
    if first == second and SAME[first] then first, second = SAME[first], SAME[first] end
    formula = formulas[first .. " " .. second]
  end
  if not formula then raise("kl_divergence", "no closed form between %s and %s", p.__name, q.__name) end
  return formula(p, q)
end

--- Says how the divergence of a class of distributions from another is computed: formula(p, q).
---@param p table  a class
---@param q table  a class
---@param formula fun(p: kiln.distributions.Distribution, q: kiln.distributions.Distribution): kiln.Tensor
local function register_kl(p, q, formula)
  for i = 1, 2 do
    local class = ({ p, q })[i]
    if type(class) ~= "table" or rawget(class, "__base") == nil then
      raise("register_kl", "argument %d must be a class of distributions, not %s", i, got(class))
    end
  end
  check.fn(formula, "register_kl", "formula")
  formulas[p.__name .. " " .. q.__name] = formula
end

return { kl_divergence = kl_divergence, register_kl = register_kl }
