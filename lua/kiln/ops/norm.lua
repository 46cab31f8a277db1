--- Op rows: normalisation.
-- Sums are taken in double precision over pieces in float, so large batches lose nothing.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise = op.raise

  -- Running statistics that can be written: checked before anything is.
  local function check_running(name, what, running, x)
    if running == nil then return end
    local channels = x:dim() > 1 and x:size(2) or 0
    if running:dim() ~= 1 or running:size(1) ~= channels then
      raise(name, "%s must have shape [%d], its shape is %s", what, channels, tostring(running.shape))
    end
    if not running.dtype.is_floating_point then
      raise(name, "%s must be of floating numbers, not %s", what, tostring(running.dtype))
    end
    if channels > 1 and running:stride(1) == 0 then
      raise(name, "the elements of %s share memory; clone it first", what)
    end
  end

  -- -- Batch normalisation --------------------------------------------------------------------------

  kernel "batch_norm_train" {
    args = "x, weight?, bias?, eps: number = 1e-5",
    doc = "x normalised over all dims but the second; also gives the mean and the (biased) variance, not below "
      .. "float32.",
    shape = "batch_norm_train", outs = 3, dtype = "statistics", diff_outs = "1", grad = true,
    saves = { x = "x weight out2 out3", weight = "x out2 out3", bias = "x out2 out3" }, tol = 1e-4,
    special = "first", -- the reference multiplies by weight / deviation, which an infinite weight shows
    samples = { { "f[4,3]", "f[3]", "f[3]" }, { "f[2,3,4]", "f[3]" },
      { "f[2,3,2,3]", "f[3]", "f[3]", 1e-3 } },
  }
  kernel "batch_norm_eval" {
    sizes = false, -- there must be channels
    args = "x, mean, var, weight?, bias?, eps: number = 1e-5",
    doc = "x normalised by the given mean and variance of each entry of its second dim.",
    shape = "batch_norm_eval", grad = true, tol = 1e-4,
    saves = { x = "var weight", mean = "var weight", var = "x mean var weight", weight = "x mean var",
      bias = "" },
    samples = { { "f[4,3]", "f[3]", "f(0.5,2)[3]", "f[3]", "f[3]" }, { "f[2,3,4]", "f[3]", "f(0.5,2)[3]" } },
  }
  kernel "batch_norm_dx" {
    args = "g, x, weight?, mean, var, eps: number", doc = "The three gradients of batch_norm_train.",
    shape = "batch_norm_dx", outs = 3, grad = false, internal = true,
  }
  composite "batch_norm" {
    sizes = false, -- there must be channels
    args = "x, running_mean?, running_var?, weight?, bias?, training: bool = false, "
      .. "momentum: number = 0.1, eps: number = 1e-5",
    doc = "Batch normalisation; training uses the batch's statistics and updates the running ones in place.",
    samples = { { "f[4,3]", "f[3]", "f(0.5,2)[3]", "f[3]", "f[3]" } },
    lua = function(x, running_mean, running_var, weight, bias, training, momentum, eps)
      if not training then
        if running_mean == nil or running_var == nil then
          raise("batch_norm", "running_mean and running_var are needed unless training")
        end
        return K.batch_norm_eval(x, running_mean, running_var, weight, bias, eps)
      end
      local n = x:dim() > 1 and x:numel() / math.max(x:size(2), 1) or 0
      if n == 1 then raise("batch_norm", "training needs more than one value a channel, got shape %s",
        tostring(x:size())) end
      check_running("batch_norm", "running_mean", running_mean, x)
      check_running("batch_norm", "running_var", running_var, x)
      if n == 0 and x:dim() > 1 and x:size(2) > 0 then -- of an empty batch there are no statistics
        local zeros = K.zeros({ x:size(2) }, { dtype = x.dtype, device = x.device })
        return K.batch_norm_eval(x, zeros, zeros + 1, weight, bias, eps)
      end
      local y, mean, var = K.batch_norm_train(x, weight, bias, eps)
      if running_mean ~= nil then running_mean:mul_(1 - momentum):add_(mean, momentum) end
      if running_var ~= nil then running_var:mul_(1 - momentum):add_(var, momentum * n / (n - 1)) end
      return y
    end,
  }

  -- -- Normalisation of each sample -----------------------------------------------------------------

  kernel "layer_norm" {
    args = "x, normalized_shape: shape, weight?, bias?, eps: number = 1e-5",
    doc = "x normalised over its last dims, which have the shape normalized_shape, like weight and bias.",
    shape = "layer_norm", grad = true, saves = { x = "x weight", weight = "x weight", bias = "x weight" },
    tol = 1e-4,
    samples = { { "f[3,4]", { 4 }, "f[4]", "f[4]" }, { "f[2,3,4]", { 3, 4 }, "f[3,4]" },
      { "f[2,3]", { 3 } } },
  }
  kernel "layer_norm_dx" {
    args = "g, x, weight?, normalized_shape: shape, eps: number", doc = "The three gradients of layer_norm.",
    shape = "layer_norm_dx", outs = 3, grad = false, internal = true,
  }
  kernel "rms_norm" {
    args = "x, normalized_shape: shape, weight?, eps: number = 1.1920928955078125e-07",
    doc = "x over the root of the mean square of its last dims, which have the shape normalized_shape.",
    shape = "layer_norm", grad = true, saves = { x = "x weight", weight = "x weight" }, tol = 1e-4,
    samples = { { "f[3,4]", { 4 }, "f[4]" }, { "f[2,3,4]", { 3, 4 } } },
  }
  kernel "rms_norm_dx" {
    args = "g, x, weight?, normalized_shape: shape, eps: number", doc = "The two gradients of rms_norm.",
    shape = "layer_norm_dx", outs = 2, grad = false, internal = true,
  }
  kernel "group_norm" {
    args = "x, num_groups: int, weight?, bias?, eps: number = 1e-5",
    doc = "x [n, c, ...] normalised over each sample's groups of channels; weight and bias go by channel.",
    shape = "group_norm", grad = true, saves = { x = "x weight", weight = "x weight", bias = "x weight" },
    tol = 1e-4, special = "first",
    samples = { { "f[2,4,3]", 2, "f[4]", "f[4]" }, { "f[2,6]", 3 }, { "f[1,4,2,3]", 4, "f[4]" } },
  }
  kernel "group_norm_dx" {
    args = "g, x, weight?, num_groups: int, eps: number", doc = "The three gradients of group_norm.",
    shape = "group_norm_dx", outs = 3, grad = false, internal = true,
  }

  local function spatial_dims(x)
    local dims = {}
    for d = 3, x:dim() do dims[#dims + 1] = d end
    return dims
  end

  composite "instance_norm" {
    args = "x, running_mean?, running_var?, weight?, bias?, use_input_stats: bool = true, "
      .. "momentum: number = 0.1, eps: number = 1e-5",
    doc = "x [n, c, ...] normalised over each channel of each sample; updates running statistics in place.",
    samples = { { "f[2,3,4]" } },
    lua = function(x, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
      if not use_input_stats then
        return K.batch_norm(x, running_mean, running_var, weight, bias, false, momentum, eps)
      end
      if x:dim() < 3 then raise("instance_norm", "x must have at least 3 dims, it has %d", x:dim()) end
      check_running("instance_norm", "running_mean", running_mean, x)
      check_running("instance_norm", "running_var", running_var, x)
      if x:size(2) == 0 then return x:clone() end
      local y = K.group_norm(x, x:size(2), weight, bias, eps)
      if x:numel() > 0 and (running_mean ~= nil or running_var ~= nil) then
        local data = x:detach()
        if data.dtype ~= K.float64 then data = data:float() end -- squares of 16 bits
        local mean = data:mean(spatial_dims(x), true)
        if running_mean ~= nil then
          running_mean:mul_(1 - momentum):add_(mean:mean(1):view(-1), momentum)
        end
        if running_var ~= nil then
          local n = x:numel() / (x:size(1) * x:size(2))
          local var = (data - mean):square():mean(spatial_dims(x)):mean(1)
          running_var:mul_(1 - momentum):add_(var, momentum * n / (n - 1))
        end
      end
      return y
    end,
  }
  composite "local_response_norm" {
    args = "x, size: int, alpha: number = 1e-4, beta: number = 0.75, k: number = 1",
    doc = "x over (k + alpha * the mean square of `size` neighbouring channels) ^ beta.",
    samples = { { "f[2,5,3]", 3 }, { "f[2,5,3,2]", 2, 0.1, 0.5, 2 } },
    lua = op.in_float32(function(x, size, alpha, beta, k)
      if x:dim() < 3 then raise("local_response_norm", "x must have at least 3 dims, it has %d", x:dim()) end
      if size < 1 then raise("local_response_norm", "size must be at least 1, got %d", size) end
      if x:numel() == 0 then return x:clone() end
      local squares = x:square():reshape({ x:size(1), 1, x:size(2), -1 })
      local parts = { squares }
      local function pad(n, where)
        if n > 0 then table.insert(parts, where, squares:new_zeros({ x:size(1), 1, n, squares:size(4) })) end
      end
      pad(math.floor(size / 2), 1)
      pad(math.floor((size - 1) / 2), #parts + 1)
      local mean = K.avg_pool2d(#parts > 1 and K.cat(parts, 3) or squares, { size, 1 }, 1)
      return x / (mean:view(x:size()) * alpha + k):pow(beta)
    end),
  }
end
