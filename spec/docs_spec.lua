--- docs/ops.md and the editor stubs are what the op table says now.
local docs = require "kiln.docs"
local ops = require "kiln.ops"
local read = require "spec.support.read"

describe("generated documentation", function()
  for path, text in pairs(docs.files()) do
    it(path .. " is fresh (else: luajit lua/kiln/docs.lua)", function()
      assert.is_true(read(path) == text, path .. " is stale")
    end)
  end

  it("has a section for every public op and none for others", function()
    local page, count = docs.markdown(), 0
    for _, row in ipairs(ops.rows) do
      local heading = "\n### " .. row.name .. "\n"
      assert.equal(not row.internal, page:find(heading, 1, true) ~= nil, row.name)
      if not row.internal then count = count + 1 end
    end
    local _, headings = page:gsub("\n### ", "")
    assert.equal(count, headings)
  end)

  it("loads as Lua: the stubs are syntax that every editor reads", function()
    assert(loadstring(docs.stubs(), "stubs"))
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
