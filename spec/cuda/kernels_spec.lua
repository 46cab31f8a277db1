--- Kernels on shapes that the samples of the op table are too small for: several blocks, results and lines
-- cut into chunks, tiles, packs with tails, every kind of broadcast; and random numbers, whose bits are the
-- CPU's.
local kiln = require "spec.support.emulator"
local ffi = require "ffi"
local C = require("kiln.ffi").C
local wrap = require("kiln.handles").wrap
local rows = require "spec.support.rows"

local TOLERANCE = { float64 = 1e-11, float32 = 2e-5, float16 = 2e-3, bfloat16 = 2e-2 }

-- f gives on the device what it gives on the CPU; x is the only argument.
local function agrees(name, f, x)
  local here, there = { f(x) }, { f(x:to "cuda") }
  for i, expected in ipairs(here) do
    local got = there[i]
    assert.equal("cuda:1", got.device)
    assert.equal(expected.dtype, got.dtype)
    assert.same(expected.shape, got.shape)
    local text = ("%s of %s %s, result %d"):format(name, tostring(x.shape), tostring(x.dtype), i)
    local tol = TOLERANCE[tostring(expected.dtype):match "%w+$"]
    if tol then
      assert.is_true(kiln.allclose(got:cpu():double(), expected:double(), tol, tol), text)
    else
      assert.is_true(kiln.equal(got:cpu(), expected), text)
    end
  end
end

local function call(name, ...)
  local args, n = { ... }, select("#", ...)
  return function(x) return kiln[name](x, unpack(args, 1, n)) end
end

describe("kernels", function()
  before_each(function()
    rows.count()
    kiln.manual_seed(1)
  end)
  after_each(rows.recount)

  it("reduce many elements to few, and few to many", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16" } do
      for _, shape in ipairs { { 9000 }, { 3, 5000 }, { 5000, 3 }, { 7, 90, 11 } } do
        local x = kiln.rand(shape):to(dtype)
        for _, v in ipairs { x, x:transpose(1, -1) } do
          for dim = 1, v:dim() do
            for _, name in ipairs { "mean", "var", "amax", "logsumexp" } do
              agrees(name, call(name, { dim }), v)
            end
            agrees("argmin", call("argmin", dim), v)
          end
          for _, p in ipairs { 0, 1, 3, math.huge, -math.huge } do agrees("norm", call("norm", p), v) end
          agrees("std", call("std"), v)
        end
      end
    end
  end)

  it("reduce integers exactly, and empty dims to what nothing amounts to", function()
    for _, dtype in ipairs { "int64", "int32", "int16", "int8", "uint8", "bool" } do
      local x = (kiln.rand(40, 300) * 100):to(dtype)
      for _, name in ipairs { "sum", "prod", "amax", "any", "all", "count_nonzero" } do
        agrees(name, call(name, { 2 }), x)
        agrees(name, call(name, { 1 }), x)
        agrees(name, call(name), x)
      end
      agrees("max", call("max", 1), x)
    end
    for _, name in ipairs { "sum", "prod", "mean", "norm", "any", "all" } do
      local f = call(name)
      assert.equal(tostring(f(kiln.zeros(0))), tostring(f(kiln.zeros(0):to "cuda"):cpu()))
    end
    agrees("sum", call("sum", { 2 }), kiln.zeros(3, 0))
  end)

  it("sum small integers as they are, without a copy that is wider", function()
    local x = kiln.ones({ 100000 }, { dtype = kiln.int8, device = "cuda" })
    for _, name in ipairs { "sum", "prod" } do
      kiln.cuda.reset_peak_memory_stats()
      local before = kiln.cuda.memory_allocated()
      assert.equal(name == "sum" and 100000 or 1, tonumber(x[name](x):item()))
      assert.is_true(kiln.cuda.max_memory_allocated() - before < 100000, name)
    end
  end)

  it("find the variance of large numbers that lie close, and beside one that does not", function()
    for _, n in ipairs { 3, 1000, 70000 } do
      for _, outlier in ipairs { 0, 1e5 } do
        local x = (kiln.randn({ n }, { dtype = kiln.float64 }) + 1e6):float()
        x:select(1, 1):add_(outlier)
        local lines = x:view(-1, 1):expand(-1, 3)
        local expected = x:double():var():item()
        for _, got in ipairs { x:to("cuda"):var(), lines:to("cuda"):std(1)[2]:square() } do
          assert.near(1, got:item() / expected, 2e-6)
        end
      end
    end
  end)

  it("write by position in place without a copy, and nothing where a position is out of range", function()
    local function positions(list) return kiln.tensor(list, { dtype = "int64", device = "cuda" }) end
    local x = kiln.rand(500, 64):to "cuda"
    local function values() return kiln.rand(2, 64):to "cuda" end
    local bytes = x:numel() * x:element_size()
    for name, write in pairs {
      index_add = function(i) x:index_add_(1, i, values()) end,
      index_copy = function(i) x:index_copy_(1, i, values()) end,
      index_fill = function(i) x:index_fill_(1, i, 5) end,
      index_put = function(i) x[{ i }] = values() end,
      put = function(i) x:put_(i, values()[1]:narrow(1, 1, 2)) end,
      scatter = function(i) x:scatter_(1, i:unsqueeze(2):expand(2, 64), values()) end,
      scatter_add = function(i) x:scatter_add_(1, i:unsqueeze(2):expand(2, 64), values()) end,
    } do
      local before, live = x:clone(), kiln.cuda.memory_allocated()
      kiln.cuda.reset_peak_memory_stats()
      write(positions { 3, 500 })
      assert.is_true(kiln.cuda.max_memory_allocated() - live < bytes, name)
      assert.is_false(kiln.equal(x, before), name)
      before:copy_(x)
      write(positions { 3, 32001 })
      local ok, why = pcall(kiln.cuda.synchronize)
      assert.is_false(ok, name)
      assert.is_truthy(tostring(why):find "32001 at position %[2", why)
      assert.is_true(kiln.equal(x, before), name)
    end
  end)

  it("take what is rare: no inner dim, no batch, a bias that is spread, more rows than blocks", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      agrees("addmm", function(c)
        return kiln.addmm(c, kiln.zeros({ 2, 0 }, { dtype = dtype, device = c.device }),
          kiln.zeros({ 0, 3 }, { dtype = dtype, device = c.device }))
      end, kiln.rand(2, 3):to(dtype))
      agrees("conv2d", function(bias)
        return kiln.conv2d(kiln.zeros({ 1, 0, 3, 3 }, { dtype = dtype, device = bias.device }),
          kiln.zeros({ 2, 0, 1, 1 }, { dtype = dtype, device = bias.device }), bias)
      end, kiln.rand(2):to(dtype))
    end
    agrees("addbmm", function(c)
      local on = { device = c.device }
      return kiln.addbmm(c, kiln.zeros({ 0, 2, 3 }, on), kiln.zeros({ 0, 3, 4 }, on))
    end, kiln.rand(2, 4))
    agrees("linear", function(x)
      local bias = kiln.ones({ 1 }, { device = x.device }):expand(5)
      return kiln.linear(x, kiln.ones({ 5, 3 }, { device = x.device }), bias)
    end, kiln.rand(4, 3))
    agrees("matmul", function(x)
      return x:matmul(kiln.zeros({ 0, 1 }, { dtype = "int8", device = x.device }))
    end, kiln.zeros({ 65535 * 16 + 1, 0 }, { dtype = "int8" }))
    agrees("bernoulli", function(p)
      kiln.manual_seed(1)
      return kiln.bernoulli(p)
    end, kiln.tensor(0.5))
  end)

  it("write and differentiate what lies in odd places", function()
    agrees("a window of one element", function(x)
      return kiln.conv2d(x, kiln.ones({ 2, 3, 1, 1 }, { device = x.device }))
    end, kiln.rand(2, 3, 4, 4))
    local function int64s(...) return ffi.new("int64_t[?]", select("#", ...), ...) end
    agrees("slice_set", function(x) -- of a base whose columns lie one after the other
      local value = kiln.full({ 2 }, 7, { device = x.device })
      return wrap(C.kiln_slice_set(x.p, value.p, int64s(2), 1, int64s(1), 1, int64s(3, 4), 2, int64s(1, 3), 2,
        4))
    end, kiln.rand(3, 4))
    agrees("as_strided", function(x)
      x = x:detach():requires_grad_()
      x:as_strided({ 0, 2 }, { 1, 1 }, 0):sum():backward()
      return x.grad
    end, kiln.rand(4))
    for _, dtype in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
      agrees("index_fill", function(x)
        local on = { dtype = dtype, device = x.device }
        return x:index_fill(1, kiln.tensor({ 2 }, { dtype = "int64", device = x.device }), kiln.tensor(3, on))
      end, kiln.rand(4, 2))
    end
    local x = kiln.rand(1, 1, 6, 6):to "cuda"
    for bad, text in pairs { [2] = "2", [-1] = "-1", [1] = "1", [1 / 0] = "inf" } do
      local samples = kiln.tensor({ { { 0, bad } } }, { device = "cuda" })
      local ok, why = pcall(function()
        return kiln.fractional_max_pool2d(x, 2, 3, nil, false, samples):cpu()
      end)
      assert.is_false(ok)
      assert.is_truthy(tostring(why):find(text .. " at position [1, 1, 2] is out of range", 1, true), why)
    end
  end)

  it("count, choose and check on odd dtypes and shapes", function()
    for _, dtype in ipairs { "int8", "uint8", "int16", "int32", "int64" } do
      agrees("histc", call("histc", { bins = 7, min = 1, max = 90 }), (kiln.rand(300) * 100):to(dtype))
    end
    agrees("topk", call("topk", 5, 2, true, false), kiln.rand(3, 40))
    agrees("layer_norm", call("layer_norm", { 100 }), kiln.rand(3, 100))
    agrees("multilabel_margin_loss", function(x)
      local target = kiln.tensor({ { 2, 0, 1 }, { 1, 3, 0 } }, { dtype = "int64", device = x.device })
      return kiln.nn.functional.multilabel_margin_loss(x, target)
    end, kiln.rand(2, 3))
    agrees("cumsum", call("cumsum", 2), kiln.rand(130, 8193):double())
  end)

  it("of equal elements find the first, and a NaN before all", function()
    local x = kiln.zeros(4000)
    agrees("argmax", call("argmax"), x)
    x[700], x[2900] = 3, 3
    agrees("argmax", call("argmax"), x)
    x[{ { 3100, 3200 } }] = 0 / 0
    agrees("argmax", call("argmax"), x)
    agrees("argmin", call("argmin"), x)
  end)

  it("scan long lines in chunks and short ones side by side", function()
    for _, dtype in ipairs { "float64", "float16", "int64" } do
      for _, shape in ipairs { { 20000 }, { 3, 9000 }, { 9000, 3 }, { 3, 2, 5000 }, { 5000, 4, 1 } } do
        local x = (kiln.rand(shape) * 3):to(dtype)
        for dim = 1, x:dim() do
          agrees("cumsum", call("cumsum", dim, true), x)
          agrees("cummax", call("cummax", dim), x)
          agrees("cummin", call("cummin", dim), x)
          if dtype == "float64" then agrees("logcumsumexp", call("logcumsumexp", dim), x) end
        end
      end
    end
    local zeros = kiln.rand(4, 6):double()
    zeros[1][2], zeros[2][1], zeros[3][3], zeros[3][5] = 0, 0, 0, 0
    local function cumprod_dx(x)
      local grads = {}
      for dim = 1, x:dim() do
        local leaf = x:detach():requires_grad_()
        local y = leaf:cumprod(dim)
        local g = kiln.linspace(-1, 1, x:numel(), { dtype = x.dtype, device = x.device }):view(x.shape)
        grads[dim] = kiln.autograd.grad(y, leaf, { grad_outputs = g })[1]
      end
      return unpack(grads)
    end
    agrees("cumprod_dx", cumprod_dx, zeros)
    -- Lines longer than a block and than a chunk; products of about 1, zeros in some lines.
    for _, dtype in ipairs { "float32", "float64" } do
      local long = (1 + kiln.randn(5, 4500) * 1e-3):to(dtype)
      long[2][1], long[3][4097], long[4][700], long[4][701], long[5][-1] = 0, 0, 0, 0, 0
      agrees("cumprod_dx", cumprod_dx, long[1])
      agrees("cumprod_dx", cumprod_dx, dtype == "float32" and long or long:t())
    end
    local many = kiln.rand(3, 5000):double()
    agrees("cumprod", call("cumprod", 1), many)
    agrees("cumsum", call("cumsum", 1), many)
  end)

  it("take softmax of lines longer than a block, along any dim", function()
    for _, dtype in ipairs { "float64", "float16" } do
      for _, shape in ipairs { { 2, 1500 }, { 1500, 2 }, { 300, 5 }, { 4, 33, 40 } } do
        local x = kiln.randn(shape):to(dtype)
        for dim = 1, x:dim() do
          agrees("softmax", call("softmax", dim), x)
          agrees("log_softmax", call("log_softmax", dim), x)
        end
      end
    end
  end)

  it("take cross entropies of large logits, and back", function()
    local F = kiln.nn.functional
    local function both(options)
      return function(x)
        local logits = x:detach():requires_grad_()
        local target = kiln.arange(1, x:size(1) + 1, { dtype = kiln.int64 }):remainder(x:size(2)):add(1)
        local loss = F.cross_entropy(logits, target:to(x.device), options)
        loss:backward()
        return loss, logits.grad
      end
    end
    for _, dtype in ipairs { "float32", "float64" } do
      for _, shift in ipairs { 0, 1000, -1000 } do
        local x = (kiln.randn(7, 45):to(dtype) + shift)
        agrees("cross_entropy", both {}, x)
        agrees("cross_entropy", both { label_smoothing = 0.1 }, x)
        agrees("log_softmax", call("log_softmax", 2), x)
      end
    end
  end)

  it("attend in parts: batches, and queries of one, forward and back", function()
    for _, case in ipairs { { 3, 60 }, { 3, 70 }, { 3, 500 }, { 45, 9 } } do
      local batches, keys = case[1], case[2]
      for _, causal in ipairs { false, true } do
        agrees("attention", function(x)
          local q, k, v = x:narrow(2, 1, math.min(keys, 60)):clone(), x:clone(), x:narrow(3, 2, 3):clone()
          local y = kiln.attention(q:requires_grad_(), k:requires_grad_(), v:requires_grad_(), 0.5, causal)
          return y, kiln.autograd.grad({ y:sin():sum() }, { q, k, v })
        end, kiln.randn(batches, keys, 4))
      end
    end
  end)

  it("copy, cast and join in any order of dims", function()
    for _, dtype in ipairs { "float64", "float32", "bfloat16", "uint8", "bool" } do
      local x = (kiln.rand(45, 3, 70) * 2):to(dtype)
      for _, f in ipairs {
        function(v) return v:transpose(1, 3):clone() end,
        function(v) return v:permute(2, 3, 1):clone() end,
        function(v) return v:narrow(3, 5, 60):transpose(1, 2):clone() end,
        function(v) return v:narrow(1, 1, 1):expand(9, 3, 70):clone() end,
        function(v) return v:transpose(1, 3):to "float32", v:transpose(2, 3):to "int16" end,
        function(v) return kiln.cat({ v, v:narrow(2, 2, 1) }, 2) end,
        function(v)
          local y = v:clone()
          y:transpose(1, 3):narrow(1, 2, 30):fill_(1)
          y:narrow(2, 1, 2):copy_(v:narrow(2, 2, 2))
          return y
        end,
      } do agrees("copy", f, x) end
    end
  end)

  it("add what overlapping views received, in any arrangement", function()
    local weight = kiln.rand(30, 5, 7)
    for _, dtype in ipairs { "float64", "float16" } do
      for _, stride in ipairs { { 1, 1, 0 }, { 2, 1, 10 }, { 0, 0, 1 }, { 1, 0, 40 } } do
        agrees("as_strided", function(x)
          x = x:detach():requires_grad_()
          local y = x:as_strided({ 30, 5, 7 }, stride, 2)
          y:backward(weight:to(x.device):to(x.dtype))
          return x.grad
        end, kiln.zeros(300, { dtype = dtype }))
      end
    end
  end)

  it("write into views of what has a history, whatever its strides", function()
    local function written(base)
      return function(x)
        x = x:detach():requires_grad_()
        local y = base(x * 2)
        y:narrow(1, 2, 3):mul_(3)
        y:select(2, 1):copy_(y:select(2, 2))
        local part = y:narrow(2, 1, 2)
        part:add_(1);
        (y * y + part:sum()):sum():backward()
        return y:detach(), x.grad
      end
    end
    local x = kiln.rand(6, 5):double()
    agrees("slice_set", written(function(v) return v end), x)
    agrees("slice_set", written(function(v) return v:t() end), x)
    agrees("slice_set", written(function(v) return v:narrow(2, 2, 4) end), x)
  end)

  it("compute elementwise with every kind of broadcast and tail", function()
    for _, dtype in ipairs { "float64", "float32", "float16", "bfloat16", "int32" } do
      local x = (kiln.rand(7, 5, 301) * 4 + 1):to(dtype)
      for _, f in ipairs {
        function(v) return v + v:narrow(1, 2, 1) end,
        function(v) return v * v:narrow(3, 2, 1) end,
        function(v) return v - v:narrow(2, 2, 1) end,
        function(v) return v:maximum(v:narrow(1, 2, 1):narrow(3, 9, 1)) end,
        function(v) return v:minimum(v:narrow(2, 2, 1):narrow(1, 3, 1):narrow(3, 1, 1)) end,
        function(v) return v:narrow(3, 2, 299) + v:narrow(3, 1, 1):narrow(1, 1, 1) end,
        function(v) return v:transpose(1, 3) + v:transpose(1, 3):narrow(1, 4, 1) end,
        function(v) return v:transpose(1, 3):clone() * v:transpose(1, 3) end,
        function(v) return v:gt(2), v:narrow(3, 2, 299):le(v:narrow(3, 1, 299)) end,
        function(v)
          local y = v:clone()
          y:transpose(1, 3):mul_(2)
          y:narrow(3, 3, 290):add_(v:narrow(3, 1, 1))
          return y
        end,
      } do agrees("pointwise", f, x) end
    end
    local x = kiln.rand(1001) + 0.5
    for _, p in ipairs { 2, 0.5, -1, 3 } do agrees("pow", call("pow", p), x) end
    agrees("pow", function(v) return v:pow(v:narrow(1, 1, 1)) end, x)
    agrees("lerp", function(v) return kiln.lerp(v, v * 2, v - 1) end, x)
  end)

  -- -- Random numbers ------------------------------------------------------------------------------

  -- Both generators stand at the same place, so f(device) must give the same bits.
  local function same_bits(name, f)
    kiln.manual_seed(7)
    local here = f "cpu"
    kiln.manual_seed(7)
    local there = f "cuda"
    assert.is_true(there.device ~= "cpu" and kiln.equal(here, there:cpu()), name)
  end

  local METHODS = {
    uniform_ = { -1, 2 }, normal_ = { 1, 2 }, log_normal_ = { 1, 0.5 }, exponential_ = { 1.5 },
    cauchy_ = { 0, 1 }, geometric_ = { 0.3 }, bernoulli_ = { 0.3 }, random_ = { 0, 90 },
  }

  it("draw the CPU's numbers", function()
    for _, n in ipairs { 1, 33, 64, 1000 } do
      for name, arguments in pairs(METHODS) do
        for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int32", "uint8" } do
          local is_float = dtype:match "float"
          if is_float or name == "random_" or name == "bernoulli_" or name == "geometric_" then
            same_bits(name .. dtype .. n, function(device)
              return kiln.empty(n, { dtype = dtype, device = device })[name](
                kiln.empty(n, { dtype = dtype, device = device }), unpack(arguments))
            end)
          end
        end
      end
      for _, dtype in ipairs { "float32", "float64" } do
        local options = { dtype = dtype }
        for _, name in ipairs { "poisson", "standard_gamma" } do
          same_bits(name, function(device)
            return kiln[name]((kiln.arange(1, n, options) / 7):to(device))
          end)
        end
        same_bits("dropout", function(device)
          return kiln.dropout(kiln.ones(n, { dtype = dtype, device = device }), 0.3)
        end)
      end
    end
  end)

  it("toss coins by probabilities of any shape", function()
    for _, dtype in ipairs { "float32", "bool", "int64" } do
      for _, p in ipairs { kiln.linspace(0, 1, 300), kiln.full({}, 0.37), kiln.rand(5, 1) } do
        same_bits("bernoulli", function(device)
          return kiln.zeros({ 5, 300 }, { dtype = dtype, device = device }):bernoulli_(p:to(device))
        end)
      end
    end
  end)

  it("give what was drawn the CPU's gradients", function()
    for _, dtype in ipairs { "float32", "float64" } do
      for _, f in ipairs {
        function(x) return kiln.dropout(x, 0.3) end,
        function(x) return kiln.standard_gamma(x) end,
      } do
        same_bits("gradient", function(device)
          local x = (kiln.arange(1, 90, { dtype = dtype }) / 7):to(device):requires_grad_()
          f(x):sum():backward()
          return x.grad
        end)
      end
    end
  end)

  it("come from a generator of its own where they are drawn", function()
    local g = kiln.Generator():manual_seed(3)
    local here = kiln.rand(4, { generator = g })
    local state = g:get_state()
    g:manual_seed(3)
    local there = kiln.get_rng_state()
    kiln.cuda.manual_seed(8)
    local devices = kiln.cuda.get_rng_state()
    assert.same(here:tolist(), kiln.rand(4, { generator = g, device = "cuda" }):tolist())
    assert.same(state:tolist(), g:get_state():tolist())
    assert.same(devices:tolist(), kiln.cuda.get_rng_state():tolist())
    assert.same(there:tolist(), kiln.get_rng_state():tolist())
    local ok, why = pcall(kiln.rand, 4, { generator = kiln.Generator "cpu", device = "cuda" })
    assert.is_false(ok)
    assert.is_truthy(why:find("rand: the generator is for cpu, the tensor would be on cuda:1", 1, true), why)
  end)

  it("draw no weight of 0, however long the row and whatever is rounded", function()
    local weights = kiln.rand(3, 20000):double()
    local zero = kiln.bernoulli(kiln.full(weights.shape, 0.7)):bool()
    zero:narrow(2, 1, 100):fill_(true) -- whole chunks, too
    zero:narrow(2, 19000, 1000):fill_(true)
    weights:masked_fill_(zero, 0)
    local drawn = kiln.multinomial(weights:to "cuda", 20000, true):cpu()
    assert.is_false(zero:gather(2, drawn):any():item())
    local mean = drawn:double():mean():item()
    assert.near((weights:sum(1) * kiln.arange(1, 20001)):sum():item() / weights:sum():item(), mean, 60)
  end)

  it("shuffle, and draw by weight", function()
    for _, dtype in ipairs { "int64", "float32", "float16", "int16" } do
      for _, n in ipairs { 0, 1, 2, 3, 1000, dtype == "float16" and 2048 or 20000 } do
        same_bits("randperm", function(device)
          return kiln.randperm(n, { dtype = dtype, device = device })
        end)
      end
    end
    for _, dtype in ipairs { "float32", "float64", "float16", "int64" } do
      for _, shape in ipairs { { 5 }, { 3, 40 }, { 300, 40 }, { 2, 700 } } do
        local w = (kiln.rand(shape) * 10):to(dtype)
        w:narrow(-1, 1, 1):zero_()
        same_bits("with replacement", function(device)
          return kiln.multinomial(w:to(device), 50, { replacement = true })
        end)
        same_bits("without", function(device) return kiln.multinomial(w:to(device), 3) end)
        same_bits("all", function(device)
          return kiln.multinomial((w + 1):to(device), shape[#shape])
        end)
      end
    end
  end)

  it("say what is wrong with probabilities, rates and weights when they are waited for", function()
    local function refused(parts, f)
      local ok, message = pcall(function() return f():cpu() end)
      assert.is_false(ok)
      for _, part in ipairs(parts) do assert.is_truthy(tostring(message):find(part, 1, true), message) end
    end
    local function on(values) return kiln.tensor(values, { device = "cuda" }) end
    refused({ "bernoulli", "p 1.5 at position [2]", "0..1" }, function()
      return kiln.bernoulli(on { 1, 1.5, 0 })
    end)
    refused({ "bernoulli", "0..1", "nan" }, function() return on({ 1 }):bernoulli_(0 / 0) end)
    refused({ "poisson", "rate -0.5 at position [2]" }, function() return kiln.poisson(on { 1, -0.5 }) end)
    refused({ "multinomial", "weight -2 at position [1, 2]", "finite" }, function()
      return kiln.multinomial(on { { 1, -2, 3 } }, 1)
    end)
    refused({ "multinomial", "weights above 0", "2 at position [1]", "3..3" }, function()
      return kiln.multinomial(on { 1, 0, 3 }, 3)
    end)
    refused({ "multinomial", "weights above 0", "0 at position [1]" }, function()
      return kiln.multinomial(on { 0, 0 }, 1, { replacement = true })
    end)
    assert.same({ 1, 1 }, kiln.ones(2, { device = "cuda" }):tolist())
  end)
end)
