--- The line search of Nocedal and Wright (algorithms 3.5 and 3.6) for the strong Wolfe conditions, with
-- cubic interpolation.
local C1, C2 = 1e-4, 0.9
local TOLERANCE = 1e-9 -- the smallest change of the step that matters

-- The minimum, inside the bounds, of the cubic through two points with their slopes.
local function cubic_minimum(x1, f1, g1, x2, f2, g2, low, high)
  low, high = low or math.min(x1, x2), high or math.max(x1, x2)
  local d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
  local square = d1 * d1 - g1 * g2
  local has_minimum = square >= 0 -- false for NaN
  if not has_minimum then return (low + high) / 2 end
  local d2 = math.sqrt(square)
  local at
  if x1 <= x2 then at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
  else at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2)) end
  return math.min(math.max(at, low), high)
end

---@param probe fun(t: number): number, kiln.Tensor loss and flat gradient at step t
---@param t number first step to try
---@param d kiln.Tensor direction
---@param loss number at step 0
---@param g kiln.Tensor gradient at step 0
---@param slope number directional derivative at step 0
---@param most number how many steps are tried at most, besides the first
---@return number loss
---@return kiln.Tensor gradient
---@return number t
return function(probe, t, d, loss, g, slope, most)
  local largest = d:abs():max():item()
  local function try(step)
    local f, at = probe(step)
    return { t = step, f = f, g = at:clone(), slope = at:dot(d):item() }
  end
  local start = { t = 0, f = loss, g = g, slope = slope }
  local previous, point = start, try(t)
  local first, second, done -- the ends of the bracket, in the order in which they were found
  local n = 0

  -- Widen until the minimum is bracketed.
  while n < most do
    if point.f > loss + C1 * point.t * slope or (n > 1 and point.f >= previous.f) then
      first, second = previous, point
    elseif math.abs(point.slope) <= -C2 * slope then
      first, second, done = point, point, true
    elseif point.slope >= 0 then
      first, second = previous, point
    end
    if first then break end
    local next_t = cubic_minimum(previous.t, previous.f, previous.slope, point.t, point.f, point.slope,
      point.t + 0.01 * (point.t - previous.t), point.t * 10)
    previous = point
    point = try(next_t)
    n = n + 1
  end
  if not first then first, second = start, point end

  -- Narrow: low is always the better end, of two that are as good the first.
  local low_is_first = first.f <= second.f
  local stuck = false
  while not done and n < most do
    if math.abs(second.t - first.t) * largest < TOLERANCE then break end
    local from, to = math.min(first.t, second.t), math.max(first.t, second.t)
    local a, b = first, second
    if a.t > b.t then a, b = b, a end
    local step = cubic_minimum(a.t, a.f, a.slope, b.t, b.f, b.slope)
    local margin = 0.1 * (to - from)
    if math.min(to - step, step - from) < margin then
      if stuck or step >= to or step <= from then
        step = math.abs(step - to) < math.abs(step - from) and to - margin or from + margin
        stuck = false
      else
        stuck = true
      end
    else
      stuck = false
    end
    local p = try(step)
    n = n + 1
    local low, high = first, second
    if not low_is_first then low, high = second, first end
    local is_worse = p.f > loss + C1 * p.t * slope or p.f >= low.f
    if is_worse then
      high = p
    else
      if math.abs(p.slope) <= -C2 * slope then done = true
      elseif p.slope * (high.t - low.t) >= 0 then high = low end
      low = p
    end
    first, second = low, high
    if not low_is_first then first, second = high, low end
    if is_worse then low_is_first = first.f <= second.f end
  end
  local low = low_is_first and first or second
  return low.f, low.g, low.t
end
