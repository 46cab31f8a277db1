--- What to write instead, for errors of Lua's own whose line shows what was meant: a misspelt variable, field
-- or method, a loop over a list, what is Python.  (kiln's own errors say it themselves.)  It refuses to run
-- anything: it looks values up.
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

local function nth_line(text, n)
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    n = n - 1
    if n == 0 then return line end
  end
end

-- The names that could have been meant where token i of a line stands.
local function candidates(tokens, i, scope)
  local separator = tokens[i - 1] and tokens[i - 1].text
  if separator ~= "." and separator ~= ":" then return names.variables(scope) end
  local v = names.value_before(scope, tokens, i - 2)
  return v ~= nil and names.of(v, separator == ":") or {}
end

-- What Lua says it met, a pattern of the line, and what Lua has instead.
local SYNTAX = {
  { "@", "@", "the product of matrices is x:matmul(y)" },
  { "[-+*/]", "[-+*/]=", "Lua has no += and the like: x = x + 1, or x:add_(1) in place" },
  { "!", "!=", "'not equal' is ~=, of tensors x:ne(y)" },
  { "%*", "%*%*", "a power is x ^ 2" },
  { "/", "//", "a whole quotient is (x / y):floor(), of numbers math.floor(x / y)" },
  { "[%w_.]+", "^%s*import%s", 'a module is loaded with name = require "name"; kiln is loaded here' },
  { "[%w_.]+", "^%s*from%s", 'a module is loaded with name = require "name"; kiln is loaded here' },
  { "[%w_.]+", "^%s*def%s", "a function is written function name(x) return x end" },
  { "[%w_.]+", "^%s*class%s", 'a class is made with Net = kiln.nn.Module:extend "Net"' },
  { ":", "%[.*:", "a slice is x[{ { 2, 3 } }], both ends included, {} is all of a dim" },
  { ":", "^%s*%a+.*:", "a block is written if x then ... end, for ... do ... end, while x do ... end" },
}
local NAMES = {
  len = "#x, or x:len() of a data set", range = "for i = 1, n do", enumerate = "for i, v in ipairs(list) do",
  zip = "for i = 1, #list do", str = "tostring(x)", int = "math.floor(x)", float = "tonumber(x)",
  isinstance = "kiln.is_tensor(x)", torch = "kiln", np = "kiln", F = "kiln.nn.functional", nn = "kiln.nn",
  optim = "kiln.optim", True = "true", False = "false", None = "nil", exit = "os.exit()",
}

--- The end of a message of Lua's compiler, or "".
---@param message string
---@param text string  what was to be compiled
---@return string
function M.of_syntax(message, text)
  local number, near = message:match "^[^\n]-:(%d+): .* near '(.*)'$"
  local line = number and nth_line(text, tonumber(number))
  for _, row in ipairs(line and SYNTAX or {}) do
    if near:find("^" .. row[1] .. "$") and line:find(row[2]) then return "; " .. row[3] end
  end
  return ""
end

local function of_line(message, line, scope)
  local variables, list = line:match "for%s+([%w_,%s]-)%s+in%s+(.-)%s+do"
  if list and message:find "attempt to call a table value" then
    local last = variables:match "[%w_]+$"
    return ("; a list is gone through with ipairs: for i, %s in ipairs(%s) do"):format(last, list)
  end
  local name = message:match "attempt to %a+ %a+ '([%w_]+)' %(a nil value%)"
  local tokens = name and source.tokens(line) or {}
  for i, t in ipairs(tokens) do
    local hint = t.text == name and spelling.hint(name, candidates(tokens, i, scope)) or ""
    if hint ~= "" then return hint end
  end
  return NAMES[name] and ("; here that is " .. NAMES[name]) or ""
end

--- The end of a message, or "".
---@param message string  Lua's own
---@param inputs string[]  what was typed, the last at the end; positions in "input" are in one of them
---@param scope table  variables by name
---@return string
function M.of(message, inputs, scope)
  local path, number = message:match "^(.-):(%d+): "
  local file = path ~= "input" and path and io.open(path, "rb")
  if file then
    inputs = { (file:read "*a") }
    file:close()
  end
  for i = #inputs, 1, -1 do
    local line = nth_line(inputs[i], tonumber(number))
    local hint = line and of_line(message, line, scope) or ""
    if hint ~= "" then return hint end
  end
  return ""
end

return M
