--- The line search of Nocedal and Wright (algorithms 3.5 and 3.6) for the strong Wolfe conditions, with
-- cubic interpolation.
local C1, C2, MOST = 1e-4, 0.9, 25

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
---@param tolerance number the smallest change of the step that matters
---@return number loss
---@return kiln.Tensor gradient
---@return number t
return function(probe, t, d, loss, g, slope, tolerance)
  local largest = d:abs():max():item()
  local function try(step)
    local f, at = probe(step)
    return { t = step, f = f, g = at:clone(), slope = at:dot(d):item() }
  end
  local start = { t = 0, f = loss, g = g, slope = slope }
  local previous, point = start, try(t)
  local low, high, done
  local n = 0

  -- Widen until the minimum is bracketed.
  while n < MOST do
    if point.f > loss + C1 * point.t * slope or (n > 0 and point.f >= previous.f) then
      low, high = previous, point
    elseif math.abs(point.slope) <= -C2 * slope then
      low, high, done = point, point, true
    elseif point.slope >= 0 then
      low, high = previous, point
    end
    if low then break end
    local next_t = cubic_minimum(previous.t, previous.f, previous.slope, point.t, point.f, point.slope,
      point.t + 0.01 * (point.t - previous.t), point.t * 10)
    previous = point
    point = try(next_t)
    n = n + 1
  end
  if not low then low, high = start, point end
  if low.f > high.f then low, high = high, low end

  -- Narrow: low is always the better end.
  local stuck = false
  while not done and n < MOST do
    if math.abs(high.t - low.t) * largest < tolerance then break end
    local from, to = math.min(low.t, high.t), math.max(low.t, high.t)
    local a, b = low, high
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
    if p.f > loss + C1 * p.t * slope or p.f >= low.f then
      high = p
      if low.f > high.f then low, high = high, low end
    else
      if math.abs(p.slope) <= -C2 * slope then done = true
      elseif p.slope * (high.t - low.t) >= 0 then high = low end
      low = p
    end
  end
  return low.f, low.g, low.t
end
