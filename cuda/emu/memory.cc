/* memory.cc: device memory that only kernels and copies can touch.  Each allocation ends at a guard
** page, is filled with 0xFF (NaN), lies under a protection key that is closed while the host runs,
** and its addresses are never used again.  With the address sanitizer it is poisoned heap instead.
** Each device has memory of its own: a kernel cannot touch another device's.
*/
#include "queue.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace kiln_emu {

enum { PAGE = 4096, MAX_DEVICES = 8 };
/* As much as kernels may count on.  The real one gives 256; the closer to the guard the better. */
enum { ALIGNMENT = 16 };

/* Sorted by address. */
static std::vector<allocation> allocations;
static size_t in_use[MAX_DEVICES];
static int open_depth, open_device;
#ifndef KILN_EMU_ASAN
static int keys[MAX_DEVICES]; /* protection keys; 0: mprotect instead */
#endif

static size_t place_of(const void *p) { /* the first allocation that begins after p */
  size_t low = 0, high = allocations.size();
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (allocations[mid].data <= (const char *)p)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

const allocation *find_allocation(const void *p) {
  size_t i = place_of(p);
  if (i == 0)
    return NULL;
  const allocation *a = &allocations[i - 1];
  return (const char *)p < a->data + a->size ? a : NULL;
}

/* -- Opening and closing --------------------------------------------------------------------------
 */

static void set_access(const allocation &a, bool open) {
#ifdef KILN_EMU_ASAN
  if (open)
    __asan_unpoison_memory_region(a.data, a.size);
  else
    __asan_poison_memory_region(a.data, a.size);
#else
  if (!keys[a.device])
    mprotect(a.map + PAGE, a.map_size - 2 * PAGE, open ? PROT_READ | PROT_WRITE : PROT_NONE);
#endif
}

static void set_devices(int device, bool open) {
#ifndef KILN_EMU_ASAN
  for (int d = 0; d < config.devices; d++) {
    if (keys[d] && (device < 0 || device == d))
      pkey_set(keys[d], open ? 0 : PKEY_DISABLE_ACCESS);
  }
  if (keys[0])
    return;
#endif
  for (const allocation &a : allocations) {
    if (a.device >= 0 && (device < 0 || device == a.device))
      set_access(a, open);
  }
}

void memory_open(int device) {
  if (open_depth++ == 0)
    set_devices(open_device = device, true);
}

void memory_close(void) {
  if (--open_depth == 0)
    set_devices(open_device, false);
}

/* -- Faults: say whose ----------------------------------------------------------------------------
 */

static void say_where(void) {
  char text[400];
  int length;
  if (running_kernel)
    length = snprintf(text, sizeof text,
                      "KILN-EMU: fault in kernel %s, block (%u,%u,%u) thread (%u,%u,%u)\n",
                      running_kernel->name, here.block.x, here.block.y, here.block.z, here.thread.x,
                      here.thread.y, here.thread.z);
  else
    length = snprintf(text, sizeof text, "KILN-EMU: fault in host code\n");
  if (write(STDERR_FILENO, text, (size_t)length) < 0)
    _exit(139);
}

#ifndef KILN_EMU_ASAN
static struct sigaction next_handler;

static void on_fault(int number, siginfo_t *info, void *context) {
  const allocation *a = find_allocation(info->si_addr);
  char text[200];
  int length = 0;
  if (!a && !running_kernel) { /* none of ours: whoever was there before */
    sigaction(SIGSEGV, &next_handler, NULL);
    (void)number, (void)context;
    return;
  }
  length = snprintf(text, sizeof text, "KILN-EMU: invalid access to %p (%s)\n", info->si_addr,
                    !a               ? "no live allocation"
                    : a->device < 0  ? "pinned host memory"
                    : running_kernel ? "memory of another device"
                                     : "device memory");
  if (write(STDERR_FILENO, text, (size_t)length) >= 0)
    say_where();
  _exit(139);
}
#endif

void memory_start(void) {
#ifdef KILN_EMU_ASAN
  __sanitizer_set_death_callback(say_where);
#else
  for (int d = 0; d < config.devices && !getenv("KILN_EMU_NO_KEYS"); d++) {
    int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
    keys[d] = key > 0 ? key : 0;
  }
  for (int d = 0; d < config.devices; d++)
    if (!keys[d])
      memset(keys, 0, sizeof keys);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &next_handler);
#endif
}

static void remember(const allocation &a) {
  allocations.insert(allocations.begin() + (ptrdiff_t)place_of(a.data), a);
  totals.allocations++;
}

/* Removes the allocation that begins at p and is pinned or not; its data NULL when there is none.
 */
static allocation forget(const void *p, bool pinned) {
  const allocation *a = find_allocation(p);
  if (!a || a->data != p || (a->device < 0) != pinned)
    return allocation();
  allocation was = *a;
  allocations.erase(allocations.begin() + (a - allocations.data()));
  return was;
}

} // namespace kiln_emu

using namespace kiln_emu;

/* -- The runtime's side ---------------------------------------------------------------------------
 */

extern "C" {

cudaError_t cudaMalloc(void **p, size_t size) {
  lock l;
  int device = current_device();
  cudaError_t status = capture_unsafe();
  *p = NULL;
  if (size == 0 || status != cudaSuccess)
    return status;
  if (size > config.memory || in_use[device] > config.memory - size)
    return fail(cudaErrorMemoryAllocation);
  allocation a = {NULL, size, NULL, 0, device};
#ifdef KILN_EMU_ASAN
  void *data;
  if (posix_memalign(&data, ALIGNMENT, size) != 0)
    return fail(cudaErrorMemoryAllocation);
  a.data = (char *)data;
  memset(a.data, 0xff, size);
  set_access(a, false);
#else
  size_t body = (size + ALIGNMENT - 1 + PAGE - 1) & ~(size_t)(PAGE - 1);
  a.map_size = body + 2 * PAGE;
  a.map =
      (char *)mmap(NULL, a.map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (a.map == MAP_FAILED)
    return fail(cudaErrorMemoryAllocation);
  char *first = a.map + PAGE;
  mprotect(first, body, PROT_READ | PROT_WRITE);
  a.data = first + ((body - size) & ~(size_t)(ALIGNMENT - 1));
  memset(first, 0xff, body);
  if (keys[device])
    pkey_mprotect(first, body, PROT_READ | PROT_WRITE, keys[device]);
  else
    set_access(a, false);
#endif
  in_use[device] += size;
  remember(a);
  *p = a.data;
  return cudaSuccess;
}

cudaError_t cudaFree(void *p) {
  if (!p)
    return cudaSuccess;
  lock l;
  cudaError_t status = capture_unsafe();
  if (status != cudaSuccess)
    return status;
  for (int d = 0; d < config.devices; d++)
    drain_device(d); /* as the real one does */
  allocation a = forget(p, false);
  if (!a.data) {
    misuse("cudaFree of %p, which is not the start of live device memory", p);
    return fail(cudaErrorInvalidValue);
  }
  in_use[a.device] -= a.size;
#ifdef KILN_EMU_ASAN
  set_access(a, true);
  free(a.data);
#else
  /* Nothing else will be put there: a use after free faults. */
  mmap(a.map, a.map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
#endif
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **p, size_t size, unsigned flags) {
  lock l;
  (void)flags;
  *p = NULL;
  cudaError_t status = capture_unsafe();
  if (status != cudaSuccess)
    return status;
  *p = malloc(size ? size : 1);
  if (!*p)
    return fail(cudaErrorMemoryAllocation);
  remember({(char *)*p, size, NULL, 0, -1});
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p) {
  lock l;
  cudaError_t status = capture_unsafe();
  if (status != cudaSuccess)
    return status;
  for (int d = 0; d < config.devices; d++)
    drain_device(d);
  allocation a = forget(p, true);
  if (!a.data)
    return fail(cudaErrorInvalidValue);
  free(a.data);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  lock l;
  *total = config.memory;
  *available = config.memory - in_use[current_device()];
  return cudaSuccess;
}

} /* extern "C" */
