-- Hooks of modules, before and after forward and backward: what they see, what they may change.
local kiln = require "kiln"
local nn = kiln.nn
local support = require "spec.support"
local raises = support.raises

describe("hooks", function()
  it("see and change inputs and outputs, until they are removed", function()
    local net = nn.Linear(2, 1)
    local x, log = kiln.ones(1, 2), {}
    local plain = net(x):item()
    local pre = net:register_forward_pre_hook(function(m, inputs)
      log[#log + 1] = m.__name .. #inputs
      return inputs[1] * 2
    end)
    local post = net:register_forward_hook(function(_, inputs, y)
      log[#log + 1] = tostring(inputs[1].shape)
      return y * 10
    end)
    local bias = net.bias:item()
    assert.near(((plain - bias) * 2 + bias) * 10, net(x):item(), 1e-4)
    assert.same({ "Linear1", "[1, 2]" }, log)
    pre.remove()
    post.remove()
    assert.equals(plain, net(x):item())
    raises({ "Linear", "forward hook", "function" }, net.register_forward_hook, net, 3)
    raises({ "Linear", "forward hook", "with_kwargs" }, net.register_forward_hook, net, print,
      { kwargs = true })
  end)

  it("see the options of a call apart, and run where forward raises", function()
    local seen = {}
    local Scaled = nn.Module:extend "Scaled"
    function Scaled.forward(_, x, options)
      if not options then error("kiln: Scaled: no options", 0) end
      return x * options.by
    end
    local net = Scaled()
    local before = net:register_forward_pre_hook(function(_, inputs, options)
      seen[#seen + 1] = inputs.n + 10 * (options.by or 0)
      if options.by then return { inputs[1] + 1 }, { by = options.by * 2 } end
    end, { with_kwargs = true })
    local after = net:register_forward_hook(function(_, inputs, options, y)
      seen[#seen + 1] = y and { inputs[1]:item(), options.by, y:item() } or "raised"
      return y and -y
    end, { with_kwargs = true, always_call = true })
    net:register_forward_hook(function() seen[#seen + 1] = "later" end)
    assert.equals(-24, net(kiln.tensor(3), { by = 3 }):item())
    raises("no options", net, kiln.tensor(3))
    assert.same({ 31, { 4, 6, 24 }, "later", 1, "raised" }, seen)
    before.remove()
    after.remove()
    assert.equals(9, net:clone()(kiln.tensor(3), { by = 3 }):item())
  end)

  it("before forward may replace the input by one value of any kind", function()
    local net = nn.Identity()
    net:register_forward_pre_hook(function() return 3 end)
    assert.equals(3, net(kiln.ones(1)))
  end)

  it("see and change gradients", function()
    local net = nn.Linear(2, 1)
    local seen
    local handle = net:register_backward_hook(function(m, grad_inputs, grad_outputs)
      seen = { m, grad_inputs[1]:clone(), grad_outputs[1]:clone() }
      return { grad_inputs[1] * 10 }
    end)
    local x = kiln.ones(1, 2):requires_grad_(true)
    net(x):backward(kiln.full({ 1, 1 }, 3))
    assert.equals(net, seen[1])
    support.near({ { 3 } }, seen[3])
    support.near((net.weight:detach() * 3):tolist(), seen[2])
    support.near((net.weight:detach() * 3 * 10):tolist(), x.grad)
    handle.remove()
    x.grad = nil
    net(x):backward(kiln.full({ 1, 1 }, 3))
    support.near((net.weight:detach() * 3):tolist(), x.grad)
  end)

  describe("on gradients", function()
    local Both = nn.Module:extend "Both"
    function Both.forward(_, x, y) return x * y, y + 1 end

    -- The gradients by x and y where a hook is in the way; x requires grad if it is a leaf.
    local function gradients(register, hook, x)
      local net, y = Both(), kiln.tensor({ 3 }):requires_grad_()
      net[register](net, hook)
      x = x or kiln.tensor({ 2 }):requires_grad_()
      local first, second = net(x, y);
      (first + second * 10):backward()
      return x.grad and x.grad:item(), y.grad:item()
    end

    it("stand where their arguments and results do", function()
      local function twice(_, g) return { nil, g[2] * 2 } end
      local x, y = gradients("register_full_backward_hook", twice, kiln.tensor { 2 })
      assert.is_nil(x)
      assert.equals(24, y)
      x, y = gradients("register_full_backward_pre_hook", function(_, g) return { g[1] * 2, g[2] * 3 } end)
      assert.equals(6, x)
      assert.equals(34, y)
    end)

    it("leave what a module writes in place, and what is written into its result, as they are", function()
      for name, forward in pairs {
        ["in place"] = function(_, x) return x:mul_(3) end,
        ["in place, and another"] = function(_, x) return x:relu_() * 2 end,
        ["its argument"] = function(_, x) return x end,
        ["a view"] = function(_, x) return x:view(3, 1) end,
        ["without recording"] = function(_, x)
          kiln.no_grad(x.mul_, x, 3)
          return x * 1
        end,
      } do
        local results = {}
        for _, hooked in ipairs { false, true } do
          local net, seen = nn.Module:extend("Writes", { forward = forward })(), nil
          if hooked then net:register_full_backward_hook(function(_, g) seen = g[1] end) end
          local x = kiln.tensor({ 1, -2, 3 }, { requires_grad = true })
          local h = x * 2
          local y = net(h)
          if name ~= "without recording" then y:mul_(5) end
          ((y * y):sum() + (h * 3):sum()):backward()
          results[#results + 1] = { h:tolist(), y:tolist(), x.grad:tolist() }
          assert.equal(hooked, seen ~= nil, name)
          if hooked and name == "in place" then assert.same({ 945, -1755, 2745 }, seen:tolist()) end
        end
        assert.same(results[1], results[2], name)
      end
      local relu = nn.ReLU(true)
      relu:register_full_backward_hook(function() end)
      raises({ "relu_", "a view of a leaf that requires grad" }, relu, kiln.ones(2, { requires_grad = true }))
    end)

    it("are not dropped: none may be missing or too many, and none may be something else", function()
      for _, register in ipairs { "register_full_backward_hook", "register_full_backward_pre_hook" } do
        for text, hook in pairs {
          ["number 2 is nil"] = function(_, g) return { g[1] } end,
          ["number 1 is nil"] = function(_, g) g[1] = nil end,
          ["number 2 is the number 1"] = function(_, g) return { g[1], 1 } end,
          ["a gradient 3, it got none"] = function(_, g) return { g[1], g[2], g[1] } end,
          ["a list of gradients or nothing, got the number 3"] = function() return 3 end,
        } do
          raises({ "Both", "a backward ", text }, gradients, register, hook)
        end
      end
      local net = nn.Linear(1, 1)
      net:register_full_backward_hook(function(_, _, g) return { g[1] } end)
      raises({ "Linear", "a gradient 1, it got none" }, function() net(kiln.ones(1, 1)):backward() end)
    end)
  end)
end)

describe("hooks on gradients of a module of which not all counts", function()
  local function leaf() return kiln.tensor({ 0, 1 }, { dtype = "float64", requires_grad = true }) end

  it("see none where none arrives", function()
    for _, register in ipairs { "register_full_backward_hook", "register_full_backward_pre_hook" } do
      local net = nn.Module:extend("Roots", { forward = function(_, x) return x * 2, x:sqrt() end })()
      local calls = 0
      net[register](net, function(_, ...)
        local outputs = select(-1, ...)
        calls = calls + 1
        assert.same({ 1, 1 }, outputs[1]:tolist())
        assert.is_nil(outputs[2])
      end)
      local x = leaf()
      net(x):sum():backward()
      assert.same({ { 2, 2 }, 1 }, { x.grad:tolist(), calls })
    end
  end)

  it("are not called by what passes the outputs by", function()
    local lstm = nn.LSTM(2, 3)
    lstm:register_full_backward_hook(function() error "called" end)
    local _, state = lstm(kiln.randn(4, 1, 2))
    state[1]:sum():backward()
    assert.is_not_nil(lstm:parameters()[1].grad)
  end)

  it("are those of the call, whatever came or went since", function()
    local net, first = nn.Module:extend("Twice", { forward = function(_, x) return x * 2 end })(), nil
    local function times(k)
      return function(_, g)
        first.remove()
        return { g[1] * k }
      end
    end
    first = net:register_full_backward_hook(times(2))
    net:register_full_backward_hook(times(3))
    local x = leaf()
    net(x):sum():backward()
    assert.same({ 12, 12 }, x.grad:tolist())
  end)
end)

describe("hooks that remove themselves", function()
  it("let the next one run", function()
    local layer, calls, first = nn.ReLU(), {}, nil
    first = layer:register_forward_hook(function()
      calls[#calls + 1] = "first"
      first.remove()
    end)
    layer:register_forward_hook(function() calls[#calls + 1] = "second" end)
    layer(kiln.ones(1))
    layer(kiln.ones(1))
    assert.same({ "first", "second", "second" }, calls)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
