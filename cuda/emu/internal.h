/* internal.h: what the files of the emulator share: settings, fibers, one block's run, memory that
** opens for kernels, queues.  Everything here runs under one lock, on whichever thread drains a
** stream.
**
** These files are never built with -fsanitize.  KILN_EMU_ASAN or KILN_EMU_TSAN says that the
** kernels are, and that the sanitizer has to be told of fibers and memory.
*/
#ifndef KILN_EMU_INTERNAL_H
#define KILN_EMU_INTERNAL_H
#include "emu.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef KILN_EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef KILN_EMU_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
}
#define TSAN(...) __VA_ARGS__
#else
#define TSAN(...)
#endif

namespace kiln_emu {

enum { NO_ORDER = 1 }; /* to __tsan_switch_to_fiber: switching orders nothing */
enum thread_order { ORDER_FORWARD, ORDER_REVERSE, ORDER_RANDOM };

struct settings {
  thread_order order;
  unsigned seed;
  bool async;        /* streams run late */
  bool eager_fibers; /* a fiber a thread, even where none waits */
  int devices;
  size_t memory;
};
extern settings config;
void configure(void); /* once, from the environment */

struct counts {
  int64_t launches, blocks, threads, switches, allocations;
};
extern counts totals;

/* Says what is wrong and where, and ends the process (or calls the handler). */
void misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
unsigned random_below(unsigned n);

/* -- fiber.cc -------------------------------------------------------------------------------- */

struct fiber {
  void *stack_pointer;
  char *stack;
  void *tsan, *fake_stack;
};
extern fiber host_fiber, *running_fiber;
/* An idle or new fiber; switched to, it runs fiber_main().  `thread` names it in reports. */
fiber *fiber_take(int thread);
void fiber_give_back(fiber *f);
void fiber_switch(fiber *to);
void fiber_main(void); /* block.cc */
TSAN(extern void *fiber_creator; void *fiber_identity(char *stack_top, int thread);)

/* -- block.cc -------------------------------------------------------------------------------- */

extern const launch *running_kernel;
void run_kernel(const launch &k);

/* -- memory.cc ------------------------------------------------------------------------------- */

struct allocation {
  char *data;
  size_t size;
  char *map; /* with its guard pages */
  size_t map_size;
  int device; /* -1: pinned host memory */
};
const allocation *find_allocation(const void *p); /* NULL: ordinary host memory */
/* Device memory can be touched between the two; `device` < 0 opens all devices. */
void memory_open(int device);
void memory_close(void);
void memory_start(void);

/* -- stream.cc ------------------------------------------------------------------------------- */

void drain_device(int device); /* the host waits for every stream of a device */
struct lock {                  /* held by every entry of cudart.h */
  lock();
  ~lock();
};
cudaError_t fail(cudaError_t e); /* what cudaGetLastError will say */
int current_device(void);

} // namespace kiln_emu
#endif
