/* backend.c: CUDA as a backend: the table of services that libkiln asks libkiln_cuda for.  It
** refuses kernels (the .cu files), streams and errors (stream.c).
*/
#include "runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static kiln_slot table[KILN_OP_COUNT][KILN_DTYPE_COUNT];

/* Devices are counted from 1 in kiln, from 0 in CUDA. */
static int32_t cuda_device_count(int32_t *n, const char **why) {
  static char text[256];
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count); /* leaves count alone when it fails */
  *n = status == cudaSuccess ? count : 0;
  *why = "";
  if (*n > 0)
    return KILN_OK;
  (void)cudaGetLastError();
  snprintf(text, sizeof text, "no usable CUDA device: %s (%d)",
           status == cudaSuccess ? "none found" : cudaGetErrorString(status), (int)status);
  *why = text;
  return KILN_EBACKEND;
}

static int32_t cuda_alloc(int32_t device, int64_t bytes, void **p) {
  *p = NULL;
  if (cudaSetDevice(device - 1) != cudaSuccess)
    return KILN_EBACKEND;
  if (cudaMalloc(p, (size_t)bytes) == cudaSuccess)
    return KILN_OK;
  (void)cudaGetLastError();
  return KILN_ENOMEM;
}

static void cuda_free(int32_t device, void *p, int64_t bytes) {
  (void)bytes;
  if (cudaSetDevice(device - 1) == cudaSuccess)
    cudaFree(p);
}

/* In stream order on the devices; what comes to the host is there when this returns. */
static int32_t cuda_copy(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                         int64_t bytes) {
  if (bytes <= 0)
    return KILN_OK;
  cudaStream_t stream = kiln__cuda_stream(src_device > 0 ? src_device : dst_device);
  if (dst_device > 0 && src_device > 0 && dst_device != src_device) {
    cudaError_t status =
        cudaMemcpyPeerAsync(dst, dst_device - 1, src, src_device - 1, (size_t)bytes, stream);
    if (kiln__cuda_check(status, "copy") < 0)
      return KILN_EBACKEND;
    return kiln__cuda_wait(src_device);
  }
  enum cudaMemcpyKind kind = dst_device == 0   ? cudaMemcpyDeviceToHost
                             : src_device == 0 ? cudaMemcpyHostToDevice
                                               : cudaMemcpyDeviceToDevice;
  if (kiln__cuda_check(cudaMemcpyAsync(dst, src, (size_t)bytes, kind, stream), "copy") < 0)
    return KILN_EBACKEND;
  return dst_device == 0 ? kiln__cuda_wait(src_device) : KILN_OK;
}

static void cuda_synchronize(int32_t device) { (void)kiln__cuda_wait(device); }

static void *cuda_get_proc(const char *name) {
  (void)name;
  return NULL;
}

static const kiln_backend backend = {
    .abi = KILN_BACKEND_ABI,
    .struct_size = sizeof(kiln_backend),
    .name = "cuda",
    .device_count = cuda_device_count,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .copy = cuda_copy,
    .synchronize = cuda_synchronize,
    .table = table,
    .get_proc = cuda_get_proc,
};

static void fill_table(void) {
#define FILL(family)                                                                               \
  if (&kiln__cuda_##family##_n)                                                                    \
    kiln__backend_fill(table, kiln__cuda_##family, kiln__cuda_##family##_n);
  KILN_CUDA_FAMILIES(FILL)
#undef FILL
}

const kiln_backend *kiln_cuda_backend(void);
__attribute__((visibility("default"))) const kiln_backend *kiln_cuda_backend(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_table);
  return &backend;
}
