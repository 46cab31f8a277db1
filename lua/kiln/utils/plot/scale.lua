--- An axis: from values to positions between 0 and 1, and where its ticks stand.
local M = {}

-- A number with so many digits as tell it from the next tick, six at least.
local function digits(v, n)
  return (("%%.%dg"):format(n or 6):format(v):gsub("e%+?(-?)0*(%d)", "e%1%2"))
end

-- 1, 2 or 5 times a power of ten.
local function nice_step(span, ticks)
  local rough = span / ticks
  local power = 10 ^ math.floor(math.log10(rough))
  local unit = rough / power
  return (unit > 5 and 10 or unit > 2 and 5 or unit > 1 and 2 or 1) * power
end

-- A range that its ends are too coarse for becomes one about them, else steps would be lost in rounding.
local FINEST = 1e-12

local function linear(low, high, fixed, ticks)
  local largest = math.max(math.abs(low), math.abs(high))
  if high - low <= largest * FINEST or high - low < 1e-300 then
    local room = largest < 1e-300 and 1 or largest * 0.5
    low, high = low - room, high + room
  end
  local step = nice_step(high - low, ticks)
  if not fixed then low, high = math.floor(low / step) * step, math.ceil(high / step) * step end
  local axis = { low = low, high = high, ticks = {} }
  local n = math.max(6, math.min(15, math.floor(math.log10(largest / step)) + 2))
  for i = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do
    axis.ticks[#axis.ticks + 1] = { value = i * step + 0, text = digits(i * step + 0, n) } -- never -0
  end
  function axis.at(v) return (v - low) / (high - low) end
  return axis
end

local function logarithmic(low, high, fixed, ticks)
  local a, b = math.log10(low), math.log10(high)
  if a == b then a, b = a - 0.5, b + 0.5 end
  if not fixed then a, b = math.floor(a), math.ceil(b) end
  local axis = { low = 10 ^ a, high = 10 ^ b, ticks = {} }
  local every = math.max(1, math.ceil((b - a) / ticks))
  -- A decade or two have room for 2 and 5 as well.
  local units = b - a <= 2 and { 1, 2, 5 } or { 1 }
  for power = math.floor(a), math.ceil(b), every do
    for _, unit in ipairs(units) do
      local v = unit * 10 ^ power
      if v >= axis.low * 0.999 and v <= axis.high * 1.001 then
        axis.ticks[#axis.ticks + 1] = { value = v, text = digits(v) }
      end
    end
  end
  function axis.at(v) return (math.log10(v) - a) / (b - a) end
  return axis
end

--- The axis for values from low to high; `fixed` keeps these ends, else they move out to round numbers.
---@param kind "linear"|"log"
---@return table { low, high, ticks = { { value, text } }, at = function(v) }
function M.axis(kind, low, high, fixed, ticks)
  return (kind == "log" and logarithmic or linear)(low, high, fixed, ticks)
end

return M
