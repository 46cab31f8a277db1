/* emu.h: the device language of CUDA as far as kernel files use it, for a C++17 compiler.  A
** kernel's threads run as fibers on one CPU thread; barriers and warp operations are where they
** switch.  cuda/kernel.h includes this when nvcc is not the compiler.
**
** It refuses PTX, textures, cooperative groups, dynamic parallelism and everything that waits for
** another block: blocks run one after another.
*/
#ifndef KILN_EMU_H
#define KILN_EMU_H
#ifndef KILN_EMULATED
#define KILN_EMULATED
#endif
#include "cudart.h"

#include <math.h>
#include <string.h>
#include <tuple>

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

/* -- Where a thread stands --------------------------------------------------------------------- */

namespace kiln_emu {

struct position {
  uint3 thread, block;
  dim3 block_size, grid_size;
};
extern thread_local position here __attribute__((tls_model("initial-exec")));

} // namespace kiln_emu

#define threadIdx (kiln_emu::here.thread)
#define blockIdx (kiln_emu::here.block)
#define blockDim (kiln_emu::here.block_size)
#define gridDim (kiln_emu::here.grid_size)
#define warpSize 32

/* -- Launching --------------------------------------------------------------------------------- */

namespace kiln_emu {

/* One launch that waits in a stream: run() is one thread's work, drop() frees the arguments. */
struct launch {
  void (*run)(void *context);
  void (*drop)(void *context);
  void *context;
  const char *name;
  dim3 grid, block;
  size_t shared_bytes;
};
void enqueue(const launch &k, cudaStream_t stream);

template <class... P> struct packed {
  void (*kernel)(P...);
  std::tuple<P...> arguments;
  static void run(void *context) {
    packed *p = (packed *)context;
    std::apply(p->kernel, p->arguments);
  }
  static void drop(void *context) { delete (packed *)context; }
};

/* Arguments are converted to the parameters' types and copied now, as <<<>>> does. */
template <class... P, class... A>
static inline void start(const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
                         size_t shared_bytes, void *stream, A &&...a) {
  static_assert(sizeof...(P) == sizeof...(A), "wrong number of kernel arguments");
  typedef packed<P...> call;
  call *p = new call{kernel, std::tuple<P...>(static_cast<P>(a)...)};
  enqueue(launch{call::run, call::drop, p, name, grid, block, shared_bytes}, (cudaStream_t)stream);
}

} // namespace kiln_emu

#define KILN_LAUNCH(kernel, grid, block, shmem, stream, ...)                                       \
  kiln_emu::start(#kernel, (kernel), (grid), (block), (shmem), (stream), ##__VA_ARGS__)

/* -- Shared memory: exact-size memory of its own for each block, filled with 0xFF -------------- */

namespace kiln_emu {
void *shared_variable(const void *key, size_t size, size_t align, const char *name);
void *dynamic_shared(void);
} // namespace kiln_emu

#define KILN_SHARED(T, name, ...)                                                                  \
  typedef T name##_shared_type __VA_ARGS__;                                                        \
  static const char name##_shared_key = 0;                                                         \
  name##_shared_type &name = *(name##_shared_type *)kiln_emu::shared_variable(                     \
      &name##_shared_key, sizeof(name##_shared_type), alignof(name##_shared_type), #name)
#define KILN_DYN_SHARED(T, name) T *name = (T *)kiln_emu::dynamic_shared()

/* -- Barriers and warps ------------------------------------------------------------------------ */

namespace kiln_emu {

/* Where in the source a thread waits; `id` tells two barriers of one line apart. */
struct site {
  const char *file;
  int line, id;
};
enum barrier_kind { BARRIER_PLAIN, BARRIER_COUNT, BARRIER_AND, BARRIER_OR };
int barrier(barrier_kind kind, int predicate, site at);

enum warp_kind {
  WARP_SYNC,
  WARP_SHUFFLE,
  WARP_UP,
  WARP_DOWN,
  WARP_XOR,
  WARP_BALLOT,
  WARP_ANY,
  WARP_ALL,
  WARP_MATCH
};
uint64_t warp(warp_kind kind, unsigned mask, uint64_t value, int argument, int width, site at);
void fence(void);

template <class T> static inline uint64_t to_bits(T v) {
  static_assert(sizeof(T) <= 8, "a value to shuffle has at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T> static inline T from_bits(uint64_t bits) {
  T v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T>
static inline T shuffle(site at, warp_kind kind, unsigned mask, T v, int argument, int width = 32) {
  return from_bits<T>(warp(kind, mask, to_bits(v), argument, width, at));
}
static inline void sync_warp(site at, unsigned mask = 0xffffffffu) {
  warp(WARP_SYNC, mask, 0, 0, 32, at);
}

} // namespace kiln_emu

#define KILN_EMU_SITE (kiln_emu::site{__FILE__, __LINE__, __COUNTER__})
#define __syncthreads() ((void)kiln_emu::barrier(kiln_emu::BARRIER_PLAIN, 0, KILN_EMU_SITE))
#define __syncthreads_count(p) kiln_emu::barrier(kiln_emu::BARRIER_COUNT, !!(p), KILN_EMU_SITE)
#define __syncthreads_and(p) kiln_emu::barrier(kiln_emu::BARRIER_AND, !!(p), KILN_EMU_SITE)
#define __syncthreads_or(p) kiln_emu::barrier(kiln_emu::BARRIER_OR, !!(p), KILN_EMU_SITE)
#define __syncwarp(...) kiln_emu::sync_warp(KILN_EMU_SITE, ##__VA_ARGS__)
#define __shfl_sync(...) kiln_emu::shuffle(KILN_EMU_SITE, kiln_emu::WARP_SHUFFLE, __VA_ARGS__)
#define __shfl_up_sync(...) kiln_emu::shuffle(KILN_EMU_SITE, kiln_emu::WARP_UP, __VA_ARGS__)
#define __shfl_down_sync(...) kiln_emu::shuffle(KILN_EMU_SITE, kiln_emu::WARP_DOWN, __VA_ARGS__)
#define __shfl_xor_sync(...) kiln_emu::shuffle(KILN_EMU_SITE, kiln_emu::WARP_XOR, __VA_ARGS__)
#define __ballot_sync(mask, p)                                                                     \
  ((unsigned)kiln_emu::warp(kiln_emu::WARP_BALLOT, mask, !!(p), 0, 32, KILN_EMU_SITE))
#define __any_sync(mask, p)                                                                        \
  ((int)kiln_emu::warp(kiln_emu::WARP_ANY, mask, !!(p), 0, 32, KILN_EMU_SITE))
#define __all_sync(mask, p)                                                                        \
  ((int)kiln_emu::warp(kiln_emu::WARP_ALL, mask, !!(p), 0, 32, KILN_EMU_SITE))
#define __match_any_sync(mask, v)                                                                  \
  ((unsigned)kiln_emu::warp(kiln_emu::WARP_MATCH, mask, kiln_emu::to_bits(v), 0, 32, KILN_EMU_SITE))
#define __threadfence() kiln_emu::fence()
#define __threadfence_block() kiln_emu::fence()
#define __threadfence_system() kiln_emu::fence()

/* -- Atomics: real ones, so that the thread sanitizer does not call them races ------------------
 */

namespace kiln_emu {

template <size_t N> struct word;
template <> struct word<4> { typedef uint32_t type; };
template <> struct word<8> { typedef uint64_t type; };

/* *p becomes op(*p); what it was. */
template <class T, class Op> static inline T atomic(T *p, Op op) {
  typedef typename word<sizeof(T)>::type bits;
  bits seen = __atomic_load_n((bits *)p, __ATOMIC_RELAXED), wanted;
  T before;
  do {
    memcpy(&before, &seen, sizeof before);
    T after = op(before);
    memcpy(&wanted, &after, sizeof after);
  } while (!__atomic_compare_exchange_n((bits *)p, &seen, wanted, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return before;
}

} // namespace kiln_emu

#define KILN_EMU_ATOMIC(name, T, after)                                                            \
  static inline T name(T *p, T v) {                                                                \
    return kiln_emu::atomic<T>(p, [=](T old) -> T { return after; });                              \
  }
#define KILN_EMU_INTEGERS(X, name, after)                                                          \
  X(name, int, after)                                                                              \
  X(name, unsigned, after)                                                                         \
  X(name, unsigned long long, after)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicAdd, old + v)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicMax, old > v ? old : v)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicMin, old < v ? old : v)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicAnd, old &v)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicOr, old | v)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicXor, old ^ v)
KILN_EMU_INTEGERS(KILN_EMU_ATOMIC, atomicExch, ((void)old, v))
KILN_EMU_ATOMIC(atomicMax, long long, old > v ? old : v)
KILN_EMU_ATOMIC(atomicMin, long long, old < v ? old : v)
KILN_EMU_ATOMIC(atomicAdd, float, old + v)
KILN_EMU_ATOMIC(atomicAdd, double, old + v)
KILN_EMU_ATOMIC(atomicExch, float, ((void)old, v))
KILN_EMU_ATOMIC(atomicSub, int, old - v)
KILN_EMU_ATOMIC(atomicSub, unsigned, old - v)
KILN_EMU_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
#undef KILN_EMU_ATOMIC
#define KILN_EMU_CAS(name, T, after)                                                               \
  static inline T name(T *p, T expected, T v) {                                                    \
    return kiln_emu::atomic<T>(p, [=](T old) -> T { return old == expected ? v : old; });          \
  }
KILN_EMU_INTEGERS(KILN_EMU_CAS, atomicCAS, 0)
#undef KILN_EMU_CAS
#undef KILN_EMU_INTEGERS

/* -- Mathematics ------------------------------------------------------------------------------- */

/* Macros: the C library declares functions of these names. */
#define __expf expf
#define __logf logf
#define __sinf sinf
#define __cosf cosf
#define __powf powf
#define __fdividef(a, b) ((a) / (b))
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; i++)
    y |= (x >> i & 1u) << (31 - i);
  return y;
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((uint64_t)a * b >> 32);
}
static inline float __int_as_float(int x) { return kiln_emu::from_bits<float>((unsigned)x); }
static inline float __uint_as_float(unsigned x) { return kiln_emu::from_bits<float>(x); }
static inline int __float_as_int(float x) { return (int)kiln_emu::to_bits(x); }
static inline unsigned __float_as_uint(float x) { return (unsigned)kiln_emu::to_bits(x); }
static inline double __longlong_as_double(long long x) {
  return kiln_emu::from_bits<double>((uint64_t)x);
}
static inline long long __double_as_longlong(double x) { return (long long)kiln_emu::to_bits(x); }
/* One rounding an operation: what nvcc must not contract into a fused multiply-add. */
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
template <class T> static inline T __ldg(const T *p) { return *p; }

#endif
