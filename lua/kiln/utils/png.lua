--- PNG (ISO/IEC 15948) from pixels, 8 bits a channel.  zlib compresses.  It refuses to read.
local bit = require "bit"
local zlib = require "kiln.utils.zlib"

local M = {}

local function big_endian(v)
  return string.char(bit.band(bit.rshift(v, 24), 255), bit.band(bit.rshift(v, 16), 255),
    bit.band(bit.rshift(v, 8), 255), bit.band(v, 255))
end

local function chunk(kind, data)
  return big_endian(#data) .. kind .. data .. big_endian(zlib.crc32(kind .. data))
end

local COLOUR = { [1] = 0, [2] = 4, [3] = 2, [4] = 6 } -- channels: gray, gray and alpha, rgb, rgba

--- The file's bytes.
---@param pixels string  height x width x channels bytes, row by row
---@param width integer
---@param height integer
---@param channels integer  1 (gray) to 4 (red, green, blue, alpha)
---@return string
function M.encode(pixels, width, height, channels)
  local rows, stride = {}, width * channels
  -- Each row stands behind a byte that says "no filter".
  for y = 0, height - 1 do rows[y + 1] = "\0" .. pixels:sub(y * stride + 1, (y + 1) * stride) end
  local head = big_endian(width) .. big_endian(height) .. string.char(8, COLOUR[channels], 0, 0, 0)
  return "\137PNG\r\n\26\n" .. chunk("IHDR", head) .. chunk("IDAT", zlib.compress(table.concat(rows)))
    .. chunk("IEND", "")
end

--- Pixels of a tensor [c, h, w], c from 1 to 4, as a PNG.  Floating values are 0 (black) to 1 and clipped;
--- uint8 stays as it is.
---@param x kiln.Tensor
---@return string
function M.encode_tensor(x)
  local kiln = require "kiln"
  x = x:detach():cpu()
  if x.dtype ~= kiln.uint8 then x = (x:to(kiln.float32) * 255 + 0.5):clamp(0, 255):to(kiln.uint8) end
  local pixels = x:permute(2, 3, 1):contiguous()
  local bytes = require("ffi").string(pixels:data_ptr(), pixels:numel())
  return M.encode(bytes, x:size(3), x:size(2), x:size(1))
end

return M
