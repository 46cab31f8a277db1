--- Files by their names: what a name stands for, where links lead, and opening what is read as a whole.
-- It refuses pipes, devices and directories, which would wait for somebody, never end or hold no bytes.
local ffi = require "ffi"

ffi.cdef [[
typedef struct kiln_c_statx {
  uint32_t mask, blksize;
  uint64_t attributes;
  uint32_t nlink, uid, gid;
  uint16_t mode, spare;
  uint8_t rest[224];
} kiln_c_statx;
int kiln_c_statx_of(int folder, const char *path, int flags, unsigned mask, kiln_c_statx *out)
  __asm__("statx");
char *kiln_c_realpath(const char *path, char *resolved) __asm__("realpath");
long kiln_c_readlink(const char *path, char *target, size_t n) __asm__("readlink");
]]

local M = {}

local HERE, FIELDS, PATH_MAX, MOST_LINKS = -100, 0x7ff, 4096, 40 -- AT_FDCWD, STATX_BASIC_STATS
local KIND, REGULAR, DIRECTORY, PERMISSIONS = 0xf000, 0x8000, 0x4000, 0x1ff

-- The mode of what a path leads to, or nil where there is nothing.
local function mode_of(path)
  local out = ffi.new "kiln_c_statx"
  if ffi.C.kiln_c_statx_of(HERE, path, 0, FIELDS, out) == 0 then return out.mode end
end

--- The permissions of a file; nil where there is none; nil and why where it is none to read or write.
---@param path string
---@return integer?
---@return string?
function M.permissions(path)
  local mode = mode_of(path)
  local kind = mode and bit.band(mode, KIND)
  if kind and kind ~= REGULAR then
    return nil, kind == DIRECTORY and "it is a directory" or "it is not a regular file"
  end
  return mode and bit.band(mode, PERMISSIONS)
end

--- A path without links: where writing to `path` writes, also where a link leads to nothing yet.
---@param path string
---@return string?  nil where links lead in a circle
function M.target(path)
  local buffer = ffi.new("char[?]", PATH_MAX)
  for _ = 1, MOST_LINKS do
    if ffi.C.kiln_c_realpath(path, buffer) ~= nil then return ffi.string(buffer) end
    local n = tonumber(ffi.C.kiln_c_readlink(path, buffer, PATH_MAX))
    if n <= 0 then return path end
    local link = ffi.string(buffer, n)
    path = link:find "^/" and link or (path:match "^(.*/)" or "") .. link
  end
end

--- Opens a file for reading.
---@param path string
---@return file*? file  nil and why when it cannot be read
---@return string? why
function M.open(path)
  local _, why = M.permissions(path)
  if why then return nil, why end
  local file
  file, why = io.open(path, "rb")
  if not file then return nil, (why:gsub("^.*: ", "")) end
  return file
end

return M
