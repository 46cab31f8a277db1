--- Single inheritance for everything in kiln that is a Lua table: modules, optimizers, datasets.
-- A class is the metatable of its instances; calling it makes one and runs `init`.  It refuses
-- multiple inheritance and mixins.
--
--   local Net = nn.Module:extend("Net")
--   function Net:init(width) ... end          -- `Base.init(self, ...)` runs the base's
--   local net = Net(64)
---@class kiln.Object
local Object = { __name = "Object" }
local getmetatable = debug.getmetatable -- a table may hide its own
Object.__index = Object

--- Called on a fresh instance before `init`; a base class prepares its storage here.
function Object.prepare(_instance) end

function Object.init(_self) end

-- check.lua needs this file, so it is only asked for when there is something to say.
local function refuse(...) require("kiln.check").raise(...) end

local function construct(class, ...)
  local other = class.__init and "__init" or class.__init__ and "__init__"
  if other then
    refuse(class.__name, "define init, as in function %s:init(...); %s is not called", class.__name, other)
  end
  local instance = setmetatable({}, class)
  class.prepare(instance)
  instance:init(...)
  return instance
end

local function class_name(class) return ("class %s"):format(class.__name) end

--- A subclass.  Metamethods are copied (Lua looks them up raw), the rest is inherited.
---@param name string what printing and error messages call it
---@param members? table methods and class constants
---@return table
function Object:extend(name, members)
  if not Object.is_class(self) then
    refuse("extend", 'the class is missing; it is called with a colon: nn.Module:extend "Net"')
  end
  local class = members or {}
  for key, value in pairs(self) do
    if type(key) == "string" and key:sub(1, 2) == "__" and class[key] == nil then class[key] = value end
  end
  if self.__index == self then class.__index = class end
  class.__name, class.__base = name, self
  return setmetatable(class, { __index = self, __call = construct, __tostring = class_name })
end
jit.off(Object.extend) -- walks a table: docs/architecture.md, "LuaJIT"

--- True when this object's class is `class` or inherits from it.
function Object:is_a(class)
  local c = getmetatable(self)
  while type(c) == "table" do
    if c == class then return true end
    c = rawget(c, "__base")
  end
  return false
end

function Object:__tostring() return getmetatable(self).__name end

setmetatable(Object, { __call = construct, __tostring = class_name })

--- True for any value: is it a class?
function Object.is_class(value)
  return type(value) == "table" and (value == Object or rawget(value, "__base") ~= nil)
end

--- True for any value: is it `class` or a class that inherits from it?
function Object.is_subclass(value, class)
  while Object.is_class(value) do
    if value == class then return true end
    value = rawget(value, "__base")
  end
  return false
end

--- True for any value: is it an instance of `class`?
function Object.is_instance(value, class)
  return type(value) == "table" and getmetatable(value) ~= nil
    and rawget(getmetatable(value), "__base") ~= nil and Object.is_a(value, class)
end

return Object
