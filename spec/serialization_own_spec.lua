-- kiln.save and kiln.load: what comes back, what is refused, and what happens to the file.
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local files = require "spec.support.files"
local support = require "spec.support"
local raises = support.raises

local folder

local function path(name) return folder .. "/" .. (name or "x.kiln") end

local function round(value)
  kiln.save(value, path())
  return kiln.load(path())
end

local function listing()
  local names = {}
  local p = assert(io.popen("ls -A '" .. folder .. "'"))
  for name in p:lines() do names[#names + 1] = name end
  p:close()
  return table.concat(names, " ")
end

local function in_a_folder()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir '" .. folder .. "'") == 0)
  end)
  after_each(function() os.execute("rm -rf '" .. folder .. "'") end)
end

describe("kiln.save and kiln.load", function()
  in_a_folder()

  it("return every kind of value as it was", function()
    local v = files.everything()
    local w = round(v)
    for _, name in ipairs(files.dtypes) do
      assert.is_true(files.same(v.dtypes[name], w.dtypes[name]), name)
    end
    for _, name in ipairs { "base", "row", "column", "transposed", "one", "none", "scalar", "leaf",
      "parameter" } do
      assert.is_true(files.same(v[name], w[name]), name)
    end
    for _, name in ipairs { "number", "whole", "least", "huge", "tiny", "big", "negative", "unsigned", "text",
      "bytes", "long", "empty_text", "yes", "no", "dtype", 1, -7, 1.5, true, 2 ^ 60 } do
      assert.equals(v[name], w[name], tostring(name))
      assert.equals(type(v[name]), type(w[name]))
    end
    assert.equals("int64_t", tostring(require("ffi").typeof(w.big)):match "int64_t")
    assert.equals("uint64_t", tostring(require("ffi").typeof(w.unsigned)):match "uint64_t")
    assert.equals(-math.huge, 1 / w.minus_zero)
    assert.is_true(w.nan ~= w.nan)
    assert.is_true(v.shape == w.shape)
    assert.same({ 1, { 2, { 3 } }, "end" }, w.list)
    assert.same({}, w.empty)
    assert.is_true(w.loop.self == w.loop and w.twice == w.loop)
    local keys = 0
    for key in pairs(v) do
      assert.is_not_nil(w[key], tostring(key))
      keys = keys + 1
    end
    for _ in pairs(w) do keys = keys - 1 end
    assert.equals(0, keys)
  end)

  it("keep memory shared", function()
    local w = round(files.everything())
    assert.is_true(w.base:is_same(w.again))
    w.base[2][3] = 100
    assert.equals(100, w.row[3]:item())
    assert.equals(100, w.column[2]:item())
    assert.equals(100, w.transposed[3][2]:item())
    w.one[1][1] = 5
    assert.equals(5, w.one[1000][1000]:item())
    assert.equals(1, w.one:storage():size())
  end)

  it("keep views shared whose whole is not saved, also of other dtypes", function()
    local x = kiln.arange(0, 10, { dtype = kiln.int32 })
    local w = round { a = x[{ { 2, 6 } }], b = x[{ { 4, 9 } }] }
    assert.equals(8, w.a:storage():size())
    w.b[1] = 77
    assert.equals(77, w.a[3]:item())
    assert.same({ 77, 4, 5, 6, 7, 8 }, w.b:tolist())
  end)

  it("write what a view shows, not the memory behind it", function()
    local x = kiln.zeros(1000, 1000)
    kiln.save(x[{ {}, 1 }], path())
    assert.is_true(#files.bytes(path()) < 5000)
    kiln.save(kiln.ones(1):expand(1e6), path())
    assert.is_true(#files.bytes(path()) < 1000)
  end)

  it("keep what requires grad, and parameters", function()
    local w = round(files.everything())
    assert.is_true(w.leaf.requires_grad and w.leaf.is_leaf)
    assert.is_false(nn.Parameter.is(w.leaf))
    assert.is_true(nn.Parameter.is(w.parameter) and w.parameter.requires_grad)
    local frozen = round(files.six "float32")
    assert.is_false(frozen.requires_grad)
    local x = kiln.ones(2, { requires_grad = true })
    local computed = round(x * 2)
    assert.is_true(computed.is_leaf)
    assert.same({ 2, 2 }, computed:tolist())
  end)

  it("take a training run apart and go on to the bit", function()
    local function step(net, optimizer)
      optimizer:zero_grad()
      net(kiln.ones(4, 3)):pow(2):sum():backward()
      optimizer:step()
    end
    local function make()
      local net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
      return net, optim.Adam(net:parameters(), { lr = 0.01 })
    end
    local net, optimizer = make()
    for _ = 1, 3 do step(net, optimizer) end
    kiln.save({ model = net:state_dict(), optimizer = optimizer:state_dict(), epoch = 3 }, path())
    local other, other_optimizer = make()
    local saved = kiln.load(path())
    other:load_state_dict(saved.model)
    other_optimizer:load_state_dict(saved.optimizer)
    assert.equals(3, saved.epoch)
    step(net, optimizer)
    step(other, other_optimizer)
    for name, x in pairs(net:state_dict()) do
      assert.is_true(files.same(x, other:state_dict()[name]), name)
    end
  end)

  it("take single values and nil", function()
    for _, v in ipairs { 5, "x", false, {}, 5LL } do assert.same(v, round(v)) end
    assert.is_nil(round(nil))
    assert.equals(3, round(kiln.tensor(3)):item())
  end)

  it("take deep tables and lists with holes", function()
    local deep = {}
    local at = deep
    for _ = 1, 5000 do
      at.x = {}
      at = at.x
    end
    at.x = "bottom"
    at = round(deep)
    for _ = 1, 5000 do at = at.x end
    assert.equals("bottom", at.x)
    local holes = { 1, nil, 3, nil, 5 }
    local back = round(holes)
    for i = 1, 5 do assert.equals(holes[i], back[i]) end
  end)

  it("take many tensors and long sizes", function()
    local many, dims = {}, {}
    for i = 1, 9000 do many[i] = kiln.zeros(1) end
    for i = 1, 9000 do dims[i] = i end
    local back = round { many = many, dims = require("kiln.size").new(dims) }
    assert.equals(9000, #back.many)
    assert.equals(9000, back.dims[9000])
  end)

  it("give the same bytes for the same value", function()
    local dumps = kiln.serialization.dumps
    assert.is_true(dumps(files.everything()) == dumps(files.everything()))
  end)

  it("give the bytes that other libraries were seen to read", function()
    for name, bytes in pairs(files.ours()) do
      assert.is_true(bytes == files.bytes(files.folder .. name),
        name .. " differs; if that is meant: luajit spec/golden/files.lua, then files.py --check")
    end
  end)

  it("read files whose names say something else", function()
    kiln.save({ x = 1 }, path "x.pt")
    assert.equals(1, kiln.load(path "x.pt").x)
  end)

  it("name entries after the way to them", function()
    kiln.save({ model = { ["conv.weight"] = kiln.ones(2) }, model2 = { kiln.zeros(1) }, ["model.conv"] = {
      weight = kiln.ones(3) }, ["__metadata__"] = kiln.ones(4) }, path())
    local tensors, metadata = kiln.serialization.load_safetensors(path())
    local names = {}
    for name in pairs(tensors) do names[#names + 1] = name end
    table.sort(names)
    assert.same({ "__metadata__#2", "model.conv.weight", "model.conv.weight#2", "model2.1" }, names)
    assert.is_string(metadata.kiln)
    local back = kiln.load(path())
    assert.equals(2, #back.model["conv.weight"])
    assert.equals(3, #back["model.conv"].weight)
    assert.equals(4, #back.__metadata__)
  end)

  it("put tensors on the device asked for", function()
    kiln.save({ x = files.six "float32" }, path())
    assert.equals("cpu", kiln.load(path(), { device = "cpu" }).x.device)
    assert.equals("cpu", kiln.load(path(), { map_location = "cpu" }).x.device)
    raises({ "load", "device", "'gpu'" }, kiln.load, path(), { device = "gpu" })
    raises({ "load", "unknown option 'devise'" }, kiln.load, path(), { devise = "cpu" })
  end)
end)

describe("kiln.save refuses", function()
  in_a_folder()

  it("what is no value, and says where it stands", function()
    local function refuse(parts, v)
      raises(parts, kiln.save, v, path())
      assert.equals("", listing())
    end
    refuse({ "save", "'a.b.3'", "a function" }, { a = { b = { 1, 2, print } } })
    refuse({ "save", "the value", "a userdata" }, newproxy())
    refuse({ "save", "'t'", "thread" }, { t = coroutine.create(print) })
    refuse({ "save", "'p'", "cdata" }, { p = require("ffi").new "int[3]" })
    refuse({ "save", "'net'", "Linear", "state_dict()" }, { net = nn.Linear(2, 2) })
    refuse({ "save", "'o'", "SGD", "state_dict()" }, { o = optim.SGD({ nn.Parameter(kiln.ones(1)) },
      { lr = 1 }) })
    refuse({ "save", "'m'", "only plain tables" }, { m = setmetatable({}, {}) })
    refuse({ "save", "'s'", "Storage" }, { s = kiln.ones(2):storage() })
    refuse({ "save", "a key of the value", "a tensor float32 [2]" }, { [kiln.ones(2)] = 1 })
    refuse({ "save", "a key of the value at 'k'", "a table" }, { k = { [{}] = 1 } })
    local freed = kiln.ones(2)
    freed:free()
    refuse({ "save", "freed" }, { x = freed })
  end)

  it("paths that name no file", function()
    raises({ "save", "path", "nil" }, kiln.save, 1)
    raises({ "save", "path" }, kiln.save, 1, "")
    raises({ "save", "path", "got a table", "save(value, path)" }, kiln.save, path "x", {})
    raises({ "save", "zero byte" }, kiln.save, 1, "a\0b")
    raises({ "save", "directory" }, kiln.save, 1, folder)
    raises({ "save", "not a regular file" }, kiln.save, 1, "/dev/null")
    raises({ "save", "No such file" }, kiln.save, 1, path "no/such/folder")
    raises({ "load", "No such file" }, kiln.load, path "none")
    raises({ "load", "it is a directory" }, kiln.load, folder)
    raises({ "load", "not a regular file" }, kiln.load, "/dev/null")
    assert(os.execute(("mkfifo '%s'"):format(path "fifo")) == 0) -- opening it would wait for a writer
    raises({ "load", "not a regular file" }, kiln.load, path "fifo")
    raises({ "TextDataset", "not a regular file" }, kiln.utils.data.TextDataset.from_file, path "fifo", 2)
    local _, why = require("kiln.utils.zlib").open(path "fifo")
    assert.equals("it is not a regular file", why)
    raises({ "load", "zero byte" }, kiln.load, "a\0b")
    raises({ "load", "path", "a table" }, kiln.load, {})
    raises({ "load", "it is empty" }, function()
      files.write(path(), "")
      kiln.load(path())
    end)
    raises({ "load", "none of the files" }, function()
      files.write(path(), "hello world, this is text")
      kiln.load(path())
    end)
  end)

  it("a header larger than the format's own library reads", function()
    local chunks, why = require("kiln.serialization.safetensors").chunks({}, { kiln = ("x"):rep(1e8 + 1) })
    assert.is_nil(chunks)
    assert.truthy(why:find("100000001 bytes", 1, true))
    assert.truthy(why:find("keep data in tensors", 1, true))
  end)

  it("nothing about long strings, which go to the body", function()
    local many = {}
    for i = 1, 100 do many[i] = ("x"):rep(1e5) .. i end
    kiln.save(many, path())
    assert.equals(many[100], kiln.load(path())[100])
  end)

  it("tensors by bad names, and metadata that is no text", function()
    local save = kiln.serialization.save_safetensors
    raises({ "save_safetensors", "by name" }, save, kiln.ones(1), path())
    raises({ "save_safetensors", "UTF-8", "the number 1" }, save, { kiln.ones(1) }, path())
    raises({ "save_safetensors", "__metadata__" }, save, { __metadata__ = kiln.ones(1) }, path())
    raises({ "save_safetensors", "'x'", "the number 5" }, save, { x = 5 }, path())
    raises({ "save_safetensors", "metadata", "the number 5" }, save, {}, path(), { a = 5 })
    raises({ "numpy", "requires grad", "detach" }, function()
      return kiln.ones(1, { requires_grad = true }):numpy()
    end)
    raises({ "numpy", "bfloat16" }, function() return kiln.ones(1, { dtype = kiln.bfloat16 }):numpy() end)
    raises({ "save", "npz", "tensors by name" }, kiln.save, { a = 5 }, path "x.npz")
    raises({ "save", "npz", "the number 1 is no name" }, kiln.save, { kiln.ones(1) }, path "x.npz")
    raises({ "save", "npz", "a tensor" }, kiln.save, kiln.ones(1), path "x.npz")
    raises({ "save", "the value must be a tensor" }, kiln.save, {}, path "x.npy")
  end)
end)

describe("a file that is saved", function()
  in_a_folder()

  it("replaces the old one whole, leaves nothing else, and keeps its permissions", function()
    kiln.save("old", path())
    assert(os.execute("chmod 640 '" .. path() .. "'") == 0)
    kiln.save("new", path())
    assert.equals("new", kiln.load(path()))
    assert.equals("x.kiln", listing())
    local p = assert(io.popen("stat -c %a '" .. path() .. "'"))
    assert.equals("640\n", p:read "*a")
    p:close()
  end)

  it("stays as it was when the new value cannot be saved", function()
    kiln.save("old", path())
    assert.is_false(pcall(kiln.save, { print }, path()))
    assert.equals("old", kiln.load(path()))
    assert.equals("x.kiln", listing())
  end)

  it("stays as it was when the disk is full", function()
    kiln.save("old", path())
    files.write(path "limited.lua", [[
      local kiln = require "kiln"
      local ffi = require "ffi"
      ffi.cdef "int setrlimit(int what, const uint64_t *limit); void (*signal(int n, void (*f)(int)))(int);"
      ffi.C.signal(25, ffi.cast("void (*)(int)", 1)) -- SIGXFSZ is ignored: writing fails
      local x = kiln.zeros(100000)
      ffi.C.setrlimit(1, ffi.new("uint64_t[2]", { 4096, 4096 }))
      local ok, why = pcall(kiln.save, x, arg[1])
      io.stdout:write(tostring(ok), " ", why)
    ]])
    local p = assert(io.popen(("luajit '%s' '%s' 2>&1"):format(path "limited.lua", path())))
    local said = p:read "*a"
    p:close()
    assert.truthy(said:find("false", 1, true), said)
    assert.truthy(said:find("cannot write", 1, true) and said:find("File too large", 1, true), said)
    assert.equals("old", kiln.load(path()))
    assert.equals("limited.lua x.kiln", listing())
  end)

  it("stays as it was when the disk is full for compiled code", function()
    files.write(path "limited.lua", [[
      local kiln = require "kiln"
      local ffi = require "ffi"
      ffi.cdef "int setrlimit(int what, const uint64_t *limit); void (*signal(int n, void (*f)(int)))(int);"
      ffi.C.signal(25, ffi.cast("void (*)(int)", 1))
      ffi.C.setrlimit(1, ffi.new("uint64_t[2]", { 4096, 4096 }))
      local sink = require "kiln.serialization.sink"
      local wrong = 0
      for n = 1, 200 do
        sink.write("save", arg[1], { "old" })
        if pcall(sink.write, "save", arg[1], { ("x"):rep(4000 + n) }) ~= (n <= 96) then wrong = wrong + 1 end
      end
      print(wrong)
    ]])
    local command = ("luajit -Ohotloop=5 -Ohotexit=2 '%s' '%s' 2>&1"):format(path "limited.lua", path())
    local p = assert(io.popen(command))
    local said = p:read "*a"
    p:close()
    assert.equals("0\n", said)
  end)

  it("is written through a link", function()
    kiln.save("old", path "target")
    assert(os.execute(("ln -s target '%s'"):format(path "link")) == 0)
    kiln.save("new", path "link")
    assert.equals("new", kiln.load(path "target"))
    assert(os.execute(("test -L '%s'"):format(path "link")) == 0)
  end)

  it("is written through a link to nothing", function()
    assert(os.execute(("mkdir '%s' && ln -s sub/far '%s' && ln -s ../made '%s'"):format(path "sub",
      path "near", path "sub/far")) == 0)
    kiln.save("new", path "near")
    assert.equals("new", kiln.load(path "made"))
    assert(os.execute(("test -L '%s' && test -L '%s'"):format(path "near", path "sub/far")) == 0)
    assert(os.execute(("ln -s b '%s' && ln -s a '%s'"):format(path "a", path "b")) == 0)
    raises({ "save", "cannot write", "circle" }, kiln.save, 1, path "a")
    assert(os.execute(("test -L '%s'"):format(path "a")) == 0)
  end)
end)

describe("json", function()
  local json = require "kiln.serialization.json"

  it("reads what RFC 8259 allows", function()
    local v = json.decode ' { "a" : [1, -2.5e3, true, false, null, "\\u00e9\\ud83d\\ude00\\n\\/" ], "":{} } '
    assert.equals(-2500, v.a[2])
    assert.equals(json.null, v.a[5])
    assert.equals("é😀\n/", v.a[6])
    assert.is_true(json.is_array(v.a) and json.is_object(v[""]) and not json.is_object(v.a))
    assert.equals(-math.huge, 1 / json.decode "-0")
  end)

  it("refuses everything else and says where", function()
    for text, why in pairs {
      [""] = "end", ["[1,]"] = "no value at byte 4", ["{'a':1}"] = "no key", ['{"a":1,"a":2}'] = "twice",
      ["01"] = "bad number", ["1."] = "more text", ["[1 2]"] = "','", ['"\1"'] = "control character",
      ['"\\x"'] = "bad escape", ['"\\ud800"'] = "surrogate", ['"\\udc00"'] = "surrogate", ['"abc'] = "end",
      ["\"\255\""] = "UTF-8", ["\"\237\160\128\""] = "UTF-8", ["\"\192\128\""] = "UTF-8",
      ["tru"] = "no value",
      ["1 1"] = "more text", ['{"a" 1}'] = "':'", ["nan"] = "no value", ["[" ] = "end",
      [("["):rep(100)] = "deeper than 64",
    } do
      local v, message = json.decode(text)
      assert.is_nil(v, text)
      assert.truthy(message:find(why, 1, true), ("%q: %s"):format(text, message))
    end
  end)

  it("writes what it reads", function()
    local text = '{"a":[1,0.10000000000000001,"\\u0001\\"\\\\é",true,null],"b":{},"c":[]}'
    assert.equals(text, json.encode(json.decode(text)))
  end)
end)

describe("files", function() support.ends_without_live_tensors() end)
