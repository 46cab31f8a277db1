/* matmul.cu: products of matrices and vectors: operands as gemm.h wants them.  An operand whose
** strides no leading dimension describes is copied first.
*/
#include "../core/leading.h"
#include "gemm.h"
#include "grid.h"

/* -- Operands ---------------------------------------------------------------------------------- */

/* Rows of columns `ld` apart, or (turned) columns of rows `ld` apart. */
typedef struct operand {
  const void *data;
  int64_t batch, rows, columns, ld, step;
  bool turned;
} operand;

/* False when no leading dimension describes it. */
static bool describe(operand *o, kiln_matrices g) {
  o->batch = g.batch;
  o->rows = g.rows;
  o->columns = g.columns;
  o->step = g.step;
  return kiln__leading(&g, &o->ld, &o->turned);
}

template <typename B>
static __global__ void copy_kernel(kiln_walk from, const B *x, B *y, int64_t n) {
  KILN_EACH(i, n) { y[i] = x[kiln__walk(from, i)]; }
}

/* Writes x, broadcast to the shape of `like`, row-major. */
static void copy_dense(kiln_job *j, const kiln_tensor *like, const kiln_tensor *x, void *to) {
  kiln_walk from = kiln__walk_over(x, like->shape, like->ndim);
  KILN_BY_SIZE(kiln__bytes_of(x->dtype),
               KILN_RUN(j, copy_kernel<type>, like->numel, from, (const type *)kiln__data(x),
                        (type *)to, like->numel));
}

static operand operand_of(kiln_job *j, const kiln_tensor *x, kiln_matrices_of *view) {
  operand o = {kiln__data(x), 0, 0, 0, 0, 0, false};
  if (describe(&o, view(x)) || x->numel == 0)
    return o;
  void *copy = kiln__job_take(j, x->numel * kiln__bytes_of(x->dtype));
  copy_dense(j, x, x, copy);
  kiln_tensor dense = *x;
  kiln__make_row_major(&dense);
  describe(&o, view(&dense));
  o.data = copy;
  return o;
}

/* -- Products ------------------------------------------------------------------------------------
 */

/* What is asked for beside a plain product. */
typedef struct extras {
  double alpha, beta;
  const void *bias;
} extras;
static const extras PLAIN = {1, 0, NULL};

/* y [batch, rows of a, columns of b], dense, gets alpha * a b + beta * y + bias.  Where
** alpha is 0 neither a nor b is read. */
static void multiply(kiln_job *j, const kiln_tensor *y, const operand &a, const operand &b,
                     int64_t batch, extras e) {
  kiln_cuda_gemm g = {};
  g.device = j->device;
  g.dtype = y->dtype;
  g.ta = a.turned;
  g.tb = b.turned;
  g.m = a.rows;
  g.n = b.columns;
  g.k = e.alpha == 0 ? 0 : a.columns;
  g.batch = batch;
  g.a = a.data;
  g.b = b.data;
  g.bias = e.bias;
  g.c = kiln__data(y);
  g.lda = a.ld;
  g.ldb = b.ld;
  g.ldc = b.columns;
  g.sa = a.step;
  g.sb = b.step;
  g.sc = a.rows * b.columns;
  g.alpha = e.alpha;
  g.beta = e.beta;
  if (j->status == KILN_OK)
    j->status = kiln__cuda_gemm(&g, j->op);
}

/* The product of inputs i and i + 1, and the end of the call. */
static int32_t product(kiln_job *j, const kiln_call *c, int32_t i, kiln_matrices_of *view_a,
                       kiln_matrices_of *view_b, extras e) {
  operand a = operand_of(j, c->in[i], view_a), b = operand_of(j, c->in[i + 1], view_b);
  multiply(j, c->out[0], a, b, a.batch, e);
  return kiln__job_end(j);
}

static kiln_job begin(const kiln_call *c, const char *op) {
  return kiln__job(op, c->out[0]->device);
}

/* -- Kernels
 * --------------------------------------------------------------------------------------- */

static int32_t mm(const kiln_call *c) {
  kiln_job j = begin(c, "mm");
  return product(&j, c, 0, kiln__as_matrix, kiln__as_matrix, PLAIN);
}
static int32_t mv(const kiln_call *c) {
  kiln_job j = begin(c, "mv");
  return product(&j, c, 0, kiln__as_matrix, kiln__as_column, PLAIN);
}
static int32_t dot(const kiln_call *c) {
  kiln_job j = begin(c, "dot");
  return product(&j, c, 0, kiln__as_row, kiln__as_column, PLAIN);
}

/* A dense bias is added by the product; others are written first. */
static int32_t linear(const kiln_call *c) {
  kiln_job j = begin(c, "linear");
  const kiln_tensor *bias = c->in[2];
  extras e = PLAIN;
  if (bias && bias->ndim == 1 && bias->stride[0] == 1 && bias->numel == c->in[1]->shape[0]) {
    e.bias = kiln__data(bias);
  } else if (bias) {
    copy_dense(&j, c->out[0], bias, kiln__data(c->out[0]));
    e.beta = 1;
  }
  return product(&j, c, 0, kiln__as_rows, kiln__as_turned, e);
}

/* attr: beta, alpha.  What is added is written first, unless beta is 0. */
static extras begin_added(kiln_job *j, const kiln_call *c) {
  extras e = {c->attr[1].f, c->attr[0].f, NULL};
  if (e.beta != 0)
    copy_dense(j, c->out[0], c->in[0], kiln__data(c->out[0]));
  return e;
}

static int32_t added(const kiln_call *c, const char *op, kiln_matrices_of *view_a,
                     kiln_matrices_of *view_b) {
  kiln_job j = begin(c, op);
  extras e = begin_added(&j, c);
  return product(&j, c, 1, view_a, view_b, e);
}
static int32_t addmm(const kiln_call *c) {
  return added(c, "addmm", kiln__as_matrix, kiln__as_matrix);
}
static int32_t addmv(const kiln_call *c) {
  return added(c, "addmv", kiln__as_matrix, kiln__as_column);
}
static int32_t addr(const kiln_call *c) { return added(c, "addr", kiln__as_column, kiln__as_row); }

/* The batch is one product after the other into the same output. */
static int32_t addbmm(const kiln_call *c) {
  kiln_job j = begin(c, "addbmm");
  extras e = begin_added(&j, c);
  operand a = operand_of(&j, c->in[1], kiln__as_matrix),
          b = operand_of(&j, c->in[2], kiln__as_matrix);
  int64_t size = kiln__bytes_of(c->out[0]->dtype), batch = a.batch;
  if (batch == 0) {
    a.columns = 0;
    e.alpha = 0;
    multiply(&j, c->out[0], a, b, 1, e);
  }
  for (int64_t i = 0; i < batch; i++) {
    multiply(&j, c->out[0], a, b, 1, e);
    a.data = (const char *)a.data + a.step * size;
    b.data = (const char *)b.data + b.step * size;
    e.beta = 1;
  }
  return kiln__job_end(&j);
}

const kiln_entry kiln__cuda_matmul[] = {
    {KILN_OP_MM, KILN_D_REAL | KILN_D_HALF, 0, mm},
    {KILN_OP_BMM, KILN_D_REAL | KILN_D_HALF, 0, mm},
    {KILN_OP_MV, KILN_D_REAL | KILN_D_HALF, 0, mv},
    {KILN_OP_DOT, KILN_D_REAL | KILN_D_HALF, 0, dot},
    {KILN_OP_LINEAR, KILN_D_REAL | KILN_D_HALF, 0, linear},
    {KILN_OP_ADDMM, KILN_D_REAL | KILN_D_HALF, 0, addmm},
    {KILN_OP_ADDMV, KILN_D_REAL | KILN_D_HALF, 0, addmv},
    {KILN_OP_ADDR, KILN_D_REAL | KILN_D_HALF, 0, addr},
    {KILN_OP_BADDBMM, KILN_D_REAL | KILN_D_HALF, 0, addmm},
    {KILN_OP_ADDBMM, KILN_D_REAL, 0, addbmm}, /* halves would be rounded at every product */
};
const int32_t kiln__cuda_matmul_n = sizeof kiln__cuda_matmul / sizeof *kiln__cuda_matmul;
