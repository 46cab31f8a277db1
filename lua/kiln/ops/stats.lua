--- Op rows: statistics: quantiles, sums without NaN, covariance, areas under samples.
return function(op, K)
  local composite = op.composite
  local raise, axis = op.raise, op.axis
  local DIMS = "x, dims: axes = {}, keepdim: bool = false"
  local OVER = { { "f[3,4]" }, { "f[3,4]", { 1 } }, { "f[2,3,4]", { -2 }, true }, { "x[3,5]", { 2 } }, { "x[15]" } }

  -- -- Without NaN ------------------------------------------------------------------------------

  local CAST = " The option `dtype` says what x is cast to first."
  composite "nansum" {
    args = DIMS, doc = "Sum over dims (all without) of what is not NaN; integers sum as int64." .. CAST, samples = OVER,
    with = { dtype = op.with_dtype },
    lua = function(x, dims, keepdim)
      return K.sum(x.dtype.is_floating_point and K.where(x:isnan(), 0, x) or x, dims, keepdim)
    end,
  }
  composite "nanmean" {
    args = DIMS, doc = "Mean over dims (all without) of what is not NaN; NaN where nothing is left." .. CAST,
    samples = OVER, with = { dtype = op.with_float_dtype },
    lua = function(x, dims, keepdim)
      if not x.dtype.is_floating_point then return K.mean(x, dims, keepdim) end
      return K.nansum(x, dims, keepdim) / K.sum(x:eq(x), dims, keepdim)
    end,
  }

  -- -- Quantiles --------------------------------------------------------------------------------

  local function check_quantile(name, x, q)
    if not x.dtype.is_floating_point then raise(name, "x must be floating, got %s", x.dtype.name) end
    if x:numel() == 0 then raise(name, "x has no elements, its shape is %s", tostring(x.shape)) end
    if q:dim() > 1 then raise(name, "q must be a number or have 1 dim, its shape is %s", tostring(q.shape)) end
    local bad = K.logical_not(q:ge(0):logical_and(q:le(1)))
    if bad:any():item() then
      raise(name, "q must be from 0 to 1, got %.14g", q:masked_select(bad):select(1, 1):item())
    end
  end

  -- Sorted along the last dim, and how many elements of each line are counted.
  local function sorted_lines(x, without_nan)
    local sorted, n = x:sort(-1), x:size(-1)
    if without_nan then return sorted, x:eq(x):sum(-1, true):to(x.dtype) end
    return sorted, K.full({}, n, { dtype = x.dtype, device = x.device }):expand(sorted:narrow(-1, 1, 1).shape)
  end

  -- NaN is the last of its line: there every rank leads.
  local function ranks(q, sorted, count, without_nan)
    local rank = q * (count - 1)
    if without_nan then return rank:clamp(0) end
    return K.where(sorted:narrow(-1, -1, 1):isnan(), sorted:size(-1) - 1, rank)
  end

  local ROUND = { lower = "floor", higher = "ceil", nearest = "round" }
  local function at_ranks(sorted, rank, interpolation)
    if ROUND[interpolation] then return sorted:gather(-1, K[ROUND[interpolation]](rank):long():add(1)) end
    local below, above = rank:floor(), rank:ceil()
    local low, high = sorted:gather(-1, below:long():add(1)), sorted:gather(-1, above:long():add(1))
    if interpolation == "midpoint" then return K.lerp(low, high, 0.5) end
    return K.lerp(low, high, rank - below)
  end

  -- Quantiles [..., k] along the last dim, where dim `at` of x (nil: all of x) was exchanged with the last, as the
  -- result: dim `at` goes (has size 1, if keepdim), and k is the first dim, unless it was one number.
  local function placed(y, x, at, one, keepdim)
    if not at or x:dim() == 0 then
      local shape = one and {} or { y:size(-1) }
      for _ = 1, keepdim and x:dim() or 0 do shape[#shape + 1] = 1 end
      return y:reshape(shape)
    end
    y = y:transpose(at, -1)
    if one then return keepdim and y or y:squeeze(at) end
    y = y:unsqueeze(1):transpose(1, at + 1)
    return keepdim and y or y:squeeze(at + 1)
  end

  for _, name in ipairs { "quantile", "nanquantile" } do
    local without_nan = name == "nanquantile"
    composite(name) {
      args = "x, q: any, dim: axis? = nil, keepdim: bool = false, "
        .. "interpolation: linear|lower|higher|nearest|midpoint = linear",
      doc = ("The q-th quantile along dim (of all elements without), between two elements by `interpolation`%s; q is a "
        .. "number from 0 to 1, or a vector of such, which gives the result a first dim."):format(
        without_nan and "; NaN is left out" or "; NaN if there is one"),
      samples = { { "u[3,5]", 0.3, 2 }, { "u[4,3]", 0.5, 1, true }, { "u[3,4]", 0.9 }, { "u[3,4]", "f(0,1)[2]", 2 },
        { "u[4,2]", "f(0,1)[3]", 1, true, "midpoint" }, { "u[5]", 0.4, 1, false, "higher" },
        { "u[5]", 0.4, 1, false, "lower" }, { "u[5]", 0.6, 1, false, "nearest" }, { "x[3,5]", 0.4, 2 } },
      sizes = false, -- of nothing there is none
      lua = function(x, q, dim, keepdim, interpolation)
        local check = require "kiln.check"
        if x.dtype == K.float16 or x.dtype == K.bfloat16 then -- whose numbers are too few for ranks
          return K[name](x:float(), q, dim, keepdim, interpolation):to(x.dtype)
        end
        local one = type(q) == "number"
        if not one then check.tensor(q, name, "q") end
        q = one and K.full({}, q, { dtype = x.dtype, device = x.device }) or q:to(x.dtype)
        check_quantile(name, x, q)
        one = one or q:dim() == 0
        local ndim, at = x:dim(), dim and axis(name, "dim", x, dim)
        local lines = at and (ndim > 0 and x:transpose(at, -1) or x:reshape(1)) or x:reshape(-1)
        local sorted, count = sorted_lines(lines, without_nan)
        local y = at_ranks(sorted, ranks(q:reshape(-1), sorted, count, without_nan), interpolation)
        return placed(y, x, at, one, keepdim)
      end,
    }
  end

  -- -- Spread -----------------------------------------------------------------------------------

  for _, name in ipairs { "var", "std" } do
    composite(name .. "_mean") {
      args = "x, dims: axes = {}, unbiased: bool = true, keepdim: bool = false, correction: number? = nil",
      doc = ("%s and mean of x."):format(name),
      samples = { { "f[3,4]" }, { "f[3,4]", { 1 } }, { "f[2,3,4]", { 1, 3 }, false }, { "f[3,4]", { 2 }, true, true } },
      lua = function(x, dims, unbiased, keepdim, correction)
        return K[name](x, dims, unbiased, keepdim, correction), K.mean(x, dims, keepdim)
      end,
    }
  end
  local function matrix(name, x)
    if x:dim() > 2 then raise(name, "x must have at most 2 dims, its shape is %s", tostring(x.shape)) end
    return x:dim() == 2 and x or x:reshape({ 1, -1 })
  end
  local function check_weights(x, w, what)
    if w == nil then return end
    if w:dim() ~= 1 or w:size(1) ~= x:size(2) then
      raise("cov", "%s must have shape [%d], theirs is %s", what, x:size(2), tostring(w.shape))
    end
    if w:lt(0):any():item() then raise("cov", "%s must not be negative, the least is %.14g", what, w:min():item()) end
  end
  composite "cov" {
    args = "x, correction: int = 1, fweights?, aweights?",
    doc = "The covariance matrix of variables (rows) by observations (columns); fweights say how often each observation "
      .. "stands, aweights how much it counts.",
    samples = { { "f[3,5]" }, { "f[5]", 0 }, { "f[2,4]", 1, "i(1,3)[4]", "f(0.5,2)[4]" } }, tol = 1e-4,
    lua = function(x, correction, fweights, aweights)
      x = matrix("cov", x)
      check_weights(x, fweights, "fweights")
      check_weights(x, aweights, "aweights")
      if fweights ~= nil and fweights.dtype.is_floating_point then
        raise("cov", "fweights must be integers, got %s", fweights.dtype.name)
      end
      if not x.dtype.is_floating_point then x = x:to(K.get_default_dtype()) end
      local w = fweights
      if aweights ~= nil then w = w == nil and aweights or w * aweights end
      if w == nil then
        local apart = x - x:mean(2, true)
        return K.matmul(apart, apart:t()):div(math.max(x:size(2) - correction, 0)):squeeze()
      end
      local total = w:sum()
      if total:item() == 0 then raise("cov", "the weights sum to 0") end
      local apart = x - (x * w):sum(2, true) / total
      local n = total - (aweights == nil and correction or correction * (w * aweights):sum() / total)
      return K.matmul(apart, (apart * w):t()):div(n:clamp(0)):squeeze()
    end,
  }
  composite "corrcoef" {
    args = "x", doc = "The correlation coefficients of variables (rows) by observations (columns).",
    samples = { { "f[3,5]" }, { "f[5]" } }, tol = 1e-4,
    lua = op.in_float32(function(x)
      local c = K.cov(x)
      if c:dim() == 0 then return c / c end
      local deviation = c:diagonal():sqrt()
      return (c / deviation:unsqueeze(2) / deviation:unsqueeze(1)):clamp(-1, 1)
    end),
  }

  -- -- Areas ------------------------------------------------------------------------------------

  -- The area between each two neighbours of y along dim.
  local function trapezia(name, y, x, dx, dim)
    dim = axis(name, "dim", y, dim)
    if y:dim() == 0 then raise(name, "y has no dims") end
    local n = y:size(dim)
    local areas = math.max(n - 1, 0)
    local both = y:narrow(dim, 1, areas) + y:narrow(dim, n - areas + 1, areas)
    if x == nil then return both * dx / 2, dim end
    if x:dim() == 0 then raise(name, "x must have places along a dim, its shape is []; a distance is dx") end
    local at = x:dim() == 1 and 1 or axis(name, "dim", x, dim - y:dim() - 1)
    if x:size(at) ~= n then raise(name, "dim %d of y has size %d, that of x %d", dim, n, x:size(at)) end
    local steps = n > 0 and x:diff(1, at) or x
    if x:dim() == 1 then
      local shape = {}
      for d = 1, y:dim() do shape[d] = d == dim and areas or 1 end
      steps = steps:reshape(shape)
    end
    return both * steps / 2, dim
  end
  local AREAS = { { "f[5]" }, { "f[3,4]", nil, 0.5, 1 }, { "f[3,4]", "f[4]" }, { "f[3,4]", "f[3,4]" } }
  composite "trapezoid" {
    args = "y, x?, dx: number = 1, dim: axis = -1", also = "trapz",
    doc = "The area under samples y along dim by trapezia, at places x or at distances dx.", samples = AREAS,
    lua = function(y, x, dx, dim)
      local parts, at = trapezia("trapezoid", y, x, dx, dim)
      return parts:sum(at)
    end,
  }
  composite "cumulative_trapezoid" {
    args = "y, x?, dx: number = 1, dim: axis = -1", doc = "trapezoid up to each sample but the first.", samples = AREAS,
    lua = function(y, x, dx, dim)
      local parts, at = trapezia("cumulative_trapezoid", y, x, dx, dim)
      return parts:cumsum(at)
    end,
  }

  -- -- Slopes -----------------------------------------------------------------------------------

  -- `count` positions of dim from `first` on.
  local function at(x, dim, first, count) return x:narrow(dim, first, count) end

  -- Weights of three neighbours in the derivative at the middle one, which lie a and b apart; and at the first.
  local function middle(a, b) return -b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b)) end
  local function outer(a, b) return -(2 * a + b) / (a * (a + b)), (a + b) / (a * b), -a / (b * (a + b)) end

  -- The derivative of x along dim at samples `steps` apart: a number, or a tensor that broadcasts.
  local function slope(x, dim, steps, edge_order)
    local n, even = x:size(dim), type(steps) == "number"
    local function step(i, count) return even and steps or at(steps, dim, i, count) end
    local function value(i, count) return at(x, dim, i, count or 1) end
    local function weighted(i, count, p, q, r)
      return p * value(i, count) + q * value(i + 1, count) + r * value(i + 2, count)
    end
    local first, last
    if edge_order == 1 then
      first = (value(2) - value(1)) / step(1, 1)
      last = (value(n) - value(n - 1)) / step(n - 1, 1)
    else
      first = weighted(1, 1, outer(step(1, 1), step(2, 1)))
      local p, q, r = outer(step(n - 1, 1), step(n - 2, 1)) -- seen from the other end
      last = weighted(n - 2, 1, -r, -q, -p)
    end
    if n == 2 then return K.cat({ first, last }, dim) end
    local between
    if even then
      between = (value(3, n - 2) - value(1, n - 2)) / (2 * steps)
    else
      between = weighted(1, n - 2, middle(step(1, n - 2), step(2, n - 2)))
    end
    return K.cat({ first, between, last }, dim)
  end

  -- The distances along dim that `spacing`, a number or places, means.
  local function distances(x, dim, spacing)
    if not K.is_tensor(spacing) then return require("kiln.check").number(spacing, "gradient", "spacing") end
    if spacing:dim() ~= 1 or spacing:size(1) ~= x:size(dim) then
      raise("gradient", "the places along dim %d must have shape [%d], theirs is %s", dim, x:size(dim),
        tostring(spacing.shape))
    end
    local shape = {}
    for d = 1, x:dim() do shape[d] = d == dim and x:size(dim) - 1 or 1 end
    return spacing:diff():reshape(shape)
  end

  composite "gradient" {
    args = "x, spacing: any, dims: axes? = nil, edge_order: int = 1",
    doc = "The derivative of samples x along each of dims (all without), a result each, by differences of neighbours on "
      .. "both sides; at the ends by those of 2 samples, or of 3 with edge_order 2. spacing is the distance of samples "
      .. "(1 without), or a list: for each dim a number or a vector of places.",
    samples = { { "f[5]" }, { "f[3,4]", 0.5 }, { "f[3,4]", 2, { 2 }, 2 }, { "f[3,4]", { 2, 0.5 }, edge_order = 2 },
      { "f[2,5]", { "u[5]" }, { -1 } }, { "f[5]", { "u[5]" }, { 1 }, 2 } },
    sizes = false, -- fewer than 2 samples have no slope
    lua = function(x, spacing, dims, edge_order)
      if edge_order ~= 1 and edge_order ~= 2 then raise("gradient", "edge_order must be 1 or 2, got %d", edge_order) end
      if dims == nil then
        dims = {}
        for d = 1, x:dim() do dims[d] = d end
      end
      if x:dim() == 0 then raise("gradient", "x has no dims") end
      if spacing == nil then spacing = 1 end
      local each = type(spacing) == "table"
      if each and #spacing ~= #dims then
        raise("gradient", "spacing must have an entry for each of %d dims, it has %d", #dims, #spacing)
      end
      if not x.dtype.is_floating_point then x = x:to(K.get_default_dtype()) end
      local results = {}
      for i, d in ipairs(dims) do
        d = axis("gradient", "dims", x, d)
        if x:size(d) <= edge_order then
          raise("gradient", "dim %d has size %d, at least %d is needed", d, x:size(d), edge_order + 1)
        end
        results[i] = slope(x, d, distances(x, d, each and spacing[i] or spacing), edge_order)
      end
      return unpack(results, 1, #dims)
    end,
  }

  -- -- Histograms ---------------------------------------------------------------------------------

  -- The edges of bins along one dim, of which x are the places: `bins` many, in the range low to high.
  local function edges_of(name, x, bins, low, high)
    if K.is_tensor(bins) then
      if bins:dim() ~= 1 or bins:size(1) < 2 then
        raise(name, "edges must be a vector of at least 2, their shape is %s", tostring(bins.shape))
      end
      return bins:to(x.dtype)
    end
    if type(bins) ~= "number" or bins < 1 or bins % 1 ~= 0 then
      raise(name, "bins must be a whole number from 1 or a vector of edges, got %s", require("kiln.check").got(bins))
    end
    if low == nil then
      low, high = 0, 1
      if x:numel() > 0 then low, high = x:min():item(), x:max():item() end
    end
    if low - low ~= 0 or high - high ~= 0 then raise(name, "the range [%g, %g] is not finite", low, high) end
    if low > high then raise(name, "the range [%g, %g] must not end before it begins", low, high) end
    if low == high then low, high = low - 0.5, high + 0.5 end
    return K.linspace(low, high, bins + 1, { dtype = x.dtype, device = x.device })
  end

  -- The bin of each x (from 1), and whether there is one: the last bin includes its end.
  local function bins_of(x, edges)
    local n = edges:size(1) - 1
    local bin = K.searchsorted(edges, x, true) - 1
    local is_last = x:eq(edges:narrow(1, n + 1, 1))
    return bin:clamp(1, n), bin:ge(1):logical_and(bin:le(n):logical_or(is_last)), n
  end

  -- The histogram of points, columns[d] their places along dim d, and the edges.
  local function histogram(name, columns, bins, range, weight, density)
    if range ~= nil and (type(range) ~= "table" or #range ~= 2 * #columns) then
      raise(name, "range must be a list of %d numbers, got %s", 2 * #columns, require("kiln.check").got(range))
    end
    local edges, sizes, total, place, counts = {}, {}, 1, nil, nil
    for d, x in ipairs(columns) do
      local bound = range or {}
      edges[d] = edges_of(name, x, bins[d], bound[2 * d - 1], bound[2 * d])
      local bin, is_inside
      bin, is_inside, sizes[d] = bins_of(x, edges[d])
      place = d == 1 and bin or (place - 1) * sizes[d] + bin
      counts = d == 1 and is_inside or counts:logical_and(is_inside)
      total = total * sizes[d]
    end
    local x = columns[1]
    counts = weight == nil and counts:to(x.dtype) or K.where(counts, weight:to(x.dtype), 0)
    local result = x:new_zeros(total):index_add(1, place, counts):reshape(sizes)
    if not density then return result, edges end
    result = result / result:sum()
    for d, edge in ipairs(edges) do
      local shape = {}
      for k = 1, #edges do shape[k] = k == d and sizes[d] or 1 end
      result = result / edge:diff():reshape(shape)
    end
    return result, edges
  end

  local function check_points(name, x, weight, shape)
    if not x.dtype.is_floating_point then raise(name, "x must be floating, got %s", x.dtype.name) end
    if weight ~= nil and tostring(weight.shape) ~= tostring(shape) then
      raise(name, "weight must have shape %s, it has %s", tostring(shape), tostring(weight.shape))
    end
  end

  composite "histogram" {
    args = "x, bins: any, range: any, weight?, density: bool = false",
    doc = "How many elements (or how much of `weight`) fall into each bin, and the edges of the bins: `bins` equal ones of "
      .. "range, { low, high } (without: of the data), or a vector of edges. The last bin includes its end. With density "
      .. "the area is 1.",
    samples = { { "f[50]", 5 }, { "f[5,4]", 4, { -1, 1 } }, { "f[9]", 3, nil, "f(0,1)[9]", true } },
    grad = false, special = false, sizes = false,
    lua = function(x, bins, range, weight, density)
      check_points("histogram", x, weight, x.shape)
      if K.is_tensor(bins) then bins = bins:detach() end
      weight = weight ~= nil and weight:detach():reshape(-1) or nil
      local counts, edges = histogram("histogram", { x:detach():reshape(-1) }, { bins }, range, weight, density)
      return counts, edges[1]
    end,
  }
  composite "histogramdd" {
    args = "x, bins: any, range: any, weight?, density: bool = false",
    doc = "The histogram of points x [..., n] in n dims, and the edges of the bins along each dim, a result each. bins is a "
      .. "number, or a list: for each dim a number or a vector of edges; range { low1, high1, low2, high2, ... }.",
    samples = { { "f[30,2]", 3 }, { "f[30,2]", { 2, 3 }, { -1, 1, -2, 2 } }, { "f[3,5,2]", { 2, 2 }, nil, "f(0,1)[3,5]", true } },
    grad = false, special = false, sizes = false,
    lua = function(x, bins, range, weight, density)
      if x:dim() < 2 or x:size(-1) == 0 then
        raise("histogramdd", "x must have shape [..., n], its shape is %s", tostring(x.shape))
      end
      local shape, n, columns, each = {}, x:size(-1), {}, {}
      for d = 1, x:dim() - 1 do shape[d] = x:size(d) end
      check_points("histogramdd", x, weight, "[" .. table.concat(shape, ", ") .. "]")
      if type(bins) == "table" and #bins ~= n then
        raise("histogramdd", "bins must have an entry for each of %d dims, it has %d", n, #bins)
      end
      for d = 1, n do
        columns[d] = x:detach():select(-1, d):reshape(-1)
        each[d] = type(bins) == "table" and bins[d] or bins
        if K.is_tensor(each[d]) then each[d] = each[d]:detach() end
      end
      weight = weight ~= nil and weight:detach():reshape(-1) or nil
      local counts, edges = histogram("histogramdd", columns, each, range, weight, density)
      return counts, unpack(edges, 1, n)
    end,
  }
end
