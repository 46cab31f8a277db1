/* cublas.c: products of matrices by cuBLASLt.
**
** What one shape needs (descriptors, the algorithm that the library's heuristics prefer) is made
** once and kept.  The library counts columns first: it is asked for the transposed product, whose
** operands are ours exchanged.  Emulated, the library is its double in emu/cublaslt.cc.
*/
#include "gemm.h"

#ifdef KILN_EMULATED
#include "emu/cublasLt.h"
#else
#include <cublasLt.h>
#endif
#include "library.h"
#include "plans.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                               \
  X(cublasLtCreate)                                                                                \
  X(cublasLtMatmul)                                                                                \
  X(cublasLtMatmulAlgoGetHeuristic)                                                                \
  X(cublasLtMatmulDescCreate)                                                                      \
  X(cublasLtMatmulDescDestroy)                                                                     \
  X(cublasLtMatmulDescSetAttribute)                                                                \
  X(cublasLtMatmulPreferenceCreate)                                                                \
  X(cublasLtMatmulPreferenceDestroy)                                                               \
  X(cublasLtMatmulPreferenceSetAttribute)                                                          \
  X(cublasLtMatrixLayoutCreate)                                                                    \
  X(cublasLtMatrixLayoutDestroy)                                                                   \
  X(cublasLtMatrixLayoutSetAttribute)

enum { DEVICES = 17, WORKSPACE = 32 << 20 };

/* Compared as bytes, so it is zeroed before it is filled. */
typedef struct plan_key {
  int64_t m, n, k, batch, lda, ldb, ldc, sa, sb, sc;
  int32_t device, dtype, turned, biased, alignment[3];
} plan_key;

typedef struct plan {
  kiln_plan head;
  plan_key key;
  bool usable;
  cublasLtMatmulDesc_t what;
  cublasLtMatrixLayout_t a, b, c;
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace;
} plan;
_Static_assert(offsetof(plan, key) == sizeof(kiln_plan), "the key follows at once");

static struct {
#define MEMBER(f) __typeof__(f) *f;
  FUNCTIONS(MEMBER)
#undef MEMBER
} lt;

static struct {
  pthread_once_t once;
  bool open;
  cublasLtHandle_t handle[DEVICES];
} state = {.once = PTHREAD_ONCE_INIT};

static void open_library(void) {
#ifdef KILN_EMULATED
#define SET(f) lt.f = f;
  FUNCTIONS(SET)
#undef SET
  state.open = true;
#else
#define NAME(f) #f,
  static const char *const names[] = {FUNCTIONS(NAME)};
#undef NAME
  _Static_assert(sizeof lt == sizeof names, "a pointer for each name");
  state.open = kiln__cuda_library("libcublasLt.so.13", names, (void **)&lt,
                                  (int)(sizeof names / sizeof *names));
#endif
}

/* -- Plans --------------------------------------------------------------------------------------
 */

static cudaDataType_t type_of(int32_t dtype) {
  return dtype == KILN_FLOAT64    ? CUDA_R_64F
         : dtype == KILN_FLOAT16  ? CUDA_R_16F
         : dtype == KILN_BFLOAT16 ? CUDA_R_16BF
                                  : CUDA_R_32F;
}

/* rows, columns: as the library counts them. */
static bool make_layout(cublasLtMatrixLayout_t *layout, const plan_key *key, int64_t rows,
                        int64_t columns, int64_t ld, int64_t step) {
  int32_t batch = (int32_t)key->batch;
  return !lt.cublasLtMatrixLayoutCreate(layout, type_of(key->dtype), (uint64_t)rows,
                                        (uint64_t)columns, ld) &&
         !lt.cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                              sizeof batch) &&
         !lt.cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                              &step, sizeof step);
}

/* What is computed: c^T = b^T a^T. */
static bool describe(plan *p) {
  const plan_key *k = &p->key;
  bool ta = k->turned & 1, tb = k->turned & 2, f64 = k->dtype == KILN_FLOAT64;
  cublasOperation_t turn_a = ta ? CUBLAS_OP_T : CUBLAS_OP_N,
                    turn_b = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  cublasComputeType_t compute = f64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  if (k->dtype == KILN_FLOAT32 && kiln__cuda_tf32())
    compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  if (lt.cublasLtMatmulDescCreate(&p->what, compute, f64 ? CUDA_R_64F : CUDA_R_32F) ||
      lt.cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_TRANSA, &turn_b,
                                        sizeof turn_b) ||
      lt.cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_TRANSB, &turn_a,
                                        sizeof turn_a))
    return false;
  if (k->biased && lt.cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                     &epilogue, sizeof epilogue))
    return false;
  return make_layout(&p->a, k, ta ? k->m : k->k, ta ? k->k : k->m, k->lda, k->sa) &&
         make_layout(&p->b, k, tb ? k->k : k->n, tb ? k->n : k->k, k->ldb, k->sb) &&
         make_layout(&p->c, k, k->n, k->m, k->ldc, k->sc);
}

static bool choose_algorithm(plan *p) {
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulHeuristicResult_t found;
  uint64_t most = WORKSPACE;
  uint32_t align[3];
  int n = 0;
  for (int i = 0; i < 3; i++)
    align[i] = (uint32_t)p->key.alignment[i];
  if (lt.cublasLtMatmulPreferenceCreate(&preference))
    return false;
#define PREFER(attribute, value)                                                                   \
  !lt.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &(value), sizeof(value))
  bool ok = PREFER(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most) &&
            PREFER(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, align[1]) &&
            PREFER(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, align[0]) &&
            PREFER(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, align[2]) &&
            PREFER(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, align[2]) &&
            !lt.cublasLtMatmulAlgoGetHeuristic(state.handle[p->key.device], p->what, p->b, p->a,
                                               p->c, p->c, preference, 1, &found, &n) &&
            n == 1 && found.state == CUBLAS_STATUS_SUCCESS;
#undef PREFER
  lt.cublasLtMatmulPreferenceDestroy(preference);
  if (ok) {
    p->algorithm = found.algo;
    p->workspace = found.workspaceSize;
  }
  return ok;
}

static void make_plan(void *made) {
  plan *p = made;
  p->usable = describe(p) && choose_algorithm(p);
}

static void end_plan(void *ended) {
  plan *p = ended;
  if (p->what)
    lt.cublasLtMatmulDescDestroy(p->what);
  if (p->a)
    lt.cublasLtMatrixLayoutDestroy(p->a);
  if (p->b)
    lt.cublasLtMatrixLayoutDestroy(p->b);
  if (p->c)
    lt.cublasLtMatrixLayoutDestroy(p->c);
}

static kiln_plans plans = {.key_bytes = sizeof(plan_key),
                           .plan_bytes = sizeof(plan),
                           .make = make_plan,
                           .end = end_plan,
                           .lock = PTHREAD_MUTEX_INITIALIZER};

/* -- The product ----------------------------------------------------------------------------------
 */

/* The largest power of two up to 256 that divides an address. */
static int32_t alignment_of(const void *p) {
  uintptr_t at = (uintptr_t)p | 256;
  return (int32_t)(at & -at);
}

static plan_key key_of(const kiln_cuda_gemm *g) {
  plan_key k;
  memset(&k, 0, sizeof k);
  k.m = g->m, k.n = g->n, k.k = g->k, k.batch = g->batch;
  k.lda = g->lda, k.ldb = g->ldb, k.ldc = g->ldc;
  k.sa = g->sa, k.sb = g->sb, k.sc = g->sc;
  k.device = g->device;
  k.dtype = g->dtype;
  k.turned = g->ta | g->tb << 1;
  k.biased = g->bias != NULL;
  k.alignment[0] = alignment_of(g->a);
  k.alignment[1] = alignment_of(g->b);
  k.alignment[2] = alignment_of(g->c);
  return k;
}

/* Sets the bias and starts; the lock is held, because plans are shared. */
static cublasStatus_t start(const plan *p, const kiln_cuda_gemm *g, void *workspace, void *stream) {
  float alpha = (float)g->alpha, beta = (float)g->beta;
  bool f64 = g->dtype == KILN_FLOAT64;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (g->bias)
    status = lt.cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &g->bias,
                                               sizeof g->bias);
  if (status)
    return status;
  return lt.cublasLtMatmul(state.handle[g->device], p->what, f64 ? (const void *)&g->alpha : &alpha,
                           g->b, p->b, g->a, p->a, f64 ? (const void *)&g->beta : &beta, g->c, p->c,
                           g->c, p->c, &p->algorithm, workspace, p->workspace,
                           (cudaStream_t)stream);
}

int32_t kiln__cublas_gemm(const kiln_cuda_gemm *g, const char *op) {
  pthread_once(&state.once, open_library);
  if (!state.open || g->batch > INT32_MAX || (g->bias && g->dtype == KILN_FLOAT64))
    return 0;
  void *stream = kiln__cuda_stream(g->device), *workspace = NULL;
  plan_key key = key_of(g);
  int32_t done = 0;
  pthread_mutex_lock(&plans.lock);
  cublasLtHandle_t *handle = &state.handle[g->device];
  plan *p = *handle || !lt.cublasLtCreate(handle)
                ? kiln__plans_find(&plans, &key, kiln__cuda_is_capturing())
                : NULL;
  if (p && p->usable) {
    done = 1;
    int64_t bytes = (int64_t)p->workspace;
    if (bytes > 0 && !(workspace = kiln__scratch(g->device, bytes)))
      done = KILN_ENOMEM;
    if (done > 0) {
      cublasStatus_t status = start(p, g, workspace, stream);
      if (status)
        done = kiln_fail(KILN_EBACKEND,
                         "%s: cuBLASLt answers %d to a product of [%lld, %lld] and "
                         "[%lld, %lld]",
                         op, (int)status, (long long)g->m, (long long)g->k, (long long)g->k,
                         (long long)g->n);
    }
    kiln__scratch_free(g->device, workspace, bytes);
  }
  pthread_mutex_unlock(&plans.lock);
  return done;
}
