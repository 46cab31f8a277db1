--- Prints the rows of the op table and the inputs of their samples as JSON, for make.py.
-- Run from the root of the source tree; it needs no libkiln.
package.path = "./lua/?.lua;./lua/?/init.lua;./?.lua;" .. package.path
local ops = require "kiln.ops"
local samples = require "spec.support.samples"

local json

local function number(v)
  if v ~= v then return "NaN" end
  if v == 1 / 0 then return "Infinity" end
  if v == -1 / 0 then return "-Infinity" end
  return v == 0 and 1 / v < 0 and "-0.0" or (("%.17g"):format(v))
end

local function array(list, n)
  local parts = {}
  for i = 1, n or #list do parts[i] = json(list[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

function json(v)
  local kind = type(v)
  if kind == "number" then return number(v) end
  if kind == "string" then return ("%q"):format(v):gsub("\n", "n") end
  if kind ~= "table" then return tostring(v == nil and "null" or v) end
  if #v > 0 or next(v) == nil then return array(v) end
  local keys, parts = {}, {}
  for k in pairs(v) do keys[#keys + 1] = k end
  table.sort(keys)
  for i, k in ipairs(keys) do parts[i] = json(k) .. ":" .. json(v[k]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- Lists are encoded by hand, because an empty table is an object as well.
local function tensor(t)
  return ('{"kind":%s,"shape":%s,"data":%s}'):format(json(t.kind), array(t.shape), array(t.data))
end

local function argument(v)
  if type(v) ~= "table" then return json(v) end
  if v.shape then return tensor(v) end
  local parts = {}
  for i = 1, #v do parts[i] = argument(v[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function sample_text(s)
  local args, options = {}, {}
  for i = 1, s.n do args[i] = argument(s.args[i]) end
  for k, v in pairs(s.options or {}) do options[#options + 1] = json(k) .. ":" .. argument(v) end
  return ('{"key":%s,"checksum":%d,"declared":%s,"special":%s,"args":[%s],"options":{%s}}'):format(
    json(s.key), samples.checksum(s), tostring(s.declared), tostring(s.special or false),
    table.concat(args, ","), table.concat(options, ","))
end

local rows = {}
for _, row in ipairs(ops.rows) do
  if row.samples and not row.internal and not row.random and row.torch ~= false then
    local list, kinds = {}, {}
    for i, s in ipairs(samples.of(row)) do list[i] = sample_text(s) end
    for i, a in ipairs(row.parsed) do kinds[i] = ('[%s,%s]'):format(json(a.name), json(a.kind)) end
    rows[#rows + 1] = ('{"name":%s,"family":%s,"dtype":%s,"writes":%s,"differentiable":%s,'
      .. '"arguments":[%s],"samples":[%s]}'):format(json(row.name), json(row.family),
      json(row.dtype or "same"), tostring(row.writes or false), tostring(row.grad ~= false),
      table.concat(kinds, ","), table.concat(list, ",\n"))
  end
end
print("[" .. table.concat(rows, ",\n") .. "]")
