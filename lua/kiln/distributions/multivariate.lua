--- Distributions of vectors: Dirichlet, LogisticNormal, MultivariateNormal, LowRankMultivariateNormal.
local kiln = require "kiln"
local Distribution = require "kiln.distributions.distribution"
local constraints = require "kiln.distributions.constraints"
local factors = require "kiln.distributions.factors"
local transforms = require "kiln.distributions.transforms"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise = check.raise
local M = {}

local LOG_2PI = math.log(2 * math.pi)

-- -- On the simplex ----------------------------------------------------------------------------

-- The last dim of the parameters belongs to one event.
local function vector(self)
  if #self.batch_shape == 0 then raise(self.__name, "the parameters must have at least 1 dim") end
  self:set_event_dims(1)
end

M.Dirichlet = Distribution.declare("Dirichlet", { { "concentration", "positive" } }, {
  setup = vector, support = constraints.simplex,
  rsample = function(self, shape)
    return self.gamma_shares(self.concentration:expand(self:extended_shape(shape)))
  end,
  log_prob = function(self, x)
    local a = self.concentration
    return kiln.xlogy(a - 1, x):sum(-1) + a:sum(-1):lgamma() - a:lgamma():sum(-1)
  end,
  entropy = function(self)
    local a = self.concentration
    local total, k = a:sum(-1), self.event_shape[1]
    return a:lgamma():sum(-1) - total:lgamma() - (k - total) * total:digamma()
      - ((a - 1) * a:digamma()):sum(-1)
  end,
  get_mean = function(self) return self.concentration / self.concentration:sum(-1, true) end,
  get_mode = function(self)
    local a = self.concentration
    local above, at_corner = (a - 1):clamp(0, math.huge), a:detach():lt(1):all(-1, true)
    local corner = kiln.one_hot(a:detach():argmax(-1), a:size(-1)):to(a.dtype) -- where all are below 1
    return kiln.where(at_corner, corner, above / (above:sum(-1, true) + at_corner:to(a.dtype)))
  end,
  get_variance = function(self)
    local total = self.concentration:sum(-1, true)
    return self.concentration * (total - self.concentration) / (total * total * (total + 1))
  end,
})

local stick = transforms.StickBreakingTransform()

--- Normal vectors [n], broken into n + 1 probabilities.
M.LogisticNormal = Distribution.declare("LogisticNormal", { { "loc", "real" }, { "scale", "positive" } }, {
  support = constraints.simplex,
  setup = function(self)
    vector(self)
    self.event_shape = { self.event_shape[1] + 1 }
  end,
  rsample = function(self, shape)
    local size = self:extended_shape(shape)
    size[#size] = size[#size] - 1
    local z = kiln.empty(size, { dtype = self.like.dtype, device = self.like.device }):normal_()
    return stick:forward(self.loc + self.scale * z)
  end,
  log_prob = function(self, y)
    local x = stick:inverse(y)
    local z = (x - self.loc) / self.scale
    return (z * z * -0.5 - self.scale:log() - 0.5 * LOG_2PI):sum(-1) - stick:log_abs_det_jacobian(x, y)
  end,
})

-- -- Normal vectors ----------------------------------------------------------------------------

local matrix_vector, solve_lower = factors.matrix_vector, factors.solve_lower
local sum_log_diagonal = factors.sum_log_diagonal

-- Batch and event shapes of a mean and a matrix: [batch, n] and [batch, n, n].
local function set_shapes(self, loc, matrix)
  local n = loc:size(-1)
  if matrix:dim() < 2 or matrix:size(-1) ~= n or matrix:size(-2) ~= n then
    raise(self.__name, "loc %s and matrices %s do not go together", tostring(loc.shape),
      tostring(matrix.shape))
  end
  local batch = Distribution.broadcast_shape(self.__name, { loc:detach():select(-1, 1),
    matrix:detach():select(-1, 1):select(-1, 1) })
  self.batch_shape, self.event_shape = batch, { n }
  local vectors, matrices = { unpack(batch) }, { unpack(batch) }
  vectors[#vectors + 1], matrices[#matrices + 1], matrices[#matrices + 2] = n, n, n
  return vectors, matrices
end

local MultivariateNormal = Distribution:extend "MultivariateNormal"
M.MultivariateNormal = MultivariateNormal
MultivariateNormal.has_rsample, MultivariateNormal.support = true, constraints.real_vector
MultivariateNormal.argument_list = "loc: tensor, " .. factors.ARGUMENTS .. ", validate_args: bool?"

local parse_normal = args.define("MultivariateNormal", MultivariateNormal.argument_list)

function MultivariateNormal:init(...)
  local a = parse_normal(...)
  self.validate_args = a.validate_args
  local given = factors.given(self.__name, a)
  if a.loc:dim() < 1 then raise(self.__name, "loc must have at least 1 dim") end
  local loc, matrix = unpack(self:floating { { "loc", a.loc, "real" }, given })
  local vectors, matrices = set_shapes(self, loc, matrix)
  self.loc, matrix = loc:expand(vectors), matrix:expand(matrices)
  self[given[1]] = matrix
  self.scale_tril, self.like = factors.factor(given[1], matrix), self.loc
end

function MultivariateNormal:get_covariance_matrix() return factors.covariance(self.scale_tril) end
function MultivariateNormal:get_precision_matrix() return factors.precision(self.scale_tril) end
function MultivariateNormal:rsample(shape)
  check.self(self, "rsample", "d")
  return self.loc + matrix_vector(self.scale_tril, self:noise(shape):normal_())
end
function MultivariateNormal:log_prob(x)
  check.self(self, "log_prob", "d")
  local z = solve_lower(self.scale_tril, self:supported(x) - self.loc)
  return (z * z):sum(-1) * -0.5 - 0.5 * self.event_shape[1] * LOG_2PI - sum_log_diagonal(self.scale_tril)
end
function MultivariateNormal:entropy()
  check.self(self, "entropy", "d")
  return sum_log_diagonal(self.scale_tril) + 0.5 * self.event_shape[1] * (1 + LOG_2PI)
end
function MultivariateNormal:get_mean() return self.loc end
function MultivariateNormal:get_mode() return self.loc end
function MultivariateNormal:get_variance()
  return (self.scale_tril * self.scale_tril):sum(-1)
end

--- The divergence of two of them, by their factors.
function MultivariateNormal.divergence(p, q)
  local n = p.event_shape[1]
  local rest = kiln.triangular_solve(p.scale_tril, q.scale_tril, false)
  local z = solve_lower(q.scale_tril, q.loc - p.loc)
  return sum_log_diagonal(q.scale_tril) - sum_log_diagonal(p.scale_tril)
    + ((rest * rest):flatten(-2, -1):sum(-1) + (z * z):sum(-1) - n) * 0.5
end

--- A normal vector whose covariance is cov_factor cov_factor' + diag(cov_diag), cov_factor [batch, n, rank].
local LowRank = Distribution:extend "LowRankMultivariateNormal"
M.LowRankMultivariateNormal = LowRank
LowRank.has_rsample, LowRank.support = true, constraints.real_vector
LowRank.argument_list = "loc: tensor, cov_factor: tensor, cov_diag: tensor, validate_args: bool?"

local parse_low_rank = args.define("LowRankMultivariateNormal", LowRank.argument_list)

function LowRank:init(...)
  local a = parse_low_rank(...)
  self.validate_args = a.validate_args
  if a.loc:dim() < 1 or a.cov_factor:dim() < 2 or a.cov_factor:size(-2) ~= a.loc:size(-1)
      or a.cov_diag:dim() < 1 or a.cov_diag:size(-1) ~= a.loc:size(-1) then
    raise(self.__name, "loc %s, cov_factor %s and cov_diag %s do not go together", tostring(a.loc.shape),
      tostring(a.cov_factor.shape), tostring(a.cov_diag.shape))
  end
  local loc, factor, diagonal = unpack(self:floating { { "loc", a.loc, "real" },
    { "cov_factor", a.cov_factor, "real" }, { "cov_diag", a.cov_diag, "positive" } })
  local batch = Distribution.broadcast_shape(self.__name, { loc:detach():select(-1, 1),
    factor:detach():select(-1, 1):select(-1, 1), diagonal:detach():select(-1, 1) })
  local n, rank = loc:size(-1), factor:size(-1)
  local function sized(...)
    local size = { unpack(batch) }
    for _, s in ipairs { ... } do size[#size + 1] = s end
    return size
  end
  self.batch_shape, self.event_shape = batch, { n }
  self.loc, self.cov_diag = loc:expand(sized(n)), diagonal:expand(sized(n))
  self.cov_factor, self.like = factor:expand(sized(n, rank)), self.loc
end

-- The factor of I + W' D^-1 W, which is as small as the rank.
local function capacitance(self)
  local turned = self.cov_factor:transpose(-2, -1)
  local inner = kiln.matmul(turned / self.cov_diag:unsqueeze(-2), self.cov_factor)
  return kiln.cholesky(inner + factors.identity(inner, inner:size(-1)))
end

function LowRank:get_covariance_matrix()
  return factors.covariance(self.cov_factor) + self.cov_diag:diag_embed()
end
function LowRank:get_scale_tril() return kiln.cholesky(self:get_covariance_matrix()) end
function LowRank:get_precision_matrix() return self:get_covariance_matrix():inverse() end
function LowRank:rsample(shape)
  check.self(self, "rsample", "d")
  local size = self:extended_shape(shape)
  local options = { dtype = self.like.dtype, device = self.like.device }
  local z = kiln.empty(size, options):normal_()
  size[#size] = self.cov_factor:size(-1)
  local common = matrix_vector(self.cov_factor, kiln.empty(size, options):normal_())
  return self.loc + common + self.cov_diag:sqrt() * z
end
function LowRank:log_determinant(factor)
  return sum_log_diagonal(factor) * 2 + self.cov_diag:log():sum(-1)
end
function LowRank:log_prob(x)
  check.self(self, "log_prob", "d")
  local gap, factor = self:supported(x) - self.loc, capacitance(self)
  local scaled = gap / self.cov_diag
  local z = solve_lower(factor, matrix_vector(self.cov_factor:transpose(-2, -1), scaled))
  local distance = (gap * scaled):sum(-1) - (z * z):sum(-1)
  return (distance + self:log_determinant(factor) + self.event_shape[1] * LOG_2PI) * -0.5
end
function LowRank:entropy()
  check.self(self, "entropy", "d")
  return (self:log_determinant(capacitance(self)) + self.event_shape[1] * (1 + LOG_2PI)) * 0.5
end
function LowRank:get_mean() return self.loc end
function LowRank:get_mode() return self.loc end
function LowRank:get_variance() return (self.cov_factor * self.cov_factor):sum(-1) + self.cov_diag end

return M
