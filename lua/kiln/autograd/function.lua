--- autograd.Function: an op whose forward and backward are Lua.
--
--   local Exp = kiln.autograd.Function:extend("Exp")
--   function Exp.forward(ctx, x)
--     local y = x:exp()
--     ctx:save_for_backward(y)
--     return y
--   end
--   function Exp.backward(ctx, g) return g * ctx.saved_tensors[1] end
--   local y = Exp.apply(x)
--
-- forward runs without recording.  backward gets one gradient an output and returns one an argument
-- of forward (nil for what is no tensor).  It is recorded itself when a graph is being created, so
-- it can be differentiated again; what forward computed on the way has no history, and to differentiate
-- through it is refused: return it as an output where that matters.  An output that shares memory with an
-- argument or another output, and was not marked dirty, is copied: another history must not speak for it.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local context = require "kiln.autograd.context"
local create = require "kiln.create"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local keys = require "kiln.autograd.keys"
local modes = require "kiln.modes"
local refusal = require "kiln.autograd.refusal"
local size = require "kiln.size"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local function pack(...) return { n = select("#", ...), ... } end

local function same(list, x)
  for _, y in ipairs(list or {}) do if y.p == x.p then return true end end
  return false
end

-- -- Backward ----------------------------------------------------------------------------------

local Record = {}
Record.__index = Record

local function zeros(meta)
  return create.zeros(meta.shape, { dtype = meta.dtype, device = meta.device })
end

-- Checks the results of backward and hands them to the pass.
local function give(record, task, n, ...)
  for i = n + 1, record.n_args do
    local k = record.position[i]
    if k and C.kiln_task_wanted(task, k - 1) ~= 0 then
      check.raise(record.name, "backward returned %d gradients, and argument %d requires grad (nil says "
        .. "that it has none)", n, i)
    end
  end
  for i = 1, n do
    local g = select(i, ...)
    local k = record.position[i]
    if g ~= nil then
      if i > record.n_args then
        check.raise(record.name, "backward returned %d gradients, forward took %d arguments", n,
          record.n_args)
      end
      if not check.is_tensor(g) then
        check.raise(record.name, "gradient %d that backward returned must be a tensor or nil, got %s", i,
          check.got(g))
      end
      check.tensor(g, record.name, "a gradient that backward returned")
      if not k then
        check.raise(record.name, "backward returned a gradient for argument %d, which is no tensor", i)
      end
      if C.kiln_task_wanted(task, k - 1) ~= 0 then
        check.status(C.kiln_task_give(task, k - 1, g.p), record.name)
      end
    end
  end
end

local function results_of(record, task, ...) give(record, task, select("#", ...), ...) end

--- Called by the pass when it reaches the node.
function Record:run_backward(task)
  local state = context.state_of(self.ctx)
  local grads, n = {}, C.kiln_task_count(task)
  for i = 1, n do
    if C.kiln_task_has_grad(task, i - 1) then
      grads[i] = bind.made(self.name, C.kiln_task_grad, task, i - 1)
    elseif state.materialize then
      grads[i] = zeros(self.outputs[i])
    end
  end
  context.enter(state, C.kiln_peek_task_node(task))
  local ok, err = pcall(function()
    results_of(self, task, refusal.watched(state.node, "the backward of " .. self.name, self.class.backward,
      self.ctx, unpack(grads, 1, n)))
  end)
  context.leave(self.ctx, state, ok)
  keys.touch(self.key)
  if not ok then error(err, 0) end
end

-- -- Forward -----------------------------------------------------------------------------------

local function shares_memory(x, inputs)
  local s = C.kiln_peek_storage(x.p)
  for _, y in ipairs(inputs) do if C.kiln_peek_storage(y.p) == s then return true end end
  return false
end

local function meta_of(x)
  return { shape = size.of(x), dtype = dtypes.by_code[C.kiln_tensor_dtype(x.p)],
    device = devices.of(C.kiln_tensor_device(x.p)) }
end

local function pointer_array(list, n)
  local p = ffi.new("kiln_tensor *[?]", math.max(1, n))
  for i = 1, n do p[i - 1] = list[i] and list[i].p or nil end
  return p
end

local function replace(list, old, new)
  for k, x in pairs(list or {}) do if check.is_tensor(x) and x.p == old.p then list[k] = new end end
end

-- What is returned in place of output y, which is not marked dirty: a tensor without a history, which
-- nothing else looks at.  (Recording would take a history away, and a view would speak for its base.)  What a
-- class that `gives_views` returns may do that: its node is an identity.
local function own(class, state, inputs, outputs, y)
  local new
  if class.gives_views then return y end
  if C.kiln_requires_grad(y.p) or shares_memory(y, inputs) or shares_memory(y, outputs) then
    new = modes.no_grad(y.clone, y)
  elseif C.kiln_peek_base(y.p) ~= nil then
    new = y:detach()
  else
    return y
  end
  if not same(inputs, y) then replace(state.to_save, y, new) end
  replace(state.plain, y, new)
  return new
end

-- The tensors among the results, each on its own.
local function take_outputs(class, state, inputs, results)
  local outputs = {}
  for i = 1, results.n do
    local y = results[i]
    if check.is_tensor(y) then
      check.tensor(y, class.__name, ("output %d"):format(i))
      if not same(state.dirty, y) then y = own(class, state, inputs, outputs, y) end
      results[i] = y
      outputs[#outputs + 1] = y
    end
  end
  for _, x in ipairs(state.dirty or {}) do
    if not same(outputs, x) then
      check.raise(class.__name, "a tensor marked dirty must be among the outputs")
    end
    if same(state.plain, x) then
      check.raise(class.__name, "a tensor cannot be marked both dirty and non-differentiable")
    end
  end
  return outputs
end

-- Puts another tensor with the same memory in the place of an output that a closure on ctx holds.
local function set_free(class, state, targets, outputs, results)
  for _, target in pairs(targets.by_tensor) do
    local y = target.tensor
    if target.captured and same(state.dirty, y) then
      check.raise(class.__name, "a closure on ctx holds an argument that was written in place (as %s), which "
        .. "would keep itself alive; give it to save_for_backward", target.captured)
    elseif target.captured and target.output then
      local new = modes.no_grad(y.detach, y)
      target.tensor, outputs[target.output] = new, new
      replace(results, y, new)
      replace(state.to_save, y, new)
    end
  end
end

-- Records the node: outputs is a list of tensors, false where one is not differentiable.
local function record_node(class, ctx, state, inputs, position, n_args, outputs, results)
  local metas, is_dirty = {}, ffi.new("bool[?]", math.max(1, #outputs))
  for i, y in ipairs(outputs) do
    metas[i] = meta_of(y)
    if same(state.dirty, y) then is_dirty[i - 1] = true end
    if same(state.plain, y) then outputs[i] = false end
  end
  local targets = context.targets(ctx, inputs, outputs)
  local used, captured = context.take(ctx, targets)
  if captured then set_free(class, state, targets, outputs, results) end
  local record = setmetatable({ class = class, ctx = ctx, name = class.__name, position = position,
    n_args = n_args, outputs = metas }, Record)
  local key = keys.new(record)
  record.key = key
  local node = C.kiln_node_lua(key, class.__name, pointer_array(inputs, #inputs), #inputs,
    pointer_array(outputs, #outputs), #outputs, is_dirty)
  if node == nil then
    keys.drop(key)
    check.raise_core(class.__name)
  end
  local ok = context.save(state, node, targets, used)
  C.kiln_node_release(node)
  if not ok then check.raise_core(class.__name) end
end

-- The versions of the arguments that a gradient flows to, so that a write that forward does not
-- tell of is noticed: the gradient would miss it.
local function versions_of(inputs)
  local list = {}
  for i, x in ipairs(inputs) do
    list[i] = C.kiln_requires_grad(x.p) and C.kiln_tensor_version(x.p) or false
  end
  return list
end

-- Do two tensors over one memory have a place in common?
local function overlap(x, y)
  if C.kiln_tensor_dtype(x.p) ~= C.kiln_tensor_dtype(y.p) then return true end
  local sizes, stride, offset, places = {}, {}, {}, 0
  for i, t in ipairs { x, y } do
    sizes[i], stride[i], offset[i] = size.of(t), t:stride(), tonumber(C.kiln_tensor_offset(t.p))
    local last = offset[i]
    for d = 1, #sizes[i] do last = last + (sizes[i][d] - 1) * stride[i][d] end
    places = math.max(places, last + 1)
  end
  if x:numel() == 0 or y:numel() == 0 then return false end
  local marks = create.zeros(places, { dtype = "uint8", device = x.device })
  marks:as_strided(sizes[1], stride[1], offset[1]):fill_(1)
  return marks:as_strided(sizes[2], stride[2], offset[2]):max():item() == 1
end

-- Two outputs that were written in place each have a history that knows nothing of the other's write.
local function check_dirty(class, state, outputs)
  for j = 2, #outputs do
    for i = 1, j - 1 do
      local x, y = outputs[i], outputs[j]
      if same(state.dirty, x) and same(state.dirty, y) and shares_memory(x, { y }) and overlap(x, y) then
        check.raise(class.__name, "outputs %d and %d are marked dirty and share memory: the gradient of one "
          .. "would miss what was written into the other; clone one of them", i, j)
      end
    end
  end
end

-- What a volatile argument does to the outputs; as with ops, one that was written keeps its history.
local function spread_volatile(class, state, outputs)
  local recording = C.kiln_grad_enabled()
  for i, y in ipairs(outputs) do
    local written = same(state.dirty, y)
    if written and recording and C.kiln_requires_grad(y.p) then
      check.raise(class.__name, "a volatile argument would cut the history of output %d, which was written "
        .. "in place", i)
    end
    if recording or not written then C.kiln_set_volatile(y.p, true) end
  end
end

-- forward may have freed what it got or marked.
local function check_alive(class, list, what)
  for _, x in pairs(list or {}) do if check.is_tensor(x) then check.tensor(x, class.__name, what) end end
end

local function check_writes(class, state, inputs, position, versions)
  for argument, i in pairs(position) do
    local x = inputs[i]
    if versions[i] and C.kiln_tensor_version(x.p) ~= versions[i]
      and not shares_memory(x, state.dirty or {}) then
      check.raise(class.__name, "forward wrote into argument %d, which requires grad; say so with mark_dirty",
        argument)
    end
  end
end

-- What was saved and written afterwards: which of the two values did forward mean?
local function check_saved(class, state)
  for i, version in pairs(state.versions or {}) do
    local x = state.to_save[i]
    if version and C.kiln_tensor_version(x.p) ~= version then
      check.raise(class.__name, "forward wrote into saved tensor %d after save_for_backward; save it after "
        .. "the write, or save a clone", i)
    end
  end
end

-- To the outermost forward what comes in without a history is constant, and so is to others what goes out.
local function forget_derived(values, n)
  for i = 1, n do if check.is_tensor(values[i]) then C.kiln_forget_derived(values[i].p) end end
end

local function run_forward(class, ctx, records, inputs, ...)
  local was, outer
  local protects, list = records and #inputs or 0, pointer_array(inputs, #inputs)
  return modes.during(function()
    was, outer = C.kiln_set_noting(true), C.kiln_protect(list, protects)
    if not was then forget_derived(inputs, #inputs) end
    if not (records or was) then C.kiln_set_noting(false) end
  end, function()
    C.kiln_set_noting(was)
    C.kiln_protect_only(outer)
  end, modes.no_grad, class.forward, ctx, ...)
end

local function apply(class, ...)
  if class.forward == nil then check.raise(class.__name, "has no forward") end
  check.fn(class.forward, class.__name, "forward")
  local n_args, inputs, position = select("#", ...), {}, {}
  local needs, any, is_volatile = {}, false, false
  for i = 1, n_args do
    local v = select(i, ...)
    needs[i] = false
    if check.is_tensor(v) then
      check.tensor(v, class.__name, ("argument %d"):format(i))
      inputs[#inputs + 1] = v
      position[i] = #inputs
      needs[i] = C.kiln_requires_grad(v.p)
      any = any or needs[i]
      is_volatile = is_volatile or C.kiln_is_volatile(v.p)
    end
  end
  local begin = C.kiln_profile_begin()
  local records = any and C.kiln_grad_enabled() and not is_volatile
  if not records then for i = 1, n_args do needs[i] = false end end
  local ctx, state = context.new(class.__name, needs)
  local versions = records and versions_of(inputs)
  local results = pack(run_forward(class, ctx, records, inputs, ...))
  check_alive(class, inputs, "an argument")
  check_alive(class, state.to_save, "a tensor to save")
  check_alive(class, state.dirty, "a tensor marked dirty")
  check_alive(class, state.plain, "a tensor marked non-differentiable")
  if records then
    check_writes(class, state, inputs, position, versions)
    check_saved(class, state)
  end
  local outputs = take_outputs(class, state, inputs, results)
  if records then
    if class.backward == nil then check.raise(class.__name, "has no backward") end
    check.fn(class.backward, class.__name, "backward")
    check_dirty(class, state, outputs)
    record_node(class, ctx, state, inputs, position, n_args, outputs, results)
  elseif is_volatile then
    spread_volatile(class, state, outputs)
  end
  state.is_over = true
  state.to_save, state.versions = nil, nil -- these would keep their own graph alive
  state.dirty, state.plain = nil, nil
  if records then forget_derived(results, results.n) end
  C.kiln_profile_end(class.__name, begin)
  return unpack(results, 1, results.n)
end

---@class kiln.Function
---@field forward fun(ctx: kiln.Context, ...): any
---@field backward fun(ctx: kiln.Context, ...): any
---@field apply fun(...): any
local Function = { __name = "Function" }
M.Function = Function

--- A new Function; give it forward and backward, then call Name.apply(...).
---@param name string  what graphs and errors call it
---@param members? table
---@return kiln.Function
function Function:extend(name, members)
  if type(name) ~= "string" then
    check.raise("Function", "extend takes the name as a string, got %s", check.got(name))
  end
  if name:find "%c" then
    check.raise("Function", "extend: the name '%s' has a control character", check.one_line(name))
  end
  local class = members or {}
  class.__name = name
  function class.apply(first, ...)
    if first == class then return apply(class, ...) end
    return apply(class, first, ...)
  end
  return setmetatable(class, {
    __index = self, __tostring = function() return "Function " .. name end,
    __call = function(_, ...) return apply(class, ...) end,
  })
end

-- -- once_differentiable -------------------------------------------------------------------------

local function requiring_grad(list)
  local found = {}
  for i = 1, list.n do
    if check.is_tensor(list[i]) and C.kiln_requires_grad(list[i].p) then found[#found + 1] = list[i] end
  end
  return found
end

-- The results of a backward that depended on these, each with a node that refuses.
local function refused(ctx, given, ...)
  local results, state = pack(...), context.state_of(ctx)
  for i = 1, results.n do
    if check.is_tensor(results[i]) then
      results[i] = refusal.of(results[i], state and state.node, given, ("the backward of %s is marked "
        .. "once_differentiable, it cannot be differentiated"):format(state and state.name or "a Function"))
    end
  end
  return unpack(results, 1, results.n)
end

--- Marks a backward that must not be differentiated again: it runs unrecorded, and differentiating
--- its results raises.  Exp.backward = once_differentiable(function(ctx, g) ... end)
---@param backward function
---@return function
function M.once_differentiable(backward)
  check.fn(backward, "once_differentiable", "backward")
  return function(...)
    if not C.kiln_grad_enabled() then return backward(...) end
    return refused((...), requiring_grad(pack(...)), modes.no_grad(backward, ...))
  end
end

return M
