/* backend.c: the CPU as a backend: plain memory, and the kernel table of the level in use.
** It refuses to cache memory (storage.c does, above the seam) and to hold kernels.
*/
#include "cpu.h"

#include <stdlib.h>
#include <sys/mman.h>

#define DECLARE(level, family)                                                                     \
  void kiln__cpu_##family##_##level(kiln_slot(*table)[KILN_DTYPE_COUNT]);
#define FILL(level, family) kiln__cpu_##family##_##level(table);

#define BASELINE(family) DECLARE(baseline, family)
KILN_CPU_FAMILIES(BASELINE)
#undef BASELINE
#ifdef __x86_64__
#define V3(family) DECLARE(v3, family)
#define V4(family) DECLARE(v4, family)
KILN_CPU_FAMILIES(V3)
KILN_CPU_FAMILIES(V4)
#undef V3
#undef V4
#endif

#define DECLARE_CONVERT(level)                                                                     \
  void kiln__cpu_convert_##level(void *, int32_t, const void *, int32_t, int64_t);
DECLARE_CONVERT(baseline)
#ifdef __x86_64__
DECLARE_CONVERT(v3)
DECLARE_CONVERT(v4)
#endif

static kiln_slot table[KILN_OP_COUNT][KILN_DTYPE_COUNT];
static kiln_cpu_level level;
static void (*convert)(void *, int32_t, const void *, int32_t, int64_t);

/* -- Memory --------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

/* Large blocks are mappings of their own, so that what is given back leaves the process whatever
** lies beside it, and they fault 2 MiB at a time where the system allows it. */
static bool is_mapped(int64_t bytes) { return bytes >= 2 * HUGE_PAGE; }

static void *map_aligned(size_t bytes) {
  char *p =
      mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  size_t before = -(uintptr_t)p & (HUGE_PAGE - 1);
  if (before > 0)
    munmap(p, before);
  munmap(p + before + bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
  madvise(p + before, bytes & ~((size_t)HUGE_PAGE - 1), MADV_HUGEPAGE); /* advice only */
#endif
  return p + before;
}

static int32_t cpu_alloc(int32_t device, int64_t bytes, void **p) {
  (void)device;
  if (is_mapped(bytes))
    *p = map_aligned((size_t)bytes);
  else if (bytes < 0 || posix_memalign(p, ALIGNMENT, bytes > 0 ? (size_t)bytes : 1) != 0)
    *p = NULL;
  return *p ? KILN_OK : KILN_ENOMEM;
}

static void cpu_free(int32_t device, void *p, int64_t bytes) {
  (void)device;
  if (is_mapped(bytes))
    munmap(p, (size_t)bytes);
  else
    free(p);
}

static int32_t cpu_copy(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                        int64_t bytes) {
  (void)dst_device, (void)src_device;
  if (bytes > 0)
    memmove(dst, src, (size_t)bytes);
  return KILN_OK;
}

static int32_t cpu_synchronize(int32_t device) {
  (void)device;
  return KILN_OK;
}

static int32_t cpu_device_count(int32_t *n, const char **why) {
  *n = 1;
  *why = "";
  return KILN_OK;
}

kiln_pass_fn kiln__cpu_pass;

static void *cpu_get_proc(const char *name) {
  return strcmp(name, "pass") == 0 ? (void *)kiln__cpu_pass : NULL;
}

/* -- The backend ------------------------------------------------------------------------------ */

static const kiln_backend backend = {
    .abi = KILN_BACKEND_ABI,
    .struct_size = sizeof(kiln_backend),
    .ops = KILN_OPS_DIGEST,
    .name = "cpu",
    .device_count = cpu_device_count,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .copy = cpu_copy,
    .synchronize = cpu_synchronize,
    .table = table,
    .get_proc = cpu_get_proc,
};

/* Runs before anybody can ask for the backend, so no lock is needed. */
__attribute__((constructor)) static void fill_table(void) {
  level = kiln__cpu_detect();
  switch (level) {
#ifdef __x86_64__
#define V3(family) FILL(v3, family)
#define V4(family) FILL(v4, family)
  case KILN_CPU_V4:
    KILN_CPU_FAMILIES(V4)
    convert = kiln__cpu_convert_v4;
    break;
  case KILN_CPU_V3:
    KILN_CPU_FAMILIES(V3)
    convert = kiln__cpu_convert_v3;
    break;
#endif
#define BASELINE(family) FILL(baseline, family)
  default:
    KILN_CPU_FAMILIES(BASELINE)
    convert = kiln__cpu_convert_baseline;
    break;
  }
}

void kiln_convert(void *dst, int32_t dst_dtype, const void *src, int32_t src_dtype, int64_t n) {
  convert(dst, dst_dtype, src, src_dtype, n);
}

const kiln_backend *kiln__cpu_backend(void) { return &backend; }

const char *kiln__cpu_level(void) {
#if defined(__x86_64__)
  static const char *const names[] = {"baseline", "x86-64-v3", "x86-64-v4"};
  return names[level];
#else
  return "baseline";
#endif
}
