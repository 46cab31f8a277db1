--- Derivatives of one sample of an op, by the graph and by finite differences, in float64.
-- The loss is sum(w * output) over the outputs that have a gradient, with fixed w.  Every floating
-- input has a direction of the kind that it is (symmetric, lower triangular, any).
local kiln = require "kiln"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local Case = {}
Case.__index = Case

local STEP = 1e-5

local function direction(t, name)
  local v = tensors.of(samples.noise(samples.numel(t.shape), name), t.shape)
  if t.kind == "p" or t.kind == "s" then v = (v + v:transpose(-1, -2)) / 2 end
  if t.kind == "l" then v = v:tril() end
  return v
end

local function leaf(x)
  x.requires_grad = true
  return x
end

-- Runs the op with other tensors in some of the places.
function Case:run(inputs)
  local s = self.sample
  local args, options = tensors.arguments(s, function(t, k) return inputs[k] or tensors.make(t) end)
  return tensors.call(s.row, args, s.n, options)
end

function Case:loss(results)
  local total
  for _, i in ipairs(self.outs) do
    local part = (results[i] * self.weights[i]):sum()
    total = total and total + part or part
  end
  return total
end

-- Is the gradient by place k one that the op refuses, in words?  Then that input is a constant.
local function refused(s, k)
  local x = leaf(tensors.make(s.tensors[k].value))
  local args, options = tensors.arguments(s, function(t, i) return i == k and x or tensors.make(t) end)
  local ok, why = pcall(function()
    local results = tensors.call(s.row, args, s.n, options)
    for i = 1, results.n do
      if kiln.is_tensor(results[i]) and results[i].requires_grad then
        kiln.autograd.grad(results[i]:sum(), x, { allow_unused = true, retain_graph = true })
      end
    end
  end)
  return not ok and tostring(why):find "gradient of %w+ is not defined" ~= nil
end

--- Prepares a sample: `at` are the places (in sample.tensors) of floating inputs that may have a
--- gradient, number[k] counts them all, `outs` are the numbers of the outputs that have one.
function Case.new(s)
  local self = setmetatable({
    sample = s, at = {}, inputs = {}, directions = {}, outs = {}, weights = {}, number = {},
  }, Case)
  local name, floats = s.row.name .. " " .. s.key, 0
  for k, t in ipairs(s.tensors) do
    if tensors.is_float(t.value) then
      floats = floats + 1
      if not refused(s, k) then
        self.at[#self.at + 1] = k
        self.number[k] = floats
        self.inputs[k] = leaf(tensors.make(t.value))
        self.directions[k] = direction(t.value, name .. " v" .. k)
      end
    end
  end
  self.results = self:run(self.inputs)
  for i = 1, self.results.n do
    local y = self.results[i]
    if tensors.has_gradient(y) then
      self.outs[#self.outs + 1] = i
      self.weights[i] = leaf(tensors.of(samples.noise(y:numel(), name .. " w" .. i), y.shape))
    end
  end
  return self
end

--- What argument number n of `at` is called.
function Case:argument(n)
  local t = self.sample.tensors[self.at[n]]
  return t.item and ("%s[%d]"):format(t.at, t.item) or tostring(t.at)
end

-- The inputs moved by h along their directions; only input `only`, if given.
function Case:moved(h, only)
  local inputs = {}
  for _, k in ipairs(self.at) do
    local x = self.inputs[k]:detach()
    inputs[k] = leaf((not only or only == k) and x + self.directions[k] * h or x:clone())
  end
  return inputs
end

-- Gradients of the loss, nil where there is none; and what they are by, as a list.
function Case:gradients(inputs, results, create)
  local list = {}
  for n, k in ipairs(self.at) do list[n] = inputs[k] end
  local options = { create_graph = create, allow_unused = true }
  return { kiln.autograd.grad(self:loss(results), list, options) }, list
end

-- g as numbers, zeros shaped like x where there is none.
local function values(g, x)
  if g ~= nil then return tensors.values(g) end
  local zeros = {}
  for i = 1, x:numel() do zeros[i] = 0 end
  return zeros
end

--- The gradient of the loss, a flat list for each input, and the state that second() needs.
function Case:first()
  local g, list = self:gradients(self.inputs, self.results, true)
  local flat = {}
  for n in ipairs(list) do flat[n] = values(g[n], list[n]) end
  return flat, { g = g, list = list }
end

-- (pick(STEP) - pick(-STEP)) / 2 STEP, element by element.
local function slope(pick)
  local plus, minus = pick(STEP), pick(-STEP)
  local d = {}
  for i = 1, #plus do d[i] = (plus[i] - minus[i]) / (2 * STEP) end
  return d
end

--- How output i changes along the directions, by finite differences: along that of input `only`, or of
--- all inputs.
function Case:change(i, only)
  return slope(function(h)
    return kiln.no_grad(function() return tensors.values(self:run(self:moved(h, only))[i]) end)
  end)
end

--- How the gradient by input n changes along all directions, by finite differences.
function Case:bend(n)
  return slope(function(h)
    local inputs = self:moved(h)
    local g, list = self:gradients(inputs, self:run(inputs), false)
    return values(g[n], list[n])
  end)
end

--- What differentiating <gradient, directions> once more gives: for each input n how its gradient
--- changes along all directions, for each output i (in `outs`) how that output does.
function Case:second(state)
  local product
  for n, k in ipairs(self.at) do
    local g = state.g[n]
    if g ~= nil and g.requires_grad then
      local part = (g * self.directions[k]):sum()
      product = product and product + part or part
    end
  end
  local all = { unpack(state.list) }
  for _, i in ipairs(self.outs) do all[#all + 1] = self.weights[i] end
  local g = product and { kiln.autograd.grad(product, all, { allow_unused = true }) } or {}
  local by_input, by_output = {}, {}
  for n in ipairs(state.list) do by_input[n] = values(g[n], state.list[n]) end
  for m, i in ipairs(self.outs) do
    by_output[i] = values(g[#state.list + m], self.weights[i])
  end
  return by_input, by_output
end

return Case
