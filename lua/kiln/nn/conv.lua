--- Convolutions and transposed convolutions over 1, 2 and 3 dims, Fold and Unfold.
-- Input [N, C, ...]; a plain layer's weight is [out, in / groups, ...kernel], a transposed one's
-- [in, out / groups, ...kernel]; both start uniform in +-1/sqrt(fan in).
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"
local init = require "kiln.nn.init"
local check = require "kiln.check"

local raise = check.raise

local M = {}

local function setup(self, first, second)
  if first % self.groups ~= 0 or second % self.groups ~= 0 then
    raise(self.__name, "in_channels (%d) and out_channels (%d) must divide by groups (%d)", self.in_channels,
      self.out_channels, self.groups)
  end
  for _, name in ipairs { "kernel_size", "stride", "dilation" } do
    for d, v in ipairs(self[name]) do
      if v < 1 then raise(self.__name, "%s[%d] must be at least 1, not %d", name, d, v) end
    end
  end
  for d, v in ipairs(type(self.padding) == "table" and self.padding or {}) do
    if v < 0 then raise(self.__name, "padding[%d] must be at least 0, not %d", d, v) end
  end
  self.weight = self:make { first, second / self.groups, unpack(self.kernel_size) }
  self.bias = self.bias and self:make { self.out_channels } or nil
end

local methods = { reset_parameters = function(self)
  init.kaiming_uniform(self.weight, math.sqrt(5))
  local fan_in = init.fans(self.weight)
  local bound = fan_in > 0 and 1 / math.sqrt(fan_in) or 0
  if self.bias then init.uniform(self.bias, -bound, bound) end
end }

-- What padding_mode puts around an input, as F.pad wants it: last dim first.
local function pad_amounts(self)
  local amounts = {}
  for d = #self.kernel_size, 1, -1 do
    local total = self.padding == "same" and self.dilation[d] * (self.kernel_size[d] - 1)
    local before = total and math.floor(total / 2) or self.padding == "valid" and 0 or self.padding[d]
    amounts[#amounts + 1] = before
    amounts[#amounts + 1] = total and total - before or before
  end
  return amounts
end

local function conv(n)
  local name = "conv" .. n .. "d"
  return declare("Conv" .. n .. "d") {
    args = ("in_channels: count, out_channels: count, kernel_size: size%d, stride: size%d = 1, "
      .. "padding: padding%d = 0, dilation: size%d = 1, groups: count = 1, bias: bool = true, "
      .. "padding_mode: zeros|reflect|replicate|circular = zeros"):format(n, n, n, n),
    tensors = true,
    setup = function(self)
      if self.padding == "same" then
        for d = 1, n do
          if self.stride[d] ~= 1 then
            raise(self.__name, "padding 'same' needs stride 1, not %d", self.stride[d])
          end
        end
      end
      setup(self, self.out_channels, self.in_channels)
    end,
    methods = methods,
    forward = function(self, x)
      local padding = self.padding
      if self.padding_mode ~= "zeros" then
        x = F.pad(x, pad_amounts(self), self.padding_mode)
        padding = 0
      end
      return F[name](x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)
    end,
  }
end

local function conv_transpose(n)
  local name = "conv_transpose" .. n .. "d"
  return declare("ConvTranspose" .. n .. "d") {
    args = ("in_channels: count, out_channels: count, kernel_size: size%d, stride: size%d = 1, "
      .. "padding: size%d = 0, output_padding: size%d = 0, groups: count = 1, bias: bool = true, "
      .. "dilation: size%d = 1, padding_mode: string = zeros")
      :format(n, n, n, n, n),
    tensors = true,
    setup = function(self)
      if self.padding_mode ~= "zeros" then
        raise(self.__name, "padding_mode must be 'zeros', not %s", check.got(self.padding_mode))
      end
      setup(self, self.in_channels, self.out_channels)
    end,
    methods = methods,
    --- output_size chooses among the sizes that a stride leaves open.
    forward = function(self, x, output_size)
      local extra = self.output_padding
      if output_size ~= nil then
        if type(output_size) ~= "table" or #output_size < n then
          raise(self.__name, "output_size must be a list of %d sizes or more", n)
        end
        check.tensor(x, self.__name, "input")
        extra = {}
        local first = #output_size - n
        for d = 1, n do
          local least = (x:size(x:dim() - n + d) - 1) * self.stride[d] - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1) + 1
          local wanted = check.int(output_size[first + d], self.__name, ("output_size[%d]"):format(first + d))
          extra[d] = wanted - least
          if extra[d] < 0 or extra[d] >= self.stride[d] then
            raise(self.__name, "output_size[%d] must be in %d..%d, not %d", first + d, least,
              least + self.stride[d] - 1, output_size[first + d])
          end
        end
      end
      return F[name](x, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)
    end,
  }
end

for n = 1, 3 do
  M["Conv" .. n .. "d"] = conv(n)
  M["ConvTranspose" .. n .. "d"] = conv_transpose(n)
end

--- Sliding blocks [N, C, H, W] -> [N, C * kernel, blocks].
M.Unfold = declare "Unfold" {
  args = "kernel_size: size2, dilation: size2 = 1, padding: size2 = 0, stride: size2 = 1",
  forward = function(self, x)
    return F.unfold(x, self.kernel_size, self.dilation, self.padding, self.stride)
  end,
}

--- The sum of sliding blocks, the inverse of Unfold.
M.Fold = declare "Fold" {
  args = "output_size: size2, kernel_size: size2, dilation: size2 = 1, padding: size2 = 0, stride: size2 = 1",
  forward = function(self, x)
    return F.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
  end,
}

return M
