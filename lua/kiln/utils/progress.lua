--- A progress bar: one line that redraws itself on a terminal, plain lines elsewhere.
--
--   local bar = progress(#steps, { label = "epoch 1" })
--   for ... do bar:update(1, "loss 0.31") end
--   bar:finish "accuracy 0.91"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local libc = require "kiln.utils.libc"

local WIDTH, REDRAW, LINE = 24, 0.1, 20 -- of the bar; seconds between two drawings; between two lines

---@class kiln.utils.Progress: kiln.Object
local Progress = Object:extend "Progress"
local parse = args.define("progress", "total: int, label: string?, file: any?, terminal: bool?")

---@param total integer how many steps there will be
function Progress:init(...)
  local a = parse(...)
  self.total, self.label, self.file = a.total, a.label or "", a.file or io.stdout
  self.terminal = a.terminal
  if self.terminal == nil then self.terminal = self.file == io.stdout and libc.is_terminal(1) end
  self.done, self.text, self.start = 0, "", libc.seconds()
  self.drawn = self.start
end

local function line(self, seconds)
  local share = self.total > 0 and math.min(self.done / self.total, 1) or 1
  local count = ("%d/%d"):format(self.done, self.total)
  local words = { self.label, count, ("%.1f s"):format(seconds), self.text }
  if self.terminal then
    local full = math.floor(share * WIDTH)
    words[2] = ("[%s%s] %s"):format(("="):rep(full), (" "):rep(WIDTH - full), count)
  end
  local parts = {}
  for _, word in ipairs(words) do
    if word ~= "" then parts[#parts + 1] = word end
  end
  return table.concat(parts, "  ")
end

-- A text, or what prints as one: a number, a tensor.
local function set_text(self, text)
  if text ~= nil then self.text = tostring(text) end
end

--- `n` steps further (default 1); `text` stands behind the numbers.
function Progress:update(n, text)
  check.self(self, "update", "bar")
  self.done = self.done + (n == nil and 1 or check.number(n, "progress: update", "n"))
  set_text(self, text)
  local now = libc.seconds()
  if now - self.drawn < (self.terminal and REDRAW or LINE) then return end
  self.drawn = now
  local text_now = line(self, now - self.start)
  self.file:write(self.terminal and "\r" .. text_now .. "\27[K" or text_now .. "\n")
  self.file:flush()
end

--- The last line, which stays.
function Progress:finish(text)
  check.self(self, "finish", "bar")
  set_text(self, text)
  local last = line(self, libc.seconds() - self.start)
  self.file:write(self.terminal and "\r" .. last .. "\27[K\n" or last .. "\n")
  self.file:flush()
end

return Progress
