/* ops/reduce.c: shapes and gradients of reductions. */
#include "../internal.h"

/* The gradient of a (dims, keepdim) reduction in a shape that broadcasts against the input. */
static kiln_tensor *unreduced(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  int64_t shape[KILN_MAX_DIMS];
  uint32_t drop = c->list[0].n <= 0 ? ~0u : 0;
  for (int32_t i = 0; i < c->list[0].n; i++) drop |= 1u << c->list[0].v[i];
  for (int32_t i = 0; i < m->ndim; i++) shape[i] = drop >> i & 1 ? 1 : m->shape[i];
  kiln_tensor *g = c->g[0];
  if (g && !kiln__is_contiguous(g)) g = kiln_clone(g);
  return kiln_view(g, shape, m->ndim);
}

static kiln_tensor *expanded(kiln_grad_call *c) {
  return kiln_expand(unreduced(c), c->in_meta[0].shape, c->in_meta[0].ndim);
}

void kiln__grad_sum(kiln_grad_call *c) { kiln__give(c, 0, expanded(c)); }

void kiln__grad_mean(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  double n = 1;
  for (int32_t i = 0; i < m->ndim; i++) n *= (double)m->shape[i];
  for (int32_t i = 0; i < c->out_meta[0].ndim; i++) n /= (double)c->out_meta[0].shape[i];
  kiln__give(c, 0, kiln_mul(expanded(c), kiln_number(1 / n)));
}

/* list[0]: the shape to sum to; the input must be a broadcast of it. */
int32_t kiln__shape_sum_to(const kiln_call *c, kiln_meta *out) {
  out->ndim = (uint8_t)c->list[0].n;
  memcpy(out->shape, c->list[0].v, (size_t)c->list[0].n * sizeof *out->shape);
  return KILN_OK;
}

void kiln__grad_sum_to(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_expand(c->g[0], c->in_meta[0].shape, c->in_meta[0].ndim));
}
