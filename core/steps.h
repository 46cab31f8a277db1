/* steps.h: the sizes of the steps of a recurrent layer, which the CPU reads for every backend.  It
** refuses to know what a step computes.
*/
#ifndef KILN_STEPS_H
#define KILN_STEPS_H
#include "backend.h"

/* sizes: int64 on the CPU, contiguous.  0 when they never grow, are at most n, and sum to `rows`;
** else negative. */
static inline int32_t kiln__check_steps(const kiln_tensor *sizes, int64_t rows, int64_t n) {
  const int64_t *v = (const int64_t *)kiln__data(sizes);
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

#endif
