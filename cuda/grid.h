/* grid.h: what the kernels of most families share: a thread for each unit of work, C types by
** dtype, elements of any dtype, positions, operands of any strides, and on the host the life of one
** call: its stream, its scratch memory, its first error.
*/
#ifndef KILN_CUDA_GRID_H
#define KILN_CUDA_GRID_H
#include "kernel.h"

/* -- In kernels ------------------------------------------------------------------------------ */

/* The numbers of [0, n) that belong to this thread; `i` is an int64_t. */
#define KILN_EACH(i, n) for (int64_t i = kiln_thread(); i < (n); i += kiln_stride())
/* The numbers of [0, n) that belong to this block. */
#define KILN_EACH_BLOCK(i, n) for (int64_t i = blockIdx.x; i < (n); i += gridDim.x)

/* Element i of memory of any dtype, as a double; int64 beyond 2^53 is rounded. */
static __device__ inline double kiln__element(const void *p, int32_t dtype, int64_t i) {
  switch (dtype) {
  case KILN_FLOAT32:
    return (double)((const float *)p)[i];
  case KILN_FLOAT64:
    return ((const double *)p)[i];
  case KILN_FLOAT16:
    return (double)kiln__from_f16(((const kiln_f16 *)p)[i]);
  case KILN_BFLOAT16:
    return (double)kiln__from_bf16(((const kiln_bf16 *)p)[i]);
  case KILN_INT8:
    return (double)((const int8_t *)p)[i];
  case KILN_INT16:
    return (double)((const int16_t *)p)[i];
  case KILN_INT32:
    return (double)((const int32_t *)p)[i];
  case KILN_INT64:
    return (double)((const int64_t *)p)[i];
  default:
    return (double)((const uint8_t *)p)[i];
  }
}

/* The i-th of positions that must be in 1..high, from 0; -1 where it has complained. */
static __device__ inline int64_t kiln__place(const kiln_blame &b, const int64_t *index, int64_t i) {
  int64_t v = index[i];
  if ((uint64_t)v - KILN_INDEX_BASE < (uint64_t)b.about.high)
    return v - KILN_INDEX_BASE;
  kiln_complain(b, v, i);
  return -1;
}

/* -- Operands of any strides ------------------------------------------------------------------- */

/* Shape and steps, in elements, of an operand broadcast to it. */
typedef struct kiln_walk {
  int32_t ndim;
  int64_t shape[KILN_MAX_DIMS], stride[KILN_MAX_DIMS];
} kiln_walk;

static __device__ inline int64_t kiln__walk(const kiln_walk &w, int64_t i) {
  int64_t at = 0;
  for (int32_t d = w.ndim - 1; d > 0; d--) {
    at += i % w.shape[d] * w.stride[d];
    i /= w.shape[d];
  }
  return w.ndim > 0 ? at + i * w.stride[0] : at;
}

/* x at the places of a shape that it broadcasts to; neighbours that step alike are merged. */
static inline kiln_walk kiln__walk_over(const kiln_tensor *x, const int64_t *shape, int32_t ndim) {
  kiln_walk w;
  w.ndim = 0;
  for (int32_t d = 0; d < ndim; d++) {
    int32_t k = d - (ndim - x->ndim);
    int64_t stride = k < 0 || (x->shape[k] == 1 && shape[d] != 1) ? 0 : x->stride[k];
    if (shape[d] == 1)
      continue;
    if (w.ndim > 0 && w.stride[w.ndim - 1] == stride * shape[d]) {
      w.shape[w.ndim - 1] *= shape[d];
      w.stride[w.ndim - 1] = stride;
      continue;
    }
    w.shape[w.ndim] = shape[d];
    w.stride[w.ndim++] = stride;
  }
  return w;
}

/* -- On the host ----------------------------------------------------------------------------- */

static inline int64_t kiln__bytes_of(int32_t dtype) {
  static const uint8_t size[KILN_DTYPE_COUNT] = {4, 8, 2, 2, 1, 1, 2, 4, 8, 1};
  return size[dtype];
}

static inline void *kiln__data_or_null(const kiln_tensor *x) { return x ? kiln__data(x) : NULL; }

/* Runs the statements with `type` float or double. */
#define KILN_BY_FLOAT(dtype, ...)                                                                  \
  do {                                                                                             \
    if ((dtype) == KILN_FLOAT64) {                                                                 \
      typedef double type;                                                                         \
      __VA_ARGS__;                                                                                 \
    } else {                                                                                       \
      typedef float type;                                                                          \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  } while (0)

#define KILN_CASE(label, T, ...)                                                                   \
  case label: {                                                                                    \
    typedef T type;                                                                                \
    __VA_ARGS__;                                                                                   \
    break;                                                                                         \
  }

/* Runs the statements with `type` an unsigned type of `size` bytes. */
#define KILN_BY_SIZE(size, ...)                                                                    \
  do {                                                                                             \
    switch (size) {                                                                                \
      KILN_CASE(1, uint8_t, __VA_ARGS__)                                                           \
      KILN_CASE(2, uint16_t, __VA_ARGS__)                                                          \
      KILN_CASE(4, uint32_t, __VA_ARGS__)                                                          \
      KILN_CASE(8, uint64_t, __VA_ARGS__)                                                          \
    }                                                                                              \
  } while (0)

/* Runs the statements with `type` the C type of a dtype that is no half. */
#define KILN_BY_DTYPE(dtype, ...)                                                                  \
  do {                                                                                             \
    switch (dtype) {                                                                               \
      KILN_CASE(KILN_FLOAT32, float, __VA_ARGS__)                                                  \
      KILN_CASE(KILN_FLOAT64, double, __VA_ARGS__)                                                 \
      KILN_CASE(KILN_INT8, int8_t, __VA_ARGS__)                                                    \
      KILN_CASE(KILN_UINT8, uint8_t, __VA_ARGS__)                                                  \
      KILN_CASE(KILN_INT16, int16_t, __VA_ARGS__)                                                  \
      KILN_CASE(KILN_INT32, int32_t, __VA_ARGS__)                                                  \
      KILN_CASE(KILN_INT64, int64_t, __VA_ARGS__)                                                  \
      KILN_CASE(KILN_BOOL, bool, __VA_ARGS__)                                                      \
    }                                                                                              \
  } while (0)

/* One call: what it launches goes to one stream, what it takes is given back at its end, and after
** the first error nothing more is launched. */
enum { KILN_JOB_HELD = 16 };
typedef struct kiln_job {
  const char *op;
  int32_t device, status, held;
  cudaStream_t stream;
  void *memory[KILN_JOB_HELD];
  int64_t bytes[KILN_JOB_HELD];
} kiln_job;

static inline kiln_job kiln__job(const char *op, int32_t device) {
  kiln_job j = {};
  j.op = op;
  j.device = device;
  j.stream = (cudaStream_t)kiln__cuda_stream(device);
  return j;
}

/* Scratch memory until the end of the call; NULL after an error. */
static inline void *kiln__job_take(kiln_job *j, int64_t bytes) {
  if (j->status < 0)
    return NULL;
  void *p = kiln__scratch(j->device, bytes);
  if (!p) {
    j->status = KILN_ENOMEM;
    return NULL;
  }
  j->memory[j->held] = p;
  j->bytes[j->held++] = bytes;
  return p;
}

static inline void kiln__job_zero(kiln_job *j, void *p, int64_t bytes) {
  if (j->status == KILN_OK && bytes > 0) {
    cudaMemsetAsync(p, 0, (size_t)bytes, j->stream);
    j->status = kiln__cuda_launched(j->op);
  }
}

static inline void kiln__job_copy(kiln_job *j, void *to, const void *from, int64_t bytes) {
  if (j->status == KILN_OK && bytes > 0 && to != from) {
    cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, j->stream);
    j->status = kiln__cuda_launched(j->op);
  }
}

/* Waits until the host has what the device computed. */
static inline void kiln__job_fetch(kiln_job *j, void *to, const void *from, int64_t bytes) {
  if (j->status == KILN_OK && bytes > 0 && (j->status = kiln__cuda_may_wait(j->op)) == KILN_OK) {
    cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToHost, j->stream);
    cudaStreamSynchronize(j->stream);
    j->status = kiln__cuda_launched(j->op);
  }
}

/* From the host, whose memory may be used again at once. */
static inline void kiln__job_send(kiln_job *j, void *to, const void *from, int64_t bytes) {
  if (j->status == KILN_OK && bytes > 0 && (j->status = kiln__cuda_may_wait(j->op)) == KILN_OK) {
    cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyHostToDevice, j->stream);
    j->status = kiln__cuda_launched(j->op);
  }
}

static inline int32_t kiln__job_end(kiln_job *j) {
  while (j->held > 0) {
    j->held--;
    kiln__scratch_free(j->device, j->memory[j->held], j->bytes[j->held]);
  }
  return j->status;
}

/* Launches kernel(...) with a thread for each of n units of work (see KILN_EACH). */
#define KILN_RUN(j, kernel, n, ...)                                                                \
  do {                                                                                             \
    int64_t units_ = (n);                                                                          \
    if ((j)->status == KILN_OK && units_ > 0) {                                                    \
      KILN_LAUNCH(kernel, kiln_grid(units_), KILN_BLOCK, 0, (j)->stream, __VA_ARGS__);             \
      (j)->status = kiln__cuda_launched((j)->op);                                                  \
    }                                                                                              \
  } while (0)

/* Launches kernel(...) with a block for each of n units of work (see KILN_EACH_BLOCK). */
#define KILN_RUN_BLOCKS(j, kernel, n, threads, ...)                                                \
  do {                                                                                             \
    int64_t units_ = (n);                                                                          \
    if ((j)->status == KILN_OK && units_ > 0) {                                                    \
      unsigned blocks_ = (unsigned)(units_ < 65536 ? units_ : 65536);                              \
      KILN_LAUNCH(kernel, blocks_, (threads), 0, (j)->stream, __VA_ARGS__);                        \
      (j)->status = kiln__cuda_launched((j)->op);                                                  \
    }                                                                                              \
  } while (0)

#endif
