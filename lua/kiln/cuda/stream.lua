--- Streams and events.  Work on one stream runs in its order, streams run beside each other, events order
-- them.  Every device has a stream of its own that work goes to unless stream(s, fn) says otherwise.  A
-- tensor that another stream uses is kept for it by x:record_stream(s).
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local devices = require "kiln.device"
local modes = require "kiln.modes"
local Object = require "kiln.class"
local target = require "kiln.cuda.target"

local M = {}

---@class kiln.cuda.Stream
---@field device string
---@field id integer  its number on the device; 0 is the default stream
local Stream = Object:extend "Stream"
M.Stream = Stream

---@class kiln.cuda.Event
---@field device? string  once recorded
local Event = Object:extend "Event"
M.Event = Event

local function is_stream(v, name, argument)
  if not Object.is_instance(v, Stream) then
    check.raise(name, "%s must be a kiln.cuda.Stream, got %s", argument, check.got(v))
  end
  return v
end

local function is_event(v, name, argument)
  if not Object.is_instance(v, Event) then
    check.raise(name, "%s must be a kiln.cuda.Event, got %s", argument, check.got(v))
  end
  return v
end

-- -- Streams -----------------------------------------------------------------------------------

--- kiln.cuda.Stream({ device = , priority = -1 }): a stream; negative priorities are urgent.  There are 32 of
--- each kind on a device, handed out in turn.
function Stream:init(options)
  options = check.options(options, { device = 1, priority = 1 }, "Stream")
  local code = target.code(options.device, "Stream")
  local priority = options.priority == nil and 0 or check.int(options.priority, "Stream", "priority")
  self.device, self.code = devices.of(code), code
  self.id = check.status(C.kiln_stream_new(code, priority < 0 and -1 or 0), "Stream")
end

local function known_stream(code, id)
  local s = setmetatable({}, Stream)
  s.device, s.code, s.id = devices.of(code), code, id
  return s
end

--- Is all its work done?
---@return boolean
function Stream:query()
  check.self(self, "query", "stream", Stream)
  return check.status(C.kiln_stream_query(self.code, self.id), "query") == 1
end

--- Waits until all its work is done, and raises what kernels found wrong.
function Stream:synchronize()
  check.self(self, "synchronize", "stream", Stream)
  check.status(C.kiln_stream_wait(self.code, self.id), "synchronize")
end

--- Marks this place of its work with an event (a new one without); returns the event.
---@param event? kiln.cuda.Event
function Stream:record_event(event)
  check.self(self, "record_event", "stream", Stream)
  event = event == nil and Event() or is_event(event, "record_event", "event")
  event:record(self)
  return event
end

--- What is put on this stream from now on comes after the event.
---@param event kiln.cuda.Event
function Stream:wait_event(event)
  check.self(self, "wait_event", "stream", Stream)
  is_event(event, "wait_event", "event"):wait(self)
end

--- What is put on this stream from now on comes after all that is on the other.
---@param other kiln.cuda.Stream
function Stream:wait_stream(other)
  check.self(self, "wait_stream", "stream", Stream)
  self:wait_event(is_stream(other, "wait_stream", "stream"):record_event())
end

function Stream:__eq(other) return self.code == other.code and self.id == other.id end
function Stream:__tostring() return ("Stream(%s, %d)"):format(self.device, self.id) end

--- This thread's stream on a device.
---@param device? integer|string|kiln.Tensor
---@return kiln.cuda.Stream
function M.current_stream(device)
  local code = target.code(device, "current_stream")
  return known_stream(code, C.kiln_stream_current(code))
end

--- The stream that a device's work goes to at first.
---@return kiln.cuda.Stream
function M.default_stream(device) return known_stream(target.code(device, "default_stream"), 0) end

--- Runs fn(...) with the stream as its device's, and returns its results.
---@param stream kiln.cuda.Stream
---@param fn function
function M.stream(stream, fn, ...)
  is_stream(stream, "stream", "stream")
  check.fn(fn, "stream", "fn")
  local before
  return modes.during(function()
    before = check.status(C.kiln_stream_use(stream.code, stream.id), "stream")
  end, function() C.kiln_stream_use(stream.code, before) end, fn, ...)
end

-- -- Events ------------------------------------------------------------------------------------

-- One userdata an event frees its mark; tables have no finalizers in LuaJIT.
local marks = setmetatable({}, { __mode = "k" })
local prototype = newproxy(true)
getmetatable(prototype).__gc = function(guard) C.kiln_mark_free(marks[guard]) end

--- kiln.cuda.Event({ enable_timing = true }): a point in a stream's work.
function Event:init(options)
  options = check.options(options, { enable_timing = 1, blocking = 1, interprocess = 1 }, "Event")
  for _, k in ipairs { "enable_timing", "blocking", "interprocess" } do
    if options[k] ~= nil then check.bool(options[k], "Event", k) end
  end
  if options.interprocess then check.raise("Event", "interprocess: events belong to one process") end
  self.timing = options.enable_timing == true
end

--- Puts the event behind all that is on the stream (without: the current one) now.
---@param stream? kiln.cuda.Stream
function Event:record(stream)
  check.self(self, "record", "event", Event)
  stream = stream == nil and M.current_stream(self.device) or is_stream(stream, "record", "stream")
  if self.mark and self.device ~= stream.device then
    check.raise("record", "the event belongs to %s, the stream to %s", self.device, stream.device)
  end
  if not self.mark then
    local mark = C.kiln_mark_new(stream.code, self.timing)
    if mark == nil then check.raise_core "record" end
    local guard = newproxy(prototype)
    marks[guard] = mark
    self.mark, self.guard, self.device = mark, guard, stream.device
  end
  check.status(C.kiln_mark_record(self.mark, stream.id), "record")
end

--- What is put on the stream (without: the current one) from now on comes after the event.
---@param stream? kiln.cuda.Stream
function Event:wait(stream)
  check.self(self, "wait", "event", Event)
  stream = stream == nil and M.current_stream() or is_stream(stream, "wait", "stream")
  if self.mark then check.status(C.kiln_mark_before(self.mark, stream.code, stream.id), "wait") end
end

--- Is the work before it done?  True for an event that was never recorded.
---@return boolean
function Event:query()
  check.self(self, "query", "event", Event)
  return not self.mark or check.status(C.kiln_mark_query(self.mark), "query") == 1
end

--- Waits for the work before it, and raises what kernels found wrong.
function Event:synchronize()
  check.self(self, "synchronize", "event", Event)
  if self.mark then check.status(C.kiln_mark_wait(self.mark), "synchronize") end
end

--- Milliseconds from this event to a later one, both recorded with enable_timing and done.
---@param later kiln.cuda.Event
---@return number
function Event:elapsed_time(later)
  check.self(self, "elapsed_time", "event", Event)
  is_event(later, "elapsed_time", "later")
  for _, e in ipairs { self, later } do
    if not e.timing then check.raise("elapsed_time", "the events need enable_timing = true") end
    if not e.mark then check.raise("elapsed_time", "an event was never recorded") end
    if not e:query() then check.raise("elapsed_time", "an event is not reached yet: synchronize() it") end
  end
  if self.device ~= later.device then
    check.raise("elapsed_time", "the events are on %s and on %s", self.device, later.device)
  end
  local ms = ffi.new "double[1]"
  check.status(C.kiln_mark_elapsed(self.mark, later.mark, ms), "elapsed_time")
  return ms[0]
end

return M
