--- Printing: the texts are the reference's, with kiln's spelling of dtypes and booleans.
local kiln = require "kiln"
local device = require "spec.support.device"
local support = require "spec.support"

local inf, nan = math.huge, 0 / 0
local int64 = { dtype = kiln.int64 }

local function prints(text, x) assert.equals(text, device.text(x)) end

describe("printing", function()
  after_each(function() kiln.set_printoptions { profile = "default" } end)

  it("aligns numbers", function()
    prints("tensor([ 1.0000,  2.5000, -3.2500])", kiln.tensor { 1, 2.5, -3.25 })
    prints("tensor([1., 2., 3.])", kiln.tensor { 1, 2, 3 })
    prints("tensor([0., 0., 0.])", kiln.zeros(3))
    prints("tensor([0.0000, 0.0010, 1.0000])", kiln.tensor { 0, 1e-3, 1 })
    prints("tensor([[ -1, 100],\n        [ 20,   3]])", kiln.tensor({ { -1, 100 }, { 20, 3 } }, int64))
    prints("tensor(3.5000)", kiln.tensor(3.5))
    prints("tensor(7)", kiln.tensor(7, int64))
    prints("tensor([ true, false])", kiln.tensor { true, false })
  end)

  it("uses powers of ten where magnitudes differ", function()
    prints("tensor([[1.0000e-05, 1.0000e+00],\n        [1.0000e+03, 2.0000e+00]])",
      kiln.tensor { { 1e-5, 1 }, { 1000, 2 } })
    prints("tensor([1.0000e+10, 1.0000e+00])", kiln.tensor { 1e10, 1 })
    prints("tensor([1.2346e+05, 1.5000e+00])", kiln.tensor { 123456, 1.5 })
    prints("tensor([1.0000e-30])", kiln.tensor { 1e-30 })
  end)

  it("shows nan and inf", function()
    prints("tensor([    nan,     inf, -1.5000])", kiln.tensor { nan, inf, -1.5 })
    prints("tensor([nan, inf, -inf])", kiln.tensor { nan, inf, -inf })
    prints("tensor([nan, 2., -inf])", kiln.tensor { nan, 2, -inf })
  end)

  it("nests brackets and breaks lines", function()
    prints([=[
tensor([[[ 0,  1,  2,  3],
         [ 4,  5,  6,  7],
         [ 8,  9, 10, 11]],

        [[12, 13, 14, 15],
         [16, 17, 18, 19],
         [20, 21, 22, 23]]])]=], kiln.arange(24, int64):view(2, 3, 4))
    prints([=[
tensor([0.0000, 0.1429, 0.2857, 0.4286, 0.5714, 0.7143, 0.8571, 1.0000, 1.1429,
        1.2857])]=], kiln.arange(10) / 7)
  end)

  it("summarises large tensors at their edges", function()
    prints([=[
tensor([0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 1.9970e+03, 1.9980e+03,
        1.9990e+03])]=], kiln.arange(2000))
    prints([=[
tensor([[   0,    1,    2,  ...,   37,   38,   39],
        [  40,   41,   42,  ...,   77,   78,   79],
        [  80,   81,   82,  ...,  117,  118,  119],
        ...,
        [1880, 1881, 1882,  ..., 1917, 1918, 1919],
        [1920, 1921, 1922,  ..., 1957, 1958, 1959],
        [1960, 1961, 1962,  ..., 1997, 1998, 1999]])]=], kiln.arange(2000, int64):view(50, 40))
  end)

  it("reads through strides", function()
    local x = kiln.arange(6, int64):view(2, 3)
    prints("tensor([[0, 3],\n        [1, 4],\n        [2, 5]])", x:transpose(1, 2))
    prints("tensor([4, 4, 4])", x[2][2]:expand(3))
  end)

  it("names what is not the usual", function()
    prints("tensor([])", kiln.zeros(0))
    prints("tensor([], size=[2, 0])", kiln.zeros(2, 0))
    prints("tensor([], size=[0, 3], dtype=kiln.int64)", kiln.zeros(0, 3, int64))
    prints("tensor(2., dtype=kiln.float64)", kiln.tensor(2, { dtype = "float64" }))
    prints("tensor([1, 1], dtype=kiln.int8)", kiln.ones(2, { dtype = "int8" }))
    prints("tensor([1., 1.], dtype=kiln.float16)", kiln.ones(2, { dtype = "float16" }))
    local w = kiln.ones(2, { requires_grad = true })
    prints("tensor([1., 1.], requires_grad=true)", w)
    prints("tensor([2., 2.], grad_fn=<mul>)", w * 2)
    prints("tensor([1., 1.], volatile=true)", kiln.Variable(kiln.ones(2), { volatile = true }))
    assert.equals("[2, 3]", tostring(kiln.ones(2, 3).shape))
    assert.equals("kiln.float32", tostring(kiln.float32))
  end)

  it("follows set_printoptions", function()
    kiln.set_printoptions { precision = 2 }
    prints("tensor([0.33])", kiln.tensor { 1 / 3 })
    kiln.set_printoptions { sci_mode = true }
    prints("tensor([3.33e-01])", kiln.tensor { 1 / 3 })
    kiln.set_printoptions { profile = "default", threshold = 4, edgeitems = 1 }
    prints("tensor([0,  ..., 5])", kiln.arange(6, int64))
    kiln.set_printoptions { profile = "full" }
    kiln.set_printoptions { linewidth = 20 }
    prints("tensor([1., 2., 3.,\n        4.])", kiln.tensor { 1, 2, 3, 4 })
    support.raises({ "set_printoptions", "unknown option 'digits'" }, kiln.set_printoptions, { digits = 2 })
    support.raises({ "set_printoptions", "precision", "'a'" }, kiln.set_printoptions, { precision = "a" })
    support.raises({ "set_printoptions", "profile" }, kiln.set_printoptions, { profile = "long" })
  end)
end)

-- What PyTorch prints of many kinds of tensors, in kiln's spelling (spec/golden/printing.py).
describe("printing as PyTorch does", function()
  after_each(function() kiln.set_printoptions { profile = "default" } end)

  local NUMBER = { ["true"] = 1, ["false"] = 0, nan = nan, inf = inf, ["-inf"] = -inf, ["-0.0"] = -1 / inf }

  local function tensor(case)
    local numbers = {}
    for word in case.data:gmatch "%S+" do numbers[#numbers + 1] = NUMBER[word] or tonumber(word) end
    local x = kiln.zeros(case.shape, { dtype = case.dtype })
    local flat = {}
    for i = 1, x:numel() do flat[i] = numbers[(i - 1) % #numbers + 1] end
    if #flat > 0 then x:copy_(kiln.tensor(flat, { dtype = "float64" }):view(case.shape)) end
    return x
  end

  local cases = dofile "spec/golden/printing.lua"
  it("holds for " .. #cases .. " tensors", function()
    local problems = {}
    for _, case in ipairs(cases) do
      kiln.set_printoptions { profile = "default" }
      kiln.set_printoptions(case.options)
      local text = tostring(tensor(case):cpu())
      if text ~= case.text then problems[#problems + 1] = text .. "\nexpected\n" .. case.text end
    end
    if #problems > 0 then error(table.concat(problems, "\n", 1, math.min(9, #problems)), 0) end
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
