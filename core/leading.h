/* leading.h: a tensor read as a batch of matrices, and the leading dimension that libraries of
** products want.  Shared by the CPU and CUDA backends.  It refuses to touch elements.
*/
#ifndef KILN_LEADING_H
#define KILN_LEADING_H
#include "backend.h"

/* Sizes, and steps in elements.  rows < 0: it cannot be read as matrices. */
typedef struct kiln_matrices {
  int64_t batch, rows, columns, step, row, column;
} kiln_matrices;

typedef kiln_matrices kiln_matrices_of(const kiln_tensor *x);

/* [rows, columns] or [batch, rows, columns]. */
static inline kiln_matrices kiln__as_matrix(const kiln_tensor *x) {
  int32_t r = x->ndim - 2;
  kiln_matrices g = {1, x->shape[r], x->shape[r + 1], 0, x->stride[r], x->stride[r + 1]};
  if (r == 1) {
    g.batch = x->shape[0];
    g.step = x->stride[0];
  }
  return g;
}

static inline kiln_matrices kiln__as_turned(const kiln_tensor *x) {
  kiln_matrices g = kiln__as_matrix(x);
  kiln_matrices t = {g.batch, g.columns, g.rows, g.step, g.column, g.row};
  return t;
}

static inline kiln_matrices kiln__as_column(const kiln_tensor *x) {
  kiln_matrices g = {1, x->shape[0], 1, 0, x->stride[0], 1};
  return g;
}

static inline kiln_matrices kiln__as_row(const kiln_tensor *x) {
  kiln_matrices g = {1, 1, x->shape[0], 0, 1, x->stride[0]};
  return g;
}

/* [..., columns]: the leading dims as one, where they step evenly or nothing is there. */
static inline kiln_matrices kiln__as_rows(const kiln_tensor *x) {
  int32_t last = x->ndim - 1;
  kiln_matrices g = {1, 1, x->shape[last], 0, x->shape[last], x->stride[last]};
  bool even = true;
  for (int32_t i = last - 1; i >= 0; i--) {
    if (x->shape[i] == 1)
      continue;
    if (g.rows == 1)
      g.row = x->stride[i];
    else
      even &= x->stride[i] == g.row * g.rows;
    g.rows *= x->shape[i];
  }
  if (!even && x->numel > 0)
    g.rows = -1;
  return g;
}

/* Rows of columns *ld apart, or (*turned) columns of rows *ld apart.  False when no leading
** dimension describes g. */
static inline bool kiln__leading(const kiln_matrices *g, int64_t *ld, bool *turned) {
  *turned = false;
  if (g->rows < 0 || g->step < 0)
    return false;
  if ((g->column == 1 || g->columns == 1) && (g->row >= g->columns || g->rows == 1)) {
    *ld = g->row < g->columns ? g->columns : g->row;
    return true;
  }
  *turned = true;
  *ld = g->column < g->rows ? g->rows : g->column;
  return (g->row == 1 || g->rows == 1) && (g->column >= g->rows || g->columns == 1);
}

/* Gives x the strides of a fresh tensor of its shape. */
static inline void kiln__make_row_major(kiln_tensor *x) {
  int64_t step = 1;
  for (int32_t d = x->ndim - 1; d >= 0; d--) {
    x->stride[d] = step;
    step *= x->shape[d];
  }
}

/* solve: is b a vector, or one for each matrix of the batch a, and not a matrix? */
static inline bool kiln__are_vectors(int32_t a_ndim, const int64_t *a, int32_t b_ndim,
                                     const int64_t *b) {
  bool one_less = b_ndim == a_ndim - 1;
  for (int32_t d = 0; one_less && d < b_ndim; d++)
    one_less = a[d] == b[d];
  return b_ndim == 1 || one_less;
}

#endif
