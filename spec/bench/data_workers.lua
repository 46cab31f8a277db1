-- Throughput of a DataLoader with 1 and with 2 workers whose preprocessing is plain Lua: each sample is a
-- sentence that is split into words, counted and hashed into a vector.  Rounds alternate; the best of each
-- counts, so that other programs on the machine disturb little.
--
--   nice -n -10 luajit spec/bench/data_workers.lua [--samples N] [--rounds N]
local kiln = require "kiln"
local data, seconds = kiln.utils.data, kiln.utils.libc.seconds

local options = kiln.utils.options({ samples = 4000, rounds = 5 }, arg)

local Texts = data.Dataset:extend "Texts"

function Texts:len() return self.n end

-- 256 counts of hashed words of the i-th text.
function Texts.get(_self, i)
  local counts, state = {}, i
  for k = 1, 256 do counts[k] = 0 end
  local words = {}
  for w = 1, 400 do
    state = (state * 16807) % 2147483647
    words[w] = string.char(97 + state % 26, 97 + state % 17, 97 + state % 11)
  end
  for word in table.concat(words, " "):gmatch "%a+" do
    local hash = 5381
    for c = 1, #word do hash = (hash * 33 + word:byte(c)) % 4294967296 end
    local slot = hash % 256 + 1
    counts[slot] = counts[slot] + 1
  end
  return require("kiln").tensor(counts)
end

local texts = Texts()
texts.n = options.samples

-- Samples a second; the clock starts when every worker has given its first batch.
local function run(workers)
  local loader = data.DataLoader(texts, { batch_size = 20, num_workers = workers })
  local start, seen, batches = nil, 0, 0
  for x in loader:iter() do
    batches = batches + 1
    if start then seen = seen + x:size(1) end
    if batches == workers then start = seconds() end
  end
  return seen / (seconds() - start)
end

local best = { 0, 0 }
for _ = 1, options.rounds do
  for workers = 1, 2 do best[workers] = math.max(best[workers], run(workers)) end
end
print(("1 worker  %8.0f samples/s"):format(best[1]))
print(("2 workers %8.0f samples/s"):format(best[2]))
print(("ratio     %8.2f"):format(best[2] / best[1]))
