/* tensor.c: who holds which tensor: creation, aliases, release, and what can be asked of one.
** Releases never recurse over a graph: whatever a dying tensor held is put on a list of this thread
** and released from there.  It refuses to compute.
*/
#include "internal.h"

#include <math.h>
#include <pthread.h>

static kiln_tensor *tensor_alloc(void) {
  int64_t capacity;
  kiln_tensor *x = kiln__alloc(0, sizeof *x, &capacity);
  if (!x)
    return NULL;
  x->refs = 1;
  x->flags = 0;
  x->base = NULL;
  x->node = x->parked = NULL;
  x->grad = NULL;
  x->nr = 0;
  x->generation = 0;
  __atomic_add_fetch(&kiln__memory(0)->live_tensors, 1, __ATOMIC_RELAXED);
  return x;
}

static void tensor_free(kiln_tensor *x) {
  __atomic_sub_fetch(&kiln__memory(0)->live_tensors, 1, __ATOMIC_RELAXED);
  kiln__scratch_free(0, x, sizeof *x);
}

static void set_contiguous(kiln_tensor *x, const int64_t *shape, int32_t ndim) {
  int64_t step = 1, numel = 1;
  x->ndim = (uint8_t)ndim;
  for (int32_t i = ndim - 1; i >= 0; i--) {
    x->shape[i] = shape[i];
    x->stride[i] = step;
    numel *= shape[i];
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  x->numel = numel;
}

static int32_t fail_shape(const int64_t *shape, int32_t ndim) {
  for (int32_t i = 0; i < ndim; i++) {
    if (shape[i] < 0) {
      return kiln_fail(KILN_EARG, "shape %s has a negative size at dim %d",
                       kiln__shape_text(shape, ndim), i + 1);
    }
  }
  return kiln_fail(KILN_EARG, "shape %s has more elements than any memory holds",
                   kiln__shape_text(shape, ndim));
}

static int32_t check_shape(const int64_t *shape, int32_t ndim, int32_t dtype, int64_t *bytes) {
  if (ndim < 0 || ndim > KILN_MAX_DIMS) {
    return kiln_fail(KILN_EARG, "a tensor has at most %d dims, not %d", KILN_MAX_DIMS, ndim);
  }
  if (dtype < 0 || dtype >= KILN_DTYPE_COUNT)
    return kiln_fail(KILN_EARG, "no dtype %d", dtype);
  int64_t n = kiln__numel(shape, ndim);
  if (n < 0 || __builtin_mul_overflow(n, (int64_t)kiln_dtype_size(dtype), bytes)) {
    return fail_shape(shape, ndim);
  }
  return KILN_OK;
}

kiln_tensor *kiln_tensor_new(const int64_t *shape, int32_t ndim, int32_t dtype, int32_t device) {
  int64_t bytes = 0;
  if (check_shape(shape, ndim, dtype, &bytes) < 0)
    return NULL;
  kiln_storage *s = kiln_storage_new(bytes, device);
  if (!s)
    return NULL;
  kiln_tensor *x = tensor_alloc();
  if (!x) {
    kiln_storage_release(s);
    return NULL;
  }
  x->dtype = (uint8_t)dtype;
  x->device = (uint8_t)device;
  x->offset = 0;
  x->storage = s;
  set_contiguous(x, shape, ndim);
  return x;
}

kiln_tensor *kiln__tensor_as(const kiln_tensor *x, int32_t dtype) {
  kiln_storage *s = kiln_storage_new(x->numel * kiln_dtype_size(dtype), x->device);
  if (!s)
    return NULL;
  kiln_tensor *y = tensor_alloc();
  if (!y) {
    kiln_storage_release(s);
    return NULL;
  }
  y->dtype = (uint8_t)dtype;
  y->device = x->device;
  y->offset = 0;
  y->storage = s;
  set_contiguous(y, x->shape, x->ndim);
  return y;
}

kiln_tensor *kiln__tensor_over(kiln_storage *s, const kiln_tensor *x) {
  kiln_tensor *y = tensor_alloc();
  if (!y)
    return NULL;
  y->dtype = x->dtype;
  y->device = (uint8_t)s->device;
  y->offset = 0;
  y->storage = kiln_storage_retain(s);
  set_contiguous(y, x->shape, x->ndim);
  return y;
}

kiln_tensor *kiln__tensor_like(const kiln_meta *m) {
  return kiln_tensor_new(m->shape, m->ndim, m->dtype, m->device);
}

kiln_tensor *kiln__tensor_pending(const kiln_meta *m, struct kiln_step *step) {
  int64_t bytes = 0;
  if (check_shape(m->shape, m->ndim, m->dtype, &bytes) < 0)
    return NULL;
  kiln_storage *s = kiln__storage_pending(bytes, step);
  kiln_tensor *x = s ? tensor_alloc() : NULL;
  if (!x) {
    kiln_storage_release(s);
    return NULL;
  }
  x->dtype = m->dtype;
  x->device = 0;
  x->offset = 0;
  x->storage = s;
  set_contiguous(x, m->shape, m->ndim);
  return x;
}

/* Whether every element lies inside `bytes`. */
static bool fits(const kiln_geometry *g, int32_t dtype, int64_t bytes) {
  int64_t low = g->offset, high = g->offset, numel = kiln__numel(g->shape, g->ndim);
  if (numel < 0 || g->offset < 0)
    return false;
  if (numel == 0)
    return true;
  for (int32_t i = 0; i < g->ndim; i++) {
    int64_t reach;
    if (__builtin_mul_overflow(g->shape[i] - 1, g->stride[i], &reach))
      return false;
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)) {
      return false;
    }
  }
  return low >= 0 && high < bytes / kiln_dtype_size(dtype);
}

kiln_tensor *kiln_tensor_from_storage(kiln_storage *s, int32_t dtype, int64_t offset,
                                      const int64_t *shape, const int64_t *stride, int32_t ndim) {
  int64_t bytes = 0;
  kiln_geometry g = {.ndim = ndim, .offset = offset};
  if (check_shape(shape, ndim, dtype, &bytes) < 0)
    return NULL;
  memcpy(g.shape, shape, (size_t)ndim * sizeof *shape);
  memcpy(g.stride, stride, (size_t)ndim * sizeof *stride);
  for (int32_t i = 0; i < ndim; i++) {
    if (stride[i] < 0) {
      kiln_fail(KILN_EARG, "stride %s must not be negative", kiln__shape_text(stride, ndim));
      return NULL;
    }
  }
  if (!fits(&g, dtype, s->bytes)) {
    kiln_fail(KILN_EARG, "size %s, stride %s, offset %lld do not fit into a storage of %lld %s",
              kiln__shape_text(shape, ndim), kiln__shape_text(stride, ndim), (long long)offset,
              (long long)(s->bytes / kiln_dtype_size(dtype)), kiln_dtype_name(dtype));
    return NULL;
  }
  kiln_tensor *x = tensor_alloc();
  if (!x)
    return NULL;
  x->dtype = (uint8_t)dtype;
  x->device = (uint8_t)s->device;
  x->storage = kiln_storage_retain(s);
  x->ndim = (uint8_t)ndim;
  x->offset = offset;
  memcpy(x->shape, g.shape, sizeof g.shape);
  memcpy(x->stride, g.stride, sizeof g.stride);
  x->numel = kiln__numel(shape, ndim);
  return x;
}

kiln_tensor *kiln__tensor_alias(kiln_tensor *x) {
  if (KILN_UNLIKELY(x->storage->pending) && kiln__settle(x) < 0)
    return NULL;
  kiln_tensor *y = tensor_alloc();
  if (!y)
    return NULL;
  y->dtype = x->dtype;
  y->device = x->device;
  y->ndim = x->ndim;
  y->flags = x->flags & KILN_T_NUMBER;
  y->offset = x->offset;
  y->numel = x->numel;
  memcpy(y->shape, x->shape, sizeof x->shape);
  memcpy(y->stride, x->stride, sizeof x->stride);
  y->storage = kiln_storage_retain(x->storage);
  return y;
}

kiln_tensor *kiln__tensor_view(kiln_tensor *x, const kiln_geometry *g) {
  if (!fits(g, x->dtype, x->storage->bytes)) {
    if (kiln__numel(g->shape, g->ndim) < 0)
      fail_shape(g->shape, g->ndim);
    else
      kiln_fail(KILN_EARG,
                "size %s, stride %s, offset %lld reach outside the memory, which has %lld %s",
                kiln__shape_text(g->shape, g->ndim), kiln__shape_text(g->stride, g->ndim),
                (long long)g->offset, (long long)(x->storage->bytes / kiln_dtype_size(x->dtype)),
                kiln_dtype_name(x->dtype));
    return NULL;
  }
  kiln_tensor *y = tensor_alloc();
  if (!y)
    return NULL;
  y->dtype = x->dtype;
  y->device = x->device;
  y->ndim = (uint8_t)g->ndim;
  y->offset = g->offset;
  memcpy(y->shape, g->shape, sizeof g->shape);
  memcpy(y->stride, g->stride, sizeof g->stride);
  y->numel = kiln__numel(g->shape, g->ndim);
  y->storage = kiln_storage_retain(x->storage);
  y->base = kiln_tensor_retain(x->base && !kiln__has_left(x) ? x->base : x);
  y->generation = y->base->generation;
  return y;
}

/* -- References ---------------------------------------------------------------------------- */

kiln_tensor *kiln_tensor_retain(kiln_tensor *x) {
  KILN_ASSERT(kiln__retain(&x->refs) > 1);
  return x;
}

/* The dying wait here while an outer release is at work, linked through the bytes of shape[0],
** which nobody reads any more. */
static _Thread_local kiln_tensor *dying;
static _Thread_local bool burying;

static void bury(kiln_tensor *x) {
  kiln_tensor *grad = x->grad, *base = x->base;
  kiln__tensor_drop_edge(x);
  kiln__tensor_drop_parked(x);
  kiln_storage_release(x->storage);
  tensor_free(x);
  kiln_tensor_release(grad);
  kiln_tensor_release(base);
}

void kiln_tensor_release(kiln_tensor *x) {
  if (!x || !kiln__drop(&x->refs))
    return;
  if (KILN_LIKELY(!x->node && !x->parked && !x->grad && !x->base)) {
    kiln_storage_release(x->storage);
    tensor_free(x);
    return;
  }
  if (burying) {
    memcpy(&x->shape[0], &dying, sizeof dying);
    dying = x;
    return;
  }
  burying = true;
  bury(x);
  while (dying) {
    x = dying;
    memcpy(&dying, &x->shape[0], sizeof dying);
    bury(x);
  }
  burying = false;
}

/* What a collection found dead is cold: each is asked for some turns ahead, then what it holds. */
void kiln_tensors_release(kiln_tensor *const *list, int64_t n) {
  enum { AHEAD = 4 };
  for (int64_t i = 0; i < n; i++) {
    if (i + 2 * AHEAD < n)
      __builtin_prefetch(list[i + 2 * AHEAD], 1, 3);
    if (i + AHEAD < n) {
      __builtin_prefetch(list[i + AHEAD]->storage, 1, 3);
      __builtin_prefetch(list[i + AHEAD]->node, 1, 3);
    }
    kiln_tensor_release(list[i]);
  }
}

/* -- Questions ----------------------------------------------------------------------------- */

int32_t kiln_tensor_ndim(const kiln_tensor *x) { return x->ndim; }
int64_t kiln_tensor_size(const kiln_tensor *x, int32_t dim) { return x->shape[dim]; }
int64_t kiln_tensor_stride(const kiln_tensor *x, int32_t dim) { return x->stride[dim]; }
int64_t kiln_tensor_numel(const kiln_tensor *x) { return x->numel; }
int64_t kiln_tensor_offset(const kiln_tensor *x) { return x->offset; }
int32_t kiln_tensor_dtype(const kiln_tensor *x) { return x->dtype; }
int32_t kiln_tensor_device(const kiln_tensor *x) { return x->device; }
bool kiln_tensor_is_contiguous(const kiln_tensor *x) {
  return kiln__is_contiguous(x) && !kiln__is_rows(x);
}
int64_t kiln_tensor_version(const kiln_tensor *x) { return x->storage->version; }
void kiln_tensor_bump(kiln_tensor *x) {
  kiln__settle(NULL);
  x->storage->version++;
  x->storage->writer = KILN_WRITER_POINTER;
  x->storage->trace = (int32_t)kiln__trace();
}
void *kiln_tensor_data(const kiln_tensor *x) {
  if (kiln__settle(NULL) < 0) /* who has the pointer may write */
    return NULL;
  return x->numel ? kiln__data(x) : NULL;
}
kiln_storage *kiln_peek_storage(const kiln_tensor *x) {
  kiln__settle(NULL);
  return x->storage;
}
kiln_tensor *kiln_peek_base(const kiln_tensor *x) { return kiln__is_rows(x) ? NULL : x->base; }

/* -- Who wrote last -------------------------------------------------------------------------- */

enum { NAMES = 128 };
static char *names[NAMES];
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

int32_t kiln_writer(const char *name) {
  int32_t i = 0;
  pthread_mutex_lock(&names_lock);
  while (i < NAMES && names[i] && strcmp(names[i], name) != 0)
    i++;
  if (i < NAMES && !names[i])
    names[i] = strdup(name);
  int32_t writer = i < NAMES && names[i] ? KILN_WRITER_NAMED - i : KILN_WRITER_POINTER;
  pthread_mutex_unlock(&names_lock);
  return writer;
}

void kiln_tensor_written(kiln_tensor *x, int32_t writer) {
  if (x && writer <= KILN_WRITER_POINTER && writer > KILN_WRITER_NAMED - NAMES)
    x->storage->writer = (int16_t)writer;
}

const char *kiln__writer_text(const kiln_storage *s) {
  static _Thread_local char text[64];
  int32_t w = s->writer;
  if (w < 0) {
    return w == KILN_WRITER_POINTER  ? "a write through a pointer"
           : w == KILN_WRITER_RESIZE ? "resize_"
                                     : names[KILN_WRITER_NAMED - w];
  }
  bool is_method = !(kiln__ops[w].flags & KILN_F_VARIADIC);
  snprintf(text, sizeof text, "%s%s", kiln__ops[w].name, is_method ? "_" : "");
  return text;
}

/* -- Numbers ------------------------------------------------------------------------------- */

enum { NUMBERS = 32 };
typedef struct number_ring {
  kiln_tensor *item[NUMBERS];
  unsigned next;
} number_ring;
static KILN_HOT_TLS number_ring *numbers;
static pthread_key_t numbers_key;
static pthread_once_t numbers_once = PTHREAD_ONCE_INIT;

/* What the ring holds is not part of what a script can leak. */
static void count_number(int64_t by) {
  __atomic_add_fetch(&kiln__memory(0)->live_tensors, by, __ATOMIC_RELAXED);
  __atomic_add_fetch(&kiln__memory(0)->live_storages, by, __ATOMIC_RELAXED);
}

static void end_numbers(void *ring) {
  number_ring *r = ring;
  numbers = NULL;
  for (int32_t i = 0; i < NUMBERS; i++) {
    if (r->item[i])
      count_number(1);
    kiln_tensor_release(r->item[i]);
  }
  free(r);
}
static void make_numbers_key(void) { pthread_key_create(&numbers_key, end_numbers); }

static kiln_tensor *number(int32_t dtype) {
  if (KILN_UNLIKELY(!numbers)) {
    pthread_once(&numbers_once, make_numbers_key);
    numbers = calloc(1, sizeof *numbers);
    if (!numbers) {
      kiln_fail(KILN_ENOMEM, "out of memory");
      return NULL;
    }
    pthread_setspecific(numbers_key, numbers);
  }
  kiln_tensor **at = &numbers->item[numbers->next++ % NUMBERS];
  kiln_tensor *x = *at;
  if (!x || x->refs > 1 || kiln_storage_refs(x->storage) > 1) {
    if (x) { /* somebody kept it: from now on theirs */
      count_number(1);
      kiln_tensor_release(x);
    }
    x = *at = kiln_tensor_new(NULL, 0, KILN_FLOAT64, 0);
    if (!x)
      return NULL;
    x->flags |= KILN_T_NUMBER;
    count_number(-1);
  }
  x->dtype = (uint8_t)dtype;
  return x;
}

kiln_tensor *kiln_number(double v) {
  kiln_tensor *x = number(KILN_FLOAT64);
  if (x)
    *(double *)kiln__data(x) = v;
  return x;
}

kiln_tensor *kiln_number_int(int64_t v) {
  kiln_tensor *x = number(KILN_INT64);
  if (x)
    *(int64_t *)kiln__data(x) = v;
  return x;
}

int32_t kiln_tensor_item(kiln_tensor *x, double *v, int64_t *i) {
  if (!x)
    return KILN_EARG;
  if (kiln__settle(x) < 0)
    return kiln_error_code();
  if (x->numel != 1) {
    return kiln_fail(KILN_EARG, "item: a tensor of one element is needed, this one has shape %s",
                     kiln__shape_text(x->shape, x->ndim));
  }
  if (kiln__is_rows(x))
    return kiln_fail(KILN_EARG, "item: the tensor is row-sparse; use to_dense()");
  char element[8];
  int32_t size = kiln_dtype_size(x->dtype);
  if (x->device == 0) {
    memcpy(element, kiln__data(x), (size_t)size);
  } else if (KILN_UNLIKELY(kiln__capturing != NULL)) {
    return kiln__capture_refuse("item", "the host cannot wait for a value");
  } else {
    int32_t status = kiln__copy_bytes(element, 0, kiln__data(x), x->device, size);
    if (status < 0)
      return status;
  }
  if (kiln__is_float(x->dtype)) {
    kiln_convert(v, KILN_FLOAT64, element, x->dtype, 1);
    if (*v != *v)
      *v = NAN; /* the bits of another NaN could be taken for a Lua value */
    return 1;
  }
  kiln_convert(i, KILN_INT64, element, x->dtype, 1);
  return 2;
}

/* -- Replacing what a tensor looks at --------------------------------------------------------- */

static int32_t check_free(kiln_tensor *x, const char *op) {
  if (kiln__is_rows(x))
    return kiln_fail(KILN_EARG, "%s: the tensor is row-sparse", op);
  if (kiln_requires_grad(x)) {
    return kiln_fail(KILN_EGRAD, "%s: the tensor requires grad; its history would be lost", op);
  }
  return KILN_OK;
}

static void copy_geometry(kiln_tensor *x, const kiln_tensor *y) {
  x->ndim = y->ndim;
  x->offset = y->offset;
  x->numel = y->numel;
  memcpy(x->shape, y->shape, sizeof x->shape);
  memcpy(x->stride, y->stride, sizeof x->stride);
}

/* x leaves its memory for y's.  Its base goes, and views of it find that out (kiln__has_left). */
static void move_to(kiln_tensor *x, kiln_tensor *y, bool as_view) {
  kiln_storage *old = x->storage;
  kiln_tensor *base = x->base, *root = y->base ? y->base : y;
  x->storage = kiln_storage_retain(y->storage);
  x->dtype = y->dtype;
  x->device = y->device;
  x->flags &= (uint8_t) ~(KILN_T_LEAF_VIEWS | KILN_T_SHARES);
  x->base = as_view ? kiln_tensor_retain(root) : NULL;
  x->generation = as_view ? root->generation : x->generation + 1;
  kiln_storage_release(old);
  kiln_tensor_release(base);
}

int32_t kiln_tensor_set(kiln_tensor *x, kiln_tensor *y, bool as_view) {
  if (!x || !y)
    return KILN_EARG;
  if (kiln__settle(NULL) < 0)
    return kiln_error_code();
  if (kiln__is_rows(x))
    return kiln_fail(KILN_EARG, "set_: the tensor is row-sparse");
  if (!kiln_is_leaf(x)) {
    return kiln_fail(KILN_EGRAD, "set_: the tensor has a history, which would be lost");
  }
  if (check_free(y, "set_") < 0)
    return KILN_EGRAD;
  if (x->node && !kiln__is_float(y->dtype)) {
    return kiln_fail(KILN_EGRAD, "set_: the tensor requires grad, which %s cannot",
                     kiln_dtype_name(y->dtype));
  }
  kiln__follow_base(y);
  if (x->storage != y->storage || x->dtype != y->dtype)
    move_to(x, y, as_view && !x->node && x != y->base);
  copy_geometry(x, y);
  if (x->node)
    kiln__meta_of(x, &x->node->out_meta[0]);
  return KILN_OK;
}

int32_t kiln_tensor_become(kiln_tensor *x, kiln_tensor *y) {
  if (!x || !y || kiln__settle(NULL) < 0)
    return KILN_EARG;
  kiln_edge e;
  KILN_ASSERT(x->storage == y->storage && x->dtype == y->dtype && !kiln__is_rows(x));
  if (kiln__edge_of(y, &e) < 0)
    return KILN_ENOMEM;
  if (x->node && kiln_is_leaf(x))
    return kiln_fail(KILN_EGRAD, "a leaf that requires grad cannot be reshaped in place; use the "
                                 "method without _, or x.data");
  if (kiln__edge(x).node) {
    kiln__tensor_set_edge(x, e.node, e.nr);
    x->generation += !x->base; /* its views are windows of what it is now */
  }
  copy_geometry(x, y);
  return KILN_OK;
}

int32_t kiln_tensor_resize(kiln_tensor *x, const int64_t *shape, int32_t ndim) {
  int64_t bytes = 0;
  if (!x)
    return KILN_EARG;
  if (check_free(x, "resize_") < 0)
    return KILN_EGRAD;
  int32_t status = kiln__settle(NULL);
  if (status < 0)
    return status;
  status = check_shape(shape, ndim, x->dtype, &bytes);
  if (status < 0)
    return status;
  int64_t before = x->storage->bytes;
  status = kiln_storage_resize(x->storage, bytes + x->offset * kiln_dtype_size(x->dtype));
  if (status < 0)
    return status;
  if (x->dtype == KILN_BOOL && x->device == 0) /* whatever was there may be no bool */
    memset(x->storage->data + before, 0, (size_t)(x->storage->bytes - before));
  set_contiguous(x, shape, ndim);
  return KILN_OK;
}
