/* optim.c: what an optimizer's step accepts.  The lists of parameters, gradients and state have one
** length, `count`, and tensors at one position have one shape; parameters do not overlap
** themselves.  It refuses to differentiate.
*/
#include "../internal.h"

static _Thread_local kiln_step_source source;

kiln_step_source kiln__step_source(void) { return source; }

int32_t kiln_step_from(kiln_tensor *numbers, kiln_tensor *unless) {
  source = (kiln_step_source){0};
  if (numbers && (numbers->dtype != KILN_FLOAT64 || numbers->numel != KILN_MAX_ATTRS ||
                  numbers->device == 0 || !kiln__is_contiguous(numbers)))
    return kiln_fail(KILN_EARG, "step: numbers must be %d float64 of a device, got %s %s on %s",
                     KILN_MAX_ATTRS, kiln_dtype_name(numbers->dtype),
                     kiln__shape_text(numbers->shape, numbers->ndim),
                     kiln__device_text(numbers->device));
  if (unless && (unless->dtype != KILN_FLOAT32 || unless->numel != 1 || unless->device == 0))
    return kiln_fail(KILN_EARG, "step: unless must be one float32 of a device, got %s %s on %s",
                     kiln_dtype_name(unless->dtype), kiln__shape_text(unless->shape, unless->ndim),
                     kiln__device_text(unless->device));
  kiln_tensor *used[] = {numbers, unless};
  if (kiln__capturing && kiln__capture_use(used, 2) < 0)
    return kiln_error_code();
  source = (kiln_step_source){numbers, unless};
  return KILN_OK;
}

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
  for (int64_t i = 0; i < count; i++) {
    const kiln_tensor *p = c->in[i];
    if (kiln__overlaps_itself(p))
      return kiln__fail_op(
          c->op, KILN_EARG,
          "cannot write in place: elements of parameter %lld (shape %s, stride %s) "
          "share memory; clone it first",
          (long long)i + 1, kiln__shape_text(p->shape, p->ndim),
          kiln__shape_text(p->stride, p->ndim));
  }
  return KILN_OK;
}
