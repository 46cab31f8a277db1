--- Op rows: arithmetic and mathematical functions of each element.
return function(op, K)
  local unary, binary, pointwise, composite = op.unary, op.binary, op.pointwise, op.composite

  -- -- Arithmetic -------------------------------------------------------------------------------

  pointwise "add" {
    args = "x, y, alpha: number = 1",
    doc = "x + alpha * y, broadcast.",
    types = "all", expr = "x + alpha * y", d = { x = "1", y = "alpha" },
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" }, { "f[2,1,3]", "f[4,1]", 0.5 } },
  }
  pointwise "sub" {
    args = "x, y, alpha: number = 1",
    doc = "x - alpha * y, broadcast.",
    types = "real", expr = "x - alpha * y", d = { x = "1", y = "-alpha" },
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" }, { "f[2,1,3]", "f[4,1]", 0.5 } },
  }
  binary "mul" { doc = "x * y, broadcast.", types = "all", expr = "x * y", d = { x = "y", y = "x" } }
  binary "div" {
    doc = "x / y, broadcast; integers divide as the default float dtype.",
    types = "float", dtype = "float", expr = "x / y",
    d = { x = "1 / y", y = "-out / y" },
    domain = { 0.5, 2 },
  }
  binary "floor_divide" {
    doc = "x / y rounded down, broadcast; 0 where an integer divisor is 0.", grad = false, domain = { 0.5,
      2 },
  }
  binary "fmod" {
    doc = "Remainder of x / y rounded toward 0; it has the sign of x. 0 where an integer divisor is 0.",
    d = { x = "1", y = "-trunc(x / y)" }, domain = { 0.5, 2 },
  }
  binary "remainder" {
    doc = "Remainder of x / y rounded down; it has the sign of y. 0 where an integer divisor is 0.",
    d = { x = "1", y = "-floor(x / y)" }, domain = { 0.5, 2 },
  }
  binary "pow" {
    doc = "x to the power y, broadcast; a negative power of an integer is 0 unless the integer is 1 or -1.",
    d = {
      x = "where(eq(y, 0), 0, y * pow(x, y - sign(y) * sign(y)))", -- x^0, not x^-1, is what 0 multiplies
      y = "where(eq(x, 0), where(ge(y, 0), 0, out * log(x)), out * log(x))",
    },
    domain = { 0.5, 2 },
  }
  binary "maximum" {
    doc = "The larger of x and y, broadcast; NaN if either is.", types = "all",
    d = { x = "where(lt(x, y), 0, where(eq(x, y), 0.5, 1))", y = "where(lt(y, x), 0, where(eq(x, y), 0.5, 1))" },
  }
  binary "minimum" {
    doc = "The smaller of x and y, broadcast; NaN if either is.", types = "all",
    d = { x = "where(gt(x, y), 0, where(eq(x, y), 0.5, 1))", y = "where(gt(y, x), 0, where(eq(x, y), 0.5, 1))" },
  }
  -- y where `keeps` holds between it and the bound, or it is NaN; else the bound.
  local function bounded(y, bound, keeps)
    if bound == nil then return y end
    return K.where(K.logical_or(K[keeps](y, bound), K.isnan(y)), y, bound)
  end
  pointwise "clamp" {
    args = "x, min: number = -inf, max: number = inf",
    doc = "x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes "
      .. "integers floating.",
    types = "real", d = { x = "where(ge(x, min), where(le(x, max), 1, 0), 0)" }, fractions = true,
    samples = { { "f[3,4]", -0.5, 0.5 }, { "f[3,4]", 0.1 }, { "f[]", -1, 1 }, { "f[3,4]", "f[4]" },
      { "f[3,4]", "f(-2,0)[3,1]", "f(0,2)[4]" }, { "f[3,4]", nil, "f[]" } },
    with_tensors = function(x, min, max) return (bounded(bounded(x, min, "ge"), max, "le")) end,
  }
  local LARGEST = { float32 = (2 - 2 ^ -23) * 2 ^ 127, float64 = (2 - 2 ^ -52) * 2 ^ 1023,
    float16 = 65504, bfloat16 = (2 - 2 ^ -7) * 2 ^ 127 }
  composite "nan_to_num" {
    args = "x, nan: number = 0, posinf: number? = nil, neginf: number? = nil",
    doc = "x with other numbers for NaN, infinity and minus infinity (without: the largest and the smallest "
      .. "that the dtype holds).",
    inplace = true, samples = { { "f[3,4]" }, { "x[15]" }, { "x[15]", 1.5, 3, -2 } },
    lua = function(x, nan, posinf, neginf)
      local largest = LARGEST[x.dtype.name]
      if not largest then return x:clone() end
      local y = K.where(x:isnan(), nan, x)
      y = K.where(x:eq(math.huge), posinf or largest, y)
      return K.where(x:eq(-math.huge), neginf or -largest, y)
    end,
  }
  pointwise "addcmul" {
    args = "x, y, z, value: number = 1",
    doc = "x + value * y * z, broadcast.",
    types = "real", expr = "x + value * y * z", d = { x = "1", y = "value * z", z = "value * y" },
    samples = { { "f[3,4]", "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]", "f[3,1]", 0.5 } },
  }
  pointwise "addcdiv" {
    args = "x, y, z, value: number = 1",
    doc = "x + value * y / z, broadcast.",
    expr = "x + value * y / z", d = { x = "1", y = "value / z", z = "-value * y / (z * z)" },
    samples = { { "f[3,4]", "f[3,4]", "f(0.5,2)[3,4]" }, { "f[3,4]", "f[4]", "f(0.5,2)[3,1]", 0.5 } },
  }
  pointwise "lerp" {
    args = "x, y, weight",
    doc = "From x (weight 0) to y (weight 1) in a straight line, broadcast.",
    expr = "where(lt(weight, 0.5), x + weight * (y - x), y - (y - x) * (1 - weight))",
    d = { x = "1 - weight", y = "weight", weight = "y - x" },
    samples = { { "f[3,4]", "f[3,4]", 0.25 }, { "f[3,4]", "f[4]", "f[3,1]" } },
  }
  unary "neg" { doc = "-x.", types = "real", dtype = "same", expr = "-x", d = "-1" }
  unary "abs" { doc = "Absolute value.", types = "real", d = "sign(x)", dtype = "same" }
  unary "sign" { doc = "-1, 0 or 1; 0 for NaN, as in the reference.", types = "all", dtype = "same",
    d = "0" }
  unary "square" { doc = "x * x.", types = "real", dtype = "same", d = "2 * x" }
  unary "reciprocal" { doc = "1 / x.", expr = "1 / x", d = "-(out * out)", domain = { 0.5, 3 } }
  composite "rsub" {
    args = "x, y: any", doc = "y - x.", samples = { { "f[3,4]", 2 } },
    lua = function(x, y) return K.sub(y, x) end,
  }

  -- -- Rounding: to themselves, for integers -------------------------------------------------------

  unary "floor" { doc = "Rounded down.", types = "real", dtype = "same", d = "0" }
  unary "ceil" { doc = "Rounded up.", types = "real", dtype = "same", d = "0" }
  unary "trunc" { doc = "Rounded toward 0.", types = "real", dtype = "same", d = "0" }
  unary "round" { doc = "To the nearest whole number, halves to the even one.", types = "real",
    dtype = "same", d = "0" }
  unary "frac" { doc = "x without its whole part, x - trunc(x).", types = "real", dtype = "same", d = "1" }

  -- -- Powers and logarithms ------------------------------------------------------------------------

  unary "sqrt" { doc = "Square root.", d = "0.5 / out", domain = { 0.5, 3 } }
  unary "rsqrt" { doc = "1 / sqrt(x).", d = "-0.5 * out / x", domain = { 0.5, 3 } }
  unary "exp" { doc = "e to the power x.", d = "out", domain = { -2, 2 } }
  unary "exp2" { doc = "2 to the power x.", d = "out * 0.69314718055994531", domain = { -2, 2 } }
  unary "expm1" { doc = "exp(x) - 1, exact for small x.", d = "out + 1", domain = { -2, 2 } }
  unary "log" { doc = "Natural logarithm.", d = "1 / x", domain = { 0.5, 3 } }
  unary "log2" { doc = "Logarithm to base 2.", d = "1.4426950408889634 / x", domain = { 0.5, 3 } }
  unary "log10" { doc = "Logarithm to base 10.", d = "0.43429448190325183 / x", domain = { 0.5, 3 } }
  unary "log1p" { doc = "log(1 + x), exact for small x.", d = "1 / (1 + x)", domain = { -0.5, 3 } }
  binary "xlogy" {
    doc = "x * log(y), 0 where x is 0 (unless y is NaN), broadcast.", types = "float", dtype = "float",
    d = { x = "where(eq(x, 0), where(le(y, 0), 0, log(y)), log(y))", y = "x / y" }, domain = { 0.5, 2 },
  }

  -- -- Trigonometry, in radians -----------------------------------------------------------------------

  unary "sin" { doc = "Sine of x in radians.", d = "cos(x)" }
  unary "cos" { doc = "Cosine of x in radians.", d = "-sin(x)" }
  unary "tan" { doc = "Tangent of x in radians.", d = "1 + out * out", domain = { -1, 1 } }
  unary "asin" { doc = "Arc sine, in radians.", d = "1 / sqrt(1 - x * x)", domain = { -0.9, 0.9 } }
  unary "acos" { doc = "Arc cosine, in radians.", d = "-1 / sqrt(1 - x * x)", domain = { -0.9, 0.9 } }
  unary "atan" { doc = "Arc tangent, in radians.", d = "1 / (1 + x * x)" }
  binary "atan2" {
    doc = "Angle of the point (y, x), in radians: arc tangent of the first over the second by their signs.",
    types = "float", dtype = "float",
    d = { -- 0 where there is no angle
      x = "where(eq(x * x + y * y, 0), 0, y / (x * x + y * y))",
      y = "where(eq(x * x + y * y, 0), 0, -x / (x * x + y * y))",
    },
  }
  binary "hypot" {
    doc = "sqrt(x^2 + y^2) without overflow, broadcast.", types = "float", dtype = "float",
    d = { x = "x / out", y = "y / out" }, domain = { 0.5, 2 },
  }
  unary "sinh" { doc = "Hyperbolic sine.", d = "cosh(x)" }
  unary "cosh" { doc = "Hyperbolic cosine.", d = "sinh(x)" }
  unary "tanh" { doc = "Hyperbolic tangent.", d = "1 - out * out" }
  unary "asinh" { doc = "Inverse of sinh.", d = "1 / sqrt(x * x + 1)" }
  unary "acosh" { doc = "Inverse of cosh.", d = "1 / sqrt(x * x - 1)", domain = { 1.5, 4 } }
  unary "atanh" { doc = "Inverse of tanh.", d = "1 / (1 - x * x)", domain = { -0.9, 0.9 } }

  -- -- Special functions -------------------------------------------------------------------------------

  unary "sigmoid" { doc = "1 / (1 + exp(-x)).", d = "out * (1 - out)" }
  unary "logit" {
    doc = "log(x / (1 - x)), the inverse of sigmoid.", expr = "log(x / (1 - x))",
    d = "where(lt(x * (1 - x), 0), sqrt(x * (1 - x)), 1 / (x * (1 - x)))", -- NaN where there is no logit
    domain = { 0.1, 0.9 },
  }
  unary "erf" { doc = "Gauss error function.", d = "1.1283791670955126 * exp(-(x * x))" }
  unary "erfc" { doc = "1 - erf(x), exact for large x.", d = "-1.1283791670955126 * exp(-(x * x))" }
  unary "erfinv" { doc = "Inverse of erf.", d = "0.88622692545275801 * exp(out * out)", domain = { -0.9,
    0.9 } }
  unary "lgamma" { doc = "Logarithm of the absolute value of the gamma function.", d = "digamma(x)",
    domain = { 0.5, 4 } }
  unary "digamma" { doc = "Derivative of lgamma.", d = "polygamma_of(x, 1)", domain = { 0.5, 4 } }
  binary "polygamma_of" {
    args = "x, order", doc = "Derivative of digamma of the given whole order, which may be a tensor.",
    types = "float", dtype = "float", d = { x = "polygamma_of(x, order + 1)" },
    samples = { { "f(0.5,4)[3,4]", 1 }, { "f(0.5,4)[3,4]", 2 }, { "f(0.5,4)[3]", 0 } },
  }
  composite "polygamma" {
    args = "n: any, x: any",
    doc = "Derivative of digamma of order n at x; x may come first.",
    samples = { { 1, "f(0.5,4)[3,4]" }, { "f(0.5,4)[3,4]", 2 } },
    lua = function(n, x)
      if type(n) ~= "number" then n, x = x, n end
      return K.polygamma_of(x, n)
    end,
  }
end
