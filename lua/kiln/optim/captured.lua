--- A step of an optimizer inside a graph.  Capturing it takes no step; each replay takes the next one, with
-- the options that the group then has: its numbers are worked out before the launch, for the kernel to read.
local kiln = require "kiln"
local C = require("kiln.ffi").C
local capturing = require "kiln.cuda.capturing"
local check = require "kiln.check"
local fused = require "kiln.optim.fused"

local NUMBERS = 12 -- as many as kiln_step_from takes

local function finish(ok, message)
  C.kiln_step_from(nil, nil)
  if not ok then check.rethrow(message) end
end

-- Captures the row of a bucket (parameters with one step number) with numbers that it reads when it runs.
local function capture(optimizer, bucket, numbers, unless)
  check.status(C.kiln_step_from(numbers.p, unless and unless.p or nil), optimizer.__name)
  finish(pcall(fused(optimizer.step_op), bucket.lists, optimizer.numbers(bucket.group, bucket.step,
    bucket.carried)))
end

---@param optimizer kiln.optim.Optimizer
---@param bucket { lists: kiln.Tensor[][], group: table, step: integer, carried: any, device: string }
return function(optimizer, bucket)
  local params, group, states = bucket.lists[1], bucket.group, {}
  for i, p in ipairs(params) do states[i] = optimizer.state[p] end
  local numbers = capturing.aside(function()
    return kiln.zeros(NUMBERS, { dtype = kiln.float64, device = bucket.device })
  end)
  capture(optimizer, bucket, numbers, capturing.current.unless)
  local function count(by)
    for _, state in ipairs(states) do state.step = state.step + by end
  end
  count(-1) -- it was not taken
  local kept -- what the state carries from the step before the replay
  local function carry(value)
    for _, state in ipairs(states) do state[optimizer.carried] = value end
  end
  capturing.at_replay {
    before = function()
      for i, p in ipairs(params) do
        if optimizer.state[p] ~= states[i] then
          check.raise(optimizer.__name, "its state was replaced since the step was captured; capture it anew")
        end
      end
      local step, carried, next_one = states[1].step + 1, false, nil
      if optimizer.carried then
        kept = states[1][optimizer.carried]
        carried, next_one = optimizer.carry(group, step, kept)
      end
      local now = { optimizer.numbers(group, step, carried) }
      for i = #now + 1, NUMBERS do now[i] = 0 end
      numbers:copy_(kiln.tensor(now, { dtype = kiln.float64, device = "cpu" }))
      count(1)
      if optimizer.carried then carry(next_one) end
    end,
    undo = function()
      count(-1)
      if optimizer.carried then carry(kept) end
    end,
  }
end
