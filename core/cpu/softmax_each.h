/* softmax_each.h: softmax and its relatives for element type T.  Read by each.h.
**
** A tensor is [outer, n, inner] with the dim in the middle.  Where inner is 1 a row lies in one
** piece; elsewhere a strip of STRIP columns is worked on at a time, row after row.
*/
#include "softmax_row.h"

static T TYPED(row_sum_exp)(const T *x, int64_t n, T most) {
  return TYPED(exp_row)(NULL, x, n, most, false);
}

/* log(sum(exp(x))), also where the largest element, `most`, is infinite. */
static T TYPED(row_logsumexp)(const T *x, int64_t n, T most) {
  if (most < (T)INFINITY) {
    T anchor = most > -(T)INFINITY ? most : 0;
    return anchor + MATH(log)(TYPED(row_sum_exp)(x, n, anchor));
  }
  T sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += MATH(exp)(x[i]);
  return MATH(log)(sum);
}

/* Asks for a row that is read next: the processor does not look beyond a page by itself. */
static inline void TYPED(fetch)(const T *x, int64_t n) {
  for (int64_t i = 0; i < n; i += 64 / (int64_t)sizeof(T))
    __builtin_prefetch(x + i, 0, 2);
}

/* y[i] = (x[i] - less) * scale + shift, whole lines of 64 bytes past the caches. */
static void TYPED(stream_row)(T *y, const T *x, int64_t n, T less, T scale, T shift) {
  enum { LINE = 64 / sizeof(T) };
  int64_t i = 0, odd = (int64_t)(-(uintptr_t)y & 63) / (int64_t)sizeof(T);
  for (; i < odd && i < n; i++)
    y[i] = (x[i] - less) * scale + shift;
  for (; i + LINE <= n; i += LINE) {
    _Alignas(64) T line[LINE];
#pragma omp simd
    for (int64_t l = 0; l < LINE; l++)
      line[l] = (x[i + l] - less) * scale + shift;
    kiln__stream_line((char *)(y + i), line);
  }
  for (; i < n; i++)
    y[i] = (x[i] - less) * scale + shift;
}

static void TYPED(rows)(const softmax_job *j, int64_t from, int64_t to) {
  int64_t n = j->n;
  _Alignas(64) T small[ROOM];
  T *held = j->kind == SOFTMAX && j->streamed && n > ROOM && n <= LONG_ROOM
                ? kiln__scratch(0, n * (int64_t)sizeof(T))
                : NULL;
  T *room = n <= ROOM ? small : held;
  for (int64_t r = from; r < to; r++) {
    const T *x = (const T *)j->x + r * n, *g = (const T *)j->g + r * n;
    T *y = (T *)j->y + r * n, sum = 0;
    if (r + 1 < to && n <= ROOM)
      TYPED(fetch)(x + n, n);
    switch (j->kind) {
    case SOFTMAX: {
      T most = TYPED(row_max)(x, n);
      if (j->streamed && room) {
        sum = TYPED(row_exp)(room, x, n, most);
        TYPED(stream_row)(y, room, n, 0, 1 / sum, 0);
        break;
      }
      sum = TYPED(row_exp)(y, x, n, most);
      T scale = 1 / sum;
      for (int64_t i = 0; i < n; i++)
        y[i] *= scale;
      break;
    }
    case LOG_SOFTMAX: {
      T most = TYPED(row_max)(x, n);
      T rest = MATH(log)(TYPED(row_sum_exp)(x, n, most)); /* added to most it might be lost */
      if (j->streamed) {
        TYPED(stream_row)(y, x, n, most, 1, -rest);
        break;
      }
      for (int64_t i = 0; i < n; i++)
        y[i] = x[i] - most - rest;
      break;
    }
    case LOGSUMEXP:
      ((T *)j->y)[r] = TYPED(row_logsumexp)(x, n, TYPED(row_max)(x, n));
      break;
    case SOFTMAX_DX:
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < n; i++)
        sum += g[i] * x[i];
      for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * (g[i] - sum);
      break;
    case LOG_SOFTMAX_DX:
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < n; i++)
        sum += g[i];
#pragma omp simd
      for (int64_t i = 0; i < n; i++)
        y[i] = g[i] - MATH(exp)(x[i]) * sum;
      break;
    }
  }
  kiln__scratch_free(0, held, n * (int64_t)sizeof(T));
  kiln__stream_end();
}

/* FOR_CELLS(body): for every row k of the strip and column c, with p the cell's place. */
#define FOR_CELLS(body)                                                                            \
  for (int64_t k = 0; k < j->n; k++) {                                                             \
    int64_t row = base + k * j->inner;                                                             \
    _Pragma("omp simd") for (int64_t c = 0; c < width; c++) {                                      \
      int64_t p = row + c;                                                                         \
      body;                                                                                        \
    }                                                                                              \
  }

static void TYPED(strips)(const softmax_job *j, int64_t from, int64_t to) {
  const T *x = j->x, *g = j->g;
  T *y = j->y, most[STRIP], sum[STRIP];
  int64_t strips = (j->inner + STRIP - 1) / STRIP;
  for (int64_t u = from; u < to; u++) {
    int64_t outer = u / strips, first = u % strips * STRIP;
    int64_t width = j->inner - first < STRIP ? j->inner - first : STRIP;
    int64_t base = outer * j->n * j->inner + first;
    for (int64_t c = 0; c < width; c++)
      most[c] = -(T)INFINITY, sum[c] = 0;
    if (j->kind <= LOGSUMEXP)
      FOR_CELLS(most[c] = x[p] > most[c] ? x[p] : most[c]);
    switch (j->kind) {
    case SOFTMAX:
      FOR_CELLS(T e = MATH(exp)(x[p] - most[c]); y[p] = e; sum[c] += e);
      for (int64_t c = 0; c < width; c++)
        sum[c] = 1 / sum[c];
      FOR_CELLS(y[p] *= sum[c]);
      break;
    case LOG_SOFTMAX:
      FOR_CELLS(sum[c] += MATH(exp)(x[p] - most[c]));
      for (int64_t c = 0; c < width; c++)
        sum[c] = MATH(log)(sum[c]);
      FOR_CELLS(y[p] = x[p] - most[c] - sum[c]);
      break;
    case LOGSUMEXP:
      for (int64_t c = 0; c < width; c++)
        most[c] = MATH(fabs)(most[c]) == (T)INFINITY ? 0 : most[c];
      FOR_CELLS(sum[c] += MATH(exp)(x[p] - most[c]));
      for (int64_t c = 0; c < width; c++) {
        y[outer * j->inner + first + c] = most[c] + MATH(log)(sum[c]);
      }
      break;
    case SOFTMAX_DX:
      FOR_CELLS(sum[c] += g[p] * x[p]);
      FOR_CELLS(y[p] = x[p] * (g[p] - sum[c]));
      break;
    case LOG_SOFTMAX_DX:
      FOR_CELLS(sum[c] += g[p]);
      FOR_CELLS(y[p] = g[p] - MATH(exp)(x[p]) * sum[c]);
      break;
    }
  }
}

#undef FOR_CELLS
