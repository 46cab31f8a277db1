--- First derivatives against PyTorch and finite differences, second ones against finite differences of
-- the first: every differentiable op, in float64.
local Case = require "spec.support.derivatives"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local EXACT, NUMERIC = 1e-9, 1e-5
local NOISE = 1e-3 -- numbers below this are not compared relative to themselves

local function dot(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

-- The matrices of a flat list plus their transposes: what counts of a gradient by a symmetric matrix.
local function symmetric(list, t)
  if t.kind ~= "p" and t.kind ~= "s" then return list end
  local n, sums = t.shape[#t.shape], {}
  for e = 0, #list - 1 do
    local column, row = e % n, math.floor(e / n) % n
    sums[e + 1] = list[e + 1] + list[e + 1 + (column - row) * (n - 1)]
  end
  return sums
end

-- By PyTorch's numbers, element by element.
local function check_golden(case, first, golden, bad)
  for n = 1, #first do
    local text = golden.grad[case.number[case.at[n]]]
    local expected = text and tensors.golden(text)
    if expected then
      local t = case.sample.tensors[case.at[n]].value
      local why = tensors.difference(symmetric(first[n], t), symmetric(expected.data, t), EXACT, NOISE)
      if why then bad("gradient by %s: %s", case:argument(n), why) end
    end
  end
end

-- <w, change of the outputs along v> must be <gradient, v>, for each input by itself.
local function check_first(case, first, bad)
  for n, k in ipairs(case.at) do
    local numeric, size = 0, 0
    for _, i in ipairs(case.outs) do
      local change, w = case:change(i, k), tensors.values(case.weights[i])
      numeric = numeric + dot(change, w)
      for e = 1, #change do size = math.max(size, math.abs(change[e])) end
    end
    local analytic = dot(first[n], tensors.values(case.directions[k]))
    local why = tensors.difference({ analytic }, { numeric }, NUMERIC, math.max(size, NOISE))
    if why then bad("derivative by %s: %s", case:argument(n), why) end
  end
end

local function check_second(case, state, bad)
  local by_input, by_output = case:second(state)
  for n in ipairs(case.at) do
    local why = tensors.difference(by_input[n], case:bend(n), NUMERIC, NOISE)
    if why then bad("second derivative by %s: %s", case:argument(n), why) end
  end
  for _, i in ipairs(case.outs) do
    local why = tensors.difference(by_output[i], case:change(i), NUMERIC, NOISE)
    if why then bad("derivative of the gradient by that of output %d: %s", i, why) end
  end
end

-- Gradients that are what somebody wants, not slopes: rows that embedding pads or scales.
local function is_slope(s)
  return not (s.row.name == "embedding" and s.n > 2)
end

-- Finite differences need something to move, and every digit of float64.
local function is_measurable(case)
  local elements = 0
  for _, k in ipairs(case.at) do elements = elements + case.inputs[k]:numel() end
  if elements == 0 then return false end
  for _, i in ipairs(case.outs) do
    if case.results[i].dtype.name ~= "float64" then return false end
  end
  return true
end

local function is_zero(texts)
  for _, text in ipairs(texts) do
    local g = tensors.golden(text)
    if g and tensors.largest(g.data) > 0 then return false end
  end
  return true
end

-- Checks one sample; returns true if a gradient was there to check.
local function check(s, problems)
  local golden = rows.has_golden(s.row) and rows.golden(s) or {}
  if golden.error or s.special then return false end
  local function bad(format, ...)
    problems[#problems + 1] = ("(%s): "):format(s.key) .. format:format(...)
  end
  local ok, case = pcall(Case.new, s)
  if not ok then
    local refused = tostring(case):find("has no gradient, and", 1, true)
    if golden.grad or not refused then bad("%s", tostring(case)) end
    return false
  end
  if #case.at == 0 then return false end
  if #case.outs == 0 then
    if golden.grad and not is_zero(golden.grad) then
      bad "no output has a gradient, in PyTorch one has"
    end
    return false
  end
  local ran, why = pcall(function()
    local first, state = case:first()
    if golden.grad then check_golden(case, first, golden, bad) end
    if not is_slope(s) or not is_measurable(case) then return end
    check_first(case, first, bad)
    if golden.second ~= false then check_second(case, state, bad) end
  end)
  if not ran then bad("%s", tostring(why)) end
  return true
end

-- An op without a gradient must refuse inputs that require one, in words.
local function check_refusal(s, problems)
  local args, options = tensors.arguments(s, function(t)
    local x = tensors.make(t)
    if tensors.is_float(t) then x.requires_grad = true end
    return x
  end)
  local ok, results = pcall(tensors.call, s.row, args, s.n, options)
  if ok then
    for i = 1, results.n do
      if type(results[i]) == "cdata" and results[i].requires_grad then
        problems[#problems + 1] = ("(%s): result %d requires grad, the row says grad = false"):format(
          s.key, i)
      end
    end
  elseif not tostring(results):find("kiln: " .. s.row.name, 1, true) then
    problems[#problems + 1] = ("(%s): %s"):format(s.key, tostring(results))
  end
end

local function has_float(s)
  for _, t in ipairs(s.tensors) do if tensors.is_float(t.value) then return true end end
end

describe("gradients", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public(function(row) return not row.random end)) do
    local list = samples.of(row)
    if row.grad == false then
      if list[1] and has_float(list[1]) then
        it(row.name .. " has none", function()
          local problems = {}
          for _, s in ipairs(list) do
            if not (rows.has_golden(row) and rows.golden(s).error) then check_refusal(s, problems) end
          end
          rows.report(problems)
        end)
      end
    else
      it(row.name, function()
        local problems, checked = {}, false
        for _, s in ipairs(list) do checked = check(s, problems) or checked end
        rows.report(problems)
        if row.grad and not row.overwrites and not checked then
          error("grad = true, but no sample has a gradient", 0)
        end
      end)
    end
  end
end)
