--- kiln.utils.plot: line and scatter charts and grids of images as SVG or PNG, sparklines for a terminal.
--
--   plot.line({ train = losses, test = others }, { title = "loss", xlabel = "epoch" }):save "loss.png"
--   plot.images(batch, { nrow = 8 }):save "batch.png"
--   print(plot.sparkline(losses))
-- Values are lists of numbers or tensors.  It refuses to be interactive.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local chart = require "kiln.utils.plot.chart"
local check = require "kiln.check"
local sink = require "kiln.serialization.sink"
local fitting = require("kiln.utils.plot.text").fitting

local raise, got = check.raise, check.got

local M = {}

-- -- Figures -------------------------------------------------------------------------------------------

--- What can be drawn on a canvas of a size: `figure:save(path)`, `figure:svg()`, `figure:png()`.
---@class kiln.utils.plot.Figure: kiln.Object
local Figure = Object:extend "Figure"

local MOST_PIXELS = 2 ^ 24

-- name: the function that was called.
function Figure:init(name, width, height, draw)
  if type(name) ~= "string" then raise("Figure", "name must be a string, got %s", got(name)) end
  check.number(width, name, "width")
  check.number(height, name, "height")
  check.fn(draw, name, "draw")
  if not (width >= 1 and height >= 1) or width * height > MOST_PIXELS then
    raise(name, "a figure of %.14g x %.14g pixels is not possible; it has 1 to %d", width, height,
      MOST_PIXELS)
  end
  self.width, self.height, self.draw = width, height, draw
end

local function encode(self, kind)
  local canvas = require("kiln.utils.plot." .. kind)(self.width, self.height)
  self.draw(canvas)
  return canvas:encode()
end

--- The text of an SVG file.
---@return string
function Figure:svg()
  check.self(self, "svg", "figure", Figure)
  return encode(self, "svg")
end

--- The bytes of a PNG file, twice as many pixels each way as the figure's size.
---@return string
function Figure:png()
  check.self(self, "png", "figure", Figure)
  return encode(self, "raster")
end

--- Writes the figure to a file, whose name ends in .svg or .png.  Returns self.
---@param path string
function Figure:save(path)
  check.self(self, "save", "figure", Figure)
  if type(path) ~= "string" then raise("Figure", "save: path must be a string, not %s", got(path)) end
  local kind = path:lower():match "%.(%w+)$"
  if kind ~= "svg" and kind ~= "png" then
    raise("Figure", "save: a name must end in .svg or .png, '%s' does not", path)
  end
  sink.write("Figure", path, { self[kind](self) })
  return self
end

function Figure:__tostring() return ("Figure(%d x %d)"):format(self.width, self.height) end

-- -- Series ------------------------------------------------------------------------------------------------

-- A list of numbers from a list or a tensor; nil when it is neither.
local function numbers(v)
  if kiln.is_tensor(v) then
    if v:dim() ~= 1 then return nil end
    v = v:detach():to(kiln.float64):tolist()
  end
  if type(v) ~= "table" then return nil end
  for i = 1, #v do
    if kiln.is_tensor(v[i]) and v[i]:numel() == 1 then return nil end
    if type(v[i]) ~= "number" then return nil end
  end
  return (#v > 0 or next(v) == nil) and v or nil
end

local function positions(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

local function one_series(name, what, v, label)
  local y = numbers(v)
  if y then return { x = positions(#y), y = y, label = label } end
  if type(v) == "table" and (v.y ~= nil or v[2] ~= nil and v[3] == nil) then
    local x = numbers(v.x or v[1])
    y = numbers(v.y or v[2])
    if v.y ~= nil and v.x == nil and y then x = positions(#y) end
    if x and y then
      if #x ~= #y then raise(name, "%s has %d values of x and %d of y", what, #x, #y) end
      return { x = x, y = y, label = v.label or label }
    end
  end
  raise(name, "%s must be a list of numbers, a 1-dim tensor, or { x = , y = }, not %s", what, got(v))
end

-- A name as text that sorts "layer 2" before "layer 10".
local function by_number(name)
  return (name:gsub("%d+", function(d) return ("0"):rep(20 - #d) .. d end))
end

-- Series from one of them, a list of them, or a table of them by name.
local function read_series(name, data)
  if numbers(data) or type(data) == "table" and data.y ~= nil then
    return { one_series(name, "data", data) }
  end
  if type(data) ~= "table" then one_series(name, "data", data) end
  local list, keys = {}, {}
  for i, v in ipairs(data) do list[i] = one_series(name, ("data[%d]"):format(i), v) end
  for k in pairs(data) do
    if type(k) == "string" then keys[#keys + 1] = k end
  end
  table.sort(keys, function(a, b)
    local sort_a, sort_b = by_number(a), by_number(b)
    if sort_a ~= sort_b then return sort_a < sort_b end
    return a < b
  end)
  for _, k in ipairs(keys) do list[#list + 1] = one_series(name, "data." .. k, data[k], k) end
  if #list == 0 then raise(name, "data has no series; it is a list of numbers, or a table of such") end
  return list
end
jit.off(read_series)

-- -- Charts ------------------------------------------------------------------------------------------

local OPTIONS = "data: any, title: string?, xlabel: string?, ylabel: string?, width: count = 640, "
  .. "height: count = 400, xscale: linear|log = linear, yscale: linear|log = linear, xlim: pair?, ylim: pair?"
local LEAST = 120 -- the least width and height that axes fit into

local function charts(kind)
  local parse = args.define("plot." .. kind, OPTIONS)
  return function(data, options)
    local o = parse(data, options or {})
    local name = "plot." .. kind
    o.kind = kind
    if o.width < LEAST or o.height < LEAST then
      raise(name, "a chart has at least %d x %d pixels, not %d x %d", LEAST, LEAST, o.width, o.height)
    end
    for _, axis in ipairs { "x", "y" } do
      local limits = o[axis .. "lim"]
      if limits and math.max(-limits[1], limits[2]) > chart.MOST then
        raise(name, "%slim goes from %g to %g, the most is %g", axis, limits[1], limits[2], chart.MOST)
      end
      if limits and not (limits[1] < limits[2] and (o[axis .. "scale"] ~= "log" or limits[1] > 0)) then
        raise(name, "%slim must rise%s, { %g, %g } does not fit", axis,
          o[axis .. "scale"] == "log" and " from above 0" or "", limits[1], limits[2])
      end
    end
    local series = read_series(name, data)
    return Figure(name, o.width, o.height, function(canvas) chart.draw(canvas, series, o) end)
  end
end

--- A chart with a line a series.  data: a list of numbers or a 1-dim tensor (over 1, 2, ...),
--- { x = , y = }, a list of these, or a table of them by name.  Values that are not finite leave gaps.
--- Options: title, xlabel, ylabel, width, height (pixels), xscale and yscale ("linear" or "log"), xlim and
--- ylim ({ low, high }).  40 series look different: by colour, then by dashes too.  A legend that is too
--- large for a corner stands beside the axes.
---@param data any
---@param options? table
---@return kiln.utils.plot.Figure
M.line = charts "line"

--- The same with a dot a value; beyond 8 series with crosses, squares, triangles and plus signs.
---@param data any
---@param options? table
---@return kiln.utils.plot.Figure
M.scatter = charts "scatter"

-- -- Images ------------------------------------------------------------------------------------------

local parse_images = args.define("plot.images", "images: tensor, nrow: count = 8, padding: int = 2, "
  .. "zoom: count?, labels: table?, title: string?")
local ROOM, SMALL = 640, 9 -- how wide a grid becomes by itself; the size of labels

--- Images [n, c, h, w] (c 1 or 3) or [n, h, w] side by side, 0 black and 1 white.  Options: nrow (images a
--- row), padding (pixels between), zoom (pixels for one of an image's), labels (a text below each), title.
---@param images kiln.Tensor
---@param options? table
---@return kiln.utils.plot.Figure
function M.images(images, options)
  local o = parse_images(images, options or {})
  local x = o.images:detach()
  if x:dim() == 3 then x = x:unsqueeze(2) end
  if x:dim() ~= 4 or (x:size(2) ~= 1 and x:size(2) ~= 3) or x:numel() == 0 then
    raise("plot.images", "images must be [n, 1, h, w], [n, 3, h, w] or [n, h, w], not %s",
      tostring(o.images.shape))
  end
  local n, h, w = x:size(1), x:size(3), x:size(4)
  local columns = math.min(o.nrow, n)
  local zoom = o.zoom or math.max(1, math.floor(ROOM / columns / w))
  local below = o.labels and 14 or 0
  local wide, high, top = w * zoom + o.padding, h * zoom + o.padding + below, o.title and 28 or 0
  local width = columns * wide + o.padding
  local height = math.ceil(n / columns) * high + o.padding + top
  return Figure("plot.images", width, height, function(canvas)
    canvas:rect(0, 0, width, height, "#ffffff")
    if o.title then canvas:text(width / 2, 16, o.title, "middle", 14, "#222222") end
    for i = 0, n - 1 do
      local left, up = i % columns * wide + o.padding, math.floor(i / columns) * high + o.padding + top
      canvas:image(left, up, w * zoom, h * zoom, x[i + 1])
      local label = o.labels and o.labels[i + 1]
      if label then
        label = fitting(canvas, tostring(label), wide - 4, SMALL)
        canvas:text(left + w * zoom / 2, up + h * zoom + 7, label, "middle", SMALL, "#222222")
      end
    end
  end)
end

-- -- Sparklines --------------------------------------------------------------------------------------

local BARS = { "\226\150\129", "\226\150\130", "\226\150\131", "\226\150\132", "\226\150\133", "\226\150\134",
  "\226\150\135", "\226\150\136" }

--- A line of bars, one a value or (when there are more than `width`) one a mean of several.  A value that is
--- not finite is a blank.
---@param values number[]|kiln.Tensor
---@param width? integer  60
---@return string
function M.sparkline(values, width)
  local list = numbers(values)
  if not list then
    raise("plot.sparkline", "values must be a list of numbers or a 1-dim tensor, not %s", got(values))
  end
  width = check.int(width or 60, "plot.sparkline", "width")
  if width < 1 then raise("plot.sparkline", "width must be at least 1, not %d", width) end
  local bars, n = {}, math.min(width, #list)
  local low, high = math.huge, -math.huge
  for k = 1, n do
    local sum, count = 0, 0
    for i = math.floor((k - 1) * #list / n) + 1, math.floor(k * #list / n) do
      if list[i] - list[i] == 0 then sum, count = sum + list[i], count + 1 end
    end
    bars[k] = count > 0 and sum / count or false
    if bars[k] then low, high = math.min(low, bars[k]), math.max(high, bars[k]) end
  end
  for k = 1, n do
    local v = bars[k]
    local share = v and (high > low and (v - low) / (high - low) or 0.5)
    bars[k] = v and BARS[math.min(#BARS, math.floor(share * #BARS) + 1)] or " "
  end
  return table.concat(bars)
end

M.Figure = Figure

return M
