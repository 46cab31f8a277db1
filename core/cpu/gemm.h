/* gemm.h: matrix products for the kernels that need one: which library computes a tile, and how a
** product is cut into tiles.
**
** Libraries are called with one thread each, on tiles whose borders depend on the shape and the
** machine but never on the number of threads: results are equal to the bit for any of them.  What
** libraries do not do best goes to tiles.c.  It refuses to know tensors.
*/
#ifndef KILN_GEMM_H
#define KILN_GEMM_H
#include "blas.h"
#include "cpu.h"
#include "onednn.h"

#include <unistd.h>

/* Processors of the machine, whatever the number of threads in use. */
static inline int64_t kiln__cores(void) {
  static int64_t cores;
  int64_t n = __atomic_load_n(&cores, __ATOMIC_RELAXED);
  if (n == 0) {
    n = sysconf(_SC_NPROCESSORS_ONLN);
    n = n < 1 ? 1 : n > 64 ? 64 : n;
    __atomic_store_n(&cores, n, __ATOMIC_RELAXED);
  }
  return n;
}

/* Runs a statement (the last argument, which reads int64_t unit) for 0 <= unit < n: in parallel, in
** any order, with libraries inside seeing one thread.  `work` is in nanoseconds, for all of it.
** Ctrl-C is seen between two units. */
/* clang-format off */
#define KILN_UNITS(n, work, ...)                                                                   \
  do {                                                                                             \
    int64_t units_ = (n);                                                                          \
    int threads_ = units_ < 2 ? 1 : kiln__threads((int64_t)(work), KILN_GRAIN / 2);                \
    kiln_stop *stop_ = &kiln__stop;                                                                \
    if (threads_ > 1) {                                                                            \
      if (threads_ > units_) threads_ = (int)units_;                                               \
      _Pragma("omp parallel for num_threads(threads_) schedule(dynamic, 1)")                       \
      for (int64_t unit = 0; unit < units_; unit++)                                                \
        if (!kiln__stops(stop_)) __VA_ARGS__;                                                      \
    } else {                                                                                       \
      int most_ = omp_get_max_threads();                                                           \
      if (most_ > 1) omp_set_num_threads(1);                                                       \
      for (int64_t unit = 0; unit < units_ && !kiln__stops(stop_); unit++) __VA_ARGS__;            \
      if (most_ > 1) omp_set_num_threads(most_);                                                   \
    }                                                                                              \
  } while (0)
/* clang-format on */

/* c = alpha * op(a) op(b) + beta * c, row-major, op(a) [m, k], op(b) [k, n]; beta = 0 does not read
** c.  `batch` products, whose operands lie sa, sb and sc elements apart; m, n and k are not 0.  A
** bias [n], or NULL, is added to every row; then beta is 0. */
typedef struct kiln_gemm {
  const kiln_blas *blas;
  bool f64, ta, tb;
  int64_t m, n, k, batch;
  const char *a, *b;
  char *c;
  int64_t lda, ldb, ldc, sa, sb, sc;
  double alpha, beta;
  const char *bias;
} kiln_gemm;

/* A right operand [k, n] that many products share, in panels of columns (tiles_each.h). */
typedef struct kiln_panels {
  bool f64;
  int64_t k, n;
  char *data; /* kiln__panels_bytes of them */
} kiln_panels;

/* tiles.c: the same on as many threads as it is worth; false where there is no memory to work in.
 */
bool FN(kiln__tiled_gemm)(const kiln_gemm *g);
int64_t FN(kiln__panels_bytes)(const kiln_panels *p);
/* b [k, n] with rows ldb apart; turned: [n, k]. */
void FN(kiln__panels_fill)(const kiln_panels *p, bool turned, const void *b, int64_t ldb);
/* c [rows, n] = a p + beta * c, a [rows, k] without gaps, rows of c ldc apart. */
void FN(kiln__panels_multiply)(const kiln_panels *p, int64_t rows, const void *a, double beta,
                               void *c, int64_t ldc);

/* One tile, on the calling thread. */
static inline void kiln__gemm_tile(const kiln_gemm *g, int64_t batch, int64_t row, int64_t rows,
                                   int64_t column, int64_t columns) {
  int64_t size = g->f64 ? 8 : 4;
  const char *a = g->a + (batch * g->sa + (g->ta ? row : row * g->lda)) * size;
  const char *b = g->b + (batch * g->sb + (g->tb ? column * g->ldb : column)) * size;
  char *c = g->c + (batch * g->sc + row * g->ldc + column) * size;
  CBLAS_TRANSPOSE ta = g->ta ? CblasTrans : CblasNoTrans, tb = g->tb ? CblasTrans : CblasNoTrans;
  if (g->f64) {
    g->blas->cblas_dgemm(CblasRowMajor, ta, tb, (blasint)rows, (blasint)columns, (blasint)g->k,
                         g->alpha, (const double *)a, (blasint)g->lda, (const double *)b,
                         (blasint)g->ldb, g->beta, (double *)c, (blasint)g->ldc);
    return;
  }
#ifdef KILN_ONEDNN
  /* OpenBLAS has kernels for small matrices; above them oneDNN is quicker. */
  if ((double)rows * (double)columns * (double)g->k > 1e6) {
    kiln__onednn_sgemm(g->ta, g->tb, rows, columns, g->k, (float)g->alpha, (const float *)a, g->lda,
                       (const float *)b, g->ldb, (float)g->beta, (float *)c, g->ldc);
    return;
  }
#endif
  g->blas->cblas_sgemm(CblasRowMajor, ta, tb, (blasint)rows, (blasint)columns, (blasint)g->k,
                       (float)g->alpha, (const float *)a, (blasint)g->lda, (const float *)b,
                       (blasint)g->ldb, (float)g->beta, (float *)c, (blasint)g->ldc);
}

/* Few rows do not repay packing b, if it stays in the cache and ends with whole vectors. */
static inline bool kiln__takes_b_as_it_is(const kiln_gemm *g) {
  enum { FEW_ROWS = 256, SPREAD = 1 << 16, VECTOR = 16 };
  return !g->f64 && !g->tb && g->m <= FEW_ROWS && g->k * g->ldb <= SPREAD && g->n % VECTOR == 0;
}

/* Measured on a Xeon with AVX-512: kiln's loops are ahead of the libraries where many rows are
** summed over into a result that is taller than wide, where a bias would be written first and read
** again and all of b fits half of a core's cache, and where threads share a small product without
** packing b twice. */
static inline bool kiln__is_for_tiles(const kiln_gemm *g) {
  enum { DEEP_SUM = 512, MANY_ROWS = 256, SMALL_B = 1 << 18, SHARED_WORK = 6000000 };
  double work = (double)g->m * (double)g->n * (double)g->k;
  return !g->f64 && work > 1e6 &&
         ((g->ta && g->k >= DEEP_SUM && g->m >= 2 * g->n) ||
          (g->bias && g->m >= MANY_ROWS && g->k * g->n <= SMALL_B) ||
          (work <= SHARED_WORK && kiln__takes_b_as_it_is(g)));
}

/* Every row of c, of elements of `size` bytes, becomes the bias, to which the product is added. */
static inline void kiln__start_with_bias(kiln_gemm *g, int64_t size) {
  KILN_PARALLEL(g->batch * g->m, 1, KILN_GRAIN / (g->n + 1) + 1, {
    for (int64_t i = from; i < to; i++) {
      char *row = g->c + (i / g->m * g->sc + i % g->m * g->ldc) * size;
      memcpy(row, g->bias, (size_t)(g->n * size));
    }
  });
  g->bias = NULL;
  g->beta = 1;
}

/* Whether a product takes longer than Ctrl-C may have to wait: a tenth of a second or so. */
static inline bool kiln__is_long(int64_t m, int64_t n, int64_t k) {
  return (double)m * (double)n * (double)k > 0x1p32;
}

/* All of it, on as many threads as it is worth. */
static inline void kiln__gemm(const kiln_gemm *product) {
  kiln_gemm started = *product, *g = &started;
  if (kiln__is_for_tiles(g) && FN(kiln__tiled_gemm)(g))
    return;
  if (g->bias)
    kiln__start_with_bias(g, g->f64 ? 8 : 4);
  enum { EDGE = 64, TILE_WORK = 1 << 22 }; /* four million products are worth a start */
  double work = (double)g->m * (double)g->n * (double)g->k;
  int64_t most = kiln__cores(), tm = g->m, tn = g->n;
  int64_t wanted = work < TILE_WORK || g->batch >= most ? 1 : (int64_t)(work / TILE_WORK) + 1;
  if (wanted > most)
    wanted = most;
  for (int64_t tiles = 1; tiles < wanted || kiln__is_long(tm, tn, g->k); tiles *= 2) {
    /* A turned left operand is dear to pack: each tile of a square product packs half of it. */
    if ((tn > tm || (tn == tm && !g->ta)) && tn > EDGE)
      tn = ((tn + 1) / 2 + EDGE - 1) / EDGE * EDGE;
    else if (tm > EDGE)
      tm = ((tm + 1) / 2 + EDGE - 1) / EDGE * EDGE;
    else
      break;
  }
  int64_t mt = (g->m + tm - 1) / tm, nt = (g->n + tn - 1) / tn;
  KILN_UNITS(g->batch * mt * nt, work * (double)g->batch / 50, {
    int64_t row = unit / nt % mt * tm, column = unit % nt * tn;
    kiln__gemm_tile(g, unit / (nt * mt), row, g->m - row < tm ? g->m - row : tm, column,
                    g->n - column < tn ? g->n - column : tn);
  });
}

#endif
