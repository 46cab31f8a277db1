--- What is asked of kiln that it cannot give: sizes no memory holds, memory pulled away under a callback,
-- Ctrl-C in a loop; and that the error names the function that was called.
local ffi = require "ffi"
local kiln = require "kiln"
local C = require("kiln.ffi").C
local support = require "spec.support"
local near, raises = support.near, support.raises
local F = kiln.nn.functional

local HUGE = 2 ^ 45

describe("libkiln", function()
  it("leaves other libraries room among what every thread has at its start", function()
    local elf = require "spec.support.read"(require("kiln.ffi").path)
    local function number(kind, at)
      return tonumber(ffi.cast("const " .. kind .. " *", elf:sub(at + 1, at + 8))[0])
    end
    local TLS = 7 -- the kind of segment: thread-local memory, of which a program has 1664 bytes to spare
    for i = 0, number("uint16_t", 0x38) - 1 do
      local at = number("uint64_t", 0x20) + i * number("uint16_t", 0x36)
      if number("uint32_t", at) == TLS then assert.is_true(number("uint64_t", at + 0x28) < 1024) end
    end
  end)
end)

describe("what is checked before anything is written", function()
  it("is running statistics", function()
    local x, mean = kiln.randn(2, 3, 4), kiln.zeros(3)
    raises({ "batch_norm", "running_var", "[3]", "[4]" }, F.batch_norm, x, mean, kiln.zeros(4), nil, nil,
      true)
    raises({ "instance_norm", "running_var", "int64" }, F.instance_norm, x, mean,
      kiln.zeros(3, { dtype = kiln.int64 }))
    raises({ "instance_norm", "weight", "[5]" }, F.instance_norm, x, mean, kiln.ones(3), kiln.ones(5))
    raises({ "running_mean", "share memory" }, F.batch_norm, x, kiln.zeros(1):expand(3), kiln.ones(3), nil,
      nil, true)
    near({ 0, 0, 0 }, mean)
  end)

  it("is a share of zeros, the memory of a loop, a list of sizes", function()
    local x, sizes = kiln.ones(3, 3), { 5LL, -1 }
    raises({ "sparse", "from 0 to 1", "2" }, kiln.nn.init.sparse_, x, 2)
    near({ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }, x)
    raises({ "apply_", "share memory" }, function() kiln.ones(3):expand(4, 3):apply_(math.sin) end)
    raises({ "resize_", "-1" }, function() kiln.ones(3):resize_(sizes) end)
    assert.equals("cdata", type(sizes[1]))
  end)
end)

describe("an optimizer", function()
  it("keeps what it made inside a scope", function()
    for _, name in ipairs { "SGD", "Adam", "RMSprop", "Rprop" } do
      local layer = kiln.nn.Linear(2, 2)
      local options = name == "SGD" and { lr = 0.1, momentum = 0.9 } or {}
      local optimizer = kiln.optim[name](layer:parameters(), options)
      for _ = 1, 2 do
        kiln.scope(function()
          layer(kiln.ones(1, 2)):sum():backward()
          optimizer:step()
        end)
      end
      optimizer:step()
    end
  end)
end)

describe("sizes", function()
  it("that no memory holds are refused by the function that was called", function()
    local x, wide = kiln.ones(2, 3), kiln.ones(1):expand(HUGE)
    for name, call in pairs {
      rand = function() return kiln.rand(HUGE) end,
      zeros = function() return kiln.zeros(HUGE) end,
      full = function() return kiln.full({ HUGE }, 1) end,
      randint = function() return kiln.randint(0, 5, { HUGE }) end,
      rand_like = function() return kiln.rand_like(wide) end,
      new_zeros = function() return x:new_zeros(HUGE) end,
      eye = function() return kiln.eye(2 ^ 30) end,
      arange = function() return kiln.arange(HUGE) end,
      exp = function() return wide:exp() end,
      clone = function() return wide:clone() end,
      expand = function() return kiln.ones(1, 1):expand(2 ^ 40, 2 ^ 40) end,
      as_strided = function() return x:as_strided({ 2 ^ 40, 2 ^ 40 }, { 0, 0 }, 0) end,
      resize_ = function() return x:resize_(HUGE) end,
      Embedding = function() return kiln.nn.Embedding(HUGE, 2) end,
      one_hot = function() return F.one_hot(kiln.tensor { 1LL }, HUGE) end,
      bincount = function() return kiln.bincount(kiln.tensor { 1LL }, nil, HUGE) end,
      tril_indices = function() return kiln.tril_indices(2 ^ 30, 2 ^ 30) end,
      histc = function() return kiln.histc(x, HUGE) end,
      repeat_interleave = function() return x:repeat_interleave(HUGE) end,
    } do
      raises("kiln: " .. name .. ": ", call)
    end
    assert.equals("[2, 3]", tostring(x.shape))
  end)

  it("are looked at before anything is listed or computed", function()
    local x = kiln.ones(1, 1, 4, 4)
    for _, v in ipairs { 1e12, math.huge, -math.huge, 0 / 0, 0, -1, 1e-9, "2" } do
      raises({ "kiln: interpolate: scale_factor" }, F.interpolate, x, { scale_factor = v })
    end
    for _, mode in ipairs { "nearest", "bilinear", "bicubic", "area" } do
      raises({ "kiln: interpolate: size asks for a result of shape [1, 1, 10000000000, 10000000000]" },
        F.interpolate, x, { size = 1e10, mode = mode })
    end
    raises({ "interpolate", "size must be a whole number", "2.5" }, F.interpolate, x, { size = 2.5 })
    raises("kiln: unfold: kernel_size with padding asks for a result", F.unfold, x, 2, { padding = 2 ^ 30 })
    raises("kiln: unfold: padding[1] must be from 0 to 2^31 - 1", F.unfold, x, 2, { padding = 2 ^ 50 })
    raises({ "kiln: unfold: stride[1] must be from 1" }, F.unfold, x, 2, { stride = 0 })
    raises({ "kiln: unfold: dilation[2] must be from 1" }, F.unfold, x, 2, { dilation = { 1, -1 } })
    raises({ "kiln: fold: output_size[1] must be from 1" }, F.fold, kiln.ones(1, 4, 9), 2 ^ 40, 2)
    raises({ "kiln: fold: kernel_size[1] must be from 1" }, F.fold, kiln.ones(1, 4, 9), 4, 0)
    raises({ "kiln: pad: pad[1] asks for a result" }, F.pad, x, { 2 ^ 50, 0 }, "replicate")
    local theta = kiln.ones(1, 2, 3)
    raises({ "kiln: affine_grid: size asks for a result" }, F.affine_grid, theta, { 1, 1, 1e9, 1e9 })
    raises({ "kiln: affine_grid: size[3] must be a whole number, got the string 'a'" }, F.affine_grid, theta,
      { 1, 1, "a", 3 })
    raises({ "kiln: affine_grid: size[4] must not be negative" }, F.affine_grid, theta, { 1, 1, 3, -3 })
  end)

  it("of padded sequences and grids are those of the result", function()
    local rnn = kiln.nn.utils.rnn
    local packed = rnn.pack_padded_sequence(kiln.arange(12):view(3, 2, 2), { 3, 1 })
    raises("kiln: pad_packed_sequence: total_length asks for a result", rnn.pad_packed_sequence, packed,
      { total_length = HUGE })
    local x = rnn.pad_packed_sequence(packed, { total_length = 5, padding_value = -1 })
    near({ 0, 1, 2, 3, 4, 5, -1, -1, 8, 9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 }, x)
    local images = kiln.ones(2, 1, 3, 3)
    raises("kiln: make_grid: padding asks for a result", kiln.vision.make_grid, images, { padding = 2 ^ 40 })
    raises("kiln: make_grid: padding must not be negative", kiln.vision.make_grid, images, { padding = -9 })
    raises("kiln: make_grid: images must be", kiln.vision.make_grid, kiln.ones(0, 1, 3, 3))
  end)

  it("have two ends where they have two", function()
    local x, w = kiln.ones(1, 1, 4), kiln.ones(1, 1, 2)
    raises({ "stride must be from 1 to 2147483647, got 1099511627776" }, F.conv1d, x, w, nil, 2 ^ 40)
    raises({ "stride must be from 1 to 2147483647, got 0" }, F.conv1d, x, w, nil, 0)
    local row, index = x:view(4), kiln.tensor { -9LL }
    raises("kiln: put_: index -9 at position [1] is out of range 1..4", row.put_, row, index, x:sum())
    raises({ "kiln: rand: size[1] must not be negative, got -1" }, kiln.rand, -1)
    raises({ "kiln: zeros: size[1] must lie between -2^53 and 2^53" }, kiln.zeros, 2 ^ 60)
  end)

  it("do not wrap around where they are multiplied", function()
    local wide = kiln.ones(1, 1, 1):expand(1, 1, 2 ^ 34 + 1)
    raises({ "conv_transpose1d: ", "dim 3 of x is 17179869185, the most is 1073741824" }, F.conv_transpose1d,
      wide, kiln.ones(1, 1, 1), nil, 2 ^ 30)
    raises({ "conv1d: ", "the kernel is too large: weight's shape is [1, 1, 17179869185]" }, F.conv1d,
      kiln.ones(1, 1, 4), wide)
    local lists = {}
    for i = 1, 4096 do lists[i] = lists[1] or kiln.ones(1):expand(2 ^ 52) end
    raises("kiln: cat: the sizes of dim 1 add up to more than 2^63", kiln.cat, lists)
    local none = kiln.ones(0, 2 ^ 52 + 1, 3)
    raises("channels are too many", F.conv_transpose1d, kiln.ones(1, 0, 4), none, nil, 1, 0, 0, 2 ^ 12)
    local x = kiln.arange(12):view(4, 3)
    near({ { 0, 1, 2 } }, x[{ { 1, 4, 2 ^ 52 } }])
    assert.equals("[1, 3, 2]", tostring(x:unfold(1, 2, 2 ^ 52).shape))
  end)

  it("of a window count only where it lies over something", function()
    local x, all = kiln.randn(1, 2, 7, 7):requires_grad_(), { kernel_size = 2 ^ 31 - 1, ceil_mode = true }
    assert.is_true(kiln.equal(x:amax({ 3, 4 }, true), F.max_pool2d(x, all)))
    local mean = F.avg_pool2d(x, all)
    near(x:mean({ 3, 4 }, true):tolist(), mean)
    mean:sum():backward()
    near(kiln.full({ 1, 2, 7, 7 }, 1 / 49):tolist(), x.grad)
    local n, stride, padding = 2 ^ 30, { 1 }, { 2 ^ 29 }
    assert.equals("[1, 2, 8, 8]", tostring(kiln.max_pool(x, { n, n }, stride, padding, { 1 }).shape))
    local one = kiln.ones({ 1, 1, 1 }, { dtype = kiln.int64 })
    assert.equals(0, kiln.avg_pool(one, { n, n, n }, stride, padding):sum():item())
  end)

  it("count results of a call, of which Lua holds only so many", function()
    local x = kiln.ones(100000)
    raises({ "kiln: unbind: 100000 parts are more than" }, x.unbind, x)
    raises({ "kiln: split: 100000 parts are more than" }, x.split, x, 1)
    raises({ "kiln: chunk: 1000000000 parts are more than" }, x.chunk, kiln.ones(0), 1e9)
    assert.equals(7000, select("#", kiln.ones(7000):unbind()))
  end)

  it("of samplers are counted in tensors", function()
    local data = kiln.utils.data
    raises({ "SequentialSampler", "must not be negative, got -1" }, data.SequentialSampler, -1)
    raises({ "SequentialSampler", "whole number" }, data.SequentialSampler, 0 / 0)
    local Odd = data.Dataset:extend "Odd"
    function Odd:init(n) self.n = n end
    function Odd:len() return self.n end
    for _, n in ipairs { -5, 0 / 0, math.huge, 2.5, "5" } do
      raises("SequentialSampler: the length of the dataset must", data.DataLoader, Odd(n))
    end
    local far = data.DistributedSampler(HUGE, 1, 0, false)
    raises("kiln: ", far.positions, far)
    near({ 2, 4, 1 }, data.DistributedSampler(5, 2, 1, false):positions())
  end)

  it("that add up beyond int64 do not wrap around", function()
    local x, most = kiln.ones(2), 9223372036854775807LL
    raises("kiln: repeat_interleave: repeats add up to", x.repeat_interleave, x, kiln.tensor { most, 3LL })
    raises("kiln: repeat_interleave: repeats must not be negative, the smallest is -1", function()
      return x:repeat_interleave(kiln.tensor { -1LL, 3LL })
    end)
    near({ 1, 1, 1, 1, 1 }, x:repeat_interleave(kiln.tensor { 2LL, 3LL }))
  end)
end)

describe("figures", function()
  local plot = kiln.utils.plot

  it("have a size and axes that can be drawn", function()
    raises("kiln: plot.line: a figure of 1000000000 x 400 pixels is not possible", plot.line, { 1, 2 },
      { width = 1e9 })
    raises("kiln: plot.images: a figure of 2000000004 x", plot.images, kiln.ones(1, 2, 2), { zoom = 1e9 })
    raises("kiln: plot.line: xlim goes from -inf to inf", plot.line, { 1, 2 },
      { xlim = { -math.huge, math.huge } })
    raises("kiln: plot.line: ylim goes from 0 to 1e+308", plot.line, { 1, 2 }, { ylim = { 0, 1e308 } })
    local narrow_and_wide = { { 2 ^ 53, 2 ^ 53 + 2 }, { 1, 1 + 2 ^ -52 }, { 0, 5e-324 }, { -4e307, 4e307 } }
    for _, limits in ipairs(narrow_and_wide) do
      assert.is_true(#plot.line({ 1, 2 }, { xlim = limits, ylim = limits }):svg() > 0)
    end
    for _, v in ipairs { 1e308, -1e308, 1e300, 5e-324, 2 ^ 53 } do
      assert.is_true(#plot.line({ v, v, -v, 0 / 0 }):png() > 0)
      assert.is_true(#plot.scatter({ x = { v, v }, y = { v, v } }):svg() > 0)
    end
  end)
end)

describe("uninitialised bools", function()
  it("are bools", function()
    for _ = 1, 3 do kiln.full({ 1000 }, 77, { dtype = kiln.uint8 }):free() end
    local function check(x)
      for _, v in ipairs(x:tolist()) do assert.is_boolean(v) end
      assert.equals(x:long():sum():item(), x:sum():item())
      assert.equals(x:sum():item(), x:nonzero():size(1))
      return x
    end
    local bool = { dtype = kiln.bool }
    check(kiln.empty(1000, bool))
    check(kiln.empty_like(kiln.ones(1000), bool))
    check(kiln.ones(1, bool):resize_(1000))
    check(kiln.ones(1, bool):storage():resize_(1000):tensor())
    assert.equals(2, check(kiln.from_string("\77\0\1\0", { 4 }, "bool")):sum():item())
  end)
end)

describe("histc", function()
  local function counts(list, ...) return kiln.histc(kiln.tensor(list, { dtype = kiln.float64 }), ...) end

  it("takes ranges wider than a double", function()
    near({ 1, 0, 1, 1 }, counts({ -1e308, 1e308, 1 }, 4, -1e308, 1e308))
    near({ 2, 0, 0, 2 }, counts({ -1.7e308, -1.6e308, 1.6e308, 1.7e308 }, 4))
  end)

  it("finds a range for equal values of any size", function()
    for _, v in ipairs { 0, 1, 1e300, -1e300, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324 } do
      near(3, counts({ v, v, v }, 4):sum())
    end
    near({ 2, 1 }, counts({ 0, 0, 5e-324 }, 2))
  end)
end)

-- -- Memory under callbacks -----------------------------------------------------------------------

describe("memory that a callback runs over", function()
  local HELD = "apply_ or map_ is at work on this memory, which cannot grow before it is done"

  it("cannot be moved by any road, and its values stay", function()
    for name, grow in pairs {
      resize_ = function(x) x:resize_(100000) end,
      resize_as_ = function(x) x:resize_as_(kiln.ones(100000)) end,
      storage = function(x) x:storage():resize_(100000) end,
      view = function(x) x:view(-1):resize_(100000) end,
      data = function(x) x.data:resize_(100000) end,
      out = function(x) kiln.zeros(100000, { out = x }) end,
    } do
      local x = kiln.ones(100)
      local called = 0
      x:apply_(function(v)
        called = called + 1
        if called == 1 then raises(HELD, grow, x) end
        return v + 1
      end)
      assert.equals(100, called, name)
      near(200, x:sum())
      grow(x) -- nobody holds it any more
    end
  end)

  it("may be freed, replaced, shrunk and written", function()
    local x, y = kiln.ones(1000), kiln.ones(1000)
    local old = x.data
    local n = 0
    x:map_(y, function(a, b)
      n = n + 1
      if n == 1 then x:set_(kiln.zeros(3)) end
      if n == 2 then x:resize_(2) end
      if n == 3 then y:free() end
      if n == 4 then old:narrow(1, 500, 501):fill_(5) end
      if n == 5 then x:apply_(function(v) return v - 1 end) end
      return a + b
    end)
    near(2, old[1])
    near(6, old[1000])
  end)

  it("is let go when the callback raises", function()
    local x = kiln.ones(10)
    assert.is_false(pcall(x.apply_, x, function() error "no" end))
    x:resize_(100000)
  end)

  it("is let go when a coroutine that stopped in the callback is collected", function()
    local x = kiln.ones(10)
    local co = coroutine.create(function() x:apply_(function(v) coroutine.yield(v) return v end) end)
    assert.is_true(coroutine.resume(co))
    raises(HELD, x.resize_, x, 100000)
    co = nil -- luacheck: ignore
    jit.flush()
    collectgarbage()
    collectgarbage()
    x:resize_(100000)
  end)

  it("that was moved after it was saved is told from what was written", function()
    local x = kiln.randn(100, { requires_grad = true })
    local y = x * x
    x.data:resize_(100000)
    local loss = y:sum()
    raises("the input x of shape [100], which the gradient of mul needs, was overwritten in place by resize_",
      loss.backward, loss)
  end)

  it("is held by gradcheck, which puts back what it changed when fn raises", function()
    local x = kiln.tensor({ 1, 2 }, { dtype = kiln.float64, requires_grad = true })
    local calls = 0
    raises({ "gradcheck is at work on this memory" }, kiln.autograd.gradcheck, function(t)
      calls = calls + 1
      if calls == 3 then t.data:resize_(100000) end
      return t * t
    end, { x })
    near({ 1, 2 }, x)
    x.data:resize_(1000)
  end)
end)

describe("empty_cache", function()
  ffi.cdef "typedef struct { size_t counts[7], used, rest[2]; } spec_mallinfo; spec_mallinfo mallinfo2(void);"
  local function used() return tonumber(ffi.C.mallinfo2().used) end
  local BYTES, SOME = 60000, 4 -- so many a thread keeps without a lock
  local function make_and_free()
    local list = {}
    for i = 1, SOME do list[i] = kiln.zeros(BYTES / 4) end
    for _, x in ipairs(list) do x:free() end
  end
  local it = os.getenv "KILN_ALLOC" == "direct" and pending or it -- nothing is kept

  it("gives back what the thread keeps", function()
    make_and_free()
    local before = used()
    kiln.empty_cache()
    assert.is_true(before - used() >= SOME * BYTES)
  end)

  it("gives large blocks back to the system, whatever lives beside them", function()
    local MIB = 2 ^ 20
    -- Counted to the page, which what is resident is not where there are many processors.
    local function mapped()
      for line in io.lines "/proc/self/status" do
        local kb = line:match "^VmSize:%s*(%d+) kB"
        if kb then return kb * 1024 end
      end
    end
    kiln.zeros(24 * MIB / 4):free() -- from now on the C library would keep less than this
    kiln.empty_cache()
    local large, beside = kiln.zeros(16 * MIB / 4), kiln.zeros(16 * MIB / 4)
    local before = mapped()
    large:free()
    kiln.empty_cache()
    assert.is_true(before - mapped() >= 15 * MIB)
    assert.equals(0, beside:sum():item())
  end)

  it("has other threads give back what they keep, when they next allocate", function()
    local thread = require "kiln.utils.thread"
    local forth, back = thread.channel(), thread.channel()
    local other = thread.start(([[
      local kiln, thread = require "kiln", require "kiln.utils.thread"
      local forth, back = (...):match "(%%d+) (%%d+)"
      forth, back = thread.channel(tonumber(forth)), thread.channel(tonumber(back))
      local list = {}
      for i = 1, %d do list[i] = kiln.zeros(%d) end
      for _, x in ipairs(list) do x:free() end
      back:push "kept"
      forth:pop()
      kiln.zeros(1):free()
      back:push "given back"
      forth:pop()
    ]]):format(SOME, BYTES / 4), ("%d %d"):format(forth:share(), back:share()))
    assert.equals("kept", back:pop())
    kiln.empty_cache()
    local before = used()
    forth:push "go on"
    assert.equals("given back", back:pop())
    assert.is_true(before - used() >= SOME * BYTES)
    forth:push "end"
    other:join()
    forth:release()
    back:release()
  end)
end)

-- -- fork ------------------------------------------------------------------------------------------

ffi.cdef [[
  int fork(void);
  int waitpid(int child, int *status, int options);
  void _exit(int status);
  unsigned int alarm(unsigned int seconds);
]]

describe("a forked process", function()
  it("computes alone, for OpenMP's threads stay with its parent", function()
    local threads = kiln.get_num_threads()
    kiln.set_num_threads(2)
    local x, image, w = kiln.randn(700, 700), kiln.randn(8, 3, 40, 40), kiln.randn(4, 3, 5, 5)
    w.requires_grad = true
    local function compute()
      w.grad = nil
      local y = F.conv2d(image, w):tanh():mean() + x:mm(x):sigmoid():mean()
      y:backward()
      return y:item() + w.grad:abs():mean():item()
    end
    local before = compute()
    local child = ffi.C.fork()
    if child == 0 then
      ffi.C.alarm(300) -- ends it, should it wait for ever
      local ok, after = pcall(compute)
      ffi.C._exit(ok and math.abs(after - before) < 1e-4 and kiln.get_num_threads() == 1 and 7 or 1)
    end
    local status = ffi.new "int[1]"
    ffi.C.waitpid(child, status, 0)
    assert.equals(7 * 256, status[0])
    assert.equals(2, kiln.get_num_threads())
    kiln.set_num_threads(threads)
  end)
end)

-- -- Ctrl-C ----------------------------------------------------------------------------------------

ffi.cdef [[
  typedef struct { struct { long seconds, microseconds; } interval, value; } spec_timer;
  int setitimer(int which, const spec_timer *timer, spec_timer *before);
  void (*signal(int number, void (*handler)(void)))(int);
]]
local PROF, SIGPROF = 2, 27

-- Presses Ctrl-C once this process has computed for so many seconds; 0: not at all.
local function press_after(seconds)
  ffi.C.signal(SIGPROF, C.kiln_interrupt_raise)
  ffi.C.setitimer(PROF, ffi.new("spec_timer", { { 0, 0 }, { 0, seconds * 1e6 } }), nil)
end

-- What part of call()'s time it still takes when Ctrl-C is pressed after a fifth of it: in the best of some
-- trials, for others use the machine, too.
local function part_done(call)
  local least, why = math.huge, "it was never interrupted"
  local function timed(fn)
    local start = os.clock()
    local ok, message = pcall(fn)
    return os.clock() - start, ok, message
  end
  call()
  for _ = 1, 10 do
    local whole = timed(call)
    press_after(whole / 5)
    local taken, ok, message = timed(call)
    press_after(0)
    if ok then
      C.kiln_interrupt_poll() -- it came late
      C.kiln_error_clear()
    else
      least, why = math.min(least, taken / whole), message
    end
    if least < 0.7 then break end
  end
  return least, why
end

describe("Ctrl-C", function()
  it("ends loops over elements that are written in Lua", function()
    local path = os.tmpname()
    for name, call in pairs {
      apply_ = function() kiln.ones(5000):apply_(function(v) C.kiln_interrupt_raise() return v end) end,
      map_ = function()
        kiln.ones(50, 100):t():map_(kiln.ones(100, 50), function(v) C.kiln_interrupt_raise() return v end)
      end,
      tolist = function()
        local x = kiln.ones(100000)
        C.kiln_interrupt_raise()
        x:tolist()
      end,
      tostring = function()
        local x = kiln.ones(100000)
        C.kiln_interrupt_raise()
        tostring(x)
      end,
      save = function()
        local x = kiln.ones(2)
        C.kiln_interrupt_raise()
        kiln.save(x, path)
      end,
    } do
      raises("kiln: interrupted", call)
      assert.is_false(C.kiln_interrupt_pending(), name)
    end
    os.remove(path)
  end)

  it("is seen by calls that run no op", function()
    local x, net = kiln.ones(2), kiln.nn.Linear(1, 1)
    for name, call in pairs {
      tensor = function() return kiln.tensor { 1, 2 } end,
      from_string = function() return kiln.from_string "abc" end,
      zeros = function() return kiln.zeros(2) end,
      storage = function() return x:storage() end,
      shape = function() return x.shape end,
      size = function() return x:size(1) end,
      item = function() return x[1]:item() end,
      tolist = function() return x:tolist() end,
      sort = function() return x:sort() end,
      grad = function() return net.weight.grad end,
      collect = function() if not C.kiln_interrupt_pending() then return end kiln.collect() end,
      empty_cache = function() return kiln.empty_cache() end,
      memory = function() return kiln.memory() end,
    } do
      local function again()
        for i = 1, 200 do -- compiled before it is pressed
          if i == 190 then C.kiln_interrupt_raise() end
          call()
        end
      end
      raises("kiln: interrupted", again)
      assert.is_false(C.kiln_interrupt_pending(), name)
      call()
    end
  end)

  it("ends what would take minutes, or wait for ever", function()
    local thread = require "kiln.utils.thread"
    for _, call in ipairs {
      function() return kiln.ones(1):expand(2 ^ 44):sum() end,
      function() return kiln.ones(2, 1):expand(2, 2 ^ 44):amax(2) end,
      function() return kiln.ones(1):expand(2 ^ 40):dot(kiln.ones(1):expand(2 ^ 40)) end,
      function() return kiln.ones(1):expand(2 ^ 40):var() end,
      function() return kiln.ones(1):expand(2 ^ 40):norm(3) end,
      function() return kiln.ones(1):expand(2 ^ 40):argmax() end,
      function()
        return kiln.fuse(function(x) return (x * 2):exp():sum() end)(kiln.ones(1):expand(2 ^ 40))
      end,
      function() return thread.channel():pop() end,
    } do
      local go = thread.channel()
      local presses = thread.start([[
        local go = require("kiln.utils.thread").channel(tonumber((...)))
        go:pop()
        go:release()
        require("kiln.utils.libc").sleep(0.02)
        require("kiln.ffi").C.kiln_interrupt_raise()
      ]], ("%.0f"):format(go:share()))
      raises("kiln: interrupted", function() -- however long it takes until `call` begins
        go:push "now"
        call()
      end)
      presses:join()
      go:release()
      assert.is_false(C.kiln_interrupt_pending())
    end
  end)

  it("ends one line that one thread walks, before it is through", function()
    local N, threads = 2 ^ 22, kiln.get_num_threads()
    local double, float = kiln.randn(N, { dtype = kiln.float64 }), kiln.randn(N)
    kiln.set_num_threads(1)
    for name, call in pairs {
      kthvalue = function() return double:kthvalue(N / 2) end,
      mode = function() return float:mode() end,
      topk = function() return float:topk(N / 2) end,
      logcumsumexp = function() return float:narrow(1, 1, N / 4):logcumsumexp(1) end,
      multinomial = function() return kiln.multinomial(kiln.ones(1000), N / 8, true) end,
    } do
      local part, why = part_done(call)
      assert.truthy(why:find("kiln: interrupted", 1, true), name .. ": " .. why)
      assert.is_true(part < 0.7, ("%s: %g of its time"):format(name, part))
    end
    kiln.set_num_threads(threads)
  end)
end)

support.ends_without_live_tensors()
