--- What in-place writes do to gradients: on leaves, views, bases with views, views of views, detached and
-- expanded tensors, with no_grad inside; and how requires_grad and volatile spread.  Each is compared with
-- the numbers that calculus gives, or is refused in words.  (random_programs_spec mixes all of it.)
local kiln = require "kiln"
local support = require "spec.support"
local autograd = kiln.autograd
local near, raises = support.near, support.raises

local leaf, constant = support.leaf, support.constant

-- The gradient of (f(h) * weights):sum() by x, where h = x * 1 is free to be written.
local function gradient(values, f, weights)
  local x = leaf(values)
  local y = f(x * 1, x)
  if weights then y = y * constant(weights) end
  y:sum():backward()
  return x.grad
end

describe("requires_grad", function()
  it("is an output's if any input's, and needs recording", function()
    local x, c = leaf { 1 }, constant { 2 }
    assert.is_true((x * c).requires_grad)
    assert.is_true((c * x).requires_grad)
    assert.is_false((c * c).requires_grad)
    assert.is_false((x:gt(0)).requires_grad)
    assert.is_false(x:argmax().requires_grad)
    assert.is_false(x:detach().requires_grad)
    assert.is_false(kiln.no_grad(function() return x * c end).requires_grad)
    local inner = kiln.no_grad(function() return kiln.enable_grad(function() return x * c end) end)
    assert.is_true(inner.requires_grad)
    assert.is_true(kiln.set_grad_enabled(false))
    assert.is_false((x * c).requires_grad)
    assert.is_false(kiln.set_grad_enabled(true))
    assert.is_false(kiln.set_grad_enabled(false, function() return (x * c).requires_grad end))
    assert.is_true(kiln.is_grad_enabled())
    local h = constant { 1 }
    h:mul_(x)
    assert.is_true(h.requires_grad and not h.is_leaf)
  end)

  it("loses to volatile, which cuts no history that is there", function()
    local x, v = leaf { 1 }, kiln.Variable(constant { 2 }, { volatile = true })
    for _, y in ipairs { x * v, v * x, v:narrow(1, 1, 1), v * 2, (v * 2):exp() * x } do
      assert.is_true(y.volatile)
      assert.is_false(y.requires_grad)
      assert.is_nil(y.grad_fn)
    end
    local h = x * 1
    raises({ "add_", "volatile" }, h.add_, h, v)
    raises({ "copy_", "volatile" }, function() h[1] = v[1] end)
    near({ 1 }, h)
  end)
end)

describe("a write into", function()
  it("a leaf, or a view of one, is refused and changes nothing", function()
    local x = leaf { 1, 2 }
    raises({ "mul_", "a leaf that requires grad" }, x.mul_, x, 2)
    raises({ "a view of a leaf" }, function() x[1] = 5 end)
    raises({ "mul_", "a view of a leaf" }, function() x:view(2, 1):select(1, 1):mul_(2) end)
    near({ 1, 2 }, x)
    kiln.no_grad(function() x:mul_(2) end)
    x.data:add_(1)
    near({ 3, 5 }, x)
    assert.is_true(x.is_leaf)
  end)

  it("a leaf without recording voids what was saved of it", function()
    local x = leaf { 1, 2 }
    local y, version = (x * x):sum(), x.version
    kiln.no_grad(function() x:mul_(2) end)
    raises({ "backward", "mul", "overwritten", ("version %d, saved at %d"):format(version + 1, version) },
      y.backward, y)
  end)

  it("a result has the gradient of what is there then", function()
    near({ 2, 4, 6 }, gradient({ 1, 2, 3 }, function(h) return h:mul_(h) end))
    near({ 0, 0 }, gradient({ 1, 2 }, function(h, x) return h:fill_(7) + x * 0 end))
    near({ 3, 2, 1 }, gradient({ 1, 2, 3 }, function(h) return h:copy_(h:flip { 1 }) end, { 1, 2, 3 }))
    near({ 3, 12 }, gradient({ 1, 2 }, function(h, x) return h:mul_(x):mul_(x) end))
  end)

  it("a view reaches its base, and the base's other views", function()
    near({ 3, 3, 1 }, gradient({ 1, 2, 3 }, function(h)
      h:narrow(1, 1, 2):mul_(3)
      return h
    end))
    near({ 1, 30 }, gradient({ 1, 2 }, function(h)
      local before, after = h:view(2, 1), h:narrow(1, 2, 1)
      after:mul_(30)
      return before
    end))
    near({ 0, 1, 1, 0 }, gradient({ 1, 2, 3, 4 }, function(h)
      h[1], h[{ { 4, 4 } }] = 9, 8
      return h
    end))
  end)

  it("a view of a view reaches the bottom, and all between", function()
    near({ 1, 1, 5, 1, 1, 1 }, gradient({ 1, 2, 3, 4, 5, 6 }, function(h)
      h:view(2, 3):transpose(1, 2):select(1, 3):narrow(1, 1, 1):mul_(5)
      return h
    end))
    near({ 10, 1, 20, 2 }, gradient({ 1, 2, 3, 4 }, function(h)
      local columns = h:view(2, 2):t()
      columns[1]:mul_(10)
      return columns
    end, { { 1, 2 }, { 1, 2 } }))
  end)

  it("a base reaches the views that were there, strided, repeated and expanded ones too", function()
    local function after(view, weights)
      return gradient({ 1, 2, 3 }, function(h)
        local v = view(h)
        h:mul_(3)
        return v
      end, weights)
    end
    near({ 3, 0, 0 }, after(function(h) return h:narrow(1, 1, 1) end))
    near({ 3, 6, 3 }, after(function(h) return h:unfold(1, 2, 1) end))
    near({ 12, 12, 12 }, after(function(h) return h:unsqueeze(1):expand(4, 3) end))
    near({ 3, 0, 3 }, after(function(h) return h:slice(1, 1, 3, 2) end))
  end)

  it("an expanded tensor, whose elements share memory, is refused", function()
    local h = leaf { 1, 2, 3 } * 1
    local e = h:unsqueeze(1):expand(2, 3)
    raises({ "mul_", "share memory", "[2, 3]" }, e.mul_, e, 2)
    local u = h:unfold(1, 2, 1)
    raises({ "mul_", "share memory" }, u.mul_, u, 2)
    near({ 1, 2, 3 }, h)
    local copy = e:clone():mul_(2)
    near({ { 2, 4, 6 }, { 2, 4, 6 } }, copy)
  end)

  it("a detached tensor counts as a constant, and voids what was saved", function()
    local x = leaf { 1, 2 }
    local h = x * 3
    h:detach():mul_(10)
    near({ 30, 60 }, h)
    h:sum():backward()
    near({ 3, 3 }, x.grad) -- h is x * 3 and something constant
    local y = x:exp()
    y:detach():zero_()
    raises({ "backward", "exp", "overwritten" }, function() y:sum():backward() end)
    local z = (x * 2):detach()
    z:mul_(x) -- a new history, from here on
    z:sum():backward()
    near({ 3 + 2, 3 + 4 }, x.grad)
  end)

  it("something inside no_grad counts as a constant, and voids what was saved", function()
    local x = leaf { 1, 2 }
    local h = x * 3
    kiln.no_grad(function() h:narrow(1, 1, 1):mul_(10) end)
    h:sum():backward()
    near({ 3, 3 }, x.grad)
    local y = x:exp()
    kiln.no_grad(function() y:mul_(2) end)
    raises({ "backward", "exp", "overwritten in place by mul" }, function() y:sum():backward() end)
  end)

  it("a base that was detached in place takes its views along", function()
    for name, write in pairs {
      base = function(m) m:mul_(3) end,
      ["a number"] = function(m) m:fill_(6) end,
      ["a new view"] = function(m) m:view(2):mul_(3) end,
      ["part of it"] = function(m) m[1] = 7 end,
    } do
      local x = leaf { 1, 2 }
      local m = x * 2
      local v = m:view(2)
      m:detach_()
      assert.is_true(v.requires_grad)
      write(m)
      local have = { m.requires_grad, v.requires_grad, m:view(2).requires_grad }
      assert.same({ false, false, false }, have, name)
      m:mul_(x)
      v:sum():backward()
      near(m:tolist(), x.grad * x:detach(), 1e-12)
    end
    local x = leaf { 1, 2 }
    local m = x * 2
    local v = m:view(2)
    m:detach_()
    v:mul_(3) -- what the view came from is still known
    m:sum():backward()
    near({ 6, 6 }, x.grad)
  end)

  it("what reads itself through another view is right, or refused", function()
    local x = leaf { 1, 2, 3, 4 }
    local h = x * 1
    h:narrow(1, 1, 3):mul_(h:narrow(1, 2, 3)) -- the right side is saved, and overwritten
    raises({ "backward", "mul", "overwritten" }, function() h:sum():backward() end)
    near({ 1, 2, 2, 1 }, gradient({ 1, 2, 3, 4 }, function(t)
      t:narrow(1, 1, 3):add_(t:narrow(1, 2, 3))
      return t
    end, { 1, 1, 1, 0 }))
  end)

  it("positions and masks sends each gradient where its value went", function()
    local a, b = leaf { 5, 6 }, leaf { 9, 8 }
    near({ 0, 1, 1 }, gradient({ 1, 2, 3 }, function(h)
      h[kiln.tensor({ 1 }, { dtype = "int64" })] = a[1]
      return h
    end))
    near({ 1, 0 }, a.grad)
    near({ 1, 0, 0 }, gradient({ 1, 2, 3 }, function(h)
      h[h:gt(1.5)] = b
      return h
    end, { 1, 10, 100 }))
    near({ 10, 100 }, b.grad)
  end)

  it("what an op returned is not seen by its argument, where the op had nothing to do either", function()
    local pad = kiln.nn.functional.pad
    for _, f in ipairs {
      function(h) return h:tile(1, 1) end,
      function(h) return h["repeat"](h, 1, 1) end,
      function(h) return h:diff(0) end,
      function(h) return h:matrix_power(1) end,
      function(h) return (select(2, h:trtrs(h))) end,
      function(h) return pad(h, { 0, 0 }) end,
      function(h) return pad(h, { 0, 0, 0, 0 }, { mode = "reflect" }) end,
      function(h) return pad(h, { 0, -1 }) end,
    } do
      local x = leaf { { 1, 2 }, { 3, 4 } }
      local y = f(x):mul_(3) -- a view of a leaf would be refused
      near({ { 1, 2 }, { 3, 4 } }, x)
      y:sum():backward()
      near(y:size(2) == 2 and { { 3, 3 }, { 3, 3 } } or { { 3, 0 }, { 3, 0 } }, x.grad)
    end
    local x = leaf { { 1, 2 }, { 3, 4 } }
    x:diag():mul_(3):sum():backward()
    near({ { 1, 2 }, { 3, 4 } }, x)
    near({ { 3, 0 }, { 0, 3 } }, x.grad)
  end)

  it("is differentiated twice like anything else", function()
    local x = leaf { 2 }
    local h = x * 1
    h:mul_(h):mul_(x)
    local g = autograd.grad(h:sum(), x, { create_graph = true })
    near({ 12 }, g)
    g:mul_(x)
    near({ 36 }, autograd.grad(g:sum(), x))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
