--- The tensors in a list of arguments or results: those that stand there, and those in plain tables.
-- Tables without tensors, and objects (tables with a metatable), are values like others: it refuses to look
-- into objects, and past LIMIT entries of a table.  Entries are met in the order of their keys; those under
-- other keys than numbers and strings stay as they are.
local check = require "kiln.check"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local LIMIT = 10000

local is_tensor = check.is_tensor

local function is_plain(v) return type(v) == "table" and getmetatable(v) == nil end

-- Does v, or what plain tables hold there, satisfy is_leaf?
local function leads_to(v, is_leaf, search)
  if is_leaf(v) then return true end
  search.left = search.left - 1
  if not is_plain(v) or search[v] or search.left < 0 then return false end
  search[v] = true
  for _, e in pairs(v) do if leads_to(e, is_leaf, search) then return true end end
  return false
end

local function in_order(a, b)
  if type(a) ~= type(b) then return type(a) == "number" end
  return a < b
end

-- A copy of table t with f(leaf, path) in the place of each leaf; each(v, path) hears of what else is there.
local function copy_of(t, path, walk)
  local copy, names = {}, {}
  walk.copies[t] = copy
  for k, e in pairs(t) do
    local known = type(k) == "number" or type(k) == "string"
    if known then names[#names + 1] = k else copy[k] = e end
  end
  table.sort(names, in_order)
  for _, k in ipairs(names) do
    local v, below = t[k], path and ("%s.%s"):format(path, k) or tostring(k)
    if walk.is_leaf(v) then
      copy[k] = walk.f(v, below)
    elseif is_plain(v) and leads_to(v, walk.is_leaf, { left = LIMIT }) then
      copy[k] = walk.copies[v] or copy_of(v, below, walk)
    else
      copy[k] = v
      if walk.each and k ~= "n" then walk.each(v, below) end
    end
  end
  return copy
end

--- A copy of a list { n = , ... } with f(x, path) in the place of each tensor x; each(v, path) hears of all
--- other values.  path: "2" for the second, "2.hidden" for what a table there holds.
function M.map(list, f, each)
  return copy_of(list, nil, { is_leaf = is_tensor, f = f, each = each, copies = {} })
end

-- Stands for a tensor that is kept elsewhere: { i }.
local Slot = {}

local function is_slot(v) return type(v) == "table" and getmetatable(v) == Slot end

--- A copy of a list with slots in the place of its tensors, and the list { n = , ... } of these.
function M.take_out(list)
  local tensors = { n = 0 }
  return M.map(list, function(x)
    tensors.n = tensors.n + 1
    tensors[tensors.n] = x
    return setmetatable({ tensors.n }, Slot)
  end), tensors
end

--- A copy of what take_out made, with these tensors in the place of the slots.
function M.put_back(list, tensors)
  local function tensor_of(slot) return tensors[slot[1]] end
  return copy_of(list, nil, { is_leaf = is_slot, f = tensor_of, copies = {} })
end

return M
