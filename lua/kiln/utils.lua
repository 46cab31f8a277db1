--- kiln.utils: data sets and loaders, plots, event files, progress bars, argument lists, weights by address,
-- extensions in C.  Parts load when first used.
local namespace = require "kiln.namespace"

local PARTS = { "args", "data", "libc", "model_zoo", "options", "plot", "progress", "tensorboard", "zlib" }

-- Functions that stand in a part: { part, field }, or the part itself.
local FUNCTIONS = { load_url = { "model_zoo", "load_url" }, create_extension = { "extension" } }

local known, names = {}, {}
for _, name in ipairs(PARTS) do
  known[name] = { name }
  names[#names + 1] = name
end
for name, where in pairs(FUNCTIONS) do
  known[name] = where
  names[#names + 1] = name
end
table.sort(names)

return namespace.of("kiln.utils", {}, function(name)
  local where = known[name]
  if not where then return nil end
  local part = require("kiln.utils." .. where[1])
  return where[2] and part[where[2]] or part
end, function() return { unpack(names) } end)
