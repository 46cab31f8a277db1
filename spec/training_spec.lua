-- The examples that train on clothes, as a person runs them, on the first images of the real files: the
-- same seed ends in the same weights to the bit with 1 thread and with 2, and memory stays flat.
local read = require "spec.support.read"
local CLOTHES = "/usr/share/datasets/fashion-mnist" -- where the package dataset-fashion-mnist puts them
local folder

local function sh(command)
  local pipe = assert(io.popen("(" .. command .. ") 2>&1; echo \"status $?\""))
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*)status (%d+)\n$"
  assert(status == "0", output)
  return output
end

local function big_endian(n)
  return string.char(math.floor(n / 2 ^ 24) % 256, math.floor(n / 2 ^ 16) % 256, math.floor(n / 256) % 256,
    n % 256)
end

-- The first n items of an IDX file: its header with another count, and the bytes that belong to them.
local function shorten(name, n, item)
  local bytes = sh(("gzip -dc %s/%s.gz | head -c %d"):format(CLOTHES, name, 16 + n * item))
  local header = item == 1 and 8 or 16
  local f = assert(io.open(folder .. "/" .. name, "wb"))
  f:write(bytes:sub(1, 4), big_endian(n), bytes:sub(9, header), bytes:sub(header + 1, header + n * item))
  f:close()
  sh(("gzip -nf '%s/%s'"):format(folder, name))
end

local function run(example, options)
  return sh(("luajit examples/%s.lua --data %s %s"):format(example, folder, options))
end

describe("training on clothes", function()
  setup(function()
    folder = sh("mktemp -d"):match "%S+"
    for name, n in pairs { train = 2000, t10k = 500 } do
      shorten(name .. "-images-idx3-ubyte", n, 28 * 28)
      shorten(name .. "-labels-idx1-ubyte", n, 1)
    end
  end)
  teardown(function() sh("rm -r " .. folder) end)

  it("ends in the same losses with 1 thread and with 2", function()
    local function losses(threads)
      local text = run("02_fashion_mlp", "--epochs 2 --threads " .. threads)
      local list = {}
      for loss in text:gmatch "loss (%d%.%d%d%d%d%d%d)" do list[#list + 1] = tonumber(loss) end
      assert.equal(2, #list, text)
      return list
    end
    local one = losses(1)
    assert.same(one, losses(2))
    assert.is_true(one[2] < one[1])
  end)

  it("ends in the same weights to the bit with 1 thread and with 2, not with another seed", function()
    local function weights(name, options)
      run("03_fashion_cnn", ("--epochs 1 --save %s/%s.safetensors %s"):format(folder, name, options))
      return read(("%s/%s.safetensors"):format(folder, name))
    end
    local one = weights("one", "--threads 1")
    assert.is_true(one == weights("two", "--threads 2"))
    assert.is_false(one == weights("other", "--threads 2 --seed 2"))
  end)

  -- On all 60,000 images the first epoch's peak is within 1 % of the third's.  Few images make few
  -- collections, whose moments move the peak by some 20 %; a graph that leaks would double it.
  it("holds hardly more memory in its third epoch than in its first", function()
    local peaks = {}
    local command = "luajit spec/support/peaks.lua examples/03_fashion_cnn.lua --epochs 3 --batch 20 --data "
    local text = sh(command .. folder)
    for kilobytes in text:gmatch "peak (%d+) kB" do peaks[#peaks + 1] = tonumber(kilobytes) end
    assert.equal(3, #peaks, text)
    assert.is_true(peaks[3] <= peaks[1] * 1.3, text)
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
