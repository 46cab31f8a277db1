--- Normalisation layers: over the batch, an instance, groups of channels, or the last dims.
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local init = require "kiln.nn.init"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise = check.raise

local M = {}

-- -- Batch and instance: running statistics -----------------------------------------------------

-- The parameters of an affine layer, one number a channel; bias = false leaves the shift out.
local function scale_and_shift(self, n)
  local with_bias = self.bias
  if self.affine then self.weight = self:make { n } end
  self.bias = self.affine and with_bias and self:make { n } or nil
end

local function running_setup(self)
  scale_and_shift(self, self.num_features)
  if self.track_running_stats then
    self:register_buffer("running_mean", self:constant { self.num_features })
    self:register_buffer("running_var", self:constant({ self.num_features }, 1))
    self:register_buffer("num_batches_tracked", kiln.zeros({}, { dtype = kiln.int64 }))
  end
end

local running_methods = {
  reset_running_stats = function(self)
    if not self.track_running_stats then return end
    self.running_mean:zero_()
    self.running_var:fill_(1)
    self.num_batches_tracked:zero_()
  end,
  reset_parameters = function(self)
    self:reset_running_stats()
    if self.weight then init.ones(self.weight) end
    if self.bias then init.zeros(self.bias) end
  end,
}

local function refuse_dims(self, x, allowed)
  local list = {}
  for d in pairs(allowed) do list[#list + 1] = d end
  table.sort(list)
  raise(self.__name, "input must have %s dims, not %d", table.concat(list, " or "), x:dim())
end
jit.off(refuse_dims) -- walks a table: docs/architecture.md, "LuaJIT"

-- allowed: a set of how many dims; without, any number from 2.
local function check_dims(self, x, allowed)
  check.tensor(x, self.__name, "input")
  if allowed and not allowed[x:dim()] then refuse_dims(self, x, allowed) end
  if x:dim() < 2 then raise(self.__name, "input must have at least 2 dims, not %d", x:dim()) end
end

local function batch_norm(name, allowed, more)
  return declare(name) {
    args = "num_features: whole, eps: number = 1e-5, momentum: any = 0.1, affine: bool = true, "
      .. "track_running_stats: bool = true" .. (more or ""), last = "bias: bool = true",
    tensors = true, setup = running_setup, methods = running_methods,
    --- momentum = false keeps a plain average over all batches.
    forward = function(self, x)
      check_dims(self, x, allowed)
      if x:size(2) ~= self.num_features and (self.running_mean or self.weight) then
        raise(self.__name, "num_features is %d, and x of shape %s has %d channels", self.num_features,
          tostring(x.shape), x:size(2))
      end
      local track = self.training and self.track_running_stats
      local factor = self.momentum
      if track and not factor then factor = 1 / (self.num_batches_tracked:item() + 1) end
      local use_batch = self.training or not self.track_running_stats
      local y = F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, use_batch,
        factor or 0, self.eps)
      if track then self.num_batches_tracked:add_(1) end
      return y
    end,
  }
end

-- dims: how many a batch has; an input may have one less, which is the batch's.
local function instance_norm(name, dims)
  return declare(name) {
    args = "num_features: whole, eps: number = 1e-5, momentum: number = 0.1, affine: bool = false, "
      .. "track_running_stats: bool = false", last = "bias: bool = true",
    tensors = true, setup = running_setup, methods = running_methods,
    forward = function(self, x)
      check_dims(self, x, { [dims - 1] = true, [dims] = true })
      local single = x:dim() < dims
      local batch = single and x:unsqueeze(1) or x
      local use_input = self.training or not self.track_running_stats
      if use_input and batch:numel() > 0 and batch:numel() == batch:size(1) * batch:size(2) then
        raise(name, "training needs more than one value a channel of each sample, got shape %s",
          tostring(x.shape))
      end
      local y = F.instance_norm(batch, self.running_mean, self.running_var, self.weight, self.bias, use_input,
        self.momentum, self.eps)
      return single and y:squeeze(1) or y
    end,
  }
end

M.BatchNorm1d = batch_norm("BatchNorm1d", { [2] = true, [3] = true })
M.BatchNorm2d = batch_norm("BatchNorm2d", { [4] = true })
M.BatchNorm3d = batch_norm("BatchNorm3d", { [5] = true })

--- BatchNorm of any number of dims.  Its statistics are those of this process alone, so a process_group is
-- refused.
M.SyncBatchNorm = batch_norm("SyncBatchNorm", nil, ", process_group: any?")

local function refuse_group(owner, group)
  if group ~= nil then
    raise(owner, "process_group must be left out, as the statistics are those of this process; it is %s",
      check.got(group))
  end
end

local plain_init = M.SyncBatchNorm.init
function M.SyncBatchNorm:init(...)
  plain_init(self, ...)
  refuse_group("SyncBatchNorm", self.process_group)
end

local CONVERT = "SyncBatchNorm.convert_sync_batchnorm"
local parse_convert = args.define(CONVERT, "module: module, process_group: any?")

--- A module with a SyncBatchNorm in the place of every BatchNorm in it, which has its parameters and
-- statistics; itself where there is none.
---@param module kiln.nn.Module
---@return kiln.nn.Module
function M.SyncBatchNorm.convert_sync_batchnorm(...)
  local a, twins = parse_convert(...), {}
  refuse_group(CONVERT, a.process_group)
  local function converted(m)
    if twins[m] then return twins[m] end
    local twin = m
    for n = 1, 3 do
      if m:is_a(M["BatchNorm" .. n .. "d"]) and m.num_features > 0 then
        twin = M.SyncBatchNorm(m.num_features, { eps = m.eps, momentum = m.momentum, affine = m.affine,
          track_running_stats = m.track_running_stats, bias = m.bias ~= nil })
        for _, name in ipairs(m._order) do twin[name] = m[name] end
        twin.training = m.training
      end
    end
    twins[m] = twin
    for name, child in m:named_children() do
      local new = converted(child)
      if new ~= child then twin[name] = new end
    end
    return twin
  end
  return converted(a.module)
end

M.InstanceNorm1d = instance_norm("InstanceNorm1d", 3)
M.InstanceNorm2d = instance_norm("InstanceNorm2d", 4)
M.InstanceNorm3d = instance_norm("InstanceNorm3d", 5)

-- -- Without statistics to keep -----------------------------------------------------------------

local affine_methods = { reset_parameters = function(self)
  if self.weight then init.ones(self.weight) end
  if self.bias then init.zeros(self.bias) end
end }

local function shape_of(self)
  local shape = self.normalized_shape
  if type(shape) == "number" then shape = { shape } end
  if type(shape) ~= "table" or #shape == 0 then
    raise(self.__name, "normalized_shape must be a size or a list of sizes")
  end
  self.normalized_shape = shape
  return shape
end

--- Over the last dims, normalized_shape.
M.LayerNorm = declare "LayerNorm" {
  args = "normalized_shape: any, eps: number = 1e-5, elementwise_affine: bool = true, bias: bool = true",
  tensors = true, methods = affine_methods,
  setup = function(self)
    local shape = shape_of(self)
    local with_bias = self.bias
    if self.elementwise_affine then self.weight = self:make(shape) end
    self.bias = self.elementwise_affine and with_bias and self:make(shape) or nil
  end,
  forward = function(self, x)
    return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
  end,
}

--- x / rms(x) over the last dims (Zhang and Sennrich 2019); eps defaults to the epsilon of the dtype that it
--- computes in.
M.RMSNorm = declare "RMSNorm" {
  args = "normalized_shape: any, eps: number?, elementwise_affine: bool = true",
  tensors = true, methods = affine_methods,
  setup = function(self)
    local shape = shape_of(self)
    if self.elementwise_affine then self.weight = self:make(shape) end
  end,
  forward = function(self, x)
    check.tensor(x, "RMSNorm", "input")
    return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)
  end,
}

--- Over groups of channels (Wu and He 2018).
M.GroupNorm = declare "GroupNorm" {
  args = "num_groups: count, num_channels: count, eps: number = 1e-5, affine: bool = true",
  last = "bias: bool = true", tensors = true, methods = affine_methods,
  setup = function(self)
    if self.num_channels % self.num_groups ~= 0 then
      raise("GroupNorm", "num_channels (%d) must divide by num_groups (%d)", self.num_channels,
        self.num_groups)
    end
    scale_and_shift(self, self.num_channels)
  end,
  forward = function(self, x) return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps) end,
}

--- Over neighbouring channels (Krizhevsky et al. 2012).
M.LocalResponseNorm = declare "LocalResponseNorm" {
  args = "size: count, alpha: number = 1e-4, beta: number = 0.75, k: number = 1",
  forward = function(self, x) return F.local_response_norm(x, self.size, self.alpha, self.beta, self.k) end,
}

return M
