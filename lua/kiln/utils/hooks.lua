--- Lists of functions that an object calls at certain points: hooks of modules and optimizers.
-- It refuses to say when they run or what they get; the object does.
local check = require "kiln.check"
local reach = require "kiln.reach"

local M = {}

--- Adds fn to the hooks of a kind, behind the others or, with { prepend = true }, before them; the handle's
-- remove() takes it out again.
---@param name string  the object's class, for messages
---@param lists table<string, function[]>  by kind
---@param kind string  as messages call it: "forward hook"
---@param fn function
---@param options? { prepend: boolean }
---@param more? table[]  further options that are flags: { name, what it makes of fn }, applied in this order
---@return { remove: fun() }
function M.add(name, lists, kind, fn, options, more)
  if type(fn) ~= "function" then
    check.raise(name, "the %s must be a function, not %s", kind, check.got(fn))
  end
  local known = { prepend = 1 }
  for _, flag in ipairs(more or {}) do known[flag[1]] = 1 end
  options = check.options(options, known, ("%s: register the %s"):format(name, kind))
  for _, flag in ipairs(more or {}) do
    if options[flag[1]] then fn = flag[2](fn) end
  end
  local list = lists[kind] or {}
  lists[kind] = list
  table.insert(list, options.prepend and 1 or #list + 1, reach.keep(fn))
  return { remove = function()
    for i, f in ipairs(list) do
      if f == fn then table.remove(list, i) return end
    end
  end }
end

--- A method fn(object, hook, options) that adds a hook of a kind to object[field].
---@param field string
---@param kind string
---@param more? table[]  as M.add takes it
function M.adder(field, kind, more)
  local method = "register_" .. kind:gsub("[ -]", "_")
  return function(self, fn, options)
    check.self(self, method, "object")
    return M.add(self.__name, self[field], kind, fn, options, more)
  end
end

--- The hooks of a kind as of now: one that removes itself does not make the next one be passed over.
---@return function[]
function M.now(lists, kind) return { unpack(lists[kind] or {}) } end

--- Calls the hooks of a kind with an object and a value; what one returns, unless nil, replaces the value.
---@return any value
function M.run(lists, kind, object, value)
  for _, fn in ipairs(M.now(lists, kind)) do
    local changed = fn(object, value)
    if changed ~= nil then value = changed end
  end
  return value
end

return M
