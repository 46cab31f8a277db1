-- FashionMNIST and MNIST: what is read from IDX files, and what is said of files that are wrong.
local kiln = require "kiln"
local datasets = kiln.vision.datasets
local support = require "spec.support"
local raises = support.raises

local folder

local function write(name, bytes)
  local f = assert(io.open(folder .. "/" .. name, "wb"))
  f:write(bytes)
  f:close()
end

local function gzip(name) assert(os.execute(("gzip -nf '%s/%s'"):format(folder, name)) == 0) end

local function big_endian(...)
  local parts = {}
  for i, v in ipairs { ... } do
    parts[i] = string.char(math.floor(v / 2 ^ 24) % 256, math.floor(v / 2 ^ 16) % 256,
      math.floor(v / 256) % 256, v % 256)
  end
  return table.concat(parts)
end

local IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"

-- Two images of 2 x 3 pixels, and their labels.
local function write_pair(images, labels)
  write(IMAGES, images or big_endian(0x803, 2, 2, 3) .. string.char(0, 51, 102, 153, 204, 255, 1, 2, 3, 4,
    5, 6))
  write(LABELS, labels or big_endian(0x801, 2) .. string.char(9, 0))
  gzip(IMAGES)
  gzip(LABELS)
end

describe("IDX data sets", function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir '" .. folder .. "'") == 0)
  end)
  after_each(function() os.execute("rm -r '" .. folder .. "'") end)

  it("are read as bytes and classes from 1", function()
    write_pair()
    local set = datasets.FashionMNIST(folder)
    assert.equals(2, set:len())
    assert.equals("[2, 2, 3]", tostring(set.data.shape))
    assert.equals(kiln.uint8, set.data.dtype)
    assert.same({ 10, 1 }, set.targets:tolist())
    local image, class = set:get(1)
    support.near({ { { 0, 0.2, 0.4 }, { 0.6, 0.8, 1 } } }, image)
    assert.equals(10, class)
    local x, y = set:get_batch(kiln.tensor({ 2, 1 }, { dtype = kiln.int64 }))
    assert.equals("[2, 1, 2, 3]", tostring(x.shape))
    assert.same({ 1, 10 }, y:tolist())
    assert.equals("Ankle boot", set.classes[10])
  end)

  it("go through a transform", function()
    write_pair()
    local set = datasets.MNIST(folder, { transform = function(x) return x * 2 end })
    local loader = kiln.utils.data.DataLoader(set, { batch_size = 2 })
    for x in loader:iter() do assert.near(2, x:max():item(), 1e-6) end
  end)

  it("name the file that is missing, foreign, truncated, damaged or too long", function()
    raises({ "FashionMNIST", folder .. "/" .. IMAGES .. ".gz", "No such file" }, datasets.FashionMNIST,
      folder)
    write(IMAGES .. ".gz", "<html>not here</html>")
    raises({ "MNIST: cannot read ", "MNIST(root) names the folder" }, datasets.MNIST)
    raises({ IMAGES .. ".gz", "not a gzip file" }, datasets.FashionMNIST, folder)
    write_pair("hello, hello, hello, hello")
    raises({ IMAGES .. ".gz", "not an IDX file", "68 65 6c 6c" }, datasets.FashionMNIST, folder)
    write_pair(big_endian(0x803, 2, 2, 3) .. "short")
    raises({ IMAGES .. ".gz", "truncated", "7 of 12 bytes" }, datasets.FashionMNIST, folder)
    write_pair(big_endian(0x803, 1, 2, 3) .. ("x"):rep(7))
    raises({ IMAGES .. ".gz", "more in it (its header says 1x2x3)" }, datasets.FashionMNIST, folder)
    write_pair(nil, big_endian(0x801, 3) .. string.char(1, 2, 3))
    raises({ LABELS .. ".gz", "3 labels for 2 images" }, datasets.FashionMNIST, folder)
    write_pair(nil, big_endian(0x801, 2) .. string.char(1, 10))
    raises({ LABELS .. ".gz", "label 10", "0..9" }, datasets.FashionMNIST, folder)
    write_pair(big_endian(0x803, 60000, 60000, 60000))
    raises({ IMAGES .. ".gz", "60000x60000x60000" }, datasets.FashionMNIST, folder)
    write_pair()
    local bytes = require "spec.support.read"(folder .. "/" .. IMAGES .. ".gz")
    write(IMAGES .. ".gz", bytes:sub(1, 25))
    raises({ IMAGES .. ".gz" }, datasets.FashionMNIST, folder)
    for cut = 1, 8 do -- of the checksum
      write(IMAGES .. ".gz", bytes:sub(1, -cut - 1))
      raises({ IMAGES .. ".gz", "cut short" }, datasets.FashionMNIST, folder)
    end
    write(IMAGES .. ".gz", bytes:sub(1, 20) .. "\255\255\255\255" .. bytes:sub(25))
    raises({ IMAGES .. ".gz" }, datasets.FashionMNIST, folder)
  end)

  it("are what Debian installs", function()
    local test = datasets.FashionMNIST { train = false }
    assert.equals(10000, test:len())
    assert.equals("[10000, 28, 28]", tostring(test.data.shape))
    local counts = {}
    for _, class in ipairs(test.targets:tolist()) do counts[class] = (counts[class] or 0) + 1 end
    for class = 1, 10 do assert.equals(1000, counts[class]) end
    assert.equals("Ankle boot", test.classes[test.targets[1]:item()])
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
