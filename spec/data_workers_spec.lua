-- DataLoader with worker threads: order, tensors by pointer, errors, abandoned loops, throughput.
local kiln = require "kiln"
local data = kiln.utils.data
local thread = require "kiln.utils.thread"
local support = require "spec.support"
local raises = support.raises

local Squares = data.Dataset:extend "Squares"
function Squares:init(n) self.n = n end
function Squares:len() return self.n end
function Squares:get(i)
  if i == self.bad then error("sample " .. i .. " is bad") end
  return kiln.full({ 2 }, i), i * i
end

local function all(loader)
  local list = {}
  for x in loader:iter() do
    for _, row in ipairs(x:tolist()) do list[#list + 1] = type(row) == "table" and row[1] or row end
  end
  return list
end

describe("worker threads", function()
  it("keep the order, for any number of them", function()
    local expected = all(data.DataLoader(Squares(23), { batch_size = 4 }))
    for workers = 1, 3 do
      local loader = data.DataLoader(Squares(23), { batch_size = 4, num_workers = workers })
      assert.same(expected, all(loader))
    end
    local shuffled = { batch_size = 4, shuffle = true }
    kiln.manual_seed(4)
    local one = all(data.DataLoader(Squares(23), shuffled))
    shuffled.num_workers = 2
    kiln.manual_seed(4)
    assert.same(one, all(data.DataLoader(Squares(23), shuffled)))
  end)

  it("share the tensors of a dataset", function()
    local x = kiln.arange(1, 101)
    local before = kiln.memory().live_bytes
    local loader = data.DataLoader(data.TensorDataset(x), { batch_size = 10, num_workers = 2 })
    local sum = 0
    for batch in loader:iter() do sum = sum + batch:sum():item() end
    assert.equals(5050, sum)
    kiln.collect()
    assert.is_true(kiln.memory().live_bytes <= before + 4096)
  end)

  it("pass an error on, with its traceback", function()
    local d = Squares(10)
    d.bad = 5
    local loader = data.DataLoader(d, { batch_size = 2, num_workers = 2 })
    local ok, why = pcall(all, loader)
    assert.is_false(ok)
    assert.truthy(why:find("worker 1", 1, true), why)
    assert.truthy(why:find("sample 5 is bad", 1, true), why)
    assert.truthy(why:find("traceback", 1, true), why)
  end)

  it("pass on an error that is a table as one", function()
    local Coded = data.Dataset:extend "Coded"
    function Coded.len() return 2 end
    function Coded.get(_, i) error(i == 1 and { code = 7 } or { cannot = coroutine.create(print) }) end
    local ok, why = pcall(all, data.DataLoader(Coded(), { num_workers = 1 }))
    assert.is_false(ok)
    assert.equals(7, why.code)
    assert.truthy(why.traceback:find("worker 1: a table", 1, true), why.traceback)
    ok, why = pcall(all, data.DataLoader(data.Subset(Coded(), { 2 }), { num_workers = 1 }))
    assert.is_false(ok)
    assert.truthy(why:find("worker 1: a table", 1, true), why)
  end)

  it("name the function that an error is of", function()
    local Far = data.Dataset:extend "Far"
    function Far.len() return 2 end
    function Far.get(_, i) return kiln.ones(2):narrow(1, 9 + i, 1) end
    local ok, why = pcall(all, data.DataLoader(Far(), { num_workers = 1 }))
    assert.is_false(ok)
    assert.truthy(why:find("kiln: narrow: ", 1, true), why)
  end)

  it("give nothing more after an error, and a new pass works", function()
    for _, keeps in ipairs { false, true } do
      local squares = Squares(6)
      squares.bad = 3
      local loader = data.DataLoader(squares, { num_workers = 2, persistent_workers = keeps })
      local next_batch = loader:iter()
      local ok = pcall(function() while next_batch() do end end)
      assert.is_false(ok)
      assert.is_nil(next_batch())
      squares.bad = nil
      assert.same({ 1, 2, 3, 4, 5, 6 }, all(loader))
    end
  end)

  it("do not end the program with os.exit, which is an error there", function()
    local d = Squares(10)
    function d.get() os.exit(3) end
    local loader = data.DataLoader(d, { batch_size = 2, num_workers = 2 })
    local ok, why = pcall(all, loader)
    assert.is_false(ok)
    assert.truthy(why:find("worker 1: .*data_workers_spec.*: os.exit ends the whole program"), why)
    assert.truthy(why:find("traceback", 1, true), why)
  end)

  it("leave Ctrl-C to the thread that waits for them", function()
    local d = Squares(40)
    function d.get(_, i)
      if i == 3 then require("kiln.ffi").C.kiln_interrupt_raise() end
      return require("kiln").full({ 2 }, i)
    end
    for workers = 1, 2 do
      raises("kiln: interrupted", all, data.DataLoader(d, { batch_size = 2, num_workers = workers }))
    end
    assert.is_false(require("kiln.ffi").C.kiln_interrupt_pending())
  end)

  it("are as many as a machine may have", function()
    raises("DataLoader: num_workers must be from 0 to 1024, not 1000000000", data.DataLoader, Squares(2),
      { num_workers = 1e9 })
    raises("DataLoader: prefetch_factor must be from 1 to 1024 batches, not 1000000000", data.DataLoader,
      Squares(2), { num_workers = 1, prefetch = 1e9 })
  end)

  it("stop when a loop is left early", function()
    local before = support.live()
    local function leave()
      local loader = data.DataLoader(Squares(1000), { batch_size = 2, num_workers = 2 })
      for x in loader:iter() do
        if x then return x:size(1) end
      end
    end
    assert.equals(2, leave())
    support.live() -- the collector stops the workers, and finds what they had made
    assert.equals(before, support.live())
  end)

  it("stream iterable datasets", function()
    local Stream = data.IterableDataset:extend "Stream"
    function Stream:iter()
      local info = kiln.utils.data.get_worker_info()
      local i = info.id - info.num_workers
      return function()
        i = i + info.num_workers
        if i <= self.n then return i end
      end
    end
    local stream = Stream()
    stream.n = 9
    local seen = all(data.DataLoader(stream, { batch_size = 2, num_workers = 2 }))
    table.sort(seen)
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, seen)
  end)

  it("refuse what cannot be sent, by name", function()
    local words = { "a", "b" }
    local Texts = data.Dataset:extend "Texts"
    function Texts.len(_self) return #words end
    function Texts.get(_self, i) return words[i] end
    local loader = data.DataLoader(Texts(), { num_workers = 1 })
    raises({ "upvalue 'words'", "table" }, loader.iter, loader)
    local d = Squares(3)
    d.file = io.stdout
    loader = data.DataLoader(d, { num_workers = 1 })
    raises({ "field 'file'" }, loader.iter, loader)
  end)

  it("wait for the next pass where they are persistent", function()
    local Counted = data.Dataset:extend "Counted"
    function Counted.len() return 6 end
    function Counted:get(i)
      self.calls = (self.calls or 0) + 1 -- of this worker's copy
      return i, self.calls, require("kiln").rand(1):item()
    end
    local function pass(loader)
      local order, calls, noise = {}, {}, {}
      for i, c, r in loader:iter() do
        order[#order + 1], calls[#calls + 1], noise[#noise + 1] = i:item(), c:item(), r:item()
      end
      return order, calls, noise
    end
    local loader = data.DataLoader(Counted(), { num_workers = 2, persistent_workers = true })
    local fresh = data.DataLoader(Counted(), { num_workers = 2 })
    for epoch = 1, 3 do
      kiln.manual_seed(epoch)
      local order, calls, noise = pass(loader)
      kiln.manual_seed(epoch)
      local _, fresh_calls, fresh_noise = pass(fresh)
      assert.same({ 1, 2, 3, 4, 5, 6 }, order)
      assert.same(fresh_noise, noise) -- which worker it is makes no difference
      assert.equals(3, fresh_calls[6])
      assert.equals(3 * epoch, calls[6])
    end
    for i in loader:iter() do -- a pass inside of a pass, and one that is left
      assert.same({ 1, 2, 3, 4, 5, 6 }, (pass(loader)))
      if i:item() == 2 then break end
    end
    collectgarbage()
    assert.same({ 1, 2, 3, 4, 5, 6 }, (pass(loader)))
  end)

  it("read a stream again where they are persistent", function()
    local Stream = data.IterableDataset:extend "Stream"
    function Stream.iter()
      local i, ended = 0, false
      return function()
        assert(not ended, "a stream is not read behind its end")
        i = i + 1
        ended = i > 3
        return not ended and i or nil
      end
    end
    local loader = data.DataLoader(Stream(), { batch_size = 2, num_workers = 2, persistent_workers = true })
    for _ = 1, 3 do
      local sum, batches = 0, 0
      for x in loader:iter() do sum, batches = sum + x:sum():item(), batches + 1 end
      assert.equals(12, sum)
      assert.equals(4, batches)
    end
    raises({ "DataLoader", "persistent_workers" }, data.DataLoader, Stream(), { persistent_workers = true })
  end)

  it("keep the order whatever their pace, and prefetch", function()
    local Uneven = data.Dataset:extend "Uneven"
    function Uneven.len(_self) return 12 end
    function Uneven.get(_self, i)
      require("kiln.utils.libc").sleep(i % 3 == 1 and 0.02 or 0)
      return i
    end
    local expected = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }
    for prefetch = 1, 3 do
      local loader = data.DataLoader(Uneven(), { num_workers = 3, prefetch = prefetch })
      assert.same(expected, all(loader))
    end
  end)

  it("draw random numbers that their seed alone decides", function()
    local Noise = data.Dataset:extend "Noise"
    function Noise.len(_self) return 8 end
    function Noise.get(_self) return require("kiln").rand(1) end
    local function pass()
      kiln.manual_seed(9)
      return all(data.DataLoader(Noise(), { batch_size = 2, num_workers = 2, shuffle = true }))
    end
    local once = pass()
    for _ = 1, 5 do assert.same(once, pass()) end
    kiln.manual_seed(9)
    local loader = data.DataLoader(Noise(), { batch_size = 2, num_workers = 2, shuffle = true })
    assert.same(once, all(loader))
    assert.is_false(table.concat(once, " ") == table.concat(all(loader), " ")) -- the next pass
    -- What the main state draws next does not depend on the number of workers.
    local function after(workers)
      kiln.manual_seed(9)
      all(data.DataLoader(Squares(8), { shuffle = true, num_workers = workers }))
      return kiln.rand(1):item()
    end
    assert.equals(after(0), after(1))
    assert.equals(after(0), after(3))
  end)

  it("say who they are, and prepare themselves", function()
    local Who = data.Dataset:extend "Who"
    function Who.len(_self) return 4 end
    function Who.get(self)
      local info = kiln.utils.data.get_worker_info()
      assert(info.dataset == self, "another dataset")
      return info.id * 100 + info.num_workers * 10 + self.prepared
    end
    local loader = data.DataLoader(Who(), { num_workers = 2, worker_init_fn = function(id)
      require("kiln").utils.data.get_worker_info().dataset.prepared = id
    end })
    assert.same({ 121, 222, 121, 222 }, all(loader))
    assert.is_nil(data.get_worker_info())
    loader.worker_init_fn = function() error "not ready" end
    local ok, why = pcall(all, loader)
    assert.is_false(ok)
    assert.truthy(why:find("not ready", 1, true), why)
  end)

  it("that die are noticed", function()
    local Deadly = data.Dataset:extend "Deadly"
    function Deadly.len(_self) return 6 end
    function Deadly.get(_self, i)
      if i == 3 then require("kiln.utils.transport").encode = function() error "cannot speak" end end
      return i
    end
    local ok, why = pcall(all, data.DataLoader(Deadly(), { num_workers = 2 }))
    assert.is_false(ok)
    assert.truthy(why:find("worker 1 died", 1, true), why)
    assert.truthy(why:find("cannot speak", 1, true), why)
    assert.truthy(why:find("traceback", 1, true), why)
  end)

  it("that hang are given up after a timeout", function()
    local before, gate = support.live(), thread.channel()
    local Slow = data.Dataset:extend "Slow"
    function Slow.len(_self) return 2 end
    function Slow:get(i)
      if i == 2 then
        local closed = require("kiln.utils.thread").channel(self.gate)
        closed:pop()
        closed:release()
        error "nobody waits for this any more"
      end
      return i
    end
    local slow = Slow()
    slow.gate = gate:share()
    local function wait()
      local loader = data.DataLoader(slow, { num_workers = 2, timeout = 300 })
      local next_batch = loader:iter()
      assert.equals(1, next_batch():item())
      loader.timeout = 0.1 -- only of the one that hangs: on a busy machine the other might take as long
      raises({ "DataLoader", "worker 2", "0.1 seconds" }, next_batch)
    end
    wait()
    raises({ "DataLoader", "timeout", "-1" }, data.DataLoader, slow, { timeout = -1 })
    gate:close() -- which the loop did not wait for
    gate:release()
    -- Who was given up ends by himself, and with him his copy of all he was sent.
    for _ = 1, 1000 do
      if support.live() <= before then break end
      kiln.utils.libc.sleep(0.01)
    end
    assert.equals(before, support.live())
  end)

  it("pass on what could not be sent", function()
    local Odd = data.Dataset:extend "Odd"
    function Odd.len(_self) return 1 end
    function Odd.get(_self) return coroutine.create(print) end
    local ok, why = pcall(all, data.DataLoader(Odd(), { num_workers = 1 }))
    assert.is_false(ok)
    assert.truthy(why:find("which cannot be sent to another thread", 1, true), why)
  end)

  it("have nothing to do for an empty dataset", function()
    assert.same({}, all(data.DataLoader(Squares(0), { num_workers = 2 })))
    local Nothing = data.IterableDataset:extend "Nothing"
    function Nothing.iter(_self) return function() return nil end end
    assert.same({}, all(data.DataLoader(Nothing(), { num_workers = 2 })))
  end)

  it("carry functions with plain upvalues and tensors", function()
    local factor, weight = 3, kiln.full({ 2 }, 2)
    local Scaled = data.Dataset:extend "Scaled"
    function Scaled.len(_self) return 3 end
    function Scaled.get(_self, i) return weight * (i * factor) end
    assert.same({ 6, 12, 18 }, all(data.DataLoader(Scaled(), { batch_size = 2, num_workers = 2 })))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
