-- Every loss checks its targets: a class outside 1..c, a NaN, a wrong shape or dtype is an error that names
-- the value and its position, as function and as module; class weights have a gradient or refuse one.
local kiln = require "kiln"
local nn = kiln.nn
local F = nn.functional
local device = require "spec.support.device"
local raises = require("spec.support").raises

local NAN = 0 / 0

-- Raises these parts; on a device, where nobody waits to look for it, the loss has a NaN.
local function refused(parts, f, ...)
  if not device.name or os.getenv "KILN_CUDA_SYNC" then return raises(parts, f, ...) end
  assert.is_true(f(...):isnan():any():item())
end
local function floats(v) return kiln.tensor(v, { dtype = kiln.float64 }) end
local function ints(v) return kiln.tensor(v, { dtype = kiln.int64 }) end
local function x(...) return kiln.arange(1, 25, { dtype = kiln.float64 }):sin():narrow(1, 1, 12):view(...) end
local function p() return x(3, 4):mul(0.4):add(0.5) end

-- The losses by what their targets are: function, module, how it is called with a target.
local DENSE = {
  l1_loss = "L1Loss", mse_loss = "MSELoss", smooth_l1_loss = "SmoothL1Loss", huber_loss = "HuberLoss",
  kl_div = "KLDivLoss", binary_cross_entropy_with_logits = "BCEWithLogitsLoss",
  soft_margin_loss = "SoftMarginLoss", multilabel_soft_margin_loss = "MultiLabelSoftMarginLoss",
  poisson_nll_loss = "PoissonNLLLoss", binary_cross_entropy = "BCELoss",
  gaussian_nll_loss = "GaussianNLLLoss",
}
local CLASSES = { nll_loss = "NLLLoss", cross_entropy = "CrossEntropyLoss",
  multi_margin_loss = "MultiMarginLoss" }
local OTHERS = { hinge_embedding_loss = "HingeEmbeddingLoss", cosine_embedding_loss = "CosineEmbeddingLoss",
  margin_ranking_loss = "MarginRankingLoss", multilabel_margin_loss = "MultiLabelMarginLoss",
  triplet_margin_loss = "TripletMarginLoss", ctc_loss = "CTCLoss",
  triplet_margin_with_distance_loss = "TripletMarginWithDistanceLoss" }

-- Calls both forms.
local function both(fn, class, check)
  check(F[fn])
  check(nn[class]())
end

describe("losses of equal shapes", function()
  for name, class in pairs(DENSE) do
    local function call(f)
      return function(target)
        if name == "gaussian_nll_loss" then return f(x(3, 4), target, p()) end
        return f(name == "binary_cross_entropy" and p() or x(3, 4), target)
      end
    end
    it(name, function()
      both(name, class, function(f)
        local loss = call(f)
        assert.is_true(loss(p()):item() == loss(p()):item())
        local bad = p()
        bad[2][3] = NAN
        refused({ name, "target nan", "[2, 3]" }, loss, bad)
        raises({ name, "[3, 4]", "[3]" }, loss, floats { 1, 1, 1 })
        raises({ name, "[3, 4]", "[4, 3]" }, loss, p():t())
        raises({ name, "[3, 4]", "[3, 1]" }, loss, floats { { 1 }, { 1 }, { 1 } })
        raises({ name, "bool" }, loss, p():gt(0))
        raises({ name, "target" }, loss, "text")
        raises({ name, "target" }, loss, nil)
      end)
      local bad = p()
      bad[1][1] = NAN
      refused({ name, "target nan", "[1, 1]" }, call(function(a, b, c)
        local options = { reduction = "none" }
        if c then return F[name](a, b, c, options) end
        return F[name](a, b, options)
      end), bad)
      -- A NaN of x is no mistake of the target's.
      local good = call(function(given, target, c)
        local nan = given:clone()
        nan[1][1] = NAN
        if c then return F[name](nan, target, c) end
        return F[name](nan, target)
      end)(p()):item()
      assert.is_true(good ~= good)
    end)
  end

  it("binary_cross_entropy wants probabilities", function()
    local q = p()
    q[3][2] = 1.5
    refused({ "binary_cross_entropy", "x 1.5", "[3, 2]", "probability" }, F.binary_cross_entropy, q, p())
    q[3][2] = -0.25
    refused({ "x -0.25", "[3, 2]" }, nn.BCELoss(), q, p())
  end)

  it("gaussian_nll_loss wants variances", function()
    local loss, var = nn.GaussianNLLLoss(), kiln.ones(3, 4, { dtype = kiln.float64 })
    var[2][2] = -1
    raises({ "gaussian_nll_loss", "var -1", "[2, 2]" }, loss, x(3, 4), p(), var)
    raises({ "gaussian_nll_loss", "[3, 4]", "[2]" }, loss, x(3, 4), p(), floats { 1, 1 })
    local rows = floats { 0.5, 1, 2 }
    assert.equals(loss(x(3, 4), p(), rows:unsqueeze(2):expand(3, 4)):item(), loss(x(3, 4), p(), rows):item())
    assert.equals(loss(x(3, 4), p(), rows):item(), loss(x(3, 4), p(), rows:unsqueeze(2)):item())
  end)
end)

describe("losses of classes", function()
  for name, class in pairs(CLASSES) do
    it(name, function()
      both(name, class, function(f)
        local good = f(x(3, 4), ints { 1, 4, 2 }):item()
        assert.equals(good, f(x(3, 4), floats { 1, 4, 2 }):item())
        assert.equals(good, f(x(3, 4), kiln.tensor({ 1, 4, 2 }, { dtype = kiln.uint8 })):item())
        for _, wrong in ipairs { 0, 5, -3 } do
          raises({ name, "target " .. wrong, "[2]", "1..4" }, f, x(3, 4), ints { 1, wrong, 2 })
        end
        raises({ name, "target 1.5", "[3]", "1..4" }, f, x(3, 4), floats { 1, 2, 1.5 })
        raises({ name, "target nan", "[1]" }, f, x(3, 4), floats { NAN, 2, 1 })
        raises({ name, "bool" }, f, x(3, 4), floats { 1, 1, 1 }:gt(0))
        raises({ name, "[3, 4]", "[2]" }, f, x(3, 4), ints { 1, 2 })
        raises({ name, "[3, 4]", "[3, 1]" }, f, x(3, 4), ints { { 1 }, { 2 }, { 3 } })
        raises({ name, "target" }, f, x(3, 4), "text")
      end)
      local t = ints { 1, 4, 2 }
      raises({ name, "weight", "[4]", "[3]" }, F[name], x(3, 4), t, { weight = floats { 1, 2, 3 } })
      raises({ name, "weight", "int64" }, F[name], x(3, 4), t, { weight = ints { 1, 2, 3, 4 } })
    end)
  end

  it("nll_loss and cross_entropy of images", function()
    local images, t = kiln.zeros(2, 3, 2, 2), kiln.ones(2, 2, 2, { dtype = kiln.int64 })
    t[2][1][2] = 4
    raises({ "target 4", "[2, 1, 2]", "1..3" }, F.nll_loss, images, t)
    raises({ "target 4", "[2, 1, 2]", "1..3" }, F.cross_entropy, images, t)
    raises({ "nll_loss", "[2, 3, 2, 2]", "[2, 2]" }, F.nll_loss, images, t[1])
  end)

  it("cross_entropy of probabilities", function()
    local bad = p()
    bad[3][4] = NAN
    refused({ "cross_entropy", "target nan", "[3, 4]" }, F.cross_entropy, x(3, 4), bad)
    raises({ "cross_entropy", "[3, 4]", "[3, 5]" }, F.cross_entropy, x(3, 4), kiln.rand(3, 5))
  end)

  it("give class weights a gradient, or refuse to", function()
    local t = ints { 1, 4, 2 }
    for _, name in ipairs { "nll_loss", "cross_entropy" } do -- as in the reference
      local w = floats { 1, 2, 3, 4 }:requires_grad_(true)
      raises({ name, "weight requires grad", "detach" }, F[name], x(3, 4), t, { weight = w })
    end
    local options = { dtype = kiln.float64 }
    local cases = {
      multi_margin_loss = { function(w) return F.multi_margin_loss(x(3, 4), t, { weight = w }) end, { 4 } },
      ["cross_entropy of probabilities"] = { function(w)
        return F.cross_entropy(x(3, 4), p(), { weight = w, label_smoothing = 0.1 })
      end, { 4 } },
      binary_cross_entropy = { function(w)
        return F.binary_cross_entropy(p(), x(3, 4):abs(), w)
      end, { 3, 4 } },
      binary_cross_entropy_with_logits = { function(w)
        return F.binary_cross_entropy_with_logits(x(3, 4), p(), { weight = w })
      end, { 3, 4 } },
      pos_weight = { function(w)
        return F.binary_cross_entropy_with_logits(x(3, 4), p(), { pos_weight = w })
      end, { 4 } },
      multilabel_soft_margin_loss = { function(w)
        return F.multilabel_soft_margin_loss(x(3, 4), p(), { weight = w })
      end, { 4 } },
    }
    for name, case in pairs(cases) do
      local w = kiln.full(case[2], 1.5, options):requires_grad_(true)
      assert.is_true(kiln.autograd.gradcheck(case[1], { w }), name)
    end
  end)
end)

describe("other losses", function()
  it("hinge_embedding_loss", function()
    both("hinge_embedding_loss", OTHERS.hinge_embedding_loss, function(f)
      raises({ "hinge_embedding_loss", "target 0", "[1, 2]", "1 nor -1" }, f, x(3, 4), x(3, 4):sign():mul(
        floats { 1, 0, 1, 1 }))
      raises({ "hinge_embedding_loss", "target nan" }, f, x(3, 4), kiln.full({ 3, 4 }, NAN))
      raises({ "hinge_embedding_loss", "[3, 4]", "[4]" }, f, x(3, 4), floats { 1, 1, 1, 1 })
      raises({ "hinge_embedding_loss", "bool" }, f, x(3, 4), x(3, 4):gt(0))
      raises({ "hinge_embedding_loss", "target 3", "1 nor -1" }, f, x(3, 4), 3)
    end)
  end)

  it("cosine_embedding_loss", function()
    both("cosine_embedding_loss", OTHERS.cosine_embedding_loss, function(f)
      local name = "cosine_embedding_loss"
      raises({ name, "target 2", "[3]", "1 nor -1" }, f, x(3, 4), x(3, 4), ints { 1, -1, 2 })
      raises({ name, "target nan", "[1]" }, f, x(3, 4), x(3, 4), floats { NAN, 1, 1 })
      raises({ name, "[3, 4]", "[2]" }, f, x(3, 4), x(3, 4), ints { 1, 1 })
      raises({ name, "x1 has shape [3, 4]", "x2 [2, 4]" }, f, x(3, 4), x(3, 4):narrow(1, 1, 2), ints { 1, 1 })
      raises({ name, "bool" }, f, x(3, 4), x(3, 4), floats { 1, 1, 1 }:gt(0))
    end)
  end)

  it("margin_ranking_loss", function()
    both("margin_ranking_loss", OTHERS.margin_ranking_loss, function(f)
      local a = floats { 1, 2, 3 }
      refused({ "margin_ranking_loss", "target nan", "[2]" }, f, a, -a, floats { 1, NAN, 1 })
      raises({ "margin_ranking_loss", "[3]", "target [2]" }, f, a, -a, floats { 1, 1 })
      raises({ "margin_ranking_loss", "x1 has shape [3, 1]", "x2 [3]" }, f, a:unsqueeze(2), a, a)
    end)
  end)

  it("multilabel_margin_loss", function()
    both("multilabel_margin_loss", OTHERS.multilabel_margin_loss, function(f)
      local name, t = "multilabel_margin_loss", ints { { 1, 0, 4, 4 }, { 2, 7, 0, 0 }, { 1, 2, 3, 4 } }
      raises({ name, "target 7", "[2, 2]", "1..4" }, f, x(3, 4), t)
      raises({ name, "[3, 4]", "[2, 4]" }, f, x(3, 4), t:narrow(1, 1, 2))
      raises({ name, "int64", "float64" }, f, x(3, 4), p())
      raises({ name, "1 or 2 dims", "3" }, f, x(1, 3, 4), t:unsqueeze(1))
    end)
  end)

  for _, name in ipairs { "triplet_margin_loss", "triplet_margin_with_distance_loss" } do
    it(name, function()
      both(name, OTHERS[name], function(f)
        local a = x(3, 4)
        raises({ name, "anchor has shape [3, 4]", "positive [4, 3]" }, f, a, a:t(), a)
        raises({ name, "negative [2, 4]" }, f, a, a, a:narrow(1, 1, 2))
      end)
    end)
  end

  it("ctc_loss", function()
    both("ctc_loss", OTHERS.ctc_loss, function(f)
      local log_p = kiln.randn(5, 2, 4):log_softmax(3)
      local function call(t, inputs, lengths)
        return function() return f(log_p, t, inputs or { 5, 5 }, lengths or { 2, 2 }) end
      end
      for _, label in ipairs { 7, 0, 1, 2.5, NAN } do
        raises({ "ctc_loss", "label " .. tostring(label), "target 2", "position 1" },
          call(floats { { 2, 3 }, { label, 2 } }))
      end
      raises({ "ctc_loss", "[2, longest]", "[1, 2]" }, call(ints { { 2, 3 } }))
      raises({ "ctc_loss", "bool" }, call(floats { { 1, 1 }, { 1, 1 } }:gt(0)))
      raises({ "ctc_loss", "input_lengths[2]", "0..5", "9" }, call(ints { { 2, 3 }, { 2, 3 } }, { 5, 9 }))
      raises({ "ctc_loss", "input_lengths[1]", "2.5" }, call(ints { { 2, 3 }, { 2, 3 } }, { 2.5, 5 }))
      raises({ "ctc_loss", "target_lengths[2]", "0..2", "3" },
        call(ints { { 2, 3 }, { 2, 3 } }, nil, { 2, 3 }))
      raises({ "ctc_loss", "target_lengths", "'a'" }, call(ints { { 2, 3 }, { 2, 3 } }, nil, { 2, "a" }))
    end)
  end)
end)

describe("the loss of a linear layer checks its targets:", function()
  it("linear_cross_entropy", function()
    local loss = nn.LinearCrossEntropyLoss(4, 3, { dtype = "float64" })
    local weight = kiln.randn(3, 4, { dtype = "float64" })
    for _, f in ipairs { loss, function(v, t) return F.linear_cross_entropy(v, weight, t) end } do
      raises({ "cross_entropy", "target 7", "[2]", "1..3" }, device.settled, f, x(3, 4):narrow(1, 1, 2),
        ints { 1, 7 })
      raises({ "cross_entropy", "[2, 3]", "[3]" }, f, x(3, 4):narrow(1, 1, 2), ints { 1, 2, 3 })
      raises({ "cross_entropy", "bool" }, f, x(3, 4):narrow(1, 1, 2), floats({ 1, 1 }):gt(0))
    end
  end)
end)

it("these are all the losses", function()
  -- NLLLoss under another name, and one whose refusals are in nn_wrong_use_spec.lua.
  local known = { NLLLoss2d = true, LinearCrossEntropyLoss = true, AdaptiveLogSoftmaxWithLoss = true }
  for _, list in ipairs { DENSE, CLASSES, OTHERS } do
    for _, class in pairs(list) do known[class] = true end
  end
  for name in pairs(nn) do
    if name:find "Loss" then assert.is_true(known[name], name .. " is not checked here") end
  end
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
