--- kiln.optim.swa_utils: averages of a model's weights over training (Izmailov et al. 2018), exponential ones
-- too.
--
--   local averaged = swa_utils.AveragedModel(net, { multi_avg_fn = swa_utils.get_ema_multi_avg_fn(0.999) })
--   optimizer:step(); averaged:update_parameters(net)
--   swa_utils.update_bn(loader, averaged)     -- before it is used, where it has batch norms
local kiln = require "kiln"
local args = require "kiln.utils.args"
local Module = require "kiln.nn.module"
local Scheduler = require("kiln.optim.lr_scheduler").LRScheduler
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

-- -- How to average ----------------------------------------------------------------------------

local function check_decay(name, decay)
  decay = decay == nil and 0.999 or check.number(decay, name, "decay")
  local fits = decay >= 0 and decay <= 1 -- false for NaN
  if not fits then raise(name, "decay must be in [0, 1], not %g", decay) end
  return decay
end

--- Averages that forget: averaged decay + now (1 - decay).
function M.get_ema_avg_fn(decay)
  decay = check_decay("get_ema_avg_fn", decay)
  return function(averaged, now) return averaged * decay + now * (1 - decay) end
end

--- The same over lists of tensors, in place.
function M.get_ema_multi_avg_fn(decay)
  decay = check_decay("get_ema_multi_avg_fn", decay)
  return function(averaged, now)
    for i, p in ipairs(averaged) do
      if p.dtype.is_floating_point then p:lerp_(now[i], 1 - decay)
      else p:copy_(p * decay + now[i] * (1 - decay)) end
    end
  end
end

--- Plain averages of all models so far, of which there were n.
function M.get_swa_avg_fn()
  return function(averaged, now, n) return averaged + (now - averaged) / (n + 1) end
end

--- The same over lists of tensors, in place.
function M.get_swa_multi_avg_fn()
  return function(averaged, now, n)
    for i, p in ipairs(averaged) do
      if p.dtype.is_floating_point then p:lerp_(now[i], 1 / (n + 1))
      else p:copy_(p + (now[i] - p) / (n + 1)) end
    end
  end
end

-- -- The averaged model ------------------------------------------------------------------------

---@class kiln.optim.swa_utils.AveragedModel: kiln.nn.Module
---@field module kiln.nn.Module  a copy of the model, with averaged parameters
---@field n_averaged kiln.Tensor  how many models are in it, int64
M.AveragedModel = Module:extend "AveragedModel"
M.AveragedModel.argument_list = "model: module, device: any?, avg_fn: function?, multi_avg_fn: function?, "
  .. "use_buffers: bool = false"

local parse_model = args.define("AveragedModel", M.AveragedModel.argument_list)

--- avg_fn(averaged, now, n) gives the new value of one tensor, multi_avg_fn(averaged, now, n) changes lists
-- of tensors in place; without them it is a plain average.  Buffers are averaged with use_buffers, else
-- copied.
function M.AveragedModel:init(...)
  local a = parse_model(...)
  if a.avg_fn and a.multi_avg_fn then raise("AveragedModel", "takes one of avg_fn and multi_avg_fn") end
  self.module = a.model:clone()
  if a.device then self.module:to(a.device) end
  self:register_buffer("n_averaged", kiln.zeros({}, { dtype = kiln.int64, device = a.device }))
  self.avg_fn, self.use_buffers = a.avg_fn, a.use_buffers
  self.multi_avg_fn = a.multi_avg_fn or not a.avg_fn and M.get_swa_multi_avg_fn() or nil
end

function M.AveragedModel:forward(...) return self.module(...) end

-- The tensors that are averaged.
local function averaged_tensors(self, module)
  local list = { unpack(module:parameters()) }
  for _, b in ipairs(self.use_buffers and module:buffers() or {}) do list[#list + 1] = b end
  return list
end

-- `now`, detached and where `mine` is; the two models must be alike.
local function beside(mine, now)
  if #mine ~= #now then
    raise("AveragedModel", "update_parameters: the model has %d tensors, the averaged one %d", #now, #mine)
  end
  local list = {}
  for i, p in ipairs(mine) do
    if p:size() ~= now[i]:size() then
      raise("AveragedModel", "update_parameters: tensor %d is %s, the averaged one %s", i,
        tostring(now[i].shape), tostring(p.shape))
    end
    list[i] = now[i]:detach():to(p.device)
  end
  return list
end

--- Takes a model's parameters into the average.
---@param model kiln.nn.Module
function M.AveragedModel:update_parameters(model)
  check.self(self, "update_parameters", "averaged")
  if not Module.is_instance(model, Module) then
    raise("AveragedModel", "update_parameters: model must be a module, not %s", got(model))
  end
  local mine = averaged_tensors(self, self.module)
  local now, n = beside(mine, averaged_tensors(self, model)), tonumber(self.n_averaged:item())
  kiln.no_grad(function()
    if n == 0 then
      for i, p in ipairs(mine) do p:copy_(now[i]) end
    elseif self.multi_avg_fn then
      self.multi_avg_fn(mine, now, n)
    else
      for i, p in ipairs(mine) do p:copy_(self.avg_fn(p:detach(), now[i], n)) end
    end
    if not self.use_buffers then
      local buffers = self.module:buffers()
      local others = beside(buffers, model:buffers())
      for i, b in ipairs(buffers) do b:copy_(others[i]) end
    end
  end)
  self.n_averaged:add_(1)
end

-- -- Batch norms -------------------------------------------------------------------------------

--- Computes the running statistics of a model's batch norms anew, over the batches of a loader.
---@param loader kiln.utils.data.DataLoader|fun(): kiln.Tensor  the first value of each is used
---@param model kiln.nn.Module
---@param device? string
function M.update_bn(loader, model, device)
  if not Module.is_instance(model, Module) then
    raise("update_bn", "model must be a module, not %s", got(model))
  end
  local has_iter = type(loader) == "table" and type(loader.iter) == "function"
  local next_batch = check.fn(has_iter and loader:iter() or loader, "update_bn", "loader")
  local norms, was_training = {}, model.training
  for _, m in ipairs(model:modules()) do
    if m.running_mean ~= nil and m.momentum ~= nil then
      norms[#norms + 1] = { m, m.momentum }
      m:reset_running_stats()
      m.momentum = false -- a plain average
    end
  end
  if #norms == 0 then return end
  local ok, why = pcall(function()
    model:train()
    kiln.no_grad(function()
      for x in next_batch do
        if type(x) == "table" and getmetatable(x) == nil then x = x[1] end
        model(device and x:to(device) or x)
      end
    end)
  end)
  for _, item in ipairs(norms) do item[1].momentum = item[2] end
  model:train(was_training)
  if not ok then check.rethrow(why) end
end

-- -- The rate while averaging ------------------------------------------------------------------

local ANNEAL = {
  linear = function(done) return done end,
  cos = function(done) return (1 - math.cos(math.pi * done)) / 2 end,
}

--- From the rate at its first step to swa_lr in anneal_epochs, and on at it.
M.SWALR = Scheduler.declare("SWALR",
  "swa_lr: any, anneal_epochs: int = 10, anneal_strategy: cos|linear = cos", function(self, epoch, _, i)
    local group = self.optimizer.param_groups[i]
    if epoch == 0 then return group.lr end
    self.start_lrs[i] = self.start_lrs[i] or group.lr
    local done = self.anneal_epochs == 0 and 1 or math.min(epoch / self.anneal_epochs, 1)
    local share = ANNEAL[self.anneal_strategy](done)
    return Scheduler.number_for(self.swa_lr, i) * share + self.start_lrs[i] * (1 - share)
  end, function(self)
    self:check_numbers { "swa_lr" }
    check.at_least(self.anneal_epochs, "SWALR", "anneal_epochs", 0)
    self.start_lrs = {}
  end)

return require("kiln.namespace").of("kiln.optim.swa_utils", M)
