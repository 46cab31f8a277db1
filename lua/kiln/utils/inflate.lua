--- zlib's streams: inflates raw deflate data piece by piece, and sums up a CRC-32 piece by piece.
-- What the entries of zip archives need; gzip files are zlib.lua's.  It refuses to hold a whole stream.
local ffi = require "ffi"
local raise = require("kiln.check").raise
local zlib = require("kiln.utils.zlib").library

ffi.cdef [[
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
unsigned long kiln_crc32(unsigned long crc, const uint8_t *bytes, unsigned n) __asm__("crc32");
]]

local M = {}

local PIECE = 2 ^ 30 -- zlib counts in 32 bits

--- The CRC-32 of what had the CRC-32 `crc` (0: nothing) and n bytes behind it.
---@param crc number
---@param bytes ffi.cdata*
---@param n integer
---@return number
function M.crc32(crc, bytes, n)
  local z, at = zlib(), 0
  while at < n do
    local part = math.min(n - at, PIECE)
    crc = tonumber(z.kiln_crc32(crc, ffi.cast("const uint8_t *", bytes) + at, part))
    at = at + part
  end
  return crc
end

---@class kiln.utils.Inflater
local Inflater = {}
Inflater.__index = Inflater

local RAW, SYNC, OK, STREAM_END, BUFFER = -15, 2, 0, 1, -5

--- Reads a raw deflate stream.  refill() returns a pointer and how many bytes of the stream stand there,
--- 0 at its end; they stay there until it is called again.  close() must be called.
---@param refill fun(): ffi.cdata*, integer
---@return kiln.utils.Inflater
function M.open(refill)
  local z, s = zlib(), ffi.new "kiln_zstream"
  local status = z.inflateInit2_(s, RAW, z.zlibVersion(), ffi.sizeof(s))
  if status ~= OK then raise("zlib", "inflate cannot start (status %d)", status) end
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
    local got, why = inflate_some(self, ffi.cast("uint8_t *", pointer) + at, math.min(n - at, PIECE))
    if why then return nil, why end
    at = at + got
  end
  return true
end

function Inflater:close()
  if self.s ~= nil then self.z.inflateEnd(self.s) end
  self.s = nil
end

return M
