--- Random numbers.  The generators differ, so moments are compared, not numbers.
local kiln = require "kiln"
local inputs = require "inputs"

local M = {}

local function moments(run)
  local x = run():to(kiln.float64)
  return { x:mean() + 1, x:std() }
end

function M.rand(n) return function() return kiln.rand(n) end, moments end

function M.randn(n) return function() return kiln.randn(n) end, moments end

function M.bernoulli(n)
  local p = inputs.share(1, n)
  return function() return p:bernoulli() end, moments
end

function M.randperm(n)
  return function() return kiln.randperm(n) end, function(run) return { (run():sort()) } end
end

return M
