--- The `kiln` command: reads its arguments and starts what they ask for.
-- lua/bin/kiln runs it with LuaJIT.  A plain script never comes here: the launcher hands it to LuaJIT.
local USAGE = [[
usage: kiln                          an interactive prompt; `kiln` is loaded
       kiln SCRIPT.lua [ARG...]      run a script (it says require "kiln")
       kiln -e CODE [ARG...]         run Lua code, print it when it is an expression
       kiln -l NAME                  require NAME first, as a variable of that name
       kiln -i [SCRIPT.lua ARG...]   the prompt afterwards, with the variables that are there
       kiln -v | -h                  version and machine; this text
-e and -l may stand several times and go in order.  Without -i the command ends when they are done.
]]

local function fail(text)
  io.stderr:write("kiln: ", text, "\n", USAGE)
  os.exit(2)
end

-- The steps asked for, in order, and whether a prompt follows.
local function read(argv)
  local steps, prompt, i = {}, #argv == 0, 1
  while argv[i] do
    local option = argv[i]
    if option == "-h" or option == "--help" then
      io.stdout:write(USAGE)
      os.exit(0)
    elseif option == "-v" or option == "--version" then
      steps[#steps + 1] = { "version" }
    elseif option == "-i" then
      prompt = true
    elseif option == "-e" or option == "-l" then
      if not argv[i + 1] then fail(option .. " needs " .. (option == "-e" and "code" or "a module")) end
      steps[#steps + 1] = { option, argv[i + 1] }
      i = i + 1
    elseif option:find "^%-" then
      fail("unknown option " .. option)
    else
      local has_code = false
      for _, step in ipairs(steps) do has_code = has_code or step[1] == "-e" end
      local list = { unpack(argv, i + 1) }
      list[0] = option
      -- After -e CODE what follows are arguments of the code.
      if has_code and not prompt then return steps, prompt, { unpack(argv, i) } end
      steps[#steps + 1] = { "script", option }
      return steps, prompt, list
    end
    i = i + 1
  end
  return steps, prompt, {}
end

local steps, prompt, list = read(arg)
arg = list -- luacheck: globals arg

local loaded, repl = pcall(require, "kiln.repl")
if not loaded then -- no library: say so, without a traceback
  io.stderr:write(tostring(repl), "\n")
  os.exit(1)
end
local session = repl.session()
local run = {}

function run.version()
  local kiln = require "kiln"
  print("kiln " .. kiln.config().version .. ", " .. jit.version)
  return true
end

run["-e"] = function(code) return session:run(code, unpack(list)) end

run["-l"] = function(name)
  local results = session:call(session:compile "local found = require(...) return found", nil, name)
  if not results then return false end
  session.env[name:match "[^.]*$"] = results[1]
  return true
end

function run.script(path) return session:run_file(path, unpack(list)) end

for _, step in ipairs(steps) do
  local ok = run[step[1]](step[2])
  if not ok and not prompt then os.exit(1, true) end
end
if prompt and not repl.run(session) then os.exit(1, true) end
