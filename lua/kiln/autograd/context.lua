--- The ctx of a Function: what forward leaves there for backward.
-- A node dies when no tensor leads to it any more.  Lua's collector does not see the way through the
-- graph, so a ctx that held an output of its own node would keep both for ever.  Therefore what forward
-- leaves on ctx of its outputs and of the arguments that require grad, in plain tables too, is kept by the
-- node as save_for_backward keeps it: its version is checked, and a read in backward makes it anew, with its
-- history.
-- An output that a closure on ctx holds loses its history there; such a backward cannot be differentiated.
-- What else forward computed has no history, for nothing is recorded there.  Where backward reads it while
-- a graph is being created, it comes with a node (refusal.lua) that raises if it is differentiated through.
--
-- It refuses to look into objects (tables with a metatable, but for ctx), into modules, and past the first
-- thousand values, and it does not see what a variable that a closure names is given after forward: an output
-- that is hidden there is found by cycles.lua, when memory is short.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local anomaly = require "kiln.autograd.anomaly"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local graph = require "kiln.autograd.graph"
local handles = require "kiln.handles"
local refusal = require "kiln.autograd.refusal"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local wrap, is_tensor = handles.wrap, check.is_tensor
local LIMIT = 1000

-- -- What forward and backward see -----------------------------------------------------------------

---@class kiln.Context
---@field needs_input_grad boolean[]  does argument i of forward need a gradient
---@field saved_tensors kiln.Tensor[]  in backward: what save_for_backward kept, versions checked
local methods = {}

-- A context holds what the user puts there only; all else is in its metatable.
local function state_of(ctx)
  local meta = type(ctx) == "table" and getmetatable(ctx)
  return type(meta) == "table" and meta.state or nil
end
M.state_of = state_of

-- The state of a context whose forward is running.
local function in_forward(ctx, name)
  local state = state_of(ctx)
  if not state then check.raise(name, "is a method of the ctx that forward gets") end
  if state.is_over then check.raise(state.name, "%s can be called in forward only", name) end
  return state
end

local function tensors_only(name, ...)
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if v ~= nil then check.tensor(v, name, ("tensor %d"):format(i)) end
  end
end

--- Keeps tensors (arguments, outputs, others; nil is allowed) for backward.  They may not be written from
--- then on.
function methods:save_for_backward(...)
  tensors_only("save_for_backward", ...)
  local list, versions = { n = select("#", ...), ... }, {}
  for i = 1, list.n do versions[i] = list[i] ~= nil and C.kiln_tensor_version(list[i].p) end
  local state = in_forward(self, "save_for_backward")
  state.to_save, state.versions = list, versions
end

--- Says which arguments forward wrote in place; they must be outputs too.
function methods:mark_dirty(...)
  tensors_only("mark_dirty", ...)
  in_forward(self, "mark_dirty").dirty = { ... }
end

--- Says which outputs have no gradient.
function methods:mark_non_differentiable(...)
  tensors_only("mark_non_differentiable", ...)
  in_forward(self, "mark_non_differentiable").plain = { ... }
end

--- Should backward get zeros (true, the usual) or nil for outputs that no gradient reached?
---@param on boolean
function methods:set_materialize_grads(on)
  in_forward(self, "set_materialize_grads").materialize = check.bool(on, "set_materialize_grads", "on")
end

-- -- Reading what the node keeps -------------------------------------------------------------------

-- A tensor that the node keeps: { target = { at }, size, stride, offset }, geometry where it is another look
-- at the memory of an output.
local Saved = {}

-- x, which forward computed from an argument: it may not be differentiated through.
local function guarded(state, x, what)
  if not C.kiln_grad_enabled() then return x end
  return refusal.of(x, state.node, {}, ("%s: %s was computed in forward, where nothing is recorded: backward "
    .. "cannot be differentiated through it; return it from forward, or compute it again in backward")
    :format(state.name, what))
end

local function unpack_saved(state, saved, what)
  if not state.node then check.raise(state.name, "%s can be read in backward only", what) end
  local p = C.kiln_node_saved(state.node, saved.target.at)
  if p == nil then anomaly.raise_core(state.name) end
  local x = wrap(p)
  if saved.target.derived then return guarded(state, x, what) end
  return saved.size and x:as_strided(saved.size, saved.stride, saved.offset) or x
end

-- What stays on ctx, and is guarded: { tensor }.
local Derived = {}

-- A table that tensors were taken out of: { fields }.
local Frozen = {}

local function thaw(state, v, what)
  local kind = type(v) == "table" and getmetatable(v)
  if kind == Saved then return unpack_saved(state, v, what) end
  if kind == Derived then return state.node and guarded(state, v.tensor, what) or v.tensor end
  if kind ~= Frozen then return v end
  local made = state.thawed and state.thawed[v]
  if made then return made end
  if not state.node then check.raise(state.name, "%s can be read in backward only", what) end
  made = {}
  state.thawed[v] = made
  for k, field in pairs(v.fields) do made[k] = thaw(state, field, what) end
  return made
end

local function saved_tensors(state)
  if not state.node then check.raise(state.name, "saved_tensors can be read in backward only") end
  local list = {}
  for i = 1, state.saved.n do
    if state.saved[i] then list[i] = unpack_saved(state, state.saved[i], ("saved tensor %d"):format(i)) end
  end
  return list
end

local function read(ctx, key)
  local state = state_of(ctx)
  if key == "saved_tensors" or key == "saved_variables" then return saved_tensors(state) end
  if key == "needs_input_grad" then return state.needs end
  local kept = state.kept and state.kept[key]
  if kept ~= nil then return thaw(state, kept, "ctx." .. tostring(key)) end
  return methods[key]
end

local function write(ctx, key, value)
  local state = state_of(ctx)
  if state.kept then state.kept[key] = nil end
  rawset(ctx, key, value)
end

--- A ctx for a call of the Function `name`, and the state behind it.
function M.new(name, needs)
  local state = { name = name, needs = needs, materialize = true, saved = { n = 0 } }
  return setmetatable({}, { __index = read, __newindex = write, __name = "Context", state = state }), state
end

-- -- Finding outputs and arguments ------------------------------------------------------------------

local function address(p) return tonumber(ffi.cast("uintptr_t", p)) end

local function storage_of(x) return address(C.kiln_peek_storage(x.p)) end

-- The differentiable outputs and the arguments that require grad, to be found by tensor and by memory.
-- outputs: false where one is not differentiable.
local Targets = {}
Targets.__index = Targets

local function is_float(x) return dtypes.by_code[C.kiln_tensor_dtype(x.p)].is_floating_point end

--- What of its arguments and outputs a call may have left on its ctx, or wants saved.
function M.targets(ctx, inputs, outputs)
  local state = state_of(ctx)
  local t = setmetatable({ by_tensor = {}, by_storage = {}, constant = {}, written = {} }, Targets)
  if next(ctx) == nil and not state.to_save then return t end
  for _, y in pairs(state.plain or {}) do t.constant[storage_of(y)] = true end -- forward says so
  for _, y in pairs(state.dirty or {}) do t.written[storage_of(y)] = true end
  for i = 1, #outputs do
    local y = outputs[i]
    if y and is_float(y) then
      local target = { tensor = y, output = i }
      t.by_tensor[address(y.p)] = target
      t.by_storage[storage_of(y)] = target
    end
  end
  for _, x in ipairs(inputs) do -- the base of an output that was written has a new history, which leads to it
    if C.kiln_requires_grad(x.p) and not t.by_storage[storage_of(x)] then
      t.by_tensor[address(x.p)] = { tensor = x }
    end
  end
  for _, x in ipairs(inputs) do -- of several over one memory the first speaks for views
    local target, storage = t.by_tensor[address(x.p)], storage_of(x)
    t.by_storage[storage] = t.by_storage[storage] or target
  end
  return t
end

-- What v is kept as; nil when ctx may hold v itself.
function Targets:saved(v)
  if v.p == nil then return nil end
  local target = self.by_tensor[address(v.p)]
  if target then return setmetatable({ target = target }, Saved) end
  local storage, derived = storage_of(v), C.kiln_is_derived(v.p)
  target = self.by_storage[storage]
  if target and not target.output and not derived then return nil end -- detached: a constant
  if not target and derived and not self.constant[storage] then
    return setmetatable({ tensor = v }, Derived)
  end
  if target and target.output and not self.written[storage] and C.kiln_requires_grad(v.p) then
    return setmetatable({ tensor = v }, Derived) -- of a graph that forward made for itself
  end
  if not target or C.kiln_tensor_dtype(v.p) ~= C.kiln_tensor_dtype(target.tensor.p) then return nil end
  local size, stride = {}, {}
  for d = 1, C.kiln_tensor_ndim(v.p) do
    size[d] = tonumber(C.kiln_tensor_size(v.p, d - 1))
    stride[d] = tonumber(C.kiln_tensor_stride(v.p, d - 1))
  end
  return setmetatable({ target = target, size = size, stride = stride,
    offset = tonumber(C.kiln_tensor_offset(v.p)) }, Saved)
end

local function is_plain(v) return type(v) == "table" and getmetatable(v) == nil end

-- Modules reach everything, and everything reaches modules.
local function is_module(search, t)
  if not search.modules then
    search.modules = { [package.loaded] = true }
    for _, m in pairs(package.loaded) do search.modules[m] = true end
  end
  return search.modules[t]
end

-- Notes outputs that closures hold, in their upvalues and in plain tables there.
local function look_into(search, f)
  if search.seen[f] or search.left <= 0 then return end
  search.seen[f] = true
  local function look(v, name)
    search.left = search.left - 1
    if type(v) == "function" then
      look_into(search, v)
    elseif is_tensor(v) then
      local saved = search.targets:saved(v)
      if saved and saved.target then
        saved.target.captured = name
      elseif saved then
        search.lost = name
      end
    elseif is_plain(v) and not search.seen[v] and not is_module(search, v) then
      search.seen[v] = true
      for _, e in pairs(v) do
        if search.left <= 0 then return end
        look(e, name)
      end
    end
  end
  for i = 1, math.huge do
    local name, v = debug.getupvalue(f, i)
    if name == nil then return end
    look(v, name)
  end
end

-- Lists the plain tables that a table leads to, and what they hold that must not stay there.
local function collect(search, t)
  search.found[t] = {}
  search.tables[#search.tables + 1] = t
  for k, v in pairs(t) do
    search.left = search.left - 1
    if search.left <= 0 then return end
    local key = is_tensor(k) and search.targets:saved(k)
    if key and key.target then
      check.raise(search.name, "a table on ctx has an output or an argument as a key, which would keep "
        .. "itself alive")
    end
    if is_tensor(v) then
      search.found[t][k] = search.targets:saved(v)
      search.holds[t] = search.holds[t] or search.found[t][k] ~= nil
    elseif type(v) == "function" then
      look_into(search, v)
    elseif is_plain(v) and not search.found[v] and not is_module(search, v) then
      collect(search, v)
    end
  end
end

-- The tables that lead to tensors that must not stay: all others are left as they are.
local function spread(search)
  repeat
    local again = false
    for _, t in ipairs(search.tables) do
      for _, v in pairs(search.holds[t] and {} or t) do
        if type(v) == "table" and search.holds[v] then
          search.holds[t], again = true, true
          break
        end
      end
    end
  until not again
end

local function freeze(search, t)
  local frozen = search.frozen[t]
  if frozen then return frozen end
  frozen = setmetatable({ fields = {} }, Frozen)
  search.frozen[t] = frozen
  for k, v in pairs(t) do
    local saved = search.found[t][k]
    if saved and saved.target then
      search.used[#search.used + 1] = saved
    elseif not saved and type(v) == "table" and v ~= search.ctx and search.holds[v] then
      v = freeze(search, v)
    end
    frozen.fields[k] = saved or v
  end
  return frozen
end

--- Takes off ctx what it must not hold.  Returns what the node is to save for it, and whether closures hold
--- outputs or arguments (targets[...].captured says which).
function M.take(ctx, targets)
  local state, used = state_of(ctx), {}
  if next(ctx) == nil then return used, false end
  local search = { name = state.name, ctx = ctx, targets = targets, left = LIMIT, used = used, seen = {},
    tables = {}, found = {}, holds = {}, frozen = {} }
  collect(search, ctx)
  spread(search)
  if search.holds[ctx] then
    state.kept = {}
    for k, v in pairs(freeze(search, ctx).fields) do
      local kind = type(v) == "table" and getmetatable(v)
      if kind == Saved or kind == Frozen or kind == Derived then
        state.kept[k] = v
        rawset(ctx, k, nil)
      end
    end
  end
  state.lost = search.lost
  local captured = false
  for _, target in pairs(targets.by_tensor) do captured = captured or target.captured ~= nil end
  return used, captured
end

--- Has the node save what `used` and save_for_backward name.
function M.save(state, node, targets, used)
  local function save(target)
    if target.at then return true end
    local at = C.kiln_node_save(node, target.tensor.p, target.output ~= nil)
    target.at = at >= 0 and at or nil
    return at >= 0
  end
  for _, saved in ipairs(used) do if not save(saved.target) then return false end end
  for _, target in pairs(targets.by_tensor) do
    if target.captured then
      if not save(target) then return false end
      state.captured = state.captured or {}
      table.insert(state.captured, target)
    end
  end
  local list = state.to_save or { n = 0 }
  state.saved = { n = list.n }
  for i = 1, list.n do
    if list[i] ~= nil then
      local saved = targets:saved(list[i])
      if not saved or not saved.target then
        saved = setmetatable({ target = { tensor = list[i], derived = saved ~= nil } }, Saved)
      end
      if not save(saved.target) then return false end
      state.saved[i] = saved
    end
  end
  for _, target in pairs(targets.by_tensor) do target.tensor = nil end
  for i = 1, list.n do if state.saved[i] then state.saved[i].target.tensor = nil end end
  return true
end

-- -- Around backward ----------------------------------------------------------------------------------

--- Lets ctx be read while backward runs.
function M.enter(state, node)
  if state.lost and C.kiln_grad_enabled() then
    check.raise(state.name, "a closure on ctx holds what forward computed (as %s), where nothing is "
      .. "recorded: backward cannot be differentiated; return it from forward, or compute it in backward",
      state.lost)
  end
  for _, target in ipairs(state.captured or {}) do
    if target.output and C.kiln_grad_enabled() then
      check.raise(state.name, "a closure on ctx holds an output (as %s), where it has no history: this "
        .. "backward cannot be differentiated; give it to save_for_backward", target.captured)
    end
    local p = C.kiln_node_saved(node, target.at)
    if p == nil then anomaly.raise_core(state.name) end
    C.kiln_tensor_release(p)
  end
  state.node, state.thawed = node, {}
end

--- Ends it.  What backward has left on ctx may not lead back to its node.
function M.leave(ctx, state, ok)
  local node = state.node
  state.node, state.thawed = nil, nil
  if not ok or not C.kiln_grad_enabled() then return end
  local seen = {}
  local function look(t)
    seen[t] = true
    for k, v in pairs(t) do
      if is_tensor(v) and v.p ~= nil and graph.leads_to(v, node) then
        t[k] = nil
        check.raise(state.name, "backward has left a tensor on ctx (as %s) whose history leads back to it, "
          .. "which would keep itself alive; leave x:detach() there", tostring(k))
      elseif is_plain(v) and not seen[v] then
        look(v)
      end
    end
  end
  look(ctx)
end

return M
