/* ops/create.c: shapes of tensors that are made from nothing. */
#include "../internal.h"

#include <math.h>

int32_t kiln__shape_full(const kiln_call *c, kiln_meta *out) {
  const kiln_list *size = &c->list[0];
  if (size->n > KILN_MAX_DIMS) {
    return kiln__fail_op(c->op, KILN_EARG, "a tensor has at most %d dims, not %d", KILN_MAX_DIMS,
                         size->n);
  }
  for (int32_t i = 0; i < size->n; i++) {
    if (size->v[i] < 0) {
      return kiln__fail_op(c->op, KILN_EARG, "size %s has a negative entry",
                           kiln__shape_text(size->v, size->n));
    }
    out->shape[i] = size->v[i];
  }
  out->ndim = (uint8_t)size->n;
  double v = c->attr[0].f;
  if (kiln__value_fits(v, out->dtype))
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "value is %.14g, which %s cannot hold",
                       isnan(v) ? (double)NAN : v, kiln_dtype_name(out->dtype));
}

/* (start, step, count, dtype, device) */
int32_t kiln__shape_arange(const kiln_call *c, kiln_meta *out) {
  if (c->attr[2].i < 0) {
    return kiln__fail_op(c->op, KILN_EARG, "cannot make %lld numbers", (long long)c->attr[2].i);
  }
  out->ndim = 1;
  out->shape[0] = c->attr[2].i;
  return KILN_OK;
}
