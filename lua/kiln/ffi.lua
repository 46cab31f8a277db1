--- Finds libkiln, declares its API and hands out the C namespace.
-- The only place in kiln that calls ffi.cdef or ffi.load.  The declarations come from the library
-- itself (kiln_cdef), so they cannot differ from what was compiled.  It refuses to run against a
-- library of another ABI.
--
-- Order of search: $KILN_LIBRARY; the build folders of the source tree these Lua files stand in
-- (so that a checkout never meets an installed library); package.cpath; the system's loader.
local ffi = require "ffi"

local ABI = 1

-- A handle is this struct by value; see handles.lua.
local HANDLE = [[
typedef struct kiln_handle { kiln_tensor *p; int32_t slot, lasts; } kiln_handle;
]]

local function readable(path)
  local f = path and io.open(path, "rb")
  if f then f:close() end
  return f and path
end

local function locate()
  local named = os.getenv "KILN_LIBRARY"
  if named and named ~= "" then return named end
  local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
  for _, folder in ipairs { "release", "dev", "" } do
    local found = readable(here .. "/../../build/" .. folder .. "/libkiln.so")
    if found then return found end
  end
  return package.searchpath("libkiln", package.cpath) or "kiln"
end

local path = locate()
local loaded, lib = pcall(ffi.load, path)
if not loaded then
  error(("kiln: cannot load libkiln (%s); build it with `cmake --workflow --preset release`, or "
    .. "set KILN_LIBRARY to its path"):format(tostring(lib)), 0)
end

ffi.cdef "const char *kiln_cdef(void); int32_t kiln_abi(void);"
local is_kiln, abi = pcall(function() return lib.kiln_abi() end)
if not is_kiln then error(("kiln: %s is another library than libkiln"):format(path), 0) end
if abi ~= ABI then
  error(("kiln: %s has ABI %d, these Lua files need %d: they are of different builds")
    :format(path, abi, ABI), 0)
end
ffi.cdef(ffi.string(lib.kiln_cdef()) .. HANDLE)

return { C = lib, path = path }
