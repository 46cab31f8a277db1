--- Anomaly mode: errors of a backward pass say where in the Lua program the forward op was called.
-- While it is on, every op call notes a traceback under a number that the core keeps with the node
-- it records and the memory it writes.  The last 65536 tracebacks are kept.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local modes = require "kiln.modes"
local tracing = require "kiln.tracing"

local M = {}

local KEPT = 65536
local tracebacks, last = {}, 0

-- The frames of the user's program, innermost first.
local function traceback()
  local lines = {}
  for line in debug.traceback("", 3):gmatch "[^\n]+" do
    if not check.is_own_frame(line) and not line:find "^stack traceback" then
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

local function mark()
  last = last + 1
  tracebacks[last % KEPT] = traceback()
  C.kiln_set_trace(last)
end

--- Switches anomaly mode; returns what it was.
---@param on boolean
---@return boolean
function M.set_detect_anomaly(on)
  check.bool(on, "set_detect_anomaly", "on")
  local was = tracing.mark ~= nil
  tracing.mark = on and mark or nil
  if not on then C.kiln_set_trace(0) end
  return was
end

--- Runs fn(...) in anomaly mode and returns its results.
---@param fn function
function M.detect_anomaly(fn, ...)
  check.fn(fn, "detect_anomaly", "fn")
  local was
  return modes.during(function() was = M.set_detect_anomaly(true) end,
    function() M.set_detect_anomaly(was) end, fn, ...)
end

--- Is it on?
---@return boolean
function M.is_anomaly_enabled() return tracing.mark ~= nil end

local function note(which, what)
  local id = tonumber(C.kiln_error_trace(which))
  if id == 0 or id <= last - KEPT or not tracebacks[id % KEPT] then return "" end
  return ("\n%s at:\n%s"):format(what, tracebacks[id % KEPT])
end

--- What is known of the ops behind the error of a backward pass that just failed; "" when nothing.
---@param code integer  kiln_error_code() at that time
---@return string
function M.explain(code)
  if last == 0 then return "" end
  local text = note(0, "the op whose gradient failed was called")
  if code == C.KILN_EVERSION then text = text .. note(1, "the value was overwritten") end
  return text
end

return M
