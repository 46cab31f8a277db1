--- Packages as tables of names: what is not there yet is loaded when it is first used, and a name that does
-- not exist is an error that says which one was perhaps meant.  (nil would go on as an option left out:
-- `dtype = kiln.flaot64`.)  A name that is there costs a look-up in the table.  Names that begin with `_` are
-- nil, so that tools may ask.
local check = require "kiln.check"
local spelling = require "kiln.spelling"

local M = {}

--- What a package has under a name, or nil.  A plain table that is loaded becomes a package, too, if its name
--- is that of one: classes have capitals.
---@param t table
---@param name string
---@return any
function M.find(t, name)
  local v = rawget(t, name)
  local load = getmetatable(t).__load
  if v == nil and load then
    v = load(name)
    local is_package = type(v) == "table" and getmetatable(v) == nil and name:find "^%l"
    if is_package then v = M.of(getmetatable(t).__title .. "." .. name, v) end
    if v ~= nil then rawset(t, name, v) end
  end
  return v
end

local function refuse(title, t, name, names)
  local list = names and names() or {}
  for known in next, t do list[#list + 1] = type(known) == "string" and known or nil end
  local hint = spelling.hint(name, list, title .. ".")
  check.raise(nil, "there is no %s.%s%s", title, check.one_line(name), hint)
end
jit.off(refuse) -- walks a table: docs/architecture.md, "LuaJIT"

--- Makes a package of a table.
---@param title string  what it is called: "kiln.nn"
---@param t table  what it holds from the beginning
---@param load? fun(name: string): any  what it holds under another name, or nil
---@param names? fun(): string[]  those other names
---@return table t
function M.of(title, t, load, names)
  return setmetatable(t, {
    __title = title,
    __names = names,
    __tostring = function() return "package " .. title end,
    __load = load,
    __index = function(_, name)
      if type(name) ~= "string" or name:find "^_" then return nil end
      local v = M.find(t, name)
      if v ~= nil then return v end
      refuse(title, t, name, names)
    end,
  })
end

--- The names in a package, sorted; nil when it is none.
---@param t any
---@return string[]?
function M.names(t)
  local metatable = type(t) == "table" and getmetatable(t)
  if type(metatable) ~= "table" or not rawget(metatable, "__title") then return nil end
  local set, list = {}, {}
  for _, name in ipairs(metatable.__names and metatable.__names() or {}) do set[name] = true end
  for name in next, t do set[name] = type(name) == "string" and not name:find "^_" or nil end
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end
jit.off(M.names)

--- A package that is made of the tables that other files return.
---@param title string
---@param t table  what it holds besides
---@param files string[]
---@return table t
function M.join(title, t, files)
  for _, file in ipairs(files) do
    for name, value in pairs(require(file)) do t[name] = value end
  end
  return M.of(title, t)
end
jit.off(M.join)

return M
