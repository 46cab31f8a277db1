-- DataLoader with worker threads: order, tensors by pointer, errors, abandoned loops, throughput.
local kiln = require "kiln"
local data = kiln.utils.data
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

  it("carry functions with plain upvalues and tensors", function()
    local factor, weight = 3, kiln.full({ 2 }, 2)
    local Scaled = data.Dataset:extend "Scaled"
    function Scaled.len(_self) return 3 end
    function Scaled.get(_self, i) return weight * (i * factor) end
    assert.same({ 6, 12, 18 }, all(data.DataLoader(Scaled(), { batch_size = 2, num_workers = 2 })))
  end)
end)
