--- Steps of training: forward, loss, backward, optimizer.
local kiln = require "kiln"
local inputs = require "inputs"

local nn, F, optim = kiln.nn, kiln.nn.functional, kiln.optim
local M = {}

local STEPS = 3 -- how many losses are compared

local function training(net, make_optimizer, loss_of)
  inputs.fill(net)
  local optimizer = make_optimizer(net:parameters())
  return function()
    local loss = loss_of(net)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    return loss
  end, function(run)
    local list = {}
    for i = 1, STEPS do list[i] = run() end
    return list
  end
end

local function classify(x, class)
  return function(net) return F.cross_entropy(net(x), class) end
end

local function adam(parameters) return optim.Adam(parameters, { lr = 1e-3 }) end

local function adamw(parameters)
  return optim.AdamW(parameters, { lr = 1e-3, betas = { 0.9, 0.95 }, weight_decay = 0.1 })
end

local function sgd(parameters) return optim.SGD(parameters, { lr = 0.01, momentum = 0.9 }) end

-- -- Small nets ------------------------------------------------------------------------------------------

function M.mlp(batch)
  local net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
    nn.Linear(256, 10))
  return training(net, adam, classify(inputs.uniform(1, batch, 784), inputs.positions(2, 10, batch)))
end

function M.cnn(batch)
  local net = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10))
  return training(net, adam, classify(inputs.uniform(1, batch, 1, 28, 28), inputs.positions(2, 10, batch)))
end

local function recurrent(layer, batch, length)
  local x = inputs.uniform(1, length, batch, 128)
  return training(layer, sgd, function(net) return net(x):square():mean() end)
end

function M.lstm(batch, length) return recurrent(nn.LSTM(128, 256), batch, length) end

function M.gru(batch, length) return recurrent(nn.GRU(128, 256), batch, length) end

-- -- ResNet-18 (He et al. 2015) --------------------------------------------------------------------------

local Block = nn.Module:extend "Block"

function Block:init(from, to, stride)
  self.conv1 = nn.Conv2d(from, to, 3, { stride = stride, padding = 1, bias = false })
  self.bn1 = nn.BatchNorm2d(to)
  self.conv2 = nn.Conv2d(to, to, 3, { padding = 1, bias = false })
  self.bn2 = nn.BatchNorm2d(to)
  if stride ~= 1 or from ~= to then
    self.downsample = nn.Sequential(nn.Conv2d(from, to, 1, { stride = stride, bias = false }),
      nn.BatchNorm2d(to))
  end
end

function Block:forward(x)
  local y = F.relu(self.bn1(self.conv1(x)))
  y = self.bn2(self.conv2(y))
  return F.relu(y + (self.downsample and self.downsample(x) or x))
end

local function resnet18(classes)
  local net = nn.Sequential(nn.Conv2d(3, 64, 7, { stride = 2, padding = 3, bias = false }),
    nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, { stride = 2, padding = 1 }))
  local from = 64
  for stage = 0, 3 do
    local to = 64 * 2 ^ stage
    net:append(Block(from, to, stage == 0 and 1 or 2))
    net:append(Block(to, to, 1))
    from = to
  end
  net:append(nn.AdaptiveAvgPool2d(1))
  net:append(nn.Flatten())
  return net:append(nn.Linear(512, classes))
end

function M.resnet18(batch, side)
  return training(resnet18(1000), sgd,
    classify(inputs.uniform(1, batch, 3, side, side), inputs.positions(2, 1000, batch)))
end

-- -- GPT (Radford et al. 2019), of characters -------------------------------------------------------------

local WORDS = 65

local Layer = nn.Module:extend "Layer"

function Layer:init(width, heads)
  self.heads = heads
  self.norm1 = nn.LayerNorm(width)
  self.qkv = nn.Linear(width, 3 * width)
  self.out = nn.Linear(width, width)
  self.norm2 = nn.LayerNorm(width)
  self.up = nn.Linear(width, 4 * width)
  self.down = nn.Linear(4 * width, width)
end

function Layer:forward(x)
  local n, length, width = x:size(1), x:size(2), x:size(3)
  local parts = { self.qkv(self.norm1(x)):chunk(3, 3) }
  for i = 1, 3 do parts[i] = parts[i]:view(n, length, self.heads, width / self.heads):transpose(2, 3) end
  local y = F.scaled_dot_product_attention(parts[1], parts[2], parts[3], { is_causal = true })
  x = x + self.out(y:transpose(2, 3):reshape(n, length, width))
  return x + self.down(F.gelu(self.up(self.norm2(x))))
end

local GPT = nn.Module:extend "GPT"

function GPT:init(layers, width, heads, length)
  self.words = nn.Embedding(WORDS, width)
  self.places = nn.Embedding(length, width)
  self.layers = nn.Sequential()
  for _ = 1, layers do self.layers:append(Layer(width, heads)) end
  self.norm = nn.LayerNorm(width)
  self.head = nn.Linear(width, WORDS, { bias = false })
end

function GPT:forward(words, places)
  local x = self.words(words) + self.places(places)
  return self.head(self.norm(self.layers(x)))
end

function M.gpt(layers, width, heads, batch, length)
  local words = inputs.positions(1, WORDS, batch, length)
  local following = inputs.positions(2, WORDS, batch * length)
  local places = kiln.arange(1, length + 1, { dtype = kiln.int64 })
  return training(GPT(layers, width, heads, length), adamw, function(net)
    return F.cross_entropy(net(words, places):view(-1, WORDS), following)
  end)
end

return M
