/* onednn.h: what oneDNN computes for the CPU backend: products, convolutions and their gradients in
** float32.  Without KILN_ONEDNN it only says what a convolution is: callers have their own road.
*/
#ifndef KILN_ONEDNN_H
#define KILN_ONEDNN_H
#include "../backend.h"

/* A convolution of a [n, ca, in...] with w [cb, ca / groups, kernel...], giving b [n, cb, out...];
** always three spatial dims, the unused leading ones of size 1. */
typedef struct kiln_conv {
  int64_t n, ca, cb, groups;
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} kiln_conv;

/* Which of a, w and b of a convolution is computed from the other two. */
typedef enum kiln_conv_result { KILN_CONV_A, KILN_CONV_W, KILN_CONV_B } kiln_conv_result;

#ifdef KILN_ONEDNN

/* Row-major c = alpha * op(a) op(b) + beta * c on as many threads as OpenMP allows here. */
void kiln__onednn_sgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha,
                        const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                        float *c, int64_t ldc);

/* Computes one of the three, dense tensors all; bias (for b) may be NULL.  1 when done, 0 when
** oneDNN has no implementation, negative after kiln_fail. */
int32_t kiln__onednn_conv(const kiln_conv *g, kiln_conv_result which, float *a, float *w, float *b,
                          const float *bias);

#endif
#endif
