--- A canvas of pixels that becomes a PNG.  The same methods as svg.lua; drawn SCALE times as large as asked,
-- so that it is sharp on today's screens.  Edges are smoothed by how much of a pixel they cover.
local ffi = require "ffi"
local Object = require "kiln.class"
local font = require "kiln.utils.plot.font"
local letters = require("kiln.utils.plot.text").letters
local png = require "kiln.utils.png"

local SCALE = 2

---@class kiln.utils.plot.Raster: kiln.Object
local Raster = Object:extend "Raster"

function Raster:init(width, height)
  self.w, self.h = math.floor(width * SCALE), math.floor(height * SCALE)
  self.pixels = ffi.new("uint8_t[?]", self.w * self.h * 3, 255)
  ffi.fill(self.pixels, self.w * self.h * 3, 255)
end

local function rgb(colour)
  local v = tonumber(colour:sub(2), 16)
  return math.floor(v / 65536), math.floor(v / 256) % 256, v % 256
end

-- Covers `share` of a pixel.
local function blend(p, at, r, g, b, share)
  p[at] = p[at] + (r - p[at]) * share + 0.5
  p[at + 1] = p[at + 1] + (g - p[at + 1]) * share + 0.5
  p[at + 2] = p[at + 2] + (b - p[at + 2]) * share + 0.5
end

local function clamp(v, low, high) return v < low and low or v > high and high or v end

function Raster:rect(x, y, width, height, colour)
  local r, g, b = rgb(colour)
  local left, right = math.floor(x * SCALE + 0.5), math.floor((x + width) * SCALE + 0.5)
  local top, bottom = math.floor(y * SCALE + 0.5), math.floor((y + height) * SCALE + 0.5)
  if right == left then right = left + 1 end
  if bottom == top then bottom = top + 1 end
  for py = clamp(top, 0, self.h), clamp(bottom, 0, self.h) - 1 do
    for px = clamp(left, 0, self.w), clamp(right, 0, self.w) - 1 do
      blend(self.pixels, (py * self.w + px) * 3, r, g, b, 1)
    end
  end
end

-- A segment with round ends; a point when both ends are one.
local function segment(self, x1, y1, x2, y2, radius, r, g, b)
  local dx, dy = x2 - x1, y2 - y1
  local length2 = dx * dx + dy * dy
  local reach = radius + 1
  local p, w = self.pixels, self.w
  local left = clamp(math.floor(math.min(x1, x2) - reach), 0, self.w - 1)
  local right = clamp(math.ceil(math.max(x1, x2) + reach), 0, self.w - 1)
  local top = clamp(math.floor(math.min(y1, y2) - reach), 0, self.h - 1)
  local bottom = clamp(math.ceil(math.max(y1, y2) + reach), 0, self.h - 1)
  for py = top, bottom do
    for px = left, right do
      local fx, fy = px + 0.5 - x1, py + 0.5 - y1
      local t = length2 > 0 and clamp((fx * dx + fy * dy) / length2, 0, 1) or 0
      local ex, ey = fx - t * dx, fy - t * dy
      local share = radius + 0.5 - math.sqrt(ex * ex + ey * ey)
      if share > 0 then blend(p, (py * w + px) * 3, r, g, b, share < 1 and share or 1) end
    end
  end
end

local TINY = 1e-6 -- what rounding leaves of a dash: added to a place, it may not move it

-- Calls draw(x1, y1, x2, y2) for the parts of a polyline that dashes leave of it.
local function dashed(points, dashes, draw)
  local k, left = 1, dashes[1] -- which length it is, and how much of it is to come
  for i = 1, #points - 3, 2 do
    local x, y = points[i], points[i + 1]
    local dx, dy = points[i + 2] - x, points[i + 3] - y
    local length, at = math.sqrt(dx * dx + dy * dy), 0
    while at < length do
      local to = math.min(length, at + left)
      if k % 2 == 1 then
        draw(x + dx * at / length, y + dy * at / length, x + dx * to / length, y + dy * to / length)
      end
      left, at = left - (to - at), to
      if left < TINY then
        k = k % #dashes + 1
        left = dashes[k]
      end
    end
  end
end

function Raster:polyline(points, colour, thickness, dashes)
  local r, g, b = rgb(colour)
  local function draw(x1, y1, x2, y2)
    segment(self, x1 * SCALE, y1 * SCALE, x2 * SCALE, y2 * SCALE, thickness * SCALE / 2, r, g, b)
  end
  if dashes and #points > 2 then return dashed(points, dashes, draw) end
  for i = 1, math.max(#points - 3, 1), 2 do
    draw(points[i], points[i + 1], points[i + 2] or points[i], points[i + 3] or points[i + 1])
  end
end

function Raster:circle(x, y, radius, colour)
  segment(self, x * SCALE, y * SCALE, x * SCALE, y * SCALE, radius * SCALE, rgb(colour))
end

-- Pixels a dot of the font, for a size in the units of svg.lua.
local function dot(size) return math.max(1, math.floor(size * SCALE / 11 + 0.5)) end

function Raster:text_width(text, size) -- luacheck: ignore self
  return math.max(0, #letters(text) * font.ADVANCE - 1) * dot(size) / SCALE
end

function Raster:text(x, y, text, anchor, size, colour, upright)
  local k, width = dot(size), self:text_width(text, size) * SCALE
  local shift = anchor == "middle" and width / 2 or anchor == "end" and width or 0
  -- Along the text, and across it downwards.
  local ax, ay, cx, cy = 1, 0, 0, 1
  if upright then ax, ay, cx, cy = 0, -1, 1, 0 end
  local x0 = math.floor(x * SCALE - ax * shift - cx * font.HEIGHT * k / 2 + 0.5)
  local y0 = math.floor(y * SCALE - ay * shift - cy * font.HEIGHT * k / 2 + 0.5)
  local r, g, b = rgb(colour)
  for i, letter in ipairs(letters(text)) do
    for column, bits in ipairs(font.glyph(letter)) do
      for row = font.FIRST, font.LAST do
        if bit.band(bit.rshift(bits, row - font.FIRST), 1) == 1 then
          local along, across = ((i - 1) * font.ADVANCE + column - 1) * k, row * k
          for u = along, along + k - 1 do
            for v = across, across + k - 1 do
              local px, py = x0 + ax * u + cx * v, y0 + ay * u + cy * v
              if px >= 0 and px < self.w and py >= 0 and py < self.h then
                blend(self.pixels, (py * self.w + px) * 3, r, g, b, 1)
              end
            end
          end
        end
      end
    end
  end
end

function Raster:image(x, y, width, height, tensor)
  local kiln = require "kiln"
  local t = tensor:detach():cpu()
  if t.dtype ~= kiln.uint8 then t = (t:to(kiln.float32) * 255 + 0.5):clamp(0, 255):to(kiln.uint8) end
  if t:size(1) == 1 then t = t:expand(3, t:size(2), t:size(3)) end
  local h, w = t:size(2), t:size(3)
  t = t:permute(2, 3, 1):contiguous()
  local source = t:data_ptr()
  local left, top = math.floor(x * SCALE), math.floor(y * SCALE)
  local wide, high = math.floor(width * SCALE), math.floor(height * SCALE)
  for py = math.max(top, 0), math.min(top + high, self.h) - 1 do
    local sy = math.floor((py - top) * h / high)
    for px = math.max(left, 0), math.min(left + wide, self.w) - 1 do
      local from = (sy * w + math.floor((px - left) * w / wide)) * 3
      blend(self.pixels, (py * self.w + px) * 3, source[from], source[from + 1], source[from + 2], 1)
    end
  end
end

--- The file's bytes.
---@return string
function Raster:encode()
  return png.encode(ffi.string(self.pixels, self.w * self.h * 3), self.w, self.h, 3)
end

return Raster
