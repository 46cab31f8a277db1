--- Small inputs that other frameworks got wrong, with the right values.
local kiln = require "kiln"
local ops = require "kiln.ops"
local device = require "spec.support.device"
local rows = require "spec.support.rows"
local tensors = require "spec.support.tensors"

local F64 = { dtype = "float64" }

local function leaf(x)
  x.requires_grad = true
  return x
end

local function all(x, value)
  for i, v in ipairs(tensors.values(x)) do
    if v ~= value then error(("element %d is %.17g, expected %.17g"):format(i, v, value), 2) end
  end
end

local function message_of(f, ...)
  local ok, message = pcall(device.settled, f, ...)
  assert.is_false(ok, "is accepted")
  return tostring(message)
end

describe("in place, around the sizes where threads and vectors begin,", function()
  before_each(rows.count)
  after_each(rows.recount)

  local SIZES = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 90, 91, 127, 128, 129, 181,
    182, 255, 256, 257, 362, 363, 511, 512, 513 }

  it("ones added to zeros are ones", function()
    for _, n in ipairs(SIZES) do
      for _, dtype in ipairs { "float32", "float64", "int64", "uint8" } do
        local x = kiln.zeros({ n, n }, { dtype = dtype })
        x:add_(kiln.ones({ n, n }, { dtype = dtype }))
        assert.equal(n * n, x:eq(1):sum():item(), dtype .. " " .. n)
      end
    end
  end)

  it("every pointwise op does to each element what it does out of place", function()
    local n = 0
    for _, row in ipairs(rows.public()) do
      if row.pointwise and row.inplace and #row.ins <= 2 and #row.attrs == 0 then
        local lo, hi = 0.5, 2
        if row.domain then lo, hi = row.domain[1], row.domain[2] end
        local dtype = kiln.float32
        if row.types == "int" or row.types == "whole" then lo, hi, dtype = 0, 30, kiln.int32 end
        for _, size in ipairs { 127, 181, 182, 257 } do
          local x = kiln.linspace(lo, hi, size * size, { dtype = dtype }):view({ size, size })
          local y = #row.ins == 2 and kiln.full({ size, size }, (lo + hi) / 2, { dtype = dtype }) or nil
          local expected = kiln[row.name](x, y)
          if expected.dtype == x.dtype then
            local z = x:clone()
            z[row.name .. "_"](z, y)
            assert.is_true(tensors.bits(z) == tensors.bits(expected), row.name .. " " .. size)
            n = n + 1
          end
        end
      end
    end
    assert.is_true(n > 40)
  end)
end)

describe("cases:", function()
  before_each(rows.count)
  after_each(rows.recount)

  it("an expanded tensor is not written in place", function()
    local base = kiln.tensor({ 2 })
    local message = message_of(function() base:expand({ 1, 3 }):mul_(2) end)
    assert.is_truthy(message:find "kiln: mul_?: ", message)
    assert.same({ 2 }, base:tolist())
  end)

  it("a matrix-vector product assigned to a row keeps its gradient", function()
    local w = leaf(kiln.arange(9, F64):view({ 3, 3 }):clone())
    local s = kiln.zeros({ 3, 3 }, F64)
    s[2] = w:mv(kiln.ones({ 3 }, F64))
    s:mean():backward()
    assert.is_nil(tensors.difference(tensors.values(w.grad),
      { 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9 }, 1e-15))
  end)

  it("three assignments in a row all count", function()
    local x, y = leaf(kiln.arange(10, F64)), leaf(kiln.arange(3, F64))
    local z = x:clone()
    z[1] = 2 * y:sum()
    z[2] = 3 * y:sum()
    z[3] = 4 * y:sum()
    z:sum():backward()
    assert.same({ 9, 9, 9 }, y.grad:tolist())
    assert.same({ 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 }, x.grad:tolist())
  end)

  it("the maximum of a column view is found in the column", function()
    local x = kiln.tensor({ { 9, 0.0923, 9, 9 }, { 9, 0.1997, 9, 9 }, { 9, 0.4719, 9, 9 } }, F64)
    local value, at = x[{ {}, 2 }]:max(1)
    assert.equal(0.4719, value:item())
    assert.equal(3, tonumber(at:item()))
  end)

  it("a batched product of an expanded tensor is right everywhere", function()
    local x = kiln.ones(1, 32, 32):expand({ 32, 32, 32 })
    all(kiln.bmm(x, kiln.ones(32, 32, 32)), 32)
    all(kiln.bmm(kiln.ones(32, 32, 32), x), 32)
  end)

  it("two separate leaves of equal value get a gradient each", function()
    local a, b = leaf(kiln.tensor(3.0)), leaf(kiln.tensor(3.0))
    local loss = a + b
    loss:backward()
    assert.equal(1, a.grad:item())
    assert.equal(1, b.grad:item())
  end)

  it("beta = 0 does not read what is there", function()
    local nan = 0 / 0
    local m, v = kiln.ones(2, 3), kiln.ones(3)
    all(kiln.full({ 2, 2 }, nan):addmm_(m, kiln.ones(3, 2), 0, 1), 3)
    all(kiln.addmm(kiln.full({ 2, 2 }, nan), m, kiln.ones(3, 2), 0), 3)
    all(kiln.addmv(kiln.full({ 2 }, nan), m, v, 0), 3)
    all(kiln.addr(kiln.full({ 2, 3 }, nan), kiln.ones(2), v, 0), 1)
    all(kiln.baddbmm(kiln.full({ 1, 2, 2 }, nan), kiln.ones(1, 2, 3), kiln.ones(1, 3, 2), 0), 3)
    all(kiln.addbmm(kiln.full({ 2, 2 }, nan), kiln.ones(1, 2, 3), kiln.ones(1, 3, 2), 0), 3)
  end)

  it("more draws than weights without replacement are refused", function()
    local weights = kiln.ones(10)
    local message = message_of(function() return weights:multinomial(11) end)
    assert.is_truthy(message:find("kiln: multinomial: ", 1, true), message)
    assert.is_truthy(message:find("11", 1, true) and message:find("10", 1, true), message)
    assert.same({ 10 }, { unpack(weights.shape) })
    all(weights, 1)
  end)

  it("range ends at its last number for every dtype", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32",
      "int64" } do
      local x = kiln.range(1, 25, 5, { dtype = dtype })
      assert.same({ 1, 6, 11, 16, 21 }, tensors.values(x), dtype)
      assert.equal(dtype, x.dtype.name)
    end
  end)

  it("large integers come back as they went in", function()
    local n = 10151188881778163LL
    local x = kiln.tensor({ n, -n }, { dtype = "int64" })
    assert.is_true(x[1]:item() == n)
    assert.is_true(x[2]:item() == -n)
    assert.is_true(x:clone():tolist()[1] == n)
    assert.is_true((x + 1)[1]:item() == n + 1)
  end)

  it("weight decay moves a parameter whose gradient is 0", function()
    local p = kiln.nn.Parameter(kiln.ones({ 1 }, F64))
    local sgd = kiln.optim.SGD({ p }, { lr = 0.1, momentum = 0, weight_decay = 0.1 })
    p.grad = kiln.zeros({ 1 }, F64)
    sgd:step()
    assert.is_true(math.abs(p:item() - 0.99) < 1e-15)
    p.grad = nil
  end)

  it("x - mean(x) has gradient exactly 0", function()
    local x = leaf(kiln.arange(1, 5, F64))
    local y = x - x:mean()
    y:backward(kiln.ones_like(y))
    all(x.grad, 0)
  end)

  it("a dim too far out is refused for a 0-dim tensor", function()
    local message = message_of(function() return kiln.tensor(1.0):unsqueeze(-3) end)
    assert.is_truthy(message:find("kiln: unsqueeze: ", 1, true), message)
    assert.same({ 1 }, { unpack(kiln.tensor(1.0):unsqueeze(-1).shape) })
  end)

  it("a convolution with groups, stride or dilation 0 is refused", function()
    local x, w = kiln.ones(1, 2, 5, 5), kiln.ones(2, 2, 3, 3)
    for _, case in ipairs { { stride = 0 }, { dilation = 0 }, { groups = 0 }, { stride = -1 },
      { groups = -1 }, { padding = -1 }, { stride = { 1, 0 } } } do
      local message = message_of(kiln.conv2d, x, w, case)
      assert.is_truthy(message:find("kiln: conv", 1, true), message)
    end
    assert.same({ 1, 2, 3, 3 }, { unpack(kiln.conv2d(x, w).shape) })
  end)

  it("a class outside 1..C is refused by value, position and range", function()
    local x = kiln.zeros(3, 4)
    for _, class in ipairs { 0, 5, -7, 2 ^ 40 } do
      local target = kiln.tensor({ 1, class, 2 }, { dtype = "int64" })
      for _, loss in ipairs { "nll_loss", "cross_entropy" } do
        local message = message_of(kiln[loss], x, target)
        assert.is_truthy(message:find(("%.0f"):format(class), 1, true), message)
        assert.is_truthy(message:find("1..4", 1, true), message)
        assert.is_truthy(message:find("position 2", 1, true) or message:find("[2]", 1, true), message)
      end
    end
    local message = message_of(kiln.nll_loss, x, kiln.full({ 3 }, 0 / 0))
    assert.is_truthy(message:find("nan", 1, true) and message:find("1..4", 1, true), message)
  end)

  it("sizes and positions may be 3.0, not 3.5", function()
    local x = kiln.zeros(3.0, 4)
    assert.same({ 3, 4 }, { unpack(x.shape) })
    assert.is_truthy(message_of(kiln.zeros, 3.5, 4):find("size[1]", 1, true))
    assert.is_truthy(message_of(function() return x:select(1, 2.5) end):find("index", 1, true))
    assert.is_truthy(message_of(function() return x:sum(1.5) end):find("dim", 1, true))
    assert.is_truthy(message_of(function() return x:view({ 6, 2.5 }) end):find("size", 1, true))
    assert.is_truthy(message_of(function() return x[1.5] end):find("1.5", 1, true))
  end)

  it("two layers that share a weight keep one weight", function()
    local a, b = kiln.nn.Linear(3, 3, { bias = false }), kiln.nn.Linear(3, 3, { bias = false })
    b.weight = a.weight
    local net = kiln.nn.Sequential(a, b)
    net:double()
    assert.is_true(a.weight:is_same(b.weight))
    assert.equal("float64", a.weight.dtype.name)
    net(kiln.ones({ 2, 3 }, F64)):sum():backward()
    local both = a.weight.grad:clone()
    a.weight.grad = nil
    local w1, w2 = leaf(a.weight:detach():clone()), leaf(a.weight:detach():clone())
    kiln.linear(kiln.linear(kiln.ones({ 2, 3 }, F64), w1), w2):sum():backward()
    assert.is_nil(tensors.unequal(both, w1.grad + w2.grad, 1e-14))
  end)
end)

describe("memory:", function()
  -- Runs a script in a process of its own; returns what it prints.
  local function run(script)
    local name = os.tmpname()
    local f = assert(io.open(name, "w"))
    f:write(script)
    f:close()
    local pipe = assert(io.popen("luajit " .. name .. " 2>&1"))
    local text = pipe:read "*a"
    pipe:close()
    os.remove(name)
    return text
  end

  it("a loop that makes zeros and never collects stays below 100 MB", function()
    local text = run [[
      local kiln = require "kiln"
      for _ = 1, 5 do
        for _ = 1, 10000 do local x = kiln.zeros(10000) end
      end
      for line in io.lines "/proc/self/status" do
        local kb = line:match "^VmHWM:%s*(%d+)"
        if kb then print(kb) end
      end
    ]]
    local kb = tonumber(text)
    assert.is_truthy(kb, text)
    assert.is_true(kb < 100 * 1024, ("the process took %d kB"):format(kb))
  end)

  it("10,000 steps that keep the sum of their losses hold no more bytes than 5,000", function()
    local text = run [[
      local kiln = require "kiln"
      local w = kiln.ones({ 50, 50 }, { requires_grad = true })
      local total = 0
      local bytes = {}
      for step = 1, 10000 do
        local loss = (kiln.ones(8, 50):mm(w) - 1):square():mean()
        w.grad = nil
        loss:backward()
        total = total + loss
        if step % 5000 == 0 then
          kiln.collect()
          bytes[#bytes + 1] = kiln.memory().live_bytes
        end
      end
      print(bytes[1], bytes[2])
    ]]
    local first, second = text:match "(%d+)%s+(%d+)"
    assert.is_truthy(second, text)
    -- a scalar for each loss that `total` is made of
    assert.is_true(tonumber(second) - tonumber(first) <= 5000 * 64, text)
  end)
end)

describe("the op table", function()
  it("says of every public op how it is proved", function()
    for _, row in ipairs(ops.rows) do
      if not row.internal then
        assert.is_true(#row.samples > 0, row.name .. " has no sample")
        if row.torch == false then
          assert.is_truthy(row.reference or row.random, row.name .. " has no reference")
        end
      end
    end
  end)
end)
