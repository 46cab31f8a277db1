--- The samples of the op table: reads them and makes the values they stand for.
-- Plain Lua, because spec/support/dump.lua gives the very same values to PyTorch.  It refuses to know
-- tensors: a tensor here is { shape = , kind = , data = }.
--
-- A sample is a list of arguments, as they are given to the op; string keys are options.  Strings of
-- the form KIND[SHAPE] or KIND(LO,HI)[SHAPE] stand for tensors:
--
--   f[3,4]     floats in row.domain (default -2..2), none within 1/4096 of a whole number
--   f(0,1)[3]  floats between 0 and 1
--   u[3,4]     floats of which no two are closer than (HI - LO) / (n + 1): nothing ties
--   i(1,4)[5]  int64 from 1 to 4, both included; the default is -3..3
--   n(1,4)[4]  int64 from 1 to 4, no value twice
--   b[3,4]     bool, true and false mixed
--   p[4,4]     positive definite (the last two dims are a matrix)
--   s[4,4]     symmetric, eigenvalues apart
--   m[4,3]     matrices of full rank, their singular values apart
--   l[4,4]     lower triangular, the diagonal between 1 and 2
--   x[15]      special values: zeros, infinities, NaN, large and small; some of them in fewer places
--
-- A table of such strings is a list of tensors, nil (or "nil") is an argument left out in the middle,
-- and everything else is what it is: 2, {1, 3}, true, "mean".
local M = {}

-- -- Reading -----------------------------------------------------------------------------------

local KINDS = "fuinbpsmlx"

--- What "f(0,1)[3,4]" says, or nil for other values.
---@return table?
function M.parse(text)
  if type(text) ~= "string" then return nil end
  local kind, range, sizes = text:match("^([" .. KINDS .. "])(%(?[^%[%]]*)%[([%d,%s]*)%]$")
  if not kind then return nil end
  local spec = { kind = kind, shape = {} }
  if range ~= "" then
    local lo, hi = range:match "^%(%s*([^,%s]+)%s*,%s*([^,%s]+)%s*%)$"
    spec.lo, spec.hi = tonumber(lo), tonumber(hi)
    if not spec.lo or not spec.hi then return nil end
  end
  for n in sizes:gmatch "%d+" do spec.shape[#spec.shape + 1] = tonumber(n) end
  return spec
end

local function text_of(v)
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for i = 1, #v do parts[i] = text_of(v[i]) end
  return "{" .. table.concat(parts, " ") .. "}"
end

--- A sample as one line: its name in the golden files.
---@return string
function M.key(sample)
  local parts, options = {}, {}
  for i = 1, table.maxn(sample) do parts[i] = text_of(sample[i]) end
  for k in pairs(sample) do if type(k) == "string" then options[#options + 1] = k end end
  table.sort(options)
  for _, k in ipairs(options) do parts[#parts + 1] = k .. "=" .. text_of(sample[k]) end
  return table.concat(parts, " ")
end

-- -- Values ------------------------------------------------------------------------------------

-- Lehmer's generator modulo 2^31 - 1: every product is exact in a double.
function M.generator(name)
  local s = 1
  for i = 1, #name do s = (s * 31 + name:byte(i)) % 2147483647 end
  if s == 0 then s = 1 end
  for _ = 1, 3 do s = s * 16807 % 2147483647 end
  return function()
    s = s * 16807 % 2147483647
    return s / 2147483647
  end
end

local function numel(shape)
  local n = 1
  for _, size in ipairs(shape) do n = n * size end
  return n
end
M.numel = numel

local make = {}

-- Odd multiples of 1/4096 (exact in float32 and never at a whole number, where kinks are); no value
-- comes twice while there are others.
function make.f(n, random, lo, hi)
  local data, seen = {}, {}
  local function draw()
    local v = lo + (hi - lo) * random()
    if hi - lo < 0.25 then return v end
    v = math.floor(v * 2048) / 2048 + 1 / 4096
    return v > hi and v - 1 / 2048 or v
  end
  for i = 1, n do
    local v = draw()
    for _ = 1, 10 do
      if not seen[v] then break end
      v = draw()
    end
    seen[v] = true
    data[i] = v
  end
  return data
end

local function shuffle(data, random)
  for i = #data, 2, -1 do
    local k = 1 + math.floor(random() * i)
    if k > i then k = i end
    data[i], data[k] = data[k], data[i]
  end
  return data
end

function make.u(n, random, lo, hi)
  local data = {}
  for i = 1, n do data[i] = lo + (hi - lo) * (i - 0.25 + 0.125 * random()) / (n + 1) end
  return shuffle(data, random)
end

function make.i(n, random, lo, hi)
  local data = {}
  for i = 1, n do data[i] = math.min(hi, lo + math.floor(random() * (hi - lo + 1))) end
  return data
end

function make.n(n, random, lo, hi)
  local all = {}
  for v = lo, hi do all[#all + 1] = v end
  shuffle(all, random)
  if n > #all then error(("n(%g,%g) has %d values, not %d"):format(lo, hi, #all, n), 0) end
  for i = #all, n + 1, -1 do all[i] = nil end
  return all
end

function make.b(n, random)
  local data = {}
  for i = 1, n do data[i] = random() < 0.5 and 1 or 0 end
  if n > 1 then data[1], data[2] = 1, 0 end
  return data
end

-- Runs fill(at, rows, columns, get) on each matrix of the last two dims.
local function matrices(shape, random, fill)
  local rows, columns = shape[#shape - 1], shape[#shape]
  local data = {}
  for first = 1, numel(shape), rows * columns do
    local a = make.f(rows * columns, random, -1, 1)
    fill(function(i, j) return a[(i - 1) * columns + j] end,
      function(i, j, v) data[first + (i - 1) * columns + j - 1] = v end, rows, columns)
  end
  return data
end

function make.p(_, random, _, _, shape)
  return matrices(shape, random, function(a, set, n)
    for i = 1, n do
      for j = 1, n do
        local sum = i == j and 1 or 0
        for k = 1, n do sum = sum + a(i, k) * a(j, k) end
        set(i, j, sum)
      end
    end
  end)
end

function make.s(_, random, _, _, shape)
  return matrices(shape, random, function(a, set, n)
    for i = 1, n do
      for j = 1, n do set(i, j, (a(i, j) + a(j, i)) / 4 + (i == j and 1.5 * i or 0)) end
    end
  end)
end

function make.m(_, random, _, _, shape)
  return matrices(shape, random, function(a, set, rows, columns)
    for i = 1, rows do
      for j = 1, columns do set(i, j, a(i, j) / 2 + (i == j and 1.5 * i or 0)) end
    end
  end)
end

function make.l(_, random, _, _, shape)
  return matrices(shape, random, function(a, set, n)
    for i = 1, n do
      for j = 1, n do
        set(i, j, i == j and 1.5 + a(i, j) / 2 or i > j and a(i, j) or 0)
      end
    end
  end)
end

M.special = { 0, -0.0, 1, -1, 2.5, -2.5, 0.001, 20, -20, 100, -100, 1e10, 1 / 0, -1 / 0, 0 / 0 }
M.special[2] = -1 / M.special[13] -- -0.0, whatever the compiler makes of the literal
M.special[15] = math.abs(M.special[15]) -- the NaN without a sign, as in other languages
function make.x(n, random)
  local all, data = { unpack(M.special) }, {}
  if n < #all then shuffle(all, random) end
  for i = 1, n do data[i] = all[(i - 1) % #all + 1] end
  return data
end

local DEFAULT = { f = { -2, 2 }, u = { -2, 2 }, i = { -3, 3 } }

--- Makes the tensor that `spec` (of M.parse) describes; equal names give equal values.
---@param spec table
---@param name string
---@param domain? number[]
function M.make(spec, name, domain)
  local range = spec.lo and { spec.lo, spec.hi } or (spec.kind == "f" or spec.kind == "u") and domain
    or DEFAULT[spec.kind] or { 0, 1 }
  return {
    kind = spec.kind, shape = spec.shape,
    data = make[spec.kind](numel(spec.shape), M.generator(name), range[1], range[2], spec.shape),
  }
end

--- The data of a floating sample for another dtype: small whole numbers for the integer ones.
---@return number[]
function M.converted(data, dtype)
  if dtype:find "float" then return data end
  local new = {}
  for i, v in ipairs(data) do
    if dtype == "bool" then
      new[i] = v > 0 and 1 or 0
    else
      v = math.floor(2 * v)
      new[i] = dtype == "uint8" and math.abs(v) or v
    end
  end
  return new
end

--- n floats between -1 and 1 that depend on the name only: cotangents and directions.
---@return number[]
function M.noise(n, name)
  return make.f(n, M.generator(name), -1, 1)
end

-- -- The samples of a row --------------------------------------------------------------------------

local function build(v, name, domain)
  if v == "nil" then return nil end
  local spec = M.parse(v)
  if spec then return M.make(spec, name, domain) end
  if type(v) == "table" and M.parse(v[1]) then
    local list = { list = true }
    for i, e in ipairs(v) do list[i] = M.make(M.parse(e), name .. "." .. i, domain) end
    return list
  end
  return v
end

-- Every tensor of the sample with another size: `shape` in place of what stands in brackets.
local function reshaped(sample, shape, kind)
  local new = {}
  for k, v in pairs(sample) do
    local spec = M.parse(v)
    if spec and kind then
      v = kind .. shape
    elseif spec then
      v = v:gsub("%[[^%]]*%]$", shape)
    end
    new[k] = v
  end
  return new
end

local MATRIX = { p = true, s = true, m = true, l = true }

-- The sample with change(shape) for the shape of each tensor; nil if that changes nothing, or if some
-- tensor has to be a matrix.
local function resized(sample, change)
  local new, changed, rigid = {}, false, false
  local function swap(v)
    local spec = M.parse(v)
    if not spec then return v end
    rigid = rigid or MATRIX[spec.kind]
    local text = v:gsub("%[[^%]]*%]$", change)
    changed = changed or text ~= v
    return text
  end
  for k, v in pairs(sample) do
    if type(v) == "table" and M.parse(v[1]) then
      new[k] = {}
      for i, e in ipairs(v) do new[k][i] = swap(e) end
    else
      new[k] = swap(v)
    end
  end
  return changed and not rigid and new or nil
end

-- The sample with special values in place of the floats that have no range of their own (of the first one
-- only, if `first`); nil without any.
local function extreme(sample, first)
  local new, found = {}, false
  local function swap(v, k)
    local spec = M.parse(v)
    if first and k ~= 1 or not spec or spec.lo or not (spec.kind == "f" or spec.kind == "u") then return v end
    found = true
    return (v:gsub("^%a", "x"))
  end
  for k, v in pairs(sample) do
    if type(v) == "table" and M.parse(v[1]) then
      new[k] = {}
      for i, e in ipairs(v) do new[k][i] = swap(e, k) end
    else
      new[k] = swap(v, k)
    end
  end
  return found and new or nil
end

local POINTWISE = { unary = true, binary = true, compare = true, pointwise = true }

-- What rows of some groups need not spell out: empty and 0-dim tensors, special values.
local function derived(row)
  local list = {}
  local first = row.samples[1]
  if not first then return list end
  if POINTWISE[row.group] then
    for _, shape in ipairs { "[0]", "[2,0]", "[]" } do list[#list + 1] = reshaped(first, shape) end
    local floats = 0
    for i, a in ipairs(row.parsed) do
      local spec = M.parse(first[i])
      if a.kind == "tensor" and spec and spec.kind == "f" then floats = floats + 1 end
    end
    if row.special == false then floats = 0 end
    if floats == 1 and #row.ins == 1 then
      list[#list + 1] = reshaped(first, "[15]", "x")
    elseif floats == 2 and #row.ins == 2 then
      local cross = reshaped(first, "[15]", "x")
      cross[1] = "x[15,1]"
      list[#list + 1] = cross
    end
  elseif row.group == "reduce" then
    for _, s in ipairs { { "f[0,3]" }, { "f[0,3]", { 1 } }, { "f[0,3]", { 2 } }, { "x[3,5]", { 2 } },
      { "x[15]" } } do
      list[#list + 1] = s
    end
  end
  if not POINTWISE[row.group] and row.group ~= "reduce" and row.sizes ~= false then
    list[#list + 1] = resized(first, function(shape) return (shape:gsub("^%[%d+", "[0")) end)
    list[#list + 1] = resized(first, function() return "[]" end)
  end
  if not POINTWISE[row.group] and row.special ~= false then
    for _, s in ipairs(row.samples) do list[#list + 1] = extreme(s, row.special == "first") end
  end
  return list
end

--- The samples of a row, declared and derived: { key, args, n (their number), options, tensors }.
--- `tensors` lists every place of a tensor: { value, at = argument or option, item = in a list }.
---@return table[]
function M.of(row)
  local result, seen = {}, {}
  if not row.samples then return result end
  local declared = #row.samples
  local all = {}
  for i, s in ipairs(row.samples) do all[i] = s end
  for _, s in ipairs(derived(row)) do all[#all + 1] = s end
  for i, sample in ipairs(all) do
    local key = M.key(sample)
    if not seen[key] then
      seen[key] = true
      local s = { key = key, row = row, args = {}, n = table.maxn(sample), tensors = {},
        declared = i <= declared }
      local function place(at, v)
        local made = build(v, row.name .. " " .. key .. " " .. at, row.domain)
        if type(made) == "table" and made.shape then
          s.tensors[#s.tensors + 1] = { value = made, at = at }
        elseif type(made) == "table" and made.list then
          for item, t in ipairs(made) do
            s.tensors[#s.tensors + 1] = { value = t, at = at, item = item }
          end
        end
        return made
      end
      for at = 1, s.n do s.args[at] = place(at, sample[at]) end
      local names = {}
      for k in pairs(sample) do if type(k) == "string" then names[#names + 1] = k end end
      table.sort(names)
      for _, k in ipairs(names) do
        s.options = s.options or {}
        s.options[k] = place(k, sample[k])
      end
      for _, t in ipairs(s.tensors) do s.special = s.special or t.value.kind == "x" end
      result[#result + 1] = s
    end
  end
  return result
end

--- A number that changes when an input of the sample does.
---@return integer
function M.checksum(s)
  local sum = 1
  for _, t in ipairs(s.tensors) do
    for _, v in ipairs(t.value.data) do
      local text = v ~= v and "nan" or ("%.17g"):format(v)
      for i = 1, #text do sum = (sum * 31 + text:byte(i)) % 2147483647 end
    end
  end
  return sum
end

return M
