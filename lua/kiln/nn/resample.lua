--- Images at other places: interpolate (a new size), affine_grid and grid_sample (any places).
-- interpolate works along one dim at a time: each new place is a weighted sum of a few old ones.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise = check.raise
local M = {}

-- 0, 1, ... n - 1 where x lies, in float64: places and weights are computed as tensors, not in Lua tables.
local function places_of(n, x) return kiln.arange(n, { dtype = kiln.float64, device = x.device }) end

-- -- A new size --------------------------------------------------------------------------------

-- Where the m new places lie among the n old ones, both from 0.
local function sources(x, n, m, scale, align_corners)
  local i = places_of(m, x)
  if not align_corners then return (i + 0.5) * scale - 0.5 end
  return m > 1 and i * (n - 1) / (m - 1) or i
end

-- Keys' cubic, a = -0.75: the weights of four neighbours of places t behind the second.
local function cubic_weights(t)
  local A = -0.75
  local function near(x) return ((A + 2) * x - (A + 3)) * x * x + 1 end
  local function far(x) return ((A * x - 5 * A) * x + 8 * A) * x - 4 * A end
  return { far(t + 1), near(t), near(1 - t), far(2 - t) }
end

-- The old places (from 0, may lie outside) and the weights that each new place reads.
local TAPS = {
  linear = function(source, n)
    source = source:clamp(0, math.huge)
    local left = source:floor():clamp(0, n - 1)
    return { left, left + 1 }, { 1 - (source - left), source - left }
  end,
  cubic = function(source)
    local left = source:floor()
    return { left - 1, left, left + 1, left + 2 }, cubic_weights(source - left)
  end,
}

-- Resamples one dim to m places.
local function resample(x, dim, m, kind, scale, align_corners)
  local n = x:size(dim)
  local function at(places) return x:index_select(dim, (places:clamp(0, n - 1) + 1):to(kiln.int64)) end
  if kind == "nearest" then return at((places_of(m, x) * scale):floor()) end
  local places, weights = TAPS[kind](sources(x, n, m, scale, align_corners), n)
  local shape = {}
  for d = 1, x:dim() do shape[d] = d == dim and m or 1 end
  local y
  for k = 1, #places do
    local part = at(places[k]) * weights[k]:to(x.dtype):view(shape)
    y = y and y + part or part
  end
  return y
end

local KINDS = { nearest = "nearest", linear = "linear", bilinear = "linear", trilinear = "linear",
  bicubic = "cubic" }
local DIMS = { linear = 1, bilinear = 2, bicubic = 2, trilinear = 3 }

local parse_interpolate = args.define("interpolate", "input: tensor, size: any?, scale_factor: any?, "
  .. "mode: nearest|linear|bilinear|bicubic|trilinear|area = nearest, align_corners: bool?")

--- Input [n, c, 1 to 3 dims] at a new size, or scaled by a factor (numbers or lists).
function M.interpolate(...)
  local a = parse_interpolate(...)
  local x, dims = a.input, a.input:dim() - 2
  if dims < 1 or dims > 3 then raise("interpolate", "input must have 3, 4 or 5 dims, not %d", x:dim()) end
  if DIMS[a.mode] and DIMS[a.mode] ~= dims then
    raise("interpolate", "mode '%s' needs %d dims, the input has %d", a.mode, DIMS[a.mode] + 2, x:dim())
  end
  if (a.size == nil) == (a.scale_factor == nil) then
    raise("interpolate", "takes either size or scale_factor")
  end
  if a.align_corners ~= nil and not DIMS[a.mode] then
    raise("interpolate", "align_corners goes with linear and cubic modes, not with '%s'", a.mode)
  end
  local name = a.size and "size" or "scale_factor"
  local size, shape = {}, { x:size(1), x:size(2) }
  for d = 1, dims do
    local v = a[name]
    if type(v) == "table" then v = v[d] end
    if type(v) ~= "number" or not (v > 0 and v < math.huge) or (a.size and v % 1 ~= 0) then
      raise("interpolate", "%s must be a %s above 0 or a list of %d, got %s", name,
        a.size and "whole number" or "number", dims, check.got(v))
    end
    size[d] = a.size and v or math.floor(x:size(d + 2) * v)
    if size[d] == 0 then
      raise("interpolate", "scale_factor %.14g leaves nothing of dim %d, of size %d", v, d + 2, x:size(d + 2))
    end
    shape[d + 2] = size[d]
  end
  check.room("interpolate", name, shape, x)
  if a.mode == "area" then return kiln["adaptive_avg_pool" .. dims .. "d"](x, size) end
  for d = 1, dims do
    local factor = a.scale_factor
    if type(factor) == "table" then factor = factor[d] end
    local scale = factor and 1 / factor or x:size(d + 2) / size[d]
    x = resample(x, d + 2, size[d], KINDS[a.mode], scale, a.align_corners)
  end
  return x
end

-- -- Any places --------------------------------------------------------------------------------

-- n places from -1 to 1: the corners of pixels, or their centres.
local function base_places(n, align_corners, like)
  local i = places_of(n, like)
  local at = align_corners and (n > 1 and i * 2 / (n - 1) - 1 or i) or (i * 2 + 1) / n - 1
  return at:to(like.dtype)
end

local parse_affine = args.define("affine_grid", "theta: tensor, size: table, align_corners: bool = false")

--- Places that an affine map reads: theta [n, 2, 3] and size { n, c, h, w } give [n, h, w, 2] (x, y); theta
-- [n, 3, 4] and size { n, c, d, h, w } give [n, d, h, w, 3].
function M.affine_grid(...)
  local a = parse_affine(...)
  local theta, size, dims = a.theta, { unpack(a.size) }, #a.size - 2
  if dims ~= 2 and dims ~= 3 then raise("affine_grid", "size must have 4 or 5 entries, got %d", #size) end
  if theta:dim() ~= 3 or theta:size(2) ~= dims or theta:size(3) ~= dims + 1 then
    raise("affine_grid", "theta must be [n, %d, %d], its shape is %s", dims, dims + 1, tostring(theta.shape))
  end
  local extent, total, out = {}, 1, {}
  for d = 1, #size do
    size[d] = check.int(size[d], "affine_grid", ("size[%d]"):format(d))
    if size[d] < 0 then raise("affine_grid", "size[%d] must not be negative, got %d", d, size[d]) end
  end
  for d = 1, dims do
    extent[d], out[d + 1] = size[d + 2], size[d + 2]
    total = total * extent[d]
  end
  out[1], out[dims + 2] = size[1], dims + 1
  check.room("affine_grid", "size", out, theta)
  -- Coordinates: the last dim is x, the first.
  local columns = {}
  for k = 1, dims do
    local d = dims - k + 1
    local shape = {}
    for e = 1, dims do shape[e] = e == d and extent[d] or 1 end
    columns[k] = base_places(extent[d], a.align_corners, theta):view(shape):expand(extent):reshape(total, 1)
  end
  columns[#columns + 1] = kiln.ones({ total, 1 }, { dtype = theta.dtype, device = theta.device })
  local base = kiln.cat(columns, 2):unsqueeze(1):expand(size[1], total, dims + 1)
  local shape = { size[1], unpack(extent) }
  shape[#shape + 1] = dims
  return kiln.bmm(base, theta:transpose(2, 3)):view(shape)
end

-- Reflects places into [low, high], over and over.
local function reflected(x, low, high)
  if low == high then return x * 0 end
  local span = high - low
  local away = (x - low):abs()
  local turns = (away:detach() / span):floor()
  local rest = away - turns * span
  local odd = turns:remainder(2):eq(1)
  return kiln.where(odd, span - rest, rest) + low
end

-- Places from -1..1 as positions among n elements, from 0, brought inside as the padding mode says.
local function positions_of(x, n, padding_mode, align_corners)
  local at = align_corners and (x + 1) * ((n - 1) / 2) or ((x + 1) * n - 1) * 0.5
  if padding_mode == "border" then return at:clamp(0, n - 1) end
  if padding_mode == "reflection" then
    at = align_corners and reflected(at, 0, n - 1) or reflected(at, -0.5, n - 0.5)
    return at:clamp(0, n - 1)
  end
  return at
end

local parse_sample = args.define("grid_sample", "input: tensor, grid: tensor, "
  .. "mode: bilinear|nearest = bilinear, padding_mode: zeros|border|reflection = zeros, "
  .. "align_corners: bool = false")

--- Input [n, c, h, w] at the places of grid [n, h', w', 2] (x, y in -1..1): [n, c, h', w'].  With a dim
-- of depth both have one dim more.
function M.grid_sample(...)
  local a = parse_sample(...)
  local x, grid = a.input, a.grid
  local dims = x:dim() - 2
  if dims ~= 2 and dims ~= 3 then raise("grid_sample", "input must have 4 or 5 dims, not %d", x:dim()) end
  if grid:dim() ~= x:dim() or grid:size(1) ~= x:size(1) or grid:size(-1) ~= dims then
    raise("grid_sample", "grid must be [%d, ..., %d], its shape is %s", x:size(1), dims, tostring(grid.shape))
  end
  local n, c = x:size(1), x:size(2)
  local out_shape, places = { n, c }, 1
  for d = 2, grid:dim() - 1 do
    out_shape[#out_shape + 1] = grid:size(d)
    places = places * grid:size(d)
  end
  local flat, stride = x:reshape(n, c, -1), {}
  stride[dims] = 1
  for d = dims - 1, 1, -1 do stride[d] = stride[d + 1] * x:size(d + 3) end

  -- For each dim: positions, the element before, and how far behind it they lie.
  local before, fraction = {}, {}
  for d = 1, dims do
    local at = positions_of(grid:select(-1, dims - d + 1):reshape(n, places), x:size(d + 2), a.padding_mode,
      a.align_corners)
    if a.mode == "nearest" then
      before[d] = at:detach():round()
    else
      before[d] = at:detach():floor()
      fraction[d] = at - before[d]
    end
  end

  -- Each corner of the cell: its value where it exists, times its weight.
  local y
  for corner = 0, a.mode == "nearest" and 0 or 2 ^ dims - 1 do
    local index, inside, weight = nil, nil, nil
    for d = 1, dims do
      local step = math.floor(corner / 2 ^ (d - 1)) % 2
      local i, size = before[d] + step, x:size(d + 2)
      local here = i:ge(0):logical_and(i:le(size - 1))
      inside = inside and inside:logical_and(here) or here
      local place = i:clamp(0, size - 1) * stride[d]
      index = index and index + place or place
      if fraction[d] then
        local w = step == 1 and fraction[d] or 1 - fraction[d]
        weight = weight and weight * w or w
      end
    end
    local from = (index:to(kiln.int64) + 1):unsqueeze(2):expand(n, c, places)
    local factor = inside:to(x.dtype)
    if weight then factor = factor * weight end
    local part = flat:gather(3, from) * factor:unsqueeze(2)
    y = y and y + part or part
  end
  return y:view(out_shape)
end

return M
