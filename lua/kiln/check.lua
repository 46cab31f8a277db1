--- Errors: one line, raised where the user's code called into kiln.
-- The texts say the function, the argument, what was given and what is wanted.  Everything that
-- fails in kiln's Lua files goes through raise(); nothing else calls error() with a level.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local handles = require "kiln.handles"
local dtypes = require "kiln.dtype"
local devices = require "kiln.device"
local Object = require "kiln.class"
local spelling = require "kiln.spelling"

local M = {}

local Handle, is_tensor, istype = handles.Handle, handles.is_tensor, ffi.istype
local interrupt = C.kiln_peek_interrupt()
local getinfo, getmetatable = debug.getinfo, debug.getmetatable -- a table may hide its metatable
local here = getinfo(1, "S").source:match "^(@.*[/\\])check%.lua$" or "@kiln/"
local GENERATED = "=kiln" -- the chunk names that bind.lua gives end up with this in front

local function is_ours(source)
  return source:sub(1, #here) == here or source:sub(1, #GENERATED) == GENERATED
end

--- Is a line of debug.traceback() about one of kiln's own files?
---@param line string
---@return boolean
function M.is_own_frame(line)
  local file = line:match "^%s*(.-):"
  return file ~= nil and (is_ours("@" .. file) or is_ours("=" .. file)) or line:find "%[C%]" ~= nil
    or line:find "%[builtin" ~= nil
end

-- "kiln: gather: text", met inside what the user called.  An op that is made of others is named instead of
-- them, "kiln: take_along_dim: text"; other functions in front: "kiln: backward: mul: text".
local function name_outer(message, outer, is_op)
  local inner = message:match "^kiln: ([%w_]+): "
  local is_same = not outer or not inner or inner == outer or inner == outer .. "_" or outer == inner .. "_"
  if is_same then return message end
  return ("kiln: %s: %s"):format(outer, message:sub(#"kiln: " + (is_op and #inner + #": " or 0) + 1))
end

local vocabularies = {}

--- Says that users call the functions of a table by their names: errors tell the outermost one.
---@param functions table<string, function>
---@return table functions
function M.vocabulary(functions)
  vocabularies[#vocabularies + 1] = functions
  return functions
end

local function name_of(func)
  for _, functions in ipairs(vocabularies) do
    for name, f in next, functions do
      if f == func then return name end
    end
  end
end
jit.off(name_of) -- walks a table: docs/architecture.md, "LuaJIT"

-- They run what they are given, whose errors are not theirs.
local RUNS = { scope = true, no_grad = true, enable_grad = true }

local function throw(message)
  local level, outer, is_op = 2, nil, false
  while true do
    local info = getinfo(level, "Sf")
    if not info then error(name_outer(message, outer, is_op), 0) end
    if info.what ~= "C" then
      if not is_ours(info.source) then error(name_outer(message, outer, is_op), level) end
      local op = info.source:match "^=kiln:([%w_]+)"
      local name = op or name_of(info.func)
      if name and not RUNS[name] then outer, is_op = name, op ~= nil end
    end
    level = level + 1
  end
end

--- Raises "kiln: NAME: text" at the first frame outside kiln.
---@param name string?  the function as the user knows it
---@param format string
function M.raise(name, format, ...)
  local given, n = { ... }, select("#", ...)
  for i = 1, n do
    if type(given[i]) == "cdata" then given[i] = tonumber(given[i]) or given[i] end -- %d takes no 5LL
  end
  local text = n > 0 and format:format(unpack(given, 1, n)) or format
  throw(name and ("kiln: %s: %s"):format(name, text) or "kiln: " .. text)
end

--- Raises what the core said, and clears it there.
---@param name string?  the function as the user knows it, for what the core says without a name
---@param instead boolean?  also instead of the name of the op that the core was asked for
function M.raise_core(name, instead)
  local text = ffi.string(C.kiln_error())
  local interrupted = C.kiln_error_code() == C.KILN_EINTR
  C.kiln_error_clear()
  if text == "" then text = "failed without a message" end
  if instead then text = text:gsub("^[%l%d_]+: ", "") end
  local named = text:find "^[%l%d_]+: " or (name and text:sub(1, #name + 2) == name .. ": ")
  if name and not named and not interrupted then text = name .. ": " .. text end
  throw("kiln: " .. text)
end

--- Raises if Ctrl-C was pressed.  For loops in Lua, which call no op that would see it.
function M.poll()
  if interrupt[0] ~= 0 and C.kiln_interrupt_poll() < 0 then M.raise_core() end
end
handles.set_interrupted(M.poll)

--- Passes an error on as it is (it has its position already).
function M.rethrow(message) error(message, 0) end

--- Raises what the core said if `status` is negative.
function M.status(status, name)
  if status < 0 then M.raise_core(name) end
  return status
end

-- -- Words for values --------------------------------------------------------------------------

--- "[3, 4]"
function M.shape_text(x)
  local t = {}
  for i = 1, C.kiln_tensor_ndim(x.p) do t[i] = tostring(tonumber(C.kiln_tensor_size(x.p, i - 1))) end
  return "[" .. table.concat(t, ", ") .. "]"
end

--- A name from a script as a part of a message, which is one line.
---@return string
function M.one_line(v)
  return (tostring(v):gsub("%c", function(c) return ("\\%d"):format(c:byte()) end))
end

--- What `v` is, for the end of "expected ..., got ".
---@return string
function M.got(v)
  local kind = type(v)
  if kind == "nil" then return "nil" end
  if kind == "number" then return ("the number %.14g"):format(v) end
  if kind == "boolean" then return tostring(v) end
  if kind == "string" then
    return ("the string '%s'"):format(M.one_line(#v > 40 and v:sub(1, 37) .. "..." or v))
  end
  if is_tensor(v) then
    if v.p == nil then return "a freed tensor" end
    return ("a tensor %s %s"):format(dtypes.by_code[C.kiln_tensor_dtype(v.p)].name, M.shape_text(v))
  end
  if dtypes.is_dtype(v) then return "the dtype " .. tostring(v) end
  if istype(Handle, v) then
    return tonumber(v) and "the type of tensors"
      or "a pointer (a pointer to a tensor's handle is not a tensor)"
  end
  if kind == "cdata" then
    if istype("int64_t", v) or istype("uint64_t", v) then return "the integer " .. tostring(v) end
    return "cdata " .. tostring(ffi.typeof(v))
  end
  if Object.is_class(v) then return "the class " .. v.__name end
  if kind == "table" or kind == "userdata" then
    local name = getmetatable(v) and rawget(getmetatable(v), "__name")
    if type(name) == "string" then return "a " .. name end
    local title = kind == "table" and getmetatable(v) and rawget(getmetatable(v), "__title")
    if title then return "the package " .. title end
    if kind == "userdata" then return "a userdata" end
    return #v > 0 and ("a table of %d values"):format(#v) or "a table"
  end
  return "a " .. kind
end

-- -- Checks that many functions share ------------------------------------------------------------

M.is_tensor = is_tensor

--- The tensor `v`, unless it is none or was freed.  Sees Ctrl-C, for loops that only ask.
function M.tensor(v, name, argument)
  if not is_tensor(v) then
    if v == nil and argument == "self" then
      M.raise(name, "no tensor was given; call it as x:%s()", name)
    end
    M.raise(name, "%s must be a tensor, got %s", argument, M.got(v))
  end
  if v.p == nil then M.raise(name, handles.why_freed(v)) end
  if interrupt[0] ~= 0 then M.poll() end
  return v
end

--- The object of a method: net.train() has none, net:train() has.
---@param v any
---@param name string  the method
---@param example string  what such an object is called in the message
---@param class? table  what it is at least: net.append(layer) has a module, but not the one that is meant
function M.self(v, name, example, class)
  if not Object.is_instance(v, class or Object) then
    M.raise(name, "the object is missing; as a method it is called with a colon: %s:%s()", example, name)
  end
end

--- A whole number that int64 holds; accepts int64 cdata and 3.0, refuses 3.5.
function M.int(v, name, argument)
  if type(v) == "cdata" and (istype("int64_t", v) or istype("uint64_t", v)) then v = tonumber(v) end
  if type(v) ~= "number" then
    M.raise(name, "%s must be a whole number, got %s", argument, M.got(v))
  end
  if v % 1 ~= 0 then M.raise(name, "%s must be a whole number, got %.14g", argument, v) end
  if not (v < 2 ^ 53 and v > -2 ^ 53) then
    M.raise(name, "%s must lie between -2^53 and 2^53, got %.14g", argument, v)
  end
  return v
end

--- Sizes: a number, or a list of whole numbers of at least 0; a list of its own.
function M.sizes(v, name, argument)
  if type(v) == "number" or type(v) == "cdata" then v = { v } end
  if type(v) ~= "table" then
    M.raise(name, "%s must be a list of sizes, got %s", argument, M.got(v))
  end
  local list = {}
  for i = 1, #v do
    list[i] = M.int(v[i], name, ("%s[%d]"):format(argument, i))
    if list[i] < 0 then M.raise(name, "%s[%d] must not be negative, got %d", argument, i, v[i]) end
  end
  return list
end

function M.number(v, name, argument)
  if type(v) == "cdata" and (istype("int64_t", v) or istype("uint64_t", v)) then v = tonumber(v) end
  if type(v) ~= "number" then M.raise(name, "%s must be a number, got %s", argument, M.got(v)) end
  return v
end

--- Raises unless a number is above `least`, which NaN is not.
function M.above(v, name, argument, least)
  local fits = v > least
  if not fits then M.raise(name, "%s must be above %g, not %g", argument, least, v) end
end

--- Raises unless a number is at least `least`, which NaN is not.
function M.at_least(v, name, argument, least)
  local fits = v >= least
  if not fits then M.raise(name, "%s must be at least %g, not %g", argument, least, v) end
end

--- Are the first n sizes of x and y the same?
function M.same_sizes(x, y, n)
  for d = 1, n do
    if x:size(d) ~= y:size(d) then return false end
  end
  return true
end

function M.bool(v, name, argument)
  if type(v) ~= "boolean" then
    M.raise(name, "%s must be true or false, got %s", argument, M.got(v))
  end
  return v
end

function M.fn(v, name, argument)
  if type(v) ~= "function" then
    local mt = (type(v) == "table" or type(v) == "userdata") and getmetatable(v)
    if type(mt) ~= "table" or not mt.__call then
      M.raise(name, "%s must be a function, got %s", argument, M.got(v))
    end
  end
  return v
end

--- The number in C of a dtype value or name.
function M.dtype(v, name, argument)
  local code = v ~= nil and dtypes.code[v]
  if not code then
    M.raise(name, "%s must be a dtype such as kiln.float32, got %s", argument or "dtype", M.got(v))
  end
  return code
end

--- The number in C of a device name.
function M.device(v, name, argument)
  local code, why = devices.find(v)
  if not code then
    M.raise(name, "%s is %s; %s", argument or "device", M.got(v), why)
  end
  return code
end

--- Raises that there is no such option, and says which there are.
---@param name string
---@param key any
---@param known string[]  the options, in the order to list them
function M.unknown_option(name, key, known)
  if #known == 0 then M.raise(name, "unknown option '%s' (it takes none)", M.one_line(key)) end
  M.raise(name, "unknown option '%s'%s (it takes %s)", M.one_line(key), spelling.hint(key, known),
    table.concat(known, ", "))
end

--- What to write for a dtype or a device that stands where it is none, for the end of a message, or "".
---@return string
function M.belongs(v)
  local is_dtype, is_name = dtypes.is_dtype(v), type(v) == "string"
  if not is_dtype and not (is_name and (dtypes.code[v] or devices.find(v))) then return "" end
  return ("; it stands in a table at the end, { %s = %s }"):format(dtypes.code[v] and "dtype" or "device",
    is_name and "'" .. v .. "'" or tostring(v))
end

--- Refuses what is no table of options.
function M.option_table(options, name)
  if options ~= nil and (type(options) ~= "table" or getmetatable(options) ~= nil) then
    M.raise(name, "options must be a table, got %s%s", M.got(options), M.belongs(options))
  end
end

--- Refuses options that are not among the keys of `known`.
---@param options table?
function M.options(options, known, name)
  if options == nil then return {} end
  M.option_table(options, name)
  for k in pairs(options) do
    if known[k] == nil then
      local list = {}
      for option in pairs(known) do list[#list + 1] = option end
      table.sort(list)
      M.unknown_option(name, k, list)
    end
  end
  return options
end
jit.off(M.options) -- walks a table: docs/architecture.md, "LuaJIT"

local room_shape = ffi.new "int64_t[8]"

local function has_room(shape, like)
  for d = 1, #shape do room_shape[d - 1] = shape[d] end
  local p = C.kiln_tensor_new(room_shape, #shape, C.kiln_tensor_dtype(like.p), C.kiln_tensor_device(like.p))
  C.kiln_error_clear()
  C.kiln_tensor_release(p)
  return p ~= nil
end

--- Raises unless memory could hold a result: before anything is computed, or listed in a table.
---@param name string
---@param argument string  what asks for that much
---@param shape integer[]  at most 8 sizes
---@param like kiln.Tensor  dtype and device of the result
function M.room(name, argument, shape, like)
  local fits = true
  for d = 1, #shape do fits = fits and shape[d] >= 0 and shape[d] < 2 ^ 53 end
  if fits and has_room(shape, like) then return end
  if fits then handles.collect() end
  if fits and has_room(shape, like) then return end
  local text = {}
  for d = 1, #shape do text[d] = ("%.14g"):format(shape[d]) end
  M.raise(name, "%s asks for a result of shape [%s], which memory cannot hold", argument,
    table.concat(text, ", "))
end

--- Dim d of x (from 1, negative from the end) as a number from 1.
---@param name string  the function as the user knows it
---@param argument string
---@param x kiln.Tensor
---@param d integer
---@return integer
function M.axis(name, argument, x, d)
  local n = math.max(x:dim(), 1)
  if d == 0 or d > n or d < -n then
    M.raise(name, "%s %d is out of range for a %d-dim tensor", argument, d, x:dim())
  end
  return d < 0 and d + n + 1 or d
end

--- Refuses offsets of the bags in a list of n positions that do not begin at 1, fall, or lie behind its end;
-- those on a device are read only where every op waits (KILN_CUDA_SYNC=1).
---@param offsets kiln.Tensor  int64, 1 dim
---@param n integer
function M.offsets(offsets, n, name)
  if not require("kiln.cuda.capturing").is_watched(offsets) then return end
  local least, most = 1, 1 -- of the first one
  for i, at in ipairs(offsets:tolist()) do
    if at < least or at > most then
      local wanted = most == 1 and "1" or ("in %d..%d"):format(least, most)
      M.raise(name, "offsets[%d] must be %s, not %d", i, wanted, at)
    end
    least, most = at, n + 1
  end
end

return M
