-- 01: a line through noisy points.  Everything training needs, in its smallest form: data, a model, a loss,
-- gradients, steps against them.
--
--   luajit examples/01_regression.lua [--steps N] [--lr X] [--seed N]
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim

-- Each of these can be given on the command line: --steps 500.
local options = kiln.utils.options({ steps = 200, lr = 0.1, seed = 1 }, arg)
kiln.manual_seed(options.seed)

-- 100 points of y = 3 x1 - 2 x2 + 0.5, with a little noise.  x is [100, 2], y is [100, 1].
local x = kiln.randn(100, 2)
local truth = kiln.tensor { { 3 }, { -2 } }
local y = x:mm(truth) + 0.5 + kiln.randn(100, 1) * 0.1

-- The model: one layer with a weight [1, 2] and a bias [1], both learnt.
local model = nn.Linear(2, 1)
local loss_of = nn.MSELoss()
local optimizer = optim.SGD(model:parameters(), { lr = options.lr })

for step = 1, options.steps do
  local loss = loss_of(model(x), y) -- forward: every op is recorded as it runs
  optimizer:zero_grad()
  loss:backward()                   -- back through the record: fills the .grad of weight and bias
  optimizer:step()                  -- a step against the gradient
  if step == 1 or step % 50 == 0 then
    print(("step %3d  loss %.5f"):format(step, loss:item()))
  end
end

local w, b = model.weight:tolist()[1], model.bias:item()
print(("learnt  y = %.2f x1 %+.2f x2 %+.2f"):format(w[1], w[2], b))
print "truth   y = 3.00 x1 -2.00 x2 +0.50"
