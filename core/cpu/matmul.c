/* matmul.c: the kernels of matrix products: operands as the libraries want them, and which road a
** product takes.  It refuses to compute large products itself: gemm.h does, with a library.
*/
#include "../leading.h"
#include "gemm.h"
#include "nd.h"

enum { COLUMNS = 1024 }; /* of a matrix times a vector, summed together */

#define EACH "matmul_each.h"
#include "each.h"

/* -- Operands -------------------------------------------------------------------------------- */

/* Rows of columns `ld` apart, or (turned) columns of rows `ld` apart. */
typedef struct operand {
  const char *data;
  int64_t batch, rows, columns, ld, step;
  bool turned;
  char *scratch; /* a dense copy, when the strides fit no library */
  int64_t bytes;
} operand;

/* False when no leading dimension describes it. */
static bool describe(operand *o, kiln_matrices g) {
  o->batch = g.batch;
  o->rows = g.rows;
  o->columns = g.columns;
  o->step = g.step;
  return kiln__leading(&g, &o->ld, &o->turned);
}

/* Writes x, broadcast to the shape of `like`, row-major. */
static void copy_dense(const kiln_tensor *like, const kiln_tensor *x, char *to_data) {
  kiln_tensor dense = *like;
  kiln_storage storage = {.data = to_data};
  int64_t size = kiln__size_of(x->dtype);
  kiln_nd it = {0};
  if (dense.numel == 0)
    return;
  kiln__make_row_major(&dense);
  dense.storage = &storage;
  dense.offset = 0;
  dense.dtype = x->dtype;
  kiln__nd_add(&it, &dense);
  kiln__nd_add(&it, x);
  kiln__nd_simplify(&it);
  KILN_PARALLEL(dense.numel, 16, KILN_GRAIN,
                { kiln__nd_gather(&it, 1, from, to - from, to_data + from * size, size); });
}

static int32_t operand_set(operand *o, const kiln_tensor *x, kiln_matrices_of *view) {
  *o = (operand){.data = kiln__data(x)};
  if (describe(o, view(x)) || x->numel == 0)
    return KILN_OK;
  o->bytes = x->numel * kiln__size_of(x->dtype);
  o->scratch = kiln__scratch(x->device, o->bytes);
  if (!o->scratch)
    return KILN_ENOMEM;
  copy_dense(x, x, o->scratch);
  kiln_tensor dense = *x;
  kiln__make_row_major(&dense);
  describe(o, view(&dense));
  o->data = o->scratch;
  return KILN_OK;
}

static void operand_free(operand *o) {
  if (o->scratch)
    kiln__scratch_free(0, o->scratch, o->bytes);
}

/* -- Products -----------------------------------------------------------------------------------
 */

/* Whether a row or column lies without gaps. */
static bool is_dense_vector(const operand *o) {
  return o->rows == 1 ? !o->turned || o->ld == 1 : o->turned || o->ld == 1;
}

/* c [batch, rows of a, columns of b], dense, gets alpha * a b + beta * c, or + bias.  Where alpha
** is 0 neither a nor b is read. */
static int32_t product(int32_t dtype, const operand *a, const operand *b, int64_t batch,
                       double alpha, double beta, const char *bias, char *c) {
  int64_t m = a->rows, n = b->columns, k = alpha == 0 ? 0 : a->columns;
  kiln_gemm g = {.f64 = dtype == KILN_FLOAT64,
                 .ta = a->turned,
                 .tb = b->turned,
                 .m = m,
                 .n = n,
                 .k = k,
                 .batch = batch,
                 .a = a->data,
                 .b = b->data,
                 .c = c,
                 .lda = a->ld,
                 .ldb = b->ld,
                 .ldc = n,
                 .sa = a->step,
                 .sb = b->step,
                 .sc = m * n,
                 .alpha = alpha,
                 .beta = beta,
                 .bias = bias};
  if (m == 0 || n == 0 || batch == 0)
    return KILN_OK;
  bool right = n == 1 && is_dense_vector(b), left = m == 1 && is_dense_vector(a);
  bool by_vector = k == 0 || (batch == 1 && (right || left));
  if (bias && (by_vector || (dtype != KILN_FLOAT32 && dtype != KILN_FLOAT64)))
    kiln__start_with_bias(&g, kiln__size_of(dtype));
  switch (dtype) {
  case KILN_INT8:
    gemm_i8(&g);
    return KILN_OK;
  case KILN_UINT8:
    gemm_u8(&g);
    return KILN_OK;
  case KILN_INT16:
    gemm_i16(&g);
    return KILN_OK;
  case KILN_INT32:
    gemm_i32(&g);
    return KILN_OK;
  case KILN_INT64:
    gemm_i64(&g);
    return KILN_OK;
  default:
    break;
  }
  if (by_vector) {
    const operand *matrix = right || k == 0 ? a : b, *vector = matrix == a ? b : a;
    bool by_columns = matrix == a ? a->turned : !b->turned;
    int64_t rows = k == 0 ? batch * m * n : matrix == a ? m : n;
    (g.f64 ? gemv_f64 : gemv_f32)(by_columns, rows, k, alpha, matrix->data, matrix->ld,
                                  vector->data, g.beta, c);
    return KILN_OK;
  }
  if (m > INT32_MAX || n > INT32_MAX || k > INT32_MAX || a->ld > INT32_MAX || b->ld > INT32_MAX) {
    return kiln_fail(KILN_EARG, "a product of [%lld, %lld] and [%lld, %lld] is too large for BLAS",
                     (long long)m, (long long)k, (long long)k, (long long)n);
  }
  g.blas = kiln__blas();
  if (!g.blas)
    return KILN_EBACKEND;
  kiln__gemm(&g);
  return KILN_OK;
}

/* The product of inputs i and i + 1. */
static int32_t multiply(const kiln_call *c, int32_t i, kiln_matrices_of *view_a,
                        kiln_matrices_of *view_b, double alpha, double beta, const char *bias) {
  operand a = {0}, b = {0};
  int32_t status = operand_set(&a, c->in[i], view_a);
  if (status == KILN_OK)
    status = operand_set(&b, c->in[i + 1], view_b);
  if (status == KILN_OK) {
    status = product(c->out[0]->dtype, &a, &b, a.batch, alpha, beta, bias, kiln__data(c->out[0]));
  }
  operand_free(&a);
  operand_free(&b);
  return status;
}

/* -- Kernels ------------------------------------------------------------------------------------
 */

static int32_t mm(const kiln_call *c) {
  return multiply(c, 0, kiln__as_matrix, kiln__as_matrix, 1, 0, NULL);
}

static int32_t mv(const kiln_call *c) {
  return multiply(c, 0, kiln__as_matrix, kiln__as_column, 1, 0, NULL);
}

static int32_t dot(const kiln_call *c) {
  const kiln_tensor *x = c->in[0], *y = c->in[1];
  typedef int32_t dot_loop(int64_t, const void *, int64_t, const void *, int64_t, void *);
  static dot_loop *const loop[KILN_DTYPE_COUNT] = {
      [KILN_FLOAT32] = dot_f32, [KILN_FLOAT64] = dot_f64, [KILN_INT8] = dot_i8,
      [KILN_UINT8] = dot_u8,    [KILN_INT16] = dot_i16,   [KILN_INT32] = dot_i32,
      [KILN_INT64] = dot_i64,
  };
  return loop[x->dtype](x->numel, kiln__data(x), x->stride[0], kiln__data(y), y->stride[0],
                        kiln__data(c->out[0]));
}

static int32_t linear(const kiln_call *c) {
  const kiln_tensor *bias = c->in[2];
  bool as_it_is = bias && kiln__is_contiguous(bias);
  if (bias && !as_it_is)
    copy_dense(c->out[0], bias, kiln__data(c->out[0]));
  return multiply(c, 0, kiln__as_rows, kiln__as_turned, 1, bias && !as_it_is ? 1 : 0,
                  as_it_is ? kiln__data(bias) : NULL);
}

static double begin_added(const kiln_call *c) {
  double beta = c->attr[0].f;
  if (beta != 0)
    copy_dense(c->out[0], c->in[0], kiln__data(c->out[0]));
  return beta;
}

static int32_t addmm(const kiln_call *c) {
  double beta = begin_added(c);
  return multiply(c, 1, kiln__as_matrix, kiln__as_matrix, c->attr[1].f, beta, NULL);
}

static int32_t addmv(const kiln_call *c) {
  double beta = begin_added(c);
  return multiply(c, 1, kiln__as_matrix, kiln__as_column, c->attr[1].f, beta, NULL);
}

static int32_t addr(const kiln_call *c) {
  double beta = begin_added(c);
  return multiply(c, 1, kiln__as_column, kiln__as_row, c->attr[1].f, beta, NULL);
}

/* The batch is one product after the other into the same output. */
static int32_t addbmm(const kiln_call *c) {
  double beta = begin_added(c);
  operand a = {0}, b = {0};
  int32_t status = operand_set(&a, c->in[1], kiln__as_matrix);
  if (status == KILN_OK)
    status = operand_set(&b, c->in[2], kiln__as_matrix);
  int64_t size = kiln__size_of(c->out[0]->dtype);
  for (int64_t i = 0; status == KILN_OK && i < a.batch; i++) {
    status = product(c->out[0]->dtype, &a, &b, 1, c->attr[1].f, beta, NULL, kiln__data(c->out[0]));
    a.data += a.step * size;
    b.data += b.step * size;
    beta = 1;
  }
  if (status == KILN_OK && a.batch == 0) {
    a.columns = 0;
    status = product(c->out[0]->dtype, &a, &b, 1, 0, beta, NULL, kiln__data(c->out[0]));
  }
  operand_free(&a);
  operand_free(&b);
  return status;
}

static const kiln_entry matmul_kernels[] = {
    {KILN_OP_MM, KILN_D_REAL, 0, mm},         {KILN_OP_BMM, KILN_D_REAL, 0, mm},
    {KILN_OP_MV, KILN_D_REAL, 0, mv},         {KILN_OP_DOT, KILN_D_REAL, 0, dot},
    {KILN_OP_LINEAR, KILN_D_REAL, 0, linear}, {KILN_OP_ADDMM, KILN_D_REAL, 0, addmm},
    {KILN_OP_ADDMV, KILN_D_REAL, 0, addmv},   {KILN_OP_ADDR, KILN_D_REAL, 0, addr},
    {KILN_OP_BADDBMM, KILN_D_REAL, 0, addmm}, {KILN_OP_ADDBMM, KILN_D_REAL, 0, addbmm},
};

void FN(kiln__cpu_matmul)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, matmul_kernels);
}
