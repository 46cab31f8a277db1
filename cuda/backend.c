/* backend.c: CUDA as a backend: the table of services that libkiln asks libkiln_cuda for.  It
** refuses kernels (the .cu files), memory (memory.c), streams and errors (stream.c).
*/
#include "runtime.h"

#include <pthread.h>
#include <stdio.h>
#ifndef KILN_EMULATED
#include <nvtx3/nvToolsExt.h>
#endif

static kiln_slot table[KILN_OP_COUNT][KILN_DTYPE_COUNT];

/* Devices are counted from 1 in kiln, from 0 in CUDA. */
static int32_t cuda_device_count(int32_t *n, const char **why) {
  static char text[256];
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count); /* leaves count alone when it fails */
  *n = status != cudaSuccess ? 0 : count > KILN_CUDA_MAX_DEVICES ? KILN_CUDA_MAX_DEVICES : count;
  *why = "";
  if (*n > 0)
    return KILN_OK;
  (void)cudaGetLastError();
  snprintf(text, sizeof text, "no usable CUDA device: %s (%d)",
           status == cudaSuccess ? "none found" : cudaGetErrorString(status), (int)status);
  *why = text;
  return KILN_EBACKEND;
}

static int32_t facts(int32_t device, kiln_device_facts *facts) {
  struct cudaDeviceProp p;
  size_t available = 0, total = 0;
  int runtime = 0, driver = 0;
  if (kiln__cuda_check(cudaGetDeviceProperties(&p, device - 1), "device") < 0 ||
      kiln__cuda_check(cudaSetDevice(device - 1), "device") < 0 ||
      kiln__cuda_check(cudaMemGetInfo(&available, &total), "device") < 0)
    return KILN_EBACKEND;
  (void)cudaRuntimeGetVersion(&runtime);
  (void)cudaDriverGetVersion(&driver);
  *facts = (kiln_device_facts){.total_bytes = (int64_t)total,
                               .free_bytes = (int64_t)available,
                               .major = p.major,
                               .minor = p.minor,
                               .processors = p.multiProcessorCount,
                               .runtime = runtime,
                               .driver = driver};
  snprintf(facts->name, sizeof facts->name, "%s", p.name);
  return KILN_OK;
}

/* -- Copies -------------------------------------------------------------------------------------
 */

/* Between two devices: the copy runs on the source's stream, and the destination's goes on after
** it. */
static int32_t copy_between(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                            int64_t bytes) {
  cudaStream_t to = kiln__cuda_stream(dst_device), from;
  void *ready = NULL, *done = NULL;
  int32_t status = kiln__cuda_mark_new(dst_device, false, &ready);
  if (status >= 0)
    status = kiln__cuda_check(cudaEventRecord(ready, to), "copy");
  from = kiln__cuda_stream(src_device);
  if (status >= 0)
    status = kiln__cuda_mark_new(src_device, false, &done);
  if (status >= 0 && /* dst may still be read by what was there before */
      (status = kiln__cuda_check(cudaStreamWaitEvent(from, ready, 0), "copy")) >= 0 &&
      (status = kiln__cuda_check(
           cudaMemcpyPeerAsync(dst, dst_device - 1, src, src_device - 1, (size_t)bytes, from),
           "copy")) >= 0 &&
      (status = kiln__cuda_check(cudaEventRecord(done, from), "copy")) >= 0) {
    to = kiln__cuda_stream(dst_device);
    status = kiln__cuda_check(cudaStreamWaitEvent(to, done, 0), "copy");
  }
  if (ready)
    kiln__cuda_mark_free(dst_device, ready);
  if (done)
    kiln__cuda_mark_free(src_device, done);
  /* dst's block may be freed, and handed out, while `from` still writes it. */
  kiln__cuda_used(dst_device, dst, src_device, from);
  return status;
}

/* A graph keeps what it copies from and to; it cannot go to a device that is not captured. */
static int32_t copy(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                    int64_t bytes) {
  const kiln_private *memory;
  if ((dst_device > 0 && kiln__cuda_graph_admits(dst_device, "copy", &memory) < 0) ||
      (src_device > 0 && kiln__cuda_graph_admits(src_device, "copy", &memory) < 0) ||
      kiln__cuda_graph_use(dst_device, dst) < 0 || kiln__cuda_graph_use(src_device, src) < 0)
    return KILN_EARG;
  if (dst_device > 0 && src_device > 0 && dst_device != src_device)
    return copy_between(dst, dst_device, src, src_device, bytes);
  int32_t device = src_device > 0 ? src_device : dst_device;
  cudaStream_t stream = kiln__cuda_stream(device);
  enum cudaMemcpyKind kind = dst_device == 0   ? cudaMemcpyDeviceToHost
                             : src_device == 0 ? cudaMemcpyHostToDevice
                                               : cudaMemcpyDeviceToDevice;
  return kiln__cuda_check(cudaMemcpyAsync(dst, src, (size_t)bytes, kind, stream), "copy");
}

/* What the host reads or writes is done with when this returns. */
static int32_t cuda_copy(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                         int64_t bytes) {
  bool leaves = dst_device == 0 || src_device == 0;
  if (bytes <= 0)
    return KILN_OK;
  int32_t status = leaves ? kiln__cuda_may_wait("copy") : KILN_OK;
  if (status >= 0)
    status = copy(dst, dst_device, src, src_device, bytes);
  /* Pageable memory has been read when the runtime returns. */
  if (status < 0 || (dst_device > 0 && (src_device > 0 || !kiln__cuda_is_pinned(src))))
    return status;
  return kiln__cuda_wait(dst_device > 0 ? dst_device : src_device);
}

static int32_t cuda_copy_async(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                               int64_t bytes) {
  if (bytes <= 0)
    return KILN_OK;
  int32_t device = dst_device > 0 ? dst_device : src_device;
  if ((dst_device == 0 || src_device == 0) && !kiln__cuda_is_capturing())
    kiln__cuda_used(0, dst_device == 0 ? dst : src, device, kiln__cuda_stream(device));
  return copy(dst, dst_device, src, src_device, bytes);
}

/* -- Services -----------------------------------------------------------------------------------
 */

static int32_t host_alloc(int64_t bytes, void **p) { return kiln__cuda_alloc(0, bytes, p); }
static void host_free(void *p, int64_t bytes) { kiln__cuda_free(0, p, bytes); }

static void used(int32_t device, const void *p, int32_t stream) {
  (void)kiln__cuda_graph_use(device, p);
  kiln__cuda_used(device, p, device, kiln__cuda_stream_handle(device, stream));
}

#ifdef KILN_EMULATED
/* No profiler looks; ranges nest, as with one. */
static _Thread_local int32_t range_depth;
static int32_t range_push(const char *name) {
  (void)name;
  return range_depth++;
}
static int32_t range_pop(void) { return range_depth > 0 ? --range_depth : -1; }
static void range_mark(const char *name) { (void)name; }
#else
static int32_t range_push(const char *name) { return nvtxRangePushA(name); }
static int32_t range_pop(void) { return nvtxRangePop(); }
static void range_mark(const char *name) { nvtxMarkA(name); }
#endif

static const kiln_accelerator accelerator = {
    .facts = facts,
    .reserved = kiln__cuda_reserved,
    .trim = kiln__cuda_trim,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .copy_async = cuda_copy_async,
    .used = used,
    .stream_new = kiln__cuda_stream_new,
    .stream_use = kiln__cuda_stream_use,
    .stream_current = kiln__cuda_stream_current,
    .stream_query = kiln__cuda_stream_query,
    .stream_wait = kiln__cuda_stream_wait,
    .mark_new = kiln__cuda_mark_new,
    .mark_free = kiln__cuda_mark_free,
    .mark_record = kiln__cuda_mark_record,
    .mark_query = kiln__cuda_mark_query,
    .mark_wait = kiln__cuda_mark_wait,
    .mark_before = kiln__cuda_mark_before,
    .mark_elapsed = kiln__cuda_mark_elapsed,
    .graph_begin = kiln__cuda_graph_begin,
    .graph_end = kiln__cuda_graph_end,
    .graph_replay = kiln__cuda_graph_replay,
    .graph_free = kiln__cuda_graph_free,
    .graph_pause = kiln__cuda_graph_pause,
    .graph_use = kiln__cuda_graph_use,
    .range_push = range_push,
    .range_pop = range_pop,
    .range_mark = range_mark,
};

static void *cuda_get_proc(const char *name) {
  (void)name;
  return NULL;
}

static const kiln_backend backend = {
    .abi = KILN_BACKEND_ABI,
    .struct_size = sizeof(kiln_backend),
    .ops = KILN_OPS_DIGEST,
    .name = "cuda",
    .device_count = cuda_device_count,
    .alloc = kiln__cuda_alloc,
    .free = kiln__cuda_free,
    .copy = cuda_copy,
    .synchronize = kiln__cuda_synchronize,
    .accelerator = &accelerator,
    .table = table,
    .get_proc = cuda_get_proc,
};

static void fill_table(void) {
#define FILL(family) kiln__backend_fill(table, kiln__cuda_##family, kiln__cuda_##family##_n);
  KILN_CUDA_FAMILIES(FILL)
#undef FILL
}

const kiln_backend *kiln_cuda_backend(void);
__attribute__((visibility("default"))) const kiln_backend *kiln_cuda_backend(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_table);
  return &backend;
}
