--- kiln.nn.functional: layers as functions.  Most are ops under the same name and are handed on as
-- they are; here stand those that need more: an `inplace` flag, random masks, older argument orders.
local kiln = require "kiln"
local capturing = require "kiln.cuda.capturing"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local halves = require "kiln.halves"
local namespace = require "kiln.namespace"

local raise, got = check.raise, check.got
local M = check.vocabulary {}

-- Ops that are layers.
local OPS = [[
  linear one_hot
  conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
  avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d
  lp_pool1d lp_pool2d lp_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
  adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d fractional_max_pool2d
  fractional_max_pool3d
  tanh sigmoid softplus softsign hardshrink softshrink tanhshrink logsigmoid glu prelu
  gelu
  batch_norm instance_norm layer_norm group_norm local_response_norm
  pairwise_distance cosine_similarity
  binary_cross_entropy binary_cross_entropy_with_logits poisson_nll_loss gaussian_nll_loss
  cosine_embedding_loss cross_entropy hinge_embedding_loss kl_div l1_loss mse_loss huber_loss
  margin_ranking_loss multilabel_margin_loss multilabel_soft_margin_loss multi_margin_loss nll_loss
  smooth_l1_loss soft_margin_loss triplet_margin_loss
]]
local is_op = {}
for name in OPS:gmatch "%S+" do is_op[name] = true end

-- -- Activations with an `inplace` flag --------------------------------------------------------

-- name, its arguments before `inplace`
local ACTIVATIONS = {
  relu = "", relu6 = "", selu = "", silu = "", mish = "", hardswish = "", hardsigmoid = "",
  elu = "alpha: number = 1", celu = "alpha: number = 1", leaky_relu = "negative_slope: number = 0.01",
  threshold = "threshold: number, value: number", hardtanh = "min_val: number = -1, max_val: number = 1",
}

for name, list in pairs(ACTIVATIONS) do
  local full = "input: tensor, " .. (list ~= "" and list .. ", " or "") .. "inplace: bool = false"
  local parse, items = args.define(name, full)
  local first, second = items[2].name, items[3] and items[3].name
  M[name] = function(x, ...)
    -- The common call has nothing to look at.
    if list == "" and select("#", ...) == 0 then return kiln[name](x) end
    local a = parse(x, ...)
    local method = a.inplace and name .. "_" or name
    if list == "" then return x[method](x) end
    if second == "inplace" then return x[method](x, a[first]) end
    return x[method](x, a[first], a[second])
  end
  M[name .. "_"] = function(x, ...)
    if not check.is_tensor(x) then raise(name .. "_", "input must be a tensor, not %s", got(x)) end
    return x[name .. "_"](x, ...)
  end
end

local parse_rrelu = args.define("rrelu", "input: tensor, lower: number = 0.125, "
  .. "upper: number = 0.3333333333333333, training: bool = false, inplace: bool = false")

--- leaky_relu with a slope drawn in [lower, upper) for each element while training, else their mean.
function M.rrelu(...)
  local a = parse_rrelu(...)
  if not a.training then return M.leaky_relu(a.input, (a.lower + a.upper) / 2, a.inplace) end
  local x = a.input
  local slope = kiln.empty_like(x):uniform_(a.lower, a.upper)
  slope = kiln.where(x:ge(0), kiln.ones_like(slope), slope)
  if a.inplace then return x:mul_(slope) end
  return x * slope
end

local PROBABILITIES = "input: tensor, dim: int?, dtype: dtype?"

for _, name in ipairs { "softmax", "log_softmax", "softmin" } do
  local parse = args.define(name, PROBABILITIES)
  --- Without dim it is 2, or 1 for 1 and 3 dims, which was the rule once; dtype is that of the computation.
  M[name] = function(x, dim, ...)
    if type(dim) == "number" and select("#", ...) == 0 then return kiln[name](x, dim) end
    local a = parse(x, dim, ...)
    local n = a.input:dim()
    x = a.dtype and a.input:to(a.dtype) or a.input
    return kiln[name](x, a.dim or ((n == 1 or n == 3) and 1 or math.min(n, 2)))
  end
end

-- -- Dropout -----------------------------------------------------------------------------------

local DROPOUT = "input: tensor, p: number = 0.5, training: bool = %s, inplace: bool = false"

-- Without `training` the function drops, or in the kinds for SELU, as in the reference, it does not.
local function dropout_arguments(name)
  local parse = args.define(name, DROPOUT:format(name:find "alpha" and "false" or "true"))
  return function(...)
    local a = parse(...)
    if not (a.p >= 0 and a.p <= 1) then raise(name, "p must be in [0, 1], not %g", a.p) end
    return a.input, a.p, a.training and a.p > 0, a.inplace
  end
end

local dropout_args = dropout_arguments "dropout"
--- Elements become 0 with probability p, the others are divided by 1 - p.
function M.dropout(...)
  local x, p, active, inplace = dropout_args(...)
  if not active then return x end
  if not inplace then return (kiln.dropout(x, p)) end
  local keep = kiln.empty_like(x):bernoulli_(1 - p)
  return x:mul_(p < 1 and keep:div_(1 - p) or keep)
end

local parse_rms_norm = args.define("rms_norm", "input: tensor, normalized_shape: any, weight: tensor?, "
  .. "eps: number?")

--- Without eps it is the distance from 1 to the next number of the dtype that it computes in.
function M.rms_norm(...)
  local a = parse_rms_norm(...)
  local eps = a.eps or a.input.dtype == kiln.float64 and 2 ^ -52 or 2 ^ -23
  return kiln.rms_norm(a.input, a.normalized_shape, a.weight, eps)
end

-- A mask over the first two dims (the channels of each sample), 1 where it is kept.
local function channel_mask(x, p)
  local shape = {}
  for d = 1, x:dim() do shape[d] = d <= 2 and x:size(d) or 1 end
  return kiln.empty(shape, { dtype = x.dtype, device = x.device }):bernoulli_(1 - p)
end

for _, name in ipairs { "dropout1d", "dropout2d", "dropout3d" } do
  local parse = dropout_arguments(name)
  --- Whole channels become 0 with probability p.
  M[name] = function(...)
    local x, p, active, inplace = parse(...)
    if x:dim() < 2 then raise(name, "input must have at least 2 dims, not %d", x:dim()) end
    if not active then return x end
    local mask = channel_mask(x, p)
    if p < 1 then mask:div_(1 - p) end
    if inplace then return x:mul_(mask) end
    return x * mask
  end
end

-- What SELU tends to for very negative inputs.
local SELU_LIMIT = -1.7580993408473766

-- Dropped elements become SELU_LIMIT, and all are shifted and scaled so that mean and variance stay.
local function alpha_drop(x, p, mask, inplace)
  if p == 1 then return inplace and x:mul_(0) or x * 0 end
  local a = 1 / math.sqrt((SELU_LIMIT * SELU_LIMIT * p + 1) * (1 - p))
  local shift = (1 - mask) * (SELU_LIMIT * a) - SELU_LIMIT * a * p
  if inplace then return x:mul_(mask * a):add_(shift) end
  return x * (mask * a) + shift
end

local alpha_args = dropout_arguments "alpha_dropout"
--- Dropout for SELU networks (Klambauer et al. 2017).
function M.alpha_dropout(...)
  local x, p, active, inplace = alpha_args(...)
  if not active then return x end
  return alpha_drop(x, p, kiln.empty_like(x):bernoulli_(1 - p), inplace)
end

local feature_args = dropout_arguments "feature_alpha_dropout"
--- alpha_dropout of whole channels.
function M.feature_alpha_dropout(...)
  local x, p, active, inplace = feature_args(...)
  if not active then return x end
  return alpha_drop(x, p, channel_mask(x, p), inplace)
end

-- -- Pooling -----------------------------------------------------------------------------------

--- The pools that can say where their maxima stand, under the names that say that they do.
for _, kind in ipairs { "max", "adaptive_max", "fractional_max" } do
  for n = kind == "fractional_max" and 2 or 1, 3 do
    local pool = ("%s_pool%dd"):format(kind, n)
    local function with_indices(...)
      local given, k = { ... }, select("#", ...)
      local options = {}
      if k > 1 and type(given[k]) == "table" and #given[k] == 0 then
        for name, v in pairs(given[k]) do options[name] = v end
        k = k - 1
      end
      options.return_indices = true
      given[k + 1] = options
      return kiln[pool](unpack(given, 1, k + 1))
    end
    jit.off(with_indices) -- walks a table: docs/architecture.md, "LuaJIT"
    M[pool .. "_with_indices"] = with_indices
  end
end

-- -- Look-up -----------------------------------------------------------------------------------

-- With max_norm, scales rows whose norm is above it, in the weight itself; what would be refused later is
-- refused before that.
local function renormalize(name, a)
  local weight, at = a.weight, a.padding_idx
  if not a.max_norm then return end
  if at and weight:dim() > 0 and (at == 0 or math.abs(at) > weight:size(1)) then
    raise(name, "padding_idx %d is out of range 1..%d", at, weight:size(1))
  end
  if a.sparse and a.scale_grad_by_freq then raise(name, "scale_grad_by_freq does not go with sparse") end
  kiln.no_grad(function()
    local rows = a.input:reshape(-1):unique()
    local chosen = weight:index_select(1, rows)
    local norm = chosen:norm(a.norm_type, 2, true)
    local scale = kiln.where(norm:gt(a.max_norm), a.max_norm / (norm + 1e-7), kiln.ones_like(norm))
    weight:index_copy_(1, rows, chosen * scale)
  end)
end

local parse_embedding = args.define("embedding", "input: tensor, weight: tensor, padding_idx: int?, "
  .. "max_norm: number?, norm_type: number = 2, scale_grad_by_freq: bool = false, sparse: bool = false")

--- Rows of weight [n, width] by position 1..n: input [...] int64 -> [..., width].  With `sparse` the
-- gradient of a leaf is row-sparse: weight.grad:indices() and :values(), for SGD, Adagrad and SparseAdam.
function M.embedding(...)
  local a = parse_embedding(...)
  renormalize("embedding", a)
  return kiln.embedding(a.weight, a.input, a.padding_idx, a.scale_grad_by_freq, a.sparse)
end

local parse_bag = args.define("embedding_bag", "input: tensor, weight: tensor, offsets: tensor?, "
  .. "max_norm: number?, norm_type: number = 2, scale_grad_by_freq: bool = false, "
  .. "mode: sum|mean|max = mean, sparse: bool = false, per_sample_weights: tensor?, "
  .. "include_last_offset: bool = false, padding_idx: int?")

-- Bags whose rows are looked up one by one first, so that each can have a factor, and the gradient of the
-- weight be scaled by frequency or row-sparse.
local function bag_of_rows(a, offsets)
  local weight, input = a.weight, a.input
  local n = input:numel()
  local rows = kiln.embedding(weight, input:reshape(-1), a.padding_idx, a.scale_grad_by_freq, a.sparse)
  if a.per_sample_weights then rows = rows * a.per_sample_weights:reshape(-1):unsqueeze(2) end
  local places = kiln.arange(1, n + 1, { dtype = kiln.int64, device = input.device }):view(input:size())
  if not a.padding_idx then return kiln.embedding_bag(rows, places, offsets, a.mode) end
  -- What is padding looks up one row more, which takes no part.
  local padding = a.padding_idx < 0 and weight:size(1) + 1 + a.padding_idx or a.padding_idx
  places = places:masked_fill(input:eq(padding), n + 1)
  local extra = kiln.zeros({ 1, weight:size(2) }, { dtype = rows.dtype, device = rows.device })
  return kiln.embedding_bag(kiln.cat({ rows, extra }, 1), places, offsets, a.mode, n + 1)
end

-- Where the bags of a 1-dim input begin.  All is looked at before max_norm changes the weight.
local function bag_offsets(a)
  local offsets, n = a.offsets, a.input:numel()
  local fits = offsets and offsets:dim() == 1 and offsets.dtype == kiln.int64
  if not fits then
    raise("embedding_bag", "a 1-dim input needs 1-dim int64 offsets, not %s", got(offsets))
  end
  check.offsets(offsets, n, "embedding_bag")
  if not a.include_last_offset then return offsets end
  local bags = offsets:numel() - 1
  if bags < 0 then raise("embedding_bag", "include_last_offset needs an offset") end
  if capturing.is_watched(offsets) and offsets[bags + 1]:item() ~= n + 1 then
    raise("embedding_bag", "with include_last_offset the last of the offsets must be %d, not %d", n + 1,
      offsets[bags + 1]:item())
  end
  return offsets:narrow(1, 1, bags)
end

--- The sum, mean or maximum of the rows of each bag: [bags, width].  The bags are the rows of a 2-dim
-- input; of a 1-dim one, offsets (from 1) say where they begin.  per_sample_weights, of input's shape,
-- need mode 'sum'; `sparse` gives a row-sparse gradient, which mode 'max' does not have.
function M.embedding_bag(...)
  local a = parse_bag(...)
  local weight, input, offsets = a.weight, a.input, a.offsets
  if input:dim() ~= 1 and input:dim() ~= 2 then
    raise("embedding_bag", "input must have 1 or 2 dims, not %d", input:dim())
  end
  if input:dim() == 1 then offsets = bag_offsets(a) end
  local scales = a.per_sample_weights
  if scales and a.mode ~= "sum" then
    raise("embedding_bag", "per_sample_weights need mode 'sum', not '%s'", a.mode)
  end
  if scales and scales:size() ~= input:size() then
    raise("embedding_bag", "per_sample_weights must have input's shape %s, not %s", tostring(input.shape),
      tostring(scales.shape))
  end
  local special = a.sparse and "sparse" or a.scale_grad_by_freq and "scale_grad_by_freq"
  if special and a.mode == "max" then raise("embedding_bag", "mode 'max' does not go with %s", special) end
  renormalize("embedding_bag", a)
  if special or scales then return bag_of_rows(a, offsets) end
  return kiln.embedding_bag(weight, input, offsets, a.mode, a.padding_idx)
end

-- -- Images ------------------------------------------------------------------------------------

for _, part in ipairs { "blocks", "resample" } do
  for name, fn in pairs(require("kiln.nn." .. part)) do M[name] = fn end
end

-- -- Products, sequences ------------------------------------------------------------------------

local parse_bilinear = args.define("bilinear", "input1: tensor, input2: tensor, weight: tensor, "
  .. "bias: tensor?")

--- x1' W x2 + b for each output: x1 [..., a], x2 [..., b], weight [out, a, b].
function M.bilinear(...)
  local a = parse_bilinear(...)
  local w = a.weight
  if w:dim() ~= 3 or a.input1:size(-1) ~= w:size(2) or a.input2:size(-1) ~= w:size(3) then
    raise("bilinear", "weight %s does not go with inputs %s and %s", tostring(w.shape),
      tostring(a.input1.shape),
      tostring(a.input2.shape))
  end
  local pairs_of = a.input1:unsqueeze(-1) * a.input2:unsqueeze(-2)
  return kiln.linear(pairs_of:flatten(-2, -1), w:reshape(w:size(1), w:size(2) * w:size(3)), a.bias)
end

local parse_triplet = args.define("triplet_margin_with_distance_loss", "anchor: tensor, positive: tensor, "
  .. "negative: tensor, distance_function: function?, margin: number = 1, swap: bool = false, "
  .. "reduction: mean|sum|none = mean")

--- max(0, distance to positive - distance to negative + margin) by any distance, pairwise_distance by
-- default; swap takes the nearer of anchor and positive.
function M.triplet_margin_with_distance_loss(...)
  local a = parse_triplet(...)
  check.above(a.margin, "triplet_margin_with_distance_loss", "margin", 0)
  require("kiln.nn.targets").alike("triplet_margin_with_distance_loss", { { "anchor", a.anchor },
    { "positive", a.positive }, { "negative", a.negative } })
  local distance = a.distance_function or kiln.pairwise_distance
  local near, far = distance(a.anchor, a.positive), distance(a.anchor, a.negative)
  if a.swap then far = kiln.minimum(far, distance(a.positive, a.negative)) end
  local loss = (near - far + a.margin):relu()
  return a.reduction == "mean" and loss:mean() or a.reduction == "sum" and loss:sum() or loss
end

--- The p-norms between all pairs of rows of x [n, d]: those of 1 and 2, 1 and 3, ..., n - 1 and n.
function M.pdist(x, p)
  check.tensor(x, "pdist", "x")
  if x:dim() ~= 2 then raise("pdist", "x must have 2 dims, not %d", x:dim()) end
  if type(p) == "table" then p = check.options(p, { p = 1 }, "pdist").p end
  p = p == nil and 2 or check.number(p, "pdist", "p")
  check.at_least(p, "pdist", "p", 0)
  local n = x:size(1)
  local at = kiln.ones({ n, n }, { dtype = kiln.bool, device = x.device }):triu(1):nonzero()
  return (x:index_select(1, at:select(2, 1)) - x:index_select(1, at:select(2, 2))):norm(p, 2)
end

function M.ctc_loss(...) return require "kiln.nn.ctc"(...) end

local parse_linear_loss = args.define("linear_cross_entropy", "input: tensor, linear_weight: tensor, "
  .. "target: tensor, linear_bias: tensor?, weight: tensor?, reduction: mean|sum|none = mean, "
  .. "ignore_index: int = -100, label_smoothing: number = 0")

--- The cross entropy of a linear layer's outputs: input [n, width] (or [width]), linear_weight
-- [classes, ..., width], linear_bias [classes, ...]; the scores are [n, classes, ...].
function M.linear_cross_entropy(...)
  local a = parse_linear_loss(...)
  local w, bias = a.linear_weight, a.linear_bias
  if w:dim() < 2 then
    raise("linear_cross_entropy", "linear_weight must have at least 2 dims, its shape is %s",
      tostring(w.shape))
  end
  local shape = { unpack(w:size(), 1, w:dim() - 1) }
  local scores = kiln.linear(a.input, w:reshape(-1, w:size(-1)), bias and bias:reshape(-1))
  if a.input:dim() > 1 then table.insert(shape, 1, a.input:size(1)) end
  if a.input:dim() <= 2 then scores = scores:view(shape) end
  return kiln.cross_entropy(scores, a.target, { weight = a.weight, reduction = a.reduction,
    ignore_index = a.ignore_index, label_smoothing = a.label_smoothing })
end

-- -- Normalisation, sampling, older names -----------------------------------------------------------

local parse_normalize = args.define("normalize", "input: tensor, p: number = 2, dim: int = 2, "
  .. "eps: number = 1e-12")

local normalized = halves.in_float32(function(x, p, dim, eps)
  return x / x:norm(p, dim, true):clamp(eps, math.huge)
end)

--- x over its p-norm along dim, which is not taken below eps.
function M.normalize(...)
  local a = parse_normalize(...)
  return normalized(a.input, a.p, a.dim, a.eps)
end

--- The older names of interpolate.
function M.upsample(x, size, scale_factor, mode, align_corners)
  if type(size) == "table" and getmetatable(size) == nil and size[1] == nil then
    return M.interpolate(x, size)
  end
  return M.interpolate(x, size, scale_factor, mode or "nearest", align_corners)
end
function M.upsample_nearest(x, size, scale_factor)
  if type(size) == "table" and size[1] == nil then size, scale_factor = size.size, size.scale_factor end
  return M.interpolate(x, size, scale_factor, "nearest")
end
function M.upsample_bilinear(x, size, scale_factor)
  if type(size) == "table" and size[1] == nil then size, scale_factor = size.size, size.scale_factor end
  return M.interpolate(x, size, scale_factor, "bilinear", true)
end

local parse_gumbel = args.define("gumbel_softmax",
  "logits: tensor, tau: number = 1, hard: bool = false, eps: number = 1e-10, dim: int = -1")

--- A sample of the Gumbel-softmax distribution (Jang et al. 2017); hard gives one-hot values with
-- the soft gradient.
function M.gumbel_softmax(...)
  local a = parse_gumbel(...)
  check.above(a.tau, "gumbel_softmax", "tau", 0)
  local noise = -kiln.empty_like(a.logits):exponential_():log()
  local y = ((a.logits + noise) / a.tau):softmax(a.dim)
  if not a.hard then return y end
  local index = y:detach():argmax(a.dim, true)
  local one_hot = kiln.zeros_like(y:detach()):scatter_(a.dim, index, 1)
  return one_hot - y:detach() + y
end

-- -- Attention ---------------------------------------------------------------------------------

local parse_attention = args.define("scaled_dot_product_attention",
  "query: tensor, key: tensor, value: tensor, attn_mask: tensor?, dropout_p: number = 0, "
    .. "is_causal: bool = false, scale: number?, enable_gqa: bool = false")

-- Keys or values [..., heads, S, E] with each head repeated for `heads` heads of the query.
local function repeat_heads(x, heads, what)
  local mine = x:dim() >= 3 and x:size(-3) or 0
  if mine == 0 or heads % mine ~= 0 then
    raise("scaled_dot_product_attention", "enable_gqa: query has %d heads, %s %d, which does not divide them",
      heads, what, mine)
  end
  return heads == mine and x or x:repeat_interleave(heads / mine, -3)
end

--- softmax(q k' / sqrt(width)) v.  q [..., L, E], k [..., S, E], v [..., S, V].  A bool mask [L, S] keeps
-- what is true, a floating one is added; is_causal lets a position see itself and what is before it.  A
-- position that sees nothing gets zeros.  With enable_gqa keys and values [..., heads, S, E] may have fewer
-- heads, each for several of the query (Ainslie et al. 2023).
function M.scaled_dot_product_attention(...)
  local a = parse_attention(...)
  if a.enable_gqa then
    local heads = a.query:dim() >= 3 and a.query:size(-3) or 0
    a.key, a.value = repeat_heads(a.key, heads, "key"), repeat_heads(a.value, heads, "value")
  end
  return (require "kiln.nn.attention"(a, "scaled_dot_product_attention"))
end

local parse_multihead = args.define("multi_head_attention_forward", "query: tensor, key: tensor, "
  .. "value: tensor, embed_dim_to_check: count, num_heads: count, in_proj_weight: tensor?, "
  .. "in_proj_bias: tensor?, bias_k: tensor?, bias_v: tensor?, add_zero_attn: bool = false, "
  .. "dropout_p: number = 0, out_proj_weight: tensor, out_proj_bias: tensor?, training: bool = true, "
  .. "key_padding_mask: tensor?, need_weights: bool = true, attn_mask: tensor?, "
  .. "use_separate_proj_weight: bool = false, q_proj_weight: tensor?, k_proj_weight: tensor?, "
  .. "v_proj_weight: tensor?, static_k: tensor?, static_v: tensor?, average_attn_weights: bool = true, "
  .. "is_causal: bool = false")

-- The weights [width, ...] of a call's projections: one under another, or one each.
local function check_projections(a)
  local width = a.embed_dim_to_check
  local function check_rows(name, rows)
    local w = a[name]
    if not w or w:dim() ~= 2 or w:size(1) ~= rows then
      raise("multi_head_attention_forward", "%s must be a tensor [%d, ...], not %s", name, rows,
        w and tostring(w.shape) or "nil")
    end
    return w:size(2)
  end
  if width % a.num_heads ~= 0 then
    raise("multi_head_attention_forward", "embed_dim_to_check (%d) must divide by num_heads (%d)", width,
      a.num_heads)
  end
  if a.use_separate_proj_weight then
    check_rows("q_proj_weight", width)
    return nil, check_rows("k_proj_weight", width), check_rows("v_proj_weight", width)
  end
  check_rows("in_proj_weight", 3 * width)
  return a.in_proj_weight
end

--- What nn.MultiheadAttention computes, with weights that are arguments: query [targets, n, width], key and
-- value [sources, n, ...].  Returns the values and, with need_weights, the weights.
function M.multi_head_attention_forward(...)
  local a = parse_multihead(...)
  local in_proj_weight, kdim, vdim = check_projections(a)
  return require "kiln.nn.multihead"({
    __name = "multi_head_attention_forward", embed_dim = a.embed_dim_to_check, num_heads = a.num_heads,
    kdim = kdim, vdim = vdim, dropout = a.dropout_p, training = a.training, in_proj_weight = in_proj_weight,
    q_proj_weight = a.q_proj_weight, k_proj_weight = a.k_proj_weight, v_proj_weight = a.v_proj_weight,
    in_proj_bias = a.in_proj_bias, bias_k = a.bias_k, bias_v = a.bias_v, add_zero_attn = a.add_zero_attn,
    static_k = a.static_k, static_v = a.static_v,
    out_proj = function(y) return kiln.linear(y, a.out_proj_weight, a.out_proj_bias) end,
  }, a)
end

local function names()
  local list = {}
  for name in pairs(is_op) do list[#list + 1] = name end
  return list
end
jit.off(names) -- walks a table: docs/architecture.md, "LuaJIT"

return namespace.of("kiln.nn.functional", M, function(name)
  return is_op[name] and kiln[name] or nil
end, names)
