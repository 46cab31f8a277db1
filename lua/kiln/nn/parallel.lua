--- One model on several devices, or in several processes.
-- DataParallel splits a batch over devices of this process; DistributedDataParallel averages gradients over
-- the processes of kiln.distributed.
local kiln = require "kiln"
local Module = require "kiln.nn.module"
local args = require "kiln.utils.args"
local raise = require("kiln.check").raise

local M = {}

-- A copy of a module whose parameters are those of the original, moved to a device: gradients flow
-- back.
local function replica(module, device)
  local twin = setmetatable({}, getmetatable(module))
  Module.prepare(twin)
  for key, value in pairs(module._fields) do
    local kind = module._kinds[key]
    if kind == "module" then
      twin[key] = replica(value, device)
    elseif kind then
      twin._fields[key] = value:to(device)
    else
      twin._fields[key] = value
    end
  end
  for i, key in ipairs(module._order) do
    if module._kinds[key] == "module" then twin._order[i] = key end
  end
  return twin
end

-- The batch of each device: the dim `dim` in parts as equal as can be.
local function scatter(x, devices, dim)
  if not kiln.is_tensor(x) then
    local same = {}
    for i = 1, #devices do same[i] = x end
    return same
  end
  local n, parts, first = x:size(dim), {}, 1
  local share = math.ceil(n / #devices)
  for i, device in ipairs(devices) do
    local size = math.min(share, n - first + 1)
    if size > 0 then parts[i] = x:narrow(dim, first, size):to(device) end
    first = first + math.max(size, 0)
  end
  return parts
end

M.DataParallel = Module:extend "DataParallel"

local parse_parallel = args.define("DataParallel", "module: module, device_ids: table?, output_device: "
  .. "any?, dim: int = 1")

--- device_ids: names of devices ("cuda:1") or numbers; without, all CUDA devices.  On a machine without any
-- the module runs as it is.
function M.DataParallel:init(...)
  local a = parse_parallel(...)
  self.module, self.dim = a.module, a.dim
  local devices = {}
  for i, d in ipairs(a.device_ids or {}) do
    devices[i] = kiln.device(type(d) == "number" and "cuda:" .. d or d)
  end
  if not a.device_ids then
    for i = 1, require("kiln.ffi").C.kiln_device_count() do devices[i] = "cuda:" .. i end
  end
  self.devices, self.output_device = devices, a.output_device or devices[1]
end

function M.DataParallel:forward(...)
  local devices = self.devices
  if #devices <= 1 then return self.module(...) end
  local inputs, n = {}, select("#", ...)
  for k = 1, n do inputs[k] = scatter((select(k, ...)), devices, self.dim) end
  local outputs = {}
  for i, device in ipairs(devices) do
    local mine = {}
    for k = 1, n do mine[k] = inputs[k][i] end
    if mine[1] == nil then break end
    outputs[i] = replica(self.module, device)(unpack(mine, 1, n)):to(self.output_device)
  end
  return kiln.cat(outputs, self.dim)
end

M.DistributedDataParallel = Module:extend "DistributedDataParallel"

local parse_distributed = args.define("DistributedDataParallel",
  "module: module, broadcast_buffers: bool = true")

--- Every process starts from rank 0's parameters; gradients are averaged as they arrive, in the order of
-- the backward pass, which must be the same in all processes.
function M.DistributedDataParallel:init(...)
  local a = parse_distributed(...)
  self.module, self.broadcast_buffers = a.module, a.broadcast_buffers
  local distributed = require "kiln.distributed"
  local world = distributed.get_world_size()
  if world < 1 then raise("DistributedDataParallel", "call kiln.distributed.init_process_group first") end
  kiln.no_grad(function()
    for _, p in ipairs(self.module:parameters()) do distributed.broadcast(p.data, 0) end
  end)
  for _, p in ipairs(self.module:parameters()) do
    if p.requires_grad then
      p:register_hook(function(g)
        local sum = g:contiguous():clone()
        distributed.all_reduce(sum)
        return sum / world
      end)
    end
  end
end

function M.DistributedDataParallel:forward(...)
  if self.broadcast_buffers and self.training then
    local distributed = require "kiln.distributed"
    kiln.no_grad(function()
      for _, b in ipairs(self.module:buffers()) do distributed.broadcast(b, 0) end
    end)
  end
  return self.module(...)
end

return M
