--- OS threads, each with a Lua state of its own, and channels of byte strings between them.
-- Both are the core's (core/worker.c): no state is ever used by two threads, and no FFI callback is made.
-- It refuses to know what is sent: that is transport.lua.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local libc = require "kiln.utils.libc"

local M = {}

-- -- Channels ----------------------------------------------------------------------------------

---@class kiln.utils.Channel
local Channel = {}
Channel.__index = Channel

local size = ffi.new "size_t[1]"

local function alive(self, name)
  if self.p == nil then check.raise(name, "the channel was released") end
  return self.p
end

--- A channel; with an address, the one that another state made and kept for this one.
---@param address? number  what `share` gave
---@return kiln.utils.Channel
function M.channel(address)
  local p = address and ffi.cast("kiln_channel *", address) or C.kiln_channel_new()
  if p == nil then check.raise_core "channel" end
  return setmetatable({ p = p }, Channel)
end

--- A number by which one other state finds it: kiln.utils.thread.channel(number), once.
---@return number
function Channel:share()
  return tonumber(ffi.cast("intptr_t", C.kiln_channel_retain(alive(self, "share"))))
end

--- Adds a message at the end.
---@param bytes string
function Channel:push(bytes)
  if type(bytes) ~= "string" then
    check.raise("push", "a message must be a string, got %s", check.got(bytes))
  end
  check.status(C.kiln_channel_push(alive(self, "push"), bytes, #bytes), "push")
end

--- The first message, waiting for one; nil when the channel is closed and empty, or `seconds` are over.
---@param seconds? number  without: for as long as it takes
---@return string?
function Channel:pop(seconds)
  if seconds ~= nil then seconds = math.max(check.number(seconds, "pop", "seconds"), 0) end
  local bytes = C.kiln_channel_pop(alive(self, "pop"), seconds or -1, size)
  if bytes == nil then
    if C.kiln_error_code() == C.KILN_EINTR then check.raise_core "pop" end
    return nil
  end
  local text = ffi.string(bytes, size[0])
  C.kiln_channel_done(bytes)
  return text
end

--- Nobody waits on it any more; what is in it can still be taken.
function Channel:close() C.kiln_channel_close(alive(self, "close")) end

--- Gives this state's hold on it back.
function Channel:release()
  C.kiln_channel_release(self.p)
  self.p = nil
end

-- -- Threads -----------------------------------------------------------------------------------

---@class kiln.utils.Thread
local Thread = {}
Thread.__index = Thread

-- Modules are found where this state finds them; what goes wrong comes with its traceback.  os.exit would
-- end the whole program, in the middle of whatever the others do.
local PRELUDE = "package.path, package.cpath = %q, %q\n"
  .. "os.exit = function() error('os.exit ends the whole program, not one thread: raise an error', 2) end\n"
  .. "local ok, why = xpcall(assert(loadstring(%q, '=kiln thread')), debug.traceback, ...)\n"
  .. "if not ok then error(why, 0) end\n"

--- Starts `code` (Lua source, which gets `argument` as ...) on a new thread, in a new state.
---@param code string
---@param argument? string  empty when left out
---@return kiln.utils.Thread
function M.start(code, argument)
  if argument == nil then argument = "" end
  if type(code) ~= "string" then
    check.raise("thread.start", "code must be a string, got %s", check.got(code))
  end
  if type(argument) ~= "string" then
    check.raise("thread.start", "argument must be a string, got %s", check.got(argument))
  end
  local text = PRELUDE:format(package.path, package.cpath, code)
  local p = C.kiln_worker_start(text, #text, argument, #argument)
  if p == nil then check.raise_core "thread" end
  return setmetatable({ p = p }, Thread)
end

--- Is it still running?
function Thread:is_alive() return self.p ~= nil and not C.kiln_worker_is_done(self.p) end

--- Waits for its end.  Returns nothing, or what its code raised.
---@return string?
function Thread:join()
  local p = self.p
  if p == nil then return nil end
  self.p = nil
  if C.kiln_worker_join(p) >= 0 then return nil end
  local why = ffi.string(C.kiln_error())
  C.kiln_error_clear()
  return (why:gsub("^worker: ", ""))
end

--- Lets it go on alone; nobody will hear of its end.
function Thread:abandon()
  if self.p ~= nil then C.kiln_worker_abandon(self.p) end
  self.p = nil
end

M.seconds = libc.seconds
return M
