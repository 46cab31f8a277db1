--- Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList,
-- ParameterDict.  Positions count from 1; names in a state dict count from 0, as in the
-- reference, so that weights carry over.
local Object = require "kiln.class"
local Module = require "kiln.nn.module"
local Parameter = require "kiln.nn.parameter"
local check = require "kiln.check"

local raise, got = check.raise, check.got

local M = {}

-- -- Lists -------------------------------------------------------------------------------------

-- Refuses a table by name, whose order Lua does not keep.
local function check_list(self, items, hint)
  if type(items) ~= "table" or getmetatable(items) ~= nil then return end
  for key in pairs(items) do
    if type(key) == "string" then
      raise(self.__name, "takes a list, and the table has the key '%s'%s", key, hint or "")
    end
  end
end
jit.off(check_list) -- walks a table: docs/architecture.md, "LuaJIT"

-- A plain tensor becomes a parameter, which shares its memory.
local function as_parameter(v)
  return check.is_tensor(v) and not Parameter.is(v) and Parameter(v) or v
end

local function copy(t)
  local twin = {}
  for key, v in pairs(t) do twin[key] = v end
  return twin
end
jit.off(copy) -- walks a table: docs/architecture.md, "LuaJIT"

-- Runs a change of several elements; where it is refused in the middle, there was none.
local function all_or_nothing(self, change, ...)
  local before = { _order = copy(self._order), _kinds = copy(self._kinds), _fields = copy(self._fields) }
  local ok, why = pcall(change, self, ...)
  if ok then return end
  for _, part in ipairs { "_order", "_kinds", "_fields" } do rawset(self, part, before[part]) end
  check.rethrow(why)
end

-- A module whose registered fields are also its elements 1..n; `convert` makes items of other values.
local function list_class(name, is_item, what, convert)
  local List = Module:extend(name)

  function List:init(items)
    if items == nil then return end
    if type(items) ~= "table" or getmetatable(items) and not List.is_instance(items, List) then
      raise(self.__name, "takes a list of %ss, not %s", what, got(items))
    end
    check_list(self, items)
    for i = 1, rawget(items, "_order") and items:len() or #items do self:append(items[i]) end
  end

  -- list[{ a, b }] is a container of this kind with elements a to b, bounds included, named from 0.
  local function slice(self, first, last)
    local n, part = #self._order, List()
    for i, v in ipairs { first, last } do
      if type(v) ~= "number" or v % 1 ~= 0 or v == 0 or v > n or v < -n then
        raise(self.__name, "a slice is two positions in 1..%d; number %d is %s", n, i, got(v))
      end
    end
    local from, to = first < 0 and n + first + 1 or first, last < 0 and n + last + 1 or last
    for i = from, to do part:append(self[i]) end
    return part
  end

  function List:__index(key)
    if type(key) == "table" then
      return slice(self, key[1] == nil and 1 or key[1], key[2] == nil and -1 or key[2])
    end
    if type(key) ~= "number" then return Module.__index(self, key) end
    local n = #self._order
    if key == 0 then raise(self.__name, "the position is 0; positions count from 1 (or from the end: -1)") end
    return self._fields[self._order[key < 0 and n + key + 1 or key]]
  end

  function List:__newindex(key, value)
    if type(key) ~= "number" then return Module.__newindex(self, key, value) end
    local n = #self._order
    local at = key < 0 and n + key + 1 or key
    if at % 1 ~= 0 or at < 1 or at > n + 1 then
      raise(self.__name, "position %g is not in 1..%d", key, n + 1)
    end
    if convert then value = convert(value) end
    if not is_item(value) then
      local hint = Object.is_class(value) and ("; %s() makes one"):format(value.__name) or ""
      raise(self.__name, "holds %ss, not %s%s", what, got(value), hint)
    end
    Module.__newindex(self, self._order[at] or tostring(at - 1), value)
  end

  --- How many elements there are (`#` does not ask tables under LuaJIT).
  function List:len()
    check.self(self, "len", "list", List)
    return #self._order
  end

  function List:append(item)
    check.self(self, "append", "list", List)
    self[#self._order + 1] = item
    return self
  end

  --- Puts an element before position `at`; the later ones move up.
  -- Both this and pop keep the names, so that elements of a Sequential with names change theirs.
  function List:insert(at, item)
    check.self(self, "insert", "list", List)
    local n = #self._order
    if type(at) ~= "number" or at % 1 ~= 0 or at < 1 or at > n + 1 then
      raise(self.__name, "insert: position must be in 1..%d, not %s", n + 1, got(at))
    end
    all_or_nothing(self, function()
      for i = n, at, -1 do self[i + 1] = self[i] end
      self[at] = item
    end)
    return self
  end

  --- On the class: a subclass, as ever.  On an instance: appends the items of a list.
  function List:extend(items, members)
    if Object.is_class(self) then return Module.extend(self, items, members) end
    check.self(self, "extend", "list", List)
    if type(items) ~= "table" then
      raise(self.__name, "extend: takes a list of %ss, not %s", what, got(items))
    end
    check_list(self, items)
    all_or_nothing(self, function()
      for i = 1, rawget(items, "_order") and items:len() or #items do self:append(items[i]) end
    end)
    return self
  end

  --- Takes an element out, the last one by default, and returns it; the later ones move down.
  function List:pop(at)
    check.self(self, "pop", "list", List)
    local n = #self._order
    at = at or -1
    if type(at) ~= "number" or at % 1 ~= 0 or at == 0 or at > n or at < -n then
      raise(self.__name, "pop: position must be in 1..%d, not %s", n, got(at))
    end
    at = at < 0 and n + at + 1 or at
    local item = self[at]
    for i = at, n - 1 do self[i] = self[i + 1] end
    self[self._order[n]] = nil
    return item
  end

  --- `for i, item in list:iter() do`
  function List:iter()
    check.self(self, "iter", "list", List)
    local i = 0
    return function()
      i = i + 1
      local item = self[i]
      if item ~= nil then return i, item end
    end
  end
  return List
end

local function is_module(v) return Module.is_instance(v, Module) end

M.ModuleList = list_class("ModuleList", is_module, "module")
M.ParameterList = list_class("ParameterList", Parameter.is, "parameter", as_parameter)

--- Runs modules one after another: Sequential(a, b, c), or with names
-- Sequential { { "conv", a }, { "relu", b } }.
M.Sequential = list_class("Sequential", is_module, "module")

function M.Sequential:init(first, ...)
  local items = { first, ... }
  local named = type(first) == "table" and getmetatable(first) == nil
  if named then
    items = first
    check_list(self, items, "; names stand in { { 'name', module }, ... }")
  end
  for i = 1, named and #items or select("#", ...) + (first ~= nil and 1 or 0) do
    local item = items[i]
    local name = type(item) == "table" and type(item[1]) == "string" and getmetatable(item) == nil
    if name then self:add_module(item[1], item[2]) else self:append(item) end
  end
end

M.Sequential.add = M.Sequential.append -- its name in Torch7

function M.Sequential:forward(...)
  check.self(self, "forward", "net", M.Sequential)
  local fields, order = self._fields, self._order
  local n = #order
  if n == 0 then return ... end
  local y = fields[order[1]](...)
  for i = 2, n do y = fields[order[i]](y) end
  return y
end

-- -- Dictionaries ------------------------------------------------------------------------------

local function dict_class(name, is_item, what, convert)
  local Dict = Module:extend(name)

  --- Takes a table by name (added in alphabetical order) or a list of { name, value }.
  function Dict:init(items)
    if items ~= nil then self:update(items) end
  end

  function Dict:update(items)
    check.self(self, "update", "dict", Dict)
    if type(items) ~= "table" then raise(self.__name, "takes a table, not %s", got(items)) end
    local list = {}
    if items[1] ~= nil then
      list = items
    else
      for key, value in pairs(items) do list[#list + 1] = { key, value } end
      table.sort(list, function(a, b) return tostring(a[1]) < tostring(b[1]) end)
    end
    all_or_nothing(self, function()
      for _, item in ipairs(list) do
        if type(item) ~= "table" or getmetatable(item) then
          raise(self.__name, "takes { name, %s } pairs, not %s", what, got(item))
        end
        local value = convert and convert(item[2]) or item[2]
        if not is_item(value) then raise(self.__name, "holds %ss, not %s", what, got(item[2])) end
        self[item[1]] = value
      end
    end)
  end
  jit.off(Dict.update)

  function Dict:len()
    check.self(self, "len", "dict", Dict)
    return #self._order
  end
  --- The names, in order.
  function Dict:keys()
    check.self(self, "keys", "dict", Dict)
    return { unpack(self._order) }
  end
  --- `for name, item in dict:items() do`
  function Dict:items()
    check.self(self, "items", "dict", Dict)
    local i = 0
    return function()
      i = i + 1
      local key = self._order[i]
      if key then return key, self._fields[key] end
    end
  end
  --- The elements, in order.
  function Dict:values()
    check.self(self, "values", "dict", Dict)
    local list = {}
    for i, key in ipairs(self._order) do list[i] = self._fields[key] end
    return list
  end
  --- Takes all elements out.
  function Dict:clear()
    check.self(self, "clear", "dict", Dict)
    for _, key in ipairs(self:keys()) do self[key] = nil end
  end
  function Dict:contains(key)
    check.self(self, "contains", "dict", Dict)
    return self._kinds[key] ~= nil
  end
  --- Takes an element out and returns it.
  function Dict:pop(key)
    check.self(self, "pop", "dict", Dict)
    local item = self._kinds[key] and self._fields[key]
    if not item then raise(self.__name, "has no element '%s'", check.one_line(key)) end
    self[key] = nil
    return item
  end
  return Dict
end

M.ModuleDict = dict_class("ModuleDict", is_module, "module")
M.ParameterDict = dict_class("ParameterDict", Parameter.is, "parameter", as_parameter)

return M
