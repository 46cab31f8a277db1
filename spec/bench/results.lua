--- What was measured, as a file: a Lua table of numbers, texts and tables, in a fixed order.
local M = {}

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == "number"
  end)
  return keys
end

local function text(v, indent)
  if type(v) == "number" then return ("%.10g"):format(v) end
  if type(v) ~= "table" then return ("%q"):format(v) end
  local flat = true
  for _, x in pairs(v) do flat = flat and type(x) ~= "table" end
  local parts, inner = {}, indent .. "  "
  for _, k in ipairs(sorted_keys(v)) do
    parts[#parts + 1] = ("[%s] = %s"):format(text(k, ""), text(v[k], inner))
  end
  if flat then return "{ " .. table.concat(parts, ", ") .. " }" end
  return "{\n" .. inner .. table.concat(parts, ",\n" .. inner) .. ",\n" .. indent .. "}"
end

--- Errors when the file cannot be written.
function M.save(path, run)
  local file = assert(io.open(path, "w"))
  file:write("-- Measured by spec/bench/run.sh.\nreturn ", text(run, ""), "\n")
  file:close()
end

function M.load(path) return assert(loadfile(path))() end

return M
