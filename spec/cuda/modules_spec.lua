--- What is written in Lua runs where its tensors are: packed sequences, distributions, parametrized weights,
-- averaged models, steps of several ops.  Values are compared with the CPU's where they are not drawn.
local kiln = require "spec.support.emulator"
local D, nn, optim = kiln.distributions, kiln.nn, kiln.optim
local P, U = nn.utils.parametrizations, nn.utils.rnn

-- fn(module, x) on the CPU, then with both on the device: results and gradients of x and of parameters.
local function compare(module, x, fn)
  local function run()
    local leaf = x:detach():requires_grad_(true)
    local y = fn(module, leaf)
    module:zero_grad()
    y:sum():backward()
    local list = { y, leaf.grad }
    for _, p in ipairs(module:parameters()) do list[#list + 1] = p.grad end
    return list
  end
  local expected = run()
  for k, v in ipairs(expected) do expected[k] = v:detach():clone() end
  module:cuda()
  x = x:cuda()
  for k, v in ipairs(run()) do
    assert.equal("cuda:1", v.device)
    assert.is_true(v:detach():cpu():allclose(expected[k], 1e-4, 1e-5), "result " .. k)
  end
end

describe("on the device", function()
  before_each(function() kiln.manual_seed(3) end)

  it("packed sequences go through recurrent layers, and back", function()
    for _, layer in ipairs { nn.RNN(3, 4), nn.GRU(3, 4, { bidirectional = true }), nn.LSTM(3, 4, 2),
      nn.LSTM(3, 4, { proj_size = 2, bidirectional = true }) } do
      compare(layer, kiln.randn(5, 3, 3), function(m, x)
        local packed = U.pack_padded_sequence(x, { 2, 5, 3 }, { enforce_sorted = false })
        return (U.pad_packed_sequence((m(packed))))
      end)
    end
    local packed = U.pack_padded_sequence(kiln.randn(5, 2, 3), { 2, 5 }, { enforce_sorted = false }):to "cuda"
    assert.equal("cuda:1", packed.unsorted_indices.device)
    assert.equal("cuda:1", nn.GRU(3, 4):cuda()(packed).data.device)
    assert.equal("cuda:1", U.pad_sequence({ kiln.ones(2):cuda(), kiln.ones(3):cuda() }).device)
  end)

  it("weights are computed from others", function()
    for _, make in ipairs { P.weight_norm, P.orthogonal, nn.utils.weight_norm } do
      compare(make(nn.Linear(3, 3)), kiln.randn(2, 3), function(m, x) return m(x) end)
    end
    compare(P.spectral_norm(nn.Linear(3, 3)):eval(), kiln.randn(2, 3), function(m, x) return m(x) end)
  end)

  it("distributions draw, and know what they drew", function()
    local p = kiln.tensor({ { 0.3, 0.7 }, { 0.4, 0.6 } }):cuda()
    local by = { logits = p }
    for _, d in ipairs { D.Normal(p, p), D.Gamma(p, p), D.Beta(p, p), D.StudentT(p), D.VonMises(p, p),
      D.Binomial(40, by), D.NegativeBinomial(3, by), D.Categorical(p), D.OneHotCategorical(p),
      D.Multinomial(5, p), D.ContinuousBernoulli(p), D.RelaxedOneHotCategorical(0.5, by), D.Dirichlet(p),
      D.LogisticNormal(p, p), D.MultivariateNormal(p, kiln.eye(2):cuda()), D.Independent(D.Normal(p, 1), 1),
      D.LowRankMultivariateNormal(p, p:unsqueeze(-1), p),
      D.MixtureSameFamily(D.Categorical(p), D.Normal(p, 1)),
      D.TransformedDistribution(D.Normal(p, p), D.transforms.StickBreakingTransform()) } do
      local x = d:expand({ 4, unpack(d.batch_shape) }):sample { 3 }
      assert.equal("cuda:1", x.device)
      assert.equal("cuda:1", d:log_prob(x).device, d.__name)
    end
  end)

  it("models are averaged, and steps of several ops taken", function()
    local net = nn.Linear(3, 3):cuda()
    local average = optim.swa_utils.get_ema_multi_avg_fn(0.5)
    local averaged = optim.swa_utils.AveragedModel(net, { multi_avg_fn = average })
    for _, name in ipairs { "Adafactor", "Muon" } do
      local optimizer = optim[name]({ net.weight })
      optimizer:zero_grad()
      net(kiln.ones({ 2, 3 }, { device = "cuda" })):sum():backward()
      optimizer:step()
      averaged:update_parameters(net)
    end
    assert.equal("cuda:1", averaged.module.weight.device)
    local many = nn.AdaptiveLogSoftmaxWithLoss(8, 9, { 2, 4 }, 2)
    local target = kiln.randint(1, 10, { 5 })
    compare(many, kiln.randn(5, 8), function(m, x)
      local _, loss = m(x, target:to(x.device))
      return loss
    end)
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
