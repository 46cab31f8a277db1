--- x[...] and x[...] = v: positions, slices, new dims, masks and positions in tensors.
--   x[2]  x[-1]                     one position of the first dim, which goes away
--   x[{ 2, { 1, 3 }, {}, { 1, 9, 2 } }]   a position, positions 1 to 3, all, every second
--   x[{ "...", 1 }]  x[kiln.newaxis]      the last dim, a new dim in front
--   x[mask]  x[positions]  x[{ {}, positions }]   bool and int64 tensors
-- Positions, slices and new dims give views; masks and positions give copies.  Assignments write
-- into x and are recorded.  It refuses nested index expressions: a slice holds numbers only.
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local tracing = require "kiln.tracing"

local M = {}

local is_tensor, wrap = handles.is_tensor, handles.wrap
local MAX_DIMS = 8

--- Inserts a dim of size 1 where it stands.
M.newaxis = setmetatable({}, { __name = "newaxis", __tostring = function() return "kiln.newaxis" end })
local newaxis = M.newaxis

local function call(name, ...) return require("kiln.tensor").method(name)(...) end

local function position(v, what)
  v = check.int(v, "index", what)
  if v == 0 then
    check.raise("index", "%s is 0; positions count from 1 (or from the end: -1)", what)
  end
  return v > 0 and v - 1 or v
end

-- -- The part that gives views -------------------------------------------------------------------

local function is_integer(e)
  return type(e) == "number" or (type(e) == "cdata" and not is_tensor(e))
end

-- How many dims of x an entry takes.
local function takes(e)
  if e == newaxis or e == "..." then return 0 end
  if is_tensor(e) then
    local code = C.kiln_tensor_dtype(e.p)
    if code == C.KILN_BOOL or code == C.KILN_UINT8 then return C.kiln_tensor_ndim(e.p) end
  end
  return 1
end

-- Entry i as what the core takes: a 0-based position, { first, last, step }, or what it is.
local function read_entry(e, i)
  if is_integer(e) then return position(e, ("the position at entry %d"):format(i)) end
  if e == newaxis or e == "..." then return e end
  if is_tensor(e) then return check.tensor(e, "index", "an index") end
  if type(e) ~= "table" or getmetatable(e) ~= nil then
    check.raise("index", "entry %d must be a position, a slice { first, last, step }, {} for all, "
      .. "a bool or int64 tensor or kiln.newaxis, got %s", i, check.got(e))
  end
  local n = #e
  if n > 3 or (n == 0 and next(e) ~= nil) then
    check.raise("index", "entry %d: a slice is { first, last, step } or {}, got %s", i, check.got(e))
  end
  if n == 0 then return e end
  local what = ("the slice at entry %d"):format(i)
  local first = position(e[1], what)
  return { first, n > 1 and position(e[2], what) or first, n > 2 and check.int(e[3], "index", what) or 1 }
end

-- Applies the entries of `key` one after the other.  Returns a reference, whether it is ours, and
-- the tensors among the entries with the dim of the view that each stands at.
local function walk(p, key)
  local parts, needed, n, ellipses = {}, 0, #key, 0
  for i = 1, n do
    parts[i] = read_entry(key[i], i)
    needed = needed + takes(parts[i])
    if parts[i] == "..." then ellipses = ellipses + 1 end
  end
  local ndim = C.kiln_tensor_ndim(p)
  if needed > ndim then check.raise("index", "%d positions for a %d-dim tensor", needed, ndim) end
  if ellipses > 1 then check.raise("index", "'...' may stand once only") end
  local owned, d, selectors = false, 0, nil
  for i = 1, n do
    local e, after = parts[i], nil
    if type(e) == "number" then
      after = C.kiln_select(p, d, e)
    elseif e == newaxis then
      after = C.kiln_unsqueeze(p, d)
      d = d + 1
    elseif e == "..." then
      d = d + ndim - needed
    elseif is_tensor(e) then
      selectors = selectors or {}
      selectors[#selectors + 1] = { tensor = e, dim = d + 1 }
      d = d + takes(e)
    else
      if e[1] ~= nil then after = C.kiln_slice(p, d, e[1], e[2], e[3]) end
      d = d + 1
    end
    if after ~= nil then
      if owned then C.kiln_tensor_release(p) end
      p, owned = after, true
    elseif C.kiln_error_code() ~= 0 then
      if owned then C.kiln_tensor_release(p) end
      check.raise_core "index"
    end
  end
  return p, owned, selectors
end

-- Any index but a number, as a list of entries.
local function entries(key)
  if type(key) == "table" and getmetatable(key) == nil then return key end
  if key == newaxis or key == "..." or is_tensor(key) then return { key } end
  check.raise("index", "an index must be a position, a table of them, a bool or int64 tensor or "
    .. "kiln.newaxis, got %s", check.got(key))
end

-- -- Masks and positions in tensors ----------------------------------------------------------------

-- A tensor of the CPU where x is, for an index may come from there.
local function beside(x, t)
  return C.kiln_tensor_device(t.p) == 0 and C.kiln_tensor_device(x.p) > 0 and t:to(x.device) or t
end

-- The int64 positions that the selectors stand for, by dim of x: a mask of k dims becomes k of them.
local function positions_of(x, selectors)
  local list = {}
  for _, s in ipairs(selectors) do
    local t = s.tensor
    local name = t.dtype.name
    if name == "bool" or name == "uint8" then
      for k = 1, t:dim() do
        local n = x:size(s.dim + k - 1)
        if t:size(k) ~= n then
          check.raise("index", "the mask has size %d at dim %d, the tensor has %d", t:size(k), k, n)
        end
      end
      local found = beside(x, call("nonzero", t))
      for k = 1, t:dim() do list[s.dim + k - 1] = found[{ {}, k }] end
    elseif t.dtype.is_floating_point then
      check.raise("index", "a tensor used as an index must be bool or int64, got %s; make it with "
        .. "{ dtype = kiln.int64 }", check.got(t))
    else
      list[s.dim] = beside(x, t:to(dtypes.by_name.int64))
    end
  end
  return list
end

--- The positions that a list of index tensors stands for, one entry a dim of x: masks become positions, an
--- empty table takes a dim whole.
---@param x kiln.Tensor
---@param list any[]
---@return (kiln.Tensor?)[]
function M.positions(x, list, name)
  local selectors, d = {}, 1
  for i, e in ipairs(list) do
    local is_all = type(e) == "table" and getmetatable(e) == nil and next(e) == nil
    if not is_all then
      check.tensor(e, name, ("indices[%d]"):format(i))
      selectors[#selectors + 1] = { tensor = e, dim = d }
    end
    d = d + (is_all and 1 or takes(e))
  end
  if d - 1 > x:dim() then check.raise(name, "indices for %d dims, x has %d", d - 1, x:dim()) end
  return positions_of(x, selectors)
end

-- The mask, when all of x is chosen by one.
local function whole_mask(x, selectors)
  local t = selectors[1].tensor
  local is_whole = #selectors == 1 and C.kiln_tensor_dtype(t.p) == C.KILN_BOOL and t:dim() == x:dim()
  return is_whole and beside(x, t) or nil
end

local function get_selected(x, selectors)
  local mask = whole_mask(x, selectors)
  if mask then return call("masked_select", x, mask) end
  return call("index", x, unpack(positions_of(x, selectors), 1, MAX_DIMS))
end

local function set_selected(x, selectors, value)
  local mask = whole_mask(x, selectors)
  if mask and (not is_tensor(value) or value:dim() == 0) then
    call("masked_fill_", x, mask, value)
  else
    call("index_put_", x, value, unpack(positions_of(x, selectors), 1, MAX_DIMS))
  end
end

-- The value as a tensor of at most the target's dims (leading dims of size 1 are dropped).
local function as_value(v, x)
  if type(v) == "table" then
    v = require("kiln.create").tensor(v, { dtype = x.dtype, device = x.device })
  end
  if is_tensor(v) then
    while v:dim() > x:dim() and v:size(1) == 1 do v = v[1] end
  end
  return v
end

-- -- Reading and writing ------------------------------------------------------------------------

local FAR = 2 ^ 53 -- check.int says what is wrong with a position from there on

-- A position (0-based), when key is one; else nil.
local function plain(key)
  if type(key) == "number" and key % 1 == 0 and key ~= 0 and key < FAR and key > -FAR then
    return key > 0 and key - 1 or key
  end
  if is_integer(key) then return position(key, "the position") end
end

--- x[key]
function M.get(x, key)
  if tracing.mark ~= nil then tracing.mark() end
  local at = plain(key)
  if at ~= nil then
    local p = C.kiln_select(x.p, 0, at)
    if p == nil then check.raise_core "index" end
    return wrap(p)
  end
  local p, owned, selectors = walk(x.p, entries(key))
  local view = wrap(owned and p or C.kiln_tensor_retain(p))
  if not selectors then return view end
  return get_selected(view, selectors)
end

local ASSIGNMENT = C.kiln_writer "an assignment to x[...]"

-- Writes value (a tensor, number or boolean) into what p looks at; nil when it is none of them.
local function write(p, value)
  local status
  if is_tensor(value) then
    status = C.kiln_copy_(p, value.p, 0)
  else
    local n = bind.lend(value)
    if type(n) == "nil" then return nil end
    status = C.kiln_fill_(p, n)
  end
  if status >= 0 then C.kiln_tensor_written(p, ASSIGNMENT) end
  return status
end

--- x[key] = value
function M.set(x, key, value)
  if tracing.mark ~= nil then tracing.mark() end
  if is_tensor(value) then check.tensor(value, "index", "the value assigned") end
  local at, owned = plain(key), true
  local p, selectors
  if at ~= nil then
    p = C.kiln_select(x.p, 0, at)
    if p == nil then check.raise_core "index" end
  else
    p, owned, selectors = walk(x.p, entries(key))
  end
  if selectors or type(value) == "table"
      or is_tensor(value) and C.kiln_tensor_ndim(value.p) > C.kiln_tensor_ndim(p) then
    local view = wrap(owned and p or C.kiln_tensor_retain(p))
    if not selectors or type(value) == "table" then value = as_value(value, view) end
    if selectors then
      set_selected(view, selectors, value)
      return C.kiln_tensor_written(view.p, ASSIGNMENT)
    end
    check.status(write(view.p, value), "index")
    return view:free()
  end
  local status = write(p, value)
  if owned then C.kiln_tensor_release(p) end
  if status == nil then
    check.raise("index", "the value assigned must be a tensor, a number or a table of numbers, got %s",
      check.got(value))
  end
  if status < 0 then check.raise_core "index" end
end

return M
