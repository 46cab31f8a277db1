--- Op rows: reductions over dims.
return function(op, K)
  local reduce, kernel, composite = op.reduce, op.kernel, op.composite
  local ALONG = { { "f[3,4]", 2 }, { "f[3,4]", 1, true }, { "f[2,3,4]", -2 }, { "f[4]", 1 } }
  local ARG = { { "f[3,4]" }, { "f[3,4]", 2 }, { "f[3,4]", 1, true }, { "f[2,3,4]", -2 } }
  local VAR = { { "f[3,4]" }, { "f[3,4]", { 1 } }, { "f[2,3,4]", { 1, 3 }, false }, { "f[3,4]", { 2 }, true, true } }

  local function samples(...)
    return { { "f[3,4]" }, { "f[3,4]", { 1 } }, { "f[2,3,4]", { 1, 3 } }, { "f[2,3,4]", { -2 }, true }, { "f[]" }, ... }
  end
  local CAST = " The option `dtype` says what x is cast to first."

  reduce "sum" {
    doc = "Sum over dims (all without); integers sum as int64." .. CAST, dtype = "sum", grad = true,
    with = { dtype = op.with_dtype },
    samples = samples({ "f(-9,9)[3,4]", dtype = "int16" }, { "f(-9,9)[3,4]", { 1 }, dtype = "int64" }),
  }
  reduce "mean" {
    doc = "Mean over dims (all without)." .. CAST, dtype = "float", grad = true, with = { dtype = op.with_float_dtype },
    samples = samples({ "i(-9,9)[3,4]", dtype = "float64" }),
  }
  reduce "prod" {
    doc = "Product over dims (all without); integers multiply as int64." .. CAST, dtype = "sum", grad = true,
    saves = "x out", with = { dtype = op.with_dtype }, samples = samples({ "f(1,4)[3,4]", { 1 }, dtype = "int64" }),
  }
  reduce "amax" {
    doc = "Largest element over dims (all without); NaN if there is one. Equal ones, and NaNs, share the gradient.",
    shape = "extreme", grad = true, saves = "x out",
  }
  reduce "amin" {
    doc = "Smallest element over dims (all without); NaN if there is one. Equal ones, and NaNs, share the gradient.",
    shape = "extreme", grad = true, saves = "x out",
  }
  reduce "all" { doc = "Whether all elements over dims (all without) differ from 0.", dtype = "bool", grad = false }
  reduce "any" { doc = "Whether any element over dims (all without) differs from 0.", dtype = "bool", grad = false }
  reduce "count_nonzero" {
    doc = "How many elements over dims (all without) differ from 0.", dtype = "index", grad = false,
  }
  kernel "norm" { also = "vector_norm",
    args = "x, p: number = 2, dims: axes = {}, keepdim: bool = false",
    doc = "(sum of |x|^p)^(1/p) over dims (all without); the largest |x| for p = inf, the smallest for -inf, "
      .. "how many differ from 0 for p = 0. p may be 'fro', which is 2, or 'nuc': the sum of the singular values of "
      .. "matrices.",
    shape = "reduce", dtype = "float", grad = true, saves = "x out",
    with = {
      dtype = op.with_float_dtype,
      p = function(name, call, p, x, _, dims, keepdim)
        if p == "fro" then return call(x, 2, dims, keepdim) end
        if p ~= "nuc" then op.raise(name, "p must be a number, 'fro' or 'nuc', got '%s'", p) end
        return K.matrix_norm(x, p, dims, keepdim)
      end,
    },
    samples = { { "f[3,4]" }, { "f[3,4]", 1, { 1 } }, { "f[2,3,4]", 3, { 1, 3 }, true }, { "f[3,4]", math.huge, { 2 } },
      { "f[]" } },
  }
  kernel "var" {
    args = "x, dims: axes = {}, unbiased: bool = true, keepdim: bool = false, correction: number? = nil",
    doc = "Variance over dims (all without): squared distances to the mean over n - 1, over n if not unbiased, "
      .. "over n - correction, which may be a fraction, if that is given.",
    shape = "var", dtype = "float", grad = true, saves = "x", samples = VAR,
  }
  kernel "std" {
    args = "x, dims: axes = {}, unbiased: bool = true, keepdim: bool = false, correction: number? = nil",
    doc = "Square root of var.", shape = "var", dtype = "float", grad = true, saves = "x out", samples = VAR,
  }
  kernel "argmax" {
    args = "x, dim: axis? = nil, keepdim: bool = false",
    doc = "Position (from 1) of the largest element along dim, of equal ones or NaNs the first; without dim, in x "
      .. "read row by row.",
    shape = "extreme_along", dtype = "index", grad = false, samples = ARG,
  }
  kernel "argmin" {
    args = "x, dim: axis? = nil, keepdim: bool = false",
    doc = "Position (from 1) of the smallest element along dim, of equal ones or NaNs the first; without dim, in x "
      .. "read row by row.",
    shape = "extreme_along", dtype = "index", grad = false, samples = ARG,
  }
  kernel "max_along" {
    args = "x, dim: axis, keepdim: bool = false", doc = "Largest element along dim, and its position (from 1).",
    shape = "extreme_along", dtype = "values_index", outs = 2, diff_outs = "1", grad = true, saves = { x = "out2" },
    samples = ALONG,
  }
  kernel "min_along" {
    args = "x, dim: axis, keepdim: bool = false", doc = "Smallest element along dim, and its position (from 1).",
    shape = "extreme_along", dtype = "values_index", outs = 2, diff_outs = "1", grad = true, saves = { x = "out2" },
    samples = ALONG,
  }
  kernel "sum_to" {
    args = "x, size: shape", doc = "Sums x down to the shape size, the inverse of a broadcast.",
    shape = "sum_to", grad = true, internal = true,
  }

  -- -- By other names -----------------------------------------------------------------------------

  local function extreme(name, all, along, pair)
    composite(name) {
      args = "x, dim: any? = nil, keepdim: bool = false",
      doc = ("The %s element of x; with a dim, the one along it and its position (from 1); with a tensor or a "
        .. "fraction, the %s of each pair."):format(name == "max" and "largest" or "smallest",
        name == "max" and "larger" or "smaller"),
      samples = { { "f[3,4]" }, { "f[3,4]", 2 }, { "f[3,4]", 1, true }, { "f[3,4]", "f[4]" } },
      lua = function(x, dim, keepdim)
        if dim == nil then return K[all](x) end
        if type(dim) == "number" and dim % 1 == 0 then return K[along](x, dim, keepdim) end
        return K[pair](x, dim)
      end,
    }
  end
  extreme("max", "amax", "max_along", "maximum")
  extreme("min", "amin", "min_along", "minimum")

  composite "aminmax" {
    args = "x, dim: axis? = nil, keepdim: bool = false",
    doc = "amin and amax of x, along dim or of all elements.",
    samples = { { "f[3,4]" }, { "f[3,4]", 2 }, { "f[3,4]", 1, true } },
    lua = function(x, dim, keepdim)
      local dims = dim and { dim } or {}
      return K.amin(x, dims, keepdim), K.amax(x, dims, keepdim)
    end,
  }
  composite "dist" {
    args = "x, y, p: number = 2", doc = "norm(x - y, p).",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]", 1 } },
    lua = function(x, y, p) return K.norm(x - y, p) end,
  }
  composite "renorm" {
    args = "x, p: number, dim: axis, maxnorm: number",
    doc = "x with each slice along dim scaled down to p-norm maxnorm where its norm is larger.",
    samples = { { "f[3,4]", 2, 1, 1 }, { "f[2,3,4]", 1, 2, 0.5 } }, inplace = true,
    lua = op.in_float32(function(x, p, dim, maxnorm)
      local others = {}
      dim = require("kiln.check").axis("renorm", "dim", x, dim)
      op.above(p, "renorm", "p", 0)
      op.at_least(maxnorm, "renorm", "maxnorm", 0)
      for d = 1, x:dim() do
        if d ~= dim then others[#others + 1] = d end
      end
      x = K.clone(x) -- the gradient needs it as it was, also after renorm_
      local norms = #others > 0 and K.norm(x, p, others, true) or K.abs(x)
      return x * K.where(K.gt(norms, maxnorm), maxnorm / (norms + 1e-7), K.ones_like(norms))
    end),
  }
end
