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
    raises("freed", function() return temporary + 1 end)
    assert.equals(3, x:sum():item())
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
