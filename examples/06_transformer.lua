-- 06: a small GPT: a transformer that sees a text so far and says how it goes on (Vaswani et al. 2017,
-- Radford et al. 2018).  New here: attention that looks back only, positions as embeddings, a learning
-- rate that warms up.
--
--   luajit examples/06_transformer.lua [--text FILE] [--steps N] [--width N] [--layers N] [--lr X] [--seed N]
--                                      [--sample N]
local kiln = require "kiln"
local nn, optim, utils = kiln.nn, kiln.optim, kiln.utils

local options = utils.options({ text = "/usr/share/common-licenses/GPL-3", steps = 500, width = 96,
  layers = 2, lr = 0.003, seed = 1, sample = 400 }, arg)
kiln.manual_seed(options.seed)

local BATCH, CONTEXT, HEADS = 24, 64, 4
local text = utils.data.TextDataset.from_file(options.text, CONTEXT)
local sampler = utils.data.RandomSampler(text, true, BATCH * options.steps)
local loader = utils.data.DataLoader(text, { batch_size = BATCH, sampler = sampler })
local alphabet = text.alphabet

local GPT = nn.Module:extend "GPT"

function GPT:init(n, width, layers)
  self.token = nn.Embedding(n, width)
  self.place = nn.Embedding(CONTEXT, width)
  local layer = nn.TransformerEncoderLayer(width, HEADS, { dim_feedforward = 4 * width, dropout = 0.1,
    activation = "gelu", batch_first = true, norm_first = true })
  self.blocks = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width))
  self.head = nn.Linear(width, n)
end

-- x [b, t] positions in the alphabet -> scores [b, t, n] of what comes next at each place.
function GPT:forward(x)
  local places = kiln.arange(1, x:size(2) + 1, { dtype = kiln.int64 })
  return self.head(self.blocks(self.token(x) + self.place(places), { is_causal = true }))
end

local gpt = GPT(#alphabet, options.width, options.layers)
local optimizer = optim.AdamW(gpt:parameters(), { lr = options.lr })
local schedule = optim.lr_scheduler.OneCycleLR(optimizer, { max_lr = options.lr, total_steps = options.steps,
  pct_start = 0.1 })
print(gpt)
local bar, smooth = utils.progress(options.steps, { label = "reading" }), nil
for x, following in loader:iter() do
  local loss = nn.functional.cross_entropy(gpt(x):reshape(-1, #alphabet), following:reshape(-1))
  optimizer:zero_grad()
  loss:backward()
  nn.utils.clip_grad_norm(gpt:parameters(), 1)
  optimizer:step()
  schedule:step()
  smooth = smooth and 0.95 * smooth + 0.05 * loss:item() or loss:item()
  bar:update(1, ("loss %.3f"):format(smooth))
end
bar:finish(("loss %.3f (chance: %.3f)"):format(smooth, math.log(#alphabet)))

-- Writing: the last CONTEXT characters say the next one.
gpt:eval()
local written = text.codes:narrow(1, 1, 16):unsqueeze(1)
kiln.no_grad(function()
  for _ = 1, options.sample do
    local from = math.max(written:size(2) - CONTEXT, 0)
    local scores = gpt(written:narrow(2, from + 1, written:size(2) - from)):select(2, -1)
    written = kiln.cat({ written, (scores / 0.7):softmax(2):multinomial(1) }, 2)
  end
end)
print(text:decode(written[1]))
