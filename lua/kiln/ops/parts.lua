--- Op rows: cutting tensors up, putting tensors side by side, and writing a part of a copy.
return function(op, K)
  local composite = op.composite
  local raise, axis = op.raise, op.axis
  local function got(v) return require("kiln.check").got(v) end

  -- -- Cutting ----------------------------------------------------------------------------------

  -- Parts of dim `dim` (from 1): `parts` nearly equal ones, or cut where a list says.
  local function cut(name, x, parts, dim, exact)
    local n, sizes, starts = x:size(dim), {}, {}
    if type(parts) == "number" then
      if parts < 1 or parts % 1 ~= 0 then raise(name, "the number of parts must be a whole number from 1, got %s", got(parts)) end
      if exact and n % parts ~= 0 then raise(name, "dim %d of size %d has no %d equal parts", dim, n, parts) end
      local small, more = math.floor(n / parts), n % parts
      if parts > 7000 then raise(name, "%d parts are more than the 7000 results a call can have", parts) end
      for i = 1, parts do sizes[i] = small + (i <= more and 1 or 0) end
    elseif type(parts) == "table" and getmetatable(parts) == nil then
      local before = 0
      for i = 1, #parts + 1 do
        local last = i > #parts and n or parts[i]
        if type(last) ~= "number" or last % 1 ~= 0 then raise(name, "cut %d must be a whole number, got %s", i, got(last)) end
        if last < 0 then last = last + n end
        last = math.max(0, math.min(n, last))
        sizes[i], starts[i] = math.max(0, last - before), before + 1
        before = last
      end
    else
      raise(name, "parts must be a number or a list of numbers, got %s", got(parts))
    end
    local pieces, from = {}, 1
    for i, size in ipairs(sizes) do
      pieces[i] = x:narrow(dim, starts[i] or from, size)
      from = from + size
    end
    return unpack(pieces, 1, #sizes)
  end

  composite "tensor_split" {
    args = "x, parts: any, dim: axis = 1",
    doc = "Parts of a dim as several results: a number of nearly equal ones, or cut behind as many positions as each "
      .. "entry of a list says.",
    samples = { { "f[7,2]", 3 }, { "f[7,2]", { 2, 5 } }, { "f[2,5]", { 1, -1 }, 2 } },
    lua = function(x, parts, dim)
      if x:dim() == 0 then raise("tensor_split", "x has no dims") end
      return cut("tensor_split", x, parts, axis("tensor_split", "dim", x, dim))
    end,
  }
  for least, name in ipairs { "hsplit", "vsplit", "dsplit" } do
    local dim = ({ hsplit = 2, vsplit = 1, dsplit = 3 })[name]
    composite(name) {
      args = "x, parts: any",
      doc = ("tensor_split along dim %d%s; a number of parts must be equal ones."):format(dim,
        name == "hsplit" and " (1 of a vector)" or ""),
      samples = { { "f[2,4,2]", 2 }, { "f[4,5,3]", { 1, 2 } } },
      lua = function(x, parts)
        if x:dim() < least then raise(name, "x must have at least %d dims, its shape is %s", least, tostring(x.shape)) end
        return cut(name, x, parts, math.min(dim, math.max(x:dim(), least)), true)
      end,
    }
  end

  -- -- More dims --------------------------------------------------------------------------------

  composite "atleast_1d" {
    args = "x", doc = "x, with a dim if it has none.", samples = { { "f[3,4]" }, { "f[]" } },
    lua = function(x) return x:dim() == 0 and x:reshape(1) or x end,
  }
  composite "atleast_2d" {
    args = "x", doc = "x, with dims of size 1 in front up to 2.", samples = { { "f[3,4]" }, { "f[]" }, { "f[3]" } },
    lua = function(x)
      while x:dim() < 2 do x = x:unsqueeze(1) end
      return x
    end,
  }
  composite "atleast_3d" {
    args = "x", doc = "x with up to 3 dims: [n] as [1, n, 1], [n, m] as [n, m, 1].",
    samples = { { "f[3,4]" }, { "f[]" }, { "f[3]" }, { "f[2,3,4]" } },
    lua = function(x)
      if x:dim() < 2 then x = K.atleast_2d(x) end
      return x:dim() == 2 and x:unsqueeze(3) or x
    end,
  }
  composite "broadcast_tensors" {
    args = "xs: list", spread = true, doc = "The tensors, each expanded to the shape they broadcast to; several results.",
    samples = { { { "f[3,1]", "f[4]" } }, { { "f[2,1,3]", "f[]", "f[4,1]" } } },
    lua = function(xs)
      local ndim, shape, results = 0, {}, {}
      for _, x in ipairs(xs) do ndim = math.max(ndim, x:dim()) end
      for d = 1, ndim do shape[d] = 1 end
      for i, x in ipairs(xs) do
        for d = 1, x:dim() do
          local at, n = ndim - x:dim() + d, x:size(d)
          if n ~= 1 and shape[at] ~= 1 and n ~= shape[at] then
            raise("broadcast_tensors", "tensor %d has size %d at dim %d, another one %d", i, n, at, shape[at])
          end
          if n ~= 1 then shape[at] = n end
        end
      end
      for i, x in ipairs(xs) do results[i] = x:expand(shape) end
      return unpack(results)
    end,
  }

  -- -- Side by side -----------------------------------------------------------------------------

  composite "dstack" {
    args = "xs: list", spread = true, doc = "Joins tensors along dim 3 (atleast_3d).",
    samples = { { { "f[2,3]", "f[2,3]" } }, { { "f[3]", "f[3]" } } },
    lua = function(xs)
      local parts = {}
      for i, x in ipairs(xs) do parts[i] = K.atleast_3d(x) end
      return K.cat(parts, 3)
    end,
  }
  composite "column_stack" {
    args = "xs: list", spread = true, doc = "Joins tensors along dim 2; vectors are columns.",
    samples = { { { "f[2,3]", "f[2,1]" } }, { { "f[3]", "f[3,2]" } } },
    lua = function(xs)
      local parts = {}
      for i, x in ipairs(xs) do parts[i] = x:dim() < 2 and x:reshape({ -1, 1 }) or x end
      return K.cat(parts, 2)
    end,
  }
  composite "block_diag" {
    args = "xs: list", spread = true, doc = "Matrices (vectors as rows) one behind the other on the diagonal, 0 elsewhere.",
    samples = { { { "f[2,3]", "f[1,2]" } }, { { "f[3]", "f[]", "f[2,0]" } } },
    lua = function(xs)
      local width, before, rows = 0, 0, {}
      for i, x in ipairs(xs) do
        if x:dim() > 2 then raise("block_diag", "tensor %d has shape %s, at most 2 dims are possible", i, tostring(x.shape)) end
        width = width + K.atleast_2d(x):size(2)
      end
      for i, x in ipairs(xs) do
        x = K.atleast_2d(x)
        local function zeros(n) return x:new_zeros(x:size(1), n) end
        local n = x:size(2)
        rows[i] = K.cat({ zeros(before), x, zeros(width - before - n) }, 2)
        before = before + n
      end
      return K.cat(rows, 1)
    end,
  }
  composite "cartesian_prod" {
    args = "xs: list", spread = true, doc = "Every choice of an element from each vector: a row each; of one vector itself.",
    samples = { { { "f[2]", "f[3]" } }, { { "f[3]" } } },
    lua = function(xs)
      for i, x in ipairs(xs) do
        if x:dim() ~= 1 then raise("cartesian_prod", "tensor %d has shape %s, a vector is needed", i, tostring(x.shape)) end
      end
      if #xs == 1 then return xs[1] end
      local columns = { K.meshgrid(xs) }
      for i, column in ipairs(columns) do columns[i] = column:reshape(-1) end
      return K.stack(columns, 2)
    end,
  }
  -- The positions of combinations, a column each, made from left to right: every beginning is the beginning
  -- of a result, so that none of them is longer than the result.
  local function choices(n, r, with_replacement, device)
    local function places(first, last)
      return K.arange(first, math.max(first, last + 1), { dtype = K.int64, device = device })
    end
    local columns = { places(1, with_replacement and n or n - r + 1) }
    for k = 2, r do
      local first = with_replacement and columns[k - 1] or columns[k - 1] + 1
      local counts = (with_replacement and n or n - r + k) - first + 1
      local of = places(1, counts:size(1)):repeat_interleave(counts)
      local begin = first - (counts:cumsum(1) - counts) -- what is added to a row's number
      columns[k] = places(0, of:size(1) - 1) + begin:index_select(1, of)
      for i = 1, k - 1 do columns[i] = columns[i]:index_select(1, of) end
    end
    return columns
  end
  composite "combinations" {
    args = "x, r: int = 2, with_replacement: bool = false",
    doc = "Every choice of r elements of a vector, in their order: a row each. With replacement an element may come again.",
    samples = { { "f[4]" }, { "f[3]", 2, true }, { "f[4]", 3 }, { "f[3]", 1 } },
    lua = function(x, r, with_replacement)
      if x:dim() ~= 1 then raise("combinations", "x must be a vector, its shape is %s", tostring(x.shape)) end
      if r < 0 then raise("combinations", "r must be at least 0, got %d", r) end
      if r == 0 then return x:new_empty(0) end
      local n, rows = x:size(1), 1
      if n < (with_replacement and 1 or r) then return x:new_empty(0, r) end
      local from = with_replacement and n + r - 1 or n
      for k = 1, math.min(r, from - r) do
        rows = rows * (from + 1 - k) / k
        if rows >= 2 ^ 53 then break end
      end
      require("kiln.check").room("combinations", "r", { math.floor(rows + 0.5), r }, x)
      if n == 1 then return x:expand(1, r):clone() end
      local columns = choices(x:size(1), r, with_replacement, x.device)
      for k, column in ipairs(columns) do columns[k] = x:index_select(1, column) end
      return K.stack(columns, 2)
    end,
  }

  -- -- Copies of which a part is written -----------------------------------------------------------

  local function with_part(name, x, src, part)
    local y = x:clone()
    local view = part(y)
    if tostring(view.shape) ~= tostring(src.shape) then
      raise(name, "src must have shape %s, it has %s", tostring(view.shape), tostring(src.shape))
    end
    view:copy_(src)
    return y
  end
  composite "select_scatter" {
    args = "x, src, dim: axis, index: position", doc = "x with src at one position of a dim.",
    samples = { { "f[3,4]", "f[4]", 1, 2 }, { "f[3,4]", "f[3]", 2, -1 } },
    lua = function(x, src, dim, index)
      return with_part("select_scatter", x, src, function(y) return y:select(dim, index) end)
    end,
  }
  composite "slice_scatter" {
    args = "x, src, dim: axis = 1, first: position = 1, last: position = -1, step: int = 1",
    doc = "x with src at the positions first to last (included) of a dim, every step-th.",
    samples = { { "f[5,4]", "f[3,4]", 1, 2, 4 }, { "f[3,5]", "f[3,3]", 2, 1, -1, 2 } },
    sizes = false, -- it names positions that must be there
    lua = function(x, src, dim, first, last, step)
      return with_part("slice_scatter", x, src, function(y) return y:slice(dim, first, last, step) end)
    end,
  }
  composite "diagonal_scatter" {
    args = "x, src, offset: int = 0, dim1: axis = 1, dim2: axis = 2", doc = "x with src on a diagonal.",
    samples = { { "f[3,4]", "f[3]" }, { "f[2,3,4]", "f[2,3]", 1, 2, 3 } },
    lua = function(x, src, offset, dim1, dim2)
      return with_part("diagonal_scatter", x, src, function(y) return y:diagonal(offset, dim1, dim2) end)
    end,
  }
  composite "narrow_copy" {
    args = "x, dim: axis, start: position, length: int", doc = "A copy of what narrow shows.",
    samples = { { "f[5,4]", 1, 2, 3 } }, lua = function(x, ...) return x:narrow(...):clone() end,
  }
  composite "sum_to_size" {
    args = "x, size: shape", doc = "x summed over dims to a shape that broadcasts to its own.",
    samples = { { "f[2,3,4]", { 3, 1 } }, { "f[3,4]", { 3, 4 } } },
    lua = function(x, size)
      local same = #size == x:dim()
      for d, n in ipairs(size) do same = same and x:size(d) == n end
      if same then return x end
      return K.sum_to(x.dtype.is_floating_point and x or x:long(), size)
    end,
  }
  composite "diagflat" {
    args = "x, diagonal: int = 0", doc = "A matrix with the elements of x, as one line, on a diagonal.",
    samples = { { "f[2,2]", 1 }, { "f[3]" } }, lua = function(x, diagonal) return x:reshape(-1):diag_embed(diagonal) end,
  }
  composite "adjoint" {
    args = "x", doc = "The transpose of each matrix, the last two dims; also x.mT.", samples = { { "f[2,3,4]" } }, sizes = false,
    lua = function(x)
      if x:dim() < 2 then raise("adjoint", "x must have at least 2 dims, its shape is %s", tostring(x.shape)) end
      return x:transpose(-2, -1)
    end,
  }
  for dim, name in ipairs { "flipud", "fliplr" } do
    composite(name) {
      args = "x", doc = ("flip along dim %d."):format(dim), samples = { { "f[3,4]" }, { "f[2,3,4]" } }, sizes = false,
      lua = function(x)
        if x:dim() < dim then raise(name, "x must have at least %d dims, its shape is %s", dim, tostring(x.shape)) end
        return x:flip { dim }
      end,
    }
  end
  composite "unravel_index" {
    args = "index: index, shape: shape",
    doc = "Positions in a tensor of a shape, read row by row, as positions in each dim: several results.",
    samples = { { "i(1,6)[4]", { 2, 3 } }, { "i(1,24)[2,2]", { 2, 3, 4 } } },
    lua = function(index, shape)
      if index.dtype ~= K.int64 then raise("unravel_index", "index must be int64, got %s", index.dtype.name) end
      local total = 1
      for _, n in ipairs(shape) do total = total * n end
      local rest, places = index:sub(1), {}
      if index:numel() > 0 and not rest:ge(0):logical_and(rest:lt(total)):all():item() then
        raise("unravel_index", "index holds positions outside of 1..%d", total)
      end
      for d = #shape, 1, -1 do
        places[d] = rest:remainder(shape[d]):add(1)
        rest = rest:floor_divide(shape[d])
      end
      return unpack(places, 1, #shape)
    end,
  }
end
