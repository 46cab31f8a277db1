--- Command-line options of a small program: `--name value` or `--name=value` over a table of defaults.
--
--   local options = utils.options({ epochs = 5, lr = 0.1, out = "a.png" }, arg, { out = ".png" })
-- A default's type is the option's type (number, string, or boolean: `--name` alone means true).  `--help`
-- prints the usage; what does not fit prints it too and ends the program with status 2.  So does a file that
-- the program is to write at its end (the third argument: how its name ends) and could not.
local check = require "kiln.check"
local sink = require "kiln.serialization.sink"
local spelling = require "kiln.spelling"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local function sorted(defaults)
  local names = {}
  for name in pairs(defaults) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function usage(defaults, script)
  local names, words = sorted(defaults), {}
  for i, name in ipairs(names) do
    local v = defaults[name]
    words[i] = type(v) == "boolean" and ("[--%s]"):format(name)
      or ("[--%s %s]"):format(name, type(v) == "number" and tostring(v) or v ~= "" and v or "TEXT")
  end
  return ("usage: luajit %s %s\n"):format(script, table.concat(words, " "))
end

local function refuse(defaults, script, why)
  io.stderr:write(script, ": ", why, "\n", usage(defaults, script))
  os.exit(2)
end

-- Why a file could not be written under a name, or nil.
local function unwritable(path, ending)
  if path == "" then return "it has no name" end
  if path:find("\0", 1, true) then return "its name has a zero byte in it" end
  if ending ~= "" and path:sub(-#ending):lower() ~= ending then return "its name must end in " .. ending end
  return sink.refusal(path)
end

local function check_outputs(defaults, outputs)
  for name, ending in pairs(outputs) do
    if type(defaults[name]) ~= "string" then
      check.raise("options", "outputs names an option that is no text: '%s'", tostring(name))
    end
    if type(ending) ~= "string" then
      check.raise("options", "outputs.%s must be how the name ends, as '.png' or '', got %s", name,
        check.got(ending))
    end
  end
end

---@param defaults table<string, number|string|boolean>
---@param argv string[] `arg`, or a list like it
---@param outputs? table<string, string> options that name files to write, with the ends of such names
---@return table
return function(defaults, argv, outputs)
  if type(defaults) ~= "table" then
    check.raise("options", "defaults must be a table, got %s", check.got(defaults))
  end
  if type(argv) ~= "table" then
    check.raise("options", "argv must be a list such as arg, got %s", check.got(argv))
  end
  for name, v in pairs(defaults) do
    if type(name) ~= "string" or not (type(v) == "number" or type(v) == "string" or type(v) == "boolean") then
      check.raise("options", "a default must be a number, string or boolean by name, got %s", check.got(v))
    end
  end
  if outputs ~= nil and type(outputs) ~= "table" then
    check.raise("options", "outputs must be a table, got %s", check.got(outputs))
  end
  check_outputs(defaults, outputs or {})
  local options, script = {}, argv[0] or "script"
  for name, v in pairs(defaults) do options[name] = v end
  local i = 1
  while argv[i] do
    local name, given = argv[i]:match "^%-%-([%w_]+)=(.*)$"
    name = name or argv[i]:match "^%-%-([%w_]+)$"
    local default = name and defaults[name]
    if name == "help" and default == nil then
      io.stdout:write(usage(defaults, script))
      os.exit(0)
    end
    if default == nil then
      local hint = spelling.hint(argv[i]:match "^%-*([%w_]*)", sorted(defaults), "--")
      refuse(defaults, script, ("there is no option '%s'%s"):format(argv[i], hint))
    end
    if type(default) == "boolean" then
      if given then refuse(defaults, script, ("--%s takes no value"):format(name)) end
      options[name] = true
    else
      if not given then i, given = i + 1, argv[i + 1] end
      local value = given
      if type(default) == "number" then value = tonumber(value) end
      if value == nil then
        local got = given and (", not '%s'"):format(given) or ""
        refuse(defaults, script, ("--%s needs a %s%s"):format(name, type(default), got))
      end
      options[name] = value
    end
    i = i + 1
  end
  for name, ending in pairs(outputs or {}) do
    local path = options[name]
    -- Without a name where none is the default, nothing is written.
    local why = (path ~= "" or defaults[name] ~= "") and unwritable(path, ending)
    if why then refuse(defaults, script, ("--%s: cannot write '%s': %s"):format(name, path, why)) end
  end
  return options
end
