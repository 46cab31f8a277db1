--- Writes what PyTorch makes of every case at its small sizes, for smoke_spec.lua:
--   luajit golden.lua PYTHON FILE
local ffi = require "ffi"

local here = arg[0]:match "^(.*)/[^/]*$"
package.path = here .. "/?.lua;" .. package.path

local Peer = require "peer"
local cases = require "cases_by_name"
local fingerprint = require "fingerprint"

local python, path = arg[1], arg[2]
local torch = Peer.start("torch", ("%s %s/worker.py torch wall"):format(python, here))
local scratch = os.tmpname()

local function number(v) return ("%.9g"):format(v) end

local lines, seen = {}, {}
for _, family in ipairs(cases.families) do
  for _, case in ipairs(family.cases) do
    if not seen[case.small_id] then
      seen[case.small_id] = true
      torch:ask("load", case.family, case.name, unpack(case.small))
      local counts, list, at = torch:ask("save", scratch), {}, 0
      local file = assert(io.open(scratch, "rb"))
      local bytes = file:read "*a"
      file:close()
      local p = ffi.cast("const double *", bytes)
      for n in counts:gmatch "%d+" do
        local print_of = fingerprint(p + at, tonumber(n))
        for i, v in ipairs(print_of) do print_of[i] = number(v) end
        list[#list + 1] = "{ " .. table.concat(print_of, ", ") .. " }"
        at = at + tonumber(n)
      end
      lines[#lines + 1] = ("  [%q] = {\n    %s,\n  },"):format(case.small_id, table.concat(list, ",\n    "))
    end
  end
end
os.remove(scratch)
torch:stop()

local file = assert(io.open(path, "w"))
file:write("-- Fingerprints of what PyTorch computes for each case at its small sizes.\n",
  "-- Written by golden.lua.\n",
  "return {\n", table.concat(lines, "\n"), "\n}\n")
file:close()
