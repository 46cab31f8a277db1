--- Weights under a condition, as parametrizations: weight_norm (Salimans and Kingma 2016), spectral_norm
-- (Miyato et al. 2018) and orthogonal (Lezcano-Casado 2019).  State dicts have the reference's keys.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local Module = require "kiln.nn.module"
local check = require "kiln.check"
local register = require("kiln.nn.utils.parametrize").register_parametrization

local raise = check.raise
local M = {}

-- The tensor of a module that is to be parametrized, and a dim of it.
local function weight_of(owner, a)
  local weight = a.module[a.name]
  if not kiln.is_tensor(weight) then
    raise(owner, "%s has no tensor '%s'", a.module.__name, check.one_line(a.name))
  end
  return weight
end

-- -- weight_norm -------------------------------------------------------------------------------

local WeightNorm = Module:extend "WeightNorm"
function WeightNorm:init(dim) self.dim = dim end

-- The norm over all dims but one, in shape; over everything without a dim.
function WeightNorm:norm(v)
  if not self.dim then return v:norm() end
  local dims = {}
  for d = 1, v:dim() do
    if d ~= self.dim then dims[#dims + 1] = d end
  end
  return #dims > 0 and v:norm(2, dims, true) or v:abs()
end
function WeightNorm:forward(g, v) return v * (g / self:norm(v)) end
function WeightNorm:right_inverse(weight) return self:norm(weight), weight end

local parse_weight = args.define("parametrizations.weight_norm", "module: module, name: string = weight, "
  .. "dim: any = 1")

--- The weight by its length along dim (original0) and its direction (original1); dim = false: one length for
-- all.
---@return kiln.nn.Module
function M.weight_norm(...)
  local a = parse_weight(...)
  local weight = weight_of("weight_norm", a)
  local dim = a.dim and check.axis("weight_norm", "dim", weight, check.int(a.dim, "weight_norm", "dim"))
  return register(a.module, a.name, WeightNorm(dim))
end

-- -- spectral_norm -----------------------------------------------------------------------------

local function unit(x, eps) return x / math.max(x:norm():item(), eps) end

local SpectralNorm = Module:extend "SpectralNorm"

function SpectralNorm:init(weight, n_power_iterations, dim, eps)
  self.dim, self.eps, self.n_power_iterations = dim, eps, n_power_iterations
  if weight:dim() < 2 then return end
  local flat = self:matrix(weight)
  local options = { dtype = weight.dtype, device = weight.device }
  self:register_buffer("_u", unit(kiln.randn(flat:size(1), options), eps))
  self:register_buffer("_v", unit(kiln.randn(flat:size(2), options), eps))
  self:iterate(flat, 15)
end

function SpectralNorm:matrix(w)
  if self.dim ~= 1 then w = w:transpose(1, self.dim) end
  return w:reshape(w:size(1), -1)
end

function SpectralNorm:iterate(flat, n)
  kiln.no_grad(function()
    for _ = 1, n do
      self._u:copy_(unit(flat:mv(self._v), self.eps))
      self._v:copy_(unit(flat:t():mv(self._u), self.eps))
    end
  end)
end

function SpectralNorm:forward(weight)
  if weight:dim() < 2 then return weight / weight:norm():clamp(self.eps, math.huge) end
  local flat = self:matrix(weight)
  if self.training then self:iterate(flat:detach(), self.n_power_iterations) end
  return weight / self._u:clone():dot(flat:mv(self._v:clone()))
end
function SpectralNorm.right_inverse(_, value) return value end

local parse_spectral = args.define("parametrizations.spectral_norm", "module: module, name: string = weight, "
  .. "n_power_iterations: count = 1, eps: number = 1e-12, dim: int?")

--- The weight over its largest singular value, estimated by power iteration.
---@return kiln.nn.Module
function M.spectral_norm(...)
  local a = parse_spectral(...)
  local weight = weight_of("spectral_norm", a)
  local dim = a.dim or (a.module.__name:find "ConvTranspose" and 2 or 1)
  dim = check.axis("spectral_norm", "dim", weight, dim)
  return register(a.module, a.name, SpectralNorm(weight:detach(), a.n_power_iterations, dim, a.eps))
end

-- -- orthogonal --------------------------------------------------------------------------------

local Orthogonal = Module:extend "Orthogonal"
function Orthogonal:init(map, use_trivialization)
  self.map = map
  self.use_trivialization = use_trivialization
end

-- The matrix with its longer side first, and whether it was turned.
local function tall(x)
  if x:size(-2) < x:size(-1) then return x:transpose(-2, -1), true end
  return x, false
end

local function eye(x, n) return kiln.eye(n, { dtype = x.dtype, device = x.device }) end

-- The orthogonal matrix of a skew-symmetric one.
local MAPS = {
  matrix_exp = function(skew) return skew:matrix_exp() end,
  cayley = function(skew)
    local one = eye(skew, skew:size(-1))
    return kiln.solve(one - skew * 0.5, one + skew * 0.5)
  end,
}

local function by_householder(x)
  local a = x:tril(-1)
  local tau = 2 / ((a * a):sum(-2) + 1)
  return kiln.householder_product(a, tau) * x:diagonal(0, -2, -1):trunc():unsqueeze(-2)
end

local function by_skew(x, map)
  local n, k = x:size(-2), x:size(-1)
  x = x:tril()
  if n ~= k then
    local shape = { unpack(x:size()) }
    shape[#shape] = n - k
    x = kiln.cat({ x, kiln.zeros(shape, { dtype = x.dtype, device = x.device }) }, -1)
  end
  local q = MAPS[map](x - x:transpose(-2, -1))
  return n ~= k and q:narrow(-1, 1, k) or q
end

function Orthogonal:forward(weight)
  local x, turned = tall(weight)
  local q = self.map == "householder" and by_householder(x) or by_skew(x, self.map)
  if self.base then q = kiln.matmul(self.base, q) end
  return turned and q:transpose(-2, -1) or q
end

-- The orthogonal factor of a matrix, as near to it as a QR says.
local function orthogonal_of(x)
  local a, tau = kiln.geqrf(x)
  return kiln.householder_product(a, tau) * a:diagonal(0, -2, -1):sign():unsqueeze(-2)
end

function Orthogonal:right_inverse(weight)
  local x, turned = tall(weight:detach())
  local n, k = x:size(-2), x:size(-1)
  if self.use_trivialization then
    if n ~= k then
      local shape = { unpack(x:size()) }
      shape[#shape] = n - k
      x = kiln.cat({ x, kiln.randn(shape, { dtype = x.dtype, device = x.device }) }, -1)
    end
    local is_orthogonal = kiln.matmul(x:transpose(-2, -1), x):allclose(eye(x, n), 1e-5, 1e-6)
    self:register_buffer("base", is_orthogonal and x:clone() or orthogonal_of(x))
    return eye(x, math.max(weight:size(-2), weight:size(-1))):narrow(-2, 1, weight:size(-2))
      :narrow(-1, 1, weight:size(-1)):neg():expand(weight:size()):clone()
  end
  if self.map ~= "householder" then return nil end
  local a, tau = kiln.geqrf(x)
  local sign = a:diagonal(0, -2, -1):sign()
  sign = kiln.where(tau:eq(0), -sign, sign):unsqueeze(-2)
  a = a:tril(-1) + sign * kiln.eye(n, k, { dtype = a.dtype, device = a.device })
  return turned and a:transpose(-2, -1) or a
end

local parse_orthogonal = args.define("parametrizations.orthogonal", "module: module, name: string = weight, "
  .. "orthogonal_map: matrix_exp|cayley|householder?, use_trivialization: bool = true")

--- A weight [..., n, k] with orthonormal columns (rows where n < k), by a map of free matrices: matrix_exp
-- where it is square, else householder, unless orthogonal_map says.  With use_trivialization it starts where
-- it is.
---@return kiln.nn.Module
function M.orthogonal(...)
  local a = parse_orthogonal(...)
  local weight = weight_of("orthogonal", a)
  if weight:dim() < 2 then
    raise("orthogonal", "'%s' must have at least 2 dims, its shape is %s", a.name, tostring(weight.shape))
  end
  local map = a.orthogonal_map or (weight:size(-2) == weight:size(-1) and "matrix_exp" or "householder")
  return register(a.module, a.name, Orthogonal(map, a.use_trivialization))
end

return require("kiln.namespace").of("kiln.nn.utils.parametrizations", M)
