--- Values as the prompt shows them: tensors and modules as they print themselves, tables to a depth, strings
-- quoted, in colours where there are any.  It refuses to change or call anything but __tostring.
local Object = require "kiln.class"
local check = require "kiln.check"
local linewidth = require("kiln.format").linewidth

local DEPTH, ITEMS, VALUES, TEXT = 4, 40, 2000, 200 -- levels; entries a table; values in all; bytes a string

local COLOURS = {
  number = "\27[36m", string = "\27[32m", constant = "\27[35m", key = "\27[34m", note = "\27[90m",
  error = "\27[31m", prompt = "\27[1;34m",
}

---@class kiln.repl.Printer: kiln.Object
local Printer = Object:extend "Printer"

---@param coloured boolean
function Printer:init(coloured) self.coloured, self.left = coloured, 0 end

--- `text` in the colour of a kind of thing.
function Printer:paint(kind, text)
  if not self.coloured then return text end
  return COLOURS[kind] .. text .. "\27[0m"
end

local function visible(text) return #(text:gsub("\27%[[%d;]*m", "")) end

local ESCAPES = { ["\n"] = "\\n", ["9"] = "\\t" } -- for what %q puts behind a backslash

local function quote(text, limit)
  local rest = #text > limit and ("... %d bytes"):format(#text) or ""
  local shown = ("%q"):format(text:sub(1, limit)):gsub("\\(.)", ESCAPES):gsub("%c", function(c)
    return ("\\%d"):format(c:byte())
  end)
  return shown .. rest
end

local function function_text(f)
  local info = debug.getinfo(f, "S")
  if info.what == "C" then return "function (built in)" end
  return ("function (%s:%d)"):format(info.short_src:match "[^/]*/?[^/]*$", info.linedefined)
end

-- What tostring gives; LuaJIT's takes whatever a __tostring returns.
local function words(v)
  local text = tostring(v)
  if type(text) ~= "string" then error("__tostring must return a string, it gave " .. check.got(text), 0) end
  return text
end

local function sort_key(k)
  return (type(k) == "number" and "1" or type(k) == "string" and "2" or "3"), k
end

local function before(a, b)
  local kind_a, value_a = sort_key(a)
  local kind_b, value_b = sort_key(b)
  if kind_a ~= kind_b then return kind_a < kind_b end
  if kind_a == "3" then return words(value_a) < words(value_b) end
  return value_a < value_b
end

local function tensor_inside(x)
  local text = tostring(x)
  if #text <= 60 and not text:find "\n" then return text end
  return (check.got(x):gsub("^a ", ""))
end

local function key_text(self, k)
  if type(k) == "string" then
    return self:paint("key", k:find "^[%a_][%w_]*$" and k or "[" .. quote(k, TEXT) .. "]")
  end
  return "[" .. self:inside(k, 0, 0, {}) .. "]"
end

-- The entries of a table as texts, first those by position.
local function entries(self, t, indent, depth, seen)
  local list, n = {}, #t
  for i = 1, math.min(n, ITEMS) do
    if self.left <= 0 then break end
    list[i] = self:inside(t[i], indent, depth, seen)
  end
  local left = n - #list
  local keys = {}
  for k in next, t do
    local by_position = type(k) == "number" and k >= 1 and k <= n and k % 1 == 0
    if not by_position then keys[#keys + 1] = k end
  end
  table.sort(keys, before)
  for i, k in ipairs(keys) do
    if i > ITEMS or self.left <= 0 then
      left = left + #keys - (i - 1)
      break
    end
    list[#list + 1] = key_text(self, k) .. " = " .. self:inside(t[k], indent, depth, seen)
  end
  if left > 0 then list[#list + 1] = self:paint("note", ("... %d more"):format(left)) end
  return list
end
jit.off(entries)

-- Fills lines with as many entries as fit.
local function fill(list, indent)
  local pad, lines, line = (" "):rep(indent), {}, ""
  for i, text in ipairs(list) do
    if i < #list then text = text .. "," end
    if line ~= "" and (line:find "\n" or text:find "\n"
        or indent + visible(line) + 1 + visible(text) > linewidth()) then
      lines[#lines + 1], line = line, ""
    end
    line = line == "" and text or line .. " " .. text
  end
  lines[#lines + 1] = line
  return pad .. table.concat(lines, "\n" .. pad)
end

function Printer:table(t, indent, depth, seen)
  if next(t) == nil then return "{}" end
  if seen[t] then return self:paint("note", "{ the table it is in }") end
  if depth == 0 then return self:paint("note", "{...}") end
  seen[t] = true
  local list = entries(self, t, indent + 2, depth - 1, seen)
  seen[t] = nil
  local one = "{ " .. table.concat(list, ", ") .. " }"
  if not one:find "\n" and indent + visible(one) <= linewidth() then return one end
  return "{\n" .. fill(list, indent + 2) .. "\n" .. (" "):rep(indent) .. "}"
end

-- A value inside a table.
function Printer:inside(v, indent, depth, seen)
  local kind = type(v)
  self.left = self.left - 1
  if kind == "string" then return self:paint("string", quote(v, TEXT)) end
  if kind == "number" then return self:paint("number", tostring(v)) end
  if kind == "nil" or kind == "boolean" then return self:paint("constant", tostring(v)) end
  if kind == "function" then return self:paint("note", function_text(v)) end
  if check.is_tensor(v) then return tensor_inside(v) end
  local metatable = kind == "table" and getmetatable(v)
  if kind == "table" and not (type(metatable) == "table" and metatable.__tostring) then
    return self:table(v, indent, depth, seen)
  end
  return (words(v):gsub("\n", "\n" .. (" "):rep(indent)))
end

--- The text of a value on its own.
---@return string
function Printer:text(v)
  if type(v) == "string" then return self:paint("string", quote(v, #v)) end
  if check.is_tensor(v) then return tostring(v) end
  self.left = VALUES
  return self:inside(v, 0, DEPTH, {})
end

return Printer
