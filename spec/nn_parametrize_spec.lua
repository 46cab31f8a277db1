-- Parametrized tensors, layers folded into one: keys of the state, values that follow the originals, what is
-- refused.  Their values are compared in nn_golden_spec.lua.
local kiln = require "kiln"
local nn = kiln.nn
local P, Q = nn.utils.parametrize, nn.utils.parametrizations
local support = require "spec.support"
local raises = support.raises

local Symmetric = nn.Module:extend "Symmetric"
function Symmetric.forward(_, x) return x:triu() + x:triu(1):t() end
function Symmetric.right_inverse(_, x) return x:triu() end

local Doubled = nn.Module:extend "Doubled"
function Doubled.forward(_, x) return x * 2 end

local function keys(module)
  local list = {}
  for name in pairs(module:state_dict()) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end

describe("a parametrized tensor", function()
  it("is computed whenever it is read, and trains its original", function()
    local layer = P.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    assert.equals("bias parametrizations.weight.original", keys(layer))
    assert.is_true(layer.weight:equal(layer.weight:t()))
    assert.truthy(tostring(layer):find "ParametrizedLinear")
    assert.is_true(nn.Module.is_instance(layer, nn.Linear))
    layer(kiln.ones(1, 3)):sum():backward()
    local original = layer.parametrizations.weight.original
    assert.truthy(original.grad)
    kiln.no_grad(function() original:fill_(3) end)
    assert.equals(27, layer.weight:sum():item())
    assert.equals(2, #layer:parameters())
  end)

  it("can be assigned where there is a way back", function()
    local layer = P.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    layer.weight = kiln.tensor { { 1, 2 }, { 2, 4 } }
    assert.same({ { 1, 2 }, { 0, 4 } }, layer.parametrizations.weight.original:tolist())
    assert.same({ { 1, 2 }, { 2, 4 } }, layer.weight:tolist())
    raises({ "Linear", "weight must be a tensor", "3" }, function() layer.weight = 3 end)
    raises({ "Linear", "'weight'", "[3, 3]", "[2, 2]" }, function() layer.weight = kiln.ones(3, 3) end)
    P.register_parametrization(layer, "weight", Doubled())
    assert.same({ { 2, 4 }, { 4, 8 } }, layer.weight:tolist())
    raises({ "Linear", "right_inverse" }, function() layer.weight = kiln.ones(2, 2) end)
    assert.equals("bias parametrizations.weight.original", keys(layer))
  end)

  it("is a parameter again when it is removed", function()
    local layer = nn.Linear(2, 2)
    local weight = layer.weight
    P.register_parametrization(layer, "weight", Doubled())
    P.register_parametrization(layer, "bias", Doubled())
    assert.is_true(P.is_parametrized(layer))
    P.remove_parametrizations(layer, "weight", { leave_parametrized = false })
    assert.is_true(layer.weight:equal(weight))
    assert.is_true(P.is_parametrized(layer, "bias"))
    local bias = layer.bias:detach():clone()
    P.remove_parametrizations(layer, "bias")
    assert.is_true(layer.bias:equal(bias))
    assert.is_false(P.is_parametrized(layer))
    assert.equals("bias weight", keys(layer))
    assert.truthy(tostring(layer):find "^Linear")
    assert.is_true(layer.bias.requires_grad)
  end)

  it("is copied, saved and loaded with its module", function()
    local net = nn.Sequential(Q.weight_norm(nn.Linear(3, 2)), Q.spectral_norm(nn.Linear(2, 2)))
    assert.equals("0.bias 0.parametrizations.weight.original0 0.parametrizations.weight.original1 1.bias "
      .. "1.parametrizations.weight.0._u 1.parametrizations.weight.0._v 1.parametrizations.weight.original",
      keys(net))
    net:eval()
    local x, twin = kiln.randn(4, 3), net:clone()
    local y = net(x)
    assert.is_true(y:equal(twin(x)))
    kiln.no_grad(function() net[1].parametrizations.weight.original0:mul_(2) end)
    assert.is_false(net(x):allclose(y))
    assert.is_true(twin(x):equal(y))
    net:load_state_dict(twin:state_dict())
    assert.is_true(net(x):equal(y))
  end)

  it("is computed once in cached", function()
    local calls = 0
    local Counted = nn.Module:extend "Counted"
    function Counted.forward(_, x)
      calls = calls + 1
      return x
    end
    local layer = P.register_parametrization(nn.Linear(2, 2), "weight", Counted())
    calls = 0
    local a, b = P.cached(function()
      return layer.weight + 1, P.cached(function() return layer.weight end)
    end)
    assert.equals(1, calls)
    assert.is_true(a:equal(b + 1))
    raises({ "kiln: stop" }, P.cached, function() error("kiln: stop", 0) end)
    layer(kiln.ones(1, 2))
    assert.equals(2, calls)
  end)

  it("can be a buffer", function()
    local norm = nn.BatchNorm1d(2)
    P.register_parametrization(norm, "running_mean", Doubled())
    assert.equals(2, #norm:parameters())
    assert.is_false(norm.running_mean.requires_grad)
    P.remove_parametrizations(norm, "running_mean")
    assert.truthy(norm:state_dict().running_mean)
  end)

  it("is refused with the name of what does not fit", function()
    local layer, Wide = nn.Linear(2, 2), nn.Module:extend "Wide"
    function Wide.forward(_, x) return kiln.cat({ x, x }, 1) end
    raises({ "register_parametrization", "'weights'" }, P.register_parametrization, layer, "weights",
      Doubled())
    raises({ "'weight'", "[2, 2]", "[4, 2]", "unsafe" }, P.register_parametrization, layer, "weight",
      Wide())
    assert.equals("bias weight", keys(layer))
    P.register_parametrization(layer, "weight", Wide(), true)
    assert.equals("[4, 2]", tostring(layer.weight.shape))
    raises({ "remove_parametrizations", "'bias'" }, P.remove_parametrizations, layer, "bias")
    raises({ "module must be a module" }, P.is_parametrized, 3)
    local normed = Q.weight_norm(nn.Linear(2, 2))
    raises({ "several tensors" }, P.remove_parametrizations, normed, "weight", false)
    raises({ "weight_norm", "dim 3" }, Q.weight_norm, nn.Linear(2, 2), { dim = 3 })
    raises({ "orthogonal", "2 dims" }, Q.orthogonal, nn.Linear(2, 2), "bias")
    raises({ "spectral_norm", "no tensor 'x'" }, Q.spectral_norm, nn.Linear(2, 2), "x")
  end)
end)

describe("weights under a condition", function()
  it("are orthogonal by every map, and stay so in training", function()
    kiln.manual_seed(3)
    for _, size in ipairs { { 4, 4 }, { 3, 5 }, { 5, 3 } } do
      for _, map in ipairs { "matrix_exp", "cayley", "householder", "default" } do
        for _, trivial in ipairs { true, false } do
          local layer = nn.Linear(size[1], size[2]):double()
          Q.orthogonal(layer, { orthogonal_map = map ~= "default" and map or nil,
            use_trivialization = trivial })
          local optimizer = kiln.optim.SGD(layer:parameters(), { lr = 0.1 })
          layer(kiln.ones({ 2, size[1] }, { dtype = kiln.float64 })):pow(2):sum():backward()
          optimizer:step()
          local w = layer.weight:detach()
          if size[2] < size[1] then w = w:t() end
          support.near(kiln.eye(math.min(unpack(size))):tolist(), kiln.matmul(w:t(), w), 1e-9)
        end
      end
    end
  end)

  it("take an orthogonal matrix as it is", function()
    local q = kiln.qr(kiln.randn(4, 4))
    local layer = Q.orthogonal(nn.Linear(4, 4))
    layer.weight = q
    support.near(q:tolist(), layer.weight, 1e-5)
    assert.equals("bias parametrizations.weight.0.base parametrizations.weight.original", keys(layer))
    local free = Q.orthogonal(nn.Linear(4, 4), { orthogonal_map = "householder", use_trivialization = false })
    free.weight = q
    support.near(q:tolist(), free.weight, 1e-5)
    local fixed = Q.orthogonal(nn.Linear(4, 4), { orthogonal_map = "cayley", use_trivialization = false })
    raises({ "right_inverse" }, function() fixed.weight = q end)
  end)

  it("have a largest singular value of 1 after spectral_norm", function()
    kiln.manual_seed(3)
    local layer = Q.spectral_norm(nn.Conv2d(2, 3, 2), { n_power_iterations = 20 })
    layer(kiln.ones(1, 2, 4, 4))
    local _, s = kiln.svd(layer.weight:detach():reshape(3, -1))
    assert.near(1, s[1]:item(), 1e-5)
    local u = layer.parametrizations.weight["0"]._u
    layer:eval()
    local before = u:clone()
    layer(kiln.ones(1, 2, 4, 4))
    assert.is_true(u:equal(before))
    assert.near(1, Q.spectral_norm(nn.BatchNorm1d(3)).weight:norm():item(), 1e-6)
  end)
end)

describe("a batch norm", function()
  it("folds into the layer before it", function()
    kiln.manual_seed(2)
    local function check(layer, norm, x, fuse, ...)
      layer, norm = layer:double(), norm:double()
      for _ = 1, 3 do norm(layer(x * kiln.randn_like(x))) end -- statistics that are not 0 and 1
      kiln.no_grad(function()
        norm.weight:uniform_(0.5, 2)
        norm.bias:normal_()
      end)
      layer:eval()
      norm:eval()
      assert.is_true(fuse(layer, norm, ...)(x):allclose(norm(layer(x)), 1e-9, 1e-9))
    end
    local x = kiln.randn(2, 4, 5, 5):double()
    local U = nn.utils
    check(nn.Conv2d(4, 6, 3, { groups = 2 }), nn.BatchNorm2d(6), x, U.fuse_conv_bn_eval)
    check(nn.Conv2d(4, 3, 3, { bias = false }), nn.BatchNorm2d(3), x, U.fuse_conv_bn_eval)
    check(nn.ConvTranspose2d(4, 3, 3), nn.BatchNorm2d(3), x, U.fuse_conv_bn_eval, true)
    check(nn.Linear(5, 3), nn.BatchNorm1d(3), kiln.randn(7, 5):double(), U.fuse_linear_bn_eval)
    local layer, norm = nn.Linear(5, 3):double(), nn.BatchNorm1d(3):double():eval()
    norm.running_mean:normal_()
    norm.running_var:uniform_(0.5, 2)
    local parts = { layer.weight, layer.bias, norm.running_mean, norm.running_var, norm.eps,
      norm.weight, norm.bias }
    local twin = U.fuse_linear_bn_eval(layer:eval(), norm)
    local weight, bias = U.fuse_linear_bn_weights(unpack(parts))
    assert.is_true(kiln.equal(twin.weight, weight) and kiln.equal(twin.bias, bias))
    assert.is_true(nn.Parameter.is(weight))
    weight, bias = U.fuse_conv_bn_weights(kiln.ones(2, 3, 1), nil, kiln.ones(3), kiln.ones(3), 0,
      { transpose = true, bn_b = kiln.tensor { 4, 5, 6 } })
    assert.same({ { 1, 1, 1 }, { 3, 4, 5 } }, { weight[1]:view(3):tolist(), bias:tolist() })
    raises({ "fuse_linear_bn_weights", "bn_rv must be [3]", "[1]" }, U.fuse_linear_bn_weights, layer.weight,
      nil, norm.running_mean, kiln.ones(1))
    raises({ "fuse_linear_bn_eval", "eval()" }, U.fuse_linear_bn_eval, nn.Linear(2, 2), nn.BatchNorm1d(2))
    raises({ "fuse_linear_bn_eval", "do not go together" }, U.fuse_linear_bn_eval, nn.Linear(2, 2):eval(),
      nn.BatchNorm1d(3):eval())
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
