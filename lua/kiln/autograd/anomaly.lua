--- Anomaly mode: errors of a backward pass say where in the Lua program the forward op was called.
-- While it is on, every op call notes a traceback under a number that the core keeps with the node
-- it records and the memory it writes.  The last 65536 tracebacks are kept.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local handles = require "kiln.handles"
local modes = require "kiln.modes"
local tracing = require "kiln.tracing"

local M = {}

local KEPT = 65536
local AROUND = 2 ^ 20 -- numbers fit 31 bits: 11 of the state, for traces of others are not ours, and these
local FIRST = handles.state % 2 ^ 11 * AROUND
local tracebacks, made, checks_nan = {}, 0, false -- made: how many

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
  made = made + 1
  tracebacks[made % KEPT] = traceback()
  C.kiln_set_trace(FIRST + made % AROUND)
end

--- Switches anomaly mode; returns what it was.  While it is on, a backward pass also stops at the
--- first op whose gradient has NaN in it, unless check_nan is false.
---@param on boolean
---@param options? { check_nan?: boolean }
---@return boolean
function M.set_detect_anomaly(on, options)
  local name = "set_detect_anomaly"
  check.bool(on, name, "on")
  if type(options) == "boolean" then options = { check_nan = options } end
  local o = check.options(options, { check_nan = 1 }, name)
  local was = tracing.mark ~= nil
  checks_nan = on and (o.check_nan == nil or check.bool(o.check_nan, name, "check_nan"))
  tracing.mark = on and mark or nil
  if not on then C.kiln_set_trace(0) end
  return was
end

--- Runs fn(...) in anomaly mode and returns its results.
---@param fn function
function M.detect_anomaly(fn, ...)
  check.fn(fn, "detect_anomaly", "fn")
  local was, checked
  return modes.during(function()
    checked = checks_nan
    was = M.set_detect_anomaly(true)
  end, function()
    M.set_detect_anomaly(was)
    checks_nan = checked
  end, fn, ...)
end

--- Do backward passes look for NaN?
---@return boolean
function M.checks_nan() return checks_nan end

--- Marks what is recorded from now on with the place that we are at.
function M.mark() if tracing.mark then mark() end end

--- Is it on?
---@return boolean
function M.is_anomaly_enabled() return tracing.mark ~= nil end

local CALLED = "the op whose gradient failed was called"

local function traceback_of(trace, what)
  local n = tonumber(trace) - FIRST
  local age = (made - n) % AROUND
  if tonumber(trace) == 0 or n < 0 or n >= AROUND or age >= math.min(KEPT, made) then return "" end
  return ("\n%s at:\n%s"):format(what, tracebacks[(made - age) % KEPT])
end

--- The message of an error that Lua code raised in the backward pass of a node, with where its op was called.
---@param message any
---@param node ffi.cdata*  lent
---@return any
function M.annotate(message, node)
  if type(message) ~= "string" or tracing.mark == nil or message:find(CALLED, 1, true) then return message end
  return message .. traceback_of(C.kiln_node_trace(node), CALLED)
end

--- What is known of the ops behind the error of a backward pass that just failed; "" when nothing.
---@param code integer  kiln_error_code() at that time
---@return string
function M.explain(code)
  if made == 0 then return "" end
  local text = traceback_of(C.kiln_error_trace(0), CALLED)
  if code == C.KILN_EVERSION then
    text = text .. traceback_of(C.kiln_error_trace(1), "the value was overwritten")
  end
  return text
end

--- Raises what the core said, with what is known of the ops behind it.
---@param name string?
function M.raise_core(name)
  local more = M.explain(C.kiln_error_code())
  if more == "" then check.raise_core(name) end
  local text = ffi.string(C.kiln_error())
  C.kiln_error_clear()
  check.raise(nil, "%s", text .. more)
end

return M
