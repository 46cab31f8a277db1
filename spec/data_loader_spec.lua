-- kiln.utils.data: datasets, samplers, collating, the loader.
local kiln = require "kiln"
local data = kiln.utils.data
local support = require "spec.support"
local raises = support.raises

local function numbers(n) return kiln.arange(1, n + 1, { dtype = kiln.int64 }) end

local Squares = data.Dataset:extend "Squares"
function Squares:init(n) self.n = n end
function Squares:len() return self.n end
function Squares:get(i)
  i = self:position(i)
  return kiln.full({ 2 }, i), i * i
end

local function all(loader)
  local list = {}
  for x in loader:iter() do
    for _, v in ipairs(x:tolist()) do list[#list + 1] = v end
  end
  return list
end

describe("datasets", function()
  it("of tensors give slices", function()
    local d = data.TensorDataset(numbers(3), kiln.eye(3))
    assert.equals(3, d:len())
    local x, y = d[2], select(2, d:get(2))
    assert.equals(2, x:item())
    support.near({ 0, 1, 0 }, y)
    assert.equals(3, d[-1]:item())
    raises({ "TensorDataset", "1..3", "4" }, d.get, d, 4)
    raises({ "TensorDataset", "3 samples", "2" }, data.TensorDataset, kiln.ones(2), kiln.ones(3))
    raises({ "TensorDataset", "must be a tensor" }, data.TensorDataset, 3)
  end)

  it("join, split and select", function()
    local d = Squares(3) + Squares(2)
    assert.equals(5, d:len())
    assert.equals(4, select(2, d:get(5)))
    local s = data.Subset(d, { 5, 1 })
    assert.equals(4, select(2, s:get(1)))
    raises({ "Subset", "indices[2]", "1..5", "9" }, data.Subset, d, { 1, 9 })
    local parts = data.random_split(data.TensorDataset(numbers(10)), { 0.8, 0.2 })
    assert.equals(8, parts[1]:len())
    local seen = {}
    for _, part in ipairs(parts) do
      for i = 1, part:len() do seen[#seen + 1] = part:get(i):item() end
    end
    table.sort(seen)
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, seen)
    raises({ "random_split", "sum to 3", "10" }, data.random_split, data.TensorDataset(numbers(10)), { 1, 2 })
  end)
end)

describe("a text", function()
  it("is windows and what follows", function()
    local text = data.TextDataset("hello\n", 3)
    assert.same({ "\n", "e", "h", "l", "o" }, text.alphabet)
    assert.equals(3, text:len())
    local x, y = text:get(2)
    assert.equals("ell", text:decode(x))
    assert.equals("llo", text:decode(y))
    local xs, ys = text:get_batch(numbers(3))
    assert.equals("[3, 3]", tostring(xs.shape))
    assert.equals("llo", text:decode(xs[3]))
    assert.equals("lo\n", text:decode(ys[3]))
    assert.equals("hole", text:decode(text:encode "hole"))
    local batches = 0
    for a, b in data.DataLoader(text, { batch_size = 2 }):iter() do
      assert.is_true(a:narrow(2, 2, 2):equal(b:narrow(2, 1, 2)))
      batches = batches + 1
    end
    assert.equals(2, batches)
  end)

  it("refuses what it cannot be", function()
    raises({ "TextDataset", "2 characters", "2 need one more" }, data.TextDataset, "ab", 2)
    raises({ "TextDataset", "cannot read", "nowhere" }, data.TextDataset.from_file, "/nowhere", 2)
    raises({ "TextDataset", "path", "nil" }, data.TextDataset.from_file)
    local text = data.TextDataset("abc", 2)
    raises({ "encode", "character 2", "'z'" }, text.encode, text, "az")
    raises({ "decode", "9", "1..3" }, text.decode, text, numbers(9):narrow(1, 9, 1))
    raises({ "TextDataset", "1..1", "2" }, text.get, text, 2)
  end)
end)

describe("a loader", function()
  it("gives batches in order", function()
    local loader = data.DataLoader(data.TensorDataset(numbers(7)), { batch_size = 3 })
    assert.equals(3, loader:len())
    assert.same({ 1, 2, 3, 4, 5, 6, 7 }, all(loader))
    local sizes = {}
    for x in loader() do sizes[#sizes + 1] = x:size(1) end
    assert.same({ 3, 3, 1 }, sizes)
    raises({ "DataLoader", "for x, y in loader:iter() do" }, function() loader(nil, nil) end)
    local short = data.DataLoader(data.TensorDataset(numbers(7)), { batch_size = 3, drop_last = true })
    assert.equals(2, short:len())
    assert.same({ 1, 2, 3, 4, 5, 6 }, all(short))
  end)

  it("shuffles, the same way for the same seed", function()
    local loader = data.DataLoader(data.TensorDataset(numbers(50)), { batch_size = 8, shuffle = true })
    kiln.manual_seed(5)
    local one, two = all(loader), all(loader)
    kiln.manual_seed(5)
    assert.same(one, all(loader))
    assert.is_false(table.concat(one, " ") == table.concat(two, " "))
    table.sort(one)
    assert.same(numbers(50):tolist(), one)
  end)

  it("collates samples of any dataset", function()
    local loader = data.DataLoader(Squares(5), { batch_size = 2 })
    local x, y
    for a, b in loader:iter() do x, y = x or a, y or b end
    support.near({ { 1, 1 }, { 2, 2 } }, x)
    assert.equals(kiln.int64, y.dtype)
    support.near({ 1, 4 }, y)
    local mine = data.DataLoader(Squares(5), { batch_size = 2,
      collate_fn = function(samples) return #samples end })
    local sizes = {}
    for n in mine:iter() do sizes[#sizes + 1] = n end
    assert.same({ 2, 2, 1 }, sizes)
  end)

  it("collates fields, text and fractions", function()
    local batch, words, ratio = data.default_collate {
      { { a = 1, b = kiln.ones(2) }, "one", 0.5 }, { { a = 2, b = kiln.zeros(2) }, "two", 1 },
    }
    support.near({ 1, 2 }, batch.a)
    support.near({ { 1, 1 }, { 0, 0 } }, batch.b)
    assert.same({ "one", "two" }, words)
    assert.equals(kiln.float32, ratio.dtype)
    raises({ "default_collate", "sample 2", "'a'" }, data.default_collate, { { { a = 1 } }, { { b = 1 } } })
  end)

  it("fetches whole batches of a subset", function()
    local d = data.Subset(data.TensorDataset(numbers(10)), { 9, 2, 4 })
    assert.same({ 9, 2, 4 }, all(data.DataLoader(d, { batch_size = 2 })))
  end)

  it("takes samplers", function()
    local d = data.TensorDataset(numbers(6))
    kiln.manual_seed(1)
    local subset = all(data.DataLoader(d, { sampler = data.SubsetRandomSampler { 2, 4, 6 }, batch_size = 2 }))
    table.sort(subset)
    assert.same({ 2, 4, 6 }, subset)
    local weighted = data.WeightedRandomSampler({ 0, 0, 1, 0, 0, 0 }, 4)
    assert.same({ 3, 3, 3, 3 }, all(data.DataLoader(d, { sampler = weighted, batch_size = 4 })))
    local drawn = all(data.DataLoader(d, { sampler = data.RandomSampler(d, true, 20), batch_size = 4 }))
    assert.equals(20, #drawn)
    local batches = data.BatchSampler(data.SequentialSampler(d), 4)
    local sizes = {}
    for x in data.DataLoader(d, { batch_sampler = batches }):iter() do sizes[#sizes + 1] = x:size(1) end
    assert.same({ 4, 2 }, sizes)
    local shares = {}
    for rank = 0, 1 do
      local sampler = data.DistributedSampler(d, { num_replicas = 2, rank = rank, seed = 3 })
      local mine = data.DataLoader(d, { sampler = sampler, batch_size = 2 })
      for _, v in ipairs(all(mine)) do shares[#shares + 1] = v end
    end
    table.sort(shares)
    assert.same({ 1, 2, 3, 4, 5, 6 }, shares)
  end)

  it("streams an iterable dataset", function()
    local Stream = data.IterableDataset:extend "Stream"
    function Stream:iter()
      local i = 0
      return function()
        i = i + 1
        if i <= 5 then return i, self end
      end
    end
    local loader, sizes = data.DataLoader(Stream(), { batch_size = 2 }), {}
    for x in loader:iter() do sizes[#sizes + 1] = x:size(1) end
    assert.same({ 2, 2, 1 }, sizes)
    raises({ "DataLoader", "no length" }, loader.len, loader)
  end)

  it("goes on with new orders where more is drawn than there is", function()
    local three_samples = data.TensorDataset(kiln.ones(3))
    local list = data.RandomSampler(three_samples, { num_samples = 7 }):positions():tolist()
    assert.equals(7, #list)
    for k = 1, 4, 3 do
      local three = { list[k], list[k + 1], list[k + 2] }
      table.sort(three)
      assert.same({ 1, 2, 3 }, three)
    end
  end)

  it("visits what the dataset has by then", function()
    local Growing = data.Dataset:extend "Growing"
    function Growing:init() self.n = 2 end
    function Growing:len() return self.n end
    function Growing.get(_, i) return i end
    local d = Growing()
    for _, shuffle in ipairs { true, false } do
      d.n = 2
      local loader = data.DataLoader(d, { shuffle = shuffle })
      assert.equals(2, loader:len())
      d.n = 5
      assert.equals(5, loader:len())
      assert.equals(5, #all(loader))
    end
  end)

  it("does not take a sample that is missing for the end", function()
    local Holes = data.Dataset:extend "Holes"
    function Holes.len() return 4 end
    function Holes.get(_, i) return i ~= 3 and i or nil end
    for workers = 0, 2, 2 do
      local loader = data.DataLoader(Holes(), { batch_size = false, num_workers = workers })
      local ok, why = pcall(function() for _ in loader:iter() do end end)
      assert.is_false(ok)
      assert.truthy(why:find("DataLoader: get(3) of the dataset returned nothing", 1, true), why)
    end
  end)

  it("has nothing to give of an empty dataset", function()
    local empty = data.TensorDataset(kiln.ones(0, 2))
    for _, shuffle in ipairs { true, false } do
      local loader = data.DataLoader(empty, { batch_size = 2, shuffle = shuffle })
      assert.equals(0, loader:len())
      for _ in loader:iter() do error "a batch" end
    end
  end)

  it("collates nested tables", function()
    local Nested = data.Dataset:extend "Nested"
    function Nested.len(_self) return 3 end
    function Nested.get(_self, i) return { a = { b = kiln.full({ 2 }, i), c = { i, "t" .. i } } } end
    for x in data.DataLoader(Nested(), { batch_size = 3 }):iter() do
      assert.equals("[3, 2]", tostring(x.a.b.shape))
      assert.same({ 1, 2, 3 }, x.a.c[1]:tolist())
      assert.same({ "t1", "t2", "t3" }, x.a.c[2])
    end
  end)

  it("says which sample does not fit", function()
    local Odd = data.Dataset:extend "Odd"
    function Odd:init(list) self.list = list end
    function Odd:len() return self.list.n or #self.list end
    function Odd:get(i) return self.list[i] end
    local function first(list, options)
      options = options or {}
      options.batch_size = 3
      return data.DataLoader(Odd(list), options):iter()
    end
    raises({ "default_collate", "sample 2 is the string 'a'", "the number 1" }, first { 1, "a", 3 })
    raises({ "default_collate", "sample 2 has no value 1" }, first { 1, nil, 3, n = 3 })
    raises({ "stack", "tensor 2", "[2]", "[1]" }, first { kiln.ones(1), kiln.ones(2) })
    raises({ "DataLoader", "collate_fn returned nothing", "3 samples" },
      first({ 1, 2, 3 }, { collate_fn = function() end }))
  end)

  it("checks its options", function()
    local d = data.TensorDataset(numbers(3))
    raises({ "DataLoader", "dataset must be" }, data.DataLoader, 3)
    raises({ "DataLoader", "batch_size" }, data.DataLoader, d, { batch_size = 0 })
    raises({ "DataLoader", "unknown option 'shufle'" }, data.DataLoader, d, { shufle = true })
    raises({ "DataLoader", "shuffle" }, data.DataLoader, d, { shuffle = true,
      sampler = data.SequentialSampler(d) })
    raises({ "DataLoader", "batch_sampler" }, data.DataLoader, d,
      { batch_size = 2, batch_sampler = data.BatchSampler(data.SequentialSampler(d), 2) })
    raises({ "DataLoader", "sampler must have a method" }, data.DataLoader, d, { sampler = { first = 1 } })
    raises({ "DataLoader", "collate_fn" }, data.DataLoader, d, { collate_fn = 3 })
    raises({ "BatchSampler", "with iter" }, data.BatchSampler, { 1, 2 }, 2)
    raises({ "TensorDataset", "argument 1", "nil" }, data.TensorDataset, nil, kiln.ones(2))
    raises({ "WeightedRandomSampler", "weights[1]", "-1" }, data.WeightedRandomSampler, { -1, 2 }, 3)
    raises({ "random_split", "lengths[1]", "1.5" }, data.random_split, d, { 1.5, 1.5 })
    raises({ "DistributedSampler", "num_replicas" }, data.DistributedSampler, d)
    raises({ "DistributedSampler", "rank", "0..1", "2" }, data.DistributedSampler, d,
      { num_replicas = 2, rank = 2 })
  end)
end)

describe("a generator", function()
  local function new() return kiln.Generator():manual_seed(11) end
  local function order(sampler) return sampler:positions():tolist() end

  it("decides the order of loaders and samplers, whatever else is drawn", function()
    local set = data.TensorDataset(numbers(20))
    local options = { batch_size = 3, shuffle = true, generator = new() }
    local loader = data.DataLoader(set, options)
    local one, two = all(loader), all(loader)
    options.generator = new()
    kiln.rand(5)
    assert.same(one, all(data.DataLoader(set, options)))
    assert.is_false(table.concat(one, " ") == table.concat(two, " "))
    local state = kiln.get_rng_state()
    for _, make in ipairs { function(g) return data.RandomSampler(set, false, 7, g) end,
      function(g) return data.RandomSampler { data_source = set, replacement = true, generator = g } end,
      function(g) return data.SubsetRandomSampler({ 3, 4, 9 }, g) end,
      function(g) return data.WeightedRandomSampler({ 1, 2, 3 }, 5, { generator = g }) end } do
      assert.same(order(make(new())), order(make(new())))
    end
    assert.same(data.random_split(set, { 15, 5 }, new())[2].indices,
      data.random_split(set, { 0.75, 0.25 }, { generator = new() })[2].indices)
    assert.is_true(kiln.get_rng_state():equal(state))
  end)

  it("must be one", function()
    raises({ "RandomSampler", "generator must be a generator" }, data.RandomSampler, numbers(2),
      { generator = kiln })
    raises({ "DataLoader", "multiprocessing_context", "threads" }, data.DataLoader, Squares(2),
      { multiprocessing_context = "spawn" })
  end)

  it("stands beside sources by either name, and tables that are one", function()
    assert.same({ 1, 2, 3 }, order(data.SequentialSampler { data_source = Squares(3) }))
    assert.same({ 1, 2, 3 }, order(data.SequentialSampler { dataset = Squares(3) }))
    local plain = { len = function() return 2 end }
    assert.same({ 1, 2 }, order(data.SequentialSampler(plain)))
    assert.equals(2, data.RandomSampler(plain):len())
  end)
end)

describe("a plain list", function()
  it("is a sampler, or a list of batches", function()
    local d = data.TensorDataset(kiln.arange(10, 50, 10))
    for workers = 0, 1 do
      local function batches(options)
        options.num_workers = workers
        local loader, list = data.DataLoader(d, options), {}
        for x in loader:iter() do list[#list + 1] = x:tolist() end
        assert.equals(#list, loader:len())
        return list
      end
      assert.same({ { 40, 10 }, { 20 } }, batches { sampler = { 4, 1, 2 }, batch_size = 2 })
      assert.same({ { 30 }, { 10, 10, 40 } }, batches { batch_sampler = { { 3 }, { 1, 1, 4 } } })
      assert.same({}, batches { sampler = {} })
    end
  end)
end)

describe("default_convert", function()
  it("hands on what it gets", function() -- there are no arrays to make tensors of
    local sample = { 1, "a" }
    assert.equals(sample, kiln.utils.data.default_convert(sample))
    assert.same({ 1, nil, 3 }, { kiln.utils.data.default_convert(1, nil, 3) })
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
