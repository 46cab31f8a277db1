--- SparseAdam: Adam that reads and writes only the rows a gradient touches, for embeddings.  A row whose
-- gradient
-- is zero keeps its value and its state; the others are corrected by the number of steps so far.
local kiln = require "kiln"
local Optimizer = require "kiln.optim.optimizer"
local check = require "kiln.check"

local SparseAdam = Optimizer.declare("SparseAdam", {
  options = "lr: number = 0.001, betas: pair = 0.9 0.999, eps: number = 1e-8",
  state = { "exp_avg", "exp_avg_sq" },
})

-- Positions of the rows that are not all zero, int64.
local function touched_rows(g)
  local flat = g:reshape(g:size(1), -1)
  return flat:ne(0):any(2):nonzero():reshape(-1)
end

local function update(self, group, p, g)
  local state = self:state_of(group, p)
  local at = touched_rows(g)
  if at:numel() == 0 then return end
  local b1, b2 = group.betas[1], group.betas[2]
  local rows = g:index_select(1, at)
  if group.maximize then rows = -rows end
  local m, v = state.exp_avg:index_select(1, at), state.exp_avg_sq:index_select(1, at)
  m = m + (rows - m) * (1 - b1)
  v = v + (rows * rows - v) * (1 - b2)
  state.exp_avg:index_copy_(1, at, m)
  state.exp_avg_sq:index_copy_(1, at, v)
  local rate = group.lr * math.sqrt(1 - b2 ^ state.step) / (1 - b1 ^ state.step)
  p:index_add_(1, at, (m / (v:sqrt() + group.eps) * -rate):to(p.dtype))
end

--- One step; a closure is run first, and its result returned.
---@param closure? fun(): kiln.Tensor
function SparseAdam:step(closure)
  local loss
  if closure ~= nil then loss = check.fn(closure, "SparseAdam: step", "closure")() end
  kiln.no_grad(function()
    for _, group in ipairs(self.param_groups) do
      for _, p in ipairs(group.params) do
        local g = p.grad
        if g then update(self, group, p, g) end
      end
    end
  end)
  return loss
end

return SparseAdam
