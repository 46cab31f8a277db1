--- x[...] and x[...] = v, in every form.
local kiln = require "kiln"
local support = require "spec.support"
local near, raises = support.near, support.raises

local function matrix() return kiln.arange(1, 13):view(3, 4) end
local function positions(list) return kiln.tensor(list, { dtype = kiln.int64 }) end

describe("reading by index", function()
  it("selects a position, from both ends", function()
    local x = matrix()
    near({ 5, 6, 7, 8 }, x[2])
    near({ 9, 10, 11, 12 }, x[-1])
    near(7, x[2][3])
    assert.equals(0, x[2][3]:dim())
    near({ 5, 6, 7, 8 }, x[2LL])
    near({ 5, 6, 7, 8 }, x[2.0])
  end)

  it("slices with both bounds included", function()
    local x = matrix()
    near({ { 2, 3 }, { 6, 7 } }, x[{ { 1, 2 }, { 2, 3 } }])
    near({ 2, 6, 10 }, x[{ {}, 2 }])
    near({ { 2 }, { 6 }, { 10 } }, x[{ {}, { 2 } }])
    near({ { 1, 3 }, { 5, 7 }, { 9, 11 } }, x[{ {}, { 1, 4, 2 } }])
    near({ { 11, 12 } }, x[{ { -1, -1 }, { -2, -1 } }])
    near({ 6, 7, 8 }, x[{ 2, { 2, -1 } }])
    assert.same({ 3, 4 }, { unpack(x[{}].shape) })
  end)

  it("inserts dims and skips with ...", function()
    local x = kiln.arange(24):view(2, 3, 4)
    assert.equals("[1, 2, 3, 4]", tostring(x[kiln.newaxis].shape))
    assert.equals("[2, 1, 3, 4]", tostring(x[{ {}, kiln.newaxis }].shape))
    assert.equals("[2, 3]", tostring(x[{ "...", 1 }].shape))
    near({ { 0, 4, 8 }, { 12, 16, 20 } }, x[{ "...", 1 }])
    near({ 0, 4, 8 }, x[{ 1, "...", 1 }])
  end)

  it("gives views", function()
    local x = kiln.zeros(2, 3)
    x[2]:fill_(5)
    x[{ {}, 1 }]:add_(1)
    near({ { 1, 0, 0 }, { 6, 5, 5 } }, x)
  end)

  it("takes masks", function()
    local x = matrix()
    near({ 9, 10, 11, 12 }, x[x:gt(8)])
    near({ { 5, 6, 7, 8 } }, x[kiln.tensor { false, true, false }])
    near({ 5, 9 }, x[{ kiln.tensor { false, true, true }, 1 }])
    assert.equals("[0]", tostring(x[x:gt(100)].shape))
  end)

  it("takes positions, repeated, from the end, in any shape", function()
    local x = matrix()
    near({ { 9, 10, 11, 12 }, { 1, 2, 3, 4 }, { 9, 10, 11, 12 } }, x[positions { 3, 1, -1 }])
    near({ { 4, 1 }, { 8, 5 }, { 12, 9 } }, x[{ {}, positions { 4, 1 } }])
    near({ 1, 6, 12 }, x[{ positions { 1, 2, 3 }, positions { 1, 2, 4 } }])
    near({ { 1, 2 }, { 5, 6 } }, x[{ positions { { 1 }, { 2 } }, positions { 1, 2 } }])
    assert.equals("[2, 2, 4]", tostring(x[positions { { 1, 2 }, { 3, 3 } }].shape))
    near({ 2, 3 }, x[{ 1, positions { 2, 3 } }])
  end)

  it("puts the dims of several positions where they stood, or in front", function()
    local x = kiln.arange(2 * 3 * 4 * 5):view(2, 3, 4, 5)
    local i, j = positions { 1, 2, 3, 1, 2, 3 }, positions { 1, 2, 3, 4, 1, 2 }
    assert.equals("[2, 6, 5]", tostring(x[{ {}, i, j }].shape))
    local k = positions { 1, 2, 1, 2, 1, 2 }
    assert.equals("[6, 3, 5]", tostring(x[{ k, {}, j }].shape))
    near(x[{ 2, {}, 2, {} }]:tolist(), x[{ k, {}, j }][2])
  end)

  it("says what is wrong", function()
    local x = matrix()
    raises({ "index", "positions count from 1" }, function() return x[0] end)
    raises({ "position", "4", "3" }, function() return x[4] end)
    raises({ "whole number", "1.5" }, function() return x[1.5] end)
    raises({ "3 positions for a 2-dim tensor" }, function() return x[{ 1, 1, 1 }] end)
    raises({ "entry 2", "slice" }, function() return x[{ 1, { 1, 2, 3, 4 } }] end)
    raises({ "index", "true" }, function() return x[true] end)
    raises({ "entry 1", "the string 'a'" }, function() return x[{ "a" }] end)
    raises({ "bool or int64", "float32" }, function() return x[kiln.tensor { 1, 2 }] end)
    raises({ "mask has size 2", "3" }, function() return x[kiln.tensor { true, false }] end)
    raises({ "position", "7" }, function() return x[positions { 7 }] end)
    raises({ "dim 2", "5", "1..4" }, function()
      return x[{ positions { 1 }, positions { 5 } }]
    end)
    raises({ "do not broadcast" }, function()
      return x[{ positions { 1, 2 }, positions { 1, 2, 3 } }]
    end)
    raises({ "no field or method 'frobnicate'" }, function() return x.frobnicate end)
    raises({ "out of range", "7" }, function() return x[{ { 1, 7 } }] end)
  end)
end)

describe("assigning by index", function()
  it("writes numbers, tensors and tables", function()
    local x = kiln.zeros(3, 4)
    x[1] = 1
    x[{ 2, { 2, 3 } }] = kiln.tensor { 7, 8 }
    x[{ {}, 4 }] = { 4, 5, 6 }
    x[3][1] = 9
    near({ { 1, 1, 1, 4 }, { 0, 7, 8, 5 }, { 9, 0, 0, 6 } }, x)
    x[{}] = 2
    near({ { 2, 2, 2, 2 }, { 2, 2, 2, 2 }, { 2, 2, 2, 2 } }, x)
    x[2] = kiln.ones(1, 4)
    near({ 1, 1, 1, 1 }, x[2])
    x[{ {}, { 1, 4, 2 } }] = kiln.tensor { 5, 6 }
    near({ { 5, 2, 6, 2 }, { 5, 1, 6, 1 }, { 5, 2, 6, 2 } }, x)
  end)

  it("writes through masks", function()
    local x = matrix()
    x[x:gt(10)] = 0
    near({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 0, 0 } }, x)
    x[x:eq(0)] = kiln.tensor { 20, 21 }
    near({ 9, 10, 20, 21 }, x[3])
    x[kiln.tensor { true, false, false }] = -1
    near({ -1, -1, -1, -1 }, x[1])
    raises({ "[4] and [3]" }, function() x[x:eq(-1)] = kiln.ones(3) end)
  end)

  it("writes through positions", function()
    local x = kiln.zeros(3, 4)
    x[positions { 1, 3 }] = kiln.tensor { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }
    x[{ {}, positions { 4 } }] = 9
    near({ { 1, 2, 3, 9 }, { 0, 0, 0, 9 }, { 5, 6, 7, 9 } }, x)
    x[{ positions { 1, 2 }, positions { 1, 2 } }] = kiln.tensor { -1, -2 }
    near({ { -1, 2, 3, 9 }, { 0, -2, 0, 9 }, { 5, 6, 7, 9 } }, x)
    x[{ { 2, 3 }, positions { 1, -1 } }] = 0
    near({ { -1, 2, 3, 9 }, { 0, -2, 0, 0 }, { 0, 6, 7, 0 } }, x)
  end)

  it("says what is wrong and changes nothing", function()
    local x = matrix()
    raises({ "value", "the string 'a'" }, function() x[1] = "a" end)
    raises({ "value", "nil" }, function() x[1] = nil end)
    raises("[3]", function() x[1] = kiln.ones(3) end)
    raises("[2]", function() x[positions { 1 }] = kiln.ones(2) end)
    raises("ragged", function() x[1] = { 1, { 2 } } end)
    near(matrix():tolist(), x)
  end)

  it("is recorded: the assignment is part of the graph", function()
    local w = kiln.arange(9):view(3, 3)
    w.requires_grad = true
    local s = kiln.zeros(3, 3)
    s[2] = w:sum(2)
    s:mean():backward()
    near({ { 1 / 9, 1 / 9, 1 / 9 }, { 1 / 9, 1 / 9, 1 / 9 }, { 1 / 9, 1 / 9, 1 / 9 } }, w.grad)
  end)

  it("records every assignment, also over earlier ones", function()
    local x = kiln.ones(10, { requires_grad = true })
    local y = kiln.ones(3, { requires_grad = true })
    local z = x:clone()
    z[1] = 2 * y:sum()
    z[2] = 3 * y:sum()
    z[3] = 4 * y:sum()
    z:sum():backward()
    near({ 9, 9, 9 }, y.grad)
    near({ 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 }, x.grad)
  end)

  it("has gradients through masks and positions", function()
    local x = kiln.ones(4, { requires_grad = true })
    local v = kiln.ones(2, { requires_grad = true })
    local z = x * 2
    z[positions { 1, 3 }] = v * 3
    z[kiln.tensor { false, true, false, false }] = 0
    z:sum():backward()
    near({ 0, 0, 0, 2 }, x.grad)
    near({ 3, 3 }, v.grad)
    local y = kiln.ones(3, 2, { requires_grad = true })
    y[positions { 2, 2, 1 }]:sum():backward()
    near({ { 1, 1 }, { 2, 2 }, { 0, 0 } }, y.grad)
  end)
end)

describe("properties", function()
  it("are read", function()
    local x = matrix()
    assert.equals("[3, 4]", tostring(x.shape))
    assert.is_true(x.shape == x:t().T.shape)
    assert.equals(12, x.shape:numel())
    assert.equals(kiln.float32, x.dtype)
    assert.equals(kiln.get_default_device(), x.device)
    assert.equals(2, x.ndim)
    assert.equals(3, #x)
    assert.is_false(x.requires_grad)
    assert.is_true(x.is_leaf)
    assert.is_nil(x.grad)
    assert.is_nil(x.grad_fn)
    near({ 1, 5, 9 }, x.T[1])
    local n = 0
    support.raises({ "pairs", "for i, row in ipairs(x) do" }, function() pairs(x) end)
    for i, row in ipairs(x) do
      n = n + i
      assert.equals(4, #row)
    end
    assert.equals(6, n)
  end)

  it("are written where that makes sense", function()
    local x = kiln.ones(2)
    x.requires_grad = true
    (x * 2):sum():backward()
    near({ 2, 2 }, x.grad)
    x.grad = nil
    assert.is_nil(x.grad)
    x.grad = kiln.zeros(2)
    near({ 0, 0 }, x.grad)
    x.data = kiln.tensor { 5, 6, 7 }
    assert.is_true(x.requires_grad)
    near({ 5, 6, 7 }, x)
    raises({ "shape", "cannot be assigned" }, function() x.shape = { 1 } end)
    raises({ "no field 'foo'" }, function() x.foo = 1 end)
    raises({ "requires_grad", "true or false" }, function() x.requires_grad = 1 end)
    raises({ "grad", "[2]", "[3]" }, function() x.grad = kiln.zeros(2) end)
  end)
end)

describe("integers", function()
  it("drop fractions of what is assigned, however it is", function()
    local int64 = { dtype = kiln.int64 }
    local x = kiln.zeros(4, int64)
    x[1] = 3.7
    x[kiln.tensor({ 2 }, int64)] = 2.5
    x[x:eq(0)] = -1.5
    assert.same({ 3, 2, -1, -1 }, x:tolist())
    raises({ "index_put_", "float32", "int64" }, function()
      x[kiln.tensor({ 1 }, int64)] = kiln.tensor { 0.5 }
    end)
  end)

  -- What every way to write a number makes of it in x = 1..4 at positions 1 and 3.
  local function written(v, dtype)
    local function x() return kiln.tensor({ 1, 2, 3, 4 }, { dtype = dtype }) end
    local at = kiln.tensor({ 1, 3 }, { dtype = kiln.int64 })
    local mask = kiln.tensor { true, false, true, false }
    local function assigned(key)
      return function()
        local y = x()
        y[key] = v
        return y
      end
    end
    return {
      scatter = function() return x():scatter(1, at, v) end,
      scatter_ = function() return x():scatter_(1, at, v) end,
      masked_fill = function() return x():masked_fill(mask, v) end,
      masked_fill_ = function() return x():masked_fill_(mask, v) end,
      index_fill = function() return x():index_fill(1, at, v) end,
      index_fill_ = function() return x():index_fill_(1, at, v) end,
      index_put = function() return x():index_put(v, at) end,
      index_put_ = function() return x():index_put_(v, at) end,
      positions = assigned(at), mask = assigned(mask), slice = assigned { { 1, 3, 2 } },
      fill_ = function()
        local y = x()
        y[{ { 1, 3, 2 } }]:fill_(v)
        return y
      end,
      full = function()
        local y = x()
        y[{ { 1, 3, 2 } }] = kiln.full({ 2 }, v, { dtype = dtype })
        return y
      end,
      pad = function()
        local right = x()[{ { 2, 4, 2 } }]:view(2, 1)
        return kiln.nn.functional.pad(right, { 1, 0 }, "constant", v):view(4)
      end,
    }
  end

  it("take a number that is written without its fraction, out of place as well", function()
    for _, case in ipairs { { 2.5, "int64", 2 }, { -2.5, "int64", -2 }, { -1, "uint8", 255 },
      { 7.9, "int8", 7 }, { 2.5, "float32", 2.5 } } do
      for name, write in pairs(written(case[1], case[2])) do
        local y = write()
        assert.equals(case[2], y.dtype.name, name)
        assert.same({ case[3], 2, case[3], 4 }, y:tolist(), name)
      end
    end
    assert.same({ 2 ^ 40 + 1, 2 }, kiln.tensor({ 2 ^ 40 + 1, 0 }, { dtype = kiln.int64 })
      :masked_fill(kiln.tensor { false, true }, 2.5):tolist()) -- which float32 could not hold
    assert.same({ true, true }, kiln.tensor { false, true }:index_fill(1, kiln.tensor({ 1 },
      { dtype = kiln.int64 }), 0.5):tolist())
  end)

  it("refuse a number that they cannot hold", function()
    for _, case in ipairs { { 300, "uint8" }, { -256, "uint8" }, { 128, "int8" }, { 2 ^ 31, "int32" },
      { 1e30, "int64" }, { 0 / 0, "int64" }, { 1 / 0, "int32" } } do
      for name, write in pairs(written(case[1], case[2])) do
        raises({ case[2] .. " cannot hold" }, write, name)
      end
    end
  end)

  it("become floating where a fraction is computed with", function()
    local x = kiln.tensor({ 1, 2 }, { dtype = kiln.int64 })
    assert.same({ 1, 0.5 }, kiln.where(x:eq(1), x, 0.5):tolist())
    assert.same({ 1, 1.5 }, x:clamp(nil, 1.5):tolist())
    assert.same({ 1.5, 2.5 }, (x + 0.5):tolist())
  end)
end)

describe("joining", function()
  it("passes over tensors of shape [0], whichever dim is named", function()
    local nothing, a, b = kiln.zeros(0), kiln.ones(2, 2), kiln.ones(2, 3)
    assert.same({ 2, 5 }, { unpack(kiln.cat({ nothing, a, b }, -1).shape) })
    assert.same({ 2, 5 }, { unpack(kiln.cat({ nothing, a, b }, 2).shape) })
    assert.same({ 0 }, { unpack(kiln.cat({ nothing, nothing }, 1).shape) })
    local x = kiln.ones(2, 0, { requires_grad = true })
    kiln.cat({ x, b }, 2):sum():backward()
    assert.same({ 2, 0 }, { unpack(x.grad.shape) })
  end)
end)

describe("a write to a few places", function()
  it("copies nothing else", function()
    local x = kiln.zeros(1e6)
    local at = kiln.tensor({ 5 }, { dtype = kiln.int64 })
    local calls = {
      function() x:scatter_(1, at, 2) end, function() x:scatter_add_(1, at, kiln.ones(1)) end,
      function() x:index_fill_(1, at, 4) end, function() x:index_add_(1, at, kiln.ones(1)) end,
      function() x:index_copy_(1, at, kiln.ones(1)) end, function() x:put_(at, kiln.ones(1)) end,
      function() x[at] = 7 end,
    }
    kiln.empty_cache()
    local before = kiln.memory()
    for _, call in ipairs(calls) do call() end
    -- A copy, freed, would be kept for reuse.
    assert.is_true(kiln.memory().cached_bytes - before.cached_bytes < x:numel() * 4)
    assert.equals(7, x[5]:item())
    raises({ "scatter", "2000000", "position [1]" }, x.scatter_, x, 1,
      kiln.tensor({ 2000000 }, { dtype = kiln.int64 }), 9)
    assert.equals(7, x:sum():item())
  end)
end)

describe("scatter and scatter_add", function()
  it("take a src larger than index, of which the rest is not used", function()
    local src, index = kiln.arange(1, 11):reshape(2, 5), positions { { 1, 2, 3, 1 } }
    local expected = { { 1, 0, 0, 4, 0 }, { 0, 2, 0, 0, 0 }, { 0, 0, 3, 0, 0 } }
    near(expected, kiln.zeros(3, 5):scatter(1, index, src))
    local x = kiln.zeros(3, 5)
    assert.equals(x, x:scatter_(1, index, src))
    near(expected, x)
    near(expected, kiln.scatter(kiln.zeros(3, 5), 1, index, src, { out = x }))
    local w = src:clone():requires_grad_()
    local y = kiln.zeros(3, 5):scatter_add(2, positions { { 1, 2, 3 }, { 2, 2, 2 } }, w)
    near({ { 1, 2, 3, 0, 0 }, { 0, 21, 0, 0, 0 }, { 0, 0, 0, 0, 0 } }, y)
    y:pow(2):sum():backward()
    near({ { 2, 4, 6, 0, 0 }, { 42, 42, 42, 0, 0 } }, w.grad)
    raises({ "scatter_", "src of shape [1, 3]", "[1, 4]" }, x.scatter_, x, 1, index, kiln.ones(1, 3))
    raises({ "scatter", "dim 4 is out of range" }, kiln.scatter, x, 4, index, src)
    raises({ "scatter", "9" }, kiln.scatter, x, 1, positions { { 1, 2, 9, 1 } }, src)
  end)
end)

describe("index_put of a list of indices, and where of a condition alone", function()
  it("write and find what x[...] does", function()
    local i, j = positions { 1, 3, 1 }, positions { 2, 4, 2 }
    near({ 1, 10, 3, 4 }, matrix():index_put({ i, j }, kiln.tensor { 8, 9, 10 })[1])
    local y = kiln.zeros(3, 4)
    assert.equals(y, y:index_put_({ i, j }, kiln.tensor { 8, 9, 10 }, true))
    near({ { 0, 18, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 9 } }, y)
    near({ { 0, 36, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 18 } },
      y:index_put_({ i, j }, kiln.tensor { 8, 9, 10 }, { accumulate = true }))
    local mask = kiln.tensor { true, false, true }
    near({ { 7, 7, 7, 7 }, { 5, 6, 7, 8 }, { 7, 7, 7, 7 } }, matrix():index_put({ mask }, 7))
    near({ { 1, 0, 3, 4 }, { 5, 0, 7, 8 }, { 9, 0, 11, 12 } }, matrix():index_put({ {}, positions { 2 } }, 0))
    local x, v = kiln.ones(3, { requires_grad = true }), kiln.ones(2, { requires_grad = true })
    local written = (x * 1):index_put_({ positions { 2, 2 } }, v, true)
    written:mul(kiln.tensor { 1, 2, 3 }):sum():backward()
    near({ 1, 2, 3 }, x.grad)
    near({ 2, 2 }, v.grad)
    raises({ "index_put: indices for 3 dims, x has 2" }, kiln.index_put, y, { i, i, i }, 1)
    raises({ "index_put_: indices[2] must be a tensor, got the number 3" }, y.index_put_, y, { i, 3 }, 1)
    raises({ "index_put: value is missing" }, kiln.index_put, y, { i })
    raises({ "index_put: takes at most 4 arguments" }, kiln.index_put, y, { i }, 1, true, 2)
    local rows, columns = kiln.where(kiln.tensor { { 0, 2 }, { 3, 0 } })
    near({ 1, 2 }, rows)
    near({ 2, 1 }, columns)
    raises({ "where: y is missing" }, kiln.where, kiln.tensor { true }, 1)
    raises({ "where: condition must be a tensor" }, kiln.where, 1)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
