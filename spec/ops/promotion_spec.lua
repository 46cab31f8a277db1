--- What dtypes become when they meet: every pair, tensors with and without dims, and Lua numbers, as in
-- PyTorch; and what may be written in place.
local kiln = require "kiln"
local rows = require "spec.support.rows"

local golden = dofile "spec/golden/promotion.lua"
local DTYPES = { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64",
  "bool" }

local function one(dtype) return kiln.ones({ 1 }, { dtype = dtype }) end
local function scalar(dtype) return kiln.ones({}, { dtype = dtype }) end

describe("promotion", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, a in ipairs(DTYPES) do
    it("of " .. a, function()
      for _, b in ipairs(DTYPES) do
        local found = {
          (one(a) + one(b)).dtype.name, (one(a) + scalar(b)).dtype.name, (scalar(a) + one(b)).dtype.name,
        }
        assert.same(golden[a][b], found, a .. " and " .. b)
        assert.equal(2, (one(a):to "float64" + one(b):to "float64"):item())
      end
      assert.same(golden[a].numbers, {
        (one(a) + 2).dtype.name, (one(a) + 0.5).dtype.name, (scalar(a) + 2).dtype.name,
        (scalar(a) + 0.5).dtype.name,
      })
    end)

    it("in place, into " .. a, function()
      for _, b in ipairs(DTYPES) do
        local x = one(a)
        local ok, message = pcall(function() return x:add_(one(b)) end)
        local result = kiln[golden[a][b][1]]
        local may = result == x.dtype or (x.dtype.is_floating_point or not result.is_floating_point)
          and (a ~= "bool")
        assert.equal(may, ok, a .. " += " .. b .. (ok and "" or ": " .. tostring(message)))
        if not ok then
          assert.is_truthy(tostring(message):find "kiln: add_?: ", message)
          assert.equal(1, x:to("float64"):item())
        end
        assert.equal(a, x.dtype.name)
      end
    end)
  end

  it("true division of integers is floating", function()
    for _, a in ipairs(DTYPES) do
      local expected = kiln[a].is_floating_point and a or "float32"
      assert.equal(expected, (one(a) / one(a)).dtype.name, a)
    end
    assert.equal(0.5, (kiln.ones({ 1 }, { dtype = "int32" }) / 2):item())
  end)
end)
