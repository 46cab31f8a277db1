/* attention.cu: attention: the scores of as many batches, or of as many queries of one, as fit
** SCORES bytes at a time: computed by a product, made weights in place, used, and forgotten.
** Backward computes them again.  It refuses masks, but for the causal one.
*/
#include "block.h"
#include "gemm.h"
#include "grid.h"

#ifdef __CUDACC__
enum { SCORES = 1 << 26 };
#else
enum { SCORES = 1 << 13 }; /* so that tests come in parts */
#endif

/* Queries [first, first + rows) of some batches; scores are [batches, rows, keys]. */
typedef struct part {
  int64_t batch, batches, first, rows, keys;
  bool causal;
} part;

static __device__ inline int64_t seen_by(const part &p, int64_t row) {
  int64_t seen = p.first + row % p.rows + 1;
  return p.causal && seen < p.keys ? seen : p.keys;
}

/* Where a row of the part is among all queries. */
static __device__ inline int64_t query_of(const part &p, int64_t row, int64_t queries) {
  return (p.batch + row / p.rows) * queries + p.first + row % p.rows;
}

/* -- Kernels: a block for each row of scores ----------------------------------------------------
 */

/* Scores become weights; `total` gets the logarithms of the sums of exp(score). */
template <typename T>
static __global__ void weigh_kernel(part p, T *scores, T *total, int64_t queries) {
  KILN_SHARED(T, room, [KILN_MOST_WARPS]);
  KILN_EACH_BLOCK(row, p.batches * p.rows) {
    T *x = scores + row * p.keys, most = -(T)INFINITY, sum = 0;
    int64_t seen = seen_by(p, row);
    for (int64_t i = threadIdx.x; i < seen; i += blockDim.x)
      most = x[i] > most ? x[i] : most;
    most = kiln__block_max(most, room);
    for (int64_t i = threadIdx.x; i < seen; i += blockDim.x)
      sum += exp(x[i] - most);
    sum = kiln__block_sum(sum, room);
    for (int64_t i = threadIdx.x; i < p.keys; i += blockDim.x)
      x[i] = i < seen ? exp(x[i] - most) / sum : (T)0;
    if (threadIdx.x == 0)
      total[query_of(p, row, queries)] = most + log(sum);
  }
}

/* Scores become the weights again. */
template <typename T>
static __global__ void weigh_again_kernel(part p, T *scores, const T *total, int64_t queries) {
  KILN_EACH_BLOCK(row, p.batches * p.rows) {
    T *x = scores + row * p.keys, whole = total[query_of(p, row, queries)];
    int64_t seen = seen_by(p, row);
    for (int64_t i = threadIdx.x; i < p.keys; i += blockDim.x)
      x[i] = i < seen ? exp(x[i] - whole) : (T)0;
  }
}

/* The gradients d of the weights become those of the scores; g and y have n columns. */
template <typename T>
static __global__ void through_softmax_kernel(part p, T *d, const T *weights, const T *g,
                                              const T *y, int64_t queries, int64_t n) {
  KILN_SHARED(T, room, [KILN_MOST_WARPS]);
  KILN_EACH_BLOCK(row, p.batches * p.rows) {
    int64_t at = query_of(p, row, queries) * n;
    T mean = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
      mean += g[at + i] * y[at + i];
    mean = kiln__block_sum(mean, room);
    for (int64_t i = threadIdx.x; i < p.keys; i += blockDim.x)
      d[row * p.keys + i] = weights[row * p.keys + i] * (d[row * p.keys + i] - mean);
  }
}

/* -- Products ------------------------------------------------------------------------------------
 */

/* A batch of matrices, `step` apart; `turned`: what lies there is the transpose. */
typedef struct matrix {
  void *data;
  int64_t rows, columns, ld, step;
  bool turned;
} matrix;

static matrix turned(matrix m) {
  matrix t = {m.data, m.columns, m.rows, m.ld, m.step, !m.turned};
  return t;
}

/* Rows [first, first + rows) of each matrix of x, from the part's first batch on. */
static matrix rows_of(const kiln_tensor *x, const part &p, int64_t first, int64_t rows) {
  int64_t all = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
  char *data = (char *)kiln__data(x) + (p.batch * all + first) * n * kiln__bytes_of(x->dtype);
  matrix m = {data, rows, n, n, all * n, false};
  return m;
}
static matrix queries(const kiln_tensor *x, const part &p) {
  return rows_of(x, p, p.first, p.rows);
}
static matrix keys(const kiln_tensor *x, const part &p) { return rows_of(x, p, 0, p.keys); }
static matrix scores(void *data, const part &p) {
  matrix m = {data, p.rows, p.keys, p.keys, p.rows * p.keys, false};
  return m;
}

/* c = alpha a b + beta c; the sum of nothing is 0. */
static void multiply(kiln_job *j, const part &p, int32_t dtype, double alpha, matrix a, matrix b,
                     double beta, matrix c) {
  kiln_cuda_gemm g = {};
  g.device = j->device;
  g.dtype = dtype;
  g.ta = a.turned;
  g.tb = b.turned;
  g.m = c.rows;
  g.n = c.columns;
  g.k = a.columns;
  g.batch = p.batches;
  g.a = a.data;
  g.b = b.data;
  g.c = c.data;
  g.lda = a.ld;
  g.ldb = b.ld;
  g.ldc = c.ld;
  g.sa = a.step;
  g.sb = b.step;
  g.sc = c.step;
  g.alpha = alpha;
  g.beta = beta;
  if (j->status < 0 || g.m == 0 || g.n == 0)
    return;
  if (g.k > 0)
    j->status = kiln__cuda_gemm(&g, j->op);
  else if (beta == 0) /* then c has no gaps: it is all scores, or there are no keys to cut */
    kiln__job_zero(j, c.data, g.batch * g.m * g.n * kiln__bytes_of(dtype));
}

/* -- Calls ---------------------------------------------------------------------------------------
 */

/* A call, and how much of it is done at a time: some batches, or rows of one. */
typedef struct plan {
  int64_t batches, queries, keys, at_a_time, rows;
  int64_t parts, bytes; /* bytes that the scores of a part take */
  bool causal;
} plan;

static plan plan_of(const kiln_tensor *q, const kiln_tensor *k, const kiln_call *c) {
  int32_t n = q->ndim;
  plan w = {};
  w.batches = 1;
  w.queries = q->shape[n - 2];
  w.keys = k->shape[n - 2];
  w.causal = c->attr[1].i != 0;
  for (int32_t i = 0; i < n - 2; i++)
    w.batches *= q->shape[i];
  if (w.batches == 0 || w.queries == 0)
    return w;
  int64_t row = (w.keys + 1) * kiln__bytes_of(q->dtype), fit = SCORES / row + 1;
  w.rows = fit < w.queries ? fit : w.queries;
  w.at_a_time = w.rows < w.queries ? 1 : fit / w.rows < w.batches ? fit / w.rows : w.batches;
  w.parts = (w.batches + w.at_a_time - 1) / w.at_a_time * ((w.queries + w.rows - 1) / w.rows);
  w.bytes = w.at_a_time * w.rows * row;
  return w;
}

static part part_of(const plan &w, int64_t i) {
  int64_t blocks = (w.queries + w.rows - 1) / w.rows;
  part p = {i / blocks * w.at_a_time, w.at_a_time, i % blocks * w.rows, w.rows, w.keys, w.causal};
  if (p.batch + p.batches > w.batches)
    p.batches = w.batches - p.batch;
  if (p.first + p.rows > w.queries)
    p.rows = w.queries - p.first;
  return p;
}

static int32_t attention(const kiln_call *c) {
  const kiln_tensor *q = c->in[0], *k = c->in[1], *v = c->in[2];
  kiln_job j = kiln__job("attention", q->device);
  plan w = plan_of(q, k, c);
  double scale = c->attr[0].f;
  void *room = kiln__job_take(&j, w.bytes);
  for (int64_t i = 0; i < w.parts; i++) {
    part p = part_of(w, i);
    matrix s = scores(room, p);
    multiply(&j, p, q->dtype, scale, queries(q, p), turned(keys(k, p)), 0, s);
    KILN_BY_FLOAT(q->dtype,
                  KILN_RUN_BLOCKS(&j, weigh_kernel<type>, p.batches * p.rows, KILN_BLOCK, p,
                                  (type *)room, (type *)kiln__data(c->out[1]), w.queries));
    multiply(&j, p, q->dtype, 1, s, keys(v, p), 0, queries(c->out[0], p));
  }
  return kiln__job_end(&j);
}

static int32_t attention_dx(const kiln_call *c) {
  const kiln_tensor *g = c->in[0], *q = c->in[1], *k = c->in[2], *v = c->in[3], *y = c->in[4];
  const kiln_tensor *total = c->in[5];
  kiln_job j = kiln__job("attention", q->device);
  plan w = plan_of(q, k, c);
  double scale = c->attr[0].f;
  void *room = kiln__job_take(&j, w.bytes), *d_room = kiln__job_take(&j, w.bytes);
  for (int32_t i = 1; i <= 2; i++) /* sums over the queries */
    kiln__job_zero(&j, kiln__data(c->out[i]), c->out[i]->numel * kiln__bytes_of(q->dtype));
  for (int64_t i = 0; i < w.parts; i++) {
    part p = part_of(w, i);
    matrix weights = scores(room, p), d = scores(d_room, p);
    int64_t rows = p.batches * p.rows, n = v->shape[v->ndim - 1];
    multiply(&j, p, q->dtype, scale, queries(q, p), turned(keys(k, p)), 0, weights);
    KILN_BY_FLOAT(q->dtype,
                  KILN_RUN_BLOCKS(&j, weigh_again_kernel<type>, rows, KILN_BLOCK, p, (type *)room,
                                  (const type *)kiln__data(total), w.queries));
    multiply(&j, p, q->dtype, 1, turned(weights), queries(g, p), 1, keys(c->out[2], p));
    multiply(&j, p, q->dtype, 1, queries(g, p), turned(keys(v, p)), 0, d);
    KILN_BY_FLOAT(q->dtype,
                  KILN_RUN_BLOCKS(&j, through_softmax_kernel<type>, rows, KILN_BLOCK, p,
                                  (type *)d_room, (const type *)room, (const type *)kiln__data(g),
                                  (const type *)kiln__data(y), w.queries, n));
    multiply(&j, p, q->dtype, scale, d, keys(k, p), 0, queries(c->out[0], p));
    multiply(&j, p, q->dtype, scale, turned(d), queries(q, p), 1, keys(c->out[1], p));
  }
  return kiln__job_end(&j);
}

const kiln_entry kiln__cuda_attention[] = {
    {KILN_OP_ATTENTION, KILN_D_FLOAT, KILN_K_CONTIGUOUS, attention},
    {KILN_OP_ATTENTION_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, attention_dx},
};
const int32_t kiln__cuda_attention_n = sizeof kiln__cuda_attention / sizeof *kiln__cuda_attention;
