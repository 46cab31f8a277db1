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
-- A tensor that is the key of a table has no such place.  So tables with such keys get a marker in their
-- metatables first, for a collection of its own: in those that nobody else can look into each such key goes
-- into a box while the search lasts, which changes the order in which pairs goes through them.
-- It refuses to guess: values that lead to more than LIMIT objects stay as they are, and so do tensors that
-- userdata lead to, and keys of tables that a coroutine may be going through.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local handles = require "kiln.handles"
local keys = require "kiln.autograd.keys"
local reach = require "kiln.reach"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local LIMIT = 10000

local getfenv, setfenv, setupvalue, setlocal = debug.getfenv, debug.setfenv, debug.setupvalue, debug.setlocal

-- -- Before Lua's collector runs -------------------------------------------------------------------

local function put(place, v)
  local kind = type(place.object)
  if kind == "function" then
    setupvalue(place.object, place.at, v)
  elseif kind == "thread" then
    setlocal(place.object, place.level, place.at, v)
  else
    rawset(place.object, place.at, v)
  end
end

-- The places of the handles that a value leads to: { object, at, level, slot, lasts }; nil when it leads to
-- too much.  How many objects it led to, and the walk.
local function places_of(value, limit)
  local places = {}
  local walk = reach.new(function(h, object, at, level)
    if object ~= nil then
      places[#places + 1] = { object = object, at = at, level = level, slot = h.slot, lasts = h.lasts }
    end
  end, limit)
  walk:follow(value)
  return not walk.stopped and places or nil, limit - walk.left, walk
end

local marker, holder = newproxy(true), newproxy(true)
local holders = setmetatable({}, { __mode = "v" }) -- the holder, should somebody still know it
local shielded -- the userdata of others

local LEVEL = 2 ^ 32 -- a place in a coroutine is known by its level and its number there

-- Adds the places of one value to the trial, each once.
local function add(trial, known, key, value)
  local places, n, walk = places_of(value, math.min(LIMIT, trial.budget))
  trial.budget = trial.budget - n
  if places == nil or #places + #walk.keyed == 0 then return end
  trial.values[key] = value
  for _, u in ipairs(walk.userdata) do shielded[#shielded + 1] = u end
  for t in next, walk.on_stack do trial.on_stack[t] = true end
  for _, t in ipairs(walk.keyed) do trial.keyed[t] = true end
  for _, place in ipairs(places) do
    local at, name = known[place.object] or {}, place.at
    if place.level then name = name + place.level * LEVEL end
    known[place.object] = at
    if not at[name] then
      at[name] = true
      trial.places[#trial.places + 1] = place
    end
    trial.owners[#trial.owners + 1] = { key = key, slot = place.slot }
  end
end

-- What is to be found out of these values: whether the handles that they lead to are held by others.
local function new_trial(values, budget)
  local known = {}
  local trial = { values = {}, places = {}, owners = {}, keyed = {}, on_stack = {}, budget = budget }
  for key, value in next, values do
    if trial.budget <= 0 then break end
    add(trial, known, key, value)
  end
  return trial
end

-- The same of the tables among them that have tensors as keys: the places are in what covers their
-- metatables, { covers (the table), meta (its metatable) }.
local function tables_of(trial)
  local places = {}
  for t in next, trial.keyed do
    if not trial.on_stack[t] then
      local meta = debug.getmetatable(t)
      local cover = { meta or false, false, __mode = meta and rawget(meta, "__mode") }
      places[#places + 1] = { object = cover, at = 2, covers = t, meta = meta }
    end
  end
  return { values = trial.values, places = places }
end

-- Takes the values out of keys and puts the markers in; all that allocates comes first.  False when there is
-- nothing to find.
local function open(trial, values)
  if #trial.places == 0 then return false end
  local u = newproxy(holder) -- before the markers
  setfenv(u, trial)
  for _, place in ipairs(trial.places) do
    place.marker = newproxy(marker)
    setfenv(place.marker, place)
  end
  holders[1] = u
  handles.pause_sweeps(true)
  trial.is_open = true
  for key in next, trial.values do values[key] = false end
  for _, place in ipairs(trial.places) do
    local stand_in = place.marker
    place.marker = nil
    put(place, stand_in)
    if place.covers then
      debug.setmetatable(place.covers, place.object)
      place.object = nil
    end
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
local alone -- the tables of the last trial that nobody else can look into
local boxes = {} -- { table, box with a tensor that was a key there }
local ready -- the trial of handles, where there are no tables to try

local function put_into_boxes()
  for _, t in ipairs(alone) do
    local first = #boxes + 1
    for k in next, t do if handles.is_tensor(k) then boxes[#boxes + 1] = { t, { k } } end end
    for i = first, #boxes do
      local box = boxes[i][2]
      local v = rawget(t, box[1])
      rawset(t, box[1], nil)
      rawset(t, box, v)
    end
  end
end

-- Those that are alive.
local function take_out_of_boxes(list)
  for _, entry in ipairs(list) do
    local t, box = entry[1], entry[2]
    local v = rawget(t, box)
    rawset(t, box, nil)
    if box[1] ~= nil then rawset(t, box[1], v) end
  end
end

local function finish_handles(trial)
  local ok, dead = pcall(find_dead, trial)
  if not ok then dead = {} end
  for _, place in ipairs(trial.places) do
    put(place, not dead[place.slot] and handles.revive(place.slot, place.lasts) or nil)
  end
  take_out_of_boxes(trial.boxes)
  for _ in next, dead do found = found + 1 end
end

local function finish_tables(trial)
  for _, place in ipairs(trial.places) do
    debug.setmetatable(place.covers, place.meta)
    if place.alone then alone[#alone + 1] = place.covers end
  end
end

-- Puts everything back that is alive, once.
local function finish(trial)
  if not trial.is_open then return end
  trial.is_open = false
  local values = keys.values()
  for key, value in next, trial.values do
    if values[key] == false then values[key] = value end -- it may have been forgotten meanwhile
  end
  if trial.owners then finish_handles(trial) else finish_tables(trial) end
end

getmetatable(marker).__gc = function(u) getfenv(u).alone = true end
getmetatable(holder).__gc = function(u) finish(getfenv(u)) end

-- Nothing on the stack may know the trial when this is called.
local function collect()
  collectgarbage()
  if holders[1] ~= nil then finish(getfenv(holders[1])) end
end

local function open_tables(values, budget)
  local trial = new_trial(values, budget)
  if open(tables_of(trial), values) then return true end
  ready = trial
  return false
end

local function open_handles(values, budget)
  local ok, trial = true, ready
  local list = boxes
  ready, boxes = nil, {}
  if not trial then ok, trial = pcall(new_trial, values, budget) end
  if ok then
    trial.boxes = list
    if open(trial, values) then return true end
  end
  take_out_of_boxes(list)
  if not ok then error(trial, 0) end
  return false
end

local function try(values, budget)
  alone = {}
  if open_tables(values, budget) then
    collect()
    collectgarbage "stop"
    put_into_boxes()
  end
  alone = nil
  if open_handles(values, budget) then collect() else collectgarbage "restart" end
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
