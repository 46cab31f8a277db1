--- A little of everything on the device, small enough for compute-sanitizer: a step of training a network,
-- and the ops whose kernels share memory between threads.  Compares with the CPU.
local kiln = require "kiln"
local nn = kiln.nn

local function near(x, y, what)
  assert(kiln.allclose(x:cpu():double(), y:double(), { rtol = 1e-3, atol = 1e-4 }), what)
end

kiln.manual_seed(1)
local x = kiln.randn(33, 70)
local there = x:cuda()
for name, f in pairs {
  sum = function(t) return t:sum(1) end, softmax = function(t) return t:softmax(2) end,
  cumsum = function(t) return t:cumsum(2) end, sort = function(t) return (t:sort(2)) end,
  topk = function(t) return (t:topk(5, 2)) end, std = function(t) return t:std(1) end,
  transpose = function(t) return t:t():contiguous() end, product = function(t) return t:t():matmul(t) end,
  logsumexp = function(t) return t:logsumexp(1) end, layer_norm = function(t) return t:layer_norm({ 70 }) end,
} do
  near(f(there), f(x), name)
end

local function step(device)
  kiln.manual_seed(2)
  local net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Linear(36, 5))
  local images, classes = kiln.randn(6, 1, 8, 8), kiln.randint(1, 6, { 6 })
  net:to(device)
  local optimizer = kiln.optim.Adam(net:parameters(), { lr = 0.01 })
  local loss = nn.CrossEntropyLoss()(net(images:to(device)), classes:to(device))
  loss:backward()
  optimizer:step()
  return loss:cpu()
end
near(step "cuda", step "cpu", "a step of training")
kiln.cuda.synchronize()
print "as on the CPU"
