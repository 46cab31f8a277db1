-- 03: the same clothes, seen by a convolutional network.  New here: convolution, pooling, batch
-- normalisation, a learning rate that rises and falls, saving what was learnt.
--
--   luajit examples/03_fashion_cnn.lua [--epochs N] [--batch N] [--lr X] [--seed N] [--threads N]
--                                      [--data DIR] [--save FILE]
local kiln = require "kiln"
local nn, optim, utils = kiln.nn, kiln.optim, kiln.utils
local FashionMNIST = kiln.vision.datasets.FashionMNIST

local options = kiln.utils.options({ epochs = 5, batch = 100, lr = 0.003, seed = 1, threads = 0, data = "",
  save = "" }, arg, { save = "" })
kiln.manual_seed(options.seed)
if options.threads > 0 then kiln.set_num_threads(options.threads) end

-- Two blocks see ever larger patches of the image, then one layer decides.
local function block(from, to)
  return nn.Sequential(nn.Conv2d(from, to, 3, { padding = 1 }), nn.BatchNorm2d(to), nn.ReLU(),
    nn.MaxPool2d(2))
end
local net = nn.Sequential(
  block(1, 16),   -- [b, 1, 28, 28] -> [b, 16, 14, 14]
  block(16, 32),  --                -> [b, 32, 7, 7]
  nn.Flatten(),   --                -> [b, 1568]
  nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Dropout(0.25), nn.Linear(128, 10))

local root = options.data ~= "" and options.data or nil
local train = utils.data.DataLoader(FashionMNIST(root, { train = true }),
  { batch_size = options.batch, shuffle = true })
local test = utils.data.DataLoader(FashionMNIST(root, { train = false }), { batch_size = 500 })

local loss_of = nn.CrossEntropyLoss()
local optimizer = optim.Adam(net:parameters(), { lr = options.lr })
local schedule = optim.lr_scheduler.OneCycleLR(optimizer, { max_lr = options.lr,
  total_steps = options.epochs * train:len() })
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
  local bar, sum = utils.progress(train:len(), { label = "epoch " .. epoch }), 0
  for x, class in train:iter() do
    local loss = loss_of(net(x), class)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    schedule:step()
    sum = sum + loss:item()
    bar:update(1, ("loss %.4f"):format(sum / (bar.done + 1)))
  end
  bar:finish(("loss %.6f  test accuracy %.4f"):format(sum / train:len(), accuracy()))
end
if options.save ~= "" then kiln.save(net:state_dict(), options.save) end
