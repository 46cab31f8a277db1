--- Cycles between Lua values and graphs: what holds itself goes, what anybody can still reach stays.
local kiln = require "kiln"
local keys = require "kiln.autograd.keys"
local samples = require "spec.support.samples"
local support = require "spec.support"
local autograd = kiln.autograd
local near = support.near

local leaf = support.leaf

-- What is alive after everything unreachable was collected.
local function living()
  local tensors = support.live()
  return { tensors, kiln.memory().live_nodes, keys.count() }
end

local Held = {}
Held.__index = Held

local Object = autograd.Function:extend("Object", {
  forward = function(ctx, x)
    local y = x:exp()
    ctx.object = setmetatable({ y = y, x = x }, Held)
    return y
  end,
  backward = function(ctx, g) return g * ctx.object.y end,
})

describe("a cycle goes that leads through", function()
  local cycles = {
    ["a hook that names its leaf"] = function()
      local x = leaf { 1, 2 }
      x:register_hook(function(g) return g * x end)
    end,
    ["a hook that names its tensor, which is not a leaf"] = function()
      local h = leaf { 1, 2 } * 2
      h:register_hook(function(g) return g * h end)
    end,
    ["a hook on what its tensor was computed from"] = function()
      local x = leaf { 1, 2 }
      local list = { y = (x * 2):sum() }
      x:register_hook(function() list.y = list.y + 1 end)
    end,
    ["hooks that name each other's tensors"] = function()
      local a, b = leaf { 1 }, leaf { 2 }
      a:register_hook(function(g) return g * b end)
      b:register_hook(function(g) return g * a end)
    end,
    ["an object on ctx"] = function() local _ = Object.apply(leaf { 1 } * 1) end,
    ["a variable that gets the result of checkpoint"] = function()
      local y
      y = autograd.checkpoint(function(a) return y and a * 2 or a end, leaf { 1 } * 2)
      y = y * 2
    end,
    ["the field of a module, and its hook"] = function()
      local net = kiln.nn.Linear(2, 2)
      function net:forward(x)
        self.out = x:matmul(self.weight)
        self.out:register_hook(function() self.calls = (self.calls or 0) + 1 end)
        return self.out
      end
      net(kiln.ones(1, 2))
    end,
    ["a gradient with a graph, in a table of its hook"] = function()
      local x, kept = leaf { 3 }, {}
      x:register_hook(function(g)
        kept[1] = g * x
        return kept[1]
      end);
      (x * x):backward { create_graph = true }
    end,
  }
  -- A coroutine that has stopped with its argument in a variable, as one of several arguments, among values
  -- that are not computed with yet, in a table, after an error.
  local function keeps(v) while true do coroutine.yield(v) end end
  local stopped = {
    variable = keeps,
    ["..."] = function(...)
      coroutine.yield()
      return ...
    end,
    ["values under way"] = function(v)
      v = { v, coroutine.yield() }
      return v
    end,
    ["a table"] = function(v)
      local t = { v, { v } }
      v = nil
      coroutine.yield()
      return t, v
    end,
    error = function(v)
      coroutine.wrap(keeps)(v)
      error(v)
    end,
  }
  for name, fn in pairs(stopped) do
    cycles["a coroutine: " .. name] = function()
      local x, co = leaf { 2 }, coroutine.create(fn)
      coroutine.resume(co, x)
      x:register_hook(function() coroutine.resume(co) end)
    end
  end
  cycles["a table that has tensors as keys"] = function()
    local x, y = leaf { 2 }, leaf { 3 }
    local names = setmetatable({ [x] = "x", [y] = { [y * 2] = x } }, { __index = function() end })
    x:register_hook(function() names[#names + 1] = names[x] end)
    y:register_hook(function() return names[y] end)
  end
  for name, make in pairs(cycles) do
    it(name, function()
      make() -- what is made once for all
      local before = living()
      for _ = 1, 3 do make() end
      assert.same(before, living())
    end)
  end

  it("hooks, without collect() being called", function()
    local memory = kiln.memory()
    kiln.set_memory_floor(2 ^ 20)
    for _ = 1, 64 do
      local x = kiln.zeros(2 ^ 16, { requires_grad = true })
      x:register_hook(function(g) return g * x end)
    end
    local held = kiln.memory().live_bytes
    kiln.set_memory_floor(64 * 2 ^ 20)
    assert.is_true(held - memory.live_bytes < 32 * 2 ^ 18, "bytes held: " .. held - memory.live_bytes)
  end)
end)

describe("what looks like a cycle stays, where", function()
  it("a graph needs it", function()
    local seen
    local function graph()
      local w = leaf { 5 }
      w:register_hook(function(g)
        seen = w:detach() + g
        return g * w
      end)
      return w * 2
    end
    local y = graph()
    support.live()
    y:sum():backward()
    near({ 7 }, seen)
  end)

  it("a variable, a table or a global names it", function()
    local x, box = leaf { 3 }, { leaf { 4 } }
    _G.kiln_spec_global = leaf { 5 } -- luacheck: ignore
    local function change(to) x = to end
    x:register_hook(function(g) return g * x end)
    box[1]:register_hook(function(g) return g * box[1] end)
    local global = _G.kiln_spec_global -- luacheck: ignore
    global:register_hook(function(g) return g * global end)
    support.live()
    for _, v in ipairs { x, box[1], _G.kiln_spec_global } do -- luacheck: ignore
      v:sum():backward()
      near({ v:item() }, v.grad)
    end
    assert.equals(box[1]:item(), 4)
    change(nil)
    assert.is_nil(x)
    _G.kiln_spec_global = nil -- luacheck: ignore
  end)

  it("one of several tables that hold it is known", function()
    local function hooked(reversed)
      local box = { leaf { 3 } }
      local one, two = { box[1] }, { box[1] }
      if reversed then
        box[1]:register_hook(function(g) return one[1] * g * two[1] * box[1] end)
      else
        box[1]:register_hook(function(g) return box[1] * g * one[1] * two[1] end)
      end
      return box
    end
    local first, second = hooked(), hooked(true)
    support.live()
    for _, box in ipairs { first, second } do
      box[1]:sum():backward()
      near({ 27 }, box[1].grad)
    end
  end)

  it("random objects name each other", function()
    local calls, roots = 0, {}
    local random = samples.generator "objects that name each other"
    local function pick(n) return 1 + math.floor(random() * n) end
    local function world(n)
      local t, boxes = {}, {}
      for i = 1, n do t[i] = leaf { i } end
      for i = 1, n do
        boxes[i] = { t[pick(n)], other = boxes[pick(n)], object = setmetatable({ t[pick(n)] }, Held) }
      end
      for i = 1, n do
        local box, x = boxes[pick(n)], t[pick(n)]
        t[i]:register_hook(function(g)
          calls = calls + 1
          return g * (x + box[1] + box.object[1]):detach()
        end)
        if i % 2 == 0 then t[i] = Object.apply(t[i] * x) end
      end
      roots[#roots + 1] = pick(2) == 1 and boxes[pick(n)] or { t[pick(n)] }
    end
    for _ = 1, 5 do
      for _ = 1, 3 do world(2 + pick(4)) end
      support.live()
      for _, box in ipairs(roots) do
        assert.equals(1, box[1]:numel())
        box[1]:sum():backward { retain_graph = true }
      end
      for _ = 1, 2 do table.remove(roots, pick(#roots)) end
    end
    assert.is_true(calls > 20)
  end)

  it("only one of two hooks names it", function()
    local a, b = leaf { 2 }, leaf { 3 }
    do
      local c = b
      a:register_hook(function(g) return g * c end)
      b:register_hook(function(g) return g * c * 2 end)
    end
    b = nil
    support.live()
    a:sum():backward()
    near({ 3 }, a.grad)
    assert.is_nil(b)
  end)

  it("a coroutine holds it, or metatables and keys of tables do", function()
    local x = leaf { 2 }
    local hold = coroutine.wrap(function(v)
      local mine = v
      while true do coroutine.yield(mine) end
    end)
    hold(x)
    x:register_hook(function(g) return g * hold() end)
    local meta = setmetatable({}, { __index = { x = x } })
    x:register_hook(function(g) return g * meta.x end)
    local by_key = { [x] = true }
    x:register_hook(function(g) return g * (next(by_key)) end)
    x = nil
    support.live()
    local again = meta.x
    again:sum():backward()
    near({ 8 }, again.grad)
    assert.is_true(by_key[again])
    assert.is_nil(x)
  end)

  it("somebody goes through a table of which it is a key", function()
    local t, met, meta = {}, {}, {}
    local function go(from)
      for x, i in next, from do
        support.live()
        met[#met + 1] = i
        assert.equals(i, x:item())
        assert.equals(meta, getmetatable(from))
        coroutine.yield()
      end
    end
    for i = 1, 9 do
      local x = leaf(i)
      t[x] = i
      x:register_hook(function(g) return g * t[x] end)
    end
    setmetatable(t, meta)
    local here, there = coroutine.wrap(go), coroutine.wrap(go)
    local x = leaf(0)
    x:register_hook(function() there(t) end) -- nobody else knows `there`, and what it is at
    for _ = 1, 9 do
      here(t)
      x:sum():backward()
    end
    table.sort(met)
    assert.same({ 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9 }, met)
  end)

  it("the hook is held by somebody else", function()
    local function hook_of(x)
      local function hook(g) return g * x end
      x:register_hook(hook)
      return hook
    end
    local hook = hook_of(leaf { 7 })
    support.live()
    near({ 14 }, hook(leaf { 2 }))
  end)

  it("finalizers run meanwhile, which collect, too, or raise", function()
    local x, runs = leaf { 2 }, 0
    x:register_hook(function(g) return g * x end)
    local function finalized(fn) getmetatable(newproxy(true)).__gc = fn end
    local function again()
      runs = runs + 1
      kiln.collect()
      if runs < 10 then finalized(again) end
    end
    for _ = 1, 3 do finalized(again) end
    for _ = 1, 4 do support.live() end
    assert.is_true(runs >= 10)
    finalized(function() error("in a finalizer", 0) end)
    for _ = 1, 2 do pcall(kiln.collect) end
    x:sum():backward()
    near({ 2 }, x.grad)
  end)

  it("finalizers run meanwhile, which look at it and change it", function()
    local box, wrong, runs = { x = leaf { 2 } }, nil, 0
    box.x:register_hook(function(g) return g * box.x end)
    local function look()
      runs = runs + 1
      if type(box.x) ~= "cdata" then wrong = type(box.x) end
      box.x, box.seen = leaf { runs }, (box.seen or 0) + 1
      if runs < 8 then getmetatable(newproxy(true)).__gc = look end
    end
    getmetatable(newproxy(true)).__gc = look
    for _ = 1, 9 do support.live() end
    assert.is_nil(wrong)
    assert.equals(8, runs)
    assert.equals(8, box.x:item())
    assert.equals(8, box.seen)
  end)

  it("userdata are held by hooks only, which are not finalized", function()
    local x, finalized, path = leaf { 2 }, 0, os.tmpname()
    do
      local file, object = assert(io.open(path, "w")), newproxy(true)
      getmetatable(object).__gc = function() finalized = finalized + 1 end
      local y = leaf { 3 }
      x:register_hook(function(g)
        file:write("called with ", type(object))
        file:flush()
        return g * y
      end)
    end
    support.live()
    x:sum():backward()
    near({ 3 }, x.grad)
    assert.equals(0, finalized)
    local file = assert(io.open(path))
    assert.equals("called with userdata", file:read "*a")
    file:close()
    os.remove(path)
    x = nil
    support.live()
    assert.equals(1, finalized)
    assert.is_nil(x)
  end)

  it("a userdata leads to it, until the hook is removed", function()
    local function hooked()
      local x, object = leaf { 2 }, newproxy(true)
      getmetatable(object).__gc = function() return x end
      return x:register_hook(function() return object and nil end)
    end
    local before = living()
    do
      local hook = hooked()
      assert.is_false(before[1] == living()[1])
      hook:remove()
    end
    assert.same(before, living())
  end)

  it("a debug hook raises whenever it can", function()
    local box = { leaf { 2 } }
    for i = 1, 50 do box[1]:register_hook(function(g) return i == 50 and g * box[1] or nil end) end
    local raised = 0
    for n = 1, 20 do
      local function collect()
        debug.sethook(function()
          debug.sethook()
          error("late", 0)
        end, "", 21 * n)
        kiln.collect()
        debug.sethook()
      end
      if not pcall(collect) then raised = raised + 1 end
      debug.sethook()
      assert.equals("cdata", type(box[1]))
    end
    assert.is_true(raised > 0)
    local function late() error("late", 0) end
    debug.sethook(late, "", 2 ^ 30)
    kiln.collect()
    local hook, _, count = debug.gethook()
    debug.sethook()
    assert.equals(late, hook)
    assert.equals(2 ^ 30, count)
    box[1]:sum():backward()
    near({ 2 }, box[1].grad)
  end)
end)

describe("cycles of small tensors", function()
  it("are found before there are more slots for handles", function()
    local path = os.tmpname()
    local file = io.open(path, "w") -- a state of its own, whose slots are few
    file:write [[
      local kiln, handles = require "kiln", require "kiln.handles"
      for n = 1, 40000 do
        local y = kiln.ones(1, { requires_grad = true }) * 2
        y:register_hook(function(g) return g * y end)
      end
      print(handles.counts() <= 65536 and kiln.memory().live_nodes <= 65536, handles.counts())
    ]]
    file:close()
    local pipe = io.popen("luajit " .. path .. " 2>&1")
    local text = pipe:read "*a"
    pipe:close()
    os.remove(path)
    assert.matches("^true", text)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
