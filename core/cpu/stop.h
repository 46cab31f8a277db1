/* stop.h: Ctrl-C in kernels that may run for minutes over tensors that are small in memory, such as
** an expanded number.  The thread that was called makes a kiln_stop; every thread of its kernel
** looks at it now and then, leaves the rest undone, and the kernel returns kiln__stopped().
*/
#ifndef KILN_STOP_H
#define KILN_STOP_H
#include "../backend.h"

typedef struct kiln_stop {
  const volatile int32_t *flag;
  bool left_out; /* something was not done: there is no result */
} kiln_stop;

static inline kiln_stop kiln__stop_here(void) { return (kiln_stop){kiln__stop_flag(), false}; }

static inline bool kiln__stops(kiln_stop *s) {
  if (*s->flag == 0)
    return false;
  __atomic_store_n(&s->left_out, true, __ATOMIC_RELAXED);
  return true;
}

#endif
