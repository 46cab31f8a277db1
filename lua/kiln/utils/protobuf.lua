--- Messages in the wire format of protocol buffers, written field by field; each function returns bytes, and
-- a message is its fields joined.  It refuses to read, and to know any schema.
local ffi = require "ffi"
local bad_utf8 = require("kiln.serialization.json").bad_utf8

local M = {}

local VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
local SEVEN_BITS, ZERO = 128ULL, 0ULL

local function varint(v)
  local u, out = ffi.cast("uint64_t", ffi.cast("int64_t", v)), {}
  repeat
    local low = tonumber(u % SEVEN_BITS)
    u = u / SEVEN_BITS
    out[#out + 1] = string.char(u > ZERO and low + 128 or low)
  until u == ZERO
  return table.concat(out)
end

local function key(field, kind) return varint(field * 8 + kind) end

local double, float = ffi.typeof "double[1]", ffi.typeof "float[1]"

--- int32, int64, uint64, bool (as 0 and 1) and enums; negative ones too.
function M.int(field, v) return key(field, VARINT) .. varint(v) end

function M.double(field, v) return key(field, FIXED64) .. ffi.string(double(v), 8) end

function M.float(field, v) return key(field, FIXED32) .. ffi.string(float(v), 4) end

--- Bytes, or a message inside.
function M.bytes(field, s) return key(field, BYTES) .. varint(#s) .. s end

--- A string. One that is not UTF-8 would make readers refuse the whole message, so U+FFFD takes the place of
--- each byte that is none.
function M.text(field, s)
  local parts, from, at = {}, 1, bad_utf8(s)
  while at do
    parts[#parts + 1] = s:sub(from, at - 1)
    from, at = at + 1, bad_utf8(s, at + 1)
  end
  parts[#parts + 1] = s:sub(from)
  return M.bytes(field, table.concat(parts, "\239\191\189"))
end

local function packed(kind, width)
  return function(field, list)
    local n = #list
    return M.bytes(field, ffi.string(ffi.new(kind, math.max(n, 1), list), n * width))
  end
end

--- Packed lists.
M.doubles, M.floats = packed("double[?]", 8), packed("float[?]", 4)

return M
