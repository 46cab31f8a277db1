--- Ranges and marks that NVIDIA's profilers show.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"

local M = {}

local function text(message, name)
  if C.kiln_device_count() == 0 then
    check.raise(name, "there is no CUDA device: %s", ffi.string(C.kiln_cuda_why()))
  end
  if type(message) ~= "string" then
    check.raise(name, "message must be a string, got %s", check.got(message))
  end
  return message
end

--- Opens a range; returns how many were open before, negative when no profiler looks.
---@param message string
---@return integer
function M.range_push(message) return C.kiln_range_push(text(message, "range_push")) end

--- Ends the innermost range; returns how many are left.
---@return integer
function M.range_pop()
  text("", "range_pop")
  return C.kiln_range_pop()
end

--- Marks a moment.
---@param message string
function M.mark(message) C.kiln_range_mark(text(message, "mark")) end

return M
