--- kiln.nn.utils: gradients clipped, weights normalised and flattened, sequences packed, tensors
-- parametrized.
local M = { rnn = require "kiln.nn.utils.rnn", parametrize = require "kiln.nn.utils.parametrize",
  parametrizations = require "kiln.nn.utils.parametrizations" }
for _, part in ipairs { "rnn", "clip", "reparametrize", "fusion" } do
  for name, value in pairs(require("kiln.nn.utils." .. part)) do
    if name ~= "is_packed" then M[name] = value end
  end
end

--- class(...), whose parameters have memory and no values: nothing of nn.init writes them.
---@return kiln.nn.Module
function M.skip_init(class, ...)
  if not require("kiln.class").is_subclass(class, require "kiln.nn.module") then
    local check = require "kiln.check"
    check.raise("skip_init", "class must be a class of modules such as nn.Linear, not %s", check.got(class))
  end
  return require("kiln.nn.init").skipped(class, ...)
end

return require("kiln.namespace").of("kiln.nn.utils", M)
