--- Distributions of matrices: Wishart, of positive definite ones, and LKJCholesky, of the factors of
-- correlations.
local kiln = require "kiln"
local Distribution = require "kiln.distributions.distribution"
local constraints = require "kiln.distributions.constraints"
local factors = require "kiln.distributions.factors"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise = check.raise
local M = {}

local function sizes(shape, ...)
  local size = { unpack(shape) }
  for _, n in ipairs { ... } do size[#size + 1] = n end
  return size
end

-- from, from + 1, ..., to as floating numbers like x.
local function numbers(from, to, x)
  return kiln.arange(from, to + 1, { dtype = x.dtype, device = x.device })
end

-- a - 0, a - 1/2, ..., a - (p - 1)/2 in a new last dim: what gamma functions of matrices are products over.
local function halves(a, p) return a:unsqueeze(-1) - numbers(0, p - 1, a) / 2 end
local function multivariate_lgamma(a, p)
  return halves(a, p):lgamma():sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
end

-- A number for each matrix as a matrix of its own.
local function beside(x) return x:unsqueeze(-1):unsqueeze(-1) end

-- -- Positive definite matrices ----------------------------------------------------------------

local Wishart = Distribution:extend "Wishart"
M.Wishart = Wishart
Wishart.has_rsample, Wishart.support = true, constraints.positive_definite
Wishart.argument_list = "df: any, " .. factors.ARGUMENTS .. ", validate_args: bool?"

local parse_wishart = args.define("Wishart", Wishart.argument_list)

function Wishart:init(...)
  local a = parse_wishart(...)
  self.validate_args = a.validate_args
  local given = factors.given(self.__name, a)
  local df, matrix = unpack(self:floating { { "df", a.df, "positive" }, given })
  local p = matrix:dim() >= 2 and matrix:size(-1) or 0
  if p == 0 or matrix:size(-2) ~= p then
    raise("Wishart", "%s must be [..., n, n], its shape is %s", given[1], tostring(matrix.shape))
  end
  if self:validates() then
    local what = ("df of matrices [%d, %d]"):format(p, p)
    constraints.demand("Wishart", what, df, constraints.greater_than(p - 1))
  end
  self.batch_shape = Distribution.broadcast_shape("Wishart", { df,
    matrix:detach():select(-1, 1):select(-1, 1) })
  self.event_shape = { p, p }
  self.df, matrix = df:expand(self.batch_shape), matrix:expand(sizes(self.batch_shape, p, p))
  self[given[1]] = matrix
  self.scale_tril, self.like = factors.factor(given[1], matrix), matrix
end

function Wishart:get_covariance_matrix() return factors.covariance(self.scale_tril) end
function Wishart:get_precision_matrix() return factors.precision(self.scale_tril) end

--- By Bartlett's decomposition: roots of Chi2 numbers in the diagonal, normal ones below it.
function Wishart:rsample(shape)
  check.self(self, "rsample", "d")
  local p, noise, size = self.event_shape[1], self:noise(shape):normal_(), self:extended_shape(shape)
  size[#size] = nil
  local roots = (self.gamma_draws(halves(self.df * 0.5, p):expand(size)) * 2):sqrt()
  return factors.covariance(kiln.matmul(self.scale_tril, noise:tril(-1) + roots:diag_embed()))
end

function Wishart:log_prob(x)
  check.self(self, "log_prob", "d")
  x = self:supported(x)
  local n, p = self.df, self.event_shape[1]
  local _, log_determinant = kiln.slogdet(x)
  local trace = (factors.precision(self.scale_tril) * x):sum(-1):sum(-1)
  return (n - p - 1) * 0.5 * log_determinant - trace * 0.5 - multivariate_lgamma(n * 0.5, p)
    - n * (factors.sum_log_diagonal(self.scale_tril) + p * math.log(2) / 2)
end

function Wishart:entropy()
  check.self(self, "entropy", "d")
  local n, p = self.df, self.event_shape[1]
  return (factors.sum_log_diagonal(self.scale_tril) + p * math.log(2) / 2) * (p + 1)
    + multivariate_lgamma(n * 0.5, p) - (n - p - 1) * 0.5 * halves(n * 0.5, p):digamma():sum(-1) + n * (p / 2)
end

function Wishart:get_mean() return beside(self.df) * self.covariance_matrix end
function Wishart:get_mode()
  local factor = self.df - self.event_shape[1] - 1
  return beside(factor:masked_fill(factor:le(0), 0 / 0)) * self.covariance_matrix
end
function Wishart:get_variance()
  local v = self.covariance_matrix
  local d = v:diagonal(0, -2, -1)
  return beside(self.df) * (v * v + d:unsqueeze(-1) * d:unsqueeze(-2))
end

--- The divergence of two of them, by their factors.
function Wishart.divergence(p, q)
  local n, a, b = p.event_shape[1], p.df * 0.5, q.df * 0.5
  local rest = kiln.triangular_solve(p.scale_tril, q.scale_tril, false)
  return (a - b) * halves(a, n):digamma():sum(-1) + multivariate_lgamma(b, n) - multivariate_lgamma(a, n)
    + b * (factors.sum_log_diagonal(q.scale_tril) - factors.sum_log_diagonal(p.scale_tril)) * 2
    + a * ((rest * rest):flatten(-2, -1):sum(-1) - n)
end

-- -- Factors of correlations -------------------------------------------------------------------

--- Lower factors L of correlations L L', whose density goes with det(L L')^(concentration - 1) (Lewandowski,
-- Kurowicka and Joe 2009).
local LKJ = Distribution:extend "LKJCholesky"
M.LKJCholesky = LKJ
LKJ.support = constraints.corr_cholesky
LKJ.argument_list = "dim: count, concentration: any = 1, validate_args: bool?"

local parse_lkj = args.define("LKJCholesky", LKJ.argument_list)

function LKJ:init(...)
  local a = parse_lkj(...)
  check.at_least(a.dim, "LKJCholesky", "dim", 2)
  self.validate_args, self.dim = a.validate_args, a.dim
  self:set_parameters { { "concentration", a.concentration, "positive" } }
  self.event_shape = { a.dim, a.dim }
end

--- By the onion method: row i is a direction in i - 1 dims, whose share of the unit length is a Beta number.
function LKJ:sample(shape)
  check.self(self, "sample", "d")
  return kiln.no_grad(function()
    local n, u = self.dim, self:noise(shape):normal_():tril(-1)
    local behind = numbers(-1, n - 2, u):clamp(0, math.huge) / 2 -- (rows - 2) / 2; the first has no direction
    local a = (behind + 0.5):expand(self:extended_shape(shape)):narrow(-2, 1, 1):squeeze(-2)
    local b = (self.concentration + (n - 2) / 2):unsqueeze(-1) - behind
    local shares = self.gamma_shares(kiln.stack({ a, b:expand(a:size()) }, -1)):select(-1, 1)
    local tiny = kiln.finfo(u.dtype).tiny
    local w = u / u:norm(2, -1, true):clamp(tiny, math.huge) * shares:sqrt():unsqueeze(-1)
    return w + (1 - (w * w):sum(-1)):clamp(tiny, 1):sqrt():diag_embed()
  end)
end

function LKJ:log_prob(x)
  check.self(self, "log_prob", "d")
  local diagonal, n = self:supported(x):diagonal(0, -2, -1):narrow(-1, 2, self.dim - 1), self.dim
  local order = (self.concentration - 1):unsqueeze(-1) * 2 + (n - numbers(2, n, self.like))
  local alpha = self.concentration + (n - 1) / 2
  local normaliser = multivariate_lgamma(alpha - 0.5, n - 1) - alpha:lgamma() * (n - 1)
    + (n - 1) / 2 * math.log(math.pi)
  return (order * diagonal:log()):sum(-1) - normaliser
end

return M
