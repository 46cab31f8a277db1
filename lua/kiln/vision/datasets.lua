--- MNIST and FashionMNIST from gzipped IDX files, as Debian's dataset-fashion-mnist installs them.
-- Nothing is downloaded.
local ffi = require "ffi"
local kiln = require "kiln"
local C = require("kiln.ffi").C
local Dataset = require("kiln.utils.data.dataset").Dataset
local args = require "kiln.utils.args"
local zlib = require "kiln.utils.zlib"
local raise = require("kiln.check").raise

local M = {}

local UNSIGNED_BYTE = 8

--- Reads a gzipped IDX file of bytes.  Raises an error that names the file and what is wrong with it.
---@param owner string for the message
---@param path string
---@param ndim integer how many dims it must have
---@param advice string what to do when it is not there
---@return kiln.Tensor uint8
local function read_idx(owner, path, ndim, advice)
  local file, why = zlib.open(path)
  if not file then raise(owner, "cannot read %s: %s%s", path, why, advice) end
  local function fail(reason, ...)
    file:close()
    raise(owner, "%s: " .. reason, path, ...)
  end
  local head = ffi.new("uint8_t[?]", 4 + 4 * ndim)
  local ok
  ok, why = file:read(head, 4 + 4 * ndim)
  if not ok then fail("%s", why) end
  if head[0] ~= 0 or head[1] ~= 0 or head[2] ~= UNSIGNED_BYTE or head[3] ~= ndim then
    fail("it is not an IDX file of bytes with %d dims (it starts %02x %02x %02x %02x)", ndim, head[0],
      head[1],
      head[2], head[3])
  end
  local shape, bytes = {}, 1
  for d = 1, ndim do
    local at = 4 * d
    shape[d] = ((head[at] * 256 + head[at + 1]) * 256 + head[at + 2]) * 256 + head[at + 3]
    bytes = bytes * shape[d]
  end
  if bytes > 2 ^ 32 then
    fail("it claims %d dims of %s, more than a data set of images has", ndim, table.concat(shape, "x"))
  end
  local data = kiln.empty(shape, { dtype = kiln.uint8, device = "cpu" })
  ok, why = file:read_rest(C.kiln_tensor_data(data.p), bytes)
  if not ok then fail("%s (its header says %s)", why, table.concat(shape, "x")) end
  file:close()
  return data:to(kiln.get_default_device())
end

-- A data set of four IDX files; `how` one comes by them.
local function idx_dataset(name, default_root, how, classes)
  ---@class kiln.vision.datasets.Idx: kiln.utils.data.Dataset
  ---@field data kiln.Tensor uint8 [n, 28, 28]
  ---@field targets kiln.Tensor int64 [n], classes from 1
  ---@field classes string[]
  local Set = Dataset:extend(name)
  local parse = args.define(name, "root: string?, train: bool = true, transform: function?, "
    .. "target_transform: function?")
  Set.classes = classes

  function Set:init(...)
    local a = parse(...)
    local root, part = a.root or default_root, a.train and "train" or "t10k"
    local advice = a.root and "" or "; " .. how
    self.data = read_idx(name, ("%s/%s-images-idx3-ubyte.gz"):format(root, part), 3, advice)
    local labels_path = ("%s/%s-labels-idx1-ubyte.gz"):format(root, part)
    local labels = read_idx(name, labels_path, 1, advice)
    if labels:size(1) ~= self.data:size(1) then
      raise(name, "%s: it has %d labels for %d images", labels_path, labels:size(1), self.data:size(1))
    end
    local most = labels:max():item()
    if most >= #classes then raise(name, "%s: label %d is not in 0..%d", labels_path, most, #classes - 1) end
    self.targets = labels:to(kiln.int64):add_(1)
    self.transform, self.target_transform = a.transform, a.target_transform
  end

  function Set:len() return self.data:size(1) end

  local function scale(images) return images:to(kiln.float32):div_(255) end

  --- The i-th image, [1, 28, 28] float32 in 0..1 (or what `transform` makes of it), and its class.
  function Set:get(i)
    i = self:position(i)
    local image, class = scale(self.data:narrow(1, i, 1)), self.targets[i]:item()
    if self.transform then image = self.transform(image) end
    if self.target_transform then class = self.target_transform(class) end
    return image, class
  end

  function Set:__index(key)
    if key == "get_batch" and (rawget(self, "transform") or rawget(self, "target_transform")) then
      return nil
    end
    return Dataset.__index(self, key)
  end

  --- Images [b, 1, 28, 28] in 0..1 and classes [b] at some positions.
  function Set:get_batch(positions)
    return scale(self.data:index_select(1, positions):unsqueeze(2)), self.targets:index_select(1, positions)
  end
  return Set
end

M.FashionMNIST = idx_dataset("FashionMNIST", "/usr/share/datasets/fashion-mnist",
  "apt-get install dataset-fashion-mnist", {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
  })
M.MNIST = idx_dataset("MNIST", "/usr/share/datasets/mnist", "MNIST(root) names the folder of its four files",
  { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" })

return require("kiln.namespace").of("kiln.vision.datasets", M)
