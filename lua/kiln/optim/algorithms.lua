--- First-order optimizers: options, state and the numbers of a step.  Defaults and update rules are
-- those of torch.optim; the arithmetic is in core/cpu/optim_steps.h.
local Optimizer = require "kiln.optim.optimizer"
local raise = require("kiln.check").raise

local M = {}
local declare = Optimizer.declare

local function flag(b) return b and 1 or 0 end

M.SGD = declare("SGD", {
  options = "lr: number = 0.001, momentum: number = 0, dampening: number = 0, weight_decay: number = 0, "
    .. "nesterov: bool = false",
  state = function(group) return group.momentum ~= 0 and { "momentum_buffer" } or {} end,
  step = "sgd_step",
  numbers = function(g, step)
    return g.lr, g.momentum, g.dampening, g.weight_decay, flag(g.nesterov), flag(step == 1)
  end,
  sparse = function(g, _, values) return values * -g.lr end,
  check = function(_, o)
    if o.nesterov and (o.momentum <= 0 or o.dampening ~= 0) then
      raise("SGD", "nesterov needs a momentum above 0 (%g) and no dampening (%g)", o.momentum, o.dampening)
    end
  end,
})

local function adam(name, decay, decoupled)
  return declare(name, {
    options = ("lr: number = 0.001, betas: pair = 0.9 0.999, eps: number = 1e-8, "
      .. "weight_decay: number = %g, amsgrad: bool = false"):format(decay),
    state = function(group)
      if group.amsgrad then return { "exp_avg", "exp_avg_sq", "max_exp_avg_sq" } end
      return { "exp_avg", "exp_avg_sq" }
    end,
    step = "adam_step",
    numbers = function(g, step)
      local b1, b2 = g.betas[1], g.betas[2]
      return g.lr, b1, b2, g.eps, g.weight_decay, decoupled, flag(g.amsgrad), 1 - b1 ^ step, 1 - b2 ^ step
    end,
  })
end
M.Adam = adam("Adam", 0, 0)
M.AdamW = adam("AdamW", 0.01, 1)

M.Adagrad = declare("Adagrad", {
  options = "lr: number = 0.01, lr_decay: number = 0, weight_decay: number = 0, "
    .. "initial_accumulator_value: number = 0, eps: number = 1e-10",
  state = { "sum" },
  start = function(group) return group.initial_accumulator_value end,
  step = "adagrad_step",
  numbers = function(g, step) return g.lr / (1 + (step - 1) * g.lr_decay), g.eps, g.weight_decay end,
  sparse = function(g, at, values, state)
    local sum = state.sum:index_select(1, at) + values * values
    state.sum:index_copy_(1, at, sum)
    return values / (sum:sqrt() + g.eps) * (-g.lr / (1 + (state.step - 1) * g.lr_decay))
  end,
})

-- Adam of the rows that were looked up; what is corrected for is the number of steps so far.
M.SparseAdam = declare("SparseAdam", {
  options = "lr: number = 0.001, betas: pair = 0.9 0.999, eps: number = 1e-8",
  state = { "exp_avg", "exp_avg_sq" }, sparse_only = true,
  sparse = function(g, at, values, state)
    local b1, b2 = g.betas[1], g.betas[2]
    local m, v = state.exp_avg:index_select(1, at), state.exp_avg_sq:index_select(1, at)
    m:add_(values - m, 1 - b1)
    v:add_(values * values - v, 1 - b2)
    state.exp_avg:index_copy_(1, at, m)
    state.exp_avg_sq:index_copy_(1, at, v)
    return m / (v:sqrt() + g.eps) * (-g.lr * math.sqrt(1 - b2 ^ state.step) / (1 - b1 ^ state.step))
  end,
})

M.Adadelta = declare("Adadelta", {
  options = "lr: number = 1, rho: number = 0.9, eps: number = 1e-6, weight_decay: number = 0",
  state = { "square_avg", "acc_delta" },
  step = "adadelta_step",
  numbers = function(g) return g.lr, g.rho, g.eps, g.weight_decay end,
  check = function(_, o)
    if not (o.rho >= 0 and o.rho <= 1) then raise("Adadelta", "rho must be in [0, 1], not %g", o.rho) end
  end,
})

M.Adamax = declare("Adamax", {
  options = "lr: number = 0.002, betas: pair = 0.9 0.999, eps: number = 1e-8, weight_decay: number = 0",
  state = { "exp_avg", "exp_inf" },
  step = "adamax_step",
  numbers = function(g, step)
    return g.lr, g.betas[1], g.betas[2], g.eps, g.weight_decay, 1 - g.betas[1] ^ step
  end,
})

M.RMSprop = declare("RMSprop", {
  options = "lr: number = 0.01, alpha: number = 0.99, eps: number = 1e-8, weight_decay: number = 0, "
    .. "momentum: number = 0, centered: bool = false",
  state = function(group)
    local names = { "square_avg" }
    if group.centered then names[#names + 1] = "grad_avg" end
    if group.momentum > 0 then names[#names + 1] = "momentum_buffer" end
    return names
  end,
  step = "rmsprop_step",
  numbers = function(g) return g.lr, g.alpha, g.eps, g.weight_decay, g.momentum, flag(g.centered) end,
})

M.Rprop = declare("Rprop", {
  options = "lr: number = 0.01, etas: pair = 0.5 1.2, step_sizes: pair = 1e-6 50",
  state = { "prev", "step_size" },
  start = function(group) return { step_size = group.lr } end,
  step = "rprop_step",
  numbers = function(g) return g.etas[1], g.etas[2], g.step_sizes[1], g.step_sizes[2] end,
  check = function(_, o)
    if not (o.etas[1] > 0 and o.etas[1] < 1 and o.etas[2] > 1) then
      raise("Rprop", "etas must satisfy 0 < etas[1] < 1 < etas[2], not %g and %g", o.etas[1], o.etas[2])
    end
  end,
})

M.ASGD = declare("ASGD", {
  options = "lr: number = 0.01, lambd: number = 0.0001, alpha: number = 0.75, t0: number = 1e6, "
    .. "weight_decay: number = 0",
  state = { "ax" },
  step = "asgd_step",
  numbers = function(g, step)
    -- The rate and the weight of the average are those that the step before left behind.
    local before = step - 1
    local eta = before == 0 and g.lr or g.lr / (1 + g.lambd * g.lr * before) ^ g.alpha
    return eta, g.lambd, 1 / math.max(1, before - g.t0), g.weight_decay
  end,
})

-- The product of NAdam's momentum schedule up to a step, worked out once a step.
local products = setmetatable({}, { __mode = "k" })
local function momentum_product(group, step)
  local function mu(t) return group.betas[1] * (1 - 0.5 * 0.96 ^ (t * group.momentum_decay)) end
  local memo = products[group]
  if not memo or memo.step > step or memo.beta ~= group.betas[1] or memo.decay ~= group.momentum_decay then
    memo = { step = 0, product = 1, beta = group.betas[1], decay = group.momentum_decay }
    products[group] = memo
  end
  for t = memo.step + 1, step do memo.product = memo.product * mu(t) end
  memo.step = step
  return mu(step), mu(step + 1), memo.product
end

M.NAdam = declare("NAdam", {
  options = "lr: number = 0.002, betas: pair = 0.9 0.999, eps: number = 1e-8, weight_decay: number = 0, "
    .. "momentum_decay: number = 0.004, decoupled_weight_decay: bool = false",
  state = { "exp_avg", "exp_avg_sq" },
  step = "nadam_step",
  numbers = function(g, step)
    local mu, mu_next, product = momentum_product(g, step)
    return g.lr, g.betas[1], g.betas[2], g.eps, g.weight_decay, flag(g.decoupled_weight_decay),
      1 - g.betas[2] ^ step, (1 - mu) / (1 - product), mu_next / (1 - product * mu_next)
  end,
})

M.RAdam = declare("RAdam", {
  options = "lr: number = 0.001, betas: pair = 0.9 0.999, eps: number = 1e-8, weight_decay: number = 0, "
    .. "decoupled_weight_decay: bool = false",
  state = { "exp_avg", "exp_avg_sq" },
  step = "radam_step",
  numbers = function(g, step)
    local b1, b2 = g.betas[1], g.betas[2]
    local c2 = 1 - b2 ^ step
    local most = 2 / (1 - b2) - 1
    local length = most - 2 * step * b2 ^ step / c2
    local r = 0
    if length > 5 then
      r = math.sqrt(c2 * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))
    end
    return g.lr, b1, b2, g.eps, g.weight_decay, flag(g.decoupled_weight_decay), 1 - b1 ^ step, r
  end,
})

M.Lion = declare("Lion", {
  options = "lr: number = 0.0001, betas: pair = 0.9 0.99, weight_decay: number = 0",
  state = { "exp_avg" },
  step = "lion_step",
  numbers = function(g) return g.lr, g.betas[1], g.betas[2], g.weight_decay end,
})

return M
