--- Layers that change the resolution of images.
local F = require "kiln.nn.functional"
local declare = require "kiln.nn.declare"

local M = {}

--- [N, C r r, H, W] -> [N, C, H r, W r] (Shi et al. 2016).
M.PixelShuffle = declare "PixelShuffle" {
  args = "upscale_factor: count",
  forward = function(self, x) return F.pixel_shuffle(x, self.upscale_factor) end,
}
M.PixelUnshuffle = declare "PixelUnshuffle" {
  args = "downscale_factor: count",
  forward = function(self, x) return F.pixel_unshuffle(x, self.downscale_factor) end,
}

M.Upsample = declare "Upsample" {
  args = "size: any?, scale_factor: any?, "
    .. "mode: nearest|nearest-exact|linear|bilinear|bicubic|trilinear|area = nearest, "
    .. "align_corners: bool?, recompute_scale_factor: bool = false",
  forward = function(self, x)
    return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners,
      self.recompute_scale_factor)
  end,
}

M.UpsamplingNearest2d = declare "UpsamplingNearest2d" {
  args = "size: any?, scale_factor: any?",
  forward = function(self, x) return F.interpolate(x, self.size, self.scale_factor, "nearest") end,
}
M.UpsamplingBilinear2d = declare "UpsamplingBilinear2d" {
  args = "size: any?, scale_factor: any?",
  forward = function(self, x) return F.interpolate(x, self.size, self.scale_factor, "bilinear", true) end,
}

M.ChannelShuffle = declare "ChannelShuffle" {
  args = "groups: count",
  forward = function(self, x) return F.channel_shuffle(x, self.groups) end,
}

return M
