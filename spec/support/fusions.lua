--- Random functions of each element: what kiln.fuse is compared with, op by op, to the bit.
-- A function is a list of instructions on numbered values; the first are its arguments, of shapes that
-- broadcast against each other and of several dtypes.  It may take sums, which end a pass, and returns
-- some of its values.
local kiln = require "kiln"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local M = {}

local UNARY = { "tanh", "sigmoid", "exp", "sin", "erf", "relu", "neg", "abs", "square", "silu", "softplus",
  "gelu", "log1p", "sqrt", "reciprocal", "floor", "sign", "expm1" }
local BINARY = { "add", "sub", "mul", "div", "maximum", "minimum", "atan2", "hypot" }
local NUMBERS = { 0.5, 2, -1, 3, 0.1 }

local makers = {
  function(pick, any)
    local name, x = UNARY[pick(#UNARY)], any()
    return function(v) return v[x][name](v[x]) end, ("v%d:%s()"):format(x, name)
  end,
  function(pick, any)
    local name, x, y = BINARY[pick(#BINARY)], any(), any()
    return function(v) return v[x][name](v[x], v[y]) end, ("v%d:%s(v%d)"):format(x, name, y)
  end,
  function(pick, any)
    local x, y = any(), any()
    local alpha = NUMBERS[pick(#NUMBERS)]
    return function(v) return v[x]:add(v[y], alpha) end, ("v%d:add(v%d, %g)"):format(x, y, alpha)
  end,
  function(pick, any)
    local x, number = any(), NUMBERS[pick(#NUMBERS)]
    return function(v) return number - v[x] * number end, ("%g - v%d * %g"):format(number, x, number)
  end,
  function(pick, any)
    local x, power = any(), NUMBERS[pick(#NUMBERS)]
    return function(v) return v[x]:pow(power) end, ("v%d:pow(%g)"):format(x, power)
  end,
  function(_, any)
    local x, y, z = any(), any(), any()
    return function(v) return kiln.where(v[x]:gt(v[y]), v[z]:float(), v[x]:float()) end,
      ("where(v%d:gt(v%d), v%d:float(), v%d:float())"):format(x, y, z, x)
  end,
  function(pick, any)
    local x, dtype = any(), ({ "float32", "float64", "float16", "bfloat16" })[pick(4)]
    return function(v) return v[x]:to(kiln[dtype]) end, ("v%d:to(%s)"):format(x, dtype)
  end,
  function(pick, any)
    local x, lo = any(), -pick(3) / 2
    return function(v) return v[x]:clamp(lo, 1) end, ("v%d:clamp(%g, 1)"):format(x, lo)
  end,
  function(_, any)
    local x, y, z = any(), any(), any()
    return function(v) return v[x]:addcmul(v[y], v[z], 0.5) end,
      ("v%d:addcmul(v%d, v%d, 0.5)"):format(x, y, z)
  end,
  function(pick, any)
    local x, name = any(), pick(2) == 1 and "sum" or "mean"
    return function(v) return v[x][name](v[x]) end, ("v%d:%s()"):format(x, name)
  end,
}

-- The shapes of arguments for a result of rows x columns.
local function shapes(rows, columns)
  return { { rows, columns }, { columns }, { rows, 1 }, {}, { rows, columns }, { 1, columns } }
end

--- The function of that name: { arguments(), run(...), text }.  rows, columns: how large; dtypes: what
--- its arguments may be.
function M.make(name, rows, columns, dtypes, steps)
  local random = samples.generator(name)
  local function pick(n) return 1 + math.min(n - 1, math.floor(random() * n)) end
  local code, text, n = {}, {}, 0
  local metas = {}
  local sizes = shapes(rows, columns)
  for k = 1, 2 + pick(2) do
    metas[k] = { shape = k == 1 and sizes[1] or sizes[pick(#sizes)], dtype = dtypes[pick(#dtypes)],
      strided = pick(4) == 1 }
    n = k
  end
  local n_arguments = n
  local function any() return pick(3) == 1 and pick(n) or math.max(1, n - pick(2) + 1) end
  for _ = 1, steps do
    local maker = makers[pick(pick(3) == 1 and #makers or 3)]
    local run, words = maker(pick, any)
    n = n + 1
    code[n], text[#text + 1] = run, ("v%d = %s"):format(n, words)
  end
  local returned = { n }
  for _ = 1, pick(3) - 1 do returned[#returned + 1] = n_arguments + pick(n - n_arguments) end
  local f = { text = table.concat(text, "\n") .. "\nreturn v" .. table.concat(returned, ", v") }

  --- Fresh arguments, always the same; those of float dtypes require grad if `grad`.
  function f.arguments(grad)
    local list = {}
    for k, m in ipairs(metas) do
      local shape = m.shape
      if m.strided and #shape == 2 then shape = { shape[2], shape[1] } end
      local x = tensors.of(samples.noise(samples.numel(shape), name .. k), shape):to(kiln[m.dtype])
      if m.strided and #shape == 2 then x = x:t() end
      if grad and x:is_floating_point() then x.requires_grad = true end
      list[k] = x
    end
    return list
  end

  function f.run(...)
    local v = { ... }
    for k = n_arguments + 1, n do v[k] = code[k](v) end
    local out = {}
    for i, k in ipairs(returned) do out[i] = v[k] end
    return unpack(out)
  end
  return f
end

return M
