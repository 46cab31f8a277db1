--- kiln.utils.data: where samples come from and in which order.
--
--   local loader = data.DataLoader(dataset, { batch_size = 64, shuffle = true })
--   for x, y in loader:iter() do ... end        -- `loader()` is short for loader:iter()
local M = {}
for _, part in ipairs { "dataset", "sampler", "collate", "loader", "text" } do
  for name, value in pairs(require("kiln.utils.data." .. part)) do M[name] = value end
end
--- In a worker: { id = , num_workers = }; nil in the main state.
function M.get_worker_info() return require("kiln.utils.data.workers").get_worker_info() end

return M
