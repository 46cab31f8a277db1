/* profile.c: one record an op while the profiler runs.  It refuses to format anything; Lua makes
** tables and traces of the records.
*/
#include "internal.h"

#include <pthread.h>
#include <time.h>

bool kiln__profiling;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  kiln_event *items;
  int64_t n, room;
} events;
static int32_t n_threads;
static _Thread_local int32_t thread;

int64_t kiln__now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void kiln__profile(const char *name, int64_t start_ns, int64_t bytes, int64_t sequence) {
  int64_t end = kiln__now_ns();
  if (!thread)
    thread = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  if (events.n == events.room) {
    int64_t room = events.room ? 2 * events.room : 1024;
    kiln_event *items = realloc(events.items, (size_t)room * sizeof *items);
    if (!items) { /* out of memory: what is there stays readable */
      pthread_mutex_unlock(&lock);
      return;
    }
    events.items = items;
    events.room = room;
  }
  kiln_event *e = &events.items[events.n++];
  *e = (kiln_event){
      .start_ns = start_ns, .end_ns = end, .bytes = bytes, .thread = thread, .sequence = sequence};
  snprintf(e->name, sizeof e->name, "%s", name);
  pthread_mutex_unlock(&lock);
}

int64_t kiln_profile_begin(void) { return kiln__profiling ? kiln__now_ns() : 0; }
void kiln_profile_end(const char *name, int64_t begin) {
  if (begin)
    kiln__profile(name, begin, 0, -1);
}

void kiln_profiler_start(void) {
  pthread_mutex_lock(&lock);
  events.n = 0;
  pthread_mutex_unlock(&lock);
  __atomic_store_n(&kiln__profiling, true, __ATOMIC_RELAXED);
}

int64_t kiln_profiler_stop(void) {
  __atomic_store_n(&kiln__profiling, false, __ATOMIC_RELAXED);
  return events.n;
}

const kiln_event *kiln_peek_event(int64_t i) {
  return i >= 0 && i < events.n ? &events.items[i] : NULL;
}
