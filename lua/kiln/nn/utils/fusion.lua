--- A batch norm in evaluation folded into the layer before it, which then computes both.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local Parameter = require "kiln.nn.parameter"
local check = require "kiln.check"

local raise = check.raise
local M = {}

-- A weight and a bias (or none) whose output dim `dim` is scaled and shifted as a norm does it.  norm:
-- running_mean, running_var, eps, weight?, bias?.
local function folded(weight, bias, norm, dim)
  local scale = (norm.running_var + norm.eps):rsqrt()
  if norm.weight then scale = scale * norm.weight end
  local shift = norm.bias or kiln.zeros_like(norm.running_mean)
  local before = bias and bias - norm.running_mean or -norm.running_mean
  local shape = {}
  for d = 1, weight:dim() do shape[d] = d == dim and -1 or 1 end
  local dtype, trained = weight.dtype, weight.requires_grad
  return Parameter((weight * scale:view(shape)):to(dtype), trained),
    Parameter((before * scale + shift):to(dtype), trained)
end

-- A copy of `layer` with its weights folded so.
local function fused(name, layer, norm, dim)
  if layer.training or norm.training then
    raise(name, "both must be in evaluation mode: call eval() first")
  end
  if not (norm.running_mean and norm.running_var) then
    raise(name, "%s has no running statistics", norm.__name)
  end
  if not layer.weight or norm.num_features ~= layer.weight:size(dim) * (dim == 2 and layer.groups or 1) then
    raise(name, "%s and %s do not go together", tostring(layer):match "^[^\n]*", tostring(norm))
  end
  local twin = layer:clone()
  local weight, bias = kiln.no_grad(function() return folded(layer.weight, layer.bias, norm, dim) end)
  twin.weight = weight
  twin.bias = bias
  return twin
end

-- A function of that name that folds weights that are arguments.
local function fuse_weights(name, layer, more)
  local parse = args.define(name, ("%s_w: tensor, %s_b: tensor?, bn_rm: tensor, bn_rv: tensor, "
    .. "bn_eps: number = 1e-5, bn_w: tensor?, bn_b: tensor?%s"):format(layer, layer, more))
  return function(...)
    local a = parse(...)
    local weight, bias, dim = a[layer .. "_w"], a[layer .. "_b"], a.transpose and 2 or 1
    if weight:dim() < 2 then
      raise(name, "%s_w must have at least 2 dims, its shape is %s", layer, tostring(weight.shape))
    end
    local n = weight:size(dim)
    for _, part in ipairs { layer .. "_b", "bn_rm", "bn_rv", "bn_w", "bn_b" } do
      local v = a[part]
      if v and (v:dim() ~= 1 or v:size(1) ~= n) then
        raise(name, "%s must be [%d], a number for each output of %s_w; its shape is %s", part, n, layer,
          tostring(v.shape))
      end
    end
    return kiln.no_grad(function()
      return folded(weight, bias, { running_mean = a.bn_rm, running_var = a.bn_rv, eps = a.bn_eps,
        weight = a.bn_w, bias = a.bn_b }, dim)
    end)
  end
end

local parse_conv = args.define("fuse_conv_bn_eval", "conv: module, bn: module, transpose: bool = false")

--- A convolution that computes bn(conv(x)); both must be in evaluation mode.  transpose says that it is a
-- transposed one, without groups.
---@return kiln.nn.Module
function M.fuse_conv_bn_eval(...)
  local a = parse_conv(...)
  if a.transpose and a.conv.groups ~= 1 then
    raise("fuse_conv_bn_eval", "a transposed convolution must have 1 group, not %s", tostring(a.conv.groups))
  end
  return fused("fuse_conv_bn_eval", a.conv, a.bn, a.transpose and 2 or 1)
end

local parse_linear = args.define("fuse_linear_bn_eval", "linear: module, bn: module")

--- A linear layer that computes bn(linear(x)); both must be in evaluation mode.
---@return kiln.nn.Module
function M.fuse_linear_bn_eval(...)
  local a = parse_linear(...)
  return fused("fuse_linear_bn_eval", a.linear, a.bn, 1)
end

--- The weight and the bias, as parameters, of a convolution that computes a batch norm of it, too.
M.fuse_conv_bn_weights = fuse_weights("fuse_conv_bn_weights", "conv", ", transpose: bool = false")
--- The weight and the bias, as parameters, of a linear layer that computes a batch norm of it, too.
M.fuse_linear_bn_weights = fuse_weights("fuse_linear_bn_weights", "linear", "")

return M
