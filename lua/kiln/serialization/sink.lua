--- Sink: writes a file whole or not at all.
-- The bytes go to a temporary file beside the target, are synced to the disk and renamed over it, so a
-- crash, a full disk or an error leaves what stood there before.  A link is followed; what is not a
-- regular file is refused.  A list of chunks is what everybody writes: strings, and tensors, which
-- stand for their elements in order.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local convert = require "kiln.convert"
local files = require "kiln.utils.files"
local libc = require "kiln.utils.libc"
local shown = require("kiln.serialization.source").shown

ffi.cdef [[
size_t kiln_c_fwrite(const void *p, size_t width, size_t n, void *file) __asm__("fwrite");
int kiln_c_fileno(void *file) __asm__("fileno");
int kiln_c_fsync(int fd) __asm__("fsync");
int kiln_c_fchmod(int fd, unsigned mode) __asm__("fchmod");
char *kiln_c_strerror(int code) __asm__("strerror");
]]

local M = {}

local function system_error() return ffi.string(ffi.C.kiln_c_strerror(ffi.errno())) end

local AT_ONCE = 2 ^ 26 -- bytes between two looks at Ctrl-C

local function write_chunk(file, chunk)
  check.poll()
  if type(chunk) == "string" then
    local ok, why = file:write(chunk)
    return ok, why
  end
  local x = convert.host(chunk)
  local n, bytes = x:numel() * x:element_size(), ffi.cast("const char *", C.kiln_tensor_data(x.p))
  for at = 0, n - 1, AT_ONCE do
    check.poll()
    local part = math.min(AT_ONCE, n - at)
    if ffi.C.kiln_c_fwrite(bytes + at, 1, part, file) ~= part then return nil, system_error() end
  end
  if not x:is_same(chunk) then x:free() end
  return true
end
jit.off(write_chunk) -- looks at what file:write says: docs/architecture.md, "LuaJIT"

-- Writes, syncs and closes; nil and why when the system refuses.
local function write_all(file, chunks, mode)
  for _, chunk in ipairs(chunks) do
    local ok, why = write_chunk(file, chunk)
    if not ok then return nil, why end
  end
  local ok, why = file:flush()
  if not ok then return nil, why end
  local fd = ffi.C.kiln_c_fileno(file)
  if mode and ffi.C.kiln_c_fchmod(fd, mode) ~= 0 then return nil, system_error() end
  if ffi.C.kiln_c_fsync(fd) ~= 0 then return nil, system_error() end
  return file:close()
end
jit.off(write_all)

-- A new file beside the target.
local function open_temporary(folder)
  local why
  for try = 1, 100 do
    local name = ("%s.kiln-%08x.tmp"):format(folder, (libc.seconds() * 1e9 + try) % 2 ^ 32)
    local file
    file, why = io.open(name, "wbx")
    if file then return file, name end
    if not why:find("exists", 1, true) then break end
  end
  return nil, why
end

local function sync_folder(folder)
  local file = io.open(folder == "" and "." or folder, "rb")
  if not file then return end
  ffi.C.kiln_c_fsync(ffi.C.kiln_c_fileno(file))
  file:close()
end

--- Raises unless `path` can name a file.
function M.check_path(op, path)
  if type(path) ~= "string" or path == "" then
    check.raise(op, "path must be the name of a file, got %s", check.got(path))
  end
  if path:find("\0", 1, true) then check.raise(op, "the path '%s' has a zero byte in it", shown(path)) end
end

-- Where the bytes for a path go, { file, temporary, target, folder, mode }; or nil and why they cannot.
local function begin(path)
  local target = files.target(path)
  if not target then return nil, "links lead in a circle" end
  local mode, why = files.permissions(target)
  if why then return nil, why end
  local folder = target:match "^(.*/)" or ""
  local file, temporary = open_temporary(folder)
  if not file then return nil, (temporary:gsub("^.*: ", "")) end
  return { file = file, temporary = temporary, target = target, folder = folder, mode = mode }
end

--- Why a file could not be written now, or nil when it could.
---@return string?
function M.refusal(path)
  local begun, why = begin(path)
  if not begun then return why end
  begun.file:close()
  os.remove(begun.temporary)
end

--- Writes chunks (strings and tensors) to a file.
function M.write(op, path, chunks)
  M.check_path(op, path)
  local begun, refusal = begin(path)
  if not begun then check.raise(op, "cannot write %s: %s", shown(path), refusal) end
  local file, temporary, mode = begun.file, begun.temporary, begun.mode
  local ok, done, why = pcall(write_all, file, chunks, mode)
  if ok and done then
    done, why = os.rename(temporary, begun.target)
    if done then return sync_folder(begun.folder) end
  end
  if io.type(file) == "file" then file:close() end
  os.remove(temporary)
  if not ok then check.rethrow(done) end
  check.raise(op, "cannot write %s: %s", shown(path), (tostring(why):gsub("^.*: ", "")))
end

--- The same bytes as one string.
function M.bytes(chunks)
  local parts = {}
  for i, chunk in ipairs(chunks) do
    if type(chunk) == "string" then
      parts[i] = chunk
    else
      local x = convert.host(chunk)
      parts[i] = x:numel() == 0 and "" or ffi.string(C.kiln_tensor_data(x.p), x:numel() * x:element_size())
      if not x:is_same(chunk) then x:free() end
    end
  end
  return table.concat(parts)
end

return M
