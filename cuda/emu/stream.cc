/* stream.cc: streams and events.  Work waits in its stream and runs as late as CUDA's rules allow:
** at a synchronisation, at a copy to pageable memory, before work of another stream that waits for
** it.  So what forgets to wait sees old data, every time.  KILN_EMU_ASYNC=0 runs it at once.
** Also the settings, the message of misuse, and devices.
*/
#include "internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace kiln_emu;

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_SET, WORK_RECORD, WORK_WAIT, WORK_HOST };

namespace {

struct work {
  work_kind kind;
  launch kernel;
  void *dst;
  const void *src;
  void *staged; /* a copy of pageable host memory, freed once done */
  size_t size;
  int value;
  kiln_emu_event *event;
  int64_t generation; /* of the event */
  void (*fn)(void *);
  void *context;
  work *next;
  char order; /* the thread sanitizer's: the host before this */
};

} // namespace

struct kiln_emu_stream {
  int device;
  unsigned flags;
  work *head, *tail;
  void *tsan; /* identity that runs its work */
  char order;
};

struct kiln_emu_event {
  int64_t recorded, done; /* how often */
  int64_t queued;         /* work that names it */
  bool destroyed;
  kiln_emu_stream *stream;
  struct timespec at;
  char order;
};

namespace kiln_emu {

settings config;
counts totals;

static kiln_emu_stream default_streams[8];
static std::vector<kiln_emu_stream *> streams; /* all but the default ones */
static thread_local int device_in_use;
static thread_local cudaError_t last_error;
static void (*misuse_handler)(const char *);

/* -- Settings and misuse ----------------------------------------------------------------------- */

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
  configure();
  memory_start();
  for (int d = 0; d < config.devices; d++)
    default_streams[d].device = d;
}

lock::lock() {
  pthread_once(&once, start);
  pthread_mutex_lock(&mutex);
}
lock::~lock() { pthread_mutex_unlock(&mutex); }

void configure(void) {
  const char *value;
  config.async = true;
  config.devices = 2;
  config.memory = (size_t)4 << 30;
  TSAN(config.eager_fibers = true;)
  if ((value = getenv("KILN_EMU_ORDER")))
    kiln_emu_set("order", value);
  if ((value = getenv("KILN_EMU_ASYNC")))
    kiln_emu_set("async", value);
  if ((value = getenv("KILN_EMU_DEVICES")) && atoi(value) >= 0 && atoi(value) <= 8)
    config.devices = atoi(value);
  if ((value = getenv("KILN_EMU_MEMORY")))
    config.memory = (size_t)strtoull(value, NULL, 10);
}

void misuse(const char *format, ...) {
  static char text[2048];
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (used < 0 || (size_t)used > sizeof text - 1)
    used = (int)sizeof text - 1;
  if (running_kernel)
    snprintf(text + used, sizeof text - (size_t)used,
             " [kernel %s block (%u,%u,%u) thread (%u,%u,%u)]", running_kernel->name, here.block.x,
             here.block.y, here.block.z, here.thread.x, here.thread.y, here.thread.z);
  if (misuse_handler) {
    misuse_handler(text);
    return;
  }
  fprintf(stderr, "KILN-EMU: %s\n", text);
  abort();
}

unsigned random_below(unsigned n) {
  static uint64_t state = UINT64_C(88172645463325252);
  static unsigned seed;
  if (seed != config.seed) {
    seed = config.seed;
    state = UINT64_C(88172645463325252) + seed * UINT64_C(2654435761);
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 11) % n);
}

cudaError_t fail(cudaError_t e) {
  if (e != cudaSuccess)
    last_error = e;
  return e;
}

int current_device(void) { return device_in_use; }

/* -- Running what waits ------------------------------------------------------------------------ */

static kiln_emu_stream *stream_of(kiln_emu_stream *s) {
  return s ? s : &default_streams[device_in_use];
}

static void run_until(kiln_emu_event *e, int64_t generation);

static void run_work(kiln_emu_stream *s, work *w) {
  TSAN(void *host = __tsan_get_current_fiber(); __tsan_switch_to_fiber(s->tsan, NO_ORDER);
       __tsan_acquire(&w->order);)
  bool touches = w->kind != WORK_RECORD && w->kind != WORK_WAIT;
  if (touches)
    memory_open(w->kind == WORK_COPY ? -1 : s->device);
  switch (w->kind) {
  case WORK_KERNEL:
    run_kernel(w->kernel);
    w->kernel.drop(w->kernel.context);
    break;
  case WORK_COPY:
    memmove(w->dst, w->src, w->size);
    free(w->staged);
    break;
  case WORK_SET:
    memset(w->dst, w->value, w->size);
    break;
  case WORK_HOST:
    w->fn(w->context);
    break;
  case WORK_RECORD:
    TSAN(__tsan_release(&w->event->order);)
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &w->event->at); /* no interceptor sees it */
    if (w->event->done < w->generation)
      w->event->done = w->generation;
    break;
  case WORK_WAIT:
    TSAN(__tsan_switch_to_fiber(host, NO_ORDER);)
    run_until(w->event, w->generation);
    TSAN(__tsan_switch_to_fiber(s->tsan, NO_ORDER); __tsan_acquire(&w->event->order);)
    break;
  }
  if (touches)
    memory_close();
  else if (--w->event->queued == 0 && w->event->destroyed)
    free(w->event);
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

static work *push(kiln_emu_stream *s, work_kind kind) {
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

static void pushed(kiln_emu_stream *s) {
  if (!config.async)
    run_all(s);
}

void enqueue(const launch &k, cudaStream_t stream) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  uint64_t threads = (uint64_t)k.block.x * k.block.y * k.block.z;
  if (s->device != device_in_use) {
    k.drop(k.context);
    fail(cudaErrorInvalidResourceHandle);
  } else if (threads == 0 || threads > 1024 || k.block.z > 64 || k.grid.x == 0 || k.grid.y == 0 ||
             k.grid.z == 0 || k.grid.x > 2147483647u || k.grid.y > 65535 || k.grid.z > 65535) {
    k.drop(k.context);
    fail(cudaErrorInvalidConfiguration);
  } else if (k.shared_bytes > 48 * 1024) {
    k.drop(k.context);
    fail(cudaErrorInvalidValue);
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

void kiln_emu_set(const char *key, const char *value) {
  if (strcmp(key, "order") == 0) {
    const char *seed = strchr(value, ':');
    config.order = strncmp(value, "rand", 4) == 0 ? ORDER_RANDOM
                   : strcmp(value, "rev") == 0    ? ORDER_REVERSE
                                                  : ORDER_FORWARD;
    config.seed = seed ? (unsigned)atoi(seed + 1) : 1;
  } else if (strcmp(key, "async") == 0) {
    config.async = atoi(value) != 0;
  }
}

int64_t kiln_emu_count(const char *key) {
  lock l;
  const struct {
    const char *name;
    int64_t value;
  } all[] = {{"launches", totals.launches},
             {"blocks", totals.blocks},
             {"threads", totals.threads},
             {"switches", totals.switches},
             {"allocations", totals.allocations}};
  for (const auto &c : all)
    if (strcmp(c.name, key) == 0)
      return c.value;
  return -1;
}

void kiln_emu_on_misuse(void (*fn)(const char *)) { misuse_handler = fn; }

cudaError_t kiln_emu_host_op(cudaStream_t stream, void (*fn)(void *), void *context) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  work *w = push(s, WORK_HOST);
  w->fn = fn;
  w->context = context;
  pushed(s);
  return cudaSuccess;
}

/* -- Devices -------------------------------------------------------------------------------------
 */

cudaError_t cudaGetDeviceCount(int *n) {
  lock l;
  if (config.devices == 0)
    return cudaErrorNoDevice;
  *n = config.devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = device_in_use;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  lock l;
  if (device < 0 || device >= config.devices)
    return fail(cudaErrorInvalidDevice);
  device_in_use = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  lock l;
  if (device < 0 || device >= config.devices)
    return fail(cudaErrorInvalidDevice);
  memset(p, 0, sizeof *p);
  strcpy(p->name, "emulated");
  p->totalGlobalMem = config.memory;
  cudaDeviceGetAttribute(&p->major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&p->minor, cudaDevAttrComputeCapabilityMinor, device);
  cudaDeviceGetAttribute(&p->multiProcessorCount, cudaDevAttrMultiProcessorCount, device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  lock l;
  if (device < 0 || device >= config.devices)
    return fail(cudaErrorInvalidDevice);
  switch (attribute) {
  case cudaDevAttrMultiProcessorCount:
    *value = 4;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMajor:
    *value = 7;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMinor:
    *value = 5;
    return cudaSuccess;
  }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void) {
  lock l;
  drain_device(device_in_use);
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetLastError(void) {
  cudaError_t e = last_error;
  last_error = cudaSuccess;
  return e;
}

static const struct {
  cudaError_t code;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
};

const char *cudaGetErrorString(cudaError_t e) {
  for (const auto &known : errors)
    if (known.code == e)
      return known.text;
  return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t e) {
  for (const auto &known : errors)
    if (known.code == e)
      return known.name;
  return "unrecognized error code";
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
  *s = (kiln_emu_stream *)calloc(1, sizeof **s);
  if (!*s)
    return fail(cudaErrorMemoryAllocation);
  (*s)->device = device_in_use;
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
  free(s);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  lock l;
  drain(stream_of(s));
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s) {
  lock l;
  s = stream_of(s);
  if (!s->head)
    return cudaSuccess;
  run_first(s); /* who polls gets there */
  return cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t e, unsigned flags) {
  lock l;
  (void)flags;
  kiln_emu_stream *s = stream_of(stream);
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
  *e = (kiln_emu_event *)calloc(1, sizeof **e);
  return *e ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventDestroy(cudaEvent_t e) {
  lock l;
  e->destroyed = true; /* what is queued keeps it */
  if (e->queued == 0)
    free(e);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
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
  run_until(e, e->recorded);
  TSAN(__tsan_acquire(&e->order);)
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t e) {
  lock l;
  if (e->done >= e->recorded)
    return cudaSuccess;
  run_first(e->stream);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  lock l;
  if (from->recorded == 0 || to->recorded == 0)
    return cudaErrorInvalidResourceHandle;
  if (from->done < from->recorded || to->done < to->recorded)
    return cudaErrorNotReady;
  *ms =
      (float)((to->at.tv_sec - from->at.tv_sec) * 1e3 + (to->at.tv_nsec - from->at.tv_nsec) / 1e6);
  return cudaSuccess;
}

} /* extern "C" */
