/* elementwise.c: every pointwise op.  One loop an op and type, over contiguous memory
** (pointwise.h); here is the one driver that brings operands of any strides, broadcast, scalar or
** half precision into that form, block by block on the stack.  It refuses to know what the ops
** compute.
*/
#include "cpu.h"
#include "fused.h"
#include "nd.h"
#include "stream.h"
#include "transpose.h"
#include "vecmath.h"

/* One expression serves every type: x < 0 of an unsigned one, x != x of an integer are meant. */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"

enum {
  LANES = 16,   /* of the widest vector of the smallest floating type, 64 bytes of it */
  AHEAD = 2048, /* bytes before they are needed, inputs of a streaming loop are asked for */
  FETCH_BYTES = 128 << 10, /* outputs from here on are not in the first caches */
};

/* Runs a loop whose n must be a multiple of LANES: the last elements are brought to that. */
static void in_whole_vectors(kiln_loop run, int64_t n, char *const *p, const kiln_attr *par,
                             int32_t inputs, int64_t size, int64_t out_size) {
  const int64_t whole = n / LANES * LANES, rest = n - whole;
  _Alignas(64) char tail[5][LANES * 8];
  char *q[5] = {tail[0], tail[1], tail[2], tail[3], tail[4]};
  if (whole > 0)
    run(whole, p, par);
  if (rest == 0)
    return;
  for (int32_t k = 1; k <= inputs; k++) {
    const char *last = p[k] + whole * size;
    memcpy(q[k], last, (size_t)(rest * size));
    for (int64_t i = rest; i < LANES; i++)
      memcpy(q[k] + i * size, last, (size_t)size);
  }
  run(LANES, q, par);
  memcpy(p[0] + whole * out_size, q[0], (size_t)(rest * out_size));
}

/* A loop over whole lines of 64 bytes, LANES floats, of an aligned output.  step[k]: bytes between
** the lines of operand k, 64, or 0 where one stands for all. */
typedef void line_loop(int64_t n, char *const *p, const int64_t *step, const kiln_attr *par);

/* Runs `lines` on what is whole lines of the output of n elements, and `loop` on the rest. */
static void in_lines(line_loop *lines, kiln_loop loop, int64_t n, char *const *p,
                     const int64_t *step, const kiln_attr *par, int32_t operands) {
  const int64_t size = (int64_t)sizeof(float), odd = (int64_t)(-(uintptr_t)p[0] & 63) / size;
  const int64_t head = odd < n ? odd : n, whole = (n - head) / LANES * LANES;
  const int64_t count[3] = {head, whole, n - head - whole};
  char *q[5];
  memcpy(q, p, (size_t)operands * sizeof *q);
  for (int32_t part = 0; part < 3; part++) {
    if (count[part] > 0 && part == 1)
      lines(count[part], q, step, par);
    else if (count[part] > 0)
      loop(count[part], q, par);
    for (int32_t k = 0; k < operands; k++)
      q[k] += step[k] > 0 ? count[part] * size : 0;
  }
}

#define KILN_PASS_LOOPS
#define EACH "pointwise.h"
#include "each.h"
#undef KILN_PASS_LOOPS

static const kiln_loop loops[KILN_OP_COUNT][KILN_DTYPE_COUNT] = {
#define EACH "pointwise.h"
#include "each.h"
};

#define T float
#define TN f32
#include "lines.h"
#define KILN_LINES_TABLE
static line_loop *const lines[KILN_OP_COUNT] = {
#include "lines.h"
};
#undef KILN_LINES_TABLE
#undef T
#undef TN

/* -- Blocks -------------------------------------------------------------------------------------
 */

enum {
  BLOCK = 1024,       /* elements that go through the stack at a time: a few KiB, they stay in L1 */
  LONG_ROW = 64,      /* shorter rows are gathered, several to a block */
  PLANE_ROWS = 16,    /* of a block that is turned over, where an operand asks for it */
  PLANE_WIDTH = 1024, /* bytes of a row of it */
  OPERANDS = 5,
};

typedef struct pointwise_call {
  kiln_loop loop;
  line_loop *lines; /* streams by itself, where the row and the type have such a loop */
  const kiln_attr *par;
  kiln_nd it;
  int8_t half[OPERANDS];    /* 0, or the kiln_dtype to convert from (inputs) or to (the output) */
  int8_t size[OPERANDS];    /* of an element in memory */
  bool constant[OPERANDS];  /* the same element everywhere */
  bool linear[OPERANDS];    /* contiguous in walking order */
  int16_t period[OPERANDS]; /* 1..BLOCK: repeats after so many elements of walking order; or 0 */
  bool buffered;            /* some operand goes through the stack */
  bool streamed;            /* the output is large, and written past the caches */
  bool fetched;             /* it is smaller, but larger than the first cache */
  int8_t plane[OPERANDS];   /* the operand is contiguous along this dim, not the last one; or -1 */
  int32_t rows;             /* a dim in which some operand is */
  bool wide;                /* some element has 8 bytes */
} pointwise_call;

static void widen(float *dst, const void *src, int32_t dtype, int64_t n) {
  if (dtype == KILN_FLOAT16)
    kiln__widen_f16(dst, src, n);
  else
    kiln__widen_bf16(dst, src, n);
}

static void narrow(void *dst, int32_t dtype, const float *src, int64_t n) {
  if (dtype == KILN_FLOAT16)
    kiln__narrow_f16(dst, src, n);
  else
    kiln__narrow_bf16(dst, src, n);
}

/* Fills a buffer with n copies of one element, as the loop wants it. */
static void spread(const pointwise_call *w, int32_t k, const char *p, int64_t n, char *buffer) {
  if (w->half[k]) {
    float v;
    widen(&v, p, w->half[k], 1);
    kiln__run_copy(buffer, sizeof v, (const char *)&v, 0, n, sizeof v);
  } else {
    kiln__run_copy(buffer, w->size[k], p, 0, n, w->size[k]);
  }
}

/* Asks for the n elements behind the first n of each operand, which are likely to come next: the
** processor foresees reads within a page, and no writes. */
static void fetch_next(const pointwise_call *w, int64_t n, char *const *p) {
  for (int32_t k = 0; k < w->it.operands; k++) {
    const int64_t bytes = n * w->size[k];
    for (int64_t i = bytes; i < 2 * bytes; i += 64) {
      if (k == 0)
        __builtin_prefetch(p[k] + i, 1);
      else
        __builtin_prefetch(p[k] + i);
    }
  }
}

/* Runs the loop over n elements; all operands contiguous, but in the bits of `fixed`: where the
** output goes by lines, of these there is one line. */
static void run_loop(const pointwise_call *w, int64_t n, char *const *p, uint32_t fixed) {
  char *q[OPERANDS];
  if (w->streamed && w->lines) {
    int64_t step[OPERANDS];
    for (int32_t k = 0; k < w->it.operands; k++)
      step[k] = fixed >> k & 1 ? 0 : 64;
    in_lines(w->lines, w->loop, n, p, step, w->par, w->it.operands);
    return;
  }
  if (!w->fetched) {
    w->loop(n, p, w->par);
    return;
  }
  for (int64_t at = 0; at < n; at += BLOCK) {
    const int64_t m = n - at < BLOCK ? n - at : BLOCK;
    for (int32_t k = 0; k < w->it.operands; k++)
      q[k] = p[k] + at * w->size[k];
    fetch_next(w, m, q);
    w->loop(m, q, w->par);
  }
}

/* Runs the loop over n <= BLOCK elements; p[k] with step[k] bytes between elements. */
static void run_row(const pointwise_call *w, int64_t n, char *const *p, const int64_t *step,
                    char (*buffer)[BLOCK * 8]) {
  _Alignas(64) char raw[BLOCK * 2];
  char *q[OPERANDS];
  uint32_t fixed = 0;
  for (int32_t k = 1; k < w->it.operands; k++) {
    q[k] = buffer[k];
    if (w->constant[k] || step[k] == 0)
      fixed |= 1u << k;
    if (w->constant[k])
      continue; /* filled before */
    if (step[k] == 0) {
      spread(w, k, p[k], w->streamed && w->lines && n > LANES ? LANES : n, buffer[k]);
    } else if (w->half[k]) {
      const char *h = p[k];
      if (step[k] != w->size[k]) {
        kiln__run_copy(raw, w->size[k], h, step[k], n, w->size[k]);
        h = raw;
      }
      widen((float *)buffer[k], h, w->half[k], n);
    } else if (step[k] != w->size[k]) {
      kiln__run_copy(buffer[k], w->size[k], p[k], step[k], n, w->size[k]);
    } else {
      q[k] = p[k];
    }
  }
  bool direct = step[0] == w->size[0] && !w->half[0];
  q[0] = direct && (!w->streamed || w->lines) ? p[0] : buffer[0];
  run_loop(w, n, q, fixed);
  if (direct) {
    if (w->streamed && !w->lines)
      kiln__stream(p[0], buffer[0], n * w->size[0]);
    return;
  }
  const char *result = buffer[0];
  if (w->half[0]) {
    char *h = step[0] == w->size[0] ? p[0] : raw;
    narrow(h, w->half[0], (const float *)buffer[0], n);
    if (h == p[0])
      return;
    result = raw;
  }
  kiln__run_copy(p[0], step[0], result, w->size[0], n, w->size[0]);
}

/* -- Walking ------------------------------------------------------------------------------------
 */

/* Long rows: each is cut into pieces, operands are used in place where they are contiguous. */
static void run_rows(const pointwise_call *w, int64_t from, int64_t to, char (*buffer)[BLOCK * 8]) {
  const kiln_nd *it = &w->it;
  int32_t last = it->ndim - 1;
  int64_t at[KILN_MAX_DIMS], step[OPERANDS];
  char *p[OPERANDS];
  for (int32_t k = 0; k < it->operands; k++)
    step[k] = it->stride[k][last];
  kiln__nd_seek(it, from, at);
  while (from < to) {
    int64_t n = it->shape[last] - at[last];
    if (n > to - from)
      n = to - from;
    for (int32_t k = 0; k < it->operands; k++)
      p[k] = kiln__nd_at(it, k, at);
    from += n;
    if (!w->buffered) {
      run_loop(w, n, p, 0);
    } else {
      for (int64_t m; n > 0; n -= m) {
        m = n < BLOCK ? n : BLOCK;
        run_row(w, m, p, step, buffer);
        for (int32_t k = 0; k < it->operands; k++)
          p[k] += m * step[k];
      }
    }
    kiln__nd_next_row(it, at);
  }
}

/* Short rows: blocks in walking order; what is not contiguous in that order is gathered, once for
** all blocks where it repeats itself. */
static void run_blocks(const pointwise_call *w, int64_t from, int64_t to,
                       char (*buffer)[BLOCK * 8]) {
  const kiln_nd *it = &w->it;
  _Alignas(64) char gathered[OPERANDS][2 * BLOCK * 8];
  char *p[OPERANDS];
  int64_t step[OPERANDS];
  for (int32_t k = 0; k < it->operands; k++) {
    step[k] = w->size[k];
    if (k > 0 && w->period[k]) {
      int64_t n = it->numel < BLOCK + w->period[k] ? it->numel : BLOCK + w->period[k];
      kiln__nd_gather(it, k, 0, n, gathered[k], w->size[k]);
    }
  }
  for (int64_t n; from < to; from += n) {
    n = to - from < BLOCK ? to - from : BLOCK;
    for (int32_t k = 0; k < it->operands; k++) {
      p[k] = gathered[k];
      if (w->linear[k])
        p[k] = it->data[k] + from * w->size[k];
      else if (k == 0 || w->constant[k])
        continue;
      else if (w->period[k])
        p[k] += from % w->period[k] * w->size[k];
      else
        kiln__nd_gather(it, k, from, n, gathered[k], w->size[k]);
    }
    run_row(w, n, p, step, buffer);
    if (!w->linear[0])
      kiln__nd_scatter(it, 0, from, n, gathered[0], w->size[0]);
  }
}

/* Planes of w->rows and the last dim, in blocks: what lies along the rows is turned over first, so
** that whole lines are read.  Strips of PLANE_ROWS rows, from to to - 1, counted over all outer
*dims. */
static void run_strips(const pointwise_call *w, int64_t from, int64_t to) {
  _Alignas(64) char buffer[OPERANDS][BLOCK * 8], turned[OPERANDS][PLANE_ROWS * PLANE_WIDTH];
  const int32_t last = w->it.ndim - 1;
  const int64_t rows = w->it.shape[w->rows], columns = w->it.shape[last];
  const int64_t strips = (rows + PLANE_ROWS - 1) / PLANE_ROWS;
  const int64_t widest = PLANE_WIDTH / 8 * (w->wide ? 1 : 2);
  kiln_nd outer = w->it;
  int64_t at[KILN_MAX_DIMS], step[OPERANDS];
  outer.ndim = last;
  outer.shape[w->rows] = 1;
  for (int32_t k = 0; k < outer.operands; k++) {
    step[k] = w->plane[k] >= 0 ? w->size[k] : w->it.stride[k][last];
    if (k > 0 && w->constant[k])
      spread(w, k, outer.data[k], widest, buffer[k]);
  }
  for (int64_t s = from; s < to; s++) {
    const int64_t first = s % strips * PLANE_ROWS;
    const int64_t height = rows - first < PLANE_ROWS ? rows - first : PLANE_ROWS;
    kiln__nd_seek(&outer, s / strips, at);
    for (int64_t j = 0; j < columns; j += widest) {
      const int64_t width = columns - j < widest ? columns - j : widest;
      char *base[OPERANDS], *p[OPERANDS];
      int64_t row_step[OPERANDS];
      for (int32_t k = 0; k < outer.operands; k++) {
        row_step[k] = outer.stride[k][w->rows];
        base[k] = kiln__nd_at(&outer, k, at) + first * row_step[k] + j * w->it.stride[k][last];
        if (w->plane[k] < 0)
          continue;
        transpose_of(w->size[k])(turned[k], PLANE_WIDTH, base[k], w->it.stride[k][last], height,
                                 width);
        base[k] = turned[k];
        row_step[k] = PLANE_WIDTH;
      }
      for (int64_t i = 0; i < height; i++) {
        for (int32_t k = 0; k < outer.operands; k++)
          p[k] = base[k] + i * row_step[k];
        run_row(w, width, p, step, buffer);
      }
    }
  }
  if (w->streamed)
    kiln__stream_end();
}

/* Whether an operand lies along another dim than the others: then fills in plane and rows.  Several
** such dims are one too many. */
static bool find_planes(pointwise_call *w) {
  const kiln_nd *it = &w->it;
  const int32_t last = it->ndim - 1;
  w->rows = -1;
  w->wide = false;
  for (int32_t k = 0; k < it->operands; k++) {
    w->plane[k] = -1;
    w->wide |= w->size[k] == 8;
    const int64_t step = it->stride[k][last];
    if (k == 0 || step == w->size[k] || step == 0)
      continue;
    for (int32_t d = 0; d < last; d++) {
      if (it->stride[k][d] == w->size[k] && it->shape[d] >= 8)
        w->plane[k] = (int8_t)d;
    }
    if (w->plane[k] < 0 || (w->rows >= 0 && w->rows != w->plane[k]))
      return false;
    w->rows = w->plane[k];
  }
  return w->rows >= 0 && it->shape[last] >= 8 && it->stride[0][last] == w->size[0];
}

static void run_part(const pointwise_call *w, int64_t from, int64_t to) {
  _Alignas(64) char buffer[OPERANDS][BLOCK * 8];
  const kiln_nd *it = &w->it;
  for (int32_t k = 1; k < it->operands; k++) {
    if (w->constant[k]) {
      spread(w, k, it->data[k], to - from < BLOCK ? to - from : BLOCK, buffer[k]);
    }
  }
  if (it->ndim == 1 || it->shape[it->ndim - 1] >= LONG_ROW) {
    run_rows(w, from, to, buffer);
  } else {
    run_blocks(w, from, to, buffer);
  }
  if (w->streamed)
    kiln__stream_end();
}

/* After how many elements the operand repeats itself: it is constant along all dims outside some.
 */
static int16_t period_of(const kiln_nd *it, int32_t k) {
  int64_t period = 1;
  int32_t outer = it->ndim - 1;
  for (int32_t d = 0; d < it->ndim; d++) {
    if (it->stride[k][d] != 0) {
      outer = d - 1;
      break;
    }
  }
  for (int32_t d = outer + 1; d < it->ndim; d++) {
    period *= it->shape[d];
    if (period > BLOCK)
      return 0;
  }
  return outer < 0 ? 0 : (int16_t)period;
}

/* -- The kernel ---------------------------------------------------------------------------------
 */

static bool same_dense(const kiln_tensor *x, const kiln_tensor *out) {
  return x->numel == out->numel && kiln__is_contiguous(x);
}

int32_t FN(kiln__cpu_power)(int32_t dtype, const kiln_tensor *exponent) {
  double v;
  if (exponent->numel != 1 || (dtype != KILN_FLOAT32 && dtype != KILN_FLOAT64))
    return KILN_OP_POW;
  kiln_convert(&v, KILN_FLOAT64, kiln__data(exponent), exponent->dtype, 1);
  bool number = exponent->flags & KILN_T_NUMBER; /* of -infinity the root is none, the power is */
  return v == 2               ? KILN_OP_SQUARE
         : v == 0.5 && number ? KILN_OP_SQRT
         : v == -1.0          ? KILN_OP_RECIPROCAL
                              : KILN_OP_POW;
}

kiln_loop FN(kiln__cpu_loop)(int32_t op, int32_t dtype) { return loops[op][dtype]; }

static int32_t pointwise(const kiln_call *c) {
  kiln_tensor *out = c->out[0];
  const int64_t n = out->numel;
  if (n == 0)
    return KILN_OK;

  int32_t op = c->op, inputs = c->n_in;
  if (op == KILN_OP_POW) {
    op = FN(kiln__cpu_power)(c->in[0]->dtype, c->in[1]);
    inputs = op == c->op ? inputs : 1;
  } else if (op == KILN_OP_POW_DX &&
             FN(kiln__cpu_power)(c->in[0]->dtype, c->in[2]) == KILN_OP_SQUARE) {
    op = KILN_OP_SQUARE_DX;
    inputs = 2;
  }
  bool half = false; /* beside which a number may stand as a float */
  for (int32_t k = 0; k < inputs; k++)
    half |= c->in[k]->dtype == KILN_FLOAT16 || c->in[k]->dtype == KILN_BFLOAT16;
  const int32_t dtype = half ? KILN_FLOAT32 : c->in[0]->dtype;
  pointwise_call w;
  w.loop = loops[op][dtype];
  w.lines = dtype == KILN_FLOAT32 && !half ? lines[op] : NULL;
  w.par = c->attr;

  bool dense = kiln__is_contiguous(out), flat = dense && !half;
  for (int32_t k = 0; k < inputs && flat; k++)
    flat = same_dense(c->in[k], out);
  if (flat) {
    char *p[OPERANDS] = {kiln__data(out)};
    for (int32_t k = 0; k < inputs; k++)
      p[k + 1] = kiln__data(c->in[k]);
    if (n < 2 * KILN_GRAIN) {
      w.loop(n, p, w.par);
      return KILN_OK;
    }
  }

  kiln_nd *it = &w.it;
  it->operands = 0;
  kiln__nd_add(it, out);
  for (int32_t k = 0; k < inputs; k++)
    kiln__nd_add(it, c->in[k]);
  kiln__nd_simplify(it);
  w.buffered = false;
  w.streamed = dense && n * kiln__size_of(out->dtype) >= KILN_STREAM_BYTES;
  w.fetched = dense && !w.streamed && n * kiln__size_of(out->dtype) >= FETCH_BYTES;
  for (int32_t k = 0; k < it->operands; k++) {
    const kiln_tensor *x = k == 0 ? out : c->in[k - 1];
    w.half[k] = x->dtype == KILN_FLOAT16 || x->dtype == KILN_BFLOAT16 ? (int8_t)x->dtype : 0;
    w.size[k] = (int8_t)kiln__size_of(x->dtype);
    w.constant[k] = k > 0 && x->numel == 1;
    w.linear[k] = kiln__nd_is_linear(it, k, w.size[k]);
    w.period[k] = period_of(it, k);
    if (k > 0 && it->data[k] == it->data[0])
      w.streamed = w.fetched = false; /* in place: it is in the cache */
    if (w.half[k] || it->stride[k][it->ndim - 1] != w.size[k])
      w.buffered = true;
  }
  if (w.streamed && !w.lines)
    w.buffered = true;
  if (n >= BLOCK && find_planes(&w)) {
    const int64_t rows = it->shape[w.rows], columns = it->shape[it->ndim - 1];
    const int64_t strips = n / (rows * columns) * ((rows + PLANE_ROWS - 1) / PLANE_ROWS);
    KILN_PARALLEL(strips, 1, KILN_GRAIN / (PLANE_ROWS * columns) + 1, run_strips(&w, from, to));
    return KILN_OK;
  }
  KILN_PARALLEL(n, BLOCK, KILN_GRAIN, run_part(&w, from, to));
  return KILN_OK;
}

/* The types that a row has loops for; the halves wherever it has one for float. */
#define FLOAT_TYPES (KILN_D_FLOAT | KILN_D_HALF)
#define INT_TYPES KILN_D_INT
#define WHOLE_TYPES (KILN_D_INT | KILN_D_BOOL)
#define REAL_TYPES (KILN_D_REAL | KILN_D_HALF)
#define ALL_TYPES KILN_D_ALL
#define ENTRY(E, TYPES) {KILN_OP_##E, TYPES##_TYPES, KILN_K_STRIDED_OUT, pointwise},
#define KILN_PW1(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)
#define KILN_PW2(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)
#define KILN_PW3(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)
#define KILN_PW4(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)

static const kiln_entry elementwise_kernels[] = {
#include "kiln_pointwise.h"
};

void FN(kiln__cpu_elementwise)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_elementwise)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, elementwise_kernels);
}
