--- What the specs of CUDA graphs share.
local assert = require "luassert"
local kiln = require "spec.support.emulator"

local cuda = kiln.cuda
local M = {}

--- Asserts that f(...) raises a message that has all the parts, and returns it.
function M.raises(parts, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  for _, part in ipairs(parts) do assert.is_truthy(tostring(message):find(part, 1, true), message) end
  return message
end

--- A tensor on the device.
function M.on(values, options)
  options = options or {}
  options.device = "cuda"
  return kiln.tensor(values, options)
end

--- Asserts that nothing is being captured and the device computes.
function M.works()
  assert.is_false(cuda.is_current_stream_capturing())
  assert.equal(6, (M.on { 1, 2, 3 }):sum():item())
  cuda.synchronize()
end

return M
