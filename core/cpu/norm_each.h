/* norm_each.h: normalisation for element type T.  Read by each.h.
**
** Sums run over pieces of PIECE elements in T, whose results are added in double.
*/

/* Sums of PIECE elements: four vectors at a time, because one would wait for each addition. */
typedef T TYPED(vector) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
enum { TYPED(LANES) = 64 / sizeof(T) };

/* Adds TERM, an expression over vectors, for i in first..last to `all`; REST is the same for one
** element. */
#define ADD_PIECES(n, TERM, REST, all)                                                             \
  for (int64_t first = 0; first < (n); first += PIECE) {                                           \
    enum { L = TYPED(LANES) };                                                                     \
    int64_t last = (n)-first < PIECE ? (n) : first + PIECE, i = first;                             \
    TYPED(vector) s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                          \
    T rest = 0;                                                                                    \
    for (; i + 4 * L <= last; i += 4 * L) {                                                        \
      s0 += TERM(i), s1 += TERM(i + L), s2 += TERM(i + 2 * L), s3 += TERM(i + 3 * L);              \
    }                                                                                              \
    for (; i + L <= last; i += L)                                                                  \
      s0 += TERM(i);                                                                               \
    for (; i < last; i++)                                                                          \
      rest += REST(i);                                                                             \
    s0 = (s0 + s1) + (s2 + s3);                                                                    \
    for (int k = 0; k < L; k++)                                                                    \
      rest += s0[k];                                                                               \
    all += (double)rest;                                                                           \
  }
#define VECTOR(p) (*(const TYPED(vector) *)(p))

static double TYPED(total)(const T *x, int64_t n) {
  double all = 0;
#define TERM(i) VECTOR(x + (i))
#define REST(i) x[i]
  ADD_PIECES(n, TERM, REST, all)
#undef TERM
#undef REST
  return all;
}

/* Sum of (x - mean)^2. */
static double TYPED(squares)(const T *x, int64_t n, T mean) {
  double all = 0;
#define TERM(i) ((VECTOR(x + (i)) - mean) * (VECTOR(x + (i)) - mean))
#define REST(i) ((x[i] - mean) * (x[i] - mean))
  ADD_PIECES(n, TERM, REST, all)
#undef TERM
#undef REST
  return all;
}

/* Adds the sums of g w and of g w (x - mean); w may be NULL for ones. */
static void TYPED(moments)(const T *g, const T *w, const T *x, int64_t n, T mean, double *sum_g,
                           double *sum_gx) {
  for (int64_t first = 0; first < n; first += PIECE) {
    enum { L = TYPED(LANES) };
    int64_t last = n - first < PIECE ? n : first + PIECE, i = first;
    TYPED(vector) a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0};
    T a = 0, b = 0;
    for (; i + 2 * L <= last; i += 2 * L) {
      TYPED(vector) g0 = VECTOR(g + i), g1 = VECTOR(g + i + L);
      if (w)
        g0 *= VECTOR(w + i), g1 *= VECTOR(w + i + L);
      a0 += g0, a1 += g1;
      b0 += g0 * (VECTOR(x + i) - mean), b1 += g1 * (VECTOR(x + i + L) - mean);
    }
    for (; i < last; i++) {
      T gw = w ? g[i] * w[i] : g[i];
      a += gw;
      b += gw * (x[i] - mean);
    }
    a0 += a1, b0 += b1;
    for (int k = 0; k < L; k++)
      a += a0[k], b += b0[k];
    *sum_g += (double)a;
    *sum_gx += (double)b;
  }
}

#undef ADD_PIECES
#undef VECTOR

/* y = (x - mean) * scale + shift. */
static void TYPED(affine)(const T *x, int64_t n, T mean, T scale, T shift, T *y) {
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    y[i] = (x[i] - mean) * scale + shift;
}

/* dx = g * scale - (a + (x - mean) * b). */
static void TYPED(spread)(const T *g, const T *x, int64_t n, T mean, T scale, T a, T b, T *dx) {
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    dx[i] = g[i] * scale - (a + (x[i] - mean) * b);
}

/* Asks for memory that will be written: the processor foresees reads, not writes. */
static inline void TYPED(fetch)(const T *y, int64_t n) {
  for (int64_t i = 0; i < n; i += TYPED(LANES))
    __builtin_prefetch(y + i, 0, 2);
}

static T TYPED(at)(const void *w, int64_t i, T otherwise) {
  return w ? ((const T *)w)[i] : otherwise;
}

/* -- Batch normalisation: x [n, channels, plane] --------------------------------------------- */

static void TYPED(batch_channels)(const norm_job *j, int64_t from, int64_t to) {
  int64_t plane = j->plane, step = j->channels * plane;
  double count = (double)(j->n * plane);
  for (int64_t c = from; c < to; c++) {
    const T *x = (const T *)j->x + c * plane;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < j->n; i++)
      sum += TYPED(total)(x + i * step, plane);
    T mean = (T)(sum / count);
    for (int64_t i = 0; i < j->n; i++)
      square += TYPED(squares)(x + i * step, plane, mean);
    double var = square / count;
    T scale = (T)(1 / sqrt(var + j->eps)) * TYPED(at)(j->weight, c, 1);
    T shift = TYPED(at)(j->bias, c, 0);
    T *y = (T *)j->y + c * plane;
    for (int64_t i = 0; i < j->n; i++) {
      if (i + 1 < j->n)
        TYPED(fetch)(y + (i + 1) * step, plane);
      TYPED(affine)(x + i * step, plane, mean, scale, shift, y + i * step);
    }
    ((T *)j->mean)[c] = mean;
    ((T *)j->var)[c] = (T)var;
  }
}

static void TYPED(batch_dx_channels)(const norm_job *j, int64_t from, int64_t to) {
  int64_t plane = j->plane, step = j->channels * plane;
  double count = (double)(j->n * plane);
  for (int64_t c = from; c < to; c++) {
    const T *x = (const T *)j->x + c * plane, *g = (const T *)j->g + c * plane;
    T mean = ((const T *)j->mean)[c];
    double inv = 1 / sqrt((double)((const T *)j->var)[c] + j->eps), sum_g = 0, sum_gx = 0;
    for (int64_t i = 0; i < j->n; i++) {
      TYPED(moments)(g + i * step, NULL, x + i * step, plane, mean, &sum_g, &sum_gx);
    }
    ((T *)j->dweight)[c] = (T)(sum_gx * inv);
    ((T *)j->dbias)[c] = (T)sum_g;
    double scale = inv * (double)TYPED(at)(j->weight, c, 1);
    T a = (T)(scale * sum_g / count), b = (T)(scale * inv * inv * sum_gx / count);
    T *dx = (T *)j->y + c * plane;
    for (int64_t i = 0; i < j->n; i++) {
      if (i + 1 < j->n)
        TYPED(fetch)(dx + (i + 1) * step, plane);
      TYPED(spread)(g + i * step, x + i * step, plane, mean, (T)scale, a, b, dx + i * step);
    }
  }
}

/* The same for planes of one element: a strip of channels at a time. */
static void TYPED(batch_strips)(const norm_job *j, int64_t from, int64_t to) {
  double sum[STRIP], square[STRIP];
  T mean[STRIP], scale[STRIP];
  for (int64_t u = from; u < to; u++) {
    int64_t first = u * STRIP, width = j->channels - first < STRIP ? j->channels - first : STRIP;
    const T *x = (const T *)j->x + first;
    T *y = (T *)j->y + first;
    for (int64_t c = 0; c < width; c++)
      sum[c] = square[c] = 0;
    for (int64_t i = 0; i < j->n; i++) {
      for (int64_t c = 0; c < width; c++)
        sum[c] += (double)x[i * j->channels + c];
    }
    for (int64_t c = 0; c < width; c++)
      sum[c] /= (double)j->n;
    for (int64_t i = 0; i < j->n; i++) {
      for (int64_t c = 0; c < width; c++) {
        double d = (double)x[i * j->channels + c] - sum[c];
        square[c] += d * d;
      }
    }
    for (int64_t c = 0; c < width; c++) {
      double var = square[c] / (double)j->n;
      mean[c] = ((T *)j->mean)[first + c] = (T)sum[c];
      ((T *)j->var)[first + c] = (T)var;
      scale[c] = (T)(1 / sqrt(var + j->eps)) * TYPED(at)(j->weight, first + c, 1);
    }
    for (int64_t i = 0; i < j->n; i++) {
      for (int64_t c = 0; c < width; c++) {
        int64_t p = i * j->channels + c;
        y[p] = (x[p] - mean[c]) * scale[c] + TYPED(at)(j->bias, first + c, 0);
      }
    }
  }
}

static void TYPED(batch_dx_strips)(const norm_job *j, int64_t from, int64_t to) {
  double sum_g[STRIP], sum_gx[STRIP];
  T scale[STRIP], a[STRIP], b[STRIP];
  double n = (double)j->n;
  for (int64_t u = from; u < to; u++) {
    int64_t first = u * STRIP, width = j->channels - first < STRIP ? j->channels - first : STRIP;
    const T *x = (const T *)j->x + first, *g = (const T *)j->g + first;
    const T *mean = (const T *)j->mean + first;
    T *y = (T *)j->y + first;
    for (int64_t c = 0; c < width; c++)
      sum_g[c] = sum_gx[c] = 0;
    for (int64_t i = 0; i < j->n; i++) {
      for (int64_t c = 0; c < width; c++) {
        int64_t p = i * j->channels + c;
        sum_g[c] += (double)g[p];
        sum_gx[c] += (double)g[p] * (double)(x[p] - mean[c]);
      }
    }
    for (int64_t c = 0; c < width; c++) {
      double inv = 1 / sqrt((double)((const T *)j->var)[first + c] + j->eps);
      double s = inv * (double)TYPED(at)(j->weight, first + c, 1);
      ((T *)j->dweight)[first + c] = (T)(sum_gx[c] * inv);
      ((T *)j->dbias)[first + c] = (T)sum_g[c];
      scale[c] = (T)s;
      a[c] = (T)(s * sum_g[c] / n);
      b[c] = (T)(s * inv * inv * sum_gx[c] / n);
    }
    for (int64_t i = 0; i < j->n; i++) {
      for (int64_t c = 0; c < width; c++) {
        int64_t p = i * j->channels + c;
        y[p] = g[p] * scale[c] - (a[c] + (x[p] - mean[c]) * b[c]);
      }
    }
  }
}

/* Rows of channels from..to of all samples, by given statistics. */
static void TYPED(batch_eval)(const norm_job *j, int64_t from, int64_t to) {
  for (int64_t u = from; u < to; u++) {
    int64_t c = u % j->channels;
    T inv = (T)(1 / sqrt((double)((const T *)j->var)[c] + j->eps));
    TYPED(affine)
    ((const T *)j->x + u * j->plane, j->plane, ((const T *)j->mean)[c],
     inv * TYPED(at)(j->weight, c, 1), TYPED(at)(j->bias, c, 0), (T *)j->y + u * j->plane);
  }
}

/* -- Layer and RMS normalisation: x [n, plane], weight [plane] ------------------------------- */

static void TYPED(layer_statistics)(const norm_job *j, const T *x, T *mean, double *inv) {
  double count = (double)j->plane;
  *mean = j->centred ? (T)(TYPED(total)(x, j->plane) / count) : 0;
  *inv = 1 / sqrt(TYPED(squares)(x, j->plane, *mean) / count + j->eps);
}

static void TYPED(layer_rows)(const norm_job *j, int64_t from, int64_t to) {
  const T *w = j->weight, *bias = j->bias;
  for (int64_t r = from; r < to; r++) {
    const T *x = (const T *)j->x + r * j->plane;
    T *y = (T *)j->y + r * j->plane, mean;
    double inv;
    TYPED(layer_statistics)(j, x, &mean, &inv);
    T scale = (T)inv;
    if (w && bias && j->streamed) {
      _Alignas(64) T room[PIECE];
      for (int64_t first = 0; first < j->plane; first += PIECE) {
        int64_t n = j->plane - first < PIECE ? j->plane - first : PIECE;
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
          room[i] = (x[first + i] - mean) * scale * w[first + i] + bias[first + i];
        kiln__stream(y + first, room, n * (int64_t)sizeof(T));
      }
      continue;
    }
    if (r + 1 < to)
      TYPED(fetch)(y + j->plane, j->plane);
    if (w && bias) {
#pragma omp simd
      for (int64_t i = 0; i < j->plane; i++)
        y[i] = (x[i] - mean) * scale * w[i] + bias[i];
      continue;
    }
    TYPED(affine)(x, j->plane, mean, scale, 0, y);
    for (int64_t i = 0; w && i < j->plane; i++)
      y[i] *= w[i];
    for (int64_t i = 0; bias && i < j->plane; i++)
      y[i] += bias[i];
  }
  kiln__stream_end();
}

/* Blocks of rows: each has sums of its own for the gradients of weight and bias. */
static void TYPED(layer_dx_blocks)(const norm_job *j, int64_t from, int64_t to) {
  const T *w = j->weight;
  double count = (double)j->plane;
  for (int64_t block = from; block < to; block++) {
    T *dw = (T *)j->partial + 2 * block * j->step, *db = dw + j->step;
    int64_t first = block * j->rows, last = j->n - first < j->rows ? j->n : first + j->rows;
    for (int64_t i = 0; i < 2 * j->step; i++)
      dw[i] = 0;
    for (int64_t r = first; r < last; r++) {
      const T *x = (const T *)j->x + r * j->plane, *g = (const T *)j->g + r * j->plane;
      T *dx = (T *)j->y + r * j->plane, mean;
      double inv, sum_g = 0, sum_gx = 0;
      TYPED(layer_statistics)(j, x, &mean, &inv);
      if (r + 1 < last)
        TYPED(fetch)(dx + j->plane, j->plane);
      TYPED(moments)(g, w, x, j->plane, mean, &sum_g, &sum_gx);
      T scale = (T)inv, a = j->centred ? (T)(inv * sum_g / count) : 0;
      T b = (T)(inv * inv * inv * sum_gx / count);
#pragma omp simd
      for (int64_t i = 0; i < j->plane; i++) {
        T centre = x[i] - mean, gw = w ? g[i] * w[i] : g[i];
        dw[i] += g[i] * centre * scale;
        db[i] += g[i];
        dx[i] = gw * scale - (a + centre * b);
      }
    }
  }
}

static void TYPED(layer_dx_sum)(const norm_job *j, int64_t from, int64_t to) {
  T *dw = j->dweight, *db = j->dbias;
  for (int64_t i = from; i < to; i++)
    dw[i] = 0;
  for (int64_t i = from; db && i < to; i++)
    db[i] = 0;
  for (int64_t block = 0; block < j->blocks; block++) {
    const T *partial = (const T *)j->partial + 2 * block * j->step;
    for (int64_t i = from; i < to; i++)
      dw[i] += partial[i];
    for (int64_t i = from; db && i < to; i++)
      db[i] += partial[j->step + i];
  }
}

/* -- Group normalisation: units are groups of `members` channels of one sample --------------- */

static void TYPED(group_units)(const norm_job *j, int64_t from, int64_t to) {
  int64_t size = j->members * j->plane, groups = j->channels / j->members;
  for (int64_t u = from; u < to; u++) {
    const T *x = (const T *)j->x + u * size;
    T mean = (T)(TYPED(total)(x, size) / (double)size);
    T inv = (T)(1 / sqrt(TYPED(squares)(x, size, mean) / (double)size + j->eps));
    for (int64_t k = 0; k < j->members; k++) {
      int64_t c = u % groups * j->members + k;
      TYPED(affine)
      (x + k * j->plane, j->plane, mean, inv * TYPED(at)(j->weight, c, 1), TYPED(at)(j->bias, c, 0),
       (T *)j->y + u * size + k * j->plane);
    }
  }
}

/* Leaves the sums for the gradients of weight and bias in partial [n, channels, 2]. */
static void TYPED(group_dx_units)(const norm_job *j, int64_t from, int64_t to) {
  int64_t size = j->members * j->plane, groups = j->channels / j->members;
  for (int64_t u = from; u < to; u++) {
    const T *x = (const T *)j->x + u * size, *g = (const T *)j->g + u * size;
    double *partial = (double *)j->partial + 2 * u * j->members;
    T mean = (T)(TYPED(total)(x, size) / (double)size);
    double inv = 1 / sqrt(TYPED(squares)(x, size, mean) / (double)size + j->eps);
    double sum_g = 0, sum_gx = 0;
    for (int64_t k = 0; k < j->members; k++) {
      double w = (double)TYPED(at)(j->weight, u % groups * j->members + k, 1), a = 0, b = 0;
      TYPED(moments)(g + k * j->plane, NULL, x + k * j->plane, j->plane, mean, &a, &b);
      sum_g += w * a;
      sum_gx += w * b;
      partial[2 * k] = b * inv;
      partial[2 * k + 1] = a;
    }
    T a = (T)(inv * sum_g / (double)size), b = (T)(inv * inv * inv * sum_gx / (double)size);
    for (int64_t k = 0; k < j->members; k++) {
      T scale = (T)inv * TYPED(at)(j->weight, u % groups * j->members + k, 1);
      TYPED(spread)
      (g + k * j->plane, x + k * j->plane, j->plane, mean, scale, a, b,
       (T *)j->y + u * size + k * j->plane);
    }
  }
}

static void TYPED(group_dx_sum)(const norm_job *j, int64_t from, int64_t to) {
  const double *partial = j->partial;
  for (int64_t c = from; c < to; c++) {
    double dw = 0, db = 0;
    for (int64_t i = 0; i < j->n; i++) {
      dw += partial[2 * (i * j->channels + c)];
      db += partial[2 * (i * j->channels + c) + 1];
    }
    ((T *)j->dweight)[c] = (T)dw;
    ((T *)j->dbias)[c] = (T)db;
  }
}
