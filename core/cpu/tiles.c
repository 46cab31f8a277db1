/* tiles.c: matrix products of floats by kiln's own loops (tiles_each.h), for the cases in which
** libraries do not know what the caller knows: a right operand that serves many products and is
** packed once, a bias that is added where a result is written, a left operand that lies turned.
** It refuses to choose: gemm.h says which products come here.
*/
#include "gemm.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
/* As many sums as the registers hold: 32 of them, or 16. */
#if defined(__AVX512F__) || defined(__aarch64__)
#define ROWS 8
#define LOG_ROWS 3
#else
#define ROWS 4
#define LOG_ROWS 2
#endif
#define VECTORS 3

/* Elements of b that are packed at a time: half of a core's own cache.  Rows of a likewise. */
enum { BLOCK = 1 << 18, GROUP = 64, DEEP = 384 };

/* Some of the rows of a turned left operand are read, a page or more apart: they are asked for so
** many rows early. */
enum { AHEAD = 16 };

enum { IN_PANELS = 0 }; /* instead of how far rows of b lie apart */

/* How much of k is summed before results are written; depends on k alone. */
static int64_t deep_of(int64_t k) {
  int64_t blocks = (k + DEEP - 1) / DEEP;
  return blocks > 0 ? (k + blocks - 1) / blocks : 1;
}

#define EACH "tiles_each.h"
#define EACH_FLOATS_ONLY
#include "each.h"

bool FN(kiln__tiled_gemm)(const kiln_gemm *g) {
  double work = (double)g->m * (double)g->n * (double)g->k * (double)g->batch;
  int threads = kiln__threads((int64_t)(work / 50), KILN_GRAIN / 2);
  int64_t bytes = (BLOCK + GROUP * DEEP) * (g->f64 ? 8 : 4);
  int64_t row_parts = 1, column_parts = 1;
  while (row_parts * column_parts * g->batch < threads ||
         kiln__is_long(g->m / row_parts, g->n / column_parts, g->k)) {
    if (g->m / row_parts >= g->n / column_parts)
      row_parts *= 2;
    else
      column_parts *= 2;
  }
  int64_t panel = VECTORS * VECTOR_BYTES / (g->f64 ? 8 : 4);
  int64_t rows = ((g->m + row_parts - 1) / row_parts + ROWS - 1) / ROWS * ROWS;
  int64_t columns = ((g->n + column_parts - 1) / column_parts + panel - 1) / panel * panel;
  row_parts = (g->m + rows - 1) / rows;
  column_parts = (g->n + columns - 1) / columns;
  char *room = kiln__scratch(0, bytes * threads);
  if (!room) {
    kiln_error_clear();
    return false;
  }
  KILN_UNITS(g->batch * row_parts * column_parts, work / 50, {
    int64_t row = unit / column_parts % row_parts * rows, column = unit % column_parts * columns;
    int64_t m = g->m - row < rows ? g->m - row : rows;
    int64_t n = g->n - column < columns ? g->n - column : columns;
    char *mine = room + omp_get_thread_num() * bytes;
    int64_t batch = unit / (row_parts * column_parts);
    if (g->f64)
      part_f64(g, batch, row, m, column, n, (double *)(void *)mine);
    else
      part_f32(g, batch, row, m, column, n, (float *)(void *)mine);
  });
  kiln__scratch_free(0, room, bytes * threads);
  return true;
}

int64_t FN(kiln__panels_bytes)(const kiln_panels *p) {
  int64_t size = p->f64 ? 8 : 4, panel = VECTORS * VECTOR_BYTES / size;
  return (p->n + panel - 1) / panel * panel * p->k * size;
}

void FN(kiln__panels_fill)(const kiln_panels *p, bool turned, const void *b, int64_t ldb) {
  int64_t panel = VECTORS * VECTOR_BYTES / (p->f64 ? 8 : 4);
  KILN_PARALLEL(p->n, panel, KILN_GRAIN / (p->k + 1) + 1, {
    if (p->f64)
      panels_fill_f64(p, turned, b, ldb, from, to - from);
    else
      panels_fill_f32(p, turned, b, ldb, from, to - from);
  });
}

/* Columns are shared by threads, unless the caller shares the rows. */
void FN(kiln__panels_multiply)(const kiln_panels *p, int64_t rows, const void *a, double beta,
                               void *c, int64_t ldc) {
  int64_t panel = VECTORS * VECTOR_BYTES / (p->f64 ? 8 : 4);
  int64_t grain = KILN_GRAIN * 50 / (rows * p->k + 1) + 1;
  KILN_PARALLEL(p->n, panel, grain, {
    if (p->f64)
      panels_multiply_f64(p, rows, from, to - from, a, beta, c, ldc);
    else
      panels_multiply_f32(p, rows, from, to - from, a, beta, c, ldc);
  });
}
