/* conv.cu: convolutions.  cuDNN computes them where it can; where it cannot, they are products of
** matrices over columns: column matrices of some images at a time, one product for each image or
** for each group, whichever there are fewer of.  Every sum has one order.
*/
#include "conv.h"
#include "gemm.h"
#include "grid.h"

static __host__ __device__ inline int64_t volume(const int64_t *v) { return v[0] * v[1] * v[2]; }

/* -- Columns: [images, channels * kernel, positions]
 * ----------------------------------------------- */

/* The input cell that tap `k` of the window at `position` touches; false outside. */
static __device__ inline bool cell_of(const kiln_conv &g, int64_t k, int64_t position,
                                      int64_t *cell) {
  int64_t kx = k % g.kernel[2], ky = k / g.kernel[2] % g.kernel[1];
  int64_t kz = k / (g.kernel[2] * g.kernel[1]);
  int64_t ox = position % g.out[2], oy = position / g.out[2] % g.out[1];
  int64_t oz = position / (g.out[2] * g.out[1]);
  int64_t x = ox * g.stride[2] - g.padding[2] + kx * g.dilation[2];
  int64_t y = oy * g.stride[1] - g.padding[1] + ky * g.dilation[1];
  int64_t z = oz * g.stride[0] - g.padding[0] + kz * g.dilation[0];
  *cell = (z * g.in[1] + y) * g.in[2] + x;
  return x >= 0 && x < g.in[2] && y >= 0 && y < g.in[1] && z >= 0 && z < g.in[0];
}

template <typename T>
static __global__ void to_columns(kiln_conv g, const T *images, T *columns, int64_t n) {
  int64_t positions = volume(g.out), taps = volume(g.kernel), cells = volume(g.in);
  KILN_EACH(i, n * g.ca * taps * positions) {
    int64_t row = i / positions, cell;
    bool inside = cell_of(g, row % taps, i % positions, &cell);
    columns[i] = inside ? images[row / taps * cells + cell] : (T)0;
  }
}

/* The position along one dim whose tap `k` touches cell `at`; -1 for none. */
static __device__ inline int64_t position_of(const kiln_conv &g, int d, int64_t at, int64_t k) {
  int64_t from = at + g.padding[d] - k * g.dilation[d], o = from / g.stride[d];
  return from >= 0 && from % g.stride[d] == 0 && o < g.out[d] ? o : -1;
}

template <typename T>
static __global__ void from_columns(kiln_conv g, const T *columns, T *images, int64_t n) {
  int64_t positions = volume(g.out), taps = volume(g.kernel), cells = volume(g.in);
  KILN_EACH(i, n * g.ca * cells) {
    int64_t x = i % g.in[2], y = i / g.in[2] % g.in[1], z = i / (g.in[2] * g.in[1]) % g.in[0];
    const T *column = columns + i / cells * taps * positions;
    T sum = 0;
    for (int64_t kz = 0; kz < g.kernel[0]; kz++) {
      int64_t oz = position_of(g, 0, z, kz);
      for (int64_t ky = 0; oz >= 0 && ky < g.kernel[1]; ky++) {
        int64_t oy = position_of(g, 1, y, ky);
        for (int64_t kx = 0; oy >= 0 && kx < g.kernel[2]; kx++) {
          int64_t ox = position_of(g, 2, x, kx);
          int64_t tap = (kz * g.kernel[1] + ky) * g.kernel[2] + kx;
          if (ox >= 0)
            sum += column[tap * positions + (oz * g.out[1] + oy) * g.out[2] + ox];
        }
      }
    }
    images[i] = sum;
  }
}

/* Adds bias to each channel of b [n, channels, plane]. */
template <typename T>
static __global__ void add_bias(const T *bias, int64_t channels, int64_t plane, T *b, int64_t n) {
  KILN_EACH(i, n) { b[i] += bias[i / plane % channels]; }
}

/* -- Products over columns
 * --------------------------------------------------------------------------- */

/* The window is one element that moves by one: the image is its own column matrix. */
static bool is_pointwise(const kiln_conv *g) {
  for (int i = 0; i < 3; i++) {
    if (g->kernel[i] != 1 || g->stride[i] != 1 || g->padding[i] != 0)
      return false;
  }
  return true;
}

/* The product of one group of `images` images from the first on. */
static kiln_cuda_gemm product_of(const kiln_conv *g, int32_t which, char *columns, char *w, char *b,
                                 int64_t rows, double beta) {
  int64_t positions = volume(g->out), outputs = g->cb / g->groups;
  kiln_cuda_gemm p = {};
  p.alpha = 1;
  switch (which) {
  case KILN_CONV_B: /* b = w columns */
    p.m = outputs, p.n = positions, p.k = rows;
    p.a = w, p.lda = rows, p.b = columns, p.ldb = positions, p.c = b, p.ldc = positions;
    break;
  case KILN_CONV_A: /* columns = w^T b */
    p.m = rows, p.n = positions, p.k = outputs, p.ta = true;
    p.a = w, p.lda = rows, p.b = b, p.ldb = positions, p.c = columns, p.ldc = positions;
    break;
  default: /* w += b columns^T */
    p.m = outputs, p.n = rows, p.k = positions, p.tb = true;
    p.a = b, p.lda = positions, p.b = columns, p.ldb = positions, p.c = w, p.ldc = rows;
    p.beta = beta;
  }
  return p;
}

/* Distances between operands of two products, in elements. */
typedef struct steps {
  int64_t columns, w, b;
} steps;

static void set_steps(kiln_cuda_gemm *p, int32_t which, steps s) {
  p->sa = which == KILN_CONV_W ? s.b : s.w;
  p->sb = which == KILN_CONV_A ? s.b : s.columns;
  p->sc = which == KILN_CONV_B ? s.b : which == KILN_CONV_A ? s.columns : s.w;
}

/* All groups of `images` images; the products of one batch are independent, so that gradients of
** weights are batched over groups and added image by image. */
static void multiply(kiln_job *j, const kiln_conv *g, int32_t which, int32_t dtype, char *columns,
                     char *w, char *b, int64_t images, bool first) {
  int64_t size = kiln__bytes_of(dtype), positions = volume(g->out), outputs = g->cb / g->groups;
  int64_t rows = g->ca / g->groups * volume(g->kernel);
  steps by_group = {rows * positions, outputs * rows, outputs * positions};
  steps by_image = {by_group.columns * g->groups, 0, g->cb * positions};
  bool batch_groups = which == KILN_CONV_W || g->groups > images;
  steps inner = batch_groups ? by_group : by_image, outer = batch_groups ? by_image : by_group;
  int64_t units = batch_groups ? images : g->groups;
  for (int64_t u = 0; u < units && j->status == KILN_OK; u++) {
    kiln_cuda_gemm p =
        product_of(g, which, columns + u * outer.columns * size, w + u * outer.w * size,
                   b + u * outer.b * size, rows, first && u == 0 ? 0 : 1);
    p.device = j->device;
    p.dtype = dtype;
    p.batch = batch_groups ? g->groups : images;
    set_steps(&p, which, inner);
    j->status = kiln__cuda_gemm(&p, j->op);
  }
}

template <typename T>
static void by_columns(kiln_job *j, const kiln_conv *g, int32_t which, int32_t dtype, T *a, T *w,
                       T *b) {
  const int64_t most = 256 << 20; /* bytes of columns */
  int64_t image = g->ca * volume(g->in), result = g->cb * volume(g->out);
  int64_t each = g->ca * volume(g->kernel) * volume(g->out);
  bool pointwise = is_pointwise(g);
  int64_t images = most / (each * (int64_t)sizeof(T));
  images = images < 1 ? 1 : images < g->n ? images : g->n;
  T *columns = pointwise ? NULL : (T *)kiln__job_take(j, images * each * (int64_t)sizeof(T));
  for (int64_t first = 0; first < g->n && j->status == KILN_OK; first += images) {
    int64_t n = g->n - first < images ? g->n - first : images;
    T *block = pointwise ? a + first * image : columns;
    if (which != KILN_CONV_A && !pointwise)
      KILN_RUN(j, to_columns<T>, n * each, *g, (const T *)(a + first * image), columns, n);
    multiply(j, g, which, dtype, (char *)block, (char *)w, (char *)(b + first * result), n,
             first == 0);
    if (which == KILN_CONV_A && !pointwise)
      KILN_RUN(j, from_columns<T>, n * image, *g, (const T *)columns, a + first * image, n);
  }
}

/* -- Halves without cuDNN: computed in float
 * ------------------------------------------------------------ */

static __global__ void widen(const void *x, int32_t dtype, float *y, int64_t n) {
  KILN_EACH(i, n) { y[i] = (float)kiln__element(x, dtype, i); }
}
static __global__ void narrow(const float *x, int32_t dtype, void *y, int64_t n) {
  KILN_EACH(i, n) {
    if (dtype == KILN_FLOAT16)
      ((kiln_f16 *)y)[i] = kiln__to_f16(x[i]);
    else
      ((kiln_bf16 *)y)[i] = kiln__to_bf16(x[i]);
  }
}

/* One of three operands in float: a copy, for the two that are read. */
static float *as_float(kiln_job *j, const void *x, int32_t dtype, int64_t n, bool read) {
  float *y = (float *)kiln__job_take(j, n * (int64_t)sizeof(float));
  if (read)
    KILN_RUN(j, widen, n, x, dtype, y, n);
  return y;
}

static void by_float_columns(kiln_job *j, const kiln_conv *g, int32_t which, int32_t dtype, void *a,
                             void *w, void *b, const void *bias) {
  int64_t size[3], plane = volume(g->out);
  size[KILN_CONV_A] = g->n * g->ca * volume(g->in);
  size[KILN_CONV_W] = g->cb * (g->ca / g->groups) * volume(g->kernel);
  size[KILN_CONV_B] = g->n * g->cb * plane;
  void *given[3];
  float *x[3];
  given[KILN_CONV_A] = a, given[KILN_CONV_W] = w, given[KILN_CONV_B] = b;
  for (int32_t i = 0; i < 3; i++)
    x[i] = as_float(j, given[i], dtype, size[i], i != which);
  by_columns(j, g, which, KILN_FLOAT32, x[KILN_CONV_A], x[KILN_CONV_W], x[KILN_CONV_B]);
  if (bias) {
    int64_t channels = which == KILN_CONV_A ? g->ca : g->cb;
    float *wide = as_float(j, bias, dtype, channels, true);
    KILN_RUN(j, add_bias<float>, size[which], (const float *)wide, channels,
             which == KILN_CONV_A ? volume(g->in) : plane, x[which], size[which]);
  }
  KILN_RUN(j, narrow, size[which], (const float *)x[which], dtype, given[which], size[which]);
}

/* The same to halves that cuDNN has computed: rounded a second time. */
static __global__ void add_half_bias(const void *bias, int32_t dtype, int64_t channels,
                                     int64_t plane, void *b, int64_t n) {
  KILN_EACH(i, n) {
    float v =
        (float)(kiln__element(b, dtype, i) + kiln__element(bias, dtype, i / plane % channels));
    if (dtype == KILN_FLOAT16)
      ((kiln_f16 *)b)[i] = kiln__to_f16(v);
    else
      ((kiln_bf16 *)b)[i] = kiln__to_bf16(v);
  }
}

/* -- Calls
 * ---------------------------------------------------------------------------------------------- */

/* From input, weight and output of an ordinary convolution, and three lists from `list` on. */
static kiln_conv geometry(const kiln_tensor *a, const kiln_tensor *w, const kiln_tensor *b,
                          const kiln_list *list, int64_t groups) {
  kiln_conv g = {};
  int32_t dims = w->ndim - 2, skip = 3 - dims;
  g.n = a->shape[0];
  g.ca = a->shape[1];
  g.cb = b->shape[1];
  g.groups = groups;
  for (int32_t i = 0; i < 3; i++) {
    int32_t k = i - skip;
    bool used = k >= 0;
    g.in[i] = used ? a->shape[k + 2] : 1;
    g.out[i] = used ? b->shape[k + 2] : 1;
    g.kernel[i] = used ? w->shape[k + 2] : 1;
    g.stride[i] = used ? list[0].v[list[0].n == 1 ? 0 : k] : 1;
    g.padding[i] = used ? list[1].v[list[1].n == 1 ? 0 : k] : 0;
    g.dilation[i] = used ? list[2].v[list[2].n == 1 ? 0 : k] : 1;
  }
  return g;
}

static int32_t run(const char *op, const kiln_conv *g, int32_t which, const kiln_tensor *out,
                   void *a, void *w, void *b, const void *bias) {
  kiln_job j = kiln__job(op, out->device);
  int32_t dtype = out->dtype;
  bool empty = g->n == 0 || g->ca == 0 || g->cb == 0 || volume(g->in) == 0 || volume(g->out) == 0;
  if (out->numel == 0)
    return KILN_OK;
  int32_t done = 1;
  if (empty) /* a sum of nothing */
    kiln__job_zero(&j, kiln__data(out), out->numel * kiln__bytes_of(dtype));
  else
    done = kiln__cudnn_conv(g, which, j.device, dtype, a, w, b);
  if (done < 0)
    return done;
  bool half = dtype == KILN_FLOAT16 || dtype == KILN_BFLOAT16;
  if (done == 0 && half) {
    by_float_columns(&j, g, which, dtype, a, w, b, bias);
    return kiln__job_end(&j);
  }
  if (done == 0)
    KILN_BY_FLOAT(dtype, by_columns(&j, g, which, dtype, (type *)a, (type *)w, (type *)b));
  int64_t channels = out->shape[1], plane = out->numel / (out->shape[0] * channels);
  if (bias && half)
    KILN_RUN(&j, add_half_bias, out->numel, bias, dtype, channels, plane, kiln__data(out),
             out->numel);
  else if (bias)
    KILN_BY_FLOAT(dtype, KILN_RUN(&j, add_bias<type>, out->numel, (const type *)bias, channels,
                                  plane, (type *)kiln__data(out), out->numel));
  return kiln__job_end(&j);
}

static int32_t convolution(const kiln_call *c) {
  kiln_tensor *x = c->in[0], *w = c->in[1], *y = c->out[0];
  bool transposed = c->attr[0].i != 0;
  kiln_conv g = geometry(transposed ? y : x, w, transposed ? x : y, c->list, c->attr[1].i);
  return run("convolution", &g, transposed ? KILN_CONV_A : KILN_CONV_B, y,
             kiln__data(transposed ? y : x), kiln__data(w), kiln__data(transposed ? x : y),
             kiln__data_or_null(c->in[2]));
}

static int32_t convolution_dx(const kiln_call *c) {
  kiln_tensor *a = c->out[0], *w = c->in[1], *b = c->in[0];
  kiln_conv g = geometry(a, w, b, c->list + 1, c->attr[0].i);
  return run("convolution_dx", &g, KILN_CONV_A, a, kiln__data(a), kiln__data(w), kiln__data(b),
             NULL);
}

static int32_t convolution_dw(const kiln_call *c) {
  kiln_tensor *a = c->in[1], *w = c->out[0], *b = c->in[0];
  kiln_conv g = geometry(a, w, b, c->list + 1, c->attr[0].i);
  return run("convolution_dw", &g, KILN_CONV_W, w, kiln__data(a), kiln__data(w), kiln__data(b),
             NULL);
}

const kiln_entry kiln__cuda_conv[] = {
    {KILN_OP_CONVOLUTION, KILN_D_FLOAT | KILN_D_HALF, KILN_K_CONTIGUOUS, convolution},
    {KILN_OP_CONVOLUTION_DX, KILN_D_FLOAT | KILN_D_HALF, KILN_K_CONTIGUOUS, convolution_dx},
    {KILN_OP_CONVOLUTION_DW, KILN_D_FLOAT | KILN_D_HALF, KILN_K_CONTIGUOUS, convolution_dw},
};
const int32_t kiln__cuda_conv_n = sizeof kiln__cuda_conv / sizeof *kiln__cuda_conv;
