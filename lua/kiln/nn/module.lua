--- nn.Module: parameters, buffers and submodules in the order they were assigned (one a statement: Lua
-- carries out `self.a, self.b = x, y` in an order of its own).
-- Every field of a module lives in `_fields`, never in the object itself, so that each assignment
-- passes through __newindex and nothing slips by unregistered.  It refuses to compute: that is
-- `forward`, and `module(x)` runs it with its hooks.
local kiln = require "kiln"
local Object = require "kiln.class"
local dtypes = require "kiln.dtype"
local Parameter = require "kiln.nn.parameter"
local Buffer = require "kiln.nn.buffer"
local check = require "kiln.check"
local clear_grad = require("kiln.autograd.hooks").clear_grad
local handles = require "kiln.handles"
local reach = require "kiln.reach"

local raise, got, one_line = check.raise, check.got, check.one_line

local function on_net(self, method) check.self(self, method, "net") end

---@class kiln.nn.Module: kiln.Object
---@field training boolean
local Module = Object:extend("Module")

local function is_module(v) return Object.is_instance(v, Module) end
local function kind_of(v)
  if Parameter.is(v) then return "parameter" end
  if is_module(v) then return "module" end
  return Buffer.kind(v)
end

-- -- Fields ------------------------------------------------------------------------------------

function Module.prepare(self)
  rawset(self, "_fields", { training = true }) -- every value by name
  rawset(self, "_kinds", {})  -- "parameter", "buffer" or "module" for the registered ones
  rawset(self, "_order", {})  -- registered names, first assigned first
  rawset(self, "_hooks", {})  -- lists by kind of hook
end

function Module:__index(key)
  local v = rawget(self, "_fields")[key]
  if v ~= nil then return v end
  return getmetatable(self)[key]
end

-- The names of the fields, for completion.
function Module:__names()
  local list = {}
  for name in pairs(rawget(self, "_fields")) do list[#list + 1] = name end
  return list
end
jit.off(Module.__names)

-- Is `module` part of `inside`?
local function is_part(module, inside)
  if module == inside then return true end
  for _, key in ipairs(inside._order) do
    if inside._kinds[key] == "module" and is_part(module, inside._fields[key]) then return true end
  end
  return false
end

-- A name is part of longer ones in a state, between dots.
local function is_name(key) return type(key) == "string" and key ~= "" and not key:find(".", 1, true) end

local function register(self, key, value, kind)
  if not is_name(key) then
    raise(self.__name, "a %s's name must be a string without dots, not %s", kind, got(key))
  end
  if kind == "module" and is_part(self, value) then
    raise(self.__name, "'%s' would make the module part of itself", one_line(key))
  end
  if type(getmetatable(self)[key]) == "function" then
    raise(self.__name, "'%s' is a method and cannot name a %s", one_line(key), kind)
  end
  if self._kinds[key] == nil then self._order[#self._order + 1] = key end
  self._kinds[key], self._fields[key] = kind, value
end

local function unregister(self, key)
  for i, name in ipairs(self._order) do
    if name == key then table.remove(self._order, i) break end
  end
  self._kinds[key], self._fields[key] = nil, nil
end

function Module:__newindex(key, value)
  reach.keep(value)
  local was, kind = self._kinds[key], kind_of(value)
  if kind then
    if was and was ~= kind then unregister(self, key) end
    register(self, key, value, kind)
  elseif was == nil then
    self._fields[key] = value
  elseif value == nil then
    unregister(self, key)
  elseif was:find "buffer" and kiln.is_tensor(value) then
    self._fields[key] = value
  else
    raise(self.__name, "'%s' is a registered %s and cannot become %s", one_line(key), was, got(value))
  end
end

local function check_name(self, what, name)
  if not is_name(name) then
    raise(self.__name, "%s: name must be a string without dots, not %s", what, got(name))
  end
end

--- The same as `self[name] = parameter`; nil registers nothing.
function Module:register_parameter(name, parameter)
  on_net(self, "register_parameter")
  check_name(self, "register_parameter", name)
  if parameter ~= nil and not Parameter.is(parameter) then
    raise(self.__name, "register_parameter: '%s' must be an nn.Parameter, not %s", one_line(name),
      got(parameter))
  end
  self[name] = parameter
end

--- A tensor that is part of the state but is not trained, such as a running mean.
function Module:register_buffer(name, tensor, persistent)
  on_net(self, "register_buffer")
  check_name(self, "register_buffer", name)
  if tensor ~= nil and not kiln.is_tensor(tensor) then
    raise(self.__name, "register_buffer: '%s' must be a tensor, not %s", one_line(name), got(tensor))
  end
  if type(persistent) == "table" then
    persistent = check.options(persistent, { persistent = 1 }, self.__name .. ": register_buffer").persistent
  end
  if persistent ~= nil then check.bool(persistent, self.__name .. ": register_buffer", "persistent") end
  local was = self._kinds[name]
  if was and not was:find "buffer" then
    raise(self.__name, "register_buffer: '%s' is a registered %s", one_line(name), was)
  end
  if was then unregister(self, name) end
  if tensor == nil then return end
  register(self, name, tensor, persistent == false and "transient buffer" or "buffer")
end

--- The same as `self[name] = module`.
function Module:add_module(name, module)
  on_net(self, "add_module")
  check_name(self, "add_module", name)
  if not is_module(module) then
    raise(self.__name, "add_module: '%s' must be a module, not %s", one_line(name), got(module))
  end
  self[name] = module
end
Module.register_module = Module.add_module

-- -- Copies ------------------------------------------------------------------------------------

local OWN = { _fields = true, _kinds = true, _order = true, _hooks = true }

local copy_value

local function copy_module(self, seen)
  local twin = setmetatable({}, getmetatable(self))
  seen[self] = twin
  Module.prepare(twin)
  for key, value in next, self do
    if not OWN[key] then rawset(twin, key, value) end
  end
  for kind, list in pairs(self._hooks) do twin._hooks[kind] = { unpack(list) } end
  for i, key in ipairs(self._order) do twin._order[i], twin._kinds[key] = key, self._kinds[key] end
  for key, value in pairs(self._fields) do twin._fields[key] = copy_value(value, seen) end
  return twin
end
jit.off(copy_module) -- walks a table: docs/architecture.md, "LuaJIT"

function copy_value(v, seen)
  if seen[v] ~= nil then return seen[v] end
  local copy = v
  if Parameter.is(v) then copy = Parameter(v:detach():clone(), v.requires_grad)
  elseif kiln.is_tensor(v) then copy = v:detach():clone()
  elseif is_module(v) then return copy_module(v, seen)
  elseif type(v) == "table" and getmetatable(v) == nil then
    copy = {}
    seen[v] = copy
    for key, item in pairs(v) do copy[key] = copy_value(item, seen) end
  end
  seen[v] = copy
  return copy
end
jit.off(copy_value)

--- A module like this one with tensors of its own that hold the same values (copy.deepcopy there): what is
-- shared inside stays shared, hooks come along, gradients do not.
---@return kiln.nn.Module
function Module:clone()
  on_net(self, "clone")
  return copy_module(self, {})
end

-- -- Walking -----------------------------------------------------------------------------------

-- Calls visit(full name, value, kind, module) for every registered field, depth first; fields
-- come in order, those of a module before those of its submodules.  Modules met twice are walked
-- once unless `again`.
local function walk(self, prefix, visit, seen, again)
  if seen[self] and not again then return end
  seen[self] = true
  for _, name in ipairs(self._order) do
    if self._kinds[name] ~= "module" then
      local value = self._fields[name]
      if value.p == nil then
        raise(self.__name, "'%s': %s", one_line(prefix .. name), handles.why_freed(value))
      end
      visit(prefix .. name, value, self._kinds[name], self)
    end
  end
  for _, name in ipairs(self._order) do
    if self._kinds[name] == "module" then
      walk(self._fields[name], prefix .. name .. ".", visit, seen, again)
    end
  end
end

-- An iterator over a list of { name, value }.
local function each(list)
  local i = 0
  return function()
    i = i + 1
    if list[i] then return list[i][1], list[i][2] end
  end
end

local function values(list)
  local result = {}
  for i, item in ipairs(list) do result[i] = item[2] end
  return result
end

local function check_prefix(self, prefix)
  if prefix == nil then return "" end
  if type(prefix) ~= "string" then raise(self.__name, "prefix must be a string, not %s", got(prefix)) end
  return prefix
end

-- Options of a walk, by position or in a table in the place of the first.
local function walk_options(self, method, prefix, recurse, remove_duplicate)
  local o = { prefix = prefix, recurse = recurse, remove_duplicate = remove_duplicate }
  if type(prefix) == "table" then
    method = self.__name .. ": " .. method
    o = check.options(prefix, { prefix = 1, recurse = 1, remove_duplicate = 1 }, method)
  end
  return check_prefix(self, o.prefix), o.recurse ~= false, o.remove_duplicate ~= false
end

local function tensors(self, wanted, prefix, recurse, once)
  local list, seen = {}, {}
  walk(self, prefix ~= "" and prefix .. "." or "", function(name, value, kind, owner)
    if kind:find(wanted, 1, true) and not (once and seen[value]) and (recurse or owner == self) then
      seen[value] = true
      list[#list + 1] = { name, value }
    end
  end, {}, not once)
  return list
end

--- A list of the parameters, each once even where it is shared; of this module alone with false.
---@return kiln.Tensor[]
function Module:parameters(recurse)
  on_net(self, "parameters")
  if type(recurse) == "table" then
    recurse = check.options(recurse, { recurse = 1 }, self.__name .. ": parameters").recurse
  end
  return values(tensors(self, "parameter", "", recurse ~= false, true))
end

--- `for name, p in net:named_parameters() do`; { prefix = "", recurse = true, remove_duplicate = true }.
function Module:named_parameters(...)
  on_net(self, "named_parameters")
  return each(tensors(self, "parameter", walk_options(self, "named_parameters", ...)))
end

--- A list of the buffers, as parameters() of the parameters.
---@return kiln.Tensor[]
function Module:buffers(recurse)
  on_net(self, "buffers")
  if type(recurse) == "table" then
    recurse = check.options(recurse, { recurse = 1 }, self.__name .. ": buffers").recurse
  end
  return values(tensors(self, "buffer", "", recurse ~= false, true))
end
function Module:named_buffers(...)
  on_net(self, "named_buffers")
  return each(tensors(self, "buffer", walk_options(self, "named_buffers", ...)))
end

local function child_list(self)
  local list, seen = {}, {}
  for _, name in ipairs(self._order) do
    local value = self._fields[name]
    if self._kinds[name] == "module" and not seen[value] then
      seen[value] = true
      list[#list + 1] = { name, value }
    end
  end
  return list
end

--- The modules directly inside this one.
---@return kiln.nn.Module[]
function Module:children()
  on_net(self, "children")
  return values(child_list(self))
end
function Module:named_children()
  on_net(self, "named_children")
  return each(child_list(self))
end

local function module_list(self, prefix, list, seen, once)
  if once and seen[self] then return list end
  seen[self] = true
  list[#list + 1] = { prefix, self }
  for _, name in ipairs(self._order) do
    if self._kinds[name] == "module" then
      module_list(self._fields[name], prefix == "" and name or prefix .. "." .. name, list, seen, once)
    end
  end
  return list
end

--- This module and all inside it, depth first, each once.
---@return kiln.nn.Module[]
function Module:modules()
  on_net(self, "modules")
  return values(module_list(self, "", {}, {}, true))
end
--- `for name, module in net:named_modules() do`; the first is "" and the module itself.  Takes a prefix, or
-- { prefix = "", remove_duplicate = true }.
function Module:named_modules(...)
  on_net(self, "named_modules")
  local prefix, _, once = walk_options(self, "named_modules", ...)
  return each(module_list(self, prefix, {}, {}, once))
end

-- The field at "a.b.c", which must be of a kind.
local function at_path(self, path, what, name)
  on_net(self, what)
  if type(path) ~= "string" then raise(self.__name, "%s: name must be a string, not %s", what, got(path)) end
  local owner, kind = self, "module"
  for part in path:gmatch "[^.]+" do
    local inner = kind == "module" and owner._kinds[part]
    if not inner then
      raise(self.__name, "%s: there is no '%s' at '%s'", what, one_line(path), one_line(part))
    end
    owner, kind = owner._fields[part], inner
  end
  if not kind:find(name, 1, true) then
    raise(self.__name, "%s: '%s' is a %s, not a %s", what, one_line(path), kind, name)
  end
  return owner
end

--- The module at a path such as "layers.0.norm"; "" is the module itself.
---@return kiln.nn.Module
function Module:get_submodule(path) return at_path(self, path, "get_submodule", "module") end

--- The parameter at a path such as "layers.0.weight".
---@return kiln.Tensor
function Module:get_parameter(path) return at_path(self, path, "get_parameter", "parameter") end

--- The buffer at a path such as "norm.running_mean".
---@return kiln.Tensor
function Module:get_buffer(path) return at_path(self, path, "get_buffer", "buffer") end

--- Puts a module at a path, in the place of the one that is there.
function Module:set_submodule(path, module)
  on_net(self, "set_submodule")
  at_path(self, path, "set_submodule", "module")
  if not is_module(module) then
    raise(self.__name, "set_submodule: must get a module, not %s", got(module))
  end
  local owner, name = path:match "^(.*)%.([^.]+)$"
  at_path(self, owner or "", "set_submodule", "module")[name or path] = module
end

--- Runs fn on every module inside, children first, then on this one.  Returns self.
function Module:apply(fn)
  on_net(self, "apply")
  check.fn(fn, self.__name .. ": apply", "fn")
  for _, child in self:named_children() do child:apply(fn) end
  fn(self)
  return self
end

-- -- Modes and conversions ---------------------------------------------------------------------

--- Training mode (dropout drops, batch norm uses the batch), or evaluation mode with false.  Asks each module
-- inside, which may have a train of its own: one that stays in evaluation mode, for instance.
function Module:train(mode)
  on_net(self, "train")
  if mode == nil then mode = true end
  if type(mode) ~= "boolean" then
    raise(self.__name, "train: mode must be true or false, not %s", got(mode))
  end
  self.training = mode
  for _, child in ipairs(child_list(self)) do child[2]:train(mode) end
  return self
end

--- Evaluation mode.
function Module:eval()
  on_net(self, "eval")
  return self:train(false)
end

--- Sets whether the parameters record gradients.
function Module:requires_grad_(mode)
  on_net(self, "requires_grad_")
  if mode ~= nil then check.bool(mode, self.__name .. ": requires_grad_", "mode") end
  for _, p in ipairs(self:parameters()) do p:requires_grad_(mode ~= false) end
  return self
end

--- Drops every gradient, or fills it with zeros with { set_to_none = false }.
function Module:zero_grad(options)
  on_net(self, "zero_grad")
  if type(options) == "boolean" then options = { set_to_none = options } end
  options = check.options(options, { set_to_none = 1 }, self.__name .. ": zero_grad")
  local keep = options.set_to_none == false
  for _, p in ipairs(self:parameters()) do clear_grad(p, keep) end
end

-- Replaces the data of every parameter, gradient and buffer by convert(data), inside the same
-- tensor, so that whatever shares it goes on sharing.  Nothing changes before all were converted.
local function convert_all(self, convert)
  local seen, list = {}, {}
  walk(self, "", function(name, value, kind)
    if seen[value] then return end
    seen[value] = true
    local g, data = kind == "parameter" and value.grad or nil, convert(value.data)
    if g and g.is_sparse then
      if data.dtype == value.dtype and data.device == value.device then return end
      raise(self.__name, "the gradient of '%s' is row-sparse and cannot be converted; zero_grad() drops it",
        one_line(name))
    end
    list[#list + 1] = { value, data, g and convert(g:detach()) }
  end, {})
  for _, item in ipairs(list) do
    local value, data, g = item[1], item[2], item[3]
    if g then value.grad = nil end
    value.data = data
    if g then value.grad = g end
  end
  return self
end

local function to_dtype(dtype)
  return function(t) return t.dtype.is_floating_point and t:to(dtype) or t end
end

--- Converts floating parameters and buffers to a dtype, everything to a device, or both.
-- Takes a dtype, a device, a tensor to imitate, or { dtype = , device = }.  Returns self.
function Module:to(...)
  on_net(self, "to")
  local dtype, device
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    if kiln.is_tensor(v) then dtype, device = v.dtype, v.device
    elseif dtypes.is_dtype(v) then dtype = v
    elseif type(v) == "table" and (v.dtype or v.device) then
      dtype, device = v.dtype or dtype, v.device or device
    else device = v end
  end
  if dtype and not (dtypes.is_dtype(dtype) and dtype.is_floating_point) then
    raise(self.__name, "to: dtype must be a floating dtype, not %s", got(dtype))
  end
  return convert_all(self, function(t)
    if device then t = t:to(device) end
    return dtype and to_dtype(dtype)(t) or t
  end)
end

--- Converts everything to a dtype.
function Module:type(dtype)
  on_net(self, "type")
  if not dtypes.is_dtype(dtype) then raise(self.__name, "type: dtype must be a dtype, not %s", got(dtype)) end
  return convert_all(self, function(t) return t:to(dtype) end)
end

for name, dtype in pairs { double = "float64", float = "float32", half = "float16", bfloat16 = "bfloat16" } do
  Module[name] = function(self)
    on_net(self, name)
    return convert_all(self, to_dtype(kiln[dtype]))
  end
end

function Module:cpu()
  on_net(self, "cpu")
  return convert_all(self, function(t) return t:to "cpu" end)
end
function Module:cuda(device)
  on_net(self, "cuda")
  local where = device and (type(device) == "number" and "cuda:" .. device or device) or "cuda"
  return convert_all(self, function(t) return t:to(where) end)
end

--- To a device without the values: the memory is new, what is in it anything.
function Module:to_empty(device)
  on_net(self, "to_empty")
  if type(device) == "table" then
    device = check.options(device, { device = 1 }, self.__name .. ": to_empty").device
  end
  if device == nil then raise(self.__name, "to_empty: device is missing") end
  return convert_all(self, function(t) return kiln.empty_like(t, { device = device }) end)
end

--- Does nothing but return self: memory is shared between threads as it is.
function Module:share_memory()
  on_net(self, "share_memory")
  return self
end

require "kiln.nn.state"(Module, walk)

-- -- Running -----------------------------------------------------------------------------------

function Module:forward()
  on_net(self, "forward")
  raise(self.__name, "has no forward; define function %s:forward(...)", self.__name)
end

require "kiln.nn.running"(Module)

-- -- Printing ----------------------------------------------------------------------------------

--- What stands between the parentheses when a module is printed; layers override it.
function Module.extra_repr(_self) return "" end

local function grouped(n) -- 1234567 -> 1,234,567
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^,", ""))
end

--- How many numbers the parameters hold.
function Module:num_parameters()
  on_net(self, "num_parameters")
  local n = 0
  for _, p in ipairs(self:parameters()) do n = n + p:numel() end
  return n
end

local function describe_tree(self, name, indent, lines)
  local label = (name ~= "" and "(" .. name .. "): " or "") .. self.__name
  local children = {}
  for _, key in ipairs(self._order) do
    if self._kinds[key] == "module" then children[#children + 1] = key end
  end
  local own = 0
  for _, p in ipairs(self:parameters(false)) do own = own + p:numel() end
  local count = own > 0 and "  # " .. grouped(own) or ""
  if #children == 0 then
    lines[#lines + 1] = ("%s%s(%s)%s"):format(indent, label, self:extra_repr(), count)
    return
  end
  lines[#lines + 1] = ("%s%s(%s%s"):format(indent, label, self:extra_repr(), count)
  for _, key in ipairs(children) do describe_tree(self._fields[key], key, indent .. "  ", lines) end
  lines[#lines + 1] = indent .. ")"
end

function Module:__tostring()
  local lines, n = {}, Module.num_parameters(self) -- PReLU has a field of that name
  describe_tree(self, "", "", lines)
  if n > 0 and #lines > 1 then lines[#lines + 1] = ("parameters: %s"):format(grouped(n)) end
  return table.concat(lines, "\n")
end

return Module
