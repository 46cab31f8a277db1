--- CUDA graphs: what a function puts on a device is captured once and launched again as one piece of work,
-- which saves what calling its ops costs.
--
--   local graph, loss = kiln.cuda.graph.capture(function()
--     optimizer:zero_grad()
--     local loss = loss_of(net(x), y)
--     loss:backward()
--     optimizer:step()
--     return loss
--   end)
--   for input, target in loader:iter() do
--     x:copy_(input)
--     y:copy_(target)
--     graph:replay()
--   end
--
-- A replay does with the same memory what the function did: new inputs are copied into the tensors that it
-- read, results lie where the capture put them, and shapes and Lua numbers are those of the capture.  New at
-- each replay are random numbers, the numbers of optimizers' steps (a learning rate may change) and the scale
-- of a GradScaler.  What makes the host wait (item, copies to the CPU, nonzero, synchronize) is refused.
local C = require("kiln.ffi").C
local Object = require "kiln.class"
local capturing = require "kiln.cuda.capturing"
local check = require "kiln.check"
local devices = require "kiln.device"
local handles = require "kiln.handles"
local target = require "kiln.cuda.target"

local M = {}

---@class kiln.cuda.Graph
---@field device? string  while there is something captured
---@field hooks table[]  what is done at each replay (capturing.lua)
---@field results kiln.Tensor[]  tensors that a replay writes, for autograd to know
local Graph = Object:extend "Graph"
M.Graph = Graph

-- One userdata a graph frees it; tables have no finalizers in LuaJIT.
local graphs = setmetatable({}, { __mode = "k" })
local prototype = newproxy(true)
local function release(guard)
  C.kiln_graph_free(graphs[guard])
  graphs[guard] = nil
end
getmetatable(prototype).__gc = function(guard)
  if graphs[guard] then release(guard) end
end

--- An empty graph; capture_begin and capture_end fill it.
function Graph:init() self.hooks, self.results = {}, {} end

local function is_graph(v, name, argument)
  if not Object.is_instance(v, Graph) then
    check.raise(name, "%s must be a kiln.cuda.Graph, got %s", argument, check.got(v))
  end
  return v
end

local BEGIN = { device = 1, pool = 1 }

--- From now on the work of this thread on a device (without: the current one) is captured, not run.
--- `pool`: a graph whose memory this one may use too; the two must not run beside each other, and each may
--- overwrite results of the other.
---@param options? { device?: integer|string, pool?: kiln.cuda.Graph }
function Graph:capture_begin(options)
  is_graph(self, "capture_begin", "the graph")
  options = check.options(options, BEGIN, "capture_begin")
  if self.raw then check.raise("capture_begin", "the graph is captured already; reset() it first") end
  local pool = options.pool and is_graph(options.pool, "capture_begin", "pool")
  if pool and not pool.raw then check.raise("capture_begin", "pool is a graph that was not captured") end
  local code = target.code(options.device, "capture_begin")
  handles.collect() -- what is kept for others is no good to a graph, and cannot be given back meanwhile
  C.kiln_memory_trim(code)
  local raw = C.kiln_graph_begin(code, pool and pool.raw or nil)
  if raw == nil then check.raise_core "capture_begin" end
  self.guard = newproxy(prototype)
  graphs[self.guard] = raw
  self.raw, self.device, self.open = raw, devices.of(code), true
  self.hooks, self.results, self.unless = {}, {}, nil
  capturing.current = self
end

--- Ends the capture.  Raises where something inside was refused, and the graph is then empty.
function Graph:capture_end()
  is_graph(self, "capture_end", "the graph")
  if not self.open then check.raise("capture_end", "the graph is not being captured") end
  capturing.current, self.open = nil, nil
  if C.kiln_graph_end(self.raw) < 0 then
    local ok, message = pcall(check.raise_core, "capture_end")
    self:reset()
    if not ok then check.rethrow(message) end
  end
end

--- Empties the graph, which waits for its last launch and gives its memory back; ends a capture.
function Graph:reset()
  is_graph(self, "reset", "the graph")
  if self.open then capturing.current, self.open = nil, nil end
  if self.guard then release(self.guard) end
  self.guard, self.raw, self.device = nil, nil, nil
  self.hooks, self.results, self.unless = {}, {}, nil
end

local function undo(hooks, n)
  for i = n, 1, -1 do
    if hooks[i].undo then hooks[i].undo() end
  end
end

-- The hooks' part before a launch; all of it or none.
local function prepare(hooks)
  for i, hook in ipairs(hooks) do
    local ok, message = pcall(hook.before or function() end)
    if not ok then
      undo(hooks, i - 1)
      check.rethrow(message)
    end
  end
end

--- Launches what was captured on the current stream.  Like an op it does not wait, unless a GradScaler's step
--- is inside, which has to see whether gradients were finite.
function Graph:replay()
  is_graph(self, "replay", "the graph")
  if not self.raw or self.open then
    check.raise("replay", self.open and "the graph is still being captured" or "the graph is empty")
  end
  if C.kiln_graph_is_capturing() then check.raise("replay", "a graph is being captured") end
  prepare(self.hooks)
  if C.kiln_graph_replay(self.raw) < 0 then
    undo(self.hooks, #self.hooks)
    check.raise_core "replay"
  end
  for _, x in ipairs(self.results) do
    if x.p ~= nil then C.kiln_tensor_bump(x.p) end
  end
  for _, hook in ipairs(self.hooks) do
    if hook.after then hook.after() end
  end
end

function Graph:__tostring()
  return ("Graph(%s)"):format(self.open and "capturing on " .. self.device or self.device or "empty")
end

-- -- Capturing a function ------------------------------------------------------------------------

-- The tensors in what a function returned, also inside tables.
local function note_results(list, v, seen)
  if check.is_tensor(v) then
    list[#list + 1] = v
  elseif type(v) == "table" and not seen[v] then
    seen[v] = true
    for _, e in next, v do note_results(list, e, seen) end
  end
end
jit.off(note_results)

local function finish(graph, ok, ...)
  if not ok then
    graph:reset()
    check.rethrow((...))
  end
  graph:capture_end()
  for i = 1, select("#", ...) do note_results(graph.results, (select(i, ...)), {}) end
  return graph, ...
end

local CAPTURE = { device = 1, pool = 1, warmup = 1 }

--- Captures what fn does on a device, and returns the graph and the results of fn, whose values come with the
--- first replay.  Before, fn runs `warmup` (1) times as always: libraries are opened then, and the state of
--- optimizers made.  An error in fn ends the capture and is passed on.
---@param fn function
---@param options? { warmup?: integer, device?: integer|string, pool?: kiln.cuda.Graph }
---@return kiln.cuda.Graph, any ...
function M.capture(fn, options)
  check.fn(fn, "capture", "fn")
  options = check.options(options, CAPTURE, "capture")
  local warmup = options.warmup == nil and 1 or check.int(options.warmup, "capture", "warmup")
  if warmup < 0 then check.raise("capture", "warmup must be at least 0, got %d", warmup) end
  local code = target.code(options.device, "capture")
  if C.kiln_graph_is_capturing() then check.raise("capture", "a graph is being captured already") end
  for _ = 1, warmup do fn() end
  local graph = Graph()
  graph:capture_begin { device = code, pool = options.pool }
  return finish(graph, pcall(fn))
end

--- Is this thread capturing a graph?
---@return boolean
function M.is_current_stream_capturing() return C.kiln_graph_is_capturing() end

--- Functions or modules whose forward and backward passes are replays of graphs.
M.make_graphed_callables = function(...) return require "kiln.cuda.graphed"(...) end

return M
