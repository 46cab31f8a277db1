--- Op rows: tensors made from nothing.
return function(op, _K)
  local kernel = op.kernel
  kernel "full" {
    args = "size: shape, value: number, dtype: dtype, device: device", doc = "A tensor filled with one value.",
    shape = "full", dtype = "arg", grad = false, internal = true,
  }
  kernel "arange" {
    args = "start: number, step: number, count: int, dtype: dtype, device: device",
    doc = "start, start + step, ...: count numbers.", shape = "arange", dtype = "arg", grad = false, internal = true,
  }
end
