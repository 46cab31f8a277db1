/* optim.c: what an optimizer's step accepts.  The lists of parameters, gradients and state have one
** length, `count`, and tensors at one position have one shape.  It refuses to differentiate.
*/
#include "../internal.h"

int32_t kiln__shape_optim_step(const kiln_call *c, kiln_meta *out) {
  int64_t count = c->attr[0].i, lists = count > 0 ? c->n_in / count : 0;
  (void)out; /* there is no output */
  if (lists < 2 || lists > kiln__ops[c->op].n_in || lists * count != c->n_in) {
    return kiln__fail_op(c->op, KILN_EARG, "%d tensors are no lists of %lld", c->n_in,
                         (long long)count);
  }
  for (int64_t i = count; i < c->n_in; i++) {
    const kiln_tensor *p = c->in[i % count], *x = c->in[i];
    if (!kiln__same_shape(p, x)) {
      return kiln__fail_op(c->op, KILN_EARG, "parameter %lld is %s, its gradient or state is %s",
                           (long long)(i % count) + 1, kiln__shape_text(p->shape, p->ndim),
                           kiln__shape_text(x->shape, x->ndim));
    }
  }
  return KILN_OK;
}
