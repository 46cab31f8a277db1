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

-- Keys' cubic with parameter A (Keys 1981), at distances from 0 to 1 and from 1 to 2.
local function near(x, A) return ((A + 2) * x - (A + 3)) * x * x + 1 end
local function far(x, A) return ((A * x - 5 * A) * x + 8 * A) * x - 4 * A end

-- The weights of four neighbours of places t behind the second.
local function cubic_weights(t)
  return { far(t + 1, -0.75), near(t, -0.75), near(1 - t, -0.75), far(2 - t, -0.75) }
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

-- What an old place weighs at a distance, when the distances shrink with the image.
local FILTERS = {
  linear = function(distance) return (1 - distance):clamp(0, math.huge) end,
  cubic = function(distance)
    local outer = kiln.where(distance:lt(2), far(distance, -0.5), kiln.zeros_like(distance))
    return kiln.where(distance:lt(1), near(distance, -0.5), outer)
  end,
}

-- Resamples one dim to m places, each of which sees all the old places that it covers.
local function resample_covered(x, dim, m, kind, scale)
  local n = x:size(dim)
  check.room("interpolate", "size", { m, n }, x)
  local centre = ((places_of(m, x) + 0.5) * scale):unsqueeze(2)
  local weights = FILTERS[kind](((places_of(n, x) + 0.5 - centre) / math.max(scale, 1)):abs())
  weights = (weights / weights:sum(2, true)):to(x.dtype)
  return kiln.matmul(x:transpose(dim, -1), weights:t()):transpose(dim, -1)
end

-- Resamples one dim to m places.
local function resample(x, dim, m, kind, scale, align_corners)
  local n = x:size(dim)
  local function at(places) return x:index_select(dim, (places:clamp(0, n - 1) + 1):to(kiln.int64)) end
  if kind == "nearest" then return at((places_of(m, x) * scale):floor()) end
  if kind == "exact" then return at(((places_of(m, x) + 0.5) * scale):floor()) end
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

local KINDS = { nearest = "nearest", ["nearest-exact"] = "exact", linear = "linear", bilinear = "linear",
  trilinear = "linear", bicubic = "cubic" }
local DIMS = { linear = 1, bilinear = 2, bicubic = 2, trilinear = 3 }

local parse_interpolate = args.define("interpolate", "input: tensor, size: any?, scale_factor: any?, "
  .. "mode: nearest|nearest-exact|linear|bilinear|bicubic|trilinear|area = nearest, "
  .. "align_corners: bool?, recompute_scale_factor: bool = false, antialias: bool = false")

--- Input [n, c, 1 to 3 dims] at a new size, or scaled by a factor (numbers or lists).
-- recompute_scale_factor: the factor is what the rounded size makes of it.  antialias, of bilinear and
-- bicubic: a smaller image sees all places.
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
  if a.antialias and a.mode ~= "bilinear" and a.mode ~= "bicubic" then
    raise("interpolate", "antialias goes with bilinear and bicubic, not with '%s'", a.mode)
  end
  if a.recompute_scale_factor and a.size then
    raise("interpolate", "recompute_scale_factor goes with scale_factor, not with size")
  end
  local name = a.size and "size" or "scale_factor"
  local size, shape = {}, { x:size(1), x:size(2) }
  for d = 1, dims do
    local v = a[name]
    if type(v) == "table" then v = v[d] end
    if x:size(d + 2) == 0 then
      raise("interpolate", "dim %d of the input has no elements, its shape is %s", d + 2, tostring(x.shape))
    end
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
    local factor, n = not a.recompute_scale_factor and a.scale_factor or nil, x:size(d + 2)
    if type(factor) == "table" then factor = factor[d] end
    local scale = factor and 1 / factor or n / size[d]
    if a.antialias then
      if a.align_corners then scale = size[d] > 1 and (n - 1) / (size[d] - 1) or 0 end
      x = resample_covered(x, d + 2, size[d], KINDS[a.mode], scale)
    elseif n ~= size[d] or scale ~= 1 then -- else each place reads itself alone
      x = resample(x, d + 2, size[d], KINDS[a.mode], scale, a.align_corners)
    end
  end
  return x:is_same(a.input) and x:clone() or x
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

-- Positions among n elements, from 0, brought inside as the padding mode says.
local function inside(at, n, padding_mode, align_corners)
  if padding_mode == "reflection" then
    at = align_corners and reflected(at, 0, n - 1) or reflected(at, -0.5, n - 0.5)
  end
  return padding_mode == "zeros" and at or at:clamp(0, n - 1)
end

-- What positions read along a dim: a list of { element from 0 (may lie outside), weight (none: 1) }.
local SAMPLES = {
  nearest = function(at, wrap) return { { wrap(at):detach():round() } } end,
  bilinear = function(at, wrap)
    at = wrap(at)
    local left = at:detach():floor()
    return { { left, 1 - (at - left) }, { left + 1, at - left } }
  end,
  bicubic = function(at, wrap)
    local left, taps = at:detach():floor(), {}
    for k, weight in ipairs(cubic_weights(at - left)) do taps[k] = { wrap(left + (k - 2)), weight } end
    return taps
  end,
}

local parse_sample = args.define("grid_sample", "input: tensor, grid: tensor, "
  .. "mode: bilinear|nearest|bicubic = bilinear, padding_mode: zeros|border|reflection = zeros, "
  .. "align_corners: bool = false")

--- Input [n, c, h, w] at the places of grid [n, h', w', 2] (x, y in -1..1; NaN counts as -1): [n, c, h', w'].
-- With a dim of depth both have one dim more.  The gradient of nearest by the grid is zero.
function M.grid_sample(...)
  local a = parse_sample(...)
  local x, grid = a.input, a.grid
  local dims = x:dim() - 2
  if dims ~= 2 and dims ~= 3 then raise("grid_sample", "input must have 4 or 5 dims, not %d", x:dim()) end
  if grid:dim() ~= x:dim() or grid:size(1) ~= x:size(1) or grid:size(-1) ~= dims then
    raise("grid_sample", "grid must be [%d, ..., %d], its shape is %s", x:size(1), dims, tostring(grid.shape))
  end
  if a.mode == "bicubic" and dims == 3 then raise("grid_sample", "bicubic needs 4 dims, the input has 5") end
  local n, c, shape = x:size(1), x:size(2), { x:size(1), x:size(2) }
  local stride, taps, places, zero = 1, {}, 1, nil
  for d = 2, dims + 1 do
    shape[d + 1], places = grid:size(d), places * grid:size(d)
  end
  for d = dims, 1, -1 do
    local size = x:size(d + 2)
    if size == 0 then raise("grid_sample", "input has no pixels, its shape is %s", tostring(x.shape)) end
    local g = grid:select(-1, dims - d + 1):reshape(n, places):nan_to_num(-1, math.huge, -math.huge)
    local at = (a.align_corners and (g + 1) * ((size - 1) / 2) or ((g + 1) * size - 1) * 0.5):clamp(-1e9, 1e9)
    if a.mode == "nearest" and at.requires_grad then zero = at * 0 end -- so that the grid's gradient is zeros
    taps[d] = SAMPLES[a.mode](at, function(p) return inside(p, size, a.padding_mode, a.align_corners) end)
    for _, tap in ipairs(taps[d]) do
      local i = tap[1]
      tap.exists = i:ge(0):logical_and(i:le(size - 1))
      tap.offset = i:clamp(0, size - 1):to(kiln.int64) * stride
    end
    stride = stride * size
  end

  -- The sum over all combinations of taps: the value where it exists, times its weights.
  local flat, y = x:reshape(n, c, stride), nil -- stride: the product of all sizes by now
  local function add(d, offset, exists, weight)
    if d > dims then
      local factor = weight and exists:to(x.dtype) * weight or exists:to(x.dtype)
      local part = flat:gather(3, (offset + 1):unsqueeze(2):expand(n, c, places)) * factor:unsqueeze(2)
      y = y and y + part or part
      return
    end
    for _, tap in ipairs(taps[d]) do
      add(d + 1, offset and offset + tap.offset or tap.offset,
        exists and exists:logical_and(tap.exists) or tap.exists, weight and weight * tap[2] or tap[2])
    end
  end
  add(1)
  if zero then y = y + zero:unsqueeze(2) end
  return y:view(shape)
end

return M
