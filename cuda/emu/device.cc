/* device.cc: the settings, what is said of misuse, devices and the texts of errors.  Here is the
** one lock, too, that every entry of cudart.h holds.
*/
#include "queue.h"

#include <pthread.h>
#include <stdarg.h>

namespace kiln_emu {

settings config;
counts totals;

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
  streams_start();
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
} // namespace kiln_emu

using namespace kiln_emu;

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
  if (is_captured_on(device_in_use))
    return fail(cudaErrorStreamCaptureUnsupported);
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
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not initiated in this stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
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

} /* extern "C" */
