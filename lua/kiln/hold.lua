--- Memory that stays where it is while somebody else's function runs.
-- Whoever goes through a pointer into tensors while a function of the user's is called takes them here:
-- until it is done the memory is neither freed nor moved, whatever that function does, and what would move
-- it raises.  A coroutine that stops in there for good lets go when it is collected.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"

local M = {}

local function let_go(held)
  for i = #held, 1, -1 do
    C.kiln_storage_let_go(ffi.gc(held[i], nil))
    held[i] = nil
  end
end

local function finish(held, ok, ...)
  let_go(held)
  if not ok then check.rethrow((...)) end
  return ...
end

--- Returns what f(...) returns, or raises what it raises; the memory of the tensors is held meanwhile.
---@param holder integer  C.KILN_HOLD_LOOP, ...: what others are told
---@param tensors kiln.Tensor[]
---@param f function
function M.during(holder, tensors, f, ...)
  local held = {}
  for i, x in ipairs(tensors) do
    local storage = C.kiln_storage_hold(C.kiln_peek_storage(x.p), holder)
    if storage == nil then
      let_go(held)
      check.raise_core "hold"
    end
    held[i] = ffi.gc(storage, C.kiln_storage_let_go)
  end
  return finish(held, pcall(f, ...))
end

return M
