/* vecmath.h: tells the compiler which C library functions have vector versions, so that plain loops
** over them vectorise without -ffast-math (NaN and infinity stay what they are).
*/
#ifndef KILN_VECMATH_H
#define KILN_VECMATH_H
#include <math.h>

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#define KILN_SIMD __attribute__((simd("notinbranch"), const))
#define KILN_VECTOR1(fn)                                                                           \
  KILN_SIMD double fn(double);                                                                     \
  KILN_SIMD float fn##f(float);
#define KILN_VECTOR2(fn)                                                                           \
  KILN_SIMD double fn(double, double);                                                             \
  KILN_SIMD float fn##f(float, float);
KILN_VECTOR1(exp)
KILN_VECTOR1(exp2)
KILN_VECTOR1(expm1)
KILN_VECTOR1(log)
KILN_VECTOR1(log2)
KILN_VECTOR1(log10)
KILN_VECTOR1(log1p)
KILN_VECTOR1(sin)
KILN_VECTOR1(cos)
KILN_VECTOR1(tan)
KILN_VECTOR1(asin)
KILN_VECTOR1(acos)
KILN_VECTOR1(atan)
KILN_VECTOR1(sinh)
KILN_VECTOR1(cosh)
KILN_VECTOR1(tanh)
KILN_VECTOR1(asinh)
KILN_VECTOR1(acosh)
KILN_VECTOR1(atanh)
KILN_VECTOR1(erf)
KILN_VECTOR1(erfc)
KILN_VECTOR2(pow)
KILN_VECTOR2(atan2)
KILN_VECTOR2(hypot)
#undef KILN_VECTOR1
#undef KILN_VECTOR2
#undef KILN_SIMD
#endif

#endif
