--- Clipping of gradients, and parameters as one vector.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local capturing = require "kiln.cuda.capturing"
local Object = require "kiln.class"
local Module = require "kiln.nn.module"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = check.vocabulary {}

-- One tensor or a list of them as a list.
local function tensor_list(name, argument, v)
  if kiln.is_tensor(v) then return { v } end
  if type(v) ~= "table" or getmetatable(v) then
    raise(name, "%s must be tensors, not %s%s", argument, got(v), Object.is_instance(v, Module)
      and "; of a module it is net:parameters()" or "")
  end
  return v
end

-- The gradients of one parameter or a list of them; of row-sparse ones the values.
local function gradients(name, parameters)
  local list = {}
  for _, p in ipairs(tensor_list(name, "parameters", parameters)) do
    local g = check.tensor(p, name, "a parameter").grad
    if g and g:numel() > 0 then list[#list + 1] = g.is_sparse and g:values() or g:detach() end
  end
  return list
end

local NORM = ", norm_type: number = 2, error_if_nonfinite: bool = false, foreach: bool?"
local parse_clip = args.define("clip_grad_norm", "parameters: any, max_norm: number" .. NORM)
local parse_total = args.define("get_total_norm", "tensors: any" .. NORM)
local parse_scale = args.define("clip_grads_with_norm", "parameters: any, max_norm: number, total_norm: any, "
  .. "foreach: bool?")

-- The same without the host, for graphs: the norm is a tensor.
local function clip_on_device(list, max_norm, norm_type)
  local norms = {}
  for i, g in ipairs(list) do
    norms[i] = norm_type == math.huge and g:abs():max():to(kiln.float32) or g:norm(norm_type):to(kiln.float32)
  end
  local all = kiln.stack(norms)
  local total = norm_type == math.huge and all:max() or all:norm(norm_type)
  local scale = (max_norm / (total + 1e-6)):clamp(0, 1)
  for _, g in ipairs(list) do g:mul_(scale) end
  return total
end

-- The norm of all elements of a list of tensors, a number.
local function total_norm(name, list, norm_type, must_be_finite)
  local total = 0
  for _, g in ipairs(list) do
    if g:numel() == 0 then -- no row was looked up
      total = total + 0
    elseif norm_type == math.huge then
      total = math.max(total, g:abs():max():item())
    else
      local n = g:norm(norm_type):item()
      total = total + n ^ norm_type
    end
  end
  if norm_type ~= math.huge then total = total ^ (1 / norm_type) end
  local is_finite = total < math.huge -- false for NaN
  if must_be_finite and not is_finite then raise(name, "the norm is %g, and error_if_nonfinite", total) end
  return total
end

local function scale_down(list, max_norm, total)
  local scale = max_norm / (total + 1e-6)
  if scale < 1 then
    for _, g in ipairs(list) do g:mul_(scale) end
  end
end

--- Scales the gradients of all parameters together so that their norm is at most max_norm.
-- Returns the norm before; while a graph is being captured, as a tensor.
---@param parameters kiln.Tensor|kiln.Tensor[]
---@param max_norm number
---@param norm_type? number default 2; math.huge is the largest element
---@param error_if_nonfinite? boolean default false
---@return number|kiln.Tensor
function M.clip_grad_norm(...)
  local a = parse_clip(...)
  local max_norm, norm_type = a.max_norm, a.norm_type
  check.at_least(max_norm, "clip_grad_norm", "max_norm", 0)
  check.above(norm_type, "clip_grad_norm", "norm_type", 0)
  local norm = kiln.scope(function() -- what is made here keeps no gradient alive
    local list = gradients("clip_grad_norm", a.parameters)
    if capturing.current and #list > 0 then return clip_on_device(list, max_norm, norm_type) end
    local total = total_norm("clip_grad_norm", list, norm_type, a.error_if_nonfinite)
    scale_down(list, max_norm, total)
    return total
  end)
  return norm
end
M.clip_grad_norm_ = M.clip_grad_norm

--- The norm of all elements of some tensors: of gradients, what clip_grad_norm would return.
---@param tensors kiln.Tensor|kiln.Tensor[]
---@return number
function M.get_total_norm(...)
  local a = parse_total(...)
  check.above(a.norm_type, "get_total_norm", "norm_type", 0)
  local list = {}
  for i, t in ipairs(tensor_list("get_total_norm", "tensors", a.tensors)) do
    t = check.tensor(t, "get_total_norm", ("tensors[%d]"):format(i))
    if t:numel() > 0 then list[#list + 1] = t.is_sparse and t:values() or t:detach() end
  end
  return total_norm("get_total_norm", list, a.norm_type, a.error_if_nonfinite)
end

--- The second half of clip_grad_norm: scales gradients whose norm, total_norm, is known.
function M.clip_grads_with_norm(...)
  local a = parse_scale(...)
  local total = a.total_norm
  check.at_least(a.max_norm, "clip_grads_with_norm", "max_norm", 0)
  if kiln.is_tensor(total) then total = total:item() end
  check.number(total, "clip_grads_with_norm", "total_norm")
  kiln.scope(function() scale_down(gradients("clip_grads_with_norm", a.parameters), a.max_norm, total) end)
end
M.clip_grads_with_norm_ = M.clip_grads_with_norm

--- Clips each element of the gradients to [-clip_value, clip_value].
function M.clip_grad_value(parameters, clip_value)
  check.number(clip_value, "clip_grad_value", "clip_value")
  check.at_least(clip_value, "clip_grad_value", "clip_value", 0)
  kiln.scope(function()
    for _, g in ipairs(gradients("clip_grad_value", parameters)) do g:clamp_(-clip_value, clip_value) end
  end)
end
M.clip_grad_value_ = M.clip_grad_value

local function check_list(name, parameters)
  if type(parameters) ~= "table" then
    raise(name, "parameters must be a list of tensors, not %s", got(parameters))
  end
  if parameters[1] == nil then raise(name, "the list of parameters is empty") end
  for i, p in ipairs(parameters) do check.tensor(p, name, ("parameters[%d]"):format(i)) end
end

--- All parameters, one after the other, as one vector.
function M.parameters_to_vector(parameters)
  check_list("parameters_to_vector", parameters)
  local parts = {}
  for i, p in ipairs(parameters) do parts[i] = p:reshape(-1) end
  return kiln.cat(parts, 1)
end

--- The inverse: writes the vector's parts into the parameters.
function M.vector_to_parameters(vector, parameters)
  check.tensor(vector, "vector_to_parameters", "vector")
  check_list("vector_to_parameters", parameters)
  local offset, total = 0, 0
  for _, p in ipairs(parameters) do total = total + p:numel() end
  if vector:numel() ~= total then
    raise("vector_to_parameters", "the vector has %d elements, the parameters %d", vector:numel(), total)
  end
  kiln.no_grad(function()
    for _, p in ipairs(parameters) do
      p:copy_(vector:narrow(1, offset + 1, p:numel()):view_as(p))
      offset = offset + p:numel()
    end
  end)
end

return M
