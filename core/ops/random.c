/* random.c: shapes, checks of parameters and gradients of the random family.
** Filling an existing tensor is not differentiable; a gamma draw is, by implicit differentiation.
*/
#include "../internal.h"

#include <math.h>

static int32_t like_first(const kiln_call *c, kiln_meta *out) {
  out->ndim = c->in[0]->ndim;
  memcpy(out->shape, c->in[0]->shape, sizeof out->shape);
  return KILN_OK;
}

/* A parameter must be within [low, high]; NaN never is. */
static int32_t within(const kiln_call *c, int32_t k, double low, double high, const char *what) {
  double v = c->attr[k].f;
  if (v >= low && v <= high)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "%s must be %s, got %g", kiln__ops[c->op].attr_names[k],
                       what, v == v ? v : __builtin_nan(""));
}

#define FINITE -1.7976931348623157e308, 1.7976931348623157e308, "finite"
#define POSITIVE 4.9406564584124654e-324, 1.7976931348623157e308, "above 0 and finite"

/* The largest number of a floating dtype. */
static double largest(int32_t dtype) {
  switch (dtype) {
  case KILN_FLOAT16:
    return 65504;
  case KILN_BFLOAT16:
    return 0x1.fep127;
  case KILN_FLOAT32:
    return 0x1.fffffep127;
  default:
    return 1.7976931348623157e308;
  }
}

int32_t kiln__shape_uniform(const kiln_call *c, kiln_meta *out) {
  const double from = c->attr[0].f, to = c->attr[1].f, most = largest(c->in[0]->dtype);
  if (within(c, 0, FINITE) < 0 || within(c, 1, FINITE) < 0)
    return KILN_EARG;
  for (int32_t k = 0; k < 2; k++) {
    if (fabs(c->attr[k].f) > most) {
      return kiln__fail_op(c->op, KILN_EARG, "%s is %g, which %s cannot hold",
                           kiln__ops[c->op].attr_names[k], c->attr[k].f,
                           kiln_dtype_name(c->in[0]->dtype));
    }
  }
  if (to - from > most) {
    return kiln__fail_op(c->op, KILN_EARG, "from %g to %g is wider than %s can hold", from, to,
                         kiln_dtype_name(c->in[0]->dtype));
  }
  if (c->attr[0].f > c->attr[1].f) {
    return kiln__fail_op(c->op, KILN_EARG, "from %g is above to %g", c->attr[0].f, c->attr[1].f);
  }
  return like_first(c, out);
}

/* (mean, std): normal and log_normal. */
int32_t kiln__shape_normal(const kiln_call *c, kiln_meta *out) {
  if (within(c, 1, 0, 1.7976931348623157e308, "at least 0 and finite") < 0)
    return KILN_EARG;
  return like_first(c, out);
}

int32_t kiln__shape_exponential(const kiln_call *c, kiln_meta *out) {
  if (within(c, 0, POSITIVE) < 0)
    return KILN_EARG;
  return like_first(c, out);
}

int32_t kiln__shape_geometric(const kiln_call *c, kiln_meta *out) {
  if (within(c, 0, 4.9406564584124654e-324, 1, "above 0 and at most 1") < 0)
    return KILN_EARG;
  return like_first(c, out);
}

int32_t kiln__shape_cauchy(const kiln_call *c, kiln_meta *out) {
  if (within(c, 0, FINITE) < 0 || within(c, 1, POSITIVE) < 0)
    return KILN_EARG;
  return like_first(c, out);
}

/* The largest whole number a dtype holds together with all below it. */
static int64_t most_whole(int32_t dtype) {
  static const int64_t most[KILN_DTYPE_COUNT] = {
      [KILN_FLOAT32] = 1 << 24, [KILN_FLOAT64] = INT64_C(1) << 53,
      [KILN_FLOAT16] = 1 << 11, [KILN_BFLOAT16] = 1 << 8,
      [KILN_INT8] = INT8_MAX,   [KILN_UINT8] = UINT8_MAX,
      [KILN_INT16] = INT16_MAX, [KILN_INT32] = INT32_MAX,
      [KILN_INT64] = INT64_MAX, [KILN_BOOL] = 1,
  };
  return most[dtype];
}

/* (from, to): whole numbers from..to - 1 that x's dtype can hold. */
int32_t kiln__shape_random_range(const kiln_call *c, kiln_meta *out) {
  int64_t from = c->attr[0].i, to = c->attr[1].i;
  int32_t dtype = c->in[0]->dtype;
  int64_t most = most_whole(dtype);
  int64_t least = kiln__is_float(dtype)                       ? -most
                  : dtype == KILN_UINT8 || dtype == KILN_BOOL ? 0
                                                              : -most - 1;
  if (from >= to) {
    return kiln__fail_op(c->op, KILN_EARG, "from %lld must be below to %lld", (long long)from,
                         (long long)to);
  }
  if (from < least || to - 1 > most) {
    return kiln__fail_op(c->op, KILN_EARG, "%s does not hold every number of %lld..%lld",
                         kiln_dtype_name(dtype), (long long)from, (long long)(to - 1));
  }
  return like_first(c, out);
}

int32_t kiln__shape_bernoulli(const kiln_call *c, kiln_meta *out) {
  like_first(c, out);
  if (kiln__broadcast(c->op, out, c->in[1]->shape, c->in[1]->ndim) < 0)
    return KILN_EARG;
  if (out->ndim != c->in[0]->ndim ||
      memcmp(out->shape, c->in[0]->shape, (size_t)out->ndim * sizeof *out->shape) != 0) {
    return kiln__fail_op(c->op, KILN_EARG, "p of shape %s does not broadcast to %s",
                         kiln__shape_text(c->in[1]->shape, c->in[1]->ndim),
                         kiln__shape_text(c->in[0]->shape, c->in[0]->ndim));
  }
  return KILN_OK;
}

int32_t kiln__shape_randperm(const kiln_call *c, kiln_meta *out) {
  int64_t n = c->attr[0].i;
  if (n < 0)
    return kiln__fail_op(c->op, KILN_EARG, "n must be at least 0, got %lld", (long long)n);
  if (n > most_whole(out->dtype)) {
    return kiln__fail_op(c->op, KILN_EARG, "%s does not hold every number of 1..%lld",
                         kiln_dtype_name(out->dtype), (long long)n);
  }
  out->ndim = 1;
  out->shape[0] = n;
  return KILN_OK;
}

int32_t kiln__shape_multinomial(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int64_t n = c->attr[0].i;
  if (x->ndim < 1 || x->ndim > 2) {
    return kiln__fail_op(c->op, KILN_EARG, "weights must be [k] or [rows, k], got shape %s",
                         kiln__shape_text(x->shape, x->ndim));
  }
  if (n < 0)
    return kiln__fail_op(c->op, KILN_EARG, "n must be at least 0, got %lld", (long long)n);
  if (n > 0 && x->shape[x->ndim - 1] == 0) {
    return kiln__fail_op(c->op, KILN_EARG, "%lld draws from 0 weights", (long long)n);
  }
  out->ndim = x->ndim;
  out->shape[0] = x->shape[0];
  out->shape[x->ndim - 1] = n;
  return KILN_OK;
}

/* -- Dropout ------------------------------------------------------------------------------------
 */

int32_t kiln__shape_dropout(const kiln_call *c, kiln_meta *out) {
  if (within(c, 0, 0, 1, "in 0..1") < 0)
    return KILN_EARG;
  like_first(c, &out[0]);
  like_first(c, &out[1]);
  out[1].dtype = KILN_BOOL;
  return KILN_OK;
}

void kiln__grad_dropout(kiln_grad_call *c) {
  double p = c->attr[0].f;
  kiln__give(c, 0, kiln_mask_scale(c->g[0], c->out[1], p < 1 ? 1 / (1 - p) : 0));
}

int32_t kiln__shape_mask_scale(const kiln_call *c, kiln_meta *out) {
  if (!kiln__same_shape(c->in[0], c->in[1])) {
    return kiln__fail_op(c->op, KILN_EARG, "x is %s and mask %s",
                         kiln__shape_text(c->in[0]->shape, c->in[0]->ndim),
                         kiln__shape_text(c->in[1]->shape, c->in[1]->ndim));
  }
  return like_first(c, out);
}

void kiln__grad_mask_scale(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_mask_scale(c->g[0], c->in[1], c->attr[0].f));
}

/* -- Gamma --------------------------------------------------------------------------------------
 */

int32_t kiln__shape_standard_gamma_grad(const kiln_call *c, kiln_meta *out) {
  if (!kiln__same_shape(c->in[0], c->in[1])) {
    return kiln__fail_op(c->op, KILN_EARG, "alpha is %s and sample %s",
                         kiln__shape_text(c->in[0]->shape, c->in[0]->ndim),
                         kiln__shape_text(c->in[1]->shape, c->in[1]->ndim));
  }
  return like_first(c, out);
}

void kiln__grad_standard_gamma(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_mul(c->g[0], kiln_standard_gamma_grad(c->in[0], c->out[0])));
}
