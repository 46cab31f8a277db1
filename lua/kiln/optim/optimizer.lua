--- What all optimizers share: groups of parameters, state by parameter, one fused step a group.
-- An algorithm is a declaration: its options, the state it keeps for a parameter, the numbers of a
-- step and the op row (lua/kiln/ops/optim.lua) that does the arithmetic.
local kiln = require "kiln"
local Object = require "kiln.class"
local args = require "kiln.utils.args"
local check = require "kiln.check"
local capturing = require "kiln.cuda.capturing"
local clear_grad = require("kiln.autograd.hooks").clear_grad
local fused = require "kiln.optim.fused"
local handles = require "kiln.handles"
local hooks = require "kiln.utils.hooks"
local reach = require "kiln.reach"

local raise, got = check.raise, check.got

-- The optimizer of a method, whose groups a script may have changed.
local function on_optimizer(self, method)
  check.self(self, method, "optimizer")
  if type(self.param_groups) ~= "table" then
    raise(self.__name, "%s: param_groups must be a list of groups, not %s", method, got(self.param_groups))
  end
  for i, group in ipairs(self.param_groups) do
    local params = type(group) == "table" and group.params
    if type(params) ~= "table" then
      raise(self.__name, "%s: param_groups[%d] must be a group with a list params, not %s", method, i,
        type(group) == "table" and "one without" or got(group))
    end
    for k, p in ipairs(params) do
      if not kiln.is_tensor(p) or p.p == nil then
        raise(self.__name, "%s: param_groups[%d].params[%d] must be a tensor, not %s", method, i, k, got(p))
      end
    end
  end
end

---@class kiln.optim.Optimizer: kiln.Object
---@field param_groups table[] each { params = {...}, lr = ..., ... }
---@field state table<kiln.Tensor, table>
local Optimizer = Object:extend("Optimizer")

-- A list of parameters from a list, or from what `net:named_parameters()` gives.
local function parameter_list(self, params)
  if type(params) == "function" then
    local list = {}
    for a, b in params do list[#list + 1] = b or a end
    params = list
  elseif kiln.is_tensor(params) then
    raise(self.__name, "params must be a list of tensors, not a tensor")
  elseif Object.is_instance(params, Object) then
    raise(self.__name, "params must be a list of tensors, not %s; of a module it is net:parameters()",
      got(params))
  end
  if type(params) ~= "table" then
    raise(self.__name, "params must be a list of tensors, not %s", got(params))
  end
  return params
end

--- `params` is a list of tensors, or of groups { params = {...}, option = value, ... }.
function Optimizer:init(params, ...)
  if not self.parse_options then raise("Optimizer", "is what optimizers share; use SGD, Adam, ...") end
  local parse, list = self.parse_options, parameter_list(self, params)
  self.defaults, self.param_groups, self.state, self.hooks = parse(...), {}, {}, {}
  self:check(self.defaults)
  self.option_names = {}
  for name in pairs(self.defaults) do self.option_names[#self.option_names + 1] = name end
  table.sort(self.option_names)
  if #list == 0 then
    raise(self.__name, "the list of parameters is empty; a module has those of the modules in its fields, "
      .. "where a list of modules must be an nn.ModuleList")
  end
  if kiln.is_tensor(list[1]) then list = { { params = list } } end
  for _, group in ipairs(list) do self:add_param_group(group) end
end
jit.off(Optimizer.init)

--- Refuses options out of range; algorithms extend it.
function Optimizer:check(o)
  for name, v in pairs(o) do
    if v ~= v then raise(self.__name, "%s must be a number, not nan", name) end
  end
  if o.differentiable then
    raise(self.__name, "differentiable = true: a step is not recorded; write it out in ops to go through it")
  end
  if o.lr == math.huge then raise(self.__name, "lr must be finite, not inf") end
  for _, name in ipairs { "lr", "eps", "weight_decay", "momentum", "lr_decay", "momentum_decay",
    "lambd", "alpha", "initial_accumulator_value" } do
    local at_least_0 = type(o[name]) ~= "number" or o[name] >= 0 -- false for NaN
    if not at_least_0 then
      raise(self.__name, "%s must be at least 0, not %s", name, tostring(o[name]))
    end
  end
  for i, beta in ipairs(o.betas or {}) do
    if not (beta >= 0 and beta < 1) then
      raise(self.__name, "betas[%d] must be in [0, 1), not %s", i, tostring(beta))
    end
  end
end
jit.off(Optimizer.check)

--- Adds a group with options of its own; the others are the defaults.
---@param group table { params = {...}, lr = ..., ... }
function Optimizer:add_param_group(group)
  on_optimizer(self, "add_param_group")
  if type(group) ~= "table" or group.params == nil then
    raise(self.__name, "a group must be a table with params, not %s",
      type(group) == "table" and "one without" or got(group))
  end
  local options, seen = {}, {}
  for name, value in pairs(self.defaults) do options[name] = value end
  for name, value in pairs(group) do
    if name ~= "params" and name ~= "initial_lr" then options[name] = value end
  end
  local added = self.parse_options(options)
  self:check(added)
  if group.initial_lr ~= nil then -- what a schedule starts from, and leaves in a group
    added.initial_lr = check.number(group.initial_lr, self.__name, "initial_lr")
  end
  local params = group.params
  added.params = parameter_list(self, kiln.is_tensor(params) and { params } or params)
  for _, other in ipairs(self.param_groups) do
    for _, p in ipairs(other.params) do seen[p] = true end
  end
  for i, p in ipairs(added.params) do
    if not kiln.is_tensor(p) then
      raise(self.__name, "params[%d] must be a tensor, not %s", i, got(p))
    end
    if not p.is_leaf then raise(self.__name, "params[%d] is not a leaf: it was computed", i) end
    if self.check_parameter then self.check_parameter(p, i) end
    if seen[p] then raise(self.__name, "params[%d] is in the optimizer already", i) end
    seen[p] = true
  end
  self.param_groups[#self.param_groups + 1] = added
end
jit.off(Optimizer.add_param_group)

--- Drops the gradients of all parameters, or fills them with zeros with { set_to_none = false }.
function Optimizer:zero_grad(options)
  on_optimizer(self, "zero_grad")
  if type(options) == "boolean" then options = { set_to_none = options } end
  options = check.options(options, { set_to_none = 1 }, self.__name .. ": zero_grad")
  local keep = options.set_to_none == false
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do clear_grad(p, keep) end
  end
end

--- Runs fn with recording off and returns nothing; errors pass through.
local function without_grad(fn, ...)
  local was = kiln.is_grad_enabled()
  kiln.set_grad_enabled(false)
  local ok, message = pcall(fn, ...)
  kiln.set_grad_enabled(was)
  if not ok then error(message, 0) end
end
Optimizer.without_grad = without_grad

-- Parameters that can take their step in one call: same dtype, device, step number and carried number.
local function find_bucket(buckets, p, step, carried, n_states)
  local dtype, device = p.dtype, p.device
  for i = 1, #buckets do
    local b = buckets[i]
    if b.dtype == dtype and b.device == device and b.step == step and b.carried == carried then return b end
  end
  local b = { dtype = dtype, device = device, step = step, carried = carried, lists = { {}, {} } }
  for i = 1, n_states do b.lists[2 + i] = {} end
  buckets[#buckets + 1] = b
  return b
end

--- A parameter's state, made at its first step; counts the step.  Says too whether tensors of it are new.
function Optimizer:state_of(group, p, names)
  local state = self.state[p]
  if not state then
    state = { step = 0 }
    self.state[p] = state
  end
  local made = false
  names = names or self.state_names(group)
  for i = 1, #names do -- options may have changed since the last step
    local name = names[i]
    if not state[name] then
      if capturing.current then
        raise(self.__name, "a replay would make %s anew; take a step before the capture, as its warm-up does",
          name)
      end
      state[name], made = reach.keep(self.state_start(group, name, p)), true
    end
  end
  state.step = state.step + 1
  return state, made
end

local function check_options(self, k, group)
  for _, name in ipairs(self.option_names) do -- a list: compiled, where pairs() must not be
    local default = self.defaults[name]
    if type(group[name]) ~= type(default) then
      raise(self.__name, "param_groups[%d].%s must be a %s, not %s", k, name, type(default),
        got(group[name]))
    end
  end
end

local function check_sparse(self, group, i)
  if not self.sparse then
    raise(self.__name, "the gradient of params[%d] is row-sparse; SGD, Adagrad and SparseAdam take "
      .. "those", i)
  end
  if (group.weight_decay or 0) ~= 0 then
    raise(self.__name, "weight_decay (%g) does not go with the row-sparse gradient of params[%d]",
      group.weight_decay, i)
  end
end

local SPARSE, DENSE = 1, 2

-- The gradients of a group, false where there is none, and of what kind each is.  Refuses those that the
-- algorithm does not take.
local function gather(self, group)
  local params, grads, kinds = group.params, {}, {}
  for i = 1, #params do
    local g = params[i].grad or false
    grads[i], kinds[i] = g, g and (g.is_sparse and SPARSE or DENSE)
    if kinds[i] == SPARSE then
      check_sparse(self, group, i)
    elseif g and self.sparse_only then
      raise(self.__name, "the gradient of params[%d] is dense; Adam takes those, embeddings with sparse = "
        .. "true give row-sparse ones", i)
    end
  end
  return { grads = grads, kinds = kinds }
end

local function step_rows(self, group, p, g)
  local state, values = self:state_of(group, p), g:values()
  local wide = p.dtype == kiln.float64 and kiln.float64 or kiln.float32
  if values:numel() == 0 then return end
  if values.dtype ~= wide then values = values:to(wide) end
  if group.maximize then values = -values end
  local at = g:indices():view(-1)
  local change = self.sparse(group, at, values, state)
  p:index_add_(1, at, change:to(p.dtype))
end

-- A step of an algorithm that is written out in ops: each parameter on its own.
local function step_each(self, group, p, g)
  if capturing.current then raise(self.__name, "its step is many ops and cannot be captured in a graph") end
  local state = self:state_of(group, p, self.state_names(group, p))
  local wide = p.dtype == kiln.float64 and kiln.float64 or kiln.float32
  if g.dtype ~= wide then g = g:to(wide) end
  local change, share = self.each(group, p, group.maximize and g:neg() or g, state)
  if share ~= 1 then p:mul_(share) end
  p:add_(change:to(p.dtype))
end

-- The number that this step has of the ones before; keeps that of the next one, but for a step that is
-- captured and not taken.
local function carry(self, group, p, state, made)
  local now, next_one = self.carry(group, state.step, state[self.carried], made)
  if self.carried and not (capturing.current and p.device ~= "cpu") then state[self.carried] = next_one end
  return now
end

local function step_group(self, group, gathered)
  local buckets, names, params = {}, self.state_names(group), group.params
  for i = 1, #params do
    local p, g, kind = params[i], gathered.grads[i], gathered.kinds[i]
    if kind == SPARSE and (group.momentum or 0) ~= 0 then
      g, kind = g:to_dense(), DENSE -- all rows go on moving
    end
    if kind == SPARSE then
      step_rows(self, group, p, g)
    elseif kind == DENSE and self.each then
      step_each(self, group, p, g)
    elseif kind == DENSE then
      local state, made = self:state_of(group, p, names)
      local carried = self.carry and carry(self, group, p, state, made)
      local lists = find_bucket(buckets, p, state.step, carried, #names).lists
      local n = #lists[1] + 1
      lists[1][n], lists[2][n] = p, group.maximize and g:neg() or g
      for k = 1, #names do lists[2 + k][n] = state[names[k]] end
    end
  end
  for i = 1, #buckets do
    local b = buckets[i]
    if capturing.current and b.device ~= "cpu" then
      b.group = group
      require "kiln.optim.captured"(self, b)
    else
      fused(self.step_op)(b.lists, self.numbers(group, b.step, b.carried))
      for k = 1, #b.lists[2] do handles.free(b.lists[2][k]) end -- so that zero_grad frees what they hold
    end
  end
end

local function step_groups(self, gathered)
  for k, group in ipairs(self.param_groups) do step_group(self, group, gathered[k]) end
end

--- One step from the gradients in place.  A closure is run first, with recording, and its result returned.
---@param closure? fun(): kiln.Tensor
function Optimizer:step(closure)
  on_optimizer(self, "step")
  local loss
  hooks.run(self.hooks, "step pre-hook", self, closure)
  if closure ~= nil then
    loss = kiln.enable_grad(check.fn(closure, self.__name .. ": step", "closure"))
  end
  local gathered = {} -- all are looked at before anything is written
  for k, group in ipairs(self.param_groups) do
    check_options(self, k, group)
    gathered[k] = gather(self, group)
  end
  without_grad(step_groups, self, gathered)
  hooks.run(self.hooks, "step post-hook", self, closure)
  return loss
end

-- -- Hooks -------------------------------------------------------------------------------------

-- Each may be followed by { prepend = true }: then the hook comes before those that are there.

--- fn(optimizer, closure) before a step.  The handle's remove() takes it out again.
Optimizer.register_step_pre_hook = hooks.adder("hooks", "step pre-hook")
--- fn(optimizer, closure) after a step.
Optimizer.register_step_post_hook = hooks.adder("hooks", "step post-hook")
--- fn(optimizer) before state_dict looks at it.
Optimizer.register_state_dict_pre_hook = hooks.adder("hooks", "state_dict pre-hook")
--- fn(optimizer, state) of what state_dict gives; what it returns replaces the state.
Optimizer.register_state_dict_post_hook = hooks.adder("hooks", "state_dict post-hook")
--- fn(optimizer, state) of what load_state_dict gets; what it returns replaces the state.
Optimizer.register_load_state_dict_pre_hook = hooks.adder("hooks", "load_state_dict pre-hook")
--- fn(optimizer) after a state was loaded.
Optimizer.register_load_state_dict_post_hook = hooks.adder("hooks", "load_state_dict post-hook")

-- -- State -------------------------------------------------------------------------------------

-- A copy of v and of all that is in it; its tensors on `device`, if given.
local function copy_value(v, device)
  if kiln.is_tensor(v) then return v:to(device or v.device, { copy = true }) end
  if type(v) ~= "table" then return v end
  local copy = {}
  for key, item in pairs(v) do copy[key] = copy_value(item, device) end
  return copy
end
jit.off(copy_value) -- walks a table: docs/architecture.md, "LuaJIT"

--- Options and state as plain tables of numbers and tensors; parameters are numbered from 1.
function Optimizer:state_dict()
  on_optimizer(self, "state_dict")
  hooks.run(self.hooks, "state_dict pre-hook", self)
  local result, number = { state = {}, param_groups = {} }, 0
  for i, group in ipairs(self.param_groups) do
    local saved = { params = {} }
    for name, value in pairs(group) do
      if name ~= "params" then saved[name] = copy_value(value) end
    end
    for k, p in ipairs(group.params) do
      number = number + 1
      saved.params[k] = number
      if self.state[p] then result.state[number] = copy_value(self.state[p]) end
    end
    result.param_groups[i] = saved
  end
  return hooks.run(self.hooks, "state_dict post-hook", self, result)
end
jit.off(Optimizer.state_dict)

-- The state of parameter p in a saved one, or nil: a copy beside it, in the dtype that the core computes in.
local function load_state(self, mine, number, group, p)
  if mine == nil then return nil end
  if type(mine) ~= "table" then
    raise(self.__name, "load_state_dict: the state of parameter %s must be a table, not %s",
      check.one_line(tostring(number)), got(mine))
  end
  local wide, state = p.dtype == kiln.float64 and kiln.float64 or kiln.float32, copy_value(mine, p.device)
  for name, v in pairs(state) do
    if kiln.is_tensor(v) and v:dim() > 0 then
      if v:size() ~= p:size() and not self.free_shapes then
        raise(self.__name, "load_state_dict: %s of parameter %d is %s, the parameter %s", name, number,
          tostring(v.shape), tostring(p.shape))
      end
      state[name] = v:to(wide)
    end
  end
  for _, name in ipairs(self.state_names and self.state_names(group, p) or {}) do
    if state[name] ~= nil then check.tensor(state[name], self.__name .. ": load_state_dict", name) end
  end
  -- PyTorch has numbers as tensors; SGD's number of steps is missing, and the next one is not its first.
  for _, name in ipairs { "step", self.carried } do
    if kiln.is_tensor(state[name]) and state[name]:numel() == 1 then state[name] = state[name]:item() end
    if state[name] ~= nil then
      check.number(state[name], self.__name .. ": load_state_dict",
        ("%s of parameter %s"):format(name, number))
    end
  end
  if state.step == nil and next(state) ~= nil then state.step = 1 end
  if next(state) ~= nil then
    local name, step = self.__name .. ": load_state_dict", ("step of parameter %s"):format(number)
    check.at_least(check.number(state.step, name, step), name, step, 0)
  end
  return state
end
jit.off(load_state)

-- The options that a group will have with those of a saved one.
local function options_of(self, group, saved)
  local options = {}
  for _, name in ipairs(self.option_names) do
    options[name] = saved[name]
    if options[name] == nil then options[name] = group[name] end
  end
  return options
end

--- Takes over what state_dict gave; groups, options and shapes must fit, or nothing changes.
function Optimizer:load_state_dict(saved)
  on_optimizer(self, "load_state_dict")
  saved = hooks.run(self.hooks, "load_state_dict pre-hook", self, saved)
  if type(saved) ~= "table" or type(saved.param_groups) ~= "table" or type(saved.state) ~= "table" then
    raise(self.__name, "load_state_dict: the state must have `state` and `param_groups`")
  end
  if #saved.param_groups ~= #self.param_groups then
    raise(self.__name, "load_state_dict: the state has %d groups, the optimizer %d", #saved.param_groups,
      #self.param_groups)
  end
  local state = {}
  for i, group in ipairs(self.param_groups) do
    local numbers = type(saved.param_groups[i]) == "table" and saved.param_groups[i].params
    if type(numbers) ~= "table" then
      raise(self.__name, "load_state_dict: param_groups[%d] must be a group with a list params, not %s", i,
        type(saved.param_groups[i]) == "table" and "one without" or got(saved.param_groups[i]))
    end
    if #numbers ~= #group.params then
      raise(self.__name, "load_state_dict: group %d has %d parameters in the state and %d here", i,
        #numbers, #group.params)
    end
    self:check(self.parse_options(options_of(self, group, saved.param_groups[i])))
    for k, p in ipairs(group.params) do
      state[p] = load_state(self, saved.state[numbers[k]], numbers[k], group, p)
    end
  end
  for i, group in ipairs(self.param_groups) do
    for name, value in pairs(saved.param_groups[i]) do
      if name ~= "params" then group[name] = copy_value(value) end
    end
  end
  self.state = reach.keep(state)
  hooks.run(self.hooks, "load_state_dict post-hook", self)
end
jit.off(Optimizer.load_state_dict)

function Optimizer:__tostring()
  on_optimizer(self, "tostring")
  local lines = { self.__name .. " (" }
  for i, group in ipairs(self.param_groups) do
    lines[#lines + 1] = ("group %d: %d parameters"):format(i, #group.params)
    local names = {}
    for name in pairs(group) do
      if name ~= "params" then names[#names + 1] = name end
    end
    table.sort(names)
    for _, name in ipairs(names) do
      local v = group[name]
      lines[#lines + 1] = ("  %s: %s"):format(name, type(v) == "table" and table.concat(v,
        ", ") or tostring(v))
    end
  end
  lines[#lines + 1] = ")"
  return table.concat(lines, "\n")
end
jit.off(Optimizer.__tostring)

local HINTS = ", foreach: bool?, fused: bool?, capturable: bool?, differentiable: bool?"
Optimizer.HINTS = HINTS

--- Declares an algorithm:
--   options   argument list; `maximize` is added, and what PyTorch has to say how a step runs: foreach, fused
--             and capturable change nothing, as a step is one pass over all parameters and can be captured
--   state     names of the tensors it keeps for a parameter, or a function of the group
--   start     function(group): the number state starts from, or numbers by name; zeros without
--   step      the op row
--   numbers   function(group, step, carried): the row's numbers, in order
--   carry     function(group, step, kept, made): a number that this step has of the ones before, whatever
--             their options were, and the one to keep for the next; made says that the state is new
--   carried   the name under which the state keeps it
--   check     function(self, options), after the common checks
--   check_parameter  function(p, i), before the i-th parameter of a group is taken
--   sparse    function(group, positions, values, state): what a row-sparse gradient adds to the rows of
--             the parameter; without, such gradients are refused
--   sparse_only  takes no others
--   each      instead of step and numbers: function(group, p, g, state) gives what is added to p, and the
--             share of p that stays; row.make = function(group, name, p) makes its states
function Optimizer.declare(name, row)
  local class = Optimizer:extend(name)
  local options = row.options .. ", maximize: bool = false"
  class.parse_options = args.define(name, options .. HINTS)
  class.argument_list = "params, " .. options -- for help
  class.state_names = type(row.state) == "function" and row.state or function() return row.state end
  local start = row.start
  class.each, class.check_parameter = row.each, row.check_parameter
  class.state_start = row.make or function(group, state_name, p)
    local value = start and start(group) or 0
    if type(value) == "table" then value = value[state_name] or 0 end
    -- The state of 16-bit parameters is float32, and the core computes in the wider of both.
    local wide = p.dtype == kiln.float64 and kiln.float64 or kiln.float32
    return kiln.full(p:size(), value, { dtype = wide, device = p.device })
  end
  class.free_shapes = row.make ~= nil
  class.step_op, class.numbers, class.carry = row.step, row.numbers, row.carry
  class.carried = row.carried
  class.sparse, class.sparse_only = row.sparse, row.sparse_only
  if row.check then
    function class:check(o)
      Optimizer.check(self, o)
      row.check(self, o)
    end
  end
  return class
end

return Optimizer
