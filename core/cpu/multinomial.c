/* multinomial.c: positions drawn by weight, with and without replacement, row by row of weights.
** It writes nothing before all weights are checked.  Built with -ffp-contract=off, as random.c is.
*/
#include "../random.h"
#include "cpu.h"

/* For messages: NaN without the sign that printf would show. */
static double shown(double v) { return isnan(v) ? (double)NAN : v; }

/* Checks a row of weights; how many are not zero, or negative after kiln_fail. */
static int64_t check_weights(const kiln_call *c, const double *w, int64_t k, int64_t row) {
  int64_t usable = 0, draws = c->attr[0].i;
  bool replacement = c->attr[1].i != 0;
  for (int64_t i = 0; i < k; i++) {
    if (!(w[i] >= 0) || isinf(w[i])) {
      return kiln_fail(KILN_EARG,
                       "multinomial: weight %g at position %lld of row %lld is not a finite number "
                       "of at least 0",
                       shown(w[i]), (long long)(i + 1), (long long)(row + 1));
    }
    usable += w[i] > 0;
  }
  if (draws > usable && (!replacement || usable == 0)) {
    return kiln_fail(KILN_EARG, "multinomial: %lld draws%s from %lld weights above 0 in row %lld",
                     (long long)draws, replacement ? "" : " without replacement", (long long)usable,
                     (long long)(row + 1));
  }
  return usable;
}

/* Position of the first cumulative weight above v: a zero weight never is. */
static int64_t find_weight(const double *sums, int64_t k, double v) {
  int64_t low = 0, high = k - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (sums[middle] > v)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static double largest(const double *w, int64_t k) {
  double most = 0;
  for (int64_t i = 0; i < k; i++)
    most = w[i] > most ? w[i] : most;
  return most;
}

static void with_replacement(const kiln_call *c, double *w, int64_t k, int64_t row, int64_t *y) {
  int64_t n = c->attr[0].i, last = 0;
  double sum = 0, root = kiln_rn_root(largest(w, k), true);
  for (int64_t i = 0; i < k; i++) {
    if (w[i] > 0)
      last = i;
    w[i] = sum += w[i] * root * root;
  }
  for (int64_t j = 0, to; kiln__next_piece(&kiln__stop, j, n, &to);) {
    for (; j < to; j++) {
      double u = kiln_rn_unit64(kiln_rn_long(c->seed, c->sequence, (uint64_t)(row * n + j)));
      y[j] = find_weight(w, last + 1, u * sum) + KILN_INDEX_BASE;
    }
  }
}

/* The n smallest of exponential draws with the weights as rates, smallest first: the same as
** drawing one after the other (Efraimidis and Spirakis).  A heap keeps the best n so far. */
typedef struct arrival {
  double when;
  int64_t which;
} arrival;

static bool later(arrival a, arrival b) {
  return a.when > b.when || (a.when == b.when && a.which > b.which);
}

static void sift_down(arrival *heap, int64_t n, int64_t i) {
  for (;;) {
    int64_t child = 2 * i + 1;
    if (child >= n)
      return;
    if (child + 1 < n && later(heap[child + 1], heap[child]))
      child++;
    if (!later(heap[child], heap[i]))
      return;
    arrival t = heap[i];
    heap[i] = heap[child];
    heap[child] = t;
    i = child;
  }
}

static void without_replacement(const kiln_call *c, const double *w, int64_t k, int64_t row,
                                int64_t *y, arrival *heap) {
  int64_t n = c->attr[0].i, held = 0;
  double root = kiln_rn_root(largest(w, k), false);
  for (int64_t i = 0; i < k && n > 0; i++) {
    if (!(w[i] > 0))
      continue;
    uint64_t bits = kiln_rn_long(c->seed, c->sequence, (uint64_t)(row * k + i));
    arrival a = {kiln_rn_exponential(bits, w[i] * root * root), i};
    if (held < n) {
      heap[held++] = a;
      if (held == n) {
        for (int64_t j = n / 2; j >= 0; j--)
          sift_down(heap, n, j);
      }
    } else if (later(heap[0], a)) {
      heap[0] = a;
      sift_down(heap, n, 0);
    }
  }
  for (int64_t j = n - 1; j >= 0; j--) {
    y[j] = heap[0].which + KILN_INDEX_BASE;
    heap[0] = heap[j];
    sift_down(heap, j, 0);
  }
}

static int32_t multinomial(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  int64_t k = x->shape[x->ndim - 1], rows = x->ndim == 2 ? x->shape[0] : 1, n = c->attr[0].i;
  bool replacement = c->attr[1].i != 0;
  int64_t bytes = k * 8 + (replacement ? 0 : n * (int64_t)sizeof(arrival));
  char *scratch = kiln__scratch(0, bytes);
  if (!scratch)
    return KILN_ENOMEM;
  double *w = (double *)scratch;
  int64_t *y = kiln__data(c->out[0]), status = 0;
  const char *data = kiln__data(x);
  int64_t row_bytes = k * kiln__size_of(x->dtype);
  for (int pass = 0; pass < 2 && status >= 0; pass++) {
    for (int64_t r = 0; r < rows && status >= 0 && !kiln__stops(&kiln__stop); r++) {
      kiln_convert(w, KILN_FLOAT64, data + r * row_bytes, x->dtype, k);
      if (pass == 0)
        status = check_weights(c, w, k, r);
      else if (replacement)
        with_replacement(c, w, k, r, y + r * n);
      else
        without_replacement(c, w, k, r, y + r * n, (arrival *)(w + k));
    }
  }
  kiln__scratch_free(0, scratch, bytes);
  return status < 0 ? (int32_t)status : KILN_OK;
}

static const kiln_entry entries[] = {
    {KILN_OP_MULTINOMIAL, KILN_D_REAL | KILN_D_HALF, KILN_K_CONTIGUOUS, multinomial},
};

void FN(kiln__cpu_multinomial)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_multinomial)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, entries);
}
