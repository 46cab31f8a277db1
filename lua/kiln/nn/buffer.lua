--- nn.Buffer: a tensor that a Module registers as a buffer when it is assigned to one of its fields, as
-- register_buffer does by name.  That a tensor is one is remembered by handle.
local kiln = require "kiln"
local args = require "kiln.utils.args"

local kinds = setmetatable({}, { __mode = "k" })
local parse = args.define("Buffer", "data: tensor, persistent: bool = true")

local Buffer = {}

--- "buffer" or "transient buffer" where a value is one, else nil.
function Buffer.kind(value) return kiln.is_tensor(value) and kinds[value] or nil end

--- A buffer that shares memory with `data`; one that is not persistent is left out of the state.
---@param data kiln.Tensor
---@param persistent? boolean default true
---@return kiln.Tensor
function Buffer.new(...)
  local a = parse(...)
  local b = a.data:detach()
  kinds[b] = a.persistent and "buffer" or "transient buffer"
  return b
end

return setmetatable(Buffer, { __call = function(_, ...) return Buffer.new(...) end })
