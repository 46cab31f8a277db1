--- kiln with CUDA devices: the emulator's two, or those of the libkiln_cuda that KILN_CUDA_LIBRARY names.
-- Must be required before anything asks for a device.
local ffi = require "ffi"

local named = os.getenv "KILN_CUDA_LIBRARY"
if not named or named == "" then
  ffi.cdef "int setenv(const char *name, const char *value, int overwrite);"
  local core = require("kiln.ffi").path
  local beside = core:match "^(.*/)[^/]*$" or "./"
  ffi.C.setenv("KILN_CUDA_LIBRARY", beside .. "libkiln_cuda_emu.so", 1)
  ffi.C.setenv("KILN_EMU_MEMORY", tostring(2 ^ 27), 0)
end
return require "kiln"
