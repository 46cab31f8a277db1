--- Look-up tables: Embedding and EmbeddingBag.  Positions count from 1.
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local init = require "kiln.nn.init"
local Parameter = require "kiln.nn.parameter"
local args = require "kiln.args"
local check = require "kiln.check"

local raise = check.raise

local M = {}

-- Fills the weight with normal numbers, the padding row with zeros; a given weight is kept.
local function reset_parameters(self)
  if self._weight then
    self._weight = nil
    return
  end
  init.normal(self.weight)
  if self.padding_idx then kiln.no_grad(function() self.weight:select(1, self.padding_idx):zero_() end) end
end

local function setup(self)
  local n, at = self.num_embeddings, self.padding_idx
  if at then
    if at == 0 or at > n or at < -n then raise(self.__name, "padding_idx must be in 1..%d, not %d", n, at) end
    if at < 0 then self.padding_idx = n + at + 1 end
  end
  if self._weight then
    local w = self._weight
    if w:dim() ~= 2 or w:size(1) ~= n or w:size(2) ~= self.embedding_dim then
      raise(self.__name, "_weight must be [%d, %d], not %s", n, self.embedding_dim, tostring(w.shape))
    end
    self.weight = Parameter(w)
  else
    self.weight = self:make { n, self.embedding_dim }
  end
  if self._freeze then self.weight:requires_grad_(false) end
  self._freeze = nil
end

-- A layer around a weight that exists.
local function from_pretrained(class)
  return function(weight, options)
    local name = class.__name .. ".from_pretrained"
    if check.tensor(weight, name, "weight"):dim() ~= 2 then
      check.raise(name, "weight must have 2 dims, its shape is %s", check.shape_text(weight))
    end
    if type(options) == "boolean" then options = { freeze = options } end -- by position, as elsewhere
    if options ~= nil and type(options) ~= "table" then
      check.raise(name, "options must be a table, got %s", check.got(options))
    end
    local settings = args.with(options or {}, "_weight", weight)
    local freeze = settings.freeze
    settings.freeze = nil
    local layer = class(weight:size(1), weight:size(2), settings)
    layer.weight:requires_grad_(freeze == false)
    return layer
  end
end

M.Embedding = declare "Embedding" {
  args = "num_embeddings: whole, embedding_dim: whole, padding_idx: int?, max_norm: number?, "
    .. "norm_type: number = 2, scale_grad_by_freq: bool = false, sparse: bool = false, _weight: tensor?, "
    .. "_freeze: bool = false",
  tensors = true, setup = setup, methods = { reset_parameters = reset_parameters },
  forward = function(self, x)
    return F.embedding(x, self.weight, self.padding_idx, self.max_norm, self.norm_type,
      self.scale_grad_by_freq,
      self.sparse)
  end,
}
--- Embedding.from_pretrained(weight, { freeze = true, ... })
M.Embedding.from_pretrained = from_pretrained(M.Embedding)

--- The sum, mean or maximum of bags of rows.
M.EmbeddingBag = declare "EmbeddingBag" {
  args = "num_embeddings: whole, embedding_dim: whole, max_norm: number?, norm_type: number = 2, "
    .. "scale_grad_by_freq: bool = false, mode: sum|mean|max = mean, sparse: bool = false, "
    .. "_weight: tensor?, include_last_offset: bool = false, padding_idx: int?",
  tensors = true, setup = setup, methods = { reset_parameters = reset_parameters },
  forward = function(self, x, offsets, per_sample_weights)
    return F.embedding_bag(x, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
      self.mode,
      self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)
  end,
}
M.EmbeddingBag.from_pretrained = from_pretrained(M.EmbeddingBag)

return M
