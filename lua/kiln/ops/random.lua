--- Op rows: random numbers (Philox, the same on every device and with any number of threads).
-- Rows with `writes` fill an existing tensor: x:uniform_().  Positions count from 1: randperm and
-- multinomial give 1..n.
return function(op, K)
  local kernel, composite = op.kernel, op.composite

  -- -- Filling a tensor -------------------------------------------------------------------------

  kernel "uniform" {
    args = "x, from: number = 0, to: number = 1",
    doc = "Fills x with numbers uniform in [from, to); the upper bound never comes.",
    shape = "uniform", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]" }, { "f[]", -2, 3 } },
  }
  kernel "normal" {
    args = "x, mean: number = 0, std: number = 1", doc = "Fills x with normal numbers.",
    shape = "normal", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]" }, { "f[5]", 2, 0.5 } },
  }
  kernel "log_normal" {
    args = "x, mean: number = 1, std: number = 2",
    doc = "Fills x with exp(n), n normal with this mean and standard deviation.",
    shape = "normal", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]" } },
  }
  kernel "exponential" {
    args = "x, lambd: number = 1", doc = "Fills x with exponential numbers of rate lambd; never 0.",
    shape = "exponential", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]" } },
  }
  kernel "geometric" {
    args = "x, p: number",
    doc = "Fills x with the number of trials up to the first success, each of probability p; the largest number "
      .. "of an integer dtype where there are more.",
    shape = "geometric", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]", 0.25 } },
  }
  kernel "cauchy" {
    args = "x, median: number = 0, sigma: number = 1", doc = "Fills x with Cauchy numbers.",
    shape = "cauchy", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]" } },
  }
  kernel "random_range" {
    args = "x, from: int, to: int", doc = "Fills x with whole numbers of from..to - 1.",
    shape = "random_range", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]", 0, 10 } },
  }
  kernel "bernoulli_fill" {
    args = "x, p: raw", doc = "Fills x with 1 where a coin of probability p (broadcast) falls so, else 0.",
    shape = "bernoulli", grad = false, random = true, writes = true, overwrites = true,
    samples = { { "f[3,4]", 0.5 }, { "f[3,4]", "f(0,1)[4]" } },
  }

  composite "bernoulli_" {
    args = "x, p: any", doc = "Fills x with coins of probability p, a number (0.5 without) or a tensor.",
    samples = { { "f[3,4]", 0.5 } }, random = true,
    lua = function(x, p)
      if p == nil then p = 0.5 end
      return x:bernoulli_fill_(p)
    end,
  }
  composite "bernoulli" {
    args = "x, p: any",
    doc = "Coins shaped like x: of the probabilities in x, or all of probability p.",
    samples = { { "f(0,1)[3,4]" }, { "f[3,4]", 0.5 } }, random = true,
    lua = function(x, p)
      if p == nil then p = x:detach() end
      return K.empty_like(x):bernoulli_fill_(p)
    end,
  }

  -- Everything an integer dtype holds; for floating ones the whole numbers they hold exactly.
  local LIMIT = { float32 = 2 ^ 24, float64 = 2 ^ 53 - 1, float16 = 2 ^ 11, bfloat16 = 2 ^ 8,
    int8 = 2 ^ 7, uint8 = 2 ^ 8, int16 = 2 ^ 15, int32 = 2 ^ 31, int64 = 2 ^ 53 - 1, bool = 2 }
  composite "random_" {
    args = "x, from: int? = nil, to: int? = nil",
    doc = "Fills x with whole numbers: random_() of 0 and up as far as the dtype is exact (int64: 2^53), "
      .. "random_(to) of 0..to - 1, random_(from, to) of from..to - 1.",
    samples = { { "f[3,4]" }, { "f[3,4]", 6 }, { "f[3,4]", -3, 3 } }, random = true,
    lua = function(x, from, to)
      if to == nil then from, to = 0, from or LIMIT[x.dtype.name] end
      return x:random_range_(from, to)
    end,
  }

  -- -- New tensors --------------------------------------------------------------------------------

  kernel "randperm" {
    args = "n: int, dtype: dtype = int64, device: device = 0", doc = "The numbers 1..n in random order.",
    shape = "randperm", dtype = "arg", grad = false, random = true, samples = { { 10 }, { 0 } },
  }
  kernel "multinomial" {
    args = "x, n: int, replacement: bool = false",
    doc = "n positions (from 1) drawn for each row of x by its weights, which need not sum to 1; a weight "
      .. "of 0 is never drawn.",
    shape = "multinomial", dtype = "index", grad = false, random = true,
    samples = { { "f(0.1,1)[5]", 3 }, { "f(0.1,1)[2,4]", 6, true } },
  }
  kernel "poisson" {
    args = "x", doc = "Poisson numbers with the rates in x.", shape = "same", dtype = "float",
    grad = false, random = true, samples = { { "f(0,20)[3,4]" } },
  }
  kernel "standard_gamma" {
    args = "alpha", doc = "Gamma numbers with the shapes in alpha and rate 1; differentiable in alpha.",
    shape = "same", dtype = "float", grad = true, saves = "alpha out", random = true,
    samples = { { "f(0.5,3)[3,4]" } },
  }
  kernel "standard_gamma_grad" {
    args = "alpha, sample",
    doc = "d sample / d alpha of a gamma draw whose place in the distribution is held.",
    shape = "standard_gamma_grad", dtype = "float", grad = false, internal = true,
  }

  -- -- Dropout ------------------------------------------------------------------------------------

  kernel "dropout" {
    args = "x, p: number = 0.5",
    doc = "x with elements set to 0 with probability p and the others divided by 1 - p; and the mask of "
      .. "those kept.",
    shape = "dropout", dtype = "float", outs = 2, diff_outs = "1", grad = true, saves = "out2",
    random = true, samples = { { "f[3,4]", 0.25 }, { "f[]", 0.5 } },
  }
  kernel "mask_scale" {
    args = "x, mask: mask, scale: number", doc = "x * scale where mask is true, else 0.",
    shape = "mask_scale", grad = true, saves = "mask", internal = true,
  }
end
