--- What runs on the CPU runs on the device: a kernel for every row of the op table and dtype that the CPU has
-- one for, or an error that says there is none.
local kiln = require "spec.support.emulator"
local C = require("kiln.ffi").C
local ops = require "kiln.ops"

local DTYPES = { "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64",
  "bool" }

-- Sums of integers are computed in int64, so no other integer reaches a kernel.
local function is_reached(row, dtype)
  return row.dtype ~= "sum" or dtype == "int64" or dtype:find "float"
end

-- Rows without a kernel for CUDA.  It only gets shorter.
local MISSING = {}

describe("on CUDA", function()
  it("every row has the kernels that the CPU has", function()
    assert.is_true(kiln.cuda.is_available(), kiln.cuda.why())
    local lacking, checked = {}, 0
    for _, row in ipairs(ops.rows) do
      for code, dtype in ipairs(DTYPES) do
        if is_reached(row, dtype) and C.kiln_has_kernel(row.name, code - 1, 0) then
          checked = checked + 1
          if C.kiln_has_kernel(row.name, code - 1, 1) == (MISSING[row.name] ~= nil) then
            lacking[#lacking + 1] = row.name .. " " .. dtype
          end
        end
      end
    end
    assert.is_true(checked > 1000)
    assert.equal("", table.concat(lacking, ", "))
  end)

  it("a dtype without a kernel is refused in words", function()
    local x = kiln.ones({ 2, 2 }, { dtype = "bool", device = "cuda" })
    local ok, message = pcall(function() return x:matmul(x) end)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find "kiln: %w+: .* bool", message)
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
