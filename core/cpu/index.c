/* index.c: choosing and placing elements by position and by mask, on the CPU.
** Whatever only moves elements works on 1, 2, 4 or 8 bytes and knows no dtype; the loops that add
** are in index_each.h.  All positions are checked before anything is written.
*/
#include "cpu.h"
#include "nd.h"

#include <stdio.h>

static const kiln_tensor *in(const kiln_call *c, int32_t i) { return c->in[i]; }
static const int64_t *positions(const kiln_tensor *x) { return kiln__data(x); }

/* Runs STATEMENT with `type` an unsigned type of `size` bytes. */
#define BY_SIZE(size, STATEMENT)                                                                   \
  do {                                                                                             \
    switch (size) {                                                                                \
    case 1: { typedef kiln_bits8 type; STATEMENT; break; }                                         \
    case 2: { typedef kiln_bits16 type; STATEMENT; break; }                                        \
    case 4: { typedef kiln_bits32 type; STATEMENT; break; }                                        \
    default: { typedef kiln_bits64 type; STATEMENT; }                                              \
    }                                                                                              \
  } while (0)

/* Sizes before, at and after a dim; a 0-dim tensor is one of size 1. */
typedef struct split {
  int64_t outer, n, inner;
} split;

static split split_at(const kiln_tensor *x, int64_t dim) {
  split s = {1, 1, 1};
  for (int32_t i = 0; i < x->ndim; i++) {
    if (i < dim) s.outer *= x->shape[i];
    else if (i == dim) s.n = x->shape[i];
    else s.inner *= x->shape[i];
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

/* -- Checking positions ---------------------------------------------------------------------- */

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
  if (n == 0 || worst < (uint64_t)limit) return KILN_OK;
  int64_t i = 0;
  while ((uint64_t)p[i] - KILN_INDEX_BASE < (uint64_t)limit) i++;
  return fail_position(op, index, i, limit, "index");
}

/* -- where ------------------------------------------------------------------------------------- */

#define SELECT_ROW(XS, YS)                                                                         \
  for (int64_t i = 0; i < n; i++) o[i] = c[i] ? x[XS ? i : 0] : y[YS ? i : 0]

#define WHERE(type)                                                                                \
  static void where_row_##type(type *o, const uint8_t *c, const type *x, const type *y, int64_t n, \
                               bool each_x, bool each_y) {                                         \
    if (each_x && each_y) SELECT_ROW(1, 1);                                                        \
    else if (each_x) SELECT_ROW(1, 0);                                                             \
    else if (each_y) SELECT_ROW(0, 1);                                                             \
    else SELECT_ROW(0, 0);                                                                         \
  }
WHERE(kiln_bits8)
WHERE(kiln_bits16)
WHERE(kiln_bits32)
WHERE(kiln_bits64)

enum { BLOCK = 512 };

/* Brings what does not step by one element or by none into a buffer, a block at a time. */
static void where_part(const kiln_nd *it, int64_t size, int64_t from, int64_t to) {
  int32_t last = it->ndim - 1;
  int64_t at[KILN_MAX_DIMS];
  char buffer[3][BLOCK * 8], out[BLOCK * 8];
  kiln__nd_seek(it, from, at);
  while (from < to) {
    int64_t n = it->shape[last] - at[last];
    if (n > to - from) n = to - from;
    bool copied = false, each[4];
    for (int k = 0; k < 4; k++) {
      int64_t step = it->stride[k][last];
      each[k] = step != 0;
      copied |= step != (k == 1 ? 1 : size) && (step != 0 || k < 2);
    }
    if (copied && n > BLOCK) n = BLOCK;
    char *p[4];
    for (int k = 0; k < 4; k++) {
      int64_t step = it->stride[k][last], unit = k == 1 ? 1 : size;
      p[k] = kiln__nd_at(it, k, at);
      if (step == unit || (step == 0 && k >= 2)) continue;
      if (k > 0) {
        kiln__run_copy(buffer[k - 1], unit, p[k], step, n, unit);
        p[k] = buffer[k - 1];
      }
    }
    char *o = it->stride[0][last] == size ? p[0] : out;
    const uint8_t *c = (const uint8_t *)p[1];
    switch (size) {
#define CASE(bytes, type)                                                                          \
  case bytes:                                                                                      \
    where_row_##type((type *)o, c, (const type *)p[2], (const type *)p[3], n, each[2], each[3]);   \
    break;
      CASE(1, kiln_bits8)
      CASE(2, kiln_bits16)
      CASE(4, kiln_bits32)
      CASE(8, kiln_bits64)
#undef CASE
    }
    if (o == out) kiln__run_copy(p[0], it->stride[0][last], out, size, n, size);
    from += n;
    at[last] += n;
    if (at[last] == it->shape[last]) kiln__nd_next_row(it, at);
  }
}

static int32_t where(const kiln_call *c) {
  kiln_nd it = {0};
  kiln__nd_add(&it, c->out[0]);
  for (int32_t i = 0; i < 3; i++) kiln__nd_add(&it, in(c, i));
  kiln__nd_simplify(&it);
  int64_t size = kiln__size_of(c->out[0]->dtype);
  if (it.numel > 0) KILN_PARALLEL(it.numel, 64, KILN_GRAIN, where_part(&it, size, from, to));
  return KILN_OK;
}

/* -- gather and scatter along a dim -------------------------------------------------------------- */

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
      .outer = s.outer, .count = s.n, .inner = s.inner,
      .n = t.n, .x_inner = t.inner, .index = positions(index), .x = kiln__data(x),
      /* no dim of the index exceeds x's, so equal products mean equal dims */
      .same_outer = s.outer == t.outer, .same_inner = s.inner == t.inner,
      .shape = index, .x_shape = x, .dim = (int32_t)dim,
  };
}

/* Units from..to - 1: single elements when inner is 1, else runs of inner elements. */
static void gather_part(const lines *p, void *out, int64_t size, int64_t from, int64_t to) {
  if (p->inner == 1) {
    while (from < to) {
      int64_t o = from / p->count, m = p->count - from % p->count;
      if (m > to - from) m = to - from;
      int64_t base = lines_outer(p, o) - KILN_INDEX_BASE * p->x_inner, step = p->x_inner;
      const int64_t *index = p->index + from;
      if (step == 1) {
        BY_SIZE(size, {
          const type *x = (const type *)p->x + base;
          type *y = (type *)out + from;
          for (int64_t i = 0; i < m; i++) y[i] = x[index[i]];
        });
      } else {
        BY_SIZE(size, {
          const type *x = (const type *)p->x + base;
          type *y = (type *)out + from;
          for (int64_t i = 0; i < m; i++) y[i] = x[index[i] * step];
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
        for (int64_t b = 0; b < p->inner; b++) y[b] = x[index[b] * step + b];
      } else {
        for (int64_t b = 0; b < p->inner; b++) y[b] = x[index[b] * step + lines_inner(p, b)];
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
  lines p = {.outer = 1, .count = index->numel, .inner = 1, .n = x->numel, .x_inner = 1,
             .index = positions(index), .x = kiln__data(x), .same_outer = true, .same_inner = true};
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
    if (b1 - b0 > to - from) b1 = b0 + (to - from);
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

/* -- Rows: index_add, index_copy ------------------------------------------------------------------ */

/* outer blocks of n rows (the destination) and of count rows (the source), of inner elements. */
typedef struct rows {
  int64_t outer_from, outer_to, n, count, inner;
  const int64_t *index;
  void *dst;
  const void *src;
} rows;

/* -- Blocks: index, index_put, put ------------------------------------------------------------------ */

/* count blocks of inner elements at the places of x; inner_place says where inside, NULL for one
** after the other. */
typedef struct blocks {
  int64_t count, inner;
  const int64_t *place, *inner_place;
  void *x;
  const void *values;
  bool one_value;
} blocks;

/* -- Sorted lines: searchsorted --------------------------------------------------------------------- */

typedef struct sorted_lines {
  const void *sorted, *x;
  int64_t *out;
  int64_t n, width; /* of a line of sorted, of x */
  bool one_line, right;
} sorted_lines;

#define EACH "index_each.h"
#define EACH_HALF
#include "each.h"

typedef void (*add_lines_loop)(const lines *p, int64_t from, int64_t to);
typedef void (*add_rows_loop)(const rows *r, double alpha, int64_t low, int64_t high);
typedef void (*add_blocks_loop)(const blocks *p, int64_t low, int64_t high);
typedef void (*search_loop)(const sorted_lines *p, int64_t from, int64_t to);
typedef void (*segment_loop)(const rows *r, int64_t *from);

#define LOOPS(kind)                                                                                \
  {[KILN_FLOAT32] = kind##_f32,  [KILN_FLOAT64] = kind##_f64, [KILN_FLOAT16] = kind##_f16,         \
   [KILN_BFLOAT16] = kind##_bf16, [KILN_INT8] = kind##_i8,    [KILN_UINT8] = kind##_u8,            \
   [KILN_INT16] = kind##_i16,    [KILN_INT32] = kind##_i32,   [KILN_INT64] = kind##_i64,           \
   [KILN_BOOL] = kind##_b8}
static const add_lines_loop add_lines[KILN_DTYPE_COUNT] = LOOPS(add_lines);
static const add_rows_loop add_rows[KILN_DTYPE_COUNT] = LOOPS(add_rows);
static const add_blocks_loop add_blocks[KILN_DTYPE_COUNT] = LOOPS(add_blocks);
static const search_loop search_loops[KILN_DTYPE_COUNT] = LOOPS(search);
static const segment_loop segment_loops[KILN_DTYPE_COUNT] = LOOPS(segment_max);

static int32_t scatter_by(const kiln_call *c, const char *name, bool adds) {
  const kiln_tensor *index = in(c, 1), *y = c->out[0];
  lines p = lay_over(y, index, c->attr[0].i);
  int32_t status = check_positions(name, index, p.n);
  if (status < 0) return status;
  start_from_first(c);
  if (index->numel == 0) return KILN_OK;
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
  for (int64_t u = from; u < to; u++) {
    int64_t o = u / r->count, row = o * r->n + r->index[u % r->count] - KILN_INDEX_BASE;
    char *d = (char *)r->dst + u * bytes;
    const char *s = (const char *)r->src + row * bytes;
    switch (bytes) {
    case 4: memcpy(d, s, 4); break;
    case 8: memcpy(d, s, 8); break;
    default: memcpy(d, s, (size_t)bytes);
    }
  }
}

static int32_t select_rows(const char *op, const kiln_tensor *x, const kiln_tensor *index,
                           int64_t dim, const kiln_tensor *y) {
  split s = split_at(x, dim);
  int32_t status = check_positions(op, index, s.n);
  if (status < 0 || y->numel == 0) return status;
  rows r = {.n = s.n, .count = index->numel, .inner = s.inner, .index = positions(index),
            .dst = kiln__data(y), .src = kiln__data(x)};
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
  return (rows){.outer_to = s.outer, .n = s.n, .count = index->numel, .inner = s.inner,
                .index = positions(index), .dst = kiln__data(y), .src = kiln__data(src)};
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
    KILN_PARALLEL(r->n, 1, 1, loop(r, alpha, from, to));
  } else {
    loop(r, alpha, 0, r->n);
  }
}

static int32_t index_add(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  rows r = rows_of(y, in(c, 1), in(c, 2), c->attr[0].i);
  int32_t status = check_positions("index_add", in(c, 1), r.n);
  if (status < 0) return status;
  start_from_first(c);
  if (in(c, 2)->numel > 0) add_all_rows(&r, y->dtype, c->attr[1].f);
  return KILN_OK;
}

static int32_t index_copy(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  rows r = rows_of(y, in(c, 1), in(c, 2), c->attr[0].i);
  int32_t status = check_positions("index_copy", in(c, 1), r.n);
  if (status < 0) return status;
  start_from_first(c);
  int64_t bytes = r.inner * kiln__size_of(y->dtype);
  if (bytes == 0) return KILN_OK;
  for (int64_t u = 0; u < r.outer_to * r.count; u++) {
    int64_t row = u / r.count * r.n + r.index[u % r.count] - KILN_INDEX_BASE;
    memcpy((char *)r.dst + row * bytes, (const char *)r.src + u * bytes, (size_t)bytes);
  }
  return KILN_OK;
}

/* in[2]: the value, one element of the output's dtype. */
static int32_t index_fill(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  rows r = rows_of(y, in(c, 1), in(c, 2), c->attr[0].i);
  int32_t status = check_positions("index_fill", in(c, 1), r.n);
  if (status < 0) return status;
  start_from_first(c);
  int64_t size = kiln__size_of(y->dtype);
  for (int64_t u = 0; u < r.outer_to * r.count; u++) {
    int64_t row = u / r.count * r.n + r.index[u % r.count] - KILN_INDEX_BASE;
    kiln__run_copy((char *)r.dst + row * r.inner * size, size, r.src, 0, r.inner, size);
  }
  return KILN_OK;
}

/* Gradient of embedding: sums rows of g by position; the padding row gets none, and with `scale`
** each row is divided by how often it was chosen.  attr: rows, padding (0-based or none), scale. */
static int32_t embedding_dw(const kiln_call *c) {
  const kiln_tensor *g = in(c, 0), *index = in(c, 1), *y = c->out[0];
  int32_t status = check_positions("embedding", index, y->shape[0]);
  if (status < 0) return status;
  int64_t n = y->shape[0], width = y->shape[1], size = kiln__size_of(y->dtype);
  memset(kiln__data(y), 0, (size_t)(y->numel * size));
  if (g->numel == 0) return KILN_OK;
  rows r = {.outer_to = 1, .n = n, .count = index->numel, .inner = width,
            .index = positions(index), .dst = kiln__data(y), .src = kiln__data(g)};
  add_all_rows(&r, y->dtype, 1);
  int64_t padding = c->attr[1].i;
  if (padding != KILN_NONE) {
    memset((char *)kiln__data(y) + padding * width * size, 0, (size_t)(width * size));
  }
  if (!c->attr[2].i) return KILN_OK;
  int64_t *count = kiln__scratch(0, n * 8);
  if (!count) return KILN_ENOMEM;
  memset(count, 0, (size_t)n * 8);
  for (int64_t k = 0; k < r.count; k++) count[r.index[k] - KILN_INDEX_BASE]++;
  for (int64_t i = 0; i < n; i++) {
    if (count[i] < 2) continue;
    for (int64_t b = 0; b < width; b++) {
      if (y->dtype == KILN_FLOAT64) ((double *)r.dst)[i * width + b] /= (double)count[i];
      else ((float *)r.dst)[i * width + b] /= (float)count[i];
    }
  }
  kiln__scratch_free(0, count, n * 8);
  return KILN_OK;
}

static int32_t segment_max(const kiln_call *c) {
  rows r = rows_of(c->out[0], in(c, 1), in(c, 0), 0);
  int32_t status = check_positions("segment_max", in(c, 1), r.n);
  if (status == KILN_OK) segment_loops[in(c, 0)->dtype](&r, kiln__data(c->out[1]));
  return status;
}

/* -- Masks ---------------------------------------------------------------------------------------- */

static char nothing[8];

/* A stand-in for a tensor of the shape that x and mask broadcast to, for kiln__nd_add. */
static kiln_tensor common_shape(const kiln_tensor *x, const kiln_tensor *mask,
                                kiln_storage *storage) {
  kiln_tensor y = {.dtype = KILN_UINT8, .storage = storage, .numel = 1};
  *storage = (kiln_storage){.data = nothing};
  y.ndim = x->ndim > mask->ndim ? x->ndim : mask->ndim;
  for (int32_t d = y.ndim - 1; d >= 0; d--) {
    int32_t a = d - (y.ndim - x->ndim), b = d - (y.ndim - mask->ndim);
    y.shape[d] = a < 0 ? mask->shape[b] : b < 0 || mask->shape[b] == 1 ? x->shape[a]
                                                                          : mask->shape[b];
    y.stride[d] = y.numel;
    y.numel *= y.shape[d];
  }
  return y;
}

/* The elements of x at the broadcast shape `like`, one after the other: x's own memory, or a copy
** that the caller frees with kiln__scratch_free when *copy is set. */
static const void *flattened(const kiln_tensor *x, const kiln_tensor *like, void **copy) {
  *copy = NULL;
  if (x->numel == like->numel && kiln__is_dense(x)) return kiln__data(x);
  int64_t size = kiln__size_of(x->dtype);
  kiln_nd it = {0};
  kiln__nd_add(&it, like);
  kiln__nd_add(&it, x);
  if (it.ndim == 0) it.shape[it.ndim++] = 1;
  *copy = kiln__scratch(0, like->numel * size);
  if (*copy && like->numel > 0) kiln__nd_gather(&it, 1, 0, like->numel, *copy, size);
  return *copy;
}

static int64_t count_true(const uint8_t *mask, int64_t from, int64_t to) {
  int64_t total = 0;
  while (from < to) {
    int64_t end = to - from > 255 ? from + 255 : to;
    uint8_t few = 0;
    for (; from < end; from++) few += mask[from];
    total += few;
  }
  return total;
}

/* Where each of at most PARTS parts of a mask starts to write. */
enum { PARTS = 64 };
typedef struct parts {
  int n;
  int64_t first[PARTS];
} parts;

static void count_part(const uint8_t *mask, int64_t n, parts *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    int64_t a, b;
    kiln__part(n, 64, (int)i, p->n, &a, &b);
    p->first[i] = count_true(mask, a, b);
  }
}

static parts parts_of(const uint8_t *mask, int64_t n) {
  parts p = {.n = n > 4 * KILN_GRAIN ? PARTS : 1};
  KILN_PARALLEL(p.n, 1, 1, count_part(mask, n, &p, from, to));
  int64_t sum = 0;
  for (int i = 0; i < p.n; i++) {
    int64_t count = p.first[i];
    p.first[i] = sum;
    sum += count;
  }
  return p;
}

/* Writes without a branch; the write after the last true element would be another part's. */
static void compress_part(const uint8_t *mask, const void *x, void *out, int64_t size, int64_t n,
                          const parts *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    int64_t a, b;
    kiln__part(n, 64, (int)i, p->n, &a, &b);
    while (b > a && !mask[b - 1]) b--;
    BY_SIZE(size, {
      const type *s = x;
      type *d = (type *)out + p->first[i];
      for (int64_t k = a; k < b; k++) {
        *d = s[k];
        d += mask[k];
      }
    });
  }
}

static int32_t masked_select(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *mask = in(c, 1);
  kiln_storage storage;
  kiln_tensor shape = common_shape(x, mask, &storage);
  if (c->out[0]->numel == 0) return KILN_OK;
  void *copies[2];
  const uint8_t *m = flattened(mask, &shape, &copies[0]);
  const void *v = flattened(x, &shape, &copies[1]);
  int64_t size = kiln__size_of(x->dtype), n = shape.numel;
  if (m && v) {
    parts p = parts_of(m, n);
    void *out = kiln__data(c->out[0]);
    KILN_PARALLEL(p.n, 1, 1, compress_part(m, v, out, size, n, &p, from, to));
  }
  if (copies[0]) kiln__scratch_free(0, copies[0], n);
  if (copies[1]) kiln__scratch_free(0, copies[1], n * size);
  return m && v ? KILN_OK : KILN_ENOMEM;
}

/* x and mask broadcast to the output; src is read in order. */
static int32_t masked_scatter(const kiln_call *c) {
  const kiln_tensor *y = c->out[0], *x = in(c, 0);
  void *copies[2];
  const uint8_t *m = flattened(in(c, 1), y, &copies[0]);
  const void *v = flattened(x, y, &copies[1]);
  int64_t size = kiln__size_of(y->dtype), n = y->numel;
  if (m && v && n > 0) {
    const char *src = kiln__data(in(c, 2));
    if (kiln__data(y) != v) memcpy(kiln__data(y), v, (size_t)(n * size));
    BY_SIZE(size, {
      const type *s = (const type *)src;
      type *d = kiln__data(y);
      for (int64_t i = 0; i < n; i++) {
        if (m[i]) d[i] = *s++;
      }
    });
  }
  if (copies[0]) kiln__scratch_free(0, copies[0], n);
  if (copies[1]) kiln__scratch_free(0, copies[1], n * size);
  return m && v ? KILN_OK : KILN_ENOMEM;
}

/* out [count, ndim]: coordinates of the elements that are not 0, in order. */
static int32_t nonzero(const kiln_call *c) {
  enum { STEP = 4096 };
  const kiln_tensor *x = in(c, 0);
  int64_t *out = kiln__data(c->out[0]), size = kiln__size_of(x->dtype), at[KILN_MAX_DIMS] = {0};
  int64_t left = c->out[0]->shape[0];
  uint8_t mask[STEP];
  const char *data = kiln__data(x);
  for (int64_t i = 0; i < x->numel && left > 0; i += STEP) {
    int64_t n = x->numel - i < STEP ? x->numel - i : STEP;
    kiln_convert(mask, KILN_BOOL, data + i * size, x->dtype, n);
    if (x->ndim == 1) {
      for (int64_t k = 0; k < n && left > 0; k++) {
        *out = i + k + KILN_INDEX_BASE;
        out += mask[k];
        left -= mask[k];
      }
      continue;
    }
    for (int64_t k = 0; k < n; k++) {
      if (mask[k]) {
        for (int32_t d = 0; d < x->ndim; d++) *out++ = at[d] + KILN_INDEX_BASE;
        left--;
      }
      for (int32_t d = x->ndim - 1; d >= 0 && ++at[d] == x->shape[d]; d--) at[d] = 0;
    }
  }
  return KILN_OK;
}

/* -- Several index tensors --------------------------------------------------------------------------- */

enum { MAX_INDEX = 8 };

/* What x[{i, j, ...}] means: count places (one for each position the broadcast indices name), rest
** elements at each.  `pre` blocks stand before indexed dims that are neighbours. */
typedef struct choice {
  int64_t pre, pre_step, count, rest;
  int64_t *place;      /* [count] */
  int64_t *rest_place; /* [rest], NULL when the rest is one block */
  int64_t bytes;       /* of the scratch behind both */
} choice;

/* index[d] chooses in dim d of x; NULL takes all of it.  Positions may count from the end. */
static int32_t choose(const char *op, const kiln_tensor *x, kiln_tensor *const *index,
                      choice *out) {
  int32_t first = -1, last = -1, used = 0;
  kiln_storage storage;
  kiln_tensor shape = {.dtype = KILN_UINT8, .numel = 1};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d >= MAX_INDEX || !index[d]) continue;
    if (first < 0) first = d;
    last = d;
    used++;
    kiln_tensor merged = common_shape(&shape, index[d], &storage);
    shape = merged;
  }
  bool neighbours = last - first + 1 == used;
  int64_t step[KILN_MAX_DIMS], n = 1;
  for (int32_t d = x->ndim - 1; d >= 0; d--) {
    step[d] = n;
    n *= x->shape[d];
  }
  *out = (choice){.pre = 1, .count = shape.numel, .rest = 1};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d < MAX_INDEX && index[d]) continue;
    if (neighbours && d < first) out->pre *= x->shape[d];
    else out->rest *= x->shape[d];
  }
  out->pre_step = neighbours && first > 0 ? step[first - 1] : 0;
  int64_t rest_table = neighbours ? 0 : out->rest;
  out->bytes = (out->count + rest_table) * 8;
  out->place = kiln__scratch(0, out->bytes);
  if (!out->place) return KILN_ENOMEM;
  memset(out->place, 0, (size_t)out->count * 8);
  for (int32_t d = first; d <= last && used > 0; d++) {
    const kiln_tensor *t = d < MAX_INDEX ? index[d] : NULL;
    if (!t) continue;
    int64_t limit = x->shape[d];
    for (int64_t i = 0; i < t->numel; i++) {
      int64_t v = positions(t)[i];
      if (v == 0 || v > limit || v < -limit) {
        kiln__scratch_free(0, out->place, out->bytes);
        char what[32];
        snprintf(what, sizeof what, "index of dim %d,", d + 1);
        return fail_position(op, t, i, limit, what);
      }
    }
    kiln_nd it = {0};
    kiln__nd_add(&it, &shape);
    kiln__nd_add(&it, t);
    if (it.ndim == 0) it.shape[it.ndim++] = 1;
    enum { STEP = 512 };
    int64_t v[STEP];
    for (int64_t i = 0; i < out->count; i += STEP) {
      int64_t m = out->count - i < STEP ? out->count - i : STEP;
      kiln__nd_gather(&it, 1, i, m, (char *)v, 8);
      for (int64_t k = 0; k < m; k++) {
        out->place[i + k] += (v[k] < 0 ? v[k] + limit : v[k] - KILN_INDEX_BASE) * step[d];
      }
    }
  }
  if (!neighbours) {
    out->rest_place = out->place + out->count;
    for (int64_t r = 0; r < out->rest; r++) {
      int64_t i = r, place = 0;
      for (int32_t d = x->ndim - 1; d >= 0; d--) {
        if (d < MAX_INDEX && index[d]) continue;
        place += i % x->shape[d] * step[d];
        i /= x->shape[d];
      }
      out->rest_place[r] = place;
    }
  }
  return KILN_OK;
}

/* Units from..to - 1 of pre * count: one block of the rest each. */
static void choose_part(const choice *w, const void *x, void *out, int64_t size, int64_t from,
                        int64_t to) {
  for (int64_t u = from; u < to; u++) {
    int64_t base = u / w->count * w->pre_step + w->place[u % w->count];
    if (!w->rest_place) {
      kiln__run_copy((char *)out + u * w->rest * size, size, (const char *)x + base * size, size,
                     w->rest, size);
      continue;
    }
    BY_SIZE(size, {
      const type *s = (const type *)x + base;
      type *d = (type *)out + u * w->rest;
      for (int64_t r = 0; r < w->rest; r++) d[r] = s[w->rest_place[r]];
    });
  }
}

static int32_t index_by(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0);
  choice w;
  int32_t status = choose("index", x, c->in + 1, &w);
  if (status < 0) return status;
  if (c->out[0]->numel > 0) {
    int64_t grain = KILN_GRAIN / 4 / (w.rest + 1) + 1, size = kiln__size_of(x->dtype);
    void *out = kiln__data(c->out[0]);
    const void *data = kiln__data(x);
    KILN_PARALLEL(w.pre * w.count, 1, grain, choose_part(&w, data, out, size, from, to));
  }
  kiln__scratch_free(0, w.place, w.bytes);
  return KILN_OK;
}

static void put_blocks(const blocks *p, int64_t size) {
  for (int64_t m = 0; m < p->count; m++) {
    BY_SIZE(size, {
      type *d = (type *)p->x + p->place[m];
      const type *s = (const type *)p->values + (p->one_value ? 0 : m * p->inner);
      for (int64_t b = 0; b < p->inner; b++) {
        d[p->inner_place ? p->inner_place[b] : b] = s[p->one_value ? 0 : b];
      }
    });
  }
}

/* in: x, value, indices.  value broadcasts to the shape that index() gives, which the shape rule
** has checked; its dims are rebuilt here from the output's by the same rule. */
static int32_t index_put(const kiln_call *c) {
  const kiln_tensor *y = c->out[0], *value = in(c, 1);
  choice w;
  int32_t status = choose("index_put", y, c->in + 2, &w);
  if (status < 0) return status;
  start_from_first(c);
  int64_t size = kiln__size_of(y->dtype), n = w.pre * w.count * w.rest;
  void *copy = NULL;
  const void *values = kiln__data(value);
  if (value->numel != 1 && value->numel != n) {
    /* Broadcast: the shape of the choice is what the stand-in needs. */
    kiln_storage storage = {.data = nothing};
    kiln_tensor like = {.dtype = KILN_UINT8, .storage = &storage, .numel = n};
    int32_t nd = 0, lead = -1, k = 0;
    kiln_storage unused;
    kiln_tensor shape = {.dtype = KILN_UINT8, .numel = 1};
    for (int32_t d = 0; d < y->ndim; d++) {
      if (d >= MAX_INDEX || !c->in[2 + d]) continue;
      if (lead < 0) lead = d;
      kiln_tensor merged = common_shape(&shape, c->in[2 + d], &unused);
      shape = merged;
    }
    bool in_front = w.rest_place != NULL;
    for (int32_t d = 0; d <= y->ndim; d++) {
      if (d == (in_front ? 0 : lead)) {
        for (k = 0; k < shape.ndim; k++) like.shape[nd++] = shape.shape[k];
      }
      if (d < y->ndim && (d >= MAX_INDEX || !c->in[2 + d])) like.shape[nd++] = y->shape[d];
    }
    like.ndim = (uint8_t)nd;
    int64_t step = 1;
    for (int32_t d = nd - 1; d >= 0; d--) {
      like.stride[d] = step;
      step *= like.shape[d];
    }
    values = flattened(value, &like, &copy);
  }
  if (values && n > 0) {
    for (int64_t p = 0; p < w.pre; p++) {
      bool one = value->numel == 1;
      blocks b = {.count = w.count, .inner = w.rest, .place = w.place, .inner_place = w.rest_place,
                  .x = (char *)kiln__data(y) + p * w.pre_step * size,
                  .values = (const char *)values + (one ? 0 : p * w.count * w.rest * size),
                  .one_value = one};
      if (c->attr[0].i) add_blocks[y->dtype](&b, 0, INT64_MAX);
      else put_blocks(&b, size);
    }
  }
  if (copy) kiln__scratch_free(0, copy, n * size);
  kiln__scratch_free(0, w.place, w.bytes);
  return values ? KILN_OK : KILN_ENOMEM;
}

/* x seen as one line; src has as many elements as index. */
static int32_t put(const kiln_call *c) {
  const kiln_tensor *y = c->out[0], *index = in(c, 1);
  int32_t status = check_positions("put", index, y->numel);
  if (status < 0) return status;
  start_from_first(c);
  if (index->numel == 0) return KILN_OK;
  int64_t bytes = index->numel * 8;
  int64_t *place = kiln__scratch(0, bytes);
  if (!place) return KILN_ENOMEM;
  for (int64_t i = 0; i < index->numel; i++) place[i] = positions(index)[i] - KILN_INDEX_BASE;
  blocks b = {.count = index->numel, .inner = 1, .place = place, .x = kiln__data(y),
              .values = kiln__data(in(c, 2)), .one_value = in(c, 2)->ndim == 0};
  if (c->attr[0].i) add_blocks[y->dtype](&b, 0, INT64_MAX);
  else put_blocks(&b, kiln__size_of(y->dtype));
  kiln__scratch_free(0, place, bytes);
  return KILN_OK;
}

/* -- Triangles and diagonals -------------------------------------------------------------------------- */

/* Keeps columns whose distance from the main diagonal is at most (upper: at least) k. */
static void triangle_part(const kiln_call *c, bool upper, int64_t from, int64_t to) {
  const kiln_tensor *x = in(c, 0);
  int64_t rows_ = x->shape[x->ndim - 2], cols = x->shape[x->ndim - 1], k = c->attr[0].i;
  int64_t size = kiln__size_of(x->dtype), line = cols * size;
  for (int64_t r = from; r < to; r++) {
    int64_t i = r % rows_, cut = upper ? i + k : i + k + 1;
    cut = cut < 0 ? 0 : cut > cols ? cols : cut;
    char *y = (char *)kiln__data(c->out[0]) + r * line;
    const char *s = (const char *)kiln__data(x) + r * line;
    int64_t a = upper ? cut : 0, b = upper ? cols : cut;
    if (y != s) memcpy(y + a * size, s + a * size, (size_t)((b - a) * size));
    memset(y, 0, (size_t)(a * size));
    memset(y + b * size, 0, (size_t)((cols - b) * size));
  }
}

static int32_t triangle(const kiln_call *c, bool upper) {
  const kiln_tensor *x = in(c, 0);
  if (x->numel == 0) return KILN_OK;
  int64_t cols = x->shape[x->ndim - 1];
  KILN_PARALLEL(x->numel / cols, 1, KILN_GRAIN / cols + 1, triangle_part(c, upper, from, to));
  return KILN_OK;
}
static int32_t tril(const kiln_call *c) { return triangle(c, false); }
static int32_t triu(const kiln_call *c) { return triangle(c, true); }

/* [..., n] to the k-th diagonals of [..., n + |k|, n + |k|]. */
static int32_t diag_embed(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  int64_t n = x->shape[x->ndim - 1], m = y->shape[y->ndim - 1], k = c->attr[0].i;
  int64_t size = kiln__size_of(x->dtype), start = k < 0 ? -k * m : k;
  memset(kiln__data(y), 0, (size_t)(y->numel * size));
  for (int64_t b = 0; n > 0 && b < x->numel / n; b++) {
    kiln__run_copy((char *)kiln__data(y) + (b * m * m + start) * size, (m + 1) * size,
                   (const char *)kiln__data(x) + b * n * size, size, n, size);
  }
  return KILN_OK;
}

/* -- Looking up values ---------------------------------------------------------------------------------- */

static int32_t searchsorted(const kiln_call *c) {
  const kiln_tensor *s = in(c, 0), *x = in(c, 1);
  sorted_lines p = {.sorted = kiln__data(s), .x = kiln__data(x), .out = kiln__data(c->out[0]),
                    .n = s->shape[s->ndim - 1], .width = x->ndim ? x->shape[x->ndim - 1] : 1,
                    .one_line = s->ndim == 1, .right = c->attr[0].i != 0};
  search_loop loop = search_loops[s->dtype];
  KILN_PARALLEL(x->numel, 8, KILN_GRAIN / 16, loop(&p, from, to));
  return KILN_OK;
}

/* attr: bins, min, max; min = max means the range of the data.  Values outside are not counted, the
** last bin holds max itself. */
static int32_t histc(const kiln_call *c) {
  enum { STEP = 512 };
  const kiln_tensor *x = in(c, 0);
  int64_t bins = c->attr[0].i, size = kiln__size_of(x->dtype);
  double low = c->attr[1].f, high = c->attr[2].f, v[STEP];
  const char *data = kiln__data(x);
  bool of_data = low == high;
  int64_t *count = kiln__scratch(0, bins * 8);
  if (!count) return KILN_ENOMEM;
  memset(count, 0, (size_t)bins * 8);
  for (int pass = of_data ? 0 : 1; pass < 2; pass++) {
    if (pass == 0) {
      low = INFINITY;
      high = -INFINITY;
    }
    for (int64_t i = 0; i < x->numel; i += STEP) {
      int64_t n = x->numel - i < STEP ? x->numel - i : STEP;
      kiln_convert(v, KILN_FLOAT64, data + i * size, x->dtype, n);
      for (int64_t k = 0; k < n; k++) {
        if (pass == 0) {
          if (v[k] < low) low = v[k];
          if (v[k] > high) high = v[k];
        } else if (v[k] >= low && v[k] <= high) {
          int64_t bin = (int64_t)((v[k] - low) / (high - low) * (double)bins);
          count[bin < bins ? bin : bins - 1]++;
        }
      }
    }
    if (pass > 0) break;
    if (x->numel > 0 && !(isfinite(low) && isfinite(high))) {
      kiln__scratch_free(0, count, bins * 8);
      return kiln_fail(KILN_EARG, "histc: the data has no finite range; give min and max");
    }
    if (low == high || x->numel == 0) {
      low = x->numel ? low - 1 : 0;
      high = x->numel ? high + 1 : 1;
    }
  }
  kiln_convert(kiln__data(c->out[0]), c->out[0]->dtype, count, KILN_INT64, bins);
  kiln__scratch_free(0, count, bins * 8);
  return KILN_OK;
}

/* -- Table ------------------------------------------------------------------------------------------------ */

static const kiln_entry entries[] = {
    {KILN_OP_WHERE, KILN_D_ALL, 0, where},
    {KILN_OP_GATHER, KILN_D_ALL, KILN_K_CONTIGUOUS, gather},
    {KILN_OP_SCATTER, KILN_D_ALL, KILN_K_CONTIGUOUS, scatter},
    {KILN_OP_SCATTER_ADD, KILN_D_ALL, KILN_K_CONTIGUOUS, scatter_add},
    {KILN_OP_TAKE, KILN_D_ALL, KILN_K_CONTIGUOUS, take},
    {KILN_OP_PUT, KILN_D_ALL, KILN_K_CONTIGUOUS, put},
    {KILN_OP_INDEX_SELECT, KILN_D_ALL, KILN_K_CONTIGUOUS, index_select},
    {KILN_OP_INDEX_ADD, KILN_D_ALL, KILN_K_CONTIGUOUS, index_add},
    {KILN_OP_INDEX_COPY, KILN_D_ALL, KILN_K_CONTIGUOUS, index_copy},
    {KILN_OP_INDEX_FILL, KILN_D_ALL, KILN_K_CONTIGUOUS, index_fill},
    {KILN_OP_EMBEDDING, KILN_D_ALL, KILN_K_CONTIGUOUS, embedding},
    {KILN_OP_EMBEDDING_DW, KILN_D_FLOAT, KILN_K_CONTIGUOUS, embedding_dw},
    {KILN_OP_SEGMENT_MAX, KILN_D_ALL, KILN_K_CONTIGUOUS, segment_max},
    {KILN_OP_MASKED_SELECT, KILN_D_ALL, KILN_K_CONTIGUOUS, masked_select},
    {KILN_OP_MASKED_SCATTER, KILN_D_ALL, KILN_K_CONTIGUOUS, masked_scatter},
    {KILN_OP_NONZERO, KILN_D_ALL, KILN_K_CONTIGUOUS, nonzero},
    {KILN_OP_INDEX, KILN_D_ALL, KILN_K_CONTIGUOUS, index_by},
    {KILN_OP_INDEX_PUT, KILN_D_ALL, KILN_K_CONTIGUOUS, index_put},
    {KILN_OP_TRIL, KILN_D_ALL, KILN_K_CONTIGUOUS, tril},
    {KILN_OP_TRIU, KILN_D_ALL, KILN_K_CONTIGUOUS, triu},
    {KILN_OP_DIAG_EMBED, KILN_D_ALL, KILN_K_CONTIGUOUS, diag_embed},
    {KILN_OP_SEARCHSORTED, KILN_D_REAL, KILN_K_CONTIGUOUS, searchsorted},
    {KILN_OP_HISTC, KILN_D_REAL, KILN_K_CONTIGUOUS, histc},
};

void FN(kiln__cpu_index)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_index)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, entries);
}
