--- Schedules of the learning rate.  A schedule says what the rate is after `epoch` steps, in closed form;
-- making one sets the rate for epoch 0, `scheduler:step()` goes on by one.  Those that scale a rate go on
-- from the one that is there, so that several at once, a ReduceLROnPlateau and the script's own changes add
-- up; the others set it.
local Object = require "kiln.class"
local Optimizer = require "kiln.optim.optimizer"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

---@class kiln.optim.lr_scheduler.Scheduler: kiln.Object
---@field last_epoch integer how many steps it has made
local Scheduler = Object:extend "Scheduler"
M.LRScheduler = Scheduler

local function is_optimizer(v) return Object.is_instance(v, Optimizer) end

function Scheduler:init(optimizer, ...)
  if not is_optimizer(optimizer) then
    raise(self.__name, "optimizer must be an optimizer, not %s", got(optimizer))
  end
  if not self.parse then raise("LRScheduler", "is what schedules share; use StepLR, LambdaLR, ...") end
  self.optimizer = optimizer
  for name, value in pairs(self.parse(...)) do self[name] = value end
  self.last_epoch = (self.last_epoch or -1) + 1
  self.base_lrs = {}
  local resumed = self.last_epoch > 0 -- an optimizer that a schedule has had before
  for i, group in ipairs(optimizer.param_groups) do
    resumed = resumed and group.initial_lr ~= nil
    group.initial_lr = group.initial_lr or group.lr
    self.base_lrs[i] = group.initial_lr
  end
  if self.prepare_schedule then self:prepare_schedule() end
  if self.last_epoch == 0 and self:follows() then
    for i, base in ipairs(self.base_lrs) do
      local group = optimizer.param_groups[i]
      group.lr = self:rate(0, group.lr or base, i)
    end
  elseif not (resumed and self.resumes_as_is) then
    self:set()
  end
end
jit.off(Scheduler.init)

--- Does it go on from the rate that is there, whoever set it?
function Scheduler:follows() return self.follows_changes == true end

--- The rates now, a number a group.
---@return number[]
function Scheduler:get_last_lr()
  check.self(self, "get_last_lr", "schedule")
  local rates = {}
  for i, group in ipairs(self.optimizer.param_groups) do rates[i] = group.lr end
  return rates
end
Scheduler.get_lr = Scheduler.get_last_lr

-- Momentum is called betas[1] where there are betas.
local function set_momentum(group, value)
  if group.betas then group.betas[1] = value elseif group.momentum then group.momentum = value end
end

-- The rate of a group after the step from epoch `before`, and a momentum or nil.  A rate that something else
-- has changed is taken for that of a schedule from another base, which is found here: rates are linear in it.
local function rate_after(self, before, lr, base, i)
  if self.go_on then return self:go_on(lr, i) end
  local now, momentum = self:rate(self.last_epoch, base, i)
  if not self:follows() then return now, momentum end
  local was = self:rate(before, base, i)
  if lr == was then return now, momentum end
  local start = self:rate(before, 0, i)
  local slope = self:rate(before, 1, i) - start
  if slope == 0 then return lr + now - was, momentum end
  return self:rate(self.last_epoch, (lr - start) / slope, i)
end

-- Groups that were added later keep their rates.  `before`: the epoch that this one follows, if any.
function Scheduler:set(before)
  for i, base in ipairs(self.base_lrs) do
    local group = self.optimizer.param_groups[i]
    if type(group) ~= "table" then
      raise(self.__name, "the optimizer has %d groups, the schedule %d", i - 1, #self.base_lrs)
    end
    local lr, momentum
    if before and type(group.lr) == "number" then
      lr, momentum = rate_after(self, before, group.lr, base, i)
    else
      lr, momentum = self:rate(self.last_epoch, base, i)
    end
    group.lr = lr
    if momentum then set_momentum(group, momentum) end
  end
end

--- One step further, or to the epoch given.
function Scheduler:step(epoch)
  check.self(self, "step", "schedule")
  if type(epoch) ~= "nil" then -- (a null pointer equals nil)
    check[self.takes_fractions and "number" or "int"](epoch, self.__name, "epoch")
    local is_epoch = epoch >= 0 and epoch < math.huge -- false for NaN
    if not is_epoch then raise(self.__name, "step: epoch must be at least 0, not %g", epoch) end
  end
  local before = self.last_epoch
  self.last_epoch = epoch or before + 1
  local ok, why = pcall(self.set, self, not epoch and before or nil)
  if not ok then
    self.last_epoch = before
    check.rethrow(why)
  end
end

--- Its numbers as a plain table; functions and the optimizer are not saved.
function Scheduler:state_dict()
  check.self(self, "state_dict", "schedule")
  local state = {}
  for key, value in pairs(self) do
    local plain = type(value) == "number" or type(value) == "boolean" or type(value) == "string"
    if type(value) == "table" and getmetatable(value) == nil and key ~= "schedulers" then
      plain = true
      for _, v in pairs(value) do plain = plain and type(v) == "number" end
    end
    if plain then state[key] = value end
  end
  if self.set then state.last_lrs = self:get_last_lr() end
  return state
end
jit.off(Scheduler.state_dict)

function Scheduler:load_state_dict(state)
  check.self(self, "load_state_dict", "schedule")
  if type(state) ~= "table" or type(state.last_epoch) ~= "number" then
    raise(self.__name, "load_state_dict: the state must be what state_dict gave, not %s", got(state))
  end
  local name = self.__name .. ": load_state_dict"
  for key, value in pairs(state) do
    local own = rawget(self, key)
    local is_own = type(own) == "table" and getmetatable(own) ~= nil or key == "schedulers"
    local is_list = type(own) == "number" and type(value) == "table" and key ~= "last_epoch" -- one a group
    if is_own or own ~= nil and type(own) ~= type(value) and not is_list then
      raise(name, "%s cannot become %s", check.one_line(key), got(value))
    end
  end
  for i in ipairs(self.base_lrs or {}) do
    if state.base_lrs then check.number(state.base_lrs[i], name, ("base_lrs[%d]"):format(i)) end
  end
  for key, value in pairs(state) do self[key] = value end
  if not self.set then return end
  self:set()
  for i in ipairs(self.base_lrs) do
    local lr = type(state.last_lrs) == "table" and state.last_lrs[i]
    if type(lr) == "number" then self.optimizer.param_groups[i].lr = lr end
  end
end
jit.off(Scheduler.load_state_dict)

--- Declares a schedule: rate(self, epoch, base, group number) gives the rate, and a momentum or nil;
-- prepare(self) runs once the arguments are there.
---@return table class
function Scheduler.declare(name, text, rate, prepare)
  local class = Scheduler:extend(name)
  class.parse = args.define(name, text == "" and "last_epoch: int = -1" or text .. ", last_epoch: int = -1")
  class.argument_list = "optimizer" .. (text == "" and "" or ", " .. text)
  class.rate, class.prepare_schedule = rate, prepare
  return class
end

local function schedule(name, ...)
  M[name] = Scheduler.declare(name, ...)
  return M[name]
end

-- The i-th of a list of functions, or the one function for all groups.
local function function_for(self, i)
  local f = self.lr_lambda
  if type(f) == "table" and getmetatable(f) == nil then f = f[i] end
  check.fn(f, self.__name, "lr_lambda")
  return function(epoch) return check.number(f(epoch), self.__name, "what lr_lambda returns") end
end

schedule("LambdaLR", "lr_lambda: any", function(self, epoch, base, i)
  return base * function_for(self, i)(epoch)
end)

schedule("MultiplicativeLR", "lr_lambda: any", function(self, epoch, base, i)
  local lr = base
  for e = 1, epoch do lr = lr * function_for(self, i)(e) end
  return lr
end).go_on = function(self, lr, i) return lr * function_for(self, i)(self.last_epoch) end

schedule("StepLR", "step_size: count, gamma: number = 0.1", function(self, epoch, base)
  return base * self.gamma ^ math.floor(epoch / self.step_size)
end)

schedule("MultiStepLR", "milestones: table, gamma: number = 0.1", function(self, epoch, base)
  local passed = 0
  for _, milestone in ipairs(self.milestones) do
    if epoch >= milestone then passed = passed + 1 end
  end
  return base * self.gamma ^ passed
end, function(self)
  for i, milestone in ipairs(self.milestones) do
    check.number(milestone, "MultiStepLR", ("milestones[%d]"):format(i))
  end
end)

schedule("ExponentialLR", "gamma: number", function(self, epoch, base) return base * self.gamma ^ epoch end)

-- Refuses a factor of the rate that is not in [0, 1], or (0, 1].
local function check_factor(self, name, least_excluded)
  local v = self[name]
  local fits = v <= 1 and (v > 0 or v == 0 and not least_excluded)
  if not fits then
    raise(self.__name, "%s must be in %s0, 1], not %g", name, least_excluded and "(" or "[", v)
  end
end

schedule("ConstantLR", "factor: number = 0.3333333333333333, total_iters: int = 5", function(self, epoch,
  base)
  return epoch < self.total_iters and base * self.factor or base
end, function(self) check_factor(self, "factor") end)

--- Warm-up: from start_factor to end_factor of the rate, evenly.
schedule("LinearLR", "start_factor: number = 0.3333333333333333, end_factor: number = 1, "
  .. "total_iters: count = 5",
  function(self, epoch, base)
    local done = math.min(epoch, self.total_iters) / self.total_iters
    return base * (self.start_factor + (self.end_factor - self.start_factor) * done)
  end, function(self)
    check_factor(self, "start_factor", true)
    check_factor(self, "end_factor")
  end)

schedule("PolynomialLR", "total_iters: count = 5, power: number = 1", function(self, epoch, base)
  return base * (1 - math.min(epoch, self.total_iters) / self.total_iters) ^ self.power
end)

local function cosine(from, to, done) return to + (from - to) * (1 + math.cos(math.pi * done)) / 2 end

schedule("CosineAnnealingLR", "T_max: number, eta_min: number = 0", function(self, epoch, base)
  return cosine(base, self.eta_min, epoch / self.T_max)
end, function(self) check.above(self.T_max, "CosineAnnealingLR", "T_max", 0) end)

for _, name in ipairs { "MultiplicativeLR", "StepLR", "MultiStepLR", "ExponentialLR", "ConstantLR",
  "LinearLR", "PolynomialLR", "CosineAnnealingLR" } do
  M[name].follows_changes = true
end

-- Made for a last_epoch and the optimizer's own state, they take the rates that are there for theirs.
for _, name in ipairs { "MultiplicativeLR", "ExponentialLR", "LinearLR", "PolynomialLR",
  "CosineAnnealingLR" } do
  M[name].resumes_as_is = true
end

-- step(epoch) may be a fraction: epoch + batch / batches.
schedule("CosineAnnealingWarmRestarts", "T_0: count, T_mult: count = 1, eta_min: number = 0",
  function(self, epoch, base)
    local length, at = self.T_0, epoch
    if self.T_mult == 1 then at = at % length end
    while at >= length do
      at = at - length
      length = length * self.T_mult
    end
    return cosine(base, self.eta_min, at / length)
  end).takes_fractions = true

-- -- Cycles ------------------------------------------------------------------------------------

-- An option that may be one number for all groups or a list.
local function number_for(v, i)
  if type(v) == "table" and getmetatable(v) == nil then v = v[i] end
  return v
end

-- Refuses such options where they are no number, or a list that does not have one a group.
local function check_numbers(self, names)
  local groups = self.optimizer.param_groups
  for _, name in ipairs(names) do
    local v = self[name]
    if type(v) == "table" and getmetatable(v) == nil then
      if #v ~= #groups then
        raise(self.__name, "%s has %d numbers for %d groups", name, #v, #groups)
      end
      for i = 1, #v do check.number(v[i], self.__name, ("%s[%d]"):format(name, i)) end
    else
      check.number(v, self.__name, name)
    end
  end
end

Scheduler.check_numbers, Scheduler.number_for = check_numbers, number_for

-- The rate and momentum options of a cycle; an optimizer without momentum cannot cycle it.
local function check_cycle(self, rates)
  check_numbers(self, rates)
  if not self.cycle_momentum then return end
  check_numbers(self, { "base_momentum", "max_momentum" })
  for i, group in ipairs(self.optimizer.param_groups) do
    if not (group.betas or group.momentum) then
      raise(self.__name, "cycle_momentum: %s has neither momentum nor betas (group %d); set it to false",
        self.optimizer.__name, i)
    end
  end
end

schedule("CyclicLR", "base_lr: any, max_lr: any, step_size_up: number = 2000, step_size_down: number?, "
  .. "mode: triangular|triangular2|exp_range = triangular, gamma: number = 1, scale_fn: function?, "
  .. "scale_mode: cycle|iterations = cycle, cycle_momentum: bool = true, base_momentum: any = 0.8, "
  .. "max_momentum: any = 0.9", function(self, epoch, _, i)
  local up, down = self.step_size_up, self.step_size_down or self.step_size_up
  local total = up + down
  local cycle = math.floor(1 + epoch / total)
  local x = 1 + epoch / total - cycle
  local height = x <= up / total and x / (up / total) or (x - 1) / (up / total - 1)
  local scale
  if self.scale_fn then scale = self.scale_fn(self.scale_mode == "cycle" and cycle or epoch)
  elseif self.mode == "triangular" then scale = 1
  elseif self.mode == "triangular2" then scale = 1 / 2 ^ (cycle - 1)
  else scale = self.gamma ^ epoch end
  local low, high = number_for(self.base_lr, i), number_for(self.max_lr, i)
  local momentum
  if self.cycle_momentum then
    local most = number_for(self.max_momentum, i)
    momentum = most - (most - number_for(self.base_momentum, i)) * height * scale
  end
  return low + (high - low) * height * scale, momentum
end, function(self)
  check.above(self.step_size_up, "CyclicLR", "step_size_up", 0)
  if self.step_size_down then check.above(self.step_size_down, "CyclicLR", "step_size_down", 0) end
  check_cycle(self, { "base_lr", "max_lr" })
end)

-- Phases of OneCycleLR: { end step, rate from, rate to, momentum from, momentum to }.
local function one_cycle_phases(self, i)
  local most = number_for(self.max_lr, i)
  local first, last = most / self.div_factor, most / self.div_factor / self.final_div_factor
  local low, high = number_for(self.base_momentum, i), number_for(self.max_momentum, i)
  local n = self.total_steps
  if self.three_phase then
    return {
      { self.pct_start * n - 1, first, most, high, low },
      { 2 * self.pct_start * n - 2, most, first, low, high },
      { n - 1, first, last, high, high },
    }
  end
  return { { self.pct_start * n - 1, first, most, high, low }, { n - 1, most, last, low, high } }
end

schedule("OneCycleLR", "max_lr: any, total_steps: count?, epochs: count?, steps_per_epoch: count?, "
  .. "pct_start: number = 0.3, anneal_strategy: cos|linear = cos, cycle_momentum: bool = true, "
  .. "base_momentum: any = 0.85, max_momentum: any = 0.95, div_factor: number = 25, "
  .. "final_div_factor: number = 10000, three_phase: bool = false", function(self, epoch, _, i)
  if epoch > self.total_steps then
    raise("OneCycleLR", "step %d is past total_steps (%d)", epoch, self.total_steps)
  end
  local start, phases = 0, one_cycle_phases(self, i)
  for k, phase in ipairs(phases) do
    if epoch <= phase[1] or k == #phases then
      local done = phase[1] > start and (epoch - start) / (phase[1] - start) or 1
      local function between(from, to)
        return self.anneal_strategy == "cos" and cosine(from, to, done) or from + (to - from) * done
      end
      return between(phase[2], phase[3]), self.cycle_momentum and between(phase[4], phase[5]) or nil
    end
    start = phase[1]
  end
end, function(self)
  if not self.total_steps then
    if not (self.epochs and self.steps_per_epoch) then
      raise("OneCycleLR", "needs total_steps, or epochs and steps_per_epoch")
    end
    self.total_steps = self.epochs * self.steps_per_epoch
  end
  check_factor(self, "pct_start")
  check.above(self.div_factor, "OneCycleLR", "div_factor", 0)
  check.above(self.final_div_factor, "OneCycleLR", "final_div_factor", 0)
  check_cycle(self, { "max_lr" })
end)

-- -- Combinations ------------------------------------------------------------------------------

local function check_schedulers(name, list, optimizer)
  for i, s in ipairs(list) do
    if not Object.is_instance(s, Scheduler) then
      raise(name, "schedulers[%d] must be a scheduler, not %s", i, got(s))
    end
    if s.optimizer ~= optimizer then raise(name, "schedulers[%d] belongs to another optimizer", i) end
  end
end

-- The schedule whose turn it is at an epoch, and the epoch that it began at.
local function part_at(self, epoch)
  local k, start = 1, 0
  for m, milestone in ipairs(self.milestones) do
    if epoch >= milestone then k, start = m + 1, milestone end
  end
  return self.schedulers[k], start
end

--- One schedule after another: the k-th takes over at milestones[k - 1], counting from 0 again.
schedule("SequentialLR", "schedulers: table, milestones: table", function(self, epoch, base, i)
  local part, start = part_at(self, epoch)
  return part:rate(epoch - start, base, i)
end, function(self)
  if #self.schedulers == 0 then raise("SequentialLR", "the list of schedulers is empty") end
  check_schedulers("SequentialLR", self.schedulers, self.optimizer)
  if #self.milestones ~= #self.schedulers - 1 then
    raise("SequentialLR", "%d schedulers need %d milestones, got %d", #self.schedulers, #self.schedulers - 1,
      #self.milestones)
  end
end)

function M.SequentialLR:follows()
  local part, start = part_at(self, self.last_epoch)
  return self.last_epoch > start and part:follows()
end

--- All schedules at once, one step of each after the other.  ChainedScheduler { a, b }.
local Chained = Scheduler:extend "ChainedScheduler"
M.ChainedScheduler = Chained
function Chained:init(schedulers, optimizer)
  if type(optimizer) == "table" and getmetatable(optimizer) == nil then
    optimizer = check.options(optimizer, { optimizer = 1 }, "ChainedScheduler").optimizer
  end
  if type(schedulers) ~= "table" or #schedulers == 0 then
    raise("ChainedScheduler", "takes a list of schedulers, not %s", got(schedulers))
  end
  local first = schedulers[1]
  self.schedulers, self.optimizer = schedulers, type(first) == "table" and first.optimizer or nil
  check_schedulers("ChainedScheduler", schedulers, self.optimizer)
  if optimizer ~= nil and optimizer ~= self.optimizer then
    raise("ChainedScheduler", "optimizer must be that of the schedulers, not %s", got(optimizer))
  end
  self.last_epoch, self.base_lrs = 0, schedulers[1].base_lrs
end
function Chained:step(epoch)
  check.self(self, "step", "schedule")
  for _, s in ipairs(self.schedulers) do s:step(epoch) end
  self.last_epoch = epoch or self.last_epoch + 1
end
function Chained:state_dict()
  local state = Scheduler.state_dict(self)
  state.schedulers = {}
  for i, s in ipairs(self.schedulers) do state.schedulers[i] = s:state_dict() end
  return state
end
function Chained:load_state_dict(state)
  check.self(self, "load_state_dict", "schedule")
  local rest, parts = {}, type(state) == "table" and state.schedulers
  if type(parts) ~= "table" or #parts ~= #self.schedulers then
    raise("ChainedScheduler", "load_state_dict: the state must have the states of %d schedulers, not %s",
      #self.schedulers, type(parts) == "table" and "of " .. #parts or got(parts))
  end
  for key, value in pairs(state) do rest[key] = value end
  rest.schedulers = nil
  local before = {}
  for i, s in ipairs(self.schedulers) do before[i] = s:state_dict() end
  local ok, why = pcall(function()
    for i, s in ipairs(self.schedulers) do s:load_state_dict(parts[i]) end
    Scheduler.load_state_dict(self, rest)
  end)
  if ok then return end
  for i, s in ipairs(self.schedulers) do s:load_state_dict(before[i]) end -- as if nothing had been loaded
  check.rethrow(why)
end
jit.off(Chained.load_state_dict)
-- What the factors of all make of a rate, where it is part of a SequentialLR.
function Chained:rate(epoch, base, i)
  local lr = base
  for _, s in ipairs(self.schedulers) do lr = lr * s:rate(epoch, base, i) / base end
  return lr
end

-- -- By a measurement --------------------------------------------------------------------------

--- Lowers the rate when a measurement has stopped getting better: `scheduler:step(loss)`.
local Plateau = Object:extend "ReduceLROnPlateau"
M.ReduceLROnPlateau = Plateau
local parse_plateau = args.define("ReduceLROnPlateau", "mode: min|max = min, factor: number = 0.1, "
  .. "patience: int = 10, threshold: number = 1e-4, threshold_mode: rel|abs = rel, cooldown: int = 0, "
  .. "min_lr: any = 0, eps: number = 1e-8, verbose: bool = false")

function Plateau:init(optimizer, ...)
  if not is_optimizer(optimizer) then
    raise("ReduceLROnPlateau", "optimizer must be an optimizer, not %s", got(optimizer))
  end
  self.optimizer = optimizer
  for name, value in pairs(parse_plateau(...)) do self[name] = value end
  local lowers = self.factor < 1 -- false for NaN
  if not lowers then raise("ReduceLROnPlateau", "factor must be below 1, not %g", self.factor) end
  check_numbers(self, { "min_lr" })
  self.best = self.mode == "min" and math.huge or -math.huge
  self.num_bad_epochs, self.cooldown_counter, self.last_epoch = 0, 0, 0
end
jit.off(Plateau.init)

local function is_better(self, value)
  local sign = self.mode == "min" and 1 or -1
  local bound = self.threshold_mode == "rel" and self.best * (1 - sign * self.threshold)
    or self.best - sign * self.threshold
  if self.mode == "min" then return value < bound end
  return value > bound
end

--- Does it wait after having lowered the rate?
function Plateau:in_cooldown()
  check.self(self, "in_cooldown", "schedule")
  return self.cooldown_counter > 0
end

---@param metric number|kiln.Tensor what is watched
function Plateau:step(metric)
  check.self(self, "step", "schedule")
  if type(metric) == "cdata" then metric = metric:item() end
  if type(metric) ~= "number" then
    raise("ReduceLROnPlateau", "step: metric must be a number, not %s", got(metric))
  end
  self.last_epoch = self.last_epoch + 1
  if is_better(self, metric) then
    self.best, self.num_bad_epochs = metric, 0
  else
    self.num_bad_epochs = self.num_bad_epochs + 1
  end
  if self.cooldown_counter > 0 then
    self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
  end
  if self.num_bad_epochs <= self.patience then return end
  for i, group in ipairs(self.optimizer.param_groups) do
    local lr = math.max(group.lr * self.factor, number_for(self.min_lr, i))
    if group.lr - lr > self.eps then
      if self.verbose then
        print(("epoch %d: group %d goes on at a learning rate of %g"):format(self.last_epoch, i, lr))
      end
      group.lr = lr
    end
  end
  self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
end

Plateau.get_last_lr = Scheduler.get_last_lr
Plateau.state_dict = Scheduler.state_dict
Plateau.load_state_dict = Scheduler.load_state_dict

return require("kiln.namespace").of("kiln.optim.lr_scheduler", M)
