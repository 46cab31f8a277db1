/* block.h: what the threads of one block work out together: sums, largest values, running sums.
** Blocks are whole warps, of at most 1024 threads.  The order of every sum depends on the number of
** threads alone.
*/
#ifndef KILN_CUDA_BLOCK_H
#define KILN_CUDA_BLOCK_H
#include "kernel.h"

enum { KILN_WARP = 32, KILN_MOST_WARPS = 32 };
#define KILN_ALL_LANES 0xffffffffu

template <typename T> static __device__ inline T kiln__warp_sum(T v) {
  for (int step = KILN_WARP / 2; step > 0; step /= 2)
    v += __shfl_xor_sync(KILN_ALL_LANES, v, step);
  return v;
}

template <typename T> static __device__ inline T kiln__warp_max(T v) {
  for (int step = KILN_WARP / 2; step > 0; step /= 2) {
    T other = __shfl_xor_sync(KILN_ALL_LANES, v, step);
    v = other > v ? other : v;
  }
  return v;
}

/* What over_warp makes of the block's values, in every thread; `none` changes nothing.  room:
** KILN_MOST_WARPS values of shared memory, which may be used again at once. */
template <typename T, T (*over_warp)(T)>
static __device__ inline T kiln__over_block(T v, T none, T *room) {
  int lane = threadIdx.x % KILN_WARP, warp = threadIdx.x / KILN_WARP;
  int warps = blockDim.x / KILN_WARP;
  v = over_warp(v);
  if (warps == 1)
    return v;
  __syncthreads();
  if (lane == 0)
    room[warp] = v;
  __syncthreads();
  return over_warp(lane < warps ? room[lane] : none);
}

template <typename T> static __device__ inline T kiln__block_sum(T v, T *room) {
  return kiln__over_block<T, kiln__warp_sum<T>>(v, 0, room);
}

template <typename T> static __device__ inline T kiln__block_max(T v, T *room) {
  return kiln__over_block<T, kiln__warp_max<T>>(v, -(T)INFINITY, room);
}

/* The sum of v in the threads before this one; *total is that of all. */
static __device__ inline int64_t kiln__block_scan(int64_t v, int64_t *room, int64_t *total) {
  int lane = threadIdx.x % KILN_WARP, warp = threadIdx.x / KILN_WARP;
  int warps = blockDim.x / KILN_WARP;
  int64_t sum = v, before = 0, all = 0;
  for (int step = 1; step < KILN_WARP; step *= 2) {
    int64_t other = __shfl_up_sync(KILN_ALL_LANES, sum, step);
    if (lane >= step)
      sum += other;
  }
  __syncthreads();
  if (lane == KILN_WARP - 1)
    room[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warps; w++) {
    if (w < warp)
      before += room[w];
    all += room[w];
  }
  *total = all;
  return before + sum - v;
}

#endif
