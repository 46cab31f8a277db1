--- Writes kiln's own files into spec/golden/files: luajit spec/golden/files.lua
-- The specs compare them with what kiln writes now; files.py --check reads them with other libraries.
local files = require "spec.support.files"

for name, bytes in pairs(files.ours()) do files.write(files.folder .. name, bytes) end
