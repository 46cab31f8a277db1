--- Attention by several heads (Vaswani et al. 2017): what nn.MultiheadAttention and
-- F.multi_head_attention_forward compute.  It refuses to own parameters: a layer, or a table with the fields
-- of one, has them.
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local attend = require "kiln.nn.attention"
local check = require "kiln.check"

local raise = check.raise

-- A mask as numbers to add: hidden places are minus infinity.
local function additive(mask, like)
  if mask == nil or mask.dtype ~= kiln.bool then return mask end
  return kiln.zeros(mask:size(), { dtype = like.dtype, device = like.device }):masked_fill(mask, -math.huge)
end

-- Refuses inputs and masks whose shapes do not fit, by name.
local function check_call(layer, a)
  local q, k, v = a.query, a.key, a.value
  local function refuse(format, ...) raise(layer.__name, format, ...) end
  if q:dim() ~= 3 and q:dim() ~= 2 then
    refuse("query must have 3 dims, or 2 without a batch, not %d", q:dim())
  end
  local width = layer.embed_dim
  local widths = { query = width, key = layer.kdim or width, value = layer.vdim or width }
  for _, name in ipairs { "query", "key", "value" } do
    local x = a[name]
    if x:dim() ~= q:dim() or x:size(-1) ~= widths[name] then
      refuse("%s must have %d dims, the last of size %d; its shape is %s", name, q:dim(), widths[name],
        tostring(x.shape))
    end
  end
  local length, batch = layer.batch_first and 2 or 1, layer.batch_first and 1 or 2
  if q:dim() == 2 then length, batch = 1, nil end
  if k:size(length) ~= v:size(length) or batch and (k:size(batch) ~= q:size(batch)
      or v:size(batch) ~= q:size(batch)) then
    refuse("query %s, key %s and value %s must have one batch size, key and value one length",
      tostring(q.shape), tostring(k.shape), tostring(v.shape))
  end
  local mask, hidden = a.attn_mask, a.key_padding_mask
  local n, targets = batch and q:size(batch) or 1, q:size(length)
  local sources = layer.static_k and layer.static_k:size(2) or k:size(length)
  local shape = mask and table.concat({ unpack(mask:size()) }, ", ")
  local flat = ("%d, %d"):format(targets, sources)
  local full = ("%d, %s"):format(n * layer.num_heads, flat)
  if mask and shape ~= flat and shape ~= full then
    refuse("attn_mask must be [%s] or [%s], its shape is [%s]", flat, full, shape)
  end
  local padding = batch and ("[%d, %d]"):format(n, sources) or ("[%d]"):format(sources)
  if hidden and tostring(hidden.shape) ~= padding then
    refuse("key_padding_mask must be %s, its shape is %s", padding, tostring(hidden.shape))
  end
  for _, name in ipairs { "attn_mask", "key_padding_mask" } do
    local dtype = a[name] and a[name].dtype
    if dtype and dtype ~= kiln.bool and not dtype.is_floating_point then
      refuse("%s must be bool or floating, not %s", name, dtype.name)
    end
  end
end

--- a: query, key, value, key_padding_mask?, attn_mask?, is_causal?, need_weights?, average_attn_weights?, as
-- MultiheadAttention takes them.  layer: embed_dim, num_heads, kdim?, vdim?, batch_first?, dropout, training,
-- in_proj_weight or q_, k_ and v_proj_weight, in_proj_bias?, bias_k?, bias_v?, add_zero_attn?, out_proj,
-- which is called with the attended values; static_k? and static_v?, [n * num_heads, length, width of a
-- head], in the place of what is made of key and value; __name: for errors.
---@return kiln.Tensor values, kiln.Tensor? weights  averaged over heads, or [n, heads, targets, sources]
return function(layer, a)
  check_call(layer, a)
  local q, k, v = a.query, a.key, a.value
  local single = q:dim() == 2
  if single then q, k, v = q:unsqueeze(1), k:unsqueeze(1), v:unsqueeze(1)
  elseif not layer.batch_first then q, k, v = q:transpose(1, 2), k:transpose(1, 2), v:transpose(1, 2) end
  local n, heads, width = q:size(1), layer.num_heads, layer.embed_dim
  local function project(x, i, name)
    local w = layer.in_proj_weight and layer.in_proj_weight:narrow(1, (i - 1) * width + 1, width)
      or layer[name]
    local b = layer.in_proj_bias and layer.in_proj_bias:narrow(1, (i - 1) * width + 1, width)
    return F.linear(x, w, b):view(n, x:size(2), heads, width / heads):transpose(2, 3)
  end
  local function given(x) return x and x:view(n, heads, x:size(2), width / heads) end
  local keys = given(layer.static_k) or project(k, 2, "k_proj_weight")
  local values = given(layer.static_v) or project(v, 3, "v_proj_weight")
  local mask, hidden = additive(a.attn_mask, q), a.key_padding_mask
  -- What only looks back needs no mask, unless there are places that are seen by all.
  local looks_back = a.is_causal and mask == nil
  local is_plain = not (hidden or layer.bias_k or layer.add_zero_attn)
  if looks_back and not is_plain then
    local like = { dtype = kiln.bool, device = q.device }
    mask = additive(kiln.ones({ q:size(2), keys:size(3) }, like):triu(1), q)
  end
  if mask ~= nil and mask:dim() == 3 then mask = mask:view(n, heads, mask:size(2), mask:size(3)) end
  if hidden then
    if single then hidden = hidden:unsqueeze(1) end
    local padding = additive(hidden, q):view(n, 1, 1, keys:size(3))
    mask = mask ~= nil and mask + padding or padding
  end
  -- One more place to look at: a learnt one, or nothing.
  local function append(key, value)
    keys, values = kiln.cat({ keys, key }, 3), kiln.cat({ values, value }, 3)
    if mask ~= nil then
      local shape = { unpack(mask:size()) }
      shape[#shape] = 1
      mask = kiln.cat({ mask, kiln.zeros(shape, { dtype = mask.dtype, device = mask.device }) }, -1)
    end
  end
  local place = { n, heads, 1, width / heads }
  if layer.bias_k then
    local one = { 1, heads, 1, width / heads }
    append(layer.bias_k:view(one):expand(place), layer.bias_v:view(one):expand(place))
  end
  if layer.add_zero_attn then
    local nothing = kiln.zeros(place, { dtype = q.dtype, device = q.device })
    append(nothing, nothing)
  end
  local y, weights = attend({ query = project(q, 1, "q_proj_weight"), key = keys, value = values,
    attn_mask = mask, is_causal = looks_back and is_plain, dropout_p = layer.training and layer.dropout or 0,
    need_weights = a.need_weights }, layer.__name)
  y = layer.out_proj(y:transpose(2, 3):reshape(n, q:size(2), width))
  if single then y = y:squeeze(1) elseif not layer.batch_first then y = y:transpose(1, 2) end
  if not a.need_weights then return y end
  if a.average_attn_weights then weights = weights:mean(2) end
  return y, single and weights:squeeze(1) or weights
end
