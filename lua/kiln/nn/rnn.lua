--- Recurrent layers: RNN, LSTM, GRU over sequences, and their cells for one step.
-- A layer computes the input's share of all gates of all steps in one product and runs through time in
-- one op (rnn_layer), forward and back.  Names of weights are the reference's: weight_ih_l0,
-- weight_hh_l0_reverse, ...; gates stand in the order i f g o (LSTM) and r z n (GRU).
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local init = require "kiln.nn.init"
local packed = require "kiln.nn.utils.rnn"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

local GATES = { lstm = 4, gru = 3, tanh = 1, relu = 1 }
-- What the reference calls a layer's arithmetic, and what rnn_layer does.
local MODES = { LSTM = "lstm", GRU = "gru", RNN_TANH = "tanh", RNN_RELU = "relu" }
local function mode_of(self) return MODES[self.mode] end

local function reset_uniform(self)
  check.self(self, "reset_parameters", "layer")
  local bound = self.hidden_size > 0 and 1 / math.sqrt(self.hidden_size) or 0
  for _, p in ipairs(self:parameters(false)) do init.uniform(p, -bound, bound) end
end

-- -- Layers ------------------------------------------------------------------------------------

local function suffix(layer, direction) return "_l" .. layer .. (direction == 2 and "_reverse" or "") end

-- How wide h is: proj_size where an LSTM has one, else hidden_size.
local function width_of(self) return (self.proj_size or 0) > 0 and self.proj_size or self.hidden_size end

local function setup(self)
  if self.dropout < 0 or self.dropout > 1 then
    raise(self.__name, "dropout must be in [0, 1], not %g", self.dropout)
  end
  if (self.proj_size or 0) > 0 and self.mode ~= "LSTM" then
    raise(self.__name, "proj_size is for LSTM only, not for %s", self.mode)
  end
  if self.proj_size and (self.proj_size < 0 or self.proj_size >= self.hidden_size) then
    raise(self.__name, "proj_size must be in 0..%d, below hidden_size, not %d", self.hidden_size - 1,
      self.proj_size)
  end
  local rows, directions = GATES[mode_of(self)] * self.hidden_size, self.bidirectional and 2 or 1
  local with_bias = self.bias
  for layer = 0, self.num_layers - 1 do
    local width = layer == 0 and self.input_size or directions * width_of(self)
    for d = 1, directions do
      local s = suffix(layer, d)
      self["weight_ih" .. s] = self:make { rows, width }
      self["weight_hh" .. s] = self:make { rows, width_of(self) }
      if with_bias then
        self["bias_ih" .. s] = self:make { rows }
        self["bias_hh" .. s] = self:make { rows }
      end
      if width_of(self) ~= self.hidden_size then
        self["weight_hr" .. s] = self:make { self.proj_size, self.hidden_size }
      end
    end
  end
end

local function check_state(self, h, what, shape)
  if not kiln.is_tensor(h) then raise(self.__name, "%s must be a tensor, not %s", what, got(h)) end
  local ok = h:dim() == 3
  for d = 1, 3 do ok = ok and h:size(d) == shape[d] end
  if not ok then
    raise(self.__name, "%s must be [%s], its shape is %s", what, table.concat(shape, ", "), tostring(h.shape))
  end
end

-- A state with fn applied to each of its tensors: h, or for LSTM h and c.
local function each_state(self, hx, fn)
  if mode_of(self) ~= "lstm" then return fn(check.tensor(hx, self.__name, "h")) end
  if type(hx) ~= "table" then raise(self.__name, "the state must be { h, c }, not %s", got(hx)) end
  return { fn(check.tensor(hx[1], self.__name, "h")), fn(check.tensor(hx[2], self.__name, "c")) }
end

-- The states at the start: [layers * directions, n, hidden], zeros where none are given.
local function start_states(self, hx, x, n)
  local layers = self.num_layers * (self.bidirectional and 2 or 1)
  local h_shape, c_shape = { layers, n, width_of(self) }, { layers, n, self.hidden_size }
  local h, c = hx, nil
  if mode_of(self) == "lstm" and hx ~= nil then
    each_state(self, hx, function() end)
    h, c = hx[1], hx[2]
    check_state(self, c, "c", c_shape)
  end
  if h ~= nil then check_state(self, h, "h", h_shape) end
  local function zeros(shape) return kiln.zeros(shape, { dtype = x.dtype, device = x.device }) end
  return h or zeros(h_shape), c or zeros(c_shape)
end

-- The rows of the first step that each sequence of h [n, width] takes.
local function first_rows(sizes, h, reverse)
  local options = { dtype = kiln.int64, device = h.device }
  if not reverse then return kiln.arange(1, h:size(1) + 1, options) end
  local rows, start = {}, 0
  for _, size in ipairs(sizes:tolist()) do
    for k = 1, size do rows[k] = start + k end -- the last step that has it
    start = start + size
  end
  return kiln.tensor(rows, options)
end

-- kiln.rnn_layer; of no sequence at all and of a state without numbers, whose gradients are zeros, too.
local function through_time(gates, sizes, h, c, weight, bias, mode, reverse)
  if h:numel() > 0 then return kiln.rnn_layer(gates, sizes, h, c, weight, bias, mode, reverse) end
  local y = (gates + F.linear(h, weight, bias)):narrow(2, 1, h:size(2))
  return y, y, c
end

-- One layer of an LSTM whose h is projected: h = weight_hr u, u = o tanh(c).  u goes through a layer as any
-- other does, whose recurrent weight is weight_hh weight_hr, and is projected for all steps at once.  What
-- weight_hh makes of the first h, which is no u, is added to the gates of the first step.
local function projected_layer(gates, sizes, h, c, weight_hh, bias_hh, weight_hr, reverse)
  gates = gates:index_add(1, first_rows(sizes, h, reverse), F.linear(h, weight_hh))
  local weight, nothing = kiln.matmul(weight_hh, weight_hr), kiln.zeros_like(c:detach())
  local u, last_u, last_c = through_time(gates, sizes, nothing, c, weight, bias_hh, "lstm", reverse)
  return F.linear(u, weight_hr), F.linear(last_u, weight_hr), last_c
end

-- The input's share of the gates, and the bias that the layer adds: where it and the input's are only added,
-- as they are but for gru, both are one, which is added once and has one gradient.
local function input_share(x, weight, bias_ih, bias_hh, mode)
  if bias_ih and bias_hh and mode ~= "gru" then return F.linear(x, weight), bias_ih + bias_hh end
  return F.linear(x, weight, bias_ih), bias_hh
end

-- All layers over rows of steps.  Returns outputs [rows, directions * hidden], h and c.
local function run_layers(self, x, sizes, h0, c0)
  local mode, directions = mode_of(self), self.bidirectional and 2 or 1
  local last_h, last_c = {}, {}
  for layer = 0, self.num_layers - 1 do
    local outputs = {}
    for d = 1, directions do
      local s, k = suffix(layer, d), layer * directions + d
      local h, c = h0:select(1, k), mode == "lstm" and c0:select(1, k) or nil
      local w, b, project = self["weight_hh" .. s], self["bias_hh" .. s], self["weight_hr" .. s]
      local gates
      gates, b = input_share(x, self["weight_ih" .. s], self["bias_ih" .. s], b, mode)
      if project then
        outputs[d], last_h[k], last_c[k] = projected_layer(gates, sizes, h, c, w, b, project, d == 2)
      else
        outputs[d], last_h[k], last_c[k] = through_time(gates, sizes, h, c, w, b, mode, d == 2)
      end
    end
    x = directions == 2 and kiln.cat(outputs, 2) or outputs[1]
    if self.dropout > 0 and self.training and layer < self.num_layers - 1 then
      x = F.dropout(x, self.dropout, true)
    end
  end
  return x, kiln.stack(last_h, 1), mode == "lstm" and kiln.stack(last_c, 1) or nil
end

local function reorder(state, positions)
  return state and positions and state:index_select(2, positions) or state
end

local function forward_packed(self, x, hx)
  local h0, c0 = start_states(self, hx, x.data, x.batch_sizes[1]:item())
  h0, c0 = reorder(h0, hx and x.sorted_indices), reorder(c0, hx and x.sorted_indices)
  local y, h, c = run_layers(self, x.data, x.batch_sizes, h0, c0)
  h, c = reorder(h, x.unsorted_indices), reorder(c, x.unsorted_indices)
  return x:with(y), c and { h, c } or h
end

--- x [steps, batch, input_size] (batch first with batch_first; without a batch dim [steps, input]) or
-- a PackedSequence.  Returns the outputs of the last layer and the last state, which can be
-- given to the next call: a tensor, for LSTM { h, c }.
local function forward(self, x, hx)
  if packed.is_packed(x) then return forward_packed(self, x, hx) end
  if not kiln.is_tensor(x) or (x:dim() ~= 3 and x:dim() ~= 2) then
    raise(self.__name, "the input must be a tensor of 3 dims (or 2 without a batch), not %s", got(x))
  end
  local single, shape = x:dim() == 2, x.shape
  if single then
    x = x:unsqueeze(2)
    if hx ~= nil then hx = each_state(self, hx, function(h) return h:unsqueeze(2) end) end
  elseif self.batch_first then
    x = x:transpose(1, 2)
  end
  local steps, n = x:size(1), x:size(2)
  if x:size(3) ~= self.input_size then
    raise(self.__name, "the input's last dim is %d, input_size is %d", x:size(3), self.input_size)
  end
  if steps == 0 then raise(self.__name, "the input has no steps: %s", tostring(shape)) end
  local h0, c0 = start_states(self, hx, x, n)
  local sizes = kiln.full({ steps }, n, { dtype = kiln.int64 })
  local y, h, c = run_layers(self, x:reshape(steps * n, self.input_size), sizes, h0, c0)
  y = y:view(steps, n, y:size(2))
  if single then
    y, h, c = y:squeeze(2), h:squeeze(2), c and c:squeeze(2)
  elseif self.batch_first then
    y = y:transpose(1, 2)
  end
  return y, c and { h, c } or h
end

--- The parameters as lists, one a layer and direction, as PyTorch's all_weights.
local function all_weights(self)
  local lists = {}
  for layer = 0, self.num_layers - 1 do
    for d = 1, self.bidirectional and 2 or 1 do
      local list, s = {}, suffix(layer, d)
      for _, name in ipairs { "weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr" } do
        list[#list + 1] = self[name .. s] or nil
      end
      lists[#lists + 1] = list
    end
  end
  return lists
end

local ARGS = "input_size: count, hidden_size: count, num_layers: count = 1, %sbias: bool = true, "
  .. "batch_first: bool = false, dropout: number = 0, bidirectional: bool = false"
local PROJECTED = ", proj_size: int = 0"

--- What recurrent layers share.  As a layer of its own it is told what it computes.
M.RNNBase = declare "RNNBase" {
  args = "mode: LSTM|GRU|RNN_TANH|RNN_RELU, " .. ARGS:format "" .. PROJECTED, tensors = true, setup = setup,
  forward = forward, methods = { reset_parameters = reset_uniform, flatten_parameters = function() end,
    all_weights = all_weights },
}

-- Declares a layer or a cell whose mode is mode(self).
local function of_mode(name, base, args, make, mode)
  return declare(name) {
    base = base, args = args, tensors = true, forward = base.row.forward,
    setup = function(self)
      self.mode = mode(self)
      make(self)
    end,
  }
end
local function nonlinear(self) return "RNN_" .. self.nonlinearity:upper() end
local function always(mode) return function() return mode end end

local NONLINEARITY = "nonlinearity: tanh|relu = tanh"
M.RNN = of_mode("RNN", M.RNNBase, ARGS:format(NONLINEARITY .. ", "), setup, nonlinear)
M.LSTM = of_mode("LSTM", M.RNNBase, ARGS:format "" .. PROJECTED, setup, always "LSTM")
M.GRU = of_mode("GRU", M.RNNBase, ARGS:format "", setup, always "GRU")

-- -- Cells -------------------------------------------------------------------------------------

local function cell_setup(self)
  local rows, with_bias = (self.num_chunks or GATES[mode_of(self)]) * self.hidden_size, self.bias
  self.weight_ih = self:make { rows, self.input_size }
  self.weight_hh = self:make { rows, self.hidden_size }
  self.bias_ih = with_bias and self:make { rows } or nil
  self.bias_hh = with_bias and self:make { rows } or nil
end

--- One step: x [n, input_size] (or [input_size]) and a state; returns the new h, for LSTM h, c.
local function cell_forward(self, x, hx)
  if not self.mode then
    raise(self.__name, "has no arithmetic of its own; use RNNCell, LSTMCell or GRUCell")
  end
  check.tensor(x, self.__name, "input")
  if hx ~= nil then each_state(self, hx, function() end) end
  local mode, single = mode_of(self), x:dim() == 1
  if single then x = x:unsqueeze(1) end
  local n = x:size(1)
  -- A state as [n, hidden]; zeros where none is given.
  local function state(v, what)
    if v == nil then return kiln.zeros({ n, self.hidden_size }, { dtype = x.dtype, device = x.device }) end
    local rows = single and v:unsqueeze(1) or v
    if rows:dim() ~= 2 or rows:size(1) ~= n or rows:size(2) ~= self.hidden_size then
      raise(self.__name, "%s must be [%s%d], its shape is %s", what, single and "" or n .. ", ",
        self.hidden_size, tostring(v.shape))
    end
    return rows
  end
  local h, c = hx, nil
  if mode == "lstm" then
    h = state(hx and hx[1], "h")
    c = state(hx and hx[2], "c")
  else
    h = state(h, "h")
  end
  local sizes = kiln.full({ 1 }, x:size(1), { dtype = kiln.int64 })
  local gates = F.linear(x, self.weight_ih, self.bias_ih)
  local _, new_h, new_c = through_time(gates, sizes, h, c, self.weight_hh, self.bias_hh, mode, false)
  if single then new_h, new_c = new_h:squeeze(1), c and new_c:squeeze(1) end
  if c then return new_h, new_c end
  return new_h
end

local CELL = "input_size: whole, hidden_size: whole, bias: bool = true"

--- What cells share: weights of num_chunks gates.  It has no arithmetic of its own.
M.RNNCellBase = declare "RNNCellBase" {
  args = "input_size: whole, hidden_size: whole, bias: bool, num_chunks: count", tensors = true,
  setup = cell_setup, forward = cell_forward, methods = { reset_parameters = reset_uniform },
}

M.RNNCell = of_mode("RNNCell", M.RNNCellBase, CELL .. ", " .. NONLINEARITY, cell_setup, nonlinear)
M.LSTMCell = of_mode("LSTMCell", M.RNNCellBase, CELL, cell_setup, always "LSTM")
M.GRUCell = of_mode("GRUCell", M.RNNCellBase, CELL, cell_setup, always "GRU")

return M
