--- Runs a training script and prints, when a progress bar finishes, the most memory the process has held:
--   luajit spec/support/peaks.lua SCRIPT.lua [ARGUMENT...]
local progress = require "kiln.utils.progress"

local finish = progress.finish
function progress:finish(...)
  finish(self, ...)
  for line in io.lines "/proc/self/status" do
    local peak = line:match "^VmHWM:%s*(%d+) kB"
    if peak then print(("peak %s kB"):format(peak)) end
  end
end

arg = { [0] = arg[1], unpack(arg, 2) } -- luacheck: globals arg
dofile(arg[0])
