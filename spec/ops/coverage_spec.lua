--- Do the other specs of this folder meet every op on everything they promise?  A row without samples, or
-- whose samples leave out a kind of tensor, fails here.
local layouts = require "spec.support.layouts"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"
local read = require "spec.support.read"

local DTYPES = { "float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool" }

-- Kinds of tensors that have to be matrices, or lists of distinct positions, are not expanded.
local RIGID = { n = true, p = true, s = true, m = true, l = true }

local random_specs = read "spec/random_spec.lua" .. read "spec/create_spec.lua"

-- Calls visit(sample, tensor) for every tensor of the row's samples.
local function each_tensor(row, visit)
  for _, s in ipairs(samples.of(row)) do
    for _, t in ipairs(s.tensors) do visit(s, t.value) end
  end
end

local function takes_tensors(row)
  local found = false
  each_tensor(row, function() found = true end)
  return found
end

-- Which layouts of views_spec apply to some tensor of some declared sample.
local function layouts_of(row)
  local found, rigid, dims = {}, true, 0
  each_tensor(row, function(s, t)
    if not s.declared then return end
    dims = math.max(dims, #t.shape)
    rigid = rigid and RIGID[t.kind] == true
    for _, layout in ipairs(layouts.layouts) do
      if not (layout.changes and RIGID[t.kind]) then
        local _, view = layout.make(tensors.make(t))
        if view ~= nil then found[layout.name] = true end
      end
    end
  end)
  return found, rigid, dims
end

-- Vectors are all that these take, so nothing is transposed.
local VECTORS = {}
for name in ("dot outer ger meshgrid bincount lu_permutation histc unique_consecutive vander "
  .. "cartesian_prod combinations"):gmatch "%S+" do
  VECTORS[name] = true
end

-- Ops that people call by another name.
local DRAWN_AS = { random_range = "random", bernoulli_fill = "bernoulli" }

describe("coverage of", function()
  for _, row in ipairs(rows.public()) do
    it(row.name, function()
      local list = samples.of(row)
      assert.is_true(#list > 0, "no sample")
      if row.random then
        local called = "%f[%w_]" .. (DRAWN_AS[row.name] or row.name) .. "_?%f[^%w_]"
        assert.is_truthy(random_specs:find(called), "no spec draws from it")
        return
      end
      if row.torch == false then
        assert.is_function(row.reference, "neither PyTorch nor a formula to compare with")
      else
        for _, s in ipairs(list) do rows.golden(s) end
      end
      if not takes_tensors(row) or row.name == "as_strided" then return end

      local found, rigid, dims = layouts_of(row)
      assert.is_true(found.offset and found.strided, "no strided or offset input")
      assert.is_true(rigid or found.expanded or dims == 0, "no expanded input")
      assert.is_true(found.transposed or VECTORS[row.name] == true, "no transposed input")

      -- sizes = false: the row says why it takes no empty tensors, or none without dims
      local empty, scalar, matrix, float = row.sizes == false, row.sizes == false, false, false
      each_tensor(row, function(_, t)
        empty = empty or samples.numel(t.shape) == 0
        scalar = scalar or #t.shape == 0
        matrix = matrix or RIGID[t.kind] and t.kind ~= "n"
        float = float or tensors.is_float(t)
      end)
      assert.is_true(empty or matrix, "no empty input")
      assert.is_true(scalar or matrix, "no input without dims")
      if float and row.torch ~= false then
        local typed = rows.typed(list)
        local golden = typed and rows.golden(typed) or {}
        for _, dtype in ipairs(DTYPES) do
          assert.is_truthy(golden[dtype], "nothing to compare " .. dtype .. " with")
        end
      end
    end)
  end
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
