/* moments.h: for float or double, the loops of var and std.  Included through each.h by reduce.c.
** A block is read twice while it is in cache: once for its mean, once for the squared distances to
** it; blocks are joined by Chan's formula, so nothing cancels.
*/
typedef struct TYPED(moments) {
  T mean, squares; /* of distances to the mean */
  int64_t n;
} TYPED(moments);

static void TYPED(moments_start)(void *accumulators, int64_t n) {
  TYPED(moments) *acc = accumulators;
  for (int64_t i = 0; i < n; i++)
    acc[i] = (TYPED(moments)){0, 0, 0};
}

static void TYPED(moments_join)(TYPED(moments) * a, T mean, T squares, int64_t n) {
  const int64_t total = a->n + n;
  if (n == 0)
    return;
  if (a->n == 0) {
    *a = (TYPED(moments)){mean, squares, n};
    return;
  }
  const T apart = mean - a->mean, share = (T)n / (T)total;
  a->squares += squares + apart * apart * (T)a->n * share;
  a->mean += apart * share;
  a->n = total;
}

static void TYPED(moments_merge)(void *into, const void *from, int64_t n) {
  TYPED(moments) *a = into;
  const TYPED(moments) *b = from;
  for (int64_t i = 0; i < n; i++)
    TYPED(moments_join)(&a[i], b[i].mean, b[i].squares, b[i].n);
}

static void TYPED(moments_rows)(void *accumulators, const char *x, int64_t first, int64_t rows,
                                int64_t row_step, int64_t columns, int64_t column_step, double p) {
  TYPED(moments) *acc = accumulators;
  (void)first;
  if (rows == 0)
    return;
  if (row_step == (int64_t)sizeof(T)) {
    const int64_t width = rows >= 512 ? FOLD_LANES : 16;
    for (int64_t c = 0; c < columns; c++) {
      const T *run = (const T *)(x + c * column_step);
      T sum = 0, lane[FOLD_LANES] = {0};
      TYPED(sum_narrow)(&sum, run, rows, 1, width, p);
      const T mean = sum / (T)rows;
      for (int64_t i = 0; i < rows; i += width) {
        const int64_t m = rows - i < width ? rows - i : width;
        _Pragma("omp simd") for (int64_t l = 0; l < m; l++) {
          const T d = run[i + l] - mean;
          lane[l] += d * d;
        }
      }
      sum = 0;
      TYPED(sum_narrow)(&sum, lane, width, 1, width, p);
      TYPED(moments_join)(&acc[c], mean, sum, rows);
    }
    return;
  }
  T mean[COLUMNS], squares[COLUMNS];
  for (int64_t c = 0; c < columns; c++)
    mean[c] = squares[c] = 0;
  TYPED(sum_rows)(mean, x, 0, rows, row_step, columns, column_step, p);
  for (int64_t c = 0; c < columns; c++)
    mean[c] /= (T)rows;
  for (int64_t r = 0; r < rows; r++) {
    const T *row = (const T *)(x + r * row_step);
    _Pragma("omp simd") for (int64_t c = 0; c < columns; c++) {
      const T d = row[c] - mean[c];
      squares[c] += d * d;
    }
  }
  for (int64_t c = 0; c < columns; c++)
    TYPED(moments_join)(&acc[c], mean[c], squares[c], rows);
}

/* p: what is taken off the count. */
static void TYPED(var_finish)(char *const *out, int64_t at, int64_t step, const void *accumulators,
                              int64_t n, int64_t count, double p) {
  const TYPED(moments) *acc = accumulators;
  const T by = (T)((double)count > p ? (double)count - p : 0);
  T *to = (T *)out[0] + at;
  for (int64_t i = 0; i < n; i++)
    to[i * step] = acc[i].squares / by;
}

static void TYPED(std_finish)(char *const *out, int64_t at, int64_t step, const void *accumulators,
                              int64_t n, int64_t count, double p) {
  T *to = (T *)out[0] + at;
  TYPED(var_finish)(out, at, step, accumulators, n, count, p);
  for (int64_t i = 0; i < n; i++)
    to[i * step] = MATH(sqrt)(to[i * step]);
}

#define MOMENTS(finish)                                                                            \
  {                                                                                                \
    sizeof(TYPED(moments)), TYPED(moments_start), TYPED(moments_rows), TYPED(moments_merge),       \
        TYPED(finish)                                                                              \
  }
static const reducer TYPED(var) = MOMENTS(var_finish);
static const reducer TYPED(std) = MOMENTS(std_finish);
#undef MOMENTS
