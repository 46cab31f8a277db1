--- kiln.distributions: probability distributions over tensors.
--
--   local d = distributions.Normal(mean, std)
--   local x = d:rsample()                -- with gradients; d:sample() without
--   local loss = -d:log_prob(x):sum()
local namespace = require "kiln.namespace"

return namespace.join("kiln.distributions", {
  Distribution = require "kiln.distributions.distribution",
  constraints = require "kiln.distributions.constraints",
  transforms = require "kiln.distributions.transforms",
}, { "kiln.distributions.continuous", "kiln.distributions.discrete", "kiln.distributions.multivariate",
  "kiln.distributions.matrices", "kiln.distributions.composed", "kiln.distributions.transforms",
  "kiln.distributions.kl" })
