--- kiln.distributions: probability distributions over tensors.
--
--   local d = distributions.Normal(mean, std)
--   local x = d:rsample()                -- with gradients; d:sample() without
--   local loss = -d:log_prob(x):sum()
local M = {
  Distribution = require "kiln.distributions.distribution",
  kl_divergence = require "kiln.distributions.kl",
}
for _, part in ipairs { "continuous", "discrete" } do
  for name, class in pairs(require("kiln.distributions." .. part)) do M[name] = class end
end
return M
