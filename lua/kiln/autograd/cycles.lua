--- Cycles that Lua's collector cannot see, because the way round leads through the core: a hook that names
-- its own tensor, a ctx that keeps an output in an object, a function of checkpoint that names its result.
--
-- The values of keys.lua are walked for the handles that they hold.  A marker is put in the place of each
-- handle, and Lua's collector runs while nobody holds those values but a userdata that is collected too, and
-- that comes back with all it held when it is finalized.  Then a handle that was collected is held by nothing
-- but those places, a marker that was finalized stood where nobody else can look, and reference counts
-- (core/cycles.c) say which tensors are alive for other reasons.  What is alive goes back to its place.
-- Nobody else's code runs from the first marker to the last handle that is back: neither steps of Lua's
-- collector nor debug hooks while markers are put in, and the newest userdata are finalized first, which are
-- the markers and then that userdata.  Other userdata are held meanwhile, or they would be finalized alive.
-- It refuses to guess: values that lead to a coroutine, or to more than LIMIT objects, stay as they are, and
-- so do tensors that are keys of tables, and those that userdata lead to.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local handles = require "kiln.handles"
local keys = require "kiln.autograd.keys"
local reach = require "kiln.reach"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local LIMIT = 10000

local getfenv, setfenv, setupvalue = debug.getfenv, debug.setfenv, debug.setupvalue

-- -- Before Lua's collector runs -------------------------------------------------------------------

local function put(place, v)
  if type(place.object) == "function" then
    setupvalue(place.object, place.at, v)
  else
    rawset(place.object, place.at, v)
  end
end

-- The places of the handles that a value leads to: { object, at, slot, lasts }; nil when it cannot be walked.
-- How many objects it led to, and which of them are userdata.
local function places_of(value, limit)
  local places = {}
  local walk = reach.new(function(h, object, at)
    if object ~= nil then
      places[#places + 1] = { object = object, at = at, slot = h.slot, lasts = h.lasts }
    end
  end, limit)
  walk:follow(value)
  return not walk.stopped and not walk.met_thread and places or nil, limit - walk.left, walk.userdata
end

local marker, holder = newproxy(true), newproxy(true)
local holders = setmetatable({}, { __mode = "v" }) -- the holder, should somebody still know it
local shielded -- the userdata of others

-- Adds the places of one value to the trial, each once.
local function add(trial, known, key, value)
  local places, n, userdata = places_of(value, math.min(LIMIT, trial.budget))
  trial.budget = trial.budget - n
  if places == nil or #places == 0 then return end
  trial.values[key] = value
  for _, u in ipairs(userdata) do shielded[#shielded + 1] = u end
  for _, place in ipairs(places) do
    local at = known[place.object] or {}
    known[place.object] = at
    if not at[place.at] then
      at[place.at] = true
      trial.places[#trial.places + 1] = place
      place.marker = newproxy(marker)
      setfenv(place.marker, place)
    end
    trial.owners[#trial.owners + 1] = { key = key, slot = place.slot }
  end
end

-- Takes the values out of keys and puts the markers in; all that allocates comes first.  False when there is
-- nothing to find.
local function prepare(values, budget)
  local trial, known = { values = {}, places = {}, owners = {}, budget = budget }, {}
  local u = newproxy(holder) -- before the markers
  setfenv(u, trial)
  for key, value in next, values do
    if trial.budget <= 0 then break end
    add(trial, known, key, value)
  end
  if #trial.places == 0 then return false end
  holders[1] = u
  handles.pause_sweeps(true)
  trial.is_open = true
  for key in next, trial.values do values[key] = false end
  for _, place in ipairs(trial.places) do
    local stand_in = place.marker
    place.marker = nil
    put(place, stand_in)
  end
  return true
end

-- -- Afterwards -------------------------------------------------------------------------------------

-- The slots whose handles were collected, and that had no place where anybody else could look.
local function lost_slots(trial)
  local lost, list = {}, {}
  for _, place in ipairs(trial.places) do
    local slot = place.slot
    if lost[slot] == nil then lost[slot] = handles.is_hole(slot) end
    lost[slot] = lost[slot] and place.alone or false
  end
  for slot, yes in next, lost do if yes then list[#list + 1] = slot end end
  return list
end

-- Which slots are held by nothing but the values: { [slot] = true }.
local function find_dead(trial)
  local slots, index, owners, dead_slots = lost_slots(trial), {}, {}, {}
  local n = #slots
  local x, dead = ffi.new("kiln_tensor *[?]", n + 1), ffi.new("bool[?]", n + 1)
  for i, slot in ipairs(slots) do x[i - 1], index[slot] = handles.held(slot), i end
  for _, owner in ipairs(trial.owners) do if index[owner.slot] then owners[#owners + 1] = owner end end
  table.sort(owners, function(a, b) return a.key < b.key end)
  local list = ffi.new("int64_t[?]", 2 * #owners + 1)
  for k, owner in ipairs(owners) do
    list[2 * k - 2] = owner.key
    list[2 * k - 1] = ffi.cast("intptr_t", x[index[owner.slot] - 1])
  end
  if C.kiln_find_cycles(x, n, list, #owners, dead) < 0 then
    C.kiln_error_clear() -- out of memory: nothing is known to be dead
    return dead_slots
  end
  for i, slot in ipairs(slots) do dead_slots[slot] = dead[i - 1] or nil end
  return dead_slots
end

local found = 0 -- how many tensors were dead in the last trial

-- Puts everything back that is alive, once.
local function finish(trial)
  if not trial.is_open then return end
  trial.is_open = false
  local values = keys.values()
  for key, value in next, trial.values do
    if values[key] == false then values[key] = value end -- it may have been forgotten meanwhile
  end
  local ok, dead = pcall(find_dead, trial)
  if not ok then dead = {} end
  for _, place in ipairs(trial.places) do
    put(place, not dead[place.slot] and handles.revive(place.slot, place.lasts) or nil)
  end
  for _ in next, dead do found = found + 1 end
end

getmetatable(marker).__gc = function(u) getfenv(u).alone = true end
getmetatable(holder).__gc = function(u) finish(getfenv(u)) end

local function try(values, budget)
  if not prepare(values, budget) then
    collectgarbage "restart"
    return
  end
  collectgarbage()
  if holders[1] ~= nil then finish(getfenv(holders[1])) end
end

local busy = false -- finalizers of others run after ours, and may ask for another collection

--- Looks for such cycles; what was found goes with the next sweep.
---@param budget? integer  how many objects to look at in all
---@return integer tensors
function M.find(budget)
  local values = keys.values()
  if busy or next(values) == nil then return 0 end
  local hook, mask, count = debug.gethook()
  if type(hook) == "function" then debug.sethook() end
  busy, found, shielded = true, 0, {}
  collectgarbage "stop" -- until the full collection
  local ok, err = pcall(try, values, budget or math.huge)
  if not ok then collectgarbage "restart" end -- somebody's finalizer raised it, or memory ran out
  handles.pause_sweeps(false)
  busy, shielded = false, nil
  if type(hook) == "function" then debug.sethook(hook, mask, count) end
  if not ok then error(err, 0) end
  return found
end

return M
