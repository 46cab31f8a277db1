-- Averaged models, hooks of optimizers, and the algorithms that are written out in ops.  What they compute is
-- compared with the reference in nn_golden_spec.lua where that has float64.
local kiln = require "kiln"
local nn, optim, data = kiln.nn, kiln.optim, kiln.utils.data
local W = optim.swa_utils
local support = require "spec.support"
local raises = support.raises

local function linear(value)
  local layer = nn.Linear(2, 1)
  kiln.no_grad(function() for _, p in ipairs(layer:parameters()) do p:fill_(value) end end)
  return layer
end

describe("an averaged model", function()
  local function averages(options)
    local list, net = {}, linear(0)
    local averaged = W.AveragedModel(net, options)
    for _, value in ipairs { 2, 4, 9 } do
      kiln.no_grad(function() net.weight:fill_(value) end)
      averaged:update_parameters(net)
      list[#list + 1] = averaged.module.weight[1][1]:item()
    end
    assert.equals(3, averaged.n_averaged:item())
    return list
  end

  it("is the mean of all models, or one that forgets", function()
    assert.same({ 2, 3, 5 }, averages())
    assert.same({ 2, 3, 5 }, averages { avg_fn = W.get_swa_avg_fn() })
    assert.same({ 2, 3, 6 }, averages { multi_avg_fn = W.get_ema_multi_avg_fn(0.5) })
    assert.same({ 2, 3, 6 }, averages { avg_fn = W.get_ema_avg_fn(0.5) })
    assert.same({ 2, 4, 9 }, averages { multi_avg_fn = W.get_ema_multi_avg_fn(0) })
  end)

  it("has the reference's keys, and is used and loaded as the model", function()
    local net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    local averaged = W.AveragedModel(net)
    averaged:update_parameters(net)
    local state = averaged:state_dict()
    assert.truthy(state["module.0.weight"])
    assert.truthy(state["module.1.running_mean"])
    assert.equals(kiln.int64, state.n_averaged.dtype)
    local twin = W.AveragedModel(net)
    twin:load_state_dict(state)
    assert.equals(1, twin.n_averaged:item())
    net:eval()
    averaged:eval()
    local x = kiln.randn(3, 2)
    assert.is_true(averaged(x):equal(net(x)))
    assert.is_false(averaged.module[1].weight == net[1].weight)
  end)

  it("copies buffers, or averages them", function()
    local net = nn.BatchNorm1d(1)
    local copied, averaged = W.AveragedModel(net), W.AveragedModel(net, { use_buffers = true })
    for _, value in ipairs { 2, 6 } do
      net.running_mean:fill_(value)
      net.num_batches_tracked:add_(1)
      copied:update_parameters(net)
      averaged:update_parameters(net)
    end
    assert.equals(6, copied.module.running_mean:item())
    assert.equals(4, averaged.module.running_mean:item())
    assert.equals(2, copied.module.num_batches_tracked:item())
  end)

  it("gets its batch norms from the data", function()
    local net = nn.Sequential(nn.BatchNorm1d(2, { momentum = 0.3 }), nn.Dropout(0.5))
    net:eval()
    local x = kiln.randn(12, 2)
    local loader = data.DataLoader(data.TensorDataset(x, kiln.ones(12)), { batch_size = 4 })
    W.update_bn(loader, net)
    support.near(x:mean(1):tolist(), net[1].running_mean, 1e-6)
    assert.equals(3, net[1].num_batches_tracked:item())
    assert.equals(0.3, net[1].momentum)
    assert.is_false(net.training)
    assert.is_false(net[2].training)
    local batches = { { x[{ { 1, 6 } }] } }
    W.update_bn(function() return table.remove(batches) end, net)
    support.near(x[{ { 1, 6 } }]:mean(1):tolist(), net[1].running_mean, 1e-6)
    raises({ "kiln: stop" }, W.update_bn, function() error("kiln: stop", 0) end, net)
    assert.equals(0.3, net[1].momentum)
    W.update_bn(loader, nn.Linear(2, 2)) -- nothing to do
  end)

  it("refuses what is not like it", function()
    local averaged = W.AveragedModel(nn.Linear(2, 1))
    raises({ "update_parameters", "[1, 3]", "[1, 2]" }, averaged.update_parameters, averaged, nn.Linear(3, 1))
    raises({ "update_parameters", "1 tensors", "2" }, averaged.update_parameters, averaged,
      nn.Linear(2, 1, false))
    raises({ "update_parameters", "module" }, averaged.update_parameters, averaged, 3)
    assert.equals(0, averaged.n_averaged:item())
    raises({ "AveragedModel", "one of avg_fn" }, W.AveragedModel, nn.ReLU(), { avg_fn = print,
      multi_avg_fn = print })
    raises({ "get_ema_avg_fn", "[0, 1]", "2" }, W.get_ema_avg_fn, 2)
    raises({ "update_bn", "loader" }, W.update_bn, 3, nn.BatchNorm1d(2))
    raises({ "update_bn", "model" }, W.update_bn, print, 3)
  end)
end)

describe("SWALR", function()
  -- With PyTorch: a decay of 0.9 for 3 epochs, then SWALR(0.05, anneal_epochs = 4).
  local function rates(options)
    local optimizer = optim.SGD({ kiln.zeros(1):requires_grad_(true) }, { lr = 0.5 })
    local decay = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    local swa, list = W.SWALR(optimizer, options), {}
    for epoch = 0, 9 do
      list[epoch + 1] = optimizer.param_groups[1].lr
      if epoch < 3 then decay:step() else swa:step() end
    end
    return list
  end

  it("goes from the rate that it meets to its own", function()
    local at, linear_rates, cosine = 0.5 * 0.9 ^ 3, { 0.5, 0.45, 0.405 }, { 0.5, 0.45, 0.405 }
    for k = 0, 6 do
      local done = math.min(k / 4, 1)
      linear_rates[k + 4] = at + (0.05 - at) * done
      cosine[k + 4] = at + (0.05 - at) * (1 - math.cos(math.pi * done)) / 2
    end
    for k, lr in ipairs(rates { swa_lr = 0.05, anneal_epochs = 4, anneal_strategy = "linear" }) do
      assert.near(linear_rates[k], lr, 1e-12)
    end
    for k, lr in ipairs(rates { swa_lr = 0.05, anneal_epochs = 4 }) do assert.near(cosine[k], lr, 1e-12) end
    assert.equals(0.05, rates { swa_lr = 0.05, anneal_epochs = 0 }[5])
  end)

  it("goes on where its state was saved", function()
    local optimizer = optim.SGD({ kiln.zeros(1):requires_grad_(true) }, { lr = 0.5 })
    local a = W.SWALR(optimizer, { swa_lr = { 0.1 } })
    for _ = 1, 4 do a:step() end
    local b = W.SWALR(optimizer, { swa_lr = 3 })
    b:load_state_dict(a:state_dict())
    local lr = optimizer.param_groups[1].lr
    a:step()
    local next_lr = optimizer.param_groups[1].lr
    optimizer.param_groups[1].lr = lr
    b:step()
    assert.equals(next_lr, optimizer.param_groups[1].lr)
    raises({ "SWALR", "swa_lr has 2 numbers for 1 groups" }, W.SWALR, optimizer, { swa_lr = { 1, 2 } })
    raises({ "SWALR", "anneal_epochs", "-1" }, W.SWALR, optimizer, { swa_lr = 1, anneal_epochs = -1 })
  end)
end)

describe("a closure of step", function()
  it("is run with recording, whatever is around it", function()
    for _, name in ipairs { "SGD", "LBFGS" } do
      local p = kiln.ones(1):requires_grad_(true)
      local optimizer = optim[name]({ p }, { lr = 0.25 })
      local loss = kiln.no_grad(optimizer.step, optimizer, function()
        optimizer:zero_grad()
        local loss = (p * p):sum()
        loss:backward()
        return loss
      end)
      assert.equals(1, loss:item())
      assert.is_true(p:item() < 1)
    end
  end)
end)

describe("hooks of optimizers", function()
  it("run around a step, and around a state", function()
    local p, seen = kiln.ones(1):requires_grad_(true), {}
    p.grad = kiln.ones(1)
    for _, name in ipairs { "SGD", "LBFGS" } do
      local optimizer = optim[name]({ p }, { lr = 0.1 })
      local before = optimizer:register_step_pre_hook(function(o)
        assert.equals(optimizer, o)
        seen[#seen + 1] = "before " .. name
      end)
      optimizer:register_step_post_hook(function() seen[#seen + 1] = "after " .. name end)
      local function closure()
        seen[#seen + 1] = "closure"
        return 0
      end
      optimizer:step(closure)
      before:remove()
      optimizer:step(closure)
    end
    assert.same({ "before SGD", "closure", "after SGD", "closure", "after SGD" }, { unpack(seen, 1, 5) })
    assert.equals("before LBFGS", seen[6])
    assert.equals("after LBFGS", seen[#seen])
    local optimizer = optim.SGD({ p }, { lr = 0.1 })
    optimizer:register_state_dict_post_hook(function(_, state) state.extra = 3 end)
    optimizer:register_load_state_dict_pre_hook(function(_, state)
      assert.equals(3, state.extra)
      return { state = state.state, param_groups = { { params = { 1 }, lr = 7 } } }
    end)
    optimizer:load_state_dict(optimizer:state_dict())
    assert.equals(7, optimizer.param_groups[1].lr)
    raises({ "SGD", "step pre-hook", "nil" }, optimizer.register_step_pre_hook, optimizer)
  end)
end)

describe("Muon", function()
  it("moves a matrix by nearly orthogonal steps", function()
    kiln.manual_seed(1)
    for _, shape in ipairs { { 4, 6 }, { 6, 4 }, { 5, 5 } } do
      local p = kiln.zeros(shape):requires_grad_(true)
      p.grad = kiln.randn(shape)
      local optimizer = optim.Muon({ p }, { lr = 0.5, weight_decay = 0, momentum = 0 })
      optimizer:step()
      local _, s = kiln.svd(p:detach() / (-0.5 * math.sqrt(math.max(1, shape[1] / shape[2]))))
      assert.is_true(s:min():item() > 0.6 and s:max():item() < 1.3, tostring(s))
    end
  end)

  it("is the same after a save, and refuses what is no matrix", function()
    local function step(n, state)
      kiln.manual_seed(2)
      local p = kiln.randn(3, 2):requires_grad_(true)
      local optimizer = optim.Muon({ p }, { adjust_lr_fn = "match_rms_adamw", nesterov = false })
      for k = 1, n do
        p.grad = p:detach() * k
        optimizer:step()
        if state and k == n - 1 then optimizer:load_state_dict(optimizer:state_dict()) end
      end
      return p
    end
    assert.is_true(step(3):equal(step(3, true)))
    raises({ "Muon", "params[2]", "2 dims, not 1" }, optim.Muon,
      { kiln.ones(2, 2):requires_grad_(true), kiln.ones(2):requires_grad_(true) })
    raises({ "Muon", "three numbers" }, optim.Muon, { kiln.ones(2, 2) }, { ns_coefficients = { 1, 2 } })
  end)
end)

describe("Adafactor", function()
  it("keeps rows and columns, and they survive a save", function()
    local p = kiln.randn(4, 3):requires_grad_(true)
    local optimizer = optim.Adafactor({ p })
    p.grad = kiln.randn(4, 3)
    optimizer:step()
    local state = optimizer:state_dict()
    assert.equals("[4, 1]", tostring(state.state[1].row_var.shape))
    assert.equals("[1, 3]", tostring(state.state[1].col_var.shape))
    optimizer:load_state_dict(state)
    optimizer:step()
    assert.equals(2, optimizer.state[p].step)
    local half = kiln.ones({ 3 }, { dtype = kiln.float16 }):requires_grad_(true)
    half.grad = kiln.ones({ 3 }, { dtype = kiln.float16 })
    local small = optim.Adafactor({ half }, { lr = 0.5 })
    small:step()
    assert.equals(kiln.float32, small.state[half].variance.dtype)
    assert.is_true(half[1]:item() < 1)
    raises({ "Adafactor", "eps" }, optim.Adafactor, { p }, { eps = 3 })
    raises({ "Adafactor", "d must be at least 1" }, optim.Adafactor, { p }, { d = 0 })
    raises({ "Adafactor", "beta2_decay", "1" }, optim.Adafactor, { p }, { beta2_decay = 1 })
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
