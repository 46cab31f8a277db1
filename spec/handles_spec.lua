--- Ownership of tensors: collection, growth, scopes, free, coroutines, no leaks.
local kiln = require "kiln"
local handles = require "kiln.handles"
local device = require "spec.support.device"
local support = require "spec.support"
local live, raises = support.live, support.raises

describe("handles", function()
  it("release what was collected", function()
    local one = kiln.ones(4)
    local before = live()
    for _ = 1, 20000 do local _ = one + one end
    assert.equals(before, live())
  end)

  it("survive growth and sweeps", function()
    local one, kept = kiln.ones(1), {}
    local before = live()
    for i = 1, 5000 do kept[i] = one * i end
    for _ = 1, 3 do
      for i = 1, 5000 do local _ = kept[i] + one end
    end
    for i = 1, 5000, 500 do assert.equals(i, kept[i]:item()) end
    assert.equals(before + 5000, live())
    for i = 1, 5000, 2 do kept[i]:free() end
    assert.equals(before + 2500, live())
  end)

  it("keep a chain of temporaries right while collecting", function()
    local one, x = kiln.ones(1), kiln.zeros(1)
    for _ = 1, 200000 do x = x + one end
    assert.equals(200000, x:item())
  end)

  it("keep memory bounded without a call to collect", function()
    local limit = kiln.memory().soft_limit
    for _ = 1, 3000 do local _ = kiln.zeros(10000) end
    assert.is_true(device.memory().peak_bytes < 2 * limit)
  end)

  it("work across coroutines", function()
    local one = kiln.ones(1)
    local before = live()
    local co = coroutine.wrap(function()
      for _ = 1, 5000 do
        local h = one + one
        coroutine.yield(h)
        assert(h:item() == 2)
      end
    end)
    for _ = 1, 5000 do assert.equals(2, co():item()) end
    co = nil -- luacheck: ignore
    assert.equals(before, live())
  end)

  it("count slots", function()
    local size, free = handles.counts()
    assert.is_true(size >= 1024 and free <= size)
  end)

  it("raise when memory cannot be had, after collecting", function()
    local before = handles.collections
    raises({ "kiln: ", "memory" }, kiln.empty, 2 ^ 45)
    assert.is_true(handles.collections > before)
  end)
end)

describe("free", function()
  it("releases now", function()
    local before = live()
    local x = kiln.ones(3)
    x:free()
    assert.equals(before, device.memory().live_tensors)
    x:free()
  end)

  it("makes later use an error that says so", function()
    local x, y = kiln.ones(3), kiln.ones(3)
    x:free()
    local freed = "the tensor was freed"
    raises({ "add", freed }, function() return x + y end)
    raises({ "add", freed }, function() return y + x end)
    raises({ "sum", freed }, function() return x:sum() end)
    raises({ "add_", freed }, function() return y:add_(x) end)
    raises({ "add_", freed }, function() return x:add_(y) end)
    raises({ "shape", freed }, function() return x.shape end)
    raises({ "size", freed }, function() return x:size() end)
    raises({ "item", freed }, function() return x:item() end)
    raises({ "index", freed }, function() return x[1] end)
    raises({ "index", freed }, function() x[1] = 2 end)
    raises({ "index", freed }, function() y[1] = x end)
    raises({ "cat", freed }, function() return kiln.cat({ y, x }) end)
    raises({ "#", freed }, function() return #x end)
    raises({ "backward", freed }, function() return x:backward() end)
    assert.equals("tensor(freed)", tostring(x))
    assert.equals(3, y:sum():item())
  end)

  it("leaves other handles of the same tensor alone", function()
    local x = kiln.ones(2, { requires_grad = true })
    x:sum():backward()
    local g, h = x.grad, x.grad
    g:free()
    assert.equals(2, h:sum():item())
  end)
end)

describe("the end of a Lua state", function()
  -- What a script prints, and its exit status.
  local function printed(script)
    local path = os.tmpname()
    local f = io.open(path, "w")
    f:write(script)
    f:close()
    local pipe = io.popen("luajit " .. path .. " 2>&1; echo $?")
    local text = pipe:read "*a"
    pipe:close()
    os.remove(path)
    return text
  end

  it("frees all tensors, and finalizers that run later get no others", function()
    assert.equals("false\tfalse\ttensor(freed)\n0\n", printed [[
      local kiln, x
      older = newproxy(true)
      getmetatable(older).__gc = function()
        for _ = 1, 3000 do pcall(kiln.ones, 1000) end
        local made, summed = pcall(kiln.ones, 1000), pcall(x.sum, x)
        print(made, summed, x)
      end
      kiln = require "kiln"
      x = kiln.ones(100)
      x:sum()
    ]])
  end)
end)

describe("scope", function()
  it("frees what was made inside and not returned", function()
    local x = kiln.ones(3)
    local before = live()
    local temporary
    local y, list = kiln.scope(function(a)
      temporary = a * 2
      local z = temporary + 1
      return z, { n = 1, inner = { a - 1 } }
    end, x)
    assert.equals(before + 2, device.memory().live_tensors)
    assert.equals(9, y:sum():item())
    assert.equals(0, list.inner[1]:sum():item())
    raises({ "add", "freed at the end of kiln.scope; return it" }, function() return temporary + 1 end)
    assert.equals("a freed tensor", require("kiln.check").got(temporary))
    assert.equals(3, x:sum():item())
  end)

  it("keeps what its results lead to", function()
    local before = live()
    local storage, read, step, object = kiln.scope(function()
      local a, b, c = kiln.ones(2), kiln.ones(3), kiln.ones(4)
      local step = coroutine.wrap(function()
        local inside = b * 2
        coroutine.yield()
        coroutine.yield(inside:sum():item())
      end)
      step()
      local deep = { c }
      for _ = 1, 100000 do deep = { deep } end
      return a:storage(), function() return a:sum():item() end, step, setmetatable({ [deep] = deep }, {})
    end)
    assert.equals(1, storage[2])
    assert.equals(2, read())
    assert.equals(6, step())
    local c = select(2, next(object))
    while type(c) == "table" do c = c[1] end
    assert.equals(4, c:numel())
    storage, read, step, object, c = nil, nil, nil, nil, nil
    assert.equals(before, live())
    assert.same({}, { storage, read, step, object, c })
  end)

  it("leads through no weak table, module or type of tensors", function()
    local before = live()
    kiln.scope(function()
      package.loaded["spec.module"] = { kiln.ones(2) }
      return setmetatable({ kiln.ones(2) }, { __mode = "v" }),
        setmetatable({ [kiln.ones(2)] = 1 }, { __mode = "k" }),
        { package.loaded["spec.module"] }, require("ffi").typeof(kiln.ones(1))
    end)
    assert.equals(before, device.memory().live_tensors)
    package.loaded["spec.module"] = nil
  end)

  it("keeps what a graph that lives on calls", function()
    local Scale = kiln.autograd.Function:extend "Scale"
    function Scale.forward(ctx, x)
      ctx.factor, ctx.more = kiln.full({ 3 }, 5), { kiln.full({ 3 }, 2) }
      return x * 10
    end
    function Scale.backward(ctx, g)
      local factor = ctx.factor * ctx.more[1]
      ctx.last = g * 1
      return g * factor
    end
    local x = kiln.ones(3, { requires_grad = true })
    local y = kiln.scope(function()
      Scale.apply(x):sum() -- this one's graph goes
      return Scale.apply(Scale.apply(x)):sum()
    end)
    kiln.scope(function() y:backward { retain_graph = true } end)
    assert.same({ 100, 100, 100 }, x.grad:tolist())
    y:backward()
    assert.same({ 200, 200, 200 }, x.grad:tolist())

    kiln.scope(function()
      local factor = kiln.full({ 3 }, 7)
      x:register_hook(function(g) return g * factor end)
    end)
    x.grad = nil
    x:sum():backward()
    assert.same({ 7, 7, 7 }, x.grad:tolist())

    x = kiln.ones(100, { requires_grad = true })
    y = kiln.scope(function()
      return kiln.autograd.checkpoint(function(a) return kiln.nn.functional.dropout(a, 0.5, true) end, x)
    end)
    y:sum():backward()
    assert.same(y:tolist(), x.grad:tolist())
  end)

  it("frees what a graph that goes calls", function()
    local Holds = kiln.autograd.Function:extend "Holds"
    function Holds.forward(ctx, x)
      ctx.factor = kiln.full({ 3 }, 5)
      return x * ctx.factor
    end
    function Holds.backward(ctx, g) return g * ctx.factor end
    local x = kiln.ones(3, { requires_grad = true })
    local before = live()
    kiln.scope(function()
      local y = x
      for _ = 1, 20 do y = Holds.apply(y) end
      y:sum():backward()
    end)
    assert.equals(before + 1, device.memory().live_tensors) -- x.grad
  end)

  it("keeps what modules, optimizers and distributions keep", function()
    local net, target = kiln.nn.Linear(2, 2), kiln.ones(4, 2)
    local categories = kiln.distributions.Categorical(kiln.tensor { 0.25, 0.75 })
    local optimizer = kiln.optim.LBFGS(net:parameters(), { max_iter = 2 })
    local plain = kiln.optim.Adam(net:parameters())
    for _ = 1, 3 do
      kiln.scope(function()
        net.hidden, net.pair = target * 2, { target * 3 }
        local shift = kiln.ones(2)
        net:register_forward_hook(function(_, _, y) return y + shift end)
        categories:entropy()
        plain:load_state_dict(plain:state_dict())
        plain:step()
        optimizer:step(function()
          optimizer:zero_grad()
          local loss = kiln.nn.functional.mse_loss(net(target), target)
          loss:backward()
          return loss
        end)
      end)
    end
    assert.equals(16, net.hidden:sum():item())
    assert.equals(24, net.pair[1]:sum():item())
    assert.near(0.5623, categories:entropy():item(), 1e-4)
    assert.near(0.75, categories.logits:exp()[2]:item(), 1e-6)
  end)

  it("frees on errors too, and passes them on", function()
    local before = live()
    local ok, message = pcall(kiln.scope, function()
      local _ = kiln.ones(3) + 1
      error("mine", 0)
    end)
    assert.is_false(ok)
    assert.equals("mine", message)
    assert.equals(before, device.memory().live_tensors)
  end)

  it("nests", function()
    local before = live()
    local x = kiln.scope(function()
      local inner = kiln.scope(function() return kiln.ones(2) * 3, kiln.ones(1) end)
      return inner + 1
    end)
    assert.equals(before + 1, device.memory().live_tensors)
    assert.equals(8, x:sum():item())
  end)

  it("does not free what others make while it is suspended", function()
    local outside
    local co = coroutine.wrap(function()
      return kiln.scope(function()
        local a = kiln.ones(2)
        coroutine.yield()
        return a + 1
      end)
    end)
    co()
    outside = kiln.ones(5)
    local y = co()
    assert.equals(5, outside:sum():item())
    assert.equals(4, y:sum():item())
  end)

  it("frees nothing twice", function()
    kiln.scope(function()
      local a = kiln.ones(2)
      a:free()
    end)
    raises({ "scope", "fn must be a function" }, kiln.scope, 3)
  end)
end)

describe("modes", function()
  it("switch recording off and on again", function()
    local x = kiln.ones(2, { requires_grad = true })
    assert.is_true(kiln.is_grad_enabled())
    local y, n = kiln.no_grad(function(a) return a * 2, 7 end, x)
    assert.is_false(y.requires_grad)
    assert.equals(7, n)
    assert.is_true((x * 2).requires_grad)
    kiln.no_grad(function()
      assert.is_true(kiln.enable_grad(function() return (x * 2).requires_grad end))
      assert.is_false(kiln.is_grad_enabled())
    end)
    assert.is_true(kiln.set_grad_enabled(false))
    assert.is_false(kiln.set_grad_enabled(true))
  end)

  it("are restored after an error and across yields", function()
    pcall(kiln.no_grad, function() error "x" end)
    assert.is_true(kiln.is_grad_enabled())
    local co = coroutine.wrap(function()
      kiln.no_grad(function()
        coroutine.yield(kiln.is_grad_enabled())
        coroutine.yield(kiln.is_grad_enabled())
      end)
      return "done"
    end)
    assert.is_false(co())
    assert.is_true(kiln.is_grad_enabled())
    assert.is_false(co())
    assert.is_true(kiln.is_grad_enabled())
    assert.equals("done", co())
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
