-- Schedules of learning rates beyond their values (nn_golden_spec.lua): state, errors, what they leave alone.
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local support = require "spec.support"
local raises = support.raises

local function parameter(values) return nn.Parameter(kiln.tensor(values, { dtype = kiln.float64 })) end

describe("schedulers", function()
  local S = optim.lr_scheduler

  it("check what they are given", function()
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 1 })
    raises({ "StepLR", "optimizer must be", "the number 3" }, S.StepLR, 3, 1)
    raises({ "LRScheduler", "use StepLR" }, S.LRScheduler, optimizer)
    local lbfgs = optim.LBFGS { parameter { 1 } }
    raises({ "LBFGS", "closure must return the loss", "nil" }, lbfgs.step, lbfgs, function() end)
    raises({ "StepLR", "step_size", "0" }, S.StepLR, optimizer, 0)
    raises({ "MultiStepLR", "milestones[1]", "'a'" }, S.MultiStepLR, optimizer, { "a" })
    raises({ "LambdaLR", "lr_lambda must be a function" }, S.LambdaLR, optimizer, 3)
    raises({ "LambdaLR", "what lr_lambda returns", "nil" }, S.LambdaLR, optimizer, function() end)
    local decay = S.StepLR(optimizer, 1)
    raises({ "step", "schedule:step()" }, function() decay.step() end)
    raises({ "step", "optimizer:step()" }, function() optimizer.step() end)
    raises({ "zero_grad", "optimizer:zero_grad()" }, function() optimizer.zero_grad() end)
    raises({ "StepLR", "epoch", "'a'" }, decay.step, decay, "a")
    raises({ "StepLR", "epoch", "-5" }, decay.step, decay, -5)
    raises({ "StepLR", "load_state_dict" }, decay.load_state_dict, decay, {})
    raises({ "ReduceLROnPlateau", "metric", "nil" }, function() S.ReduceLROnPlateau(optimizer):step() end)
    local other = S.StepLR(optim.SGD({ parameter { 1 } }, { lr = 1 }), 1)
    raises({ "SequentialLR", "schedulers[1]", "another optimizer" }, S.SequentialLR, optimizer, { other }, {})
    raises({ "OneCycleLR", "step 3", "total_steps (2)" }, function()
      local cycle = S.OneCycleLR(optimizer, { max_lr = 1, total_steps = 2 })
      for _ = 1, 4 do cycle:step() end
    end)
  end)

  it("leave groups alone that came later", function()
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 1 })
    local schedule = S.StepLR(optimizer, 1)
    optimizer:add_param_group { params = { parameter { 1 } }, lr = 2 }
    schedule:step()
    assert.near(0.1, optimizer.param_groups[1].lr, 1e-12)
    assert.equals(2, optimizer.param_groups[2].lr)
  end)

  it("go on from a saved state", function()
    local function make()
      local optimizer = optim.SGD({ parameter { 1 } }, { lr = 1 })
      return S.CosineAnnealingLR(optimizer, 10), optimizer
    end
    local one = make()
    for _ = 1, 4 do one:step() end
    local two, optimizer = make()
    two:load_state_dict(one:state_dict())
    assert.equals(one:get_last_lr()[1], optimizer.param_groups[1].lr)
    one:step()
    two:step()
    assert.equals(one:get_last_lr()[1], two:get_last_lr()[1])
  end)
end)

-- Rates of two groups, 0.1 and 0.5, over 12 steps are the reference's.
describe("schedules that scale a rate", function()
  local S = optim.lr_scheduler

  -- The rates of both groups; both are halved after step 8 with `halves`.
  local function rates(make, halves)
    local one, other = parameter { 1 }, parameter { 1 }
    local optimizer = optim.SGD({ { params = { one } }, { params = { other }, lr = 0.5 } }, { lr = 0.1 })
    local schedules, list = make(optimizer), {}
    local groups = optimizer.param_groups
    for k = 0, 12 do
      if k > 0 then
        for _, s in ipairs(schedules) do s:step(s.patience and 1 or nil) end
      end
      if k == 8 and halves then
        for _, group in ipairs(groups) do group.lr = group.lr / 2 end
      end
      list[#list + 1], list[#list + 2] = groups[1].lr, groups[2].lr
    end
    return list, optimizer, schedules
  end

  local function near(wanted, make, halves)
    support.near(wanted, kiln.tensor((rates(make, halves)), { dtype = kiln.float64 }), 1e-9)
  end

  local function warm(o) return S.LinearLR(o, 0.1, 1, 5) end
  local function steps(o) return { S.StepLR(o, 4, 0.5) } end
  local function cosine(o) return { S.CosineAnnealingLR(o, 10, 0.01) } end

  it("go on from a rate that the script has changed", function()
    near({ 0.1, 0.5, 0.1, 0.5, 0.1, 0.5, 0.1, 0.5, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25, 0.0125,
      0.0625, 0.0125, 0.0625, 0.0125, 0.0625, 0.0125, 0.0625, 0.00625, 0.03125 }, steps, true)
    near({ 0.1, 0.5, 0.09779754323, 0.4880088465, 0.09140576475, 0.4532091636, 0.08145033635,
      0.3990073868, 0.06890576475, 0.3307091636, 0.055, 0.255, 0.04109423525, 0.1792908364, 0.02854966365,
      0.1109926132, 0.009297117627, 0.02839541819, 0.009819871345, 0.01471421972, 0.01, 0.01, 0.01220245677,
      0.02199115351, 0.01859423525, 0.05679083638 }, cosine, true)
    local function parts(o)
      return { S.SequentialLR(o, { warm(o), S.CosineAnnealingLR(o, 20, 0.01) }, { 5 }) }
    end
    near({ 0.01, 0.05, 0.028, 0.14, 0.046, 0.23, 0.064, 0.32, 0.082, 0.41, 0.1, 0.5, 0.09944597533,
      0.4969836434, 0.09779754323, 0.4880088465, 0.04754764679, 0.2366482992, 0.04591967044, 0.2268213699,
      0.04389615088, 0.214606829, 0.04152691388, 0.2003054391, 0.03887029792, 0.1842693479 }, parts, true)
  end)

  it("go on from each other, with and without a chain", function()
    near({ 0.01, 0.05, 0.028, 0.14, 0.046, 0.23, 0.064, 0.32, 0.082, 0.41, 0.1, 0.5, 0.1, 0.5, 0.1, 0.5,
      0.05, 0.25, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25 },
      function(o) return { warm(o), S.StepLR(o, 8, 0.5) } end)
    near({ 0.01, 0.05, 0.028, 0.14, 0.046, 0.23, 0.064, 0.32, 0.082, 0.41, 0.1, 0.5, 0.1, 0.5, 0.1, 0.5,
      0.1, 0.5, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25 }, function(o)
        return { warm(o), S.ReduceLROnPlateau(o, { factor = 0.5, patience = 7 }) }
      end)
    near({ 0.01, 0.05, 0.01, 0.04975376681, 0.01, 0.04902113033, 0.01, 0.04782013048, 0.01,
      0.04618033989, 0.09492988777, 0.436351244, 0.08899354907, 0.4065505995, 0.08233715625, 0.3731352562,
      0.0751246118, 0.3369280107, 0.0675335125, 0.2988204055, 0.05975077641, 0.2597507764, 0.05196804031,
      0.2206811473, 0.04437694101, 0.1825735421 }, function(o)
        return { S.ChainedScheduler { S.ConstantLR(o, 0.1, 5), S.CosineAnnealingLR(o, 20, 0.01) } }
      end)
  end)

  it("go on from saved states, to the bit and in any order", function()
    local function chain(o) return { S.ChainedScheduler { warm(o), cosine(o)[1] } } end
    for _, make in ipairs { steps, cosine, chain } do
      local _, one, schedules = rates(make, true)
      local saved, saved_schedule = one:state_dict(), schedules[1]:state_dict()
      schedules[1]:step()
      for k = 1, 2 do
        local two = optim.SGD({ { params = { parameter { 1 } } }, { params = { parameter { 2 } } } })
        local other = make(two)[1]
        if k == 1 then two:load_state_dict(saved) end
        other:load_state_dict(saved_schedule)
        if k == 2 then two:load_state_dict(saved) end
        other:step()
        for i = 1, 2 do assert.equals(one.param_groups[i].lr, two.param_groups[i].lr) end
      end
    end
  end)

  it("call a function once a step", function()
    local calls = 0
    local list = rates(function(o)
      return { S.MultiplicativeLR(o, function() calls = calls + 1 return 0.5 end) }
    end)
    assert.equals(24, calls)
    assert.equals(0.1 / 2 ^ 12, list[25])
  end)

  it("take up groups that a schedule had", function()
    local p = parameter { 1 }
    local one = optim.SGD({ p }, { lr = 1 })
    S.ExponentialLR(one, 0.5):step()
    local two = optim.SGD(one.param_groups)
    assert.equals(0.5, two.param_groups[1].lr)
    local schedule = S.ExponentialLR(two, 0.5, 1)
    assert.equals(1, schedule.base_lrs[1])
    raises({ "SGD", "initial_lr", "'a'" }, optim.SGD, { { params = { p }, initial_lr = "a" } })
  end)

  it("say what does not fit", function()
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 1 })
    local schedule = S.StepLR(optimizer, 1)
    local chain = S.ChainedScheduler({ schedule }, schedule.optimizer)
    raises({ "ChainedScheduler", "optimizer must be that of the schedulers" }, S.ChainedScheduler,
      { schedule }, { optimizer = 3 })
    raises({ "ChainedScheduler", "the states of 1 schedulers, not nil" }, chain.load_state_dict, chain,
      { last_epoch = 1 })
    for words, state in pairs { ["optimizer cannot become the number 7"] = { optimizer = 7 },
      ["base_lrs cannot become the string 'x'"] = { base_lrs = "x" },
      ["base_lrs[1] must be a number"] = { base_lrs = {} }, ["gamma cannot become"] = { gamma = "y" } } do
      state.last_epoch = 1
      raises({ "StepLR: load_state_dict", words }, schedule.load_state_dict, schedule, state)
    end
  end)

  it("takes the rates of an optimizer that it goes on with", function() -- values of PyTorch
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 0.5 })
    local first = S.ExponentialLR(optimizer, { gamma = 0.5 })
    for _ = 1, 3 do first:step() end
    local second = S.ExponentialLR(optimizer, { gamma = 0.5, last_epoch = 3 })
    assert.equals(0.0625, optimizer.param_groups[1].lr)
    second:step()
    assert.equals(0.03125, optimizer.param_groups[1].lr)
  end)

  it("refuses an optimizer that has lost its groups", function()
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 0.5 })
    local schedule = S.StepLR(optimizer, { step_size = 2 })
    optimizer.param_groups = {}
    raises({ "StepLR", "the optimizer has 0 groups, the schedule 1" }, schedule.step, schedule)
  end)
end)

describe("ReduceLROnPlateau", function()
  it("waits, cools down and stops at the smallest rate", function()
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 1 })
    local plateau = optim.lr_scheduler.ReduceLROnPlateau(optimizer, { patience = 2, factor = 0.5,
      min_lr = 0.2 })
    local rates = {}
    for i, loss in ipairs { 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 } do
      plateau:step(loss)
      rates[i] = optimizer.param_groups[1].lr
    end
    assert.same({ 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2, 0.2, 0.2 }, rates)
    local state = plateau:state_dict()
    local other = optim.lr_scheduler.ReduceLROnPlateau(optimizer)
    other:load_state_dict(state)
    assert.equals(plateau.num_bad_epochs, other.num_bad_epochs)
    raises({ "ReduceLROnPlateau", "metric" }, plateau.step, plateau, "low")
    local slow = optim.lr_scheduler.ReduceLROnPlateau(optimizer, { patience = 0, cooldown = 2 })
    local cooling = {}
    for i = 1, 5 do
      slow:step(4)
      cooling[i] = slow:in_cooldown()
    end
    assert.same({ false, true, true, false, true }, cooling)
  end)
end)

describe("a ChainedScheduler", function()
  it("is as it was where a part of a state is refused", function()
    local optimizer = optim.SGD({ parameter { 1 } }, { lr = 1 })
    local S = optim.lr_scheduler
    local chained = S.ChainedScheduler { S.StepLR(optimizer, 2), S.ExponentialLR(optimizer, 0.5) }
    chained:step()
    local state = chained:state_dict()
    chained:step()
    state.schedulers[2] = {}
    local rate = optimizer.param_groups[1].lr
    raises({ "ExponentialLR", "load_state_dict" }, chained.load_state_dict, chained, state)
    assert.same({ rate, 2, 2 }, { optimizer.param_groups[1].lr, chained.schedulers[1].last_epoch,
      chained.last_epoch })
  end)
end)

describe("a schedule's length", function()
  it("may be a fraction of steps where its formula is one", function() -- numbers of the reference
    local function rates(make)
      local optimizer = optim.SGD({ kiln.ones(1):requires_grad_(true) }, { lr = 1 })
      local schedule, list = make(optimizer), {}
      for i = 1, 4 do
        list[i] = optimizer.param_groups[1].lr
        schedule:step()
      end
      return list
    end
    local S = optim.lr_scheduler
    support.near({ 1, 0.654508497187, 0.095491502813, 0.095491502813 },
      kiln.tensor(rates(function(o) return S.CosineAnnealingLR(o, 2.5) end), { dtype = kiln.float64 }))
    support.near({ 0.1, 0.46, 0.82, 0.82 }, kiln.tensor(rates(function(o)
      return S.CyclicLR(o, 0.1, 1, { step_size_up = 2.5, cycle_momentum = false })
    end), { dtype = kiln.float64 }))
    raises({ "CosineAnnealingLR", "T_max" }, rates, function(o) return S.CosineAnnealingLR(o, 0) end)
    raises({ "CyclicLR", "step_size_up" }, rates, function(o)
      return S.CyclicLR(o, 0.1, 1, { step_size_up = -1, cycle_momentum = false })
    end)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
