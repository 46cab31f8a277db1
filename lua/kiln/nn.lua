--- kiln.nn: layers, losses, containers; `functional`, `init` and `utils` stand beside them.
-- Names, arguments, defaults, initial values and the keys of a state dict are those of torch.nn, so models
-- port line by line and weights carry over; dims, positions and classes count from 1.
local namespace = require "kiln.namespace"

return namespace.join("kiln.nn", {
  Module = require "kiln.nn.module",
  Parameter = require "kiln.nn.parameter",
  Buffer = require "kiln.nn.buffer",
  functional = require "kiln.nn.functional",
  init = require "kiln.nn.init",
  utils = require "kiln.nn.utils",
}, {
  "kiln.nn.containers", "kiln.nn.linear", "kiln.nn.conv", "kiln.nn.pooling", "kiln.nn.padding",
  "kiln.nn.activation", "kiln.nn.normalization", "kiln.nn.lazy", "kiln.nn.dropout", "kiln.nn.sparse",
  "kiln.nn.loss", "kiln.nn.adaptive", "kiln.nn.vision", "kiln.nn.rnn", "kiln.nn.transformer",
  "kiln.nn.parallel",
})
