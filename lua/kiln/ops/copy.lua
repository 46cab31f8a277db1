--- Op rows: copies, casts and filling.
return function(op, _K)
  local kernel = op.kernel
  kernel "clone" { args = "x", doc = "A contiguous copy.", shape = "same", grad = true, samples = { { "f[3,4]" } } }
  kernel "cast" {
    args = "x: raw, dtype: dtype", doc = "A copy with another dtype.", shape = "same", dtype = "arg", grad = true,
    samples = { { "f[3,4]", "float32" } },
  }
  kernel "copy" {
    args = "x, src: raw, non_blocking: bool = false",
    doc = "Writes src, broadcast and cast, into x, from any device.  With non_blocking, memory that is pinned is "
      .. "read or written later, in the order of the device's stream.", shape = "copy", grad = true,
    writes = true, overwrites = true, saves = "", samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" } },
  }
  kernel "fill" {
    args = "x, value: raw", doc = "Writes one value (a number or a 0-dim tensor) everywhere.", shape = "fill", grad = true,
    writes = true, overwrites = true, saves = "", samples = { { "f[3,4]", 2.5 } },
  }
  -- The history of a base after one of its views was written: internal to autograd.
  kernel "slice_set" {
    args = "base, value, size: shape, stride: ints, base_size: shape, base_stride: ints, offset: int",
    doc = "A contiguous base with the region of a view (its size and stride, offset from the first element) replaced "
      .. "by value. base_size and base_stride describe the base in whose storage the strides were taken.",
    shape = "same", grad = true, internal = true, saves = "",
  }
  kernel "as_strided_add" {
    args = "g, base: shape, size: shape, stride: ints, offset: int",
    doc = "Zeros shaped base, with g added at the places of a view (the gradient of as_strided).",
    shape = "as_strided_add", grad = true, internal = true, saves = "",
  }
end
