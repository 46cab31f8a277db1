--- kiln is loaded once in a Lua state.  Its files hold what belongs to the state (the types of the FFI, who
-- owns which tensor), so they must not be loaded again when somebody empties package.loaded, as test runners
-- do: `require` then gives what there is.
-- Families of ops are not kept: all their texts would stay in memory (ops.lua reads them again when asked).
local M = { modules = {} } -- by name, what require returned

-- Loads a file of kiln by the searchers behind this one, and keeps what it returns.
local function search(name)
  if type(name) ~= "string" or not (name == "kiln" or name:find "^kiln%.") then return nil end
  local known = M.modules[name]
  if known ~= nil then return function() return known end end
  for _, searcher in ipairs(package.loaders) do
    local loader = searcher ~= M.search and searcher(name)
    if type(loader) == "function" then
      return function(...)
        local value = loader(...)
        if value ~= nil and not name:find "^kiln%.ops%." then M.modules[name] = value end
        return value
      end
    end
  end
end

M.search = search
M.modules["kiln.once"] = M
table.insert(package.loaders, 1, search)

return M
