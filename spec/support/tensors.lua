--- From samples and golden text to kiln tensors and back, and comparing them.
-- It refuses to decide what should come out: specs do.
local ffi = require "ffi"
local kiln = require "kiln"
local canonical = require "spec.support.canonical"
local device = require "spec.support.device"
local samples = require "spec.support.samples"

local M = {}

-- -- Making ------------------------------------------------------------------------------------

local FLOAT = { f = true, u = true, p = true, s = true, m = true, l = true, x = true }

--- A kiln tensor of a flat list of numbers.
---@return kiln.Tensor
function M.of(data, shape, dtype)
  local n = samples.numel(shape)
  local flat = kiln.empty({ n }, { dtype = "float64", device = "cpu" })
  local p = flat:data_ptr()
  for i = 1, n do p[i - 1] = data[i] end
  local x = kiln.empty(shape, { dtype = dtype or "float64" })
  if n > 0 then x:copy_(flat:view(shape)) end
  return x
end

--- The tensor of a sample; floats have `dtype` (float64 when left out).
---@return kiln.Tensor
function M.make(t, dtype)
  if t.kind == "b" then return M.of(t.data, t.shape, "bool") end
  if not FLOAT[t.kind] then return M.of(t.data, t.shape, "int64") end
  dtype = dtype or "float64"
  return M.of(samples.converted(t.data, dtype), t.shape, dtype)
end

--- Is this tensor of a sample floating, so that it has a gradient?
function M.is_float(t) return FLOAT[t.kind] == true end

--- The arguments and options of a sample.  make(t, k): the tensor for the k-th of s.tensors (in
--- float64, without it).
function M.arguments(s, make)
  make = make or function(t) return M.make(t) end
  local args, options = {}, nil
  for i = 1, s.n do args[i] = s.args[i] end
  if s.options then
    options = {}
    for k, v in pairs(s.options) do options[k] = v end
  end
  for k, t in ipairs(s.tensors) do
    local holder = type(t.at) == "number" and args or options
    if t.item then
      if t.item == 1 then holder[t.at] = {} end
      holder = holder[t.at]
    end
    holder[t.item or t.at] = make(t.value, k)
  end
  return args, options
end

-- -- Calling -----------------------------------------------------------------------------------

--- Makes definite what mathematics leaves open in the results of an op.
function M.canonical(row, results)
  if canonical[row.name] then canonical[row.name](results) end
  return results
end

--- Calls the op of a row (in place on a copy, where there is no other form).  Returns its results as
--- a list with their number `n`.
function M.call(row, args, n, options)
  local f = not row.writes and kiln[row.name]
  if row.writes then
    local method = kiln.Tensor[row.name .. "_"]
    f = function(x, ...) return method(x:clone(), ...) end
  end
  local list = { unpack(args, 1, n) }
  if options then
    n = n + 1
    list[n] = options
  end
  local function pack(...) return { n = select("#", ...), ... } end
  local results = M.canonical(row, pack(f(unpack(list, 1, n))))
  device.settle()
  return results
end

--- The results of a sample in float64, or in another dtype.
function M.results(s, dtype)
  local args, options = M.arguments(s, function(t) return M.make(t, dtype) end)
  return M.call(s.row, args, s.n, options)
end

-- -- Reading -----------------------------------------------------------------------------------

--- The elements of a tensor as a flat list of numbers, row by row.
---@return number[]
function M.values(x)
  if x:numel() == 0 then return {} end
  return x:detach():to("float64"):contiguous():view({ -1 }):tolist()
end

--- What `[3,4] float64 0.5 ...` of a golden file says: { shape, dtype, data }; nil for "none", false for
--- "any".
function M.golden(text)
  if text == "none" then return nil end
  if text == "any" then return false end
  local size, dtype, rest = text:match "^%[([%d,]*)%] (%w+)(.*)$"
  local g = { shape = {}, dtype = dtype, data = {} }
  for n in size:gmatch "%d+" do g.shape[#g.shape + 1] = tonumber(n) end
  for word in rest:gmatch "%S+" do g.data[#g.data + 1] = tonumber(word) end
  return g
end

-- -- Comparing ---------------------------------------------------------------------------------

--- Bytes of memory that a spec compares bit by bit.
function M.bits(x)
  x = x:detach():cpu():contiguous()
  if x:numel() == 0 then return "" end
  return ffi.string(ffi.cast("const char *", x:data_ptr()), x:numel() * x:element_size())
end

local function shape_text(shape) return "[" .. table.concat(shape, ",") .. "]" end

--- The largest finite magnitude in a list.
function M.largest(list)
  local largest = 0
  for i = 1, #list do
    local e = math.abs(list[i])
    if e > largest and e < 1 / 0 then largest = e end
  end
  return largest
end

--- Where a list of numbers is not another one, in words, or nil.  Each may be off by `tol` of its
--- size, or of a hundredth of the largest number there, or of `least`; NaN equals NaN.
function M.difference(actual, expected, tol, least)
  if #actual ~= #expected then return ("%d elements, expected %d"):format(#actual, #expected) end
  local largest = math.max((least or 0) * 100, M.largest(expected))
  for i = 1, #expected do
    local a, e = actual[i], expected[i]
    local same = a == e or (a ~= a and e ~= e)
    if not same then
      local bound = tol * math.max(math.abs(e), largest / 100)
      local near = math.abs(a - e) <= bound -- false for NaN
      if not near or e - e ~= 0 then
        return ("element %d is %.17g, expected %.17g"):format(i, a, e)
      end
    end
  end
end

--- The same for a tensor against { shape, dtype?, data }.
function M.mismatch(x, expected, tol, least)
  if type(x) == "boolean" then x = kiln.tensor(x) end
  if not kiln.is_tensor(x) then return "is " .. tostring(x) .. ", not a tensor" end
  local shape = shape_text(x.shape)
  if shape ~= shape_text(expected.shape) then
    return ("shape %s, expected %s"):format(shape, shape_text(expected.shape))
  end
  if expected.dtype and x.dtype.name ~= expected.dtype then
    return ("dtype %s, expected %s"):format(x.dtype.name, expected.dtype)
  end
  return M.difference(M.values(x), expected.data, tol, least)
end

--- Is v a result that can be differentiated?  Some results require grad only to refuse it, in words.
function M.has_gradient(v)
  return kiln.is_tensor(v) and v.requires_grad and not (v.grad_fn and v.grad_fn:name() == "refusal")
end

--- mismatch for two tensors, dtype included.
function M.unequal(x, y, tol, least)
  return M.mismatch(x, { shape = y.shape, dtype = y.dtype.name, data = M.values(y) }, tol, least)
end

return M
