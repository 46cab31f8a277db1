--- The table of cases: what is run, on which sizes, and how far ahead kiln has to be.
-- A family is a file of spec/bench/cases.  Of its cases: [1] is the function's name, `sizes` what it is
-- called with, `small` the same when only results matter; `bar` the least ratio (PyTorch's time over kiln's),
-- `jax` the least ratio to JAX; `tol` how far results may differ, against the largest (`small_tol` those of
-- `small`); `peak` that its memory is compared, after so many runs.  `bar` and `mean` of a family: for each
-- case, and for the geometric mean of all.
local function cross(names, list, small)
  local cases = {}
  for _, sizes in ipairs(list) do
    for _, name in ipairs(names) do
      cases[#cases + 1] = { name, sizes = sizes, small = small }
    end
  end
  return cases
end

-- The shapes of ResNet-18's convolutions: channels in, channels out, side, kernel, stride.
local CONVOLUTIONS = { { 3, 64, 224, 7, 2 }, { 64, 64, 56, 3, 1 }, { 64, 128, 56, 3, 2 },
  { 64, 128, 56, 1, 2 }, { 128, 128, 28, 3, 1 }, { 128, 256, 28, 3, 2 }, { 128, 256, 28, 1, 2 },
  { 256, 256, 14, 3, 1 },
  { 256, 512, 14, 3, 2 }, { 256, 512, 14, 1, 2 }, { 512, 512, 7, 3, 1 } }

local function convolutions()
  local cases = {}
  for _, batch in ipairs { 8, 32 } do
    for _, shape in ipairs(CONVOLUTIONS) do
      for _, name in ipairs { "forward", "both" } do
        cases[#cases + 1] = { name, sizes = { batch, unpack(shape) }, tol = 1e-4,
          small = { 2, 3, 4, 9, shape[4], shape[5] } }
      end
    end
  end
  cases[#cases + 1] = { "max_pool", sizes = { 32, 64, 56 }, small = { 2, 3, 9 }, bar = 2 }
  cases[#cases + 1] = { "batch_norm", sizes = { 32, 64, 56 }, small = { 2, 3, 9 }, bar = 2, tol = 1e-4 }
  return cases
end

local function products()
  local cases = {}
  for _, n in ipairs { 64, 128, 256, 512, 1024, 2048 } do
    cases[#cases + 1] = { "product", sizes = { n, n, n }, small = { 7, 7, 7 } }
  end
  for _, sizes in ipairs { { 1, 512, 2048 }, { 20, 650, 2600 }, { 64, 784, 256 } } do
    cases[#cases + 1] = { "product", sizes = sizes, small = { 2, 9, 5 } }
  end
  cases[#cases + 1] = { "batched", sizes = { 64, 64 }, small = { 3, 5 } }
  cases[#cases + 1] = { "left_transposed", sizes = { 1024 }, small = { 9 } }
  cases[#cases + 1] = { "right_transposed", sizes = { 1024 }, small = { 9 } }
  return cases
end

return {
  { "small", title = "Calls on 4 elements", cases = {
    { "add", sizes = { 4 }, bar = 5 },
    { "add_grad", sizes = { 4 }, bar = 4 },
    { "chain", sizes = { 4 }, bar = 5 },
    { "select", sizes = { 4 }, bar = 4 },
    { "view", sizes = { 4 }, bar = 4 },
    { "zero", sizes = { 4 }, bar = 2 },
  } },
  { "pointwise", title = "Pointwise", bar = 1, mean = 2, cases = cross({ "add", "mul", "add_row",
    "add_column", "relu", "exp", "tanh", "sigmoid", "gelu", "where", "add_in_place" },
    { { 1000 }, { 100000 }, { 1000000 }, { 10000000 } }, { 100 }) },
  { "reduce", title = "Reductions", bar = 1, mean = 1.5, tol = 1e-4, cases = cross({ "sum", "sum_of_rows",
    "sum_of_columns", "mean", "var", "max", "logsumexp", "softmax", "log_softmax", "layer_norm" },
    { { 1000, 1000 }, { 64, 50257 } }, { 7, 33 }) },
  { "movement", title = "Movement", bar = 1, mean = 2, cases = {
    { "transposed", sizes = { 1000 }, small = { 17 } },
    { "add_transposed", sizes = { 1000 }, small = { 17 } },
    { "cat", sizes = { 1000 }, small = { 18 } },
    { "index_select", sizes = { 1000 }, small = { 17 } },
    { "gather", sizes = { 1000 }, small = { 17 } },
    { "masked_select", sizes = { 1000000 }, small = { 100 } },
    { "embedding_backward", sizes = { 50257, 384, 2048 }, small = { 11, 5, 30 } },
    { "sort", sizes = { 1000000 }, small = { 1000 } },
    { "topk", sizes = { 1000000, 100 }, small = { 1000, 10 } },
    { "cumsum", sizes = { 1000000 }, small = { 1000 }, tol = 1e-4 },
  } },
  { "random", title = "Random numbers", cases = {
    { "rand", sizes = { 1000000 }, small = { 10000 }, tol = 0.03, bar = 4 },
    { "randn", sizes = { 1000000 }, small = { 10000 }, tol = 0.05, bar = 2 },
    { "bernoulli", sizes = { 1000000 }, small = { 10000 }, tol = 0.03, bar = 8 },
    { "randperm", sizes = { 1000000 }, small = { 1000 }, bar = 1.2 },
  } },
  { "matmul", title = "Matrix products", bar = 0.95, mean = 1.05, tol = 1e-4, cases = products() },
  { "conv", title = "Convolution, pooling, batch normalisation", bar = 0.95, cases = convolutions() },
  { "training", title = "Training, a step", tol = 1e-3, cases = {
    { "mlp", sizes = { 64 }, small = { 4 }, bar = 2, jax = 1.2, peak = 200 },
    { "cnn", sizes = { 64 }, small = { 2 }, bar = 1.1, peak = 20 },
    { "lstm", sizes = { 32, 64 }, small = { 2, 3 }, bar = 1.2, peak = 20 },
    { "gru", sizes = { 32, 64 }, small = { 2, 3 }, bar = 1.2, peak = 20 },
    -- Of four images: a largest of a pool, or a ReLU, that the last bit decides moves the third loss by 4e-3
    -- (found by inputs changed by 1e-7; in float64 the losses are the same everywhere).
    { "resnet18", sizes = { 8, 64 }, small = { 4, 64 }, bar = 1.15, peak = 6, small_tol = 5e-3 },
    { "gpt", sizes = { 6, 384, 6, 8, 256 }, small = { 2, 12, 3, 2, 5 }, bar = 1.15, peak = 3 },
  } },
  { "optim", title = "Adam, 10 million parameters in 100 tensors", cases = {
    { "adam", sizes = { 10000000, 100 }, small = { 20, 2 }, bar = 2 },
    { "adam_fused", sizes = { 10000000, 100 }, small = { 20, 2 }, bar = 1 },
  } },
  { "fused", title = "((x * y + z):tanh() * x):sum(), forward and backward", tol = 1e-4, cases = {
    { "expression", sizes = { 10000000 }, small = { 100 }, bar = 5, jax = 1 },
  } },
}
