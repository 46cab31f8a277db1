--- What scripts may do in a Function: write, keep, view, return and save what they were given or what they
-- made, in any order.  It works, or is refused in one line.
local kiln = require "kiln"
local support = require "spec.support"
local autograd = kiln.autograd
local Function = autograd.Function
local near, raises = support.near, support.raises

local leaf, constant = support.leaf, support.constant

local function op(name, forward, backward)
  return Function:extend(name, { forward = forward, backward = backward })
end

describe("an output of a Function", function()
  it("that is a view is on its own: what is written into part of it is recorded", function()
    local Flat = op("Flat", function(_, x) return (x * 2):view(2, 2) end,
      function(_, g) return (g * 2):view(4) end)
    local x = leaf { 1, 2, 3, 4 }
    local y = Flat.apply(x)
    y[1]:mul_(3)
    y:sum():backward()
    near({ 6, 6, 2, 2 }, x.grad)
  end)

  it("does not share memory with another output", function()
    local Halves = op("Halves", function(ctx, x)
      local t = x * 2
      local first, second = t:narrow(1, 1, 2), t:narrow(1, 2, 2)
      ctx:mark_non_differentiable(second)
      return first, second
    end, function(_, g) return kiln.cat({ g * 2, kiln.zeros(1, { dtype = "float64" }) }, 1) end)
    local x = leaf { 1, 2, 3 }
    local first, second = Halves.apply(x)
    assert.is_false(second.requires_grad)
    first:mul_(10)
    near({ 4, 6 }, second)
    first:sum():backward()
    near({ 20, 20, 0 }, x.grad)
  end)

  it("is not a tensor that has a history of its own", function()
    local w = leaf { 5 }
    local Global = op("Global", function() return w end, function(_, g) return g end)
    local x = leaf { 1 }
    local y = Global.apply(x)
    assert.is_false(y:is_same(w))
    assert.is_true(w.is_leaf)
    y:mul_(2)
    y:backward()
    near({ 2 }, x.grad)
    near({ 5 }, w)
    assert.is_nil(w.grad)
  end)
end)

describe("a Function", function()
  it("must say what it writes", function()
    local Quiet = op("Quiet", function(_, x) return x:mul_(2) * 1 end, function(_, g) return g end)
    raises({ "Quiet", "argument 1", "mark_dirty" }, Quiet.apply, leaf { 1 } * 1)
    local Stats = op("Stats", function(_, x, mean) -- a buffer without gradient may be written
      mean:copy_(x)
      return x * 1
    end, function(_, g) return g, nil end)
    local mean = constant { 0 }
    Stats.apply(leaf { 3 }, mean)
    near({ 3 }, mean)
  end)

  it("may not free what it was given, marks, saves or returns", function()
    local frees = {
      function(_, x) x:free() return kiln.ones(1) end,
      function(_, x) local y = x * 1; y:free(); return y end,
      function(ctx, x) local y = x * 1; ctx:save_for_backward(y); y:free(); return x * 2 end,
      function(ctx, x) local y = x * 1; ctx:mark_dirty(y); y:free(); return x * 2 end,
      function(ctx, x) local y = x * 1; ctx:mark_non_differentiable(y); y:free(); return x * 2 end,
    }
    for _, forward in ipairs(frees) do
      raises({ "Frees", "the tensor was freed" }, op("Frees", forward, function(_, g) return g end).apply,
        leaf { 1 })
    end
  end)

  it("talks to its context in forward, marks what it returns, and one thing of it", function()
    local late = op("Late", function(_, x) return x * 1 end, function(ctx, g)
      ctx:save_for_backward(g)
      return g
    end)
    raises({ "Late", "save_for_backward", "forward only" }, function() late.apply(leaf { 1 }):backward() end)
    local ctx_of
    local keeps = op("Keeps", function(ctx, x)
      ctx_of = ctx
      ctx:save_for_backward(x)
      return x * 1
    end, function(_, g) return g end)
    local _ = keeps.apply(leaf { 1 })
    raises({ "Keeps", "saved_tensors", "backward only" }, function() return ctx_of.saved_tensors end)
    ctx_of = nil
    raises({ "Both", "both dirty and non-differentiable" }, op("Both", function(ctx, x)
      ctx:mark_dirty(x)
      ctx:mark_non_differentiable(x)
      return x:mul_(2)
    end, function(_, g) return g end).apply, leaf { 1 } * 1)
    raises({ "Lost", "among the outputs" }, op("Lost", function(ctx, x)
      ctx:mark_dirty(x)
      return x:mul_(2) * 1
    end, function(_, g) return g end).apply, leaf { 1 } * 1)
  end)

  it("may not write into leaves and their views", function()
    local Double = op("Double", function(ctx, x)
      ctx:mark_dirty(x)
      return x:mul_(2)
    end, function(_, g) return g * 2 end)
    local x, w = leaf { 1, 2, 3 }, leaf { 1 }
    raises({ "mul_", "argument", "leaf" }, Double.apply, x:narrow(1, 1, 2))
    raises({ "mul_", "argument", "leaf" }, Double.apply, x)
    raises({ "mul_", "argument", "leaf" }, Double.apply, x.data, x)
    assert.is_true(x.is_leaf)
    near({ 1, 2, 3 }, x) -- nothing was written
    local Inner = op("Inner", function(_, v)
      w:mul_(2) -- no argument
      pcall(Double.apply, v)
      return v * 1
    end, function(_, g) return g end)
    Inner.apply(x):sum():backward()
    near({ 1, 2, 3 }, x)
    near({ 2 }, w)
    x.grad = nil
    kiln.no_grad(Double.apply, x) -- not recorded: as any other write
    near({ 2, 4, 6 }, x)
    local y = x * 1
    Double.apply(y:narrow(1, 1, 2))
    y:sum():backward()
    near({ 2, 2, 1 }, x.grad)
  end)

  it("must return a gradient, or nil, for each argument that needs one", function()
    local Product = op("Product", function(_, x, y) return x * y end, function(_, g) return g end)
    raises({ "Product", "1 gradients", "argument 2" }, function()
      Product.apply(leaf { 1 }, leaf { 2 }):backward()
    end)
    Product.backward = function(_, g) return g, nil end
    local x, y = leaf { 1 }, leaf { 2 }
    Product.apply(x, y):backward()
    near({ 1 }, x.grad)
    assert.is_nil(y.grad)
    Product.backward = function() end
    raises({ "Product", "0 gradients" }, function() Product.apply(leaf { 1 }, 2):backward() end)
  end)

  it("gets what it returns cast and summed to the argument, or is refused", function()
    local F = op("F", function(_, x) return x * 2 end, nil)
    local x = leaf { 1, 2 }
    F.backward = function() return kiln.tensor({ 3, 4 }, { dtype = "int64" }) end
    F.apply(x):sum():backward()
    near({ 3, 4 }, x.grad)
    assert.equals("float64", x.grad.dtype.name)
    F.backward = function() return constant { { 1, 2 }, { 3, 4 } } end
    x.grad = nil
    F.apply(x):sum():backward()
    near({ 4, 6 }, x.grad)
    for _, wrong in ipairs { constant { 1, 2, 3 }, constant { { 1 }, { 2 }, { 3 } }:expand(3, 3) } do
      F.backward = function() return wrong end
      raises({ "F", "[2]" }, function() F.apply(leaf { 1, 2 }):sum():backward() end)
    end
  end)

  it("may not write into the gradient that it gets", function()
    local F = op("F", function(_, x) return x * 2 end, function(_, g) return g:mul_(2) end)
    local x, z = leaf { 1, 2 }, leaf { 1, 1 }
    raises({ "backward", "F", "mul", "clone" }, function()
      (F.apply(x) + z):backward(constant { 1, 1 })
    end)
    assert.is_nil(x.grad)
  end)

  it("may differentiate on its own inside backward", function()
    local Square = op("Square", function(ctx, x)
      ctx:save_for_backward(x)
      return x * x
    end, function(ctx, g)
      local x = ctx.saved_tensors[1]:detach():requires_grad_()
      return g * autograd.enable_grad(function() return autograd.grad((x * x):sum(), x) end)
    end)
    local x = leaf { 3 }
    Square.apply(x):backward()
    near({ 6 }, x.grad)
  end)

  it("may raise anywhere; saved values and the graph are then as they were", function()
    local fails = true
    local F = op("F", function(ctx, x)
      ctx:save_for_backward(x)
      return x * x
    end, function(ctx, g)
      if fails then error { "a table" } end
      return g * 2 * ctx.saved_tensors[1]
    end)
    local x = leaf { 3 }
    local y = F.apply(x)
    local ok, message = pcall(y.backward, y)
    assert.is_false(ok)
    assert.same({ "a table" }, message)
    fails = false
    y:backward()
    near({ 6 }, x.grad)
    F.forward = function() error "in forward" end
    ok, message = pcall(F.apply, x)
    assert.is_false(ok)
    assert.truthy(message:find "autograd_function_spec.lua:%d+: in forward")
    assert.is_true(autograd.is_grad_enabled())
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
