--- Sequences of different lengths: packed step by step for the recurrent layers, and padded.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

--- The rows of all steps, first step first; step t has batch_sizes[t] of them.
---@class kiln.nn.utils.PackedSequence: kiln.Object
---@field data kiln.Tensor [rows, ...]
---@field batch_sizes kiln.Tensor int64, never growing
---@field sorted_indices kiln.Tensor? which sequence stands where, longest first
---@field unsorted_indices kiln.Tensor? the way back
local PackedSequence = Object:extend "PackedSequence"
M.PackedSequence = PackedSequence

function PackedSequence:init(data, batch_sizes, sorted_indices, unsorted_indices)
  if not kiln.is_tensor(data) then raise("PackedSequence", "data must be a tensor, not %s", got(data)) end
  if type(batch_sizes) == "table" then batch_sizes = kiln.tensor(batch_sizes, { dtype = kiln.int64 }) end
  local is_list = kiln.is_tensor(batch_sizes) and batch_sizes.dtype == kiln.int64 and batch_sizes:dim() == 1
    and batch_sizes:numel() > 0
  if not is_list then
    raise("PackedSequence", "batch_sizes must be an int64 tensor [steps], not %s", got(batch_sizes))
  end
  self.data, self.batch_sizes = data, batch_sizes
  self.sorted_indices, self.unsorted_indices = sorted_indices, unsorted_indices
end

--- The same steps with other data.
function PackedSequence:with(data)
  return PackedSequence(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)
end

function PackedSequence:to(...)
  local data = self.data:to(...)
  local function beside(index) return index and index:to(data.device) end
  return PackedSequence(data, self.batch_sizes, beside(self.sorted_indices), beside(self.unsorted_indices))
end

for _, name in ipairs { "double", "float", "half", "bfloat16", "long", "int", "cpu", "cuda" } do
  --- The same with data converted as a tensor is.
  PackedSequence[name] = function(self, ...)
    return self:to(self.data[name](self.data, ...))
  end
end

function M.is_packed(v) return Object.is_instance(v, PackedSequence) end

local function int64(list, device) return kiln.tensor(list, { dtype = kiln.int64, device = device }) end

-- Rows of x [a, b, ...] as [a * b, ...].
local function as_rows(x)
  local shape = { x:size(1) * x:size(2) }
  for d = 3, x:dim() do shape[#shape + 1] = x:size(d) end
  return x:reshape(shape)
end

local parse_pack = args.define("pack_padded_sequence",
  "input: tensor, lengths: any, batch_first: bool = false, enforce_sorted: bool = true")

--- Packs x [steps, batch, ...]; lengths in decreasing order, or in any with enforce_sorted = false.
---@return kiln.nn.utils.PackedSequence
function M.pack_padded_sequence(...)
  local a = parse_pack(...)
  if a.input:dim() < 2 then
    raise("pack_padded_sequence", "input must have at least 2 dims, not %d", a.input:dim())
  end
  local x = a.batch_first and a.input:transpose(1, 2) or a.input
  local lengths = kiln.is_tensor(a.lengths) and a.lengths:tolist() or a.lengths
  local steps, n = x:size(1), x:size(2)
  if type(lengths) ~= "table" then
    raise("pack_padded_sequence", "lengths must be a list, not %s", got(lengths))
  end
  if #lengths ~= n then raise("pack_padded_sequence", "%d lengths for a batch of %d", #lengths, n) end
  local order = {}
  for i = 1, n do
    local v = lengths[i]
    if type(v) ~= "number" or v < 1 or v > steps or v ~= math.floor(v) then
      raise("pack_padded_sequence", "lengths[%d] must be in 1..%d, not %s", i, steps, got(v))
    end
    if a.enforce_sorted and i > 1 and v > lengths[i - 1] then
      raise("pack_padded_sequence", "lengths must not grow (or say enforce_sorted = false): "
        .. "lengths[%d] is %d after %d", i, v, lengths[i - 1])
    end
    order[i] = i
  end
  local sorted, unsorted
  if not a.enforce_sorted then
    table.sort(order, function(i, j)
      return lengths[i] > lengths[j] or (lengths[i] == lengths[j] and i < j)
    end)
    local back = {}
    for k, i in ipairs(order) do back[i] = k end
    sorted, unsorted = int64(order, x.device), int64(back, x.device)
  end
  local positions, sizes = {}, {}
  for t = 1, lengths[order[1]] do
    local size = 0
    while size < n and lengths[order[size + 1]] >= t do
      size = size + 1
      positions[#positions + 1] = (t - 1) * n + order[size]
    end
    sizes[t] = size
  end
  local rows = as_rows(x):index_select(1, int64(positions, x.device))
  return PackedSequence(rows, int64(sizes), sorted, unsorted)
end

local parse_pad = args.define("pad_packed_sequence",
  "sequence: table, batch_first: bool = false, padding_value: number = 0, total_length: count?")

--- The inverse: x [steps, batch, ...] and the lengths as an int64 tensor.
---@return kiln.Tensor, kiln.Tensor
function M.pad_packed_sequence(...)
  local a = parse_pad(...)
  local sequence = a.sequence
  if not M.is_packed(sequence) then
    raise("pad_packed_sequence", "sequence must be packed, not %s", got(sequence))
  end
  local sizes = sequence.batch_sizes:tolist()
  local n, steps = sizes[1], a.total_length or #sizes
  if steps < #sizes then
    raise("pad_packed_sequence", "total_length is %d, the longest has %d", steps, #sizes)
  end
  local data = sequence.data
  local shape = { steps, n }
  for d = 2, data:dim() do shape[d + 1] = data:size(d) end
  check.room("pad_packed_sequence", "total_length", shape, data)
  local padding_shape = { 1 }
  for d = 2, data:dim() do padding_shape[d] = data:size(d) end
  local padding = kiln.full(padding_shape, a.padding_value, { dtype = data.dtype, device = data.device })
  local back = sequence.unsorted_indices and sequence.unsorted_indices:tolist()
  local positions, lengths, row = {}, {}, 0
  for i = 1, n do lengths[i] = 0 end
  for t, size in ipairs(sizes) do
    for i = 1, n do
      local k = back and back[i] or i
      positions[#positions + 1] = k <= size and row + k or data:size(1) + 1
      if k <= size then lengths[i] = t end
    end
    row = row + size
  end
  local rows = kiln.cat({ data, padding }, 1):index_select(1, int64(positions, data.device))
  shape[1] = #sizes
  local x = rows:view(shape)
  if steps > #sizes then
    shape[1] = steps - #sizes
    x = kiln.cat({ x, padding:expand(shape) }, 1)
  end
  return a.batch_first and x:transpose(1, 2) or x, int64(lengths)
end

local function check_sequences(name, sequences)
  if type(sequences) ~= "table" or #sequences == 0 then
    raise(name, "sequences must be a list of tensors, not %s", got(sequences))
  end
  for i, s in ipairs(sequences) do
    if check.tensor(s, name, ("sequences[%d]"):format(i)):dim() == 0 then
      raise(name, "sequences[%d] has no dims", i)
    end
  end
end

local parse_pad_sequence = args.define("pad_sequence", "sequences: table, batch_first: bool = false, "
  .. "padding_value: number = 0, padding_side: right|left = right")

--- Sequences [length, ...] of a list as one padded tensor [longest, batch, ...].
function M.pad_sequence(...)
  local a = parse_pad_sequence(...)
  local sequences, longest = a.sequences, 0
  check_sequences("pad_sequence", sequences)
  for _, s in ipairs(sequences) do longest = math.max(longest, s:size(1)) end
  local padded = {}
  for i, s in ipairs(sequences) do
    local missing = longest - s:size(1)
    if missing > 0 then
      local shape = { missing }
      for d = 2, s:dim() do shape[d] = s:size(d) end
      local padding = kiln.full(shape, a.padding_value, { dtype = s.dtype, device = s.device })
      s = kiln.cat(a.padding_side == "left" and { padding, s } or { s, padding }, 1)
    end
    padded[i] = s
  end
  return kiln.stack(padded, a.batch_first and 1 or 2)
end

local parse_unpad = args.define("unpad_sequence", "padded_sequences: tensor, lengths: any, "
  .. "batch_first: bool = false")

--- The inverse: a list of sequences [length, ...], views of the padded tensor.
---@return kiln.Tensor[]
function M.unpad_sequence(...)
  local a = parse_unpad(...)
  local lengths = kiln.is_tensor(a.lengths) and a.lengths:tolist() or a.lengths
  local x, batch, list = a.padded_sequences, a.batch_first and 1 or 2, {}
  check.at_least(x:dim(), "unpad_sequence", "the number of dims", 2)
  local steps = x:size(3 - batch)
  if type(lengths) ~= "table" or #lengths ~= x:size(batch) then
    raise("unpad_sequence", "lengths must be a list of %d, not %s", x:size(batch), got(lengths))
  end
  for i, length in ipairs(lengths) do
    local fits = type(length) == "number" and length >= 0 and length <= steps and length % 1 == 0
    if not fits then
      raise("unpad_sequence", "lengths[%d] must be in 0..%d, not %s", i, steps, got(length))
    end
    list[i] = x:select(batch, i):narrow(1, 1, length)
  end
  return list
end

local parse_pack_list = args.define("pack_sequence", "sequences: table, enforce_sorted: bool = true")

--- Packs a list of sequences [length, ...].
function M.pack_sequence(...)
  local a = parse_pack_list(...)
  check_sequences("pack_sequence", a.sequences)
  local lengths = {}
  for i, s in ipairs(a.sequences) do lengths[i] = s:size(1) end
  return M.pack_padded_sequence(M.pad_sequence(a.sequences), lengths, { enforce_sorted = a.enforce_sorted })
end

--- A packed sequence as a list of sequences [length, ...] in the order of the batch.
---@return kiln.Tensor[]
function M.unpack_sequence(sequence)
  local padded, lengths = M.pad_packed_sequence(sequence, { batch_first = true })
  return M.unpad_sequence(padded, lengths, { batch_first = true })
end

return M
