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

  it("a fraction that computes with integers is refused, not dropped", function()
    local i, m = one "int64", kiln.ones({ 2, 2 }, { dtype = "int64" })
    local calls = {
      function() return i:add(i, 0.5) end, function() return i:sub(i, 1.5) end,
      function() return i:addcmul(i, i, 0.5) end, function() return i:addcmul_(i, i, 0 / 0) end,
      function() return m:addmm(m, m, 0.5) end, function() return m:addmm(m, m, 1, 2.5) end,
      function() return m[1]:addmv(m, m[1], 0.5) end, function() return m:addr(m[1], m[1], 1, 0.5) end,
      function() return i:index_add(1, i, i, 0.5) end, function() return i:threshold(0.5, 1) end,
      function() return i:hardtanh(-1, 2.5) end, function() return i:add(i, 1 / 0) end,
    }
    for k, call in ipairs(calls) do
      local ok, message = pcall(call)
      assert.is_false(ok, "call " .. k)
      assert.is_truthy(tostring(message):find "which int64 cannot hold", message)
    end
    assert.equal(3, i:add(i, 2):item())
    assert.equal(1.5, one("float32"):add(i, 0.5):item())
  end)

  it("a fraction that bounds integers makes them floating", function()
    local i = kiln.tensor({ 1, 2, 3 }, { dtype = "int64" })
    assert.same({ 1, 2, 2.5 }, i:clamp(0.5, 2.5):tolist())
    assert.equal(kiln.int64, i:clamp(2).dtype)
    assert.equal(kiln.int64, i:clamp(nil, 2).dtype)
    assert.same({ 1, 2, 2 }, i:clamp({ max = kiln.tensor(2, { dtype = "int64" }) }):tolist())
    assert.same({ 2, 2, 3 }, i:clone():clamp_(kiln.full({ 3 }, 2, { dtype = "int64" })):tolist())
    for _, write in ipairs { function() i:clamp_(0.5) end, function() i:clamp_(kiln.tensor(0.5)) end } do
      local ok, message = pcall(write)
      assert.is_false(ok)
      assert.is_truthy(tostring(message):find "a float32 result cannot be stored in place in int64", message)
    end
    assert.same({ 1, 2, 3 }, i:tolist())
  end)

  it("true division of integers is floating", function()
    for _, a in ipairs(DTYPES) do
      local expected = kiln[a].is_floating_point and a or "float32"
      assert.equal(expected, (one(a) / one(a)).dtype.name, a)
    end
    assert.equal(0.5, (kiln.ones({ 1 }, { dtype = "int32" }) / 2):item())
  end)
end)
