--- Gradients of writes to positions that repeat: the value that stays, the last, has the gradient, and the
-- ones it covers have none.  And as_strided, which names places: those beside x or between its elements have
-- no gradient by x and are refused, in reads and in writes.
local kiln = require "kiln"
local support = require "spec.support"
local autograd = kiln.autograd
local near, raises = support.near, support.raises

local leaf = support.leaf
local function at(positions) return kiln.tensor(positions, { dtype = "int64" }) end

local X = { { 0.1, 0.2 }, { 0.3, 0.4 }, { 0.5, 0.6 } }
local S = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }

describe("of several writes to one place the last has the gradient, in", function()
  local rows, places = at { 2, 1, 2, 2 }, at { { 1, 2 }, { 1, 2 }, { 3, 2 }, { 1, 1 } }
  local functions = {
    index_copy = function(x, s) return x:index_copy(1, rows, s) end,
    index_fill = function(x, s) return x:index_fill(1, rows, s[1][2]) end,
    scatter = function(x, s) return x:scatter(1, places, s) end,
    ["scatter along columns"] = function(x, s) return x:t():scatter(2, places:t(), s:t()) end,
    ["scatter of one number"] = function(x, s) return x:scatter(1, places, s[2][1]) end,
    put = function(x, s) return x:put(places, s) end,
    ["put of one number"] = function(x, s) return x:put(places, s[2][1]) end,
    index_put = function(x, s) return x:index_put(s, at { 2, 1, 2, -2 }) end,
    ["index_put in both dims"] = function(x, s)
      return x:index_put(s[1], at { { 2 }, { -2 }, { 3 } }, at { 1, 1 })
    end,
    ["index_put in the second dim"] = function(x, s)
      return x:index_put(s[{ { 1, 3 } }], nil, at { 1, 1 })
    end,
    ["index_put around a dim"] = function(x, s)
      return (x:unsqueeze(2) * 1):index_put(s[{ {}, { 1, 1 } }], at { 1, 1, 2, 1 }, nil, at { 2, 2, 1, 2 })
    end,
    ["x[positions] = s"] = function(x, s)
      local y = x * 1
      y[rows] = s
      return y
    end,
    ["x[{ positions, positions }] = a number"] = function(x, s)
      local y = x * 1
      y[{ rows, rows }] = s[1][1]
      return y
    end,
    max_unpool = function(x, s)
      local positions = at { 1, 2, 2, 1, 4, 4, 4, 4 }:view(1, 2, 2, 2)
      return kiln.nn.functional.max_unpool2d(s:view(1, 2, 2, 2), positions, 2):sum() * x
    end,
  }
  for name, fn in pairs(functions) do
    it(name .. ", also when it is differentiated twice", function()
      local function f(x, s) return fn(x * x, s * s) end
      assert.is_true(autograd.gradcheck(f, { leaf(X), leaf(S) }))
      assert.is_true(autograd.gradgradcheck(f, { leaf(X), leaf(S) }))
    end)
  end

  it("and only there: sums count each value", function()
    local x, s = leaf(X), leaf(S)
    x:index_copy(1, rows, s):sum():backward()
    near({ { 0, 0 }, { 0, 0 }, { 1, 1 } }, x.grad)
    near({ { 0, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 } }, s.grad)
    local one = leaf(2)
    x:index_fill(1, rows, one):sum():backward()
    near(4, one.grad) -- two rows of two
    s.grad = nil
    x:put(places, s, true):sum():backward()
    near({ { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } }, s.grad)
    for _, dtype in ipairs { "float32", "float16", "bfloat16" } do
      local h = s:detach():to(kiln[dtype]):requires_grad_()
      x:detach():to(kiln[dtype]):index_copy(1, rows, h):sum():backward()
      near({ { 0, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 } }, h.grad)
    end
  end)

  it("ends with its file's constants", function() rows, places = nil, nil end)
end)

describe("as_strided", function()
  it("of a view reads what lies beside it, but has no gradient there", function()
    local base = leaf { 1, 2, 3, 4, 5, 6 } * 1
    local view = base:narrow(1, 3, 2)
    for _, start in ipairs { 0, 3 } do
      local y = view:as_strided({ 3 }, { 1 }, start)
      raises({ "as_strided: it looks at memory beside x", "x has 2" }, function() y:sum():backward() end)
    end
    local x = leaf { 1, 2, 3, 4, 5, 6 }
    local inside = x:narrow(1, 2, 4):as_strided({ 2, 2 }, { 2, 1 }, 1)
    inside:sum():backward()
    near({ 0, 1, 1, 1, 1, 0 }, x.grad)
  end)

  it("has none between the elements of a view with gaps, but on them", function()
    local x = leaf { 1, 2, 3, 4, 5, 6 }
    local gaps = x[{ { 1, 5, 2 } }]
    local y = gaps:as_strided({ 5 }, { 1 }, 0)
    near({ 1, 2, 3, 4, 5 }, y)
    raises({ "as_strided: it looks at memory between the elements of x", "shape [3], stride [2]" },
      function() y:sum():backward() end)
    gaps:as_strided({ 2 }, { 4 }, 0):sum():backward()
    near({ 1, 0, 0, 0, 1, 0 }, x.grad)
    x.grad = nil
    x:as_strided({ 5 }, { 1 }, 0):sum():backward() -- of what it is a view of
    near({ 1, 1, 1, 1, 1, 0 }, x.grad)
    local matrix = leaf { { 1, 2 }, { 3, 4 } }
    matrix:t():as_strided({ 2, 3 }, { 1, 1 }, 0):sum():backward() -- no gaps, some places twice
    near({ { 1, 2 }, { 2, 1 } }, matrix.grad)
  end)

  it("has none where elements of x share memory", function()
    local x = leaf { 1, 2 }
    local wide = x:unsqueeze(1):expand(3, 2)
    raises({ "as_strided", "several of them share" }, function()
      wide:as_strided({ 2 }, { 1 }, 0):sum():backward()
    end)
    assert.is_nil(x.grad)
  end)

  it("beside what it is a view of cannot be written where that is recorded", function()
    local part = kiln.ones(6, { dtype = "float64" }):narrow(1, 3, 2):detach()
    local beside = part:as_strided({ 4 }, { 1 }, 0)
    raises({ "mul_", "memory beside the one that it is a view of" }, beside.mul_, beside, leaf { 1, 2, 3, 4 })
    near({ 1, 1 }, part)
    beside:mul_(2)
    near({ 2, 2 }, part)
    local w = leaf { 5 }
    part:as_strided({ 1 }, { 1 }, 3):mul_(w)
    near({ 2, 10 }, part)
    part:sum():backward()
    near({ 2 }, w.grad)
  end)
end)

describe("no gradient is lost", function()
  it("where a tensor stands for a number", function()
    local x, a = leaf { 1, 2 }, leaf(3)
    local why = "is a tensor that requires grad"
    raises({ "add: alpha", why, "item()" }, kiln.add, x, x, { alpha = a })
    raises({ "addcmul: value", why }, kiln.addcmul, x, x, x, a)
    raises({ "sum: dims[1]", why }, kiln.sum, x, leaf(1))
    near({ 4, 8 }, kiln.no_grad(kiln.add, x, x, { alpha = a }))
    near({ 4, 8 }, kiln.add(x, x, { alpha = a:detach() }))
  end)

  it("by unique, whose values are elements", function()
    local x = leaf { 3, 1, 2, 1 }
    local values = x:unique()
    near({ 1, 2, 3 }, values)
    values:backward(kiln.tensor({ 10, 20, 30 }, { dtype = "float64" }))
    near({ 30, 10, 20, 0 }, x.grad)
    local rows = leaf { { 5, 6 }, { 1, 2 }, { 3, 4 } }
    assert.is_true(autograd.gradcheck(function(r) return r:unique(true, false, false, 1) ^ 2 end, { rows }))
    assert.is_true(autograd.gradcheck(function(r) return r:unique_consecutive() ^ 2 end, { rows }))
  end)

  it("by nextafter in half precision, and by the factors that gesv gives", function()
    local h = kiln.ones(2, { dtype = "bfloat16", requires_grad = true })
    raises({ "nextafter", "no gradient", "y requires grad" }, kiln.nextafter, h:detach(), h)
    local a, b = leaf { { 2, 1 }, { 1, 3 } }, leaf { { 1 }, { 2 } }
    assert.is_true(autograd.gradcheck(kiln.gesv, { b, a }))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
