-- What layers, losses, schedules and loaders refuse: one line each, which names the value and what is wanted;
-- and what of the reference's ways of calling them is taken.
local kiln = require "kiln"
local Object = require "kiln.class"
local nn, optim, data = kiln.nn, kiln.optim, kiln.utils.data
local F, S, U = nn.functional, optim.lr_scheduler, nn.utils
local support = require "spec.support"
local raises = support.raises

-- Rows { parts of the message, function }.
local function refuse(rows)
  for _, row in ipairs(rows) do
    it(table.concat(row[1], ", "), function() raises(row[1], row[2]) end)
  end
end

local function sgd(name) return optim[name or "SGD"]({ kiln.ones(2):requires_grad_(true) }) end
local function x3() return kiln.ones(2, 3, 6) end

describe("layers refuse", function()
  local function attend(name, shape, dtype)
    return function()
      local options = { [name] = kiln.ones(shape, { dtype = dtype }) }
      nn.MultiheadAttention(6, 2, { batch_first = true })(x3(), x3(), x3(), options)
    end
  end
  local function stacked(kind)
    return nn["Transformer" .. kind](nn["Transformer" .. kind .. "Layer"](6, 2, 8), 1)
  end
  refuse {
    { { "MultiheadAttention", "attn_mask", "bool or floating", "int64" },
      attend("attn_mask", { 3, 3 }, kiln.int64) },
    { { "MultiheadAttention", "key_padding_mask", "[2, 3]", "[3, 2]" },
      attend("key_padding_mask", { 3, 2 }, kiln.bool) },
    { { "scaled_dot_product_attention", "attn_mask", "int64" }, function()
      local mask = kiln.ones({ 3, 3 }, { dtype = kiln.int64 })
      F.scaled_dot_product_attention(x3(), x3(), x3(), { attn_mask = mask })
    end },
    { { "scaled_dot_product_attention", "enable_gqa", "4 heads", "key 3" }, function()
      local kv = kiln.ones(2, 3, 5, 6)
      F.scaled_dot_product_attention(kiln.ones(2, 4, 5, 6), kv, kv, { enable_gqa = true })
    end },
    { { "TransformerEncoderLayer", "activation", "'swish'" },
      function() nn.TransformerEncoderLayer(6, 2, { activation = "swish" }) end },
    { { "TransformerEncoder", "unknown option 'src_mask'" },
      function() stacked "Encoder"(x3(), { src_mask = 1 }) end },
    { { "TransformerDecoder", "unknown option 'mask'" },
      function() stacked "Decoder"(x3(), x3(), { mask = 1 }) end },
    { { "generate_square_subsequent_mask", "sz", "-1" },
      function() nn.Transformer.generate_square_subsequent_mask(-1) end },
    { { "Hardtanh", "max_val must be above 2, not 1" }, function() nn.Hardtanh(2, 1) end },
    { { "gumbel_softmax", "tau", "0" }, function() F.gumbel_softmax(kiln.ones(3), 0) end },
    { { "ModuleList", "modules", "nil" }, function() nn.ModuleList { nn.ReLU(), nil, nn.ReLU() } end },
    { { "ModuleList", "pop", "1..1", "3" }, function() nn.ModuleList({ nn.ReLU() }):pop(3) end },
    { { "DistributedDataParallel", "process_group is missing", "all_reduce" },
      function() nn.DistributedDataParallel(nn.ReLU()) end },
    { { "PackedSequence", "batch_sizes", "nil" }, function() U.PackedSequence(kiln.ones(3, 2)) end },
    { { "pad_sequence", "unknown option 'padding'" },
      function() U.rnn.pad_sequence({ kiln.ones(2) }, { padding = 1 }) end },
    { { "unpad_sequence", "lengths[2]", "0..3", "4" },
      function() U.rnn.unpad_sequence(kiln.ones(3, 2), { 1, 4 }) end },
    { { "weight_norm", "dim 5", "2-dim" }, function() U.weight_norm(nn.Linear(2, 2), { dim = 5 }) end },
    { { "weight_norm", "dim", "'a'" }, function() U.weight_norm(nn.Linear(2, 2), { dim = "a" }) end },
    { { "spectral_norm", "dim 7" }, function() U.spectral_norm(nn.Linear(2, 2), { dim = 7 }) end },
    { { "clip_grad_norm", "norm_type", "0" }, function() U.clip_grad_norm({ kiln.ones(1) }, 1, 0) end },
    { { "clip_grad_norm", "a Linear", "net:parameters()" },
      function() U.clip_grad_norm(nn.Linear(2, 2), 1) end },
    { { "trunc_normal", "std", "-1" }, function() nn.init.trunc_normal(kiln.zeros(2), { std = -1 }) end },
    { { "trunc_normal", "b must be above 2, not 1" },
      function() nn.init.trunc_normal(kiln.zeros(2), { a = 2, b = 1 }) end },
    { { "calculate_gain", "param", "'a'" }, function() nn.init.calculate_gain("leaky_relu", "a") end },
    { { "huber_loss", "delta", "0" },
      function() F.huber_loss(kiln.ones(2), kiln.ones(2), { delta = 0 }) end },
    { { "Linear: x is missing", "a module is called with its input" },
      function() nn.Sequential(nn.Linear(1, 1))() end },
    { { "Linear: zero_grad", "unknown option 'set_to_nil'" },
      function() nn.Linear(1, 1):zero_grad { set_to_nil = true } end },
    { { "SGD: zero_grad", "unknown option 'set_to_nil'" },
      function() sgd():zero_grad { set_to_nil = true } end },
    { { "TripletMarginWithDistanceLoss", "margin", "0" },
      function() nn.TripletMarginWithDistanceLoss { margin = 0 } end },
    { { "AdaptiveLogSoftmaxWithLoss", "cutoffs[2] is 3" },
      function() nn.AdaptiveLogSoftmaxWithLoss(8, 9, { 3, 3 }) end },
    { { "AdaptiveLogSoftmaxWithLoss", "cutoffs", "empty" },
      function() nn.AdaptiveLogSoftmaxWithLoss(8, 9, {}) end },
    { { "AdaptiveLogSoftmaxWithLoss", "nothing for cluster 2" },
      function() nn.AdaptiveLogSoftmaxWithLoss(8, 9, { 2, 4 }) end },
    { { "AdaptiveLogSoftmaxWithLoss", "target 10 at position [2]", "1..9" }, function()
      local target = kiln.tensor({ 1, 10 }, { dtype = kiln.int64 })
      nn.AdaptiveLogSoftmaxWithLoss(8, 9, { 3 })(kiln.ones(2, 8), target)
    end },
    { { "AdaptiveLogSoftmaxWithLoss", "[N, 8]", "[2, 7]" }, function()
      nn.AdaptiveLogSoftmaxWithLoss(8, 9, { 3 })(kiln.ones(2, 7), kiln.ones({ 2 }, { dtype = kiln.int64 }))
    end },
    { { "pdist", "2 dims, not 1" }, function() F.pdist(kiln.ones(3)) end },
    { { "pdist", "p must be at least 0" }, function() F.pdist(kiln.ones(3, 2), { p = -1 }) end },
    { { "smooth_l1_loss", "beta", "-1" },
      function() nn.SmoothL1Loss { beta = -1 }(kiln.ones(2), kiln.ones(2)) end },
  }

  it("a norm that is not finite, where that is asked for", function()
    local p = kiln.ones(2):requires_grad_(true)
    p.grad = kiln.full({ 2 }, 0 / 0)
    raises({ "clip_grad_norm", "nan" }, U.clip_grad_norm, { p }, 1, { error_if_nonfinite = true })
  end)

  it("a weight of another dim without losing it", function()
    local layer = nn.Linear(2, 2)
    pcall(U.weight_norm, layer, { dim = 5 })
    assert.is_true(kiln.is_tensor(layer.weight))
  end)
end)

describe("layers take", function()
  it("masks of a transformer by position, as by name", function()
    kiln.manual_seed(1)
    local net = nn.Transformer(6, 2, 1, 1, 8, { dropout = 0, batch_first = true }):double()
    local a, b = kiln.randn(2, 4, 6):double(), kiln.randn(2, 3, 6):double()
    local src, tgt = kiln.eye(4):eq(1):logical_not(), nn.Transformer.generate_square_subsequent_mask(3)
    local named = net(a, b, { src_mask = src, tgt_mask = tgt })
    assert.is_true(named:equal(net(a, b, src, tgt)))
    assert.is_true(named:allclose(net(a, b, { src_mask = src, tgt_is_causal = true }), 1e-12, 1e-12))
    assert.is_false(named:allclose(net(a, b)))
    local encoder, decoder = net.encoder, net.decoder
    assert.is_true(encoder(a, src):equal(encoder(a, { mask = src })))
    assert.is_true(decoder(b, a, tgt):equal(decoder(b, a, { tgt_mask = tgt })))
    assert.is_false(encoder(a, src):allclose(encoder(a)))
  end)

  it("a function as activation", function()
    local a = nn.TransformerEncoderLayer(6, 2, 8, { dropout = 0, activation = F.silu })
    local b = nn.TransformerEncoderLayer(6, 2, 8, { dropout = 0, activation = nn.SiLU() })
    b:load_state_dict(a:state_dict())
    assert.is_true(a(x3()):equal(b(x3())))
    assert.is_nil(tostring(a):find "function")
    assert.truthy(nn.TransformerEncoder(a, 1, { enable_nested_tensor = false }))
  end)

  it("softmax without a dim and in another dtype", function()
    local x = kiln.randn(2, 3, 4)
    assert.is_true(nn.Softmax()(x):equal(x:softmax(1)))
    assert.is_true(F.log_softmax(x[1]):equal(x[1]:log_softmax(2)))
    assert.is_true(F.softmin(x:view(2, 3, 2, 2)):equal(x:view(2, 3, 2, 2):softmin(2)))
    assert.equals(kiln.float64, F.softmax(x:half(), -1, { dtype = kiln.float64 }).dtype)
    assert.is_true(F.softmax(x, { dim = 2 }):equal(x:softmax(2)))
  end)

  it("fewer heads of keys than of queries", function()
    local q, kv = kiln.randn(2, 4, 5, 6), kiln.randn(2, 2, 5, 6)
    local all = kv:repeat_interleave(2, 2)
    assert.is_true(F.scaled_dot_product_attention(q, kv, kv, { enable_gqa = true, is_causal = true })
      :equal(F.scaled_dot_product_attention(q, all, all, { is_causal = true })))
  end)

  it("sequences back from what padded or packed them", function()
    local list = { kiln.randn(2, 3), kiln.randn(4, 3), kiln.randn(1, 3) }
    local packed = U.rnn.pack_sequence(list, { enforce_sorted = false })
    for i, x in ipairs(U.rnn.unpack_sequence(packed)) do assert.is_true(x:equal(list[i])) end
    local left = U.rnn.pad_sequence(list, { batch_first = true, padding_side = "left", padding_value = 9 })
    assert.same({ 9, 9, 9 }, left[1][1]:tolist())
    assert.is_true(left[1][{ { 3, 4 } }]:equal(list[1]))
    local lengths = kiln.tensor({ 2, 4, 1 }, { dtype = kiln.int64 })
    local rest = U.rnn.unpad_sequence(U.rnn.pad_sequence(list), lengths)
    for i, x in ipairs(rest) do assert.is_true(x:equal(list[i])) end
  end)

  it("the clipping of gradients in two steps", function()
    local function fresh()
      local p, q = kiln.ones(3):requires_grad_(true), kiln.ones(2):requires_grad_(true)
      p.grad, q.grad = kiln.tensor { 1, 2, 2 }, kiln.tensor { 4, 0 }
      return p, q
    end
    local p, q = fresh()
    assert.equals(5, U.get_total_norm { p.grad, q.grad })
    assert.equals(4, U.get_total_norm({ p.grad, q.grad }, { norm_type = math.huge }))
    U.clip_grads_with_norm_({ p, q }, 1, kiln.tensor(5))
    local r, s = fresh()
    assert.equals(5, U.clip_grad_norm_({ r, s }, 1))
    assert.is_true(p.grad:equal(r.grad))
    assert.is_true(q.grad:equal(s.grad))
  end)

  it("classes of an adaptive softmax one by one, or all", function()
    kiln.manual_seed(4)
    local layer = nn.AdaptiveLogSoftmaxWithLoss(8, 9, { 2, 5 }, { div_value = 2 })
    local x, target = kiln.randn(20, 8), kiln.randint(1, 10, { 20 })
    local all, chosen = layer:log_prob(x), layer(x, target)
    assert.is_true(all:exp():sum(2):allclose(kiln.ones(20), 1e-5, 1e-5))
    assert.is_true(all:gather(2, target:unsqueeze(2)):squeeze(2):allclose(chosen, 1e-5, 1e-5))
    assert.is_true(layer:predict(x):equal(all:argmax(2)))
    assert.equals("[]", tostring(layer:predict(x[1]).shape))
    assert.near(chosen[3]:item(), layer(x[3], target[3]):item(), 1e-6)
    assert.equals(0, F.pdist(kiln.ones(1, 3)):numel())
  end)

  it("elements of a list and a dictionary out again", function()
    local a, b, c = nn.ReLU(), nn.Tanh(), nn.Sigmoid()
    local list = nn.ModuleList { a, b, c }
    assert.equals(a, list:pop(1))
    assert.equals(c, list:pop())
    assert.equals(1, list:len())
    assert.equals(b, list[1])
    local net = nn.Sequential(a, b, c)
    local part = net[{ 2, 3 }]
    assert.equals("Sequential", part.__name)
    assert.equals(b, part[1])
    assert.equals(2, part:len())
    assert.equals(c, net[{ -1 }][1])
    assert.is_true(part(kiln.ones(2)):equal(c(b(kiln.ones(2)))))
    raises({ "Sequential", "slice", "1..3", "4" }, function() return net[{ 1, 4 }] end)
    local dict = nn.ModuleDict { { "x", a }, { "y", b } }
    assert.same({ a, b }, dict:values())
    dict:clear()
    assert.equals(0, dict:len())
  end)
end)

describe("schedules", function()
  refuse {
    { { "OneCycleLR", "pct_start", "[0, 1]", "3" },
      function() S.OneCycleLR(sgd(), { max_lr = 1, total_steps = 9, pct_start = 3 }) end },
    { { "OneCycleLR", "max_lr has 2 numbers for 1 groups" },
      function() S.OneCycleLR(sgd(), { max_lr = { 1, 2 }, total_steps = 9 }) end },
    { { "CyclicLR", "cycle_momentum", "Adagrad" }, function() S.CyclicLR(sgd "Adagrad", 0.1, 1) end },
    { { "CyclicLR", "base_lr", "'a'" }, function() S.CyclicLR(sgd(), "a", 1) end },
    { { "ConstantLR", "factor", "[0, 1]", "2" }, function() S.ConstantLR(sgd(), 2) end },
    { { "LinearLR", "start_factor", "(0, 1]", "0" }, function() S.LinearLR(sgd(), 0) end },
    { { "Net: define init", "function Net:init(...)", "__init is not called" }, function()
      local Net = nn.Module:extend "Net"
      function Net:__init() self.fc = nn.Linear(2, 2) end
      Net()
    end },
    { { "extend", "with a colon" }, function() nn.Module.extend "Net" end },
    { { "Sequential", "the key 'a'; names stand in { { 'name', module }, ... }" },
      function() nn.Sequential { a = nn.ReLU() } end },
    { { "ModuleList", "the key 'a'" }, function() nn.ModuleList { nn.ReLU(), a = nn.ReLU() } end },
    { { "Sequential", "position is 0", "count from 1" }, function() return nn.Sequential(nn.ReLU())[0] end },
    { { "BatchNorm2d", "num_features is 3", "[2, 4, 5, 5]", "4 channels" },
      function() nn.BatchNorm2d(3)(kiln.ones(2, 4, 5, 5)) end },
    { { "Sequential", "holds modules, not the class ReLU; ReLU() makes one" },
      function() nn.Sequential(nn.Linear(2, 2), nn.ReLU) end },
    { { "DataLoader", "not the class TensorDataset" },
      function() kiln.utils.data.DataLoader(kiln.utils.data.TensorDataset) end },
    { { "SequentialLR", "empty" }, function() S.SequentialLR(sgd(), {}, {}) end },
    { { "ReduceLROnPlateau", "min_lr has 2 numbers for 1 groups" },
      function() S.ReduceLROnPlateau(sgd(), { min_lr = { 0, 0 } }) end },
    { { "StepLR", "epoch", "1.5" }, function() S.StepLR(sgd(), 2):step(1.5) end },
    { { "CosineAnnealingWarmRestarts", "epoch", "nan" },
      function() S.CosineAnnealingWarmRestarts(sgd(), 2):step(0 / 0) end },
  }

  it("stay where they were after a step that failed", function()
    local fails = false
    local s = S.LambdaLR(sgd(), function() return fails and "x" or 1 end)
    fails = true
    raises({ "LambdaLR", "'x'" }, s.step, s)
    assert.equals(0, s.last_epoch)
  end)

  it("with warm restarts take fractions of an epoch", function()
    local optimizer = sgd()
    local s = S.CosineAnnealingWarmRestarts(optimizer, 2)
    s:step(2.5) -- a quarter of the second cycle
    assert.near(0.001 * (1 + math.cos(math.pi / 4)) / 2, optimizer.param_groups[1].lr, 1e-12)
    s:step(2e15)
    assert.near(0.001, optimizer.param_groups[1].lr, 1e-12)
  end)
end)

describe("loaders", function()
  local function dataset(get, n)
    local D = data.Dataset:extend "D"
    function D.len() return n or 2 end
    D.get = get
    return D()
  end
  local function first(d, options)
    return function() return data.DataLoader(d, options or { batch_size = 2 }):iter()() end
  end
  local function stream(iter)
    local D = data.IterableDataset:extend "D"
    D.iter = iter
    return D()
  end
  local numbers = dataset(function(_, i) return i end, 6)
  local function sampler(iter)
    local s = data.Sampler:extend "Mine"
    function s.len() return 2 end
    s.iter = iter
    return s()
  end

  refuse {
    { { "DataLoader", "batch_sampler must give lists", "the number 1" }, first(numbers, { batch_sampler =
      sampler(function() return function() return 1 end end) }) },
    { { "DataLoader", "drop_last" }, first(numbers, { batch_size = false, drop_last = true }) },
    { { "D", "iter() returns", "nil" }, first(stream(function() end)) },
    { { "iter() returns", "nil" }, first(numbers, { sampler = sampler(function() end) }) },
    { { "default_collate", "sample 2 has a list of 3 values, sample 1 of 2" },
      first(dataset(function(_, i) return i == 1 and { 1, 2 } or { 1, 2, 3 } end)) },
    { { "default_collate", "sample 2 has 2 values, sample 1 has 1" },
      first(dataset(function(_, i) if i == 1 then return 1 end return 1, 2 end)) },
    { { "default_collate", "deep" }, first(dataset(function()
      local t = {}
      t.t = t
      return t
    end)) },
    { { "random_split", "generator must be a generator", "the number 1" },
      function() data.random_split(numbers, { 3, 3 }, { generator = 1 }) end },
    { { "DistributedSampler", "epoch", "'x'" }, function()
      data.DistributedSampler(numbers, { num_replicas = 2, rank = 0 }):set_epoch "x"
    end },
  }

  it("take a sampler that only has iter and len", function()
    local mine = sampler(function()
      local i = 7
      return function()
        i = i - 2
        if i > 0 then return i end
      end
    end)
    local seen = {}
    for x in data.DataLoader(numbers, { sampler = mine, batch_size = 2 }):iter() do
      seen[#seen + 1] = x:tolist()
    end
    assert.same({ { 5, 3 }, { 1 } }, seen)
  end)

  it("hand samples on as they are without a batch size", function()
    for workers = 0, 1 do
      local seen = {}
      local loader = data.DataLoader(numbers, { batch_size = false, num_workers = workers })
      assert.equals(6, loader:len())
      for x in loader:iter() do seen[#seen + 1] = x end
      assert.same({ 1, 2, 3, 4, 5, 6 }, seen)
    end
    local pairs_of = stream(function()
      local i = 0
      return function()
        i = i + 1
        if i < 3 then return { i }, i end
      end
    end)
    local seen = {}
    local loader = data.DataLoader(pairs_of, { batch_size = false,
      collate_fn = function(s) return s[1][1] + s[2] end })
    assert.equals("DataLoader(a stream of samples)", tostring(loader))
    for x in loader:iter() do seen[#seen + 1] = x end
    assert.same({ 2, 4 }, seen)
  end)

  it("take datasets side by side and streams one after another", function()
    local double = dataset(function(_, i) return 2 * i end, 6)
    local a, b = data.DataLoader(data.StackDataset(numbers, double), { batch_size = 3 }):iter()()
    assert.same({ 1, 2, 3 }, a:tolist())
    assert.same({ 2, 4, 6 }, b:tolist())
    local sample = data.StackDataset { x = numbers, y = double }:get(-1)
    assert.same({ x = 6, y = 12 }, sample)
    local function counting(n)
      return stream(function()
        local i = 0
        return function()
          i = i + 1
          if i <= n then return i end
        end
      end)
    end
    local seen = {}
    for x in data.DataLoader(data.ChainDataset { counting(2), counting(0), counting(1) }):iter() do
      seen[#seen + 1] = x:item()
    end
    assert.same({ 1, 2, 1 }, seen)
    local once = stream(function()
      return coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
    end)
    local loader, sizes = data.DataLoader(once, { batch_size = 2 }), {}
    for x in loader:iter() do sizes[#sizes + 1] = x:size(1) end
    assert.same({ 2, 1 }, sizes) -- a coroutine is not asked again when it has ended
    local next_sample = data.ChainDataset({ counting(1) }):iter()
    next_sample()
    assert.is_nil(next_sample())
    assert.is_nil(next_sample())
    raises({ "StackDataset", "6 and 2" }, data.StackDataset, numbers, dataset(nil, 2))
    raises({ "StackDataset", "at least one" }, data.StackDataset)
    raises({ "ChainDataset", "datasets[1]", "iterable" }, data.ChainDataset, { numbers })
  end)

  it("make numbers of any size a tensor", function()
    local function batch(v) return (first(dataset(function() return v end))()) end
    assert.equals(kiln.int64, batch(5).dtype)
    assert.equals(kiln.int64, batch(2LL ^ 60).dtype)
    assert.equals(kiln.float32, batch(1e300).dtype)
    assert.equals(kiln.float32, batch(math.huge).dtype)
  end)
end)

-- Public methods by name: those that scripts call, in whichever class of kiln's they stand.
local PUBLIC = {}
for name in ([[
  parameters named_parameters buffers children modules apply train eval zero_grad to type double float
  half bfloat16 cpu cuda state_dict load_state_dict clone reset_parameters reset_running_stats len
  append add insert pop iter update keys items values clear contains sample sample_n rsample log_prob
  cdf icdf entropy expand enumerate_support perplexity step get_last_lr add_param_group scale unscale_
  get_scale get get_batch encode decode positions set_epoch close flush get_logdir add_scalar
  add_scalars add_text add_image add_images add_histogram finish update_parameters predict
]]):gmatch "%S+" do PUBLIC[name] = true end

describe("a dot for a colon", function()
  it("is named by every public method", function()
    local seen, silent, n = {}, {}, 0
    for _, package in ipairs { nn, optim, S, optim.swa_utils, kiln.distributions, kiln.amp, data,
      kiln.utils.tensorboard, { kiln.utils.progress } } do
      for _, class in pairs(package) do
        while Object.is_class(class) and not seen[class] do
          seen[class] = true
          for name, method in pairs(class) do
            if PUBLIC[name] and type(method) == "function" then
              n = n + 1
              local ok, why = pcall(method)
              if ok or not why:find("called with a colon", 1, true) then
                silent[#silent + 1] = ("%s.%s: %s"):format(class.__name, name, tostring(why))
              end
            end
          end
          class = rawget(class, "__base")
        end
      end
    end
    table.sort(silent)
    assert.same({}, silent)
    assert.is_true(n > 200)
  end)

  it("does not append a layer to another one", function()
    local net = nn.Sequential(nn.Linear(2, 2))
    raises({ "append", "list:append()" }, function() net.append(nn.ReLU()) end)
    raises({ "extend", "list:extend()" }, function() net.extend { nn.ReLU() } end)
    raises({ "Sequential: extend: takes a list of modules, not nil" }, net.extend, net)
    raises({ "extend", "the class is missing" }, nn.Module.extend, {}, "Net")
    for _, layer in ipairs { nn.ReLU(), nn.Linear(2, 2), nn.LSTM(2, 2), nn.MSELoss() } do
      raises({ "forward", "layer:forward()" }, layer.forward)
      raises({ "forward", "layer:forward()" }, layer.forward, kiln.ones(2))
    end
    raises({ "forward", "net:forward()" }, function() net.forward(kiln.ones(2)) end)
    raises({ "keys", "dict:keys()" }, nn.ModuleDict.keys, nn.ReLU())
    assert.equals(2, net:add(nn.ReLU()):len())
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
