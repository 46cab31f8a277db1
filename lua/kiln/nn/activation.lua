--- Activation layers: each is the function of kiln.nn.functional with its arguments remembered.
local kiln = require "kiln"
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local M = {}

-- name, function, argument list; the arguments are passed on in this order.
local simple = {
  { "ReLU", "relu", "inplace: bool = false" },
  { "ReLU6", "relu6", "inplace: bool = false" },
  { "ELU", "elu", "alpha: number = 1, inplace: bool = false" },
  { "SELU", "selu", "inplace: bool = false" },
  { "CELU", "celu", "alpha: number = 1, inplace: bool = false" },
  { "GELU", "gelu", "approximate: none|tanh = none" },
  { "SiLU", "silu", "inplace: bool = false" },
  { "Mish", "mish", "inplace: bool = false" },
  { "Hardswish", "hardswish", "inplace: bool = false" },
  { "Hardsigmoid", "hardsigmoid", "inplace: bool = false" },
  { "LeakyReLU", "leaky_relu", "negative_slope: number = 0.01, inplace: bool = false" },
  { "Threshold", "threshold", "threshold: number, value: number, inplace: bool = false" },
  { "Hardtanh", "hardtanh", "min_val/min_value: number = -1, max_val/max_value: number = 1, "
    .. "inplace: bool = false" },
  { "Sigmoid", "sigmoid", "" },
  { "Tanh", "tanh", "" },
  { "LogSigmoid", "logsigmoid", "" },
  { "Softplus", "softplus", "beta: number = 1, threshold: number = 20" },
  { "Softshrink", "softshrink", "lambd: number = 0.5" },
  { "Hardshrink", "hardshrink", "lambd: number = 0.5" },
  { "Softsign", "softsign", "" },
  { "Tanhshrink", "tanhshrink", "" },
  { "GLU", "glu", "dim: int = -1" },
  { "Softmin", "softmin", "dim: int?" },
  { "Softmax", "softmax", "dim: int?" },
  { "LogSoftmax", "log_softmax", "dim: int?" },
}

local function check_hardtanh(self)
  check.above(self.max_val, "Hardtanh", "max_val", self.min_val)
end

for _, row in ipairs(simple) do
  local name, fn, list = row[1], row[2], row[3]
  local names = {}
  for word in args.plain(list):gmatch "([%w_]+):" do names[#names + 1] = word end
  local first, second, third = names[1], names[2], names[3]
  M[name] = declare(name) {
    args = list, setup = name == "Hardtanh" and check_hardtanh or nil,
    forward = third and function(self, x) return F[fn](x, self[first], self[second], self[third]) end
      or second and function(self, x) return F[fn](x, self[first], self[second]) end
      or first == "inplace" and function(self, x) return F[self.inplace and fn .. "_" or fn](x) end
      or first and function(self, x) return F[fn](x, self[first]) end
      or function(_, x) return F[fn](x) end,
  }
end

--- Softmax over the channels of [N, C, H, W] or [C, H, W].
M.Softmax2d = declare "Softmax2d" { forward = function(_, x) return F.softmax(x, -3) end }

--- Leaky with a slope drawn for each element while training (Xu et al. 2015).
M.RReLU = declare "RReLU" {
  args = "lower: number = 0.125, upper: number = 0.3333333333333333, inplace: bool = false",
  forward = function(self, x) return F.rrelu(x, self.lower, self.upper, self.training, self.inplace) end,
}

--- Leaky with a slope that is learnt, for all or for each channel.
M.PReLU = declare "PReLU" {
  args = "num_parameters: whole = 1, init/init_value: number = 0.25",
  tensors = true,
  methods = { reset_parameters = function(self)
    self.weight = self.weight or self:make { self.num_parameters }
    kiln.no_grad(function() self.weight:fill_(self.init) end)
  end },
  forward = function(self, x) return F.prelu(x, self.weight) end,
}

return M
