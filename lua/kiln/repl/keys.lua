--- Bytes from the terminal as keys: a character (UTF-8), or a name such as "ctrl-a", "up", "alt-b".
-- A paste comes as the key "paste" with its text.  It refuses to act on any.
local terminal = require "kiln.repl.terminal"

local M = {}

local ESCAPE_WAIT = 50 -- milliseconds that the rest of an escape sequence may take

local CONTROL = { [9] = "tab", [10] = "enter", [13] = "enter", [127] = "backspace", [8] = "backspace" }

-- What stands behind ESC [ or ESC O.
local SEQUENCES = {
  A = "up", B = "down", C = "right", D = "left", H = "home", F = "end",
  ["1~"] = "home", ["7~"] = "home", ["4~"] = "end", ["8~"] = "end", ["3~"] = "delete",
  ["1;5C"] = "alt-f", ["1;5D"] = "alt-b", ["1;3C"] = "alt-f", ["1;3D"] = "alt-b",
  ["200~"] = "paste", Z = "shift-tab",
}

local PASTE_END = "\27[201~"

local function paste()
  local bytes = {}
  while true do
    local b = terminal.byte()
    if b == nil then return table.concat(bytes) end
    bytes[#bytes + 1] = string.char(b)
    if b == 126 and table.concat(bytes, "", math.max(1, #bytes - #PASTE_END + 1)) == PASTE_END then
      local text = table.concat(bytes, "", 1, #bytes - #PASTE_END)
      return (text:gsub("\r\n?", "\n"))
    end
  end
end

-- The character (UTF-8) that begins with byte b; "unknown" when it does not go on as it must.
local function character(b)
  if b < 128 then return string.char(b) end
  local more = b >= 240 and 3 or b >= 224 and 2 or b >= 192 and 1 or 0
  local bytes = { string.char(b) }
  for i = 1, more do
    local next_byte = terminal.ready(ESCAPE_WAIT) and terminal.byte()
    if not next_byte or next_byte < 128 or next_byte >= 192 then return "unknown" end
    bytes[i + 1] = string.char(next_byte)
  end
  return more > 0 and table.concat(bytes) or "unknown"
end

local function escape()
  if not terminal.ready(ESCAPE_WAIT) then return "escape" end
  local b = terminal.byte()
  if b ~= 91 and b ~= 79 then -- [ and O
    if b == nil then return nil end
    return "alt-" .. (CONTROL[b] or character(b))
  end
  local sequence = ""
  while terminal.ready(ESCAPE_WAIT) do
    b = terminal.byte()
    if b == nil then return nil end
    sequence = sequence .. string.char(b)
    if b >= 64 then break end
  end
  local key = SEQUENCES[sequence] or "unknown"
  if key == "paste" then return key, paste() end
  return key
end

--- The next key, or nil at the end of input.
---@return string? key
---@return string? text  of a paste
function M.read()
  local b = terminal.byte()
  if b == nil then return nil end
  if b == 27 then return escape() end
  if CONTROL[b] then return CONTROL[b] end
  if b < 32 then return "ctrl-" .. string.char(b + 96) end
  return character(b)
end

return M
