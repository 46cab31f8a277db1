--- The op table: which ops exist, what they take, what their gradients need, how they are tested.
-- This file is the vocabulary (the groups of rows, how an argument list is read) and the index;
-- the rows live in ops/FAMILY.lua.  It is required by the binding and the specs at run time and
-- by core/gen.lua at build time, so it needs nothing but plain Lua.  It refuses to compute.
--
--   unary, binary, compare, pointwise   one scalar function, for C and CUDA at once (scalar.h),
--                                       or one expression (`expr`); derivatives are expressions
--   reduce     x, dims = {}, keepdim = false: one pass over memory
--   view       stride arithmetic, no data moves (core/view.c)
--   kernel     its own loop on each backend
--   composite  a Lua function of other ops
--
-- An argument list is text: `x, w?, dim: axis = -1, p: number = 2`.
--   tensors    (no kind) takes part in promotion; `list` any number of them; `raw` any dtype;
--              `index` int64 positions from 1; `mask` bool; `host` int64, read on the CPU by any kernel
--   integers   axis, int, bool, position, dtype, device, a|b|c (one of these words)
--   others     number; shape, axes, ints (lists); any (composites only)
--   `name?` or `kind?` may be left out (nil)
--
-- Where `spread` is true a list at the beginning may also be given as tensors one after the other.  Other
-- names of the same op stand in `also`.  An option that changes what is called stands in `with`, a table of
-- functions: with.NAME(name, call, value, ...) gets what the user called, the op as `call` and the arguments
-- of the row; so does a word, or a dtype, in the place of a number.  Of several options of a call each
-- changes what the others made of it, in any order; a word comes first.  A row whose arguments come in
-- another order, too, has a `form`: form(call, name, given, n) gets the n arguments of a call that is not
-- plain, and returns what to call for it, or nil.  A row that refuses arguments which could be cut to fit has
-- `instead`: instead(...) gets those of a call that failed, and returns the arguments to call it with once
-- more, or nothing.
local kinds = require "kiln.kinds"

local M = {}
local rows, by_name -- of the table that is being read, or was last

M.families = {
  "elementwise", "activation", "compare", "reduce", "scan", "view", "copy", "create", "random", "index",
  "sort", "matmul", "linalg", "products", "softmax", "attention", "conv", "pool", "norm", "loss", "optim",
  "rnn", "shape", "parts", "stats", "vision",
}

local OF_DIMS = { axis = true, axes = true, shape = true }
local TENSOR = setmetatable({ list = true }, { __index = kinds.one_tensor })
local LIST = kinds.numbers
local INTEGER = { axis = true, int = true, bool = true, position = true, dtype = true,
  device = true, word = true }

local function trim(s) return (s:gsub("^%s+", ""):gsub("%s+$", "")) end

local function default_value(text, kind)
  if text == "nil" then return nil end
  if text == "true" or text == "false" then return text == "true" end
  if text == "{}" then return {} end
  if text == "inf" then return math.huge end
  if text == "-inf" then return -math.huge end
  if kind == "word" or kind == "dtype" then return text end
  local n = tonumber(text)
  if n == nil then error("bad default '" .. text .. "'", 0) end
  return n
end

--- Reads an argument list into { name, kind, optional, default, has_default, words }.
function M.parse_args(text)
  local args = {}
  for part in (text .. ","):gmatch "([^,]*)," do
    part = trim(part)
    if part ~= "" then
      local left, default = part:match "^(.-)%s*=%s*(.+)$"
      left = left or part
      local name, kind = left:match "^([%w_]+%??)%s*:%s*(.+)$"
      name = name or left
      local a = { name = name:gsub("%?$", ""), kind = "tensor" }
      if name:find "%?$" then a.optional = true end
      if kind then
        kind = trim(kind)
        if kind:find "%?$" then a.optional = true; kind = kind:gsub("%?$", "") end
        if kind:find "|" then
          a.words = {}
          for w in kind:gmatch "[^|]+" do a.words[#a.words + 1] = trim(w) end
          kind = "word"
        end
        a.kind = kind
      end
      if not (TENSOR[a.kind] or LIST[a.kind] or INTEGER[a.kind] or a.kind == "number"
          or a.kind == "any") then
        error("unknown kind '" .. a.kind .. "' of argument " .. a.name, 0)
      end
      if default then
        a.has_default = true
        a.default = default_value(default, a.kind)
      end
      args[#args + 1] = a
    end
  end
  return args
end

local function split(args)
  local ins, attrs, lists = {}, {}, {}
  for _, a in ipairs(args) do
    if TENSOR[a.kind] then ins[#ins + 1] = a
    elseif LIST[a.kind] then lists[#lists + 1] = a
    elseif a.kind ~= "any" then attrs[#attrs + 1] = a end
  end
  return ins, attrs, lists
end

-- A program calls few of the rows, and Lua's collector walks everything that is kept of the others.  So
-- what follows from a row's argument list is found when it is first asked for, and what only the tests, the
-- documentation and core/gen.lua ask for is dropped when the table has been read: the first who asks for
-- some of it has the families read again.
local FOLLOWS = {
  parsed = function(row)
    local list = M.parse_args(row.args)
    for _, a in ipairs(list) do
      if OF_DIMS[a.kind] then list[1].no_number = true end -- x.sum(1) must not be the sum of 1
    end
    return list
  end,
  ins = function(row) return (split(row.parsed)) end,
  attrs = function(row) return (select(2, split(row.parsed))) end,
  lists = function(row) return (select(3, split(row.parsed))) end,
  is_method = function(row)
    local first = row.parsed[1]
    return first ~= nil and TENSOR[first.kind] == true
  end,
}
local KEPT = { "name", "group", "args", "outs", "inplace", "internal", "writes", "also", "spread" }
-- Of a row: kept once somebody has asked for some of its family.
local FUNCTIONS = { "lua", "with_tensors", "with", "form", "instead" }
local IS_KEPT, IS_FUNCTION = {}, {}
for _, key in ipairs(KEPT) do IS_KEPT[key] = true end
for _, key in ipairs(FUNCTIONS) do IS_FUNCTION[key] = true end

local function follow(row, key)
  local ok, value = pcall(FOLLOWS[key], row)
  if not ok then error(("op table: %s: %s"):format(row.name, value), 0) end
  row[key] = value
  return value
end

local Row = {} -- all of a row
function Row.__index(row, key)
  if FOLLOWS[key] then return follow(row, key) end
end

local Stub = {} -- what is kept of it
local whole -- name -> the row, once somebody has asked for it
local fetch -- gives the stubs of a family their functions

function Stub.__index(stub, key)
  if FOLLOWS[key] then return follow(stub, key) end
  if IS_FUNCTION[key] and rawget(stub, "unread") then
    fetch(stub.unread)
    return rawget(stub, key)
  end
  if IS_KEPT[key] or IS_FUNCTION[key] or key == "unread" then return nil end
  whole = whole or M.read()
  return whole[stub.name][key]
end

local function stub_of(row)
  local stub = setmetatable({}, Stub)
  for _, key in ipairs(KEPT) do stub[key] = row[key] end
  if row.lua or row.with_tensors or row.with or row.form or row.instead then stub.unread = row.family end
  return stub
end

local function forget(row)
  for key in pairs(FOLLOWS) do row[key] = nil end
end
jit.off(forget) -- walks a table: docs/architecture.md, "LuaJIT"

local RULES = { same = true, number = true, float = true, bool = true, index = true, sum = true, arg = true,
  values_index = true, statistics = true }

local function add(group, name, row)
  local where = ("op table: %s: "):format(name)
  local function bad(msg) error(where .. msg, 0) end
  if by_name[name] then bad "stands twice" end
  if type(row.doc) ~= "string" then bad "has no doc" end
  row.name, row.group, row.family = name, group, M.family
  row.args = row.args or "x"
  if group ~= "composite" then
    row.dtype = row.dtype or "same"
    if not RULES[row.dtype] then bad("unknown dtype rule " .. tostring(row.dtype)) end
    row.outs = row.outs or 1
  end
  if not row.internal and not row.samples then bad "has no samples" end
  if (group == "kernel" or group == "view" or group == "reduce") and row.grad == nil then
    bad "does not say whether it has a gradient (grad = true or false)"
  end
  rows[#rows + 1] = row
  by_name[name] = setmetatable(row, Row)
  return row
end

-- -- Groups ------------------------------------------------------------------------------------

local groups = {
  -- For composites: kiln.check.raise, reached at call time because this file needs plain Lua only.
  raise = function(...) return require("kiln.check").raise(...) end,
  axis = function(...) return require("kiln.check").axis(...) end, -- NAME, argument, x, dim
  above = function(...) return require("kiln.check").above(...) end, -- number, NAME, argument, least
  at_least = function(...) return require("kiln.check").at_least(...) end, -- the same
  in_float32 = require("kiln.halves").in_float32, -- a formula
}

-- For `with`: the option `dtype` of ops that are computed in it, or in a floating one only.
function groups.with_dtype(name, call, dtype, x, ...)
  local check, dtypes = require "kiln.check", require "kiln.dtype"
  dtype = dtypes.by_code[check.dtype(dtype, name)]
  local y = call(x:to(dtype), ...)
  return y.dtype == dtype and y or y:to(dtype)
end
function groups.with_float_dtype(name, call, dtype, ...)
  local d = require("kiln.dtype").of(dtype)
  if d and not d.is_floating_point then groups.raise(name, "dtype must be floating, got %s", d.name) end
  return groups.with_dtype(name, call, dtype, ...)
end

local function define(group, fill)
  groups[group] = function(name)
    return function(row)
      if fill then fill(row, name) end
      return add(group, name, row)
    end
  end
end

-- Pointwise rows: `d` maps each differentiable input to the derivative of the output by it, an
-- expression over inputs, parameters, `out` and other pointwise ops.  `types`: float, int, whole (int
-- and bool), real (float and int) or all.
local function pointwise(row, samples)
  if row.d == nil and row.grad == nil then error("op table: pointwise row without d or grad", 0) end
  if type(row.d) == "string" then row.d = { x = row.d } end
  row.grad = row.d ~= nil
  row.types = row.types or "float"
  row.samples = row.samples or samples
  row.pointwise = true
  if row.inplace == nil then row.inplace = not row.internal and row.dtype ~= "bool" end
end

define("unary", function(row)
  row.args = row.args or "x"
  row.dtype = row.dtype or (row.types == nil or row.types == "float") and "float" or "same"
  pointwise(row, { { "f[3,4]" }, { "f[]" } })
end)
define("binary", function(row)
  row.args = row.args or "x, y"
  row.types = row.types or "real"
  pointwise(row, { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" }, { "f[2,1,3]", "f[4,1]" } })
end)
define("compare", function(row)
  row.args = row.args or "x, y"
  row.types, row.dtype, row.grad = row.types or "all", "bool", false
  row.inplace = true -- as in the reference: x:lt_(y) holds 0 and 1 in x's own dtype
  pointwise(row, { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]" }, { "i(0,3)[3,4]", "i(0,3)[4]" } })
end)
define("pointwise", function(row) pointwise(row) end)
define("reduce", function(row)
  row.args = row.args or "x, dims: axes = {}, keepdim: bool = false"
  row.shape = row.shape or "reduce"
  row.samples = row.samples or { { "f[3,4]" }, { "f[3,4]", { 1 } }, { "f[2,3,4]", { 1, 3 } },
    { "f[2,3,4]", { -2 }, true }, { "f[]" } }
end)
define("view")
define("kernel")
define("composite", function(row) row.args = row.args or "x" end)

-- Which inputs and outputs the gradient of each input reads: { [input] = { names } }.
local function expression_names(text)
  local names = {}
  for name, next_char in text:gmatch "([%a_][%w_]*)%s*(%(?)" do
    if next_char == "" then names[name] = true end
  end
  return names
end

--- saves: "x out" (for every gradient) or { x = "w", w = "x" } (by gradient); pointwise rows say
-- it with `d`.  Returns { [input name] = { [saved name] = true } }.
function M.saves_of(row)
  local result = {}
  for _, a in ipairs(row.ins) do
    local set = {}
    if row.pointwise then
      if row.d and row.d[a.name] then set = expression_names(row.d[a.name]) end
    else
      local text = row.saves
      if type(text) == "table" then text = text[a.name] end
      for word in (text or ""):gmatch "[%w_]+" do set[word] = true end
    end
    result[a.name] = set
  end
  return result
end

-- A fused kernel for each derivative, g * d(x, y): what the engine runs when no graph is made.
local function add_derivatives()
  for i = 1, #rows do
    local row = rows[i]
    if row.pointwise and row.d then
      row.derivatives = {}
      for _, a in ipairs(row.ins) do
        local d = row.d[a.name]
        if d and d ~= "1" and d ~= "-1" and d ~= "0" then
          local used, inputs = expression_names(d), { "g" }
          for _, b in ipairs(row.ins) do
            if used[b.name] then inputs[#inputs + 1] = b.name end
          end
          if used.out then inputs[#inputs + 1] = "out" end
          local args = table.concat(inputs, ", ")
          for _, p in ipairs(row.attrs) do args = args .. ", " .. p.name .. ": " .. p.kind end
          local name = row.name .. "_d" .. a.name
          M.family = row.family
          add("pointwise", name, {
            args = args, doc = "g times the derivative of " .. row.name .. " by " .. a.name .. ".",
            expr = "g * (" .. d .. ")", types = "float", pointwise = true, internal = true,
            grad = false, inplace = false, exact = row.exact,
          })
          row.derivatives[a.name] = { op = name, inputs = inputs }
        end
      end
      forget(row)
    end
  end
end

-- row.autocast: "low" or "wide", from lua/kiln/ops/precision.lua.
local function add_precision(lists)
  for how, names in pairs(lists) do
    for name in names:gmatch "%S+" do
      local row = by_name[name]
      if not row or row.group == "composite" or row.autocast then
        error(("op table: precision: %s is no row with a kernel, or stands twice"):format(name), 0)
      end
      row.autocast = how
    end
  end
end
jit.off(add_precision)

-- A family's file has done its work once its rows are here.
local function require_family(family)
  local name = "kiln.ops." .. family
  local result = require(name)
  package.loaded[name] = nil
  return result
end

-- Composites reach other ops through this, at call time; internal rows too, where the kiln table has
-- nothing of the name.
local K = setmetatable({}, { __index = function(_, k)
  return require("kiln.namespace").find(require "kiln", k) or require("kiln.bind").internal(k)
end })

local function read_family(family)
  M.family = family
  require_family(family)(groups, K)
end

function fetch(family)
  rows, by_name = {}, {}
  read_family(family)
  for _, stub in ipairs(M.rows) do
    if rawget(stub, "unread") == family then
      stub.unread = nil
      for _, key in ipairs(FUNCTIONS) do stub[key] = by_name[stub.name][key] end
    end
  end
  rows, by_name = nil, nil
end

--- Reads all families.  Returns the rows by name, and in order.
function M.read()
  rows, by_name = {}, {}
  for _, family in ipairs(M.families) do read_family(family) end
  add_derivatives()
  add_precision(require_family "precision")
  return by_name, rows
end

M.rows, M.by_name = {}, {}
M.also = {} -- another name of an op -> its row's
for i, row in ipairs(select(2, M.read())) do
  local stub = stub_of(row)
  M.rows[i], M.by_name[row.name] = stub, stub
  for name in (row.also or ""):gmatch "%S+" do M.also[name] = row.name end
end
rows, by_name = nil, nil
return M
