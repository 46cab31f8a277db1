--- The interactive prompt: reads inputs, runs them in a session, until the end of input.
-- On a terminal with the line editor; from a pipe without prompts and colours, stopping at the first
-- error.  `require("kiln.repl").run()` starts it inside a program.
local libc = require "kiln.utils.libc"
local format = require "kiln.format"
local commands = require "kiln.repl.commands"
local names = require "kiln.repl.names"
local terminal = require "kiln.repl.terminal"
local Editor = require "kiln.repl.editor"
local Input = require "kiln.repl.input"
local History = require "kiln.repl.history"
local Printer = require "kiln.repl.printer"
local Session = require "kiln.repl.session"

local M = {}

local PROMPT, CONTINUATION = "kiln> ", "   .. "

--- Shows a mistake of the user's that is no Lua error.
function Session:fail(text)
  self:show_error { value = text, frames = {} }
  return false
end

--- A session with colours where they are of use, and lines as wide as the terminal.
---@return kiln.repl.Session
function M.session()
  local plain = os.getenv "NO_COLOR" ~= nil or os.getenv "TERM" == "dumb"
  if libc.is_terminal(1) then
    format.follow_width(function() return (terminal.size()) end)
  end
  return Session(Printer(libc.is_terminal(1) and not plain))
end

-- Runs one input.  Returns whether it went well.  Commands look at values of the user's, whose metamethods
-- may raise; that does not end the prompt.
local function run(session, text)
  local results = session:call(commands.run, nil, session, text)
  if not results then return false end
  if results[1] == nil then return session:run(text) end
  return results[1]
end

local function banner(session)
  local kiln = require "kiln"
  local config = kiln.config()
  local head = ("kiln %s  %s  %s, %d threads"):format(config.version, config.luajit, config.cpu_level,
    config.threads)
  io.stdout:write(session.printer:paint("note", head .. "   ? for help"), "\n")
end

-- What there is behind `text`; nothing where a metamethod of the user raises, which does not end the prompt.
local function complete(session, text)
  local prefix, list = commands.complete(text)
  if prefix then return prefix, list end
  if text:find "^%s*%$" then text = "'" .. text:match "%S*$" end -- file names
  local code = text:gsub("^%s*%?+", ""):gsub("^%s*:time%s", "")
  local file = text:match "^%s*:%a+%s+(.*)$"
  if file and not text:find "^%s*:time" then code = "'" .. file end
  local ok
  ok, prefix, list = pcall(names.complete, code, session.env)
  if not ok then return "", {} end
  return prefix, list
end

local function input_of(session)
  return Input(function(text) return session:unfinished(text) end)
end

local function interactive(session)
  local input = input_of(session)
  local function paint(text) return session.printer:paint("prompt", text) end
  local editor = Editor {
    history = History(),
    paint = paint,
    whole = function(text) return commands.is_command(text) or not input:unfinished_text(text) end,
    complete = function(text) return complete(session, text) end,
  }
  while not session.over do
    local text, why = editor:read(PROMPT, CONTINUATION)
    if text == nil then
      if why == "end" then break end
    elseif text:find "%S" then
      editor.history:add(text)
      run(session, text)
    end
  end
end

-- Inputs from a pipe.  Returns false after an error, where it stops.
local function piped(session)
  local input = input_of(session)
  while true do
    local line, why = io.stdin:read "*l"
    if not line then
      if why then return session:fail("standard input: " .. why) end
      break
    end
    local begins = input:is_empty()
    if begins then line = line:gsub("^\239\187\191", "") end -- a byte order mark
    if not begins or line:find "%S" then
      input:add(line)
      if begins and commands.is_command(line) or not input:unfinished() then
        local text = input:text()
        input:clear()
        if not run(session, text) then return false end
        if session.over then return true end
      end
    end
  end
  return input:is_empty() or run(session, input:text())
end

--- Runs the prompt until the end of input.
---@param session? kiln.repl.Session
---@return boolean ok  false when input from a pipe had an error
function M.run(session)
  session = session or M.session()
  if not libc.is_terminal(0) or not libc.is_terminal(1) or os.getenv "TERM" == "dumb" then
    return piped(session)
  end
  banner(session)
  interactive(session)
  return true
end

return M
