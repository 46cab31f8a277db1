--- kiln.utils.data: where samples come from and in which order.
--
--   local loader = data.DataLoader(dataset, { batch_size = 64, shuffle = true })
--   for x, y in loader:iter() do ... end        -- `loader()` is short for loader:iter()
local namespace = require "kiln.namespace"

local M = {}

--- In a worker: { id = , num_workers = }; nil in the main state.
function M.get_worker_info() return require("kiln.utils.data.workers").get_worker_info() end

return namespace.join("kiln.utils.data", M, {
  "kiln.utils.data.dataset", "kiln.utils.data.sampler", "kiln.utils.data.collate", "kiln.utils.data.loader",
  "kiln.utils.data.text",
})
