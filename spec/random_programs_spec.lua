--- What you run is what you differentiate: 2,000 random programs of views, in-place ops, assignments and
-- arithmetic.  Each gradient must be the slope of the same program by finite differences.  A call or a
-- backward pass may also refuse in words; then the program goes on without it, and so does its replay,
-- which shows that a refused call changed nothing.
local kiln = require "kiln"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local PROGRAMS, STEPS = 2000, 14
local STEP = 1e-6

-- -- Instructions --------------------------------------------------------------------------------
-- Each is made for the tensors there are: make(pick, vars) returns a function of vars that runs it (and
-- may return a new tensor), or nil where it does not apply.  pick(n) is a number of 1..n.

local function dim_of(pick, x) return pick(x:dim()) end

local views = {
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local d = dim_of(pick, x)
    local p = pick(x:size(d))
    return function(vars) return vars[i]:select(d, p) end
  end,
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local d = dim_of(pick, x)
    local first = pick(x:size(d))
    local last = first + pick(x:size(d) - first + 1) - 1
    local step = pick(2)
    return function(vars) return vars[i]:slice(d, first, last, step) end
  end,
  function(pick, i, x)
    if x:dim() < 2 then return nil end
    local a, b = dim_of(pick, x), dim_of(pick, x)
    return function(vars) return vars[i]:transpose(a, b) end
  end,
  function(_, i, x)
    if not x:is_contiguous() then return nil end
    return function(vars) return vars[i]:view({ -1 }) end
  end,
  function(pick, i, x)
    if x:dim() > 3 then return nil end
    local d = pick(x:dim() + 1)
    return function(vars) return vars[i]:unsqueeze(d) end
  end,
  function(_, i, x)
    if x:dim() ~= 1 then return nil end
    return function(vars) return vars[i]:expand({ 2, -1 }) end
  end,
  function(pick, i, x)
    if x:dim() < 2 then return nil end
    local offset = pick(2) - 1
    return function(vars) return vars[i]:diagonal(offset, 1, 2) end
  end,
}

local unary = { "sin", "tanh", "sigmoid", "square", "neg", "cos" }
local binary = { "add", "sub", "mul" }

local function broadcasts(x, y)
  for k = 1, math.min(x:dim(), y:dim()) do
    local a, b = x:size(-k), y:size(-k)
    if a ~= b and a ~= 1 and b ~= 1 then return false end
  end
  return true
end

local function fits(x, y) -- can y be written into x?
  if y:dim() > x:dim() then return false end
  for k = 1, y:dim() do
    if y:size(-k) ~= x:size(-k) and y:size(-k) ~= 1 then return false end
  end
  return true
end

local arithmetic = {
  function(pick, i)
    local f = unary[pick(#unary)]
    return function(vars) return vars[i][f](vars[i]) end
  end,
  function(pick, i, x, vars)
    local j = pick(#vars)
    if not broadcasts(x, vars[j]) then return nil end
    local f = binary[pick(#binary)]
    return function(v) return v[i][f](v[i], v[j]) end
  end,
  function(pick, i)
    local n = pick(5) / 4
    return function(vars) return vars[i] * n + (1 - n) end
  end,
  function(pick, i, x)
    if x:dim() == 0 then return function(vars) return vars[i]:sum() end end
    local d = dim_of(pick, x)
    return function(vars) return vars[i]:mean(d) end
  end,
  function(_, i) return function(vars) return vars[i]:clone() end end,
  function(_, i, x)
    if x:dim() ~= 2 then return nil end
    return function(vars) return kiln.mm(vars[i], vars[i]:transpose(1, 2)):tanh() end
  end,
}

local inplace = {
  function(pick, i)
    local f = unary[pick(#unary)] .. "_"
    return function(vars) vars[i][f](vars[i]) end
  end,
  function(pick, i, x, vars)
    local j = pick(#vars)
    if not fits(x, vars[j]) then return nil end
    local f = binary[pick(#binary)] .. "_"
    return function(v) v[i][f](v[i], v[j]) end
  end,
  function(pick, i)
    local n = pick(5) / 4
    return function(vars) vars[i]:mul_(n) end
  end,
  function(pick, i, x, vars)
    local j = pick(#vars)
    if not fits(x, vars[j]) then return nil end
    return function(v) v[i]:copy_(v[j]) end
  end,
  function(pick, i)
    local n = pick(5) / 8
    return function(vars) vars[i]:fill_(n) end
  end,
}

local assignments = {
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local p, n = pick(x:size(1)), pick(5) / 4
    return function(vars) vars[i][p] = n end
  end,
  function(pick, i, x, vars)
    if x:dim() == 0 then return nil end
    local p, j = pick(x:size(1)), pick(#vars)
    if not fits(x:select(1, p), vars[j]) then return nil end
    return function(v) v[i][p] = v[j] end
  end,
  function(pick, i, x, vars)
    if x:dim() < 2 then return nil end
    local first, j = pick(x:size(2)), pick(#vars)
    local last = first + pick(x:size(2) - first + 1) - 1
    if not fits(x:slice(2, first, last), vars[j]) then return nil end
    return function(v) v[i][{ {}, { first, last } }] = v[j] end
  end,
  function(pick, i, x, vars)
    if x:dim() == 0 then return nil end
    local j = pick(#vars)
    local mask = tensors.of(samples.noise(x:numel(), "mask" .. pick(1000)), x.shape):gt(0)
    if vars[j]:dim() > 0 then return nil end
    return function(v) v[i][mask] = v[j] end
  end,
}

local kinds = { views, views, views, arithmetic, arithmetic, arithmetic, inplace, inplace, inplace,
  assignments }

-- -- Programs ------------------------------------------------------------------------------------

local SHAPES = { { 3, 4 }, { 4 }, { 2, 3, 2 } }

local function leaves_of(name, shift, turns)
  local leaves = {}
  for k, shape in ipairs(SHAPES) do
    local x = tensors.of(samples.noise(samples.numel(shape), name .. " x" .. k), shape)
    if shift then x = x + turns[k] * shift end
    leaves[k] = x
  end
  return leaves
end

-- A fixed function of everything there is at the end.
local function loss_of(vars, name)
  local total = kiln.zeros({}, { dtype = "float64" })
  for i, x in ipairs(vars) do
    local w = tensors.of(samples.noise(x:numel(), name .. " w" .. i), x.shape)
    total = total + (x * w):sum()
  end
  return total
end

local function is_refusal(message) return tostring(message):find("kiln: ", 1, true) ~= nil end

local counts = { programs = 0, refused_calls = 0, refused_backwards = 0, gradients = 0, writes = 0 }

-- Writes and runs a program at once; returns its instructions, tensors and leaves.
local function write_program(name)
  local random = samples.generator(name)
  local function pick(n) return 1 + math.min(n - 1, math.floor(random() * n)) end
  local leaves = leaves_of(name)
  local vars, program = {}, {}
  for k, x in ipairs(leaves) do
    x.requires_grad = pick(4) > 1
    vars[k] = x
  end
  leaves[1].requires_grad = true
  for _ = 1, STEPS do
    local kind = kinds[pick(#kinds)]
    local i = pick(#vars)
    local x = vars[i]
    local instruction = kind[pick(#kind)](pick, i, x, vars)
    if instruction then
      local ok, result = pcall(instruction, vars)
      if ok then
        if result == nil or result:numel() > 0 then
          program[#program + 1] = instruction
          vars[#vars + 1] = result
          if result == nil then counts.writes = counts.writes + 1 end
        end
      else
        assert(is_refusal(result), result)
        counts.refused_calls = counts.refused_calls + 1
      end
    end
  end
  return program, vars, leaves
end

local function replay(program, name, shift, turns)
  return kiln.no_grad(function()
    local vars = leaves_of(name, shift, turns)
    for _, instruction in ipairs(program) do vars[#vars + 1] = instruction(vars) end
    return loss_of(vars, name):item()
  end)
end

-- Returns what is wrong with one program, or nil.
local function try(seed)
  local name = "program " .. seed
  local program, vars, leaves = write_program(name)
  counts.programs = counts.programs + 1
  local loss = loss_of(vars, name)
  local value = loss:item()
  local again = replay(program, name)
  if math.abs(value - again) > 1e-9 * math.max(1, math.abs(value)) then
    return ("%s: the loss is %.17g, without recording %.17g"):format(name, value, again)
  end
  local ok, message = pcall(function() loss:backward() end)
  if not ok then
    assert(is_refusal(message), message)
    counts.refused_backwards = counts.refused_backwards + 1
    return nil
  end
  counts.gradients = counts.gradients + 1
  for round = 1, 2 do
    local turns, analytic = {}, 0
    for k, x in ipairs(leaves) do
      turns[k] = tensors.of(samples.noise(x:numel(), ("%s v%d.%d"):format(name, round, k)), SHAPES[k])
      if not x.requires_grad then turns[k] = turns[k] * 0 end
      local g = x.grad
      if g ~= nil then analytic = analytic + (g * turns[k]):sum():item() end
    end
    local up, down = replay(program, name, STEP, turns), replay(program, name, -STEP, turns)
    local numeric = (up - down) / (2 * STEP)
    local bound = 1e-5 * math.max(1, math.abs(numeric)) + 1e-8 * math.max(math.abs(up), 1)
    local near = math.abs(numeric - analytic) <= bound
    if not near then
      return ("%s: slope %.12g, by finite differences %.12g"):format(name, analytic, numeric)
    end
  end
end

describe("random programs", function()
  before_each(rows.count)
  after_each(rows.recount)

  for part = 1, 20 do
    it(("%d to %d"):format((part - 1) * PROGRAMS / 20 + 1, part * PROGRAMS / 20), function()
      local problems = {}
      for seed = (part - 1) * PROGRAMS / 20 + 1, part * PROGRAMS / 20 do
        local ok, why = pcall(try, seed)
        if why ~= nil then
          problems[#problems + 1] = (ok and "" or "program " .. seed .. " raised: ") .. tostring(why)
        end
      end
      rows.report(problems)
    end)
  end

  it("are programs that mean something", function()
    assert.equal(PROGRAMS, counts.programs)
    assert.is_true(counts.gradients >= 0.7 * PROGRAMS, "gradients: " .. counts.gradients)
    assert.is_true(counts.writes >= 2 * PROGRAMS, "writes: " .. counts.writes)
    assert.is_true(counts.refused_calls > 0)
  end)
end)
