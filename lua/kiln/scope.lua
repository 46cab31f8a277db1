--- kiln.scope, and what it shares with kiln.fuse: a list of the handles that a call made, some of which are
-- freed when it is over.  Freed is what nothing leads to that stays: neither what the call returned, nor a
-- graph that lives on (what a Function left on its ctx, what hooks name), nor an object of kiln's that lasts
-- (reach.keep: modules, the state of optimizers).
local check = require "kiln.check"
local handles = require "kiln.handles"
local keys = require "kiln.autograd.keys"
local modes = require "kiln.modes"
local reach = require "kiln.reach"

local M = {}

local weak = { __mode = "v" }

--- The list of one call: { made, n, record, first_key (of what the core may call) }.
function M.new()
  local call = { made = setmetatable({}, weak), n = 0, first_key = keys.last() + 1 }
  function call.record(h)
    call.n = call.n + 1
    call.made[call.n] = h
  end
  return call
end

--- Handles are listed from now on.
function M.enter(call) call.outer = handles.set_watch(call.record) end

--- Handles are not listed any more.
function M.leave(call) handles.set_watch(call.outer) end

-- The slots of the tensors that the values lead to.
local function slots_of(...)
  local found, walk = {}, nil
  for i = 1, select("#", ...) do
    local v = (select(i, ...))
    if check.is_tensor(v) and v.p ~= nil then
      found[v.slot] = true
    else
      walk = walk or reach.new(function(h) found[h.slot] = true end)
      walk:follow(v)
    end
  end
  return found
end

local function free_others(call, why, may_free, returned, kept)
  for i = 1, call.n do
    local h = call.made[i]
    if h ~= nil and h.p ~= nil and h.lasts == 0 and not returned[h.slot] and not (kept and kept[h.slot])
      and (not may_free or may_free(h)) then
      handles.free(h, why)
    end
  end
end

--- Frees what the call made, but for what lasts and for what may_free(h) refuses; the others are the outer
--- scope's.  A graph that goes with what was freed lets go of more, hence the loop.
---@param call table
---@param why integer  handles.SCOPE or handles.FUSE: what later use is told
---@param may_free? fun(h: kiln.Tensor): boolean
---@param ... any  what the call returned or raised
function M.settle(call, why, may_free, ...)
  local returned, alive = slots_of(...), math.huge
  repeat
    local values, n = keys.since(call.first_key)
    if n == alive then break end
    local kept = n > 0 and slots_of(values)
    free_others(call, why, may_free, returned, kept)
    handles.forget_dead_keys()
    alive = n
  until n == 0
  for i = 1, call.outer and call.n or 0 do
    local h = call.made[i]
    if h ~= nil and h.p ~= nil then call.outer(h) end
  end
end

local function finish(call, ok, ...)
  M.settle(call, handles.SCOPE, nil, ...)
  if not ok then error((...), 0) end
  return ...
end

--- Runs fn(...) and returns its results; every tensor handle made meanwhile is freed, except those that the
--- results lead to (in tables, closures, storages), that modules or optimizers hold, or that backward of
--- a graph which lives on needs.  Using a freed tensor later is an error.
---@param fn function
function M.scope(fn, ...)
  check.fn(fn, "scope", "fn")
  local call = M.new()
  local function enter() M.enter(call) end
  local function leave() M.leave(call) end
  return finish(call, pcall(modes.during, enter, leave, fn, ...))
end

return M
