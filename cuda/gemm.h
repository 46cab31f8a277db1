/* gemm.h: products of matrices for the kernels that need one.  cuBLASLt computes them where it can
** be opened; where it cannot, and for integers, a kernel of our own does (product.cu).
*/
#ifndef KILN_CUDA_GEMM_H
#define KILN_CUDA_GEMM_H
#include "runtime.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c = alpha * op(a) op(b) + beta * c + bias, row-major, op(a) [m, k], op(b) [k, n], c [m, n]; `ld`
** is from one row in memory to the next.  beta = 0 does not read c.  `batch` products, whose
** operands lie sa, sb and sc elements apart.  Halves are multiplied and summed in float32 and
** rounded once.  bias: [n], added to every row, or NULL. */
typedef struct kiln_cuda_gemm {
  int32_t device, dtype;
  bool ta, tb;
  int64_t m, n, k, batch;
  const void *a, *b, *bias;
  void *c;
  int64_t lda, ldb, ldc, sa, sb, sc;
  double alpha, beta;
} kiln_cuda_gemm;

/* On the device's stream; op names the caller in errors. */
int32_t kiln__cuda_gemm(const kiln_cuda_gemm *g, const char *op);

/* By cuBLASLt: 1 when done, 0 when it cannot, negative after an error. */
int32_t kiln__cublas_gemm(const kiln_cuda_gemm *g, const char *op);

#ifdef __cplusplus
}
#endif
#endif
