/* stream.cc: streams and events.  Work waits in its stream and runs as late as CUDA's rules allow:
** at a synchronisation, at a copy to pageable memory, before work of another stream that waits for
** it.  So what forgets to wait sees old data, every time.  KILN_EMU_ASYNC=0 runs it at once.
*/
#include "queue.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kiln_emu;

namespace kiln_emu {

static kiln_emu_stream default_streams[8];
static std::vector<kiln_emu_stream *> streams; /* all but the default ones */

/* -- Running what waits ------------------------------------------------------------------------ */

void streams_start(void) {
  for (int d = 0; d < config.devices; d++)
    default_streams[d].device = d;
}

kiln_emu_stream *stream_of(kiln_emu_stream *s) {
  return s ? s : &default_streams[current_device()];
}

void work_do(const work &w, int device) {
  memory_open(w.kind == WORK_COPY ? -1 : device);
  switch (w.kind) {
  case WORK_KERNEL:
    run_kernel(w.kernel);
    break;
  case WORK_COPY:
    memmove(w.dst, w.src, w.size);
    break;
  case WORK_SET:
    memset(w.dst, w.value, w.size);
    break;
  default:
    w.fn(w.context);
  }
  memory_close();
}

void work_drop(work &w) {
  if (w.kind == WORK_KERNEL)
    w.kernel.drop(w.kernel.context);
  else if (w.kind == WORK_HOST && w.drop)
    w.drop(w.context);
  free(w.staged);
}

static void run_until(kiln_emu_event *e, int64_t generation);

static void event_let_go(kiln_emu_event *e) {
  if (--e->queued == 0 && e->destroyed)
    delete e;
}

static void run_work(kiln_emu_stream *s, work *w) {
  TSAN(void *host = __tsan_get_current_fiber(); __tsan_switch_to_fiber(s->tsan, NO_ORDER);
       __tsan_acquire(&w->order);)
  switch (w->kind) {
  case WORK_RECORD:
    TSAN(__tsan_release(&w->event->order);)
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &w->event->at); /* no interceptor sees it */
    if (w->event->done < w->generation)
      w->event->done = w->generation;
    event_let_go(w->event);
    break;
  case WORK_WAIT:
    TSAN(__tsan_switch_to_fiber(host, NO_ORDER);)
    run_until(w->event, w->generation);
    TSAN(__tsan_switch_to_fiber(s->tsan, NO_ORDER); __tsan_acquire(&w->event->order);)
    event_let_go(w->event);
    break;
  case WORK_GRAPH:
    graph_run(w->exec, s);
    graph_ran(w->exec);
    break;
  default:
    work_do(*w, s->device);
    work_drop(*w);
  }
  TSAN(__tsan_release(&s->order); __tsan_switch_to_fiber(host, NO_ORDER);)
}

static void run_first(kiln_emu_stream *s) {
  work *w = s->head;
  s->head = w->next;
  if (!s->head)
    s->tail = NULL;
  run_work(s, w);
  free(w);
}

/* Runs a stream's work; the host learns nothing of it. */
static void run_all(kiln_emu_stream *s) {
  while (s->head)
    run_first(s);
}

static void run_until(kiln_emu_event *e, int64_t generation) {
  while (e->done < generation && e->stream && e->stream->head)
    run_first(e->stream);
}

/* The host waits for a stream. */
static void drain(kiln_emu_stream *s) {
  run_all(s);
  TSAN(__tsan_acquire(&s->order);)
}

void drain_device(int device) {
  for (size_t i = 0; i < streams.size(); i++)
    if (streams[i]->device == device)
      drain(streams[i]);
  drain(&default_streams[device]);
}

/* What is queued on s from now on comes after all that is queued on q. */
static void order_after(kiln_emu_stream *s, kiln_emu_stream *q) {
  run_all(q);
  (void)s;
  TSAN(void *me = __tsan_get_current_fiber(); __tsan_switch_to_fiber(s->tsan, NO_ORDER);
       __tsan_acquire(&q->order); __tsan_switch_to_fiber(me, NO_ORDER);)
}

work *push(kiln_emu_stream *s, work_kind kind) {
  if (s->capturing)
    return capture_push(s, kind);
  work *w = (work *)calloc(1, sizeof *w);
  if (!w)
    abort();
  w->kind = kind;
  TSAN(if (!s->tsan) s->tsan = __tsan_create_fiber(0);)
  kiln_emu_stream *legacy = &default_streams[s->device];
  if (s == legacy) { /* the legacy default stream waits for the blocking ones, and they for it */
    for (size_t i = 0; i < streams.size(); i++)
      if (streams[i]->device == s->device && !(streams[i]->flags & cudaStreamNonBlocking))
        order_after(s, streams[i]);
  } else if (!(s->flags & cudaStreamNonBlocking)) {
    order_after(s, legacy);
  }
  TSAN(__tsan_release(&w->order);)
  *(s->tail ? &s->tail->next : &s->head) = w;
  s->tail = w;
  return w;
}

void pushed(kiln_emu_stream *s) {
  if (!config.async && !s->capturing)
    run_all(s);
}

void enqueue(const launch &k, cudaStream_t stream) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  uint64_t threads = (uint64_t)k.block.x * k.block.y * k.block.z;
  if (s->device != current_device()) {
    k.drop(k.context);
    fail(cudaErrorInvalidResourceHandle);
  } else if (threads == 0 || threads > 1024 || k.block.z > 64 || k.grid.x == 0 || k.grid.y == 0 ||
             k.grid.z == 0 || k.grid.x > 2147483647u || k.grid.y > 65535 || k.grid.z > 65535) {
    k.drop(k.context);
    fail(cudaErrorInvalidConfiguration);
  } else if (k.shared_bytes > 48 * 1024) {
    k.drop(k.context);
    fail(cudaErrorInvalidValue);
  } else if (capture_admits(s) != cudaSuccess) {
    k.drop(k.context);
  } else {
    push(s, WORK_KERNEL)->kernel = k;
    pushed(s);
  }
}

/* Whether n bytes from p lie inside one allocation, or in ordinary memory. */
static bool check_range(const void *p, size_t n, const char *what) {
  const allocation *a = find_allocation(p);
  size_t at = a ? (size_t)((const char *)p - a->data) : 0;
  if (!a || n <= a->size - at)
    return true;
  misuse("%s of %zu bytes at offset %zu runs past an allocation of %zu bytes", what, n, at,
         a->size);
  return false;
}

} // namespace kiln_emu

/* -- The runtime's side --------------------------------------------------------------------------
 */

extern "C" {

cudaError_t kiln_emu_host_op(cudaStream_t stream, void (*fn)(void *), void (*drop)(void *),
                             void *context) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  cudaError_t status = capture_admits(s);
  if (status != cudaSuccess) {
    drop(context);
    return status;
  }
  work *w = push(s, WORK_HOST);
  w->fn = fn;
  w->drop = drop;
  w->context = context;
  pushed(s);
  return cudaSuccess;
}

/* -- Copies --------------------------------------------------------------------------------------
 */

static cudaError_t copy(void *dst, const void *src, size_t n, cudaMemcpyKind kind,
                        kiln_emu_stream *s) {
  const allocation *to = find_allocation(dst), *from = find_allocation(src);
  bool to_device = to && to->device >= 0, from_device = from && from->device >= 0;
  if (n == 0)
    return cudaSuccess;
  if (kind != cudaMemcpyDefault &&
      (to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
       from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice))) {
    misuse("copy of kind %d does not fit its pointers (to %s, from %s)", (int)kind,
           to_device ? "device" : "host", from_device ? "device" : "host");
    return fail(cudaErrorInvalidMemcpyDirection);
  }
  if (!check_range(dst, n, "copy to") || !check_range(src, n, "copy from"))
    return fail(cudaErrorInvalidValue);
  cudaError_t status = capture_admits(s);
  if (status != cudaSuccess)
    return status;
  if (s->capturing && (!from || !to))
    return capture_refuse(s->capturing, cudaErrorStreamCaptureUnsupported);
  void *staged = NULL;
  if (!from) { /* pageable: read before the call returns */
    staged = malloc(n);
    if (!staged)
      abort();
    memcpy(staged, src, n);
  }
  work *w = push(s, WORK_COPY);
  w->dst = dst;
  w->src = staged ? staged : src;
  w->staged = staged;
  w->size = n;
  if (!to)
    drain(s); /* pageable: written when the call returns */
  else
    pushed(s);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  lock l;
  return copy(dst, src, n, kind, stream_of(stream));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t n, cudaStream_t stream) {
  lock l;
  const allocation *to = find_allocation(dst), *from = find_allocation(src);
  if (!to || !from || to->device != dst_device || from->device != src_device) {
    misuse("peer copy from device %d to device %d, but the memory is on %d and %d", src_device,
           dst_device, from ? from->device : -1, to ? to->device : -1);
    return fail(cudaErrorInvalidValue);
  }
  return copy(dst, src, n, cudaMemcpyDeviceToDevice, stream_of(stream));
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t n, cudaStream_t stream) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  if (!check_range(dst, n, "memset"))
    return fail(cudaErrorInvalidValue);
  cudaError_t status = capture_admits(s);
  if (status != cudaSuccess)
    return status;
  work *w = push(s, WORK_SET);
  w->dst = dst;
  w->value = value;
  w->size = n;
  pushed(s);
  return cudaSuccess;
}

/* -- Streams -------------------------------------------------------------------------------------
 */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
  lock l;
  *s = new kiln_emu_stream();
  (*s)->device = current_device();
  (*s)->flags = flags;
  streams.push_back(*s);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) {
  (void)priority;
  return cudaStreamCreateWithFlags(s, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s) {
  lock l;
  run_all(s);
  for (size_t i = 0; i < streams.size(); i++)
    if (streams[i] == s)
      streams.erase(streams.begin() + (ptrdiff_t)i);
  TSAN(if (s->tsan) __tsan_destroy_fiber(s->tsan);)
  delete s;
  return cudaSuccess;
}

/* Whether the host may ask how far a stream is. */
static cudaError_t may_look_at(kiln_emu_stream *s) {
  return s->capturing ? capture_refuse(s->capturing, cudaErrorStreamCaptureUnsupported)
                      : capture_unsafe();
}

cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  lock l;
  cudaError_t status = may_look_at(stream_of(s));
  if (status == cudaSuccess)
    drain(stream_of(s));
  return status;
}

cudaError_t cudaStreamQuery(cudaStream_t s) {
  lock l;
  s = stream_of(s);
  cudaError_t status = may_look_at(s);
  if (status != cudaSuccess || !s->head)
    return status;
  run_first(s); /* who polls gets there */
  return cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t e, unsigned flags) {
  lock l;
  (void)flags;
  kiln_emu_stream *s = stream_of(stream);
  cudaError_t status = capture_wait(s, e);
  if (status != cudaErrorNotReady)
    return status;
  if (e->recorded == 0)
    return cudaSuccess;
  work *w = push(s, WORK_WAIT);
  w->event = e;
  e->queued++;
  w->generation = e->recorded;
  pushed(s);
  return cudaSuccess;
}

/* -- Events --------------------------------------------------------------------------------------
 */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) {
  lock l;
  (void)flags;
  *e = new kiln_emu_event();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t e) {
  lock l;
  e->destroyed = true; /* what is queued keeps it */
  if (e->queued == 0)
    delete e;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  cudaError_t status = capture_admits(s);
  if (status != cudaSuccess)
    return status;
  capture_record(s, e);
  if (s->capturing)
    return cudaSuccess;
  work *w = push(s, WORK_RECORD);
  e->stream = s;
  e->queued++;
  w->event = e;
  w->generation = ++e->recorded;
  pushed(s);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  lock l;
  cudaError_t status = capture_looks_at(e);
  if (status != cudaSuccess)
    return status;
  run_until(e, e->recorded);
  TSAN(__tsan_acquire(&e->order);)
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t e) {
  lock l;
  cudaError_t status = capture_looks_at(e);
  if (status != cudaSuccess)
    return status;
  if (e->done >= e->recorded)
    return cudaSuccess;
  run_first(e->stream);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  lock l;
  if (from->recorded == 0 || to->recorded == 0 || from->capture || to->capture)
    return cudaErrorInvalidResourceHandle;
  if (from->done < from->recorded || to->done < to->recorded)
    return cudaErrorNotReady;
  *ms =
      (float)((to->at.tv_sec - from->at.tv_sec) * 1e3 + (to->at.tv_nsec - from->at.tv_nsec) / 1e6);
  return cudaSuccess;
}

} /* extern "C" */
