/* random.c: the state of each device's generator: a seed and how many sequences were handed out.
** The numbers themselves are random.h's.  Taking is atomic, so threads get sequences of their own;
** which ones depends on who comes first, so a thread may have a generator to itself.
*/
#include "internal.h"

#include <pthread.h>

enum { DEVICES = 256 }; /* kiln_tensor.device is a byte */

typedef struct generator {
  uint64_t seed, initial, taken;
} generator;

static generator shared[DEVICES];
static KILN_HOT_TLS generator *mine; /* DEVICES of them, or NULL */
static pthread_key_t mine_key;
static pthread_once_t mine_once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&mine_key, free); }

/* NULL for a device that cannot be. */
static generator *of(int32_t device) {
  if (device < 0 || device >= DEVICES)
    return NULL;
  return mine ? &mine[device] : &shared[device];
}

int32_t kiln_rng_own(uint64_t seed) {
  if (!mine) {
    pthread_once(&mine_once, make_key);
    generator *own = calloc(DEVICES, sizeof *own);
    if (!own || pthread_setspecific(mine_key, own) != 0) {
      free(own);
      return kiln_fail(KILN_ENOMEM, "a thread's random numbers: out of memory");
    }
    mine = own;
  }
  for (int32_t device = 0; device < DEVICES; device++)
    mine[device] = (generator){.seed = seed, .initial = seed};
  return KILN_OK;
}

void kiln_seed(int32_t device, uint64_t seed) {
  generator *g = of(device);
  if (!g)
    return;
  __atomic_store_n(&g->initial, seed, __ATOMIC_RELAXED);
  kiln_rng_set(device, seed, 0);
}

uint64_t kiln_initial_seed(int32_t device) {
  generator *g = of(device);
  return g ? __atomic_load_n(&g->initial, __ATOMIC_RELAXED) : 0;
}

void kiln_rng_get(int32_t device, uint64_t *seed, uint64_t *offset) {
  generator *g = of(device);
  *seed = g ? __atomic_load_n(&g->seed, __ATOMIC_RELAXED) : 0;
  *offset = g ? __atomic_load_n(&g->taken, __ATOMIC_RELAXED) : 0;
}

void kiln_rng_set(int32_t device, uint64_t seed, uint64_t offset) {
  generator *g = of(device);
  if (!g)
    return;
  __atomic_store_n(&g->seed, seed, __ATOMIC_RELAXED);
  __atomic_store_n(&g->taken, offset, __ATOMIC_RELAXED);
}

void kiln__rng_take(int32_t device, uint64_t n, uint64_t *seed, uint64_t *sequence) {
  generator *g = of(device);
  KILN_ASSERT(g != NULL);
  if (KILN_UNLIKELY(kiln__capturing != NULL) && device > 0) { /* each launch has its own seed */
    *seed = 0;
    *sequence = kiln__capture_draw(n);
    return;
  }
  *seed = __atomic_load_n(&g->seed, __ATOMIC_RELAXED);
  *sequence = __atomic_fetch_add(&g->taken, n, __ATOMIC_RELAXED);
}
