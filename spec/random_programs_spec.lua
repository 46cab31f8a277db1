--- What you run is what you differentiate: 2,000 random programs of views, in-place ops, assignments and
-- arithmetic.  Each gradient must be the slope of the same program by finite differences.  A call or a
-- backward pass may also refuse in words; then the program goes on without that call, and so does its
-- replay, which shows that a refused call changed nothing.
local kiln = require "kiln"
local device = require "spec.support.device"
local programs = require "spec.support.programs"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local PROGRAMS, PARTS = device.name and 200 or 2000, 20 -- a device may be emulated
local STEP = 1e-6

local counts = { programs = 0, gradients = 0, writes = 0, refused_calls = 0, refused_backwards = 0 }

local function must_be_words(message)
  if not tostring(message):find("kiln: ", 1, true) then error(message, 0) end
end

local function is_near(a, b, value)
  return math.abs(a - b) <= 1e-5 * math.max(1, math.abs(b)) + 1e-8 * math.max(math.abs(value), 1)
end

-- What is wrong with the gradient of a program that has run, or nil; true when backward was refused.
local function check(program, name, vars, leaves, last)
  local function replay(h, turns)
    return kiln.no_grad(function()
      return programs.loss(programs.run(program, programs.leaves(name, h, turns)), name, last):item()
    end)
  end
  local loss = programs.loss(vars, name, last)
  local value = loss:item()
  local again = replay()
  if math.abs(value - again) > 1e-9 * math.max(1, math.abs(value)) then
    return ("the loss is %.17g, without recording %.17g"):format(value, again)
  end
  local ok, message = pcall(function() loss:backward() end)
  if not ok then
    must_be_words(message)
    return true
  end
  local requires = programs.requires(name) -- as it was: a leaf that was written into may do so now
  for round = 1, 2 do
    local turns, analytic = {}, 0
    for k, x in ipairs(leaves) do
      local v = ("%s v%d.%d"):format(name, round, k)
      turns[k] = tensors.of(samples.noise(samples.numel(programs.shapes[k]), v), programs.shapes[k])
      if not requires[k] then turns[k] = turns[k] * 0 end
      if x.grad ~= nil then analytic = analytic + (x.grad * turns[k]):sum():item() end
    end
    local up, down = replay(STEP, turns), replay(-STEP, turns)
    local numeric = (up - down) / (2 * STEP)
    if not is_near(analytic, numeric, up) then
      return ("slope %.12g, by finite differences %.12g"):format(analytic, numeric)
    end
  end
  return nil
end

-- Runs a program anew; does its gradient still come out wrong?
local function fails(program, name, last)
  local leaves, requires = programs.leaves(name), programs.requires(name)
  for k, x in ipairs(leaves) do x.requires_grad = requires[k] end
  local ok, vars = pcall(programs.run, program, leaves, true)
  return ok and type(check(program, name, vars, leaves, last)) == "string"
end

local function try(name)
  local program, vars, leaves, last = programs.write(name, function(message)
    must_be_words(message)
    counts.refused_calls = counts.refused_calls + 1
  end)
  counts.programs = counts.programs + 1
  for _, instruction in ipairs(program) do
    if not instruction.slot then counts.writes = counts.writes + 1 end
  end
  local why = check(program, name, vars, leaves, last)
  if why == true then
    counts.refused_backwards = counts.refused_backwards + 1
  elseif why == nil then
    counts.gradients = counts.gradients + 1
  else
    local short = programs.shrink(program, function(p) return fails(p, name, last) end)
    return ("%s: %s, in\n%s"):format(name, why, programs.text(short))
  end
end

-- -- Second derivatives ----------------------------------------------------------------------------

local TWICE = PROGRAMS / 5
local twice = { right = 0, refused = 0 }

-- The slope of a program's loss along fixed directions, as a tensor with a history; nil when it has none.
local function slope(name, vars, leaves, last)
  local requires, targets, total = programs.requires(name), {}, nil
  for k, x in ipairs(leaves) do if requires[k] then targets[#targets + 1] = x end end
  local loss = programs.loss(vars, name, last)
  if not loss.requires_grad then return nil end
  local g = { kiln.autograd.grad(loss, targets, { create_graph = true, allow_unused = true }) }
  for i, x in ipairs(targets) do
    if g[i] ~= nil then
      local part = (g[i] * tensors.of(samples.noise(x:numel(), name .. " s" .. i), x.shape)):sum()
      total = total and total + part or part
    end
  end
  return total, targets
end

-- What is wrong with the gradient of that slope, or nil.
local function try_twice(name)
  local program, vars, leaves, last = programs.write(name, must_be_words)
  local turns, requires = {}, programs.requires(name)
  for k, shape in ipairs(programs.shapes) do
    turns[k] = tensors.of(samples.noise(samples.numel(shape), name .. " t" .. k), shape)
    if not requires[k] then turns[k] = turns[k] * 0 end
  end
  local ok, total, targets = pcall(slope, name, vars, leaves, last)
  local g
  if ok and total and total.requires_grad then
    ok, g = pcall(function() return { kiln.autograd.grad(total, targets, { allow_unused = true }) } end)
  end
  if not ok then
    must_be_words(g or total)
    twice.refused = twice.refused + 1
    return nil
  elseif not total then
    return nil
  end
  local analytic, i = 0, 0
  for k = 1, #leaves do
    if requires[k] then
      i = i + 1
      if g and g[i] ~= nil then analytic = analytic + (g[i] * turns[k]):sum():item() end
    end
  end
  local function at(h)
    local moved = programs.leaves(name, h, turns)
    for k, x in ipairs(moved) do x.requires_grad = requires[k] end
    return slope(name, programs.run(program, moved), moved, last):item()
  end
  local up, down = at(10 * STEP), at(-10 * STEP)
  local numeric = (up - down) / (20 * STEP)
  if math.abs(analytic - numeric) > 1e-4 * math.max(1, math.abs(numeric)) + 1e-7 * math.abs(up) then
    return ("%s: second slope %.12g, by finite differences %.12g, in\n%s"):format(name, analytic, numeric,
      programs.text(program))
  end
  twice.right = twice.right + 1
end

-- -- Run in other ways ----------------------------------------------------------------------------

local Same = kiln.nn.Module:extend("Same", { forward = function(_, x) return x end })

-- The gradients of a program, called by call(fn, ...), where what it writes or reads goes through a module at
-- times; nil when it is refused.
local function gradients(program, name, last, call, module)
  local random, leaves, requires = samples.generator(name .. " modules"), programs.leaves(name),
    programs.requires(name)
  local steps = {}
  for n, step in ipairs(program) do
    steps[n] = { slot = step.slot, run = function(vars)
      local x = vars[step.uses[1]]
      if random() < 0.4 and x and x.requires_grad then vars[step.uses[1]] = module(x) end
      return step.run(vars)
    end }
  end
  for k, x in ipairs(leaves) do x.requires_grad = requires[k] end
  local ok, message = pcall(function()
    local total, others = call(function(...)
      local inside = { ... }
      for k, x in ipairs(inside) do inside[k] = x * 1 end
      local vars = programs.run(steps, { unpack(inside) })
      return programs.loss(vars, name, last), { inside[1], list = { inside[3] } }
    end, unpack(leaves))
    total = total + (others[1] * others[1]):sum() + others.list[1]:sum()
    total:backward()
  end)
  if not ok then return must_be_words(message) end
  for k, x in ipairs(leaves) do leaves[k] = x.grad or kiln.zeros_like(x) end
  return leaves
end

local function plain(fn, ...) return fn(...) end

describe("random programs", function()
  before_each(rows.count)
  after_each(rows.recount)

  for part = 1, PARTS do
    local first, last = (part - 1) * PROGRAMS / PARTS + 1, part * PROGRAMS / PARTS
    it(("%d to %d"):format(first, last), function()
      local problems = {}
      for seed = first, last do
        local ok, why = pcall(try, "program " .. seed)
        if why ~= nil then
          problems[#problems + 1] = ok and why or ("program %d raised: %s"):format(seed, tostring(why))
        end
      end
      rows.report(problems)
    end)
  end

  it("can be differentiated twice", function()
    local problems = {}
    for seed = 1, TWICE do
      local ok, why = pcall(try_twice, "twice " .. seed)
      if why ~= nil then
        problems[#problems + 1] = ok and why or ("program %d raised: %s"):format(seed, tostring(why))
      end
    end
    rows.report(problems)
    assert.is_true(twice.right >= 0.4 * TWICE,
      ("%d of %d, %d refused"):format(twice.right, TWICE, twice.refused))
  end)

  it("give the same in a checkpointed function, and through modules with hooks", function()
    local problems, compared, n = {}, 0, PROGRAMS / 10
    for seed = 1, n do
      local name, hooked = "again " .. seed, Same()
      hooked:register_full_backward_hook(function() end)
      local program, _, _, last = programs.write(name, must_be_words)
      local want = gradients(program, name, last, plain, Same())
      for way, got in pairs {
        checkpoint = gradients(program, name, last, kiln.autograd.checkpoint, Same()) or false,
        hooks = gradients(program, name, last, plain, hooked) or false,
      } do
        for k, g in ipairs(want and got or {}) do
          compared = compared + 1
          if not kiln.allclose(want[k], g, 1e-9, 1e-9) then
            problems[#problems + 1] = ("%s: %s, leaf %d, in\n%s"):format(name, way, k, programs.text(program))
          end
        end
      end
    end
    rows.report(problems)
    assert.is_true(compared >= 3 * n, "compared: " .. compared)
  end)

  it("are programs that mean something", function()
    assert.equal(PROGRAMS, counts.programs)
    assert.is_true(counts.gradients >= 0.6 * PROGRAMS, "gradients: " .. counts.gradients)
    assert.is_true(counts.writes >= 1.5 * PROGRAMS, "writes: " .. counts.writes)
    assert.is_true(counts.refused_calls > 0)
  end)
end)
