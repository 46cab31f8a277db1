--- docs/layers.md and the editor's view of layers, optimizers, schedules, distributions and data: words from
-- kiln.nn.texts, arguments from the classes themselves.  It refuses to say anything that is in neither.
local texts = require "kiln.nn.texts"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

-- The value at "optim.lr_scheduler" of kiln.
local function package_at(path)
  local v = require "kiln"
  for name in path:gmatch "[^.]+" do v = v[name] end
  return v
end

local function sorted_names(rows)
  local names = {}
  for name in pairs(rows) do names[#names + 1] = name end
  table.sort(names)
  return names
end

--- Arguments as they are written in a call: "in_features, out_features, bias = true".
---@param list string  an argument list of kiln.utils.args
---@return string
function M.call_text(list)
  local parts = {}
  for part in (list .. ","):gmatch "%s*([^,]*)%s*," do
    local name, kind, default = part:match "^([%w_]+)%s*:%s*([^=]-)%s*=%s*(.-)%s*$"
    if not name then name, kind = part:match "^([%w_]+)%s*:%s*(.-)%s*$" end
    if name then
      if default and kind:find "|" then default = "'" .. default .. "'" end
      if default and kind == "pair" then default = "{ " .. default:gsub(" ", ", ") .. " }" end
      local optional = kind:sub(-1) == "?" and "?" or ""
      parts[#parts + 1] = default and ("%s = %s"):format(name, default) or name .. optional
    elseif part:match "%S" then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, ", ")
end

local TYPE = { count = "integer", whole = "integer", int = "integer", number = "number", bool = "boolean",
  string = "string",
  ["function"] = "function", table = "table", any = "any", tensor = "kiln.Tensor", module = "kiln.nn.Module",
  dtype = "kiln.dtype", generator = "kiln.Generator", pair = "number[]" }

local function type_text(kind)
  kind = kind:gsub("%?$", "")
  if kind:find "|" then return "'" .. kind:gsub("|", "'|'") .. "'" end
  if kind:find "^size" then return "integer|integer[]" end
  if kind:find "^padding" then return "integer|integer[]|string" end
  return TYPE[kind] or "any"
end

local HEAD = [[
# Layers, losses, optimizers, data

Every class of `kiln.nn`, `kiln.optim`, `kiln.distributions`, `kiln.utils.data` and `kiln.vision`, with
its arguments and what it computes. Arguments come by position or by name in a table at the end,
`nn.Conv2d(3, 8, 3, { padding = 1 })`; `name?` may be left out. An unknown option, a missing argument, a
wrong kind, shape or dtype is an error that names it. Layers with parameters also take `dtype` and
`device`. N is the batch, C channels, L a length, H W D sizes, * any dims; positions and classes count
from 1. Names, defaults and the keys of a state dict are PyTorch's. This page is written by `luajit
lua/kiln/docs.lua`.
]]

--- One class in plain text, for the prompt.
---@param name string
---@param list? string  its arguments
---@return string?
function M.text(name, list)
  for _, section in ipairs(texts) do
    local row = section[3][name]
    if row then
      local lines = { ("%s(%s)"):format(name, M.call_text(list or row.args or "")), "", row[1] }
      if row[2] then lines[#lines + 1] = "Shapes: " .. row[2] end
      return table.concat(lines, "\n")
    end
  end
end

--- What a function that was made in a loop does, by its full name without `kiln.`.
---@param full string  "nn.init.xavier_uniform"
---@return string?
function M.function_text(full)
  local place, name = full:match "^(.*)%.([%w_]+)$"
  local words = place and texts.functions[place] and texts.functions[place][name]
  return words and name .. "\n\n" .. words
end

--- The text of docs/layers.md.
---@return string
function M.markdown()
  local lines = { HEAD }
  for _, section in ipairs(texts) do
    local title, path, rows = section[1], section[2], section[3]
    local package = package_at(path)
    lines[#lines + 1] = ("## %s\n\n`kiln.%s`\n"):format(title, path)
    for _, name in ipairs(sorted_names(rows)) do
      local row, class = rows[name], package[name]
      local call = M.call_text(class.argument_list or row.args or "")
      lines[#lines + 1] = ("- **`%s(%s)`** %s%s"):format(name, call, row[1],
        row[2] and " `" .. row[2] .. "`" or "")
    end
    lines[#lines + 1] = ""
  end
  lines[#lines + 1] = "## Functions\n"
  for _, place in ipairs(sorted_names(texts.functions)) do
    lines[#lines + 1] = ("`kiln.%s`\n"):format(place)
    for _, name in ipairs(sorted_names(texts.functions[place])) do
      if name:sub(-1) ~= "_" then
        lines[#lines + 1] = ("- **`%s`** %s"):format(name, texts.functions[place][name])
      end
    end
    lines[#lines + 1] = ""
  end
  return table.concat(lines, "\n")
end

--- What editors know of the classes, to be appended to the stubs of the ops.
---@return string
function M.stubs()
  local lines, known = {}, {}
  for _, section in ipairs(texts) do
    local path, rows = section[2], section[3]
    local package = package_at(path)
    if not known[path] then
      known[path] = true
      lines[#lines + 1] = ("---@class kiln.%s\nkiln.%s = {}\n"):format(path, path)
    end
    for _, name in ipairs(sorted_names(rows)) do
      local row, names = rows[name], {}
      lines[#lines + 1] = "--- " .. row[1] .. (row[2] and "  Shapes: " .. row[2] or "")
      for part in ((package[name].argument_list or row.args or "") .. ","):gmatch "%s*([^,]*)%s*," do
        local argument, rest = part:match "^([%w_]+)%s*:%s*(.-)%s*$"
        if argument then
          local kind = rest:gsub("%s*=.*$", "")
          local mark = (rest:find "=" or kind:sub(-1) == "?") and "?" or ""
          lines[#lines + 1] = ("---@param %s%s %s"):format(argument, mark, type_text(kind))
          names[#names + 1] = argument
        elseif part:match "^[%w_]+$" then
          names[#names + 1] = part
        end
      end
      lines[#lines + 1] = ("function kiln.%s.%s(%s) end\n"):format(path, name, table.concat(names, ", "))
    end
  end
  return table.concat(lines, "\n")
end

return M
