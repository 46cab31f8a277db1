/* pool.cu: pooling over planes of up to three dims; one thread an element of what is written, which
** gathers what belongs to it: sums come in one order at every run.
*/
#include "grid.h"

/* Windows over planes: `in` is what windows lie over, `out` has one entry a window.  Unused leading
** dims have size 1. */
typedef struct windows {
  int64_t planes, in[3], out[3];
  int64_t window[3], stride[3], padding[3], dilation[3];
  int64_t divisor; /* average: KILN_NONE for the window's size */
  bool count_padding;
  const void *samples; /* fractional: one number a dim of a plane, or NULL */
  int32_t dims;        /* of what the samples are for */
  int32_t samples_dtype;
} windows;

static __host__ __device__ inline int64_t volume(const int64_t *v) { return v[0] * v[1] * v[2]; }

/* A place in planes: which plane, and where. */
typedef struct place {
  int64_t plane, z, y, x;
} place;

static __device__ inline place place_of(const int64_t *size, int64_t i) {
  place p;
  p.x = i % size[2];
  i /= size[2];
  p.y = i % size[1];
  i /= size[1];
  p.z = i % size[0];
  p.plane = i / size[0];
  return p;
}

/* -- Walks ------------------------------------------------------------------------------------ */

/* first, first + step, ... below last: cells of a plane along one dim. */
typedef struct range {
  int64_t first, last, step;
} range;

/* A box in a plane. */
typedef struct box {
  range z, y, x;
} box;

#define EACH_IN(i, r) for (int64_t i = (r).first; i < (r).last; i += (r).step)

/* Calls f(row, z, y) for each row of a box, in order: `row` is where the row begins in a plane. */
template <class F>
static __device__ __forceinline__ void each_row(const int64_t *size, const box &b, F f) {
  EACH_IN(z, b.z) {
    EACH_IN(y, b.y)
    f((z * size[1] + y) * size[2], z, y);
  }
}

/* Calls f(k, z, y, x) for each cell of a box, in order: k is its place in a plane. */
template <class F>
static __device__ __forceinline__ void each_cell(const int64_t *size, const box &b, F f) {
  each_row(size, b, [&](int64_t row, int64_t z, int64_t y) {
    EACH_IN(x, b.x)
    f(row + x, z, y, x);
  });
}

/* The largest value of a box and its place; the first of several, or the last NaN. */
template <typename T>
static __device__ __forceinline__ T most_of(const windows &w, const box &b, const T *plane,
                                            int64_t *place) {
  T best = 0;
  int64_t at = -1;
  each_cell(w.in, b, [&](int64_t k, int64_t, int64_t, int64_t) {
    const T v = plane[k];
    if (at < 0 || v > best || v != v) {
      best = v;
      at = k;
    }
  });
  *place = at + KILN_INDEX_BASE;
  return best;
}

/* -- Windows at even steps
 * ------------------------------------------------------------------------- */

/* The part of window o along dim d that lies in the plane; its cells are `dilation` apart. */
static __device__ inline range inside(const windows &w, int d, int64_t o, int64_t dilation) {
  int64_t first = o * w.stride[d] - w.padding[d], last = first + (w.window[d] - 1) * dilation + 1;
  if (first < 0)
    first += (-first + dilation - 1) / dilation * dilation;
  range r = {first, last < w.in[d] ? last : w.in[d], dilation};
  return r;
}

/* The windows that cover cell i along dim d. */
static __device__ inline range covering(const windows &w, int d, int64_t i) {
  int64_t from = i + w.padding[d] - w.window[d], to = (i + w.padding[d]) / w.stride[d] + 1;
  range r = {from < 0 ? 0 : from / w.stride[d] + 1, to < w.out[d] ? to : w.out[d], 1};
  return r;
}

/* How far window o reaches along dim d, with or without padding. */
static __device__ inline int64_t reach_of(const windows &w, int d, int64_t o) {
  int64_t edge = w.count_padding ? w.padding[d] : 0;
  int64_t first = o * w.stride[d] - w.padding[d], last = first + w.window[d];
  return (last < w.in[d] + edge ? last : w.in[d] + edge) - (first > -edge ? first : -edge);
}

/* What the sum over a window is divided by. */
static __device__ inline int64_t cells_of(const windows &w, int64_t z, int64_t y, int64_t x) {
  return w.divisor != KILN_NONE ? w.divisor
                                : reach_of(w, 0, z) * reach_of(w, 1, y) * reach_of(w, 2, x);
}

template <typename T>
static __global__ void max_kernel(windows w, const T *x, T *y, int64_t *positions) {
  KILN_EACH(i, w.planes * volume(w.out)) {
    place p = place_of(w.out, i);
    const box b = {inside(w, 0, p.z, w.dilation[0]), inside(w, 1, p.y, w.dilation[1]),
                   inside(w, 2, p.x, w.dilation[2])};
    y[i] = most_of(w, b, x + p.plane * volume(w.in), &positions[i]);
  }
}

template <typename T> static __global__ void avg_kernel(windows w, const T *x, T *y) {
  KILN_EACH(i, w.planes * volume(w.out)) {
    place p = place_of(w.out, i);
    const T *plane = x + p.plane * volume(w.in);
    const box b = {inside(w, 0, p.z, 1), inside(w, 1, p.y, 1), inside(w, 2, p.x, 1)};
    T sum = 0;
    each_cell(w.in, b, [&](int64_t k, int64_t, int64_t, int64_t) { sum += plane[k]; });
    y[i] = sum / (T)cells_of(w, p.z, p.y, p.x);
  }
}

template <typename T> static __global__ void avg_dx_kernel(windows w, const T *g, T *dx) {
  KILN_EACH(i, w.planes * volume(w.in)) {
    place p = place_of(w.in, i);
    const T *plane = g + p.plane * volume(w.out);
    const box b = {covering(w, 0, p.z), covering(w, 1, p.y), covering(w, 2, p.x)};
    T sum = 0;
    each_cell(w.out, b, [&](int64_t k, int64_t oz, int64_t oy, int64_t ox) {
      sum += plane[k] / (T)cells_of(w, oz, oy, ox);
    });
    dx[i] = sum;
  }
}

/* -- Windows with bounds of their own
 * ----------------------------------------------------------------- */

/* Window o of dim d when windows are spread evenly over the plane. */
static __device__ inline range spread_out(const windows &w, int d, int64_t o) {
  range r = {o * w.in[d] / w.out[d], ((o + 1) * w.in[d] + w.out[d] - 1) / w.out[d], 1};
  return r;
}

static __device__ inline bool is_sample(double u) { return u >= 0 && u < 1; }

/* The same at pseudo-random steps; samples come as (w, h) or (d, h, w).  One that is none, which
** check_samples complains about, counts as 0. */
static __device__ inline range by_sample(const windows &w, int d, int64_t plane, int64_t o) {
  double u = kiln__element(w.samples, w.samples_dtype, w.dims * plane + (w.dims == 2 ? 2 - d : d));
  u = is_sample(u) ? u : 0;
  int64_t room = w.in[d] - w.window[d];
  double alpha = w.out[d] > 1 ? (double)room / (double)(w.out[d] - 1) : 0;
  int64_t first = (int64_t)(((double)o + u) * alpha) - (int64_t)(u * alpha);
  if (o == w.out[d] - 1 || first > room)
    first = room;
  range r = {first, first + w.window[d], 1};
  return r;
}

static __device__ inline box box_of(const windows &w, const place &p) {
  if (w.samples) {
    range whole = {0, 1, 1}, z = w.dims == 3 ? by_sample(w, 0, p.plane, p.z) : whole;
    box b = {z, by_sample(w, 1, p.plane, p.y), by_sample(w, 2, p.plane, p.x)};
    return b;
  }
  box b = {spread_out(w, 0, p.z), spread_out(w, 1, p.y), spread_out(w, 2, p.x)};
  return b;
}

static __global__ void check_samples(kiln_blame blame, windows w, int64_t n) {
  KILN_EACH(i, n) {
    const double u = kiln__element(w.samples, w.samples_dtype, i);
    if (!is_sample(u))
      kiln_complain_real(blame, u, i);
  }
}

template <typename T>
static __global__ void bounded_max_kernel(windows w, const T *x, T *y, int64_t *positions) {
  KILN_EACH(i, w.planes * volume(w.out)) {
    place p = place_of(w.out, i);
    y[i] = most_of(w, box_of(w, p), x + p.plane * volume(w.in), &positions[i]);
  }
}

/* Rows are summed as T and added as double, as on the CPU. */
template <typename T> static __global__ void adaptive_avg_kernel(windows w, const T *x, T *y) {
  KILN_EACH(i, w.planes * volume(w.out)) {
    place p = place_of(w.out, i);
    const T *plane = x + p.plane * volume(w.in);
    const box b = box_of(w, p);
    double sum = 0;
    each_row(w.in, b, [&](int64_t row, int64_t, int64_t) {
      T line = 0;
      EACH_IN(ix, b.x)
      line += plane[row + ix];
      sum += (double)line;
    });
    int64_t count = (b.z.last - b.z.first) * (b.y.last - b.y.first) * (b.x.last - b.x.first);
    y[i] = (T)(sum / (double)count);
  }
}

/* The windows of spread_out that cover cell i along dim d. */
static __device__ inline range spread_over(const windows &w, int d, int64_t i) {
  range r = {i * w.out[d] / w.in[d], ((i + 1) * w.out[d] + w.in[d] - 1) / w.in[d], 1};
  return r;
}

static __device__ inline int64_t length_of(const windows &w, int d, int64_t o) {
  const range r = spread_out(w, d, o);
  return r.last - r.first;
}

template <typename T> static __global__ void adaptive_avg_dx_kernel(windows w, const T *g, T *dx) {
  KILN_EACH(i, w.planes * volume(w.in)) {
    place p = place_of(w.in, i);
    const T *plane = g + p.plane * volume(w.out);
    const box b = {spread_over(w, 0, p.z), spread_over(w, 1, p.y), spread_over(w, 2, p.x)};
    T sum = 0;
    each_cell(w.out, b, [&](int64_t k, int64_t oz, int64_t oy, int64_t ox) {
      int64_t count = length_of(w, 0, oz) * length_of(w, 1, oy) * length_of(w, 2, ox);
      sum += (T)((double)plane[k] / (double)count);
    });
    dx[i] = sum;
  }
}

/* -- Planes by position
 * ----------------------------------------------------------------------------------- */

/* One block a strip of one plane of y.  Every thread reads all of the plane's positions (its warp
** together, so memory is read once) and keeps those of its own places: they are written in order,
** without atomics. */
template <typename T>
static __global__ void put_kernel(kiln_blame blame, const T *x, const int64_t *positions, T *y,
                                  int64_t planes, int64_t in, int64_t out, int64_t strips,
                                  bool add) {
  int64_t strip = (out + strips - 1) / strips;
  KILN_EACH_BLOCK(u, planes * strips) {
    int64_t plane = u / strips, first = u % strips * strip;
    int64_t last = first + strip < out ? first + strip : out;
    T *to = y + plane * out;
    for (int64_t k = first + threadIdx.x; k < last; k += blockDim.x)
      to[k] = 0;
    for (int64_t i = 0; i < in; i++) {
      int64_t k = positions[plane * in + i] - KILN_INDEX_BASE;
      if ((uint64_t)k >= (uint64_t)out) {
        if (threadIdx.x == 0 && first == 0)
          kiln_complain(blame, k + KILN_INDEX_BASE, plane * in + i);
        continue;
      }
      if (k < first || k >= last || (k - first) % blockDim.x != threadIdx.x)
        continue;
      T v = x[plane * in + i];
      to[k] = add ? to[k] + v : v;
    }
  }
}

template <typename T>
static __global__ void take_kernel(kiln_blame blame, const T *x, const int64_t *positions, T *y,
                                   int64_t n, int64_t in, int64_t out) {
  KILN_EACH(i, n) {
    int64_t k = kiln__place(blame, positions, i);
    y[i] = k < 0 ? (T)0 : x[i / out * in + k];
  }
}

/* -- Jobs
 * ---------------------------------------------------------------------------------------------------
 */

/* The last n dims of a tensor as three. */
static void plane_of(const kiln_tensor *x, int32_t n, int64_t *plane) {
  for (int32_t i = 0; i < 3; i++)
    plane[i] = i < 3 - n ? 1 : x->shape[x->ndim - 3 + i];
}

static void spread(const kiln_list *l, int32_t n, int64_t otherwise, int64_t *to) {
  for (int32_t i = 0; i < 3; i++) {
    int32_t k = i - (3 - n);
    to[i] = k < 0 ? otherwise : l->v[l->n == 1 ? 0 : k];
  }
}

/* Windows of the plane of `in`, one a place in the plane of `out`; n dims. */
static windows windows_of(const kiln_tensor *in, const kiln_tensor *out, int32_t n) {
  windows w = {};
  w.divisor = KILN_NONE;
  plane_of(in, n, w.in);
  plane_of(out, n, w.out);
  w.planes = 1;
  for (int32_t i = 0; i < in->ndim - n; i++)
    w.planes *= in->shape[i];
  return w;
}

static void set_windows(windows *w, const kiln_list *l, int32_t n) {
  spread(l, n, 1, w->window);
  spread(l + 1, n, 1, w->stride);
  spread(l + 2, n, 0, w->padding);
}

#define FROM(i) ((const type *)kiln__data(c->in[i]))
#define TO(i) ((type *)kiln__data(c->out[i]))
#define POSITIONS(x) ((int64_t *)kiln__data(x))
/* Launches kernel<type> for each element of out[0]; BY is KILN_BY_FLOAT or KILN_BY_DTYPE. */
#define RUN_BY(BY, op, kernel, ...)                                                                \
  do {                                                                                             \
    kiln_job j = kiln__job(op, c->in[0]->device);                                                  \
    BY(c->in[0]->dtype, KILN_RUN(&j, kernel<type>, c->out[0]->numel, __VA_ARGS__));                \
    return kiln__job_end(&j);                                                                      \
  } while (0)
#define RUN(...) RUN_BY(KILN_BY_FLOAT, __VA_ARGS__)

static int32_t max_pool(const kiln_call *c) {
  int32_t n = c->list[0].n;
  windows w = windows_of(c->in[0], c->out[0], n);
  set_windows(&w, c->list, n);
  spread(&c->list[3], n, 1, w.dilation);
  RUN_BY(KILN_BY_DTYPE, "max_pool", max_kernel, w, FROM(0), TO(0), POSITIONS(c->out[1]));
}

static int32_t avg_pool(const kiln_call *c) {
  int32_t n = c->list[0].n;
  windows w = windows_of(c->in[0], c->out[0], n);
  set_windows(&w, c->list, n);
  w.count_padding = c->attr[1].i != 0;
  w.divisor = c->attr[2].i;
  RUN_BY(KILN_BY_DTYPE, "avg_pool", avg_kernel, w, FROM(0), TO(0));
}

static int32_t avg_pool_dx(const kiln_call *c) {
  int32_t n = c->list[0].n;
  windows w = windows_of(c->out[0], c->in[0], n);
  set_windows(&w, c->list + 1, n);
  w.count_padding = c->attr[1].i != 0;
  w.divisor = c->attr[2].i;
  RUN("avg_pool_dx", avg_dx_kernel, w, FROM(0), TO(0));
}

static int32_t adaptive_max_pool(const kiln_call *c) {
  windows w = windows_of(c->in[0], c->out[0], c->list[0].n);
  RUN("adaptive_max_pool", bounded_max_kernel, w, FROM(0), TO(0), POSITIONS(c->out[1]));
}

static int32_t adaptive_avg_pool(const kiln_call *c) {
  windows w = windows_of(c->in[0], c->out[0], c->list[0].n);
  RUN("adaptive_avg_pool", adaptive_avg_kernel, w, FROM(0), TO(0));
}

static int32_t adaptive_avg_pool_dx(const kiln_call *c) {
  windows w = windows_of(c->out[0], c->in[0], c->list[0].n);
  RUN("adaptive_avg_pool_dx", adaptive_avg_dx_kernel, w, FROM(0), TO(0));
}

static int32_t fractional_max_pool(const kiln_call *c) {
  windows w = windows_of(c->in[0], c->out[0], c->list[0].n);
  kiln_job j = kiln__job("fractional_max_pool", c->in[0]->device);
  spread(&c->list[0], c->list[0].n, 1, w.window);
  w.dims = c->list[0].n;
  w.samples = kiln__data(c->in[1]);
  w.samples_dtype = c->in[1]->dtype;
  kiln_blame blame = kiln__cuda_blame(j.op, "sample, of [0, 1),", c->in[1], 0, 1);
  blame.about.real = true;
  KILN_RUN(&j, check_samples, c->in[1]->numel, blame, w, c->in[1]->numel);
  KILN_BY_FLOAT(c->in[0]->dtype, KILN_RUN(&j, bounded_max_kernel<type>, c->out[0]->numel, w,
                                          FROM(0), TO(0), POSITIONS(c->out[1])));
  return kiln__job_end(&j);
}

static int32_t max_unpool(const kiln_call *c) {
  const int64_t strip = 4096;
  windows w = windows_of(c->in[0], c->out[0], c->list[0].n);
  kiln_job j = kiln__job("max_unpool", c->in[0]->device);
  int64_t in = volume(w.in), out = volume(w.out), strips = (out + strip - 1) / strip;
  kiln_blame blame = kiln__cuda_blame(j.op, "position", c->in[1], KILN_INDEX_BASE, out);
  KILN_BY_FLOAT(c->in[0]->dtype,
                KILN_RUN_BLOCKS(&j, put_kernel<type>, w.planes * strips, KILN_BLOCK, blame, FROM(0),
                                POSITIONS(c->in[1]), TO(0), w.planes, in, out, strips,
                                c->attr[0].i != 0));
  return kiln__job_end(&j);
}

static int32_t max_unpool_dx(const kiln_call *c) {
  windows w = windows_of(c->in[0], c->out[0], (int32_t)c->attr[0].i);
  kiln_blame blame =
      kiln__cuda_blame("max_unpool_dx", "position", c->in[1], KILN_INDEX_BASE, volume(w.in));
  RUN("max_unpool_dx", take_kernel, blame, FROM(0), POSITIONS(c->in[1]), TO(0), c->out[0]->numel,
      volume(w.in), volume(w.out));
}

const kiln_entry kiln__cuda_pool[] = {
    {KILN_OP_MAX_POOL, KILN_D_REAL, KILN_K_CONTIGUOUS, max_pool},
    {KILN_OP_AVG_POOL, KILN_D_FLOAT | KILN_D(KILN_INT64), KILN_K_CONTIGUOUS, avg_pool},
    {KILN_OP_AVG_POOL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, avg_pool_dx},
    {KILN_OP_ADAPTIVE_MAX_POOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, adaptive_max_pool},
    {KILN_OP_ADAPTIVE_AVG_POOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, adaptive_avg_pool},
    {KILN_OP_ADAPTIVE_AVG_POOL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, adaptive_avg_pool_dx},
    {KILN_OP_FRACTIONAL_MAX_POOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, fractional_max_pool},
    {KILN_OP_MAX_UNPOOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, max_unpool},
    {KILN_OP_MAX_UNPOOL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, max_unpool_dx},
};
const int32_t kiln__cuda_pool_n = sizeof kiln__cuda_pool / sizeof *kiln__cuda_pool;
