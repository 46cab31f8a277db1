--- Times every case in kiln and in PyTorch (and JAX), turn by turn in one run, and checks that they compute
-- the same.  Started by run.sh; writes what was measured to a file that page.lua reads.
local kiln = require "kiln"
local libc = require "kiln.utils.libc"

local here = arg[0]:match "^(.*)/[^/]*$"
package.path = here .. "/?.lua;" .. package.path

local Peer = require "peer"
local compare = require "compare"
local cases = require "cases_by_name"
local results = require "results"
local summary = require "summary"

local options = kiln.utils.options({ torch = "", jax = "", threads = "1 2", only = "", record = "",
  cpu = false }, arg)

local ROUND, TOTAL = 0.008, 0.12 -- seconds of a process in a round, and in all rounds of a case
local LEAST_ROUNDS, MOST_ROUNDS = 5, 15
local WARM = 0.2 -- seconds for which a case runs before it is timed; once at least
local QUIET = 0.02 -- seconds before a turn: after work, threads spin on a processor for some 10 ms

local threads = {}
for n in options.threads:gmatch "%d+" do threads[#threads + 1] = tonumber(n) end
local clock = options.cpu and "cpu" or "wall"

local function say(...)
  io.write(string.format(...), "\n")
  io.flush()
end

-- -- Processes -------------------------------------------------------------------------------------------

local function kiln_worker() return Peer.start("kiln", ("luajit %s/worker.lua %s"):format(here, clock)) end

local function python_worker(python, library, pinned)
  return Peer.start(library, ("%s %s %s/worker.py %s %s"):format(pinned or "", python, here, library, clock))
end

-- The CPUs a process of XLA may use are its number of threads.
local function jax_worker(n) return python_worker(options.jax, "jax", ("taskset -c 0-%d"):format(n - 1)) end

-- -- One case --------------------------------------------------------------------------------------------

-- Seconds of a run of the loaded case, roughly.  Compiled code, caches and the memory that an allocator
-- keeps are warm afterwards.
local function estimate(peer)
  local spent, k, t = 0, 1
  repeat
    t = tonumber(peer:ask("time", k)) * 1e-9
    spent = spent + k * t
    k = math.max(1, math.min(1000, math.floor(ROUND / t)))
  until spent + k * t > WARM
  return t
end

-- kiln between the others: what is compared with it runs right before or right after it.
local function in_turn(peers)
  local list = { peers[1] }
  for i = 2, #peers do table.insert(list, i == 2 and 1 or #list + 1, peers[i]) end
  return list
end

-- Nanoseconds of a run of the loaded case in each of the processes, kiln the first of them, on n threads, in
-- `least` rounds at least.  Every other round goes the other way round.
local function measure(peers, n, least)
  local runs, count, rounds, order = {}, MOST_ROUNDS, {}, in_turn(peers)
  for _, p in ipairs(peers) do
    local t = estimate(p)
    runs[p] = math.max(1, math.min(1e6, math.ceil(ROUND / t)))
    local fit = math.floor(TOTAL / (runs[p] * t))
    count = math.min(count, math.max(least, fit))
    rounds[p.name] = {}
  end
  for round = 1, count do
    for i = 1, #order do
      local p = order[round % 2 == 1 and i or #order + 1 - i]
      if n > 1 then libc.sleep(QUIET) end
      rounds[p.name][round] = tonumber(p:ask("time", runs[p]))
    end
  end
  return summary(rounds)
end

local scratch = os.tmpname()
os.remove(scratch)

local function load_all(peers, case)
  for _, p in ipairs(peers) do p:ask("load", case.family, case.name, unpack(case.sizes)) end
end

-- What differs between kiln's results and those of the others; nil when nothing does.
local function difference(peers, case)
  local paths, counts, found = {}, {}, nil
  for i, p in ipairs(peers) do
    paths[i] = scratch .. i
    counts[i] = p:ask("save", paths[i])
    if i > 1 and not found then
      local what = compare(paths[1], counts[1], paths[i], counts[i], case.tol)
      found = what and ("%s and %s: %s"):format(peers[1].name, p.name, what)
    end
  end
  for _, path in ipairs(paths) do os.remove(path) end
  return found
end

local function show(case, n, times)
  local line = ("%-40s %d thread%s"):format(case.id, n, n == 1 and " " or "s")
  for _, name in ipairs { "kiln", "torch", "jax" } do
    if times[name] then line = line .. ("  %s %11.2f us"):format(name, times[name].median / 1e3) end
  end
  if times.torch then
    line = line .. ("  ratio %.2f (least %.2f)"):format(times.torch.ratio,
      times.torch.least / times.kiln.least)
  end
  if times.jax then line = line .. ("  JAX %.2f"):format(times.jax.ratio) end
  say("%s%s", line, times.differs and "  DIFFERS" or "")
end

-- -- Families --------------------------------------------------------------------------------------------

local function run_family(list, record)
  local with_jax = false
  for _, case in ipairs(list) do with_jax = with_jax or case.jax end
  local own = kiln_worker()
  local torch = python_worker(options.torch, "torch")
  local jax = {}
  for _, n in ipairs(options.jax ~= "" and with_jax and threads or {}) do jax[n] = jax_worker(n) end
  for _, case in ipairs(list) do
    for _, n in ipairs(threads) do
      local peers = { own, torch, case.jax and jax[n] or nil }
      for _, p in ipairs(peers) do p:ask("threads", n) end
      load_all(peers, case)
      local differs = difference(peers, case)
      if differs then say("%s with %d threads: %s", case.id, n, differs) end
      local times = measure(peers, n, LEAST_ROUNDS)
      times.differs = differs
      record[case.id] = record[case.id] or {}
      record[case.id][n] = times
      show(case, n, times)
    end
  end
  own:stop()
  torch:stop()
  for _, p in pairs(jax) do p:stop() end
end

local function run_peaks(list, peaks)
  for _, case in ipairs(list) do
    if case.peak then
      local peak = {}
      for _, make in ipairs { kiln_worker, function() return python_worker(options.torch, "torch") end } do
        local p = make()
        p:ask("threads", 2)
        peak[p.name] = tonumber(p:ask("peak", case.family, case.name, case.peak, unpack(case.sizes)))
        p:stop()
      end
      peaks[case.id] = peak
      say("%-40s peak  kiln %d MiB  torch %d MiB  share %.2f", case.id, peak.kiln / 1024, peak.torch / 1024,
        peak.kiln / peak.torch)
    end
  end
end

-- A whole process that only loads the library.
local function run_start(record)
  local commands = { kiln = [[luajit -e 'require "kiln"']], torch = options.torch .. " -c 'import torch'" }
  local rounds = { kiln = {}, torch = {} }
  for round = 0, 5 do -- the first fills the file caches
    for name, command in pairs(commands) do
      local start = libc.seconds()
      assert(os.execute(command) == 0, command)
      if round > 0 then rounds[name][round] = (libc.seconds() - start) * 1e9 end
    end
  end
  local times = summary(rounds)
  record[cases.START.id] = { [1] = times }
  show(cases.START, 1, times)
end

-- -- Growth ----------------------------------------------------------------------------------------------

local WITH_OTHERS = 1e7 -- up to this size PyTorch is timed as well

local function run_growth(record)
  local own, torch = kiln_worker(), python_worker(options.torch, "torch")
  for _, g in ipairs(require "growth") do
    local points = {}
    for power = 0, g.last, g.step or 1 do
      local n = 10 ^ power
      local point = { n = n }
      for _, count in ipairs(threads) do
        local peers = { own, n <= WITH_OTHERS and count == threads[1] and torch or nil }
        for _, p in ipairs(peers) do
          p:ask("threads", count)
          p:ask("load", g[1], g[2], g.sizes(n))
        end
        local times = measure(peers, count, 1)
        point["kiln" .. count] = times.kiln.least
        if times.torch then point["torch" .. count] = times.torch.least end
      end
      points[#points + 1] = point
    end
    record[#record + 1] = { family = g[1], name = g[2], points = points }
    say("growth of %s.%s: %.2f ns an element at the end", g[1], g[2],
      points[#points]["kiln" .. threads[1]] / points[#points].n)
  end
  own:stop()
  torch:stop()
end

-- -- All of it -------------------------------------------------------------------------------------------

local function version_of(peer)
  local v = peer:ask "version"
  peer:stop()
  return v
end

local function first_line(command)
  local p = io.popen(command)
  local line = p:read "*l"
  p:close()
  return line or "unknown"
end

local start = libc.seconds()
local run = { date = os.date "!%Y-%m-%d %H:%M UTC", threads = threads, cases = {}, peaks = {}, growth = {} }
run.cpu = first_line "sed -n 's/^model name[^:]*: //p' /proc/cpuinfo"
run.features = {}
local flags = " " .. first_line "sed -n 's/^flags[^:]*: //p' /proc/cpuinfo" .. " "
for _, name in ipairs { "avx2", "avx512f", "avx512_bf16", "amx_bf16" } do
  if flags:find(" " .. name .. " ", 1, true) then table.insert(run.features, name) end
end
run.cores = tonumber(first_line "nproc")
local config = kiln.config()
run.versions = { kiln = config.version, luajit = config.luajit, onednn = config.onednn, blas = config.blas,
  torch = version_of(python_worker(options.torch, "torch")),
  jax = options.jax ~= "" and version_of(jax_worker(1)) or nil }

local chosen, some = {}, false
for _, family in ipairs(cases.families) do
  chosen[family] = {}
  for _, case in ipairs(family.cases) do
    if options.only == "" or case.id:find(options.only) then
      table.insert(chosen[family], case)
      some = true
    end
  end
end
local all = options.only == ""
if all or cases.START.id:find(options.only) then
  run_start(run.cases)
  some = true
end
local growth = all or options.only == "growth"
if not (some or growth) then error(("no case has a name like '%s'"):format(options.only), 0) end
for _, family in ipairs(cases.families) do
  if #chosen[family] > 0 then
    run_family(chosen[family], run.cases)
    run_peaks(chosen[family], run.peaks)
  end
end
if growth then run_growth(run.growth) end
run.seconds = libc.seconds() - start
if options.record ~= "" then results.save(options.record, run) end
say("%.0f s", run.seconds)
