--- Losses and distances: each is the function of kiln.nn.functional with its arguments remembered.
-- `reduction` is 'mean', 'sum' or 'none'; size_average and reduce are its older spelling.
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local Linear = require("kiln.nn.linear").Linear
local check = require "kiln.check"

local raise = check.raise

local M = {}

-- Short for arguments in the rows below: @s size_average, @r reduce and reduction, @m reduction alone.
local SHORT = {
  ["@s"] = "size_average: bool?", ["@r"] = "reduce: bool?, reduction: mean|sum|none = mean",
  ["@m"] = "reduction: mean|sum|none = mean",
}

-- name, function, arguments.  The function takes the tensors that forward gets, then the options by
-- name.
local rows = {
  { "L1Loss", "l1_loss", "@s, @r" },
  { "MSELoss", "mse_loss", "@s, @r" },
  { "SmoothL1Loss", "smooth_l1_loss", "@s, @r, beta: number = 1" },
  { "HuberLoss", "huber_loss", "@m, delta: number = 1" },
  { "NLLLoss", "nll_loss", "weight: tensor?, @s, ignore_index: int = -100, @r" },
  { "NLLLoss2d", "nll_loss", "weight: tensor?, @s, ignore_index: int = -100, @r" },
  { "CrossEntropyLoss", "cross_entropy",
    "weight: tensor?, @s, ignore_index: int = -100, @r, label_smoothing: number = 0" },
  { "PoissonNLLLoss", "poisson_nll_loss", "log_input: bool = true, full: bool = false, @s, "
    .. "eps: number = 1e-8, @r" },
  { "GaussianNLLLoss", "gaussian_nll_loss", "full: bool = false, eps: number = 1e-6, @m" },
  { "KLDivLoss", "kl_div", "@s, reduce: bool?, reduction: mean|sum|none|batchmean = mean, "
    .. "log_target: bool = false" },
  { "BCELoss", "binary_cross_entropy", "weight: tensor?, @s, @r" },
  { "BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "weight: tensor?, @s, @r, pos_weight: tensor?" },
  { "HingeEmbeddingLoss", "hinge_embedding_loss", "margin: number = 1, @s, @r" },
  { "MarginRankingLoss", "margin_ranking_loss", "margin: number = 0, @s, @r" },
  { "MultiLabelMarginLoss", "multilabel_margin_loss", "@s, @r" },
  { "SoftMarginLoss", "soft_margin_loss", "@s, @r" },
  { "MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", "weight: tensor?, @s, @r" },
  { "CosineEmbeddingLoss", "cosine_embedding_loss", "margin: number = 0, @s, @r" },
  { "MultiMarginLoss", "multi_margin_loss", "p: int = 1, margin: number = 1, weight: tensor?, @s, @r" },
  { "TripletMarginLoss", "triplet_margin_loss",
    "margin: number = 1, p: number = 2, eps: number = 1e-6, swap: bool = false, @s, @r" },
  { "CTCLoss", "ctc_loss", "blank: int = 1, @m, zero_infinity: bool = false" },
}

-- The reduction that the older options mean.
local function reduction_of(self)
  if self.size_average == nil and self.reduce == nil then return self.reduction end
  if self.reduce == false then return "none" end
  return self.size_average == false and "sum" or "mean"
end

-- Weights belong to the state, and go along to another dtype or device.
local function register_weights(self)
  for _, name in ipairs { "weight", "pos_weight" } do
    if self[name] then self:register_buffer(name, self[name]) end
  end
end

for _, row in ipairs(rows) do
  local name, fn, options = row[1], row[2], {}
  local text = row[3]:gsub("@%a", SHORT)
  for word in text:gmatch "([%w_]+):" do
    if not word:find "^reduc" and word ~= "size_average" then options[#options + 1] = word end
  end
  M[name] = declare(name) {
    args = text, setup = register_weights,
    forward = function(self, ...)
      local given, list, n = { reduction = reduction_of(self) }, { ... }, select("#", ...)
      for _, option in ipairs(options) do given[option] = self[option] end
      if n < 2 then raise(name, "takes an input and a target, got %d arguments", n) end
      list[n + 1] = given
      return F[fn](unpack(list, 1, n + 1))
    end,
  }
end

--- TripletMarginLoss with a distance of one's own: distance_function(x1, x2), [N].
M.TripletMarginWithDistanceLoss = declare "TripletMarginWithDistanceLoss" {
  args = "distance_function: function?, margin: number = 1, swap: bool = false, "
    .. "reduction: mean|sum|none = mean",
  setup = function(self) check.above(self.margin, self.__name, "margin", 0) end,
  forward = function(self, anchor, positive, negative)
    return F.triplet_margin_with_distance_loss(anchor, positive, negative, {
      distance_function = self.distance_function, margin = self.margin, swap = self.swap,
      reduction = self.reduction })
  end,
}

--- CrossEntropyLoss of the outputs of a linear layer of its own: [n, num_classes, unpack(out_features)].
M.LinearCrossEntropyLoss = declare "LinearCrossEntropyLoss" {
  args = "in_features: count, num_classes: count, out_features: table?, bias: bool = false, "
    .. "reduction: mean|sum|none = mean, weight: tensor?, ignore_index: int = -100, "
    .. "label_smoothing: number = 0",
  tensors = true,
  setup = function(self)
    local n, shape = self.num_classes, { self.num_classes }
    for i, v in ipairs(self.out_features or {}) do
      local what = ("out_features[%d]"):format(i)
      check.at_least(check.int(v, self.__name, what), self.__name, what, 1)
      shape[i + 1], n = v, n * v
    end
    rawset(self, "_scores", shape)
    local bias = self.bias
    self.bias = nil
    self.linear = Linear(self.in_features, n, { bias = bias, dtype = self._factory.dtype,
      device = self._factory.device })
    register_weights(self)
  end,
  forward = function(self, x, target)
    local shape = { unpack(self._scores) }
    shape[#shape + 1] = self.in_features
    return F.linear_cross_entropy(x, self.linear.weight:view(shape), target, { linear_bias = self.linear.bias,
      weight = self.weight, reduction = self.reduction, ignore_index = self.ignore_index,
      label_smoothing = self.label_smoothing })
  end,
}

M.CosineSimilarity = declare "CosineSimilarity" {
  args = "dim: int = 2, eps: number = 1e-8",
  forward = function(self, x1, x2) return F.cosine_similarity(x1, x2, self.dim, self.eps) end,
}

M.PairwiseDistance = declare "PairwiseDistance" {
  args = "p: number = 2, eps: number = 1e-6, keepdim: bool = false",
  forward = function(self, x1, x2) return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim) end,
}

return M
