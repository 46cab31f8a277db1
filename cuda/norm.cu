/* norm.cu: batch, layer, RMS and group normalisation and their gradients.
**
** A thread adds up pieces in the element type and the pieces in double, as the CPU does; the
** threads of a block then join theirs.  A block works on one channel, row or group.
*/
#include "block.h"
#include "grid.h"

enum { PIECE = 64, ROWS = 64 };

/* What a normalisation reads and writes; y is the output, or the gradient of x. */
template <typename T> struct norm_job {
  const T *x, *g, *weight, *bias;
  T *y, *mean, *var, *dweight, *dbias;
  double *partial;
  int64_t n, channels, plane; /* batch and group: x is [n, channels, plane]; layer: [n, plane] */
  int64_t members;            /* channels of a group */
  int64_t blocks;             /* layer gradients: so many blocks of ROWS rows */
  double eps;
  bool centred; /* layer; RMS is not */
};

template <typename T> static __device__ inline T entry(const T *w, int64_t i, T otherwise) {
  return w ? w[i] : otherwise;
}

/* Adds up TERM (and TERM2) over [0, n), i being this thread's numbers. */
#define ADD_UP(n, i, sum, TERM)                                                                    \
  for (int64_t first_ = threadIdx.x; first_ < (n); first_ += (int64_t)PIECE * blockDim.x) {        \
    T piece_ = 0;                                                                                  \
    for (int k_ = 0; k_ < PIECE; k_++) {                                                           \
      int64_t i = first_ + k_ * (int64_t)blockDim.x;                                               \
      if (i < (n))                                                                                 \
        piece_ += (TERM);                                                                          \
    }                                                                                              \
    sum += (double)piece_;                                                                         \
  }

/* -- Batch normalisation -------------------------------------------------------------------------
 */

/* Element i of channel c. */
template <typename T>
static __device__ inline int64_t in_channel(const norm_job<T> &j, int64_t c, int64_t i) {
  return (i / j.plane * j.channels + c) * j.plane + i % j.plane;
}

template <typename T> static __global__ void batch_train(norm_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  KILN_EACH_BLOCK(c, j.channels) {
    int64_t count = j.n * j.plane;
    double sum = 0, square = 0;
    ADD_UP(count, i, sum, j.x[in_channel(j, c, i)])
    T mean = (T)(kiln__block_sum(sum, room) / (double)count);
    ADD_UP(count, i, square, (j.x[in_channel(j, c, i)] - mean) * (j.x[in_channel(j, c, i)] - mean))
    double var = kiln__block_sum(square, room) / (double)count;
    T scale = (T)(1 / sqrt(var + j.eps)) * entry(j.weight, c, (T)1), shift = entry(j.bias, c, (T)0);
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
      int64_t at = in_channel(j, c, i);
      j.y[at] = (j.x[at] - mean) * scale + shift;
    }
    if (threadIdx.x == 0) {
      j.mean[c] = mean;
      j.var[c] = (T)var;
    }
  }
}

template <typename T> static __global__ void batch_dx(norm_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  KILN_EACH_BLOCK(c, j.channels) {
    int64_t count = j.n * j.plane;
    T mean = j.mean[c];
    double inv = 1 / sqrt((double)j.var[c] + j.eps), sum_g = 0, sum_gx = 0;
    ADD_UP(count, i, sum_g, j.g[in_channel(j, c, i)])
    ADD_UP(count, i, sum_gx, j.g[in_channel(j, c, i)] * (j.x[in_channel(j, c, i)] - mean))
    sum_g = kiln__block_sum(sum_g, room);
    sum_gx = kiln__block_sum(sum_gx, room);
    double scale = inv * (double)entry(j.weight, c, (T)1);
    T a = (T)(scale * sum_g / (double)count);
    T b = (T)(scale * inv * inv * sum_gx / (double)count);
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
      int64_t at = in_channel(j, c, i);
      j.y[at] = j.g[at] * (T)scale - (a + (j.x[at] - mean) * b);
    }
    if (threadIdx.x == 0) {
      j.dweight[c] = (T)(sum_gx * inv);
      j.dbias[c] = (T)sum_g;
    }
  }
}

template <typename T> static __global__ void batch_eval(norm_job<T> j) {
  KILN_EACH(i, j.n * j.channels * j.plane) {
    int64_t c = i / j.plane % j.channels;
    T scale = (T)(1 / sqrt((double)j.var[c] + j.eps)) * entry(j.weight, c, (T)1);
    j.y[i] = (j.x[i] - j.mean[c]) * scale + entry(j.bias, c, (T)0);
  }
}

/* -- Layer and RMS normalisation: x [n, plane], weight [plane] ------------------------------------
 */

/* Mean and 1 / deviation of `size` elements, in every thread. */
template <typename T>
static __device__ inline void statistics(const T *x, int64_t size, bool centred, double eps,
                                         double *room, T *mean, double *inv) {
  double sum = 0, square = 0;
  *mean = 0;
  if (centred) {
    ADD_UP(size, i, sum, x[i])
    *mean = (T)(kiln__block_sum(sum, room) / (double)size);
  }
  T m = *mean;
  ADD_UP(size, i, square, (x[i] - m) * (x[i] - m))
  *inv = 1 / sqrt(kiln__block_sum(square, room) / (double)size + eps);
}

template <typename T> static __global__ void layer_rows(norm_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  KILN_EACH_BLOCK(r, j.n) {
    const T *x = j.x + r * j.plane;
    T *y = j.y + r * j.plane, mean;
    double inv;
    statistics(x, j.plane, j.centred, j.eps, room, &mean, &inv);
    for (int64_t i = threadIdx.x; i < j.plane; i += blockDim.x)
      y[i] = (x[i] - mean) * (T)inv * entry(j.weight, i, (T)1) + entry(j.bias, i, (T)0);
  }
}

/* The gradient of x; each row leaves its mean and 1 / deviation in partial [n, 2]. */
template <typename T> static __global__ void layer_dx(norm_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  KILN_EACH_BLOCK(r, j.n) {
    const T *x = j.x + r * j.plane, *g = j.g + r * j.plane;
    T *dx = j.y + r * j.plane, mean;
    double inv, sum_g = 0, sum_gx = 0, count = (double)j.plane;
    statistics(x, j.plane, j.centred, j.eps, room, &mean, &inv);
    ADD_UP(j.plane, i, sum_g, g[i] * entry(j.weight, i, (T)1))
    ADD_UP(j.plane, i, sum_gx, g[i] * entry(j.weight, i, (T)1) * (x[i] - mean))
    sum_g = kiln__block_sum(sum_g, room);
    sum_gx = kiln__block_sum(sum_gx, room);
    T a = j.centred ? (T)(inv * sum_g / count) : (T)0;
    T b = (T)(inv * inv * inv * sum_gx / count);
    for (int64_t i = threadIdx.x; i < j.plane; i += blockDim.x)
      dx[i] = g[i] * entry(j.weight, i, (T)1) * (T)inv - (a + (x[i] - mean) * b);
    if (threadIdx.x == 0) {
      j.partial[2 * r] = (double)mean;
      j.partial[2 * r + 1] = inv;
    }
  }
}

/* Sums for the gradients of weight and bias over ROWS rows: [blocks, 2, plane] behind partial's
** statistics. */
template <typename T> static __global__ void layer_parts(norm_job<T> j) {
  KILN_EACH(u, j.blocks * j.plane) {
    int64_t block = u / j.plane, i = u % j.plane, last = (block + 1) * ROWS;
    double *part = j.partial + 2 * j.n + 2 * block * j.plane + i;
    T dw = 0, db = 0;
    for (int64_t r = block * ROWS; r < last && r < j.n; r++) {
      T g = j.g[r * j.plane + i];
      dw += g * (j.x[r * j.plane + i] - (T)j.partial[2 * r]) * (T)j.partial[2 * r + 1];
      db += g;
    }
    part[0] = (double)dw;
    part[j.plane] = (double)db;
  }
}

template <typename T> static __global__ void layer_sums(norm_job<T> j) {
  KILN_EACH(i, j.plane) {
    double dw = 0, db = 0;
    for (int64_t block = 0; block < j.blocks; block++) {
      const double *part = j.partial + 2 * j.n + 2 * block * j.plane + i;
      dw += part[0];
      db += part[j.plane];
    }
    j.dweight[i] = (T)dw;
    if (j.dbias)
      j.dbias[i] = (T)db;
  }
}

/* -- Group normalisation: units are groups of `members` channels of one sample --------------------
 */

template <typename T> static __global__ void group_units(norm_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  int64_t size = j.members * j.plane, groups = j.channels / j.members;
  KILN_EACH_BLOCK(u, j.n * groups) {
    const T *x = j.x + u * size;
    T *y = j.y + u * size, mean;
    double inv;
    statistics(x, size, true, j.eps, room, &mean, &inv);
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) {
      int64_t c = u % groups * j.members + i / j.plane;
      y[i] = (x[i] - mean) * ((T)inv * entry(j.weight, c, (T)1)) + entry(j.bias, c, (T)0);
    }
  }
}

/* Leaves the sums for the gradients of weight and bias in partial [n, channels, 2]. */
template <typename T> static __global__ void group_dx(norm_job<T> j) {
  KILN_SHARED(double, room, [KILN_MOST_WARPS]);
  int64_t size = j.members * j.plane, groups = j.channels / j.members;
  KILN_EACH_BLOCK(u, j.n * groups) {
    const T *x = j.x + u * size, *g = j.g + u * size;
    T *dx = j.y + u * size, mean;
    double inv, sum_g = 0, sum_gx = 0;
    statistics(x, size, true, j.eps, room, &mean, &inv);
    for (int64_t k = 0; k < j.members; k++) {
      const T *px = x + k * j.plane, *pg = g + k * j.plane;
      double w = (double)entry(j.weight, u % groups * j.members + k, (T)1), a = 0, b = 0;
      ADD_UP(j.plane, i, a, pg[i])
      ADD_UP(j.plane, i, b, pg[i] * (px[i] - mean))
      a = kiln__block_sum(a, room);
      b = kiln__block_sum(b, room);
      sum_g += w * a;
      sum_gx += w * b;
      if (threadIdx.x == 0) {
        j.partial[2 * (u * j.members + k)] = b * inv;
        j.partial[2 * (u * j.members + k) + 1] = a;
      }
    }
    T a = (T)(inv * sum_g / (double)size), b = (T)(inv * inv * inv * sum_gx / (double)size);
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) {
      T scale = (T)inv * entry(j.weight, u % groups * j.members + i / j.plane, (T)1);
      dx[i] = g[i] * scale - (a + (x[i] - mean) * b);
    }
  }
}

template <typename T> static __global__ void group_sums(norm_job<T> j) {
  KILN_EACH(c, j.channels) {
    double dw = 0, db = 0;
    for (int64_t i = 0; i < j.n; i++) {
      dw += j.partial[2 * (i * j.channels + c)];
      db += j.partial[2 * (i * j.channels + c) + 1];
    }
    j.dweight[c] = (T)dw;
    j.dbias[c] = (T)db;
  }
}

/* -- Calls
 * ----------------------------------------------------------------------------------------- */

/* Threads of a block that works on n elements. */
static int threads_for(int64_t n) {
  int threads = KILN_WARP;
  while (threads < KILN_BLOCK && threads < n)
    threads *= 2;
  return threads;
}

template <typename T>
static norm_job<T> job_of(const kiln_tensor *x, const kiln_tensor *weight, const kiln_tensor *y,
                          double eps) {
  norm_job<T> j = {};
  j.x = (const T *)kiln__data(x);
  j.weight = (const T *)kiln__data_or_null(weight);
  j.y = (T *)kiln__data(y);
  j.eps = eps;
  j.n = x->shape[0];
  j.channels = x->ndim > 1 ? x->shape[1] : 1;
  j.plane = x->numel == 0 ? 0 : x->numel / (j.n * j.channels);
  return j;
}

#define DATA(x) ((type *)kiln__data_or_null(x))

static int32_t batch_norm_train(const kiln_call *c) {
  kiln_job job = kiln__job("batch_norm", c->in[0]->device);
  KILN_BY_FLOAT(c->in[0]->dtype, {
    norm_job<type> j = job_of<type>(c->in[0], c->in[1], c->out[0], c->attr[0].f);
    j.bias = DATA(c->in[2]);
    j.mean = DATA(c->out[1]);
    j.var = DATA(c->out[2]);
    KILN_RUN_BLOCKS(&job, batch_train<type>, j.channels, threads_for(j.n * j.plane), j);
  });
  return kiln__job_end(&job);
}

static int32_t batch_norm_dx(const kiln_call *c) {
  kiln_job job = kiln__job("batch_norm_dx", c->in[1]->device);
  KILN_BY_FLOAT(c->in[1]->dtype, {
    norm_job<type> j = job_of<type>(c->in[1], c->in[2], c->out[0], c->attr[0].f);
    j.g = DATA(c->in[0]);
    j.mean = DATA(c->in[3]);
    j.var = DATA(c->in[4]);
    j.dweight = DATA(c->out[1]);
    j.dbias = DATA(c->out[2]);
    KILN_RUN_BLOCKS(&job, batch_dx<type>, j.channels, threads_for(j.n * j.plane), j);
  });
  return kiln__job_end(&job);
}

static int32_t batch_norm_eval(const kiln_call *c) {
  kiln_job job = kiln__job("batch_norm", c->in[0]->device);
  KILN_BY_FLOAT(c->in[0]->dtype, {
    norm_job<type> j = job_of<type>(c->in[0], c->in[3], c->out[0], c->attr[0].f);
    j.bias = DATA(c->in[4]);
    j.mean = DATA(c->in[1]);
    j.var = DATA(c->in[2]);
    KILN_RUN(&job, batch_eval<type>, c->in[0]->numel, j);
  });
  return kiln__job_end(&job);
}

/* x as rows of the normalised shape. */
template <typename T>
static norm_job<T> layer_job(const kiln_call *c, const kiln_tensor *x, const kiln_tensor *weight,
                             bool centred) {
  norm_job<T> j = {};
  j.x = (const T *)kiln__data(x);
  j.weight = (const T *)kiln__data_or_null(weight);
  j.y = (T *)kiln__data(c->out[0]);
  j.eps = c->attr[0].f;
  j.centred = centred;
  j.plane = 1;
  for (int32_t i = 0; i < c->list[0].n; i++)
    j.plane *= c->list[0].v[i];
  j.n = j.plane > 0 ? x->numel / j.plane : 0;
  return j;
}

static int32_t layer(const kiln_call *c, const char *op, bool centred) {
  kiln_job job = kiln__job(op, c->in[0]->device);
  KILN_BY_FLOAT(c->in[0]->dtype, {
    norm_job<type> j = layer_job<type>(c, c->in[0], c->in[1], centred);
    j.bias = centred ? DATA(c->in[2]) : NULL;
    KILN_RUN_BLOCKS(&job, layer_rows<type>, j.n, threads_for(j.plane), j);
  });
  return kiln__job_end(&job);
}
static int32_t layer_norm(const kiln_call *c) { return layer(c, "layer_norm", true); }
static int32_t rms_norm(const kiln_call *c) { return layer(c, "rms_norm", false); }

static int32_t layer_gradients(const kiln_call *c, const char *op, bool centred) {
  kiln_job job = kiln__job(op, c->in[1]->device);
  KILN_BY_FLOAT(c->in[1]->dtype, {
    norm_job<type> j = layer_job<type>(c, c->in[1], c->in[2], centred);
    j.g = DATA(c->in[0]);
    j.dweight = DATA(c->out[1]);
    j.dbias = centred ? DATA(c->out[2]) : NULL;
    j.blocks = (j.n + ROWS - 1) / ROWS;
    j.partial = (double *)kiln__job_take(&job, 2 * (j.n + j.blocks * j.plane) * 8);
    KILN_RUN_BLOCKS(&job, layer_dx<type>, j.n, threads_for(j.plane), j);
    KILN_RUN(&job, layer_parts<type>, j.blocks * j.plane, j);
    KILN_RUN(&job, layer_sums<type>, j.plane, j);
  });
  return kiln__job_end(&job);
}
static int32_t layer_norm_dx(const kiln_call *c) {
  return layer_gradients(c, "layer_norm_dx", true);
}
static int32_t rms_norm_dx(const kiln_call *c) { return layer_gradients(c, "rms_norm_dx", false); }

static int32_t group_norm(const kiln_call *c) {
  kiln_job job = kiln__job("group_norm", c->in[0]->device);
  KILN_BY_FLOAT(c->in[0]->dtype, {
    norm_job<type> j = job_of<type>(c->in[0], c->in[1], c->out[0], c->attr[1].f);
    j.bias = DATA(c->in[2]);
    j.members = j.channels / c->attr[0].i;
    if (c->in[0]->numel > 0)
      KILN_RUN_BLOCKS(&job, group_units<type>, j.n * c->attr[0].i, threads_for(j.members * j.plane),
                      j);
  });
  return kiln__job_end(&job);
}

static int32_t group_norm_dx(const kiln_call *c) {
  kiln_job job = kiln__job("group_norm_dx", c->in[1]->device);
  KILN_BY_FLOAT(c->in[1]->dtype, {
    norm_job<type> j = job_of<type>(c->in[1], c->in[2], c->out[0], c->attr[1].f);
    int64_t bytes = 2 * j.n * j.channels * (int64_t)sizeof(double);
    j.g = DATA(c->in[0]);
    j.members = j.channels / c->attr[0].i;
    j.dweight = DATA(c->out[1]);
    j.dbias = DATA(c->out[2]);
    j.partial = (double *)kiln__job_take(&job, bytes);
    if (j.plane > 0)
      KILN_RUN_BLOCKS(&job, group_dx<type>, j.n * c->attr[0].i, threads_for(j.members * j.plane),
                      j);
    else
      kiln__job_zero(&job, j.partial, bytes);
    KILN_RUN(&job, group_sums<type>, j.channels, j);
  });
  return kiln__job_end(&job);
}

const kiln_entry kiln__cuda_norm[] = {
    {KILN_OP_BATCH_NORM_TRAIN, KILN_D_FLOAT, KILN_K_CONTIGUOUS, batch_norm_train},
    {KILN_OP_BATCH_NORM_EVAL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, batch_norm_eval},
    {KILN_OP_BATCH_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, batch_norm_dx},
    {KILN_OP_LAYER_NORM, KILN_D_FLOAT, KILN_K_CONTIGUOUS, layer_norm},
    {KILN_OP_LAYER_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, layer_norm_dx},
    {KILN_OP_RMS_NORM, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rms_norm},
    {KILN_OP_RMS_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rms_norm_dx},
    {KILN_OP_GROUP_NORM, KILN_D_FLOAT, KILN_K_CONTIGUOUS, group_norm},
    {KILN_OP_GROUP_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, group_norm_dx},
};
const int32_t kiln__cuda_norm_n = sizeof kiln__cuda_norm / sizeof *kiln__cuda_norm;
