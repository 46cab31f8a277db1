-- 05: a variational autoencoder (Kingma and Welling 2014): images squeezed through 16 random numbers, so that
-- later random numbers give images.  New here: a distribution inside a network, gradients through its
-- samples, pictures as a result.
--
--   luajit examples/05_vae.lua [--epochs N] [--batch N] [--lr X] [--seed N] [--data DIR] [--out FILE.png]
local kiln = require "kiln"
local nn, optim, utils = kiln.nn, kiln.optim, kiln.utils
local Normal, kl_divergence = kiln.distributions.Normal, kiln.distributions.kl_divergence
local FashionMNIST = kiln.vision.datasets.FashionMNIST

local options = utils.options({ epochs = 5, batch = 128, lr = 0.002, seed = 1, data = "", out = "vae.png" },
  arg, { out = ".png" })
kiln.manual_seed(options.seed)

local CODE = 16
local VAE = nn.Module:extend "VAE"

function VAE:init()
  self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 2 * CODE))
  self.decoder = nn.Sequential(nn.Linear(CODE, 256), nn.ReLU(), nn.Linear(256, 784))
end

-- An image as a distribution over codes.
function VAE:encode(x)
  local mean, log_scale = self.encoder(x):chunk(2, 2)
  return Normal(mean, log_scale:exp())
end

function VAE:forward(x)
  local code = self:encode(x)
  return self.decoder(code:rsample()), code -- rsample: the gradient goes through the draw
end

local root = options.data ~= "" and options.data or nil
local train = utils.data.DataLoader(FashionMNIST(root), { batch_size = options.batch, shuffle = true })
local vae = VAE()
local optimizer = optim.Adam(vae:parameters(), { lr = options.lr })
local prior = Normal(kiln.zeros(CODE), kiln.ones(CODE))
print(vae)

for epoch = 1, options.epochs do
  local bar, sum = utils.progress(train:len(), { label = "epoch " .. epoch }), 0
  for x in train:iter() do
    local logits, code = vae(x)
    local pixels = nn.functional.binary_cross_entropy_with_logits(logits, x:flatten(2), { reduction = "sum" })
    local loss = (pixels + kl_divergence(code, prior):sum()) / x:size(1)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    sum = sum + loss:item()
    bar:update(1, ("loss %.2f"):format(sum / (bar.done + 1)))
  end
  bar:finish(("loss %.2f nats an image"):format(sum / train:len()))
end

-- Clothes that nobody has made.
kiln.no_grad(function()
  local images = vae.decoder(kiln.randn(64, CODE)):sigmoid():view(64, 1, 28, 28)
  kiln.vision.save_image(images, options.out, { nrow = 8 })
end)
print("64 new pieces of clothing are in " .. options.out)
