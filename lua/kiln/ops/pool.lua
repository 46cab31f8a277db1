--- Op rows: pooling over windows of the last one to three dims.
-- Leading dims are taken as they come, so a batch is optional.  Positions count from 1, row by row,
-- inside one plane.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise = op.raise

  kernel "max_pool" {
    args = "x, size: ints, stride: ints, padding: ints, dilation: ints, ceil_mode: bool = false",
    doc = "The largest value of each window and its position; the number of entries in size says over how "
      .. "many dims.",
    shape = "max_pool", outs = 2, diff_outs = "1", dtype = "values_index", grad = true,
    saves = { x = "out2" },
    samples = {
      { "f[2,7]", { 3 }, { 2 }, { 1 }, { 1 } }, { "f[2,5,6]", { 2, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, true },
      { "f[1,2,6,6]", { 2, 2 }, { 1, 2 }, { 0, 0 }, { 2, 1 } },
      { "f[2,3,4,4]", { 2, 2, 2 }, { 1, 1, 2 }, { 0, 0, 0 }, { 1 } },
    },
  }
  kernel "adaptive_max_pool" {
    args = "x, size: ints",
    doc = "The largest value, and its position, of each of `size` windows that cover a dim.",
    shape = "adaptive_pool", outs = 2, diff_outs = "1", dtype = "values_index", grad = true,
    saves = { x = "out2" },
    samples = { { "f[2,7]", { 3 } }, { "f[2,5,6]", { 2, 3 } }, { "f[2,4,3,5]", { 2, 2, 2 } } },
  }
  kernel "fractional_max_pool" {
    args = "x, samples, size: ints, output_size: ints",
    doc = "Maximum over windows of the given size at pseudo-random steps: x [n, c, h, w] with samples "
      .. "[n, c, 2] in [0, 1), for w and h, or x [n, c, d, h, w] with samples [n, c, 3], for d, h and w.",
    shape = "fractional_max_pool", outs = 2, diff_outs = "1", dtype = "values_index", grad = true,
    saves = { x = "out2" }, samples = { { "f[2,3,7,8]", "f(0,0.9)[2,3,2]", { 2, 3 }, { 3, 4 } },
      { "f[2,2,6,5,7]", "f(0,0.9)[2,2,3]", { 2, 1, 3 }, { 3, 4, 2 } } },
  }
  kernel "max_unpool" {
    sizes = false, -- there must be dims to pool over
    args = "x, positions: index, size: ints, add: bool = false",
    doc = "Planes of the given size, zero but for x at its positions; the last of equal positions stays, "
      .. "or all add up.",
    shape = "max_unpool", grad = true, saves = { x = "positions" },
    samples = { { "f[2,3]", "i(1,5)[2,3]", { 5 }, true }, { "f[2,2,2]", "i(1,12)[2,2,2]", { 3, 4 }, true } },
  }
  kernel "max_unpool_dx" {
    args = "g, positions: index, dims: int", doc = "The elements of g's planes (its last dims) at positions.",
    shape = "max_unpool_dx", grad = true, internal = true, saves = { g = "positions" },
  }

  kernel "avg_pool" {
    args = "x, size: ints, stride: ints, padding: ints, ceil_mode: bool = false, "
      .. "count_include_pad: bool = true, divisor: int? = nil",
    doc = "The mean of each window (the sum over divisor, if given), padding counted or not.",
    shape = "avg_pool", grad = true, saves = "",
    samples = {
      { "f[2,7]", { 3 }, { 2 }, { 1 } }, { "f[2,5,6]", { 2, 3 }, { 2, 2 }, { 1, 1 }, true, false },
      { "f[1,2,6,6]", { 2, 2 }, { 1, 2 }, { 0, 0 }, false, true, 3 },
      { "f[2,3,4,4]", { 2, 2, 2 }, { 1 }, { 0 } },
    },
  }
  kernel "avg_pool_dx" {
    args = "g, input: ints, size: ints, stride: ints, padding: ints, ceil_mode: bool, "
      .. "count_include_pad: bool, divisor: int?",
    doc = "The gradient of avg_pool for planes of the size input.", shape = "avg_pool_dx", grad = true,
    internal = true,
    saves = "",
  }
  kernel "adaptive_avg_pool" {
    args = "x, size: ints", doc = "The mean of each of `size` windows that cover a dim.",
    shape = "adaptive_pool", grad = true, saves = "",
    samples = { { "f[2,7]", { 3 } }, { "f[2,5,6]", { 2, 3 } }, { "f[2,4,3,5]", { 2, 2, 2 } } },
  }
  kernel "adaptive_avg_pool_dx" {
    args = "g, input: ints", doc = "The gradient of adaptive_avg_pool for planes of the size input.",
    shape = "adaptive_avg_pool_dx", grad = true, internal = true, saves = "",
  }

  -- -- By number of dims ------------------------------------------------------------------------------

  local function spread(name, what, value, n)
    local list = {}
    if type(value) == "table" and #value ~= n and #value ~= 1 then
      raise(name, "%s must be a number or %d numbers, got %d", what, n, #value)
    elseif type(value) ~= "number" and type(value) ~= "table" then
      raise(name, "%s must be a number or a list, got %s", what, require("kiln.check").got(value))
    end
    for i = 1, n do
      list[i] = value
      if type(value) == "table" then list[i] = #value == 1 and value[1] or value[i] end
      if type(list[i]) ~= "number" and list[i] ~= false then
        raise(name, "%s[%d] must be a number, got %s", what, i, require("kiln.check").got(list[i]))
      end
    end
    return list
  end

  local function check_dims(name, x, n)
    if x:dim() ~= n + 1 and x:dim() ~= n + 2 then
      raise(name, "x must have %d dims (or %d without a batch), it has %d", n + 2, n + 1, x:dim())
    end
  end

  -- The sizes wanted of an adaptive pool: false keeps a dim as it is.
  local function adaptive_size(name, x, size, n)
    local list = spread(name, "output_size", size, n)
    for i = 1, n do
      if list[i] == false then list[i] = x:size(x:dim() - n + i) end
    end
    return list
  end

  local function pick(return_indices, values, positions)
    if return_indices then return values, positions end
    return values
  end

  local PLANES = { "f[2,3,8]", "f[2,3,6,6]", "f[1,2,4,4,4]" }
  for n = 1, 3 do
    local function named(format) return format:format(n) end
    local name = named "max_pool%dd"
    composite(name) {
      args = "x, kernel_size: any, stride: any, padding: any, dilation: any, ceil_mode: bool = false, "
        .. "return_indices: bool = false",
      doc = "The largest value of each window (stride: kernel_size unless given), and its position if "
        .. "return_indices.",
      samples = { { PLANES[n], 2 }, { PLANES[n], 3, 2, 1, 1, true } },
      lua = function(x, size, stride, padding, dilation, ceil_mode, return_indices)
        check_dims(name, x, n)
        return pick(return_indices, K.max_pool(x, spread(name, "kernel_size", size, n),
          spread(name, "stride", stride or size, n), spread(name, "padding", padding or 0, n),
          spread(name, "dilation", dilation or 1, n), ceil_mode))
      end,
    }
    local avg = named "avg_pool%dd"
    composite(avg) {
      args = "x, kernel_size: any, stride: any, padding: any, ceil_mode: bool = false, "
        .. "count_include_pad: bool = true, divisor_override: int? = nil",
      doc = "The mean of each window (stride: kernel_size unless given).",
      samples = { { PLANES[n], 2 }, { PLANES[n], 3, 2, 1, true, false } },
      lua = function(x, size, stride, padding, ceil_mode, count_include_pad, divisor)
        check_dims(avg, x, n)
        return K.avg_pool(x, spread(avg, "kernel_size", size, n), spread(avg, "stride", stride or size, n),
          spread(avg, "padding", padding or 0, n), ceil_mode, count_include_pad, divisor)
      end,
    }
    local adaptive_max = named "adaptive_max_pool%dd"
    composite(adaptive_max) {
      args = "x, output_size: any, return_indices: bool = false",
      doc = "The largest value of each of output_size windows, and its position if return_indices.",
      samples = { { PLANES[n], 3 } },
      lua = function(x, size, return_indices)
        check_dims(adaptive_max, x, n)
        return pick(return_indices, K.adaptive_max_pool(x, adaptive_size(adaptive_max, x, size, n)))
      end,
    }
    local adaptive_avg = named "adaptive_avg_pool%dd"
    composite(adaptive_avg) {
      args = "x, output_size: any", doc = "The mean of each of output_size windows.",
      samples = { { PLANES[n], 3 } },
      lua = function(x, size)
        check_dims(adaptive_avg, x, n)
        return K.adaptive_avg_pool(x, adaptive_size(adaptive_avg, x, size, n))
      end,
    }
    local unpool = named "max_unpool%dd"
    composite(unpool) {
      args = "x, indices: index, kernel_size: any, stride: any, padding: any, output_size: any",
      doc = "The inverse of max pooling: zeros but for x at the positions where it came from.",
      samples = { { ({ "f[2,3]", "f[1,2,2]", "f[1,2,2,2]" })[n],
        ({ "n(1,6)[2,3]", "n(1,16)[1,2,2]", "n(1,64)[1,2,2,2]" })[n], 2 } },
      lua = function(x, indices, size, stride, padding, output_size)
        check_dims(unpool, x, n)
        size = spread(unpool, "kernel_size", size, n)
        stride = spread(unpool, "stride", stride or size, n)
        padding = spread(unpool, "padding", padding or 0, n)
        local plane = {}
        for i = 1, n do
          plane[i] = (x:size(x:dim() - n + i) - 1) * stride[i] - 2 * padding[i] + size[i]
          if type(output_size) == "table" then plane[i] = output_size[#output_size - n + i] end
        end
        return K.max_unpool(x, indices, plane)
      end,
    }
    local lp = named "lp_pool%dd"
    composite(lp) {
      args = "x, norm_type: number, kernel_size: any, stride: any, ceil_mode: bool = false",
      doc = "The p-norm of each window, p = norm_type; infinite p give the largest and the smallest magnitude.",
      samples = { { ({ "f(0.5,2)[2,3,8]", "f(0.5,2)[2,3,6,6]", "f(0.5,2)[1,2,4,4,4]" })[n], 2, 2 } },
      lua = op.in_float32(function(x, p, size, stride, ceil_mode)
        size = spread(lp, "kernel_size", size, n)
        if p == math.huge or p == -math.huge then
          local sign = p > 0 and 1 or -1
          return K[name](x:abs() * sign, size, stride, 0, 1, ceil_mode) * sign
        end
        local count = 1
        for i = 1, n do count = count * size[i] end
        local mean = K[avg](x:pow(p), size, stride, 0, ceil_mode)
        local none = mean:eq(0) -- a root has no slope there, and the reference takes 0
        return K.where(none, 0, (K.where(none, 1, mean) * count):pow(1 / p))
      end),
    }
  end

  for n = 2, 3 do
    local name = ("fractional_max_pool%dd"):format(n)
    composite(name) {
      args = "x, kernel_size: any, output_size: any, output_ratio: any, return_indices: bool = false, "
        .. "random_samples?",
      doc = "Maximum over windows at pseudo-random steps (Graham 2014); give output_size or output_ratio.",
      samples = n == 2 and { { "f[2,3,7,8]", 2, { 3, 4 }, nil, false, "f(0,0.9)[2,3,2]" } }
        or { { "f[2,5,6,7]", { 1, 2, 3 }, nil, 0.5, false, "f(0,0.9)[1,2,3]" } },
      lua = function(x, size, output_size, ratio, return_indices, samples)
        check_dims(name, x, n)
        if (output_size == nil) == (ratio == nil) then
          raise(name, "needs either output_size or output_ratio")
        end
        if output_size == nil then
          output_size = spread(name, "output_ratio", ratio, n)
          for d = 1, n do output_size[d] = math.floor(x:size(d - n - 1) * output_size[d]) end
        end
        local single = x:dim() == n + 1
        if single then x = x:unsqueeze(1) end
        if samples == nil then samples = x:new_empty({ x:size(1), x:size(2), n }):uniform_() end
        local values, positions = K.fractional_max_pool(x, samples, spread(name, "kernel_size", size, n),
          spread(name, "output_size", output_size, n))
        if single then values, positions = values:squeeze(1), positions:squeeze(1) end
        return pick(return_indices, values, positions)
      end,
    }
  end
end
