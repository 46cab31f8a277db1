/* choice.cu: permutations and draws by weight, with the CPU's results.
** Compiled without contraction into FMA, like random.cu.
*/
#include "choice.h"
#include "grid.h"
#include "reduce.h"

#include "../core/random.h"

#include <stdlib.h>

/* -- Permutations ---------------------------------------------------------------------------------
 */

/* Shuffles 1..n (Fisher and Yates): each step depends on those before it, so the host does it. */
int32_t kiln__cuda_randperm(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  const int64_t n = out->numel;
  if (n == 0)
    return KILN_OK;
  if (kiln__cuda_may_wait("randperm") < 0)
    return KILN_EARG;
  int64_t *p = (int64_t *)malloc((size_t)n * sizeof *p);
  void *typed = malloc((size_t)(n * kiln__size_of(out->dtype)));
  int32_t status = KILN_ENOMEM;
  if (p && typed) {
    for (int64_t i = 0; i < n; i++)
      p[i] = i + 1;
    for (int64_t i = n - 1; i >= 0; i--) {
      const uint64_t x = kiln_rn_long(c->seed, c->sequence, (uint64_t)(n - 1 - i));
      const uint64_t k = kiln_rn_below(x, (uint64_t)(i + 1));
      const int64_t other = p[k];
      p[k] = p[i];
      p[i] = other;
    }
    kiln_convert(typed, out->dtype, p, KILN_INT64, n);
    /* pageable memory is read before the call returns */
    cudaMemcpyAsync(kiln__data(out), typed, (size_t)(n * kiln__size_of(out->dtype)),
                    cudaMemcpyHostToDevice, (cudaStream_t)kiln__cuda_stream(out->device));
    status = kiln__cuda_launched("randperm");
  } else {
    kiln_fail(KILN_ENOMEM, "randperm: out of memory for %lld positions", (long long)n);
  }
  free(p);
  free(typed);
  return status;
}

/* -- Multinomial ----------------------------------------------------------------------------------
 */

typedef struct multinomial_call {
  const void *x; /* weights [rows][k] */
  int32_t dtype;
  int64_t rows, k, draws;
  bool replacement;
  kiln_rng rng;
  double *w;     /* [rows][k]: running sums of the weights, or arrivals (NaN: never) */
  int64_t *last; /* [rows]: position of the last weight above 0 */
  int64_t *y;    /* [rows][draws] */
  kiln_blame weight, usable;
} multinomial_call;

/* A thread a row: sums in the CPU's order, and what is wrong with the weights. */
static __global__ void sum_kernel(const multinomial_call m) {
  KILN_EACH(row, m.rows) {
    double sum = 0;
    int64_t usable = 0, last = 0;
    for (int64_t i = 0; i < m.k; i++) {
      const double w = kiln__element(m.x, m.dtype, row * m.k + i);
      if (!(w >= 0) || isinf(w))
        kiln_complain_real(m.weight, w, row * m.k + i);
      if (w > 0) {
        usable++;
        last = i;
      }
      sum += w;
      if (m.replacement)
        m.w[row * m.k + i] = sum;
    }
    m.last[row] = last;
    if (m.draws > usable && (!m.replacement || usable == 0))
      kiln_complain(m.usable, usable, row);
  }
}

/* A thread a draw: the position of the first running sum above a share of the total; a weight of 0
** never is. */
static __global__ void draw_kernel(const multinomial_call m) {
  const kiln_rng r = kiln_rng_now(m.rng);
  KILN_EACH(j, m.rows * m.draws) {
    const int64_t row = j / m.draws;
    const double *sums = m.w + row * m.k;
    const double u = kiln_rn_unit64(kiln_rn_long(r.seed, r.sequence, (uint64_t)j));
    const double v = u * sums[m.k - 1];
    int64_t low = 0, high = m.last[row];
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (sums[middle] > v)
        high = middle;
      else
        low = middle + 1;
    }
    m.y[j] = low + KILN_INDEX_BASE;
  }
}

/* Exponential draws with the weights as rates: the smallest are drawn first (Efraimidis and
** Spirakis). */
static __global__ void arrival_kernel(const multinomial_call m) {
  const kiln_rng r = kiln_rng_now(m.rng);
  KILN_EACH(i, m.rows * m.k) {
    const double w = kiln__element(m.x, m.dtype, i);
    const uint64_t x = kiln_rn_long(r.seed, r.sequence, (uint64_t)i);
    m.w[i] = w > 0 ? kiln_rn_exponential(x, w) : NAN;
  }
}

typedef struct arrival {
  double when;
  int64_t which; /* -1: nobody */
} arrival;

KILN_INLINE bool is_before(const arrival &a, const arrival &b) {
  return a.when < b.when || (a.when == b.when && a.which < b.which);
}

struct first_arrival {
  typedef arrival A;
  KILN_INLINE A join(const A &a, const A &b) {
    if (a.which < 0 || b.which < 0)
      return a.which < 0 ? b : a;
    return is_before(a, b) ? a : b;
  }
};

/* A block a row: who comes first, who comes first after that, ... */
static __global__ void KILN_BOUNDS choose_kernel(const multinomial_call m) {
  KILN_DYN_SHARED(arrival, room);
  const int lane = (int)threadIdx.x, lanes = (int)blockDim.x;
  const int64_t row = blockIdx.x;
  arrival before = {-1, -1};
  for (int64_t j = 0; j < m.draws; j++) {
    arrival next = {0, -1};
    for (int64_t i = lane; i < m.k; i += lanes) {
      const arrival a = {m.w[row * m.k + i], i};
      if (a.when == a.when && is_before(before, a))
        next = first_arrival::join(next, a);
    }
    next = kiln_join_lanes<first_arrival>(room, lane, 1, lane, lanes, next);
    before = lanes > 1 ? room[0] : next;
    __syncthreads();
    if (lane == 0)
      m.y[row * m.draws + j] = (before.which < 0 ? 0 : before.which) + KILN_INDEX_BASE;
  }
}

int32_t kiln__cuda_multinomial(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  kiln_job j = kiln__job("multinomial", x->device);
  multinomial_call m = {};
  m.x = kiln__data(x);
  m.dtype = x->dtype;
  m.k = x->shape[x->ndim - 1];
  m.rows = x->ndim == 2 ? x->shape[0] : 1;
  m.draws = c->attr[0].i;
  m.replacement = c->attr[1].i != 0;
  m.rng = kiln__rng_of(c);
  m.y = (int64_t *)kiln__data(c->out[0]);
  if (m.rows == 0)
    return KILN_OK;
  kiln_tensor rows = {};
  rows.device = x->device;
  rows.ndim = 1;
  rows.shape[0] = m.rows;
  m.weight = kiln__cuda_blame("multinomial", "weight", x, 0, INT64_MAX);
  m.weight.about.real = true;
  m.usable = kiln__cuda_blame("multinomial", "number of weights above 0,", &rows,
                              m.replacement ? 1 : m.draws, m.k);
  m.w = (double *)kiln__job_take(&j, m.rows * m.k * (int64_t)sizeof *m.w);
  m.last = (int64_t *)kiln__job_take(&j, m.rows * (int64_t)sizeof *m.last);
  KILN_RUN(&j, sum_kernel, m.rows, m);
  if (m.replacement) {
    KILN_RUN(&j, draw_kernel, m.rows * m.draws, m);
  } else {
    const int64_t wanted = kiln_power_of_2(m.k);
    const int lanes = (int)(wanted < KILN_BLOCK ? wanted : KILN_BLOCK);
    KILN_RUN(&j, arrival_kernel, m.rows * m.k, m);
    if (j.status == KILN_OK && m.draws > 0) {
      KILN_LAUNCH(choose_kernel, (unsigned)m.rows, lanes, lanes * sizeof(arrival), j.stream, m);
      j.status = kiln__cuda_launched("multinomial");
    }
  }
  return kiln__job_end(&j);
}
