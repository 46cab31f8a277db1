--- DataLoader with num_workers: OS threads, each with its own Lua state and copy of the dataset object, share
-- the batches out.  Tensors come back by pointer.  Batch k is made by worker k mod n, so the order is
-- that of the sampler whatever the workers' pace; `prefetch_factor` batches a worker are under way.
-- Persistent workers wait for the next pass with the copy of the dataset that they have.
local C = require("kiln.ffi").C
local libc = require "kiln.utils.libc"
local thread = require "kiln.utils.thread"
local transport = require "kiln.utils.transport"
local check = require "kiln.check"

local raise = check.raise

local M = {}

local POLL = 0.2 -- seconds between two looks whether a silent worker still lives
local GRACE = 0.5 -- seconds that the others get to end, when one gave no answer
local START = 60 -- seconds to load kiln and the dataset, where a batch has a time limit

-- What a worker runs: takes tasks, gives results, until the channel of tasks is closed.
local WORKER = [[
local start = require("string.buffer").decode(...)
require("kiln.utils.data.workers").serve(start)
]]

local info

--- In a worker: { id = 1.., num_workers = , seed = , dataset = }; nil in the main state.
function M.get_worker_info() return info end

local function pack(...) return { n = select("#", ...), ... } end

-- What a worker raised: a text with its traceback, and beside it the value where that is a table.
local function with_traceback(why)
  local is_plain = type(why) == "table" and not (getmetatable(why) or {}).__tostring
  return { text = debug.traceback(is_plain and check.got(why) or tostring(why), 2),
    raised = type(why) == "table" and why or nil }
end

-- The bytes that say what was raised.  A table that cannot be sent is its text.
local function failure(why)
  local sent, bytes = pcall(transport.encode, { ok = false, value = why })
  return sent and bytes or transport.encode { ok = false, value = { text = why.text } }
end

--- The worker's side.  Random numbers are a matter of its seed alone, whatever other threads draw.
function M.serve(start)
  local kiln = require "kiln"
  kiln.set_num_threads(1)
  kiln.manual_seed(start.seed)
  local tasks, results = thread.channel(start.tasks), thread.channel(start.results)
  local function answer(fn)
    local ok, bytes = xpcall(function() return transport.encode { ok = true, value = fn() } end,
      with_traceback)
    results:push(ok and bytes or failure(bytes))
    return ok
  end
  local loader
  local going = answer(function()
    loader = transport.decode(start.loader)
    info = { id = start.id, num_workers = start.count, seed = start.seed, dataset = loader.dataset }
    if loader.worker_init_fn then loader.worker_init_fn(start.id) end
  end)
  local next_batch
  local function begin(seed)
    kiln.manual_seed(seed)
    info.seed, next_batch = seed, nil
  end
  local function stream()
    next_batch = next_batch or loader:stream()
    return pack(next_batch())
  end
  while going do
    local task = tasks:pop()
    if task == nil then break end
    going = answer(function()
      local work = task ~= "" and transport.decode(task)
      if type(work) == "table" and work.begin then return begin(work.begin) end
      return loader.iterable and stream() or pack(loader:fetch(work))
    end)
  end
  tasks:release()
  results:release()
end

-- Ends everything; called once, by hand or by the collector.  When a worker gave no answer, it and those
-- that do not end soon are left to themselves, and their channels with them.
local function stop(workers, silent)
  for _, w in ipairs(workers) do w.tasks:close() end
  local patience = thread.seconds() + GRACE
  for i, w in ipairs(workers) do
    while silent and w ~= silent and w.thread:is_alive() and thread.seconds() < patience do
      libc.sleep(0.01)
    end
    local left = w == silent or silent and w.thread:is_alive()
    if left then w.thread:abandon() else w.thread:join() end
    while true do -- results nobody waited for hold references, and so do tasks nobody took
      local bytes = w.results:pop(0)
      if bytes == nil then break end
      transport.decode(bytes)
    end
    while not left do
      local task = w.tasks:pop(0)
      if task == nil then break end
      if task ~= "" then transport.decode(task) end
    end
    w.tasks:release()
    w.results:release()
    workers[i] = nil
  end
end

-- The next answer of a worker; raises what it raised.
local function take(w, workers, timeout)
  local bytes
  local until_then = timeout > 0 and thread.seconds() + timeout or math.huge
  repeat
    if C.kiln_interrupt_pending() then
      stop(workers, w)
      check.poll()
    end
    local left = until_then - thread.seconds()
    bytes = w.results:pop(math.min(POLL, left))
    if bytes == nil and left <= 0 then
      stop(workers, w)
      raise("DataLoader", "worker %d gave no batch for %g seconds", w.id, timeout)
    end
  until bytes ~= nil or not w.thread:is_alive()
  bytes = bytes or w.results:pop(0)
  if bytes == nil then
    local why = w.thread:join()
    stop(workers)
    raise("DataLoader", "worker %d died: %s", w.id, why or "its thread ended")
  end
  w.waiting = w.waiting - 1
  local answer = transport.decode(bytes)
  if not answer.ok then
    stop(workers)
    local raised = answer.value.raised
    if raised == nil then raise("DataLoader", "worker %d: %s", w.id, answer.value.text) end
    if rawget(raised, "traceback") == nil then
      rawset(raised, "traceback", ("DataLoader: worker %d: %s"):format(w.id, answer.value.text))
    end
    check.rethrow(raised)
  end
  return answer.value
end

-- Starts the workers of a loader; their seeds follow from `seed`.
local function start(loader, seed)
  -- What a worker needs of the loader: no sampler, no order.
  local part = setmetatable({ dataset = loader.dataset, collate_fn = loader.collate_fn, num_workers = 0,
    batch_size = loader.batch_size, drop_last = loader.drop_last, iterable = loader.iterable,
    worker_init_fn = loader.worker_init_fn }, getmetatable(loader))
  local buffer, workers = require "string.buffer", {}
  for i = 1, loader.num_workers do
    local bytes = transport.encode(part) -- refuses what cannot be sent before anything was started
    local w = { id = i, tasks = thread.channel(), results = thread.channel(), waiting = 1 }
    local ok, started = pcall(thread.start, WORKER, buffer.encode { tasks = w.tasks:share(),
      results = w.results:share(), loader = bytes, id = i, count = loader.num_workers, seed = seed + i })
    if not ok then
      stop(workers)
      check.rethrow(started)
    end
    w.thread = started
    workers[i] = w
  end
  return workers
end

local function ask(w, bytes)
  w.waiting = w.waiting + 1
  w.tasks:push(bytes)
end

-- Keeps the workers of a pass that has ended for the next one; the collector ends them with the loader.
local function keep(loader, workers)
  for _, w in ipairs(workers) do
    while w.waiting > 0 do take(w, workers, loader.timeout) end -- what was asked for behind a stream's end
  end
  local pool = { guard = newproxy(true) }
  for i, w in ipairs(workers) do pool[i] = w end
  getmetatable(pool.guard).__gc = function() stop(pool) end
  for i = 1, #pool do workers[i] = nil end
  loader.pool = pool
end

-- The workers that were kept, told to begin anew; nil where there are none.
local function kept(loader, seed)
  local pool, workers = loader.pool, {}
  if not pool then return nil end
  loader.pool = nil
  for i = 1, #pool do
    workers[i], pool[i] = pool[i], nil
    workers[i].ended = nil
    ask(workers[i], transport.encode { begin = seed + i })
  end
  return workers
end

--- An iterator over the batches of a loader.
---@param loader kiln.utils.data.DataLoader
---@param seed integer  what the workers' random numbers start from
---@param next_positions? fun(): kiln.Tensor|integer[]?  nil for an iterable dataset
function M.iter(loader, seed, next_positions)
  local n, workers = loader.num_workers, kept(loader, seed) or start(loader, seed)
  local guard = newproxy(true)
  getmetatable(guard).__gc = function() stop(workers) end
  for _, w in ipairs(workers) do take(w, workers, loader.timeout > 0 and START or 0) end

  local given, taken, left = 0, 0, n
  -- Gives the next task to its worker; false when there is none.
  local function give()
    local w = workers[given % n + 1]
    if not next_positions then
      given = given + 1
      if not w.ended then ask(w, "") end
      return true
    end
    local positions = next_positions()
    if positions == nil then return false end
    given = given + 1
    ask(w, transport.encode(positions))
    return true
  end
  local more = true
  for _ = 1, n * loader.prefetch_factor do more = more and give() end

  return function()
    while guard and left > 0 do
      local w = workers[taken % n + 1]
      if not w or next_positions and taken == given then break end -- none is left after an error
      taken = taken + 1
      if not w.ended then
        local batch = take(w, workers, loader.timeout)
        if batch[1] ~= nil then
          more = more and give()
          return unpack(batch, 1, batch.n)
        end
        w.ended, left = true, left - 1
      end
      more = more and give()
    end
    if guard and loader.persistent_workers and workers[1] and not loader.pool then keep(loader, workers)
    elseif guard then stop(workers) end
    guard = nil
    return nil
  end
end

return M
