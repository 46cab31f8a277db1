--- Datasets: `len()` samples, of which `get(i)` (or dataset[i]) returns the i-th, as one or more values.
-- A dataset that can fetch many samples at once also has `get_batch(positions)`, which a loader then
-- uses instead.  Iterable datasets have `iter()` only.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local drawn = require("kiln.random").drawn
local raise, got = check.raise, check.got
local M = {}

---@class kiln.utils.data.Dataset: kiln.Object
local Dataset = Object:extend "Dataset"
M.Dataset = Dataset

function Dataset:__index(key)
  if type(key) == "number" then return self:get(key) end
  return getmetatable(self)[key]
end

function Dataset:get()
  check.self(self, "get", "dataset")
  raise(self.__name, "define function %s:get(i)", self.__name)
end
function Dataset:len()
  check.self(self, "len", "dataset")
  raise(self.__name, "define function %s:len()", self.__name)
end

--- `a + b` is both, one after the other.
function Dataset.__add(a, b) return M.ConcatDataset { a, b } end

--- Refuses a position outside 1..len, lets negative ones count from the end.
function Dataset:position(i)
  check.self(self, "position", "dataset")
  local n = self:len()
  if type(i) ~= "number" or i ~= math.floor(i) or i == 0 or i > n or i < -n then
    raise(self.__name, "position must be in 1..%d, not %s", n, got(i))
  end
  return i < 0 and n + i + 1 or i
end

--- A stream of samples without positions: define iter(), which returns an iterator function.
M.IterableDataset = Object:extend "IterableDataset"
function M.IterableDataset:iter()
  check.self(self, "iter", "dataset")
  raise(self.__name, "define function %s:iter()", self.__name)
end

local function check_dataset(owner, what, d)
  if type(d) ~= "table" or Object.is_class(d) or type(d.get) ~= "function" or type(d.len) ~= "function" then
    raise(owner, "%s must be a dataset with get and len, not %s", what, got(d))
  end
end
Dataset.check = check_dataset

-- -- Tensors -----------------------------------------------------------------------------------

--- Samples are the slices of some tensors along their first dim: TensorDataset(images, labels).
M.TensorDataset = Dataset:extend "TensorDataset"

function M.TensorDataset:init(...)
  self.tensors = { ... }
  if select("#", ...) == 0 then raise("TensorDataset", "takes at least one tensor") end
  for i = 1, select("#", ...) do
    local t = self.tensors[i]
    if not kiln.is_tensor(t) then
      raise("TensorDataset", "argument %d must be a tensor, not %s", i, got(t))
    end
    if t:dim() == 0 then raise("TensorDataset", "argument %d has no dims", i) end
    if t:size(1) ~= self.tensors[1]:size(1) then
      raise("TensorDataset", "argument %d has %d samples and argument 1 has %d", i, t:size(1),
        self.tensors[1]:size(1))
    end
  end
end

function M.TensorDataset:len()
  check.self(self, "len", "dataset")
  return self.tensors[1]:size(1)
end

local function map_tensors(self, fn)
  local out = {}
  for i, t in ipairs(self.tensors) do out[i] = fn(t) end
  return unpack(out)
end

function M.TensorDataset:get(i)
  check.self(self, "get", "dataset")
  i = self:position(i)
  return map_tensors(self, function(t) return t:select(1, i) end)
end

function M.TensorDataset:get_batch(positions)
  check.self(self, "get_batch", "dataset")
  return map_tensors(self, function(t) return t:index_select(1, positions:to(t.device)) end)
end

--- Samples first to last without a copy.
function M.TensorDataset:get_range(first, last)
  check.self(self, "get_range", "dataset")
  first, last = check.int(first, "TensorDataset", "first"), check.int(last, "TensorDataset", "last")
  return map_tensors(self, function(t) return t:narrow(1, first, last - first + 1) end)
end

-- -- Combinations ------------------------------------------------------------------------------

--- Several datasets as one: ConcatDataset { a, b }.
M.ConcatDataset = Dataset:extend "ConcatDataset"

function M.ConcatDataset:init(datasets)
  if type(datasets) ~= "table" or #datasets == 0 then
    raise("ConcatDataset", "takes a list of datasets, not %s", got(datasets))
  end
  self.datasets, self.ends = datasets, {}
  local total = 0
  for i, d in ipairs(datasets) do
    check_dataset("ConcatDataset", ("datasets[%d]"):format(i), d)
    total = total + d:len()
    self.ends[i] = total
  end
end

function M.ConcatDataset:len()
  check.self(self, "len", "dataset")
  return self.ends[#self.ends]
end

function M.ConcatDataset:get(i)
  check.self(self, "get", "dataset")
  i = self:position(i)
  local start = 0
  for k, last in ipairs(self.ends) do
    if i <= last then return self.datasets[k]:get(i - start) end
    start = last
  end
end

--- Several datasets side by side: sample i has sample i of each, as StackDataset(a, b) in a row, as
-- StackDataset { x = a, y = b } by name.
M.StackDataset = Dataset:extend "StackDataset"

function M.StackDataset:init(first, ...)
  local named = select("#", ...) == 0 and type(first) == "table" and getmetatable(first) == nil
  self.datasets, self.named = named and first or { first, ... }, named and first[1] == nil
  local length
  for key, d in pairs(self.datasets) do
    check_dataset("StackDataset", ("dataset '%s'"):format(check.one_line(key)), d)
    length = length or d:len()
    if d:len() ~= length then
      raise("StackDataset", "the datasets must be equally long, not %d and %d", length, d:len())
    end
  end
  if not length then raise("StackDataset", "takes at least one dataset") end
  self.length = length
end
jit.off(M.StackDataset.init)

function M.StackDataset:len()
  check.self(self, "len", "dataset")
  return self.length
end

function M.StackDataset:get(i)
  check.self(self, "get", "dataset")
  i = self:position(i)
  local sample = {}
  for key, d in pairs(self.datasets) do sample[key] = d:get(i) end
  if self.named then return sample end
  return unpack(sample, 1, #self.datasets)
end
jit.off(M.StackDataset.get)

--- Streams one after another: ChainDataset { a, b }.
M.ChainDataset = M.IterableDataset:extend "ChainDataset"

function M.ChainDataset:init(datasets)
  if type(datasets) ~= "table" or #datasets == 0 then
    raise("ChainDataset", "takes a list of datasets, not %s", got(datasets))
  end
  for i, d in ipairs(datasets) do
    if not Object.is_instance(d, M.IterableDataset) then
      raise("ChainDataset", "datasets[%d] must be an iterable dataset, not %s", i, got(d))
    end
  end
  self.datasets = datasets
end

function M.ChainDataset:iter()
  check.self(self, "iter", "dataset")
  local k, next_sample = 0, nil
  local function go(first, ...)
    if first ~= nil then return first, ... end
    k = k + 1
    if not self.datasets[k] then
      k = k - 1
      return nil
    end
    next_sample = check.fn(self.datasets[k]:iter(), self.datasets[k].__name, "what iter() returns")
    return go(next_sample())
  end
  return function()
    if not next_sample then return go(nil) end
    return go(next_sample())
  end
end

--- Some samples of a dataset, by position.
M.Subset = Dataset:extend "Subset"

function M.Subset:init(dataset, indices)
  check_dataset("Subset", "dataset", dataset)
  if kiln.is_tensor(indices) then indices = indices:tolist() end
  if type(indices) ~= "table" then
    raise("Subset", "indices must be a list of positions, not %s", got(indices))
  end
  local n = dataset:len()
  for k, i in ipairs(indices) do
    if type(i) ~= "number" or i < 1 or i > n or i ~= math.floor(i) then
      raise("Subset", "indices[%d] must be in 1..%d, not %s", k, n, got(i))
    end
  end
  self.dataset, self.indices = dataset, indices
  if dataset.get_batch and #indices > 0 then
    self.index_tensor = kiln.tensor(indices, { dtype = kiln.int64 })
  end
end

function M.Subset:len()
  check.self(self, "len", "dataset")
  return #self.indices
end
function M.Subset:get(i)
  check.self(self, "get", "dataset")
  return self.dataset:get(self.indices[self:position(i)])
end

function M.Subset:__index(key)
  -- Batches can be had where the whole dataset has them.
  if key == "get_batch" then
    local index = rawget(self, "index_tensor")
    return index and function(_, positions)
      return self.dataset:get_batch(index:index_select(1, positions))
    end
  end
  return Dataset.__index(self, key)
end

local parse_split = args.define("random_split", "dataset: any, lengths: table, generator: generator?")

--- Splits a dataset at random into parts of the given lengths (or shares that sum to 1).
---@return kiln.utils.data.Dataset[]
function M.random_split(...)
  local a = parse_split(...)
  local dataset, lengths = a.dataset, a.lengths
  check_dataset("random_split", "dataset", dataset)
  if type(lengths) ~= "table" or #lengths == 0 then
    raise("random_split", "lengths must be a list of numbers, not %s", got(lengths))
  end
  local n, sum, sizes = dataset:len(), 0, {}
  for k, v in ipairs(lengths) do
    local fits = type(v) == "number" and v >= 0
    if not fits then
      raise("random_split", "lengths[%d] must be a number of at least 0, not %s", k, got(v))
    end
    sum = sum + v
  end
  if math.abs(sum - 1) < 1e-9 and lengths[1] < 1 then
    local left = n
    for k, v in ipairs(lengths) do
      sizes[k] = math.floor(n * v)
      left = left - sizes[k]
    end
    for k = 1, left do sizes[(k - 1) % #sizes + 1] = sizes[(k - 1) % #sizes + 1] + 1 end
  else
    if sum ~= n then raise("random_split", "lengths sum to %g, the dataset has %d samples", sum, n) end
    for k, v in ipairs(lengths) do
      if v % 1 ~= 0 then raise("random_split", "lengths[%d] must be whole, not %g", k, v) end
    end
    sizes = lengths
  end
  local order, parts, at = drawn(a.generator, kiln.randperm, n):tolist(), {}, 0
  for k, size in ipairs(sizes) do
    local part = {}
    for i = 1, size do part[i] = order[at + i] end
    parts[k] = M.Subset(dataset, part)
    at = at + size
  end
  return parts
end

return M
