--- A canvas that writes SVG 1.1 text.  The same methods as raster.lua; units are pixels, y goes down.
local Object = require "kiln.class"
local letters = require("kiln.utils.plot.text").letters

---@class kiln.utils.plot.Svg: kiln.Object
local Svg = Object:extend "Svg"

local FONT = "font-family='Helvetica, Arial, sans-serif'"
local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ["'"] = "&apos;", ['"'] = "&quot;" }

local function escape(text) return (table.concat(letters(text)):gsub("[&<>'\"]", ENTITIES)) end

local function number(v) return (("%.2f"):format(v):gsub("%.?0+$", "")) end

function Svg:init(width, height)
  self.width, self.height, self.parts = width, height, {}
end

function Svg:add(format, ...) self.parts[#self.parts + 1] = format:format(...) end

function Svg:rect(x, y, width, height, colour)
  self:add("<rect x='%s' y='%s' width='%s' height='%s' fill='%s'/>", number(x), number(y), number(width),
    number(height), colour)
end

--- points: { x1, y1, x2, y2, ... }; dashes: lengths drawn and left out, in turns.
function Svg:polyline(points, colour, thickness, dashes)
  local list, lengths = {}, {}
  for i = 1, #points, 2 do list[#list + 1] = number(points[i]) .. "," .. number(points[i + 1]) end
  for i, v in ipairs(dashes or {}) do lengths[i] = number(v) end
  self:add("<polyline points='%s' fill='none' stroke='%s' stroke-width='%s' stroke-linejoin='round'%s/>",
    table.concat(list, " "), colour, number(thickness),
    dashes and (" stroke-dasharray='%s'"):format(table.concat(lengths, " ")) or "")
end

function Svg:circle(x, y, radius, colour)
  self:add("<circle cx='%s' cy='%s' r='%s' fill='%s'/>", number(x), number(y), number(radius), colour)
end

--- anchor: "start", "middle" or "end" stands at x; (x, y) is the middle of the text's height.  `upright`
--- turns it to read from bottom to top.
function Svg:text(x, y, text, anchor, size, colour, upright)
  local turn = upright and (" transform='rotate(-90 %s %s)'"):format(number(x), number(y)) or ""
  self:add("<text x='%s' y='%s' dy='0.35em' text-anchor='%s' font-size='%s' fill='%s' %s%s>%s</text>",
    number(x), number(y), anchor, number(size), colour, FONT, turn, escape(text))
end

--- How wide a text is, about.
function Svg:text_width(text, size) return #letters(text) * size * 0.55 end -- luacheck: ignore self

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(bytes)
  local out = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local v = a * 65536 + (b or 0) * 256 + (c or 0)
    local part = {}
    for k = 3, 0, -1 do
      local at = math.floor(v / 64 ^ k) % 64 + 1
      part[#part + 1] = DIGITS:sub(at, at)
    end
    if not c then part[4] = "=" end
    if not b then part[3] = "=" end
    out[#out + 1] = table.concat(part)
  end
  return table.concat(out)
end

--- A tensor [c, h, w] in a frame; enlarged pixels stay sharp.
function Svg:image(x, y, width, height, tensor)
  self:add("<image x='%s' y='%s' width='%s' height='%s' style='image-rendering:pixelated' "
    .. "href='data:image/png;base64,%s'/>", number(x), number(y), number(width), number(height),
    base64(require("kiln.utils.png").encode_tensor(tensor)))
end

--- The file's text.
---@return string
function Svg:encode()
  return ("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n%s\n</svg>\n")
    :format(self.width, self.height, self.width, self.height, table.concat(self.parts, "\n"))
end

return Svg
