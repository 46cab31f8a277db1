--- Runs a training script up to its third step, and prints what memory is live before that step's forward,
-- and after its backward once all that the forward made (the loss above all) is dropped:
--   luajit spec/support/example_memory.lua SCRIPT.lua [ARGUMENT...]
--   before BYTES bytes NODES nodes
--   after BYTES bytes NODES nodes
-- A forward begins with the first call of a module that records; the step before it has made gradients and
-- the optimizer's state, so that both counts hold the same.
local kiln = require "kiln"
local C = require("kiln.ffi").C
local handles = require "kiln.handles"
local Module = require "kiln.nn.module"
local passes = require "kiln.autograd.backward"

local STEP = 3
local step, inside, made = 0, false, {}

local function report(when)
  for i = 1, 64 do local _ = C.kiln_number(i) end -- the ring of numbers that ops borrow from is full now
  jit.flush()
  kiln.collect()
  local m = kiln.memory()
  print(("%s %d bytes %d nodes"):format(when, tonumber(m.live_bytes), tonumber(m.live_nodes)))
end

local call = Module.__call
function Module.__call(...)
  if not inside and kiln.is_grad_enabled() then
    inside, step = true, step + 1
    if step == STEP then
      report "before"
      handles.set_watch(function(h) made[#made + 1] = h end)
    end
  end
  return call(...)
end

local backward = passes.methods.backward
function passes.methods.backward(...)
  backward(...)
  inside = false
  if step < STEP then return end
  handles.set_watch(nil)
  for _, h in ipairs(made) do handles.free(h) end
  report "after"
  os.exit(0)
end

arg = { [0] = arg[1], unpack(arg, 2) } -- luacheck: globals arg
dofile(arg[0])
