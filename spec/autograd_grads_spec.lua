--- What .grad holds from one backward pass to the next: zeros that zero_grad wrote have no history, and
-- nothing is added to the gradient of data that a tensor no longer has.
local kiln = require "kiln"
local support = require "spec.support"
local autograd = kiln.autograd
local near, raises = support.near, support.raises

local leaf = support.leaf

describe("zero_grad { set_to_none = false }", function()
  local function by_optimizer(w)
    local optimizer = kiln.optim.SGD({ w }, { lr = 0 })
    return function() optimizer:zero_grad { set_to_none = false } end
  end
  local function by_module(w)
    local net = kiln.nn.Module:extend("Net")()
    net.w = kiln.nn.Parameter(w)
    return function() net:zero_grad { set_to_none = false } end, net.w
  end
  for name, way in pairs { ["of an optimizer"] = by_optimizer, ["of a module"] = by_module } do
    it(name .. " lets go of the graph behind a gradient", function()
      local w = leaf { 1, 2 }
      local zero, own = way(w)
      w = own or w
      local nodes
      for pass = 1, 4 do
        zero();
        (w ^ 3):sum():backward { create_graph = true }
        near({ 6, 12 }, (autograd.grad(w.grad:sum(), w, { retain_graph = true })))
        support.live()
        if pass == 2 then nodes = kiln.memory().live_nodes end
      end
      assert.equals(nodes, kiln.memory().live_nodes)
      zero()
      assert.is_false(w.grad.requires_grad)
    end)
  end

  it("writes zeros into a gradient without history, which stays the same tensor", function()
    local w = leaf { 1, 2 }
    local held = kiln.ones(2, { dtype = "float64" })
    w.grad = held
    by_optimizer(w)()
    near({ 0, 0 }, held)
    assert.is_true(w.grad:is_same(held))
  end)
end)

describe("the gradient of data that was replaced", function()
  it("is not added to, though the shapes broadcast", function()
    local w = leaf { { 1, 2 }, { 3, 4 } };
    (w * w):sum():backward()
    w.data = kiln.ones(2, { dtype = "float64" })
    local y = (w * w):sum()
    raises({ "backward", "float64 [2] ", "float64 [2, 2]", "nil" }, y.backward, y, { retain_graph = true })
    near({ { 2, 4 }, { 6, 8 } }, w.grad)
    w.grad = nil
    y:backward()
    near({ 2, 2 }, w.grad)
  end)

  it("is not added to where the dtype changed", function()
    local w = leaf { 1, 2 };
    (w * w):sum():backward()
    w.data = kiln.ones(2, { dtype = "float32" })
    raises({ "backward", "float32 [2] ", "float64 [2]" }, function() (w * w):sum():backward() end)
    near({ 2, 4 }, w.grad)
  end)
end)

describe("what two losses share runs twice", function()
  local function twice(prefix)
    local x = leaf { 1, 2 }
    local h = prefix(x)
    local first, second = (h * 3):sum(), (h * h):sum()
    first:backward()
    second:backward()
    return x.grad
  end

  it("if it saved nothing and has no hooks", function()
    near({ 7, 9 }, twice(function(x) return (x + 1):view(2, 1) end))
    near({ 5, 7 }, twice(function(x) return kiln.fuse(function(a) return a + 0 end)(x) end))
    local net, x = kiln.nn.Linear(1, 1), kiln.ones(2, 1)
    local a, b = kiln.amp.autocast({ dtype = kiln.bfloat16 }, function() return net(x), net(x) end)
    a:sum():backward()
    b:sum():backward()
    near({ { 4 } }, net.weight.grad)
  end)

  it("and is refused otherwise", function()
    raises({ "the saved values of tanh are gone" }, twice, function(x) return x:tanh() end)
    raises({ "add", "a second time" }, twice, function(x)
      local h = x + 1
      h:register_hook(function(g) return g * 2 end)
      return h
    end)
  end)
end)

describe("a gradient that Lua has seen and reshapes", function()
  local reshaped = {
    resize_ = function(g) g:resize_(1) end,
    set_ = function(g) g:set_(kiln.ones(1, { dtype = "float64" })) end,
    data = function(g) g.data = kiln.ones(1, { dtype = "float64" }) end,
    unsqueeze_ = function(g) g:unsqueeze_(1) end,
  }
  for name, change in pairs(reshaped) do
    it("with " .. name .. " is refused where a hook leaves it so", function()
      local x = leaf { { 1, 2, 3 }, { 4, 5, 6 } }
      local y = kiln.nn.functional.layer_norm(x, { 3 })
      y:register_hook(change)
      raises({ "hook", "shape", "[2, 3]" }, y.backward, y:sum())
    end)

    it("with " .. name .. " stays what it was elsewhere", function()
      local x, z = leaf { { 1, 2 } }, leaf { { 1, 2 } }
      local seed = kiln.tensor({ { 3, 4 } }, { dtype = "float64" })
      local y = x * 1
      y:register_hook(function() change(seed) end)
      autograd.backward({ z:tanh(), y }, { seed, kiln.ones_like(seed) })
      near({ { 3 * (1 - math.tanh(1) ^ 2), 4 * (1 - math.tanh(2) ^ 2) } }, z.grad)
    end)
  end
end)

describe("the file", function() support.ends_without_live_tensors() end)
