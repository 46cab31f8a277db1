/* norm.c: normalisation: shapes, and gradients: a fused kernel that gives all of an op's gradients,
** or recorded ops where a graph is being created.
*/
#include "../internal.h"

/* -- Shapes -------------------------------------------------------------------------------------
 */

/* Optional input i (weight, bias, ...) must have this shape. */
static int32_t need_shape(const kiln_call *c, int32_t i, const int64_t *shape, int32_t ndim) {
  const kiln_tensor *w = c->in[i];
  if (!w || (w->ndim == ndim && memcmp(w->shape, shape, (size_t)ndim * sizeof *shape) == 0)) {
    return KILN_OK;
  }
  return kiln__fail_op(c->op, KILN_EARG, "%s must have shape %s, its shape is %s",
                       kiln__ops[c->op].in_names[i], kiln__shape_text(shape, ndim),
                       kiln__shape_text(w->shape, w->ndim));
}

static void set_shape(kiln_meta *out, const int64_t *shape, int32_t ndim) {
  out->ndim = (uint8_t)ndim;
  memcpy(out->shape, shape, (size_t)ndim * sizeof *shape);
}

static int32_t need_channels(const kiln_call *c, const kiln_tensor *x) {
  if (x->ndim >= 2)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "x must have at least 2 dims, its shape is %s",
                       kiln__shape_text(x->shape, x->ndim));
}

/* Output 0 like x, the others one entry a channel; inputs first.. likewise. */
static int32_t by_channel(const kiln_call *c, const kiln_tensor *x, int32_t first, kiln_meta *out) {
  if (need_channels(c, x) < 0)
    return KILN_EARG;
  for (int32_t i = first; i < c->n_in; i++) {
    if (need_shape(c, i, x->shape + 1, 1) < 0)
      return KILN_EARG;
  }
  set_shape(&out[0], x->shape, x->ndim);
  for (int32_t i = 1; i < c->n_out; i++)
    set_shape(&out[i], x->shape + 1, 1);
  return KILN_OK;
}

int32_t kiln__shape_batch_norm_train(const kiln_call *c, kiln_meta *out) {
  return by_channel(c, c->in[0], 1, out);
}
int32_t kiln__shape_batch_norm_eval(const kiln_call *c, kiln_meta *out) {
  return by_channel(c, c->in[0], 1, out);
}
int32_t kiln__shape_batch_norm_dx(const kiln_call *c, kiln_meta *out) {
  return by_channel(c, c->in[1], 2, out);
}

static int32_t check_groups(const kiln_call *c, const kiln_tensor *x) {
  int64_t groups = c->attr[0].i;
  if (need_channels(c, x) < 0)
    return KILN_EARG;
  if (groups >= 1 && x->shape[1] % groups == 0)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "%lld channels cannot be divided into %lld groups",
                       (long long)x->shape[1], (long long)groups);
}

int32_t kiln__shape_group_norm(const kiln_call *c, kiln_meta *out) {
  return check_groups(c, c->in[0]) < 0 ? KILN_EARG : by_channel(c, c->in[0], 1, out);
}
int32_t kiln__shape_group_norm_dx(const kiln_call *c, kiln_meta *out) {
  return check_groups(c, c->in[1]) < 0 ? KILN_EARG : by_channel(c, c->in[1], 2, out);
}

static int32_t last_dims(const kiln_call *c, const kiln_tensor *x, int32_t first, kiln_meta *out) {
  const kiln_list *shape = &c->list[0];
  int32_t lead = x->ndim - shape->n;
  if (shape->n < 1 || lead < 0 ||
      memcmp(x->shape + lead, shape->v, (size_t)shape->n * sizeof *shape->v) != 0) {
    return kiln__fail_op(c->op, KILN_EARG, "x of shape %s does not end in normalized_shape %s",
                         kiln__shape_text(x->shape, x->ndim), kiln__shape_text(shape->v, shape->n));
  }
  for (int32_t i = first; i < c->n_in; i++) {
    if (need_shape(c, i, shape->v, shape->n) < 0)
      return KILN_EARG;
  }
  set_shape(&out[0], x->shape, x->ndim);
  for (int32_t i = 1; i < c->n_out; i++)
    set_shape(&out[i], shape->v, shape->n);
  return KILN_OK;
}

int32_t kiln__shape_layer_norm(const kiln_call *c, kiln_meta *out) {
  return last_dims(c, c->in[0], 1, out);
}
int32_t kiln__shape_layer_norm_dx(const kiln_call *c, kiln_meta *out) {
  return last_dims(c, c->in[1], 2, out);
}

/* -- Gradients as recorded ops --------------------------------------------------------------------
 */

typedef struct dims {
  int32_t n;
  int64_t v[KILN_MAX_DIMS];
} dims;

/* All dims from `first` on, but not dim `but`. */
static dims dims_from(int32_t first, int32_t ndim, int32_t but) {
  dims d = {0};
  for (int32_t i = first; i < ndim; i++) {
    if (i != but)
      d.v[d.n++] = i;
  }
  return d;
}

static kiln_tensor *mean(kiln_tensor *x, const dims *d) { return kiln_mean(x, d->v, d->n, true); }

static kiln_tensor *sum(kiln_tensor *x, const dims *d) {
  return d->n == 0 ? x : kiln_sum(x, d->v, d->n, false);
}

static kiln_tensor *reshape(kiln_tensor *x, const int64_t *shape, int32_t ndim) {
  if (x && !kiln__is_contiguous(x))
    x = kiln_clone(x);
  return kiln_view(x, shape, ndim);
}

/* Squares of a half leave its range. */
static kiln_tensor *widened(kiln_tensor *x) {
  return x && kiln__is_half(x->dtype) ? kiln_cast(x, KILN_FLOAT32) : x;
}

static kiln_tensor *inverse_root(kiln_tensor *x, double eps) {
  return kiln_reciprocal(kiln_sqrt(kiln_add(widened(x), kiln_number(eps), 1)));
}

/* x normalised over d (about its mean if `centred`), and 1 / its deviation. */
typedef struct normal {
  kiln_tensor *x, *inv;
} normal;

static normal normalise(kiln_tensor *x, const dims *d, double eps, bool centred) {
  x = widened(x);
  kiln_tensor *centre = centred ? kiln_sub(x, mean(x, d), 1) : x;
  kiln_tensor *inv = inverse_root(mean(kiln_mul(centre, centre), d), eps);
  return (normal){kiln_mul(centre, inv), inv};
}

/* inv * (g - mean(g) - x * mean(g x)), the gradient of normalise(); without mean(g) if not centred.
 */
static kiln_tensor *normal_dx(kiln_tensor *g, normal y, const dims *d, bool centred) {
  kiln_tensor *rest = kiln_mul(y.x, mean(kiln_mul(g, y.x), d));
  if (centred)
    rest = kiln_add(rest, mean(g, d), 1);
  return kiln_mul(y.inv, kiln_sub(g, rest, 1));
}

/* A vector by channel in a shape that broadcasts over [n, channels, ...]. */
static kiln_tensor *on_channels(kiln_tensor *w, int32_t ndim) {
  for (int32_t i = 2; w && i < ndim; i++)
    w = kiln_unsqueeze(w, i - 1);
  return w;
}

static kiln_tensor *weighted(kiln_tensor *g, kiln_tensor *weight) {
  return weight ? kiln_mul(g, weight) : g;
}

/* -- Batch normalisation -------------------------------------------------------------------------
 */

void kiln__grad_batch_norm_train(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0], *x = c->in[0], *weight = c->in[1];
  int32_t ndim = c->in_meta[0].ndim;
  double eps = c->attr[0].f;
  if (!c->create) {
    kiln_tensor *out[3];
    if (kiln_batch_norm_dx(g, x, weight, c->out[1], c->out[2], eps, out) < 0)
      return;
    for (int32_t i = 0; i < 3; i++) {
      if (kiln__wants(c, i))
        kiln__give(c, i, out[i]);
    }
    return;
  }
  dims d = dims_from(0, ndim, 1);
  normal y = normalise(x, &d, eps, true);
  if (kiln__wants(c, 0)) {
    kiln__give(c, 0, normal_dx(weighted(g, on_channels(weight, ndim)), y, &d, true));
  }
  if (kiln__wants(c, 1))
    kiln__give(c, 1, sum(kiln_mul(g, y.x), &d));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, sum(g, &d));
}

void kiln__grad_batch_norm_eval(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0];
  int32_t ndim = c->in_meta[0].ndim;
  dims d = dims_from(0, ndim, 1);
  kiln_tensor *inv = NULL, *scaled = NULL, *centred = NULL;
  if (c->in[2])
    inv = on_channels(inverse_root(c->in[2], c->attr[0].f), ndim);
  if (kiln__wants(c, 0) || kiln__wants(c, 1) || kiln__wants(c, 2)) {
    scaled = kiln_mul(weighted(g, on_channels(c->in[3], ndim)), inv);
  }
  if (kiln__wants(c, 2) || kiln__wants(c, 3)) {
    centred = kiln_sub(c->in[0], on_channels(c->in[1], ndim), 1);
  }
  if (kiln__wants(c, 0))
    kiln__give(c, 0, scaled);
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_neg(sum(scaled, &d)));
  if (kiln__wants(c, 2)) {
    kiln_tensor *dvar = kiln_mul(kiln_mul(scaled, centred), kiln_mul(inv, inv));
    kiln__give(c, 2, kiln_mul(sum(dvar, &d), kiln_number(-0.5)));
  }
  if (kiln__wants(c, 3))
    kiln__give(c, 3, sum(kiln_mul(kiln_mul(g, centred), inv), &d));
  if (kiln__wants(c, 4))
    kiln__give(c, 4, sum(g, &d));
}

/* -- Normalisation of each sample ----------------------------------------------------------------
 */

static void give_all(kiln_grad_call *c, kiln_tensor **out, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (kiln__wants(c, i))
      kiln__give(c, i, out[i]);
  }
}

static void grad_last_dims(kiln_grad_call *c, bool centred) {
  kiln_tensor *g = c->g[0], *x = c->in[0], *weight = c->in[1], *out[3];
  const kiln_list *shape = &c->list[0];
  int32_t ndim = c->in_meta[0].ndim;
  double eps = c->attr[0].f;
  if (!c->create) {
    int32_t status = centred ? kiln_layer_norm_dx(g, x, weight, shape->v, shape->n, eps, out)
                             : kiln_rms_norm_dx(g, x, weight, shape->v, shape->n, eps, out);
    if (status >= 0)
      give_all(c, out, centred ? 3 : 2);
    return;
  }
  dims d = dims_from(ndim - shape->n, ndim, -1), lead = dims_from(0, ndim - shape->n, -1);
  normal y = normalise(x, &d, eps, centred);
  if (kiln__wants(c, 0))
    kiln__give(c, 0, normal_dx(weighted(g, weight), y, &d, centred));
  if (kiln__wants(c, 1))
    kiln__give(c, 1, sum(kiln_mul(g, y.x), &lead));
  if (centred && kiln__wants(c, 2))
    kiln__give(c, 2, sum(g, &lead));
}

void kiln__grad_layer_norm(kiln_grad_call *c) { grad_last_dims(c, true); }
void kiln__grad_rms_norm(kiln_grad_call *c) { grad_last_dims(c, false); }

void kiln__grad_group_norm(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0], *x = c->in[0], *weight = c->in[1], *out[3];
  const kiln_meta *m = &c->in_meta[0];
  int64_t groups = c->attr[0].i;
  double eps = c->attr[1].f;
  if (!c->create) {
    if (kiln_group_norm_dx(g, x, weight, groups, eps, out) >= 0)
      give_all(c, out, 3);
    return;
  }
  int64_t shape[] = {m->shape[0], groups,
                     m->shape[1] / groups * kiln__numel(m->shape + 2, m->ndim - 2)};
  dims last = dims_from(2, 3, -1), by_channel = dims_from(0, m->ndim, 1);
  normal y = normalise(reshape(x, shape, 3), &last, eps, true);
  if (kiln__wants(c, 0)) {
    kiln_tensor *gw = reshape(weighted(g, on_channels(weight, m->ndim)), shape, 3);
    kiln__give(c, 0, reshape(normal_dx(gw, y, &last, true), m->shape, m->ndim));
  }
  if (kiln__wants(c, 1)) {
    kiln__give(c, 1, sum(kiln_mul(g, reshape(y.x, m->shape, m->ndim)), &by_channel));
  }
  if (kiln__wants(c, 2))
    kiln__give(c, 2, sum(g, &by_channel));
}
