--- Tensors between devices: copies to several, sums of several, parts to several.
-- Everything here is made of copies that autograd records, so gradients find their way back.
local kiln = require "kiln"
local args = require "kiln.args"
local check = require "kiln.check"
local target = require "kiln.cuda.target"

local M = {}

-- Names of devices, from a list of numbers and names; "cpu" where it may be.
local function names(list, name, argument)
  if type(list) ~= "table" or #list == 0 then
    check.raise(name, "%s must be a list of one device or more, got %s", argument, check.got(list))
  end
  local all = {}
  for i, d in ipairs(list) do all[i] = "cuda:" .. target.code(d, name) end
  return all
end

local function one(device, name)
  if device == "cpu" then return "cpu" end
  return "cuda:" .. target.code(device, name)
end

local function list_of_tensors(list, name, argument)
  if type(list) ~= "table" or #list == 0 then
    check.raise(name, "%s must be a list of one tensor or more, got %s", argument, check.got(list))
  end
  for i, x in ipairs(list) do check.tensor(x, name, ("%s[%d]"):format(argument, i)) end
  return list
end

--- A tensor on each of the devices; where it is already, itself.
---@param x kiln.Tensor
---@param devices (integer|string)[]
---@return kiln.Tensor[]
function M.broadcast(x, devices)
  check.tensor(x, "broadcast", "x")
  local copies = {}
  for i, d in ipairs(names(devices, "broadcast", "devices")) do copies[i] = x:to(d) end
  return copies
end

--- Many tensors on each of the devices, small ones copied together: { { on the first, ... }, ... }.
---@param tensors kiln.Tensor[]
---@param devices (integer|string)[]
---@param buffer_size? integer  bytes that are copied together, 10 MiB when left out
---@return kiln.Tensor[][]
function M.broadcast_coalesced(tensors, devices, buffer_size)
  local name = "broadcast_coalesced"
  list_of_tensors(tensors, name, "tensors")
  local where = names(devices, name, "devices")
  local limit = buffer_size == nil and 10 * 2 ^ 20 or check.int(buffer_size, name, "buffer_size")
  local copies = {}
  for i = 1, #where do copies[i] = {} end
  local bundle, bytes = {}, 0
  local function flush()
    if #bundle == 0 then return end
    local flat = {}
    for k, at in ipairs(bundle) do flat[k] = tensors[at]:reshape({ -1 }) end
    local all = #flat == 1 and flat[1] or kiln.cat(flat, 1)
    for i, d in ipairs(where) do
      local there, first = all:to(d), 1
      for _, at in ipairs(bundle) do
        local x = tensors[at]
        copies[i][at] = x.device == d and x or there:narrow(1, first, x:numel()):view(x:size())
        first = first + x:numel()
      end
    end
    bundle, bytes = {}, 0
  end
  for at, x in ipairs(tensors) do
    local size, last = x:numel() * x:element_size(), tensors[bundle[#bundle]]
    if bytes + size > limit or (last and (last.dtype ~= x.dtype or last.device ~= x.device)) then flush() end
    bundle[#bundle + 1] = at
    bytes = bytes + size
  end
  flush()
  return copies
end

--- The sum of tensors of one shape on several devices, on `destination` (the current device when left out).
---@param inputs kiln.Tensor[]
---@param destination? integer|string
---@return kiln.Tensor
function M.reduce_add(inputs, destination)
  list_of_tensors(inputs, "reduce_add", "inputs")
  local where = one(destination, "reduce_add")
  for i = 2, #inputs do
    if tostring(inputs[i].shape) ~= tostring(inputs[1].shape) then
      check.raise("reduce_add", "inputs[%d] has shape %s, inputs[1] %s", i, check.shape_text(inputs[i]),
        check.shape_text(inputs[1]))
    end
  end
  local sum = inputs[1]:to(where)
  for i = 2, #inputs do sum = sum + inputs[i]:to(where) end
  return sum
end

local function parts_of(x, sizes, n, dim)
  if sizes == nil then return { x:chunk(n, dim) } end
  if type(sizes) ~= "table" then
    check.raise("scatter", "chunk_sizes must be a list of sizes, got %s", check.got(sizes))
  end
  local total = 0
  for i, size in ipairs(sizes) do
    if check.int(size, "scatter", ("chunk_sizes[%d]"):format(i)) < 0 then
      check.raise("scatter", "chunk_sizes[%d] must not be negative, got %d", i, size)
    end
    total = total + size
  end
  if #sizes ~= n or total ~= x:size(dim) then
    check.raise("scatter", "chunk_sizes has %d entries that sum to %d; there are %d devices and %d to share",
      #sizes, total, n, x:size(dim))
  end
  return { x:split(sizes, dim) }
end

--- Parts of a tensor along a dim, one on each device: as equal as can be, or of these sizes.  Takes
--- chunk_sizes, dim (1) and streams (one a device) by position or as options.
---@param x kiln.Tensor
---@param devices (integer|string)[]
---@param chunk_sizes? integer[]|{ chunk_sizes?: integer[], dim?: integer, streams?: kiln.cuda.Stream[] }
---@param dim? integer
---@param streams? kiln.cuda.Stream[]
---@return kiln.Tensor[]
function M.scatter(x, devices, chunk_sizes, dim, streams)
  local name = "scatter"
  check.tensor(x, name, "x")
  local where = names(devices, name, "devices")
  if args.is_options(chunk_sizes) then
    local o = check.options(chunk_sizes, { chunk_sizes = 1, dim = 1, streams = 1 }, name)
    chunk_sizes, dim, streams = o.chunk_sizes, o.dim, o.streams
  end
  if streams ~= nil and type(streams) ~= "table" then
    check.raise(name, "streams must be a list of streams, got %s", check.got(streams))
  end
  dim = check.axis(name, "dim", x, dim == nil and 1 or check.int(dim, name, "dim"))
  local there = {}
  for i, part in ipairs(parts_of(x, chunk_sizes, #where, dim)) do
    local function move() return part:contiguous():to(where[i]) end
    local stream = streams and streams[i]
    there[i] = stream and require("kiln.cuda.stream").stream(stream, move) or move()
  end
  return there
end

--- Tensors of several devices as one, along a dim, on `destination` (the current device when left out).
---@param inputs kiln.Tensor[]
---@param dim? integer|{ dim?: integer, destination?: integer|string }
---@param destination? integer|string
---@return kiln.Tensor
function M.gather(inputs, dim, destination)
  local name = "gather"
  list_of_tensors(inputs, name, "inputs")
  if args.is_options(dim) then
    local o = check.options(dim, { dim = 1, destination = 1 }, name)
    dim, destination = o.dim, o.destination
  end
  local where, parts = one(destination, name), {}
  for i, x in ipairs(inputs) do parts[i] = x:to(where) end
  return kiln.cat(parts, dim == nil and 1 or check.int(dim, name, "dim"))
end

return M
