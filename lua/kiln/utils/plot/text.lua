--- Text of charts as characters.
local json = require "kiln.serialization.json"

local M = {}

local UNKNOWN, ELLIPSIS = "\239\191\189", "…" -- the first: U+FFFD

--- The characters of a text in UTF-8.  Blanks are spaces; what is no character, or none that can be seen, is
--- U+FFFD.
---@param text string
---@return string[]
function M.letters(text)
  local list = {}
  for letter in text:gsub("%s", " "):gmatch "[^\128-\191]?[\128-\191]*" do
    if letter ~= "" then
      local bad = letter:find "^%c" or letter:find "^\239\191[\190\191]" or json.bad_utf8(letter)
      list[#list + 1] = bad and UNKNOWN or letter
    end
  end
  return list
end

--- As much of a text as fits into a width, with an ellipsis where something is left out.
---@param canvas table
---@param text string
---@param width number
---@param size number
---@return string
function M.fitting(canvas, text, width, size)
  if canvas:text_width(text, size) <= width then return text end
  local list = M.letters(text)
  repeat
    list[#list] = nil
    text = table.concat(list) .. ELLIPSIS
  until #list <= 1 or canvas:text_width(text, size) <= width
  return text
end

return M
