--- Things that hold while a function runs: no_grad, enable_grad.
-- Whatever is switched on is switched off again when the function returns, raises, or yields from
-- a coroutine, and on again when that is resumed.
local C = require("kiln.ffi").C
local check = require "kiln.check"

local M = {}

local running, create, resume, status = coroutine.running, coroutine.create, coroutine.resume,
  coroutine.status

local function finish(leave, ok, ...)
  leave()
  if not ok then error((...), 0) end
  return ...
end

local function slices(enter, leave, co, ok, ...)
  leave()
  if not ok then error((...), 0) end
  if status(co) == "dead" then return ... end
  return M.resumed(enter, leave, co, coroutine.yield(...))
end

-- The part of M.during inside a coroutine, from one yield to the next.
function M.resumed(enter, leave, co, ...)
  enter()
  return slices(enter, leave, co, resume(co, ...))
end

--- Runs fn(...) between enter() and leave(), and returns its results.
function M.during(enter, leave, fn, ...)
  if running() then return M.resumed(enter, leave, create(function(...) return fn(...) end), ...) end
  enter()
  return finish(leave, pcall(fn, ...))
end

-- -- Recording ---------------------------------------------------------------------------------

local function with_grad(on, fn, ...)
  local before
  return M.during(function() before = C.kiln_set_grad_enabled(on) end,
    function() C.kiln_set_grad_enabled(before) end, fn, ...)
end

--- Runs fn(...) without recording gradients and returns its results.
---@param fn function
function M.no_grad(fn, ...)
  return with_grad(false, check.fn(fn, "no_grad", "fn"), ...)
end

--- Runs fn(...) with recording, inside no_grad too.
---@param fn function
function M.enable_grad(fn, ...)
  return with_grad(true, check.fn(fn, "enable_grad", "fn"), ...)
end

--- set_grad_enabled(on) switches recording and returns what it was; set_grad_enabled(on, fn, ...)
--- runs fn(...) so and returns its results.
---@param on boolean
---@param fn? function
function M.set_grad_enabled(on, fn, ...)
  check.bool(on, "set_grad_enabled", "on")
  if fn == nil then return C.kiln_set_grad_enabled(on) end
  return with_grad(on, check.fn(fn, "set_grad_enabled", "fn"), ...)
end

--- Is recording on?
---@return boolean
function M.is_grad_enabled() return C.kiln_grad_enabled() end

return M
