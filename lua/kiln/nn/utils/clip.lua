--- Clipping of gradients, and parameters as one vector.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local capturing = require "kiln.cuda.capturing"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

-- The gradients of one parameter or a list of them; of row-sparse ones the values.
local function gradients(name, parameters)
  if kiln.is_tensor(parameters) then parameters = { parameters } end
  if type(parameters) ~= "table" then raise(name, "parameters must be tensors, not %s", got(parameters)) end
  local list = {}
  for _, p in ipairs(parameters) do
    local g = check.tensor(p, name, "a parameter").grad
    if g and g:numel() > 0 then list[#list + 1] = g.is_sparse and g:values() or g:detach() end
  end
  return list
end

local parse_norm = args.define("clip_grad_norm", "parameters: any, max_norm: number, norm_type: number = 2")

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

--- Scales the gradients of all parameters together so that their norm is at most max_norm.
-- Returns the norm before; while a graph is being captured, as a tensor.
---@param parameters kiln.Tensor|kiln.Tensor[]
---@param max_norm number
---@param norm_type? number default 2; math.huge is the largest element
---@return number|kiln.Tensor
function M.clip_grad_norm(...)
  local a = parse_norm(...)
  local parameters, max_norm, norm_type = a.parameters, a.max_norm, a.norm_type
  local is_norm = max_norm >= 0 -- false for NaN
  if not is_norm then raise("clip_grad_norm", "max_norm must be at least 0, not %g", max_norm) end
  local list, total = gradients("clip_grad_norm", parameters), 0
  if capturing.current and #list > 0 then return clip_on_device(list, max_norm, norm_type) end
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
  local scale = max_norm / (total + 1e-6)
  if scale < 1 then
    for _, g in ipairs(list) do g:mul_(scale) end
  end
  return total
end
M.clip_grad_norm_ = M.clip_grad_norm

--- Clips each element of the gradients to [-clip_value, clip_value].
function M.clip_grad_value(parameters, clip_value)
  local is_bound = check.number(clip_value, "clip_grad_value", "clip_value") >= 0
  if not is_bound then raise("clip_grad_value", "clip_value must be at least 0, not %g", clip_value) end
  for _, g in ipairs(gradients("clip_grad_value", parameters)) do g:clamp_(-clip_value, clip_value) end
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
