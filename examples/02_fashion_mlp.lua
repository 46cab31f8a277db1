-- 02: clothes from 28 x 28 pixels, with fully connected layers.  New here: mini-batches from a
-- data set, a model as a class, accuracy on images the model has never seen.
--
--   luajit examples/02_fashion_mlp.lua [--epochs N] [--batch N] [--lr X] [--seed N] [--threads N]
--                                      [--data DIR]
local kiln = require "kiln"
local nn, optim, utils = kiln.nn, kiln.optim, kiln.utils
local FashionMNIST = kiln.vision.datasets.FashionMNIST

local options = kiln.utils.options({ epochs = 5, batch = 100, lr = 0.001, seed = 1, threads = 0,
  data = "" }, arg)
kiln.manual_seed(options.seed)
if options.threads > 0 then kiln.set_num_threads(options.threads) end

-- A model is a class: init makes the layers, forward says how they are joined.
local Net = nn.Module:extend "Net"

function Net:init(width)
  self.flatten = nn.Flatten()          -- [b, 1, 28, 28] -> [b, 784]
  self.hidden = nn.Linear(784, width)
  self.dropout = nn.Dropout(0.1)       -- in training mode only
  self.classes = nn.Linear(width, 10)  -- a score for each class
end

function Net:forward(x)
  local h = nn.functional.relu(self.hidden(self.flatten(x)))
  return self.classes(self.dropout(h))
end

local root = options.data ~= "" and options.data or nil
local train = utils.data.DataLoader(FashionMNIST(root, { train = true }),
  { batch_size = options.batch, shuffle = true })
local test = utils.data.DataLoader(FashionMNIST(root, { train = false }), { batch_size = 1000 })

local net = Net(256)
local loss_of = nn.CrossEntropyLoss()
local optimizer = optim.Adam(net:parameters(), { lr = options.lr })
print(net)

local function accuracy()
  net:eval()
  local right, total = 0, 0
  kiln.no_grad(function()
    for x, class in test:iter() do
      right = right + net(x):argmax(2):eq(class):sum():item()
      total = total + x:size(1)
    end
  end)
  return right / total
end

for epoch = 1, options.epochs do
  net:train()
  local bar = utils.progress(train:len(), { label = "epoch " .. epoch })
  local sum = 0
  for x, class in train:iter() do
    local loss = loss_of(net(x), class)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    sum = sum + loss:item()
    bar:update(1, ("loss %.4f"):format(sum / (bar.done + 1)))
  end
  bar:finish(("loss %.6f  test accuracy %.4f"):format(sum / train:len(), accuracy()))
end
