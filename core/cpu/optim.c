/* optim.c: steps of optimizers on the CPU.  All parameters of a call are one range of elements that
** threads share evenly, so a thousand small tensors cost one parallel region.  The arithmetic is in
** optim_steps.h.  The core casts halves and copies what is strided.
*/
#include "cpu.h"

#define EACH "optim_steps.h"
#define EACH_FLOATS_ONLY
#include "each.h"

enum { MOST_STATES = 3, UNIT = 16 };

/* Calls `step` for the parts of each parameter that fall into [from, to) of all elements. */
#define WALK(T, step)                                                                              \
  do {                                                                                             \
    int64_t start = 0;                                                                             \
    for (int64_t k = 0; k < count && start < to; start += c->in[k++]->numel) {                     \
      int64_t size = c->in[k]->numel;                                                              \
      int64_t a = from > start ? from - start : 0, b = to - start < size ? to - start : size;      \
      if (a >= b)                                                                                  \
        continue;                                                                                  \
      T *state[MOST_STATES] = {NULL};                                                              \
      for (int64_t j = 2; j < lists; j++)                                                          \
        state[j - 2] = (T *)kiln__data(c->in[j * count + k]) + a;                                  \
      step((T *)kiln__data(c->in[k]) + a, (const T *)kiln__data(c->in[count + k]) + a, state,      \
           b - a, c->attr + 1);                                                                    \
    }                                                                                              \
  } while (0)

#define KERNEL(name)                                                                               \
  static int32_t name(const kiln_call *c) {                                                        \
    int64_t count = c->attr[0].i, lists = c->n_in / count, total = 0;                              \
    for (int64_t k = 0; k < count; k++)                                                            \
      total += c->in[k]->numel;                                                                    \
    if (c->in[0]->dtype == KILN_FLOAT32) {                                                         \
      KILN_PARALLEL(total, UNIT, KILN_GRAIN, WALK(float, name##_f32));                             \
    } else {                                                                                       \
      KILN_PARALLEL(total, UNIT, KILN_GRAIN, WALK(double, name##_f64));                            \
    }                                                                                              \
    return KILN_OK;                                                                                \
  }

/* Each row and its kernel. */
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

#define DEFINE(NAME, name) KERNEL(name)
STEPS(DEFINE)

#define ENTRY(NAME, name) {KILN_OP_##NAME##_STEP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, name},
static const kiln_entry optim_kernels[] = {STEPS(ENTRY)};

void FN(kiln__cpu_optim)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, optim_kernels);
}
