--- checkpoint: a part of a program that runs again in backward gives what the plain call gives: results,
-- gradients, random numbers, and what hooks inside it see.
local kiln = require "kiln"
local device = require "spec.support.device"
local support = require "spec.support"
local autograd = kiln.autograd
local near, raises = support.near, support.raises

local leaf = support.leaf

local function has(message, ...)
  for _, part in ipairs { ... } do
    assert.is_truthy(message:find(part, 1, true), ("%s\nlacks %s"):format(message, part))
  end
end

describe("checkpoint", function()
  it("gives what the plain call gives, several results and other arguments too", function()
    local w = leaf { 4, 5 }
    local function f(a, factor, b) return a * w * factor, a + b, "plain" end
    local function run(call)
      local a, b = leaf { 1, 2 }, leaf { 3, 4 }
      w.grad = nil
      local p, q, r = call(f, a, 3, b)
      assert.equals("plain", r);
      (p * q):sum():backward()
      return { p:tolist(), q:tolist(), a.grad:tolist(), b.grad:tolist(), w.grad:tolist() }
    end
    assert.same(run(function(fn, ...) return fn(...) end), run(autograd.checkpoint))
  end)

  it("draws the same random numbers again, and leaves the generator where it was", function()
    local x, drawn = leaf { 1, 2, 3 }, {}
    local function f(a)
      local noise = kiln.rand(3, { dtype = "float64" })
      drawn[#drawn + 1] = noise:tolist()
      return a * noise
    end
    kiln.manual_seed(7)
    local y = autograd.checkpoint(f, x)
    local between = kiln.rand(2):tolist()
    local state = kiln.get_rng_state()
    y:sum():backward()
    assert.equals(2, #drawn)
    assert.same(drawn[1], drawn[2])
    near(drawn[1], x.grad)
    assert.same(state:tolist(), kiln.get_rng_state():tolist())
    kiln.manual_seed(7)
    f(x)
    assert.same(between, kiln.rand(2):tolist())
  end)

  it("gives nothing to what did not count", function()
    local x, w = leaf { 0, 1 }, leaf { 1, 1 }
    local doubled = autograd.checkpoint(function(a) return a * 2, a:sqrt() * w end, x)
    doubled:sum():backward()
    assert.same({ 2, 2 }, x.grad:tolist())
    assert.is_nil(w.grad)
  end)

  it("holds the arguments only", function()
    local x = kiln.randn(64, 64):requires_grad_()
    local function deep(a)
      for _ = 1, 10 do a = a:tanh() end
      return a
    end
    local function held(call)
      support.live()
      local before = device.memory().live_bytes
      local y = call(x)
      support.live()
      return device.memory().live_bytes - before, y
    end
    local plain = held(deep)
    local less = held(function(a) return autograd.checkpoint(deep, a) end)
    assert.is_true(plain >= 10 * 64 * 64 * 4)
    assert.is_true(less <= 64 * 64 * 4 + 4096)
  end)

  it("refuses a function that does not do the same again", function()
    local w, h = leaf { 3, 4 }, leaf { 1, 2 } * 1
    local function squares(fn) return function(...) return (fn(...) * 2):exp() end end
    local y = autograd.checkpoint(function(a) return (a * w * 0):exp() end, h) -- whose result stays the same
    kiln.no_grad(function() w:mul_(1.01) end)
    raises({ "the gradient of mul needs", "was overwritten in place by mul_" }, function()
      y:sum():backward()
    end)
    assert.is_nil(w.grad)
    local named = h
    y = autograd.checkpoint(squares(function(a) return a * 2 + named end), h)
    named = h * 3 -- another tensor by then
    raises({ "checkpoint", "result 1", "a weighted sum of row 1 was", "has changed since" }, function()
      y:sum():backward()
    end)
    local calls = 0
    y = autograd.checkpoint(squares(function(a)
      calls = calls + 1
      return calls == 1 and 1.5 * a or 0 / 0 * a
    end), h)
    raises({ "checkpoint", "is nan" }, function() y:sum():backward() end)
    assert.is_true(named.requires_grad)
    local second
    local changes = {
      ["other values"] = { function(a) return (second and a + 1 or a + 2):exp() end, "row 1 was" },
      ["its shape"] = { function(a) return (second and a:view(2, 1) or a:clone()):exp() end,
        "the 1. value that they saved was a float64 tensor of shape [2] for exp", "[2, 1] for exp" },
      ["an op"] = { function(a) return second and a:tanh() or a:exp() end, "for exp, and is", "for tanh" },
      ["more"] = { function(a) return second and a:exp():exp() or a:exp() end, "1 values, and more" },
      ["less"] = { function(a) return second and a or a:exp() end, "saved 1 values, and 0 now" },
      ["a number"] = { function(a) return a:exp(), second and 1 or 2 end, "result 2", "it was 2 and is 1" },
      ["positions"] = { function(a) return a:exp(), kiln.tensor { second and 1 or 2 } end, "result 2" },
      ["how many"] = { function(a) return unpack({ a:exp(), 3 }, 1, second and 1 or 2) end, "2 results" },
      ["where"] = { function(a) return { [second and "b" or "a"] = a:exp() } end, "result 1.a again",
        "it is now result 1.b" },
    }
    for what, change in pairs(changes) do
      second = nil
      local out = autograd.checkpoint(change[1], h)
      second = true
      if type(out) == "table" and out.a then out = out.a end
      local ok, message = pcall(function() out:sum():backward() end)
      assert.is_false(ok, what)
      has(message, "checkpoint", unpack(change, 2))
    end
  end)

  it("runs under the autocast of the first time", function()
    local x, w = kiln.randn({ 8, 8 }, { requires_grad = true }), kiln.randn(8, 8)
    local dtypes, y = {}, nil
    local function product(a)
      local b = a:mm(w)
      dtypes[#dtypes + 1] = b.dtype.name
      return b:float():tanh()
    end
    kiln.amp.autocast({ dtype = kiln.bfloat16 }, function() y = autograd.checkpoint(product, x) end)
    y:sum():backward()
    local first = x.grad:clone()
    y = autograd.checkpoint(product, x)
    kiln.amp.autocast({ dtype = kiln.bfloat16 }, function() y:sum():backward() end)
    assert.same({ "bfloat16", "bfloat16", "float32", "float32" }, dtypes)
    x.grad = nil
    kiln.amp.autocast({ dtype = kiln.bfloat16 }, product, x):sum():backward()
    assert.same(first:tolist(), x.grad:tolist())
  end)

  it("finds the gradients of its tensors among other results", function()
    local x = leaf { 2 }
    local _, y, _, z = autograd.checkpoint(function(a) return "text", a * a, nil, a * 3 end, x)
    z:backward { retain_graph = true }
    near({ 3 }, x.grad)
    y:backward()
    near({ 3 + 4 }, x.grad)
  end)

  it("nests, and passes errors on", function()
    local x = leaf { 2 }
    local function inner(a) return a * a:exp() end
    local function outer(a) return autograd.checkpoint(inner, a) * a end
    autograd.checkpoint(outer, x):backward()
    local expected = leaf { 2 }
    local _ = (expected * expected:exp() * expected):backward()
    near(expected.grad:tolist(), x.grad)
    local calls = 0
    local y = autograd.checkpoint(function(a)
      calls = calls + 1
      if calls == 2 then error("the second time", 0) end
      return (a * 2):exp()
    end, x)
    local ok, message = pcall(y.backward, y)
    assert.is_false(ok)
    assert.equals("the second time", message)
    y:backward()
    assert.equals(3, calls)
    assert.is_true(autograd.is_grad_enabled())
    y = autograd.checkpoint(function(a)
      calls = calls + 1
      local b = (a * 2):exp()
      if calls > 4 then y:backward() end
      return b:exp()
    end, x)
    raises({ "a backward pass inside fn needs what this very run of fn computes" }, y.backward, y)
    raises({ "checkpoint", "function" }, autograd.checkpoint, 3)
    local frozen = kiln.ones(2)
    assert.is_false(autograd.checkpoint(function(a) return (a * 2):exp() end, frozen).requires_grad)
  end)
end)

describe("what a checkpointed function computes", function()
  local function plain(fn, ...) return fn(...) end

  -- What body(call) returns is the same for the plain call and for checkpoint.
  local function agrees(body)
    local results = {}
    for i, call in ipairs { plain, autograd.checkpoint } do results[i] = body(call) end
    for k, v in ipairs(results[1]) do near(v:tolist(), results[2][k]) end
    assert.equals(#results[1], #results[2])
  end

  it("has its gradient where it goes by another way than the results", function()
    agrees(function(call)
      local x, w, side, list = leaf { 1, 2 }, leaf { 0.3, 0.4 }, nil, {}
      local y = call(function(a)
        local h = (a * w):tanh()
        side, list[1] = h * h, h:exp()
        return (h:exp() * a):sin()
      end, x)
      local loss = y:sum() + side:sum() * 2 + list[1]:sum() * 3
      loss:backward()
      return { x.grad, w.grad }
    end)
  end)

  it("is differentiated twice, for chosen inputs, and once more", function()
    local function f(w) return function(a) return ((a * w):tanh() * a):exp() end end
    agrees(function(call)
      local x, w = leaf { 0.1, 0.2 }, leaf { 0.3, 0.4 }
      local y = call(f(w), x):sum()
      local gx, gw = autograd.grad(y, { x, w }, { create_graph = true })
      assert.is_nil(w.grad)
      local hx, hw = autograd.grad((gx * gx):sum() + gw:sum(), { x, w })
      y = call(f(w), x):sum()
      y:backward { inputs = { w }, retain_graph = true }
      assert.is_nil(x.grad)
      y:backward { retain_graph = true }
      y:backward()
      raises({ "backward ran through it a second time" }, y.backward, y)
      return { gx, gw, hx, hw, x.grad, w.grad }
    end)
  end)

  it("is seen whole by a hook on a parameter of two calls", function()
    agrees(function(call)
      local x, w, seen = leaf { 1, 2 }, leaf { 0.3, 0.4 }, {}
      w:register_hook(function(g)
        seen[#seen + 1] = g:clone()
        return g * 2
      end)
      local h = call(function(a) return (a * w):exp() end, x)
      call(function(a) return (a * w):sin() end, h):sum():backward()
      assert.equals(1, #seen)
      return { seen[1], w.grad, x.grad }
    end)
  end)

  it("may itself need backward passes, Functions and fused functions", function()
    local Cube = autograd.Function:extend "Cube"
    function Cube.forward(ctx, x)
      ctx:save_for_backward(x)
      return x * x * x
    end
    function Cube.backward(ctx, g) return g * 3 * ctx.saved_tensors[1] ^ 2 end
    local gelu = kiln.fuse(function(x) return x * (x * 1.7):sigmoid() end)
    agrees(function(call)
      local x, w = leaf { 0.1, 0.2 }, leaf { 0.3, 0.4 }
      local y = call(function(a)
        local h = (a * w):exp()
        local g = autograd.grad(h:sum(), a, { create_graph = true })
        return Cube.apply(gelu(h + 1)) * g
      end, x * 1)
      y:sum():backward()
      return { x.grad, w.grad }
    end)
  end)

  it("cannot be added in place to what was there before", function()
    local x, total = leaf { 1, 2 }, kiln.zeros(2, { dtype = "float64" })
    raises({ "add_", "runs again in backward", "clone" }, autograd.checkpoint, function(a)
      return total:add_(a:exp())
    end, x)
    raises({ "mul_", "clone" }, autograd.checkpoint, function(a) return a:mul_(2) end, x * 1)
  end)

  it("is let go of: nested, and in a second pass", function()
    local n = 64 * 64 * 4
    local function bytes()
      support.live()
      return device.memory().live_bytes
    end
    local function deep(a)
      for _ = 1, 10 do a = a:tanh() end
      return a
    end
    local function nested(a)
      for _ = 1, 4 do a = autograd.checkpoint(deep, a) end
      return a
    end
    local x = kiln.randn(64, 64):requires_grad_()
    local before = bytes()
    local y = autograd.checkpoint(nested, x)
    assert.is_true(bytes() - before <= n + 16384)
    local loss = y:sum()
    loss:backward { retain_graph = true }
    assert.is_true(bytes() - before <= 2 * n + 16384)
    local first = x.grad:clone()
    loss:backward()
    near((first * 2):tolist(), x.grad)
  end)
end)

describe("inside a checkpointed function", function()
  local function plain(fn, ...) return fn(...) end

  -- What body(call, log) logs is the same for the plain call and for checkpoint.
  local function agrees(body)
    local logs = {}
    for i, call in ipairs { plain, autograd.checkpoint } do
      logs[i] = {}
      body(call, function(v) table.insert(logs[i], kiln.is_tensor(v) and v:tolist() or v or "nothing") end)
    end
    assert.is_true(#logs[1] > 0)
    assert.same(logs[1], logs[2])
  end

  it("hooks run once, on what it computes, on its arguments and on parameters", function()
    agrees(function(call, log)
      local x, w = leaf { 1, 2 }, leaf { 3, 4 }
      local h = x * 1
      local y = call(function(a)
        local b = a * w
        b:register_hook(function(g)
          log(g)
          return g * 10
        end)
        a:register_hook(function(g)
          log(g)
          return g + 1
        end)
        w:register_hook(function(g)
          log(g)
          return g * 2
        end)
        return b * b
      end, h)
      local loss = y:sum() + h:sum()
      loss:backward { retain_graph = true } -- which runs it again twice
      loss:backward()
      log(x.grad)
      log(w.grad)
    end)
  end)

  it("a hook that was taken away does not run, and retain_grad keeps", function()
    agrees(function(call, log)
      local x, kept, handles = leaf { 1, 2 }, {}, {}
      local y = call(function(a)
        local b = a * a
        handles[#handles + 1] = b:register_hook(log)
        handles[#handles + 1] = b:register_hook(function(g) return g * 2 end)
        kept[#kept + 1] = b:retain_grad()
        return b * 3
      end, x)
      handles[1]:remove()
      y:sum():backward()
      handles[2]:remove()
      log(x.grad)
      log(kept[1].grad)
    end)
  end)

  it("another one may be, and what it asks for in tables", function()
    agrees(function(call, log)
      local x, w = leaf { 1, 2 }, leaf { 3, 4 }
      local b, kept = w * 2, {}
      local function inner(a, named)
        local h = a * named.w
        h:register_hook(function(g)
          log(g)
          return g * 10
        end)
        kept[#kept + 1] = h:retain_grad()
        return { out = h * h, list = { a, named.list[1] * 2, "text" } }, 5
      end
      local function outer(a, named)
        local r, five = call(inner, a * 3, named)
        r.out:register_hook(log)
        return { out = r.out, parts = r.list }, five, nil, { "no tensor" }
      end
      local r, five, nothing, other = call(outer, x, { w = b, factor = 3, list = { b } })
      assert.same({ 5, nil, "text", "no tensor" }, { five, nothing, r.parts[3], other[1] })
      local loss = (r.out * r.parts[2]):sum() + r.parts[1]:sum()
      loss:backward { retain_graph = true }
      loss:backward()
      log(x.grad)
      log(w.grad)
      log(kept[1].grad)
    end)
  end)

  it("what an earlier run left behind may be collected while it runs once more", function()
    agrees(function(call, log)
      local x = leaf { 1, 2 }
      local y = call(function(a)
        local h = a:tanh():exp()
        kiln.collect()
        return call(function(b) return (b * h):sin():exp() end, h) * h
      end, x)
      for _ = 1, 3 do
        y:sum():backward { retain_graph = true }
        log(x.grad)
      end
    end)
  end)

  it("a gradient is not lost in an object among the results, and no hook goes where none would", function()
    local x = leaf { 1, 2 }
    local y, object = autograd.checkpoint(function(a)
      return a:exp(), setmetatable({ hidden = a * 2 }, {})
    end, x)
    local _ = (y:sum() + object.hidden:sum()):backward()
    near({ math.exp(1) + 2, math.exp(2) + 2 }, x.grad)
    raises({ "register_hook", "does not require grad" }, autograd.checkpoint, function(a)
      a:detach():mul(2):register_hook(print)
    end, x)
    raises({ "retain_grad", "does not require grad" }, autograd.checkpoint, function(a)
      a:detach():mul(2):retain_grad()
    end, x)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
