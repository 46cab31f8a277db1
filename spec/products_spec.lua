--- Products of matrices and recurrent layers of sizes at which the CPU takes other roads than for small ones
-- (core/cpu/tiles.c): float32 against float64, and the same bits with one thread and with two.
local kiln = require "kiln"

local threads = kiln.get_num_threads()

local function with_threads(n, fn)
  kiln.set_num_threads(n)
  return fn()
end

-- Largest difference between x and y in units of 1 + |y|.
local function distance(x, y)
  y = y:to(kiln.float64)
  return ((x:to(kiln.float64) - y):abs() / (y:abs() + 1)):max():item()
end

describe("products", function()
  before_each(function() kiln.manual_seed(11) end)
  after_each(function() kiln.set_num_threads(threads) end)

  local function check(product, ...)
    local inputs, wide = { ... }, {}
    for i, x in ipairs(inputs) do wide[i] = x:to(kiln.float64) end
    local one = with_threads(1, function() return product(unpack(inputs)) end)
    local two = with_threads(2, function() return product(unpack(inputs)) end)
    assert.is_true(kiln.equal(one, two))
    assert.is_true(distance(one, product(unpack(wide))) < 1e-4)
  end

  -- Edges: columns that fill no vector, rows that fill no tile, sums that end inside a block.
  for _, size in ipairs { { 131, 777, 301 }, { 64, 512, 64 }, { 9, 3000, 50 }, { 200, 1025, 49 } } do
    local m, k, n = unpack(size)
    it(("of a turned matrix, %d x %d x %d"):format(m, k, n), function()
      check(function(x, y) return kiln.mm(x:t(), y) end, kiln.randn(k, m), kiln.randn(k, n))
      check(function(x, y) return kiln.mm(x:t(), y:t()) end, kiln.randn(k, m), kiln.randn(n, k))
    end)
  end

  it("of nothing ask no library", function()
    local path = os.tmpname()
    local file = io.open(path, "wb")
    file:write [[
      local kiln = require "kiln"
      for _, shape in ipairs { { 2, 0, 4 }, { 0, 2, 4 }, { 0, 4 } } do
        local x, w = kiln.ones(shape):requires_grad_(), kiln.ones({ 3, 4 }, { requires_grad = true })
        local y = kiln.nn.functional.linear(x, w, kiln.ones(3))
        y:sum():backward()
        print(y.shape, x.grad.shape, w.grad:sum():item())
      end]]
    file:close()
    local pipe = io.popen("luajit " .. path .. " 2>&1") -- BLAS writes what it does not like
    assert.equal("[2, 0, 3]\t[2, 0, 4]\t0\n[0, 2, 3]\t[0, 2, 4]\t0\n[0, 3]\t[0, 4]\t0\n", pipe:read "*a")
    pipe:close()
    os.remove(path)
    local x = kiln.ones({ 2, 0, 4 }, { requires_grad = true })
    x:matmul(kiln.ones(4)):sum():backward() -- on a device, too
    assert.same({ 2, 0, 4 }, { unpack(x.grad.shape) })
  end)

  local BIASED = { { 300, 99, 77 }, { 1024, 384, 193 }, { 513, 1000, 17 }, { 20, 1000, 51 }, { 1, 999, 51 } }
  for _, size in ipairs(BIASED) do
    local m, k, n = unpack(size)
    it(("with a bias, %d x %d x %d"):format(m, k, n), function()
      check(kiln.linear, kiln.randn(m, k), kiln.randn(n, k), kiln.randn(n))
      check(function(x, w, b) return kiln.linear(x, w, b[{ { 1, -1, 2 } }]) end, kiln.randn(m, k),
        kiln.randn(n, k), kiln.randn(2 * n - 1))
    end)
  end

  -- Few rows and whole vectors of columns: the right operand is read where it lies.
  for _, size in ipairs { { 128, 128, 128 }, { 125, 200, 112 }, { 256, 50, 176 } } do
    local m, k, n = unpack(size)
    it(("of middling size, %d x %d x %d"):format(m, k, n), function()
      local x, y, wide = kiln.randn(m, k), kiln.randn(k, n), kiln.randn(k, 3 * n)
      check(kiln.mm, x, y)
      check(function(a, b) return kiln.mm(a, b[{ {}, { n + 1, 2 * n } }]) end, x, wide)
      check(kiln.bmm, kiln.randn(3, m, k), kiln.randn(3, k, n))
      check(function(c, a, b) return kiln.addmm(c, a, b, 0.5, -2) end, kiln.randn(m, n), x, y)
    end)
  end

  it("of nothing with a bias is the bias", function()
    local y = kiln.linear(kiln.zeros(300, 0), kiln.zeros(3, 0), kiln.tensor { 1, 2, 3 })
    assert.is_true(kiln.equal(y, kiln.tensor { 1, 2, 3 }:expand(300, 3)))
  end)
end)

describe("recurrent layers", function()
  after_each(function() kiln.set_num_threads(threads) end)

  -- Outputs and gradients of all parameters.
  local function run(layer, x, lengths)
    local y = layer(lengths and kiln.nn.utils.rnn.pack_padded_sequence(x, lengths) or x)
    y = lengths and y.data or y
    y:square():sum():backward()
    local results = { y:detach() }
    for _, p in ipairs(layer:parameters()) do
      results[#results + 1] = p.grad
      p.grad = nil
    end
    return results
  end

  for _, name in ipairs { "LSTM", "GRU", "RNN" } do
    for _, case in ipairs { { 1, 130 }, { 33, 50 }, { 20, 66, true } } do
      local batch, hidden, packed = unpack(case)
      it(("%s of %d, %d wide%s"):format(name, batch, hidden, packed and ", lengths differ" or ""), function()
        kiln.manual_seed(7)
        local layer = kiln.nn[name](9, hidden, 2, { bidirectional = true })
        local x, lengths = kiln.randn(11, batch, 9), nil
        if packed then
          lengths = {}
          for i = 1, batch do lengths[i] = 11 - math.floor((i - 1) / 3) end
        end
        local one = with_threads(1, function() return run(layer, x, lengths) end)
        local two = with_threads(2, function() return run(layer, x, lengths) end)
        local wide = run(layer:double(), x:double(), lengths)
        for i, v in ipairs(one) do
          assert.is_true(kiln.equal(v, two[i]), "threads differ in result " .. i)
          assert.is_true(distance(v, wide[i]) < 2e-5, "wrong result " .. i)
        end
      end)
    end
  end
end)

describe("a product that counts 0 times", function()
  it("is not read, nor is what it is added to", function()
    local function full(v, ...) return kiln.full({ ... }, v) end
    local nan, one = 0 / 0, 1
    for n = 1, 64, 63 do -- small and large ones take other roads
      for _, dtype in ipairs { "float32", "float64", "float16" } do
        local function m(v) return full(v, n, n):to(dtype) end
        local function v(e) return full(e, n):to(dtype) end
        local function b(e) return full(e, 2, n, n):to(dtype) end
        for name, args in pairs { addmm = { m, m, m }, addmv = { v, m, v }, addr = { m, v, v },
          baddbmm = { b, b, b }, addbmm = { m, b, b } } do
          local none = kiln[name](args[1](3), args[2](nan), args[3](one), 1, 0)
          assert.is_true(none:eq(3):all():item(), name .. " alpha 0")
          local rest = kiln[name](args[1](nan), args[2](0), args[3](one), 0, 1)
          assert.is_true(rest:eq(0):all():item(), name .. " beta 0")
        end
      end
    end
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
