--- How the series of a chart are told apart: eight colours, then the same with other dashes and marks, 40
-- looks in all; the 41st is the first again.
local M = {}

local LINE, DOT = 1.6, 2.5 -- the thickness of a line and the radius of a dot, in pixels

local COLOURS = { "#1f6fb4", "#e0742a", "#2f9e4f", "#c73a3a", "#7d5bb0", "#8a5a44", "#c9619f", "#6f6f6f" }

-- Lengths drawn and left out, in turns; nil for a solid line.
local DASHES = {
  [2] = { 7, 4 },
  [3] = { 1.5, 3.5 },
  [4] = { 9, 3.5, 1.5, 3.5 },
  [5] = { 4, 3.5, 1.5, 3.5, 1.5, 3.5 },
}

-- Outlines about a point, in radii; nil for a dot.
local MARKS = {
  [2] = { { -1, -1, 1, 1 }, { -1, 1, 1, -1 } }, -- a cross
  [3] = { { -1, -1, 1, -1, 1, 1, -1, 1, -1, -1 } }, -- a square
  [4] = { { 0, -1.4, 1.3, 0.9, -1.3, 0.9, 0, -1.4 } }, -- a triangle
  [5] = { { -1.4, 0, 1.4, 0 }, { 0, -1.4, 0, 1.4 } }, -- a plus
}
local LOOKS, OUTLINE = 5, 1.2

local function look(i)
  i = i - 1
  return COLOURS[i % #COLOURS + 1], math.floor(i / #COLOURS) % LOOKS + 1
end

--- The line of the i-th series.  points: { x1, y1, x2, y2, ... }
function M.line(canvas, points, i)
  local colour, k = look(i)
  canvas:polyline(points, colour, LINE, DASHES[k])
end

--- The mark of the i-th series: a value of a scatter chart, or one that stands alone on a line chart.
function M.mark(canvas, x, y, i)
  local colour, k = look(i)
  if not MARKS[k] then return canvas:circle(x, y, DOT, colour) end
  for _, outline in ipairs(MARKS[k]) do
    local points = {}
    for j = 1, #outline, 2 do
      points[j], points[j + 1] = x + outline[j] * DOT, y + outline[j + 1] * DOT
    end
    canvas:polyline(points, colour, OUTLINE)
  end
end

return M
