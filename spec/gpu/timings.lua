--- Times of ops and of training steps on the device, one a line: name, milliseconds.  The median of batches
-- of calls, each batch timed by events; the cases are those of timings.py.
--   luajit timings.lua [SIZE]: the side of the matrices, a multiple of 64, 4096 when left out
local kiln = require "kiln"
local cuda, nn = kiln.cuda, kiln.nn

local BATCHES, SECONDS = 15, 0.05
local N = tonumber(arg[1] or 4096)

-- Milliseconds that a batch of n calls takes.
local function batch(f, n)
  local from, to = cuda.Event { enable_timing = true }, cuda.Event { enable_timing = true }
  from:record()
  for _ = 1, n do f() end
  to:record()
  to:synchronize()
  return from:elapsed_time(to)
end

local function time(name, f)
  batch(f, 3)
  local n = math.max(1, math.floor(SECONDS * 1000 / math.max(batch(f, 1), 0.01)))
  local times = {}
  for i = 1, BATCHES do times[i] = batch(f, n) / n end
  table.sort(times)
  print(("%-28s %10.4f"):format(name, times[math.ceil(BATCHES / 2)]))
  io.flush()
end

local function device(...) return kiln.randn(...):cuda() end

local square = ("%dx%d"):format(N, N)
local a, b = device(N, N), device(N, N)
time("add " .. square, function() return a + b end)
time("exp " .. square, function() return a:exp() end)
time("sum " .. square .. " dim 2", function() return a:sum(2) end)
time("softmax " .. square, function() return a:softmax(2) end)
time("transpose " .. square, function() return a:t():contiguous() end)
time(("matmul %d float32"):format(N), function() return a:matmul(b) end)
local h, k = a:half(), b:half()
time(("matmul %d float16"):format(N), function() return h:matmul(k) end)
local small = device(64, 64)
time("add 64x64", function() return small + small end)
local images = device(N / 64, 64, 56, 56)
local conv = nn.Conv2d(64, 64, 3, { padding = 1 }):cuda()
time(("conv %dx64x56x56 3x3"):format(N / 64), function() return kiln.no_grad(conv, images) end)

local net = nn.Sequential(nn.Linear(784, N / 4), nn.ReLU(), nn.Linear(N / 4, N / 4), nn.ReLU(),
  nn.Linear(N / 4, 10)):cuda()
local optimizer, loss_of = kiln.optim.Adam(net:parameters(), { lr = 1e-3 }), nn.CrossEntropyLoss()
local x, class = device(N / 16, 784), kiln.randint(1, 11, { N / 16 }):cuda()
time(("MLP step, batch %d"):format(N / 16), function()
  optimizer:zero_grad()
  loss_of(net(x), class):backward()
  optimizer:step()
end)
