-- gen.lua OUTDIR: writes what follows from the op table, so that Lua and C cannot drift apart.
--   kiln_ops.h        enum kiln_op and a prototype an op
--   kiln_rules.h      prototypes of the shape rules, view rules and gradients that rows name
--   kiln_ops.c        the wrappers, the table kiln__ops, gradients of pointwise rows, the cdef text
--   kiln_pointwise.h  one line a pointwise kernel
-- Run by CMake from the repository's root.  It refuses to know any op by name, but for the
-- pointwise operators that expressions spell as + - * /.
package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
local ops = require "kiln.ops"
local outdir = assert(arg[1], "usage: luajit core/gen.lua OUTDIR")

local fmt = string.format
local kinds = require "kiln.kinds"

local rows = {}
for _, row in ipairs(ops.rows) do
  if row.group ~= "composite" then rows[#rows + 1] = row end
end

local function write(name, parts)
  local text = table.concat(parts, "\n") .. "\n"
  local path = outdir .. "/" .. name
  local old = io.open(path, "rb")
  if old then
    local same = old:read "*a" == text
    old:close()
    if same then return end
  end
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

local function enum_name(row) return "KILN_OP_" .. row.name:upper() end

-- -- Prototypes and wrappers -------------------------------------------------------------------

-- `default`, `int` and the like may be argument names in Lua but not in C.
local RESERVED = { int = true, default = true, ["double"] = true, ["float"] = true,
  ["bool"] = true, register = true, ["const"] = true, out = true, c = true, ["in"] = true,
  few = true, status = true, i = true, k = true, total = true }
local function c_name(name) return RESERVED[name] and name .. "_" or name end

local function parameters(row)
  local list = {}
  for _, a in ipairs(row.parsed) do
    local n = c_name(a.name)
    if a.kind == "list" then
      list[#list + 1] = fmt("kiln_tensor *const *%s, int32_t n_%s", n, n)
    elseif kinds.one_tensor[a.kind] then
      list[#list + 1] = "kiln_tensor *" .. n
    elseif kinds.numbers[a.kind] then
      list[#list + 1] = fmt("const int64_t *%s, int32_t n_%s", n, n)
    elseif a.kind == "number" then
      list[#list + 1] = "double " .. n
    else
      list[#list + 1] = "int64_t " .. n
    end
  end
  return list
end

local function outs_of(row) return row.outs or 1 end

local function prototype(row, inplace)
  local list = parameters(row)
  if inplace then
    return fmt("int32_t kiln_%s_(%s)", row.name, table.concat(list, ", "))
  elseif outs_of(row) > 1 then
    list[#list + 1] = "kiln_tensor **out"
    return fmt("int32_t kiln_%s(%s)", row.name, table.concat(list, ", "))
  end
  return fmt("kiln_tensor *kiln_%s(%s)", row.name, #list > 0 and table.concat(list, ", ") or "void")
end

local function has_inplace(row) return row.inplace or row.writes end
local function has_plain(row) return not row.writes end

local function is_variadic(row)
  for _, a in ipairs(row.ins) do if a.kind == "list" then return true end end
  return false
end

local function wrapper(row, inplace)
  local L = { prototype(row, inplace) .. " {" }
  local function add(...) L[#L + 1] = fmt(...) end
  add("  kiln_call c;")
  if is_variadic(row) then
    local total, fill = {}, {}
    for _, a in ipairs(row.ins) do
      local n = c_name(a.name)
      if a.kind == "list" then
        total[#total + 1] = "n_" .. n
        fill[#fill + 1] = fmt("  for (int32_t i = 0; i < n_%s; i++) in[k++] = %s[i];", n, n)
      else
        total[#total + 1] = "1"
        fill[#fill + 1] = fmt("  in[k++] = %s;", n)
      end
    end
    add("  int32_t k = 0, total = %s;", table.concat(total, " + "))
    add("  kiln_tensor *few[64];")
    add("  kiln_tensor **in = total <= 64 ? few : malloc((size_t)total * sizeof *in);")
    add("  KILN_ASSERT(in != NULL);")
    for _, line in ipairs(fill) do L[#L + 1] = line end
    add("  c.n_in = total;")
  elseif #row.ins == 0 then
    add("  kiln_tensor **in = NULL;")
    add("  c.n_in = 0;")
  else
    local names = {}
    for _, a in ipairs(row.ins) do names[#names + 1] = c_name(a.name) end
    add("  kiln_tensor *in[] = {%s};", table.concat(names, ", "))
    add("  c.n_in = %d;", #names)
  end
  add("  c.op = %s;", enum_name(row))
  add("  c.in = in;")
  add("  c.inplace = %s;", inplace and "true" or "false")
  local ai, li = 0, 0
  for _, a in ipairs(row.attrs) do
    add("  c.attr[%d].%s = %s;", ai, a.kind == "number" and "f" or "i", c_name(a.name))
    ai = ai + 1
  end
  for _, a in ipairs(row.lists) do
    local n = c_name(a.name)
    add("  int32_t s%d = kiln__list_set(&c, %d, %s, n_%s);", li, li, n, n)
    li = li + 1
  end
  if inplace then add("  c.out[0] = in[0];") end
  local checks = {}
  for i = 0, li - 1 do checks[#checks + 1] = fmt("s%d", i) end
  checks[#checks + 1] = "kiln_apply(&c)"
  add("  int32_t status = %s;", #checks == 1 and checks[1]
    or table.concat(checks, " < 0 || ") .. " < 0 ? -1 : 0")
  if is_variadic(row) then add("  if (in != few) free(in);") end
  if inplace then
    add("  return status;")
  elseif outs_of(row) > 1 then
    add("  for (int32_t i = 0; i < %d; i++) out[i] = status < 0 ? NULL : c.out[i];", outs_of(row))
    add("  return status;")
  else
    add("  return status < 0 ? NULL : c.out[0];")
  end
  add("}")
  return table.concat(L, "\n")
end

-- -- Expressions: a small recursive-descent parser ----------------------------------------------

-- Node: { op = "num", v } | { op = "name", v } | { op = "call", v, args } | { op = "neg", a }
--     | { op = "+-*/<>=..", a, b }
local function parse(text)
  local pos = 1
  local parse_compare
  local function skip() pos = text:find("%S", pos) or #text + 1 end
  local function accept(pattern)
    skip()
    local a, b = text:find("^" .. pattern, pos)
    if a then pos = b + 1; return text:sub(a, b) end
  end
  local function primary()
    local num = accept "%d+%.?%d*[eE][-+]?%d+" or accept "%d*%.?%d+" or accept "%d+%.?"
    if num then return { op = "num", v = num } end
    if accept "%(" then
      local e = parse_compare()
      assert(accept "%)", "missing ) in " .. text)
      return e
    end
    if accept "%-" then return { op = "neg", a = primary() } end
    local name = assert(accept "[%a_][%w_]*", "cannot read " .. text .. " at " .. pos)
    if accept "%(" then
      local args = {}
      if not accept "%)" then
        repeat args[#args + 1] = parse_compare() until not accept ","
        assert(accept "%)", "missing ) in " .. text)
      end
      return { op = "call", v = name, args = args }
    end
    return { op = "name", v = name }
  end
  local function level(next_level, patterns)
    return function()
      local e = next_level()
      while true do
        local found
        for _, p in ipairs(patterns) do
          found = accept(p)
          if found then break end
        end
        if not found then return e end
        e = { op = found, a = e, b = next_level() }
      end
    end
  end
  local product = level(primary, { "%*", "/" })
  local sum = level(product, { "%+", "%-" })
  parse_compare = level(sum, { "==", "!=", "<=", ">=", "<", ">" })
  local e = parse_compare()
  skip()
  assert(pos > #text, "left over in " .. text .. ": " .. text:sub(pos))
  return e
end

-- Scalar C: names maps inputs and parameters to a0.., p0..
local function scalar(e, names)
  if e.op == "num" then return fmt("K(%s)", e.v) end
  if e.op == "name" then return assert(names[e.v], "unknown name " .. e.v) end
  if e.op == "neg" then return fmt("(-%s)", scalar(e.a, names)) end
  if e.op == "call" then
    local args = {}
    for i, a in ipairs(e.args) do args[i] = scalar(a, names) end
    if e.v == "where" then return fmt("(%s ? %s : %s)", args[1], args[2], args[3]) end
    local row = ops.by_name[e.v]
    if row and row.expr then
      local sub = {}
      for i, a in ipairs(row.parsed) do
        sub[a.name] = args[i] or fmt("K(%s)", tostring(a.default))
      end
      return "(" .. scalar(parse(row.expr), sub) .. ")"
    end
    return fmt("F(%s)(%s)", e.v, table.concat(args, ", "))
  end
  return fmt("(%s %s %s)", scalar(e.a, names), e.op, scalar(e.b, names))
end

local OPERATOR = { ["+"] = "add", ["-"] = "sub", ["*"] = "mul", ["/"] = "div",
  ["<"] = "lt", [">"] = "gt", ["<="] = "le", [">="] = "ge", ["=="] = "eq", ["!="] = "ne" }

-- The same expression as a sequence of recorded ops: statements into L, returns a C expression
-- of type kiln_tensor *.  names maps inputs to C expressions; numbers have is_number.
local function composed(e, names, L)
  local function is_number(n)
    return n.op == "num" or (n.op == "name" and names[n.v].number)
      or (n.op == "neg" and is_number(n.a))
  end
  local function number(n)
    if n.op == "num" then return n.v end
    if n.op == "neg" then return "-" .. number(n.a) end
    return names[n.v].c
  end
  local function visit(n)
    if is_number(n) then return fmt("kiln_number(%s)", number(n)) end
    if n.op == "name" then return names[n.v].c end
    local call, args, row
    if n.op == "neg" then call, args = "neg", { n.a }
    elseif n.op == "call" then call, args = n.v, n.args
    else call, args = OPERATOR[n.op], { n.a, n.b } end
    row = assert(ops.by_name[call], "unknown op in an expression: " .. call)
    local values = {}
    for i, a in ipairs(args) do
      local kind = row.parsed[i].kind
      if kind == "number" then
        assert(is_number(a), "a number is needed in " .. call)
        values[i] = number(a)
      elseif call == "where" and is_number(a) then
        -- two bare numbers would decide a dtype of their own: give them the gradient's
        values[i] = fmt("kiln_cast(kiln_number(%s), c->g[0] ? kiln_tensor_dtype(c->g[0]) : 0)",
          number(a))
      else
        values[i] = visit(a)
      end
    end
    for i = #values + 1, #row.parsed do
      values[i] = tostring(assert(row.parsed[i].default, call .. " lacks an argument"))
    end
    local t = fmt("t%d", #L)
    L[#L + 1] = fmt("      kiln_tensor *%s = kiln_%s(%s);", t, call, table.concat(values, ", "))
    return t
  end
  return visit(e)
end

local function position_of(row, name)
  for i, a in ipairs(row.ins) do if a.name == name then return i - 1 end end
end

local function pointwise_gradient(row)
  local L = { fmt("static void grad_%s(kiln_grad_call *c) {", row.name) }
  local function add(...) L[#L + 1] = fmt(...) end
  local any
  for i, a in ipairs(row.ins) do
    local d = row.d[a.name]
    if d then
      any = true
      add("  if (kiln__wants(c, %d)) {", i - 1)
      if d == "1" then
        add("    kiln__give(c, %d, c->g[0]);", i - 1)
      elseif d == "-1" then
        add("    kiln__give(c, %d, kiln_neg(c->g[0]));", i - 1)
      elseif d == "0" then
        add("    kiln__give(c, %d, kiln_mul(c->g[0], kiln_number(0)));", i - 1)
      else
        local names = { out = { c = "c->out[0]" } }
        for k, b in ipairs(row.ins) do names[b.name] = { c = fmt("c->in[%d]", k - 1) } end
        for k, p in ipairs(row.attrs) do
          names[p.name] = { c = fmt("c->attr[%d].%s", k - 1, p.kind == "number" and "f" or "i"),
            number = true }
        end
        local fused, args = row.derivatives[a.name], { "c->g[0]" }
        for k = 2, #fused.inputs do args[#args + 1] = names[fused.inputs[k]].c end
        for _, p in ipairs(row.attrs) do args[#args + 1] = names[p.name].c end
        add("    if (!c->create) {")
        add("      kiln__give(c, %d, kiln_%s(%s));", i - 1, fused.op, table.concat(args, ", "))
        add("    } else {")
        local S = {}
        local wide = setmetatable({}, { __index = names })
        for k, b in ipairs(row.ins) do wide[b.name] = { c = fmt("kiln__in(c, %d)", k - 1) } end
        local value = composed(parse(d), wide, S)
        for _, line in ipairs(S) do L[#L + 1] = line end
        add("      kiln__give(c, %d, kiln_mul(c->g[0], %s));", i - 1, value)
        add("    }")
      end
      add("  }")
    end
  end
  if not any then add("  (void)c;") end
  add("}")
  return table.concat(L, "\n")
end

-- -- kiln_ops.h --------------------------------------------------------------------------------

-- FNV-1a, 64 bits.
local function digest(text)
  local h = 0xcbf29ce484222325ULL
  for i = 1, #text do h = bit.bxor(h, text:byte(i)) * 0x100000001b3ULL end
  return h
end

local generated = "/* Written by core/gen.lua from lua/kiln/ops; edit those. */"
local cdef = {}
do
  local H = { generated, "#ifndef KILN_OPS_H", "#define KILN_OPS_H", '#include "kiln.h"', "",
    "typedef enum kiln_op {" }
  for i, row in ipairs(rows) do H[#H + 1] = fmt("  %s = %d,", enum_name(row), i - 1) end
  H[#H + 1] = fmt("  KILN_OP_COUNT = %d", #rows)
  H[#H + 1] = "} kiln_op;\n"
  H[#H + 1] = "#ifdef __cplusplus\nextern \"C\" {\n#endif"
  for _, row in ipairs(rows) do
    if has_plain(row) then cdef[#cdef + 1] = prototype(row) .. ";" end
    if has_inplace(row) then cdef[#cdef + 1] = prototype(row, true) .. ";" end
  end
  H[#H + 1] = table.concat(cdef, "\n")
  H[#H + 1] = "#ifdef __cplusplus\n}\n#endif\n"
  H[#H + 1] = fmt("#define KILN_OPS_DIGEST UINT64_C(0x%s) /* of what stands above */",
    bit.tohex(digest(table.concat(H, "\n"))))
  H[#H + 1] = "#endif"
  write("kiln_ops.h", H)
end

-- -- kiln_pointwise.h --------------------------------------------------------------------------

do
  local P = { generated }
  for _, row in ipairs(rows) do
    if row.pointwise then
      local names, args = {}, {}
      for i, a in ipairs(row.ins) do
        names[a.name] = fmt("a%d", i - 1)
        args[#args + 1] = { op = "name", v = a.name }
      end
      for i, p in ipairs(row.attrs) do
        names[p.name] = fmt("p%d", i - 1)
        args[#args + 1] = { op = "name", v = p.name }
      end
      local e = row.expr and parse(row.expr) or { op = "call", v = row.name, args = args }
      P[#P + 1] = fmt("KILN_PW%d(%s, %s, %s, %s, %s)", #row.ins, row.name:upper(), row.name,
        row.types:upper(), row.dtype == "bool" and "BOOL" or "SAME", scalar(e, names))
    end
  end
  write("kiln_pointwise.h", P)
end

-- -- kiln_ops.c --------------------------------------------------------------------------------

local function mask(list, pred)
  local m = 0
  for i, a in ipairs(list) do if pred(a) then m = m + 2 ^ (i - 1) end end
  return m
end

local function names_array(list, where)
  if #list == 0 then return "NULL" end
  local q = {}
  for i, a in ipairs(list) do q[i] = fmt("%q", a.name) end
  where[#where + 1] = table.concat(q, ", ")
  return fmt("(const char *const[]){%s}", table.concat(q, ", "))
end

local function saves_masks(row)
  local saves, out = ops.saves_of(row), {}
  for i, a in ipairs(row.ins) do
    local m = 0
    for name in pairs(saves[a.name]) do
      local p = position_of(row, name)
      if p then
        m = m + 2 ^ p
      elseif name == "out" then
        m = m + 2 ^ 16
      elseif name:match "^out%d$" then
        m = m + 2 ^ (15 + tonumber(name:match "%d"))
      elseif row.pointwise then
        local known = false
        for _, p2 in ipairs(row.attrs) do known = known or p2.name == name end
        assert(known, fmt("op table: %s: derivative names '%s'", row.name, name))
      else
        error(fmt("op table: %s: saves '%s', which it does not have", row.name, name), 0)
      end
    end
    out[i] = fmt("0x%x", m)
  end
  return table.concat(out, ", ")
end

do
  local C = { generated, '#include "internal.h"', "" }
  local R = { generated }
  local shapes, views, grads = {}, {}, {}
  for _, row in ipairs(rows) do
    if row.group == "view" then
      views[#views + 1] = fmt("int32_t kiln__view_%s(kiln_call *c, kiln_geometry *g);", row.name)
    elseif not row.pointwise then
      local s = assert(row.shape, "op table: " .. row.name .. " has no shape rule")
      shapes[s] = true
    end
    if row.grad and not row.pointwise then
      grads[#grads + 1] = fmt("void kiln__grad_%s(kiln_grad_call *c);", row.name)
    end
  end
  for _, s in ipairs { "broadcast", "same", "scalar", "reduce", "reduce_dim" } do shapes[s] = true end
  local sorted = {}
  for s in pairs(shapes) do sorted[#sorted + 1] = s end
  table.sort(sorted)
  for _, s in ipairs(sorted) do
    R[#R + 1] = fmt("int32_t kiln__shape_%s(const kiln_call *c, kiln_meta *out);", s)
  end
  R[#R + 1] = table.concat(views, "\n")
  R[#R + 1] = table.concat(grads, "\n")
  write("kiln_rules.h", R)
  C[#C + 1] = [[

static int32_t kiln__list_set(kiln_call *c, int32_t k, const int64_t *v, int32_t n) {
  kiln_list *l = &c->list[k];
  if (n > KILN_MAX_LIST) {
    return kiln__fail_op(c->op, KILN_EARG, "%s has %d entries, the most is %d",
                         kiln__ops[c->op].list_names[k], n, KILN_MAX_LIST);
  }
  l->n = n;
  for (int32_t i = 0; i < n; i++) l->v[i] = v[i];
  return KILN_OK;
}
]]
  for _, row in ipairs(rows) do
    if has_plain(row) then C[#C + 1] = wrapper(row) end
    if has_inplace(row) then C[#C + 1] = wrapper(row, true) end
  end
  for _, row in ipairs(rows) do
    if row.pointwise and row.d then C[#C + 1] = pointwise_gradient(row) end
  end

  C[#C + 1] = "\nconst kiln_op_info kiln__ops[KILN_OP_COUNT] = {"
  for _, row in ipairs(rows) do
    local flags, scratch = {}, {}
    if row.group == "view" then flags[#flags + 1] = "KILN_F_VIEW" end
    if row.random then flags[#flags + 1] = "KILN_F_RANDOM" end
    if is_variadic(row) then flags[#flags + 1] = "KILN_F_VARIADIC" end
    if row.pointwise then flags[#flags + 1] = "KILN_F_POINTWISE" end
    if row.overwrites then flags[#flags + 1] = "KILN_F_OVERWRITES" end
    if row.writes then flags[#flags + 1] = "KILN_F_WRITES" end
    if row.cuts then flags[#flags + 1] = "KILN_F_CUTS" end
    if row.fractions then flags[#flags + 1] = "KILN_F_FRACTIONS" end
    if row.stores then flags[#flags + 1] = "KILN_F_STORES" end
    if row.exact then flags[#flags + 1] = "KILN_F_EXACT" end
    if row.autocast then flags[#flags + 1] = "KILN_F_" .. row.autocast:upper() end
    local dtype_attr = -1
    for i, a in ipairs(row.attrs) do if a.kind == "dtype" then dtype_attr = i - 1 end end
    local diff = 0
    for i = 1, outs_of(row) do
      local named = row.diff_outs
      if not named or named:match("%f[%w]" .. i .. "%f[%W]") then diff = diff + 2 ^ (i - 1) end
    end
    local shape = row.group ~= "view" and "kiln__shape_" .. (row.shape or "broadcast") or "NULL"
    local grad = row.grad
      and (row.pointwise and "grad_" .. row.name or "kiln__grad_" .. row.name) or "NULL"
    assert(#row.ins <= 16 and #row.attrs <= 12 and #row.lists <= 4 and outs_of(row) <= 6,
      row.name .. ": too many arguments")
    C[#C + 1] = fmt("    [%s] = {", enum_name(row))
    local function field(name, value, ...) C[#C + 1] = fmt("        .%s = " .. value .. ",", name, ...) end
    field("name", "%q", row.name)
    field("flags", "%s", #flags > 0 and table.concat(flags, " | ") or "0")
    field("n_in", "%d", #row.ins)
    field("n_out", "%d", outs_of(row))
    field("n_attr", "%d", #row.attrs)
    field("n_list", "%d", #row.lists)
    field("dtype_rule", "KILN_RULE_%s", (row.dtype or "same"):upper())
    field("dtype_attr", "%d", dtype_attr)
    field("optional", "0x%x", mask(row.ins, function(a) return a.optional end))
    field("promotes", "0x%x", mask(row.ins, function(a) return a.kind == "tensor" or a.kind == "list" end))
    field("integers", "0x%x", mask(row.ins, function(a) return a.kind == "index" or a.kind == "host" end))
    field("hosts", "0x%x", mask(row.ins, function(a) return a.kind == "host" end))
    field("masks", "0x%x", mask(row.ins, function(a) return a.kind == "mask" end))
    local slopes = row.pointwise and row.d
    field("constant", "0x%x", mask(row.ins, function(a) return slopes and not slopes[a.name] end))
    field("axes", "0x%x", mask(row.attrs, function(a) return a.kind == "axis" end))
    field("axis_lists", "0x%x", mask(row.lists, function(a) return a.kind == "axes" end))
    field("scales", "0x%x", row.random and 0 or mask(row.attrs, function(a) return a.kind == "number" end))
    field("axis_extra", "%d", row.axis_extra or 0)
    field("diff_outs", "0x%x", diff)
    if #row.ins > 0 then field("saves", "{%s}", saves_masks(row)) end
    field("in_names", "%s", names_array(row.ins, scratch))
    field("attr_names", "%s", names_array(row.attrs, scratch))
    field("list_names", "%s", names_array(row.lists, scratch))
    field("shape", "%s", shape)
    field("view", "%s", row.group == "view" and "kiln__view_" .. row.name or "NULL")
    field("grad", "%s", grad)
    C[#C + 1] = "    },"
  end
  C[#C + 1] = "};\n"

  -- The cdef text: kiln.h without '#' lines and without what only C++ reads.
  C[#C + 1] = "const char *kiln_cdef(void) {\n  return"
  local skipping = false
  local function emit(line)
    line = line:gsub("\\", "\\\\"):gsub('"', '\\"')
    if line:match "%S" then C[#C + 1] = fmt('      "%s\\n"', line) end
  end
  local text = assert(io.open "core/kiln.h"):read "*a":gsub("/%*.-%*/", "")
  for line in text:gmatch "[^\n]*" do
    if line:match "^#ifdef __cplusplus" then skipping = true
    elseif line:match "^#endif" then skipping = false
    elseif not skipping and not line:match "^#" then emit(line) end
  end
  for _, line in ipairs(cdef) do emit(line) end
  C[#C + 1] = "      ;\n}"
  write("kiln_ops.c", C)
end
