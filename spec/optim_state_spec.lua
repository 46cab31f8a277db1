-- Optimizers beyond the arithmetic (nn_golden_spec.lua): groups, state, errors, other dtypes.
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local support = require "spec.support"
local device = require "spec.support.device"
local raises = support.raises

local function parameter(values) return nn.Parameter(kiln.tensor(values, { dtype = kiln.float64 })) end

local function step(optimizer, p, n)
  for _ = 1, n do
    optimizer:zero_grad()
    local weighted = p * p * kiln.arange(1, p:numel() + 1, { dtype = kiln.float64 })
    weighted:sum():backward()
    optimizer:step()
  end
end

describe("an optimizer", function()
  it("has groups with options of their own", function()
    local a, b = parameter { 1, 2 }, parameter { 3 }
    local optimizer = optim.SGD({ { params = { a } }, { params = { b }, lr = 0.5 } }, { lr = 0.1 })
    a.grad, b.grad = kiln.ones(2, { dtype = kiln.float64 }), kiln.ones(1, { dtype = kiln.float64 })
    optimizer:step()
    support.near({ 0.9, 1.9 }, a)
    support.near({ 2.5 }, b)
    assert.equals(0.5, optimizer.param_groups[2].lr)
    optimizer:add_param_group { params = { parameter { 1 } }, momentum = 0.9 }
    assert.equals(3, #optimizer.param_groups)
    raises({ "SGD", "in the optimizer already" }, optimizer.add_param_group, optimizer, { params = { a } })
  end)

  it("has of the steps before what they were taken with", function()
    -- One number at a time, as PyTorch writes it; the options change at each step.
    local function asgd()
      local x, eta = 2, 0.1
      return function(t, lr)
        x = (1 - 0.01 * eta) * x - eta * 2 * x
        eta = lr / (1 + 0.01 * lr * t) ^ 0.75
        return x
      end
    end
    local function nadam()
      local x, m, v, product = 2, 0, 0, 1
      return function(t, lr, beta)
        local function mu(at) return beta * (1 - 0.5 * 0.96 ^ (at * 0.004)) end
        local g = 2 * x
        product = product * mu(t)
        m, v = beta * m + (1 - beta) * g, 0.999 * v + 0.001 * g * g
        local root = math.sqrt(v / (1 - 0.999 ^ t)) + 1e-8
        x = x - lr * (1 - mu(t)) / (1 - product) * g / root
          - lr * mu(t + 1) / (1 - product * mu(t + 1)) * m / root
        return x
      end
    end
    local function sgd()
      local x, buffer = 2, nil
      return function(_, lr, beta)
        local g = 2 * x
        if beta < 0.9 then buffer = buffer and buffer * beta + 0.5 * g or g end
        x = x - lr * (buffer or g)
        return x
      end
    end
    for name, case in pairs { ASGD = { asgd(), { lambd = 0.01 } }, NAdam = { nadam(), {} },
      SGD = { sgd(), { dampening = 0.5 } } } do
      local p = parameter { 2 }
      case[2].lr = 0.1
      local optimizer = optim[name]({ p }, case[2])
      for t = 1, 6 do
        local group = optimizer.param_groups[1]
        group.lr = 0.1 / t
        if group.betas then group.betas[1] = 0.9 - 0.1 * t end
        if name == "SGD" and t > 2 then group.momentum = 0.9 - 0.1 * t end
        if t == 4 then
          local state = optimizer:state_dict()
          for _, key in ipairs { "eta", "mu_product" } do -- 0-dim tensors in PyTorch's
            local v = state.state[1][key]
            state.state[1][key] = v and kiln.tensor(v, { dtype = kiln.float64 })
          end
          optimizer = optim[name]({ p }, case[2])
          optimizer:load_state_dict(state)
        end
        step(optimizer, p, 1)
        support.near({ case[1](t, 0.1 / t, name == "SGD" and t < 3 and 1 or 0.9 - 0.1 * t) }, p, 1e-12)
      end
    end
    local adam = optim.Adam { parameter { 1 } }
    for _, betas in ipairs { { 0.9 }, { 2, 0.9 }, 3 } do
      raises({ "Adam", "betas" }, adam.load_state_dict, adam, { state = {}, param_groups = { { params = { 1 },
        betas = betas } } })
    end
    raises({ "Adam: load_state_dict", "step of parameter 1 must be at least 0" }, adam.load_state_dict, adam,
      { state = { { step = -1 } }, param_groups = { { params = { 1 } } } })
    assert.same({ 0.9, 0.999 }, adam.param_groups[1].betas)
    local optimizer = optim.ASGD { parameter { 1 } }
    local state = { state = { { step = 1, eta = "0.1" } }, param_groups = { { params = { 1 } } } }
    raises({ "ASGD: load_state_dict", "eta of parameter 1", "string" }, optimizer.load_state_dict, optimizer,
      state)
  end)

  it("does not write a parameter whose elements share memory", function()
    for _, name in ipairs { "SGD", "Adam", "Adafactor" } do
      local p = kiln.ones(1):expand(3):requires_grad_(true)
      p.grad = kiln.ones(3)
      local optimizer = optim[name] { p }
      raises({ name == "Adafactor" and "add_" or "step_", "share memory" }, optimizer.step, optimizer)
      assert.same({ 1, 1, 1 }, p:tolist())
    end
  end)

  it("goes on from the state that PyTorch saves", function()
    local function after(name, options, n, as_theirs)
      local p = parameter { 1, 2 }
      local function closure(o)
        o:zero_grad()
        local loss = ((p - 0.5) ^ 4):sum()
        loss:backward()
        return loss
      end
      local optimizer = optim[name]({ p }, options)
      for k = 1, n do
        if as_theirs and k == n - 1 then
          local state = optimizer:state_dict()
          local theirs = { state = { [0] = as_theirs(state.state[1]) }, param_groups = state.param_groups }
          theirs.param_groups[1].params = { 0 }
          optimizer = optim[name]({ p }, { lr = 9 })
          optimizer:load_state_dict(theirs)
        end
        optimizer:step(function() return closure(optimizer) end)
      end
      return p
    end
    local momentum = { lr = 0.01, momentum = 0.9, dampening = 0.5 }
    assert.is_true(after("SGD", momentum, 5):equal(after("SGD", momentum, 5, function(s)
      return { momentum_buffer = s.momentum_buffer }
    end)))
    local few = { lr = 0.1, max_iter = 2 }
    assert.is_true(after("LBFGS", few, 5):equal(after("LBFGS", few, 5, function(s)
      return { func_evals = s.func_evals, n_iter = s.n_iter, d = s.d,
        t = kiln.tensor(s.t, { dtype = kiln.float64 }), prev_flat_grad = s.prev_g,
        old_stps = s.memory.s, old_dirs = s.memory.y, ro = s.memory.rho,
        H_diag = kiln.tensor(s.memory.scale, { dtype = kiln.float64 }), prev_loss = 3 }
    end)))
    assert.is_true(after("Adam", { lr = 0.1 }, 5):equal(after("Adam", { lr = 0.1 }, 5, function(s)
      return { step = kiln.tensor(s.step), exp_avg = s.exp_avg, exp_avg_sq = s.exp_avg_sq }
    end)))
  end)

  it("decays weights without a gradient", function()
    local p = parameter { 1 }
    local optimizer = optim.SGD({ p }, { lr = 0.1, momentum = 0, weight_decay = 0.1 })
    p.grad = kiln.zeros(1, { dtype = kiln.float64 })
    optimizer:step()
    support.near({ 0.99 }, p, 1e-12)
  end)

  it("leaves parameters without a gradient alone", function()
    local a, b = parameter { 1 }, parameter { 1 }
    local optimizer = optim.Adam({ a, b })
    a.grad = kiln.ones(1, { dtype = kiln.float64 })
    optimizer:step()
    assert.equals(1, b:item())
    assert.is_nil(optimizer.state[b])
    b.grad = kiln.ones(1, { dtype = kiln.float64 })
    optimizer:step() -- a takes its second step, b its first
    assert.equals(2, optimizer.state[a].step)
    assert.equals(1, optimizer.state[b].step)
    assert.near(0.999, b:item(), 1e-7)
  end)

  it("goes on from a saved state, to the bit", function()
    for _, case in ipairs {
      { "SGD", { lr = 0.01, momentum = 0.9 } }, { "Adam", { lr = 0.01, amsgrad = true } }, { "RMSprop",
        { centered = true } },
      { "Adagrad", {} }, { "Adadelta", {} }, { "Adamax", {} }, { "Rprop", {} }, { "ASGD", {} }, { "NAdam",
        {} },
      { "RAdam", {} }, { "Lion", {} }, { "AdamW", {} },
    } do
      local class = optim[case[1]]
      local p, q = parameter { 1, -2, 3 }, parameter { 1, -2, 3 }
      local one = class({ p }, case[2])
      step(one, p, 10)
      kiln.no_grad(function() q:copy_(p) end)
      local two = class({ q })
      two:load_state_dict(one:state_dict())
      step(one, p, 10)
      step(two, q, 10)
      assert.is_true(p:detach():equal(q:detach()), case[1])
      assert.is_false(rawequal(one.state[p], two.state[q]))
    end
  end)

  it("goes on from a file, to the bit, with the rates of its schedule", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    for _, case in ipairs {
      { "SGD", { lr = 0.01, momentum = 0.9, nesterov = true } }, { "Adam", { lr = 0.01, amsgrad = true } },
      { "RMSprop", { centered = true, momentum = 0.5 } }, { "Adagrad", { lr_decay = 0.1 } },
      { "Adadelta", {} }, { "Adamax", {} }, { "Rprop", {} }, { "ASGD", {} }, { "NAdam", {} }, { "RAdam", {} },
      { "Lion", {} },
      { "AdamW", { betas = { 0.8, 0.9 } } }, { "LBFGS", { line_search_fn = "strong_wolfe" } },
    } do
      local function start(values)
        local p = parameter(values)
        local optimizer = optim[case[1]]({ p }, case[2])
        return p, optimizer, optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
      end
      local function run(p, optimizer, schedule, n)
        for _ = 1, n do
          optimizer:step(function()
            optimizer:zero_grad()
            local loss = (p * p * kiln.arange(1, 4, { dtype = kiln.float64 })):sum()
            loss:backward()
            return loss
          end)
          schedule:step()
        end
      end
      local p, one, schedule = start { 1, -2, 3 }
      run(p, one, schedule, 7)
      kiln.save({ p = p, optimizer = one:state_dict(), schedule = schedule:state_dict() }, path)
      local saved = kiln.load(path)
      local q, two, other = start { 0, 0, 0 }
      kiln.no_grad(function() q:copy_(saved.p) end)
      two:load_state_dict(saved.optimizer)
      other:load_state_dict(saved.schedule)
      run(p, one, schedule, 7)
      run(q, two, other, 7)
      assert.is_true(p:detach():equal(q:detach()), case[1])
      assert.equals(one.param_groups[1].lr, two.param_groups[1].lr)
    end
  end)

  it("refuses a state that does not fit", function()
    local optimizer = optim.Adam { parameter { 1, 2 } }
    step(optimizer, optimizer.param_groups[1].params[1], 1)
    local state = optimizer:state_dict()
    local other = optim.Adam { parameter { 1, 2, 3 } }
    raises({ "Adam", "load_state_dict", "[2]", "[3]" }, other.load_state_dict, other, state)
    local more = optim.Adam { parameter { 1 }, parameter { 2 } }
    raises({ "load_state_dict", "1 parameters", "2" }, more.load_state_dict, more, state)
    raises({ "load_state_dict", "param_groups" }, more.load_state_dict, more, {})
  end)

  it("checks its arguments", function()
    local p = parameter { 1 }
    raises({ "SGD", "list of tensors" }, optim.SGD, p)
    raises({ "SGD", "empty", "nn.ModuleList" }, optim.SGD, {})
    raises({ "SGD", "not a Linear; of a module it is net:parameters()" }, optim.SGD, kiln.nn.Linear(1, 1))
    raises({ "SGD", "lr must be at least 0", "-1" }, optim.SGD, { p }, { lr = -1 })
    raises({ "Adam", "betas[1]", "1.5" }, optim.Adam, { p }, { betas = { 1.5, 0.9 } })
    for algorithm, option in pairs { NAdam = "momentum_decay", Adagrad = "initial_accumulator_value",
      RMSprop = "alpha", ASGD = "lambd" } do
      raises({ algorithm, option .. " must be at least 0, not -1" }, optim[algorithm], { p },
        { [option] = -1 })
    end
    for _, option in ipairs { "div_factor", "final_div_factor" } do
      raises({ "OneCycleLR", option, "above 0" }, optim.lr_scheduler.OneCycleLR, optim.Adam { p },
        { max_lr = 1, total_steps = 9, [option] = 0 })
    end
    raises({ "SGD", "nesterov" }, optim.SGD, { p }, { nesterov = true })
    raises({ "SGD", "unknown option 'momentun'" }, optim.SGD, { p }, { momentun = 0.9 })
    raises({ "SGD", "not a leaf" }, optim.SGD, { p * 2 })
    raises({ "SGD", "a group must be a table with params", "the number 3" }, optim.SGD, { 3 })
    raises({ "LBFGS", "closure" }, function() optim.LBFGS({ p }):step() end)
  end)

  it("notices options that a script has spoilt, before anything changes", function()
    local a, b = parameter { 1 }, parameter { 1 }
    local optimizer = optim.SGD({ { params = { a } }, { params = { b } } }, { lr = 0.1 })
    a.grad, b.grad = kiln.ones(1, { dtype = kiln.float64 }), kiln.ones(1, { dtype = kiln.float64 })
    optimizer.param_groups[2].lr = "fast"
    raises({ "SGD", "param_groups[2].lr", "'fast'" }, optimizer.step, optimizer)
    optimizer.param_groups[2].lr = nil
    raises({ "SGD", "param_groups[2].lr", "nil" }, optimizer.step, optimizer)
    assert.equals(1, a:item())
    raises({ "SGD", "a group must be a table with params", "one without" }, optimizer.add_param_group,
      optimizer, { lr = 1 })
  end)

  it("may change its options between steps", function()
    local p = parameter { 1 }
    local optimizer = optim.SGD({ p }, { lr = 1 })
    p.grad = kiln.ones(1, { dtype = kiln.float64 })
    optimizer:step()
    optimizer.param_groups[1].momentum = 0.5
    optimizer:step()
    optimizer:step() -- 1 - 1 - 1 - 1.5
    assert.equals(-2.5, p:item())
  end)

  it("steps 16-bit parameters with float32 state", function()
    for _, dtype in ipairs { kiln.float16, kiln.bfloat16 } do
      local p = nn.Parameter(kiln.ones(4, { dtype = dtype }))
      local optimizer = optim.Adam({ p }, { lr = 0.125 })
      p.grad = kiln.ones(4, { dtype = dtype })
      optimizer:step()
      assert.equals(dtype, p.dtype)
      assert.equals(kiln.float32, optimizer.state[p].exp_avg.dtype)
      assert.near(0.875, p[1]:item(), 1e-2)
    end
  end)

  it("steps parameters that are not contiguous", function()
    local base = kiln.arange(0, 6, { dtype = kiln.float64 }):view(2, 3)
    local p = nn.Parameter(base:transpose(1, 2))
    p.grad = kiln.ones(3, 2, { dtype = kiln.float64 })
    optim.SGD({ p }, { lr = 1 }):step()
    support.near({ { -1, 0, 1 }, { 2, 3, 4 } }, base)
  end)

  it("tells autograd that parameters changed", function()
    local p = parameter { 2 }
    local loss = (p * p):sum()
    p.grad = kiln.ones(1, { dtype = kiln.float64 })
    optim.SGD({ p }, { lr = 1 }):step()
    raises({ "version" }, loss.backward, loss)
  end)

  it("leaves rows alone that no gradient touched", function()
    local table_of = nn.Embedding(5, 2, { sparse = true }):double()
    local before = table_of.weight:detach():clone()
    local optimizer = optim.SparseAdam(table_of:parameters(), { lr = 0.1 })
    for _ = 1, 2 do
      optimizer:zero_grad()
      table_of(kiln.tensor({ 2, 4, 4 }, { dtype = kiln.int64 })):sum():backward()
      optimizer:step()
    end
    local moved = (table_of.weight:detach() - before)
    support.near({ { 0, 0 }, { -0.2, -0.2 }, { 0, 0 }, { -0.2, -0.2 }, { 0, 0 } }, moved, 1e-6)
    assert.equals(2, optimizer.state[table_of.weight].step)
  end)

  it("runs a closure and returns its result", function()
    local p = parameter { 3 }
    local optimizer = optim.SGD({ p }, { lr = 0.1 })
    local loss = optimizer:step(function()
      local l = (p * p):sum()
      l:backward()
      return l
    end)
    assert.equals(9, loss:item())
    assert.near(2.4, p:item(), 1e-12)
  end)

  it("uses as much memory after a thousand steps as after ten", function()
    local net = nn.Linear(20, 20)
    local optimizer = optim.Adam(net:parameters())
    local x = kiln.randn(8, 20)
    local function run(n)
      for _ = 1, n do
        optimizer:zero_grad()
        net(x):sum():backward()
        optimizer:step()
      end
      return support.live()
    end
    assert.equals(run(10), run(1000))
  end)
end)

describe("a saved state", function()
  it("is computed with in the parameter's dtype, and checked", function()
    local small, p = nn.Parameter(kiln.ones(2)), parameter { 1, 2 }
    local one, two = optim.Adam { small }, optim.Adam { p }
    small.grad = kiln.ones(2)
    one:step()
    two:load_state_dict(one:state_dict())
    assert.equals(kiln.float64, two.state[p].exp_avg.dtype)
    assert.equals(1, two.state[p].step)
    local groups = { { params = { 1 } } }
    local function refuses(words, state, param_groups)
      raises({ "Adam", "load_state_dict", words }, two.load_state_dict, two,
        { state = state, param_groups = param_groups or groups })
    end
    refuses("the state of parameter 1 must be a table, not the number 5", { 5 })
    refuses("param_groups[1] must be a group with a list params, not the number 5", {}, { 5 })
    refuses("exp_avg must be a tensor, got the number 3", { { step = 1, exp_avg = 3 } })
    refuses("step of parameter 1 must be a number, got the string 'a'", { { step = "a" } })
    assert.equals(1, two.state[p].step)
  end)
end)

describe("LBFGS", function()
  it("evaluates as often as it may, in its line search, too", function() -- losses of the reference
    for options, expected in pairs {
      [{ max_iter = 1 }] = { 24.2, 24.2, 24.2, 24.2, evaluations = 8 },
      [{ max_iter = 4, max_eval = 3 }] = { 24.2, 4.14692710257, 4.12112677577, 4.08495537633,
        3.90914427952, evaluations = 15 },
      [{ max_iter = 3, tolerance_change = 1e-2, tolerance_grad = 1e-3 }] = { 24.2, 4.14692710257,
        4.12558671367, 4.12558671367, evaluations = 7 },
    } do
      options.line_search_fn = "strong_wolfe"
      local x = kiln.tensor({ -1.2, 1 }, { dtype = kiln.float64, requires_grad = true })
      local optimizer, losses = optim.LBFGS({ x }, options), {}
      for i = 1, #expected do
        losses[i] = optimizer:step(function()
          optimizer:zero_grad()
          local loss = (x[2] - x[1] * x[1]):pow(2) * 100 + (1 - x[1]):pow(2)
          loss:backward()
          return loss
        end):item()
      end
      for i, loss in ipairs(losses) do assert.near(expected[i], loss, 1e-9) end
      assert.equals(expected.evaluations, optimizer.state[x].func_evals)
    end
  end)
  it("undoes a probe of its line search exactly, whatever its step was", function()
    local x = kiln.tensor({ 1.001e-6 }, { requires_grad = true })
    local optimizer = optim.LBFGS({ x }, { max_iter = 1, line_search_fn = "strong_wolfe" })
    local function loss() return (x - 1e-6):square():sum() * 1e12 end
    for _ = 1, 3 do
      optimizer:step(function()
        optimizer:zero_grad()
        local l = loss()
        l:backward()
        return l
      end)
      assert.near(1e-6, x:item(), 1e-9) -- the first probe is 1 away
    end
  end)
end)

describe("how a step runs", function()
  it("keeps no gradient alive: zero_grad frees them without a collection", function()
    local p = nn.Parameter(kiln.ones(1000))
    local optimizer = optim.Adam({ p }, { lr = 0.1 })
    local function one_step()
      kiln.scope(function() (p * p):sum():backward() end)
      nn.utils.clip_grad_norm({ p }, 1)
      nn.utils.clip_grad_value({ p }, 1)
      optimizer:step()
      local with = device.memory().live_bytes
      optimizer:zero_grad()
      return with - device.memory().live_bytes
    end
    one_step()
    assert.equals(4000, math.floor(one_step() / 4000) * 4000)
  end)

  local function one(options) return optim.Adam({ kiln.ones(1):requires_grad_() }, options) end

  it("may be asked for as in PyTorch, where it changes nothing", function()
    local optimizer = one { foreach = true, fused = true, capturable = false, differentiable = false }
    assert.is_true(optimizer:state_dict().param_groups[1].foreach)
    raises({ "Adam", "differentiable", "not recorded" }, one, { differentiable = true })
    raises({ "Adam", "foreach", "true or false" }, one, { foreach = 1 })
  end)

  it("is known to hooks around states", function()
    local optimizer, seen = one(), {}
    local function note(word) return function(o) seen[#seen + 1] = word .. " " .. o.__name end end
    optimizer:register_state_dict_pre_hook(note "before")
    optimizer:register_load_state_dict_post_hook(note "after")
    optimizer:load_state_dict(optimizer:state_dict())
    assert.same({ "before Adam", "after Adam" }, seen)
    local order = {}
    optimizer:register_step_pre_hook(function() order[#order + 1] = 2 end)
    optimizer:register_step_pre_hook(function() order[#order + 1] = 1 end, { prepend = true })
    optimizer:step()
    assert.same({ 1, 2 }, order)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
