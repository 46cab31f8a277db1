--- Values as bytes, from one Lua state to another of the same process.
-- Tensors travel by pointer, without a copy; functions as bytecode with their upvalues; what a loaded
-- module offers travels by name; tables by value, with their metatables, cycles kept.  A function may not
-- have a plain table as an upvalue: it would silently be a copy there.
require "kiln" -- a thread that was sent a tensor can use it
local ffi = require "ffi"
local buffer = require "string.buffer"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local handles = require "kiln.handles"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise, got = check.raise, check.got
local M = {}

-- -- Names -------------------------------------------------------------------------------------

local STANDARD = { _G = true, string = true, table = true, math = true, io = true, os = true, debug = true,
  coroutine = true, bit = true, ffi = true, jit = true, package = true }

-- Which value is which module, or field of one: { [value] = { module, field } }.  Made again when a
-- module was loaded since, and for a function that is not in it: a batch, which holds none, costs no walk.
local known, loaded = nil, 0

local function count_loaded()
  local n = 0
  for _ in next, package.loaded do n = n + 1 end
  return n
end

local function walk_modules()
  known, loaded = {}, count_loaded()
  for name, module in pairs(package.loaded) do
    if type(module) == "table" and (STANDARD[name] or name:find "^kiln") then
      for key, v in next, module do
        local kind = type(v)
        if type(key) == "string" and (kind == "function" or kind == "table") and not known[v] then
          known[v] = { name, key }
        end
      end
    end
  end
  for name, module in pairs(package.loaded) do
    if type(module) == "table" or type(module) == "function" then known[module] = { name } end
  end
end

-- What a table or function is called, { module, field }, or nil.
local function name_of(state, v)
  local name = known[v]
  if name then
    local module = package.loaded[name[1]]
    if rawequal(module, v) or type(module) == "table" and rawequal(rawget(module, name[2]), v) then
      return name
    end
  elseif type(v) ~= "function" then
    return nil
  end
  if state.walked then return nil end
  walk_modules()
  state.walked = true
  return known[v]
end

-- -- Encoding ----------------------------------------------------------------------------------

local function is_object(v)
  local mt = getmetatable(v)
  return rawget(v, "__name") ~= nil or (mt ~= nil and rawget(mt, "__name") ~= nil)
end

local encode -- (state, value) -> number of its node

local function encode_function(state, f, name)
  local ok, code = pcall(string.dump, f)
  if not ok then raise("transport", "%s is a C function and cannot be sent", name) end
  local node = { "f", code, {} }
  local at = #state.nodes + 1
  state.nodes[at], state.seen[f] = node, at
  for i = 1, 255 do
    local upname, v = debug.getupvalue(f, i)
    if not upname then break end
    if type(v) == "table" and not name_of(state, v) and not is_object(v) then
      raise("transport", "the upvalue '%s' of a function is a table; keep it in a field of the object "
        .. "that is sent, or build it inside the function", upname)
    end
    node[3][i] = encode(state, v, "the upvalue '" .. upname .. "'")
  end
  return at
end

local function encode_table(state, t)
  local node = { "t", {}, {}, 0 }
  local at = #state.nodes + 1
  state.nodes[at], state.seen[t] = node, at
  for key, v in next, t do
    local k = #node[2] + 1
    node[2][k] = encode(state, key, "a key")
    node[3][k] = encode(state, v, "the field '" .. tostring(key) .. "'")
  end
  local mt = debug.getmetatable(t)
  if mt then node[4] = encode(state, mt, "a metatable") end
  return at
end

function encode(state, v, what)
  local kind = type(v)
  if v == nil then return 0 end
  if state.seen[v] then return state.seen[v] end
  local at = #state.nodes + 1
  if kind == "boolean" or kind == "number" or kind == "string" then
    state.nodes[at] = { "v", v }
    if v == v then state.seen[v] = at end
  elseif check.is_tensor(v) then
    check.tensor(v, "transport", what)
    state.nodes[at], state.seen[v] = { "x", tonumber(ffi.cast("intptr_t", v.p)) }, at
    state.tensors[#state.tensors + 1] = v
  elseif kind == "function" or kind == "table" then
    local name = name_of(state, v)
    if not name then
      if kind == "function" then return encode_function(state, v, what) end
      return encode_table(state, v)
    end
    state.nodes[at], state.seen[v] = { "n", name[1], name[2] }, at
  else
    raise("transport", "%s is %s, which cannot be sent to another thread", what, got(v))
  end
  return at
end

--- A value as bytes.  They must be decoded exactly once: each holds references to tensors.
---@return string
function M.encode(value)
  if loaded ~= count_loaded() then walk_modules() end
  local state = { nodes = {}, seen = {}, tensors = {}, walked = false }
  local root = encode(state, value, "the value")
  for _, x in ipairs(state.tensors) do C.kiln_tensor_retain(x.p) end
  return buffer.encode { root, state.nodes }
end

-- -- Decoding ----------------------------------------------------------------------------------

--- The value that encode was given.
---@param bytes string
function M.decode(bytes)
  local message = buffer.decode(bytes)
  local root, nodes, values = message[1], message[2], {}
  local function get(i)
    if i == 0 then return nil end
    if values[i] ~= nil then return values[i] end
    local node = nodes[i]
    local v
    if node[1] == "v" then
      v = node[2]
    elseif node[1] == "x" then
      v = handles.own(ffi.cast("kiln_tensor *", node[2]))
    elseif node[1] == "n" then
      v = require(node[2])
      if node[3] then v = v[node[3]] end
    elseif node[1] == "f" then
      local f = assert(loadstring(node[2], "=kiln:transport"))
      values[i] = f
      for k, ref in pairs(node[3]) do debug.setupvalue(f, k, get(ref)) end
      v = f
    else
      v = {}
      values[i] = v
      for k, ref in ipairs(node[2]) do rawset(v, get(ref), get(node[3][k])) end
      if node[4] ~= 0 then debug.setmetatable(v, get(node[4])) end
    end
    values[i] = v
    return v
  end
  return get(root)
end

return M
