--- Triangular factors of matrices: what distributions that are given by one of three matrices compute with.
-- It knows no distribution.
local kiln = require "kiln"
local raise = require("kiln.check").raise

local M = {}

local MATRICES = { { "covariance_matrix", "positive_definite" }, { "precision_matrix", "positive_definite" },
  { "scale_tril", "lower_cholesky" } }

--- What an argument list says of them.
M.ARGUMENTS = "covariance_matrix: tensor?, precision_matrix: tensor?, scale_tril: tensor?"

--- Which of the three was given, as { name, value, constraint }.
---@param owner string
---@param a table  the arguments by name
function M.given(owner, a)
  local found
  for _, row in ipairs(MATRICES) do
    if a[row[1]] then
      if found then raise(owner, "takes one of covariance_matrix, precision_matrix and scale_tril") end
      found = { row[1], a[row[1]], row[2] }
    end
  end
  return found or raise(owner, "takes one of covariance_matrix, precision_matrix and scale_tril")
end

function M.identity(like, n) return kiln.eye(n, { dtype = like.dtype, device = like.device }) end

-- The lower factor of the inverse of a matrix: from the factor of the matrix turned over in both dims.
local function factor_of_inverse(p)
  local upper = kiln.cholesky(p:flip(-2, -1)):flip(-2, -1):transpose(-2, -1)
  return kiln.triangular_solve(M.identity(p, p:size(-1)), upper, false)
end

--- The lower factor of the covariance that such a matrix stands for.
---@param name string
---@param matrix kiln.Tensor
function M.factor(name, matrix)
  if name == "scale_tril" then return matrix end
  return name == "covariance_matrix" and kiln.cholesky(matrix) or factor_of_inverse(matrix)
end

function M.covariance(l) return kiln.matmul(l, l:transpose(-2, -1)) end

--- The inverse of the covariance of factor l.
function M.precision(l)
  local inverse = kiln.triangular_solve(M.identity(l, l:size(-1)), l, false)
  return kiln.matmul(inverse:transpose(-2, -1), inverse)
end

function M.matrix_vector(m, v) return kiln.matmul(m, v:unsqueeze(-1)):squeeze(-1) end

--- The solution of l z = v for lower triangular l, batches broadcast.
function M.solve_lower(l, v) return kiln.triangular_solve(v:unsqueeze(-1), l, false):squeeze(-1) end

function M.sum_log_diagonal(l) return l:diagonal(0, -2, -1):log():sum(-1) end

return M
