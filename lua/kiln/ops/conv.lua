--- Op rows: convolution and what PyTorch calls its kinds.
-- One op for all of them; a transposed convolution is the gradient of an ordinary one with respect
-- to its input.  The two gradients are ops too, so second derivatives follow.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local WINDOW = "stride: ints, padding: ints, dilation: ints"

  kernel "convolution" {
    args = "x, weight, bias?, " .. WINDOW .. ", transposed: bool, output_padding: ints, groups: int",
    doc = "Convolution of x [n, c, 1 to 3 spatial dims] with weight [out, c / groups, kernel], or "
      .. "transposed with weight [c, out / groups, kernel].",
    shape = "convolution", grad = true, saves = { x = "weight", weight = "x" }, tol = 1e-4,
    samples = {
      { "f[2,3,7]", "f[4,3,3]", "f[4]", { 1 }, { 0 }, { 1 }, false, { 0 }, 1 },
      { "f[2,4,5,6]", "f[6,2,3,2]", "f[6]", { 2, 1 }, { 1, 0 }, { 1, 2 }, false, { 0, 0 }, 2 },
      { "f[1,2,4,3,4]", "f[3,2,2,2,2]", "f[3]", { 1, 1, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, false, { 0, 0, 0 },
        1 },
      { "f[2,4,3,3]", "f[4,2,3,2]", "f[4]", { 2, 1 }, { 1, 0 }, { 1, 2 }, true, { 1, 0 }, 2 },
    },
  }
  kernel "convolution_dx" {
    args = "g, weight, size: shape, " .. WINDOW .. ", groups: int",
    doc = "The gradient of a convolution's input, of the given size: what transposed convolution computes.",
    shape = "convolution_dx", grad = true, saves = { g = "weight", weight = "g" }, tol = 1e-4,
    samples = { { "f[2,6,3,5]", "f[6,2,3,2]", { 2, 4, 5, 6 }, { 2, 1 }, { 1, 0 }, { 1, 1 }, 2 } },
  }
  kernel "convolution_dw" {
    args = "g, x, size: shape, " .. WINDOW .. ", groups: int",
    doc = "The gradient of a convolution's weight, of the given size.",
    shape = "convolution_dw", grad = true, saves = { g = "x", x = "g" }, tol = 1e-4,
    samples = { { "f[2,6,3,5]", "f[2,4,5,6]", { 6, 2, 3, 2 }, { 2, 1 }, { 1, 0 }, { 1, 1 }, 2 } },
  }

  -- -- Kinds --------------------------------------------------------------------------------------

  local raise = op.raise

  -- A number for every spatial dim, or a list of them, as a list.
  local function spread(name, what, value, n)
    local list = {}
    for i = 1, n do
      local v = value
      if type(value) == "table" then v = #value == 1 and value[1] or value[i] end
      list[i] = v
    end
    if type(value) == "table" and #value ~= n and #value ~= 1 then
      raise(name, "%s must be a number or %d numbers, got %d", what, n, #value)
    end
    return list
  end

  -- x with `count` zeros behind its i-th spatial dim.
  local function with_zeros(x, i, count)
    local shape = {}
    for d = 1, x:dim() do shape[d] = x:size(d) end
    shape[i + 2] = count
    return K.cat({ x, x:new_zeros(shape) }, i + 2)
  end

  -- padding = "same" keeps the size (stride 1), with the odd element behind.
  local function same_padding(name, x, weight, stride, dilation, n)
    local padding, check = {}, require "kiln.check"
    for i = 1, n do
      check.int(stride[i], name, "stride")
      check.int(dilation[i], name, "dilation")
      if stride[i] ~= 1 then raise(name, "padding 'same' needs stride 1, got %d", stride[i]) end
      local total = dilation[i] * (weight:size(i + 2) - 1)
      padding[i] = math.floor(total / 2)
      if total % 2 == 1 then x = with_zeros(x, i, 1) end
    end
    return padding, x
  end

  -- output_padding of a stride or more (allowed up to the dilation) reaches where no element of x does: as if
  -- zeros followed x.
  local function zeros_behind(name, x, stride, output_padding, dilation, n)
    local rest = {}
    for i = 1, n do
      local extra, step, reach = tonumber(output_padding[i]), tonumber(stride[i]), tonumber(dilation[i])
      rest[i] = output_padding[i]
      if extra and step and reach and step > 0 and extra >= step and x:size(i + 2) > 0 then
        if extra >= reach then
          raise(name, "output_padding %g must be smaller than stride %g or dilation %g", extra, step, reach)
        end
        x, rest[i] = with_zeros(x, i, math.floor(extra / step)), extra % step
      end
    end
    return x, rest
  end

  local function run(name, n, transposed, x, weight, bias, stride, padding, output_padding, groups, dilation)
    local single = x:dim() == n + 1
    if not single and x:dim() ~= n + 2 then
      raise(name, "x must have %d dims (or %d without a batch), it has %d", n + 2, n + 1, x:dim())
    end
    if weight:dim() ~= n + 2 then raise(name, "weight must have %d dims, it has %d", n + 2, weight:dim()) end
    if single then x = x:unsqueeze(1) end
    stride = spread(name, "stride", stride or 1, n)
    dilation = spread(name, "dilation", dilation or 1, n)
    if padding == "same" and not transposed then
      padding, x = same_padding(name, x, weight, stride, dilation, n)
    elseif padding == "valid" and not transposed then
      padding = spread(name, "padding", 0, n)
    elseif padding == nil or type(padding) == "number" or type(padding) == "table" then
      padding = spread(name, "padding", padding or 0, n)
    else
      raise(name, "padding must be a number, a list%s, got %s",
        transposed and "" or ", 'same' or 'valid'", require("kiln.check").got(padding))
    end
    output_padding = spread(name, "output_padding", output_padding or 0, n)
    if transposed then x, output_padding = zeros_behind(name, x, stride, output_padding, dilation, n) end
    local y = K.convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding,
      groups or 1)
    return single and y:squeeze(1) or y
  end

  local SPATIAL = { "[n, c, l]", "[n, c, h, w]", "[n, c, d, h, w]" }
  local INPUT = { "f[2,4,5]", "f[2,4,5,5]", "f[1,4,4,4,4]" }
  local WEIGHT = { "f[6,2,3]", "f[6,2,3,3]", "f[6,2,2,2,2]" }
  local TURNED = { "f[4,3,3]", "f[4,3,3,3]", "f[4,3,2,2,2]" }
  for n = 1, 3 do
    local name = ("conv%dd"):format(n)
    composite(name) {
      args = "x, weight, bias?, stride: any, padding: any, dilation: any, groups: int = 1",
      doc = ("Convolution over %s; stride, padding and dilation are numbers or lists (default 1, 0, 1), ")
        :format(SPATIAL[n]) .. "padding also 'same' or 'valid'.",
      tol = 1e-4,
      samples = { { INPUT[n], WEIGHT[n], "f[6]", 2, 1, 1, 2 } },
      lua = function(x, weight, bias, stride, padding, dilation, groups)
        return run(name, n, false, x, weight, bias, stride, padding, 0, groups, dilation)
      end,
    }
    local turned = ("conv_transpose%dd"):format(n)
    composite(turned) {
      args = "x, weight, bias?, stride: any, padding: any, output_padding: any, groups: int = 1, "
        .. "dilation: any",
      doc = ("Transposed convolution over %s, the gradient of conv%dd."):format(SPATIAL[n], n),
      tol = 1e-4,
      samples = { { INPUT[n], TURNED[n], "f[6]", 2, 1, 1, 2 } },
      lua = function(x, weight, bias, stride, padding, output_padding, groups, dilation)
        return run(turned, n, true, x, weight, bias, stride, padding, output_padding, groups, dilation)
      end,
    }
  end
end
