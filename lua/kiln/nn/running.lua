--- A call of a module: forward, with the hooks around it.  It refuses to say what a layer computes.
local hooks = require "kiln.utils.hooks"
local check = require "kiln.check"

-- -- Options of hooks --------------------------------------------------------------------------

-- A list of inputs and their options: a table at the end whose keys are all strings, {} where there is none.
local function split_options(inputs)
  local list, n, options = { unpack(inputs, 1, inputs.n) }, inputs.n, {}
  local last = list[n]
  if type(last) == "table" and getmetatable(last) == nil and #last == 0 and next(last) ~= nil then
    options, list[n], n = last, nil, n - 1
  end
  list.n = n
  return list, options
end

-- The inputs that a hook returned, and the options, in one list.
local function join_options(list, options)
  local n = list.n or #list
  local joined = { n = n, unpack(list, 1, n) }
  if next(options) ~= nil then joined.n, joined[n + 1] = n + 1, options end
  return joined
end

local before_forward = { { "with_kwargs", function(fn)
  return function(module, inputs)
    local list, options = split_options(inputs)
    local changed, changed_options = fn(module, list, options)
    if changed == nil then return nil end
    if type(changed) ~= "table" then changed = { changed } end
    return join_options(changed, changed_options or options)
  end
end } }

local always = setmetatable({}, { __mode = "k" }) -- forward hooks that run where forward raises, too
local after_forward = {
  { "with_kwargs", function(fn)
    return function(module, inputs, ...)
      local list, options = split_options(inputs)
      return fn(module, list, options, ...)
    end
  end },
  { "always_call", function(fn)
    local function hook(...) return fn(...) end
    always[hook] = true
    return hook
  end },
}

-- -- Running -----------------------------------------------------------------------------------

local function pack(...) return { n = select("#", ...), ... } end

-- forward; where it raises, the hooks that always run do so first.
local function forward_watched(self, inputs)
  local list = {}
  for _, fn in ipairs(hooks.now(self._hooks, "forward hook")) do
    if always[fn] then list[#list + 1] = fn end
  end
  if #list == 0 then return self:forward(unpack(inputs, 1, inputs.n)) end
  local outputs = pack(pcall(self.forward, self, unpack(inputs, 1, inputs.n)))
  if not outputs[1] then
    for _, fn in ipairs(list) do pcall(fn, self, inputs) end
    check.rethrow(outputs[2])
  end
  return unpack(outputs, 2, outputs.n)
end

local function run_with_hooks(self, ...)
  local inputs = pack(...)
  for _, fn in ipairs(hooks.now(self._hooks, "forward pre-hook")) do
    local changed = fn(self, inputs)
    if type(changed) == "table" then
      inputs = changed
      inputs.n = inputs.n or #inputs
    elseif changed ~= nil then
      inputs = { n = 1, changed }
    end
  end
  local after, before = hooks.now(self._hooks, "backward hook"), hooks.now(self._hooks, "backward pre-hook")
  local watch = #after + #before > 0 and require("kiln.nn.backward_hook").watch(self, after, before)
  if watch then watch.inputs(inputs) end
  local outputs = pack(forward_watched(self, inputs))
  for _, fn in ipairs(hooks.now(self._hooks, "forward hook")) do
    local changed = pack(fn(self, inputs, unpack(outputs, 1, outputs.n)))
    if changed[1] ~= nil then outputs = changed end
  end
  if watch then watch.outputs(outputs) end
  return unpack(outputs, 1, outputs.n)
end

-- Raises where one of kiln's own layers was called without what its forward takes first.
local function must_have_input(self)
  -- A declared layer's forward looks at its object and hands on to the function that has the names.
  local named = self.forward == getmetatable(self).checked_forward and self.row.forward or self.forward
  local info = debug.getinfo(named, "Su")
  if check.is_own_frame(info.short_src .. ":") and info.nparams > 1 then
    local name = debug.getlocal(named, 2)
    check.raise(self.__name, "%s is missing; a module is called with its input", name)
  end
end

--- Gives nn.Module its hooks and its call.
return function(Module)
  -- Each may be followed by { prepend = true }: then the hook comes before those that are there.

  --- fn(module, inputs) before forward; what it returns (a list, or one value) replaces the inputs.  With
  -- { with_kwargs = true } it is fn(module, inputs, options), the table of options that ended the call apart
  -- ({} without), and returns new inputs and, if it likes, options.
  Module.register_forward_pre_hook = hooks.adder("_hooks", "forward pre-hook", before_forward)
  --- fn(module, inputs, ...outputs) after forward; what it returns replaces the outputs.  With
  -- { with_kwargs = true } the options follow the inputs; with { always_call = true } it also runs where
  -- forward has raised, without outputs, and what it returns then is lost.
  Module.register_forward_hook = hooks.adder("_hooks", "forward hook", after_forward)
  --- fn(module, grad_outputs) when the gradients of the module's outputs are known, before they go on; a list
  -- it returns replaces them.
  Module.register_full_backward_pre_hook = hooks.adder("_hooks", "backward pre-hook")
  --- fn(module, grad_inputs, grad_outputs) when the gradients of the module's inputs are known, each at the
  -- place of its input, nil where there is none; a list it returns replaces grad_inputs.
  Module.register_backward_hook = hooks.adder("_hooks", "backward hook")
  --- register_backward_hook, by its newer name.
  Module.register_full_backward_hook = Module.register_backward_hook

  --- Runs forward, with the hooks around it.
  function Module:__call(...)
    if (...) == nil then must_have_input(self) end
    if next(self._hooks) == nil then return self:forward(...) end
    return run_with_hooks(self, ...)
  end
end
