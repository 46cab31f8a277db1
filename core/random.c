/* random.c: the state of each device's generator: a seed and how many sequences were handed out.
** The numbers themselves are random.h's.  Taking is atomic, so threads get sequences of their own.
*/
#include "internal.h"

enum { DEVICES = 256 }; /* kiln_tensor.device is a byte */

static struct { uint64_t seed, initial, taken; } state[DEVICES];

static bool known(int32_t device) { return device >= 0 && device < DEVICES; }

void kiln_seed(int32_t device, uint64_t seed) {
  if (!known(device))
    return;
  __atomic_store_n(&state[device].initial, seed, __ATOMIC_RELAXED);
  kiln_rng_set(device, seed, 0);
}

uint64_t kiln_initial_seed(int32_t device) {
  return known(device) ? __atomic_load_n(&state[device].initial, __ATOMIC_RELAXED) : 0;
}

void kiln_rng_get(int32_t device, uint64_t *seed, uint64_t *offset) {
  *seed = known(device) ? __atomic_load_n(&state[device].seed, __ATOMIC_RELAXED) : 0;
  *offset = known(device) ? __atomic_load_n(&state[device].taken, __ATOMIC_RELAXED) : 0;
}

void kiln_rng_set(int32_t device, uint64_t seed, uint64_t offset) {
  if (!known(device))
    return;
  __atomic_store_n(&state[device].seed, seed, __ATOMIC_RELAXED);
  __atomic_store_n(&state[device].taken, offset, __ATOMIC_RELAXED);
}

void kiln__rng_take(int32_t device, uint64_t n, uint64_t *seed, uint64_t *sequence) {
  KILN_ASSERT(known(device));
  *seed = __atomic_load_n(&state[device].seed, __ATOMIC_RELAXED);
  *sequence = __atomic_fetch_add(&state[device].taken, n, __ATOMIC_RELAXED);
}
