/* special.h: special functions of one element: gamma, zeta, Bessel, error and beta functions, their
** inverses and shares.  The part of scalar.h for floating types, which includes it once for each
** and says how it is written; most is computed in double, whatever T is.
*/

KILN_FN T F(lgamma)(T x) {
#ifdef __CUDACC__
  return MATH(lgamma)(x);
#else
  int sign; /* plain lgamma writes a global */
  return sizeof(T) == sizeof(float) ? (T)lgammaf_r((float)x, &sign) : (T)lgamma_r((double)x, &sign);
#endif
}

/* Recurrence up to 10, then the asymptotic series; reflection below 0.  In double, because the
** recurrence cancels near the root at 1.46. */
KILN_FN_LONG T F(digamma)(T x) {
  double v = (double)x, result = 0;
  if (v == 0)
    return MATH(copysign)(KILN_INFINITY, -x);
  if (v < 0) {
    if (v == floor(v))
      return KILN_NAN;
    result = -3.14159265358979323846 / tan(3.14159265358979323846 * (v - round(v)));
    v = 1 - v;
  }
  for (; v < 10; v += 1)
    result -= 1 / v;
  double s = 1 / (v * v);
  double series =
      s *
      (1.0 / 12 -
       s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (5.0 / 660 - s * 691.0 / 32760)))));
  return (T)(result + log(v) - 0.5 / v - series);
}

/* Hurwitz zeta for q > 0, the sum of (q + k)^-s over k >= 0, by Euler-Maclaurin after ten terms. */
KILN_FN_LONG double F(zeta_above_0)(double s, double q) {
  static const double coefficient[] = {/* B_2k / (2k)! */
                                       1.0 / 12,           -1.0 / 720,
                                       1.0 / 30240,        -1.0 / 1209600,
                                       1.0 / 47900160,     -691.0 / 1307674368000,
                                       1.0 / 74724249600., -3617.0 / 10670622842880000.};
  double sum = 0, v = q;
  for (int k = 0; k < 10; k++, v += 1)
    sum += pow(v, -s);
  sum += pow(v, 1 - s) / (s - 1) + 0.5 * pow(v, -s);
  double rising = s, power = pow(v, -s - 1);
  for (int k = 0; k < 8; k++) {
    sum += coefficient[k] * rising * power;
    rising *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= v * v;
  }
  return sum;
}

/* pi^2 / sin(pi x)^2, infinite at whole numbers: what trigamma(x) and trigamma(1 - x) add up to. */
KILN_FN double F(trigamma_pair)(double x) {
  double sine = sin(3.14159265358979323846 * (x - round(x)));
  return 9.8696044010893586188 / (sine * sine);
}

/* The same for every q: terms below 0 are, but for the sign, those of 1 - q and its like. */
KILN_FN double F(zeta)(double s, double q) {
  if (!(q <= 0))
    return F(zeta_above_0)(s, q);
  if (s == 2)
    return F(trigamma_pair)(q) - F(zeta_above_0)(s, 1 - q);
  double rest = q - floor(q);
  if (rest == 0 || s != floor(s))
    return rest == 0 ? INFINITY : NAN;
  double below = F(zeta_above_0)(s, floor(q) + 1 - q) - F(zeta_above_0)(s, 1 - q);
  below = s * 0.5 == floor(s * 0.5) ? below : -below;
  return below + F(zeta_above_0)(s, q - floor(q));
}

/* (-1)^(n + 1) n! */
KILN_FN_LONG double F(signed_factorial)(double n) {
  double magnitude = tgamma(n + 1);
  return n * 0.5 == floor(n * 0.5) ? -magnitude : magnitude;
}

/* The n-th derivative of digamma. */
KILN_FN_LONG T F(polygamma_of)(T x, T n) {
  if (n == 0)
    return F(digamma)(x);
  if (!(n > 0) || n != MATH(floor)(n))
    return KILN_NAN;
  return (T)(F(signed_factorial)((double)n) * F(zeta)((double)n + 1, (double)x));
}

/* The modified Bessel function of the first kind of order 0 or 1 at v >= 0, times exp(-v): its
** series, whose terms are all positive, or the asymptotic one. */
KILN_FN_LONG double F(bessel_i)(double v, int order) {
  double term = 1, sum = 1;
  if (v <= 30) {
    for (int k = 1; term > sum * 1e-17; k++) {
      term *= v * v / (4.0 * k * (k + order));
      sum += term;
    }
    return (order ? 0.5 * v : 1) * sum * exp(-v);
  }
  for (int k = 1; k < 30 && fabs(term) > 1e-17; k++) {
    term *= ((2.0 * k - 1) * (2.0 * k - 1) - 4 * order) / (8 * k * v);
    sum += term;
  }
  return sum / (sqrt(v) * 2.50662827463100050242);
}
/* The function itself; no double holds it beyond 720.  NaN at infinity, as the reference has it. */
KILN_FN_LONG double F(bessel_i_whole)(double v, int order) {
  const double half = exp(0.5 * v);
  return v > 720 ? INFINITY - (v - v) : F(bessel_i)(v, order) * half * half;
}
KILN_FN T F(i0e)(T x) { return (T)F(bessel_i)(fabs((double)x), 0); }
KILN_FN T F(i0)(T x) { return (T)F(bessel_i_whole)(fabs((double)x), 0); }
KILN_FN T F(i1e)(T x) { return (T)copysign(F(bessel_i)(fabs((double)x), 1), (double)x); }
KILN_FN T F(i1)(T x) { return (T)copysign(F(bessel_i_whole)(fabs((double)x), 1), (double)x); }
/* i1(x) / x. */
KILN_FN T F(i1_by_x)(T x) { return x == 0 ? K(0.5) : F(i1)(x) / x; }

/* A rational start for log(1 - x^2), then Newton's steps, on erfc where erf is flat. */
KILN_FN_LONG T F(erfinv)(T x) {
  T a = MATH(fabs)(x);
  if (!(a < 1))
    return a == 1 ? x * KILN_INFINITY : KILN_NAN;
  T w = -MATH(log)((1 - x) * (1 + x)), c = K(4.3307467508), h = c + w * K(-0.5);
  T y = MATH(sqrt)(MATH(sqrt)(h * h + w * K(6.8027210884)) - h);
  for (int step = 0; step < 3; step++) {
    T error = a < K(0.5) ? MATH(erf)(y) - a : (1 - a) - MATH(erfc)(y);
    T slope = K(1.12837916709551257390) * MATH(exp)(-y * y);
    T newton = error / slope;
    y -= newton / (1 + y * newton); /* Halley: the second derivative is -2 y slope */
  }
  return MATH(copysign)(y, x);
}

/* exp(v^2) erfc(v), by its asymptotic series where erfc is about to underflow. */
KILN_FN_LONG double F(scaled_erfc)(double v) {
  const double square = v * v, a = fabs(v);
  double term = 1, sum = 1;
  for (int k = 1; a >= 7 && fabs(term) > 1e-17; k++) {
    term *= (1 - 2 * k) / (2 * square);
    sum += term;
  }
  const double scaled = a < 7 ? exp(square) * erfc(a) : sum * 0.56418958354775628695 / a;
  return v < 0 ? 2 * exp(square) - scaled : scaled;
}
KILN_FN T F(erfcx)(T x) { return (T)F(scaled_erfc)((double)x); }

KILN_FN_LONG double F(log_normal_cdf)(double v) {
  double scaled = v * -0.70710678118654752440;
  return v < -1 ? log(0.5 * F(scaled_erfc)(scaled)) - scaled * scaled : log1p(-0.5 * erfc(-scaled));
}
KILN_FN T F(log_ndtr)(T x) { return (T)F(log_normal_cdf)((double)x); }

/* By erfinv in the middle; in the tails by Newton's method on the logarithm, which is concave. */
KILN_FN_LONG T F(ndtri)(T x) {
  double low = x > K(0.5) ? 1 - (double)x : (double)x;
  if (!(low > 0))
    return low == 0 ? (x > K(0.5) ? KILN_INFINITY : -KILN_INFINITY) : KILN_NAN;
  if (low > 0.1)
    return F(erfinv)(x + x - 1) * K(1.41421356237309504880);
  double v = -sqrt(-2 * log(low));
  for (int step = 0; step < 6; step++) {
    double slope = 0.79788456080286535588 / F(scaled_erfc)(v * -0.70710678118654752440);
    v -= (F(log_normal_cdf)(v) - log(low)) / slope;
  }
  return (T)(x > K(0.5) ? -v : v);
}

/* x^a exp(-x) / gamma(a + 1), by Stirling's series for large a. */
KILN_FN_LONG double F(gamma_density_large)(double a, double x) {
  double mu = (x - a) / a, s = 1 / (a * a);
  double star = (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s / 1680))) / a;
  return exp(-a * (mu - log1p(mu)) - star) / sqrt(6.28318530717958647693 * a);
}
KILN_FN_LONG double F(power_over_exp)(double a, double x) {
  return x > 300 ? exp(a * log(x) - x) : pow(x, a) * exp(-x);
}
KILN_FN_LONG double F(gamma_density)(double a, double x) {
  return a < 20 ? F(power_over_exp)(a, x) / tgamma(a + 1) : F(gamma_density_large)(a, x);
}

/* The part of the gamma function of a > 0 below x > 0, or above it, as a share of the whole.  Near
** a large a: Temme's expansion. */
KILN_FN_LONG double F(gamma_share_near)(double a, double x, bool above) {
  const double mu = (x - a) / a, eta = copysign(sqrt(2 * (mu - log1p(mu))), mu);
  double near = ((eta / 864 - 2.0 / 135) * eta + 1.0 / 12) * eta - 1.0 / 3;
  double first = fabs(mu) < 1e-3 ? near : 1 / mu - 1 / eta;
  double side = above ? 1 : -1;
  return 0.5 * erfc(side * eta * sqrt(a / 2)) + side * F(gamma_density)(a, x) * first;
}

/* The share above a small x by its own series, for 1 less the other would have no digits. */
KILN_FN_LONG double F(gamma_share_above_small)(double a, double x) {
  double small =
      a * (-0.57721566490153286061 + a * (0.82246703342411321824 - a * 0.4006856343865314));
  double term = 1, sum = 0, power = a * log(x) - (a < 1e-4 ? small : log(tgamma(a + 1)));
  for (int k = 1; fabs(term) > 1e-17; k++) {
    term *= -x / k;
    sum += term / (a + k);
  }
  return a < 100 ? -expm1(power) - a * exp(power) * sum : 1;
}

/* Elsewhere, the share over the density: below by the series, for x < a + 1; above by the continued
** fraction, for larger x. */
KILN_FN_LONG double F(gamma_series)(double a, double x) {
  double term = 1, sum = 1;
  for (double k = a + 1; term > sum * 1e-17; k += 1) {
    term *= x / k;
    sum += term;
  }
  return sum;
}
KILN_FN_LONG double F(gamma_fraction)(double a, double x) {
  double b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d, change = 0;
  for (double k = 1; fabs(change - 1) > 1e-15; k += 1) {
    double part = -k * (k - a);
    b += 2;
    d = 1 / (part * d + b);
    c = b + part / c;
    change = c * d;
    fraction *= change;
  }
  return a * fraction;
}

KILN_FN_LONG double F(gamma_share)(double a, double x, bool above) {
  if (a > 1e6 && fabs(x - a) < 0.5 * a)
    return F(gamma_share_near)(a, x, above);
  if (above && x <= 1)
    return F(gamma_share_above_small)(a, x);
  const bool is_below = x < a + 1;
  double share = is_below ? F(gamma_series)(a, x) : F(gamma_fraction)(a, x);
  share *= F(gamma_density)(a, x);
  return is_below == above ? 1 - share : share;
}
KILN_FN_LONG T F(gamma_part)(T a, T x, bool above) {
  const bool both = MATH(fabs)(a) == KILN_INFINITY && MATH(fabs)(x) == KILN_INFINITY;
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || both)
    return KILN_NAN;
  if (a == 0 || x == KILN_INFINITY)
    return above ? 0 : 1;
  if (x == 0 || a == KILN_INFINITY)
    return above ? 1 : 0;
  return (T)F(gamma_share)((double)a, (double)x, above);
}
KILN_FN_LONG T F(igamma)(T a, T x) { return F(gamma_part)(a, x, false); }
KILN_FN_LONG T F(igammac)(T a, T x) { return F(gamma_part)(a, x, true); }

/* log gamma(v) less Stirling's (v - 0.5) log v - v, for v > 0: what stays small for large v. */
KILN_FN_LONG double F(stirling_rest)(double v) {
  double below = 0;
  for (; v < 12; v += 1)
    below += log1p(1 / v) * (v + 0.5) - 1;
  const double s = 1 / (v * v);
  return 0.91893853320467274178 + below +
         (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / v;
}

/* x^a (1 - x)^b / beta(a, b), of which no part overflows. */
KILN_FN_LONG double F(beta_density)(double a, double b, double x) {
  const double n = a + b;
  double rest = F(stirling_rest)(n) - F(stirling_rest)(a) - F(stirling_rest)(b);
  double near = a * (log(x) + log1p(b / a)) + b * (log1p(-x) + log1p(a / b));
  return exp(near + rest) * sqrt(a * (b / n));
}

/* The part of the beta function of a, b > 0 below x in (0, 1), as a share of the whole: by Lentz's
** method for the continued fraction, on the side of the mean where it converges fast. */
KILN_FN_LONG double F(beta_share)(double a, double b, double x) {
  const bool turned = x > (a + 1) / (a + b + 2);
  const double p = turned ? b : a, q = turned ? a : b, z = turned ? 1 - x : x;
  double d = 1 / (1 - (p + q) * z / (p + 1)), c = 1, fraction = d, change = 0;
  for (double k = 1; fabs(change - 1) > 1e-15 && k < 1e5; k += 1) {
    double even = k * (q - k) * z / ((p + 2 * k - 1) * (p + 2 * k));
    double odd = -(p + k) * (p + q + k) * z / ((p + 2 * k) * (p + 2 * k + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    fraction *= d * c;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    change = d * c;
    fraction *= change;
  }
  const double share = F(beta_density)(p, q, z) * fraction / p;
  return turned ? 1 - share : share;
}
KILN_FN_LONG T F(betainc)(T a, T b, T x) {
  const bool number = a > 0 && b > 0 && x >= 0 && x <= 1 && a < KILN_INFINITY && b < KILN_INFINITY;
  if (!number)
    return KILN_NAN;
  return x == 0 ? 0 : x == 1 ? 1 : (T)F(beta_share)((double)a, (double)b, (double)x);
}
