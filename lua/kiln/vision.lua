--- kiln.vision: image data sets.
return { datasets = require "kiln.vision.datasets" }
