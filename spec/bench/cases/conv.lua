--- Convolutions (batch, channels in, channels out, side, kernel, stride), pooling, batch normalisation.
local kiln = require "kiln"
local inputs = require "inputs"

local F = kiln.nn.functional
local M = {}

local function layer(batch, from, to, side, kernel, stride)
  local x = inputs.uniform(1, batch, from, side, side)
  local w = inputs.uniform(2, to, from, kernel, kernel) / math.sqrt(from * kernel * kernel)
  local options = { stride = stride, padding = math.floor(kernel / 2) }
  return x, w, function() return F.conv2d(x, w, nil, options) end
end

function M.forward(...)
  local _, _, run = layer(...)
  return run
end

-- Runs forward, then back from a fixed gradient of the output; gives the gradients of the leaves.
local function both(leaves, forward)
  for _, x in ipairs(leaves) do x.requires_grad = true end
  local g
  return function()
    local y = forward()
    g = g or inputs.uniform(9, unpack(y:size()))
    for _, x in ipairs(leaves) do x.grad = nil end
    y:backward(g)
    return y
  end, function(run)
    local list = { run() }
    for _, x in ipairs(leaves) do list[#list + 1] = x.grad end
    return list
  end
end

function M.both(...)
  local x, w, run = layer(...)
  return both({ x, w }, run)
end

function M.max_pool(batch, channels, side)
  local x = inputs.uniform(1, batch, channels, side, side)
  return both({ x }, function() return F.max_pool2d(x, 3, { stride = 2, padding = 1 }) end)
end

function M.batch_norm(batch, channels, side)
  local x = inputs.uniform(1, batch, channels, side, side)
  local w, b = inputs.uniform(2, channels), inputs.uniform(3, channels)
  local mean, var = kiln.zeros(channels), kiln.ones(channels)
  return both({ x, w, b }, function() return F.batch_norm(x, mean, var, w, b, true) end)
end

return M
