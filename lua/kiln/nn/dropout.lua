--- Dropout layers: elements, whole channels, or elements such that SELU keeps its statistics.
-- They act while training only.
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local raise = require("kiln.check").raise

local M = {}

for name, fn in pairs {
  Dropout = "dropout", Dropout1d = "dropout1d", Dropout2d = "dropout2d", Dropout3d = "dropout3d",
  AlphaDropout = "alpha_dropout", FeatureAlphaDropout = "feature_alpha_dropout",
} do
  M[name] = declare(name) {
    args = "p: number = 0.5, inplace: bool = false",
    setup = function(self)
      if not (self.p >= 0 and self.p <= 1) then raise(name, "p must be in [0, 1], not %g", self.p) end
    end,
    forward = function(self, x) return F[fn](x, self.p, self.training, self.inplace) end,
  }
end

return M
