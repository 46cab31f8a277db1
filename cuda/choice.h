/* choice.h: what random.cu and choice.cu share: where a launch's random numbers come from, and the
** kernels of the random family that stand in choice.cu.
*/
#ifndef KILN_CUDA_CHOICE_H
#define KILN_CUDA_CHOICE_H
#include "kernel.h"

/* Seed and first counter of a call.  In a graph both are known when it is launched: the seed is
** live[0], and the counter counts from live[1]. */
typedef struct kiln_rng {
  uint64_t seed, sequence;
  const uint64_t *live;
} kiln_rng;

static inline kiln_rng kiln__rng_of(const kiln_call *c) {
  const kiln_rng r = {c->seed, c->sequence, kiln__cuda_graph_random(c->out[0]->device)};
  return r;
}

static __device__ __forceinline__ kiln_rng kiln_rng_now(kiln_rng r) {
  if (r.live) {
    r.seed = r.live[0];
    r.sequence += r.live[1];
  }
  return r;
}

int32_t kiln__cuda_randperm(const kiln_call *c);
int32_t kiln__cuda_multinomial(const kiln_call *c);

#endif
