--- 15,000 calls with random wrong arguments, in processes of their own: each must come to its end, and
-- whatever is raised is one line in kiln's words.
describe("wrong arguments at random", function()
  local function test(seed, what)
    it(("seed %d: 2,500 calls of %s"):format(seed, what), function()
      -- 6 GB of address space: sizes that nobody has must be refused, not tried
      local command = "ulimit -v 6000000; export OMP_NUM_THREADS=2;" -- each thread takes address space
        .. "luajit spec/support/fuzz.lua %d 2500 %s 2>&1; echo status $?"
      local pipe = assert(io.popen(command:format(seed, what)))
      local text = pipe:read "*a"
      pipe:close()
      local raised, foreign = text:match "2500 calls, (%d+) raised, (%d+) in other words\nstatus 0\n$"
      if not raised or tonumber(foreign) > 0 then error(text, 0) end
      assert.is_true(tonumber(raised) > 1000)
    end)
  end
  for seed = 1, 4 do test(seed, "ops") end
  for seed = 5, 6 do test(seed, "layers") end
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
