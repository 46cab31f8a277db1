/* fold.h: for one element type, the loops of every reduction that joins elements one by one: sum,
** product, extremes, counts, norms.  Included through each.h by reduce.c, which says what the
** functions of a `reducer` do.
**
** FOLD(name, A, START, VALUE, JOIN, R, RESULT): accumulators of type A begin as START and take
** JOIN(a, VALUE(v)) for each element v of type V; R is the type of the result RESULT(a, count).
** VALUE and RESULT may read p.
*/

/* One run of n contiguous elements in `lanes` interleaved accumulators, then a tree of them. */
#define FOLD_RUN(name, A, START, VALUE, JOIN)                                                      \
  static inline __attribute__((always_inline)) A TYPED(name##_run)(                                \
      const T *x, int64_t n, const int lanes, const double p) {                                    \
    A lane[64];                                                                                    \
    int64_t i = 0;                                                                                 \
    (void)p;                                                                                       \
    for (int l = 0; l < lanes; l++) lane[l] = START;                                               \
    for (; i + lanes <= n; i += lanes) {                                                           \
      _Pragma("omp simd") for (int l = 0; l < lanes; l++) {                                        \
        const V v = LOAD(x[i + l]);                                                                \
        lane[l] = JOIN(lane[l], VALUE(v));                                                         \
      }                                                                                            \
    }                                                                                              \
    for (int l = 0; i < n; i++, l++) {                                                             \
      const V v = LOAD(x[i]);                                                                      \
      lane[l] = JOIN(lane[l], VALUE(v));                                                           \
    }                                                                                              \
    for (int half = lanes / 2; half > 0; half /= 2) {                                              \
      for (int l = 0; l < half; l++) lane[l] = JOIN(lane[l], lane[l + half]);                      \
    }                                                                                              \
    return lane[0];                                                                                \
  }

/* Rows that lie one after the other and are shorter than a vector: whole rows side by side. */
#define FOLD_NARROW(name, A, START, VALUE, JOIN)                                                   \
  static void TYPED(name##_narrow)(A *acc, const T *x, int64_t rows, int64_t columns,              \
                                   const double p) {                                               \
    A lane[FOLD_LANES];                                                                            \
    const int64_t width = FOLD_LANES / columns * columns, n = rows * columns;                      \
    int64_t i = 0;                                                                                 \
    (void)p;                                                                                       \
    for (int64_t l = 0; l < width; l++) lane[l] = START;                                           \
    for (; i < n; i += width) {                                                                    \
      const int64_t m = n - i < width ? n - i : width;                                             \
      _Pragma("omp simd") for (int64_t l = 0; l < m; l++) {                                        \
        const V v = LOAD(x[i + l]);                                                                \
        lane[l] = JOIN(lane[l], VALUE(v));                                                         \
      }                                                                                            \
    }                                                                                              \
    for (int64_t l = 0; l < width; l += columns) {                                                 \
      for (int64_t c = 0; c < columns; c++) acc[c] = JOIN(acc[c], lane[l + c]);                    \
    }                                                                                              \
  }

#define FOLD_ROWS(name, A, START, VALUE, JOIN)                                                     \
  static void TYPED(name##_rows)(void *accumulators, const char *x, int64_t first, int64_t rows,   \
                                 int64_t row_step, int64_t columns, int64_t column_step,           \
                                 const double p) {                                                 \
    A *acc = accumulators;                                                                         \
    const int64_t size = (int64_t)sizeof(T);                                                       \
    (void)first, (void)p;                                                                          \
    if (column_step == size && columns <= FOLD_LANES / 2 && row_step == columns * size &&          \
        columns > 1) {                                                                             \
      TYPED(name##_narrow)(acc, (const T *)x, rows, columns, p);                                   \
    } else if (row_step == size && rows >= 512) {                                                  \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        acc[c] = JOIN(acc[c], TYPED(name##_run)((const T *)(x + c * column_step), rows, 64, p));   \
      }                                                                                            \
    } else if (row_step == size && rows >= 16) {                                                   \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        acc[c] = JOIN(acc[c], TYPED(name##_run)((const T *)(x + c * column_step), rows, 16, p));   \
      }                                                                                            \
    } else if (column_step == size) {                                                              \
      int64_t r = 0;                                                                               \
      for (; r + 4 <= rows; r += 4) {                                                              \
        const T *x0 = (const T *)(x + r * row_step), *x1 = (const T *)(x + (r + 1) * row_step);    \
        const T *x2 = (const T *)(x + (r + 2) * row_step);                                         \
        const T *x3 = (const T *)(x + (r + 3) * row_step);                                         \
        _Pragma("omp simd") for (int64_t c = 0; c < columns; c++) {                                \
          V v = LOAD(x0[c]);                                                                       \
          A a = VALUE(v);                                                                          \
          v = LOAD(x1[c]);                                                                         \
          a = JOIN(a, VALUE(v));                                                                   \
          v = LOAD(x2[c]);                                                                         \
          A b = VALUE(v);                                                                          \
          v = LOAD(x3[c]);                                                                         \
          b = JOIN(b, VALUE(v));                                                                   \
          a = JOIN(a, b);                                                                          \
          acc[c] = JOIN(acc[c], a);                                                                \
        }                                                                                          \
      }                                                                                            \
      for (; r < rows; r++) {                                                                      \
        const T *x0 = (const T *)(x + r * row_step);                                               \
        _Pragma("omp simd") for (int64_t c = 0; c < columns; c++) {                                \
          const V v = LOAD(x0[c]);                                                                 \
          acc[c] = JOIN(acc[c], VALUE(v));                                                         \
        }                                                                                          \
      }                                                                                            \
    } else if (column_step < row_step) {                                                           \
      for (int64_t r = 0; r < rows; r++) {                                                         \
        for (int64_t c = 0; c < columns; c++) {                                                    \
          const V v = LOAD(*(const T *)(x + r * row_step + c * column_step));                      \
          acc[c] = JOIN(acc[c], VALUE(v));                                                         \
        }                                                                                          \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        A lane[4] = {acc[c], START, START, START};                                                 \
        for (int64_t r = 0; r < rows; r++) {                                                       \
          const V v = LOAD(*(const T *)(x + r * row_step + c * column_step));                      \
          lane[r & 3] = JOIN(lane[r & 3], VALUE(v));                                               \
        }                                                                                          \
        A a = JOIN(lane[0], lane[1]), b = JOIN(lane[2], lane[3]);                                  \
        acc[c] = JOIN(a, b);                                                                       \
      }                                                                                            \
    }                                                                                              \
  }

#define FOLD(name, A, START, VALUE, JOIN, R, RESULT)                                               \
  FOLD_RUN(name, A, START, VALUE, JOIN)                                                            \
  FOLD_NARROW(name, A, START, VALUE, JOIN)                                                         \
  FOLD_ROWS(name, A, START, VALUE, JOIN)                                                           \
  static void TYPED(name##_start)(void *accumulators, int64_t n) {                                 \
    A *acc = accumulators;                                                                         \
    for (int64_t i = 0; i < n; i++) acc[i] = START;                                                \
  }                                                                                                \
  static void TYPED(name##_merge)(void *into, const void *from, int64_t n) {                       \
    A *a = into;                                                                                   \
    const A *b = from;                                                                             \
    for (int64_t i = 0; i < n; i++) a[i] = JOIN(a[i], b[i]);                                       \
  }                                                                                                \
  static void TYPED(name##_finish)(char *const *out, int64_t at, int64_t step,                     \
                                   const void *accumulators, int64_t n, int64_t count,             \
                                   const double p) {                                               \
    const A *acc = accumulators;                                                                   \
    R *to = (R *)out[0] + at;                                                                      \
    (void)count, (void)p;                                                                          \
    for (int64_t i = 0; i < n; i++) to[i * step] = RESULT(acc[i], count);                          \
  }                                                                                                \
  static const reducer TYPED(name) __attribute__((unused)) = {sizeof(A),           TYPED(name##_start),                    \
                                      TYPED(name##_rows),  TYPED(name##_merge),                    \
                                      TYPED(name##_finish)};

/* -- Pieces ------------------------------------------------------------------------------------- */

#define SELF(v) (v)
#define IS_TRUE(v) ((v) != 0)
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define LARGER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b)) /* NaN wins */
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define BOTH(a, b) ((a) & (b))
#define EITHER(a, b) ((a) | (b))
#define PLAIN(a, count) (a)

FOLD(all, uint8_t, 1, IS_TRUE, BOTH, bool, PLAIN)
FOLD(any, uint8_t, 0, IS_TRUE, EITHER, bool, PLAIN)
FOLD(count_nonzero, int64_t, 0, IS_TRUE, PLUS, int64_t, PLAIN)

#if T_FLOAT
#define STORED(a, count) STORE(a)
#define AVERAGE(a, count) STORE((a) / (V)(count))
#define MAGNITUDE(v) MATH(fabs)(v)
#define SQUARE(v) ((v) * (v))
#define POWER(v) MATH(pow)(MATH(fabs)(v), (V)p)
#define ROOT2(a, count) STORE(MATH(sqrt)(a))
#define ROOT(a, count) STORE(MATH(pow)(a, (V)(1 / p)))
FOLD(sum, V, 0, SELF, PLUS, T, STORED)
FOLD(mean, V, 0, SELF, PLUS, T, AVERAGE)
FOLD(prod, V, 1, SELF, TIMES, T, STORED)
FOLD(amax, V, -(V)INFINITY, SELF, LARGER, T, STORED)
FOLD(amin, V, (V)INFINITY, SELF, SMALLER, T, STORED)
FOLD(norm0, V, 0, IS_TRUE, PLUS, T, STORED)
FOLD(norm1, V, 0, MAGNITUDE, PLUS, T, STORED)
FOLD(norm2, V, 0, SQUARE, PLUS, T, ROOT2)
FOLD(norm_max, V, 0, MAGNITUDE, LARGER, T, STORED)
FOLD(norm_min, V, (V)INFINITY, MAGNITUDE, SMALLER, T, STORED)
FOLD(norm_p, V, 0, POWER, PLUS, T, ROOT)
#undef STORED
#undef AVERAGE
#undef MAGNITUDE
#undef SQUARE
#undef POWER
#undef ROOT2
#undef ROOT
#else
#define WIDE(v) ((int64_t)(v))
FOLD(sum, int64_t, 0, WIDE, PLUS, int64_t, PLAIN)
FOLD(prod, int64_t, 1, WIDE, TIMES, int64_t, PLAIN)
/* sum_to keeps the type, as the sum of a broadcast gradient must. */
#define NARROWED(a, count) ((T)(a))
FOLD(sum_to, int64_t, 0, WIDE, PLUS, T, NARROWED)
#undef NARROWED
#undef WIDE
#define LEAST ((T)-1 > 0 ? (T)0 : (T)((uint64_t)1 << (8 * sizeof(T) - 1)))
FOLD(amax, T, LEAST, SELF, LARGER, T, PLAIN)
FOLD(amin, T, (T)~LEAST, SELF, SMALLER, T, PLAIN)
#undef LEAST
#endif

#undef SELF
#undef IS_TRUE
#undef PLUS
#undef TIMES
#undef LARGER
#undef SMALLER
#undef BOTH
#undef EITHER
#undef PLAIN
#undef FOLD
#undef FOLD_RUN
#undef FOLD_NARROW
#undef FOLD_ROWS
