--- Samplers: in which order the positions of a dataset are visited.
-- A sampler has `len()` and `iter()`; those of kiln also have `positions()`, all of them at once as
-- an int64 tensor, so that a loader can cut batches out of it.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local drawn = require("kiln.random").drawn
local raise, got = check.raise, check.got
local M = {}

---@class kiln.utils.data.Sampler: kiln.Object
local Sampler = Object:extend "Sampler"
M.Sampler = Sampler

function Sampler:iter()
  check.self(self, "iter", "sampler")
  if type(self.positions) ~= "function" then raise(self.__name, "define function %s:iter()", self.__name) end
  local list, i = self:positions():tolist(), 0
  return function()
    i = i + 1
    return list[i]
  end
end

local function count(owner, source)
  local n = source
  if type(source) ~= "number" then
    if type(source) ~= "table" or type(source.len) ~= "function" then
      raise(owner, "needs a dataset with len, not %s", got(source))
    end
    n = source:len()
  end
  n = check.int(n, owner, "the length of the dataset")
  return n >= 0 and n or raise(owner, "the length of the dataset must not be negative, got %d", n)
end

-- A table with `len` and nothing beside it is a dataset, not a table of options.
local function with_source(parse)
  return function(source, ...)
    if select("#", ...) == 0 and type(source) == "table" and type(source.len) == "function" then
      return parse(source, nil)
    end
    return parse(source, ...)
  end
end

local INT64 = { dtype = kiln.int64 }

--- 1, 2, ..., n, where n is the length that the dataset has by then.
M.SequentialSampler = Sampler:extend "SequentialSampler"
local parse_sequential = with_source(args.define("SequentialSampler", "data_source/dataset: any"))
function M.SequentialSampler:init(...)
  self.data_source = parse_sequential(...).data_source
  self:len()
end
function M.SequentialSampler:len()
  check.self(self, "len", "sampler")
  return count("SequentialSampler", self.data_source)
end
function M.SequentialSampler:positions()
  check.self(self, "positions", "sampler")
  local n = self:len()
  return n > 0 and kiln.arange(1, n + 1, INT64) or kiln.empty(0, INT64)
end

--- A new random order every time; with replacement, num_samples draws.  More draws than there are samples
--- without it are one order after another.
M.RandomSampler = Sampler:extend "RandomSampler"
local parse_random = with_source(args.define("RandomSampler", "data_source/dataset: any, "
  .. "replacement: bool = false, num_samples: count?, generator: generator?"))
function M.RandomSampler:init(...)
  local a = parse_random(...)
  self.data_source, self.replacement, self.generator = a.data_source, a.replacement, a.generator
  self.num_samples = a.num_samples
  count("RandomSampler", a.data_source)
end
function M.RandomSampler:len()
  check.self(self, "len", "sampler")
  return self.num_samples or count("RandomSampler", self.data_source)
end
function M.RandomSampler:positions()
  check.self(self, "positions", "sampler")
  local n, draws = count("RandomSampler", self.data_source), self:len()
  if n == 0 then return kiln.empty(0, INT64) end
  if self.replacement then return drawn(self.generator, kiln.randint, 1, n + 1, { draws }, INT64) end
  local orders = {}
  for k = 1, math.max(1, math.ceil(draws / n)) do orders[k] = drawn(self.generator, kiln.randperm, n) end
  return (#orders == 1 and orders[1] or kiln.cat(orders, 1)):narrow(1, 1, draws)
end

--- The given positions in a new random order every time.
M.SubsetRandomSampler = Sampler:extend "SubsetRandomSampler"
local parse_subset = args.define("SubsetRandomSampler", "indices: any, generator: generator?")
function M.SubsetRandomSampler:init(...)
  local a = parse_subset(...)
  local indices = a.indices
  self.generator = a.generator
  if kiln.is_tensor(indices) then indices = indices:tolist() end
  if type(indices) ~= "table" then
    raise("SubsetRandomSampler", "indices must be a list, not %s", got(indices))
  end
  self.indices = kiln.tensor(indices, INT64)
end
function M.SubsetRandomSampler:len()
  check.self(self, "len", "sampler")
  return self.indices:numel()
end
function M.SubsetRandomSampler:positions()
  check.self(self, "positions", "sampler")
  return self.indices:index_select(1, drawn(self.generator, kiln.randperm, self.indices:numel()))
end

--- num_samples draws, each position with a probability proportional to its weight.
M.WeightedRandomSampler = Sampler:extend "WeightedRandomSampler"
local parse_weighted = args.define("WeightedRandomSampler", "weights: any, num_samples: count, "
  .. "replacement: bool = true, generator: generator?")
function M.WeightedRandomSampler:init(...)
  local a = parse_weighted(...)
  self.weights = kiln.is_tensor(a.weights) and a.weights or kiln.tensor(a.weights, { dtype = kiln.float64 })
  if self.weights:dim() ~= 1 then
    raise("WeightedRandomSampler", "weights must be a list of numbers, their shape is %s",
      tostring(self.weights.shape))
  end
  for i, w in ipairs(self.weights:tolist()) do
    local fits = w >= 0 and w < math.huge -- false for NaN
    if not fits then raise("WeightedRandomSampler", "weights[%d] must be at least 0, not %g", i, w) end
  end
  self.num_samples, self.replacement, self.generator = a.num_samples, a.replacement, a.generator
end
function M.WeightedRandomSampler:len()
  check.self(self, "len", "sampler")
  return self.num_samples
end
function M.WeightedRandomSampler:positions()
  check.self(self, "positions", "sampler")
  return drawn(self.generator, kiln.multinomial, self.weights, self.num_samples, self.replacement)
end

--- The share of one of several processes; call set_epoch so that each epoch has its own order.
M.DistributedSampler = Sampler:extend "DistributedSampler"
local parse_distributed = args.define("DistributedSampler", "dataset: any, num_replicas: count?, "
  .. "rank: int?, shuffle: bool = true, seed: int = 0, drop_last: bool = false")
function M.DistributedSampler:init(...)
  local a = parse_distributed(...)
  for name, v in pairs(a) do self[name] = v end
  if not (self.num_replicas and self.rank) then
    raise("DistributedSampler", "needs num_replicas, how many processes there are, and rank, which this is")
  end
  if self.rank < 0 or self.rank >= self.num_replicas then
    raise("DistributedSampler", "rank must be in 0..%d, not %d", self.num_replicas - 1, self.rank)
  end
  self.n, self.epoch = count("DistributedSampler", a.dataset), 0
  self.share = (a.drop_last and math.floor or math.ceil)(self.n / self.num_replicas)
end
jit.off(M.DistributedSampler.init)
function M.DistributedSampler:set_epoch(epoch)
  check.self(self, "set_epoch", "sampler")
  self.epoch = check.int(epoch, "DistributedSampler", "set_epoch: epoch")
end
function M.DistributedSampler:len()
  check.self(self, "len", "sampler")
  return self.share
end
function M.DistributedSampler:positions()
  check.self(self, "positions", "sampler")
  local mine = (kiln.arange(self.share, INT64) * self.num_replicas + self.rank):remainder(self.n) + 1
  if not self.shuffle then return mine end
  local state = kiln.get_rng_state()
  kiln.manual_seed(self.seed + self.epoch)
  local order = kiln.randperm(self.n)
  kiln.set_rng_state(state)
  return order:index_select(1, mine)
end

--- Groups what another sampler gives into lists of batch_size positions.
M.BatchSampler = Object:extend "BatchSampler"
local parse_batch = args.define("BatchSampler", "sampler: table, batch_size: count, drop_last: bool = false")
function M.BatchSampler:init(...)
  for name, v in pairs(parse_batch(...)) do self[name] = v end
  if type(self.sampler.iter) ~= "function" then
    raise("BatchSampler", "sampler must be a sampler with iter, not %s", got(self.sampler))
  end
end
jit.off(M.BatchSampler.init)
function M.BatchSampler:len()
  check.self(self, "len", "sampler")
  return (self.drop_last and math.floor or math.ceil)(self.sampler:len() / self.batch_size)
end
function M.BatchSampler:iter()
  check.self(self, "iter", "sampler")
  local next_position = check.fn(self.sampler:iter(), self.sampler.__name or "sampler", "what iter() returns")
  return function()
    local batch = {}
    while #batch < self.batch_size do
      local i = next_position()
      if i == nil then break end
      batch[#batch + 1] = i
    end
    if #batch == 0 or (self.drop_last and #batch < self.batch_size) then return nil end
    return batch
  end
end

return M
