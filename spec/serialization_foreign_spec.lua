-- Files of PyTorch, NumPy, safetensors and Torch7 (spec/golden/files.py made them).
local kiln = require "kiln"
local files = require "spec.support.files"
local support = require "spec.support"
local load, raises = files.load, support.raises

-- Runs fn twice: with the archive and with the older form of a PyTorch file.
local function both(name, fn)
  it("in an archive: " .. name, function() fn(load(name .. ".pt")) end)
  it("in the older form: " .. name, function() fn(load(name .. "_legacy.pt")) end)
end

local function has_all_dtypes(t, skip)
  for name, x in pairs(files.all_dtypes(skip)) do
    assert.is_not_nil(t[name], name)
    assert.is_true(files.same(x, t[name]), name)
  end
end

describe("PyTorch files", function()
  both("dtypes", has_all_dtypes)
  it("that were compressed", function() has_all_dtypes(load "deflated.pt") end)
  it("without checksums", function() assert.is_true(files.same(files.six "float32", load "no_crc.pt")) end)

  both("tensor", function(x) assert.is_true(files.same(files.six "float32", x)) end)

  both("shared", function(t)
    assert.same({ { 0, 4, 8 }, { 1, 5, 9 }, { 2, 6, 10 }, { 3, 7, 11 } }, t.t:tolist())
    assert.same({ 1, 4 }, { t.t:stride(1), t.t:stride(2) })
    assert.is_true(t.base:is_same(t.same))
    t.base[2][3] = 100
    assert.equals(100, t.row[3]:item())
    assert.equals(100, t.column[2]:item())
    assert.equals(100, t.t[3][2]:item())
    assert.same({ 1000, 1000 }, { unpack(t.one.shape) })
    assert.equals(1, t.one:storage():size())
    assert.same({ 0, 3 }, { unpack(t.none.shape) })
    assert.equals(7, t.scalar:item())
    assert.equals(kiln.int64, t.scalar.dtype)
  end)

  local function check_values(v)
    assert.equals(5, v.int)
    assert.equals(-300, v.negative)
    assert.equals(9007199254740993LL, v.big)
    assert.equals(-9223372036854775807LL - 1, v.least)
    assert.equals(0.1, v.float)
    assert.equals(math.huge, v.inf)
    assert.is_true(v.nan ~= v.nan)
    assert.equals("grüße\n", v.text)
    assert.equals("\0\255\128", v.bytes)
    assert.equals("", v.no_bytes)
    assert.is_true(v.yes)
    assert.is_false(v.no)
    assert.is_nil(v.none)
    assert.same({ 1, { 2, { 3 } }, nil, "end" }, v.list)
    assert.same({ 1, { 2.5, "x" }, nil, 4 }, v.tuple)
    assert.equals("[2, 3]", tostring(v.size))
    assert.equals(kiln.float16, v.dtype)
    assert.equals("cuda:1", v.device)
    assert.same({ [0] = "zero", "one", [-7] = "minus", [1.5] = "half" }, v.numbers)
    assert.same({ {}, {}, {} }, v.empty)
    assert.same({ a = 1, b = 2 }, v.ordered)
  end
  both("values", check_values)
  for _, protocol in ipairs { 0, 1, 3, 4, 5 } do
    it("of pickle protocol " .. protocol, function()
      local archive = load(("values_%d.pt"):format(protocol))
      check_values(archive)
      local legacy = load(("values_%d_legacy.pt"):format(protocol))
      check_values(legacy.values)
      if protocol > 0 then
        assert.same({ 4, 5, 6, 7 }, archive.shared.row:tolist())
        assert.same({ 4, 5, 6, 7 }, legacy.shared.row:tolist())
      end
    end)
  end

  both("attributes", function(t) -- of tensors are left out
    assert.is_true(files.same(files.six "float32", t.tensor))
    assert.is_false(kiln.nn.Parameter.is(t.tensor))
    assert.is_true(kiln.nn.Parameter.is(t.parameter) and t.parameter.requires_grad)
    assert.is_true(files.same(files.six "float32", t.parameter:detach()))
  end)

  both("grad", function(t)
    assert.is_true(kiln.nn.Parameter.is(t.parameter) and t.parameter.requires_grad)
    assert.is_true(t.leaf.requires_grad and t.leaf.is_leaf)
    assert.is_false(t.plain.requires_grad)
    t.leaf:sum():backward()
    assert.same({ { 1, 1, 1 }, { 1, 1, 1 } }, t.leaf.grad:tolist())
  end)

  both("storage", function(t)
    assert.is_true(kiln.is_storage(t.typed))
    assert.same({ 0, 1, 2, 3, 4, 5 }, t.typed:tolist())
  end)

  both("trained", function(t)
    local nn = kiln.nn
    local net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    net:load_state_dict(t.model)
    net:eval()
    support.near(t.out:tolist(), net(kiln.ones(1, 3)), 1e-5)
    assert.equals(3, t.epoch)
    local optimizer = kiln.optim.Adam(net:parameters())
    optimizer:load_state_dict(t.optimizer)
    assert.equals(0.1, optimizer.param_groups[1].lr)
    local state = optimizer.state[optimizer.param_groups[1].params[1]]
    assert.is_true(files.same(t.optimizer.state[0].exp_avg, state.exp_avg))
    assert.equals(1, state.step)
  end)

  both("sparse", function(t)
    assert.equals("sparse_coo", t.layout)
    assert.same({ { 1, 1, 2, 2, 2 }, { 2, 3, 1, 2, 3 } }, t.indices:tolist())
    local dense = kiln.zeros(t.size, { device = t.values.device })
    dense[{ t.indices[1], t.indices[2] }] = t.values
    assert.is_true(files.same(files.six "float32", dense))
  end)

  both("sparse_csr", function(t)
    assert.equals("sparse_csr", t.layout)
    assert.same({ { 1, 3, 6 }, { 2, 3, 1, 2, 3 } }, { t.crow_indices:tolist(), t.col_indices:tolist() })
    assert.same({ 1, 2, 3, 4, 5 }, t.values:tolist())
    assert.equals("[2, 3]", tostring(t.size))
  end)

  both("unsigned", function(t)
    for name, dtype in pairs { uint16 = "int32", uint32 = "int64", uint64 = "int64" } do
      assert.is_true(files.same(files.six(dtype), t[name]), name)
    end
    assert.same({ 65535, 0 }, t.most16:tolist())
    assert.same({ 4294967295 }, t.most32:tolist())
    assert.same({ 1, 4 }, t.column:tolist())
  end)

  it("with anything else name it and run nothing", function()
    local refused = {
      complex = "complex", sparse_bsr = "sparse_bsr", too_wide = "2^63", wide_dtype = "torch.uint16",
      set = "set", numpy = "multiarray.scalar", conjugate = "complex",
    }
    for name, what in pairs(refused) do
      for _, form in ipairs { ".pt", "_legacy.pt" } do
        raises({ "load", files.folder .. name .. form, what }, load, name .. form)
      end
    end
    raises({ "module.pt", "torch.nn.modules.linear.Linear", "state_dict()" }, load, "module.pt")
    raises({ "evil.pt", "posix.system" }, load, "evil.pt")
    assert.is_nil(io.open "kiln-rce")
    raises({ "tensor_0.pt", "protocol 0" }, load, "tensor_0.pt")
    raises({ "script.pt", "TorchScript", "state_dict()" }, load, "script.pt")
  end)
end)

describe("NumPy files", function()
  it("of every dtype", function()
    has_all_dtypes(load "dtypes.npz", "bfloat16")
    local compressed = load "compressed.npz"
    has_all_dtypes(compressed, "bfloat16")
    assert.same({ 300, 400 }, { unpack(compressed.zeros.shape) })
    assert.equals(0, compressed.zeros:abs():sum():item())
  end)

  it("of one array", function()
    assert.is_true(files.same(files.six "float32", load "plain.npy"))
    assert.is_true(files.same(files.six "float64", load "big_endian.npy"))
    local fortran = load "fortran.npy"
    assert.is_true(files.same(files.six "int16", fortran))
    assert.same({ 1, 2 }, { fortran:stride(1), fortran:stride(2) })
    assert.equals(2.5, load("scalar.npy"):item())
    assert.same({ 0, 3 }, { unpack(load("empty.npy").shape) })
    assert.is_true(files.same(files.six "int32", load "version2.npy"))
    assert.is_true(files.same(files.six "int32", load "version3.npy"))
  end)

  it("with anything else say what it is", function()
    for name, what in pairs { object = "pickle", text = "text", complex = "complex", record = "records",
      uint64 = "18446744073709551615" } do
      raises({ "load", "refused_" .. name .. ".npy", what }, load, ("refused_%s.npy"):format(name))
    end
  end)

  it("of unsigned integers become the next wider ones that there are", function()
    local t = load "unsigned.npz"
    for name, dtype in pairs { uint16 = "int32", uint32 = "int64", uint64 = "int64" } do
      assert.is_true(files.same(files.six(dtype), t[name]), name)
      assert.is_true(files.same(files.six(dtype), t[name .. "_big_endian"]), name)
    end
    assert.same({ 65535, 0 }, t.most16:tolist())
    assert.same({ 4294967295 }, t.most32:tolist())
  end)

  it("go through from_numpy and x:numpy()", function()
    for name, x in pairs(files.all_dtypes "bfloat16") do
      assert.is_true(files.same(x, kiln.from_numpy(x:numpy())), name)
    end
    local x = files.six("float32"):t()
    assert.is_true(files.same(x, kiln.from_numpy(x:numpy())))
    assert.equals(5, kiln.from_numpy(kiln.tensor(5):numpy()):item())
    assert.is_true(files.bytes(files.folder .. "plain.npy") == files.six("float32"):numpy())
    raises({ "from_numpy", "a tensor" }, kiln.from_numpy, x)
    raises({ "from_numpy", "the bytes", "no .npy" }, kiln.from_numpy, "not an array")
  end)
end)

describe("safetensors files", function()
  it("of every dtype, with metadata", function()
    local t = load "dtypes.safetensors"
    has_all_dtypes(t)
    assert.same({ 0, 3 }, { unpack(t.none.shape) })
    local tensors, metadata = kiln.serialization.load_safetensors(files.folder .. "dtypes.safetensors")
    has_all_dtypes(tensors)
    assert.same({ format = "pt", ["grüße"] = '"hi"\n' }, metadata)
  end)

  it("of unsigned integers", function()
    assert.is_true(files.same(kiln.arange(3, { dtype = kiln.int32 }), load("uint16.safetensors").x))
  end)

  it("of a dtype that kiln lacks name it", function()
    raises({ "float8.safetensors", "'x'", "F8_E4M3" }, load, "float8.safetensors")
  end)
end)

describe("Torch7 files", function()
  for _, name in ipairs { "binary64", "binary32", "ascii" } do
    it(name, function()
      local t, said = files.warned(load, name .. ".t7")
      assert.truthy(said:find(name .. ".t7: functions were skipped: 1", 1, true))
      for _, dtype in ipairs { "float64", "int64", "int32", "int16", "int8", "uint8" } do
        local x = files.six(dtype)
        if dtype:find "^int" then x = x - 3 end
        assert.is_true(files.same(x, t[dtype]), dtype)
      end
      t.base[2][3] = 100
      assert.is_true(t.base:is_same(t.same))
      assert.equals(100, t.row[3]:item())
      assert.equals(100, t.column[2]:item())
      assert.equals(0.1, t.number)
      assert.equals("two words\nand a line", t.text)
      assert.equals("", t.nothing)
      assert.is_true(t.yes)
      assert.is_false(t.no)
      assert.same({ 10, 20, 30 }, t.list)
      assert.same({ 1, 2, { x = "y" } }, t.again.deep)
      assert.is_true(t.again.self == t.again and t.twice == t.again)
      assert.is_nil(t.fn)
      assert.is_nil(t.fn_again)
      assert.equals("the function", t.after)
      assert.equals("seven", t[7])
      assert.equals(0, t.none:numel())
      local linear = t.net.modules[1]
      assert.equals("nn.Sequential", t.net.__typename)
      assert.equals("nn.Linear", linear.__typename)
      assert.is_true(linear.train)
      assert.is_true(files.same(files.six "float64", linear.weight))
      assert.same({ 0.5, -0.5 }, linear.bias:tolist())
    end)
  end

  it("with classes that are stored in a way of their own name them", function()
    raises({ "refused_tds.t7", "tds.Hash" }, load, "refused_tds.t7")
  end)
end)

describe("files of others", function() support.ends_without_live_tensors() end)
