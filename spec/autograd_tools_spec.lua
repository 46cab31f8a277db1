--- The tools around autograd: anomaly mode (NaN, tracebacks), the profiler and its traces, gradcheck's
-- report, derivatives of functions, pictures of graphs.
local kiln = require "kiln"
local json = require "dkjson"
local device = require "spec.support.device"
local support = require "spec.support"
local autograd = kiln.autograd
local Function = autograd.Function
local near, raises = support.near, support.raises

local leaf, constant = support.leaf, support.constant

-- The message that fn raises in anomaly mode.
local function anomaly(fn, ...)
  local ok, message = pcall(autograd.detect_anomaly, fn, ...)
  assert.is_false(ok, "no error was raised")
  return tostring(message)
end

local function has(message, ...)
  for _, part in ipairs { ... } do
    assert.is_truthy(message:find(part, 1, true), ("%s\nlacks %s"):format(message, part))
  end
end

describe("anomaly mode", function()
  -- A call in tail position leaves no frame of its function in Lua, hence the locals.
  local function root_of(x)
    local y = x:sqrt()
    return y
  end
  local function scaled(y) return (y * 0):sum() end

  it("finds NaN in a gradient, names the op and where it was called", function()
    local x = leaf { 4, 0 } -- the slope of sqrt at 0 is infinite, and 0 times that is NaN
    local message = anomaly(function() scaled(root_of(x)):backward() end)
    has(message, "backward: the gradient of sqrt for its input 1, of shape [2], has NaN in it",
      "the op whose gradient failed was called at:", "root_of", "autograd_tools_spec.lua:")
    assert.is_nil(message:find("scaled", 1, true))
    assert.is_nil(message:find "lua/kiln/")
    assert.is_nil(x.grad)
    scaled(root_of(x)):backward() -- without it, NaN is a number like others
    assert.is_true(x.grad[2]:isnan():item())
  end)

  it("looks for NaN in what a Function returns, and not at all when told so", function()
    local Bad = Function:extend "Bad"
    function Bad.forward(_, x) return x * 1 end
    function Bad.backward(_, g) return g / 0 * 0 end
    local function call(x) return Bad.apply(x) end
    has(anomaly(function() call(leaf { 1 }):backward() end), "the gradient of Bad", "NaN")
    autograd.set_detect_anomaly(true, { check_nan = false })
    local x = leaf { 1 }
    call(x):backward()
    assert.is_true(autograd.set_detect_anomaly(false))
    assert.is_true(x.grad:isnan():item())
    raises({ "set_detect_anomaly", "check_nan" }, autograd.set_detect_anomaly, true, { check_nan = 3 })
    assert.is_false(autograd.is_anomaly_enabled())
  end)

  it("tells of both calls where a saved value was overwritten, by an op or in a Function", function()
    local Keep = Function:extend "Keep"
    function Keep.forward(ctx, x)
      ctx:save_for_backward(x)
      return x * x
    end
    function Keep.backward(ctx, g) return g * ctx.saved_tensors[1] * 2 end
    local function keep_here(x)
      local y = Keep.apply(x)
      return y
    end
    local function exp_here(x)
      local y = x:exp()
      return y
    end
    local function overwrite_here(x) x:mul_(2) end
    local message = anomaly(function()
      local y = exp_here(leaf { 1 })
      overwrite_here(y)
      y:backward()
    end)
    has(message, "the output of shape [1], which the gradient of exp needs, was overwritten in place by mul",
      "it is at version 1, saved at 0", "exp_here", "the value was overwritten at:", "overwrite_here")
    message = anomaly(function()
      local x = leaf { 1 } * 1
      local y = keep_here(x)
      overwrite_here(x)
      y:backward()
    end)
    has(message, "Keep", "mul", "keep_here", "the value was overwritten at:", "overwrite_here")
    message = anomaly(function() -- without recording, which the versions see all the same
      local x = leaf { 1 } * 1
      local y = x * x
      kiln.no_grad(overwrite_here, x)
      y:backward()
    end)
    has(message, "the gradient of mul", "the value was overwritten at:")
  end)

  it("leads second derivatives back to the call of the first", function()
    local function cube_here(x)
      local y = x ^ 3
      return y
    end
    local message = anomaly(function()
      local x = leaf { 2 }
      local h = x * 1
      local g = autograd.grad(cube_here(h), h, { create_graph = true })
      h:mul_(2)
      g:backward()
    end)
    has(message, "cube_here", "the value was overwritten at:")
  end)

  it("ends with the function, also when that raises", function()
    pcall(autograd.detect_anomaly, error, "x")
    assert.is_false(autograd.is_anomaly_enabled())
    autograd.detect_anomaly(function()
      assert.is_true(autograd.is_anomaly_enabled())
      autograd.detect_anomaly(function() end)
      assert.is_true(autograd.is_anomaly_enabled())
    end)
  end)
end)

describe("the profiler", function()
  local function profile()
    local x = leaf { 1, 2, 3, 4 }
    return (autograd.profiler.profile(function()
      for _ = 1, 3 do (x * x):exp():sum():backward() end
    end))
  end

  it("counts calls, bytes, and time with and without what runs inside", function()
    local rows, sum = {}, 0
    local p = profile()
    for _, row in ipairs(p:key_averages()) do
      rows[row.name] = row
      assert.is_true(row.self >= 0 and row.self <= row.total, row.name)
      assert.equals(row.average, row.total / row.calls)
      sum = sum + row.self
    end
    assert.equals(3, rows.exp.calls)
    assert.equals(3 * 4 * 8, rows.exp.bytes)
    assert.equals(3 * 8, rows.sum.bytes)
    assert.equals(3, rows["exp.backward"].calls)
    assert.equals(3, rows["mul.backward"].calls)
    assert.is_true(rows["mul.backward"].self < rows["mul.backward"].total) -- products run inside
    local all = p:total_average()
    assert.equals(#p.events, all.calls)
    assert.equals(sum, all.self)
    assert.equals(all.self, all.total) -- no time is counted twice
  end)

  it("sorts by every column, and refuses others", function()
    local p = profile()
    for _, key in ipairs { "name", "calls", "self", "total", "average", "bytes" } do
      local rows = p:key_averages(key)
      for i = 2, #rows do
        if key == "name" then
          assert.is_true(rows[i - 1].name < rows[i].name)
        else
          assert.is_true(rows[i - 1][key] >= rows[i][key], key)
        end
      end
    end
    raises({ "key_averages", "sort_by", "speed" }, p.key_averages, p, "speed")
    assert.equal(p:key_averages("calls")[1].name, p:key_averages("count")[1].name)
  end)

  it("prints a table with a line an op and a sum", function()
    local p = profile()
    local lines = {}
    for line in p:table({ sort_by = "calls", rows = 2 }):gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equals(4, #lines)
    assert.truthy(lines[1]:find "^name%s+calls%s+self%s+self %%%s+total%s+average%s+bytes$")
    local time = "%s+[%d.]+ [mu]?s"
    assert.truthy(lines[2]:find("^%S+%s+%d+" .. time .. "%s+[%d.]+ %%" .. time .. time .. "%s+%d+ B$"))
    assert.truthy(lines[4]:find("^total%s+" .. #p.events .. "%s"))
    for _, line in ipairs(lines) do assert.equals(#lines[1], #line) end
    assert.equals(p:table(), tostring(p))
  end)

  it("writes a trace that Perfetto opens: complete events, nested or apart", function()
    local p, path = profile(), os.tmpname()
    p:export_chrome_trace(path)
    local text = require "spec.support.read"(path)
    os.remove(path)
    local events, _, why = json.decode(text)
    assert.is_table(events, why)
    assert.equals(#p.events, #events)
    for _, e in ipairs(events) do
      assert.equals("X", e.ph)
      assert.is_true(type(e.name) == "string" and #e.name > 0 and type(e.cat) == "string")
      assert.is_true(type(e.ts) == "number" and e.ts >= 0 and type(e.dur) == "number" and e.dur >= 0)
      assert.is_true(e.pid % 1 == 0 and e.tid % 1 == 0)
      assert.is_true(e.args.bytes >= 0)
    end
    local nested, tolerance = 0, 1e-3 -- they are written to the nanosecond
    for i, a in ipairs(events) do
      for k = i + 1, #events do
        local b = events[k]
        if a.tid == b.tid then
          assert.is_true(b.ts >= a.ts) -- in order
          local apart = b.ts >= a.ts + a.dur - tolerance
          local inside = b.ts + b.dur <= a.ts + a.dur + tolerance
          assert.is_true(apart or inside, a.name .. " and " .. b.name)
          if inside and not apart then nested = nested + 1 end
        end
      end
    end
    assert.is_true(nested >= 6)
    raises({ "export_chrome_trace", "cannot write" }, p.export_chrome_trace, p, "/no/such/folder/trace")
  end)

  it("has events of the user's own, around the ops that they run", function()
    local profiler = autograd.profiler
    local function mine(x) return x + 1, nil, x * 2 end
    assert.equals(3, select("#", profiler.record_function("mine", mine, kiln.ones(2)))) -- nothing runs
    local p = profiler.profile(function()
      profiler.record_function("mine", mine, kiln.ones(2))
      assert.is_false(pcall(profiler.record_function, "fails", error, "theirs"))
    end)
    local rows = {}
    for _, row in ipairs(p:key_averages()) do rows[row.name] = row end
    assert.equals(1, rows.fails.calls)
    assert.equals(rows.mine.total, rows.mine.self + rows.add.total + rows.mul.total)
    raises({ "record_function", "name", "number 3" }, profiler.record_function, 3)
    raises({ "record_function", "fn", "nil" }, profiler.record_function, "mine")
    raises({ "kiln: table: ", "sort_by" }, p.table, p, { sort_by = "speed" })
  end)

  it("ends with an error inside, and does not run twice at once", function()
    local ok, message = pcall(autograd.profiler.profile, error, "mine", 0)
    assert.is_false(ok)
    assert.equals("mine", message)
    local p = autograd.profiler.profile(function()
      raises({ "profile", "is running already" }, autograd.profiler.profile, function() end)
    end)
    assert.equals(0, #p.events)
    raises({ "profile", "function" }, autograd.profiler.profile, 3)
    raises({ "emit_nvtx", "function" }, autograd.profiler.emit_nvtx, 3)
  end)
end)

describe("gradcheck", function()
  it("names input, element and both numbers, counts the rest, in a few lines", function()
    local Wrong = Function:extend "Wrong"
    function Wrong.forward(ctx, x, y)
      ctx:save_for_backward(x, y)
      return x * y
    end
    function Wrong.backward(ctx, g)
      local x, y = unpack(ctx.saved_tensors)
      return g * y, g * x * 1.5
    end
    local x, y = leaf { { 1, 2 }, { 3, 4 } }, leaf { { 5, 6 }, { 7, 8 } }
    local ok, report = autograd.gradcheck(Wrong.apply, { x, y }, { raise_exception = false })
    assert.is_false(ok)
    has(report, "4 of 32 derivatives differ (atol 1e-05, rtol 0.001)",
      "output 1 [1, 2] by input 2 [1, 2]: numeric 2", "analytic 3", "output 1 [2, 2] by input 2 [2, 2]")
    assert.is_nil(report:find "input 1 ")
    has(select(2, pcall(autograd.gradcheck, Wrong.apply, { x, y })), "gradcheck: 4 of 32")
    ok, report = autograd.gradcheck(function(a)
      return Wrong.apply(kiln.ones_like(a), a)
    end, { leaf { 1, 2, 3, 4, 5, 6, 7 } }, { raise_exception = false })
    assert.is_false(ok)
    has(report, "7 of 49", "... and 2 more")
  end)

  it("refuses an input whose elements cannot be varied one by one", function()
    local x = kiln.ones(1, { dtype = "float64" }):expand(3):requires_grad_()
    local function square(a) return a * a end
    raises({ "gradcheck", "input 1", "share memory" }, autograd.gradcheck, square, { x })
  end)

  it("counts a gradient that ignores what it is multiplied by", function()
    local Deaf = Function:extend "Deaf"
    function Deaf.forward(_, x) return x * 3 end
    function Deaf.backward() return kiln.full({ 2 }, 3, { dtype = "float64" }) end
    has(select(2, pcall(autograd.gradcheck, Deaf.apply, { leaf { 1, 2 } })), "4 of 6 derivatives differ",
      "the gradient of 0 is 3")
  end)

  it("finds a second derivative that is wrong where the first is right", function()
    local Cut = Function:extend "Cut"
    function Cut.forward(ctx, x)
      ctx:save_for_backward(x)
      return x ^ 3
    end
    function Cut.backward(ctx, g) return g * 3 * ctx.saved_tensors[1]:detach() ^ 2 end
    local x = leaf { 2 }
    assert.is_true(autograd.gradcheck(Cut.apply, { x }))
    local ok, report = autograd.gradgradcheck(Cut.apply, { x }, { raise_exception = false })
    assert.is_false(ok)
    has(report, "output 1 [1] by input 1 [1]", "analytic 0")
  end)

  it("takes the results of a function in a list, and gives gradients that are not contiguous", function()
    local x, seen = leaf { 1, 2 }, {}
    local Watch = Function:extend("Watch", {
      forward = function(_, a) return a * 2 end,
      backward = function(_, g)
        seen[g:is_contiguous()] = true
        return g * 2
      end,
    })
    local function f(a)
      return { Watch.apply(a * 1), a:sin() }
    end
    assert.is_true(autograd.gradcheck(f, { x }))
    assert.is_true(autograd.gradgradcheck(f, { x }))
    assert.is_nil(seen[false])
    assert.is_true(autograd.gradgradcheck(f, { x }, { gen_non_contig_grad_outputs = true }))
    assert.is_true(seen[false])
    raises({ "gradcheck", "gen_non_contig_grad_outputs" }, autograd.gradcheck, f, { x },
      { gen_non_contig_grad_outputs = true })
  end)
end)

describe("functional", function()
  local functional = autograd.functional
  local x, y = constant { 1, 2 }, constant { 3, 4 }
  local function f(a, b) return a * b, (a * a * b):sum() end

  it("jacobian: each output by each input, with a graph behind it when asked", function()
    local first, second = functional.jacobian(f, { x, y })
    near({ { 3, 0 }, { 0, 4 } }, first[1])
    near({ { 1, 0 }, { 0, 2 } }, first[2])
    near({ 6, 16 }, second[1])
    near({ 1, 4 }, second[2])
    local a = leaf { 2, 3 }
    local j = functional.jacobian(function(t) return t ^ 3 end, a, { create_graph = true })
    j:sum():backward()
    near({ 12, 18 }, a.grad)
    assert.is_false(functional.jacobian(function(t) return t ^ 3 end, a).requires_grad)
    local quiet = kiln.no_grad(functional.jacobian, function(t) return t ^ 3 end, a, { create_graph = true })
    near({ 12, 18 }, autograd.grad(quiet:sum(), a))
    raises({ "jacobian", "inputs[1]", "int64" }, functional.jacobian, f, kiln.ones(2):long())
    for _, name in ipairs { "vjp", "jvp" } do
      local out = functional[name](function(t) return t ^ 3 end, a, constant { 1, 1 })
      assert.is_false(out.requires_grad)
    end
    near({ { 0, 0 } }, functional.jacobian(function() return constant { 1 } end, x))
    raises({ "jacobian", "fn" }, functional.jacobian, 3, x)
    raises({ "jacobian", "inputs" }, functional.jacobian, f, {})
    raises({ "jacobian", "output 1 of fn" }, functional.jacobian, function() return 3 end, x)
  end)

  it("hessian: blocks for a list of inputs", function()
    local h = functional.hessian(function(a, b) return (a * a * b):sum() end, { x, y })
    near({ { 6, 0 }, { 0, 8 } }, h[1][1])
    near({ { 2, 0 }, { 0, 4 } }, h[1][2])
    near({ { 2, 0 }, { 0, 4 } }, h[2][1])
    near({ { 0, 0 }, { 0, 0 } }, h[2][2])
  end)

  it("vjp, jvp, hvp and vhp agree with the matrices", function()
    local v, w = constant { 10, 1 }, constant { -1, 2 }
    local function g(a, b) return a * b end
    local out, products = functional.vjp(g, { x, y }, v)
    near({ 3, 8 }, out)
    near({ 30, 4 }, products[1])
    near({ 10, 2 }, products[2])
    out, products = functional.jvp(g, { x, y }, { v, w })
    near({ 3, 8 }, out)
    near({ 10 * 3 - 1 * 1, 1 * 4 + 2 * 2 }, products)
    local function s(a, b) return (a * a * b):sum() end
    for _, product in ipairs { functional.hvp, functional.vhp } do
      local value, h = product(s, { x, y }, { v, w })
      assert.equals(3 + 16, value:item())
      near({ 6 * 10 + 2 * -1, 8 * 1 + 4 * 2 }, h[1])
      near({ 2 * 10, 4 * 1 }, h[2])
    end
    raises({ "hvp", "v[1]", "[1]", "[2]" }, functional.hvp, s, { x, y }, { kiln.ones(1), w })
    raises({ "jvp", "2 tensors" }, functional.jvp, g, { x, y }, { v })
  end)

  it("leaves .grad and the inputs alone", function()
    local a = leaf { 2, 3 }
    functional.hessian(function(t) return (t ^ 3):sum() end, a)
    functional.jacobian(function(t) return t ^ 2 end, a)
    assert.is_nil(a.grad)
    assert.is_true(a.is_leaf)
  end)

  it("with strict refuses what does not depend on the inputs, and gives the same otherwise", function()
    local function product(a, b) return a * a * b * b end
    local function number(a, b) return product(a, b):sum() end
    local strict = { strict = true }
    local both = { x, y }
    for name, given in pairs {
      jacobian = { product, both }, hessian = { number, both }, vjp = { product, both, x },
      jvp = { product, both, both }, hvp = { number, both, both }, vhp = { number, both, both },
    } do
      local fn, inputs, v = unpack(given)
      local function run(options)
        local list = { functional[name](fn, inputs, v or options, v and options or nil) }
        local texts = {}
        for i, r in ipairs(list) do texts[i] = type(r) == "table" and tostring(r[1][1]) or tostring(r) end
        return texts
      end
      assert.same(run(nil), run(strict), name)
    end
    local function first(a) return a * 2 end
    local function second(a) return a * 2, constant { 1 } end
    local function sum(a) return (a * a):sum() end
    local function linear(a) return a:sum() end
    for _, case in ipairs {
      { "jacobian: strict: output 1 of fn does not depend on input 2", first, { x, y } },
      { "jacobian: strict: output 2 of fn does not depend on the inputs", second, x },
      { "jacobian: strict: with create_graph, the Jacobian of output 1", first, x, create_graph = true },
      { "hessian: strict: the gradient by input 1 does not depend on the inputs", linear, x },
      { "hessian: strict: the gradient by input 2 does not depend on the inputs", sum, { x, y } },
      { "hessian: strict: with create_graph, the Hessian by input 1", sum, x, create_graph = true },
      { "vjp: strict: fn does not depend on input 2", first, { x, y }, x },
      { "vjp: strict: with create_graph, the gradient by input 1", first, x, x, create_graph = true },
      { "jvp: strict: the gradient by input 2 does not depend on fn's outputs", first, { x, y }, { x, y } },
      { "hvp: strict: the gradient by input 1 does not depend on the inputs", linear, x, x },
      { "hvp: strict: with create_graph, the Hessian by input 1", sum, x, x, create_graph = true },
    } do
      local message, fn, inputs, v = unpack(case, 1, 4)
      local options = { strict = true, create_graph = case.create_graph }
      raises(message, functional[message:match "^%w+"], fn, inputs, v or options, v and options or nil)
    end
    raises({ "vjp", "strict must be true or false" }, functional.vjp, first, x, x, { strict = 1 })
  end)

  it("ends with its file's constants", function() x, y = nil, nil end)
end)

describe("what overwrote a value", function()
  local c, index = nil, nil
  local writes = {
    zero_ = function() c:zero_() end,
    fill_ = function() c:fill_(2) end,
    logit_ = function() c:logit_() end,
    ["an assignment to x[...]"] = function() c[1] = 3 end,
    ["an assignment to x[...] "] = function() c[c:gt(0)] = 3 end,
    resize_ = function() c:resize_(100) end,
    ["a write through a pointer"] = function() c:bump_version() end,
    sgd_step = function()
      local opt = kiln.optim.SGD({ index }, { lr = 0.1 })
      index.grad = constant { 1, 1 }
      opt:step()
    end,
  }
  if not device.name then -- loops over memory of the processor
    function writes.apply_() c:apply_(function(v) return v + 1 end) end
    function writes.map_() c:map_(c:clone(), function(a, b) return a + b end) end
  end
  for name, write in pairs(writes) do
    it("is named as it was called, with its place: " .. name, function()
      local message = anomaly(function()
        index = leaf { 1, 2 }
        c = name == "sgd_step" and index or constant { 1, 2 }
        local loss = (leaf { 3, 4 } * c):sum()
        write()
        loss:backward()
      end)
      has(message, "was overwritten in place by " .. name:gsub(" $", "") .. " (it is",
        "the value was overwritten at:")
      c, index = nil, nil
    end)
  end

  it("or what an error in Lua's part of a pass belongs to", function()
    local F = Function:extend("F", { forward = function(_, x) return x * 2 end,
      backward = function() error("in backward", 0) end })
    local function call(x)
      local y = F.apply(x)
      return y
    end
    has(anomaly(function() call(leaf { 1 }):backward() end),
      "in backward\nthe op whose gradient failed was called at:", "in function 'call'")
    local function hooked(x)
      local y = x * 2
      y:register_hook(function() error("in a hook", 0) end)
      return y
    end
    has(anomaly(function() hooked(leaf { 1 }):backward() end), "in a hook\nthe op whose gradient failed",
      "in function 'hooked'")
    local ok, message = pcall(function() call(leaf { 1 }):backward() end)
    assert.same({ false, "in backward" }, { ok, message })
  end)
end)

describe("the profiler and derivatives of functions", function()
  it("see Functions, checkpoint, hooks and what is added to leaves", function()
    local F = Function:extend("F", { forward = function(_, x) return x * 2 end,
      backward = function(_, g) return g * 2 end })
    local p = autograd.profiler.profile(function()
      local x = leaf { 1 }
      x:register_hook(function() end)
      autograd.checkpoint(function(a) return F.apply(a):exp() end, x):backward()
    end)
    local calls = {}
    for _, row in ipairs(p:key_averages()) do calls[row.name] = row.calls end
    for name, n in pairs { F = 2, ["F.backward"] = 1, checkpoint = 1, ["checkpoint.backward"] = 1, hook = 1,
      accumulate = 1 } do
      assert.equals(n, calls[name], name)
    end
  end)

  it("are 0 where an output does not depend on the inputs", function()
    local function f(a) return a * 2, constant { 5 }, a:detach() end
    local y, jv = autograd.functional.jvp(f, leaf { 3 }, constant { 1 })
    near({ 5 }, y[2])
    near({ 2 }, jv[1])
    near({ 0 }, jv[2])
    near({ 0 }, jv[3])
  end)

  it("refuse a function whose results depend on recording", function()
    local function few(x)
      if autograd.is_grad_enabled() then return x * 2, x * 3 end
      return x * 2
    end
    raises({ "gradcheck", "gave 2 floating tensors, and 1" }, autograd.gradcheck, few, { leaf { 1 } })
    local function shrinks(x) return autograd.is_grad_enabled() and x * 2 or x:sum() end
    raises({ "gradcheck", "has 2 elements, and 1" }, autograd.gradcheck, shrinks, { leaf { 1, 2 } })
  end)
end)

describe("pictures of a graph", function()
  it("name ops, leaves with their shapes, and show what is shared once", function()
    local x, w = leaf { 1, 2 }, leaf { 3, 4 }
    local h = x * w
    local y = (h + h):sum()
    local text, dot = autograd.graph.text(y), autograd.graph.dot(y)
    local _, products = text:gsub(" mul ", "")
    assert.equals(1, products)
    has(text, "#1 sum <- #2", "#2 add <- #3, #3", "accumulate [2]")
    has(dot, "digraph", "n3 -> n2;", "style=filled")
    local _, braces = dot:gsub("[{}]", "")
    assert.equals(2, braces)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
