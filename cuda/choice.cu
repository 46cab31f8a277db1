/* choice.cu: permutations and draws by weight, with the CPU's results.
** Compiled without contraction into FMA, like random.cu.
*/
#include "choice.h"
#include "grid.h"
#include "order.h"
#include "reduce.h"

#include "../core/random.h"

/* -- Permutations ---------------------------------------------------------------------------------
 */

/* What the CPU's shuffle of 1..n (Fisher and Yates) makes, without its order of steps.  Step i,
** from n - 1 down to 0, gives place i what place k[i] <= i holds, and place k[i] what place i held.
** So a place holds what the last step before that chose it put there, which is the lowest one
** above, and that is what another place held.  Entries (k[i], i), sorted by k, answer which. */
static __global__ void draw_places_kernel(kiln_rng rng, kiln_entries e, int64_t n) {
  const kiln_rng r = kiln_rng_now(rng);
  KILN_EACH(i, n) {
    const uint64_t x = kiln_rn_long(r.seed, r.sequence, (uint64_t)(n - 1 - i));
    e.key[i] = kiln_rn_below(x, (uint64_t)(i + 1));
    e.place[i] = i;
  }
}

/* The lowest step above `place` that chose it, or -1. */
static __device__ inline int64_t step_into(const kiln_entries &e, int64_t n, int64_t place) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const int64_t key = (int64_t)e.key[middle];
    if (key < place || (key == place && e.place[middle] <= place))
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && (int64_t)e.key[low] == place ? e.place[low] : -1;
}

/* A thread an entry: follows the steps back to a place that no step had chosen. */
template <class T>
static __global__ void permutation_kernel(const kiln_entries e, int64_t n, T *y) {
  KILN_EACH(j, n) {
    const bool again = j + 1 < n && e.key[j + 1] == e.key[j];
    int64_t place = (int64_t)e.key[j];
    for (int64_t step = again ? e.place[j + 1] : -1; step >= 0; step = step_into(e, n, place))
      place = step;
    y[e.place[j]] = kiln_type<T>::store((KILN_V(T))(place + 1));
  }
}

#define PERMUTATION(label, T)                                                                      \
  case label:                                                                                      \
    KILN_RUN(&j, permutation_kernel<T>, n, e, n, (T *)kiln__data(out));                            \
    break;

int32_t kiln__cuda_randperm(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  const int64_t n = out->numel;
  kiln_job j = kiln__job("randperm", out->device);
  if (n > 0) {
    kiln_entries e = kiln__cuda_entries(&j, n);
    KILN_RUN(&j, draw_places_kernel, n, kiln__rng_of(c), e, n);
    e = kiln__cuda_order(&j, e, 1, n, kiln__bits_below(n));
    switch (out->dtype) {
      KILN_FLOAT_TYPES(PERMUTATION)
      KILN_HALF_TYPES(PERMUTATION)
      KILN_INT_TYPES(PERMUTATION)
    }
  }
  return kiln__job_end(&j);
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
  double *root;  /* [rows]: see kiln_rn_root */
  int64_t *last; /* [rows]: position of the last weight above 0 */
  int64_t *y;    /* [rows][draws] */
  kiln_blame weight, usable;
} multinomial_call;

/* Weights of a lane: their sum, the largest, how many are above 0, and where the last of these is
** (or -1). */
typedef struct share {
  double sum, most;
  int64_t usable, last;
} share;

/* Running sums, and what is wrong with the weights.  The lanes of a row have a chunk each; the
** first one adds the chunks up.  Sums never fall, and a weight of 0 adds nothing, whatever was
** rounded: the last weight above 0 of a chunk brings its sum to where the next chunk begins.  A row
** of one chunk has the CPU's sums. */
static __global__ void KILN_BOUNDS sum_kernel(const multinomial_call m, int lanes, int64_t chunk) {
  KILN_DYN_SHARED(share, room);
  const int lane = (int)threadIdx.x % lanes;
  const int64_t row = (int64_t)blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  share *const chunks = room + (threadIdx.x - lane);
  const int64_t from = lane * chunk < m.k ? row * m.k + lane * chunk : (row + 1) * m.k;
  const int64_t end_of_row = row < m.rows ? (row + 1) * m.k : from;
  const int64_t to = from + chunk < end_of_row ? from + chunk : end_of_row;
  share mine = {0, 0, 0, -1};
  for (int64_t i = from; i < to; i++) {
    const double w = kiln__element(m.x, m.dtype, i);
    if (!(w >= 0) || isinf(w))
      kiln_complain_real(m.weight, w, i);
    if (w > 0) {
      mine.usable++;
      mine.last = i;
      mine.most = w > mine.most ? w : mine.most;
    }
  }
  chunks[lane] = mine;
  __syncthreads();
  if (lane == 0 && row < m.rows) {
    share all = {0, 0, 0, row * m.k};
    for (int l = 0; l < lanes; l++) {
      const share part = chunks[l];
      all.most = part.most > all.most ? part.most : all.most;
      all.usable += part.usable;
      if (part.last >= 0)
        all.last = part.last;
    }
    m.root[row] = kiln_rn_root(all.most, m.replacement);
    m.last[row] = all.last - row * m.k;
    if (m.draws > all.usable && (!m.replacement || all.usable == 0))
      kiln_complain(m.usable, all.usable, row);
  }
  __syncthreads();
  if (!m.replacement)
    return;
  const double root = row < m.rows ? m.root[row] : 0;
  for (int64_t i = from; i < to; i++)
    mine.sum += kiln__element(m.x, m.dtype, i) * root * root;
  chunks[lane].sum = mine.sum;
  __syncthreads();
  double sum = 0;
  for (int l = 0; l < lane; l++)
    sum += chunks[l].sum;
  const double end = sum + mine.sum;
  for (int64_t i = from; i < to; i++) {
    sum += kiln__element(m.x, m.dtype, i) * root * root;
    m.w[i] = i >= mine.last || sum > end ? end : sum;
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
    const double root = m.root[i / m.k], w = kiln__element(m.x, m.dtype, i) * root * root;
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

static void sum_rows(kiln_job *j, const multinomial_call &m) {
  const int64_t least_chunk = 32;
  const int64_t wanted = kiln_power_of_2((m.k + least_chunk - 1) / least_chunk);
  const int lanes = (int)(wanted < KILN_BLOCK ? wanted : KILN_BLOCK);
  const int64_t rows = kiln_power_of_2(m.rows);
  const int columns = (int)(rows < KILN_BLOCK / lanes ? rows : KILN_BLOCK / lanes);
  if (j->status != KILN_OK)
    return;
  KILN_LAUNCH(sum_kernel, (unsigned)((m.rows + columns - 1) / columns), lanes * columns,
              lanes * columns * sizeof(share), j->stream, m, lanes, (m.k + lanes - 1) / lanes);
  j->status = kiln__cuda_launched("multinomial");
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
  m.root = (double *)kiln__job_take(&j, m.rows * (int64_t)sizeof *m.root);
  m.last = (int64_t *)kiln__job_take(&j, m.rows * (int64_t)sizeof *m.last);
  sum_rows(&j, m);
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
