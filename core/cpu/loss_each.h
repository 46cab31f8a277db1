/* loss_each.h: losses over classes for element type T.  Read by each.h.
**
** x is [n, classes, inner], targets [n, inner]; row r is (r / inner, r % inner).
*/
#include "softmax_row.h"

static T TYPED(class_weight)(const loss_job *j, int64_t class) {
  return j->weight ? ((const T *)j->weight)[class] : 1;
}

/* -- Negative log-likelihood ----------------------------------------------------------------------
 */

/* The loss of each row, before the reduction. */
static void TYPED(nll_rows)(const loss_job *j, int64_t from, int64_t to) {
  T share = (T)(j->smoothing / (double)j->classes), rest = (T)(1 - j->smoothing);
  for (int64_t r = from; r < to; r++) {
    const T *x = (const T *)j->x + r / j->inner * j->classes * j->inner + r % j->inner;
    int64_t t = j->target[r] - KILN_INDEX_BASE;
    T all = 0;
    if (j->target[r] == j->ignore) {
      ((T *)j->rows)[r] = 0;
      continue;
    }
    if (share != 0) {
      for (int64_t k = 0; k < j->classes; k++) {
        all += x[k * j->inner] * TYPED(class_weight)(j, k);
      }
      all *= share;
    }
    ((T *)j->rows)[r] = -(rest * TYPED(class_weight)(j, t) * x[t * j->inner] + all);
  }
}

/* What a row's gradient is scaled by. */
static T TYPED(row_gradient)(const loss_job *j, int64_t r) {
  const T *g = j->g;
  return j->reduction == NONE ? g[r] : j->reduction == SUM ? g[0] : (T)((double)g[0] / j->total);
}

static void TYPED(nll_dx_rows)(const loss_job *j, int64_t from, int64_t to) {
  T share = (T)(j->smoothing / (double)j->classes), rest = (T)(1 - j->smoothing);
  for (int64_t r = from; r < to; r++) {
    T *dx = (T *)j->y + r / j->inner * j->classes * j->inner + r % j->inner;
    bool ignored = j->target[r] == j->ignore;
    T g = ignored ? 0 : TYPED(row_gradient)(j, r), all = -share * g;
    for (int64_t k = 0; k < j->classes; k++) {
      dx[k * j->inner] = all == 0 ? 0 : all * TYPED(class_weight)(j, k);
    }
    if (ignored)
      continue;
    int64_t t = j->target[r] - KILN_INDEX_BASE;
    dx[t * j->inner] -= rest * TYPED(class_weight)(j, t) * g;
  }
}

/* -- The same of softmax, rows in one piece -------------------------------------------------- */

static void TYPED(softmax_nll_rows)(const loss_job *j, int64_t from, int64_t to) {
  int64_t n = j->classes;
  T share = (T)(j->smoothing / (double)n), rest = (T)(1 - j->smoothing);
  for (int64_t r = from; r < to; r++) {
    const T *x = (const T *)j->x + r * n, *w = j->weight;
    T most = TYPED(row_max)(x, n), all = 0, weights = (T)n;
    T low = MATH(log)(TYPED(exp_row)(NULL, x, n, most, false)); /* added to most it might be lost */
    ((T *)j->logsumexp)[r] = most + low;
    if (j->target[r] == j->ignore) {
      ((T *)j->rows)[r] = 0;
      continue;
    }
    int64_t t = j->target[r] - KILN_INDEX_BASE;
    if (share != 0) {
      if (w)
        weights = 0;
      for (int64_t k = 0; k < n; k++)
        all += w ? w[k] * (most - x[k]) : most - x[k];
      for (int64_t k = 0; w && k < n; k++)
        weights += w[k];
      all = share * (weights * low + all);
    }
    ((T *)j->rows)[r] = rest * TYPED(class_weight)(j, t) * (most - x[t] + low) + all;
  }
}

static void TYPED(softmax_nll_dx_rows)(const loss_job *j, int64_t from, int64_t to) {
  int64_t n = j->classes;
  const T *w = j->weight;
  T share = (T)(j->smoothing / (double)n), rest = (T)(1 - j->smoothing), weights = (T)n;
  if (w && share != 0) {
    weights = 0;
    for (int64_t k = 0; k < n; k++)
      weights += w[k];
  }
  for (int64_t r = from; r < to; r++) {
    const T *x = (const T *)j->x + r * n;
    T *dx = (T *)j->y + r * n;
    if (j->target[r] == j->ignore) {
      for (int64_t k = 0; k < n; k++)
        dx[k] = 0;
      continue;
    }
    int64_t t = j->target[r] - KILN_INDEX_BASE;
    T g = TYPED(row_gradient)(j, r), less = 0, total = ((const T *)j->logsumexp)[r];
    if (!(MATH(fabs)(total) <= PRECISE)) {
      less = TYPED(row_max)(x, n);
      total = MATH(log)(TYPED(exp_row)(NULL, x, n, less, false));
    }
    T own = rest * TYPED(class_weight)(j, t) * g, scale = own + share * weights * g;
#pragma omp simd
    for (int64_t k = 0; k < n; k++)
      dx[k] = TYPED(exp_below)(x[k] - less - total) * scale;
    if (share != 0) {
      for (int64_t k = 0; k < n; k++)
        dx[k] -= share * g * TYPED(class_weight)(j, k);
    }
    dx[t] -= own;
  }
}

/* Rows added up in order, in double; the weights of the targets likewise. */
static void TYPED(reduce_rows)(loss_job *j, int64_t n, void *out) {
  double sum = 0;
  const T *rows = j->rows;
  for (int64_t r = 0; r < n; r++)
    sum += (double)rows[r];
  *(T *)out = (T)(j->reduction == MEAN ? sum / j->total : sum);
}

static double TYPED(total_weight)(const loss_job *j, int64_t n) {
  double sum = 0;
  for (int64_t r = 0; r < n; r++) {
    if (j->target[r] == j->ignore)
      continue;
    sum += (double)TYPED(class_weight)(j, j->target[r] - KILN_INDEX_BASE);
  }
  return sum;
}

/* -- Multilabel margin ----------------------------------------------------------------------- */

static void TYPED(multilabel_rows)(const loss_job *j, int64_t from, int64_t to) {
  int64_t n = j->classes;
  for (int64_t r = from; r < to; r++) {
    const T *x = (const T *)j->x + r * n;
    const int64_t *target = j->target + r * n;
    bool *is_target = j->is_target + r * n;
    T *slope = (T *)j->y + r * n, sum = 0, share = 1 / (T)n;
    int64_t last = 0;
    for (int64_t k = 0; k < n; k++)
      slope[k] = 0, is_target[k] = false;
    for (; last < n && target[last] != 0; last++)
      is_target[target[last] - KILN_INDEX_BASE] = true;
    for (int64_t i = 0; i < last; i++) {
      int64_t t = target[i] - KILN_INDEX_BASE;
      for (int64_t k = 0; k < n; k++) {
        T gap = 1 - x[t] + x[k];
        if (is_target[k] || !(gap > 0))
          continue;
        sum += gap * share;
        slope[k] += share;
        slope[t] -= share;
      }
    }
    ((T *)j->rows)[r] = sum;
  }
}
