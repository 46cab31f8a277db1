--- kiln.utils.options: what a command line gives, and how it is refused.
local kiln = require "kiln"
local options = kiln.utils.options

local DEFAULTS = { epochs = 5, data = "", verbose = false }

-- What a program says that was started with these arguments, and its status.
local function refused(arguments)
  local code = ("require('kiln').utils.options({ epochs = 5, data = '', verbose = false }, "
    .. "{ [0] = 'x.lua', %s })"):format(arguments)
  local pipe = assert(io.popen(('luajit -e "%s" 2>&1; echo "status $?"'):format(code)))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

describe("options", function()
  it("are the defaults, or what --name value and --name=value say", function()
    assert.same(DEFAULTS, options(DEFAULTS, {}))
    assert.same({ epochs = 3, data = "a b", verbose = true },
      options(DEFAULTS, { "--epochs", "3", "--data", "a b", "--verbose" }))
    assert.same({ epochs = -1.5, data = "a=b", verbose = false },
      options(DEFAULTS, { "--data=a=b", "--epochs=-1.5" }))
    assert.same({ epochs = 5, data = "", verbose = false }, DEFAULTS)
  end)

  it("that do not fit are told with the usage, and end the program", function()
    local usage = "\nusage: luajit x.lua [--data TEXT] [--epochs 5] [--verbose]\nstatus 2\n"
    for arguments, why in pairs {
      ["'--epoch', '3'"] = "there is no option '--epoch'; did you mean --epochs?",
      ["'more'"] = "there is no option 'more'",
      ["'--epochs'"] = "--epochs needs a number",
      ["'--epochs=two'"] = "--epochs needs a number, not 'two'",
      ["'--verbose=1'"] = "--verbose takes no value",
    } do
      assert.equal("x.lua: " .. why .. usage, refused(arguments))
    end
    assert.equal((usage:gsub("^\n", ""):gsub("2\n$", "0\n")), refused "'--help'")
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
