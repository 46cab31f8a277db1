--- The same values in other places of memory: transposed, strided, offset, expanded.
-- What lies around the values is wrong on purpose (NaN, positions out of range), so reading it shows.
local kiln = require "kiln"

local M = {}

local function garbage(shape, dtype)
  local x = kiln.empty(shape, { dtype = dtype })
  if dtype == kiln.bool then return x:fill_(true) end
  return x:fill_(dtype.is_floating_point and 0 / 0 or 77)
end

local function sizes(x)
  local list = {}
  for d = 1, x:dim() do list[d] = x:size(d) end
  return list
end

-- Each layout makes, from a contiguous x, a base and a view of it with x's values; or nil where it does
-- not apply.  `changes`: the values are others, given by the view itself, and the third result is the dim
-- that is expanded.
M.layouts = {
  {
    name = "transposed",
    make = function(x)
      if x:dim() < 2 then return nil end
      local base = x:transpose(1, -1):contiguous()
      return base, base:transpose(1, -1)
    end,
  },
  {
    name = "strided",
    make = function(x)
      if x:dim() == 0 then return nil end
      local shape = sizes(x)
      local n = shape[#shape]
      if n == 0 then return nil end
      shape[#shape] = 2 * n
      local base = garbage(shape, x.dtype)
      local view = base:slice(-1, 2, 2 * n, 2)
      view:copy_(x)
      return base, view
    end,
  },
  {
    name = "offset",
    make = function(x)
      local n = x:numel()
      local base = garbage({ n + 5 }, x.dtype)
      local stride, step = {}, 1
      for d = x:dim(), 1, -1 do
        stride[d] = step
        step = step * x:size(d)
      end
      local view = base:as_strided(sizes(x), stride, 3)
      view:copy_(x)
      return base, view
    end,
  },
  {
    name = "expanded", changes = true,
    make = function(x)
      for d = 1, x:dim() do
        if x:size(d) > 1 then
          local base = x:slice(d, 1, 1):contiguous()
          return base, base:expand(sizes(x)), d
        end
      end
    end,
  },
}

return M
