--- kiln.utils.options: what a command line gives, and how it is refused.
local kiln = require "kiln"
local support = require "spec.support"
local options = kiln.utils.options

local DEFAULTS = { epochs = 5, data = "", verbose = false }

-- What a program says that was started with these arguments, and its status.
local function refused(arguments, defaults, outputs)
  local code = ("require('kiln').utils.options(%s, { [0] = 'x.lua', %s }, %s)"):format(
    defaults or "{ epochs = 5, data = '', verbose = false }", arguments, outputs or "nil")
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

describe("options that name files to write", function()
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. folder)
  local defaults, outputs = { out = "a.png", save = "" }, { out = ".png", save = "" }

  it("are as they were given, and nothing is written yet", function()
    local path = folder .. "/b.PNG"
    assert.same({ out = path, save = "" }, options(defaults, { "--out", path }, outputs))
    assert.same({ out = path, save = folder .. "/net" },
      options(defaults, { "--out", path, "--save", folder .. "/net" }, outputs))
    assert.equal(0, os.execute(("test -z \"$(ls -A %s)\""):format(folder)))
  end)

  it("are refused before anything runs", function()
    for arguments, why in pairs {
      ["'--out', '/no/such/a.png'"] = "--out: cannot write '/no/such/a.png': No such file or directory",
      ["'--save', '/tmp'"] = "--save: cannot write '/tmp': it is a directory",
      ["'--save', '/dev/null'"] = "--save: cannot write '/dev/null': it is not a regular file",
      ["'--out', 'a.gif'"] = "--out: cannot write 'a.gif': its name must end in .png",
      ["'--out', ''"] = "--out: cannot write '': it has no name",
    } do
      local text = refused(arguments, "{ out = 'a.png', save = '' }", "{ out = '.png', save = '' }")
      assert.equal("x.lua: " .. why .. "\nusage: luajit x.lua [--out a.png] [--save TEXT]\nstatus 2\n", text)
    end
    support.raises({ "options", "outputs", "'where'" }, options, defaults, {}, { where = "" })
    support.raises({ "options", "outputs.out", "the number 1" }, options, defaults, {}, { out = 1 })
  end)

  teardown(function() os.execute("rm -r " .. folder) end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
