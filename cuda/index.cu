/* index.cu: choosing and placing elements by position and by mask.
**
** Whatever only moves elements works on 1, 2, 4 or 8 bytes and knows no dtype.  Writes to positions
** sort the positions first (order.h): the last of several writers stays and sums are taken in the
** order of the positions, as on the CPU, at every run.  A position out of range is complained of,
** and then nothing is written.
*/
#include "block.h"
#include "order.h"

#include <float.h>

static const kiln_tensor *in(const kiln_call *c, int32_t i) { return c->in[i]; }
static const int64_t *positions(const kiln_tensor *x) { return (const int64_t *)kiln__data(x); }

/* Sizes before, at and after a dim; a 0-dim tensor is one of size 1. */
typedef struct split {
  int64_t outer, n, inner;
} split;

static split split_at(const kiln_tensor *x, int64_t dim) {
  split s = {1, 1, 1};
  for (int32_t i = 0; i < x->ndim; i++) {
    if (i < dim)
      s.outer *= x->shape[i];
    else if (i == dim)
      s.n = x->shape[i];
    else
      s.inner *= x->shape[i];
  }
  return s;
}

/* n elements one after the other. */
static kiln_walk in_order(int64_t n) {
  kiln_walk w = {1, {n}, {1}};
  return w;
}
static kiln_walk one_element(void) {
  kiln_walk w = {0, {0}, {0}};
  return w;
}

static kiln_job begin(const kiln_call *c, const char *op) {
  return kiln__job(op, c->out[0]->device);
}

/* Starts an output as a copy of the first input (which it already is in place). */
static void start_from_first(kiln_job *j, const kiln_call *c) {
  const kiln_tensor *x = in(c, 0);
  kiln__job_copy(j, kiln__data(c->out[0]), kiln__data(x), x->numel * kiln__bytes_of(x->dtype));
}

/* -- Reading by position -------------------------------------------------------------------------
 */

/* An index tensor laid over x along a dim: where its elements stand in the other dims of x, and
** how far apart positions are. */
typedef struct overlay {
  kiln_blame blame;
  const int64_t *index;
  kiln_walk others;
  int64_t step;
} overlay;

static kiln_blame blame_for(const char *op, const kiln_tensor *index, int64_t limit) {
  return kiln__cuda_blame(op, "index", index, KILN_INDEX_BASE, limit);
}

static overlay lay_over(const char *op, const kiln_tensor *x, const kiln_tensor *index,
                        int64_t dim) {
  overlay v;
  bool along = x->ndim > 0;
  v.blame = blame_for(op, index, along ? x->shape[dim] : 1);
  v.index = positions(index);
  v.step = along ? x->stride[dim] : 1;
  v.others.ndim = index->ndim;
  for (int32_t d = 0; d < index->ndim; d++) {
    v.others.shape[d] = index->shape[d];
    v.others.stride[d] = d == dim ? 0 : x->stride[d];
  }
  return v;
}

/* Positions that mean the rows of something with `limit` of them. */
static overlay line_over(const char *op, const kiln_tensor *index, int64_t limit) {
  overlay v = {blame_for(op, index, limit), positions(index), one_element(), 1};
  return v;
}

template <typename B> static __global__ void gather_kernel(overlay v, const B *x, B *y, int64_t n) {
  KILN_EACH(i, n) {
    int64_t p = kiln__place(v.blame, v.index, i);
    y[i] = p < 0 ? 0 : x[kiln__walk(v.others, i) + p * v.step];
  }
}

static int32_t gather_by(kiln_job *j, const kiln_call *c, overlay v, int64_t n) {
  const void *x = kiln__data(in(c, 0));
  void *y = kiln__data(c->out[0]);
  KILN_BY_SIZE(kiln__bytes_of(in(c, 0)->dtype),
               KILN_RUN(j, gather_kernel<type>, n, v, (const type *)x, (type *)y, n));
  return kiln__job_end(j);
}

static int32_t gather(const kiln_call *c) {
  kiln_job j = begin(c, "gather");
  return gather_by(&j, c, lay_over(j.op, in(c, 0), in(c, 1), c->attr[0].i), in(c, 1)->numel);
}

static int32_t take(const kiln_call *c) {
  kiln_job j = begin(c, "take");
  return gather_by(&j, c, line_over(j.op, in(c, 1), in(c, 0)->numel), in(c, 1)->numel);
}

/* y [outer, count, inner] of x [outer, n, inner]. */
template <typename B>
static __global__ void select_kernel(kiln_blame w, const int64_t *index, const B *x, B *y,
                                     int64_t outer, int64_t n, int64_t count, int64_t inner) {
  KILN_EACH(i, outer * count * inner) {
    int64_t row = i / inner, p = kiln__place(w, index, row % count);
    y[i] = p < 0 ? 0 : x[(row / count * n + p) * inner + i % inner];
  }
}

static int32_t select_rows(const kiln_call *c, const char *op, int64_t dim) {
  kiln_job j = begin(c, op);
  const kiln_tensor *index = in(c, 1);
  split s = split_at(in(c, 0), dim);
  kiln_blame w = blame_for(op, index, s.n);
  const void *x = kiln__data(in(c, 0));
  void *y = kiln__data(c->out[0]);
  int64_t count = index->numel;
  KILN_BY_SIZE(kiln__bytes_of(in(c, 0)->dtype),
               KILN_RUN(&j, select_kernel<type>, s.outer * count * s.inner, w, positions(index),
                        (const type *)x, (type *)y, s.outer, s.n, count, s.inner));
  return kiln__job_end(&j);
}

static int32_t index_select(const kiln_call *c) {
  return select_rows(c, "index_select", c->attr[0].i);
}
static int32_t embedding(const kiln_call *c) { return select_rows(c, "embedding", 0); }

/* -- Writing by position
 * --------------------------------------------------------------------------- */

/* `outer` times `count` units of `inner` elements, the k-th to the k-th position.  Element b of a
** unit goes to o * outer_step + position * unit + inner_at(b); it comes from source place
** value((o * count + k) * inner + b). */
typedef struct placing {
  int64_t outer, outer_step, count, inner, unit;
  kiln_walk inner_at, value;
  int64_t limit;          /* positions are below it */
  kiln_entries e;         /* keys are positions from 0; once sorted, places say which unit */
  const int32_t *refused; /* set where a position was out of range: write nothing */
} placing;

/* Rows of y along a dim. */
static placing rows_of(const kiln_tensor *y, const kiln_tensor *index, int64_t dim) {
  split s = split_at(y, dim);
  placing p = {};
  p.outer = s.outer;
  p.outer_step = s.n * s.inner;
  p.count = index->numel;
  p.inner = p.unit = s.inner;
  p.inner_at = in_order(s.inner);
  p.value = in_order(s.outer * index->numel * s.inner);
  p.limit = s.n;
  return p;
}

/* Single elements of y seen as one line. */
static placing elements_of(const kiln_tensor *y, int64_t count, bool one_value) {
  placing p = {};
  p.outer = p.inner = p.unit = 1;
  p.count = count;
  p.value = one_value ? one_element() : in_order(count);
  p.limit = y->numel;
  return p;
}

static __global__ void overlay_keys(overlay v, kiln_entries e, int64_t n, int32_t *refused) {
  KILN_EACH(i, n) {
    int64_t p = kiln__place(v.blame, v.index, i);
    if (p < 0)
      atomicExch(refused, 1);
    e.key[i] = p < 0 ? 0 : (uint64_t)(kiln__walk(v.others, i) + p * v.step);
    e.place[i] = i;
  }
}

/* Room for keys and for the refusal. */
static int32_t *begin_placing(kiln_job *j, placing *p) {
  int32_t *refused = (int32_t *)kiln__job_take(j, sizeof *refused);
  p->e = kiln__cuda_entries(j, p->count);
  p->refused = refused;
  kiln__job_zero(j, refused, sizeof *refused);
  return refused;
}

static void sort_placing(kiln_job *j, placing *p) {
  p->e = kiln__cuda_order(j, p->e, 1, p->count, kiln__bits_below(p->limit));
}

static void place_by(kiln_job *j, placing *p, overlay v) {
  int32_t *refused = begin_placing(j, p);
  KILN_RUN(j, overlay_keys, p->count, v, p->e, p->count, refused);
  sort_placing(j, p);
}

/* Where unit s of sorted order lands; element u of all. */
static __device__ inline int64_t landing(const placing &p, int64_t u, int64_t *s) {
  *s = u / p.inner % p.count;
  return u / (p.inner * p.count) * p.outer_step + (int64_t)p.e.key[*s] * p.unit +
         kiln__walk(p.inner_at, u % p.inner);
}
/* The source place of the same element of unit s. */
static __device__ inline int64_t source(const placing &p, int64_t u, int64_t s) {
  int64_t o = u / (p.inner * p.count);
  return kiln__walk(p.value, (o * p.count + p.e.place[s]) * p.inner + u % p.inner);
}
static __device__ inline bool starts_run(const placing &p, int64_t s) {
  return s == 0 || p.e.key[s - 1] != p.e.key[s];
}
static __device__ inline bool ends_run(const placing &p, int64_t s) {
  return s == p.count - 1 || p.e.key[s + 1] != p.e.key[s];
}

template <typename B> static __global__ void write_kernel(placing p, const B *src, B *y) {
  if (*p.refused)
    return;
  KILN_EACH(u, p.outer * p.count * p.inner) {
    int64_t s, to = landing(p, u, &s);
    if (ends_run(p, s))
      y[to] = src[source(p, u, s)];
  }
}

template <typename T> static __device__ inline T plus(T sum, T v, double) { return (T)(sum + v); }
static __device__ inline bool plus(bool sum, bool v, double) { return sum || v; }
template <typename T> static __device__ inline T scaled(T v, double alpha) {
  return alpha == 1 ? v : (T)((T)alpha * v);
}
static __device__ inline bool scaled(bool v, double alpha) { return v && alpha != 0; }

template <typename T>
static __global__ void add_kernel(placing p, double alpha, const T *src, T *y) {
  if (*p.refused)
    return;
  KILN_EACH(u, p.outer * p.count * p.inner) {
    int64_t s, to = landing(p, u, &s);
    if (!starts_run(p, s))
      continue;
    T sum = y[to];
    do
      sum = plus(sum, scaled(src[source(p, u, s)], alpha), alpha);
    while (!ends_run(p, s++));
    y[to] = sum;
  }
}

static void write_units(kiln_job *j, const placing &p, const kiln_tensor *y, const void *src) {
  void *to = kiln__data(y);
  KILN_BY_SIZE(kiln__bytes_of(y->dtype),
               KILN_RUN(j, write_kernel<type>, p.outer * p.count * p.inner, p, (const type *)src,
                        (type *)to));
}

static void add_units(kiln_job *j, const placing &p, const kiln_tensor *y, const void *src,
                      double alpha) {
  void *to = kiln__data(y);
  KILN_BY_DTYPE(y->dtype, KILN_RUN(j, add_kernel<type>, p.outer * p.count * p.inner, p, alpha,
                                   (const type *)src, (type *)to));
}

static int32_t scatter_by(const kiln_call *c, const char *op, bool adds) {
  kiln_job j = begin(c, op);
  const kiln_tensor *y = c->out[0], *index = in(c, 1), *src = in(c, 2);
  placing p = elements_of(y, index->numel, src->ndim < index->ndim);
  start_from_first(&j, c);
  place_by(&j, &p, lay_over(op, y, index, c->attr[0].i));
  if (adds)
    add_units(&j, p, y, kiln__data(src), 1);
  else
    write_units(&j, p, y, kiln__data(src));
  return kiln__job_end(&j);
}
static int32_t scatter(const kiln_call *c) { return scatter_by(c, "scatter", false); }
static int32_t scatter_add(const kiln_call *c) { return scatter_by(c, "scatter_add", true); }

/* x seen as one line; src has as many elements as index, or one. */
static int32_t put(const kiln_call *c) {
  kiln_job j = begin(c, "put");
  const kiln_tensor *y = c->out[0], *index = in(c, 1), *src = in(c, 2);
  placing p = elements_of(y, index->numel, src->ndim == 0);
  start_from_first(&j, c);
  place_by(&j, &p, line_over(j.op, index, y->numel));
  if (c->attr[0].i)
    add_units(&j, p, y, kiln__data(src), 1);
  else
    write_units(&j, p, y, kiln__data(src));
  return kiln__job_end(&j);
}

/* Rows along a dim, and their positions. */
static placing begin_rows(kiln_job *j, const kiln_call *c) {
  placing p = rows_of(c->out[0], in(c, 1), c->attr[0].i);
  start_from_first(j, c);
  place_by(j, &p, line_over(j->op, in(c, 1), p.limit));
  return p;
}

static int32_t index_add(const kiln_call *c) {
  kiln_job j = begin(c, "index_add");
  placing p = begin_rows(&j, c);
  add_units(&j, p, c->out[0], kiln__data(in(c, 2)), c->attr[1].f);
  return kiln__job_end(&j);
}

static int32_t index_copy(const kiln_call *c) {
  kiln_job j = begin(c, "index_copy");
  placing p = begin_rows(&j, c);
  write_units(&j, p, c->out[0], kiln__data(in(c, 2)));
  return kiln__job_end(&j);
}

/* One element of any dtype as another: in the integers' own arithmetic where both are whole. */
template <typename T>
static __global__ void convert_element(const void *from, int32_t dtype, T *to) {
  if (kiln_thread() != 0)
    return;
  if (dtype == KILN_INT64)
    *to = (T) * (const int64_t *)from;
  else
    *to = (T)kiln__element(from, dtype, 0);
}
static __global__ void convert_to_half(const void *from, int32_t dtype, bool brain, void *to) {
  if (kiln_thread() != 0)
    return;
  float v = (float)kiln__element(from, dtype, 0);
  if (brain)
    *(kiln_bf16 *)to = kiln__to_bf16(v);
  else
    *(kiln_f16 *)to = kiln__to_f16(v);
}

/* in[2]: the value, one element of any dtype. */
static int32_t index_fill(const kiln_call *c) {
  kiln_job j = begin(c, "index_fill");
  const kiln_tensor *y = c->out[0], *value = in(c, 2);
  placing p = begin_rows(&j, c);
  void *one = kiln__job_take(&j, 8);
  const void *from = kiln__data(value);
  p.value = one_element();
  if (y->dtype == KILN_FLOAT16 || y->dtype == KILN_BFLOAT16)
    KILN_RUN(&j, convert_to_half, 1, from, value->dtype, y->dtype == KILN_BFLOAT16, one);
  else
    KILN_BY_DTYPE(y->dtype,
                  KILN_RUN(&j, convert_element<type>, 1, from, value->dtype, (type *)one));
  write_units(&j, p, y, one);
  return kiln__job_end(&j);
}

/* -- Embedding -----------------------------------------------------------------------------------
 */

/* Sums of the rows of g by position; none for the padding row (from 0, or KILN_NONE), means instead
** of sums if `scale`. */
template <typename T>
static __global__ void embedding_sums(placing p, int64_t padding, bool scale, const T *g, T *y) {
  if (*p.refused)
    return;
  KILN_EACH(u, p.count * p.inner) {
    int64_t s, to = landing(p, u, &s), n = 0;
    if (!starts_run(p, s) || (int64_t)p.e.key[s] == padding)
      continue;
    T sum = 0;
    do {
      sum += g[source(p, u, s)];
      n++;
    } while (!ends_run(p, s++));
    y[to] = scale && n > 1 ? sum / (T)n : sum;
  }
}

/* attr: rows, padding, scale. */
static int32_t embedding_dw(const kiln_call *c) {
  kiln_job j = begin(c, "embedding");
  const kiln_tensor *g = in(c, 0), *y = c->out[0];
  placing p = rows_of(y, in(c, 1), 0);
  kiln__job_zero(&j, kiln__data(y), y->numel * kiln__bytes_of(y->dtype));
  place_by(&j, &p, line_over(j.op, in(c, 1), p.limit));
  KILN_BY_FLOAT(y->dtype,
                KILN_RUN(&j, embedding_sums<type>, p.count * p.inner, p, c->attr[1].i,
                         c->attr[2].i != 0, (const type *)kiln__data(g), (type *)kiln__data(y)));
  return kiln__job_end(&j);
}

/* NaN is above every number. */
template <typename T> static __device__ inline bool above(T a, T b) {
  return a > b || (a != a && b == b);
}

/* value[s][b] = max of x[r][b] over rows r of segment s, from = its row, 0 for none. */
template <typename T>
static __global__ void segment_kernel(placing p, const T *x, T *value, int64_t *from) {
  if (*p.refused)
    return;
  KILN_EACH(u, p.count * p.inner) {
    int64_t s, to = landing(p, u, &s);
    if (!starts_run(p, s))
      continue;
    int64_t best = -1;
    T most = 0;
    do {
      T v = x[source(p, u, s)];
      if (best < 0 || above(v, most)) {
        most = v;
        best = p.e.place[s];
      }
    } while (!ends_run(p, s++));
    value[to] = most;
    from[to] = best + KILN_INDEX_BASE;
  }
}

static int32_t segment_max(const kiln_call *c) {
  kiln_job j = begin(c, "segment_max");
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  int64_t *from = (int64_t *)kiln__data(c->out[1]);
  placing p = rows_of(y, in(c, 1), 0);
  kiln__job_zero(&j, kiln__data(y), y->numel * kiln__bytes_of(y->dtype));
  kiln__job_zero(&j, from, y->numel * 8);
  place_by(&j, &p, line_over(j.op, in(c, 1), p.limit));
  KILN_BY_DTYPE(y->dtype, KILN_RUN(&j, segment_kernel<type>, p.count * p.inner, p,
                                   (const type *)kiln__data(x), (type *)kiln__data(y), from));
  return kiln__job_end(&j);
}

#include "index_choice.h"
#include "index_lookup.h"
#include "index_masks.h"

/* -- Table ---------------------------------------------------------------------------------------
 */

/* Nothing is written where a position is out of range. */
enum { CHANGES = KILN_K_CONTIGUOUS | KILN_K_IN_PLACE };

const kiln_entry kiln__cuda_index[] = {
    {KILN_OP_WHERE, KILN_D_ALL, 0, where},
    {KILN_OP_GATHER, KILN_D_ALL, KILN_K_CONTIGUOUS, gather},
    {KILN_OP_SCATTER, KILN_D_ALL, CHANGES, scatter},
    {KILN_OP_SCATTER_ADD, KILN_D_REAL | KILN_D_BOOL, CHANGES, scatter_add},
    {KILN_OP_TAKE, KILN_D_ALL, KILN_K_CONTIGUOUS, take},
    {KILN_OP_PUT, KILN_D_REAL | KILN_D_BOOL, CHANGES, put},
    {KILN_OP_INDEX_SELECT, KILN_D_ALL, KILN_K_CONTIGUOUS, index_select},
    {KILN_OP_INDEX_ADD, KILN_D_REAL | KILN_D_BOOL, CHANGES, index_add},
    {KILN_OP_INDEX_COPY, KILN_D_ALL, CHANGES, index_copy},
    {KILN_OP_INDEX_FILL, KILN_D_ALL, CHANGES, index_fill},
    {KILN_OP_EMBEDDING, KILN_D_ALL, KILN_K_CONTIGUOUS, embedding},
    {KILN_OP_EMBEDDING_DW, KILN_D_FLOAT, KILN_K_CONTIGUOUS, embedding_dw},
    {KILN_OP_SEGMENT_MAX, KILN_D_REAL | KILN_D_BOOL, KILN_K_CONTIGUOUS, segment_max},
    {KILN_OP_MASKED_SELECT, KILN_D_ALL, KILN_K_CONTIGUOUS, masked_select},
    {KILN_OP_MASKED_SCATTER, KILN_D_ALL, KILN_K_CONTIGUOUS, masked_scatter},
    {KILN_OP_NONZERO, KILN_D_ALL, KILN_K_CONTIGUOUS, nonzero},
    {KILN_OP_INDEX, KILN_D_ALL, KILN_K_CONTIGUOUS, index_by},
    {KILN_OP_INDEX_PUT, KILN_D_REAL | KILN_D_BOOL, CHANGES, index_put},
    {KILN_OP_TRIL, KILN_D_ALL, KILN_K_CONTIGUOUS, tril},
    {KILN_OP_TRIU, KILN_D_ALL, KILN_K_CONTIGUOUS, triu},
    {KILN_OP_DIAGONALS, KILN_D_ALL, KILN_K_CONTIGUOUS, diagonals},
    {KILN_OP_SEARCHSORTED, KILN_D_REAL | KILN_D_BOOL, KILN_K_CONTIGUOUS, searchsorted},
    {KILN_OP_HISTC, KILN_D_REAL, KILN_K_CONTIGUOUS, histc},
};
const int32_t kiln__cuda_index_n = sizeof kiln__cuda_index / sizeof *kiln__cuda_index;
