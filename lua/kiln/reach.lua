--- What a value leads to: the tensors in tables (keys, values and metatables), in the variables of functions,
-- in coroutines that have stopped and in userdata.  Weak references lead nowhere, nor do loaded modules and
-- globals, which lead everywhere.  It refuses to look into the core: what a graph needs stays anyway.
local handles = require "kiln.handles"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local is_tensor = handles.is_tensor
local getmetatable, getfenv, getupvalue, getlocal, getinfo, status = debug.getmetatable, debug.getfenv,
  debug.getupvalue, debug.getlocal, debug.getinfo, coroutine.status

local CONTAINERS = { table = true, ["function"] = true, thread = true, userdata = true }

---@class kiln.Reach
local Reach = {}
Reach.__index = Reach

-- Tensors are visited now, what holds others is noted for later.  v stands at a key of a table, or is a
-- variable of a function, or of one that a coroutine runs at some level.
local function meet(self, v, object, at, level)
  if is_tensor(v) then
    if v.p ~= nil then self.visit(v, object, at, level) end
  elseif CONTAINERS[type(v)] and not self.seen[v] then
    self.seen[v] = true
    local n = self.n + 1
    self.stack[n], self.n = v, n
  end
end

local open = {}

function open.table(self, t)
  local meta = getmetatable(t)
  local mode = meta and rawget(meta, "__mode")
  mode = type(mode) == "string" and mode or ""
  local keys, values = not mode:find "k", not mode:find "v"
  local is_keyed = false
  for k, v in next, t do
    if keys then
      meet(self, k)
      is_keyed = is_keyed or is_tensor(k)
    end
    if values then meet(self, v, t, k) end
  end
  meet(self, meta)
  if is_keyed then self.keyed[#self.keyed + 1] = t end
end

open["function"] = function(self, f)
  for i = 1, math.huge do
    local name, v = getupvalue(f, i)
    if name == nil then break end
    meet(self, v, f, i)
  end
  meet(self, getfenv(f))
end

function open.thread(self, co)
  local state = status(co)
  local place = (state == "suspended" or state == "dead") and co or nil
  for level = 0, math.huge do
    local info = getinfo(co, level, "f")
    if info == nil then break end
    meet(self, info.func)
    for step = 1, -1, -2 do -- variables and temporary values count up, what ... stands for counts down
      for i = step, step * math.huge, step do
        local name, v = getlocal(co, level, i)
        if name == nil then break end
        if type(v) == "table" then self.on_stack[v] = true end
        meet(self, v, place, i, level)
      end
    end
  end
end

function open.userdata(self, u)
  self.userdata[#self.userdata + 1] = u
  meet(self, getmetatable(u))
  meet(self, getfenv(u))
end

-- What walks do not enter: loaded modules, and of kiln's own also what they export, with the functions of the
-- same file that it calls.
local closed = setmetatable({ [package.loaded] = true }, { __mode = "k" })
local seen_meta, n_loaded = { __index = closed }, 0

local function close(v, source)
  local is_function = type(v) == "function"
  if not CONTAINERS[type(v)] or closed[v] or source and not is_function then return end
  local file = is_function and getinfo(v, "S").source
  if source and file ~= source then return end
  closed[v] = true
  for i = 1, is_function and math.huge or 0 do
    local name, below = getupvalue(v, i)
    if name == nil then break end
    close(below, file)
  end
end

local function close_modules()
  local n = 0
  for _ in next, package.loaded do n = n + 1 end
  if n == n_loaded then return end
  n_loaded = n
  for name, module in next, package.loaded do
    if CONTAINERS[type(module)] then closed[module] = true end
    for _, v in next, type(module) == "table" and tostring(name):find "^kiln" and module or {} do
      close(v)
      for _, member in next, type(v) == "table" and v or {} do
        if type(member) == "function" then close(member, getinfo(member, "S").source) end
      end
    end
  end
end

--- A walk that calls visit(tensor) for each living tensor that the values given to follow() lead to; where it
--- is at a key of a table, or a variable of a function, also with that and the key, or the variable's number;
--- where it is a variable in a coroutine that has stopped, also with the level of the function there.
--- It has `stopped` when they lead to more than `limit` objects, and lists the `userdata` that it met and the
--- tables that are `keyed` by tensors.  on_stack[t]: a coroutine has table t in a variable.
---@param visit fun(h: kiln.Tensor, object?: table|function|thread, at?: any, level?: integer)
---@param limit? integer
---@return kiln.Reach
function M.new(visit, limit)
  return setmetatable({ visit = visit, left = limit or math.huge, seen = setmetatable({}, seen_meta),
    stack = {}, n = 0, userdata = {}, keyed = {}, on_stack = {} }, Reach)
end

--- Goes where a value leads, but for where this walk has been.
function Reach:follow(v)
  meet(self, v)
  if self.n > 0 then close_modules() end
  while self.n > 0 do
    self.left = self.left - 1
    if self.left < 0 then
      self.stopped = true
      return
    end
    local n = self.n
    local next_one = self.stack[n]
    self.stack[n], self.n = nil, n - 1
    open[type(next_one)](self, next_one)
  end
end

local function keep(h) h.lasts = 1 end

--- Says that something which lasts holds v from now on: what v leads to outlives the scope that is open.
---@generic T
---@param v T
---@return T v
function M.keep(v)
  if is_tensor(v) then
    if v.p ~= nil then keep(v) end
  elseif handles.is_watched() and CONTAINERS[type(v)] then
    M.new(keep):follow(v)
  end
  return v
end

return M
