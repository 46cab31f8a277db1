--- Linear algebra: factors that multiply back, what LAPACK's failures say, einsum.
local kiln = require "kiln"
local support = require "spec.support"
local near, raises = support.near, support.raises

local F64 = { dtype = kiln.float64 }
local function matrix(t) return kiln.tensor(t, F64) end
local function positions(t) return kiln.tensor(t, { dtype = kiln.int64 }) end
local function close(a, b, tol) assert.is_true(kiln.allclose(a, b, tol or 1e-9, tol or 1e-9)) end
local function randn(...)
  kiln.manual_seed(1)
  return kiln.zeros({ ... }, F64):normal_()
end

describe("factors", function()
  it("multiply back to the matrix", function()
    local a = randn(2, 40, 30)
    local at = a:transpose(-1, -2)
    local q, r = a:qr(false)
    close(kiln.matmul(q, r), a)
    close(kiln.matmul(q:transpose(-1, -2), q), kiln.eye(40, F64):expand(2, 40, 40))
    local u, s, v = a:svd(false)
    close(kiln.matmul(u:narrow(-1, 1, 30) * s:unsqueeze(-2), v:transpose(-1, -2)), a)
    local p, l, upper = kiln.btriunpack(a:btrifact())
    close(kiln.matmul(kiln.matmul(p, l), upper), a)
    local gram = kiln.matmul(at, a)
    local e, vectors = gram:symeig(true)
    close(kiln.matmul(vectors * e:unsqueeze(-2), vectors:transpose(-1, -2)), gram, 1e-8)
    local factor = gram:cholesky()
    close(kiln.matmul(factor, factor:transpose(-1, -2)), gram, 1e-8)
    close(kiln.matmul(gram:potrf():potri(), gram), kiln.eye(30, F64):expand(2, 30, 30), 1e-6)
    close(kiln.matmul(kiln.matmul(a, a:pinverse()), a), a, 1e-8)
    assert.same({ 30, 30 }, a:matrix_rank():tolist())
  end)

  it("of LAPACK's packed form give q", function()
    local a = randn(6, 4)
    local packed, tau = a:geqrf()
    local q, r = a:qr()
    close(packed:orgqr(tau), q)
    close(kiln.ormqr(packed, tau, a, true, true):narrow(1, 1, 4):triu(), r)
  end)

  it("pstrf orders the rows and finds the rank", function()
    local half = randn(5, 3)
    local a = kiln.mm(half, half:t())
    local u, order, rank = a:pstrf()
    assert.equals(3, tonumber(rank:item()))
    local ordered = a:index_select(1, order):index_select(2, order)
    close(kiln.mm(u:t(), u), ordered, 1e-8)
  end)

  it("eig packs complex pairs as LAPACK does", function()
    local e, v = kiln.eig(matrix { { 0, 1 }, { -1, 0 } }, true)
    close(e, matrix { { 0, 1 }, { 0, -1 } })
    close(v:abs(), matrix { { math.sqrt(0.5), 0 }, { 0, math.sqrt(0.5) } })
    assert.equals(0, select(2, kiln.eig(matrix { { 1 } })):numel())
  end)
end)

describe("a matrix without elements", function()
  local function eye(n) return kiln.eye(n, { dtype = kiln.float64 }) end

  it("has complete factors all the same", function()
    local tall = kiln.zeros({ 2, 3, 0 }, { dtype = kiln.float64 })
    local q, r = tall:qr(false)
    assert.same({ 2, 3, 0 }, { unpack(r.shape) })
    assert.is_true(q:equal(eye(3):expand(2, 3, 3)))
    local u, s, v = tall:transpose(2, 3):svd(false)
    assert.same({ 2, 0, 0 }, { unpack(u.shape) })
    assert.same({ 2, 0 }, { unpack(s.shape) })
    assert.is_true(v:equal(eye(3):expand(2, 3, 3)))
  end)

  it("gives an empty gradient", function()
    local tall = kiln.zeros({ 3, 0 }, { dtype = kiln.float64, requires_grad = true })
    local _, s = tall:svd(false);
    (s:sum() + (tall:qr(false)):sum()):backward()
    assert.same({ 3, 0 }, { unpack(tall.grad.shape) })
  end)

  it("is no reflection", function()
    local none = kiln.zeros(0)
    assert.is_true(kiln.ones(4, 3):orgqr(none):equal(kiln.eye(4, 3)))
    local c = kiln.randn(4, 2)
    assert.is_true(kiln.zeros(4, 0):ormqr(none, c):equal(c))
  end)
end)

describe("what cannot be done", function()
  local function singular() return matrix { { 1, 2 }, { 2, 4 } } end

  it("says what LAPACK found", function()
    raises("inverse: the matrix is singular: pivot 2", kiln.inverse, singular())
    local batch = kiln.stack { kiln.eye(2, F64), singular() }
    raises({ "solve", "matrix 2 of the batch", "singular" }, kiln.solve, batch, kiln.ones(2, 1, F64))
    raises("leading minor of order 2", kiln.cholesky, matrix { { 1, 2 }, { 2, 1 } })
    raises("element 2 of its diagonal is 0", kiln.triangular_solve, kiln.ones(2, 1, F64),
      matrix { { 1, 2 }, { 0, 0 } })
    for _, b in ipairs { kiln.ones(3, 1, F64), kiln.ones(3, F64) } do
      raises("does not have full rank", kiln.lstsq, matrix { { 1, 0 }, { 1, 0 }, { 1, 0 } }, b)
      raises("does not have full rank", kiln.lstsq, matrix { { 1, 1 }, { 1, 1 }, { 1, 1 } }, b)
    end
    raises({ "lstsq", "[3, 2]", "[2]" }, kiln.lstsq, kiln.ones(3, 2), kiln.ones(2))
    raises({ "inner", "size 1", "3" }, kiln.inner, kiln.ones(2, 1), kiln.ones(3))
    raises({ "cdist", "p must be at least 0", "-1" }, kiln.cdist, kiln.ones(3, 2), kiln.ones(3, 2), -1)
    raises({ "pdist", "p must be at least 0", "nan" }, kiln.pdist, kiln.ones(3, 2), 0 / 0)
    raises({ "cov", "fweights", "integers", "float32" }, kiln.cov, kiln.ones(2, 2), 1, kiln.ones(2))
    raises({ "cov", "fweights", "-1" }, kiln.cov, kiln.ones(2, 2), 1, positions { 3, -1 })
    raises({ "cov", "aweights", "-0.5" }, kiln.cov, kiln.ones(2, 2), 1, nil, kiln.tensor { 1, -0.5 })
    raises({ "trapezoid", "dx" }, kiln.trapezoid, kiln.ones(3), 2)
    raises({ "hstack", "needs at least one tensor" }, kiln.hstack, {})
    raises({ "logit", "eps", "'a'" }, kiln.logit, kiln.ones(2), { eps = "a" })
    local x = kiln.tensor({ { 1, 2 } }, { dtype = kiln.float64, requires_grad = true })
    kiln.cdist(x, matrix { { 1, 0 }, { 3, 3 } }, 0):sum():backward() -- a number of differences has no slope
    close(kiln.zeros(1, 2, F64), x.grad)
    close(kiln.zeros(1, 2, 3), kiln.cdist(kiln.ones(1, 2, 0), kiln.ones(1, 3, 0), math.huge))
    raises("the input has NaN", kiln.cholesky, matrix { { 0 / 0, 1 }, { 1, 1 } })
    raises("lstsq: the input has NaN or an infinity", kiln.lstsq, kiln.ones(3, 2), kiln.full({ 3, 1 }, 0 / 0))
    raises("NaN or an infinity", kiln.svd, matrix { { 1 / 0, 1 }, { 1, 1 } })
    raises("NaN or an infinity", kiln.eig, matrix { { 1 / 0, 1 }, { 1, 1 } })
    raises("pivot 5 at position 2 is out of range 1..2", kiln.lu_solve, kiln.ones(2, 1), kiln.eye(2),
      positions { 1, 5 })
    raises({ "square", "[2, 3]" }, kiln.inverse, kiln.zeros(2, 3))
    raises({ "a", "b", "[3, 2]", "[2, 2]" }, kiln.solve, kiln.eye(2), kiln.zeros(3, 2))
  end)

  it("spreads NaN where no answer depends on it", function()
    local nan, b = matrix { { 0 / 0, 1 }, { 1, 1 } }, matrix { { 0 / 0 }, { 1 } }
    local good = matrix { { 2, 1 }, { 1, 3 } }
    local function all_nan(x) assert.is_true(x:isnan():all():item()) end
    all_nan(nan:inverse())
    all_nan(nan:matrix_exp())
    all_nan(kiln.solve(nan, b))
    all_nan(kiln.solve(good, b))
    all_nan(kiln.lu_solve(b, good:lu()))
    all_nan(kiln.cholesky_solve(b, good))
    all_nan(kiln.ormqr(good, matrix { 1, 1 }, b))
    all_nan((nan:qr()))
    all_nan(nan:det())
    assert.same({ 0, true }, { nan:slogdet():item(), select(2, nan:slogdet()):isnan():item() })
    local packed, pivots, info = nan:lu_factor()
    assert.is_true(packed[2][2]:isnan():item())
    assert.same({ { 1, 2 }, 0 }, { pivots:tolist(), info:item() })
    local full = kiln.full({ 3, 3 }, 0 / 0)
    for _, name in ipairs { "inverse", "lu", "qr", "geqrf" } do all_nan((full[name](full))) end
    all_nan(full:solve(kiln.eye(3)))
    all_nan(full:matrix_power(-2))
    local one = kiln.eye(3)
    one[2][3] = 0 / 0
    all_nan(kiln.stack({ kiln.eye(3), one }):inverse()[2])
    local q, r = matrix({ { 1, 0 / 0, 3 }, { 4, 5, 6 }, { 7, 8, 10 } }):qr()
    assert.same({ 3, 0, 0 }, q:eq(q):sum(1):tolist())
    assert.same({ { 1, 0, 1 }, { 1, 0, 0 }, { 1, 1, 0 } }, r:eq(r):long():tolist())
    assert.is_false(r:abs():gt(1e9):any():item())
  end)

  it("of no elements has condition 0", function()
    assert.same({ 0, { 0, 0 } }, { kiln.ones(0, 0):cond():item(), kiln.ones(2, 0, 3):cond():tolist() })
  end)

  it("is no error for determinants, whose gradient is the matrix of cofactors", function()
    local x = singular()
    x.requires_grad = true
    local d = x:det()
    assert.equals(0, d:item())
    d:backward()
    close(x.grad, matrix { { 4, -2 }, { -2, 1 } })
    local sign, log_abs = singular():slogdet()
    assert.equals(0, sign:item())
    assert.equals(-math.huge, log_abs:item())
    assert.equals(1, kiln.zeros(0, 0):det():item())
  end)

  it("leaves determinants their second derivatives, at any size and rank, and in batches", function()
    for _, case in ipairs { { 4, 1 }, { 4, 2 }, { 4, 4 }, { 70, 1 } } do
      local n, zeros = unpack(case)
      local whole = kiln.eye(n, F64) + randn(n, n) * 0.1
      local x = whole:clone()
      for i = 1, zeros do x[i] = 0 end
      x = kiln.stack { x, whole }
      local w, turn = randn(2, n, n), randn(2, n, n)
      local function slope(at, options)
        return (kiln.autograd.grad(at:det():sum(), at, options) * w):sum()
      end
      x.requires_grad = true
      local second = (kiln.autograd.grad(slope(x, { create_graph = true }), x) * turn):sum():item()
      local function moved(h) return slope((x:detach() + turn * h):requires_grad_()):item() end
      local numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5
      local is_near = math.abs(second - numeric) <= 1e-4 * math.max(1, math.abs(numeric))
      assert.is_true(is_near, ("%d x %d, %d rows of zeros: %.9g, by finite differences %.9g"):format(n, n,
        zeros, second, numeric))
    end
    local none = kiln.zeros(65, 65, F64):requires_grad_()
    raises({ "det", "a rank of at least n - 64, it is 0 for 65 x 65" }, kiln.autograd.grad, none:det(), none,
      { create_graph = true })
  end)

  it("leaves singular vectors their gradients", function()
    local x = matrix { { 1, 2, 3 }, { 2, 4, 6 }, { 1, 0, 1 } }
    local w, turn = randn(3, 3), randn(3, 3)
    local function value(at)
      local u, _, v = at:svd() -- without the signs of their columns
      return (u:square() * w):sum() + (v:square() * w):sum()
    end
    x.requires_grad = true
    local analytic = (kiln.autograd.grad(value(x), x) * turn):sum():item()
    local function moved(h) return value(x:detach() + turn * h):item() end
    close(analytic, (moved(1e-6) - moved(-1e-6)) / 2e-6, 1e-6)
  end)

  it("gives vectors of equal values no gradient that is a number", function()
    local function has_nan(y, x)
      local g = kiln.autograd.grad((y * randn(y:size(1), y:size(2))):sum(), x, { retain_graph = true })
      return g:isnan():any():item()
    end
    local turn = matrix { { -1, 1 }, { -1, -1 } }
    turn.requires_grad = true
    local u, s, v = turn:svd() -- which differ by a rounding
    assert.is_true(has_nan(kiln.matmul(u * s:unsqueeze(1), v:t()), turn))
    near({ 1, 1 }, kiln.autograd.grad(s:square():sum(), turn):square():sum(2) / 8)
    local flat = matrix { { -2, 2, 0 }, { -2, 2, 1 }, { -1, 1, 2 } } -- nor the factors of columns that depend
    flat.requires_grad = true
    local _, r = flat:qr()
    assert.is_true(has_nan(kiln.matmul(r:t(), r), flat))
    local d = matrix({ 1, 1, 3 }):diag():requires_grad_()
    local e, q = d:symmetric_eig()
    near({ 0, 0, 1 }, kiln.autograd.grad(e[3], d, { retain_graph = true }):diag())
    -- the third vector is determined
    local third = kiln.autograd.grad(q[{ {}, 3 }]:square():sum(), d, { retain_graph = true })
    near({ { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, third)
    assert.is_true(has_nan(q, d))
    for _, corner in ipairs { 0, 1, 1e-34 } do
      local double = matrix { { 2, corner }, { 0, 2 } }
      double.requires_grad = true
      local values, vectors = double:eig(true)
      near({ { 1, 0 }, { 0, 1 } }, kiln.autograd.grad(values:sum(), double, { retain_graph = true }))
      assert.is_true(has_nan(vectors, double))
    end
  end)

  it("pseudoinverses have gradients where singular values are equal, or 0", function()
    local w = randn(3, 2)
    local turn, tall = { { -1, 1 }, { -1, -1 } }, { { 1, 0 }, { 0, 1 }, { 0, 0 } }
    for _, rows in ipairs { turn, tall, { { 2, 0, 0 }, { 0, 0, 2 } } } do
      local x = kiln.tensor(rows, { dtype = "float64", requires_grad = true })
      assert.is_true(kiln.autograd.gradcheck(kiln.pinverse, { x }))
      assert.is_true(kiln.autograd.gradgradcheck(kiln.pinverse, { x }))
    end
    local function of_rank_1(column) -- moves along matrices of rank 1
      return kiln.pinverse(kiln.matmul(column, w:narrow(2, 1, 1):t()), 1e-9)
    end
    local column = randn(4, 1)
    column.requires_grad = true
    assert.is_true(kiln.autograd.gradcheck(of_rank_1, { column }))
  end)

  it("the packed factors of gels refuse to be differentiated", function()
    local a, b = kiln.rand(4, 3, { requires_grad = true }), kiln.rand(4, 1)
    local x, factors = kiln.gels(b, a)
    raises({ "gels", "qr" }, function() factors:sum():backward() end)
    x:sum():backward()
    assert.is_not_nil(a.grad)
    assert.is_false(select(2, kiln.no_grad(kiln.gels, b, a)).requires_grad)
  end)

  it("complete factors of a tall matrix have no gradient", function()
    local x = randn(3, 2)
    x.requires_grad = true
    local q = kiln.qr(x, false)
    raises("not differentiable", function() q:sum():backward() end)
  end)
end)

describe("NaN and infinities", function()
  it("reach every element of a Cholesky inverse that depends on them", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = kiln.tensor({ { 0 / 0, 0 }, { 1, 1 } }, { dtype = dtype })
      for _, inverse in ipairs { x:cholesky_inverse(), x:potri(), x:cholesky_inverse(true) } do
        assert.same({ { true, true }, { true, false } }, inverse:isnan():tolist())
        assert.equals(1, inverse[2][2]:item())
      end
    end
    local y = kiln.eye(3, F64)
    y[1][1] = math.huge
    assert.same({ { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, y:cholesky_inverse():nan_to_num():tolist())
  end)
end)

describe("results of integers", function()
  it("are floating", function()
    local x = kiln.tensor({ { 3, 1 }, { 1, 2 } }, { dtype = kiln.int64 })
    assert.equals(kiln.float32, select(2, x:symeig()).dtype)
    assert.is_true(math.abs(x:logdet():item() - math.log(5)) < 1e-6)
    assert.equals(kiln.float32, x:logdet().dtype)
    assert.is_true(x:matrix_exp():allclose(x:float():matrix_exp()))
  end)
end)

describe("the pseudoinverse", function()
  -- Of a step that keeps the rank: what PyTorch has where singular values are equal, or 0.
  it("has gradients where singular values are equal, and where rank is missing", function()
    local function slope(f, x)
      x.requires_grad = true
      return kiln.autograd.grad(f(x):sum(), x)
    end
    for _, f in ipairs { kiln.pinverse, kiln.pinv } do
      close(slope(f, kiln.eye(2, F64)), -kiln.ones(2, 2, F64))
      close(slope(f, kiln.ones(2, 2, F64)), kiln.full({ 2, 2 }, -0.25, F64))
      close(slope(f, kiln.zeros(2, 3, F64)), kiln.zeros(2, 3, F64))
      close(slope(f, matrix { { 1, 0 }, { 0, 1 }, { 0, 0 } }), matrix { { -1, -1 }, { -1, -1 }, { 1, 1 } })
    end
    local symmetric = kiln.eye(3, F64)
    symmetric.requires_grad = true
    local function f(x) return kiln.pinv(x + x:t(), { hermitian = true }) end
    assert.is_true(kiln.autograd.gradcheck(f, symmetric))
  end)

  it("leaves out what is small beside the largest", function()
    close(kiln.pinv(kiln.ones(3, 3)), kiln.full({ 3, 3 }, 1 / 9), 1e-6)
    close(kiln.pinv(matrix { { 1, 0 }, { 0, 1e-3 } }, 1e-2), matrix { { 1, 0 }, { 0, 0 } })
    close(kiln.pinv(matrix { { 1, 0 }, { 0, 1e-3 } }, { rcond = 1e-4 }), matrix { { 1, 0 }, { 0, 1000 } })
    close(kiln.pinv(matrix { { 1, 0 }, { 0, 1e-20 } }, { atol = 0 }), matrix { { 1, 0 }, { 0, 1e20 } })
    close(kiln.pinv(matrix { { 9, 0 }, { 0, 1 } }, { atol = 2 }), matrix { { 1 / 9, 0 }, { 0, 0 } })
    local hermitian = { hermitian = true }
    close(kiln.pinv(matrix { { -2, 7 }, { 0, 1 } }, hermitian), matrix { { -0.5, 0 }, { 0, 1 } })
    raises("must be square if hermitian, its shape is [2, 3]", kiln.pinv, kiln.ones(2, 3), hermitian)
    raises("pinv: x must be a matrix or a batch of them", kiln.pinv, kiln.ones(3))
  end)
end)

describe("einsum", function()
  it("agrees with products, sums, diagonals and permutations", function()
    local a, b = randn(2, 3, 4), randn(2, 4, 5)
    close(kiln.einsum("bij,bjk->bik", a, b), kiln.bmm(a, b))
    close(kiln.einsum("bij,bjk,bi->k", a, b, a:select(3, 1)),
      (kiln.bmm(a, b) * a:select(3, 1):unsqueeze(3)):sum({ 1, 2 }))
    close(kiln.einsum("ii", kiln.ones(3, 3, F64)), matrix(3))
    close(kiln.einsum("...j,jk", a, b[1]), kiln.matmul(a, b[1]))
    close(kiln.einsum("ij->ji", b[1]), b[1]:t())
    close(kiln.einsum("i,j", { a[1][1], b[1][1] }), kiln.outer(a[1][1], b[1][1]))
  end)

  it("refuses equations that do not fit", function()
    raises("'z' stands on the right", kiln.einsum, "ij->iz", kiln.ones(2, 2))
    raises("names 3 dims of a tensor of shape", kiln.einsum, "ijk", kiln.ones(2, 2))
    raises("the equation names 2 tensors, 1 are given", kiln.einsum, "ij,jk->ik", { kiln.ones(2, 2) })
    raises("'j' has size 2 and size 3", kiln.einsum, "ij,jk->ik", kiln.ones(2, 2), kiln.ones(3, 2))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
