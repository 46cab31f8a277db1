--- Parametrizations: a tensor of a module that is computed from others whenever it is read.
-- A parametrization is a module whose forward makes the tensor; its right_inverse(tensor), where it has one,
-- gives what forward would make that tensor of: one or several tensors, or nil where it cannot say.  The
-- originals stand in module.parametrizations[name] as `original` (or `original0`, `original1`, ...), the
-- parametrizations as "0", "1", ..., so that state dicts have the reference's keys.  The module's class
-- becomes a subclass of its own.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local Module = require "kiln.nn.module"
local Parameter = require "kiln.nn.parameter"
local ModuleDict = require("kiln.nn.containers").ModuleDict
local check = require "kiln.check"

local raise = check.raise
local M = {}

-- Values that were read while parametrize.cached runs, by list of parametrizations; nil outside.
local cache

-- -- The list of one tensor --------------------------------------------------------------------

local List = Module:extend "ParametrizationList"

function List:length()
  local n = 0
  while self[tostring(n)] ~= nil do n = n + 1 end
  return n
end

-- The originals, one or several.
function List:originals()
  if self.original ~= nil then return self.original end
  local list = {}
  while self["original" .. #list] ~= nil do list[#list + 1] = self["original" .. #list] end
  return unpack(list)
end

function List:forward()
  if cache and cache[self] then return cache[self] end
  local x = self["0"](self:originals())
  for k = 1, self:length() - 1 do x = self[tostring(k)](x) end
  if cache then cache[self] = x end
  return x
end

-- What makes the parametrizations give x: the originals, nil where one of them cannot say.
local function inverse_of(parts, x)
  local values = { x }
  for k = #parts, 1, -1 do
    if not parts[k].right_inverse then
      if k > 1 or #values ~= 1 then return nil end
      break
    end
    values = { parts[k]:right_inverse(unpack(values)) }
    if values[1] == nil then return nil end
  end
  return values
end

function List:parts()
  local parts = {}
  for k = 1, self:length() do parts[k] = self[tostring(k - 1)] end
  return parts
end

-- Takes x as the value that is to be read.
function List:assign(owner, name, x)
  check.tensor(x, owner, name)
  local has_inverse = true
  for _, part in ipairs(self:parts()) do has_inverse = has_inverse and part.right_inverse ~= nil end
  local values = has_inverse and kiln.no_grad(function() return inverse_of(self:parts(), x) end)
  if not values then
    raise(owner, "'%s' cannot be assigned: its parametrization has no right_inverse for it", name)
  end
  local mine = { self:originals() }
  for k, v in ipairs(values) do
    if mine[k] == nil or mine[k]:size() ~= v:size() then
      raise(owner, "'%s' cannot become a tensor %s: its original would be %s and is %s", name,
        tostring(x.shape), tostring(v.shape), mine[k] and tostring(mine[k].shape) or "none")
    end
  end
  kiln.no_grad(function()
    for k, v in ipairs(values) do mine[k]:copy_(v) end
  end)
end

-- -- The class of a parametrized module --------------------------------------------------------

local function list_of(self, key)
  local lists = rawget(self, "_fields").parametrizations
  if lists == nil or key == "parametrizations" then return nil end
  return rawget(lists, "_kinds")[key] == "module" and rawget(lists, "_fields")[key] or nil
end

local function parametrized(class)
  local sub = class:extend("Parametrized" .. class.__name)
  local read, write = class.__index, class.__newindex
  sub.is_parametrized, sub.plain_class = true, class
  function sub:__index(key)
    local list = list_of(self, key)
    if list then return list() end
    return read(self, key)
  end
  function sub:__newindex(key, value)
    local list = list_of(self, key)
    if list then return list:assign(class.__name, key, value) end
    write(self, key, value)
  end
  return sub
end

-- -- The functions -----------------------------------------------------------------------------

local parse = args.define("register_parametrization", "module: module, tensor_name: string, "
  .. "parametrization: module, unsafe: bool = false")

local function check_fit(name, unsafe, from, to)
  if not kiln.is_tensor(to) then
    raise("register_parametrization", "the parametrization of '%s' must give a tensor, not %s", name,
      check.got(to))
  end
  if unsafe or (from:size() == to:size() and from.dtype == to.dtype) then return end
  raise("register_parametrization", "'%s' is a tensor %s %s, its parametrization gives %s %s; unsafe = true "
    .. "allows it", name, from.dtype.name, tostring(from.shape), to.dtype.name, tostring(to.shape))
end

-- Registers what a tensor is computed from, under the names that state dicts have.
local function set_originals(list, original, values)
  for k, v in ipairs(values) do
    local field = #values == 1 and "original" or "original" .. k - 1
    if Parameter.is(original) then
      list[field] = v == original and original or Parameter(v:detach():clone(), original.requires_grad)
    else
      list:register_buffer(field, v)
    end
  end
end

--- From now on module[tensor_name] is what the parametrization makes of it; a second one follows the first.
---@param module kiln.nn.Module
---@param tensor_name string  a parameter or buffer
---@param parametrization kiln.nn.Module
---@return kiln.nn.Module module
function M.register_parametrization(...)
  local a = parse(...)
  local module, name, part = a.module, a.tensor_name, a.parametrization
  local list = list_of(module, name)
  if list then
    local now = list()
    check_fit(name, a.unsafe, now, kiln.no_grad(function() return part(now) end))
    list[tostring(list:length())] = part
    return module
  end
  local original = module[name]
  local kind = rawget(module, "_kinds")[name]
  if kind == nil or kind == "module" then
    raise("register_parametrization", "%s has no parameter or buffer '%s'", module.__name,
      check.one_line(name))
  end
  list = List()
  local values = kiln.no_grad(function() return inverse_of({ part }, original) end) or { original }
  if #values == 1 and not part.right_inverse then values = { original } end
  check_fit(name, a.unsafe, original, kiln.no_grad(function() return part(unpack(values)) end))
  set_originals(list, original, values)
  list["0"] = part
  module[name] = nil
  if module.parametrizations == nil then module.parametrizations = ModuleDict() end
  module.parametrizations[name] = list
  if not module.is_parametrized then setmetatable(module, parametrized(getmetatable(module))) end
  return module
end

--- Does the module have parametrizations, or one of a tensor?
---@return boolean
function M.is_parametrized(module, tensor_name)
  if not Module.is_instance(module, Module) then
    raise("is_parametrized", "module must be a module, not %s", check.got(module))
  end
  if tensor_name ~= nil then return list_of(module, tensor_name) ~= nil end
  return module.is_parametrized == true
end

local parse_remove = args.define("remove_parametrizations", "module: module, tensor_name: string, "
  .. "leave_parametrized: bool = true")

--- Makes the tensor a parameter (or buffer) again: with the value that it has, or with leave_parametrized =
-- false the original.
---@return kiln.nn.Module module
function M.remove_parametrizations(...)
  local a = parse_remove(...)
  local module, name = a.module, a.tensor_name
  local list = list_of(module, name)
  if not list then
    raise("remove_parametrizations", "'%s' of %s has no parametrization", check.one_line(name), module.__name)
  end
  local first, second = list:originals()
  if not a.leave_parametrized and second ~= nil then
    raise("remove_parametrizations", "'%s' is made of several tensors and has no one original", name)
  end
  local value = a.leave_parametrized and list():detach():clone() or first
  local lists = module.parametrizations
  lists[name] = nil
  if lists:len() == 0 then
    module.parametrizations = nil
    setmetatable(module, getmetatable(module).plain_class)
  end
  if not Parameter.is(first) then
    module:register_buffer(name, value)
  else
    module[name] = Parameter.is(value) and value or Parameter(value, first.requires_grad)
  end
  return module
end

--- Runs fn; while it runs, parametrized tensors are computed once, when they are first read.
function M.cached(fn, ...)
  check.fn(fn, "cached", "fn")
  if cache then return fn(...) end
  cache = {}
  local results = { n = 0 }
  local function keep(...) results = { n = select("#", ...), ... } end
  local ok, why = pcall(function(...) keep(fn(...)) end, ...)
  cache = nil
  if not ok then check.rethrow(why) end
  return unpack(results, 1, results.n)
end

return require("kiln.namespace").of("kiln.nn.utils.parametrize", M)
