/* config.c: what this build is and what machine it runs on: facts by name, threads.  It refuses to
** decide anything; cpu/detect.c does.
*/
#include "internal.h"

#include <omp.h>
#include <pthread.h>
#ifdef KILN_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

enum { ABI = 1, MAX_THREADS = 1024 };

const char *kiln__cpu_level(void);
const char *kiln__blas_config(void);
const char *kiln__blas_corename(void);
const char *kiln__blas_threading(void);

const char *kiln_version(void) { return KILN_VERSION; }
int32_t kiln_abi(void) { return ABI; }

static const char *onednn_version(void) {
#ifdef KILN_ONEDNN
  static _Thread_local char text[32];
  const dnnl_version_t *v = dnnl_version();
  snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
  return text;
#else
  return "no";
#endif
}

/* Once: devices come when they are first asked for, and stay.  (Not thread-local: libkiln_cuda,
** which is opened later, has to find room beside what libkiln takes of every thread.) */
static char cuda_text[600];
static void cuda_look(void) {
  int32_t n = kiln_device_count();
  if (n > 0)
    snprintf(cuda_text, sizeof cuda_text, "%d device%s", n, n > 1 ? "s" : "");
  else
    snprintf(cuda_text, sizeof cuda_text, "no (%s)", kiln_cuda_why());
}

static const char *cuda_fact(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, cuda_look);
  return cuda_text;
}

static const struct {
  const char *name;
  const char *(*value)(void);
} facts[] = {
    {"cpu_level", kiln__cpu_level},     {"blas", kiln__blas_config},
    {"blas_core", kiln__blas_corename}, {"blas_threading", kiln__blas_threading},
    {"onednn", onednn_version},         {"cuda", cuda_fact},
};

const char *kiln_fact(const char *name) {
  for (int32_t i = 0; i < KILN_COUNT(facts); i++) {
    if (strcmp(facts[i].name, name) == 0)
      return facts[i].value();
  }
  return NULL;
}

int32_t kiln_num_threads(void) { return omp_get_max_threads(); }

int32_t kiln_set_num_threads(int32_t n) {
  if (n < 1 || n > MAX_THREADS) {
    return kiln_fail(KILN_EARG, "set_num_threads: 1 to %d threads, not %d", MAX_THREADS, n);
  }
  omp_set_num_threads(n);
  return KILN_OK;
}

/* OpenMP's threads do not come along when a process forks, but their pool does: the child would
** wait for them for ever. */
static void compute_alone(void) { omp_set_num_threads(1); }

__attribute__((constructor)) static void start(void) { pthread_atfork(NULL, NULL, compute_alone); }
