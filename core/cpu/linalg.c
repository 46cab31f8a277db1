/* linalg.c: linear algebra on the CPU: batches of matrices through LAPACK, and what its answers
** mean in words.  What is done with one matrix is in linalg_each.h.  It refuses inputs that are not
** float32 or float64.
*/
#include "../leading.h"
#include "blas.h"
#include "cpu.h"

#include <float.h>
#include <stdio.h>

#define TRSM_f32 cblas_strsm
#define TRSM_f64 cblas_dtrsm

enum { MAX_INPUTS = 3 };

/* One call: its batch, the sizes of its matrices, its flags, room for one matrix at work. */
typedef struct work {
  const kiln_call *c;
  const kiln_lapack *lapack;
  const kiln_blas *blas;
  int32_t batch_dims;
  const int64_t *batch_shape;
  int8_t tail[MAX_INPUTS]; /* dims of a matrix (or vector) at the end of input i */
  int64_t m, n, k;
  bool flag[3];
  void *room;
} work;

typedef lapack_int (*step)(const work *w, int64_t b);

/* Matrix b of the batch in input i, whose batch dims broadcast. */
static const void *matrix_in(const work *w, int32_t i, int64_t b, int64_t elements) {
  const kiln_tensor *x = w->c->in[i];
  int32_t d = x->ndim - w->tail[i];
  int64_t place = 0, distance = 1;
  for (int32_t k = w->batch_dims - 1; k >= 0 && d > 0; k--) {
    d--;
    if (x->shape[d] != 1)
      place += b % w->batch_shape[k] * distance;
    distance *= x->shape[d];
    b /= w->batch_shape[k];
  }
  return (const char *)kiln__data(x) + place * elements * kiln__size_of(x->dtype);
}

#define EACH "linalg_each.h"
#define EACH_FLOATS_ONLY
#include "each.h"

/* -- Running a batch -------------------------------------------------------------------- */

/* What one op does: its steps, and what a positive info says (it has one %d). */
typedef struct method {
  const char *name, *failure;
  step f32, f64;
} method;

typedef struct outcome {
  int64_t matrix;
  lapack_int info;
} outcome;

static void run_part(work w, step f, int64_t bytes, int64_t from, int64_t to, outcome *worst) {
  w.room = kiln__scratch(0, bytes);
  lapack_int info = w.room ? 0 : LAPACK_WORK_MEMORY_ERROR;
  int64_t b = from;
  for (; b < to && info == 0; b++)
    info = f(&w, b);
  if (info != 0) {
#pragma omp critical(kiln_linalg)
    if (worst->info == 0 || b - 1 < worst->matrix)
      *worst = (outcome){b - 1, info};
  }
  if (w.room)
    kiln__scratch_free(0, w.room, bytes);
}

static int32_t report(const method *way, outcome worst, int64_t batch) {
  char which[48] = "";
  if (batch > 1) {
    snprintf(which, sizeof which, "matrix %lld of the batch: ", (long long)worst.matrix + 1);
  }
  if (worst.info == LAPACK_WORK_MEMORY_ERROR || worst.info == LAPACK_TRANSPOSE_MEMORY_ERROR) {
    return kiln_fail(KILN_ENOMEM, "%s: no memory to work in", way->name);
  }
  if (worst.info < 0) {
    return kiln_fail(KILN_EBACKEND, "%s: %sLAPACK refuses its argument %d", way->name, which,
                     (int)-worst.info);
  }
  char what[160];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(what, sizeof what, way->failure, (int)worst.info);
#pragma GCC diagnostic pop
  return kiln_fail(KILN_EARG, "%s: %s%s", way->name, which, what);
}

/* `elements` and `integers` are the room that a step asks for.  The batch is that of out[0], whose
** matrix has `tail` dims.  Where m, n or k is 0 LAPACK has nothing to do, and outputs are zeros. */
static int32_t run(work *w, const method *way, int32_t tail, int64_t elements, int64_t integers) {
  const kiln_tensor *y = w->c->out[0], *x = w->c->in[0];
  w->lapack = kiln__lapack();
  w->blas = kiln__blas();
  if (!w->lapack || !w->blas)
    return KILN_EBACKEND;
  w->batch_dims = y->ndim - tail;
  w->batch_shape = y->shape;
  int64_t batch = 1;
  for (int32_t d = 0; d < w->batch_dims; d++)
    batch *= y->shape[d];
  if (w->m == 0 || w->n == 0 || w->k == 0) {
    for (int32_t i = 0; i < w->c->n_out; i++) {
      const kiln_tensor *out = w->c->out[i];
      memset(kiln__data(out), 0, (size_t)(out->numel * kiln__size_of(out->dtype)));
    }
    return KILN_OK;
  }
  step f = x->dtype == KILN_FLOAT64 ? way->f64 : way->f32;
  int64_t bytes = elements * kiln__size_of(x->dtype) + integers * (int64_t)sizeof(lapack_int);
  int64_t cost = w->m * w->n * w->n;
  outcome worst = {0};
  KILN_PARALLEL_BY(KILN_GRAIN / cost + 1, batch, 1, KILN_GRAIN / cost + 1,
                   run_part(*w, f, bytes, from, to, &worst));
  return worst.info ? report(way, worst, batch) : KILN_OK;
}

static void write_one(const kiln_tensor *x, int64_t i) {
  if (x->dtype == KILN_FLOAT64)
    ((double *)kiln__data(x))[i] = 1;
  else
    ((float *)kiln__data(x))[i] = 1;
}

/* Puts ones on the diagonals of matrices of zeros. */
static void write_identity(const kiln_tensor *x) {
  int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
  for (int64_t i = 0; i < x->numel; i++) {
    if (i / n % m == i % n)
      write_one(x, i);
  }
}

/* Sizes of the matrices at the end of input i. */
static int64_t rows_in(const kiln_call *c, int32_t i) {
  return c->in[i]->shape[c->in[i]->ndim - 2];
}
static int64_t cols_in(const kiln_call *c, int32_t i) {
  return c->in[i]->shape[c->in[i]->ndim - 1];
}

static work work_on(const kiln_call *c) {
  return (work){.c = c, .tail = {2, 2, 2}, .m = rows_in(c, 0), .n = cols_in(c, 0), .k = 1};
}

#define METHOD(name, failure)                                                                      \
  { #name, failure, name##_f32, name##_f64 }
#define SINGULAR "the matrix is singular: pivot %d of its LU factorization is exactly 0"

/* NaN spreads through what is computed step by step.  It is refused where iterations would not end,
** or where the answer (a rank, "positive definite") would be wrong; there infinities are, too, if
** `all`. */
static int32_t refuse_nan(const kiln_call *c, const char *name, bool all) {
  for (int32_t k = 0; k < c->n_in; k++) {
    const kiln_tensor *x = c->in[k];
    bool is_double = x->dtype == KILN_FLOAT64;
    for (int64_t i = 0; i < x->numel; i++) {
      double v = is_double ? ((double *)kiln__data(x))[i] : (double)((float *)kiln__data(x))[i];
      if (all ? !isfinite(v) : isnan(v)) {
        return kiln_fail(KILN_EARG, "%s: the input has NaN%s", name, all ? " or an infinity" : "");
      }
    }
  }
  return KILN_OK;
}

/* -- The ops -------------------------------------------------------------------------------------
 */

static int32_t lu_factor(const kiln_call *c) {
  static const method way = METHOD(lu_factor, SINGULAR);
  work w = work_on(c);
  return run(&w, &way, 2, w.m * w.n, w.m < w.n ? w.m : w.n);
}

static int32_t inverse(const kiln_call *c) {
  static const method way = METHOD(inverse, SINGULAR);
  work w = work_on(c);
  return run(&w, &way, 2, 0, w.n);
}

/* The determinant of a matrix without elements is 1. */
static int32_t determinant_by(const kiln_call *c, const method *way) {
  work w = work_on(c);
  int32_t status = run(&w, way, 0, w.n * w.n, w.n);
  for (int64_t i = 0; w.n == 0 && i < c->out[0]->numel; i++)
    write_one(c->out[0], i);
  return status;
}
static int32_t det(const kiln_call *c) {
  static const method way = {"det", "LAPACK info %d", determinant_f32, determinant_f64};
  return determinant_by(c, &way);
}
static int32_t slogdet(const kiln_call *c) {
  static const method way = {"slogdet", "LAPACK info %d", determinant_f32, determinant_f64};
  return determinant_by(c, &way);
}

/* b may be a vector. */
static int32_t solve(const kiln_call *c) {
  static const method way = METHOD(solve, SINGULAR);
  work w = work_on(c);
  const kiln_tensor *a = c->in[0], *b = c->in[1];
  bool vector = kiln__are_vectors(a->ndim, a->shape, b->ndim, b->shape);
  w.k = vector ? 1 : cols_in(c, 1);
  if (vector)
    w.tail[1] = 1;
  return run(&w, &way, vector ? 1 : 2, w.n * w.n + w.n * w.k, w.n);
}

static int32_t lu_solve(const kiln_call *c) {
  static const method way = METHOD(lu_solve, SINGULAR);
  work w = work_on(c);
  w.n = w.m;
  w.k = cols_in(c, 0);
  w.tail[2] = 1;
  w.flag[0] = c->attr[0].i != 0;
  const int64_t *pivot = kiln__data(c->in[2]);
  for (int64_t i = 0; i < c->in[2]->numel; i++) {
    if (pivot[i] < 1 || pivot[i] > w.n) {
      return kiln_fail(KILN_EARG, "lu_solve: pivot %lld at position %lld is out of range 1..%lld",
                       (long long)pivot[i], (long long)(i % w.n + 1), (long long)w.n);
    }
  }
  return run(&w, &way, 2, w.n * w.n + w.n * w.k, w.n);
}

/* attr: upper, transpose, unitriangular. */
static int32_t triangular_solve(const kiln_call *c) {
  static const method way =
      METHOD(triangular_solve, "the matrix is singular: element %d of its diagonal is 0");
  work w = work_on(c);
  w.n = w.m;
  w.k = cols_in(c, 0);
  for (int i = 0; i < 3; i++)
    w.flag[i] = c->attr[i].i != 0;
  return run(&w, &way, 2, 0, 0);
}

static int32_t cholesky(const kiln_call *c) {
  static const method way =
      METHOD(cholesky, "the matrix is not positive definite: its leading minor of order %d is not");
  if (refuse_nan(c, "cholesky", false) < 0)
    return KILN_EARG;
  work w = work_on(c);
  w.flag[0] = c->attr[0].i != 0;
  return run(&w, &way, 2, 0, 0);
}

static int32_t cholesky_inverse(const kiln_call *c) {
  static const method way =
      METHOD(cholesky_inverse, "the factor is singular: element %d of its diagonal is 0");
  work w = work_on(c);
  w.flag[0] = c->attr[0].i != 0;
  return run(&w, &way, 2, w.n * w.n, 0);
}

static int32_t pstrf(const kiln_call *c) {
  static const method way = METHOD(pstrf, "the matrix has rank %d");
  if (refuse_nan(c, "pstrf", false) < 0)
    return KILN_EARG;
  work w = work_on(c);
  w.flag[0] = c->attr[0].i != 0;
  return run(&w, &way, 2, 0, w.n);
}

static int32_t qr(const kiln_call *c) {
  static const method way = METHOD(qr, "LAPACK info %d");
  work w = work_on(c);
  w.k = c->out[0]->shape[c->out[0]->ndim - 1];
  int32_t status = run(&w, &way, 2, w.m * (w.n > w.k ? w.n : w.k) + (w.m < w.n ? w.m : w.n), 0);
  if (w.n == 0)
    write_identity(c->out[0]);
  return status;
}

static int32_t geqrf(const kiln_call *c) {
  static const method way = METHOD(geqrf, "LAPACK info %d");
  work w = work_on(c);
  return run(&w, &way, 2, w.m * w.n, 0);
}

static int32_t orgqr(const kiln_call *c) {
  static const method way = METHOD(orgqr, "LAPACK info %d");
  work w = work_on(c);
  w.k = cols_in(c, 1);
  w.tail[1] = 1;
  int32_t status = run(&w, &way, 2, w.m * w.n, 0);
  if (w.k == 0)
    write_identity(c->out[0]);
  return status;
}

/* attr: left, transpose. */
static int32_t ormqr(const kiln_call *c) {
  static const method way = METHOD(ormqr, "LAPACK info %d");
  work w = work_on(c);
  int64_t r = w.m;
  w.k = cols_in(c, 1);
  w.m = rows_in(c, 2);
  w.n = cols_in(c, 2);
  w.tail[1] = 1;
  w.flag[0] = c->attr[0].i != 0;
  w.flag[1] = c->attr[1].i != 0;
  int32_t status = run(&w, &way, 2, r * w.k + w.m * w.n, 0);
  const kiln_tensor *y = c->out[0];
  if (w.k == 0)
    memcpy(kiln__data(y), kiln__data(c->in[2]), (size_t)(y->numel * kiln__size_of(y->dtype)));
  return status;
}

static int32_t svd(const kiln_call *c) {
  static const method way = METHOD(svd, "the singular values did not converge (LAPACK info %d)");
  if (refuse_nan(c, "svd", true) < 0)
    return KILN_EARG;
  work w = work_on(c);
  w.flag[0] = c->attr[0].i != 0;
  int64_t k = w.m < w.n ? w.m : w.n;
  int32_t status = run(&w, &way, 2, w.m * w.n + w.n * (w.flag[0] ? k : w.n), 0);
  if (k == 0) { /* what there is of complete vectors */
    write_identity(c->out[0]);
    write_identity(c->out[2]);
  }
  return status;
}

/* What was found is the result: the op is there for its gradient. */
static int32_t pseudoinverse(const kiln_call *c) {
  const kiln_tensor *y = c->out[0];
  memcpy(kiln__data(y), kiln__data(c->in[1]), (size_t)(y->numel * kiln__size_of(y->dtype)));
  return KILN_OK;
}

static int32_t symmetric_eig(const kiln_call *c) {
  static const method way =
      METHOD(symmetric_eig, "the eigenvalues did not converge (LAPACK info %d)");
  if (refuse_nan(c, "symmetric_eig", true) < 0)
    return KILN_EARG;
  work w = work_on(c);
  w.flag[0] = c->attr[0].i != 0;
  return run(&w, &way, 1, w.n * w.n, 0);
}

/* Rounding decides the order of the eigenvalues: with one thread it is always the same. */
static int32_t eig(const kiln_call *c) {
  static const method way = METHOD(
      eig, "the QR iterations did not converge: only the eigenvalues after the first %d are known");
  if (refuse_nan(c, "eig", true) < 0)
    return KILN_EARG;
  work w = work_on(c);
  w.flag[0] = c->attr[0].i != 0;
  int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  int32_t status = run(&w, &way, 2, 2 * w.n * w.n + 2 * w.n, 0);
  omp_set_num_threads(threads);
  return status;
}

/* b may be a vector. */
static int32_t lstsq(const kiln_call *c) {
  static const method way = METHOD(
      lstsq,
      "the matrix does not have full rank: element %d of its triangular factor's diagonal is 0, "
      "up to rounding");
  if (refuse_nan(c, "lstsq", true) < 0)
    return KILN_EARG;
  work w = work_on(c);
  const kiln_tensor *a = c->in[0], *b = c->in[1];
  bool vector = kiln__are_vectors(a->ndim, a->shape, b->ndim, b->shape);
  w.k = vector ? 1 : cols_in(c, 1);
  if (vector)
    w.tail[1] = 1;
  return run(&w, &way, vector ? 1 : 2, w.m * w.n + (w.m > w.n ? w.m : w.n) * w.k, 0);
}

/* Interchanges as LAPACK lists them, as one permutation: row i of the result is row out[i] of the
** matrix. */
static int32_t lu_permutation(const kiln_call *c) {
  const int64_t *pivot = kiln__data(c->in[0]);
  int64_t *out = kiln__data(c->out[0]);
  int64_t k = cols_in(c, 0), n = c->attr[0].i, batch = n > 0 ? c->out[0]->numel / n : 0;
  for (int64_t i = 0; i < c->in[0]->numel; i++) {
    if (pivot[i] < 1 || pivot[i] > n) {
      return kiln_fail(KILN_EARG,
                       "lu_permutation: pivot %lld at position %lld is out of range 1..%lld",
                       (long long)pivot[i], (long long)(i % k + 1), (long long)n);
    }
  }
  for (int64_t b = 0; b < batch; b++, out += n, pivot += k) {
    for (int64_t i = 0; i < n; i++)
      out[i] = i + KILN_INDEX_BASE;
    for (int64_t i = 0; i < k; i++) {
      int64_t other = out[pivot[i] - 1];
      out[pivot[i] - 1] = out[i];
      out[i] = other;
    }
  }
  return KILN_OK;
}

/* -- Table ------------------------------------------------------------------------------ */

static const kiln_entry entries[] = {
    {KILN_OP_LU_FACTOR, KILN_D_FLOAT, KILN_K_CONTIGUOUS, lu_factor},
    {KILN_OP_LU_SOLVE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, lu_solve},
    {KILN_OP_LU_PERMUTATION, KILN_D(KILN_INT64), KILN_K_CONTIGUOUS, lu_permutation},
    {KILN_OP_INVERSE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, inverse},
    {KILN_OP_DET, KILN_D_FLOAT, KILN_K_CONTIGUOUS, det},
    {KILN_OP_SLOGDET, KILN_D_FLOAT, KILN_K_CONTIGUOUS, slogdet},
    {KILN_OP_SOLVE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, solve},
    {KILN_OP_TRIANGULAR_SOLVE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, triangular_solve},
    {KILN_OP_CHOLESKY, KILN_D_FLOAT, KILN_K_CONTIGUOUS, cholesky},
    {KILN_OP_CHOLESKY_INVERSE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, cholesky_inverse},
    {KILN_OP_PSTRF, KILN_D_FLOAT, KILN_K_CONTIGUOUS, pstrf},
    {KILN_OP_QR, KILN_D_FLOAT, KILN_K_CONTIGUOUS, qr},
    {KILN_OP_GEQRF, KILN_D_FLOAT, KILN_K_CONTIGUOUS, geqrf},
    {KILN_OP_REFLECTORS, KILN_D_FLOAT, KILN_K_CONTIGUOUS, orgqr},
    {KILN_OP_REFLECTED, KILN_D_FLOAT, KILN_K_CONTIGUOUS, ormqr},
    {KILN_OP_SVD, KILN_D_FLOAT, KILN_K_CONTIGUOUS, svd},
    {KILN_OP_PSEUDOINVERSE, KILN_D_FLOAT, KILN_K_CONTIGUOUS, pseudoinverse},
    {KILN_OP_SYMMETRIC_EIG, KILN_D_FLOAT, KILN_K_CONTIGUOUS, symmetric_eig},
    {KILN_OP_EIG, KILN_D_FLOAT, KILN_K_CONTIGUOUS, eig},
    {KILN_OP_LSTSQ, KILN_D_FLOAT, KILN_K_CONTIGUOUS, lstsq},
};

void FN(kiln__cpu_linalg)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_linalg)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, entries);
}
