--- A module in one declaration: its argument list, its tensors and its forward.
-- Arguments become fields, checked and with their defaults; printing shows them.  Layers that need
-- more than this are ordinary classes.
--
--   declare "Linear" {
--     args = "in_features: count, out_features: count, bias: bool = true",
--     tensors = true,                      -- also takes device and dtype
--     last = "...",                        -- arguments that come behind those two
--     setup = function(self) ... end,      -- makes parameters; self:make(shape) is a new one
--     forward = function(self, x) ... end,
--   }
local kiln = require "kiln"
local create = require "kiln.create"
local Module = require "kiln.nn.module"
local Parameter = require "kiln.nn.parameter"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local function copy(to, from)
  for key, value in pairs(from) do to[key] = value end
end
jit.off(copy) -- walks a table: docs/architecture.md, "LuaJIT"

local function show(v)
  if type(v) ~= "table" or getmetatable(v) then return tostring(v) end
  for i = 2, #v do
    if v[i] ~= v[1] then return "{" .. table.concat(v, ", ") .. "}" end
  end
  return tostring(v[1])
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- Methods besides forward that scripts call.
local NAMED = { "reset_parameters", "reset_running_stats", "flatten_parameters", "log_prob", "predict",
  "all_weights" }

--- Declares a module class and returns it.
---@param name string
---@return fun(row: table): table
return function(name)
  return function(row)
    local class = (row.base or Module):extend(name)
    local text, rest = row.args or "", row.last and ", " .. row.last or ""
    local tensors = row.tensors and ", device: any?, dtype: dtype?" or ""
    local parse, list = args.define(name, text .. tensors .. rest)
    class.row = row
    class.argument_list = args.plain(text .. rest) -- for help

    function class:init(...)
      local values = parse(...)
      for _, arg in ipairs(list) do
        if arg.name ~= "dtype" and arg.name ~= "device" then self[arg.name] = values[arg.name] end
      end
      if row.tensors then rawset(self, "_factory", { dtype = values.dtype, device = values.device }) end
      if row.setup then row.setup(self) end
      if self.reset_parameters then self:reset_parameters() end
    end

    if row.tensors then
      --- An uninitialised parameter of a shape, with the dtype and device that were asked for.
      function class:make(shape)
        return Parameter(create.called("empty", self.__name)(shape, self._factory))
      end
      --- A buffer's value: zeros (or another constant) of a shape.
      function class:constant(shape, value) return kiln.full(shape, value or 0, self._factory) end
    end

    function class:extra_repr()
      local words = {}
      for _, arg in ipairs(list) do
        local v = self[arg.name]
        local hidden = v == nil or type(v) == "function" or kiln.is_tensor(v) or Module.is_instance(v, Module)
        if arg.name == "dtype" or arg.name == "device" then hidden = true end
        if not hidden and (arg.default == nil or not same(v, arg.default)) then
          words[#words + 1] = arg.name .. "=" .. show(v)
        elseif v == nil and arg.default == true and self.affine ~= false then
          words[#words + 1] = arg.name .. "=false"
        end
      end
      return table.concat(words, ", ")
    end

    copy(class, row.methods or {})
    for _, key in ipairs(NAMED) do
      local method = row.methods and row.methods[key]
      class[key] = method and function(self, ...)
        check.self(self, key, "layer")
        return method(self, ...)
      end
    end
    local forward = row.forward
    class.checked_forward = forward and function(self, ...)
      if type(self) ~= "table" then check.self(self, "forward", "layer") end
      return forward(self, ...)
    end
    class.forward = class.checked_forward
    return class
  end
end
