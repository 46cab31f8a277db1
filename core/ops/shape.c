/* ops/shape.c: joining tensors: shapes and gradients. */
#include "../internal.h"

/* All inputs agree but for dim.  1-dim tensors of size 0 are skipped, as in the reference. */
static bool is_skipped(const kiln_tensor *x) { return x->ndim == 1 && x->shape[0] == 0; }

int32_t kiln__shape_cat(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *first = NULL;
  for (int32_t i = 0; i < c->n_in && !first; i++) {
    if (!is_skipped(c->in[i]))
      first = c->in[i];
  }
  if (!first)
    first = c->in[0];
  int64_t dim = c->attr[0].i;
  if (first->ndim == 0) {
    return kiln__fail_op(c->op, KILN_EARG, "0-dim tensors cannot be joined; use stack");
  }
  if (dim >= first->ndim) {
    return kiln__fail_op(c->op, KILN_EARG, "dim %lld is out of range for a %d-dim tensor",
                         (long long)dim + 1, first->ndim);
  }
  out->ndim = first->ndim;
  memcpy(out->shape, first->shape, sizeof first->shape);
  out->shape[dim] = 0;
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (is_skipped(x))
      continue;
    for (int32_t d = 0; d < first->ndim || d < x->ndim; d++) {
      if (x->ndim == first->ndim && (d == dim || x->shape[d] == first->shape[d]))
        continue;
      return kiln__fail_op(c->op, KILN_EARG, "tensor %d has shape %s, the first one %s", i + 1,
                           kiln__shape_text(x->shape, x->ndim),
                           kiln__shape_text(first->shape, first->ndim));
    }
    if (__builtin_add_overflow(out->shape[dim], x->shape[dim], &out->shape[dim])) {
      return kiln__fail_op(c->op, KILN_EARG, "the sizes of dim %lld add up to more than 2^63",
                           (long long)dim + 1);
    }
  }
  return KILN_OK;
}

/* Each input gets its own stretch of g. */
void kiln__grad_cat(kiln_grad_call *c) {
  int64_t dim = c->attr[0].i, at = 0;
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_meta *m = &c->in_meta[i];
    if (m->ndim == 1 && m->shape[0] == 0) {
      kiln__give(c, i, kiln_full(m->shape, m->ndim, 0, m->dtype, m->device));
      continue;
    }
    if (kiln__wants(c, i) && m->shape[dim] == 0) {
      kiln__give(c, i, kiln_full(m->shape, m->ndim, 0, m->dtype, m->device));
    } else if (kiln__wants(c, i)) {
      kiln__give(c, i, kiln_slice(c->g[0], dim, at, at + m->shape[dim] - 1, 1));
    }
    at += m->shape[dim];
  }
}
