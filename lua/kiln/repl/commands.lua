--- What the prompt takes besides Lua: `:command`, `?name`, `??word`, `$ shell command`.
-- A command is a row: its name, what it takes, what it does, and the function.  It refuses to guess: an
-- unknown command is an error that lists the known ones.
local ffi = require "ffi"
local check = require "kiln.check"
local help = require "kiln.repl.help"
local libc = require "kiln.utils.libc"
local namespace = require "kiln.namespace"
local terminal = require "kiln.repl.terminal"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

ffi.cdef 'int kiln_chdir(const char *path) __asm__("chdir");'

local M = {}

local function say(...) io.stdout:write(..., "\n") end

-- A line of help in lines of at most so many columns; what goes on stands under where the words began.
local function wrapped(line, columns)
  local margin = #(line:match "^%s*[%w_.:]+%s%s+" or line:match "^%s*")
  if margin > columns / 2 then margin = 4 end
  local lines, text = {}, ""
  for blanks, word in line:gmatch "(%s*)(%S+)" do
    if text ~= "" and #text + #blanks + #word > columns then
      lines[#lines + 1], text = text, (" "):rep(margin) .. word
    else
      text = text .. blanks .. word
    end
  end
  lines[#lines + 1] = text
  return table.concat(lines, "\n")
end

local FULL = 70 -- from how many bytes on a line of a paragraph goes on in the next one

-- Help as it fits the terminal; a pipe gets its lines as they are.
local function tell(text)
  if not libc.is_terminal(1) then return say(text) end
  local columns, paragraph, last = terminal.size(), nil, ""
  for line in (text .. "\n\n"):gmatch "([^\n]*)\n" do
    local begins = line:find "^[%w_]+[.:][%w_.:]+%(" or line:find "^%u%l+: " -- a call, `Shapes: `
    local goes_on = #last >= FULL and line:find "^[%w(`]" and not begins
    if goes_on then
      paragraph = paragraph .. " " .. line
    else
      if paragraph then say(wrapped(paragraph, columns)) end
      paragraph = line
    end
    last = line
  end
end

-- -- Words for numbers ----------------------------------------------------------------------------------

local function seconds_text(s)
  if s < 1e-3 then return ("%.1f us"):format(s * 1e6) end
  if s < 1 then return ("%.2f ms"):format(s * 1e3) end
  return ("%.3f s"):format(s)
end

local function bytes_text(n)
  local units, i = { "B", "KiB", "MiB", "GiB", "TiB" }, 1
  while n >= 1024 and i < #units do n, i = n / 1024, i + 1 end
  return (i == 1 and "%d %s" or "%.1f %s"):format(n, units[i])
end

-- -- Commands -----------------------------------------------------------------------------------------------

local commands, order = {}, {}

local function command(name, takes, doc)
  return function(run)
    commands[name] = { takes = takes, doc = doc, run = run }
    order[#order + 1] = name
  end
end

command("time", "CODE", "run it once and say how long it took") (function(session, code)
  if code == "" then return session:fail ":time needs code, as in `:time x:mm(y)`" end
  local chunk, why = session:compile(code)
  if not chunk then return session:fail(why) end
  local start = libc.seconds()
  local results = session:call(chunk)
  local took = libc.seconds() - start
  if not results then return false end
  session:note(code, results)
  if not code:find ";%s*$" then session:show(results) end
  say(session.printer:paint("note", seconds_text(took)))
  return true
end)

-- A row of :who: kind, size, dtype, bytes.
local function describe(v)
  if check.is_tensor(v) then
    if v.p == nil then return "tensor", "freed", "", 0 end
    return "tensor", tostring(v:size()), v.dtype.name, v:numel() * v:element_size()
  end
  if namespace.names(v) then return "package", "", "", nil end
  if type(v) == "table" and type(v.num_parameters) == "function" and getmetatable(v)
      and type(getmetatable(v).__name) == "string" then
    local bytes, n = 0, v:num_parameters()
    for _, p in ipairs(v:parameters()) do bytes = bytes + p:numel() * p:element_size() end
    return getmetatable(v).__name, ("%d parameters"):format(n), "", bytes
  end
  local name = type(v) == "table" and getmetatable(v) and rawget(getmetatable(v), "__name")
  return type(name) == "string" and name or type(v), "", "", nil
end

command("who", "", "the variables, with the size, dtype and bytes of tensors") (function(session)
  local list, total = {}, 0
  for name, v in pairs(session.env) do
    if name ~= "kiln" and name ~= "_" then
      local known, kind, size, dtype, bytes = pcall(describe, v)
      if not known then kind, size, dtype, bytes = type(v), "", "", nil end -- a metamethod raised
      list[#list + 1] = { name, kind, size, dtype, bytes and bytes_text(bytes) or "" }
      total = total + (bytes or 0)
    end
  end
  if #list == 0 then
    say "no variables"
    return true
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  local widths = {}
  for _, row in ipairs(list) do
    for i, text in ipairs(row) do widths[i] = math.max(widths[i] or 0, #text) end
  end
  for _, row in ipairs(list) do
    for i, text in ipairs(row) do row[i] = text .. (" "):rep(widths[i] - #text) end
    say((table.concat(row, "  "):gsub("%s+$", "")))
  end
  say(session.printer:paint("note", ("tensors: %s; all of kiln: %s"):format(bytes_text(total),
    bytes_text(require("kiln").memory().live_bytes))))
  return true
end)

command("reset", "", "forget every variable") (function(session)
  local kiln = require "kiln"
  local before = kiln.memory().live_bytes
  session:reset()
  kiln.collect()
  say(("forgot every variable; %s freed"):format(bytes_text(math.max(0, before - kiln.memory().live_bytes))))
  return true
end)

command("save", "FILE", "write what ran without an error as a script") (function(session, path)
  if path == "" then return session:fail ":save needs a file name, as in `:save session.lua`" end
  local file, why = io.open(path, "wb")
  if not file then return session:fail(":save: cannot write " .. why) end
  local lines = session:script()
  table.insert(lines, 1, 'local kiln = require "kiln"')
  local written, full = file:write(table.concat(lines, "\n"), "\n")
  local closed, lost = file:close() -- what is left in the buffer may not fit
  if not (written and closed) then
    return session:fail((":save: cannot write %s: %s"):format(path, full or lost))
  end
  say(("%d inputs are in %s"):format(#session.done, path))
  return true
end)

command("run", "FILE", "run a script (arguments may follow); its variables stay") (function(session, path)
  if path == "" then return session:fail ":run needs a file name, as in `:run train.lua`" end
  local file, list = io.open(path, "rb"), {}
  if file then
    file:close()
  else -- no name with blanks in it
    for word in path:gmatch "%S+" do list[#list + 1] = word end
    path = table.remove(list, 1)
  end
  list[0] = path
  _G.arg = list -- as LuaJIT does for a script of its own
  return session:run_file(path, unpack(list))
end)

command("quit", "", "leave (also Ctrl-D, and exit or quit without a colon)") (function(session)
  session.over = true
  return true
end)

local KEYS = [[
expressions print their value, `;` at the end keeps them quiet; `_` is the last value
TAB completes names, methods and files; Ctrl-R searches what was typed; Alt-Enter opens a line
Ctrl-C stops what runs, or drops the line
]]

command("help", "", "this text") (function()
  for _, name in ipairs(order) do
    local row = commands[name]
    say(("%-14s %s"):format(":" .. name .. (row.takes ~= "" and " " .. row.takes or ""), row.doc))
  end
  say(("%-14s %s"):format("?NAME", "what a function, a method or a class does"))
  say(("%-14s %s"):format("??WORD", "everything that has the word in its name or its text"))
  say(("%-14s %s"):format("$ COMMAND", "run a shell command ($ cd FOLDER changes the folder)"))
  io.stdout:write(KEYS)
  return true
end)

-- -- ? and $ -----------------------------------------------------------------------------------------------

local function value_of(session, text)
  -- x:name names the method, as x.name does.
  local chunk = loadstring("return " .. text:gsub(":([%a_][%w_]*)%s*$", ".%1"))
  if not chunk then return nil end
  local ok, v = pcall(setfenv(chunk, session.env))
  if ok then return v end
  return nil, tostring(v):match "kiln: (there is no .*)$"
end

local function show_help(session, text)
  text = text:gsub("%(.*$", ""):gsub("%s+$", "")
  if text == "" then return commands.help.run(session) end
  local value, why = value_of(session, text)
  if why then return session:fail(why) end
  local found = help.about(text, value)
  if not found and text:find "^[%a_][%w_.]*$" then
    local places = help.places(text)
    if #places > 1 then return session:fail(("'%s' is %s"):format(text, table.concat(places, ", "))) end
    if places[1] then found = help.about(places[1], value_of(session, places[1])) end
  end
  if not found then
    return session:fail(("there is no help for '%s'; `??%s` searches"):format(text, text:match "[%w_]*$"))
  end
  tell(found)
  return true
end

local function search(session, word)
  if word == "" then return session:fail "?? needs a word, as in `??softmax`" end
  local list = help.search(word)
  if #list == 0 then return session:fail(("nothing has '%s' in its name or text"):format(word)) end
  for _, line in ipairs(list) do tell(line) end
  return true
end

local function shell(session, text)
  local folder = text:match "^cd%s+(.-)%s*$"
  if folder then
    folder = folder:gsub("^~", os.getenv "HOME" or "~")
    if ffi.C.kiln_chdir(folder) ~= 0 then return session:fail(("cannot go to %s"):format(folder)) end
    return true
  end
  io.stdout:flush()
  local status = os.execute(text)
  session.env._ = status
  return status == 0
end

--- Runs a line if it is a command.
---@return boolean? ok  nil when it is Lua
function M.run(session, line)
  local text = line:match "^%s*(.-)%s*$"
  if text:find "^%?%?" then return search(session, text:match "^%?%?%s*(.*)") end
  if text:find "^%?" then return show_help(session, text:match "^%?%s*(.*)") end
  if text:find "^%$" then return shell(session, text:match "^%$%s*(.*)") end
  local word = text:match "^(%a+)$" or text:match "^(%a+)%(%)$"
  local leaves = (word == "exit" or word == "quit") and session.env[word] == nil
  if leaves then return commands.quit.run(session) end
  local name, rest = text:match "^:(%a*)%s*(.*)$"
  if not name then return nil end
  if commands[name] then return commands[name].run(session, rest) end
  return session:fail(("there is no command ':%s'; there are :%s"):format(name, table.concat(order, ", :")))
end

--- Is this line a command, which is whole as it stands?
function M.is_command(line) return line:find "^%s*[:?$]" ~= nil and not line:find "^%s*::" end

--- Completion of command names: the part that is there and the names; nil when it is none.
---@return string? prefix
---@return string[]? candidates
function M.complete(text)
  local prefix = text:match "^%s*:(%a*)$"
  if not prefix then return nil end
  local list = {}
  for _, name in ipairs(order) do
    if name:sub(1, #prefix) == prefix then list[#list + 1] = name end
  end
  table.sort(list)
  return prefix, list
end

return M
