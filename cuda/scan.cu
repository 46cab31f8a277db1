/* scan.cu: running sums, products and extremes along a dim, and their gradients.
** What is scanned is a type S with an associative join, so that the threads of a block can share a
** line, and blocks a long one:
**
**   A                     an accumulator, at most 24 bytes
**   start()               joins with a to a
**   load(s, at, k, step)  the accumulator of element k of the line, which lies at `at`
**   join(a, b)            of elements that follow each other
**   store(s, at, a)       writes what everything up to `at` joined to
**
** The order of joining depends on shapes alone.
*/
#include "grid.h"
#include "reduce.h"

/* Lines are outer * inner sequences of n elements, `inner` apart. */
typedef struct scan {
  const void *x, *g, *other; /* g, other: what gradients read besides */
  void *y;
  int64_t *where;
  double *terms;   /* of cumprod's gradient: what is summed, and */
  uint8_t *stands; /* where each element stands */
  int64_t lines, n, inner;
  bool reverse;
  int32_t lanes, columns; /* of a block; the lanes of a column share a line */
  int64_t chunk, chunks;  /* elements of a line in one block; blocks of a line */
  char *carry;            /* [lines][chunks]: what precedes each chunk */
} scan;

/* -- Kernels --------------------------------------------------------------------------------------
 */

/* Place of the first element that is scanned, and how far the next one is. */
KILN_INLINE int64_t first_of(const scan &s, int64_t line, int64_t *step) {
  const int64_t at = line / s.inner * s.n * s.inner + line % s.inner;
  *step = s.reverse ? -s.inner : s.inner;
  return s.reverse ? at + (s.n - 1) * s.inner : at;
}

/* a of this lane joined with those of the lanes before it. */
template <class S>
static __device__ __forceinline__ typename S::A join_before(typename S::A *room, int own, int apart,
                                                            int lane, int lanes, typename S::A a) {
  room[own] = a;
  __syncthreads();
  for (int back = 1; back < lanes; back *= 2) {
    if (lane >= back)
      a = S::join(room[own - back * apart], a);
    __syncthreads();
    room[own] = a;
    __syncthreads();
  }
  return a;
}

/* totals: writes what each chunk joins to into carry, instead of the results. */
template <class S, bool totals> static __global__ void KILN_BOUNDS scan_kernel(const scan s) {
  typedef typename S::A A;
  KILN_DYN_SHARED(A, room);
  const int thread = (int)threadIdx.x;
  const int lane = s.inner == 1 ? thread % s.lanes : thread / s.columns;
  const int column = s.inner == 1 ? thread / s.lanes : thread % s.columns;
  const int64_t line = (int64_t)blockIdx.x * s.columns + column;
  const int64_t from = blockIdx.y * s.chunk, to = from + s.chunk < s.n ? from + s.chunk : s.n;
  const bool here = line < s.lines;
  A *carry = here && s.carry ? (A *)s.carry + line * s.chunks + blockIdx.y : NULL;
  A before = carry && !totals ? *carry : S::start();
  int64_t step;
  const int64_t first = first_of(s, here ? line : 0, &step);
  for (int64_t tile = from; tile < to; tile += s.lanes) {
    const int64_t k = tile + lane, at = first + k * step;
    const bool mine = here && k < to;
    A a = mine ? S::load(s, at, k, step) : S::start(), last = a;
    if (s.lanes > 1) {
      a = join_before<S>(room, lane * s.columns + column, s.columns, lane, s.lanes, a);
      last = room[(s.lanes - 1) * s.columns + column];
      __syncthreads();
    }
    if (mine && !totals)
      S::store(s, at, S::join(before, a));
    before = S::join(before, last);
  }
  if (totals && carry && lane == 0)
    *carry = before;
}

/* Turns what each chunk joins to into what precedes it. */
template <class S> static __global__ void carry_kernel(const scan s) {
  typedef typename S::A A;
  for (int64_t line = kiln_thread(); line < s.lines; line += kiln_stride()) {
    A *carry = (A *)s.carry + line * s.chunks, before = S::start();
    for (int64_t i = 0; i < s.chunks; i++) {
      const A total = carry[i];
      carry[i] = before;
      before = S::join(before, total);
    }
  }
}

/* -- What is scanned ------------------------------------------------------------------------------
 */

/* Sums and products; of halves in float. */
template <class T_, bool product> struct fold {
  typedef T_ T;
  typedef KILN_V(T) A;
  KILN_INLINE A start() { return product ? 1 : 0; }
  KILN_INLINE A load(const scan &s, int64_t at, int64_t, int64_t) {
    return kiln_type<T>::load(((const T *)s.x)[at]);
  }
  KILN_INLINE A join(A a, A b) { return product ? a * b : a + b; }
  KILN_INLINE void store(const scan &s, int64_t at, A a) {
    ((T *)s.y)[at] = kiln_type<T>::store(a);
  }
};
template <class T> struct cumsum : fold<T, false> {};
template <class T> struct cumprod : fold<T, true> {};

template <class V> struct best {
  V v;
  int64_t at; /* -1: nothing */
};

/* The largest or smallest so far and its position; of equals the last, NaN stays. */
template <class T_, bool smallest> struct extreme {
  typedef T_ T;
  typedef KILN_V(T) V;
  typedef best<V> A;
  KILN_INLINE A start() {
    const A a = {0, -1};
    return a;
  }
  KILN_INLINE A load(const scan &s, int64_t at, int64_t k, int64_t) {
    const A a = {kiln_type<T>::load(((const T *)s.x)[at]), k};
    return a;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    if (a.at < 0 || b.at < 0)
      return a.at < 0 ? b : a;
    const bool a_is_nan = kiln_is_nan(a.v), b_is_nan = kiln_is_nan(b.v);
    const bool take = b_is_nan || (!a_is_nan && (smallest ? b.v <= a.v : b.v >= a.v));
    return take ? b : a;
  }
  KILN_INLINE void store(const scan &s, int64_t at, const A &a) {
    ((T *)s.y)[at] = kiln_type<T>::store(a.v);
    s.where[at] = a.at + KILN_INDEX_BASE;
  }
};
template <class T> struct cummax : extreme<T, false> {};
template <class T> struct cummin : extreme<T, true> {};

template <class T> struct logcumsumexp {
  typedef T A;
  KILN_INLINE A start() { return (T)-INFINITY; }
  KILN_INLINE A load(const scan &s, int64_t at, int64_t, int64_t) { return ((const T *)s.x)[at]; }
  KILN_INLINE A join(A a, A b) {
    const T high = a > b ? a : b, low = a > b ? b : a;
    if (kiln_is_nan(a) || kiln_is_nan(b))
      return a + b;
    /* infinities of one sign have no difference */
    return kiln_is_nan(high - low) ? high : high + kiln_log1p(kiln_exp(low - high));
  }
  KILN_INLINE void store(const scan &s, int64_t at, A a) { ((T *)s.y)[at] = a; }
};

/* exp(a - b) where a = b may be infinite. */
template <class T> KILN_INLINE T ratio(T a, T b) { return a == b ? (T)1 : kiln_exp(a - b); }

/* What comes before is multiplied by `scale`, then `sum` added. */
template <class T> struct affine { T scale, sum; };

template <class T> struct recurrence {
  typedef affine<T> A;
  KILN_INLINE A start() {
    const A a = {1, 0};
    return a;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    const A c = {a.scale * b.scale, a.sum * b.scale + b.sum};
    return c;
  }
};

/* Gradient of logcumsumexp, sum over i >= k of g_i exp(x_k - y_i), scanned from its end: no factor
** exceeds 1, so nothing overflows. */
template <class T> struct logcumsumexp_dx : recurrence<T> {
  typedef affine<T> A;
  KILN_INLINE A load(const scan &s, int64_t at, int64_t k, int64_t step) {
    const T *y = (const T *)s.other;
    const A a = {k == 0 ? (T)0 : ratio(y[at], y[at - step]), ((const T *)s.g)[at]};
    return a;
  }
  KILN_INLINE void store(const scan &s, int64_t at, const A &a) {
    ((T *)s.y)[at] = a.sum * ratio(((const T *)s.x)[at], ((const T *)s.other)[at]);
  }
};

/* What logcumsumexp does to a small change g of x: sum over k <= i of g_k exp(x_k - y_i). */
template <class T> struct logcumsumexp_jvp : recurrence<T> {
  typedef affine<T> A;
  KILN_INLINE A load(const scan &s, int64_t at, int64_t k, int64_t step) {
    const T *y = (const T *)s.other;
    const A a = {k == 0 ? (T)0 : ratio(y[at - step], y[at]),
                 ((const T *)s.g)[at] * ratio(((const T *)s.x)[at], y[at])};
    return a;
  }
  KILN_INLINE void store(const scan &s, int64_t at, const A &a) { ((T *)s.y)[at] = a.sum; }
};

/* -- Gradient of cumprod --------------------------------------------------------------------------
** Exact where x has zeros: before the first zero the terms are g * y / x; at it, what the products
** would be without it; after it nothing arrives.  One scan makes the terms, another, from the end,
** their sums.
*/

/* Where an element stands. */
enum { BEFORE_ZERO, AT_ZERO, BEHIND_ZERO };

/* The product of all but the first zero, and the positions of that zero and of the last element, or
** -1. */
typedef struct partial_product {
  double v;
  int64_t zero, last;
} partial_product;

template <class T> struct cumprod_terms {
  typedef partial_product A;
  KILN_INLINE A start() {
    const A a = {1, -1, -1};
    return a;
  }
  KILN_INLINE A load(const scan &s, int64_t at, int64_t k, int64_t) {
    const double x = (double)((const T *)s.x)[at];
    const A a = {x == 0 ? 1 : x, x == 0 ? k : -1, k};
    return a;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    const A c = {a.zero >= 0 && b.zero >= 0 ? 0 : a.v * b.v, a.zero >= 0 ? a.zero : b.zero,
                 b.last >= 0 ? b.last : a.last};
    return c;
  }
  KILN_INLINE void store(const scan &s, int64_t at, const A &a) {
    const double g = (double)((const T *)s.g)[at];
    s.stands[at] = a.zero < 0 ? BEFORE_ZERO : a.zero == a.last ? AT_ZERO : BEHIND_ZERO;
    if (a.zero < 0)
      s.terms[at] = g * (double)(T)a.v;
    else
      s.terms[at] = a.v == 0 ? 0 : g * a.v;
  }
};

/* A sum that begins anew where `anew` is set. */
typedef struct partial_sum {
  double v;
  bool anew;
} partial_sum;

template <class T> struct cumprod_dx {
  typedef partial_sum A;
  KILN_INLINE A start() {
    const A a = {0, false};
    return a;
  }
  KILN_INLINE A load(const scan &s, int64_t at, int64_t k, int64_t step) {
    const A a = {s.terms[at],
                 k > 0 && s.stands[at] == BEFORE_ZERO && s.stands[at - step] == AT_ZERO};
    return a;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    const A c = {b.anew ? b.v : a.v + b.v, a.anew || b.anew};
    return c;
  }
  KILN_INLINE void store(const scan &s, int64_t at, const A &a) {
    const double x = (double)((const T *)s.x)[at];
    const uint8_t stands = s.stands[at];
    ((T *)s.y)[at] = (T)(stands == BEFORE_ZERO ? a.v / x : stands == AT_ZERO ? a.v : 0);
  }
};

/* -- The host's part ------------------------------------------------------------------------------
 */

static scan scan_of(const kiln_call *c, bool reverse) {
  const kiln_tensor *x = c->in[c->n_in > 1 ? 1 : 0]; /* gradients: (g, x, ...) */
  scan s = {};
  s.x = kiln__data(x);
  s.g = kiln__data(c->in[0]);
  s.other = kiln__data(c->in[c->n_in - 1]);
  s.y = kiln__data(c->out[0]);
  s.where = c->n_out > 1 ? (int64_t *)kiln__data(c->out[1]) : NULL;
  s.n = s.inner = s.lines = s.chunks = 1;
  s.reverse = reverse;
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d == c->attr[0].i) {
      s.n = x->shape[d];
      continue;
    }
    s.lines *= x->shape[d];
    if (d > c->attr[0].i)
      s.inner *= x->shape[d];
  }
  return s;
}

/* How blocks share the work: a thread takes whole lines where there are many and neighbours lie
** side by side; else lanes share them. */
static void divide(scan *s) {
  const int64_t many_lines = 4096, enough_blocks = 256, least_chunk = 4096;
  const int64_t wanted = kiln_power_of_2(s->n), lines = kiln_power_of_2(s->lines);
  int64_t lanes = wanted < KILN_BLOCK ? wanted : KILN_BLOCK;
  if (s->inner > 1 && s->lines >= many_lines)
    lanes = 1;
  int64_t columns = lines < KILN_BLOCK / lanes ? lines : KILN_BLOCK / lanes;
  const int64_t blocks = (s->lines + columns - 1) / columns;
  int64_t chunks = (s->n + least_chunk - 1) / least_chunk;
  if (lanes == 1)
    chunks = 1;
  else if (chunks > enough_blocks / blocks + 1)
    chunks = enough_blocks / blocks + 1;
  s->lanes = (int32_t)lanes;
  s->columns = (int32_t)columns;
  s->chunk = (s->n + chunks - 1) / chunks;
  s->chunks = (s->n + s->chunk - 1) / s->chunk;
}

template <class S> static int32_t run(scan s, int32_t device) {
  if (s.n == 0 || s.lines == 0)
    return KILN_OK;
  divide(&s);
  void *stream = kiln__cuda_stream(device);
  const int64_t bytes = s.lines * s.chunks * (int64_t)sizeof(typename S::A);
  const int threads = s.lanes * s.columns;
  const size_t room = (size_t)threads * sizeof(typename S::A);
  const dim3 grid((unsigned)((s.lines + s.columns - 1) / s.columns), (unsigned)s.chunks);
  int32_t status = KILN_OK;
  if (s.chunks > 1) {
    s.carry = (char *)kiln__scratch(device, bytes);
    if (!s.carry)
      return KILN_ENOMEM;
    KILN_LAUNCH((scan_kernel<S, true>), grid, threads, room, stream, s);
    status = kiln__cuda_launched("scan");
    if (status == KILN_OK) {
      KILN_LAUNCH(carry_kernel<S>, kiln_grid(s.lines), KILN_BLOCK, 0, stream, s);
      status = kiln__cuda_launched("scan");
    }
  }
  if (status == KILN_OK) {
    KILN_LAUNCH((scan_kernel<S, false>), grid, threads, room, stream, s);
    status = kiln__cuda_launched("scan");
  }
  if (s.carry)
    kiln__scratch_free(device, s.carry, bytes);
  return status;
}

#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    return run<S<T>>(s, c->in[0]->device);

template <template <class> class S> static int32_t of_floats(const kiln_call *c, const scan &s) {
  switch (c->in[0]->dtype) { KILN_FLOAT_TYPES(CASE) }
  return KILN_OK;
}
/* Integers come as int64. */
template <template <class> class S> static int32_t of_sums(const kiln_call *c, const scan &s) {
  switch (c->in[0]->dtype) {
    KILN_FLOAT_TYPES(CASE)
    KILN_HALF_TYPES(CASE)
    CASE(KILN_INT64, int64_t)
  }
  return KILN_OK;
}
template <template <class> class S> static int32_t of_all(const kiln_call *c, const scan &s) {
  switch (c->in[0]->dtype) { KILN_ALL_TYPES(CASE) }
  return KILN_OK;
}
#undef CASE

/* run_NAME: `reverse` may read r, the row's second attribute. */
#define SCAN(name, types, reverse)                                                                 \
  static int32_t run_##name(const kiln_call *c) {                                                  \
    const bool r = c->attr[1].i != 0;                                                              \
    (void)r;                                                                                       \
    return types<name>(c, scan_of(c, reverse));                                                    \
  }
SCAN(cumsum, of_sums, r)
SCAN(cumprod, of_sums, r)
SCAN(cummax, of_all, false)
SCAN(cummin, of_all, false)
SCAN(logcumsumexp, of_floats, r)
SCAN(logcumsumexp_dx, of_floats, !r)
SCAN(logcumsumexp_jvp, of_floats, r)

static int32_t run_cumprod_dx(const kiln_call *c) {
  const bool reverse = c->attr[1].i != 0;
  const int64_t n = c->in[0]->numel;
  kiln_job j = kiln__job("cumprod_dx", c->in[0]->device);
  scan s = scan_of(c, reverse);
  s.terms = (double *)kiln__job_take(&j, n * (int64_t)sizeof *s.terms);
  s.stands = (uint8_t *)kiln__job_take(&j, n);
  if (j.status == KILN_OK)
    j.status = of_floats<cumprod_terms>(c, s);
  s.reverse = !reverse;
  if (j.status == KILN_OK)
    j.status = of_floats<cumprod_dx>(c, s);
  return kiln__job_end(&j);
}

const kiln_entry kiln__cuda_scan[] = {
    {KILN_OP_CUMSUM, KILN_D_SUMS, KILN_K_CONTIGUOUS, run_cumsum},
    {KILN_OP_CUMPROD, KILN_D_SUMS, KILN_K_CONTIGUOUS, run_cumprod},
    {KILN_OP_CUMPROD_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, run_cumprod_dx},
    {KILN_OP_LOGCUMSUMEXP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, run_logcumsumexp},
    {KILN_OP_LOGCUMSUMEXP_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, run_logcumsumexp_dx},
    {KILN_OP_LOGCUMSUMEXP_JVP, KILN_D_FLOAT, KILN_K_CONTIGUOUS, run_logcumsumexp_jvp},
    {KILN_OP_CUMMAX, KILN_D_ALL, KILN_K_CONTIGUOUS, run_cummax},
    {KILN_OP_CUMMIN, KILN_D_ALL, KILN_K_CONTIGUOUS, run_cummin},
};
const int32_t kiln__cuda_scan_n = sizeof kiln__cuda_scan / sizeof *kiln__cuda_scan;
