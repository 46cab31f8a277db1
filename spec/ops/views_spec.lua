--- Every op on tensors that are views: transposed, strided (every second element of a larger tensor),
-- offset and expanded (stride 0) inputs must give what contiguous copies give, gradients included.
local kiln = require "kiln"
local layouts = require "spec.support.layouts"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local TOLERANCE = 1e-11 -- sums may be taken in another order

-- Values that an expanded copy would not keep what they have to be: distinct positions, matrices.
local RIGID = { n = true, p = true, s = true, m = true, l = true }

local function call(s, replace)
  local args, options = tensors.arguments(s, function(t, k) return replace[k] or tensors.make(t) end)
  return tensors.call(s.row, args, s.n, options)
end

local function compare(got, expected)
  for i = 1, math.max(got.n, expected.n) do
    if kiln.is_tensor(expected[i]) then
      local why = tensors.unequal(got[i], expected[i], TOLERANCE)
      if why then return ("result %d: %s"):format(i, why) end
    elseif got[i] ~= expected[i] then
      return ("result %d is %s, expected %s"):format(i, tostring(got[i]), tostring(expected[i]))
    end
  end
end

local function loss(results, name)
  local total
  for i = 1, results.n do
    local y = results[i]
    if tensors.has_gradient(y) then
      local w = tensors.of(samples.noise(y:numel(), name .. i), y.shape)
      total = total and total + (y * w):sum() or (y * w):sum()
    end
  end
  return total
end

local function refuses_gradient(message)
  message = tostring(message)
  return message:find "has no gradient, and" or message:find "gradient of %w+ is not defined"
end

-- The gradient by argument k, given as a view of a leaf, must lie in the view's places of the leaf.
local function check_gradient(s, k, base, view, expanded)
  local x = view:contiguous()
  x.requires_grad = true
  local ok, results = pcall(call, s, { [k] = x })
  if not ok then return not refuses_gradient(results) and results or nil end
  local expected = loss(results, s.key)
  if not expected then return end
  local fine, want = pcall(kiln.autograd.grad, expected, x, { allow_unused = true })
  if not fine then return not refuses_gradient(want) and want or nil end
  if want == nil then return end
  local root = base:clone()
  root.requires_grad = true
  local again = root:as_strided(view:size(), view:stride(), view:storage_offset())
  local got = kiln.autograd.grad(loss(call(s, { [k] = again }), s.key), root)
  local spread = kiln.zeros_like(root)
  if expanded then
    spread = want:sum(expanded, true)
  else
    spread:as_strided(view:size(), view:stride(), view:storage_offset()):copy_(want)
  end
  return tensors.unequal(got, spread, TOLERANCE, 1e-3) -- a sum of slopes may be nothing but rounding
end

local function check(s, problems)
  for k, t in ipairs(s.tensors) do
    for _, layout in ipairs(layouts.layouts) do
      if not (layout.changes and RIGID[t.value.kind]) then
        local base, view, expanded = layout.make(tensors.make(t.value))
        if view then
          local ok, why = pcall(function()
            local good, expected = pcall(call, s, { [k] = view:contiguous() })
            local fine, got = pcall(call, s, { [k] = view })
            if s.row.name == "view" and tostring(got):find("without a copy", 1, true) then return nil end
            if good ~= fine then
              return "one of view and copy raises: " .. tostring(good and got or expected)
            end
            if not good then return nil end
            return compare(got, expected)
              or tensors.is_float(t.value) and s.row.grad ~= false and not s.special
              and check_gradient(s, k, base, view, expanded) or nil
          end)
          if why ~= nil then
            problems[#problems + 1] = ("(%s): argument %s %s: %s%s"):format(s.key, tostring(t.at),
              layout.name, ok and "" or "raised ", tostring(why))
          end
        end
      end
    end
  end
end

describe("views", function()
  before_each(rows.count)
  after_each(rows.recount)

  local function takes_tensors(row)
    local list = samples.of(row)
    if row.name == "as_strided" then return false end -- it means the memory, not the tensor
    return not row.random and list[1] and #list[1].tensors > 0
  end
  for _, row in ipairs(rows.public(takes_tensors)) do
    it(row.name, function()
      local problems = {}
      for _, s in ipairs(samples.of(row)) do
        if s.declared then check(s, problems) end
      end
      rows.report(problems)
    end)
  end
end)
