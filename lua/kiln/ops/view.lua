--- Op rows: views, which share memory with their input.
return function(op, _K)
  local view = op.view
  view "as_strided" {
    sizes = false, -- it names positions that must be there
    args = "x, size: shape, stride: ints, offset: int = 0, base_size: shape?, base_stride: ints?, base_offset: int?",
    doc = "A view of x's storage with any size, stride and offset (in elements). Leave the base_ arguments out: "
      .. "the core fills them in for the gradient.",
    grad = true, samples = { { "f[3,4]", { 2, 3 }, { 4, 1 }, 1 } },
  }
  view "detach" { args = "x", doc = "The same values, without history.", grad = false, cuts = true,
    samples = { { "f[3,4]" } } }
  view "expand" { also = "broadcast_to",
    args = "x, size: shape",
    doc = "Repeats dims of size 1 without copying; -1 keeps a size. New dims come in front.",
    grad = true, samples = { { "f[3,1]", { 3, 4 } }, { "f[4]", { 2, 3, 4 } }, { "f[3,1]", { -1, 2 } } },
  }
  view "select" {
    args = "x, dim: axis, index: position", doc = "One position of a dim, which goes away.",
    grad = true, samples = { { "f[3,4]", 1, 2 }, { "f[2,3,4]", -1, -1 } },
  }
  view "slice" {
    sizes = false, -- it names positions that must be there
    args = "x, dim: axis, first: position, last: position, step: int = 1",
    doc = "Positions first to last (included) of a dim, every step-th.",
    grad = true, samples = { { "f[5,4]", 1, 2, 4 }, { "f[5,4]", 1, 1, 5, 2 } },
  }
  view "transpose" { also = "swapaxes swapdims",
    args = "x, dim0: axis, dim1: axis", doc = "Exchanges two dims.",
    grad = true, samples = { { "f[3,4]", 1, 2 }, { "f[2,3,4]", 1, -1 } },
  }
  view "permute" {
    args = "x, dims: axes", doc = "Reorders all dims.",
    grad = true, samples = { { "f[2,3,4]", { 3, 1, 2 } } },
  }
  view "view" {
    args = "x, size: shape",
    doc = "The same elements in another shape, without copying; one size may be -1. x:view(dtype): the same bytes as "
      .. "numbers of another dtype; where its numbers are larger or smaller, the last dim has fewer or more of them.",
    with = { size = function(name, _, dtype, x) return require("kiln.reshape").view_as(name, x, dtype) end },
    grad = true, samples = { { "f[3,4]", { 2, 6 } }, { "f[3,4]", { -1 } } },
  }
  view "squeeze" {
    args = "x, dims: axes? = nil", doc = "Drops dims of size 1: all of them, or those of the given dims that have it.",
    grad = true, samples = { { "f[3,1,4,1]" }, { "f[3,1,4]", 2 }, { "f[3,4]", 1 }, { "f[1,3,1,2]", { 1, 2, -2 } } },
  }
  view "unsqueeze" {
    args = "x, dim: axis", axis_extra = 1, doc = "Inserts a dim of size 1.",
    grad = true, samples = { { "f[3,4]", 1 }, { "f[3,4]", -1 }, { "f[]", 1 } },
  }
  view "diagonal" {
    args = "x, offset: int = 0, dim1: axis = 1, dim2: axis = 2",
    doc = "The diagonal of two dims as a new last dim; offset above (positive) or below it.",
    grad = true, samples = { { "f[3,4]" }, { "f[3,4]", 1 }, { "f[2,3,4]", -1, 2, 3 } },
  }
  view "unfold" {
    args = "x, dim: axis, size: int, step: int",
    doc = "Windows of a dim, step apart; a new last dim runs inside the window.",
    grad = true, samples = { { "f[7]", 1, 3, 2 }, { "f[3,5]", 2, 2, 1 } },
  }
end
