--- Hooks on tensors, and the other methods by which a tensor takes part in autograd.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local keys = require "kiln.autograd.keys"
local modes = require "kiln.modes"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local M = { methods = {} }
local methods = M.methods

-- -- In a function that will run again -------------------------------------------------------------
-- The first run of a checkpointed function records nothing, so a tensor that it computes gets its hooks in
-- the second: registrations are counted, and the n-th of one run is the n-th of the other.

-- A function that runs so: { is_again, n (registrations so far), entries }; an entry is { mark (what stands
-- for the registration in all runs), is_there (it was done in the first run) }.
local Frame = {}

local frames = {} -- that run now, outermost first

--- What is known of a function that will run again.
function M.new_frame() return setmetatable({ entries = {} }, Frame) end

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

--- Lets go of the tensors of the last run.
function M.forget_run(frame)
  for _, entry in pairs(frame.entries) do if not entry.is_there then entry.mark.tensor = nil end end
end

-- Counts a registration on x, for which `mark` stands unless an earlier run has one.  Returns the mark, and
-- whether it is to be done now.
local function count(x, mark)
  local is_there, fresh, is_again = false, {}, false
  for _, frame in ipairs(frames) do
    frame.n = frame.n + 1
    local entry = frame.is_again and frame.entries[frame.n]
    if entry then
      mark, is_there = entry.mark, is_there or entry.is_there
    else
      entry = { is_there = false }
      frame.entries[frame.n], fresh[#fresh + 1] = entry, entry
    end
    is_again = frame.is_again
  end
  local waits = #frames > 0 and not is_again and C.kiln_is_derived(x.p)
  for _, entry in ipairs(fresh) do entry.mark, entry.is_there = mark, not waits end
  return mark, not (is_there or waits)
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
  local handle, now = count(self, setmetatable({}, Removable))
  if now and not handle.is_removed then add_hook(self, fn, handle, "register_hook") end
  return handle
end

-- The tensors of all runs that want the gradient which the last one gets.
local Waiting = { __mode = "v" }

--- Keeps the gradient of a tensor that is not a leaf in x.grad.
function methods:retain_grad()
  check.tensor(self, "retain_grad", "self")
  local waiting, now = count(self, #frames > 0 and { others = setmetatable({}, Waiting) })
  if now then check.status(C.kiln_retain_grad(self.p), "retain_grad") end
  if not waiting then return self end
  if now and next(waiting.others) ~= nil then
    add_hook(self, function(g)
      for _, x in pairs(waiting.others) do
        if x.p ~= nil then x.grad = x.grad and x.grad + g or g:clone() end
      end
    end, waiting, "retain_grad")
  elseif not now then
    table.insert(waiting.others, self)
  end
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
