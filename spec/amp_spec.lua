--- kiln.amp: which ops autocast runs in which dtype, gradients through the casts, casts of weights
-- that are kept, and what the scaler does with losses, gradients and its scale.
local kiln = require "kiln"
local precision = require "kiln.ops.precision"
local ops = require "kiln.ops"
local support = require "spec.support"

local amp, nn = kiln.amp, kiln.nn

local function message(fn, ...)
  local ok, why = pcall(fn, ...)
  assert.is_false(ok)
  return tostring(why):gsub("^[^:]+:%d+: ", "")
end

-- The device of the tensors here, and what autocast uses there when nothing else is said.
local device = kiln.get_default_device():match "^%a+"
local HALF = device == "cpu" and kiln.bfloat16 or kiln.float16

describe("autocast", function()
  it("is off outside, also after an error and inside a coroutine's pause", function()
    assert.is_false(amp.is_autocast_enabled(device))
    assert.is_false(pcall(amp.autocast, function() error "gone" end))
    assert.is_false(amp.is_autocast_enabled(device))
    local co = coroutine.create(function()
      amp.autocast(function()
        coroutine.yield(amp.is_autocast_enabled(device))
        assert.is_true(amp.is_autocast_enabled(device))
      end)
    end)
    local _, inside = coroutine.resume(co)
    assert.is_true(inside)
    assert.is_false(amp.is_autocast_enabled(device))
    assert.is_true((coroutine.resume(co)))
  end)

  it("runs products in half precision and returns results", function()
    local x, w = kiln.randn(3, 4), kiln.randn(5, 4)
    local y, n = amp.autocast(function(a) return kiln.linear(a, w), 7 end, x)
    assert.equal(HALF, y.dtype)
    assert.equal(7, n)
    assert.equal(kiln.float32, kiln.linear(x, w).dtype)
    local attend, q = nn.functional.scaled_dot_product_attention, kiln.randn(2, 3, 4)
    for _, options in ipairs { {}, { is_causal = true }, { attn_mask = kiln.zeros(3, 3) } } do
      local z = amp.autocast(attend, q, q, q, options)
      assert.equal(HALF, z.dtype)
      assert.is_true(kiln.allclose(z:float(), attend(q, q, q, options), 0.03, 0.03))
    end
  end)

  it("runs what does not bear it in float32", function()
    amp.autocast(function()
      local y = kiln.randn(3, 4):mm(kiln.randn(4, 5))
      assert.equal(kiln.float32, y:exp().dtype)
      assert.equal(kiln.float32, y:softmax(2).dtype)
      assert.equal(kiln.float32, y:sum().dtype)
      assert.equal(kiln.float32, nn.functional.cross_entropy(y, kiln.tensor({ 1, 2, 3 }):long()).dtype)
      assert.equal(kiln.float32, nn.functional.mse_loss(y, y).dtype)
      assert.equal(HALF, y:relu().dtype)
      assert.equal(kiln.float32, (y + kiln.randn(3, 5)).dtype)
    end)
  end)

  it("leaves float64, integers and writes in place alone", function()
    amp.autocast(function()
      local x = kiln.randn(3, 3):double()
      assert.equal(kiln.float64, x:mm(x).dtype)
      assert.equal(kiln.float64, x:exp().dtype)
      local i = kiln.ones(3, 3):long()
      assert.equal(kiln.int64, i:mm(i).dtype)
      local y = kiln.zeros(3, 3)
      y:addmm_(kiln.ones(3, 3), kiln.ones(3, 3))
      assert.equal(kiln.float32, y.dtype)
    end)
  end)

  it("takes a device, a dtype and a switch; regions nest", function()
    local x = kiln.randn(3, 3)
    local function dtype() return x:mm(x).dtype end
    assert.equal(kiln.float16, amp.autocast({ device = device, dtype = kiln.float16 }, dtype))
    assert.equal(kiln.float32, amp.autocast({ device = device == "cpu" and "cuda" or "cpu" }, dtype))
    assert.equal(HALF, amp.autocast(device, dtype))
    amp.autocast(function()
      assert.equal(kiln.float32, amp.autocast({ enabled = false }, dtype))
      assert.equal(HALF, dtype())
      assert.equal(HALF, amp.get_autocast_dtype(device))
    end)
  end)

  it("gives gradients in the dtype of the weights, close to those of float32", function()
    kiln.manual_seed(1)
    local x, t = kiln.randn(8, 6), kiln.randint(1, 4, { 8 })
    local net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    local function gradients(run)
      for _, p in ipairs(net:parameters()) do p.grad = nil end
      run(function() return nn.functional.cross_entropy(net(x), t) end):backward()
      local list = {}
      for i, p in ipairs(net:parameters()) do
        assert.equal(kiln.float32, p.grad.dtype)
        list[i] = p.grad:clone()
      end
      return list
    end
    local exact = gradients(function(fn) return fn() end)
    local mixed = gradients(amp.autocast)
    for i = 1, #exact do
      local off = (exact[i] - mixed[i]):abs():max():item()
      assert.is_true(off < 0.02, "gradient " .. i .. " is off by " .. off)
      assert.is_true(off > 0, "gradient " .. i .. " did not go through half precision")
    end
  end)

  it("keeps the cast of a weight until the region ends or the weight changes", function()
    local w = kiln.ones({ 2, 2 }, { requires_grad = true })
    local x = kiln.ones(2, 2)
    amp.autocast(function()
      local a = x:mm(w):float()
      local b = x:mm(w):float()
      kiln.no_grad(function() w:mul_(2) end)
      local c = x:mm(w):float()
      assert.same({ { 2, 2 }, { 2, 2 } }, a:tolist())
      assert.same({ { 2, 2 }, { 2, 2 } }, b:tolist())
      assert.same({ { 4, 4 }, { 4, 4 } }, c:tolist())
      local d = kiln.no_grad(function() return x:mm(w) end)
      assert.is_false(d.requires_grad)
      assert.is_true(x:mm(w).requires_grad)
    end)
  end)

  it("can go backward twice through one kept cast", function()
    local w = kiln.ones({ 2, 2 }, { requires_grad = true })
    local x = kiln.ones(2, 2)
    amp.autocast(function()
      x:mm(w):sum():backward()
      x:mm(w):sum():backward()
    end)
    assert.same({ { 4, 4 }, { 4, 4 } }, w.grad:tolist())
  end)

  it("is off in backward, wherever that is called", function()
    local x = kiln.randn({ 4, 4 }, { requires_grad = true })
    local y = x:mm(x)
    amp.autocast(function() y:sum():backward() end)
    local exact = kiln.autograd.grad(x:mm(x):sum(), x)
    assert.equal(0, (x.grad - exact):abs():max():item())
  end)

  it("refuses other dtypes and devices by name", function()
    assert.equal("kiln: autocast: dtype must be float16 or bfloat16, not float32",
      message(amp.autocast, { dtype = kiln.float32 }, function() end))
    assert.equal("kiln: autocast: device must be 'cpu' or 'cuda', got the string 'tpu'",
      message(amp.autocast, "tpu", function() end))
    local why = message(amp.autocast, { dtypes = 1 }, function() end)
    assert.is_truthy(why:find("unknown option 'dtypes'", 1, true))
    assert.is_false(amp.is_autocast_enabled(device))
  end)

  it("names only rows of the op table, each once", function()
    local seen = {}
    for _, names in pairs(precision) do
      for name in names:gmatch "%S+" do
        assert.is_nil(seen[name])
        seen[name] = true
        assert.is_truthy(ops.by_name[name])
      end
    end
  end)
end)

describe("GradScaler", function()
  local function problem()
    local w = kiln.ones({ 3 }, { requires_grad = true })
    return w, kiln.optim.SGD({ w }, { lr = 1 })
  end

  it("scales losses and takes the scale off before the step", function()
    local w, optimizer = problem()
    local scaler = amp.GradScaler { init_scale = 8 }
    local loss = (w * kiln.tensor { 1, 2, 3 }):sum()
    assert.equal(48, scaler:scale(loss):item())
    scaler:scale(loss):backward()
    assert.same({ 8, 16, 24 }, w.grad:tolist())
    scaler:step(optimizer)
    scaler:update()
    assert.same({ 1, 2, 3 }, w.grad:tolist())
    assert.same({ 0, -1, -2 }, w:tolist())
    assert.equal(8, scaler:get_scale())
  end)

  it("leaves out a step with infinite gradients and shrinks; grows after good ones", function()
    local w, optimizer = problem()
    local scaler = amp.GradScaler { init_scale = 4, growth_interval = 2 }
    local function step(factor)
      optimizer:zero_grad()
      scaler:scale((w * factor):sum()):backward()
      scaler:step(optimizer)
      scaler:update()
      return scaler:get_scale()
    end
    assert.equal(2, step(math.huge))
    assert.same({ 1, 1, 1 }, w:tolist())
    assert.equal(1, step(0 / 0))
    assert.equal(1, step(1))
    assert.equal(2, step(1))
    assert.same({ -1, -1, -1 }, w:tolist())
  end)

  it("takes gradients in float64 for infinite only where they are", function()
    local w = kiln.ones({ 2 }, { dtype = kiln.float64, requires_grad = true })
    local optimizer, scaler = kiln.optim.SGD({ w }, { lr = 2 ^ -1000 }), amp.GradScaler { init_scale = 4 }
    scaler:scale((w * 2 ^ 1000):sum()):backward()
    scaler:step(optimizer)
    scaler:update()
    assert.same({ 0, 0 }, w:tolist())
    assert.equal(4, scaler:get_scale())
  end)

  it("unscales once, for whoever looks at gradients first", function()
    local w, optimizer = problem()
    local scaler = amp.GradScaler { init_scale = 4 }
    scaler:scale(w:sum()):backward()
    scaler:unscale_(optimizer)
    assert.same({ 1, 1, 1 }, w.grad:tolist())
    assert.is_truthy(message(scaler.unscale_, scaler, optimizer):find "unscaled already")
    scaler:step(optimizer)
    assert.same({ 0, 0, 0 }, w:tolist())
    assert.is_truthy(message(scaler.step, scaler, optimizer):find "has stepped since")
    scaler:update(16)
    assert.equal(16, scaler:get_scale())
    assert.is_truthy(message(scaler.update, scaler):find "step%(%) comes first")
  end)

  it("passes everything through when it is not enabled", function()
    local w, optimizer = problem()
    local scaler = amp.GradScaler { enabled = false }
    scaler:scale(w:sum()):backward()
    scaler:unscale_(optimizer)
    scaler:step(optimizer)
    scaler:update()
    assert.same({ 0, 0, 0 }, w:tolist())
    assert.equal(1, scaler:get_scale())
    assert.same({}, scaler:state_dict())
  end)

  it("keeps its state", function()
    local a, b = amp.GradScaler { init_scale = 32, growth_interval = 5 }, amp.GradScaler()
    b:load_state_dict(a:state_dict())
    assert.same(a:state_dict(), b:state_dict())
    assert.is_truthy(message(b.load_state_dict, b, {}):find "state.factor must be a number")
  end)

  it("trains with autocast as without, to the precision of the halves", function()
    local function train(mixed)
      kiln.manual_seed(3)
      local net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
      local optimizer = kiln.optim.Adam(net:parameters(), { lr = 0.02 })
      local scaler = amp.GradScaler { enabled = mixed }
      local x = kiln.randn(64, 4)
      local y = x:sum(2, true):sin()
      local loss
      for _ = 1, 60 do
        optimizer:zero_grad()
        local function forward() return nn.functional.mse_loss(net(x), y) end
        loss = mixed and amp.autocast(forward) or forward()
        scaler:scale(loss):backward()
        scaler:step(optimizer)
        if mixed then scaler:update() end
      end
      return loss:item()
    end
    local exact, mixed = train(false), train(true)
    assert.is_true(math.abs(exact - mixed) < 0.05, ("%g and %g"):format(exact, mixed))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
