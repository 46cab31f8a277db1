--- First-order optimizers: options, state and the numbers of a step.  Defaults and update rules are
-- those of torch.optim; the arithmetic is in core/cpu/optim_steps.h.
local kiln = require "kiln"
local Optimizer = require "kiln.optim.optimizer"
local check = require "kiln.check"

local raise, at_least = check.raise, check.at_least

local M = {}
local declare = Optimizer.declare

local function flag(b) return b and 1 or 0 end

M.SGD = declare("SGD", {
  options = "lr: number = 0.001, momentum: number = 0, dampening: number = 0, weight_decay: number = 0, "
    .. "nesterov: bool = false",
  state = function(group) return group.momentum ~= 0 and { "momentum_buffer" } or {} end,
  step = "sgd_step",
  carry = function(_, _, _, made) return made end,
  numbers = function(g, _, made)
    return g.lr, g.momentum, g.dampening, g.weight_decay, flag(g.nesterov), flag(made)
  end,
  sparse = function(g, _, values) return values * -g.lr end,
  check = function(_, o)
    if o.nesterov and (o.momentum <= 0 or o.dampening ~= 0) then
      raise("SGD", "nesterov needs a momentum above 0 (%g) and no dampening (%g)", o.momentum, o.dampening)
    end
  end,
})

-- Whether decay stands apart from the gradient: AdamW's does, Adam's where that is asked for.
local function adam(name, decay, more)
  return declare(name, {
    options = ("lr: number = 0.001, betas: pair = 0.9 0.999, eps: number = 1e-8, "
      .. "weight_decay: number = %g, amsgrad: bool = false%s"):format(decay, more),
    state = function(group)
      if group.amsgrad then return { "exp_avg", "exp_avg_sq", "max_exp_avg_sq" } end
      return { "exp_avg", "exp_avg_sq" }
    end,
    step = "adam_step",
    numbers = function(g, step)
      local b1, b2 = g.betas[1], g.betas[2]
      local apart = name == "AdamW" or g.decoupled_weight_decay
      return g.lr, b1, b2, g.eps, g.weight_decay, flag(apart), flag(g.amsgrad), 1 - b1 ^ step, 1 - b2 ^ step
    end,
  })
end
M.Adam = adam("Adam", 0, ", decoupled_weight_decay: bool = false")
M.AdamW = adam("AdamW", 0.01, "")

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
  carried = "eta", -- a step leaves the rate of the next one behind
  carry = function(g, step, eta)
    local function rate(at) return at == 0 and g.lr or g.lr / (1 + g.lambd * g.lr * at) ^ g.alpha end
    return eta or rate(step - 1), rate(step)
  end,
  numbers = function(g, step, eta) return eta, g.lambd, 1 / math.max(1, step - 1 - g.t0), g.weight_decay end,
})

-- NAdam's momentum at a step.
local function scheduled(group, step)
  return group.betas[1] * (1 - 0.5 * 0.96 ^ (step * group.momentum_decay))
end

M.NAdam = declare("NAdam", {
  options = "lr: number = 0.002, betas: pair = 0.9 0.999, eps: number = 1e-8, weight_decay: number = 0, "
    .. "momentum_decay: number = 0.004, decoupled_weight_decay: bool = false",
  state = { "exp_avg", "exp_avg_sq" },
  step = "nadam_step",
  carried = "mu_product", -- of the momenta so far
  carry = function(g, step, product)
    for t = product and step or 1, step do product = (product or 1) * scheduled(g, t) end
    return product, product
  end,
  numbers = function(g, step, product)
    local mu, mu_next = scheduled(g, step), scheduled(g, step + 1)
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

-- -- Of several ops --------------------------------------------------------------------------

local function zeros(p, shape)
  local wide = p.dtype == kiln.float64 and kiln.float64 or kiln.float32
  return kiln.zeros(shape, { dtype = wide, device = p.device })
end

-- The root of the mean of the squares, a number.
local function rms(x) return x:norm():item() / math.sqrt(math.max(x:numel(), 1)) end

local EPSILON = { float64 = 2 ^ -52, float32 = 2 ^ -23, float16 = 2 ^ -10, bfloat16 = 2 ^ -7 }

-- Second moments of a matrix are kept as those of its rows and columns.
M.Adafactor = declare("Adafactor", {
  options = "lr: number = 0.01, beta2_decay: number = -0.8, eps: any?, d: number = 1, "
    .. "weight_decay: number = 0",
  state = function(_, p) return p and p:dim() > 1 and { "row_var", "col_var" } or { "variance" } end,
  make = function(_, name, p)
    local shape = { unpack(p:size()) }
    if name == "row_var" then shape[#shape] = 1 end
    if name == "col_var" then shape[#shape - 1] = 1 end
    return zeros(p, shape)
  end,
  check = function(_, o)
    local function is_small(v) return type(v) == "number" and v >= 0 end
    local eps = o.eps
    local fits = eps == nil or type(eps) == "table" and (not eps[1] or is_small(eps[1])) and is_small(eps[2])
    if not fits then
      raise("Adafactor", "eps must be a list of two numbers of at least 0, of which the first may be false")
    end
    at_least(o.d, "Adafactor", "d", 1)
    local decays = o.beta2_decay <= 0 -- false for NaN
    if not decays then raise("Adafactor", "beta2_decay must be at most 0, not %g", o.beta2_decay) end
  end,
  each = function(group, p, g, state)
    local eps = group.eps or {}
    local least, small = eps[1] or EPSILON[p.dtype.name], eps[2] or 1e-3
    local share = state.step ^ group.beta2_decay
    local rate = math.max(small, rms(p)) * math.min(group.lr, 1 / math.sqrt(state.step))
    local estimate
    if p:dim() > 1 then
      state.row_var:lerp_((g * g):mean(-1, true), share)
      state.col_var:lerp_((g * g):mean(-2, true), share)
      estimate = kiln.matmul(state.row_var, state.col_var)
        / state.row_var:mean(-2, true):clamp(least, math.huge)
    else
      state.variance:lerp_(g * g, share)
      estimate = state.variance
    end
    local update = estimate:clamp(least * least, math.huge):rsqrt() * g
    return update * (-rate / math.max(1, rms(update) / group.d)), 1 - group.lr * group.weight_decay
  end,
})

-- The orthogonal matrix nearest to x, nearly: a few steps of Newton and Schulz.
local function orthogonal(x, group)
  local a, b, c = unpack(group.ns_coefficients)
  local turned = x:size(1) > x:size(2)
  if turned then x = x:t() end
  x = x / math.max(x:norm():item(), group.eps)
  for _ = 1, group.ns_steps do
    local gram = kiln.matmul(x, x:t())
    x = x * a + kiln.matmul(gram * b + kiln.matmul(gram, gram) * c, x)
  end
  return turned and x:t() or x
end

M.Muon = declare("Muon", {
  options = "lr: number = 0.001, weight_decay: number = 0.1, momentum: number = 0.95, nesterov: bool = true, "
    .. "ns_coefficients: any?, eps: number = 1e-7, ns_steps: count = 5, "
    .. "adjust_lr_fn: original|match_rms_adamw = original",
  state = { "momentum_buffer" },
  check = function(_, o)
    local list = o.ns_coefficients
    local fits = list == nil or type(list) == "table" and #list == 3
    for i = 1, fits and list and 3 or 0 do fits = fits and type(list[i]) == "number" end
    if not fits then raise("Muon", "ns_coefficients must be a list of three numbers") end
    o.ns_coefficients = list or { 3.4445, -4.775, 2.0315 }
  end,
  check_parameter = function(p, i)
    if p:dim() ~= 2 then
      raise("Muon", "params[%d] must have 2 dims, not %d; AdamW takes the others", i, p:dim())
    end
  end,
  each = function(group, p, g, state)
    local buffer = state.momentum_buffer
    buffer:lerp_(g, 1 - group.momentum)
    local update = orthogonal(group.nesterov and g:lerp(buffer, group.momentum) or buffer, group)
    local rows, columns = p:size(1), p:size(2)
    local ratio = group.adjust_lr_fn == "original" and math.sqrt(math.max(1, rows / columns))
      or 0.2 * math.sqrt(math.max(rows, columns))
    return update * (-group.lr * ratio), 1 - group.lr * group.weight_decay
  end,
})

return M
