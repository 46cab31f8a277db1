--- What memory is in use, and how to give it back.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local handles = require "kiln.handles"

local M = {}

local FIELDS = { "live_bytes", "peak_bytes", "cached_bytes", "live_tensors", "live_storages",
  "live_nodes", "soft_limit" }

local function device_code(device, name)
  return device == nil and 0 or check.device(device, name)
end

--- Counts of a device's memory: live_bytes, peak_bytes, cached_bytes (freed, kept for reuse),
--- live_tensors, live_storages, live_nodes (of recorded graphs), soft_limit (bytes from which the
--- binding collects) and collections (how often it did).
---@param device? string  "cpu" when left out
---@return table<string, integer>
function M.memory(device)
  check.poll()
  local m = C.kiln_peek_memory(device_code(device, "memory"))
  local t = { collections = handles.collections }
  for _, field in ipairs(FIELDS) do t[field] = tonumber(m[field]) end
  return t
end

--- Collects garbage now and releases every tensor that nothing refers to.
function M.collect()
  handles.collect()
  check.poll()
end

--- Gives freed memory that is kept for reuse back to the system.
---@param device? string
function M.empty_cache(device)
  C.kiln_memory_trim(device_code(device, "empty_cache"))
  check.poll()
end

--- Sets how many more bytes than after the last collection may be in use before kiln collects by itself.
---@param bytes integer
---@param device? string
function M.set_memory_floor(bytes, device)
  bytes = check.int(bytes, "set_memory_floor", "bytes")
  if bytes < 0 then check.raise("set_memory_floor", "bytes must not be negative, got %d", bytes) end
  C.kiln_memory_set_floor(device_code(device, "set_memory_floor"), ffi.cast("int64_t", bytes))
end

return M
