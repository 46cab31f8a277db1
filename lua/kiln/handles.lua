--- Who owns what the core handed out: tensor handles without finalizers.
-- A handle is a struct by value { p, slot, lasts } known to a table with weak values.  A collected handle
-- leaves a hole in `slots`; sweep() finds the holes and releases what they pointed to.  The table
-- costs an op 0.06 us where a finalizer costs 0.3 us.  Nothing is ever released but in sweep(),
-- free() and at the end of a scope, so a pointer read from a handle stays good until the next wrap().
-- It refuses to know what a tensor is: methods live in tensor.lua.
local ffi = require "ffi"
local C = require("kiln.ffi").C

local M = { collections = 0 }

local Handle -- the ctype; tensor.lua gives it its metatable
M.Handle = ffi.typeof "kiln_handle"
Handle = M.Handle

local istype, sizeof, tonumber = ffi.istype, ffi.sizeof, tonumber
local HANDLE_BYTES = sizeof(Handle)

--- Is `v` a tensor's handle?  ffi.istype alone also takes a pointer to one, whose size differs, and the type,
--- which is a number.  Compiled, all three are one comparison.
---@param v any
---@return boolean
function M.is_tensor(v) return istype(Handle, v) and sizeof(v) == HANDLE_BYTES and tonumber(v) == nil end

local FIRST_SIZE, STEP = 1024, 1024
-- A full collection walks the whole Lua heap.  So that scripts with large heaps do not collect all
-- the time, what lies between two collections grows with the heap: so many new handles and so many
-- new bytes of tensors to a byte of it.  No clock is asked: a script collects where it did last time.
local HANDLES_A_BYTE, MAX_SPARE = 1 / 128, 2 ^ 18
local FLOOR_A_BYTE, MIN_FLOOR, MAX_FLOOR = 3, 64 * 2 ^ 20, 2 ^ 30

local slots = setmetatable({}, { __mode = "v" }) -- slot -> handle; false when the slot is free
local size, nfree = 0, 0
local mark = 0 -- nfree at which checkpoint() is called next
local ptrs, free -- slot -> what the core holds; stack of free slots
local dead -- room for what a sweep finds
local anchor = {} -- keeps the grown arrays reachable
local memory = C.kiln_peek_memory(0)
local interrupt = C.kiln_peek_interrupt()
local accelerators = 0
local watch -- called with each new handle while a scope is open
local on_dead_key, on_interrupt = function(_key) end, function() end
local find_cycles = function() end
local paused = false
local state = C.kiln_lua_open() -- this Lua state's number: keys and traces of others are not ours
if state < 0 then error("kiln: out of memory", 0) end
M.state = state

local function grow(to)
  local p, f = ffi.new("kiln_tensor *[?]", to + 1), ffi.new("int32_t[?]", to + 1)
  dead = ffi.new("kiln_tensor *[?]", to)
  if size > 0 then
    ffi.copy(p, ptrs, (size + 1) * ffi.sizeof "void *")
    ffi.copy(f, free, nfree * ffi.sizeof "int32_t")
  end
  for i = to, size + 1, -1 do
    slots[i] = false
    f[nfree] = i
    nfree = nfree + 1
  end
  ptrs, free, size = p, f, to
  anchor[1], anchor[2], anchor[3] = p, f, dead
end

--- Forgets Lua functions whose nodes or tensors are gone; returns whether there were some.
---@return boolean
function M.forget_dead_keys()
  local key, some = C.kiln_dead_key(state), false
  while key ~= 0 do
    on_dead_key(key)
    key, some = C.kiln_dead_key(state), true
  end
  return some
end

--- Releases what collected handles held, and forgets Lua functions that went with it; were there some?
---@return boolean
function M.sweep()
  if paused then return false end
  local n = 0
  for i = 1, size do
    if slots[i] == nil and ptrs[i] ~= nil then
      dead[n] = ptrs[i]
      ptrs[i] = nil
      slots[i] = false
      free[nfree] = i
      n, nfree = n + 1, nfree + 1
    end
  end
  C.kiln_tensors_release(dead, n)
  return (M.forget_dead_keys())
end
local sweep = M.sweep

local marked = setmetatable({}, { __mode = "v" })
local function leave_probe() marked[1] = Handle() end

-- One cycle of Lua's collector that begins now, or the rest of one under way if that finds what is dead
-- now (but for what it has seen alive before).  A full collection sweeps twice and costs half as much again.
local function run_cycle()
  local multiplier = collectgarbage("setstepmul", 0) -- 0: a step is a whole cycle
  leave_probe()
  collectgarbage "step"
  if marked[1] ~= nil then collectgarbage "step" end
  collectgarbage("setstepmul", multiplier)
end

-- Returns the bytes that Lua's heap then has.
local function collect_and_sweep(collect)
  M.collections = M.collections + 1
  collect()
  local heap = collectgarbage "count" * 1024
  sweep()
  C.kiln_memory_collected(0)
  for device = 1, accelerators do C.kiln_memory_collected(device) end
  return heap
end

--- A full collection, and release of all that it found dead, cycles through the core included.
function M.collect()
  collect_and_sweep(collectgarbage)
  while (find_cycles() or 0) > 0 do sweep() end
  repeat collectgarbage() until not sweep() -- a Lua function that went may have held other handles
end

-- Looking for cycles takes another collection.  The more often none were found, the less often it is done: at
-- the 1st, 3rd, 7th, ... chance, and it looks at so many objects.  Were there some?
local wait, vain, MAX_VAIN, BUDGET, OBJECTS_A_SLOT = 0, 0, 4, 50000, 64
local function look_for_cycles()
  wait = wait - 1
  if wait > 0 then return false end
  local n = find_cycles(math.max(BUDGET, size * OBJECTS_A_SLOT))
  if n == nil then
    wait = 0
    return false
  elseif n > 0 then
    vain = 0
    sweep()
    C.kiln_memory_collected(0)
  else
    vain = math.min(vain + 1, MAX_VAIN)
  end
  wait = 2 ^ vain
  return n > 0
end

local floor_set = MIN_FLOOR
local function relieve()
  local floor = math.max(MIN_FLOOR, math.min(MAX_FLOOR, collect_and_sweep(run_cycle) * FLOOR_A_BYTE))
  if floor > 2 * floor_set or floor < floor_set / 2 then
    floor_set = floor
    C.kiln_memory_set_floor(0, floor)
  end
  look_for_cycles()
end

local function accelerator_presses()
  for device = 1, accelerators do
    if C.kiln_peek_memory(device).pressure ~= 0 then return true end
  end
  return false
end

-- Cycles of small tensors never make memory short, so they are looked for before there are more slots, too.
local function refill()
  sweep()
  if nfree >= size / 2 then return end
  local heap = collect_and_sweep(run_cycle)
  if nfree < size / 2 and look_for_cycles() then heap = collect_and_sweep(run_cycle) end
  local wanted = math.max(size / 2, math.min(MAX_SPARE, heap * HANDLES_A_BYTE))
  if nfree < wanted then grow(math.max(size * 2, math.floor(size - nfree + wanted))) end
end

-- Every STEP handles: whenever Lua's own collector has been through, there is something to sweep.
local probe = setmetatable({}, { __mode = "v" })
local is_closed = false
local function checkpoint(p)
  if is_closed then
    C.kiln_tensor_release(p)
    error("kiln: there are no new tensors: this Lua state is being closed", 0)
  end
  if probe[1] == nil then
    sweep()
    probe[1] = Handle()
  end
  if nfree == 0 then refill() end
  mark = nfree > STEP and nfree - STEP or 0
end

--- Makes a handle that owns the reference `p` (not NULL), and refuses to see Ctrl-C: for cleaning up, and
--- where other references are still to be taken over.
---@param p ffi.cdata*  kiln_tensor *
---@return kiln.Tensor
function M.own(p)
  if memory.pressure ~= 0 or (accelerators > 0 and accelerator_presses()) then relieve() end
  if nfree <= mark then checkpoint(p) end
  nfree = nfree - 1
  local i = free[nfree]
  local h = Handle(p, i)
  ptrs[i] = p
  slots[i] = h
  if watch ~= nil then watch(h) end
  return h
end
local own = M.own

--- The same, and raises if Ctrl-C was pressed: what a script calls in a loop passes here.
---@param p ffi.cdata*  kiln_tensor *
---@return kiln.Tensor
function M.wrap(p)
  local h = own(p)
  if interrupt[0] ~= 0 then on_interrupt() end
  return h
end

-- The slot of a freed handle says who freed it.
local BY_HAND = 0
M.SCOPE, M.FUSE = -1, -2
local CLOSED = -3
local FREED_BY = {
  [BY_HAND] = "the tensor was freed",
  [M.SCOPE] = "the tensor was freed at the end of kiln.scope; return it to use it later",
  [M.FUSE] = "the tensor was freed at the end of a function of kiln.fuse; return it to use it later",
  [CLOSED] = "the tensor was freed, because this Lua state is being closed",
}

--- Releases now what `h` holds; its p becomes NULL.  Freeing twice does nothing.
---@param h kiln.Tensor
---@param by? integer  M.SCOPE or M.FUSE
function M.free(h, by)
  local i = h.slot
  if i <= 0 then return end
  local p = ptrs[i]
  ptrs[i] = nil
  slots[i] = false
  h.p = nil
  h.slot = by or BY_HAND
  C.kiln_tensor_release(p)
  free[nfree] = i
  nfree = nfree + 1
end

--- While it is on nothing is swept: somebody makes collected handles again.
---@param on boolean
function M.pause_sweeps(on) paused = on end

--- What the core holds for a slot.
function M.held(slot) return ptrs[slot] end

--- Was the handle of this slot collected, and what it held not released yet?
function M.is_hole(slot) return slots[slot] == nil and ptrs[slot] ~= nil end

--- The handle of a slot, made again if it was collected.
---@param slot integer
---@param lasts integer  what a new one says
---@return kiln.Tensor
function M.revive(slot, lasts)
  local h = slots[slot]
  if h == nil then
    h = Handle(ptrs[slot], slot)
    h.lasts = lasts
    slots[slot] = h
  end
  return h
end

--- Sets the function that sees each new handle (nil: none), and returns the one before.
function M.set_watch(f)
  local before = watch
  watch = f
  return before
end

--- Does anybody see new handles: is a scope open?
function M.is_watched() return watch ~= nil end

--- What is to be said of a freed handle that is used.
function M.why_freed(h)
  return FREED_BY[h.slot] or FREED_BY[BY_HAND]
end

--- Sets the function that wrap() calls when Ctrl-C was pressed; it may raise.
function M.set_interrupted(f) on_interrupt = f end

--- Sets the function that is told keys whose node or tensor is gone.
function M.set_dead_key(f) on_dead_key = f end

--- Sets the function that looks for cycles through the core, at so many objects; it returns how many tensors
--- it found in some, nil where there was nothing to look at.
function M.set_find_cycles(f) find_cycles = f end

--- Called once accelerators are in use: their memory counts from now on.
function M.set_accelerators(n) accelerators = n end

--- How many slots there are, and how many are free.
function M.counts() return size, nfree end

grow(FIRST_SIZE)

-- At the end of a Lua state one userdata releases all that is left.  Finalizers that run later, of userdata
-- that are older, or that others made, find freed tensors and get no new ones.
local last = newproxy(true)
getmetatable(last).__gc = function()
  for i = 1, size do
    local p, h = ptrs[i], slots[i]
    ptrs[i] = nil
    if h then
      h.p = nil
      h.slot = CLOSED
    end
    C.kiln_tensor_release(p)
  end
  size, nfree, mark, is_closed = 0, 0, math.huge, true
  C.kiln_lua_close(state)
end
anchor[4] = last
M.anchor = anchor

return M
