--- checkpoint: recompute a part of the network in backward instead of keeping what it saved.
-- The part is recorded like everything else, but its nodes let go of the values that were made in it
-- (core/region.c); backward runs it again when it needs them, under the conditions of the first time.
-- It refuses a function that does not do the same again: its gradient would be that of something
-- else than what ran.  Compared are the values that its ops save, how many results there are, plain values,
-- and of tensors shape, dtype, device and a weighted sum of each row (of some 64 elements or more).
local ffi = require "ffi"
local C = require("kiln.ffi").C
local anomaly = require "kiln.autograd.anomaly"
local autocast = require "kiln.amp.autocast"
local bind = require "kiln.bind"
local check = require "kiln.check"
local create = require "kiln.create"
local handles = require "kiln.handles"
local hooks = require "kiln.autograd.hooks"
local keys = require "kiln.autograd.keys"
local leaves = require "kiln.autograd.leaves"
local modes = require "kiln.modes"
local random = require "kiln.random"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local function states()
  local list = {}
  for device = 0, C.kiln_device_count() do
    local g = random.generator(device > 0 and "cuda:" .. device or "cpu")
    list[#list + 1] = { generator = g, state = g:get_state() }
  end
  return list
end

local function restore(list) for _, s in ipairs(list) do s.generator:set_state(s.state) end end

local function pack(...) return { n = select("#", ...), ... } end

-- -- Comparing results ---------------------------------------------------------------------------

local ROW = 64 -- a row is as many trailing dims as hold so many elements

-- y as a matrix of rows, wide enough to sum them, and weights of both signs and no period.
local function rows_of(y)
  local n, width = math.max(1, y:numel()), 1
  for d = y:dim(), 1, -1 do if width < ROW and y:numel() > 0 then width = width * y:size(d) end end
  local wide = y.dtype.is_floating_point and (y.dtype.itemsize < 4 and y:float() or y) or y:double()
  local weights = create.arange(1, width + 1, { dtype = wide.dtype, device = wide.device }):mul_(1.7):cos_()
  return wide:reshape(y:numel() > 0 and n / width or 0, width), weights
end

-- What is kept of a result.
local function digest(v)
  if not check.is_tensor(v) then return { is = type(v), value = type(v) ~= "table" and v or nil } end
  local rows, weights = rows_of(v)
  return { is = ("a %s tensor of shape %s on %s"):format(v.dtype.name, check.shape_text(v), v.device),
    sums = rows:mv(weights), half = v.dtype.itemsize < 4 and v.dtype.is_floating_point }
end

-- Each tensor and each other value of the results: a list of { value, path }.
local function values_of(results)
  local list = {}
  local function note(v, path)
    list[#list + 1] = { value = v, path = path }
    return v
  end
  leaves.map(results, note, note)
  return list
end

local function digests(results)
  local list = {}
  for i, e in ipairs(values_of(results)) do
    list[i] = digest(e.value)
    list[i].path = e.path
  end
  return list
end

-- What is different now, in words; nil when nothing is.  A sum may differ by the rounding of its row: another
-- way to compute it is no change.
local function difference(before, v)
  local now = digest(v)
  if before.is ~= now.is then return ("it was %s and is %s"):format(before.is, now.is) end
  if not now.sums then
    local a, b = before.value, now.value
    if a == b or type(a) == "function" or (a ~= a and b ~= b) then return nil end
    return ("it was %s and is %s"):format(tostring(a), tostring(b))
  end
  local rows, weights = rows_of(v)
  local a, b = before.sums, now.sums
  local slack = rows:abs():mv(weights:abs()):mul_(before.half and 1e-2 or 1e-5)
  local same = (a - b):abs():le(slack):logical_or(a:eq(b)):logical_or(a:isnan():logical_and(b:isnan()))
  if same:all():item() then return nil end
  local row = same:logical_not():nonzero()[1]:item()
  return ("a weighted sum of row %d was %g and is %g"):format(row, a[row]:item(), b[row]:item())
end

local function check_results(before, results)
  local now = values_of(results)
  if #before ~= #now then
    check.raise("checkpoint", "fn gave %d results, and %d in backward", #before, #now)
  end
  for i, e in ipairs(now) do
    local why = before[i].path ~= e.path and ("it is now result %s"):format(e.path)
      or difference(before[i], e.value)
    if why then
      check.raise("checkpoint", "fn did not give result %s again in backward (%s): what it reads beside its "
        .. "arguments has changed since, or is random", before[i].path, why)
    end
  end
end

-- -- Running twice -------------------------------------------------------------------------------

-- A call: { fn, given (the arguments with slots for tensors), n (of these), key, states, autocast, frame,
-- results (digests) }.
local Call = {}
Call.__index = Call

-- Runs the function as a run of the region.
function Call:run(region, is_again, ...)
  check.status(C.kiln_region_begin(region, is_again), "checkpoint")
  local ok, results = pcall(function(...)
    return pack(modes.during(function() C.kiln_region_enter(region) end,
      function() C.kiln_region_exit(region) end, hooks.run_frame, self.frame, is_again, ...))
  end, ...)
  local holes = C.kiln_region_end(region, ok)
  if not ok then error(results, 0) end
  return results, check.status(holes, "checkpoint")
end

--- Called by the pass that needs what the region's nodes let go of.
function Call:run_again(region)
  local begin, tensors = C.kiln_profile_begin(), {}
  for i = 1, self.n do
    local p = C.kiln_node_saved(region, i - 1)
    if p == nil then anomaly.raise_core "checkpoint" end
    tensors[i] = handles.wrap(p)
  end
  local given, now = leaves.put_back(self.given, tensors), states()
  restore(self.states)
  local ok, results = pcall(self.run, self, region, true, modes.enable_grad, autocast.with, self.autocast,
    self.fn, unpack(given, 1, given.n))
  restore(now)
  if not ok then error(results, 0) end
  modes.no_grad(autocast.autocast, { enabled = false }, check_results, self.results, results)
  keys.touch(self.key)
  C.kiln_profile_end("checkpoint.backward", begin)
end

--- fn(...), of which nothing is kept but the arguments; backward runs it again, with the random
--- numbers of the first time.
---@param fn function
---@return any ...
return function(fn, ...)
  check.fn(fn, "checkpoint", "fn")
  if not C.kiln_grad_enabled() then return fn(...) end
  local begin = C.kiln_profile_begin()
  local given, tensors = leaves.take_out(pack(...))
  local call = setmetatable({ fn = fn, given = given, n = tensors.n, states = states(),
    autocast = autocast.now(), frame = hooks.new_frame() }, Call)
  call.key = keys.new(call)
  local pointers = ffi.new("kiln_tensor *[?]", tensors.n + 1)
  for i = 1, tensors.n do pointers[i - 1] = check.tensor(tensors[i], "checkpoint", "an argument").p end
  local region = bind.make(C.kiln_region_new, call.key, pointers, tensors.n)
  if region == nil then
    keys.drop(call.key)
    check.raise_core "checkpoint"
  end
  ffi.gc(region, C.kiln_node_release)
  local results, holes = call:run(region, false, fn, ...)
  if holes > 0 then
    call.results = modes.no_grad(autocast.autocast, { enabled = false }, digests, results)
  end
  C.kiln_node_release(ffi.gc(region, nil))
  C.kiln_profile_end("checkpoint", begin)
  return unpack(results, 1, results.n)
end
