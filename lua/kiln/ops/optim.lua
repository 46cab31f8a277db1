--- Op rows: one step of an optimizer, fused over all its parameters.
-- Every row takes the parameters, their gradients and its state as lists of one length, and writes
-- parameters and state in place.  Numbers that depend on the step are worked out by the caller
-- (lua/kiln/optim), so a step is one pass over memory and knows no history.
return function(op, _K)
  local function step(name)
    return function(row)
      local lists = "params: list, grads: list"
      for state in row.state:gmatch "%S+" do lists = lists .. ", " .. state .. ": list" end
      op.kernel(name .. "_step") {
        args = lists .. ", count: int, " .. row.numbers:gsub("([%w_]+)", "%1: number"),
        doc = row.doc, shape = "optim_step", grad = false, internal = true, writes = true,
      }
    end
  end

  step "sgd" {
    state = "momentum_buffer", -- absent when momentum is 0
    numbers = "lr, momentum, dampening, weight_decay, nesterov, first",
    doc = "Stochastic gradient descent; the first step sets the momentum buffer to the gradient.",
  }
  step "adam" {
    state = "exp_avg exp_avg_sq max_exp_avg_sq", -- the last when amsgrad is 1
    numbers = "lr, beta1, beta2, eps, weight_decay, decoupled, amsgrad, correction1, correction2",
    doc = "Adam (Kingma and Ba 2015), with decoupled decay AdamW; correction k is 1 - beta k ^ step.",
  }
  step "adagrad" {
    state = "sum", numbers = "lr, eps, weight_decay",
    doc = "Adagrad (Duchi et al. 2011); lr is already decayed.",
  }
  step "adadelta" {
    state = "square_avg acc_delta", numbers = "lr, rho, eps, weight_decay",
    doc = "Adadelta (Zeiler 2012).",
  }
  step "adamax" {
    state = "exp_avg exp_inf", numbers = "lr, beta1, beta2, eps, weight_decay, correction1",
    doc = "Adamax (Kingma and Ba 2015).",
  }
  step "rmsprop" {
    state = "square_avg grad_avg momentum_buffer", -- grad_avg when centered, the last with momentum
    numbers = "lr, alpha, eps, weight_decay, momentum, centered",
    doc = "RMSprop (Hinton, lecture 6e; centered: Graves 2013).",
  }
  step "rprop" {
    state = "prev step_size", numbers = "etaminus, etaplus, smallest, largest",
    doc = "Resilient backpropagation (Riedmiller and Braun 1993).",
  }
  step "asgd" {
    state = "ax", numbers = "eta, lambd, mu, weight_decay",
    doc = "Averaged stochastic gradient descent (Polyak and Juditsky 1992).",
  }
  step "nadam" {
    state = "exp_avg exp_avg_sq",
    numbers = "lr, beta1, beta2, eps, weight_decay, decoupled, correction2, grad_scale, avg_scale",
    doc = "NAdam (Dozat 2016); the scales are the weights of the gradient and of its average.",
  }
  step "radam" {
    state = "exp_avg exp_avg_sq",
    numbers = "lr, beta1, beta2, eps, weight_decay, decoupled, correction1, rectification",
    doc = "RAdam (Liu et al. 2020); rectification 0 while the variance is not yet known.",
  }
  step "lion" {
    state = "exp_avg", numbers = "lr, beta1, beta2, weight_decay",
    doc = "Lion (Chen et al. 2023): the sign of an interpolated momentum.",
  }
end
