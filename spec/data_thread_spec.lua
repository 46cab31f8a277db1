-- Threads with Lua states of their own, and channels: messages, ends, errors.
local kiln = require "kiln"
local thread = require "kiln.utils.thread"
local support = require "spec.support"
local raises = support.raises

describe("a channel", function()
  it("keeps messages in order, zero bytes and all", function()
    local c = thread.channel()
    for _, text in ipairs { "one", "", "t\0o", ("x"):rep(1e5) } do c:push(text) end
    assert.equals("one", c:pop())
    assert.equals("", c:pop())
    assert.equals("t\0o", c:pop(1))
    assert.equals(1e5, #c:pop())
    assert.is_nil(c:pop(0))
    c:release()
    raises({ "push", "released" }, c.push, c, "x")
    raises({ "pop", "released" }, c.pop, c)
  end)

  it("waits no longer than it is told, and not once it is closed", function()
    local c = thread.channel()
    local start = thread.seconds()
    assert.is_nil(c:pop(0.05))
    assert.is_true(thread.seconds() - start >= 0.05)
    c:push "left"
    c:close()
    assert.equals("left", c:pop())
    assert.is_nil(c:pop())
    c:release()
  end)

  it("refuses what is no string", function()
    local c = thread.channel()
    raises({ "push", "a table" }, c.push, c, {})
    raises({ "pop", "seconds", "'soon'" }, c.pop, c, "soon")
    c:release()
  end)
end)

describe("a thread", function()
  it("runs code in a state of its own and answers", function()
    local forth, back = thread.channel(), thread.channel()
    leaked = "main" -- luacheck: ignore
    local t = thread.start([[
      local forth, back = (...):match "(%d+) (%d+)"
      local channel = require("kiln.utils.thread").channel
      forth, back = channel(tonumber(forth)), channel(tonumber(back))
      while true do
        local text = forth:pop()
        if not text then break end
        back:push(text:upper() .. tostring(leaked))
      end
      forth:release()
      back:release()
    ]], ("%.0f %.0f"):format(forth:share(), back:share()))
    leaked = nil -- luacheck: ignore
    for i = 1, 100 do
      forth:push("message " .. i)
      assert.equals("MESSAGE " .. i .. "nil", back:pop(60))
    end
    assert.is_true(t:is_alive())
    forth:close()
    assert.is_nil(t:join())
    assert.is_false(t:is_alive())
    assert.is_nil(t:join())
    forth:release()
    back:release()
  end)

  it("says why it ended", function()
    local t = thread.start("local function f(x) error('no ' .. x) end f(...)", "way")
    local why = t:join()
    assert.truthy(why:find("no way", 1, true), why)
    assert.truthy(why:find("traceback", 1, true), why)
    assert.truthy(thread.start("x =", ""):join():find("'<eof>'", 1, true))
  end)

  it("differentiates over a shared parameter, while others do", function()
    local p = kiln.ones(64, { dtype = kiln.float64 }):requires_grad_(true)
    local transport = require "kiln.utils.transport"
    local threads = {}
    for k = 1, 3 do
      threads[k] = thread.start([[
        local p, k = unpack(require("kiln.utils.transport").decode(...))
        for _ = 1, 50 do (p * k):sum():backward() end
      ]], transport.encode { p, k })
    end
    for _ = 1, 50 do (p * 4):sum():backward() end
    for k = 1, 3 do assert.is_nil(threads[k]:join()) end
    assert.equals(64 * 50 * (1 + 2 + 3 + 4), p.grad:sum():item())
  end)

  it("may be left alone", function()
    local c = thread.channel()
    local t = thread.start([[
      local c = require("kiln.utils.thread").channel(tonumber((...)))
      c:push "done"
      c:release()
    ]], ("%.0f"):format(c:share()))
    t:abandon()
    assert.is_false(t:is_alive())
    assert.equals("done", c:pop(60))
    c:release()
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
