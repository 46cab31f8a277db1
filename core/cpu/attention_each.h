/* attention_each.h: a block of attention's queries, forward and back, for element type T.  Read by
** each.h.
*/
#include "softmax_row.h"

/* -- Forward ------------------------------------------------------------------------------------
 */

/* Scores [rows, keys] become exp(score - the largest of the row), 0 for keys that a row does not
** see; `sum` gets their sums and `total` the logarithms of the sums of exp(score). */
static void TYPED(weigh)(const block *b, T *scores, T *sum, T *total) {
  for (int64_t r = 0; r < b->rows; r++) {
    T *x = scores + r * b->keys;
    int64_t seen = seen_by(b, r);
    T most = TYPED(row_max)(x, seen);
    sum[r] = TYPED(row_exp)(x, x, seen, most);
    total[r] = most + MATH(log)(sum[r]);
    for (int64_t i = seen; i < b->keys; i++)
      x[i] = 0;
  }
}

/* out: the block's rows are written.  room: [rows, keys] and [rows]. */
static void TYPED(attend)(const job *j, const block *b, const operand *out, T *room) {
  matrix scores = {room, b->rows, b->keys, b->keys, false}, y = queries(out, b);
  T *sum = room + b->rows * b->keys, *row = y.data;
  multiply(j, j->scale, queries(&j->q, b), turned(keys(&j->k, b)), 0, scores);
  TYPED(weigh)(b, room, sum, total_of(j, b));
  multiply(j, 1, scores, keys(&j->v, b), 0, y);
  for (int64_t r = 0; r < b->rows && b->keys > 0; r++, row += y.ld) {
    T scale = 1 / sum[r];
    for (int64_t i = 0; i < y.columns; i++)
      row[i] *= scale;
  }
}

/* -- Backward -----------------------------------------------------------------------------------
 */

/* Scores [rows, keys] become the weights again. */
static void TYPED(weigh_again)(const block *b, T *scores, const T *total) {
  for (int64_t r = 0; r < b->rows; r++) {
    T *x = scores + r * b->keys;
    int64_t seen = seen_by(b, r);
    TYPED(row_exp)(x, x, seen, total[r]);
    for (int64_t i = seen; i < b->keys; i++)
      x[i] = 0;
  }
}

/* The gradients d of the weights become those of the scores. */
static void TYPED(through_softmax)(const job *j, const block *b, T *d, const T *weights) {
  const T *g = row_of(&j->g, b->batch, b->first), *y = row_of(&j->y, b->batch, b->first);
  for (int64_t r = 0; r < b->rows; r++, g += j->g.ld, y += j->y.ld) {
    T mean = 0, *row = d + r * b->keys;
    const T *w = weights + r * b->keys;
#pragma omp simd reduction(+ : mean)
    for (int64_t i = 0; i < j->v.columns; i++)
      mean += g[i] * y[i];
    for (int64_t i = 0; i < b->keys; i++)
      row[i] = w[i] * (row[i] - mean);
  }
}

/* out: of q, where the block's rows are written, and of k and v, to which is added.  room: twice
** [rows, keys]. */
static void TYPED(attend_back)(const job *j, const block *b, const operand out[3], T *room) {
  matrix weights = {room, b->rows, b->keys, b->keys, false}, d = weights;
  matrix q = queries(&j->q, b), k = keys(&j->k, b), g = queries(&j->g, b);
  T *d_scores = room + b->rows * b->keys;
  d.data = d_scores;
  multiply(j, j->scale, q, turned(k), 0, weights);
  TYPED(weigh_again)(b, room, total_of(j, b));
  multiply(j, 1, turned(weights), g, 1, keys(&out[2], b));
  multiply(j, 1, g, turned(keys(&j->v, b)), 0, d);
  TYPED(through_softmax)(j, b, d_scores, room);
  multiply(j, j->scale, d, k, 0, queries(&out[0], b));
  multiply(j, j->scale, turned(d), q, 1, keys(&out[1], b));
}
