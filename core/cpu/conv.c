/* conv.c: the kernels of convolutions.  float32 goes to oneDNN where that is built in; the rest is
** matrix products over columns, image by image, with buffers that fit the cache.
*/
#include "gemm.h"

#define EACH_FLOATS_ONLY
#define EACH "conv_each.h"
#include "each.h"

static int64_t volume(const int64_t *v) { return v[0] * v[1] * v[2]; }

/* From input, weight and output of an ordinary convolution, and three lists from `list` on. */
static kiln_conv geometry(const kiln_tensor *a, const kiln_tensor *w, const kiln_tensor *b,
                          const kiln_list *list, int64_t groups) {
  kiln_conv g = {.n = a->shape[0], .ca = a->shape[1], .cb = b->shape[1], .groups = groups};
  int32_t dims = w->ndim - 2, skip = 3 - dims;
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

/* -- Columns ------------------------------------------------------------------------------------
 */

typedef struct job {
  kiln_conv g;
  bool f64;
  int64_t size, rows, block; /* bytes an element; rows of a column matrix; positions at a time */
  int64_t images;            /* a unit of work: so many images of one group */
  char *a, *w, *b, *buffers;
  kiln_gemm product;
} job;

/* The window is one element that moves by one: the image is its own column matrix. */
static bool is_pointwise(const kiln_conv *g) {
  for (int i = 0; i < 3; i++) {
    if (g->kernel[i] != 1 || g->stride[i] != 1 || g->padding[i] != 0)
      return false;
  }
  return true;
}

static char *image_a(const job *j, int64_t n, int64_t group) {
  return j->a + (n * j->g.ca + group * (j->g.ca / j->g.groups)) * volume(j->g.in) * j->size;
}
static char *image_b(const job *j, int64_t n, int64_t group) {
  return j->b + (n * j->g.cb + group * (j->g.cb / j->g.groups)) * volume(j->g.out) * j->size;
}

/* One group of one image, output positions a block at a time, on this thread. */
static void image_product(const job *j, int32_t which, int64_t n, int64_t group, char *w,
                          double beta, char *buffer) {
  const kiln_conv *g = &j->g;
  int64_t positions = volume(g->out), outputs = g->cb / g->groups;
  bool pointwise = is_pointwise(g);
  char *a = image_a(j, n, group);
  if (which == KILN_CONV_A && !pointwise) {
    memset(a, 0, (size_t)(g->ca / g->groups * volume(g->in) * j->size));
  }
  for (int64_t first = 0; first < positions; first += j->block) {
    int64_t last = positions - first < j->block ? positions : first + j->block;
    char *b = image_b(j, n, group) + first * j->size;
    char *columns = pointwise ? a + first * j->size : buffer;
    int64_t ld = pointwise ? positions : last - first;
    kiln_gemm p = j->product;
    if (which != KILN_CONV_A && !pointwise) {
      (j->f64 ? to_columns_f64 : to_columns_f32)(g, a, first, last, ld, 1, buffer);
    }
    switch (which) {
    case KILN_CONV_B: /* b = w columns */
      p.m = outputs, p.n = last - first, p.k = j->rows;
      p.a = w, p.lda = j->rows, p.b = columns, p.ldb = ld, p.c = b, p.ldc = positions;
      break;
    case KILN_CONV_A: /* columns = w^T b */
      p.m = j->rows, p.n = last - first, p.k = outputs, p.ta = true;
      p.a = w, p.lda = j->rows, p.b = b, p.ldb = positions, p.c = columns, p.ldc = ld;
      break;
    default: /* w += b columns^T */
      p.m = outputs, p.n = j->rows, p.k = last - first, p.tb = true;
      p.a = b, p.lda = positions, p.b = columns, p.ldb = ld, p.c = w, p.ldc = j->rows;
      p.beta = first == 0 ? beta : 1;
    }
    kiln__gemm_tile(&p, 0, 0, p.m, 0, p.n);
    if (which == KILN_CONV_A && !pointwise) {
      (j->f64 ? from_columns_f64 : from_columns_f32)(g, buffer, first, last, ld, 1, a);
    }
  }
}

static int32_t by_columns(const kiln_conv *g, int32_t which, bool f64, void *a, void *w, void *b) {
  enum { BUFFER = 1 << 21 };
  int64_t size = f64 ? 8 : 4, positions = volume(g->out), kernel = volume(g->kernel);
  job j = {.g = *g,
           .f64 = f64,
           .size = size,
           .rows = g->ca / g->groups * kernel,
           .images = 1,
           .a = a,
           .w = w,
           .b = b};
  j.product = (kiln_gemm){.blas = kiln__blas(), .f64 = f64, .batch = 1, .alpha = 1};
  if (j.rows > INT32_MAX || positions > INT32_MAX) {
    return kiln_fail(KILN_EARG, "convolution: %lld positions of %lld inputs are too many for BLAS",
                     (long long)positions, (long long)j.rows);
  }
  if (!j.product.blas)
    return KILN_EBACKEND;
  j.block = is_pointwise(g) ? positions : BUFFER / (j.rows * size) / 16 * 16;
  if (j.block < 16)
    j.block = 16;
  if (j.block > positions)
    j.block = positions;

  /* Gradients of the weights of some images each, which are added in order. */
  int64_t parts = 1, weights = g->cb * j.rows;
  if (which == KILN_CONV_W) {
    parts = 2 * kiln__cores() < g->n ? 2 * kiln__cores() : g->n;
    j.images = (g->n + parts - 1) / parts;
    parts = (g->n + j.images - 1) / j.images;
  }
  int64_t threads = omp_get_max_threads();
  int64_t each = (j.rows * j.block * size + 63) & ~(int64_t)63;
  int64_t sums = parts > 1 ? parts * weights * size : 0, bytes = threads * each + sums;
  char *memory = kiln__scratch(0, bytes);
  if (!memory)
    return KILN_ENOMEM;
  char *partial = parts > 1 ? memory + threads * each : w;
  double work = (double)g->n * (double)weights * (double)positions;
  int64_t units = (g->n + j.images - 1) / j.images * g->groups;
  int64_t slice = g->cb / g->groups * j.rows * size;
  KILN_UNITS(units, work / 20, {
    int64_t part = unit / g->groups, group = unit % g->groups;
    char *weight =
        (which == KILN_CONV_W ? partial + part * weights * size : (char *)w) + group * slice;
    for (int64_t i = 0; i < j.images && part * j.images + i < g->n; i++) {
      image_product(&j, which, part * j.images + i, group, weight, i > 0,
                    memory + omp_get_thread_num() * each);
    }
  });
  if (sums) {
    KILN_PARALLEL(weights, 16, KILN_GRAIN / parts + 1,
                  (f64 ? add_parts_f64 : add_parts_f32)(partial, parts, weights, from, to));
    memcpy(w, partial, (size_t)(weights * size));
  }
  kiln__scratch_free(0, memory, bytes);
  return KILN_OK;
}

/* -- Small images -------------------------------------------------------------------------------
 */

/* Where all images together have few output positions, the weights outweigh everything: one product
** for the whole batch reads them once, as they are. */
static bool is_small(const kiln_conv *g) {
  enum { MOST_POSITIONS = 128, LEAST_WEIGHTS = 1 << 16 };
  return g->groups == 1 && g->n * volume(g->out) <= MOST_POSITIONS &&
         g->ca * g->cb * volume(g->kernel) >= LEAST_WEIGHTS;
}

/* Between b [n, cb, positions] and a matrix [cb, n * positions]. */
static void turn_images(const job *j, bool to_matrix, char *matrix) {
  int64_t run = volume(j->g.out) * j->size;
  for (int64_t n = 0; n < j->g.n; n++) {
    for (int64_t c = 0; c < j->g.cb; c++) {
      char *b = j->b + (n * j->g.cb + c) * run, *m = matrix + (c * j->g.n + n) * run;
      memcpy(to_matrix ? m : b, to_matrix ? b : m, (size_t)run);
    }
  }
}

static int32_t by_batch(const kiln_conv *g, int32_t which, bool f64, void *a, void *w, void *b) {
  int64_t size = f64 ? 8 : 4, positions = volume(g->out), total = g->n * positions;
  job j = {.g = *g, .size = size, .rows = g->ca * volume(g->kernel), .a = a, .w = w, .b = b};
  kiln_gemm p = {.blas = kiln__blas(), .f64 = f64, .batch = 1, .alpha = 1};
  int64_t column_bytes = (j.rows * total * size + 63) & ~(int64_t)63;
  int64_t bytes = column_bytes + g->cb * total * size;
  if (!p.blas)
    return KILN_EBACKEND;
  char *columns = kiln__scratch(0, bytes), *matrix = columns + column_bytes;
  if (!columns)
    return KILN_ENOMEM;
  if (which != KILN_CONV_B)
    turn_images(&j, true, matrix);
  if (which != KILN_CONV_A) {
    KILN_UNITS(g->n, j.rows * total, {
      (f64 ? to_columns_f64 : to_columns_f32)(g, image_a(&j, unit, 0), 0, positions, total, 1,
                                              columns + unit * positions * size);
    });
  }
  switch (which) {
  case KILN_CONV_B:
    p.m = g->cb, p.n = total, p.k = j.rows;
    p.a = w, p.lda = j.rows, p.b = columns, p.ldb = total, p.c = matrix, p.ldc = total;
    break;
  case KILN_CONV_A:
    /* The columns turned: the weights are read as they lie. */
    p.m = total, p.n = j.rows, p.k = g->cb, p.ta = true;
    p.a = matrix, p.lda = total, p.b = w, p.ldb = j.rows, p.c = columns, p.ldc = j.rows;
    break;
  default:
    p.m = g->cb, p.n = j.rows, p.k = total, p.tb = true;
    p.a = matrix, p.lda = total, p.b = columns, p.ldb = total, p.c = w, p.ldc = j.rows;
  }
  kiln__gemm(&p);
  if (which == KILN_CONV_B)
    turn_images(&j, false, matrix);
  if (which == KILN_CONV_A) {
    memset(a, 0, (size_t)(g->n * g->ca * volume(g->in) * size));
    KILN_UNITS(g->n, j.rows * total, {
      (f64 ? from_columns_f64 : from_columns_f32)(g, columns + unit * positions * j.rows * size, 0,
                                                  positions, 1, j.rows, image_a(&j, unit, 0));
    });
  }
  kiln__scratch_free(0, columns, bytes);
  return KILN_OK;
}

/* -- Kernels ------------------------------------------------------------------------------------
 */

/* Computes one of a, w, b; *bias is cleared when it has been added. */
static int32_t compute(const kiln_conv *g, int32_t which, bool f64, void *a, void *w, void *b,
                       void **bias) {
  if (is_small(g))
    return by_batch(g, which, f64, a, w, b);
#ifdef KILN_ONEDNN
  if (!f64) {
    bool biased = which == KILN_CONV_B;
    int32_t done = kiln__onednn_conv(g, (kiln_conv_result)which, a, w, b, biased ? *bias : NULL);
    if (done > 0 && biased)
      *bias = NULL;
    if (done != 0)
      return done;
  }
#endif
  (void)bias;
  return by_columns(g, which, f64, a, w, b);
}

static int32_t run(const kiln_conv *g, int32_t which, const kiln_tensor *out, void *a, void *w,
                   void *b, void *bias) {
  bool f64 = out->dtype == KILN_FLOAT64, empty = g->n == 0 || g->ca == 0 || g->cb == 0;
  if (out->numel == 0)
    return KILN_OK;
  if (empty || volume(g->in) == 0) { /* a sum of nothing */
    memset(kiln__data(out), 0, (size_t)(out->numel * kiln__size_of(out->dtype)));
  } else {
    int32_t status = compute(g, which, f64, a, w, b, &bias);
    if (status < 0)
      return status;
  }
  if (bias) {
    int64_t channels = out->shape[1], planes = out->shape[0] * channels;
    int64_t plane = out->numel / planes;
    KILN_PARALLEL(
        planes, 1, KILN_GRAIN / plane + 1,
        (f64 ? add_bias_f64 : add_bias_f32)(bias, channels, plane, kiln__data(out), from, to));
  }
  return KILN_OK;
}

static int32_t convolution(const kiln_call *c) {
  kiln_tensor *x = c->in[0], *w = c->in[1], *y = c->out[0];
  bool transposed = c->attr[0].i != 0;
  void *bias = c->in[2] ? kiln__data(c->in[2]) : NULL;
  kiln_conv g = geometry(transposed ? y : x, w, transposed ? x : y, c->list, c->attr[1].i);
  return run(&g, transposed ? KILN_CONV_A : KILN_CONV_B, y, kiln__data(transposed ? y : x),
             kiln__data(w), kiln__data(transposed ? x : y), bias);
}

static int32_t convolution_dx(const kiln_call *c) {
  kiln_tensor *a = c->out[0], *w = c->in[1], *b = c->in[0];
  kiln_conv g = geometry(a, w, b, c->list + 1, c->attr[0].i);
  return run(&g, KILN_CONV_A, a, kiln__data(a), kiln__data(w), kiln__data(b), NULL);
}

static int32_t convolution_dw(const kiln_call *c) {
  kiln_tensor *a = c->in[1], *w = c->out[0], *b = c->in[0];
  kiln_conv g = geometry(a, w, b, c->list + 1, c->attr[0].i);
  return run(&g, KILN_CONV_W, w, kiln__data(a), kiln__data(w), kiln__data(b), NULL);
}

static const kiln_entry conv_kernels[] = {
    {KILN_OP_CONVOLUTION, KILN_D_FLOAT, KILN_K_CONTIGUOUS, convolution},
    {KILN_OP_CONVOLUTION_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, convolution_dx},
    {KILN_OP_CONVOLUTION_DW, KILN_D_FLOAT, KILN_K_CONTIGUOUS, convolution_dw},
};

void FN(kiln__cpu_conv)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, conv_kernels);
}
