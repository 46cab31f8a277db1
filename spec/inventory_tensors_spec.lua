--- Every name that the reference has for tensors is public, documented and tested.  An op is tested by the
-- samples of its row (spec/ops) or, where it is random, by random_spec; what is no op is called here.
local ffi = require "ffi"
local kiln = require "kiln"
local ops = require "kiln.ops"
local support = require "spec.support"
local read = require "spec.support.read"
local names = dofile "spec/golden/inventory_tensors.lua"

local I64, F64 = { dtype = kiln.int64 }, { dtype = kiln.float64 }

local function is(expected, actual) assert.same(expected, actual) end
local function list(x) return x:tolist() end
local function shape(x) return { unpack(x.shape) } end

-- -- What is no op -----------------------------------------------------------------------------------

local function seeded(f)
  kiln.manual_seed(5)
  return f()
end

-- Draws twice from one seed: the same, of this shape, and of more than one value.
local function draws(f, size)
  local a, b = seeded(f), seeded(f)
  assert.is_true(a:equal(b))
  is(size, shape(a))
  assert.is_true(a:ne(a:reshape(-1)[1]):any():item())
end

local functions = {
  is_tensor = function() is({ true, false }, { kiln.is_tensor(kiln.ones(1)), kiln.is_tensor(1) }) end,
  is_storage = function()
    is({ true, false }, { kiln.is_storage(kiln.FloatStorage(1)), kiln.is_storage(kiln.ones(1)) })
  end,
  numel = function() is(6, kiln.numel(kiln.ones(2, 3))) end,
  set_default_tensor_type = function()
    kiln.set_default_tensor_type "kiln.DoubleTensor"
    local dtype = kiln.ones(1).dtype
    kiln.set_default_tensor_type "kiln.FloatTensor"
    is(kiln.float64, dtype)
    is(kiln.float32, kiln.ones(1).dtype)
  end,
  set_default_dtype = function()
    kiln.set_default_dtype(kiln.float64)
    local dtype = kiln.tensor({ 1 }).dtype
    kiln.set_default_dtype(kiln.float32)
    is(kiln.float64, dtype)
  end,
  get_default_dtype = function() is(kiln.float32, kiln.get_default_dtype()) end,
  set_printoptions = function()
    kiln.set_printoptions { precision = 1 }
    local text = tostring(kiln.tensor { 0.25 })
    kiln.set_printoptions { profile = "default" }
    is("tensor([0.2])", text)
  end,
  tensor = function() is({ { 1, 2 }, { 3, 4 } }, list(kiln.tensor { { 1, 2 }, { 3, 4 } })) end,
  eye = function() is({ { 1, 0 }, { 0, 1 } }, list(kiln.eye(2))) end,
  from_numpy = function() is({ 1, 2 }, list(kiln.from_numpy(kiln.tensor({ 1, 2 }):numpy()))) end,
  linspace = function() is({ 0, 0.5, 1 }, list(kiln.linspace(0, 1, 3))) end,
  logspace = function() is({ 1, 2, 4 }, list(kiln.logspace(0, 2, 3, { base = 2 }))) end,
  arange = function() is({ 0, 1, 2 }, list(kiln.arange(3))) end,
  ones = function() is({ 1, 1 }, list(kiln.ones(2))) end,
  ones_like = function() is({ 1, 1 }, list(kiln.ones_like(kiln.zeros(2)))) end,
  range = function() is({ 1, 3, 5 }, list(kiln.range(1, 5, 2))) end,
  zeros = function() is({ { 0 } }, list(kiln.zeros(1, 1))) end,
  zeros_like = function() is(kiln.int64, kiln.zeros_like(kiln.ones(1, I64)).dtype) end,
  empty = function() is({ 2, 0 }, shape(kiln.empty(2, 0))) end,
  empty_like = function() is({ 2, 3 }, shape(kiln.empty_like(kiln.ones(2, 3)))) end,
  full = function() is({ 2.5, 2.5 }, list(kiln.full({ 2 }, 2.5))) end,
  full_like = function() is({ 7 }, list(kiln.full_like(kiln.ones(1, I64), 7))) end,
  manual_seed = function()
    assert.is_false(seeded(function() return kiln.rand(3) end):equal((function()
      kiln.manual_seed(6)
      return kiln.rand(3)
    end)()))
  end,
  initial_seed = function()
    kiln.manual_seed(77)
    kiln.rand(1)
    is(77, kiln.initial_seed())
  end,
  get_rng_state = function() is({ 16 }, shape(kiln.get_rng_state())) end,
  set_rng_state = function()
    local state = kiln.get_rng_state()
    local first = kiln.rand(2)
    kiln.set_rng_state(state)
    assert.is_true(first:equal(kiln.rand(2)))
  end,
  default_generator = function()
    kiln.default_generator:manual_seed(9)
    is(9, kiln.default_generator:initial_seed())
  end,
  rand = function() draws(function() return kiln.rand(4, 5) end, { 4, 5 }) end,
  randn = function() draws(function() return kiln.randn(4, 5) end, { 4, 5 }) end,
  rand_like = function() draws(function() return kiln.rand_like(kiln.ones(9)) end, { 9 }) end,
  randn_like = function() draws(function() return kiln.randn_like(kiln.ones(9)) end, { 9 }) end,
  randint = function() draws(function() return kiln.randint(1, 7, { 50 }) end, { 50 }) end,
  save = function()
    local path = os.tmpname()
    kiln.save({ x = kiln.tensor { 3, 4 } }, path)
    local back = kiln.load(path)
    os.remove(path)
    is({ 3, 4 }, list(back.x))
  end,
  set_num_threads = function()
    local before = kiln.get_num_threads()
    kiln.set_num_threads(1)
    local now = kiln.get_num_threads()
    kiln.set_num_threads(before)
    is(1, now)
  end,
  no_grad = function()
    local x = kiln.ones(1, { requires_grad = true })
    is({ false, true }, { kiln.no_grad(function() return x * 2 end).requires_grad, (x * 2).requires_grad })
  end,
  enable_grad = function()
    is(true, kiln.no_grad(function() return kiln.enable_grad(kiln.is_grad_enabled) end))
  end,
  set_grad_enabled = function()
    is(true, kiln.set_grad_enabled(false))
    is(false, kiln.set_grad_enabled(true))
  end,
  is_grad_enabled = function() is(false, kiln.no_grad(kiln.is_grad_enabled)) end,
}
functions.load, functions.get_num_threads = functions.save, functions.set_num_threads

local CASTS = { byte = "uint8", char = "int8", double = "float64", float = "float32", half = "float16",
  int = "int32", long = "int64", short = "int16", bool = "bool" }

local methods = {
  apply_ = function() is({ 1, 4 }, list(kiln.tensor({ 1, 2 }):apply_(function(v) return v * v end))) end,
  map_ = function()
    is({ 4, 6 }, list(kiln.tensor({ 1, 2 }):map_(kiln.tensor { 3, 4 }, function(a, b) return a + b end)))
  end,
  contiguous = function()
    local x = kiln.ones(2, 3):t()
    is({ false, true }, { x:is_contiguous(), x:contiguous():is_contiguous() })
  end,
  cpu = function() is("cpu", kiln.ones(1):cpu().device) end,
  cuda = function()
    if kiln.config().cuda_devices > 0 then
      is(true, kiln.ones(1):cuda().is_cuda)
    else
      support.raises({ "cuda" }, function() return kiln.ones(1):cuda() end)
    end
  end,
  is_cuda = function() is(false, kiln.ones(1).is_cuda) end,
  data_ptr = function()
    local p = kiln.tensor({ 5, 6 }, F64):data_ptr()
    assert.is_true(ffi.istype("double *", p))
  end,
  dim = function() is(2, kiln.ones(2, 3):dim()) end,
  ndimension = function() is(3, kiln.ones(2, 3, 1):ndimension()) end,
  element_size = function()
    is({ 8, 2 }, { kiln.ones(1, F64):element_size(), kiln.ones(1):half():element_size() })
  end,
  expand_as = function() is({ 3, 2 }, shape(kiln.ones(1, 2):expand_as(kiln.ones(3, 2)))) end,
  view_as = function() is({ 3, 2 }, shape(kiln.ones(6):view_as(kiln.ones(3, 2)))) end,
  is_contiguous = function() is(true, kiln.ones(2, 3):is_contiguous()) end,
  is_pinned = function() is(false, kiln.ones(1):is_pinned()) end,
  pin_memory = function() is({ 1 }, list(kiln.ones(1):pin_memory())) end,
  share_memory_ = function()
    local x = kiln.ones(1)
    assert.is_true(x:share_memory_():is_same(x))
  end,
  is_set_to = function()
    local x = kiln.ones(2)
    is({ true, false }, { x:is_set_to(x:view(2)), x:is_set_to(kiln.ones(2)) })
  end,
  is_signed = function()
    is({ true, false }, { kiln.ones(1):is_signed(), kiln.ones(1):byte():is_signed() })
  end,
  nelement = function() is(6, kiln.ones(2, 3):nelement()) end,
  numel = function() is(6, kiln.ones(2, 3):numel()) end,
  new = function() is(kiln.int64, kiln.ones(1, I64):new(2, 2).dtype) end,
  numpy = function() is("\147NUMPY", kiln.ones(1):numpy():sub(1, 6)) end,
  resize_ = function() is({ 2, 2 }, shape(kiln.ones(4):resize_(2, 2))) end,
  resize_as_ = function() is({ 2, 2 }, shape(kiln.ones(4):resize_as_(kiln.ones(2, 2)))) end,
  set_ = function() is({ 1, 2 }, list(kiln.zeros(1):set_(kiln.tensor { 1, 2 }))) end,
  size = function() is({ 2, 3 }, { kiln.ones(2, 3):size(1), kiln.ones(2, 3):size(-1) }) end,
  stride = function() is({ 3, 1 }, { unpack(kiln.ones(2, 3):stride()) }) end,
  storage = function() is({ 1, 2 }, kiln.tensor({ 1, 2 }):storage():tolist()) end,
  storage_offset = function() is(1, kiln.ones(3)[{ { 2, 3 } }]:storage_offset()) end,
  storage_type = function() is("kiln.FloatStorage", kiln.ones(1):storage_type()) end,
  tolist = function() is({ { 1 }, { 2 } }, kiln.tensor({ { 1 }, { 2 } }):tolist()) end,
  type = function()
    is({ "kiln.LongTensor", kiln.int64 }, { kiln.ones(1, I64):type(), kiln.ones(1):type("long").dtype })
  end,
  type_as = function() is(kiln.int64, kiln.ones(1):type_as(kiln.ones(1, I64)).dtype) end,
  zero_ = function() is({ 0, 0 }, list(kiln.ones(2):zero_())) end,
  item = function() is(2.5, kiln.tensor(2.5):item()) end,
  to = function() is(kiln.float64, kiln.ones(1):to(kiln.float64).dtype) end,
  transpose_ = function() is({ 3, 2 }, shape(kiln.ones(2, 3):transpose_(1, 2))) end,
  t_ = function() is({ 3, 2 }, shape(kiln.ones(2, 3):t_())) end,
  squeeze_ = function() is({ 2 }, shape(kiln.ones(2, 1):squeeze_())) end,
  unsqueeze_ = function() is({ 1, 2 }, shape(kiln.ones(2):unsqueeze_(1))) end,
}
for name, dtype in pairs(CASTS) do
  methods[name] = function() is(dtype, kiln.ones(1)[name](kiln.ones(1)).dtype.name) end
end

local function storage(values, dtype) return kiln.tensor(values, { dtype = dtype }):storage() end

local of_storage = {
  clone = function()
    local s = storage { 1, 2 }
    s:clone()[1] = 9
    is(1, s[1])
  end,
  copy_ = function() is({ 3, 4 }, storage({ 1, 2 }):copy_(storage({ 3, 4 }, "int64")):tolist()) end,
  cpu = function() is("cpu", storage({ 1 }):cpu().device) end,
  cuda = function()
    if kiln.config().cuda_devices > 0 then
      is(true, storage({ 1 }):cuda().is_cuda)
    else
      support.raises({ "cuda" }, function() return storage({ 1 }):cuda() end)
    end
  end,
  data_ptr = function() assert.is_true(ffi.istype("int64_t *", storage({ 1 }, "int64"):data_ptr())) end,
  element_size = function() is(8, storage({ 1 }, "float64"):element_size()) end,
  fill_ = function() is({ 3, 3 }, storage({ 1, 2 }):fill_(3):tolist()) end,
  from_buffer = function()
    is({ 256, 512 }, storage({ 1 }, "int16"):from_buffer("\0\1\0\2", "little"):tolist())
    is({ 2 }, kiln.ShortStorage.from_buffer("\0\1\0\2", "big", 1, 2):tolist())
    local from_buffer = kiln.ShortStorage.from_buffer
    support.raises({ "from_buffer", "3 bytes", "int16" }, from_buffer, "abc")
    support.raises({ "from_buffer", "offset 4", "3 bytes" }, from_buffer, "abc", "big", 0, 4)
    support.raises({ "from_buffer", "2 elements", "4 bytes", "has 3" }, from_buffer, "abc", "big", 2)
  end,
  is_cuda = function() is(false, storage({ 1 }).is_cuda) end,
  is_pinned = function() is(false, storage({ 1 }):is_pinned()) end,
  is_shared = function() is(true, storage({ 1 }):is_shared()) end,
  is_sparse = function() is(false, storage({ 1 }).is_sparse) end,
  new = function() is({ 1, 2 }, storage({ 5 }, "int32"):new({ 1, 2 }):tolist()) end,
  pin_memory = function() is({ 1 }, storage({ 1 }):pin_memory():tolist()) end,
  resize_ = function() is(5, storage({ 1 }):resize_(5):size()) end,
  share_memory_ = function() is({ 1 }, storage({ 1 }):share_memory_():tolist()) end,
  size = function() is(3, storage({ 1, 2, 3 }):size()) end,
  tolist = function() is({ 1.5 }, storage({ 1.5 }):tolist()) end,
  type = function() is("kiln.IntStorage", storage({ 1 }, "int32"):type()) end,
}
for name, dtype in pairs(CASTS) do
  of_storage[name] = function()
    local s = storage { 0, 1 }
    is(dtype, s[name](s).dtype.name)
  end
end

-- -- The walk -----------------------------------------------------------------------------------------

local pages = read "docs/ops.md" .. read "docs/functions.md"
local random_spec = read "spec/random_spec.lua" .. read "spec/create_spec.lua"

-- `kiln.NAME(...)`, `x:NAME(...)`, `x.NAME` or `s:NAME` in code.
local function documented(name, owner)
  local marks = owner == "kiln" and { "kiln." } or { "x:", "x.", "s:", "s." }
  if owner == "x" then marks = { "x:", "x.", "%w+:" } end -- a row's first argument has any name
  for _, mark in ipairs(marks) do
    if pages:find("`" .. mark:gsub("%.", "%%.") .. name .. "%f[^%w_]") then return true end
  end
  return false
end

local function row_of(name)
  return ops.by_name[name] or ops.by_name[(name:gsub("_$", ""))]
end

local function check_tested(name, direct)
  if direct[name] then return direct[name]() end
  local row = row_of(name)
  assert.is_truthy(row, name .. " is no op and nothing here calls it")
  if row.random then
    assert.is_truthy(random_spec:find("%f[%w_]" .. row.name .. "_?%f[^%w_]"), name .. " is in no spec")
  else
    assert.is_true(#row.samples > 0, name .. " has no sample")
  end
end

local function walk(text, what, owner, direct, find)
  describe(what, function()
    for name in text:gmatch "%S+" do
      it(name, function()
        assert.is_true(find(name) ~= nil, name .. " is not there")
        assert.is_true(documented(name, owner), name .. " is not in docs/ops.md or docs/functions.md")
        check_tested(name, direct)
      end)
    end
  end)
end

describe("the inventory of tensors:", function()
  walk(names.functions, "kiln", "kiln", functions, function(name) return kiln[name] end)
  walk(names.newer, "newer", "kiln", functions, function(name) return kiln[name] end)
  walk(names.methods, "x", "x", methods, function(name) return kiln.ones(1)[name] end)
  walk(names.storage, "s", "s", of_storage, function(name) return kiln.FloatStorage(1)[name] end)

  it("in place, the functions of the reference's list fill what they are given", function()
    local x = kiln.zeros(4)
    assert.is_true(kiln.uniform_(x, 2, 3):is_same(x))
    assert.is_true(x:ge(2):all():item())
    assert.is_true(kiln.add_(x, 1):ge(3):all():item())
    support.raises({ "there is no kiln.uniform" }, function() return kiln.uniform end)
  end)

  it("everything else that the kiln table offers is documented too", function()
    for _, name in ipairs(getmetatable(kiln).__names()) do
      if type(kiln[name]) == "function" then
        assert.is_true(documented(name, "kiln"), name .. " is not in docs/ops.md or docs/functions.md")
      end
    end
  end)

  support.ends_without_live_tensors()
end)
