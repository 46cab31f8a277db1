--- Event files: read back record by record with a reader of the spec's own, and by TensorBoard where it is.
local bit = require "bit"
local ffi = require "ffi"
local kiln = require "kiln"
local support = require "spec.support"
local records = require "kiln.utils.tensorboard.records"
local read = require "spec.support.read"
local SummaryWriter = kiln.utils.tensorboard.SummaryWriter

-- -- A reader ----------------------------------------------------------------------------------------

local function number(kind, bytes) return ffi.cast("const " .. kind .. " *", bytes)[0] end

-- CRC-32C bit by bit, for comparison with the table.
local function crc32c(bytes)
  local crc = bit.tobit(0xffffffff)
  for i = 1, #bytes do
    crc = bit.bxor(crc, bytes:byte(i))
    for _ = 1, 8 do
      local low = bit.band(crc, 1)
      crc = bit.rshift(crc, 1)
      if low == 1 then crc = bit.bxor(crc, 0x82f63b78) end
    end
  end
  return bit.bnot(crc)
end

local function masked(bytes)
  return bit.tobit(bit.ror(crc32c(bytes), 15) + 0xa282ead8)
end

local function read_records(path)
  local text, list, at = read(path), {}, 1
  while at <= #text do
    local head = text:sub(at, at + 7)
    local n = tonumber(number("uint64_t", head))
    assert.equal(masked(head), number("int32_t", text:sub(at + 8, at + 11)))
    local body = text:sub(at + 12, at + 11 + n)
    assert.equal(masked(body), number("int32_t", text:sub(at + 12 + n, at + 15 + n)))
    list[#list + 1] = body
    at = at + 16 + n
  end
  assert.equal(#text + 1, at)
  return list
end

local function varint(s, at)
  local v, factor = 0, 1
  while true do
    local b = s:byte(at)
    v, at = v + b % 128 * factor, at + 1
    if b < 128 then return v, at end
    factor = factor * 128
  end
end

-- A message as { [field] = value }; bytes stay bytes.
local function fields(s)
  local t, at = {}, 1
  while at <= #s do
    local key, n
    key, at = varint(s, at)
    local kind, field = key % 8, math.floor(key / 8)
    if kind == 0 then
      t[field], at = varint(s, at)
    elseif kind == 1 then
      t[field], at = number("double", s:sub(at, at + 7)), at + 8
    elseif kind == 5 then
      t[field], at = number("float", s:sub(at, at + 3)), at + 4
    else
      n, at = varint(s, at)
      t[field], at = s:sub(at, at + n - 1), at + n
    end
  end
  return t
end

local function doubles(s)
  local list = {}
  for i = 1, #s, 8 do list[#list + 1] = number("double", s:sub(i, i + 7)) end
  return list
end

-- -- The files -----------------------------------------------------------------------------------------

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  return text, pipe:close()
end

describe("event files", function()
  local folder = lines_of("mktemp -d"):match "%S+"
  local writer, events

  local function write_all()
    writer = SummaryWriter(folder .. "/run/one")
    writer:add_scalar("loss", 0.5, 10)
    writer:add_scalar("loss", kiln.tensor(0.25), 20)
    writer:add_scalars("accuracy", { train = 0.75, test = 0.5 }, 20)
    writer:add_histogram("weights", kiln.tensor { -1, 0, 1, 1, 2 }, 3)
    writer:add_image("picture", kiln.rand(3, 4, 6), 4)
    writer:add_images("pictures", kiln.rand(4, 1, 4, 4), 4)
    writer:add_text("note", "a *text*", 5)
    writer:add_text("bytes \255", "\195\169 \233\0", 6)
    writer:add_graph(kiln.nn.Sequential(kiln.nn.Linear(2, 1)), kiln.ones(3, 2))
    writer:add_pr_curve("found", kiln.tensor { 1, 0, 1, 0 }, kiln.tensor { 1, 0.5, 0.75, 0 },
      { step = 7, num_thresholds = 5 })
    writer:add_audio("beep", kiln.tensor { { 0, 0.5, -2, 1 } }, 8, 8000)
    writer:add_figure("chart", kiln.utils.plot.line({ 1, 2 }, { width = 200, height = 150 }), 9)
    writer:add_hparams({ lr = 0.5, name = "adam", nesterov = true }, { ["final/loss"] = kiln.tensor(0.25) },
      { run_name = "params", step = 3 })
    writer:add_embedding(kiln.tensor { { 1, 2 }, { 3, 4.5 } }, { metadata = { "a\tb", 7 },
      label_img = kiln.ones(2, 3, 4, 5), step = 2, tag = "all/of" })
    writer:add_embedding(kiln.eye(2), { { "x", 1 }, { "y", 2 } }, { header = { "name", "n" } })
    writer:close()
    events = {}
    for i, body in ipairs(read_records(writer.path)) do
      local event = fields(body)
      event.value = event[5] and fields(fields(event[5])[1])
      events[i] = event
    end
  end
  write_all()

  teardown(function() os.execute("rm -rf " .. folder) end)

  it("know CRC-32C", function()
    assert.equal("e3069283", bit.tohex(records.crc32c "123456789"))
    assert.equal("00000000", bit.tohex(records.crc32c ""))
    assert.equal("8a9136aa", bit.tohex(records.crc32c(("\0"):rep(32)))) -- RFC 3720, B.4
  end)

  it("begin with their version", function()
    assert.equal("brain.Event:2", events[1][3])
    assert.is_true(math.abs(events[1][1] - os.time()) < 600)
  end)

  it("hold scalars by tag and step", function()
    assert.equal("loss", events[2].value[1])
    assert.equal(10, events[2][2])
    assert.equal(0.5, events[2].value[2])
    assert.equal(0.25, events[3].value[2])
    assert.equal("accuracy/test", events[4].value[1])
    assert.equal("accuracy/train", events[5].value[1])
  end)

  it("hold histograms", function()
    local h = fields(events[6].value[5])
    assert.same({ -1, 2, 5, 3, 7 }, { h[1], h[2], h[3], h[4], h[5] })
    local limits, counts = doubles(h[6]), doubles(h[7])
    assert.equal(#limits, #counts)
    local total, ones = 0, 0
    for i, n in ipairs(counts) do
      total = total + n
      if i > 1 then assert.is_true(limits[i] > limits[i - 1]) end
      if limits[i] >= 1 and limits[i] < 1.1 then ones = ones + n end
    end
    assert.equal(5, total)
    assert.equal(2, ones)
    assert.is_true(limits[1] >= -1 and limits[#limits] >= 2)
  end)

  it("hold images as PNG, and texts", function()
    local image = fields(events[7].value[4])
    assert.same({ 4, 6, 3 }, { image[1], image[2], image[3] })
    assert.equal("\137PNG", image[4]:sub(1, 4))
    assert.equal("note/text_summary", events[9].value[1])
    assert.equal("a *text*", fields(events[9].value[8])[8])
    assert.equal("text", fields(fields(events[9].value[9])[1])[1])
  end)

  it("hold only UTF-8, without which none of the file could be read", function()
    assert.equal("bytes \239\191\189/text_summary", events[10].value[1])
    assert.equal("\195\169 \239\191\189\0", fields(events[10].value[8])[8])
  end)

  it("hold the graph of a module", function()
    local graph, nodes, at = events[11][4], {}, 1
    while at <= #graph do
      local key, n
      key, at = varint(graph, at)
      n, at = varint(graph, at)
      if key == 10 then
        local node = fields(graph:sub(at, at + n - 1))
        nodes[node[1]] = node[2]
      end
      at = at + n
    end
    assert.equal("Parameter", nodes["0/weight"] or nodes["1/weight"])
    assert.equal("linear", nodes.linear_1)
  end)

  it("hold precision and recall", function()
    local value = events[12].value
    assert.equal("found", value[1])
    assert.equal("pr_curves", fields(fields(value[9])[1])[1])
    assert.equal(5, fields(fields(fields(value[9])[1])[2])[2])
    local rows, list = fields(value[8])[5], {}
    for i = 1, #rows, 4 do list[#list + 1] = number("float", rows:sub(i, i + 3)) end
    -- as torch.utils.tensorboard.summary.compute_curve has it
    assert.same({ 2, 2, 2, 2, 1, 2, 1, 1, 0, 0, 0, 1, 1, 2, 2, 0, 0, 0, 0, 1 }, { unpack(list, 1, 20) })
    assert.same({ 0.5, number("float", ffi.string(ffi.new("float[1]", 2 / 3), 4)), number("float",
      ffi.string(ffi.new("float[1]", 2 / 3), 4)), 1, 1, 1, 1, 1, 1, 0.5 }, { unpack(list, 21) })
  end)

  it("hold sound and figures", function()
    local sound = fields(events[13].value[6])
    assert.same({ 8000, 1, 4, "audio/wav" }, { sound[1], sound[2], sound[3], sound[5] })
    assert.equal("RIFF\44\0\0\0WAVEfmt \16\0\0\0\1\0\1\0\64\31\0\0\128\62\0\0\2\0\16\0data\8\0\0\0"
      .. "\0\0\255\63\1\128\255\127", sound[4])
    local image = fields(events[14].value[4])
    assert.same({ 300, 400, 3 }, { image[1], image[2], image[3] })
    assert.equal("\137PNG", image[4]:sub(1, 4))
  end)

  it("hold hyperparameters, in a run of their own", function()
    local list = {}
    for i, body in ipairs(read_records(lines_of("ls " .. folder .. "/run/one/params/*"):match "%S+")) do
      list[i] = fields(fields(fields(body)[5] or "")[1] or "")
    end
    local function content(value, field) return fields(fields(fields(value[9])[1])[2])[field] end
    assert.equal("_hparams_/experiment", list[2][1])
    assert.equal("nesterov", fields(fields(content(list[2], 2))[4])[1])
    assert.equal("final/loss", fields(fields(fields(content(list[2], 2))[5])[1])[2])
    assert.equal(1, fields(fields(fields(content(list[3], 3))[1])[2])[4])
    assert.equal(1, fields(content(list[4], 4))[1])
    assert.equal(0.25, list[5][2])
  end)

  it("come with the files of embeddings", function()
    local one = folder .. "/run/one/"
    assert.equal("1\t2\n3\t4.5\n", read(one .. "00002/all%2fof/tensors.tsv"))
    assert.equal("a b\n7\n", read(one .. "00002/all%2fof/metadata.tsv"))
    assert.equal("\137PNG", read(one .. "00002/all%2fof/sprite.png"):sub(1, 4))
    assert.equal("name\tn\nx\t1\ny\t2\n", read(one .. "00000/default/metadata.tsv"))
    assert.equal([[
embeddings {
  tensor_name: "all/of:00002"
  tensor_path: "00002/all%2fof/tensors.tsv"
  metadata_path: "00002/all%2fof/metadata.tsv"
  sprite { image_path: "00002/all%2fof/sprite.png" single_image_dim: 5 single_image_dim: 4 }
}
embeddings {
  tensor_name: "default:00000"
  tensor_path: "00000/default/tensors.tsv"
  metadata_path: "00000/default/metadata.tsv"
}
]], read(one .. "projector_config.pbtxt"))
  end)

  it("refuse what they cannot hold", function()
    support.raises({ "SummaryWriter", "it was closed" }, writer.add_scalar, writer, "loss", 1, 1)
    local other = SummaryWriter(folder .. "/other")
    support.raises({ "add_scalar", "value must be a number", "[2]" }, other.add_scalar, other,
      "a", kiln.ones(2), 1)
    support.raises({ "add_scalar", "step must be a whole number" }, other.add_scalar, other, "a", 1, 0.5)
    support.raises({ "add_scalars", "must have names, not the number 1" }, other.add_scalars, other, "a",
      { 1, b = 2 }, 1)
    support.raises({ "add_scalars", "value must be a number", "'x'" }, other.add_scalars, other, "a",
      { a = 1, b = "x" }, 1)
    support.raises({ "add_histogram", "nan" }, other.add_histogram, other, "a", { 1, 0 / 0 }, 1)
    support.raises({ "add_histogram", "empty" }, other.add_histogram, other, "a", kiln.zeros(0), 1)
    support.raises({ "add_image", "[2, 3, 3]" }, other.add_image, other, "a", kiln.zeros(2, 3, 3), 1)
    support.raises({ "add_graph", "an nn.Module" }, other.add_graph, other, 3)
    support.raises({ "add_text", "the number 7" }, other.add_text, other, "a", 7, 1)
    local two = kiln.tensor { 0, 1 }
    for _, row in ipairs {
      { "add_pr_curve", "prediction 2 is 1.5", "a", two, two * 1.5 },
      { "add_pr_curve", "label 1 is 2", "a", two + 2, two },
      { "add_pr_curve", "3 elements, there are 2 labels", "a", two, kiln.ones(3) },
      { "add_pr_curve", "at least 2", "a", two, two, { num_thresholds = 1 } },
      { "add_pr_curve", "weights has 1", "a", two, two, { weights = kiln.ones(1) } },
      { "add_audio", "[2, 2]", "a", kiln.ones(2, 2) }, { "add_audio", "nan", "a", kiln.tensor { 0 / 0 } },
      { "add_figure", "one of kiln.utils.plot", "a", two },
      { "add_hparams", "hparams must be a table", 3, {} },
      { "add_hparams", "'lr' must be a number", { lr = {} }, {} },
      { "add_hparams", "metrics must have names", {}, { 1 } },
      { "add_hparams", "unknown option 'name'", {}, {}, { name = "x" } },
      { "add_embedding", "[2]", two },
      { "add_embedding", "2 labels", kiln.ones(2, 2), { metadata = { "a" } } },
      { "add_embedding", "header", kiln.ones(1, 2), { metadata = { "a" }, header = 3 } },
      { "add_embedding", "list of 2", kiln.ones(1, 2), { metadata = { { "a" } }, header = { "a", "b" } } },
      { "add_embedding", "label_img must be [2", kiln.ones(2, 2), { label_img = kiln.ones(1, 3, 2, 2) } },
      { "add_video", "add_images", "a", two }, { "add_onnx_graph", "add_graph" },
    } do
      support.raises({ row[1], row[2] }, other[row[1]], other, unpack(row, 3))
    end
    support.raises({ "there is no add_scaler", "add_scalar" }, function() other:add_scaler("a", 1) end)
    support.raises("there is no add_thing", function() other:add_thing() end)
    assert.is_nil(other.anything)
    other:close()
    support.raises("it was closed", other.add_embedding, other, kiln.ones(2, 2))
    support.raises("it was closed", other.add_hparams, other, {}, {})
    for _, leave in ipairs { "flush", "close" } do
      local full = records.Records(io.open("/dev/full", "wb"), "/dev/full")
      full:write "bytes"
      support.raises({ "SummaryWriter", "cannot write /dev/full: No space left" }, full[leave], full)
    end
    support.raises({ "SummaryWriter", "cannot write" }, SummaryWriter, "/proc/no/such")
  end)

  local python = os.getenv "KILN_TENSORBOARD_PYTHON" or "python3"
  local there = os.execute(python .. " -c 'import tensorboard' 2>/dev/null") == 0
  local read_by_tensorboard = there and it or pending
  read_by_tensorboard("are read by TensorBoard", function()
    local text = lines_of(python .. " spec/support/read_events.py " .. folder .. "/run")
    assert.equal("loss 10 0.5\nloss 20 0.25\naccuracy/test 20 0.5\naccuracy/train 20 0.75\n"
      .. "weights 3 5.0 5.0\npicture 4 6 x 4\nnote 5 a *text*\n"
      .. "found 7 (6, 5)\nbeep 8 8000.0 audio/wav\nhparams [('lr', 3), ('name', 1), ('nesterov', 2)] "
      .. "['final/loss'] 0.5 adam True 1\ngraph linear_1\n", text)
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
