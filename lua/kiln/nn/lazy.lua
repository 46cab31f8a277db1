--- Layers that learn from their first input how wide it is, and are the layer they stand for from then on.
-- Until then they are that layer of width 0: their parameters exist, so that an optimizer, `double()` or
-- `cuda()` made before keeps its effect, and get their memory when the width is known.  They refuse to learn
-- from an input that the layer would not take.
local declare = require "kiln.nn.declare"
local conv = require "kiln.nn.conv"
local linear = require "kiln.nn.linear"
local normalization = require "kiln.nn.normalization"
local check = require "kiln.check"

local raise = check.raise

local M = {}

local PRE_HOOK = "load_state_dict pre-hook"

-- The layer of width n: its tensors keep their identity, dtype and device.  It stays lazy where the layer has
-- something against that width.
local function become(self, lazy, n)
  local before, class = {}, getmetatable(self)
  for _, name in ipairs(self._order) do before[name] = self[name] end
  local like = before.weight or before.running_mean
  rawset(self, "_factory", like and { dtype = like.dtype, device = like.device } or self._factory)
  self[lazy.width] = n
  if before.bias == nil then self.bias = false end
  setmetatable(self, lazy.layer)
  local ok, why = pcall(lazy.layer.row.setup, self)
  if not ok then
    self[lazy.width] = 0
    setmetatable(self, class)
    check.rethrow(why)
  end
  self:reset_parameters()
  for name, old in pairs(before) do
    old.data = self[name].data
    self[name] = old
  end
  local hooks = self._hooks[PRE_HOOK] or {}
  for i = #hooks, 1, -1 do
    if hooks[i] == lazy.on_load then table.remove(hooks, i) end
  end
  if hooks[1] == nil then self._hooks[PRE_HOOK] = nil end
end
jit.off(become) -- walks a table: docs/architecture.md, "LuaJIT"

-- lazy: layer, the class; width, the name of its first argument; ranks, how many dims an input may have;
-- dim, which of them is that wide; axis, which one of weight (or running_mean) is, over groups if it has any;
-- from and to, what is changed in the list of arguments.
local function define(name, lazy)
  local row = lazy.layer.row
  local class
  local list = row.args:gsub("^[^,]+,%s*", "") -- without the width
  if lazy.from then list = list:gsub(lazy.from, lazy.to) end
  class = declare(name) {
    base = lazy.layer, args = list, last = row.last, tensors = true,
    setup = function(self)
      self[lazy.width] = 0
      row.setup(self)
      self:register_load_state_dict_pre_hook(lazy.on_load)
    end,
    methods = {
      reset_parameters = function() end,
      --- Has the width of the input not been seen yet?
      has_uninitialized_params = function() return true end,
    },
    forward = function(self, x, ...)
      local fits = lazy.ranks[check.tensor(x, name, "input"):dim()]
      local n = fits and x:size(lazy.dim) or 0
      if n == 0 then
        raise(name, "%s cannot be learnt from an input of shape %s", lazy.width, tostring(x.shape))
      end
      become(self, lazy, n)
      return self:forward(x, ...)
    end,
  }
  -- A state that knows the width decides it.
  function lazy.on_load(module, state, at)
    local known = state[at .. "weight"] or state[at .. "running_mean"]
    if getmetatable(module) ~= class or not check.is_tensor(known) then return end
    local n = known:dim() >= lazy.axis and known:size(lazy.axis) or 0
    if lazy.groups then n = n * module.groups end
    if n > 0 then become(module, lazy, n) end
  end
  lazy.layer.has_uninitialized_params = function() return false end
  M[name] = class
end

--- Linear whose in_features are those of its first input.
define("LazyLinear", { layer = linear.Linear, width = "in_features", dim = -1, axis = 2,
  ranks = setmetatable({}, { __index = function(_, n) return n > 0 end }) })

for n = 1, 3 do
  local function each_of(kind, of, lazy)
    local name = ("%s%dd"):format(kind, n)
    lazy.layer = of[name]
    lazy.ranks = lazy.ranks or { [n + 1] = true, [n + 2] = true } -- without a batch, and with one
    lazy.dim = lazy.dim or -n - 1
    define("Lazy" .. name, lazy)
  end
  each_of("Conv", conv, { width = "in_channels", axis = 2, groups = true })
  each_of("ConvTranspose", conv, { width = "in_channels", axis = 1 })
  each_of("BatchNorm", normalization, { width = "num_features", axis = 1, dim = 2,
    ranks = { [n + 2] = true, [n == 1 and 2 or n + 2] = true } })
  -- In the reference its defaults are other ones than InstanceNorm's.
  each_of("InstanceNorm", normalization, { width = "num_features", axis = 1, from = "bool = false",
    to = "bool = true" })
end

return M
