--- Random programs of views, in-place ops, assignments and arithmetic on three leaves, and the means to
-- run them again, with other values or without some of their instructions.
-- A program is a list of instructions { run(vars), text, uses = slots it needs, slot = the one it fills }.
-- vars[slot] is a tensor; slots 1 to 3 are the leaves.
local kiln = require "kiln"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local M = {}

local STEPS = 18

-- -- Instructions --------------------------------------------------------------------------------
-- A maker looks at the tensor x in slot i (and others in vars) and returns a function of vars, the text
-- of what it does, and the second slot that it needs; or nil where it does not apply.  Functions return
-- the new tensor, if there is one.

local function method(name, i, ...)
  local arguments, n = { ... }, select("#", ...)
  local words = {}
  for k = 1, n do
    local v = arguments[k]
    words[k] = type(v) == "table" and "{ " .. table.concat(v, ", ") .. " }" or tostring(v)
  end
  return function(vars) return vars[i][name](vars[i], unpack(arguments, 1, n)) end,
    ("v%d:%s(%s)"):format(i, name, table.concat(words, ", "))
end

local function quiet(run, text, ...) -- an instruction that makes no new tensor
  return run and function(vars) run(vars) end, text, ...
end

local views = {
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local d = pick(x:dim())
    return method("select", i, d, pick(x:size(d)))
  end,
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local d = pick(x:dim())
    local first = pick(x:size(d))
    return method("slice", i, d, first, first + pick(x:size(d) - first + 1) - 1, pick(2))
  end,
  function(pick, i, x)
    if x:dim() < 2 then return nil end
    return method("transpose", i, pick(x:dim()), pick(x:dim()))
  end,
  function(_, i, x)
    if x:is_contiguous() then return method("view", i, { -1 }) end
  end,
  function(pick, i, x)
    if x:dim() <= 3 then return method("unsqueeze", i, pick(x:dim() + 1)) end
  end,
  function(_, i, x)
    if x:dim() == 1 then return method("expand", i, { 2, -1 }) end
  end,
  function(pick, i, x)
    if x:dim() >= 2 then return method("diagonal", i, pick(2) - 1, 1, 2) end
  end,
}

local UNARY = { "sin", "tanh", "sigmoid", "square", "neg", "cos" }
local BINARY = { "add", "sub", "mul" }

local function broadcasts(x, y)
  for k = 1, math.min(x:dim(), y:dim()) do
    local a, b = x:size(-k), y:size(-k)
    if a ~= b and a ~= 1 and b ~= 1 then return false end
  end
  return true
end

-- Can y be written into x?
local function fits(x, y)
  if y:dim() > x:dim() then return false end
  for k = 1, y:dim() do
    if y:size(-k) ~= x:size(-k) and y:size(-k) ~= 1 then return false end
  end
  return true
end

local function with(name, i, j)
  return function(v) return v[i][name](v[i], v[j]) end, ("v%d:%s(v%d)"):format(i, name, j), j
end

local arithmetic = {
  function(pick, i) return method(UNARY[pick(#UNARY)], i) end,
  function(pick, i, x, vars, slots)
    local j = slots[pick(#slots)]
    if broadcasts(x, vars[j]) then return with(BINARY[pick(#BINARY)], i, j) end
  end,
  function(pick, i) return method("mul", i, pick(5) / 4) end,
  function(pick, i, x)
    if x:dim() == 0 then return method("sum", i) end
    return method("mean", i, pick(x:dim()))
  end,
  function(_, i) return method("clone", i) end,
  function(_, i, x)
    if x:dim() ~= 2 then return nil end
    return function(v) return kiln.mm(v[i], v[i]:transpose(1, 2)):tanh() end,
      ("mm(v%d, v%d:transpose(1, 2)):tanh()"):format(i, i)
  end,
}

local inplace = {
  function(pick, i) return quiet(method(UNARY[pick(#UNARY)] .. "_", i)) end,
  function(pick, i, x, vars, slots)
    local j = slots[pick(#slots)]
    if fits(x, vars[j]) then return quiet(with(BINARY[pick(#BINARY)] .. "_", i, j)) end
  end,
  function(pick, i) return quiet(method("mul_", i, pick(5) / 4)) end,
  function(pick, i, x, vars, slots)
    local j = slots[pick(#slots)]
    if fits(x, vars[j]) then return quiet(with("copy_", i, j)) end
  end,
  function(pick, i) return quiet(method("fill_", i, pick(5) / 8)) end,
}

local function mask_of(shape, name)
  return tensors.of(samples.noise(samples.numel(shape), name), shape):gt(0)
end

local assignments = {
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local p, n = pick(x:size(1)), pick(5) / 4
    return function(v) v[i][p] = n end, ("v%d[%d] = %g"):format(i, p, n)
  end,
  function(pick, i, x, vars, slots)
    if x:dim() == 0 then return nil end
    local p, j = pick(x:size(1)), slots[pick(#slots)]
    if not fits(x:select(1, p), vars[j]) then return nil end
    return function(v) v[i][p] = v[j] end, ("v%d[%d] = v%d"):format(i, p, j), j
  end,
  function(pick, i, x, vars, slots)
    if x:dim() < 2 then return nil end
    local first, j = pick(x:size(2)), slots[pick(#slots)]
    local last = first + pick(x:size(2) - first + 1) - 1
    if not fits(x:slice(2, first, last), vars[j]) then return nil end
    return function(v) v[i][{ {}, { first, last } }] = v[j] end,
      ("v%d[{ {}, { %d, %d } }] = v%d"):format(i, first, last, j), j
  end,
  function(pick, i, x, vars, slots)
    local j, name = slots[pick(#slots)], "mask" .. pick(1000)
    if x:dim() == 0 or vars[j]:dim() > 0 then return nil end
    local shape = { unpack(x.shape) }
    return function(v) v[i][mask_of(shape, name)] = v[j] end, ("v%d[%s] = v%d"):format(i, name, j), j
  end,
}

local KINDS = { views, views, views, arithmetic, arithmetic, inplace, inplace, inplace, inplace, assignments }

-- -- Programs ------------------------------------------------------------------------------------

M.shapes = { { 3, 4 }, { 4 }, { 2, 3, 2 } }

--- The leaves of a program; moved by h along turns, if given.
function M.leaves(name, h, turns)
  local leaves = {}
  for k, shape in ipairs(M.shapes) do
    local x = tensors.of(samples.noise(samples.numel(shape), name .. " x" .. k), shape)
    if h then x = x + turns[k] * h end
    leaves[k] = x
  end
  return leaves
end

--- Which leaves of the program require grad.
function M.requires(name)
  local random = samples.generator(name .. " requires")
  return { true, random() > 0.25, random() > 0.25 }
end

--- A fixed function of everything there is at the end.
function M.loss(vars, name, last)
  local total = kiln.zeros({}, { dtype = "float64" })
  for slot = 1, last do
    local x = vars[slot]
    if x then
      local w = tensors.of(samples.noise(x:numel(), name .. " w" .. slot), x.shape)
      total = total + (x * w):sum()
    end
  end
  return total
end

--- Runs a program on these leaves.
function M.run(program, leaves)
  local vars = { unpack(leaves) }
  for _, instruction in ipairs(program) do
    local result = instruction.run(vars)
    if instruction.slot then vars[instruction.slot] = result end
  end
  return vars
end

--- Writes a program and runs it meanwhile.  A call that is refused is left out; refused(message) hears
--- of it.  Returns the program, its tensors, its leaves and its last slot.
function M.write(name, refused)
  local random = samples.generator(name)
  local function pick(n) return 1 + math.min(n - 1, math.floor(random() * n)) end
  local leaves, requires = M.leaves(name), M.requires(name)
  for k, x in ipairs(leaves) do x.requires_grad = requires[k] end
  local vars, slots, program, last = { unpack(leaves) }, { 1, 2, 3 }, {}, 3
  for _ = 1, STEPS do
    local kind, i = KINDS[pick(#KINDS)], slots[pick(#slots)]
    local run, text, j = kind[pick(#kind)](pick, i, vars[i], vars, slots)
    if run then
      local ok, result = pcall(run, vars)
      if not ok then
        refused(result)
      elseif result == nil then
        program[#program + 1] = { run = run, text = text, uses = { i, j } }
      elseif result:numel() > 0 then
        last = last + 1
        vars[last], slots[#slots + 1] = result, last
        text = ("v%d = %s"):format(last, text)
        program[#program + 1] = { run = run, text = text, uses = { i, j }, slot = last }
      end
    end
  end
  return program, vars, leaves, last
end

--- The program without instruction k and all that needs what it made.
local function without(program, k)
  local gone, shorter = {}, {}
  for n, instruction in ipairs(program) do
    local drop = n == k
    for _, slot in pairs(instruction.uses) do drop = drop or gone[slot] end
    if drop then
      if instruction.slot then gone[instruction.slot] = true end
    else
      shorter[#shorter + 1] = instruction
    end
  end
  return shorter
end

--- The shortest program found for which fails(program) still holds.
function M.shrink(program, fails)
  local k = #program
  while k >= 1 do
    local shorter = without(program, k)
    if fails(shorter) then program = shorter end
    k = math.min(k - 1, #program)
  end
  return program
end

--- A program as text, a line an instruction.
function M.text(program)
  local lines = {}
  for n, instruction in ipairs(program) do lines[n] = "  " .. instruction.text end
  return table.concat(lines, "\n")
end

return M
