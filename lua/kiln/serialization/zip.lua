--- zip archives in memory's terms: a list of entries, each a source of its own; and writing stored ones.
-- Names are keys and never become paths: nothing is ever unpacked to the disk.  Entries may be stored or
-- deflated, with the 64-bit fields for large files.  It refuses encrypted entries, entries that overlap
-- (how a small file claims to be a huge one), a name twice, and sizes that deflate cannot reach.
local bit = require "bit"
local ffi = require "ffi"
local inflate = require "kiln.utils.inflate"
local Source = require "kiln.serialization.source"

local M = {}

local END, END64, LOCATOR64 = "PK\5\6", "PK\6\6", "PK\6\7"
local CENTRAL, LOCAL = "PK\1\2", "PK\3\4"
local END_SIZE, MOST_COMMENT, CENTRAL_SIZE, LOCAL_SIZE = 22, 65535, 46, 30
local STORED, DEFLATED = 0, 8
local MOST_RATIO = 1032 -- of deflate
local ALL_16, ALL_32 = 2 ^ 16 - 1, 2 ^ 32 - 1
local PIECE = 2 ^ 16

-- Little-endian number of n bytes at a position of a string, counted from 0 as in the format's tables.
local function number(s, at, n)
  local v = 0
  for i = at + n, at + 1, -1 do v = v * 256 + s:byte(i) end
  return v
end

-- -- The list of entries -------------------------------------------------------------------------

-- Where the list is, and how many entries it has.
local function find_list(source)
  local n = math.min(source.size, END_SIZE + MOST_COMMENT)
  if n < END_SIZE then source:fail("it is too short for a zip archive") end
  source:seek(source.size - n)
  local tail = source:take(n, "the end")
  local at
  for i = n - END_SIZE + 1, 1, -1 do
    if tail:sub(i, i + 3) == END and i + END_SIZE - 1 + number(tail, i + 19, 2) == n then at = i - 1 break end
  end
  if not at then source:fail("it is truncated or no zip archive: there is no end record") end
  local count, bytes, start = number(tail, at + 10, 2), number(tail, at + 12, 4), number(tail, at + 16, 4)
  local end_at = source.size - n + at
  if count ~= ALL_16 and bytes ~= ALL_32 and start ~= ALL_32 then return start, bytes, count end
  if end_at < 20 then return start, bytes, count end
  source:seek(end_at - 20)
  local locator = source:take(20, "the 64-bit locator")
  if locator:sub(1, 4) ~= LOCATOR64 then return start, bytes, count end
  source:seek(number(locator, 8, 8))
  local record = source:take(56, "the 64-bit end record")
  if record:sub(1, 4) ~= END64 then source:fail("its 64-bit end record is damaged") end
  return number(record, 48, 8), number(record, 40, 8), number(record, 32, 8)
end

-- Fields that did not fit into 32 bits stand in an extra field, in this order.
local function read_64(source, entry, extra)
  local at = 1
  while at + 3 <= #extra do
    local id, n = number(extra, at - 1, 2), number(extra, at + 1, 2)
    if id == 1 then
      local p, stop = at + 3, at + 3 + n
      for _, field in ipairs { "usize", "csize", "start" } do
        if entry[field] == ALL_32 then
          if p + 8 > stop or p + 8 > #extra then source:fail("a 64-bit field of an entry is damaged") end
          entry[field], p = number(extra, p, 8), p + 8
        end
      end
    end
    at = at + 4 + n
  end
end

local function read_entry(source)
  local head = source:take(CENTRAL_SIZE, "an entry of the list")
  if head:sub(1, 4) ~= CENTRAL then source:fail("its list of entries is damaged") end
  local entry = { flags = number(head, 8, 2), method = number(head, 10, 2), crc = number(head, 16, 4),
    csize = number(head, 20, 4), usize = number(head, 24, 4), start = number(head, 42, 4) }
  entry.name = source:take(number(head, 28, 2), "the name of an entry")
  local extra = source:take(number(head, 30, 2), "an extra field")
  source:take(number(head, 32, 2), "a comment")
  read_64(source, entry, extra)
  return entry
end

-- Where the bytes of an entry start; refuses what cannot be read.
local function locate(source, entry)
  local name = source.shown(entry.name)
  if bit.band(entry.flags, 1) ~= 0 then source:fail("the entry '%s' is encrypted", name) end
  if entry.method ~= STORED and entry.method ~= DEFLATED then
    source:fail("the entry '%s' is compressed in a way that kiln cannot read (method %d)", name, entry.method)
  end
  source:seek(entry.start)
  local head = source:take(LOCAL_SIZE, "the head of an entry")
  if head:sub(1, 4) ~= LOCAL then source:fail("the entry '%s' is damaged: it has no head", name) end
  entry.data = entry.start + LOCAL_SIZE + number(head, 26, 2) + number(head, 28, 2)
  source:seek(entry.data)
  source:need(entry.csize, ("the entry '%s'"):format(name))
  if entry.method == STORED and entry.csize ~= entry.usize then
    source:fail("the stored entry '%s' is said to have %.0f and %.0f bytes", name, entry.csize, entry.usize)
  end
  if entry.usize > entry.csize * MOST_RATIO + 64 then
    source:fail("the entry '%s' is said to grow from %.0f to %.0f bytes, which deflate cannot do", name,
      entry.csize, entry.usize)
  end
end

---@class kiln.serialization.Archive
---@field entries table<string, table>
---@field names string[]  in the order of the list
local Archive = {}
Archive.__index = Archive

--- The archive in a source.
---@param source kiln.serialization.Source
---@return kiln.serialization.Archive
function M.open(source)
  local start, bytes, count = find_list(source)
  source:seek(start)
  source:need(bytes, "the list of entries")
  if count > bytes / CENTRAL_SIZE then
    source:fail("it is said to have %.0f entries in a list of %.0f bytes", count, bytes)
  end
  local self = setmetatable({ source = source, entries = {}, names = {} }, Archive)
  local list = {}
  for i = 1, count do
    local entry = read_entry(source)
    if self.entries[entry.name] then
      source:fail("the entry '%s' stands twice", source.shown(entry.name))
    end
    self.entries[entry.name], self.names[i], list[i] = entry, entry.name, entry
  end
  local limit = start
  table.sort(list, function(a, b) return a.start < b.start end)
  for i, entry in ipairs(list) do
    locate(source, entry)
    local stop = list[i + 1] and list[i + 1].start or limit
    if entry.data + entry.csize > stop then
      source:fail("the entry '%s' overlaps what stands behind it", source.shown(entry.name))
    end
  end
  return self
end

-- -- Entries as sources --------------------------------------------------------------------------

local function read_stored(source, entry)
  return function(self, pointer, n)
    source:seek(entry.data + self.at)
    source:copy(pointer, n, "the entry")
  end
end

local function read_deflated(source, entry, on_close)
  local buffer, taken = ffi.new("uint8_t[?]", PIECE), 0
  local inflater = inflate.open(function()
    local n = math.min(PIECE, entry.csize - taken)
    source:seek(entry.data + taken)
    source:copy(buffer, n, "the entry")
    taken = taken + n
    return buffer, n
  end)
  on_close[#on_close + 1] = function() inflater:close() end
  return function(self, pointer, n)
    local ok, why = inflater:read(pointer, n)
    if not ok then self:fail("it is damaged: zlib says '%s'", why) end
  end
end

--- The entry called `name` as a source to be read from the start to the end, or nil.
---@param name string
---@return kiln.serialization.Source?
function Archive:open(name)
  local entry, source = self.entries[name], self.source
  if not entry then return nil end
  local read = entry.method == STORED and read_stored(source, entry)
    or read_deflated(source, entry, source.on_close)
  local crc = 0
  return Source.part(source, entry.usize, Source.shown(name), function(s, pointer, n)
    read(s, pointer, n)
    crc = inflate.crc32(crc, pointer, n)
    -- Some writers leave the sum out, as PyTorch can be told to.
    if s.at + n == s.size and entry.crc ~= 0 and crc ~= entry.crc then
      s:fail("it is damaged: its checksum is %08x instead of %08x", crc, entry.crc)
    end
  end)
end

-- -- Writing -----------------------------------------------------------------------------------

local function little(v, n)
  local bytes = {}
  for i = 1, n do
    bytes[i] = string.char(v % 256)
    v = math.floor(v / 256)
  end
  return table.concat(bytes)
end

-- What local heads and the list have in common: flags (UTF-8 names), no compression, 1980-01-01.
local function common(entry)
  return little(20, 2) .. little(0x800, 2) .. little(STORED, 2) .. little(0, 2) .. little(0x21, 2)
    .. little(entry.crc, 4) .. little(entry.size, 4) .. little(entry.size, 4) .. little(#entry.name, 2)
end

--- The chunks of an archive of stored entries.
---@param items { name: string, size: integer, crc: integer, chunks: table }[]
---@return table? chunks  nil when it would need 64-bit fields
function M.chunks(items)
  local chunks, list, at = {}, {}, 0
  for _, item in ipairs(items) do
    local head = LOCAL .. common(item) .. little(0, 2) .. item.name
    if at + #head + item.size >= ALL_32 then return nil end
    list[#list + 1] = CENTRAL .. little(20, 2) .. common(item) .. little(0, 2) .. little(0, 2) .. little(0, 2)
      .. little(0, 2) .. little(0, 4) .. little(at, 4) .. item.name
    chunks[#chunks + 1] = head
    for _, chunk in ipairs(item.chunks) do chunks[#chunks + 1] = chunk end
    at = at + #head + item.size
  end
  local directory = table.concat(list)
  if #items >= ALL_16 or at + #directory >= ALL_32 then return nil end
  chunks[#chunks + 1] = directory .. END .. little(0, 4) .. little(#items, 2):rep(2) .. little(#directory, 4)
    .. little(at, 4) .. little(0, 2)
  return chunks
end

return M
