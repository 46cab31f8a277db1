-- DataParallel and DistributedDataParallel: two devices, or one twice, compute what one device does; two
-- threads train as one process with the whole batch does.
local kiln = require "kiln"
local nn = kiln.nn
local device = require "spec.support.device"
local support = require "spec.support"
local raises, near = support.raises, support.near

local HERE = kiln.get_default_device()
local TWO = device.two()
local function same(a, b, tolerance)
  assert.is_true((a - b):detach():abs():max():item() <= (tolerance or 1e-12))
end

local function net()
  local m = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)):double()
  kiln.no_grad(function()
    for k, p in ipairs(m:parameters()) do
      p:copy_(kiln.arange(1, p:numel() + 1, { dtype = kiln.float64 }):mul(0.7 + k):sin():view_as(p))
    end
  end)
  return m
end

local function batch(n, width)
  return kiln.arange(1, n * width + 1, { dtype = kiln.float64 }):cos():view(n, width)
end

describe("DataParallel", function()
  it("splits a batch, and gradients come together", function()
    local model, x = net(), batch(5, 3)
    local y = model(x)
    y:sum():backward()
    local expected = model[1].weight.grad:clone()
    model:zero_grad()
    local parallel = nn.DataParallel(model, { device_ids = TWO })
    local z = parallel(x)
    same(z, y)
    z:sum():backward()
    same(model[1].weight.grad, expected)
    assert.equals(4, #parallel:parameters())
    for _, ids in ipairs { {}, { HERE }, { HERE, HERE, HERE, HERE } } do
      same(nn.DataParallel(model, { device_ids = ids })(x), y)
    end
    same(parallel(x:narrow(1, 1, 1)), y:narrow(1, 1, 1)) -- less than there are devices
    if TWO[2] == "cuda:2" then -- a number is one of a CUDA device
      local joined = nn.DataParallel(model, { device_ids = { 1, 2 }, output_device = 2 })(x)
      assert.equals("cuda:2", joined.device)
      same(joined:to(HERE), y)
    end
    assert.equals("[0, 2]", tostring(parallel(x:narrow(1, 1, 0)).shape))
  end)

  it("raises what is wrong in any device's share where its result is read", function()
    local n = kiln.tensor({ 1, 2, 3, 9 }, { dtype = kiln.int64 })
    local parallel = nn.DataParallel(nn.Embedding(4, 2), { device_ids = TWO })
    raises({ "embedding: index 9 at position [", "of range 1..4" }, function() parallel(n):sum():item() end)
    device.settle()
  end)

  it("gives replicas lists of parameters, and parameters() that lead back", function()
    local Listed = nn.Module:extend "Listed"
    function Listed:init()
      self.list = nn.ParameterList { nn.Parameter(kiln.ones(3)), nn.Parameter(kiln.ones(3)) }
    end
    function Listed:forward(x)
      local y = x * self.list[2]
      for _, p in ipairs(self:parameters()) do y = y + p:sum() end
      return y * #self.list:parameters()
    end
    local model, x = Listed(), kiln.ones(5, 3)
    local y = model(x)
    y:sum():backward()
    local expected = model.list[1].grad:clone()
    model:zero_grad()
    local z = nn.DataParallel(model, { device_ids = TWO })(x)
    same(z, y)
    z:sum():backward()
    same(model.list[1].grad, expected)
  end)

  it("names parameters as the reference does", function()
    local names, parallel = {}, nn.DataParallel(net(), { device_ids = TWO })
    for name in pairs(parallel:state_dict()) do names[#names + 1] = name end
    table.sort(names)
    assert.same({ "module.0.bias", "module.0.weight", "module.2.bias", "module.2.weight" }, names)
  end)

  it("splits tables and several inputs, joins several outputs", function()
    local Both = nn.Module:extend "Both"
    function Both.forward(_self, pair, scale, text)
      return { sum = pair.a + pair[1] * scale, text = text }, pair.a:sum()
    end
    local a, b = batch(4, 2), batch(4, 2) * 2
    local out, sums = nn.DataParallel(Both(), { device_ids = TWO })({ a = a, b }, 3, "word")
    same(out.sum, a + b * 3)
    assert.equals("word", out.text)
    near({ a:narrow(1, 1, 2):sum():item(), a:narrow(1, 3, 2):sum():item() }, sums, 1e-12)
    local second = nn.DataParallel(nn.Identity(), { device_ids = TWO, dim = 2 })
    same(second(a), a)
  end)

  it("keeps what the first device wrote into buffers", function()
    local norm = nn.BatchNorm1d(2):double()
    local alone = nn.BatchNorm1d(2):double()
    local x = batch(6, 2)
    nn.DataParallel(norm, { device_ids = TWO })(x)
    alone(x:narrow(1, 1, 3))
    same(norm.running_mean, alone.running_mean)
    assert.equals(1, norm.num_batches_tracked:item())
  end)

  it("keeps submodules in order, with their hooks", function()
    local Ordered = nn.Module:extend "Ordered"
    function Ordered:init()
      self.scale = nn.Parameter(kiln.ones(1))
      self.one = nn.Identity()
      self.two = nn.Identity()
    end
    function Ordered:forward(x)
      local names = {}
      for name in self:named_children() do names[#names + 1] = name end
      assert.same({ "one", "two" }, names)
      return self.two(self.one(x)) * self.scale
    end
    local model, calls = Ordered(), 0
    model.one:register_forward_hook(function() calls = calls + 1 end)
    nn.DataParallel(model, { device_ids = TWO })(kiln.ones(2, 1)):sum():backward()
    assert.equals(2, calls)
    assert.equals(2, model.scale.grad:item())
  end)

  it("checks its arguments", function()
    raises({ "DataParallel", "module" }, nn.DataParallel, 3)
    raises({ "a device is" }, nn.DataParallel, net(), { device_ids = { "gpu" } })
    local parallel = nn.DataParallel(net(), { device_ids = TWO, dim = 3 })
    raises({ "DataParallel", "[5, 3]", "dim 3" }, parallel, batch(5, 3))
    local pair = nn.DataParallel(nn.Identity(), { device_ids = TWO })
    raises({ "DataParallel", "input 2", "1 parts", "2" }, pair, batch(4, 1), batch(1, 1))
  end)
end)

-- What both processes run; `group` is theirs.
local TRAIN = [[
  local kiln, group, model, x, y = ...
  local nn = kiln.nn
  local parallel = nn.DistributedDataParallel(model, { process_group = group })
  local optimizer = kiln.optim.SGD(parallel:parameters(), { lr = 0.1, momentum = 0.9 })
  for _ = 1, 5 do
    optimizer:zero_grad()
    nn.functional.mse_loss(parallel(x), y):backward()
    optimizer:step()
  end
  return parallel
]]

-- Rank 1 sends, rank 0 adds and answers.
local GROUP = [[
  local rank, forth, back = ...
  local transport = require "kiln.utils.transport"
  local function exchange(t)
    if rank == 0 then
      local other = transport.decode(back:pop(60))
      return other, function(v) forth:push(transport.encode(v)) end
    end
    back:push(transport.encode(t:clone()))
    return transport.decode(forth:pop(60))
  end
  return {
    size = function() return 2 end,
    broadcast = function(t)
      local other, answer = exchange(t)
      if answer then answer(t:clone()) else t:copy_(other) end
    end,
    all_reduce = function(t)
      local other, answer = exchange(t)
      if answer then
        t:add_(other)
        answer(t:clone())
      else
        t:copy_(other)
      end
    end,
  }
]]

describe("DistributedDataParallel", function()
  it("trains two processes as one with the whole batch", function()
    local thread, transport = require "kiln.utils.thread", require "kiln.utils.transport"
    local x, y = batch(6, 3), batch(6, 2):sin()

    local alone = net()
    local optimizer = kiln.optim.SGD(alone:parameters(), { lr = 0.1, momentum = 0.9 })
    for _ = 1, 5 do
      optimizer:zero_grad()
      nn.functional.mse_loss(alone(x), y):backward()
      optimizer:step()
    end

    local forth, back, done = thread.channel(), thread.channel(), thread.channel()
    local worker = thread.start([[
      local transport, channel = require "kiln.utils.transport", require("kiln.utils.thread").channel
      local kiln = require "kiln"
      require "spec.support.device"
      local at, train, group, x, y = unpack(transport.decode(...))
      local forth, back, done = channel(at[1]), channel(at[2]), channel(at[3])
      local model = kiln.nn.Sequential(kiln.nn.Linear(3, 4), kiln.nn.Tanh(), kiln.nn.Linear(4, 2)):double()
      local parallel = loadstring(train)(kiln, loadstring(group)(1, forth, back), model, x, y)
      done:push(transport.encode(parallel:state_dict()))
      forth:release()
      back:release()
      done:release()
    ]], transport.encode { { forth:share(), back:share(), done:share() }, TRAIN, GROUP, x:narrow(1, 4, 3),
      y:narrow(1, 4, 3) })
    local mine = loadstring(TRAIN)(kiln, loadstring(GROUP)(0, forth, back), net(), x:narrow(1, 1, 3),
      y:narrow(1, 1, 3))
    assert.is_nil(worker:join())
    local theirs = transport.decode(done:pop(60))
    for name, value in pairs(mine:state_dict()) do
      assert.is_true(value:equal(theirs[name]), name)
      same(value, alone:state_dict()[name:gsub("^module%.", "")])
    end
    for _, c in ipairs { forth, back, done } do c:release() end
  end)

  it("splits over devices as DataParallel does", function()
    local group = { size = function() return 1 end, broadcast = function() end, all_reduce = function() end }
    local model, x = net(), batch(5, 3)
    local expected = model(x)
    local parallel = nn.DistributedDataParallel(model, { device_ids = TWO, process_group = group })
    same(parallel(x), expected)
  end)

  it("needs a group", function()
    raises({ "DistributedDataParallel", "process_group is missing" }, nn.DistributedDataParallel, net())
    raises({ "process_group.size must be a function, not nil" }, nn.DistributedDataParallel, net(),
      { process_group = {} })
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
