--- Every benchmark, once, on few elements: it runs, and computes what PyTorch computes.  Nothing is timed.
-- Tensors are not counted: the specs of what the cases call do that.
package.path = "./spec/bench/?.lua;" .. package.path
local kiln = require "kiln"
local cases = require "cases_by_name"
local fingerprint = require "fingerprint"
local expected = require "smoke_values"

local FIELDS = { "elements", "sum", "sum of magnitudes", "weighted sum" }

local function check(case)
  local run, results = require("cases." .. case.family)[case.name](unpack(case.small))
  local list = results and results(run) or { run() }
  local wanted = assert(expected[case.small_id], "golden.lua has not seen this case")
  assert.equal(#wanted, #list)
  for i, x in ipairs(list) do
    x = x:detach():cpu():to(kiln.float64):contiguous()
    local got = fingerprint(x:data_ptr(), x:numel())
    local scale = (case.small_tol or case.tol) * wanted[i][3] + 1e-12
    assert.equal(wanted[i][1], got[1])
    for k = 2, 4 do
      local off = math.abs(got[k] - wanted[i][k])
      assert(off <= scale,
        ("result %d, %s: %.9g, PyTorch has %.9g"):format(i, FIELDS[k], got[k], wanted[i][k]))
    end
  end
end

describe("benchmark", function()
  local seen = {}
  for _, family in ipairs(cases.families) do
    for _, case in ipairs(family.cases) do
      if not seen[case.small_id] then
        seen[case.small_id] = true
        it(case.small_id, function()
          kiln.manual_seed(1)
          check(case)
        end)
      end
    end
  end

  it("has no stored results of cases that are gone", function()
    for id in pairs(expected) do assert.is_true(seen[id] == true, id) end
  end)
end)
