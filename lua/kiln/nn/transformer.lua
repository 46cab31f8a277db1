--- Attention and transformers (Vaswani et al. 2017).  Sequences are [length, batch, width], or batch first
-- with batch_first.  As in the reference a bool mask marks what must not be seen (true: hidden), a
-- floating one is added to the scores.
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local multihead = require "kiln.nn.multihead"
local Module = require "kiln.nn.module"
local ModuleList = require("kiln.nn.containers").ModuleList
local declare = require "kiln.nn.declare"
local init = require "kiln.nn.init"
local Linear = require("kiln.nn.linear").Linear
local LayerNorm = require("kiln.nn.normalization").LayerNorm
local Dropout = require("kiln.nn.dropout").Dropout
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise = check.raise

local M = {}

-- -- Attention ---------------------------------------------------------------------------------

local parse_call = args.define("MultiheadAttention", "query: tensor, key: tensor, value: tensor, "
  .. "key_padding_mask: tensor?, need_weights: bool = true, attn_mask: tensor?, "
  .. "average_attn_weights: bool = true, is_causal: bool = false")

M.MultiheadAttention = declare "MultiheadAttention" {
  args = "embed_dim: count, num_heads: count, dropout: number = 0, bias: bool = true, "
    .. "add_bias_kv: bool = false, add_zero_attn: bool = false, kdim: count?, vdim: count?, "
    .. "batch_first: bool = false",
  tensors = true,
  setup = function(self)
    local width = self.embed_dim
    if width % self.num_heads ~= 0 then
      raise("MultiheadAttention", "embed_dim (%d) must divide by num_heads (%d)", width, self.num_heads)
    end
    local same = (self.kdim or width) == width and (self.vdim or width) == width
    if same then
      self.in_proj_weight = self:make { 3 * width, width }
    else
      self.q_proj_weight = self:make { width, width }
      self.k_proj_weight = self:make { width, self.kdim or width }
      self.v_proj_weight = self:make { width, self.vdim or width }
    end
    local with_bias = self.bias
    if with_bias then self.in_proj_bias = self:make { 3 * width } end
    if self.add_bias_kv then
      self.bias_k = self:make { 1, 1, width }
      self.bias_v = self:make { 1, 1, width }
    end
    self.out_proj = Linear(width, width, { bias = with_bias, dtype = self._factory.dtype,
      device = self._factory.device })
  end,
  methods = { reset_parameters = function(self)
    for _, name in ipairs { "in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight" } do
      if self[name] then init.xavier_uniform(self[name]) end
    end
    for _, name in ipairs { "bias_k", "bias_v" } do
      if self[name] then init.xavier_normal(self[name]) end
    end
    if self.in_proj_bias then
      init.zeros(self.in_proj_bias)
      init.zeros(self.out_proj.bias)
    end
  end },
  --- Returns the attended values and the weights (averaged over heads; nil without need_weights).
  forward = function(self, ...) return multihead(self, parse_call(...)) end,
}

-- -- Layers ------------------------------------------------------------------------------------

local ACTIVATION = { relu = F.relu, gelu = function(x) return F.gelu(x) end }

-- An activation is a function of a tensor, a module among them, or the name of one of two.
local function check_activation(self)
  local f = self.activation
  if ACTIVATION[f] then return end
  if type(f) == "string" then
    raise(self.__name, "activation must be a function, 'relu' or 'gelu', not %s", check.got(f))
  end
  check.fn(f, self.__name, "activation")
end

local LAYER = "d_model: count, nhead: count, dim_feedforward: count = 2048, dropout: number = 0.1, "
  .. "activation: any = relu, layer_norm_eps: number = 1e-5, batch_first: bool = false, "
  .. "norm_first: bool = false, bias: bool = true"

-- The feed-forward part and the norms and dropouts 1..n of a layer.
local function common_parts(self, n)
  check_activation(self)
  local factory, with_bias, eps = self._factory, self.bias, self.layer_norm_eps
  local function options(t)
    t.dtype, t.device = factory.dtype, factory.device
    return t
  end
  local rate = self.dropout
  self.linear1 = Linear(self.d_model, self.dim_feedforward, options { bias = with_bias })
  self.dropout = nil
  self.dropout = Dropout(rate)
  self.linear2 = Linear(self.dim_feedforward, self.d_model, options { bias = with_bias })
  for i = 1, n do self["norm" .. i] = LayerNorm(self.d_model, options { eps = eps, bias = with_bias }) end
  for i = 1, n do self["dropout" .. i] = Dropout(rate) end
end

local function attention(self)
  return M.MultiheadAttention(self.d_model, self.nhead, { dropout = self.dropout, bias = self.bias,
    batch_first = self.batch_first, dtype = self._factory.dtype, device = self._factory.device })
end

-- x + part(x), normalised before or after.
local function residual(self, x, i, part)
  local norm, drop = self["norm" .. i], self["dropout" .. i]
  if self.norm_first then return x + drop(part(norm(x))) end
  return norm(x + drop(part(x)))
end

local function feed_forward(self)
  local activation = ACTIVATION[self.activation] or self.activation
  return function(x) return self.linear2(self.dropout(activation(self.linear1(x)))) end
end

local parse_encoder = args.define("TransformerEncoderLayer",
  "src: tensor, src_mask: tensor?, src_key_padding_mask: tensor?, is_causal: bool = false")

M.TransformerEncoderLayer = declare "TransformerEncoderLayer" {
  args = LAYER, tensors = true,
  setup = function(self)
    self.self_attn = attention(self)
    common_parts(self, 2)
  end,
  forward = function(self, ...)
    local a = parse_encoder(...)
    local x = residual(self, a.src, 1, function(x)
      return (self.self_attn(x, x, x, { attn_mask = a.src_mask, key_padding_mask = a.src_key_padding_mask,
        is_causal = a.is_causal, need_weights = false }))
    end)
    return residual(self, x, 2, feed_forward(self))
  end,
}

local parse_decoder = args.define("TransformerDecoderLayer", "tgt: tensor, memory: tensor, "
  .. "tgt_mask: tensor?, memory_mask: tensor?, tgt_key_padding_mask: tensor?, "
  .. "memory_key_padding_mask: tensor?, tgt_is_causal: bool = false, memory_is_causal: bool = false")

M.TransformerDecoderLayer = declare "TransformerDecoderLayer" {
  args = LAYER, tensors = true,
  setup = function(self)
    self.self_attn = attention(self)
    self.multihead_attn = attention(self)
    common_parts(self, 3)
  end,
  forward = function(self, ...)
    local a = parse_decoder(...)
    local x = residual(self, a.tgt, 1, function(x)
      return (self.self_attn(x, x, x, { attn_mask = a.tgt_mask, key_padding_mask = a.tgt_key_padding_mask,
        is_causal = a.tgt_is_causal, need_weights = false }))
    end)
    x = residual(self, x, 2, function(y)
      return (self.multihead_attn(y, a.memory, a.memory, { attn_mask = a.memory_mask,
        key_padding_mask = a.memory_key_padding_mask, is_causal = a.memory_is_causal, need_weights = false }))
    end)
    return residual(self, x, 3, feed_forward(self))
  end,
}

-- -- Stacks ------------------------------------------------------------------------------------

local function stack(name, layer_field, more)
  local parse = args.define(name, layer_field .. ": module, num_layers: count, norm: module?" .. more)
  local class = Module:extend(name)
  function class:init(...)
    local a = parse(...)
    local layers = {}
    for i = 1, a.num_layers do layers[i] = a[layer_field]:clone() end
    self.layers, self.num_layers = ModuleList(layers), a.num_layers
    if a.norm then self.norm = a.norm end
  end
  M[name] = class
  return class
end

--- num_layers copies of an encoder layer, and a norm behind them.  What the reference says about its nested
-- tensors is taken and has no effect.
local TransformerEncoder = stack("TransformerEncoder", "encoder_layer",
  ", enable_nested_tensor: bool = true, mask_check: bool = true")

local parse_stack = args.define("TransformerEncoder: forward",
  "src: tensor, mask: tensor?, src_key_padding_mask: tensor?, is_causal: bool = false")

function TransformerEncoder:forward(...)
  local a = parse_stack(...)
  local x, masks = a.src, { src_mask = a.mask, src_key_padding_mask = a.src_key_padding_mask,
    is_causal = a.is_causal }
  for _, layer in self.layers:iter() do x = layer(x, masks) end
  return self.norm and self.norm(x) or x
end

--- num_layers copies of a decoder layer, and a norm behind them.
local TransformerDecoder = stack("TransformerDecoder", "decoder_layer", "")

function TransformerDecoder:forward(...)
  local masks = parse_decoder(...)
  local x, memory = masks.tgt, masks.memory
  masks.tgt, masks.memory = nil, nil
  for _, layer in self.layers:iter() do x = layer(x, memory, masks) end
  return self.norm and self.norm(x) or x
end

local parse_transformer = args.define("Transformer: forward", "src: tensor, tgt: tensor, src_mask: tensor?, "
  .. "tgt_mask: tensor?, memory_mask: tensor?, src_key_padding_mask: tensor?, "
  .. "tgt_key_padding_mask: tensor?, memory_key_padding_mask: tensor?, src_is_causal: bool = false, "
  .. "tgt_is_causal: bool = false, memory_is_causal: bool = false")

M.Transformer = declare "Transformer" {
  args = "d_model: count = 512, nhead: count = 8, num_encoder_layers: count = 6, "
    .. "num_decoder_layers: count = 6, dim_feedforward: count = 2048, dropout: number = 0.1, "
    .. "activation: any = relu, custom_encoder: module?, custom_decoder: module?, "
    .. "layer_norm_eps: number = 1e-5, batch_first: bool = false, norm_first: bool = false, "
    .. "bias: bool = true",
  tensors = true,
  setup = function(self)
    check_activation(self)
    local encoder, decoder = self.custom_encoder, self.custom_decoder
    self.custom_encoder = nil
    self.custom_decoder = nil
    local options = { dropout = self.dropout, activation = self.activation,
      layer_norm_eps = self.layer_norm_eps,
      batch_first = self.batch_first, norm_first = self.norm_first, bias = self.bias,
      dtype = self._factory.dtype, device = self._factory.device }
    local function norm()
      return LayerNorm(self.d_model, { eps = self.layer_norm_eps, bias = self.bias,
        dtype = self._factory.dtype,
        device = self._factory.device })
    end
    local function layer(kind) return kind(self.d_model, self.nhead, self.dim_feedforward, options) end
    self.encoder = encoder
      or M.TransformerEncoder(layer(M.TransformerEncoderLayer), self.num_encoder_layers, norm())
    self.decoder = decoder
      or M.TransformerDecoder(layer(M.TransformerDecoderLayer), self.num_decoder_layers, norm())
  end,
  methods = { reset_parameters = function(self)
    for _, p in ipairs(self:parameters()) do
      if p:dim() > 1 then init.xavier_uniform(p) end
    end
  end },
  --- The masks follow src and tgt, or stand in a table by name.
  forward = function(self, ...)
    local a = parse_transformer(...)
    local memory = self.encoder(a.src, { mask = a.src_mask, src_key_padding_mask = a.src_key_padding_mask,
      is_causal = a.src_is_causal })
    return self.decoder(a.tgt, memory, { tgt_mask = a.tgt_mask, memory_mask = a.memory_mask,
      tgt_key_padding_mask = a.tgt_key_padding_mask, memory_key_padding_mask = a.memory_key_padding_mask,
      tgt_is_causal = a.tgt_is_causal, memory_is_causal = a.memory_is_causal })
  end,
}

local parse_mask = args.define("generate_square_subsequent_mask", "sz: int, device: any?, dtype: dtype?")

--- The mask [sz, sz] that hides what comes later: minus infinity above the diagonal.
function M.generate_square_subsequent_mask(...)
  local a = parse_mask(...)
  check.at_least(a.sz, "generate_square_subsequent_mask", "sz", 0)
  return kiln.full({ a.sz, a.sz }, -math.huge, { dtype = a.dtype, device = a.device }):triu(1)
end
M.Transformer.generate_square_subsequent_mask = M.generate_square_subsequent_mask

return M
