--- What `?name` and `??word` show: ops from the op table, everything else from the comments in its source.
-- A docstring is the block of comment lines, begun by `---`, right above a definition.  It refuses to keep
-- texts of its own, so help cannot differ from the source.
local Object = require "kiln.class"
local check = require "kiln.check"
local docs = require "kiln.docs"
local layers = require "kiln.docs.layers"
local namespace = require "kiln.namespace"
local ops = require "kiln.ops"
local names = require "kiln.repl.names"
local args = require "kiln.utils.args"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

-- -- Docstrings of a file ----------------------------------------------------------------------------

-- How a definition looks, and which of its parts is the name; the rest of the line is its signature.
local DEFINITIONS = {
  "^function [%w_]+[.:]([%w_]+)(%b())", "^local function ([%w_]+)(%b())", "^function ([%w_]+)(%b())",
  "^[%w_]+[.:]([%w_]+)%s*=%s*function(%b())", "^[%w_]+%.([%w_]+)%s*=", "^local ([%w_]+)%s*=",
}

local function clean(line)
  local text = line:gsub("^%s*%-%-%-?%s?", "")
  local name, rest = text:match "^@param%s+(%S+)%s+(.*)$"
  if name then return ("  %-14s %s"):format(name, rest) end
  if text:find "^@return" then return "  returns        " .. text:gsub("^@return%s*", "") end
  if text:find "^@" then return nil end
  return text
end

local function definition(lines, i)
  local line = lines[i]:gsub("^%s+", "")
  for _, pattern in ipairs(DEFINITIONS) do
    local name, parameters = line:match(pattern)
    if name then
      -- declare "Linear" { args = "..." } and its like.
      local list = lines[i + 1] and lines[i + 1]:match '^%s*%a+ = "(.-)",?$'
      return name, parameters or list and line:find "[{(]" and "(" .. list .. ")" or ""
    end
  end
  local parameters = line:match "^return function(%b())" -- a file that is a function
  if parameters then return "", parameters end
end

local files = {} -- what was read, by path

--- The docstrings in a Lua file: { name, signature, text, line }, in the order of the file.
---@param path string
---@return table[]
function M.docstrings(path)
  if files[path] then return files[path] end
  local list, lines = {}, {}
  local file = io.open(path, "rb")
  if file then
    for line in file:lines() do lines[#lines + 1] = line end
    file:close()
  end
  local block
  for i, line in ipairs(lines) do
    if line:find "^%s*%-%-%-" and not block or block and line:find "^%s*%-%-" then
      block = block or {}
      block[#block + 1] = clean(line)
    elseif block then
      local name, signature = definition(lines, i)
      if name and not line:find "= require" then
        list[#list + 1] = { name = name, signature = signature, text = table.concat(block, "\n"), line = i }
      end
      block = nil
    end
  end
  files[path] = list
  return list
end

-- -- Where the files of kiln are -----------------------------------------------------------------------

local root = debug.getinfo(1, "S").source:match "^@(.*)[/\\]repl[/\\]" or "."

local function each_file(folder, module, visit)
  for _, name in ipairs(names.files(folder)) do
    local path, base = folder .. "/" .. name, name:match "^(.*)%.lua$"
    if name:sub(-1) == "/" then
      each_file(folder .. "/" .. name:sub(1, -2), module .. "." .. name:sub(1, -2), visit)
    elseif base and base ~= "stubs" then
      visit(path, base == "init" and module or module .. "." .. base)
    end
  end
end

-- -- One name ------------------------------------------------------------------------------------------

local function of_op(name)
  local row = ops.by_name[name] or ops.by_name[(name:gsub("_$", ""))]
  return row and not row.internal and docs.text(row) or nil
end

-- The name and what stands between the brackets of a call; `...` that kiln.utils.args reads as what it takes.
local function heading(name, signature)
  local list = signature:find("...", 1, true) and (args.lists[name] or args.lists[name:lower()])
  return name .. (list and "(" .. layers.call_text(list) .. ")" or signature)
end

-- The docstring of a function by where it is defined; `name` for one that is its whole file.
local function of_function(f, name)
  local info = debug.getinfo(f, "S")
  local op = info.source:match "^=kiln:(.+)$"
  if op then return of_op(op) end
  local path = info.source:match "^@(.*)"
  for _, doc in ipairs(path and M.docstrings(path) or {}) do
    if doc.line == info.linedefined then
      return heading(doc.name ~= "" and doc.name or name, doc.signature) .. "\n\n" .. doc.text
    end
  end
end

-- The docstring of that name in the file of a function, for functions that others make.
local function of_name(f, name)
  local path = debug.getinfo(f, "S").source:match "^@(.*)"
  for _, doc in ipairs(path and M.docstrings(path) or {}) do
    if doc.name == name then return heading(name, doc.signature) .. "\n\n" .. doc.text end
  end
end

-- The docstring of a name in the files of kiln whose module begins with `place`.
local function of_files(place, name)
  local found
  each_file(root, "kiln", function(path, module)
    if found or module:sub(1, #place) ~= place then return end
    for _, doc in ipairs(M.docstrings(path)) do
      if doc.name == name and doc.text ~= "" then found = found or doc end
    end
  end)
  return found
end

-- The parameters of a method, "(total, options)", from the line that defines it.
local function signature_of(f)
  local info = debug.getinfo(f, "S")
  local path = info.source:match "^@(.*)"
  local file = path and io.open(path, "rb")
  if not file then return nil end
  local n, signature = 0, nil
  for line in file:lines() do
    n = n + 1
    if n == info.linedefined then
      signature = line:match "(%b())"
      break
    end
  end
  file:close()
  return signature
end

-- A class: what it takes from its argument list, else from `init`; words from the texts of the layers, else
-- from the comment in its file, or from the op of its name.
local function of_class(class)
  local name, list = rawget(class, "__name"), rawget(class, "argument_list")
  local doc = of_files("kiln", name)
  local words = layers.text(name, list)
  if words then return doc and words .. "\n\n" .. doc.text or words end
  local init = rawget(class, "init")
  local signature = doc and doc.signature ~= "" and doc.signature
    or type(init) == "function" and signature_of(init) or ""
  local about = init and of_function(init)
  local text = (list and name .. "(" .. layers.call_text(list) .. ")" or heading(name, signature))
    .. (doc and "\n\n" .. doc.text or "")
  if about then text = text .. about:gsub("^[^\n]*", "") end
  if doc or about then return text end
  -- A layer without words of its own is an op with its arguments remembered.
  for _, row in ipairs(ops.rows) do
    if not row.internal and row.name:gsub("_", "") == name:lower() then return text .. "\n\n" .. row.doc end
  end
  return text
end

-- The methods of a class and their first lines.
local function methods_of(class)
  local lines = {}
  for name, f in pairs(class) do
    if type(f) == "function" and not name:find "^_" and name ~= "init" then
      local text = of_function(f)
      local first = text and text:match "\n\n([^\n]*)"
      if first then lines[#lines + 1] = ("  :%-22s %s"):format(name, first) end
    end
  end
  table.sort(lines)
  return #lines > 0 and "\n\nMethods:\n" .. table.concat(lines, "\n") or ""
end

-- The first comment of the file of a package.
local function of_package(name)
  local path = package.searchpath("kiln." .. name, package.path)
  local file = path and io.open(path, "rb")
  if not file then return nil end
  local lines = {}
  for line in file:lines() do
    if not line:find "^%-%-" then break end
    lines[#lines + 1] = (line:gsub("^%-%-%-?%s?", ""))
  end
  file:close()
  return #lines > 0 and table.concat(lines, "\n") or nil
end

--- The help for an expression: what it is called, and its value where it has one.
---@param text string  "x:sum", "kiln.nn.Linear", "cumsum"
---@param value any
---@return string?
function M.about(text, value)
  local name = text:match "([%w_]+)%s*$"
  if type(value) == "table" and type(rawget(value, "__name")) == "string" and rawget(value, "__base") then
    return of_class(value) .. methods_of(value)
  end
  if type(value) == "function" then
    local found = of_function(value, name) or of_name(value, name)
    if found then return found end
  end
  local package_name = text:match "^kiln%.([%w_.]+)$"
  local words = package_name and layers.function_text(package_name)
  if words then return words end
  if type(value) == "function" and package_name then -- made in another file than the one that says what it is
    local doc = of_files("kiln." .. package_name:match "^[^.]+", name)
    if doc then return heading(name, doc.signature) .. "\n\n" .. doc.text end
  end
  if type(value) == "table" and (package_name or text == "kiln") then
    package_name = package_name or "init"
    local found, list = of_package(package_name) or of_package(package_name:lower()), namespace.names(value)
    if found then return list and ("%s\n\n%s"):format(found, table.concat(list, " ")) or found end
    local doc = of_files("kiln." .. (package_name:match "^(.*)%.[^.]*$" or ""), name)
    if doc then return doc.name .. doc.signature .. "\n\n" .. doc.text end
  end
  if type(value) == "table" and getmetatable(value) and rawget(getmetatable(value), "__base") then
    local class = getmetatable(value)
    return of_class(class) .. methods_of(class)
  end
  local op = name and of_op(name)
  if op or value == nil then return op end
  return ("%s is %s"):format(text, check.got(value))
end

-- -- Search ----------------------------------------------------------------------------------------------

-- Calls visit(full name, value) for everything public below a package.
local function each_public(package, title, visit, seen)
  if seen[package] then return end
  seen[package] = true
  for _, name in ipairs(namespace.names(package)) do
    local value, full = package[name], title .. "." .. name
    if namespace.names(value) then
      each_public(value, full, visit, seen)
    elseif type(value) == "table" and getmetatable(value) == nil then
      for inner, v in pairs(value) do visit(full .. "." .. tostring(inner), v) end
    else
      visit(full, value)
    end
  end
end

-- What programs usually call packages.
local SHORT = { F = "functional", torch = "kiln" }

--- Where a name stands that is public: "kiln.nn.Linear" for "Linear" and "nn.Linear".
---@param name string
---@return string[]
function M.places(name)
  local kiln, list = require "kiln", {}
  name = name:gsub("^(%w+)%.", function(first) return SHORT[first] and SHORT[first] .. "." end)
  local last, ending = name:match "[^.]*$", "." .. name
  local first = "kiln." .. last
  if namespace.find(kiln, last) ~= nil and first:sub(-#name) == name then return { first } end
  each_public(kiln, "kiln", function(full, value)
    local has_help = type(value) == "function" or Object.is_class(value)
    if has_help and (full == name or full:sub(-#ending) == ending) then list[#list + 1] = full end
  end, {})
  table.sort(list)
  return list
end

--- Everything public whose name or help has the word: lines `name  first line of its help`.
---@param word string
---@return string[]
function M.search(word)
  word = word:lower()
  local list = {}
  local function note(full, text)
    local name, rest = full:match "[%w_]+$", text:match "\n+(.*)"
    if rest and (name:lower():find(word, 1, true) or rest:lower():find(word, 1, true)) then
      list[#list + 1] = ("%-30s  %s"):format(full, rest:match "[^\n]*")
    end
  end
  each_public(require "kiln", "kiln", function(full, value)
    if Object.is_class(value) then
      note(full, of_class(value))
      for name, f in pairs(value) do
        local text = type(f) == "function" and not name:find "^_" and name ~= "init" and of_function(f)
        if text then note(full .. ":" .. name, text) end
      end
    elseif type(value) == "function" then
      note(full, M.about(full, value) or "")
    end
  end, {})
  table.sort(list)
  return list
end

return M
