--- kiln.autograd: gradients.  backward, grad, Function, hooks, gradcheck, anomaly mode.
-- The files are loaded when a name of theirs is first used.
local namespace = require "kiln.namespace"

local FILES = {
  ["kiln.autograd.backward"] = { "backward", "grad" },
  ["kiln.autograd.function"] = { "Function", "once_differentiable" },
  ["kiln.autograd.gradcheck"] = { "gradcheck", "gradgradcheck" },
  ["kiln.autograd.anomaly"] = { "set_detect_anomaly", "detect_anomaly", "is_anomaly_enabled" },
  ["kiln.create"] = { "Variable" },
  ["kiln.modes"] = { "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled" },
}
local METHODS = {
  ["kiln.autograd.backward"] = { "backward" },
  ["kiln.autograd.hooks"] = { "register_hook", "retain_grad", "requires_grad_", "detach_" },
}
local PACKAGES = { functional = true, profiler = true, checkpoint = true, graph = true }

local file_of, provider = {}, {}
for file, names in pairs(FILES) do for _, name in ipairs(names) do file_of[name] = file end end
for file, names in pairs(METHODS) do for _, name in ipairs(names) do provider[name] = file end end

local M = {}

--- Methods of tensors that this package provides.
M.methods = setmetatable({}, {
  __index = function(_, name) return provider[name] and require(provider[name]).methods[name] end,
})

local function names()
  local list = {}
  for name in pairs(file_of) do list[#list + 1] = name end
  for name in pairs(PACKAGES) do list[#list + 1] = name end
  return list
end
jit.off(names) -- walks a table: docs/architecture.md, "LuaJIT"

return namespace.of("kiln.autograd", M, function(name)
  if file_of[name] then return require(file_of[name])[name] end
  if PACKAGES[name] then return require("kiln.autograd." .. name) end
end, names)
