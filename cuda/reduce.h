/* reduce.h: reductions over any dims of a tensor of any strides, for one reducer R a kernel:
**
**   T                  an element in memory
**   A                  an accumulator, at most 32 bytes
**   start()            the accumulator that nothing was joined to
**   value(x, at, p)    the accumulator of one element; `at` is its position in the reduced dims
**   join(a, b)         of two; does not depend on their order
**   finish(w, i, a)    writes result i
**
** A block is lanes times columns: columns are results, the lanes of a column share its elements.
** Where there are few results, their elements are cut into chunks, whose accumulators a second
** kernel joins.  Shapes alone decide all that, so a result is the same at every run.
*/
#ifndef KILN_CUDA_REDUCE_H
#define KILN_CUDA_REDUCE_H
#include "operands.h"
#include "typed.h"

typedef struct kiln_reduction {
  kiln_operands<1> kept, reduced; /* kept.data[0] is x; results are numbered in kept's order */
  char *out[2];
  char *partial; /* accumulators, [results][chunks], where there are several chunks */
  int64_t chunk, chunks;
  int32_t lanes, columns;
  bool lanes_first; /* neighbouring threads are lanes, not columns */
  double p;
} kiln_reduction;

/* -- Kernels --------------------------------------------------------------------------------------
 */

/* What the lanes of a column joined to, in lane 0.  acc has room for one each; `at` is the place
** of this thread's, those of the next lane are `apart` away. */
template <class R>
static __device__ __forceinline__ typename R::A
kiln_join_lanes(typename R::A *acc, int at, int apart, int lane, int lanes, typename R::A a) {
  if (lanes == 1)
    return a;
  acc[at] = a;
  __syncthreads();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (lane < half)
      acc[at] = R::join(acc[at], acc[at + half * apart]);
    __syncthreads();
  }
  return acc[at];
}

template <class R> static __global__ void KILN_BOUNDS kiln_reduce_kernel(const kiln_reduction w) {
  typedef typename R::T T;
  KILN_DYN_SHARED(typename R::A, acc);
  const int thread = (int)threadIdx.x;
  const int lane = w.lanes_first ? thread % w.lanes : thread / w.columns;
  const int column = w.lanes_first ? thread / w.lanes : thread % w.columns;
  const int64_t result = (int64_t)blockIdx.x * w.columns + column;
  typename R::A a = R::start();
  if (result < w.kept.numel) {
    const int64_t from = blockIdx.y * w.chunk;
    const int64_t to = from + w.chunk < w.reduced.numel ? from + w.chunk : w.reduced.numel;
    int64_t at[1];
    kiln_seek(w.kept, result, at);
    const char *x = w.kept.data[0] + at[0];
    for (int64_t row = from + lane; row < to; row += w.lanes) {
      kiln_seek(w.reduced, row, at);
      a = R::join(a, R::value(*(const T *)(x + at[0]), row, w.p));
    }
  }
  a = kiln_join_lanes<R>(acc, lane * w.columns + column, w.columns, lane, w.lanes, a);
  if (lane != 0 || result >= w.kept.numel)
    return;
  if (w.partial)
    ((typename R::A *)w.partial)[result * w.chunks + blockIdx.y] = a;
  else
    R::finish(w, result, a);
}

/* A block a result. */
template <class R> static __global__ void KILN_BOUNDS kiln_merge_kernel(const kiln_reduction w) {
  KILN_DYN_SHARED(typename R::A, acc);
  const int lane = (int)threadIdx.x, lanes = (int)blockDim.x;
  const typename R::A *chunk = (const typename R::A *)w.partial + blockIdx.x * w.chunks;
  typename R::A a = R::start();
  for (int64_t i = lane; i < w.chunks; i += lanes)
    a = R::join(a, chunk[i]);
  a = kiln_join_lanes<R>(acc, lane, 1, lane, lanes, a);
  if (lane == 0)
    R::finish(w, blockIdx.x, a);
}

/* -- The plan -------------------------------------------------------------------------------------
 */

static inline int64_t kiln_power_of_2(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

/* The dims of x that are in `which`, in order, neighbours merged. */
static inline kiln_nd kiln_dims_of(const kiln_tensor *x, uint32_t which) {
  const int64_t size = kiln__size_of(x->dtype);
  kiln_nd it = {};
  it.operands = 1;
  it.numel = 1;
  it.data[0] = (char *)kiln__data(x);
  for (int32_t d = 0; d < x->ndim; d++) {
    const int64_t stride = x->stride[d] * size, last = it.ndim - 1;
    if (!(which >> d & 1))
      continue;
    it.numel *= x->shape[d];
    if (x->shape[d] == 1)
      continue;
    if (it.ndim > 0 && it.stride[0][last] == stride * x->shape[d]) {
      it.shape[last] *= x->shape[d];
      it.stride[0][last] = stride;
    } else {
      it.shape[it.ndim] = x->shape[d];
      it.stride[0][it.ndim++] = stride;
    }
  }
  if (it.ndim == 0)
    it.shape[it.ndim++] = 1;
  return it;
}

/* drop: bit d set for each dim of x that is reduced; ordered: positions matter. */
static inline kiln_reduction kiln_reduction_of(const kiln_tensor *x, uint32_t drop, bool ordered) {
  const int64_t EACH_LANE = 4, MOST_COLUMNS = 32, ENOUGH_BLOCKS = 512, LEAST_CHUNK = 2048;
  kiln_nd kept = kiln_dims_of(x, ~drop), reduced = kiln_dims_of(x, drop);
  kiln_reduction w = {};
  if (!ordered)
    kiln__nd_simplify(&reduced);
  const int64_t across = kept.stride[0][kept.ndim - 1], along = reduced.stride[0][reduced.ndim - 1];
  w.kept = kiln_operands_of<1>(&kept);
  w.reduced = kiln_operands_of<1>(&reduced);
  w.lanes_first =
      kept.numel == 1 || (along < 0 ? -along : along) <= (across < 0 ? -across : across);
  const int64_t shares = kiln_power_of_2((reduced.numel + EACH_LANE - 1) / EACH_LANE);
  const int64_t results = kiln_power_of_2(kept.numel);
  int64_t columns = results < MOST_COLUMNS ? results : MOST_COLUMNS;
  int64_t lanes = KILN_BLOCK / (w.lanes_first ? 1 : columns);
  lanes = shares < lanes ? shares : lanes;
  columns = results < KILN_BLOCK / lanes ? results : KILN_BLOCK / lanes;
  w.lanes = (int32_t)lanes;
  w.columns = (int32_t)columns;
  const int64_t blocks = (kept.numel + columns - 1) / columns;
  int64_t wanted = ENOUGH_BLOCKS / (blocks > 0 ? blocks : 1);
  int64_t most = (reduced.numel * columns + LEAST_CHUNK - 1) / LEAST_CHUNK;
  w.chunks = wanted < most ? wanted : most;
  if (w.chunks < 1)
    w.chunks = 1;
  w.chunk = (reduced.numel + w.chunks - 1) / w.chunks;
  if (w.chunk > 0)
    w.chunks = (reduced.numel + w.chunk - 1) / w.chunk;
  return w;
}

/* Runs R over in[0]; the results are all of out[0] and, where there is one, out[1]. */
template <class R>
static int32_t kiln_reduce(const kiln_call *c, uint32_t drop, bool ordered, double p) {
  const kiln_tensor *x = c->in[0], *out = c->out[0];
  int64_t bytes = 0;
  if (out->numel == 0)
    return KILN_OK;
  kiln_reduction w = kiln_reduction_of(x, drop, ordered);
  w.p = p;
  for (int32_t i = 0; i < c->n_out; i++)
    w.out[i] = (char *)kiln__data(c->out[i]);
  if (w.chunks > 1) {
    bytes = w.kept.numel * w.chunks * (int64_t)sizeof(typename R::A);
    w.partial = (char *)kiln__scratch(out->device, bytes);
    if (!w.partial)
      return KILN_ENOMEM;
  }
  void *stream = kiln__cuda_stream(out->device);
  const int threads = w.lanes * w.columns;
  const dim3 grid((unsigned)((w.kept.numel + w.columns - 1) / w.columns), (unsigned)w.chunks);
  KILN_LAUNCH(kiln_reduce_kernel<R>, grid, threads, threads * sizeof(typename R::A), stream, w);
  int32_t status = kiln__cuda_launched("reduce");
  if (w.partial) {
    const int64_t shares = kiln_power_of_2((w.chunks + 1) / 2);
    const unsigned lanes = (unsigned)(shares < KILN_BLOCK ? shares : KILN_BLOCK);
    if (status == KILN_OK) {
      KILN_LAUNCH(kiln_merge_kernel<R>, (unsigned)w.kept.numel, lanes,
                  lanes * sizeof(typename R::A), stream, w);
      status = kiln__cuda_launched("reduce");
    }
    kiln__scratch_free(out->device, w.partial, bytes);
  }
  return status;
}

/* Rows with (x, dims: axes, ...): list k names what is reduced, all if empty. */
static inline uint32_t kiln_dropped(const kiln_call *c, int k) {
  uint32_t drop = c->list[k].n > 0 ? 0 : ~0u;
  for (int32_t i = 0; i < c->list[k].n; i++)
    drop |= 1u << c->list[k].v[i];
  return drop;
}

#endif
