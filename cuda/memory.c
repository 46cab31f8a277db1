/* memory.c: device memory and pinned host memory, kept for reuse.  A freed block goes back to the
** stream it was made for and may be handed out at once: what is queued there later runs later.  A
** block that other streams use (kiln__cuda_used) waits until they are past their work.
**
** Memory comes from CUDA in segments: 2 MiB for blocks up to 1 MiB, 20 MiB for those up to 10, one
** of its own above.  Blocks are split and merged again with free neighbours of their segment.
** KILN_ALLOC=direct keeps nothing, so that every tensor is an allocation that tools can watch.
**
** What is allocated while a graph is captured comes from segments of the graph's own, which nobody
** else gets before the graph ends; blocks from before that a graph uses are held for it, freed or
** not.  While anything is captured on a device nothing is given back to CUDA.
*/
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  UNIT = 512,
  SMALL = 1 << 20,         /* blocks up to this lie in */
  SMALL_SEGMENT = 2 << 20, /* segments of this */
  MEDIUM = 10 << 20,
  MEDIUM_SEGMENT = 20 << 20,
  ROUND_LARGE = 2 << 20,
  BINS = 64, /* free blocks by the logarithm of their units */
  MAX_USES = 8
};

typedef struct block {
  char *data;
  int64_t size;
  bool free, small;
  struct block *before, *after; /* neighbours in the segment */
  struct block *next, **place;  /* in a bin, or among the waiting (place is not kept there) */
  struct block *chain;          /* in the hash table */
  cudaStream_t stream;          /* for which it was made */
  const kiln_private *owner;    /* the graphs it is for; NULL: everybody */
  int64_t holder;               /* the graph that held it last */
  int32_t holds;                /* graphs that use it */
  bool dropped;                 /* freed, but for those */
  int32_t n_uses;
  struct { /* others that read or write it */
    cudaStream_t stream;
    int32_t device;
    cudaEvent_t event; /* once freed */
  } uses[MAX_USES];
} block;

typedef struct pool {
  pthread_mutex_t lock;
  block *bins[BINS];
  block *waiting;
  block **table; /* live blocks by address */
  int64_t n_table, n_live;
  int32_t frozen; /* captures under way */
  kiln_reserved counts;
} pool;

struct kiln_private {
  int32_t refs;
};

static pool pools[KILN_CUDA_MAX_DEVICES + 1]; /* 0: pinned host memory */
static bool direct;

__attribute__((constructor)) static void start(void) {
  const char *mode = getenv("KILN_ALLOC");
  direct = mode && strcmp(mode, "direct") == 0;
  for (int32_t i = 0; i <= KILN_CUDA_MAX_DEVICES; i++)
    pthread_mutex_init(&pools[i].lock, NULL);
}

/* -- Blocks in use, by address ------------------------------------------------------------------
 */

static size_t slot_of(const pool *p, const void *data) {
  return (size_t)(((uintptr_t)data >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) &
         (size_t)(p->n_table - 1);
}

static bool table_grow(pool *p) {
  int64_t n = p->n_table ? 2 * p->n_table : 256;
  block **old = p->table, **table = calloc((size_t)n, sizeof *table);
  int64_t n_old = p->n_table;
  if (!table)
    return false;
  p->table = table;
  p->n_table = n;
  for (int64_t i = 0; i < n_old; i++) {
    for (block *b = old[i], *next; b; b = next) {
      next = b->chain;
      block **slot = &p->table[slot_of(p, b->data)];
      b->chain = *slot;
      *slot = b;
    }
  }
  free(old);
  return true;
}

static void table_add(pool *p, block *b) {
  block **slot = &p->table[slot_of(p, b->data)];
  b->chain = *slot;
  *slot = b;
  p->n_live++;
}

static block *table_find(const pool *p, const void *data) {
  block *b = p->n_table ? p->table[slot_of(p, data)] : NULL;
  while (b && b->data != data)
    b = b->chain;
  return b;
}

/* The live block that holds an address, wherever in it; NULL when none does. */
static block *table_search(const pool *p, const char *data) {
  block *b = table_find(p, data);
  for (int64_t i = 0; i < p->n_table && !b; i++) {
    for (b = p->table[i]; b; b = b->chain) {
      if (data >= b->data && data < b->data + b->size)
        break;
    }
  }
  return b;
}

static void table_remove(pool *p, block *b) {
  block **slot = &p->table[slot_of(p, b->data)];
  while (*slot != b)
    slot = &(*slot)->chain;
  *slot = b->chain;
  p->n_live--;
}

/* -- Free blocks --------------------------------------------------------------------------------
 */

static int32_t bin_of(int64_t size) { return 63 - __builtin_clzll((uint64_t)(size / UNIT) | 1); }

static void bin_add(pool *p, block *b) {
  block **bin = &p->bins[bin_of(b->size)];
  b->free = true;
  b->next = *bin;
  b->place = bin;
  if (b->next)
    b->next->place = &b->next;
  *bin = b;
}

static void bin_remove(block *b) {
  b->free = false;
  *b->place = b->next;
  if (b->next)
    b->next->place = b->place;
}

/* The smallest free block of the stream and the owner that has room. */
static block *bin_take(pool *p, int64_t size, cudaStream_t stream, const kiln_private *owner) {
  bool small = size <= SMALL;
  block *best = NULL;
  for (int32_t i = bin_of(size); i < BINS && !best; i++) {
    for (block *b = p->bins[i]; b; b = b->next) {
      if (b->size >= size && b->small == small && b->stream == stream && b->owner == owner &&
          (!best || b->size < best->size))
        best = b;
    }
  }
  if (best)
    bin_remove(best);
  return best;
}

/* -- Segments -----------------------------------------------------------------------------------
 */

static cudaError_t memory_get(int32_t device, int64_t size, void **data) {
  *data = NULL;
  cudaError_t status = device > 0 ? cudaSetDevice(device - 1) : cudaSuccess;
  if (status == cudaSuccess)
    status = device > 0 ? cudaMalloc(data, (size_t)size)
                        : cudaHostAlloc(data, (size_t)size, cudaHostAllocPortable);
  if (status != cudaSuccess)
    (void)cudaGetLastError();
  return status;
}

static void memory_give_back(int32_t device, void *data) {
  if (device == 0)
    (void)cudaFreeHost(data);
  else if (cudaSetDevice(device - 1) == cudaSuccess)
    (void)cudaFree(data);
}

static void count_reserved(pool *p, int64_t bytes) {
  p->counts.bytes += bytes;
  if (p->counts.bytes > p->counts.peak_bytes)
    p->counts.peak_bytes = p->counts.bytes;
}

static block *segment_new(int32_t device, pool *p, int64_t size, cudaStream_t stream,
                          const kiln_private *owner) {
  void *data;
  block *b = calloc(1, sizeof *b);
  if (!b || memory_get(device, size, &data) != cudaSuccess) {
    free(b);
    return NULL;
  }
  b->data = data;
  b->size = size;
  b->stream = stream;
  b->owner = owner;
  b->small = size == SMALL_SEGMENT;
  count_reserved(p, size);
  return b;
}

static bool is_whole(const block *b) { return !b->before && !b->after; }

/* Gives a segment that is one free block back to CUDA, which waits for the device. */
static void segment_end(int32_t device, pool *p, block *b) {
  bin_remove(b);
  memory_give_back(device, b->data);
  p->counts.bytes -= b->size;
  free(b);
}

/* Gives back all segments that are free, but those of graphs. */
static void trim(int32_t device, pool *p) {
  for (int32_t i = 0; i < BINS && !p->frozen; i++) {
    for (block *b = p->bins[i], *next; b; b = next) {
      next = b->next;
      if (is_whole(b) && !b->owner)
        segment_end(device, p, b);
    }
  }
}

/* -- Blocks -------------------------------------------------------------------------------------
 */

static block *merge(block *left, block *right) {
  left->size += right->size;
  left->after = right->after;
  if (left->after)
    left->after->before = left;
  free(right);
  return left;
}

static void release(pool *p, block *b) {
  b->n_uses = 0;
  b->holder = 0;
  b->dropped = false;
  if (b->before && b->before->free) {
    block *left = b->before;
    bin_remove(left);
    b = merge(left, b);
  }
  if (b->after && b->after->free) {
    bin_remove(b->after);
    b = merge(b, b->after);
  }
  bin_add(p, b);
}

/* Releases the blocks whose users are done; with `wait`, waits for them.  What captured work used
** is its owner's until that ends. */
static void release_waiting(pool *p, bool wait) {
  block **at = &p->waiting;
  while (*at) {
    block *b = *at;
    while (b->n_uses > 0 && !b->owner) {
      cudaEvent_t event = b->uses[b->n_uses - 1].event;
      cudaError_t status = wait ? cudaEventSynchronize(event) : cudaEventQuery(event);
      if (status == cudaErrorNotReady)
        break;
      (void)cudaEventDestroy(event);
      b->n_uses--;
    }
    if (b->n_uses > 0) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    release(p, b);
  }
}

/* The rest of a block that is larger than asked for becomes a free block. */
static void split(pool *p, block *b, int64_t size) {
  int64_t rest = b->size - size;
  if (rest < (b->small ? UNIT : SMALL + 1))
    return;
  block *other = calloc(1, sizeof *other);
  if (!other)
    return;
  other->data = b->data + size;
  other->size = rest;
  other->small = b->small;
  other->stream = b->stream;
  other->owner = b->owner;
  other->before = b;
  other->after = b->after;
  if (other->after)
    other->after->before = other;
  b->after = other;
  b->size = size;
  bin_add(p, other);
}

static int64_t segment_for(int64_t size) {
  return direct           ? size
         : size <= SMALL  ? SMALL_SEGMENT
         : size <= MEDIUM ? MEDIUM_SEGMENT
                          : (size + ROUND_LARGE - 1) / ROUND_LARGE * ROUND_LARGE;
}

static int32_t take(int32_t device, int64_t bytes, cudaStream_t stream, const kiln_private *owner,
                    void **data) {
  pool *p = &pools[device];
  int64_t size = bytes <= 0 ? 1 : bytes;
  int32_t status = KILN_ENOMEM;
  if (!direct)
    size = (size + UNIT - 1) / UNIT * UNIT;
  *data = NULL;
  pthread_mutex_lock(&p->lock);
  release_waiting(p, false);
  block *b = NULL;
  bool room = 2 * p->n_live < p->n_table || table_grow(p);
  if (room && !direct)
    b = bin_take(p, size, stream, owner);
  if (room && !b)
    b = segment_new(device, p, segment_for(size), stream, owner);
  if (room && !b) { /* give back what is kept, for other streams too */
    release_waiting(p, !p->frozen);
    trim(device, p);
    b = segment_new(device, p, segment_for(size), stream, owner);
    if (!b && segment_for(size) > size && size > SMALL)
      b = segment_new(device, p, size, stream, owner);
  }
  if (b) {
    split(p, b, size);
    table_add(p, b);
    *data = b->data;
    status = KILN_OK;
  }
  pthread_mutex_unlock(&p->lock);
  return status;
}

/* Marks how far the other users of a block are; a mark that cannot be made is waited for. */
static void mark_uses(block *b) {
  int32_t n = 0;
  for (int32_t i = 0; i < b->n_uses; i++) {
    cudaEvent_t event;
    (void)cudaSetDevice(b->uses[i].device - 1);
    if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) {
      (void)cudaStreamSynchronize(b->uses[i].stream);
      continue;
    }
    (void)cudaEventRecord(event, b->uses[i].stream);
    b->uses[n++].event = event;
  }
  b->n_uses = n;
}

/* Nobody has the block any more, but for work that is queued. */
static void drop(int32_t device, pool *p, block *b) {
  table_remove(p, b);
  if (!b->owner)
    mark_uses(b);
  if (b->n_uses > 0) {
    b->next = p->waiting;
    p->waiting = b;
    return;
  }
  release(p, b);
  if (direct)
    trim(device, p);
}

static void give_back(int32_t device, void *data) {
  pool *p = &pools[device];
  pthread_mutex_lock(&p->lock);
  block *b = table_find(p, data);
  if (b && b->holds > 0)
    b->dropped = true;
  else if (b)
    drop(device, p, b);
  pthread_mutex_unlock(&p->lock);
}

/* -- Of graphs ----------------------------------------------------------------------------------
 */

kiln_private *kiln__cuda_private_new(void) {
  kiln_private *m = calloc(1, sizeof *m);
  if (m)
    m->refs = 1;
  return m;
}

kiln_private *kiln__cuda_private_retain(kiln_private *m) {
  __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
  return m;
}

static void adopt(block *b, const kiln_private *m, cudaStream_t stream) {
  if (b->owner != m)
    return;
  b->owner = NULL;
  b->stream = stream;
  b->n_uses = 0;
}

void kiln__cuda_private_release(int32_t device, kiln_private *m) {
  pool *p = &pools[device];
  if (!m || __atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  cudaStream_t stream = kiln__cuda_stream_handle(device, 0);
  pthread_mutex_lock(&p->lock);
  for (int64_t i = 0; i < p->n_table; i++)
    for (block *b = p->table[i]; b; b = b->chain)
      adopt(b, m, stream);
  for (int32_t i = 0; i < BINS; i++) {
    for (block *b = p->bins[i], *next; b; b = next) {
      bool was_owned = b->owner == m;
      next = b->next;
      adopt(b, m, stream);
      if (was_owned && is_whole(b) && !p->frozen) /* graphs do not get it from the bins */
        segment_end(device, p, b);
    }
  }
  for (block *b = p->waiting; b; b = b->next)
    adopt(b, m, stream);
  release_waiting(p, false);
  if (direct)
    trim(device, p);
  pthread_mutex_unlock(&p->lock);
  free(m);
}

void kiln__cuda_freeze(int32_t device, bool on) {
  pool *p = &pools[device];
  pthread_mutex_lock(&p->lock);
  p->frozen += on ? 1 : -1;
  if (direct)
    trim(device, p);
  pthread_mutex_unlock(&p->lock);
}

void *kiln__cuda_hold(int32_t device, const void *data, const kiln_private *owner, int64_t graph) {
  pool *p = &pools[device];
  pthread_mutex_lock(&p->lock);
  block *b = p->n_live > 0 ? table_search(p, data) : NULL;
  if (b && (b->holder == graph || (owner && b->owner == owner)))
    b = NULL;
  if (b) {
    b->holder = graph;
    b->holds++;
  }
  pthread_mutex_unlock(&p->lock);
  return b;
}

void kiln__cuda_let_go(int32_t device, void *held) {
  pool *p = &pools[device];
  block *b = held;
  pthread_mutex_lock(&p->lock);
  if (--b->holds == 0 && b->dropped)
    drop(device, p, b);
  pthread_mutex_unlock(&p->lock);
}

/* -- What others call ---------------------------------------------------------------------------
 */

int32_t kiln__cuda_alloc(int32_t device, int64_t bytes, void **data) {
  const kiln_private *owner = NULL;
  int32_t status = device > 0 ? kiln__cuda_graph_admits(device, "memory", &owner) : KILN_OK;
  return status < 0
             ? status
             : take(device, bytes, device > 0 ? kiln__cuda_stream(device) : NULL, owner, data);
}

void kiln__cuda_free(int32_t device, void *data, int64_t bytes) {
  (void)bytes;
  give_back(device, data);
}

void kiln__cuda_used(int32_t device, const void *data, int32_t stream_device, void *stream) {
  pool *p = &pools[device];
  if (direct)
    return; /* freeing waits */
  pthread_mutex_lock(&p->lock);
  block *b = table_search(p, data);
  bool known = !b || (device > 0 && b->stream == (cudaStream_t)stream) ||
               (!b->owner && kiln__cuda_is_capturing()); /* the graph holds it */
  for (int32_t i = 0; b && i < b->n_uses; i++)
    known |= b->uses[i].stream == (cudaStream_t)stream;
  if (!known && b->n_uses == MAX_USES && !b->owner) {
    (void)cudaStreamSynchronize(stream);
  } else if (!known && b->n_uses < MAX_USES) {
    b->uses[b->n_uses].stream = stream;
    b->uses[b->n_uses++].device = stream_device;
  }
  pthread_mutex_unlock(&p->lock);
}

bool kiln__cuda_is_pinned(const void *data) {
  pool *p = &pools[0];
  pthread_mutex_lock(&p->lock);
  bool found = p->n_live > 0 && table_search(p, data);
  pthread_mutex_unlock(&p->lock);
  return found;
}

void kiln__cuda_trim(int32_t device) {
  pool *p = &pools[device];
  pthread_mutex_lock(&p->lock);
  release_waiting(p, true);
  trim(device, p);
  pthread_mutex_unlock(&p->lock);
}

kiln_reserved *kiln__cuda_reserved(int32_t device) { return &pools[device].counts; }
