--- kiln.nn.utils: gradients clipped, weights normalised and flattened, sequences packed.
local M = { rnn = require "kiln.nn.utils.rnn" }
for _, part in ipairs { "rnn", "clip", "reparametrize" } do
  for name, value in pairs(require("kiln.nn.utils." .. part)) do
    if name ~= "is_packed" then M[name] = value end
  end
end
return require("kiln.namespace").of("kiln.nn.utils", M)
