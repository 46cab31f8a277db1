--- Distributions made of others: Independent, TransformedDistribution, MixtureSameFamily.
local kiln = require "kiln"
local Object = require "kiln.class"
local Distribution = require "kiln.distributions.distribution"
local constraints = require "kiln.distributions.constraints"
local transforms = require "kiln.distributions.transforms"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local sum_last = Distribution.sum_last
local M = {}

local function check_distribution(name, argument, v)
  if not Object.is_instance(v, Distribution) then
    raise(name, "%s must be a distribution, not %s", argument, got(v))
  end
  return v
end

-- -- Independent -------------------------------------------------------------------------------

local Independent = Distribution:extend "Independent"
M.Independent = Independent
Independent.argument_list = "base_distribution: any, reinterpreted_batch_ndims: int, validate_args: bool?"

local parse_independent = args.define("Independent", Independent.argument_list)

--- The last dims of a distribution's batch as dims of one event: their log_prob is summed.
function Independent:init(...)
  local a = parse_independent(...)
  local base, n = check_distribution("Independent", "base_distribution", a.base_distribution),
    a.reinterpreted_batch_ndims
  if n < 0 or n > #base.batch_shape then
    raise("Independent", "reinterpreted_batch_ndims must be in 0..%d, not %d", #base.batch_shape, n)
  end
  self.base_dist, self.reinterpreted_batch_ndims, self.validate_args = base, n, a.validate_args
  self.has_rsample, self.has_enumerate_support, self.like = base.has_rsample, false, base.like
  self.batch_shape, self.event_shape = { unpack(base.batch_shape) }, { unpack(base.event_shape) }
  self:set_event_dims(n)
end

function Independent:get_support()
  local support = self.base_dist.support
  return support and constraints.independent(support, self.reinterpreted_batch_ndims)
end
function Independent:sample(shape)
  check.self(self, "sample", "d")
  return self.base_dist:sample(shape)
end
function Independent:rsample(shape)
  check.self(self, "rsample", "d")
  return self.base_dist:rsample(shape)
end
function Independent:log_prob(x)
  check.self(self, "log_prob", "d")
  return sum_last(self.base_dist:log_prob(self:supported(x)), self.reinterpreted_batch_ndims)
end
function Independent:entropy()
  check.self(self, "entropy", "d")
  return sum_last(self.base_dist:entropy(), self.reinterpreted_batch_ndims)
end
function Independent:get_mean() return self.base_dist.mean end
function Independent:get_mode() return self.base_dist.mode end
function Independent:get_variance() return self.base_dist.variance end

function Independent:expand(batch_shape)
  check.self(self, "expand", "d")
  local size = self:batch_sizes(batch_shape)
  for d = 1, self.reinterpreted_batch_ndims do size[#size + 1] = self.event_shape[d] end
  return Independent(self.base_dist:expand(size), self.reinterpreted_batch_ndims,
    { validate_args = self.validate_args })
end

-- -- TransformedDistribution -------------------------------------------------------------------

local Transformed = Distribution:extend "TransformedDistribution"
M.TransformedDistribution = Transformed
Transformed.argument_list = "base_distribution: any, transforms: any, validate_args: bool?"

local parse_transformed = args.define("TransformedDistribution", Transformed.argument_list)

-- How many dims of `list` belong to an event, from `n` on.
local function sizes_from(list, n)
  local rest = {}
  for k = n, #list do rest[#rest + 1] = list[k] end
  return rest
end

--- What becomes of a distribution's samples: transforms, one or a list, the first first.
function Transformed:init(...)
  local a = parse_transformed(...)
  local base = check_distribution("TransformedDistribution", "base_distribution", a.base_distribution)
  local parts = Object.is_instance(a.transforms, transforms.Transform) and { a.transforms } or a.transforms
  local chain = transforms.ComposeTransform { parts = parts }
  -- Dims of the batch that the transforms take as parts of one event.
  local more = chain.domain_dim - #base.event_shape
  if more > #base.batch_shape then
    raise("TransformedDistribution", "the transforms take %d dims, the base has %d", chain.domain_dim,
      #base.event_shape + #base.batch_shape)
  end
  if more > 0 then base = Independent(base, more) end
  local shape = {}
  for _, list in ipairs { base.batch_shape, base.event_shape } do
    for _, s in ipairs(list) do shape[#shape + 1] = s end
  end
  shape = chain:forward_shape(shape)
  local event = chain.codomain_dim + math.max(#base.event_shape - chain.domain_dim, 0)
  self.base_dist, self.transforms, self.chain, self.validate_args = base, parts, chain, a.validate_args
  self.has_rsample, self.like = base.has_rsample, base.like
  self.event_shape, self.batch_shape = sizes_from(shape, #shape - event + 1), {}
  for k = 1, #shape - event do self.batch_shape[k] = shape[k] end
end

function Transformed:get_support()
  local codomain = self.chain.codomain
  if not codomain then return self.base_dist.support end
  local more = #self.event_shape - codomain.event_dim
  return more > 0 and constraints.independent(codomain, more) or codomain
end
function Transformed:sample(shape)
  check.self(self, "sample", "d")
  return kiln.no_grad(function() return self.chain:forward(self.base_dist:sample(shape)) end)
end
function Transformed:rsample(shape)
  check.self(self, "rsample", "d")
  return self.chain:forward(self.base_dist:rsample(shape))
end

function Transformed:log_prob(y)
  check.self(self, "log_prob", "d")
  y = self:supported(y)
  local total, dims = nil, #self.event_shape
  for k = #self.chain.parts, 1, -1 do
    local part = self.chain.parts[k]
    if not part.bijective then raise(self.__name, "log_prob: %s cannot be undone", part.__name) end
    local x = part:inverse(y)
    dims = dims + part.domain_dim - part.codomain_dim
    local term = sum_last(part:log_abs_det_jacobian(x, y), dims - part.domain_dim)
    total, y = total and total + term or term, x
  end
  local base = sum_last(self.base_dist:log_prob(y), dims - #self.base_dist.event_shape)
  return total and base - total or base
end

-- The transforms' sign: a probability from below becomes one from above where they fall.
local function from_below(self, p, what)
  local sign = self.chain.sign
  if not sign then raise(self.__name, "%s: the transforms neither grow nor fall", what) end
  if type(sign) == "number" then return sign > 0 and p or 1 - p end
  return sign * (p - 0.5) + 0.5
end

function Transformed:cdf(y)
  check.self(self, "cdf", "d")
  return from_below(self, self.base_dist:cdf(self.chain:inverse(self:supported(y))), "cdf")
end
function Transformed:icdf(p)
  check.self(self, "icdf", "d")
  return self.chain:forward(self.base_dist:icdf(from_below(self, self:value(p), "icdf")))
end
function Transformed:expand(batch_shape)
  check.self(self, "expand", "d")
  -- The base's batch and event dims that are not this one's batch.
  local inner = #self.base_dist.batch_shape - #self.batch_shape
  local size = self:batch_sizes(batch_shape)
  for k = #self.base_dist.batch_shape - inner + 1, #self.base_dist.batch_shape do
    size[#size + 1] = self.base_dist.batch_shape[k]
  end
  return Transformed(self.base_dist:expand(size), self.transforms, { validate_args = self.validate_args })
end

-- -- MixtureSameFamily -------------------------------------------------------------------------

local Mixture = Distribution:extend "MixtureSameFamily"
M.MixtureSameFamily = Mixture
Mixture.argument_list = "mixture_distribution: any, component_distribution: any, validate_args: bool?"

local parse_mixture = args.define("MixtureSameFamily", Mixture.argument_list)

--- A Categorical chooses among the last dim of the batch of component_distribution.
function Mixture:init(...)
  local a, name = parse_mixture(...), self.__name
  local choice = check_distribution(name, "mixture_distribution", a.mixture_distribution)
  local parts = check_distribution(name, "component_distribution", a.component_distribution)
  if choice.__name ~= "Categorical" then
    raise(name, "mixture_distribution must be a Categorical, not %s", got(choice))
  end
  local batch = { unpack(parts.batch_shape) }
  local n = table.remove(batch)
  if n ~= choice.num_events then
    raise(name, "the mixture chooses among %d, the components are %s", choice.num_events, tostring(n))
  end
  local outer = #batch - #choice.batch_shape
  for d = 1, #choice.batch_shape do
    if outer < 0 or choice.batch_shape[d] ~= batch[outer + d] and choice.batch_shape[d] ~= 1 then
      raise(name, "mixture_distribution has batch_shape [%s], the components [%s]",
        table.concat(choice.batch_shape, ", "), table.concat(batch, ", "))
    end
  end
  self.mixture_distribution, self.component_distribution, self.validate_args = choice, parts, a.validate_args
  self.batch_shape, self.event_shape, self.like = batch, { unpack(parts.event_shape) }, parts.like
end

function Mixture:get_support() return self.component_distribution.support end

-- x with a dim for the components, before those of the event.
local function spread(self, x) return x:unsqueeze(-1 - #self.event_shape) end
-- The probabilities of the components with dims for the event.
local function weights(self)
  local p = self.mixture_distribution.probs
  for _ = 1, #self.event_shape do p = p:unsqueeze(-1) end
  return p
end
local function over_components(self, x) return x:sum(-1 - #self.event_shape) end

function Mixture:sample(shape)
  check.self(self, "sample", "d")
  return kiln.no_grad(function()
    local chosen = self.mixture_distribution:expand(self.batch_shape):sample(shape)
    local all = self.component_distribution:sample(shape)
    local at, size = chosen:unsqueeze(-1), {}
    for _ = 1, #self.event_shape do at = at:unsqueeze(-1) end
    local dim = all:dim() - #self.event_shape
    for d = 1, all:dim() do size[d] = d == dim and 1 or all:size(d) end
    return all:gather(dim, at:expand(size)):squeeze(dim)
  end)
end
function Mixture:log_prob(x)
  check.self(self, "log_prob", "d")
  local log_p = self.component_distribution:log_prob(spread(self, self:supported(x)))
  return (log_p + self.mixture_distribution.logits):logsumexp(-1)
end
function Mixture:cdf(x)
  check.self(self, "cdf", "d")
  local p = self.component_distribution:cdf(spread(self, self:supported(x)))
  return (p * self.mixture_distribution.probs):sum(-1)
end
function Mixture:get_mean() return over_components(self, weights(self) * self.component_distribution.mean) end
function Mixture:get_variance()
  local mean = self.component_distribution.mean
  local gap = mean - spread(self, self.mean)
  return over_components(self, weights(self) * (self.component_distribution.variance + gap * gap))
end
function Mixture:expand(batch_shape)
  check.self(self, "expand", "d")
  local size = self:batch_sizes(batch_shape)
  size[#size + 1] = self.mixture_distribution.num_events
  return Mixture(self.mixture_distribution:expand(batch_shape), self.component_distribution:expand(size),
    { validate_args = self.validate_args })
end

return M
