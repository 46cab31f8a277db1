/* fused.h: what the loops of pointwise ops and the reductions offer to passes over several ops
** (fused.c).
*/
#ifndef KILN_FUSED_H
#define KILN_FUSED_H
#include "cpu.h"

/* p[0] is the output, p[1].. the inputs, all contiguous; the output may be an input. */
typedef void (*kiln_loop)(int64_t n, char *const *p, const kiln_attr *par);

/* elementwise.c: the loop of an op for a dtype (float32 for the halves). */
kiln_loop FN(kiln__cpu_loop)(int32_t op, int32_t dtype);
/* elementwise.c: the op that computes pow(x, exponent) in that dtype; of one argument unless pow.
 */
int32_t FN(kiln__cpu_power)(int32_t dtype, const kiln_tensor *exponent);

/* Elements from to from + n - 1 of what is reduced, good until the thread asks again; halves come
** as floats.  n is at most KILN_MADE. */
typedef const char *(*kiln_made)(void *context, int64_t from, int64_t n);
enum { KILN_MADE = 8192 };

/* reduce.c: the sum or mean of n elements that never lie in memory together, to the bit what the op
** gives for them. */
int32_t FN(kiln__cpu_reduce_made)(int32_t op, int32_t dtype, int64_t n, kiln_made made,
                                  void *context, kiln_tensor *out);

#endif
