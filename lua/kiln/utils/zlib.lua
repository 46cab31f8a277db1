--- zlib: reads gzip files, compresses strings.  Declares what it needs of that library itself, as the
-- exception that foreign libraries are (kiln's own API is declared in ffi.lua).  It refuses to write files.
local ffi = require "ffi"
local files = require "kiln.utils.files"

ffi.cdef [[
typedef struct kiln_gzfile kiln_gzfile;
kiln_gzfile *gzopen(const char *path, const char *mode);
int gzread(kiln_gzfile *f, void *buffer, unsigned n);
int gzclose_r(kiln_gzfile *f);
int gzdirect(kiln_gzfile *f);
const char *gzerror(kiln_gzfile *f, int *code);
unsigned long compressBound(unsigned long n);
int compress(uint8_t *dst, unsigned long *n_dst, const char *src, unsigned long n_src);
unsigned long crc32(unsigned long crc, const char *bytes, unsigned n);
]]

local library

-- The library, found under its development or its run-time name.
local function zlib()
  if library then return library end
  for _, name in ipairs { "z", "libz.so.1" } do
    local ok, found = pcall(ffi.load, name)
    if ok then
      library = found
      return found
    end
  end
  return nil, "zlib is not installed (Debian: zlib1g)"
end

local M = {}

---@class kiln.utils.zlib.File
local File = {}
File.__index = File

--- Opens a gzip file for reading.
---@param path string
---@return kiln.utils.zlib.File? file nil and why when it cannot be read
---@return string? why
function M.open(path)
  local z, why = zlib()
  if not z then return nil, why end
  local plain, reason = files.open(path)
  if not plain then return nil, reason end
  local magic = plain:read(2)
  plain:close()
  if magic ~= "\31\139" then return nil, "it is not a gzip file" end
  local f = z.gzopen(path, "rb")
  if f == nil then return nil, "zlib cannot open it" end
  return setmetatable({ f = f, z = z }, File)
end

-- What zlib says is wrong with the file, and its code, 0 for nothing.
local function complaint(self)
  local code = ffi.new "int[1]"
  local text = ffi.string(self.z.gzerror(self.f, code)):gsub("^.-: ", "")
  return ("zlib says '%s'"):format(text), code[0]
end

--- Fills buffer with n bytes, of the `total` (n) that are wanted.
---@return boolean ok false and why at a damaged or short file
---@return string? why
function File:read(buffer, n, total)
  local p, got = ffi.cast("char *", buffer), 0
  while got < n do
    local part = math.min(n - got, 2 ^ 30)
    local k = self.z.gzread(self.f, p + got, part)
    if k < 0 then return false, "it is damaged: " .. (complaint(self)) end
    if k == 0 then
      total = total or n
      return false, ("it is truncated: %d of %d bytes are missing"):format(total - got, total)
    end
    got = got + k
  end
  return true
end

--- Fills buffer with n bytes, which must be the last: reads on to the checksum behind them.
---@return boolean ok false and why where something else follows, or the file is damaged or cut short
---@return string? why
function File:read_rest(buffer, n)
  local last = math.min(n, 1) -- with what follows it: at its end zlib looks no further than it is asked to
  local ok, why = self:read(buffer, n - last, n)
  if not ok then return false, why end
  local rest = ffi.new "char[2]"
  local k = self.z.gzread(self.f, rest, last + 1)
  local words, code = complaint(self)
  if k > last then return false, "there is more in it" end
  if code ~= 0 then return false, "it is damaged or cut short: " .. words end
  if k < last then return false, "it is cut short" end
  if n > 0 then ffi.cast("char *", buffer)[n - 1] = rest[0] end
  return true
end

function File:close()
  if self.f ~= nil then self.z.gzclose_r(self.f) end
  self.f = nil
end

--- The library, or an error; inflate.lua declares and calls other functions of it.
function M.library()
  local z, why = zlib()
  if not z then require("kiln.check").raise("zlib", "%s", why) end
  return z
end

--- A string in zlib's format.
---@param bytes string
---@return string
function M.compress(bytes)
  local z = M.library()
  local n = ffi.new("unsigned long[1]", z.compressBound(#bytes))
  local buffer = ffi.new("uint8_t[?]", n[0])
  local status = z.compress(buffer, n, bytes, #bytes)
  if status ~= 0 then require("kiln.check").raise("zlib", "compress failed with status %d", status) end
  return ffi.string(buffer, n[0])
end

--- The CRC-32 of a string.
---@param bytes string
---@return number
function M.crc32(bytes) return tonumber(M.library().crc32(0, bytes, #bytes)) end

return M
