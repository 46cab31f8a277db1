/* philox.h: Philox4x32-10 for many blocks at once: the vector header of random.c.
** The one place where an instruction is chosen by hand: compilers do not see that a product of two
** 32-bit numbers kept in 64-bit lanes is one instruction (measured: 2.5 times faster).
*/
#ifndef KILN_CPU_PHILOX_H
#define KILN_CPU_PHILOX_H
#include "../random.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { PHILOX_WIDTH = 8 };
#elif defined(__AVX2__)
#include <immintrin.h>
enum { PHILOX_WIDTH = 4 };
#else
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
enum { PHILOX_WIDTH = 2 };
#endif

typedef uint64_t philox_wide __attribute__((vector_size(8 * PHILOX_WIDTH)));
typedef uint32_t philox_words __attribute__((vector_size(4 * PHILOX_WIDTH)));

/* Products of the low halves of the lanes; the high halves may hold anything. */
static inline philox_wide philox_mul(philox_wide a, philox_wide b) {
#if defined(__AVX512F__)
  return (philox_wide)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (philox_wide)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (philox_wide)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/* The 64 words of each of n groups from `group` on: what kiln_philox gives, in random.h's layout.
** Two chains run side by side to hide the latency of the products. */
static void philox_fill(uint64_t seed, uint64_t sequence, uint64_t group, int64_t n,
                        uint32_t *restrict out) {
  enum { CHAINS = 2, STEP = CHAINS * PHILOX_WIDTH };
  const philox_wide zero = {0}, m0 = zero + KILN_PHILOX_M0, m1 = zero + KILN_PHILOX_M1;
  philox_wide iota;
  for (int i = 0; i < PHILOX_WIDTH; i++)
    iota[i] = (uint64_t)i;
  for (; n > 0; n--, group++, out += KILN_RN_GROUP) {
    uint64_t block = group * KILN_RN_LANES;
    for (int lane = 0; lane < KILN_RN_LANES; lane += STEP) {
      philox_wide a[CHAINS], b[CHAINS], c[CHAINS], d[CHAINS];
#pragma GCC unroll 2
      for (int k = 0; k < CHAINS; k++) {
        a[k] = iota + (block + (uint64_t)(lane + k * PHILOX_WIDTH));
        b[k] = zero + (block >> 32);
        c[k] = zero + sequence;
        d[k] = zero + (sequence >> 32);
      }
      uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma GCC unroll 10
      for (int round = 0; round < 10; round++) {
#pragma GCC unroll 2
        for (int k = 0; k < CHAINS; k++) {
          philox_wide p = philox_mul(a[k], m0), q = philox_mul(c[k], m1);
          a[k] = (q >> 32) ^ b[k] ^ k0;
          c[k] = (p >> 32) ^ d[k] ^ k1;
          b[k] = q;
          d[k] = p;
        }
        k0 += KILN_PHILOX_W0;
        k1 += KILN_PHILOX_W1;
      }
#pragma GCC unroll 2
      for (int k = 0; k < CHAINS; k++) {
        const philox_wide words[4] = {a[k], b[k], c[k], d[k]};
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
          philox_words w = __builtin_convertvector(words[j], philox_words);
          memcpy(out + j * KILN_RN_LANES + lane + k * PHILOX_WIDTH, &w, sizeof w);
        }
      }
    }
  }
}

#endif
