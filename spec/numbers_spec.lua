--- Numbers and dtypes: what a Lua number, an int64 and a tensor become where they meet, and what is refused.
local kiln = require "kiln"
local support = require "spec.support"
local device = require "spec.support.device"
local near, raises = support.near, support.raises

local I64, F64 = { dtype = kiln.int64 }, { dtype = kiln.float64 }
local function positions(t) return kiln.tensor(t, I64) end
local HUGE = 9007199254740993LL -- 2^53 + 1, which no double holds
local MINUS_ZERO = -1 / math.huge

describe("whole numbers beyond 2^53", function()
  it("keep an integer dtype, exactly", function()
    local x = kiln.tensor({ 1, 2 }, I64)
    assert.equals(kiln.int64, (x + 2 ^ 53).dtype)
    assert.same({ HUGE, HUGE + 1 }, (x + 2 ^ 53):tolist())
    assert.same({ HUGE + 1, HUGE + 2 }, (x + HUGE):tolist())
    assert.same({ true, false }, kiln.tensor { HUGE, HUGE - 1 }:eq(HUGE):tolist())
    assert.is_false(kiln.tensor({ HUGE }):eq(2 ^ 53):item())
    assert.equals(-2 ^ 63, tonumber((x * 0 - 2 ^ 63):tolist()[1]))
  end)

  it("are floating where int64 cannot hold them", function()
    local x = kiln.tensor({ 1 }, I64)
    assert.equals(kiln.float32, (x + 2 ^ 63).dtype)
    near({ 2 ^ 64 }, x + 0xffffffffffffffffULL, 2 ^ 40)
    raises({ "fill_", "1.84467440737", "int64 cannot hold" }, x.fill_, x, 0xffffffffffffffffULL)
  end)

  it("are compared exactly by isclose and allclose", function()
    local x = kiln.tensor { HUGE, -0x7fffffffffffffffLL, 5LL }
    local y = kiln.tensor { HUGE - 1, 0x7fffffffffffffffLL, 5LL }
    assert.same({ false, false, true }, kiln.isclose(x, y, 0, 0):tolist())
    assert.same({ true, false, true }, kiln.isclose(x, y, 0, 1):tolist())
    assert.same({ true, true, true }, kiln.isclose(x, y, 2, 0):tolist())
    assert.is_false(kiln.allclose(x, y, 0, 0))
    raises({ "isclose", "rtol must be at least 0, not nan" }, kiln.isclose, x, y, 0 / 0)
    raises({ "allclose: atol must be at least 0, not -1" }, kiln.allclose, x, y, 0, -1)
  end)

  it("are counted exactly by arange", function()
    assert.same({ HUGE, HUGE + 1, HUGE + 2 }, kiln.arange(HUGE, HUGE + 3):tolist())
    assert.same({ HUGE + 5, HUGE + 3, HUGE + 1 }, kiln.arange(HUGE + 5, HUGE, -2):tolist())
    assert.same({ 0, 1, 2 }, kiln.arange(3LL):tolist())
    assert.equals(kiln.int64, kiln.arange(3LL).dtype)
    assert.equals(kiln.float64, kiln.arange(3LL, { dtype = "float64" }).dtype)
    assert.equals(0, kiln.arange(3LL, 3LL):numel())
    assert.equals(0, kiln.arange(HUGE, 0LL):numel())
  end)
end)

describe("a number", function()
  it("that is -0 is whole, and keeps its sign where there is one", function()
    local x = kiln.tensor({ 1, 2 }, I64)
    assert.equals(kiln.int64, (x * MINUS_ZERO).dtype)
    assert.equals(-math.huge, 1 / (kiln.ones(1) * MINUS_ZERO):item())
    assert.equals(kiln.int64, kiln.where(x:eq(1), x, MINUS_ZERO).dtype)
  end)

  it("wraps around in the dtype of what it is computed with", function()
    local x = kiln.tensor({ 200 }, { dtype = "uint8" })
    assert.same({ 44 }, (x + 100):tolist())
    assert.same({ 201 }, (x + 257):tolist())
    assert.equals(kiln.float32, (x + math.huge).dtype)
  end)

  it("that is written loses its fraction, or is refused by name", function()
    local function ways(v, dtype)
      local x = kiln.zeros(1, { dtype = dtype })
      return {
        table = function() return kiln.tensor({ v }, { dtype = dtype }) end,
        scalar = function() return kiln.tensor(v, { dtype = dtype }):reshape(1) end,
        full = function() return kiln.full({ 1 }, v, { dtype = dtype }) end,
        fill = function() return x:clone():fill_(v) end,
        index = function()
          local y = x:clone()
          y[1] = v
          return y
        end,
        apply = function() return x:clone():apply_(function() return v end) end,
        map = function() return x:clone():map_(x, function() return v end) end,
        storage = function() return kiln.tensor(x:storage():fill_(v):tolist()) end,
        masked = function() return x:masked_fill(x:eq(0), v) end,
      }
    end
    for _, case in ipairs { { 300.5, "uint8" }, { -256, "uint8" }, { 128, "int8" }, { -32769, "int16" },
      { 2 ^ 31, "int32" }, { 2 ^ 63, "int64" }, { 0 / 0, "int64" }, { math.huge, "int32" },
      { 500LL, "uint8" } } do
      for name, way in pairs(ways(unpack(case))) do
        raises({ case[2] .. " cannot hold" }, function() return name, way() end)
      end
    end
    for _, case in ipairs { { 255.9, "uint8", 255 }, { -1, "uint8", 255 }, { -0.5, "uint8", 0 },
      { -128.5, "int8", -128 }, { 2 ^ 53, "int64", 2 ^ 53 }, { -2 ^ 62, "int64", -2 ^ 62 },
      { 7LL, "int16", 7 } } do
      for name, way in pairs(ways(case[1], case[2])) do
        assert.same({ case[3], name }, { tonumber(way():tolist()[1]), name })
      end
    end
  end)

  it("that is an exponent may be a root; a tensor of one is the power that a longer one is", function()
    local x, half = kiln.tensor({ -math.huge, 4, 0 }, F64), kiln.tensor({ 0.5 }, F64)
    near({ math.huge, 2, 0 }, kiln.pow(x, half:expand(3):clone()))
    near({ math.huge, 2, 0 }, kiln.pow(x, half))
    near({ math.huge, 2, 0 }, kiln.pow(x, half:view {}))
    if not device.name then near({ 0 / 0, 2, 0 }, x ^ 0.5) end
  end)

  it("keeps its digits beside halves in products, quotients and lerp", function()
    local list = { 1, 2, 3.5, -1, 0.3, 0.7 }
    local x, b = kiln.tensor(list, { dtype = "float16" }), kiln.tensor(list, { dtype = "bfloat16" })
    assert.same({ 9, 19, 34, -10, 3, 7 }, x:floor_divide(0.1):tolist())
    local y = kiln.tensor({ 3, 2.3, -3.5, -1000, 0.35, 0.7 }, { dtype = "bfloat16" })
    assert.same({ 1.6015625, 2.09375, 1.3984375, -300, 0.31640625, 0.69921875 }, b:lerp(y, 0.3):tolist())
    local wide = b:float()
    local fused = kiln.fuse(function(v) return v * 0.3 end)
    for _, each in ipairs { { b * 0.3, wide * 0.3 }, { b / 0.3, wide / 0.3 }, { 0.3 / b, 0.3 / wide },
      { b:clone():mul_(0.3), wide * 0.3 }, { b[1] * 0.3, wide[1] * 0.3 }, { fused(b), wide * 0.3 } } do
      assert.is_true(each[1]:equal(each[2]:bfloat16()))
    end
    local w = b:clone():requires_grad_()
    ;(w * 0.3):sum():backward()
    assert.is_true(w.grad:eq(0.3):all():item()) -- a comparison rounds it
    assert.is_true((b * 0 + 0.1):eq(0.1):all():item())
  end)

  it("clamps integers and bool to the dtype that holds the bound", function()
    local x = kiln.tensor({ 1, 2 }, { dtype = "int32" })
    local y = x:clamp(-math.huge, math.huge)
    assert.same({ kiln.int32, { 1, 2 } }, { y.dtype, y:tolist() })
    assert.same({ math.huge, math.huge }, x:clamp(math.huge):tolist())
    assert.same({ -math.huge, -math.huge }, x:clamp { max = -math.huge }:tolist())
    local b = kiln.tensor { true, false }:clamp(-5, 300)
    assert.same({ kiln.int64, { 1, 0 } }, { b.dtype, b:tolist() })
    assert.same({ 1, 0.5 }, kiln.tensor { true, false }:clamp(0.5):tolist())
    raises({ "clamp_", "int64", "bool" }, function() return kiln.tensor { true }:clamp_(0, 1) end)
  end)

  it("is a position within what a double counts", function()
    local x = kiln.ones(3)
    for _, at in ipairs { 2 ^ 63, -2 ^ 63, 2 ^ 53 } do
      raises({ "index", "position", ("%.14g"):format(at) }, function() return x[at] end)
      raises({ "index", "position", ("%.14g"):format(at) }, function() x[at] = 1 end)
    end
  end)

  it("is taken off a count, also if it is a fraction", function()
    local x = kiln.tensor({ 1, 2, 3.5 }, F64)
    near(19 / 15, x:var { correction = 0.5 })
    near(math.sqrt(19 / 15), x:std { correction = 0.5 })
    near(19 / 15, (x:var_mean { correction = 0.5 }))
    near(19 / 18, x:var { correction = 0 })
    local w = x:clone():requires_grad_()
    w:var({ correction = 0.5 }):backward()
    near({ -14 / 15, -2 / 15, 16 / 15 }, w.grad)
  end)

  it("however large keeps the digits of its log_softmax, and of the loss", function()
    local target, want = positions { 2 }, { -0.33509755, -1.33509755, -3.83509755 }
    for _, most in ipairs { 100, 1000, 2 ^ 20 } do
      local x = kiln.tensor({ { most, most - 1, most - 3.5 } }, { requires_grad = true })
      near({ want }, x:log_softmax(2))
      near({ want }, x:t():log_softmax(1):t())
      local loss = kiln.nn.functional.cross_entropy(x, target)
      near(1.33509755, loss)
      loss:backward()
      near({ { math.exp(want[1]), math.exp(want[2]) - 1, math.exp(want[3]) } }, x.grad)
      near(1.68509755, kiln.nn.functional.cross_entropy(x, target, { label_smoothing = 0.7 }))
    end
    near({ { -math.log(2), -math.log(2) } }, kiln.full({ 1, 2 }, 1e30):log_softmax(2))
  end)

  it("far out has Bessel functions", function()
    local x, endless = kiln.tensor({ 1e308, -1e308 }, F64), kiln.tensor({ math.huge, -math.huge }, F64)
    assert.same({ math.huge, math.huge }, x:i0():tolist())
    assert.same({ math.huge, -math.huge }, x:i1():tolist())
    assert.is_true(endless:i0():isnan():all():item() and endless:i1():isnan():all():item())
    near({ 1, 1 }, kiln.tensor({ 3.9894228040143e-155, 0.014943116131474 }, F64)
      / kiln.tensor({ 1e308, 712 }, F64):i1e())
    near(1, kiln.tensor({ 712 }, F64):i0() / 2.4684110577628e307)
  end)

  it("close below 0 has its derivatives of digamma", function()
    local x = kiln.tensor({ -1e-30, -1e-10, -1 - 1e-9 }, F64)
    near({ 1, 1, 1 }, x:polygamma(2) / kiln.tensor({ 2e90, 2e30, 1.9999995035578563e27 }, F64))
    near({ 1, 1, 1 }, x:polygamma(3) / kiln.tensor({ 6e120, 6e40, 5.999998014231507e36 }, F64))
  end)

  it("is written along a diagonal", function()
    local x = kiln.zeros(3, 5)[{ {}, { 2, 3 } }]
    assert.same({ { 7, 0 }, { 0, 7 }, { 0, 0 } }, x:fill_diagonal_(7):tolist())
    local cube = kiln.zeros(2, 2, 2, I64):fill_diagonal_(3)
    assert.same({ 6, 3, 3 }, { cube:sum():item(), cube[1][1][1]:item(), cube[2][2][2]:item() })
    local y = kiln.ones(2, 2, { requires_grad = true })
    local z = (y * 2):fill_diagonal_(0)
    z:sum():backward()
    assert.same({ { 0, 2 }, { 2, 0 } }, y.grad:tolist())
    raises({ "fill_diagonal_", "at least 2 dims" }, x.fill_diagonal_, kiln.ones(3), 1)
    raises({ "fill_diagonal_", "wrop" }, x.fill_diagonal_, x, 1, { wrop = true })
    raises({ "fill_diagonal_", "wrap must be true or false" }, x.fill_diagonal_, x, 1, "yes")
    raises({ "fill_diagonal_", "one size", "[2, 2, 3]" }, x.fill_diagonal_, kiln.ones(2, 2, 3), 1)
    raises({ "300, which uint8 cannot hold" }, x.fill_diagonal_, kiln.ones(2, 2):byte(), 300)
  end)

  it("is scaled by powers of 2 that its dtype does not hold", function()
    local tiny, huge = 2 ^ -149, 2 ^ 127
    local x = kiln.tensor { tiny, 0, 1, huge }
    assert.same({ huge, 0, 0, tiny }, x:ldexp(positions { 276, 900, -900, -276 }):tolist())
    x = kiln.tensor({ 2 ^ -1074, 2 ^ 1000 }, F64)
    assert.same({ 2 ^ 1000, 2 ^ -1074 }, x:ldexp(positions { 2074, -2074 }):tolist())
    assert.equals(2 ^ 15, kiln.tensor({ 2 ^ -24 }):half():ldexp(positions { 39 }):item())
    local y = kiln.tensor({ 2.5 }, F64):requires_grad_()
    kiln.tensor({ 3 }, F64):ldexp(y):backward()
    near({ 3 * 2 ^ 2.5 * math.log(2) }, y.grad)
  end)

  it("does not decide the dtype of an area", function()
    local y = positions { 1, 2, 4 }
    for _, dx in ipairs { 1, 2, 0.5 } do
      near(4.5 * dx, y:trapezoid(nil, dx))
      assert.equals(kiln.float32, y:trapezoid(nil, dx).dtype)
    end
    assert.equals(kiln.float64, kiln.ones(1):trapezoid(kiln.ones(1, F64)).dtype)
  end)

  it("is made whole by linspace for an integer dtype", function()
    assert.same({ 0, 2, 5, 7, 10 }, kiln.linspace(0, 10, 5, I64):tolist())
    assert.same({ -3, -2, -1, 0, 0, 1, 2, 3 }, kiln.linspace(-3, 3, 8, I64):tolist())
  end)
end)

describe("a tensor that is cast", function()
  it("drops fractions, and what does not fit becomes what is near or the low bits of that", function()
    local x = kiln.tensor({ 0 / 0, math.huge, -math.huge, 1e30, -2.9, 300 }, { dtype = "float64" })
    local most = 0x7fffffffffffffffLL
    assert.same({ 0, most, -most - 1, most, -2, 300 }, x:long():tolist())
    assert.same({ 0, 2 ^ 31 - 1, -2 ^ 31, 2 ^ 31 - 1, -2, 300 }, x:int():tolist())
    assert.same({ 0, 255, 0, 255, 254, 44 }, x:byte():tolist())
  end)

  it("is none where integers are summed as int64: no copy of them is made", function()
    for _, dtype in ipairs { "bool", "uint8", "int8", "int16", "int32" } do
      local x = kiln.arange(6000):remainder(251):sub(dtype == "int8" and 125 or 0):to(kiln[dtype])
      local wide = x:long()
      for _, shape in ipairs { { 6000 }, { 3, 2000 }, { 2000, 3 }, { 20, 3, 100 } } do
        for _, turned in ipairs { false, true } do
          local a, b = x:view(shape), wide:view(shape)
          if turned then
            a = a:transpose(1, -1):slice(1, 1, a:size(-1), 2)
            b = b:transpose(1, -1):slice(1, 1, b:size(-1), 2)
          end
          for dim = 1, a:dim() do
            assert.is_true(b:sum(dim):equal(a:sum(dim)), dtype .. " " .. tostring(a.shape))
          end
          assert.equals(b:sum():item(), a:sum():item())
          assert.is_true(b:narrow(-1, 1, 2):prod(-1):equal(a:narrow(-1, 1, 2):prod(-1)))
        end
      end
    end
    if device.name then return end
    local mask = kiln.ones({ 1000000 }, { dtype = "bool" })
    device.reset_peak()
    local before = device.memory().peak_bytes
    assert.equals(1000000, mask:sum():item())
    assert.is_true(device.memory().peak_bytes - before < mask.nbytes / 2)
  end)
end)

describe("loops in Lua", function()
  -- Views of some base of float64, by name.
  local function views()
    local base = kiln.arange(0, 4 * 40 * 50, { dtype = "float64" }):view(4, 40, 50)
    return {
      whole = base, turned = base:permute(3, 1, 2), columns = base:narrow(3, 4, 33),
      few = base:narrow(3, 1, 3),
      one = base:narrow(3, 7, 1), every = base:slice(3, 1, 50, 2), rows = base:slice(2, 2, 40, 3),
      inner = base:narrow(3, 2, 20):narrow(2, 3, 7), flat = base:view(-1):slice(1, 1, 8000, 3),
      pair = base:narrow(1, 1, 2):transpose(1, 3), scalar = base[1][2][3], middle = base:select(2, 5),
      none = base:narrow(3, 1, 0),
    }
  end

  it("meet every element in its order, however the operands lie", function()
    for name, x in pairs(views()) do
      local seen, expected = {}, x:clone()
      local others = { x:clone(), kiln.tensor(3), x:long() }
      if x:dim() > 0 then
        others[4] = kiln.arange(x:size(-1)):to(kiln.int32)
        others[5] = x:narrow(-1, 1, math.min(1, x:size(-1))):clone()
      end
      x:apply_(function(v)
        seen[#seen + 1] = v
        return v + 1
      end)
      assert.same(expected:view(-1):tolist(), seen, name)
      assert.is_true(x:equal(expected + 1), name)
      for k, y in ipairs(others) do
        local before = x:clone()
        x:map_(y, function(a, b) return a - 2 * b end)
        assert.is_true(x:equal(before - 2 * y:double()), name .. " with operand " .. k)
        x:map2_(y, before, function(_, b, c) return c + b end)
        assert.is_true(x:equal(before + y:double()), name .. " with two, operand " .. k)
      end
    end
  end)

  it("go through rows of any length in order, whatever the operands' steps", function()
    for m = 1, 17 do
      for _, step in ipairs { 1, 2 } do
        local function columns()
          return kiln.arange(0, 8 * m * step):view(4, 2 * m * step):slice(2, 1, m * step, step)
        end
        local others = { columns() * 2, kiln.arange(0, 4 * m):view(m, 4):t(), kiln.arange(0, m),
          kiln.arange(0, 4):view(4, 1), kiln.arange(0, 6 * m):view(2, 3 * m):narrow(1, 1, 1):narrow(2, 1, m) }
        for k, y in ipairs(others) do
          local x, n = columns(), 0
          local expected = x * 3 - y * 2 + kiln.arange(1, 4 * m + 1):view(4, m)
          x:map_(y, function(a, b)
            n = n + 1
            return 3 * a - 2 * b + n
          end)
          assert.is_true(x:equal(expected), ("rows of %d, step %d, operand %d"):format(m, step, k))
        end
      end
    end
  end)

  it("go on where a tile ends, wherever that is", function()
    for _, shape in ipairs { { 5, 7, 600 }, { 3, 5, 64 }, { 2, 40, 63 }, { 3, 2049, 2 },
      { 2, 3, 2050 }, { 4097 }, { 7, 5, 3, 90 } } do
      local apart = {}
      for d = 1, #shape do apart[d] = shape[d] + 1 end
      local x, y = kiln.zeros(apart, I64), kiln.arange(kiln.zeros(shape):numel()):view(unpack(shape))
      for d = 1, #shape do x = x:narrow(d, 1, shape[d]) end
      local n = 0
      x:map_(y, function(_, b)
        n = n + 1
        return b == n - 1 and 3 * n or 0
      end)
      assert.is_true(x:equal(3 * y + 3), table.concat(shape, " "))
      assert.is_true(x:transpose(1, -1):apply_(function(v) return v - 3 end):equal((3 * y):transpose(1, -1)))
    end
  end)

  it("reach rows that lie further apart than 32 bits count", function()
    local memory = kiln.empty({ 2 ^ 31 + 16 }, { dtype = "uint8" })
    local x = memory:as_strided({ 3, 2 }, { 1, 2 ^ 31 + 5 }, 1):fill_(4)
    assert.same({ { 4, 14 }, { 24, 34 }, { 44, 54 } },
      x:map_(kiln.arange(6):view(3, 2), function(a, b) return a + 10 * b end):tolist())
  end)

  it("keep to the places of operands whose steps differ", function()
    local function strided(step)
      return kiln.arange(0, 200 * step, { dtype = "float64" }):view(5, 40 * step):slice(2, 1, 40 * step, step)
    end
    for _, s in ipairs { 1, 3, 49 } do
      for _, t in ipairs { 1, 2, 49, 98 } do
        local expected = strided(s) - strided(t)
        assert.is_true(strided(s):map_(strided(t), function(a, b) return a - b end):equal(expected))
      end
    end
  end)

  it("read operands of any dtype as they are, int64 exactly", function()
    local x = kiln.zeros(2, I64)
    assert.same({ 2, 5 }, x:map_(kiln.tensor { 2.5, 5.75 }, function(_, b) return b end):tolist())
    assert.same({ HUGE, 3 }, kiln.tensor({ HUGE, 3LL }):apply_(function(v) return v end):tolist())
    assert.same({ HUGE + 2, 4 }, kiln.tensor({ HUGE, 3LL }):apply_(function(v)
      return type(v) == "number" and v + 1 or v + 2
    end):tolist())
    assert.same({ 1.5, 2 }, kiln.zeros(2):map_(kiln.tensor({ 1.5, 2 }, { dtype = "float16" }),
      function(_, b) return b end):tolist())
    local mask = kiln.tensor { true, false }
    assert.same({ 1, 0 }, kiln.zeros(2):map_(mask, function(_, b) return b and 1 or 0 end):tolist())
    raises({ "apply_", "fn returned 18446744073709551615ULL, which int64 cannot hold" }, x.apply_, x,
      function() return 0xffffffffffffffffULL end)
  end)
end)

describe("a dtype", function()
  it("says what it holds", function()
    local f = kiln.finfo "float16"
    assert.same({ 2 ^ -10, 65504, -65504, 2 ^ -14, 16 }, { f.eps, f.max, f.min, f.tiny, f.bits })
    assert.equals(2 ^ -23, kiln.finfo().eps)
    local i = kiln.iinfo "int16"
    assert.same({ -32768, 32767, 16 }, { i.min, i.max, i.bits })
    assert.same({ 0, 255 }, { kiln.iinfo("uint8").min, kiln.iinfo("uint8").max })
    assert.equals(0x7fffffffffffffffLL, kiln.iinfo("int64").max)
    raises({ "finfo", "int8", "iinfo" }, kiln.finfo, "int8")
    raises({ "iinfo", "float32" }, kiln.iinfo, "float32")
  end)

  it("meets others", function()
    local x = kiln.ones(2, I64)
    assert.equals(kiln.float32, kiln.result_type(x, 0.5))
    assert.equals(kiln.int64, kiln.result_type(x, 2))
    assert.equals(kiln.float64, kiln.promote_types("float64", "int8"))
    assert.same({ true, false, true }, { kiln.can_cast("int64", "float16"), kiln.can_cast("float16", "int64"),
      kiln.can_cast("bool", "uint8") })
    raises({ "result_type", "y must be a tensor or a number" }, kiln.result_type, x, "a")
  end)

  it("names a type of tensors and of storages", function()
    for name, dtype in pairs { Float = "float32", Double = "float64", Half = "float16", BFloat16 = "bfloat16",
      Char = "int8", Byte = "uint8", Short = "int16", Int = "int32", Long = "int64", Bool = "bool" } do
      assert.equals(dtype, kiln[name .. "Tensor"](2).dtype.name)
      local storage = kiln[name .. "Storage"] { 1, 0 }
      assert.equals(dtype, storage.dtype.name)
      assert.equals("kiln." .. name .. "Storage", storage:type())
    end
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
