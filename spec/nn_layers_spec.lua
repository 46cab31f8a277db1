--- What layers do that no golden value shows: dropout's draws, initial values, nn.utils, recurrence
-- step by step.
local kiln = require "kiln"
local nn, F = kiln.nn, kiln.nn.functional
local support = require "spec.support"
local device = require "spec.support.device"
local raises = support.raises

local function names(iterator)
  local list = {}
  for name in iterator do list[#list + 1] = name end
  return table.concat(list, " ")
end

describe("circular padding", function()
  it("goes round what is left when it also cuts", function() -- as PyTorch
    local x = kiln.arange(4, { dtype = kiln.float32 }):view(1, 1, 4)
    assert.same({ { { 1, 2, 3, 1 } } }, F.pad(x, { -1, 1 }, "circular"):tolist())
    assert.same({ { { 1, 0, 1 } } }, F.pad(x, { 1, -2 }, "circular"):tolist())
    raises("circular padding of dim 3 has no elements to repeat", F.pad, x, { -4, 1 }, "circular")
    raises("pad: pad[1] must be a whole number, got nil", F.pad, x, { nil, 0 }, "replicate")
    raises("conv1d: dilation must be a whole number, got true", F.conv1d, x, x,
      { padding = "same", dilation = true })
  end)
end)

describe("what newer names stand for", function()
  it("RNNBase is the layer that its mode says", function()
    local x = kiln.randn(3, 2, 4)
    for mode, layer in pairs { LSTM = nn.LSTM(4, 5), GRU = nn.GRU(4, 5), RNN_TANH = nn.RNN(4, 5),
      RNN_RELU = nn.RNN(4, 5, { nonlinearity = "relu" }) } do
      local base = nn.RNNBase(mode, 4, 5)
      base:load_state_dict(layer:state_dict())
      assert.is_true(kiln.equal((layer(x)), (base(x))))
      assert.equals(mode, layer.mode)
      assert.is_true(layer:is_a(nn.RNNBase))
    end
    assert.is_true(nn.GRUCell(2, 2):is_a(nn.RNNCellBase))
    raises({ "RNNBase", "mode must be one of", "'GRU'" }, nn.RNNBase, "gru", 4, 5)
    raises({ "proj_size is for LSTM only, not for GRU" }, nn.RNNBase, "GRU", 4, 5, { proj_size = 2 })
  end)

  it("skip_init leaves memory as it is", function()
    local drawn = kiln.get_rng_state()
    local net = nn.utils.skip_init(nn.LSTM, 4, 5, { num_layers = 2 })
    assert.is_true(kiln.equal(drawn, kiln.get_rng_state()))
    assert.same({ 20, 5 }, { net.weight_hh_l1:size(1), net.weight_hh_l1:size(2) })
    assert.equals(1, nn.init.ones_(kiln.zeros(1)):item())
    raises({ "Linear", "in_features" }, nn.utils.skip_init, nn.Linear)
    assert.equals(1, nn.init.ones_(kiln.zeros(1)):item())
    raises({ "skip_init", "nn.Linear" }, nn.utils.skip_init, kiln.optim.SGD)
  end)

  it("Transformer takes an encoder and a decoder", function()
    local Last = nn.Module:extend "Last"
    function Last.forward(_, x, memory, masks) return x + memory:sum() * (masks.tgt_is_causal and 2 or 1) end
    local net = nn.Transformer(4, 2, { custom_encoder = nn.Linear(4, 1), custom_decoder = Last() })
    assert.equals("encoder.weight encoder.bias", names(net:named_parameters()))
    local x = kiln.ones(2, 1, 4)
    kiln.no_grad(function()
      net.encoder.weight:fill_(1)
      net.encoder.bias:fill_(0)
    end)
    -- A linear layer has no masks.
    net.encoder:register_forward_pre_hook(function(_, inputs) return inputs[1] end)
    assert.equals(17, net(x, x, { tgt_is_causal = true })[1][1][1]:item())
    raises({ "custom_encoder must be a module" }, nn.Transformer, 4, 2, { custom_encoder = 3 })
  end)
end)

describe("rms_norm", function()
  it("has the epsilon of what it computes in", function() -- as PyTorch
    for name, expected in pairs { bfloat16 = 1, float16 = 0.9995117, float32 = 0.99940449,
      float64 = 0.9999999999988898 } do
      local x = kiln.full({ 4 }, 0.01, { dtype = kiln[name] })
      local layer = nn.RMSNorm(4, { dtype = kiln[name] })
      for _, y in ipairs { layer(x), nn.functional.rms_norm(x, { 4 }) } do
        assert.near(expected, y[1]:item(), name == "float64" and 1e-15 or 1e-7)
      end
    end
    assert.near(0.5, nn.functional.rms_norm(kiln.ones(3), 3, { eps = 3 })[1]:item(), 1e-6)
  end)
end)

describe("ctc_loss", function()
  it("is of no label, and of no steps, what PyTorch's is", function()
    local x = kiln.zeros(5, 2, 4):log_softmax(3)
    local function losses(targets, steps, labels)
      targets = kiln.tensor(targets, { dtype = kiln.int64 })
      return F.ctc_loss(x, targets, kiln.tensor(steps), kiln.tensor(labels), { reduction = "none" })
    end
    support.near({ 5 * math.log(4), 3 * math.log(4) }, losses({ {}, {} }, { 5, 3 }, { 0, 0 }), 1e-5)
    support.near({ 5 * math.log(4), 0 }, losses({ { 2, 3 }, { 2, 3 } }, { 5, 0 }, { 0, 0 }), 1e-5)
    assert.equals(math.huge, losses({ { 2, 3 }, { 2, 3 } }, { 5, 0 }, { 0, 2 })[2]:item())
  end)
end)

describe("dropout", function()
  it("drops and rescales while training, and only then", function()
    kiln.manual_seed(1)
    local layer, x = nn.Dropout(0.25), kiln.ones(100, 100)
    local y = layer(x)
    local kept = y:ne(0):to(kiln.float32):mean():item()
    assert.near(0.75, kept, 0.02)
    assert.near(1 / 0.75, y:max():item(), 1e-6)
    assert.equals(10000, layer:eval()(x):sum():item())
  end)

  it("drops whole channels", function()
    kiln.manual_seed(1)
    local y = nn.Dropout2d(0.5)(kiln.ones(8, 16, 3, 3)):view(128, 9)
    local sums = y:sum(2)
    assert.is_true(sums:eq(0):logical_or(sums:eq(18)):all():item())
    assert.is_true(sums:eq(0):any():item())
  end)

  it("keeps mean and variance for SELU", function()
    kiln.manual_seed(1)
    local x = kiln.randn(200, 200)
    local y = nn.AlphaDropout(0.2)(x)
    assert.near(0, y:mean():item(), 0.02)
    assert.near(1, (y * y):mean():item(), 0.03)
  end)
end)

describe("functions", function()

  it("for SELU drop nothing unless they are told to train", function() -- as in the reference
    local x = kiln.ones(4, 8)
    for _, name in ipairs { "alpha_dropout", "feature_alpha_dropout" } do
      assert.is_true(kiln.equal(x, F[name](x, 0.9)), name)
      assert.is_false(kiln.equal(x, F[name](x, 0.9, true)), name)
    end
  end)

  it("take a batch of nothing", function()
    assert.same({ 0, 4, 2, 3 }, { unpack(F.channel_shuffle(kiln.ones(0, 4, 2, 3), 2):size()) })
    local places = kiln.ones(0, 1, 5, 2)
    assert.same({ 0, 2, 1, 5 }, { unpack(F.grid_sample(kiln.ones(0, 2, 3, 3), places):size()) })
    local mean = F.cross_entropy(kiln.zeros(0, 4), kiln.zeros(0, 4)):item()
    assert.is_true(mean ~= mean)
    raises({ "interpolate", "dim 4 of the input has no elements" }, F.interpolate, kiln.ones(1, 1, 2, 0), 3)
  end)

  it("interpolate to the same size by a copy", function()
    local x = kiln.tensor { { { 1, 1 / 0, 3 } } }
    for _, mode in ipairs { "nearest", "nearest-exact", "linear" } do
      local y = F.interpolate(x, { size = 3, mode = mode })
      assert.is_true(kiln.equal(x, y) and x:data_ptr() ~= y:data_ptr(), mode)
    end
  end)

  it("give the grid of nearest places zeros for a gradient, whatever they read", function()
    local grid = kiln.zeros(1, 1, 2, 2, { requires_grad = true })
    F.grid_sample(kiln.full({ 1, 1, 2, 2 }, 1 / 0), grid, { mode = "nearest" }):sum():backward()
    assert.same({ { { { 0, 0 }, { 0, 0 } } } }, grid.grad:tolist())
  end)

  it("convert packed sequences", function()
    local p = nn.utils.rnn.pack_sequence { kiln.ones(3, 2), kiln.ones(1, 2) }
    assert.equals(kiln.float64, p:double().data.dtype)
    assert.is_true(kiln.equal(p.batch_sizes, p:half():cpu().batch_sizes))
  end)
end)

describe("pooling by an infinite norm", function()
  it("takes the largest or the smallest magnitude", function()
    local x, f = kiln.tensor { { { -3, 1, 2, -1 } } }, nn.functional
    assert.same({ { { 3, 2 } } }, f.lp_pool1d(x, math.huge, 2):tolist())
    assert.same({ { { 1, 1 } } }, f.lp_pool1d(x, -math.huge, 2):tolist())
  end)
end)

describe("16 bits, whose squares leave their range", function()
  -- f of halves, and its gradient, against the same in float64; both near, by the largest.
  local function check(name, f, shape)
    kiln.manual_seed(1)
    local half = (kiln.randn(shape) * 1000):half()
    local x, y = half:clone():requires_grad_(), half:double():requires_grad_()
    local a, b = f(x), f(y)
    local w = kiln.arange(b:numel(), { dtype = kiln.float64 }):view_as(b)
    local function near(mine, theirs)
      return (mine:double() - theirs):abs():max():item() <= 4e-3 * theirs:abs():max():item()
    end
    assert.equals(kiln.float16, a.dtype, name);
    (a:double() * w):sum():backward();
    (b * w):sum():backward()
    assert.is_true(near(a, b) and near(x.grad, y.grad), name)
  end

  it("do not do so inside a distance, a norm, a pool or a normalisation", function()
    for name, f in pairs {
      cosine_similarity = function(x) return F.cosine_similarity(x, x:flip(1)) end,
      cosine_embedding_loss = function(x)
        return F.cosine_embedding_loss(x, x:flip(1), kiln.ones(4), { reduction = "none" })
      end,
      gaussian_nll_loss = function(x)
        return F.gaussian_nll_loss(x, x:flip(1):detach(), kiln.full({ 4, 6 }, 1000, { dtype = x.dtype }))
      end,
      cdist = function(x) return kiln.cdist(x, x:flip(1) + 1) end,
      norm = function(x) return x:norm(3, 2) end,
      corrcoef = kiln.corrcoef,
      local_response_norm = function(x) return F.local_response_norm(x:view(2, 3, 4), 3) end,
      lp_pool1d = function(x) return F.lp_pool1d(x:view(2, 3, 4), 2, 2) end,
      batch_norm = function(x) return F.batch_norm(x, nil, nil, nil, nil, true) end,
      ["gradient of batch_norm"] = function(x)
        local y = (F.batch_norm(x, nil, nil, nil, nil, true) * 10):pow(3):sum()
        return kiln.autograd.grad(y, x, { create_graph = true })[1]
      end,
    } do check(name, f, { 4, 6 }) end
    check("group_norm", function(x) return F.group_norm(x, 2) end, { 2, 4, 3 })
  end)

  it("do not do so in weight_norm, nor in what instance_norm keeps", function()
    for _, weight_norm in ipairs { nn.utils.weight_norm, nn.utils.parametrizations.weight_norm } do
      local layer = nn.Linear(1000, 1, { bias = false })
      nn.init.constant_(layer.weight, 10)
      weight_norm(layer):half()
      local y = layer(kiln.ones(1, 1000):half())
      assert.near(10000, y:item(), 20)
      y:sum():backward()
      local g = layer.weight_g or layer.parametrizations.weight.original0
      assert.near(31.6, g.grad:item(), 0.1)
    end
    local x, var = kiln.tensor({ { { 1000, -1000 } } }, { dtype = kiln.float16 }), kiln.zeros(1)
    nn.functional.instance_norm(x, nil, var, nil, nil, true, 1)
    assert.equals(2e6, var:item())
  end)
end)

describe("what two inputs become", function()
  it("in cosine_similarity is decided before lengths are taken", function()
    local x, f = kiln.tensor { { 3, 4 } }, nn.functional
    local y = f.cosine_similarity(x, kiln.tensor(1)):item()
    assert.is_true(math.abs(y - 7 / (5 * math.sqrt(2))) < 1e-6)
    assert.equals(0, f.cosine_similarity(kiln.zeros(1, 2):half(), kiln.zeros(1, 2):double()):item())
  end)

  it("in kl_div follows the older options, where they are given", function()
    local x, y = kiln.randn(2, 3), kiln.rand(2, 3)
    assert.is_true(nn.functional.kl_div(x, y, nil, false, "batchmean").shape == x.shape)
  end)

  it("in tensordot keeps integers, where a size of 1 fits", function()
    local x = kiln.tensor({ { 2 } }, { dtype = kiln.int8 })
    local y = kiln.tensor({ { 1, 2 }, { 3, 4 } }, { dtype = kiln.int8 })
    local z = kiln.tensordot(x, y, 1)
    assert.equals(kiln.int8, z.dtype)
    assert.same({ { 8, 12 } }, z:tolist())
  end)
end)

describe("gumbel_softmax", function()
  it("draws classes with the probabilities of softmax, and passes gradients on", function()
    kiln.manual_seed(2)
    local logits = kiln.tensor({ 0, 1, 2 }):requires_grad_(true)
    local many = logits:unsqueeze(1):expand(20000, 3)
    local hard = nn.functional.gumbel_softmax(many, 0.5, true)
    assert.equals(20000, hard:eq(1):sum():item())
    assert.is_true((hard:mean(1) - logits:softmax(1)):detach():abs():max():item() < 0.02)
    local soft = nn.functional.gumbel_softmax(many, { tau = 2 })
    assert.is_true((soft:sum(2) - 1):detach():abs():max():item() < 1e-5);
    (hard:select(2, 3)):sum():backward()
    assert.is_true(logits.grad[3]:item() > 0 and logits.grad[1]:item() < 0)
  end)
end)

describe("initialisation", function()
  it("follows the reference", function()
    kiln.manual_seed(3)
    local bound = 1 / math.sqrt(50)
    local linear = nn.Linear(50, 40)
    assert.is_true(linear.weight:abs():max():item() <= bound)
    assert.is_true(linear.weight:abs():max():item() > 0.95 * bound)
    assert.is_true(linear.bias:abs():max():item() <= bound)
    local t = kiln.empty(100, 200)
    nn.init.xavier_normal_(t)
    assert.near(math.sqrt(2 / 300), math.sqrt((t * t):mean():item()), 1e-3)
    nn.init.kaiming_uniform_(t, { nonlinearity = "relu" })
    assert.near(math.sqrt(2 / 200), math.sqrt((t * t):mean():item()), 1e-3)
    nn.init.sparse_(t, 0.1)
    assert.equals(10 * 200, t:eq(0):sum():item())
    nn.init.orthogonal_(t)
    local product = t:mm(t:t())
    assert.is_true((product - kiln.eye(100)):abs():max():item() < 1e-4)
    nn.init.eye_(t)
    assert.equals(100, t:sum():item())
    nn.init.trunc_normal_(t, { std = 2 })
    assert.is_true(t:abs():max():item() <= 2)
    local conv = nn.init.dirac_(kiln.empty(3, 2, 3, 3))
    local x = kiln.randn(1, 2, 5, 5)
    local y = nn.functional.conv2d(x, conv, nil, 1, 1)
    assert.equals(0, (y:narrow(2, 1, 2) - x):abs():max():item())
    raises({ "init.xavier_uniform", "2 dims" }, nn.init.xavier_uniform, kiln.empty(3))
    assert.equals(5 / 3, nn.init.calculate_gain "tanh")
    raises({ "calculate_gain", "unknown" }, nn.init.calculate_gain, "softmax")
  end)
end)

describe("nn.utils", function()
  it("clip gradients", function()
    local p = nn.Parameter(kiln.zeros(2))
    p.grad = kiln.tensor { 3, 4 }
    assert.near(5, nn.utils.clip_grad_norm(p, 1), 1e-6)
    support.near({ 0.6, 0.8 }, p.grad, 1e-5)
    p.grad = kiln.tensor { 3, -4 }
    nn.utils.clip_grad_value({ p }, 2)
    support.near({ 2, -2 }, p.grad)
    p.grad = kiln.tensor { 3, -4 }
    assert.near(4, nn.utils.clip_grad_norm({ p }, 100, math.huge), 1e-6)
    support.near({ 3, -4 }, p.grad)
  end)

  it("normalise weights and take that back", function()
    local layer = nn.Linear(3, 2)
    local x, weight = kiln.randn(4, 3), layer.weight:detach():clone()
    local before = layer(x):detach()
    nn.utils.weight_norm(layer)
    assert.equals("bias weight_g weight_v", names(layer:named_parameters()))
    assert.is_true((layer(x):detach() - before):abs():max():item() < 1e-5)
    layer(x):sum():backward()
    assert.is_not_nil(layer.weight_g.grad)
    nn.utils.remove_weight_norm(layer)
    assert.is_true((layer.weight:detach() - weight):abs():max():item() < 1e-6)
    raises({ "remove_weight_norm", "Linear" }, nn.utils.remove_weight_norm, layer)
  end)

  it("bound the largest singular value", function()
    kiln.manual_seed(1)
    local layer = nn.Linear(5, 4)
    nn.utils.spectral_norm(layer, { n_power_iterations = 50 })
    layer(kiln.ones(1, 5))
    local _, s = kiln.svd(layer.weight:detach())
    assert.near(1, s:max():item(), 1e-3)
  end)

  it("turn parameters into a vector and back", function()
    local net = nn.Linear(2, 3)
    local v = nn.utils.parameters_to_vector(net:parameters())
    assert.equals(9, v:numel())
    nn.utils.vector_to_parameters(kiln.zeros(9), net:parameters())
    assert.equals(0, net.weight:detach():abs():sum():item())
    raises({ "vector_to_parameters", "8", "9" }, nn.utils.vector_to_parameters, kiln.zeros(8),
      net:parameters())
  end)
end)

describe("recurrent layers", function()
  it("equal their cells, step by step", function()
    for _, kind in ipairs { "RNN", "LSTM", "GRU" } do
      local layer, cell = nn[kind](3, 4), nn[kind .. "Cell"](3, 4)
      for _, name in ipairs { "weight_ih", "weight_hh", "bias_ih", "bias_hh" } do
        kiln.no_grad(function() cell[name]:copy_(layer[name .. "_l0"]) end)
      end
      local x = kiln.randn(6, 2, 3)
      local y = layer(x)
      local h, c
      for t = 1, 6 do
        if kind == "LSTM" then h, c = cell(x[t], h and { h, c }) else h = cell(x[t], h) end
        assert.is_true((y[t] - h):detach():abs():max():item() < 1e-6, kind)
      end
    end
  end)

  it("carry their state on", function()
    local lstm, x = nn.LSTM(3, 4, { num_layers = 2 }), kiln.randn(6, 2, 3)
    local whole = lstm(x)
    local first, state = lstm(x:narrow(1, 1, 4))
    local second = lstm(x:narrow(1, 5, 2), state)
    assert.is_true((kiln.cat({ first, second }, 1) - whole):detach():abs():max():item() < 1e-6)
    raises({ "LSTM", "state" }, lstm, x, 3)
    raises({ "LSTM", "input_size" }, lstm, kiln.ones(6, 2, 5))
    raises({ "GRU", "h must be [1, 2, 4]" }, nn.GRU(3, 4), x, kiln.zeros(1, 1, 4))
  end)

  it("have second derivatives", function()
    for _, kind in ipairs { "RNN", "LSTM", "GRU" } do
      local layer = nn[kind](2, 3, { bidirectional = true }):double()
      local x = kiln.randn(3, 2, 2, { dtype = kiln.float64 }):requires_grad_(true)
      local function run(v) return (layer(v)) end
      assert.is_true(kiln.autograd.gradcheck(run, { x }), kind)
      assert.is_true(kiln.autograd.gradgradcheck(run, { x }), kind)
    end
  end)

  it("take a batch of no sequence", function()
    for _, kind in ipairs { "RNN", "LSTM", "GRU" } do
      local options = { num_layers = 2, bidirectional = true, proj_size = kind == "LSTM" and 2 or nil }
      local layer = nn[kind](3, 4, options)
      local y, state = layer(kiln.ones(5, 0, 3, { requires_grad = true }))
      assert.equals(kind == "LSTM" and "[5, 0, 4]" or "[5, 0, 8]", tostring(y.shape))
      assert.equals(kind == "LSTM" and "[4, 0, 2]" or "[4, 0, 4]",
        tostring((kind == "LSTM" and state[1] or state).shape))
      y:sum():backward()
      for name, p in layer:named_parameters() do assert.equals(0, p.grad:abs():sum():item(), name) end
      assert.equals("[0, 4]", tostring((nn[kind .. "Cell"](3, 4)(kiln.ones(0, 3))).shape))
      raises({ kind, "no steps" }, layer, kiln.ones(0, 2, 3))
    end
  end)
end)

describe("norms", function()
  it("learn nothing from an empty batch", function()
    for _, norm in ipairs { nn.BatchNorm2d(3),
      nn.InstanceNorm2d(3, { affine = true, track_running_stats = true }) } do
      local y = norm(kiln.ones(0, 3, 2, 2))
      y:sum():backward()
      assert.equals("[0, 3, 2, 2]", tostring(y.shape))
      assert.same({ 0, 0, 0 }, norm.running_mean:tolist())
      assert.same({ 1, 1, 1 }, norm.running_var:tolist())
      assert.same({ 0, 0, 0 }, norm.weight.grad:tolist())
    end
  end)
end)

describe("the arguments of layers", function()
  it("may have their older names, and stand where they do in PyTorch", function()
    local clip = nn.Hardtanh { min_value = -2, max_value = 3 }
    assert.equals("Hardtanh(min_val=-2, max_val=3)", tostring(clip))
    raises({ "Hardtanh", "min_val is given twice" }, nn.Hardtanh, { min_val = -2, min_value = -2 })
    assert.same({ 0.5, 0.5 }, nn.PReLU(2, 0.5).weight:tolist())
    assert.equals("PReLU(init=0.5)  # 1", tostring(nn.PReLU { init = 0.5 }))
    assert.equals(0.5, nn.PReLU({ init_value = 0.5 }).init)
    local norm = nn.BatchNorm2d(3, 1e-5, 0.1, true, true, "cpu", kiln.float64, false)
    assert.is_nil(norm.bias)
    assert.equals(kiln.float64, norm.weight.dtype)
    assert.equals("zeros", nn.ConvTranspose2d(2, 3, 2, { padding_mode = "zeros" }).padding_mode)
    raises({ "ConvTranspose2d", "'zeros'", "'reflect'" }, nn.ConvTranspose2d, 2, 3, 2,
      { padding_mode = "reflect" })
  end)

  it("of a recurrent layer without steps are shown as they came", function()
    raises({ "RNN", "no steps", "[4, 0, 2]" }, nn.RNN(2, 3, { batch_first = true }), kiln.ones(4, 0, 2))
  end)
end)

describe("SyncBatchNorm", function()
  it("takes the place of every BatchNorm, with its parameters and statistics", function()
    local norm = nn.BatchNorm1d(3, { momentum = 0.3 })
    local net = nn.Sequential(nn.Linear(2, 3), norm, nn.ModuleDict { again = norm }):eval()
    net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert.equals("SyncBatchNorm(num_features=3, momentum=0.3)  # 6", tostring(net[2]))
    assert.equals(net[2], net[3].again)
    assert.equals(norm.weight, net[2].weight)
    assert.equals(norm.running_var, net[2].running_var)
    assert.is_false(net[2].training)
    raises({ "SyncBatchNorm", "process_group", "this process" }, nn.SyncBatchNorm, 3, { process_group = {} })
    raises({ "SyncBatchNorm", "at least 2 dims, not 1" }, nn.SyncBatchNorm(3), kiln.ones(3))
  end)
end)

-- f of halves against f of the same numbers in float64: results and gradients.
local function is_close_in_halves(f, bound, ...)
  local wide, half = {}, {}
  for i, x in ipairs { ... } do
    half[i] = x.dtype.is_floating_point and x:half() or x
    wide[i] = x.dtype.is_floating_point and half[i]:double() or x
  end
  local function run(list)
    for _, x in ipairs(list) do if x.dtype.is_floating_point then x:requires_grad_(true) end end
    local y = f(unpack(list))
    local weights = kiln.arange(1, y:numel() + 1):double():view(y:size())
    return y, kiln.autograd.grad((y:double() * weights):sum(), list[1])
  end
  local want, got = { run(wide) }, { run(half) }
  for i = 1, 2 do
    assert.equals("float16", got[i].dtype.name)
    local off = (got[i]:double() - want[i]):abs():max() / want[i]:abs():max()
    assert.is_true(off:item() < bound, ("%d is off by %g"):format(i, off:item()))
  end
end

describe("layers of halves", function()
  local function numbers(scale, ...)
    local x = kiln.arange(1, kiln.ones(...):numel() + 1):double()
    return ((x * 1.7):sin() * scale):view(...)
  end

  it("do not leave the range of 16 bits on the way to a result that does not", function()
    for _, scale in ipairs { 1e-3, 1, 300, 1000 } do
      is_close_in_halves(F.normalize, 0.0015, numbers(scale, 3, 20))
      is_close_in_halves(function(x) return x:renorm(2, 1, scale) end, 0.0015, numbers(scale, 3, 20))
    end
    is_close_in_halves(function(x) return x:renorm(0.5, 1, 2) end, 0.0015, numbers(300, 3, 20))
    local classes = kiln.tensor({ 2, 5 }, { dtype = kiln.int64 })
    local function margin(x) return F.multi_margin_loss(x, classes, { p = 2 }) end
    is_close_in_halves(margin, 0.0015, numbers(300, 2, 50))
    local function triplet(a, b, c) return F.triplet_margin_loss(a, b, c, { reduction = "none" }) end
    is_close_in_halves(triplet, 0.0015, numbers(3000, 3, 8), numbers(2000, 3, 8) + 9, numbers(2500, 3, 8))
  end)

  it("keep what a gradient divides by in float32", function()
    local classes = kiln.tensor({ 2, 9, 4 }, { dtype = kiln.int64 })
    is_close_in_halves(function(x) return F.cross_entropy(x, classes, { label_smoothing = 0.1 }) end,
      0.0015, numbers(60, 3, 40))
    local function attention(q, k, v) return (kiln.attention(q, k, v, 1)) end
    is_close_in_halves(attention, 0.02, numbers(0.1, 4, 8) + 3, numbers(0.2, 5, 8) + 5, numbers(1, 5, 8))
  end)

  it("attend to what 16 bits cannot score", function()
    local large, bound = 700, 1e-3
    if device.name then large, bound = 1, 1e-2 end -- its units score in 16 bits: docs/gpu.md
    local q, k, v = numbers(large, 2, 4, 8), numbers(large, 2, 5, 8), numbers(1, 2, 5, 8)
    for _, options in ipairs { {}, { is_causal = true }, { attn_mask = kiln.ones(4, 5):gt(0) } } do
      local attend = F.scaled_dot_product_attention
      local y = attend(q:half(), k:half(), v:half(), options)
      assert.equals("float16", y.dtype.name)
      local want = attend(q:half():double(), k:half():double(), v:half():double(), options)
      assert.is_true((y:double() - want):abs():max():item() < bound)
    end
  end)
end)

describe("a pool", function()
  it("does not look at the places between far windows", function() -- each took minutes
    local x, size, stride, padding = kiln.arange(1, 17):view(1, 1, 4, 4), 2 ^ 31 - 1, 2 ^ 30, 2 ^ 30 - 1
    assert.same({ { { { 1, 4 }, { 13, 16 } } } }, F.max_pool2d(x, 1, 3):tolist())
    assert.same({ { { { 16, 16 }, { 16, 16 } } } },
      F.max_pool2d(x, size, stride, padding, 1, true):tolist())
    local summed = F.avg_pool2d(x:double(), { size, size }, stride, padding, true, true, 1):view(-1)
    assert.equals(136, summed[1]:item())
  end)
end)

describe("a recurrent layer", function()
  it("lists its parameters a layer and direction", function()
    local layer = nn.LSTM(3, 4, 2, { bidirectional = true, proj_size = 2 })
    local lists = layer:all_weights()
    assert.same({ 4, 5 }, { #lists, #lists[3] })
    assert.equals(layer.bias_hh_l1_reverse, lists[4][4])
    assert.equals(layer.weight_hr_l0, lists[1][5])
    assert.equals(2, #nn.GRU(3, 4, { bias = false }):all_weights()[1])
  end)

  it("has cells in common whose weights alone are made", function()
    local cell = nn.RNNCellBase(3, 4, true, 2)
    assert.equals("[8, 3]", tostring(cell.weight_ih.shape))
    raises({ "RNNCellBase", "no arithmetic", "LSTMCell" }, cell, kiln.ones(2, 3))
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
