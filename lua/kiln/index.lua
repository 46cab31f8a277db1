--- x[...] and x[...] = v: positions, slices, new dims, masks and positions in tensors.
--   x[2]  x[-1]                     one position of the first dim, which goes away
--   x[{ 2, { 1, 3 }, {}, { 1, 9, 2 } }]   a position, positions 1 to 3, all, every second
--   x[{ "...", 1 }]  x[kiln.newaxis]      the last dim, a new dim in front
--   x[mask]  x[positions]  x[{ {}, positions }]   bool and int64 tensors
-- Positions, slices and new dims give views; masks and positions give copies.  Assignments write
-- into x and are recorded.  It refuses nested index expressions: a slice holds numbers only.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local bind = require "kiln.bind"
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local handles = require "kiln.handles"
local size = require "kiln.size"
local tracing = require "kiln.tracing"

local M = {}

local Handle, istype, wrap = handles.Handle, ffi.istype, handles.wrap

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
  return type(e) == "number" or (type(e) == "cdata" and not istype(Handle, e))
end

-- How many dims of x an entry takes.
local function takes(e)
  if e == newaxis or e == "..." then return 0 end
  if istype(Handle, e) then
    local code = C.kiln_tensor_dtype(e.p)
    if code == C.KILN_BOOL or code == C.KILN_UINT8 then return C.kiln_tensor_ndim(e.p) end
  end
  return 1
end

-- Entry i as what the core takes: a 0-based position, { first, last, step }, or what it is.
local function read_entry(e, i)
  if is_integer(e) then return position(e, ("the position at entry %d"):format(i)) end
  if e == newaxis or e == "..." then return e end
  if istype(Handle, e) then return check.tensor(e, "index", "an index") end
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
    elseif istype(Handle, e) then
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
  if key == newaxis or key == "..." or istype(Handle, key) then return { key } end
  check.raise("index", "an index must be a position, a table of them, a bool or int64 tensor or "
    .. "kiln.newaxis, got %s", check.got(key))
end

-- -- Masks and positions in tensors ----------------------------------------------------------------

local function numbers(v, dtype, device)
  return require("kiln.create").tensor(v, { dtype = dtype, device = device })
end

-- Selectors as int64 positions: a mask of k dims becomes k of them.  Positions from the end are
-- turned into positions from the start of a dim of x.
local function positions_of(x, selectors)
  local list = {}
  for _, s in ipairs(selectors) do
    local t = s.tensor
    local dtype = t.dtype
    if dtype.name == "bool" or dtype.name == "uint8" then
      for k = 1, t:dim() do
        if t:size(k) ~= x:size(s.dim + k - 1) then
          check.raise("index", "the mask has size %d at dim %d, the tensor has %d", t:size(k), k,
            x:size(s.dim + k - 1))
        end
      end
      local found = call("nonzero", dtype.name == "bool" and t or t:ne(0))
      for k = 1, t:dim() do
        list[#list + 1] = { at = found[{ {}, k }], dim = s.dim + k - 1 }
      end
    elseif dtype.name == "int64" or dtype.name == "int32" or dtype.name == "int16"
      or dtype.name == "int8" then
      local at = t:to(dtypes.by_name.int64)
      local n = x:size(s.dim)
      at = bind.fn "where"(at:lt(0), at + (n + 1), at)
      list[#list + 1] = { at = at, dim = s.dim, n = n }
    else
      check.raise("index", "a tensor used as an index must be bool or int64, got %s; make it with "
        .. "{ dtype = kiln.int64 }", check.got(t))
    end
  end
  return list
end

local function same_dims(a, b)
  local i, j = #a, #b
  local out = {}
  for k = math.max(i, j), 1, -1 do
    local m, n = a[i] or 1, b[j] or 1
    if m ~= n and m ~= 1 and n ~= 1 then return nil end
    out[k] = math.max(m, n)
    if m == 0 or n == 0 then out[k] = 0 end
    i, j = i - 1, j - 1
  end
  return out
end

-- What an index with tensors means: `list` with positions expanded to one shape, that shape, and
-- the dims of x that stay.  `lead`: the dim of the result at which the shape goes in.
local function plan(x, selectors)
  local list = positions_of(x, selectors)
  local shape = {}
  for _, e in ipairs(list) do
    local joined = same_dims(shape, e.at:size())
    if not joined then
      check.raise("index", "the tensors used as an index have shapes %s and %s, which do not broadcast",
        tostring(size.new(shape)), check.shape_text(e.at))
    end
    shape = joined
  end
  local taken, rest, adjacent = {}, {}, true
  for i, e in ipairs(list) do
    e.at = e.at:expand(shape)
    taken[e.dim] = true
    if i > 1 and e.dim ~= list[i - 1].dim + 1 then adjacent = false end
    if e.n and e.at:numel() > 0 and #list > 1 then -- one joint position would hide this
      local bad = bind.fn "where"(e.at:lt(1), e.at, e.at - e.n)
      local low, high = e.at:min():item(), bad:max():item()
      if low < 1 or high > 0 then
        check.raise("index", "position %d is out of range for dim %d of size %d",
          low < 1 and low or high + e.n, e.dim, e.n)
      end
    end
  end
  for d = 1, x:dim() do if not taken[d] then rest[#rest + 1] = d end end
  return { list = list, shape = shape, rest = rest, lead = adjacent and list[1].dim or 1 }
end

-- The dims of `n_shape + n_rest` dims, with the first n_shape of them moved to `lead`.
local function placed(n_shape, n_rest, lead)
  local order = {}
  for d = 1, lead - 1 do order[#order + 1] = n_shape + d end
  for d = 1, n_shape do order[#order + 1] = d end
  for d = lead, n_rest do order[#order + 1] = n_shape + d end
  return order
end

local function get_selected(x, selectors)
  local t = selectors[1].tensor
  if #selectors == 1 and t.dtype.name == "bool" and t:dim() == x:dim() then
    return call("masked_select", x, t)
  end
  local p = plan(x, selectors)
  local order, joint, lead_size = {}, nil, 1
  for _, e in ipairs(p.list) do
    order[#order + 1] = e.dim
    local n = x:size(e.dim)
    joint = joint and (joint - 1) * n + e.at or e.at
    lead_size = lead_size * n
  end
  local out_shape, flat_shape = {}, { lead_size }
  for _, n in ipairs(p.shape) do out_shape[#out_shape + 1] = n end
  for _, d in ipairs(p.rest) do
    order[#order + 1] = d
    out_shape[#out_shape + 1] = x:size(d)
    flat_shape[#flat_shape + 1] = x:size(d)
  end
  local flat = x:permute(order):contiguous():view(flat_shape)
  local picked = call("index_select", flat, 1, joint:contiguous():view(joint:numel()))
  return picked:view(out_shape):permute(placed(#p.shape, #p.rest, p.lead))
end

-- The value as a tensor of at most the target's dims (leading dims of size 1 are dropped).
local function as_value(v, x, ndim)
  if type(v) == "table" then v = numbers(v, x.dtype, x.device) end
  if not istype(Handle, v) then return v end
  check.tensor(v, "index", "the value assigned")
  while v:dim() > ndim and v:size(1) == 1 do v = v[1] end
  return v
end

local function set_selected(x, selectors, value)
  local t = selectors[1].tensor
  local scalar = not istype(Handle, value) or value:dim() == 0
  if #selectors == 1 and t.dtype.name == "bool" and t:dim() == x:dim() then
    if scalar then
      call("masked_fill_", x, t, value)
      return
    end
    local count = t:sum():item()
    if value:dim() ~= 1 or value:size(1) ~= count and value:size(1) ~= 1 then
      check.raise("index", "the mask chooses %d elements, the value has shape %s", count,
        check.shape_text(value))
    end
    call("masked_scatter_", x, t, value:expand(count))
    return
  end
  local p = plan(x, selectors)
  -- Joint positions in x, read in row-major order, shaped like the result.
  local strides, step_size = {}, 1
  for d = x:dim(), 1, -1 do
    strides[d] = step_size
    step_size = step_size * x:size(d)
  end
  local n_shape, n_rest = #p.shape, #p.rest
  local ones = {}
  for i = 1, n_shape + n_rest do ones[i] = 1 end
  local joint = 1
  for _, e in ipairs(p.list) do
    local dims = {}
    for i, n in ipairs(p.shape) do dims[i] = n end
    for _ = 1, n_rest do dims[#dims + 1] = 1 end
    joint = ((e.at - 1) * strides[e.dim]):contiguous():view(dims) + joint
  end
  local shape = {}
  for i, n in ipairs(p.shape) do shape[i] = n end
  for i, d in ipairs(p.rest) do
    local n = x:size(d)
    ones[n_shape + i] = n
    local along = require("kiln.create").arange(0, n, 1, { dtype = dtypes.by_name.int64, device = x.device })
    joint = joint + (along * strides[d]):view(ones)
    ones[n_shape + i] = 1
    shape[#shape + 1] = n
  end
  joint = joint:expand(shape):permute(placed(n_shape, n_rest, p.lead))
  local dims = joint:size()
  local count = joint:numel()
  joint = joint:contiguous():view(count)
  if scalar then
    value = istype(Handle, value) and value or numbers(value, x.dtype, x.device)
    value = value:to(x.dtype):expand(count)
  else
    while value:dim() > #dims and value:size(1) == 1 do value = value[1] end
    value = value:to(x.dtype):expand(dims):contiguous():view(count)
  end
  call("put_", x, joint, value)
end

-- -- Reading and writing ------------------------------------------------------------------------

-- A position (0-based), when key is one; else nil.
local function plain(key)
  if type(key) == "number" and key % 1 == 0 and key ~= 0 then return key > 0 and key - 1 or key end
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

-- Writes value (a tensor, number or boolean) into what p looks at; nil when it is none of them.
local function write(p, value)
  if istype(Handle, value) then return C.kiln_copy_(p, value.p) end
  local n = bind.number(value)
  if n == nil then return nil end
  return C.kiln_fill_(p, n)
end

--- x[key] = value
function M.set(x, key, value)
  if tracing.mark ~= nil then tracing.mark() end
  if istype(Handle, value) then check.tensor(value, "index", "the value assigned") end
  local at, owned = plain(key), true
  local p, selectors
  if at ~= nil then
    p = C.kiln_select(x.p, 0, at)
    if p == nil then check.raise_core "index" end
  else
    p, owned, selectors = walk(x.p, entries(key))
  end
  if selectors or type(value) == "table"
      or istype(Handle, value) and C.kiln_tensor_ndim(value.p) > C.kiln_tensor_ndim(p) then
    local view = wrap(owned and p or C.kiln_tensor_retain(p))
    value = as_value(value, view, view:dim())
    if selectors then return set_selected(view, selectors, value) end
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
