--- A new empty folder to be in, for code that writes files where it is.  Modules are still found.
local ffi = require "ffi"

ffi.cdef [[
int kiln_spec_chdir(const char *path) __asm__("chdir");
char *kiln_spec_getcwd(char *path, size_t n) __asm__("getcwd");
]]

local MOST = 4096
local M = {}

--- Where the process was when this was loaded.
M.root = ffi.string(ffi.C.kiln_spec_getcwd(ffi.new("char[?]", MOST), MOST))
package.path = ("%s/lua/?.lua;%s/lua/?/init.lua;%s/?.lua;"):format(M.root, M.root, M.root) .. package.path

local inside

function M.enter()
  local pipe = io.popen "mktemp -d"
  inside = pipe:read "*l"
  pipe:close()
  assert(ffi.C.kiln_spec_chdir(inside) == 0, inside)
end

--- Back to the root; the folder goes, with what is in it.
function M.leave()
  assert(ffi.C.kiln_spec_chdir(M.root) == 0, M.root)
  os.execute("rm -rf " .. inside)
end

return M
