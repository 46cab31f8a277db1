--- Op rows: running sums, products and extremes along a dim.
return function(op, K)
  local kernel, composite = op.kernel, op.composite

  kernel "cumsum" {
    args = "x, dim: axis, reverse: bool = false",
    doc = "Running sum along dim, from its end if reverse; integers sum as int64. The option `dtype` says what x is "
      .. "cast to first.",
    shape = "same", dtype = "sum", grad = true, saves = "", inplace = true, with = { dtype = op.with_dtype },
    samples = { { "f[3,4]", 1 }, { "f[2,3,4]", 3 }, { "f[2,3,4]", 2, true }, { "f(-9,9)[3,4]", 2, dtype = "int32" } },
  }
  kernel "cumprod" {
    args = "x, dim: axis, reverse: bool = false",
    doc = "Running product along dim, from its end if reverse; integers multiply as int64. The option `dtype` says "
      .. "what x is cast to first.",
    shape = "same", dtype = "sum", grad = true, saves = "x", inplace = true, with = { dtype = op.with_dtype },
    samples = { { "f[3,4]", 1 }, { "f[2,3,4]", 3 }, { "f[2,3,4]", 2, true }, { "f(1,4)[3,4]", 2, dtype = "int32" } },
  }
  kernel "cumprod_dx" {
    args = "g, x, dim: axis, reverse: bool", doc = "The gradient of cumprod, exact where x has zeros.",
    shape = "scan_slope", grad = false, internal = true,
  }
  kernel "logcumsumexp" {
    args = "x, dim: axis, reverse: bool = false",
    doc = "Logarithm of the running sum of exponentials along dim.",
    shape = "same", dtype = "float", grad = true, saves = "x out",
    samples = { { "f[3,4]", 1 }, { "f[2,3,4]", 3 } },
  }
  kernel "logcumsumexp_dx" {
    args = "g, x, y, dim: axis, reverse: bool", doc = "The gradient of logcumsumexp, whose result is y.",
    shape = "scan_slope", grad = true, saves = "g x y out", internal = true,
  }
  kernel "logcumsumexp_jvp" {
    args = "g, x, y, dim: axis, reverse: bool",
    doc = "The change of logcumsumexp, whose result is y, by a change g of x.",
    shape = "scan_slope", grad = true, saves = "g x y out", internal = true,
  }
  kernel "cummax" {
    args = "x, dim: axis", doc = "The largest so far along dim, and its position (of equals the last).",
    shape = "same", dtype = "values_index", outs = 2, diff_outs = "1", grad = true, saves = "out2",
    samples = { { "u[3,4]", 1 }, { "u[2,3,4]", 3 } },
  }
  kernel "cummin" {
    args = "x, dim: axis", doc = "The smallest so far along dim, and its position (of equals the last).",
    shape = "same", dtype = "values_index", outs = 2, diff_outs = "1", grad = true, saves = "out2",
    samples = { { "u[3,4]", 1 }, { "u[2,3,4]", 3 } },
  }
  composite "diff" {
    args = "x, n: int = 1, dim: axis = -1, prepend?, append?",
    doc = "Differences of neighbours along dim, n times; prepend and append are joined to x first.",
    samples = { { "f[5]" }, { "f[3,4]", 2, 1 } },
    lua = function(x, n, dim, prepend, append)
      if prepend ~= nil or append ~= nil then
        local parts = { x }
        if prepend ~= nil then table.insert(parts, 1, prepend) end
        if append ~= nil then parts[#parts + 1] = append end
        x = K.cat(parts, dim)
      end
      if n == 0 then return x:clone() end
      local minus = x.dtype.name == "bool" and K.logical_xor or K.sub
      for _ = 1, n do
        local size = x:size(dim)
        if size < 2 then return x:narrow(dim, 1, 0) end
        x = minus(x:narrow(dim, 2, size - 1), x:narrow(dim, 1, size - 1))
      end
      return x
    end,
  }
end
