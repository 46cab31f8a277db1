--- Every op on the device gives what it gives on the CPU, random numbers included: its samples in float32,
-- and the gradients of a sum of its results.  Few elements and one dtype, so that it runs where a launch is
-- slow: spec/cuda/kernels.sh and spec/gpu/run.sh watch the kernels with it.
local kiln = require "spec.support.emulator"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local TOLERANCE, LEAST = 1e-3, 0.1

-- The sample's results and the gradients of its floating inputs, if `wanted`, computed on a device.
local function run(s, device, wanted)
  kiln.set_default_device(device)
  kiln.manual_seed(1)
  local leaves = {}
  local args, options = tensors.arguments(s, function(t)
    local x = tensors.make(t, "float32")
    if wanted and x.dtype.is_floating_point then
      leaves[#leaves + 1] = x:requires_grad_()
    end
    return x
  end)
  local results = tensors.call(s.row, args, s.n, options)
  local loss
  for i = 1, results.n do
    local y = results[i]
    if kiln.is_tensor(y) and y.requires_grad then
      local part = (y * kiln.arange(1, y:numel() + 1):cos():view(y.shape)):sum()
      loss = loss and loss + part or part
    end
  end
  if loss then loss:backward() end
  local all = { n = results.n + #leaves, unpack(results, 1, results.n) }
  for i, x in ipairs(leaves) do all[results.n + i] = x.grad end
  return all
end

-- The same, on the CPU again afterwards.
local function try(...)
  local ok, all = pcall(run, ...)
  kiln.set_default_device "cpu"
  return ok, all
end

-- Why a result is not the CPU's, or nil.
local function differs(here, there)
  if not kiln.is_tensor(here) or not kiln.is_tensor(there) then
    return here ~= there and tostring(there) .. ", not " .. tostring(here) or nil
  end
  if there.device == "cpu" then return "is on the CPU" end
  local expected = { shape = here.shape, dtype = here.dtype.name, data = tensors.values(here) }
  return tensors.mismatch(there:cpu(), expected, TOLERANCE, LEAST)
end

describe("on the device as on the CPU:", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public()) do
    it(row.name, function()
      local problems, compared = {}, 0
      local function compare(s)
        local wanted = row.grad ~= false
        local ok, here = try(s, "cpu", wanted)
        if not ok then -- some inputs of some ops have no gradient
          wanted = false
          ok, here = try(s, "cpu", wanted)
        end
        if not ok then return end
        compared = compared + 1
        local fine, there = try(s, "cuda", wanted)
        if not fine then return "raises " .. tostring(there) end
        for i = 1, math.max(here.n, there.n) do
          local why = differs(here[i], there[i])
          if why then return ("result %d: %s"):format(i, why) end
        end
      end
      for _, s in ipairs(samples.of(row)) do
        local why = s.declared and compare(s)
        if why then problems[#problems + 1] = s.key .. " " .. why end
      end
      rows.report(problems)
      if row.samples then assert.is_true(compared > 0, "no sample runs") end
    end)
  end
end)
