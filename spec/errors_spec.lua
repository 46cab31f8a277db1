--- What an error says: one line at the caller's place with the function that was called, the argument and
-- what it was.  A row a mistake; mistakes of ops come from their rows (bind_spec), sizes are in limits_spec.
local ffi = require "ffi"
local kiln = require "kiln"
local support = require "spec.support"
local raises = support.raises

local nn, optim = kiln.nn, kiln.optim

local function parameters() return { nn.Parameter(kiln.ones(2)) } end

-- An optimizer whose groups a script has broken.
local function broken(change)
  local o = optim.SGD(parameters(), { lr = 0.1 })
  change(o)
  return o
end

local function without_params() return broken(function(o) o.param_groups[1].params = nil end) end

local function freed_linear()
  local net = nn.Linear(2, 2)
  net.weight:free()
  return net
end

local function function_with(field, value)
  local F = kiln.autograd.Function:extend "Mine"
  function F.forward(_, x) return x * 1 end
  F[field] = value
  return F.apply(kiln.ones(2, { requires_grad = true }))
end

local hidden = setmetatable({}, { __metatable = false })
local named = setmetatable({}, { __metatable = "x" })
local type_of_tensors = ffi.typeof "kiln_handle" -- what ffi.typeof(x) gives
local wild = ffi.cast("kiln_handle *", 12345) -- to whoever follows it
local NO_POINTER = "a pointer to a tensor's handle is not a tensor"

local ROWS = {
  { function() kiln.tensor({ true }):bincount() end, "bincount", "integers", "bool" },
  { function() kiln.ones(3, 4):sum_to_size(5, 4) end, "sum_to_size", "[5, 4]", "[3, 4]" },
  { function() kiln.ones():sum_to_size(3, 1) end, "sum_to_size", "[3, 1]", "[]" },
  { function() kiln.ones(2):bincount() end, "bincount", "float32" },
  { function() kiln.ones(3):set_(kiln.ones(3):storage(), 0, { "a" }) end, "set_", "size[1]", "string 'a'" },
  { function() kiln.ones(3):set_(kiln.ones(3):storage(), 0, true) end, "set_", "size", "true" },
  { function() kiln.ones(3):resize_ { -1 } end, "resize_", "size[1]", "-1" },
  { function() kiln.ones(3, { requires_grad = true }):resize_as_(kiln.ones(2)) end, "resize_as_", "grad" },
  { function() kiln.ones(3):clamp(kiln.ones(2), kiln.ones(3)) end, "clamp", "[3]", "[2]" },
  { function() kiln.ones(3):clamp(kiln.ones(3), kiln.ones(2)) end, "clamp", "[3]", "[2]" },
  { function() kiln.ones(3):clamp_(kiln.ones(2)) end, "clamp_", "[3]", "[2]" },
  { function() kiln.rand_like(kiln.ones(1):long()) end, "kiln: rand_like: ", "int64" },
  { function() kiln.randn_like(kiln.ones(1):long()) end, "kiln: randn_like: ", "int64" },
  { function() kiln.ones(1):new_tensor(nil) end, "new_tensor", "got nil" },
  { function() kiln.allclose(kiln.ones(1), kiln.ones(1), { out = kiln.ones(1) }) end, "allclose", "no out" },
  { function() kiln.equal(kiln.ones(1), kiln.ones(1), { out = kiln.ones(1) }) end, "equal", "no out" },

  { function() nn.Embedding.from_pretrained(3) end, "Embedding.from_pretrained", "weight", "the number 3" },
  { function() nn.Embedding.from_pretrained(kiln.ones(3)) end, "from_pretrained", "2 dims", "[3]" },
  { function() nn.Embedding.from_pretrained(kiln.ones(3, 3), 3) end, "from_pretrained", "options", "3" },
  { function() freed_linear():state_dict() end, "Linear", "'weight'", "was freed" },
  { function() nn.Sequential(freed_linear()):double() end, "Linear", "'0.weight'", "was freed" },
  { function() nn.Sequential(hidden) end, "Sequential", "a table" },
  { function() nn.Module.train(named) end, "train", "missing" },

  { function() without_params():step() end, "SGD", "step", "param_groups[1]", "params" },
  { function() without_params():zero_grad() end, "SGD", "zero_grad", "param_groups[1]" },
  { function() without_params():state_dict() end, "SGD", "state_dict", "param_groups[1]" },
  { function() tostring(without_params()) end, "SGD", "param_groups[1]" },
  { function() broken(function(o) o.param_groups = nil end):step() end, "SGD", "param_groups", "nil" },
  { function() broken(function(o) o.param_groups[1].params[1]:free() end):step() end, "params[1]", "freed" },
  { function() optim.SGD(parameters(), { lr = 0.1, dampening = 0 / 0 }) end, "dampening", "nan" },
  { function() optim.SGD(parameters(), { lr = math.huge }) end, "SGD", "lr", "inf" },

  { function() function_with("forward", 3) end, "Mine", "forward", "the number 3" },
  { function() function_with("backward", 3) end, "Mine", "backward", "the number 3" },
  { function() kiln.autograd.profiler.key_averages(3) end, "key_averages", "the number 3" },
  { function() kiln.autograd.profiler.total_average(hidden) end, "total_average", "a table" },

  { function() kiln.utils.options(3) end, "options", "defaults", "the number 3" },
  { function() kiln.utils.options({ a = {} }, {}) end, "options", "default", "a table" },
  { function() kiln.utils.options({ a = 1 }, true) end, "options", "argv", "true" },
  { function() require("kiln.utils.plot").Figure({ 1 }, {}, 3) end, "Figure", "name" },
  { function() require("kiln.utils.plot").Figure("mine", {}, 3) end, "mine", "width", "a table" },
  { function() require("kiln.utils.thread").start(3) end, "thread.start", "code", "the number 3" },
  { function() kiln.distributions.Normal(0, 1):set_event_dims(math.huge) end, "Normal", "n must", "inf" },
  { function() kiln.distributions.Normal(0, 1):set_event_dims(1) end, "Normal", "set_event_dims", "1 of 0" },

  { function() nn.utils.clip_grad_value_(parameters(), -1LL) end, "clip_grad_value", "-1" },
  { function() kiln.autograd.graph.of(3) end, "graph.of", "the number 3" },
  { function() kiln.autograd.graph.leads_to(kiln.ones(1), ffi.new "int[1]") end, "graph.leads_to", "node" },
  { function() (kiln.ones(1, { requires_grad = true }) * 2).grad_fn.name(3) end, "grad_fn", "the number 3" },
  { function() kiln.utils.progress(2):update {} end, "progress", "n must" },
  { function()
    optim.lr_scheduler.StepLR(optim.SGD(parameters(), { lr = 0.1 }), 2):step(ffi.cast("void *", 0))
  end, "StepLR", "epoch", "void" },
  { function() kiln.sum(named) end, "sum", "a table" },
  { function() kiln.optim.SGD(hidden) end, "SGD", "list of parameters" },
  { function() kiln.utils.data.DataLoader(named) end, "DataLoader", "a table" },
  { function() local _ = kiln.ones(1) + type_of_tensors end, "add", "the type of tensors" },
  { function() kiln.cat { type_of_tensors } end, "cat", "the type of tensors" },
  { function() kiln.ones(1).free(type_of_tensors) end, "free", "the type of tensors" },
  { function() return #wild end, "#", NO_POINTER },
  { function() return wild.shape end, "shape", NO_POINTER },
  { function() wild.grad = kiln.ones(1) end, "grad", NO_POINTER },
  { function() local _ = wild:stride() end, "stride", NO_POINTER },
  { function() return wild < kiln.ones(1) end, "lt", NO_POINTER },
  { function() kiln.tensor { wild } end, "tensor", NO_POINTER },
  { function() kiln.cat { kiln.ones(1), ffi.new "kiln_handle *" } end, "cat", NO_POINTER },
  { function() kiln.ones(1)[1] = wild end, "index", NO_POINTER },
  { function() kiln.exp(ffi.new "kiln_handle *") end, "exp", "x is missing" },
}

describe("an error", function()
  it("is the same in compiled code", function()
    local x = kiln.ones(2)
    for v, what in pairs { [wild] = NO_POINTER, [type_of_tensors] = "the type of tensors" } do
      raises({ "exp", what }, function()
        for i = 1, 200 do kiln.exp(i < 200 and x or v) end
      end)
      raises({ "add", what }, function()
        for i = 1, 200 do local _ = x + (i < 200 and x or v) end
      end)
      for i = 1, 100 do
        local made, why = pcall(kiln.exp_, v)
        assert.truthy(not made and why:find(what, 1, true), i)
      end
    end
  end)

  it("is a line with the function, the argument and the value", function()
    for i, row in ipairs(ROWS) do
      local message = raises({ unpack(row, 2) }, row[1])
      assert.truthy(message:find("spec/errors_spec.lua:", 1, true), ("row %d: %s"):format(i, message))
    end
  end)

  it("of what is called as in other libraries says what it is", function()
    local x, net = kiln.ones(2, 3), kiln.nn.Linear(2, 3)
    raises({ "kiln: shape: ", "is not called", "x:size(1)" }, function() return x:shape() end)
    raises({ "kiln: float32: ", "x:to(kiln.float32)" }, kiln.float, 3)
    raises({ "kiln: Linear: load_state_dict: ", "not a Linear; its state_dict() gives one" },
      net.load_state_dict, net, kiln.nn.Linear(2, 3))
    raises("kiln: clip_grad_norm: parameters", kiln.nn.utils.clip_grad_norm_, net, 1) -- and no "scope: "
  end)

  it("of a method without its object says so", function()
    local data, utils = kiln.utils.data, kiln.utils
    local schedule = optim.lr_scheduler.StepLR(optim.SGD(parameters(), { lr = 0.1 }), 2)
    local dataset = data.TensorDataset(kiln.ones(2))
    local objects = {
      { schedule, "step", "get_last_lr", "state_dict", "load_state_dict" },
      { data.DataLoader(dataset), "len", "iter", "fetch" },
      { dataset, "len", "get", "get_batch", "get_range" },
      { kiln.amp.GradScaler(), "scale", "unscale_", "step", "update", "get_scale", "is_enabled", "state_dict",
        "load_state_dict" },
      { utils.progress(2), "update", "finish" },
      { kiln.distributions.Normal(0, 1), "log_prob", "cdf" },
      { nn.Linear(1, 1), "register_parameter", "register_buffer", "add_module", "clone", "set_submodule",
        "num_parameters", "get_parameter", "register_forward_hook", "register_forward_pre_hook", "train" },
    }
    for _, methods in ipairs(objects) do
      local object = methods[1]
      for i = 2, #methods do
        for _, wrong in ipairs { false, 3, {}, hidden } do
          raises({ "the object is missing" }, object[methods[i]], wrong or nil)
        end
      end
    end
  end)

  it("of gradcheck says in its first line what differs and how", function()
    local x = kiln.tensor({ 1, 2 }, { dtype = kiln.float64, requires_grad = true })
    local ok, report = kiln.autograd.gradcheck(function(a) return a:detach() * a end, { x },
      { raise_exception = false })
    assert.is_false(ok)
    assert.matches("^2 of 4 derivatives differ .*: output 1 %[1%] by input 1 %[1%]: numeric 2.*analytic 1",
      report:match "^[^\n]+")
  end)
end)

describe("what looks wrong and is not", function()
  it("is a null pointer for a prefix that is left out", function()
    local null = ffi.cast("void *", 0)
    assert.equals("weight", (nn.Linear(1, 1):named_parameters(null)()))
  end)

  it("is one size for a list of one", function()
    local x = kiln.ones(1):set_(kiln.arange(6):storage(), 2, 3)
    assert.same({ 2, 3, 4 }, x:tolist())
  end)

  it("is nil for the options of autocast", function()
    local x = kiln.ones(2, 2)
    local as_usual = kiln.amp.autocast({ device = x.device }, kiln.mm, x, x)
    assert.equals(as_usual.dtype, kiln.amp.autocast(nil, kiln.mm, x, x).dtype)
    assert.not_equals(x.dtype, as_usual.dtype)
  end)

  it("is freeze by position", function()
    assert.is_true(nn.Embedding.from_pretrained(kiln.ones(3, 3), false).weight.requires_grad)
    assert.is_false(nn.Embedding.from_pretrained(kiln.ones(3, 3), true).weight.requires_grad)
  end)
end)

describe("kiln", function()
  it("is the same when package.loaded was emptied", function()
    local before = {}
    for name, module in pairs(package.loaded) do
      if name:find "^kiln" then before[name], package.loaded[name] = module, nil end
    end
    local again, linear, missing = require "kiln", require "kiln.nn.linear", pcall(require, "kiln.nothing")
    for name, module in pairs(before) do package.loaded[name] = module end
    assert.equals(kiln, again)
    assert.equals(before["kiln.nn.linear"], linear)
    assert.is_false(missing)
    assert.equals(2, again.ones(2):sum():item())
  end)
end)

support.ends_without_live_tensors()
