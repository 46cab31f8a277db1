--- Writes the Lua source of an op's function from its row of the op table.
-- Each kind of argument has a writer that tests a value and turns it into what C takes (to_c), or,
-- for composites, into the Lua value the row's function takes (to_lua).  What fails a test leaves
-- for the slow road.  This is the one place where 1-based dims and positions become 0-based.
-- It refuses to run anything: bind.lua compiles the text and provides the names it uses.
local args = require "kiln.args"
local dtypes = require "kiln.dtype"
local kinds = require "kiln.kinds"

local M = {}

local TENSOR, LIST = kinds.one_tensor, kinds.numbers
local NONE = "-0x1p63" -- INT64_MIN as a double: an absent optional integer
local MAX_SPREAD = 8

local function literal(v)
  if v == nil then return "nil" end
  if v == math.huge then return "1/0" end
  if v == -math.huge then return "-1/0" end
  if type(v) == "number" then return ("%.17g"):format(v) end
  if type(v) == "string" then return ("%q"):format(v) end
  if type(v) == "table" then return "{}" end
  return tostring(v)
end

-- Writers of the lines that turn argument `a` (the variable `v`) into what C takes.  Each returns
-- the text for the C argument list.  `ctx` counts buffers and says how to leave for the slow road.
local to_c = {}

local function emit_tensor(ctx, a, v)
  ctx.tensors = ctx.tensors + 1
  local t = "t_" .. a.name
  ctx:add("local %s = %s", t, v)
  if a.optional then
    ctx:add("if %s == nil then %s = none", v, t)
    ctx:add("elseif is_tensor(%s) then if %s.p == nil then %s end", v, v, ctx.leave)
    ctx:add("else")
  else
    ctx:add("if not is_tensor(%s) then", v)
  end
  if (a.kind == "tensor" or a.kind == "raw") and not a.no_number then
    ctx:add("  local p = number(%s)", v)
    ctx:add("  if p == nil then %s end", ctx.leave)
    ctx:add("  %s = %s", t, ctx:need("lent", ctx.tensors))
    ctx:add("  %s.p = p", t)
  else
    ctx:add("  %s", ctx.leave)
  end
  ctx:add("end")
  return t .. ".p"
end
for kind in pairs(TENSOR) do to_c[kind] = emit_tensor end

function to_c.list(ctx, a, v)
  ctx.pointer_lists = ctx.pointer_lists + 1
  ctx:add("local l_%s, n_%s = pointers(%d, %s)", a.name, a.name, ctx.pointer_lists, v)
  ctx:add("if l_%s == nil then %s end", a.name, ctx.leave)
  return ("l_%s, n_%s"):format(a.name, a.name)
end

local function emit_integers(ctx, a, v)
  ctx.lists = ctx.lists + 1
  local n = "n_" .. a.name
  local buf = ctx:need("buffers", ctx.lists)
  local filler = a.kind == "axes" and "fill_axes" or "fill"
  local absent = a.has_default and a.default ~= nil and "0" or "-1"
  if v == ctx.spread then
    ctx:add("local %s", n)
    ctx:add("if type(%s) == 'table' and %s2 == nil then %s = %s(%s, %s)", v, v, n, filler, buf, v)
    if args.may_be_nil(a) then ctx:add("elseif %s == nil and %s2 == nil then %s = %s", v, v, n, absent) end
    ctx:add("else %s = spread(%s, %s, %s) end", n, buf, tostring(a.kind == "axes"),
      ctx.spread_names)
  elseif args.may_be_nil(a) then
    ctx:add("local %s = %s", n, absent)
    ctx:add("if %s ~= nil then %s = %s(%s, %s) end", v, n, filler, buf, v)
  else
    ctx:add("local %s = %s(%s, %s)", n, filler, buf, v)
  end
  ctx:add("if %s == nil then %s end", n, ctx.leave)
  return ("%s, %s"):format(buf, n)
end
for kind in pairs(LIST) do to_c[kind] = emit_integers end

-- The C value of a default; the same conversions as at run time.
local function default_integer(a, from_one)
  local d = a.default
  if d == nil then return NONE end
  return literal(from_one and d > 0 and d - 1 or d)
end

local function emit_scalar(ctx, a, v, test, value, default)
  local c = "c_" .. a.name
  ctx:add("local %s", c)
  ctx:add("if %s then %s = %s", test, c, value)
  if args.may_be_nil(a) then ctx:add("elseif %s == nil then %s = %s", v, c, default) end
  ctx:add("else %s end", ctx.leave)
  return c
end

local function emit_position(ctx, a, v)
  return emit_scalar(ctx, a, v, ("type(%s) == 'number' and %s ~= 0 and whole(%s)"):format(v, v, v),
    ("%s > 0 and %s - 1 or %s"):format(v, v, v), default_integer(a, true))
end
to_c.axis, to_c.position = emit_position, emit_position

function to_c.int(ctx, a, v)
  return emit_scalar(ctx, a, v, ("type(%s) == 'number' and whole(%s)"):format(v, v), v,
    default_integer(a))
end

function to_c.number(ctx, a, v)
  return emit_scalar(ctx, a, v, ("type(%s) == 'number'"):format(v), v,
    a.default ~= nil and literal(a.default) or "0/0")
end

function to_c.bool(ctx, a, v)
  local default = a.default == nil and NONE or a.default and "1" or "0"
  return emit_scalar(ctx, a, v, ("type(%s) == 'boolean'"):format(v), v .. " and 1 or 0", default)
end

function to_c.word(ctx, a, v)
  local codes = {}
  for i, w in ipairs(a.words) do codes[w] = i - 1 end
  ctx.words[a.name] = codes
  local default = a.default and tostring(codes[a.default]) or NONE
  return emit_scalar(ctx, a, v, ("%s ~= nil and words.%s[%s]"):format(v, a.name, v),
    ("words.%s[%s]"):format(a.name, v), default)
end

function to_c.dtype(ctx, a, v)
  local default = a.default and tostring(dtypes.code[a.default]) or NONE
  return emit_scalar(ctx, a, v, ("%s ~= nil and dtype_code[%s]"):format(v, v),
    ("dtype_code[%s]"):format(v), default)
end

function to_c.device(ctx, a, v)
  return emit_scalar(ctx, a, v, ("%s ~= nil and device_code[%s]"):format(v, v),
    ("device_code[%s]"):format(v), a.default ~= nil and "devices.default" or NONE)
end

-- Composites take Lua values: the same tests, and defaults filled in.
local to_lua = {}

local function emit_lua_tensor(ctx, a, v)
  ctx:add("if is_tensor(%s) then if %s.p == nil then %s end", v, v, ctx.leave)
  if a.optional then ctx:add("elseif %s == nil then", v) end
  ctx:add("else")
  if (a.kind == "tensor" or a.kind == "raw") and not a.no_number then
    ctx:add("  local box = boxed(%s)", v)
    ctx:add("  if box == nil then %s end", ctx.leave)
    ctx:add("  %s = box", v)
  else
    ctx:add("  %s", ctx.leave)
  end
  ctx:add("end")
  return v
end
for kind in pairs(TENSOR) do to_lua[kind] = emit_lua_tensor end

function to_lua.list(ctx, _a, v)
  ctx.pointer_lists = ctx.pointer_lists + 1
  ctx:add("if pointers(%d, %s) == nil then %s end", ctx.pointer_lists, v, ctx.leave)
  return v
end

local function emit_lua_integers(ctx, a, v)
  ctx.lists = ctx.lists + 1
  local filler = a.kind == "axes" and "fill_axes" or "fill"
  if v == ctx.spread then ctx:add("if %s2 ~= nil then %s end", v, ctx.leave) end
  ctx:add("if %s ~= nil then", v)
  ctx:add("  if %s(%s, %s) == nil then %s end", filler, ctx:need("buffers", ctx.lists), v, ctx.leave)
  ctx:add("  if type(%s) == 'number' then %s = { %s } end", v, v, v)
  if args.may_be_nil(a) then
    if a.default ~= nil then ctx:add("else %s = {}", v) end
  else
    ctx:add("else %s", ctx.leave)
  end
  ctx:add("end")
  return v
end
for kind in pairs(LIST) do to_lua[kind] = emit_lua_integers end

local function emit_lua_scalar(test)
  return function(ctx, a, v)
    ctx:add("if %s == nil then %s", v,
      args.may_be_nil(a) and ("%s = %s"):format(v, literal(a.default)) or ctx.leave)
    ctx:add("elseif not (%s) then %s end", test:gsub("%$", v), ctx.leave)
    return v
  end
end
to_lua.axis = emit_lua_scalar "type($) == 'number' and $ ~= 0 and whole($)"
to_lua.position = to_lua.axis
to_lua.int = emit_lua_scalar "type($) == 'number' and whole($)"
to_lua.number = emit_lua_scalar "type($) == 'number'"
to_lua.bool = emit_lua_scalar "type($) == 'boolean'"

function to_lua.word(ctx, a, v)
  local codes = {}
  for i, w in ipairs(a.words) do codes[w] = i - 1 end
  ctx.words[a.name] = codes
  ctx:add("if %s == nil then %s = %s end", v, v, literal(a.default))
  ctx:add("if %s ~= nil and not words.%s[%s] then %s end", v, a.name, v, ctx.leave)
  if not args.may_be_nil(a) then ctx:add("if %s == nil then %s end", v, ctx.leave) end
  return v
end

function to_lua.dtype(ctx, a, v)
  if a.default then ctx:add("if %s == nil then %s = %s end", v, v, literal(a.default)) end
  ctx:add("if %s ~= nil then", v)
  ctx:add("  if dtype_of(%s) == nil then %s end", v, ctx.leave)
  ctx:add("  %s = dtype_of(%s)", v, v)
  if not args.may_be_nil(a) then ctx:add("else %s", ctx.leave) end
  ctx:add("end")
  return v
end

function to_lua.device(ctx, a, v)
  ctx:add("if %s ~= nil then if not device_code[%s] then %s end", v, v, ctx.leave)
  if a.default ~= nil then
    ctx:add("else %s = devices.of(devices.default)", v)
  elseif not args.may_be_nil(a) then
    ctx:add("else %s", ctx.leave)
  end
  ctx:add("end")
  return v
end

function to_lua.any(ctx, _a, v)
  ctx:add("if type(%s) == 'table' and are_options(b, %s) then %s end", v, v, ctx.leave)
  return v
end

local PRELUDE = [[
local E = ...
local C, is_tensor, wrap, own, none = E.C, E.is_tensor, E.wrap, E.own, E.none
local number, boxed, whole, fill, fill_axes, spread, pointers =
  E.number, E.boxed, E.whole, E.fill, E.fill_axes, E.spread, E.pointers
local outs, words, dtype_code, device_code, devices = E.outs, E.words, E.dtype_code, E.device_code, E.devices
local dtype_of, are_options = E.dtype_of, E.are_options
local slow, fail, retry, compute, b, tracing = E.slow, E.fail, E.retry, E.compute, E.b, E.tracing
local pass = E.pass
]]

local function new_context(row)
  local params = {}
  for i, a in ipairs(row.parsed) do params[i] = "a_" .. a.name end
  local last = row.parsed[#row.parsed]
  local ctx = { head = {}, lines = {}, tensors = 0, lists = 0, pointer_lists = 0, words = {} }
  function ctx:add(format, ...)
    self.lines[#self.lines + 1] = "  " .. format:format(...)
  end
  -- A local of the chunk for entry i of a table of E.
  function ctx:need(name, i)
    local variable = name .. i
    self.head[#self.head + 1] = ("local %s = E.%s[%d]\n"):format(variable, name, i)
    return variable
  end
  if last and LIST[last.kind] then -- x:view(2, 3): more parameters for the numbers
    local v = params[#params]
    local names = { v }
    for i = 2, MAX_SPREAD do
      names[i] = v .. i
      params[#params + 1] = names[i]
    end
    ctx.spread = v
    ctx.spread_names = table.concat(names, ", ") .. ", extra"
  end
  if row.spread then -- kiln.meshgrid(x, y): more parameters for the tensors
    ctx.more = "more"
    params[#params + 1] = ctx.more
    for i = 2, args.MAX_LIST do params[#params + 1] = "more" .. i end
  end
  params[#params + 1] = "extra"
  params[#params + 1] = "extra2"
  ctx.params = params
  ctx.leave = ("return slow(b, %d, { %s })"):format(#params, table.concat(params, ", "))
  return ctx
end

--- The text of a row's function, and its tables of words; `inplace`: the variant that writes its
--- first argument and returns it.
---@param row table
---@param inplace boolean
---@return string source, table<string, table<string, integer>> words
function M.source(row, inplace)
  local ctx = new_context(row)
  local composite = row.group == "composite"
  local writers = composite and to_lua or to_c
  if not ctx.spread then ctx:add("if %s ~= nil then %s end", ctx.more or "extra", ctx.leave) end
  if not composite then ctx:add("if tracing.mark ~= nil then tracing.mark() end") end
  local call = {}
  for i, a in ipairs(row.parsed) do
    local v = "a_" .. a.name
    if inplace and i == 1 then
      ctx:add("if not is_tensor(%s) or %s.p == nil then %s end", v, v, ctx.leave)
      call[i] = v .. ".p"
    else
      call[i] = writers[a.kind](ctx, a, v)
    end
  end
  local list = table.concat(call, ", ")
  local given = {}
  for i, a in ipairs(row.parsed) do given[i] = "a_" .. a.name end
  local failed = ("return fail(%q%s)"):format(row.name .. (inplace and "_" or ""),
    #given > 0 and ", " .. table.concat(given, ", ") or "")
  local cname = "C.kiln_" .. row.name .. (inplace and "_" or "")
  if composite then
    ctx:add("return pass(compute(%s))", list) -- no tail call: check.lua looks for this frame
  elseif inplace then
    ctx:add("if %s(%s) < 0 and not (retry() and %s(%s) >= 0) then %s end", cname, list, cname, list,
      failed)
    ctx:add("return a_%s", row.parsed[1].name)
  elseif row.outs == 1 then
    ctx:add("local r = %s(%s)", cname, list)
    ctx:add("if r == nil then")
    ctx:add("  if retry() then r = %s(%s) end", cname, list)
    ctx:add("  if r == nil then %s end", failed)
    ctx:add("end")
    ctx:add("return wrap(r)")
  else
    list = list .. ", outs"
    ctx:add("if %s(%s) < 0 and not (retry() and %s(%s) >= 0) then %s end", cname, list, cname, list,
      failed)
    local names, pointers_out, wrapped = {}, {}, {}
    for i = 1, row.outs do
      names[i] = "r" .. i
      pointers_out[i] = ("outs[%d]"):format(i - 1)
      wrapped[i] = ("r%d ~= nil and %s(r%d) or nil"):format(i, i < row.outs and "own" or "wrap", i)
    end
    ctx:add("local %s = %s", table.concat(names, ", "), table.concat(pointers_out, ", "))
    ctx:add("return %s", table.concat(wrapped, ", "))
  end
  return ("%s%sreturn function(%s)\n%s\nend\n"):format(PRELUDE, table.concat(ctx.head),
    table.concat(ctx.params, ", "), table.concat(ctx.lines, "\n")), ctx.words
end

return M
