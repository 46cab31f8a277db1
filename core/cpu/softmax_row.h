/* softmax_row.h: what softmax of a row is made of, for element type T.  Included by templates that
** each.h reads, after vecmath.h.
*/
#include "../exponential.h"

#define LEAST_EXP ((T)-708)              /* of double: exp of less is denormal */
#define VECTOR (64 / (int64_t)sizeof(T)) /* elements of the widest one */

/* Four vectors at a time: one waits for the one before it. */
static inline T TYPED(row_max)(const T *x, int64_t n) {
  T lane[4 * VECTOR], most = -(T)INFINITY;
  int64_t i = 0;
  if (n >= 4 * VECTOR) {
    memcpy(lane, x, sizeof lane);
    for (i = 4 * VECTOR; i + 4 * VECTOR <= n; i += 4 * VECTOR) {
#pragma omp simd
      for (int64_t l = 0; l < 4 * VECTOR; l++)
        lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
    }
#pragma omp simd reduction(max : most)
    for (int64_t l = 0; l < 4 * VECTOR; l++)
      most = lane[l] > most ? lane[l] : most;
  }
#pragma omp simd reduction(max : most)
  for (int64_t l = i; l < n; l++)
    most = x[l] > most ? x[l] : most;
  return most;
}

/* exp of what is at most 0, or a little more by rounding; what would be denormal becomes 0. */
static inline T TYPED(exp_below)(T x) {
  if (sizeof(T) == sizeof(float))
    return (T)kiln__exp_below((float)x);
  T bounded = x < LEAST_EXP ? LEAST_EXP : x, e = MATH(exp)(bounded);
  return x <= LEAST_EXP ? 0 : e; /* bounded: the library takes such ones one by one */
}

static inline T TYPED(exp_vectors)(T *y, const T *x, int64_t n, T most, bool kept) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < (n & -VECTOR); i++) {
    T e = TYPED(exp_below)(x[i] - most);
    if (kept)
      y[i] = e;
    sum += e;
  }
  return sum;
}

static inline T TYPED(exp_row)(T *y, const T *x, int64_t n, T most, bool kept) {
  T sum = TYPED(exp_vectors)(y, x, n, most, kept), last[VECTOR];
  int64_t whole = n & -VECTOR, left = n - whole;
  if (left > 0) {
    for (int64_t i = 0; i < VECTOR; i++)
      last[i] = i < left ? x[whole + i] : -(T)INFINITY;
    sum += TYPED(exp_vectors)(last, last, VECTOR, most, true);
    if (kept)
      memcpy(y + whole, last, (size_t)left * sizeof(T));
  }
  return sum;
}

/* y[i] = exp(x[i] - most), and their sum; y may be x. */
static inline T TYPED(row_exp)(T *y, const T *x, int64_t n, T most) {
  return TYPED(exp_row)(y, x, n, most, true);
}

#undef LEAST_EXP
#undef VECTOR
