--- Rearranging images: padding, pixel shuffles, sliding blocks.  Made of views and of selections along one
-- dim at a time, so gradients of any order follow.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise, got = check.raise, check.got
local M = {}

-- from, from + 1, ... to as positions where x lies.
local function positions(from, to, x)
  return kiln.arange(from, to + 1, { dtype = kiln.int64, device = x.device })
end

local function sizes_of(x) return { unpack(x:size()) } end

-- -- Padding -----------------------------------------------------------------------------------

-- Which element of 1..n stands at the places i of a dim that is padded by some other rule than a constant.
local RULE = {
  replicate = function(i, n) return i:clamp(1, n) end,
  circular = function(i, n) return (i - 1):remainder(n) + 1 end,
  reflect = function(i, n) return n - ((i - 1):abs() + 1 - n):abs() end,
}

local function check_room(mode, before, after, n, dim)
  local most = mode == "reflect" and n - 1 or mode == "circular" and n or math.huge
  if before > most or after > most then
    raise("pad", "%s padding %d of dim %d must be at most %d", mode, math.max(before, after), dim, most)
  end
end

local parse_pad = args.define("pad", "input: tensor, pad: table, "
  .. "mode: constant|reflect|replicate|circular = constant, value: number = 0")

--- Adds to the ends of dims, the last dim first: { left, right, top, bottom, ... }; negative numbers cut.
function M.pad(...)
  local a = parse_pad(...)
  local x, amounts = a.input, a.pad
  if #amounts % 2 == 1 or #amounts > 2 * x:dim() then
    raise("pad", "pad must be a list of at most %d numbers, two a dim, got %d", 2 * x:dim(), #amounts)
  end
  for i = 1, #amounts do check.int(amounts[i], "pad", ("pad[%d]"):format(i)) end
  local is_own = false -- what is cut only is a view
  for k = 1, #amounts / 2 do
    local dim, before, after = x:dim() - k + 1, amounts[2 * k - 1], amounts[2 * k]
    local n = x:size(dim)
    if n + before + after < 0 then
      raise("pad", "dim %d has %d elements and cannot lose %d", dim, n, -before - after)
    end
    if a.mode ~= "constant" then check_room(a.mode, before, after, n, dim) end
    if (before < 0 or after < 0) and (a.mode == "constant" or a.mode == "circular") then -- a smaller circle
      local first = math.max(-before, 0)
      n = n - first - math.max(-after, 0)
      x, before, after = x:narrow(dim, first + 1, n), math.max(before, 0), math.max(after, 0)
    end
    if a.mode ~= "constant" then
      if before ~= 0 or after ~= 0 then
        if n == 0 then raise("pad", "%s padding of dim %d has no elements to repeat", a.mode, dim) end
        local shape = sizes_of(x)
        shape[dim] = n + before + after
        check.room("pad", ("pad[%d]"):format(before > after and 2 * k - 1 or 2 * k), shape, x)
        x, is_own = x:index_select(dim, RULE[a.mode](positions(1 - before, n + after, x), n)), true
      end
    else
      local parts, shape = { x }, sizes_of(x)
      local function block(size)
        shape[dim] = size
        return kiln.full(shape, a.value, { dtype = x.dtype, device = x.device })
      end
      if before > 0 then table.insert(parts, 1, block(before)) end
      if after > 0 then parts[#parts + 1] = block(after) end
      if #parts > 1 then x, is_own = kiln.cat(parts, dim), true end
    end
  end
  return is_own and x or x:clone()
end

-- -- Shuffles ----------------------------------------------------------------------------------

local function check_image(name, x)
  if not kiln.is_tensor(x) or x:dim() < 3 then
    raise(name, "input must be a tensor of at least 3 dims, not %s", got(x))
  end
end

-- x as [n, c, h, w], and the leading dims that n stands for.
local function as_batch(x)
  local leading, n = {}, 1
  for d = 1, x:dim() - 3 do
    leading[d] = x:size(d)
    n = n * leading[d]
  end
  return x:reshape(n, x:size(-3), x:size(-2), x:size(-1)), leading
end

local function with_leading(x, leading, ...)
  local shape = { unpack(leading) }
  for _, v in ipairs { ... } do shape[#shape + 1] = v end
  return x:reshape(shape)
end

--- [..., c r r, h, w] -> [..., c, h r, w r].
function M.pixel_shuffle(input, upscale_factor)
  check_image("pixel_shuffle", input)
  local r = check.int(upscale_factor, "pixel_shuffle", "upscale_factor")
  local x, leading = as_batch(input)
  local n, c, h, w = unpack(sizes_of(x))
  if r < 1 or c % (r * r) ~= 0 then
    raise("pixel_shuffle", "%d channels do not divide by %d squared", c, r)
  end
  x = x:reshape(n, c / (r * r), r, r, h, w):permute(1, 2, 5, 3, 6, 4)
  return with_leading(x, leading, c / (r * r), h * r, w * r)
end

--- [..., c, h r, w r] -> [..., c r r, h, w].
function M.pixel_unshuffle(input, downscale_factor)
  check_image("pixel_unshuffle", input)
  local r = check.int(downscale_factor, "pixel_unshuffle", "downscale_factor")
  local x, leading = as_batch(input)
  local n, c, h, w = unpack(sizes_of(x))
  if r < 1 or h % r ~= 0 or w % r ~= 0 then
    raise("pixel_unshuffle", "height %d and width %d do not divide by %d", h, w, r)
  end
  x = x:reshape(n, c, h / r, r, w / r, r):permute(1, 2, 4, 6, 3, 5)
  return with_leading(x, leading, c * r * r, h / r, w / r)
end

--- Channels [n, g c, ...] dealt out from their groups in turn.
function M.channel_shuffle(input, groups)
  check_image("channel_shuffle", input)
  local g, shape = check.int(groups, "channel_shuffle", "groups"), sizes_of(input)
  if g < 1 or shape[2] % g ~= 0 then
    raise("channel_shuffle", "%d channels do not divide by %d", shape[2], g)
  end
  local grouped = { shape[1], g, shape[2] / g, unpack(shape, 3) }
  return input:reshape(grouped):transpose(2, 3):reshape(shape)
end

-- -- Sliding blocks ----------------------------------------------------------------------------

local function check_blocks(name, a)
  for _, argument in ipairs { "output_size", "kernel_size", "dilation", "padding", "stride" } do
    local least = argument == "padding" and 0 or 1
    for d, v in ipairs(a[argument] or {}) do
      if v < least or v >= 2 ^ 31 then
        raise(name, "%s[%d] must be from %d to 2^31 - 1, got %.14g", argument, d, least, v)
      end
    end
  end
end

-- How many blocks fit along dim d of the image, n elements wide.
local function blocks_in(name, n, a, d)
  local span = a.dilation[d] * (a.kernel_size[d] - 1) + 1
  local blocks = math.floor((n + 2 * a.padding[d] - span) / a.stride[d]) + 1
  if blocks < 1 then
    raise(name, "a block of %d does not fit into %d (padding %d)", span, n, a.padding[d])
  end
  return blocks
end

-- Where in the padded dim each element of each block stands.
local function block_places(blocks, a, d, x)
  local starts = positions(0, blocks - 1, x) * a.stride[d] + 1
  local steps = positions(0, a.kernel_size[d] - 1, x) * a.dilation[d]
  return (starts:unsqueeze(2) + steps):view(-1)
end

local parse_unfold = args.define("unfold", "input: tensor, kernel_size: size2, dilation: size2 = 1, "
  .. "padding: size2 = 0, stride: size2 = 1")

--- Blocks of images: [n, c, h, w] -> [n, c kh kw, blocks].
function M.unfold(...)
  local a = parse_unfold(...)
  local x, kernel = a.input, a.kernel_size
  local single = x:dim() == 3
  if single then x = x:unsqueeze(1) end
  if x:dim() ~= 4 then raise("unfold", "input must have 4 dims (or 3), not %d", a.input:dim()) end
  local n, c, h, w = unpack(sizes_of(x))
  check_blocks("unfold", a)
  local p = a.padding
  local bh, bw = blocks_in("unfold", h, a, 1), blocks_in("unfold", w, a, 2)
  check.room("unfold", "kernel_size with padding", { n, c * kernel[1] * kernel[2], bh * bw }, x)
  local rows, columns = block_places(bh, a, 1, x), block_places(bw, a, 2, x)
  x = M.pad(x, { p[2], p[2], p[1], p[1] }):index_select(3, rows):index_select(4, columns)
  x = x:view(n, c, bh, kernel[1], bw, kernel[2]):permute(1, 2, 4, 6, 3, 5)
  x = x:reshape(n, c * kernel[1] * kernel[2], bh * bw)
  return single and x:squeeze(1) or x
end

local parse_fold = args.define("fold", "input: tensor, output_size: size2, kernel_size: size2, "
  .. "dilation: size2 = 1, padding: size2 = 0, stride: size2 = 1")

--- Blocks added up where they overlap: [n, c kh kw, blocks] -> [n, c, h, w].
function M.fold(...)
  local a = parse_fold(...)
  local x, kernel, size = a.input, a.kernel_size, a.output_size
  local single = x:dim() == 2
  if single then x = x:unsqueeze(1) end
  if x:dim() ~= 3 then raise("fold", "input must have 3 dims (or 2), not %d", a.input:dim()) end
  check_blocks("fold", a)
  local p = a.padding
  local bh, bw = blocks_in("fold", size[1], a, 1), blocks_in("fold", size[2], a, 2)
  local n, area = x:size(1), kernel[1] * kernel[2]
  if x:size(2) % area ~= 0 or x:size(3) ~= bh * bw then
    raise("fold", "input must be [n, c * %d, %d], its shape is %s", area, bh * bw, tostring(a.input.shape))
  end
  local c = x:size(2) / area
  local height, width = size[1] + 2 * p[1], size[2] + 2 * p[2]
  check.room("fold", "output_size with padding", { n, c, math.max(height, bh * kernel[1]), width }, x)
  local rows, columns = block_places(bh, a, 1, x), block_places(bw, a, 2, x)
  x = x:reshape(n, c, kernel[1], kernel[2], bh, bw):permute(1, 2, 5, 3, 6, 4)
  x = x:reshape(n, c, bh * kernel[1], bw * kernel[2])
  local like = { dtype = x.dtype, device = x.device }
  x = kiln.zeros({ n, c, bh * kernel[1], width }, like):index_add(4, columns, x)
  x = kiln.zeros({ n, c, height, width }, like):index_add(3, rows, x)
  x = x:narrow(3, p[1] + 1, size[1]):narrow(4, p[2] + 1, size[2]):contiguous()
  return single and x:squeeze(1) or x
end

return M
