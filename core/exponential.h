/* exponential.h: exp of floats that are at most 88, without a call of the vector library: a loop
** around it keeps its registers, and what it computes besides overlaps.  Alone, in a loop over
** memory, it gains nothing over the library.  It refuses double.
**
** 2^n times a polynomial of the rest, which is fitted to 3e-9 relative.
*/
#ifndef KILN_EXPONENTIAL_H
#define KILN_EXPONENTIAL_H
#include "cpu/half.h"

/* 1.5 * 2^23: added to a float, it is rounded to a whole number, which stands in its last bits. */
#define KILN_WHOLE 12582912.0f

/* x from -87 to 88; NaN gives NaN, anything else nonsense.  Off by 1.3 * 2^-24 at most. */
KILN_HALF float kiln__exp_normal(float x) {
  float k = x * 1.44269504f + KILN_WHOLE, n = k - KILN_WHOLE;
  float r = x - n * 0.693145752f, p = 0.0013814584f; /* log(2) in two parts: few bits, the rest */
  r = r - n * 1.42860677e-6f;
  p = p * r + 0.008368724f;
  p = p * r + 0.04166839f;
  p = p * r + 0.16666521f;
  p = p * r + 0.49999994f;
  p = p * r + 1;
  p = p * r + 1;
  return p * kiln__float_of((kiln__bits_of(k) << 23) + 0x3f800000u);
}

/* Where exp would be denormal, 0; so of minus infinity, too. */
KILN_HALF float kiln__exp_below(float x) {
  float e = kiln__exp_normal(x);
  return x < -87 ? 0 : e;
}

/* exp(-x^2 / 2), 0 where that would be denormal; of NaN a number.  Off by x^2 * 2^-24, as x^2 is.
 */
KILN_HALF float kiln__exp_bell(float x) {
  float v = x * x, k = v * -0.72134752f + KILN_WHOLE, n = k - KILN_WHOLE;
  float r = v * -0.72134752f - n, p = 0.00015353340f;
  p = p * r + 0.0013398901f;
  p = p * r + 0.0096184378f;
  p = p * r + 0.055503324f;
  p = p * r + 0.24022648f;
  p = p * r + 0.69314718f;
  p = p * r + 1;
  float e = kiln__float_of((kiln__bits_of(k) << 23) + kiln__bits_of(p));
  return v > 174 ? 0 : e;
}

#endif
