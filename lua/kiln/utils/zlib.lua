--- zlib: reads gzip files, inflates streams, compresses strings.  Declares what it needs of that library
-- itself, as the exception that foreign libraries are (kiln's own API is declared in ffi.lua).  It refuses
-- to write files.
local ffi = require "ffi"

ffi.cdef [[
typedef struct kiln_gzfile kiln_gzfile;
kiln_gzfile *gzopen(const char *path, const char *mode);
int gzread(kiln_gzfile *f, void *buffer, unsigned n);
int gzclose_r(kiln_gzfile *f);
int gzdirect(kiln_gzfile *f);
const char *gzerror(kiln_gzfile *f, int *code);
unsigned long compressBound(unsigned long n);
typedef struct kiln_zstream {
  const uint8_t *next_in; unsigned avail_in; unsigned long total_in;
  uint8_t *next_out; unsigned avail_out; unsigned long total_out;
  const char *msg; void *state, *alloc, *free, *opaque;
  int data_type; unsigned long adler, reserved;
} kiln_zstream;
const char *zlibVersion(void);
int inflateInit2_(kiln_zstream *s, int window_bits, const char *version, int size);
int inflate(kiln_zstream *s, int flush);
int inflateEnd(kiln_zstream *s);
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
  local plain, reason = io.open(path, "rb")
  if not plain then return nil, (reason:gsub("^.-: ", "")) end
  local magic = plain:read(2)
  plain:close()
  if magic ~= "\31\139" then return nil, "it is not a gzip file" end
  local f = z.gzopen(path, "rb")
  if f == nil then return nil, "zlib cannot open it" end
  return setmetatable({ f = f, z = z }, File)
end

--- Fills buffer with n bytes.
---@return boolean ok false and why at a damaged or short file
---@return string? why
function File:read(buffer, n)
  local p, got = ffi.cast("char *", buffer), 0
  while got < n do
    local part = math.min(n - got, 2 ^ 30)
    local k = self.z.gzread(self.f, p + got, part)
    if k < 0 then
      return false, ("it is damaged: zlib says '%s'"):format(ffi.string(self.z.gzerror(self.f,
        nil)):gsub("^.-: ", ""))
    end
    if k == 0 then return false, ("it is truncated: %d of %d bytes are missing"):format(n - got, n) end
    got = got + k
  end
  return true
end

--- True when nothing is left.
function File:at_end() return self.z.gzread(self.f, ffi.new "char[1]", 1) == 0 end

function File:close()
  if self.f ~= nil then self.z.gzclose_r(self.f) end
  self.f = nil
end

-- The library, or an error.
local function need()
  local z, why = zlib()
  if not z then require("kiln.check").raise("zlib", "%s", why) end
  return z
end

--- A string in zlib's format.
---@param bytes string
---@return string
function M.compress(bytes)
  local z = need()
  local n = ffi.new("unsigned long[1]", z.compressBound(#bytes))
  local buffer = ffi.new("uint8_t[?]", n[0])
  local status = z.compress(buffer, n, bytes, #bytes)
  if status ~= 0 then require("kiln.check").raise("zlib", "compress failed with status %d", status) end
  return ffi.string(buffer, n[0])
end

--- The CRC-32 of what had the CRC-32 `crc` (0: nothing) and n bytes behind it.
---@param crc number
---@param bytes ffi.cdata*
---@param n integer
---@return number
function M.crc32_more(crc, bytes, n)
  local z, at = need(), 0
  while at < n do
    local part = math.min(n - at, 2 ^ 30)
    crc = tonumber(z.crc32(crc, ffi.cast("const char *", bytes) + at, part))
    at = at + part
  end
  return crc
end

---@class kiln.utils.zlib.Inflater
local Inflater = {}
Inflater.__index = Inflater

local RAW, SYNC, OK, STREAM_END, BUFFER = -15, 2, 0, 1, -5

--- Reads a raw deflate stream (that of zip files).  refill() returns a pointer and how many bytes of the
--- stream stand there, 0 at its end.  close() must be called.
---@param refill fun(): ffi.cdata*, integer
---@return kiln.utils.zlib.Inflater
function M.inflater(refill)
  local z, s = need(), ffi.new "kiln_zstream"
  local status = z.inflateInit2_(s, RAW, z.zlibVersion(), ffi.sizeof(s))
  if status ~= OK then require("kiln.check").raise("zlib", "inflate cannot start (status %d)", status) end
  return setmetatable({ z = z, s = s, refill = refill }, Inflater)
end

-- Writes at most n bytes; how many, and what is wrong if the stream ends or breaks before.
local function inflate_some(self, pointer, n)
  local s, done = self.s, false
  s.next_out, s.avail_out = pointer, n
  while s.avail_out > 0 and not done do
    if s.avail_in == 0 then
      s.next_in, s.avail_in = self.refill()
      done = s.avail_in == 0
    end
    local status = self.z.inflate(s, SYNC)
    if status == STREAM_END then break end
    if status ~= OK and status ~= BUFFER then
      return n - s.avail_out, s.msg ~= nil and ffi.string(s.msg) or ("status %d"):format(status)
    end
  end
  return n - s.avail_out, s.avail_out > 0 and "the stream ends early" or nil
end

--- The next n bytes: true, or nil and what is wrong.
---@param pointer ffi.cdata*
---@param n integer
---@return boolean? ok
---@return string? why
function Inflater:read(pointer, n)
  local at = 0
  while at < n do
    local part = math.min(n - at, 2 ^ 30)
    local got, why = inflate_some(self, ffi.cast("uint8_t *", pointer) + at, part)
    if why then return nil, why end
    at = at + got
  end
  return true
end

function Inflater:close()
  if self.s ~= nil then self.z.inflateEnd(self.s) end
  self.s = nil
end

--- The CRC-32 of a string.
---@param bytes string
---@return number
function M.crc32(bytes) return tonumber(need().crc32(0, bytes, #bytes)) end

return M
