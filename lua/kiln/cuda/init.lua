--- Accelerators: which there are, which is current, waiting for them, their memory and their random numbers.
-- Devices count from 1, as "cuda:1" does; a function that takes one takes its number, its name or a tensor
-- there, and means the current one without.  Nothing here raises because there is no GPU but what needs one.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local modes = require "kiln.modes"
local random = require "kiln.random"
local target = require "kiln.cuda.target"

local M = {
  comm = require "kiln.cuda.comm", nvtx = require "kiln.cuda.nvtx", graph = require "kiln.cuda.graph",
}

for _, part in ipairs { "kiln.cuda.comm", "kiln.cuda.nvtx", "kiln.cuda.stream" } do
  for name, f in pairs(require(part)) do M[name] = f end
end
M.Graph, M.CUDAGraph = M.graph.Graph, M.graph.Graph
M.is_current_stream_capturing = M.graph.is_current_stream_capturing
M.make_graphed_callables = M.graph.make_graphed_callables

-- -- Which there are ---------------------------------------------------------------------------

--- Is there a device, and a libkiln_cuda for it?
---@return boolean
function M.is_available() return C.kiln_device_count() > 0 end

--- Why there is none; "" where there is.
---@return string
function M.why() return ffi.string(C.kiln_cuda_why()) end

---@return integer
function M.device_count() return C.kiln_device_count() end

local function facts(device, name)
  local f = ffi.new "kiln_device_facts"
  check.status(C.kiln_device_describe(target.code(device, name), f), name)
  return f
end

---@param device? integer|string|kiln.Tensor
---@return string
function M.get_device_name(device) return ffi.string(facts(device, "get_device_name").name) end

--- The compute capability: 9, 0 for 9.0.
---@param device? integer|string|kiln.Tensor
---@return integer, integer
function M.get_device_capability(device)
  local f = facts(device, "get_device_capability")
  return f.major, f.minor
end

--- { name, major, minor, total_memory, free_memory, multi_processor_count, runtime, driver }
---@param device? integer|string|kiln.Tensor
---@return table
function M.get_device_properties(device)
  local f = facts(device, "get_device_properties")
  return {
    name = ffi.string(f.name), major = f.major, minor = f.minor, total_memory = tonumber(f.total_bytes),
    free_memory = tonumber(f.free_bytes), multi_processor_count = f.processors, runtime = f.runtime,
    driver = f.driver,
  }
end

-- -- Which is current --------------------------------------------------------------------------

--- The number of the device that "cuda" means.
---@return integer
function M.current_device() return target.current() end

--- Makes "cuda" mean this device from now on.
---@param device integer|string
function M.set_device(device) target.set(target.code(device, "set_device")) end

--- Runs fn(...) with this device as the current one, and returns its results.
---@param device integer|string|kiln.Tensor
---@param fn function
function M.device(device, fn, ...)
  local code, before = target.code(device, "device"), nil
  check.fn(fn, "device", "fn")
  return modes.during(function()
    before = target.current()
    target.set(code)
  end, function() target.set(before) end, fn, ...)
end

--- The same with the device of a tensor; a tensor on the CPU changes nothing.
---@param x kiln.Tensor
---@param fn function
function M.device_of(x, fn, ...)
  check.tensor(x, "device_of", "x")
  if C.kiln_tensor_device(x.p) == 0 then return check.fn(fn, "device_of", "fn")(...) end
  return M.device(x, fn, ...)
end

--- Waits for all work of a device, and raises what its kernels found wrong.
---@param device? integer|string|kiln.Tensor
function M.synchronize(device)
  check.status(C.kiln_device_synchronize(target.code(device, "synchronize")), "synchronize")
end

--- The handle of the matrix library as a pointer; NULL, for kiln's products need none that others could use.
---@return ffi.cdata*
function M.current_blas_handle()
  target.code(nil, "current_blas_handle")
  return ffi.cast("void *", nil)
end

-- -- Memory ------------------------------------------------------------------------------------

--- Bytes that tensors on the device hold.
---@param device? integer|string|kiln.Tensor
---@return integer
function M.memory_allocated(device)
  return tonumber(C.kiln_peek_memory(target.code(device, "memory_allocated")).live_bytes)
end

--- The most that memory_allocated() has been.
function M.max_memory_allocated(device)
  return tonumber(C.kiln_peek_memory(target.code(device, "max_memory_allocated")).peak_bytes)
end

--- Bytes that kiln has of the device, in use or kept for reuse.
function M.memory_cached(device)
  return tonumber(C.kiln_peek_reserved(target.code(device, "memory_cached")).bytes)
end

--- The most that memory_cached() has been.
function M.max_memory_cached(device)
  return tonumber(C.kiln_peek_reserved(target.code(device, "max_memory_cached")).peak_bytes)
end

M.memory_reserved, M.max_memory_reserved = M.memory_cached, M.max_memory_cached

--- The two maxima are what is in use now.
function M.reset_peak_memory_stats(device)
  C.kiln_memory_reset_peak(target.code(device, "reset_peak_memory_stats"))
end

--- Gives back to the devices what is kept for reuse.
function M.empty_cache()
  for device = 1, C.kiln_device_count() do C.kiln_memory_trim(device) end
end

-- -- Random numbers ----------------------------------------------------------------------------

local function generator(device, name)
  return random.generator("cuda:" .. target.code(device, name))
end

--- Seeds the current device's generator.
---@param seed integer
function M.manual_seed(seed) generator(nil, "manual_seed"):manual_seed(seed) end

--- Seeds the generators of all devices.
function M.manual_seed_all(seed)
  for device = 1, C.kiln_device_count() do generator(device, "manual_seed_all"):manual_seed(seed) end
end

--- Seeds the current device's generator from the system's randomness; returns the seed.
function M.seed() return generator(nil, "seed"):seed() end

--- The same seed for the generators of all devices.
function M.seed_all()
  local seed = generator(nil, "seed_all"):seed()
  M.manual_seed_all(seed)
  return seed
end

--- The seed that the current device's generator started from.
function M.initial_seed() return generator(nil, "initial_seed"):initial_seed() end

--- The state of a device's generator, a uint8 tensor on the CPU.
function M.get_rng_state(device) return generator(device, "get_rng_state"):get_state() end

--- Puts such a state back.
function M.set_rng_state(state, device) generator(device, "set_rng_state"):set_state(state) end

return require("kiln.namespace").of("kiln.cuda", M)
