--- kl_divergence(p, q) in closed form, for pairs of one kind.
local kiln = require "kiln"
local Object = require "kiln.class"
local Distribution = require "kiln.distributions.distribution"
local check = require "kiln.check"

local raise, got = check.raise, check.got

-- By the name of the kind.
local formulas = {}

function formulas.Normal(p, q)
  local ratio, t = p.scale / q.scale, (p.loc - q.loc) / q.scale
  ratio, t = ratio * ratio, t * t
  return (ratio + t - 1 - ratio:log()) * 0.5
end
formulas.LogNormal = formulas.Normal

function formulas.Laplace(p, q)
  local ratio, gap = p.scale / q.scale, (p.loc - q.loc):abs()
  return -ratio:log() + gap / q.scale + ratio * (-gap / p.scale):exp() - 1
end

function formulas.Uniform(p, q)
  local value = ((q.high - q.low) / (p.high - p.low)):log()
  local outside = q.low:gt(p.low):logical_or(q.high:lt(p.high))
  return kiln.where(outside, kiln.full_like(value:detach(), math.huge), value)
end

function formulas.Exponential(p, q)
  local ratio = q.rate / p.rate
  return ratio - 1 - ratio:log()
end

function formulas.Gamma(p, q)
  local a, b = p.concentration, q.concentration
  return b * (p.rate / q.rate):log() + b:lgamma() - a:lgamma() + (a - b) * a:digamma()
    + (q.rate - p.rate) * (a / p.rate)
end
formulas.Chi2 = formulas.Gamma

function formulas.Beta(p, q)
  local total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
  return q.concentration1:lgamma() + q.concentration0:lgamma() + total_p:lgamma()
    - (p.concentration1:lgamma() + p.concentration0:lgamma() + total_q:lgamma())
    + (p.concentration1 - q.concentration1) * p.concentration1:digamma()
    + (p.concentration0 - q.concentration0) * p.concentration0:digamma()
    + (total_q - total_p) * total_p:digamma()
end

function formulas.Dirichlet(p, q)
  local a, b = p.concentration, q.concentration
  local total = a:sum(-1)
  return total:lgamma() - b:sum(-1):lgamma() - (a:lgamma() - b:lgamma()):sum(-1)
    + ((a - b) * (a:digamma() - total:digamma():unsqueeze(-1))):sum(-1)
end

function formulas.Bernoulli(p, q)
  local a, b = p.probs, q.logits
  return (-b * a + b:relu() + (-b:abs()):exp():log1p()) - p:entropy()
end

function formulas.Geometric(p, q)
  return -p:entropy() - (-q.probs):log1p() / p.probs - q.logits
end

function formulas.Poisson(p, q) return p.rate * (p.rate:log() - q.rate:log()) - (p.rate - q.rate) end

function formulas.Categorical(p, q) return (p.probs * (p.logits - q.logits)):sum(-1) end
formulas.OneHotCategorical = formulas.Categorical

--- The Kullback-Leibler divergence of q from p, [batch_shape].
---@param p kiln.distributions.Distribution
---@param q kiln.distributions.Distribution
---@return kiln.Tensor
return function(p, q)
  local given = { p, q }
  for i = 1, 2 do
    if not Object.is_instance(given[i], Distribution) then
      raise("kl_divergence", "argument %d must be a distribution, not %s", i, got(given[i]))
    end
  end
  local formula = p.__name == q.__name and formulas[p.__name]
  if not formula then raise("kl_divergence", "no closed form between %s and %s", p.__name, q.__name) end
  return formula(p, q)
end
