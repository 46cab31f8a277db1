/* matmul.c: matrix products: which shapes fit together, and their gradients.  A gradient of a
** product is a product with a transposed operand, which the kernels take as it is.
*/
#include "../internal.h"

/* -- Shapes ---------------------------------------------------------------------------------- */

static const char *name_of(const kiln_call *c, int32_t i) { return kiln__ops[c->op].in_names[i]; }

static int32_t need_dims(const kiln_call *c, int32_t i, int32_t ndim) {
  const kiln_tensor *x = c->in[i];
  if (x->ndim == ndim)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "%s must have %d dim%s, its shape is %s", name_of(c, i),
                       ndim, ndim == 1 ? "" : "s", kiln__shape_text(x->shape, x->ndim));
}

/* Dim da of input a and dim db of input b must agree. */
static int32_t need_equal(const kiln_call *c, int32_t a, int32_t da, int32_t b, int32_t db) {
  const kiln_tensor *x = c->in[a], *y = c->in[b];
  if (x->shape[da] == y->shape[db])
    return KILN_OK;
  return kiln__fail_op(
      c->op, KILN_EARG, "shapes %s and %s do not fit: dim %d of %s is %lld, dim %d of %s is %lld",
      kiln__shape_text(x->shape, x->ndim), kiln__shape_text(y->shape, y->ndim), da + 1,
      name_of(c, a), (long long)x->shape[da], db + 1, name_of(c, b), (long long)y->shape[db]);
}

/* What is added in must broadcast to the product. */
static int32_t need_broadcast(const kiln_call *c, const kiln_meta *out) {
  kiln_meta m = *out;
  const kiln_tensor *x = c->in[0];
  if (kiln__broadcast(c->op, &m, x->shape, x->ndim) < 0)
    return KILN_EARG;
  if (m.ndim == out->ndim && memcmp(m.shape, out->shape, m.ndim * sizeof *m.shape) == 0) {
    return KILN_OK;
  }
  return kiln__fail_op(c->op, KILN_EARG, "%s has shape %s, which does not broadcast to %s",
                       name_of(c, 0), kiln__shape_text(x->shape, x->ndim),
                       kiln__shape_text(out->shape, out->ndim));
}

/* Products of inputs a and a + 1, with a leading dim of batches if `batched`. */
static int32_t product_shape(const kiln_call *c, int32_t a, bool batched, kiln_meta *out) {
  int32_t first = batched ? 1 : 0;
  if (need_dims(c, a, 2 + first) < 0 || need_dims(c, a + 1, 2 + first) < 0)
    return KILN_EARG;
  if (batched && need_equal(c, a, 0, a + 1, 0) < 0)
    return KILN_EARG;
  if (need_equal(c, a, first + 1, a + 1, first) < 0)
    return KILN_EARG;
  out->ndim = (uint8_t)(2 + first);
  out->shape[0] = c->in[a]->shape[0];
  out->shape[first] = c->in[a]->shape[first];
  out->shape[first + 1] = c->in[a + 1]->shape[first + 1];
  return KILN_OK;
}

int32_t kiln__shape_mm(const kiln_call *c, kiln_meta *out) {
  return product_shape(c, 0, false, out);
}
int32_t kiln__shape_bmm(const kiln_call *c, kiln_meta *out) {
  return product_shape(c, 0, true, out);
}

static int32_t vector_shape(const kiln_call *c, int32_t a, kiln_meta *out) {
  if (need_dims(c, a, 2) < 0 || need_dims(c, a + 1, 1) < 0)
    return KILN_EARG;
  if (need_equal(c, a, 1, a + 1, 0) < 0)
    return KILN_EARG;
  out->ndim = 1;
  out->shape[0] = c->in[a]->shape[0];
  return KILN_OK;
}

int32_t kiln__shape_mv(const kiln_call *c, kiln_meta *out) { return vector_shape(c, 0, out); }

int32_t kiln__shape_dot(const kiln_call *c, kiln_meta *out) {
  if (need_dims(c, 0, 1) < 0 || need_dims(c, 1, 1) < 0)
    return KILN_EARG;
  out->ndim = 0;
  return need_equal(c, 0, 0, 1, 0);
}

int32_t kiln__shape_linear(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *bias = c->in[2];
  if (x->ndim == 0)
    return need_dims(c, 0, 1);
  if (need_dims(c, 1, 2) < 0 || need_equal(c, 0, x->ndim - 1, 1, 1) < 0)
    return KILN_EARG;
  if (bias && (need_dims(c, 2, 1) < 0 || need_equal(c, 2, 0, 1, 0) < 0))
    return KILN_EARG;
  out->ndim = x->ndim;
  memcpy(out->shape, x->shape, x->ndim * sizeof *x->shape);
  out->shape[x->ndim - 1] = c->in[1]->shape[0];
  return KILN_OK;
}

int32_t kiln__shape_addmm(const kiln_call *c, kiln_meta *out) {
  return product_shape(c, 1, false, out) < 0 ? KILN_EARG : need_broadcast(c, out);
}
int32_t kiln__shape_baddbmm(const kiln_call *c, kiln_meta *out) {
  return product_shape(c, 1, true, out) < 0 ? KILN_EARG : need_broadcast(c, out);
}
int32_t kiln__shape_addbmm(const kiln_call *c, kiln_meta *out) {
  if (product_shape(c, 1, true, out) < 0)
    return KILN_EARG;
  out->ndim = 2;
  out->shape[0] = out->shape[1];
  out->shape[1] = out->shape[2];
  return need_broadcast(c, out);
}
int32_t kiln__shape_addmv(const kiln_call *c, kiln_meta *out) {
  return vector_shape(c, 1, out) < 0 ? KILN_EARG : need_broadcast(c, out);
}
int32_t kiln__shape_addr(const kiln_call *c, kiln_meta *out) {
  if (need_dims(c, 1, 1) < 0 || need_dims(c, 2, 1) < 0)
    return KILN_EARG;
  out->ndim = 2;
  out->shape[0] = c->in[1]->shape[0];
  out->shape[1] = c->in[2]->shape[0];
  return need_broadcast(c, out);
}

/* -- Gradients ------------------------------------------------------------------------------- */

static kiln_tensor *scaled(kiln_tensor *g, double factor) {
  return factor == 1 ? g : kiln_mul(g, kiln_number(factor));
}

/* The last two dims exchanged. */
static kiln_tensor *turned(kiln_tensor *x) { return kiln_transpose(x, -2, -1); }

static kiln_tensor *outer(kiln_tensor *x, kiln_tensor *y) {
  return kiln_mul(kiln_unsqueeze(x, 1), kiln_unsqueeze(y, 0));
}

typedef kiln_tensor *product_op(kiln_tensor *x, kiln_tensor *y);

/* For input i (and i + 1) of alpha * (a b): alpha * g b^T and alpha * a^T g. */
static void give_product(kiln_grad_call *c, int32_t i, kiln_tensor *g, product_op *product) {
  if (kiln__wants(c, i))
    kiln__give(c, i, product(g, turned(c->in[i + 1])));
  if (kiln__wants(c, i + 1))
    kiln__give(c, i + 1, product(turned(c->in[i]), g));
}

void kiln__grad_mm(kiln_grad_call *c) { give_product(c, 0, c->g[0], kiln_mm); }
void kiln__grad_bmm(kiln_grad_call *c) { give_product(c, 0, c->g[0], kiln_bmm); }

void kiln__grad_mv(kiln_grad_call *c) {
  if (kiln__wants(c, 0))
    kiln__give(c, 0, outer(c->g[0], c->in[1]));
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_mv(turned(c->in[0]), c->g[0]));
}

void kiln__grad_dot(kiln_grad_call *c) {
  if (kiln__wants(c, 0))
    kiln__give(c, 0, kiln_mul(c->in[1], c->g[0]));
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_mul(c->in[0], c->g[0]));
}

/* [..., k] as [rows, k]. */
static kiln_tensor *as_rows(kiln_tensor *x) {
  if (!x || x->ndim == 2)
    return x;
  int64_t k = x->shape[x->ndim - 1];
  int64_t rows = kiln__numel(x->shape, x->ndim - 1), shape[] = {rows, k};
  return kiln_view(kiln__is_contiguous(x) ? x : kiln_clone(x), shape, 2);
}

void kiln__grad_linear(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0];
  if (kiln__wants(c, 0))
    kiln__give(c, 0, kiln_linear(g, turned(c->in[1]), NULL));
  if (!kiln__wants(c, 1) && !kiln__wants(c, 2))
    return;
  kiln_tensor *rows = as_rows(g);
  int64_t first = 0;
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_mm(turned(rows), as_rows(c->in[0])));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_sum(rows, &first, 1, false));
}

/* Rows (x, a, b, beta, alpha): the engine sums the first gradient down to x. */
static kiln_tensor *give_added(kiln_grad_call *c) {
  if (kiln__wants(c, 0))
    kiln__give(c, 0, scaled(c->g[0], c->attr[0].f));
  return kiln__wants(c, 1) || kiln__wants(c, 2) ? scaled(c->g[0], c->attr[1].f) : NULL;
}

void kiln__grad_addmm(kiln_grad_call *c) {
  kiln_tensor *g = give_added(c);
  give_product(c, 1, g, kiln_mm);
}

void kiln__grad_baddbmm(kiln_grad_call *c) {
  kiln_tensor *g = give_added(c);
  give_product(c, 1, g, kiln_bmm);
}

void kiln__grad_addbmm(kiln_grad_call *c) {
  kiln_tensor *g = give_added(c);
  if (!g)
    return;
  const kiln_meta *a = &c->in_meta[1], *b = &c->in_meta[2];
  int64_t shape[] = {a->shape[0], a->shape[1], b->shape[2]};
  give_product(c, 1, kiln_expand(g, shape, 3), kiln_bmm);
}

void kiln__grad_addmv(kiln_grad_call *c) {
  kiln_tensor *g = give_added(c);
  if (kiln__wants(c, 1))
    kiln__give(c, 1, outer(g, c->in[2]));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_mv(turned(c->in[1]), g));
}

void kiln__grad_addr(kiln_grad_call *c) {
  kiln_tensor *g = give_added(c);
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_mv(g, c->in[2]));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_mv(turned(g), c->in[1]));
}
