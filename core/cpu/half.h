/* half.h: float16 and bfloat16 to float and back, by integer arithmetic that compilers vectorise at
** every level and that CUDA compiles too; runs of float16 use the processor's conversion where the
** level has one (F16C), GPUs their own, with the same results (but for what a NaN carries).
** Rounds to nearest, ties to even; subnormals, infinities and NaN included.
*/
#ifndef KILN_HALF_H
#define KILN_HALF_H
#include <stdint.h>
#include <string.h>
#ifdef __CUDACC__
#define KILN_HALF static __host__ __device__ __forceinline__
#else
#define KILN_HALF static inline
#endif
#ifdef __F16C__
#include <immintrin.h>
#endif

/* The bits of a half as a C type of its own, so that it cannot be mixed up with int16. */
typedef struct kiln_f16 {
  uint16_t bits;
} kiln_f16;
typedef struct kiln_bf16 {
  uint16_t bits;
} kiln_bf16;

KILN_HALF float kiln__float_of(uint32_t bits) {
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
KILN_HALF uint32_t kiln__bits_of(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

KILN_HALF float kiln__from_f16(kiln_f16 h) {
#ifdef __CUDA_ARCH__
  float v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h.bits));
  return v;
#else
  uint32_t sign = (uint32_t)(h.bits & 0x8000) << 16, rest = h.bits & 0x7fff;
  /* As a float with the half's exponent it is 2^112 too small; infinity and NaN need the rest. */
  uint32_t scaled = kiln__bits_of(kiln__float_of(rest << 13) * 0x1p112f);
  uint32_t special = rest > 0x7c00 ? 0x7fc00000u : rest == 0x7c00 ? 0x7f800000u : 0;
  return kiln__float_of(sign | scaled | special);
#endif
}

KILN_HALF kiln_f16 kiln__to_f16(float v) {
#ifdef __CUDA_ARCH__
  kiln_f16 half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(v));
  return half;
#else
  uint32_t bits = kiln__bits_of(v), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  /* Subnormal: adding 0.5 aligns the fraction and rounds it.  Normal: rebias, round to even. */
  uint32_t small = kiln__bits_of(kiln__float_of(rest) + 0.5f) - 0x3f000000u;
  uint32_t normal = (rest + 0xc8000fffu + (rest >> 13 & 1)) >> 13;
  uint32_t large = rest > 0x7f800000u ? 0x7e00 | (rest >> 13 & 0x3ff) : 0x7c00;
  uint32_t h = rest < 0x38800000u ? small : rest < 0x477ff000u ? normal : large;
  kiln_f16 half = {(uint16_t)(sign | h)};
  return half;
#endif
}

KILN_HALF float kiln__from_bf16(kiln_bf16 h) { return kiln__float_of((uint32_t)h.bits << 16); }

KILN_HALF kiln_bf16 kiln__to_bf16(float v) {
  uint32_t bits = kiln__bits_of(v);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  uint32_t nan = bits >> 16 | 0x40;
  kiln_bf16 half = {(uint16_t)((bits & 0x7fffffff) > 0x7f800000u ? nan : rounded)};
  return half;
}

/* -- Runs -----------------------------------------------------------------------------------------
 */

static inline void kiln__widen_f16(float *dst, const kiln_f16 *src, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16) {
    _mm512_storeu_ps(dst + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(src + i))));
  }
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(src + i))));
  }
#endif
  for (; i < n; i++)
    dst[i] = kiln__from_f16(src[i]);
}

static inline void kiln__narrow_f16(kiln_f16 *dst, const float *src, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16) {
    _mm256_storeu_si256((__m256i *)(dst + i),
                        _mm512_cvtps_ph(_mm512_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128((__m128i *)(dst + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < n; i++)
    dst[i] = kiln__to_f16(src[i]);
}

static inline void kiln__widen_bf16(float *dst, const kiln_bf16 *src, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    dst[i] = kiln__from_bf16(src[i]);
}

static inline void kiln__narrow_bf16(kiln_bf16 *dst, const float *src, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    dst[i] = kiln__to_bf16(src[i]);
}

#endif
