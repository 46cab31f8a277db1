/* random.c: random numbers on the CPU.  What a number is stands in ../random.h; this file makes
** them in chunks that stay in the first-level cache and hands chunks to threads.
** Built with -ffp-contract=off, so that every instruction-set level gives the same bits.
*/
#include "cpu.h"
#include "half.h"
#include "nd.h"
#include "philox.h"

/* Elements a step; a multiple of both group sizes. */
enum { CHUNK = 1024, LONG_GROUP = KILN_RN_GROUP / 2, GRAIN = 16 * CHUNK };

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* For messages: NaN without the sign that printf would show. */
static double shown(double v) { return isnan(v) ? (double)NAN : v; }

static void *out_at(const kiln_call *c, int64_t i) {
  const kiln_tensor *y = c->out[0];
  return (char *)kiln__data(y) + i * kiln__size_of(y->dtype);
}

/* Words of elements first .. first + n - 1, rounded up to whole groups; first is a multiple of
** KILN_RN_GROUP. */
static void words_at(const kiln_call *c, int64_t first, int64_t n, uint32_t *w) {
  philox_fill(c->seed, c->sequence, (uint64_t)(first / KILN_RN_GROUP),
              (n + KILN_RN_GROUP - 1) / KILN_RN_GROUP, w);
}

/* The same for 64-bit numbers and multiples of LONG_GROUP; n <= CHUNK. */
static void longs_at(const kiln_call *c, int64_t first, int64_t n, uint64_t *x) {
  uint32_t w[2 * CHUNK];
  int64_t groups = (n + LONG_GROUP - 1) / LONG_GROUP;
  philox_fill(c->seed, c->sequence, (uint64_t)(first / LONG_GROUP), groups, w);
  for (int64_t g = 0; g < groups; g++) {
    for (int j = 0; j < LONG_GROUP; j++) {
      x[g * LONG_GROUP + j] =
          (uint64_t)w[g * KILN_RN_GROUP + j] << 32 | w[g * KILN_RN_GROUP + LONG_GROUP + j];
    }
  }
}

/* -- Uniform ---------------------------------------------------------------------------- */

/* The largest value of a half dtype below `to`, so that rounding cannot reach it. */
static float half_below(int32_t dtype, float to, float from) {
  uint16_t bits = dtype == KILN_FLOAT16 ? kiln__to_f16(to).bits : kiln__to_bf16(to).bits;
  for (;;) {
    float v = dtype == KILN_FLOAT16 ? kiln__from_f16((kiln_f16){bits})
                                    : kiln__from_bf16((kiln_bf16){bits});
    if (v < to || v <= from)
      return v;
    bits = v > 0 ? bits - 1 : v == 0 ? 0x8001 : bits + 1;
  }
}

static void uniform_part_f32(const kiln_call *c, int64_t from, int64_t to) {
  int32_t dtype = c->out[0]->dtype;
  int bits = dtype == KILN_FLOAT32 ? 24 : dtype == KILN_FLOAT16 ? 11 : 8;
  float low = (float)c->attr[0].f, high = (float)c->attr[1].f, width = high - low;
  float top = low >= high             ? low
              : dtype == KILN_FLOAT32 ? nextafterf(high, low)
                                      : half_below(dtype, high, low);
  uint32_t w[CHUNK];
  float v[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    words_at(c, i, n, w);
    float *y = dtype == KILN_FLOAT32 ? out_at(c, i) : v;
    for (int64_t k = 0; k < n; k++) {
      float u = low + kiln_rn_unit32(w[k], bits) * width;
      y[k] = u > top ? top : u;
    }
    if (y == v)
      kiln_convert(out_at(c, i), dtype, v, KILN_FLOAT32, n);
  }
}

static void uniform_part_f64(const kiln_call *c, int64_t from, int64_t to) {
  double low = c->attr[0].f, high = c->attr[1].f, width = high - low;
  double top = low >= high ? low : nextafter(high, low);
  uint64_t x[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    double *y = out_at(c, i);
    longs_at(c, i, n, x);
    for (int64_t k = 0; k < n; k++) {
      double u = low + kiln_rn_unit64(x[k]) * width;
      y[k] = u > top ? top : u;
    }
  }
}

static int32_t uniform(const kiln_call *c) {
  int64_t n = c->out[0]->numel;
  if (c->out[0]->dtype == KILN_FLOAT64) {
    KILN_PARALLEL(n, CHUNK, GRAIN, uniform_part_f64(c, from, to));
  } else {
    KILN_PARALLEL(n, CHUNK, GRAIN, uniform_part_f32(c, from, to));
  }
  return KILN_OK;
}

/* -- Normal ----------------------------------------------------------------------------- */

static void normal_part_f32(const kiln_call *c, int64_t from, int64_t to) {
  enum { PAIRS = KILN_RN_GROUP / 2 };
  float mean = (float)c->attr[0].f, std = (float)c->attr[1].f, v[CHUNK];
  uint32_t w[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    words_at(c, i, n, w);
    float *y = n == CHUNK ? out_at(c, i) : v;
    for (int64_t g = 0; g < n; g += KILN_RN_GROUP) {
      for (int j = 0; j < PAIRS; j++) {
        float a, b;
        kiln_rn_normal2f(w[g + j], w[g + j + PAIRS], &a, &b);
        y[g + j] = mean + std * a;
        y[g + j + PAIRS] = mean + std * b;
      }
    }
    if (y == v)
      memcpy(out_at(c, i), v, (size_t)n * sizeof *v);
  }
}

/* Pairs of a padded chunk: x[0 .. n) to y[0 .. n), n a multiple of LONG_GROUP. */
static void normal_pairs(const uint64_t *x, double *y, int64_t n, double mean, double std) {
  enum { PAIRS = LONG_GROUP / 2 };
  for (int64_t g = 0; g < n; g += LONG_GROUP) {
    for (int j = 0; j < PAIRS; j++) {
      double a, b;
      kiln_rn_normal2(x[g + j], x[g + j + PAIRS], &a, &b);
      y[g + j] = mean + std * a;
      y[g + j + PAIRS] = mean + std * b;
    }
  }
}

/* -- Whatever is made of 64-bit numbers, in double -----------------------------------------------
 */

/* Turns x[0 .. n) into y[0 .. n); n is a multiple of LONG_GROUP. */
typedef void (*draw_rule)(const kiln_call *c, const uint64_t *x, double *y, int64_t n);

static void draw_part(const kiln_call *c, draw_rule draw, int64_t from, int64_t to) {
  uint64_t x[CHUNK];
  double y[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    longs_at(c, i, n, x);
    draw(c, x, y, (n + LONG_GROUP - 1) / LONG_GROUP * LONG_GROUP);
    kiln_convert(out_at(c, i), c->out[0]->dtype, y, KILN_FLOAT64, n);
  }
}

static int32_t draw_all(const kiln_call *c, draw_rule draw) {
  KILN_PARALLEL(c->out[0]->numel, CHUNK, GRAIN / 2, draw_part(c, draw, from, to));
  return KILN_OK;
}

static void draw_normal(const kiln_call *c, const uint64_t *x, double *y, int64_t n) {
  normal_pairs(x, y, n, c->attr[0].f, c->attr[1].f);
}
static void draw_log_normal(const kiln_call *c, const uint64_t *x, double *y, int64_t n) {
  normal_pairs(x, y, n, c->attr[0].f, c->attr[1].f);
  for (int64_t i = 0; i < n; i++)
    y[i] = kiln_rn_exp(y[i]);
}
static void draw_exponential(const kiln_call *c, const uint64_t *x, double *y, int64_t n) {
  double rate = c->attr[0].f;
  for (int64_t i = 0; i < n; i++)
    y[i] = kiln_rn_exponential(x[i], rate);
}
static void draw_geometric(const kiln_call *c, const uint64_t *x, double *y, int64_t n) {
  double log_q = log1p(-c->attr[0].f), most = kiln__most_of(c->out[0]->dtype);
  for (int64_t i = 0; i < n; i++)
    y[i] = kiln_rn_geometric(x[i], log_q, most);
}
static void draw_cauchy(const kiln_call *c, const uint64_t *x, double *y, int64_t n) {
  double median = c->attr[0].f, sigma = c->attr[1].f;
  for (int64_t i = 0; i < n; i++)
    y[i] = kiln_rn_cauchy(x[i], median, sigma);
}

static int32_t normal(const kiln_call *c) {
  if (c->out[0]->dtype == KILN_FLOAT64)
    return draw_all(c, draw_normal);
  KILN_PARALLEL(c->out[0]->numel, CHUNK, GRAIN / 2, normal_part_f32(c, from, to));
  return KILN_OK;
}
static int32_t log_normal(const kiln_call *c) { return draw_all(c, draw_log_normal); }
static int32_t exponential(const kiln_call *c) { return draw_all(c, draw_exponential); }
static int32_t geometric(const kiln_call *c) { return draw_all(c, draw_geometric); }
static int32_t cauchy(const kiln_call *c) { return draw_all(c, draw_cauchy); }

/* -- Integers -----------------------------------------------------------------------------------
 */

/* from .. to - 1; the range is counted without a sign, so that it may be all of int64. */
static void random_part(const kiln_call *c, int64_t from, int64_t to) {
  uint64_t low = (uint64_t)c->attr[0].i, range = (uint64_t)c->attr[1].i - low, x[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    longs_at(c, i, n, x);
    for (int64_t k = 0; k < n; k++)
      x[k] = low + kiln_rn_below(x[k], range);
    kiln_convert(out_at(c, i), c->out[0]->dtype, x, KILN_INT64, n);
  }
}

static int32_t random_range(const kiln_call *c) {
  KILN_PARALLEL(c->out[0]->numel, CHUNK, GRAIN / 2, random_part(c, from, to));
  return KILN_OK;
}

/* Shuffles 1..n (Fisher and Yates): step i exchanges element i with a place below i + 1. */
#define SHUFFLE(name, type)                                                                        \
  static void name(const kiln_call *c, type *p, int64_t n) {                                       \
    uint64_t x[CHUNK];                                                                             \
    for (int64_t i = 0; i < n; i++)                                                                \
      p[i] = (type)(i + 1);                                                                        \
    for (int64_t first = 0; first < n; first += CHUNK) {                                           \
      int64_t m = least(CHUNK, n - first);                                                         \
      longs_at(c, first, m, x);                                                                    \
      for (int64_t k = 0; k < m; k++) {                                                            \
        x[k] = kiln_rn_below(x[k], (uint64_t)(n - first - k));                                     \
        __builtin_prefetch(p + x[k], 1);                                                           \
      }                                                                                            \
      for (int64_t k = 0; k < m; k++) {                                                            \
        int64_t i = n - 1 - first - k;                                                             \
        type other = p[x[k]];                                                                      \
        p[x[k]] = p[i];                                                                            \
        p[i] = other;                                                                              \
      }                                                                                            \
    }                                                                                              \
  }
SHUFFLE(shuffle32, int32_t)
SHUFFLE(shuffle64, int64_t)

static int32_t randperm(const kiln_call *c) {
  int64_t n = c->out[0]->numel;
  bool small = n <= INT32_MAX;
  int64_t bytes = n * (small ? 4 : 8);
  void *p = kiln__scratch(0, bytes);
  if (!p)
    return KILN_ENOMEM;
  if (small)
    shuffle32(c, p, n);
  else
    shuffle64(c, p, n);
  kiln_convert(kiln__data(c->out[0]), c->out[0]->dtype, p, small ? KILN_INT32 : KILN_INT64, n);
  kiln__scratch_free(0, p, bytes);
  return KILN_OK;
}

/* -- Coins ------------------------------------------------------------------------------ */

/* y[k] = 1 with probability p, to 2^-32. */
static void coins(const uint32_t *w, uint8_t *y, int64_t n, double p) {
  double scaled = p * 0x1p32;
  if (scaled < 1) {
    memset(y, 0, (size_t)n);
    return;
  }
  uint32_t last = (uint32_t)((uint64_t)scaled - 1);
  for (int64_t k = 0; k < n; k++)
    y[k] = w[k] <= last;
}

/* Elements i .. i + n - 1 of in[k], broadcast to the output, as double. */
static void probabilities(const kiln_nd *it, int32_t dtype, int64_t i, int64_t n, double *p) {
  char raw[CHUNK * 8];
  kiln__nd_gather(it, 1, i, n, raw, kiln__size_of(dtype));
  kiln_convert(p, KILN_FLOAT64, raw, dtype, n);
}

/* y[k] = 1 with probability p[k]. */
static void coins_each(const uint32_t *w, uint8_t *y, int64_t n, const float *p) {
#pragma omp simd
  for (int64_t k = 0; k < n; k++)
    y[k] = (double)w[k] < (double)p[k] * 0x1p32;
}

/* Elements of in[1] as they lie, where they lie like the output's and are float32; or NULL. */
static const float *plain_probabilities(const kiln_call *c) {
  const kiln_tensor *p = c->in[1];
  return p->dtype == KILN_FLOAT32 && p->numel == c->out[0]->numel ? kiln__data(p) : NULL;
}

static void bernoulli_part(const kiln_call *c, const kiln_nd *it, double p, int64_t from,
                           int64_t to) {
  const float *plain = plain_probabilities(c);
  uint32_t w[CHUNK];
  uint8_t y[CHUNK];
  double each[CHUNK];
  int32_t dtype = c->out[0]->dtype;
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    uint8_t *bits = kiln__size_of(dtype) == 1 ? out_at(c, i) : y;
    words_at(c, i, n, w);
    if (plain) {
      coins_each(w, bits, n, plain + i);
    } else if (it) {
      probabilities(it, c->in[1]->dtype, i, n, each);
      for (int64_t k = 0; k < n; k++)
        bits[k] = (double)w[k] < each[k] * 0x1p32;
    } else {
      coins(w, bits, n, p);
    }
    if (bits == y)
      kiln_convert(out_at(c, i), dtype, y, KILN_UINT8, n);
  }
}

/* in[1]: the probabilities, a 0-dim tensor or one that broadcasts to the output. */
static int32_t bernoulli(const kiln_call *c) {
  const kiln_tensor *p = c->in[1];
  const float *plain = plain_probabilities(c);
  double each[CHUNK];
  for (int64_t i = 0; i < p->numel; i += CHUNK) {
    int64_t n = least(CHUNK, p->numel - i), bad = 0;
    if (plain) {
      for (int64_t k = 0; k < n; k++)
        bad += !(plain[i + k] >= 0) | !(plain[i + k] <= 1);
      if (bad == 0)
        continue;
    }
    kiln_convert(each, KILN_FLOAT64, (char *)kiln__data(p) + i * kiln__size_of(p->dtype), p->dtype,
                 n);
    for (int64_t k = 0; k < n; k++) {
      if (!(each[k] >= 0 && each[k] <= 1)) {
        return kiln_fail(KILN_EARG, "bernoulli: p must be in 0..1, got %g at position %lld",
                         shown(each[k]), (long long)(i + k + 1));
      }
    }
  }
  kiln_nd it = {0};
  kiln__nd_add(&it, c->out[0]);
  if (it.ndim == 0) {
    it.ndim = 1;
    it.shape[0] = 1;
  }
  if (p->numel != 1)
    kiln__nd_add(&it, p);
  const kiln_nd *walk = p->numel != 1 ? &it : NULL;
  KILN_PARALLEL(c->out[0]->numel, CHUNK, GRAIN,
                bernoulli_part(c, walk, plain ? 0 : each[0], from, to));
  return KILN_OK;
}

static void dropout_part(const kiln_call *c, int64_t from, int64_t to) {
  double p = c->attr[0].f;
  double scale = p < 1 ? 1 / (1 - p) : 0;
  uint8_t *mask = kiln__data(c->out[1]);
  uint32_t w[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    words_at(c, i, n, w);
    coins(w, mask + i, n, 1 - p);
    if (c->in[0]->dtype == KILN_FLOAT64) {
      const double *x = (double *)kiln__data(c->in[0]) + i;
      double *y = out_at(c, i);
      for (int64_t k = 0; k < n; k++)
        y[k] = mask[i + k] ? x[k] * scale : 0;
    } else {
      const float *x = (float *)kiln__data(c->in[0]) + i;
      float *y = out_at(c, i), s = (float)scale;
      for (int64_t k = 0; k < n; k++)
        y[k] = mask[i + k] ? x[k] * s : 0;
    }
  }
}

static int32_t dropout(const kiln_call *c) {
  KILN_PARALLEL(c->out[0]->numel, CHUNK, GRAIN, dropout_part(c, from, to));
  return KILN_OK;
}

static void mask_scale_part(const kiln_call *c, int64_t from, int64_t to) {
  const uint8_t *mask = kiln__data(c->in[1]);
  double scale = c->attr[0].f;
  if (c->in[0]->dtype == KILN_FLOAT64) {
    const double *x = kiln__data(c->in[0]);
    double *y = kiln__data(c->out[0]);
    for (int64_t i = from; i < to; i++)
      y[i] = mask[i] ? x[i] * scale : 0;
  } else {
    const float *x = kiln__data(c->in[0]);
    float *y = kiln__data(c->out[0]), s = (float)scale;
    for (int64_t i = from; i < to; i++)
      y[i] = mask[i] ? x[i] * s : 0;
  }
}

static int32_t mask_scale(const kiln_call *c) {
  KILN_PARALLEL(c->out[0]->numel, 64, KILN_GRAIN, mask_scale_part(c, from, to));
  return KILN_OK;
}

/* -- Draws that reject ----------------------------------------------------------------------------
 */

typedef double (*stream_rule)(kiln_rn_stream *s, double parameter);

static double gamma_of(kiln_rn_stream *s, double alpha) { return kiln_rn_gamma(s, alpha); }
static double poisson_of(kiln_rn_stream *s, double rate) { return kiln_rn_poisson(s, rate); }

static void stream_part(const kiln_call *c, stream_rule draw, int64_t from, int64_t to) {
  int32_t dtype = c->in[0]->dtype;
  int64_t size = kiln__size_of(dtype);
  double v[CHUNK];
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = least(CHUNK, to - i);
    kiln_convert(v, KILN_FLOAT64, (char *)kiln__data(c->in[0]) + i * size, dtype, n);
    for (int64_t k = 0; k < n; k++) {
      kiln_rn_stream s = {c->seed, c->sequence, (uint64_t)(i + k)};
      v[k] = draw(&s, v[k]);
    }
    kiln_convert(out_at(c, i), dtype, v, KILN_FLOAT64, n);
  }
}

static int32_t standard_gamma(const kiln_call *c) {
  KILN_PARALLEL(c->out[0]->numel, 64, 512, stream_part(c, gamma_of, from, to));
  return KILN_OK;
}

static int32_t poisson(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  for (int64_t i = 0; i < x->numel; i++) {
    double v = x->dtype == KILN_FLOAT64 ? ((double *)kiln__data(x))[i]
                                        : (double)((float *)kiln__data(x))[i];
    if (!(v >= 0 && v <= 0x1p53)) {
      return kiln_fail(KILN_EARG, "poisson: the rate must be in 0..2^53, got %g at position %lld",
                       shown(v), (long long)(i + 1));
    }
  }
  KILN_PARALLEL(c->out[0]->numel, 64, 512, stream_part(c, poisson_of, from, to));
  return KILN_OK;
}

static void gamma_grad_part(const kiln_call *c, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    if (c->in[0]->dtype == KILN_FLOAT64) {
      ((double *)kiln__data(c->out[0]))[i] = kiln_rn_gamma_grad(
          ((double *)kiln__data(c->in[0]))[i], ((double *)kiln__data(c->in[1]))[i]);
    } else {
      ((float *)kiln__data(c->out[0]))[i] = (float)kiln_rn_gamma_grad(
          (double)((float *)kiln__data(c->in[0]))[i], (double)((float *)kiln__data(c->in[1]))[i]);
    }
  }
}

static int32_t standard_gamma_grad(const kiln_call *c) {
  KILN_PARALLEL(c->out[0]->numel, 64, 256, gamma_grad_part(c, from, to));
  return KILN_OK;
}

/* -- Table ----------------------------------------------------------------------------------------
 */

static const kiln_entry entries[] = {
    {KILN_OP_UNIFORM, KILN_D_FLOAT | KILN_D_HALF, 0, uniform},
    {KILN_OP_NORMAL, KILN_D_FLOAT, 0, normal},
    {KILN_OP_LOG_NORMAL, KILN_D_FLOAT | KILN_D_HALF, 0, log_normal},
    {KILN_OP_EXPONENTIAL, KILN_D_FLOAT | KILN_D_HALF, 0, exponential},
    {KILN_OP_CAUCHY, KILN_D_FLOAT | KILN_D_HALF, 0, cauchy},
    {KILN_OP_GEOMETRIC, KILN_D_REAL | KILN_D_HALF, 0, geometric},
    {KILN_OP_RANDOM_RANGE, KILN_D_ALL, 0, random_range},
    {KILN_OP_BERNOULLI_FILL, KILN_D_ALL, KILN_K_CONTIGUOUS, bernoulli},
    {KILN_OP_RANDPERM, KILN_D_REAL | KILN_D_HALF, 0, randperm},
    {KILN_OP_DROPOUT, KILN_D_FLOAT, KILN_K_CONTIGUOUS, dropout},
    {KILN_OP_MASK_SCALE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, mask_scale},
    {KILN_OP_STANDARD_GAMMA, KILN_D_FLOAT, KILN_K_CONTIGUOUS, standard_gamma},
    {KILN_OP_STANDARD_GAMMA_GRAD, KILN_D_FLOAT, KILN_K_CONTIGUOUS, standard_gamma_grad},
    {KILN_OP_POISSON, KILN_D_FLOAT, KILN_K_CONTIGUOUS, poisson},
};

void FN(kiln__cpu_random)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_random)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, entries);
}
