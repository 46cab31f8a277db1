/* ops/scan.c: gradients of running sums, products and extremes.  `reverse` scans from the end, so
** the gradient of a running sum is one running sum.
*/
#include "rules.h"

void kiln__grad_cumsum(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_cumsum(c->g[0], c->attr[0].i, !c->attr[1].i));
}

/* Position k of the result: the sum of g times the products without x[k], made of recorded ops for
** second derivatives.  Needed where x has a zero; costs a scan for each position. */
static kiln_tensor *cumprod_without_each(kiln_grad_call *c, kiln_tensor *x) {
  int64_t dim = c->attr[0].i, reverse = c->attr[1].i, n = c->in_meta[0].shape[dim];
  kiln_tensor *result = NULL;
  for (int64_t k = 0; k < n; k++) {
    int64_t place = k + KILN_INDEX_BASE;
    kiln_tensor *at = kiln_full(NULL, 0, (double)place, KILN_INT64, x->device);
    kiln_tensor *without =
        kiln_cumprod(kiln_index_fill(x, dim, at, kiln_number_int(1)), dim, reverse);
    kiln_tensor *g = kiln_slice(c->g[0], dim, reverse ? 0 : k, reverse ? k : n - 1, 1);
    without = kiln_slice(without, dim, reverse ? 0 : k, reverse ? k : n - 1, 1);
    int64_t dims[] = {dim};
    kiln_tensor *term = kiln_sum(kiln_mul(g, without), dims, 1, true);
    if (!result) {
      result = kiln_full(c->in_meta[0].shape, c->in_meta[0].ndim, 0, c->in_meta[0].dtype,
                         c->in_meta[0].device);
    }
    result = kiln_index_copy(result, dim, at, term);
  }
  return result;
}

void kiln__grad_cumprod(kiln_grad_call *c) {
  kiln_tensor *x = c->in[0];
  int64_t dim = c->attr[0].i, reverse = c->attr[1].i;
  if (!c->create) {
    kiln__give(c, 0, kiln_cumprod_dx(c->g[0], x, dim, reverse));
    return;
  }
  int zero = c->in_meta[0].ndim > 0 && c->in_meta[0].shape[dim] > 1 ? kiln__has_zero(x) : 0;
  if (zero < 0)
    return;
  if (c->in_meta[0].ndim == 0 || c->in_meta[0].shape[dim] <= 1) {
    kiln__give(c, 0, c->g[0]);
  } else if (zero) {
    kiln__give(c, 0, cumprod_without_each(c, x));
  } else {
    kiln_tensor *y = kiln_cumprod(x, dim, reverse);
    kiln__give(c, 0, kiln_div(kiln_cumsum(kiln_mul(c->g[0], y), dim, !reverse), x));
  }
}

/* (g, x, ...): all of one shape. */
int32_t kiln__shape_scan_slope(const kiln_call *c, kiln_meta *out) {
  if (!kiln__same_shape(c->in[0], c->in[1])) {
    return kiln__fail_op(c->op, KILN_EARG, "g is %s and x %s",
                         kiln__shape_text(c->in[0]->shape, c->in[0]->ndim),
                         kiln__shape_text(c->in[1]->shape, c->in[1]->ndim));
  }
  out->ndim = c->in[1]->ndim;
  memcpy(out->shape, c->in[1]->shape, sizeof out->shape);
  return KILN_OK;
}

/* logcumsumexp_dx gives sum over i >= k of g_i exp(x_k - y_i), _jvp sum over k <= i of the same
** with g_k: each is the other's gradient by g. */
void kiln__grad_logcumsumexp(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_logcumsumexp_dx(c->g[0], c->in[0], c->out[0], c->attr[0].i, c->attr[1].i));
}

void kiln__grad_logcumsumexp_dx(kiln_grad_call *c) {
  kiln_tensor *slope =
      kiln_logcumsumexp_jvp(c->g[0], c->in[1], c->in[2], c->attr[0].i, c->attr[1].i);
  if (kiln__wants(c, 0))
    kiln__give(c, 0, slope);
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_mul(c->g[0], c->out[0]));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_neg(kiln_mul(c->in[0], slope)));
}

void kiln__grad_logcumsumexp_jvp(kiln_grad_call *c) {
  kiln_tensor *slope =
      kiln_logcumsumexp_dx(c->g[0], c->in[1], c->in[2], c->attr[0].i, c->attr[1].i);
  if (kiln__wants(c, 0))
    kiln__give(c, 0, slope);
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_mul(c->in[0], slope));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_neg(kiln_mul(c->g[0], c->out[0])));
}

static void grad_extreme(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  kiln_tensor *zeros = kiln_full(m->shape, m->ndim, 0, m->dtype, m->device);
  kiln__give(c, 0, kiln_scatter_add(zeros, c->attr[0].i, c->out[1], c->g[0]));
}
void kiln__grad_cummax(kiln_grad_call *c) { grad_extreme(c); }
void kiln__grad_cummin(kiln_grad_call *c) { grad_extreme(c); }
