--- OS threads, each with a Lua state of its own, and channels of byte strings between them.
-- Made of pthreads and LuaJIT's C API through FFI, declared here as foreign libraries.  A thread starts
-- in a callback that its own new state made, so no state is ever used by two threads.  It refuses to
-- know what is sent: that is transport.lua.
local ffi = require "ffi"
local libc = require "kiln.utils.libc"
local raise = require("kiln.check").raise

ffi.cdef [[
typedef struct lua_State lua_State;
lua_State *luaL_newstate(void);
void luaL_openlibs(lua_State *L);
int luaL_loadstring(lua_State *L, const char *s);
int lua_pcall(lua_State *L, int n_args, int n_results, int handler);
double lua_tonumber(lua_State *L, int i);
const char *lua_tolstring(lua_State *L, int i, size_t *n);
void lua_pushlstring(lua_State *L, const char *s, size_t n);
void lua_setfield(lua_State *L, int i, const char *name);
void lua_close(lua_State *L);

typedef unsigned long kiln_pthread;
typedef union kiln_mutex { char space[64]; long align; } kiln_mutex;
typedef union kiln_cond { char space[64]; long align; } kiln_cond;
int pthread_create(kiln_pthread *thread, const void *attributes, void *(*start)(void *), void *argument);
int pthread_join(kiln_pthread thread, void **result);
int pthread_tryjoin_np(kiln_pthread thread, void **result);
int pthread_mutex_init(kiln_mutex *m, const void *attributes);
int pthread_mutex_lock(kiln_mutex *m);
int pthread_mutex_unlock(kiln_mutex *m);
int pthread_mutex_destroy(kiln_mutex *m);
int pthread_cond_init(kiln_cond *c, const void *attributes);
int pthread_cond_wait(kiln_cond *c, kiln_mutex *m);
int pthread_cond_timedwait(kiln_cond *c, kiln_mutex *m, const kiln_timespec *until);
int pthread_cond_broadcast(kiln_cond *c);
int pthread_cond_destroy(kiln_cond *c);
void *malloc(size_t n);
void free(void *p);

typedef struct kiln_message { struct kiln_message *next; size_t size; char bytes[1]; } kiln_message;
typedef struct kiln_channel {
  kiln_mutex mutex;
  kiln_cond changed;
  kiln_message *first, *last;
  int closed;
} kiln_channel;
]]

local C = ffi.C
local GLOBALS, REALTIME = -10002, 0
local HEADER = ffi.offsetof("kiln_message", "bytes")

local M = {}

-- -- Channels ----------------------------------------------------------------------------------

---@class kiln.utils.Channel
local Channel = {}
Channel.__index = Channel

--- A channel; with an address, the one that another state made.
---@param address? number
function M.channel(address)
  local p
  if address then
    p = ffi.cast("kiln_channel *", address)
  else
    p = ffi.cast("kiln_channel *", C.malloc(ffi.sizeof "kiln_channel"))
    ffi.fill(p, ffi.sizeof "kiln_channel")
    C.pthread_mutex_init(p.mutex, nil)
    C.pthread_cond_init(p.changed, nil)
  end
  return setmetatable({ p = p }, Channel)
end

--- A number by which another state finds it.
function Channel:address() return tonumber(ffi.cast("intptr_t", self.p)) end

--- Adds a message at the end.
---@param bytes string
function Channel:push(bytes)
  local m = ffi.cast("kiln_message *", C.malloc(HEADER + #bytes + 1))
  m.next, m.size = nil, #bytes
  ffi.copy(m.bytes, bytes, #bytes)
  local p = self.p
  C.pthread_mutex_lock(p.mutex)
  if p.last == nil then p.first = m else p.last.next = m end
  p.last = m
  C.pthread_cond_broadcast(p.changed)
  C.pthread_mutex_unlock(p.mutex)
end

local deadline = ffi.new "kiln_timespec"

-- Waits for a change, until the deadline if there is one.  The mutex is held.
local function wait(p, seconds)
  if not seconds then
    C.pthread_cond_wait(p.changed, p.mutex)
    return
  end
  C.clock_gettime(REALTIME, deadline)
  local at = tonumber(deadline.sec) + tonumber(deadline.nsec) * 1e-9 + seconds
  deadline.sec = math.floor(at)
  deadline.nsec = math.floor((at - math.floor(at)) * 1e9)
  C.pthread_cond_timedwait(p.changed, p.mutex, deadline)
end

--- The first message, waiting for one; nil when the channel is closed or `seconds` are over.
---@param seconds? number
---@return string?
function Channel:pop(seconds)
  local p = self.p
  C.pthread_mutex_lock(p.mutex)
  if p.first == nil and p.closed == 0 then wait(p, seconds) end
  while p.first == nil and p.closed == 0 and not seconds do wait(p) end
  local m = p.first
  if m ~= nil then
    p.first = m.next
    if m.next == nil then p.last = nil end
  end
  C.pthread_mutex_unlock(p.mutex)
  if m == nil then return nil end
  local bytes = ffi.string(m.bytes, m.size)
  C.free(m)
  return bytes
end

--- Nobody waits on it any more; what is in it can still be taken.
function Channel:close()
  C.pthread_mutex_lock(self.p.mutex)
  self.p.closed = 1
  C.pthread_cond_broadcast(self.p.changed)
  C.pthread_mutex_unlock(self.p.mutex)
end

function Channel:is_closed() return self.p.closed ~= 0 end

--- Gives its memory back; no thread may use it any more.
function Channel:free()
  while true do
    local m = self.p.first
    if m == nil then break end
    self.p.first = m.next
    C.free(m)
  end
  C.pthread_mutex_destroy(self.p.mutex)
  C.pthread_cond_destroy(self.p.changed)
  C.free(self.p)
  self.p = nil
end

-- -- Threads -----------------------------------------------------------------------------------

-- Runs in the new state, on the old thread: makes the function that the new thread will enter.
local BOOTSTRAP = [[
local ffi = require "ffi"
package.path, package.cpath = KILN_PATH, KILN_CPATH
ffi.cdef "typedef void *(*kiln_start)(void *);"
local function start()
  local ok, why = xpcall(function() assert(loadstring(KILN_CODE, "=kiln:thread"))(KILN_ARGUMENT) end,
    debug.traceback)
  if not ok then io.stderr:write("kiln: thread: ", tostring(why), "\n") end
  return nil
end
KILN_CALLBACK = ffi.cast("kiln_start", function() return start() end)
return tonumber(ffi.cast("intptr_t", ffi.cast("void *", KILN_CALLBACK)))
]]

---@class kiln.utils.Thread
local Thread = {}
Thread.__index = Thread

--- Starts `code` (Lua source, which gets `argument` as ...) on a new thread.
---@param code string
---@param argument string
---@return kiln.utils.Thread
function M.start(code, argument)
  local L = C.luaL_newstate()
  if L == nil then raise("thread", "there is no memory for another Lua state") end
  C.luaL_openlibs(L)
  local globals = { KILN_PATH = package.path, KILN_CPATH = package.cpath, KILN_CODE = code,
    KILN_ARGUMENT = argument }
  for name, value in pairs(globals) do
    C.lua_pushlstring(L, value, #value)
    C.lua_setfield(L, GLOBALS, name)
  end
  if C.luaL_loadstring(L, BOOTSTRAP) ~= 0 or C.lua_pcall(L, 0, 1, 0) ~= 0 then
    local why = ffi.string(C.lua_tolstring(L, -1, nil))
    C.lua_close(L)
    raise("thread", "cannot start: %s", why)
  end
  local entry = ffi.cast("void *(*)(void *)", ffi.cast("intptr_t", C.lua_tonumber(L, -1)))
  local id = ffi.new "kiln_pthread[1]"
  local status = C.pthread_create(id, nil, entry, nil)
  if status ~= 0 then
    C.lua_close(L)
    raise("thread", "the system gives no thread (error %d)", status)
  end
  return setmetatable({ id = id[0], L = L, running = true }, Thread)
end

--- Is it still running?
function Thread:is_alive()
  if self.running and C.pthread_tryjoin_np(self.id, nil) == 0 then self.running = false end
  return self.running
end

--- Waits for its end and closes its state.
function Thread:join()
  if self.running then
    C.pthread_join(self.id, nil)
    self.running = false
  end
  if self.L ~= nil then
    C.lua_close(self.L)
    self.L = nil
  end
end

M.seconds = libc.seconds
return M
