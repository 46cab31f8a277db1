--- Linear layers: Identity, Linear, Bilinear, Flatten, Unflatten.
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local init = require "kiln.nn.init"
local check = require "kiln.check"

local M = {}

--- Gives back what it gets; takes and ignores any arguments.
M.Identity = declare "Identity" { forward = function(_, ...) return ... end }
function M.Identity.init(_self) end

--- y = x W' + b; weight [out, in], both uniform in +-1/sqrt(in).
M.Linear = declare "Linear" {
  args = "in_features: whole, out_features: whole, bias: bool = true",
  tensors = true,
  setup = function(self)
    self.weight = self:make { self.out_features, self.in_features }
    self.bias = self.bias and self:make { self.out_features } or nil
  end,
  methods = { reset_parameters = function(self)
    init.kaiming_uniform(self.weight, math.sqrt(5))
    local bound = self.in_features > 0 and 1 / math.sqrt(self.in_features) or 0
    if self.bias then init.uniform(self.bias, -bound, bound) end
  end },
  forward = function(self, x) return F.linear(x, self.weight, self.bias) end,
}

--- y = x1' W x2 + b for each output; weight [out, in1, in2].
M.Bilinear = declare "Bilinear" {
  args = "in1_features: count, in2_features: whole, out_features: whole, bias: bool = true",
  tensors = true,
  setup = function(self)
    self.weight = self:make { self.out_features, self.in1_features, self.in2_features }
    self.bias = self.bias and self:make { self.out_features } or nil
  end,
  methods = { reset_parameters = function(self)
    local bound = 1 / math.sqrt(self.in1_features)
    init.uniform(self.weight, -bound, bound)
    if self.bias then init.uniform(self.bias, -bound, bound) end
  end },
  forward = function(self, x1, x2) return F.bilinear(x1, x2, self.weight, self.bias) end,
}

--- Joins dims start_dim to end_dim into one; the first dim, the batch, stays by default.
M.Flatten = declare "Flatten" {
  args = "start_dim: int = 2, end_dim: int = -1",
  forward = function(self, x)
    return check.tensor(x, "Flatten", "input"):flatten(self.start_dim, self.end_dim)
  end,
}

--- Splits a dim into several sizes.
M.Unflatten = declare "Unflatten" {
  args = "dim: int, unflattened_size: table",
  forward = function(self, x)
    return check.tensor(x, "Unflatten", "input"):unflatten(self.dim, self.unflattened_size)
  end,
}

return M
