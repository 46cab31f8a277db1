--- Making tensors, converting them, storages, Lua kernels, random numbers.
local ffi = require "ffi"
local kiln = require "kiln"
local support = require "spec.support"
local near, raises = support.near, support.raises

local DTYPES = { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32",
  "int64", "bool" }

describe("kiln.tensor", function()
  it("reads nested tables", function()
    local x = kiln.tensor { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.equals("[2, 3]", tostring(x.shape))
    assert.equals(kiln.float32, x.dtype)
    near({ { 1, 2, 3 }, { 4, 5, 6 } }, x)
    assert.equals(0, kiln.tensor(2.5):dim())
    assert.equals(2.5, kiln.tensor(2.5):item())
    assert.equals("[0]", tostring(kiln.tensor({}).shape))
    assert.equals("[2, 0]", tostring(kiln.tensor({ {}, {} }).shape))
  end)

  it("refuses a list with a hole", function()
    raises({ "data[2] is nil, but the list goes on" }, kiln.tensor, { 1, nil, 3 })
    local list = { 1, 2, 3, 4 }
    list[3] = nil
    raises({ "data[2][3]", "nil" }, kiln.tensor, { { 1, 2, 3, 4 }, list })
    raises({ "nil" }, kiln.tensor, { nil, 2 })
  end)

  it("says where a dtype or a device belongs", function()
    local belongs = "it stands in a table at the end, "
    raises({ "options must be a table", "the dtype kiln.int64; " .. belongs .. "{ dtype = kiln.int64 }" },
      kiln.tensor, { 1 }, kiln.int64)
    raises({ "size[2]", "the string 'cpu'; " .. belongs .. "{ device = 'cpu' }" }, kiln.ones, 2, "cpu")
    raises({ "size[2] must be a whole number, got the string 'x'" }, kiln.ones, 2, "x")
    raises({ "randint", "{ dtype = kiln.int8 }" }, kiln.randint, 0, 5, { 2 }, kiln.int8)
  end)

  it("infers bool and int64, and takes a dtype", function()
    assert.equals(kiln.bool, kiln.tensor({ true, false }).dtype)
    assert.equals(kiln.bool, kiln.tensor(true).dtype)
    assert.equals(kiln.int64, kiln.tensor({ 1LL, 2LL }).dtype)
    assert.equals(kiln.float32, kiln.tensor({ 1, true }).dtype)
    for _, name in ipairs(DTYPES) do
      local x = kiln.tensor({ 0, 1 }, { dtype = name })
      assert.equals(name, x.dtype.name)
      near(name == "bool" and { false, true } or { 0, 1 }, x)
    end
    local x = kiln.tensor({ 10151188881778163LL }, { dtype = kiln.int64 })
    assert.is_true(x:item() == 10151188881778163LL)
  end)

  it("reads tensors of one element, and copies tensors", function()
    near({ 1, 2 }, kiln.tensor { kiln.tensor(1), kiln.ones(1) * 2 })
    local x = kiln.ones(2)
    local y = kiln.tensor(x)
    y:fill_(5)
    near({ 1, 1 }, x)
    assert.equals(kiln.float64, kiln.tensor(x, { dtype = "float64" }).dtype)
    assert.is_true(kiln.tensor({ 1 }, { requires_grad = true }).requires_grad)
  end)

  it("drops fractions for an integer dtype and refuses what it cannot hold", function()
    local function of(dtype, ...) return kiln.tensor({ ... }, { dtype = dtype }) end
    near({ 0, 255 }, of("uint8", -0.5, 255.7))
    near({ -128, 127 }, of("int8", -128.9, 127.9))
    near({ 5, 2, 1 }, of("int32", 5LL, 2, true))
    assert.equals(-2 ^ 63, tonumber(of("int64", -2 ^ 63):tolist()[1]))
    raises({ "data[2] is 300, which uint8 cannot hold" }, of, "uint8", 1, 300)
    near({ 255 }, of("uint8", -1))
    raises({ "data[1][2] is inf, which int16 cannot hold" }, of, "int16", { 1, math.huge })
    raises({ "data[1] is nan, which int64 cannot hold" }, of, "int64", 0 / 0)
    raises({ "data[1] is 500, which uint8 cannot hold" }, of, "uint8", 500LL)
    raises({ "18446744073709551615ULL, which int64 cannot hold" }, of, nil, 0xffffffffffffffffULL)
  end)

  it("reads and gives back rows of every width", function()
    for _, shape in ipairs { { 3, 1 }, { 2, 3, 2 }, { 2, 16 }, { 2, 17 }, { 0, 2 }, { 2, 0 }, { 5000, 2 } } do
      local n = 1
      for _, size in ipairs(shape) do n = n * size end
      for _, dtype in ipairs { "float32", "float16", "uint8", "int64" } do
        local x = kiln.arange(n):remainder(200):reshape(shape):to(dtype)
        local list = x:tolist()
        assert.equals(shape[1], #list)
        if n > 0 and n < 100 then
          for i = 1, shape[1] do
            for j = 1, shape[2] do
              local e = list[i][j]
              assert.equals(x[{ i, j }]:sum():item(), type(e) == "table" and e[1] + e[2] or e)
            end
          end
          assert.is_true(kiln.equal(x, kiln.tensor(list, { dtype = dtype })))
        end
      end
    end
    assert.same({ { 2 ^ 53, 1 } }, kiln.tensor({ { 2 ^ 53, 1 } }, { dtype = "int64" }):tolist())
    local odd = 9007199254740993LL
    assert.equals(odd, kiln.tensor({ { odd, 1 } }, { dtype = "int64" }):tolist()[1][1])
    assert.equals(kiln.float32, kiln.tensor({ { 1, 2 }, { true, 4LL } }).dtype)
    raises({ "data[2][1] is 300, which uint8" }, kiln.tensor, { { 1, 2 }, { 300, 1 } }, { dtype = "uint8" })
    raises({ "data[2][2] must be a number" }, kiln.tensor, { { 1, 2 }, { 3, "x" } })
  end)

  it("leaves Lua's collector as it was", function()
    kiln.ones(40000, 2):tolist()
    assert.is_true(collectgarbage "isrunning")
    collectgarbage "stop"
    kiln.ones(40000, 2):tolist()
    local running = collectgarbage "isrunning"
    collectgarbage "restart"
    assert.is_false(running)
  end)

  it("refuses ragged tables and says where", function()
    raises({ "ragged", "data[2] has 1 entries", "2" }, kiln.tensor, { { 1, 2 }, { 3 } })
    raises({ "ragged", "data[2] is the number 3" }, kiln.tensor, { { 1, 2 }, 3 })
    raises({ "ragged", "data[1][2] is a table" }, kiln.tensor, { { 1, { 2 } }, { 3, 4 } })
    raises({ "data[2][1] must be a number", "'a'" }, kiln.tensor, { { 1 }, { "a" } })
    raises({ "tensor", "nil" }, kiln.tensor)
    raises({ "key 'a'" }, kiln.tensor, { a = 1 })
    raises({ "unknown option 'dtyp'" }, kiln.tensor, { 1 }, { dtyp = 1 })
  end)

  it("is fast for a million numbers", function()
    local rows = {}
    for i = 1, 1000 do
      rows[i] = {}
      for j = 1, 1000 do rows[i][j] = i + j end
    end
    local x = kiln.tensor(rows)
    assert.equals(1e6, x:numel())
    assert.equals(2000, x[-1][-1]:item())
    local back = x:tolist()
    assert.equals(1003, back[500][503])
  end)
end)

describe("constructors", function()
  it("fill", function()
    near({ { 0, 0 } }, kiln.zeros(1, 2))
    near({ 1, 1 }, kiln.ones({ 2 }))
    near({ 2.5, 2.5 }, kiln.full({ 2 }, 2.5))
    assert.equals(kiln.bool, kiln.full({ 1 }, true).dtype)
    assert.equals("[2, 0, 3]", tostring(kiln.empty(2, 0, 3).shape))
    assert.equals(0, kiln.zeros({}):dim())
    local x = kiln.ones(2, 3, { dtype = kiln.int32 })
    assert.equals(kiln.int32, kiln.zeros_like(x).dtype)
    near({ { 7, 7, 7 }, { 7, 7, 7 } }, kiln.full_like(x, 7))
    assert.equals(kiln.float64, kiln.ones_like(x, { dtype = "double" }).dtype)
    near({ { 1, 0, 0 }, { 0, 1, 0 } }, kiln.eye(2, 3))
    near({ { 1, 0 }, { 0, 1 }, { 0, 0 } }, kiln.eye(3, 2))
    assert.is_true(kiln.zeros(2, { requires_grad = true }).requires_grad)
  end)

  it("count", function()
    near({ 0, 1, 2 }, kiln.arange(3))
    near({ 1, 3 }, kiln.arange(1, 5, 2))
    near({ 5, 4, 3 }, kiln.arange(5, 2, -1))
    near({}, kiln.arange(3, 1))
    for _, name in ipairs(DTYPES) do
      if name ~= "bool" then near({ 1, 6, 11, 16, 21 }, kiln.range(1, 25, 5, { dtype = name })) end
    end
    near({ 1, 2, 3 }, kiln.range(3))
    near({ 0, 0.25, 0.5, 0.75, 1 }, kiln.linspace(0, 1, 5))
    assert.equals(100, kiln.linspace(0, 1):numel())
    near({ 0, 0.5, 1 }, kiln.linspace(0, 1, { steps = 3, dtype = kiln.float64 }))
    near({ 1, 2 }, kiln.logspace(0, 1, { steps = 2, base = 2 }))
    raises({ "linspace: steps is given twice" }, kiln.linspace, 0, 1, 3, { steps = 3 })
    near({ 1, 10, 100 }, kiln.logspace(0, 2, 3), 1e-4)
    near({ 1, 2, 4 }, kiln.logspace(0, 2, 3, { base = 2 }), 1e-6)
  end)

  it("refuse what makes no sense", function()
    raises({ "zeros", "size[2]", "-1" }, kiln.zeros, 2, -1)
    raises({ "zeros", "size[1]", "1.5" }, kiln.zeros, 1.5)
    raises({ "zeros", "size[1]", "'a'" }, kiln.zeros, "a")
    raises({ "zeros", "8 dims" }, kiln.zeros, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    raises({ "zeros", "unknown option 'dtyp'", "dtype" }, kiln.zeros, 2, { dtyp = "float32" })
    raises({ "zeros", "dtype" }, kiln.zeros, 2, { dtype = "float99" })
    raises({ "zeros", "device", "'gpu'" }, kiln.zeros, 2, { device = "gpu" })
    raises({ "arange", "step" }, kiln.arange, 1, 5, 0)
    raises({ "arange", "nil" }, kiln.arange)
    raises({ "arange", "finite" }, kiln.arange, 1, math.huge)
    raises({ "full", "value" }, kiln.full, { 2 }, "a")
    raises({ "linspace", "steps" }, kiln.linspace, 0, 1, -2)
    raises({ "eye" }, kiln.eye, -1)
    raises({ "zeros_like", "tensor" }, kiln.zeros_like, 3)
  end)

  it("of old work", function()
    assert.equals("kiln.FloatTensor", kiln.FloatTensor(2, 3):type())
    near({ { 1, 2 } }, kiln.DoubleTensor { { 1, 2 } })
    assert.equals(kiln.int64, kiln.LongTensor(3).dtype)
    assert.equals("[2, 2]", tostring(kiln.Tensor(2, 2).shape))
    near({ 1, 2 }, kiln.Tensor { 1, 2 })
    local v = kiln.Variable(kiln.ones(2), { requires_grad = true })
    assert.is_true(v.requires_grad)
    assert.is_true(kiln.Variable(kiln.ones(2), { volatile = true }).volatile)
    kiln.set_default_tensor_type "kiln.DoubleTensor"
    assert.equals(kiln.float64, kiln.zeros(1).dtype)
    assert.equals(kiln.float64, kiln.get_default_dtype())
    kiln.set_default_dtype(kiln.float32)
    raises({ "set_default_dtype", "int64" }, kiln.set_default_dtype, kiln.int64)
  end)

  it("do not lose a gradient without a word", function()
    local x, n = kiln.tensor({ 1, 2, 3 }, { requires_grad = true }), kiln.zeros(2)
    raises({ "tensor", "data[2] requires grad", "kiln.stack" }, kiln.tensor, { 5, x[2] })
    raises({ "new_tensor", "data[1] requires grad" }, n.new_tensor, n, { { x[1] * 2 } })
    raises({ "as_tensor", "data[1] requires grad" }, kiln.as_tensor, { x[1] })
    raises({ "data[1] requires grad" }, function() n[{ { 1, 2 } }] = { x[1], x[2] } end)
    raises({ "tensor", "data requires grad", "clone()", "detach()" }, kiln.tensor, x)
    raises({ "data requires grad" }, n.new, n, x)
    raises({ "Variable", "t requires grad", "detach()" }, kiln.Variable, x * 2)
    near({ 0, 0 }, n)
    near({ 1, 2 }, kiln.tensor({ x[1]:detach(), x[2]:item() }))
    near({ 1, 2 }, kiln.no_grad(kiln.tensor, { x[1], x[2] }))
    for _, on in ipairs { true, false } do -- who says what it is to be knows
      assert.equals(on, kiln.tensor({ x[1] }, { requires_grad = on }).requires_grad)
      assert.equals(on, kiln.tensor(x, { requires_grad = on }).requires_grad)
      assert.equals(on, kiln.Variable(x, { requires_grad = on }).requires_grad)
    end
    assert.is_true(kiln.Variable(x, { volatile = true }).volatile)
  end)

  it("read memory", function()
    local data = ffi.new("float[4]", { 1, 2, 3, 4 })
    local x = kiln.from_pointer(data, { 2, 2 })
    x[1][1] = 9
    assert.equals(9, data[0])
    near({ 1, 2, 255 }, kiln.from_string "\1\2\255")
    near({ { 256 } }, kiln.from_string("\0\1", { 1, 1 }, "int16"))
    raises({ "from_string", "has 3", "2 bytes" }, kiln.from_string, "abc", { 2 })
    raises({ "from_pointer", "pointer" }, kiln.from_pointer, 3, { 1 })
    raises({ "from_pointer", "pointer is NULL" }, kiln.from_pointer, ffi.cast("float *", nil), { 1 })
    assert.equals(0, kiln.from_pointer(ffi.cast("float *", nil), { 0 }):numel())
    assert.equals(kiln.int16, kiln.from_pointer(ffi.new("int16_t[2]"), { 2 }).dtype)
    assert.equals(kiln.float16, kiln.from_pointer(ffi.new("uint16_t[2]"), { 2 }, "float16").dtype)
    assert.equals(kiln.int32, kiln.from_pointer(ffi.cast("void *", data), { 4 }, "int32").dtype)
    raises({ "float", "holds no int32", "void" }, kiln.from_pointer, data, { 4 }, "int32")
    raises({ "5 elements of float32 need 20 bytes, the array has 16" }, kiln.from_pointer, data, { 5 })
    raises({ "of no dtype" }, kiln.from_pointer, ffi.new("void *[1]"), { 1 })
    raises({ "must be a pointer or an array" }, kiln.from_pointer, 5LL, { 1 })
  end)
end)

describe("conversions", function()
  it("go between dtypes", function()
    local x = kiln.tensor { 1.7, -2.2 }
    near({ 1, -2 }, x:int())
    assert.equals(kiln.int64, x:long().dtype)
    assert.equals(x, x:float())
    assert.equals(x, x:to(kiln.float32))
    assert.are_not.equal(x, x:to(kiln.float32, { copy = true }))
    assert.equals(kiln.float64, x:to(kiln.ones(1, { dtype = "double" })).dtype)
    assert.equals("kiln.DoubleTensor", x:type("kiln.DoubleTensor"):type())
    assert.equals(kiln.float64, x:type_as(kiln.zeros(1, { dtype = "double" })).dtype)
    assert.equals(x, x:cpu())
    raises({ "to", "a dtype, a device or a tensor" }, x.to, x, 3)
    raises({ "to", "device", "'tpu'" }, x.to, x, "tpu")
  end)

  it("keep gradients", function()
    local x = kiln.ones(2, { requires_grad = true })
    x:double():mul(3):sum():backward()
    near({ 3, 3 }, x.grad)
    assert.equals(kiln.float32, x.grad.dtype)
  end)

  it("give Lua values", function()
    near({ { 1, 2 }, { 3, 4 } }, kiln.tensor { { 1, 2 }, { 3, 4 } })
    assert.same({ { 1, 3 }, { 2, 4 } }, kiln.tensor({ { 1, 2 }, { 3, 4 } }):transpose(1, 2):tolist())
    assert.same({ true, false }, kiln.tensor({ true, false }):tolist())
    assert.equals(true, kiln.tensor({ true }):item())
    assert.same({ 1.5 }, kiln.tensor({ 1.5 }, { dtype = "float16" }):tolist())
    assert.same({}, kiln.zeros(0):tolist())
    raises({ "item", "[2]" }, function() return kiln.ones(2):item() end)
  end)

  it("make others of the same kind", function()
    local x = kiln.ones(2, { dtype = "float64" })
    assert.equals("[3, 2]", tostring(x:new(3, 2).shape))
    assert.equals(kiln.float64, x:new({ 1, 2 }).dtype)
    near({ 0, 0 }, x:new_zeros(2))
    assert.equals(kiln.int32, x:new_ones({ 2 }, { dtype = "int32" }).dtype)
    near({ 4, 4, 4 }, x:new_full({ 3 }, 4))
    near({ 1, 2 }, x:new_tensor { 1, 2 })
  end)
end)

describe("what a tensor looks at", function()
  it("changes in place", function()
    local x = kiln.arange(6):view(2, 3)
    assert.equals("[3, 2]", tostring(x:transpose_(1, 2).shape))
    x:unsqueeze_(1)
    assert.equals("[1, 3, 2]", tostring(x.shape))
    x:squeeze_()
    assert.equals("[3, 2]", tostring(x.shape))
    local y = kiln.ones(4)
    local z = kiln.empty(0):set_(y)
    assert.is_true(z:is_set_to(y))
    z:resize_(2, 2)
    assert.equals("[2, 2]", tostring(z.shape))
    assert.equals("[4]", tostring(z:resize_as_(y).shape))
    assert.equals("[0]", tostring(z:set_().shape))
    local w = kiln.ones(2, 2, { requires_grad = true })
    raises({ "transpose_", "requires grad" }, w.transpose_, w, 1, 2)
    raises({ "resize_", "requires grad" }, w.resize_, w, 4)
  end)

  it("has a pointer and strides", function()
    local x = kiln.arange(6):view(2, 3)
    local p = x:data_ptr()
    assert.equals(5, p[5])
    p[0] = 7
    assert.equals(7, x[1][1]:item())
    assert.same({ 3, 1 }, { unpack(x:stride()) })
    assert.equals(1, x:stride(-1))
    assert.equals(3, x[2]:storage_offset())
    assert.equals(4, x:element_size())
    assert.is_false(x:transpose(1, 2):is_contiguous())
    local v = x.version
    x:bump_version()
    assert.equals(v + 1, x.version)
  end)
end)

describe("storages", function()
  it("are the memory of tensors", function()
    local x = kiln.arange(4):view(2, 2)
    local s = x:storage()
    assert.equals(4, #s)
    assert.equals(3, s[4])
    s[1] = 9
    assert.equals(9, x[1][1]:item())
    assert.equals("kiln.FloatStorage", s:type())
    assert.same({ 9, 1, 2, 3 }, s:tolist())
    assert.equals(4, s:element_size())
    assert.equals(9, s:data_ptr()[0])
    assert.is_true(kiln.is_storage(s))
    s:fill_(2)
    near({ { 2, 2 }, { 2, 2 } }, x)
    raises({ "storage", "5", "1..4" }, function() return s[5] end)
  end)

  it("are made, converted and resized", function()
    local s = kiln.DoubleStorage { 1, 2, 3 }
    assert.equals("kiln.DoubleStorage", s:type())
    assert.same({ 1, 2, 3 }, s:int():tolist())
    assert.equals(kiln.int64, s:type("kiln.LongStorage").dtype)
    local t = s:clone()
    t[1] = 5
    assert.equals(1, s[1])
    s:copy_(t)
    assert.equals(5, s[1])
    s:resize_(5)
    assert.equals(5, s:size())
    assert.equals(3, s[3])
    assert.equals(2, s:clone():resize_(2):size())
    local all = kiln.zeros(4)
    local a, b = all:storage(), all:storage()
    a:resize_(6)
    b[6] = 7
    assert.same({ 6, 6, 7, 6 }, { #a, #b, a[6], b:size() })
    all:resize_(9)
    assert.same({ 9, 9 }, { #a, #b:tolist() })
    assert.same({ 2, 9 }, { #a:resize_(2), #b }) -- what is left out is there for others
    assert.equals(2, kiln.FloatStorage(2):size())
    assert.same({ 256 }, kiln.ShortStorage.from_buffer("\0\1", "little"):tolist())
    assert.same({ 1 }, kiln.ShortStorage.from_buffer("\0\1", "big"):tolist())
    local y = kiln.empty(0, { dtype = "float64" }):set_(s, 1, { 2 })
    near({ 2, 3 }, y)
    assert.truthy(tostring(t):find "DoubleStorage of size 3")
  end)
end)

describe("Lua kernels", function()
  it("run over any strides", function()
    local x = kiln.arange(6):view(2, 3)
    x:transpose(1, 2):apply_(function(v) return v * 2 end)
    near({ { 0, 2, 4 }, { 6, 8, 10 } }, x)
    x:map_(kiln.tensor { 1, 2, 3 }, function(a, b) return a + b end)
    near({ { 1, 4, 7 }, { 7, 10, 13 } }, x)
    x[{ {}, 2 }]:map2_(kiln.ones(2), kiln.ones(2) * 2, function(a, b, c) return a * b - c end)
    near({ { 1, 2, 7 }, { 7, 8, 13 } }, x)
    local i = kiln.tensor({ 1, 2 }, { dtype = kiln.int64 })
    near({ 2, 4 }, i:apply_(function(v) return v + v end))
    near(8, kiln.tensor(4):apply_(function(v) return 2 * v end))
  end)

  it("keep the memory they run over, whatever fn does to the tensor", function()
    for _, drop in ipairs {
      function(x) x:free() end,
      function(x) x:set_(kiln.zeros(1)) end,
      function(x) x.data = kiln.zeros(2) end,
    } do
      local x, y = kiln.zeros(20000), nil
      x:apply_(function()
        if not y then
          drop(x)
          kiln.empty_cache()
          y = kiln.zeros(20000)
        end
        return 7
      end)
      near(0, y:sum())
    end
    raises({ "create_spec", "kiln: apply_: fn must return a number, got the string 'a'" }, function()
      kiln.zeros(2):apply_(function() return "a" end)
    end)
  end)

  it("go row by row, whatever the strides, and agree with ops", function()
    local function counter()
      local i = 0
      return function()
        i = i + 1
        return i
      end
    end
    near({ { 1, 2, 3 }, { 4, 5, 6 } }, kiln.zeros(3, 2):t():apply_(counter()))
    near({ { { 1 }, { 2 } }, { { 3 }, { 4 } } }, kiln.zeros(2, 2, 3):slice(3, 2, 2):apply_(counter()))
    for _, dtype in ipairs { "float32", "float64", "int32", "int64" } do
      local large = kiln.arange(10000, { dtype = dtype })
      for _, x in ipairs { large, large:view(100, 100):t(), large:view(10, 100, 10):slice(2, 1, 100, 3),
        large:view(10, 100, 10):transpose(1, 3), large:slice(1, 2, 10000, 2) } do
        local y = kiln.arange(x:size(-1), { dtype = dtype })
        local expected = x * 3 + y
        assert.is_true(expected:equal(x:clone():map_(y, function(a, b) return 3 * a + b end)))
        local view = x:clone()
        view:map2_(y, x, function(a, b, c) return 2 * a + b + c end)
        assert.is_true(expected:equal(view))
        local before = x:clone()
        x:apply_(function(v) return v + 1 end)
        assert.is_true((before + 1):equal(x))
      end
    end
    near({}, kiln.zeros(0, 3):apply_(counter()):view(-1))
  end)

  it("fill a diagonal, that of a tall matrix again below its end if asked", function()
    local tall = kiln.zeros(7, 3):fill_diagonal_(1, true)
    near({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, tall)
    near({ { 1, 0 }, { 0, 1 }, { 0, 0 }, { 0, 0 } }, kiln.zeros(4, 2):fill_diagonal_(1))
    near({ { 1, 0 }, { 0, 1 }, { 0, 0 }, { 1, 0 } }, kiln.zeros(4, 2):fill_diagonal_(1, { wrap = true }))
  end)

  it("read any NaN as NaN", function()
    local x = kiln.from_string(("\255"):rep(8 * 600), { 600 }, "float64")
    local kinds = {}
    x:apply_(function(v)
      kinds[type(v)] = true
      return v == v and 1 or 2
    end)
    assert.same({ number = true }, kinds)
    assert.equals(1200, x:sum():item())
  end)

  it("and printing leave what is read, and what lies between, as it is", function()
    for _, names in ipairs { { "float32", "int32" }, { "float64", "int64" } } do
      local floats = kiln.zeros(3, 2, { dtype = names[1] })
      local whole = floats:view(names[2])
      local odd, value = whole:select(2, 2), floats:select(2, 1)
      odd:fill_(-1) -- no number, as a float
      local function untouched() assert.same({ -1, -1, -1 }, odd:tolist()) end
      value:apply_(function(v) return v + 1 end)
      kiln.zeros(3, { dtype = names[1] }):map_(value, function(_, v) return v end)
      near({ 1, 1, 1 }, value)
      tostring(value)
      untouched()
      for _, x in ipairs { floats:select(2, 2), floats } do
        tostring(x)
        x:tolist()
        local sum = 0
        kiln.zeros(x.shape, { dtype = names[1] }):map_(x, function(_, v)
          sum = sum + (v == v and 0 or 1)
          return 0
        end)
        assert.equals(3, sum)
        untouched()
      end
    end
  end)

  it("refuse what they cannot do", function()
    local w = kiln.ones(2, { requires_grad = true })
    raises({ "apply_", "requires grad" }, w.apply_, w, math.sin)
    raises({ "apply_", "function" }, function() return kiln.ones(2):apply_(3) end)
    raises({ "apply_", "float16" }, function() return kiln.ones(2):half():apply_(math.sin) end)
  end)
end)

describe("random tensors", function()
  it("repeat with the seed", function()
    kiln.manual_seed(7)
    local a = kiln.rand(5)
    local state = kiln.get_rng_state()
    local b = kiln.randn(5)
    kiln.set_rng_state(state)
    near(b:tolist(), kiln.randn(5))
    kiln.manual_seed(7)
    near(a:tolist(), kiln.rand(5))
    assert.equals(7, kiln.initial_seed())
    raises({ "set_rng_state", "16 bytes" }, kiln.set_rng_state, kiln.ones(3))
  end)

  it("have the kinds they should", function()
    local x = kiln.randint(3, 6, { 100 })
    assert.equals(kiln.int64, x.dtype)
    for _, v in ipairs(x:tolist()) do assert.is_true(v >= 3 and v < 6) end
    assert.equals(kiln.float64, kiln.rand(2, { dtype = "float64" }).dtype)
    assert.is_true(kiln.randn(2, { requires_grad = true }).requires_grad)
    assert.equals("[2, 3]", tostring(kiln.rand_like(kiln.ones(2, 3)).shape))
    near({ 5, 5 }, kiln.normal(5, 0, { 2 }))
    near({ 1, 2 }, kiln.normal(kiln.tensor { 1, 2 }, 0))
    near({ 1, 2 }, kiln.normal(kiln.tensor { 1, 2 }, kiln.zeros(2)))
    local y = kiln.normal(kiln.tensor { 1, 2 }, 0, { dtype = "float64", requires_grad = true })
    assert.same({ kiln.float64, true }, { y.dtype, y.requires_grad })
    assert.equals(kiln.float64, kiln.normal(kiln.zeros(2), { dtype = "float64" }).dtype)
    raises({ "normal", "std must be at least 0, got -1" }, kiln.normal, kiln.zeros(2), -1)
    raises({ "normal", "std must be at least 0, got -2" }, kiln.normal, 0, kiln.tensor { 1, -2 })
    raises({ "normal", "std must be at least 0, got nan" }, kiln.normal, 0, 0 / 0, { 2 })
    raises({ "normal", "shape was given, too" }, kiln.normal, kiln.zeros(2), 1, { 3 })
    local one = kiln.zeros(1)
    raises({ "uniform_", "to is 1e+39, which float32 cannot hold" }, one.uniform_, one, 0, 1e39)
    raises({ "uniform_", "from -60000 to 60000 is wider than float16 can hold" }, function()
      kiln.zeros(1, { dtype = "float16" }):uniform_(-60000, 60000)
    end)
    raises({ "randint", "low (4)", "high (2)" }, kiln.randint, 4, 2, { 1 })
    raises({ "rand", "floating" }, kiln.rand, 2, { dtype = "int64" })
  end)
end)

describe("the bytes of a tensor", function()
  it("are seen as another dtype", function()
    local x = kiln.tensor { { 1, 2 }, { 3, 4 } }
    near({ 0x3f800000, 0x40000000 }, x:view(kiln.int32)[1])
    assert.equals("[2, 4]", tostring(x:view "int16".shape))
    assert.equals("[2, 1]", tostring(x:view(kiln.float64).shape))
    assert.is_true(kiln.equal(x, x:view(kiln.uint8):view(kiln.float32)))
    near({ 2, 4 }, x:select(2, 2):view(kiln.int32):view(kiln.float32))
    x:view(kiln.int32):select(2, 1):fill_(0x40000000)
    near({ { 2, 2 }, { 2, 4 } }, x)
    assert.equals(0x3f800000, kiln.tensor(1):view(kiln.int32):item())
    raises({ "view: x of shape [2], strides [2] and offset 0" }, x.view, x:select(2, 1), kiln.float64)
    raises({ "view: x of shape [3]" }, x.view, kiln.ones(3), kiln.float64)
    raises({ "view: x of shape []" }, x.view, kiln.tensor(1), kiln.int16)
    raises({ "view", "a bool is 0 or 1; x:bool() converts" }, x.view, kiln.zeros(4):byte(), kiln.bool)
    raises({ "view", "requires grad" }, x.view, kiln.ones(2, { requires_grad = true }), kiln.int32)
    raises({ "view: size must be a list of sizes, or a dtype", "'wide'" }, x.view, x, "wide")
    -- A write through it is a write into x.
    local w = kiln.ones(2, { requires_grad = true })
    local y = w:exp()
    y:detach():view(kiln.int32):zero_()
    raises({ "exp needs, was overwritten in place by zero_" }, function() y:sum():backward() end)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
