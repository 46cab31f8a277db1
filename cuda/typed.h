/* typed.h: element types for kernels that are templates: what is computed in (float for the
** halves), how to get there and back, and the C type of a dtype.  It refuses to launch anything.
*/
#ifndef KILN_CUDA_TYPED_H
#define KILN_CUDA_TYPED_H
#include "kernel.h"

/* Kernels of KILN_BLOCK threads that keep to 64 registers, so that a processor holds 1024 threads.
 */
#define KILN_BOUNDS __launch_bounds__(KILN_BLOCK, 1024 / KILN_BLOCK)

#define KILN_INLINE static __device__ __forceinline__

#ifdef __CUDACC__
#define KILN_UNROLL _Pragma("unroll")
#else
#define KILN_UNROLL
#endif

/* Code of kernels that a CPU runs as well when it is called as when it is copied into each. */
#ifdef __CUDACC__
#define KILN_BULK static __device__ __forceinline__
#else
#define KILN_BULK static __attribute__((noinline))
#endif

template <class T> struct kiln_type {
  typedef T V;
  KILN_INLINE V load(T x) { return x; }
  KILN_INLINE T store(V v) { return v; }
};
template <> struct kiln_type<kiln_f16> {
  typedef float V;
  KILN_INLINE V load(kiln_f16 x) { return kiln__from_f16(x); }
  KILN_INLINE kiln_f16 store(V v) { return kiln__to_f16(v); }
};
template <> struct kiln_type<kiln_bf16> {
  typedef float V;
  KILN_INLINE V load(kiln_bf16 x) { return kiln__from_bf16(x); }
  KILN_INLINE kiln_bf16 store(V v) { return kiln__to_bf16(v); }
};
#define KILN_V(T) typename kiln_type<T>::V

/* X(dtype, C type) for each of a kind. */
#define KILN_FLOAT_TYPES(X) X(KILN_FLOAT32, float) X(KILN_FLOAT64, double)
#define KILN_HALF_TYPES(X) X(KILN_FLOAT16, kiln_f16) X(KILN_BFLOAT16, kiln_bf16)
#define KILN_INT_TYPES(X)                                                                          \
  X(KILN_INT8, int8_t)                                                                             \
  X(KILN_UINT8, uint8_t) X(KILN_INT16, int16_t) X(KILN_INT32, int32_t) X(KILN_INT64, int64_t)
#define KILN_ALL_TYPES(X)                                                                          \
  KILN_FLOAT_TYPES(X) KILN_HALF_TYPES(X) KILN_INT_TYPES(X) X(KILN_BOOL, bool)

/* -- Casts ----------------------------------------------------------------------------------------
** As on the CPU: a float becomes an integer by dropping its fraction; NaN becomes 0, what does not
** fit in 32 bits (64 for int64) the nearest that does, and the low bits of that go into narrower
** types.  Anything but 0 is true. */

KILN_INLINE int64_t kiln_whole64(double v) {
  return v != v ? 0 : v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}
KILN_INLINE int32_t kiln_whole32(double v) {
  return v != v ? 0 : v > 2147483647 ? INT32_MAX : v < -2147483648.0 ? INT32_MIN : (int32_t)v;
}

template <class D> struct kiln_to {
  KILN_INLINE D of(float v) { return sizeof(D) == 8 ? (D)kiln_whole64(v) : (D)kiln_whole32(v); }
  KILN_INLINE D of(double v) { return sizeof(D) == 8 ? (D)kiln_whole64(v) : (D)kiln_whole32(v); }
  template <class S> KILN_INLINE D of(S v) { return (D)v; }
};
template <> struct kiln_to<bool> {
  template <class S> KILN_INLINE bool of(S v) { return v != 0; }
};
#define KILN_CAST_TO_FLOAT(D)                                                                      \
  template <> struct kiln_to<D> {                                                                  \
    template <class S> KILN_INLINE D of(S v) { return kiln_type<D>::store((kiln_type<D>::V)v); }   \
  };
KILN_CAST_TO_FLOAT(float)
KILN_CAST_TO_FLOAT(double)
KILN_CAST_TO_FLOAT(kiln_f16)
KILN_CAST_TO_FLOAT(kiln_bf16)
#undef KILN_CAST_TO_FLOAT

/* Mathematics by type, for templates. */
template <class T> KILN_INLINE bool kiln_is_nan(T v) { return v != v; }
KILN_INLINE float kiln_exp(float v) { return expf(v); }
KILN_INLINE double kiln_exp(double v) { return exp(v); }
KILN_INLINE float kiln_log(float v) { return logf(v); }
KILN_INLINE double kiln_log(double v) { return log(v); }
KILN_INLINE float kiln_log1p(float v) { return log1pf(v); }
KILN_INLINE double kiln_log1p(double v) { return log1p(v); }
KILN_INLINE float kiln_abs(float v) { return fabsf(v); }
KILN_INLINE double kiln_abs(double v) { return fabs(v); }
KILN_INLINE float kiln_sqrt(float v) { return sqrtf(v); }
KILN_INLINE double kiln_sqrt(double v) { return sqrt(v); }
KILN_INLINE float kiln_pow(float v, float p) { return powf(v, p); }
KILN_INLINE double kiln_pow(double v, double p) { return pow(v, p); }

#endif
