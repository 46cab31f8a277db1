--- L-BFGS (Nocedal and Wright, Numerical Optimization, algorithms 7.4 and 3.5): the whole model is
-- one flat vector, the closure is run as often as the step needs it.  One parameter group only.
local kiln = require "kiln"
local Optimizer = require "kiln.optim.optimizer"
local args = require "kiln.utils.args"
local line_search = require "kiln.optim.line_search"
local check = require "kiln.check"
local hooks = require "kiln.utils.hooks"
local reach = require "kiln.reach"

local raise = check.raise

local LBFGS = Optimizer:extend "LBFGS"
LBFGS.free_shapes = true -- its state is flat and belongs to the first parameter
local OPTIONS = "lr: number = 1, max_iter: count = 20, max_eval: count?, "
  .. "tolerance_grad: number = 1e-7, tolerance_change: number = 1e-9, history_size: count = 100, "
  .. "line_search_fn: none|strong_wolfe = none, maximize: bool = false"
LBFGS.parse_options = args.define("LBFGS", OPTIONS)
LBFGS.argument_list = "params, " .. OPTIONS

function LBFGS:init(params, ...)
  Optimizer.init(self, params, ...)
  if #self.param_groups > 1 then raise("LBFGS", "takes one parameter group, got %d", #self.param_groups) end
  local group = self.param_groups[1]
  group.max_eval = group.max_eval or math.floor(group.max_iter * 1.25)
end

local function flat_gradient(params)
  local parts = {}
  for i, p in ipairs(params) do
    parts[i] = p.grad and p.grad:to_dense():detach():reshape(-1) or kiln.zeros(p:numel(), { dtype = p.dtype,
      device = p.device })
  end
  return kiln.cat(parts, 1)
end

local function move(params, t, direction)
  local offset = 0
  for _, p in ipairs(params) do
    local n = p:numel()
    p:add_(direction:narrow(1, offset + 1, n):view_as(p), t)
    offset = offset + n
  end
end

-- What a probe is undone with: moving back by -t would leave the rounding of both moves behind.
local function copies(params)
  local list = {}
  for i, p in ipairs(params) do list[i] = p:clone() end
  return list
end

-- The two-loop recursion: the direction from the curvature pairs in memory.
local function direction_from(memory, g)
  local q, a = g:neg(), {}
  for i = #memory.s, 1, -1 do
    a[i] = memory.s[i]:dot(q):item() * memory.rho[i]
    q:add_(memory.y[i], -a[i])
  end
  q:mul_(memory.scale)
  for i = 1, #memory.s do
    local b = memory.y[i]:dot(q):item() * memory.rho[i]
    q:add_(memory.s[i], a[i] - b)
  end
  return q
end

local function remember(memory, y, s, size)
  local ys = y:dot(s):item()
  if ys <= 1e-10 then return end
  if #memory.s == size then
    for _, list in ipairs { memory.s, memory.y, memory.rho } do table.remove(list, 1) end
  end
  local n = #memory.s + 1
  memory.s[n], memory.y[n], memory.rho[n] = reach.keep(s), reach.keep(y), 1 / ys
  memory.scale = ys / y:dot(y):item()
end

--- Runs the closure, which zeroes the gradients, computes the loss, calls backward and returns the
-- loss, until the step is done.  Returns the loss at the start.
function LBFGS:step(closure)
  check.self(self, "step", "optimizer")
  if closure == nil then raise("LBFGS", "step needs a closure that returns the loss") end
  check.fn(closure, "LBFGS: step", "closure")
  hooks.run(self.hooks, "step pre-hook", self, closure)
  local group = self.param_groups[1]
  local params, o = group.params, group
  local key = params[1]
  local state = self.state[key]
  if not state then
    state = { n_iter = 0, func_evals = 0 }
    self.state[key] = state
  end

  local evaluations = 0
  local function evaluate()
    evaluations = evaluations + 1
    local was = kiln.is_grad_enabled()
    kiln.set_grad_enabled(true)
    local ok, loss = pcall(closure)
    kiln.set_grad_enabled(was)
    if not ok then error(loss, 0) end
    local value = kiln.is_tensor(loss) and loss:numel() == 1 and loss:item() or loss
    if type(value) ~= "number" then
      raise("LBFGS", "the closure must return the loss, one number, not %s", check.got(loss))
    end
    return loss, value
  end

  local first_loss, loss = evaluate()
  Optimizer.without_grad(function()
    local g = flat_gradient(params)
    if o.maximize then g = g:neg() end
    if g:abs():max():item() <= o.tolerance_grad then return end

    local n = 0
    while n < o.max_iter do
      n, state.n_iter = n + 1, state.n_iter + 1
      if state.n_iter == 1 then
        state.d = reach.keep(g:neg())
        state.memory = { s = {}, y = {}, rho = {}, scale = 1 }
      else
        remember(state.memory, g - state.prev_g, state.d * state.t, o.history_size)
        state.d = reach.keep(direction_from(state.memory, g))
      end
      state.prev_g = reach.keep(g:clone())
      local previous_loss = loss
      local t = state.n_iter == 1 and math.min(1, 1 / g:abs():sum():item()) * o.lr or o.lr
      state.t = t
      local slope = g:dot(state.d):item()
      if slope > -o.tolerance_change then break end

      if o.line_search_fn == "strong_wolfe" then
        local start = copies(params)
        local function probe(step)
          move(params, step, state.d)
          local _, value = evaluate()
          local at = flat_gradient(params)
          for i, p in ipairs(params) do p:copy_(start[i]) end
          return o.maximize and -value or value, o.maximize and at:neg() or at
        end
        loss, g, t = line_search(probe, t, state.d, o.maximize and -loss or loss, g, slope,
          o.max_eval - evaluations)
        if o.maximize then loss = -loss end
        move(params, t, state.d)
      else
        move(params, t, state.d)
        if n ~= o.max_iter then
          local _
          _, loss = evaluate()
          g = flat_gradient(params)
          if o.maximize then g = g:neg() end
        end
      end
      state.t = t
      local done = g:abs():max():item() <= o.tolerance_grad
        or (state.d * t):abs():max():item() <= o.tolerance_change
        or math.abs(loss - previous_loss) < o.tolerance_change
      if done or evaluations >= o.max_eval then break end
    end
  end)
  state.func_evals = state.func_evals + evaluations
  hooks.run(self.hooks, "step post-hook", self, closure)
  return first_loss
end

-- A number that PyTorch's state has as a number or a 0-dim tensor.
local function plain(v) return kiln.is_tensor(v) and v:item() or v end

-- PyTorch's state of the flat vector in the names that it has here.
local function translated(state)
  local rho = {}
  for i, v in ipairs(state.ro) do rho[i] = plain(v) end
  return { func_evals = state.func_evals, n_iter = state.n_iter, d = state.d, t = plain(state.t),
    prev_g = state.prev_flat_grad,
    memory = { s = state.old_stps, y = state.old_dirs, rho = rho, scale = plain(state.H_diag) } }
end

--- Takes over what state_dict gave, or what PyTorch's did.
function LBFGS:load_state_dict(saved)
  if type(saved) == "table" and type(saved.state) == "table" then
    local state = {}
    for key, v in pairs(saved.state) do
      state[key] = type(v) == "table" and v.ro and v.old_dirs and v.old_stps and translated(v) or v
    end
    saved = { state = state, param_groups = saved.param_groups }
  end
  Optimizer.load_state_dict(self, saved)
end
jit.off(LBFGS.load_state_dict)

return LBFGS
