--- What is made of the times of a case: medians, and ratios of what was timed side by side.
package.path = "./spec/bench/?.lua;" .. package.path
local support = require "spec.support"
local summary = require "summary"

describe("the summary of rounds", function()
  it("divides within a round, whatever the machine does between two", function()
    local speed = { 1, 1.6, 1.1, 3, 1 } -- how slow the machine is in each round
    local kiln, torch = {}, {}
    for i, slow in ipairs(speed) do kiln[i], torch[i] = 10 * slow, 15 * slow end
    torch[2] = 9 -- somebody else's work stood still for a moment
    local s = summary { kiln = kiln, torch = torch }
    assert.equal(11, s.kiln.median)
    assert.equal(15, s.torch.median)
    assert.near(1.5, s.torch.ratio, 1e-12)
    assert.equal(9, s.torch.least)
    assert.is_nil(s.kiln.ratio)
  end)

  it("takes the mean of the two in the middle, and leaves the rounds in their order", function()
    local rounds = { kiln = { 4, 1, 2, 8 }, torch = { 4, 3, 4, 8 }, jax = { 2, 2, 2, 2 } }
    local s = summary(rounds)
    assert.same({ 3, 1, 4, 1.5 }, { s.kiln.median, s.kiln.least, s.torch.median, s.torch.ratio })
    assert.equal(0.75, s.jax.ratio)
    assert.same({ 4, 1, 2, 8 }, rounds.kiln)
    local one = summary { kiln = { 2 }, torch = { 3 } }
    assert.same({ median = 3, least = 3, ratio = 1.5 }, one.torch)
  end)

  it("takes no round without one of its times", function()
    assert.has_error(function() summary { kiln = { 1, 2 }, torch = { 1 } } end)
  end)
end)

support.ends_without_live_tensors()
