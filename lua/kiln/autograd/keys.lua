--- Lua values that the core refers to by number: what a node or a hook calls.
-- The core reports a number once its node or tensor is gone (at a sweep); the value is dropped then.
-- A value that itself holds on to that node or tensor keeps both alive, until cycles.lua finds that.
local handles = require "kiln.handles"

local M = {}

local values, last = {}, handles.state * 2 ^ 32
local cycles -- kiln.autograd.cycles, which needs this file
local touched = {} -- numbers whose values may hold tensors that are younger than they

--- Keeps `value` under a new number.
---@return integer
function M.new(value)
  cycles = cycles or require "kiln.autograd.cycles" -- now: a finalizer that collects could not load it
  last = last + 1
  values[last] = value
  return last
end

--- The last number given.
function M.last() return last end

--- The value of a number, nil for one of another Lua state.
function M.get(key) return values[tonumber(key)] end

--- Says that the value of a number may hold other tensors than when it was kept.
function M.touch(key) touched[key] = true end

--- The values of the numbers from `first` on and of those that were touched: a list and its length.
---@param first integer
function M.since(first)
  local list, n = {}, 0
  for key = first, last do
    n = n + 1
    list[n] = values[key]
    if list[n] == nil then n = n - 1 end
  end
  for key in pairs(touched) do
    n = n + 1
    list[n] = values[key]
  end
  return list, n
end
jit.off(M.since) -- walks a table: docs/architecture.md, "LuaJIT"

--- Forgets a number that the core never got.
function M.drop(key)
  values[tonumber(key)], touched[tonumber(key)] = nil, nil
end

local function nothing() end

--- Has what is called under a number do nothing from now on, whoever still refers to it.
function M.silence(key)
  if values[key] ~= nil then values[key] = nothing end
end

--- All values by number; cycles.lua takes some out for a moment.
---@return table<integer, any>
function M.values() return values end

--- How many values are kept.
function M.count()
  local n = 0
  for _ in pairs(values) do n = n + 1 end
  return n
end
jit.off(M.count)

handles.set_dead_key(M.drop)
handles.set_find_cycles(function(budget)
  if next(values) == nil then return nil end
  return cycles.find(budget)
end)

return M
