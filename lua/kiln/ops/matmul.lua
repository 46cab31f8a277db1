--- Op rows: matrix products.
-- The kernels take whatever strides they are given (a transposed operand is not copied).  What is
-- added in is broadcast; with beta = 0 it is not read, with alpha = 0 the product is not, so NaN does not spread.
return function(op, K)
  local kernel, composite = op.kernel, op.composite
  local raise = op.raise
  local SCALED = ", beta: number = 1, alpha: number = 1"

  kernel "mm" {
    args = "x, y", doc = "Matrix product of [n, k] and [k, m].",
    shape = "mm", grad = true, saves = { x = "y", y = "x" }, tol = 1e-4,
    samples = { { "f[3,4]", "f[4,5]" }, { "f[1,4]", "f[4,1]" }, { "f[3,0]", "f[0,2]" } },
  }
  kernel "bmm" {
    args = "x, y", doc = "Batched matrix product of [b, n, k] and [b, k, m].",
    shape = "bmm", grad = true, saves = { x = "y", y = "x" }, tol = 1e-4,
    samples = { { "f[2,3,4]", "f[2,4,5]" }, { "f[0,3,4]", "f[0,4,5]" } },
  }
  kernel "mv" {
    args = "x, vec", doc = "Product of a matrix [n, k] and a vector [k].",
    shape = "mv", grad = true, saves = { x = "vec", vec = "x" }, tol = 1e-4,
    samples = { { "f[3,4]", "f[4]" } },
  }
  kernel "dot" { also = "vdot",
    args = "x, y", doc = "Sum of the products of two vectors.",
    shape = "dot", grad = true, saves = { x = "y", y = "x" }, tol = 1e-4,
    samples = { { "f[5]", "f[5]" } },
  }
  kernel "linear" {
    args = "x, weight, bias?",
    doc = "x weight^T + bias over the last dim of x: [..., k], weight [m, k], bias [m].",
    shape = "linear", grad = true, saves = { x = "weight", weight = "x" }, tol = 1e-4,
    samples = { { "f[3,4]", "f[5,4]", "f[5]" }, { "f[2,3,4]", "f[5,4]" }, { "f[4]", "f[5,4]", "f[5]" } },
  }

  -- -- Products added to something --------------------------------------------------------------

  kernel "addmm" {
    args = "x, mat1, mat2" .. SCALED, doc = "beta * x + alpha * (mat1 mat2).",
    shape = "addmm", grad = true, inplace = true, saves = { mat1 = "mat2", mat2 = "mat1" }, tol = 1e-4,
    samples = { { "f[3,5]", "f[3,4]", "f[4,5]" }, { "f[5]", "f[3,4]", "f[4,5]", 0.5, 2 },
      { "f[3,5]", "f[3,4]", "f[4,5]", 0 } },
  }
  kernel "addmv" {
    args = "x, mat, vec" .. SCALED, doc = "beta * x + alpha * (mat vec).",
    shape = "addmv", grad = true, inplace = true, saves = { mat = "vec", vec = "mat" }, tol = 1e-4,
    samples = { { "f[3]", "f[3,4]", "f[4]" }, { "f[]", "f[3,4]", "f[4]", 0.5, 2 } },
  }
  kernel "addr" {
    args = "x, vec1, vec2" .. SCALED, doc = "beta * x + alpha * (vec1 vec2^T).",
    shape = "addr", grad = true, inplace = true, saves = { vec1 = "vec2", vec2 = "vec1" }, tol = 1e-4,
    samples = { { "f[3,4]", "f[3]", "f[4]" }, { "f[3,4]", "f[3]", "f[4]", 0.5, 2 } },
  }
  kernel "baddbmm" {
    args = "x, batch1, batch2" .. SCALED, doc = "beta * x + alpha * (batch1 batch2), batch by batch.",
    shape = "baddbmm", grad = true, inplace = true, saves = { batch1 = "batch2", batch2 = "batch1" },
    tol = 1e-4,
    samples = { { "f[2,3,5]", "f[2,3,4]", "f[2,4,5]" }, { "f[3,5]", "f[2,3,4]", "f[2,4,5]", 0.5, 2 } },
  }
  kernel "addbmm" {
    args = "x, batch1, batch2" .. SCALED,
    doc = "beta * x + alpha * (the sum over the batch of batch1 batch2).",
    shape = "addbmm", grad = true, inplace = true, saves = { batch1 = "batch2", batch2 = "batch1" },
    tol = 1e-4,
    samples = { { "f[3,5]", "f[2,3,4]", "f[2,4,5]" }, { "f[3,5]", "f[2,3,4]", "f[2,4,5]", 0.5, 2 } },
  }

  -- -- Composites -------------------------------------------------------------------------------

  composite "outer" {
    args = "x, y", doc = "Every product of an element of vector x with one of vector y: [n, m].",
    samples = { { "f[3]", "f[4]" } },
    lua = function(x, y) return K.mul(x:unsqueeze(2), y:unsqueeze(1)) end,
  }
  composite "ger" {
    args = "x, y", doc = "The same as outer.", samples = { { "f[3]", "f[4]" } },
    lua = function(x, y) return K.outer(x, y) end,
  }

  local function shape_of(x, first, last)
    local shape = {}
    for i = first, last do shape[#shape + 1] = x:size(i) end
    return shape
  end

  -- The shape two lists of sizes broadcast to.
  local function merge(a, b)
    local n, merged = math.max(#a, #b), {}
    for i = 1, n do
      local p, q = a[i - n + #a] or 1, b[i - n + #b] or 1
      if p ~= q and p ~= 1 and q ~= 1 then
        raise("matmul", "batch sizes %d and %d do not broadcast at dim %d", p, q, i)
      end
      merged[i] = p == 1 and q or p
    end
    return merged
  end

  local function append(list, ...)
    local all = {}
    for i = 1, #list do all[i] = list[i] end
    for i = 1, select("#", ...) do all[#all + 1] = (select(i, ...)) end
    return all
  end

  -- x [batch..., r, c] as [product of batch, r, c].
  local function as_batch(x, batch)
    local r, c = x:size(-2), x:size(-1)
    local shape = append(batch, r, c)
    local n = 1
    for i = 1, #batch do n = n * batch[i] end
    return x:expand(shape):reshape({ n, r, c })
  end

  composite "matmul" {
    args = "x, y",
    doc = "Matrix product: vectors count as rows (left) or columns (right), batch dims broadcast.",
    tol = 1e-4,
    samples = { { "f[4]", "f[4]" }, { "f[3,4]", "f[4]" }, { "f[4]", "f[4,5]" }, { "f[3,4]", "f[4,5]" },
      { "f[2,3,4]", "f[4,5]" }, { "f[2,3,4]", "f[4]" }, { "f[3,4]", "f[2,4,5]" }, { "f[4]", "f[2,4,5]" },
      { "f[2,1,3,4]", "f[2,4,5]" } },
    lua = function(x, y)
      local nx, ny = x:dim(), y:dim()
      if nx == 0 or ny == 0 then
        raise("matmul", "%s is a 0-dim tensor; use mul", nx == 0 and "x" or "y")
      end
      if nx == 1 and ny == 1 then return K.dot(x, y) end
      if nx == 2 and ny == 1 then return K.mv(x, y) end
      if nx == 1 and ny == 2 then return K.mv(y:t(), x) end
      if nx == 2 and ny == 2 then return K.mm(x, y) end
      if ny == 1 then return K.matmul(x, y:unsqueeze(2)):squeeze(-1) end
      if nx == 1 then return K.matmul(x:unsqueeze(1), y):squeeze(-2) end
      if ny == 2 then return K.linear(x, y:t()) end
      local batch = merge(shape_of(x, 1, nx - 2), shape_of(y, 1, ny - 2))
      local product = K.bmm(as_batch(x, batch), as_batch(y, batch))
      return product:view(append(batch, x:size(-2), y:size(-1)))
    end,
  }
end
