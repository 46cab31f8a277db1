--- Op rows: reductions over dims.
return function(op, _K)
  local reduce, kernel = op.reduce, op.kernel
  reduce "sum" { doc = "Sum over dims (all without); integers sum as int64.", dtype = "sum", grad = true }
  reduce "mean" { doc = "Mean over dims (all without).", dtype = "float", grad = true }
  kernel "sum_to" {
    args = "x, size: shape", doc = "Sums x down to the shape size, the inverse of a broadcast.",
    shape = "sum_to", grad = true, internal = true,
  }
end
