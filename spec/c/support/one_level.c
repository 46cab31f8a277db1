/* one_level.c: stands in for the kernels of x86-64-v3 and v4 in sanitized builds and those for one
** machine (KILN_ONE_LEVEL).  All levels come from the same loops, so checking them once is enough,
** and it builds in a third of the time.
*/
#include "cpu/cpu.h"

#define FAMILY_BASELINE(family)                                                                    \
  void kiln__cpu_##family##_baseline(kiln_slot(*table)[KILN_DTYPE_COUNT]);
#define FAMILY_AT(family, level)                                                                   \
  void kiln__cpu_##family##_##level(kiln_slot(*table)[KILN_DTYPE_COUNT]);                          \
  void kiln__cpu_##family##_##level(kiln_slot(*table)[KILN_DTYPE_COUNT]) {                         \
    kiln__cpu_##family##_baseline(table);                                                          \
  }
#define FAMILY(family) FAMILY_BASELINE(family) FAMILY_AT(family, v3) FAMILY_AT(family, v4)
KILN_CPU_FAMILIES(FAMILY)

void kiln__cpu_convert_baseline(void *to, int32_t to_dtype, const void *from, int32_t from_dtype,
                                int64_t n);
#define CONVERT_AT(level)                                                                          \
  void kiln__cpu_convert_##level(void *to, int32_t to_dtype, const void *from, int32_t from_dtype, \
                                 int64_t n);                                                       \
  void kiln__cpu_convert_##level(void *to, int32_t to_dtype, const void *from, int32_t from_dtype, \
                                 int64_t n) {                                                      \
    kiln__cpu_convert_baseline(to, to_dtype, from, from_dtype, n);                                 \
  }
CONVERT_AT(v3)
CONVERT_AT(v4)
