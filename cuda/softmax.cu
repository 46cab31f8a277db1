/* softmax.cu: softmax, log_softmax, their gradients, logsumexp. */
#include "reduce.h"

/* -- logsumexp: a reduction -----------------------------------------------------------------------
** The largest element so far and the sum of exp(element - it); where that is infinite or NaN the
** sum does not matter. */

template <class V> struct scaled_sum { V most, sum; };

template <class T_> struct log_sum_exp {
  typedef T_ T;
  typedef KILN_V(T) V;
  typedef scaled_sum<V> A;
  KILN_INLINE A start() {
    const A a = {(V)-INFINITY, 0};
    return a;
  }
  KILN_INLINE A value(T x, int64_t, double) {
    const A a = {kiln_type<T>::load(x), 1};
    return a;
  }
  KILN_INLINE A join(const A &a, const A &b) {
    const bool first = a.most > b.most || kiln_is_nan(a.most);
    const A &high = first ? a : b, &low = first ? b : a;
    const V scale = high.most == low.most ? (V)1 : kiln_exp(low.most - high.most);
    const A c = {high.most, high.sum + low.sum * scale};
    return c;
  }
  KILN_INLINE void finish(const kiln_reduction &w, int64_t i, const A &a) {
    ((T *)w.out[0])[i] = kiln_type<T>::store(a.most + kiln_log(a.sum));
  }
};

/* -- Along a dim ----------------------------------------------------------------------------------
 */

/* y from x [outer, n, inner]; a gradient's x is the output of the op.  A block is lanes times
** columns: the lanes of a column share a line. */
typedef struct softmax_job {
  const void *x, *g;
  void *y;
  int64_t lines, n, inner;
  int32_t lanes, columns;
} softmax_job;

/* What a thread works on. */
template <class T> struct line {
  typedef KILN_V(T) V;
  const T *x, *g;
  T *y;
  int64_t n, step;
  int lane, lanes;
  V *room; /* shared memory: this thread's place; of the next lane's: `apart` further */
  int apart;
  KILN_INLINE V at(const T *p, int64_t i) { return kiln_type<T>::load(p[i]); }
};

template <class V_> struct largest {
  typedef V_ A;
  KILN_INLINE A join(A a, A b) { return a > b ? a : b; }
};
template <class V_> struct total {
  typedef V_ A;
  KILN_INLINE A join(A a, A b) { return a + b; }
};

/* What all lanes of the line joined to, in each of them. */
template <class R, class T>
static __device__ __forceinline__ KILN_V(T) over_lanes(const line<T> &l, KILN_V(T) a) {
  const int own = l.lane * l.apart;
  if (l.lanes == 1)
    return a;
  kiln_join_lanes<R>(l.room - own, own, l.apart, l.lane, l.lanes, a);
  a = *(l.room - own);
  __syncthreads();
  return a;
}

template <class T> static __device__ __forceinline__ KILN_V(T) line_max(const line<T> &l) {
  KILN_V(T) most = -INFINITY;
  for (int64_t k = l.lane; k < l.n; k += l.lanes)
    most = largest<KILN_V(T)>::join(most, l.at(l.x, k * l.step));
  return over_lanes<largest<KILN_V(T)>>(l, most);
}

template <class T>
static __device__ __forceinline__ KILN_V(T) line_sum_exp(const line<T> &l, KILN_V(T) most) {
  KILN_V(T) sum = 0;
  for (int64_t k = l.lane; k < l.n; k += l.lanes)
    sum += kiln_exp(l.at(l.x, k * l.step) - most);
  return over_lanes<total<KILN_V(T)>>(l, sum);
}

/* Each rule writes the whole line. */
template <class T> struct softmax_rule {
  KILN_INLINE void run(const line<T> &l) {
    const KILN_V(T) most = line_max(l), scale = 1 / line_sum_exp(l, most);
    for (int64_t k = l.lane; k < l.n; k += l.lanes) {
      l.y[k * l.step] = kiln_type<T>::store(kiln_exp(l.at(l.x, k * l.step) - most) * scale);
    }
  }
};
template <class T> struct log_softmax_rule {
  KILN_INLINE void run(const line<T> &l) {
    const KILN_V(T) most = line_max(l), rest = kiln_log(line_sum_exp(l, most));
    for (int64_t k = l.lane; k < l.n; k += l.lanes)
      l.y[k * l.step] = kiln_type<T>::store(l.at(l.x, k * l.step) - most - rest);
  }
};
template <class T> struct softmax_dx_rule {
  KILN_INLINE void run(const line<T> &l) {
    KILN_V(T) sum = 0;
    for (int64_t k = l.lane; k < l.n; k += l.lanes)
      sum += l.at(l.g, k * l.step) * l.at(l.x, k * l.step);
    sum = over_lanes<total<KILN_V(T)>>(l, sum);
    for (int64_t k = l.lane; k < l.n; k += l.lanes) {
      l.y[k * l.step] = kiln_type<T>::store(l.at(l.x, k * l.step) * (l.at(l.g, k * l.step) - sum));
    }
  }
};
template <class T> struct log_softmax_dx_rule {
  KILN_INLINE void run(const line<T> &l) {
    KILN_V(T) sum = 0;
    for (int64_t k = l.lane; k < l.n; k += l.lanes)
      sum += l.at(l.g, k * l.step);
    sum = over_lanes<total<KILN_V(T)>>(l, sum);
    for (int64_t k = l.lane; k < l.n; k += l.lanes) {
      l.y[k * l.step] =
          kiln_type<T>::store(l.at(l.g, k * l.step) - kiln_exp(l.at(l.x, k * l.step)) * sum);
    }
  }
};

template <template <class> class Rule, class T>
static __global__ void KILN_BOUNDS softmax_kernel(const softmax_job j) {
  KILN_DYN_SHARED(KILN_V(T), room);
  const int thread = (int)threadIdx.x;
  line<T> l;
  l.lane = j.inner == 1 ? thread % j.lanes : thread / j.columns;
  const int column = j.inner == 1 ? thread / j.lanes : thread % j.columns;
  const int64_t i = (int64_t)blockIdx.x * j.columns + column;
  const int64_t first = i / j.inner * j.n * j.inner + i % j.inner;
  l.x = (const T *)j.x + first;
  l.g = (const T *)j.g + first;
  l.y = (T *)j.y + first;
  l.n = i < j.lines ? j.n : 0; /* lanes without a line take part in joining */
  l.step = j.inner;
  l.lanes = j.lanes;
  l.apart = j.columns;
  l.room = room + l.lane * j.columns + column;
  Rule<T>::run(l);
}

template <template <class> class Rule> static int32_t along(const kiln_call *c) {
  const int64_t each_lane = 4;
  const kiln_tensor *x = c->in[c->n_in - 1];
  const int32_t dim = (int32_t)c->attr[0].i;
  softmax_job j = {};
  if (x->numel == 0)
    return KILN_OK;
  j.x = kiln__data(x);
  j.g = kiln__data(c->in[0]);
  j.y = kiln__data(c->out[0]);
  j.n = x->ndim > 0 ? x->shape[dim] : 1;
  j.inner = 1;
  for (int32_t d = dim + 1; d < x->ndim; d++)
    j.inner *= x->shape[d];
  j.lines = x->numel / j.n;
  const int64_t shares = kiln_power_of_2((j.n + each_lane - 1) / each_lane);
  const int64_t most = j.inner == 1 ? KILN_BLOCK : KILN_BLOCK / 32,
                lines = kiln_power_of_2(j.lines);
  j.lanes = (int32_t)(shares < most ? shares : most);
  j.columns = (int32_t)(lines < KILN_BLOCK / j.lanes ? lines : KILN_BLOCK / j.lanes);
  const unsigned grid = (unsigned)((j.lines + j.columns - 1) / j.columns);
  const int threads = j.lanes * j.columns;
  void *stream = kiln__cuda_stream(x->device);
  switch (x->dtype) {
#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    KILN_LAUNCH((softmax_kernel<Rule, T>), grid, threads, threads * sizeof(KILN_V(T)), stream, j); \
    break;
    KILN_FLOAT_TYPES(CASE)
    KILN_HALF_TYPES(CASE)
#undef CASE
  }
  return kiln__cuda_launched("softmax");
}

static int32_t logsumexp(const kiln_call *c) {
  const uint32_t drop = kiln_dropped(c, 0);
  switch (c->in[0]->dtype) {
#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    return kiln_reduce<log_sum_exp<T>>(c, drop, false, 0);
    KILN_FLOAT_TYPES(CASE)
    KILN_HALF_TYPES(CASE)
#undef CASE
  }
  return KILN_OK;
}

#define FLOATS (KILN_D_FLOAT | KILN_D_HALF)
const kiln_entry kiln__cuda_softmax[] = {
    {KILN_OP_SOFTMAX, FLOATS, KILN_K_CONTIGUOUS, along<softmax_rule>},
    {KILN_OP_LOG_SOFTMAX, FLOATS, KILN_K_CONTIGUOUS, along<log_softmax_rule>},
    {KILN_OP_LOGSUMEXP, FLOATS, 0, logsumexp},
    {KILN_OP_SOFTMAX_DX, FLOATS, KILN_K_CONTIGUOUS, along<softmax_dx_rule>},
    {KILN_OP_LOG_SOFTMAX_DX, FLOATS, KILN_K_CONTIGUOUS, along<log_softmax_dx_rule>},
};
const int32_t kiln__cuda_softmax_n = sizeof kiln__cuda_softmax / sizeof *kiln__cuda_softmax;
