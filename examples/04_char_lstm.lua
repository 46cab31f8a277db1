-- 04: a recurrent network that learns to write like a text, one character after the other.  New here:
-- embeddings, an LSTM that carries its state on, clipping of gradients, sampling from what was learnt.
--
--   luajit examples/04_char_lstm.lua [--text FILE] [--steps N] [--hidden N] [--lr X] [--seed N] [--sample N]
local kiln = require "kiln"
local nn, optim, utils = kiln.nn, kiln.optim, kiln.utils

-- The text: any file; without one, the licence that every Debian system carries.
local options = utils.options({ text = "/usr/share/common-licenses/GPL-3", steps = 600, hidden = 128,
  lr = 0.005, seed = 1, sample = 400 }, arg)
kiln.manual_seed(options.seed)

-- 32 readers start at random places and see 64 characters; each is to say the 64 that follow by one.
local BATCH, LENGTH = 32, 64
local text = utils.data.TextDataset.from_file(options.text, LENGTH)
local sampler = utils.data.RandomSampler(text, true, BATCH * options.steps)
local loader = utils.data.DataLoader(text, { batch_size = BATCH, sampler = sampler })
local alphabet = text.alphabet

local Writer = nn.Module:extend "Writer"

function Writer:init(n, hidden)
  self.embed = nn.Embedding(n, 32)
  self.lstm = nn.LSTM(32, hidden, { batch_first = true })
  self.head = nn.Linear(hidden, n)
end

-- x [b, t] positions -> a score for each character that may come next [b, t, n], and the state.
function Writer:forward(x, state)
  local h, last = self.lstm(self.embed(x), state)
  return self.head(h), last
end

local writer = Writer(#alphabet, options.hidden)
local optimizer = optim.Adam(writer:parameters(), { lr = options.lr })
print(writer)
local bar, smooth = utils.progress(options.steps, { label = "reading" }), nil
for x, following in loader:iter() do
  local scores = writer(x)
  local loss = nn.functional.cross_entropy(scores:reshape(-1, #alphabet), following:reshape(-1))
  optimizer:zero_grad()
  loss:backward()
  nn.utils.clip_grad_norm(writer:parameters(), 1)
  optimizer:step()
  smooth = smooth and 0.95 * smooth + 0.05 * loss:item() or loss:item()
  bar:update(1, ("loss %.3f"):format(smooth))
end
bar:finish(("loss %.3f (chance: %.3f)"):format(smooth, math.log(#alphabet)))

-- Writing: draw a character by its probability, give it back as the next input.
writer:eval()
local written, state = text.codes:narrow(1, 1, 1):view(1, 1), nil
kiln.no_grad(function()
  for _ = 1, options.sample do
    local scores
    scores, state = writer(written:narrow(2, written:size(2), 1), state)
    written = kiln.cat({ written, (scores:view(1, -1) / 0.7):softmax(2):multinomial(1) }, 2)
  end
end)
print(text:decode(written[1]))
