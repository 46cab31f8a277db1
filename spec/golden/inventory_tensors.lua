--- Names of the reference that kiln promises for tensors: functions, methods, what storages have.
-- inventory_tensors_spec.lua walks them.  "repeat" is a word of Lua, so it is reached as x["repeat"], and
-- as tile; every other name is spelt as it is there.
return {
  functions = [[
    is_tensor is_storage set_default_tensor_type numel set_printoptions set_default_dtype
    get_default_dtype tensor eye from_numpy linspace logspace ones ones_like arange range zeros
    zeros_like empty empty_like full full_like cat chunk gather index_select masked_select
    narrow nonzero reshape split squeeze stack t take transpose unbind unsqueeze where
    manual_seed initial_seed get_rng_state set_rng_state default_generator bernoulli multinomial
    normal rand rand_like randn randn_like randint randperm bernoulli_ cauchy_ exponential_
    geometric_ log_normal_ normal_ random_ uniform_ save load get_num_threads set_num_threads
    no_grad enable_grad set_grad_enabled is_grad_enabled abs acos add addcdiv addcmul asin atan
    atan2 ceil clamp cos cosh digamma div erf erfc erfinv exp expm1 floor fmod frac lerp lgamma
    log log10 log1p log2 mul neg polygamma pow reciprocal remainder round rsqrt sigmoid sign sin
    sinh sqrt sub tan tanh trunc argmax argmin all any cumprod cumsum dist logsumexp mean median
    mode norm prod std sum unique var allclose eq equal ge gt isnan isinf isfinite kthvalue le
    lt max min ne sort topk argsort cross diag diagonal einsum flip histc bincount renorm trace
    tril triu flatten meshgrid tensordot addbmm addmm addmv addr baddbmm bmm btrifact btrisolve
    btriunpack det logdet slogdet dot eig gels geqrf ger gesv inverse matmul matrix_power mm mv
    orgqr ormqr pinverse potrf potri potrs pstrf qr svd symeig trtrs
  ]],
  methods = [[
    abs abs_ acos acos_ add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm addmm_
    addmv addmv_ addr addr_ apply_ asin asin_ atan atan2 atan2_ atan_ baddbmm baddbmm_ bernoulli
    bernoulli_ bmm byte cauchy_ ceil ceil_ char chunk clamp clamp_ clone contiguous copy_ cos
    cos_ cosh cosh_ cpu cross cuda cumprod cumsum data_ptr diag dim dist div div_ dot double eig
    element_size eq eq_ equal exp exp_ expand expand_as exponential_ fill_ float floor floor_
    fmod fmod_ frac frac_ gather ge ge_ gels geometric_ geqrf ger gesv gt gt_ half histc index
    index_add_ index_copy_ index_fill_ index_select int inverse is_contiguous is_cuda is_pinned
    is_set_to is_signed kthvalue le le_ lerp lerp_ log log1p log1p_ log_ log_normal_ long lt lt_
    map_ masked_copy_ masked_scatter_ masked_fill_ masked_select matmul max mean median min mm
    mode mul mul_ multinomial mv narrow ndimension ne ne_ neg neg_ nelement new nonzero norm
    normal_ numel numpy orgqr ormqr permute pin_memory potrf potri potrs pow pow_ prod pstrf
    put_ qr random_ reciprocal reciprocal_ remainder remainder_ renorm renorm_ repeat resize_
    resize_as_ round round_ rsqrt rsqrt_ scatter_ scatter_add_ select set_ share_memory_ short
    sigmoid sigmoid_ sign sign_ sin sin_ sinh sinh_ size sort split sqrt sqrt_ squeeze squeeze_
    std storage storage_offset storage_type stride sub sub_ sum svd symeig t t_ take tan tan_
    tanh tanh_ tolist topk trace transpose transpose_ tril tril_ triu triu_ trtrs trunc trunc_
    type type_as unfold uniform_ unsqueeze unsqueeze_ var view view_as zero_ item to
  ]],
  storage = [[
    bool byte char clone copy_ cpu cuda data_ptr double element_size fill_ float from_buffer
    half int is_cuda is_pinned is_shared is_sparse long new pin_memory resize_ share_memory_
    short size tolist type
  ]],
  -- Not in the reference of old, but expected today.
  newer = [[
    einsum where roll repeat_interleave bincount unique logsumexp one_hot clamp masked_scatter
    index_put take_along_dim isclose cdist tril_indices triu_indices searchsorted nan_to_num
    amax amin aminmax count_nonzero flip rot90 movedim unflatten lstsq solve cholesky eigh tile
  ]],
}
