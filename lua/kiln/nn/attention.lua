--- Attention (Vaswani et al. 2017): what scaled_dot_product_attention and MultiheadAttention compute.
local kiln = require "kiln"
local check = require "kiln.check"
local halves = require "kiln.halves"

local raise, same_sizes = check.raise, check.same_sizes

-- A mask as numbers to add, and which positions see nothing at all; those are left unmasked, because the
-- softmax of nothing is no number.
local function added(mask, scores)
  local hidden = mask.dtype == kiln.bool and mask:logical_not() or mask:eq(-math.huge)
  local blind = hidden:all(-1, true)
  if mask.dtype ~= kiln.bool then return mask:masked_fill(blind, 0), blind end
  local none = kiln.zeros({ 1 }, { dtype = scores.dtype, device = scores.device })
  return kiln.where(hidden:logical_and(blind:logical_not()), none - math.huge, none), blind
end

-- Where nobody asks for the weights and nothing but the order hides a key, they need not be kept.
-- Halves of a device go the other way, because their products have units of their own.
local function needs_no_weights(a, q)
  return not a.need_weights and not a.attn_mask and a.dropout_p == 0
    and (q.dtype == kiln.float32 or q.dtype == kiln.float64) and same_sizes(q, a.key, q:dim() - 2)
    and same_sizes(q, a.value, q:dim() - 2)
end

local attend

-- Scores and weights of halves leave the range of 16 bits; where no unit computes in them, nothing is gained.
local function in_float32(a, name)
  local wide = {}
  for key, v in pairs(a) do wide[key] = check.is_tensor(v) and halves.is_half(v) and v:float() or v end
  local values, weights = attend(wide, name)
  return values:to(a.query.dtype), weights and weights:to(a.query.dtype)
end
jit.off(in_float32) -- walks a table: docs/architecture.md, "LuaJIT"

--- softmax(q k' scale) v and, with need_weights, the weights.  a: query [..., L, E], key [..., S, E],
-- value [..., S, V], attn_mask? (bool: true is seen; floating: added), is_causal, dropout_p, scale?
-- (1 / sqrt(E)), need_weights?; name: for errors.
---@return kiln.Tensor values, kiln.Tensor? weights
function attend(a, name)
  local q, k, v = a.query, a.key, a.value
  local fits = q:dim() >= 2 and k:dim() == q:dim() and v:dim() == q:dim() and k:size(-1) == q:size(-1)
    and k:size(-2) == v:size(-2)
  if not fits then
    raise(name, "query %s, key %s and value %s do not go together", tostring(q.shape), tostring(k.shape),
      tostring(v.shape))
  end
  if a.is_causal and a.attn_mask then raise(name, "is_causal goes without attn_mask") end
  local dtype = a.attn_mask and a.attn_mask.dtype
  if dtype and dtype ~= kiln.bool and not dtype.is_floating_point then
    raise(name, "attn_mask must be bool or floating, not %s", dtype.name)
  end
  local scale = a.scale or 1 / math.sqrt(q:size(-1))
  if halves.is_half(q) and q.dtype == k.dtype and q.dtype == v.dtype and not q.is_cuda then
    return in_float32(a, name)
  end
  if needs_no_weights(a, q) then return (kiln.attention(q, k, v, scale, a.is_causal or false)) end
  local scores = kiln.matmul(q * scale, k:transpose(-2, -1))
  local blind
  if a.is_causal then
    -- Added rather than filled in: the gradient passes as it is.
    local options = { dtype = q.dtype, device = q.device }
    scores = scores + kiln.full({ q:size(-2), k:size(-2) }, -math.huge, options):triu(1)
  elseif a.attn_mask then
    local mask
    mask, blind = added(a.attn_mask, scores)
    scores = scores + mask
  end
  local weights = scores:softmax(-1)
  local dropped = a.dropout_p > 0 and kiln.nn.functional.dropout(weights, a.dropout_p, true) or weights
  local values = kiln.matmul(dropped, v)
  if blind then values, weights = values:masked_fill(blind, 0), weights:masked_fill(blind, 0) end
  return values, weights
end

return attend
