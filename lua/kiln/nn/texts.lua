--- What every layer, optimizer, schedule, distribution and data class is: the source of docs/layers.md, of
--- what editors know (stubs.lua) and of what the prompt's help says.
-- A section is { title, where its names stand, rows }; a row is name = { what it computes, shapes } with the
-- source of a formula in the first text.  N is the batch, C channels, L a length, * any dims.  Arguments are
-- not repeated here: they come from the classes themselves.  Plain Lua that loads nothing.
local SAME = "(*) -> (*)"
local IMAGE = { "(N, C, L) -> (N, C', L')", "(N, C, H, W) -> (N, C', H', W')", "(N, C, D, H, W) -> (N, C', D', H', W')" }

-- Rows for 1, 2 and 3 dims: each(rows, "Conv%dd", text).
local function each(rows, name, text, shapes, first, last)
  for n = first or 1, last or 3 do rows[name:format(n)] = { text, (shapes or IMAGE)[n] } end
end

local layers = {
  Linear = { "x W' + b. Parameters weight [out, in], bias [out].", "(*, in_features) -> (*, out_features)" },
  Bilinear = { "x1' W x2 + b for each output. Parameters weight [out, in1, in2], bias [out].",
    "(*, in1_features), (*, in2_features) -> (*, out_features)" },
  Identity = { "x itself; arguments are ignored.", SAME },
  Flatten = { "Dims start_dim to end_dim as one.", "(N, a, b, ...) -> (N, a b ...)" },
  Unflatten = { "One dim as several.", "(N, a b) -> (N, a, b)" },
  Embedding = { "Rows of a table by position from 1; padding_idx gets no gradient, with sparse the gradient is "
    .. "row-sparse. Parameter weight [num_embeddings, embedding_dim].", "(*) int64 -> (*, embedding_dim)" },
  EmbeddingBag = { "The sum, mean or maximum of the rows of each bag.",
    "(N, L) int64, or (L) and offsets (N) from 1 -> (N, embedding_dim)" },
}
each(layers, "Conv%dd", "Cross-correlation with learnt kernels. Parameters weight [out, in / groups, kernel...], "
  .. "bias [out]. An input without N is taken, too.")
each(layers, "ConvTranspose%dd", "The gradient of a convolution by its input, as a layer. Parameters weight [in, "
  .. "out / groups, kernel...], bias [out].")
layers.Unfold = { "Sliding windows as columns.", "(N, C, H, W) -> (N, C k k, L)" }
layers.Fold = { "Adds columns back to where Unfold took them.", "(N, C k k, L) -> (N, C, H, W)" }

layers.LazyLinear = { "Linear, whose in_features are those of its first input.", "(*, in) -> (*, out_features)" }
each(layers, "LazyConv%dd", "Conv, whose in_channels are those of its first input.")
each(layers, "LazyConvTranspose%dd", "ConvTranspose, whose in_channels are those of its first input.")

local pooling = {}
each(pooling, "FractionalMaxPool%dd", "Maxima of windows whose sizes are drawn (Graham 2014).", nil, 2)
each(pooling, "MaxPool%dd", "The largest value of each window; with return_indices also its position (from 1) in the "
  .. "plane.")
each(pooling, "MaxUnpool%dd", "Puts values back where MaxPool found them, zeros elsewhere.")
each(pooling, "AvgPool%dd", "The mean of each window.")
each(pooling, "LPPool%dd", "The p-norm of each window (without absolute values).")
each(pooling, "AdaptiveMaxPool%dd", "MaxPool with windows chosen for an output size.")
each(pooling, "AdaptiveAvgPool%dd", "AvgPool with windows chosen for an output size.")

local padding = {}
for kind, text in pairs { Reflection = "the values mirrored at the edge", Replication = "the edge's value",
  Circular = "the values of the other end", Zero = "zeros", Constant = "a constant" } do
  each(padding, kind .. "Pad%dd", ("Borders of %s: one width, or {left, right, top, bottom, ...}."):format(text))
  for n = 1, 3 do padding[("%sPad%dd"):format(kind, n)].args = "padding: any" .. (kind == "Constant" and ", value: number" or "") end
end

local activations = {
  ReLU = { "max(x, 0)." }, ReLU6 = { "x in [0, 6]." },
  ELU = { "x where x > 0, else alpha (exp(x) - 1) (Clevert et al. 2016)." },
  SELU = { "1.0507 ELU(x, 1.6733) (Klambauer et al. 2017)." },
  CELU = { "max(0, x) + min(0, alpha (exp(x / alpha) - 1)) (Barron 2017)." },
  PReLU = { "x where x > 0, else a learnt slope times x (He et al. 2015). Parameter weight [num_parameters]." },
  RReLU = { "LeakyReLU with a slope drawn for each element while training (Xu et al. 2015)." },
  LeakyReLU = { "x where x > 0, else negative_slope x." },
  Threshold = { "x where x > threshold, else value." }, Hardtanh = { "x in [min_val, max_val]." },
  Hardsigmoid = { "relu6(x + 3) / 6." }, Hardswish = { "x relu6(x + 3) / 6 (Howard et al. 2019)." },
  Hardshrink = { "x where |x| > lambd, else 0." },
  Softshrink = { "x moved by lambd towards 0, and 0 in between." },
  Tanhshrink = { "x - tanh(x)." }, Sigmoid = { "1 / (1 + exp(-x))." }, LogSigmoid = { "log(sigmoid(x))." },
  Tanh = { "The hyperbolic tangent." }, Softplus = { "log(1 + exp(beta x)) / beta, x itself above threshold." },
  Softsign = { "x / (1 + |x|)." },
  GELU = { "x times the normal distribution function of x (Hendrycks and Gimpel 2016), or its tanh form." },
  SiLU = { "x sigmoid(x)." }, Mish = { "x tanh(softplus(x)) (Misra 2019)." },
  GLU = { "a sigmoid(b), a and b the halves of dim (Dauphin et al. 2017).", "(*, 2 n) -> (*, n)" },
  Softmin = { "softmax(-x) over dim." },
  Softmax = { "exp(x) over its sum along dim, without overflow. Without dim: 2, or 1 for 1 and 3 dims." },
  Softmax2d = { "softmax over the channels.", "(N, C, H, W) -> the same" },
  LogSoftmax = { "log(softmax(x)) over dim, without overflow." },
}
for _, row in pairs(activations) do row[2] = row[2] or SAME end

local norms = {
  LayerNorm = { "Normalises over the last dims, normalized_shape (Ba et al. 2016). Parameters weight, bias of that "
    .. "shape.", SAME },
  RMSNorm = { "x over its root mean square over the last dims (Zhang and Sennrich 2019).", SAME },
  GroupNorm = { "Normalises groups of channels (Wu and He 2018). Parameters weight, bias [C].", "(N, C, *) -> the same" },
  LocalResponseNorm = { "x over a power of the squares of neighbouring channels (Krizhevsky et al. 2012).",
    "(N, C, *) -> the same" },
  Dropout = { "Zeros with probability p, the rest over 1 - p, while training (Srivastava et al. 2014).", SAME },
  AlphaDropout = { "Dropout that keeps mean and variance of SELU networks (Klambauer et al. 2017).", SAME },
  FeatureAlphaDropout = { "AlphaDropout of whole channels.", "(N, C, *) -> the same" },
}
local PLANES = { "(N, C, L) -> the same", "(N, C, H, W) -> the same", "(N, C, D, H, W) -> the same" }
each(norms, "BatchNorm%dd", "Normalises each channel over the batch (Ioffe and Szegedy 2015); running statistics in "
  .. "evaluation; momentum = false averages over all batches. Parameters weight, bias, buffers running_mean, "
  .. "running_var, num_batches_tracked.", PLANES)
each(norms, "LazyBatchNorm%dd", "BatchNorm, whose num_features are those of its first input.", PLANES)
each(norms, "LazyInstanceNorm%dd", "InstanceNorm, whose num_features are those of its first input.", PLANES)
norms.SyncBatchNorm = { "BatchNorm of any dims; one process, whose batch it is over. convert_sync_batchnorm(net) puts "
  .. "it in the place of every BatchNorm.", "(N, C, *) -> the same" }
each(norms, "InstanceNorm%dd", "Normalises each channel of each sample (Ulyanov et al. 2016).", PLANES)
each(norms, "Dropout%dd", "Dropout of whole channels (Tompson et al. 2015).", PLANES)

local recurrent = {
  RNNBase = { "RNN, LSTM or GRU, by mode; all of them are one.", "(L, N, input) [, state] -> (L, N, D hidden), state" },
  RNN = { "h = tanh (or relu) of W x + U h + b, layer on layer.", "(L, N, input) [, h] -> (L, N, D hidden), h" },
  LSTM = { "Hochreiter and Schmidhuber 1997; gates i f g o; proj_size projects h (Sak et al. 2014).",
    "(L, N, input) [, {h, c}] -> (L, N, D hidden), {h, c}" },
  GRU = { "Cho et al. 2014; gates r z n.", "(L, N, input) [, h] -> (L, N, D hidden), h" },
  RNNCellBase = { "What RNNCell, LSTMCell and GRUCell are.", "none: it has no arithmetic" },
  RNNCell = { "One step of RNN.", "(N, input) [, (N, hidden)] -> (N, hidden)" },
  LSTMCell = { "One step of LSTM.", "(N, input) [, {h, c}] -> h, c" },
  GRUCell = { "One step of GRU.", "(N, input) [, (N, hidden)] -> (N, hidden)" },
}
local WIDTHS = "(L, N, d_model), batch_first (N, L, d_model)"
local attention = {
  MultiheadAttention = { "Attention of several heads (Vaswani et al. 2017). A bool mask marks what is hidden, a "
    .. "floating one is added.", "query (L, N, E), key, value (S, N, E) -> (L, N, E), weights (N, L, S)" },
  TransformerEncoderLayer = { "Self-attention and a feed-forward part, each with a residual and a norm.", WIDTHS },
  TransformerDecoderLayer = { "The same, and attention to a memory in between.", WIDTHS },
  TransformerEncoder = { args = "encoder_layer: module, num_layers: count, norm: module?", "num_layers copies of a layer, and a norm.", WIDTHS },
  TransformerDecoder = { args = "decoder_layer: module, num_layers: count, norm: module?", "num_layers copies of a decoder layer, and a norm.", WIDTHS },
  Transformer = { "An encoder and a decoder, or modules in their place.", "src, tgt: " .. WIDTHS },
}

local PAIR = "(*), target (*) -> (), or (*) with reduction 'none'"
local ROWS = "(N, C), target (N) -> (), or (N) with reduction 'none'"
local losses = {
  L1Loss = { "|x - target|.", PAIR }, MSELoss = { "(x - target)^2.", PAIR },
  SmoothL1Loss = { "Quadratic below beta, linear above (Girshick 2015).", PAIR },
  HuberLoss = { "Quadratic up to delta, linear above (Huber 1964).", PAIR },
  NLLLoss = { "-x at the target class, x log-probabilities; a mean is weighted by the classes' weights.",
    "(N, C, *), target (N, *) classes from 1" },
  NLLLoss2d = { "NLLLoss, by its older name.", "(N, C, H, W), target (N, H, W)" },
  LinearCrossEntropyLoss = { "CrossEntropyLoss of what a linear layer of its own makes of the input.",
    "(N, in_features), target (N) -> (), or (N) with reduction 'none'" },
  CrossEntropyLoss = { "NLLLoss of log_softmax(x); targets may be probabilities; label_smoothing (Szegedy et al. "
    .. "2016).", "(N, C, *), target (N, *) classes from 1, or (N, C, *) probabilities" },
  PoissonNLLLoss = { "exp(x) - target x, for counts.", PAIR },
  GaussianNLLLoss = { "(log var + (x - target)^2 / var) / 2 (Nix and Weigend 1994).", "(*), target (*), var (*) or (*, 1)" },
  KLDivLoss = { "target (log target - x), x log-probabilities; 'batchmean' is the divergence.", PAIR },
  BCELoss = { "-(target log x + (1 - target) log(1 - x)), logarithms not below -100.", PAIR },
  BCEWithLogitsLoss = { "BCELoss of sigmoid(x), without overflow; pos_weight weighs target 1.", PAIR },
  HingeEmbeddingLoss = { "x where target is 1, max(0, margin - x) where it is -1.", PAIR },
  MarginRankingLoss = { "max(0, margin - target (x1 - x2)), target 1 or -1.", "(*), (*), target (*)" },
  MultiLabelMarginLoss = { "A hinge between each target class and each other class; targets of a row end at a 0.",
    "(N, C), target (N, C) positions from 1" },
  SoftMarginLoss = { "log(1 + exp(-target x)), target 1 or -1.", PAIR },
  MultiLabelSoftMarginLoss = { "BCEWithLogitsLoss averaged over the classes.", "(N, C), target (N, C)" },
  CosineEmbeddingLoss = { "1 - cosine where target is 1, max(0, cosine - margin) where it is -1.",
    "(N, n), (N, n), target (N)" },
  MultiMarginLoss = { "max(0, margin - x at the target + x elsewhere)^p over C.", ROWS },
  TripletMarginLoss = { "max(0, distance to positive - distance to negative + margin) (Balntas et al. 2016).",
    "anchor, positive, negative (N, n)" },
  TripletMarginWithDistanceLoss = { "TripletMarginLoss by any distance_function(x1, x2).",
    "anchor, positive, negative (N, *)" },
  AdaptiveLogSoftmaxWithLoss = { "Log-probabilities of many classes whose rare ones share small layers (Grave et al. 2017); also "
    .. "log_prob(x), predict(x). Parameters head.weight, tail.k.0.weight, tail.k.1.weight.",
    "(N, in_features), target (N) classes from 1 -> (N), ()" },
  CTCLoss = { "Connectionist temporal classification (Graves et al. 2006).",
    "log_probs (L, N, C), targets (N, S) or all in one, lengths (N), (N)" },
  CosineSimilarity = { "The cosine of the angle along dim.", "(*), (*) -> (*) without dim" },
  PairwiseDistance = { "The p-norm of x1 - x2 + eps.", "(N, n), (N, n) -> (N)" },
}
local vision = {
  PixelShuffle = { "Channels become pixels (Shi et al. 2016).", "(N, C r r, H, W) -> (N, C, H r, W r)" },
  PixelUnshuffle = { "Pixels become channels.", "(N, C, H r, W r) -> (N, C r r, H, W)" },
  ChannelShuffle = { "Channels of groups take turns (Zhang et al. 2018).", "(N, C, *) -> the same" },
  Upsample = { "Nearest, linear or cubic interpolation to a size or by a factor.", "(N, C, *) -> (N, C, *')" },
  UpsamplingNearest2d = { "Upsample, nearest.", IMAGE[2] },
  UpsamplingBilinear2d = { "Upsample, bilinear with align_corners.", IMAGE[2] },
}
local containers = {
  Module = { "What all layers are: parameters, buffers and modules register on assignment.", "forward decides" },
  Sequential = { args = "module: module, ...", "Modules one after another.", "of the first -> of the last" },
  ModuleList = { args = "modules: table", "Modules by position from 1; for i, m in list:iter().", "none" },
  ModuleDict = { args = "modules: table", "Modules by name.", "none" },
  ParameterList = { args = "parameters: table", "Parameters by position from 1.", "none" }, ParameterDict = { args = "parameters: table", "Parameters by name.", "none" },
  DataParallel = { "A module on several devices, each with a share of the batch.", "of the module" },
  DistributedDataParallel = { "A module in several processes, whose gradients are averaged.", "of the module" },
}

local optimizers = {
  SGD = { "p - lr (momentum m + g); Nesterov's form by Sutskever et al. 2013." },
  Adam = { "p - lr m / (sqrt(v) + eps), m and v running means of g and g^2 without their bias (Kingma and Ba 2015); "
    .. "amsgrad by Reddi et al. 2018." },
  AdamW = { "Adam with decay apart from the gradient (Loshchilov and Hutter 2019)." },
  SparseAdam = { "Adam of the rows that a row-sparse gradient holds." },
  NAdam = { "Adam with Nesterov's momentum (Dozat 2016)." },
  RAdam = { "Adam whose variance is rectified (Liu et al. 2020)." },
  Adamax = { "Adam by the infinity norm (Kingma and Ba 2015)." }, Adagrad = { "p - lr g / (sqrt(sum of g^2) + eps) (Duchi et al. 2011)." },
  Adadelta = { "Steps as large as earlier ones, over a running mean of g^2 (Zeiler 2012)." },
  RMSprop = { "p - lr g / (sqrt(running mean of g^2) + eps) (Tieleman and Hinton 2012; centered by Graves 2013)." },
  Rprop = { "Steps that grow while the sign of the gradient stays (Riedmiller and Braun 1993)." }, ASGD = { "Averaged SGD (Polyak and Juditsky 1992)." },
  Adafactor = { "Adam whose second moments of a matrix are those of its rows and columns (Shazeer and Stern 2018)." },
  Muon = { "Momentum made orthogonal by Newton-Schulz steps, for matrices (Jordan et al. 2024)." },
  Lion = { "The sign of an interpolated momentum (Chen et al. 2023)." },
  LBFGS = { "Newton's direction from the last gradients (Liu and Nocedal 1989), with a strong Wolfe line search; step needs a closure." },
}
local schedules = {
  LambdaLR = { "base lr_lambda(epoch)." }, MultiplicativeLR = { "lr times lr_lambda(epoch), step after step." },
  StepLR = { "base gamma^floor(epoch / step_size)." }, MultiStepLR = { "times gamma at each milestone." },
  ExponentialLR = { "base gamma^epoch." }, ConstantLR = { "base factor until total_iters." },
  LinearLR = { "From start_factor to end_factor, a warm-up." },
  PolynomialLR = { "base (1 - epoch / total_iters)^power." },
  CosineAnnealingLR = { "Half a cosine from base to eta_min (Loshchilov and Hutter 2017)." },
  CosineAnnealingWarmRestarts = { "The same, again and again, each T_mult times longer." },
  CyclicLR = { "Up and down between base_lr and max_lr (Smith 2017)." },
  OneCycleLR = { "Up once and down once, momentum against it (Smith and Topin 2018)." },
  SequentialLR = { "One schedule after another, at milestones." },
  ChainedScheduler = { args = "schedulers: table, optimizer: any?", "Several schedules at once." },
  ReduceLROnPlateau = { args = "optimizer, mode: min|max = min, factor: number = 0.1, patience: int = 10, "
      .. "threshold: number = 1e-4, threshold_mode: rel|abs = rel, cooldown: int = 0, min_lr: any = 0, "
      .. "eps: number = 1e-8", "times factor when a measurement stops getting better: step(loss)." },
}
local averages = {
  AveragedModel = { "A copy of a model whose parameters are an average over training: update_parameters(model).", "of the model" },
  SWALR = { "To a constant rate swa_lr in anneal_epochs, from the rate at its first step." },
}
local distributions = {
  Bernoulli = { "1 with probability probs, else 0." },
  Beta = { "x^(a-1) (1-x)^(b-1) on [0, 1]." },
  Binomial = { "Successes in total_count trials." },
  Categorical = { "Positions 1..n by probs or logits.", "probs (*, n)" },
  Cauchy = { "1 / (1 + ((x - loc) / scale)^2)." },
  Chi2 = { "The sum of df squares of normal numbers." },
  ContinuousBernoulli = { "probs^x (1 - probs)^(1-x) on [0, 1] (Loaiza-Ganem and Cunningham 2019); uniform between lims." },
  Dirichlet = { "Probabilities of n classes.", "concentration (*, n)" },
  Exponential = { "rate exp(-rate x)." },
  FisherSnedecor = { "The ratio of two Chi2 numbers, each over its degrees of freedom." },
  Gamma = { "x^(a-1) exp(-rate x)." },
  GeneralizedPareto = { "(1 + concentration z)^(-1 / concentration - 1), z = (x - loc) / scale, from loc on (Pickands 1975)." },
  Geometric = { "Failures before the first success." },
  Gumbel = { "exp(z - exp(z)), z = (loc - x) / scale." },
  HalfCauchy = { "|x| of a Cauchy number around 0." },
  HalfNormal = { "|x| of a normal number around 0." },
  Independent = { "A distribution whose last dims of the batch are dims of one event.", "of the base" },
  InverseGamma = { "1 over a Gamma number." },
  Kumaraswamy = { "a b x^(a-1) (1-x^a)^(b-1) on [0, 1] (Kumaraswamy 1980)." },
  LKJCholesky = { "Lower factors L of correlations, by det(L L')^(concentration - 1) (Lewandowski et al. 2009).",
    "concentration (*) -> (*, dim, dim)" },
  Laplace = { "exp(-|x - loc| / scale)." },
  LogNormal = { "exp of a normal number." },
  LogisticNormal = { "A normal vector [n] as n + 1 probabilities, by StickBreakingTransform.", "parameters (*, n)" },
  LowRankMultivariateNormal = { "A normal vector of covariance cov_factor cov_factor' + diag(cov_diag).",
    "loc, cov_diag (*, n), cov_factor (*, n, rank)" },
  MixtureSameFamily = { "One of several distributions of a kind, chosen by a Categorical.",
    "components in the last dim of the batch" },
  Multinomial = { "Counts of total_count draws from n classes.", "probs (*, n)" },
  MultivariateNormal = { "A normal vector, by one of three matrices.", "loc (*, n), matrices (*, n, n)" },
  NegativeBinomial = { "Successes before total_count failures." },
  Normal = { "exp(-((x - loc) / scale)^2 / 2)." },
  OneHotCategorical = { "Categorical as vectors of 0 and one 1.", "probs (*, n)" },
  OneHotCategoricalStraightThrough = { "The same with samples that pass the gradient on to probs (Bengio et al. 2013).",
    "probs (*, n)" },
  Pareto = { "alpha scale^alpha / x^(alpha+1) from scale on." },
  Poisson = { "Counts of events at a rate." },
  RelaxedBernoulli = { "Bernoulli with samples between 0 and 1 and gradients (Maddison et al. 2017)." },
  RelaxedOneHotCategorical = { "OneHotCategorical with samples in the simplex and gradients (Jang et al. 2017).",
    "probs (*, n)" },
  StudentT = { "Student's t with df, loc, scale." },
  TransformedDistribution = { "What transforms make of a distribution's samples.", "of the base" },
  Uniform = { "Constant on [low, high)." },
  VonMises = { "exp(concentration cos(x - loc)) on a circle, -pi to pi." },
  Weibull = { "scale times a power 1 / concentration of an exponential number." },
}
distributions.Wishart = { "Positive definite matrices, by one of three matrices: sums of df products of a normal vector with itself.",
  "df (*), matrices (*, n, n)" }
for _, row in pairs(distributions) do row[2] = row[2] or "parameters broadcast to the batch (*)" end
local transforms = {
  AbsTransform = { "|x|, which cannot be undone." },
  AffineTransform = { "loc + scale x." },
  CatTransform = { "Slices along a dim, each of its own length and with a transform of its own." },
  CorrCholeskyTransform = { "n (n - 1) / 2 numbers as the lower factor of a correlation [n, n]." },
  CumulativeDistributionTransform = { "A distribution's cdf." },
  LowerCholeskyTransform = { "The lower triangle of a matrix, with exp of its diagonal." },
  PositiveDefiniteTransform = { "L L' for the L of LowerCholeskyTransform." },
  ReshapeTransform = { "The last dims, in_shape, as out_shape." },
  StackTransform = { "The slices along a dim, each with a transform of its own." },
  ComposeTransform = { "Several, the first in the list first." },
  ExpTransform = { "exp(x)." },
  IndependentTransform = { "A transform whose last dims belong to one event." },
  PowerTransform = { "x^exponent, for x above 0." },
  SigmoidTransform = { "1 / (1 + exp(-x))." },
  SoftmaxTransform = { "The softmax of a vector, which cannot be undone." },
  SoftplusTransform = { "log(1 + exp(x))." },
  StickBreakingTransform = { "n numbers as n + 1 probabilities." },
  TanhTransform = { "The hyperbolic tangent." },
}
local data = {
  Dataset = { "len() samples, get(i) one of them." }, IterableDataset = { "iter() gives samples one by one." },
  TensorDataset = { args = "tensors: tensor, ...", "Slices of tensors along their first dim." }, ConcatDataset = { args = "datasets: table", "Several, one after another." },
  Subset = { args = "dataset: table, indices: table", "Some positions of one." }, TextDataset = { args = "text: string, length: count", "Windows of a text and what follows." },
  StackDataset = { args = "dataset: table, ...", "Several side by side: sample i of each, in a row or by name." },
  ChainDataset = { args = "datasets: table", "Streams one after another." },
  DataLoader = { "Batches in the order of a sampler, by worker threads if wanted." },
  Sampler = { "iter() gives positions, len() their number." }, SequentialSampler = { args = "data_source: table", "1, 2, ..., n." },
  RandomSampler = { args = "data_source: table, replacement: bool = false, num_samples: count?, generator: generator?", "A new random order each time, or draws with replacement." },
  SubsetRandomSampler = { args = "indices: table, generator: generator?", "Given positions in a random order." },
  WeightedRandomSampler = { args = "weights: table, num_samples: count, replacement: bool = true, generator: generator?", "Draws by weight." }, BatchSampler = { args = "sampler: table, batch_size: count, drop_last: bool = false", "Lists of batch_size positions." },
  DistributedSampler = { args = "dataset: table, num_replicas: count?, rank: int?, shuffle: bool = true, seed: int = 0, drop_last: bool = false", "The share of one of several processes." },
}
local IDX = "root: string?, train: bool = true, transform: function?, target_transform: function?"
local pictures = {
  FashionMNIST = { args = IDX, "Xiao et al. 2017: 60000 and 10000 pictures of clothes in ten classes; root: a folder of its four gzipped files, left out where Debian's package is.", "(1, 28, 28), class" },
  MNIST = { args = IDX, "LeCun et al. 1998: digits, from four gzipped files in the folder root; class 1 is the digit 0.", "(1, 28, 28), class" },
}

-- Functions that are made in a loop, so that no comment stands above them: what they do, by their place.
local fan = "fan_in, fan_out: numbers that go into and come out of a unit"
local functions = {
  ["nn.init"] = {
    uniform = "Uniform numbers in [a, b).", normal = "Normal numbers of mean and std.", constant = "Fills with one value.",
    zeros = "Fills with zeros.", ones = "Fills with ones.", eye = "The identity, of a matrix.",
    trunc_normal = "Normal numbers between a and b.",
    dirac = "A convolution that hands its channels on.",
    xavier_uniform = "Uniform in +-gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010); " .. fan .. ".",
    xavier_normal = "Normal of gain sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010); " .. fan .. ".",
    kaiming_uniform = "Uniform in +-gain sqrt(3 / fan) (He et al. 2015), fan by mode, gain by nonlinearity.",
    kaiming_normal = "Normal of gain / sqrt(fan) (He et al. 2015), fan by mode, gain by nonlinearity.",
    orthogonal = "Orthogonal rows or columns (Saxe et al. 2014).",
    sparse = "A share of zeros in each column, the rest normal (Martens 2010).",
    fans = "The fan_in and fan_out of a weight.",
    skipped = "skipped(fn, ...): runs fn while nothing of nn.init writes.",
  },
  ["nn.Module"] = {
    double = "Floating parameters and buffers as float64, in place.",
    float = "Floating parameters and buffers as float32, in place.",
    half = "Floating parameters and buffers as float16, in place.",
    bfloat16 = "Floating parameters and buffers as bfloat16, in place.",
    cpu = "Everything to the CPU.", cuda = "Everything to a CUDA device, by number or the current one.",
    forward = "What the module computes: define it.",
    named_children = "for name, module in net:named_children(): the modules directly inside.",
    named_buffers = "for name, buffer in net:named_buffers().",
    prepare = "Makes a fresh module ready for fields; run before init.",
  },
  ["nn.functional"] = {
    ctc_loss = "Connectionist temporal classification (Graves et al. 2006); see nn.CTCLoss.",
    dropout1d = "Whole channels of (N, C, L) become 0 with probability p.",
    dropout2d = "Whole channels of (N, C, H, W) become 0 with probability p.",
    dropout3d = "Whole channels of (N, C, D, H, W) become 0 with probability p.",
    upsample_nearest = "interpolate with mode 'nearest', by its older name.",
    upsample_bilinear = "interpolate with mode 'bilinear' and align_corners, by its older name.",
  },
  ["distributions.Distribution"] = {
    log_prob = "The logarithm of the density (or probability) at a value; a value outside the support is an error.",
    entropy = "The entropy, in nats.", cdf = "The probability of at most a value.", icdf = "The inverse of cdf.",
    enumerate_support = "All values of a finite distribution.", perplexity = "exp of the entropy.",
    get_stddev = "The standard deviation; also the property stddev.",
    get_mean = "The mean; also the property mean.", get_variance = "The variance; also the property variance.",
    get_mode = "Where the density is largest; also the property mode.",
    declare = "A new kind of distribution, of its parameters and formulas.",
  },
  distributions = {
    kl_divergence = "The Kullback-Leibler divergence of q from p, in nats.",
    register_kl = "Adds a pair to kl_divergence: register_kl(P, Q, function(p, q) ... end).",
  },
  vision = {
    make_grid = "Pictures (N, C, H, W) side by side as one: make_grid(images, { nrow = 8, padding = 2, pad_value = 0 }).",
    save_image = "A picture, or several as a grid, as a PNG file: save_image(image, path).",
  },
  utils = {
    create_extension = "C sources compiled into a library that Lua calls: create_extension(name, headers, sources, "
      .. "{ build_directory = , libraries = , extra_compile_args = }).",
    options = "Command-line options over a table of defaults: options({ lr = 0.1, out = \"a.png\" }, arg, { out = \".png\" }); the third names files to write, which are refused before anything runs.",
    load_url = "What kiln.load makes of the file at an address, fetched once into model_dir; a hash in its name is "
      .. "checked.",
  },
}
for _, name in ipairs { "max_pool1d", "max_pool2d", "max_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
  "adaptive_max_pool3d", "fractional_max_pool2d", "fractional_max_pool3d" } do
  functions["nn.functional"][name .. "_with_indices"] = name .. ", and where in the input the maxima stand."
end
for _, name in ipairs { "uniform", "normal", "constant", "zeros", "ones", "eye", "trunc_normal", "dirac", "xavier_uniform",
  "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse" } do
  functions["nn.init"][name .. "_"] = functions["nn.init"][name]
end

return {
  functions = functions,
  { "Layers", "nn", layers }, { "Pooling", "nn", pooling }, { "Padding", "nn", padding },
  { "Activations", "nn", activations }, { "Normalisation and dropout", "nn", norms },
  { "Recurrent layers", "nn", recurrent }, { "Attention", "nn", attention }, { "Losses and distances", "nn", losses },
  { "Images", "nn", vision }, { "Containers", "nn", containers }, { "Optimizers", "optim", optimizers },
  { "Schedules of the learning rate", "optim.lr_scheduler", schedules },
  { "Averaged weights", "optim.swa_utils", averages },
  { "Distributions", "distributions", distributions },
  { "Transforms of distributions", "distributions", transforms }, { "Data", "utils.data", data },
  { "Data sets of pictures", "vision.datasets", pictures },
}
