--- Op rows: comparisons and logic; every result is bool.
return function(op, _K)
  local compare = op.compare
  compare "eq" { doc = "x equals y.", expr = "x == y" }
  compare "ne" { doc = "x differs from y.", expr = "x != y" }
  compare "lt" { doc = "x is less than y.", expr = "x < y" }
  compare "le" { doc = "x is at most y.", expr = "x <= y" }
  compare "gt" { doc = "x is greater than y.", expr = "x > y" }
  compare "ge" { doc = "x is at least y.", expr = "x >= y" }
end
