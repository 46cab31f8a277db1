/* loss.c: losses over classes: shapes and gradients.
**
** class_nll is linear in x, so its gradient class_nll_dx is linear in g, and the gradient of that
** is class_nll again.
*/
#include "../internal.h"

enum { SMOOTHING, IGNORE, REDUCTION }; /* attributes */
enum { MEAN, SUM, NONE };              /* reductions */

/* -- Shapes -------------------------------------------------------------------------------------
 */

/* target is shaped like x [n, c, ...] without its classes, or has no dims if x is [c]. */
static bool fits(const int64_t *x, int32_t ndim, const kiln_tensor *target) {
  int32_t lead = ndim > 1 ? 1 : 0;
  if (ndim < 1 || ndim > KILN_MAX_DIMS || target->ndim != ndim - 1)
    return false;
  return memcmp(x, target->shape, (size_t)lead * sizeof *x) == 0 &&
         memcmp(x + lead + 1, target->shape + lead, (size_t)(ndim - 1 - lead) * sizeof *x) == 0;
}

static int32_t check_target(const kiln_call *c, const int64_t *x, int32_t ndim) {
  const kiln_tensor *target = c->in[1];
  if (fits(x, ndim, target))
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "x of shape %s does not go with targets of shape %s",
                       kiln__shape_text(x, ndim), kiln__shape_text(target->shape, target->ndim));
}

static int32_t check_classes(const kiln_call *c, const int64_t *x, int32_t ndim) {
  const kiln_tensor *weight = c->in[2];
  int64_t classes = x[ndim > 1 ? 1 : 0];
  if (!weight || (weight->ndim == 1 && weight->shape[0] == classes))
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "weight must have shape [%lld], its shape is %s",
                       (long long)classes, kiln__shape_text(weight->shape, weight->ndim));
}

static void loss_shape(const kiln_call *c, const kiln_tensor *target, kiln_meta *out) {
  out->ndim = 0;
  if (c->attr[REDUCTION].i != NONE)
    return;
  out->ndim = target->ndim;
  memcpy(out->shape, target->shape, (size_t)target->ndim * sizeof *target->shape);
}

int32_t kiln__shape_class_nll(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  if (check_target(c, x->shape, x->ndim) < 0 || check_classes(c, x->shape, x->ndim) < 0) {
    return KILN_EARG;
  }
  loss_shape(c, c->in[1], out);
  return KILN_OK;
}

/* The incoming gradient has the shape of the loss. */
static int32_t check_gradient(const kiln_call *c, const kiln_tensor *g) {
  kiln_meta want;
  loss_shape(c, c->op == KILN_OP_CLASS_NLL_DX ? c->in[1] : c->in[2], &want);
  if (g->ndim == want.ndim &&
      memcmp(g->shape, want.shape, (size_t)g->ndim * sizeof *g->shape) == 0) {
    return KILN_OK;
  }
  return kiln__fail_op(c->op, KILN_EARG, "g must have shape %s, its shape is %s",
                       kiln__shape_text(want.shape, want.ndim),
                       kiln__shape_text(g->shape, g->ndim));
}

int32_t kiln__shape_class_nll_dx(const kiln_call *c, kiln_meta *out) {
  const kiln_list *size = &c->list[0];
  if (check_target(c, size->v, size->n) < 0 || check_classes(c, size->v, size->n) < 0 ||
      check_gradient(c, c->in[0]) < 0) {
    return KILN_EARG;
  }
  out->ndim = (uint8_t)size->n;
  memcpy(out->shape, size->v, (size_t)size->n * sizeof *size->v);
  return KILN_OK;
}

static int32_t need_matrix(const kiln_call *c, const kiln_tensor *x) {
  if (x->ndim == 2)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "x must be [n, c], its shape is %s",
                       kiln__shape_text(x->shape, x->ndim));
}

int32_t kiln__shape_softmax_nll(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  if (need_matrix(c, x) < 0 || kiln__shape_class_nll(c, out) < 0)
    return KILN_EARG;
  out[1].ndim = 1;
  out[1].shape[0] = x->shape[0];
  return KILN_OK;
}

int32_t kiln__shape_softmax_nll_dx(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[1];
  if (need_matrix(c, x) < 0 || check_gradient(c, c->in[0]) < 0)
    return KILN_EARG;
  out->ndim = 2;
  memcpy(out->shape, x->shape, 2 * sizeof *x->shape);
  return KILN_OK;
}

int32_t kiln__shape_multilabel_margin(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *target = c->in[1];
  if (need_matrix(c, x) < 0)
    return KILN_EARG;
  if (!kiln__same_shape(x, target)) {
    return kiln__fail_op(c->op, KILN_EARG, "x has shape %s and target %s; they must be equal",
                         kiln__shape_text(x->shape, x->ndim),
                         kiln__shape_text(target->shape, target->ndim));
  }
  out[0].ndim = 1;
  out[0].shape[0] = x->shape[0];
  out[1].ndim = 2;
  memcpy(out[1].shape, x->shape, 2 * sizeof *x->shape);
  return KILN_OK;
}

/* -- Gradients ------------------------------------------------------------------------------------
 */

#define CLASSES(c) (c)->attr[SMOOTHING].f, (c)->attr[IGNORE].i, (c)->attr[REDUCTION].i

static bool refuse_weight(kiln_grad_call *c, const char *op) {
  if (!kiln__wants(c, 2))
    return false;
  kiln_fail(KILN_EGRAD, "%s: the gradient of weight is not defined; detach it", op);
  return true;
}

void kiln__grad_class_nll(kiln_grad_call *c) {
  const kiln_meta *x = &c->in_meta[0];
  if (refuse_weight(c, "class_nll"))
    return;
  kiln__give(c, 0, kiln_class_nll_dx(c->g[0], c->in[1], c->in[2], x->shape, x->ndim, CLASSES(c)));
}

void kiln__grad_class_nll_dx(kiln_grad_call *c) {
  if (refuse_weight(c, "class_nll_dx"))
    return;
  kiln__give(c, 0, kiln_class_nll(c->g[0], c->in[1], c->in[2], CLASSES(c)));
}

void kiln__grad_softmax_nll(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0], *x = c->in[0];
  const kiln_meta *m = &c->in_meta[0];
  if (refuse_weight(c, "softmax_nll"))
    return;
  if (!c->create) {
    kiln__give(c, 0, kiln_softmax_nll_dx(g, x, c->in[1], c->in[2], c->out[1], CLASSES(c)));
    return;
  }
  /* Through log_softmax: d - softmax(x) * the sum of d over the classes. */
  int64_t classes = 1;
  kiln_tensor *d = kiln_class_nll_dx(g, c->in[1], c->in[2], m->shape, m->ndim, CLASSES(c));
  kiln__give(c, 0, kiln_sub(d, kiln_mul(kiln_softmax(x, 1), kiln_sum(d, &classes, 1, true)), 1));
}

void kiln__grad_multilabel_margin(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_mul(c->out[1], kiln_unsqueeze(c->g[0], 1)));
}
