--- One model on several devices, or in several processes.
-- DataParallel splits a batch over devices of this process; DistributedDataParallel also averages gradients
-- over a group of processes.  A device may be named several times, { "cpu", "cpu" } too: the arithmetic is
-- the same, part by part.
local kiln = require "kiln"
local Module = require "kiln.nn.module"
local args = require "kiln.utils.args"
local check = require "kiln.check"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise, got = check.raise, check.got
local M = {}

-- -- Splitting and joining ---------------------------------------------------------------------

local function is_plain(v) return type(v) == "table" and getmetatable(v) == nil end

-- The share of each device, a list: tensors in parts as equal as can be along dim, tables field by field,
-- anything else to all.  The last devices get none when there is too little.
local function scatter(name, v, devices, dim)
  local parts = {}
  if kiln.is_tensor(v) then
    if v:dim() < dim then
      raise(name, "an input of shape %s has no dim %d to split", tostring(v.shape), dim)
    end
    local n, first = v:size(dim), 1
    local share = math.ceil(n / #devices)
    for i, device in ipairs(devices) do
      local size = math.min(share, n - first + 1)
      if size > 0 then parts[i] = v:narrow(dim, first, size):to(device) end
      first = first + math.max(size, 0)
    end
    if n == 0 then parts[1] = v:to(devices[1]) end
  elseif is_plain(v) then
    for key, item in pairs(v) do
      for i, part in pairs(scatter(name, item, devices, dim)) do
        parts[i] = parts[i] or {}
        parts[i][key] = part
      end
    end
    if next(v) == nil then
      for i = 1, #devices do parts[i] = {} end
    end
  else
    for i = 1, #devices do parts[i] = v end
  end
  return parts
end

-- How many devices have work: the fewest parts that any split value has.
local function split_count(v, devices, dim)
  if kiln.is_tensor(v) then
    local n = v:size(dim)
    return n == 0 and 1 or math.ceil(n / math.ceil(n / #devices))
  end
  local count
  for _, item in pairs(is_plain(v) and v or {}) do
    local k = split_count(item, devices, dim)
    if k then count = math.min(count or k, k) end
  end
  return count
end

-- One value of the values that the devices gave: tensors joined along dim (numbers of 0 dims stacked),
-- tables field by field.
local function gather(name, values, device, dim)
  local first = values[1]
  if kiln.is_tensor(first) then
    local parts = {}
    for i, v in ipairs(values) do parts[i] = v:to(device) end
    return first:dim() == 0 and kiln.stack(parts, 1) or kiln.cat(parts, dim)
  end
  if not is_plain(first) then return first end
  local joined = {}
  for key in pairs(first) do
    local field = {}
    for i, v in ipairs(values) do
      if type(v) ~= "table" or v[key] == nil then
        raise(name, "the output of device %d has no field '%s', that of device 1 has", i, tostring(key))
      end
      field[i] = v[key]
    end
    joined[key] = gather(name, field, device, dim)
  end
  return joined
end

-- -- Replicas ----------------------------------------------------------------------------------

local OWN = { _fields = true, _kinds = true, _order = true }

-- A copy of a module whose tensors are those of the original, moved to a device, so that gradients flow
-- back.  What the first replica writes into buffers stays, as they are the original's; the others
-- have copies.
local function replica(module, device, is_first)
  local twin = setmetatable({}, getmetatable(module))
  Module.prepare(twin)
  for key, value in next, module do
    if not OWN[key] then rawset(twin, key, value) end
  end
  for key, value in pairs(module._fields) do
    if not module._kinds[key] then twin._fields[key] = value end
  end
  for _, key in ipairs(module._order) do
    local kind, value = module._kinds[key], module._fields[key]
    twin._order[#twin._order + 1], twin._kinds[key] = key, kind
    if kind == "module" then
      twin._fields[key] = replica(value, device, is_first)
    else
      local moved = value:to(device)
      if kind ~= "parameter" and not is_first then moved = moved:clone() end
      twin._fields[key] = moved
    end
  end
  return twin
end

-- A device by its name, or a CUDA device by its number.
local function device_of(d) return kiln.device(type(d) == "number" and "cuda:" .. d or d) end

local function device_list(ids)
  local devices = {}
  for i, d in ipairs(ids or {}) do
    devices[i] = device_of(d)
  end
  if not ids then
    for i = 1, require("kiln.ffi").C.kiln_device_count() do devices[i] = "cuda:" .. i end
  end
  return devices
end

-- Runs self.module on each device's share of the inputs; returns the joined outputs.
local function run(self, ...)
  local devices, name = self.devices, self.__name
  local n = select("#", ...)
  local inputs, count = {}, nil
  for k = 1, n do
    local v = select(k, ...)
    inputs[k] = scatter(name, v, devices, self.dim)
    local parts = split_count(v, devices, self.dim)
    if parts and count and parts ~= count then
      raise(name, "input %d splits into %d parts along dim %d, others into %d", k, parts, self.dim, count)
    end
    count = parts or count
  end
  local outputs, most = {}, 0
  for i = 1, count or 1 do
    local mine = {}
    for k = 1, n do mine[k] = inputs[k][i] end
    local out = { n = 0 }
    local function keep(...) out = { n = select("#", ...), ... } end
    keep(replica(self.module, devices[i], i == 1)(unpack(mine, 1, n)))
    outputs[i], most = out, math.max(most, out.n)
  end
  local joined = {}
  for k = 1, most do
    local values = {}
    for i, out in ipairs(outputs) do values[i] = out[k] end
    joined[k] = gather(name, values, self.output_device, self.dim)
  end
  return unpack(joined, 1, most)
end

-- -- DataParallel ------------------------------------------------------------------------------

--- Runs a module on several devices, each with a share of the batch; gradients come together.
M.DataParallel = Module:extend "DataParallel"
M.DataParallel.argument_list = "module: module, device_ids: table?, output_device: any?, dim: int = 1"

local parse_parallel = args.define("DataParallel", M.DataParallel.argument_list)

--- device_ids: names of devices ("cuda:1", "cpu") or numbers; without, all CUDA devices.  On a machine
-- without any the module runs as it is.  Inputs and outputs are split and joined along dim.
function M.DataParallel:init(...)
  local a = parse_parallel(...)
  self.module, self.dim = a.module, a.dim
  if a.dim < 1 then raise("DataParallel", "dim must be at least 1, not %d", a.dim) end
  self.devices = device_list(a.device_ids)
  self.output_device = a.output_device and device_of(a.output_device) or self.devices[1]
end

function M.DataParallel:forward(...)
  if #self.devices <= 1 then return self.module(...) end
  return run(self, ...)
end

-- -- DistributedDataParallel -------------------------------------------------------------------

--- Trains copies of a module in several processes (or threads) in step: all start from rank 0's values,
--- and gradients are averaged as they arrive, in the order of the backward pass, which must be the same
--- everywhere.  Buffers are rank 0's at each forward pass in training.
M.DistributedDataParallel = Module:extend "DistributedDataParallel"
M.DistributedDataParallel.argument_list = "module: module, device_ids: table?, output_device: any?, "
  .. "dim: int = 1, broadcast_buffers: bool = true, process_group: table?"

local parse_distributed = args.define("DistributedDataParallel", M.DistributedDataParallel.argument_list)

local GROUP = { "size", "broadcast", "all_reduce" }

--- process_group: size() is the number of processes, broadcast(tensor, 0) writes rank 0's values into the
-- tensor, all_reduce(tensor) writes the sum over all of them.
function M.DistributedDataParallel:init(...)
  local a = parse_distributed(...)
  local group = a.process_group
  if group == nil then
    raise("DistributedDataParallel", "process_group is missing, a table of size(), broadcast(tensor, 0) and "
      .. "all_reduce(tensor) over the processes that train together; kiln starts none itself")
  end
  for _, method in ipairs(GROUP) do
    if type(group[method]) ~= "function" then
      raise("DistributedDataParallel", "process_group.%s must be a function, not %s", method,
        got(group[method]))
    end
  end
  self.module, self.dim, self.broadcast_buffers = a.module, a.dim, a.broadcast_buffers
  self.group = group
  self.devices = a.device_ids and device_list(a.device_ids) or {}
  self.output_device = a.output_device and device_of(a.output_device) or self.devices[1]
  local world = group.size()
  kiln.no_grad(function()
    for _, p in ipairs(self.module:parameters()) do group.broadcast(p.data, 0) end
    for _, b in ipairs(self.module:buffers()) do group.broadcast(b, 0) end
  end)
  for _, p in ipairs(self.module:parameters()) do
    if p.requires_grad then
      p:register_hook(function(g)
        local sum = g:to_dense():detach():clone()
        group.all_reduce(sum)
        return sum / world
      end)
    end
  end
end

function M.DistributedDataParallel:forward(...)
  if self.broadcast_buffers and self.training then
    kiln.no_grad(function()
      for _, b in ipairs(self.module:buffers()) do self.group.broadcast(b, 0) end
    end)
  end
  if #self.devices > 1 then return run(self, ...) end
  return self.module(...)
end

return M
