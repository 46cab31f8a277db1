--- Tensors as text, the way the reference prints them: aligned columns, scientific notation where
-- the magnitudes differ too much, large tensors summarised at their edges.
-- It reads memory through strides, one element at a time, and refuses to call any op.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"
local libc = require "kiln.utils.libc"

local M = {}

local band = require("bit").band
local NOT_SIGN, INFINITY = 0x7fffffffffffffffLL, 0x7ff0000000000000LL -- of the bits of a double

local DEFAULTS = { precision = 4, threshold = 1000, edgeitems = 3 }
local PROFILES = {
  default = DEFAULTS,
  short = { precision = 2, threshold = 1000, edgeitems = 2 },
  full = { precision = 4, threshold = math.huge, edgeitems = 3 },
}
local WIDTH = 80

local options = DEFAULTS -- never changed, only replaced

local NUMBERS = { "precision", "threshold", "edgeitems", "linewidth" }
local KNOWN = { precision = 1, threshold = 1, edgeitems = 1, linewidth = 1, sci_mode = 1, profile = 1 }

-- How wide lines are when no linewidth was set.
local function default_width() return WIDTH end

local function linewidth() return options.linewidth or default_width() end

--- From now on the width of lines, where none was set, is what a function says.
---@param columns fun(): integer
function M.follow_width(columns) default_width = columns end

--- How tensors are printed: precision (digits behind the point), threshold (more elements than this
--- are summarised), edgeitems (how many at each end of a summary), linewidth (80; the terminal's at the
--- prompt), sci_mode (true, false, or nil: as needed), profile ("default", "short", "full").
---@param opts table
function M.set_printoptions(opts)
  local name = "set_printoptions"
  opts = check.options(opts, KNOWN, name)
  local from = options
  if opts.profile ~= nil then
    from = PROFILES[opts.profile]
    if not from then
      check.raise(name, "profile must be 'default', 'short' or 'full', got %s", check.got(opts.profile))
    end
  end
  local new = { sci_mode = from.sci_mode }
  if opts.sci_mode ~= nil then new.sci_mode = check.bool(opts.sci_mode, name, "sci_mode") end
  for _, k in ipairs(NUMBERS) do
    local v = opts[k]
    if v == nil then
      v = from[k]
    elseif k ~= "threshold" or v ~= math.huge then
      v = check.int(v, name, k)
    end
    local least = (k == "precision" or k == "threshold") and 0 or 1
    if v and (v < least or (k == "precision" and v > 50)) then
      check.raise(name, "%s cannot be %.14g", k, v)
    end
    new[k] = v
  end
  options = new
end

-- -- Elements ----------------------------------------------------------------------------------

-- The elements of a tensor as Lua numbers, booleans or int64, read where they lie (a tensor of an
-- accelerator is copied first).
local function reader(x)
  local host = x
  if C.kiln_tensor_device(x.p) ~= 0 then host = x:detach():cpu() end
  local code = C.kiln_tensor_dtype(host.p)
  local dtype = dtypes.by_code[code]
  local data = ffi.cast("char *", C.kiln_tensor_data(host.p))
  local r = { host = host, shape = host:size(), stride = host:stride(), dtype = dtype }
  local value = ffi.new "union { double real; int64_t integer; }"
  local to = dtype.is_floating_point and C.KILN_FLOAT64 or C.KILN_INT64
  function r.at(offset)
    C.kiln_convert(value, to, data + offset * dtype.itemsize, code, 1)
    if dtype.is_floating_point then
      -- The bits of a NaN from elsewhere could be taken for a Lua value: do not load them.
      if band(value.integer, NOT_SIGN) > INFINITY then return 0 / 0 end
      return value.real
    end
    if dtype.name == "bool" then return value.integer ~= 0 end
    return value.integer
  end
  return r
end

-- Which of 0..n - 1 are shown: all, or the first and last few with a gap between.
local function shown(n, summarise)
  local e = options.edgeitems
  local from, to = n, n
  if summarise and n > 2 * e then from, to = e, n - e end
  return function(_, i)
    i = i + 1
    if i == from then i = to end
    if i % 1024 == 0 then check.poll() end
    if i < n then return i end
  end, nil, -1
end

-- Calls visit(offset) for every element that will be shown.
local function each(r, d, offset, summarise, visit)
  local n = r.shape[d]
  if n == nil then return visit(offset) end
  for i in shown(n, summarise) do each(r, d + 1, offset + i * r.stride[d], summarise, visit) end
end

-- -- How one element looks ------------------------------------------------------------------------

local function special(v)
  if v ~= v then return "nan" end
  if v == math.huge then return "inf" end
  if v == -math.huge then return "-inf" end
end

-- A function from element to text, all of one width.
local function float_texts(values)
  local high, low, whole = 0, math.huge, true
  for _, v in ipairs(values) do
    local a = math.abs(v)
    if v == v and a ~= math.huge and a ~= 0 then
      high, low = math.max(high, a), math.min(low, a)
      if v ~= math.floor(v) then whole = false end
    end
  end
  local scientific = high > 0 and (high / low > 1000 or high > 1e8 or (not whole and low < 1e-4))
  if high > 0 and options.sci_mode ~= nil then scientific = options.sci_mode end
  local format = ("%%.%d%s"):format(options.precision, scientific and "e" or "f")
  if whole and not scientific then format = "%.0f." end
  return function(v) return special(v) or libc.number(format, v) end
end

local function integer_text(v)
  if type(v) == "cdata" then return (tostring(v):gsub("U?LL$", "")) end
  return tostring(v)
end

local function formatter(r, summarise)
  local values = {}
  each(r, 1, 0, summarise, function(offset) values[#values + 1] = r.at(offset) end)
  local text = r.dtype.is_floating_point and float_texts(values) or integer_text
  local width = 1
  for k, v in ipairs(values) do
    if k % 1024 == 0 then check.poll() end
    -- As in the reference, zeros and what is not finite do not widen columns of floats.
    local counts = not r.dtype.is_floating_point or (v - v == 0 and v ~= 0)
    if counts then width = math.max(width, #text(v)) end
  end
  return function(v)
    local s = text(v)
    return (" "):rep(width - #s) .. s
  end, width
end

-- -- Layout ------------------------------------------------------------------------------------

local function row(r, d, offset, indent, summarise, text, width)
  local items, before = {}, -1
  for i in shown(r.shape[d], summarise) do
    if i > before + 1 then items[#items + 1] = " ..." end
    items[#items + 1] = text(r.at(offset + i * r.stride[d]))
    before = i
  end
  local a_line = math.max(1, math.floor((linewidth() - indent) / (width + 2)))
  local lines = {}
  for i = 1, #items, a_line do
    lines[#lines + 1] = table.concat(items, ", ", i, math.min(#items, i + a_line - 1))
  end
  return "[" .. table.concat(lines, ",\n" .. (" "):rep(indent + 1)) .. "]"
end

local function block(r, d, offset, indent, summarise, text, width)
  local ndim = #r.shape
  if ndim == 0 then return text(r.at(0)) end
  if d == ndim then return row(r, d, offset, indent, summarise, text, width) end
  local parts, before = {}, -1
  for i in shown(r.shape[d], summarise) do
    if i > before + 1 then parts[#parts + 1] = "..." end
    parts[#parts + 1] = block(r, d + 1, offset + i * r.stride[d], indent + 1, summarise, text, width)
    before = i
  end
  return "[" .. table.concat(parts, "," .. ("\n"):rep(ndim - d) .. (" "):rep(indent + 1)) .. "]"
end

local function suffixes(x, r)
  local list = {}
  if C.kiln_tensor_device(x.p) ~= 0 then
    list[#list + 1] = "device='" .. devices.of(C.kiln_tensor_device(x.p)) .. "'"
  end
  local empty = C.kiln_tensor_numel(x.p) == 0
  if empty and #r.shape ~= 1 then list[#list + 1] = "size=" .. tostring(r.shape) end
  local name = r.dtype.name
  local implied = r.dtype == dtypes.get_default() or (name == "int64" or name == "bool") and not empty
  if not implied then list[#list + 1] = "dtype=" .. tostring(r.dtype) end
  local node = C.kiln_peek_node(x.p)
  if node ~= nil then
    list[#list + 1] = "grad_fn=<" .. ffi.string(C.kiln_node_name(node)) .. ">"
  elseif C.kiln_requires_grad(x.p) then
    list[#list + 1] = "requires_grad=true"
  end
  if C.kiln_is_volatile(x.p) then list[#list + 1] = "volatile=true" end
  return list
end

M.linewidth = linewidth

--- The text that print(x) shows.
---@param x kiln.Tensor
---@return string
function M.tostring(x)
  if x.p == nil then return "tensor(freed)" end
  local prefix = "tensor("
  local r = reader(x)
  local n = x:numel()
  local text = "[]"
  if n > 0 then
    local summarise = n > options.threshold
    local one, width = formatter(r, summarise)
    text = block(r, 1, 0, #prefix, summarise, one, width)
  end
  local out = prefix .. text
  local last = #out:match "[^\n]*$" + 2
  for _, s in ipairs(suffixes(x, r)) do
    if last + #s + 2 > linewidth() then
      out = out .. ",\n" .. (" "):rep(#prefix) .. s
      last = #prefix + #s
    else
      out = out .. ", " .. s
      last = last + #s + 2
    end
  end
  return out .. ")"
end

return M
