--- Op rows: tensors made from nothing.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  kernel "full" {
    args = "size: shape, value: number, dtype: dtype, device: device", doc = "A tensor filled with one value.",
    shape = "full", dtype = "arg", grad = false, internal = true,
  }
  kernel "arange" {
    args = "start: number, step: number, count: int, dtype: dtype, device: device",
    doc = "start, start + step, ...: count numbers.", shape = "arange", dtype = "arg", grad = false, internal = true,
  }

  -- -- Windows ----------------------------------------------------------------------------------

  -- A window of n numbers: value(t) for t from 0 to 1, the end left out if periodic.
  local function window(name, doc, value, more)
    composite(name) {
      args = "n: int, periodic: bool = true, " .. (more or "") .. "dtype: dtype? = nil, device: device? = nil",
      doc = doc .. " The last of n + 1 numbers is left out if periodic.", grad = false,
      samples = more and { { 6, true, 8, "float64" }, { 5, false, 3, "float64" } }
        or { { 6, true, "float64" }, { 5, false, "float64" }, { 1, true, "float64" }, { 0, true, "float64" } },
      lua = function(n, periodic, ...)
        if n < 0 then op.raise(name, "n must not be negative, got %d", n) end
        local beta, dtype, device
        if more then beta, dtype, device = ... else dtype, device = ... end
        dtype = dtype or K.get_default_dtype()
        if not dtype.is_floating_point then op.raise(name, "dtype must be floating, got %s", dtype.name) end
        if n < 2 then return K.ones({ n }, { dtype = dtype, device = device }) end
        local t = K.arange(n, { dtype = K.float64, device = device }) / (periodic and n or n - 1)
        return value(t, beta):to(dtype)
      end,
    }
  end
  local function cosines(a, b, c)
    return function(t)
      local y = a - b * (t * (2 * math.pi)):cos()
      return c and y + c * (t * (4 * math.pi)):cos() or y
    end
  end
  window("hann_window", "0.5 - 0.5 cos(2 pi t).", cosines(0.5, 0.5))
  window("hamming_window", "0.54 - 0.46 cos(2 pi t).", cosines(0.54, 0.46))
  window("blackman_window", "0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t).", cosines(0.42, 0.5, 0.08))
  window("bartlett_window", "1 - |2 t - 1|.", function(t) return 1 - (2 * t - 1):abs() end)
  window("kaiser_window", "i0(beta sqrt(1 - (2 t - 1)^2)) / i0(beta).", function(t, beta)
    return (beta * (1 - (2 * t - 1):square()):clamp(0):sqrt()):i0() / K.full({}, beta, { dtype = K.float64 }):i0():item()
  end, "beta: number = 12, ")
end
