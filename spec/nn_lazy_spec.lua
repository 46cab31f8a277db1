-- Layers that learn how wide their input is: what they are before and after, and what they refuse.
-- What they compute is compared in nn_golden_spec.lua.
local kiln = require "kiln"
local nn = kiln.nn
local support = require "spec.support"
local raises = support.raises

local function net()
  return nn.Sequential(nn.LazyConv2d(4, 3, { groups = 2 }), nn.LazyBatchNorm2d(), nn.ReLU(),
    nn.LazyConvTranspose2d(2, 2), nn.LazyInstanceNorm2d(), nn.Flatten(), nn.LazyLinear(3))
end

local NAMES = { "Conv2d", "BatchNorm2d", "ReLU", "ConvTranspose2d", "InstanceNorm2d", "Flatten", "Linear" }

local function kinds(model)
  local list = {}
  for _, m in ipairs(model:children()) do list[#list + 1] = m.__name end
  return list
end

describe("a lazy layer", function()
  it("is what it stands for from its first input on", function()
    local model = net()
    assert.is_true(model[1]:has_uninitialized_params())
    assert.equals("LazyConv2d(out_channels=4, kernel_size=3, groups=2)  # 4", tostring(model[1]))
    local y = model(kiln.randn(2, 6, 5, 5))
    assert.equals("[2, 3]", tostring(y.shape))
    assert.same(NAMES, kinds(model))
    assert.equals("Conv2d(in_channels=6, out_channels=4, kernel_size=3, groups=2)  # 112", tostring(model[1]))
    assert.is_false(model[1]:has_uninitialized_params())
    assert.is_true(model[5].affine and model[5].track_running_stats)
    assert.is_nil(next(model[1]._hooks))
    assert.is_true(model[1].weight:abs():max():item() > 0)
  end)

  it("keeps the parameters that an optimizer, a dtype and other owners know", function()
    local layer = nn.LazyLinear(2)
    local optimizer = kiln.optim.SGD(layer:parameters(), { lr = 1 })
    local weight = layer.weight
    layer:double()
    layer(kiln.ones(1, 3, { dtype = kiln.float64 })):sum():backward()
    assert.equals(weight, layer.weight)
    assert.equals("[2, 3]", tostring(weight.shape))
    assert.equals(kiln.float64, weight.dtype)
    local before = weight:detach():clone()
    optimizer:step()
    assert.is_true(weight:add(1):isclose(before):all():item())
  end)

  it("takes its width from a state, which its copy does not share", function()
    local trained = net()
    local x = kiln.randn(2, 6, 5, 5)
    trained(x)
    local other = net()
    local copy = other:clone()
    other:load_state_dict(trained:state_dict())
    assert.same(NAMES, kinds(other))
    assert.is_true(other:eval()(x):equal(trained:eval()(x)))
    assert.equals("LazyLinear", copy[7].__name)
    assert.equals("[4, 0, 3, 3]", tostring(copy[1].weight.shape))
  end)

  it("without bias has none", function()
    local layer = nn.LazyLinear(2, { bias = false })
    layer(kiln.ones(3))
    assert.is_nil(layer.bias)
    local norm = nn.LazyBatchNorm1d { affine = false, track_running_stats = false }
    assert.equals("[4, 3]", tostring(norm(kiln.randn(4, 3)).shape))
    assert.equals(3, norm.num_features)
  end)

  it("refuses what says nothing about its width", function()
    local conv = nn.LazyConv2d(4, 3)
    raises({ "LazyConv2d", "in_channels", "[3, 3]" }, conv, kiln.ones(3, 3))
    raises({ "LazyConv2d", "must be a tensor" }, conv, 3)
    raises({ "LazyLinear", "in_features", "[2, 0]" }, nn.LazyLinear(1), kiln.ones(2, 0))
    raises({ "LazyBatchNorm1d", "num_features", "[3]" }, nn.LazyBatchNorm1d(), kiln.ones(3))
    raises({ "LazyLinear", "out_features is missing" }, nn.LazyLinear)
    local groups = nn.LazyConv1d(2, 1, { groups = 2 })
    raises({ "Conv1d", "in_channels (3)", "groups (2)" }, groups, kiln.ones(3, 4))
    assert.equals("[2, 4]", tostring(groups(kiln.ones(4, 4)).shape))
  end)
end)

describe("layers without numbers", function()
  it("are as in PyTorch", function()
    assert.equals("[2, 0]", tostring(nn.Linear(3, 0)(kiln.ones(2, 3)).shape))
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, nn.Linear(0, 3)(kiln.ones(2, 0)):tolist())
    assert.equals("[2, 0]", tostring(nn.Bilinear(2, 2, 0)(kiln.ones(2, 2), kiln.ones(2, 2)).shape))
    local index = kiln.tensor({ 1, 2 }, { dtype = kiln.int64 })
    assert.equals("[2, 0]", tostring(nn.Embedding(3, 0)(index).shape))
    assert.equals("[0, 3]", tostring(nn.Embedding(0, 3)(kiln.empty(0, { dtype = kiln.int64 })).shape))
    assert.equals("[2, 0, 4]", tostring(nn.InstanceNorm1d(0)(kiln.ones(2, 0, 4)).shape))
    assert.equals("[2, 0]", tostring(nn.LayerNorm(0)(kiln.ones(2, 0)).shape))
    assert.equals("[3, 2]", tostring(nn.RNNCell(0, 2)(kiln.ones(3, 0)).shape))
    assert.equals("[3, 0]", tostring(nn.GRUCell(2, 0)(kiln.ones(3, 2)).shape))
    assert.equals("[2, 0]", tostring(nn.PReLU(0)(kiln.ones(2, 0)).shape))
    local x = kiln.ones(2, 3):requires_grad_()
    nn.Linear(3, 0)(x):sum():backward()
    assert.equals(0, x.grad:abs():sum():item())
    raises({ "Linear", "in_features", "at least 0", "-1" }, nn.Linear, -1, 3)
    raises({ "RNN", "hidden_size", "at least 1" }, nn.RNN, 2, 0)
    raises({ "rnn_layer", "width of at least 1", "[1, 0]" }, kiln.rnn_layer, kiln.ones(1, 0),
      index:narrow(1, 1, 1), kiln.ones(1, 0), nil, kiln.ones(0, 0), nil, "tanh", false)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
