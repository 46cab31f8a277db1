--- DataLoader with num_workers: OS threads, each with its own Lua state and copy of the dataset object, share
-- the batches out.  Tensors come back by pointer.  Batch k is made by worker k mod n, so the order is
-- that of the sampler whatever the workers' pace; `prefetch` batches a worker are under way.
local thread = require "kiln.utils.thread"
local transport = require "kiln.utils.transport"
local raise = require("kiln.check").raise

local M = {}

local POLL = 0.2 -- seconds between two looks whether a silent worker still lives

-- What a worker runs: takes tasks, gives results, until the channel of tasks is closed.
local WORKER = [[
local transport, thread = require "kiln.utils.transport", require "kiln.utils.thread"
require("kiln").set_num_threads(1)
local start = require("string.buffer").decode(...)
local tasks, results = thread.channel(start.tasks), thread.channel(start.results)
require("kiln.utils.data.workers").serve(tasks, results, start.loader, start.id, start.count)
]]

local info

--- In a worker: { id = 1.., num_workers = }; nil in the main state.
function M.get_worker_info() return info end

local function pack(...) return { n = select("#", ...), ... } end

--- The worker's side.
function M.serve(tasks, results, bytes, id, count)
  info = { id = id, num_workers = count }
  local function answer(fn, ...)
    local ok, value = xpcall(fn, function(why) return debug.traceback(tostring(why), 2) end, ...)
    results:push(transport.encode { ok = ok, value = value })
    return ok
  end
  local loader
  local ready = answer(function() loader = transport.decode(bytes) end)
  local next_batch
  while ready do
    local task = tasks:pop()
    if task == nil then return end
    ready = answer(function()
      if loader.iterable then
        next_batch = next_batch or loader:stream()
        return pack(next_batch())
      end
      return pack(loader:fetch(transport.decode(task)))
    end)
  end
end

-- Stops and joins everything; called once, by hand or by the collector.
local function stop(workers)
  for _, w in ipairs(workers) do w.tasks:close() end
  for _, w in ipairs(workers) do w.thread:join() end
  for i, w in ipairs(workers) do
    while true do -- results nobody waited for hold references
      local bytes = w.results:pop(0)
      if bytes == nil then break end
      transport.decode(bytes)
    end
    w.tasks:free()
    w.results:free()
    workers[i] = nil
  end
end

-- The next answer of a worker; raises what it raised.
local function take(w, workers)
  local bytes
  repeat
    bytes = w.results:pop(POLL)
  until bytes ~= nil or not w.thread:is_alive()
  bytes = bytes or w.results:pop(0)
  if bytes == nil then
    stop(workers)
    raise("DataLoader", "worker %d died", w.id)
  end
  local answer = transport.decode(bytes)
  if not answer.ok then
    stop(workers)
    raise("DataLoader", "worker %d: %s", w.id, answer.value)
  end
  return answer.value
end

--- An iterator over the batches of a loader.
---@param loader kiln.utils.data.DataLoader
---@param position_batches fun(loader): fun(): kiln.Tensor|integer[]?
function M.iter(loader, position_batches)
  local n, workers = loader.num_workers, {}
  -- What a worker needs of the loader: no sampler, no order.
  local part = setmetatable({ dataset = loader.dataset, collate_fn = loader.collate_fn, num_workers = 0,
    batch_size = loader.batch_size, drop_last = loader.drop_last, iterable = loader.iterable },
    getmetatable(loader))
  local buffer = require "string.buffer"
  for i = 1, n do
    local w = { id = i, tasks = thread.channel(), results = thread.channel() }
    w.thread = thread.start(WORKER, buffer.encode { tasks = w.tasks:address(), results = w.results:address(),
      loader = transport.encode(part), id = i, count = n })
    workers[i] = w
  end
  local guard = newproxy(true)
  getmetatable(guard).__gc = function() stop(workers) end
  for _, w in ipairs(workers) do take(w, workers) end -- each has its dataset

  local next_positions = not loader.iterable and position_batches(loader)
  local given, taken, left = 0, 0, n
  -- Gives the next task to its worker; false when there is none.
  local function give()
    local w = workers[given % n + 1]
    if loader.iterable then
      given = given + 1
      if not w.ended then w.tasks:push "" end
      return true
    end
    local positions = next_positions()
    if positions == nil then return false end
    given = given + 1
    w.tasks:push(transport.encode(positions))
    return true
  end
  local more = true
  for _ = 1, n * loader.prefetch do more = more and give() end

  return function()
    while guard and left > 0 do
      if not loader.iterable and taken == given then break end
      local w = workers[taken % n + 1]
      taken = taken + 1
      if not w.ended then
        local batch = take(w, workers)
        if batch[1] ~= nil then
          more = more and give()
          return unpack(batch, 1, batch.n)
        end
        w.ended, left = true, left - 1
      end
      more = more and give()
    end
    stop(workers)
    guard = nil
    return nil
  end
end

return M
