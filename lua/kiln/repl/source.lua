--- Lua source as the prompt sees it: tokens, whether more is to come, locals that outlive their line.
-- It refuses to parse: what is no Lua goes to the compiler as it is, which says why.
local M = {}

local function long_bracket(text, at)
  local level = text:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, last = text:find("]" .. level .. "]", at, true)
  return last or #text, last == nil
end

local function quoted(text, at)
  local quote, i = text:sub(at, at), at + 1
  while i <= #text do
    local c = text:sub(i, i)
    if c == "\\" then i = i + 1
    elseif c == quote then return i, false
    elseif c == "\n" then return i - 1, true end
    i = i + 1
  end
  return #text, true
end

--- The tokens of a text, without blanks: { kind, first, last, open }, kind being "name", "number", "string",
--- "comment" or "symbol"; open when a string or comment does not end.
---@param text string
---@param from? integer  1 when left out
---@return table[]
function M.tokens(text, from)
  local list, at = {}, from or 1
  while true do
    at = text:find("%S", at)
    if not at then return list end
    local c, kind, last, open = text:sub(at, at), "symbol", at, nil
    if text:find("^%-%-", at) then
      kind = "comment"
      last, open = long_bracket(text, at + 2)
      if not last then
        last = (text:find("\n", at, true) or #text + 1) - 1
        open = last == #text
      end
    elseif c == '"' or c == "'" then
      kind = "string"
      last, open = quoted(text, at)
    elseif text:find("^%[=*%[", at) then
      kind = "string"
      last, open = long_bracket(text, at)
    elseif c:find "[%a_]" then
      kind = "name"
      last = select(2, text:find("^[%w_]+", at))
    elseif c:find "%d" or text:find("^%.%d", at) then
      kind = "number"
      last = select(2, text:find("^[%w_.]+", at))
    end
    list[#list + 1] = { kind = kind, first = at, last = last, open = open, text = text:sub(at, last) }
    at = last + 1
  end
end

-- The words that begin and end blocks.
local OPENS = { ["function"] = true, ["do"] = true, ["if"] = true, ["repeat"] = true }
local CLOSES = { ["end"] = true, ["until"] = true }
M.OPENS, M.CLOSES = OPENS, CLOSES

-- The position behind `a, b` whose first name is token i, and whether `=` follows.
local function names_end(tokens, i)
  while tokens[i + 1] and tokens[i + 1].text == "," do i = i + 2 end
  local last, after = tokens[i], tokens[i + 1]
  return last and last.last, after ~= nil and after.text == "="
end

--- The text with `local` taken from statements outside any block, so that what one line declares the next
--- line still has.  Lines and columns stay.
---@param text string
---@return string
function M.keep_locals(text)
  local all, tokens = M.tokens(text), {}
  for _, t in ipairs(all) do
    if t.kind ~= "comment" then tokens[#tokens + 1] = t end
  end
  local parts, copied, depth = {}, 0, 0
  for i, t in ipairs(tokens) do
    local next_token = tokens[i + 1]
    if t.kind == "name" then
      if OPENS[t.text] then depth = depth + 1 end
      if CLOSES[t.text] then depth = depth - 1 end
      if t.text == "local" and depth == 0 and next_token and next_token.kind == "name" then
        parts[#parts + 1] = text:sub(copied + 1, t.first - 1) .. "     "
        copied = t.last
        if next_token.text ~= "function" then
          local last, has_value = names_end(tokens, i + 1)
          if last and not has_value then
            parts[#parts + 1] = text:sub(copied + 1, last) .. " = nil"
            copied = last
          end
        end
      end
    end
  end
  parts[#parts + 1] = text:sub(copied + 1)
  return table.concat(parts)
end

-- An expression is evaluated as an argument, not as a tail call, so that errors still find its line.
local EXPRESSION = "local function values(...) return ... end return values(%s)"

-- The expression that `text` is, to stand between brackets; nil when it is none.
local function expression_of(text)
  local expression = text:gsub("^%s*=", ""):gsub(";%s*$", "")
  local is_code = expression:find "%S" and not expression:find "^%s*%-%-"
  if not is_code or not loadstring("return " .. expression) then return nil end
  -- A comment at the end would hide the bracket; without one, the bracket stays on the line.
  if not loadstring(("return (%s)"):format(expression)) then expression = expression .. "\n" end
  return expression
end

-- Source that returns the values of `text`; nil when it is no expression.
local function as_expression(text)
  local expression = expression_of(text)
  return expression and (EXPRESSION:gsub("%%s", function() return expression end))
end

local MOST_LINES = 20 -- or semicolons, that such an expression has

-- Where statements end whose last lines, or what stands behind their last semicolon, are an expression.
local function before_expression(text)
  local at = #text + 1
  for _ = 1, MOST_LINES do
    repeat at = at - 1 until at < 1 or text:find("^[\n;]", at)
    if at < 1 then return nil end
    if expression_of(text:sub(at + 1)) and loadstring(text:sub(1, at - 1)) then return at - 1 end
  end
end

-- The same for such statements.
local function ends_with_expression(text)
  local at = before_expression(text)
  return at and M.keep_locals(text:sub(1, at + 1)) .. as_expression(text:sub(at + 2))
end

--- Does the code use a variable of that name?
---@return boolean
function M.uses(text, name)
  for _, t in ipairs(M.tokens(text)) do
    if t.kind == "name" and t.text == name then return true end
  end
  return false
end

-- An expression as a statement of a script.
local function statement(expression, prints, keeps)
  if keeps then return ("_ = %s%s"):format(expression, prints and "\nprint(_)" or "") end
  if prints then return ("print(%s)"):format(expression) end
  return loadstring(expression) and expression or "_ = " .. expression
end

--- What was typed, as lines of a script that does the same.
---@param text string
---@param valued boolean  it had a value
---@param keeps boolean  the value is used as `_`
---@return string
function M.script(text, valued, keeps)
  local prints = valued and not text:find ";%s*$"
  local at = not expression_of(text) and before_expression(text)
  local head = at and text:sub(1, at) .. "\n" or ""
  local expression = expression_of(at and text:sub(at + 2) or text)
  if expression then
    text = head .. statement(expression, prints, keeps)
  elseif not loadstring(text .. "\nlocal _") then -- what returns ends the script
    text = ("print((function()\n%s\nend)())"):format(text)
  end
  -- A bracket would be taken for a call of what the line before gave.
  return text:find "^%s*%(" and "do end " .. text or text
end

--- Compiles what was typed: as an expression, as statements that end with one, else as statements.
---@param text string
---@param name string  of the chunk
---@return function? chunk
---@return string? why
---@return boolean? unfinished  more lines could make it whole
function M.compile(text, name)
  local valued = as_expression(text) or ends_with_expression(text)
  local chunk, why
  if valued then chunk = loadstring(valued, name) end
  if chunk then return chunk end
  chunk, why = loadstring(M.keep_locals(text), name)
  if chunk then return chunk end
  -- Only brackets of the long kind hold line breaks.
  return nil, why, why:find "near '<eof>'$" ~= nil and not why:find "unfinished string"
end

return M
