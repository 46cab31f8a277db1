--- Draws line and scatter charts on a canvas (svg.lua or raster.lua): axes, grid, series.
local legend = require "kiln.utils.plot.legend"
local scale = require "kiln.utils.plot.scale"
local style = require "kiln.utils.plot.style"

local M = { MOST = 4e307 } -- values beyond have no axis: the difference of two must be finite

local INK, SOFT, GRID = "#222222", "#666666", "#dddddd"
local SIZE, TITLE = 11, 14

local function finite(v) return math.abs(v) <= M.MOST end

-- The smallest and largest finite (for a log scale: positive) value that all series have along an axis.
local function range(series, key, kind)
  local low, high = math.huge, -math.huge
  for _, s in ipairs(series) do
    for _, v in ipairs(s[key]) do
      if finite(v) and (kind ~= "log" or v > 0) then low, high = math.min(low, v), math.max(high, v) end
    end
  end
  if low > high then return kind == "log" and 1 or 0, kind == "log" and 10 or 1 end
  return low, high
end

local function axis_of(series, key, o, ticks)
  local kind, limits = o[key .. "scale"], o[key .. "lim"]
  if limits then return scale.axis(kind, limits[1], limits[2], true, ticks) end
  local low, high = range(series, key, kind)
  -- x ends where the data does; y ends at round numbers.
  return scale.axis(kind, low, high, key == "x" and o.kind == "line" and low < high, ticks)
end

local function visible(v, kind) return finite(v) and (kind ~= "log" or v > 0) end

-- What a legend calls the series: their labels, which say so where nothing can be drawn.
local function visible_names(series, o)
  local names = {}
  for i, s in ipairs(series) do
    local seen = false
    for k = 1, #s.x do seen = seen or visible(s.x[k], o.xscale) and visible(s.y[k], o.yscale) end
    names[i] = s.label and (seen and s.label or s.label .. " (nothing to draw)") or false
  end
  return names
end

-- Runs of points that can be drawn, as flat lists of canvas positions; a value that is not finite (or not
-- inside a log scale) ends a run.  More points than can be seen become the extremes of each column.
local function runs(s, place, kinds, columns)
  local list, run = {}, {}
  local n = math.min(#s.x, #s.y)
  local step = math.max(1, math.floor(n / (2 * columns)))
  for first = 1, n, step do
    local last = math.min(first + step - 1, n)
    local low, high = first, first
    for i = first, last do
      if s.y[i] < s.y[low] then low = i end
      if s.y[i] > s.y[high] then high = i end
    end
    for _, i in ipairs(low == high and { low } or { math.min(low, high), math.max(low, high) }) do
      if visible(s.x[i], kinds.x) and visible(s.y[i], kinds.y) then
        run[#run + 1], run[#run + 2] = place(s.x[i], s.y[i])
      elseif #run > 0 then
        list[#list + 1], run = run, {}
      end
    end
  end
  if #run > 0 then list[#list + 1] = run end
  return list
end

-- The part of a segment inside a box, or nil (Liang and Barsky 1984).
local function clip(x1, y1, x2, y2, box)
  local t0, t1, dx, dy = 0, 1, x2 - x1, y2 - y1
  local edges = { { -dx, x1 - box.left }, { dx, box.right - x1 }, { -dy, y1 - box.top },
    { dy, box.bottom - y1 } }
  for _, e in ipairs(edges) do
    local p, q = e[1], e[2]
    if p == 0 then
      if q < 0 then return nil end
    elseif p < 0 then
      t0 = math.max(t0, q / p)
    else
      t1 = math.min(t1, q / p)
    end
  end
  if t0 > t1 then return nil end
  return x1 + t0 * dx, y1 + t0 * dy, x1 + t1 * dx, y1 + t1 * dy
end

-- Draws what of a run of the i-th series is inside the box.
local function draw_line(canvas, run, series, box)
  local piece = {}
  local function flush()
    if #piece > 0 then style.line(canvas, piece, series) end
    piece = {}
  end
  for i = 1, #run - 3, 2 do
    local x1, y1, x2, y2 = clip(run[i], run[i + 1], run[i + 2], run[i + 3], box)
    if x1 then
      if #piece == 0 then piece = { x1, y1 } end
      piece[#piece + 1], piece[#piece + 2] = x2, y2
      if x2 ~= run[i + 2] or y2 ~= run[i + 3] then flush() end
    else
      flush()
    end
  end
  flush()
end

-- The marks of a run of the i-th series that are inside the box.
local function draw_marks(canvas, run, series, box)
  for k = 1, #run, 2 do
    local x, y = run[k], run[k + 1]
    local inside = x >= box.left and x <= box.right and y >= box.top and y <= box.bottom
    if inside then style.mark(canvas, x, y, series) end
  end
end

local function draw_axes(canvas, box, x, y, o)
  for _, t in ipairs(y.ticks) do
    local at = box.bottom - y.at(t.value) * (box.bottom - box.top)
    canvas:rect(box.left, at, box.right - box.left, 0.5, GRID)
    canvas:text(box.left - 6, at, t.text, "end", SIZE, SOFT)
  end
  for _, t in ipairs(x.ticks) do
    local at = box.left + x.at(t.value) * (box.right - box.left)
    canvas:rect(at, box.top, 0.5, box.bottom - box.top, GRID)
    canvas:text(at, box.bottom + 12, t.text, "middle", SIZE, SOFT)
  end
  canvas:rect(box.left, box.bottom, box.right - box.left, 1, INK)
  canvas:rect(box.left, box.top, 1, box.bottom - box.top, INK)
  local middle = (box.left + box.right) / 2
  if o.title then canvas:text(middle, 16, o.title, "middle", TITLE, INK) end
  if o.xlabel then canvas:text(middle, o.height - 12, o.xlabel, "middle", SIZE, INK) end
  if o.ylabel then canvas:text(14, (box.top + box.bottom) / 2, o.ylabel, "middle", SIZE, INK, true) end
end

-- How much of what is drawn a box would cover: segments of lines, dots.
local function covered(box, drawn, kind)
  local n = 0
  for _, list in ipairs(drawn) do
    for _, run in ipairs(list) do
      for i = 1, #run - 1, 2 do
        local k = kind == "line" and math.min(i + 2, #run - 1) or i
        if clip(run[i], run[i + 1], run[k], run[k + 1], box) then n = n + 1 end
      end
    end
  end
  return n
end

--- Draws a chart.
---@param canvas table
---@param series table[]  { x = {...}, y = {...}, label = }
---@param o table  kind, width, height, title, xlabel, ylabel, xscale, yscale, xlim, ylim
function M.draw(canvas, series, o)
  local y = axis_of(series, "y", o, 6)
  local widest = 0
  for _, t in ipairs(y.ticks) do widest = math.max(widest, canvas:text_width(t.text, SIZE)) end
  local box = { left = widest + (o.ylabel and 34 or 16), right = o.width - 18, top = o.title and 34 or 14,
    bottom = o.height - (o.xlabel and 44 or 26) }
  local names = legend.of(canvas, visible_names(series, o), box)
  if names and names.beside then box.right = box.right - names.width end
  local x = axis_of(series, "x", o, math.max(2, math.floor((box.right - box.left) / 80)))
  canvas:rect(0, 0, o.width, o.height, "#ffffff")
  draw_axes(canvas, box, x, y, o)
  local function place(vx, vy)
    return box.left + x.at(vx) * (box.right - box.left), box.bottom - y.at(vy) * (box.bottom - box.top)
  end
  local columns, drawn = o.kind == "line" and box.right - box.left or math.huge, {}
  for i, s in ipairs(series) do
    drawn[i] = runs(s, place, { x = o.xscale, y = o.yscale }, columns)
    for _, run in ipairs(drawn[i]) do
      local draw = o.kind == "line" and #run > 2 and draw_line or draw_marks
      draw(canvas, run, i, box)
    end
  end
  if names then
    names:draw(canvas, box, o.kind, function(corner) return covered(corner, drawn, o.kind) end)
  end
end

return M
