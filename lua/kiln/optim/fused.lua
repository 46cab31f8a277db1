--- Calls the op of an optimizer's step: lists of tensors and numbers, everything written in place.
-- The call is written out once an op, so that LuaJIT compiles it.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local ops = require "kiln.ops"
local tracing = require "kiln.tracing"

-- The arrays that lists travel in; C reads them during the call only.
local arrays, room = {}, {}

local function pointers(k, list, n)
  if list == nil or n == 0 then return nil end
  if n > (room[k] or 0) then
    room[k] = 2 * n
    arrays[k] = ffi.new("kiln_tensor *[?]", room[k])
  end
  local array = arrays[k]
  for i = 1, n do array[i - 1] = list[i].p end
  return array
end

local CALL = [[
local C, pointers, check, tracing = ...
return function(lists%s)
  if tracing.mark ~= nil then tracing.mark() end
  local count = #lists[1]
  check(C.kiln_%s_(%s, count%s), %q)
end]]

local calls = {}

local function call_of(name)
  local row, lists, numbers = ops.by_name[name], {}, ""
  for i = 1, #row.ins do
    lists[i] = ("pointers(%d, lists[%d], count), lists[%d] and count or 0"):format(i, i, i)
  end
  for number in row.args:gmatch "([%w_]+): number" do numbers = numbers .. ", " .. number end
  local source = CALL:format(numbers, name, table.concat(lists, ", "), numbers, name)
  calls[name] = assert(loadstring(source, "=kiln " .. name))(C, pointers, check.status, tracing)
  return calls[name]
end

--- The step of an op row such as "adam_step": a function of { parameters, gradients, then the state that is
--- in use } and the row's numbers.
---@param name string
---@return fun(lists: kiln.Tensor[][], ...: number)
return function(name) return calls[name] or call_of(name) end
