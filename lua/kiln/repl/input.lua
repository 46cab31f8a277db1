--- An input while its lines arrive: is more to come?
-- The compiler is asked, but not at every line of a long input, which would cost the square of its lines:
-- where a bracket, a block, a long string or an operator is open, nothing can be whole yet, and mistakes are
-- looked for each time the input has grown by a quarter.  It refuses to run anything.
local Object = require "kiln.class"
local source = require "kiln.repl.source"

local SHORT, GROWTH = 4096, 1.25 -- up to so many bytes the compiler is asked at each line

local STEPS = { ["("] = 1, ["{"] = 1, ["["] = 1, [")"] = -1, ["}"] = -1, ["]"] = -1 }
for word in pairs(source.OPENS) do STEPS[word] = 1 end
for word in pairs(source.CLOSES) do STEPS[word] = -1 end

-- No input ends with one of these.
local GO_ON = {}
for word in ("= , + - * / % ^ < > # and or not local"):gmatch "%S+" do GO_ON[word] = true end

---@class kiln.repl.Input: kiln.Object
local Input = Object:extend "Input"

--- unfinished(text): does the compiler want more?
---@param unfinished fun(text: string): boolean
function Input:init(unfinished)
  self.compile = unfinished
  self:clear()
end

--- Forgets all lines.
function Input:clear()
  self.parts, self.bytes, self.asked = {}, 0, 0
  -- How many brackets and blocks are open, how the open string or comment ends, does the last token go on.
  self.depth, self.close, self.goes_on = 0, nil, false
end

--- Have no lines come yet?
function Input:is_empty() return #self.parts == 0 end

--- What has come.
---@return string
function Input:text()
  local text = table.concat(self.parts, "\n")
  self.parts = { text }
  return text
end

local function scan(self, text)
  local from = 1
  if self.close then
    local _, last = text:find(self.close, 1, true)
    if not last then return end
    self.close, from = nil, last + 1
  end
  for _, t in ipairs(source.tokens(text, from)) do
    if t.kind ~= "comment" then self.goes_on = GO_ON[t.text] or false end
    if t.kind == "name" or t.kind == "symbol" then self.depth = self.depth + (STEPS[t.text] or 0) end
    local level = t.open and t.text:match(t.kind == "comment" and "^%-%-%[(=*)%[" or "^%[(=*)%[")
    if level then self.close = "]" .. level .. "]" end
  end
end

--- Adds a line, or several.
---@param text string
function Input:add(text)
  self.parts[#self.parts + 1] = text
  self.bytes = self.bytes + #text + 1
  scan(self, text)
end

--- Is more to come?
---@return boolean
function Input:unfinished()
  local open = self.close or self.depth > 0 or self.goes_on
  if open and self.bytes > SHORT and self.bytes < self.asked * GROWTH then return true end
  self.asked = self.bytes
  return self.compile(self:text())
end

--- The same of a text, most of which was asked about before.
---@param text string
---@return boolean
function Input:unfinished_text(text)
  local known = self:text()
  if not self:is_empty() and text:sub(1, #known + 1) == known .. "\n" then
    self:add(text:sub(#known + 2))
  else
    self:clear()
    self:add(text)
  end
  return self:unfinished()
end

return Input
