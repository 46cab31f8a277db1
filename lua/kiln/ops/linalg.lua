--- Op rows: linear algebra by LAPACK, for float32 and float64, on batches of matrices.
-- What cannot be solved (a singular matrix, iterations that do not converge) raises and says why.
-- Where one triangle of a symmetric matrix is read, its gradient is symmetric.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise = op.raise
  local TOL = 1e-4

  -- -- Inverses, determinants, solutions --------------------------------------------------------

  kernel "inverse" {
    args = "x", doc = "The inverse of each square matrix; a singular one raises.",
    shape = "square", dtype = "float", grad = true, saves = "out", tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,3]" } },
  }
  kernel "det" {
    args = "x", doc = "The determinant of each square matrix.",
    shape = "of_square", dtype = "float", grad = true, saves = "x out", tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,3]" } },
  }
  kernel "slogdet" {
    args = "x",
    doc = "The sign of the determinant and the logarithm of its absolute value (0 and -inf if singular).",
    shape = "of_square", dtype = "float", outs = 2, diff_outs = "2", grad = true, saves = "x", tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,3]" } },
  }
  composite "logdet" {
    args = "x", doc = "The logarithm of the determinant; NaN where it is negative.", tol = TOL,
    samples = { { "m[3,3]" } },
    lua = function(x)
      local sign, log_abs = K.slogdet(x)
      return K.where(sign:lt(0), K.full({}, 0 / 0, { dtype = x.dtype, device = x.device }), log_abs)
    end,
  }
  kernel "solve" {
    args = "a, b", doc = "x of a x = b for square a; b is a matrix or a vector, batches broadcast.",
    shape = "solve", dtype = "float", grad = true, saves = "a out", tol = TOL,
    samples = { { "m[3,3]", "f[3,2]" }, { "m[3,3]", "f[3]" }, { "m[2,3,3]", "f[3,2]" } },
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
      .. "rows; a must have full rank.",
    shape = "lstsq", dtype = "float", grad = true, saves = "a b out", tol = TOL,
    special = false, -- refused: whether a has full rank would have no answer
    samples = { { "m[4,3]", "f[4,2]" }, { "m[3,4]", "f[3,2]" } },
  }
  composite "gesv" {
    args = "b, a", doc = "x of a x = b, and the LU factors of a.",
    samples = { { "f[3,2]", "m[3,3]" } }, tol = TOL,
    lua = function(b, a) return K.solve(a, b), (K.lu_factor(a:detach())) end,
  }
  composite "gels" {
    args = "b, a", doc = "lstsq of a and b, and the packed QR factors of a.",
    samples = { { "f[4,2]", "m[4,3]" } },
    tol = TOL,
    lua = function(b, a) return K.lstsq(a, b), (K.geqrf(a:detach())) end,
  }
  composite "trtrs" {
    args = "b, a, upper: bool = true, transpose: bool = false, unitriangular: bool = false",
    doc = "triangular_solve of b and a, and a.", samples = { { "f[3,2]", "m[3,3]" } }, tol = TOL,
    lua = function(b, a, ...) return K.triangular_solve(b, a, ...), a end,
  }

  -- -- LU factors -------------------------------------------------------------------------------

  kernel "lu_factor" {
    args = "x",
    doc = "Packed L and U of the rows of x interchanged, the interchanges (from 1), and LAPACK's info: 0, "
      .. "or the place of a zero on U's diagonal.",
    shape = "lu_factor", dtype = "float", outs = 3, diff_outs = "1", grad = true, saves = "out1 out2",
    tol = TOL,
    samples = { { "m[3,3]" }, { "m[2,3,4]" }, { "m[4,3]" } },
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
    samples = { { "p[3,3]" }, { "p[2,3,3]", true } },
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
    doc = "q and r of x = q r: q has orthonormal columns (all of them if not some), r is upper triangular.",
    shape = "qr", dtype = "float", outs = 2, grad = true, saves = "x out1 out2", tol = TOL,
    samples = { { "m[4,3]" }, { "m[3,3]" }, { "m[2,3,4]" } },
  }
  kernel "geqrf" {
    args = "x", doc = "LAPACK's packed QR factors and the scales of its reflectors.",
    shape = "geqrf", dtype = "float", outs = 2, grad = false, tol = TOL, samples = { { "m[4,3]" } },
  }
  kernel "orgqr" {
    args = "x, tau", doc = "q of packed QR factors.", shape = "orgqr", dtype = "float", grad = false,
    tol = TOL,
    samples = { { "m[4,3]", "f(0,1)[3]" } },
  }
  kernel "ormqr" {
    args = "x, tau, mat, left: bool = true, transpose: bool = false",
    doc = "q mat (mat q if not left; q transposed if asked) for q of packed QR factors.",
    shape = "ormqr", dtype = "float", grad = false, tol = TOL,
    samples = { { "m[4,3]", "f(0,1)[3]", "f[4,2]" } },
  }

  -- -- Values and vectors -----------------------------------------------------------------------

  kernel "svd" {
    args = "x, some: bool = true",
    doc = "u, s, v of x = u diag(s) v^T, s from large to small; complete u and v if not some.",
    shape = "svd", dtype = "float", outs = 3, grad = true, saves = "out1 out2 out3", tol = 1e-3,
    samples = { { "m[4,3]" }, { "m[3,4]" }, { "m[2,3,3]" } },
  }
  kernel "symmetric_eig" {
    args = "x, upper: bool = true",
    doc = "Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices, of which one triangle "
      .. "is read.",
    shape = "symmetric_eig", dtype = "float", outs = 2, grad = true, saves = "out1 out2", tol = 1e-3,
    samples = { { "s[3,3]" }, { "s[2,3,3]", false } },
  }
  composite "symeig" {
    args = "x, eigenvectors: bool = false, upper: bool = true",
    doc = "symmetric_eig; without eigenvectors the second result is empty.",
    samples = { { "s[3,3]" }, { "s[3,3]", true } }, tol = 1e-3,
    lua = function(x, eigenvectors, upper)
      local e, v = K.symmetric_eig(x, upper)
      if eigenvectors then return e, v end
      return e, K.empty({ 0 }, { dtype = x.dtype, device = x.device })
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
      .. "first.",
    shape = "eig", dtype = "float", outs = 2, grad = false, tol = 1e-3,
    samples = { { "m[3,3]", true }, { "m[3,3]" } },
  }

  -- -- Made of these ----------------------------------------------------------------------------

  composite "matrix_power" {
    args = "x, n: int", doc = "The n-th power of each square matrix; a negative n inverts first.",
    samples = { { "m[3,3]", 3 }, { "m[3,3]", -2 } }, tol = TOL,
    lua = function(x, n)
      if x:dim() < 2 or x:size(-1) ~= x:size(-2) then
        raise("matrix_power", "x must be square, its shape is %s", tostring(x.shape))
      end
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
  composite "pinverse" {
    args = "x, rcond: number = 1e-15",
    doc = "The pseudoinverse: singular values up to rcond times the largest count as 0.",
    samples = { { "m[4,3]" } }, tol = 1e-3,
    lua = function(x, rcond)
      local u, s, v = K.svd(x)
      local kept = s:gt(s:narrow(-1, 1, 1) * rcond)
      local inverse = K.where(kept, K.where(kept, s, 1):reciprocal(), 0)
      return K.matmul(v * inverse:unsqueeze(-2), u:transpose(-1, -2))
    end,
  }
  composite "matrix_rank" {
    args = "x, tol: number? = nil, symmetric: bool = false",
    doc = "How many singular values are above tol (without: the largest times the larger size times the "
      .. "dtype's eps).",
    samples = { { "m[4,3]" } },
    lua = function(x, tol, symmetric)
      x = x:detach()
      local s
      if symmetric then s = (K.symmetric_eig(x)):abs() else local _; _, s = K.svd(x) end
      local limit = tol
      if not tol then
        local eps = x.dtype.name == "float64" and 2 ^ -52 or 2 ^ -23
        limit = s:max(-1, true) * (math.max(x:size(-1), x:size(-2)) * eps)
      end
      return s:gt(limit):sum(-1)
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
      if x:numel() == 0 then return x:clone() end
      if x.dtype.name:match "^b?float16$" then return K.matrix_exp(x:to(K.float32)):to(x.dtype) end
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
  composite "expm" {
    args = "x", doc = "matrix_exp.", samples = { { "m[3,3]" } }, tol = TOL,
    lua = function(x) return K.matrix_exp(x) end,
  }

  -- -- Products ---------------------------------------------------------------------------------

  composite "cross" {
    args = "x, y, dim: axis? = nil",
    doc = "The vector product along a dim of size 3 (the first such dim, without one).",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[2,3]", "f[2,3]", 2 } },
    lua = function(x, y, dim)
      for d = 1, dim and 0 or x:dim() do
        if not dim and x:size(d) == 3 then dim = d end
      end
      if not dim or x:size(dim) ~= 3 then
        raise("cross", "a dim of size 3 is needed, the shape is %s", tostring(x.shape))
      end
      local function part(v, i) return v:select(dim, i) end
      local parts = {}
      for i = 1, 3 do
        local a, b = i % 3 + 1, (i + 1) % 3 + 1
        parts[i] = part(x, a) * part(y, b) - part(x, b) * part(y, a)
      end
      return K.stack(parts, dim)
    end,
  }
  composite "kron" {
    args = "x, y", doc = "The Kronecker product.", samples = { { "f[2,3]", "f[3,2]" }, { "f[2]", "f[2,2]" } },
    lua = function(x, y)
      while x:dim() < y:dim() do x = x:unsqueeze(1) end
      while y:dim() < x:dim() do y = y:unsqueeze(1) end
      local sx, sy, size = {}, {}, {}
      for d = 1, x:dim() do
        sx[2 * d - 1], sx[2 * d] = x:size(d), 1
        sy[2 * d - 1], sy[2 * d] = 1, y:size(d)
        size[d] = x:size(d) * y:size(d)
      end
      return (x:reshape(sx) * y:reshape(sy)):reshape(size)
    end,
  }
  composite "cdist" {
    args = "x, y, p: number = 2",
    doc = "Distances [n, m] of the rows of x [n, k] and y [m, k], batched; p names the norm.",
    samples = { { "f[3,4]", "f[2,4]" }, { "f[2,3,4]", "f[2,5,4]", 1 }, { "f[3,4]", "f[2,4]", 3 } },
    lua = function(x, y, p)
      local d = x:unsqueeze(-2) - y:unsqueeze(-3)
      if p == 0 then return d:ne(0):sum(-1):to(d.dtype) end
      if p == 1 then return d:abs():sum(-1) end
      if p == math.huge then return (d:abs():max(-1)) end
      local sum = (p == 2 and d * d or d:abs():pow(p)):sum(-1)
      local apart = sum:ne(0) -- the root has no slope at 0
      local root = K.where(apart, sum, 1)
      return K.where(apart, p == 2 and root:sqrt() or root:pow(1 / p), 0)
    end,
  }
  composite "tensordot" {
    args = "x, y, dims: any",
    doc = "Sums products over the last `dims` dims of x and the first of y, or over { dims of x, dims of y "
      .. "}.",
    samples = { { "f[2,3,4]", "f[3,4,5]", 2 }, { "f[2,3]", "f[3,2]", { { 1 }, { 2 } } } },
    lua = function(x, y, dims)
      if dims == nil then dims = 2 end
      local from, to = {}, {}
      if type(dims) == "number" then
        for i = 1, dims do from[i], to[i] = x:dim() - dims + i, i end
      elseif type(dims) == "table" and type(dims[1]) == "table" and type(dims[2]) == "table" then
        for i, d in ipairs(dims[1]) do from[i] = d < 0 and d + x:dim() + 1 or d end
        for i, d in ipairs(dims[2]) do to[i] = d < 0 and d + y:dim() + 1 or d end
      else
        raise("tensordot", "dims must be a number or two lists of dims")
      end
      if #from ~= #to then raise("tensordot", "%d dims of x against %d of y", #from, #to) end
      local taken_x, taken_y, inner, result = {}, {}, 1, {}
      for i = 1, #from do
        local a, b = x:size(from[i]), y:size(to[i])
        if a ~= b then raise("tensordot", "dim %d of x has size %d, dim %d of y %d", from[i], a, to[i], b) end
        taken_x[from[i]], taken_y[to[i]], inner = true, true, inner * a
      end
      local order_x, order_y, rows, cols = {}, {}, 1, 1
      for d = 1, x:dim() do
        if not taken_x[d] then
          order_x[#order_x + 1], result[#result + 1], rows = d, x:size(d), rows * x:size(d)
        end
      end
      for _, d in ipairs(from) do order_x[#order_x + 1] = d end
      for _, d in ipairs(to) do order_y[#order_y + 1] = d end
      for d = 1, y:dim() do
        if not taken_y[d] then
          order_y[#order_y + 1], result[#result + 1], cols = d, y:size(d), cols * y:size(d)
        end
      end
      x = x:permute(order_x):reshape({ rows, inner })
      return K.mm(x, y:permute(order_y):reshape({ inner, cols })):reshape(result)
    end,
  }

  -- -- Einstein's notation ------------------------------------------------------------------------

  -- "ij" and a tensor as { labels, tensor }; "..." becomes labels 1, 2, ... counted from the right.
  local function labelled(text, x)
    local before, after = text:match "^(.-)%.%.%.(.*)$"
    local labels = {}
    local function read(part)
      if part:find "[^%a]" then raise("einsum", "'%s' is not a list of letters", text) end
      for letter in part:gmatch "%a" do labels[#labels + 1] = letter end
    end
    read(before or text)
    if before then
      local hidden = x:dim() - #before - #after
      for i = hidden, 1, -1 do labels[#labels + 1] = tostring(i) end
      read(after)
    end
    if #labels ~= x:dim() then
      raise("einsum", "'%s' names %d dims of a tensor of shape %s", text, #labels, tostring(x.shape))
    end
    return labels
  end

  local function position(labels, label)
    for i, l in ipairs(labels) do if l == label then return i end end
  end

  -- Takes the diagonal of repeated labels and sums over those nobody keeps.
  local function settle(labels, x, kept)
    local i = 1
    while i <= #labels do
      local j = i + 1
      while j <= #labels and labels[j] ~= labels[i] do j = j + 1 end
      if j <= #labels then
        local label = labels[i]
        x = x:diagonal(0, i, j)
        table.remove(labels, j)
        table.remove(labels, i)
        labels[#labels + 1] = label
      else
        i = i + 1
      end
    end
    for d = #labels, 1, -1 do
      if not kept[labels[d]] then
        x = x:sum(d)
        table.remove(labels, d)
      end
    end
    return labels, x
  end

  -- x with its dims in this order, as [product of the first group, of the second, ...].
  local function grouped(labels, x, groups)
    local order, shape = {}, {}
    for g, group in ipairs(groups) do
      shape[g] = 1
      for _, label in ipairs(group) do
        local d = position(labels, label)
        order[#order + 1] = d
        shape[g] = shape[g] * x:size(d)
      end
    end
    return x:permute(order):reshape(shape)
  end

  local function contract(la, a, lb, b, kept)
    local batch, only_a, only_b, summed, sizes = {}, {}, {}, {}, {}
    for i, label in ipairs(la) do
      local j = position(lb, label)
      local n, m = a:size(i), j and b:size(j)
      if j and n ~= m then
        if n ~= 1 and m ~= 1 then raise("einsum", "'%s' has size %d and size %d", label, n, m) end
        local size = {}
        local short, at = n == 1 and a or b, n == 1 and i or j
        for d = 1, short:dim() do size[d] = d == at and math.max(n, m) or -1 end
        if n == 1 then a = a:expand(size) else b = b:expand(size) end
        n = math.max(n, m)
      end
      sizes[label] = n
      local group = not j and only_a or kept[label] and batch or summed
      group[#group + 1] = label
    end
    for j, label in ipairs(lb) do
      if not position(la, label) then
        only_b[#only_b + 1] = label
        sizes[label] = b:size(j)
      end
    end
    local product = K.bmm(grouped(la, a, { batch, only_a, summed }), grouped(lb, b, { batch, summed,
      only_b }))
    local labels, shape = {}, {}
    for _, group in ipairs { batch, only_a, only_b } do
      for _, label in ipairs(group) do
        labels[#labels + 1] = label
        shape[#shape + 1] = sizes[label]
      end
    end
    return labels, product:reshape(shape)
  end

  -- Labels that stand once, in alphabetical order, behind those of "...".
  local function implied(terms)
    local count, names, hidden = {}, {}, 0
    for _, labels in ipairs(terms) do
      for _, l in ipairs(labels) do
        count[l] = (count[l] or 0) + 1
        if tonumber(l) then hidden = math.max(hidden, tonumber(l)) end
      end
    end
    for l, n in pairs(count) do if n == 1 and not tonumber(l) then names[#names + 1] = l end end
    table.sort(names)
    for i = 1, hidden do table.insert(names, 1, tostring(i)) end
    return names
  end

  composite "einsum" {
    args = "equation: any, x: any, y: any, z: any, w: any",
    doc = "Products of tensors summed by Einstein's convention: einsum(\"ij,jk->ik\", a, b); up to four "
      .. "tensors, or a list of them.",
    samples = { { "ij,jk->ik", "f[2,3]", "f[3,4]" }, { "ii->i", "f[3,3]" }, { "bij,bjk->bik", "f[2,3,4]",
      "f[2,4,2]" },
      { "...ij->...ji", "f[2,3,4]" } },
    tol = TOL,
    lua = function(equation, x, y, z, w)
      local check = require "kiln.check"
      if type(equation) ~= "string" then
        raise("einsum", "equation must be a string, got %s", check.got(equation))
      end
      local tensors = { x, y, z, w }
      if type(x) == "table" and getmetatable(x) == nil then tensors = x end
      local left, right = equation:gsub("%s", ""):match "^([^%-]*)%->(.*)$"
      left = left or equation:gsub("%s", "")
      local terms = {}
      for text in (left .. ","):gmatch "([^,]*)," do terms[#terms + 1] = text end
      if #terms ~= #tensors then
        raise("einsum", "the equation names %d tensors, %d are given", #terms, #tensors)
      end
      for i, text in ipairs(terms) do
        check.tensor(tensors[i], "einsum", ("tensor %d"):format(i))
        terms[i] = labelled(text, tensors[i])
      end
      local output
      if right then
        output = {}
        local hidden = 0
        for _, labels in ipairs(terms) do
          for _, l in ipairs(labels) do hidden = math.max(hidden, tonumber(l) or 0) end
        end
        for part in right:gsub("%.%.%.", "."):gmatch "." do
          if part == "." then
            for h = hidden, 1, -1 do output[#output + 1] = tostring(h) end
          else
            output[#output + 1] = part
          end
        end
      else
        output = implied(terms)
      end
      local function kept_after(k)
        local kept = {}
        for _, l in ipairs(output) do kept[l] = true end
        for t = k + 1, #terms do for _, l in ipairs(terms[t]) do kept[l] = true end end
        return kept
      end
      local others = kept_after(1)
      local labels, result = settle(terms[1], tensors[1], others)
      for k = 2, #terms do
        local needed = kept_after(k)
        for _, l in ipairs(labels) do needed[l] = true end
        local lb, b = settle(terms[k], tensors[k], needed)
        labels, result = contract(labels, result, lb, b, kept_after(k))
        labels, result = settle(labels, result, kept_after(k))
      end
      local order = {}
      for d, l in ipairs(output) do
        order[d] = position(labels, l)
        if not order[d] then raise("einsum", "'%s' stands on the right of '%s' only", l, equation) end
      end
      if #order ~= #labels then raise("einsum", "a letter stands twice on the right of '%s'", equation) end
      return #order > 0 and result:permute(order) or result
    end,
  }
end
