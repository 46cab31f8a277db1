--- Writes docs/performance.md and its charts from recorded runs: luajit page.lua PAGE RUN...
-- The words about why stand in choices.md.  It judges nothing that was not measured.
local kiln = require "kiln"
local plot = kiln.utils.plot

local here = arg[0]:match "^(.*)/[^/]*$"
package.path = here .. "/?.lua;" .. package.path

local cases = require "cases_by_name"
local results = require "results"

local PEAK = 0.4 -- the largest share of PyTorch's memory

local path, runs = arg[1], {}
for i = 2, #arg do runs[i - 1] = results.load(arg[i]) end
if not path or #runs == 0 then
  io.stderr:write "usage: luajit page.lua PAGE RUN...\n"
  os.exit(2)
end
local charts = path:gsub("%.md$", "")
local chart_folder = charts:match "[^/]*$"
local threads = runs[1].threads

local lines = {}
local function put(...) lines[#lines + 1] = string.format(...) end

local function microseconds(ns)
  local us = ns / 1e3
  if us < 10 then return ("%.2f"):format(us) end
  if us < 1000 then return ("%.0f"):format(us) end
  return (("%.0f"):format(us):reverse():gsub("(%d%d%d)", "%1 "):reverse():gsub("^ ", ""))
end

-- -- Judging ---------------------------------------------------------------------------------------------

-- How far kiln is ahead of the other in a case of a run (summary.lua); nil where it was not measured.
local function ratio(run, case, n, other)
  local times = run.cases[case.id] and run.cases[case.id][n]
  return times and times[other] and times[other].ratio
end

local missed, judged = {}, 0

local function judge(what, value, bar, at_most)
  judged = judged + 1
  local met = at_most and value <= bar or not at_most and value >= bar
  if not met then missed[#missed + 1] = ("%s: %.2f, bar %g"):format(what, value, bar) end
  return met
end

local function each_run(f)
  for r, run in ipairs(runs) do
    for _, n in ipairs(threads) do f(run, n, r) end
  end
end

local function where(n, r) return ("%d thread%s, run %d"):format(n, n == 1 and "" or "s", r) end

-- -- Tables ----------------------------------------------------------------------------------------------

local function both(f)
  local list = {}
  for _, n in ipairs(threads) do list[#list + 1] = f(n) end
  return table.concat(list, " / ")
end

local function verdict(measured, met) return not measured and "not measured" or met and "met" or "**no**" end

local function row(case, other, bar, label)
  local last, met, ratios = runs[#runs], true, {}
  each_run(function(run, n, r)
    local value = ratio(run, case, n, other)
    if value then
      met = judge(("%s%s (%s)"):format(case.id, label, where(n, r)), value, bar) and met
      ratios[r] = (ratios[r] and ratios[r] .. " / " or "") .. ("%.2f"):format(value)
    end
  end)
  local function time(name)
    return both(function(n)
      local times = last.cases[case.id] and last.cases[case.id][n]
      return times and times[name] and microseconds(times[name].median) or "-"
    end)
  end
  put("| %s%s | %s | %s | %s | %g | %s |", case.id, label, time(other), time "kiln",
    table.concat(ratios, " | "), bar, verdict(#ratios > 0, met))
end

local function head(title)
  local columns, rule = {}, {}
  for r = 1, #runs do columns[r], rule[r] = ("ratio, run %d"):format(r), "---" end
  put("## %s\n", title)
  put("| case | other, us | kiln, us | %s | bar | |", table.concat(columns, " | "))
  put("|---|---|---|%s|---|---|", table.concat(rule, "|"))
end

local function means(family)
  local list, met = {}, true
  each_run(function(run, n, r)
    local sum, count = 0, 0
    for _, case in ipairs(family.cases) do
      local value = ratio(run, case, n, "torch")
      if value then sum, count = sum + math.log(value), count + 1 end
    end
    if count > 0 then
      local mean = math.exp(sum / count)
      met = judge(("%s, mean (%s)"):format(family[1], where(n, r)), mean, family.mean) and met
      list[r] = (list[r] and list[r] .. " / " or "") .. ("%.2f"):format(mean)
    end
  end)
  put("| geometric mean | | | %s | %g | %s |", table.concat(list, " | "), family.mean,
    verdict(#list > 0, met))
end

local ROOM_FOR_LEGEND = 200
local LABELS = { kiln1 = "kiln, 1 thread", kiln2 = "kiln, 2 threads", torch1 = "PyTorch, 1 thread" }

local function chart(family)
  local names = {}
  for _, g in ipairs(runs[#runs].growth) do
    if g.family == family then
      local series, low, high = {}, math.huge, 0
      for key in pairs(LABELS) do
        local x, y = {}, {}
        for _, point in ipairs(g.points) do
          if point[key] then
            x[#x + 1], y[#y + 1] = point.n, point[key] / 1e3
            low, high = math.min(low, y[#y]), math.max(high, y[#y])
          end
        end
        if #x > 0 then series[LABELS[key]] = { x = x, y = y } end
      end
      local file = ("%s-%s.svg"):format(g.family, g.name)
      plot.line(series, { title = ("%s.%s"):format(g.family, g.name), xlabel = "elements",
        ylabel = "microseconds", xscale = "log", yscale = "log", width = 480, height = 300,
        ylim = { low / 2, high * ROOM_FOR_LEGEND },
      }):save(charts .. "/" .. file)
      names[#names + 1] = ("![%s.%s: time against size](%s/%s)"):format(g.family, g.name, chart_folder, file)
    end
  end
  if #names > 0 then put("\n%s", table.concat(names, "\n")) end
end

local function tables()
  for _, family in ipairs(cases.families) do
    head(family.title)
    if family[1] == "small" then
      local all = threads
      threads = { 1 } -- a whole process has no number of threads
      row(cases.START, "torch", cases.START.bar, "")
      threads = all
    end
    for _, case in ipairs(family.cases) do
      row(case, "torch", case.bar, "")
      if case.jax then row(case, "jax", case.jax, ", JAX") end
    end
    if family.mean then means(family) end
    chart(family[1])
    put ""
  end
end

local function peaks()
  put "## Memory\n"
  put "The most resident memory of a process that does nothing but this training, in MiB.\n"
  local columns, rule = {}, {}
  for r = 1, #runs do columns[r], rule[r] = ("share, run %d"):format(r), "---" end
  put("| training | PyTorch | kiln | %s | at most | |", table.concat(columns, " | "))
  put("|---|---|---|%s|---|---|", table.concat(rule, "|"))
  for _, family in ipairs(cases.families) do
    for _, case in ipairs(family.cases) do
      if case.peak then
        local shares, met, last = {}, true, nil
        for r, run in ipairs(runs) do
          local peak = run.peaks[case.id]
          if peak then
            local share = peak.kiln / peak.torch
            met = judge(("memory of %s (run %d)"):format(case.id, r), share, PEAK, true) and met
            shares[#shares + 1], last = ("%.2f"):format(share), peak
          end
        end
        if last then
          put("| %s | %d | %d | %s | %g | %s |", case.id, last.torch / 1024, last.kiln / 1024,
            table.concat(shares, " | "), PEAK, verdict(true, met))
        end
      end
    end
  end
  put ""
end

-- -- The page --------------------------------------------------------------------------------------------

local function text_of(file)
  local f = assert(io.open(file))
  local text = f:read "*a"
  f:close()
  return text
end

local function differing()
  local list = {}
  each_run(function(run, n, r)
    for id, by_threads in pairs(run.cases) do
      local what = by_threads[n] and by_threads[n].differs
      if what then list[#list + 1] = ("%s (%s): %s"):format(id, where(n, r), what) end
    end
  end)
  table.sort(list)
  return list
end

os.execute(("mkdir -p '%s'"):format(charts))
tables()
peaks()
local body = lines
lines = {}

local v = runs[#runs].versions
put "# Performance\n"
put "<!-- Written by spec/bench/run.sh; the words of its sections stand in spec/bench/choices.md. -->\n"
put("kiln %s against PyTorch %s%s, on a CPU, float32.", v.kiln, v.torch,
  v.jax and (" and JAX %s (jit)"):format(v.jax) or "")
put "`spec/bench/run.sh` measures and writes this page: every case runs in both, turn by turn in one run, on"
put "equal inputs; results are compared, and a case runs for 0.2 s, before it is timed.  Times are medians"
put("of 5 to 15 rounds, in microseconds, with %s threads; in a round the libraries run one right after",
  table.concat(threads, " / "))
put "the other, for 8 ms or once; with more than one thread a turn begins 20 ms after the one before, whose"
put "threads then no longer wait on a processor.  A ratio is the median over the rounds of the other's time"
put "in a round over kiln's in the same round: above 1, kiln is ahead.  So a machine whose speed changes from"
put "one second to the next changes times, but hardly ratios; and a ratio is not the quotient of the medians"
put "beside it.\n"
put "| run | date | CPU | cores | took |"
put "|---|---|---|---|---|"
for r, run in ipairs(runs) do
  put("| %d | %s | %s (%s) | %d | %.0f s |", r, run.date, run.cpu, table.concat(run.features, ", "),
    run.cores, run.seconds)
end
put("\n%s, oneDNN %s, BLAS %s.\n", v.luajit, tostring(v.onednn), tostring(v.blas))
put("**%d of %d bars are met.**\n", judged - #missed, judged)
local off = differing()
put(#off == 0 and "Every case computed the same in both.\n" or "Cases that did not compute the same:\n")
for _, what in ipairs(off) do put("- %s", what) end
if #missed > 0 then
  put "Missed:\n"
  for _, what in ipairs(missed) do put("- %s", what) end
  put ""
end
put("%s", text_of(here .. "/choices.md"))
for _, line in ipairs(body) do lines[#lines + 1] = line end

local file = assert(io.open(path, "w"))
file:write((table.concat(lines, "\n"):gsub("\n+$", "")), "\n")
file:close()
print(("%s: %d of %d bars met"):format(path, judged - #missed, judged))
