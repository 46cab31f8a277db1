/* storage.c: who holds which memory: reference-counted blocks over a caching allocator, and the
** counters of each device.  Freed blocks are kept by size for reuse, so a loop that makes and drops
** tensors touches the same warm pages.  It refuses to know shapes.
**
** Size classes: multiples of 64 bytes up to 1 KiB, then four steps a power of two.  A block is
** reused only within its class, so waste is at most a quarter.
*/
#include "internal.h"

#include <pthread.h>

enum {
  SMALL_STEP = 64,
  SMALL_CLASSES = 16,
  CLASSES = SMALL_CLASSES + 4 * 54,
  DEVICES = 17,
  CACHE_SLACK = 64 << 20,
  NEAR_LEAST = 32 << 10, /* see `near` */
  NEAR_MOST = 1 << 20,
  HEADER = 64, /* a storage, rounded up to keep data aligned */
  INLINE_BYTES = 4096
};

typedef struct block {
  struct block *next;
} block;

/* near: live bytes of the CPU in blocks of middling size.  Their loops write through the caches, so
** that garbage among them may be a quarter of what garbage may be: what is written again is then
** found in the last cache, and not in memory.  (Smaller blocks stay in the first caches of
** themselves, larger ones are written past all of them.) */
typedef struct device_state {
  pthread_mutex_t lock;
  block *free_list[CLASSES];
  kiln_memory memory;
  int64_t floor;
  int64_t near, near_limit;
} device_state;

static device_state states[DEVICES];
static bool direct; /* KILN_ALLOC=direct: no cache, for sanitizers */

static int64_t limit_of(const int64_t *live, int64_t floor) {
  int64_t now = __atomic_load_n(live, __ATOMIC_RELAXED), limit = now + now / 2;
  return limit > floor ? limit : floor;
}

static void update_limit(device_state *s) {
  int64_t limit = limit_of(&s->memory.live_bytes, s->floor);
  __atomic_store_n(&s->memory.soft_limit, limit, __ATOMIC_RELAXED);
  __atomic_store_n(&s->near_limit, limit_of(&s->near, s->floor / 4), __ATOMIC_RELAXED);
  __atomic_store_n(&s->memory.pressure, 0, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void start(void) {
  const char *mode = getenv("KILN_ALLOC");
  direct = mode && strcmp(mode, "direct") == 0;
  for (int32_t i = 0; i < DEVICES; i++) {
    pthread_mutex_init(&states[i].lock, NULL);
    states[i].floor = 64 << 20;
    update_limit(&states[i]);
  }
}

static device_state *state_of(int32_t device) {
  KILN_ASSERT(device >= 0 && device < DEVICES);
  return &states[device];
}

kiln_memory *kiln__memory(int32_t device) { return &state_of(device)->memory; }

const kiln_memory *kiln_peek_memory(int32_t device) {
  return device >= 0 && device < DEVICES ? kiln__memory(device) : NULL;
}

void kiln_memory_collected(int32_t device) { update_limit(state_of(device)); }

void kiln_memory_set_floor(int32_t device, int64_t bytes) {
  state_of(device)->floor = bytes < 0 ? 0 : bytes;
  update_limit(state_of(device));
}

/* -- Blocks -------------------------------------------------------------------------------- */

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

static void trim(int32_t device, device_state *s) {
  for (int32_t k = 0; k < CLASSES; k++) {
    int64_t size = size_of_class(k);
    block *b = s->free_list[k];
    s->free_list[k] = NULL;
    while (b) {
      block *next = b->next;
      kiln__backend(device)->free(device, b, size);
      s->memory.cached_bytes -= size;
      b = next;
    }
  }
}

void kiln_memory_trim(int32_t device) {
  if (device > 0) {
    const kiln_backend *b = kiln__backend(device);
    if (b)
      b->accelerator->trim(device);
    return;
  }
  device_state *s = state_of(device);
  pthread_mutex_lock(&s->lock);
  trim(device, s);
  pthread_mutex_unlock(&s->lock);
}

/* A small cache of this thread's own, so that the common case takes no lock.  Behind a pointer:
** little thread-local memory may be had by a library that is opened late. */
enum { OWN_CLASSES = 40, OWN_DEPTH = 16 }; /* up to 64 KiB */
typedef struct own_cache {
  uint8_t n[OWN_CLASSES];
  void *item[OWN_CLASSES][OWN_DEPTH];
} own_cache;
static KILN_HOT_TLS own_cache *own;
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void cache_block(int32_t device, void *p, int32_t k, int64_t size);

static void own_end(void *cache) {
  own_cache *c = cache;
  own = NULL;
  for (int32_t k = 0; k < OWN_CLASSES; k++) {
    while (c->n[k] > 0)
      cache_block(0, c->item[k][--c->n[k]], k, size_of_class(k));
  }
  free(c);
}
static void own_make_key(void) { pthread_key_create(&own_key, own_end); }
static bool own_start(void) {
  pthread_once(&own_once, own_make_key);
  own = calloc(1, sizeof *own);
  if (own)
    pthread_setspecific(own_key, own);
  return own != NULL;
}

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
  device_state *s = state_of(device);
  int64_t size;
  if (bytes < 0 || bytes > (int64_t)1 << 48) {
    kiln_fail(KILN_ENOMEM, "%lld bytes are more than any memory holds", (long long)bytes);
    return NULL;
  }
  if (KILN_UNLIKELY(device != 0))
    return device_alloc(device, bytes, capacity);
  int32_t k = class_of(bytes, &size);
  void *p = NULL;
  own_cache *mine = own;
  if (KILN_LIKELY(k < OWN_CLASSES && mine && mine->n[k] > 0)) {
    p = mine->item[k][--mine->n[k]];
  } else {
    pthread_mutex_lock(&s->lock);
    block *b = s->free_list[k];
    if (b) {
      s->free_list[k] = b->next;
      p = b;
      __atomic_sub_fetch(&s->memory.cached_bytes, size, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&s->lock);
  }
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

int32_t kiln__copy_bytes(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                         int64_t bytes) {
  const kiln_backend *b = kiln__backend(dst_device > 0 ? dst_device : src_device);
  return b->copy(dst, dst_device, src, src_device, bytes);
}

static void free_block(int32_t device, void *p, int32_t k) {
  device_state *s = state_of(device);
  pthread_mutex_lock(&s->lock);
  block *b = p;
  b->next = s->free_list[k];
  s->free_list[k] = b;
  pthread_mutex_unlock(&s->lock);
}

/* Keeps a block for the threads to share. */
static void cache_block(int32_t device, void *p, int32_t k, int64_t size) {
  device_state *s = state_of(device);
  int64_t cached = __atomic_add_fetch(&s->memory.cached_bytes, size, __ATOMIC_RELAXED);
  if (KILN_UNLIKELY(cached > CACHE_SLACK)) {
    /* More than was ever needed at once: sizes have changed, start over. */
    int64_t peak = __atomic_load_n(&s->memory.peak_bytes, __ATOMIC_RELAXED);
    int64_t live = __atomic_load_n(&s->memory.live_bytes, __ATOMIC_RELAXED);
    if (cached + live > peak + peak / 4 + CACHE_SLACK)
      kiln_memory_trim(device);
  }
  free_block(device, p, k);
}

void kiln__free(int32_t device, void *p, int64_t capacity) {
  int64_t size;
  if (KILN_UNLIKELY(device != 0)) {
    kiln__backend(device)->free(device, p, capacity);
    return;
  }
  int32_t k = class_of(capacity, &size);
  KILN_ASSERT(size == capacity);
  if (direct) {
    kiln__backend(0)->free(0, p, size);
    return;
  }
  if (k < OWN_CLASSES && (KILN_LIKELY(own != NULL) || own_start()) && own->n[k] < OWN_DEPTH) {
    own->item[k][own->n[k]++] = p;
    return;
  }
  cache_block(device, p, k, size);
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

/* -- Storages ------------------------------------------------------------------------------ */

static void count_near(int64_t bytes) {
  device_state *s = &states[0];
  int64_t near = __atomic_add_fetch(&s->near, bytes, __ATOMIC_RELAXED);
  if (bytes > 0 && near > __atomic_load_n(&s->near_limit, __ATOMIC_RELAXED))
    __atomic_store_n(&s->memory.pressure, 1, __ATOMIC_RELAXED);
}

/* Adds a block to what is live, or takes it away: `bytes` is negative then. */
static void count(kiln_memory *m, int64_t bytes) {
  int64_t size = bytes < 0 ? -bytes : bytes;
  if (size >= NEAR_LEAST && size <= NEAR_MOST && m == &states[0].memory)
    count_near(bytes);
  int64_t live = __atomic_add_fetch(&m->live_bytes, bytes, __ATOMIC_RELAXED);
  if (bytes <= 0)
    return;
  if (live > __atomic_load_n(&m->peak_bytes, __ATOMIC_RELAXED)) {
    __atomic_store_n(&m->peak_bytes, live, __ATOMIC_RELAXED);
  }
  if (live > __atomic_load_n(&m->soft_limit, __ATOMIC_RELAXED)) {
    __atomic_store_n(&m->pressure, 1, __ATOMIC_RELAXED);
  }
}

/* Small CPU data lies behind its header in one block; `capacity` counts the data's room. */
kiln_storage *kiln_storage_new(int64_t bytes, int32_t device) {
  if (KILN_UNLIKELY(device < 0 || device >= DEVICES || !kiln__backend(device))) {
    kiln_fail(KILN_EARG, "there is no %s", kiln__device_text(device));
    return NULL;
  }
  bool together = device == 0 && bytes <= INLINE_BYTES;
  int64_t block_size, capacity;
  kiln_storage *s = kiln__alloc(0, HEADER + (together ? bytes : 0), &block_size);
  if (!s)
    return NULL;
  s->data = (char *)s + HEADER;
  capacity = block_size - HEADER;
  if (!together) {
    s->data = kiln__alloc(device, bytes, &capacity);
    if (!s->data) {
      kiln__free(0, s, block_size);
      return NULL;
    }
  }
  s->refs = 1;
  s->device = (int16_t)device;
  s->holds = 0;
  s->holder = 0;
  s->bytes = bytes;
  s->capacity = capacity;
  s->block = (int32_t)block_size;
  s->version = 0;
  s->trace = 0;
  s->writer = KILN_WRITER_POINTER;
  s->pinned = 0;
  s->pending = NULL;
  kiln_memory *m = kiln__memory(device);
  __atomic_add_fetch(&m->live_storages, 1, __ATOMIC_RELAXED);
  count(m, capacity);
  return s;
}

_Static_assert(sizeof(kiln_storage) <= HEADER, "a storage outgrew its header");

static bool is_together(const kiln_storage *s) { return s->data == (char *)s + HEADER; }

/* Memory of somebody else, who keeps it alive. */
static kiln_storage *borrow(void *data, int64_t bytes) {
  int64_t block_size;
  kiln_storage *s = kiln__alloc(0, HEADER, &block_size);
  if (!s)
    return NULL;
  *s = (kiln_storage){.refs = 1,
                      .data = data,
                      .bytes = bytes,
                      .block = (int32_t)block_size,
                      .writer = KILN_WRITER_POINTER};
  __atomic_add_fetch(&kiln__memory(0)->live_storages, 1, __ATOMIC_RELAXED);
  return s;
}

kiln_storage *kiln__storage_pinned(int64_t bytes) {
  void *data;
  const kiln_accelerator *a = kiln__backend(1)->accelerator;
  if (a->host_alloc(bytes, &data) < 0) {
    kiln_fail(KILN_ENOMEM, "out of memory: cannot pin %lld bytes", (long long)bytes);
    return NULL;
  }
  kiln_storage *s = borrow(data, bytes);
  if (!s) {
    a->host_free(data, bytes);
    return NULL;
  }
  s->pinned = 1;
  return s;
}

/* Small ones have their memory at once, beside the header. */
kiln_storage *kiln__storage_pending(int64_t bytes, struct kiln_step *step) {
  kiln_storage *s = bytes <= INLINE_BYTES ? kiln_storage_new(bytes, 0) : borrow(NULL, bytes);
  if (s)
    s->pending = step;
  return s;
}

int32_t kiln__storage_fill(kiln_storage *s) {
  if (s->data)
    return KILN_OK;
  s->data = kiln__alloc(0, s->bytes, &s->capacity);
  if (!s->data) {
    s->capacity = 0;
    return KILN_ENOMEM;
  }
  count(kiln__memory(0), s->capacity);
  return KILN_OK;
}

kiln_storage *kiln_storage_retain(kiln_storage *s) {
  KILN_ASSERT(kiln__retain(&s->refs) > 1);
  return s;
}

void kiln_storage_release(kiln_storage *s) {
  if (!s || !kiln__drop(&s->refs))
    return;
  if (KILN_UNLIKELY(s->pending))
    kiln__fuse_forget(s->pending);
  kiln_memory *m = kiln__memory(s->device);
  __atomic_sub_fetch(&m->live_storages, 1, __ATOMIC_RELAXED);
  if (s->capacity) {
    count(m, -s->capacity);
    if (!is_together(s))
      kiln__free(s->device, s->data, s->capacity);
  } else if (s->pinned) {
    kiln__backend(1)->accelerator->host_free(s->data, s->bytes);
  }
  kiln__free(0, s, s->block);
}

int64_t kiln_storage_bytes(const kiln_storage *s) { return s->bytes; }
void *kiln_storage_data(const kiln_storage *s) { return s->data; }
int32_t kiln_storage_device(const kiln_storage *s) { return s->device; }
int32_t kiln_storage_refs(const kiln_storage *s) {
  return __atomic_load_n(&s->refs, __ATOMIC_RELAXED);
}

kiln_storage *kiln_storage_hold(kiln_storage *s, int32_t holder) {
  if (__atomic_add_fetch(&s->holds, 1, __ATOMIC_ACQ_REL) == 0) {
    __atomic_sub_fetch(&s->holds, 1, __ATOMIC_ACQ_REL);
    kiln_fail(KILN_EARG, "the memory is held %d times already", UINT16_MAX);
    return NULL;
  }
  s->holder = (uint8_t)holder;
  return kiln_storage_retain(s);
}

void kiln_storage_let_go(kiln_storage *s) {
  KILN_ASSERT(__atomic_fetch_sub(&s->holds, 1, __ATOMIC_ACQ_REL) > 0);
  kiln_storage_release(s);
}

static int32_t check_hold(const kiln_storage *s) {
  static const char *const holders[] = {
      [KILN_HOLD_LOOP] = "apply_ or map_", [KILN_HOLD_GRADCHECK] = "gradcheck"};
  if (__atomic_load_n(&s->holds, __ATOMIC_ACQUIRE) == 0)
    return KILN_OK;
  return kiln_fail(KILN_EARG, "%s is at work on this memory, which cannot grow before it is done",
                   s->holder < KILN_COUNT(holders) ? holders[s->holder] : "somebody");
}

int32_t kiln_storage_resize(kiln_storage *s, int64_t bytes) {
  if (bytes < 0)
    return kiln_fail(KILN_EARG, "a storage cannot have %lld bytes", (long long)bytes);
  if (bytes <= s->bytes)
    return KILN_OK; /* views may still reach what lies beyond */
  if (check_hold(s) < 0)
    return KILN_EARG;
  if (!s->capacity && s->bytes > 0) {
    return kiln_fail(KILN_EARG, "memory that kiln does not own cannot grow");
  }
  if (bytes > s->capacity) {
    int64_t capacity;
    char *data = kiln__alloc(s->device, bytes, &capacity);
    if (!data)
      return KILN_ENOMEM;
    int32_t status = kiln__copy_bytes(data, s->device, s->data, s->device, s->bytes);
    if (status < 0) {
      kiln__free(s->device, data, capacity);
      return status;
    }
    if (!is_together(s))
      kiln__free(s->device, s->data, s->capacity);
    count(kiln__memory(s->device), -s->capacity);
    count(kiln__memory(s->device), capacity);
    s->data = data;
    s->capacity = capacity;
  }
  s->bytes = bytes;
  s->version++;
  s->writer = KILN_WRITER_RESIZE;
  s->trace = kiln__trace();
  return KILN_OK;
}

kiln_tensor *kiln_tensor_borrow(void *data, const int64_t *shape, int32_t ndim, int32_t dtype) {
  int64_t n = kiln__numel(shape, ndim);
  int64_t stride[KILN_MAX_DIMS], step = 1, bytes = 0;
  if (ndim > KILN_MAX_DIMS || n < 0 || (!data && n > 0) || dtype < 0 || dtype >= KILN_DTYPE_COUNT ||
      __builtin_mul_overflow(n, (int64_t)kiln_dtype_size(dtype), &bytes)) {
    kiln_fail(KILN_EARG, "cannot borrow memory as %s of shape %s", kiln_dtype_name(dtype),
              kiln__shape_text(shape, ndim > KILN_MAX_DIMS ? KILN_MAX_DIMS : ndim));
    return NULL;
  }
  for (int32_t i = ndim - 1; i >= 0; i--) {
    stride[i] = step;
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  kiln_storage *s = borrow(data, bytes);
  if (!s)
    return NULL;
  kiln_tensor *x = kiln_tensor_from_storage(s, dtype, 0, shape, stride, ndim);
  kiln_storage_release(s);
  return x;
}
