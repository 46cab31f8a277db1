/* random.cu: random numbers.  What a number is stands in ../core/random.h, so the bits are the
** CPU's; this file says which thread makes which.  A thread makes what comes of one Philox block:
** four 32-bit numbers, 16 elements apart, or two of 64 bits.
** Compiled without contraction into FMA.
*/
#include "choice.h"
#include "grid.h"
#include "operands.h"
#include "typed.h"

#include "../core/random.h"

enum { WORDS = 4, LONGS = 2, LONG_GROUP = KILN_RN_GROUP / 2 };

/* Blocks of Philox for n elements. */
static int64_t blocks_of_words(int64_t n) {
  return (n + KILN_RN_GROUP - 1) / KILN_RN_GROUP * KILN_RN_LANES;
}
static int64_t blocks_of_longs(int64_t n) {
  return (n + LONG_GROUP - 1) / LONG_GROUP * KILN_RN_LANES;
}

/* Element j of block t: 32-bit numbers, 64-bit numbers. */
KILN_INLINE int64_t word_place(int64_t t, int j) {
  return t / KILN_RN_LANES * KILN_RN_GROUP + t % KILN_RN_LANES + j * KILN_RN_LANES;
}
KILN_INLINE int64_t long_place(int64_t t, int j) {
  return t / KILN_RN_LANES * LONG_GROUP + t % KILN_RN_LANES + j * KILN_RN_LANES;
}

/* -- Made of 64-bit numbers -----------------------------------------------------------------------
** A rule turns a block's two numbers into elements of type Y; a and b are the row's parameters. */

typedef struct parameters {
  double a, b, c;
  uint64_t low, range;
} parameters;

struct uniform_rule {
  typedef double Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    for (int j = 0; j < LONGS; j++) {
      const double u = p.a + kiln_rn_unit64(x[j]) * p.b;
      y[j] = u > p.c ? p.c : u;
    }
  }
};
struct normal_rule {
  typedef double Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    kiln_rn_normal2(x[0], x[1], &y[0], &y[1]);
    for (int j = 0; j < LONGS; j++)
      y[j] = p.a + p.b * y[j];
  }
};
struct log_normal_rule {
  typedef double Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    normal_rule::draw(p, x, y);
    for (int j = 0; j < LONGS; j++)
      y[j] = kiln_rn_exp(y[j]);
  }
};
struct exponential_rule {
  typedef double Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    for (int j = 0; j < LONGS; j++)
      y[j] = kiln_rn_exponential(x[j], p.a);
  }
};
struct geometric_rule {
  typedef double Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    for (int j = 0; j < LONGS; j++)
      y[j] = kiln_rn_geometric(x[j], p.a, p.b);
  }
};
struct cauchy_rule {
  typedef double Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    for (int j = 0; j < LONGS; j++)
      y[j] = kiln_rn_cauchy(x[j], p.a, p.b);
  }
};
/* From p.low on; the range is counted without a sign, so that it may be all of int64. */
struct range_rule {
  typedef int64_t Y;
  KILN_INLINE void draw(const parameters &p, const uint64_t *x, Y *y) {
    for (int j = 0; j < LONGS; j++)
      y[j] = (int64_t)(p.low + kiln_rn_below(x[j], p.range));
  }
};

template <class Rule, class T>
static __global__ void KILN_BOUNDS long_kernel(T *out, int64_t n, int64_t blocks, kiln_rng r,
                                               parameters p) {
  r = kiln_rng_now(r);
  KILN_EACH(t, blocks) {
    uint32_t w[4];
    typename Rule::Y y[LONGS];
    kiln_philox(r.seed, r.sequence, (uint64_t)t, w);
    const uint64_t x[LONGS] = {(uint64_t)w[0] << 32 | w[2], (uint64_t)w[1] << 32 | w[3]};
    Rule::draw(p, x, y);
    for (int j = 0; j < LONGS; j++) {
      const int64_t i = long_place(t, j);
      if (i < n)
        out[i] = kiln_to<T>::of(y[j]);
    }
  }
}

template <class Rule, class T> static void draw_longs(const kiln_call *c, const parameters &p) {
  const kiln_tensor *out = c->out[0];
  const int64_t blocks = blocks_of_longs(out->numel);
  KILN_LAUNCH((long_kernel<Rule, T>), kiln_grid(blocks), KILN_BLOCK, 0,
              kiln__cuda_stream(out->device), (T *)kiln__data(out), out->numel, blocks,
              kiln__rng_of(c), p);
}

#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    draw_longs<Rule, T>(c, p);                                                                     \
    break;
template <class Rule>
static int32_t draw_floats(const kiln_call *c, const char *name, const parameters &p) {
  if (c->out[0]->numel == 0)
    return KILN_OK;
  switch (c->out[0]->dtype) {
    KILN_FLOAT_TYPES(CASE)
    KILN_HALF_TYPES(CASE)
  }
  return kiln__cuda_launched(name);
}
template <class Rule>
static int32_t draw_all(const kiln_call *c, const char *name, const parameters &p) {
  if (c->out[0]->numel == 0)
    return KILN_OK;
  switch (c->out[0]->dtype) { KILN_ALL_TYPES(CASE) }
  return kiln__cuda_launched(name);
}
#undef CASE

static parameters both_of(const kiln_call *c) {
  parameters p = {};
  p.a = c->attr[0].f;
  p.b = c->attr[1].f;
  return p;
}

static int32_t log_normal(const kiln_call *c) {
  return draw_floats<log_normal_rule>(c, "log_normal", both_of(c));
}
static int32_t exponential(const kiln_call *c) {
  return draw_floats<exponential_rule>(c, "exponential", both_of(c));
}
static int32_t cauchy(const kiln_call *c) {
  return draw_floats<cauchy_rule>(c, "cauchy", both_of(c));
}
static int32_t geometric(const kiln_call *c) {
  parameters p = {};
  p.a = log1p(-c->attr[0].f);
  p.b = kiln__most_of(c->out[0]->dtype);
  return draw_all<geometric_rule>(c, "geometric", p);
}
static int32_t random_range(const kiln_call *c) {
  parameters p = {};
  p.low = (uint64_t)c->attr[0].i;
  p.range = (uint64_t)c->attr[1].i - p.low;
  return draw_all<range_rule>(c, "random_range", p);
}

/* -- Made of 32-bit numbers -----------------------------------------------------------------------
 */

/* low + unit * width, not above top, in steps of 2^-bits. */
template <class T>
static __global__ void KILN_BOUNDS uniform_kernel(T *out, int64_t n, int64_t blocks, kiln_rng r,
                                                  int bits, float low, float width, float top) {
  r = kiln_rng_now(r);
  KILN_EACH(t, blocks) {
    uint32_t w[WORDS];
    kiln_philox(r.seed, r.sequence, (uint64_t)t, w);
    for (int j = 0; j < WORDS; j++) {
      const int64_t i = word_place(t, j);
      const float u = low + kiln_rn_unit32(w[j], bits) * width;
      if (i < n)
        out[i] = kiln_type<T>::store(u > top ? top : u);
    }
  }
}

static __global__ void KILN_BOUNDS normal_kernel(float *out, int64_t n, int64_t blocks, kiln_rng r,
                                                 float mean, float std) {
  r = kiln_rng_now(r);
  KILN_EACH(t, blocks) {
    uint32_t w[WORDS];
    kiln_philox(r.seed, r.sequence, (uint64_t)t, w);
    for (int j = 0; j < WORDS / 2; j++) {
      const int64_t i = word_place(t, j), k = word_place(t, j + WORDS / 2);
      float a, b;
      kiln_rn_normal2f(w[j], w[j + WORDS / 2], &a, &b);
      if (i < n)
        out[i] = mean + std * a;
      if (k < n)
        out[k] = mean + std * b;
    }
  }
}

/* The largest value of a half dtype below `to`, so that rounding cannot reach it. */
static float half_below(int32_t dtype, float to, float from) {
  uint16_t bits = dtype == KILN_FLOAT16 ? kiln__to_f16(to).bits : kiln__to_bf16(to).bits;
  for (;;) {
    kiln_f16 f = {bits};
    kiln_bf16 b = {bits};
    float v = dtype == KILN_FLOAT16 ? kiln__from_f16(f) : kiln__from_bf16(b);
    if (v < to || v <= from)
      return v;
    bits = (uint16_t)(v > 0 ? bits - 1 : v == 0 ? 0x8001 : bits + 1);
  }
}

template <class T> static int32_t uniform_of(const kiln_call *c, int bits) {
  const kiln_tensor *out = c->out[0];
  const float low = (float)c->attr[0].f, high = (float)c->attr[1].f;
  const float top = low >= high                  ? low
                    : out->dtype == KILN_FLOAT32 ? nextafterf(high, low)
                                                 : half_below(out->dtype, high, low);
  const int64_t blocks = blocks_of_words(out->numel);
  KILN_LAUNCH(uniform_kernel<T>, kiln_grid(blocks), KILN_BLOCK, 0, kiln__cuda_stream(out->device),
              (T *)kiln__data(out), out->numel, blocks, kiln__rng_of(c), bits, low, high - low,
              top);
  return kiln__cuda_launched("uniform");
}

static int32_t uniform(const kiln_call *c) {
  parameters p = both_of(c);
  if (c->out[0]->numel == 0)
    return KILN_OK;
  switch (c->out[0]->dtype) {
  case KILN_FLOAT32:
    return uniform_of<float>(c, 24);
  case KILN_FLOAT16:
    return uniform_of<kiln_f16>(c, 11);
  case KILN_BFLOAT16:
    return uniform_of<kiln_bf16>(c, 8);
  }
  p.c = p.a >= p.b ? p.a : nextafter(p.b, p.a);
  p.b -= p.a;
  draw_longs<uniform_rule, double>(c, p);
  return kiln__cuda_launched("uniform");
}

static int32_t normal(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  const parameters p = both_of(c);
  const int64_t blocks = blocks_of_words(out->numel);
  if (out->numel == 0)
    return KILN_OK;
  if (out->dtype == KILN_FLOAT64)
    draw_longs<normal_rule, double>(c, p);
  else
    KILN_LAUNCH(normal_kernel, kiln_grid(blocks), KILN_BLOCK, 0, kiln__cuda_stream(out->device),
                (float *)kiln__data(out), out->numel, blocks, kiln__rng_of(c), (float)p.a,
                (float)p.b);
  return kiln__cuda_launched("normal");
}

/* -- Coins ----------------------------------------------------------------------------------------
 */

/* How many of the 2^32 words are heads; heads are the least. */
KILN_HD uint64_t heads_of(double p) { return (uint64_t)(p * 0x1p32); }

/* Where bernoulli's probabilities come from: one number, one element, or one for each. */
typedef struct chances {
  const void *p; /* NULL: `heads` for all */
  int32_t dtype;
  bool each;
  int64_t size; /* of an element of p */
  uint64_t heads;
  kiln_operands<2> w;
  kiln_blame blame;
} chances;

template <class T>
static __global__ void bernoulli_kernel(T *out, int64_t n, int64_t blocks, kiln_rng r, chances c) {
  r = kiln_rng_now(r);
  KILN_EACH(t, blocks) {
    uint32_t w[WORDS];
    kiln_philox(r.seed, r.sequence, (uint64_t)t, w);
    for (int j = 0; j < WORDS; j++) {
      const int64_t i = word_place(t, j);
      bool head = w[j] < c.heads;
      if (i >= n)
        break;
      if (c.p) {
        int64_t at[2] = {0, 0};
        if (c.each)
          kiln_seek(c.w, i, at);
        const double p = kiln__element(c.p, c.dtype, at[1] / c.size);
        if (!(p >= 0 && p <= 1))
          kiln_complain_real(c.blame, p, at[1] / c.size);
        else
          head = c.each ? (double)w[j] < p * 0x1p32 : w[j] < heads_of(p);
      }
      out[i] = kiln_to<T>::of(head);
    }
  }
}

template <class T>
static void launch_bernoulli(const kiln_tensor *out, kiln_rng r, const chances &c) {
  const int64_t blocks = blocks_of_words(out->numel);
  KILN_LAUNCH(bernoulli_kernel<T>, kiln_grid(blocks), KILN_BLOCK, 0, kiln__cuda_stream(out->device),
              (T *)kiln__data(out), out->numel, blocks, r, c);
}

/* in[1]: the probabilities, a 0-dim tensor or one that broadcasts to the output. */
static int32_t bernoulli(const kiln_call *c) {
  const kiln_tensor *out = c->out[0], *p = c->in[1];
  chances from = {};
  if (p->device == 0) {
    double v;
    kiln_convert(&v, KILN_FLOAT64, kiln__data(p), p->dtype, 1);
    if (!(v >= 0 && v <= 1)) {
      return kiln_fail(KILN_EARG, "bernoulli: p must be in 0..1, got %g at position 1",
                       isnan(v) ? (double)NAN : v);
    }
    from.heads = heads_of(v);
  } else {
    kiln_nd it = {};
    kiln__nd_add(&it, out);
    kiln__nd_add(&it, p);
    if (it.ndim == 0)
      it.shape[it.ndim++] = 1;
    from.p = kiln__data(p);
    from.dtype = p->dtype;
    from.each = p->numel != 1;
    from.size = kiln__size_of(p->dtype);
    from.w = kiln_operands_of<2>(&it);
    from.blame = kiln__cuda_blame("bernoulli", "p", p, 0, 1);
    from.blame.about.real = true;
  }
  if (out->numel == 0)
    return KILN_OK;
  switch (out->dtype) {
#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    launch_bernoulli<T>(out, kiln__rng_of(c), from);                                               \
    break;
    KILN_ALL_TYPES(CASE)
#undef CASE
  }
  return kiln__cuda_launched("bernoulli");
}

template <class T>
static __global__ void KILN_BOUNDS dropout_kernel(const T *x, T *y, bool *mask, int64_t n,
                                                  int64_t blocks, kiln_rng r, uint64_t heads,
                                                  double scale) {
  r = kiln_rng_now(r);
  typedef KILN_V(T) V;
  KILN_EACH(t, blocks) {
    uint32_t w[WORDS];
    kiln_philox(r.seed, r.sequence, (uint64_t)t, w);
    for (int j = 0; j < WORDS; j++) {
      const int64_t i = word_place(t, j);
      if (i >= n)
        break;
      const bool head = w[j] < heads;
      mask[i] = head;
      y[i] = kiln_type<T>::store(head ? kiln_type<T>::load(x[i]) * (V)scale : (V)0);
    }
  }
}

template <class T>
static __global__ void KILN_BOUNDS mask_scale_kernel(const T *x, const bool *mask, T *y, int64_t n,
                                                     double scale) {
  typedef KILN_V(T) V;
  KILN_EACH(i, n)
  y[i] = kiln_type<T>::store(mask[i] ? kiln_type<T>::load(x[i]) * (V)scale : (V)0);
}

template <class T> static void launch_dropout(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  const double p = c->attr[0].f;
  const int64_t blocks = blocks_of_words(x->numel);
  KILN_LAUNCH(dropout_kernel<T>, kiln_grid(blocks), KILN_BLOCK, 0, kiln__cuda_stream(x->device),
              (const T *)kiln__data(x), (T *)kiln__data(c->out[0]), (bool *)kiln__data(c->out[1]),
              x->numel, blocks, kiln__rng_of(c), heads_of(1 - p), p < 1 ? 1 / (1 - p) : 0);
}

template <class T> static void launch_mask_scale(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  KILN_LAUNCH(mask_scale_kernel<T>, kiln_grid(x->numel), KILN_BLOCK, 0,
              kiln__cuda_stream(x->device), (const T *)kiln__data(x),
              (const bool *)kiln__data(c->in[1]), (T *)kiln__data(c->out[0]), x->numel,
              c->attr[0].f);
}

/* A kiln_kernel that launches for the dtype of in[0]. */
#define BY_IN(name, types)                                                                         \
  static int32_t name(const kiln_call *c) {                                                        \
    if (c->in[0]->numel == 0)                                                                      \
      return KILN_OK;                                                                              \
    switch (c->in[0]->dtype) { types }                                                             \
    return kiln__cuda_launched(#name);                                                             \
  }
#define DROPOUT(label, T)                                                                          \
  case label:                                                                                      \
    launch_dropout<T>(c);                                                                          \
    break;
#define MASK_SCALE(label, T)                                                                       \
  case label:                                                                                      \
    launch_mask_scale<T>(c);                                                                       \
    break;
BY_IN(dropout, KILN_FLOAT_TYPES(DROPOUT) KILN_HALF_TYPES(DROPOUT))
BY_IN(mask_scale, KILN_FLOAT_TYPES(MASK_SCALE) KILN_HALF_TYPES(MASK_SCALE))

/* -- Draws that reject ----------------------------------------------------------------------------
** An element has a stream of its own. */

template <class T>
static __global__ void gamma_kernel(const T *alpha, T *y, int64_t n, kiln_rng r, kiln_blame) {
  r = kiln_rng_now(r);
  KILN_EACH(i, n) {
    kiln_rn_stream s = {r.seed, r.sequence, (uint64_t)i};
    y[i] = (T)kiln_rn_gamma(&s, (double)alpha[i]);
  }
}

template <class T>
static __global__ void poisson_kernel(const T *rate, T *y, int64_t n, kiln_rng r,
                                      kiln_blame blame) {
  r = kiln_rng_now(r);
  KILN_EACH(i, n) {
    const double v = (double)rate[i];
    kiln_rn_stream s = {r.seed, r.sequence, (uint64_t)i};
    const bool fits = v >= 0 && v <= 0x1p53;
    if (!fits)
      kiln_complain_real(blame, v, i);
    y[i] = (T)(fits ? kiln_rn_poisson(&s, v) : 0);
  }
}

template <class T>
static __global__ void gamma_grad_kernel(const T *alpha, const T *z, T *y, int64_t n) {
  KILN_EACH(i, n) y[i] = (T)kiln_rn_gamma_grad((double)alpha[i], (double)z[i]);
}

#define STREAM(kernel, T)                                                                          \
  KILN_LAUNCH(kernel<T>, kiln_grid(x->numel), KILN_BLOCK, 0, kiln__cuda_stream(x->device),         \
              (const T *)kiln__data(x), (T *)kiln__data(c->out[0]), x->numel, kiln__rng_of(c),     \
              blame)
#define STREAMS(name, kernel)                                                                      \
  static int32_t name(const kiln_call *c) {                                                        \
    const kiln_tensor *x = c->in[0];                                                               \
    kiln_blame blame = kiln__cuda_blame(#name, "rate", x, 0, INT64_C(1) << 53);                    \
    blame.about.real = true;                                                                       \
    if (x->numel == 0)                                                                             \
      return KILN_OK;                                                                              \
    if (x->dtype == KILN_FLOAT64)                                                                  \
      STREAM(kernel, double);                                                                      \
    else                                                                                           \
      STREAM(kernel, float);                                                                       \
    return kiln__cuda_launched(#name);                                                             \
  }
STREAMS(standard_gamma, gamma_kernel)
STREAMS(poisson, poisson_kernel)

template <class T> static void launch_gamma_grad(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  KILN_LAUNCH(gamma_grad_kernel<T>, kiln_grid(x->numel), KILN_BLOCK, 0,
              kiln__cuda_stream(x->device), (const T *)kiln__data(x),
              (const T *)kiln__data(c->in[1]), (T *)kiln__data(c->out[0]), x->numel);
}
#define GAMMA_GRAD(label, T)                                                                       \
  case label:                                                                                      \
    launch_gamma_grad<T>(c);                                                                       \
    break;
BY_IN(standard_gamma_grad, KILN_FLOAT_TYPES(GAMMA_GRAD))

const kiln_entry kiln__cuda_random[] = {
    {KILN_OP_UNIFORM, KILN_D_FLOAT | KILN_D_HALF, 0, uniform},
    {KILN_OP_NORMAL, KILN_D_FLOAT, 0, normal},
    {KILN_OP_LOG_NORMAL, KILN_D_FLOAT | KILN_D_HALF, 0, log_normal},
    {KILN_OP_EXPONENTIAL, KILN_D_FLOAT | KILN_D_HALF, 0, exponential},
    {KILN_OP_CAUCHY, KILN_D_FLOAT | KILN_D_HALF, 0, cauchy},
    {KILN_OP_GEOMETRIC, KILN_D_REAL | KILN_D_HALF, 0, geometric},
    {KILN_OP_RANDOM_RANGE, KILN_D_ALL, 0, random_range},
    {KILN_OP_BERNOULLI_FILL, KILN_D_ALL, KILN_K_CONTIGUOUS, bernoulli},
    {KILN_OP_RANDPERM, KILN_D_REAL | KILN_D_HALF, 0, kiln__cuda_randperm},
    {KILN_OP_DROPOUT, KILN_D_FLOAT | KILN_D_HALF, KILN_K_CONTIGUOUS, dropout},
    {KILN_OP_MASK_SCALE, KILN_D_FLOAT | KILN_D_HALF, KILN_K_CONTIGUOUS, mask_scale},
    {KILN_OP_STANDARD_GAMMA, KILN_D_FLOAT, KILN_K_CONTIGUOUS, standard_gamma},
    {KILN_OP_STANDARD_GAMMA_GRAD, KILN_D_FLOAT, KILN_K_CONTIGUOUS, standard_gamma_grad},
    {KILN_OP_POISSON, KILN_D_FLOAT, KILN_K_CONTIGUOUS, poisson},
    {KILN_OP_MULTINOMIAL, KILN_D_REAL | KILN_D_HALF, KILN_K_CONTIGUOUS, kiln__cuda_multinomial},
};
const int32_t kiln__cuda_random_n = sizeof kiln__cuda_random / sizeof *kiln__cuda_random;
