--- Devices, streams, events, memory and copies: kiln.cuda on the emulator's two devices.
local kiln = require "spec.support.emulator"
local rows = require "spec.support.rows"
local cuda = kiln.cuda

local function raises(parts, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  for _, part in ipairs(parts) do assert.is_truthy(tostring(message):find(part, 1, true), message) end
end

local function on(device, values) return kiln.tensor(values, { device = device }) end

describe("devices", function()
  before_each(rows.count)
  after_each(rows.recount)

  it("are counted and described", function()
    assert.is_true(cuda.is_available())
    assert.equal("", cuda.why())
    assert.is_true(cuda.device_count() >= 1)
    assert.is_string(cuda.get_device_name(1))
    local major, minor = cuda.get_device_capability "cuda:1"
    assert.is_true(major >= 7 and minor >= 0)
    local p = cuda.get_device_properties()
    assert.is_true(p.total_memory >= p.free_memory and p.free_memory > 0)
    assert.is_true(p.multi_processor_count > 0 and p.runtime > 0 and p.driver > 0)
    raises({ "get_device_name", "cuda:99" }, cuda.get_device_name, 99)
    raises({ "get_device_name", "cpu" }, cuda.get_device_name, "cpu")
    assert.equal("cdata", type(cuda.current_blas_handle()))
  end)

  it("one of which is current", function()
    assert.equal(1, cuda.current_device())
    assert.equal("cuda:1", kiln.zeros(2, { device = "cuda" }).device)
    assert.same({ "cuda:2", 7 }, { cuda.device(2, function(x)
      return kiln.zeros(2, { device = "cuda" }).device, x
    end, 7) })
    local x = kiln.zeros(2, { device = "cuda:2" })
    assert.equal(2, cuda.device_of(x, cuda.current_device))
    assert.equal(1, cuda.device_of(kiln.zeros(1), cuda.current_device))
    assert.is_false(pcall(cuda.device, 2, error, "inside"))
    assert.equal(1, cuda.current_device())
    cuda.set_device(2)
    assert.equal("cuda:2", kiln.zeros(1):cuda().device)
    cuda.set_device "cuda:1"
    raises({ "set_device", "cuda:3" }, cuda.set_device, 3)
  end)

  it("hold what is copied to them, from anywhere", function()
    local x = kiln.randn(3, 4)
    for _, device in ipairs { "cuda:1", "cuda:2" } do
      local y = x:to(device)
      assert.equal(device, y.device)
      assert.is_true(y.is_cuda)
      assert.is_true(kiln.equal(x, y:cpu()))
      assert.is_true(kiln.equal(x, y:to("cuda:2"):to("cuda:1"):cpu()))
      assert.is_true(kiln.equal(x:t(), x:t():to(device):cpu()))
      assert.is_true(y:to(device):is_same(y))
      assert.equal(kiln.float16, x:to(device, kiln.float16).dtype)
    end
    assert.equal(0, kiln.zeros(0, 3):cuda():cpu():numel())
    assert.equal("kiln.cuda.FloatTensor", x:cuda():type())
    local host = kiln.zeros(3, 4)
    assert.is_true(kiln.equal(x, host:copy_(x:cuda())))
    assert.same({ 1.5, 2, { 1, 2 } }, { on("cuda", { 1.5 }):item(), on("cuda:2", 2):item(),
      on("cuda", { 1, 2 }):tolist() })
  end)

  it("print their tensors", function()
    assert.equal("tensor([1., 2.], device='cuda:1')", tostring(on("cuda", { 1, 2 })))
    assert.equal("tensor(3., device='cuda:2')", tostring(on("cuda:2", 3)))
  end)

  it("do not mix, but for single numbers of the CPU", function()
    local x, y = on("cuda:1", { 1, 2 }), kiln.tensor { 3, 4 }
    raises({ "add: ", "cuda:1", "cpu" }, function() return x + y end)
    raises({ "add: ", "cuda:1", "cuda:2" }, function() return x + y:to "cuda:2" end)
    raises({ "add_: ", "cuda:1", "cpu" }, function() return y:add_(x) end)
    raises({ "add_: ", "cpu", "cuda:1" }, function() return kiln.tensor(1):add_(on("cuda", 1)) end)
    assert.same({ 4, 5 }, (x + kiln.tensor(3)):tolist())
    assert.same({ 4, 5 }, (kiln.tensor(3, { dtype = kiln.int64 }) + x):tolist())
    assert.same({ 2, 4 }, (x * 2):tolist())
    assert.equal("cuda:1", (kiln.tensor(3) + x).device)
    assert.same({ 1, 2 }, x:tolist())
    assert.same({ 3, 4 }, y:tolist())
  end)

  it("take positions and masks of the CPU as an index", function()
    local x = kiln.arange(1, 13):view(3, 4)
    local at, mask = kiln.tensor({ 3, 1 }, { dtype = kiln.int64 }), x:gt(6)
    local row = mask:select(2, 1)
    for _, key in ipairs { at, mask, { mask }, { {}, at }, { at, at }, { row, 2 }, { 2, at } } do
      local there = x:to "cuda:2"
      local got = there[key]
      assert.equal("cuda:2", got.device)
      assert.is_true(kiln.equal(got:cpu(), x[key]))
      local here = x:clone()
      here[key], there[key] = -1, -1
      assert.is_true(kiln.equal(there:cpu(), here))
    end
    raises({ "index_put_: i1 is on cuda:1" }, function() x[at:cuda()] = 0 end)
  end)

  it("are named where a gradient is on the wrong one", function()
    local x = kiln.ones(3):requires_grad_()
    raises({ "grad: a float32 tensor of shape [3] on cpu is needed, got float32 [3] on cuda:1" }, function()
      x.grad = kiln.ones(3):cuda()
    end)
    x:register_hook(function(g) return g:cuda(2) end)
    raises({ "hook: returned a float32 gradient on cuda:2 for a float32 one on cpu" }, function()
      x:sum():backward()
    end)
    assert.is_nil(x.grad)
  end)

  it("pass gradients back to where they came from", function()
    local w = kiln.tensor({ 1, 2, 3 }, { requires_grad = true })
    local scale = kiln.tensor(2, { requires_grad = true })
    local y = (w:cuda() * scale):to "cuda:2"
    y:backward(on("cuda:2", { 1, 10, 100 }))
    assert.same({ "cpu", { 2, 20, 200 } }, { w.grad.device, w.grad:tolist() })
    assert.same({ "cpu", 321 }, { scale.grad.device, scale.grad:item() })
    raises({ "grad" }, function() w.grad = on("cuda", { 1, 2, 3 }) end)
    local v = kiln.tensor({ 1, 2 }, { requires_grad = true })
    local g = kiln.autograd.grad((v:cuda() * v:cuda() * v:cuda()):sum(), v, { create_graph = true })
    assert.same({ 3, 12 }, g:tolist())
    assert.same({ 6, 12 }, kiln.autograd.grad(g:sum(), v):tolist())
  end)
end)

describe("the default device", function()
  after_each(function() kiln.set_default_device "cpu" end)

  it("is where new tensors go", function()
    assert.equal("cpu", kiln.get_default_device())
    kiln.set_default_device "cuda:2"
    assert.equal("cuda:2", kiln.get_default_device())
    for _, x in ipairs { kiln.zeros(2), kiln.tensor { 1 }, kiln.arange(3), kiln.randn(2), kiln.randperm(4),
      kiln.eye(2), kiln.linspace(0, 1, 3), kiln.nn.Linear(2, 2).weight } do
      assert.equal("cuda:2", x.device)
    end
    assert.equal("cpu", kiln.zeros(2, { device = "cpu" }).device)
    kiln.set_default_tensor_type "kiln.FloatTensor"
    assert.equal("cpu", kiln.zeros(1).device)
    kiln.set_default_tensor_type "torch.cuda.DoubleTensor"
    assert.same({ "cuda:1", kiln.float64 }, { kiln.zeros(1).device, kiln.zeros(1).dtype })
    kiln.set_default_tensor_type "kiln.FloatTensor"
    raises({ "set_default_device", "tpu" }, kiln.set_default_device, "tpu")
  end)
end)

describe("streams", function()
  before_each(rows.count)
  after_each(rows.recount)

  it("run what is put on them", function()
    local s = cuda.Stream()
    assert.equal("cuda:1", s.device)
    assert.is_true(s == s and s ~= cuda.default_stream() and cuda.current_stream() == cuda.default_stream())
    local x = cuda.stream(s, function()
      assert.is_true(cuda.current_stream() == s)
      return kiln.full({ 1000 }, 3, { device = "cuda" })
    end)
    assert.is_true(cuda.current_stream() == cuda.default_stream())
    s:synchronize()
    assert.is_true(s:query())
    assert.equal(3000, x:sum():item())
    assert.equal(2, cuda.Stream({ device = 2, priority = -1 }).code)
    raises({ "stream", "Stream" }, cuda.stream, "s", print)
  end)

  it("wait for each other by events", function()
    local s, e = cuda.Stream(), cuda.Event({ enable_timing = true })
    assert.is_true(e:query())
    local x = kiln.ones(1000, { device = "cuda" }) + 1
    s:wait_stream(cuda.current_stream())
    local y = cuda.stream(s, function() return x * 2 end)
    x:record_stream(s)
    x:free()
    kiln.full({ 1000 }, 7, { device = "cuda" }) -- takes no memory that s still reads
    e:record(s)
    e:wait()
    assert.equal(4000, y:sum():item())
    e:synchronize()
    assert.is_true(e:query())
    local later = s:record_event(cuda.Event { enable_timing = true })
    later:synchronize()
    assert.is_true(e:elapsed_time(later) >= 0)
    raises({ "elapsed_time", "enable_timing" }, e.elapsed_time, e, cuda.Event())
    raises({ "record", "cuda:1", "cuda:2" }, e.record, e, cuda.Stream { device = 2 })
    raises({ "Event", "interprocess" }, cuda.Event, { interprocess = true })
  end)

  it("are what methods are called on", function()
    local e, s = cuda.Event(), cuda.Stream()
    for class, methods in pairs {
      [cuda.Stream] = { "query", "synchronize", "record_event", "wait_event", "wait_stream" },
      [cuda.Event] = { "record", "wait", "query", "synchronize", "elapsed_time" },
    } do
      local other = class == cuda.Stream and e or s
      for _, name in ipairs(methods) do
        raises({ "kiln: " .. name .. ": the object is missing" }, class[name])
        raises({ "kiln: " .. name .. ": the object is missing" }, class[name], other)
      end
    end
  end)
end)

describe("memory", function()
  before_each(rows.count)
  after_each(rows.recount)

  it("is counted, kept and given back", function()
    kiln.collect()
    cuda.empty_cache()
    cuda.reset_peak_memory_stats()
    local before = cuda.memory_allocated()
    local x = kiln.zeros(2 ^ 18, { device = "cuda" })
    assert.equal(before + 2 ^ 20, cuda.memory_allocated())
    assert.equal(before + 2 ^ 20, cuda.max_memory_allocated())
    local cached = cuda.memory_cached()
    assert.is_true(cached >= 2 ^ 20 or os.getenv "KILN_ALLOC" == "direct")
    x:free()
    assert.equal(before, cuda.memory_allocated())
    assert.equal(cached, cuda.memory_cached())
    cuda.empty_cache()
    assert.is_true(cuda.memory_cached() <= cached and cuda.max_memory_cached() >= cached)
  end)

  it("is collected before an allocation fails for want of it", function()
    local total = cuda.get_device_properties().total_memory
    local n = math.floor(total / 3 / 4)
    for _ = 1, 6 do kiln.empty(n, { device = "cuda" }) end -- garbage, twice as much as there is
    raises({ "out of memory on cuda:1" }, kiln.empty, n * 4, { device = "cuda" })
    kiln.collect()
    cuda.empty_cache()
  end)

  it("of a loader's batches is pinned if asked", function()
    local data = kiln.utils.data
    local set = data.TensorDataset(kiln.ones(4, 2), kiln.ones(4))
    for workers = 0, 1 do
      for x, y in data.DataLoader(set, { batch_size = 2, pin_memory = true, num_workers = workers }):iter() do
        assert.is_true(x:is_pinned() and y:is_pinned())
      end
    end
  end)

  it("of the host can be pinned, and is then copied late", function()
    local x = kiln.randn(100)
    local p = x:pin_memory()
    assert.same({ false, true, true }, { x:is_pinned(), p:is_pinned(), p:pin_memory():is_same(p) })
    assert.is_true(kiln.equal(x, p))
    local y, z = p:cuda { non_blocking = true }, p:cuda(2, { non_blocking = true })
    assert.is_true(kiln.equal(y:cpu(), x) and kiln.equal(z:cpu(), x))
    local back = kiln.zeros(100):pin_memory()
    back:copy_(y * 2, true)
    cuda.synchronize()
    assert.is_true(kiln.equal(back, x * 2))
    raises({ "pin_memory", "cuda:1" }, y.pin_memory, y)
  end)
end)

describe("random numbers", function()
  it("of a device are those of the CPU with its seed", function()
    kiln.manual_seed(7)
    local cpu = kiln.randn(100)
    assert.is_true(kiln.equal(cpu, kiln.randn(100, { device = "cuda" }):cpu()))
    cuda.manual_seed(3)
    local state = cuda.get_rng_state()
    local a = kiln.rand(10, { device = "cuda" })
    cuda.set_rng_state(state)
    assert.is_true(kiln.equal(a:cpu(), kiln.rand(10, { device = "cuda" }):cpu()))
    cuda.manual_seed_all(3)
    assert.is_true(kiln.equal(a:cpu(), kiln.rand(10, { device = "cuda:2" }):cpu()))
    assert.equal(3, cuda.initial_seed())
    local seed = cuda.seed_all()
    assert.equal(seed, cuda.initial_seed())
    assert.is_number(cuda.seed())
    kiln.manual_seed(1)
  end)
end)

describe("comm", function()
  before_each(rows.count)
  after_each(rows.recount)

  it("copies, adds and parts", function()
    local x = kiln.arange(1, 11):view(5, 2)
    local copies = cuda.comm.broadcast(x, { 1, 2 })
    assert.same({ "cuda:1", "cuda:2" }, { copies[1].device, copies[2].device })
    assert.is_true(kiln.equal(cuda.comm.reduce_add(copies):cpu(), x * 2))
    assert.equal("cuda:2", cuda.reduce_add(copies, 2).device)
    local parts = cuda.scatter(x, { 1, "cuda:2" })
    assert.same({ 3, 2, "cuda:2" }, { parts[1]:size(1), parts[2]:size(1), parts[2].device })
    assert.is_true(kiln.equal(cuda.gather(parts):cpu(), x))
    assert.is_true(kiln.equal(cuda.gather(parts, 1, "cpu"), x))
    parts = cuda.comm.scatter(x, { 1, 2 }, { 1, 4 }, 1, { cuda.Stream(), cuda.Stream { device = 2 } })
    cuda.synchronize(1)
    cuda.synchronize(2)
    assert.same({ 1, 4 }, { parts[1]:size(1), parts[2]:size(1) })
    assert.is_true(kiln.equal(cuda.gather(parts, { dim = 1, destination = "cpu" }), x))
    local list = { kiln.ones(3), kiln.zeros(2, 2), kiln.ones({ 1 }, { dtype = kiln.int64 }) }
    for i, there in ipairs(cuda.broadcast_coalesced(list, { 1, 2 })) do
      for k, y in ipairs(there) do
        assert.equal("cuda:" .. i, y.device)
        assert.is_true(kiln.equal(y:cpu(), list[k]))
      end
    end
    raises({ "scatter", "chunk_sizes", "5" }, cuda.scatter, x, { 1, 2 }, { 1, 2 })
    raises({ "scatter: chunk_sizes[1] must not be negative, got -1" }, cuda.scatter, x, { 1, 2 }, { -1, 6 })
    raises({ "scatter: streams must be a list" }, cuda.scatter, x, { 1, 2 }, nil, 1, 4)
    raises({ "reduce_add", "[5, 2]", "[2]" }, cuda.reduce_add, { x, kiln.ones(2) })
    raises({ "gather", "inputs" }, cuda.gather, {})
  end)

  it("passes gradients", function()
    local x = kiln.ones({ 4 }, { requires_grad = true })
    local parts = cuda.scatter(x * 1, { 1, 2 })
    cuda.gather({ parts[1] * 2, parts[2] * 3 }, 1, "cpu"):sum():backward()
    assert.same({ 2, 2, 3, 3 }, x.grad:tolist())
  end)
end)

describe("nvtx", function()
  it("takes ranges and marks", function()
    local depth = cuda.nvtx.range_push "outer"
    cuda.nvtx.mark "here"
    cuda.range_push "inner"
    cuda.range_pop()
    assert.equal(depth, cuda.nvtx.range_pop())
    assert.equal(5, kiln.autograd.profiler.emit_nvtx(function() return 5 end))
    raises({ "range_push", "string" }, cuda.nvtx.range_push, 3)
  end)
end)

describe("a class or position out of range", function()
  it("is raised at the next waiting, and the device lives on", function()
    local x, index = kiln.ones(3, 4, { device = "cuda" }), on("cuda", { 1, 9, 2 }):long()
    local ok, message = pcall(function() return x:index_select(2, index):cpu() end)
    assert.is_false(ok)
    local said = "kiln: cpu: index_select: index 9 at position [2] is out of range 1..4"
    assert.is_truthy(tostring(message):find(said, 1, true), message)
    assert.equal(12, x:sum():item())
    cuda.synchronize()
  end)
end)

describe("gradients against finite differences", function()
  it("leave the tensors on the device as they were", function()
    local x = kiln.tensor({ { 1, 2 }, { 3, 4 } }, { dtype = kiln.float64, device = "cuda" }):t()
    x = x:detach():requires_grad_(true)
    assert.is_true(kiln.autograd.gradcheck(function(a, b) return a * b:exp() end, { x, x }))
    assert.is_true(kiln.autograd.gradgradcheck(function(a) return a:sin() end, { x }))
    assert.same({ { 1, 3 }, { 2, 4 } }, x:tolist())
    raises({ "gradcheck", "derivatives differ" }, kiln.autograd.gradcheck,
      function(a) return a.data * a end, { x })
  end)
end)
