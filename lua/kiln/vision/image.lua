--- Images as files: grids of tensors written as PNG.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local png = require "kiln.utils.png"
local check = require "kiln.check"
local sink = require "kiln.serialization.sink"

local raise = check.raise
local M = {}

local parse_grid = args.define("make_grid", "images: tensor, nrow: count = 8, padding: int = 2, "
  .. "pad_value: number = 0")

--- Images [n, c, h, w] side by side, nrow to a row: [c, height, width].
function M.make_grid(...)
  local a = parse_grid(...)
  local x = a.images:detach()
  if x:dim() == 3 then x = x:unsqueeze(2) end
  if x:dim() ~= 4 or x:size(1) == 0 then
    raise("make_grid", "images must be [n, c, h, w] or [n, h, w] with n > 0, not %s", tostring(x.shape))
  end
  if a.padding < 0 then raise("make_grid", "padding must not be negative, got %d", a.padding) end
  local n, c, h, w = x:size(1), x:size(2), x:size(3), x:size(4)
  local columns = math.min(a.nrow, n)
  local rows, pad = math.ceil(n / columns), a.padding
  local shape = { c, rows * (h + pad) + pad, columns * (w + pad) + pad }
  check.room("make_grid", "padding", shape, x)
  local grid = kiln.full(shape, a.pad_value, { dtype = x.dtype, device = x.device })
  for i = 0, n - 1 do
    local top, left = math.floor(i / columns) * (h + pad) + pad, i % columns * (w + pad) + pad
    grid:narrow(2, top + 1, h):narrow(3, left + 1, w):copy_(x:select(1, i + 1))
  end
  return grid
end

local parse_save = args.define("save_image", "image: tensor, path: string, nrow: count = 8, "
  .. "padding: int = 2, pad_value: number = 0")

--- Writes an image, [h, w], [c, h, w] (c: 1 gray, 3 red green blue) or a batch [n, c, h, w] as a grid, to
-- a file whose name ends in .png.
-- Floating values are 0 (black) to 1; uint8 is written as it is.
function M.save_image(...)
  local a = parse_save(...)
  local is_png = a.path:lower():find "%.png$"
  if not is_png then raise("save_image", "a name must end in .png, '%s' does not", a.path) end
  local x = a.image:detach():cpu()
  if x:dim() == 4 then x = M.make_grid(x, { nrow = a.nrow, padding = a.padding, pad_value = a.pad_value }) end
  if x:dim() == 2 then x = x:unsqueeze(1) end
  local c = x:dim() == 3 and x:size(1)
  if c ~= 1 and c ~= 3 then
    raise("save_image", "the image must have 1 or 3 channels, its shape is %s", tostring(a.image.shape))
  end
  sink.write("save_image", a.path, { png.encode_tensor(x) })
end

return M
