-- utils.progress: one line on a terminal, plain lines elsewhere.
local progress = require "kiln.utils.progress"
local support = require "spec.support"

local function sink()
  local parts = {}
  return { write = function(_, text) parts[#parts + 1] = text end, flush = function() end,
    text = function() return table.concat(parts) end }
end

describe("a progress bar", function()
  it("redraws its line on a terminal", function()
    local out = sink()
    local bar = progress(4, { label = "epoch 1", file = out, terminal = true })
    bar.drawn = -math.huge
    bar:update(2, "loss 0.5")
    assert.truthy(out.text():find("\repoch 1  [============            ] 2/4", 1, true), out.text())
    bar:update(2)
    bar:finish "done"
    local text = out.text()
    assert.truthy(text:find("[========================] 4/4", 1, true), text)
    assert.equals("\n", text:sub(-1))
    assert.truthy(text:find "done")
  end)

  it("shows what is no text as it prints", function()
    local out = sink()
    progress(1, { file = out, terminal = false }):finish(require("kiln").tensor(0.5))
    assert.truthy(out.text():find "tensor" and out.text():find "0.5", out.text())
    local plain = sink()
    progress(1, { file = plain, terminal = false }):finish(0.25)
    assert.truthy(plain.text():find "  0.25\n$", plain.text())
  end)

  it("prints one plain line elsewhere", function()
    local out = sink()
    local bar = progress(3, { label = "epoch 2", file = out, terminal = false })
    for _ = 1, 3 do bar:update(1, "loss 1") end
    bar:finish()
    assert.truthy(out.text():find "^epoch 2  3/3  %d+%.%d s  loss 1\n$", out.text())
    assert.is_nil(out.text():find "[\r\27]")
  end)

  it("takes a total of 0", function()
    local out = sink()
    progress(0, { file = out, terminal = true }):finish()
    assert.truthy(out.text():find("0/0", 1, true))
    support.raises({ "progress", "total" }, progress, "many")
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
