/* rnn.c: recurrent layers on the CPU: per step one product with the weight for all gates, then one
 *pass
 ** over the gates (rnn_steps.h).  Sequences of different lengths are steps with fewer rows.
 */
#include "gemm.h"
#include "vecmath.h"

enum { RNN_LSTM, RNN_GRU, RNN_TANH, RNN_RELU };

/* One step of one call; everything points at the step's first row. */
typedef struct rnn_step {
  int64_t mode, hidden, width; /* width: columns of reserve */
  char *gates, *mine, *h, *c, *y, *out, *reserve;
  const char *c_before;
  int64_t c_step; /* from one row of c_before to the next */
} rnn_step;

#define EACH "rnn_steps.h"
#define EACH_FLOATS_ONLY
#include "each.h"

typedef void step_loop(const rnn_step *s, int64_t from, int64_t to);

static void run(step_loop *loop, const rnn_step *s, int64_t rows) {
  enum { NS_A_GATE = 8 };
  KILN_PARALLEL(rows, 1, KILN_GRAIN / (NS_A_GATE * s->hidden * 4) + 1, loop(s, from, to));
}

static step_loop *loop_for(int64_t mode, bool f64, bool back) {
  static step_loop *const loops[3][2][2] = {
      {{lstm_step_f32, lstm_step_f64}, {lstm_back_f32, lstm_back_f64}},
      {{gru_step_f32, gru_step_f64}, {gru_back_f32, gru_back_f64}},
      {{plain_step_f32, plain_step_f64}, {plain_back_f32, plain_back_f64}},
  };
  return loops[mode == RNN_LSTM ? 0 : mode == RNN_GRU ? 1 : 2][back][f64];
}

/* Checks that the sizes of the steps fit rows and batch; the most in a step, or negative. */
static int32_t check_sizes(const kiln_tensor *sizes, int64_t rows, int64_t n) {
  const int64_t *v = kiln__data(sizes);
  int64_t sum = 0;
  for (int64_t t = 0; t < sizes->numel; t++) {
    int64_t most = t == 0 ? n : v[t - 1];
    if (v[t] < 1 || v[t] > most) {
      return kiln_fail(KILN_EARG, "rnn_layer: sizes[%lld] is %lld, which is not in 1..%lld",
                       (long long)t + 1, (long long)v[t], (long long)most);
    }
    sum += v[t];
  }
  if (sum == rows)
    return KILN_OK;
  return kiln_fail(KILN_EARG, "rnn_layer: sizes sum to %lld, gates have %lld rows", (long long)sum,
                   (long long)rows);
}

/* c = a op(w) + beta * c for `rows` rows. */
static void multiply(const kiln_blas *blas, bool f64, int64_t rows, int64_t n, int64_t k,
                     const char *a, const kiln_tensor *w, bool turned, double beta, char *c,
                     int64_t ldc) {
  kiln_gemm g = {.blas = blas,
                 .f64 = f64,
                 .tb = turned,
                 .m = rows,
                 .n = n,
                 .k = k,
                 .batch = 1,
                 .a = a,
                 .b = kiln__data(w),
                 .c = c,
                 .lda = k,
                 .ldb = turned ? k : n,
                 .ldc = ldc,
                 .alpha = 1,
                 .beta = beta};
  if (rows > 0 && n > 0 && k > 0)
    kiln__gemm(&g);
}

/* Each row of `to` becomes that of `from` (or nothing) plus the bias (or nothing). */
#define DEFINE_START(T, name)                                                                      \
  static void name(char *to, int64_t step, const char *from, const kiln_tensor *bias,              \
                   int64_t rows, int64_t n) {                                                      \
    const T *b = bias ? kiln__data(bias) : NULL;                                                   \
    for (int64_t r = 0; r < rows; r++) {                                                           \
      T *y = (T *)to + r * step;                                                                   \
      const T *x = from ? (const T *)from + r * n : NULL;                                          \
      for (int64_t k = 0; k < n; k++)                                                              \
        y[k] = (x ? x[k] : 0) + (b ? b[k] : 0);                                                    \
    }                                                                                              \
  }
DEFINE_START(float, start_f32)
DEFINE_START(double, start_f64)

static void copy(kiln_tensor *to, const kiln_tensor *from) {
  if (to->numel > 0)
    memcpy(kiln__data(to), kiln__data(from), (size_t)(to->numel * kiln__size_of(to->dtype)));
}

static int32_t rnn_layer(const kiln_call *c) {
  kiln_tensor *gates = c->in[0], *w = c->in[4], *bias = c->in[5], *h = c->out[1], *cell = c->out[2];
  int64_t mode = c->attr[0].i, hidden = w->shape[1], wide = w->shape[0], rows = gates->shape[0];
  int64_t size = kiln__size_of(gates->dtype), count = c->in[1]->numel;
  const int64_t *sizes = kiln__data(c->in[1]);
  bool f64 = gates->dtype == KILN_FLOAT64, reverse = c->attr[1].i != 0;
  if (check_sizes(c->in[1], rows, h->shape[0]) < 0)
    return KILN_EARG;
  const kiln_blas *blas = kiln__blas();
  if (!blas)
    return KILN_EBACKEND;
  char *mine = NULL;
  int64_t mine_bytes = mode == RNN_GRU ? h->shape[0] * wide * size : 0;
  if (mine_bytes > 0 && !(mine = kiln__scratch(0, mine_bytes)))
    return KILN_ENOMEM;
  copy(h, c->in[2]);
  if (mode == RNN_LSTM)
    copy(cell, c->in[3]);

  int64_t row = reverse ? rows : 0;
  for (int64_t k = 0; k < count; k++) {
    int64_t n = sizes[reverse ? count - 1 - k : k];
    if (reverse)
      row -= n;
    rnn_step s = {.mode = mode, .hidden = hidden, .width = c->out[3]->shape[1], .mine = mine};
    s.gates = (char *)kiln__data(gates) + row * wide * size;
    s.y = (char *)kiln__data(c->out[0]) + row * hidden * size;
    s.reserve = (char *)kiln__data(c->out[3]) + row * s.width * size;
    s.h = kiln__data(h);
    s.c = mode == RNN_LSTM ? kiln__data(cell) : NULL;
    char *sum = mode == RNN_LSTM ? s.reserve : mode == RNN_GRU ? mine : s.y;
    int64_t step = mode == RNN_LSTM ? s.width : wide;
    (f64 ? start_f64 : start_f32)(sum, step, mode == RNN_GRU ? NULL : s.gates, bias, n, wide);
    multiply(blas, f64, n, wide, hidden, s.h, w, true, 1, sum, step);
    run(loop_for(mode, f64, false), &s, n);
    if (!reverse)
      row += n;
  }
  if (mine)
    kiln__scratch_free(0, mine, mine_bytes);
  return KILN_OK;
}

static int32_t rnn_layer_back(const kiln_call *c) {
  kiln_tensor *y = c->in[3], *reserve = c->in[4], *w = c->in[8], *dh = c->out[2], *dc = c->out[3];
  int64_t mode = c->attr[0].i, hidden = w->shape[1], wide = w->shape[0];
  int64_t size = kiln__size_of(y->dtype), count = c->in[5]->numel, n_before = 0;
  const int64_t *sizes = kiln__data(c->in[5]);
  bool f64 = y->dtype == KILN_FLOAT64, reverse = c->attr[1].i != 0;
  const kiln_blas *blas = kiln__blas();
  if (!blas)
    return KILN_EBACKEND;
  memset(kiln__data(dh), 0, (size_t)(dh->numel * size));
  if (c->in[1])
    copy(dh, c->in[1]);
  if (mode == RNN_LSTM) {
    memset(kiln__data(dc), 0, (size_t)(dc->numel * size));
    if (c->in[2])
      copy(dc, c->in[2]);
  }

  int64_t row = reverse ? 0 : y->shape[0];
  for (int64_t k = count - 1; k >= 0; k--) {
    int64_t t = reverse ? count - 1 - k : k, n = sizes[t];
    if (!reverse)
      row -= n;
    rnn_step s = {.mode = mode, .hidden = hidden, .width = reserve->shape[1]};
    s.gates = (char *)kiln__data(c->out[0]) + row * wide * size;
    s.mine = mode == RNN_GRU ? (char *)kiln__data(c->out[1]) + row * wide * size : s.gates;
    s.y = c->in[0] ? (char *)kiln__data(c->in[0]) + row * hidden * size : NULL;
    s.out = (char *)kiln__data(y) + row * hidden * size;
    s.reserve = (char *)kiln__data(reserve) + row * s.width * size;
    s.h = kiln__data(dh);
    if (mode == RNN_LSTM) {
      /* c before: in the reserve of the step before, or where the sequence began. */
      s.c = kiln__data(dc);
      int64_t earlier = reverse ? t + 1 : t - 1;
      bool first = k == 0;
      n_before = first ? 0 : sizes[earlier];
      s.c_before = first ? (char *)kiln__data(c->in[7])
                         : s.reserve + ((reverse ? n : -n_before) * s.width + 4 * hidden) * size;
      s.c_step = first ? hidden : s.width;
    }
    if (mode == RNN_LSTM && n_before > 0 && n_before < n) {
      /* Rows that began at this step read where the sequence began. */
      rnn_step begun = s;
      run(loop_for(mode, f64, true), &s, n_before);
      begun.c_before = (char *)kiln__data(c->in[7]);
      begun.c_step = hidden;
      begun.gates += n_before * wide * size;
      begun.reserve += n_before * s.width * size;
      begun.c_before += n_before * hidden * size;
      begun.h += n_before * hidden * size;
      begun.c += n_before * hidden * size;
      if (begun.y)
        begun.y += n_before * hidden * size;
      run(loop_for(mode, f64, true), &begun, n - n_before);
    } else {
      run(loop_for(mode, f64, true), &s, n);
    }
    multiply(blas, f64, n, hidden, wide, s.mine, w, false, mode == RNN_GRU ? 1 : 0, s.h, hidden);
    if (reverse)
      row += n;
  }
  return KILN_OK;
}

static const kiln_entry rnn_kernels[] = {
    {KILN_OP_RNN_LAYER, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rnn_layer},
    {KILN_OP_RNN_LAYER_BACK, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rnn_layer_back},
};

void FN(kiln__cpu_rnn)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, rnn_kernels);
}
