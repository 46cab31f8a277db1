--- DataLoader: batches of a dataset in the order of a sampler.
-- A dataset that fetches whole batches (`get_batch`) is asked for them; others are asked sample by
-- sample and collated.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local dataset = require "kiln.utils.data.dataset"
local samplers = require "kiln.utils.data.sampler"
local collate = require "kiln.utils.data.collate"
local check = require "kiln.check"
local leaves = require "kiln.autograd.leaves"

local drawn = require("kiln.random").drawn
local raise, got = check.raise, check.got

---@class kiln.utils.data.DataLoader: kiln.Object
local DataLoader = Object:extend "DataLoader"

local LIST = "dataset: any, batch_size: any = 1, shuffle: bool = false, "
  .. "sampler: table?, batch_sampler: table?, num_workers: int = 0, collate_fn: function?, "
  .. "pin_memory: bool = false, drop_last: bool = false, timeout: number = 0, worker_init_fn: function?, "
  .. "multiprocessing_context: any?, generator: generator?, prefetch_factor/prefetch: count = 2, "
  .. "persistent_workers: bool = false, pin_memory_device: string?, in_order: bool = true"
local parse = args.define("DataLoader", LIST)
DataLoader.argument_list = args.plain(LIST) -- for help

local MOST_WORKERS, MOST_AHEAD = 1024, 1024

-- batch_size = false hands samples on one by one, as they are.
local function check_batch_size(a)
  if a.batch_size == false then
    if a.drop_last then raise("DataLoader", "drop_last goes without batch_size = false") end
    return
  end
  local is_count = type(a.batch_size) == "number" and a.batch_size >= 1 and a.batch_size % 1 == 0
    and a.batch_size < 2 ^ 53
  if not is_count then
    raise("DataLoader", "batch_size must be a whole number of at least 1, or false, not %s",
      got(a.batch_size))
  end
end

-- A plain list in the place of a sampler: its elements in order.
local Listed = samplers.Sampler:extend "ListedSampler"
function Listed:init(list) self.list = list end
function Listed:len() return #self.list end
function Listed:iter()
  local i = 0
  return function()
    i = i + 1
    return self.list[i]
  end
end

local function as_sampler(v)
  local is_list = v ~= nil and getmetatable(v) == nil and (#v > 0 or next(v) == nil)
  return is_list and Listed(v) or v
end

function DataLoader:init(...)
  local a = parse(...)
  a.sampler, a.batch_sampler = as_sampler(a.sampler), as_sampler(a.batch_sampler)
  check_batch_size(a)
  if a.multiprocessing_context ~= nil then
    raise("DataLoader", "multiprocessing_context must be left out: workers are threads")
  end
  self.iterable = Object.is_instance(a.dataset, dataset.IterableDataset)
  if not self.iterable then dataset.Dataset.check("DataLoader", "dataset", a.dataset) end
  if a.shuffle and (a.sampler or self.iterable) then
    raise("DataLoader", "shuffle goes with neither a sampler nor an iterable dataset")
  end
  if a.batch_sampler and (a.sampler or a.shuffle or a.drop_last or a.batch_size ~= 1) then
    raise("DataLoader", "batch_sampler stands for batch_size, shuffle, sampler and drop_last")
  end
  for name, methods in pairs { sampler = { "iter", "len" }, batch_sampler = { "iter", "len" } } do
    for _, method in ipairs(methods) do
      if a[name] and type(a[name][method]) ~= "function" then
        raise("DataLoader", "%s must have a method %s", name, method)
      end
    end
  end
  if a.num_workers < 0 or a.num_workers > MOST_WORKERS then
    raise("DataLoader", "num_workers must be from 0 to %d, not %d", MOST_WORKERS, a.num_workers)
  end
  if a.persistent_workers and a.num_workers == 0 then
    raise("DataLoader", "persistent_workers needs num_workers above 0")
  end
  if a.prefetch_factor > MOST_AHEAD then
    raise("DataLoader", "prefetch_factor must be from 1 to %d batches, not %d", MOST_AHEAD, a.prefetch_factor)
  end
  local has_time = a.timeout >= 0 -- false for NaN
  if not has_time then raise("DataLoader", "timeout must be at least 0 seconds, not %g", a.timeout) end
  for name, v in pairs(a) do self[name] = v end
  if not self.iterable and not a.batch_sampler then
    self.sampler = a.sampler or a.shuffle and samplers.RandomSampler(a.dataset, { generator = a.generator })
      or samplers.SequentialSampler(a.dataset)
  end
end
jit.off(DataLoader.init)

--- How many batches there are.
function DataLoader:len()
  check.self(self, "len", "loader")
  if self.iterable then raise("DataLoader", "an iterable dataset has no length") end
  if self.batch_sampler then return self.batch_sampler:len() end
  if not self.batch_size then return self.sampler:len() end
  return (self.drop_last and math.floor or math.ceil)(self.sampler:len() / self.batch_size)
end

local function pack(...) return { n = select("#", ...), ... } end

-- The batch that a collate function made; a loop would take nil for the end.
local function collated(self, samples)
  if not self.collate_fn then return collate.default_collate(samples) end
  local batch = pack(self.collate_fn(samples))
  if batch[1] == nil then raise("DataLoader", "collate_fn returned nothing for %d samples", #samples) end
  return unpack(batch, 1, batch.n)
end

-- A sample of a position, which must not be nil: that would end a loop.
local function not_nil(position, first, ...)
  if first == nil then raise("DataLoader", "get(%s) of the dataset returned nothing", tostring(position)) end
  return first, ...
end

-- A sample that is no part of a batch.
local function alone(self, ...)
  if self.collate_fn then return collated(self, pack(...)) end
  return ...
end

--- The batch of a list (or tensor) of positions; the sample of one position where there are no batches.
function DataLoader:fetch(positions)
  check.self(self, "fetch", "loader")
  local d = self.dataset
  if not self.batch_size then return alone(self, not_nil(positions, d:get(positions))) end
  if type(positions) ~= "table" and not kiln.is_tensor(positions) then
    raise("DataLoader", "batch_sampler must give lists of positions, not %s", got(positions))
  end
  if d.get_batch and not self.collate_fn then
    if not kiln.is_tensor(positions) then positions = kiln.tensor(positions, { dtype = kiln.int64 }) end
    return d:get_batch(positions)
  end
  if kiln.is_tensor(positions) then positions = positions:tolist() end
  local samples = {}
  for k, i in ipairs(positions) do samples[k] = pack(d:get(i)) end
  return collated(self, samples)
end

-- An iterator over batches of positions: tensors where the sampler gives all at once.
local function position_batches(self)
  local given = self.batch_sampler or not self.batch_size and self.sampler
  if given then return check.fn(given:iter(), given.__name or "sampler", "what iter() returns") end
  if type(self.sampler.positions) ~= "function" then
    return samplers.BatchSampler(self.sampler, self.batch_size, self.drop_last):iter()
  end
  local all, first = self.sampler:positions(), 1
  local n = all:numel()
  return function()
    local size = math.min(self.batch_size, n - first + 1)
    if size <= 0 or (self.drop_last and size < self.batch_size) then return nil end
    first = first + size
    return all:narrow(1, first - size, size)
  end
end

--- Batches of a stream of samples, batch_size at a time.
function DataLoader:stream()
  local read = check.fn(self.dataset:iter(), self.dataset.__name, "what iter() returns")
  -- Nothing is read behind the end: a coroutine is dead then.
  local function keep(first, ...)
    if first == nil then read = nil end
    return first, ...
  end
  local function next_sample()
    if read then return keep(read()) end
  end
  if not self.batch_size then return function() return self:one(next_sample()) end end
  return function()
    local samples = {}
    while #samples < self.batch_size do
      local sample = pack(next_sample())
      if sample[1] == nil then break end
      samples[#samples + 1] = sample
    end
    if #samples == 0 or (self.drop_last and #samples < self.batch_size) then return nil end
    return collated(self, samples)
  end
end

-- A sample of a stream without batches; nil at its end.
function DataLoader:one(first, ...)
  if first == nil then return nil end
  return alone(self, first, ...)
end

local function batches(self)
  -- Drawn whether there are workers or not, so that their number does not change what is drawn later.
  local seed = drawn(self.generator, kiln.randint, 0, 2 ^ 31, { 1 }):item()
  if self.num_workers > 0 then
    local next_positions = not self.iterable and position_batches(self) or nil
    return require("kiln.utils.data.workers").iter(self, seed, next_positions)
  end
  if self.iterable then return self:stream() end
  -- In order, a range of tensors needs no copy.
  local d = self.dataset
  local in_order = not self.batch_sampler and self.batch_size
    and Object.is_instance(self.sampler, samplers.SequentialSampler)
  if in_order and d.get_range and not self.collate_fn then
    local first, n = 1, d:len()
    return function()
      local last = math.min(first + self.batch_size - 1, n)
      if first > n or (self.drop_last and last - first + 1 < self.batch_size) then return nil end
      local from = first
      first = last + 1
      return d:get_range(from, last)
    end
  end
  local next_positions = position_batches(self)
  return function()
    local positions = next_positions()
    if positions == nil then return nil end
    return self:fetch(positions)
  end
end

-- The tensors of a batch in page-locked memory.
local function pinned(...)
  local batch = leaves.map(pack(...), function(x) return x:pin_memory() end)
  return unpack(batch, 1, batch.n)
end

--- `for x, y in loader:iter() do`: one pass over the data.
---@return fun(): ...
function DataLoader:iter()
  check.self(self, "iter", "loader")
  local next_batch = batches(self)
  if not self.pin_memory then return next_batch end
  return function() return pinned(next_batch()) end
end

--- `for x, y in loader() do`
function DataLoader:__call(...)
  if select("#", ...) > 0 then -- `for x, y in loader do` calls it with two nils
    raise("DataLoader", "a loop goes over what iter() returns: for x, y in loader:iter() do")
  end
  return self:iter()
end

function DataLoader:__tostring()
  local what = self.batch_size and ("batches of %d"):format(self.batch_size) or "samples"
  return self.iterable and ("DataLoader(a stream of %s)"):format(what)
    or ("DataLoader(%d %s)"):format(self:len(), what)
end

return { DataLoader = DataLoader }
