--- Writes what people and editors read: docs/ops.md and lua/kiln/stubs.lua from the op table, docs/layers.md
-- and the rest of the stubs from kiln.nn.texts and the classes (docs/layers.lua).  `luajit lua/kiln/docs.lua`
-- writes them, from the root of the source tree, with the library built; spec/docs_spec.lua fails when they
-- are stale.
local standalone = ... == nil
if standalone then package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path end
local ops = require "kiln.ops"

local M = {}

local TENSOR = require("kiln.kinds").one_tensor

local function is_method(row)
  return row.parsed[1] ~= nil and TENSOR[row.parsed[1].kind] == true
end

local function is_public(row) return not row.internal end

-- -- Words -------------------------------------------------------------------------------------

local FAMILY = {
  elementwise = "Arithmetic and functions of each element", activation = "Activation functions",
  compare = "Comparison and logic", reduce = "Reductions", scan = "Running sums and their kin",
  view = "Views", copy = "Copies and casts", create = "New tensors", random = "Random numbers",
  index = "Choosing by mask and by position", sort = "Sorting", matmul = "Matrix products",
  linalg = "Linear algebra", products = "Products and distances", softmax = "Softmax",
  conv = "Convolution", pool = "Pooling", norm = "Normalisation", loss = "Losses",
  optim = "Optimizer steps", rnn = "Recurrent layers", attention = "Attention",
  shape = "Joining, splitting, turning", parts = "Cutting, stacking, writing a part", stats = "Statistics",
  vision = "Images",
}

local SHAPE = {
  same = "as the input", broadcast = "the inputs broadcast", reduce = "the input's without the reduced dims",
}

local DTYPE = {
  same = "the common dtype of the inputs", number = "the common dtype; bool becomes int64",
  float = "the common dtype; integers become the default float dtype",
  bool = "bool", index = "int64", sum = "the common dtype; integers and bool become int64",
  arg = "the argument dtype", values_index = "the common dtype; positions are int64",
  statistics = "the common dtype; statistics of 16 bits are float32",
}

local KIND = {
  tensor = "tensor or number", raw = "tensor or number", index = "tensor of int64 positions",
  host = "tensor of int64, on the CPU", mask = "tensor of bool", list = "list of tensors",
  axis = "position of a dim",
  axes = "list of dims", shape = "list of sizes", ints = "list of whole numbers", int = "whole number",
  position = "position", number = "number", bool = "true or false", dtype = "dtype", device = "device",
}

local TYPE = {
  tensor = "kiln.Tensor|number", raw = "kiln.Tensor|number", index = "kiln.Tensor", mask = "kiln.Tensor",
  host = "kiln.Tensor", list = "kiln.Tensor[]", axis = "integer", axes = "integer[]|integer",
  shape = "integer[]|integer", ints = "integer[]|integer", int = "integer", position = "integer",
  number = "number", bool = "boolean", dtype = "kiln.dtype|string", device = "string", any = "any",
}

local function default_text(v)
  if v == math.huge then return "math.huge" end
  if v == -math.huge then return "-math.huge" end
  if type(v) == "string" then return ("%q"):format(v) end
  if type(v) == "table" then return "{}" end
  if type(v) == "number" then return ("%.14g"):format(v) end
  return tostring(v)
end

local function may_be_nil(a)
  return a.optional or a.has_default or a.kind == "any"
end

local function parameter(a)
  if a.has_default and a.default ~= nil then return a.name .. " = " .. default_text(a.default) end
  return may_be_nil(a) and a.kind ~= "any" and a.name .. "?" or a.name
end

local function parameters(row, first)
  local parts = {}
  for i = first, #row.parsed do parts[#parts + 1] = parameter(row.parsed[i]) end
  return table.concat(parts, ", ")
end

-- The ways to call an op.
local function signatures(row)
  local list = {}
  if not row.writes then list[1] = ("kiln.%s(%s)"):format(row.name, parameters(row, 1)) end
  if is_method(row) then
    local rest = parameters(row, 2)
    local self = row.parsed[1].name
    if row.writes then list[1] = ("kiln.%s_(%s)"):format(row.name, parameters(row, 1)) end
    if not row.writes then list[#list + 1] = ("%s:%s(%s)"):format(self, row.name, rest) end
    if row.writes or row.inplace then list[#list + 1] = ("%s:%s_(%s)"):format(self, row.name, rest) end
  end
  return list
end

local function argument_text(row)
  local parts = {}
  for i, a in ipairs(row.parsed) do
    if a.kind ~= "any" and not (i == 1 and is_method(row)) then
      local kind = a.words and "'" .. table.concat(a.words, "' or '") .. "'" or KIND[a.kind]
      parts[#parts + 1] = ("`%s` %s"):format(a.name, kind)
    end
  end
  return #parts > 0 and "Arguments: " .. table.concat(parts, ", ") .. "." or nil
end

local function gradient_text(row)
  if row.grad == false then return "none" end
  if row.group == "composite" then return "through the ops it is made of" end
  local names = {}
  for _, a in ipairs(row.ins) do
    local has = not row.d or row.d[a.name]
    if has and not (a.kind == "index" or a.kind == "mask" or a.kind == "host") then
      names[#names + 1] = "`" .. a.name .. "`"
    end
  end
  return "by " .. table.concat(names, ", ")
end

local function facts(row)
  local parts = {}
  local rule = row.shape
  if row.pointwise then rule = #row.ins == 1 and "same" or "broadcast" end
  if SHAPE[rule] then parts[#parts + 1] = "Shape: " .. SHAPE[rule] .. "." end
  if row.group == "view" then parts[#parts + 1] = "Shares memory with its input." end
  if row.dtype then parts[#parts + 1] = "Dtype: " .. DTYPE[row.dtype] .. "." end
  parts[#parts + 1] = "Gradient: " .. gradient_text(row) .. "."
  return table.concat(parts, " ")
end

-- -- docs/ops.md -------------------------------------------------------------------------------

local HEAD = [[
# Ops

Every op of kiln, by family. This page is written by `luajit lua/kiln/docs.lua` from the op table
(`lua/kiln/ops/`).

What makes, converts, prints and keeps tensors stands on [another page](functions.md).

A trailing `_` writes into the tensor and returns it; every such method is also a function, `kiln.add_(x, y)`.
Dims and positions count from 1, or from the end when negative. Optional arguments are given by position or
in a table at the end, `x:sum(2, {keepdim = true})`; every function `kiln.NAME` also takes `out`, a tensor (or
a list of them) that receives the result. float16 and bfloat16 are computed in float32 where there is no
kernel of their own.

**Numbers and integer dtypes.** In `x + 2` a whole number keeps the dtype of x and wraps around in it (200 +
100 is 44 as uint8), a fraction or an infinity makes the result floating; one that scales (`alpha`, `beta`,
`value`, ...) or is written (`fill_`, `x[i] = `, `masked_fill`, `scatter`, `apply_`, tables of numbers) is
refused, by name, where the dtype cannot hold it. What is written loses its fraction, and a negative number
counts from the end of uint8. Tensors are cast without being looked at: fractions are dropped, NaN becomes
0, what lies beyond int32 (int64: beyond int64) the nearest number in it, of which int8, uint8 and int16
take the low bits.

Beside float16 and bfloat16 a number is rounded to them first, so that `x:eq(0.1)` finds what `fill_(0.1)`
wrote; in `mul`, `div`, the rounded divisions, `lerp` and `xlogy` it keeps the digits of float32.
]]

-- "Other names: ..." or nil.
local function other_names(row)
  local list = {}
  for name in (row.also or ""):gmatch "%S+" do
    local method = is_method(row) and (", `%s:%s`"):format(row.parsed[1].name, name) or ""
    local inplace = row.inplace and (", `%s:%s_`"):format(row.parsed[1].name, name) or ""
    list[#list + 1] = ("`kiln.%s`%s%s"):format(name, method, inplace)
  end
  return #list > 0 and "Other names: " .. table.concat(list, ", ") .. "." or nil
end

local function section(row, lines)
  lines[#lines + 1] = ("### %s\n"):format(row.name)
  local calls = signatures(row)
  for i, text in ipairs(calls) do calls[i] = "`" .. text .. "`" end
  lines[#lines + 1] = table.concat(calls, " \194\183 ") .. "\n"
  lines[#lines + 1] = row.doc .. "\n"
  local arguments = argument_text(row)
  local parts = { facts(row) }
  if arguments then table.insert(parts, 1, arguments) end
  parts[#parts + 1] = other_names(row)
  lines[#lines + 1] = table.concat(parts, " ") .. "\n"
end

--- What the prompt shows of an op: plain text.
---@return string
function M.text(row)
  local calls = table.concat(signatures(row), "\n")
  local parts = { calls, row.doc, argument_text(row) or facts(row) }
  if parts[3] ~= facts(row) then parts[4] = facts(row) end
  return (table.concat(parts, "\n\n"):gsub("`", ""))
end

local function by_family()
  local families, order = {}, {}
  for _, row in ipairs(ops.rows) do
    if is_public(row) then
      if not families[row.family] then
        families[row.family] = {}
        order[#order + 1] = row.family
      end
      table.insert(families[row.family], row)
    end
  end
  return families, order
end

--- The text of docs/ops.md.
---@return string
function M.markdown()
  local lines = { HEAD }
  local families, order = by_family()
  for _, family in ipairs(order) do
    lines[#lines + 1] = ("## %s\n"):format(FAMILY[family] or family)
    for _, row in ipairs(families[family]) do section(row, lines) end
  end
  return table.concat(lines, "\n")
end

-- -- lua/kiln/stubs.lua --------------------------------------------------------------------------

local STUBS = [[
---@meta
-- What editors know of the ops.  Written by `luajit lua/kiln/docs.lua`; nothing requires this file.
-- luacheck: ignore

---@class kiln
local kiln = {}

---@class kiln.Tensor
local Tensor = {}
]]

local RESERVED = { ["end"] = true, ["repeat"] = true, ["function"] = true }

local function stub(lines, row, owner, name, first, returns)
  lines[#lines + 1] = "--- " .. row.doc
  local names = {}
  for i = first, #row.parsed do
    local a = row.parsed[i]
    local of = a.words and "'" .. table.concat(a.words, "'|'") .. "'" or TYPE[a.kind]
    names[#names + 1] = a.name
    lines[#lines + 1] = ("---@param %s%s %s"):format(a.name, may_be_nil(a) and "?" or "", of)
  end
  lines[#lines + 1] = "---@return " .. returns
  local target = ("function %s.%s"):format(owner, name)
  if owner == "Tensor" then target = ("function %s:%s"):format(owner, name) end
  if RESERVED[name] then
    target = ("%s[%q] = function"):format(owner, name)
    if owner == "Tensor" then table.insert(names, 1, "self") end
  end
  lines[#lines + 1] = ("%s(%s) end\n"):format(target, table.concat(names, ", "))
end

--- The text of lua/kiln/stubs.lua.
---@return string
function M.stubs()
  local lines = { STUBS }
  for _, row in ipairs(ops.rows) do
    if is_public(row) then
      local results = {}
      for i = 1, row.outs or 1 do results[i] = "kiln.Tensor" end
      local returns = table.concat(results, ", ")
      for name in (row.name .. " " .. (row.also or "")):gmatch "%S+" do
        if not row.writes then stub(lines, row, "kiln", name, 1, returns) end
        if is_method(row) then
          if not row.writes then stub(lines, row, "Tensor", name, 2, returns) end
          if row.writes or row.inplace then stub(lines, row, "Tensor", name .. "_", 2, "kiln.Tensor") end
        end
      end
    end
  end
  return table.concat(lines, "\n")
end

-- -- Files -------------------------------------------------------------------------------------

--- The files that are written, and their texts.
---@return table<string, string>
function M.files()
  local layers = require "kiln.docs.layers"
  return { ["docs/ops.md"] = M.markdown(), ["docs/layers.md"] = layers.markdown(),
    ["lua/kiln/stubs.lua"] = M.stubs() .. "\n" .. layers.stubs() }
end

if standalone then
  for path, text in pairs(M.files()) do
    local f = assert(io.open(path, "wb"))
    f:write(text)
    f:close()
    print("wrote " .. path)
  end
end

return M
