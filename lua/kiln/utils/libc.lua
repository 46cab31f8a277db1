--- The three functions of the C library that scripts cannot do without: is this a terminal, what time is
-- it, sleep.  Declares them itself, as foreign libraries do (kiln's own API is declared in ffi.lua).
local ffi = require "ffi"

ffi.cdef [[
typedef struct kiln_timespec { long sec, nsec; } kiln_timespec;
int isatty(int fd);
int clock_gettime(int clock, kiln_timespec *t);
int nanosleep(const kiln_timespec *t, kiln_timespec *rest);
]]

local MONOTONIC = 1
local now = ffi.new "kiln_timespec"

local M = {}

---@param fd integer 1 is standard output, 2 standard error
---@return boolean
function M.is_terminal(fd) return ffi.C.isatty(fd) == 1 end

--- Seconds on a clock that only goes forward.
---@return number
function M.seconds()
  ffi.C.clock_gettime(MONOTONIC, now)
  return tonumber(now.sec) + tonumber(now.nsec) * 1e-9
end

--- Waits.
---@param seconds number
function M.sleep(seconds)
  local t = ffi.new "kiln_timespec"
  t.sec = math.floor(seconds)
  t.nsec = math.floor((seconds - math.floor(seconds)) * 1e9)
  ffi.C.nanosleep(t, nil)
end

return M
