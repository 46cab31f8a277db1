/* promote.c: in what dtype a call computes and what dtypes its results have, by its row's rule, its
** inputs and its numbers.  It refuses to convert anything.
*/
#include "internal.h"
#include <math.h>

bool kiln__is_number_only(const kiln_call *c, const kiln_op_info *op) {
  if (!(op->flags & KILN_F_POINTWISE) || !kiln__pool_is_open())
    return false;
  for (int32_t i = 0; i < c->n_in; i++) {
    if (!(c->in[i]->flags & KILN_T_NUMBER))
      return false;
  }
  return true;
}

int32_t kiln__number_dtype(const kiln_op_info *op, int32_t dtype) {
  return op->flags & KILN_F_EXACT && kiln__is_half(dtype) ? KILN_FLOAT32 : dtype;
}

/* Is an infinity, as parameter k of a row whose fractions promote, a bound that is not there? */
static bool is_no_bound(const kiln_op_info *op, int32_t k, double v) {
  return op->flags & KILN_F_FRACTIONS && isinf(v) && (v < 0) == (k == 0);
}

int32_t kiln__find_fraction(const kiln_call *c, const kiln_op_info *op) {
  for (int32_t k = 0; k < op->n_attr; k++) {
    double v = c->attr[k].f;
    bool fits = isfinite(v) ? v == trunc(v) : is_no_bound(op, k, v);
    if (op->scales >> k & 1 && !fits)
      return k;
  }
  return -1;
}

/* Is some number of the call not one of an integer dtype? */
static bool has_number_beyond(const kiln_call *c, int32_t dtype) {
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x || !(x->flags & KILN_T_NUMBER))
      continue;
    double v;
    kiln_convert(&v, KILN_FLOAT64, kiln__data(x), x->dtype, 1);
    if (!kiln__value_fits(v, dtype) || (v < 0 && dtype == KILN_UINT8))
      return true;
  }
  return false;
}

int32_t kiln__decide_dtypes(const kiln_call *c, const kiln_op_info *op, int32_t *out) {
  uint32_t which = op->flags & KILN_F_VARIADIC ? ~0u : op->promotes;
  for (int32_t i = 1; op->flags & KILN_F_STORES && i < c->n_in; i++) {
    if (c->in[i] && c->in[i]->flags & KILN_T_NUMBER)
      which &= ~(1u << i);
  }
  int32_t common = which ? kiln__common_dtype(c, which) : -1;
  if (common < 0) {
    common = c->n_in > 0 && c->in[0] ? c->in[0]->dtype
             : op->dtype_attr >= 0   ? (int32_t)c->attr[op->dtype_attr].i
                                     : kiln_default_dtype();
  }
  switch (op->dtype_rule) {
  case KILN_RULE_FLOAT:
    if (!kiln__is_float(common))
      common = kiln_default_dtype();
    break;
  case KILN_RULE_NUMBER:
    if (common == KILN_BOOL)
      common = KILN_INT64;
    break;
  case KILN_RULE_SUM:
    if (!kiln__is_float(common))
      common = KILN_INT64;
    break;
  case KILN_RULE_BOOL: /* 300 is larger than any uint8, not 44 */
    if (!kiln__is_float(common) && common != KILN_INT64 && has_number_beyond(c, common))
      common = KILN_INT64;
    break;
  }
  if (op->flags & KILN_F_FRACTIONS && !kiln__is_float(common) && kiln__find_fraction(c, op) >= 0)
    common = kiln_default_dtype();
  if (kiln__is_float(common) && kiln__is_number_only(c, op))
    common = KILN_FLOAT64;
  for (int32_t i = 0; i < c->n_out; i++) {
    switch (op->dtype_rule) {
    case KILN_RULE_BOOL:
      out[i] = KILN_BOOL;
      break;
    case KILN_RULE_INDEX:
      out[i] = KILN_INT64;
      break;
    case KILN_RULE_ARG:
      out[i] = (int32_t)c->attr[op->dtype_attr].i;
      break;
    case KILN_RULE_VALUES_INDEX:
      out[i] = i == 0 ? common : KILN_INT64;
      break;
    case KILN_RULE_STATISTICS: /* a variance has the range of squares */
      out[i] = i > 0 && kiln__is_half(common) ? KILN_FLOAT32 : common;
      break;
    default:
      out[i] = common;
    }
  }
  return common;
}
