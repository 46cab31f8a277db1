--- Calls public functions with random wrong arguments, for fuzz_spec.lua: luajit spec/support/fuzz.lua
-- SEED COUNT ops|layers.  Prints what was raised in other words than kiln's, then how many calls there
-- were.  It must come to its end: nothing that a script can pass may end the process.
local ffi = require "ffi"
local kiln = require "kiln"
local ops = require "kiln.ops"
local samples = require "spec.support.samples"

local SEED, COUNT, WHAT = arg[1] or "1", tonumber(arg[2] or 10000), arg[3] or "ops"

local random = samples.generator("fuzz " .. SEED)
local function pick(n) return 1 + math.min(n - 1, math.floor(random() * n)) end
local function one_of(list) return list[pick(#list)] end

-- -- What is called ------------------------------------------------------------------------------
-- Not here: what ends, waits or reads files by design, and set_num_threads (which may start thousands).

local FUNCTIONS = {
  "tensor", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "arange",
  "range", "linspace", "logspace", "eye", "Variable", "from_string", "set_default_dtype", "manual_seed",
  "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "normal", "no_grad", "enable_grad",
  "scope", "is_tensor", "numel", "memory", "device", "Tensor", "FloatTensor", "LongTensor", "set_rng_state",
}

local METHODS = {
  "item", "tolist", "type", "type_as", "to", "cpu", "float", "double", "half", "bfloat16", "int", "long",
  "short", "char", "byte", "bool", "new", "new_tensor", "new_zeros", "new_ones", "new_full", "new_empty",
  "contiguous", "is_signed", "is_floating_point", "set_", "resize_", "resize_as_", "is_set_to", "view_as",
  "expand_as", "t_", "transpose_", "squeeze_", "unsqueeze_", "permute_", "reshape_as", "storage", "apply_",
  "map_", "map2_", "backward", "register_hook", "retain_grad", "requires_grad_", "detach_", "size", "stride",
  "dim", "numel", "is_contiguous", "storage_offset", "element_size", "data_ptr", "bump_version", "is_same",
  "free", "where",
}

local targets = {}

-- receiver: how often the first argument is a tensor: "mostly", "always", or nil where it may be anything.
local function target(name, f, receiver)
  if type(f) ~= "function" and not (type(f) == "table" and (getmetatable(f) or {}).__call) then return end
  targets[#targets + 1] = { name = name, f = f, receiver = receiver }
end

local sets = {}

function sets.ops()
  for _, row in ipairs(ops.rows) do
    if not row.internal then
      if not row.writes then target(row.name, kiln[row.name]) end
      target("x:" .. row.name, kiln.Tensor[row.name], "mostly")
      target("x:" .. row.name .. "_", kiln.Tensor[row.name .. "_"], "mostly")
    end
  end
  for _, name in ipairs(FUNCTIONS) do target(name, kiln[name]) end
  for _, name in ipairs(METHODS) do target("x:" .. name, kiln.Tensor[name], "mostly") end
  for _, name in ipairs { "backward", "grad" } do target("autograd." .. name, kiln.autograd[name]) end
  target("x[k]", function(x, k) return x[k] end, "always")
  target("x[k] = v", function(x, k, v) x[k] = v end, "always")
  for _, name in ipairs { "grad", "data", "requires_grad", "shape", "dtype" } do
    target("x." .. name .. " = v", function(x, v) x[name] = v end, "always")
  end
  for _, o in ipairs { "+", "-", "*", "/", "%", "^", "<", "<=", ".." } do
    target("x " .. o .. " y", loadstring("local x, y = ... return x " .. o .. " y"), "always")
  end
  target("#x", function(x) return #x end, "always")
  target("tostring", tostring, "always")
end

-- Layers that are made well and called badly.
local function layers()
  local nn = kiln.nn
  return {
    nn.Linear(4, 3), nn.Conv2d(2, 3, 2), nn.ConvTranspose2d(2, 3, 2), nn.LSTM(4, 3), nn.GRU(4, 3, 2),
    nn.RNN(4, 3), nn.LSTMCell(4, 3), nn.Embedding(5, 3), nn.EmbeddingBag(5, 3), nn.BatchNorm1d(4),
    nn.BatchNorm2d(3), nn.LayerNorm(4), nn.GroupNorm(2, 4), nn.MultiheadAttention(4, 2),
    nn.TransformerEncoderLayer(4, 2), nn.Bilinear(4, 4, 2), nn.MaxPool2d(2), nn.CrossEntropyLoss(),
    nn.CTCLoss(), nn.NLLLoss(), nn.Upsample { scale_factor = 2 }, nn.PixelShuffle(2), nn.Fold(4, 2),
    nn.Unfold(2), nn.Sequential(nn.Linear(4, 3), nn.ReLU()),
  }
end

function sets.layers()
  local function all(prefix, t, receiver)
    local names, meta = {}, getmetatable(t)
    for name in pairs(t) do names[#names + 1] = type(name) == "string" and name or nil end
    for _, name in ipairs(meta and meta.__names and meta.__names() or {}) do
      if rawget(t, name) == nil then names[#names + 1] = name end
    end
    table.sort(names)
    for _, name in ipairs(names) do target(prefix .. "." .. name, t[name], receiver) end
  end
  all("nn.functional", kiln.nn.functional, "mostly")
  all("nn.init", kiln.nn.init, "mostly")
  for _, name in ipairs { "nn", "nn.utils", "nn.utils.rnn", "distributions", "optim", "optim.lr_scheduler",
    "utils.data", "vision", "autograd", "amp" } do
    local t = kiln
    for part in name:gmatch "[^.]+" do t = t[part] end
    all(name, t)
  end
  for _, name in ipairs { "line", "scatter", "images", "sparkline" } do
    target("plot." .. name, kiln.utils.plot[name])
  end
  for _, layer in ipairs(layers()) do
    target(layer.__name, layer, "mostly")
    for _, m in ipairs { "load_state_dict", "to", "register_buffer", "register_parameter", "add_module",
      "apply", "register_forward_hook", "double", "half", "train" } do
      target(layer.__name .. ":" .. m, function(...) return layer[m](layer, ...) end)
    end
  end
end

sets[WHAT]()

-- -- With what -----------------------------------------------------------------------------------

local DTYPES = { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64",
  "bool" }
local SHAPES = { {}, { 0 }, { 1 }, { 3 }, { 4 }, { 3, 4 }, { 4, 3 }, { 2, 3, 4 }, { 0, 3 }, { 3, 3 },
  { 2, 1, 3, 4 }, { 1, 1, 1, 1, 1, 1, 1, 1 } }

local function tensor()
  local x = kiln.empty(one_of(SHAPES), { dtype = one_of(DTYPES) }):fill_(pick(5) - 1)
  local kind = pick(12)
  if kind == 1 and x.dtype.is_floating_point then x.requires_grad = true end
  if kind == 2 and x:dim() > 1 then x = x:transpose(1, 2) end
  if kind == 3 and x:dim() < 8 then x = x:unsqueeze(1):expand({ 2, unpack(x.shape) }) end
  if kind == 4 and x.dtype.is_floating_point then x:fill_(0 / 0) end
  if kind == 5 and x.dtype.is_floating_point then
    x.requires_grad = true
    x = x * 2
  end
  if kind == 6 then x:free() end
  return x
end

local NUMBERS = { 0, 1, 2, 3, -1, -2, 1.5, -0.5, 7, 100, 1e6, 2 ^ 31, 2 ^ 40, 2 ^ 53, -2 ^ 63, 1e308, 1 / 0,
  -1 / 0, 0 / 0 }

local function value(depth)
  local kind = pick(24)
  if kind <= 8 then return tensor() end
  if kind <= 14 then return one_of(NUMBERS) end
  if kind == 15 then return nil end
  if kind == 16 then return random() < 0.5 end
  if kind == 17 then
    return one_of { "", "x", "mean", "sum", "none", "float32", "cpu", "cuda:1", "a\nb", "%s%d" }
  end
  if kind == 18 then return one_of { print, kiln, io.stdout, coroutine.create(print), kiln.nn } end
  if kind == 19 then return one_of { kiln.float32, kiln.int64, kiln.bool, kiln.newaxis } end
  if kind == 20 then
    return one_of { 5LL, -1LL, 9007199254740993LL, 3ULL, ffi.new "int[3]", ffi.new("void *") }
  end
  if depth > 2 then return {} end
  local list = {}
  for i = 1, pick(4) - 1 do list[i] = value(depth + 1) end
  if pick(4) == 1 then
    list[one_of { "dim", "keepdim", "dtype", "device", "out", "nonsense", "requires_grad", "size" }] =
      value(depth + 1)
  end
  return list
end

local function arguments(receiver)
  local list, n = {}, pick(6) - 1
  for i = 1, n do list[i] = value(0) end
  if receiver == "always" or receiver == "mostly" and n > 0 and pick(8) > 1 then
    list[1], n = tensor(), math.max(n, 1)
  end
  return list, n
end

-- -- The calls -----------------------------------------------------------------------------------

local function foreign(message)
  message = tostring(message)
  return not message:find("kiln: ", 1, true) or message:find "\n"
end

local shown, raised = 0, 0
for call = 1, COUNT do
  local t = one_of(targets)
  local list, n = arguments(t.receiver)
  local ok, message = pcall(t.f, unpack(list, 1, n))
  if not ok then
    raised = raised + 1
    if foreign(message) and shown < 40 then
      shown = shown + 1
      print(("%s (call %d): %s"):format(t.name, call, (tostring(message):gsub("\n", "\\n"))))
    end
  end
  kiln.set_default_dtype(kiln.float32)
  kiln.set_grad_enabled(true)
end
print(("%d calls, %d raised, %d in other words"):format(COUNT, raised, shown))
