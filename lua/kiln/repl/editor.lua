--- The line editor: one input of any number of lines, edited where it stands.
-- Keys are those of Emacs and readline; a paste goes in as it is; Enter ends the input when it is whole
-- and opens a line when not.  It draws what it edits and refuses to know what the text means: completion
-- and wholeness are asked of functions it is given.
local Object = require "kiln.class"
local keys = require "kiln.repl.keys"
local terminal = require "kiln.repl.terminal"

---@class kiln.repl.Editor: kiln.Object
local Editor = Object:extend "Editor"

--- history: kiln.repl.History; whole(text): may Enter end it; complete(text before the cursor): the part
--- that is there already and the names it could become; paint(text): the prompt in colour.
---@param options { history: table, whole: function, complete: function, paint: function }
function Editor:init(options)
  for name, v in pairs(options) do self[name] = v end
  self.killed = ""
end
jit.off(Editor.init)

-- -- Text ------------------------------------------------------------------------------------------

-- Columns that a character (UTF-8) takes.
local WIDE = { { 0x1100, 0x115f }, { 0x2e80, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
  { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd } }
local NONE = { { 0x300, 0x36f }, { 0x200b, 0x200f }, { 0xfe00, 0xfe0f } }

local function inside(ranges, code)
  for _, r in ipairs(ranges) do
    if code >= r[1] and code <= r[2] then return true end
  end
  return false
end

local TAB = "  " -- how a tab is shown

local function width_of(char)
  local b = char:byte()
  if b == 9 then return #TAB end
  if b < 0xc0 then return 1 end
  local code = bit.band(b, b >= 0xf0 and 7 or b >= 0xe0 and 15 or 31)
  for i = 2, #char do code = code * 64 + bit.band(char:byte(i), 63) end
  return inside(WIDE, code) and 2 or inside(NONE, code) and 0 or 1
end

local CHAR = "[%z\1-\255][\128-\191]*" -- a stray byte of one counts as one

-- Where the character before (behind) position `at` begins (ends).
local function left_of(text, at)
  while at > 0 do
    at = at - 1
    if at == 0 or not text:find("^[\128-\191]", at + 1) then return at end
  end
  return 0
end

local function right_of(text, at)
  if at >= #text then return at end
  return select(2, text:find("^.[\128-\191]*", at + 1))
end

local function word_left(text, at)
  while at > 0 and not text:find("^[%w_]", at) do at = at - 1 end
  while at > 0 and text:find("^[%w_]", at) do at = at - 1 end
  return at
end

local function word_right(text, at)
  while at < #text and not text:find("^[%w_]", at + 1) do at = at + 1 end
  while at < #text and text:find("^[%w_]", at + 1) do at = at + 1 end
  return at
end

local function line_start(text, at)
  while at > 0 and text:sub(at, at) ~= "\n" do at = at - 1 end
  return at
end

local function line_end(text, at)
  return (text:find("\n", at + 1, true) or #text + 1) - 1
end

-- -- Drawing -----------------------------------------------------------------------------------------

-- The rows of prompt and text on a screen `columns` wide, and the row and column of the cursor.
local function layout(self, columns)
  local rows, row, column = {}, { self.paint(self.prompt) }, #self.prompt
  local cursor_row, cursor_column
  local function next_row(start, width)
    rows[#rows + 1] = table.concat(row)
    row, column = { start }, width
  end
  local at = 0
  for char in (self.text .. "\0"):gmatch(CHAR) do
    if at >= self.cursor and not cursor_row then cursor_row, cursor_column = #rows, column end
    if char == "\n" then
      next_row(self.paint(self.continuation), #self.continuation)
    elseif char ~= "\0" then
      local width = width_of(char)
      if column + width > columns then next_row("", 0) end
      row[#row + 1] = char == "\t" and TAB or char:find "^[%c\128-\191]" and "?" or char
      column = column + width
      if column == columns then next_row("", 0) end
    end
    at = at + #char
  end
  rows[#rows + 1] = table.concat(row)
  return rows, cursor_row, cursor_column
end

-- Draws everything anew; as many rows around the cursor as the screen has.
local function draw(self)
  local columns, height = terminal.size()
  local rows, row, column = layout(self, columns)
  local first = math.max(0, math.min(row - height + 2, #rows - height + 1))
  local last = math.min(#rows, first + height - 1)
  local out = { self.row > 0 and ("\27[%dA\r"):format(self.row) or "\r" }
  for i = first + 1, last do out[#out + 1] = (i > first + 1 and "\r\n" or "") .. "\27[K" .. rows[i] end
  if last - first < self.drawn then out[#out + 1] = "\r\n\27[J\27[A" end
  local up = last - 1 - row
  if up > 0 then out[#out + 1] = ("\27[%dA"):format(up) end
  out[#out + 1] = column > 0 and ("\r\27[%dC"):format(column) or "\r"
  terminal.write(table.concat(out))
  self.row, self.drawn = row - first, last - first
end

-- Leaves the text on the screen and goes to a line of its own.
local function leave(self)
  self.cursor = #self.text
  draw(self)
  terminal.write "\r\n"
  self.row, self.drawn = 0, 0
end

-- -- What keys do ------------------------------------------------------------------------------------

local function set(self, text, cursor)
  self.text, self.cursor = text, cursor or #text
end

local function insert(self, s)
  set(self, self.text:sub(1, self.cursor) .. s .. self.text:sub(self.cursor + 1), self.cursor + #s)
end

-- Takes out what stands between two positions.
local function cut(self, from, to, keep)
  if keep then self.killed = self.text:sub(from + 1, to) end
  set(self, self.text:sub(1, from) .. self.text:sub(to + 1), from)
end

local function recall(self, position)
  local entries = self.history.entries
  if position < 1 or position > #entries + 1 then return end
  if self.position == #entries + 1 then self.draft = self.text end
  self.position = position
  set(self, entries[position] or self.draft)
end

-- Up or down inside the text; false when it has no such line.
local function move_line(self, step)
  local text, start = self.text, line_start(self.text, self.cursor)
  local offset = self.cursor - start
  if step < 0 then
    if start == 0 then return false end
    local above = line_start(text, start - 1)
    self.cursor = math.min(above + offset, start - 1)
  else
    local stop = line_end(text, self.cursor)
    if stop == #text then return false end
    self.cursor = math.min(stop + 1 + offset, line_end(text, stop + 1))
  end
  return true
end

local function common_prefix(list)
  local prefix = list[1]
  for i = 2, #list do
    while list[i]:sub(1, #prefix) ~= prefix do prefix = prefix:sub(1, -2) end
  end
  return prefix
end

local MOST_SHOWN = 200

local function show_candidates(self, list)
  local columns, widest = terminal.size(), 0
  for i = 1, math.min(#list, MOST_SHOWN) do widest = math.max(widest, #list[i]) end
  local a_row = math.max(1, math.floor(columns / (widest + 2)))
  local lines = {}
  for i = 1, math.min(#list, MOST_SHOWN), a_row do
    local row = {}
    for k = i, math.min(i + a_row - 1, #list, MOST_SHOWN) do
      row[#row + 1] = list[k] .. (" "):rep(widest + 2 - #list[k])
    end
    lines[#lines + 1] = (table.concat(row):gsub("%s+$", ""))
  end
  if #list > MOST_SHOWN then lines[#lines + 1] = ("... %d more"):format(#list - MOST_SHOWN) end
  local cursor = self.cursor
  leave(self)
  self.cursor = cursor
  terminal.write(table.concat(lines, "\r\n"), "\r\n")
end

local function tab(self)
  local before = self.text:sub(1, self.cursor)
  -- What a program types stays what it is.
  if not before:match("[^\n]*$"):find "%S" then return insert(self, terminal.ready(0) and "\t" or "  ") end
  local prefix, candidates = self.complete(before)
  if #candidates == 0 then return terminal.write "\a" end
  local common = common_prefix(candidates)
  if #common > #prefix then
    insert(self, common:sub(#prefix + 1))
  elseif #candidates > 1 then
    show_candidates(self, candidates)
  end
end

-- Ctrl-R: the newest entry that has what is typed, then older ones.  Returns the key that ends it, as
-- keys.read does.
local function search(self)
  local before = { self.text, self.cursor, self.prompt }
  local query, position, entries = "", #self.history.entries + 1, self.history.entries
  while true do
    self.prompt = ("search '%s': "):format(query)
    draw(self)
    local key, pasted = keys.read()
    local from
    if key == "ctrl-r" then from = position
    elseif key == "backspace" then query, from = query:sub(1, left_of(query, #query)), #entries + 1
    elseif key and #key <= 4 and not key:find "^%l%l" then
      query, from = query .. key, math.min(position, #entries) + 1
    elseif key == "ctrl-g" or key == "ctrl-c" or key == nil then
      self.text, self.cursor, self.prompt = unpack(before)
      return
    else
      self.prompt = before[3]
      return key, pasted
    end
    local found, at = self.history:find(query, from)
    if found and query ~= "" then
      position = found
      set(self, entries[found], at - 1 + #query)
    elseif query ~= "" then
      terminal.write "\a"
    end
  end
end

local actions = {}

actions["ctrl-a"] = function(self) self.cursor = line_start(self.text, self.cursor) end
actions["ctrl-e"] = function(self) self.cursor = line_end(self.text, self.cursor) end
actions["ctrl-b"] = function(self) self.cursor = left_of(self.text, self.cursor) end
actions["ctrl-f"] = function(self) self.cursor = right_of(self.text, self.cursor) end
actions["alt-b"] = function(self) self.cursor = word_left(self.text, self.cursor) end
actions["alt-f"] = function(self) self.cursor = word_right(self.text, self.cursor) end
actions["backspace"] = function(self) cut(self, left_of(self.text, self.cursor), self.cursor) end
actions["delete"] = function(self) cut(self, self.cursor, right_of(self.text, self.cursor)) end
actions["ctrl-u"] = function(self) cut(self, line_start(self.text, self.cursor), self.cursor, true) end
actions["ctrl-w"] = function(self)
  local at = self.cursor
  while at > 0 and self.text:find("^%s", at) do at = at - 1 end
  while at > 0 and self.text:find("^%S", at) do at = at - 1 end
  cut(self, at, self.cursor, true)
end
actions["alt-backspace"] = function(self) cut(self, word_left(self.text, self.cursor), self.cursor, true) end
actions["alt-d"] = function(self)
  local at = self.cursor
  cut(self, at, word_right(self.text, at), true)
end
actions["ctrl-k"] = function(self)
  local stop = line_end(self.text, self.cursor)
  if stop == self.cursor then stop = math.min(stop + 1, #self.text) end
  cut(self, self.cursor, stop, true)
end
actions["ctrl-y"] = function(self) insert(self, self.killed) end
actions["ctrl-t"] = function(self)
  local at = math.min(right_of(self.text, self.cursor), line_end(self.text, self.cursor))
  local middle = left_of(self.text, at)
  local start = left_of(self.text, middle)
  if middle == 0 then return end
  local text = self.text
  set(self, text:sub(1, start) .. text:sub(middle + 1, at) .. text:sub(start + 1, middle)
    .. text:sub(at + 1), at)
end
actions["ctrl-l"] = function(self)
  terminal.write "\27[H\27[2J"
  self.row, self.drawn = 0, 0
end
actions["ctrl-p"] = function(self) recall(self, self.position - 1) end
actions["ctrl-n"] = function(self) recall(self, self.position + 1) end
actions["up"] = function(self)
  if not move_line(self, -1) then recall(self, self.position - 1) end
end
actions["down"] = function(self)
  if not move_line(self, 1) then recall(self, self.position + 1) end
end
actions["tab"] = tab
actions["alt-enter"] = function(self) insert(self, "\n") end
actions["ctrl-z"] = function(self)
  leave(self)
  terminal.suspend()
end
for name, same in pairs { left = "ctrl-b", right = "ctrl-f", home = "ctrl-a", ["end"] = "ctrl-e",
  ["ctrl-h"] = "backspace" } do
  actions[name] = actions[same]
end

local function is_character(key) return key ~= nil and #key <= 4 and not key:find "^%l%l" end

-- The next key: the one that ended a run of characters, or a new one.
local function next_key(self)
  local held = self.held
  if not held then return keys.read() end
  self.held = nil
  return held[1], held[2]
end

-- A character and those that have come behind it: a text that a program types goes in at once.
local function run_of(self, key)
  local run = { key }
  while terminal.ready(0) do
    local more, text = keys.read()
    if not is_character(more) then
      self.held = { more, text }
      break
    end
    run[#run + 1] = more
  end
  return table.concat(run)
end

-- Acts on one key.  Returns "done" when the input is whole, "cancelled" or "end".
local function act(self, key, text)
  if key == "ctrl-r" then
    key, text = search(self)
    if key == nil then return end
  end
  if key == nil then return "end" end
  if key == "enter" then
    if self.whole(self.text) then return "done" end
    local indent = self.text:sub(line_start(self.text, self.cursor) + 1, self.cursor):match "^%s*"
    -- What is there already was not typed by a hand, and brings its own blanks.
    insert(self, terminal.ready(0) and "\n" or "\n" .. indent)
  elseif key == "ctrl-c" then
    return "cancelled"
  elseif key == "ctrl-d" then
    if self.text == "" then return "end" end
    actions["delete"](self)
  elseif key == "paste" then
    insert(self, text)
  elseif actions[key] then
    actions[key](self)
  elseif is_character(key) then
    insert(self, run_of(self, key))
  end
end

local PASTE_ON, PASTE_OFF = "\27[?2004h", "\27[?2004l"

local function edit(self)
  while true do
    -- Keys that have come already are taken first.
    if not self.held and not terminal.ready(0) then draw(self) end
    local result = act(self, next_key(self))
    if result == "done" then
      leave(self)
      return self.text
    elseif result then
      leave(self)
      return nil, result
    end
  end
end

--- Reads one input.  Returns nil and "end" at the end of input, nil and "cancelled" after Ctrl-C.
---@param prompt string
---@param continuation string  the prompt of further lines
---@return string? text
---@return string? why
function Editor:read(prompt, continuation)
  self.prompt, self.continuation = prompt, continuation
  self.text, self.cursor, self.draft = "", 0, ""
  self.row, self.drawn = 0, 0 -- where the cursor is in what was drawn, and how many rows that was
  self.position = #self.history.entries + 1
  terminal.raw()
  terminal.write(PASTE_ON)
  local ok, text, why = pcall(edit, self)
  terminal.write(PASTE_OFF)
  terminal.restore()
  if not ok then error(text, 0) end
  return text, why
end

return Editor
