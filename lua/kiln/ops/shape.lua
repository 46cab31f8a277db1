--- Op rows: joining, splitting, reshaping, repeating, turning.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise = op.raise
  local function got(v) return require("kiln.check").got(v) end
  local place = op.axis

  kernel "cat" { also = "concat concatenate",
    args = "xs: list, dim: axis = 1", doc = "Joins tensors along a dim.", shape = "cat", grad = true,
    samples = { { { "f[2,3]", "f[1,3]" }, 1 }, { { "f[2,3]", "f[2,2]" }, 2 } },
  }

  composite "stack" {
    args = "xs: list, dim: axis = 1", doc = "Joins tensors of one shape along a new dim.",
    samples = { { { "f[2,3]", "f[2,3]" }, 1 }, { { "f[2,3]", "f[2,3]" }, -1 } },
    lua = function(xs, dim)
      local parts = {}
      for i, x in ipairs(xs) do
        if i > 1 and tostring(x.shape) ~= tostring(xs[1].shape) then
          raise("stack", "tensor %d has shape %s, the first one %s", i,
            tostring(x.shape), tostring(xs[1].shape))
        end
        parts[i] = x:unsqueeze(dim)
      end
      return K.cat(parts, dim)
    end,
  }

  -- Lua has no room for more results of one call.
  local MOST_RESULTS = 7000

  local function check_results(name, n)
    if n > MOST_RESULTS then
      raise(name, "%.14g parts are more than the %d results a call can have; take them with x[i] or narrow", n,
        MOST_RESULTS)
    end
  end

  -- -- Parts of a dim ---------------------------------------------------------------------------

  composite "narrow" {
    args = "x, dim: axis, start: position, length: int",
    doc = "length positions of a dim from start on; a view.",
    samples = { { "f[5,4]", 1, 2, 3 }, { "f[5,4]", -1, 1, 2 }, { "f[5,4]", 1, -2, 2 } },
    lua = function(x, dim, start, length)
      dim = place("narrow", "dim", x, dim)
      if length < 0 then
        raise("narrow", "length must not be negative, got %d", length)
      end
      if start < 0 then start = x:size(dim) + 1 + start end
      if length == 0 then
        if start > x:size(dim) + 1 then
          raise("narrow", "start %d is out of range for dim %d of size %d", start, dim,
            x:size(dim))
        end
        local shape = x.shape
        shape[dim] = 0
        return x:as_strided(shape, x:stride(), x:storage_offset())
      end
      return x:slice(dim, start, start + length - 1)
    end,
  }
  composite "split" { also = "split_with_sizes",
    args = "x, size: any, dim: axis = 1",
    doc = "Parts of a dim as several results: each of `size` positions (the last may be smaller), or of the sizes "
      .. "in a table, which must add up.",
    samples = { { "f[5,4]", 2 }, { "f[5,4]", { 1, 3 }, 2 } },
    lua = function(x, size, dim)
      dim = place("split", "dim", x, dim)
      local n, parts, at = x:size(dim), {}, 1
      local sizes = size
      if type(size) == "number" then
        if size < 1 or size % 1 ~= 0 then
          raise("split", "size must be a whole number above 0, got %s", size)
        end
        check_results("split", n / size)
        sizes = {}
        for first = 1, n, size do sizes[#sizes + 1] = math.min(size, n - first + 1) end
        if n == 0 then sizes[1] = 0 end
      elseif type(size) ~= "table" then
        raise("split", "size must be a number or a table of numbers, got %s", got(size))
      end
      check_results("split", #sizes)
      local total = 0
      for i, s in ipairs(sizes) do
        if type(s) ~= "number" or s < 0 or s % 1 ~= 0 then
          raise("split", "size[%d] must be a whole number, got %s", i, got(s))
        end
        total = total + s
      end
      if total ~= n then
        raise("split", "the sizes add up to %d, dim %d has size %d", total, dim, n)
      end
      for i, s in ipairs(sizes) do
        parts[i] = x:narrow(dim, at, s)
        at = at + s
      end
      return unpack(parts)
    end,
  }
  composite "chunk" {
    args = "x, chunks: int, dim: axis = 1", doc = "At most `chunks` parts of a dim, all but the last equal; several results.",
    samples = { { "f[5,4]", 2 }, { "f[3,6]", 3, 2 } },
    lua = function(x, chunks, dim)
      dim = place("chunk", "dim", x, dim)
      if chunks < 1 then raise("chunk", "chunks must be at least 1, got %d", chunks) end
      if x:size(dim) == 0 then
        check_results("chunk", chunks)
        local parts = {}
        for i = 1, chunks do parts[i] = x:narrow(dim, 1, 0) end
        return unpack(parts)
      end
      return x:split(math.max(1, math.ceil(x:size(dim) / chunks)), dim)
    end,
  }
  composite "unbind" {
    args = "x, dim: axis = 1", doc = "Every position of a dim, as several results without that dim.",
    samples = { { "f[3,4]" }, { "f[3,2]", 2 } },
    lua = function(x, dim)
      dim = place("unbind", "dim", x, dim)
      check_results("unbind", x:size(dim))
      local parts = {}
      for i = 1, x:size(dim) do parts[i] = x:select(dim, i) end
      return unpack(parts)
    end,
  }

  -- -- Other shapes of the same elements --------------------------------------------------------

  composite "reshape" {
    args = "x, size: shape",
    doc = "The same elements in another shape (one size may be -1): a view where strides allow it, else a copy.",
    samples = { { "f[3,4]", { 2, -1 } }, { "f[2,3,4]", { 6, 4 } }, { "f[]", { 1 } } },
    lua = function(x, size)
      if not x:is_contiguous() then x = x:contiguous() end
      return x:view(size)
    end,
  }
  composite "flatten" { also = "ravel",
    args = "x, first: axis = 1, last: axis = -1", doc = "Dims first to last as one.",
    samples = { { "f[2,3,4]" }, { "f[2,3,4]", 2 }, { "f[2,3,4]", 1, 2 }, { "f[]" } },
    lua = function(x, first, last)
      local n = x:dim()
      first, last = place("flatten", "first", x, first), place("flatten", "last", x, last)
      if n == 0 then return x:reshape(1) end
      if first > last then
        raise("flatten", "first (%d) comes after last (%d)", first, last)
      end
      local shape, size = {}, 1
      for d = first, last do size = size * x:size(d) end
      for d = 1, first - 1 do shape[#shape + 1] = x:size(d) end
      shape[#shape + 1] = size
      for d = last + 1, n do shape[#shape + 1] = x:size(d) end
      return x:reshape(shape)
    end,
  }
  composite "unflatten" {
    args = "x, dim: axis, sizes: shape", doc = "One dim as several; one of the sizes may be -1.",
    samples = { { "f[2,6]", 2, { 2, 3 } }, { "f[6,2]", 1, { -1, 2 } } },
    lua = function(x, dim, sizes)
      dim = place("unflatten", "dim", x, dim)
      local shape, known, open = {}, 1, nil
      for d = 1, dim - 1 do shape[#shape + 1] = x:size(d) end
      for _, s in ipairs(sizes) do
        shape[#shape + 1] = s
        if s == -1 and not open then open = #shape else known = known * s end
      end
      if open then shape[open] = known > 0 and x:size(dim) / known or 0 end
      if known * (open and shape[open] or 1) ~= x:size(dim) or (open and shape[open] % 1 ~= 0) then
        raise("unflatten", "dim %d of size %d cannot be seen as %s", dim, x:size(dim),
          table.concat(sizes, " x "))
      end
      for d = dim + 1, x:dim() do shape[#shape + 1] = x:size(d) end
      return x:reshape(shape)
    end,
  }
  composite "t" {
    args = "x", doc = "The transpose of a matrix; tensors of fewer dims are returned as they are.",
    samples = { { "f[3,4]" }, { "f[3]" } },
    lua = function(x)
      if x:dim() > 2 then
        raise("t", "at most 2 dims are possible, the tensor has shape %s", tostring(x.shape))
      end
      return x:dim() == 2 and x:transpose(1, 2) or x
    end,
  }
  composite "movedim" { also = "moveaxis",
    args = "x, source: axes, destination: axes", doc = "Moves the dims `source` to the places `destination`.",
    samples = { { "f[2,3,4]", { 1 }, { 3 } }, { "f[2,3,4]", { 1, 2 }, { 3, 1 } } },
    lua = function(x, source, destination)
      local n = x:dim()
      if #source ~= #destination then
        raise("movedim", "%d dims to %d places", #source, #destination)
      end
      local order, moved, left = {}, {}, {}
      for i, s in ipairs(source) do
        local from = place("movedim", "source", x, s)
        order[place("movedim", "destination", x, destination[i])] = from
        moved[from] = true
      end
      for d = 1, n do if not moved[d] then left[#left + 1] = d end end
      local k = 0
      for d = 1, n do
        if not order[d] then k = k + 1; order[d] = left[k] end
      end
      return x:permute(order)
    end,
  }

  -- -- Repeating and turning --------------------------------------------------------------------

  composite "tile" {
    args = "x, reps: shape",
    doc = "x repeated reps[i] times along dim i, counted from the last dim; also spelled x[\"repeat\"](x, ...).",
    samples = { { "f[2,3]", { 2, 1 } }, { "f[3]", { 2, 2 } } },
    lua = function(x, reps)
      local n = math.max(#reps, x:dim())
      local lead_x, lead_r = n - x:dim(), n - #reps
      local shape, wide, flat, repeats = {}, {}, {}, false
      for d = 1, n do
        local size = d > lead_x and x:size(d - lead_x) or 1
        local r = d > lead_r and reps[d - lead_r] or 1
        if r < 0 then raise("tile", "cannot repeat %d times", r) end
        shape[2 * d - 1], shape[2 * d] = 1, size
        wide[2 * d - 1], wide[2 * d] = r, size
        flat[d] = r * size
        repeats = repeats or r > 1
      end
      if not repeats then x = x:clone() end
      if 2 * n <= 8 then return x:reshape(shape):expand(wide):reshape(flat) end
      for d = n, 1, -1 do -- too many dims for one expand: dim by dim
        local parts = {}
        if d == n then x = x:reshape((function()
          local s = {}
          for k = 1, n do s[k] = shape[2 * k] end
          return s
        end)()) end
        for i = 1, wide[2 * d - 1] do parts[i] = x end
        x = #parts > 0 and K.cat(parts, d) or x:narrow(d, 1, 0)
      end
      return x
    end,
  }
  composite "repeat" {
    args = "x, reps: shape", doc = "The reference's name of tile, which Lua reserves: x[\"repeat\"](x, 2, 3).",
    samples = { { "f[2,3]", { 2, 1 } } },
    lua = function(x, reps) return x:tile(reps) end,
  }
  composite "flip" {
    args = "x, dims: axes", doc = "Reverses the order along dims.",
    samples = { { "f[3,4]", { 1 } }, { "f[2,3,4]", { 1, -1 } } },
    lua = function(x, dims)
      local y, seen = x, {}
      for _, dim in ipairs(dims) do
        local d = place("flip", "dims", x, dim)
        if seen[d] then raise("flip", "dims names dim %d twice", d) end
        seen[d] = true
        local n = x:dim() > 0 and x:size(d) or 1
        if n > 1 then y = y:index_select(d, K.arange(n, 0, -1, { dtype = K.int64, device = x.device })) end
      end
      return y == x and x:clone() or y
    end,
  }
  composite "roll" {
    args = "x, shifts: ints, dims: axes = {}",
    doc = "Moves elements along dims by shifts; what leaves at the end comes in at the front. Without dims: of the flat tensor.",
    samples = { { "f[3,4]", { 1 }, { 2 } }, { "f[3,4]", { -1, 2 }, { 1, 2 } }, { "f[3,4]", { 5 } } },
    lua = function(x, shifts, dims)
      if #dims == 0 then
        if #shifts ~= 1 then raise("roll", "%d shifts without dims", #shifts) end
        return x:reshape(-1):roll(shifts, { 1 }):view_as(x)
      end
      if #dims ~= #shifts then
        raise("roll", "%d shifts for %d dims", #shifts, #dims)
      end
      local y = x
      for i, dim in ipairs(dims) do
        local d = place("roll", "dims", x, dim)
        local n = x:dim() > 0 and x:size(d) or 1
        local k = n > 0 and shifts[i] % n or 0
        if k ~= 0 then y = K.cat({ y:narrow(d, n - k + 1, k), y:narrow(d, 1, n - k) }, d) end
      end
      return y == x and x:clone() or y
    end,
  }
  composite "rot90" {
    args = "x, k: int = 1, dims: axes = {}", doc = "Turns by k quarters from dims[1] (1 without) towards dims[2] (2).",
    samples = { { "f[3,4]" }, { "f[3,4]", 2 }, { "f[2,3,4]", -1, { 2, 3 } } },
    lua = function(x, k, dims)
      local a, b = dims[1] or 1, dims[2] or 2
      if x:dim() < 2 then
        raise("rot90", "at least 2 dims are needed, the tensor has shape %s", tostring(x.shape))
      end
      if #dims ~= 0 and #dims ~= 2 then raise("rot90", "dims must be 2 dims, got %d", #dims) end
      a, b = place("rot90", "dims", x, a), place("rot90", "dims", x, b)
      if a == b then raise("rot90", "dims must be different, both are %d", a) end
      k = k % 4
      if k == 0 then return x:clone() end
      if k == 1 then return x:flip { b }:transpose(a, b) end
      if k == 2 then return x:flip { a, b } end
      return x:flip { a }:transpose(a, b)
    end,
  }
  composite "meshgrid" {
    args = "xs: list, indexing: ij|xy = ij", spread = true,
    doc = "Vectors as grids: result i varies along dim i (with indexing 'xy' the first two dims change places); several "
      .. "results.",
    samples = { { { "f[2]", "f[3]" } }, { { "f[2]", "f[3]", "f[1]" }, "xy" } },
    lua = function(xs, indexing)
      local swap = indexing == "xy" and #xs > 1
      if swap then xs = { xs[2], xs[1], unpack(xs, 3) } end
      local shape, grids = {}, {}
      for i, x in ipairs(xs) do shape[i] = x:numel() end
      for i, x in ipairs(xs) do
        local own = {}
        for d = 1, #xs do own[d] = d == i and shape[i] or 1 end
        grids[i] = x:reshape(own):expand(shape)
      end
      if swap then grids[1], grids[2] = grids[2], grids[1] end
      return unpack(grids)
    end,
  }
  for dim, name in ipairs { "vstack", "hstack" } do
    composite(name) {
      args = "xs: list", spread = true, also = dim == 1 and "row_stack" or nil,
      doc = ("Joins tensors along dim %d (1-dim tensors: %s)."):format(dim,
        dim == 2 and "along their only dim" or "as rows"),
      samples = { { { "f[2,3]", "f[2,3]" } }, { { "f[3]", "f[3]" } } },
      lua = function(xs)
        local parts, d = {}, dim
        for i, x in ipairs(xs) do
          if x:dim() == 0 then x = x:reshape(1) end
          if x:dim() == 1 then
            if dim == 1 then x = x:unsqueeze(1) else d = 1 end
          end
          parts[i] = x
        end
        return K.cat(parts, d)
      end,
    }
  end
end
