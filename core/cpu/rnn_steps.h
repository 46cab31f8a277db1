/* rnn_steps.h: the gates of one step of a recurrent layer, forward and back, for rows [from, to).
** Read by each.h.  The products with the weight are done by rnn.c; a row of `reserve` holds the
** activated gates, then c (lstm) or h's share of n (gru), then h before the step.
*/
#define SIGMOID(x) (1 / (1 + MATH(exp)(-(x))))
#define TANH_OF(x) MATH(tanh)(x)

/* h's share of the gates stands in `reserve` (lstm), `mine` (gru) or y on the way in; what is added
** to it is the input's share and the bias, if there is one. */
static void TYPED(lstm_step)(const rnn_step *s, int64_t from, int64_t to) {
  int64_t n = s->hidden;
  for (int64_t r = from; r < to; r++) {
    T *restrict a = (T *)s->reserve + r * s->width, *restrict h = (T *)s->h + r * n;
    T *restrict c = (T *)s->c + r * n, *restrict y = (T *)s->y + r * n;
    const T *restrict x = (const T *)s->gates + r * 4 * n, *restrict b = (const T *)s->bias;
#pragma omp simd
    for (int64_t k = 0; k < 4 * n; k++)
      a[k] += b ? x[k] + b[k] : x[k];
#pragma omp simd
    for (int64_t k = 0; k < 2 * n; k++)
      a[k] = SIGMOID(a[k]);
#pragma omp simd
    for (int64_t k = 2 * n; k < 3 * n; k++)
      a[k] = TANH_OF(a[k]);
#pragma omp simd
    for (int64_t k = 3 * n; k < 4 * n; k++)
      a[k] = SIGMOID(a[k]);
    memcpy(a + 5 * n, h, (size_t)n * sizeof *h);
#pragma omp simd
    for (int64_t k = 0; k < n; k++) {
      a[4 * n + k] = c[k] = a[n + k] * c[k] + a[k] * a[2 * n + k];
      y[k] = a[3 * n + k] * TANH_OF(c[k]);
    }
    memcpy(h, y, (size_t)n * sizeof *h);
  }
}

static void TYPED(gru_step)(const rnn_step *s, int64_t from, int64_t to) {
  int64_t n = s->hidden;
  for (int64_t r = from; r < to; r++) {
    T *restrict a = (T *)s->reserve + r * s->width, *restrict h = (T *)s->h + r * n;
    const T *restrict x = (const T *)s->gates + r * 3 * n, *restrict b = (const T *)s->bias;
    T *restrict y = (T *)s->y + r * n, *restrict m = (T *)s->mine + r * 3 * n;
#pragma omp simd
    for (int64_t k = 0; k < 3 * n; k++)
      m[k] += b ? b[k] : 0;
#pragma omp simd
    for (int64_t k = 0; k < 2 * n; k++)
      a[k] = SIGMOID(x[k] + m[k]);
    memcpy(a + 3 * n, m + 2 * n, (size_t)n * sizeof *a);
    memcpy(a + 4 * n, h, (size_t)n * sizeof *h);
#pragma omp simd
    for (int64_t k = 0; k < n; k++) {
      T v = a[2 * n + k] = TANH_OF(x[2 * n + k] + a[k] * m[2 * n + k]);
      y[k] = v + a[n + k] * (h[k] - v);
    }
    memcpy(h, y, (size_t)n * sizeof *h);
  }
}

static void TYPED(plain_step)(const rnn_step *s, int64_t from, int64_t to) {
  int64_t n = s->hidden;
  for (int64_t r = from; r < to; r++) {
    T *restrict y = (T *)s->y + r * n, *restrict h = (T *)s->h + r * n;
    const T *restrict x = (const T *)s->gates + r * n, *restrict b = (const T *)s->bias;
#pragma omp simd
    for (int64_t k = 0; k < n; k++)
      y[k] += b ? x[k] + b[k] : x[k];
    memcpy((T *)s->reserve + r * s->width, h, (size_t)n * sizeof *h);
    if (s->mode == RNN_TANH) {
#pragma omp simd
      for (int64_t k = 0; k < n; k++)
        y[k] = TANH_OF(y[k]);
    } else {
#pragma omp simd
      for (int64_t k = 0; k < n; k++)
        y[k] = y[k] <= 0 ? 0 : y[k];
    }
    memcpy(h, y, (size_t)n * sizeof *h);
  }
}

/* Back: s->h holds the gradient of h after the step (the output's is added here), s->c that of c;
** s->gates and s->mine receive the gradients of the sums.  For gru, s->h becomes the part of h's
** gradient that does not go through the weight. */
static void TYPED(lstm_back)(const rnn_step *s, int64_t from, int64_t to) {
  int64_t n = s->hidden;
  for (int64_t r = from; r < to; r++) {
    const T *restrict a = (T *)s->reserve + r * s->width, *restrict gy = (T *)s->y + r * n;
    const T *restrict before = (T *)s->c_before + r * s->c_step;
    T *restrict dh = (T *)s->h + r * n, *restrict dc = (T *)s->c + r * n;
    T *restrict d = (T *)s->gates + r * 4 * n;
#pragma omp simd
    for (int64_t k = 0; k < n; k++) {
      T i = a[k], f = a[n + k], g = a[2 * n + k], o = a[3 * n + k], t = TANH_OF(a[4 * n + k]);
      T h = dh[k] + (s->y ? gy[k] : 0), c = dc[k] + h * o * (1 - t * t);
      d[k] = c * g * i * (1 - i);
      d[n + k] = c * before[k] * f * (1 - f);
      d[2 * n + k] = c * i * (1 - g * g);
      d[3 * n + k] = h * t * o * (1 - o);
      dc[k] = c * f;
    }
  }
}

static void TYPED(gru_back)(const rnn_step *s, int64_t from, int64_t to) {
  int64_t n = s->hidden;
  for (int64_t r = from; r < to; r++) {
    const T *restrict a = (T *)s->reserve + r * s->width, *restrict gy = (T *)s->y + r * n;
    const T *restrict before = a + 4 * n;
    T *restrict dh = (T *)s->h + r * n;
    T *restrict d = (T *)s->gates + r * 3 * n, *restrict m = (T *)s->mine + r * 3 * n;
#pragma omp simd
    for (int64_t k = 0; k < n; k++) {
      T reset = a[k], z = a[n + k], v = a[2 * n + k], h = dh[k] + (s->y ? gy[k] : 0);
      T dn = h * (1 - z) * (1 - v * v);
      d[k] = m[k] = dn * a[3 * n + k] * reset * (1 - reset);
      d[n + k] = m[n + k] = h * (before[k] - v) * z * (1 - z);
      d[2 * n + k] = dn;
      m[2 * n + k] = dn * reset;
      dh[k] = h * z;
    }
  }
}

static void TYPED(plain_back)(const rnn_step *s, int64_t from, int64_t to) {
  int64_t n = s->hidden;
  for (int64_t r = from; r < to; r++) {
    const T *restrict y = (T *)s->out + r * n, *restrict gy = (T *)s->y + r * n;
    T *restrict dh = (T *)s->h + r * n, *restrict d = (T *)s->gates + r * n;
    if (s->mode == RNN_TANH) {
#pragma omp simd
      for (int64_t k = 0; k < n; k++)
        d[k] = (dh[k] + (s->y ? gy[k] : 0)) * (1 - y[k] * y[k]);
    } else {
#pragma omp simd
      for (int64_t k = 0; k < n; k++)
        d[k] = y[k] > 0 ? dh[k] + (s->y ? gy[k] : 0) : 0;
    }
  }
}

#undef SIGMOID
#undef TANH_OF
