--- Op rows: linear algebra by LAPACK, for float32 and float64, on batches of matrices.
-- What cannot be solved (a singular matrix, iterations that do not converge) raises and says why.
-- Where one triangle of a symmetric matrix is read, its gradient is symmetric.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise = op.raise
  local TOL = 1e-4

  -- -- Inverses, determinants, solutions --------------------------------------------------------

  kernel "inverse" { also = "inv",
    args = "x", doc = "The inverse of each square matrix; a singular one raises.",
    shape = "square", dtype = "float", grad = true, saves = "out", tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,3]" }, { "f[2,0,0]" } },
  }
  kernel "det" {
    args = "x", doc = "The determinant of each square matrix.",
    shape = "of_square", dtype = "float", grad = true, saves = "x out", tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,3]" }, { "f[2,0,0]" } },
  }
  kernel "slogdet" {
    args = "x",
    doc = "The sign of the determinant and the logarithm of its absolute value (0 and -inf if singular).",
    shape = "of_square", dtype = "float", outs = 2, diff_outs = "2", grad = true, saves = "x", tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,3]" }, { "f[2,0,0]" } },
  }
  composite "logdet" {
    args = "x", doc = "The logarithm of the determinant; NaN where it is negative.", tol = TOL,
    samples = { { "m[3,3]" } },
    lua = function(x)
      local sign, log_abs = K.slogdet(x)
      return K.where(sign:lt(0), 0 / 0, log_abs)
    end,
  }
  kernel "solve" {
    args = "a, b",
    doc = "x of a x = b for square a; b is a matrix or a vector, batches broadcast. Where b has one dim less than a, and "
      .. "its sizes, it is a vector for each matrix.",
    shape = "solve", dtype = "float", grad = true, saves = "a out", tol = TOL,
    samples = { { "m[3,3]", "f[3,2]" }, { "m[3,3]", "f[3]" }, { "m[2,3,3]", "f[3,2]" },
      { "f[0,0]", "f[0,2]" }, { "m[2,3,3]", "f[2,3]" }, { "m[3,3,3]", "f[3,3]" } },
  }
  kernel "triangular_solve" {
    args = "b, a, upper: bool = true, transpose: bool = false, unitriangular: bool = false",
    doc = "x of a x = b (a^T x = b if transpose) for triangular a, of which only that triangle is read.",
    shape = "solve_with", dtype = "float", grad = true, saves = "a out", tol = TOL,
    samples = { { "f[3,2]", "m[3,3]" }, { "f[3,2]", "m[3,3]", false, true }, { "f[3,2]", "m[2,3,3]", true,
      false, true } },
  }
  kernel "lstsq" {
    args = "a, b",
    doc = "x that makes |a x - b| smallest, or the shortest x of a x = b where a has more columns than "
      .. "rows; a must have full rank. b is a matrix or a vector, as in solve.",
    shape = "lstsq", dtype = "float", grad = true, saves = "a b out", tol = TOL,
    special = false, -- refused: whether a has full rank would have no answer
    samples = { { "m[4,3]", "f[4,2]" }, { "m[3,4]", "f[3,2]" }, { "f[2,0,3]", "f[2,0,2]" },
      { "f[3,0]", "f[3,2]" }, { "m[4,3]", "f[4]" }, { "m[3,4]", "f[3]" }, { "m[2,4,3]", "f[2,4]" } },
  }
  composite "gesv" {
    args = "b, a", doc = "x of a x = b, and the LU factors of a.",
    samples = { { "f[3,2]", "m[3,3]" } }, tol = TOL,
    lua = function(b, a) return K.solve(a, b), (K.lu_factor(a)) end,
  }
  composite "gels" {
    args = "b, a", doc = "lstsq of a and b, and the packed QR factors of a, which cannot be differentiated.",
    samples = { { "f[4,2]", "m[4,3]" }, { "f[4]", "m[4,3]" } },
    tol = TOL,
    lua = function(b, a)
      local factors = K.geqrf(a:detach())
      if a.requires_grad and K.is_grad_enabled() then
        factors = require("kiln.autograd.refusal").of(factors, nil, { a }, "gels: the packed QR factors cannot be "
          .. "differentiated; use qr, or detach() them")
      end
      return K.lstsq(a, b), factors
    end,
  }
  composite "trtrs" {
    args = "b, a, upper: bool = true, transpose: bool = false, unitriangular: bool = false",
    doc = "triangular_solve of b and a, and a copy of a.", samples = { { "f[3,2]", "m[3,3]" } }, tol = TOL,
    lua = function(b, a, ...) return K.triangular_solve(b, a, ...), a:clone() end,
  }

  -- -- LU factors -------------------------------------------------------------------------------

  kernel "lu_factor" {
    args = "x",
    doc = "Packed L and U of the rows of x interchanged, the interchanges (from 1), and LAPACK's info: 0, "
      .. "or the place of a zero on U's diagonal.",
    shape = "lu_factor", dtype = "float", outs = 3, diff_outs = "1", grad = true, saves = "out1 out2",
    tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,4]" }, { "m[4,3]" }, { "f[2,3,0]" } },
  }
  kernel "lu_solve" {
    args = "b, lu, pivots: index, transpose: bool = false",
    doc = "x of a x = b (a^T x = b if transpose) from the factors that lu_factor gives.",
    shape = "solve_with", dtype = "float", grad = true, saves = "lu pivots out", tol = TOL,
    samples = { { "f[3,2]", "m[3,3]", "i(3,3)[3]" } },
  }
  kernel "lu_permutation" {
    args = "pivots: index, rows: int",
    doc = "Interchanges as a permutation: row i of L U is row out[i] of the matrix.",
    shape = "lu_permutation", dtype = "index", grad = false, samples = { { "i(3,4)[3]", 4 } },
  }
  composite "lu" {
    args = "x, pivot: bool = true, get_infos: bool = false", doc = "lu_factor; its info only if get_infos.",
    samples = { { "m[3,3]" } }, tol = TOL,
    lua = function(x, pivot, get_infos)
      if not pivot then raise("lu", "pivot = false is not offered: LAPACK always pivots") end
      local factors, pivots, info = K.lu_factor(x)
      if get_infos then return factors, pivots, info end
      return factors, pivots
    end,
  }
  composite "btrifact" {
    args = "x, pivot: bool = true", doc = "lu by its older name.", samples = { { "m[2,3,3]" } }, tol = TOL,
    lua = function(x, pivot) return K.lu(x, pivot) end,
  }
  composite "btrifact_with_info" {
    args = "x, pivot: bool = true", doc = "lu with its info.", samples = { { "m[2,3,3]" } }, tol = TOL,
    lua = function(x, pivot) return K.lu(x, pivot, true) end,
  }
  composite "btrisolve" {
    args = "b, lu, pivots: index", doc = "lu_solve where b is a vector [n] for each matrix, or a matrix.",
    samples = { { "f[2,3]", "m[2,3,3]", "i(3,3)[2,3]" } }, tol = TOL,
    lua = function(b, lu, pivots)
      if b:dim() < lu:dim() then return K.lu_solve(b:unsqueeze(-1), lu, pivots):squeeze(-1) end
      return K.lu_solve(b, lu, pivots)
    end,
  }
  local function identity(n, x) return K.ones({ n }, { dtype = x.dtype, device = x.device }):diag_embed() end
  composite "btriunpack" {
    args = "lu, pivots: index, unpack_data: bool = true, unpack_pivots: bool = true",
    doc = "The matrices P, L and U of packed factors, P L U the matrix they were made of; nil for what is "
      .. "not asked.",
    samples = { { "m[3,3]", "i(3,3)[3]" }, { "m[2,4,3]", "i(4,4)[2,3]" } }, tol = TOL,
    lua = function(lu, pivots, unpack_data, unpack_pivots)
      local m, n = lu:size(-2), lu:size(-1)
      local k = math.min(m, n)
      local p, l, u
      if unpack_pivots then
        p = K.one_hot(K.lu_permutation(pivots, m), m):transpose(-1, -2):to(lu.dtype)
      end
      if unpack_data then
        l = lu:narrow(-1, 1, k):tril(-1)
        l = l + (m == k and identity(k, lu) or K.cat({ identity(k, lu), K.zeros({ m - k, k },
          { dtype = lu.dtype, device = lu.device }) }, 1))
        u = lu:narrow(-2, 1, k):triu()
      end
      return p, l, u
    end,
  }
  composite "lu_unpack" {
    args = "lu, pivots: index, unpack_data: bool = true, unpack_pivots: bool = true",
    doc = "btriunpack by its newer name.", samples = { { "m[3,3]", "i(3,3)[3]" } }, tol = TOL,
    lua = function(...) return K.btriunpack(...) end,
  }

  -- -- Cholesky factors -------------------------------------------------------------------------

  kernel "cholesky" {
    args = "x, upper: bool = false",
    doc = "The triangular factor of each positive definite matrix: L of L L^T, or U of U^T U if upper. "
      .. "Only that triangle of x is read.",
    shape = "square", dtype = "float", grad = true, saves = "out", tol = TOL,
    samples = { { "p[3,3]" }, { "p[2,3,3]", true }, { "p[0,0]" } },
  }
  kernel "cholesky_inverse" {
    args = "x, upper: bool = false", doc = "The inverse of the matrix whose Cholesky factor is x.",
    shape = "square", dtype = "float", grad = true, saves = "x out", tol = TOL,
    samples = { { "l[3,3]" }, { "l[2,3,3]" } },
  }
  composite "cholesky_solve" {
    args = "b, x, upper: bool = false", doc = "Solves with the matrix whose Cholesky factor is x.",
    samples = { { "f[3,2]", "l[3,3]" }, { "f[3,2]", "m[3,3]", true } }, tol = TOL,
    lua = function(b, x, upper)
      return K.triangular_solve(K.triangular_solve(b, x, upper, upper), x, upper, not upper)
    end,
  }
  kernel "pstrf" {
    args = "x, upper: bool = true",
    doc = "Cholesky factor of a positive semidefinite matrix with its rows and columns interchanged, their "
      .. "order (from 1), and its rank.",
    shape = "pstrf", dtype = "float", outs = 3, diff_outs = "1", grad = false, tol = TOL,
    samples = { { "p[3,3]" } },
  }
  composite "potrf" {
    args = "x, upper: bool = true", doc = "cholesky, upper unless said otherwise.",
    samples = { { "p[3,3]" } }, tol = TOL,
    lua = function(x, upper) return K.cholesky(x, upper) end,
  }
  composite "potri" {
    args = "x, upper: bool = true", doc = "cholesky_inverse, upper unless said otherwise.",
    samples = { { "m[3,3]" } },
    tol = TOL,
    lua = function(x, upper) return K.cholesky_inverse(x, upper) end,
  }
  composite "potrs" {
    args = "b, x, upper: bool = true", doc = "cholesky_solve, upper unless said otherwise.",
    samples = { { "f[3,2]", "m[3,3]" } }, tol = TOL,
    lua = function(b, x, upper) return K.cholesky_solve(b, x, upper) end,
  }

  -- -- Orthogonal factors -----------------------------------------------------------------------

  kernel "qr" {
    args = "x, some: bool = true",
    doc = "q and r of x = q r: q has orthonormal columns (all of them if not some), r is upper triangular. Where "
      .. "columns depend on each other, up to rounding, gradients are NaN.",
    shape = "qr", dtype = "float", outs = 2, grad = true, saves = "x out1 out2", tol = TOL,
    samples = { { "m[4,3]" }, { "m[3,3]" }, { "m[2,3,4]" }, { "f[2,0,3]" }, { "f[2,3,0]" },
      { "f[2,3,0]", false }, { "f[0,0]" } },
  }
  kernel "geqrf" {
    args = "x", doc = "LAPACK's packed QR factors and the scales of its reflectors.",
    shape = "geqrf", dtype = "float", outs = 2, grad = false, tol = TOL,
    samples = { { "m[4,3]" }, { "f[2,0,3]" }, { "f[3,0]" } },
  }
  kernel "reflectors" {
    args = "x, tau", doc = "orgqr by LAPACK.", shape = "orgqr", dtype = "float", grad = false, internal = true,
  }
  kernel "reflected" {
    args = "x, tau, mat, left: bool, transpose: bool", doc = "ormqr by LAPACK.",
    shape = "ormqr", dtype = "float", grad = false, internal = true,
  }

  -- mat with (1 - tau_i v_i v_i^T) for each reflector, the first one first or last; v_i is column i of x
  -- below the diagonal, and 1 on it.
  local function reflect(x, tau, mat, left, first)
    local n, k = x:size(-2), tau:size(-1)
    local vectors = x:narrow(-1, 1, k):tril(-1) + K.eye(n, k, { dtype = x.dtype, device = x.device })
    for step = 1, k do
      local i = first and step or k + 1 - step
      local v, scale = vectors:narrow(-1, i, 1), tau:narrow(-1, i, 1):unsqueeze(-1)
      local row = v:transpose(-1, -2)
      if left then
        mat = mat - scale * K.matmul(v, K.matmul(row, mat))
      else
        mat = mat - scale * K.matmul(K.matmul(mat, v), row)
      end
    end
    return mat
  end
  local function records(...)
    if not K.is_grad_enabled() then return false end
    for i = 1, select("#", ...) do if (select(i, ...)).requires_grad then return true end end
    return false
  end
  composite "orgqr" {
    args = "x, tau", doc = "q of packed QR factors.", tol = TOL,
    samples = { { "m[4,3]", "f(0,1)[3]" }, { "m[2,3,3]", "f(0,1)[2,2]" }, { "m[4,3]", "f[0]" },
      { "f[2,3,0]", "f[2,0]" } },
    lua = function(x, tau)
      if not records(x, tau) then return K.reflectors(x, tau) end
      K.no_grad(K.reflectors, x, tau) -- which checks the shapes
      local start = K.eye(x:size(-2), x:size(-1), { dtype = x.dtype, device = x.device })
      return reflect(x, tau, start:expand(x.shape), true, false)
    end,
  }
  composite "householder_product" {
    args = "x, tau", doc = "orgqr by its newer name.", samples = { { "m[4,3]", "f(0,1)[3]" } }, tol = TOL,
    lua = function(x, tau) return K.orgqr(x, tau) end,
  }
  composite "ormqr" {
    args = "x, tau, mat, left: bool = true, transpose: bool = false",
    doc = "q mat (mat q if not left; q transposed if asked) for q of packed QR factors.", tol = TOL,
    samples = { { "m[4,3]", "f(0,1)[3]", "f[4,2]" }, { "m[4,3]", "f(0,1)[3]", "f[2,4]", false },
      { "m[2,4,3]", "f(0,1)[2,3]", "f[2,4,2]", true, true }, { "f[4,0]", "f[0]", "f[4,2]" } },
    lua = function(x, tau, mat, left, transpose)
      if not records(x, tau, mat) then return K.reflected(x, tau, mat, left, transpose) end
      K.no_grad(K.reflected, x, tau, mat, left, transpose) -- which checks the shapes
      return reflect(x, tau, mat, left, left == transpose)
    end,
  }

  -- -- Values and vectors -----------------------------------------------------------------------

  kernel "svd" {
    args = "x, some: bool = true",
    doc = "u, s, v of x = u diag(s) v^T, s from large to small; complete u and v if not some. Where two of s are "
      .. "equal up to rounding, gradients by u and v are NaN: these vectors are not determined.",
    shape = "svd", dtype = "float", outs = 3, grad = true, saves = "out1 out2 out3", tol = 1e-3,
    samples = { { "m[4,3]" }, { "m[3,4]" }, { "m[2,3,3]" }, { "f[2,0,3]" }, { "f[0,0]" } },
  }
  kernel "symmetric_eig" {
    args = "x, upper: bool = true",
    doc = "Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices, of which one triangle "
      .. "is read. Where two values are equal up to rounding, gradients by their vectors are NaN.",
    shape = "symmetric_eig", dtype = "float", outs = 2, grad = true, saves = "out1 out2", tol = 1e-3,
    samples = { { "s[3,3]" }, { "s[2,3,3]", false }, { "f[2,0,0]" } },
  }
  composite "symeig" {
    args = "x, eigenvectors: bool = false, upper: bool = true",
    doc = "symmetric_eig; without eigenvectors the second result is empty.",
    samples = { { "s[3,3]" }, { "s[3,3]", true } }, tol = 1e-3,
    lua = function(x, eigenvectors, upper)
      local e, v = K.symmetric_eig(x, upper)
      if eigenvectors then return e, v end
      return e, K.empty({ 0 }, { dtype = e.dtype, device = x.device })
    end,
  }
  composite "eigh" {
    args = "x, uplo: L|U = L", doc = "symmetric_eig of the lower (L) or upper triangle.",
    samples = { { "s[3,3]" }, { "s[3,3]", "U" } },
    tol = 1e-3,
    lua = function(x, uplo) return K.symmetric_eig(x, uplo == "U") end,
  }
  composite "eigvalsh" {
    args = "x, uplo: L|U = L", doc = "The eigenvalues that eigh gives.",
    samples = { { "s[3,3]" } }, tol = 1e-3,
    lua = function(x, uplo) return (K.symmetric_eig(x, uplo == "U")) end,
  }
  kernel "eig" {
    args = "x, eigenvectors: bool = false",
    doc = "Eigenvalues [n, 2] (real and imaginary part) of square matrices and, if asked, eigenvectors as "
      .. "LAPACK packs them: a complex pair's two columns are the real and the imaginary part of the "
      .. "first. Where two values are equal up to rounding, gradients by their vectors are NaN.",
    shape = "eig", dtype = "float", outs = 2, grad = true, saves = "x out1 out2", tol = 1e-3,
    samples = { { "m[3,3]", true }, { "m[3,3]" }, { "f[4,4]" }, { "m[2,3,3]", true } },
  }

  -- -- Made of these ----------------------------------------------------------------------------

  composite "matrix_power" {
    args = "x, n: int", doc = "The n-th power of each square matrix; a negative n inverts first.",
    samples = { { "m[3,3]", 3 }, { "m[3,3]", -2 } }, tol = TOL,
    lua = function(x, n)
      if x:dim() < 2 or x:size(-1) ~= x:size(-2) then
        raise("matrix_power", "x must be square, its shape is %s", tostring(x.shape))
      end
      if n == 1 then return x:clone() end
      if n < 0 then x, n = x:inverse(), -n end
      local result
      while n > 0 do
        if n % 2 == 1 then result = result and K.matmul(result, x) or x end
        n = math.floor(n / 2)
        if n > 0 then x = K.matmul(x, x) end
      end
      return result or identity(x:size(-1), x):expand(x.shape):clone()
    end,
  }
  kernel "pseudoinverse" {
    args = "x, found", doc = "found, the pseudoinverse of x, with its gradient by x.",
    shape = "pseudoinverse", dtype = "float", grad = true, saves = "x out", internal = true,
  }
  local function eps_of(x) return x.dtype.name == "float64" and 2 ^ -52 or 2 ^ -23 end
  -- Of singular values (of eigenvalues, if hermitian) up to `limit`, or `share` of the largest, none is inverted.
  local function pseudoinverse(x, share, limit, hermitian)
    local of = x:detach()
    local u, s, v
    if hermitian then s, u = K.symmetric_eig(of, false); v = u else u, s, v = K.svd(of) end
    local found
    if s:size(-1) == 0 then found = K.matmul(v, u:transpose(-1, -2))
    else
      local kept = s:abs():gt((s:abs():amax({ -1 }, true) * share):clamp(limit))
      local inverse = K.where(kept, K.where(kept, s, 1):reciprocal(), 0)
      found = K.matmul(v * inverse:unsqueeze(-2), u:transpose(-1, -2))
    end
    return records(x) and K.pseudoinverse(x, found) or found
  end
  composite "pinverse" {
    args = "x, rcond: number = 1e-15",
    doc = "The pseudoinverse: singular values up to rcond times the largest count as 0. Its gradient is that of "
      .. "matrices of the same rank.",
    samples = { { "m[4,3]" }, { "f[2,0,3]" }, { "f[3,0]" }, { "m[2,3,4]" } }, tol = 1e-3,
    lua = function(x, rcond) return pseudoinverse(x, rcond, 0) end,
  }
  composite "pinv" {
    args = "x, rtol: number? = nil, hermitian: bool = false, atol: number? = nil",
    doc = "The pseudoinverse: singular values up to atol (0 without) and up to rtol times the largest count as 0; rtol is "
      .. "the larger size times the dtype's eps where neither is given. Of a symmetric matrix, if hermitian, the lower "
      .. "triangle is read. `rcond` is another name of the option `rtol`.",
    with = { rcond = function(_, call, rcond, x, _, ...) return call(x, rcond, ...) end },
    samples = { { "m[4,3]" }, { "m[2,3,4]", 1e-2 }, { "s[3,3]", nil, true }, { "m[3,3]", atol = 1e-2 }, { "f[2,0,3]" } },
    tol = 1e-3,
    lua = function(x, rtol, hermitian, atol)
      if x:dim() < 2 then raise("pinv", "x must be a matrix or a batch of them, its shape is %s", tostring(x.shape)) end
      if hermitian and x:size(-1) ~= x:size(-2) then
        raise("pinv", "x must be square if hermitian, its shape is %s", tostring(x.shape))
      end
      rtol = rtol or atol and 0 or math.max(x:size(-1), x:size(-2)) * eps_of(x)
      return pseudoinverse(x, rtol, atol or 0, hermitian)
    end,
  }
  composite "matrix_rank" {
    args = "x, tol: number? = nil, symmetric: bool = false",
    doc = "How many singular values are above tol (without: the largest times the larger size times the "
      .. "dtype's eps).",
    samples = { { "m[4,3]" }, { "f[2,0,3]" }, { "f[0,0]" } },
    lua = function(x, tol, symmetric)
      x = x:detach()
      local s
      if symmetric then s = (K.symmetric_eig(x)):abs() else local _; _, s = K.svd(x) end
      local limit = tol
      if s:size(-1) == 0 then limit = 0
      elseif not tol then
        limit = s:max(-1, true) * (math.max(x:size(-1), x:size(-2)) * eps_of(x))
      end
      return s:gt(limit):sum(-1)
    end,
  }

  composite "svdvals" {
    args = "x", doc = "The singular values that svd gives.", samples = { { "m[4,3]" } }, tol = 1e-3,
    lua = function(x) return (select(2, K.svd(x))) end,
  }
  local OF_VALUES = { nuc = { "sum" }, [2] = { "amax" }, [-2] = { "amin" } }
  local OF_SUMS = { [1] = { "amax", 1 }, [-1] = { "amin", 1 }, [math.huge] = { "amax", 2 }, [-math.huge] = { "amin", 2 } }
  composite "matrix_norm" {
    args = "x, p: any, dims: axes = {}, keepdim: bool = false",
    doc = "The norm of matrices, which lie in two dims (the last ones): 'fro' (without p), 'nuc', 1 and -1 (the largest "
      .. "and the smallest sum of |x| of a column), inf and -inf (of a row), 2 and -2 (singular value).",
    samples = { { "m[4,3]" }, { "m[4,3]", "nuc" }, { "m[4,3]", 1 }, { "m[4,3]", -1 }, { "m[4,3]", 2 }, { "m[4,3]", -2 },
      { "m[4,3]", math.huge }, { "m[2,3,4]", "nuc", { 1, 3 }, true }, { "m[2,3,4]", -math.huge, { 3, 1 } } }, tol = 1e-3,
    lua = function(x, p, dims, keepdim)
      if #dims == 0 then dims = { -2, -1 } end
      if #dims ~= 2 or x:dim() < 2 then
        raise("matrix_norm", "two dims are needed, got %d of a tensor of shape %s", #dims, tostring(x.shape))
      end
      local rows, columns = op.axis("matrix_norm", "dims", x, dims[1]), op.axis("matrix_norm", "dims", x, dims[2])
      if rows == columns then raise("matrix_norm", "dims names dim %d twice", rows) end
      local y
      if p == nil or p == "fro" then
        y = K.norm(x, 2, { rows, columns }, true)
      elseif OF_VALUES[p] then
        local rest = K.svdvals(x:movedim({ rows, columns }, { -2, -1 }))
        y = K[OF_VALUES[p][1]](rest, { -1 }, true):unsqueeze(-1):movedim({ -2, -1 }, { rows, columns })
      elseif OF_SUMS[p] then
        local extreme, over = unpack(OF_SUMS[p])
        y = K[extreme](x:abs():sum(over == 1 and rows or columns, true), { over == 1 and columns or rows }, true)
      else
        raise("matrix_norm", "p must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got %s", require("kiln.check").got(p))
      end
      return keepdim and y or y:squeeze { rows, columns }
    end,
  }
  composite "cond" {
    args = "x, p: any", doc = "The condition number: the norm p (2 without; see matrix_norm) of x times that of its inverse.",
    samples = { { "m[3,3]" }, { "m[4,3]" }, { "m[3,3]", "fro" }, { "m[2,3,3]", 1 } }, tol = 1e-3,
    lua = function(x, p)
      if p == nil or p == 2 then
        local s = K.svdvals(x)
        if s:size(-1) == 0 then return s:sum(-1) end
        return s:select(-1, 1) / s:select(-1, -1)
      end
      return K.matrix_norm(x, p) * K.matrix_norm(x:inverse(), p)
    end,
  }
  composite "solve_triangular" {
    args = "a, b, upper: bool, left: bool = true, unitriangular: bool = false",
    doc = "x of a x = b (x a = b if not left) for triangular a, of which only that triangle is read.", tol = TOL,
    samples = { { "m[3,3]", "f[3,2]", true }, { "m[2,3,3]", "f[2,3]", false, false } },
    lua = function(a, b, upper, left, unitriangular)
      if left then return K.triangular_solve(b, a, upper, false, unitriangular) end
      return K.triangular_solve(b:transpose(-2, -1), a, upper, true, unitriangular):transpose(-2, -1)
    end,
  }
  composite "vander" {
    args = "x, n: int? = nil, increasing: bool = false",
    doc = "Powers of the elements of a vector, a row each: the n-1-th (n is the size of x without) down to 0, or up.",
    samples = { { "f[3]" }, { "f[3]", 2 }, { "f[3]", 4, true } },
    lua = function(x, n, increasing)
      if x:dim() ~= 1 then raise("vander", "x must be a vector, its shape is %s", tostring(x.shape)) end
      n = n or x:size(1)
      if n < 0 then raise("vander", "n must not be negative, got %d", n) end
      local up = K.arange(0, n, { dtype = x.dtype.is_floating_point and x.dtype or K.int64, device = x.device })
      return x:unsqueeze(2):pow(increasing and up or up:flip { 1 })
    end,
  }

  -- Numerator of the diagonal Pade approximation of degree 13, lowest power first, as multiples of
  -- the last: 26! / (13! ...) reduced.
  local PADE = { 64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1 }
  composite "matrix_exp" {
    args = "x", doc = "The exponential of each square matrix, by scaling, a Pade approximation and squaring.",
    samples = { { "m[3,3]" }, { "f[2,3,3]" } }, tol = TOL,
    special = false, -- no digits are left where the elements are large
    lua = function(x)
      if x:dim() < 2 or x:size(-1) ~= x:size(-2) then
        raise("matrix_exp", "x must be square, its shape is %s", tostring(x.shape))
      end
      if not x.dtype.is_floating_point then x = x:to(K.get_default_dtype()) end
      if x:numel() == 0 then return x:clone() end
      if x.dtype ~= K.float64 then return K.matrix_exp(x:double()):to(x.dtype) end
      local norm = x:detach():abs():sum(-2):max():item()
      local squarings = 0
      if norm > 5.37 and norm < math.huge then squarings = math.ceil(math.log(norm / 5.37) / math.log(2)) end
      local a = x * 2 ^ -squarings
      local eye = identity(x:size(-1), x)
      local a2 = K.matmul(a, a)
      local even, odd, power = eye * PADE[1], eye * PADE[2], nil
      for i = 3, 13, 2 do
        power = power and K.matmul(power, a2) or a2
        even = even + power * PADE[i]
        odd = odd + power * PADE[i + 1]
      end
      odd = K.matmul(a, odd)
      local y = K.solve(even - odd, even + odd)
      for _ = 1, squarings do y = K.matmul(y, y) end
      return y
    end,
  }
  local function product(sizes, first, last)
    local n = 1
    for d = first, last do n = n * sizes[d] end
    return n
  end
  composite "tensorinv" {
    args = "x, ind: int = 2", doc = "The inverse of x read as a matrix whose rows are the first ind dims: what tensordot with x "
      .. "makes the identity.",
    samples = { { "m[4,4]", 1 } }, tol = TOL, sizes = false, -- of a shape that is square
    lua = function(x, ind)
      local n = x:dim()
      if ind < 1 or ind > n then raise("tensorinv", "ind must be in 1..%d, got %d", n, ind) end
      local shape, rows, columns = {}, product(x.shape, 1, ind), product(x.shape, ind + 1, n)
      if rows ~= columns then
        raise("tensorinv", "x of shape %s is no square matrix: %d rows, %d columns", tostring(x.shape), rows, columns)
      end
      for d = 1, n do shape[d] = x:size((d + ind - 1) % n + 1) end
      return K.inverse(x:reshape({ rows, columns })):reshape(shape)
    end,
  }
  composite "tensorsolve" {
    args = "a, b, dims: axes = {}", doc = "x with tensordot(a, x, x:dim()) = b; dims of a go behind the others first.",
    samples = { { "m[4,4]", "f[4]" }, { "m[4,4]", "f[4]", { 1 } } }, tol = TOL, sizes = false, -- of a shape that is square
    lua = function(a, b, dims)
      if #dims > 0 then
        local behind = {}
        for i = 1, #dims do behind[i] = i - #dims - 1 end
        a = a:movedim(dims, behind)
      end
      local n, shape = a:dim(), {}
      local rows, columns = b:numel(), product(a.shape, b:dim() + 1, n)
      if b:dim() > n or product(a.shape, 1, b:dim()) ~= rows or rows ~= columns then
        raise("tensorsolve", "a of shape %s is no square matrix for b of shape %s", tostring(a.shape), tostring(b.shape))
      end
      for d = b:dim() + 1, n do shape[#shape + 1] = a:size(d) end
      return K.solve(a:reshape({ rows, columns }), b:reshape(rows)):reshape(shape)
    end,
  }
  composite "expm" {
    args = "x", doc = "matrix_exp.", samples = { { "m[3,3]" } }, tol = TOL,
    lua = function(x) return K.matrix_exp(x) end,
  }
end
