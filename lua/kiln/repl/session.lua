--- A session: the variables that were made at the prompt, what was run, how results and errors are shown.
-- Code runs in an environment of its own over the globals, uncompiled (so that Ctrl-C reaches it), and
-- errors show the frames of the user's code only.  It refuses to read from anywhere.
local Object = require "kiln.class"
local advice = require "kiln.repl.advice"
local check = require "kiln.check"
local interrupt = require "kiln.repl.interrupt"
local libc = require "kiln.utils.libc"
local source = require "kiln.repl.source"

local CHUNK = "input" -- what positions in messages call what was typed

---@class kiln.repl.Session: kiln.Object
---@field env table  the variables
---@field done { text: string, valued: boolean }[]  inputs that ran without an error
---@field inputs string[]  all that could be compiled
local Session = Object:extend "Session"

---@param printer kiln.repl.Printer
function Session:init(printer)
  self.printer, self.done, self.inputs = printer, {}, {}
  self:reset()
end

-- Python's names, which Lua takes for variables that are nil: { shuffle = True } would be {}.
local PYTHON = { True = "true", False = "false", None = "nil" }

local function global(_, name)
  local v = rawget(_G, name)
  if v ~= nil then return v end
  if PYTHON[name] then error(("there is no %s; in Lua it is '%s'"):format(name, PYTHON[name]), 2) end
  local index = getmetatable(_G) and getmetatable(_G).__index
  if type(index) == "function" then return index(_G, name) end -- a tail call: its errors name the input
  return index and index[name]
end

--- Forgets every variable.
function Session:reset()
  local kiln = require "kiln"
  self.env = setmetatable({ kiln = kiln }, { __index = global })
end

-- -- Errors --------------------------------------------------------------------------------------------

local function frames()
  local list = {}
  for line in debug.traceback("", 3):gmatch "[^\n]+" do
    local is_users = not check.is_own_frame(line) and not line:find "^stack traceback"
    if is_users and not line:find "%.%.%.$" then list[#list + 1] = (line:gsub("^%s+", "")) end
  end
  if #list > 0 then list[#list] = list[#list]:gsub("in function 'fn'$", "in main chunk") end
  return list
end

local function catch(value)
  -- There is no stack left to look at it with.
  if type(value) == "string" and value:find("stack overflow", 1, true) then return value end
  local is_lua = type(value) == "string" and value:find "^[^\n]-:%d+: attempt to "
  return { value = value, frames = not interrupt.is_interrupt(value) and frames() or {},
    scope = is_lua and advice.scope(2) or nil }
end

--- Writes an error the way the prompt shows it.
---@param problem { value: any, frames: string[] }
function Session:show_error(problem)
  local p, value = self.printer, problem.value
  if interrupt.is_interrupt(value) then
    -- What was interrupted may have written part of a line, and the terminal ^C.
    io.stderr:write(libc.is_terminal(2) and "\n" or "", p:paint("error", "interrupted"), "\n")
    return
  end
  local text = value
  if type(value) ~= "string" then
    local shown, words = pcall(p.text, p, value)
    text = "error: " .. (shown and words or ("a %s that cannot be shown"):format(type(value)))
  end
  io.stderr:write(p:paint("error", text), "\n")
  local list = problem.frames
  -- A single frame is where the message says already.
  if #list > 1 then
    for _, frame in ipairs(list) do io.stderr:write(p:paint("note", "  " .. frame), "\n") end
  end
end

-- -- Running ---------------------------------------------------------------------------------------------

local function pack(...) return { n = select("#", ...), ... } end

--- Runs a function as the user's code.
---@param handler? fun(value: any): any  sees an error where it was raised, before catch does
---@param ... any  arguments
---@return table? results  { n = , ... }; nil after an error, which has been shown
function Session:call(fn, handler, ...)
  local given = pack(...)
  local ok, results = interrupt.guard(function() return pack(fn(unpack(given, 1, given.n))) end,
    function(value)
    if handler then handler(value) end
    return catch(value)
  end)
  io.stdout:flush()
  if ok then return results end
  if type(results) ~= "table" then
    results = { value = tostring(results):match "[^\n]*", frames = {} }
  end
  if results.scope then -- looked up in it, a name may meet a metamethod that raises
    local found, words = pcall(advice.of, results.value, self.inputs, results.scope)
    if found then results.value = results.value .. words end
  end
  self:show_error(results)
  return nil
end

--- Compiles text in the environment of the session.
---@return function? chunk
---@return string? why
---@return boolean? unfinished
function Session:compile(text)
  local chunk, why, unfinished = source.compile(text, "=" .. CHUNK)
  if not chunk then return nil, why, unfinished end
  jit.off(chunk, true)
  return setfenv(chunk, self.env)
end

--- Is more to come?
---@return boolean
function Session:unfinished(text)
  local chunk, _, unfinished = self:compile(text)
  return not chunk and unfinished or false
end

--- Prints results and keeps the first as `_`.
function Session:show(results)
  if results.n == 0 then return end
  self.env._ = results[1]
  self:call(function()
    for i = 1, results.n do io.stdout:write(self.printer:text(results[i]), "\n") end
  end)
end

--- Remembers an input that went well.
---@param results table  what it gave
function Session:note(text, results)
  self.done[#self.done + 1] = { text = text, valued = results.n > 0 }
end

--- What went well, as lines of a script.
---@return string[]
function Session:script()
  local lines, keeps = {}, false
  for i = #self.done, 1, -1 do
    local input = self.done[i]
    lines[i] = source.script(input.text, input.valued, keeps and input.valued)
    keeps = (keeps and not input.valued) or source.uses(input.text, "_")
  end
  return lines
end

--- Runs one input and prints its values, unless it ends with a semicolon.
---@param text string
---@param ... any  arguments of the input, its `...`
---@return boolean ok
function Session:run(text, ...)
  local chunk, why = self:compile(text)
  if not chunk then
    self:show_error { value = why .. advice.of_syntax(why, text), frames = {} }
    return false
  end
  self.inputs[#self.inputs + 1] = text
  local results = self:call(chunk, nil, ...)
  if not results then return false end
  self:note(text, results)
  if not text:find ";%s*$" then
    self:show(results)
  elseif results.n > 0 then
    self.env._ = results[1]
  end
  return true
end

local CAPTURE = "\nkiln_session_keep()"

-- The locals of the function at a stack level become variables of the session.
local function keep_locals(env, level)
  local i = 1
  while true do
    local name, v = debug.getlocal(level + 1, i)
    if name == nil then return end
    if not name:find "^%(" then env[name] = v end
    i = i + 1
  end
end

-- The same for that of `chunk`, wherever it stands below an error.
local function keep_locals_of(env, chunk)
  local level = 2
  while true do
    local info = debug.getinfo(level, "f")
    if not info then return end
    if info.func == chunk then
      keep_locals(env, level)
      return
    end
    level = level + 1
  end
end

--- Runs a script; its globals, and the locals that it ends (or fails) with, become variables.
---@param path string
---@param ... any  its arguments
---@return boolean ok
function Session:run_file(path, ...)
  local file, why = io.open(path, "rb")
  if not file then
    self:show_error { value = why, frames = {} }
    return false
  end
  local text
  text, why = file:read "*a" -- nil of a directory
  file:close()
  if not text then
    self:show_error { value = ("%s: %s"):format(path, why), frames = {} }
    return false
  end
  text = text:gsub("^#[^\n]*", "")
  -- A script that ends with `return` keeps its locals to itself.
  local chunk = loadstring(text .. CAPTURE, "@" .. path)
  if not chunk then chunk, why = loadstring(text, "@" .. path) end
  if not chunk then
    self:show_error { value = why, frames = {} }
    return false
  end
  local env = self.env
  env.kiln_session_keep = function() keep_locals(env, 2) end
  setfenv(chunk, env)
  local results = self:call(chunk, function() keep_locals_of(env, chunk) end, ...)
  env.kiln_session_keep = nil
  return results ~= nil
end

return Session
