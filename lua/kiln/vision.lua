--- kiln.vision: image data sets, and images as files.
local image = require "kiln.vision.image"
local namespace = require "kiln.namespace"

return namespace.of("kiln.vision", {
  datasets = require "kiln.vision.datasets",
  make_grid = image.make_grid,
  save_image = image.save_image,
})
