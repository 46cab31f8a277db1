--- What names an accelerator: a number from 1, "cuda:1", a tensor there, nil for the current one.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local devices = require "kiln.device"

local M = {}

--- The current accelerator's number.
function M.current() return devices.current end

function M.set(code) devices.current = code end

--- The number in C of what names an accelerator; raises where there is none.
---@param device integer|string|kiln.Tensor|nil
---@param name string  the function as the user knows it
---@return integer
function M.code(device, name)
  if check.is_tensor(device) then
    local code = C.kiln_tensor_device(check.tensor(device, name, "device").p)
    if code == 0 then check.raise(name, "the tensor is on the cpu, not on a CUDA device") end
    return code
  end
  if device == nil then device = "cuda" end
  if type(device) == "number" then device = "cuda:" .. check.int(device, name, "device") end
  local code = check.device(device, name)
  if code == 0 then check.raise(name, "device must be a CUDA device, got 'cpu'") end
  return code
end

return M
