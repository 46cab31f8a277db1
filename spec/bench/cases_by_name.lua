--- The table of cases with everything filled in: names, and what a family says for all of its cases.
local families = require "catalogue"

local M = { families = families, START = { id = "start", bar = 40, tol = 0 } }

for _, family in ipairs(families) do
  for _, case in ipairs(family.cases) do
    case.family, case.name = family[1], case[1]
    case.id = ("%s.%s %s"):format(case.family, case.name, table.concat(case.sizes, "x"))
    case.bar = case.bar or family.bar
    case.tol = case.tol or family.tol or 1e-5
    case.small = case.small or case.sizes
    case.small_id = ("%s.%s %s"):format(case.family, case.name, table.concat(case.small, "x"))
  end
end

return M
