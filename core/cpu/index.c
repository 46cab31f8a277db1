/* index.c: choosing and placing elements by position and by mask, on the CPU.
** Whatever only moves elements works on 1, 2, 4 or 8 bytes and knows no dtype; the loops that add
** are in index_each.h.  All positions are checked before anything is written.
*/
#include "cpu.h"
#include "nd.h"
#include "stream.h"

#include <float.h>
#include <stdio.h>

static const kiln_tensor *in(const kiln_call *c, int32_t i) { return c->in[i]; }
static const int64_t *positions(const kiln_tensor *x) { return kiln__data(x); }

/* Runs STATEMENT with `type` an unsigned type of `size` bytes. */
#define BY_SIZE(size, STATEMENT)                                                                   \
  do {                                                                                             \
    switch (size) {                                                                                \
    case 1: {                                                                                      \
      typedef kiln_bits8 type;                                                                     \
      STATEMENT;                                                                                   \
      break;                                                                                       \
    }                                                                                              \
    case 2: {                                                                                      \
      typedef kiln_bits16 type;                                                                    \
      STATEMENT;                                                                                   \
      break;                                                                                       \
    }                                                                                              \
    case 4: {                                                                                      \
      typedef kiln_bits32 type;                                                                    \
      STATEMENT;                                                                                   \
      break;                                                                                       \
    }                                                                                              \
    default: {                                                                                     \
      typedef kiln_bits64 type;                                                                    \
      STATEMENT;                                                                                   \
    }                                                                                              \
    }                                                                                              \
  } while (0)

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

/* Starts an output as a copy of the first input (which it already is in place). */
static void start_from_first(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  if (kiln__data(x) != kiln__data(y) && x->numel > 0) {
    memcpy(kiln__data(y), kiln__data(x), (size_t)(x->numel * kiln__size_of(x->dtype)));
  }
}

/* -- Checking positions ----------------------------------------------------------------- */

static int32_t fail_position(const char *op, const kiln_tensor *index, int64_t i, int64_t limit,
                             const char *what) {
  char place[24 * KILN_MAX_DIMS + 4] = "";
  int64_t coordinate[KILN_MAX_DIMS], rest = i, v = positions(index)[i];
  for (int32_t d = index->ndim - 1; d >= 0; d--) {
    coordinate[d] = rest % index->shape[d] + 1;
    rest /= index->shape[d];
  }
  size_t n = 0;
  for (int32_t d = 0; d < index->ndim; d++) {
    n += (size_t)snprintf(place + n, sizeof place - n, d ? ", %lld" : "%lld",
                          (long long)coordinate[d]);
  }
  return kiln_fail(KILN_EARG, "%s: %s %lld at position [%s] is out of range 1..%lld", op, what,
                   (long long)v, place, (long long)limit);
}

/* All of a contiguous index tensor must be in 1..limit. */
static int32_t check_positions(const char *op, const kiln_tensor *index, int64_t limit) {
  const int64_t *p = positions(index);
  int64_t n = index->numel;
  uint64_t worst = 0;
  for (int64_t i = 0; i < n; i++) {
    uint64_t v = (uint64_t)p[i] - KILN_INDEX_BASE;
    worst = v > worst ? v : worst;
  }
  if (n == 0 || worst < (uint64_t)limit)
    return KILN_OK;
  int64_t i = 0;
  while ((uint64_t)p[i] - KILN_INDEX_BASE < (uint64_t)limit)
    i++;
  return fail_position(op, index, i, limit, "index");
}

/* -- gather and scatter along a dim --------------------------------------------------------------
 */

/* An index tensor laid over x along a dim: outer x count x inner positions.  In the other dims x
** may be larger; then places are computed, else they are multiples. */
typedef struct lines {
  int64_t outer, count, inner;
  int64_t n, x_inner; /* of x */
  const int64_t *index;
  void *x; /* what is read or written along the dim */
  const void *src;
  bool one_source;
  bool same_outer, same_inner;
  const kiln_tensor *shape, *x_shape;
  int32_t dim;
} lines;

/* The place in x of linear place i inside dims first..last - 1 of the index. */
static int64_t embed(const lines *p, int64_t i, int32_t first, int32_t last, int64_t step) {
  int64_t place = 0;
  for (int32_t d = last - 1; d >= first; d--) {
    place += i % p->shape->shape[d] * step;
    i /= p->shape->shape[d];
    step *= p->x_shape->shape[d];
  }
  return place;
}

static inline int64_t lines_outer(const lines *p, int64_t o) {
  int64_t step = p->n * p->x_inner;
  return p->same_outer ? o * step : embed(p, o, 0, p->dim, step);
}
static inline int64_t lines_inner(const lines *p, int64_t b) {
  return p->same_inner ? b : embed(p, b, p->dim + 1, p->shape->ndim, 1);
}

static lines lay_over(const kiln_tensor *x, const kiln_tensor *index, int64_t dim) {
  split s = split_at(index, dim), t = split_at(x, dim);
  return (lines){
      .outer = s.outer,
      .count = s.n,
      .inner = s.inner,
      .n = t.n,
      .x_inner = t.inner,
      .index = positions(index),
      .x = kiln__data(x),
      /* no dim of the index exceeds x's, so equal products mean equal dims */
      .same_outer = s.outer == t.outer,
      .same_inner = s.inner == t.inner,
      .shape = index,
      .x_shape = x,
      .dim = (int32_t)dim,
  };
}

/* Units from..to - 1: single elements when inner is 1, else runs of inner elements. */
static void gather_part(const lines *p, void *out, int64_t size, int64_t from, int64_t to) {
  if (p->inner == 1) {
    while (from < to) {
      int64_t o = from / p->count, m = p->count - from % p->count;
      if (m > to - from)
        m = to - from;
      int64_t base = lines_outer(p, o) - KILN_INDEX_BASE * p->x_inner, step = p->x_inner;
      const int64_t *index = p->index + from;
      if (step == 1) {
        BY_SIZE(size, {
          const type *x = (const type *)p->x + base;
          type *y = (type *)out + from;
          for (int64_t i = 0; i < m; i++)
            y[i] = x[index[i]];
        });
      } else {
        BY_SIZE(size, {
          const type *x = (const type *)p->x + base;
          type *y = (type *)out + from;
          for (int64_t i = 0; i < m; i++)
            y[i] = x[index[i] * step];
        });
      }
      from += m;
    }
    return;
  }
  for (int64_t r = from; r < to; r++) {
    int64_t base = lines_outer(p, r / p->count) - KILN_INDEX_BASE * p->x_inner, step = p->x_inner;
    const int64_t *index = p->index + r * p->inner;
    BY_SIZE(size, {
      const type *x = (const type *)p->x + base;
      type *y = (type *)out + r * p->inner;
      if (p->same_inner) {
        for (int64_t b = 0; b < p->inner; b++)
          y[b] = x[index[b] * step + b];
      } else {
        for (int64_t b = 0; b < p->inner; b++)
          y[b] = x[index[b] * step + lines_inner(p, b)];
      }
    });
  }
}

static void gather_all(const lines *p, void *out, int64_t size) {
  int64_t units = p->outer * p->count, grain = KILN_GRAIN / 4 / (p->inner + 1) + 1;
  KILN_PARALLEL(units, p->inner == 1 ? 16 : 1, grain, gather_part(p, out, size, from, to));
}

static int32_t gather(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *index = in(c, 1);
  lines p = lay_over(x, index, c->attr[0].i);
  int32_t status = check_positions("gather", index, p.n);
  if (status == KILN_OK && index->numel > 0) {
    gather_all(&p, kiln__data(c->out[0]), kiln__size_of(x->dtype));
  }
  return status;
}

static int32_t take(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *index = in(c, 1);
  lines p = {.outer = 1,
             .count = index->numel,
             .inner = 1,
             .n = x->numel,
             .x_inner = 1,
             .index = positions(index),
             .x = kiln__data(x),
             .same_outer = true,
             .same_inner = true};
  int32_t status = check_positions("take", index, x->numel);
  if (status == KILN_OK && index->numel > 0) {
    gather_all(&p, kiln__data(c->out[0]), kiln__size_of(x->dtype));
  }
  return status;
}

/* A thread owns lines along the dim, so that the last of several writers is always the same. */
static void scatter_part(const lines *p, int64_t size, int64_t from, int64_t to) {
  while (from < to) {
    int64_t o = from / p->inner, b0 = from % p->inner, b1 = p->inner;
    if (b1 - b0 > to - from)
      b1 = b0 + (to - from);
    int64_t base = lines_outer(p, o);
    BY_SIZE(size, {
      const type *src = p->src;
      for (int64_t k = 0; k < p->count; k++) {
        int64_t at = (o * p->count + k) * p->inner;
        for (int64_t b = b0; b < b1; b++) {
          type *x = (type *)p->x + base + (p->index[at + b] - KILN_INDEX_BASE) * p->x_inner;
          x[lines_inner(p, b)] = src[p->one_source ? 0 : at + b];
        }
      }
    });
    from += b1 - b0;
  }
}

/* -- Rows: index_add, index_copy ------------------------------------------------------------------
 */

/* outer blocks of n rows (the destination) and of count rows (the source), of inner elements. */
typedef struct rows {
  int64_t outer_from, outer_to, n, count, inner;
  const int64_t *index;
  void *dst;
  const void *src;
  int64_t bytes; /* of dst, where it is filled by selecting */
} rows;

/* -- Blocks: index, index_put, put ------------------------------------------------------ */

/* count blocks of inner elements at the places of x; inner_place says where inside, NULL for one
** after the other. */
typedef struct blocks {
  int64_t count, inner;
  const int64_t *place, *inner_place;
  void *x;
  const void *values;
  bool one_value;
} blocks;

/* -- Sorted lines: searchsorted --------------------------------------------------------- */

typedef struct sorted_lines {
  const void *sorted, *x;
  int64_t *out;
  int64_t n, width; /* of a line of sorted, of x */
  bool one_line, right;
} sorted_lines;

#define EACH "index_each.h"
#include "each.h"

typedef void (*add_lines_loop)(const lines *p, int64_t from, int64_t to);
typedef void (*add_rows_loop)(const rows *r, double alpha, int64_t low, int64_t high);
typedef void (*add_blocks_loop)(const blocks *p, int64_t low, int64_t high);
typedef void (*search_loop)(const sorted_lines *p, int64_t from, int64_t to);
typedef void (*segment_loop)(const rows *r, int64_t *from);

#define LOOPS(kind)                                                                                \
  {                                                                                                \
    [KILN_FLOAT32] = kind##_f32, [KILN_FLOAT64] = kind##_f64, [KILN_INT8] = kind##_i8,             \
    [KILN_UINT8] = kind##_u8, [KILN_INT16] = kind##_i16, [KILN_INT32] = kind##_i32,                \
    [KILN_INT64] = kind##_i64, [KILN_BOOL] = kind##_b8                                             \
  }
static const add_lines_loop add_lines[KILN_DTYPE_COUNT] = LOOPS(add_lines);
static const add_rows_loop add_rows[KILN_DTYPE_COUNT] = LOOPS(add_rows);
static const add_blocks_loop add_blocks[KILN_DTYPE_COUNT] = LOOPS(add_blocks);
static const search_loop search_loops[KILN_DTYPE_COUNT] = LOOPS(search);
static const segment_loop segment_loops[KILN_DTYPE_COUNT] = LOOPS(segment_max);

static int32_t scatter_by(const kiln_call *c, const char *name, bool adds) {
  const kiln_tensor *index = in(c, 1), *y = c->out[0];
  lines p = lay_over(y, index, c->attr[0].i);
  int32_t status = check_positions(name, index, p.n);
  if (status < 0)
    return status;
  start_from_first(c);
  if (index->numel == 0)
    return KILN_OK;
  p.src = kiln__data(in(c, 2));
  p.one_source = in(c, 2)->ndim < index->ndim;
  int64_t grain = KILN_GRAIN / 4 / p.count + 1, size = kiln__size_of(y->dtype);
  if (adds) {
    add_lines_loop loop = add_lines[y->dtype];
    KILN_PARALLEL(p.outer * p.inner, 1, grain, loop(&p, from, to));
  } else {
    KILN_PARALLEL(p.outer * p.inner, 1, grain, scatter_part(&p, size, from, to));
  }
  return KILN_OK;
}

static int32_t scatter(const kiln_call *c) { return scatter_by(c, "scatter", false); }
static int32_t scatter_add(const kiln_call *c) { return scatter_by(c, "scatter_add", true); }

/* Units from..to - 1 are rows of the result. */
static void select_part(const rows *r, int64_t bytes, int64_t from, int64_t to) {
  enum { AHEAD = 8, LINE = 64 };
  for (int64_t u = from; u < to; u++) {
    int64_t o = u / r->count, k = u % r->count;
    int64_t first = o * r->n - KILN_INDEX_BASE;
    char *d = (char *)r->dst + u * bytes;
    const char *s = (const char *)r->src + (first + r->index[k]) * bytes;
    if (bytes >= LINE && k + AHEAD < r->count) { /* rows come from anywhere: ask early */
      const char *later = (const char *)r->src + (first + r->index[k + AHEAD]) * bytes;
      for (int64_t i = 0; i < bytes && i < 16 * LINE; i += LINE)
        __builtin_prefetch(later + i);
    }
    switch (bytes) {
    case 4:
      memcpy(d, s, 4);
      break;
    case 8:
      memcpy(d, s, 8);
      break;
    default:
      kiln__move(d, s, bytes, r->bytes);
    }
  }
  kiln__stream_end();
}

static int32_t select_rows(const char *op, const kiln_tensor *x, const kiln_tensor *index,
                           int64_t dim, const kiln_tensor *y) {
  split s = split_at(x, dim);
  int32_t status = check_positions(op, index, s.n);
  if (status < 0 || y->numel == 0)
    return status;
  rows r = {.n = s.n,
            .count = index->numel,
            .inner = s.inner,
            .index = positions(index),
            .dst = kiln__data(y),
            .src = kiln__data(x),
            .bytes = y->numel * kiln__size_of(x->dtype)};
  int64_t bytes = s.inner * kiln__size_of(x->dtype), grain = 4 * KILN_GRAIN / (bytes + 16) + 1;
  KILN_PARALLEL(s.outer * r.count, 1, grain, select_part(&r, bytes, from, to));
  return KILN_OK;
}

static int32_t index_select(const kiln_call *c) {
  return select_rows("index_select", in(c, 0), in(c, 1), c->attr[0].i, c->out[0]);
}
static int32_t embedding(const kiln_call *c) {
  return select_rows("embedding", in(c, 0), in(c, 1), 0, c->out[0]);
}

static rows rows_of(const kiln_tensor *y, const kiln_tensor *index, const kiln_tensor *src,
                    int64_t dim) {
  split s = split_at(y, dim);
  return (rows){.outer_to = s.outer,
                .n = s.n,
                .count = index->numel,
                .inner = s.inner,
                .index = positions(index),
                .dst = kiln__data(y),
                .src = kiln__data(src)};
}

static void add_outer(rows r, add_rows_loop loop, double alpha, int64_t from, int64_t to) {
  r.outer_from = from;
  r.outer_to = to;
  loop(&r, alpha, 0, r.n);
}

/* Threads divide the outer blocks where there are many, else the destination rows. */
static void add_all_rows(const rows *r, int32_t dtype, double alpha) {
  add_rows_loop loop = add_rows[dtype];
  int64_t work = r->count * r->inner;
  if (r->outer_to >= 8) {
    KILN_PARALLEL(r->outer_to, 1, KILN_GRAIN / (work + 1) + 1,
                  add_outer(*r, loop, alpha, from, to));
  } else if (work * r->outer_to >= KILN_GRAIN && r->inner >= 4) {
    KILN_PARALLEL_BY(r->n, r->n, 1, 1, loop(r, alpha, from, to)); /* each reads all of index */
  } else {
    loop(r, alpha, 0, r->n);
  }
}

static int32_t index_add(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  rows r = rows_of(y, in(c, 1), in(c, 2), c->attr[0].i);
  int32_t status = check_positions("index_add", in(c, 1), r.n);
  if (status < 0)
    return status;
  start_from_first(c);
  if (in(c, 2)->numel > 0)
    add_all_rows(&r, y->dtype, c->attr[1].f);
  return KILN_OK;
}

static int32_t index_copy(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  rows r = rows_of(y, in(c, 1), in(c, 2), c->attr[0].i);
  int32_t status = check_positions("index_copy", in(c, 1), r.n);
  if (status < 0)
    return status;
  start_from_first(c);
  int64_t bytes = r.inner * kiln__size_of(y->dtype);
  if (bytes == 0)
    return KILN_OK;
  for (int64_t u = 0; u < r.outer_to * r.count; u++) {
    int64_t row = u / r.count * r.n + r.index[u % r.count] - KILN_INDEX_BASE;
    memcpy((char *)r.dst + row * bytes, (const char *)r.src + u * bytes, (size_t)bytes);
  }
  return KILN_OK;
}

/* in[2]: the value, one element of any dtype. */
static int32_t index_fill(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  rows r = rows_of(y, in(c, 1), in(c, 2), c->attr[0].i);
  int32_t status = check_positions("index_fill", in(c, 1), r.n);
  if (status < 0)
    return status;
  start_from_first(c);
  int64_t size = kiln__size_of(y->dtype);
  char value[8];
  kiln_convert(value, y->dtype, r.src, in(c, 2)->dtype, 1);
  for (int64_t u = 0; u < r.outer_to * r.count; u++) {
    int64_t row = u / r.count * r.n + r.index[u % r.count] - KILN_INDEX_BASE;
    kiln__run_copy((char *)r.dst + row * r.inner * size, size, value, 0, r.inner, size);
  }
  return KILN_OK;
}

/* Gradient of embedding: sums rows of g by position; the padding row gets none, and with `scale`
** each row is divided by how often it was chosen.  attr: rows, padding (0-based or none), scale. */
static int32_t embedding_dw(const kiln_call *c) {
  const kiln_tensor *g = in(c, 0), *index = in(c, 1), *y = c->out[0];
  int32_t status = check_positions("embedding", index, y->shape[0]);
  if (status < 0)
    return status;
  int64_t n = y->shape[0], width = y->shape[1], size = kiln__size_of(y->dtype);
  memset(kiln__data(y), 0, (size_t)(y->numel * size));
  if (g->numel == 0)
    return KILN_OK;
  rows r = {.outer_to = 1,
            .n = n,
            .count = index->numel,
            .inner = width,
            .index = positions(index),
            .dst = kiln__data(y),
            .src = kiln__data(g)};
  add_all_rows(&r, y->dtype, 1);
  int64_t padding = c->attr[1].i;
  if (padding != KILN_NONE) {
    memset((char *)kiln__data(y) + padding * width * size, 0, (size_t)(width * size));
  }
  if (!c->attr[2].i)
    return KILN_OK;
  int64_t *count = kiln__scratch(0, n * 8);
  if (!count)
    return KILN_ENOMEM;
  memset(count, 0, (size_t)n * 8);
  for (int64_t k = 0; k < r.count; k++)
    count[r.index[k] - KILN_INDEX_BASE]++;
  for (int64_t i = 0; i < n; i++) {
    if (count[i] < 2)
      continue;
    for (int64_t b = 0; b < width; b++) {
      if (y->dtype == KILN_FLOAT64)
        ((double *)r.dst)[i * width + b] /= (double)count[i];
      else
        ((float *)r.dst)[i * width + b] /= (float)count[i];
    }
  }
  kiln__scratch_free(0, count, n * 8);
  return KILN_OK;
}

static int32_t segment_max(const kiln_call *c) {
  rows r = rows_of(c->out[0], in(c, 1), in(c, 0), 0);
  int32_t status = check_positions("segment_max", in(c, 1), r.n);
  if (status == KILN_OK)
    segment_loops[in(c, 0)->dtype](&r, kiln__data(c->out[1]));
  return status;
}

#include "index_choice.h"
#include "index_lookup.h"
#include "index_masks.h"

/* -- Table ------------------------------------------------------------------------------ */

enum { CHANGES = KILN_K_CONTIGUOUS | KILN_K_IN_PLACE };

static const kiln_entry entries[] = {
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

void FN(kiln__cpu_index)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_index)(kiln_slot (*table)[KILN_DTYPE_COUNT]) { KILN_CPU_ENTRIES(table, entries); }
