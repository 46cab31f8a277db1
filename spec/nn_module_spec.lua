-- nn.Module and the containers: what registers, walks, modes, conversions, state, printing.
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local support = require "spec.support"
local raises = support.raises

local Net = nn.Module:extend "Net"
function Net:init()
  self.first = nn.Linear(3, 4)
  self.scale = nn.Parameter(kiln.ones(4))
  self:register_buffer("count", kiln.zeros(1))
  self.second = nn.Linear(4, 2)
end
function Net:forward(x) return self.second((self.first(x) * self.scale):relu()) end

local function names(iterator)
  local list = {}
  for name in iterator do list[#list + 1] = name end
  return table.concat(list, " ")
end

describe("a module", function()
  it("registers parameters, buffers and modules on assignment, in order", function()
    local net = Net()
    assert.equals("scale first.weight first.bias second.weight second.bias", names(net:named_parameters()))
    assert.equals("count", names(net:named_buffers()))
    assert.equals("first second", names(net:named_children()))
    assert.equals(" first second", names(net:named_modules()))
    assert.equals(5, #net:parameters())
    assert.equals("scale", names(net:named_parameters("", false)))
  end)

  it("registers what takes the place of a plain field", function()
    local net = Net()
    net.extra = false
    net.extra = nn.Parameter(kiln.ones(1))
    assert.equals(6, #net:parameters())
    net.extra = nil
    assert.equals(5, #net:parameters())
    assert.is_nil(net.extra)
  end)

  it("refuses to lose a parameter and to hide a method", function()
    local net = Net()
    raises({ "Net", "scale", "parameter" }, function() net.scale = kiln.ones(4) end)
    raises({ "Net", "first", "module" }, function() net.first = 3 end)
    raises({ "Net", "'forward' is a method" }, function() net.forward = nn.Linear(1, 1) end)
    raises({ "register_buffer", "must be a tensor" }, function() net:register_buffer("b", 3) end)
    raises({ "add_module", "dots" }, function() net:add_module("a.b", nn.ReLU()) end)
    net.count = kiln.ones(1)
    assert.equals(1, net.count:item())
  end)

  it("says that it has no forward", function()
    local Empty = nn.Module:extend "Empty"
    raises({ "Empty", "has no forward" }, Empty())
  end)

  it("switches modes all the way down", function()
    local net = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    assert.is_true(net.training)
    assert.equals(net, net:eval())
    for _, m in ipairs(net:modules()) do assert.is_false(m.training) end
    net:train()
    for _, m in ipairs(net:modules()) do assert.is_true(m.training) end
    raises({ "train", "mode" }, net.train, net, 3)
  end)

  it("asks a module for its own way to train", function()
    local Frozen = nn.Module:extend "Frozen"
    function Frozen:init() self.norm = nn.BatchNorm1d(2) end
    function Frozen:train() return nn.Module.train(self, false) end
    local net = nn.Sequential(nn.Linear(2, 2), Frozen())
    net:train()
    assert.is_true(net[1].training)
    assert.is_false(net[2].norm.training)
  end)

  it("applies a function to the children first", function()
    local seen = {}
    Net():apply(function(m) seen[#seen + 1] = m.__name end)
    assert.same({ "Linear", "Linear", "Net" }, seen)
  end)

  it("zeroes gradients", function()
    local net = Net()
    net(kiln.ones(2, 3)):sum():backward()
    assert.is_not_nil(net.first.weight.grad)
    net:zero_grad { set_to_none = false }
    assert.equals(0, net.first.weight.grad:abs():sum():item())
    net:zero_grad()
    assert.is_nil(net.first.weight.grad)
  end)

  it("prints as a tree with parameter counts", function()
    local text = tostring(nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Sequential(nn.Linear(256, 10,
      false))))
    assert.equals([[
Sequential(
  (0): Linear(in_features=784, out_features=256)  # 200,960
  (1): ReLU()
  (2): Sequential(
    (0): Linear(in_features=256, out_features=10, bias=false)  # 2,560
  )
)
parameters: 203,520]], text)
    assert.equals(203520, nn.Sequential(nn.Linear(784, 256), nn.Linear(256, 10, false)):num_parameters())
  end)
end)

describe("conversions", function()
  it("change floating tensors and leave the others", function()
    local net = nn.BatchNorm1d(3)
    assert.equals(net, net:double())
    assert.equals(kiln.float64, net.weight.dtype)
    assert.equals(kiln.float64, net.running_mean.dtype)
    assert.equals(kiln.int64, net.num_batches_tracked.dtype)
    assert.equals(kiln.float16, net:half().weight.dtype)
    assert.equals(kiln.float32, net:to(kiln.float32).weight.dtype)
    assert.equals(kiln.float32, net:to({ dtype = kiln.float32, device = "cpu" }).weight.dtype)
    assert.equals(kiln.float64, net:to(kiln.zeros(1, { dtype = kiln.float64 })).weight.dtype)
    assert.is_true(net.weight.requires_grad)
    raises({ "BatchNorm1d", "to", "floating" }, net.to, net, kiln.int64)
  end)

  it("keep shared parameters shared, for the optimizer too", function()
    local a, b = nn.Linear(3, 3), nn.Linear(3, 3)
    b.weight = a.weight
    local net = nn.Sequential(a, b)
    assert.equals(3, #net:parameters())
    local optimizer = optim.SGD(net:parameters(), { lr = 0.1 })
    net:double()
    assert.is_true(a.weight:is_same(b.weight))
    local x = kiln.randn(4, 3, { dtype = kiln.float64 })
    net(x):sum():backward()
    local twice = a.weight.grad:clone()
    local alone = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3)):double()
    alone:load_state_dict(net:state_dict())
    alone(x):sum():backward()
    local sum = alone[1].weight.grad + alone[2].weight.grad
    assert.is_true((sum - twice):abs():sum():item() < 1e-12)
    local before = a.weight:detach():clone()
    optimizer:step()
    assert.is_true((before - twice * 0.1 - a.weight:detach()):abs():sum():item() < 1e-12)
    assert.equals(kiln.float64, b.weight.dtype)
  end)

  it("change nothing where a row-sparse gradient stands in the way", function()
    local net = nn.Sequential(nn.Linear(2, 2), nn.Embedding(5, 2, { sparse = true }))
    net[2](kiln.tensor({ 1, 3 }, { dtype = kiln.int64 })):sum():backward()
    raises({ "Sequential", "the gradient of '1.weight' is row-sparse" }, net.double, net)
    assert.equals(kiln.float32, net[1].weight.dtype)
    assert.is_true(net:float()[2].weight.grad.is_sparse)
    net:zero_grad()
    assert.equals(kiln.float64, net:double()[2].weight.dtype)
  end)

  it("convert gradients along", function()
    local net = nn.Linear(2, 1)
    net(kiln.ones(1, 2)):backward(kiln.ones(1, 1))
    net:double()
    assert.equals(kiln.float64, net.weight.grad.dtype)
    support.near({ { 1, 1 } }, net.weight.grad)
  end)
end)

describe("a state dict", function()
  it("has the reference's keys and shares memory", function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    local state, keys = net:state_dict(), {}
    for key in pairs(state) do keys[#keys + 1] = key end
    table.sort(keys)
    assert.equals("0.bias 0.weight 1.bias 1.num_batches_tracked 1.running_mean 1.running_var 1.weight",
      table.concat(keys, " "))
    kiln.no_grad(function() state["0.weight"]:fill_(7) end)
    assert.equals(7, net[1].weight[1][1]:item())
    assert.is_false(state["0.weight"].requires_grad)
  end)

  it("loads strictly, and names all that does not fit at once", function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    local before = net[1].weight:detach():clone()
    local state = { ["0.weight"] = kiln.zeros(3, 2), ["1.weight"] = kiln.zeros(4, 4), extra = kiln.zeros(1) }
    local ok, message = pcall(net.load_state_dict, net, state)
    assert.is_false(ok)
    for _, part in ipairs { "missing: 0.bias, 1.bias", "unexpected: extra",
      "mismatched: 1.weight ([4, 4] in the state, [1, 3] here)" } do
      assert.truthy(message:find(part, 1, true), message)
    end
    assert.equals(0, (net[1].weight:detach() - before):abs():sum():item())
    state["1.weight"] = nil
    local whole, parallel = { epoch = 3, model = net:state_dict() }, {}
    raises({ "the state's field 'model' is a table with" }, net.load_state_dict, net, whole)
    for name, x in pairs(net:state_dict()) do parallel["module." .. name] = x end
    raises({ "begin with 'module.'" }, net.load_state_dict, net, parallel)
    local missing, unexpected = net:load_state_dict(state, { strict = false })
    assert.same({ "extra" }, unexpected)
    assert.equals(3, #missing)
    assert.equals(0, net[1].weight:detach():abs():sum():item())
  end)

  it("leaves out transient buffers", function()
    local m = nn.Module()
    m:register_buffer("kept", kiln.ones(1))
    m:register_buffer("scratch", kiln.ones(1), false)
    assert.same({ "kept" }, (function()
      local keys = {}
      for key in pairs(m:state_dict()) do keys[#keys + 1] = key end
      return keys
    end)())
    assert.equals(2, #m:buffers())
  end)
end)

describe("containers", function()
  it("are lists that count from 1", function()
    local a, b, c = nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)
    local list = nn.ModuleList { a, b }
    assert.equals(2, list:len())
    assert.equals(a, list[1])
    assert.equals(b, list[-1])
    list:append(c)
    list:insert(1, b)
    assert.equals(b, list[1])
    assert.equals(a, list[2])
    assert.equals(4, list:len())
    list:extend { a }
    assert.equals(5, list:len())
    local seen = {}
    for i, m in list:iter() do seen[i] = m end
    assert.same({ b, a, b, c, a }, seen)
    raises({ "ModuleList", "modules" }, list.append, list, 3)
    raises({ "position", "1..6" }, function() list[9] = a end)
    local Mine = nn.ModuleList:extend "Mine"
    assert.equals("Mine", Mine().__name)
  end)

  it("take names", function()
    local net = nn.Sequential { { "conv", nn.Conv2d(1, 2, 3) }, { "act", nn.ReLU() } }
    assert.equals("conv act", names(net:named_children()))
    assert.equals("[1, 2, 4, 4]", tostring(net(kiln.ones(1, 1, 6, 6)).shape))
    local dict = nn.ModuleDict { relu = nn.ReLU(), gate = nn.Linear(2, 2) }
    assert.same({ "gate", "relu" }, dict:keys())
    assert.is_true(dict:contains "relu")
    assert.equals("ReLU", dict:pop("relu").__name)
    assert.equals(1, dict:len())
    raises({ "ModuleDict", "no element 'nothing'" }, dict.pop, dict, "nothing")
  end)

  it("hold parameters", function()
    local list = nn.ParameterList { nn.Parameter(kiln.ones(2)), nn.Parameter(kiln.ones(3)) }
    assert.equals(2, #list:parameters())
    local dict = nn.ParameterDict { w = nn.Parameter(kiln.ones(2)) }
    assert.equals("w", names(dict:named_parameters()))
    raises({ "ParameterList", "parameters" }, list.append, list, 1)
    list:append(kiln.ones(4)) -- a plain tensor becomes one
    assert.is_true(list[3].requires_grad)
    assert.equals("0 1 2", names(list:named_parameters()))
  end)
end)

describe("arguments", function()
  it("are checked where the module is made", function()
    raises({ "Linear", "out_features is missing" }, nn.Linear, 3)
    raises({ "Linear", "in_features", "whole number", "3.5" }, nn.Linear, 3.5, 2)
    raises({ "Linear", "unknown option 'bais'" }, nn.Linear, 3, 2, { bais = false })
    raises({ "Linear", "takes at most" }, nn.Linear, 3, 2, true, nil, nil, 7)
    raises({ "Conv2d", "kernel_size", "list of 2" }, nn.Conv2d, 1, 2, { 3, 3, 3 })
    raises({ "Conv2d", "divide by groups" }, nn.Conv2d, 3, 2, 3, { groups = 2 })
    raises({ "Dropout", "p must be in [0, 1]", "1.5" }, nn.Dropout, 1.5)
    raises({ "CrossEntropyLoss", "reduction", "'mean', 'sum', 'none'" }, nn.CrossEntropyLoss,
      { reduction = "avg" })
    raises({ "Linear", "given twice" }, nn.Linear, 3, 2, { in_features = 3 })
    raises({ "BatchNorm2d", "4 dims", "2" }, nn.BatchNorm2d(3), kiln.ones(2, 3))
    raises({ "Embedding", "padding_idx", "1..4", "7" }, nn.Embedding, 4, 2, { padding_idx = 7 })
  end)

  it("point at the script", function()
    local ok, message = pcall(function() nn.Linear(3) end)
    assert.is_false(ok)
    assert.truthy(message:find("nn_module_spec.lua", 1, true), message)
  end)

  it("take a dtype", function()
    assert.equals(kiln.float64, nn.Linear(2, 2, { dtype = kiln.float64 }).weight.dtype)
    assert.equals(kiln.float64, nn.LSTM(2, 2, { dtype = kiln.float64 }).weight_hh_l0.dtype)
  end)
end)

describe("printing", function()
  it("works for every class that needs no arguments", function()
    for name, class in pairs(nn) do
      local is_class = type(class) == "table" and getmetatable(class) and rawget(class, "__base")
      local ok, layer = pcall(is_class and name ~= "Transformer" and class or error)
      if ok then assert.truthy(tostring(layer):find(name, 1, true)) end
    end
    assert.equals("PReLU()  # 1", tostring(nn.PReLU()))
    assert.equals(1, nn.Sequential(nn.PReLU()):num_parameters())
  end)
end)

describe("a path", function()
  it("finds modules and parameters", function()
    local net = nn.Sequential(nn.Sequential(nn.Linear(2, 3)), nn.ReLU())
    assert.is_true(net:get_submodule "0.0" == net[1][1])
    assert.is_true(net:get_submodule "" == net)
    assert.is_true(net:get_parameter "0.0.bias" == net[1][1].bias)
    raises({ "get_submodule", "'0.7'", "'7'" }, net.get_submodule, net, "0.7")
    raises({ "get_submodule", "'0.0.bias' is a parameter" }, net.get_submodule, net, "0.0.bias")
    raises({ "get_parameter", "'1' is a module" }, net.get_parameter, net, "1")
    local state = net:state_dict { prefix = "net." }
    assert.is_true(state["net.0.0.weight"]:equal(net[1][1].weight:detach()))
    assert.is_nil(state["0.0.weight"])
    raises({ "state_dict", "'prefx'" }, net.state_dict, net, { prefx = "" })
  end)
end)

describe("computed weights", function()
  it("are a copy's own", function()
    for _, kind in ipairs { "weight_norm", "spectral_norm" } do
      local layer = nn.utils[kind](nn.Linear(2, 3))
      local twin = layer:clone()
      local part = kind == "weight_norm" and "weight_g" or "weight_orig"
      local before = layer:eval()(kiln.ones(1, 2)):detach():clone()
      kiln.no_grad(function() twin[part]:mul_(kiln.tensor { { 2 }, { 3 }, { 4 } }) end)
      assert.is_true(layer(kiln.ones(1, 2)):equal(before))
      assert.is_false(twin:eval()(kiln.ones(1, 2)):equal(before))
      nn.utils["remove_" .. kind](twin)
      assert.is_true(layer(kiln.ones(1, 2)):equal(before))
      nn.utils["remove_" .. kind](layer)
      assert.is_true((layer(kiln.ones(1, 2)) - before):abs():max():item() < 1e-6)
      raises({ "remove_" .. kind, "has no " .. kind }, nn.utils["remove_" .. kind], layer)
    end
  end)
end)

describe("shared parameters", function()
  it("stay shared through double, to, save and load", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local Tied = nn.Module:extend "Tied"
    function Tied:init()
      self.embed = nn.Embedding(5, 3)
      self.head = nn.Linear(3, 5, { bias = false })
      self.head.weight = self.embed.weight
    end
    local net = Tied()
    local optimizer = kiln.optim.SGD(net:parameters(), { lr = 0.1 })
    net:double():to(kiln.float32):to({ dtype = kiln.float64, device = "cpu" }):type(kiln.float64)
    assert.is_true(net.head.weight == net.embed.weight)
    assert.equals(1, #net:parameters())
    net.embed(kiln.tensor({ 2 }, { dtype = kiln.int64, device = "cpu" })):sum():backward()
    local before = net.head.weight:detach():clone()
    optimizer:step() -- knows the parameter as it is now
    assert.near(-0.1, (net.head.weight:detach() - before)[2][1]:item(), 1e-12)
    kiln.save(net:state_dict(), path)
    local state = kiln.load(path)
    assert.equals(state["head.weight"]:data_ptr(), state["embed.weight"]:data_ptr())
    local other = Tied():double():to "cpu"
    other:load_state_dict(state)
    assert.is_true(other.head.weight == other.embed.weight)
    assert.is_true(other.head.weight:equal(net.head.weight))
  end)
end)

describe("a copy", function()
  it("has tensors of its own, shares inside what was shared, and keeps hooks", function()
    local net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 2))
    net[3].weight = net[1].weight
    net.note = { 1, { 2 } }
    local calls = 0
    net[1]:register_forward_hook(function() calls = calls + 1 end)
    local twin = net:clone():eval()
    assert.is_true(net.training)
    assert.equals(tostring(net), tostring(twin))
    assert.is_true(twin[1].weight == twin[3].weight)
    assert.is_false(twin[1].weight == net[1].weight)
    kiln.no_grad(function() twin[1].weight:zero_() end)
    assert.is_true(net[1].weight:abs():sum():item() > 0)
    assert.is_false(rawequal(twin.note[2], net.note[2]))
    twin(kiln.ones(3, 2)):sum():backward()
    assert.equals(1, calls)
    assert.is_nil(net[3].bias.grad)
    assert.equals(5, #twin:parameters())
    twin:load_state_dict(net:state_dict())
    assert.is_true(twin[1].weight:equal(net[1].weight))
  end)
end)

describe("mistakes", function()
  it("of a dot for a colon are named", function()
    local net = nn.Linear(2, 1)
    for method in ("parameters named_parameters train eval zero_grad state_dict to"):gmatch "%S+" do
      raises({ method .. ": the object is missing", "net:" .. method .. "()" }, function() net[method]() end)
    end
    raises({ "net:load_state_dict()" }, function() net.load_state_dict(net:state_dict()) end)
  end)

  it("are answered by the layer that they reach", function()
    local ones = kiln.ones
    local pair = nn.Sequential(nn.ReLU())
    raises({ "Sequential", "'1'", "part of itself" }, pair.append, pair, pair)
    raises({ "Sequential", "part of itself" }, function() pair:append(nn.ModuleList { pair }) end)
    raises({ "InstanceNorm2d", "[2, 3, 1, 1]" }, nn.InstanceNorm2d(3), ones(2, 3, 1, 1))
    raises({ "RMSNorm", "input must be a tensor" }, nn.RMSNorm(3), 3)
    raises({ "parameters_to_vector", "empty" }, nn.utils.parameters_to_vector, {})
    raises({ "InstanceNorm1d", "2 or 3 dims", "4" }, nn.InstanceNorm1d(3), ones(2, 3, 1, 1))
    raises({ "LSTMCell", "h must be [2, 4]", "[2, 5]" }, nn.LSTMCell(3, 4), ones(2, 3),
      { ones(2, 5), ones(2, 4) })
    raises({ "LSTMCell", "c must be [4]", "[5]" }, nn.LSTMCell(3, 4), ones(3), { ones(4), ones(5) })
    raises({ "GRUCell", "h must be [2, 4]", "[1, 4]" }, nn.GRUCell(3, 4), ones(2, 3), ones(1, 4))
    raises({ "Conv2d", "kernel_size[1]", "0" }, nn.Conv2d, 3, 4, 0)
    raises({ "Conv1d", "stride[1]", "0" }, nn.Conv1d, 3, 4, 2, { stride = 0 })
    raises({ "ConvTranspose2d", "dilation[2]", "-1" }, nn.ConvTranspose2d, 3, 4, 2, { dilation = { 1, -1 } })
    raises({ "Conv2d", "padding[1]", "-1" }, nn.Conv2d, 3, 4, 2, { padding = -1 })
    local x, attention = ones(3, 2, 4), nn.MultiheadAttention(4, 2)
    raises({ "MultiheadAttention", "query", "size 4", "[3, 2, 5]" }, attention, ones(3, 2, 5), x, x)
    raises({ "key [5, 2, 4]", "value [3, 2, 4]", "one length" }, attention, x, ones(5, 2, 4), x)
    raises({ "attn_mask must be [3, 3] or [4, 3, 3]", "[2, 2]" }, attention, x, x, x,
      { attn_mask = ones(2, 2) })
    raises({ "scaled_dot_product_attention", "key [2, 5, 3]" }, nn.functional.scaled_dot_product_attention,
      ones(2, 3, 4), ones(2, 5, 3), ones(2, 5, 4))
    local p = nn.Parameter(ones(1))
    raises({ "clip_grad_norm", "max_norm", "-1" }, nn.utils.clip_grad_norm, { p }, -1)
    raises({ "clip_grad_value", "clip_value", "-1" }, nn.utils.clip_grad_value, { p }, -1)
    raises({ "key_padding_mask must be [2, 3]", "[3]" }, attention, x, x, x, { key_padding_mask = ones(3) })
  end)

  it("leave a layer as it was", function()
    local norm = nn.BatchNorm1d(3)
    raises({ "more than one value" }, norm, kiln.ones(1, 3))
    assert.equals(0, norm.num_batches_tracked:item())
    norm(kiln.randn(4, 3))
    assert.equals(1, norm.num_batches_tracked:item())
    assert.equals("[1, 3]", tostring(norm:eval()(kiln.ones(1, 3)).shape)) -- a batch of one
    assert.equals("[0, 3]", tostring(norm(kiln.ones(0, 3)).shape))
  end)

  it("do not include batches without samples, or none at all", function()
    for _, case in ipairs {
      { nn.Linear(3, 2), { 0, 3 }, "[0, 2]" }, { nn.Conv2d(3, 4, 3), { 0, 3, 8, 8 }, "[0, 4, 6, 6]" },
      { nn.MaxPool2d(2), { 0, 3, 4, 4 }, "[0, 3, 2, 2]" }, { nn.ReLU(), { 0 }, "[0]" },
      { nn.LayerNorm(3), { 0, 3 }, "[0, 3]" }, { nn.Conv1d(3, 4, 3), { 3, 8 }, "[4, 6]" },
      { nn.InstanceNorm1d(3), { 3, 8 }, "[3, 8]" }, { nn.Flatten(), { 0, 2, 3 }, "[0, 6]" },
    } do
      assert.equals(case[3], tostring(case[1](kiln.ones(case[2])).shape), tostring(case[1]))
    end
  end)
end)

describe("more about modules", function()
  it("buffers by assignment", function()
    local Buffered = nn.Module:extend "Buffered"
    function Buffered:init()
      self.mean = nn.Buffer(kiln.ones(2))
      self.scratch = nn.Buffer(kiln.zeros(2), false)
    end
    local net = Buffered()
    assert.equals(2, #net:buffers())
    assert.equals("mean", next(net:state_dict()))
    assert.is_nil(net:state_dict().scratch)
    assert.equals(net.scratch, net:get_buffer "scratch")
    net.mean = nn.Buffer(kiln.zeros(2))
    assert.equals(0, net.mean:sum():item())
    net:register_buffer("other", kiln.ones(1), { persistent = false })
    assert.is_nil(net:state_dict().other)
    raises({ "register_buffer", "persistent", "3" }, net.register_buffer, net, "x", kiln.ones(1), 3)
    raises({ "Buffer", "data" }, nn.Buffer, 3)
    raises({ "get_buffer", "'x'" }, net.get_buffer, net, "x")
  end)

  it("modules at a path, in the place of others", function()
    local net = nn.Sequential(nn.Sequential(nn.ReLU(), nn.Tanh()))
    local new = nn.Sigmoid()
    net:set_submodule("0.1", new)
    assert.equals(new, net[1][2])
    net:set_submodule("0", new)
    assert.equals(new, net[1])
    raises({ "set_submodule", "'5'" }, net.set_submodule, net, "5", new)
    raises({ "set_submodule", "a module" }, net.set_submodule, net, "0", 3)
  end)

  it("gradients of outputs before they go on", function()
    local layer, x, seen = nn.Linear(2, 1), kiln.ones({ 1, 2 }):requires_grad_(true), nil
    local handle = layer:register_full_backward_pre_hook(function(m, grad_outputs)
      assert.equals(layer, m)
      return { grad_outputs[1] * 3 }
    end)
    layer:register_full_backward_hook(function(_, _, grad_outputs) seen = grad_outputs[1]:item() end)
    layer(x):sum():backward()
    assert.equals(3, seen)
    assert.equals(3, layer.bias.grad:item())
    handle:remove()
    layer(x):sum():backward()
    assert.equals(4, layer.bias.grad:item())
  end)

  it("states with hooks and more than tensors", function()
    local Counter = nn.Module:extend "Counter"
    function Counter:init() self.count = 0 end
    function Counter:get_extra_state() return { count = self.count } end
    function Counter:set_extra_state(state) self.count = state.count end
    local net = nn.Sequential(nn.Linear(1, 1), Counter())
    net[2].count = 7
    net:register_state_dict_post_hook(function(m, state, prefix)
      assert.equals(net, m)
      state[prefix .. "note"] = 1
    end)
    local state = net:state_dict { prefix = "net." }
    assert.same({ count = 7 }, state["net.1._extra_state"])
    assert.equals(1, state["net.note"])
    local other, loaded = nn.Sequential(nn.Linear(1, 1), Counter()), nil
    raises({ "missing: 1._extra_state" }, other.load_state_dict, other,
      nn.Sequential(nn.Linear(1, 1)):state_dict())
    other:register_load_state_dict_pre_hook(function(_, s, prefix)
      for name, v in pairs(state) do s[prefix .. name:gsub("^net%.", "")] = v end
      s.note = nil
      for name in pairs(state) do s[name] = nil end
    end)
    other:register_load_state_dict_post_hook(function(_, missing) loaded = #missing end)
    other:load_state_dict(state)
    assert.equals(7, other[2].count)
    assert.equals(0, loaded)
    assert.truthy(state["net.0.weight"]) -- the hook changed a copy
    assert.is_true(other[1].weight:equal(net[1].weight))
  end)

  it("states that are assigned", function()
    local layer, state = nn.Linear(2, 2), nn.Linear(2, 2):double():state_dict()
    local weight = layer.weight
    layer:load_state_dict(state, { assign = true })
    assert.equals(kiln.float64, layer.weight.dtype)
    assert.is_true(layer.weight == weight)
    state.weight:zero_()
    assert.equals(0, layer.weight:abs():sum():item())
    assert.is_true(layer.weight.requires_grad)
    raises({ "unknown option 'stric'" }, layer.load_state_dict, layer, state, { stric = false })
    raises("bias (int64 in the state, which has no gradient)", layer.load_state_dict, layer,
      { weight = kiln.ones(2, 2), bias = kiln.ones(2):long() }, { assign = true })
    assert.equals(0, layer.weight:abs():sum():item()) -- nothing was assigned
  end)
end)

describe("a change of a container that is refused", function()
  local function of(net) return names(net:named_parameters()) end

  it("has changed nothing", function()
    local list = nn.ModuleList { nn.Linear(1, 1), nn.PReLU() }
    raises({ "ModuleList", "holds modules, not the number 3" }, list.insert, list, 1, 3)
    raises({ "ModuleList", "would make the module part of itself" }, list.insert, list, 1, list)
    raises({ "ModuleList", "insert: position must be in 1..3, not the number 1.5" }, list.insert, list, 1.5,
      nn.PReLU())
    raises({ "ModuleList", "position 1.5 is not in 1..3" }, function() list[1.5] = nn.PReLU() end)
    raises({ "ModuleList", "holds modules, not the number 3" }, list.extend, list, { nn.PReLU(), 3 })
    assert.equals("0.weight 0.bias 1.weight", of(list))
    local dict = nn.ModuleDict { { "a", nn.PReLU() } }
    raises({ "ModuleDict", "holds modules, not the number 3" }, dict.update, dict, { { "b", nn.PReLU() },
      { "c", 3 } })
    raises({ "ModuleDict", "'update' is a method" }, dict.update, dict, { { "b", nn.PReLU() },
      { "update", nn.PReLU() } })
    assert.equals("a.weight", of(dict))
  end)

  it("is one by a name that states could not tell", function()
    for _, name in ipairs { "a.b", "", 3, {} } do
      local net = nn.Identity()
      raises({ "a module's name must be a string without dots" }, function() net[name] = nn.PReLU() end)
      assert.equals("", of(net))
    end
    raises({ "ModuleDict", "a module's name" }, nn.ModuleDict, { { 3, nn.PReLU() } })
    raises({ "a parameter's name" }, function() nn.Identity()["a.b"] = nn.Parameter(kiln.ones(1)) end)
    local net = nn.Linear(1, 1)
    raises({ "Linear", "register_buffer: 'weight' is a registered parameter" }, net.register_buffer, net,
      "weight", kiln.ones(1))
    raises({ "Linear", "requires_grad_: mode must be true or false" }, net.requires_grad_, net, "no")
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
