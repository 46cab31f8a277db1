--- A batch norm in evaluation folded into the layer before it, which then computes both.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local Parameter = require "kiln.nn.parameter"
local check = require "kiln.check"

local raise = check.raise
local M = {}

-- A copy of `layer` whose output dim `dim` is scaled and shifted as `norm` does it.
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
  kiln.no_grad(function()
    local scale = (norm.running_var + norm.eps):rsqrt()
    if norm.weight then scale = scale * norm.weight end
    local shift = norm.bias or kiln.zeros_like(norm.running_mean)
    local before = layer.bias and layer.bias - norm.running_mean or -norm.running_mean
    local shape = {}
    for d = 1, layer.weight:dim() do shape[d] = d == dim and -1 or 1 end
    local dtype, trained = layer.weight.dtype, layer.weight.requires_grad
    twin.weight = Parameter((layer.weight * scale:view(shape)):to(dtype), trained)
    twin.bias = Parameter((before * scale + shift):to(dtype), trained)
  end)
  return twin
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

return M
