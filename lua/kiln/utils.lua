--- kiln.utils: data sets and loaders, plots, event files, progress bars, argument lists.  Parts load when
-- first used.
local PARTS = { "args", "data", "libc", "options", "plot", "progress", "tensorboard", "zlib" }

local known = {}
for _, name in ipairs(PARTS) do known[name] = true end

return setmetatable({}, {
  __names = function() return PARTS end,
  __index = function(utils, name)
    if not known[name] then return nil end
    local part = require("kiln.utils." .. name)
    rawset(utils, name, part)
    return part
  end,
})
