/* alloc.c: which memory is free: a caching allocator over what the backends give, and the
** counters of each device.  Freed blocks are kept by size for reuse, so a loop that makes and drops
** tensors touches the same warm pages.  It refuses to know who holds a block.
**
** Size classes: multiples of 64 bytes up to 1 KiB, then four steps a power of two.  A block is
** reused only within its class, so waste is at most a quarter.
**
** Free blocks up to 64 KiB lie in magazines (Bonwick and Adams, "Magazines and Vmem", 2001):
** arrays of pointers that a thread fills and empties without a lock, and hands to the others whole.
** Nothing is written to a free block, and it is fetched into the cache before its turn comes: after
** a collection of Lua's the blocks of thousands of tensors are free, in any order, and cold.
*/
#include "internal.h"

#include <pthread.h>
#include <unistd.h>

enum {
  SMALL_STEP = 64,
  SMALL_CLASSES = 16,
  CLASSES = SMALL_CLASSES + 4 * 54,
  MAGAZINE_CLASSES = SMALL_CLASSES + 4 * 6, /* up to 64 KiB */
  MAGAZINE = 62,
  MAGAZINE_BYTES = 256 << 10,
  DEVICES = 17,
  CACHE_SLACK = 64 << 20,
  NEAR_LEAST = 32 << 10, /* see `near` */
  NEAR_MOST = 1 << 20,
  LARGE_CACHE = 64 << 20
};

/* -- Counters ------------------------------------------------------------------------------ */

/* near: live bytes of the CPU in blocks of middling size.  Their loops write through the caches, so
** that garbage among them may be a part only of what garbage may be: what is written again is then
** found in the last cache, and not in memory.  (Smaller blocks stay in the first caches of
** themselves, larger ones are written past all of them.) */
typedef struct device_state {
  kiln_memory memory;
  int64_t floor;
  int64_t near, near_limit;
} device_state;

static device_state states[DEVICES];
static int64_t near_parts = 4; /* 16 MiB; 2, which costs fewer collections, in a large last cache */

static device_state *state_of(int32_t device) {
  KILN_ASSERT(device >= 0 && device < DEVICES);
  return &states[device];
}

kiln_memory *kiln__memory(int32_t device) { return &state_of(device)->memory; }

const kiln_memory *kiln_peek_memory(int32_t device) {
  return device >= 0 && device < DEVICES ? kiln__memory(device) : NULL;
}

/* To write `floor` bytes takes the CPU longer than to collect.  An accelerator writes faster, so
** that there garbage may grow with what lives. */
static void update_limit(int32_t device) {
  device_state *s = state_of(device);
  int64_t live = __atomic_load_n(&s->memory.live_bytes, __ATOMIC_RELAXED), slack = s->floor;
  int64_t near = __atomic_load_n(&s->near, __ATOMIC_RELAXED);
  if (device > 0 && live / 2 > slack)
    slack = live / 2;
  __atomic_store_n(&s->memory.soft_limit, live + slack, __ATOMIC_RELAXED);
  __atomic_store_n(&s->near_limit, near + slack / near_parts, __ATOMIC_RELAXED);
  __atomic_store_n(&s->memory.pressure, 0, __ATOMIC_RELAXED);
}

void kiln_memory_collected(int32_t device) { update_limit(device); }

void kiln_memory_set_floor(int32_t device, int64_t bytes) {
  state_of(device)->floor = bytes < 0 ? 0 : bytes;
  update_limit(device);
}

static void press(kiln_memory *m) { __atomic_store_n(&m->pressure, 1, __ATOMIC_RELAXED); }

static void count_near(int64_t bytes) {
  device_state *s = &states[0];
  int64_t near = __atomic_add_fetch(&s->near, bytes, __ATOMIC_RELAXED);
  if (bytes > 0 && near > __atomic_load_n(&s->near_limit, __ATOMIC_RELAXED))
    press(&s->memory);
}

void kiln__count_live(int32_t device, int64_t bytes) {
  kiln_memory *m = kiln__memory(device);
  int64_t size = bytes < 0 ? -bytes : bytes;
  if (size >= NEAR_LEAST && size <= NEAR_MOST && device == 0)
    count_near(bytes);
  int64_t live = __atomic_add_fetch(&m->live_bytes, bytes, __ATOMIC_RELAXED);
  if (bytes <= 0)
    return;
  if (live > __atomic_load_n(&m->peak_bytes, __ATOMIC_RELAXED))
    __atomic_store_n(&m->peak_bytes, live, __ATOMIC_RELAXED);
  if (live > __atomic_load_n(&m->soft_limit, __ATOMIC_RELAXED))
    press(m);
}

/* -- Size classes -------------------------------------------------------------------------- */

static int32_t class_of(int64_t bytes, int64_t *size) {
  if (bytes <= SMALL_STEP * SMALL_CLASSES) {
    int32_t k = bytes <= 0 ? 0 : (int32_t)((bytes - 1) / SMALL_STEP);
    *size = (int64_t)(k + 1) * SMALL_STEP;
    return k;
  }
  int32_t log = 63 - __builtin_clzll((uint64_t)(bytes - 1)); /* 2^log < bytes <= 2^(log+1) */
  int64_t quarter = (int64_t)1 << (log - 2);
  int32_t step = (int32_t)((bytes - 1 - ((int64_t)1 << log)) / quarter);
  *size = ((int64_t)1 << log) + (step + 1) * quarter;
  return SMALL_CLASSES + 4 * (log - 10) + step;
}

static int64_t size_of_class(int32_t k) {
  if (k < SMALL_CLASSES)
    return (int64_t)(k + 1) * SMALL_STEP;
  int32_t log = 10 + (k - SMALL_CLASSES) / 4, step = (k - SMALL_CLASSES) % 4;
  return ((int64_t)1 << log) + (step + 1) * ((int64_t)1 << (log - 2));
}

/* -- The depot: free blocks of the CPU, for every thread ----------------------------------- */

typedef struct magazine {
  struct magazine *next;
  int64_t n;
  void *item[MAGAZINE];
} magazine;

/* A free block above the classes of magazines. */
typedef struct block {
  struct block *next;
} block;

static struct {
  pthread_mutex_t lock;
  magazine *full[MAGAZINE_CLASSES]; /* or in part: those of threads that ended */
  magazine *empty;
  block *large[CLASSES];
  uint32_t trims; /* how often all free blocks were given back; see own_trim */
} depot = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A child of fork() has this thread alone: nobody else may hold the lock then. */
static void depot_lock(void) { pthread_mutex_lock(&depot.lock); }
static void depot_unlock(void) { pthread_mutex_unlock(&depot.lock); }

static bool direct; /* KILN_ALLOC=direct: nothing is kept, for sanitizers */

__attribute__((constructor)) static void start(void) {
  const char *mode = getenv("KILN_ALLOC");
  direct = mode && strcmp(mode, "direct") == 0;
  pthread_atfork(depot_lock, depot_unlock, depot_unlock);
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (sysconf(_SC_LEVEL3_CACHE_SIZE) >= LARGE_CACHE)
    near_parts = 2;
#endif
  for (int32_t i = 0; i < DEVICES; i++)
    kiln_memory_set_floor(i, 64 << 20);
}

/* With the lock.  Where there is nothing to pop, NULL. */
static magazine *pop(magazine **list) {
  magazine *m = *list;
  if (m)
    *list = m->next;
  return m;
}

static void push(magazine **list, magazine *m) {
  m->next = *list;
  *list = m;
}

static void count_cached(int64_t bytes) {
  __atomic_add_fetch(&states[0].memory.cached_bytes, bytes, __ATOMIC_RELAXED);
}

static void give_back(void *p, int64_t size) { kiln__backend(0)->free(0, p, size); }

static void give_back_all(magazine *m, int64_t size) {
  while (m && m->n > 0)
    give_back(m->item[--m->n], size);
}

/* With the lock. */
static void trim_class(int32_t k) {
  int64_t size = size_of_class(k);
  for (block *b = depot.large[k], *next; b; b = next) {
    next = b->next;
    give_back(b, size);
    count_cached(-size);
  }
  depot.large[k] = NULL;
  for (magazine *m; k < MAGAZINE_CLASSES && (m = pop(&depot.full[k])) != NULL;) {
    count_cached(-m->n * size);
    give_back_all(m, size);
    push(&depot.empty, m);
  }
}

/* -- A thread's own magazines -------------------------------------------------------------- */

/* Two of a class, so that who allocates and frees by turns at the end of one does not go to the
** depot each time.  NULL until the first block of the class is freed. */
typedef struct rack {
  magazine *loaded, *spare;
} rack;

typedef struct racks {
  uint32_t trims; /* what depot.trims was when these were last given back */
  rack of[MAGAZINE_CLASSES];
} racks;

/* Behind a pointer: little thread-local memory may be had by a library that is opened late. */
static KILN_HOT_TLS racks *own;
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static uint32_t trims(void) { return __atomic_load_n(&depot.trims, __ATOMIC_RELAXED); }

/* Gives back what this thread's magazines hold.  A trim asks all threads to; each does at its next
** allocation, since nobody else may touch its magazines. */
static void own_trim(void) {
  own->trims = trims();
  for (int32_t k = 0; k < MAGAZINE_CLASSES; k++) {
    give_back_all(own->of[k].loaded, size_of_class(k));
    give_back_all(own->of[k].spare, size_of_class(k));
  }
}

void kiln_memory_trim(int32_t device) {
  if (device > 0) {
    const kiln_backend *b = kiln__backend(device);
    if (b)
      b->accelerator->trim(device);
    return;
  }
  depot_lock();
  for (int32_t k = 0; k < CLASSES; k++)
    trim_class(k);
  depot_unlock();
  __atomic_add_fetch(&depot.trims, 1, __ATOMIC_RELAXED);
  if (own)
    own_trim();
}

/* More is kept than was ever needed at once: sizes have changed, start over. */
static void trim_if_stale(void) {
  kiln_memory *m = &states[0].memory;
  int64_t cached = __atomic_load_n(&m->cached_bytes, __ATOMIC_RELAXED);
  if (KILN_LIKELY(cached <= CACHE_SLACK))
    return;
  int64_t peak = __atomic_load_n(&m->peak_bytes, __ATOMIC_RELAXED);
  int64_t live = __atomic_load_n(&m->live_bytes, __ATOMIC_RELAXED);
  if (cached + live > peak + peak / 4 + CACHE_SLACK)
    kiln_memory_trim(0);
}

static void *large_alloc(int32_t k, int64_t size) {
  depot_lock();
  block *b = depot.large[k];
  if (b)
    depot.large[k] = b->next;
  depot_unlock();
  if (b)
    count_cached(-size);
  return b;
}

static void large_free(void *p, int32_t k, int64_t size) {
  count_cached(size);
  trim_if_stale();
  block *b = p;
  depot_lock();
  b->next = depot.large[k];
  depot.large[k] = b;
  depot_unlock();
}

static int64_t rounds(int64_t size) {
  int64_t n = MAGAZINE_BYTES / size;
  return n < MAGAZINE ? n : MAGAZINE;
}

static void hand_over(magazine *m, int32_t k) {
  if (!m)
    return;
  if (m->n > 0)
    count_cached(m->n * size_of_class(k));
  depot_lock();
  push(m->n > 0 ? &depot.full[k] : &depot.empty, m);
  depot_unlock();
}

static void own_end(void *ended) {
  own = NULL;
  for (int32_t k = 0; k < MAGAZINE_CLASSES; k++) {
    rack *r = &((racks *)ended)->of[k];
    hand_over(r->loaded, k);
    hand_over(r->spare, k);
  }
  free(ended);
}
static void own_make_key(void) { pthread_key_create(&own_key, own_end); }
static bool own_start(void) {
  pthread_once(&own_once, own_make_key);
  own = calloc(1, sizeof *own);
  if (!own)
    return false;
  own->trims = trims();
  pthread_setspecific(own_key, own);
  return true;
}

static void swap(rack *r) {
  magazine *m = r->loaded;
  r->loaded = r->spare;
  r->spare = m;
}

/* Asks for a block before its turn comes: small ones, a tensor or the header of a storage, which
** come in quick succession, three allocations ahead; those that hold elements, one.  The loops over
** more than MOST bytes run as fast without. */
static void fetch(const magazine *m, int64_t size) {
  enum { SMALL = 1 << 10, MOST = 16 << 10, LINE = 64 };
  const int64_t ahead = size <= SMALL ? 3 : 1;
  if (m->n < ahead || size > MOST)
    return;
  const char *p = m->item[m->n - ahead];
  for (int64_t at = 0; at < size; at += LINE)
    __builtin_prefetch(p + at, 1, 3);
}

/* Both magazines of r are empty or absent.  Whether there is a block now. */
static bool reload(rack *r, int32_t k) {
  depot_lock();
  magazine *m = pop(&depot.full[k]);
  if (m) {
    if (r->loaded)
      push(&depot.empty, r->loaded);
    r->loaded = m;
  }
  depot_unlock();
  if (m)
    count_cached(-m->n * size_of_class(k));
  return m != NULL;
}

static void *small_alloc(int32_t k, int64_t size) {
  if (KILN_UNLIKELY(!own) && !own_start())
    return NULL;
  if (KILN_UNLIKELY(own->trims != trims()))
    own_trim();
  rack *r = &own->of[k];
  if (!r->loaded || r->loaded->n == 0) {
    if (r->spare && r->spare->n > 0)
      swap(r);
    else if (!reload(r, k))
      return NULL;
  }
  void *p = r->loaded->item[--r->loaded->n];
  fetch(r->loaded, size);
  return p;
}

/* Neither magazine of r has room.  Whether there is some now. */
static bool unload(rack *r, int32_t k) {
  depot_lock();
  magazine *m = pop(&depot.empty);
  depot_unlock();
  if (!m)
    m = malloc(sizeof *m);
  if (!m)
    return false;
  m->n = 0;
  hand_over(r->spare, k);
  r->spare = r->loaded;
  r->loaded = m;
  trim_if_stale();
  return true;
}

static void small_free(void *p, int32_t k, int64_t size) {
  if (KILN_UNLIKELY(!own) && !own_start()) {
    give_back(p, size);
    return;
  }
  rack *r = &own->of[k];
  if (!r->loaded || r->loaded->n == rounds(size)) {
    if (r->spare && r->spare->n < rounds(size)) {
      swap(r);
    } else if (!unload(r, k)) {
      give_back(p, size);
      return;
    }
  }
  r->loaded->item[r->loaded->n++] = p;
}

/* -- Blocks -------------------------------------------------------------------------------- */

static void out_of_memory(int32_t device, int64_t bytes) {
  int64_t live = __atomic_load_n(&state_of(device)->memory.live_bytes, __ATOMIC_RELAXED);
  if (device == 0)
    kiln_fail(KILN_ENOMEM, "out of memory: cannot allocate %lld bytes (%lld are live)",
              (long long)bytes, (long long)live);
  else
    kiln_fail(KILN_ENOMEM, "out of memory on %s: cannot allocate %lld bytes (%lld are live)",
              kiln__device_text(device), (long long)bytes, (long long)live);
}

/* An accelerator's backend keeps freed memory itself: it knows the order of streams. */
static void *device_alloc(int32_t device, int64_t bytes, int64_t *capacity) {
  void *p = NULL;
  *capacity = bytes > 0 ? bytes : 1;
  int32_t status = kiln__backend(device)->alloc(device, *capacity, &p);
  if (status == KILN_ENOMEM)
    out_of_memory(device, bytes);
  return status < 0 ? NULL : p;
}

void *kiln__alloc(int32_t device, int64_t bytes, int64_t *capacity) {
  int64_t size;
  if (bytes < 0 || bytes > (int64_t)1 << 48) {
    kiln_fail(KILN_ENOMEM, "%lld bytes are more than any memory holds", (long long)bytes);
    return NULL;
  }
  if (KILN_UNLIKELY(device != 0))
    return device_alloc(device, bytes, capacity);
  int32_t k = class_of(bytes, &size);
  void *p = k < MAGAZINE_CLASSES ? small_alloc(k, size) : large_alloc(k, size);
  if (!p && kiln__backend(0)->alloc(0, size, &p) < 0) {
    kiln_memory_trim(0);
    if (kiln__backend(0)->alloc(0, size, &p) < 0) {
      out_of_memory(0, bytes);
      return NULL;
    }
  }
  *capacity = size;
  return p;
}

void kiln__free(int32_t device, void *p, int64_t capacity) {
  int64_t size;
  if (KILN_UNLIKELY(device != 0)) {
    kiln__backend(device)->free(device, p, capacity);
    return;
  }
  int32_t k = class_of(capacity, &size);
  KILN_ASSERT(size == capacity);
  if (KILN_UNLIKELY(direct))
    give_back(p, size);
  else if (k < MAGAZINE_CLASSES)
    small_free(p, k, size);
  else
    large_free(p, k, size);
}

void *kiln__scratch(int32_t device, int64_t bytes) {
  int64_t capacity;
  return kiln__alloc(device, bytes, &capacity);
}

void kiln__scratch_free(int32_t device, void *p, int64_t bytes) {
  int64_t size;
  if (!p)
    return;
  if (device == 0)
    class_of(bytes, &size);
  else
    size = bytes > 0 ? bytes : 1;
  kiln__free(device, p, size);
}

int32_t kiln__copy_bytes(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                         int64_t bytes) {
  const kiln_backend *b = kiln__backend(dst_device > 0 ? dst_device : src_device);
  return b->copy(dst, dst_device, src, src_device, bytes);
}
