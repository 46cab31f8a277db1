/* softmax.c: the kernels of softmax, log_softmax, logsumexp and their gradients. */
#include "cpu.h"
#include "stream.h"
#include "vecmath.h"

/* STRIP: columns worked on at a time.  ROOM: the longest row whose exps lie on the stack before
** they are streamed; LONG_ROOM: in scratch memory, beside the row in a core's own cache. */
enum { STRIP = 128, ROOM = 4096, LONG_ROOM = 128 << 10 };

typedef enum softmax_kind {
  SOFTMAX,
  LOG_SOFTMAX,
  LOGSUMEXP,
  SOFTMAX_DX,
  LOG_SOFTMAX_DX
} softmax_kind;

/* y from x [outer, n, inner]; a gradient's x is the output of the op. */
typedef struct softmax_job {
  softmax_kind kind;
  const void *x, *g;
  void *y;
  int64_t outer, n, inner;
  bool streamed; /* y is large, and written past the caches */
} softmax_job;

#define EACH_FLOATS_ONLY
#define EACH "softmax_each.h"
#include "each.h"

static void run(const softmax_job *j, int32_t dtype) {
  bool f64 = dtype == KILN_FLOAT64;
  int64_t grain = KILN_GRAIN / 4;
  if (j->inner == 1) {
    KILN_PARALLEL(j->outer, 1, grain / (j->n + 1) + 1, (f64 ? rows_f64 : rows_f32)(j, from, to));
  } else {
    int64_t strips = (j->inner + STRIP - 1) / STRIP;
    int64_t width = j->inner < STRIP ? j->inner : STRIP;
    KILN_PARALLEL(j->outer * strips, 1, grain / (j->n * width + 1) + 1,
                  (f64 ? strips_f64 : strips_f32)(j, from, to));
  }
}

/* Splits a shape around dims first..last (one dim to the row). */
static void split(softmax_job *j, const int64_t *shape, int32_t ndim, int32_t first, int32_t last) {
  j->outer = j->n = j->inner = 1;
  for (int32_t i = 0; i < ndim; i++) {
    *(i < first ? &j->outer : i > last ? &j->inner : &j->n) *= shape[i];
  }
}

static int32_t along(const kiln_call *c, softmax_kind kind) {
  const kiln_tensor *x = c->in[kind >= SOFTMAX_DX ? 1 : 0];
  softmax_job j = {
      .kind = kind, .x = kiln__data(x), .g = kiln__data(c->in[0]), .y = kiln__data(c->out[0])};
  int32_t dim = (int32_t)c->attr[0].i;
  split(&j, x->shape, x->ndim, dim, dim);
  j.streamed = x->numel * kiln__size_of(x->dtype) >= KILN_STREAM_BYTES;
  if (x->numel > 0)
    run(&j, x->dtype);
  return KILN_OK;
}

static int32_t softmax(const kiln_call *c) { return along(c, SOFTMAX); }
static int32_t log_softmax(const kiln_call *c) { return along(c, LOG_SOFTMAX); }
static int32_t softmax_dx(const kiln_call *c) { return along(c, SOFTMAX_DX); }
static int32_t log_softmax_dx(const kiln_call *c) { return along(c, LOG_SOFTMAX_DX); }

/* Dims that are neighbours go together; from the last to the first, each run of them is reduced to
** size 1 into scratch memory, the last one into the output. */
static int32_t logsumexp(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  int64_t shape[KILN_MAX_DIMS], size = kiln__size_of(x->dtype);
  uint32_t left = c->list[0].n <= 0 ? (1u << x->ndim) - 1 : 0;
  for (int32_t i = 0; i < c->list[0].n; i++)
    left |= 1u << c->list[0].v[i];
  left &= (1u << x->ndim) - 1;
  memcpy(shape, x->shape, sizeof shape);
  const void *from = kiln__data(x);
  void *held = NULL;
  int64_t held_bytes = 0;
  if (c->out[0]->numel == 0)
    return KILN_OK;
  do {
    int32_t last = left ? 31 - __builtin_clz(left) : -1, first = last;
    while (first > 0 && left >> (first - 1) & 1)
      first--;
    for (int32_t i = first; i <= last && i >= 0; i++)
      left &= ~(1u << i);
    softmax_job j = {.kind = LOGSUMEXP, .x = from, .y = kiln__data(c->out[0])};
    split(&j, shape, x->ndim, first, last);
    if (last < 0)
      j.outer *= j.inner, j.inner = 1; /* a 0-dim tensor */
    int64_t bytes = j.outer * j.inner * size;
    if (left && !(j.y = kiln__scratch(x->device, bytes))) {
      if (held)
        kiln__scratch_free(x->device, held, held_bytes);
      return KILN_ENOMEM;
    }
    run(&j, x->dtype);
    for (int32_t i = first; i <= last && i >= 0; i++)
      shape[i] = 1;
    if (held)
      kiln__scratch_free(x->device, held, held_bytes);
    held = left ? j.y : NULL;
    held_bytes = bytes;
    from = j.y;
  } while (left);
  return KILN_OK;
}

static const kiln_entry softmax_kernels[] = {
    {KILN_OP_SOFTMAX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, softmax},
    {KILN_OP_LOG_SOFTMAX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, log_softmax},
    {KILN_OP_LOGSUMEXP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, logsumexp},
    {KILN_OP_SOFTMAX_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, softmax_dx},
    {KILN_OP_LOG_SOFTMAX_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, log_softmax_dx},
};

void FN(kiln__cpu_softmax)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, softmax_kernels);
}
