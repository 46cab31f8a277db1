/* attention.c: attention: what fits together, and its gradient: one kernel that computes the
** weights again, or recorded ops where a graph is being created.
*/
#include "matrices.h"

#include <math.h>

enum { Q, K, V };          /* inputs of attention */
enum { SCALE, CAUSAL };    /* attributes of both rows */
enum { OF_Q, OF_K, OF_V }; /* outputs of attention_dx */

static void like(kiln_meta *out, const kiln_tensor *x) {
  out->ndim = x->ndim;
  memcpy(out->shape, x->shape, (size_t)x->ndim * sizeof *x->shape);
}

int32_t kiln__shape_attention(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *q = c->in[Q], *k = c->in[K], *v = c->in[V];
  int32_t lead = q->ndim - 2;
  size_t same = lead > 0 ? (size_t)lead * sizeof *q->shape : 0;
  if (lead < 0 || k->ndim != q->ndim || v->ndim != q->ndim ||
      memcmp(q->shape, k->shape, same) != 0 || memcmp(q->shape, v->shape, same) != 0 ||
      cols_of(q) != cols_of(k) || rows_of(k) != rows_of(v)) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "q, k and v must be [..., L, E], [..., S, E] and [..., S, V], their "
                         "shapes are %s, %s and %s",
                         kiln__shape_text(q->shape, q->ndim), kiln__shape_text(k->shape, k->ndim),
                         kiln__shape_text(v->shape, v->ndim));
  }
  like(&out[0], q);
  out[0].shape[q->ndim - 1] = cols_of(v);
  like(&out[1], q);
  out[1].ndim--;
  return KILN_OK;
}

int32_t kiln__shape_attention_dx(const kiln_call *c, kiln_meta *out) {
  for (int32_t i = 0; i < 3; i++)
    like(&out[i], c->in[1 + i]);
  return KILN_OK;
}

/* x and y of the same number of dims, their product scaled. */
static kiln_tensor *scaled(kiln_tensor *x, kiln_tensor *y, double scale) {
  return kiln_mul(times(x, y), kiln_number(scale));
}

static void compose(kiln_grad_call *c) {
  kiln_tensor *q = c->in[Q], *k = c->in[K], *v = c->in[V], *g = c->g[0];
  double scale = c->attr[SCALE].f;
  int64_t last = q->ndim - 1, size[] = {rows_of(q), rows_of(k)};
  kiln_tensor *scores = scaled(q, flipped(k), scale);
  if (c->attr[CAUSAL].i) {
    kiln_tensor *hidden = kiln_full(size, 2, -(double)INFINITY, q->dtype, q->device);
    scores = kiln_add(scores, kiln_triu(hidden, 1), 1);
  }
  kiln_tensor *weights = kiln_softmax(scores, last), *d_weights = times(g, flipped(v));
  kiln_tensor *mean = kiln_sum(kiln_mul(d_weights, weights), &last, 1, true);
  kiln_tensor *d_scores = kiln_mul(weights, kiln_sub(d_weights, mean, 1));
  if (kiln__wants(c, Q))
    kiln__give(c, Q, scaled(d_scores, k, scale));
  if (kiln__wants(c, K))
    kiln__give(c, K, scaled(flipped(d_scores), q, scale));
  if (kiln__wants(c, V))
    kiln__give(c, V, times(flipped(weights), g));
}

void kiln__grad_attention(kiln_grad_call *c) {
  kiln_tensor *d[3];
  if (c->create) {
    compose(c);
    return;
  }
  if (kiln_attention_dx(c->g[0], c->in[Q], c->in[K], c->in[V], c->out[0], c->out[1],
                        c->attr[SCALE].f, c->attr[CAUSAL].i, d) < 0) {
    return;
  }
  for (int32_t i = OF_Q; i <= OF_V; i++) {
    if (kiln__wants(c, i))
      kiln__give(c, i, d[i]);
  }
}
