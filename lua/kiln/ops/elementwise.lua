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
  binary "pow" {
    doc = "x to the power y, broadcast.",
    d = {
      x = "where(eq(y, 0), 0, y * pow(x, y - 1))",
      y = "where(eq(x, 0), where(ge(y, 0), 0, out * log(x)), out * log(x))",
    },
    domain = { 0.5, 2 },
  }
  unary "neg" { doc = "-x.", types = "real", dtype = "same", expr = "-x", d = "-1" }
  unary "abs" { doc = "Absolute value.", types = "real", d = "sign(x)", dtype = "same" }
  unary "sign" { doc = "-1, 0 or 1; NaN stays NaN.", types = "real", dtype = "same", d = "0" }
  unary "exp" { doc = "e to the power x.", d = "out", domain = { -2, 2 } }
  unary "log" { doc = "Natural logarithm.", d = "1 / x", domain = { 0.5, 3 } }
  unary "square" { doc = "x * x.", types = "real", dtype = "same", d = "2 * x" }
  unary "log1p" { doc = "log(1 + x), exact for small x.", d = "1 / (1 + x)", domain = { -0.5, 3 } }
  unary "sqrt" { doc = "Square root.", d = "0.5 / out", domain = { 0.5, 3 } }
  unary "sin" { doc = "Sine of x in radians.", d = "cos(x)" }
  unary "cos" { doc = "Cosine of x in radians.", d = "-sin(x)" }
  unary "tanh" { doc = "Hyperbolic tangent.", d = "1 - out * out" }
  unary "sigmoid" { doc = "1 / (1 + exp(-x)).", d = "out * (1 - out)" }
  unary "reciprocal" { doc = "1 / x.", expr = "1 / x", d = "-(out * out)", domain = { 0.5, 3 } }

  composite "rsub" {
    args = "x, y: any", doc = "y - x.", samples = { { "f[3,4]", 2 } },
    lua = function(x, y) return K.sub(y, x) end,
  }
end
