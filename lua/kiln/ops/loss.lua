--- Op rows: losses.
-- What a loss says of one element is a pointwise op (its gradient is fused); the loss itself reduces.
-- Classes count from 1.  All take `reduction` and the older size_average and reduce.
return function(op, K)
  local kernel, composite, pointwise = op.kernel, op.composite, op.pointwise
  local raise = op.raise
  local PAIR = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" } }
  local REDUCTION = "size_average: bool? = nil, reduce: bool? = nil, reduction: mean|sum|none = mean"

  -- log X, but not below -100, and with no slope at 0.
  local CUT_LOG = "where(eq(X, 0), -100, where(lt(log(X), -100), -100, log(X + (1 - sign(X) * sign(X)))))"

  -- x (1 - x), but not below what PyTorch divides by at least.
  local VARIANCE = "where(lt(x * (1 - x), 0.000000000001), 0.000000000001, x * (1 - x))"

  -- -- Of one element -----------------------------------------------------------------------------------

  pointwise "squared_error" {
    args = "x, y", doc = "(x - y)^2.", expr = "(x - y) * (x - y)",
    d = { x = "2 * (x - y)", y = "2 * (y - x)" }, samples = PAIR,
  }
  pointwise "absolute_error" {
    args = "x, y", doc = "|x - y|.", expr = "abs(x - y)", d = { x = "sign(x - y)", y = "sign(y - x)" },
    samples = PAIR,
  }
  pointwise "smooth_l1_error" {
    args = "x, y, beta: number = 1",
    doc = "(x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2.",
    expr = "where(lt(abs(x - y), beta), 0.5 * (x - y) * (x - y) / beta, abs(x - y) - 0.5 * beta)",
    d = { x = "where(ge(abs(x - y), beta), sign(x - y), (x - y) / beta)",
      y = "where(ge(abs(x - y), beta), sign(y - x), (y - x) / beta)" },
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]", 0.5 } },
  }
  pointwise "huber_error" {
    args = "x, y, delta: number = 1",
    doc = "(x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2).",
    expr = "where(le(abs(x - y), delta), 0.5 * (x - y) * (x - y), delta * (abs(x - y) - 0.5 * delta))",
    d = { x = "where(gt(abs(x - y), delta), delta * sign(x - y), x - y)",
      y = "where(gt(abs(x - y), delta), delta * sign(y - x), y - x)" },
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]", 0.5 } },
  }
  pointwise "bernoulli_nll" {
    args = "x, y", doc = "-(y log x + (1 - y) log(1 - x)), logarithms not below -100; NaN for x outside of 0..1.",
    special = false, -- the reference raises
    expr = "-(y * where(lt(log(x), -100), -100, log(x))"
      .. " + (1 - y) * where(lt(log(1 - x), -100), -100, log(1 - x)))",
    d = { x = "bernoulli_slope(x, y)",
      y = CUT_LOG:gsub("X", "(1 - x)") .. " - " .. CUT_LOG:gsub("X", "x") },
    samples = { { "f(0.1,0.9)[3,4]", "f(0.1,0.9)[3,4]" } },
  }
  pointwise "bernoulli_slope" {
    args = "x, y", doc = "Derivative of bernoulli_nll; its own at x = 0 and 1 is 0 where y is the same, else large.",
    special = false, internal = true,
    expr = "(x - y) / " .. VARIANCE,
    d = { x = "(y * square(1 - x) + (1 - y) * square(x)) / square(" .. VARIANCE .. ")", y = "-1 / " .. VARIANCE },
    samples = { { "f(0.1,0.9)[3,4]", "f(0.1,0.9)[3,4]" } },
  }
  pointwise "bernoulli_nll_logits" {
    args = "x, y", doc = "bernoulli_nll of sigmoid(x), without overflow.",
    expr = "(1 - y) * x + log1p(exp(-abs(x))) + relu(-x)", d = { x = "sigmoid(x) - y", y = "-x" },
    samples = { { "f[3,4]", "f(0.1,0.9)[3,4]" } },
  }
  pointwise "bernoulli_nll_weighted" {
    args = "x, y, pos_weight", doc = "bernoulli_nll_logits with the term of y = 1 weighted.",
    expr = "(1 - y) * x + (1 + (pos_weight - 1) * y) * (log1p(exp(-abs(x))) + relu(-x))",
    d = { x = "1 - y - (1 + (pos_weight - 1) * y) * sigmoid(-x)",
      y = "(pos_weight - 1) * (log1p(exp(-abs(x))) + relu(-x)) - x",
      pos_weight = "y * (log1p(exp(-abs(x))) + relu(-x))" },
    samples = { { "f[3,4]", "f(0.1,0.9)[3,4]", "f(0.5,2)[4]" } },
  }
  pointwise "kl_error" {
    args = "x, y", doc = "y (log y - x), 0 where y is 0, NaN below: x is a log-probability, y a probability.",
    expr = "xlogy(y, y) - y * x", d = { x = "-y", y = "sign(y) * sign(y) * (1 + log(y + (1 - sign(y) * sign(y)))) - x" },
    samples = { { "f[3,4]", "f(0.1,0.9)[3,4]" } },
  }
  pointwise "kl_error_log" {
    args = "x, y", doc = "exp(y) (y - x): both are log-probabilities.",
    expr = "exp(y) * (y - x)", d = { x = "-exp(y)", y = "exp(y) * (y - x + 1)" }, samples = PAIR,
  }
  pointwise "soft_margin_error" {
    args = "x, y", doc = "log(1 + exp(-x y)), without overflow.",
    special = false, -- the reference overflows
    expr = "log1p(exp(-abs(x * y))) + relu(-(x * y))",
    d = { x = "-y * sigmoid(-(x * y))", y = "-x * sigmoid(-(x * y))" }, samples = PAIR,
  }

  -- -- Of classes ---------------------------------------------------------------------------------------

  local CLASSES = "smoothing: number = 0, ignore_index: int = -100, reduction: mean|sum|none = mean"

  kernel "class_nll" {
    args = "x, target: index, weight: raw?, " .. CLASSES,
    doc = "-x at the target class, x [n, c, ...] log-probabilities; smoothing gives that share to all "
      .. "classes; a mean divides by the weights of the targets.",
    shape = "class_nll", grad = true, saves = { x = "target weight" },
    samples = { { "f[3,4]", "i(1,4)[3]" }, { "f[2,4,3]", "i(1,4)[2,3]", nil, 0.1 }, { "f[4]", "i(1,4)[]" } },
  }
  kernel "class_nll_dx" {
    args = "g, target: index, weight: raw?, size: shape, " .. CLASSES, doc = "The gradient of class_nll.",
    shape = "class_nll_dx", grad = true, saves = { g = "target weight" }, internal = true,
  }
  kernel "softmax_nll" {
    args = "x, target: index, weight: raw?, " .. CLASSES,
    doc = "class_nll of log_softmax(x), x [n, c], and the logsumexp of each row, not below float32.",
    special = false, -- the second result is of use where the first is finite
    shape = "softmax_nll", outs = 2, dtype = "statistics", diff_outs = "1", grad = true,
    saves = { x = "x target weight out2" },
    samples = { { "f[3,4]", "i(1,4)[3]" }, { "f[3,4]", "i(1,4)[3]", "f(0.5,2)[4]", 0.1 },
      { "f[3,4]", "i(1,4)[3]", nil, 0.1, 2, "sum" } },
  }
  kernel "softmax_nll_dx" {
    args = "g, x, target: index, weight: raw?, total, " .. CLASSES, doc = "The gradient of softmax_nll.",
    shape = "softmax_nll_dx", grad = false, internal = true,
  }
  kernel "multilabel_margin" {
    args = "x, target: index",
    doc = "The sum of max(0, 1 - (x at a target - x at another class)) over c, x [n, c]; targets of a row "
      .. "end at a 0. Also gives its slope.",
    shape = "multilabel_margin", outs = 2, diff_outs = "1", grad = true, saves = { x = "out2" },
    samples = { { "f[2,4]", "i(1,4)[2,4]" } },
  }

  -- -- Helpers --------------------------------------------------------------------------------------------

  local function reduction_of(size_average, reduce, reduction)
    if size_average == nil and reduce == nil then return reduction end
    if reduce == false then return "none" end
    return size_average == false and "sum" or "mean"
  end

  local function reduced(losses, size_average, reduce, reduction)
    local how = reduction_of(size_average, reduce, reduction)
    if how == "mean" then return losses:mean() end
    return how == "sum" and losses:sum() or losses
  end

  -- kiln.nn.targets, reached at call time because this file needs plain Lua only.
  local targets = setmetatable({}, { __index = function(t, name)
    t[name] = require("kiln.nn.targets")[name]
    return t[name]
  end })

  -- A loss that is the reduction of a pointwise op of x and target.  A NaN in the target is an error, so
  -- that the specs put theirs into the first argument.
  local function elementwise(name, row)
    composite(name) {
      args = "x, target, " .. (row.args or "") .. REDUCTION .. (row.more or ""), doc = row.doc,
      samples = row.samples or { { "f[3,4]", "f[3,4]" } }, special = "first",
      lua = function(x, target, ...)
        targets.numbers(name, x, target)
        return targets.seen(name, target, row.lua(x, target, ...))
      end,
    }
  end

  -- -- Regression -----------------------------------------------------------------------------------------

  elementwise("mse_loss", { doc = "The mean of (x - target)^2.",
    lua = function(x, y, ...) return reduced(K.squared_error(x, y), ...) end })
  elementwise("l1_loss", { doc = "The mean of |x - target|.",
    lua = function(x, y, ...) return reduced(K.absolute_error(x, y), ...) end })
  elementwise("soft_margin_loss", { doc = "The mean of log(1 + exp(-target x)), target 1 or -1.",
    lua = function(x, y, ...) return reduced(K.soft_margin_error(x, y), ...) end })
  elementwise("smooth_l1_loss", {
    more = ", beta: number = 1", doc = "The mean of an error that is quadratic below beta and linear above.",
    lua = function(x, y, size_average, reduce, reduction, beta)
      op.at_least(beta, "smooth_l1_loss", "beta", 0)
      local far = beta == 0 and K.absolute_error(x, y) or K.smooth_l1_error(x, y, beta)
      return reduced(far, size_average, reduce, reduction)
    end,
  })
  composite "huber_loss" {
    args = "x, target, reduction: mean|sum|none = mean, delta: number = 1",
    samples = { { "f[3,4]", "f[3,4]" } }, special = "first",
    doc = "The mean of an error that is quadratic up to delta and linear above, smooth_l1_loss times delta.",
    lua = function(x, y, reduction, delta)
      op.above(delta, "huber_loss", "delta", 0)
      targets.numbers("huber_loss", x, y)
      return targets.seen("huber_loss", y, reduced(K.huber_error(x, y, delta), nil, nil, reduction))
    end,
  }
  elementwise("poisson_nll_loss", {
    args = "log_input: bool = true, full: bool = false, eps: number = 1e-8, ",
    doc = "exp(x) - target x (x - target log(x + eps) unless log_input), with Stirling's term if full.",
    samples = { { "f[3,4]", "f(0.5,3)[3,4]" }, { "f(0.5,3)[3,4]", "f(0.5,3)[3,4]", false, true } },
    lua = function(x, y, log_input, full, eps, ...)
      local loss = log_input and x:exp() - y * x or x - y * (x + eps):log()
      if full then
        local stirling = y * y:log() - y + (y * (2 * math.pi)):log() * 0.5
        loss = loss + K.where(K.gt(y, 1), stirling, K.mul(y, 0))
      end
      return reduced(loss, ...)
    end,
  })
  composite "gaussian_nll_loss" {
    args = "x, target, var, full: bool = false, eps: number = 1e-6, reduction: mean|sum|none = mean",
    doc = "(log var + (x - target)^2 / var) / 2, var not below eps; with log(2 pi) / 2 if full.",
    samples = { { "f[3,4]", "f[3,4]", "f(0.5,2)[3,4]" }, { "f[3,4]", "f[3,4]", "f(0.5,2)[3]" } },
    special = "first",
    lua = op.in_float32(function(x, y, var, full, eps, reduction)
      targets.numbers("gaussian_nll_loss", x, y)
      var = targets.variance("gaussian_nll_loss", x, var)
      local floored = var + K.relu(eps - var):detach()
      local loss = (floored:log() + K.squared_error(x, y) / floored) * 0.5
      if full then loss = loss + 0.5 * math.log(2 * math.pi) end
      return targets.seen("gaussian_nll_loss", y, reduced(loss, nil, nil, reduction))
    end),
  }

  -- -- Probabilities --------------------------------------------------------------------------------------

  composite "binary_cross_entropy" {
    args = "x, target, weight?, " .. REDUCTION, samples = { { "f(0.1,0.9)[3,4]", "f(0.1,0.9)[3,4]" } },
    special = false, -- what is no probability is an error
    doc = "The mean of -(target log x + (1 - target) log(1 - x)), x a probability.",
    lua = function(x, y, weight, ...)
      targets.numbers("binary_cross_entropy", x, y)
      local loss = K.bernoulli_nll(x, y)
      loss = reduced(weight == nil and loss or loss * weight, ...)
      return targets.seen_probability("binary_cross_entropy", x, y, loss)
    end,
  }
  composite "binary_cross_entropy_with_logits" {
    args = "x, target, weight?, " .. REDUCTION .. ", pos_weight?",
    samples = { { "f[3,4]", "f(0.1,0.9)[3,4]" } }, special = "first",
    doc = "binary_cross_entropy of sigmoid(x), without overflow; pos_weight weighs target = 1.",
    lua = function(x, y, weight, size_average, reduce, reduction, pos_weight)
      local name = "binary_cross_entropy_with_logits"
      targets.numbers(name, x, y)
      local loss = pos_weight == nil and K.bernoulli_nll_logits(x, y)
        or K.bernoulli_nll_weighted(x, y, pos_weight)
      loss = reduced(weight == nil and loss or loss * weight, size_average, reduce, reduction)
      return targets.seen(name, y, loss)
    end,
  }
  composite "kl_div" {
    args = "x, target, size_average: bool? = nil, reduce: bool? = nil, "
      .. "reduction: mean|sum|none|batchmean = mean, log_target: bool = false",
    doc = "The mean of target (log target - x), x log-probabilities; 'batchmean' divides by the batch alone.",
    samples = { { "f[3,4]", "f(0.1,0.9)[3,4]" }, { "f[3,4]", "f[3,4]", nil, nil, "batchmean", true } },
    special = "first",
    lua = function(x, y, size_average, reduce, reduction, log_target)
      targets.numbers("kl_div", x, y)
      local loss = log_target and K.kl_error_log(x, y) or K.kl_error(x, y)
      reduction = reduction_of(size_average, reduce, reduction)
      if reduction == "batchmean" then return targets.seen("kl_div", y, loss:sum() / x:size(1)) end
      return targets.seen("kl_div", y, reduced(loss, nil, nil, reduction))
    end,
  }

  -- -- Classes --------------------------------------------------------------------------------------------

  composite "nll_loss" {
    args = "x, target: raw, weight?, size_average: bool? = nil, ignore_index: int = -100, "
      .. "reduce: bool? = nil, reduction: mean|sum|none = mean",
    doc = "-x at the target class (1..c), x [n, c, ...] log-probabilities.",
    samples = { { "f[3,4]", "i(1,4)[3]" }, { "f[2,4,3]", "i(1,4)[2,3]" } },
    lua = function(x, target, weight, size_average, ignore_index, reduce, reduction)
      target = targets.classes("nll_loss", x, target)
      targets.class_weight("nll_loss", x:size(x:dim() > 1 and 2 or 1), weight)
      targets.no_weight_gradient("nll_loss", weight)
      return K.class_nll(x, target, weight, 0, ignore_index, reduction_of(size_average, reduce, reduction))
    end,
  }

  -- Targets that are probabilities of x's shape.
  local function soft_cross_entropy(x, target, weight, smoothing, reduction)
    local dim, given = x:dim() > 1 and 2 or 1, target
    if smoothing > 0 then target = target * (1 - smoothing) + smoothing / x:size(dim) end
    local log_p = x:log_softmax(dim)
    if weight ~= nil then
      local shape = {}
      for d = 1, x:dim() do shape[d] = d == dim and x:size(dim) or 1 end
      log_p = log_p * weight:view(shape)
    end
    local loss = -(log_p * target):sum(dim)
    if reduction ~= "none" then loss = reduction == "mean" and loss:mean() or loss:sum() end
    return targets.seen("cross_entropy", given, loss)
  end

  composite "cross_entropy" {
    args = "x, target: raw, weight?, size_average: bool? = nil, ignore_index: int = -100, "
      .. "reduce: bool? = nil, reduction: mean|sum|none = mean, label_smoothing: number = 0",
    doc = "The cross entropy of softmax(x), x [n, c, ...], with target classes (1..c) or probabilities "
      .. "(x's shape).",
    samples = { { "f[3,4]", "i(1,4)[3]" }, { "f[2,4,3]", "i(1,4)[2,3]" }, { "f[3,4]", "f(0.1,0.9)[3,4]" } },
    lua = function(x, target, weight, size_average, ignore_index, reduce, reduction, smoothing)
      if smoothing < 0 or smoothing > 1 then
        raise("cross_entropy", "label_smoothing must be in 0..1, got %g", smoothing)
      end
      reduction = reduction_of(size_average, reduce, reduction)
      local n = x:dim()
      if n < 1 then raise("cross_entropy", "x is a 0-dim tensor") end
      targets.class_weight("cross_entropy", x:size(n > 1 and 2 or 1), weight)
      if target.dtype.is_floating_point and x:size() == target:size() then
        return soft_cross_entropy(x, target, weight, smoothing, reduction)
      end
      target = targets.classes("cross_entropy", x, target)
      targets.no_weight_gradient("cross_entropy", weight)
      if n == 2 then return (K.softmax_nll(x, target, weight, smoothing, ignore_index, reduction)) end
      local dim = n > 1 and 2 or 1
      return K.class_nll(x:log_softmax(dim), target, weight, smoothing, ignore_index, reduction)
    end,
  }
  local NO_CLASS = -2 ^ 52 -- as ignore_index: nothing is ignored

  composite "multi_margin_loss" {
    sizes = false, -- the mean of nothing is NaN; in the reference it is whatever was in memory
    args = "x, target: raw, p: number = 1, margin: number = 1, weight?, " .. REDUCTION,
    doc = "The sum of max(0, margin - x at the target + x at another class)^p over c, x [n, c].",
    samples = { { "f[3,4]", "i(1,4)[3]" }, { "f[3,4]", "i(1,4)[3]", 2, 0.5 } },
    lua = op.in_float32(function(x, target, p, margin, weight, ...)
      if p ~= 1 and p ~= 2 then raise("multi_margin_loss", "p must be 1 or 2, got %g", p) end
      if x:dim() ~= 1 and x:dim() ~= 2 then
        raise("multi_margin_loss", "x must have 1 or 2 dims, not %d", x:dim())
      end
      local classes = x:size(-1)
      target = targets.classes("multi_margin_loss", x, target)
      targets.in_range("multi_margin_loss", classes, target)
      targets.class_weight("multi_margin_loss", classes, weight)
      local own = -K.class_nll(x, target, nil, 0, NO_CLASS, "none")
      local gap = margin + x - own:unsqueeze(-1)
      local others = K.arange(1, classes + 1, { dtype = K.int64, device = x.device }):ne(target:unsqueeze(-1))
      local error = K.where(others:logical_and(gap:gt(0)), gap, 0)
      if p == 2 then error = error:square() end
      local loss = error:sum(-1) / classes
      if weight ~= nil then
        loss = loss * -K.class_nll(weight:expand(x:size()), target, nil, 0, NO_CLASS, "none")
      end
      return reduced(loss, ...)
    end),
  }
  composite "multilabel_margin_loss" {
    sizes = false, -- the mean of nothing is NaN; in the reference it is whatever was in memory
    args = "x, target: raw, " .. REDUCTION,
    doc = "The mean of multilabel_margin; targets are positions from 1, a row ends at the first 0.",
    samples = { { "f[2,4]", "i(1,4)[2,4]" } },
    lua = function(x, target, ...)
      if x:dim() ~= 1 and x:dim() ~= 2 then
        raise("multilabel_margin_loss", "x must have 1 or 2 dims, not %d", x:dim())
      end
      target = targets.labels("multilabel_margin_loss", x, target)
      local single = x:dim() == 1
      if single then x, target = x:unsqueeze(1), target:unsqueeze(1) end
      local loss = K.multilabel_margin(x, target)
      return reduced(single and loss:squeeze(1) or loss, ...)
    end,
  }
  composite "multilabel_soft_margin_loss" {
    args = "x, target, weight?, " .. REDUCTION, samples = { { "f[3,4]", "f(0.1,0.9)[3,4]" } },
    special = "first",
    doc = "bernoulli_nll_logits averaged over the classes (the last dim), then over the batch.",
    lua = function(x, y, weight, ...)
      targets.numbers("multilabel_soft_margin_loss", x, y)
      local loss = K.bernoulli_nll_logits(x, y)
      if weight ~= nil then loss = loss * weight end
      return targets.seen("multilabel_soft_margin_loss", y, reduced(loss:mean(-1), ...))
    end,
  }

  -- -- Distances ------------------------------------------------------------------------------------------

  composite "pairwise_distance" {
    args = "x, y, p: number = 2, eps: number = 1e-6, keepdim: bool = false",
    doc = "The p-norm of x - y + eps over the last dim.", samples = { { "f[3,4]", "f[3,4]" } },
    lua = function(x, y, p, eps, keepdim)
      return (x - y + eps):norm(p, -1, keepdim)
    end,
  }
  composite "cosine_similarity" {
    args = "x, y, dim: axis = 2, eps: number = 1e-8",
    doc = "The cosine of the angle between x and y along dim; lengths are not below eps.",
    samples = { { "f[3,4]", "f[3,4]" } },
    lua = op.in_float32(function(x, y, dim, eps)
      local wide = x:dim() >= y:dim() and x or y -- dim is one of the shape that both broadcast to
      dim = op.axis("cosine_similarity", "dim", wide, dim) - math.max(wide:dim(), 1) - 1
      local function length(v)
        local square = v:square():sum(dim)
        return (square + K.relu(eps * eps - square):detach()):sqrt()
      end
      local product = x * y
      x, y = x:to(product.dtype):expand(product.shape), y:to(product.dtype):expand(product.shape)
      return product:sum(dim) / (length(x) * length(y))
    end),
  }
  composite "cosine_embedding_loss" {
    args = "x1, x2, target: raw, margin: number = 0, " .. REDUCTION,
    doc = "1 - the cosine where target is 1, max(0, the cosine - margin) where it is -1.",
    samples = { { "f[3,4]", "f[3,4]", "i(1,1)[3]" } },
    lua = op.in_float32(function(x1, x2, target, margin, ...)
      local name = "cosine_embedding_loss"
      targets.alike(name, { { "x1", x1 }, { "x2", x2 } })
      if target:dim() ~= x1:dim() - 1 or target:dim() == 1 and target:size(1) ~= x1:size(1) then
        raise(name, "x1 of shape %s does not go with targets of shape %s", tostring(x1:size()),
          tostring(target:size()))
      end
      targets.signs(name, target)
      local eps = 1e-12
      local length = ((x1:square():sum(-1) + eps) * (x2:square():sum(-1) + eps)):sqrt()
      local cosine = (x1 * x2):sum(-1) / length
      local none = cosine * 0
      return reduced(K.where(target:eq(1), 1 - cosine, none)
        + K.where(target:eq(-1), K.relu(cosine - margin), none), ...)
    end),
  }
  composite "hinge_embedding_loss" {
    args = "x, target: raw, margin: number = 1, " .. REDUCTION,
    doc = "x where target is 1, max(0, margin - x) where it is -1.",
    samples = { { "f[3,4]", "i(1,1)[3,4]" } },
    lua = function(x, target, margin, ...)
      targets.same_shape("hinge_embedding_loss", x, target)
      targets.signs("hinge_embedding_loss", target)
      local none = x * 0
      return reduced(K.where(target:eq(1), x, none) + K.where(target:eq(-1), K.relu(margin - x), none), ...)
    end,
  }
  composite "margin_ranking_loss" {
    args = "x1, x2, target, margin: number = 0, " .. REDUCTION,
    doc = "max(0, margin - target (x1 - x2)): target 1 wants x1 the larger, -1 x2.",
    samples = { { "f[3]", "f[3]", "f[3]" }, { "f[3,4]", "f[3,4]", "f[3,4]", 0.5 } },
    special = false, -- a NaN in the target is an error
    lua = function(x1, x2, target, margin, ...)
      local name = "margin_ranking_loss"
      targets.alike(name, { { "x1", x1 }, { "x2", x2 }, { "target", target } })
      return targets.seen(name, target, reduced(K.relu(margin - target * (x1 - x2)), ...))
    end,
  }
  composite "triplet_margin_loss" {
    args = "anchor, positive, negative, margin: number = 1, p: number = 2, eps: number = 1e-6, "
      .. "swap: bool = false, " .. REDUCTION,
    doc = "max(0, distance to positive - distance to negative + margin); swap takes the nearer of anchor "
      .. "and positive.",
    samples = { { "f[3,4]", "f[3,4]", "f[3,4]" } },
    lua = op.in_float32(function(anchor, positive, negative, margin, p, eps, swap, ...)
      targets.alike("triplet_margin_loss", { { "anchor", anchor }, { "positive", positive },
        { "negative", negative } })
      local near = K.pairwise_distance(anchor, positive, p, eps)
      local far = K.pairwise_distance(anchor, negative, p, eps)
      if swap then
        local other = K.pairwise_distance(positive, negative, p, eps)
        far = K.where(other:lt(far), other, far)
      end
      return reduced(K.relu(margin + near - far), ...)
    end),
  }
end
