--- Command-line options of a small program: `--name value` over a table of defaults.
--
--   local options = utils.options({ epochs = 5, lr = 0.1, data = "" }, arg)
-- A default's type is the option's type (number, string, or boolean: `--name` alone means true).  `--help`
-- prints the usage; what does not fit prints it too and ends the program with status 2.
local check = require "kiln.check"

local function usage(defaults, script)
  local names, words = {}, {}
  for name in pairs(defaults) do names[#names + 1] = name end
  table.sort(names)
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

---@param defaults table<string, number|string|boolean>
---@param argv string[] `arg`, or a list like it
---@return table
return function(defaults, argv)
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
  local options, script = {}, argv[0] or "script"
  for name, v in pairs(defaults) do options[name] = v end
  local i = 1
  while argv[i] do
    local name = argv[i]:match "^%-%-([%w_]+)$"
    local default = name and defaults[name]
    if name == "help" and default == nil then
      io.stdout:write(usage(defaults, script))
      os.exit(0)
    end
    if default == nil then refuse(defaults, script, ("there is no option '%s'"):format(argv[i])) end
    if type(default) == "boolean" then
      options[name] = true
      i = i + 1
    else
      local value = argv[i + 1]
      if type(default) == "number" then value = tonumber(value) end
      if value == nil then
        refuse(defaults, script, ("--%s needs a %s, not %s"):format(name, type(default),
          tostring(argv[i + 1])))
      end
      options[name] = value
      i = i + 2
    end
  end
  return options
end
