--- The device that the specs run on.  As busted's helper (spec/run_spec.sh) it puts every tensor that a spec
-- makes, and so the results, on the device that KILN_SPEC_DEVICE names ("cuda"), and raises where there is no
-- such device.  As a module it says what differs there.
local M = {}

local name = os.getenv "KILN_SPEC_DEVICE"
if name == "" then name = nil end

--- What KILN_SPEC_DEVICE names, or nil: the CPU.
M.name = name

--- Waits for the device.  What a kernel finds wrong is raised when somebody waits for it.
function M.settle()
  if name then require("kiln").cuda.synchronize() end
end

--- Two devices to compute on, or one twice.
---@return string[]
function M.two()
  local kiln = require "kiln"
  if name and kiln.cuda.device_count() > 1 then return { "cuda:1", "cuda:2" } end
  return { kiln.get_default_device(), kiln.get_default_device() }
end

--- fn(...) once what it asked of the device is done, so that it raises what the device found wrong.
function M.settled(fn, ...)
  local function pack(...) return { n = select("#", ...), ... } end
  local results = pack(fn(...))
  M.settle()
  return unpack(results, 1, results.n)
end

local COUNTED = { "live_bytes", "peak_bytes", "cached_bytes", "live_tensors", "live_storages" }

--- kiln.memory(), with what is on the device counted as well.
---@return table<string, integer>
function M.memory()
  local kiln = require "kiln"
  local m = kiln.memory()
  if name then
    local there = kiln.memory(name)
    for _, field in ipairs(COUNTED) do m[field] = m[field] + there[field] end
  end
  return m
end

--- peak_bytes begins anew.
function M.reset_peak()
  local C = require("kiln.ffi").C
  for code = 0, name and C.kiln_device_count() or 0 do C.kiln_memory_reset_peak(code) end
end

--- tostring(x) as it is on the CPU: without the device's name.
function M.text(x)
  local text = tostring(x)
  if not name then return text end
  return (text:gsub(",%s+device='cuda:1'", ""))
end

if name then require("kiln").set_default_device(name) end

return M
