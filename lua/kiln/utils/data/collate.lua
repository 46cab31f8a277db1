--- Makes a batch of a list of samples: tensors are stacked, numbers become a tensor, tables are
-- collated field by field, anything else stays a list.  Numbers that are all whole make an int64 tensor: Lua
-- does not tell 1 from 1.0, so a dataset of measurements returns tensors.
local ffi = require "ffi"
local kiln = require "kiln"
local check = require "kiln.check"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise, got = check.raise, check.got

local M = {}

local MOST_DEEP = 100 -- tables in tables; a table in itself has no end

local function int64_number(v) return type(v) == "cdata" and ffi.istype("int64_t", v) end

local function collate(values, depth)
  local first = values[1]
  for i = 2, #values do
    if type(values[i]) ~= type(first) then
      raise("default_collate", "sample %d is %s, sample 1 %s", i, got(values[i]), got(first))
    end
  end
  if kiln.is_tensor(first) then return kiln.stack(values, 1) end
  if int64_number(first) then return kiln.tensor(values, { dtype = kiln.int64 }) end
  if type(first) == "number" then
    local whole = true
    for _, v in ipairs(values) do whole = whole and v % 1 == 0 and math.abs(v) < 2 ^ 53 end
    return kiln.tensor(values, whole and { dtype = kiln.int64 } or nil)
  end
  if type(first) == "boolean" then return kiln.tensor(values, { dtype = kiln.bool }) end
  if type(first) ~= "table" then return values end
  if depth > MOST_DEEP then raise("default_collate", "tables stand in each other %d deep", depth) end
  for i, v in ipairs(values) do
    if #v ~= #first then
      raise("default_collate", "sample %d has a list of %d values, sample 1 of %d", i, #v, #first)
    end
  end
  local batch = {}
  for key in pairs(first) do
    local field = {}
    for i, v in ipairs(values) do
      if type(v) ~= "table" or v[key] == nil then
        raise("default_collate", "sample %d has no field '%s', sample 1 has", i, tostring(key))
      end
      field[i] = v[key]
    end
    batch[key] = collate(field, depth + 1)
  end
  return batch
end

--- What a loader without batches does with a sample: nothing.  (There, it makes tensors of NumPy's arrays.)
---@return any
function M.default_convert(...) return ... end

--- Each sample is a list of the values that `get` returned.  Returns as many values.  Numbers of a batch that
-- are all whole become int64, others the default dtype.
---@param samples any[][]
function M.default_collate(samples)
  if type(samples) ~= "table" or type(samples[1]) ~= "table" then
    raise("default_collate", "samples must be a list of lists, not %s", got(samples))
  end
  local out, n = {}, samples[1].n or #samples[1]
  if n == 0 then raise("default_collate", "the samples are empty: does get return something?") end
  for k = 1, n do
    local values = {}
    for i, sample in ipairs(samples) do
      local count = sample.n or #sample
      if count > n then raise("default_collate", "sample %d has %d values, sample 1 has %d", i, count, n) end
      values[i] = sample[k]
      if values[i] == nil then raise("default_collate", "sample %d has no value %d of %d", i, k, n) end
    end
    out[k] = collate(values, 1)
  end
  return unpack(out, 1, n)
end

return M
