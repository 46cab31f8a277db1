--- What the forward of a Function leaves on ctx: outputs and arguments there keep no graph alive, are
-- checked for their versions, and have their histories again in backward, so that second derivatives are
-- right, or are refused in words.
local kiln = require "kiln"
local keys = require "kiln.autograd.keys"
local support = require "spec.support"
local autograd = kiln.autograd
local near, raises = support.near, support.raises

local leaf = support.leaf

local function op(name, forward, backward)
  return autograd.Function:extend(name, { forward = forward, backward = backward })
end

-- exp, whose backward gets the result from get(ctx); leave(ctx, y, x) leaves it there.
local function exp(leave, get)
  return op("Exp", function(ctx, x)
    local y = x:exp()
    leave(ctx, y, x)
    return y
  end, function(ctx, g) return g * get(ctx):view_as(g) end)
end

-- Runs fn three times, drops its results, and finds as many tensors, nodes and Lua values as before.
local function leaves_nothing(fn)
  fn()
  local tensors = support.live()
  local nodes, values = kiln.memory().live_nodes, keys.count()
  for _ = 1, 3 do fn() end
  assert.equals(tensors, support.live())
  assert.equals(nodes, kiln.memory().live_nodes)
  assert.equals(values, keys.count())
end

local function is_right(apply, x)
  assert.is_true(autograd.gradcheck(apply, { x }))
  assert.is_true(autograd.gradgradcheck(apply, { x }))
end

describe("an output on ctx", function()
  local ways = {
    ["as it is"] = exp(function(ctx, y) ctx.out = y end, function(ctx) return ctx.out end),
    ["as a view"] = exp(function(ctx, y) ctx.flipped = y:view(2, 1):t() end,
      function(ctx) return ctx.flipped end),
    ["in tables, also ones that go in circles"] = exp(function(ctx, y)
      ctx.list = { deep = { y }, n = 3 }
      ctx.list.deep.up, ctx.list.ctx = ctx.list, ctx
      ctx.other = { 1, 2 }
    end, function(ctx)
      assert.equals(ctx.list, ctx.list.deep.up)
      assert.equals(ctx, ctx.list.ctx)
      assert.same({ 3, { 1, 2 } }, { ctx.list.n, ctx.other })
      return ctx.list.deep[1]
    end),
    ["saved as a view"] = exp(function(ctx, y) ctx:save_for_backward(nil, y:view(2, 1)) end,
      function(ctx) return ctx.saved_tensors[2] end),
    ["beside the argument"] = exp(function(ctx, y, x) ctx.out, ctx.x = y, x end,
      function(ctx) return ctx.out * (1 + ctx.x - ctx.x) end),
  }
  for way, F in pairs(ways) do
    it(way .. " keeps no graph, with its history in backward", function()
      leaves_nothing(function() local _ = F.apply(leaf { 0.5, -1 }) end)
      leaves_nothing(function() F.apply(leaf { 0.5, -1 }):sum():backward() end)
      leaves_nothing(function()
        local x = leaf { 0.5, -1 }
        local y = F.apply(x)
        local g = autograd.grad((y * y):sum(), x, { create_graph = true })
        g:sum():backward()
      end)
      is_right(F.apply, leaf { 0.5, -1 })
    end)
  end

  it("is checked for its version when it is read, and can be read in backward only", function()
    local y = ways["as it is"].apply(leaf { 1, 2 })
    y:mul_(2)
    raises({ "backward", "the output of shape [2], which the gradient of Exp needs", "by mul" },
      function() y:sum():backward() end)
    local kept
    local Blind = op("Blind", function(ctx, x)
      local out = x * 2
      ctx.out, kept = out, ctx
      assert.is_true(ctx.out:is_same(out))
      return out
    end, function(_, g) return g * 2 end)
    local x = leaf { 1 }
    y = Blind.apply(x)
    raises({ "Blind", "ctx.out can be read in backward only" }, function() return kept.out end)
    y:mul_(5) -- nobody reads ctx.out
    y:backward()
    near({ 10 }, x.grad)
    kept.out = 3
    assert.equals(3, kept.out)
  end)

  it("is gone once backward ran, unless the graph is retained", function()
    local F = ways["as it is"]
    local x = leaf { 0 }
    local y = F.apply(x)
    y:backward { retain_graph = true }
    y:backward()
    near({ 2 }, x.grad)
    raises({ "Exp", "retain_graph" }, y.backward, y)
  end)

  it("that was written in place is an output too, and so is what it is a view of", function()
    local Twice = op("Twice", function(ctx, x)
      ctx.x = x:exp_()
      ctx:mark_dirty(x)
      return x
    end, function(ctx, g) return g * ctx.x end)
    local function part(x)
      local h = x * 1
      Twice.apply(h:narrow(1, 1, 2))
      return h
    end
    leaves_nothing(function() local _ = Twice.apply(leaf { 1 } * 1) end)
    leaves_nothing(function() local _ = part(leaf { 1, 2, 3 }) end)
    is_right(function(x) return Twice.apply(x * 1) end, leaf { 0.5, -1 })
    is_right(part, leaf { 0.5, -1, 2 })
    for _, how in ipairs { "on ctx", "saved" } do
      local Base = op("Base", function(ctx, x, base)
        x:exp_()
        ctx:mark_dirty(x)
        if how == "saved" then ctx:save_for_backward(base) else ctx.base = base end
        return x
      end, function(ctx, g) return g * (ctx.base or ctx.saved_tensors[1]):narrow(1, 1, 2), nil end)
      leaves_nothing(function()
        local h = leaf { 1, 2, 3 } * 1
        local _ = Base.apply(h:narrow(1, 1, 2), h)
      end)
      local x = leaf { 0, 1, 3 }
      local h = x * 1
      Base.apply(h:narrow(1, 1, 2), h)
      h:sum():backward()
      near({ 1, math.exp(1), 1 }, x.grad)
    end
  end)

  it("that was written in place shares no place with another one", function()
    local Both = autograd.Function:extend("Both", {
      forward = function(ctx, x, y)
        ctx:mark_dirty(x, y)
        return x:mul_(2), y:mul_(3)
      end,
      backward = function(_, g, h) return g * 2, h * 3 end,
    })
    local x = leaf { { 1, 2, 3 }, { 4, 5, 6 } }
    for _, way in ipairs {
      function(h) return h, h end,
      function(h) return h, h[1] end,
      function(h) return h[2], h end,
      function(h) return h:select(2, 1), h[1] end,
      function(h) return h:narrow(2, 1, 2), h:narrow(2, 2, 2) end,
    } do
      raises({ "Both", "outputs 1 and 2", "share memory" }, function() Both.apply(way(x * 1)) end)
    end
    local h = x * 1
    Both.apply(h:select(2, 1), h:select(2, 3))
    h:sum():backward()
    near({ { 2, 1, 3 }, { 2, 1, 3 } }, x.grad)
  end)

  it("that was written in place has a history that no volatile argument cuts", function()
    local Scale = autograd.Function:extend("Scale", {
      forward = function(ctx, v, x)
        ctx:mark_dirty(x)
        return x:mul_(v)
      end,
      backward = function(_, g) return nil, g end,
    })
    local v, x = kiln.Variable(kiln.ones(1, { dtype = "float64" }), { volatile = true }), leaf { 1, 2 }
    local h = x * 1
    raises({ "Scale", "volatile argument", "output 1" }, Scale.apply, v, h)
    raises({ "Scale", "volatile argument" }, Scale.apply, v, h:narrow(1, 1, 1))
    raises({ "Scale", "volatile argument" }, Scale.apply, v, x)
    kiln.no_grad(Scale.apply, v, x)
    assert.is_true(x.requires_grad and not x.volatile)
    local buffer = kiln.ones(1, { dtype = "float64" })
    assert.is_true(Scale.apply(v, buffer):is_same(buffer) and buffer.volatile)
  end)

  it("that is not differentiable, or whole numbers, is left alone", function()
    local Sign = op("Sign", function(ctx, x)
      local sign, at = x:sign(), x:argmax()
      ctx:mark_non_differentiable(sign)
      ctx.sign, ctx.at = sign, at
      ctx:save_for_backward(at)
      return x * sign, sign, at
    end, function(ctx, g)
      assert.equals(2, tonumber(ctx.at:item()))
      assert.is_false(ctx.saved_tensors[1].requires_grad)
      return g * ctx.sign
    end)
    leaves_nothing(function() local _ = Sign.apply(leaf { -1, 2 }) end)
    is_right(function(x) return (Sign.apply(x)) end, leaf { -1, 2 })
  end)

  it("may not be the key of a table", function()
    local F = exp(function(ctx, y) ctx.seen = { [y] = true } end, function(ctx) return next(ctx.seen) end)
    raises({ "Exp", "as a key" }, F.apply, leaf { 1 })
  end)
end)

describe("an argument on ctx", function()
  local Square = op("Square", function(ctx, x, c)
    ctx.x, ctx.c = x, c
    return x * x
  end, function(ctx, g) return g * 2 * ctx.x, nil end)

  it("that requires grad is checked for its version, and has its history", function()
    is_right(Square.apply, leaf { 3, 4 })
    leaves_nothing(function() local _ = Square.apply(leaf { 1 }) end)
    local x = leaf { 3 } * 1
    local y = Square.apply(x)
    x:mul_(2)
    raises({ "backward", "an input of shape [1], which the gradient of Square needs", "by mul" },
      y.backward, y)
  end)

  it("that does not is the tensor itself", function()
    local c, seen = kiln.ones(1), nil
    local Reads = op("Reads", function(ctx, x, constant)
      ctx.c = constant
      return x * 1
    end, function(ctx, g)
      seen = ctx.c:is_same(c)
      return g, nil
    end)
    local y = Reads.apply(leaf { 1 }, c)
    c:add_(1) -- a counter, say
    y:backward()
    assert.is_true(seen)
  end)
end)

describe("a closure on ctx", function()
  it("that holds an output keeps no graph, and is checked; there is no second derivative", function()
    for _, F in ipairs {
      exp(function(ctx, y) ctx.get = function() return y end end, function(ctx) return ctx.get() end),
      exp(function(ctx, y)
        local list = { { y } }
        ctx.way = { get = function() return (function() return list[1][1] end)() end }
      end, function(ctx) return ctx.way.get() end),
    } do
      leaves_nothing(function() local _ = F.apply(leaf { 0.5, -1 }) end)
      assert.is_true(autograd.gradcheck(F.apply, { leaf { 0.5, -1 } }))
      local x = leaf { 1 }
      local y = F.apply(x)
      raises({ "Exp", "a closure on ctx holds an output (as ", "save_for_backward" }, autograd.grad, y, x,
        { create_graph = true })
      y:mul_(2)
      raises({ "Exp", "overwritten" }, y.backward, y)
    end
  end)

  it("may hold no argument that was written in place", function()
    local F = op("Holds", function(ctx, x)
      ctx.get = function() return x end
      ctx:mark_dirty(x)
      return x:mul_(2)
    end, function(_, g) return g * 2 end)
    raises({ "Holds", "written in place (as x)", "save_for_backward" }, F.apply, leaf { 1 } * 1)
  end)

  it("of checkpoint may name what it computed", function()
    leaves_nothing(function()
      local w, y = leaf { 3 }, nil
      local z = autograd.checkpoint(function(a)
        y = a * w
        return y
      end, leaf { 2 })
      z:backward()
      near({ 2 }, w.grad)
      assert.is_true(y:is_same(z))
    end)
    leaves_nothing(function()
      local y
      local _ = autograd.checkpoint(function(a)
        y = a * 2
        return y
      end, leaf { 2 })
    end)
  end)
end)

describe("what backward leaves on ctx", function()
  local Cube = op("Cube", function(ctx, x)
    ctx:save_for_backward(x)
    return x ^ 3
  end, function(ctx, g)
    ctx.g = { g }
    return g * 3 * ctx.saved_tensors[1] ^ 2
  end)

  it("may be anything, but for a history that leads back to it", function()
    local x = leaf { 2 };
    (Cube.apply(x) * 2):backward()
    near({ 24 }, x.grad)
    is_right(Cube.apply, leaf { 2 }) -- gradients with histories of their own
    leaves_nothing(function()
      local a = leaf { 2 }
      local y = Cube.apply(a)
      raises({ "Cube", "as 1", "leads back to it", "detach" }, autograd.grad, (y * y):sum(), a,
        { create_graph = true })
    end)
  end)
end)

describe("what forward computes on the way", function()
  local function cube(leave, get) -- x^3, of which 3 x^2 is left behind
    return op("Cube", function(ctx, x)
      leave(ctx, x * x * 3, x)
      return x ^ 3
    end, function(ctx, g) return g * get(ctx) end)
  end
  local ways = {
    ["saved"] = cube(function(ctx, h) ctx:save_for_backward(h) end,
      function(ctx) return ctx.saved_tensors[1] end),
    ["on ctx"] = cube(function(ctx, h) ctx.slope = h end, function(ctx) return ctx.slope end),
    ["in a table"] = cube(function(ctx, h) ctx.list = { deep = { h } } end,
      function(ctx) return ctx.list.deep[1] end),
    ["written into memory that was there"] = cube(function(ctx, h)
      local room = kiln.zeros(2, 2, { dtype = "float64" })
      room[2]:copy_(h)
      ctx:save_for_backward(room)
    end, function(ctx) return ctx.saved_tensors[1][2] end),
    ["by a Function"] = cube(function(ctx, _, x)
      local Square = op("Square", function(_, a) return a * a end, function() end)
      ctx.slope = Square.apply(x) * 3
    end, function(ctx) return ctx.slope end),
  }
  for way, F in pairs(ways) do
    it(way .. ", has no second derivative, and is not taken for a constant", function()
      local x = leaf { 1, 2 }
      F.apply(x):sum():backward()
      near({ 3, 12 }, x.grad)
      local g = autograd.grad(F.apply(x):sum(), x, { create_graph = true })
      near({ 3, 12 }, g)
      raises({ "Cube", "was computed in forward", "return it from forward" }, autograd.grad, g:sum(), x, nil,
        { retain_graph = true })
      raises({ "Cube", "was computed in forward" }, function() g:sum():backward() end)
      raises({ "Cube", "was computed in forward" }, autograd.gradgradcheck, F.apply, { x })
    end)
  end

  it("and is a constant to others once it was returned", function()
    local Split = op("Split", function(ctx, x)
      local sign = x:sign()
      ctx:mark_non_differentiable(sign)
      return x * 2, sign
    end, function(_, g) return g * 2 end)
    local Times = op("Times", function(ctx, x, factor)
      ctx:save_for_backward(x, factor)
      ctx.factor = factor
      return x * x * factor
    end, function(ctx, g)
      local x, factor = unpack(ctx.saved_tensors)
      return g * x * (factor + ctx.factor)
    end)
    is_right(function(x)
      local y, sign = Split.apply(x)
      return Times.apply(y, sign)
    end, leaf { 2, -3 })
  end)

  it("and what was detached from an argument is constant", function()
    local Scaled = op("Scaled", function(ctx, x, factor)
      ctx:save_for_backward(factor)
      ctx.again = x:detach()
      return x * factor
    end, function(ctx, g) return g * ctx.saved_tensors[1] * (1 + ctx.again - ctx.again) end)
    local x = leaf { 2, 3 }
    local g = autograd.grad(Scaled.apply(x, x:detach()):sum(), x, { create_graph = true })
    near({ 2, 3 }, g)
    assert.is_false(g.requires_grad)
  end)

  it("and what is constant stays one", function()
    local half = kiln.full({ 2 }, 0.5, { dtype = "float64" })
    local F = op("Half", function(ctx, x)
      ctx.half, ctx.mask = half * 1, x:gt(0):double()
      ctx:save_for_backward(x:detach() * 0 + half)
      return x * half
    end, function(ctx, g) return g * ctx.half * ctx.mask + ctx.saved_tensors[1] * 0 * g end)
    local x = leaf { 1, 2 }
    is_right(F.apply, x)
    half = nil
  end)

  it("is right as a view of an argument, whatever that looks like", function()
    local ways_to_look = {
      function(x) return x:t() end, function(x) return x:view(-1) end, function(x) return x:select(1, 2) end,
    }
    for _, look in ipairs(ways_to_look) do
      local F = op("Look", function(ctx, x)
        ctx:save_for_backward(look(x))
        ctx.beside = look(x)
        return (look(x) * look(x) * look(x)):sum()
      end, function(ctx, g)
        local seen = ctx.saved_tensors[1] * ctx.beside * 3 * g
        local dx = kiln.zeros(2, 2, { dtype = "float64" })
        if seen:dim() == 2 then return seen:t() end
        if seen:numel() == 4 then return seen:view(2, 2) end
        return dx:index_add(1, kiln.tensor({ 2 }, { dtype = "int64" }), seen:view(1, 2))
      end)
      is_right(F.apply, leaf { { 0.5, -1 }, { 2, 3 } })
    end
  end)

  it("is refused in a closure, and so is an argument there that was overwritten", function()
    local F = op("Closed", function(ctx, x)
      local h = x * 2
      ctx.get = function() return h end
      return x * x
    end, function(ctx, g) return g * ctx.get() end)
    local x = leaf { 3 }
    F.apply(x):backward()
    near({ 6 }, x.grad)
    raises({ "Closed", "a closure on ctx holds what forward computed (as h)" }, function()
      F.apply(x):backward { create_graph = true }
    end)
    local G = op("Open", function(ctx, a)
      ctx.get = function() return a * 2 end
      return a * a
    end, function(ctx, g) return g * ctx.get() end)
    is_right(G.apply, leaf { 3 })
    x = leaf { 3 } * 1
    local y = G.apply(x)
    x:add_(1)
    raises({ "Open", "was overwritten in place by add" }, function() y:sum():backward() end)
  end)

  it("is refused where it was saved before it was written", function()
    local F = op("Late", function(ctx, x)
      ctx:save_for_backward(x)
      ctx:mark_dirty(x)
      return x:mul_(2)
    end, function(_, g) return g * 2 end)
    raises({ "Late", "wrote into saved tensor 1 after save_for_backward" }, F.apply, leaf { 1 } * 1)
    local G = op("Early", function(ctx, x)
      x:mul_(2)
      ctx:mark_dirty(x)
      ctx:save_for_backward(x)
      return x
    end, function(_, g) return g * 2 end)
    is_right(function(a) return G.apply(a * 1) end, leaf { 1, 3 })
  end)
end)

describe("a graph that forward makes for itself", function()
  it("is differentiated in backward, whether or not its result is what forward returns", function()
    for _, part in ipairs { "detach", "clone" } do
      local F = op("Inner", function(ctx, x)
        ctx.x = x:detach():requires_grad_(true)
        ctx.y = kiln.enable_grad(function() return ctx.x * ctx.x * 3 end)
        return ctx.y[part](ctx.y:detach())
      end, function(ctx, g)
        ctx.y:backward(g)
        return ctx.x.grad
      end)
      local x = leaf { 1, 2 }
      F.apply(x * 1):sum():backward()
      near({ 6, 12 }, x.grad)
    end
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
