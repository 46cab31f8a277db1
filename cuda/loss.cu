/* loss.cu: losses over classes.  x is [n, classes, inner], targets [n, inner]; row r is
** (r / inner, r % inner).  A target that is no class is complained of, and its row counts nothing.
*/
#include "block.h"
#include "grid.h"

enum { SMOOTHING, IGNORE, REDUCTION }; /* attributes */
enum { MEAN, SUM, NONE };              /* reductions */
enum {
  PRECISE = 64
}; /* a larger logsumexp is too coarse for a gradient: it is taken apart again */

template <typename T> struct loss_job {
  const T *x, *g, *weight; /* weight in the dtype of x, or NULL */
  const int64_t *target;
  T *y, *rows, *logsumexp; /* rows: a loss each */
  double *total;           /* the weights of all targets */
  bool *is_target;         /* multilabel: [rows, classes] */
  int64_t n, classes, inner, ignore;
  int32_t reduction;
  T smoothing;
  kiln_blame blame;
};

template <typename T> static __device__ inline T weight_of(const loss_job<T> &j, int64_t label) {
  return j.weight ? j.weight[label] : (T)1;
}

/* The class of row r from 0; -1: there is none. */
template <typename T> static __device__ inline int64_t class_of(const loss_job<T> &j, int64_t r) {
  return j.target[r] == j.ignore ? -1 : kiln__place(j.blame, j.target, r);
}

/* Any dtype as T. */
template <typename T>
static __global__ void convert_weight(const void *from, int32_t dtype, T *to, int64_t n) {
  KILN_EACH(i, n) { to[i] = (T)kiln__element(from, dtype, i); }
}

/* -- Sums over rows, by one block
 * ------------------------------------------------------------------ */

template <typename T> static __global__ void total_weight(loss_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  double sum = 0;
  for (int64_t r = threadIdx.x; r < j.n; r += blockDim.x) {
    int64_t t = class_of(j, r);
    sum += t < 0 ? 0 : (double)weight_of(j, t);
  }
  sum = kiln__block_sum(sum, room);
  if (threadIdx.x == 0)
    *j.total = sum;
}

template <typename T> static __global__ void reduce_rows(loss_job<T> j, T *out) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  double sum = 0;
  for (int64_t r = threadIdx.x; r < j.n; r += blockDim.x)
    sum += (double)j.rows[r];
  sum = kiln__block_sum(sum, room);
  if (threadIdx.x == 0)
    *out = (T)(j.reduction == MEAN ? sum / *j.total : sum);
}

/* What a row's gradient is scaled by. */
template <typename T> static __device__ inline T row_gradient(const loss_job<T> &j, int64_t r) {
  return j.reduction == NONE  ? j.g[r]
         : j.reduction == SUM ? j.g[0]
                              : (T)((double)j.g[0] / *j.total);
}

/* -- Negative log-likelihood
 * ------------------------------------------------------------------------ */

template <typename T> static __global__ void nll_rows(loss_job<T> j) {
  T share = j.smoothing / (T)j.classes, rest = 1 - j.smoothing;
  KILN_EACH(r, j.n) {
    const T *x = j.x + r / j.inner * j.classes * j.inner + r % j.inner;
    int64_t t = class_of(j, r);
    T all = 0;
    for (int64_t k = 0; share != 0 && t >= 0 && k < j.classes; k++)
      all += x[k * j.inner] * weight_of(j, k);
    j.rows[r] = t < 0 ? 0 : -(rest * weight_of(j, t) * x[t * j.inner] + all * share);
  }
}

template <typename T> static __global__ void nll_dx(loss_job<T> j) {
  T share = j.smoothing / (T)j.classes, rest = 1 - j.smoothing;
  KILN_EACH(i, j.n * j.classes) {
    int64_t k = i / j.inner % j.classes;
    int64_t r = i / (j.inner * j.classes) * j.inner + i % j.inner, t = class_of(j, r);
    T dx = 0;
    if (t >= 0) {
      T g = row_gradient(j, r);
      if (share * g != 0)
        dx = -share * g * weight_of(j, k);
      if (k == t)
        dx -= rest * weight_of(j, t) * g;
    }
    j.y[i] = dx;
  }
}

/* -- The same of softmax: a warp a row of [n, classes]
 * ---------------------------------------------- */

/* The rows that belong to this thread's warp. */
#define EACH_ROW(r, n)                                                                             \
  for (int64_t r = kiln_thread() / KILN_WARP; r < (n); r += kiln_stride() / KILN_WARP)

/* The sum of the weights of all classes, in every lane. */
template <typename T> static __device__ inline T all_weights(const loss_job<T> &j) {
  T sum = 0;
  if (!j.weight)
    return (T)j.classes;
  for (int64_t k = threadIdx.x % KILN_WARP; k < j.classes; k += KILN_WARP)
    sum += j.weight[k];
  return kiln__warp_sum(sum);
}

/* The largest of a row, and the logarithm of the sum of exp(x - it): added up, the latter might be
** lost. */
template <typename T>
static __device__ T log_sum_above(const T *x, int64_t n, int64_t lane, T *largest) {
  T most = -(T)INFINITY, sum = 0;
  for (int64_t k = lane; k < n; k += KILN_WARP)
    most = x[k] > most ? x[k] : most;
  *largest = most = kiln__warp_max(most);
  for (int64_t k = lane; k < n; k += KILN_WARP)
    sum += exp(x[k] - most);
  return log(kiln__warp_sum(sum));
}

template <typename T> static __global__ void softmax_nll_rows(loss_job<T> j) {
  int64_t n = j.classes, lane = threadIdx.x % KILN_WARP;
  T share = j.smoothing / (T)n, rest = 1 - j.smoothing;
  EACH_ROW(r, j.n) {
    const T *x = j.x + r * n;
    T most, all = 0, low = log_sum_above(x, n, lane, &most);
    if (share != 0) {
      for (int64_t k = lane; k < n; k += KILN_WARP)
        all += weight_of(j, k) * (most - x[k]);
      all = share * (all_weights(j) * low + kiln__warp_sum(all));
    }
    if (lane == 0) {
      int64_t t = class_of(j, r);
      j.logsumexp[r] = most + low;
      j.rows[r] = t < 0 ? 0 : rest * weight_of(j, t) * (most - x[t] + low) + all;
    }
  }
}

template <typename T> static __global__ void softmax_nll_dx_rows(loss_job<T> j) {
  int64_t n = j.classes, lane = threadIdx.x % KILN_WARP;
  T share = j.smoothing / (T)n, rest = 1 - j.smoothing;
  T weights = share != 0 ? all_weights(j) : (T)n;
  EACH_ROW(r, j.n) {
    const T *x = j.x + r * n;
    T *dx = j.y + r * n;
    int64_t t = class_of(j, r);
    T g = t < 0 ? 0 : row_gradient(j, r), less = 0, total = j.logsumexp[r];
    if (!(fabs(total) <= PRECISE))
      total = log_sum_above(x, n, lane, &less);
    T own = t < 0 ? 0 : rest * weight_of(j, t) * g, scale = own + share * weights * g;
    for (int64_t k = lane; k < n; k += KILN_WARP) {
      T d = t < 0 ? 0 : exp(x[k] - less - total) * scale;
      if (share != 0 && t >= 0)
        d -= share * g * weight_of(j, k);
      dx[k] = k == t ? d - own : d;
    }
  }
}

/* -- Multilabel margin: a thread a row
 * ---------------------------------------------------------------- */

/* 0 ends a row's targets; what stands behind it is not looked at, but must be no nonsense either.
 */
template <typename T> static __global__ void multilabel_rows(loss_job<T> j) {
  KILN_EACH(r, j.n) {
    int64_t n = j.classes, last = n;
    const T *x = j.x + r * n;
    T *slope = j.y + r * n, sum = 0, share = 1 / (T)n;
    bool *is_target = j.is_target + r * n;
    for (int64_t k = 0; k < n; k++) {
      slope[k] = 0;
      is_target[k] = false;
    }
    for (int64_t k = 0; k < n; k++) {
      if (j.target[r * n + k] == 0) {
        last = k < last ? k : last;
        continue;
      }
      int64_t t = kiln__place(j.blame, j.target, r * n + k);
      if (t < 0)
        last = 0;
      else if (k < last)
        is_target[t] = true;
    }
    for (int64_t i = 0; i < last; i++) {
      int64_t t = j.target[r * n + i] - KILN_INDEX_BASE;
      for (int64_t k = 0; k < n; k++) {
        T gap = 1 - x[t] + x[k];
        if (is_target[k] || !(gap > 0))
          continue;
        sum += gap * share;
        slope[k] += share;
        slope[t] -= share;
      }
    }
    j.rows[r] = sum;
  }
}

/* -- Calls
 * ------------------------------------------------------------------------------------------ */

/* shape: of x; target, weight: inputs i and i + 1. */
template <typename T>
static loss_job<T> job_of(kiln_job *job, const kiln_call *c, const kiln_tensor *x, int32_t i) {
  const kiln_tensor *target = c->in[i], *weight = c->in[i + 1];
  loss_job<T> j = {};
  j.n = target->numel;
  j.target = (const int64_t *)kiln__data(target);
  j.classes = x->shape[x->ndim > 1 ? 1 : 0];
  j.inner = 1;
  for (int32_t d = 2; d < x->ndim; d++)
    j.inner *= x->shape[d];
  j.smoothing = (T)c->attr[SMOOTHING].f;
  j.ignore = c->attr[IGNORE].i;
  j.reduction = (int32_t)c->attr[REDUCTION].i;
  j.blame = kiln__cuda_blame(job->op, "target", target, KILN_INDEX_BASE, j.classes);
  j.total = (double *)kiln__job_take(job, sizeof(double));
  if (weight) {
    T *converted = (T *)kiln__job_take(job, weight->numel * (int64_t)sizeof(T));
    KILN_RUN(job, convert_weight<T>, weight->numel, kiln__data(weight), (int32_t)weight->dtype,
             converted, weight->numel);
    j.weight = converted;
  }
  if (j.reduction == MEAN)
    KILN_RUN_BLOCKS(job, total_weight<T>, 1, KILN_BLOCK, j);
  return j;
}

/* Rows go straight to the output, or to scratch memory and from there, reduced. */
template <typename T> static void begin_rows(kiln_job *job, const kiln_call *c, loss_job<T> *j) {
  j->x = (const T *)kiln__data(c->in[0]);
  j->rows = (T *)kiln__data(c->out[0]);
  if (j->reduction != NONE)
    j->rows = (T *)kiln__job_take(job, j->n * (int64_t)sizeof(T));
}
template <typename T>
static void end_rows(kiln_job *job, const kiln_call *c, const loss_job<T> &j) {
  if (j.reduction != NONE)
    KILN_RUN_BLOCKS(job, reduce_rows<T>, 1, KILN_BLOCK, j, (T *)kiln__data(c->out[0]));
}

static int32_t class_nll(const kiln_call *c) {
  kiln_job job = kiln__job("nll_loss", c->in[0]->device);
  KILN_BY_FLOAT(c->in[0]->dtype, {
    loss_job<type> j = job_of<type>(&job, c, c->in[0], 1);
    begin_rows(&job, c, &j);
    KILN_RUN(&job, nll_rows<type>, j.n, j);
    end_rows(&job, c, j);
  });
  return kiln__job_end(&job);
}

static int32_t class_nll_dx(const kiln_call *c) {
  kiln_job job = kiln__job("nll_loss", c->out[0]->device);
  KILN_BY_FLOAT(c->out[0]->dtype, {
    loss_job<type> j = job_of<type>(&job, c, c->out[0], 1);
    j.g = (const type *)kiln__data(c->in[0]);
    j.y = (type *)kiln__data(c->out[0]);
    KILN_RUN(&job, nll_dx<type>, c->out[0]->numel, j);
  });
  return kiln__job_end(&job);
}

static int32_t softmax_nll(const kiln_call *c) {
  kiln_job job = kiln__job("cross_entropy", c->in[0]->device);
  KILN_BY_FLOAT(c->in[0]->dtype, {
    loss_job<type> j = job_of<type>(&job, c, c->in[0], 1);
    j.logsumexp = (type *)kiln__data(c->out[1]);
    begin_rows(&job, c, &j);
    KILN_RUN(&job, softmax_nll_rows<type>, j.n * KILN_WARP, j);
    end_rows(&job, c, j);
  });
  return kiln__job_end(&job);
}

static int32_t softmax_nll_dx(const kiln_call *c) {
  kiln_job job = kiln__job("cross_entropy", c->in[1]->device);
  KILN_BY_FLOAT(c->in[1]->dtype, {
    loss_job<type> j = job_of<type>(&job, c, c->in[1], 2);
    j.x = (const type *)kiln__data(c->in[1]);
    j.g = (const type *)kiln__data(c->in[0]);
    j.y = (type *)kiln__data(c->out[0]);
    j.logsumexp = (type *)kiln__data(c->in[4]);
    KILN_RUN(&job, softmax_nll_dx_rows<type>, j.n * KILN_WARP, j);
  });
  return kiln__job_end(&job);
}

static int32_t multilabel_margin(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  kiln_job job = kiln__job("multilabel_margin_loss", x->device);
  KILN_BY_FLOAT(x->dtype, {
    loss_job<type> j = {};
    j.x = (const type *)kiln__data(x);
    j.target = (const int64_t *)kiln__data(c->in[1]);
    j.y = (type *)kiln__data(c->out[1]);
    j.rows = (type *)kiln__data(c->out[0]);
    j.n = x->shape[0];
    j.classes = x->shape[1];
    j.blame = kiln__cuda_blame(job.op, "target", c->in[1], KILN_INDEX_BASE, j.classes);
    j.is_target = (bool *)kiln__job_take(&job, x->numel);
    KILN_RUN(&job, multilabel_rows<type>, j.n, j);
  });
  return kiln__job_end(&job);
}

const kiln_entry kiln__cuda_loss[] = {
    {KILN_OP_CLASS_NLL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, class_nll},
    {KILN_OP_CLASS_NLL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, class_nll_dx},
    {KILN_OP_SOFTMAX_NLL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, softmax_nll},
    {KILN_OP_SOFTMAX_NLL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, softmax_nll_dx},
    {KILN_OP_MULTILABEL_MARGIN, KILN_D_FLOAT, KILN_K_CONTIGUOUS, multilabel_margin},
};
const int32_t kiln__cuda_loss_n = sizeof kiln__cuda_loss / sizeof *kiln__cuda_loss;
