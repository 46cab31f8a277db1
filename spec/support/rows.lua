--- Which rows of the op table a spec walks, and what holds for every test.
local kiln = require "kiln"
local ops = require "kiln.ops"
local device = require "spec.support.device"
local samples = require "spec.support.samples"

local M = {}

--- Rows a user can call, in the order of the table; `wanted(row)` may leave out some.
function M.public(wanted)
  local list = {}
  for _, row in ipairs(ops.rows) do
    if not row.internal and row.samples and (not wanted or wanted(row)) then list[#list + 1] = row end
  end
  return list
end

local goldens = {}

--- What PyTorch computed for a sample.  Raises where spec/golden is not of this op table.
function M.golden(s)
  local family = s.row.family
  if goldens[family] == nil then
    local ok, found = pcall(dofile, "spec/golden/" .. family .. ".lua")
    goldens[family] = ok and found or {}
  end
  local g = goldens[family][s.row.name]
  g = g and g[s.key]
  if not g or g.sum ~= samples.checksum(s) then
    error(("spec/golden/%s.lua knows nothing of %s (%s): run spec/golden/make.py"):format(family,
      s.row.name, s.key), 0)
  end
  return g
end

--- The sample of a list that PyTorch also computed in all other dtypes; nil without floats.
function M.typed(list)
  for _, s in ipairs(list) do
    if M.golden(s).int32 then return s end
  end
end

--- Has the row golden values (or, if not, a formula of its own)?
function M.has_golden(row) return row.torch ~= false and not row.random end

-- -- What every test leaves behind -------------------------------------------------------------

local before

--- Live tensors and nodes, once everything unreachable is gone.  Compiled traces, which keep the
--- upvalues they were specialised to, are thrown away first.
function M.alive()
  jit.flush()
  kiln.collect()
  local m = device.memory()
  return m.live_tensors + m.live_nodes
end

--- For before_each: warms up what lives for ever (constants, the generator), then counts.
function M.count()
  if not before then
    for i = 1, 40 do local _ = kiln.ones(1) * i + 0.5 * i end
    local x = kiln.ones(1, { requires_grad = true });
    (x * 2 + 0.5):sum():backward()
  end
  before = M.alive()
end

--- For after_each: nothing that the test made is alive.
function M.recount()
  local after = M.alive()
  if after > before then after = M.alive() end -- a value may linger in a stack slot for one more call
  if after ~= before then
    error(("the test leaves %d tensors and graph nodes alive, it found %d"):format(after, before), 0)
  end
end

--- Raises the list of what went wrong, if anything did.
function M.report(problems)
  if #problems > 0 then error(table.concat(problems, "\n"), 0) end
end

return M
