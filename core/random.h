/* random.h: random numbers as a function of (seed, sequence, element), shared by C and CUDA.
**
** Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) turns a key
** (the seed) and a counter (block, sequence) into four 32-bit words.  Element i of a call reads
** fixed words of a fixed block, so that a result depends neither on the number of threads nor on
** the device.  The mathematics below (logarithm, exponential, sine) is made of IEEE operations in
** a fixed order; compile it without contraction into FMA and the bits agree everywhere.
** It refuses to hold state: that is random.c.
**
** Layout: 16 consecutive blocks form a group of 64 words; word j of a group is output j / 16 of
** its block j % 16, so that 16 lanes store contiguously.
**   32 bits: element i is word i % 64 of group i / 64
**   64 bits: element i of group i / 32 is words j (high) and j + 32 (low), j = i % 32
**   pairs:   Box-Muller turns numbers j and j + half of a group into elements j and j + half
*/
#ifndef KILN_RANDOM_H
#define KILN_RANDOM_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define KILN_RN static __host__ __device__ __forceinline__
#else
#define KILN_RN static inline __attribute__((always_inline))
#endif

enum { KILN_RN_LANES = 16, KILN_RN_GROUP = 64 };
#define KILN_PHILOX_M0 0xD2511F53u
#define KILN_PHILOX_M1 0xCD9E8D57u
#define KILN_PHILOX_W0 0x9E3779B9u
#define KILN_PHILOX_W1 0xBB67AE85u

KILN_RN void kiln_philox(uint64_t seed, uint64_t sequence, uint64_t block, uint32_t out[4]) {
  uint32_t a = (uint32_t)block, b = (uint32_t)(block >> 32);
  uint32_t c = (uint32_t)sequence, d = (uint32_t)(sequence >> 32);
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    uint64_t p = (uint64_t)a * KILN_PHILOX_M0, q = (uint64_t)c * KILN_PHILOX_M1;
    a = (uint32_t)(q >> 32) ^ b ^ k0;
    c = (uint32_t)(p >> 32) ^ d ^ k1;
    b = (uint32_t)q;
    d = (uint32_t)p;
    k0 += KILN_PHILOX_W0;
    k1 += KILN_PHILOX_W1;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

KILN_RN uint32_t kiln_rn_word(uint64_t seed, uint64_t sequence, uint64_t i) {
  uint32_t w[4];
  kiln_philox(seed, sequence, i / KILN_RN_GROUP * KILN_RN_LANES + i % KILN_RN_LANES, w);
  return w[i % KILN_RN_GROUP / KILN_RN_LANES];
}

KILN_RN uint64_t kiln_rn_long(uint64_t seed, uint64_t sequence, uint64_t i) {
  uint32_t w[4];
  uint64_t half = KILN_RN_GROUP / 2;
  kiln_philox(seed, sequence, i / half * KILN_RN_LANES + i % KILN_RN_LANES, w);
  uint64_t k = i % half / KILN_RN_LANES;
  return (uint64_t)w[k] << 32 | w[k + 2];
}

/* -- Units ------------------------------------------------------------------------------ */

/* [0, 1) in steps of 2^-bits, bits <= 24. */
KILN_RN float kiln_rn_unit32(uint32_t w, int bits) {
  union {
    int32_t i;
    float f;
  } step = {(127 - bits) << 23};
  return (float)(int32_t)(w >> (32 - bits)) * step.f;
}

/* [0, 1) in steps of 2^-53. */
KILN_RN double kiln_rn_unit64(uint64_t x) { return (double)(int64_t)(x >> 11) * 0x1p-53; }

/* (0, 1): the middles of 2^52 steps, so that neither log(u) nor log(1 - u) meets 0. */
KILN_RN double kiln_rn_open(uint64_t x) {
  union {
    uint64_t i;
    double f;
  } one_to_two = {x >> 12 | UINT64_C(0x3ff0000000000000)};
  return one_to_two.f - (1.0 - 0x1p-53);
}

/* [0, range) for range >= 1; the bias is below range / 2^64. */
KILN_RN uint64_t kiln_rn_below(uint64_t x, uint64_t range) {
#ifdef __CUDA_ARCH__
  return __umul64hi(x, range);
#else
  return (uint64_t)((unsigned __int128)x * range >> 64);
#endif
}

/* -- Mathematics ------------------------------------------------------------------------ */

/* log(x) for normal positive x: x = 2^e m with m in [2/3, 4/3), log m = 2 atanh((m-1)/(m+1)). */
KILN_RN float kiln_rn_logf(float x) {
  union {
    float f;
    int32_t i;
  } v = {x};
  int32_t e = (v.i - 0x3f2aaaab) >> 23;
  v.i -= e * (1 << 23);
  float s = (v.f - 1.0f) / (v.f + 1.0f), z = s * s;
  float p = 1.0f / 9 + z * (1.0f / 11);
  p = 1.0f / 7 + z * p;
  p = 0.2f + z * p;
  p = 1.0f / 3 + z * p;
  return (float)e * 0.693147180559945f + 2.0f * (s + s * (z * p));
}

KILN_RN double kiln_rn_log(double x) {
  union {
    double f;
    int64_t i;
  } v = {x};
  int64_t e = (v.i - INT64_C(0x3fe5555555555555)) >> 52;
  v.i -= e * (INT64_C(1) << 52);
  double s = (v.f - 1.0) / (v.f + 1.0), z = s * s;
  double p = 1.0 / 21 + z * (1.0 / 23);
  p = 1.0 / 19 + z * p;
  p = 1.0 / 17 + z * p;
  p = 1.0 / 15 + z * p;
  p = 1.0 / 13 + z * p;
  p = 1.0 / 11 + z * p;
  p = 1.0 / 9 + z * p;
  p = 1.0 / 7 + z * p;
  p = 1.0 / 5 + z * p;
  p = 1.0 / 3 + z * p;
  return (double)(int32_t)e * 0.69314718055994530942 + 2.0 * (s + s * (z * p));
}

/* exp(x); 0 below -708, infinity above 709. */
KILN_RN double kiln_rn_exp(double x) {
  double inside = x < -708 ? -708 : x > 709 ? 709 : x;
  double scaled = inside * 1.44269504088896340736;
  int32_t n = (int32_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
  double r = inside - n * 0x1.62e42fefa0000p-1 - n * 0x1.cf79abc9e3b3ap-40;
  double p = 1.0;
  for (int k = 14; k >= 1; k--)
    p = 1.0 + r * p / k;
  union {
    int64_t i;
    double f;
  } power = {(int64_t)(n + 1023) << 52};
  return x < -708 ? 0.0 : x > 709 ? (double)INFINITY : p * power.f;
}

/* A point on the unit circle at a uniform angle: two bits choose the quadrant, the others a
** place in [-pi/4, pi/4). */
KILN_RN void kiln_rn_circlef(uint32_t w, float *x, float *y) {
  float t =
      ((float)((int32_t)((w & 0x3fffffffu) >> 6) - (1 << 23)) + 0.5f) * (0x1p-24f * 1.57079633f);
  float z = t * t;
  float s = t + t * (z * (-1.0f / 6 + z * (1.0f / 120 + z * (-1.0f / 5040 + z * (1.0f / 362880)))));
  float c =
      1.0f + z * (-0.5f +
                  z * (1.0f / 24 + z * (-1.0f / 720 + z * (1.0f / 40320 + z * (-1.0f / 3628800)))));
  float a = w & 0x40000000u ? s : c, b = w & 0x40000000u ? c : s;
  *x = (w ^ w << 1) & 0x80000000u ? -a : a;
  *y = w & 0x80000000u ? -b : b;
}

/* sin(t) and cos(t) for |t| <= pi/4 + a little. */
KILN_RN void kiln_rn_sincos(double t, double *s, double *c) {
  double z = t * t, p = 0, q = 0;
  for (int k = 17; k >= 3; k -= 2)
    p = (1.0 - p) * (z / (k * (k - 1)));
  for (int k = 18; k >= 2; k -= 2)
    q = (1.0 - q) * (z / (k * (k - 1)));
  *s = t * (1.0 - p);
  *c = 1.0 - q;
}

KILN_RN void kiln_rn_circle(uint64_t w, double *x, double *y) {
  const int64_t middle = INT64_C(1) << 51;
  double t =
      ((double)((int64_t)((w << 2) >> 12) - middle) + 0.5) * (0x1p-52 * 1.57079632679489661923);
  double s, c;
  kiln_rn_sincos(t, &s, &c);
  double a = w >> 62 & 1 ? s : c, b = w >> 62 & 1 ? c : s;
  *x = (w >> 62 ^ w >> 63) & 1 ? -a : a;
  *y = w >> 63 ? -b : b;
}

/* -- Distributions ------------------------------------------------------------------------------
 */

/* Two normal numbers from two uniform ones.  The radius never exceeds sqrt(2 log 2^32) = 6.66
** (2^53: 8.6 in double). */
KILN_RN void kiln_rn_normal2f(uint32_t a, uint32_t b, float *x, float *y) {
  float u = ((float)(int32_t)(a >> 1) + 0.5f) * 0x1p-31f;
  float r = sqrtf(-2.0f * kiln_rn_logf(u));
  kiln_rn_circlef(b, x, y);
  *x *= r;
  *y *= r;
}

KILN_RN void kiln_rn_normal2(uint64_t a, uint64_t b, double *x, double *y) {
  double r = sqrt(-2.0 * kiln_rn_log(kiln_rn_open(a)));
  kiln_rn_circle(b, x, y);
  *x *= r;
  *y *= r;
}

KILN_RN double kiln_rn_exponential(uint64_t x, double rate) {
  return -kiln_rn_log(kiln_rn_open(x)) / rate;
}

/* f for weights of which `most` is the largest: each is taken as w f f, which is w by a power of 2,
** so that neither their sum nor a draw over one of them leaves what a number can hold.  Without
** sums none becomes smaller: the least would be 0. */
KILN_RN double kiln_rn_root(double most, bool sums) {
  int exponent;
  (void)frexp(most, &exponent);
  int half = (960 - exponent) / 2;
  return ldexp(1.0, sums || half > 0 ? half : 0);
}

/* Trials up to and with the first success, `most` if they are more; log_q is log(1 - p), -infinity
** for p = 1. */
KILN_RN double kiln_rn_geometric(uint64_t x, double log_q, double most) {
  double n = ceil(kiln_rn_log(kiln_rn_open(x)) / log_q);
  return n < 1 ? 1 : n < most ? n : most;
}

/* -cot(pi u): the slope of a point on the circle. */
KILN_RN double kiln_rn_cauchy(uint64_t x, double median, double sigma) {
  double c, s;
  kiln_rn_circle(x, &c, &s);
  return median + sigma * (s / c);
}

/* One stream an element for methods that reject: draw k of element i is a block of its own. */
typedef struct kiln_rn_stream {
  uint64_t seed, sequence, block; /* element in bits 0..47, draw above */
} kiln_rn_stream;

KILN_RN void kiln_rn_next(kiln_rn_stream *s, uint64_t *a, uint64_t *b) {
  uint32_t w[4];
  kiln_philox(s->seed, s->sequence, s->block, w);
  s->block += UINT64_C(1) << 48;
  *a = (uint64_t)w[0] << 32 | w[1];
  *b = (uint64_t)w[2] << 32 | w[3];
}

/* Marsaglia and Tsang (2000); shapes below 1 are raised by 1 and scaled by u^(1/alpha). */
KILN_RN double kiln_rn_gamma(kiln_rn_stream *s, double alpha) {
  double scale = 1.0;
  uint64_t a, b;
  if (!(alpha > 0))
    return alpha == 0 ? 0.0 : (double)NAN;
  if (alpha > 1e32) /* a draw differs from alpha by less than its last digit */
    return alpha;
  if (alpha < 1) {
    kiln_rn_next(s, &a, &b);
    scale = kiln_rn_exp(kiln_rn_log(kiln_rn_open(a)) / alpha);
    alpha += 1;
  }
  double d = alpha - 1.0 / 3, c = 1.0 / sqrt(9.0 * d);
  for (;;) {
    double x, y;
    kiln_rn_next(s, &a, &b);
    kiln_rn_normal2(a, b, &x, &y);
    double t = 1.0 + c * x, v = t * t * t;
    kiln_rn_next(s, &a, &b);
    if (v <= 0)
      continue;
    double u = kiln_rn_open(a);
    if (kiln_rn_log(u) < 0.5 * x * x + d - d * v + d * kiln_rn_log(v))
      return scale * d * v;
  }
}

/* log(k!) by Stirling's series, exact products below 10. */
KILN_RN double kiln_rn_log_factorial(double k) {
  if (k < 10) {
    double p = 1;
    for (int j = 2; j <= (int)k; j++)
      p *= j;
    return kiln_rn_log(p);
  }
  double x = k + 1, z = 1.0 / (x * x);
  return (x - 0.5) * kiln_rn_log(x) - x + 0.91893853320467274178 +
         (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680)))) / x;
}

/* Small rates: how many uniform factors keep the product above exp(-rate).  Others: transformed
** rejection, PTRS of Hoermann (1993). */
KILN_RN double kiln_rn_poisson(kiln_rn_stream *s, double rate) {
  uint64_t a, b;
  if (!(rate > 0))
    return rate == 0 ? 0.0 : (double)NAN;
  if (rate < 10) {
    double floor_ = kiln_rn_exp(-rate), product = 1.0, k = 0;
    for (;;) {
      kiln_rn_next(s, &a, &b);
      product *= kiln_rn_open(a);
      if (product <= floor_)
        return k;
      k += 1;
      product *= kiln_rn_open(b);
      if (product <= floor_)
        return k;
      k += 1;
    }
  }
  double root = sqrt(rate), log_rate = kiln_rn_log(rate);
  double b1 = 0.931 + 2.53 * root, a1 = -0.059 + 0.02483 * b1;
  double inv_alpha = 1.1239 + 1.1328 / (b1 - 3.4), vr = 0.9277 - 3.6224 / (b1 - 2);
  for (;;) {
    kiln_rn_next(s, &a, &b);
    double u = kiln_rn_open(a) - 0.5, v = kiln_rn_open(b), us = 0.5 - fabs(u);
    double k = floor((2 * a1 / us + b1) * u + rate + 0.43);
    if (us >= 0.07 && v <= vr)
      return k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (kiln_rn_log(v * inv_alpha / (a1 / (us * us) + b1)) <=
        k * log_rate - rate - kiln_rn_log_factorial(k)) {
      return k;
    }
  }
}

/* -- The gradient of a gamma draw ----------------------------------------------------------------
 */

KILN_RN double kiln_rn_digamma(double x) {
  double shift = 0;
  while (x < 8) {
    shift -= 1.0 / x;
    x += 1;
  }
  double z = 1.0 / (x * x);
  return shift + kiln_rn_log(x) - 0.5 / x -
         z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))));
}

/* dz/dalpha of a draw z of the gamma distribution with its place in the distribution held:
** -(dF/dalpha) / density, F by its power series below alpha + 1 and by the continued fraction of
** 1 - F above, both differentiated term by term.  Above 10^4 the cube-root normal approximation
** (Wilson and Hilferty) is as good as double precision needs there. */
KILN_RN double kiln_rn_gamma_grad(double alpha, double z) {
  if (!(z > 0) || !(alpha > 0))
    return z == 0 && alpha > 0 ? 0.0 : (double)NAN;
  if (alpha > 1e4) {
    double root = cbrt(z / alpha), r = 1.0 / (9 * alpha);
    double slope = -(root - 1 + r) / (2 * alpha) + r / alpha;
    return z / alpha + 3 * alpha * root * root * slope;
  }
  double offset = kiln_rn_log(z) - kiln_rn_digamma(alpha);
  if (z < alpha + 1) {
    double term = 1, slope = 0, sum = 1, dsum = 0;
    for (double k = 1; k < 1e6; k += 1) {
      term *= z / (alpha + k);
      slope -= 1.0 / (alpha + k);
      sum += term;
      dsum += term * slope;
      if (term * (1 - slope) < 1e-17 * sum)
        break;
    }
    return -(z / alpha) * (sum * (offset - 1.0 / alpha) + dsum);
  }
  /* 1 - F = z^a e^-z / Gamma(a) * h, h = 1/(b0 + a1/(b1 + ...)), b_n = z + 2n + 1 - a,
  ** a_n = n (a - n); Lentz's method with derivatives by a beside the values. */
  double b = z + 1 - alpha, c = 1e300, dc = 0, d = 1.0 / b, dd = d * d, h = d, dh = dd;
  for (double n = 1; n < 1e5; n += 1) {
    double an = n * (alpha - n), dan = n;
    b += 2;
    double t = an * d + b, dt = dan * d + an * dd - 1;
    d = 1.0 / t;
    dd = -dt * d * d;
    double cn = b + an / c;
    dc = -1 + dan / c - an * dc / (c * c);
    c = cn;
    double f = c * d, df = dc * d + c * dd;
    dh = dh * f + h * df;
    h *= f;
    if (fabs(f - 1) < 1e-16 && fabs(df) < 1e-15)
      break;
  }
  return z * (h * offset + dh);
}

#endif
