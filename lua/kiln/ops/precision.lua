--- What autocast (kiln.amp) does with ops: `low` ones run in half precision, `wide` ones in float32.
-- Products gain speed and lose nothing, because they are summed in float32 anyway; functions that
-- overflow or cancel, long sums and losses do not bear a short fraction.  All other ops take what
-- they are given, and mixed inputs promote.  Read by kiln.ops; names are rows of the op table.
return {
  low = [[mm bmm mv dot linear addmm addmv addr baddbmm addbmm convolution attention]],
  wide = [[
    pow reciprocal rsqrt exp exp2 expm1 log log2 log10 log1p xlogy tan acos asin cosh sinh erfinv logit lgamma
    digamma softplus logsigmoid
    sum mean prod norm var std cumsum cumprod logcumsumexp
    softmax log_softmax logsumexp layer_norm rms_norm group_norm
    squared_error absolute_error smooth_l1_error huber_error bernoulli_nll bernoulli_nll_logits
    bernoulli_nll_weighted kl_error kl_error_log soft_margin_error class_nll softmax_nll multilabel_margin
  ]],
}
