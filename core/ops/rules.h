/* rules.h: what the shape rules and gradients of several families ask: windows given as lists, and
** whether a value has a zero.  It refuses to know any one op.
*/
#ifndef KILN_OPS_RULES_H
#define KILN_OPS_RULES_H
#include "../internal.h"

/* Entry i of a list that may have one entry for all dims. */
static inline int64_t kiln__entry(const kiln_list *l, int32_t i) { return l->v[l->n == 1 ? 0 : i]; }

/* List k has 1 or `dims` entries from `least` to INT32_MAX; negative after an error. */
static inline int32_t kiln__check_list(const kiln_call *c, int32_t k, int32_t dims, int64_t least) {
  const kiln_list *l = &c->list[k];
  const char *name = kiln__ops[c->op].list_names[k];
  if (l->n != dims && l->n != 1) {
    return kiln__fail_op(c->op, KILN_EARG, "%s must have 1 or %d entries, it has %d", name, dims,
                         l->n);
  }
  for (int32_t i = 0; i < l->n; i++) {
    if (l->v[i] < least || l->v[i] > INT32_MAX) {
      return kiln__fail_op(c->op, KILN_EARG, "%s must be from %lld to %d, got %lld", name,
                           (long long)least, INT32_MAX, (long long)l->v[i]);
    }
  }
  return KILN_OK;
}

/* 1 when some element of x is 0, negative after an error. */
static inline int kiln__has_zero(kiln_tensor *x) {
  double unused;
  int64_t n;
  kiln_tensor *sum = kiln_sum(kiln_eq(kiln_detach(x), kiln_number_int(0)), NULL, 0, false);
  if (!sum || kiln_tensor_item(sum, &unused, &n) < 0)
    return -1;
  return n > 0;
}

#endif
