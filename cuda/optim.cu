/* optim.cu: steps of optimizers: one launch for up to MOST parameters, one pass over memory.  The
** arithmetic is the CPU's own, core/cpu/optim_steps.h.
*/
#include "grid.h"

#define restrict __restrict__
#define KILN_STEP static __device__ __forceinline__ void
#define TYPED(name) name
#define T float
#define MATH(fn) fn##f
#include "../core/cpu/optim_steps.h"
#undef T
#undef MATH
#define T double
#define MATH(fn) fn
#include "../core/cpu/optim_steps.h"
#undef T
#undef MATH
#undef restrict

enum { MOST = 56, MOST_STATES = 3 }; /* a launch has 4 KiB of arguments */

typedef struct parameter {
  void *p, *g, *state[MOST_STATES];
  int64_t n;
} parameter;

typedef struct parameters {
  parameter at[MOST];
} parameters;

/* A step's numbers; `live`, where there is one, has what they are when it runs. */
typedef struct numbers {
  kiln_attr at[KILN_MAX_ATTRS];
  const kiln_attr *live;
  const float *unless; /* the step is taken where it is 0; NULL: always */
} numbers;

static int32_t numbers_of(const kiln_call *c, numbers *h) {
  const kiln_step_source source = kiln__step_source();
  const int32_t device = c->in[0]->device;
  memcpy(h->at, c->attr + 1, sizeof h->at - sizeof *h->at);
  h->live = source.numbers ? (const kiln_attr *)kiln__data(source.numbers) : NULL;
  h->unless = source.unless ? (const float *)kiln__data(source.unless) : NULL;
  if ((source.numbers && source.numbers->device != device) ||
      (source.unless && source.unless->device != device))
    return kiln_fail(KILN_EARG, "step: numbers and unless must be on cuda:%d", device);
  return KILN_OK;
}

/* The numbers as they are now; constant places, so that they stay in registers. */
static __device__ __forceinline__ void read_numbers(numbers *h) {
  for (int k = 0; h->live && k < KILN_MAX_ATTRS; k++)
    h->at[k] = h->live[k];
}

/* Each row and its arithmetic. */
#define STEPS(X)                                                                                   \
  X(SGD, sgd)                                                                                      \
  X(ADAM, adam)                                                                                    \
  X(ADAGRAD, adagrad)                                                                              \
  X(ADADELTA, adadelta)                                                                            \
  X(ADAMAX, adamax)                                                                                \
  X(RMSPROP, rmsprop)                                                                              \
  X(RPROP, rprop)                                                                                  \
  X(ASGD, asgd)                                                                                    \
  X(NADAM, nadam)                                                                                  \
  X(RADAM, radam)                                                                                  \
  X(LION, lion)

/* The lists of a call: parameters, gradients, states. */
static int32_t step(const kiln_call *c, const char *op, void (*kernel)(parameters, numbers)) {
  kiln_job j = kiln__job(op, c->in[0]->device);
  int64_t count = c->attr[0].i, lists = c->n_in / count;
  numbers h;
  j.status = numbers_of(c, &h);
  for (int64_t first = 0; first < count && j.status == KILN_OK; first += MOST) {
    parameters all;
    int64_t n = count - first < MOST ? count - first : (int64_t)MOST, most = 0;
    for (int64_t k = 0; k < n; k++) {
      parameter *q = &all.at[k];
      const kiln_tensor *x = c->in[first + k];
      q->p = kiln__data(x);
      q->g = kiln__data(c->in[count + first + k]);
      for (int64_t s = 0; s < MOST_STATES; s++)
        q->state[s] = s + 2 < lists ? kiln__data(c->in[(s + 2) * count + first + k]) : NULL;
      q->n = x->numel;
      most = x->numel > most ? x->numel : most;
    }
    dim3 grid(kiln_grid(most), (unsigned)n); /* blocks (x, y) work on parameter y */
    KILN_LAUNCH(kernel, grid, KILN_BLOCK, 0, j.stream, all, h);
    j.status = kiln__cuda_launched(op);
  }
  return kiln__job_end(&j);
}

#define DEFINE(NAME, name)                                                                         \
  template <typename T> static __global__ void name##_kernel(parameters all, numbers h) {          \
    const parameter &q = all.at[blockIdx.y];                                                       \
    if (h.unless && *h.unless != 0)                                                                \
      return;                                                                                      \
    read_numbers(&h);                                                                              \
    KILN_EACH(i, q.n) {                                                                            \
      T *state[MOST_STATES];                                                                       \
      for (int k = 0; k < MOST_STATES; k++)                                                        \
        state[k] = q.state[k] ? (T *)q.state[k] + i : (T *)NULL;                                   \
      name((T *)q.p + i, (const T *)q.g + i, state, 1, h.at);                                      \
    }                                                                                              \
  }                                                                                                \
  static int32_t name##_step(const kiln_call *c) {                                                 \
    KILN_BY_FLOAT(c->in[0]->dtype, return step(c, #name, name##_kernel<type>));                    \
  }

STEPS(DEFINE)

#define ENTRY(NAME, name) {KILN_OP_##NAME##_STEP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, name##_step},
const kiln_entry kiln__cuda_optim[] = {STEPS(ENTRY)};
const int32_t kiln__cuda_optim_n = sizeof kiln__cuda_optim / sizeof *kiln__cuda_optim;
