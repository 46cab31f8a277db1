--- Hooks on tensors, and the other methods by which a tensor takes part in autograd.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local keys = require "kiln.autograd.keys"

local M = { methods = {} }
local methods = M.methods

---@class kiln.RemovableHandle
local Removable = { __name = "RemovableHandle" }
Removable.__index = Removable

--- Takes the hook away; calling it again does nothing.
function Removable:remove()
  local x = self.tensor
  self.tensor = nil
  if x == nil then return end
  if x.p ~= nil then C.kiln_hook_remove(x.p, self.key) end
  keys.silence(self.key) -- x may have been freed or got another node since
end

--- Calls fn(gradient) whenever a gradient of x is computed; what fn returns, if anything, is the
--- gradient from then on.
---@param fn fun(g: kiln.Tensor): kiln.Tensor?
---@return kiln.RemovableHandle
function methods:register_hook(fn)
  check.tensor(self, "register_hook", "self")
  check.fn(fn, "register_hook", "fn")
  local key = keys.new(fn)
  local status = C.kiln_hook_add(self.p, key)
  if status < 0 then
    keys.drop(key)
    check.raise_core "register_hook"
  end
  return setmetatable({ tensor = self, key = key }, Removable)
end

--- Keeps the gradient of a tensor that is not a leaf in x.grad.
function methods:retain_grad()
  check.status(C.kiln_retain_grad(check.tensor(self, "retain_grad", "self").p), "retain_grad")
  return self
end

--- What zero_grad does with a parameter: drops x.grad, or with `keep` fills it with zeros that have no
--- history.
function M.clear_grad(x, keep)
  local g = keep and x.grad or nil
  if g == nil or g.is_sparse then
    x.grad = nil
    return
  end
  if g.requires_grad then
    g = g:detach()
    x.grad = g
  end
  g:zero_()
end

--- Sets requires_grad and returns x.
---@param on? boolean  true when left out
function methods:requires_grad_(on)
  check.tensor(self, "requires_grad_", "self")
  if on == nil then on = true end
  check.status(C.kiln_set_requires_grad(self.p, check.bool(on, "requires_grad_", "on")),
    "requires_grad_")
  return self
end

--- Cuts x from its history: it is a leaf from now on.
function methods:detach_()
  check.status(C.kiln_detach_(check.tensor(self, "detach_", "self").p), "detach_")
  return self
end

return M
