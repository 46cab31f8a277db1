--- What there is to complete: keywords, names in reach, fields and methods of a value, files.
-- A metatable whose `__index` is a function says what it would find with `__names(value)`, a list.
-- It indexes values and refuses to call anything else of theirs.
local ffi = require "ffi"
local check = require "kiln.check"
local source = require "kiln.repl.source"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

ffi.cdef [[
typedef struct kiln_dirent {
  uint64_t number; int64_t offset; uint16_t length; uint8_t kind; char name[256];
} kiln_dirent;
void *kiln_opendir(const char *path) __asm__("opendir");
kiln_dirent *kiln_readdir(void *folder) __asm__("readdir");
int kiln_closedir(void *folder) __asm__("closedir");
]]

local M = {}

local KEYWORDS = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then
  true until while]]):gmatch "%S+" do KEYWORDS[word] = true end

local FOLDER = 4 -- d_type of a directory

-- -- Fields of values ----------------------------------------------------------------------------

local function add_all(set, list)
  for _, name in ipairs(list) do set[name] = true end
end

local function add_names(set, v, seen)
  if type(v) ~= "table" or seen[v] then return end
  seen[v] = true
  for k in next, v do
    if type(k) == "string" and not k:find "^__" then set[k] = true end
  end
  local metatable = debug.getmetatable(v)
  if type(metatable) ~= "table" then return end
  local names, index = rawget(metatable, "__names"), rawget(metatable, "__index")
  if type(names) == "function" then
    local ok, list = pcall(names, v)
    if ok then add_all(set, list) end
  end
  -- A class whose __index is a function hands on its own fields as a rule.
  add_names(set, type(index) == "function" and metatable or index, seen)
end

--- The names that `v.name` knows, or `v:name` with `methods`.
---@return string[]
function M.of(v, methods)
  local set, list = {}, {}
  if check.is_tensor(v) then
    add_all(set, require("kiln.tensor").names(methods))
  elseif type(v) == "string" then
    add_names(set, string, {})
  else
    add_names(set, v, {})
  end
  for name in pairs(set) do
    if not (methods and type(v) == "table") then
      list[#list + 1] = name
    else
      local ok, field = pcall(function() return v[name] end)
      if ok and type(field) == "function" then list[#list + 1] = name end
    end
  end
  return list
end

-- -- The expression before the cursor --------------------------------------------------------------

-- The value of `a.b[2].c` in an environment, its parts being tokens first..last; nil when unknown.
local function value_of(env, tokens, first, last)
  local v, i = env[tokens[first].text], first + 1
  while i <= last and v ~= nil do
    local t, key = tokens[i].text, nil
    if t == "." then
      key, i = tokens[i + 1].text, i + 2
    else -- [ ... ]
      local inner = tokens[i + 1]
      key = inner.kind == "number" and tonumber(inner.text) or inner.text:match "^[\"'](.*)[\"']$"
      i = i + 3
    end
    local ok, found = pcall(function() return v[key] end)
    v = ok and found or nil
  end
  return v
end

-- Where the chain of names and brackets that ends at token `last` begins; nil when there is none.
local function chain_start(tokens, last)
  local i = last
  while i >= 1 do
    local t = tokens[i]
    if t.text == "]" then
      local inner, open = tokens[i - 1], tokens[i - 2]
      if not (open and open.text == "[" and (inner.kind == "number" or inner.kind == "string")) then
        return nil
      end
      i = i - 3
    elseif t.kind == "name" and not KEYWORDS[t.text] then
      if not (tokens[i - 1] and tokens[i - 1].text == ".") then return i end
      i = i - 2
    else
      return nil
    end
  end
end

--- The value of the names and brackets that end at token `last`; nil when there is none.
---@param scope table  variables by name
---@param tokens table[]
---@param last integer
function M.value_before(scope, tokens, last)
  local start = last >= 1 and chain_start(tokens, last)
  if start then return value_of(scope, tokens, start, last) end
end

--- The variables in reach.
---@return string[]
function M.variables(scope)
  local set, list = {}, {}
  add_names(set, scope, {})
  add_names(set, _G, {})
  for name in pairs(set) do list[#list + 1] = name end
  return list
end

local function starting_with(list, prefix)
  local found = {}
  for _, name in ipairs(list) do
    if name:sub(1, #prefix) == prefix and (prefix ~= "" or not name:find "^_") then
      found[#found + 1] = name
    end
  end
  table.sort(found)
  return found
end

-- -- Files ---------------------------------------------------------------------------------------

--- The names in a folder, folders with a slash behind; empty when it cannot be read.
---@return string[]
function M.files(folder)
  local handle, list = ffi.C.kiln_opendir(folder), {}
  if handle == nil then return list end
  while true do
    local entry = ffi.C.kiln_readdir(handle)
    if entry == nil then break end
    local name = ffi.string(entry.name)
    if name ~= "." and name ~= ".." then
      list[#list + 1] = entry.kind == FOLDER and name .. "/" or name
    end
  end
  ffi.C.kiln_closedir(handle)
  return list
end

local function complete_file(path)
  local folder, prefix = path:match "^(.*/)([^/]*)$"
  if not folder then folder, prefix = "./", path end
  if folder:find "^~/" then folder = (os.getenv "HOME" or "~") .. folder:sub(2) end
  return prefix, starting_with(M.files(folder), prefix)
end

-- -- Completion ----------------------------------------------------------------------------------

--- What could stand at the end of `text`: the part that is there already, and the whole names.
---@param env table  where names are looked up
---@return string prefix
---@return string[] candidates  sorted
function M.complete(text, env)
  local tokens = source.tokens(text)
  local n = #tokens
  local last = tokens[n]
  if last and last.open then
    if last.kind == "comment" or last.text:find "^%[" then return "", {} end
    return complete_file(last.text:sub(2))
  end
  local prefix, at = "", n
  if last and last.kind == "name" and last.last == #text then prefix, at = last.text, n - 1 end
  local separator = tokens[at]
  if separator and (separator.text == "." or separator.text == ":") then
    local v = M.value_before(env, tokens, at - 1)
    if v == nil then return prefix, {} end
    return prefix, starting_with(M.of(v, separator.text == ":"), prefix)
  end
  local list = M.variables(env)
  for word in pairs(KEYWORDS) do list[#list + 1] = word end
  return prefix, starting_with(list, prefix)
end

return M
