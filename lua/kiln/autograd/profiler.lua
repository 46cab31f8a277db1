--- Which ops ran, how often, how long, and how many bytes they made.
-- The core notes one record an op while a profile runs; here they become sums, a table, or a trace
-- for Perfetto and chrome://tracing.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local sink = require "kiln.serialization.sink"

local M = {}

---@class kiln.ProfilerEvent
---@field name string
---@field start integer  nanoseconds since the first event
---@field total integer  nanoseconds, with what ran inside
---@field self integer  nanoseconds without that
---@field bytes integer  allocated for results
---@field thread integer
---@field sequence integer  of the node recorded or run; -1 for none

---@class kiln.Profile
---@field events kiln.ProfilerEvent[]
local Profile = { __name = "Profile" }
Profile.__index = Profile

local function read(n)
  local events, first = {}, nil
  for i = 0, n - 1 do
    local e = C.kiln_peek_event(i)
    first = first and (e.start_ns < first and e.start_ns or first) or e.start_ns + 0LL
    events[#events + 1] = { name = ffi.string(e.name), at = e.start_ns + 0LL,
      total = tonumber(e.end_ns - e.start_ns), bytes = tonumber(e.bytes), thread = e.thread,
      sequence = tonumber(e.sequence) }
  end
  for _, e in ipairs(events) do
    e.start, e.at = tonumber(e.at - first), nil
    e.self = e.total
  end
  table.sort(events, function(a, b)
    if a.start ~= b.start then return a.start < b.start end
    return a.total > b.total
  end)
  -- What runs inside another event of its thread is not that one's own time.
  local open = {}
  for _, e in ipairs(events) do
    local stack = open[e.thread] or {}
    open[e.thread] = stack
    while #stack > 0 and stack[#stack].start + stack[#stack].total <= e.start do stack[#stack] = nil end
    local outer = stack[#stack]
    if outer then outer.self = outer.self - e.total end
    stack[#stack + 1] = e
  end
  return events
end

local running = false

--- Runs fn(...) and returns the profile of it, then fn's results.
---@param fn function
---@return kiln.Profile, any ...
function M.profile(fn, ...)
  check.fn(fn, "profile", "fn")
  if running then check.raise("profile", "is running already") end
  running = true
  C.kiln_profiler_start()
  local function finish(ok, ...)
    local n = tonumber(C.kiln_profiler_stop())
    running = false
    if not ok then error((...), 0) end
    return setmetatable({ events = read(n) }, Profile), ...
  end
  return finish(pcall(fn, ...))
end

--- Runs fn(...) as one event of this name in the profile that runs, if one does, and returns its results.
---@param name string
---@param fn function
---@return any ...
function M.record_function(name, fn, ...)
  if type(name) ~= "string" then
    check.raise("record_function", "name must be a string, got %s", check.got(name))
  end
  check.fn(fn, "record_function", "fn")
  local begin = C.kiln_profile_begin()
  local function finish(ok, ...)
    C.kiln_profile_end(name, begin)
    if not ok then error((...), 0) end
    return ...
  end
  return finish(pcall(fn, ...))
end

-- -- Sums --------------------------------------------------------------------------------------

local KEYS = { name = true, calls = true, self = true, total = true, bytes = true, average = true }

local function add(row, e)
  row.calls = row.calls + 1
  row.self, row.total, row.bytes = row.self + e.self, row.total + e.total, row.bytes + e.bytes
end

-- What PyTorch calls them.
local PYTORCH = {
  self_cpu_time_total = "self", cpu_time_total = "total", cpu_time = "average", count = "calls",
}

-- The sums by name, sorted, for the function `name`.
local function sums(self, sort_by, name)
  sort_by = PYTORCH[sort_by] or sort_by or "self"
  if not KEYS[sort_by] then
    check.raise(name, "sort_by must be name, calls, self, total, average or bytes, got %s",
      check.got(sort_by))
  end
  local by_name, list = {}, {}
  for _, e in ipairs(self.events) do
    local row = by_name[e.name]
    if not row then
      row = { name = e.name, calls = 0, self = 0, total = 0, bytes = 0 }
      by_name[e.name] = row
      list[#list + 1] = row
    end
    add(row, e)
  end
  for _, row in ipairs(list) do row.average = row.total / row.calls end
  table.sort(list, function(a, b)
    if a[sort_by] == b[sort_by] or sort_by == "name" then return a.name < b.name end
    return a[sort_by] > b[sort_by]
  end)
  return list
end

--- The events summed by name: { name, calls, self, total, average (nanoseconds), bytes }, the
--- largest first by `sort_by` ("self" when left out; PyTorch's names are taken, too).
---@param sort_by? "name"|"calls"|"self"|"total"|"average"|"bytes"
function Profile:key_averages(sort_by) return sums(self, sort_by, "key_averages") end

--- The sum of all events; total counts no time twice.
function Profile:total_average()
  local sum = { name = "total", calls = 0, self = 0, total = 0, bytes = 0 }
  for _, e in ipairs(self.events) do add(sum, e) end
  sum.total = sum.self
  sum.average = sum.calls > 0 and sum.total / sum.calls or 0
  return sum
end

local function duration(ns)
  if ns >= 1e9 then return ("%.3f s"):format(ns / 1e9) end
  if ns >= 1e6 then return ("%.3f ms"):format(ns / 1e6) end
  return ("%.3f us"):format(ns / 1e3)
end

local function amount(bytes)
  if bytes >= 2 ^ 30 then return ("%.2f GiB"):format(bytes / 2 ^ 30) end
  if bytes >= 2 ^ 20 then return ("%.2f MiB"):format(bytes / 2 ^ 20) end
  if bytes >= 2 ^ 10 then return ("%.2f KiB"):format(bytes / 2 ^ 10) end
  return ("%d B"):format(bytes)
end

--- A table of the sums, as text.
---@param options? { sort_by?: string, rows?: integer }
---@return string
function Profile:table(options)
  local o = check.options(options, { sort_by = 1, rows = 1 }, "table")
  local rows = sums(self, o.sort_by, "table")
  local shown = o.rows ~= nil and check.int(o.rows, "table", "rows") or #rows
  local lines = { { "name", "calls", "self", "self %", "total", "average", "bytes" } }
  local all = self:total_average()
  rows[#rows + 1] = all
  for i, row in ipairs(rows) do
    if i <= shown or row == all then
      lines[#lines + 1] = { row.name, tostring(row.calls), duration(row.self),
        ("%.1f %%"):format(all.self > 0 and 100 * row.self / all.self or 0), duration(row.total),
        duration(row.average), amount(row.bytes) }
    end
  end
  local widths = {}
  for _, line in ipairs(lines) do
    for i, text in ipairs(line) do widths[i] = math.max(widths[i] or 0, #text) end
  end
  for k, line in ipairs(lines) do
    for i, text in ipairs(line) do
      local pad = (" "):rep(widths[i] - #text)
      line[i] = i == 1 and text .. pad or pad .. text
    end
    lines[k] = table.concat(line, "  ")
  end
  return table.concat(lines, "\n")
end

Profile.__tostring = function(p) return p:table() end

--- Writes the events as a trace that chrome://tracing and Perfetto open.
---@param path string
function Profile:export_chrome_trace(path)
  local list = {}
  for i, e in ipairs(self.events) do
    list[i] = ('{"name":%q,"cat":"op","ph":"X","ts":%.3f,"dur":%.3f,"pid":0,'
      .. '"tid":%d,"args":{"bytes":%d,"sequence":%d}}'):format(e.name, e.start / 1e3, e.total / 1e3,
      e.thread, e.bytes, e.sequence)
  end
  sink.write("export_chrome_trace", path, { "[\n", table.concat(list, ",\n"), "\n]\n" })
end

local function of(p, name)
  if getmetatable(p) ~= Profile then check.raise(name, "p must be a profile, got %s", check.got(p)) end
  return p
end

--- The sums of a profile, as functions: key_averages(p), total_average(p), table(p).
function M.key_averages(p, sort_by) return of(p, "key_averages"):key_averages(sort_by) end
function M.total_average(p) return of(p, "total_average"):total_average() end

--- Runs fn(...) with a range for NVIDIA's profilers around it, and returns its results.
---@param fn function
function M.emit_nvtx(fn, ...)
  check.fn(fn, "emit_nvtx", "fn")
  if C.kiln_device_count() == 0 then
    check.raise("emit_nvtx", "there is no CUDA device: %s", ffi.string(C.kiln_cuda_why()))
  end
  local nvtx = require("kiln.cuda").nvtx
  nvtx.range_push "kiln"
  local function finish(ok, ...)
    nvtx.range_pop()
    if not ok then error((...), 0) end
    return ...
  end
  return finish(pcall(fn, ...))
end

return M
