--- What the specs share: counting live tensors, comparing values, reading error messages.
local kiln = require "kiln"
local assert = require "luassert"
local device = require "spec.support.device"

local M = {}

--- Live tensors after everything unreachable was collected; compiled traces, which keep the
--- upvalues they were specialised to, are thrown away first.
---@return integer
function M.live()
  jit.flush()
  kiln.collect()
  return device.memory().live_tensors
end

--- Registers the last test of a file: what the file made is gone.  Call it at the end of the outer
--- describe block; file-level locals that hold tensors are counted in `kept`.
function M.ends_without_live_tensors(kept)
  local it = getfenv(2).it -- busted gives it to spec files only
  it("ends with no live tensors", function()
    assert.equals(kept or 0, M.live())
    assert.equals(0, kiln.memory().live_nodes)
  end)
end

--- float64 values that require grad, and such that do not.
function M.leaf(values) return kiln.tensor(values, { dtype = "float64", requires_grad = true }) end
function M.constant(values) return kiln.tensor(values, { dtype = "float64" }) end

--- Asserts that fn(...) raises one line that has every one of `parts` in it, and returns the line.
function M.raises(parts, fn, ...)
  local ok, message = pcall(device.settled, fn, ...)
  assert.is_false(ok, "no error was raised")
  message = tostring(message)
  if type(parts) == "string" then parts = { parts } end
  for _, part in ipairs(parts) do
    if not message:find(part, 1, true) then
      error(("the message\n  %s\nlacks\n  %s"):format(message, part), 2)
    end
  end
  assert.is_nil(message:find "\n", "the message has more than one line: " .. message)
  assert.truthy(message:find "kiln: ", "the message does not say who speaks: " .. message)
  return message
end

local function flatten(v, into)
  if type(v) ~= "table" then
    into[#into + 1] = v
  else
    for _, e in ipairs(v) do flatten(e, into) end
  end
  return into
end

--- Asserts that a tensor has these values (nested tables or a number) within `tolerance`.
function M.near(expected, x, tolerance)
  local want, got = flatten(expected, {}), flatten(x:tolist(), {})
  assert.equals(#want, #got, "number of elements")
  for i = 1, #want do
    local same = want[i] == got[i] or (want[i] ~= want[i] and got[i] ~= got[i])
    if not same and not (type(got[i]) == "number" and math.abs(want[i] - got[i]) <= (tolerance or 1e-6)) then
      error(("element %d is %s, expected %s"):format(i, tostring(got[i]), tostring(want[i])), 2)
    end
  end
end

return M
