/* attention.c: attention on the CPU, a block of queries at a time: its scores are computed, used
** while they lie in the cache, and forgotten.  Batches are shared by threads, forward blocks too;
** the sums over queries of backward are taken in order.  It refuses masks: a causal one costs
** nothing, others go through softmax.
*/
#include "gemm.h"
#include "vecmath.h"

/* Queries of a block: enough to keep a product busy, and at most SCORES of their scores. */
enum { LEAST_ROWS = 8, MOST_ROWS = 64, SCORES = 1 << 16 };

/* Some queries of one batch, and the keys that any of them sees. */
typedef struct block {
  int64_t batch, first, rows, keys;
  bool causal;
} block;

static int64_t seen_by(const block *b, int64_t row) {
  int64_t seen = b->first + row + 1;
  return b->causal && seen < b->keys ? seen : b->keys;
}

/* A batch of matrices with dense rows `ld` apart; the dims before step as they like. */
typedef struct operand {
  const kiln_tensor *x;
  int64_t rows, columns, ld;
} operand;

static operand operand_of(const kiln_tensor *x) {
  operand o = {x, x->shape[x->ndim - 2], x->shape[x->ndim - 1], x->stride[x->ndim - 2]};
  if (o.rows <= 1)
    o.ld = o.columns;
  return o;
}

static void *row_of(const operand *o, int64_t batch, int64_t row) {
  int64_t place = row * o->ld;
  for (int32_t i = o->x->ndim - 3; i >= 0; i--) {
    place += batch % o->x->shape[i] * o->x->stride[i];
    batch /= o->x->shape[i];
  }
  return (char *)kiln__data(o->x) + place * kiln__size_of(o->x->dtype);
}

/* What forward and backward read: q, k, v, and of backward the gradient g and the output y. */
typedef struct job {
  operand q, k, v, g, y;
  kiln_tensor *total; /* without gaps */
  const kiln_blas *blas;
  bool f64, causal;
  double scale;
  int64_t batches, rows, blocks; /* rows of a block, blocks of a batch */
  int64_t size, room;            /* bytes of an element, and that a block's scores take */
} job;

static int32_t begin(job *j, const kiln_call *c, int32_t first, kiln_tensor *total) {
  kiln_tensor **in = c->in + first;
  *j = (job){.q = operand_of(in[0]),
             .k = operand_of(in[1]),
             .v = operand_of(in[2]),
             .total = total,
             .f64 = in[0]->dtype == KILN_FLOAT64,
             .causal = c->attr[1].i != 0,
             .scale = c->attr[0].f,
             .batches = 1,
             .size = kiln__size_of(in[0]->dtype)};
  int64_t keys = j->k.rows;
  for (int32_t i = 0; i < in[0]->ndim - 2; i++)
    j->batches *= in[0]->shape[i];
  int64_t fit = SCORES / (keys + 1);
  j->rows = fit < LEAST_ROWS ? LEAST_ROWS : fit > MOST_ROWS ? MOST_ROWS : fit;
  j->blocks = (j->q.rows + j->rows - 1) / j->rows;
  j->room = (j->rows * (keys + 1) * j->size + 63) & ~(int64_t)63;
  if (keys > INT32_MAX || j->q.ld > INT32_MAX || j->k.ld > INT32_MAX || j->v.ld > INT32_MAX) {
    return kiln_fail(KILN_EARG,
                     "attention: %lld keys, or rows that far apart, are too many for BLAS",
                     (long long)keys);
  }
  j->blas = kiln__blas();
  return j->blas ? KILN_OK : KILN_EBACKEND;
}

static block block_of(const job *j, int64_t batch, int64_t i) {
  block b = {batch, i * j->rows, j->rows, j->k.rows, j->causal};
  if (b.first + b.rows > j->q.rows)
    b.rows = j->q.rows - b.first;
  if (b.causal && b.keys > b.first + b.rows)
    b.keys = b.first + b.rows;
  return b;
}

/* A matrix; `turned`: what lies there is its transpose. */
typedef struct matrix {
  void *data;
  int64_t rows, columns, ld;
  bool turned;
} matrix;

static matrix turned(matrix m) { return (matrix){m.data, m.columns, m.rows, m.ld, !m.turned}; }

/* The block's rows of what there is one of for each query, and for each key. */
static matrix queries(const operand *o, const block *b) {
  return (matrix){row_of(o, b->batch, b->first), b->rows, o->columns, o->ld, false};
}
static matrix keys(const operand *o, const block *b) {
  return (matrix){row_of(o, b->batch, 0), b->keys, o->columns, o->ld, false};
}

static void *total_of(const job *j, const block *b) {
  return (char *)kiln__data(j->total) + (b->batch * j->q.rows + b->first) * j->size;
}

/* c = alpha a b + beta c; the sum of nothing is 0. */
static void multiply(const job *j, double alpha, matrix a, matrix b, double beta, matrix c) {
  kiln_gemm g = {.blas = j->blas,
                 .f64 = j->f64,
                 .ta = a.turned,
                 .tb = b.turned,
                 .m = c.rows,
                 .n = c.columns,
                 .k = a.columns,
                 .batch = 1,
                 .a = a.data,
                 .b = b.data,
                 .c = c.data,
                 .lda = a.ld,
                 .ldb = b.ld,
                 .ldc = c.ld,
                 .alpha = alpha,
                 .beta = beta};
  if (g.m > 0 && g.n > 0 && g.k > 0)
    kiln__gemm_tile(&g, 0, 0, g.m, 0, g.n);
  for (int64_t i = 0; g.k == 0 && beta == 0 && i < g.m; i++)
    memset(g.c + i * g.ldc * j->size, 0, (size_t)(g.n * j->size));
}

#define EACH "attention_each.h"
#define EACH_FLOATS_ONLY
#include "each.h"

/* Nanoseconds that all scores take, about. */
static double work_of(const job *j, int64_t products) {
  double scores = (double)j->batches * (double)j->q.rows * (double)j->k.rows;
  return scores * ((double)(j->q.columns + j->v.columns) * (double)products / 50 + 1);
}

static int32_t attention(const kiln_call *c) {
  job j;
  int32_t status = begin(&j, c, 0, c->out[1]);
  if (status < 0 || c->out[1]->numel == 0)
    return status;
  operand out = operand_of(c->out[0]);
  int64_t bytes = j.room * omp_get_max_threads();
  char *room = kiln__scratch(0, bytes);
  if (!room)
    return KILN_ENOMEM;
  KILN_UNITS(j.batches * j.blocks, work_of(&j, 1), {
    block b = block_of(&j, unit / j.blocks, unit % j.blocks);
    char *mine = room + omp_get_thread_num() * j.room;
    if (j.f64)
      attend_f64(&j, &b, &out, (double *)(void *)mine);
    else
      attend_f32(&j, &b, &out, (float *)(void *)mine);
  });
  kiln__scratch_free(0, room, bytes);
  return KILN_OK;
}

static int32_t attention_dx(const kiln_call *c) {
  job j;
  int32_t status = begin(&j, c, 1, c->in[5]);
  operand out[3];
  for (int32_t i = 0; i < 3; i++)
    out[i] = operand_of(c->out[i]);
  j.g = operand_of(c->in[0]);
  j.y = operand_of(c->in[4]);
  if (status < 0)
    return status;
  for (int32_t i = 1; i <= 2; i++) { /* sums over the queries */
    if (c->out[i]->numel > 0)
      memset(kiln__data(c->out[i]), 0, (size_t)(c->out[i]->numel * j.size));
  }
  int64_t bytes = 2 * j.room * omp_get_max_threads();
  char *room = j.blocks > 0 ? kiln__scratch(0, bytes) : NULL;
  if (!room)
    return j.blocks > 0 ? KILN_ENOMEM : KILN_OK;
  KILN_UNITS(j.batches, work_of(&j, 3), {
    char *mine = room + omp_get_thread_num() * 2 * j.room;
    for (int64_t i = 0; i < j.blocks; i++) {
      block b = block_of(&j, unit, i);
      if (j.f64)
        attend_back_f64(&j, &b, out, (double *)(void *)mine);
      else
        attend_back_f32(&j, &b, out, (float *)(void *)mine);
    }
  });
  kiln__scratch_free(0, room, bytes);
  return KILN_OK;
}

static const kiln_entry attention_kernels[] = {
    {KILN_OP_ATTENTION, KILN_D_FLOAT, KILN_K_DENSE_ROWS, attention},
    {KILN_OP_ATTENTION_DX, KILN_D_FLOAT, KILN_K_DENSE_ROWS, attention_dx},
};

void FN(kiln__cpu_attention)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, attention_kernels);
}
