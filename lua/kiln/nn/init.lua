--- kiln.nn.init: fills a tensor with starting values, in place and without recording, and returns it.
-- Each name also exists with the newer spelling, `xavier_uniform_`.
-- Sources: Glorot and Bengio 2010 (xavier), He et al. 2015 (kaiming), Saxe et al. 2014 (orthogonal),
-- Martens 2010 (sparse).
local kiln = require "kiln"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local drawn = require("kiln.random").drawn
local raise, got = check.raise, check.got

local M = {}

local skipping = false -- while skip runs

local gains = {
  linear = 1, conv1d = 1, conv2d = 1, conv3d = 1, conv_transpose1d = 1, conv_transpose2d = 1,
  conv_transpose3d = 1, sigmoid = 1, tanh = 5 / 3, relu = math.sqrt(2), selu = 3 / 4,
}

--- The factor that keeps the variance of a layer followed by a nonlinearity.
---@param nonlinearity string
---@param param? number the negative slope of leaky_relu, default 0.01
function M.calculate_gain(nonlinearity, param)
  if nonlinearity == "leaky_relu" then
    return math.sqrt(2 / (1 + check.number(param or 0.01, "calculate_gain", "param") ^ 2))
  end
  local gain = gains[nonlinearity]
  if not gain then raise("calculate_gain", "unknown nonlinearity %s", got(nonlinearity)) end
  return gain
end

-- Inputs and outputs of one unit of a weight [out, in, ...kernel].
local function fans(name, t)
  if t:dim() < 2 then raise("init." .. name, "needs a tensor of at least 2 dims, not %d", t:dim()) end
  local receptive = 1
  for d = 3, t:dim() do receptive = receptive * t:size(d) end
  return t:size(2) * receptive, t:size(1) * receptive
end
function M.fans(t) return fans("fans", check.tensor(t, "init.fans", "tensor")) end

-- Defines M[name] and M[name .. "_"]: parses, runs without recording, returns the tensor.
-- `random`: it also takes a generator.
local function define(name, text, fill, random)
  local list = "tensor: tensor, " .. text .. (random and ", generator: generator?" or "")
  local parse = args.define("init." .. name, list)
  local function run(...)
    local a = parse(...)
    if skipping then return a.tensor end
    local was = kiln.is_grad_enabled()
    kiln.set_grad_enabled(false)
    local ok, message = pcall(drawn, a.generator, fill, a.tensor, a)
    kiln.set_grad_enabled(was)
    if not ok then error(message, 0) end
    return a.tensor
  end
  M[name], M[name .. "_"] = run, run
end

define("uniform", "a: number = 0, b: number = 1", function(t, a) t:uniform_(a.a, a.b) end, true)
define("normal", "mean: number = 0, std: number = 1", function(t, a) t:normal_(a.mean, a.std) end, true)
define("constant", "val: number", function(t, a) t:fill_(a.val) end)
define("zeros", "", function(t) t:zero_() end)
define("ones", "", function(t) t:fill_(1) end)

define("trunc_normal", "mean: number = 0, std: number = 1, a: number = -2, b: number = 2", function(t, a)
  -- By the inverse of the distribution function, between the bounds.
  local function cdf(x)
    return 0.5 * (1 + kiln.tensor(x / math.sqrt(2), { dtype = kiln.float64 }):erf():item())
  end
  check.above(a.std, "init.trunc_normal", "std", 0)
  check.above(a.b, "init.trunc_normal", "b", a.a)
  local low, high = cdf((a.a - a.mean) / a.std), cdf((a.b - a.mean) / a.std)
  t:uniform_(2 * low - 1, 2 * high - 1):erfinv_():mul_(a.std * math.sqrt(2)):add_(a.mean):clamp_(a.a, a.b)
end, true)

define("eye", "", function(t)
  if t:dim() ~= 2 then raise("init.eye", "needs a tensor of 2 dims, not %d", t:dim()) end
  t:copy_(kiln.eye(t:size(1), t:size(2)))
end)

define("dirac", "groups: count = 1", function(t, a)
  local n = t:dim()
  if n < 3 or n > 5 then raise("init.dirac", "needs a tensor of 3, 4 or 5 dims, not %d", n) end
  if t:size(1) % a.groups ~= 0 then
    raise("init.dirac", "%d output channels do not divide into %d groups", t:size(1), a.groups)
  end
  t:zero_()
  local per_group = t:size(1) / a.groups
  for g = 0, a.groups - 1 do
    for i = 1, math.min(per_group, t:size(2)) do
      local at = t[g * per_group + i][i]
      for _ = 3, n do at = at[math.floor(at:size(1) / 2) + 1] end
      at:fill_(1)
    end
  end
end)

define("xavier_uniform", "gain: number = 1", function(t, a)
  local fan_in, fan_out = fans("xavier_uniform", t)
  local bound = a.gain * math.sqrt(6 / (fan_in + fan_out))
  t:uniform_(-bound, bound)
end, true)

define("xavier_normal", "gain: number = 1", function(t, a)
  local fan_in, fan_out = fans("xavier_normal", t)
  t:normal_(0, a.gain * math.sqrt(2 / (fan_in + fan_out)))
end, true)

local KAIMING = "a: number = 0, mode: fan_in|fan_out = fan_in, nonlinearity: string = leaky_relu"
local function kaiming_std(name, t, a)
  local fan_in, fan_out = fans(name, t)
  return M.calculate_gain(a.nonlinearity, a.a) / math.sqrt(a.mode == "fan_in" and fan_in or fan_out)
end

define("kaiming_uniform", KAIMING, function(t, a)
  if t:numel() == 0 then return end -- nothing to fill, and perhaps no input to divide by
  local bound = math.sqrt(3) * kaiming_std("kaiming_uniform", t, a)
  t:uniform_(-bound, bound)
end, true)
define("kaiming_normal", KAIMING, function(t, a)
  if t:numel() > 0 then t:normal_(0, kaiming_std("kaiming_normal", t, a)) end
end, true)

define("orthogonal", "gain: number = 1", function(t, a)
  if t:dim() < 2 then raise("init.orthogonal", "needs a tensor of at least 2 dims, not %d", t:dim()) end
  local rows = t:size(1)
  local cols = t:numel() / rows
  local flat = kiln.empty(math.max(rows, cols), math.min(rows, cols), { dtype = t.dtype, device = t.device })
  local q, r = kiln.qr(flat:normal_())
  q = q * r:diag():sign() -- one of the many QRs: the one with a positive diagonal
  if rows < cols then q = q:t() end
  t:copy_(q:reshape(t:size()):mul(a.gain))
end, true)

define("sparse", "sparsity: number, std: number = 0.01", function(t, a)
  if t:dim() ~= 2 then raise("init.sparse", "needs a tensor of 2 dims, not %d", t:dim()) end
  if not (a.sparsity >= 0 and a.sparsity <= 1) then
    raise("init.sparse", "sparsity must be from 0 to 1, got %g", a.sparsity)
  end
  t:normal_(0, a.std)
  local rows, zeros = t:size(1), math.ceil(a.sparsity * t:size(1))
  for column = 1, t:size(2) do
    if zeros > 0 then
      t:select(2, column):index_fill_(1, kiln.randperm(rows):slice(1, 1, zeros):to(t.device), 0)
    end
  end
end, true)

-- skipped(fn, ...): runs fn while nothing here writes.
local function skipped(fn, ...)
  check.fn(fn, "skipped", "fn")
  local was = skipping
  skipping = true
  local function finish(ok, ...)
    skipping = was
    if not ok then check.rethrow((...)) end
    return ...
  end
  return finish(pcall(fn, ...))
end
M.skipped = skipped

return require("kiln.namespace").of("kiln.nn.init", M)
