--- kiln.optim: optimizers and schedulers of the learning rate.
--
--   local optimizer = optim.SGD(net:parameters(), { lr = 0.1, momentum = 0.9 })
--   optimizer:zero_grad(); loss:backward(); optimizer:step()
local Optimizer = require "kiln.optim.optimizer"
local sparse = require "kiln.optim.sparse"

local M = { Optimizer = Optimizer, LBFGS = require "kiln.optim.lbfgs",
  lr_scheduler = require "kiln.optim.lr_scheduler" }
for name, class in pairs(require "kiln.optim.algorithms") do M[name] = class end

--- Adam that touches only the rows a sparse gradient names; dense gradients name all rows.
M.SparseAdam = Optimizer.declare("SparseAdam", {
  options = "lr: number = 0.001, betas: pair = 0.9 0.999, eps: number = 1e-8",
  state = { "exp_avg", "exp_avg_sq" },
  step_sparse = sparse.adam,
})
function M.SparseAdam:step(closure)
  local loss
  if closure ~= nil then loss = closure() end
  Optimizer.without_grad(function()
    for _, group in ipairs(self.param_groups) do
      for _, p in ipairs(group.params) do
        local g = p.grad
        if g then sparse.adam(self, group, p, g.is_sparse and g or sparse.from_dense(g)) end
      end
    end
  end)
  return loss
end

return M
