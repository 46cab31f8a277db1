/* order.h: sorting entries by integer keys, and running sums: what sort, index and unpooling are
** built on.  Everything is stable and gives the same result at every run.
*/
#ifndef KILN_CUDA_ORDER_H
#define KILN_CUDA_ORDER_H
#include "grid.h"

/* Entry i has a key and a place, both in memory of the device. */
typedef struct kiln_entries {
  uint64_t *key;
  int64_t *place;
} kiln_entries;

/* Room for n entries until the end of the call. */
kiln_entries kiln__cuda_entries(kiln_job *j, int64_t n);

/* Sorts `lines` lines of n entries by the low `bits` bits of their keys (the others are 0); equal
** keys keep their order.  Entry p of line l must have the place l * n + p.  Returns where the
** sorted entries are: in e or in other memory of the call. */
kiln_entries kiln__cuda_order(kiln_job *j, kiln_entries e, int64_t lines, int64_t n, int32_t bits);

/* v[i] becomes the sum of v[0..i - 1]. */
void kiln__cuda_running_sums(kiln_job *j, int64_t *v, int64_t n);

/* How many bits the numbers below `limit` have. */
static inline int32_t kiln__bits_below(int64_t limit) {
  int32_t bits = 0;
  while (bits < 63 && ((int64_t)1 << bits) < limit)
    bits++;
  return bits;
}

#endif
