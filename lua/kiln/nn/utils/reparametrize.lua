--- Weights computed from other parameters before each forward: weight_norm (Salimans and Kingma 2016)
-- and spectral_norm (Miyato et al. 2018).
local kiln = require "kiln"
local args = require "kiln.utils.args"
local Object = require "kiln.class"
local Module = require "kiln.nn.module"
local Parameter = require "kiln.nn.parameter"
local check = require "kiln.check"

local raise, got = check.raise, check.got

local M = {}

-- What was done to a module stands in its `_computed`, { hook, computed } by what and name; functions get the
-- module, so that a copy of it computes from its own parameters.
local function attach(module, key, hook, computed)
  local done = rawget(module, "_computed") or {}
  if done[key] then raise("nn.utils", "%s has %s already", module.__name, key) end
  module:register_forward_pre_hook(hook)
  done[key] = { hook = hook, computed = computed }
  rawset(module, "_computed", done)
end

-- Undoes it, and returns the function that computes the weight.
local function detach(function_name, module, name)
  if not Object.is_instance(module, Module) then
    raise(function_name, "module must be a module, not %s", got(module))
  end
  if type(name) ~= "string" then raise(function_name, "name must be a string, not %s", got(name)) end
  local key, rest = function_name:gsub("^remove_", "") .. " of " .. name, {}
  local entry = (rawget(module, "_computed") or {})[key]
  if not entry then raise(function_name, "%s has no %s", module.__name, key) end
  for other, value in pairs(module._computed) do
    if other ~= key then rest[other] = value end
  end
  rawset(module, "_computed", rest) -- a copy of the module keeps the old one
  local list = module._hooks["forward pre-hook"]
  for k, fn in ipairs(list) do
    if fn == entry.hook then table.remove(list, k) break end
  end
  return entry.computed
end
jit.off(detach)

local function check_parameter(function_name, module, name)
  local weight = module[name]
  if not Parameter.is(weight) then raise(function_name, "%s has no parameter '%s'", module.__name, name) end
  return weight
end

-- -- weight_norm -------------------------------------------------------------------------------

-- The norm over all dims but one, kept in shape; over everything without a dim.
local function norm_except(v, dim)
  if not dim then return v:norm() end
  local dims = {}
  for d = 1, v:dim() do
    if d ~= dim then dims[#dims + 1] = d end
  end
  return #dims > 0 and v:norm(2, dims, true) or v:abs()
end

local parse_weight = args.define("weight_norm", "module: module, name: string = weight, dim: any = 1")

--- Splits a weight into its direction (name_v) and its length along `dim` (name_g; dim = false: one
-- length for all).  Returns the module.
function M.weight_norm(...)
  local a = parse_weight(...)
  local module, name, dim = a.module, a.name, a.dim
  local weight = check_parameter("weight_norm", module, name)
  local axis = dim and check.axis("weight_norm", "dim", weight, check.int(dim, "weight_norm", "dim"))
  local v = weight:detach():clone()
  module[name] = nil
  module[name .. "_g"] = Parameter(norm_except(v, axis))
  module[name .. "_v"] = Parameter(v)
  local function compute(m)
    local direction = m[name .. "_v"]
    return direction * (m[name .. "_g"] / norm_except(direction, axis))
  end
  attach(module, "weight_norm of " .. name, function(m) m[name] = compute(m) end, compute)
  module[name] = compute(module)
  return module
end

--- Makes the weight a parameter again, with its value now.
function M.remove_weight_norm(module, name)
  name = name or "weight"
  local compute = detach("remove_weight_norm", module, name)
  local weight = compute(module):detach()
  module[name .. "_g"], module[name .. "_v"], module[name] = nil, nil, nil
  module[name] = Parameter(weight)
  return module
end

-- -- spectral_norm -----------------------------------------------------------------------------

local function normalize(x, eps) return x / math.max(x:norm():item(), eps) end

local parse_spectral = args.define("spectral_norm",
  "module: module, name: string = weight, n_power_iterations: count = 1, eps: number = 1e-12, dim: int?")

--- Divides a weight by its largest singular value, estimated by power iteration.  Returns the module.
function M.spectral_norm(...)
  local a = parse_spectral(...)
  local module, name = a.module, a.name
  local weight = check_parameter("spectral_norm", module, name)
  local dim = check.axis("spectral_norm", "dim", weight, a.dim
    or (module.__name:find "^ConvTranspose" and 2 or 1))
  local function matrix(w)
    if dim ~= 1 then w = w:transpose(1, dim) end
    return w:reshape(w:size(1), -1)
  end
  local options = { dtype = weight.dtype, device = weight.device }
  local flat = matrix(weight:detach())
  module[name] = nil
  module[name .. "_orig"] = Parameter(weight:detach())
  module:register_buffer(name .. "_u", normalize(kiln.randn(flat:size(1), options), a.eps))
  module:register_buffer(name .. "_v", normalize(kiln.randn(flat:size(2), options), a.eps))
  local function compute(m, iterate)
    local w = m[name .. "_orig"]
    local u, v = m[name .. "_u"], m[name .. "_v"]
    if iterate then
      kiln.no_grad(function()
        local rows = matrix(w:detach())
        for _ = 1, a.n_power_iterations do
          v:copy_(normalize(rows:t():mv(u), a.eps))
          u:copy_(normalize(rows:mv(v), a.eps))
        end
      end)
    end
    return w / u:clone():dot(matrix(w):mv(v:clone()))
  end
  attach(module, "spectral_norm of " .. name, function(m) m[name] = compute(m, m.training) end, compute)
  module[name] = compute(module, true)
  return module
end

--- Makes the weight a parameter again, with its value now.
function M.remove_spectral_norm(module, name)
  name = name or "weight"
  local compute = detach("remove_spectral_norm", module, name)
  local weight = compute(module, false):detach()
  for _, part in ipairs { "_orig", "_u", "_v", "" } do module[name .. part] = nil end
  module[name] = Parameter(weight)
  return module
end

return M
