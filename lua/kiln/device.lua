--- Devices by name: "cpu", "cuda:1" (the first accelerator), "cuda" (the current one).
-- In C the CPU is 0 and the i-th accelerator is i.  The names count from 1, as everything does.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local handles = require "kiln.handles"

local M = {
  code = { cpu = 0 },    ---@type table<string, integer>  names seen so far
  name = { [0] = "cpu" }, ---@type table<integer, string>
  current = 1,           -- what "cuda" alone means; kiln.cuda sets it
  default = 0,           -- where new tensors go that are not told where; set_default_device sets it
}

--- The number in C of a device name, or nil and why not.
---@param v any
---@return integer?, string?
function M.find(v)
  if v == "cuda" then v = "cuda:" .. M.current end
  local known = M.code[v]
  if known then return known end
  local i = type(v) == "string" and tonumber(v:match "^cuda:(%d+)$")
  if not i or i < 1 then return nil, "a device is 'cpu', 'cuda' or 'cuda:1', 'cuda:2', ..." end
  local count = C.kiln_device_count()
  if i > count then
    local why = ffi.string(C.kiln_cuda_why())
    return nil, count > 0 and ("there are %d CUDA devices"):format(count)
      or "there is no CUDA device" .. (why ~= "" and ": " .. why or "")
  end
  M.code[v], M.name[i] = i, v
  handles.set_accelerators(count)
  return i
end

--- The name of the device with this number in C.
---@param code integer
---@return string
function M.of(code)
  local name = M.name[code]
  if not name then
    name = "cuda:" .. code
    M.name[code] = name
  end
  return name
end

return M
