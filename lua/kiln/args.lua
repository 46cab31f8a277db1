--- The slow road of an op call: option tables, spread lists, unusual values, and every mistake.
-- The functions that bind.lua generates take plain positional arguments and come here with
-- whatever else they meet.  Here a call is turned into that plain form and run again, or refused
-- with a message that names the argument.  It refuses to call C.
local check = require "kiln.check"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local kinds = require "kiln.kinds"
local modes = require "kiln.modes"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = {}

local MAX_LIST = 16
M.MAX_LIST = MAX_LIST
local TENSOR, LIST = kinds.one_tensor, kinds.numbers

--- True for a table with named entries and nothing else about it: options, not a list or object.
local function is_options(v)
  return type(v) == "table" and getmetatable(v) == nil and v[1] == nil and next(v) ~= nil
end
M.is_options = is_options

--- A copy of a table of options, but for the one named `key`, which has `value` (nil: it is left out).
---@param options table
---@param key any
---@param value any
---@return table
function M.with(options, key, value)
  local copy = {}
  for k, v in pairs(options) do copy[k] = v end
  copy[key] = value
  return copy
end
jit.on(is_options) -- loops over constructors ask it

-- `dim` and `dims` name the same thing, whichever the row says.
local SYNONYM = { dim = "dims", dims = "dim", size = "shape", shape = "size", other = "y", input = "x" }

local function find(row, key)
  for i, a in ipairs(row.parsed) do if a.name == key then return i end end
  local other = SYNONYM[key]
  for i, a in ipairs(row.parsed) do if other and a.name == other then return i end end
end

--- True when every key of the table `v` names an argument of this binding's row, or `out`: how
--- options are told from a value where any value is allowed.
function M.are_options(b, v)
  if not is_options(v) then return false end
  for key in pairs(v) do
    local known = key == "out" and b.has_out or b.row.with and b.row.with[key] or find(b.row, key)
    if type(key) ~= "string" or not known then
      return false
    end
  end
  return true
end

local function known_options(row, has_out)
  local names = {}
  for i = 2, #row.parsed do names[#names + 1] = row.parsed[i].name end
  for key in pairs(row.with or {}) do names[#names + 1] = key end
  if has_out then names[#names + 1] = "out" end
  return names
end

-- -- One value ---------------------------------------------------------------------------------

-- A tensor of one element may stand for its number, unless a gradient would be lost.
local function number_of(v, name, argument)
  if not check.is_tensor(v) or v.p == nil or v:numel() ~= 1 then return v end
  if v.requires_grad and modes.is_grad_enabled() then
    check.raise(name, "%s is a tensor that requires grad, and has no gradient here; give its item(), or "
      .. "detach it", argument)
  end
  return v:item()
end

local function whole(v, name, argument) return check.int(number_of(v, name, argument), name, argument) end

local function position(v, name, argument)
  v = whole(v, name, argument)
  if v == 0 then
    check.raise(name, "%s is 0; %s", argument, "positions count from 1 (or from the end: -1)")
  end
  return v
end

local function list(v, name, a)
  if type(v) == "number" or type(v) == "cdata" then v = { v } end
  if type(v) ~= "table" then
    check.raise(name, "%s must be a list of whole numbers, got %s", a.name, check.got(v))
  end
  if #v == 0 and next(v) ~= nil then
    check.raise(name, "%s must be a list of whole numbers, got a table with the key '%s'", a.name,
      tostring(next(v)))
  end
  if #v > MAX_LIST then
    check.raise(name, "%s has %d entries, at most %d are possible", a.name, #v, MAX_LIST)
  end
  local one = a.kind == "axes" and position or whole
  local out = {}
  for i = 1, #v do out[i] = one(v[i], name, ("%s[%d]"):format(a.name, i)) end
  return out
end

local function scalar(v)
  local kind = type(v)
  return kind == "number" or kind == "boolean"
    or (kind == "cdata" and tostring(v):find "^%-?%d+U?LL$" ~= nil)
end

local function tensor(v, name, a)
  if check.is_tensor(v) then return check.tensor(v, name, a.name) end
  if a.no_number and scalar(v) then
    check.raise(name, "%s must be a tensor, got %s; as a method it is called with a colon: x:%s(...)", a.name,
      check.got(v), name)
  end
  if (a.kind == "tensor" or a.kind == "raw") and scalar(v) then return v end
  check.raise(name, "%s must be a tensor%s, got %s", a.name,
    a.kind == "index" and " of int64 positions" or a.kind == "host" and " of int64"
    or a.kind == "mask" and " of bool"
    or " or a number", check.got(v))
end

local function tensors(v, name, a)
  if type(v) ~= "table" or getmetatable(v) ~= nil or #v == 0 and next(v) ~= nil then
    check.raise(name, "%s must be a list of tensors, got %s", a.name, check.got(v))
  end
  for i = 1, #v do check.tensor(v[i], name, ("%s[%d]"):format(a.name, i)) end
  return v
end

local function word(v, name, a)
  for _, w in ipairs(a.words) do if w == v then return v end end
  check.raise(name, "%s must be '%s', got %s", a.name, table.concat(a.words, "' or '"),
    check.got(v))
end

local function number(v, name, a)
  return check.number(number_of(v, name, a.name), name, a.name)
end

-- Where a row says what its numbers mean as tensors, they stay tensors.
local function number_or_tensor(v, name, a)
  if check.is_tensor(v) then return check.tensor(v, name, a.name) end
  return number(v, name, a)
end

local CANONICAL = {
  list = tensors,
  axis = function(v, name, a) return position(v, name, a.name) end,
  position = function(v, name, a) return position(v, name, a.name) end,
  int = function(v, name, a) return whole(v, name, a.name) end,
  bool = function(v, name, a) return check.bool(v, name, a.name) end,
  dtype = function(v, name, a) return dtypes.by_code[check.dtype(v, name, a.name)] end,
  device = function(v, name, a) return devices.of(check.device(v, name, a.name)) end,
  number = number, word = word,
  any = function(v) return v end,
}
for kind in pairs(TENSOR) do CANONICAL[kind] = tensor end
for kind in pairs(LIST) do CANONICAL[kind] = list end

local function missing(row, name, i, first)
  local hint = ""
  if i == 1 or not check.is_tensor(first) then
    if row.is_method then hint = ("; as a method it is called with a colon: x:%s()"):format(name) end
  end
  check.raise(name, "%s is missing%s", row.parsed[i].name, hint)
end

-- -- A whole call ------------------------------------------------------------------------------

--- May argument `a` be left out?
function M.may_be_nil(a)
  return a.optional or a.has_default or a.kind == "any" and a.optional ~= false
end

-- x:view(2, 3): numbers at the end of the call are one list.
local function gather(row, given, n, name)
  local last = #row.parsed
  if n <= last or not LIST[row.parsed[last].kind] then return n end
  local values = {}
  for i = last, n do
    if given[i] == nil then
      check.raise(name, "%s[%d] is nil", row.parsed[last].name, i - last + 1)
    end
    values[#values + 1] = given[i]
    given[i] = nil
  end
  if type(values[1]) == "table" then
    check.raise(name, "takes at most %d arguments, got %d", last, n)
  end
  given[last] = values
  return last
end

-- kiln.meshgrid(x, y): tensors at the beginning of the call are one list, where the row says so.
local function gather_tensors(row, given, n, name)
  if not row.spread or not check.is_tensor(given[1]) then return n end
  local k = 1
  while k < n and check.is_tensor(given[k + 1]) do k = k + 1 end
  if k > MAX_LIST then check.raise(name, "more than %d tensors are given in a list", MAX_LIST) end
  local rest = { { unpack(given, 1, k) }, unpack(given, k + 1, n) }
  for i = 1, n do given[i] = rest[i] end
  return n - k + 1
end

-- Moves the entries of an option table to their arguments.  Returns the `out` option, and those that
-- row.with knows, a list of { name, value }, or nil.
local function spread_options(row, given, options, n, name, has_out)
  local out, special
  for key, value in pairs(options) do
    local i = type(key) == "string" and find(row, key)
    if i then
      if i <= n and given[i] ~= nil then check.raise(name, "%s is given twice", key) end
      given[i] = value
    elseif key == "out" and has_out then
      out = value
    elseif row.with and row.with[key] then
      special = special or {}
      special[#special + 1] = { name = key, value = value }
    else
      check.unknown_option(name, key, known_options(row, has_out))
    end
  end
  return out, special
end

-- Is `v`, given where an argument of this kind stands (nil: behind the last one), options?
local function holds_options(b, v, kind)
  if type(v) ~= "table" or getmetatable(v) ~= nil then return false end
  if kind == "any" then return M.are_options(b, v) end
  if next(v) == nil then return not (LIST[kind] or kind == "list") end
  return is_options(v)
end

--- Turns the arguments of a call into plain positional ones.
---@param b table  the binding: row, name (what the user called), inplace, has_out
---@param given table  the arguments; changed
---@param n integer  how many the caller may have given
---@return table given, any out, boolean with_tensors, table? special  with_tensors: a number is a tensor, and
--- row.with_tensors takes the call; special: the options that row.with is called for, the innermost first
function M.canonical(b, given, n)
  local row, name = b.row, b.name
  while n > 0 and given[n] == nil do n = n - 1 end
  n = gather_tensors(row, given, n, name)
  local out, special
  local last = given[n]
  if holds_options(b, last, row.parsed[n] and row.parsed[n].kind) then
    given[n] = nil
    n = n - 1
    n = gather(row, given, n, name)
    out, special = spread_options(row, given, last, n, name, b.has_out)
  else
    n = gather(row, given, n, name)
  end
  local want = #row.parsed
  if n > want then check.raise(name, "takes at most %d arguments, got %d", want, n) end
  local with_tensors = false
  for i = 1, want do
    local a, v = row.parsed[i], given[i]
    if b.inplace and i == 1 then
      given[1] = check.tensor(v, name, v == nil and "self" or a.name)
    elseif (type(v) == "string" or dtypes.is_dtype(v)) and row.with and row.with[a.name] then
      given[i], special = nil, special or {}
      table.insert(special, 1, { name = a.name, value = v })
    elseif v ~= nil and a.kind == "number" and row.with_tensors then
      given[i] = number_or_tensor(v, name, a)
      with_tensors = with_tensors or check.is_tensor(v)
    elseif v ~= nil then
      given[i] = CANONICAL[a.kind](v, name, a)
    elseif not M.may_be_nil(a) then
      missing(row, name, i, given[1])
    end
  end
  return given, out, with_tensors, special
end

return M
