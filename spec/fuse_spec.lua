--- kiln.fuse: what a fused function returns, and the gradients it hands on, are those of the function
-- itself, to the bit; what it refuses is refused in words; what it makes is freed.
local kiln = require "kiln"
local C = require("kiln.ffi").C
local fusions = require "spec.support.fusions"
local programs = require "spec.support.programs"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local FLOATS = { "float32", "float64" }
local ALL = { "float32", "float64", "float16", "bfloat16", "int32", "bool" }

-- Why two tensors are not the same, to the bit, or nil.
local function differs(a, b, what)
  if a == nil and b == nil then return nil end
  if a == nil or b == nil then return what .. ": one of the two is nil" end
  if a.dtype ~= b.dtype then return ("%s: %s, not %s"):format(what, b.dtype.name, a.dtype.name) end
  local same_shape = table.concat(a.shape, ",") == table.concat(b.shape, ",")
  if not same_shape then return what .. ": the shapes differ" end
  if tensors.bits(a) ~= tensors.bits(b) then
    return ("%s: %s"):format(what, tensors.unequal(a, b, 0) or "the signs of zeros or NaNs differ")
  end
end

local function pack(...) return { n = select("#", ...), ... } end

-- The results of run(unpack(arguments)) and the gradients of a fixed function of them.
local function trial(run, arguments)
  local results = pack(run(unpack(arguments)))
  local roots, seeds = {}, {}
  for i = 1, results.n do
    local y = results[i]
    if y.requires_grad then
      roots[#roots + 1] = y
      seeds[#seeds + 1] = tensors.of(samples.noise(y:numel(), "seed" .. i), y.shape, y.dtype.name)
    end
  end
  if #roots > 0 then kiln.autograd.backward(roots, seeds) end
  local grads = {}
  for i, x in ipairs(arguments) do grads[i] = x.grad end
  return results, grads
end

-- What differs between f.run and the fused f.run, or nil.
local function compare(f)
  local ok, plain, plain_grads = pcall(trial, f.run, f.arguments(true))
  local fine, fused, fused_grads = pcall(trial, kiln.fuse(f.run), f.arguments(true))
  if not ok or not fine then
    if ok == fine and plain == fused then return nil end
    return ("%s, fused %s"):format(tostring(plain), tostring(fused))
  end
  for i = 1, plain.n do
    local why = differs(plain[i], fused[i], "result " .. i)
    if why then return why end
  end
  for i = 1, #f.arguments() do
    local why = differs(plain_grads[i], fused_grads[i], "the gradient of argument " .. i)
    if why then return why end
  end
end

local function random_functions(first, last, rows_, columns, dtypes, steps)
  local problems = {}
  for seed = first, last do
    local f = fusions.make("fusion " .. seed, rows_, columns, dtypes, steps)
    local _, why = pcall(compare, f)
    if why then problems[#problems + 1] = ("%d: %s, in\n%s"):format(seed, tostring(why), f.text) end
    if #problems > 3 then break end
  end
  rows.report(problems)
end

describe("kiln.fuse", function()
  before_each(rows.count)
  after_each(rows.recount)

  -- -- The same to the bit ---------------------------------------------------------------------

  for _, row in ipairs(rows.public(function(row) return row.pointwise end)) do
    it("runs " .. row.name .. " as it is", function()
      for _, dtype in ipairs { "float64", "float32", "bfloat16" } do
        for _, s in ipairs(samples.of(row)) do
          local ok, plain = pcall(tensors.results, s, dtype)
          local fine, fused = pcall(kiln.fuse(tensors.results), s, dtype)
          assert.equal(ok, fine)
          for i = 1, ok and plain.n or 0 do
            local why = differs(plain[i], fused[i], s.key)
            if why then error(dtype .. " " .. why, 0) end
          end
        end
      end
    end)
  end

  it("computes small functions of floats", function() random_functions(1, 300, 3, 5, FLOATS, 8) end)
  it("computes small functions of all kinds", function() random_functions(301, 600, 4, 7, ALL, 8) end)
  it("computes functions of several blocks", function() random_functions(601, 660, 37, 61, ALL, 12) end)
  it("computes long functions", function() random_functions(661, 690, 9, 33, FLOATS, 80) end)
  it("computes large functions, on one thread and on two", function()
    for _, threads in ipairs { 1, 2 } do
      kiln.set_num_threads(threads)
      random_functions(691, 699, 411, 257, FLOATS, 8)
    end
  end)

  it("gives the same on any number of threads", function()
    local f = kiln.fuse(function(x, y) return ((x * y + 1):tanh() * x):sum(), x:exp() * y end)
    local x, y = kiln.linspace(-2, 2, 300001), kiln.linspace(3, -3, 300001)
    local found = {}
    for threads = 1, 2 do
      kiln.set_num_threads(threads)
      local s, e = f(x, y)
      found[threads] = tensors.bits(s) .. tensors.bits(e)
    end
    assert.is_true(found[1] == found[2])
  end)

  -- Views, writes and products end a pass; a gradient's parts may then add up in another order.
  it("runs what it cannot fuse in between", function()
    local problems, gradients = {}, 0
    for seed = 1, 150 do
      local name = "fused program " .. seed
      local program, _, _, last = programs.write(name, function() end)
      local function run()
        local leaves, requires = programs.leaves(name), programs.requires(name)
        for k, x in ipairs(leaves) do x.requires_grad = requires[k] end
        local loss = programs.loss(programs.run(program, leaves), name, last)
        return loss, unpack(leaves)
      end
      local function outcome(f)
        local found = pack(f())
        local ok, why = pcall(found[1].backward, found[1])
        local list = { found[1]:item() }
        for k = 2, found.n do
          local g = found[k].grad
          list[k] = ok and g ~= nil and g:sum():item() or 0
        end
        return ok, list, why
      end
      local ok, plain = outcome(run)
      local fine, fused, why = outcome(kiln.fuse(run))
      if ok then gradients = gradients + 1 end
      local wrong = ok and not fine and tostring(why)
        or fine and tensors.difference(fused, plain, 1e-10, 1e-10)
      if wrong then
        problems[#problems + 1] = ("%s: %s, in\n%s"):format(name, wrong, programs.text(program))
      end
    end
    rows.report(problems)
    assert.is_true(gradients > 90, "gradients: " .. gradients)
  end)

  -- -- Gradients -------------------------------------------------------------------------------

  it("has second derivatives", function()
    local f = kiln.fuse(function(x, y, b)
      local t = (x * y + b):tanh()
      return t * x, t:exp():mean()
    end)
    local function leaf(...) return kiln.randn(...):double():mul(0.5) end
    kiln.manual_seed(3)
    local arguments = { leaf(3, 4), leaf(3, 4), leaf(4) }
    for _, x in ipairs(arguments) do x.requires_grad = true end
    assert.is_true(kiln.autograd.gradcheck(f, arguments))
    assert.is_true(kiln.autograd.gradgradcheck(f, arguments))
  end)

  it("keeps its arguments and no more, and refuses when they were overwritten", function()
    local f = kiln.fuse(function(x, y) return (x * y):exp() * 2 end)
    local x, y = kiln.ones(50, 100), kiln.ones(50, 100, { requires_grad = true })
    kiln.collect()
    local before = kiln.memory().live_bytes
    local z = f(x, y)
    kiln.collect()
    assert.is_true(kiln.memory().live_bytes - before < 1.5 * 20000)
    x:add_(1)
    local ok, why = pcall(function() z:sum():backward() end)
    assert.is_false(ok)
    assert.matches("an input of shape %[50, 100%], which the gradient of fused needs, was overwritten", why)
  end)

  it("lets go of arguments that no gradient reads", function()
    local f = kiln.fuse(function(x, y) return x + y * 2 end)
    local x, y = kiln.ones(3, { requires_grad = true }), kiln.ones(3)
    local z = f(x, y)
    y:add_(1)
    z:sum():backward()
    assert.same({ 1, 1, 1 }, x.grad:tolist())
  end)

  it("uses a result that it returned, and knows when that was overwritten", function()
    local f = kiln.fuse(function(x) return (x * 2):tanh() end)
    local x = kiln.ones(3, { requires_grad = true })
    local y = f(x)
    y:mul_(2)
    local ok, why = pcall(function() y:sum():backward() end)
    assert.is_false(ok)
    assert.matches("the output of shape %[3%], which the gradient of fused needs", why)
  end)

  it("goes backward once, unless the graph is kept", function()
    local x = kiln.ones(3, { requires_grad = true })
    local y = kiln.fuse(function(v) return v:exp():sum() end)(x)
    y:backward(nil, { retain_graph = true })
    y:backward()
    local ok, why = pcall(y.backward, y)
    assert.is_false(ok)
    assert.matches("backward ran through it a second time", why)
    assert.near(2 * math.exp(1), x.grad[1]:item(), 1e-5)
  end)

  it("cuts what is cut inside", function()
    local x = kiln.ones(3, { requires_grad = true })
    local y = kiln.fuse(function(v)
      local constant = kiln.no_grad(function() return v * 5 end)
      return (v * constant + v:detach() * v):sum()
    end)(x)
    y:backward()
    assert.same({ 6, 6, 6 }, x.grad:tolist())
    local z = kiln.fuse(function(v) return v * 2 end)
    assert.is_false(kiln.no_grad(z, x).requires_grad)
    assert.is_true(kiln.is_tensor(z(x).grad_fn) == false and z(x).requires_grad)
  end)

  it("sees leaves, hooks and backward passes that begin inside", function()
    local seen
    local outer = kiln.ones(3, { requires_grad = true })
    local a, g = kiln.fuse(function(x)
      local inner = x:detach() * 3
      inner.requires_grad = true
      local t = inner * x
      t:register_hook(function(h) seen = h:tolist() end)
      local loss = (t * 2 * inner):sum()
      loss:backward()
      return loss, inner.grad
    end)(outer)
    assert.equal(54, a:item())
    assert.same({ 6, 6, 6 }, seen)
    assert.same({ 12, 12, 12 }, g:tolist())
    assert.same({ 18, 18, 18 }, outer.grad:tolist())
  end)

  it("refuses to show a gradient that does not pass there as a whole", function()
    local f = kiln.fuse(function(x)
      local y = x * 2
      return y, (y * y):sum()
    end)
    local y, loss = f(kiln.ones(3, { requires_grad = true }))
    local function why(...) return select(2, pcall(...)) end
    local text = "a fused function uses this result of its own"
    assert.matches("register_hook: " .. text, why(y.register_hook, y, print))
    assert.matches("retain_grad: " .. text, why(y.retain_grad, y))
    assert.matches("backward: " .. text, why(kiln.autograd.grad, loss, y))
    loss:retain_grad()
    loss:backward()
    assert.equal(1, loss.grad:item())
  end)

  -- -- What a call may do ----------------------------------------------------------------------

  it("runs the function at every call", function()
    local n, factor = 0, 2
    local f = kiln.fuse(function(x)
      n = n + 1
      return x * factor + 1
    end)
    local x = kiln.ones(3)
    assert.same({ 3, 3, 3 }, f(x):tolist())
    factor = 5
    assert.same({ 6, 6, 6 }, f(x):tolist())
    assert.equal(2, n)
  end)

  it("computes again what Ctrl-C left out", function()
    local x = (kiln.arange(1000) / 1000):requires_grad_()
    local y = kiln.fuse(function(v)
      local y = (v * 2):exp()
      C.kiln_interrupt_raise()
      assert.is_true(C.kiln_fuse_flush() < 0)
      C.kiln_error_clear()
      return y
    end)(x)
    assert.is_true(kiln.equal((x:detach() * 2):exp(), y:detach()))
    y:sum():backward()
    assert.is_true(kiln.equal(y:detach() * 2, x.grad))
  end)

  it("shows values, shapes and memory inside", function()
    local f = kiln.fuse(function(x)
      local y = x * 2
      assert.equal(4, y[2]:item())
      assert.same({ 3 }, { unpack(y.shape) })
      assert.same({ 2, 4, 6 }, y:tolist())
      local z = y + 1
      assert.equal(7, z:data_ptr()[2])
      assert.matches("13", tostring(z * 2 - 1))
      local u = z - 1
      if u:sum():item() > 11 then u = u:neg() end
      u:add_(1)
      return u, kiln.cat({ u, z * 0 }), u:view(3, 1):mm((z * 1):view(1, 3))
    end)
    local u, c, m = f(kiln.tensor { 1, 2, 3 })
    assert.same({ -1, -3, -5 }, u:tolist())
    assert.same({ -1, -3, -5, 0, 0, 0 }, c:tolist())
    assert.same({ -35 }, { m[3][3]:item() })
  end)

  it("returns what else the function returns, tables of tensors too", function()
    local x = kiln.ones(2)
    local a, t, n, none, last = kiln.fuse(function(v)
      return v, { sum = v + 1, list = { v * 3 } }, 7, nil, "end"
    end)(x)
    assert.is_true(a == x)
    assert.same({ 2, 2 }, t.sum:tolist())
    assert.same({ 3, 3 }, t.list[1]:tolist())
    assert.same({ 7, "end" }, { n, last })
    assert.is_nil(none)
  end)

  it("frees what it put off and does not return, and nothing else", function()
    local kept, state
    local y = kiln.fuse(function(x)
      state = kiln.zeros(2)
      state:add_(x)
      kept = x * 2
      return kept + 1
    end)(kiln.ones(2))
    assert.same({ 3, 3 }, y:tolist())
    assert.same({ 1, 1 }, state:tolist())
    local ok, why = pcall(function() return kept + 1 end)
    assert.is_false(ok)
    assert.matches("add: the tensor was freed at the end of a function of kiln.fuse; return it", why)
  end)

  it("nests", function()
    local inner = kiln.fuse(function(x) return x * 2, x + 1 end)
    local f = kiln.fuse(function(x)
      local a, b = inner(x)
      return (a * b):sum()
    end)
    local x = kiln.tensor({ 1, 2 }, { dtype = "float64", requires_grad = true })
    local y = f(x)
    assert.equal(16, y:item())
    y:backward()
    assert.same({ 6, 10 }, x.grad:tolist())
  end)

  it("works in coroutines, and gives memory to what they yield", function()
    local f = kiln.fuse(function(x)
      local y = x * 2
      coroutine.yield(y)
      return y + x
    end)
    local co = coroutine.wrap(f)
    local x = kiln.ones(3)
    assert.same({ 2, 2, 2 }, co(x):tolist())
    assert.same({ 3, 3, 3 }, co():tolist())
  end)

  it("passes errors on, at the line that made them", function()
    local f = kiln.fuse(function(x, y) return x * y end)
    local ok, why = pcall(f, kiln.ones(3), kiln.ones(4))
    assert.is_false(ok)
    assert.matches("fuse_spec.lua:%d+: kiln: mul: shapes %[3%] and %[4%] do not broadcast", why)
    ok, why = pcall(kiln.fuse(function() error("mine", 0) end))
    assert.is_false(ok)
    assert.equal("mine", why)
    assert.same({ 4, 4 }, kiln.fuse(function(x) return x + 3 end)(kiln.ones(2)):tolist())
    ok, why = pcall(kiln.fuse, 3)
    assert.is_false(ok)
    assert.matches("kiln: fuse: fn must be a function, got", why)
  end)

  it("takes empty tensors, numbers and integers", function()
    local f = kiln.fuse(function(x, n) return (x + n) * 2, x:sum() end)
    local e, s = f(kiln.zeros(0, 3), 1)
    assert.same({ 0, 3 }, { unpack(e.shape) })
    assert.equal(0, s:item())
    local i, t = f(kiln.tensor({ 1, 2, 3 }, { dtype = "int64" }), 4)
    assert.equal("int64", i.dtype.name)
    assert.same({ 10, 12, 14 }, i:tolist())
    assert.equal(6, tonumber(t:item()))
  end)

  it("is volatile where an argument is", function()
    local x = kiln.Variable(kiln.ones(2), { volatile = true })
    local y = kiln.fuse(function(v, w) return v * w end)(x, kiln.ones(2, { requires_grad = true }))
    assert.is_true(y.volatile)
    assert.is_false(y.requires_grad)
  end)

  -- -- One pass --------------------------------------------------------------------------------

  it("makes no tensor but its results, forward and backward", function()
    local f = kiln.fuse(function(x, y, z) return ((x * y + z):tanh() * x):sum() end)
    local n = 100000
    local leaves = {}
    for k = 1, 3 do leaves[k] = kiln.ones(n, { requires_grad = true }) end
    kiln.collect()
    local before = kiln.memory().live_bytes
    local events = kiln.autograd.profiler.profile(function()
      f(unpack(leaves)):backward()
    end).events
    kiln.collect()
    local names = {}
    for _, e in ipairs(events) do
      if e.name == "fused" then names[#names + 1] = e.name end
    end
    assert.equal(2, #names)
    assert.is_true(kiln.memory().live_bytes - before < 3.5 * 4 * n)
  end)
end)
