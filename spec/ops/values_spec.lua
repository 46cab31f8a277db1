--- Every op against PyTorch: outputs, in float64 and in the other dtypes.
local kiln = require "kiln"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local TOLERANCE = { float64 = 1e-10, float32 = 1e-5, float16 = 4e-3, bfloat16 = 3e-2 }
local INTEGERS = { "int8", "uint8", "int16", "int32", "int64", "bool" }

local function tolerance(row, dtype)
  if dtype == "float32" and row.tol then return math.max(row.tol, TOLERANCE.float32) end
  return TOLERANCE[dtype] or 0
end

-- What is wrong with the results of a call, given the texts of a golden file.
local function compare(results, texts, tol)
  for i, text in ipairs(texts) do
    local expected = tensors.golden(text)
    local why
    if expected then
      why = tensors.mismatch(results[i], expected, tol)
    elseif expected == nil and results[i] ~= nil then
      why = "is there, expected nil"
    end
    if why then return ("result %d: %s"):format(i, why) end
  end
  if results.n > #texts then return ("%d results, expected %d"):format(results.n, #texts) end
end

-- What these families compute is of floating numbers.
local FLOATING = { activation = true, conv = true, linalg = true, loss = true, norm = true,
  rnn = true, softmax = true, vision = true }

-- May the op refuse this dtype?  `types = "real"` is all numbers, but not bool; composites refuse what
-- the ops do that they are made of.
local function refuses(row, dtype)
  if FLOATING[row.family] or row.types == "float" then return true end
  if row.name == "max_unpool" then return true end -- as PyTorch's does; what it is compared with adds up
  return dtype == "bool" and (row.types == "real" or row.group == "composite" or row.family == "matmul")
end

-- One line in kiln's words, of this op or of one that a composite is made of.
local function is_documented(row, message)
  local name = row.writes and row.name .. "_" or row.name
  if type(message) ~= "string" or message:find "\n" then return false end
  return message:find("kiln: " .. name .. ": ", 1, true) ~= nil
    or row.group == "composite" and message:find("kiln: [%w_]+: ") ~= nil
end

local function check_float64(s, problems)
  local golden = rows.golden(s)
  local ok, results = pcall(tensors.results, s)
  local why
  if golden.error then
    -- Kiln may be more generous with sizes than PyTorch, but with nothing that a row names.
    if ok then why = s.declared and "gives a result where PyTorch raises" or nil
    elseif not is_documented(s.row, results) then why = "raised " .. tostring(results) end
  elseif not ok then
    why = "raised " .. tostring(results)
  else
    why = compare(results, golden.out, TOLERANCE.float64)
  end
  if why then problems[#problems + 1] = ("(%s): %s"):format(s.key, why) end
end

-- The other floating dtypes must agree with float64 on what is left of the inputs.
local function check_float(s, dtype, problems)
  local function narrow(t) return tensors.make(t, dtype) end
  local args, options = tensors.arguments(s, narrow)
  local ok, results = pcall(tensors.call, s.row, args, s.n, options)
  local wide, wide_options = tensors.arguments(s, function(t)
    local x = narrow(t)
    return tensors.is_float(t) and x:to "float64" or x
  end)
  local golden = rows.golden(s)
  local why
  if not ok then
    local expected = golden[dtype] == "error" and is_documented(s.row, results)
    why = not expected and "raised " .. tostring(results) or nil
  else
    local expected = tensors.call(s.row, wide, s.n, wide_options)
    for i = 1, expected.n do
      local dtypes = golden[dtype]
      if kiln.is_tensor(expected[i]) then
        local data = tensors.values(expected[i])
        why = why or tensors.mismatch(results[i], {
          shape = expected[i].shape, data = data,
          dtype = type(dtypes) == "table" and dtypes[i] ~= "any" and dtypes[i] or nil,
        }, expected[i].dtype.is_floating_point and tolerance(s.row, dtype) or 0,
          dtype ~= "float32" and tensors.largest(data) or nil)
      end
    end
  end
  if why then problems[#problems + 1] = ("%s (%s): %s"):format(dtype, s.key, why) end
end

-- Special values in single precision, whose kernels are other code.
local function check_special(s, problems)
  local golden = rows.golden(s).float32
  local ok, results = pcall(tensors.results, s, "float32")
  local why
  if not ok then
    why = not (golden == "error" and is_documented(s.row, results)) and "raised " .. tostring(results) or nil
  elseif golden ~= "error" then
    why = compare(results, golden, 10 * tolerance(s.row, "float32"))
  end
  if why then problems[#problems + 1] = ("float32 (%s): %s"):format(s.key, why) end
end

-- Integers and bool give what PyTorch gives, or the row says that it refuses them.
local function check_integer(s, dtype, problems)
  local golden = rows.golden(s)[dtype]
  local ok, results = pcall(tensors.results, s, dtype)
  local why
  if not ok then
    if not is_documented(s.row, results) then
      why = "raised " .. tostring(results)
    elseif golden ~= "error" and not refuses(s.row, dtype) then
      why = "raised where PyTorch has a result: " .. tostring(results)
    end
  elseif golden ~= "error" then
    why = compare(results, golden, TOLERANCE.float32)
  end
  if why then problems[#problems + 1] = ("%s (%s): %s"):format(dtype, s.key, why) end
end

describe("values", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public(rows.has_golden)) do
    it(row.name, function()
      local problems = {}
      local list = samples.of(row)
      assert.is_true(#list > 0, "no sample")
      for _, s in ipairs(list) do check_float64(s, problems) end
      local typed = rows.typed(list)
      if typed then
        for _, dtype in ipairs { "float32", "float16", "bfloat16" } do
          for _, s in ipairs(list) do
            if not rows.golden(s).error and not s.special then check_float(s, dtype, problems) end
          end
        end
        for _, s in ipairs(list) do
          if s.special and not rows.golden(s).error then check_special(s, problems) end
        end
        for _, dtype in ipairs(INTEGERS) do check_integer(typed, dtype, problems) end
      end
      rows.report(problems)
    end)
  end

  -- What PyTorch does not have is checked against a formula in the row.
  for _, row in ipairs(rows.public(function(row) return row.torch == false and not row.random end)) do
    it(row.name .. " (against a formula)", function()
      assert.is_function(row.reference, "torch = false needs a reference")
      local problems = {}
      for _, s in ipairs(samples.of(row)) do
        local args, options = tensors.arguments(s)
        local results = tensors.call(row, args, s.n, options)
        local expected = { row.reference(unpack(args, 1, s.n)) }
        for i = 1, #expected do
          local why = tensors.unequal(results[i], expected[i], TOLERANCE.float64)
          if why then problems[#problems + 1] = ("(%s): result %d: %s"):format(s.key, i, why) end
        end
      end
      rows.report(problems)
    end)
  end
end)
