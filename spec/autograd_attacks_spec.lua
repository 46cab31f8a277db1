--- What scripts may do to a backward pass: hooks that write, keep, free, raise, yield and call
-- backward again; results that share memory; histories that are cut.  Each either works, or is refused in one
-- line; no gradient comes out wrong and nothing stays alive.
local kiln = require "kiln"
local support = require "spec.support"
local autograd = kiln.autograd
local Function = autograd.Function
local near, raises = support.near, support.raises

local leaf, constant = support.leaf, support.constant

local function op(name, forward, backward)
  return Function:extend(name, { forward = forward, backward = backward })
end

describe("a hook", function()
  it("may write into its gradient, which is nobody else's", function()
    local a, b = leaf { 1, 2 }, leaf { 3, 4 }
    local x, y = a * 1, b * 1
    x:register_hook(function(g) g:mul_(10) end)
    local seed = constant { 1, 1 };
    (x + y):backward(seed)
    near({ 10, 10 }, a.grad)
    near({ 1, 1 }, b.grad)
    near({ 1, 1 }, seed)
  end)

  it("may keep its gradient, but not write into it later while it is under way", function()
    local a, kept = leaf { 1, 2 }, nil
    local x = a:clone() -- the gradient of clone is the tensor that arrives
    local y = x * 1
    x:register_hook(function(g) kept = g end)
    a:register_hook(function(g) assert.is_false(g:is_same(kept)) end)
    y:backward(constant { 1, 1 })
    kept:zero_()
    near({ 1, 1 }, a.grad)
  end)

  it("may free its gradient, the leaf and the output", function()
    local a = leaf { 2 }
    local y = a * a
    y:register_hook(function(g) g:free() end)
    y:backward()
    near({ 4 }, a.grad)
    y = a * a
    y:register_hook(function() y:free() end)
    a:register_hook(function() a:free() end)
    y:backward()
    raises({ "freed" }, function() return a.grad end)
  end)

  it("may not answer with what is freed, or of another shape, dtype or kind", function()
    local answers = {
      { "freed", function(g) local h = g * 2; h:free(); return h end },
      { "float32", function(g) return g:float() end },
      { "[2]", function() return constant { 1, 2 } end },
      { "a gradient or nothing", function() return "gradient" end },
    }
    for _, answer in ipairs(answers) do
      local a = leaf { 2 }
      a:register_hook(answer[2])
      raises({ "hook", answer[1] }, function() (a * a):backward() end)
      assert.is_nil(a.grad)
    end
  end)

  it("may remove itself and others, and add some for the next pass", function()
    local a = leaf { 1 }
    local first, second
    first = a:register_hook(function(g)
      first:remove()
      second:remove()
      a:register_hook(function(h) return h * 7 end)
      kiln.collect()
      return g * 3
    end)
    second = a:register_hook(function(g) return g * 100 end);
    (a * 1):backward()
    near({ 3 }, a.grad);
    (a * 1):backward()
    near({ 10 }, a.grad)
  end)

  it("may call backward, on the same graph as well", function()
    local a, depth = leaf { 3 }, 0
    local y = a * a
    local z = y * 2
    local once = y:register_hook(function()
      depth = depth + 1
      if depth < 3 then z:backward { retain_graph = true } end
    end)
    z:backward { retain_graph = true }
    near({ 36 }, a.grad)
    once:remove()
    -- Without end: the stack has one, and the engine stays usable.
    local endless = y:register_hook(function() z:backward { retain_graph = true } end)
    local ok, message = pcall(z.backward, z, { retain_graph = true })
    assert.is_false(ok)
    assert.truthy(tostring(message):find "stack overflow")
    endless:remove() -- the graph was retained, and the hook refers to it
    local b = leaf { 1 };
    (b * 2):backward()
    near({ 2 }, b.grad)
  end)

  it("may yield; recording is as it was outside meanwhile", function()
    local a = leaf { 2 }
    local y = a * a
    y:register_hook(function(g)
      coroutine.yield "inside"
      return g * 2
    end)
    local co = coroutine.create(function()
      y:backward()
      return "done"
    end)
    assert.same({ true, "inside" }, { coroutine.resume(co) })
    assert.is_true(autograd.is_grad_enabled())
    assert.is_true((leaf { 1 } * 2).requires_grad)
    assert.same({ true, "done" }, { coroutine.resume(co) })
    near({ 8 }, a.grad)
  end)

  it("that never comes back leaves nothing behind", function()
    support.live()
    local before = kiln.memory().live_nodes
    for _ = 1, 5 do
      local y = leaf { 2 } * 3
      y:register_hook(function() coroutine.yield() end)
      coroutine.resume(coroutine.create(function() y:backward() end))
    end
    support.live()
    support.live()
    assert.equals(before, kiln.memory().live_nodes)
  end)

  it("that refers to its own tensor is gone once backward ran through it", function()
    support.live()
    local before = kiln.memory().live_nodes
    for _ = 1, 5 do
      local y = leaf { 2 } * 3
      y:register_hook(function() return y end)
      y:backward()
    end
    support.live()
    assert.equals(before, kiln.memory().live_nodes)
  end)

  it("stops with Ctrl-C like everything else", function()
    local C = require("kiln.ffi").C
    local a = leaf { 1 }
    local y = a * 2
    y:register_hook(function() C.kiln_interrupt_raise() end)
    assert.is_false(pcall(y.backward, y))
    assert.is_false(C.kiln_interrupt_pending())
    local b = leaf { 1 };
    (b * 2):backward()
    near({ 2 }, b.grad)
  end)
end)

describe("results of a pass", function()
  it("share memory with nothing", function()
    local a, b, seed = leaf { 1, 2 }, leaf { 3, 4 }, constant { 1, 1 }
    local ga, gb = autograd.grad(a + b, { a, b }, seed)
    ga:mul_(5)
    near({ 1, 1 }, gb)
    near({ 1, 1 }, seed)
    local y = a + 0
    y:retain_grad()
    autograd.grad((y * 2):sum(), a):zero_()
    near({ 2, 2 }, y.grad)
    local g = autograd.grad(a:sum(), a)
    g:mul_(2) -- no expanded view either
    near({ 2, 2 }, g)
  end)

  it("go to tensors that are no leaves, with inputs, and once where an input is named twice", function()
    local x = leaf { 2 }
    local h = x * 3;
    (h * h):sum():backward { inputs = { h, x, h } }
    near({ 12 }, h.grad)
    near({ 36 }, x.grad)
    local first, second = autograd.grad((x * x):sum(), { x, x })
    near({ 4 }, first)
    near({ 4 }, second)
  end)

  it("are added to whatever .grad holds", function()
    local a = leaf { 2, 3 }
    a.grad = constant({ 1 }):expand(2);
    (a * a):sum():backward()
    near({ 5, 7 }, a.grad)
    local held = a.grad
    a.grad = leaf { 10, 10 };
    (a * a):sum():backward()
    near({ 14, 16 }, a.grad)
    near({ 5, 7 }, held)
    raises({ "grad", "itself" }, function() a.grad = a end)
  end)

  it("count roots as often as they are named", function()
    local x = leaf { 2 }
    local y = (x * x):sum()
    autograd.backward { y, y }
    near({ 8 }, x.grad)
  end)
end)

describe("a history", function()
  it("is not cut by a view that was made without recording", function()
    local x = leaf { 1, 2, 3 }
    local h = x * 1
    local v = kiln.no_grad(function() return h:narrow(1, 1, 2) end)
    raises({ "mul_", "without recording" }, v.mul_, v, leaf { 10, 20 })
    near({ 1, 2, 3 }, h)
  end)

  it("is not written past a leaf that is a view", function()
    local b = kiln.ones(4, { dtype = "float64" })
    local v = b:narrow(1, 1, 2):requires_grad_()
    raises({ "mul_", "a view of the tensor is a leaf" }, b.mul_, b, leaf { 1, 2, 3, 4 })
    kiln.no_grad(function() b:mul_(3) end)
    near({ 3, 3 }, v)
  end)

  it("of views ends where the base was given other memory", function()
    local b = kiln.ones(3, { dtype = "float64" })
    local v = b:narrow(1, 2, 2)
    b:set_(kiln.ones(1, { dtype = "float64" }))
    local w = leaf { 2, 3 }
    v:mul_(w)
    v:sum():backward()
    near({ 1, 1 }, w.grad)
    assert.is_false(b.requires_grad)
  end)

  it("is not guessed where two views are left of a base with other memory", function()
    local b = kiln.ones(3, { dtype = "float64" })
    local v, u = b:narrow(1, 2, 2), b:narrow(1, 1, 2)
    b:set_(kiln.ones(1, { dtype = "float64" }))
    raises({ "mul_", "clone it first" }, v.mul_, v, leaf { 2, 3 })
    raises({ "mul_", "clone it first" }, function() v:narrow(1, 1, 1):mul_(leaf { 2 }) end)
    local w = leaf { 2, 3 }
    v:clone():mul_(w):sum():backward()
    near({ 1, 1 }, w.grad)
    kiln.no_grad(function() v:mul_(2) end)
    near({ 1, 2 }, u)
  end)

  it("follows a shape that changes in place, of a view", function()
    local x, w = leaf { { 1, 2, 3 }, { 4, 5, 6 } }, leaf { { 2, 3 }, { 5, 7 } }
    local h = x * 1
    local v, sibling = h:narrow(2, 1, 2), h:select(1, 2)
    assert.is_true(v:t_():is_same(v))
    v:unsqueeze_(1):transpose_(1, 3):squeeze_():permute_({ 2, 1 })
    v:mul_(w) -- v is { { 1, 4 }, { 2, 5 } }
    near({ { 2, 10, 3 }, { 12, 35, 6 } }, h)
    near({ 12, 35, 6 }, sibling);
    (h:sum() + sibling:sum()):backward()
    near({ { 2, 5, 1 }, { 6, 14, 2 } }, x.grad)
    near({ { 1, 8 }, { 2, 10 } }, w.grad)
  end)

  it("follows a shape that changes in place, of a base", function()
    local x, w = leaf { { 1, 2, 3 }, { 4, 5, 6 } }, leaf { { 1, 2 }, { 3, 4 }, { 5, 6 } }
    local h = x * 1
    local v = h:select(1, 2)
    h:t_()
    h:mul_(w)
    near({ 8, 20, 36 }, v)
    v:mul_(h:select(2, 1):clone())
    near({ { 1, 8 }, { 6, 120 }, { 15, 540 } }, h)
    h:sum():backward()
    near({ { 1 + 8, 3 * (1 + 20), 5 * (1 + 36) }, { 2, 4 * 6, 6 * 15 } }, x.grad)
    h = x * x
    local u = h:view(-1)
    kiln.no_grad(function() h:transpose_(1, 2) end)
    local g = autograd.grad((h * w):sum() + u:sum(), x)
    near({ { 4, 16, 36 }, { 24, 50, 84 } }, g)
  end)

  it("counts for a base what its views are used for, also those that were written or seen before", function()
    local x = leaf { { 1, 2, 3 }, { 4, 5, 6 } }
    local h = x * 1
    local v, u, seen = h:select(1, 1), h:view(-1), nil
    v:mul_(2)
    h:t_()
    h:retain_grad()
    h:register_hook(function(g) seen = g:clone() end);
    (v:sum() + u:sum() * 10):backward()
    near({ { 11, 10 }, { 11, 10 }, { 11, 10 } }, h.grad)
    near(h.grad:tolist(), seen)
    near({ { 22, 22, 22 }, { 10, 10, 10 } }, x.grad)
    h = x * 1
    v = h:select(1, 1)
    v:mul_(3)
    near({ { 2, 2, 2 }, { 0, 0, 0 } }, (autograd.grad((v * 2):sum(), h)))
  end)

  it("is refused where a leaf would change its shape", function()
    local x = leaf { { 1, 2 } }
    raises({ "t_", "leaf that requires grad" }, x.t_, x)
    raises({ "unsqueeze_", "leaf that requires grad" }, x.unsqueeze_, x, 1)
    raises({ "t_", "leaf that requires grad" }, kiln.no_grad, function() x:t_() end)
    assert.equals("[1, 2]", tostring(x.shape))
  end)

  it("is shared by a tensor and what it was set to", function()
    local y, w = kiln.ones(3, { dtype = "float64" }), leaf { 1, 2, 3 }
    local x = kiln.zeros(2, { dtype = "float64" }):set_(y)
    x:mul_(w)
    y:narrow(1, 1, 2):mul_(2)
    near({ 2, 4, 3 }, x)
    x:sum():backward()
    near({ 2, 2, 1 }, w.grad)
    raises({ "set_", "history" }, x.set_, x, y:detach())
    raises({ "set_", "a leaf that requires grad" }, w.set_, w, kiln.ones(1))
    kiln.no_grad(function() w:set_(kiln.ones(1, { dtype = "float64" })) end)
    assert.is_true(w.is_leaf and w.requires_grad)
  end)

  it("is shared by a view and a base that was resized", function()
    local b = kiln.ones(4, { dtype = "float64" })
    local v = b:narrow(1, 1, 2)
    b:resize_(3)
    local w = leaf { 2, 3, 4 }
    b:mul_(w)
    v:sum():backward()
    near({ 1, 1, 0 }, w.grad)
    b = kiln.ones(3, { dtype = "float64" })
    v = b:narrow(1, 3, 1)
    b:resize_(2)
    raises({ "mul_", "looks at memory beside" }, v.mul_, v, leaf { 5 })
    v = b:narrow(1, 1, 1)
    v:resize_(2):mul_(leaf { 3, 4 })
    assert.is_true(b.requires_grad)
  end)
end)

describe("at the edge of a domain a gradient", function()
  local NAN = 0 / 0
  local F = kiln.nn.functional

  -- The first derivatives of f, and the second ones of it, weighed by 1, 2, 3, ...
  local function slopes(f, ...)
    local xs, total = { ... }, 0
    local first = { autograd.grad(f(...):sum(), xs, { create_graph = true }) }
    for _, g in ipairs(first) do
      total = total + (g * kiln.arange(1, g:numel() + 1, { dtype = "float64" }):view(g.shape)):sum()
    end
    return first, { autograd.grad(total, xs, { allow_unused = true }) }
  end

  it("of a power 0, of roots and of distances 0 is 0, and so is the second one", function()
    local x = leaf { -2, 0, 3 }
    local cases = {
      function(a) return a ^ 0 end,
      function(a) return a ^ kiln.zeros(3, { dtype = "float64" }) end,
      function(a) return F.pairwise_distance(a:view(3, 1), a:detach():view(3, 1), { eps = 0 }) end,
      function(a) return F.pairwise_distance(a:view(3, 1), a:detach():view(3, 1), { p = 3, eps = 0 }) end,
      function(a) return F.lp_pool1d((a * 0):view(1, 1, 3), 2, 1) end,
      function(a) return F.lp_pool1d((a * 0):view(1, 1, 3), 3, 1) end,
      function(a) return F.smooth_l1_loss(a, a:detach(), { beta = 0, reduction = "none" }) end,
    }
    for _, f in ipairs(cases) do
      local first, second = slopes(f, x)
      near({ 0, 0, 0 }, first[1])
      if second[1] ~= nil then near({ 0, 0, 0 }, second[1]) end
    end
    near({ 2, 1 }, F.pairwise_distance(leaf { { 3, 1 }, { 1, 1 } }, leaf { { 1, 1 }, { 0, 1 } },
      { p = math.huge, eps = 0 }))
  end)

  it("of a determinant is right where that is 0, and so is the second one", function()
    for n = 1, 4 do
      for rank = 0, n - 1 do
        local rows = kiln.zeros(2, n, n, { dtype = "float64" })
        if rank > 0 then
          local a = kiln.arange(2 * n * rank, { dtype = "float64" }):mul_(1.7):sin_()
          rows = a:view(2, n, rank):matmul(a:view(2, rank, n):cos())
        end
        local x = rows:mul(1e3):round():div_(1e3):requires_grad_() -- det need not be exactly 0
        assert.is_true(autograd.gradcheck(kiln.det, { x }))
        assert.is_true(autograd.gradgradcheck(kiln.det, { x }))
      end
    end
    local first, second = slopes(kiln.det, leaf { { 1, 2 }, { 2, 4 } })
    near({ { 4, -2 }, { -2, 1 } }, first[1])
    near({ { 4, -3 }, { -2, 1 } }, second[1])
    local x = kiln.zeros({ 65, 65 }, { dtype = "float64", requires_grad = true })
    x:det():backward()
    raises({ "det", "it is 0 for 65 x 65" }, function() x:det():backward { create_graph = true } end)
  end)

  it("of losses at 0 is that of the reference, and the second one a number", function()
    local p, y = leaf { 0, 1, 0.5 }, leaf { 0, 1, 0.5 }
    local none = { reduction = "none" }
    local first, second = slopes(function(a, b) return F.binary_cross_entropy(a, b, none) end, p, y)
    near({ 0, 0, 0 }, first[1])
    near({ 100, -100, 0 }, first[2])
    assert.is_false((second[1] + second[2]):isnan():any():item())
    p = leaf { 0, 1, 0.25 }
    first = autograd.grad(F.binary_cross_entropy(p, y:detach(), none):sum(), p, { create_graph = true })
    near({ 0, 0, 0.5 / 0.0625 + 0.5 / 0.5625 }, (autograd.grad(first:sum(), p)))
    first, second = slopes(function(a, b) return F.kl_div(a, b, none) end, leaf { -1, -2 }, leaf { 0, 0.5 })
    near({ 0, -0.5 }, first[1])
    near({ 1, math.log(0.5) + 3 }, first[2])
    near({ -1, -2 }, second[1])
    near({ -1, -2 + 4 }, second[2])
  end)

  it("is lost in NaN where the reference's is, and 1 where that is", function()
    local x, y = leaf { NAN, 0, 2 }, leaf { 0, 0, 0 }
    local cases = {
      relu = { 1, 0, 1 }, relu6 = { 1, 0, 1 }, hardtanh = { 1, 1, 0 }, softshrink = { 1, 0, 1 },
      leaky_relu = { 0.01, 0.01, 1 }, elu = { 1, 1, 1 }, celu = { 1, 1, 1 },
      hardswish = { 1, 0.5, 2 / 3 + 0.5 },
      selu = { 1.0507009873554805, 1.7580993408473766, 1.0507009873554805 },
    }
    for name, want in pairs(cases) do near(want, (autograd.grad(F[name](x):sum(), x))) end
    local none = { reduction = "none" }
    near({ NAN, 0, 1 }, (autograd.grad(F.smooth_l1_loss(x, y:detach(), none):sum(), x)))
    near({ NAN, 0, 1 }, (autograd.grad(F.huber_loss(x, y:detach(), none):sum(), x)))
    local gx, gy = autograd.grad(kiln.maximum(x, y):sum(), { x, y })
    near({ 1, 0.5, 1 }, gx)
    near({ 1, 0.5, 0 }, gy)
    gx, gy = autograd.grad(kiln.minimum(x, y):sum(), { x, y })
    near({ 1, 0.5, 0 }, gx)
    near({ 1, 0.5, 1 }, gy)
    for name, want in pairs { fmax = { 0, 0.5, 1 }, fmin = { 0, 0.5, 0 } } do
      gx, gy = autograd.grad(kiln[name](x, y):sum(), { x, y })
      near(want, gx)
      near({ 1 - want[1], 1 - want[2], 1 - want[3] }, gy)
    end
    local a, b = leaf { 1, -1, 7 }, leaf { -math.huge, math.huge, -2 }
    near({ 1, 1, 4 }, (autograd.grad(kiln.remainder(a, b):sum(), b)))
  end)

  it("is differentiated twice where an exponential that does not count overflows", function()
    for name, factor in pairs { elu = 1, celu = 1, selu = 1.7580993408473766 } do
      local x = leaf { -1, 0, 1000, math.huge, NAN }
      local first = autograd.grad(F[name](x):sum(), x, { create_graph = true })
      near({ factor * math.exp(-1), 0, 0, 0, 0 }, (autograd.grad(first:sum(), x)))
    end
  end)

  it("of clamp is 0 at a bound, and half of it goes to a bound that is a tensor", function() -- as PyTorch
    local x = leaf { 0, 0.5, 1, 2, -1, math.huge, NAN }
    local function slope(y) return (autograd.grad(y:sum(), x)) end
    near({ 0, 1, 0, 0, 0, 0, 0 }, slope(x:clamp(0, 1)))
    near({ 0, 1, 1, 1, 0, 1, 0 }, slope(x:clamp(0)))
    near({ 1, 1, 0, 0, 1, 0, 0 }, slope(x:clamp(nil, 1)))
    local low, high = leaf { 0 }, leaf { 1 }
    local gx, gl, gh = autograd.grad(x:narrow(1, 1, 5):clamp(low, high):sum(), { x, low, high })
    near({ 0.5, 1, 0.5, 0, 0, 0, 0 }, gx)
    near({ 1.5 }, gl)
    near({ 1.5 }, gh)
  end)

  it("of the largest of all elements is shared by NaNs", function()
    local x = leaf { NAN, 1, 2, NAN }
    near({ 0.5, 0, 0, 0.5 }, (autograd.grad(x:max(), x)))
    near({ 0, 0, 0, 0 }, (autograd.grad(x:norm(math.huge), x)))
  end)

  it("is no number where the value is none", function()
    local x = leaf { -1, 2, 0.5 }
    x:logit():sum():backward()
    near({ NAN, NAN, 4 }, x.grad)
  end)

  it("is 0 where a factor 0 decides the value, and at the point without an angle", function()
    local x, y = leaf { 0, 0, 0, 3 }, leaf { 0, -1, 2, 2 }
    x:xlogy(y):sum():backward()
    near({ 0, 0, math.log(2), math.log(2) }, x.grad)
    local a, b = leaf { 0, 0, 1 }, leaf { 0, 2, 0 }
    a:atan2(b):sum():backward()
    near({ 0, 0.5, 0 }, a.grad)
    near({ 0, 0, -1 }, b.grad)
    local c = leaf { -1, 0, 2, NAN }
    c:angle():sum():backward()
    near({ 0, 0, 0, 0 }, c.grad)
  end)

  it("has a second derivative where the first one is chosen", function()
    local rows, others = leaf { { 0, 1, 2 } }, constant { { 0, 1, 3 }, { 0, 1, 2 } }
    for name, f in pairs {
      cdist = function(x) return kiln.cdist(x, others, 1.5) end,
      norm = function(x) return (x - others):norm(1.5, 2) end,
      i1e = function(x) return kiln.i1e(x) end,
      copysign = function(x) return kiln.copysign(x, -1) end,
    } do
      local g = autograd.grad(f(rows):sum(), rows, { create_graph = true })
      local h = g.requires_grad and autograd.grad((g * g):sum(), rows, { allow_unused = true }) or g
      assert.is_false(h:isnan():any():item(), name)
    end
  end)
end)

describe("a leaf that is frozen and thawed", function()
  it("is the same leaf for graphs made before, hooks and all", function()
    local x = leaf { 1, 2 }
    x:register_hook(function(g) return g * 10 end)
    local before = (x * x):sum()
    x.requires_grad = false
    assert.is_false((x * 2).requires_grad)
    x.requires_grad = true;
    (before + x:sum()):backward()
    near({ 30, 50 }, x.grad)
  end)

  it("still gets the gradients of such a graph while it is frozen", function()
    for _, freeze in ipairs { function(x) x.requires_grad = false end, function(x) x:detach_() end } do
      local x = leaf { 1, 2 }
      local y = (x * x):sum()
      freeze(x)
      y:backward()
      near({ 2, 4 }, x.grad)
      assert.is_false(x.requires_grad)
    end
  end)

  it("carries over through a whole layer", function()
    local layer = kiln.nn.Linear(2, 2)
    local y = layer(kiln.ones(1, 2)):sum()
    layer:requires_grad_(false)
    layer:requires_grad_(true)
    y:backward()
    near({ { 1, 1 }, { 1, 1 } }, layer.weight.grad)
  end)
end)

describe("a gradient with a history", function()
  it("keeps it when another backward pass adds to it", function()
    local x = leaf { 1, 2 };
    (x ^ 3):sum():backward(nil, { create_graph = true });
    (x ^ 2):sum():backward()
    local s = x.grad:sum() + (x * x):sum()
    x.grad = nil
    s:backward()
    near({ 8, 16 }, x.grad)
  end)
end)

describe("large graphs", function()
  it("take fan-in, fan-out and chains with hooks and Functions", function()
    local a, list = leaf { 1 }, {}
    for i = 1, 5000 do list[i] = a end
    kiln.cat(list, 1):sum():backward()
    near({ 5000 }, a.grad)
    local Id = op("Id", function(_, x) return x * 1 end, function(_, g) return g end)
    local b, seen = leaf { 1 }, 0
    local y = b
    for i = 1, 20000 do
      y = i % 4 == 0 and Id.apply(y) or y * 1
      if i % 4 == 1 then y:register_hook(function() seen = seen + 1 end) end
    end
    y:backward()
    near({ 1 }, b.grad)
    assert.equals(5000, seen)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
