--- kiln.optim: optimizers and schedulers of the learning rate.
--
--   local optimizer = optim.SGD(net:parameters(), { lr = 0.1, momentum = 0.9 })
--   optimizer:zero_grad(); loss:backward(); optimizer:step()
local M = {
  Optimizer = require "kiln.optim.optimizer",
  LBFGS = require "kiln.optim.lbfgs",
  lr_scheduler = require "kiln.optim.lr_scheduler",
}
for name, class in pairs(require "kiln.optim.algorithms") do M[name] = class end

return M
