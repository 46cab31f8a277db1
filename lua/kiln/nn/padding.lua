--- Padding layers: what stands around the last 1, 2 or 3 dims of an input.
-- `padding` is one number for all sides, or a list that starts with the last dim:
-- { left, right, top, bottom, front, back }.
local F = require "kiln.nn.functional"
local Module = require "kiln.nn.module"
local check = require "kiln.check"

local M = {}

local function define(name, n, mode, value)
  local class = Module:extend(name)
  function class:init(padding, fill)
    if type(padding) == "number" then
      local all = padding
      padding = {}
      for i = 1, 2 * n do padding[i] = all end
    end
    if type(padding) ~= "table" or #padding ~= 2 * n then
      check.raise(name, "padding must be a number or a list of %d, not %s", 2 * n, check.got(padding))
    end
    for i = 1, 2 * n do check.int(padding[i], name, ("padding[%d]"):format(i)) end
    self.padding, self.value = padding, value
    if mode == "constant" and not value then self.value = check.number(fill, name, "value") end
  end
  function class:extra_repr() return "padding={" .. table.concat(self.padding, ", ") .. "}" end
  function class:forward(x) return F.pad(x, self.padding, mode, self.value) end
  M[name] = class
end

for n = 1, 3 do
  define("ReflectionPad" .. n .. "d", n, "reflect")
  define("ReplicationPad" .. n .. "d", n, "replicate")
  define("CircularPad" .. n .. "d", n, "circular")
  define("ConstantPad" .. n .. "d", n, "constant")
  define("ZeroPad" .. n .. "d", n, "constant", 0)
end

return M
