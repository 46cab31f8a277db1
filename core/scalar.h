/* scalar.h: the mathematics of one element, shared by C and CUDA: what a pointwise row computes
** that is not an expression of others.
**
** Included once an element type, with
**   T           the type                      TN  its name, part of the function's: f_exp_f32
**   T_FLOAT, T_INT, T_BOOL                    1 for the kind it is, 0 for the others
**   MATH(fn)    the C library's fn for T      KILN_FN  how to declare (static inline by default)
**   KILN_FN_LONG              the same for functions that are better called than copied
** F(name) calls the function for T; K(c) is a constant of type T.  Plain C: no intrinsics.  Both
** sides of a choice are computed before it where that lets loops vectorise.
**
** NaN goes through everything.  Integers wrap around; dividing an integer by 0 gives 0.
*/
#include "exponential.h"

#ifndef KILN_FN
#define KILN_FN static inline __attribute__((unused))
#endif
#ifndef KILN_FN_LONG
#define KILN_FN_LONG KILN_FN
#endif
#undef F
#undef K
#undef IS_NAN
#define KILN_SCALAR_NAME_(name, tn) f_##name##_##tn
#define KILN_SCALAR_NAME(name, tn) KILN_SCALAR_NAME_(name, tn)
#define F(name) KILN_SCALAR_NAME(name, TN)
#define K(c) ((T)(c))

/* -- For every type -----------------------------------------------------------------------------
 */

#if T_FLOAT
#define IS_NAN(x) ((x) != (x))
#else
#define IS_NAN(x) false /* compilers warn where an integer is compared with itself */
#endif

KILN_FN T F(where)(bool condition, T x, T y) { return condition ? x : y; }
KILN_FN T F(maximum)(T x, T y) { return x > y || IS_NAN(x) ? x : y; }
KILN_FN T F(minimum)(T x, T y) { return x < y || IS_NAN(x) ? x : y; }
/* NaN only where both are. */
KILN_FN T F(fmax)(T x, T y) { return x >= y || IS_NAN(y) ? x : y; }
KILN_FN T F(fmin)(T x, T y) { return x <= y || IS_NAN(y) ? x : y; }
KILN_FN T F(heaviside)(T x, T y) { return x == 0 ? y : (T)(x > 0); }
KILN_FN bool F(logical_and)(T x, T y) { return (x != 0) & (y != 0); }
KILN_FN bool F(logical_or)(T x, T y) { return (x != 0) | (y != 0); }
KILN_FN bool F(logical_xor)(T x, T y) { return (x != 0) ^ (y != 0); }

#if T_FLOAT || T_INT

/* How a row's parameter, a double, becomes a T: integers saturate, so that infinity may stand for
** "no bound". */
#if T_FLOAT
KILN_FN T F(parameter)(double v) { return (T)v; }
#else
KILN_FN T F(parameter)(double v) {
  const T least = (T)-1 > 0 ? 0 : (T)((uint64_t)1 << (8 * sizeof(T) - 1));
  const T most = (T)~least;
  if (v != v)
    return 0;
  return v <= (double)least ? least : v >= (double)most ? most : (T)v;
}
#endif

KILN_FN T F(relu)(T x) { return x < 0 ? 0 : x; }
KILN_FN T F(clamp)(T x, T lo, T hi) {
  T y = x < lo || IS_NAN(lo) ? lo : x;
  return y > hi || IS_NAN(hi) ? hi : y;
}
KILN_FN T F(square)(T x) { return x * x; }

#else

KILN_FN T F(bitwise_not)(T x) { return !x; }
KILN_FN bool F(signbit)(T x) { return (void)x, false; }

KILN_FN T F(parameter)(double v) { return v != 0; }
KILN_FN T F(sign)(T x) { return x; }

#endif

/* -- Integers -----------------------------------------------------------------------------------
 */

#if !T_FLOAT
KILN_FN bool F(isinf)(T x) { return (void)x, false; }
KILN_FN bool F(isfinite)(T x) { return (void)x, true; }
#endif

#if !T_FLOAT
KILN_FN T F(bitwise_and)(T x, T y) { return (T)(x & y); }
KILN_FN T F(bitwise_or)(T x, T y) { return (T)(x | y); }
KILN_FN T F(bitwise_xor)(T x, T y) { return (T)(x ^ y); }
#endif

#if T_INT

KILN_FN T F(floor)(T x) { return x; }
KILN_FN T F(ceil)(T x) { return x; }
KILN_FN T F(trunc)(T x) { return x; }
KILN_FN T F(round)(T x) { return x; }
KILN_FN T F(frac)(T x) { return (void)x, 0; }

KILN_FN T F(abs)(T x) { return (T)(x < 0 ? 0 - (uint64_t)x : (uint64_t)x); }
KILN_FN T F(sign)(T x) { return (T)((x > 0) - (x < 0)); }
/* The remainder of truncated division; its sign is x's. */
KILN_FN T F(fmod)(T x, T y) { return y == 0 || (y == (T)-1 && (T)-1 < 0) ? 0 : (T)(x % y); }
/* The remainder of floor division; its sign is y's. */
KILN_FN T F(remainder)(T x, T y) {
  T r = F(fmod)(x, y);
  return r != 0 && (r < 0) != (y < 0) ? (T)(r + y) : r;
}
KILN_FN T F(floor_divide)(T x, T y) {
  if (y == 0)
    return 0;
  if (y == (T)-1 && (T)-1 < 0)
    return (T)(0 - (uint64_t)x);
  T q = (T)(x / y);
  return x % y != 0 && (x < 0) != (y < 0) ? (T)(q - 1) : q;
}
KILN_FN bool F(signbit)(T x) { return x < 0; }
KILN_FN T F(bitwise_not)(T x) { return (T)~x; }
/* Bits that leave are lost; a distance that is no place of a bit moves all of them out. */
KILN_FN T F(bitwise_left_shift)(T x, T y) {
  return y < 0 || y >= (T)(8 * sizeof(T)) ? 0 : (T)((uint64_t)x << y);
}
KILN_FN T F(bitwise_right_shift)(T x, T y) {
  const T most = (T)(8 * sizeof(T) - 1);
  return (T)-1 > 0 && (y < 0 || y > most) ? 0 : (T)(x >> (y < 0 || y > most ? most : y));
}
/* Of the least number, which is its own absolute value, as the reference: not above 0. */
KILN_FN T F(gcd)(T x, T y) {
  T a = F(abs)(x), b = F(abs)(y);
  while (b != 0) {
    T rest = F(fmod)(a, b);
    a = b;
    b = rest;
  }
  return a;
}
KILN_FN T F(trunc_divide)(T x, T y) {
  if (y == (T)-1 && (T)-1 < 0)
    return (T)(0 - (uint64_t)x);
  return y == 0 ? 0 : (T)(x / y);
}
KILN_FN T F(lcm)(T x, T y) {
  return F(abs)((T)((uint64_t)F(trunc_divide)(x, F(gcd)(x, y)) * (uint64_t)y));
}
/* By squaring; a negative power of anything but 1 and -1 is 0. */
KILN_FN T F(pow)(T x, T y) {
  if (y < 0)
    return x == 1 ? 1 : x == (T)-1 ? (y & 1 ? (T)-1 : 1) : 0;
  uint64_t power = 1, base = (uint64_t)x;
  for (uint64_t n = (uint64_t)y; n != 0; n >>= 1) {
    if (n & 1)
      power *= base;
    base *= base;
  }
  return (T)power;
}

#endif

/* -- Floating point -----------------------------------------------------------------------------
 */

#if T_FLOAT

#define KILN_INFINITY ((T)INFINITY)
#define KILN_NAN ((T)NAN)
#define KILN_PI K(3.14159265358979323846)

/* Functions that are the C library's. */
#define KILN_LIBRARY(name)                                                                         \
  KILN_FN T F(name)(T x) { return MATH(name)(x); }
KILN_LIBRARY(exp)
KILN_LIBRARY(exp2)
KILN_LIBRARY(expm1)
KILN_LIBRARY(log)
KILN_LIBRARY(log2)
KILN_LIBRARY(log10)
KILN_LIBRARY(log1p)
KILN_LIBRARY(sin)
KILN_LIBRARY(cos)
KILN_LIBRARY(tan)
KILN_LIBRARY(asin)
KILN_LIBRARY(acos)
KILN_LIBRARY(atan)
KILN_LIBRARY(sinh)
KILN_LIBRARY(cosh)
KILN_LIBRARY(tanh)
KILN_LIBRARY(asinh)
KILN_LIBRARY(acosh)
KILN_LIBRARY(atanh)
KILN_LIBRARY(erf)
KILN_LIBRARY(erfc)
KILN_LIBRARY(sqrt)
KILN_LIBRARY(floor)
KILN_LIBRARY(ceil)
KILN_LIBRARY(trunc)
#undef KILN_LIBRARY
KILN_FN T F(pow)(T x, T y) { return MATH(pow)(x, y); }
KILN_FN T F(atan2)(T y, T x) { return MATH(atan2)(y, x); }
KILN_FN T F(hypot)(T x, T y) { return MATH(hypot)(x, y); }

KILN_FN T F(copysign)(T x, T y) { return MATH(copysign)(x, y); }
KILN_FN T F(next_toward)(T x, T y) { return MATH(nextafter)(x, y); }
KILN_FN bool F(signbit)(T x) { return MATH(copysign)(K(1), x) < 0; }

KILN_FN T F(abs)(T x) { return MATH(fabs)(x); }
/* To the nearest whole number, ties to even. */
KILN_FN T F(round)(T x) { return MATH(rint)(x); }
KILN_FN T F(frac)(T x) { return x - MATH(trunc)(x); }
KILN_FN T F(sign)(T x) { return (T)((x > 0) - (x < 0)); }
KILN_FN T F(rsqrt)(T x) { return 1 / MATH(sqrt)(x); }
KILN_FN T F(sigmoid)(T x) { return 1 / (1 + MATH(exp)(-x)); }
/* x is mantissa * 2^exponent, |mantissa| from 0.5 to below 1. */
/* eps NaN: x is taken as it is. */
KILN_FN T F(logit)(T x, T eps) {
  T held = x < eps ? eps : x > 1 - eps ? 1 - eps : x;
  return MATH(log)(held / (1 - held));
}
KILN_FN T F(mantissa)(T x) {
  int exponent;
  return MATH(frexp)(x, &exponent);
}
KILN_FN T F(exponent)(T x) {
  int exponent = 0;
  (void)MATH(frexp)(x, &exponent);
  return MATH(fabs)(x) < KILN_INFINITY ? (T)exponent : 0;
}
KILN_FN T F(logaddexp)(T x, T y) {
  T more = F(maximum)(x, y), apart = MATH(fabs)(x - y);
  return x == y ? x + K(0.69314718055994530942) : more + MATH(log1p)(MATH(exp)(-apart));
}
KILN_FN T F(logaddexp2)(T x, T y) {
  T more = F(maximum)(x, y), rest = MATH(log1p)(MATH(exp2)(-MATH(fabs)(x - y)));
  return x == y ? x + 1 : more + rest * K(1.4426950408889634074);
}
KILN_FN bool F(within)(T x, T y, T rtol, T atol) {
  T gap = MATH(fabs)(x - y);
  return ((gap <= atol + rtol * MATH(fabs)(y)) & (gap < KILN_INFINITY)) | (x == y);
}
KILN_FN bool F(isfinite)(T x) { return MATH(fabs)(x) < KILN_INFINITY; }
KILN_FN bool F(isinf)(T x) { return MATH(fabs)(x) == KILN_INFINITY; }

KILN_FN T F(fmod)(T x, T y) { return MATH(fmod)(x, y); }
KILN_FN T F(remainder)(T x, T y) {
  T r = MATH(fmod)(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
/* floor(x / y) as if x / y were exact. */
KILN_FN T F(floor_divide)(T x, T y) {
  if (y == 0)
    return x / y;
  T r = MATH(fmod)(x, y), q = (x - r) / y;
  if (r != 0 && (y < 0) != (r < 0))
    q -= 1;
  if (q == 0)
    return MATH(copysign)(K(0), x / y);
  T whole = MATH(floor)(q);
  return q - whole > K(0.5) ? whole + 1 : whole;
}
KILN_FN T F(trunc_divide)(T x, T y) { return MATH(trunc)(x / y); }
KILN_FN T F(xlog1py)(T x, T y) {
  T log_y = MATH(log1p)(y);
  return x == 0 && y == y ? 0 : x * log_y;
}
/* sin(pi x) / (pi x), and its derivative. */
KILN_FN T F(sinc)(T x) {
  T v = x * KILN_PI, y = MATH(sin)(v) / v;
  return x == 0 ? 1 : y;
}
KILN_FN T F(sinc_slope)(T x) {
  T v = x * KILN_PI, y = (MATH(cos)(v) * v - MATH(sin)(v)) / (v * x);
  return x == 0 ? 0 : y;
}
KILN_FN T F(xlogy)(T x, T y) {
  T log_y = MATH(log)(y);
  return x == 0 && y == y ? 0 : x * log_y;
}

/* -- Activations -- */

/* log(1 + exp(x)) without overflow. */
KILN_FN T F(softplus1)(T x) {
  return (x > 0 || IS_NAN(x) ? x : 0) + MATH(log1p)(MATH(exp)(-MATH(fabs)(x)));
}
KILN_FN T F(logsigmoid)(T x) { return -F(softplus1)(-x); }
KILN_FN T F(softplus)(T x, T beta, T threshold) {
  T y = F(softplus1)(beta * x) / beta;
  return beta * x > threshold ? x : y;
}
/* exp(-x^2 / 2); of float 0 where that would be denormal. */
KILN_FN T F(bell)(T x) {
  return sizeof(T) > sizeof(float) ? MATH(exp)(K(-0.5) * x * x) : (T)kiln__exp_bell((float)x);
}
/* The normal distribution function of x, given e = bell(x).  For float a polynomial fitted to the
** tail, 1.2e-7 relative at any distance from 0, so that nothing cancels; double asks erfc. */
KILN_FN T F(normal_cdf)(T x, T e) {
  if (sizeof(T) > sizeof(float))
    return K(0.5) * MATH(erfc)(x * K(-0.70710678118654752440));
  T t = 1 / (1 + K(0.3) * MATH(fabs)(x)), p = K(0.036089618067446275);
  p = p * t + K(-0.158937061911526);
  p = p * t + K(0.2093522682396736);
  p = p * t + K(-0.05645562401558836);
  p = p * t + K(0.13003560066209785);
  p = p * t + K(0.09946414400241964);
  p = p * t + K(0.12082646438700967);
  p = p * t + K(0.11962453102190278);
  T tail = p * t * e;
  return x < 0 ? tail : 1 - tail;
}
KILN_FN T F(gelu_erf)(T x) { return x * F(normal_cdf)(x, F(bell)(x)); }
KILN_FN T F(gelu_slope)(T x) {
  T e = F(bell)(x);
  return F(normal_cdf)(x, e) + x * e * K(0.39894228040143267794);
}

#include "special.h"

#undef KILN_INFINITY
#undef KILN_NAN
#undef KILN_PI

#endif
