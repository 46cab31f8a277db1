--- JSON, as strict as the headers of safetensors files need it.
-- kiln's core depends on no other rock, so it has this reader of its own.  It takes RFC 8259 and
-- nothing else: valid UTF-8, no comments, no trailing commas, no key twice, nesting to DEPTH.  Objects are
-- plain tables, arrays are tables that is_array() knows, null is json.null.  It refuses to guess:
-- decode() returns nil and what is wrong at which byte.
local M = {}

local DEPTH = 64

local Array = {}

--- Marks a list as an array, which matters for an empty one.
function M.array(list) return setmetatable(list, Array) end
function M.is_array(v) return getmetatable(v) == Array end
--- A table that decode() made of an object.
function M.is_object(v) return type(v) == "table" and getmetatable(v) == nil and v ~= M.null end

M.null = setmetatable({}, { __tostring = function() return "null" end })

-- -- UTF-8 -------------------------------------------------------------------------------------

-- Lead byte: the continuation bytes that follow, and the range of the first of them.
local function sequence(lead)
  if lead >= 0xc2 and lead <= 0xdf then return 1, 0x80, 0xbf end
  if lead >= 0xe0 and lead <= 0xef then
    return 2, lead == 0xe0 and 0xa0 or 0x80, lead == 0xed and 0x9f or 0xbf
  end
  if lead >= 0xf0 and lead <= 0xf4 then
    return 3, lead == 0xf0 and 0x90 or 0x80, lead == 0xf4 and 0x8f or 0xbf
  end
end

--- The position of the first byte, from a position on, that is not UTF-8, or nil.
---@param s string
---@param from? integer
---@return integer?
function M.bad_utf8(s, from)
  local at = s:find("[\128-\255]", from)
  while at do
    local more, low, high = sequence(s:byte(at))
    if not more then return at end
    for i = 1, more do
      local b = s:byte(at + i)
      if not b or b < low or b > high then return at end
      low, high = 0x80, 0xbf
    end
    at = s:find("[\128-\255]", at + more + 1)
  end
end

local function utf8_of(code)
  local char, floor = string.char, math.floor
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xc0 + floor(code / 64), 0x80 + code % 64) end
  if code < 0x10000 then
    return char(0xe0 + floor(code / 4096), 0x80 + floor(code / 64) % 64, 0x80 + code % 64)
  end
  return char(0xf0 + floor(code / 262144), 0x80 + floor(code / 4096) % 64, 0x80 + floor(code / 64) % 64,
    0x80 + code % 64)
end

-- -- Reading -----------------------------------------------------------------------------------

local function wrong(at, format, ...)
  error({ json = format:format(...) .. (" at byte %d"):format(at) }, 0)
end

local function skip(s, at) return (s:find("[^ \t\r\n]", at)) or #s + 1 end

local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r",
  t = "\t" }

local function unicode_escape(s, at) -- at: of the 'u'; returns text and the next position
  local hex = s:match("^%x%x%x%x", at + 1)
  if not hex then wrong(at, "a bad \\u escape") end
  local code = tonumber(hex, 16)
  if code >= 0xdc00 and code <= 0xdfff then wrong(at, "half a surrogate pair") end
  if code < 0xd800 or code > 0xdbff then return utf8_of(code), at + 5 end
  local low = tonumber(s:match("^\\u(%x%x%x%x)", at + 5) or "0", 16)
  if low < 0xdc00 or low > 0xdfff then wrong(at, "half a surrogate pair") end
  return utf8_of(0x10000 + (code - 0xd800) * 0x400 + low - 0xdc00), at + 11
end

local function read_string(s, at) -- at: behind the opening quote
  local parts = {}
  while true do
    local stop = s:find('["\\%c]', at)
    if not stop then wrong(at, "a string without an end") end
    parts[#parts + 1] = s:sub(at, stop - 1)
    local c = s:sub(stop, stop)
    if c == '"' then return table.concat(parts), stop + 1 end
    if c == "\127" then
      parts[#parts + 1] = c
      at = stop + 1
    elseif c ~= "\\" then
      wrong(stop, "a control character in a string")
    else
      local e = s:sub(stop + 1, stop + 1)
      if e == "u" then
        parts[#parts + 1], at = unicode_escape(s, stop + 1)
      elseif ESCAPES[e] then
        parts[#parts + 1], at = ESCAPES[e], stop + 2
      else
        wrong(stop, "a bad escape in a string")
      end
    end
  end
end

local function read_number(s, at)
  local stop = select(2, s:find("^%-?%d+", at))
  if not stop or s:find("^%-?0%d", at) then wrong(at, "a bad number") end
  stop = select(2, s:find("^%.%d+", stop + 1)) or stop
  stop = select(2, s:find("^[eE][+-]?%d+", stop + 1)) or stop
  return tonumber(s:sub(at, stop)), stop + 1
end

local read_value

local function read_array(s, at, depth)
  local list, n = M.array {}, 0
  at = skip(s, at)
  if s:sub(at, at) == "]" then return list, at + 1 end
  while true do
    n = n + 1
    list[n], at = read_value(s, at, depth)
    at = skip(s, at)
    local c = s:sub(at, at)
    if c == "]" then return list, at + 1 end
    if c ~= "," then wrong(at, "neither ',' nor ']' in an array") end
    at = at + 1
  end
end

local function read_object(s, at, depth)
  local object = {}
  at = skip(s, at)
  if s:sub(at, at) == "}" then return object, at + 1 end
  while true do
    at = skip(s, at)
    if s:sub(at, at) ~= '"' then wrong(at, "no key in an object") end
    local key, behind = read_string(s, at + 1)
    if object[key] ~= nil then wrong(at, "a key that stands twice") end
    at = skip(s, behind)
    if s:sub(at, at) ~= ":" then wrong(at, "no ':' behind a key") end
    object[key], at = read_value(s, at + 1, depth)
    at = skip(s, at)
    local c = s:sub(at, at)
    if c == "}" then return object, at + 1 end
    if c ~= "," then wrong(at, "neither ',' nor '}' in an object") end
    at = at + 1
  end
end

local WORDS = { t = { "true", true }, f = { "false", false }, n = { "null", M.null } }

function read_value(s, at, depth)
  at = skip(s, at)
  local c = s:sub(at, at)
  if c == '"' then return read_string(s, at + 1) end
  if c == "[" or c == "{" then
    if depth >= DEPTH then wrong(at, "nesting deeper than %d", DEPTH) end
    return (c == "[" and read_array or read_object)(s, at + 1, depth + 1)
  end
  local word = WORDS[c]
  if word and s:sub(at, at + #word[1] - 1) == word[1] then return word[2], at + #word[1] end
  if c:find "[%-%d]" then return read_number(s, at) end
  wrong(at, at > #s and "the end where a value should be" or "no value")
end

--- The value of a JSON text, or nil and what is wrong with it.
---@param text string
---@return any value
---@return string? why
function M.decode(text)
  local bad = M.bad_utf8(text)
  if bad then return nil, ("bytes that are not UTF-8 at byte %d"):format(bad) end
  local ok, value, at = pcall(read_value, text, 1, 0)
  if not ok then
    if type(value) ~= "table" or not value.json then error(value, 0) end
    return nil, value.json
  end
  at = skip(text, at)
  if at <= #text then return nil, ("more text behind the value at byte %d"):format(at) end
  return value
end

-- -- Writing -----------------------------------------------------------------------------------

local SHORT = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
local function escape(c) return SHORT[c] or ("\\u%04x"):format(c:byte()) end

--- A valid UTF-8 string in quotes.
function M.quote(s) return '"' .. s:gsub('[%c"\\]', escape) .. '"' end

local function write(v, out)
  local kind = type(v)
  if v == M.null then out[#out + 1] = "null"
  elseif kind == "string" then out[#out + 1] = M.quote(v)
  elseif kind == "number" then out[#out + 1] = ("%.17g"):format(v)
  elseif kind == "boolean" then out[#out + 1] = tostring(v)
  elseif M.is_array(v) then
    out[#out + 1] = "["
    for i = 1, #v do
      if i > 1 then out[#out + 1] = "," end
      write(v[i], out)
    end
    out[#out + 1] = "]"
  else
    local keys = {}
    for key in pairs(v) do keys[#keys + 1] = key end
    table.sort(keys)
    out[#out + 1] = "{"
    for i, key in ipairs(keys) do
      out[#out + 1] = (i > 1 and "," or "") .. M.quote(key) .. ":"
      write(v[key], out)
    end
    out[#out + 1] = "}"
  end
end
jit.off(write)

--- The text of a value made of strings (UTF-8), finite numbers, booleans, json.null, arrays and plain
--- tables, whose keys are sorted: the same value gives the same text.
function M.encode(value)
  local out = {}
  write(value, out)
  return table.concat(out)
end

return M
