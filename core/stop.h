/* stop.h: Ctrl-C in kernels that run for long.  Around a kernel whose results nobody has seen yet
** the core opens the thread's kiln_stop; the loops that cut work into parts (KILN_PARALLEL and the
** like) look at it between two parts, of every thread that works for this one, and leave out the
** rest.  A kernel goes on as if nothing had happened, but must not follow what a part that was left
** out should have computed as a position.  It refuses to stop what is written in place.
*/
#ifndef KILN_STOP_H
#define KILN_STOP_H
#include "backend.h"

typedef struct kiln_stop {
  const volatile int32_t *flag; /* one that is never raised unless the stop is open */
  bool left_out;                /* something was not done: there is no result */
} kiln_stop;

extern _Thread_local __attribute__((tls_model("initial-exec"))) kiln_stop kiln__stop;

static inline bool kiln__stops(kiln_stop *s) {
  if (__builtin_expect(*s->flag == 0, 1) &&
      __builtin_expect(!__atomic_load_n(&s->left_out, __ATOMIC_RELAXED), 1))
    return false;
  __atomic_store_n(&s->left_out, true, __ATOMIC_RELAXED);
  return true;
}

void kiln__stop_open(void);
/* Returns status, or KILN_EINTR if something was left out. */
int32_t kiln__stop_close(int32_t status);

#endif
