/* scan.c: running sums, products and extremes along a dim, on the CPU.
** The order of additions depends on the length of a line alone, never on the number of threads.
*/
#include "cpu.h"
#include "stream.h"

/* Lines are outer * inner sequences of n elements, `inner` apart. */
typedef struct scan {
  const void *x, *g, *other; /* g, other: what gradients read besides */
  void *y;
  int64_t *where;
  int64_t lines, n, inner;
  bool reverse, smallest;
  kiln_stop *stop;
} scan;

/* Neighbouring lines scanned together; lines that run side by side; elements of a chunk of a long
** line. */
enum { BLOCK = 64, CHAINS = 8, CHUNK = 4096 };

/* Place of the first element that is scanned, and how far the next one is. */
static inline int64_t first_of(const scan *s, int64_t line, int64_t *step) {
  int64_t at = line / s->inner * s->n * s->inner + line % s->inner;
  *step = s->reverse ? -s->inner : s->inner;
  return s->reverse ? at + (s->n - 1) * s->inner : at;
}

static inline int64_t block_width(const scan *s, int64_t from, int64_t to) {
  int64_t width = s->inner - from % s->inner;
  if (width > to - from)
    width = to - from;
  return width < BLOCK ? width : BLOCK;
}

#define EACH "scan_each.h"
#define EACH_HALF
#include "each.h"

typedef void (*scan_loop)(const scan *s, int64_t from, int64_t to);
typedef int32_t (*long_loop)(const scan *s, int64_t line);

#define FLOATS(name) [KILN_FLOAT32] = name##_f32, [KILN_FLOAT64] = name##_f64
#define NUMBERS(name)                                                                              \
  FLOATS(name), [KILN_FLOAT16] = name##_f16, [KILN_BFLOAT16] = name##_bf16,                        \
                [KILN_INT8] = name##_i8, [KILN_UINT8] = name##_u8, [KILN_INT16] = name##_i16,      \
                [KILN_INT32] = name##_i32, [KILN_INT64] = name##_i64

static scan scan_of(const kiln_call *c, bool reverse) {
  const kiln_tensor *x = c->in[c->n_in > 1 ? 1 : 0]; /* gradients: (g, x, ...) */
  scan s = {.x = kiln__data(x),
            .y = kiln__data(c->out[0]),
            .n = 1,
            .inner = 1,
            .lines = 1,
            .reverse = reverse,
            .stop = &kiln__stop};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d == c->attr[0].i) {
      s.n = x->shape[d];
      continue;
    }
    s.lines *= x->shape[d];
    if (d > c->attr[0].i)
      s.inner *= x->shape[d];
  }
  return s;
}

static int32_t run(const scan *s, scan_loop loop, int64_t cost) {
  if (s->n == 0 || s->lines == 0)
    return KILN_OK;
  KILN_PARALLEL(s->lines, s->inner == 1 ? CHAINS : 1, KILN_GRAIN / cost / s->n + 1,
                loop(s, from, to));
  return KILN_OK;
}

static int32_t run_long(const scan *s, scan_loop loop, long_loop long_line) {
  if (s->inner > 1 || s->n < 2 * CHUNK)
    return run(s, loop, 1);
  int32_t status = KILN_OK;
  for (int64_t i = 0; i < s->lines && status == KILN_OK; i++)
    status = long_line(s, i);
  return status;
}

static int32_t cumsum(const kiln_call *c) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {NUMBERS(cumsum)};
  static const long_loop long_loops[KILN_DTYPE_COUNT] = {NUMBERS(cumsum_long)};
  scan s = scan_of(c, c->attr[1].i != 0);
  return run_long(&s, loops[c->in[0]->dtype], long_loops[c->in[0]->dtype]);
}

static int32_t cumprod(const kiln_call *c) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {NUMBERS(cumprod)};
  static const long_loop long_loops[KILN_DTYPE_COUNT] = {NUMBERS(cumprod_long)};
  scan s = scan_of(c, c->attr[1].i != 0);
  return run_long(&s, loops[c->in[0]->dtype], long_loops[c->in[0]->dtype]);
}

static int32_t logcumsumexp(const kiln_call *c) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {FLOATS(logcumsumexp)};
  scan s = scan_of(c, c->attr[1].i != 0);
  return run(&s, loops[c->in[0]->dtype], 16);
}

static int32_t cumextreme(const kiln_call *c, bool smallest) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {NUMBERS(cumextreme), [KILN_BOOL] =
                                                                             cumextreme_b8};
  scan s = scan_of(c, false);
  s.smallest = smallest;
  s.where = kiln__data(c->out[1]);
  return run(&s, loops[c->in[0]->dtype], 2);
}
static int32_t cummax(const kiln_call *c) { return cumextreme(c, false); }
static int32_t cummin(const kiln_call *c) { return cumextreme(c, true); }

/* in: g, x. */
static int32_t cumprod_dx(const kiln_call *c) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {FLOATS(cumprod_dx)};
  scan s = scan_of(c, c->attr[1].i != 0);
  s.g = kiln__data(c->in[0]);
  return run(&s, loops[c->in[0]->dtype], 4);
}

/* in: g, x, y. */
static int32_t logcumsumexp_slope(const kiln_call *c, const scan_loop *loops, bool reverse) {
  scan s = scan_of(c, reverse);
  s.g = kiln__data(c->in[0]);
  s.other = kiln__data(c->in[2]);
  return run(&s, loops[c->in[0]->dtype], 8);
}
static int32_t logcumsumexp_dx(const kiln_call *c) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {FLOATS(logcumsumexp_dx)};
  return logcumsumexp_slope(c, loops, c->attr[1].i == 0);
}
static int32_t logcumsumexp_jvp(const kiln_call *c) {
  static const scan_loop loops[KILN_DTYPE_COUNT] = {FLOATS(logcumsumexp_jvp)};
  return logcumsumexp_slope(c, loops, c->attr[1].i != 0);
}

static const kiln_entry entries[] = {
    {KILN_OP_CUMSUM, KILN_D_SUMS, KILN_K_CONTIGUOUS, cumsum},
    {KILN_OP_CUMPROD, KILN_D_SUMS, KILN_K_CONTIGUOUS, cumprod},
    {KILN_OP_CUMPROD_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, cumprod_dx},
    {KILN_OP_LOGCUMSUMEXP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, logcumsumexp},
    {KILN_OP_LOGCUMSUMEXP_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, logcumsumexp_dx},
    {KILN_OP_LOGCUMSUMEXP_JVP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, logcumsumexp_jvp},
    {KILN_OP_CUMMAX, KILN_D_ALL, KILN_K_CONTIGUOUS, cummax},
    {KILN_OP_CUMMIN, KILN_D_ALL, KILN_K_CONTIGUOUS, cummin},
};

void FN(kiln__cpu_scan)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_scan)(kiln_slot (*table)[KILN_DTYPE_COUNT]) { KILN_CPU_ENTRIES(table, entries); }
