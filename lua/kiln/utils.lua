--- kiln.utils: data sets and loaders, progress bars, argument lists.  Parts load when first used.
return setmetatable({}, { __index = function(utils, name)
  local known = { data = true, progress = true, options = true, args = true, zlib = true, libc = true }
  if not known[name] then return nil end
  local part = require("kiln.utils." .. name)
  rawset(utils, name, part)
  return part
end })
