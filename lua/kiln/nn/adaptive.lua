--- AdaptiveLogSoftmaxWithLoss: log-probabilities of many classes, of which the rare ones share small parts
-- of the layer (Grave et al. 2017).  Classes count from 1, the frequent ones first.
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local ModuleList = require("kiln.nn.containers").ModuleList
local Sequential = require("kiln.nn.containers").Sequential
local Linear = require("kiln.nn.linear").Linear
local targets = require "kiln.nn.targets"
local check = require "kiln.check"

local raise = check.raise
local M = {}

-- cutoffs: the last class of the head and of each cluster but the last; they rise, and stay below n_classes.
local function check_cutoffs(self)
  local last = 0
  for i, c in ipairs(self.cutoffs) do
    if check.int(c, self.__name, ("cutoffs[%d]"):format(i)) <= last or c >= self.n_classes then
      raise(self.__name, "cutoffs must rise between 1 and n_classes - 1 (%d); cutoffs[%d] is %d",
        self.n_classes - 1, i, c)
    end
    last = c
  end
  if last == 0 then raise(self.__name, "cutoffs must be a list of classes, not an empty one") end
end

local function setup(self)
  check_cutoffs(self)
  check.above(self.div_value, self.__name, "div_value", 0)
  local ends = { unpack(self.cutoffs) }
  ends[#ends + 1] = self.n_classes
  self.cutoffs, self.n_clusters = ends, #ends - 1
  local function linear(n, m, bias)
    return Linear(n, m, { bias = bias, dtype = self._factory.dtype, device = self._factory.device })
  end
  self.head = linear(self.in_features, ends[1] + self.n_clusters, self.head_bias)
  self.tail = ModuleList()
  for k = 1, self.n_clusters do
    local width = math.floor(self.in_features / self.div_value ^ k)
    if width < 1 then
      raise(self.__name, "in_features (%d) over div_value ^ %d leaves nothing for cluster %d",
        self.in_features, k, k)
    end
    self.tail:append(Sequential(linear(self.in_features, width, false),
      linear(width, ends[k + 1] - ends[k], false)))
  end
end

-- Log-probabilities of the head's classes and of being in each cluster.
local function head_log_prob(self, x) return F.log_softmax(self.head(x), 2) end

local function check_input(self, x)
  check.tensor(x, self.__name, "input")
  if x:size(-1) ~= self.in_features or x:dim() > 2 then
    raise(self.__name, "input must be [N, %d] or [%d], its shape is %s", self.in_features, self.in_features,
      tostring(x.shape))
  end
  return x:dim() == 1 and x:unsqueeze(1) or x
end

M.AdaptiveLogSoftmaxWithLoss = declare "AdaptiveLogSoftmaxWithLoss" {
  args = "in_features: count, n_classes: count, cutoffs: table, div_value: number = 4, "
    .. "head_bias: bool = false",
  tensors = true, setup = setup,
  methods = {
    --- The log-probability of every class, [N, n_classes].
    log_prob = function(self, input)
      local x = check_input(self, input)
      local head, first = head_log_prob(self, x), self.cutoffs[1]
      local parts = { head:narrow(2, 1, first) }
      for k = 1, self.n_clusters do
        parts[k + 1] = F.log_softmax(self.tail[k](x), 2) + head:narrow(2, first + k, 1)
      end
      return kiln.cat(parts, 2)
    end,
    --- The most likely class of each row, int64.
    predict = function(self, input)
      local best = self:log_prob(input):argmax(2)
      return input:dim() == 1 and best:squeeze(1) or best
    end,
  },
  --- Returns the log-probability of each target, [N], and the mean of minus that.
  forward = function(self, input, target)
    local x = check_input(self, input)
    check.tensor(target, self.__name, "target")
    local rows = input:dim() == 1 and target:reshape(1) or target
    if rows:dim() ~= 1 or rows:size(1) ~= x:size(1) then
      raise(self.__name, "input %s does not go with target %s", tostring(input.shape), tostring(target.shape))
    end
    if rows.dtype ~= kiln.int64 then
      raise(self.__name, "target must be int64 classes, not %s", rows.dtype.name)
    end
    targets.in_range(self.__name, self.n_classes, rows)
    local head, first = head_log_prob(self, x), self.cutoffs[1]
    -- A row's place in the head: its class, or its cluster.
    local place, outputs = rows:clamp(1, first), kiln.zeros(x:size(1), { dtype = x.dtype, device = x.device })
    for k = 1, self.n_clusters do
      local low, high = self.cutoffs[k], self.cutoffs[k + 1]
      local mine = rows:gt(low):logical_and(rows:le(high))
      local at = mine:nonzero():view(-1)
      if at:numel() > 0 then
        place = place:masked_fill(mine, first + k)
        local log_p = F.log_softmax(self.tail[k](x:index_select(1, at)), 2)
        local chosen = log_p:gather(2, (rows:index_select(1, at) - low):unsqueeze(2)):squeeze(2)
        outputs = outputs:index_add(1, at, chosen)
      end
    end
    outputs = outputs + head:gather(2, place:unsqueeze(2)):squeeze(2)
    return input:dim() == 1 and outputs:squeeze(1) or outputs, -outputs:mean()
  end,
}

return M
