--- Op rows: joining, splitting, repeating, turning.
return function(op, _K)
  local kernel = op.kernel
  kernel "cat" { args = "xs: list, dim: axis = 1", doc = "Joins tensors along a dim.", shape = "cat", grad = true,
    samples = { { { "f[2,3]", "f[1,3]" }, 1 }, { { "f[2,3]", "f[2,2]" }, 2 } } }
end
