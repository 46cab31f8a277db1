/* stream.c: where work goes and how it is waited for: each thread's current stream of each device,
** marks in streams, and what kernels and the runtime found wrong.  Streams are made once and never
** end, so nothing that remembers one can outlive it.
*/
#include "runtime.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 32, ALL = 2 * STREAMS + 2, DEVICES = KILN_CUDA_MAX_DEVICES + 1 };
_Static_assert(KILN_CUDA_CAPTURES == ALL - 1, "the last stream is that of captures");

/* What there is once a device, made when it is first used. */
static struct {
  pthread_mutex_t lock;
  cudaStream_t stream[ALL]; /* 0: the default; then plain ones; urgent ones; that of captures */
  int32_t made[2];          /* how often a plain or an urgent one was asked for */
  kiln_cuda_error *error;
} devices[DEVICES];

static _Thread_local int32_t current[DEVICES]; /* numbers of streams */
static bool synchronous;                       /* KILN_CUDA_SYNC=1 */

__attribute__((constructor)) static void start(void) {
  const char *sync = getenv("KILN_CUDA_SYNC");
  synchronous = sync && strcmp(sync, "0") != 0;
  for (int32_t i = 0; i < DEVICES; i++)
    pthread_mutex_init(&devices[i].lock, NULL);
}

int32_t kiln__cuda_check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return KILN_OK;
  (void)cudaGetLastError();
  return kiln_fail(KILN_EBACKEND, "%s: CUDA says: %s (%s)", what, cudaGetErrorString(status),
                   cudaGetErrorName(status));
}

/* -- Streams ------------------------------------------------------------------------------------
 */

/* The default one is ordered with nothing else either: it is no legacy default stream. */
void *kiln__cuda_stream_handle(int32_t device, int32_t stream) {
  cudaStream_t *s = &devices[device].stream[stream];
  (void)cudaSetDevice(device - 1);
  if (__atomic_load_n(s, __ATOMIC_ACQUIRE))
    return *s;
  pthread_mutex_lock(&devices[device].lock);
  if (!*s) {
    cudaStream_t made = NULL;
    int least = 0, greatest = 0;
    (void)cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking,
                                     stream > STREAMS ? greatest : least) == cudaSuccess)
      __atomic_store_n(s, made, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&devices[device].lock);
  return *s;
}

void *kiln__cuda_stream(int32_t device) {
  return kiln__cuda_stream_handle(device, current[device]);
}

int32_t kiln__cuda_stream_new(int32_t device, int32_t priority) {
  int32_t urgent = priority < 0;
  int32_t k = __atomic_fetch_add(&devices[device].made[urgent], 1, __ATOMIC_RELAXED);
  return 1 + urgent * STREAMS + (int32_t)((uint32_t)k % STREAMS);
}

static int32_t known(int32_t stream) {
  return stream >= 0 && stream < ALL
             ? KILN_OK
             : kiln_fail(KILN_EARG, "stream: there is no stream %d", stream);
}

int32_t kiln__cuda_stream_use(int32_t device, int32_t stream) {
  int32_t was = current[device];
  if (known(stream) < 0)
    return KILN_EARG;
  current[device] = stream;
  return was;
}

int32_t kiln__cuda_stream_current(int32_t device) { return current[device]; }

int32_t kiln__cuda_stream_query(int32_t device, int32_t stream) {
  if (known(stream) < 0 || kiln__cuda_may_wait("query") < 0)
    return KILN_EARG;
  cudaError_t status = cudaStreamQuery(kiln__cuda_stream_handle(device, stream));
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return 0;
  }
  return kiln__cuda_check(status, "query") < 0 ? KILN_EBACKEND : 1;
}

/* -- What a kernel found wrong ------------------------------------------------------------------
 */

kiln_cuda_error *kiln__cuda_error_slot(int32_t device) {
  pthread_mutex_lock(&devices[device].lock);
  if (!devices[device].error) {
    void *p = NULL;
    if (cudaHostAlloc(&p, sizeof(kiln_cuda_error), cudaHostAllocPortable | cudaHostAllocMapped) ==
        cudaSuccess) {
      memset(p, 0, sizeof(kiln_cuda_error));
      devices[device].error = p;
    }
  }
  pthread_mutex_unlock(&devices[device].lock);
  return devices[device].error;
}

kiln_blame kiln__cuda_blame(const char *op, const char *what, const kiln_tensor *index, int64_t low,
                            int64_t high) {
  kiln_blame b = {.slot = kiln__cuda_error_slot(index->device)};
  b.about =
      (kiln_cuda_error){.ndim = index->ndim, .low = low, .high = high, .op = op, .what = what};
  memcpy(b.about.shape, index->shape, sizeof b.about.shape);
  return b;
}

/* Stream by stream: a device as a whole cannot be waited for while another thread captures there.
 */
static int32_t wait_for_all(int32_t device) {
  int32_t status = KILN_OK;
  (void)cudaSetDevice(device - 1);
  for (int32_t i = 0; i < ALL && status >= 0; i++) {
    cudaStream_t s = __atomic_load_n(&devices[device].stream[i], __ATOMIC_ACQUIRE);
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (s && cudaStreamIsCapturing(s, &capture) == cudaSuccess &&
        capture == cudaStreamCaptureStatusNone)
      status = kiln__cuda_check(cudaStreamSynchronize(s), "synchronize");
  }
  return status;
}

/* Raises what a kernel left in the slot, and makes room for the next. */
static int32_t raise_found_on(int32_t device) {
  kiln_cuda_error *slot = devices[device].error;
  if (!slot || !__atomic_load_n(&slot->claimed, __ATOMIC_ACQUIRE))
    return KILN_OK;
  int32_t status = wait_for_all(device); /* a kernel that was not waited for may be writing it */
  if (status < 0)
    return status;
  kiln_cuda_error e = *slot;
  memset(slot, 0, sizeof *slot);
  int64_t at[KILN_MAX_DIMS], rest = e.position;
  char place[24 * KILN_MAX_DIMS + 4] = "";
  size_t used = 0;
  for (int32_t d = e.ndim - 1; d >= 0; d--) {
    int64_t size = e.shape[d] > 0 ? e.shape[d] : 1;
    at[d] = rest % size + 1;
    rest /= size;
  }
  for (int32_t d = 0; d < e.ndim; d++)
    used += (size_t)snprintf(place + used, sizeof place - used, d ? ", %lld" : "%lld",
                             (long long)at[d]);
  char value[40];
  double real;
  memcpy(&real, &e.value, sizeof real);
  if (e.real)
    snprintf(value, sizeof value, "%g", isnan(real) ? (double)NAN : real);
  else
    snprintf(value, sizeof value, "%lld", (long long)e.value);
  if (e.high == INT64_MAX) {
    return kiln_fail(KILN_EARG,
                     "%s: %s %s at position [%s] is not a finite number of at least %lld", e.op,
                     e.what, value, place, (long long)e.low);
  }
  return kiln_fail(KILN_EARG, "%s: %s %s at position [%s] is out of range %lld..%lld", e.op, e.what,
                   value, place, (long long)e.low, (long long)e.high);
}

/* What is waited for on one device may come from another, where nobody will wait. */
static int32_t raise_found(int32_t device) {
  int32_t status = raise_found_on(device);
  for (int32_t d = 1; d < DEVICES && status >= 0; d++)
    status = raise_found_on(d);
  return status;
}

/* -- Waiting ------------------------------------------------------------------------------------
 */

int32_t kiln__cuda_stream_wait(int32_t device, int32_t stream) {
  if (known(stream) < 0 || kiln__cuda_may_wait("synchronize") < 0)
    return KILN_EARG;
  cudaStream_t s = kiln__cuda_stream_handle(device, stream);
  if (kiln__cuda_check(cudaStreamSynchronize(s), "synchronize") < 0)
    return KILN_EBACKEND;
  return raise_found(device);
}

int32_t kiln__cuda_wait(int32_t device) { return kiln__cuda_stream_wait(device, current[device]); }

int32_t kiln__cuda_synchronize(int32_t device) {
  int32_t status = kiln__cuda_may_wait("synchronize");
  if (status >= 0)
    status = wait_for_all(device);
  return status < 0 ? status : raise_found(device);
}

int32_t kiln__cuda_launched(const char *op) {
  int32_t status = kiln__cuda_check(cudaGetLastError(), op);
  if (status < 0 || !synchronous || kiln__cuda_is_capturing())
    return status;
  int device = 0;
  (void)cudaGetDevice(&device);
  return kiln__cuda_wait(device + 1);
}

/* -- Marks --------------------------------------------------------------------------------------
 */

int32_t kiln__cuda_mark_new(int32_t device, bool timing, void **mark) {
  cudaEvent_t event = NULL;
  (void)cudaSetDevice(device - 1);
  int32_t status = kiln__cuda_check(
      cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming),
      "event");
  *mark = event;
  return status;
}

void kiln__cuda_mark_free(int32_t device, void *mark) {
  (void)cudaSetDevice(device - 1);
  (void)cudaEventDestroy(mark);
}

int32_t kiln__cuda_mark_record(int32_t device, void *mark, int32_t stream) {
  if (known(stream) < 0)
    return KILN_EARG;
  return kiln__cuda_check(cudaEventRecord(mark, kiln__cuda_stream_handle(device, stream)),
                          "record");
}

int32_t kiln__cuda_mark_query(void *mark) {
  if (kiln__cuda_may_wait("query") < 0)
    return KILN_EARG;
  cudaError_t status = cudaEventQuery(mark);
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return 0;
  }
  return kiln__cuda_check(status, "query") < 0 ? KILN_EBACKEND : 1;
}

int32_t kiln__cuda_mark_wait(int32_t device, void *mark) {
  if (kiln__cuda_may_wait("synchronize") < 0)
    return KILN_EARG;
  int32_t status = kiln__cuda_check(cudaEventSynchronize(mark), "synchronize");
  return status < 0 ? status : raise_found(device);
}

int32_t kiln__cuda_mark_before(int32_t device, int32_t stream, void *mark) {
  if (known(stream) < 0)
    return KILN_EARG;
  return kiln__cuda_check(cudaStreamWaitEvent(kiln__cuda_stream_handle(device, stream), mark, 0),
                          "wait_event");
}

int32_t kiln__cuda_mark_elapsed(void *from, void *to, double *ms) {
  float elapsed = 0;
  int32_t status = kiln__cuda_check(cudaEventElapsedTime(&elapsed, from, to), "elapsed_time");
  *ms = (double)elapsed;
  return status;
}
