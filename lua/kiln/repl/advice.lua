--- What to write instead, for errors of Lua's own whose line shows what was meant: a misspelt variable, field
-- or method, and a loop over a list.  (kiln's own errors say it themselves.)  It refuses to run anything: it
-- looks values up.
local names = require "kiln.repl.names"
local source = require "kiln.repl.source"
local spelling = require "kiln.spelling"

local M = {}

--- The variables that the function at a stack level sees, by name.
---@param level integer  1 is the caller
---@return table
function M.scope(level)
  local info = debug.getinfo(level + 1, "f")
  local scope = {}
  if not info then return scope end
  local function add(read)
    local i = 1
    while true do
      local name, v = read(i)
      if name == nil then return end
      scope[name], i = v, i + 1
    end
  end
  add(function(i) return debug.getupvalue(info.func, i) end)
  add(function(i)
    local name, v = debug.getlocal(level + 3, i) -- no tail call, which would take a level away
    return name, v
  end)
  return setmetatable(scope, { __index = getfenv(info.func) })
end

local function line_of(message, text)
  local path, number = message:match "^(.-):(%d+): "
  if not path then return nil end
  local file = path ~= "input" and io.open(path, "rb")
  if file then
    text = file:read "*a"
    file:close()
  end
  for line in ((text or "") .. "\n"):gmatch "([^\n]*)\n" do
    number = number - 1
    if number == 0 then return line end
  end
end

-- The names that could have been meant where token i of a line stands.
local function candidates(tokens, i, scope)
  local separator = tokens[i - 1] and tokens[i - 1].text
  if separator ~= "." and separator ~= ":" then return names.variables(scope) end
  local v = names.value_before(scope, tokens, i - 2)
  return v ~= nil and names.of(v, separator == ":") or {}
end

--- The end of a message, or "".
---@param message string  Lua's own
---@param text? string  what was typed, for positions in "input"
---@param scope table  variables by name
---@return string
function M.of(message, text, scope)
  local line = line_of(message, text)
  if not line then return "" end
  local variables, list = line:match "for%s+([%w_,%s]-)%s+in%s+(.-)%s+do"
  if list and message:find "attempt to call a table value" then
    local last = variables:match "[%w_]+$"
    return ("; a list is gone through with ipairs: for i, %s in ipairs(%s) do"):format(last, list)
  end
  local name = message:match "attempt to %a+ %a+ '([%w_]+)' %(a nil value%)"
  if not name then return "" end
  local tokens = source.tokens(line)
  for i, t in ipairs(tokens) do
    if t.text == name then
      local hint = spelling.hint(name, candidates(tokens, i, scope))
      if hint ~= "" then return hint end
    end
  end
  return ""
end

return M
