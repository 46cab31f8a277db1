/* extremes.h: for one element type, the loops that find the largest or smallest element and where
** it is.  Included through each.h by reduce.c.  Of equal elements the first wins, and the first NaN
** wins over all.
**
** EXTREME(name, BEATS, WORST, best): BEATS(a, b) says that a comes before b; `best` is the fold
** that finds the value alone.
*/
typedef struct TYPED(place) {
  T v;
  int64_t at; /* -1: nothing seen yet */
} TYPED(place);

#define EXTREME(name, BEATS, WORST, best)                                                          \
  static void TYPED(name##_start)(void *accumulators, int64_t n) {                                 \
    TYPED(place) *acc = accumulators;                                                              \
    for (int64_t i = 0; i < n; i++)                                                                \
      acc[i] = (TYPED(place)){WORST, -1};                                                          \
  }                                                                                                \
  static inline void TYPED(name##_join)(TYPED(place) * a, T v, int64_t at) {                       \
    if (a->at < 0 || BEATS(v, a->v) || (v != v && a->v == a->v))                                   \
      *a = (TYPED(place)){v, at};                                                                  \
  }                                                                                                \
  static void TYPED(name##_merge)(void *into, const void *from, int64_t n) {                       \
    TYPED(place) *a = into;                                                                        \
    const TYPED(place) *b = from;                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                              \
      if (b[i].at >= 0)                                                                            \
        TYPED(name##_join)(&a[i], b[i].v, b[i].at);                                                \
    }                                                                                              \
  }                                                                                                \
  /* A contiguous run: first what the extreme is, then where; both at the speed of the cache. */   \
  static void TYPED(name##_run)(TYPED(place) * acc, const T *x, int64_t n, int64_t first) {        \
    enum { STEP = 64 };                                                                            \
    T v = WORST;                                                                                   \
    int64_t i = 0;                                                                                 \
    TYPED(best##_narrow)(&v, x, n, 1, n >= 512 ? FOLD_LANES : 16, 0);                              \
    const bool nan = v != v;                                                                       \
    for (; i + STEP <= n; i += STEP) {                                                             \
      int hit = 0;                                                                                 \
      _Pragma("omp simd reduction(|:hit)") for (int l = 0; l < STEP; l++) {                        \
        const T w = x[i + l];                                                                      \
        hit |= (w == v) | (nan & (w != w));                                                        \
      }                                                                                            \
      if (hit)                                                                                     \
        break;                                                                                     \
    }                                                                                              \
    while (i < n && !(x[i] == v || (nan && x[i] != x[i])))                                         \
      i++;                                                                                         \
    if (i < n)                                                                                     \
      TYPED(name##_join)(acc, v, first + i);                                                       \
  }                                                                                                \
  static void TYPED(name##_rows)(void *accumulators, const char *x, int64_t first, int64_t rows,   \
                                 int64_t row_step, int64_t columns, int64_t column_step,           \
                                 double p) {                                                       \
    TYPED(place) *acc = accumulators;                                                              \
    (void)p;                                                                                       \
    if (row_step == (int64_t)sizeof(T) && rows >= 16) {                                            \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        TYPED(name##_run)(&acc[c], (const T *)(x + c * column_step), rows, first);                 \
      }                                                                                            \
    } else if (column_step == (int64_t)sizeof(T) && columns >= 8 && rows > 1) {                    \
      T best_v[COLUMNS];                                                                           \
      int32_t at[COLUMNS];                                                                         \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        best_v[c] = ((const T *)x)[c];                                                             \
        at[c] = 0;                                                                                 \
      }                                                                                            \
      for (int32_t r = 1; r < (int32_t)rows; r++) {                                                \
        const T *row = (const T *)(x + r * row_step);                                              \
        _Pragma("omp simd") for (int64_t c = 0; c < columns; c++) {                                \
          const T v = row[c], b = best_v[c];                                                       \
          const bool wins = BEATS(v, b) | ((v != v) & (b == b));                                   \
          best_v[c] = wins ? v : b;                                                                \
          at[c] = wins ? r : at[c];                                                                \
        }                                                                                          \
      }                                                                                            \
      for (int64_t c = 0; c < columns; c++) {                                                      \
        TYPED(name##_join)(&acc[c], best_v[c], first + at[c]);                                     \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t r = 0; r < rows; r++) {                                                         \
        for (int64_t c = 0; c < columns; c++) {                                                    \
          const T v = *(const T *)(x + r * row_step + c * column_step);                            \
          TYPED(name##_join)(&acc[c], v, first + r);                                               \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static const reducer TYPED(arg##name) = {sizeof(TYPED(place)), TYPED(name##_start),              \
                                           TYPED(name##_rows), TYPED(name##_merge),                \
                                           TYPED(arg_finish)};                                     \
  static const reducer TYPED(name##_along) = {sizeof(TYPED(place)), TYPED(name##_start),           \
                                              TYPED(name##_rows), TYPED(name##_merge),             \
                                              TYPED(along_finish)};

/* The position alone. */
static void TYPED(arg_finish)(char *const *out, int64_t at, int64_t step, const void *accumulators,
                              int64_t n, int64_t count, double p) {
  const TYPED(place) *acc = accumulators;
  int64_t *to = (int64_t *)out[0] + at;
  (void)count, (void)p;
  for (int64_t i = 0; i < n; i++)
    to[i * step] = acc[i].at + KILN_INDEX_BASE;
}

/* The element and its position. */
static void TYPED(along_finish)(char *const *out, int64_t at, int64_t step,
                                const void *accumulators, int64_t n, int64_t count, double p) {
  const TYPED(place) *acc = accumulators;
  T *value = (T *)out[0] + at;
  for (int64_t i = 0; i < n; i++)
    value[i * step] = acc[i].v;
  TYPED(arg_finish)(out + 1, at, step, accumulators, n, count, p);
}

#define ABOVE(a, b) ((a) > (b))
#define BELOW(a, b) ((a) < (b))
#if T_FLOAT
EXTREME(max, ABOVE, -(T)INFINITY, amax)
EXTREME(min, BELOW, (T)INFINITY, amin)
#else
#define LEAST ((T)-1 > 0 ? (T)0 : (T)((uint64_t)1 << (8 * sizeof(T) - 1)))
EXTREME(max, ABOVE, LEAST, amax)
EXTREME(min, BELOW, (T)~LEAST, amin)
#undef LEAST
#endif
#undef ABOVE
#undef BELOW
#undef EXTREME
