--- Op rows: activation functions.
return function(op, K)
  local unary, binary, pointwise, composite = op.unary, op.binary, op.pointwise, op.composite
  local raise = op.raise

  -- x where it is below 0, else 0: what an exponential that counts there only may see, for 0 times infinity is
  -- NaN.
  local BELOW = "where(lt(x, 0), x, 0)"

  unary "relu" { doc = "max(x, 0); NaN stays NaN.", types = "real", dtype = "same", d = "where(le(out, 0), 0, 1)" }
  unary "relu6" {
    doc = "x, but not below 0 and not above 6.", types = "real", dtype = "same", expr = "clamp(x, 0, 6)",
    d = "where(le(x, 0), 0, where(ge(x, 6), 0, 1))",
  }
  pointwise "hardtanh" {
    args = "x, min_val: number = -1, max_val: number = 1", doc = "x, but not below min_val and not above max_val.",
    types = "real", expr = "clamp(x, min_val, max_val)", d = { x = "where(le(x, min_val), 0, where(ge(x, max_val), 0, 1))" },
    samples = { { "f[3,4]" }, { "f[3,4]", -0.25, 0.5 } },
  }
  pointwise "threshold" {
    args = "x, threshold: number, value: number", doc = "x where it is above the threshold, else value.",
    types = "real", expr = "where(le(x, threshold), value, x)", d = { x = "where(le(x, threshold), 0, 1)" },
    samples = { { "f[3,4]", 0.1, 2.5 } },
  }
  pointwise "leaky_relu" {
    args = "x, negative_slope: number = 0.01", doc = "x where it is above 0, else negative_slope * x.",
    expr = "where(gt(x, 0), x, negative_slope * x)", d = { x = "where(gt(x, 0), 1, negative_slope)" },
    samples = { { "f[3,4]" }, { "f[3,4]", 0.2 } },
  }
  binary "scaled_relu" {
    args = "x, slope", doc = "x where it is above 0, else slope * x, broadcast: the prelu of one element.",
    types = "float", dtype = "float", expr = "where(gt(x, 0), x, slope * x)",
    d = { x = "where(gt(x, 0), 1, slope)", slope = "where(gt(x, 0), 0, x)" },
  }
  composite "prelu" {
    args = "x, weight", doc = "x where it is above 0, else weight * x; one weight for all, or one for each size of dim 2.",
    samples = { { "f[3,4]", "f[1]" }, { "f[2,3,4]", "f[3]" } },
    lua = function(x, weight)
      local n, ndim = weight:numel(), x:dim()
      if n == 1 then return K.scaled_relu(x, weight:reshape({})) end
      local channels = ndim > 1 and x:size(2) or 1
      if n ~= channels then
        raise("prelu", "weight has %d elements, dim 2 of x has %d", n, channels)
      end
      local shape = {}
      for d = 1, ndim do shape[d] = d == 2 and n or 1 end
      return K.scaled_relu(x, weight:reshape(shape))
    end,
  }
  composite "rrelu" {
    args = "x, lower: number = 0.125, upper: number = 0.3333333333333333, training: bool = false",
    doc = "leaky_relu whose slope is random in [lower, upper) for each element in training, else their mean.",
    samples = { { "f[3,4]" }, { "f[3,4]", 0.1, 0.2 } },
    lua = function(x, lower, upper, training)
      if not training then return K.leaky_relu(x, (lower + upper) / 2) end
      return K.scaled_relu(x, K.empty_like(x):uniform_(lower, upper))
    end,
  }
  pointwise "elu" {
    args = "x, alpha: number = 1", doc = "x where it is above 0, else alpha * (exp(x) - 1).",
    expr = "where(gt(x, 0), x, alpha * expm1(x))", d = { x = "where(le(x, 0), alpha * exp(" .. BELOW .. "), 1)" },
    samples = { { "f[3,4]" }, { "f[3,4]", 0.5 } },
  }
  pointwise "celu" {
    args = "x, alpha: number = 1", doc = "x where it is above 0, else alpha * (exp(x / alpha) - 1).",
    expr = "where(gt(x, 0), x, alpha * expm1(x / alpha))", d = { x = "where(le(x, 0), exp(" .. BELOW .. " / alpha), 1)" },
    samples = { { "f[3,4]" }, { "f[3,4]", 0.5 } },
  }
  unary "selu" {
    doc = "elu scaled so that mean 0 and variance 1 keep themselves through layers.",
    expr = "1.0507009873554805 * where(gt(x, 0), x, 1.6732632423543772 * expm1(x))",
    d = "where(le(x, 0), 1.7580993408473766 * exp(" .. BELOW .. "), 1.0507009873554805)",
  }
  unary "logsigmoid" { doc = "log(sigmoid(x)), without overflow.", d = "sigmoid(-x)" }
  pointwise "softplus" {
    args = "x, beta: number = 1, threshold: number = 20",
    doc = "log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.",
    d = { x = "where(gt(beta * x, threshold), 1, sigmoid(beta * x))" },
    samples = { { "f[3,4]" }, { "f[3,4]", 2 }, { "f[3,4]", 1, 0.5 } },
  }
  pointwise "softshrink" {
    args = "x, lambd: number = 0.5", doc = "x moved toward 0 by lambd, 0 where it would cross.",
    expr = "where(gt(x, lambd), x - lambd, where(lt(x, -lambd), x + lambd, x * 0))",
    d = { x = "where(le(abs(x), lambd), 0, 1)" }, samples = { { "f[3,4]" }, { "f[3,4]", 0.25 } },
  }
  pointwise "hardshrink" {
    args = "x, lambd: number = 0.5", doc = "x where it is further than lambd from 0, else 0.",
    expr = "where(le(abs(x), lambd), 0, x)", d = { x = "where(le(abs(x), lambd), 0, 1)" },
    samples = { { "f[3,4]" }, { "f[3,4]", 0.25 } },
  }
  unary "softsign" {
    doc = "x / (1 + |x|).", expr = "x / (1 + abs(x))", d = "1 / ((1 + abs(x)) * (1 + abs(x)))",
  }
  unary "tanhshrink" { doc = "x - tanh(x).", expr = "x - tanh(x)", d = "tanh(x) * tanh(x)" }
  unary "silu" {
    doc = "x * sigmoid(x).", expr = "x * sigmoid(x)", d = "sigmoid(x) * (1 + x * (1 - sigmoid(x)))",
  }
  unary "mish" {
    doc = "x * tanh(softplus(x)).", expr = "x * tanh(softplus(x, 1, 20))",
    d = "tanh(softplus(x, 1, 20)) + x * sigmoid(x) * (1 - tanh(softplus(x, 1, 20)) * tanh(softplus(x, 1, 20)))",
  }
  unary "hardsigmoid" {
    doc = "x / 6 + 1/2, but not below 0 and not above 1.", expr = "clamp(x + 3, 0, 6) / 6",
    d = "where(gt(x, -3), where(lt(x, 3), 0.16666666666666667, 0), 0)",
  }
  unary "hardswish" {
    doc = "x * hardsigmoid(x).", expr = "x * clamp(x + 3, 0, 6) / 6",
    d = "where(le(x, -3), 0, where(lt(x, 3), x / 3 + 0.5, 1))",
  }
  unary "gelu_erf" {
    doc = "x times the normal distribution function of x, 0.5 x (1 + erf(x / sqrt 2)).", d = "gelu_slope(x)",
  }
  unary "gelu_slope" {
    doc = "Derivative of gelu_erf.", d = "0.39894228040143268 * (2 - x * x) * exp(-0.5 * x * x)", internal = true,
  }
  unary "gelu_tanh" {
    doc = "gelu with erf approximated by a tanh.",
    expr = "0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)))",
    d = "0.5 * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)))"
      .. " + 0.5 * x * (1 - square(tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))))"
      .. " * 0.79788456080286536 * (1 + 0.134145 * x * x)",
  }
  composite "gelu" {
    args = "x, approximate: none|tanh = none",
    doc = "Gaussian error linear unit: x times the normal distribution function of x, exactly or by a tanh.",
    samples = { { "f[3,4]" }, { "f[3,4]", "tanh" } },
    lua = function(x, approximate)
      if approximate == "tanh" then return K.gelu_tanh(x) end
      return K.gelu_erf(x)
    end,
  }
  composite "glu" {
    args = "x, dim: axis = -1", doc = "The first half of x along dim times the sigmoid of the second half.",
    samples = { { "f[3,4]" }, { "f[4,3]", 1 } },
    lua = function(x, dim)
      local n = x:size(dim)
      if n % 2 ~= 0 then raise("glu", "dim %d has size %d, which is odd", dim, n) end
      return x:narrow(dim, 1, n / 2) * x:narrow(dim, n / 2 + 1, n / 2):sigmoid()
    end,
  }
end
