/* stream.c: where work goes and how it is waited for: each thread's current stream of each device,
** and what kernels and the runtime found wrong.
*/
#include "runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 16 };

/* What exists once a device, made when it is first used. */
static struct {
  pthread_mutex_t lock;
  cudaStream_t stream; /* the default: ordered with nothing else */
  kiln_cuda_error *error;
} devices[MAX_DEVICES + 1];

static _Thread_local cudaStream_t current[MAX_DEVICES + 1]; /* NULL: the device's default */
static bool synchronous;                                    /* KILN_CUDA_SYNC=1 */

__attribute__((constructor)) static void start(void) {
  const char *sync = getenv("KILN_CUDA_SYNC");
  synchronous = sync && strcmp(sync, "0") != 0;
  for (int32_t i = 0; i <= MAX_DEVICES; i++)
    pthread_mutex_init(&devices[i].lock, NULL);
}

int32_t kiln__cuda_check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return KILN_OK;
  (void)cudaGetLastError();
  return kiln_fail(KILN_EBACKEND, "%s: CUDA says: %s (%s)", what, cudaGetErrorString(status),
                   cudaGetErrorName(status));
}

void *kiln__cuda_stream(int32_t device) {
  (void)cudaSetDevice(device - 1);
  if (current[device])
    return current[device];
  pthread_mutex_lock(&devices[device].lock);
  if (!devices[device].stream)
    (void)cudaStreamCreateWithFlags(&devices[device].stream, cudaStreamNonBlocking);
  pthread_mutex_unlock(&devices[device].lock);
  return devices[device].stream;
}

/* -- What a kernel found wrong -------------------------------------------------------------------
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

/* Raises what a kernel left in the slot, and makes room for the next. */
static int32_t raise_found(int32_t device) {
  kiln_cuda_error *slot = devices[device].error;
  if (!slot || !slot->claimed)
    return KILN_OK;
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
  return kiln_fail(KILN_EARG, "%s: %s %lld at position [%s] is out of range %lld..%lld", e.op,
                   e.what, (long long)e.value, place, (long long)e.low, (long long)e.high);
}

/* -- Waiting -------------------------------------------------------------------------------------
 */

int32_t kiln__cuda_wait(int32_t device) {
  if (kiln__cuda_check(cudaStreamSynchronize(kiln__cuda_stream(device)), "synchronize") < 0)
    return KILN_EBACKEND;
  return raise_found(device);
}

int32_t kiln__cuda_launched(const char *op) {
  int32_t status = kiln__cuda_check(cudaGetLastError(), op);
  if (status < 0 || !synchronous)
    return status;
  int device = 0;
  (void)cudaGetDevice(&device);
  return kiln__cuda_wait(device + 1);
}
