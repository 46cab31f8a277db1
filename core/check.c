/* check.c: what is wrong with a call of an op before anything of it runs, in words: its inputs, its
** axes, numbers to be written, a tensor to be written in place.  It refuses to know any op, and
** changes nothing but axes, which it makes 0-based.
*/
#include "internal.h"
#include <math.h>

static const char *in_name(const kiln_op_info *op, int32_t i) {
  return op->in_names[i < op->n_in ? i : op->n_in - 1];
}

int32_t kiln__check_inputs(const kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  bool variadic = op->flags & KILN_F_VARIADIC;
  const kiln_tensor *leader = NULL;
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x) {
      if (!variadic && op->optional >> i & 1)
        continue;
      if (kiln_error_code())
        return kiln_error_code();
      if (kiln__pool_is_open())
        return KILN_EARG; /* a gradient that did not arrive: no error */
      return kiln__fail_op(c->op, KILN_EARG, "%s is missing", in_name(op, i));
    }
    if (KILN_UNLIKELY(kiln__is_rows(x))) {
      return kiln__fail_op(c->op, KILN_EARG,
                           "%s is a row-sparse gradient, which ops do not take; use to_dense(), or "
                           "indices() and values()",
                           in_name(op, i));
    }
    bool moves = (x->flags & KILN_T_NUMBER) || kiln__stays(op, i);
    if (!moves && (!leader || leader->ndim == 0)) {
      if (!leader || leader->device == x->device || leader->device == 0)
        leader = x;
    }
    if (!variadic && op->integers >> i & 1 && x->dtype != KILN_INT64) {
      return kiln__fail_op(c->op, KILN_EARG, "%s must be int64, not %s", in_name(op, i),
                           kiln_dtype_name(x->dtype));
    }
    if (!variadic && op->masks >> i & 1 && x->dtype != KILN_BOOL) {
      return kiln__fail_op(c->op, KILN_EARG, "%s must be bool, not %s", in_name(op, i),
                           kiln_dtype_name(x->dtype));
    }
  }
  if (op->flags & KILN_F_OVERWRITES)
    return KILN_OK; /* what is written may come from anywhere */
  for (int32_t i = 0; leader && i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x || x->device == leader->device || (x->device == 0 && x->ndim == 0) || kiln__stays(op, i))
      continue;
    return kiln__fail_op(c->op, KILN_EARG, "%s is on %s and another argument on %s", in_name(op, i),
                         kiln__device_text(x->device), kiln__device_text(leader->device));
  }
  if (leader && c->inplace && c->in[0]->device != leader->device) {
    return kiln__fail_op(c->op, KILN_EARG, "%s is on %s, the result on %s", in_name(op, 0),
                         kiln__device_text(c->in[0]->device), kiln__device_text(leader->device));
  }
  return KILN_OK;
}

static int32_t normalise_axis(const kiln_call *c, int64_t *axis, int32_t ndim, const char *name) {
  int64_t n = ndim > 0 ? ndim : 1, a = *axis;
  if (a < -n || a >= n) {
    return kiln__fail_op(c->op, KILN_EARG, "%s %lld is out of range for a %d-dim tensor", name,
                         (long long)(a < 0 ? a : a + 1), ndim);
  }
  *axis = a < 0 ? a + n : a;
  return KILN_OK;
}

int32_t kiln__check_axes(kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  if (op->flags & KILN_F_VARIADIC && c->n_in == 0)
    return kiln__fail_op(c->op, KILN_EARG, "needs at least one tensor");
  int32_t leader = 0; /* of a list, the first tensor that is not "nothing" (of shape [0]) */
  while (op->flags & KILN_F_VARIADIC && leader + 1 < c->n_in && c->in[leader]->ndim == 1 &&
         c->in[leader]->numel == 0)
    leader++;
  int32_t ndim = (c->n_in > 0 && c->in[leader] ? c->in[leader]->ndim : 0) + op->axis_extra;
  for (int32_t k = 0; k < op->n_attr; k++) {
    if (!(op->axes >> k & 1) || c->attr[k].i == KILN_NONE)
      continue;
    if (normalise_axis(c, &c->attr[k].i, ndim, op->attr_names[k]) < 0)
      return KILN_EARG;
  }
  for (int32_t k = 0; k < op->n_list; k++) {
    if (!(op->axis_lists >> k & 1))
      continue;
    uint32_t seen = 0;
    for (int32_t i = 0; i < c->list[k].n; i++) {
      int64_t *axis = &c->list[k].v[i];
      if (normalise_axis(c, axis, ndim, op->list_names[k]) < 0)
        return KILN_EARG;
      if (seen >> *axis & 1) {
        return kiln__fail_op(c->op, KILN_EARG, "%s names dim %lld twice", op->list_names[k],
                             (long long)*axis + 1);
      }
      seen |= 1u << *axis;
    }
  }
  return KILN_OK;
}

int32_t kiln__check_stored(const kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  bool stores =
      op->flags & KILN_F_STORES || (op->flags & KILN_F_OVERWRITES && !(op->flags & KILN_F_RANDOM));
  for (int32_t i = 1; stores && i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x || !(x->flags & KILN_T_NUMBER) || kiln__number_fits(x, c->in[0]->dtype))
      continue;
    double v;
    kiln_convert(&v, KILN_FLOAT64, kiln__data(x), x->dtype, 1);
    return kiln__fail_op(c->op, KILN_EARG, "%s is %.14g, which %s cannot hold", in_name(op, i),
                         isnan(v) ? (double)NAN : v, kiln_dtype_name(c->in[0]->dtype));
  }
  return KILN_OK;
}

int32_t kiln__check_target(const kiln_call *c, const kiln_meta *out) {
  const kiln_op_info *op = &kiln__ops[c->op];
  const kiln_tensor *x = c->in[0];
  if (kiln__overlaps_itself(x)) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "cannot write in place: elements of this view (shape %s, stride %s) share "
                         "memory; clone it first",
                         kiln__shape_text(x->shape, x->ndim), kiln__shape_text(x->stride, x->ndim));
  }
  if (op->flags & KILN_F_WRITES)
    return KILN_OK;
  if (out->ndim != x->ndim ||
      memcmp(out->shape, x->shape, (size_t)x->ndim * sizeof *x->shape) != 0) {
    return kiln__fail_op(
        c->op, KILN_EARG, "the result has shape %s and does not fit in place into %s",
        kiln__shape_text(out->shape, out->ndim), kiln__shape_text(x->shape, x->ndim));
  }
  if (!kiln__can_store(out->dtype, x->dtype)) {
    return kiln__fail_op(c->op, KILN_EARG, "a %s result cannot be stored in place in %s",
                         kiln_dtype_name(out->dtype), kiln_dtype_name(x->dtype));
  }
  return KILN_OK;
}
