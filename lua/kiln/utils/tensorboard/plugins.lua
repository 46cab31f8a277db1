--- What TensorBoard shows by its plugins: hyperparameters, precision and recall, sound, figures, embeddings.
-- It refuses what would need a library of its own to encode, such as video, and says what to use.
local ffi = require "ffi"
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local convert = require "kiln.convert"
local png = require "kiln.utils.png"
local proto = require "kiln.utils.protobuf"
local sink = require "kiln.serialization.sink"
local spelling = require "kiln.spelling"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise, got = check.raise, check.got

-- Numbers of fields in summary.proto, tensor.proto, hparams' api.proto and plugin_data.proto.
local VALUE = { audio = 6, tensor = 8, metadata = 9 }
local AUDIO = { sample_rate = 1, channels = 2, frames = 3, encoded = 4, content_type = 5 }
local TENSOR = { dtype = 1, shape = 2, float_value = 5 }
local FLOAT = 1 -- its dtype
local HPARAMS = { experiment = 2, start = 3, stop = 4 }
local EXPERIMENT = { hparam = 4, metric = 5 }
local HPARAM = { name = 1, type = 4 }
local SUCCESS = 1

local function message(field, ...) return proto.bytes(field, table.concat({ ... })) end

local function plugin(name, content)
  return message(VALUE.metadata, message(1, proto.text(1, name), proto.bytes(2, content)))
end

-- The keys of a table of hyperparameters or metrics, in order.
local function names_of(op, what, t)
  if type(t) ~= "table" or check.is_tensor(t) then raise(op, "%s must be a table, not %s", what, got(t)) end
  local names = {}
  for name in pairs(t) do
    if type(name) ~= "string" then raise(op, "%s must have names, not %s", what, got(name)) end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- A hyperparameter's type (of hparams' api.proto) and its value (struct.proto), by its type in Lua.
local KINDS = {
  string = { 1, function(v) return proto.text(3, v) end },
  boolean = { 2, function(v) return proto.int(4, v and 1 or 0) end },
  number = { 3, function(v) return proto.double(2, v) end },
}

-- A float64 tensor on the CPU with as many elements as the others.
local function values_of(op, name, v, like)
  local x = convert.readable(check.tensor(v, op, name):detach():to(kiln.float64):flatten())
  if like and x:numel() ~= like:numel() then
    raise(op, "%s has %d elements, there are %d labels", name, x:numel(), like:numel())
  end
  return x
end

local parse_curve = args.define("add_pr_curve",
  "labels: tensor, predictions: tensor, step: int = 0, num_thresholds: count = 127, weights: tensor?")
local MOST_THRESHOLDS = 127 -- more "breaks protobuf", says PyTorch

-- Rows of true and false positives, true and false negatives, precision and recall for n thresholds.
local function curve(labels, predictions, weights, n)
  local op, hits, misses = "add_pr_curve", {}, {}
  for k = 1, n do hits[k], misses[k] = 0, 0 end
  local label, prediction, weight = labels:data_ptr(), predictions:data_ptr(), weights and weights:data_ptr()
  for i = 0, labels:numel() - 1 do
    local p, l = prediction[i], label[i]
    if not (p >= 0 and p <= 1) then raise(op, "prediction %d is %g, not from 0 to 1", i + 1, p) end
    if l ~= 0 and l ~= 1 then raise(op, "label %d is %g, not 0 or 1", i + 1, l) end
    local into, k = l == 1 and hits or misses, math.floor(p * (n - 1)) + 1
    into[k] = into[k] + (weight and weight[i] or 1)
  end
  for k = n - 1, 1, -1 do
    hits[k], misses[k] = hits[k] + hits[k + 1], misses[k] + misses[k + 1]
  end
  local rows, least = {}, 1e-7
  for k = 1, n do
    local tp, fp = hits[k], misses[k]
    local tn, fn = misses[1] - fp, hits[1] - tp
    local row = { tp, fp, tn, fn, tp / math.max(least, tp + fp), tp / math.max(least, tp + fn) }
    for r, v in ipairs(row) do rows[(r - 1) * n + k] = v end
  end
  return rows
end

local parse_audio = args.define("add_audio", "sound: tensor, step: int = 0, sample_rate: count = 44100")

local function little(v, n)
  local bytes = {}
  for i = 1, n do bytes[i], v = v % 256, math.floor(v / 256) end
  return string.char(unpack(bytes))
end

-- A WAVE file of one channel, 16 bits a sample.
local function wave(samples, rate)
  local data = ffi.string(samples:data_ptr(), samples:numel() * 2)
  return "RIFF" .. little(36 + #data, 4) .. "WAVEfmt " .. little(16, 4) .. little(1, 2) .. little(1, 2)
    .. little(rate, 4) .. little(rate * 2, 4) .. little(2, 2) .. little(16, 2) .. "data" .. little(#data, 4)
    .. data
end

local parse_embedding = args.define("add_embedding",
  "mat: tensor, metadata: any?, label_img: tensor?, step: int = 0, tag: string = default, header: any?")

-- A list of labels (or of lists of them) as lines of columns.
local function labels_text(metadata, header, n)
  local op = "add_embedding"
  if type(metadata) ~= "table" or #metadata ~= n then
    raise(op, "metadata must be a list of %d labels, not %s", n, got(metadata))
  end
  local function row(v)
    if header == nil then v = { v } end
    if type(v) ~= "table" or header and #v ~= #header then
      raise(op, "each of metadata must be a list of %d, as the header is, not %s", #header, got(v))
    end
    local cells = {}
    for i, cell in ipairs(v) do cells[i] = tostring(cell):gsub("[\t\n\r]", " ") end
    return table.concat(cells, "\t")
  end
  local lines = {}
  if header ~= nil then
    local is_list = type(header) == "table" and #header > 0
    if not is_list then raise(op, "header must be a list, not %s", got(header)) end
    lines[1] = row(header)
  end
  for _, label in ipairs(metadata) do lines[#lines + 1] = row(label) end
  return table.concat(lines, "\n") .. "\n"
end

-- The images of points in a square of squares.
local function sprite(images)
  local n, c, h, w = unpack(images.shape)
  local side = math.ceil(math.sqrt(n))
  local all = kiln.zeros({ side * side, c, h, w }, { device = "cpu" })
  all[{ { 1, n } }] = images:detach():cpu():to(all.dtype) / (images.dtype == kiln.uint8 and 255 or 1)
  local square = all:view(side, side, c, h, w):permute(3, 1, 4, 2, 5):reshape(c, side * h, side * w)
  return png.encode_tensor(square)
end

-- A number of a PNG's header.
local function big_endian(bytes, at)
  local a, b, c, d = bytes:byte(at, at + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local function quoted(text) return '"' .. text:gsub('["\\]', "\\%0") .. '"' end

--- Adds the methods to the class.  use: { check_call = , add_value = , as_number = , make_folders = ,
--- image = , wall_time = }, functions of tensorboard.lua.
return function(SummaryWriter, use)
  --- Hyperparameters of a run and what came of it, in a run of its own below the writer's folder.
  ---@param hparams table<string, number|string|boolean>
  ---@param metrics table<string, number|kiln.Tensor>
  ---@param options? { run_name?: string, step?: integer }
  function SummaryWriter:add_hparams(hparams, metrics, options)
    local op = "add_hparams"
    options = check.options(options, { run_name = 1, step = 1 }, op)
    use.check_call(self, op, "hparams", options.step)
    local start, experiment, numbers = {}, {}, {}
    for _, name in ipairs(names_of(op, "hparams", hparams)) do
      local v = hparams[name]
      if check.is_tensor(v) then v = use.as_number(op, v) end
      local kind = KINDS[type(v)]
      if not kind then raise(op, "'%s' must be a number, a string or a boolean, not %s", name, got(v)) end
      start[#start + 1] = message(1, proto.text(1, name), message(2, kind[2](v)))
      experiment[#experiment + 1] = message(EXPERIMENT.hparam, proto.text(HPARAM.name, name),
        proto.int(HPARAM.type, kind[1]))
    end
    local names = names_of(op, "metrics", metrics)
    for _, name in ipairs(names) do
      numbers[name] = use.as_number(op, metrics[name])
      experiment[#experiment + 1] = message(EXPERIMENT.metric, message(1, proto.text(2, name)))
    end
    if options.run_name ~= nil and type(options.run_name) ~= "string" then
      raise(op, "run_name must be a string, not %s", got(options.run_name))
    end
    local run_name = options.run_name or ("%.6f"):format(use.wall_time())
    local run = SummaryWriter(("%s/%s"):format(self.log_dir, run_name))
    local step = options.step or 0
    local function say(tag, field, content)
      use.add_value(run, "_hparams_/" .. tag, step, plugin("hparams", message(field, content)))
    end
    say("experiment", HPARAMS.experiment, table.concat(experiment))
    say("session_start_info", HPARAMS.start, table.concat(start))
    say("session_end_info", HPARAMS.stop, proto.int(1, SUCCESS))
    for _, name in ipairs(names) do run:add_scalar(name, numbers[name], step) end
    run:close()
  end

  --- Precision over recall: labels of 0 and 1, predictions from 0 to 1.
  --- Options: step, num_thresholds (127 at most), weights (one an element).
  ---@param tag string
  ---@param labels kiln.Tensor
  ---@param predictions kiln.Tensor
  function SummaryWriter:add_pr_curve(tag, labels, predictions, ...)
    local op = "add_pr_curve"
    local a = parse_curve(labels, predictions, ...)
    local step = use.check_call(self, op, tag, a.step)
    local n = math.min(a.num_thresholds, MOST_THRESHOLDS)
    if n < 2 then raise(op, "num_thresholds must be at least 2, not %d", n) end
    local l = values_of(op, "labels", a.labels)
    local rows = curve(l, values_of(op, "predictions", a.predictions, l),
      a.weights and values_of(op, "weights", a.weights, l), n)
    local shape = message(2, proto.int(1, 6)) .. message(2, proto.int(1, n))
    use.add_value(self, tag, step, plugin("pr_curves", proto.int(2, n)) .. message(VALUE.tensor,
      proto.int(TENSOR.dtype, FLOAT), message(TENSOR.shape, shape), proto.floats(TENSOR.float_value, rows)))
  end

  --- Sound: samples [n] or [1, n] from -1 to 1; what lies beyond is clipped.
  --- Options: step, sample_rate (44100).
  ---@param tag string
  ---@param sound kiln.Tensor
  function SummaryWriter:add_audio(tag, sound, ...)
    local op = "add_audio"
    local a = parse_audio(sound, ...)
    local step = use.check_call(self, op, tag, a.step)
    local x = values_of(op, "sound", a.sound)
    if a.sound:numel() == 0 or a.sound:numel() ~= a.sound:size(-1) then
      raise(op, "sound must be [n] or [1, n], not %s", tostring(a.sound.shape))
    end
    if x:ne(x):any():item() then raise(op, "sound has samples that are nan") end
    local samples = (x:clamp(-1, 1) * 32767):to(kiln.int16)
    use.add_value(self, tag, step, message(VALUE.audio, proto.float(AUDIO.sample_rate, a.sample_rate),
      proto.int(AUDIO.channels, 1), proto.int(AUDIO.frames, x:numel()),
      proto.bytes(AUDIO.encoded, wave(samples, a.sample_rate)), proto.text(AUDIO.content_type, "audio/wav")))
  end

  --- A figure of kiln.utils.plot, as an image.
  ---@param tag string
  ---@param figure kiln.utils.plot.Figure
  ---@param step? integer
  function SummaryWriter:add_figure(tag, figure, step)
    local op = "add_figure"
    step = use.check_call(self, op, tag, step)
    if not require("kiln.class").is_instance(figure, kiln.utils.plot.Figure) then
      raise(op, "figure must be one of kiln.utils.plot, not %s", got(figure))
    end
    local bytes = figure:png()
    use.add_value(self, tag, step, use.image(bytes, big_endian(bytes, 17), big_endian(bytes, 21), 3))
  end

  --- Points mat [n, d] for the projector, into files beside the writer's.
  --- Options: metadata (a label each; with header a list of labels each), label_img [n, c, h, w], step, tag.
  ---@param mat kiln.Tensor
  function SummaryWriter:add_embedding(mat, ...)
    local op = "add_embedding"
    local a = parse_embedding(mat, ...)
    local step = use.check_call(self, op, a.tag, a.step)
    if not self.records then raise("SummaryWriter", "it was closed") end
    local x = a.mat:detach():cpu():to(kiln.float64)
    if x:dim() ~= 2 or x:numel() == 0 then raise(op, "mat must be [n, d], not %s", tostring(a.mat.shape)) end
    local n, images = x:size(1), a.label_img
    if images and (images:dim() ~= 4 or images:size(1) ~= n or images:numel() == 0) then
      raise(op, "label_img must be [%d, c, h, w], not %s", n, tostring(images.shape))
    end
    local labels = a.metadata ~= nil and labels_text(a.metadata, a.header, n) or nil
    local picture = images and sprite(images)
    local below = ("%05d/%s"):format(step, (a.tag:gsub("[^%w_.-]", function(c)
      return ("%%%02x"):format(c:byte())
    end)))
    use.make_folders(self.log_dir .. "/" .. below)
    local fields = { "tensor_name: " .. quoted(("%s:%05d"):format(a.tag, step)) }
    local function file(field, name, text)
      sink.write(op, ("%s/%s/%s"):format(self.log_dir, below, name), { text })
      fields[#fields + 1] = field .. ": " .. quoted(below .. "/" .. name)
    end
    local lines = {}
    for i, row in ipairs(x:tolist()) do lines[i] = table.concat(row, "\t") end
    file("tensor_path", "tensors.tsv", table.concat(lines, "\n") .. "\n")
    if labels then file("metadata_path", "metadata.tsv", labels) end
    if picture then
      file("sprite { image_path", "sprite.png", picture)
      fields[#fields] = ("%s single_image_dim: %d single_image_dim: %d }"):format(fields[#fields],
        images:size(4), images:size(3))
    end
    self.embeddings = (self.embeddings or "") .. "embeddings {\n  " .. table.concat(fields, "\n  ") .. "\n}\n"
    sink.write(op, self.log_dir .. "/projector_config.pbtxt", { self.embeddings })
  end

  for name, instead in pairs {
    add_video = "kiln encodes no video; use add_images, a frame a step",
    add_mesh = "kiln writes no meshes; use add_embedding for points in space",
    add_tensor = "use add_histogram for the values, kiln.save for the tensor",
    add_onnx_graph = "use add_graph(module, input)",
    add_custom_scalars_marginchart = "use add_scalars: curves whose tag has the same front share a chart",
    add_custom_scalars_multilinechart = "use add_scalars: curves whose tag has the same front share a chart",
    add_custom_scalars = "use add_scalars: curves whose tag has the same front share a chart",
    add_image_with_boxes = "draw the boxes into the tensor and use add_image",
    add_histogram_raw = "use add_histogram(tag, values, step)",
    add_pr_curve_raw = "use add_pr_curve(tag, labels, predictions)",
  } do
    SummaryWriter[name] = function() raise(name, "it is not there: %s", instead) end
  end

  -- Any other name that begins so is a slip.
  getmetatable(SummaryWriter).__index = function(_, name)
    if type(name) ~= "string" or not name:find "^add_" then return Object[name] end
    local names = {}
    for known in pairs(SummaryWriter) do names[#names + 1] = known:match "^add_.*" end
    raise("SummaryWriter", "there is no %s%s", check.one_line(name), spelling.hint(name, names))
  end
end
