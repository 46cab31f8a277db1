/* ops/reduce.c: shapes and gradients of reductions. */
#include "../internal.h"

#include <math.h>

/* -- Shapes ---------------------------------------------------------------------------------- */

int32_t kiln__shape_reduce(const kiln_call *c, kiln_meta *out);
int32_t kiln__shape_reduce_dim(const kiln_call *c, kiln_meta *out);

static uint32_t dropped(const kiln_list *dims) {
  uint32_t drop = dims->n > 0 ? 0 : ~0u;
  for (int32_t i = 0; i < dims->n; i++)
    drop |= 1u << dims->v[i];
  return drop;
}

static int32_t check_not_empty(const kiln_call *c, uint32_t drop) {
  const kiln_tensor *x = c->in[0];
  for (int32_t i = 0; i < x->ndim; i++) {
    if (!(drop >> i & 1) || x->shape[i] > 0)
      continue;
    return kiln__fail_op(c->op, KILN_EARG, "dim %d of x, of shape %s, is empty: there is no result",
                         i + 1, kiln__shape_text(x->shape, x->ndim));
  }
  return KILN_OK;
}

/* Rows with (x, dims, keepdim) that have no result for no elements. */
int32_t kiln__shape_extreme(const kiln_call *c, kiln_meta *out) {
  int32_t status = check_not_empty(c, dropped(&c->list[0]));
  return status < 0 ? status : kiln__shape_reduce(c, out);
}

/* The same with (x, dim, keepdim). */
int32_t kiln__shape_extreme_along(const kiln_call *c, kiln_meta *out) {
  int64_t dim = c->attr[0].i;
  int32_t status = check_not_empty(c, dim == KILN_NONE ? ~0u : 1u << dim);
  return status < 0 ? status : kiln__shape_reduce_dim(c, out);
}

/* (x, dims, unbiased, keepdim, correction) */
int32_t kiln__shape_var(const kiln_call *c, kiln_meta *out) {
  kiln_call usual = *c;
  usual.attr[2] = c->attr[1]; /* keepdim stands last in the usual rows */
  return kiln__shape_reduce(&usual, out);
}

/* -- Helpers --------------------------------------------------------------------------------- */

/* What a reduction over list[0] gave, in a shape that broadcasts against its input. */
static kiln_tensor *unreduced(kiln_grad_call *c, kiln_tensor *y) {
  const kiln_meta *m = &c->in_meta[0];
  int64_t shape[KILN_MAX_DIMS];
  uint32_t drop = dropped(&c->list[0]);
  for (int32_t i = 0; i < m->ndim; i++)
    shape[i] = drop >> i & 1 ? 1 : m->shape[i];
  if (y && !kiln__is_contiguous(y))
    y = kiln_clone(y);
  return kiln_view(y, shape, m->ndim);
}

static kiln_tensor *expanded(kiln_grad_call *c) {
  return kiln_expand(unreduced(c, c->g[0]), c->in_meta[0].shape, c->in_meta[0].ndim);
}

/* How many elements each result is made of. */
static double count_of(const kiln_grad_call *c) {
  double n = 1;
  uint32_t drop = dropped(&c->list[0]);
  for (int32_t i = 0; i < c->in_meta[0].ndim; i++) {
    if (drop >> i & 1)
      n *= (double)c->in_meta[0].shape[i];
  }
  return n;
}

/* x / y, 0 where y is 0. */
static kiln_tensor *safe_div(kiln_tensor *x, kiln_tensor *y) {
  return kiln_where(kiln_eq(y, kiln_number(0)), kiln_number(0), kiln_div(x, y));
}

/* -- Sums ------------------------------------------------------------------------------------ */

void kiln__grad_sum(kiln_grad_call *c) { kiln__give(c, 0, expanded(c)); }

void kiln__grad_mean(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_mul(expanded(c), kiln_number(1 / count_of(c))));
}

/* list[0]: the shape to sum to; the input must be a broadcast of it. */
int32_t kiln__shape_sum_to(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  const kiln_list *size = &c->list[0];
  int32_t lead = x->ndim - size->n;
  bool fits = lead >= 0;
  for (int32_t d = 0; fits && d < size->n; d++)
    fits = size->v[d] == x->shape[lead + d] || size->v[d] == 1;
  if (!fits) {
    return kiln__fail_op(c->op, KILN_EARG, "size %s does not broadcast to the shape of x, %s",
                         kiln__shape_text(size->v, size->n), kiln__shape_text(x->shape, x->ndim));
  }
  out->ndim = (uint8_t)size->n;
  memcpy(out->shape, size->v, (size_t)size->n * sizeof *out->shape);
  return KILN_OK;
}

void kiln__grad_sum_to(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_expand(c->g[0], c->in_meta[0].shape, c->in_meta[0].ndim));
}

/* -- Products -------------------------------------------------------------------------------- */

/* g times the product of the others, from running products of what is before and after: right, and
** differentiable again, whatever is zero or infinite. */
static kiln_tensor *times_others(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  uint32_t drop = dropped(&c->list[0]);
  int64_t order[KILN_MAX_DIMS], back[KILN_MAX_DIMS], moved[KILN_MAX_DIMS], flat[KILN_MAX_DIMS + 1];
  int32_t n = 0, last;
  int64_t count = 1;
  for (int32_t i = 0; i < m->ndim; i++) {
    if (!(drop >> i & 1))
      order[n++] = i;
  }
  last = n;
  for (int32_t i = 0; i < m->ndim; i++) {
    if (drop >> i & 1)
      order[n++] = i;
  }
  for (int32_t i = 0; i < n; i++) {
    moved[i] = m->shape[order[i]];
    back[order[i]] = i;
    if (i < last)
      flat[i] = moved[i];
    else
      count *= moved[i];
  }
  if (count < 2)
    return expanded(c);
  flat[last] = count;
  kiln_tensor *x = kiln_view(kiln_clone(kiln_permute(c->in[0], order, n)), flat, last + 1);
  flat[last] = 1;
  kiln_tensor *one = kiln_full(flat, last + 1, 1, m->dtype, m->device);
  kiln_tensor *g = c->g[0];
  if (g && !kiln__is_contiguous(g))
    g = kiln_clone(g);
  g = kiln_view(g, flat, last + 1);
  kiln_tensor *before[] = {one, kiln_slice(kiln_cumprod(x, last, false), last, 0, count - 2, 1)};
  kiln_tensor *after[] = {kiln_slice(kiln_cumprod(x, last, true), last, 1, count - 1, 1), one};
  kiln_tensor *slope = kiln_mul(kiln_cat(before, 2, last), kiln_cat(after, 2, last));
  return kiln_permute(kiln_view(kiln_mul(g, slope), moved, n), back, n);
}

void kiln__grad_prod(kiln_grad_call *c) { kiln__give(c, 0, times_others(c)); }

/* -- Extremes -------------------------------------------------------------------------------- */

/* Elements for which `mask` holds share g. */
static void give_shared(kiln_grad_call *c, kiln_tensor *g, kiln_tensor *mask) {
  const kiln_list *dims = &c->list[0];
  kiln_tensor *sharing = kiln_count_nonzero(mask, dims->v, dims->n, true);
  kiln__give(c, 0, kiln_mul(kiln_div(g, sharing), mask));
}

static void grad_extreme(kiln_grad_call *c) {
  give_shared(c, unreduced(c, c->g[0]), kiln_eq_or_nan(c->in[0], unreduced(c, c->out[0])));
}
void kiln__grad_amax(kiln_grad_call *c) { grad_extreme(c); }
void kiln__grad_amin(kiln_grad_call *c) { grad_extreme(c); }

/* g goes where the element was. */
static void grad_along(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  int64_t dim = c->attr[0].i;
  kiln_tensor *g = c->g[0], *at = c->out[1];
  if (m->ndim == 0) {
    kiln__give(c, 0, g);
    return;
  }
  if (c->out_meta[0].ndim < m->ndim) {
    g = kiln_unsqueeze(g, dim);
    at = kiln_unsqueeze(at, dim);
  }
  kiln_tensor *zeros = kiln_full(m->shape, m->ndim, 0, m->dtype, m->device);
  kiln__give(c, 0, kiln_scatter(zeros, dim, at, g));
}
void kiln__grad_max_along(kiln_grad_call *c) { grad_along(c); }
void kiln__grad_min_along(kiln_grad_call *c) { grad_along(c); }

/* -- Norms and moments ------------------------------------------------------------------------- */

void kiln__grad_norm(kiln_grad_call *c) {
  kiln_tensor *x = c->in[0], *g = unreduced(c, c->g[0]), *out = unreduced(c, c->out[0]);
  const double p = c->attr[0].f;
  if (p == 0) {
    kiln__give(c, 0, kiln_mul(kiln_sign(x), kiln_number(0)));
  } else if (p == 1) {
    kiln__give(c, 0, kiln_mul(g, kiln_sign(x)));
  } else if (p == 2) {
    kiln__give(c, 0, kiln_mul(x, safe_div(g, out)));
  } else if (isinf(p)) {
    give_shared(c, kiln_mul(g, kiln_sign(x)), kiln_eq_or_nan(kiln_abs(x), out));
  } else {
    /* Powers of shares of the norm stay in range.  Of 0 a power may have no slope. */
    kiln_tensor *none = kiln_logical_or(kiln_eq(x, kiln_number(0)), kiln_eq(out, kiln_number(0)));
    kiln_tensor *one = kiln_number_int(1), *size = kiln_where(none, one, out);
    kiln_tensor *share = kiln_div(kiln_where(none, one, kiln_abs(x)), size);
    kiln_tensor *power = kiln_mul(kiln_sign(x), kiln_pow(share, kiln_number(p - 1)));
    kiln__give(c, 0, kiln_mul(g, kiln_where(none, kiln_number(0), power)));
  }
}

/* (x, dims, unbiased, keepdim, correction): x less its mean, over the count less the correction. */
static kiln_tensor *distances(kiln_grad_call *c, double times) {
  const kiln_list *dims = &c->list[0];
  double less = isnan(c->attr[2].f) ? (double)(c->attr[0].i != 0) : c->attr[2].f;
  double by = count_of(c) - less;
  kiln_tensor *apart = kiln_sub(c->in[0], kiln_mean(c->in[0], dims->v, dims->n, true), 1);
  return kiln_mul(apart, kiln_number(times / (by > 0 ? by : 0)));
}

void kiln__grad_var(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_mul(unreduced(c, c->g[0]), distances(c, 2)));
}

void kiln__grad_std(kiln_grad_call *c) {
  kiln__give(c, 0,
             kiln_mul(safe_div(unreduced(c, c->g[0]), unreduced(c, c->out[0])), distances(c, 1)));
}
