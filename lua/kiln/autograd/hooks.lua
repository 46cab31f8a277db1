--- Hooks on tensors, and the other methods by which a tensor takes part in autograd.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local keys = require "kiln.autograd.keys"
local modes = require "kiln.modes"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = { methods = {} }
local methods = M.methods

-- -- In a function that runs again ------------------------------------------------------------------
-- The graph of a checkpointed function is that of its first run, so its hooks are those of the first run.
-- Registrations are counted, and what the n-th of a later run returns is the handle of the first run's n-th.

-- A function that runs so: { is_again, n (registrations so far), marks (what stands for each) }.
local Frame = {}

local Weak = { __mode = "v" }

local frames = {} -- that run now, outermost first

--- What is known of a function that will run again.
function M.new_frame() return setmetatable({ marks = setmetatable({}, Weak) }, Frame) end

--- Runs fn(...) as a run of the frame's function.
---@param is_again boolean
function M.run_frame(frame, is_again, fn, ...)
  frame.n, frame.is_again = 0, is_again
  return modes.during(function() frames[#frames + 1] = frame end, function()
    for i = #frames, 1, -1 do
      if frames[i] == frame then
        table.remove(frames, i)
        return
      end
    end
  end, fn, ...)
end

-- Counts a registration, for which `mark` stands unless an earlier run has something.  Returns what stands
-- for it, nil where nobody holds that any more, and whether an earlier run did it.
local function count(mark)
  local known, is_again = nil, false
  for _, frame in ipairs(frames) do
    frame.n = frame.n + 1
    is_again = is_again or frame.is_again
    known = known or frame.is_again and frame.marks[frame.n] or nil
  end
  if not is_again then known = mark end
  for _, frame in ipairs(frames) do frame.marks[frame.n] = frame.marks[frame.n] or known end
  return known, is_again
end

-- -- Hooks ---------------------------------------------------------------------------------------

---@class kiln.RemovableHandle
local Removable = { __name = "RemovableHandle" }
Removable.__index = Removable

--- Takes the hook away; calling it again does nothing.
function Removable:remove()
  local x = self.tensor
  self.tensor, self.is_removed = nil, true
  if x == nil then return end
  if x.p ~= nil then C.kiln_hook_remove(x.p, self.key) end
  keys.silence(self.key) -- x may have been freed or got another node since
end

local function add_hook(x, fn, handle, name)
  local key = keys.new(fn)
  local status = C.kiln_hook_add(x.p, key)
  if status < 0 then
    keys.drop(key)
    check.raise_core(name)
  end
  handle.tensor, handle.key = x, key
end

--- Calls fn(gradient) whenever a gradient of x is computed; what fn returns, if anything, is the
--- gradient from then on.
---@param fn fun(g: kiln.Tensor): kiln.Tensor?
---@return kiln.RemovableHandle
function methods:register_hook(fn)
  check.tensor(self, "register_hook", "self")
  check.fn(fn, "register_hook", "fn")
  local handle = setmetatable({}, Removable)
  local known, is_again = count(handle)
  if is_again and not C.kiln_region_is_new(self.p) then -- it was registered then
    handle.is_removed = true
    return known or handle
  end
  add_hook(self, fn, handle, "register_hook")
  return known or handle
end

-- Gives x, which a later run computed, the gradients of the tensor that the first one computed in its place.
local function share_grad(first, x)
  local weak = setmetatable({ x }, Weak)
  x.grad = first.grad
  add_hook(first, function(g)
    local y = weak[1]
    if y and y.p ~= nil then y.grad = y.grad and y.grad + g or g:clone() end
  end, {}, "retain_grad")
end

--- Keeps the gradient of a tensor that is not a leaf in x.grad.
function methods:retain_grad()
  check.tensor(self, "retain_grad", "self")
  check.status(C.kiln_retain_grad(self.p), "retain_grad")
  local first, is_again = count(self)
  if is_again and first and first.p ~= nil and first ~= self then share_grad(first, self) end
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
