--- Op rows: comparisons and logic; every result is bool.
return function(op, K)
  local compare, composite = op.compare, op.composite
  local ONE = { { "f[3,4]" }, { "i(0,3)[3,4]" } }
  local LOGIC = { { "b[3,4]", "b[3,4]" }, { "i(0,1)[3,4]", "f[4]" } }

  compare "eq" { doc = "x equals y.", expr = "x == y" }
  compare "ne" { also = "not_equal", doc = "x differs from y.", expr = "x != y" }
  compare "lt" { also = "less", doc = "x is less than y.", expr = "x < y" }
  compare "le" { also = "less_equal", doc = "x is at most y.", expr = "x <= y" }
  compare "gt" { also = "greater", doc = "x is greater than y.", expr = "x > y" }
  compare "ge" { also = "greater_equal", doc = "x is at least y.", expr = "x >= y" }

  compare "isnan" { args = "x", doc = "x is not a number.", expr = "x != x", samples = ONE }
  compare "eq_or_nan" {
    args = "x, y", doc = "x equals y, or is NaN.", types = "float", expr = "where(isnan(x), 1, eq(x, y))", internal = true,
  }
  compare "isinf" { args = "x", doc = "x is infinite, of either sign.", samples = ONE }
  compare "isfinite" { args = "x", doc = "x is neither infinite nor NaN.", samples = ONE }

  compare "signbit" { args = "x", doc = "x has a minus sign, -0 included.", samples = ONE }
  composite "isposinf" { args = "x", doc = "x is infinite.", samples = ONE, lua = function(x) return x:eq(math.huge) end }
  composite "isneginf" { args = "x", doc = "x is minus infinity.", samples = ONE, lua = function(x) return x:eq(-math.huge) end }
  local FEW = 32 -- are compared with each element
  composite "isin" {
    args = "x: raw, y: raw, invert: bool = false", doc = "Whether each element of x is one of y (is not, if invert).",
    samples = { { "i(0,5)[3,4]", "i(0,5)[3]" }, { "i(0,5)[3,4]", "i(0,5)[2,2]", true }, { "f[3]", 0.5 },
      { "i(0,60)[3,4]", "i(0,60)[40]" }, { "x[15]", "x[60]" } }, grad = false,
    lua = function(x, y, invert)
      local found
      if y:dim() == 0 then y = y:to(x.device) elseif x:dim() == 0 then x = x:to(y.device) end
      y = y:reshape(-1)
      if y:size(1) <= FEW then
        found = K.eq(x:unsqueeze(-1), y):any(-1)
      else -- the first that is not less, where there is one
        local dtype = K.result_type(x, y)
        if dtype == K.bool then dtype = K.uint8 end
        y, x = y:detach():to(dtype):sort(1), x:detach():to(dtype)
        found = y:take(K.searchsorted(y, x):clamp(1, y:size(1))):eq(x)
      end
      return invert and found:logical_not() or found
    end,
  }
  compare "logical_and" { doc = "Both differ from 0.", samples = LOGIC }
  compare "logical_or" { doc = "One or both differ from 0.", samples = LOGIC }
  compare "logical_xor" { doc = "Just one of the two differs from 0.", samples = LOGIC }
  compare "logical_not" { args = "x", doc = "x is 0.", expr = "x == 0", samples = { { "b[3,4]" }, { "i(0,1)[3,4]" } } }

  compare "within" {
    args = "x, y, rtol: number, atol: number", doc = "|x - y| <= atol + rtol * |y|, or both are equal.",
    types = "float", samples = { { "f[3,4]", "f[3,4]", 0, 1 }, { "f[3,4]", "f[4]", 0.5, 0.5 } },
  }
  -- isclose for integers: int64 differences are exact unless they wrap around, and then float64 will do.
  local function near_whole(x, y, rtol, atol)
    x, y = x:long(), y:long()
    local rough = x:double() - y:double()
    local gap = K.where(rough:abs():lt(2 ^ 62), (x - y):double(), rough):abs()
    return K.logical_or(x:eq(y), gap:le(y:double():abs() * rtol + atol))
  end
  composite "isclose" {
    args = "x, y, rtol: number = 0.00001, atol: number = 0.00000001, equal_nan: bool = false",
    doc = "|x - y| <= atol + rtol * |y|, or both are equal; NaN equals NaN if equal_nan.",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]", 0.5, 0.5 }, { "i(0,3)[3,4]", "i(0,3)[4]", 0, 1, true } },
    lua = function(x, y, rtol, atol, equal_nan)
      op.at_least(rtol, "isclose", "rtol", 0)
      op.at_least(atol, "isclose", "atol", 0)
      if not K.result_type(x, y).is_floating_point then return near_whole(x, y, rtol, atol) end
      local function float(v) return v:is_floating_point() and v or v:double() end
      x, y = float(x), float(y)
      local near = K.within(x, y, rtol, atol)
      if not equal_nan then return near end
      return K.logical_or(near, K.logical_and(K.ne(x, x), K.ne(y, y)))
    end,
  }
  composite "allclose" {
    args = "x, y, rtol: number = 0.00001, atol: number = 0.00000001, equal_nan: bool = false",
    doc = "Whether isclose holds for all elements: a Lua boolean.",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[3,4]", "f[4]", 100 } },
    lua = function(x, y, rtol, atol, equal_nan)
      return K.isclose(x, y, rtol, atol, equal_nan):all():item()
    end,
  }
  composite "equal" {
    args = "x, y", doc = "Whether x and y have the same shape and the same elements: a Lua boolean.",
    samples = { { "f[3,4]", "f[3,4]" }, { "i(0,3)[3]", "i(0,3)[4]" } },
    lua = function(x, y)
      if x:dim() ~= y:dim() or not require("kiln.check").same_sizes(x, y, x:dim()) then return false end
      return K.eq(x, y):all():item()
    end,
  }
end
