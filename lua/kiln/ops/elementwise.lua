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
    types = "real", expr = "x - alpha * y", d = { x = "1", y = "-alpha" }, also = "subtract",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" }, { "f[2,1,3]", "f[4,1]", 0.5 } },
  }
  binary "mul" {
    doc = "x * y, broadcast.", types = "all", expr = "x * y", d = { x = "y", y = "x" }, also = "multiply", exact = true,
  }
  local ROUNDED = { floor = "floor_divide", trunc = "trunc_divide" }
  binary "div" {
    doc = "x / y, broadcast; integers divide as the default float dtype. The option `rounding_mode` rounds the "
      .. "quotient: 'floor' (as floor_divide) or 'trunc' (toward 0), and integers stay what they are.",
    types = "float", dtype = "float", expr = "x / y", exact = true,
    d = { x = "1 / y", y = "-out / y" },
    domain = { 0.5, 2 }, also = "divide true_divide",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" }, { "f[2,1,3]", "f[4,1]" },
      { "f(-9,9)[3,4]", "f[4]", rounding_mode = "floor" }, { "f(-9,9)[3,4]", "f[4]", rounding_mode = "trunc" } },
    with = { rounding_mode = function(name, _, mode, x, y)
      local rounded = ROUNDED[mode]
      if not rounded then
        op.raise(name, "rounding_mode must be 'floor' or 'trunc', got %s", require("kiln.check").got(mode))
      end
      return K[rounded](x, y)
    end },
  }
  binary "floor_divide" {
    doc = "x / y rounded down, broadcast; 0 where an integer divisor is 0.", d = { x = "0", y = "0" },
    domain = { 0.5, 2 }, exact = true,
  }
  binary "trunc_divide" {
    doc = "x / y rounded toward 0, broadcast; 0 where an integer divisor is 0.", d = { x = "0", y = "0" },
    domain = { 0.5, 2 }, exact = true, samples = { { "f(-9,9)[3,4]", "f[4]" }, { "i(-9,9)[3,4]", "i(1,4)[4]" } },
  }
  binary "fmod" {
    doc = "Remainder of x / y rounded toward 0; it has the sign of x. 0 where an integer divisor is 0.",
    d = { x = "1", y = "-trunc(x / y)" }, domain = { 0.5, 2 },
  }
  binary "remainder" {
    doc = "Remainder of x / y rounded down; it has the sign of y. 0 where an integer divisor is 0.",
    d = { x = "1", y = "-floor_divide(x, y)" }, domain = { 0.5, 2 },
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
  pointwise "clamp" { also = "clip",
    args = "x, min: number = -inf, max: number = inf",
    doc = "x, but not below min and not above max, which may also be tensors (broadcast). A fraction makes "
      .. "integers floating; a bound that is infinite is none. bool counts as int64.",
    types = "real", dtype = "number", fractions = true,
    -- 0 at a bound, as the reference; a bound that is infinite is none.
    d = { x = "where(isinf(x), where(ge(x, min), where(le(x, max), 1, 0), 0), "
      .. "where(gt(x, min), where(lt(x, max), 1, 0), 0))" },
    samples = { { "f[3,4]", -0.5, 0.5 }, { "f[3,4]", 0.1 }, { "f[]", -1, 1 }, { "f[3,4]", "f[4]" },
      { "f[3,4]", "f(-2,0)[3,1]", "f(0,2)[4]" }, { "f[3,4]", nil, "f[]" } },
    with_tensors = function(x, min, max)
      if min ~= nil then x = K.maximum(x, min) end
      return max ~= nil and K.minimum(x, max) or x
    end,
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
  for _, bound in ipairs { "min", "max" } do
    composite("clamp_" .. bound) {
      args = "x, " .. bound .. ": any",
      doc = ("clamp by %s alone."):format(bound), inplace = true, samples = { { "f[3,4]", 0.5 }, { "f[3,4]", "f[4]" } },
      lua = function(x, value) return K.clamp(x, { [bound] = value }) end,
    }
  end
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
    expr = "where(lt(weight, 0.5), x + weight * (y - x), y - (y - x) * (1 - weight))", exact = true,
    d = { x = "1 - weight", y = "weight", weight = "y - x" },
    samples = { { "f[3,4]", "f[3,4]", 0.25 }, { "f[3,4]", "f[4]", "f[3,1]" } },
  }
  unary "neg" { also = "negative", doc = "-x.", types = "real", dtype = "same", expr = "-x", d = "-1" }
  unary "abs" { also = "absolute", doc = "Absolute value.", types = "real", d = "sign(x)", dtype = "same" }
  unary "sign" { also = "sgn", doc = "-1, 0 or 1; 0 for NaN, as in the reference.", types = "all", dtype = "same",
    d = "0" }
  unary "square" { doc = "x * x.", types = "real", dtype = "number", d = "2 * x" }
  unary "reciprocal" { doc = "1 / x.", expr = "1 / x", d = "-(out * out)", domain = { 0.5, 3 } }
  composite "rsub" {
    args = "x, y: any", doc = "y - x.", samples = { { "f[3,4]", 2 } },
    lua = function(x, y) return K.sub(y, x) end,
  }

  binary "fmax" {
    doc = "The larger of x and y, broadcast; NaN only if both are.", types = "all",
    d = {
      x = "where(eq(x, y), 0.5, where(ge(x, y), 1, where(isnan(y), 1, 0)))",
      y = "where(eq(x, y), 0.5, where(ge(x, y), 0, where(isnan(y), 0, 1)))",
    },
  }
  binary "fmin" {
    doc = "The smaller of x and y, broadcast; NaN only if both are.", types = "all",
    d = {
      x = "where(eq(x, y), 0.5, where(le(x, y), 1, where(isnan(y), 1, 0)))",
      y = "where(eq(x, y), 0.5, where(le(x, y), 0, where(isnan(y), 0, 1)))",
    },
  }
  binary "heaviside" {
    args = "x, values", doc = "0 where x is below 0, 1 where it is above, values (broadcast) where it is 0.",
    types = "all", grad = false, samples = { { "f[3,4]", "f[4]" }, { "i(-1,1)[3,4]", "i(2,5)[4]" } },
  }
  binary "copysign" {
    args = "x, y", doc = "x with the sign of y, broadcast.", types = "float", dtype = "float",
    d = { x = "where(eq(x, 0), 0, out / where(eq(x, 0), 1, x))", y = "0" },
  }
  binary "next_toward" {
    args = "x, y", doc = "nextafter.", types = "float", dtype = "float", grad = false, internal = true,
  }
  -- Bits behind the point, the power of 2 of the least number, and the largest number.
  local HALF = { float16 = { 10, -24, 65504 }, bfloat16 = { 7, -133, (2 - 2 ^ -7) * 2 ^ 127 } }
  -- For halves, which are computed in float32: one unit in the last place further.
  local function next_half(x, y, bits, least, largest)
    local way = K.sign(y - x)
    local inward = K.lt(way * K.sign(x), 0)
    local mantissa, exponent = K.frexp(x:abs())
    local unit = K.pow(2, exponent:float() - 1 - bits - K.logical_and(inward, mantissa:eq(0.5)):float())
    local beyond = K.logical_and(x:isinf(), inward)
    unit = K.where(x:eq(0), 2 ^ least, unit:clamp(2 ^ least))
    local z = K.where(beyond, K.sign(x) * largest, x + way * unit)
    return K.where(K.logical_or(x:eq(y), y:isnan()), y, z)
  end
  composite "nextafter" {
    args = "x, y", doc = "The next number of the dtype from x towards y, broadcast.",
    grad = false, inplace = true, samples = { { "f[3,4]", "f[4]" } },
    lua = function(x, y)
      local dtype = K.result_type(x, y)
      local half = HALF[dtype.name]
      if not half then return K.next_toward(x, y) end
      for i, v in ipairs { x, y } do
        if v.requires_grad and require("kiln.modes").is_grad_enabled() then
          op.raise("nextafter", "has no gradient, and %s requires grad; detach it first", i == 1 and "x" or "y")
        end
      end
      x, y = x:detach():to(dtype):float(), y:detach():to(dtype):float()
      return next_half(x, y, unpack(half)):to(dtype)
    end,
  }
  composite "ldexp" {
    args = "x, y", doc = "x * 2^y, broadcast, also where 2^y alone is no number of the dtype.", inplace = true,
    samples = { { "f[3,4]", "i(-3,3)[4]" }, { "f[3,4]", "f[4]" } },
    lua = function(x, y)
      local dtype = K.result_type(x, y)
      if not dtype.is_floating_point then dtype = K.get_default_dtype() end
      local most = dtype == K.float64 and 2200 or dtype == K.float16 and 42 or 300 -- exponents apart, and more
      local is_whole = not y.dtype.is_floating_point
      y = y:to(dtype)
      local held = y:detach():clamp(-most, most)
      local third = (held / 3):trunc()
      local power = K.pow(2, third)
      if is_whole then y = held end -- 0 * 2^y is 0; with a y that may have a fraction it is NaN, as 0 * infinity
      return x * power * power * K.pow(2, y - 2 * third)
    end,
  }
  unary "mantissa" {
    doc = "x / 2^exponent, from 0.5 to below 1 in size.", internal = true,
    d = "where(eq(x - x, 0), where(eq(x, 0), 1, out / x), 1)",
  }
  unary "exponent" { doc = "The power of 2 that belongs to mantissa.", grad = false, internal = true }
  composite "frexp" {
    args = "x",
    doc = "Mantissas, whose absolute values are from 0.5 to below 1, and exponents (int32): x = mantissa * 2^exponent.",
    samples = { { "f[3,4]" }, { "f(-1e6,1e6)[3]" } },
    lua = function(x) return K.mantissa(x), K.exponent(x:detach()):to(K.int32) end,
  }
  composite "float_power" {
    args = "x, y", doc = "x to the power y in float64, broadcast.", domain = { 0.5, 2 }, inplace = true,
    samples = { { "f[3,4]", "f[4]" }, { "f[3,4]", 2 } },
    lua = function(x, y) return K.pow(x:double(), K.is_tensor(y) and y:double() or y) end,
  }
  composite "angle" {
    args = "x", doc = "The angle of each number: pi below 0, else 0; NaN of NaN.", samples = { { "f[3,4]" }, { "x[15]" } },
    lua = function(x)
      if not x.dtype.is_floating_point then x = x:to(K.get_default_dtype()) end
      return K.where(x:isnan(), x:detach(), x:sign():clamp(-1, 0):abs() * math.pi)
    end,
  }
  composite "positive" { args = "x", doc = "x itself.", samples = { { "f[3,4]" } }, lua = function(x) return x end }

  -- -- Bits of integers ------------------------------------------------------------------------------

  local PAIRS = { { "i(-9,9)[3,4]", "i(-9,9)[3,4]" }, { "i(-9,9)[3,4]", "i(-9,9)[4]" } }
  local BITS = { PAIRS[1], PAIRS[2], { "i(-9,9)[3,4]", 5 } }
  binary "bitwise_and" { doc = "Bits that x and y both have.", types = "whole", grad = false, samples = BITS }
  binary "bitwise_or" { doc = "Bits that x or y have.", types = "whole", grad = false, samples = BITS }
  binary "bitwise_xor" { doc = "Bits that one of x and y has.", types = "whole", grad = false, samples = BITS }
  unary "bitwise_not" { doc = "The bits that x has not.", types = "whole", grad = false, samples = { { "i(-9,9)[3,4]" } } }
  local SHIFT = { { "i(-99,99)[3,4]", "i(0,9)[3,4]" }, { "i(-99,99)[3,4]", "i(-2,70)[4]" }, { "i(-99,99)[3,4]", 2 } }
  binary "bitwise_left_shift" { doc = "x * 2^y of integers, by bits.", types = "int", grad = false, samples = SHIFT }
  binary "bitwise_right_shift" {
    doc = "x / 2^y of integers rounded down, by bits.", types = "int", grad = false, samples = SHIFT,
  }
  binary "gcd" { doc = "The greatest common divisor of integers.", types = "int", grad = false, samples = PAIRS }
  binary "lcm" { doc = "The least common multiple of integers.", types = "int", grad = false, samples = PAIRS }

  -- -- Rounding: to themselves, for integers -------------------------------------------------------

  unary "floor" { doc = "Rounded down.", types = "real", dtype = "same", d = "0" }
  unary "ceil" { doc = "Rounded up.", types = "real", dtype = "same", d = "0" }
  unary "trunc" { also = "fix", doc = "Rounded toward 0.", types = "real", dtype = "same", d = "0" }
  unary "round" {
    doc = "To the nearest whole number, halves to the even one. The option `decimals` keeps so many digits behind "
      .. "the point; negative ones drop digits before it.",
    types = "real", dtype = "same", d = "0",
    with = { decimals = function(name, call, decimals, x)
      local scale = 10 ^ math.abs(require("kiln.check").int(decimals, name, "decimals"))
      if not x.dtype.is_floating_point then
        op.raise(name, "decimals is for floating dtypes, x is %s", x.dtype.name)
      end
      return decimals < 0 and call(x / scale) * scale or call(x * scale) / scale
    end },
  }
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
    doc = "x * log(y), 0 where x is 0 (unless y is NaN), broadcast.", types = "float", dtype = "float", exact = true,
    d = { x = "where(eq(x, 0), where(le(y, 0), 0, log(y)), log(y))", y = "x / y" }, domain = { 0.5, 2 },
  }

  -- -- Trigonometry, in radians -----------------------------------------------------------------------

  unary "deg2rad" {
    doc = "Degrees as radians.", expr = "x * 0.017453292519943295", d = "0.017453292519943295",
  }
  unary "rad2deg" { doc = "Radians as degrees.", expr = "x * 57.295779513082323", d = "57.295779513082323" }
  unary "sin" { doc = "Sine of x in radians.", d = "cos(x)" }
  unary "cos" { doc = "Cosine of x in radians.", d = "-sin(x)" }
  unary "tan" { doc = "Tangent of x in radians.", d = "1 + out * out", domain = { -1, 1 } }
  unary "asin" { also = "arcsin", doc = "Arc sine, in radians.", d = "1 / sqrt(1 - x * x)", domain = { -0.9, 0.9 } }
  unary "acos" { also = "arccos", doc = "Arc cosine, in radians.", d = "-1 / sqrt(1 - x * x)", domain = { -0.9, 0.9 } }
  unary "atan" { also = "arctan", doc = "Arc tangent, in radians.", d = "1 / (1 + x * x)" }
  binary "atan2" { also = "arctan2",
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
  unary "asinh" { also = "arcsinh", doc = "Inverse of sinh.", d = "1 / sqrt(x * x + 1)" }
  unary "acosh" { also = "arccosh", doc = "Inverse of cosh.", d = "1 / sqrt(x * x - 1)", domain = { 1.5, 4 } }
  unary "atanh" { also = "arctanh", doc = "Inverse of tanh.", d = "1 / (1 - x * x)", domain = { -0.9, 0.9 } }

  -- -- Special functions -------------------------------------------------------------------------------

  binary "logaddexp" {
    doc = "log(exp(x) + exp(y)) without overflow, broadcast.", types = "float", dtype = "float",
    d = { x = "sigmoid(x - y)", y = "sigmoid(y - x)" },
  }
  binary "logaddexp2" {
    doc = "log2(2^x + 2^y) without overflow, broadcast.", types = "float", dtype = "float",
    d = { x = "1 / (1 + exp2(y - x))", y = "1 / (1 + exp2(x - y))" },
  }
  binary "xlog1py" {
    doc = "x * log(1 + y), 0 where x is 0 (unless y is NaN), broadcast.", types = "float", dtype = "float",
    d = { x = "where(eq(x, 0), where(le(y, -1), 0, log1p(y)), log1p(y))", y = "x / (1 + y)" }, domain = { 0.5, 2 },
  }
  unary "sinc" { doc = "sin(pi x) / (pi x), 1 at 0.", d = "sinc_slope(x)" }
  unary "sinc_slope" {
    doc = "Derivative of sinc.", internal = true,
    d = "where(eq(x, 0), -3.2898681336964529, -9.8696044010893586 * sinc(x) - 2 * sinc_slope(x) / x)",
  }
  unary "i0" { also = "modified_bessel_i0", doc = "The modified Bessel function of the first kind of order 0.", d = "i1(x)" }
  unary "i1" {
    also = "modified_bessel_i1", doc = "The modified Bessel function of the first kind of order 1.",
    d = "i0(x) - i1_by_x(x)",
  }
  unary "i0e" { doc = "exp(-|x|) * i0(x), without overflow.", d = "i1e(x) - sign(x) * out" }
  unary "i1e" {
    doc = "exp(-|x|) * i1(x), without overflow.",
    d = "where(eq(x, 0), 0.5, i0e(x) - out * (sign(x) + 1 / where(eq(x, 0), 1, x)))",
  }
  unary "i1_by_x" {
    doc = "i1(x) / x.", internal = true, d = "where(eq(x, 0), 0, (i0(x) - 2 * out) / x)",
  }
  unary "ndtr" {
    doc = "The normal distribution function, 0.5 (1 + erf(x / sqrt 2)).", expr = "0.5 * erfc(x * -0.70710678118654752)",
    d = "0.39894228040143268 * exp(-0.5 * x * x)",
  }
  unary "log_ndtr" {
    doc = "log(ndtr(x)), also where ndtr is too small for a number.",
    d = "0.79788456080286536 / erfcx(x * -0.70710678118654752)",
  }
  unary "ndtri" { doc = "Inverse of ndtr.", d = "2.5066282746310005 * exp(0.5 * out * out)", domain = { 0.01, 0.99 } }
  unary "entr" {
    doc = "-x log(x), the entropy of x: 0 at 0, minus infinity below.",
    expr = "where(gt(x, 0), -x * log(x), where(lt(x, 0), log(0 * sign(x)), x))", d = "-log(x) - 1", domain = { 0.1, 2 },
  }

  unary "sigmoid" { also = "expit", doc = "1 / (1 + exp(-x)).", d = "out * (1 - out)" }
  unary "logit" {
    args = "x, eps: number? = nil", doc = "log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps.",
    samples = { { "f(0.1,0.9)[3,4]" }, { "f(0,1)[3,4]", 0.2 } },
    d = "where(lt(x, eps), 0, where(gt(x, 1 - eps), 0, "
      .. "where(lt(x * (1 - x), 0), sqrt(x * (1 - x)), 1 / (x * (1 - x)))))", -- NaN where there is no logit
    domain = { 0.1, 0.9 },
  }
  unary "erf" { doc = "Gauss error function.", d = "1.1283791670955126 * exp(-(x * x))" }
  unary "erfc" { doc = "1 - erf(x), exact for large x.", d = "-1.1283791670955126 * exp(-(x * x))" }
  unary "erfcx" { doc = "exp(x^2) * erfc(x), without overflow for large x.", d = "2 * x * out - 1.1283791670955126" }
  unary "erfinv" { doc = "Inverse of erf.", d = "0.88622692545275801 * exp(out * out)", domain = { -0.9,
    0.9 } }
  unary "lgamma" { also = "gammaln", doc = "Logarithm of the absolute value of the gamma function.", d = "digamma(x)",
    domain = { 0.5, 4 } }
  unary "digamma" { also = "psi", doc = "Derivative of lgamma.", d = "polygamma_of(x, 1)", domain = { 0.5, 4 } }
  binary "polygamma_of" {
    args = "x, order", doc = "Derivative of digamma of the given whole order, which may be a tensor.",
    types = "float", dtype = "float", d = { x = "polygamma_of(x, order + 1)" },
    samples = { { "f(0.5,4)[3,4]", 1 }, { "f(0.5,4)[3,4]", 2 }, { "f(0.5,4)[3]", 0 } },
  }
  composite "polygamma" {
    args = "x, n: any", inplace = true,
    doc = "Derivative of digamma of order n at x; as a function n may come first.",
    samples = { { "f(0.5,4)[3,4]", 1 }, { "f(0.5,4)[3,4]", 2 } },
    lua = function(x, n)
      if K.is_tensor(n) then x, n = n, x:item() end
      if type(n) ~= "number" or n < 0 or n % 1 ~= 0 then
        op.raise("polygamma", "n must be a whole number from 0, got %s", require("kiln.check").got(n))
      end
      return K.polygamma_of(x, n)
    end,
  }
  composite "mvlgamma" {
    also = "multigammaln", args = "x, p: int", inplace = true, domain = { 1.5, 4 },
    doc = "Logarithm of the multivariate gamma function of p dims, for x above (p - 1) / 2.",
    samples = { { "f[3,4]", 1 }, { "f[3,4]", 3 } },
    lua = function(x, p)
      if p < 1 then op.raise("mvlgamma", "p must be at least 1, got %d", p) end
      local dtype = x.dtype.is_floating_point and x.dtype or K.get_default_dtype()
      local shape = {}
      for d = 1, x:dim() do shape[d] = x:size(d) end
      shape[#shape + 1] = p
      if #shape > 8 then op.raise("mvlgamma", "x must have at most 7 dims, its shape is %s", tostring(x.shape)) end
      require("kiln.check").room("mvlgamma", "p", shape, x)
      local halves = K.arange(0, p, { dtype = dtype == K.float64 and dtype or K.float32, device = x.device }) / 2
      local y = K.lgamma(x:unsqueeze(-1) - halves):sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
      return y.dtype == dtype and y or y:to(dtype)
    end,
  }
  local SHARE = "The share of the gamma function of a that is %s x, broadcast; NaN where a or x is negative. The "
    .. "gradient of a is not defined."
  binary "igamma" {
    also = "gammainc", args = "a, x", doc = SHARE:format "below", types = "float", dtype = "float", domain = { 0.2, 4 },
    special = false, -- the reference has 9 digits where x is near a large a, and a number for x = NaN
    d = { x = "exp((a - 1) * log(x) - x - lgamma(a))" },
  }
  binary "igammac" {
    also = "gammaincc", args = "a, x", doc = SHARE:format "above", types = "float", dtype = "float", domain = { 0.2, 4 },
    special = false,
    d = { x = "-exp((a - 1) * log(x) - x - lgamma(a))" },
  }
  pointwise "betainc" {
    args = "a, b, x",
    doc = "The share of the beta function of a and b that is below x in [0, 1], broadcast; NaN where a or b is not above "
      .. "0. The gradients of a and b are not defined.",
    types = "float", dtype = "float", domain = { 0.2, 4 }, torch = false,
    d = { x = "exp((a - 1) * log(x) + (b - 1) * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b))" },
    samples = { { "f(0.2,4)[3,4]", "f(0.2,4)[3,4]", "f(0.1,0.7)[3,4]" },
      { "f(2,9)[4]", "f(0.5,1)[3,1]", "f(0.1,0.7)[3,4]" } },
    reference = function(a, b, x) -- by the hypergeometric series
      local term, sum = 1, 1
      for n = 0, 200 do
        term = (a + b + n) / (a + 1 + n) * x * term
        sum = sum + term
      end
      return x ^ a * (1 - x) ^ b / a * ((a + b):lgamma() - a:lgamma() - b:lgamma()):exp() * sum
    end,
  }
end
