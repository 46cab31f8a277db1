--- Training in CUDA graphs: losses, parameters and scales have the bits that they have without, for every
-- optimizer, in mixed precision, and in callables that are graphs.
local kiln = require "spec.support.emulator"
local rows = require "spec.support.rows"
local cuda, nn, optim = kiln.cuda, kiln.nn, kiln.optim
local capture = cuda.graph.capture
local graphs = require "spec.support.graphs"
local raises, on, works = graphs.raises, graphs.on, graphs.works

-- Inputs and classes of step i.  Drawing them does not move the device's generator.
local batches = {
  x = function(i)
    local state = cuda.get_rng_state()
    kiln.manual_seed(100 + i)
    local x = kiln.randn(8, 1, 6, 6):cuda()
    cuda.set_rng_state(state)
    return x
  end,
  y = function(i) return ((kiln.arange(1, 9) * i):remainder(3) + 1):long():cuda() end,
}

-- The losses of n steps.  step(x, y) makes one from static tensors and returns its loss; with `replay` the
-- first runs as always and the others are replays of a graph.
local function run(replay, n, step, before)
  local x, y = batches.x(1), batches.y(1)
  local losses, graph, loss = {}, nil, nil
  for i = 1, n do
    if i > 1 then
      x:copy_(batches.x(i))
      y:copy_(batches.y(i))
    end
    if before then before(i) end
    if i == 1 or not replay then
      loss = step(x, y)
    elseif graph then
      graph:replay()
    else
      graph, loss = capture(function() return step(x, y) end, { warmup = 0 })
      graph:replay()
    end
    losses[i] = loss:item()
  end
  if graph then graph:reset() end
  return losses
end

local function network()
  kiln.manual_seed(5)
  local net = nn.Sequential(nn.Conv2d(1, 3, 3, { padding = 1 }), nn.BatchNorm2d(3), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 8), nn.Tanh(), nn.Dropout(0.25), nn.Linear(8, 3))
  return net:cuda()
end

local function state_of(net)
  local state = {}
  for name, v in pairs(net:state_dict()) do state[name] = v:cpu() end
  return state
end

-- Trains with and without a graph; losses, parameters and buffers must have the same bits.
local function compare(n, make_step)
  local found = {}
  for _, replay in ipairs { false, true } do
    local net = network()
    local step, finish, before = make_step(net)
    cuda.manual_seed(9)
    local losses = run(replay, n, step, before)
    found[#found + 1] = { losses = losses, state = state_of(net), finished = finish and finish() }
  end
  local eager, replayed = found[1], found[2]
  assert.same(eager.losses, replayed.losses)
  for name, v in pairs(eager.state) do
    assert.is_true(kiln.equal(v, replayed.state[name]), name .. " differs")
  end
  assert.same(eager.finished, replayed.finished)
  return eager.losses
end

local function trainer(net, optimizer, options)
  options = options or {}
  local loss_of = nn.CrossEntropyLoss()
  return function(x, y)
    optimizer:zero_grad(options.zero_grad)
    local loss = loss_of(net(x), y)
    loss:backward()
    if options.clip then nn.utils.clip_grad_norm_(net:parameters(), options.clip) end
    optimizer:step()
    return loss:detach()
  end
end

describe("a training step", function()
  before_each(rows.count)
  after_each(rows.recount)

  it("replayed has the losses that it has without", function()
    local losses = compare(6, function(net)
      return trainer(net, optim.Adam(net:parameters(), { lr = 0.02, weight_decay = 0.01 }))
    end)
    assert.is_true(losses[6] < losses[1])
  end)

  it("keeps gradients that are zeroed in place", function()
    compare(4, function(net)
      return trainer(net, optim.SGD(net:parameters(), { lr = 0.1, momentum = 0.9, nesterov = true }),
        { zero_grad = { set_to_none = false } })
    end)
  end)

  for _, name in ipairs { "SGD", "Adagrad", "Adadelta", "Adamax", "RMSprop", "Rprop", "ASGD", "NAdam",
    "RAdam", "Lion", "AdamW" } do
    it("of " .. name .. " counts on, with the learning rate of now", function()
      compare(5, function(net)
        local optimizer = optim[name](net:parameters(), { lr = 0.05 })
        local function numbers() -- what is carried from step to step
          local found = {}
          for key, v in pairs(optimizer.state[net[1].weight]) do
            if not kiln.is_tensor(v) then found[key] = v end
          end
          return found
        end
        return trainer(net, optimizer), numbers,
          function(i) optimizer.param_groups[1].lr = 0.05 / i end
      end)
    end)
  end

  it("follows a scheduler", function()
    local found = {}
    for _, replay in ipairs { false, true } do
      local net = network()
      local optimizer = optim.Adam(net:parameters(), { lr = 0.1 })
      local scheduler = optim.lr_scheduler.StepLR(optimizer, { step_size = 1, gamma = 0.5 })
      local step, x, y = trainer(net, optimizer), batches.x(1), batches.y(1)
      cuda.manual_seed(3)
      step(x, y)
      local graph = replay and capture(function() step(x, y) end, { warmup = 0 })
      for _ = 1, 4 do
        scheduler:step()
        if graph then graph:replay() else step(x, y) end
      end
      found[#found + 1] = state_of(net)
    end
    for name, v in pairs(found[1]) do assert.is_true(kiln.equal(v, found[2][name]), name) end
  end)

  it("clips gradients without the host", function()
    local norms = {}
    for i, in_graph in ipairs { false, true } do
      local p = on({ 3, 4 }, { requires_grad = true })
      local function step()
        p.grad = nil;
        (p * p):sum():backward()
        return nn.utils.clip_grad_norm_({ p }, 1)
      end
      if in_graph then
        local graph, norm = capture(step)
        graph:replay()
        norms[i] = { norm:item(), p.grad:tolist() }
      else
        norms[i] = { step(), p.grad:tolist() }
      end
    end
    assert.equal(norms[1][1], norms[2][1])
    for k = 1, 2 do assert.is_true(math.abs(norms[1][2][k] - norms[2][2][k]) < 1e-6) end
  end)

  it("is refused where a replay would make the optimizer's state anew, or another's", function()
    local net = nn.Linear(2, 2):cuda()
    local optimizer = optim.Adam(net:parameters())
    local x = kiln.ones(1, 2, { device = "cuda" })
    local function step()
      optimizer:zero_grad()
      net(x):sum():backward()
      optimizer:step()
    end
    raises({ "Adam", "exp_avg", "warm-up" }, capture, step, { warmup = 0 })
    works()
    local graph = capture(step)
    graph:replay()
    assert.equal(2, optimizer.state[net.weight].step)
    optimizer:load_state_dict(optimizer:state_dict())
    raises({ "Adam", "replaced" }, graph.replay, graph)
    assert.equal(2, optimizer.state[net.weight].step)
    works()
  end)
end)

describe("mixed precision in a graph", function()
  before_each(rows.count)
  after_each(rows.recount)

  -- The third of five batches overflows.
  local function train(replay)
    kiln.manual_seed(1)
    local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)):cuda()
    local optimizer = optim.Adam(net:parameters(), { lr = 0.01 })
    local scaler = kiln.amp.GradScaler { init_scale = 1024, growth_interval = 2 }
    local x, y = kiln.zeros(6, 4, { device = "cuda" }), kiln.ones(6, 1, { device = "cuda" })
    local function step()
      optimizer:zero_grad()
      local loss = kiln.amp.autocast("cuda", function() return nn.functional.mse_loss(net(x), y) end)
      scaler:scale(loss):backward()
      scaler:step(optimizer)
      scaler:update()
      return loss:detach()
    end
    local graph, loss
    local seen = {}
    for i = 1, 6 do
      kiln.manual_seed(i)
      x:copy_(kiln.randn(6, 4) * (i == 3 and 1e4 or 1))
      if i == 1 or not replay then
        loss = step()
      else
        if not graph then graph, loss = capture(step, { warmup = 0 }) end
        graph:replay()
      end
      seen[i] = { loss:item(), scaler:get_scale(), optimizer.state[net[1].weight].step }
    end
    return seen, state_of(net)
  end

  it("scales, leaves out steps and adapts as it does without", function()
    local seen, state = train(false)
    local again, replayed = train(true)
    assert.same(seen, again)
    for name, v in pairs(state) do assert.is_true(kiln.equal(v, replayed[name]), name) end
    assert.equal(5, seen[6][3]) -- one was left out
    assert.is_true(seen[3][2] < seen[2][2])
  end)

  it("casts weights anew at each replay", function()
    local w, x = on({ { 1, 2 } }, { requires_grad = true }), on { { 3 }, { 4 } }
    local y
    kiln.amp.autocast("cuda", function()
      local first = w:matmul(x):item() -- the cast of w is kept
      assert.equal(11, first)
      local graph, out = capture(function() return w:matmul(x) end, { warmup = 0 })
      w.data:mul_(2)
      graph:replay()
      y = out:item()
      assert.equal(22, w:matmul(x):item())
    end)
    assert.equal(22, y)
  end)

  it("refuses a step outside of the graph that unscaled", function()
    local p = on({ 1 }, { requires_grad = true })
    local optimizer, scaler = optim.SGD { p }, kiln.amp.GradScaler()
    local graph = capture(function()
      optimizer:zero_grad()
      scaler:scale(p:sum()):backward()
      scaler:unscale_(optimizer)
    end, { warmup = 0 })
    graph:replay()
    assert.equal(1, p.grad:item())
    raises({ "GradScaler: step", "captured" }, scaler.step, scaler, optimizer)
  end)
end)

describe("graphed callables", function()
  before_each(rows.count)
  after_each(rows.recount)

  local function net_of(seed)
    kiln.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)):cuda()
  end

  it("train as the module does", function()
    local losses = {}
    for k, graphed in ipairs { false, true } do
      local net = net_of(3)
      local optimizer = optim.SGD(net:parameters(), { lr = 0.1, momentum = 0.9 })
      if graphed then
        assert.equal(net, cuda.make_graphed_callables(net, { kiln.zeros(5, 4, { device = "cuda" }) }))
      end
      losses[k] = {}
      for i = 1, 4 do
        kiln.manual_seed(i)
        local x = kiln.randn(5, 4):cuda():requires_grad_(true)
        optimizer:zero_grad()
        local loss = (net(x * 1) * 2):pow(2):mean()
        loss:backward()
        optimizer:step()
        losses[k][2 * i - 1] = loss:item()
        losses[k][2 * i] = x.grad and x.grad:sum():item() or 0
      end
      if graphed then
        net:eval()
        assert.equal(6, net(kiln.zeros(3, 4, { device = "cuda" })):numel())
      end
    end
    for i = 1, 8, 2 do assert.equal(losses[1][i], losses[2][i]) end
  end)

  it("pass gradients to inputs, and share memory in order", function()
    local function square(x) return x * x, x:detach() + 1 end
    local function triple(x) return x * 3 end
    local sample = on({ 1, 1 }, { requires_grad = true })
    local f, g = unpack(cuda.make_graphed_callables({ square, triple }, { { sample }, { sample } }))
    local x = on({ 2, 5 }, { requires_grad = true })
    local y, plain = f(x)
    assert.is_false(plain.requires_grad)
    g(y):sum():backward()
    assert.same({ 12, 30 }, x.grad:tolist())
    assert.same({ 3, 6 }, plain:tolist());
    local again = f(x)
    g(again):sum():backward() -- added to, not written over
    assert.same({ 24, 60 }, x.grad:tolist())
    local first = g(x)
    g(x)
    raises({ "GraphReplay", "call 3", "call 4" }, first.sum(first).backward, first:sum())
  end)

  it("refuse what is not like the sample", function()
    local f = cuda.make_graphed_callables(function(x) return x + 1 end, { on { 1, 2 } })
    raises({ "argument 1", "[3]", "[2]" }, f, on { 1, 2, 3 })
    raises({ "argument 1", "cpu" }, f, kiln.ones(2))
    raises({ "0 arguments" }, f)
    raises({ "samples[1][1]", "cpu" }, cuda.make_graphed_callables, function(x) return x end,
      { kiln.ones(1) })
    raises({ "lists of one length" }, cuda.make_graphed_callables, { f }, {})
    assert.same({ 4, 5 }, f(on { 3, 4 }):tolist())
  end)
end)
