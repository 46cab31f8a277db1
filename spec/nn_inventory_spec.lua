-- Every name of the reference that kiln.nn, optim, distributions and utils.data promise, and
-- newer ones.
local kiln = require "kiln"

local function check(where, what, names)
  for name in names:gmatch "%S+" do
    it(what .. "." .. name, function()
      local v = where[name]
      assert.is_true(v ~= nil, what .. "." .. name .. " is missing")
      local callable = type(v) == "function" or (getmetatable(v) and getmetatable(v).__call ~= nil)
      assert.is_true(callable, what .. "." .. name .. " cannot be called")
    end)
  end
end

describe("the inventory", function()
  check(kiln.nn, "nn", [[
    Module Sequential ModuleList ParameterList Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d AvgPool1d
    AvgPool2d AvgPool3d FractionalMaxPool2d LPPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d ReflectionPad2d
    ReplicationPad2d ReplicationPad3d ZeroPad2d ConstantPad2d ReLU ReLU6 ELU SELU PReLU LeakyReLU
    Threshold Hardtanh Sigmoid Tanh LogSigmoid Softplus Softshrink Softsign Tanhshrink Softmin Softmax
    Softmax2d LogSoftmax BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d
    InstanceNorm3d RNN LSTM GRU RNNCell LSTMCell GRUCell Linear Bilinear Dropout Dropout2d Dropout3d
    AlphaDropout Embedding EmbeddingBag CosineSimilarity PairwiseDistance L1Loss MSELoss
    CrossEntropyLoss NLLLoss PoissonNLLLoss NLLLoss2d KLDivLoss BCELoss BCEWithLogitsLoss
    MarginRankingLoss HingeEmbeddingLoss MultiLabelMarginLoss SmoothL1Loss SoftMarginLoss
    MultiLabelSoftMarginLoss CosineEmbeddingLoss MultiMarginLoss TripletMarginLoss PixelShuffle
    Upsample UpsamplingNearest2d UpsamplingBilinear2d DataParallel
    DistributedDataParallel
  ]])
  check(kiln.nn, "nn", [[
    LayerNorm GroupNorm RMSNorm GELU SiLU Mish Hardswish Identity Flatten Unflatten ModuleDict
    ParameterDict MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder
    TransformerDecoder Transformer CTCLoss HuberLoss GaussianNLLLoss Fold Unfold Parameter CELU GLU
    AdaptiveLogSoftmaxWithLoss TripletMarginWithDistanceLoss Buffer
    SyncBatchNorm FractionalMaxPool3d LazyLinear LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d
    LazyConvTranspose2d LazyConvTranspose3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d
    LazyInstanceNorm2d LazyInstanceNorm3d
    Hardsigmoid Hardshrink RReLU LPPool1d LPPool3d LocalResponseNorm PixelUnshuffle ChannelShuffle
    LinearCrossEntropyLoss RNNBase RNNCellBase
  ]])
  check(kiln.nn.utils, "nn.utils", [[
    clip_grad_norm weight_norm remove_weight_norm PackedSequence pack_padded_sequence
    pad_packed_sequence
    clip_grad_norm_ clip_grad_value spectral_norm pad_sequence pack_sequence parameters_to_vector
    vector_to_parameters get_total_norm clip_grads_with_norm_ unpad_sequence unpack_sequence
    fuse_conv_bn_eval fuse_linear_bn_eval fuse_conv_bn_weights fuse_linear_bn_weights skip_init
  ]])
  check(kiln.nn.utils.parametrize, "nn.utils.parametrize", [[
    register_parametrization remove_parametrizations is_parametrized cached
  ]])
  check(kiln.nn.utils.parametrizations, "nn.utils.parametrizations", "weight_norm spectral_norm orthogonal")
  check(kiln.nn.functional, "nn.functional", [[
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d avg_pool1d avg_pool2d
    avg_pool3d max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d lp_pool2d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_avg_pool3d threshold relu hardtanh relu6 elu selu leaky_relu prelu rrelu glu logsigmoid
    hardshrink tanhshrink softsign softplus softmin softmax softshrink log_softmax tanh sigmoid
    batch_norm normalize linear dropout alpha_dropout dropout2d dropout3d pairwise_distance
    cosine_similarity binary_cross_entropy poisson_nll_loss cosine_embedding_loss cross_entropy
    hinge_embedding_loss kl_div l1_loss mse_loss margin_ranking_loss multilabel_margin_loss
    multilabel_soft_margin_loss multi_margin_loss nll_loss binary_cross_entropy_with_logits
    smooth_l1_loss soft_margin_loss triplet_margin_loss pixel_shuffle pad upsample upsample_nearest
    upsample_bilinear grid_sample affine_grid
    gelu silu mish hardswish celu layer_norm group_norm rms_norm instance_norm embedding embedding_bag
    huber_loss
    gaussian_nll_loss ctc_loss scaled_dot_product_attention interpolate fold unfold gumbel_softmax one_hot
    fractional_max_pool2d fractional_max_pool3d pdist triplet_margin_with_distance_loss
    multi_head_attention_forward linear_cross_entropy max_pool1d_with_indices max_pool2d_with_indices
    max_pool3d_with_indices adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
    adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices
  ]])
  check(kiln.nn.Module, "nn.Module", [[
    add_module apply children cpu cuda double eval float half forward load_state_dict modules
    named_children named_modules named_parameters parameters register_backward_hook register_buffer
    register_forward_hook register_forward_pre_hook register_parameter state_dict train type zero_grad
    eval buffers named_buffers requires_grad_ register_module
    get_submodule set_submodule get_parameter get_buffer register_full_backward_hook
    register_full_backward_pre_hook register_state_dict_post_hook register_load_state_dict_pre_hook
    register_load_state_dict_post_hook register_state_dict_pre_hook to_empty share_memory
  ]])
  check(kiln.nn.init, "nn.init", [[
    calculate_gain uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform
    kaiming_normal orthogonal sparse
    uniform_ normal_ constant_ ones_ zeros_ trunc_normal_ xavier_uniform_ kaiming_normal_ orthogonal_
  ]])
  check(kiln.optim, "optim", [[
    Optimizer Adadelta Adagrad Adam SparseAdam Adamax ASGD LBFGS RMSprop Rprop SGD
    AdamW NAdam RAdam Lion Adafactor Muon
  ]])
  check(kiln.optim.swa_utils, "optim.swa_utils", [[
    AveragedModel SWALR update_bn get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn get_swa_multi_avg_fn
  ]])
  check(kiln.optim.Optimizer, "optim.Optimizer", "add_param_group load_state_dict state_dict step zero_grad "
    .. "register_step_pre_hook register_step_post_hook register_state_dict_post_hook "
    .. "register_load_state_dict_pre_hook register_state_dict_pre_hook register_load_state_dict_post_hook")
  check(kiln.optim.lr_scheduler, "optim.lr_scheduler", [[
    LambdaLR StepLR MultiStepLR ExponentialLR CosineAnnealingLR ReduceLROnPlateau
    LinearLR ConstantLR PolynomialLR MultiplicativeLR CosineAnnealingWarmRestarts OneCycleLR CyclicLR
    SequentialLR ChainedScheduler
  ]])
  check(kiln.distributions, "distributions", [[
    Distribution Bernoulli Categorical Normal Beta Dirichlet Exponential Gamma Laplace Uniform
    Multinomial OneHotCategorical Poisson
    StudentT LogNormal Chi2 Cauchy Geometric kl_divergence
    Binomial ContinuousBernoulli FisherSnedecor Gumbel HalfCauchy HalfNormal Independent InverseGamma
    Kumaraswamy LogisticNormal LowRankMultivariateNormal MixtureSameFamily MultivariateNormal NegativeBinomial
    OneHotCategoricalStraightThrough Pareto RelaxedBernoulli RelaxedOneHotCategorical TransformedDistribution
    VonMises Weibull Transform AbsTransform AffineTransform ComposeTransform ExpTransform IndependentTransform
    PowerTransform SigmoidTransform SoftmaxTransform SoftplusTransform StickBreakingTransform TanhTransform
    register_kl Wishart LKJCholesky GeneralizedPareto CatTransform CorrCholeskyTransform
    CumulativeDistributionTransform LowerCholeskyTransform PositiveDefiniteTransform ReshapeTransform
    StackTransform
  ]])
  check(kiln.distributions.Distribution, "distributions.Distribution", [[
    expand sample rsample sample_n log_prob cdf icdf entropy enumerate_support perplexity
    set_default_validate_args
  ]])
  check(kiln.distributions.Normal, "distributions.Normal", "sample sample_n rsample log_prob entropy")
  check(kiln.utils.data, "utils.data", [[
    Dataset TensorDataset ConcatDataset DataLoader Sampler SequentialSampler RandomSampler
    SubsetRandomSampler WeightedRandomSampler DistributedSampler
    StackDataset ChainDataset
    IterableDataset Subset BatchSampler default_collate random_split get_worker_info TextDataset
  ]])
  check(kiln.vision.datasets, "vision.datasets", "FashionMNIST MNIST")
  check(kiln.utils, "utils", "progress options load_url create_extension")

  it("distributions have mean, variance and stddev", function()
    local d = kiln.distributions.Gamma(2, 4)
    assert.near(0.5, d.mean:item(), 1e-6)
    assert.near(0.125, d.variance:item(), 1e-6)
    assert.near(math.sqrt(0.125), d.stddev:item(), 1e-6)
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
