--- Op rows: softmax and its relatives, in one pass that cannot overflow.
return function(op, K)
  local kernel, composite, pointwise = op.kernel, op.composite, op.pointwise
  local SAMPLES = { { "f[3,4]", 2 }, { "f[3,4]", 1 }, { "f[2,3,4]", -2 }, { "f[4]", 1 } }

  local CAST_SAMPLES = { { "f[3,4]", 2 }, { "f[3,4]", 1 }, { "f[2,3,4]", -2 }, { "f[4]", 1 },
    { "i(-3,3)[3,4]", 1, dtype = "float64" } }
  local CAST = " The option `dtype` says what x is cast to first."

  kernel "softmax" {
    args = "x, dim: axis", doc = "exp(x) over its sum along dim." .. CAST,
    shape = "same", dtype = "float", grad = true, saves = "out", samples = CAST_SAMPLES,
    with = { dtype = op.with_float_dtype },
  }
  kernel "log_softmax" {
    args = "x, dim: axis", doc = "x less the logarithm of the sum of exp(x) along dim." .. CAST,
    shape = "same", dtype = "float", grad = true, saves = "out", samples = CAST_SAMPLES,
    with = { dtype = op.with_float_dtype },
  }
  kernel "logsumexp" {
    args = "x, dims: axes, keepdim: bool = false",
    doc = "Logarithm of the sum of exp(x) over dims (all if empty).",
    shape = "reduce", dtype = "float", grad = true, saves = "x out",
    samples = { { "f[3,4]", { 2 } }, { "f[3,4]", { 1 }, true }, { "f[2,3,4]", { 1, 3 } }, { "f[4]", { 1 } } },
  }
  composite "softmin" {
    args = "x, dim: axis", doc = "softmax of -x.", samples = SAMPLES,
    lua = function(x, dim) return K.softmax(-x, dim) end,
  }

  -- -- Gradients ----------------------------------------------------------------------------------

  kernel "softmax_dx" {
    args = "g, out, dim: axis", doc = "out (g - sum of g out), the gradient of softmax.",
    shape = "same", grad = false, internal = true,
  }
  kernel "log_softmax_dx" {
    args = "g, out, dim: axis", doc = "g - exp(out) (sum of g), the gradient of log_softmax.",
    shape = "same", grad = false, internal = true,
  }
  pointwise "logsumexp_dx" {
    args = "g, x, total", doc = "g exp(x - total), the gradient of logsumexp.", expr = "g * exp(x - total)",
    d = { g = "exp(x - total)", x = "out", total = "-out" }, internal = true,
  }
end
