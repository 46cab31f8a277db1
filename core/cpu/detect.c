/* detect.c: what this machine's CPU can do.  Compiled without instruction-set flags, so that it
** runs anywhere.  It refuses to compute.
*/
#include "cpu.h"

#include <stdlib.h>

#if defined(__x86_64__)

static kiln_cpu_level best_level(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return KILN_CPU_V4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return KILN_CPU_V3;
  return KILN_CPU_BASELINE;
}

/* OpenBLAS 0.3.21 takes CPUs newer than itself for a Prescott, so it is told.  By what the CPU can
** do, not by its name. */
const char *kiln__cpu_blas_core(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
  }
  return NULL;
}

#else

static kiln_cpu_level best_level(void) { return KILN_CPU_BASELINE; }
const char *kiln__cpu_blas_core(void) { return NULL; }

#endif

kiln_cpu_level kiln__cpu_detect(void) {
  static const char *const names[] = {"baseline", "v3", "v4"};
  kiln_cpu_level best = best_level();
  const char *wanted = getenv("KILN_CPU_LEVEL");
  for (int level = KILN_CPU_BASELINE; wanted && level <= (int)best; level++) {
    if (strcmp(wanted, names[level]) == 0)
      return (kiln_cpu_level)level;
  }
  return best;
}
