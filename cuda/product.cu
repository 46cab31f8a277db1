/* product.cu: a product of matrices in tiles through shared memory: for integers, and for
** everything where there is no cuBLASLt.  Integers wrap; halves are computed in float.
*/
#include "gemm.h"
#include "grid.h"

enum { TILE = 16 };

static __device__ inline float compute_of(kiln_f16 v) { return kiln__from_f16(v); }
static __device__ inline float compute_of(kiln_bf16 v) { return kiln__from_bf16(v); }
template <typename T> static __device__ inline T compute_of(T v) { return v; }

static __device__ inline void store(float v, kiln_f16 *to) { *to = kiln__to_f16(v); }
static __device__ inline void store(float v, kiln_bf16 *to) { *to = kiln__to_bf16(v); }
template <typename T> static __device__ inline void store(T v, T *to) { *to = v; }

/* T in memory, V in arithmetic; one block a tile of one product. */
template <typename T, typename V> static __global__ void product_kernel(kiln_cuda_gemm g) {
  KILN_SHARED(V, left, [TILE][TILE + 1]);
  KILN_SHARED(V, right, [TILE][TILE + 1]);
  int x = threadIdx.x, y = threadIdx.y;
  int64_t row = blockIdx.y * (int64_t)TILE + y, column = blockIdx.x * (int64_t)TILE + x;
  for (int64_t batch = blockIdx.z; batch < g.batch; batch += gridDim.z) {
    const T *a = (const T *)g.a + batch * g.sa, *b = (const T *)g.b + batch * g.sb;
    V sum = 0;
    for (int64_t first = 0; first < g.k; first += TILE) {
      int64_t ka = first + x, kb = first + y;
      bool in_a = row < g.m && ka < g.k, in_b = kb < g.k && column < g.n;
      left[y][x] = in_a ? compute_of(a[g.ta ? ka * g.lda + row : row * g.lda + ka]) : (V)0;
      right[y][x] = in_b ? compute_of(b[g.tb ? column * g.ldb + kb : kb * g.ldb + column]) : (V)0;
      __syncthreads();
      for (int k = 0; k < TILE; k++)
        sum = (V)(sum + left[y][k] * right[k][x]);
      __syncthreads();
    }
    if (row < g.m && column < g.n) {
      T *c = (T *)g.c + batch * g.sc + row * g.ldc + column;
      V v = (V)((V)g.alpha * sum);
      if (g.beta != 0)
        v = (V)(v + (V)g.beta * compute_of(*c));
      if (g.bias)
        v = (V)(v + compute_of(((const T *)g.bias)[column]));
      store(v, c);
    }
  }
}

int32_t kiln__cuda_gemm(const kiln_cuda_gemm *g, const char *op) {
  if (g->m == 0 || g->n == 0 || g->batch == 0)
    return KILN_OK;
  if (g->dtype <= KILN_BFLOAT16 && g->k > 0) {
    int32_t done = kiln__cublas_gemm(g, op);
    if (done != 0)
      return done < 0 ? done : KILN_OK;
  }
  const int64_t most = 65535; /* of a grid's y and z */
  int64_t rows = (g->m + TILE - 1) / TILE, columns = (g->n + TILE - 1) / TILE;
  if (rows > most) { /* bands of rows */
    kiln_cuda_gemm band = *g;
    int64_t size = kiln__bytes_of(g->dtype);
    for (int64_t first = 0; first < g->m; first += most * TILE) {
      band.m = g->m - first < most * TILE ? g->m - first : most * TILE;
      band.a = (const char *)g->a + first * (g->ta ? 1 : g->lda) * size;
      band.c = (char *)g->c + first * g->ldc * size;
      int32_t status = kiln__cuda_gemm(&band, op);
      if (status < 0)
        return status;
    }
    return KILN_OK;
  }
  dim3 grid((unsigned)columns, (unsigned)rows, (unsigned)(g->batch < most ? g->batch : most));
  dim3 block(TILE, TILE);
  void *stream = kiln__cuda_stream(g->device);
  switch (g->dtype) {
#define CASE(label, T, V)                                                                          \
  case label:                                                                                      \
    KILN_LAUNCH((product_kernel<T, V>), grid, block, 0, stream, *g);                               \
    break;
    CASE(KILN_FLOAT32, float, float)
    CASE(KILN_FLOAT64, double, double)
    CASE(KILN_FLOAT16, kiln_f16, float)
    CASE(KILN_BFLOAT16, kiln_bf16, float)
    CASE(KILN_INT8, int8_t, int8_t)
    CASE(KILN_UINT8, uint8_t, uint8_t)
    CASE(KILN_INT16, int16_t, int16_t)
    CASE(KILN_INT32, int32_t, int32_t)
    CASE(KILN_INT64, int64_t, int64_t)
#undef CASE
  }
  return kiln__cuda_launched(op);
}
