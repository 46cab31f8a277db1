--- The capture that is under way, for code that has to behave otherwise inside: what is new at each replay
-- is worked out in Lua and put into memory that the graph reads.  It refuses to capture: graph.lua does.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local reach = require "kiln.reach"

local M = {
  current = nil, ---@type kiln.cuda.Graph?
}

local waits = (os.getenv "KILN_CUDA_SYNC" or "0") ~= "0"

--- Is x read for a check of its values?  On a device that would wait: only where every op does.
---@param x kiln.Tensor
---@return boolean
function M.is_watched(x) return not x.is_cuda or (waits and not M.current) end

local function resume(ok, ...)
  C.kiln_graph_pause(false)
  if not ok then check.rethrow((...)) end
  return ...
end

--- Runs fn(...) as if nothing was captured, and returns its results.
---@param fn function
function M.aside(fn, ...)
  if not C.kiln_graph_pause(true) then return fn(...) end
  return resume(pcall(fn, ...))
end

--- Has something done at each replay of the graph that is being captured: `before` it is launched, `after`,
--- which may wait for it, and `undo` where the launch or another's `before` failed.
---@param hook { before?: function, after?: function, undo?: function }
function M.at_replay(hook)
  local hooks = M.current.hooks
  hooks[#hooks + 1] = reach.keep(hook)
end

local function restore(graph, before, ok, ...)
  graph.unless = before.unless
  if not ok then check.rethrow((...)) end
  local made = {}
  for i = before.n + 1, #graph.hooks do made[#made + 1] = graph.hooks[i] end
  return made, ...
end

--- Runs fn(...): the optimizers' steps inside are taken by a replay where `unless` (float32, one element) is
--- then 0.  Returns the hooks that were made meanwhile, and the results of fn.
---@param unless kiln.Tensor
---@param fn function
---@return table[]
function M.guarded(unless, fn, ...)
  local graph = M.current
  local before = { unless = graph.unless, n = #graph.hooks }
  graph.unless = unless
  return restore(graph, before, pcall(fn, ...))
end

return M
