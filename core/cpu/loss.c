/* loss.c: the kernels of losses over classes.  Targets are checked before anything is computed. */
#include "cpu.h"
#include "vecmath.h"

#include <stdio.h>

enum { SMOOTHING, IGNORE, REDUCTION }; /* attributes */
enum { MEAN, SUM, NONE };              /* reductions */
enum {
  PRECISE = 64
}; /* a larger logsumexp is too coarse for a gradient: it is taken apart again */

typedef struct loss_job {
  const void *x, *g, *weight; /* weight in the dtype of x, or NULL */
  const int64_t *target;
  void *y, *rows, *logsumexp; /* rows: a loss each */
  bool *is_target;            /* multilabel: [rows, classes] */
  int64_t classes, inner, ignore;
  int32_t reduction;
  double smoothing, total; /* total: the weights of all targets */
} loss_job;

#define EACH_FLOATS_ONLY
#define EACH "loss_each.h"
#include "each.h"

#define PICK(dtype, name) ((dtype) == KILN_FLOAT64 ? name##_f64 : name##_f32)

/* -- Checks ---------------------------------------------------------------------------------- */

/* Names the first target that is no class, with its place. */
static int32_t check_targets(const char *op, const kiln_tensor *target, int64_t classes,
                             int64_t ignore) {
  const int64_t *t = kiln__data(target);
  for (int64_t i = 0; i < target->numel; i++) {
    if (t[i] == ignore || (t[i] >= KILN_INDEX_BASE && t[i] < classes + KILN_INDEX_BASE))
      continue;
    char place[KILN_MAX_DIMS * 22] = "";
    size_t at = 0;
    int64_t rest = i, step = target->numel;
    for (int32_t d = 0; d < target->ndim; d++) {
      step /= target->shape[d];
      at += (size_t)snprintf(place + at, sizeof place - at, "%s%lld", d ? ", " : "",
                             (long long)(rest / step) + 1);
      rest %= step;
    }
    return kiln_fail(KILN_EARG, "%s: target %lld at position [%s] is not a class in 1..%lld", op,
                     (long long)t[i], place, (long long)classes);
  }
  return KILN_OK;
}

/* -- Jobs ------------------------------------------------------------------------------------ */

/* shape: of x; target, weight: inputs i and i + 1.  Returns the number of rows, or negative. */
static int64_t job_set(loss_job *j, const kiln_call *c, const char *op, const int64_t *shape,
                       int32_t ndim, int32_t i, int32_t dtype, void **held, int64_t *bytes) {
  const kiln_tensor *target = c->in[i], *weight = c->in[i + 1];
  j->target = kiln__data(target);
  j->classes = shape[ndim > 1 ? 1 : 0];
  j->inner = 1;
  for (int32_t d = 2; d < ndim; d++)
    j->inner *= shape[d];
  j->smoothing = c->attr[SMOOTHING].f;
  j->ignore = c->attr[IGNORE].i;
  j->reduction = (int32_t)c->attr[REDUCTION].i;
  *held = NULL;
  *bytes = 0;
  if (check_targets(op, target, j->classes, j->ignore) < 0)
    return KILN_EARG;
  if (weight) {
    *bytes = weight->numel * kiln__size_of(dtype);
    *held = kiln__scratch(weight->device, *bytes);
    if (!*held)
      return KILN_ENOMEM;
    kiln_convert(*held, dtype, kiln__data(weight), weight->dtype, weight->numel);
    j->weight = *held;
  }
  if (j->reduction == MEAN)
    j->total = PICK(dtype, total_weight)(j, target->numel);
  return target->numel;
}

typedef void row_loop(const loss_job *j, int64_t from, int64_t to);

static void run(const loss_job *j, int64_t rows, int64_t work, row_loop *loop) {
  KILN_PARALLEL(rows, 1, KILN_GRAIN / (work + 1) + 1, loop(j, from, to));
}

/* -- Kernels --------------------------------------------------------------------------------- */

/* Rows go straight to the output, or to scratch memory and from there, reduced. */
static int32_t forward(const kiln_call *c, const char *op, bool softmax) {
  const kiln_tensor *x = c->in[0];
  loss_job j = {.x = kiln__data(x)};
  int64_t weight_bytes, row_bytes = 0;
  void *weight, *rows = NULL;
  int64_t n = job_set(&j, c, op, x->shape, x->ndim, 1, x->dtype, &weight, &weight_bytes);
  int32_t status = n < 0 ? (int32_t)n : KILN_OK;
  if (status == KILN_OK && j.reduction != NONE) {
    row_bytes = (n + 1) * kiln__size_of(x->dtype);
    rows = kiln__scratch(x->device, row_bytes);
    if (!rows)
      status = KILN_ENOMEM;
  }
  if (status == KILN_OK) {
    j.rows = rows ? rows : kiln__data(c->out[0]);
    if (softmax) {
      j.logsumexp = kiln__data(c->out[1]);
      run(&j, n, 4 * j.classes, PICK(x->dtype, softmax_nll_rows));
    } else {
      run(&j, n, j.smoothing > 0 ? j.classes : 4, PICK(x->dtype, nll_rows));
    }
    if (rows)
      PICK(x->dtype, reduce_rows)(&j, n, kiln__data(c->out[0]));
  }
  if (rows)
    kiln__scratch_free(x->device, rows, row_bytes);
  if (weight)
    kiln__scratch_free(x->device, weight, weight_bytes);
  return status;
}

static int32_t class_nll(const kiln_call *c) { return forward(c, "nll_loss", false); }
static int32_t softmax_nll(const kiln_call *c) { return forward(c, "cross_entropy", true); }

static int32_t class_nll_dx(const kiln_call *c) {
  kiln_tensor *out = c->out[0];
  loss_job j = {.g = kiln__data(c->in[0]), .y = kiln__data(out)};
  int64_t bytes;
  void *weight;
  int64_t n = job_set(&j, c, "nll_loss", out->shape, out->ndim, 1, out->dtype, &weight, &bytes);
  if (n >= 0)
    run(&j, n, j.classes, PICK(out->dtype, nll_dx_rows));
  if (weight)
    kiln__scratch_free(out->device, weight, bytes);
  return n < 0 ? (int32_t)n : KILN_OK;
}

static int32_t softmax_nll_dx(const kiln_call *c) {
  const kiln_tensor *x = c->in[1];
  loss_job j = {.x = kiln__data(x),
                .g = kiln__data(c->in[0]),
                .y = kiln__data(c->out[0]),
                .logsumexp = kiln__data(c->in[4])};
  int64_t bytes;
  void *weight;
  int64_t n = job_set(&j, c, "cross_entropy", x->shape, x->ndim, 2, x->dtype, &weight, &bytes);
  if (n >= 0)
    run(&j, n, 4 * j.classes, PICK(x->dtype, softmax_nll_dx_rows));
  if (weight)
    kiln__scratch_free(x->device, weight, bytes);
  return n < 0 ? (int32_t)n : KILN_OK;
}

static int32_t multilabel_margin(const kiln_call *c) {
  const kiln_tensor *x = c->in[0], *target = c->in[1];
  loss_job j = {.x = kiln__data(x),
                .target = kiln__data(target),
                .y = kiln__data(c->out[1]),
                .rows = kiln__data(c->out[0]),
                .classes = x->shape[1]};
  /* 0 ends a row: what stands behind it is not looked at, but must be no nonsense either. */
  if (check_targets("multilabel_margin_loss", target, j.classes, 0) < 0)
    return KILN_EARG;
  j.is_target = kiln__scratch(x->device, x->numel + 1);
  if (!j.is_target)
    return KILN_ENOMEM;
  run(&j, x->shape[0], j.classes * j.classes, PICK(x->dtype, multilabel_rows));
  kiln__scratch_free(x->device, j.is_target, x->numel + 1);
  return KILN_OK;
}

static const kiln_entry loss_kernels[] = {
    {KILN_OP_CLASS_NLL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, class_nll},
    {KILN_OP_CLASS_NLL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, class_nll_dx},
    {KILN_OP_SOFTMAX_NLL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, softmax_nll},
    {KILN_OP_SOFTMAX_NLL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, softmax_nll_dx},
    {KILN_OP_MULTILABEL_MARGIN, KILN_D_FLOAT, KILN_K_CONTIGUOUS, multilabel_margin},
};

void FN(kiln__cpu_loss)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, loss_kernels);
}
