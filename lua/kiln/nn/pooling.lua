--- Pooling layers: maximum, average, power and adaptive ones over 1, 2 and 3 dims, and unpooling.
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"

local M = {}

for n = 1, 3 do
  local suffix, size = n .. "d", "size" .. n
  M["MaxPool" .. suffix] = declare("MaxPool" .. suffix) {
    args = ("kernel_size: S, stride: S?, padding: S = 0, dilation: S = 1, return_indices: bool = false, "
      .. "ceil_mode: bool = false"):gsub("%f[%w]S%f[%W]", size),
    forward = function(self, x)
      return F["max_pool" .. suffix](x, self.kernel_size, self.stride, self.padding, self.dilation,
        self.ceil_mode,
        self.return_indices)
    end,
  }
  M["MaxUnpool" .. suffix] = declare("MaxUnpool" .. suffix) {
    args = ("kernel_size: S, stride: S?, padding: S = 0"):gsub("%f[%w]S%f[%W]", size),
    forward = function(self, x, indices, output_size)
      return F["max_unpool" .. suffix](x, indices, self.kernel_size, self.stride, self.padding, output_size)
    end,
  }
  M["AvgPool" .. suffix] = declare("AvgPool" .. suffix) {
    args = ("kernel_size: S, stride: S?, padding: S = 0, ceil_mode: bool = false, "
      .. "count_include_pad: bool = true"
      .. (n > 1 and ", divisor_override: count?" or "")):gsub("%f[%w]S%f[%W]", size),
    forward = function(self, x)
      return F["avg_pool" .. suffix](x, self.kernel_size, self.stride, self.padding, self.ceil_mode,
        self.count_include_pad, self.divisor_override)
    end,
  }
  M["AdaptiveMaxPool" .. suffix] = declare("AdaptiveMaxPool" .. suffix) {
    args = "output_size: any, return_indices: bool = false",
    forward = function(self, x)
      return F["adaptive_max_pool" .. suffix](x, self.output_size, self.return_indices)
    end,
  }
  M["AdaptiveAvgPool" .. suffix] = declare("AdaptiveAvgPool" .. suffix) {
    args = "output_size: any",
    forward = function(self, x) return F["adaptive_avg_pool" .. suffix](x, self.output_size) end,
  }
  M["LPPool" .. suffix] = declare("LPPool" .. suffix) {
    args = ("norm_type: number, kernel_size: S, stride: S?, ceil_mode: bool = false"):gsub("%f[%w]S%f[%W]",
      size),
    forward = function(self, x)
      return F["lp_pool" .. suffix](x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
    end,
  }
end

for n = 2, 3 do
  local name, pool = ("FractionalMaxPool%dd"):format(n), ("fractional_max_pool%dd"):format(n)
  --- Regions of random size (Graham 2014); one of output_size and output_ratio must be given.
  M[name] = declare(name) {
    args = ("kernel_size: size%d, output_size: size%d?, output_ratio: any?, return_indices: bool = false, "
      .. "_random_samples: tensor?"):format(n, n),
    forward = function(self, x)
      return F[pool](x, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
        self._random_samples)
    end,
  }
end

return M
