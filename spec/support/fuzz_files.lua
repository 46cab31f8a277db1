--- Loads damaged files, for serialization_hostile_spec.lua: luajit spec/support/fuzz_files.lua SEED COUNT
-- [FORMAT...].  COUNT loads a format; prints how many were loaded and refused, the most memory that a load
-- took for each byte of its file, and what was raised in other words than kiln's.  Archives are damaged as
-- they are, and inside of an entry with the archive made anew around it, so that checksums do not hide the
-- readers.
local kiln = require "kiln"
local files = require "spec.support.files"
local samples = require "spec.support.samples"
local sink = require "kiln.serialization.sink"
local Source = require "kiln.serialization.source"
local zip = require "kiln.serialization.zip"
local zlib = require "kiln.utils.zlib"

local SEED, COUNT = arg[1] or "1", tonumber(arg[2] or 1000)

local random = samples.generator("fuzz files " .. SEED)
local function pick(n) return 1 + math.min(n - 1, math.floor(random() * n)) end
local function one_of(list) return list[pick(#list)] end

local FORMATS = {
  safetensors = { "dtypes.safetensors", "ours.safetensors", "ours_plain.safetensors", "uint16.safetensors" },
  npy = { "plain.npy", "fortran.npy", "big_endian.npy", "scalar.npy", "version2.npy", "version3.npy" },
  npz = { "dtypes.npz", "compressed.npz", "unsigned.npz" },
  pt = { "tensor.pt", "values.pt", "values_4.pt", "shared.pt", "trained.pt", "grad.pt", "storage.pt",
    "deflated.pt", "sparse.pt", "sparse_csr.pt", "unsigned.pt" },
  legacy = { "tensor_legacy.pt", "values_legacy.pt", "shared_legacy.pt", "trained_legacy.pt",
    "grad_legacy.pt", "storage_legacy.pt", "sparse_legacy.pt", "sparse_csr_legacy.pt", "unsigned_legacy.pt",
    "values_4_legacy.pt", "values_0_legacy.pt", "values_1_legacy.pt", "attributes_legacy.pt" },
  t7 = { "binary64.t7", "binary32.t7", "ascii.t7" },
}

-- -- Damage ------------------------------------------------------------------------------------

-- What numbers in files are replaced by: as bytes and as text.
local NUMBERS = { ("\255"):rep(8), "\255\255\255\127", "\0\0\0\128", "\0\0\0\0", "\1" .. ("\0"):rep(7),
  ("\0"):rep(7) .. "\128", "-1", "0", "9007199254740993", "4294967296", "18446744073709551615", "1e308",
  "nan" }
-- Opcodes of pickles.
local OPCODES = "(.012BCEFGIJKLMNQRSTUVX]abcdeghijlopqrstu})\128\129\130\133\134\135\136\137\138\140"
  .. "\141\142\143\146\147\148\149"

local DAMAGE = {
  function(s, at) return s:sub(1, at - 1) .. string.char(pick(256) - 1) .. s:sub(at + 1) end,
  function(s, at) -- one bit
    local flipped = bit.bxor(s:byte(at), 2 ^ (pick(8) - 1))
    return s:sub(1, at - 1) .. string.char(flipped) .. s:sub(at + 1)
  end,
  function(s, at) return s:sub(1, at - 1) .. s:sub(at + pick(16)) end,
  function(s, at)
    local from = pick(#s)
    return s:sub(1, at) .. s:sub(from, from + pick(40)) .. s:sub(at + 1)
  end,
  function(s, at)
    local number = one_of(NUMBERS)
    return s:sub(1, at - 1) .. number .. s:sub(at + (pick(2) == 1 and #number or 0))
  end,
  function(s, at)
    local i = pick(#OPCODES)
    return s:sub(1, at - 1) .. OPCODES:sub(i, i) .. s:sub(at + pick(2) - 1)
  end,
  function(s, at) -- a number of the text: another one
    local first, last = s:find("%d+", at)
    return first and s:sub(1, first - 1) .. one_of { "0", "-1", "7", "4294967296", "99999999999999999999" }
      .. s:sub(last + 1) or s
  end,
  function(s, at) return pick(4) == 1 and s:sub(1, at) or s end,
}

local function damaged(s)
  for _ = 1, one_of { 1, 1, 1, 2, 3, 8 } do
    if #s > 0 then s = one_of(DAMAGE)(s, pick(#s)) end
  end
  return s
end

-- The entries of an archive.
local function entries_of(bytes)
  return Source.with(Source.of_string("fuzz", bytes, "a fixture"), function(source)
    local archive, items = zip.open(source), {}
    for i, name in ipairs(archive.names) do
      local part = archive:open(name)
      items[i] = { name = name, bytes = part:take(part.size, "an entry") }
    end
    return items
  end)
end

local function archive_of(items)
  local list = {}
  for i, item in ipairs(items) do
    list[i] = { name = item.name, size = #item.bytes, crc = zlib.crc32(item.bytes), chunks = { item.bytes } }
  end
  return sink.bytes(zip.chunks(list))
end

local function damaged_inside(items)
  local which, list = pick(#items), {}
  for i, item in ipairs(items) do
    if item.name:find "data%.pkl$" and pick(2) == 1 then which = i end
  end
  for i, item in ipairs(items) do
    list[i] = i == which and { name = item.name, bytes = damaged(item.bytes) } or item
  end
  return archive_of(list)
end

-- The header of a safetensors file is damaged under a length that is right.
local function damaged_header(bytes)
  local n = 0
  for i = 8, 1, -1 do n = n * 256 + bytes:byte(i) end
  local header, length = damaged(bytes:sub(9, 8 + n)), {}
  local left = #header
  for i = 1, 8 do
    length[i] = string.char(left % 256)
    left = math.floor(left / 256)
  end
  return table.concat(length) .. header .. bytes:sub(9 + n)
end

-- -- Loads ---------------------------------------------------------------------------------------

local function run(format)
  local fixtures, loaded, refused, foreign = {}, 0, 0, 0
  for i, name in ipairs(FORMATS[format]) do
    local bytes = files.bytes(files.folder .. name)
    fixtures[i] = { bytes = bytes, items = (format == "pt" or format == "npz") and entries_of(bytes) or nil }
  end
  kiln.collect()
  local peak, most = kiln.memory().peak_bytes, 0
  for i = 1, COUNT do
    local fixture = one_of(fixtures)
    local whole = fixture.bytes
    local bytes = pick(3) == 1 and damaged(whole) or fixture.items and damaged_inside(fixture.items)
      or format == "safetensors" and damaged_header(whole) or damaged(whole)
    local lua, live = collectgarbage "count", kiln.memory().live_bytes
    local ok, why = pcall(kiln.serialization.loads, bytes)
    local taken = (collectgarbage "count" - lua) * 1024
    local now = kiln.memory().peak_bytes
    if now > peak then taken, peak = math.max(taken, now - live), now end
    most = math.max(most, taken / math.max(#bytes, 1000))
    if ok then
      loaded = loaded + 1
    else
      refused = refused + 1
      if not tostring(why):find "kiln: loads: the bytes: [^\n]*$" then
        foreign = foreign + 1
        print(format, why)
      end
    end
    if i % 100 == 0 then kiln.collect() end
  end
  print(("%s: %d loaded, %d refused, %d in other words, %.0f bytes a byte"):format(format, loaded, refused,
    foreign, most))
end

require("kiln.serialization.torch7").warn = function() end
local formats = { unpack(arg, 3) }
if #formats == 0 then
  for format in pairs(FORMATS) do formats[#formats + 1] = format end
  table.sort(formats)
end
for _, format in ipairs(formats) do run(format) end
