/* ops/sort.c: shapes and gradients of sorting and choosing by rank: a gradient goes back to the
** places the values came from.
*/
#include "../internal.h"

static kiln_tensor *zeros(const kiln_meta *m) {
  return kiln_full(m->shape, m->ndim, 0, m->dtype, m->device);
}

int32_t kiln__shape_topk(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int64_t k = c->attr[0].i, dim = c->attr[1].i, n = x->ndim ? x->shape[dim] : 1;
  if (k < 0 || k > n) {
    return kiln__fail_op(c->op, KILN_EARG, "k must be in 0..%lld for dim %lld of x, got %lld",
                         (long long)n, (long long)dim + 1, (long long)k);
  }
  for (int32_t i = 0; i < 2; i++) {
    out[i].ndim = x->ndim;
    memcpy(out[i].shape, x->shape, sizeof out[i].shape);
    if (x->ndim > 0)
      out[i].shape[dim] = k;
  }
  if (x->ndim == 0 && k == 0)
    return kiln__fail_op(c->op, KILN_EARG, "k is 0 for a 0-dim tensor");
  return KILN_OK;
}

/* (x, ..., dim, keepdim): one element of each line, so lines must not be empty. */
int32_t kiln__shape_pick(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int64_t dim = c->attr[kiln__ops[c->op].n_attr - 2].i;
  int64_t n = dim == KILN_NONE ? x->numel : x->ndim ? x->shape[dim] : 1;
  if (n == 0) {
    return kiln__fail_op(c->op, KILN_EARG, "no elements to choose from: the shape is %s",
                         kiln__shape_text(x->shape, x->ndim));
  }
  return kiln__shape_reduce_dim(c, out);
}

int32_t kiln__shape_kthvalue(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int64_t k = c->attr[0].i, dim = c->attr[1].i, n = x->ndim ? x->shape[dim] : 1;
  if (k < 1 || k > n) {
    return kiln__fail_op(c->op, KILN_EARG, "k must be in 1..%lld for dim %lld of x, got %lld",
                         (long long)n, (long long)dim + 1, (long long)k);
  }
  return kiln__shape_pick(c, out);
}

static void scatter_back(kiln_grad_call *c, int64_t dim, bool kept) {
  kiln_tensor *g = c->g[0], *where = c->out[1];
  if (c->in_meta[0].ndim == 0) {
    kiln__give(c, 0, g);
  } else if (dim == KILN_NONE) {
    kiln__give(c, 0, kiln_put(zeros(&c->in_meta[0]), where, g, false));
  } else {
    if (!kept) {
      g = kiln_unsqueeze(g, dim);
      where = kiln_unsqueeze(where, dim);
    }
    kiln__give(c, 0, kiln_scatter(zeros(&c->in_meta[0]), dim, where, g));
  }
}

void kiln__grad_sort(kiln_grad_call *c) { scatter_back(c, c->attr[0].i, true); }
void kiln__grad_topk(kiln_grad_call *c) { scatter_back(c, c->attr[1].i, true); }
void kiln__grad_kthvalue(kiln_grad_call *c) { scatter_back(c, c->attr[1].i, c->attr[2].i != 0); }
void kiln__grad_median_along(kiln_grad_call *c) {
  scatter_back(c, c->attr[1].i, c->attr[2].i != 0);
}

/* Elements that equal the median share its gradient; NaN equals NaN. */
void kiln__grad_median_of_all(kiln_grad_call *c) {
  kiln_tensor *x = c->in[0], *out = c->out[0];
  kiln_tensor *nan = kiln_logical_and(kiln_isnan(x), kiln_isnan(out));
  kiln_tensor *mask = kiln_logical_or(kiln_eq(x, out), nan);
  kiln_tensor *sharing = kiln_count_nonzero(mask, NULL, 0, false);
  kiln__give(c, 0, kiln_mul(kiln_div(c->g[0], sharing), mask));
}
void kiln__grad_mode(kiln_grad_call *c) { scatter_back(c, c->attr[0].i, c->attr[1].i != 0); }
