--- A reader of Python pickles that builds data and nothing else.
-- It knows the opcodes for numbers, strings, lists, tuples and dicts.  A class or function is looked up
-- in a table that the caller gives, where each has a Lua function of its own; what is not there stops the
-- load and is named.  No Python code exists here that could run.  Lists and tuples become Lua lists, None
-- becomes nil, integers beyond 2^53 int64 cdata.  It refuses sets, integers beyond 64 bits, keys that Lua
-- tables cannot find again, and extension codes.
local ffi = require "ffi"

local M = {}

--- None, while it is on the stack or in a tuple of arguments.
M.NONE = setmetatable({}, { __tostring = function() return "None" end })
local NONE = M.NONE

local MOST_LINE = 4096 -- bytes of a text argument

---@class kiln.serialization.Pickle
---@field source kiln.serialization.Source
---@field globals table<string, any>  "module.name" -> a function of (vm, args), or any value
---@field persistent fun(vm: kiln.serialization.Pickle, id: any): any
---@field refuse fun(name: string): string?  more words for a class that is not among the globals
---@field later function[]?  what globals want to have done when the storages have their bytes
---@field value fun(v: any, vm: kiln.serialization.Pickle): any  what is stored for what a global made
local Vm = {}
Vm.__index = Vm

function Vm:fail(...) self.source:fail(...) end

-- -- Stack -------------------------------------------------------------------------------------

function Vm:push(v)
  self.top = self.top + 1
  self.stack[self.top] = v
end

function Vm:pop()
  if self.top <= (self.marks[#self.marks] or 0) then
    self:fail("its pickle is damaged: the stack is empty")
  end
  local v = self.stack[self.top]
  self.stack[self.top] = nil
  self.top = self.top - 1
  return v
end

-- What was pushed since the last mark, as a list.
function Vm:pop_mark()
  local mark = table.remove(self.marks)
  if not mark then self:fail("its pickle is damaged: there is no mark") end
  local items, n = {}, 0
  for i = mark + 1, self.top do
    n = n + 1
    items[n] = self.stack[i]
    self.stack[i] = nil
  end
  self.top = mark
  return items, n
end

-- -- Containers ----------------------------------------------------------------------------------

-- What a Lua table stands for is its metatable while the pickle is read; finish() takes it off.
local List, Tuple, Dict = {}, {}, {}
local KIND = { [List] = "list", [Tuple] = "tuple", [Dict] = "dict" }

--- "list", "tuple" or "dict" for what this pickle made, else nil.
function M.kind(v) return KIND[getmetatable(v)] end
local kind_of = M.kind

--- How many items a list or tuple has.  `holed` knows it of those with None in them, and `args` what such a
--- tuple was.
function Vm:count(t) return self.holed[t] or #t end

--- A dict that pickled objects may set items of.
function Vm.dict(_self) return setmetatable({}, Dict) end

-- A value as it is stored: None is nil, and things of the machine are no values.
local function stored(self, v)
  if v == NONE then return nil end
  if type(v) == "function" or self.classes[v] then
    self:fail("it holds the Python class '%s' as a value", self.source.shown(self.classes[v] or "?"))
  end
  if self.value then return self.value(v, self) end
  return v
end

local function append(self, list, v)
  if kind_of(list) ~= "list" then self:fail("its pickle is damaged: it adds an item to what is no list") end
  local n = self:count(list) + 1
  list[n] = stored(self, v)
  if v == NONE or self.holed[list] then self.holed[list] = n end
end

local KEYS = { string = true, number = true, boolean = true }

local function set_item(self, dict, key, v)
  if kind_of(dict) ~= "dict" then self:fail("its pickle is damaged: a key is set in what is no dict") end
  if not KEYS[type(key)] or key ~= key then
    local kind = key == NONE and "None" or kind_of(key) or type(key) == "cdata" and "an integer beyond 2^53"
      or type(key)
    self:fail("it has a dict with a key that Lua has no like of: %s", kind)
  end
  dict[key] = stored(self, v)
end
Vm.set_item = set_item

local function set_items(self, dict, items, n)
  if n % 2 ~= 0 then self:fail("its pickle is damaged: a key without a value") end
  for i = 1, n, 2 do set_item(self, dict, items[i], items[i + 1]) end
end

-- Pushes the tuple of n fresh items.
local function tuple(self, items, n)
  local args
  for i = 1, n do
    if items[i] == NONE then
      args = args or {}
      args[i], items[i] = NONE, nil
    end
  end
  if args then
    for i = 1, n do
      if args[i] == nil then args[i] = items[i] end
    end
    self.args[items], self.holed[items] = args, n
  end
  self:push(setmetatable(items, Tuple))
end

-- -- Numbers and text ------------------------------------------------------------------------------

local function line(self, what, most)
  local parts = {}
  for _ = 1, most or MOST_LINE do
    local c = self.source:take(1, what)
    if c == "\n" then return table.concat(parts) end
    parts[#parts + 1] = c
  end
  self:fail("its pickle is damaged: %s is too long", what)
end

local EXACT = 2 ^ 53

-- n bytes of a two's complement number.
local function signed(self, n, what)
  if n > 8 then self:fail("it holds an integer of %.0f bytes; 8 are the most", n) end
  local bytes, v = self.source:take(n, what), 0LL
  for i = n, 1, -1 do v = v * 256 + bytes:byte(i) end
  if n > 0 and n < 8 and bytes:byte(n) >= 128 then v = v - bit.lshift(1LL, 8 * n) end
  return v <= EXACT and v >= -EXACT and tonumber(v) or v
end

local function decimal(self, text)
  local sign, digits = text:match "^([+-]?)0*(%d+)L?$"
  local v = 0LL
  if digits and #digits <= 19 then -- towards the side that reaches further
    for d in digits:gmatch "%d" do v = v * 10 - tonumber(d) end
  end
  if not digits or #digits > 19 or v > 0 or (sign ~= "-" and v == -v and v ~= 0) then
    self:fail("it holds a bad or too large integer")
  end
  if sign ~= "-" then v = -v end
  return v <= EXACT and v >= -EXACT and tonumber(v) or v
end

local NO_DIGITS = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }

local function decimal_fraction(self, text)
  local v = NO_DIGITS[text] or text:find "^[+-]?[%d.]+[eE]?[+-]?%d*$" and tonumber(text)
  return v or self:fail("it holds a bad number")
end

-- A code point as UTF-8.
local function utf8(self, digits)
  local code = tonumber(digits, 16)
  if code < 0x80 then return string.char(code) end
  if code > 0x10ffff then self:fail("its text has the code point %s", digits) end
  local bytes, lead = {}, code < 0x800 and 0xc0 or code < 0x10000 and 0xe0 or 0xf0
  local most = code < 0x800 and 0x20 or code < 0x10000 and 0x10 or 0x08
  while code >= most do
    table.insert(bytes, 1, string.char(0x80 + code % 64))
    code = math.floor(code / 64)
  end
  return string.char(lead + code) .. table.concat(bytes)
end

-- Text whose bytes are code points, but for those that \u and \U spell.
local function escaped_text(self, text)
  text = text:gsub("[\128-\255]", function(c) return utf8(self, ("%x"):format(c:byte())) end)
  text = text:gsub("\\u(%x%x%x%x)", function(digits) return utf8(self, digits) end)
  return (text:gsub("\\U(%x%x%x%x%x%x%x%x)", function(digits) return utf8(self, digits) end))
end

local real = ffi.new "union { uint8_t byte[8]; double value; }"

local function big_endian_double(self)
  local bytes = self.source:take(8, "a number")
  for i = 0, 7 do real.byte[i] = bytes:byte(8 - i) end
  local v = real.value
  return v == v and v or 0 / 0
end

-- -- Opcodes -----------------------------------------------------------------------------------

local OP = {}

local function op(code, fn) OP[string.byte(code)] = fn end

local function constant(code, v) op(code, function(self) self:push(v) end) end
constant("N", NONE)
constant("\136", true)
constant("\137", false)

-- Text and bytes: the width of the length in front.
for code, width in pairs { ["U"] = 1, ["T"] = 4, ["X"] = 4, ["\140"] = 1, ["\141"] = 8, ["B"] = 4, ["C"] = 1,
  ["\142"] = 8 } do
  op(code, function(self)
    self:push(self.source:take(self.source:unsigned(width, "the length of a string"), "a string"))
  end)
end

op("K", function(self) self:push(self.source:unsigned(1, "a number")) end)
op("M", function(self) self:push(self.source:unsigned(2, "a number")) end)
op("J", function(self) self:push(signed(self, 4, "a number")) end)
op("\138", function(self) self:push(signed(self, self.source:unsigned(1, "a length"), "a number")) end)
op("\139", function(self) self:push(signed(self, self.source:unsigned(4, "a length"), "a number")) end)
op("G", function(self) self:push(big_endian_double(self)) end)
op("L", function(self) self:push(decimal(self, line(self, "an integer"))) end)
op("I", function(self)
  local text = line(self, "an integer")
  if text == "00" or text == "01" then self:push(text == "01") else self:push(decimal(self, text)) end
end)

op("F", function(self) self:push(decimal_fraction(self, line(self, "a number"))) end)
op("V", function(self) self:push(escaped_text(self, line(self, "a string", math.huge))) end)

op("(", function(self) table.insert(self.marks, self.top) end)
op("0", function(self)
  if self.top == self.marks[#self.marks] then table.remove(self.marks) else self:pop() end
end)
op("1", function(self) self:pop_mark() end)
op("2", function(self)
  local v = self:pop()
  self:push(v)
  self:push(v)
end)

op("]", function(self) self:push(setmetatable({}, List)) end)
op("}", function(self) self:push(self:dict()) end)
op(")", function(self) tuple(self, {}, 0) end)
op("t", function(self) tuple(self, self:pop_mark()) end)
for i, code in ipairs { "\133", "\134", "\135" } do
  op(code, function(self)
    local items = {}
    for k = i, 1, -1 do items[k] = self:pop() end
    tuple(self, items, i)
  end)
end
op("l", function(self)
  local items, n = self:pop_mark()
  local list = setmetatable({}, List)
  for i = 1, n do append(self, list, items[i]) end
  self:push(list)
end)
op("d", function(self)
  local items, n = self:pop_mark()
  local dict = self:dict()
  set_items(self, dict, items, n)
  self:push(dict)
end)

local function peek(self)
  local v = self:pop()
  self:push(v)
  return v
end

op("a", function(self)
  local v = self:pop()
  append(self, peek(self), v)
end)
op("e", function(self)
  local items, n = self:pop_mark()
  local list = peek(self)
  for i = 1, n do append(self, list, items[i]) end
end)
op("s", function(self)
  local v = self:pop()
  local key = self:pop()
  set_item(self, peek(self), key, v)
end)
op("u", function(self)
  local items, n = self:pop_mark()
  set_items(self, peek(self), items, n)
end)

-- The memo.
op("p", function(self) self.memo[decimal(self, line(self, "a place"))] = peek(self) end)
for code, width in pairs { q = 1, r = 4 } do
  op(code, function(self) self.memo[self.source:unsigned(width, "a place")] = peek(self) end)
end
op("\148", function(self)
  self.memo[self.memo_next] = peek(self)
  self.memo_next = self.memo_next + 1
end)
local function recall(self, place)
  local v = self.memo[place]
  if v == nil then self:fail("its pickle is damaged: nothing was remembered there") end
  self:push(v)
end
op("g", function(self) recall(self, decimal(self, line(self, "a place"))) end)
for code, width in pairs { h = 1, j = 4 } do
  op(code, function(self) recall(self, self.source:unsigned(width, "a place")) end)
end

-- -- Classes -----------------------------------------------------------------------------------

local function push_global(self, module, name)
  if type(module) ~= "string" or type(name) ~= "string" then
    self:fail("its pickle is damaged: a class without a name")
  end
  local full = module .. "." .. name
  local v = self.globals[full]
  if v == nil then
    local words = self.refuse and self.refuse(full)
    self:fail("it holds a Python object of %s, which is not loaded%s", self.source.shown(full),
      words and "; " .. words or "")
  end
  if type(v) == "function" then self.classes[v] = full end
  self:push(v)
end

op("c", function(self)
  local module = line(self, "the name of a module")
  push_global(self, module, line(self, "the name of a class"))
end)
op("\147", function(self)
  local name = self:pop()
  push_global(self, self:pop(), name)
end)

--- What a global makes of a tuple of arguments.
function Vm:call(fn, args)
  if type(fn) ~= "function" or kind_of(args) ~= "tuple" then
    self:fail("its pickle is damaged: it calls what is no function")
  end
  return fn(self, self.args[args] or args, self:count(args))
end

local function call(self)
  local args = self:pop()
  self:push(self:call(self:pop(), args))
end
op("R", call)
op("\129", call) -- cls.__new__(cls, *args)

op("b", function(self)
  self:pop() -- attributes of an OrderedDict, such as the versions of a state dict
  if kind_of(peek(self)) ~= "dict" then
    self:fail("its pickle is damaged: it sets attributes of what has none")
  end
end)

op("Q", function(self) self:push(self.persistent(self, self:pop())) end)

op("P", function(self)
  self:fail("it holds a tensor of pickle protocol 0, which PyTorch itself cannot read; save it with another")
end)

op("\128", function(self)
  local version = self.source:unsigned(1, "the version")
  if version > 5 then self:fail("its pickle has version %d; 5 is the last known", version) end
end)
op("\149", function(self) -- a frame: only its length stands here
  self.source:need(self.source:unsigned(8, "the length of a frame"), "a frame")
end)

local REFUSED = { ["\143"] = "a set", ["\144"] = "a set", ["\145"] = "a frozenset", ["\150"] = "a bytearray",
  ["\151"] = "an out-of-band buffer", ["\152"] = "an out-of-band buffer", ["\130"] = "an extension code",
  ["\131"] = "an extension code", ["\132"] = "an extension code", i = "an object of an old class",
  o = "an object of an old class", S = "text of Python 2", ["\146"] = "an object with named arguments" }
for code, what in pairs(REFUSED) do
  op(code, function(self) self:fail("it holds %s, which is not loaded", what) end)
end

-- -- Running -----------------------------------------------------------------------------------

local STOP = string.byte "."

-- Tuples may be arguments, with classes in them; those that the value reaches must hold values.
local function finish(self, root)
  local todo = { root }
  while #todo > 0 do
    local t = table.remove(todo)
    local kind = kind_of(t)
    if kind then
      setmetatable(t, nil)
      if kind == "tuple" then
        for i = 1, self:count(t) do t[i] = stored(self, t[i]) end
      end
      for _, v in pairs(t) do
        if type(v) == "table" then todo[#todo + 1] = v end
      end
    end
  end
  return root
end
jit.off(finish)

--- The value of the pickle that starts where the source is.  NONE at the top is nil.
---@param source kiln.serialization.Source
---@param rules table  { globals = , persistent = , refuse = , value = , later = }, as a Pickle has them
function M.load(source, rules)
  local self = setmetatable({ source = source, globals = rules.globals, persistent = rules.persistent,
    refuse = rules.refuse, value = rules.value, later = rules.later, stack = {}, top = 0, marks = {},
    memo = {}, memo_next = 0, holed = {}, args = {}, classes = {} }, Vm)
  self.persistent = self.persistent or function() self:fail("its pickle refers to something outside") end
  while true do
    local code = source:unsigned(1, "an opcode")
    if code == STOP then return finish(self, stored(self, self:pop())) end
    local run = OP[code]
    if not run then self:fail("its pickle has the unknown opcode %d at byte %.0f", code, source.at - 1) end
    run(self)
  end
end

return M
