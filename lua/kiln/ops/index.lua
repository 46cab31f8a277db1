--- Op rows: choosing, placing and counting by mask and by position.
-- Positions count from 1, in tensors too.  Those that `index` and `index_put` take may also count
-- from the end (-1 is the last), as x[{...}] does.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise, axis = op.raise, op.axis
  local INDICES = "i1?: index, i2?: index, i3?: index, i4?: index, i5?: index, i6?: index, "
    .. "i7?: index, i8?: index"
  local SAVED = "i1 i2 i3 i4 i5 i6 i7 i8"

  kernel "where" {
    args = "condition: mask, x, y",
    doc = "x where condition is true, else y; all broadcast. Of condition alone the positions where it is not 0: "
      .. "nonzero's with as_tuple.",
    form = function(_, _, given)
      local alone = given[2] == nil and given[3] == nil and given[4] == nil
      if alone and K.is_tensor(given[1]) then return function() return K.nonzero(given[1], { as_tuple = true }) end end
    end,
    shape = "broadcast", grad = true, saves = { x = "condition", y = "condition" },
    samples = { { "b[3,4]", "f[3,4]", "f[3,4]" }, { "b[3,1]", "f[4]", "f[]" } },
  }

  -- -- Along a dim --------------------------------------------------------------------------------

  kernel "gather" {
    args = "x, dim: axis, index: index",
    doc = "out[i][j] = x[index[i][j]][j] for dim 1, and so on; index has as many dims as x.",
    shape = "gather", grad = true, saves = "index",
    samples = { { "f[3,4]", 1, "i(1,3)[2,4]" }, { "f[3,4]", 2, "i(1,4)[2,3]" }, { "f[2,3,4]", 2,
      "i(1,3)[2,5,4]" } },
  }
  -- src cut to the size of index, for scatter and scatter_add: what lies beyond is not used.
  local function cut_source(x, dim, index, src)
    if not (K.is_tensor(src) and K.is_tensor(index)) or src:dim() ~= index:dim() then return end
    local cut = src
    for d = 1, src:dim() do
      if src:size(d) > index:size(d) then cut = cut:narrow(d, 1, index:size(d)) end
    end
    if cut ~= src and tostring(cut.shape) == tostring(index.shape) then return x, dim, index, cut end
  end

  kernel "scatter" {
    args = "x, dim: axis, index: index, src",
    doc = "x with out[index[i][j]][j] = src[i][j] for dim 1, and so on; src may be a number, or larger than index. Of several "
      .. "writes to one place the last along dim stays. The option `reduce` ('add' or 'multiply') joins them with "
      .. "what was there.",
    shape = "scatter", grad = true, saves = "index", inplace = true, stores = true, instead = cut_source,
    samples = { { "f[5,4]", 1, "i(1,5)[1,4]", "f[1,4]" }, { "f[3,4]", 2, "i(1,4)[2,1]", 2.5 } },
    with = { reduce = function(name, _, reduce, x, dim, index, src)
      local joined = reduce == "add" and "sum" or reduce == "multiply" and "prod"
      if not joined then
        raise(name, "reduce must be 'add' or 'multiply', got %s", require("kiln.check").got(reduce))
      end
      if type(src) == "number" then src = K.full(index.shape, src, { dtype = x.dtype, device = x.device }) end
      return x:scatter_reduce(dim, index, src, joined)
    end },
  }
  kernel "scatter_add" {
    args = "x, dim: axis, index: index, src",
    doc = "x with src[i][j] added at [index[i][j]][j] for dim 1, and so on; src may be larger than index.",
    shape = "scatter", grad = true, saves = "index", inplace = true, stores = true, instead = cut_source,
    samples = { { "f[3,4]", 1, "i(1,3)[5,4]", "f[5,4]" }, { "f[3,4]", 2, "i(1,4)[2,3]", "f[2,3]" } },
  }
  kernel "index_select" {
    args = "x, dim: axis, index: index", doc = "The positions of a dim that index lists.",
    shape = "index_select", grad = true, saves = "index",
    samples = { { "f[3,4]", 1, "i(1,3)[5]" }, { "f[3,4]", 2, "i(1,4)[2]" } },
  }
  kernel "index_add" {
    args = "x, dim: axis, index: index, src, alpha: number = 1",
    doc = "x with alpha * src added to the positions of a dim that index lists.",
    shape = "index_rows", grad = true, saves = "index", inplace = true, stores = true,
    samples = { { "f[3,4]", 1, "i(1,3)[5]", "f[5,4]" }, { "f[3,4]", 2, "i(1,4)[2]", "f[3,2]", 0.5 } },
  }
  kernel "index_copy" {
    args = "x, dim: axis, index: index, src",
    doc = "x with src at the positions of a dim that index lists; the last of equal positions stays.",
    shape = "index_rows", grad = true, saves = "index", inplace = true, stores = true,
    samples = { { "f[3,4]", 1, "i(2,2)[1]", "f[1,4]" }, { "f[2,3,4]", 3, "n(1,4)[3]", "f[2,3,3]" } },
  }
  kernel "index_fill" {
    args = "x, dim: axis, index: index, value: raw",
    doc = "x with a value at the positions of a dim that index lists.",
    shape = "index_fill", grad = true, saves = "index", inplace = true, stores = true,
    samples = { { "f[3,4]", 1, "i(1,3)[2]", 2.5 }, { "f[3,4]", 2, "i(1,4)[1]", "f[]" } },
  }
  composite "take_along_dim" {
    args = "x, index: index, dim: axis? = nil",
    doc = "gather with x and index broadcast against each other in the other dims; without dim, of x as "
      .. "one line.",
    samples = { { "f[3,4]", "i(1,4)[3,1]", 2 }, { "f[3,4]", "i(1,12)[5]" } },
    lua = function(x, index, dim)
      if dim == nil then return x:reshape({ -1 }):gather(1, index:reshape({ -1 })) end
      dim = axis("take_along_dim", "dim", x, dim)
      if index:dim() ~= x:dim() then
        raise("take_along_dim", "index must have as many dims as x (%d), it has %d", x:dim(), index:dim())
      end
      local a, b = {}, {}
      for d = 1, x:dim() do
        if d == dim then a[d], b[d] = -1, -1
        else
          local n = x:size(d) == 1 and index:size(d) or x:size(d)
          a[d], b[d] = n, n
        end
      end
      return x:expand(a):gather(dim, index:expand(b))
    end,
  }

  -- The largest (the smallest, if turned) of the src that fall on each place of x, and where there is one: sorted, for
  -- of several writes the last stays, and NaN, which sorts last, does.
  local function extreme_of(x, dim, index, src, turned)
    if turned and src.dtype.is_floating_point then src = -src end
    local sorted, from = src:sort(dim, turned and not src.dtype.is_floating_point)
    local y = K.zeros_like(x):scatter(dim, index:gather(dim, from), sorted)
    return turned and src.dtype.is_floating_point and -y or y
  end
  -- The products of the src that fall on each place of x, 1 elsewhere: of src in the order of their places, each with
  -- the one 1, 2, 4, ... further while that has the same place; what stands first of its place is written last.
  local function product_of(x, dim, index, src)
    local n, step = index:size(dim), 1
    local sorted, from = index:sort(dim)
    local v = src:gather(dim, from)
    local shape = {}
    for d = 1, index:dim() do shape[d] = d == dim and -1 or 1 end
    local at = K.arange(n, { dtype = K.int64, device = x.device }):reshape(shape)
    local function differ(by) return sorted:narrow(dim, 1 + by, n - by):ne(sorted:narrow(dim, 1, n - by)) end
    local first = n > 1 and K.cat({ K.zeros_like(sorted:narrow(dim, 1, 1)), at:narrow(dim, 2, n - 1) * differ(1) }, dim)
    local rank = first and at - K.cummax(first, dim)
    while step < n do
      local taken = differ(step):logical_or(rank:narrow(dim, 1, n - step):remainder(2 * step):ne(0)):logical_not()
      local head = v:narrow(dim, 1, n - step) * K.where(taken, v:narrow(dim, 1 + step, n - step), 1)
      v, step = K.cat({ head, v:narrow(dim, n - step + 1, step) }, dim), 2 * step
    end
    return K.ones_like(x):scatter(dim, sorted:flip { dim }, v:flip { dim })
  end
  local REDUCE = { amax = "maximum", amin = "minimum" }
  local function reduced(name, x, dim, index, src, how, include_self)
    dim = axis(name, "dim", x, dim)
    if src.dtype ~= x.dtype then raise(name, "src is %s and x %s", src.dtype.name, x.dtype.name) end
    for d = 1, math.min(src:dim(), index:dim()) do
      if src:size(d) > index:size(d) then src = src:narrow(d, 1, index:size(d)) end
    end
    local met = K.zeros_like(x, { dtype = K.bool }):scatter(dim, index, true)
    if REDUCE[how] then
      local y = extreme_of(x, dim, index, src, how == "amin")
      return K.where(met, include_self and K[REDUCE[how]](x, y) or y, x)
    end
    if how == "prod" then
      local y = product_of(x, dim, index, src)
      return include_self and x * y or K.where(met, y, x)
    end
    local start = include_self and x or K.where(met, K.zeros_like(x), x)
    local y = start:scatter_add(dim, index, src)
    if how == "sum" then return y end
    local one = K.ones_like(src:detach())
    local count = (include_self and K.ones_like(x:detach()) or met:logical_not():to(x.dtype)):scatter_add(dim, index, one)
    if x.dtype.is_floating_point then return y / count end
    return y:floor_divide(count)
  end
  composite "scatter_reduce" {
    args = "x, dim: axis, index: index, src, reduce: sum|prod|mean|amax|amin, include_self: bool = true", inplace = true,
    doc = "x with the src that scatter would write to each place summed up, multiplied, averaged, or the largest or "
      .. "smallest of them, with x itself unless include_self is false. Of equal extremes one has the gradient.",
    samples = { { "f[3,4]", 1, "i(1,3)[5,4]", "u[5,4]", "sum" }, { "f[3,4]", 1, "i(1,3)[5,4]", "u[5,4]", "mean" },
      { "f[3,4]", 2, "i(1,4)[3,6]", "u[3,6]", "amax" }, { "f[3,4]", 2, "i(1,4)[2,3]", "u[2,3]", "amin", false },
      { "f[3,4]", 1, "i(1,3)[2,4]", "u[2,4]", "mean", false },
      { "f[3,4]", 1, "i(1,3)[5,4]", "f[5,4]", "prod" }, { "f[3,4]", 2, "i(1,4)[3,6]", "f[3,7]", "prod", false } }, special = false,
    lua = function(x, dim, index, src, how, include_self)
      return reduced("scatter_reduce", x, dim, index, src, how, include_self)
    end,
  }
  composite "index_reduce" {
    args = "x, dim: axis, index: index, src, reduce: prod|mean|amax|amin, include_self: bool = true", inplace = true,
    doc = "scatter_reduce of the positions of a dim that index lists.",
    samples = { { "f[3,4]", 1, "i(1,3)[5]", "u[5,4]", "mean" }, { "f[3,4]", 2, "i(1,4)[3]", "u[3,3]", "amax", false },
      { "f[3,4]", 1, "i(1,3)[5]", "u[5,4]", "amin" }, { "f[3,4]", 1, "i(1,3)[5]", "f[5,4]", "prod" } },
    special = false, sizes = false,
    lua = function(x, dim, index, src, how, include_self)
      dim = axis("index_reduce", "dim", x, dim)
      if index:dim() ~= 1 or src:dim() ~= x:dim() or src:size(dim) ~= index:size(1) then
        raise("index_reduce", "index %s does not list the positions of dim %d of src %s", tostring(index.shape), dim,
          tostring(src.shape))
      end
      local shape = {}
      for d = 1, x:dim() do shape[d] = d == dim and -1 or 1 end
      return reduced("index_reduce", x, dim, index:reshape(shape):expand(src.shape), src, how, include_self)
    end,
  }

  -- -- x as one line ------------------------------------------------------------------------------

  kernel "take" {
    args = "x, index: index", doc = "Elements of x, seen as one line, in the shape of index.",
    shape = "take", grad = true, saves = "index",
    samples = { { "f[3,4]", "i(1,12)[2,3]" }, { "f[3,4]", "i(1,12)[]" } },
  }
  kernel "put" {
    args = "x, index: index, src, accumulate: bool = false",
    doc = "x, seen as one line, with src at the positions index; the last of equal positions stays, or all add "
      .. "up, if accumulate.",
    shape = "put", grad = true, saves = "index", inplace = true, stores = true,
    samples = { { "f[3,4]", "i(1,12)[2,3]", "f[2,3]", true }, { "f[3,4]", "n(1,12)[3]", "f[3]" } },
  }

  -- -- Masks --------------------------------------------------------------------------------------

  composite "masked_fill" {
    args = "x, mask: mask, value", doc = "x with a value, in the dtype of x, where mask (broadcast) is true.",
    inplace = true,
    samples = { { "f[3,4]", "b[3,4]", 2.5 }, { "f[3,4]", "b[4]", "f[]" } },
    lua = function(x, mask, value)
      if not x.dtype.is_floating_point then
        value = value:dim() == 0 and x:new_empty({}):fill_(value) or value:to(x.dtype)
      end
      local y = K.where(mask, value, x)
      return y.dtype == x.dtype and y or y:to(x.dtype)
    end,
  }
  kernel "masked_select" {
    args = "x, mask: mask",
    doc = "The elements of x where mask is true (both broadcast), in order, with one dim.",
    shape = "masked_select", grad = true, saves = "mask",
    samples = { { "f[3,4]", "b[3,4]" }, { "f[3,4]", "b[3,1]" } },
  }
  kernel "masked_scatter" {
    args = "x, mask: mask, src", doc = "x with the elements of src, in order, where mask is true.",
    shape = "masked_scatter", grad = true, saves = "mask", inplace = true,
    samples = { { "f[3,4]", "b[3,4]", "f[3,4]" }, { "f[3,4]", "b[3,1]", "f[15]" } },
  }
  composite "masked_copy" {
    args = "x, mask: mask, src", doc = "masked_scatter by its older name.", inplace = true,
    samples = { { "f[3,4]", "b[3,4]", "f[3,4]" } },
    lua = function(x, mask, src) return x:masked_scatter(mask, src) end,
  }
  kernel "nonzero" {
    args = "x: raw",
    doc = "[count, dims]: the coordinates of the elements that are not 0, in order. With the option `as_tuple` "
      .. "the positions in each dim, one tensor a dim: x[{x:nonzero({as_tuple = true})}].",
    shape = "nonzero", dtype = "index", grad = false, samples = { { "i(0,1)[3,4]" }, { "b[5]" } },
    with = { as_tuple = function(name, call, as_tuple, x)
      if not require("kiln.check").bool(as_tuple, name, "as_tuple") then return call(x) end
      return call(x):unbind(2)
    end },
  }
  composite "argwhere" {
    args = "x: raw", doc = "nonzero by its newer name.", samples = { { "b[3,4]" } },
    lua = function(x) return K.nonzero(x) end,
  }

  -- -- Several index tensors ------------------------------------------------------------------------

  kernel "index" {
    args = "x, " .. INDICES,
    doc = "x[{i1, i2, ...}]: the elements at the positions that the index tensors, broadcast, list for "
      .. "their dims; nil takes a dim whole. The new dims stand where the indexed dims stood if those are "
      .. "neighbours, else in front.",
    shape = "index", grad = true, saves = SAVED,
    samples = { { "f[3,4]", "i(1,3)[5]" }, { "f[3,4]", "i(1,3)[2,1]", "i(1,4)[3]" }, { "f[2,3,4]", nil,
      "i(1,3)[2]" } },
  }
  kernel "index_put" {
    args = "x, value, " .. INDICES .. ", accumulate: bool = false",
    doc = "x with value, broadcast, at the positions that index would read; the last of equal positions stays, "
      .. "or all add up, if accumulate. Also x:index_put({ i1, i2, ... }, value, accumulate), where an index may be a mask "
      .. "and {} takes a dim whole.",
    form = function(call, name, given)
      local x, list = given[1], given[2]
      if type(list) ~= "table" or getmetatable(list) ~= nil or #list == 0 then return end
      if given[5] ~= nil then raise(name, "takes at most 4 arguments where the indices are a list") end
      return function()
        local at = require("kiln.index").positions(require("kiln.check").tensor(x, name, "x"), list, name)
        return call(x, given[3], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], given[4])
      end
    end,
    shape = "index_put", grad = true, saves = SAVED, inplace = true, stores = true,
    samples = { { "f[3,4]", "f[5]", "i(1,3)[5]", "i(1,4)[5]", accumulate = true },
      { "f[3,4]", "f[2,3]", "i(1,3)[2,1]", "i(1,4)[3]", accumulate = true },
      { "f[3,4]", "f[1,4]", "n(1,3)[2]" }, { "f[3,4]", 2.5, "i(1,3)[2,1]", "i(1,4)[3]" } },
  }

  -- -- Embedding ------------------------------------------------------------------------------------

  kernel "embedding" {
    args = "weight, index: index, padding_idx: position? = nil, scale_grad_by_freq: bool = false, "
      .. "sparse: bool = false",
    doc = "Rows of weight by position, in the shape of index with one more dim. The row padding_idx gets "
      .. "no gradient; scale_grad_by_freq divides a row's gradient by how often it was chosen; with sparse "
      .. "a leaf's gradient is row-sparse.",
    shape = "embedding", grad = true, saves = "index",
    samples = { { "f[5,3]", "i(1,5)[4]" }, { "f[5,3]", "i(1,5)[2,3]" } },
  }
  kernel "embedding_dw" {
    args = "g, index: index, rows: int, padding: int? = nil, scale: bool = false",
    doc = "The gradient of embedding by its weight.", shape = "embedding_dw",
    grad = true, saves = "index", internal = true,
  }
  kernel "segment_max" {
    args = "x, segment: index, count: int",
    doc = "The largest value of each column of x in the rows of each segment, and its row (0: none, the "
      .. "value is 0).",
    shape = "segment_max", dtype = "values_index", outs = 2, diff_outs = "1", grad = true, saves = "out2",
    samples = { { "f[6,3]", "i(1,4)[6]", 4 } },
  }
  composite "embedding_bag" {
    special = false, -- the maximum is NaN if there is one, wherever it stands
    args = "weight, index: index, offsets?: index, mode: sum|mean|max = mean, padding_idx: position? = nil",
    doc = "Sum, mean or maximum of the rows of weight in each bag: a row of a 2-dim index, or what lies "
      .. "between two offsets (where each bag begins, from 1) of a 1-dim one. padding_idx takes no part.",
    samples = { { "f[5,3]", "i(1,5)[2,4]" }, { "f[5,3]", "i(1,5)[2,4]", nil, "max" }, { "f[5,3]",
      "i(1,5)[2,4]", nil, "sum" } },
    lua = function(weight, index, offsets, mode, padding_idx)
      local bags, bag
      if index:dim() == 2 then
        bags = index:size(1)
        bag = K.arange(1, bags + 1, { dtype = K.int64, device = index.device }):unsqueeze(2):expand(bags,
          index:size(2)):reshape({ -1 })
        index = index:reshape({ -1 })
      else
        if index:dim() ~= 1 or offsets == nil or offsets:dim() ~= 1 then
          raise("embedding_bag", "index must have 2 dims, or 1 and a 1-dim offsets beside it; index has %d and "
            .. "offsets %s", index:dim(), offsets == nil and "is nil" or offsets:dim() .. " dims")
        end
        require("kiln.check").offsets(offsets, index:size(1), "embedding_bag")
        bags = offsets:size(1)
        bag = K.searchsorted(offsets, K.arange(1, index:size(1) + 1, { dtype = K.int64, device = index.device }),
          true):sub(1)
      end
      if padding_idx then
        local rows = weight:size(1)
        if padding_idx == 0 or math.abs(padding_idx) > rows then
          raise("embedding_bag", "padding_idx %d is out of range 1..%d", padding_idx, rows)
        end
        if padding_idx < 0 then padding_idx = padding_idx + rows + 1 end
        local kept = index:ne(padding_idx)
        index, bag = index:masked_select(kept), bag:masked_select(kept)
      end
      local rows = K.embedding(weight, index)
      if mode == "max" then return (K.segment_max(rows, bag, bags)) end
      local sums = K.zeros({ bags, weight:size(2) }, { dtype = weight.dtype, device = weight.device })
        :index_add(1, bag, rows)
      if mode == "sum" then return sums end
      local count = K.zeros({ bags }, { dtype = weight.dtype, device = weight.device })
        :index_add(1, bag, K.ones({ bag:size(1) }, { dtype = weight.dtype, device = weight.device }))
      return sums / count:clamp(1):unsqueeze(2)
    end,
  }
  composite "one_hot" {
    args = "index: index, num_classes: int? = nil",
    doc = "0 and 1 (int64): a new last dim of num_classes (without: the largest position), 1 at the "
      .. "position.",
    samples = { { "i(1,5)[4]", 5 }, { "i(1,3)[2,2]" } },
    lua = function(index, classes)
      if classes == -1 then classes = nil end
      classes = classes or index:numel() > 0 and tonumber(index:max():item()) or 0
      if classes < 0 then raise("one_hot", "num_classes must not be negative, got %d", classes) end
      local size = {}
      for d = 1, index:dim() do size[d] = index:size(d) end
      size[#size + 1] = classes
      return K.zeros(size, { dtype = K.int64, device = index.device }):scatter(-1, index:unsqueeze(-1), 1)
    end,
  }

  -- -- Counting and looking up ------------------------------------------------------------------------

  composite "bincount" {
    args = "x: raw, weights?, minlength: int = 0",
    doc = "How often each of 1, 2, ... stands in the integers x (or the sum of weights there); at least minlength counts.",
    samples = { { "i(1,5)[20]" }, { "i(1,5)[20]", "f[20]", 8 } },
    lua = function(x, weights, minlength)
      if x.dtype.is_floating_point or x.dtype == K.bool then
        raise("bincount", "x must be integers, got %s", x.dtype.name)
      end
      x = x:long()
      if x:dim() ~= 1 then raise("bincount", "x must have 1 dim, its shape is %s", tostring(x.shape)) end
      if minlength < 0 then raise("bincount", "minlength must not be negative, got %d", minlength) end
      if x:numel() > 0 and x:min():item() < 1 then
        raise("bincount", "x must hold positions from 1, the smallest is %d", tonumber(x:min():item()))
      end
      if weights ~= nil and weights.shape ~= x.shape then
        raise("bincount", "weights must have the shape of x, %s, theirs is %s", tostring(x.shape),
          tostring(weights.shape))
      end
      -- As in the reference, sums are taken in double precision unless weights are float32.
      if weights ~= nil and weights.dtype ~= K.float32 then weights = weights:double() end
      local n = x:numel() > 0 and math.max(minlength, tonumber(x:max():item())) or minlength
      if weights == nil then weights = K.ones({ x:numel() }, { dtype = K.int64, device = x.device }) end
      return K.zeros({ n }, { dtype = weights.dtype, device = x.device }):index_add(1, x, weights)
    end,
  }
  kernel "histc" {
    args = "x, bins: int = 100, min: number = 0, max: number = 0",
    doc = "How many elements fall into each of `bins` equal parts of [min, max]; min = max means the range "
      .. "of the data.",
    shape = "histc", dtype = "float", grad = false, samples = { { "f[50]", 5 }, { "f[50]", 4, -1, 1 } },
  }
  kernel "searchsorted" {
    special = false, -- values in no order mean nothing
    args = "sorted, x, right: bool = false",
    doc = "The position (from 1) in sorted before which each value of x goes; after equal ones if right, or with "
      .. "the option `side = 'right'`; NaN counts as above every number, as sort has it. The option `sorter`: positions "
      .. "that sort it, as argsort gives them.",
    shape = "searchsorted", dtype = "index", grad = false,
    with = {
      side = function(name, call, side, sorted, x)
        if side ~= "left" and side ~= "right" then
          raise(name, "side must be 'left' or 'right', got %s", require("kiln.check").got(side))
        end
        return call(sorted, x, side == "right")
      end,
      sorter = function(name, call, sorter, sorted, ...)
        if require("kiln.check").tensor(sorter, name, "sorter").dtype ~= K.int64 then
          raise(name, "sorter must be int64 positions, got %s", sorter.dtype.name)
        end
        return call(sorted:gather(-1, sorter), ...)
      end,
    },
    samples = { { "f[6]", "f[2,3]" }, { "f[2,5]", "f[2,3]", true } },
  }
  composite "bucketize" {
    special = false,
    args = "x, boundaries, right: bool = false", doc = "searchsorted with its arguments exchanged.",
    samples = { { "f[2,3]", "f[6]" } },
    lua = function(x, boundaries, right) return K.searchsorted(boundaries, x, right) end,
  }
  composite "repeat_interleave" {
    args = "x, repeats: any, dim: axis? = nil",
    doc = "Each position of a dim (of x as one line, without dim) repeated: a number, or a tensor with a "
      .. "number for each. Of x alone: position i as often as x[i] says.",
    samples = { { "f[3,4]", 2, 1 }, { "f[3]", 2 } },
    lua = function(x, repeats, dim)
      if repeats == nil then
        if x:dim() ~= 1 then
          raise("repeat_interleave", "x alone must be a list of numbers, its shape is %s", tostring(x.shape))
        end
        x, repeats = K.arange(1, x:numel() + 1, { dtype = K.int64, device = x.device }), x
      end
      if dim == nil then x, dim = x:reshape({ -1 }), 1 end
      dim = axis("repeat_interleave", "dim", x, dim)
      if x:dim() == 0 then raise("repeat_interleave", "x has no dims; leave dim out") end
      local n = x:size(dim)
      if type(repeats) == "number" then
        if repeats < 0 or repeats % 1 ~= 0 then
          raise("repeat_interleave", "repeats must be a whole number from 0, got %.14g", repeats)
        end
        local places = K.arange(1, n + 1, { dtype = K.int64, device = x.device })
        return x:index_select(dim, places:unsqueeze(2):expand(n, repeats):reshape({ -1 }))
      end
      local check = require "kiln.check"
      if not check.is_tensor(repeats) then
        check.raise("repeat_interleave", "repeats must be a number or a tensor, got %s", check.got(repeats))
      end
      check.tensor(repeats, "repeat_interleave", "repeats")
      if repeats.dtype == K.bool or repeats.dtype.is_floating_point then
        check.raise("repeat_interleave", "repeats must be integers, its dtype is %s", repeats.dtype.name)
      end
      if repeats:numel() ~= 1 and (repeats:dim() ~= 1 or repeats:numel() ~= n) then
        check.raise("repeat_interleave", "repeats must be one number or %d of them, its shape is %s", n,
          tostring(repeats.shape))
      end
      if repeats:numel() == 1 then repeats = repeats:reshape({ 1 }):expand(n) end
      if n > 0 and repeats:min():item() < 0 then
        check.raise("repeat_interleave", "repeats must not be negative, the smallest is %s",
          tostring(repeats:min():item()))
      end
      local total = n > 0 and repeats:double():sum():item() or 0 -- int64 would wrap around
      if total >= 2 ^ 53 then
        check.raise("repeat_interleave", "repeats add up to %.14g, which is more than memory holds", total)
      end
      local ends = repeats:cumsum(1)
      return x:index_select(dim, K.searchsorted(ends, K.arange(1, total + 1, { dtype = K.int64,
        device = x.device })))
    end,
  }

  -- -- Triangles and diagonals ------------------------------------------------------------------------

  kernel "tril" {
    args = "x, diagonal: int = 0", doc = "The last two dims on and below a diagonal, 0 above it.",
    shape = "triangle", grad = true, inplace = true,
    samples = { { "f[3,4]" }, { "f[2,4,3]", -1 }, { "f[3,3]", 1 } },
  }
  kernel "triu" {
    args = "x, diagonal: int = 0", doc = "The last two dims on and above a diagonal, 0 below it.",
    shape = "triangle", grad = true, inplace = true,
    samples = { { "f[3,4]" }, { "f[2,4,3]", -1 }, { "f[3,3]", 1 } },
  }
  kernel "diagonals" {
    args = "x, diagonal: int = 0", doc = "diag_embed whose matrices are the last dims.",
    shape = "diagonals", grad = true, internal = true,
  }
  composite "diag_embed" {
    args = "x, diagonal: int = 0, dim1: axis = -2, dim2: axis = -1",
    doc = "Matrices with the last dim of x on a diagonal, 0 elsewhere; dim1 and dim2 of the result are their rows and "
      .. "columns. `offset` is another name of the option `diagonal`.",
    with = { offset = function(_, call, offset, x, _, dim1, dim2) return call(x, offset, dim1, dim2) end },
    samples = { { "f[3]" }, { "f[2,3]", 1 }, { "f[3]", -2 }, { "f[2,3]", 1, 1, 3 }, { "f[2,3]", -1, 3, 1 } },
    lua = function(x, diagonal, dim1, dim2)
      local y = K.diagonals(x, diagonal)
      local rows, columns = axis("diag_embed", "dim1", y, dim1), axis("diag_embed", "dim2", y, dim2)
      if rows == columns then raise("diag_embed", "dim1 and dim2 are both %d", rows) end
      if rows == y:dim() - 1 and columns == y:dim() then return y end
      return y:movedim({ -2, -1 }, { rows, columns })
    end,
  }
  composite "diag" {
    args = "x, diagonal: int = 0",
    doc = "A matrix with the vector x on a diagonal, or a copy of a diagonal of the matrix x.",
    samples = { { "f[3]" }, { "f[3,4]", 1 } },
    lua = function(x, diagonal)
      if x:dim() == 1 then return x:diag_embed(diagonal) end
      return x:diagonal(diagonal, 1, 2):clone()
    end,
  }
  composite "trace" {
    args = "x", doc = "The sum of the main diagonal of a matrix.", samples = { { "f[3,3]" }, { "f[3,4]" } },
    lua = function(x) return x:diagonal(0, 1, 2):sum() end,
  }
  local function triangle_indices(part)
    return function(rows, cols, offset)
      return K.nonzero(K.ones({ rows, cols }, { dtype = K.bool })[part](K.ones({ rows, cols },
        { dtype = K.bool }), offset))
        :transpose(1, 2)
    end
  end
  composite "tril_indices" {
    args = "rows: int, cols: int, offset: int = 0",
    doc = "[2, count]: rows and columns of tril's elements, by rows.",
    samples = { { 3, 4 }, { 3, 3, -1 } }, lua = triangle_indices "tril",
  }
  composite "triu_indices" {
    args = "rows: int, cols: int, offset: int = 0",
    doc = "[2, count]: rows and columns of triu's elements, by rows.",
    samples = { { 3, 4 }, { 3, 3, 1 } }, lua = triangle_indices "triu",
  }
end
