--- Calls the op of an optimizer's step: lists of tensors and numbers, everything written in place.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local check = require "kiln.check"
local ops = require "kiln.ops"

local pointers = ffi.typeof "kiln_tensor *[?]"

---@param name string the op row, such as "adam_step"
---@param lists kiln.Tensor[][] parameters, gradients, then the state that is in use
return function(name, lists, ...)
  local arguments, count = {}, #lists[1]
  for i = 1, #ops.by_name[name].ins do
    local list = lists[i]
    local n = list and count or 0
    local array = n > 0 and pointers(n) or nil
    for k = 1, n do array[k - 1] = list[k].p end
    arguments[2 * i - 1], arguments[2 * i] = array, n
  end
  local n = 2 * #ops.by_name[name].ins + 1
  arguments[n] = count
  local numbers = select("#", ...)
  for i = 1, numbers do arguments[n + i] = (select(i, ...)) end
  check.status(C["kiln_" .. name .. "_"](unpack(arguments, 1, n + numbers)), name)
end
