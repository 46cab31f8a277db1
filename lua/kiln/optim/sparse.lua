--- Steps for sparse gradients (Embedding with sparse = true): only the rows that a gradient names are
-- read and written.  SGD, Adagrad and SparseAdam take them.
local kiln = require "kiln"
local raise = require("kiln.check").raise

local M = {}

-- Positions and values of a coalesced row-sparse gradient.
local function rows(g)
  g = g:coalesce()
  local positions = g:indices()
  if positions:size(1) ~= 1 then
    raise("optim", "sparse gradients must be sparse in their first dim only, this one is in %d",
      positions:size(1))
  end
  return positions:select(1, 1), g:values()
end

local function state_of(self, group, p)
  local state = self.state[p]
  if not state then
    state = { step = 0 }
    for _, name in ipairs(self.state_names(group)) do state[name] = self.state_start(group, name, p) end
    self.state[p] = state
  end
  state.step = state.step + 1
  return state
end

function M.sgd(_, group, p, g)
  if group.momentum ~= 0 or group.weight_decay ~= 0 then
    raise("SGD", "sparse gradients go without momentum (%g) and weight decay (%g)", group.momentum,
      group.weight_decay)
  end
  local at, values = rows(g)
  p:index_add_(1, at, values:mul(group.maximize and group.lr or -group.lr))
  return true
end

function M.adagrad(self, group, p, g)
  if group.weight_decay ~= 0 then
    raise("Adagrad", "sparse gradients go without weight decay (%g)", group.weight_decay)
  end
  local state = state_of(self, group, p)
  local at, values = rows(g)
  local lr = group.lr / (1 + (state.step - 1) * group.lr_decay)
  state.sum:index_add_(1, at, values * values)
  local denominator = state.sum:index_select(1, at):sqrt_():add_(group.eps)
  p:index_add_(1, at, (values / denominator):mul_(group.maximize and lr or -lr))
  return true
end

function M.adam(self, group, p, g)
  local state = state_of(self, group, p)
  local at, values = rows(g)
  local b1, b2 = group.betas[1], group.betas[2]
  local m, v = state.exp_avg:index_select(1, at), state.exp_avg_sq:index_select(1, at)
  m = m + (values - m) * (1 - b1)
  v = v + (values * values - v) * (1 - b2)
  state.exp_avg:index_copy_(1, at, m)
  state.exp_avg_sq:index_copy_(1, at, v)
  local rate = group.lr * math.sqrt(1 - b2 ^ state.step) / (1 - b1 ^ state.step)
  p:index_add_(1, at, (m / v:sqrt():add_(group.eps)):mul_(group.maximize and rate or -rate))
  return true
end

--- A dense gradient as one that names all its rows.
function M.from_dense(g)
  return {
    coalesce = function(self) return self end,
    indices = function()
      return kiln.arange(1, g:size(1), { dtype = kiln.int64, device = g.device }):unsqueeze(1)
    end,
    values = function() return g end,
  }
end

return M
