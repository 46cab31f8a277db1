-- 07: a pole on a cart, kept upright by trial and reward (REINFORCE, Williams 1992).  New here: a world
-- written in Lua (Barto, Sutton and Anderson 1983), actions drawn from a distribution, a loss made of
-- their probabilities.
--
--   luajit examples/07_reinforce.lua [--episodes N] [--lr X] [--gamma X] [--seed N]
local kiln = require "kiln"
local nn, optim = kiln.nn, kiln.optim
local Categorical = kiln.distributions.Categorical

local options = kiln.utils.options({ episodes = 400, lr = 0.01, gamma = 0.99, seed = 1 }, arg)
kiln.manual_seed(options.seed)

-- The world: metres, seconds, kilograms, radians.
local GRAVITY, CART, POLE, HALF_LENGTH, FORCE, DT, MOST = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02, 500

local function start()
  local s = (kiln.rand(4) * 0.1 - 0.05):tolist()
  return { x = s[1], v = s[2], angle = s[3], spin = s[4] }
end

-- One step with a push to the left (1) or right (2); false when the pole fell or the cart left.
local function push(s, action)
  local force, total = action == 2 and FORCE or -FORCE, CART + POLE
  local sin, cos = math.sin(s.angle), math.cos(s.angle)
  local pull = (force + POLE * HALF_LENGTH * s.spin ^ 2 * sin) / total
  local turn = (GRAVITY * sin - cos * pull) / (HALF_LENGTH * (4 / 3 - POLE * cos ^ 2 / total))
  local speed_up = pull - POLE * HALF_LENGTH * turn * cos / total
  s.x, s.v = s.x + DT * s.v, s.v + DT * speed_up
  s.angle, s.spin = s.angle + DT * s.spin, s.spin + DT * turn
  return math.abs(s.x) < 2.4 and math.abs(s.angle) < math.rad(12)
end

local policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
local optimizer = optim.Adam(policy:parameters(), { lr = options.lr })
print(policy)

local average = 0
for episode = 1, options.episodes do
  -- Play: remember what was seen and done.
  local state, seen, done = start(), {}, {}
  local upright = true
  kiln.no_grad(function()
    while upright and #done < MOST do
      local view = { state.x, state.v, state.angle, state.spin }
      local action = Categorical({ logits = policy(kiln.tensor(view)) }):sample():item()
      seen[#seen + 1], done[#done + 1] = view, action
      upright = push(state, action)
    end
  end)

  -- Returns: a reward of 1 for each step, later ones discounted, then standardised.
  local returns, sum = {}, 0
  for t = #done, 1, -1 do
    sum = 1 + options.gamma * sum
    returns[t] = sum
  end
  returns = kiln.tensor(returns)
  returns = (returns - returns:mean()) / (returns:std() + 1e-6)

  -- Learn: make what led to more than usual more probable.
  local actions = kiln.tensor(done, { dtype = kiln.int64 })
  local loss = -(Categorical({ logits = policy(kiln.tensor(seen)) }):log_prob(actions) * returns):mean()
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()

  average = episode == 1 and #done or 0.95 * average + 0.05 * #done
  if episode % 25 == 0 then
    print(("episode %4d  upright for %3d steps, %5.1f on average"):format(episode, #done, average))
  end
end
print(("after %d episodes the pole stands for %.0f of %d steps"):format(options.episodes, average, MOST))
