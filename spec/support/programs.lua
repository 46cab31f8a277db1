--- Random programs of views, in-place ops, assignments and arithmetic on three leaves, and the means to
-- run them again, with other values or without some of their instructions.
-- A program is a list of instructions { run(vars), text, uses = slots it needs, slot = the one it fills }.
-- vars[slot] is a tensor; slots 1 to 3 are the leaves, slots "d1", "d2", ... detached tensors.
--
-- What is not recorded (no_grad, detach) counts as constant: the value that is read, or what a write adds
-- to the memory.  So that finite differences see it that way, those are kept when a program runs for the
-- first time, and taken from there when it runs again with other leaves.
local kiln = require "kiln"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local M = {}

local STEPS = 22

local keeps = true -- does this run keep constants, or take them from where they were kept?

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
  function(pick, i, x)
    if x:dim() >= 2 then return method("movedim", i, pick(x:dim()), pick(x:dim())) end
  end,
  function(_, i, x)
    if x:dim() > 1 then return method("squeeze", i) end
  end,
  function(pick, i, x)
    if x:dim() == 0 or x:dim() > 3 then return nil end
    local d = pick(x:dim())
    return method("unfold", i, d, pick(x:size(d)), pick(2))
  end,
  function(pick, i, x) -- one part of several
    if x:dim() == 0 then return nil end
    local d, part, name = pick(x:dim()), pick(2), ({ "chunk", "split", "unbind" })[pick(3)]
    if x:size(d) < 2 then return nil end
    local size = name == "chunk" and 2 or 1
    return function(v)
      if name == "unbind" then return (select(part, v[i]:unbind(d))) end
      return (select(part, v[i][name](v[i], size, d)))
    end, ("part %d of v%d:%s(%d, %d)"):format(part, i, name, size, d)
  end,
  function(pick, i, x)
    if x:dim() < 2 then return nil end
    local p = pick(x:size(-1))
    local last = x:dim() == 2 and p or { p }
    return function(v) return v[i][{ {}, kiln.newaxis, last }] end,
      ("v%d[{ {}, newaxis, %d }]"):format(i, p)
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

local function same_shape(x, y) return x:dim() == y:dim() and fits(x, y) and fits(y, x) end

-- A slot whose tensor y satisfies suits(x, y), searched from a random one on.
local function partner(pick, x, vars, slots, suits)
  local first = #slots > 0 and pick(#slots) or 0
  for k = 1, #slots do
    local j = slots[(first + k - 2) % #slots + 1]
    if suits(x, vars[j]) then return j end
  end
end

local function mask_of(shape, name)
  return tensors.of(samples.noise(samples.numel(shape), name), shape):gt(0)
end

local function holds(y, x) return fits(x, y) end
local function is_scalar(_, y) return y:dim() == 0 end

local function positions(list) return kiln.tensor(list, { dtype = "int64" }) end

local function with(name, i, j)
  return function(v) return v[i][name](v[i], v[j]) end, ("v%d:%s(v%d)"):format(i, name, j), j
end

local arithmetic = {
  function(pick, i) return method(UNARY[pick(#UNARY)], i) end,
  function(pick, i, x, vars, slots)
    local j = partner(pick, x, vars, slots, broadcasts)
    if j then return with(BINARY[pick(#BINARY)], i, j) end
  end,
  function(pick, i) return method("mul", i, pick(5) / 4) end,
  function(pick, i, x)
    if x:dim() == 0 then return method("sum", i) end
    return method("mean", i, pick(x:dim()))
  end,
  function(_, i) return method("clone", i) end,
  function(pick, i, x)
    if x:dim() > 0 then return method("sum", i, pick(x:dim()), true) end
  end,
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    return method(({ "softmax", "cumsum", "logsumexp" })[pick(3)], i, pick(x:dim()))
  end,
  function(pick, i, x, vars, slots)
    local j = partner(pick, x, vars, slots, same_shape)
    if x:dim() == 0 or not j then return nil end
    local d, name = pick(x:dim()), pick(2) == 1 and "cat" or "stack"
    return function(v) return kiln[name]({ v[i], v[j], v[i] }, d) end,
      ("%s({ v%d, v%d, v%d }, %d)"):format(name, i, j, i, d), j
  end,
  function(pick, i, x, vars, slots)
    local j, name, shape = partner(pick, x, vars, slots, fits), "mask" .. pick(1000), { unpack(x.shape) }
    if not j then return nil end
    return function(v) return kiln.where(mask_of(shape, name), v[i], v[j]) end,
      ("where(%s, v%d, v%d)"):format(name, i, j), j
  end,
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local d = pick(x:dim())
    local at = { pick(x:size(d)), pick(x:size(d)), pick(x:size(d)) }
    return function(v) return v[i]:index_select(d, positions(at)) end,
      ("v%d:index_select(%d, { %s })"):format(i, d, table.concat(at, ", "))
  end,
  function(_, i, x)
    if x:dim() ~= 2 then return nil end
    return function(v) return kiln.mm(v[i], v[i]:transpose(1, 2)):tanh() end,
      ("mm(v%d, v%d:transpose(1, 2)):tanh()"):format(i, i)
  end,
}

local inplace = {
  function(pick, i) return quiet(method(UNARY[pick(#UNARY)] .. "_", i)) end,
  function(pick, i, x, vars, slots)
    local j = partner(pick, x, vars, slots, fits)
    if j then return quiet(with(BINARY[pick(#BINARY)] .. "_", i, j)) end
  end,
  function(pick, i) return quiet(method("mul_", i, pick(5) / 4)) end,
  function(pick, i, x, vars, slots)
    local j = partner(pick, x, vars, slots, fits)
    if j then return quiet(with("copy_", i, j)) end
  end,
  function(pick, i) return quiet(method("fill_", i, pick(5) / 8)) end,
  function(pick, i, x)
    local name, shape, n = "mask" .. pick(1000), { unpack(x.shape) }, pick(5) / 8
    return function(v) v[i]:masked_fill_(mask_of(shape, name), n) end,
      ("v%d:masked_fill_(%s, %g)"):format(i, name, n)
  end,
  function(pick, i, x, vars, slots)
    local j, k = partner(pick, x, vars, slots, fits), partner(pick, x, vars, slots, fits)
    if not j then return nil end
    return function(v) v[i]:addcmul_(v[j], v[k]) end, ("v%d:addcmul_(v%d, v%d)"):format(i, j, k), j, k
  end,
  function(pick, i, x, vars, slots)
    local j = x:dim() > 0 and partner(pick, x:select(1, 1), vars, slots, fits)
    if not j then return nil end
    local at, name = { pick(x:size(1)), pick(x:size(1)) }, pick(2) == 1 and "index_add_" or "index_copy_"
    local shape = { unpack(x.shape) }
    shape[1] = #at
    return function(v) v[i][name](v[i], 1, positions(at), v[j]:expand(shape)) end,
      ("v%d:%s(1, { %s }, v%d)"):format(i, name, table.concat(at, ", "), j), j
  end,
}

local assignments = {
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local p, n = pick(x:size(1)), pick(5) / 4
    return function(v) v[i][p] = n end, ("v%d[%d] = %g"):format(i, p, n)
  end,
  function(pick, i, x, vars, slots)
    if x:dim() == 0 then return nil end
    local p, j = pick(x:size(1)), partner(pick, x:select(1, 1), vars, slots, fits)
    if not j then return nil end
    return function(v) v[i][p] = v[j] end, ("v%d[%d] = v%d"):format(i, p, j), j
  end,
  function(pick, i, x, vars, slots)
    if x:dim() < 2 then return nil end
    local first = pick(x:size(2))
    local last = first + pick(x:size(2) - first + 1) - 1
    local j = partner(pick, x:slice(2, first, last), vars, slots, fits)
    if not j then return nil end
    return function(v) v[i][{ {}, { first, last } }] = v[j] end,
      ("v%d[{ {}, { %d, %d } }] = v%d"):format(i, first, last, j), j
  end,
  function(pick, i, x, vars, slots)
    local j, name = partner(pick, x, vars, slots, is_scalar), "mask" .. pick(1000)
    if x:dim() == 0 or not j then return nil end
    local shape = { unpack(x.shape) }
    return function(v) v[i][mask_of(shape, name)] = v[j] end, ("v%d[%s] = v%d"):format(i, name, j), j
  end,
  function(pick, i, x)
    if x:dim() == 0 then return nil end
    local name, n, shape = "mask" .. pick(1000), pick(5) / 4, { unpack(x.shape) }
    return function(v) v[i][mask_of(shape, name)] = n end, ("v%d[%s] = %g"):format(i, name, n)
  end,
  function(pick, i, x, vars, slots)
    local j = x:dim() > 0 and partner(pick, x:select(1, 1), vars, slots, fits)
    if not j then return nil end
    local p = pick(x:size(1))
    return function(v) v[i][positions { p }] = v[j] end, ("v%d[{ %d } as positions] = v%d"):format(i, p, j), j
  end,
}

-- What is not recorded.  `detached` is the list of detached slots so far; a maker here returns what the
-- others do, and last the slot it fills when that is a detached one.

local function kept(compute)
  local value
  return function(vars)
    if keeps then value = compute(vars):detach():clone() end
    return value:clone()
  end
end

-- Writes without recording: run(x) the first time, what that added to x afterwards.
local function kept_write(i, run)
  local delta
  return function(vars)
    if not keeps then
      kiln.no_grad(function() vars[i]:add_(delta) end)
      return
    end
    local before = vars[i]:detach():clone()
    run(vars[i])
    delta = vars[i]:detach() - before
  end
end

local unrecorded = {
  function(pick, i) -- a constant result
    local name = UNARY[pick(#UNARY)]
    return kept(function(v) return kiln.no_grad(function() return v[i][name](v[i]) end) end),
      ("no_grad(v%d:%s())"):format(i, name)
  end,
  function(pick, i)
    local name = UNARY[pick(#UNARY)] .. "_"
    return kept_write(i, function(x) kiln.no_grad(function() x[name](x) end) end),
      ("no_grad(v%d:%s())"):format(i, name)
  end,
  function(pick, i)
    local n = pick(5) / 4
    return kept_write(i, function(x) x.data:mul_(n) end), ("v%d.data:mul_(%g)"):format(i, n)
  end,
  function(_, i, _, _, _, detached)
    local d = "d" .. #detached + 1
    return function(v) return v[i]:detach() end, ("%s = v%d:detach()"):format(d, i), nil, nil, d
  end,
  function(pick, _, _, _, _, detached)
    if #detached == 0 then return nil end
    local d, n = detached[pick(#detached)], pick(5) / 4
    return kept_write(d, function(x) x:mul_(n) end), ("%s:mul_(%g)"):format(d, n), d
  end,
  function(pick, _, _, vars, slots, detached)
    local d = detached[pick(#detached)]
    local i = d and partner(pick, vars[d], vars, slots, broadcasts)
    if not i then return nil end
    local constant = kept(function(v) return v[d] end)
    local name = BINARY[pick(#BINARY)]
    return function(v)
      local value = constant(v)
      return v[i][name](v[i], keeps and v[d] or value)
    end, ("v%d:%s(%s)"):format(i, name, d), d, i
  end,
  function(pick, _, _, vars, slots, detached)
    local d = detached[pick(#detached)]
    local i = d and partner(pick, vars[d], vars, slots, holds)
    if not i then return nil end
    local constant = kept(function(v) return v[d] end)
    local name = ({ "mul_", "add_", "copy_" })[pick(3)]
    return function(v)
      local value = constant(v)
      v[i][name](v[i], keeps and v[d] or value)
    end, ("v%d:%s(%s)"):format(i, name, d), d, i
  end,
}

-- What changes the shape of a tensor in place, or what it looks at.
local reshaping = {
  function(_, i, x) if x:dim() == 2 then return quiet(method("t_", i)) end end,
  function(pick, i, x)
    if x:dim() >= 2 then return quiet(method("transpose_", i, pick(x:dim()), pick(x:dim()))) end
  end,
  function(pick, i, x)
    if x:dim() <= 3 then return quiet(method("unsqueeze_", i, pick(x:dim() + 1))) end
  end,
  function(_, i) return quiet(method("squeeze_", i)) end,
  function(pick, i, x)
    if x:dim() ~= 3 then return nil end
    local first = pick(3)
    return quiet(method("permute_", i, { first, first % 3 + 1, (first + 1) % 3 + 1 }))
  end,
  function(pick, i, x)
    if x:is_contiguous() then return quiet(method("resize_", i, { pick(x:numel()) })) end
  end,
  function(_, i, x, vars, slots)
    local from
    if x.requires_grad then return nil end
    for _, j in ipairs(slots) do if j ~= i and not vars[j].requires_grad then from = j end end
    if from then return quiet(with("set_", i, from)) end
  end,
}

-- Ops and watchers written in Lua, which change nothing.
local Triple = kiln.autograd.Function:extend("Triple", {
  forward = function(ctx, x)
    ctx:mark_dirty(x)
    return x:mul_(3)
  end,
  backward = function(_, g) return g * 3 end,
})
local Both = kiln.autograd.Function:extend("Both", {
  forward = function(ctx, x, y)
    local sum, wave = x + y, x:sin()
    ctx:save_for_backward(x, wave)
    ctx.shape = y.shape
    return sum, wave
  end,
  backward = function(ctx, g, h)
    local x = ctx.saved_tensors[1]
    return g + h * x:cos(), g:sum_to_size(ctx.shape)
  end,
})

local in_lua = {
  function(_, i)
    return quiet(function(v)
      v[i]:mul_(1) -- refused before anything is written
      Triple.apply(v[i])
    end, ("Triple(v%d)"):format(i))
  end,
  function(pick, i, x, vars, slots)
    local j, part = partner(pick, x, vars, slots, fits), pick(2)
    if not j then return nil end
    return function(v) return (select(part, Both.apply(v[i], v[j]))) end,
      ("result %d of Both(v%d, v%d)"):format(part, i, j), j
  end,
  function(_, i)
    return quiet(function(v)
      if v[i].requires_grad then v[i]:register_hook(function(g) return g * 1 end) end
    end, ("v%d:register_hook(...)"):format(i))
  end,
  function(_, i)
    return quiet(function(v)
      if v[i].requires_grad then v[i]:retain_grad() end
    end, ("v%d:retain_grad()"):format(i))
  end,
}

local KINDS = { in_lua, views, views, views, arithmetic, arithmetic, inplace, inplace, inplace, inplace,
  assignments, assignments, unrecorded, unrecorded, reshaping }

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

--- Runs a program on these leaves.  first: it is run anew, not again, and keeps its constants.
function M.run(program, leaves, first)
  local vars = { unpack(leaves) }
  keeps = first or false
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
  local vars, slots, program, last, detached = { unpack(leaves) }, { 1, 2, 3 }, {}, 3, {}
  keeps = true
  for _ = 1, STEPS do
    local kind, i = KINDS[pick(#KINDS)], slots[pick(#slots)]
    local run, text, j, k, d = kind[pick(#kind)](pick, i, vars[i], vars, slots, detached)
    if run then
      local ok, result = pcall(run, vars)
      if not ok then
        refused(result)
      elseif result == nil then
        program[#program + 1] = { run = run, text = text, uses = { i, j, k } }
      elseif d then
        vars[d], detached[#detached + 1] = result, d
        program[#program + 1] = { run = run, text = text, uses = { i }, slot = d }
      elseif result:numel() > 0 then
        last = last + 1
        vars[last], slots[#slots + 1] = result, last
        text = ("v%d = %s"):format(last, text)
        program[#program + 1] = { run = run, text = text, uses = { i, j, k }, slot = last }
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
