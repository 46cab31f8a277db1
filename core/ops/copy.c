/* ops/copy.c: gradients of copies, casts and writes into views. */
#include "../internal.h"

void kiln__grad_clone(kiln_grad_call *c) { kiln__give(c, 0, c->g[0]); }

/* The engine casts a gradient to its input's dtype. */
void kiln__grad_cast(kiln_grad_call *c) { kiln__give(c, 0, c->g[0]); }

/* src broadcasts to x, never the other way. */
int32_t kiln__shape_copy(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *src = c->in[1];
  kiln__meta_of(x, out);
  for (int32_t i = 0; i < src->ndim; i++) {
    int32_t k = i + x->ndim - src->ndim;
    if (k >= 0 ? src->shape[i] == 1 || src->shape[i] == x->shape[k] : src->shape[i] == 1)
      continue;
    return kiln__fail_op(c->op, KILN_EARG, "src of shape %s does not broadcast to shape %s",
                         kiln__shape_text(src->shape, src->ndim),
                         kiln__shape_text(x->shape, x->ndim));
  }
  return KILN_OK;
}

int32_t kiln__shape_fill(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *value = c->in[1];
  kiln__meta_of(c->in[0], out);
  if (value->numel == 1)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "value must be one number, its shape is %s",
                       kiln__shape_text(value->shape, value->ndim));
}

/* What was in x is gone; src gets g, summed down where it was broadcast. */
void kiln__grad_copy(kiln_grad_call *c) {
  if (kiln__wants(c, 1))
    kiln__give(c, 1, c->g[0]);
}

void kiln__grad_fill(kiln_grad_call *c) {
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_sum(c->g[0], NULL, 0, false));
}

int32_t kiln__shape_as_strided_add(const kiln_call *c, kiln_meta *out) {
  if (c->list[0].n > KILN_MAX_DIMS) {
    return kiln__fail_op(c->op, KILN_EARG, "a tensor has at most %d dims", KILN_MAX_DIMS);
  }
  out->ndim = (uint8_t)c->list[0].n;
  memcpy(out->shape, c->list[0].v, (size_t)c->list[0].n * sizeof *out->shape);
  return KILN_OK;
}

/* Rows: (g, base, size, stride, offset); dg reads the same places. */
void kiln__grad_as_strided_add(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0];
  if (g && !kiln__is_contiguous(g))
    g = kiln_clone(g);
  if (!g)
    return;
  kiln__give(c, 0,
             kiln_as_strided(g, c->list[1].v, c->list[1].n, c->list[2].v, c->list[2].n,
                             g->offset + c->attr[0].i, NULL, 0, NULL, 0, 0));
}

/* (base, value, size, stride, base_size, base_stride, offset).  The value's gradient is the window
** of g; the base's is g with that window zero. */
void kiln__grad_slice_set(kiln_grad_call *c) {
  const kiln_list *size = &c->list[0], *stride = &c->list[1];
  const kiln_list *base_size = &c->list[2], *base_stride = &c->list[3];
  int64_t offset = c->attr[0].i;
  kiln_tensor *g = c->g[0];
  if (!g)
    return;
  bool plain = kiln__is_plain(base_size, base_stride);
  if (plain) {
    if (!kiln__is_contiguous(g))
      g = kiln_clone(g);
  } else { /* lay g out as the base's storage is */
    int64_t n = 1;
    for (int32_t i = 0; i < base_size->n; i++)
      n += (base_size->v[i] - 1) * base_stride->v[i];
    if (kiln__numel(base_size->v, base_size->n) == 0)
      n = 0;
    g = kiln_as_strided_add(g, &n, 1, base_size->v, base_size->n, base_stride->v, base_stride->n,
                            0);
  }
  if (!g)
    return;
  if (kiln__wants(c, 1)) {
    kiln__give(c, 1,
               kiln_as_strided(g, size->v, size->n, stride->v, stride->n, g->offset + offset, NULL,
                               0, NULL, 0, 0));
  }
  if (kiln__wants(c, 0)) {
    kiln_tensor *zero = kiln_full(NULL, 0, 0, g->dtype, g->device);
    kiln_tensor *rest = kiln_slice_set(g, zero, size->v, size->n, stride->v, stride->n, g->shape,
                                       g->ndim, g->stride, g->ndim, offset);
    if (!plain) {
      rest = kiln_as_strided(rest, base_size->v, base_size->n, base_stride->v, base_stride->n, 0,
                             NULL, 0, NULL, 0, 0);
    }
    kiln__give(c, 0, rest);
  }
}
