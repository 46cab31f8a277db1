--- kiln.utils.plot: what charts, images and sparklines look like, as SVG text and as pixels.
local kiln = require "kiln"
local support = require "spec.support"
local plot = kiln.utils.plot
local Raster = require "kiln.utils.plot.raster"
local scale = require "kiln.utils.plot.scale"

local function count(text, what) return select(2, text:gsub(what, "")) end

local function pixel(canvas, x, y)
  local at = (y * canvas.w + x) * 3
  return { canvas.pixels[at], canvas.pixels[at + 1], canvas.pixels[at + 2] }
end

describe("scales", function()
  local function ticks(...)
    local texts = {}
    for i, t in ipairs(scale.axis(...).ticks) do texts[i] = t.text end
    return table.concat(texts, " ")
  end

  it("have round ticks", function()
    assert.equal("0 2 4 6 8 10", ticks("linear", 0, 10, false, 6))
    assert.equal("0 0.1 0.2 0.3", ticks("linear", 0.01, 0.27, false, 4))
    assert.equal("-1e-06 0 1e-06", ticks("linear", -1e-6, 1e-6, false, 3):gsub("e%-6", "e-06"))
    assert.equal("1000000 1000000.5 1000001 1000001.5 1000002", ticks("linear", 1e6, 1e6 + 2, false, 4))
    assert.equal("0.001 0.01 0.1 1", ticks("log", 0.002, 1, false, 6))
    assert.equal("1 2 5 10", ticks("log", 1, 10, true, 6))
  end)

  it("map the ends to 0 and 1", function()
    local axis = scale.axis("log", 1, 100, true, 5)
    assert.near(0, axis.at(1), 1e-12)
    assert.near(0.5, axis.at(10), 1e-12)
    axis = scale.axis("linear", 3, 3, false, 5)
    assert.is_true(axis.low < 3 and axis.high > 3)
  end)
end)

describe("charts", function()
  it("draw each series as a line, with a legend", function()
    local svg = plot.line({ a = { 1, 2, 3 }, ["b & <c>"] = kiln.tensor { 3, 2, 1 } }, { title = "T" }):svg()
    assert.equal(4, count(svg, "<polyline")) -- two, and their samples in the legend
    assert.truthy(svg:find("b &amp; &lt;c&gt;", 1, true))
    assert.truthy(svg:find(">T</text>", 1, true))
    assert.truthy(svg:find "^<svg .*</svg>\n$")
  end)

  it("put the legend where it covers least, and names in the order of their numbers", function()
    local function corner(values, kind)
      local svg = plot[kind or "line"]({ ["layer 10"] = values, ["layer 2"] = values }):svg()
      local x, y = svg:match "<text x='([%d.]+)' y='([%d.]+)'[^>]*>layer 2<"
      assert.is_true(svg:find("layer 2<", 1, true) < svg:find("layer 10<", 1, true))
      return (tonumber(x) > 320 and "right" or "left") .. (tonumber(y) < 200 and " top" or " bottom")
    end
    assert.equal("right top", corner { 3, 2, 1, 1, 1 })
    assert.equal("left top", corner { 1, 1, 2, 3, 5 })
    assert.equal("right bottom", corner { 4.9, 4.9, 0, 4.9, 4.9 })
    assert.equal("left top", corner({ x = { 1, 9.5 }, y = { 1, 9.5 } }, "scatter"))
  end)

  it("tell 40 series apart, in the legend too", function()
    local series = {}
    for i = 1, 40 do series[i] = { y = { i, i + 1 }, label = "s" .. i } end
    for _, kind in ipairs { "line", "scatter" } do
      local seen, n = {}, 0
      -- Before each name of the legend stands its sample; where it stands is taken out of it.
      for sample in plot[kind](series, { width = 900 }):svg():gmatch "\n(<[cp][^\n]*)\n<text[^>]*>s%d+<" do
        local look = sample:gsub(" c?[xy]='[%d.]*'", ""):gsub("points='([^']*)'", function(points)
          local x, y = points:match "^([%d.]+),([%d.]+)"
          return (points:gsub("([%d.]+),([%d.]+)", function(a, b)
            return ("%.1f,%.1f"):format(a - x, b - y)
          end))
        end)
        assert.is_nil(seen[look], look)
        seen[look], n = true, n + 1
      end
      assert.equal(40, n)
    end
  end)

  it("have a legend beside the axes where it would hide much of them", function()
    local function named(n)
      local series = {}
      for i = 1, n do series[i] = { y = { i, i + 1 }, label = ("a long name, the %d"):format(i) } end
      return plot.line(series):svg()
    end
    local function right_of_axes(svg)
      local _, first = svg:match "<rect x='([%d.]+)' y='[%d.]+' width='([%d.]+)' height='0.5'"
      return svg:match "<rect x='([%d.]+)' y='[%d.]+' width='[%d.]+' height='0.5'" + first
    end
    assert.near(622, right_of_axes(named(3)), 1)
    local svg = named(14)
    assert.is_true(tonumber(svg:match "<text x='([%d.]+)'[^>]*>a long name, the 14<") > right_of_axes(svg))
    svg = named(200)
    assert.truthy(svg:find "a long name, the 5<" and svg:find ">%.%.%. %d+ more<")
    assert.is_true(right_of_axes(svg) > 250)
  end)

  it("leave a gap where a value is not finite", function()
    assert.equal(1, count(plot.line({ 1, 2, 3, 4, 5 }):svg(), "<polyline"))
    assert.equal(2, count(plot.line({ 1, 2, 0 / 0, 4, 5 }):svg(), "<polyline"))
    assert.equal(2, count(plot.line({ 1, 2, math.huge, 4, 5 }):svg(), "<polyline"))
    local svg = plot.line({ train = { 0 / 0, math.huge }, test = { 1, 2 } }):svg()
    assert.truthy(svg:find(">train (nothing to draw)<", 1, true) and svg:find(">test<", 1, true))
    assert.equal(2, count(plot.line({ 1, 2, 0, 4, 5 }, { yscale = "log" }):svg(), "<polyline"))
  end)

  it("put dots where the values are", function()
    local svg = plot.scatter({ x = { 0, 10 }, y = { 0, 10 } }, { xlim = { 0, 10 }, ylim = { 0, 10 } }):svg()
    assert.equal(2, count(svg, "<circle"))
    local x1, y1, x2, y2 = svg:match "cx='([%d.]+)' cy='([%d.]+)'.*cx='([%d.]+)' cy='([%d.]+)'"
    assert.is_true(tonumber(x2) > tonumber(x1) and tonumber(y2) < tonumber(y1))
  end)

  it("draw nothing outside their limits", function()
    local svg = plot.line({ 0, 100, 0 }, { ylim = { 0, 10 } }):svg()
    for points in svg:gmatch "points='([^']*)'" do
      for y in points:gmatch ",([%d.]+)" do assert.is_true(tonumber(y) >= 14 - 0.01) end
    end
  end)

  it("keep the extremes of more points than there is room for", function()
    local values = {}
    for i = 1, 100000 do values[i] = 0 end
    values[54321] = 1
    local svg = plot.line(values, { ylim = { 0, 1 } }):svg()
    assert.is_true(#svg < 100000)
    local top = math.huge
    for y in svg:match("points='([^']*)'"):gmatch ",([%d.]+)" do top = math.min(top, tonumber(y)) end
    assert.near(14, top, 0.01)
  end)

  it("say what is wrong", function()
    support.raises({ "plot.line", "data[2]", "a tensor float32 [2, 2]" }, plot.line,
      { { 1, 2 }, kiln.ones(2, 2) })
    support.raises({ "plot.line", "unknown option 'colour'" }, plot.line, { 1 }, { colour = "red" })
    support.raises({ "plot.scatter", "2 values of x and 3 of y" }, plot.scatter,
      { x = { 1, 2 }, y = { 1, 2, 3 } })
    support.raises({ "ylim must rise from above 0" }, plot.line, { 1 }, { yscale = "log", ylim = { 0, 1 } })
    for _, method in ipairs { "save", "svg", "png" } do
      support.raises({ method, "figure:" .. method }, plot.line({ 1 })[method], "chart.png")
    end
    support.raises({ ".svg or .png", "chart.gif" }, function() plot.line({ 1 }):save "chart.gif" end)
    support.raises({ "no/such/folder" }, function() plot.line({ 1 }):save "no/such/folder/a.svg" end)
  end)
end)

describe("text", function()
  local font = require "kiln.utils.plot.font"
  local text = require "kiln.utils.plot.text"

  it("has letters for Latin-1, Greek and mathematics, all different from a box", function()
    local box = font.glyph "no letter"
    for code = 0xa0, 0xff do
      if code ~= 0xad then -- the soft hyphen is not seen
        local letter = string.char(0xc0 + math.floor(code / 64), 0x80 + code % 64)
        assert.are_not.equal(box, font.glyph(letter), letter)
      end
    end
    for _, letter in ipairs(text.letters("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψωέ"
      .. "∂∇∑∏√∞∫≈≠≤≥±×→−…₂³")) do
      assert.are_not.equal(box, font.glyph(letter), letter)
    end
    assert.equal(box, font.glyph "\230\151\165")
    -- A mark stands above its letter.
    local e, marked = font.glyph "e", font.glyph "é"
    for i = 1, 5 do assert.equal(e[i], bit.band(marked[i], e[i])) end
    assert.is_true(bit.band(bit.bor(unpack(marked)), 0x3f) > 0 and bit.band(bit.bor(unpack(e)), 0x3f) == 0)
  end)

  it("is characters of UTF-8, whatever its bytes are", function()
    assert.same({ "a", "é", " ", "∑" }, text.letters "aé\n∑")
    assert.same({ "\239\191\189", "b", "\239\191\189", "\239\191\189" }, text.letters "\1b\255\226\136")
    local svg = plot.line({ 1, 2 }, { title = "\0\255<" }):svg()
    assert.truthy(svg:find(">\239\191\189\239\191\189&lt;</text>", 1, true))
    local canvas = Raster(20, 10)
    assert.equal("∑∑…", text.fitting(canvas, "∑∑∑∑∑", canvas:text_width("123", 9), 9))
    assert.equal("∑∑∑", text.fitting(canvas, "∑∑∑", canvas:text_width("123", 9), 9))
  end)
end)

describe("pixels", function()
  it("are covered by rectangles, lines and letters", function()
    local canvas = Raster(20, 10)
    canvas:rect(2, 1, 3, 2, "#ff0000")
    assert.same({ 255, 0, 0 }, pixel(canvas, 4, 2))
    assert.same({ 255, 0, 0 }, pixel(canvas, 9, 5))
    assert.same({ 255, 255, 255 }, pixel(canvas, 10, 5))
    canvas:polyline({ 0, 8, 20, 8 }, "#0000ff", 2)
    assert.same({ 0, 0, 255 }, pixel(canvas, 20, 16))
    assert.same({ 255, 255, 255 }, pixel(canvas, 20, 12))
    canvas = Raster(20, 10)
    canvas:polyline({ 0, 5, 7, 5, 20, 5 }, "#0000ff", 2, { 5, 5 })
    assert.same({ 0, 0, 255 }, pixel(canvas, 8, 10))
    assert.same({ 255, 255, 255 }, pixel(canvas, 15, 10))
    assert.same({ 0, 0, 255 }, pixel(canvas, 25, 10)) -- dashes go on behind a corner
    assert.same({ 255, 255, 255 }, pixel(canvas, 36, 10))
    for b = 11, 14 do -- rounding leaves less of a dash than moves a place
      canvas:polyline({ 0, 0, 1 / 7, b / 3, 2 / 7, 0.3 * b }, "#0000ff", 2, { 1.5, 3.5 })
      canvas:polyline({ 10.1, 0, 10.1 + 1 / 7, b / 3, 2 / 7, 0.3 * b }, "#0000ff", 2, { 9, 3.5, 1.5, 3.5 })
    end
    local before = canvas:text_width("ii", 11)
    assert.is_true(canvas:text_width("iii", 11) > before)
    canvas = Raster(20, 20)
    canvas:text(0, 10, "I", "start", 11, "#000000")
    local dark = 0
    for y = 0, canvas.h - 1 do
      for x = 0, canvas.w - 1 do dark = dark + (pixel(canvas, x, y)[1] == 0 and 1 or 0) end
    end
    assert.equal(11 * 4, dark) -- 11 dots of 2 x 2 pixels
  end)

  it("become a PNG of the right size", function()
    local bytes = plot.line({ 1, 2 }, { width = 200, height = 150 }):png()
    assert.equal("\137PNG\r\n\26\n", bytes:sub(1, 8))
    assert.equal("IHDR\0\0\1\144\0\0\1\44\8\2", bytes:sub(13, 26))
    assert.equal("IEND", bytes:sub(-8, -5))
  end)

  it("are written by kiln.vision.save_image, a batch as a grid", function()
    local name = os.tmpname()
    local path = name .. ".png"
    for shape, size in pairs { [kiln.rand(5, 7)] = { 7, 5 }, [kiln.rand(3, 1, 4, 4)] = { 20, 8 } } do
      kiln.vision.save_image(shape, path)
      local file = assert(io.open(path, "rb"))
      local bytes = file:read "*a"
      file:close()
      assert.equal("\137PNG", bytes:sub(1, 4))
      assert.same(size, { bytes:byte(20), bytes:byte(24) })
    end
    os.remove(name)
    os.remove(path)
    support.raises({ "a name must end in .png, 'x.jpg' does not" }, kiln.vision.save_image, kiln.rand(2, 2),
      "x.jpg")
    support.raises({ "1 or 3 channels" }, kiln.vision.save_image, kiln.rand(2, 2, 2), path)
  end)

  it("show images, one beside the other", function()
    local x = kiln.zeros(2, 1, 4, 4)
    x[2]:fill_(1)
    local figure = plot.images(x, { zoom = 2, padding = 1, labels = { "no", "yes" } })
    local canvas = Raster(figure.width, figure.height)
    figure.draw(canvas)
    assert.same({ 0, 0, 0 }, pixel(canvas, 8, 8))
    assert.same({ 255, 255, 255 }, pixel(canvas, 26, 8))
    assert.truthy(figure:svg():find("data:image/png;base64,iVBORw0KGgo", 1, true))
    support.raises({ "plot.images", "[2, 2, 4, 4]" }, plot.images, kiln.zeros(2, 2, 4, 4))
  end)
end)

describe("sparklines", function()
  it("rise and fall with the values", function()
    assert.equal("▁▂▃▄▅▆▇█", plot.sparkline { 1, 2, 3, 4, 5, 6, 7, 8 })
    assert.equal("▁ █", plot.sparkline { 0, 0 / 0, 1 })
    assert.equal("▁█", plot.sparkline({ 0, 0, 1, 1 }, 2))
    assert.equal("", plot.sparkline {})
    assert.equal("▁█", plot.sparkline(kiln.tensor { 3, 4 }))
    support.raises({ "plot.sparkline", "the number 3" }, plot.sparkline, 3)
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
