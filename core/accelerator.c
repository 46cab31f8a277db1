/* accelerator.c: the public names of what accelerators offer beyond computing: facts, streams,
** marks in their work, pinned memory.  It checks devices and numbers and hands on; it refuses to
** know vendors.
*/
#include "internal.h"

struct kiln_mark {
  int32_t device;
  void *mark;
};

static const kiln_accelerator *accelerator(int32_t device, const char *what) {
  const kiln_backend *b = device > 0 ? kiln__backend(device) : NULL;
  if (!b)
    kiln_fail(KILN_EARG, "%s: %s is no accelerator of this machine", what,
              kiln__device_text(device));
  return b ? b->accelerator : NULL;
}

int32_t kiln_device_describe(int32_t device, kiln_device_facts *facts) {
  const kiln_accelerator *a = accelerator(device, "device");
  return a ? a->facts(device, facts) : KILN_EARG;
}

int32_t kiln_device_synchronize(int32_t device) {
  return accelerator(device, "synchronize") ? kiln__backend(device)->synchronize(device)
                                            : KILN_EARG;
}

/* -- Memory ----------------------------------------------------------------------------------- */

const kiln_reserved *kiln_peek_reserved(int32_t device) {
  const kiln_accelerator *a = accelerator(device, "memory");
  return a ? a->reserved(device) : NULL;
}

void kiln_memory_reset_peak(int32_t device) {
  const kiln_backend *b = kiln__backend(device);
  if (!b)
    return;
  kiln_memory *m = kiln__memory(device);
  m->peak_bytes = m->live_bytes;
  if (b->accelerator) {
    kiln_reserved *r = b->accelerator->reserved(device);
    r->peak_bytes = r->bytes;
  }
}

bool kiln_tensor_is_pinned(const kiln_tensor *x) { return x->storage->pinned; }

kiln_tensor *kiln_tensor_pin(kiln_tensor *x) {
  if (!x)
    return NULL;
  if (x->device != 0) {
    kiln_fail(KILN_EARG, "pin_memory: the tensor is on %s; only memory of the cpu can be pinned",
              kiln__device_text(x->device));
    return NULL;
  }
  if (kiln_device_count() == 0)
    return kiln_tensor_retain(x);
  kiln_storage *s = kiln__storage_pinned(x->numel * kiln_dtype_size(x->dtype));
  kiln_tensor *y = s ? kiln__tensor_over(s, x) : NULL;
  kiln_storage_release(s);
  if (y && kiln_copy_(y, x, false) < 0) {
    kiln_tensor_release(y);
    y = NULL;
  }
  return y;
}

/* -- Streams ---------------------------------------------------------------------------------- */

int32_t kiln_stream_new(int32_t device, int32_t priority) {
  const kiln_accelerator *a = accelerator(device, "stream");
  return a ? a->stream_new(device, priority) : KILN_EARG;
}

int32_t kiln_stream_use(int32_t device, int32_t stream) {
  const kiln_accelerator *a = accelerator(device, "stream");
  return a ? a->stream_use(device, stream) : KILN_EARG;
}

int32_t kiln_stream_current(int32_t device) {
  const kiln_accelerator *a = accelerator(device, "stream");
  return a ? a->stream_current(device) : KILN_EARG;
}

int32_t kiln_stream_query(int32_t device, int32_t stream) {
  const kiln_accelerator *a = accelerator(device, "stream");
  return a ? a->stream_query(device, stream) : KILN_EARG;
}

int32_t kiln_stream_wait(int32_t device, int32_t stream) {
  const kiln_accelerator *a = accelerator(device, "stream");
  return a ? a->stream_wait(device, stream) : KILN_EARG;
}

int32_t kiln_stream_keep(kiln_tensor *x, int32_t stream) {
  if (!x)
    return KILN_EARG;
  const kiln_accelerator *a = accelerator(x->device, "record_stream");
  if (!a)
    return KILN_EARG;
  a->used(x->device, x->storage->data, stream);
  return KILN_OK;
}

/* -- Marks ------------------------------------------------------------------------------------ */

kiln_mark *kiln_mark_new(int32_t device, bool timing) {
  const kiln_accelerator *a = accelerator(device, "event");
  kiln_mark *m = a ? malloc(sizeof *m) : NULL;
  if (!m)
    return NULL;
  m->device = device;
  if (a->mark_new(device, timing, &m->mark) == KILN_OK)
    return m;
  free(m);
  return NULL;
}

void kiln_mark_free(kiln_mark *m) {
  if (!m)
    return;
  kiln__backend(m->device)->accelerator->mark_free(m->device, m->mark);
  free(m);
}

int32_t kiln_mark_device(const kiln_mark *m) { return m->device; }

int32_t kiln_mark_record(kiln_mark *m, int32_t stream) {
  return kiln__backend(m->device)->accelerator->mark_record(m->device, m->mark, stream);
}

int32_t kiln_mark_query(kiln_mark *m) {
  return kiln__backend(m->device)->accelerator->mark_query(m->mark);
}

int32_t kiln_mark_wait(kiln_mark *m) {
  return kiln__backend(m->device)->accelerator->mark_wait(m->device, m->mark);
}

int32_t kiln_mark_before(kiln_mark *m, int32_t device, int32_t stream) {
  const kiln_accelerator *a = accelerator(device, "event");
  return a ? a->mark_before(device, stream, m->mark) : KILN_EARG;
}

int32_t kiln_mark_elapsed(kiln_mark *from, kiln_mark *to, double *ms) {
  return kiln__backend(from->device)->accelerator->mark_elapsed(from->mark, to->mark, ms);
}

/* -- Ranges ----------------------------------------------------------------------------------- */

int32_t kiln_range_push(const char *name) {
  const kiln_accelerator *a = accelerator(1, "range_push");
  return a ? a->range_push(name) : KILN_EARG;
}

int32_t kiln_range_pop(void) {
  const kiln_accelerator *a = accelerator(1, "range_pop");
  return a ? a->range_pop() : KILN_EARG;
}

void kiln_range_mark(const char *name) {
  const kiln_accelerator *a = accelerator(1, "mark");
  if (a)
    a->range_mark(name);
}
