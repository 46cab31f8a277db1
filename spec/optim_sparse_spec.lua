-- Row-sparse gradients: what they hold, how they add up, who refuses them.
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local F = nn.functional
local device = require "spec.support.device"
local support = require "spec.support"
local raises, near = support.raises, support.near

local function positions(list) return kiln.tensor(list, { dtype = kiln.int64 }) end
local function weight() return nn.Parameter(kiln.arange(1, 11, { dtype = kiln.float64 }):view(5, 2)) end

describe("a row-sparse gradient", function()
  it("holds the rows that were looked up, once each and in order", function()
    local w = weight()
    kiln.embedding(w, positions { { 4, 2 }, { 4, 5 } }, nil, false, true):square():sum():backward()
    local g = w.grad
    assert.is_true(g.is_sparse)
    assert.is_true(g:is_coalesced())
    assert.equals(3, g:nnz())
    assert.same({ { 2, 4, 5 } }, g:indices():tolist())
    near({ { 6, 8 }, { 28, 32 }, { 18, 20 } }, g:values())
    near({ { 0, 0 }, { 6, 8 }, { 0, 0 }, { 28, 32 }, { 18, 20 } }, g:to_dense())
    assert.equals("[5, 2]", tostring(g.shape))
    assert.equals(kiln.float64, g.dtype)
    assert.truthy(tostring(g):find "rows of %[5, 2%]")
    assert.is_false(w.is_sparse)
    assert.is_true(w:to_dense() == w)
  end)

  it("is what the dense one is", function()
    local index = positions { { 1, 5, 5 }, { 2, 5, 3 } }
    for _, padding in ipairs { false, 5 } do
      local a, b = weight(), weight()
      for _ = 1, 3 do
        F.embedding(index, a, { padding_idx = padding or nil, sparse = true }):pow(3):sum():backward()
        F.embedding(index, b, { padding_idx = padding or nil }):pow(3):sum():backward()
      end
      assert.is_true(a.grad:to_dense():equal(b.grad))
    end
    for _, mode in ipairs { "sum", "mean" } do
      local a, b = weight(), weight()
      F.embedding_bag(index, a, { mode = mode, sparse = true, padding_idx = 2 }):pow(3):sum():backward()
      F.embedding_bag(index, b, { mode = mode, padding_idx = 2 }):pow(3):sum():backward()
      assert.is_true(a.grad.is_sparse)
      near(b.grad:tolist(), a.grad:to_dense(), 1e-12)
    end
  end)

  it("adds up with dense ones, which makes it dense", function()
    local w = weight()
    local function look() return kiln.embedding(w, positions { 2, 2 }, nil, false, true):sum() end
    look():backward()
    w:sum():backward()
    near({ { 1, 1 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 } }, w.grad)
    look():backward()
    near({ { 1, 1 }, { 5, 5 }, { 1, 1 }, { 1, 1 }, { 1, 1 } }, w.grad)
    w.grad = nil;
    (look() + w:sum()):backward() -- both in one pass
    near({ { 1, 1 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 } }, w.grad)
  end)

  it("ends at a leaf: what was computed gets a dense one, and so does a graph of gradients", function()
    local w = weight()
    kiln.embedding(w * 2, positions { 3 }, nil, false, true):sum():backward()
    near({ { 0, 0 }, { 0, 0 }, { 2, 2 }, { 0, 0 }, { 0, 0 } }, w.grad)
    local y = kiln.embedding(w, positions { 3 }, nil, false, true):pow(3):sum()
    local g = kiln.autograd.grad(y, w, { create_graph = true })
    assert.is_false(g.is_sparse)
    near({ { 0, 0 }, { 0, 0 }, { 30, 36 }, { 0, 0 }, { 0, 0 } }, kiln.autograd.grad(g:sum(), w):to_dense())
  end)

  it("reaches hooks and autograd.grad", function()
    local w, seen = weight(), nil
    local hook = w:register_hook(function(g) seen = g.is_sparse end)
    local g = kiln.autograd.grad(kiln.embedding(w, positions { 1 }, nil, false, true):sum(), w)
    assert.is_true(seen)
    assert.is_true(g.is_sparse)
    assert.is_nil(w.grad)
    w.grad = g
    assert.equals(1, w.grad:nnz())
    hook:remove()
  end)

  it("is refused by everything that would read it as a tensor", function()
    local w = nn.Parameter(kiln.ones(1, 1))
    kiln.embedding(w, positions { 1 }, nil, false, true):sum():backward()
    local g = w.grad
    for name, fn in pairs {
      add = function() return g + 1 end, clone = function() return g:clone() end,
      item = function() return g:item() end, tolist = function() return g:tolist() end,
      detach = function() return g:detach() end, data_ptr = function() return g:data_ptr() end,
      copy_ = function() return w:detach():copy_(g) end, resize_ = function() return g:resize_(3) end,
      requires_grad = function() return g:requires_grad_(true) end, index = function() return g[1] end,
      grad = function() g.grad = w end, set_ = function() g.data = kiln.ones(1, 1) end,
    } do
      raises({ "row-sparse" }, fn, name)
    end
    raises({ "indices", "not row-sparse" }, w.indices, w)
    raises({ "values", "not row-sparse" }, w.values, w)
    raises({ "not row-sparse" }, w.coalesce, w)
    assert.is_nil(g.grad)
    assert.is_false(g.requires_grad)
  end)

  it("of nothing looked up has no rows", function()
    local w = weight()
    local optimizer = optim.SparseAdam { w }
    kiln.embedding(w, kiln.zeros(0, { dtype = kiln.int64 }), nil, false, true):sum():backward()
    assert.equals(0, w.grad:nnz())
    optimizer:step()
    assert.is_true(w:detach():equal(weight():detach()))
    assert.equals(0, nn.utils.clip_grad_norm({ w }, 1))
    kiln.embedding(w, positions { 5 }, nil, false, true):sum():backward()
    assert.same({ { 5 } }, w.grad:indices():tolist())
  end)

  it("is clipped in its values, and dropped by zero_grad", function()
    local w = weight()
    kiln.embedding(w, positions { 1, 2 }, nil, false, true):sum():backward()
    assert.equals(2, nn.utils.clip_grad_norm({ w }, 1))
    near({ { 0.5, 0.5 }, { 0.5, 0.5 } }, w.grad:values(), 1e-6)
    nn.utils.clip_grad_value({ w }, 0.25)
    near({ { 0.25, 0.25 }, { 0.25, 0.25 } }, w.grad:values())
    optim.SGD({ w }, { lr = 1 }):zero_grad { set_to_none = false }
    assert.is_nil(w.grad)
  end)
end)

describe("optimizers", function()
  local function with_gradient(sparse)
    local w = weight()
    kiln.embedding(w, positions { 1, 2 }, nil, false, sparse):sum():backward()
    return w
  end

  it("refuse row-sparse gradients that they cannot use, and change nothing", function()
    for name in ("Adam AdamW NAdam RAdam Adamax RMSprop Rprop ASGD Adadelta Lion"):gmatch "%S+" do
      local dense, w = with_gradient(false), with_gradient(true)
      raises({ name, "params[2]", "row-sparse" }, function() optim[name]({ dense, w }):step() end)
      assert.is_true(dense:detach():equal(weight():detach()))
    end
    for _, name in ipairs { "SGD", "Adagrad" } do
      local w = with_gradient(true)
      local optimizer = optim[name]({ w }, { weight_decay = 0.1 })
      raises({ name, "weight_decay (0.1)", "row-sparse" }, optimizer.step, optimizer)
      assert.is_true(w:detach():equal(weight():detach()))
    end
    raises({ "SparseAdam", "params[1]", "dense", "Adam" }, function()
      optim.SparseAdam({ with_gradient(false) }):step()
    end)
  end)

  it("take the same step from a row-sparse gradient as from the dense one", function()
    for _, row in ipairs { { "SGD", { lr = 0.1 } }, { "SGD", { lr = 0.1, momentum = 0.9 } },
      { "SGD", { lr = 0.1, momentum = 0.9, nesterov = true } }, { "Adagrad", { lr = 0.1, lr_decay = 1 } } } do
      local a, b = weight(), weight()
      local one, two = optim[row[1]]({ a }, row[2]), optim[row[1]]({ b }, row[2])
      for t = 1, 20 do
        one:zero_grad()
        two:zero_grad()
        local index = positions { t % 5 + 1, t % 3 + 1 }
        kiln.embedding(a, index, nil, false, true):square():sum():backward()
        kiln.embedding(b, index):square():sum():backward()
        one:step()
        two:step()
      end
      near(b:tolist(), a, 1e-12)
    end
    local a, b = with_gradient(true), with_gradient(false)
    local function closure() return 1 end
    optim.LBFGS({ a }, { max_iter = 1 }):step(closure)
    optim.LBFGS({ b }, { max_iter = 1 }):step(closure)
    near(b:tolist(), a, 1e-12)
  end)

  it("keep the state of 16-bit tables in float32", function()
    local table_of = nn.Embedding(4, 2, { sparse = true }):half()
    local optimizer = optim.SparseAdam(table_of:parameters(), { lr = 0.125 })
    local before = table_of.weight:detach():clone()
    table_of(positions { 2 }):sum():backward()
    optimizer:step()
    assert.equals(kiln.float32, optimizer.state[table_of.weight].exp_avg.dtype)
    assert.near(-0.125, (table_of.weight:detach() - before)[2][1]:item(), 1e-3)
    assert.equals(0, (table_of.weight:detach() - before)[1][1]:item())
  end)

  it("go on from a saved state", function()
    local a, b = weight(), weight()
    local one = optim.SparseAdam { a }
    local function step(optimizer, w)
      optimizer:zero_grad()
      kiln.embedding(w, positions { 1, 4 }, nil, false, true):square():sum():backward()
      optimizer:step()
    end
    for _ = 1, 5 do step(one, a) end
    kiln.no_grad(function() b:copy_(a) end)
    local two = optim.SparseAdam { b }
    two:load_state_dict(one:state_dict())
    for _ = 1, 5 do
      step(one, a)
      step(two, b)
    end
    assert.is_true(a:detach():equal(b:detach()))
  end)
end)

describe("embedding_bag", function()
  it("refuses what goes not together", function()
    local w, x = weight(), positions { { 1, 2 } }
    raises({ "embedding_bag", "'max'", "sparse" }, F.embedding_bag, x, w, { mode = "max", sparse = true })
    raises({ "embedding_bag", "'max'", "scale_grad_by_freq" }, F.embedding_bag, x, w,
      { mode = "max", scale_grad_by_freq = true })
    raises({ "scale_grad_by_freq", "sparse" }, F.embedding_bag, x, w,
      { sparse = true, scale_grad_by_freq = true })
    raises({ "scale_grad_by_freq", "sparse" }, F.embedding, x, w,
      { sparse = true, scale_grad_by_freq = true })
    raises({ "per_sample_weights", "[1, 2]", "[2]" }, F.embedding_bag, x, w,
      { mode = "sum", per_sample_weights = kiln.ones(2, { dtype = kiln.float64 }) })
  end)

  it("checks where bags begin, before max_norm changes the weight", function()
    local w, x = weight(), positions { 1, 2, 3 }
    local before = w:detach():clone()
    local cases = { { { 1 }, { padding_idx = 9 }, "padding_idx 9 is out of range" },
      { { 1 }, { mode = "sum", per_sample_weights = kiln.ones(2) }, "[3], not [2]" },
      { { 0, 2 }, {}, "offsets[1] must be 1, not 0" },
      { { 1, 3, 2 }, {}, "offsets[3] must be in 3..4, not 2" },
      { { 1, 5 }, {}, "offsets[2] must be in 1..4, not 5" },
      { { 1, 2 }, { include_last_offset = true }, "the last of the offsets must be 4, not 2" } }
    local waits = not device.name or os.getenv "KILN_CUDA_SYNC" -- else nobody reads offsets on a device
    for i = 1, waits and #cases or 2 do
      local case = cases[i]
      case[2].max_norm = 0.1
      raises({ "embedding_bag", case[3] }, F.embedding_bag, x, w, positions(case[1]), case[2])
    end
    if waits then
      raises("offsets[1] must be 1, not 2", kiln.embedding_bag, w, x, positions { 2 })
    end
    raises({ "embedding", "padding_idx" }, F.embedding, x, w, { max_norm = 0.1, padding_idx = -9 })
    assert.is_true(w:detach():equal(before))
  end)

  it("weighs samples beside padding", function()
    local w = weight()
    local y = F.embedding_bag(positions { { 1, 3 }, { 3, 3 } }, w, { mode = "sum", padding_idx = 3,
      per_sample_weights = kiln.tensor({ { 2, 5 }, { 7, 9 } }, { dtype = kiln.float64 }) })
    near({ { 2, 4 }, { 0, 0 } }, y)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
