--- kiln.fuse: functions whose ops of each element run as one pass over memory.
-- The function runs at every call; its ops are put off by the core (core/fuse.c) and computed when it
-- has returned, block by block in the cache.  Results that are still put off then and are not returned
-- are freed: that is how the core knows what needs no memory.  It refuses to look into the function.
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local handles = require "kiln.handles"
local modes = require "kiln.modes"
local scope = require "kiln.scope"

local M = {}

local running = coroutine.running

local function enter(call)
  if C.kiln_fuse_begin() < 0 then check.raise_core "fuse" end
  scope.enter(call)
end

-- Computes what is still put off, after collecting if memory is short, and ends it.
local function leave(call)
  scope.leave(call)
  local status = C.kiln_fuse_flush()
  if status < 0 and bind.retry() then status = C.kiln_fuse_flush() end
  C.kiln_fuse_end()
  if status < 0 then check.raise_core "fuse" end
end

local function is_pending(h)
  local yes = C.kiln_fuse_is_pending(h.p)
  return yes
end

-- Frees what the call put off and nothing leads to.
local function settle(call, ...)
  scope.settle(call, handles.FUSE, is_pending, ...)
  return ...
end

local function finish(call, ok, ...)
  if ok then settle(call, ...) end
  leave(call)
  if not ok then error((...), 0) end
  return ...
end

--- Makes a function that returns what fn returns, to the bit, and takes fewer passes over memory.
-- Ops of each element (arithmetic, functions, comparisons, where, casts), broadcast as usual, and
-- sums and means over everything are put off until fn has returned, or until another op needs a
-- result; intermediate results are not written to memory, neither here nor in the backward pass,
-- which computes them again from fn's arguments.  So these must not be overwritten before backward.
-- Results that nothing needed by then and that are not returned are freed; to use one later is an
-- error.
---@generic F: function
---@param fn F
---@return F
function M.fuse(fn)
  check.fn(fn, "fuse", "fn")
  return function(...)
    local call = scope.new()
    if running() then
      return modes.during(function() enter(call) end, function() leave(call) end,
        function(...) return settle(call, fn(...)) end, ...)
    end
    enter(call)
    return finish(call, pcall(fn, ...))
  end
end

return M
