--- Runs cases in kiln for main.lua: commands on standard input, a line of answer for each on standard output,
-- `= ...` or `! what went wrong`.  worker.py is its twin.
--   threads N             how many threads an op may use
--   load FAMILY CASE N... makes the case's inputs
--   save FILE             runs it once and writes what came out as doubles; answers how many of each result
--   time K                nanoseconds of a run, the mean of K
--   peak FAMILY CASE K N... loads, runs K times, answers the most memory the process had, in KiB
--   version
-- A case is a function of spec/bench/cases/FAMILY.lua: from sizes to what is run and, where not all that it
-- returns is to be compared, a function from it to a list of results.
-- luajit worker.lua wall|cpu: which clock.
local ffi = require "ffi"
local kiln = require "kiln"
local libc = require "kiln.utils.libc"

local here = arg[0]:match "^(.*)/[^/]*$"
package.path = here .. "/?.lua;" .. package.path

local THREAD_CLOCK = 3
local now = ffi.new "kiln_timespec"

local function thread_seconds()
  ffi.C.clock_gettime(THREAD_CLOCK, now)
  return tonumber(now.sec) + tonumber(now.nsec) * 1e-9
end

local seconds = arg[1] == "cpu" and thread_seconds or libc.seconds

-- A loop of its own for each case, so that no case runs in another's compiled code.
local LOOP = [[
local run, seconds = ...
return function(k)
  local start = seconds()
  for _ = 1, k do run() end
  return (seconds() - start) * 1e9 / k
end]]

local commands, run, results, loop = {}, nil, nil, nil

function commands.version() return kiln.config().version end

function commands.threads(n) kiln.set_num_threads(tonumber(n)) end

local function call_once() return { run() } end

function commands.load(family, name, ...)
  run, results, loop = nil, nil, nil
  kiln.collect()
  jit.flush()
  local sizes = { ... }
  for i, n in ipairs(sizes) do sizes[i] = tonumber(n) end
  run, results = require("cases." .. family)[name](unpack(sizes))
  results = results or call_once
  loop = assert(loadstring(LOOP))(run, seconds)
end

function commands.save(path)
  local file, counts = assert(io.open(path, "wb")), {}
  for i, x in ipairs(results(run)) do
    x = x:detach():to(kiln.float64):contiguous()
    counts[i] = x:numel()
    if counts[i] > 0 then file:write(ffi.string(x:data_ptr(), 8 * counts[i])) end
  end
  file:close()
  return table.concat(counts, " ")
end

function commands.time(k) return ("%.1f"):format(loop(tonumber(k))) end

function commands.peak(family, name, k, ...)
  commands.load(family, name, ...)
  for _ = 1, tonumber(k) do run() end
  for line in io.lines "/proc/self/status" do
    local kib = line:match "^VmHWM:%s*(%d+)"
    if kib then return kib end
  end
end

for line in io.lines() do
  local words = {}
  for word in line:gmatch "%S+" do words[#words + 1] = word end
  local ok, answer = xpcall(function() return commands[words[1]](unpack(words, 2)) end, debug.traceback)
  io.write(ok and "= " or "! ", (tostring(answer == nil and "" or answer):gsub("\n", "  ")), "\n")
  io.flush()
end
