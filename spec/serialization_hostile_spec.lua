-- Files that are cut off, damaged or made to do harm: each gives an error that says what is wrong, none a
-- crash, and none takes more memory than its size accounts for.
local kiln = require "kiln"
local files = require "spec.support.files"
local support = require "spec.support"
local raises = support.raises
local loads = kiln.serialization.loads

local function little(v, n)
  local bytes = {}
  for i = 1, n do
    bytes[i] = string.char(v % 256)
    v = math.floor(v / 256)
  end
  return table.concat(bytes)
end

local function bytes_of(name) return files.bytes(files.folder .. name) end

-- Loads bytes; what is raised must be one of kiln's own errors about them.
local function try(bytes, what)
  local ok, why = pcall(loads, bytes)
  if not ok and not tostring(why):find "kiln: loads: the bytes: [^\n]*$" then
    error(("%s: a foreign error: %s"):format(what, tostring(why)), 0)
  end
  return ok
end

local SMALL = { "tensor.pt", "tensor_legacy.pt", "values_legacy.pt", "shared.pt", "deflated.pt", "plain.npy",
  "version3.npy", "dtypes.npz", "dtypes.safetensors", "ascii.t7", "binary64.t7", "binary32.t7" }

describe("files cut off", function()
  for _, name in ipairs(SMALL) do
    it("at every byte: " .. name, function()
      local whole = bytes_of(name)
      files.warned(function()
        for n = 0, #whole - 1 do
          local ok = try(whole:sub(1, n), ("%s cut to %d bytes"):format(name, n))
          -- The end of a .t7 in ascii is white space.
          if ok and not (name == "ascii.t7" and n == #whole - 1) then
            error(("%s cut to %d bytes was loaded"):format(name, n), 0)
          end
        end
      end)
    end)
  end

  it("at some bytes: ours", function()
    local whole = bytes_of "ours.safetensors"
    for n = 0, #whole - 1, 37 do
      assert.is_false(try(whole:sub(1, n), ("ours cut to %d bytes"):format(n)))
    end
  end)
end)

describe("damaged files", function()
  -- A small generator of its own, so that a failure comes again.
  local state = 12345
  local function random(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % n + 1
  end

  local function damaged(whole)
    local bytes = whole
    for _ = 1, random(4) do
      local at, kind = random(#bytes), random(4)
      local new = kind == 1 and string.char(random(256) - 1) or kind == 2 and ("\255"):rep(random(8))
        or kind == 3 and "" or bytes:sub(random(#bytes)):sub(1, random(16))
      bytes = bytes:sub(1, at - 1) .. new .. bytes:sub(at + (kind == 3 and random(8) or math.max(1, #new)))
    end
    return bytes
  end

  it("never do worse than raise an error", function()
    local names = { "ours.safetensors", "trained.pt", "trained_legacy.pt", "values_4.pt", "grad.pt",
      "compressed.npz", unpack(SMALL) }
    local before = kiln.memory().peak_bytes
    files.warned(function()
      for round = 1, 60 do
        for _, name in ipairs(names) do
          try(damaged(bytes_of(name)), ("%s, damaged, round %d"):format(name, round))
        end
      end
    end)
    kiln.collect()
    assert.is_true(kiln.memory().peak_bytes - before < 2 ^ 27, "memory out of proportion")
  end)

  -- By hand, with the address sanitizer: 100,000 of each format (see CONTRIBUTING.md).
  it("at random, in a process of its own: 12,000 loads", function()
    local pipe = io.popen("ulimit -v 6000000; export OMP_NUM_THREADS=2;" -- each thread takes address space
      .. "luajit spec/support/fuzz_files.lua 1 2000 2>&1; echo status $?")
    local text = pipe:read "*a"
    pipe:close()
    local formats = 0
    for loaded, refused, foreign, most in
      text:gmatch ": (%d+) loaded, (%d+) refused, (%d+) in other words, (%d+) bytes a byte\n" do
      formats = formats + 1
      assert.equal("0", foreign, text)
      assert.is_true(tonumber(loaded) > 50 and tonumber(refused) > 500, text)
      assert.is_true(tonumber(most) < 1100, text) -- deflate makes 1032 of one
    end
    assert.equal(6, formats, text)
    assert.truthy(text:find "status 0\n$", text)
  end)

  it("say that a checksum is wrong", function()
    local bytes = bytes_of "tensor.pt"
    local at = bytes:find("\0\0\128?\0\0\0@", 1, true) -- 1 and 2 as float32
    raises({ "tensor/data/0", "checksum" }, loads, bytes:sub(1, at + 2) .. "@" .. bytes:sub(at + 4))
    local deflated = bytes_of "compressed.npz"
    local start = deflated:find("zeros.npy", 1, true)
    raises({ "zeros.npy", "damaged" }, loads, deflated:sub(1, start + 60) .. "\255\255\255"
      .. deflated:sub(start + 64))
  end)
end)

describe("safetensors files that lie", function()
  local function file(header, data) return little(#header, 8) .. header .. (data or "") end

  it("are refused", function()
    local one = '"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
    for _, case in ipairs {
      { little(2 ^ 40, 8) .. "{", "length", "none of the files" },
      { little(2e8, 8) .. "{}", "200000000 bytes" },
      { file "{nonsense}", "not JSON" },
      { file "{\"a\":1}", "'a'", "lacks" },
      { file("{" .. one .. "," .. one .. "}", "1234"), "twice" },
      { file("{" .. one .. "}", "123"), "4 bytes of data, there are 3" },
      { file("{" .. one .. "}", "12345"), "4 bytes of data, there are 5" },
      { file("{" .. one .. ',"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}', "123456"),
        "starts at byte 2" },
      { file("{" .. one .. ',"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}', ("x"):rep(12)),
        "starts at byte 8" },
      { file('{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', "1234"), "size -1" },
      { file('{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,6]}}', "123456"), "size 1.5" },
      { file('{"a":{"dtype":"F32","shape":[1e300],"data_offsets":[0,4]}}', "1234"), "size 1e+300" },
      { file('{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}}', "1234"),
        "more elements" },
      { file('{"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}}', "1234"), "9 dims" },
      { file('{"a":{"dtype":"F32","shape":["x"],"data_offsets":[0,4]}}', "1234"), "size x" },
      { file('{"a":{"dtype":"Q5","shape":[1],"data_offsets":[0,4]}}', "1234"), "Q5" },
      { file('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,5]}}', "1234"), "data_offsets" },
      { file('{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}', "1234"), "data_offsets" },
      { file '{"__metadata__":{"x":1}}', "no string" },
      { file '{"__metadata__":[]}', "__metadata__" },
      { file('{"a":' .. ("["):rep(1000)), "deeper" },
    } do
      local message
      local ok, why = pcall(loads, case[1])
      assert.is_false(ok, case[2])
      message = tostring(why)
      assert.truthy(message:find(case[2], 1, true) or case[3] and message:find(case[3], 1, true),
        message .. " lacks " .. case[2])
    end
  end)

  it("about the value around the tensors", function()
    local json = require "kiln.serialization.json"
    local function described(text, entry)
      return file('{"__metadata__":{"kiln":' .. json.quote(text) .. "}" .. (entry or "") .. "}",
        entry and ("\3"):rep(16) or "")
    end
    local bytes16 = ',"m":{"dtype":"U8","shape":[16],"data_offsets":[0,16]}'
    local function value(root, rest) return '{"version":1,"root":' .. root .. (rest or "") .. "}" end
    for text, why in pairs {
      ["{"] = "damaged", ["[]"] = "damaged", ["{}"] = "another version", ['{"version":2}'] = "format 2",
      [value '{"table":1}'] = "kind table", [value '{"tensor":1}'] = "kind tensor",
      [value '{"run":"os.exit()"}'] = "no known kind", [value '{"int64":"5;os.exit()"}'] = "kind int64",
      [value '{"int64":"123456789012345678901234567890"}'] = "kind int64", [value "[1]"] = "list stands",
      [value '{"table":1,"tensor":1}'] = "no known kind", [value "{}"] = "no known kind",
      [value '{"dtype":"quux"}'] = "kind dtype", [value '{"size":["x"]}'] = "kind size",
      [value '{"text":"none"}'] = "no tensor called 'none'",
      [value('{"table":1}', ',"tables":[5]')] = "not described",
      [value('{"table":1}', ',"tables":[{"list":5}]')] = "not a list",
      [value('{"table":1}', ',"tables":[{"keys":["a"],"values":[]}]')] = "1 keys and 0 values",
      [value('{"table":1}', ',"tables":[{"keys":[{"number":"nan"}],"values":[1]}]')] = "bad key",
      [value('{"table":1}', ',"tables":[{"keys":[null],"values":[1]}]')] = "bad key",
      [value('{"tensor":1}', ',"tensors":[{"entry":"x"}]')] = "no tensor called 'x'",
      [value('{"tensor":1}', ',"tensors":[7]')] = "not described",
    } do
      raises({ "loads", why }, loads, described(text))
    end
    local function view(fields)
      return value('{"tensor":1}', ',"tensors":[{"entry":"m",' .. fields .. "}]")
    end
    for fields, why in pairs {
      ['"offset":0,"shape":[17],"stride":[1]'] = "fit", ['"offset":-1,"shape":[1],"stride":[1]'] = "fit",
      ['"offset":1,"shape":[16],"stride":[1]'] = "fit", ['"offset":0,"shape":[2],"stride":[-1]'] = "negative",
      ['"offset":0,"shape":[2],"stride":[9e15]'] = "fit", ['"offset":0,"shape":[2],"stride":[]'] = "strides",
      ['"offset":"0","shape":[1],"stride":[1]'] = "offset 0",
      ['"offset":0,"shape":[3],"stride":[1],"dtype":"float64"'] = "fit",
      ['"offset":0,"shape":[1],"stride":[1],"dtype":"x"'] = "unknown dtype",
      ['"requires_grad":true'] = "cannot require grad",
      ['"offset":0,"shape":[4194304],"stride":[0],"dtype":"bool"'] = "too large",
    } do
      raises({ "loads", why }, loads, described(view(fields), bytes16))
    end
    -- A bool is 0 or 1, whatever the file has.
    local x = loads(described(view '"offset":0,"shape":[16],"stride":[1],"dtype":"bool"', bytes16))
    assert.equals(16, x:sum():item())
    -- A view of many elements over few bytes takes no memory.
    local before = kiln.memory().live_bytes
    local wide = loads(described(view '"offset":0,"shape":[1000000000],"stride":[0]', bytes16))
    assert.equals(1e9, wide:numel())
    assert.is_true(kiln.memory().live_bytes - before < 1000)
  end)
end)

describe("NumPy files that lie", function()
  local function npy(header, data) return "\147NUMPY\1\0" .. little(#header, 2) .. header .. (data or "") end
  local function with(shape, descr)
    return ("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"):format(descr or "<f4", shape)
  end

  it("are refused", function()
    for _, case in ipairs {
      { npy(with "99999999999999999999,", "1234"), "size" },
      { npy(with "4294967296, 4294967296"), "more elements" },
      { npy(with "1000000000,"), "4000000000 bytes, there are 0" },
      { npy(with "1, 1, 1, 1, 1, 1, 1, 1, 1"), "9 dims" },
      { npy(with("1,", "__import__('os')"), "1234"), "__import__(" },
      { npy(with("1,", "<f3"), "123"), "f3" },
      { npy(with("2,", "<f4"), "12345"), "8 bytes, there are 5" },
      { npy "{}", "header is damaged" },
      { "\147NUMPY\9\0" .. little(0, 8), "version 9" },
      { "\147NUMPY\2\0" .. little(2 ^ 32 - 1, 4), "4294967295 bytes" },
    } do
      raises({ "loads", case[2] }, loads, case[1])
    end
  end)
end)

describe("zip archives that lie", function()
  local zip = require "kiln.serialization.zip"
  local zlib = require "kiln.utils.zlib"
  local sink = require "kiln.serialization.sink"

  local function archive(items)
    local list = {}
    for i, item in ipairs(items) do
      list[i] = { name = item[1], size = #item[2], crc = zlib.crc32(item[2]), chunks = { item[2] } }
    end
    return sink.bytes(zip.chunks(list))
  end
  local array = kiln.from_string("\1\2\3"):numpy()

  -- Changes a field of the entry's head and of the list.
  local function with_field(bytes, at, width, value)
    local list = assert(bytes:find("PK\1\2", 1, true))
    local function put(s, p) return s:sub(1, p - 1) .. little(value, width) .. s:sub(p + width) end
    return put(put(bytes, 1 + at), list + 2 + at)
  end

  it("never touch the disk, whatever their names are", function()
    local t = loads(archive { { "../../escape.npy", array }, { "/etc/kiln.npy", array } })
    assert.same({ 1, 2, 3 }, t["../../escape"]:tolist())
    assert.same({ 1, 2, 3 }, t["/etc/kiln"]:tolist())
    assert.is_nil(io.open "../../escape.npy")
    assert.is_nil(io.open "/etc/kiln.npy")
  end)

  it("are refused", function()
    local good = archive { { "a.npy", array } }
    assert.same({ 1, 2, 3 }, loads(good).a:tolist())
    for what, bytes in pairs {
      ["twice"] = archive { { "a.npy", array }, { "a.npy", array } },
      ["encrypted"] = with_field(good, 6, 2, 1),
      ["method 12"] = with_field(good, 8, 2, 12),
      ["said to have"] = with_field(good, 22, 4, 2 ^ 31),
      ["deflate cannot do"] = with_field(with_field(good, 8, 2, 8), 22, 4, 2 ^ 31),
      ["neither PyTorch's nor NumPy's"] = archive { { "readme.txt", "hello" } },
      ["no end record"] = good .. "x",
      ["missing"] = archive { { "m/data.pkl", "\128\2cctorch\nFloatStorage\n." } } and archive { {
        "m/data.pkl", "\128\2(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0XX\3\0\0\0cpuK\1tQ." } },
    } do
      raises({ "loads", what }, loads, bytes)
    end
  end)

  it("cannot name the same bytes many times", function()
    local entry = archive { { "a.npy", array } }
    local list = entry:find("PK\1\2", 1, true)
    local central = entry:sub(list, entry:find("PK\5\6", 1, true) - 1)
    local many = { entry:sub(1, list - 1), central }
    for i = 2, 50 do many[i + 1] = (central:gsub("a%.npy$", ("%05d"):format(i))) end
    local body = table.concat(many)
    raises({ "loads", "overlaps" }, loads, body .. "PK\5\6" .. little(0, 4) .. little(50, 2):rep(2)
      .. little(#central * 50, 4) .. little(list - 1, 4) .. little(0, 2))
  end)
end)

describe("pickles that lie", function()
  local pytorch = require "kiln.serialization.pytorch"
  local function legacy(pickle) return pytorch.magic .. "\128\2M\233\3.\128\2}." .. pickle .. "\128\2]." end
  local function text(s) return "X" .. little(#s, 4) .. s end
  local function storage(count)
    return "(" .. text "storage" .. "ctorch\nFloatStorage\n" .. text "0" .. text "cpu" .. count .. "tQ"
  end

  it("are refused", function()
    local REBUILD = "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\n"
    assert.equals(5, loads(legacy "\128\2K\5."))
    assert.equals(-9223372036854775807LL - 1, loads(legacy "L-9223372036854775808L\n."))
    assert.equals("\195\191\226\130\172\240\159\152\128\\",
      loads(legacy "V\255\\u20ac\\U0001f600\\u005c\n."))
    for pickle, why in pairs {
      ["\128\9."] = "version 9", ["."] = "stack is empty", ["0."] = "stack is empty", ["t."] = "no mark",
      ["h\7."] = "nothing was remembered", ["\1"] = "unknown opcode", ["K\1K\2a."] = "no list",
      ["]K\1K\2s."] = "no dict", ["}]K\1s."] = "list", ["}NK\1s."] = "None",
      ["}G\255\248\0\0\0\0\0\0K\1s."] = "number",
      ["\138\200" .. ("\1"):rep(200) .. "."] = "200 bytes", ["K\1)R."] = "no function",
      ["ccollections\nOrderedDict\n."] = "as a value", ["(ctorch\nFloatStorage\nt."] = "as a value",
      ["ctorch\nFloatStorage\n)R."] = "out of nothing",
      ["cos\nsystem\n" .. text "ls" .. "\133R."] = "os.system",
      ["c__builtin__\neval\n" .. text "1" .. "\133R."] = "__builtin__.eval",
      ["\149" .. little(2 ^ 40, 8) .. "."] = "frame", ["X" .. little(2 ^ 32 - 1, 4)] = "4294967295 bytes",
      ["\141" .. little(2 ^ 60, 8)] = "a string", ["\143."] = "a set", ["iposix\nsystem\n."] = "old class",
      ["K\1Q."] = "outside itself", ["(I99999999999999999999\nt."] = "integer",
      ["ctorch._utils\n_rebuild_tensor_v2\n(K\1K\1))K\0Ntr"] = "", ["ctorch\nSize\nK\1\133R."] = "no list",
      ["ctorch._utils\n_rebuild_parameter\nK\1\136\134R."] = "without a tensor", ["K\1}b."] = "has none",
      ["c" .. ("x"):rep(5000)] = "too long", ["F1e5e5\n."] = "bad number", ["F0x10\n."] = "bad number",
      ["L9223372036854775808L\n."] = "integer", ["L-9223372036854775809L\n."] = "integer",
      ["V\\U00110000\n."] = "code point", ["g5\n."] = "nothing was remembered",
      ["p0\n."] = "stack is empty",
      ["c__builtin__\nbytes\nK\5\133R."] = "bytes made of", ["S'a'\n."] = "Python 2",
      [REBUILD .. "cos\nsystem\n))tR."] = "os.system",
      [REBUILD .. "ctorch\nTensor\n))tR."] = "a tensor without",
      ["ctorch._tensor\n_rebuild_from_type_v2\n(ctorch\nSize\nctorch\nTensor\n)\133)tR."] = "that is none",
      [REBUILD .. "ccollections\nOrderedDict\n))tR."] = "of no class",
      ["ctorch\nTensor\n)R."] = "out of nothing",
      [storage "J\255\255\255\127" .. "."] = "said to have", [storage "J\255\255\255\255" .. "."] = "size -1",
      [storage "K\0" .. "."] = "is missing",
    } do
      raises({ "loads", "the bytes", why }, loads, legacy(pickle))
    end
  end)

  it("of tensors that reach outside their storage are refused", function()
    local head = "ctorch._utils\n_rebuild_tensor_v2\n(" .. storage "K\6"
    for tail, why in pairs {
      ["K\1K\6\133K\1\133\137}tR."] = "fit", ["K\0K\2\133K\200\133\137}tR."] = "fit",
      ["J\255\255\255\255K\1\133K\1\133\137}tR."] = "fit", ["K\0K\2K\3\134K\1\133\137}tR."] = "2 sizes and 1",
      ["K\0" .. ("K\1"):rep(9) .. "tK\1\133\137}tR."] = "",
    } do
      raises({ "loads", why }, loads, legacy(head .. tail))
    end
  end)

  it("may be deep and refer to themselves", function()
    local deep = loads(legacy("\128\2" .. ("]"):rep(50000) .. ("a"):rep(49999) .. "."))
    for _ = 1, 49999 do deep = deep[1] end
    assert.same({}, deep)
    local loop = loads(legacy "\128\2]q\0h\0a.")
    assert.is_true(loop[1] == loop)
    local deep_tuple = loads(legacy("\128\2)" .. ("\133"):rep(50000) .. "."))
    for _ = 1, 50000 do deep_tuple = deep_tuple[1] end
    assert.same({}, deep_tuple)
    local nothing = loads(legacy("\128\2(" .. ("N"):rep(20000) .. "K\7t."))
    assert.equals(7, nothing[20001])
  end)

  it("take memory in proportion", function()
    for _, code in ipairs { "]", "}", ")", "(", "N", "K\1", "]q\1", "X\0\0\0\0" } do
      collectgarbage()
      local before, n = collectgarbage "count", 2e5
      local bytes = legacy("\128\2" .. code:rep(n / #code) .. "]]]]e")
      local watch = 0
      debug.sethook(function() watch = math.max(watch, collectgarbage "count") end, "", 10000)
      pcall(loads, bytes)
      debug.sethook()
      assert.is_true((watch - before) * 1024 < 200 * n, ("%q takes %d bytes a byte"):format(code,
        (watch - before) * 1024 / n))
    end
  end)

  it("cannot multiply what they hold", function()
    local list = "](" .. ("](K\1K\2e"):rep(500) .. "eq\0"
    local many = list .. "](" .. ("ccollections\nOrderedDict\nh\0\133R"):rep(500) .. "e."
    raises({ "loads", "more items than it has bytes" }, loads, legacy("\128\2" .. many))
  end)
end)

describe("Torch7 files that lie", function()
  it("are refused", function()
    local function int(v) return little(v % 2 ^ 32, 4) end
    for bytes, why in pairs {
      [int(3) .. int(1) .. int(-5)] = "-5 entries", [int(2) .. int(-1)] = "length -1",
      [int(2) .. int(2 ^ 31 - 1)] = "2147483647 bytes", [int(3) .. int(1) .. int(2 ^ 31 - 1)] = "truncated",
      [(int(3) .. int(1) .. int(1)) .. int(9)] = "kind 9",
    } do
      raises({ "loads", why }, loads, bytes)
    end
    local deep = {}
    for i = 1, 3000 do deep[i] = int(3) .. int(i) .. int(1) end
    raises({ "loads", "deeper than 1000" }, loads, table.concat(deep))
    local class = "torch.FloatStorage"
    local storage = int(4) .. int(1) .. int(3) .. "V 1" .. int(#class) .. class
    raises({ "loads", "said to have" }, loads, storage .. little(2 ^ 40, 8))
    raises({ "loads", "-1 elements" }, loads, storage .. ("\255"):rep(8))
    raises({ "loads", "truncated" }, loads, "4\n1\n3\nV 1\n18\ntorch.FloatStorage\n1000000000\n1 2 3\n")
    raises({ "loads", "is 'abc'" }, loads, "1\nabc\n")
  end)
end)

describe("strides that lead backwards", function()
  it("are refused", function()
    local function text(v) return little(#v, 4) .. v end
    local function object(i, class) return little(4, 4) .. little(i, 4) .. text "V 1" .. text(class) end
    local sizes = little(2, 4) .. little(4, 8) .. little(4, 8)
    local strides, offset = little(4, 8) .. ("\255"):rep(8), little(4, 8)
    local tensor = object(1, "torch.FloatTensor") .. sizes .. strides .. offset
      .. object(2, "torch.FloatStorage") .. little(16, 8) .. ("\0"):rep(64)
    raises({ "loads", "stride [4, -1] must not be negative" }, loads, tensor)
  end)
end)

describe("hostile files", function() support.ends_without_live_tensors() end)
