/* softmax_row.h: what softmax of a row is made of, for element type T.  Included by templates that
** each.h reads, after vecmath.h.
*/

#define LEAST_EXP ((T)(sizeof(T) == sizeof(float) ? -87 : -708)) /* exp of less is denormal */

static T TYPED(row_max)(const T *x, int64_t n) {
  T most = -(T)INFINITY;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < n; i++)
    most = x[i] > most ? x[i] : most;
  return most;
}

/* y[i] = exp(x[i] - most), and their sum; y may be x.  The argument is bounded first: the vector
** library takes a vector with an infinity of a mask, or anything else that exp makes denormal, one
** by one.  Such become 0. */
static T TYPED(row_exp)(T *y, const T *x, int64_t n, T most) {
  T sum = 0;
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    y[i] = x[i] - most < LEAST_EXP ? LEAST_EXP : x[i] - most;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    T e = y[i] <= LEAST_EXP ? 0 : MATH(exp)(y[i]);
    y[i] = e;
    sum += e;
  }
  return sum;
}

#undef LEAST_EXP
