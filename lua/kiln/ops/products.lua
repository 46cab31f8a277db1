--- Op rows: products and distances made of matrix products: cross, kron, cdist, tensordot, einsum.
return function(op, K)
  local composite = op.composite
  local raise, axis = op.raise, op.axis
  local TOL = 1e-4

  -- -- Products ---------------------------------------------------------------------------------

  composite "cross" {
    args = "x, y, dim: axis? = nil",
    doc = "The vector product along a dim of size 3 (the first such dim, without one).",
    samples = { { "f[3,4]", "f[3,4]" }, { "f[2,3]", "f[2,3]", 2 } },
    lua = function(x, y, dim)
      if dim then dim = axis("cross", "dim", x, dim) end
      for d = 1, dim and 0 or x:dim() do
        if not dim and x:size(d) == 3 then dim = d end
      end
      if not dim or x:size(dim) ~= 3 then
        raise("cross", "a dim of size 3 is needed, the shape is %s", tostring(x.shape))
      end
      local function part(v, i) return v:select(dim, i) end
      local parts = {}
      for i = 1, 3 do
        local a, b = i % 3 + 1, (i + 1) % 3 + 1
        parts[i] = part(x, a) * part(y, b) - part(x, b) * part(y, a)
      end
      return K.stack(parts, dim)
    end,
  }
  composite "kron" {
    args = "x, y", doc = "The Kronecker product.", samples = { { "f[2,3]", "f[3,2]" }, { "f[2]", "f[2,2]" } },
    lua = function(x, y)
      if x:dim() == 0 or y:dim() == 0 then return x * y end
      while x:dim() < y:dim() do x = x:unsqueeze(1) end
      while y:dim() < x:dim() do y = y:unsqueeze(1) end
      local sx, sy, size = {}, {}, {}
      for d = 1, x:dim() do
        sx[2 * d - 1], sx[2 * d] = x:size(d), 1
        sy[2 * d - 1], sy[2 * d] = 1, y:size(d)
        size[d] = x:size(d) * y:size(d)
      end
      return (x:reshape(sx) * y:reshape(sy)):reshape(size)
    end,
  }
  local function check_norm(name, p) require("kiln.check").at_least(p, name, "p", 0) end
  composite "cdist" {
    args = "x, y, p: number = 2",
    doc = "Distances [n, m] of the rows of x [n, k] and y [m, k], batched; p names the norm.",
    samples = { { "f[3,4]", "f[2,4]" }, { "f[2,3,4]", "f[2,5,4]", 1 }, { "f[3,4]", "f[2,4]", 3 } },
    lua = op.in_float32(function(x, y, p)
      check_norm("cdist", p)
      local d = x:unsqueeze(-2) - y:unsqueeze(-3)
      if p == 0 then return K.norm(d, 0, { -1 }) end
      if p == 1 then return d:abs():sum(-1) end
      if p == math.huge then return d:size(-1) > 0 and d:abs():amax(-1) or d:sum(-1) end
      if p < 2 then -- |d|^p has no slope, or no bend, at 0
        local none = d:eq(0)
        d = K.where(none, 0, K.where(none, 1, d):abs():pow(p))
      else
        d = p == 2 and d * d or d:abs():pow(p)
      end
      local sum = d:sum(-1)
      local apart = sum:ne(0) -- the root has no slope at 0
      local root = K.where(apart, sum, 1)
      return K.where(apart, p == 2 and root:sqrt() or root:pow(1 / p), 0)
    end),
  }
  -- The dims of x that a list names, from 1, each once.
  local function named(x, what, list)
    local check = require "kiln.check"
    local dims, seen = {}, {}
    for i, d in ipairs(list) do
      dims[i] = axis("tensordot", what, x, check.int(d, "tensordot", what))
      if seen[dims[i]] then raise("tensordot", "%s name dim %d twice", what, dims[i]) end
      seen[dims[i]] = true
    end
    return dims
  end
  composite "tensordot" {
    args = "x, y, dims: any",
    doc = "Sums products over the last `dims` dims of x and the first of y (2 without), or over { dims of x, "
      .. "dims of y }; a size of 1 fits every size.",
    samples = { { "f[2,3,4]", "f[3,4,5]", 2 }, { "f[2,3]", "f[3,2]", { { 1 }, { 2 } } },
      { "f[2,3]", "f[3,2]", 0 }, { "f[2,1]", "f[3,2]", 1 } },
    lua = function(x, y, dims)
      local check = require "kiln.check"
      if dims == nil then dims = 2 end
      local from, to = {}, {}
      if type(dims) == "number" then
        local most = math.min(x:dim(), y:dim())
        if check.int(dims, "tensordot", "dims") < 0 or dims > most then
          raise("tensordot", "dims must be from 0 to %d, got %d", most, dims)
        end
        for i = 1, dims do from[i], to[i] = x:dim() - dims + i, i end
      elseif type(dims) == "table" and type(dims[1]) == "table" and type(dims[2]) == "table" then
        from, to = named(x, "the dims of x", dims[1]), named(y, "the dims of y", dims[2])
      else
        raise("tensordot", "dims must be a number or two lists of dims, got %s", check.got(dims))
      end
      if #from ~= #to then raise("tensordot", "%d dims of x against %d of y", #from, #to) end
      for i = 1, #from do
        if x:size(from[i]) == 1 then y = y:sum(to[i], true):to(y.dtype) end
        if y:size(to[i]) == 1 then x = x:sum(from[i], true):to(x.dtype) end
      end
      local taken_x, taken_y, inner, result = {}, {}, 1, {}
      for i = 1, #from do
        local a, b = x:size(from[i]), y:size(to[i])
        if a ~= b then raise("tensordot", "dim %d of x has size %d, dim %d of y %d", from[i], a, to[i], b) end
        taken_x[from[i]], taken_y[to[i]], inner = true, true, inner * a
      end
      local order_x, order_y, rows, cols = {}, {}, 1, 1
      for d = 1, x:dim() do
        if not taken_x[d] then
          order_x[#order_x + 1], result[#result + 1], rows = d, x:size(d), rows * x:size(d)
        end
      end
      for _, d in ipairs(from) do order_x[#order_x + 1] = d end
      for _, d in ipairs(to) do order_y[#order_y + 1] = d end
      for d = 1, y:dim() do
        if not taken_y[d] then
          order_y[#order_y + 1], result[#result + 1], cols = d, y:size(d), cols * y:size(d)
        end
      end
      x = x:permute(order_x):reshape({ rows, inner })
      return K.mm(x, y:permute(order_y):reshape({ inner, cols })):reshape(result)
    end,
  }

  composite "inner" {
    args = "x, y", doc = "Sums of products over the last dims of x and y; x * y if one has no dims.", tol = TOL,
    samples = { { "f[2,3]", "f[4,3]" }, { "f[3]", "f[2,3]" }, { "f[2,3]", "f[]" } },
    lua = function(x, y)
      if x:dim() == 0 or y:dim() == 0 then return x * y end
      if x:size(-1) ~= y:size(-1) then
        raise("inner", "the last dim of x has size %d, that of y %d", x:size(-1), y:size(-1))
      end
      return K.tensordot(x, y, { { -1 }, { -1 } })
    end,
  }
  composite "vecdot" {
    args = "x, y, dim: axis = -1", doc = "The sum of x * y along dim, broadcast.", tol = TOL,
    samples = { { "f[2,3]", "f[3]" }, { "f[2,3]", "f[2,3]", 1 } },
    lua = function(x, y, dim)
      local product = x * y
      return product:sum(axis("vecdot", "dim", product, dim)):to(product.dtype)
    end,
  }
  -- Where to split the product of matrices i..j so that it costs least: sizes[i] x sizes[i + 1] is matrix i.
  local function splits(sizes)
    local n, cost, at = #sizes - 1, {}, {}
    for i = 1, n do cost[i], at[i] = { [i] = 0 }, {} end
    for length = 2, n do
      for i = 1, n - length + 1 do
        local j = i + length - 1
        for k = i, j - 1 do
          local c = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
          if not cost[i][j] or c < cost[i][j] then cost[i][j], at[i][j] = c, k end
        end
      end
    end
    return at
  end
  composite "multi_dot" {
    args = "xs: list", spread = true, also = "chain_matmul",
    doc = "The product of matrices, in the order that costs least; the first may be a row, the last a column vector.",
    samples = { { { "f[2,3]", "f[3,4]", "f[4,2]" } }, { { "f[3]", "f[3,4]", "f[4]" } }, { { "f[2,3]", "f[3,2]" } } }, tol = TOL,
    lua = function(xs)
      local n, sizes, parts = #xs, {}, {}
      if n < 2 then raise("multi_dot", "at least 2 tensors are needed, got %d", n) end
      for i, x in ipairs(xs) do
        if x:dim() ~= 2 and not (x:dim() == 1 and (i == 1 or i == n)) then
          raise("multi_dot", "tensor %d has shape %s, a matrix is needed", i, tostring(x.shape))
        end
        if x:dim() == 1 then x = x:unsqueeze(i == 1 and 1 or 2) end
        parts[i], sizes[i], sizes[i + 1] = x, x:size(1), x:size(2)
      end
      local at = splits(sizes)
      local function product(i, j)
        if i == j then return parts[i] end
        return K.mm(product(i, at[i][j]), product(at[i][j] + 1, j))
      end
      local y = product(1, n)
      if xs[n]:dim() == 1 then y = y:squeeze(2) end
      return xs[1]:dim() == 1 and y:squeeze(1) or y
    end,
  }
  composite "pdist" {
    args = "x, p: number = 2", doc = "Distances of each two rows of a matrix, (1, 2), (1, 3), ..., as a vector.",
    samples = { { "f[4,3]" }, { "f[3,4]", 1 } },
    lua = function(x, p)
      if x:dim() ~= 2 then raise("pdist", "x must be a matrix, its shape is %s", tostring(x.shape)) end
      check_norm("pdist", p)
      local n = x:size(1)
      local pairs_of = K.triu_indices(n, n, 1):to(x.device)
      return K.norm(x:index_select(1, pairs_of:select(1, 1)) - x:index_select(1, pairs_of:select(1, 2)), p, { 2 })
    end,
  }

  -- -- Einstein's notation ------------------------------------------------------------------------

  -- "ij" and a tensor as { labels, tensor }; "..." becomes labels 1, 2, ... counted from the right.
  local function labelled(text, x)
    local before, after = text:match "^(.-)%.%.%.(.*)$"
    local labels = {}
    local function read(part)
      if part:find "[^%a]" then raise("einsum", "'%s' is not a list of letters", text) end
      for letter in part:gmatch "%a" do labels[#labels + 1] = letter end
    end
    read(before or text)
    if before then
      local hidden = x:dim() - #before - #after
      for i = hidden, 1, -1 do labels[#labels + 1] = tostring(i) end
      read(after)
    end
    if #labels ~= x:dim() then
      raise("einsum", "'%s' names %d dims of a tensor of shape %s", text, #labels, tostring(x.shape))
    end
    return labels
  end

  local function position(labels, label)
    for i, l in ipairs(labels) do if l == label then return i end end
  end

  -- Takes the diagonal of repeated labels and sums over those nobody keeps.
  local function settle(labels, x, kept)
    local i = 1
    while i <= #labels do
      local j = i + 1
      while j <= #labels and labels[j] ~= labels[i] do j = j + 1 end
      if j <= #labels then
        local label = labels[i]
        x = x:diagonal(0, i, j)
        table.remove(labels, j)
        table.remove(labels, i)
        labels[#labels + 1] = label
      else
        i = i + 1
      end
    end
    for d = #labels, 1, -1 do
      if not kept[labels[d]] then
        x = x:sum(d)
        table.remove(labels, d)
      end
    end
    return labels, x
  end

  -- x with its dims in this order, as [product of the first group, of the second, ...].
  local function grouped(labels, x, groups)
    local order, shape = {}, {}
    for g, group in ipairs(groups) do
      shape[g] = 1
      for _, label in ipairs(group) do
        local d = position(labels, label)
        order[#order + 1] = d
        shape[g] = shape[g] * x:size(d)
      end
    end
    return x:permute(order):reshape(shape)
  end

  local function contract(la, a, lb, b, kept)
    local batch, only_a, only_b, summed, sizes = {}, {}, {}, {}, {}
    for i, label in ipairs(la) do
      local j = position(lb, label)
      local n, m = a:size(i), j and b:size(j)
      if j and n ~= m then
        if n ~= 1 and m ~= 1 then raise("einsum", "'%s' has size %d and size %d", label, n, m) end
        local size = {}
        local short, at = n == 1 and a or b, n == 1 and i or j
        for d = 1, short:dim() do size[d] = d == at and math.max(n, m) or -1 end
        if n == 1 then a = a:expand(size) else b = b:expand(size) end
        n = math.max(n, m)
      end
      sizes[label] = n
      local group = not j and only_a or kept[label] and batch or summed
      group[#group + 1] = label
    end
    for j, label in ipairs(lb) do
      if not position(la, label) then
        only_b[#only_b + 1] = label
        sizes[label] = b:size(j)
      end
    end
    local product = K.bmm(grouped(la, a, { batch, only_a, summed }), grouped(lb, b, { batch, summed,
      only_b }))
    local labels, shape = {}, {}
    for _, group in ipairs { batch, only_a, only_b } do
      for _, label in ipairs(group) do
        labels[#labels + 1] = label
        shape[#shape + 1] = sizes[label]
      end
    end
    return labels, product:reshape(shape)
  end

  -- Labels that stand once, in alphabetical order, behind those of "...".
  local function implied(terms)
    local count, names, hidden = {}, {}, 0
    for _, labels in ipairs(terms) do
      for _, l in ipairs(labels) do
        count[l] = (count[l] or 0) + 1
        if tonumber(l) then hidden = math.max(hidden, tonumber(l)) end
      end
    end
    for _, labels in ipairs(terms) do
      for _, l in ipairs(labels) do if count[l] == 1 and not tonumber(l) then names[#names + 1] = l end end
    end
    table.sort(names)
    for i = 1, hidden do table.insert(names, 1, tostring(i)) end
    return names
  end

  composite "einsum" {
    args = "equation: any, x: any, y: any, z: any, w: any",
    doc = "Products of tensors summed by Einstein's convention: einsum(\"ij,jk->ik\", a, b); up to four "
      .. "tensors, or a list of them.",
    samples = { { "ij,jk->ik", "f[2,3]", "f[3,4]" }, { "ii->i", "f[3,3]" }, { "bij,bjk->bik", "f[2,3,4]",
      "f[2,4,2]" },
      { "...ij->...ji", "f[2,3,4]" } },
    tol = TOL,
    lua = function(equation, x, y, z, w)
      local check = require "kiln.check"
      if type(equation) ~= "string" then
        raise("einsum", "equation must be a string, got %s", check.got(equation))
      end
      local tensors = { x, y, z, w }
      if type(x) == "table" and getmetatable(x) == nil then tensors = x end
      local left, right = equation:gsub("%s", ""):match "^([^%-]*)%->(.*)$"
      left = left or equation:gsub("%s", "")
      local terms = {}
      for text in (left .. ","):gmatch "([^,]*)," do terms[#terms + 1] = text end
      if #terms ~= #tensors then
        raise("einsum", "the equation names %d tensors, %d are given", #terms, #tensors)
      end
      for i, text in ipairs(terms) do
        check.tensor(tensors[i], "einsum", ("tensor %d"):format(i))
        terms[i] = labelled(text, tensors[i])
      end
      local output
      if right then
        output = {}
        local hidden = 0
        for _, labels in ipairs(terms) do
          for _, l in ipairs(labels) do hidden = math.max(hidden, tonumber(l) or 0) end
        end
        for part in right:gsub("%.%.%.", "."):gmatch "." do
          if part == "." then
            for h = hidden, 1, -1 do output[#output + 1] = tostring(h) end
          else
            output[#output + 1] = part
          end
        end
      else
        output = implied(terms)
      end
      local function kept_after(k)
        local kept = {}
        for _, l in ipairs(output) do kept[l] = true end
        for t = k + 1, #terms do for _, l in ipairs(terms[t]) do kept[l] = true end end
        return kept
      end
      local others = kept_after(1)
      local labels, result = settle(terms[1], tensors[1], others)
      for k = 2, #terms do
        local needed = kept_after(k)
        for _, l in ipairs(labels) do needed[l] = true end
        local lb, b = settle(terms[k], tensors[k], needed)
        labels, result = contract(labels, result, lb, b, kept_after(k))
        labels, result = settle(labels, result, kept_after(k))
      end
      local order = {}
      for d, l in ipairs(output) do
        order[d] = position(labels, l)
        if not order[d] then raise("einsum", "'%s' stands on the right of '%s' only", l, equation) end
      end
      if #order ~= #labels then raise("einsum", "a letter stands twice on the right of '%s'", equation) end
      return #order > 0 and result:permute(order) or result
    end,
  }
end
