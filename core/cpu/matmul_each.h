/* matmul_each.h: products of element type T that no library has: matrix times vector and dot
** products of floats, everything of integers.  Read by each.h.  Every sum is added up in an order
** that depends on the shape alone.
*/
#if !T_BOOL

#if T_FLOAT

/* y = alpha * a x + beta * y; a [m, n] has rows lda apart, or (turned) columns lda apart. */
typedef struct TYPED(gemv_job) {
  int64_t n, lda;
  const T *a, *x;
  T *y, alpha, beta;
} TYPED(gemv_job);

static void TYPED(gemv_rows)(const TYPED(gemv_job) * j, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    const T *row = j->a + i * j->lda;
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < j->n; k++)
      sum += row[k] * j->x[k];
    j->y[i] = j->beta == 0 ? j->alpha * sum : j->alpha * sum + j->beta * j->y[i];
  }
}

static void TYPED(gemv_columns)(const TYPED(gemv_job) * j, int64_t from, int64_t to) {
  T sum[COLUMNS];
  for (int64_t i = from; i < to; i += COLUMNS) {
    int64_t count = to - i < COLUMNS ? to - i : COLUMNS;
    for (int64_t r = 0; r < count; r++)
      sum[r] = 0;
    for (int64_t k = 0; k < j->n; k++) {
      const T *column = j->a + k * j->lda + i;
      T scale = j->x[k];
      for (int64_t r = 0; r < count; r++)
        sum[r] += column[r] * scale;
    }
    for (int64_t r = 0; r < count; r++) {
      T *y = &j->y[i + r];
      *y = j->beta == 0 ? j->alpha * sum[r] : j->alpha * sum[r] + j->beta * *y;
    }
  }
}

static void TYPED(gemv)(bool turned, int64_t m, int64_t n, double alpha, const void *a, int64_t lda,
                        const void *x, double beta, void *y) {
  TYPED(gemv_job) j = {n, lda, a, x, y, (T)alpha, (T)beta};
  int64_t grain = KILN_GRAIN * 8 / (n + 1) + 1;
  if (turned)
    KILN_PARALLEL_BY(kiln__piece(COLUMNS, grain), m, 64, grain, TYPED(gemv_columns)(&j, from, to));
  else
    KILN_PARALLEL(m, 1, grain, TYPED(gemv_rows)(&j, from, to));
}

#else

/* c = alpha * op(a) op(b) + beta * c for rows from..to of all batches, wrapping around. */
static void TYPED(gemm_rows)(const kiln_gemm *g, int64_t from, int64_t to) {
  const T *a = (const T *)(const void *)g->a, *b = (const T *)(const void *)g->b;
  T *c = (T *)(void *)g->c;
  T alpha = (T)(int64_t)g->alpha, beta = (T)(int64_t)g->beta;
  int64_t ar = g->ta ? 1 : g->lda, ak = g->ta ? g->lda : 1;
  int64_t bk = g->tb ? 1 : g->ldb, bc = g->tb ? g->ldb : 1;
  for (int64_t u = from; u < to; u++) {
    int64_t batch = u / g->m, i = u % g->m;
    T *out = c + batch * g->sc + i * g->ldc;
    for (int64_t j = 0; j < g->n; j++)
      out[j] = beta == 0 ? 0 : (T)(beta * out[j]);
    for (int64_t k = 0; k < g->k; k++) {
      T scale = (T)(alpha * a[batch * g->sa + i * ar + k * ak]);
      const T *row = b + batch * g->sb + k * bk;
      for (int64_t j = 0; j < g->n; j++)
        out[j] = (T)(out[j] + scale * row[j * bc]);
    }
  }
}

static void TYPED(gemm)(const kiln_gemm *g) {
  KILN_PARALLEL(g->batch * g->m, 1, KILN_GRAIN / (g->n * g->k + 1) + 1,
                TYPED(gemm_rows)(g, from, to));
}

#endif

/* A sum is made of the sums of `block` products each. */
typedef struct TYPED(dot_job) {
  int64_t n, block, sx, sy;
  const T *x, *y;
  T *partial;
  kiln_stop *stop;
} TYPED(dot_job);

static void TYPED(dot_blocks)(const TYPED(dot_job) * j, int64_t from, int64_t to) {
  for (int64_t b = from; b < to && !kiln__stops(j->stop); b++) {
    int64_t first = b * j->block, last = j->n - first < j->block ? j->n : first + j->block;
    T sum = 0;
    if (j->sx == 1 && j->sy == 1) {
#pragma omp simd reduction(+ : sum)
      for (int64_t i = first; i < last; i++)
        sum += (T)(j->x[i] * j->y[i]);
    } else {
      for (int64_t i = first; i < last; i++)
        sum += (T)(j->x[i * j->sx] * j->y[i * j->sy]);
    }
    j->partial[b] = sum;
  }
}

static int32_t TYPED(dot)(int64_t n, const void *x, int64_t sx, const void *y, int64_t sy,
                          void *out) {
  enum { BLOCK = 4096, MOST = 1024 };
  T partial[MOST], total = 0;
  TYPED(dot_job) j = {n, (n + MOST - 1) / MOST, sx, sy, x, y, partial, &kiln__stop};
  if (j.block < BLOCK)
    j.block = BLOCK;
  int64_t blocks = (n + j.block - 1) / j.block;
  KILN_PARALLEL(blocks, 1, KILN_GRAIN * 4 / j.block + 1, TYPED(dot_blocks)(&j, from, to));
  for (int64_t b = 0; b < blocks && !kiln__stops(j.stop); b++)
    total = (T)(total + partial[b]);
  *(T *)out = total;
  return KILN_OK;
}

#endif
