/* fold.h: for one element type, the loops of every reduction that joins elements one by one: sum,
** product, extremes, counts, norms.  Included through each.h by reduce.c, which says what the
** functions of a `reducer` do and in which form blocks arrive.
**
** FOLD(name, A, START, VALUE, JOIN, R, RESULT): accumulators of type A begin as START and take
** JOIN(a, VALUE(v)) for each element v; R is the type of the result RESULT(a, count).  VALUE and
** RESULT may read p.
*/
#define FOLD(name, A, START, VALUE, JOIN, R, RESULT)                                               \
  static void TYPED(name##_start)(void *accumulators, int64_t n) {                                 \
    A *acc = accumulators;                                                                         \
    for (int64_t i = 0; i < n; i++)                                                                \
      acc[i] = START;                                                                              \
  }                                                                                                \
  /* Rows that lie one after the other and are shorter than `width`: many side by side, which are  \
  ** joined at the end.  width is a multiple of columns, a power of two where columns is 1. */     \
  static void TYPED(name##_narrow)(A * acc, const T *x, int64_t n, int64_t columns, int64_t width, \
                                   const double p) {                                               \
    A lane[FOLD_LANES];                                                                            \
    (void)p;                                                                                       \
    TYPED(name##_start)(lane, width);                                                              \
    int64_t i = 0;                                                                                 \
    for (; width == FOLD_LANES && i + FOLD_LANES <= n; i += FOLD_LANES) {                          \
      _Pragma("omp simd") for (int64_t l = 0; l < FOLD_LANES; l++) {                               \
        const T v = x[i + l];                                                                      \
        lane[l] = JOIN(lane[l], VALUE(v));                                                         \
      }                                                                                            \
    }                                                                                              \
    for (; i < n; i += width) {                                                                    \
      const int64_t m = n - i < width ? n - i : width;                                             \
      _Pragma("omp simd") for (int64_t l = 0; l < m; l++) {                                        \
        const T v = x[i + l];                                                                      \
        lane[l] = JOIN(lane[l], VALUE(v));                                                         \
      }                                                                                            \
    }                                                                                              \
    if (columns == 1) {                                                                            \
      for (; width > 1; width /= 2) {                                                              \
        for (int64_t l = 0; l < width / 2; l++)                                                    \
          lane[l] = JOIN(lane[l], lane[l + width / 2]);                                            \
      }                                                                                            \
    }                                                                                              \
    for (int64_t l = 0; l < width; l += columns) {                                                 \
      for (int64_t c = 0; c < columns; c++)                                                        \
        acc[c] = JOIN(acc[c], lane[l + c]);                                                        \
    }                                                                                              \
  }                                                                                                \
  static void TYPED(name##_rows)(void *accumulators, const char *x, int64_t first, int64_t rows,   \
                                 int64_t row_step, int64_t columns, int64_t column_step,           \
                                 const double p) {                                                 \
    A *acc = accumulators;                                                                         \
    const int64_t size = (int64_t)sizeof(T);                                                       \
    (void)first, (void)p;                                                                          \
    if (row_step == size && rows < 16) {                                                           \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        const T *run = (const T *)(x + c * column_step);                                           \
        A a = acc[c];                                                                              \
        for (int64_t r = 0; r < rows; r++)                                                         \
          a = JOIN(a, VALUE(run[r]));                                                              \
        acc[c] = a;                                                                                \
      }                                                                                            \
    } else if (row_step == size) {                                                                 \
      const int64_t width = rows >= 512 ? FOLD_LANES : 16;                                         \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        TYPED(name##_narrow)(acc + c, (const T *)(x + c * column_step), rows, 1, width, p);        \
      }                                                                                            \
    } else if (row_step == columns * size && columns <= FOLD_LANES / 2) {                          \
      const int64_t width = FOLD_LANES / columns * columns;                                        \
      TYPED(name##_narrow)(acc, (const T *)x, rows * columns, columns, width, p);                  \
    } else {                                                                                       \
      int64_t r = 0;                                                                               \
      for (; r + 4 <= rows; r += 4) {                                                              \
        const T *x0 = (const T *)(x + r * row_step), *x1 = (const T *)(x + (r + 1) * row_step);    \
        const T *x2 = (const T *)(x + (r + 2) * row_step);                                         \
        const T *x3 = (const T *)(x + (r + 3) * row_step);                                         \
        _Pragma("omp simd") for (int64_t c = 0; c < columns; c++) {                                \
          const T v0 = x0[c], v1 = x1[c], v2 = x2[c], v3 = x3[c];                                  \
          const A a = JOIN(VALUE(v0), VALUE(v1)), b = JOIN(VALUE(v2), VALUE(v3));                  \
          const A ab = JOIN(a, b);                                                                 \
          acc[c] = JOIN(acc[c], ab);                                                               \
        }                                                                                          \
      }                                                                                            \
      for (; r < rows; r++) {                                                                      \
        const T *x0 = (const T *)(x + r * row_step);                                               \
        for (int64_t c = 0; c < columns; c++) {                                                    \
          const T v = x0[c];                                                                       \
          acc[c] = JOIN(acc[c], VALUE(v));                                                         \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void TYPED(name##_merge)(void *into, const void *from, int64_t n) {                       \
    A *a = into;                                                                                   \
    const A *b = from;                                                                             \
    for (int64_t i = 0; i < n; i++)                                                                \
      a[i] = JOIN(a[i], b[i]);                                                                     \
  }                                                                                                \
  static void TYPED(name##_finish)(char *const *out, int64_t at, int64_t step,                     \
                                   const void *accumulators, int64_t n, int64_t count,             \
                                   const double p) {                                               \
    const A *acc = accumulators;                                                                   \
    R *to = (R *)out[0] + at;                                                                      \
    (void)count, (void)p;                                                                          \
    for (int64_t i = 0; i < n; i++)                                                                \
      to[i * step] = RESULT(acc[i], count);                                                        \
  }                                                                                                \
  static const reducer TYPED(name) = {sizeof(A), TYPED(name##_start), TYPED(name##_rows),          \
                                      TYPED(name##_merge), TYPED(name##_finish)};

/* -- Pieces -------------------------------------------------------------------------------------
 */

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
#define AVERAGE(a, count) ((a) / (T)(count))
#define MAGNITUDE(v) MATH(fabs)(v)
#define SQUARE(v) ((v) * (v))
#define DOUBLED(v) ((double)(v))
#define ROUNDED(a, count) ((T)(a))
#define POWER(v) MATH(pow)(MATH(fabs)(v), (T)p)
#define ROOT2(a, count) MATH(sqrt)(a)
#define ROOT(a, count) MATH(pow)(a, (T)(1 / p))
FOLD(sum, T, 0, SELF, PLUS, T, PLAIN)
FOLD(mean, T, 0, SELF, PLUS, T, AVERAGE)
FOLD(prod, double, 1, DOUBLED, TIMES, T, ROUNDED) /* every rounding would stay in it */
FOLD(amax, T, -(T)INFINITY, SELF, LARGER, T, PLAIN)
FOLD(amin, T, (T)INFINITY, SELF, SMALLER, T, PLAIN)
FOLD(norm0, T, 0, IS_TRUE, PLUS, T, PLAIN)
FOLD(norm1, T, 0, MAGNITUDE, PLUS, T, PLAIN)
FOLD(norm2, T, 0, SQUARE, PLUS, T, ROOT2)
FOLD(norm_max, T, 0, MAGNITUDE, LARGER, T, PLAIN)
FOLD(norm_min, T, (T)INFINITY, MAGNITUDE, SMALLER, T, PLAIN)
FOLD(norm_p, T, 0, POWER, PLUS, T, ROOT)
#undef AVERAGE
#undef MAGNITUDE
#undef SQUARE
#undef DOUBLED
#undef ROUNDED
#undef POWER
#undef ROOT2
#undef ROOT
#else
#define WIDE(v) ((int64_t)(v))
#define NARROWED(a, count) ((T)(a))
#define LEAST ((T)-1 > 0 ? (T)0 : (T)((uint64_t)1 << (8 * sizeof(T) - 1)))
FOLD(sum, int64_t, 0, WIDE, PLUS, int64_t, PLAIN)
FOLD(prod, int64_t, 1, WIDE, TIMES, int64_t, PLAIN)
/* The sum of a broadcast gradient keeps its type. */
FOLD(sum_to, int64_t, 0, WIDE, PLUS, T, NARROWED)
FOLD(amax, T, LEAST, SELF, LARGER, T, PLAIN)
FOLD(amin, T, (T)~LEAST, SELF, SMALLER, T, PLAIN)
#undef WIDE
#undef NARROWED
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
