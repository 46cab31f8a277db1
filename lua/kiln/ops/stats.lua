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
  composite "nanmedian" {
    args = "x, dim: axis? = nil, keepdim: bool = false",
    doc = "The median along dim (of all elements without) of what is not NaN, the lower of two, and its position.",
    samples = { { "u[3,5]", 2 }, { "u[4,3]", 1, true }, { "u[3,4]" }, { "x[3,5]", 2 } }, sizes = false,
    lua = function(x, dim, keepdim)
      if dim and x:dim() > 0 and x:size(axis("nanmedian", "dim", x, dim)) > 0 and x:numel() == 0 then
        return K.median(x, dim, keepdim)
      end
      if x:numel() == 0 then raise("nanmedian", "no elements to choose from: the shape is %s", tostring(x.shape)) end
      local whole = dim == nil
      if whole then x, dim = x:reshape(-1), 1 end
      local sorted, from = x:sort(dim)
      local left = x:eq(x):sum(dim, true)
      local at = left:sub(1):floor_divide(2):clamp(0):add(1)
      local value, position = sorted:gather(dim, at), from:gather(dim, at)
      if keepdim and not whole then return value, position end
      return value:squeeze(dim), position:squeeze(dim)
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
      args = "x, dims: axes = {}, unbiased: bool = true, keepdim: bool = false, correction: int? = nil",
      doc = ("%s and mean of x."):format(name), samples = { { "f[3,4]" }, { "f[3,4]", { 1 } },
        { "f[2,3,4]", { 1, 3 }, false }, { "f[3,4]", { 2 }, true, true } },
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
      local apart = x - (x * w):sum(2, true) / total
      local n = total - (aweights == nil and correction or correction * (w * aweights):sum() / total)
      return K.matmul(apart, (apart * w):t()):div(n:clamp(0)):squeeze()
    end,
  }
  composite "corrcoef" {
    args = "x", doc = "The correlation coefficients of variables (rows) by observations (columns).",
    samples = { { "f[3,5]" }, { "f[5]" } }, tol = 1e-4,
    lua = function(x)
      local c = K.cov(x)
      if c:dim() == 0 then return c / c end
      local deviation = c:diagonal():sqrt()
      return (c / deviation:unsqueeze(2) / deviation:unsqueeze(1)):clamp(-1, 1)
    end,
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
end
