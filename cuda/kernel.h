/* kernel.h: the one header that a .cu file includes.  nvcc makes CUDA of such a file, any C++17
** compiler a program for the emulator in cuda/emu, so that every kernel also runs in the tests.
**
** What keeps both possible, and is the whole language of kernel files:
**   KILN_LAUNCH(kernel, grid, block, shmem, stream, args...)   the only way to launch
**   KILN_SHARED(T, name, [n][m])      static shared memory, declared at the top of a kernel
**   KILN_DYN_SHARED(T, name)          dynamic shared memory (the launch's shmem bytes)
** PTX, tensor-core intrinsics and the like stand under #ifdef __CUDACC__ with a plain fallback.
**
** A host wrapper is a kiln_kernel.  It gets checked inputs on one device and allocated contiguous
** outputs there; 0-dim inputs of pointwise rows, of fill and of copy may be on the CPU (device 0,
** `kiln__data` may be read).  It launches on kiln__cuda_stream(device) and ends with
** `return kiln__cuda_launched("op")`.  It neither synchronises nor allocates but by kiln__scratch.
** It refuses exceptions, the standard library, and state of its own.
*/
#ifndef KILN_CUDA_KERNEL_H
#define KILN_CUDA_KERNEL_H

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define KILN_SHARED(T, name, ...) __shared__ T name __VA_ARGS__
#define KILN_DYN_SHARED(T, name)                                                                   \
  extern __shared__ __align__(16) unsigned char kiln_dynamic_shared[];                             \
  T *name = (T *)kiln_dynamic_shared
#define KILN_LAUNCH(kernel, grid, block, shmem, stream, ...)                                       \
  (kernel)<<<(grid), (block), (shmem), (cudaStream_t)(stream)>>>(__VA_ARGS__)
#else
#include "emu/emu.h"
#endif

/* How code for both sides is declared; also what scalar.h and half.h declare theirs with. */
#define KILN_HD __host__ __device__ __forceinline__
#define KILN_FN static __host__ __device__ __forceinline__ __attribute__((unused))
#define KILN_FN_LONG static __host__ __device__ __noinline__ __attribute__((unused))

#include "../core/backend.h"
#include "../core/cpu/half.h"
#include "runtime.h"

/* Threads of a block, unless a kernel needs a number of its own. */
#ifndef KILN_BLOCK
#define KILN_BLOCK 256
#endif

/* Blocks for n elements of a loop that strides over the grid:
**   for (int64_t i = kiln_thread(); i < n; i += kiln_stride()) */
static inline unsigned kiln_grid(int64_t n) {
  int64_t blocks = (n + KILN_BLOCK - 1) / KILN_BLOCK;
  return (unsigned)(blocks < 1 ? 1 : blocks > 8192 ? 8192 : blocks);
}
static __device__ __forceinline__ int64_t kiln_thread(void) {
  return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ int64_t kiln_stride(void) {
  return (int64_t)gridDim.x * blockDim.x;
}

/* Says that `value`, element `position` (from 0, in rows) of the index tensor, is out of range.
** The first to come is kept. */
static __device__ __forceinline__ void kiln_complain(const kiln_blame &blame, int64_t value,
                                                     int64_t position) {
  if (atomicCAS(&blame.slot->claimed, 0, 1) != 0)
    return;
  blame.slot->ndim = blame.about.ndim;
  for (int i = 0; i < KILN_MAX_DIMS; i++)
    blame.slot->shape[i] = blame.about.shape[i];
  blame.slot->value = value;
  blame.slot->position = position;
  blame.slot->low = blame.about.low;
  blame.slot->high = blame.about.high;
  blame.slot->op = blame.about.op;
  blame.slot->what = blame.about.what;
  blame.slot->real = blame.about.real;
  __threadfence_system();
}

/* The same of an element that is a number with a fraction; about.real was set. */
static __device__ __forceinline__ void kiln_complain_real(const kiln_blame &blame, double value,
                                                          int64_t position) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  kiln_complain(blame, bits, position);
}

#endif
