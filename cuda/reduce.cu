/* reduce.cu: what reductions join: sums and products, extremes and their positions, counts, norms,
** variances.  How elements reach them stands in reduce.h.
*/
#include "reduce.h"

/* -- One value at a time --------------------------------------------------------------------------
** FOLD(name, A, START, VALUE, JOIN, R, RESULT): accumulators of type A begin as START and take
** JOIN(a, VALUE) for each element v; RESULT of a and count, of type R, is what is written.  VALUE
** and RESULT may read p. */

#define FOLD(name, A_, START, VALUE, JOIN, R, RESULT)                                              \
  template <class T_> struct name {                                                                \
    typedef T_ T;                                                                                  \
    typedef KILN_V(T) V;                                                                           \
    typedef A_ A;                                                                                  \
    KILN_INLINE A start() { return START; }                                                        \
    KILN_INLINE A value(T x, int64_t, double p) {                                                  \
      const V v = kiln_type<T>::load(x);                                                           \
      (void)p;                                                                                     \
      return (A)(VALUE);                                                                           \
    }                                                                                              \
    KILN_INLINE A join(A a, A b) { return (A)(JOIN); }                                             \
    KILN_INLINE void finish(const kiln_reduction &w, int64_t i, A a) {                             \
      const double p = w.p;                                                                        \
      const int64_t count = w.reduced.numel;                                                       \
      (void)p, (void)count;                                                                        \
      ((R *)w.out[0])[i] = kiln_type<R>::store((KILN_V(R))(RESULT));                               \
    }                                                                                              \
  };

/* What sums and products are kept in: the type of the elements, int64 for integers. */
template <class T> struct wide { typedef int64_t type; };
template <> struct wide<float> { typedef float type; };
template <> struct wide<double> { typedef double type; };
template <> struct wide<kiln_f16> { typedef float type; };
template <> struct wide<kiln_bf16> { typedef float type; };

/* The least and the greatest value of a type. */
template <class V> struct limit {
  KILN_INLINE V least() { return (V)-1 > 0 ? (V)0 : (V)((uint64_t)1 << (8 * sizeof(V) - 1)); }
  KILN_INLINE V greatest() { return (V)~least(); }
};
template <> struct limit<bool> {
  KILN_INLINE bool least() { return false; }
  KILN_INLINE bool greatest() { return true; }
};
template <> struct limit<float> {
  KILN_INLINE float least() { return -INFINITY; }
  KILN_INLINE float greatest() { return INFINITY; }
};
template <> struct limit<double> {
  KILN_INLINE double least() { return -INFINITY; }
  KILN_INLINE double greatest() { return INFINITY; }
};

#define WIDE typename wide<T_>::type
#define LARGER (a > b || a != a ? a : b) /* NaN wins */
#define SMALLER (a < b || a != a ? a : b)
FOLD(sum, WIDE, 0, v, a + b, T, a)
FOLD(int_sum, int64_t, 0, v, a + b, int64_t, a)
FOLD(mean, WIDE, 0, v, a + b, T, a / (A)count)
FOLD(prod, WIDE, 1, v, a *b, T, a)
FOLD(int_prod, int64_t, 1, v, a *b, int64_t, a)
FOLD(amax, KILN_V(T_), limit<V>::least(), v, LARGER, T, a)
FOLD(amin, KILN_V(T_), limit<V>::greatest(), v, SMALLER, T, a)
FOLD(all_true, bool, true, v != 0, a &b, bool, a)
FOLD(any_true, bool, false, v != 0, a | b, bool, a)
FOLD(count_nonzero, int64_t, 0, v != 0, a + b, int64_t, a)
FOLD(norm0, WIDE, 0, v != 0, a + b, T, a)
FOLD(norm1, WIDE, 0, kiln_abs(v), a + b, T, a)
FOLD(norm2, WIDE, 0, v *v, a + b, T, kiln_sqrt(a))
FOLD(norm_max, WIDE, 0, kiln_abs(v), LARGER, T, a)
FOLD(norm_min, WIDE, limit<V>::greatest(), kiln_abs(v), SMALLER, T, a)
FOLD(norm_p, WIDE, 0, kiln_pow(kiln_abs(v), (V)p), a + b, T, kiln_pow(a, (A)(1 / p)))
#undef WIDE
#undef LARGER
#undef SMALLER
#undef FOLD

/* -- Variance -------------------------------------------------------------------------------------
** Means and squared distances to them, joined by Chan's formula; a mean is an element and how far
** off that the mean lies, which is exact where all are large and close.  So nothing cancels. */

template <class V> struct moments {
  V near, off, squares;
  int64_t n;
};

template <class T_, bool root> struct spread {
  typedef T_ T;
  typedef KILN_V(T) V;
  typedef moments<V> A;
  KILN_INLINE A start() {
    const A a = {0, 0, 0, 0};
    return a;
  }
  KILN_INLINE A value(T x, int64_t, double) {
    const V v = kiln_type<T>::load(x);
    const A a = {v, 0, v - v, 1}; /* infinity has no distance to a mean */
    return a;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    if (a.n == 0 || b.n == 0)
      return a.n == 0 ? b : a;
    const V apart = (b.near - a.near) + (b.off - a.off), share = (V)b.n / (V)(a.n + b.n);
    const A c = {a.near, a.off + apart * share,
                 a.squares + b.squares + apart * apart * (V)a.n * share, a.n + b.n};
    return c;
  }
  /* p: what is taken off the count. */
  KILN_INLINE void finish(const kiln_reduction &w, int64_t i, const A &a) {
    const double count = (double)w.reduced.numel;
    const V var = a.squares / (V)(count > w.p ? count - w.p : 0);
    ((T *)w.out[0])[i] = kiln_type<T>::store(root ? kiln_sqrt(var) : var);
  }
};
template <class T> struct var : spread<T, false> {};
template <class T> struct std_ : spread<T, true> {};

/* -- Positions ------------------------------------------------------------------------------------
** Of equal elements the first wins, and the first NaN wins over all. */

template <class V> struct found {
  V v;
  int64_t at; /* -1: nothing seen yet */
};

template <class T_, bool largest> struct extreme {
  typedef T_ T;
  typedef KILN_V(T) V;
  typedef found<V> A;
  KILN_INLINE A start() {
    const A a = {0, -1};
    return a;
  }
  KILN_INLINE A value(T x, int64_t at, double) {
    const A a = {kiln_type<T>::load(x), at};
    return a;
  }
  KILN_INLINE bool precedes(const A &a, const A &b) {
    const bool a_is_nan = kiln_is_nan(a.v), b_is_nan = kiln_is_nan(b.v);
    if (a_is_nan != b_is_nan)
      return a_is_nan;
    if (a_is_nan || a.v == b.v)
      return a.at < b.at;
    return largest ? a.v > b.v : a.v < b.v;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    if (a.at < 0 || b.at < 0)
      return a.at < 0 ? b : a;
    return precedes(a, b) ? a : b;
  }
};
/* The position alone; the element and its position. */
template <class T, bool largest> struct position : extreme<T, largest> {
  KILN_INLINE void finish(const kiln_reduction &w, int64_t i, const found<KILN_V(T)> &a) {
    ((int64_t *)w.out[0])[i] = a.at + KILN_INDEX_BASE;
  }
};
template <class T, bool largest> struct element : extreme<T, largest> {
  KILN_INLINE void finish(const kiln_reduction &w, int64_t i, const found<KILN_V(T)> &a) {
    ((T *)w.out[0])[i] = kiln_type<T>::store(a.v);
    ((int64_t *)w.out[1])[i] = a.at + KILN_INDEX_BASE;
  }
};
template <class T> struct argmax : position<T, true> {};
template <class T> struct argmin : position<T, false> {};
template <class T> struct max_along : element<T, true> {};
template <class T> struct min_along : element<T, false> {};

/* -- By dtype -------------------------------------------------------------------------------------
 */

#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    return kiln_reduce<R<T>>(c, drop, ordered, p);

template <template <class> class R>
static int32_t of_floats(const kiln_call *c, uint32_t drop, bool ordered, double p) {
  switch (c->in[0]->dtype) {
    KILN_FLOAT_TYPES(CASE)
    KILN_HALF_TYPES(CASE)
  }
  return KILN_OK;
}
template <template <class> class R>
static int32_t of_integers(const kiln_call *c, uint32_t drop, bool ordered, double p) {
  switch (c->in[0]->dtype) {
    KILN_INT_TYPES(CASE)
    CASE(KILN_BOOL, bool)
  }
  return KILN_OK;
}
/* R of floats, I of integers and truths. */
template <template <class> class R, template <class> class I = R>
static int32_t of_all(const kiln_call *c, uint32_t drop, bool ordered, double p) {
  return KILN_D(c->in[0]->dtype) & (KILN_D_FLOAT | KILN_D_HALF)
             ? of_floats<R>(c, drop, ordered, p)
             : of_integers<I>(c, drop, ordered, p);
}
#undef CASE

/* -- Ops ------------------------------------------------------------------------------------------
 */

/* (x, dims, keepdim) */
#define OVER_DIMS(name, types, reducer)                                                            \
  static int32_t run_##name(const kiln_call *c) {                                                  \
    return types<reducer>(c, kiln_dropped(c, 0), false, 0);                                        \
  }
OVER_DIMS(mean, of_floats, mean)
OVER_DIMS(amax, of_all, amax)
OVER_DIMS(amin, of_all, amin)
OVER_DIMS(all, of_all, all_true)
OVER_DIMS(any, of_all, any_true)
OVER_DIMS(count_nonzero, of_all, count_nonzero)

static int32_t run_sum(const kiln_call *c) {
  return of_all<sum, int_sum>(c, kiln_dropped(c, 0), false, 0);
}
static int32_t run_prod(const kiln_call *c) {
  return of_all<prod, int_prod>(c, kiln_dropped(c, 0), false, 0);
}

/* norm(x, p, dims, keepdim) */
static int32_t run_norm(const kiln_call *c) {
  const double p = c->attr[0].f;
  const uint32_t drop = kiln_dropped(c, 0);
  return p == 0           ? of_floats<norm0>(c, drop, false, p)
         : p == 1         ? of_floats<norm1>(c, drop, false, p)
         : p == 2         ? of_floats<norm2>(c, drop, false, p)
         : p == INFINITY  ? of_floats<norm_max>(c, drop, false, p)
         : p == -INFINITY ? of_floats<norm_min>(c, drop, false, p)
                          : of_floats<norm_p>(c, drop, false, p);
}

/* var and std (x, dims, unbiased, keepdim, correction) */
static double correction_of(const kiln_call *c) {
  return isnan(c->attr[2].f) ? (double)(c->attr[0].i != 0) : c->attr[2].f;
}
static int32_t run_var(const kiln_call *c) {
  return of_floats<var>(c, kiln_dropped(c, 0), false, correction_of(c));
}
static int32_t run_std(const kiln_call *c) {
  return of_floats<std_>(c, kiln_dropped(c, 0), false, correction_of(c));
}

/* (x, dim, keepdim): positions are counted in the order of x's dims. */
#define ALONG(name)                                                                                \
  static int32_t run_##name(const kiln_call *c) {                                                  \
    const int64_t axis = c->attr[0].i;                                                             \
    return of_all<name>(c, axis == KILN_NONE ? ~0u : 1u << axis, true, 0);                         \
  }
ALONG(argmax)
ALONG(argmin)
ALONG(max_along)
ALONG(min_along)

/* sum_to(x, size): dims that x has in front, and those where size has 1, go away.  A sum of
** integers keeps their type; one of truths is true if any is. */
static int32_t run_sum_to(const kiln_call *c) {
  const kiln_tensor *x = c->in[0], *out = c->out[0];
  const int32_t lead = x->ndim - out->ndim;
  uint32_t drop = 0;
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d < lead || (out->shape[d - lead] == 1 && x->shape[d] != 1))
      drop |= 1u << d;
  }
  return x->dtype == KILN_BOOL ? kiln_reduce<any_true<bool>>(c, drop, false, 0)
                               : of_all<sum>(c, drop, false, 0);
}

const kiln_entry kiln__cuda_reduce[] = {
    {KILN_OP_SUM, KILN_D_SUMS, KILN_K_WIDENS, run_sum},
    {KILN_OP_MEAN, KILN_D_FLOAT | KILN_D_HALF, 0, run_mean},
    {KILN_OP_PROD, KILN_D_SUMS, KILN_K_WIDENS, run_prod},
    {KILN_OP_AMAX, KILN_D_ALL, 0, run_amax},
    {KILN_OP_AMIN, KILN_D_ALL, 0, run_amin},
    {KILN_OP_ALL, KILN_D_ALL, 0, run_all},
    {KILN_OP_ANY, KILN_D_ALL, 0, run_any},
    {KILN_OP_COUNT_NONZERO, KILN_D_ALL, 0, run_count_nonzero},
    {KILN_OP_NORM, KILN_D_FLOAT | KILN_D_HALF, 0, run_norm},
    {KILN_OP_VAR, KILN_D_FLOAT | KILN_D_HALF, 0, run_var},
    {KILN_OP_STD, KILN_D_FLOAT | KILN_D_HALF, 0, run_std},
    {KILN_OP_ARGMAX, KILN_D_ALL, 0, run_argmax},
    {KILN_OP_ARGMIN, KILN_D_ALL, 0, run_argmin},
    {KILN_OP_MAX_ALONG, KILN_D_ALL, 0, run_max_along},
    {KILN_OP_MIN_ALONG, KILN_D_ALL, 0, run_min_along},
    {KILN_OP_SUM_TO, KILN_D_ALL, 0, run_sum_to},
};
const int32_t kiln__cuda_reduce_n = sizeof kiln__cuda_reduce / sizeof *kiln__cuda_reduce;
