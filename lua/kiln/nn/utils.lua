--- kiln.nn.utils: gradients clipped, weights normalised and flattened, sequences packed, tensors
-- parametrized.
local M = { rnn = require "kiln.nn.utils.rnn", parametrize = require "kiln.nn.utils.parametrize",
  parametrizations = require "kiln.nn.utils.parametrizations" }
for _, part in ipairs { "rnn", "clip", "reparametrize", "fusion" } do
  for name, value in pairs(require("kiln.nn.utils." .. part)) do
    if name ~= "is_packed" then M[name] = value end
  end
end
return require("kiln.namespace").of("kiln.nn.utils", M)
