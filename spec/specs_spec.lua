--- Every spec file ends by counting what it has left alive, or its first comment says why it does not.
local support = require "spec.support"
local read = require "spec.support.read"

local COUNTS = { "ends_without_live_tensors%(", "rows%.recount" }
local EXCUSE = "\n%-%- Tensors are not counted: %l[^\n]+"

-- Does the text count, or say why not?
local function is_honest(text)
  for _, pattern in ipairs(COUNTS) do if text:find(pattern) then return true end end
  return text:match("^%-%-[^\n]*" .. EXCUSE) ~= nil
end

describe("spec files", function()
  local list, n = io.popen "find spec -name '*_spec.lua' | LC_ALL=C sort", 0
  for path in list:lines() do
    n = n + 1
    it(path .. " counts what it leaves", function() assert.is_true(is_honest(read(path))) end)
  end
  list:close()

  it("are found, and one that does not count is", function()
    assert.is_true(n > 60)
    assert.is_false(is_honest('local kiln = require "kiln"\ndescribe("x", function() end)\n'))
    assert.is_false(is_honest "--- About.\n-- Tensors are not counted: \n")
    assert.is_true(is_honest "--- About.\n-- Tensors are not counted: for a reason.\n")
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
