/* ops/matrices.h: words that the gradients of linear algebra share, on batches of matrices.
** Included by C files of core/ops; it keeps nothing.
*/
#ifndef KILN_MATRICES_H
#define KILN_MATRICES_H
#include "rules.h"
#include <float.h>

static inline int64_t rows_of(const kiln_tensor *x) { return x->shape[x->ndim - 2]; }
static inline int64_t cols_of(const kiln_tensor *x) { return x->shape[x->ndim - 1]; }

static inline kiln_tensor *flipped(kiln_tensor *x) { return kiln_transpose(x, -2, -1); }
static inline kiln_tensor *column(kiln_tensor *x) { return kiln_unsqueeze(x, -1); }
static inline kiln_tensor *row(kiln_tensor *x) { return kiln_unsqueeze(x, -2); }
static inline kiln_tensor *add(kiln_tensor *x, kiln_tensor *y) {
  return !x ? y : !y ? x : kiln_add(x, y, 1);
}
/* The upper or lower triangle of x, k diagonals off the main one. */
static inline kiln_tensor *triangle(kiln_tensor *x, bool upper, int64_t k) {
  return upper ? kiln_triu(x, k) : kiln_tril(x, -k);
}

/* The matrix product of two batches of one shape; NULL if either is. */
static inline kiln_tensor *times(kiln_tensor *x, kiln_tensor *y) {
  if (!x || !y)
    return NULL;
  if (x->ndim == 2)
    return kiln_mm(x, y);
  if (x->ndim == 3)
    return kiln_bmm(x, y);
  int64_t shape[KILN_MAX_DIMS], sx[] = {-1, 0, 0}, sy[] = {-1, 0, 0};
  int32_t n = x->ndim;
  for (int32_t i = 0; i < n; i++)
    shape[i] = x->shape[i];
  shape[n - 1] = y->shape[n - 1];
  for (int32_t i = 1; i < 3; i++) {
    sx[i] = x->shape[n - 3 + i];
    sy[i] = y->shape[n - 3 + i];
  }
  kiln_tensor *product = kiln_bmm(kiln_view(kiln_clone(x), sx, 3), kiln_view(kiln_clone(y), sy, 3));
  return kiln_view(product, shape, n);
}

/* What counts as 0 among the values [..., k] of a matrix: [..., 1]. */
static inline kiln_tensor *rounding(kiln_tensor *values) {
  int64_t last[] = {values->ndim - 1};
  double eps = values->dtype == KILN_FLOAT64 ? DBL_EPSILON : FLT_EPSILON;
  return kiln_mul(kiln_amax(kiln_abs(values), last, 1, true), kiln_number(8 * eps));
}

#endif
