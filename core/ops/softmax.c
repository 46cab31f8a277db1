/* softmax.c: gradients of softmax and its relatives: one fused pass, or recorded ops where a graph
** is being created.
*/
#include "../internal.h"

void kiln__grad_softmax(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0], *y = c->out[0];
  int64_t dim = c->attr[0].i;
  kiln__give(c, 0,
             c->create ? kiln_mul(y, kiln_sub(g, kiln_sum(kiln_mul(g, y), &dim, 1, true), 1))
                       : kiln_softmax_dx(g, y, dim));
}

void kiln__grad_log_softmax(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0], *y = c->out[0];
  int64_t dim = c->attr[0].i;
  kiln__give(c, 0,
             c->create ? kiln_sub(g, kiln_mul(kiln_exp(y), kiln_sum(g, &dim, 1, true)), 1)
                       : kiln_log_softmax_dx(g, y, dim));
}

/* Puts the dims that a reduction dropped back, with size 1. */
static kiln_tensor *kept(const kiln_grad_call *c, kiln_tensor *x) {
  const kiln_meta *m = &c->in_meta[0];
  if (c->attr[0].i != 0)
    return x;
  uint32_t drop = c->list[0].n <= 0 ? ~0u : 0;
  for (int32_t i = 0; i < c->list[0].n; i++)
    drop |= 1u << c->list[0].v[i];
  for (int32_t i = 0; i < m->ndim; i++) {
    if (drop >> i & 1)
      x = kiln_unsqueeze(x, i);
  }
  return x;
}

void kiln__grad_logsumexp(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_logsumexp_dx(kept(c, c->g[0]), c->in[0], kept(c, c->out[0])));
}
