/* storage.c: who holds which memory: reference-counted runs of bytes, each on one device.  It
** refuses to know shapes, and where memory comes from (alloc.c).
*/
#include "internal.h"

enum {
  HEADER = 64, /* a storage, rounded up to keep data aligned */
  INLINE_BYTES = 4096
};

/* Small CPU data lies behind its header in one block; `capacity` counts the data's room. */
kiln_storage *kiln_storage_new(int64_t bytes, int32_t device) {
  if (KILN_UNLIKELY(!kiln_peek_memory(device) || !kiln__backend(device))) {
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
  s->birth = __atomic_load_n(&kiln__births, __ATOMIC_RELAXED);
  s->writer = KILN_WRITER_POINTER;
  s->pinned = 0;
  s->pending = NULL;
  __atomic_add_fetch(&kiln__memory(device)->live_storages, 1, __ATOMIC_RELAXED);
  kiln__count_live(device, capacity);
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
                      .writer = KILN_WRITER_POINTER,
                      .birth = __atomic_load_n(&kiln__births, __ATOMIC_RELAXED)};
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
  kiln__count_live(0, s->capacity);
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
  __atomic_sub_fetch(&kiln__memory(s->device)->live_storages, 1, __ATOMIC_RELAXED);
  if (s->capacity) {
    kiln__count_live(s->device, -s->capacity);
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
    kiln__count_live(s->device, -s->capacity);
    kiln__count_live(s->device, capacity);
    s->data = data;
    s->capacity = capacity;
  }
  s->bytes = bytes;
  s->version++;
  s->writer = KILN_WRITER_RESIZE;
  s->trace = (int32_t)kiln__trace();
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
