--- Op rows: sorting, choosing by rank, distinct values.
-- NaN sorts above every number, -0 equals 0, equal elements keep their order.  Positions count
-- from 1.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local function pair(row)
    row.dtype, row.outs, row.diff_outs, row.grad, row.saves = "values_index", 2, "1", true, "out2"
    return row
  end

  kernel "sort" (pair {
    args = "x, dim: axis = -1, descending: bool = false, stable: bool = true",
    doc = "x sorted along dim, and where each element came from. Sorting is always stable.",
    shape = "same", samples = { { "u[3,4]" }, { "u[5,3]", 1 }, { "u[2,50]", 2, true } },
  })
  composite "argsort" {
    args = "x, dim: axis = -1, descending: bool = false, stable: bool = true",
    doc = "The positions that sort x along dim.", samples = { { "u[3,4]" }, { "u[5,3]", 1, true } },
    lua = function(x, dim, descending)
      local _, where = x:sort(dim, descending)
      return where
    end,
  }
  composite "msort" {
    args = "x", doc = "x sorted along its first dim.", samples = { { "u[5,3]" } },
    lua = function(x) return (x:sort(1)) end,
  }
  kernel "topk" (pair {
    args = "x, k: int, dim: axis = -1, largest: bool = true, sorted: bool = true",
    doc = "The k largest (or smallest) elements along dim and their positions; of equals the first. "
      .. "Unsorted ones come in the order of their positions.",
    shape = "topk", samples = { { "u[3,6]", 2 }, { "u[6,3]", 2, 1, false }, { "u[60]", 7 } },
  })
  kernel "kthvalue" (pair {
    args = "x, k: int, dim: axis = -1, keepdim: bool = false",
    doc = "The k-th smallest element along dim (k from 1), and its position.",
    shape = "kthvalue", samples = { { "u[3,5]", 2 }, { "u[5,3]", 4, 1, true } },
  })
  kernel "median_along" (pair {
    args = "x, without_nan: bool, dim: axis? = nil, keepdim: bool = false",
    doc = "median and nanmedian along a dim.", shape = "pick", internal = true,
  })
  kernel "median_of_all" {
    args = "x, without_nan: bool, dim: axis? = nil, keepdim: bool = false", -- dim is nil
    doc = "median and nanmedian of all elements; equal ones share the gradient.", shape = "pick", internal = true,
    dtype = "values_index", outs = 2, diff_outs = "1", grad = true, saves = "x out1",
  }
  for _, name in ipairs { "median", "nanmedian" } do
    local without_nan = name == "nanmedian"
    composite(name) {
      sizes = false, -- the median of nothing is refused
      args = "x, dim: axis? = nil, keepdim: bool = false",
      doc = ("The median along dim (of all elements without)%s, the lower of two, and its position%s. Of all elements, "
        .. "equal ones share the gradient."):format(without_nan and " of what is not NaN" or "",
        without_nan and "" or "; NaN if there is one"),
      samples = { { "u[3,4]" }, { "u[3,5]", 2 }, { "u[4,3]", 1, true }, { "x[3,5]", 2 } },
      lua = function(x, dim, keepdim)
        if dim == nil then return K.median_of_all(x, without_nan) end
        return K.median_along(x, without_nan, dim, keepdim)
      end,
    }
  end
  kernel "mode" (pair {
    args = "x, dim: axis = -1, keepdim: bool = false",
    doc = "The most frequent element along dim, the smallest of several, and the last position of it. Every NaN "
      .. "is a value of its own: one that comes first is the mode if nothing stands twice.",
    special = false, -- the reference sorts NaN anywhere
    shape = "pick", samples = { { "i(0,3)[3,7]" }, { "u[4,3]", 1, true } },
  })

  -- -- Distinct values --------------------------------------------------------------------------

  -- Marks the positions of the first dim whose row differs from the one before.
  local function starts(x)
    local n = x:size(1)
    local first = K.ones({ n }, { dtype = K.bool, device = x.device })
    if n < 2 then return first end
    local differs = x:narrow(1, 2, n - 1):ne(x:narrow(1, 1, n - 1))
    while differs:dim() > 1 do differs = differs:any(differs:dim()) end
    first:narrow(1, 2, n - 1):copy_(differs)
    return first
  end

  -- Runs of equal rows: where each begins, the run that every row is in, how long each is.
  local function runs(x)
    local first = starts(x)
    local at = K.nonzero(first):squeeze(2)
    local run = first:cumsum(1)
    local last = K.full({ 1 }, x:size(1) + 1, { dtype = K.int64, device = x.device })
    return at, run, K.cat({ at, last }, 1):diff()
  end

  local function pick(values, inverse, counts, want_inverse, want_counts)
    if want_inverse and want_counts then return values, inverse, counts end
    if want_inverse then return values, inverse end
    if want_counts then return values, counts end
    return values
  end

  local function to_front(x, dim)
    return dim and x:movedim(dim, 1) or x:reshape({ -1 })
  end

  composite "unique" {
    args = "x, sorted: bool = true, return_inverse: bool = false, return_counts: bool = false, dim:"
      .. " axis? = nil",
    doc = "The distinct elements of x (rows along dim), sorted; then, if asked, for each element the "
      .. "position of its value, and how often each value stands in x. "
      .. "The gradient of a value goes to the first element that has it.",
    samples = { { "i(0,4)[3,5]" }, { "i(0,2)[7,2]", true, false, false, 1 } },
    lua = function(x, _sorted, return_inverse, return_counts, dim)
      local source = to_front(x, dim)
      local rows = source:detach():contiguous()
      local n = rows:size(1)
      local order = K.arange(1, n + 1, { dtype = K.int64, device = x.device })
      local flat = rows:reshape({ n, n > 0 and rows:numel() / n or 1 })
      for c = flat:size(2), 1, -1 do -- least column first: the sort is stable
        local _, by = flat:select(2, c):index_select(1, order):sort(1)
        order = order:index_select(1, by)
      end
      local at, run, counts = runs(rows:index_select(1, order))
      local values, inverse = source:index_select(1, order:index_select(1, at)), nil
      if return_inverse then
        inverse = K.zeros({ n }, { dtype = K.int64, device = x.device }):index_copy(1, order, run)
        if not dim then inverse = inverse:reshape(x.shape) end
      end
      return pick(dim and values:movedim(1, dim) or values, inverse, counts, return_inverse, return_counts)
    end,
  }
  composite "unique_consecutive" {
    args = "x, return_inverse: bool = false, return_counts: bool = false, dim: axis? = nil",
    doc = "x (rows along dim) without elements that equal the one before; then, if asked, positions and "
      .. "counts as unique gives them, and its gradient.",
    samples = { { "i(0,1)[9]" } },
    lua = function(x, return_inverse, return_counts, dim)
      local source = to_front(x, dim)
      local at, run, counts = runs(source:detach():contiguous())
      local values = source:index_select(1, at)
      if not dim then run = run:reshape(x.shape) end
      return pick(dim and values:movedim(1, dim) or values, run, counts, return_inverse, return_counts)
    end,
  }
end
