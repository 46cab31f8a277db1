--- Argument lists of everything that is written in Lua: modules, functions, optimizers.
-- A list is text, `in_features: count, out_features: count, bias: bool = true`; the parser it makes
-- takes arguments by position, or by name in a table at the end, checks them and fills in
-- defaults.  It refuses unknown options, missing arguments and wrong kinds, and names them.
--
--   count    whole number >= 1         int      whole number
--   whole    whole number >= 0
--   number   any number                bool     true or false
--   string, function, table, any       what they say
--   tensor, module, dtype, generator   kiln's own
--   size1, size2, size3                a whole number, or a list of n of them; becomes a list
--   padding1, padding2, padding3       the same, or 'same' or 'valid'
--   pair                               a list of two numbers, its default written `0.9 0.999`
--   a|b|c                              one of these words
-- `kind?` may be nil; `= value` gives a default (a number, true, false, inf or a word).  What is written
-- `min_val/min_value: ...` has an older name, too: an option may be called either, its value has the first.
local check = require "kiln.check"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise, got, is_tensor = check.raise, check.got, check.is_tensor

local M = {
  lists = {}, ---@type table<string, string>  the text of each list by its owner, for help
}

local function is_whole(v) return type(v) == "number" and v % 1 == 0 and math.abs(v) < 2 ^ 53 end

local function is_options(v)
  if type(v) ~= "table" or getmetatable(v) ~= nil then return false end
  for key in pairs(v) do
    if type(key) ~= "string" then return false end
  end
  return true
end

local function size_list(n)
  return function(v)
    if is_whole(v) then
      local list = {}
      for i = 1, n do list[i] = v end
      return list
    end
    if type(v) ~= "table" or #v ~= n then return nil end
    for i = 1, n do
      if not is_whole(v[i]) then return nil end
    end
    return { unpack(v) }
  end
end

local function of_type(name)
  return function(v) if type(v) == name then return v end end
end

-- A kind: how it is described, and a function that returns the value to store or nil.
local kinds = {
  count = { "a whole number of at least 1", function(v) if is_whole(v) and v >= 1 then return v end end },
  whole = { "a whole number of at least 0", function(v) if is_whole(v) and v >= 0 then return v end end },
  int = { "a whole number", function(v) if is_whole(v) then return v end end },
  number = { "a number", of_type "number" },
  bool = { "true or false", of_type "boolean" },
  string = { "a string", of_type "string" },
  ["function"] = { "a function", function(v)
    if type(v) == "function" or (type(v) == "table" and getmetatable(v) and getmetatable(v).__call) then
      return v
    end
  end },
  table = { "a table", of_type "table" },
  any = { "a value", function(v) return v end },
  tensor = { "a tensor", function(v) if is_tensor(v) then return v end end },
  module = { "a module", function(v)
    if require("kiln.class").is_instance(v, require "kiln.nn.module") then return v end
  end },
  generator = { "a generator", function(v)
    if require("kiln.random").is_generator(v) then return v end
  end },
  dtype = { "a dtype such as kiln.float32", function(v) return require("kiln.dtype").of(v) end },
  size1 = { "a whole number or a list of 1", size_list(1) },
  size2 = { "a whole number or a list of 2", size_list(2) },
  size3 = { "a whole number or a list of 3", size_list(3) },
}

local function words_kind(text)
  local set, list = {}, {}
  for word in text:gmatch "[^|]+" do
    set[word] = true
    list[#list + 1] = "'" .. word .. "'"
  end
  return { "one of " .. table.concat(list, ", "), function(v) if set[v] then return v end end }
end

for n = 1, 3 do
  local read = kinds["size" .. n][2]
  kinds["padding" .. n] = { kinds["size" .. n][1] .. ", or 'same' or 'valid'", function(v)
    if v == "same" or v == "valid" then return v end
    return read(v)
  end }
end

kinds.pair = { "a list of two numbers", function(v)
  if type(v) == "table" and #v == 2 and type(v[1]) == "number" and type(v[2]) == "number" then
    return { v[1], v[2] }
  end
end }

local constants = { ["true"] = true, ["false"] = false, inf = math.huge, ["-inf"] = -math.huge }

local function parse_one(text)
  local left, default = text:match "^(.-)%s*=%s*(.+)$"
  left = left or text
  local name, older, kind = left:match "^([%w_]+)/?([%w_]*)%s*:%s*(.+)$"
  assert(name, "argument list: " .. text)
  local optional = kind:sub(-1) == "?"
  if optional then kind = kind:sub(1, -2) end
  local arg = { name = name, older = older, optional = optional, takes_table = kind == "table" }
  local entry = kinds[kind] or (kind:find "|" and words_kind(kind))
  arg.what, arg.read = assert(entry, "unknown kind " .. kind)[1], entry[2]
  if default then
    arg.default = constants[default]
    if arg.default == nil then arg.default = tonumber(default) or default end
    if kind:find "^size" or kind:find "^padding" then arg.default = arg.read(arg.default) end
    if kind == "pair" then
      local a, b = default:match "^(%S+)%s+(%S+)$"
      arg.default = { tonumber(a), tonumber(b) }
    end
  end
  return arg
end

--- A list as help shows it: without the older names.
---@param text string
---@return string
function M.plain(text) return (text:gsub("([%w_])/[%w_]+(%s*:)", "%1%2")) end

--- Makes the parser of one argument list.
---@param owner string the function or class, for messages
---@param text string the list
---@return fun(...): table values by name
---@return table[] the arguments in order: { name, optional, default }
function M.define(owner, text)
  local list, by_name = {}, {}
  M.lists[owner] = M.plain(text)
  for part in (text .. ","):gmatch "%s*([^,]*)%s*," do
    part = part:gsub("%s+$", "")
    if part ~= "" then
      local arg = parse_one(part)
      list[#list + 1], by_name[arg.name] = arg, arg
      if arg.older ~= "" then by_name[arg.older] = arg end
    end
  end

  local function store(values, arg, v)
    local stored = arg.read(v)
    if stored == nil then raise(owner, "%s must be %s, not %s", arg.name, arg.what, got(v)) end
    values[arg.name] = stored
  end

  local function parse(...)
    local n, values, options = select("#", ...), {}, nil
    if n > 0 then
      local last = select(n, ...)
      -- An empty table in the place of a list is an empty list.
      local is_list = list[n] and list[n].takes_table and type(last) == "table" and next(last) == nil
      if is_options(last) and not is_list then options, n = last, n - 1 end
    end
    while n > #list and select(n, ...) == nil do n = n - 1 end
    if n > #list then raise(owner, "takes at most %d arguments, got %d", #list, n) end
    for i = 1, n do
      local v = select(i, ...)
      if v ~= nil then store(values, list[i], v) end
    end
    for name, v in pairs(options or {}) do
      local arg = by_name[name]
      if not arg then
        local known = {}
        for i = 1, #list do known[i] = list[i].name end
        check.unknown_option(owner, name, known)
      end
      if values[arg.name] ~= nil then raise(owner, "%s is given twice", arg.name) end
      store(values, arg, v)
    end
    for i = 1, #list do
      local arg = list[i]
      if values[arg.name] == nil then
        local default = arg.default
        if type(default) == "table" then default = { unpack(default) } end
        values[arg.name] = default
        if default == nil and not arg.optional then raise(owner, "%s is missing (%s)", arg.name, arg.what) end
      end
    end
    return values
  end
  return parse, list
end

return M
