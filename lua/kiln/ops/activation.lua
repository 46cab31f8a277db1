--- Op rows: activation functions.
return function(op, _K)
  op.unary "relu" { doc = "max(x, 0); NaN stays NaN.", types = "real", dtype = "same", d = "gt(out, 0)" }
end
