--- Makes random calls over the op table and says what came out, a line of JSON each, for
-- spec/golden/compare.py, which makes the same calls with PyTorch: luajit spec/support/random_calls.lua
-- SEED COUNT [NAME].  A call is a sample of a row with other sizes, dtypes, dims, flags, numbers, special
-- values and memory layouts.  It refuses to judge.
local kiln = require "kiln"
local layouts = require "spec.support.layouts"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local SEED, COUNT, NAME = arg[1] or "1", tonumber(arg[2] or 1000), arg[3]

local random = samples.generator("calls " .. SEED)
local function chance(p) return random() < p end
local function pick(n) return 1 + math.min(n - 1, math.floor(random() * n)) end
local function one_of(list) return list[pick(#list)] end

local DTYPES = { "float64", "float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64",
  "bool" }
local FLOATS = { "float64", "float64", "float32", "float32", "float16", "bfloat16" }
local SIZES = { 0, 1, 1, 2, 2, 3, 4, 5, 7 }
local NUMBERS = { 0, 1, 2, 3, -1, -2, 0.5, 2.5, -1.5, 1 / 0, -1 / 0, 0 / 0 }
local FLOATING = { f = true, u = true, p = true, s = true, m = true, l = true, x = true }
local MATRIX = { p = true, s = true, m = true, l = true }

-- -- JSON ----------------------------------------------------------------------------------------

local function number(v)
  if v ~= v then return "NaN" end
  if v == 1 / 0 then return "Infinity" end
  if v == -1 / 0 then return "-Infinity" end
  return v == 0 and 1 / v < 0 and "-0.0" or (("%.17g"):format(v))
end

local function array(list)
  local parts = {}
  for i = 1, #list do parts[i] = number(list[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function tensor_text(x)
  local data = tensors.values(x)
  return ('{"dtype":"%s","shape":%s,"data":%s}'):format(x.dtype.name, array(x.shape), array(data))
end

local function text(v)
  if kiln.is_tensor(v) then return tensor_text(v) end
  if type(v) == "number" then return number(v) end
  if type(v) == "string" then return ("%q"):format(v):gsub("\n", "n") end
  if type(v) ~= "table" then return v == nil and "null" or tostring(v) end
  local parts = {}
  for i = 1, table.maxn(v) do parts[i] = text(v[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

-- -- Tensors -------------------------------------------------------------------------------------

-- One change for all sizes of a call: what had one size still has.
local function size_map()
  local map = {}
  if chance(0.45) then return function(n) return n end end
  return function(n)
    if not map[n] then map[n] = chance(0.4) and n or one_of(SIZES) end
    return map[n]
  end
end

local function relaid(x)
  if not chance(0.3) then return x end
  local layout = one_of(layouts.layouts)
  local _, view = layout.make(x)
  return view or x
end

-- dtype(spec): that of a floating tensor.
local function make(spec, resize, dtype, special)
  local shape = {}
  for d, n in ipairs(spec.shape) do shape[d] = resize(n) end
  if spec.other then shape = spec.other end
  local s = { kind = spec.kind, shape = shape, lo = spec.lo, hi = spec.hi }
  if s.kind == "i" and s.hi and s.hi > 1 then s.hi = math.max(1, resize(s.hi)) end
  if s.kind == "n" then s.hi = math.max(resize(s.hi), samples.numel(shape)) end
  if MATRIX[s.kind] and (#shape < 2 or shape[#shape] ~= shape[#shape - 1]) then
    s.kind = #shape < 2 and "f" or "m"
  end
  if special and FLOATING[s.kind] then s.kind, s.lo, s.hi = "x", nil, nil end
  local made = samples.make(s, ("%d %g"):format(pick(1e6), random()), spec.domain)
  if not FLOATING[s.kind] then return relaid(tensors.make(made)) end
  local name = dtype()
  local data = samples.converted(made.data, name)
  if special and not name:find "float" then
    for i, v in ipairs(data) do data[i] = (v ~= v or math.abs(v) > 100) and 3 or v end
  end
  return relaid(tensors.of(data, shape, name))
end

-- -- Calls ---------------------------------------------------------------------------------------

local function axis_for(x)
  local n = kiln.is_tensor(x) and x:dim() or 2
  local d = 1 + math.floor(random() * (n + (chance(0.1) and 2 or 0)))
  return chance(0.5) and d or -d
end

local function other_value(kind, v, first, words)
  if kind == "axis" and v ~= nil and chance(0.6) then return axis_for(first) end
  if kind == "axes" and type(v) == "table" and chance(0.6) then
    local list, n = {}, kiln.is_tensor(first) and first:dim() or 2
    for d = 1, n do if chance(0.5) then list[#list + 1] = chance(0.5) and d or d - n - 1 end end
    return list
  end
  if kind == "bool" and chance(0.4) then return chance(0.5) end
  if kind == "number" and type(v) == "number" and chance(0.4) then return one_of(NUMBERS) end
  if kind == "word" and words and v ~= nil and chance(0.4) then return one_of(words) end
  return v
end

local function call_of(row)
  local sample = one_of(row.samples)
  local resize = size_map()
  local mode = pick(4) -- one dtype; one float; each its own; each its own float
  local common = mode == 1 and one_of(DTYPES) or one_of(FLOATS)
  local function dtype()
    return mode == 3 and one_of(DTYPES) or mode == 4 and one_of(FLOATS) or common
  end
  local special = chance(0.2) and row.special ~= false
  local args, options, n = {}, nil, table.maxn(sample)
  local function value(v, a)
    if v == "nil" then return nil end
    local spec = samples.parse(v)
    if spec then
      spec.domain = row.domain
      if chance(0.07) then spec.other = one_of { {}, { 0 }, { 1 }, { 3 }, { 2, 3 } } end
      return make(spec, resize, dtype, special)
    end
    if type(v) == "table" and samples.parse(v[1]) then
      local list = {}
      for i, e in ipairs(v) do list[i] = make(samples.parse(e), resize, dtype, special) end
      return list
    end
    local first = args[1]
    return other_value(a and a.kind, v, type(first) == "table" and first[1] or first, a and a.words)
  end
  local named = {}
  for _, a in ipairs(row.parsed) do named[a.name] = a end
  for i = 1, n do args[i] = value(sample[i], row.parsed[i]) end
  -- What a sample leaves out may be given as well.
  for i = n + 1, #row.parsed do
    local a = row.parsed[i]
    if a.default ~= nil and (a.kind == "bool" or a.kind == "axis" or a.kind == "number") and chance(0.3) then
      args[i] = other_value(a.kind, a.default, args[1])
      n = i
    else
      break
    end
  end
  for k, v in pairs(sample) do
    if type(k) == "string" then
      options = options or {}
      options[k] = value(v, named[k])
    end
  end
  return args, n, options
end

local function report(row, form, args, n, options, target)
  local given, with = {}, {}
  for i = 1, n do given[i] = text(args[i]) end
  for k, v in pairs(options or {}) do with[#with + 1] = ("%q:%s"):format(k, text(v)) end
  local head = ('"name":"%s","form":"%s","args":[%s],"options":{%s},"out":%s'):format(row.name, form,
    table.concat(given, ","), table.concat(with, ","), text(target))
  local ok, results
  if form == "call" then
    ok, results = pcall(tensors.call, row, args, n, options)
  else
    local list = { unpack(args, 1, n) }
    local f = kiln[row.name]
    if form == "inplace" then
      f = kiln.Tensor[row.name .. "_"]
      list[1] = list[1]:clone()
    else
      n = n + 1
      list[n] = { out = target }
    end
    ok, results = pcall(function() return { n = 1, (f(unpack(list, 1, n))) } end)
  end
  local said = {}
  if not ok then
    said = { ('"error":%s'):format(text((tostring(results):gsub("[^\32-\126]", " ")))) }
  else
    for i = 1, results.n do
      said[i] = text(type(results[i]) == "boolean" and kiln.tensor(results[i]) or results[i])
    end
    said = { '"results":[' .. table.concat(said, ",") .. "]" }
  end
  print("{" .. head .. "," .. said[1] .. "}")
end

local kinds = {}
for i, a in ipairs(rows.public(function(row)
  return row.torch ~= false and not row.random and (not NAME or row.name == NAME)
end)) do kinds[i] = a end

for _ = 1, COUNT do
  local row = one_of(kinds)
  local args, n, options = call_of(row)
  local form, target = "call", nil
  if not options and chance(0.25) and kiln.is_tensor(args[1]) and not row.writes then
    if kiln.Tensor[row.name .. "_"] and chance(0.6) then form = "inplace"
    elseif (row.outs or 1) == 1 and row.group ~= "view" and row.group ~= "composite" then
      form, target = "out", tensors.of({}, { 0 }, one_of(DTYPES))
    end
  end
  report(row, form, args, n, options, target)
end
