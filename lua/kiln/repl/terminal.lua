--- The terminal as bytes and modes: raw input, its size, waiting for a key, suspending.
-- It refuses to know what a key means (keys.lua) or what is on the screen (editor.lua).
local ffi = require "ffi"

ffi.cdef [[
typedef struct kiln_termios {
  uint32_t iflag, oflag, cflag, lflag;
  uint8_t line, cc[32];
  uint32_t ispeed, ospeed;
} kiln_termios;
typedef struct kiln_winsize { uint16_t rows, columns, width, height; } kiln_winsize;
typedef struct kiln_pollfd { int fd; short events, revents; } kiln_pollfd;
int kiln_tcgetattr(int fd, kiln_termios *t) __asm__("tcgetattr");
int kiln_tcsetattr(int fd, int when, const kiln_termios *t) __asm__("tcsetattr");
int kiln_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
int kiln_poll(kiln_pollfd *fds, unsigned long n, int milliseconds) __asm__("poll");
long kiln_read(int fd, void *buffer, size_t n) __asm__("read");
int kiln_raise(int signal) __asm__("raise");
]]

local C = ffi.C
-- Linux, on every processor that LuaJIT has a port for here.
local TIOCGWINSZ, TCSADRAIN, POLLIN, SIGTSTP, EINTR = 0x5413, 1, 1, 20, 4
local ICRNL, INLCR, IXON = 0x100, 0x40, 0x400 -- iflag
local ISIG, ICANON, ECHO, IEXTEN = 0x1, 0x2, 0x8, 0x8000 -- lflag
local VTIME, VMIN = 5, 6

local M = {}

local saved, raw = ffi.new "kiln_termios", ffi.new "kiln_termios"
local is_raw = false
local buffer, first, count = ffi.new "uint8_t[256]", 0, 0

--- Keys arrive one by one from now on, unechoed, and Ctrl-C is one of them.
---@return boolean ok  false when standard input is no terminal
function M.raw()
  if is_raw then return true end
  if C.kiln_tcgetattr(0, saved) ~= 0 then return false end
  ffi.copy(raw, saved, ffi.sizeof(raw))
  raw.iflag = bit.band(raw.iflag, bit.bnot(ICRNL + INLCR + IXON))
  raw.lflag = bit.band(raw.lflag, bit.bnot(ISIG + ICANON + ECHO + IEXTEN))
  raw.cc[VMIN], raw.cc[VTIME] = 1, 0
  is_raw = C.kiln_tcsetattr(0, TCSADRAIN, raw) == 0
  return is_raw
end

--- The terminal as it was before raw().
function M.restore()
  if is_raw then C.kiln_tcsetattr(0, TCSADRAIN, saved) end
  is_raw = false
end

--- Is a byte there within so many milliseconds?
function M.ready(milliseconds)
  if count > 0 then return true end
  local fds = ffi.new("kiln_pollfd[1]", { { fd = 0, events = POLLIN } })
  return C.kiln_poll(fds, 1, milliseconds) > 0
end

--- The next byte, or nil at the end of input.
---@return integer?
function M.byte()
  while count == 0 do
    local n = tonumber(C.kiln_read(0, buffer, 256))
    if n == 0 or (n < 0 and ffi.errno() ~= EINTR) then return nil end
    first, count = 0, math.max(n, 0)
  end
  first, count = first + 1, count - 1
  return buffer[first - 1]
end

--- Columns and rows.
---@return integer columns
---@return integer rows
function M.size()
  local w = ffi.new "kiln_winsize"
  if C.kiln_ioctl(1, TIOCGWINSZ, w) ~= 0 or w.columns == 0 then return 80, 24 end
  return w.columns, w.rows
end

--- Ctrl-Z: stops the process until the shell continues it.
function M.suspend()
  M.restore()
  C.kiln_raise(SIGTSTP)
  M.raw()
end

function M.write(...)
  io.stdout:write(...)
  io.stdout:flush()
end

return M
