/* rnn.cu: recurrent layers: per step one product with the weight for all gates, then one pass over
** the gates, a thread for each row and unit.  Sequences of different lengths are steps with fewer
** rows; how many, the host knows.  A row of `reserve` holds the activated gates, then c (lstm) or
*h's
** share of n (gru), then h before the step.
*/
#include "../core/steps.h"
#include "gemm.h"
#include "grid.h"

enum { RNN_LSTM, RNN_GRU, RNN_TANH, RNN_RELU };

/* One step of one call; everything points at the step's first row. */
template <typename T> struct rnn_step {
  int64_t mode, rows, hidden, width; /* width: columns of reserve */
  T *gates, *mine, *h, *c, *y, *out, *reserve;
  const T *c_before, *bias;
  int64_t c_step; /* from one row of c_before to the next */
};

template <typename T> static __device__ inline T sigmoid(T x) { return 1 / (1 + exp(-x)); }

/* -- Forward: sums are ready in reserve (lstm), in gates and mine (gru), in y (plain)
 * -------------- */

template <typename T> static __global__ void lstm_step(rnn_step<T> s) {
  KILN_EACH(u, s.rows * s.hidden) {
    int64_t n = s.hidden, k = u % n;
    T *a = s.reserve + u / n * s.width + k;
    T i = sigmoid(a[0]), f = sigmoid(a[n]), g = tanh(a[2 * n]), o = sigmoid(a[3 * n]);
    T c = f * s.c[u] + i * g, h = o * tanh(c);
    a[0] = i;
    a[n] = f;
    a[2 * n] = g;
    a[3 * n] = o;
    a[4 * n] = s.c[u] = c;
    a[5 * n] = s.h[u];
    s.y[u] = s.h[u] = h;
  }
}

template <typename T> static __global__ void gru_step(rnn_step<T> s) {
  KILN_EACH(u, s.rows * s.hidden) {
    int64_t n = s.hidden, k = u % n, r = u / n;
    T *a = s.reserve + r * s.width + k;
    const T *x = s.gates + r * 3 * n + k, *m = s.mine + r * 3 * n + k;
    T reset = sigmoid(x[0] + m[0]), z = sigmoid(x[n] + m[n]), h = s.h[u];
    T v = tanh(x[2 * n] + reset * m[2 * n]);
    a[0] = reset;
    a[n] = z;
    a[2 * n] = v;
    a[3 * n] = m[2 * n];
    a[4 * n] = h;
    s.y[u] = s.h[u] = v + z * (h - v);
  }
}

template <typename T> static __global__ void plain_step(rnn_step<T> s) {
  KILN_EACH(u, s.rows * s.hidden) {
    T v = s.y[u];
    s.reserve[u / s.hidden * s.width + u % s.hidden] = s.h[u];
    s.y[u] = s.h[u] = s.mode == RNN_TANH ? tanh(v) : v <= 0 ? 0 : v;
  }
}

/* -- Back: h holds the gradient of h after the step (the output's is added here), c that of c;
** gates and mine receive the gradients of the sums.  For gru, h becomes the part of h's gradient
** that does not go through the weight. ------------------------------------------------------- */

template <typename T> static __global__ void lstm_back(rnn_step<T> s) {
  KILN_EACH(u, s.rows * s.hidden) {
    int64_t n = s.hidden, k = u % n, r = u / n;
    const T *a = s.reserve + r * s.width + k;
    T i = a[0], f = a[n], g = a[2 * n], o = a[3 * n], t = tanh(a[4 * n]);
    T h = s.h[u] + (s.y ? s.y[u] : (T)0), c = s.c[u] + h * o * (1 - t * t);
    T *d = s.gates + r * 4 * n + k;
    d[0] = c * g * i * (1 - i);
    d[n] = c * s.c_before[r * s.c_step + k] * f * (1 - f);
    d[2 * n] = c * i * (1 - g * g);
    d[3 * n] = h * t * o * (1 - o);
    s.c[u] = c * f;
  }
}

template <typename T> static __global__ void gru_back(rnn_step<T> s) {
  KILN_EACH(u, s.rows * s.hidden) {
    int64_t n = s.hidden, k = u % n, r = u / n;
    const T *a = s.reserve + r * s.width + k;
    T reset = a[0], z = a[n], v = a[2 * n], h = s.h[u] + (s.y ? s.y[u] : (T)0);
    T dn = h * (1 - z) * (1 - v * v);
    T *d = s.gates + r * 3 * n + k, *m = s.mine + r * 3 * n + k;
    d[0] = m[0] = dn * a[3 * n] * reset * (1 - reset);
    d[n] = m[n] = h * (a[4 * n] - v) * z * (1 - z);
    d[2 * n] = dn;
    m[2 * n] = dn * reset;
    s.h[u] = h * z;
  }
}

template <typename T> static __global__ void plain_back(rnn_step<T> s) {
  KILN_EACH(u, s.rows * s.hidden) {
    T y = s.out[u], h = s.h[u] + (s.y ? s.y[u] : (T)0);
    s.gates[u] = s.mode == RNN_TANH ? h * (1 - y * y) : y > 0 ? h : (T)0;
  }
}

/* Rows of n at distance `step` become those of `from` (or nothing) plus the bias (or nothing). */
template <typename T>
static __global__ void start_kernel(T *to, int64_t step, const T *from, const T *bias, int64_t rows,
                                    int64_t n) {
  KILN_EACH(i, rows * n) {
    to[i / n * step + i % n] = (from ? from[i] : (T)0) + (bias ? bias[i % n] : (T)0);
  }
}

/* -- Calls
 * ------------------------------------------------------------------------------------------ */

template <typename T> static T *data_of(const kiln_tensor *x) { return (T *)kiln__data_or_null(x); }

/* c = a op(w) + beta * c for `rows` rows. */
template <typename T>
static void multiply(kiln_job *j, int64_t rows, int64_t n, int64_t k, const T *a,
                     const kiln_tensor *w, bool turned, double beta, T *c, int64_t ldc) {
  kiln_cuda_gemm g = {};
  g.device = j->device;
  g.dtype = w->dtype;
  g.tb = turned;
  g.m = rows;
  g.n = n;
  g.k = k;
  g.batch = 1;
  g.a = a;
  g.b = kiln__data(w);
  g.c = c;
  g.lda = k;
  g.ldb = turned ? k : n;
  g.ldc = ldc;
  g.alpha = 1;
  g.beta = beta;
  if (j->status == KILN_OK && rows > 0 && n > 0 && k > 0)
    j->status = kiln__cuda_gemm(&g, j->op);
}

template <typename T> static void run(kiln_job *j, const rnn_step<T> &s, bool back) {
  int64_t n = s.rows * s.hidden;
  if (s.mode == RNN_LSTM)
    KILN_RUN(j, (back ? lstm_back<T> : lstm_step<T>), n, s);
  else if (s.mode == RNN_GRU)
    KILN_RUN(j, (back ? gru_back<T> : gru_step<T>), n, s);
  else
    KILN_RUN(j, (back ? plain_back<T> : plain_step<T>), n, s);
}

template <typename T> static void forward(kiln_job *j, const kiln_call *c, const int64_t *sizes) {
  kiln_tensor *gates = c->in[0], *w = c->in[4], *h = c->out[1];
  int64_t mode = c->attr[0].i, hidden = w->shape[1], wide = w->shape[0], count = c->in[1]->numel;
  int64_t row = c->attr[1].i ? gates->shape[0] : 0, size = (int64_t)sizeof(T);
  bool reverse = c->attr[1].i != 0;
  const T *bias = data_of<T>(c->in[5]);
  T *mine = mode == RNN_GRU ? (T *)kiln__job_take(j, h->shape[0] * wide * size) : NULL;
  kiln__job_copy(j, kiln__data(h), kiln__data(c->in[2]), h->numel * size);
  if (mode == RNN_LSTM)
    kiln__job_copy(j, kiln__data(c->out[2]), kiln__data(c->in[3]), c->out[2]->numel * size);
  for (int64_t k = 0; k < count && j->status == KILN_OK; k++) {
    rnn_step<T> s = {};
    s.mode = mode;
    s.rows = sizes[reverse ? count - 1 - k : k];
    s.hidden = hidden;
    s.width = c->out[3]->shape[1];
    row -= reverse ? s.rows : 0;
    s.mine = mine;
    s.gates = data_of<T>(gates) + row * wide;
    s.y = data_of<T>(c->out[0]) + row * hidden;
    s.reserve = data_of<T>(c->out[3]) + row * s.width;
    s.h = data_of<T>(h);
    s.c = mode == RNN_LSTM ? data_of<T>(c->out[2]) : NULL;
    T *sum = mode == RNN_LSTM ? s.reserve : mode == RNN_GRU ? mine : s.y;
    int64_t step = mode == RNN_LSTM ? s.width : wide;
    KILN_RUN(j, start_kernel<T>, s.rows * wide, sum, step,
             mode == RNN_GRU ? (const T *)NULL : (const T *)s.gates, bias, s.rows, wide);
    multiply(j, s.rows, wide, hidden, (const T *)s.h, w, true, 1, sum, step);
    run(j, s, false);
    row += reverse ? 0 : s.rows;
  }
}

template <typename T> static void backward(kiln_job *j, const kiln_call *c, const int64_t *sizes) {
  kiln_tensor *y = c->in[3], *reserve = c->in[4], *w = c->in[8], *dh = c->out[2], *dc = c->out[3];
  int64_t mode = c->attr[0].i, hidden = w->shape[1], wide = w->shape[0], count = c->in[5]->numel;
  int64_t row = c->attr[1].i ? 0 : y->shape[0], size = (int64_t)sizeof(T);
  bool reverse = c->attr[1].i != 0;
  kiln__job_zero(j, kiln__data(dh), dh->numel * size);
  if (c->in[1])
    kiln__job_copy(j, kiln__data(dh), kiln__data(c->in[1]), dh->numel * size);
  if (mode == RNN_LSTM)
    kiln__job_zero(j, kiln__data(dc), dc->numel * size);
  if (mode == RNN_LSTM && c->in[2])
    kiln__job_copy(j, kiln__data(dc), kiln__data(c->in[2]), dc->numel * size);
  for (int64_t k = count - 1; k >= 0 && j->status == KILN_OK; k--) {
    int64_t t = reverse ? count - 1 - k : k, n = sizes[t];
    row -= reverse ? 0 : n;
    rnn_step<T> s = {};
    s.mode = mode;
    s.rows = n;
    s.hidden = hidden;
    s.width = reserve->shape[1];
    s.gates = data_of<T>(c->out[0]) + row * wide;
    s.mine = mode == RNN_GRU ? data_of<T>(c->out[1]) + row * wide : s.gates;
    s.y = c->in[0] ? data_of<T>(c->in[0]) + row * hidden : NULL;
    s.out = data_of<T>(y) + row * hidden;
    s.reserve = data_of<T>(reserve) + row * s.width;
    s.h = data_of<T>(dh);
    if (mode == RNN_LSTM) {
      /* c before: in the reserve of the step before, or where the sequence began.  Rows that began
      ** at this step read there too. */
      int64_t before = k == 0 ? 0 : sizes[reverse ? t + 1 : t - 1];
      rnn_step<T> begun = s;
      begun.c = s.c = data_of<T>(dc);
      s.c_before = s.reserve + (reverse ? n : -before) * s.width + 4 * hidden;
      s.c_step = s.width;
      s.rows = before < n ? before : n;
      begun.c_before = data_of<T>(c->in[7]) + s.rows * hidden;
      begun.c_step = hidden;
      begun.rows = n - s.rows;
      begun.gates += s.rows * wide;
      begun.reserve += s.rows * s.width;
      begun.h += s.rows * hidden;
      begun.c += s.rows * hidden;
      if (begun.y)
        begun.y += s.rows * hidden;
      run(j, begun, true);
    }
    run(j, s, true);
    multiply(j, n, hidden, wide, (const T *)s.mine, w, false, mode == RNN_GRU ? 1 : 0, s.h, hidden);
    row += reverse ? n : 0;
  }
}

static const int64_t *sizes_of(const kiln_tensor *sizes) {
  return (const int64_t *)kiln__data(sizes);
}

static int32_t rnn_layer(const kiln_call *c) {
  kiln_job j = kiln__job("rnn_layer", c->in[0]->device);
  j.status = kiln__check_steps(c->in[1], c->in[0]->shape[0], c->out[1]->shape[0]);
  KILN_BY_FLOAT(c->in[0]->dtype, forward<type>(&j, c, sizes_of(c->in[1])));
  return kiln__job_end(&j);
}

static int32_t rnn_layer_back(const kiln_call *c) {
  kiln_job j = kiln__job("rnn_layer_back", c->in[3]->device);
  KILN_BY_FLOAT(c->in[3]->dtype, backward<type>(&j, c, sizes_of(c->in[5])));
  return kiln__job_end(&j);
}

const kiln_entry kiln__cuda_rnn[] = {
    {KILN_OP_RNN_LAYER, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rnn_layer},
    {KILN_OP_RNN_LAYER_BACK, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rnn_layer_back},
};
const int32_t kiln__cuda_rnn_n = sizeof kiln__cuda_rnn / sizeof *kiln__cuda_rnn;
