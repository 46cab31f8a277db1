/* reduce.c: reductions over any dims of tensors with any strides.  This is the one driver: it cuts
** the work into pieces whose borders depend on shapes alone and joins their results in a fixed
** order, so that a result does not depend on the number of threads.  What is joined stands in
** fold.h (one element at a time), moments.h (variance) and extremes.h (positions).
*/
#include "cpu.h"
#include "fused.h"
#include "half.h"
#include "nd.h"
#include "vecmath.h"

/* One expression serves every type, unsigned ones included. */
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"

/* How one reduction of one type works on `n` accumulators at a time, one a column of the result.
** rows:   joins a block of x, in which the rows of a column or the columns of a row are contiguous;
**         `first` is the position of its first row in the reduced dims.
** finish: writes results to out[.][at + i * step]; count is the number of elements of each. */
typedef struct reducer {
  int32_t size; /* bytes of one accumulator */
  void (*start)(void *acc, int64_t n);
  void (*rows)(void *acc, const char *x, int64_t first, int64_t rows, int64_t row_step,
               int64_t columns, int64_t column_step, double p);
  void (*merge)(void *into, const void *from, int64_t n);
  void (*finish)(char *const *out, int64_t at, int64_t step, const void *acc, int64_t n,
                 int64_t count, double p);
} reducer;

enum {
  FOLD_LANES = 128, /* accumulators side by side for runs and narrow rows */
  COLUMNS = 1024,   /* columns of the result in one piece */
  ACCUMULATOR = 24, /* bytes of the largest accumulator */
  PACK = 4096,      /* elements that are brought together at a time where they are not contiguous */
  PIECE = KILN_MADE, /* elements joined in one accumulator before it is merged upward */
  CHUNK = 4 * PIECE, /* elements of a task where one result is shared among tasks */
  MOST_CHUNKS = 256,
};

/* A bool is reduced as the uint8 it is. */
#define EACH_NO_BOOL
#define EACH "fold.h"
#include "each.h"
#define EACH_FLOATS_ONLY
#define EACH "moments.h"
#include "each.h"
#define EACH_NO_BOOL
#define EACH "extremes.h"
#include "each.h"

/* -- The plan ---------------------------------------------------------------------------------- */

/* x as rows (reduced dims) times columns (kept dims), with the dims that step least innermost.
** Steps in bytes of x; out_step in elements of the result. */
typedef struct dim {
  int64_t size, step, out_step;
} dim;

typedef struct plan {
  const reducer *r;
  double p;
  const char *x;
  kiln_made made; /* where x comes from if it is not in memory: dense, reduced to one element */
  void *context;
  char *out[2];
  dim kept[KILN_MAX_DIMS], reduced[KILN_MAX_DIMS]; /* innermost last; at least one each */
  int32_t n_kept, n_reduced;
  int64_t count;         /* elements of each result */
  int64_t width, blocks; /* columns of a block; blocks of the innermost kept dim */
  int64_t jobs;          /* blocks in all */
  int64_t chunk, chunks; /* rows of a task, tasks of a job */
  int32_t dtype, size;   /* of x; the bytes of an element */
  int32_t read_as, item; /* what r reads, in parts that are widened; the bytes of an element */
  bool narrow;           /* the result is of half precision */
  bool packed;           /* blocks are brought together, and widened, in a buffer */
  char *partial;         /* [jobs][chunks][width] accumulators when chunks > 1 */
  kiln_stop *stop;
} plan;

static bool is_half(int32_t dtype) { return dtype == KILN_FLOAT16 || dtype == KILN_BFLOAT16; }

static int64_t distance(int64_t step) { return step < 0 ? -step : step; }

/* Merges neighbours that step as one; sorts by steps unless positions matter. */
static int32_t simplify(dim *d, int32_t n, bool sort) {
  for (int32_t i = 1; sort && i < n; i++) {
    for (int32_t j = i; j > 0 && distance(d[j - 1].step) < distance(d[j].step); j--) {
      dim t = d[j];
      d[j] = d[j - 1];
      d[j - 1] = t;
    }
  }
  int32_t last = 0;
  for (int32_t i = 1; i < n; i++) {
    dim *o = &d[last];
    if (o->step == d[i].step * d[i].size && o->out_step == d[i].out_step * d[i].size) {
      *o = (dim){o->size * d[i].size, d[i].step, d[i].out_step};
    } else {
      d[++last] = d[i];
    }
  }
  if (n == 0)
    d[0] = (dim){1, 0, 0};
  return n == 0 ? 1 : last + 1;
}

/* drop: bit d set for each dim of x that is reduced. */
static void make_plan(plan *w, const kiln_tensor *x, uint32_t drop, bool ordered) {
  int64_t size = kiln__size_of(x->dtype), out_step = 1;
  w->x = kiln__data(x);
  w->dtype = x->dtype;
  w->size = (int32_t)size;
  w->item = (int32_t)kiln__size_of(w->read_as);
  w->n_kept = w->n_reduced = 0;
  w->count = 1;
  for (int32_t d = x->ndim - 1; d >= 0; d--) {
    bool reduced = drop >> d & 1;
    if (reduced)
      w->count *= x->shape[d];
    if (x->shape[d] == 1)
      continue;
    if (reduced) {
      w->reduced[w->n_reduced++] = (dim){x->shape[d], x->stride[d] * size, 0};
    } else {
      w->kept[w->n_kept++] = (dim){x->shape[d], x->stride[d] * size, out_step};
      out_step *= x->shape[d];
    }
  }
  for (int32_t i = 0; i < w->n_kept / 2; i++) {
    dim t = w->kept[i];
    w->kept[i] = w->kept[w->n_kept - 1 - i];
    w->kept[w->n_kept - 1 - i] = t;
  }
  for (int32_t i = 0; i < w->n_reduced / 2; i++) {
    dim t = w->reduced[i];
    w->reduced[i] = w->reduced[w->n_reduced - 1 - i];
    w->reduced[w->n_reduced - 1 - i] = t;
  }
  w->n_kept = simplify(w->kept, w->n_kept, true);
  w->n_reduced = simplify(w->reduced, w->n_reduced, !ordered);

  const dim *columns = &w->kept[w->n_kept - 1], *rows = &w->reduced[w->n_reduced - 1];
  bool along_rows = distance(rows->step) < distance(columns->step);
  w->packed = w->read_as != x->dtype || (rows->step != size && columns->step != size);
  int64_t block = w->packed ? PACK : CHUNK;
  int64_t widest = along_rows ? block / (w->count > 0 ? w->count : 1) : COLUMNS;
  if (widest > COLUMNS)
    widest = COLUMNS;
  if (widest < 1)
    widest = 1;
  w->width = columns->size < widest ? columns->size : widest;
  w->blocks = (columns->size + w->width - 1) / w->width;
  w->jobs = w->blocks;
  for (int32_t i = 0; i < w->n_kept - 1; i++)
    w->jobs *= w->kept[i].size;
  w->chunk = w->count;
  if (w->jobs < 32) {
    int64_t least = (w->count + MOST_CHUNKS - 1) / MOST_CHUNKS;
    w->chunk = (CHUNK + w->width - 1) / w->width;
    if (w->chunk < least)
      w->chunk = least;
  }
  w->chunks = w->count > 0 ? (w->count + w->chunk - 1) / w->chunk : 1;
}

/* -- Running ----------------------------------------------------------------------------------- */

/* The case of pack_run for integers that are read as int64. */
#define WIDEN(DTYPE, type)                                                                         \
  case DTYPE:                                                                                      \
    for (int64_t i = 0; i < n && step == w->size; i++)                                             \
      ((int64_t *)dst)[i] = ((const type *)src)[i];                                                \
    for (int64_t i = 0; i < n && step != w->size; i++)                                             \
      ((int64_t *)dst)[i] = *(const type *)(src + i * step);                                       \
    return;

/* Copies a run to contiguous memory, as what the reducer reads. */
static void pack_run(const plan *w, char *dst, const char *src, int64_t step, int64_t n) {
  if (w->read_as == KILN_INT64 && w->dtype != KILN_INT64) {
    switch (w->dtype) {
      WIDEN(KILN_BOOL, uint8_t)
      WIDEN(KILN_UINT8, uint8_t)
      WIDEN(KILN_INT8, int8_t)
      WIDEN(KILN_INT16, int16_t)
      WIDEN(KILN_INT32, int32_t)
    }
  }
  if (w->dtype == KILN_FLOAT16 && step == w->size) {
    kiln__widen_f16((float *)dst, (const kiln_f16 *)src, n);
  } else if (w->dtype == KILN_FLOAT16) {
    for (int64_t i = 0; i < n; i++) {
      ((float *)dst)[i] = kiln__from_f16(*(const kiln_f16 *)(src + i * step));
    }
  } else if (w->dtype == KILN_BFLOAT16) {
    for (int64_t i = 0; i < n; i++) {
      ((float *)dst)[i] = kiln__from_bf16(*(const kiln_bf16 *)(src + i * step));
    }
  } else {
    kiln__run_copy(dst, w->size, src, step, n, w->size);
  }
}

/* Joins a block after packing it, along the shorter steps. */
static void join_packed(const plan *w, void *acc, const char *x, int64_t first, int64_t rows,
                        int64_t row_step, int64_t columns, int64_t column_step) {
  _Alignas(64) char buffer[PACK * 8];
  const int64_t size = w->item;
  if (distance(row_step) <= distance(column_step) || columns == 1) {
    for (int64_t c = 0; c < columns; c++) {
      pack_run(w, buffer + c * rows * size, x + c * column_step, row_step, rows);
    }
    w->r->rows(acc, buffer, first, rows, size, columns, rows * size, w->p);
  } else {
    for (int64_t r = 0; r < rows; r++) {
      pack_run(w, buffer + r * columns * size, x + r * row_step, column_step, columns);
    }
    w->r->rows(acc, buffer, first, rows, columns * size, columns, size, w->p);
  }
}

/* Rows that may be joined in one accumulator: more where fold.h uses several side by side. */
static int64_t piece_rows(const plan *w, int64_t row_step, int64_t columns, int64_t column_step) {
  if (w->packed)
    return PACK / columns;
  if (row_step == w->size)
    return PIECE;
  return columns <= FOLD_LANES / 2 && row_step == columns * column_step ? 2 * PIECE / columns
                                                                        : PIECE / 64;
}

/* Joins rows from to to - 1 of a block into acc: in runs of the innermost reduced dim, each result
** in pieces of bounded length that are merged on two levels above. */
static void join_rows(const plan *w, const char *x, int64_t from, int64_t to, int64_t columns,
                      int64_t column_step, char *acc) {
  enum { FAN = 64 }; /* pieces merged before they go a level up */
  _Alignas(64) char level[2][COLUMNS * ACCUMULATOR];
  const reducer *r = w->r;
  const dim *inner = &w->reduced[w->n_reduced - 1];
  const int64_t longest = piece_rows(w, inner->step, columns, column_step);
  const bool one_piece = to - from <= longest;
  int64_t in_piece = 0, pieces = 0;
  char *into = one_piece ? acc : level[0];
  r->start(acc, columns);
  if (!one_piece) {
    r->start(level[0], columns);
    r->start(level[1], columns);
  }
  while (from < to) {
    int64_t at = from, offset = 0;
    for (int32_t d = w->n_reduced - 1; d >= 0; d--) {
      offset += at % w->reduced[d].size * w->reduced[d].step;
      at /= w->reduced[d].size;
    }
    int64_t n = inner->size - from % inner->size;
    if (n > to - from)
      n = to - from;
    if (n > longest - in_piece)
      n = longest - in_piece;
    if (w->made) {
      r->rows(into, w->made(w->context, from, n), from, n, w->item, 1, n * w->item, w->p);
    } else if (w->packed) {
      join_packed(w, into, x + offset, from, n, inner->step, columns, column_step);
    } else {
      r->rows(into, x + offset, from, n, inner->step, columns, column_step, w->p);
    }
    from += n;
    in_piece += n;
    if (one_piece || (in_piece < longest && from < to))
      continue;
    if (kiln__stops(w->stop))
      return;
    r->merge(level[1], level[0], columns);
    r->start(level[0], columns);
    in_piece = 0;
    if (++pieces % FAN == 0 || from == to) {
      r->merge(acc, level[1], columns);
      r->start(level[1], columns);
    }
  }
}

static void finish_block(const plan *w, int64_t job, const char *acc) {
  const dim *inner = &w->kept[w->n_kept - 1];
  int64_t first = job % w->blocks * w->width, at = first * inner->out_step;
  job /= w->blocks;
  for (int32_t d = w->n_kept - 2; d >= 0; d--) {
    at += job % w->kept[d].size * w->kept[d].out_step;
    job /= w->kept[d].size;
  }
  int64_t n = inner->size - first < w->width ? inner->size - first : w->width;
  if (!w->narrow) {
    w->r->finish(w->out, at, inner->out_step, acc, n, w->count, w->p);
    return;
  }
  float value[COLUMNS];
  int64_t place[COLUMNS];
  w->r->finish((char *[]){(char *)value, (char *)place}, 0, 1, acc, n, w->count, w->p);
  for (int64_t i = 0; i < n; i++) {
    int64_t to = at + i * inner->out_step;
    if (w->dtype == KILN_FLOAT16)
      ((kiln_f16 *)w->out[0])[to] = kiln__to_f16(value[i]);
    else
      ((kiln_bf16 *)w->out[0])[to] = kiln__to_bf16(value[i]);
    if (w->out[1])
      ((int64_t *)w->out[1])[to] = place[i];
  }
}

/* Tasks are numbered job by job, chunks within. */
static void run_tasks(const plan *w, int64_t from, int64_t to) {
  _Alignas(64) char local[COLUMNS * ACCUMULATOR];
  const dim *inner = &w->kept[w->n_kept - 1];
  for (int64_t task = from; task < to && !kiln__stops(w->stop); task++) {
    int64_t job = task / w->chunks, chunk = task % w->chunks;
    int64_t first = job % w->blocks * w->width, rest = job / w->blocks;
    const char *x = w->x + first * inner->step;
    for (int32_t d = w->n_kept - 2; d >= 0; d--) {
      x += rest % w->kept[d].size * w->kept[d].step;
      rest /= w->kept[d].size;
    }
    int64_t columns = inner->size - first < w->width ? inner->size - first : w->width;
    int64_t begin = chunk * w->chunk,
            end = begin + w->chunk < w->count ? begin + w->chunk : w->count;
    char *acc = w->chunks > 1 ? w->partial + task * w->width * w->r->size : local;
    join_rows(w, x, begin, end, columns, inner->step, acc);
    if (w->chunks == 1)
      finish_block(w, job, acc);
  }
}

/* Joins the chunks of each job, neighbours first. */
static void merge_chunks(const plan *w) {
  int64_t bytes = w->width * w->r->size;
  for (int64_t job = 0; job < w->jobs; job++) {
    char *acc = w->partial + job * w->chunks * bytes;
    for (int64_t apart = 1; apart < w->chunks; apart *= 2) {
      for (int64_t i = 0; i + apart < w->chunks; i += 2 * apart) {
        w->r->merge(acc + i * bytes, acc + (i + apart) * bytes, w->width);
      }
    }
    finish_block(w, job, acc);
  }
}

static int32_t run_plan(plan *w) {
  int64_t tasks = w->jobs * w->chunks, bytes = tasks * w->width * w->r->size;
  w->partial = NULL;
  if (w->chunks > 1) {
    w->partial = kiln__scratch(0, bytes);
    if (!w->partial)
      return KILN_ENOMEM;
    /* A last, narrower block leaves its tail unused; merging must find something there. */
    for (int64_t t = 0; w->blocks > 1 && t < tasks; t++) {
      w->r->start(w->partial + t * w->width * w->r->size, w->width);
    }
  }
  int64_t each = w->width * w->chunk;
  w->stop = &kiln__stop;
  KILN_PARALLEL(tasks, 1, KILN_GRAIN / (each > 0 ? each : 1) + 1, run_tasks(w, from, to));
  if (w->chunks > 1) {
    if (!kiln__stops(w->stop))
      merge_chunks(w);
    kiln__scratch_free(0, w->partial, bytes);
  }
  return KILN_OK;
}

/* Integers without a reducer of their own are reduced as int64. */
static void choose(plan *w, const reducer *const *reducers, int32_t dtype) {
  w->read_as = is_half(dtype) ? KILN_FLOAT32 : reducers[dtype] ? dtype : KILN_INT64;
  w->r = reducers[w->read_as];
}

static int32_t run(const kiln_call *c, const reducer *const *reducers, uint32_t drop, bool ordered,
                   double p) {
  plan w;
  if (c->out[0]->numel == 0)
    return KILN_OK;
  choose(&w, reducers, c->in[0]->dtype);
  w.p = p;
  w.made = NULL;
  for (int32_t i = 0; i < 2; i++)
    w.out[i] = i < c->n_out ? kiln__data(c->out[i]) : NULL;
  w.narrow = is_half(c->out[0]->dtype);
  make_plan(&w, c->in[0], drop, ordered);
  return run_plan(&w);
}

/* -- Kernels -------------------------------------------------------------------------------------
 */

/* The reducer of a name for each dtype that has it. */
#define FLOATS(name)                                                                               \
  [KILN_FLOAT32] = &name##_f32, [KILN_FLOAT64] = &name##_f64, [KILN_FLOAT16] = &name##_f32,        \
  [KILN_BFLOAT16] = &name##_f32
#define INTEGERS(name)                                                                             \
  [KILN_INT8] = &name##_i8, [KILN_UINT8] = &name##_u8, [KILN_INT16] = &name##_i16,                 \
  [KILN_INT32] = &name##_i32, [KILN_INT64] = &name##_i64
#define EVERY(name) FLOATS(name), INTEGERS(name), [KILN_BOOL] = &name##_u8

/* Rows with (x, dims: axes, keepdim). */
static uint32_t dropped(const kiln_call *c) {
  uint32_t drop = c->list[0].n > 0 ? 0 : ~0u;
  for (int32_t i = 0; i < c->list[0].n; i++)
    drop |= 1u << c->list[0].v[i];
  return drop;
}

#define REDUCE(name, ...)                                                                          \
  static int32_t name(const kiln_call *c) {                                                        \
    static const reducer *const reducers[KILN_DTYPE_COUNT] = {__VA_ARGS__};                        \
    return run(c, reducers, dropped(c), false, 0);                                                 \
  }
REDUCE(sum, FLOATS(sum), [KILN_INT64] = &sum_i64)
REDUCE(mean, FLOATS(mean))
REDUCE(prod, FLOATS(prod), [KILN_INT64] = &prod_i64)
REDUCE(amax, EVERY(amax))
REDUCE(amin, EVERY(amin))
REDUCE(all, EVERY(all))
REDUCE(any, EVERY(any))
REDUCE(count_nonzero, EVERY(count_nonzero))

int32_t FN(kiln__cpu_reduce_made)(int32_t op, int32_t dtype, int64_t n, kiln_made made,
                                  void *context, kiln_tensor *out) {
  static const reducer *const reducers[][KILN_DTYPE_COUNT] = {{FLOATS(sum)}, {FLOATS(mean)}};
  kiln_storage nowhere = {0};
  kiln_tensor x = {.dtype = (uint8_t)dtype, .ndim = 1, .shape = {n}, .stride = {1}, .numel = n};
  plan w;
  x.storage = &nowhere;
  choose(&w, reducers[op == KILN_OP_MEAN], dtype);
  w.p = 0;
  w.made = made;
  w.context = context;
  w.out[0] = kiln__data(out);
  w.out[1] = NULL;
  w.narrow = is_half(dtype);
  make_plan(&w, &x, ~0u, false);
  return run_plan(&w);
}

/* norm(x, p, dims, keepdim) */
static int32_t norm(const kiln_call *c) {
  static const reducer *const reducers[][KILN_DTYPE_COUNT] = {
      {FLOATS(norm_p)}, {FLOATS(norm0)},    {FLOATS(norm1)},
      {FLOATS(norm2)},  {FLOATS(norm_max)}, {FLOATS(norm_min)},
  };
  const double p = c->attr[0].f;
  int which = p == 0 ? 1 : p == 1 ? 2 : p == 2 ? 3 : p == INFINITY ? 4 : p == -INFINITY ? 5 : 0;
  return run(c, reducers[which], dropped(c), false, p);
}

/* var and std (x, dims, unbiased, keepdim, correction) */
static double correction_of(const kiln_call *c) {
  return isnan(c->attr[2].f) ? (double)(c->attr[0].i != 0) : c->attr[2].f;
}

static int32_t var(const kiln_call *c) {
  static const reducer *const reducers[KILN_DTYPE_COUNT] = {FLOATS(var)};
  return run(c, reducers, dropped(c), false, correction_of(c));
}

static int32_t std(const kiln_call *c) {
  static const reducer *const reducers[KILN_DTYPE_COUNT] = {FLOATS(std)};
  return run(c, reducers, dropped(c), false, correction_of(c));
}

/* (x, dim, keepdim): positions are counted in the order of x's dims. */
#define ALONG(name)                                                                                \
  static int32_t name(const kiln_call *c) {                                                        \
    static const reducer *const reducers[KILN_DTYPE_COUNT] = {EVERY(name)};                        \
    int64_t axis = c->attr[0].i;                                                                   \
    return run(c, reducers, axis == KILN_NONE ? ~0u : 1u << axis, true, 0);                        \
  }
ALONG(argmax)
ALONG(argmin)
ALONG(max_along)
ALONG(min_along)

/* sum_to(x, size): dims that x has in front, and those where size has 1, go away. */
static int32_t sum_to(const kiln_call *c) {
  static const reducer *const reducers[KILN_DTYPE_COUNT] = {
      FLOATS(sum), INTEGERS(sum_to), [KILN_BOOL] = &any_u8};
  const kiln_tensor *x = c->in[0], *out = c->out[0];
  int32_t lead = x->ndim - out->ndim;
  uint32_t drop = 0;
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d < lead || (out->shape[d - lead] == 1 && x->shape[d] != 1))
      drop |= 1u << d;
  }
  return run(c, reducers, drop, false, 0);
}

static const kiln_entry reduce_kernels[] = {
    {KILN_OP_SUM, KILN_D_SUMS, KILN_K_WIDENS, sum},
    {KILN_OP_MEAN, KILN_D_FLOAT | KILN_D_HALF, 0, mean},
    {KILN_OP_PROD, KILN_D_SUMS, KILN_K_WIDENS, prod},
    {KILN_OP_AMAX, KILN_D_ALL, 0, amax},
    {KILN_OP_AMIN, KILN_D_ALL, 0, amin},
    {KILN_OP_ALL, KILN_D_ALL, 0, all},
    {KILN_OP_ANY, KILN_D_ALL, 0, any},
    {KILN_OP_COUNT_NONZERO, KILN_D_ALL, 0, count_nonzero},
    {KILN_OP_NORM, KILN_D_FLOAT | KILN_D_HALF, 0, norm},
    {KILN_OP_VAR, KILN_D_FLOAT | KILN_D_HALF, 0, var},
    {KILN_OP_STD, KILN_D_FLOAT | KILN_D_HALF, 0, std},
    {KILN_OP_ARGMAX, KILN_D_ALL, 0, argmax},
    {KILN_OP_ARGMIN, KILN_D_ALL, 0, argmin},
    {KILN_OP_MAX_ALONG, KILN_D_ALL, 0, max_along},
    {KILN_OP_MIN_ALONG, KILN_D_ALL, 0, min_along},
    {KILN_OP_SUM_TO, KILN_D_ALL, 0, sum_to},
};

void FN(kiln__cpu_reduce)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_reduce)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, reduce_kernels);
}
