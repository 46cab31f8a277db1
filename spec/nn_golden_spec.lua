-- Modules, functions, optimizers and schedulers against PyTorch: spec/golden/nn.lua, written by nn.py.
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local F, S = nn.functional, optim.lr_scheduler
local golden = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "spec/") .. "golden/nn.lua")

local TOLERANCE = 1e-9

local function ramp(n, step, start)
  return kiln.arange(0, n, { dtype = kiln.float64 }):mul(step):add(start)
end

local function product(shape)
  local n = 1
  for _, s in ipairs(shape) do n = n * s end
  return n
end

-- The same formulas as in nn.py; k counts the inputs from 0.
local function make_input(spec, k)
  local kind, shape, n = spec[1], spec[2], product(spec[2])
  if kind == "float" then return ramp(n, 1.7, 0.3 * k):sin():view(shape):requires_grad_(true) end
  if kind == "prob" then
    return ramp(n, 1.7, 0.3 * k):sin():mul(0.4):add(0.5):view(shape):requires_grad_(true)
  end
  if kind == "simplex" then
    local x = ramp(n, 1.7, 0.3 * k):sin():mul(0.4):add(0.5):view(shape)
    return x / x:sum(-1, true)
  end
  local list = {}
  if kind == "onehot" then
    local width = shape[#shape]
    for i = 0, n - 1 do
      list[i + 1] = (math.floor(i / width) * 7 + 3 * k) % width == i % width and 1 or 0
    end
  end
  for i = 0, n - 1 do
    if kind == "int" then list[i + 1] = (i * 7 + 3 * k) % spec.most + 1 end
    if kind == "sign" then list[i + 1] = (i * 5 + k) % 3 < 1 and 1 or -1 end
  end
  return kiln.tensor(list, { dtype = kind == "int" and kiln.int64 or kiln.float64 }):view(shape)
end

local function fill_parameters(module)
  kiln.no_grad(function()
    local k = 0
    for _, p in module:named_parameters() do
      p:copy_(ramp(p:numel(), 0.9, 0.7 * k + 1):sin():mul(0.5):view(p:size()))
      k = k + 1
    end
    k = 0
    for name, b in module:named_buffers() do
      if b.dtype.is_floating_point and name:find "running" then
        b:copy_(ramp(b:numel(), 0.9, 0.7 * k):sin():mul(0.5):add(1):view(b:size()))
      end
      k = k + 1
    end
  end)
end

local function check_print(what, x, expected, tolerance)
  assert.are.equal("[" .. table.concat(expected[1], ", ") .. "]", tostring(x.shape), what .. ": shape")
  local flat = x:detach():to(kiln.float64):reshape(-1)
  local sums = {
    flat:mul(ramp(flat:numel(), 1.1, 0.5):cos()):sum():item(), flat:mul(ramp(flat:numel(), 0.37,
      1):sin()):sum():item(),
  }
  for i, sum in ipairs(sums) do
    local want = expected[i + 1]
    assert(math.abs(sum - want) <= (tolerance or TOLERANCE) * math.max(1, math.abs(want)),
      ("%s: sum %d is %.15g, not %.15g"):format(what, i, sum, want))
  end
end

-- Flattens results: a state { h, c } is two tensors.
local function flatten(list, into)
  for i = 1, list.n or #list do
    local v = list[i]
    if kiln.is_tensor(v) then into[#into + 1] = v
    elseif type(v) == "table" then flatten(v, into) end
  end
  return into
end

-- Modules that nn.py wraps so that a state or options can be given.
local Wrapped = nn.Module:extend "Wrapped"
function Wrapped:init(inner, options) self.inner, self.options = inner, options end
function Wrapped:forward(x, ...)
  if self.inner.__name == "MultiheadAttention" then
    local k, v = ...
    if self.options then return self.inner(x, k, v, self.options) end
    return self.inner(x, k, v)
  end
  if select("#", ...) == 2 then return self.inner(x, { ... }) end
  return self.inner(x, ...)
end

local Packed = nn.Module:extend "Packed"
function Packed:init(inner, lengths, enforce)
  self.inner, self.lengths, self.enforce = inner, lengths, enforce
end
function Packed:forward(x)
  local p = nn.utils.pack_padded_sequence(x, self.lengths, { enforce_sorted = self.enforce })
  local y, state = self.inner(p)
  return (nn.utils.pad_packed_sequence(y)), state
end

local LastStep = nn.Module:extend "LastStep"
function LastStep:init(inner, head)
  self.inner = inner
  self.head = head
end
function LastStep:forward(x)
  local y = self.inner(x)
  return self.head(y:select(2, -1))
end

local WithTarget = nn.Module:extend "WithTarget"
function WithTarget:init(inner, target)
  self.inner = inner
  self.target = kiln.tensor(target)
end
function WithTarget:forward(x) return self.inner(x, self.target) end

-- A layer that has seen an input of that shape.
local function warm(layer, shape)
  layer(kiln.ones(shape))
  return layer
end

local environment = setmetatable({ nn = nn, F = F, kiln = kiln, S = S, D = kiln.distributions,
  wrap = Wrapped, warm = warm, packed = Packed, last_step = LastStep, with_target = WithTarget },
  { __index = _G })
local function evaluate(text)
  return setfenv(assert(loadstring("return " .. text)), environment)()
end

-- In how many configurations each function and module was compared: { [name] = { [configuration] = true } }.
local seen, configuration = {}, nil

local function count(where, name, key)
  local inner = where[key]
  seen[name] = {}
  where[key] = function(...)
    if configuration then seen[name][configuration] = true end
    return inner(...)
  end
end

local function is_class(v) return type(v) == "table" and getmetatable(v) and rawget(v, "__base") ~= nil end

for name, class in pairs(nn) do
  if is_class(class) then count(class, "nn." .. name, "init") end
end
do
  local names = getmetatable(F).__names()
  for name in pairs(F) do names[#names + 1] = name end
  for _, name in ipairs(names) do count(F, "F." .. name, name) end
end

local function run_case(row)
  local shapes = {}
  for k, spec in ipairs(row.inputs) do shapes[k] = table.concat(spec[2], ",") end
  configuration = row.lua .. " " .. row.mode .. " " .. table.concat(shapes, " ")
  local subject, inputs = evaluate(row.lua), {}
  local module = type(subject) == "table" and subject or nil
  if module then
    module:double()
    fill_parameters(module)
    module:train(row.mode == "train")
  end
  for k, spec in ipairs(row.inputs) do inputs[k] = make_input(spec, k - 1) end
  local outputs = flatten({ n = 8, subject(unpack(inputs)) }, {})
  assert.are.equal(#row.outputs, #outputs, "number of outputs")
  local total
  for i, y in ipairs(outputs) do
    check_print("output " .. i, y, row.outputs[i])
    if y.requires_grad then
      local part = (y * ramp(y:numel(), 1.3, 0.2 + i - 1):cos():view(y:size())):sum()
      total = total and total + part or part
    end
  end
  if total then
    total:backward()
    local k = 0
    local function check_grad(what, x)
      k = k + 1
      local want, g = row.grads[k], x.grad
      if want == false then assert(g == nil, what .. " has a gradient") return end
      assert(g ~= nil, what .. " has no gradient")
      check_print("gradient of " .. what, g, want, row.tolerance)
    end
    for i, x in ipairs(inputs) do check_grad("input " .. i, x) end
    if module then
      for name, p in module:named_parameters() do check_grad(name, p) end
    end
  end
  local i = 0
  for name, b in (module or nn.Identity()):named_buffers() do
    if b.dtype.is_floating_point then
      i = i + 1
      check_print("buffer " .. name, b, row.buffers[i])
    end
  end
end

describe("golden", function()
  -- As in nn.py: densities are asked for at values of which some are none of the distribution's.
  setup(function() kiln.distributions.Distribution.set_default_validate_args(false) end)
  teardown(function() kiln.distributions.Distribution.set_default_validate_args(true) end)

  for i, row in ipairs(golden.cases) do
    it(("%d: %s (%s)"):format(i, row.lua, row.mode), function() run_case(row) end)
  end

  it("has three configurations of every module and function", function()
    configuration = nil
    -- Some hold, share or distribute what others compute; one cannot do without its random numbers.
    local others = { ["nn.Module"] = 1, ["nn.ModuleList"] = 1, ["nn.ModuleDict"] = 1,
      ["nn.ParameterList"] = 1, ["nn.ParameterDict"] = 1, ["nn.DataParallel"] = 1,
      ["nn.DistributedDataParallel"] = 1, ["F.gumbel_softmax"] = 1, ["nn.RNNBase"] = 1,
      ["nn.RNNCellBase"] = 1 }
    local few = {}
    for name, configurations in pairs(seen) do
      local n = 0
      for _ in pairs(configurations) do n = n + 1 end
      if n < 3 and not others[name] then few[#few + 1] = name .. " " .. n end
    end
    table.sort(few)
    assert.equals("", table.concat(few, ", "))
  end)
end)

describe("optimizers", function()
  for _, row in ipairs(golden.optimizers) do
    it(row.lua, function()
      local name, options = row.lua:match "^(%w+):(.*)$"
      local xs = {
        ramp(6, 1.7, 0):sin():view(2, 3):requires_grad_(true), ramp(4, 1.7, 0.3):sin():requires_grad_(true),
      }
      local optimizer = optim[name](xs, evaluate("{" .. options .. "}"))
      local function closure()
        optimizer:zero_grad()
        local loss
        for k, x in ipairs(xs) do
          local w = ramp(x:numel(), 1.3, 2):cos():abs():view(x:size())
          local part = (w * (x - 0.5 * (k - 1)) ^ 4):sum() + (x * x):sum() * 0.1
          loss = loss and loss + part or part
        end
        loss:backward()
        return loss
      end
      for _ = 1, row.steps do optimizer:step(closure) end
      for k, x in ipairs(xs) do check_print("parameter " .. k, x, row.final[k]) end
    end)
  end
end)

describe("row-sparse gradients", function()
  for _, row in ipairs(golden.lookups) do
    it(("%s of %s"):format(row.lua, row.module), function()
      local name, options = row.lua:match "^(%w+):(.*)$"
      local module = evaluate(row.module):double()
      fill_parameters(module)
      local optimizer = optim[name](module:parameters(), evaluate("{" .. options .. "}"))
      for t = 0, 49 do
        local ids = {}
        for i = 0, 5 do ids[i + 1] = (i * (t % 3 + 2) + t * t) % 7 + 1 end
        optimizer:zero_grad()
        local y = module(kiln.tensor(ids, { dtype = kiln.int64 }):view(2, 3))
        local w = ramp(y:numel(), 1.3, 2):cos():abs():view(y:size());
        (w * (y - 0.3) ^ 4):sum():backward()
        assert.is_true(module.weight.grad.is_sparse)
        optimizer:step()
      end
      check_print("weight", module.weight, row.final)
    end)
  end
end)

describe("training curves", function()
  for _, row in ipairs(golden.curves) do
    it(row.lua, function()
      local module = evaluate(row.lua):double()
      fill_parameters(module)
      local x, classes = ramp(product(row.shape), 1.7, 0):sin():view(row.shape), {}
      for i = 0, row.shape[1] - 1 do classes[i + 1] = i * 7 % row.classes + 1 end
      local target = kiln.tensor(classes, { dtype = kiln.int64 })
      local optimizer = optim.SGD(module:parameters(), { lr = row.lr, momentum = 0.9 })
      for step = 1, 200 do
        optimizer:zero_grad()
        local loss = F.cross_entropy(module(x), target)
        loss:backward()
        optimizer:step()
        assert.near(row.losses[step], loss:item(), 1e-6, "loss of step " .. step)
      end
    end)
  end
end)

describe("schedulers", function()
  for _, row in ipairs(golden.schedulers) do
    it(row.lua, function()
      local optimizer = optim.SGD({ kiln.zeros(1):requires_grad_(true) }, { lr = 0.1, momentum = 0.9 })
      local text = "function(o) return S." .. row.lua .. " end"
      local scheduler, metric = evaluate(text)(optimizer), row.lua:match "^ReduceLROnPlateau"
      for step = 0, 99 do
        local group = optimizer.param_groups[1]
        assert.near(row.rates[step + 1], group.lr, 1e-10, "rate at step " .. step)
        if row.momentum then
          assert.near(row.momentum[step + 1], group.momentum, 1e-10, "momentum at step " .. step)
        end
        if metric then scheduler:step(math.exp(-step / 20) + 0.1 * math.sin(step)) else scheduler:step() end
      end
    end)
  end
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
