--- The legend of a chart: the names of its series, in a corner of the axes or, where that would hide much of
-- them, beside the axes.
local Object = require "kiln.class"
local fitting = require("kiln.utils.plot.text").fitting
local style = require "kiln.utils.plot.style"

local SIZE, INK, PAPER = 11, "#222222", "#ffffff"
local ROW, SAMPLE, GAP, EDGE = 16, 26, 6, 4 -- heights and widths: a name's, a sample's, beside it, around all
local SHARE = 0.55                          -- of the axes' width and height: the most that a legend has
local LEAST = 110                           -- the width of a column where there are several

---@class kiln.utils.plot.Legend: kiln.Object
local Legend = Object:extend "Legend"

-- names: { series =, text = }, from left to right `columns` lists of `rows` names, all of one width.
local function laid_out(canvas, names, rows, most)
  local columns, widest = math.ceil(#names / rows), 0
  for _, name in ipairs(names) do widest = math.max(widest, canvas:text_width(name.text, SIZE)) end
  local a_column = math.min(SAMPLE + GAP + widest + 2 * EDGE, most / columns)
  return Legend(names, rows, a_column, columns * a_column)
end

function Legend:init(names, rows, a_column, width)
  self.names, self.rows, self.a_column, self.width = names, rows, a_column, width
  self.height = math.min(#names, rows) * ROW + EDGE
end

--- The legend of series (their labels, or false) of a chart whose axes fill a box; nil when none has a label.
--- With `beside`, the axes must leave its width free on their right.
---@return kiln.utils.plot.Legend?
local function of(canvas, labels, box)
  local names, labelled = {}, false
  for i, label in ipairs(labels) do
    names[i] = { series = i, text = label or "" }
    labelled = labelled or label
  end
  if not labelled then return nil end
  local width, height = box.right - box.left, box.bottom - box.top
  local inside = laid_out(canvas, names, #names, math.huge)
  if #names == 1 or inside.width <= SHARE * width and inside.height <= SHARE * height then return inside end
  -- Beside the axes there is room for columns of so many names; the last place says how many are left out.
  local rows = math.max(1, math.floor((height - EDGE) / ROW))
  local most = SHARE * width
  local room = rows * math.max(1, math.floor(most / LEAST))
  if #names > room then
    local more = { text = ("... %d more"):format(#names - room + 1) }
    for i = #names, room, -1 do names[i] = nil end
    names[room] = more
  end
  local legend = laid_out(canvas, names, rows, most)
  legend.beside = true
  return legend
end

-- The corner of the axes where it covers least, the right one on top where all are alike.
local function corner_of(self, box, covered)
  local least, best = math.huge, nil
  for _, top in ipairs { box.top + 2, box.bottom - self.height - 2 } do
    for _, left in ipairs { box.right - self.width - 2, box.left + 4 } do
      local corner = { left = left, top = top, right = left + self.width, bottom = top + self.height }
      local n = covered(corner)
      if n < least then least, best = n, corner end
    end
  end
  return best
end

--- Draws it.  covered(box) says how much of what is drawn a box would hide.
---@param kind "line"|"scatter"
function Legend:draw(canvas, box, kind, covered)
  local corner = self.beside and { left = box.right + EDGE, top = box.top } or corner_of(self, box, covered)
  canvas:rect(corner.left, corner.top, self.width, self.height, PAPER)
  for i, name in ipairs(self.names) do
    local x = corner.left + EDGE + math.floor((i - 1) / self.rows) * self.a_column
    local y = corner.top + EDGE / 2 + ROW / 2 + (i - 1) % self.rows * ROW
    if name.series and kind == "line" then
      style.line(canvas, { x, y, x + SAMPLE, y }, name.series)
    elseif name.series then
      style.mark(canvas, x + SAMPLE / 2, y, name.series)
    end
    local room = self.a_column - SAMPLE - GAP - EDGE
    canvas:text(x + SAMPLE + GAP, y, fitting(canvas, name.text, room, SIZE), "start", SIZE, INK)
  end
end

return { of = of }
