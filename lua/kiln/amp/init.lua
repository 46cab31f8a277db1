--- kiln.amp: mixed precision: products in float16 or bfloat16, the rest in float32.
-- autocast runs a function so; GradScaler keeps small gradients from vanishing in float16 (bfloat16
-- needs none).  What runs in which precision stands in lua/kiln/ops/precision.lua; weights stay in
-- float32, and so do their gradients.  In place ops and float64 are left alone.
local M = {
  autocast = require("kiln.amp.autocast").autocast,
  is_autocast_enabled = require("kiln.amp.autocast").is_autocast_enabled,
  get_autocast_dtype = require("kiln.amp.autocast").get_autocast_dtype,
  GradScaler = require "kiln.amp.grad_scaler",
}

return require("kiln.namespace").of("kiln.amp", M)
