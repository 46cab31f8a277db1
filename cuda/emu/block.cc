/* block.cc: runs kernels: blocks one after another, the threads of a block as fibers that switch
** at barriers and warp operations.  A thread that never waits shares its fiber with the next one.
** What CUDA leaves undefined is reported: barriers that not all threads reach, lanes that disagree,
** shuffles from lanes that are not there.
*/
#include "internal.h"

#include <string.h>

namespace kiln_emu {

enum { MAX_THREADS = 1024, WARP = 32, MAX_WARPS = MAX_THREADS / WARP, MAX_SHARED = 64 };
enum { STATIC_LIMIT = 48 * 1024 };

enum thread_state { UNSTARTED, RUNNING, READY, AT_BARRIER, IN_WARP, DONE };

struct cuda_thread {
  thread_state state;
  fiber *on;
  uint3 id;
  site at;
  /* what it waits with, and what it gets */
  int kind, predicate, argument, width, count;
  unsigned mask;
  uint64_t value, result;
  bool warp_parity;
};

struct shared_block {
  const void *key;
  void *data;
};

thread_local position here;
const launch *running_kernel;

static cuda_thread threads[MAX_THREADS];
static int order[MAX_THREADS], ready[MAX_THREADS]; /* ready: a ring */
static int n, current, n_started, n_live, n_done, n_at_barrier, ready_head, n_ready;
static unsigned warp_waits[MAX_WARPS], warp_gone[MAX_WARPS]; /* lanes */
static shared_block shared[MAX_SHARED];
static int n_shared;
static size_t shared_bytes;
static void *dynamic;

/* Addresses that the thread sanitizer orders threads by.  Barriers alternate between two, or a
** fast thread would leak what it did after the barrier. */
TSAN(static char at_launch, at_end, at_barrier[2], in_warp[MAX_WARPS][2], at_fence, at_shared;
     static void *memory_owner;)
static int barrier_parity;

static void make_ready(int t) {
  threads[t].state = READY;
  ready[(ready_head + n_ready++) % n] = t;
}

/* -- Choosing who runs ---------------------------------------------------------------------------
 */

static void report_deadlock(void) {
  char text[1500];
  int used = 0;
  bool seen[MAX_THREADS] = {false};
  for (int i = 0; i < n && used < 1200; i++) {
    const cuda_thread *t = &threads[i];
    if (seen[i] || (t->state != AT_BARRIER && t->state != IN_WARP))
      continue;
    int same = 0;
    for (int j = i; j < n; j++) {
      const cuda_thread *u = &threads[j];
      if (u->state == t->state && u->at.line == t->at.line && u->at.file == t->at.file &&
          u->mask == t->mask) {
        same++;
        seen[j] = true;
      }
    }
    used += snprintf(text + used, sizeof text - (size_t)used, " %d thread(s) wait in %s at %s:%d;",
                     same, t->state == AT_BARRIER ? "__syncthreads" : "a warp operation",
                     t->at.file, t->at.line);
  }
  misuse("deadlock or divergent barrier:%s %d of %d threads have exited", text, n_done, n);
}

static void run_next(void) {
  bool fresh = n_started < n;
  if (n_ready > 0 && (!fresh || config.order != ORDER_RANDOM || random_below(2))) {
    int k = config.order == ORDER_RANDOM ? (int)random_below((unsigned)n_ready) : 0;
    int slot = (ready_head + k) % n, t = ready[slot];
    ready[slot] = ready[ready_head];
    ready_head = (ready_head + 1) % n;
    n_ready--;
    threads[t].state = RUNNING;
    current = t;
    here.thread = threads[t].id;
    fiber_switch(threads[t].on);
  } else if (fresh) {
    fiber_switch(fiber_take(order[n_started]));
  } else if (n_done == n) {
    fiber_switch(&host_fiber);
  } else {
    report_deadlock();
    abort();
  }
}

/* -- Barriers ------------------------------------------------------------------------------------
 */

static void open_barrier(void) {
  const cuda_thread *first = NULL;
  int count = 0;
  for (int i = 0; i < n; i++) {
    const cuda_thread *t = &threads[i];
    if (t->state != AT_BARRIER)
      continue;
    if (!first)
      first = t;
    count += t->predicate;
    if (t->at.line != first->at.line || t->at.file != first->at.file || t->at.id != first->at.id)
      misuse("threads of one block meet at different __syncthreads: %s:%d and %s:%d",
             first->at.file, first->at.line, t->at.file, t->at.line);
  }
  if (n_live != n)
    misuse("%d of %d threads exited before __syncthreads at %s:%d", n - n_live, n, first->at.file,
           first->at.line);
  n_at_barrier = 0;
  barrier_parity ^= 1;
  for (int i = 0; i < n; i++) {
    if (threads[order[i]].state == AT_BARRIER) {
      threads[order[i]].count = count;
      make_ready(order[i]);
    }
  }
}

int barrier(barrier_kind kind, int predicate, site at) {
  int me = current, parity = barrier_parity;
  cuda_thread *t = &threads[me];
  t->state = AT_BARRIER;
  t->at = at;
  t->predicate = predicate;
  t->mask = 0;
  n_at_barrier++;
  (void)parity;
  TSAN(__tsan_release(&at_barrier[parity]);)
  if (n_at_barrier == n_live)
    open_barrier();
  run_next();
  TSAN(__tsan_acquire(&at_barrier[parity]);)
  int count = threads[me].count;
  return kind == BARRIER_AND ? count == n_live : kind == BARRIER_OR ? count > 0 : count;
}

/* -- Warp operations -----------------------------------------------------------------------------
 */

static unsigned lanes_of(int warp) {
  int left = n - warp * WARP;
  return left >= WARP ? ~0u : (1u << left) - 1;
}

static void report_lane(int thread) {
  current = thread;
  here.thread = threads[thread].id;
}

/* The lane whose value lane `l` gets, or -1 where the result is not a value. */
static int source_lane(const cuda_thread *t, int l) {
  int base = l & ~(t->width - 1), from;
  switch (t->kind) {
  case WARP_SHUFFLE:
    return base + (t->argument & (t->width - 1));
  case WARP_UP:
    from = l - t->argument;
    return from < base ? l : from;
  case WARP_DOWN:
    from = l + t->argument;
    return from >= base + t->width ? l : from;
  case WARP_XOR:
    from = l ^ t->argument;
    return from >= base + t->width ? l : from;
  default:
    return -1;
  }
}

/* All lanes of `lanes` have come: they must agree; each gets its result. */
static void finish_warp(int warp, unsigned lanes) {
  cuda_thread *w = threads + warp * WARP;
  const cuda_thread *first = &w[__builtin_ctz(lanes)];
  unsigned votes = 0;
  for (unsigned m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (w[l].mask != first->mask || w[l].at.line != first->at.line || w[l].kind != first->kind) {
      report_lane(warp * WARP + l);
      misuse("lanes of one mask execute different warp operations: %s:%d mask %08x and %s:%d mask "
             "%08x",
             first->at.file, first->at.line, first->mask, w[l].at.file, w[l].at.line, w[l].mask);
    }
    if (w[l].value)
      votes |= 1u << l;
  }
  for (unsigned m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m), from = source_lane(&w[l], l);
    cuda_thread *t = &w[l];
    t->result = t->kind == WARP_BALLOT ? votes : t->kind == WARP_ANY ? votes != 0 : votes == lanes;
    if (t->kind == WARP_MATCH) {
      t->result = 0;
      for (unsigned k = lanes; k; k &= k - 1)
        if (w[__builtin_ctz(k)].value == t->value)
          t->result |= 1u << __builtin_ctz(k);
    } else if (from >= 0 && lanes >> from & 1) {
      t->result = w[from].value;
    } else if (from >= 0) {
      report_lane(warp * WARP + l);
      misuse("shuffle at %s:%d: lane %d reads lane %d, which does not take part", t->at.file,
             t->at.line, l, from);
      t->result = ~UINT64_C(0);
    }
  }
  warp_waits[warp] &= ~lanes;
  while (lanes) {
    int l = config.order == ORDER_REVERSE ? 31 - __builtin_clz(lanes) : __builtin_ctz(lanes);
    lanes &= ~(1u << l);
    make_ready(warp * WARP + l);
  }
}

/* The lanes that the operation of thread t waits for; those that have exited are excused. */
static unsigned expected_lanes(int t) {
  return threads[t].mask & lanes_of(t / WARP) & ~warp_gone[t / WARP];
}

uint64_t warp(warp_kind kind, unsigned mask, uint64_t value, int argument, int width, site at) {
  int me = current, w = me / WARP;
  cuda_thread *t = &threads[me];
  if (!(mask >> (me % WARP) & 1))
    misuse("warp operation at %s:%d: lane %d is not in its own mask %08x", at.file, at.line,
           me % WARP, mask);
  bool parity = t->warp_parity;
  if (kind == WARP_SYNC) { /* only this one orders memory */
    t->warp_parity = !parity;
    TSAN(__tsan_release(&in_warp[w][parity]);)
  }
  t->state = IN_WARP;
  t->at = at;
  t->kind = kind;
  t->mask = mask;
  t->value = value;
  t->argument = argument;
  t->width = width;
  warp_waits[w] |= 1u << me % WARP;
  unsigned lanes = expected_lanes(me);
  if ((warp_waits[w] & lanes) == lanes)
    finish_warp(w, lanes);
  run_next();
  TSAN(if (kind == WARP_SYNC) __tsan_acquire(&in_warp[w][parity]);)
  return threads[me].result;
}

void fence(void) { TSAN(__tsan_release(&at_fence); __tsan_acquire(&at_fence);) }

/* -- A thread's life -----------------------------------------------------------------------------
 */

static void thread_exit(void) {
  int w = current / WARP;
  TSAN(__tsan_release(&at_end);)
  threads[current].state = DONE;
  n_done++;
  n_live--;
  totals.threads++;
  warp_gone[w] |= 1u << current % WARP;
  if (n_at_barrier && n_at_barrier == n_live) {
    open_barrier();
    return;
  }
  for (unsigned m = warp_waits[w]; m; m &= m - 1) { /* this exit may complete a group */
    unsigned lanes = expected_lanes(w * WARP + __builtin_ctz(m));
    if ((warp_waits[w] & lanes) == lanes) {
      finish_warp(w, lanes);
      return;
    }
  }
}

void fiber_main(void) {
  for (;;) {
    while (n_started < n) {
      int t = order[n_started++];
      current = t;
      threads[t].state = RUNNING;
      threads[t].on = running_fiber;
      here.thread = threads[t].id;
      TSAN(__tsan_acquire(&at_launch);)
      running_kernel->run(running_kernel->context);
      thread_exit();
      if (config.eager_fibers || n_ready > 0)
        break;
    }
    fiber_give_back(running_fiber);
    run_next();
  }
}

/* -- Shared memory -------------------------------------------------------------------------------
 */

/* Fresh memory of a block.  For the thread sanitizer it is made by an identity of its own, so that
** making it neither races with the threads nor orders them. */
static void *block_memory(size_t align, size_t size) {
  void *p = NULL;
  TSAN(void *me = __tsan_get_current_fiber();
       if (!memory_owner) memory_owner = fiber_identity(NULL, -1);
       __tsan_switch_to_fiber(memory_owner, NO_ORDER);)
  if (posix_memalign(&p, align < 16 ? 16 : align, size) != 0)
    abort();
  memset(p, 0xff, size);
  TSAN(__tsan_release(&at_shared); __tsan_switch_to_fiber(me, NO_ORDER);)
  return p;
}

void *shared_variable(const void *key, size_t size, size_t align, const char *name) {
  TSAN(if (memory_owner) __tsan_acquire(&at_shared);)
  for (int i = 0; i < n_shared; i++) {
    if (shared[i].key == key)
      return shared[i].data;
  }
  if (n_shared == MAX_SHARED)
    misuse("more than %d shared variables", MAX_SHARED);
  if ((shared_bytes += size) > STATIC_LIMIT)
    misuse("%zu bytes of static shared memory are more than %d (at variable %s)", shared_bytes,
           STATIC_LIMIT, name);
  void *p = block_memory(align, size);
  TSAN(__tsan_acquire(&at_shared);)
  shared[n_shared++] = {key, p};
  return p;
}

void *dynamic_shared(void) {
  if (running_kernel->shared_bytes == 0)
    misuse("the kernel uses dynamic shared memory but was launched with 0 bytes");
  if (!dynamic)
    dynamic = block_memory(16, running_kernel->shared_bytes);
  TSAN(__tsan_acquire(&at_shared);)
  return dynamic;
}

/* -- Blocks --------------------------------------------------------------------------------------
 */

static void run_block(uint3 block) {
  here.block = block;
  totals.blocks++;
  n_started = n_done = n_at_barrier = ready_head = n_ready = barrier_parity = 0;
  n_live = n;
  n_shared = 0;
  shared_bytes = 0;
  dynamic = NULL;
  for (int i = 0; i < n; i++) {
    threads[i].state = UNSTARTED;
    threads[i].warp_parity = false;
    order[i] = config.order == ORDER_REVERSE ? n - 1 - i : i;
  }
  for (int i = n - 1; i > 0 && config.order == ORDER_RANDOM; i--) {
    int j = (int)random_below((unsigned)i + 1), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  memset(warp_waits, 0, sizeof warp_waits);
  memset(warp_gone, 0, sizeof warp_gone);
  run_next();
  TSAN(__tsan_acquire(&at_end);)
  for (int i = 0; i < n_shared; i++)
    free(shared[i].data);
  free(dynamic);
  TSAN(if (memory_owner) __tsan_destroy_fiber(memory_owner); memory_owner = NULL;)
}

void run_kernel(const launch &k) {
  running_kernel = &k;
  totals.launches++;
  n = (int)(k.block.x * k.block.y * k.block.z);
  here.block_size = k.block;
  here.grid_size = k.grid;
  for (int i = 0; i < n; i++) {
    unsigned t = (unsigned)i;
    threads[i].id = {t % k.block.x, t / k.block.x % k.block.y, t / (k.block.x * k.block.y)};
  }
  TSAN(host_fiber.tsan = __tsan_get_current_fiber(); __tsan_release(&at_launch);
       fiber_creator = __tsan_create_fiber(0);)
  uint64_t blocks = (uint64_t)k.grid.x * k.grid.y * k.grid.z;
  for (uint64_t i = 0; i < blocks; i++) {
    uint64_t b = config.order == ORDER_REVERSE  ? blocks - 1 - i
                 : config.order == ORDER_RANDOM ? (i + config.seed * UINT64_C(7919)) % blocks
                                                : i;
    run_block({(unsigned)(b % k.grid.x), (unsigned)(b / k.grid.x % k.grid.y),
               (unsigned)(b / ((uint64_t)k.grid.x * k.grid.y))});
  }
  TSAN(__tsan_acquire(&at_end); __tsan_destroy_fiber(fiber_creator);)
  running_kernel = NULL;
}

} // namespace kiln_emu
