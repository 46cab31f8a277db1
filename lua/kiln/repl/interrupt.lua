--- Ctrl-C while the user's code runs: the core's ops poll its flag, plain Lua code polls it by a count hook.
-- Compiled loops call no hooks, so what is typed at the prompt is not compiled (session.lua); code it calls
-- is.  A second Ctrl-C before anybody polled ends the process, as the core says.
local C = require("kiln.ffi").C

local M = {}

local EVERY = 10000 -- instructions

--- The value that is raised.
M.interrupted = setmetatable({}, { __tostring = function() return "interrupted" end })

local function lower()
  C.kiln_interrupt_poll()
  C.kiln_error_clear()
end

local function poll()
  if C.kiln_interrupt_pending() then
    lower()
    error(M.interrupted, 0)
  end
end

local function finish(...)
  debug.sethook()
  if C.kiln_interrupt_pending() then lower() end
  return ...
end

--- Runs fn(...) so that Ctrl-C stops it; returns what pcall would.
function M.guard(fn, handler)
  debug.sethook(poll, "", EVERY)
  return finish(xpcall(fn, handler))
end

--- Is this error value that of a Ctrl-C?
function M.is_interrupt(value)
  return value == M.interrupted or type(value) == "string" and value:find "kiln: interrupted$" ~= nil
end

return M
