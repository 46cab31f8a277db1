--- How ops are called from Lua: positions, options, lists, numbers, words, and every mistake.
local ffi = require "ffi"
local kiln = require "kiln"
local bind = require "kiln.bind"
local ops = require "kiln.ops"
local support = require "spec.support"
local near, raises = support.near, support.raises

describe("a call", function()
  it("is a function, a method or an operator", function()
    local x, y = kiln.tensor { 1, 2 }, kiln.tensor { 10, 20 }
    near({ 11, 22 }, kiln.add(x, y))
    near({ 11, 22 }, x:add(y))
    near({ 11, 22 }, x + y)
    near({ -9, -18 }, x - y)
    near({ 10, 40 }, x * y)
    near({ 10, 10 }, y / x)
    near({ 1, 4 }, x ^ 2)
    near({ -1, -2 }, -x)
    near({ 3, 6 }, 3 * x)
    near({ 0.5, 0.25 }, 1 / (2 * x))
  end)

  it("takes options by name or by position", function()
    local x, y = kiln.tensor { { 1, 2 }, { 3, 4 } }, kiln.ones(2)
    near({ { 6, 7 }, { 8, 9 } }, kiln.add(x, y, 5))
    near({ { 6, 7 }, { 8, 9 } }, kiln.add(x, y, { alpha = 5 }))
    near({ { 3 }, { 7 } }, x:sum(2, true))
    near({ { 3 }, { 7 } }, x:sum(2, { keepdim = true }))
    near({ { 3 }, { 7 } }, x:sum { dims = { 2 }, keepdim = true })
    near({ { 3 }, { 7 } }, x:sum { dim = -1, keepdim = true })
    near(10, x:sum {})
    near(10, x:sum({ 1, 2 }))
  end)

  it("takes lists as tables, sizes or numbers", function()
    local x = kiln.arange(6)
    for _, y in ipairs { x:view(2, 3), x:view({ 2, 3 }), x:view(-1, 3), x:view(kiln.ones(2, 3).shape),
      x:view { size = { 2, 3 } }, x:view(2LL, 3) } do
      near({ { 0, 1, 2 }, { 3, 4, 5 } }, y)
    end
    assert.equals("[3, 4, 2]", tostring(kiln.ones(2, 3, 4):permute(2, 3, 1).shape))
    assert.equals("[3, 4, 2]", tostring(kiln.ones(2, 3, 4):permute({ -2, -1, -3 }).shape))
  end)

  it("counts dims and positions from 1, and from the end", function()
    local x = kiln.tensor { { 1, 2 }, { 3, 4 } }
    near({ 4, 6 }, x:sum(1))
    near({ 3, 7 }, x:sum(-1))
    near({ 3, 4 }, x:select(1, 2))
    near({ 2, 4 }, x:select(-1, -1))
    near({ { 3, 4 } }, x:slice(1, 2, 2))
  end)

  it("keeps integers for whole numbers and promotes for fractions", function()
    local i = kiln.tensor({ 1, 2 }, { dtype = kiln.int64 })
    assert.equals(kiln.int64, (i + 1).dtype)
    assert.equals(kiln.float32, (i + 0.5).dtype)
    assert.equals(kiln.float32, (i / 2).dtype)
    local f = kiln.tensor({ 1, 2 }, { dtype = kiln.float16 })
    assert.equals(kiln.float16, (f * 2.5).dtype)
    assert.equals(kiln.bool, (i:eq(1)).dtype)
  end)

  it("compares with numbers that the dtype does not have", function()
    local x = kiln.tensor({ 0, 44, 255 }, { dtype = kiln.uint8 })
    assert.same({ true, true, true }, x:lt(300):tolist())
    assert.same({ false, false, false }, x:eq(300):tolist())
    assert.same({ false, false, false }, x:le(-1):tolist())
    assert.same({ true, true, true }, kiln.tensor({ -128, 0, 127 }, { dtype = kiln.int8 }):ne(-129):tolist())
    assert.same({ false, true, true }, x:logical_and(256):tolist())
    assert.same({ 0, 0, 0 }, x:clone():gt_(1000):tolist())
  end)

  it("has a function for every method that ends in _", function()
    local count = 0
    for _, name in ipairs(require("kiln.tensor").names(true)) do
      if name:find "_$" then
        assert.equals(kiln.Tensor[name], kiln[name])
        count = count + 1
      end
    end
    assert.is_true(count > 200)
    local x = kiln.zero_(kiln.ones(2, 3))
    assert.same({ { 0, 0 }, { 0, 0 }, { 0, 0 } }, kiln.swapaxes_(x, 1, 2):tolist())
    assert.same({ 2, 3 }, { unpack(x:swapdims_(1, -1).shape) })
    local y = kiln.arange(6, { dtype = kiln.float64 }):requires_grad_()
    local z = y * 2
    assert.same({ { 2, 4 }, { 8, 10 } }, z:as_strided_({ 2, 2 }, { 3, 1 }, 1):tolist())
    z:sum():backward()
    assert.same({ 0, 2, 2, 0, 2, 2 }, y.grad:tolist())
    assert.same({ 8, 27 }, kiln.tensor({ 2, 3 }, { dtype = kiln.float64 }):float_power_(3):tolist())
  end)

  it("has NaN for a bound that is NaN", function()
    local x, nan = kiln.tensor({ -1, 0.5, 2 }, { requires_grad = true }), 0 / 0
    assert.is_true(kiln.hardtanh(x, nan, 1):isnan():all():item())
    for _, y in ipairs { x:clamp(nan), x:clamp(nil, nan), x:clamp(nan, 1) } do
      assert.is_true(y:isnan():all():item())
    end
    for _, y in ipairs { x:clamp(nan), x:clamp(nil, nan), x:clamp(nan, 1) } do
      y:sum():backward()
      assert.same({ 0, 0, 0 }, x.grad:tolist())
    end
    kiln.hardtanh(x, nan, 1):sum():backward() -- in which nothing is at the lower bound, as in the reference
    assert.same({ 1, 1, 0 }, x.grad:tolist())
    assert.is_true(kiln.tensor({ 1, 2 }, { dtype = kiln.int64 }):clamp(nan):isnan():all():item())
  end)

  it("has derivatives of digamma below 0", function()
    local x = kiln.tensor({ -2.5, -0.3, -1 }, { dtype = kiln.float64 })
    assert.near(-0.1082040516417282, kiln.polygamma(2, x)[1]:item(), 1e-11)
    assert.near(766.6198904191684, kiln.polygamma(3, x)[2]:item(), 1e-8)
    assert.equals(1 / 0, kiln.polygamma(3, x)[3]:item())
  end)

  it("takes int64 numbers exactly", function()
    local big = 10151188881778163LL
    local x = kiln.full({ 2 }, big, { dtype = kiln.int64 })
    assert.is_true(x[1]:item() == big)
    assert.is_true((x + 1LL)[2]:item() == big + 1)
    assert.is_true(x:eq(big):tolist()[1])
    assert.is_true(x:tolist()[2] == big)
    assert.equals(7, kiln.tensor(7LL):item())
  end)

  it("writes in place and returns the tensor", function()
    local x = kiln.ones(3)
    assert.equals(x, x:add_(1))
    assert.equals(x, x:mul_(x):fill_(3):copy_(kiln.ones(3)))
    near({ 1, 1, 1 }, x)
    raises({ "add_", "x must be a tensor" }, x.add_, 3, x)
  end)

  it("writes to out", function()
    local x, out = kiln.tensor { 1, 2 }, kiln.empty(0)
    assert.equals(out, kiln.add(x, x, { out = out }))
    near({ 2, 4 }, out)
    kiln.mul(x, 3, { out = x })
    near({ 3, 6 }, x)
    raises({ "add", "out", "int64" }, kiln.add, x, 0.5, { out = kiln.zeros(2, { dtype = kiln.int64 }) })
    raises({ "add", "out must be a tensor" }, kiln.add, x, x, { out = 3 })
    local w = kiln.ones(2, { requires_grad = true })
    raises({ "out", "no_grad" }, kiln.add, w, w, { out = out })
    kiln.no_grad(kiln.add, w, w, { out = out })
    near({ 2, 2 }, out)
  end)

  it("leaves arguments alive that are results too", function()
    local x, y, out = kiln.tensor { 1, 2 }, kiln.tensor { 5 }, kiln.empty(0)
    near({ 1, 2 }, kiln.positive(x, { out = out }))
    near({ 1, 2 }, kiln.atleast_1d(x, { out = out }))
    near({ 1, 2 }, kiln.sum_to_size(x, { 2 }, { out = out }))
    near({ 1, 2 }, kiln.cartesian_prod({ x }, { out = out }))
    near({ 1, 2 }, kiln.positive(x, { out = x }))
    local a, b = kiln.broadcast_tensors(x, y, { out = { kiln.empty(0), out } })
    near({ 1, 2 }, a)
    near({ 5, 5 }, b)
    near({ 1, 2, 5 }, kiln.cat { x, y })
  end)
end)

describe("a mistake", function()
  it("is an empty list of tensors, also in the first call of a program", function()
    for _, name in ipairs { "cat", "stack" } do
      raises({ "needs at least one tensor" }, kiln[name], {}, 1)
    end
    local code = [[print(select(2, pcall(require("kiln").cat, {}, 1)))]]
    local pipe = assert(io.popen(("luajit -e '%s' 2>&1"):format(code)))
    local text = pipe:read "*a"
    pipe:close()
    assert.truthy(text:find("cat: needs at least one tensor", 1, true), text)
  end)

  local x = kiln.arange(12):view(3, 4)
  it("is one line at the caller's line", function()
    local line = debug.getinfo(1, "l").currentline
    local message = raises("sum", function() x:sum(3) end)
    assert.truthy(message:find("bind_spec.lua:" .. line + 1 .. ": kiln: sum:", 1, true), message)
    message = raises("add", function() local _ = x + "a" end)
    assert.truthy(message:find("bind_spec.lua:" .. line + 3 .. ": kiln: add:", 1, true), message)
  end)

  it("names what it got and what it expected", function()
    raises({ "sum", "3", "2-dim" }, x.sum, x, 3)
    raises({ "sum", "count from 1" }, x.sum, x, 0)
    raises({ "sum", "dims[2]", "1.5" }, x.sum, x, { 1, 1.5 })
    raises({ "sum", "keepdim", "true or false", "'yes'" }, x.sum, x, 1, "yes")
    raises({ "sum", "unknown option 'keepdims'", "keepdim" }, x.sum, x, { keepdims = true })
    raises({ "sum", "dims is given twice" }, x.sum, x, 1, { dims = 2 })
    raises({ "sum", "at most" }, x.sum, x, 1, true, 5)
    raises({ "view", "size[1]", "2.5" }, x.view, x, 2.5, 2)
    raises({ "view", "size", "'a'" }, x.view, x, "a")
    raises({ "view", "size is missing" }, x.view, x)
    raises({ "add", "y is missing" }, x.add, x)
    raises({ "add", "y must be a tensor or a number", "a table" }, x.add, x, { 1, 2 })
    raises({ "add", "alpha must be a number", "'b'" }, x.add, x, x, "b")
    raises({ "select", "dim must be a whole number", "a tensor" }, x.select, x, x, 1)
    raises({ "where", "condition must be a tensor of bool", "3" }, kiln.where, 3, x, x)
    raises({ "cat", "list of tensors" }, kiln.cat, x)
    raises({ "cat", "xs[2]", "number 1" }, kiln.cat, { x, 1 })
    raises({ "cast", "dtype", "float99" }, x.cast, x, "float99")
    raises({ "[3, 4]", "[5]" }, function() return x + kiln.ones(5) end)
  end)

  it("hints at the colon", function()
    raises({ "sum", "x is missing", "x:sum()" }, x.sum)
    raises({ "add", "x:add()" }, x.add, 3)
    raises({ "size", "x:size()" }, x.size)
    raises({ "sum", "number 1", "x:sum(...)" }, x.sum, 1)
    raises({ "view", "number 4", "x:view(...)" }, x.view, 4, 3)
    raises({ "argmax", "number 2", "x:argmax(...)" }, x.argmax, 2)
  end)

  it("of joining or comparing says what to use", function()
    raises({ "kiln.cat" }, function() return x .. "a" end)
    raises({ "ipairs(x)" }, function() x() end)
    raises({ "'1:3'", "{ 1, 3 }" }, function() return x["1:3"] end)
    raises({ "shape", "count from 1" }, function() return x.shape[0] end)
    assert.is_nil(x.shape[3])
    assert.same({ 4, 3 }, { x.shape[-1], x.shape[-2] })
    assert.equals(4, x:stride()[-2])
    raises({ "shape", "-3", "2 sizes" }, function() return x.shape[-3] end)
    raises({ "lt", "[3, 4]" }, function() return x < 1 end)
    raises({ "le", "[3, 4]" }, function() return x >= x end)
    raises({ "lt", "compared" }, function() return kiln.tensor(1) < "a" end)
    assert.is_true(kiln.tensor(1) < 2)
    assert.is_true(kiln.tensor(2) <= kiln.tensor(2))
    assert.is_true(3 > kiln.tensor(2))
    assert.is_false(x == nil)
    assert.is_false(x == 3)
  end)

  it("does not change the arguments", function()
    local options = { keepdim = true }
    local list = { 1 }
    x:sum(list, options)
    assert.same({ keepdim = true }, options)
    assert.same({ 1 }, list)
    pcall(x.add_, x, kiln.ones(5))
    near({ 0, 1, 2, 3 }, x[1])
  end)
end)

describe("the table of ops", function()
  it("gives every public row a function whose source compiles", function()
    for _, row in ipairs(ops.rows) do
      if not row.internal then
        local name = row.writes and row.name .. "_" or row.name
        assert.is_function(row.writes and bind.method(name) or bind.fn(name), name)
        if row.inplace then assert.is_function(bind.method(row.name .. "_"), row.name .. "_") end
      else
        assert.is_nil(bind.fn(row.name))
      end
    end
  end)

  it("keeps a call on four floats compiled", function()
    local a, b = kiln.ones(4), kiln.ones(4)
    local function run(times)
      for _ = 1, times do
        local c = a + b
        c = c * 2
        c:add_(a)
      end
    end
    run(4000)
    local interpreted = 0 -- instructions: a hook sees those of the interpreter and none of compiled code
    debug.sethook(function() interpreted = interpreted + 1 end, "", 1)
    run(1000)
    debug.sethook()
    local compiled = interpreted < 1000 * 30 -- a tenth of what the interpreter alone needs
    assert.is_true(not jit.status() or compiled, interpreted .. " instructions were interpreted")
  end)
end)

describe("rows say more of a call:", function()
  local x, y
  before_each(function() x, y = kiln.tensor { 7, -7 }, kiln.tensor { 2, 2 } end)
  after_each(function() x, y = nil, nil end)

  it("other names are the same functions", function()
    assert.equals(kiln.mul, kiln.multiply)
    assert.equals(x.clamp_, x.clip_)
    near({ 3.5, -3.5 }, x:divide(y))
    for name, target in pairs(ops.also) do
      assert.is_nil(ops.by_name[name], name .. " is a row of its own")
      assert.equals(kiln[target], kiln[name])
    end
  end)

  it("options that change what is called", function()
    near({ 3, -4 }, x:div(y, { rounding_mode = "floor" }))
    near({ 3, -3 }, kiln.div(x, 2, { rounding_mode = "trunc" }))
    near({ 3, -3 }, x:clone():div_(y, { rounding_mode = "trunc" }))
    local i = x:long()
    assert.equals(kiln.int64, i:div(2, { rounding_mode = "trunc" }).dtype)
    assert.same({ 3, -3 }, i:clone():div_(2, { rounding_mode = "trunc" }):tolist())
    assert.equals(kiln.float64, x:sum(1, { dtype = "float64" }).dtype)
    assert.equals(kiln.float64, i:mean { dtype = kiln.float64 }.dtype)
    assert.equals(kiln.int32, i:int():cumsum_(1, { dtype = kiln.int32 }).dtype)
    local out = kiln.zeros({}, { dtype = "float64" })
    kiln.sum(x, { dtype = "float64", out = out })
    assert.equals(0, out:item())
    near({ 3.14, -2.72 }, kiln.tensor({ 3.1416, -2.7183 }):round { decimals = 2 })
    near({ 1200, -100 }, kiln.tensor({ 1234, -99 }):round_ { decimals = -2 })
    raises({ "round", "decimals is for floating dtypes, x is int64" }, i.round, i, { decimals = 1 })
    local first = kiln.ones({ 2, 1 }, { dtype = "int64" })
    near({ { 6, 1 }, { 6, 1 } }, kiln.ones(2, 2):scatter(2, first, 5, { reduce = "add" }))
    near({ { 10, 2 }, { 12, 2 } },
      kiln.full({ 2, 2 }, 2):scatter_(2, first, kiln.tensor { { 5 }, { 6 } }, { reduce = "multiply" }))
    raises({ "scatter", "reduce must be 'add' or 'multiply'" }, x.scatter, x, 1, first[1], 5,
      { reduce = "max" })
    local m = kiln.tensor { { 0, 5 }, { 7, 8 } }
    assert.same({ 5, 7, 8 }, m[{ m:nonzero { as_tuple = true } }]:tolist())
    assert.same({ 3, 2 }, { unpack(m:nonzero({ as_tuple = false }).shape) })
    near({ { 0, 2 }, { 0, 0 } }, kiln.tensor({ 2 }):diag_embed { offset = 1 })
  end)

  it("an argument that may be left out changes what the first one is", function()
    local often = kiln.tensor({ 2, 0, 1 }, { dtype = "int64" })
    assert.same({ 1, 1, 3 }, often:repeat_interleave():tolist())
    assert.equals(kiln.int64, often:repeat_interleave().dtype)
    assert.same({}, kiln.repeat_interleave(often:narrow(1, 1, 0)):tolist())
    raises({ "repeat_interleave", "x alone must be a list of numbers, its shape is [1, 3]" },
      kiln.repeat_interleave, often:unsqueeze(1))
  end)

  it("several such options at once", function()
    local m = kiln.tensor { { 3, 0 }, { 0, 4 } }
    for p, expected in pairs { fro = 5, nuc = 7 } do
      local norm = m:norm(p, { dtype = "float64" })
      assert.equals(kiln.float64, norm.dtype)
      near(expected, norm)
    end
    near({ 3, 4 }, m:norm("fro", { dims = 2, dtype = "float64" }))
    local values = kiln.tensor { 3, 1, 2 }
    local order = values:argsort()
    local function places(options)
      return kiln.searchsorted(values, kiln.tensor { 2, 3 }, options):tolist()
    end
    assert.same({ 2, 3 }, places { sorter = order })
    assert.same({ 3, 4 }, places { sorter = order, side = "right" })
    assert.same({ 2, 3 }, places { sorter = order, side = "left" })
    assert.same({ 3, 4 }, places { sorter = order, right = true })
    raises({ "searchsorted", "side must be 'left' or 'right', got the string 'up'" }, places, { side = "up" })
    raises({ "searchsorted", "sorter must be int64 positions, got float32" }, places, { sorter = values })
  end)

  it("refuses such options by name", function()
    raises({ "div", "rounding_mode must be 'floor' or 'trunc', got the string 'up'" }, x.div, x, y,
      { rounding_mode = "up" })
    raises({ "div", "unknown option 'rounding_mod'", "did you mean rounding_mode" }, x.div, x, y,
      { rounding_mod = "floor" })
    raises({ "sum", "dtype must be a dtype" }, x.sum, x, { dtype = "float31" })
    raises({ "mean", "dtype must be floating, got int32" }, x.mean, x, { dtype = "int32" })
  end)

  it("words in the place of a number", function()
    local m = kiln.tensor { { 3, 0 }, { 0, 4 } }
    near(5, m:norm "fro")
    near(7, m:norm { p = "nuc" })
    near(5, m:norm { p = 2 })
    near({ 3, 4 }, m:norm("fro", 2))
    raises({ "norm", "p must be a number, 'fro' or 'nuc', got 'max'" }, m.norm, m, "max")
    raises({ "norm", "two dims are needed" }, x.norm, x, "nuc")
  end)

  it("tensors one after the other are a list", function()
    local a, b = kiln.meshgrid(kiln.tensor { 1, 2 }, kiln.tensor { 3, 4, 5 })
    near({ { 1, 1, 1 }, { 2, 2, 2 } }, a)
    near({ { 3, 4, 5 }, { 3, 4, 5 } }, b)
    near({ { 1, 2 }, { 1, 2 }, { 1, 2 } }, (kiln.meshgrid(y * 0 + kiln.tensor { 1, 2 }, kiln.ones(3),
      { indexing = "xy" })))
    near({ { 7, 2 }, { -7, 2 } }, kiln.column_stack(x, y))
    near({ { 7, -7 }, { 2, 2 }, { 7, -7 } }, x:vstack(y, x))
    raises({ "meshgrid" }, kiln.meshgrid, { x }, y)
    raises({ "meshgrid" }, kiln.meshgrid, x, 3)
    local many = {}
    for i = 1, 17 do many[i] = x end
    raises({ "vstack", "tensors" }, kiln.vstack, unpack(many))
    assert.equals(17, kiln.vstack(many):size(1))
  end)

end)

describe("interrupts", function()
  it("stop an op with an error", function()
    local C = require("kiln.ffi").C
    C.kiln_interrupt_raise()
    raises("interrupt", function() return kiln.ones(2) + 1 end)
    near({ 2, 2 }, kiln.ones(2) + 1)
  end)
end)

describe("config", function()
  it("says what this kiln is", function()
    local c = kiln.config()
    for _, name in ipairs { "version", "library", "luajit", "cpu_level", "blas" } do
      assert.is_string(c[name], name)
    end
    assert.equals(ffi.abi "gc64", c.gc64)
    assert.truthy(tostring(c):find "version")
    local n = kiln.get_num_threads()
    kiln.set_num_threads(1)
    assert.equals(1, kiln.get_num_threads())
    kiln.set_num_threads(n)
    raises({ "set_num_threads", "0" }, kiln.set_num_threads, 0)
  end)
end)

describe("the file", function() support.ends_without_live_tensors(2) end) -- x and its base
