--- state_dict and load_state_dict of modules, with the hooks and the extra state that go along.
-- Called with nn.Module and its walk over registered fields, it adds the methods.
local kiln = require "kiln"
local check = require "kiln.check"
local hooks = require "kiln.utils.hooks"

local raise, got, one_line = check.raise, check.got, check.one_line

local EXTRA = "_extra_state"

return function(Module, walk)
  -- Every persistent tensor by full name, shared ones under each of their names.
  local function state_list(self)
    local list = {}
    walk(self, "", function(name, value, kind)
      if kind ~= "transient buffer" then list[#list + 1] = { name, value } end
    end, {}, true)
    return list
  end

  -- Calls visit(module, "a.b.") for each module inside whose class has something to say or that has hooks.
  local function each_module(self, prefix, visit)
    for name, module in self:named_modules() do
      if module.get_extra_state or module.set_extra_state or next(module._hooks) then
        visit(module, prefix .. (name ~= "" and name .. "." or ""))
      end
    end
  end

  --- A table of tensors by full name ("conv1.weight"), which share memory with the module's, and are the
  -- module's own with { keep_vars = true }.  { prefix = "net." } stands before every name, and
  -- { destination = t } adds them to a table.  What a module's get_extra_state() gives is in it, too, as
  -- `_extra_state`.
  ---@return table<string, any>
  function Module:state_dict(options)
    check.self(self, "state_dict", "net")
    options = check.options(options, { prefix = 1, keep_vars = 1, destination = 1 },
      self.__name .. ": state_dict")
    local prefix, state = options.prefix, options.destination
    if state == nil then state = {} end
    if type(state) ~= "table" then raise(self.__name, "destination must be a table, not %s", got(state)) end
    if prefix == nil then prefix = "" end
    if type(prefix) ~= "string" then raise(self.__name, "prefix must be a string, not %s", got(prefix)) end
    each_module(self, prefix, function(module, at)
      for _, fn in ipairs(hooks.now(module._hooks, "state_dict pre-hook")) do fn(module, at) end
    end)
    for _, item in ipairs(state_list(self)) do
      state[prefix .. item[1]] = options.keep_vars and item[2] or item[2]:detach()
    end
    each_module(self, prefix, function(module, at)
      if module.get_extra_state then state[at .. EXTRA] = module:get_extra_state() end
      for _, fn in ipairs(hooks.now(module._hooks, "state_dict post-hook")) do
        local changed = fn(module, state, at)
        if changed ~= nil then state = changed end
      end
    end)
    return state
  end

  -- The names that a state lacks, those that it has besides, and what does not fit.
  local function compare(self, state, assign)
    local mine, missing, unexpected, mismatched = {}, {}, {}, {}
    for _, item in ipairs(state_list(self)) do
      local name, target = item[1], item[2]
      local source = state[name]
      mine[name] = true
      if source == nil then missing[#missing + 1] = name
      elseif not kiln.is_tensor(source) then
        mismatched[#mismatched + 1] = ("%s (%s instead of a tensor)"):format(name, got(source))
      elseif target:size() ~= source:size() then
        mismatched[#mismatched + 1] = ("%s (%s in the state, %s here)"):format(name, tostring(source.shape),
          tostring(target.shape))
      elseif assign and target.requires_grad and not source.dtype.is_floating_point then
        mismatched[#mismatched + 1] = ("%s (%s in the state, which has no gradient)"):format(name,
          source.dtype.name)
      end
    end
    each_module(self, "", function(module, at)
      if not module.set_extra_state then return end
      mine[at .. EXTRA] = true
      if state[at .. EXTRA] == nil then missing[#missing + 1] = at .. EXTRA end
    end)
    for name in pairs(state) do
      if not mine[name] then unexpected[#unexpected + 1] = one_line(name) end
    end
    return missing, unexpected, mismatched
  end
  jit.off(compare) -- walks a table: docs/architecture.md, "LuaJIT"

  local function complain(lines, title, names)
    if #names > 0 then
      table.sort(names)
      lines[#lines + 1] = ("%s: %s"):format(title, table.concat(names, ", "))
    end
  end

  -- Where else in a state a missing name stands: in a table that the state holds, or behind a prefix; or "".
  local function elsewhere(state, name)
    for key, value in pairs(state) do
      if type(key) == "string" and type(value) == "table" and rawget(value, name) ~= nil then
        return ("; the state's field '%s' is a table with %s: load that"):format(one_line(key), name)
      end
      local prefix = type(key) == "string" and #key > #name and key:sub(-#name) == name
        and key:sub(1, -#name - 1)
      if prefix and prefix:sub(-1) == "." then
        return ("; the state's names may begin with '%s', which is to be taken off"):format(one_line(prefix))
      end
    end
    return ""
  end
  jit.off(elsewhere) -- walks a table: docs/architecture.md, "LuaJIT"

  local function copied(state)
    local copy = {}
    for name, value in pairs(state) do copy[name] = value end
    return copy
  end
  jit.off(copied) -- walks a table: docs/architecture.md, "LuaJIT"

  -- The state after the hooks that come before: they change a copy of the table.
  local function prepared(self, state)
    local copy
    each_module(self, "", function(module, at)
      for _, fn in ipairs(hooks.now(module._hooks, "load_state_dict pre-hook")) do
        copy = copy or copied(state)
        fn(module, copy, at)
      end
    end)
    return copy or state
  end

  --- Copies values into parameters and buffers.  Names that are missing or unexpected are an error
  -- unless { strict = false }; a wrong shape always is; then nothing was changed.  With { assign = true } the
  -- parameters and buffers share memory with the state's tensors from then on, in their dtype.
  ---@param state table<string, kiln.Tensor>
  ---@return string[] missing
  ---@return string[] unexpected
  function Module:load_state_dict(state, options)
    check.self(self, "load_state_dict", "net")
    local is_module = type(state) == "table" and type(state.state_dict) == "function"
    if type(state) ~= "table" or is_module then
      raise(self.__name, "load_state_dict: state must be a table of tensors, not %s%s", got(state),
        is_module and "; its state_dict() gives one" or "")
    end
    if type(options) == "boolean" then options = { strict = options } end
    options = check.options(options, { strict = 1, assign = 1 }, self.__name .. ": load_state_dict")
    state = prepared(self, state)
    local missing, unexpected, mismatched = compare(self, state, options.assign)
    local lines = {}
    if options.strict ~= false then
      complain(lines, "missing", missing)
      complain(lines, "unexpected", unexpected)
    end
    complain(lines, "mismatched", mismatched)
    if #lines > 0 then
      raise(self.__name, "load_state_dict: the state does not fit; %s%s", table.concat(lines, "; "),
        missing[1] and elsewhere(state, missing[1]) or "")
    end
    kiln.no_grad(function()
      for _, item in ipairs(state_list(self)) do
        local source = state[item[1]]
        if source and options.assign then item[2].data = source:detach()
        elseif source then item[2]:copy_(source) end
      end
    end)
    each_module(self, "", function(module, at)
      local extra = state[at .. EXTRA]
      if module.set_extra_state and extra ~= nil then module:set_extra_state(extra) end
      for _, fn in ipairs(hooks.now(module._hooks, "load_state_dict post-hook")) do
        fn(module, missing, unexpected)
      end
    end)
    return missing, unexpected
  end

  --- fn(module, prefix) before state_dict looks at it.
  Module.register_state_dict_pre_hook = hooks.adder("_hooks", "state_dict pre-hook")
  --- fn(module, state, prefix) of what state_dict gives; what it returns replaces the state.
  Module.register_state_dict_post_hook = hooks.adder("_hooks", "state_dict post-hook")
  --- fn(module, state, prefix) before load_state_dict looks at a state: it may change the table, a copy.
  Module.register_load_state_dict_pre_hook = hooks.adder("_hooks", "load_state_dict pre-hook")
  --- fn(module, missing, unexpected) after a state was loaded.
  Module.register_load_state_dict_post_hook = hooks.adder("_hooks", "load_state_dict post-hook")
end
