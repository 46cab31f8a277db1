--- The emulator notices what it says it notices: each planted mistake of cuda/emu/spec/planted.cc in the
-- builds that must, for the reason that they must, and nothing in the clean ones.
local library = require("kiln.ffi").path
local folder = (library:match "^(.*/)[^/]*$" or "./") .. "spec_emu/"

-- What a run says of itself, by build: a text that must be in what it prints, WRONG for a wrong result,
-- nil where it is not meant to notice.
local WRONG = {}
local RACE, BARRIER = "data race", "__syncthreads"
local CAPTURING = "refused: operation not permitted when stream is capturing"
local IN_KERNEL, IN_HOST = "fault in kernel", "fault in host code"
local function everywhere(text) return { plain = text, address = text, thread = text } end
local MISTAKES = {
  missing_barrier = { plain = WRONG, address = WRONG, thread = RACE },
  write_after_read = { plain = WRONG, address = WRONG, thread = RACE },
  same_slot = { thread = RACE },
  block_race = { thread = RACE },
  shuffle_as_barrier = { thread = RACE },
  global_overrun = { plain = IN_KERNEL, address = "heap-buffer-overflow", thread = IN_KERNEL },
  shared_overrun = { address = "out of bounds" },
  dynamic_overrun = { address = "heap-buffer-overflow" },
  early_exit = everywhere "14 of 64 threads exited before __syncthreads",
  divergent_barrier = everywhere(BARRIER),
  divergent_shuffle = everywhere "shuffle",
  absent_lane = everywhere "lane 12 reads lane",
  misaligned = { address = "misaligned address" },
  uninitialised = everywhere(WRONG),
  host_reads_device = { plain = IN_HOST, address = "use-after-poison", thread = IN_HOST },
  use_after_free = { plain = IN_KERNEL, address = "heap-use-after-free", thread = IN_KERNEL },
  copy_overrun = everywhere "runs past an allocation of 1024 bytes",
  wrong_copy_kind = everywhere "does not fit its pointers",
  other_device = { plain = "another device", address = "use-after-poison", thread = "another device" },
  missing_synchronize = { plain = WRONG, address = WRONG, thread = RACE },
  missing_event = { plain = WRONG, address = WRONG, thread = RACE },
  graph_freed_pointer = { plain = IN_KERNEL, address = "heap-use-after-free", thread = IN_KERNEL },
  graph_host_read = everywhere(CAPTURING),
  graph_synchronize = everywhere(CAPTURING),
  graph_goes_on = everywhere "refused: operation failed due to a previous error during capture",
  graph_malloc = everywhere(CAPTURING),
  graph_uncaptured_work = everywhere "refused: dependency created on uncaptured work in another stream",
  graph_unjoined = everywhere "refused: capturing stream has unjoined work",
  graph_missing_edge = { thread = RACE },
  clean_warp_exchange = {}, clean_locals = {}, clean_event = {}, clean_graph = {},
}

-- The exit status and all that a run prints.
local function run(build, name)
  local command = ("ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=exitcode=66 LD_PRELOAD= '%splanted_%s' %s 2>&1; "
    .. "echo \"status $?\""):format(folder, build, name)
  local pipe = assert(io.popen("(" .. command .. ") 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return tonumber(text:match "status (%d+)%s*$"), text
end

describe("the emulator", function()
  it("is tried with every planted mistake", function()
    local _, text = run("plain", "")
    local count = 0
    for name in text:gmatch "[%w_]+" do
      if name ~= "status" and not tonumber(name) then
        assert.is_table(MISTAKES[name], name)
        count = count + 1
      end
    end
    local known = 0
    for _ in pairs(MISTAKES) do known = known + 1 end
    assert.equal(known, count)
  end)

  for _, build in ipairs { "plain", "address", "thread" } do
    local names = {}
    for name in pairs(MISTAKES) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
      local expected = MISTAKES[name][build]
      it((expected == nil and "%s: passes over %s" or "%s: notices %s"):format(build, name), function()
        local status, text = run(build, name)
        if expected == nil then
          assert.equal(0, status, text)
        elseif expected == WRONG then
          assert.equal(3, status, text)
        else
          assert.is_true(status ~= 0 and status ~= 3, text)
          assert.is_truthy(text:find(expected, 1, true), text)
        end
      end)
    end
  end
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
