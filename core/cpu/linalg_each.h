/* linalg_each.h: one matrix of a batch through LAPACK, for float and double (see each.h).
** Matrices here are by rows and LAPACK's by columns, so what LAPACK sees is the transpose unless it
** is copied across; each function says what it does about that.  Each returns LAPACK's info: 0,
** positive (what failed, see linalg.c) or negative (no memory).
*/
#define LAPACK_f32(name) LAPACKE_s##name
#define LAPACK_f64(name) LAPACKE_d##name
#define LAPACK(name) w->lapack->KILN_PASTE(LAPACK, TN)(name)
#define IN(i, rows, cols) ((const T *)matrix_in(w, i, b, (rows) * (cols)))
#define OUT(i, elements) ((T *)kiln__data(w->c->out[i]) + b * (elements))

/* dst [cols, rows] = src [rows, cols]^T. */
static void TYPED(across)(T *dst, const T *src, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < cols; j++)
      dst[j * rows + i] = src[i * cols + j];
  }
}

static void TYPED(same)(T *dst, const T *src, int64_t n) {
  memcpy(dst, src, (size_t)n * sizeof(T));
}

/* Some BLAS take what is scaled by NaN for 0.  So a NaN is spread from where it first decides: over
** the rows from `row` and the columns from `column` of a [m, n], by columns. */
static int64_t TYPED(first_nan)(const T *x, int64_t n, int64_t step) {
  int64_t i = 0;
  while (i < n && x[i * step] == x[i * step])
    i++;
  return i;
}
static void TYPED(spread_nan)(T *a, int64_t m, int64_t n, int64_t row, int64_t column) {
  for (int64_t j = column; j < n; j++) {
    for (int64_t i = row; i < m; i++)
      a[j * m + i] = (T)NAN;
  }
}

/* getrf: below a pivot that is NaN, and behind it, all is NaN. */
static lapack_int TYPED(factor)(const work *w, int64_t m, int64_t n, T *a, lapack_int *pivot) {
  lapack_int info =
      LAPACK(getrf)(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, a, (lapack_int)m, pivot);
  int64_t k = m < n ? m : n, first = TYPED(first_nan)(a, k, m + 1);
  if (first < k)
    TYPED(spread_nan)(a, m, n, first + 1, first);
  return info;
}

/* x [m, n] to lu [m, n], pivots [k], info []. */
static lapack_int TYPED(lu_factor)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n, k = m < n ? m : n;
  T *a = w->room;
  lapack_int *pivot = (lapack_int *)(a + m * n);
  TYPED(across)(a, IN(0, m, n), m, n);
  lapack_int info = TYPED(factor)(w, m, n, a, pivot);
  TYPED(across)(OUT(0, m * n), a, n, m);
  for (int64_t i = 0; i < k; i++)
    ((int64_t *)kiln__data(w->c->out[1]))[b * k + i] = pivot[i];
  ((int64_t *)kiln__data(w->c->out[2]))[b] = info;
  return info < 0 ? info : 0;
}

/* The inverse of the transpose is the transpose of the inverse.  With a NaN all of it is NaN. */
static lapack_int TYPED(inverse)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n, *pivot = w->room;
  T *y = OUT(0, w->n * w->n);
  TYPED(same)(y, IN(0, w->n, w->n), w->n * w->n);
  if (TYPED(first_nan)(y, w->n * w->n, 1) < w->n * w->n) {
    TYPED(spread_nan)(y, w->n, w->n, 0, 0);
    return 0;
  }
  lapack_int info = LAPACK(getrf)(LAPACK_COL_MAJOR, n, n, y, n, pivot);
  return info ? info : LAPACK(getri)(LAPACK_COL_MAJOR, n, y, n, pivot);
}

/* det []: or sign [] and the logarithm of the absolute value [].  A singular matrix is no error. */
static lapack_int TYPED(determinant)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n;
  T *a = w->room;
  lapack_int *pivot = (lapack_int *)(a + w->n * w->n);
  TYPED(same)(a, IN(0, w->n, w->n), w->n * w->n);
  lapack_int info = TYPED(factor)(w, n, n, a, pivot);
  if (info < 0)
    return info;
  T det = 1, log_abs = 0, sign = 1;
  for (int64_t i = 0; i < w->n; i++) {
    T d = a[i * w->n + i];
    det *= pivot[i] == i + 1 ? d : -d;
    log_abs += MATH(log)(MATH(fabs)(d));
    sign = d == 0 || d != d ? 0 : (d < 0) == (pivot[i] == i + 1) ? -sign : sign;
  }
  *OUT(0, 1) = w->c->n_out == 1 ? det : sign;
  if (w->c->n_out > 1)
    *OUT(1, 1) = log_abs;
  return 0;
}

/* a [n, n], b [n, k] to x [n, k]: LAPACK factors a^T and solves with its transpose. */
static lapack_int TYPED(solve)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n, k = (lapack_int)w->k;
  T *a = w->room, *x = a + w->n * w->n;
  lapack_int *pivot = (lapack_int *)(x + w->n * w->k);
  TYPED(same)(a, IN(0, w->n, w->n), w->n * w->n);
  TYPED(across)(x, IN(1, w->n, w->k), w->n, w->k);
  lapack_int info = TYPED(factor)(w, n, n, a, pivot);
  if (info == 0)
    info = LAPACK(getrs)(LAPACK_COL_MAJOR, 'T', n, k, a, n, pivot, x, n);
  TYPED(across)(OUT(0, w->n * w->k), x, w->k, w->n);
  return info;
}

/* b [n, k], lu [n, n], pivots [n] to x [n, k]; flag: with the transpose. */
static lapack_int TYPED(lu_solve)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n, k = (lapack_int)w->k;
  T *a = w->room, *x = a + w->n * w->n;
  lapack_int *pivot = (lapack_int *)(x + w->n * w->k);
  const int64_t *given = matrix_in(w, 2, b, w->n);
  for (int64_t i = 0; i < w->n; i++)
    pivot[i] = (lapack_int)given[i];
  TYPED(across)(a, IN(1, w->n, w->n), w->n, w->n);
  TYPED(across)(x, IN(0, w->n, w->k), w->n, w->k);
  lapack_int info =
      LAPACK(getrs)(LAPACK_COL_MAJOR, w->flag[0] ? 'T' : 'N', n, k, a, n, pivot, x, n);
  TYPED(across)(OUT(0, w->n * w->k), x, w->k, w->n);
  return info;
}

/* b [n, k], a [n, n] to x [n, k]; flags: upper, transpose, unit diagonal.  BLAS works by rows. */
static lapack_int TYPED(triangular_solve)(const work *w, int64_t b) {
  const T *a = IN(1, w->n, w->n);
  T *x = OUT(0, w->n * w->k);
  if (!w->flag[2]) {
    for (int64_t i = 0; i < w->n; i++) {
      if (a[i * w->n + i] == 0)
        return (lapack_int)(i + 1);
    }
  }
  TYPED(same)(x, IN(0, w->n, w->k), w->n * w->k);
  w->blas->KILN_PASTE(TRSM, TN)(CblasRowMajor, CblasLeft, w->flag[0] ? CblasUpper : CblasLower,
                                w->flag[1] ? CblasTrans : CblasNoTrans,
                                w->flag[2] ? CblasUnit : CblasNonUnit, (blasint)w->n, (blasint)w->k,
                                1, a, (blasint)w->n, x, (blasint)w->k);
  return 0;
}

/* Sets the triangle that is not `upper` to 0, or to the mirror image of the one that is. */
static void TYPED(other_triangle)(T *y, int64_t n, bool upper, bool mirror) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < i; j++) {
      T *low = y + i * n + j, *high = y + j * n + i;
      if (upper)
        *low = mirror ? *high : 0;
      else
        *high = mirror ? *low : 0;
    }
  }
}

/* x [n, n] to its factor; flag: upper.  The upper triangle by rows is the lower by columns. */
static lapack_int TYPED(cholesky)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n;
  T *y = OUT(0, w->n * w->n);
  TYPED(same)(y, IN(0, w->n, w->n), w->n * w->n);
  lapack_int info = LAPACK(potrf)(LAPACK_COL_MAJOR, w->flag[0] ? 'L' : 'U', n, y, n);
  TYPED(other_triangle)(y, w->n, w->flag[0], false);
  return info;
}

/* The same by plain loops, in which NaN and infinities reach what depends on them: OpenBLAS skips
** zeros.  l is the factor, its element (i, j <= i) at i * down + j * right; room [n, n]. */
static void TYPED(inverse_by_loops)(T *y, const T *l, int64_t down, int64_t right, int64_t n,
                                    T *room) {
  for (int64_t j = 0; j < n; j++) { /* the inverse of l, column by column */
    for (int64_t i = j; i < n; i++) {
      T sum = i == j;
      for (int64_t k = j; k < i; k++)
        sum -= l[i * down + k * right] * room[k * n + j];
      room[i * n + j] = sum / l[i * down + i * right];
    }
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j <= i; j++) {
      T sum = 0;
      for (int64_t k = i; k < n; k++)
        sum += room[k * n + i] * room[k * n + j];
      y[i * n + j] = y[j * n + i] = sum;
    }
  }
}

/* A factor [n, n] to the inverse of the whole; flag: upper. */
static lapack_int TYPED(cholesky_inverse)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n;
  const T *x = IN(0, w->n, w->n);
  T *y = OUT(0, w->n * w->n), all = 0;
  for (int64_t i = 0; i < w->n; i++) {
    for (int64_t j = 0; j <= i; j++)
      all += (w->flag[0] ? x[j * w->n + i] : x[i * w->n + j]) * 0;
  }
  if (all != 0) {
    TYPED(inverse_by_loops)(y, x, w->flag[0] ? 1 : w->n, w->flag[0] ? w->n : 1, w->n, w->room);
    return 0;
  }
  TYPED(same)(y, x, w->n * w->n);
  lapack_int info = LAPACK(potri)(LAPACK_COL_MAJOR, w->flag[0] ? 'L' : 'U', n, y, n);
  TYPED(other_triangle)(y, w->n, w->flag[0], true);
  return info;
}

/* x [n, n] to a factor [n, n], pivots [n], rank []; flag: upper.  Positive info is a lower rank. */
static lapack_int TYPED(pstrf)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n, *pivot = w->room, rank = n;
  T *y = OUT(0, w->n * w->n);
  TYPED(same)(y, IN(0, w->n, w->n), w->n * w->n);
  lapack_int info =
      LAPACK(pstrf)(LAPACK_COL_MAJOR, w->flag[0] ? 'L' : 'U', n, y, n, pivot, &rank, -1);
  TYPED(other_triangle)(y, w->n, w->flag[0], false);
  for (int64_t i = rank; i < w->n; i++) { /* LAPACK leaves the rest of the matrix there */
    for (int64_t j = rank; j < w->n; j++)
      y[i * w->n + j] = 0;
  }
  for (int64_t i = 0; i < w->n; i++) {
    ((int64_t *)kiln__data(w->c->out[1]))[b * w->n + i] = pivot[i];
  }
  ((int64_t *)kiln__data(w->c->out[2]))[b] = rank;
  return info < 0 ? info : 0;
}

/* geqrf, orgqr: from a reflector that is NaN on, all is NaN. */
static lapack_int TYPED(reflectors)(const work *w, int64_t m, int64_t n, T *a, T *tau) {
  lapack_int info =
      LAPACK(geqrf)(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, a, (lapack_int)m, tau);
  int64_t k = m < n ? m : n, first = TYPED(first_nan)(tau, k, 1);
  if (first < k)
    TYPED(spread_nan)(a, m, n, first, first);
  return info;
}
static lapack_int TYPED(orthogonal)(const work *w, int64_t m, int64_t n, int64_t k, T *a,
                                    const T *tau) {
  lapack_int info = LAPACK(orgqr)(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, (lapack_int)k, a,
                                  (lapack_int)m, tau);
  int64_t first = TYPED(first_nan)(tau, k, 1);
  if (first < k)
    TYPED(spread_nan)(a, m, n, 0, first);
  return info;
}

/* x [m, n] to q [m, k], r [k, n], k the smaller of both, or m when all of q is wanted (flag). */
static lapack_int TYPED(qr)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n, k = w->k, rank = m < n ? m : n, width = n > k ? n : k;
  T *a = w->room, *tau = a + m * width, *r = OUT(1, k * n);
  TYPED(across)(a, IN(0, m, n), m, n);
  lapack_int info = TYPED(reflectors)(w, m, n, a, tau);
  for (int64_t i = 0; i < k; i++) {
    for (int64_t j = 0; j < n; j++)
      r[i * n + j] = j < i ? 0 : a[j * m + i];
  }
  if (info == 0 && k > 0) {
    info = TYPED(orthogonal)(w, m, k, rank, a, tau);
  }
  TYPED(across)(OUT(0, m * k), a, k, m);
  return info;
}

/* x [m, n] to LAPACK's packed factors [m, n] and tau [k]. */
static lapack_int TYPED(geqrf)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n;
  T *a = w->room;
  TYPED(across)(a, IN(0, m, n), m, n);
  lapack_int info = TYPED(reflectors)(w, m, n, a, OUT(1, m < n ? m : n));
  TYPED(across)(OUT(0, m * n), a, n, m);
  return info;
}

/* Packed factors [m, n] and tau [k] to q [m, n]. */
static lapack_int TYPED(orgqr)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n;
  T *a = w->room;
  TYPED(across)(a, IN(0, m, n), m, n);
  lapack_int info = TYPED(orthogonal)(w, m, n, w->k, a, IN(1, 1, w->k));
  TYPED(across)(OUT(0, m * n), a, n, m);
  return info;
}

/* Packed factors [r, k], tau [k] and c [m, n] to q c or c q; flags: left, transpose. */
static lapack_int TYPED(ormqr)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n, r = w->flag[0] ? m : n, k = w->k;
  T *a = w->room, *c = a + r * k;
  TYPED(across)(a, IN(0, r, k), r, k);
  TYPED(across)(c, IN(2, m, n), m, n);
  lapack_int info =
      LAPACK(ormqr)(LAPACK_COL_MAJOR, w->flag[0] ? 'L' : 'R', w->flag[1] ? 'T' : 'N', (lapack_int)m,
                    (lapack_int)n, (lapack_int)k, a, (lapack_int)r, IN(1, 1, k), c, (lapack_int)m);
  TYPED(across)(OUT(0, m * n), c, n, m);
  return info;
}

/* x [m, n] = u diag(s) v^T.  LAPACK sees x^T = v diag(s) u^T, so its left vectors are v, and its
** right ones, by columns, are u by rows. */
static lapack_int TYPED(svd)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n, k = m < n ? m : n;
  int64_t mu = w->flag[0] ? k : m, nv = w->flag[0] ? k : n;
  T *a = w->room, *v = a + m * n;
  TYPED(same)(a, IN(0, m, n), m * n);
  lapack_int info =
      LAPACK(gesdd)(LAPACK_COL_MAJOR, w->flag[0] ? 'S' : 'A', (lapack_int)n, (lapack_int)m, a,
                    (lapack_int)n, OUT(1, k), v, (lapack_int)n, OUT(0, m * mu), (lapack_int)mu);
  TYPED(across)(OUT(2, n * nv), v, nv, n);
  return info;
}

/* Symmetric x [n, n] to eigenvalues [n], ascending, and vectors in columns [n, n]; flag: upper. */
static lapack_int TYPED(symmetric_eig)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n;
  T *a = w->room;
  TYPED(same)(a, IN(0, w->n, w->n), w->n * w->n);
  lapack_int info =
      LAPACK(syevd)(LAPACK_COL_MAJOR, 'V', w->flag[0] ? 'L' : 'U', n, a, n, OUT(0, w->n));
  TYPED(across)(OUT(1, w->n * w->n), a, w->n, w->n);
  return info;
}

/* x [n, n] to eigenvalues [n, 2] (real, imaginary) and, if wanted (flag), vectors in columns. */
static lapack_int TYPED(eig)(const work *w, int64_t b) {
  lapack_int n = (lapack_int)w->n;
  T *a = w->room, *v = a + w->n * w->n, *re = v + w->n * w->n, *im = re + w->n,
    *e = OUT(0, 2 * w->n);
  TYPED(across)(a, IN(0, w->n, w->n), w->n, w->n);
  lapack_int info =
      LAPACK(geev)(LAPACK_COL_MAJOR, 'N', w->flag[0] ? 'V' : 'N', n, a, n, re, im, NULL, 1, v, n);
  for (int64_t i = 0; i < w->n; i++) {
    e[2 * i] = re[i];
    e[2 * i + 1] = im[i];
  }
  if (w->flag[0])
    TYPED(across)(OUT(1, w->n * w->n), v, w->n, w->n);
  return info;
}

/* a [m, n], b [m, k] to x [n, k]: least squares, or the shortest solution.  A triangular factor
** with an element of 0, up to rounding, on its diagonal has no full rank. */
static lapack_int TYPED(lstsq)(const work *w, int64_t b) {
  int64_t m = w->m, n = w->n, k = w->k, rows = m > n ? m : n;
  T *a = w->room, *x = a + m * n, *y = OUT(0, n * k);
  const T *given = IN(1, m, k);
  TYPED(across)(a, IN(0, m, n), m, n);
  for (int64_t j = 0; j < k; j++) {
    for (int64_t i = 0; i < rows; i++)
      x[j * rows + i] = i < m ? given[i * k + j] : 0;
  }
  lapack_int info = LAPACK(gels)(LAPACK_COL_MAJOR, 'N', (lapack_int)m, (lapack_int)n, (lapack_int)k,
                                 a, (lapack_int)m, x, (lapack_int)rows);
  const int64_t rank = m < n ? m : n;
  const T eps = sizeof(T) == sizeof(double) ? (T)DBL_EPSILON : FLT_EPSILON;
  T most = 0;
  for (int64_t i = 0; i < rank; i++)
    most = MATH(fmax)(most, MATH(fabs)(a[i * m + i]));
  for (int64_t i = 0; i < rank && info == 0; i++) {
    if (MATH(fabs)(a[i * m + i]) <= most * (T)(2 * rank) * eps)
      info = (lapack_int)(i + 1);
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < k; j++)
      y[i * k + j] = x[j * rows + i];
  }
  return info;
}

#undef LAPACK_f32
#undef LAPACK_f64
#undef LAPACK
#undef IN
#undef OUT
