--- The functions of the C library that scripts cannot do without: is this a terminal, what time is it,
-- sleep, and numbers as text.  Declares them itself, as foreign libraries do (kiln's own API is declared
-- in ffi.lua).
local ffi = require "ffi"

ffi.cdef [[
typedef struct kiln_timespec { long sec, nsec; } kiln_timespec;
int isatty(int fd);
int clock_gettime(int clock, kiln_timespec *t);
int nanosleep(const kiln_timespec *t, kiln_timespec *rest);
int kiln_snprintf(char *text, size_t n, const char *format, ...) __asm__("snprintf");
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

local text = ffi.new "char[512]" -- more than any double needs with 50 digits behind the point

--- A number as text by a format such as "%.4f", with a point in every locale.  LuaJIT's own string.format
--- rounds exact ties away from 0, the C library to even, as everybody else does.
---@param format string  for one double
---@param v number
---@return string
function M.number(format, v)
  local n = ffi.C.kiln_snprintf(text, 512, format, ffi.cast("double", v))
  return (ffi.string(text, n):gsub(",", "."))
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
