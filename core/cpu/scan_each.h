/* scan_each.h: running sums, products, extremes along a dim, for one element type (see each.h).
** Rows of `inner` neighbouring lines are scanned together; a thread owns lines.
*/
/* Running values of float are kept in double: what is rounded a million times in float is off in
** the third place. */
#if T_FLOAT
#define ACC double
#else
#define ACC V
#endif

#if !T_BOOL
/* Four values that follow each other in scanning order, of a sum in V, of a product in ACC, where
** even few factors would be rounded once too often.  By pointer: how vectors are passed depends on
** the instruction set. */
#define QUAD(quad, U)                                                                              \
  typedef U TYPED(quad) __attribute__((vector_size(4 * sizeof(U))));                               \
  typedef __typeof__(_Generic((U)0, float                                                          \
                              : (int32_t)0, double                                                 \
                              : (int64_t)0, default                                                \
                              : (U)0)) TYPED(quad##_place);                                        \
  typedef TYPED(quad##_place) TYPED(quad##_places) __attribute__((vector_size(4 * sizeof(U))));    \
  static inline void TYPED(quad##_take)(const T *x, int64_t step, TYPED(quad) * v) {               \
    *v = (TYPED(quad)){LOAD(x[0]), LOAD(x[step]), LOAD(x[2 * step]), LOAD(x[3 * step])};           \
  }                                                                                                \
  static inline void TYPED(quad##_put)(T * y, int64_t step, const TYPED(quad) * v) {               \
    for (int i = 0; i < 4; i++)                                                                    \
      y[i * step] = STORE((V)(*v)[i]);                                                             \
  }
QUAD(narrow, V)
QUAD(wide, ACC)
#undef QUAD

/* NAME_chains: CHAINS sequences of n elements, side by side so that additions overlap (nobody
** reads the sums afterwards). NAME: lines from..to - 1.  NAME_chunk: part of a long line, four
** times four elements at a time: running values of the four, of the sixteen, of the chunk, then
** what precedes it; the result is the chunk's total, which alone is wanted when y is NULL. */
#define SCAN(name, op, identity, U, quad)                                                          \
  static inline __attribute__((always_inline)) void TYPED(name##_side_by_side)(                    \
      const T *x, T *y, const int64_t *at, int64_t step, int64_t n, ACC *a) {                      \
    const T *from[CHAINS];                                                                         \
    T *to[CHAINS];                                                                                 \
    ACC sum[CHAINS];                                                                               \
    for (int j = 0; j < CHAINS; j++)                                                               \
      from[j] = x + at[j], to[j] = y + at[j], sum[j] = a[j];                                       \
    for (int64_t k = 0; k < n; k++) {                                                              \
      _Pragma("GCC unroll 8") for (int j = 0; j < CHAINS; j++) {                                   \
        sum[j] = (ACC)(sum[j] op LOAD(from[j][k * step]));                                         \
        to[j][k * step] = STORE((V)sum[j]);                                                        \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void TYPED(name##_chains)(const T *x, T *y, const int64_t *at, int64_t step, int64_t n,   \
                                   ACC *a) {                                                       \
    if (step == 1)                                                                                 \
      TYPED(name##_side_by_side)(x, y, at, 1, n, a);                                               \
    else                                                                                           \
      TYPED(name##_side_by_side)(x, y, at, step, n, a);                                            \
  }                                                                                                \
  static void TYPED(name)(const scan *s, int64_t from, int64_t to) {                               \
    const T *x = s->x;                                                                             \
    T *y = s->y;                                                                                   \
    int64_t step;                                                                                  \
    while (from < to) {                                                                            \
      ACC a[BLOCK];                                                                                \
      int64_t width = block_width(s, from, to), at = first_of(s, from, &step);                     \
      for (int64_t b = 0; b < width; b++)                                                          \
        a[b] = identity;                                                                           \
      if (s->inner == 1 && to - from >= CHAINS) {                                                  \
        int64_t first[CHAINS];                                                                     \
        width = CHAINS;                                                                            \
        for (int j = 0; j < CHAINS; j++)                                                           \
          a[j] = identity, first[j] = at + j * s->n;                                               \
        TYPED(name##_chains)(x, y, first, step, s->n, a);                                          \
      } else {                                                                                     \
        for (int64_t k = 0, end; kiln__next_piece(s->stop, k, s->n, &end);) {                      \
          for (; k < end; k++, at += step) {                                                       \
            for (int64_t b = 0; b < width; b++) {                                                  \
              a[b] = (ACC)(a[b] op LOAD(x[at + b]));                                               \
              y[at + b] = STORE((V)a[b]);                                                          \
            }                                                                                      \
          }                                                                                        \
        }                                                                                          \
      }                                                                                            \
      from += width;                                                                               \
    }                                                                                              \
  }                                                                                                \
  static inline __attribute__((always_inline)) ACC TYPED(name##_sixteens)(                         \
      const T *x, T *y, int64_t step, ACC before) {                                                \
    const TYPED(quad) none = {identity, identity, identity, identity};                             \
    ACC sum = identity;                                                                            \
    for (int64_t k = 0; k < CHUNK; k += 16, x += 16 * step) {                                      \
      TYPED(quad) v[4];                                                                            \
      U in_sixteen = identity;                                                                     \
      _Pragma("GCC unroll 4") for (int q = 0; q < 4; q++) {                                        \
        TYPED(quad) a;                                                                             \
        TYPED(quad##_take)(x + 4 * q * step, step, &a);                                            \
        a = a op __builtin_shuffle(none, a, (TYPED(quad##_places)){0, 4, 5, 6});                   \
        a = a op __builtin_shuffle(none, a, (TYPED(quad##_places)){0, 1, 4, 5});                   \
        v[q] = in_sixteen op a;                                                                    \
        in_sixteen = (U)(in_sixteen op a[3]);                                                      \
      }                                                                                            \
      _Pragma("GCC unroll 4") for (int q = 0; y && q < 4; q++) {                                   \
        const TYPED(quad) r = (U)(before op sum)op v[q];                                           \
        TYPED(quad##_put)(y + (k + 4 * q) * step, step, &r);                                       \
      }                                                                                            \
      sum = (ACC)(sum op in_sixteen);                                                              \
    }                                                                                              \
    return sum;                                                                                    \
  }                                                                                                \
  static ACC TYPED(name##_chunk)(const T *x, T *y, int64_t step, ACC before) {                     \
    if (step != 1)                                                                                 \
      return TYPED(name##_sixteens)(x, y, step, before);                                           \
    if (!y)                                                                                        \
      return TYPED(name##_sixteens)(x, NULL, 1, before);                                           \
    return TYPED(name##_sixteens)(x, y, 1, before);                                                \
  }                                                                                                \
  static ACC TYPED(name##_write)(const scan *s, const T *x, T *y, int64_t step, ACC before) {      \
    _Alignas(64) T room[CHUNK];                                                                    \
    if (step != 1 || s->n * (int64_t)sizeof(T) < KILN_STREAM_BYTES)                                \
      return TYPED(name##_chunk)(x, y, step, before);                                              \
    ACC total = TYPED(name##_chunk)(x, room, 1, before);                                           \
    kiln__stream(y, room, (int64_t)sizeof room);                                                   \
    kiln__stream_end();                                                                            \
    return total;                                                                                  \
  }                                                                                                \
  /* Line `line` in chunks.  Several threads take the totals first; what is added to what is the   \
  ** same either way. */                                                                           \
  static int32_t TYPED(name##_long)(const scan *s, int64_t line) {                                 \
    int64_t chunks = s->n / CHUNK, step, at = first_of(s, line, &step);                            \
    int64_t bytes = chunks * (int64_t)sizeof(ACC);                                                 \
    const T *x = (const T *)s->x + at;                                                             \
    T *y = (T *)s->y + at;                                                                         \
    ACC a = identity, *total = kiln__scratch(0, bytes);                                            \
    if (!total)                                                                                    \
      return KILN_ENOMEM;                                                                          \
    int threads = kiln__threads(s->n, KILN_GRAIN);                                                 \
    if (threads > 1) {                                                                             \
      _Pragma("omp parallel for num_threads(threads)") for (int64_t i = 0; i < chunks; i++) {      \
        if (!kiln__stops(s->stop))                                                                 \
          total[i] = TYPED(name##_chunk)(x + i * CHUNK * step, NULL, step, identity);              \
      }                                                                                            \
      for (int64_t i = 0; i < chunks; i++) {                                                       \
        ACC before = a;                                                                            \
        a = (ACC)(a op total[i]);                                                                  \
        total[i] = before;                                                                         \
      }                                                                                            \
      _Pragma("omp parallel for num_threads(threads)") for (int64_t i = 0; i < chunks; i++) {      \
        if (!kiln__stops(s->stop))                                                                 \
          TYPED(name##_write)(s, x + i * CHUNK * step, y + i * CHUNK * step, step, total[i]);      \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t i = 0; i < chunks && !kiln__stops(s->stop); i++) {                              \
        ACC own = TYPED(name##_write)(s, x + i * CHUNK * step, y + i * CHUNK * step, step, a);     \
        a = (ACC)(a op own);                                                                       \
      }                                                                                            \
    }                                                                                              \
    for (int64_t k = chunks * CHUNK; k < s->n; k++) {                                              \
      a = (ACC)(a op LOAD(x[k * step]));                                                           \
      y[k * step] = STORE((V)a);                                                                   \
    }                                                                                              \
    kiln__scratch_free(0, total, bytes);                                                           \
    return KILN_OK;                                                                                \
  }
SCAN(cumsum, +, 0, V, narrow)
SCAN(cumprod, *, 1, ACC, wide)
#undef SCAN
#endif

/* The largest or smallest so far and its position; of equals the last, NaN stays. */
static void TYPED(cumextreme)(const scan *s, int64_t from, int64_t to) {
  const T *x = s->x;
  T *y = s->y;
  for (; from < to; from++) {
    int64_t step, at = first_of(s, from, &step), best = at, where = 0;
    for (int64_t k = 0, end; kiln__next_piece(s->stop, k, s->n, &end);) {
      for (; k < end; k++, at += step) {
        V v = LOAD(x[at]), b = LOAD(x[best]);
#if T_FLOAT
        bool take = b == b && (v != v || (s->smallest ? v <= b : v >= b));
        take |= b != b && v != v;
#else
        bool take = s->smallest ? v <= b : v >= b;
#endif
        if (take) {
          best = at;
          where = k;
        }
        y[at] = x[best];
        s->where[at] = where + KILN_INDEX_BASE;
      }
    }
  }
}

#if T_FLOAT && !T_HALF
static void TYPED(logcumsumexp)(const scan *s, int64_t from, int64_t to) {
  const T *x = s->x;
  T *y = s->y;
  for (; from < to; from++) {
    int64_t step, at = first_of(s, from, &step);
    ACC a = x[at];
    y[at] = (T)a;
    for (int64_t k = 1, end; kiln__next_piece(s->stop, k, s->n, &end);) {
      for (; k < end; k++) {
        at += step;
        ACC v = x[at], high = a > v ? a : v, low = a > v ? v : a;
        if (a != a || v != v)
          a = a + v;
        else if (high - low == high - low)
          a = high + MATH(log1p)(MATH(exp)((T)(low - high)));
        else
          a = high; /* an infinity among them */
        y[at] = (T)a;
      }
    }
  }
}

/* exp(a - b) where a = b may be infinite. */
static inline T TYPED(ratio)(T a, T b) { return a == b ? 1 : MATH(exp)(a - b); }

/* Gradient of logcumsumexp, sum over i >= k of g_i exp(x_k - y_i), scanned from its end: no factor
** exceeds 1, so nothing overflows. */
static void TYPED(logcumsumexp_dx)(const scan *s, int64_t from, int64_t to) {
  const T *g = s->g, *x = s->x, *y = s->other;
  T *out = s->y;
  for (; from < to; from++) {
    int64_t step, at = first_of(s, from, &step);
    T sum = 0;
    for (int64_t k = 0, end; kiln__next_piece(s->stop, k, s->n, &end);) {
      for (; k < end; k++, at += step) {
        sum = k == 0 ? g[at] : g[at] + TYPED(ratio)(y[at], y[at - step]) * sum;
        out[at] = sum * TYPED(ratio)(x[at], y[at]);
      }
    }
  }
}

/* What logcumsumexp does to a small change g of x: sum over k <= i of g_k exp(x_k - y_i). */
static void TYPED(logcumsumexp_jvp)(const scan *s, int64_t from, int64_t to) {
  const T *g = s->g, *x = s->x, *y = s->other;
  T *out = s->y;
  for (; from < to; from++) {
    int64_t step, at = first_of(s, from, &step);
    T sum = 0;
    for (int64_t k = 0, end; kiln__next_piece(s->stop, k, s->n, &end);) {
      for (; k < end; k++, at += step) {
        if (k > 0)
          sum *= TYPED(ratio)(y[at - step], y[at]);
        sum += g[at] * TYPED(ratio)(x[at], y[at]);
        out[at] = sum;
      }
    }
  }
}

/* Gradient of cumprod, exact where x has zeros: before the first zero the terms are g * y / x;
** at it, what the products would be without it; after it nothing arrives. */
static void TYPED(cumprod_dx)(const scan *s, int64_t from, int64_t to) {
  const T *g = s->g, *x = s->x;
  T *y = s->y;
  for (; from < to; from++) {
    int64_t step, at = first_of(s, from, &step), zero = 0;
    while (zero < s->n && x[at + zero * step] != 0)
      zero++;
    double product = 1;
    for (int64_t k = 0, end; kiln__next_piece(s->stop, k, zero, &end);) {
      for (; k < end; k++) {
        product *= (double)x[at + k * step];
        y[at + k * step] = (T)product;
      }
    }
    double sum = 0;
    if (zero < s->n) {
      /* products with the zero taken out, up to the next zero */
      double p = product;
      for (int64_t k = zero; k < s->n; k++) {
        if (k > zero)
          p *= (double)x[at + k * step];
        sum += (double)g[at + k * step] * p;
        if (p == 0)
          break;
      }
      for (int64_t k = zero; k < s->n; k++)
        y[at + k * step] = 0;
      y[at + zero * step] = (T)sum;
    }
    sum = 0;
    for (int64_t k = 0, end; kiln__next_piece(s->stop, k, zero, &end);) {
      for (; k < end; k++) {
        int64_t i = at + (zero - 1 - k) * step;
        sum += (double)g[i] * (double)y[i];
        y[i] = (T)(sum / (double)x[i]);
      }
    }
  }
}
#endif

#undef ACC
