--- kiln.nn: layers, losses, containers; `functional`, `init` and `utils` stand beside them.
-- Names, arguments, defaults, initial values and the keys of a state dict are those of torch.nn, so models
-- port line by line and weights carry over; dims, positions and classes count from 1.
local M = {
  Module = require "kiln.nn.module",
  Parameter = require "kiln.nn.parameter",
  functional = require "kiln.nn.functional",
  init = require "kiln.nn.init",
  utils = require "kiln.nn.utils",
}

for _, part in ipairs {
  "containers", "linear", "conv", "pooling", "padding", "activation", "normalization", "dropout", "sparse",
    "loss",
  "vision", "rnn", "transformer", "parallel",
} do
  for name, class in pairs(require("kiln.nn." .. part)) do M[name] = class end
end

return M
