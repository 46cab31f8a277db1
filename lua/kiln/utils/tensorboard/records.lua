--- Files of records as TensorFlow writes them: a length, its checksum, the bytes, their checksum.
-- The checksum is CRC-32C (Castagnoli), rotated and shifted by a constant.  It refuses to read.
local bit = require "bit"
local ffi = require "ffi"
local Object = require "kiln.class"
local check = require "kiln.check"

local M = {}

local POLYNOMIAL = 0x82f63b78 -- Castagnoli's, bits reversed
local MASK = 0xa282ead8

local band, bxor, rshift, lshift, bor = bit.band, bit.bxor, bit.rshift, bit.lshift, bit.bor

local steps = ffi.new "int32_t[256]"
for i = 0, 255 do
  local v = i
  for _ = 1, 8 do v = bxor(rshift(v, 1), band(v, 1) * POLYNOMIAL) end
  steps[i] = bit.tobit(v)
end

--- The CRC-32C of a string.
---@param bytes string
---@return integer  32 bits, signed as LuaJIT's bit operations give them
function M.crc32c(bytes)
  local crc, p = bit.tobit(0xffffffff), ffi.cast("const uint8_t *", bytes)
  for i = 0, #bytes - 1 do crc = bxor(rshift(crc, 8), steps[band(bxor(crc, p[i]), 255)]) end
  return bit.bnot(crc)
end

local function little_endian(v)
  return string.char(band(v, 255), band(rshift(v, 8), 255), band(rshift(v, 16), 255),
    band(rshift(v, 24), 255))
end

local function checksum(bytes)
  local crc = M.crc32c(bytes)
  return little_endian(bit.tobit(bor(rshift(crc, 15), lshift(crc, 17)) + MASK))
end

--- A record as it stands in the file.
---@param bytes string
---@return string
function M.encode(bytes)
  local length = little_endian(#bytes) .. "\0\0\0\0"
  return length .. checksum(length) .. bytes .. checksum(bytes)
end

--- Appends records to a file.
---@class kiln.utils.tensorboard.Records: kiln.Object
local Records = Object:extend "Records"

function Records:init(file, path) self.file, self.path = file, path end

-- A full disk is noticed where bytes leave the buffer: at any of these.
local function must(self, ok, why)
  if not ok then check.raise("SummaryWriter", "cannot write %s: %s", self.path, why) end
end

function Records:write(bytes) must(self, self.file:write(M.encode(bytes))) end
function Records:flush() must(self, self.file:flush()) end
-- They look at what the file says: docs/architecture.md, "LuaJIT".
jit.off(Records.write)
jit.off(Records.flush)
function Records:close() must(self, self.file:close()) end

M.Records = Records

return M
