/* cublaslt.cc: a double of cuBLASLt: the checks of its manual, the product by plain loops in the
** order of the stream.  It refuses whatever cublasLt.h here does not name.
*/
#include "cublasLt.h"

#include "../../core/cpu/half.h"

struct kiln_emu_lt {
  int device;
};
struct kiln_emu_matmul {
  cublasComputeType_t compute;
  cublasOperation_t turn_a, turn_b;
  cublasLtEpilogue_t epilogue;
  const void *bias;
};
struct kiln_emu_layout {
  cudaDataType_t type;
  int64_t rows, columns, ld, step;
  int32_t batch;
};
struct kiln_emu_preference {
  uint32_t alignment[4];
};

/* -- Descriptors --------------------------------------------------------------------------------
 */

template <class T> static cublasStatus_t set(T *to, const void *value, size_t size) {
  if (size != sizeof(T) || !value)
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(to, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = new kiln_emu_lt();
  cudaGetDevice(&(*handle)->device);
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                                   cublasComputeType_t compute,
                                                   cudaDataType_t scale) {
  if ((compute == CUBLAS_COMPUTE_64F) != (scale == CUDA_R_64F))
    return CUBLAS_STATUS_INVALID_VALUE;
  *desc =
      new kiln_emu_matmul{compute, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr};
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                         cublasLtMatmulDescAttributes_t attribute,
                                                         const void *value, size_t size) {
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return set(&desc->turn_a, value, size);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return set(&desc->turn_b, value, size);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return set(&desc->epilogue, value, size);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return set(&desc->bias, value, size);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

extern "C" cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                                     cudaDataType_t type, uint64_t rows,
                                                     uint64_t columns, int64_t ld) {
  *layout = new kiln_emu_layout{type, (int64_t)rows, (int64_t)columns, ld, 0, 1};
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                 cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                 size_t size) {
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return set(&layout->batch, value, size);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return set(&layout->step, value, size);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

extern "C" cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = new kiln_emu_preference{{256, 256, 256, 256}};
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                     cublasLtMatmulPreferenceAttributes_t attribute,
                                     const void *value, size_t size) {
  uint64_t workspace;
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return set(&workspace, value, size);
  int operand = (int)attribute - (int)CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
  return set(&preference->alignment[operand], value, size);
}

/* -- Checks -------------------------------------------------------------------------------------
 */

static bool fits(const kiln_emu_layout *l, cublasOperation_t turn, int64_t rows, int64_t columns) {
  bool turned = turn == CUBLAS_OP_T;
  return l->ld >= l->rows && l->rows == (turned ? columns : rows) &&
         l->columns == (turned ? rows : columns);
}

static cublasStatus_t check(const kiln_emu_matmul *m, const kiln_emu_layout *a,
                            const kiln_emu_layout *b, const kiln_emu_layout *d) {
  int64_t k = m->turn_a == CUBLAS_OP_T ? a->rows : a->columns;
  if (!fits(a, m->turn_a, d->rows, k) || !fits(b, m->turn_b, k, d->columns) || d->ld < d->rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (a->batch != d->batch || b->batch != d->batch || a->type != d->type || b->type != d->type)
    return CUBLAS_STATUS_INVALID_VALUE;
  bool f64 = m->compute == CUBLAS_COMPUTE_64F;
  if (f64 != (d->type == CUDA_R_64F) || (f64 && m->epilogue == CUBLASLT_EPILOGUE_BIAS))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                               cublasLtMatmulPreference_t preference, int wanted,
                               cublasLtMatmulHeuristicResult_t *found, int *n) {
  if (!handle || wanted < 1 || c->rows != d->rows || c->columns != d->columns)
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = check(desc, a, b, d);
  *n = status == CUBLAS_STATUS_SUCCESS;
  if (status != CUBLAS_STATUS_SUCCESS)
    return status;
  memset(found, 0, sizeof *found);
  for (int i = 0; i < 4; i++)
    found->algo.data[i] = preference->alignment[i];
  found->workspaceSize = 256;
  return CUBLAS_STATUS_SUCCESS;
}

/* -- The product ----------------------------------------------------------------------------------
 */

static float value_of(kiln_f16 v) { return kiln__from_f16(v); }
static float value_of(kiln_bf16 v) { return kiln__from_bf16(v); }
static float value_of(float v) { return v; }
static double value_of(double v) { return v; }
static void put(float v, kiln_f16 *to) { *to = kiln__to_f16(v); }
static void put(float v, kiln_bf16 *to) { *to = kiln__to_bf16(v); }
static void put(float v, float *to) { *to = v; }
static void put(double v, double *to) { *to = v; }

/* One call, waiting in a stream. */
struct job {
  kiln_emu_matmul what;
  kiln_emu_layout a, b, d;
  double alpha, beta;
  const void *pa, *pb, *c;
  void *pd;
};

/* op(x), columns one after the other, in the type of computation. */
template <class T, class V>
static V *unpack(const T *x, const kiln_emu_layout &l, bool turned, int64_t rows, int64_t columns) {
  V *to = new V[(size_t)(rows * columns)];
  for (int64_t c = 0; c < columns; c++) {
    for (int64_t r = 0; r < rows; r++)
      to[c * rows + r] = value_of(x[turned ? c + r * l.ld : r + c * l.ld]);
  }
  return to;
}

template <class T, class V> static void multiply(const job &j) {
  bool ta = j.what.turn_a == CUBLAS_OP_T, tb = j.what.turn_b == CUBLAS_OP_T;
  int64_t m = j.d.rows, n = j.d.columns, k = ta ? j.a.rows : j.a.columns;
  V *sum = new V[(size_t)m];
  for (int64_t batch = 0; batch < j.d.batch; batch++) {
    V *a = unpack<T, V>((const T *)j.pa + batch * j.a.step, j.a, ta, m, k);
    V *b = unpack<T, V>((const T *)j.pb + batch * j.b.step, j.b, tb, k, n);
    T *d = (T *)j.pd + batch * j.d.step;
    const T *c = (const T *)j.c + batch * j.d.step;
    for (int64_t col = 0; col < n; col++) {
      for (int64_t r = 0; r < m; r++)
        sum[r] = 0;
      for (int64_t p = 0; p < k; p++) {
        V scale = b[col * k + p];
        for (int64_t r = 0; r < m; r++)
          sum[r] += a[p * m + r] * scale;
      }
      for (int64_t r = 0; r < m; r++) {
        V v = (V)j.alpha * sum[r];
        if (j.beta != 0)
          v += (V)j.beta * value_of(c[col * j.d.ld + r]);
        if (j.what.epilogue == CUBLASLT_EPILOGUE_BIAS)
          v += value_of(((const T *)j.what.bias)[r]);
        put(v, &d[col * j.d.ld + r]);
      }
    }
    delete[] a;
    delete[] b;
  }
  delete[] sum;
}

static void run(void *context) {
  job *j = (job *)context;
  switch (j->d.type) {
  case CUDA_R_32F:
    multiply<float, float>(*j);
    break;
  case CUDA_R_64F:
    multiply<double, double>(*j);
    break;
  case CUDA_R_16F:
    multiply<kiln_f16, float>(*j);
    break;
  case CUDA_R_16BF:
    multiply<kiln_bf16, float>(*j);
    break;
  }
}

static void drop(void *context) { delete (job *)context; }

static bool aligned(const void *p, uint64_t to) { return (uintptr_t)p % to == 0; }

extern "C" cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
               cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,
               const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,
               cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algo, void *workspace,
               size_t workspace_bytes, cudaStream_t stream) {
  int device = -1;
  cudaGetDevice(&device);
  if (!handle || handle->device != device)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!workspace || workspace_bytes < 256 || c != d || c_layout != d_layout)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!aligned(a, algo->data[0]) || !aligned(b, algo->data[1]) || !aligned(c, algo->data[2]) ||
      !aligned(d, algo->data[3]))
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = check(desc, a_layout, b_layout, d_layout);
  if (status != CUBLAS_STATUS_SUCCESS)
    return status;
  bool f64 = desc->compute == CUBLAS_COMPUTE_64F;
  job *j = new job{*desc,
                   *a_layout,
                   *b_layout,
                   *d_layout,
                   f64 ? *(const double *)alpha : (double)*(const float *)alpha,
                   f64 ? *(const double *)beta : (double)*(const float *)beta,
                   a,
                   b,
                   c,
                   d};
  return kiln_emu_host_op(stream, run, drop, j) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                               : CUBLAS_STATUS_INVALID_VALUE;
}
