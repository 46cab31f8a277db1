--- kiln.utils.tensorboard: what a training run wrote down, as files that TensorBoard shows.
--
--   local writer = kiln.utils.tensorboard.SummaryWriter "runs/first"
--   writer:add_scalar("loss/train", loss:item(), step)
--   writer:close()                                      -- $ tensorboard --logdir runs
-- Files are of TensorFlow's version 2 of events.  It refuses to read them.
local ffi = require "ffi"
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local convert = require "kiln.convert"
local png = require "kiln.utils.png"
local proto = require "kiln.utils.protobuf"
local records = require "kiln.utils.tensorboard.records"

ffi.cdef [[
int kiln_mkdir(const char *path, unsigned mode) __asm__("mkdir");
int kiln_gethostname(char *name, size_t n) __asm__("gethostname");
int kiln_getpid(void) __asm__("getpid");
typedef struct kiln_wall_time { int64_t seconds, nanoseconds; } kiln_wall_time;
int kiln_wall_clock(int clock, kiln_wall_time *t) __asm__("clock_gettime");
]]

local raise, got = check.raise, check.got

local M = {}

-- -- Events --------------------------------------------------------------------------------------------

-- Numbers of fields in TensorFlow's event.proto, summary.proto, histogram.proto, tensor.proto.
local EVENT = { wall_time = 1, step = 2, file_version = 3, graph = 4, summary = 5 }
local SUMMARY = { value = 1 }
local VALUE = { tag = 1, simple_value = 2, image = 4, histogram = 5, tensor = 8, metadata = 9 }
local IMAGE = { height = 1, width = 2, colorspace = 3, encoded = 4 }
local HISTOGRAM = { min = 1, max = 2, num = 3, sum = 4, sum_squares = 5, limits = 6, counts = 7 }
local TENSOR = { dtype = 1, shape = 2, string_value = 8 }
local STRING = 7 -- its dtype

local wall = ffi.new "kiln_wall_time"
local function wall_time()
  ffi.C.kiln_wall_clock(0, wall)
  return tonumber(wall.seconds) + tonumber(wall.nanoseconds) * 1e-9
end

local function message(field, ...) return proto.bytes(field, table.concat({ ... })) end

local function make_folders(path)
  local at = 1
  while at do
    at = path:find("/", at + 1, true)
    ffi.C.kiln_mkdir(path:sub(1, (at or #path + 1) - 1), 511) -- rwx for all, less the umask
  end
end

-- -- The writer ---------------------------------------------------------------------------------------------

---@class kiln.utils.tensorboard.SummaryWriter: kiln.Object
---@field log_dir string
local SummaryWriter = Object:extend "SummaryWriter"
M.SummaryWriter = SummaryWriter

local parse_init = args.define("SummaryWriter", "log_dir: string?, filename_suffix: string?")
local opened = 0

--- A writer into a new file of a folder, which is made: runs/DATE_HOST when left out.
---@param log_dir? string
function SummaryWriter:init(...)
  local a = parse_init(...)
  local host = ffi.new "char[256]"
  ffi.C.kiln_gethostname(host, 255)
  local machine = ffi.string(host)
  self.log_dir = a.log_dir or ("runs/%s_%s"):format(os.date "%b%d_%H-%M-%S", machine)
  make_folders(self.log_dir)
  opened = opened + 1
  self.path = ("%s/events.out.tfevents.%d.%s.%d.%d%s"):format(self.log_dir, os.time(), machine,
    ffi.C.kiln_getpid(), opened - 1, a.filename_suffix or "")
  local file, why = io.open(self.path, "wb")
  if not file then raise("SummaryWriter", "cannot write %s", why) end
  self.records = records.Records(file, self.path)
  self.records:write(proto.double(EVENT.wall_time, wall_time())
    .. proto.text(EVENT.file_version, "brain.Event:2"))
  self.records:flush()
end

local function add_value(self, tag, step, value)
  self.records:write(proto.double(EVENT.wall_time, wall_time()) .. proto.int(EVENT.step, step)
    .. message(EVENT.summary, message(SUMMARY.value, proto.text(VALUE.tag, tag), value)))
end

-- The step of a call; a writer that was closed, a tag that is no name are refused.
local function check_call(self, name, tag, step)
  check.self(self, name, "writer", SummaryWriter)
  if not self.records then raise("SummaryWriter", "it was closed") end
  if type(tag) ~= "string" or tag == "" then raise(name, "tag must be a name, not %s", got(tag)) end
  return check.int(step == nil and 0 or step, name, "step")
end

-- A number from one, or from a tensor of one element.
local function as_number(name, v)
  if kiln.is_tensor(v) and v:numel() == 1 then v = v:item() end
  if type(v) == "boolean" then v = v and 1 or 0 end
  return check.number(v, name, "value")
end

--- One number: a point of the curve `tag`.
---@param tag string  "loss/train": what stands before the slash groups curves
---@param value number|kiln.Tensor
---@param step? integer
function SummaryWriter:add_scalar(tag, value, step)
  step = check_call(self, "add_scalar", tag, step)
  add_value(self, tag, step, proto.float(VALUE.simple_value, as_number("add_scalar", value)))
end

--- Several numbers: curves `tag/name`.
---@param tag string
---@param values table<string, number|kiln.Tensor>
---@param step? integer
function SummaryWriter:add_scalars(tag, values, step)
  check_call(self, "add_scalars", tag, step)
  if type(values) ~= "table" then raise("add_scalars", "values must be a table, not %s", got(values)) end
  local names, numbers = {}, {}
  for name, v in pairs(values) do
    if type(name) ~= "string" then raise("add_scalars", "values must have names, not %s", got(name)) end
    names[#names + 1], numbers[name] = name, as_number("add_scalars", v)
  end
  table.sort(names)
  for _, name in ipairs(names) do self:add_scalar(tag .. "/" .. name, numbers[name], step) end
end
jit.off(SummaryWriter.add_scalars)

-- Buckets whose limits grow by a tenth from 1e-12, for both signs: limit k is LEAST * GROWTH ^ k.
local LEAST, GROWTH, BUCKETS = 1e-12, 1.1, 774

local function bucket(v)
  local a = math.abs(v)
  local k = a <= LEAST and 0 or math.min(BUCKETS, math.ceil(math.log(a / LEAST) / math.log(GROWTH)))
  return v < 0 and -k or k
end

-- The upper limit of a bucket: those of negative values end nearer to zero.
local function limit(k)
  if k < 0 then return -LEAST * GROWTH ^ (-k - 1) end
  return LEAST * GROWTH ^ k
end

--- How values are spread: a row of the histogram `tag`.
---@param tag string
---@param values kiln.Tensor|number[]
---@param step? integer
function SummaryWriter:add_histogram(tag, values, step)
  step = check_call(self, "add_histogram", tag, step)
  local x = kiln.is_tensor(values) and values or kiln.tensor(values, { dtype = kiln.float64 })
  x = convert.readable(x:detach():to(kiln.float64))
  local n = x:numel()
  if n == 0 then raise("add_histogram", "values are empty") end
  local p, low, high, sum, squares = x:data_ptr(), math.huge, -math.huge, 0, 0
  local counts, first, last = {}, BUCKETS, -BUCKETS
  for i = 0, n - 1 do
    local v = p[i]
    if v - v ~= 0 then raise("add_histogram", "value %d is %s; only finite values have a place", i + 1, v) end
    local k = bucket(v)
    counts[k] = (counts[k] or 0) + 1
    first, last = math.min(first, k), math.max(last, k)
    low, high, sum, squares = math.min(low, v), math.max(high, v), sum + v, squares + v * v
  end
  local limits, list = {}, {}
  for k = first, last do
    limits[#limits + 1], list[#list + 1] = limit(k), counts[k] or 0
  end
  add_value(self, tag, step, message(VALUE.histogram, proto.double(HISTOGRAM.min, low),
    proto.double(HISTOGRAM.max, high), proto.double(HISTOGRAM.num, n), proto.double(HISTOGRAM.sum, sum),
    proto.double(HISTOGRAM.sum_squares, squares), proto.doubles(HISTOGRAM.limits, limits),
    proto.doubles(HISTOGRAM.counts, list)))
end

local function image_value(bytes, width, height, channels)
  return message(VALUE.image, proto.int(IMAGE.height, height), proto.int(IMAGE.width, width),
    proto.int(IMAGE.colorspace, channels), proto.bytes(IMAGE.encoded, bytes))
end

--- An image [h, w], or [c, h, w] with c of 1, 3 or 4; floating values from 0 (black) to 1.
---@param tag string
---@param image kiln.Tensor
---@param step? integer
function SummaryWriter:add_image(tag, image, step)
  step = check_call(self, "add_image", tag, step)
  local x = check.tensor(image, "add_image", "image")
  if x:dim() == 2 then x = x:unsqueeze(1) end
  local c = x:dim() == 3 and x:numel() > 0 and x:size(1)
  if c ~= 1 and c ~= 3 and c ~= 4 then
    raise("add_image", "image must be [h, w] or [c, h, w] with 1, 3 or 4 channels, not %s",
      tostring(image.shape))
  end
  add_value(self, tag, step, image_value(png.encode_tensor(x), x:size(3), x:size(2), c))
end

--- Images [n, c, h, w] as a grid.
---@param tag string
---@param images kiln.Tensor
---@param step? integer
function SummaryWriter:add_images(tag, images, step)
  check.self(self, "add_images", "writer", SummaryWriter)
  self:add_image(tag, kiln.vision.make_grid(images), step)
end

--- A text; TensorBoard shows it as Markdown.
---@param tag string
---@param text string
---@param step? integer
function SummaryWriter:add_text(tag, text, step)
  step = check_call(self, "add_text", tag, step)
  if type(text) ~= "string" then raise("add_text", "text must be a string, not %s", got(text)) end
  local plugin = message(VALUE.metadata, message(1, proto.text(1, "text")))
  local one = message(2, proto.int(1, 1)) -- a dim of size 1
  add_value(self, tag .. "/text_summary", step, plugin .. message(VALUE.tensor,
    proto.int(TENSOR.dtype, STRING), message(TENSOR.shape, one), proto.text(TENSOR.string_value, text)))
end

-- Numbers of fields in graph.proto, node_def.proto and versions.proto.
local GRAPH = { node = 1, versions = 4 }
local NODE = { name = 1, op = 2, input = 3 }
local PRODUCER = 22 -- the version that TensorBoard expects of a graph at least

--- The ops that a module ran for an input, and its parameters by name, as far as gradients flow through them.
---@param module kiln.nn.Module
---@param ... any  the inputs of the module
function SummaryWriter:add_graph(module, ...)
  check_call(self, "add_graph", "graph")
  if not Object.is_instance(module, kiln.nn.Module) then
    raise("add_graph", "module must be an nn.Module, not %s", got(module))
  end
  local graph = kiln.autograd.graph
  local output = kiln.enable_grad(module, ...)
  if not kiln.is_tensor(output) or output.grad_fn == nil then
    raise("add_graph", "the module must return a tensor that was recorded, not %s", got(output))
  end
  local names = {}
  for name, p in module:named_parameters() do names[graph.key(p)] = name:gsub("%.", "/") end
  local nodes, parts = graph.nodes(output), {}
  for _, n in ipairs(nodes) do
    n.label = n.leaf and (names[n.leaf] or "input_" .. n.id) or n.name .. "_" .. n.id
  end
  for i, n in ipairs(nodes) do
    local fields = { proto.text(NODE.name, n.label), proto.text(NODE.op, n.leaf and "Parameter" or n.name) }
    for _, id in ipairs(n.inputs) do
      if id then fields[#fields + 1] = proto.text(NODE.input, nodes[id].label) end
    end
    parts[i] = message(GRAPH.node, unpack(fields))
  end
  parts[#parts + 1] = message(GRAPH.versions, proto.int(1, PRODUCER))
  self.records:write(proto.double(EVENT.wall_time, wall_time())
    .. proto.bytes(EVENT.graph, table.concat(parts)))
end

require "kiln.utils.tensorboard.plugins"(SummaryWriter, { check_call = check_call, add_value = add_value,
  as_number = as_number, make_folders = make_folders, image = image_value, wall_time = wall_time })

--- The folder of the file.
---@return string
function SummaryWriter:get_logdir()
  check.self(self, "get_logdir", "writer", SummaryWriter)
  return self.log_dir
end

--- Writes what is still in memory to the file.
function SummaryWriter:flush()
  check.self(self, "flush", "writer", SummaryWriter)
  if self.records then self.records:flush() end
end

--- Ends the file; adding more is an error.
function SummaryWriter:close()
  check.self(self, "close", "writer", SummaryWriter)
  local open = self.records
  self.records = nil
  if open then open:close() end
end

function SummaryWriter:__tostring() return ("SummaryWriter(%s)"):format(self.log_dir) end

return M
