--- Autograd as Lua sees it: backward, grad, Function, hooks, gradcheck, anomaly mode, graphs.
local kiln = require "kiln"
local keys = require "kiln.autograd.keys"
local support = require "spec.support"
local autograd = kiln.autograd
local Function = autograd.Function
local near, raises = support.near, support.raises

local leaf = support.leaf

local Exp = Function:extend "Exp"
function Exp.forward(ctx, x)
  local y = x:exp()
  ctx:save_for_backward(y)
  return y
end
function Exp.backward(ctx, g) return g * ctx.saved_tensors[1] end

describe("backward", function()
  it("adds to the gradients of leaves", function()
    local x = leaf { 1, 2, 3 };
    (x * x):sum():backward()
    near({ 2, 4, 6 }, x.grad);
    (x * 2):sum():backward()
    near({ 4, 6, 8 }, x.grad)
  end)

  it("takes a gradient, by position and by name", function()
    local x = leaf { 1, 2 }
    local y = x * 3
    y:backward(kiln.tensor({ 1, 10 }, { dtype = "float64" }), true)
    near({ 3, 30 }, x.grad)
    y:backward { gradient = kiln.ones(2, { dtype = "float64" }), retain_graph = true }
    near({ 6, 33 }, x.grad);
    (x * 3):sum():backward { retain_graph = nil }
    near({ 9, 36 }, x.grad)
    raises({ "backward", "[2]", "one element" }, y.backward, y)
    raises({ "backward", "[3]", "[2]" }, y.backward, y, kiln.ones(3))
    raises({ "backward", "gradient must be a tensor" }, y.backward, y, "a")
    raises({ "backward", "unknown option 'retain'" }, y.backward, y, { retain = true })
  end)

  it("frees the graph unless asked to retain it", function()
    local x = leaf { 1, 2 }
    local y = (x * x):sum()
    y:backward()
    raises({ "backward", "retain_graph" }, y.backward, y)
    raises({ "backward", "does not require grad" }, function() kiln.ones(1):backward() end)
  end)

  it("can be limited to some inputs", function()
    local x, y = leaf { 1 }, leaf { 2 };
    (x * y):sum():backward { inputs = { x } }
    near({ 2 }, x.grad)
    assert.is_nil(y.grad)
  end)

  it("takes several roots", function()
    local x = leaf { 1, 2 }
    autograd.backward({ x:sum(), (x * x) }, { false, kiln.ones(2, { dtype = "float64" }) })
    near({ 3, 5 }, x.grad)
    raises({ "autograd.backward", "tensors" }, autograd.backward, 3)
  end)

  it("creates graphs for second derivatives", function()
    local x = leaf { 2 }
    local g = autograd.grad((x ^ 3):sum(), x, { create_graph = true })
    near({ 12 }, g)
    g:sum():backward()
    near({ 12 }, x.grad)
  end)
end)

describe("autograd.grad", function()
  it("returns one gradient an input and leaves .grad alone", function()
    local x, y = leaf { 3 }, leaf { 4 }
    local gx, gy = autograd.grad((x * y):sum(), { x, y })
    near({ 4 }, gx)
    near({ 3 }, gy)
    assert.is_nil(x.grad)
  end)

  it("raises for unused inputs, or returns nil", function()
    local x, y = leaf { 3 }, leaf { 4 }
    raises({ "autograd.grad", "input 2", "allow_unused" }, autograd.grad, (x * 2):sum(), { x, y })
    local gx, gy = autograd.grad((x * 2):sum(), { x, y }, { allow_unused = true })
    near({ 2 }, gx)
    assert.is_nil(gy)
  end)

  it("differentiates by tensors that are no leaves", function()
    local x = leaf { 2 }
    local h = x * x
    local g = autograd.grad((h * 3):sum(), h)
    near({ 3 }, g)
  end)
end)

describe("hooks", function()
  it("see and replace gradients, and go away", function()
    local x = leaf { 1, 2 }
    local seen = {}
    local handle = x:register_hook(function(g)
      seen[#seen + 1] = g:tolist()
      return g * 10
    end)
    x:sum():backward()
    near({ 10, 10 }, x.grad)
    assert.same({ { 1, 1 } }, seen)
    handle:remove()
    handle:remove()
    x:sum():backward()
    near({ 11, 11 }, x.grad)
  end)

  it("go away wherever their tensor's history went meanwhile", function()
    local function hundredfold(g) return g * 100 end
    for _, change in ipairs {
      function(y) y:mul_(1) end, function(y) y:free() end, function(y) y:detach_() end,
    } do
      local x = leaf { 1 }
      local y = x * 2
      local z = y * 1
      local handle = y:register_hook(hundredfold)
      change(y)
      handle:remove()
      z:backward()
      near({ 2 }, x.grad)
    end
    local x = leaf { 1, 2 }
    local h = x * 2
    local view = h:narrow(1, 1, 1)
    local z = view * 1
    local handle = view:register_hook(hundredfold)
    h:mul_(3)
    handle:remove()
    z:backward()
    near({ 2, 0 }, x.grad)
  end)

  it("work in the middle of a graph, in order", function()
    local x = leaf { 1 }
    local y = x * 2
    y:register_hook(function(g) return g + 1 end)
    y:register_hook(function(g) return g * 3 end)
    y:sum():backward()
    near({ 12 }, x.grad)
  end)

  it("pass their errors on and leave the engine usable", function()
    local x = leaf { 1 }
    x:register_hook(function() error("mine", 0) end)
    local ok, message = pcall(function() x:sum():backward() end)
    assert.is_false(ok)
    assert.equals("mine", message)
    local y = leaf { 1 }
    y:register_hook(function() return 3 end)
    raises({ "hook", "a gradient or nothing", "3" }, function() y:sum():backward() end)
    local z = leaf { 1 }
    z:sum():backward()
    near({ 1 }, z.grad)
  end)

  it("need a tensor that requires grad, and a function", function()
    local x = kiln.ones(1)
    raises({ "register_hook", "require grad" }, x.register_hook, x, print)
    raises({ "register_hook", "function" }, x.register_hook, x, 3)
  end)

  it("are forgotten with their tensors", function()
    support.live()
    local before = keys.count()
    leaf({ 1 }):register_hook(function() end)
    support.live()
    assert.equals(before, keys.count())
  end)
end)

describe("tensors in a graph", function()
  it("know their place", function()
    local x = leaf { 2 }
    local y = x * 3
    local z = y:exp()
    assert.equals("exp", z.grad_fn:name())
    assert.equals("<mul>", tostring(z.grad_fn:next_functions()[1]))
    local accumulate = z.grad_fn:next_functions()[1]:next_functions()[1]
    assert.equals("accumulate", accumulate:name())
    assert.is_true(accumulate:variable():is_same(x))
    assert.is_true(z.grad_fn:sequence() > y.grad_fn:sequence())
    assert.is_false(y.is_leaf)
    assert.is_nil(x.grad_fn)
  end)

  it("keep gradients on request", function()
    local x = leaf { 2 }
    local y = x * 3
    y:retain_grad();
    (y * y):sum():backward()
    near({ 12 }, y.grad)
    near({ 36 }, x.grad)
  end)

  it("can be detached", function()
    local x = leaf { 2 }
    local y = (x * 3):detach()
    assert.is_false(y.requires_grad)
    local z = x * 3
    z:detach_()
    assert.is_true(z.is_leaf)
    assert.is_true(kiln.ones(1):requires_grad_().requires_grad)
    raises({ "requires_grad", "int64" }, function()
      kiln.ones(1, { dtype = "int64" }):requires_grad_()
    end)
    raises({ "requires_grad", "leaf" }, function()
      local w = x * 2
      w.requires_grad = false
    end)
  end)

  it("are volatile when an input is", function()
    local v = kiln.Variable(kiln.ones(1), { volatile = true })
    local x = kiln.ones(1, { requires_grad = true })
    local y = v * x
    assert.is_true(y.volatile)
    assert.is_false(y.requires_grad)
    raises({ "backward", "volatile" }, y.backward, y)
  end)
end)

describe("Function", function()
  it("has a name of one line", function()
    raises({ "Function", "'a\\10b'", "control character" }, function() Function:extend "a\nb" end)
    raises({ "Function", "name as a string" }, function() Function:extend(1) end)
  end)

  it("runs forward and backward in Lua", function()
    local x = leaf { 0, 1 }
    local y = Exp.apply(x)
    assert.equals("Exp", y.grad_fn:name())
    y:sum():backward()
    near({ 1, math.exp(1) }, x.grad)
    near({ 1, math.exp(1) }, Exp(x))
    near({ 1, math.exp(1) }, Exp:apply(x))
    assert.is_true(autograd.gradcheck(Exp.apply, { leaf { 0.5, -1 } }))
    assert.is_true(autograd.gradgradcheck(Exp.apply, { leaf { 0.5, -1 } }))
  end)

  it("takes several arguments of any type and gives several outputs", function()
    local Scale = Function:extend "Scale"
    function Scale.forward(ctx, x, factor, y)
      assert.same({ true, false, true }, ctx.needs_input_grad)
      ctx.factor = factor
      ctx:save_for_backward(x, nil, y)
      return x * factor, x * y, "plain"
    end
    function Scale.backward(ctx, g1, g2)
      local x, none, y = unpack(ctx.saved_tensors, 1, 3)
      assert.is_nil(none)
      return g1 * ctx.factor + g2 * y, nil, g2 * x
    end
    local x, y = leaf { 2 }, leaf { 5 }
    local a, b, c = Scale.apply(x, 3, y)
    assert.equals("plain", c);
    (a + b):sum():backward()
    near({ 8 }, x.grad)
    near({ 2 }, y.grad)
    x.grad = nil
    a = Scale.apply(x, 3, y)
    a:sum():backward()
    near({ 3 }, x.grad)
  end)

  it("gives zeros or nil for outputs without a gradient", function()
    local got
    local Two = Function:extend "Two"
    function Two.forward(ctx, x, materialize)
      ctx:set_materialize_grads(materialize)
      return x * 1, x * 2
    end
    function Two.backward(_, g1, g2)
      got = g2
      return g1
    end
    local x = leaf { 1, 2 }
    local a = Two.apply(x, true)
    a:sum():backward()
    near({ 0, 0 }, got)
    a = Two.apply(x, false)
    a:sum():backward()
    assert.is_nil(got)
  end)

  it("marks outputs that are not differentiable", function()
    local Sign = Function:extend "Sign"
    function Sign.forward(ctx, x)
      local positive = x:gt(0)
      local half = x * 0.5
      ctx:mark_non_differentiable(positive, half)
      return x * 2, positive, half
    end
    function Sign.backward(_, g) return g * 2 end
    local x = leaf { 1, -1 }
    local y, positive, half = Sign.apply(x)
    assert.is_false(positive.requires_grad)
    assert.is_false(half.requires_grad)
    y:sum():backward()
    near({ 2, 2 }, x.grad)
  end)

  it("writes in place", function()
    local Double = Function:extend "Double"
    function Double.forward(ctx, x)
      x:mul_(2)
      ctx:mark_dirty(x)
      return x
    end
    function Double.backward(_, g) return g * 2 end
    local x = leaf { 1, 2 }
    local y = x * 3
    local z = Double.apply(y)
    assert.is_true(z:is_same(y))
    z:sum():backward()
    near({ 6, 6 }, x.grad)
    near({ 6, 12 }, z)
    raises({ "mul_", "argument", "leaf" }, Double.apply, leaf { 1 })
  end)

  it("does not alias an argument that it returns", function()
    local Same = Function:extend "Same"
    function Same.forward(_, x) return x end
    function Same.backward(_, g) return g * -1 end
    local x = leaf { 1 }
    local y = Same.apply(x)
    assert.is_false(y:is_same(x))
    y:sum():backward()
    near({ -1 }, x.grad)
  end)

  it("checks versions of what it saved", function()
    local x = leaf { 1, 2 }
    local y = Exp.apply(x)
    y:mul_(2)
    raises({ "backward", "Exp", "overwritten", "mul" }, function() y:sum():backward() end)
    local z = Exp.apply(leaf { 1 })
    z:backward()
    raises({ "Exp", "retain_graph" }, z.backward, z)
  end)

  it("passes errors of a backward on with their own message", function()
    local Bad = Function:extend "Bad"
    function Bad.forward(_, x) return x * 1 end
    function Bad.backward() error "my own message" end
    local x = leaf { 1 }
    local ok, message = pcall(function() Bad.apply(x):sum():backward() end)
    assert.is_false(ok)
    assert.truthy(message:find("autograd_lua_spec.lua:%d+: my own message"))
    x:sum():backward()
    near({ 1 }, x.grad)
    function Bad.backward() return 3 end
    raises({ "Bad", "gradient 1", "3" }, function() Bad.apply(x):sum():backward() end)
    function Bad.backward(_, g) return g, g end
    raises({ "Bad", "2 gradients", "1 arguments" }, function() Bad.apply(x):sum():backward() end)
    function Bad.backward() return kiln.ones(3) end
    raises({ "Bad", "[3]", "[2]" }, function() Bad.apply(leaf { 1, 2 }):sum():backward() end)
    raises({ "None", "no forward" }, function() Function:extend("None").apply(x) end)
  end)

  it("can forbid a second derivative", function()
    local Once = Function:extend "Once"
    function Once.forward(ctx, x)
      ctx:save_for_backward(x)
      return x * x
    end
    Once.backward = autograd.once_differentiable(function(ctx, g)
      return g * 2 * ctx.saved_tensors[1]
    end)
    local x = leaf { 3 }
    Once.apply(x):sum():backward()
    near({ 6 }, x.grad)
    local g = autograd.grad(Once.apply(x):sum(), x, { create_graph = true })
    near({ 6 }, g)
    raises({ "once_differentiable" }, function() g:sum():backward { retain_graph = true } end)
    -- also by passes that only look at some inputs: the way from x to g may not be found missing
    local create = { create_graph = true }
    raises({ "Once", "once_differentiable" }, function() autograd.grad(g:sum(), x, nil, create) end)
    g = autograd.grad((Once.apply(x) * x):sum(), x, create)
    raises({ "Once", "once_differentiable" }, function() autograd.grad(g:sum(), x, nil, create) end)
    raises({ "Once", "once_differentiable" }, function() g:sum():backward { inputs = x } end)
    local function f(a) return (Once.apply(a) * a):sum() end
    raises({ "Once", "once_differentiable" }, autograd.functional.hessian, f, x)
    raises({ "Once", "once_differentiable" }, autograd.functional.hvp, f, x, leaf { 1 }:detach())
    local w = leaf { 2 }
    g = autograd.grad(Once.apply(x), x, w, create) -- by the gradient that came in
    raises({ "Once", "once_differentiable" }, autograd.grad, g, w)
    assert.is_nil((autograd.grad(g, leaf { 1 }, nil, { allow_unused = true })))
  end)

  it("is not differentiated through what a backward or a hook computes without recording", function()
    local Quiet = Function:extend "Quiet"
    function Quiet.forward(ctx, x)
      ctx:save_for_backward(x)
      return x ^ 3
    end
    function Quiet.backward(ctx, g)
      return kiln.no_grad(function() return g * 3 * ctx.saved_tensors[1] ^ 2 end)
    end
    local x, create = leaf { 2 }, { create_graph = true }
    local why = "the backward of Quiet computed its result without recording"
    near({ 12 }, (autograd.grad(Quiet.apply(x), x)))
    near({ 12 }, (autograd.grad(Quiet.apply(x), x, create)))
    raises(why, autograd.functional.hessian, function(a) return Quiet.apply(a):sum() end, x)
    raises(why, autograd.functional.jvp, Quiet.apply, x, x:detach())
    raises(why, autograd.gradgradcheck, Quiet.apply, { x })
    local function hooked(a)
      local h = a * a
      h:register_hook(function(g) return kiln.no_grad(function() return g * a end) end)
      return h:sum()
    end
    near({ 8 }, (autograd.grad(hooked(x), x, create)))
    raises("a hook computed its result without recording", autograd.functional.hessian, hooked, x)
    function Quiet.backward(_, g) return kiln.no_grad(function() return g:detach() * 3 end) end
    near({ { 0 } }, autograd.functional.hessian(function(a) return Quiet.apply(a):sum() end, x)) -- a constant
  end)

  it("records nothing when nothing asks for it", function()
    local before = keys.count()
    assert.is_false(Exp.apply(kiln.ones(1)).requires_grad)
    kiln.no_grad(function() assert.is_false(Exp.apply(leaf { 1 }).requires_grad) end)
    local v = kiln.Variable(kiln.ones(1), { volatile = true })
    assert.is_true(Exp.apply(v).volatile)
    assert.equals(before, keys.count())
  end)

  it("is forgotten with its graph", function()
    support.live()
    local before = keys.count()
    for _ = 1, 10 do local _ = Exp.apply(leaf { 1 }) end
    support.live()
    assert.equals(before, keys.count())
  end)
end)

describe("gradcheck", function()
  it("agrees with right gradients", function()
    local x, y = leaf { { 0.5, 1 }, { 1.5, 2 } }, leaf { 2, 3 }
    assert.is_true(autograd.gradcheck(function(a, b) return a * b, (a + b):sin() end, { x, y }))
    assert.is_true(autograd.gradgradcheck(function(a, b) return a * b * a end, { x, y }))
    assert.is_true(autograd.gradcheck(function(a, n) return a * n end, { x:detach():transpose(1, 2)
      :requires_grad_(), 3 }))
  end)

  it("reports wrong ones: which input, which element, both numbers", function()
    local Wrong = Function:extend "Wrong"
    function Wrong.forward(_, x) return x * 2 end
    function Wrong.backward(_, g) return g * 3 end
    local ok, report = autograd.gradcheck(Wrong.apply, { leaf { 1, 2 } }, { raise_exception = false })
    assert.is_false(ok)
    assert.truthy(report:find("output 1 [1] by input 1 [1]: numeric 2", 1, true), report)
    assert.truthy(report:find("analytic 3", 1, true), report)
    assert.truthy(report:find("2 of 4 derivatives differ", 1, true), report)
    assert.has_error(function() autograd.gradcheck(Wrong.apply, { leaf { 1 } }) end)
    function Wrong.backward(_, g) return g * 2 + 1 end
    ok, report = autograd.gradcheck(Wrong.apply, { leaf { 1 } }, { raise_exception = false })
    assert.is_false(ok)
    assert.truthy(report:find("gradient of 0", 1, true), report)
  end)

  it("wants float64 inputs that require grad", function()
    local x = kiln.ones(1, { requires_grad = true })
    raises({ "gradcheck", "float64" }, autograd.gradcheck, kiln.exp, { x })
    raises({ "gradcheck", "no input requires grad" }, autograd.gradcheck, kiln.exp, { kiln.ones(1) })
  end)
end)

describe("anomaly mode", function()
  it("tells where both ops were called", function()
    local function forward_here(x)
      local y = x:exp()
      return y
    end
    local function overwrite_here(y) y:add_(1) end
    local message
    autograd.detect_anomaly(function()
      local x = leaf { 1 }
      local y = forward_here(x)
      overwrite_here(y)
      local ok
      ok, message = pcall(y.backward, y)
      assert.is_false(ok)
    end)
    assert.truthy(message:find "exp")
    assert.truthy(message:find "forward_here")
    assert.truthy(message:find "overwrite_here")
    assert.is_nil(message:find "bind.lua")
    assert.is_false(autograd.is_anomaly_enabled())
  end)
end)

describe("functional", function()
  local functional = autograd.functional
  local function cube(x) return (x * x * x):sum() end

  it("gives Jacobians and Hessians", function()
    local x = kiln.tensor({ 1, 2 }, { dtype = "float64" })
    near({ { 2, 0 }, { 0, 4 } }, functional.jacobian(function(a) return a * a end, x))
    near({ { 6, 0 }, { 0, 12 } }, functional.hessian(cube, x))
    local list = functional.jacobian(function(a, b) return a * b end, { x, x * 3 })
    near({ { 3, 0 }, { 0, 6 } }, list[1])
    near({ { 1, 0 }, { 0, 2 } }, list[2])
    raises({ "hessian", "one element", "[2]" }, functional.hessian, function(a) return a end, x)
  end)

  it("gives products with vectors", function()
    local x = kiln.tensor({ 1, 2 }, { dtype = "float64" })
    local v = kiln.tensor({ 10, 1 }, { dtype = "float64" })
    local function f(a) return 2 * a * a end
    local y, vj = functional.vjp(f, x, v)
    near({ 2, 8 }, y)
    near({ 40, 8 }, vj)
    local _, jv = functional.jvp(f, x, v)
    near({ 40, 8 }, jv)
    local _, hv = functional.hvp(cube, x, v)
    near({ 60, 12 }, hv)
    raises({ "vjp", "v[1]", "[1]", "[2]" }, functional.vjp, f, x, kiln.ones(1))
  end)
end)

describe("checkpoint", function()
  it("recomputes with the random numbers of the first time", function()
    local x = leaf { 1, 2, 3 }
    local w = leaf { 4, 5, 6 }
    local noise
    local function f(a)
      noise = kiln.rand(3, { dtype = "float64" })
      return a * w * noise
    end
    local y = autograd.checkpoint(f, x)
    local first = noise:tolist()
    y:sum():backward()
    near(first, noise)
    near({ 4 * first[1], 5 * first[2], 6 * first[3] }, x.grad)
    near({ 1 * first[1], 2 * first[2], 3 * first[3] }, w.grad)
    x.grad = nil
    autograd.checkpoint(f, kiln.ones(3, { dtype = "float64" })):sum():backward()
    noise = nil
  end)
end)

describe("profiler", function()
  it("counts ops and time", function()
    local x = leaf { 1, 2, 3 }
    local p, y = autograd.profiler.profile(function()
      local z = (x * x):sum()
      z:backward()
      return z:item()
    end)
    assert.equals(14, y)
    local names = {}
    for _, row in ipairs(p:key_averages "calls") do
      names[row.name] = row
      assert.is_true(row.self <= row.total)
    end
    assert.is_true(names.mul.calls >= 1 and names.sum.calls >= 1)
    assert.is_true(names["mul.backward"].calls == 1)
    local text = p:table { sort_by = "total", rows = 2 }
    assert.truthy(text:find "total" and text:find "calls")
    local path = os.tmpname()
    p:export_chrome_trace(path)
    local trace = require "spec.support.read"(path)
    os.remove(path)
    assert.truthy(trace:find('"name":"mul"', 1, true))
    assert.is_true(p:total_average().calls == #p.events)
    raises({ "key_averages", "sort_by" }, p.key_averages, p, "speed")
  end)
end)

describe("pictures of a graph", function()
  it("are text or dot", function()
    local x = leaf { 1 }
    local y = (x * 2):exp()
    local text = autograd.graph.text(y)
    assert.truthy(text:find("#1 exp <- #2", 1, true), text)
    assert.truthy(text:find("accumulate [1]", 1, true), text)
    local dot = autograd.graph.dot(y)
    assert.truthy(dot:find("n2 -> n1;", 1, true), dot)
    raises({ "graph.text", "leaf" }, autograd.graph.text, x)
  end)
end)

describe("a long chain", function()
  it("is built, differentiated and freed", function()
    local x = leaf { 1 }
    local y = x
    for _ = 1, 20000 do y = y + 1 end
    y:backward()
    near({ 1 }, x.grad)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
