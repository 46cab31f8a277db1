/* tiles_each.h: matrix products of floats by register tiles, for element type T.  Read by each.h.
**
** A tile of ROWS rows and up to VECTORS vectors of columns stays in registers while it sums over a
** block of k.  Each element is summed in an order that depends on k alone: results do not depend
** on where a product is cut.  The right operand lies as it is or in panels: PANEL columns side by
** side, row after row, zeros where there are fewer.
*/
typedef T TYPED(wide) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));

#define LANES ((int)(VECTOR_BYTES / sizeof(T)))
#define PANEL (VECTORS * LANES)

/* c = alpha * a b, plus beta * c or the bias; everything in elements. */
typedef struct TYPED(tile) {
  int64_t k, a_row, a_k, b_k, c_row;
  const T *a, *b, *bias; /* bias: one a column, or NULL */
  T *c, alpha, beta;
  int columns;
} TYPED(tile);

/* rows and vectors are constants where this is called. */
static inline __attribute__((always_inline)) void
TYPED(tile_of)(const TYPED(tile) * t, const int rows, const int vectors) {
  TYPED(wide) sum[ROWS][VECTORS], y[VECTORS];
  const T *a[ROWS], *b = t->b;
  int64_t a_k = t->a_k, b_k = t->b_k, at = 0;
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    a[i] = t->a + i * t->a_row;
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++)
      sum[i][j] = (TYPED(wide)){0};
  }
  for (int64_t k = t->k; k > 0; k--, at += a_k, b += b_k) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++)
      y[j] = *(const TYPED(wide) *)(b + j * LANES);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      T x = a[i][at];
#pragma GCC unroll 4
      for (int j = 0; j < vectors; j++)
        sum[i][j] += x * y[j];
    }
  }
  T *c = t->c, alpha = t->alpha, beta = t->beta;
  int columns = t->columns < vectors * LANES ? t->columns : vectors * LANES;
  if (columns == vectors * LANES) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++, c += t->c_row) {
#pragma GCC unroll 4
      for (int j = 0; j < vectors; j++) {
        TYPED(wide) *to = (TYPED(wide) *)(c + j * LANES), v = sum[i][j] * alpha;
        if (t->bias)
          *to = v + *(const TYPED(wide) *)(t->bias + j * LANES);
        else if (beta == 0)
          *to = v;
        else
          *to = v + beta * *to;
      }
    }
    return;
  }
  T room[ROWS][PANEL];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++)
      *(TYPED(wide) *)(room[i] + j * LANES) = sum[i][j] * alpha;
  }
  for (int i = 0; i < rows; i++, c += t->c_row) {
    for (int j = 0; j < columns; j++) {
      T v = room[i][j];
      if (t->bias)
        c[j] = v + t->bias[j];
      else if (beta == 0)
        c[j] = v;
      else
        c[j] = v + beta * c[j];
    }
  }
}

#define TILE(R, C)                                                                                 \
  static void TYPED(KILN_PASTE(tile_##R, C))(const TYPED(tile) * t) { TYPED(tile_of)(t, R, C); }
#define TILES_OF(R) TILE(R, 1) TILE(R, 2) TILE(R, 3)
#define NAMES_OF(R)                                                                                \
  { TYPED(KILN_PASTE(tile_##R, 1)), TYPED(KILN_PASTE(tile_##R, 2)), TYPED(KILN_PASTE(tile_##R, 3)) }
TILES_OF(1)
TILES_OF(2)
TILES_OF(4)
#if ROWS == 8
TILES_OF(8)
#endif

/* By the logarithm of the rows, and vectors less one. */
static void (*const TYPED(tiles)[][VECTORS])(const TYPED(tile) *) = {
    NAMES_OF(1),
    NAMES_OF(2),
    NAMES_OF(4),
#if ROWS == 8
    NAMES_OF(8),
#endif
};
#undef TILE
#undef TILES_OF
#undef NAMES_OF

/* -- Panels ---------------------------------------------------------------------------------- */

/* to[i][j] = from[j][i] for 4 x 4 elements. */
static inline void TYPED(turn_four)(T *to, int64_t to_step, const T *from, int64_t step) {
  typedef T four __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));
  const four s0 = *(const four *)from, s1 = *(const four *)(from + step);
  const four s2 = *(const four *)(from + 2 * step), s3 = *(const four *)(from + 3 * step);
  const four a = __builtin_shufflevector(s0, s1, 0, 4, 1, 5);
  const four b = __builtin_shufflevector(s0, s1, 2, 6, 3, 7);
  const four c = __builtin_shufflevector(s2, s3, 0, 4, 1, 5);
  const four d = __builtin_shufflevector(s2, s3, 2, 6, 3, 7);
  *(four *)to = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  *(four *)(to + to_step) = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  *(four *)(to + 2 * to_step) = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  *(four *)(to + 3 * to_step) = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* x [k, n], element (r, j) at r * by_k + j * by_n, one of which is 1, into panels of `width`
** columns. */
static inline __attribute__((always_inline)) void TYPED(pack_width)(T *to, const T *x, int64_t by_k,
                                                                    int64_t by_n, int64_t k,
                                                                    int64_t n, const int width) {
  int64_t whole = n / width * width;
  if (by_n == 1) { /* row by row, so that every line is read once */
    for (int64_t r = 0; r < k; r++) {
      const T *from = x + r * by_k;
      T *p = to + r * width;
      for (int64_t j = 0; width == ROWS && r + AHEAD < k && j < n; j += LANES)
        __builtin_prefetch(from + AHEAD * by_k + j);
      for (int64_t j = 0; j < whole; j += width, p += k * width) {
        for (int q = 0; q < width; q++)
          p[q] = from[j + q];
      }
      for (int q = 0; whole < n && q < width; q++)
        p[q] = whole + q < n ? from[whole + q] : 0;
    }
    return;
  }
  for (int64_t j = 0; j < n; j += width, to += k * width) {
    int count = n - j < width ? (int)(n - j) : width, q = 0;
    for (; q + 4 <= count; q += 4) {
      const T *from = x + (j + q) * by_n;
      int64_t r = 0;
      for (; r + 4 <= k; r += 4)
        TYPED(turn_four)(to + r * width + q, width, from + r, by_n);
      for (; r < k; r++) {
        for (int i = 0; i < 4; i++)
          to[r * width + q + i] = from[i * by_n + r];
      }
    }
    for (; q < width; q++) {
      const T *from = x + (j + q) * by_n;
      for (int64_t r = 0; r < k; r++)
        to[r * width + q] = q < count ? from[r] : 0;
    }
  }
}

static void TYPED(pack_panels)(T *to, const T *x, int64_t by_k, int64_t by_n, int64_t k,
                               int64_t n) {
  TYPED(pack_width)(to, x, by_k, by_n, k, n, PANEL);
}
static void TYPED(pack_rows)(T *to, const T *x, int64_t by_k, int64_t by_n, int64_t k, int64_t n) {
  TYPED(pack_width)(to, x, by_k, by_n, k, n, ROWS);
}

/* -- Products -------------------------------------------------------------------------------- */

/* Rows of a times b [k, n], into c: `t` holds everything that is the same for all tiles.  b is in
** panels, or as it is with rows b_k apart and whole vectors. */
static void TYPED(over_panels)(TYPED(tile) t, int64_t rows, int64_t n, const T *b, int64_t b_k,
                               bool packed) {
  const T *a = t.a, *bias = t.bias;
  T *c = t.c;
  int64_t step = b_k == IN_PANELS ? t.k : 1;
  t.b_k = b_k == IN_PANELS ? PANEL : b_k;
  for (int64_t j = 0; j < n; j += PANEL) {
    t.columns = n - j < PANEL ? (int)(n - j) : PANEL;
    t.b = b + j * step;
    t.bias = bias ? bias + j : NULL;
    int vectors = (t.columns + LANES - 1) / LANES;
    for (int64_t i = 0; i < rows;) {
      int log = rows - i >= ROWS ? LOG_ROWS : rows - i >= 4 ? 2 : rows - i >= 2 ? 1 : 0;
      t.a = packed ? a + i / ROWS * ROWS * t.k + i % ROWS : a + i * t.a_row;
      t.c = c + i * t.c_row + j;
      TYPED(tiles)[log][vectors - 1](&t);
      i += 1 << log;
    }
  }
}

/* Rows [row, row + rows) and columns likewise of one product of g.  room: for BLOCK elements of b
** and GROUP rows of a. */
static void TYPED(part)(const kiln_gemm *g, int64_t batch, int64_t row, int64_t rows,
                        int64_t column, int64_t columns, T *room) {
  const T *a = (const T *)(const void *)g->a + batch * g->sa + row * (g->ta ? 1 : g->lda);
  const T *b = (const T *)(const void *)g->b + batch * g->sb + column * (g->tb ? g->ldb : 1);
  T *c = (T *)(void *)g->c + batch * g->sc + row * g->ldc + column, *group = room + BLOCK;
  const T *bias = g->bias ? (const T *)(const void *)g->bias + column : NULL;
  int64_t deep = deep_of(g->k), most = BLOCK / deep / PANEL * PANEL;
  TYPED(tile) t = {.c_row = g->ldc, .alpha = (T)g->alpha};
  bool as_it_is = kiln__takes_b_as_it_is(g);
  for (int64_t n = 0; n < columns; n += most) {
    int64_t count = columns - n < most ? columns - n : most;
    for (int64_t k = 0; k < g->k; k += deep) {
      t.k = g->k - k < deep ? g->k - k : deep;
      t.beta = k == 0 ? (T)g->beta : 1;
      t.bias = k == 0 && bias ? bias + n : NULL;
      int64_t by_k = g->tb ? 1 : g->ldb, by_n = g->tb ? g->ldb : 1;
      const T *right = b + k * by_k + n * by_n;
      if (!as_it_is) {
        TYPED(pack_panels)(room, right, by_k, by_n, t.k, count);
        right = room;
      }
      for (int64_t m = 0; m < rows; m += GROUP) {
        int64_t some = rows - m < GROUP ? rows - m : GROUP;
        t.c = c + m * g->ldc + n;
        t.a = a + (g->ta ? m + k * g->lda : m * g->lda + k);
        t.a_row = g->ta ? 1 : g->lda;
        t.a_k = g->ta ? g->lda : 1;
        if (g->ta) {
          TYPED(pack_rows)(group, t.a, g->lda, 1, t.k, some);
          t.a = group;
          t.a_row = 1;
          t.a_k = ROWS;
        }
        TYPED(over_panels)(t, some, count, right, as_it_is ? by_k : IN_PANELS, g->ta);
      }
    }
  }
}

/* c [rows, columns from column on] = a p + beta * c, where p is all of [k, n] in panels. */
static void TYPED(panels_multiply)(const kiln_panels *p, int64_t rows, int64_t column,
                                   int64_t columns, const T *a, double beta, T *c, int64_t ldc) {
  int64_t deep = deep_of(p->k), padded = (p->n + PANEL - 1) / PANEL * PANEL;
  const T *panels = (const T *)(const void *)p->data;
  TYPED(tile) t = {.a_row = p->k, .a_k = 1, .c_row = ldc, .alpha = 1, .beta = (T)beta};
  for (int64_t k = 0; k < p->k; k += deep, t.beta = 1) {
    t.k = p->k - k < deep ? p->k - k : deep;
    t.a = a + k;
    t.c = c + column;
    TYPED(over_panels)(t, rows, columns, panels + k * padded + column * t.k, IN_PANELS, false);
  }
}

/* Columns [column, column + columns) of p from b: column is the first of a panel. */
static void TYPED(panels_fill)(const kiln_panels *p, bool turned, const T *b, int64_t ldb,
                               int64_t column, int64_t columns) {
  int64_t deep = deep_of(p->k), padded = (p->n + PANEL - 1) / PANEL * PANEL;
  T *panels = (T *)(void *)p->data;
  for (int64_t k = 0; k < p->k; k += deep) {
    int64_t count = p->k - k < deep ? p->k - k : deep;
    int64_t by_k = turned ? 1 : ldb, by_n = turned ? ldb : 1;
    T *to = panels + k * padded + column * count;
    TYPED(pack_panels)(to, b + k * by_k + column * by_n, by_k, by_n, count, columns);
  }
}

#undef LANES
#undef PANEL
