--- What this kiln is made of and runs on: kiln.config(), threads.
local ffi = require "ffi"
local library = require "kiln.ffi"
local check = require "kiln.check"
local C = library.C

local M = {}

local FACTS = { "cpu_level", "blas", "blas_core", "blas_threading", "onednn", "cuda" }

local Config = { __name = "Config" }

function Config.__tostring(c)
  local lines = {}
  for _, k in ipairs { "version", "library", "luajit", "gc64", "cpu_level", "threads", "blas",
    "blas_core", "blas_threading", "onednn", "cuda", "cuda_devices", "cuda_why" } do
    if c[k] ~= nil then lines[#lines + 1] = ("%-15s %s"):format(k, tostring(c[k])) end
  end
  return table.concat(lines, "\n")
end

--- Facts about the build and the machine: version, library (path), luajit, gc64, cpu_level,
--- threads, blas, blas_core, blas_threading, onednn, cuda, cuda_devices, cuda_why.
--- Printing it gives a table to paste into a bug report.
---@return table<string, any>
function M.config()
  local c = {
    version = ffi.string(C.kiln_version()), library = library.path, luajit = jit.version,
    gc64 = ffi.abi "gc64", threads = C.kiln_num_threads(), cuda_devices = C.kiln_device_count(),
  }
  for _, name in ipairs(FACTS) do
    local fact = C.kiln_fact(name)
    if fact ~= nil then c[name] = ffi.string(fact) end
  end
  local why = ffi.string(C.kiln_cuda_why())
  if why ~= "" then c.cuda_why = why end
  return setmetatable(c, Config)
end

---@return integer
function M.get_num_threads() return C.kiln_num_threads() end

--- How many threads one op may use.
---@param n integer
function M.set_num_threads(n)
  n = check.int(n, "set_num_threads", "n")
  if n < 1 or n > 1024 then check.raise("set_num_threads", "n must be from 1 to 1024, got %.14g", n) end
  check.status(C.kiln_set_num_threads(n), "set_num_threads")
end

return M
