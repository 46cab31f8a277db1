/* planted.cc: kernels and host code with one mistake each, and clean ones that look suspicious.
** `planted NAME` runs one and exits with 0 (nothing was noticed) or 3 (the result is wrong), unless
** the emulator or a sanitizer ends it first.  `planted` lists the names.
** spec/cuda/emulator_spec.lua says which build must notice which.
*/
#include "../emu.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };

/* -- Mistakes inside a block --------------------------------------------------------------------
 */

/* A tree sum without the barrier between its levels. */
static __global__ void missing_barrier(const float *x, float *y) {
  KILN_SHARED(float, s, [N]);
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (unsigned o = N / 2; o > 0; o >>= 1)
    if (threadIdx.x < o)
      s[threadIdx.x] += s[threadIdx.x + o];
  __syncthreads();
  if (threadIdx.x == 0)
    y[0] = s[0];
}

/* A tile that is overwritten while others still read it. */
static __global__ void write_after_read(const float *x, float *y) {
  KILN_SHARED(float, s, [64]);
  for (unsigned t = 0; t < N; t += 64) {
    s[threadIdx.x] = x[t + threadIdx.x];
    __syncthreads();
    y[t + threadIdx.x] = s[63 - threadIdx.x];
  }
}

static __global__ void same_slot(const float *x, float *y) {
  KILN_SHARED(float, s, [1]);
  s[0] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[0];
}

static __global__ void block_race(const float *x, float *y) { y[0] += x[blockIdx.x]; }

/* A shuffle exchanges values; it orders no memory. */
static __global__ void shuffle_as_barrier(const float *x, float *y) {
  KILN_SHARED(float, s, [32]);
  s[threadIdx.x] = x[threadIdx.x];
  float v = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
  y[threadIdx.x] = v + s[threadIdx.x ^ 1];
}

static __global__ void global_overrun(const float *x, float *y) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= N)
    y[i] = x[0];
}

static __global__ void shared_overrun(const float *x, float *y) {
  KILN_SHARED(float, s, [32]);
  s[threadIdx.x + 1] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

static __global__ void dynamic_overrun(const float *x, float *y) {
  KILN_DYN_SHARED(float, s);
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

static __global__ void early_exit(const float *x, float *y) {
  if (threadIdx.x >= 50)
    return;
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}

static __global__ void divergent_barrier(const float *x, float *y) {
  if (threadIdx.x < 16) {
    __syncthreads();
    y[threadIdx.x] = x[0];
  } else {
    __syncthreads();
    y[threadIdx.x] = x[1];
  }
}

static __global__ void divergent_shuffle(const float *x, float *y) {
  if (threadIdx.x < 16)
    y[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1);
}

static __global__ void absent_lane(const float *x, float *y) {
  y[threadIdx.x] = __shfl_down_sync(0x0000ffffu, x[threadIdx.x], 4);
}

static __global__ void misaligned(const float *x, float *y) {
  float4 v = *(const float4 *)(x + 1);
  y[0] = v.x;
}

static __global__ void uninitialised(const float *x, float *y) {
  KILN_SHARED(float, s, [32]);
  y[threadIdx.x] = s[threadIdx.x] * x[0];
}

/* -- Clean ones ---------------------------------------------------------------------------------
 */

static __global__ void warp_exchange(const float *x, float *y) {
  KILN_SHARED(float, s, [32]);
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}

static __noinline__ void spread(float *v, float t) {
  for (int i = 0; i < 8; i++)
    v[i] = t;
}

/* Locals whose address is taken, on stacks that are used again. */
static __global__ void locals(const float *x, float *y) {
  float v[8];
  spread(v, x[threadIdx.x]);
  __syncthreads();
  y[threadIdx.x] = v[0] + v[7];
}

static __global__ void scale(const float *x, float *y, float by) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * by;
}

/* -- Running one --------------------------------------------------------------------------------
 */

static float host_x[N], host_y[N];
static float *x, *y;

static void run(void (*kernel)(const float *, float *), unsigned grid, unsigned block,
                size_t shared_bytes = 0) {
  KILN_LAUNCH(kernel, grid, block, shared_bytes, (cudaStream_t)0, x, y);
}

static void fetch(void) {
  cudaMemcpyAsync(host_y, y, sizeof host_y, cudaMemcpyDeviceToHost, 0);
  cudaDeviceSynchronize();
}

static cudaStream_t stream(void) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return s;
}

static bool near(float a, float b) { return fabsf(a - b) <= 1e-3f; }

static bool sum_is_right(void) {
  float sum = 0;
  for (int i = 0; i < N; i++)
    sum += host_x[i];
  return near(host_y[0], sum);
}

static bool tiles_are_right(void) {
  for (int i = 0; i < N; i++)
    if (host_y[i] != host_x[i / 64 * 64 + 63 - i % 64])
      return false;
  return true;
}

static bool has_no_nan(void) {
  for (int i = 0; i < 32; i++)
    if (host_y[i] != host_y[i])
      return false;
  return true;
}

static bool always(void) { return true; }

static const struct {
  const char *name;
  void (*kernel)(const float *, float *);
  unsigned grid, block, shared_bytes;
  bool (*is_right)(void);
} kernels[] = {
    {"missing_barrier", missing_barrier, 1, N, 0, sum_is_right},
    {"write_after_read", write_after_read, 1, 64, 0, tiles_are_right},
    {"same_slot", same_slot, 1, 32, 0, always},
    {"block_race", block_race, 4, 1, 0, always},
    {"shuffle_as_barrier", shuffle_as_barrier, 1, 32, 0, always},
    {"global_overrun", global_overrun, 5, 64, 0, always},
    {"shared_overrun", shared_overrun, 1, 32, 0, always},
    {"dynamic_overrun", dynamic_overrun, 1, 64, 63 * sizeof(float), always},
    {"early_exit", early_exit, 1, 64, 0, always},
    {"divergent_barrier", divergent_barrier, 1, 32, 0, always},
    {"divergent_shuffle", divergent_shuffle, 1, 32, 0, always},
    {"absent_lane", absent_lane, 1, 16, 0, always},
    {"misaligned", misaligned, 1, 1, 0, always},
    {"uninitialised", uninitialised, 1, 32, 0, has_no_nan},
    {"clean_warp_exchange", warp_exchange, 1, 32, 0, always},
    {"clean_locals", locals, 1, 64, 0, always},
};

/* -- Mistakes of the host -----------------------------------------------------------------------
 */

static bool host_reads_device(void) {
  KILN_LAUNCH(scale, 1, N, 0, (cudaStream_t)0, x, y, 2.0f);
  cudaDeviceSynchronize();
  volatile float *p = y;
  return p[3] == p[3];
}

static bool use_after_free(void) {
  cudaFree(x);
  KILN_LAUNCH(scale, 1, N, 0, (cudaStream_t)0, x, y, 2.0f);
  cudaDeviceSynchronize();
  return true;
}

static bool copy_overrun(void) {
  static float more[N + 1];
  cudaMemcpyAsync(more, x, sizeof more, cudaMemcpyDeviceToHost, 0);
  return true;
}

static bool wrong_copy_kind(void) {
  cudaMemcpyAsync(host_y, x, sizeof host_y, cudaMemcpyHostToDevice, 0);
  return true;
}

/* A kernel of device 0 on memory of device 1. */
static bool other_device(void) {
  void *p;
  cudaSetDevice(1);
  cudaMalloc(&p, sizeof host_x);
  cudaSetDevice(0);
  KILN_LAUNCH(scale, 1, N, 0, (cudaStream_t)0, x, (float *)p, 2.0f);
  cudaDeviceSynchronize();
  return true;
}

static bool missing_synchronize(void) {
  cudaStream_t s = stream();
  void *pinned;
  cudaHostAlloc(&pinned, sizeof host_y, 0);
  float *h = (float *)pinned;
  memset(h, 0, sizeof host_y);
  KILN_LAUNCH(scale, 1, N, 0, s, x, y, 2.0f);
  cudaMemcpyAsync(h, y, sizeof host_y, cudaMemcpyDeviceToHost, s);
  float early = h[5];
  cudaStreamSynchronize(s);
  return early == h[5];
}

static bool missing_event(void) {
  cudaStream_t first = stream(), second = stream();
  void *p;
  cudaMalloc(&p, sizeof host_x);
  KILN_LAUNCH(scale, 1, N, 0, first, x, (float *)p, 2.0f);
  KILN_LAUNCH(scale, 1, N, 0, second, (const float *)p, y, 2.0f);
  cudaStreamSynchronize(second);
  fetch();
  cudaStreamSynchronize(first);
  return host_y[5] == 4 * host_x[5];
}

static bool clean_event(void) {
  cudaStream_t first = stream(), second = stream();
  cudaEvent_t event;
  void *p;
  cudaMalloc(&p, sizeof host_x);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  KILN_LAUNCH(scale, 1, N, 0, first, x, (float *)p, 2.0f);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  cudaEventDestroy(event);
  KILN_LAUNCH(scale, 1, N, 0, second, (const float *)p, y, 2.0f);
  cudaStreamSynchronize(second);
  fetch();
  return host_y[5] == 4 * host_x[5];
}

/* -- Mistakes with graphs -----------------------------------------------------------------------
 */

/* What the runtime refuses ends the program with the reason. */
static void expect(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "refused: %s\n", cudaGetErrorString(status));
  exit(4);
}

static cudaStream_t captured(enum cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
  cudaStream_t s = stream();
  expect(cudaStreamBeginCapture(s, mode));
  return s;
}

static cudaGraphExec_t end(cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  expect(cudaStreamEndCapture(s, &graph));
  expect(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphDestroy(graph);
  return exec;
}

/* What is queued on `to` from now on comes after what is on `from`. */
static void order(cudaStream_t from, cudaStream_t to) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  expect(cudaEventRecord(event, from));
  expect(cudaStreamWaitEvent(to, event, 0));
  cudaEventDestroy(event);
}

static bool graph_freed_pointer(void) {
  cudaStream_t s = captured();
  KILN_LAUNCH(scale, 1, N, 0, s, x, y, 2.0f);
  cudaGraphExec_t exec = end(s);
  cudaFree(x);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  return true;
}

static bool graph_host_read(void) {
  cudaStream_t s = captured();
  KILN_LAUNCH(scale, 1, N, 0, s, x, y, 2.0f);
  expect(cudaMemcpyAsync(host_y, y, sizeof host_y, cudaMemcpyDeviceToHost, s));
  return true;
}

static bool graph_synchronize(void) {
  cudaStream_t s = captured();
  expect(cudaStreamSynchronize(s));
  return true;
}

/* The capture was spoilt, and says so at its end too. */
static bool graph_goes_on(void) {
  cudaStream_t s = captured();
  (void)cudaStreamSynchronize(s);
  KILN_LAUNCH(scale, 1, N, 0, s, x, y, 2.0f);
  (void)end(s);
  return true;
}

static bool graph_malloc(void) {
  void *p;
  (void)captured();
  expect(cudaMalloc(&p, 16));
  return true;
}

static bool graph_uncaptured_work(void) {
  cudaStream_t first = stream(), s = captured();
  KILN_LAUNCH(scale, 1, N, 0, first, x, y, 2.0f);
  order(first, s);
  return true;
}

static bool graph_unjoined(void) {
  cudaStream_t s = captured(), side = stream();
  order(s, side);
  KILN_LAUNCH(scale, 1, N, 0, side, x, y, 2.0f);
  (void)end(s);
  return true;
}

/* Two streams of one capture write the same, and nothing says which is first. */
static bool graph_missing_edge(void) {
  cudaStream_t s = captured(), side = stream();
  order(s, side);
  KILN_LAUNCH(scale, 1, N, 0, side, x, y, 2.0f);
  KILN_LAUNCH(scale, 1, N, 0, s, x, y, 3.0f);
  order(side, s);
  cudaGraphLaunch(end(s), s);
  cudaStreamSynchronize(s);
  return true;
}

/* Nothing runs while it is captured; each launch runs all of it, and two beside each other. */
static bool clean_graph(void) {
  void *p;
  cudaMalloc(&p, sizeof host_x);
  cudaStream_t s = captured(cudaStreamCaptureModeRelaxed), side = stream();
  float by = 2;
  KILN_LAUNCH(scale, 1, N, 0, s, x, (float *)p, by);
  by = 5;
  order(s, side);
  KILN_LAUNCH(scale, 1, N / 2, 0, side, (const float *)p, y, 2.0f);
  KILN_LAUNCH(scale, 1, N / 2, 0, s, (const float *)p + N / 2, y + N / 2, 2.0f);
  order(side, s);
  KILN_LAUNCH(scale, 1, N, 0, s, y, (float *)x, 1.0f);
  cudaGraphExec_t exec = end(s);
  for (int i = 0; i < 3; i++)
    expect(cudaGraphLaunch(exec, s));
  cudaGraphExecDestroy(exec);
  cudaStreamSynchronize(s);
  fetch();
  return host_y[5] == 64 * host_x[5] && host_y[N - 1] == 64 * host_x[N - 1];
}

static const struct {
  const char *name;
  bool (*is_right)(void);
} hosts[] = {
    {"host_reads_device", host_reads_device},
    {"use_after_free", use_after_free},
    {"copy_overrun", copy_overrun},
    {"wrong_copy_kind", wrong_copy_kind},
    {"other_device", other_device},
    {"missing_synchronize", missing_synchronize},
    {"missing_event", missing_event},
    {"clean_event", clean_event},
    {"graph_freed_pointer", graph_freed_pointer},
    {"graph_host_read", graph_host_read},
    {"graph_synchronize", graph_synchronize},
    {"graph_goes_on", graph_goes_on},
    {"graph_malloc", graph_malloc},
    {"graph_uncaptured_work", graph_uncaptured_work},
    {"graph_unjoined", graph_unjoined},
    {"graph_missing_edge", graph_missing_edge},
    {"clean_graph", clean_graph},
};

int main(int argc, char **argv) {
  if (argc < 2) {
    for (const auto &k : kernels)
      puts(k.name);
    for (const auto &h : hosts)
      puts(h.name);
    return 0;
  }
  for (int i = 0; i < N; i++)
    host_x[i] = (float)((i * 37) % 101) / 16;
  cudaMalloc((void **)&x, sizeof host_x);
  cudaMalloc((void **)&y, sizeof host_y);
  cudaMemcpyAsync(x, host_x, sizeof host_x, cudaMemcpyHostToDevice, 0);
  cudaDeviceSynchronize();
  for (const auto &k : kernels) {
    if (strcmp(k.name, argv[1]) != 0)
      continue;
    run(k.kernel, k.grid, k.block, k.shared_bytes);
    fetch();
    return k.is_right() ? 0 : 3;
  }
  for (const auto &h : hosts)
    if (strcmp(h.name, argv[1]) == 0)
      return h.is_right() ? 0 : 3;
  fprintf(stderr, "planted: there is no %s\n", argv[1]);
  return 2;
}
