--- kiln.optim: optimizers and schedulers of the learning rate.
--
--   local optimizer = optim.SGD(net:parameters(), { lr = 0.1, momentum = 0.9 })
--   optimizer:zero_grad(); loss:backward(); optimizer:step()
local namespace = require "kiln.namespace"

return namespace.join("kiln.optim", {
  Optimizer = require "kiln.optim.optimizer",
  LBFGS = require "kiln.optim.lbfgs",
  lr_scheduler = require "kiln.optim.lr_scheduler",
  swa_utils = require "kiln.optim.swa_utils",
}, { "kiln.optim.algorithms" })
