/* ops/view.c: gradients of views.  Each is the inverse view, or the gradient added into zeros at
** the places the view looked at.
*/
#include "../internal.h"

/* How far the storage of a tensor with this geometry reaches from its first element. */
static int64_t extent(const kiln_list *size, const kiln_list *stride) {
  int64_t last = 0;
  for (int32_t i = 0; i < size->n; i++) {
    if (size->v[i] == 0)
      return 0;
    last += (size->v[i] - 1) * stride->v[i];
  }
  return last + 1;
}

/* Whether each place that as_strided looks at, of the n that x spreads over, holds one element of
** x; false after the error. */
static bool covers(const kiln_grad_call *c, int64_t n, int64_t offset) {
  const kiln_list *size = &c->list[0], *stride = &c->list[1];
  const kiln_list *base_size = &c->list[2], *base_stride = &c->list[3];
  const kiln_meta *g = &c->out_meta[0];
  kiln_tensor *ones = kiln_full(base_size->v, base_size->n, 1, KILN_FLOAT32, g->device);
  kiln_tensor *held = kiln_as_strided_add(ones, &n, 1, base_size->v, base_size->n, base_stride->v,
                                          base_stride->n, 0);
  kiln_tensor *seen =
      kiln_as_strided(held, size->v, size->n, stride->v, stride->n, offset, NULL, 0, NULL, 0, 0);
  double unused;
  int64_t strange = 0;
  if (kiln_tensor_item(kiln_any(kiln_ne(seen, kiln_number_int(1)), NULL, 0, false), &unused,
                       &strange) < 0)
    return false;
  if (strange) {
    kiln__fail_op(
        KILN_OP_AS_STRIDED, KILN_EGRAD,
        "it looks at memory between the elements of x (shape %s, stride %s), or that several of "
        "them share, from which x cannot tell the gradient; call it on what x is a view of",
        kiln__shape_text(base_size->v, base_size->n),
        kiln__shape_text(base_stride->v, base_stride->n));
  }
  return !strange;
}

/* dx: g added at its places in zeros laid out like x's storage, read through x's geometry. */
void kiln__grad_as_strided(kiln_grad_call *c) {
  const kiln_list *size = &c->list[0], *stride = &c->list[1];
  const kiln_list *base_size = &c->list[2], *base_stride = &c->list[3];
  int64_t offset = c->attr[0].i - c->attr[1].i, reach = extent(size, stride);
  if (reach > 0 && (offset < 0 || offset + reach > extent(base_size, base_stride))) {
    kiln__fail_op(
        KILN_OP_AS_STRIDED, KILN_EGRAD,
        "it looks at memory beside x, from which x cannot tell the gradient: it begins at "
        "%lld and reaches over %lld elements, x has %lld; call it on what x is a view of",
        (long long)offset, (long long)reach, (long long)extent(base_size, base_stride));
    return;
  }
  if (kiln__is_plain(base_size, base_stride)) {
    kiln__give(c, 0,
               kiln_as_strided_add(c->g[0], base_size->v, base_size->n, size->v, size->n, stride->v,
                                   stride->n, offset));
    return;
  }
  int64_t n = extent(base_size, base_stride);
  if (!covers(c, n, offset))
    return;
  kiln_tensor *flat =
      kiln_as_strided_add(c->g[0], &n, 1, size->v, size->n, stride->v, stride->n, offset);
  kiln__give(c, 0,
             kiln_as_strided(flat, base_size->v, base_size->n, base_stride->v, base_stride->n, 0,
                             NULL, 0, NULL, 0, 0));
}

/* The engine sums down to the input's shape. */
void kiln__grad_expand(kiln_grad_call *c) { kiln__give(c, 0, c->g[0]); }

static void strides_of(const kiln_meta *m, int64_t *stride) {
  int64_t step = 1;
  for (int32_t i = m->ndim - 1; i >= 0; i--) {
    stride[i] = step;
    step *= m->shape[i];
  }
}

void kiln__grad_select(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  int64_t stride[KILN_MAX_DIMS], shape[KILN_MAX_DIMS], step[KILN_MAX_DIMS];
  int32_t dim = (int32_t)c->attr[0].i, n = 0;
  int64_t p = c->attr[1].i < 0 ? c->attr[1].i + m->shape[dim] : c->attr[1].i;
  strides_of(m, stride);
  for (int32_t i = 0; i < m->ndim; i++) {
    if (i == dim)
      continue;
    shape[n] = m->shape[i];
    step[n++] = stride[i];
  }
  kiln__give_region(c, 0, c->g[0], shape, step, n, p * stride[dim]);
}

void kiln__grad_slice(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  int64_t stride[KILN_MAX_DIMS];
  int32_t dim = (int32_t)c->attr[0].i;
  int64_t first = c->attr[1].i < 0 ? c->attr[1].i + m->shape[dim] : c->attr[1].i;
  strides_of(m, stride);
  int64_t offset = c->out_meta[0].shape[dim] > 0 ? first * stride[dim] : 0;
  stride[dim] *= c->attr[3].i;
  kiln__give_region(c, 0, c->g[0], c->out_meta[0].shape, stride, m->ndim, offset);
}

void kiln__grad_transpose(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_transpose(c->g[0], c->attr[0].i, c->attr[1].i));
}

void kiln__grad_permute(kiln_grad_call *c) {
  int64_t inverse[KILN_MAX_DIMS];
  for (int32_t i = 0; i < c->list[0].n; i++)
    inverse[c->list[0].v[i]] = i;
  kiln__give(c, 0, kiln_permute(c->g[0], inverse, c->list[0].n));
}

/* g in the input's shape, copied only where its strides do not allow the view. */
static void give_reshaped(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0];
  kiln_tensor *g = c->g[0];
  if (g && !kiln__is_contiguous(g))
    g = kiln_clone(g);
  kiln__give(c, 0, kiln_view(g, m->shape, m->ndim));
}

void kiln__grad_view(kiln_grad_call *c) { give_reshaped(c); }
void kiln__grad_squeeze(kiln_grad_call *c) { give_reshaped(c); }
void kiln__grad_unsqueeze(kiln_grad_call *c) { give_reshaped(c); }

void kiln__grad_diagonal(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0], *out = &c->out_meta[0];
  int64_t k = c->attr[0].i, a = c->attr[1].i, b = c->attr[2].i;
  int64_t stride[KILN_MAX_DIMS], step[KILN_MAX_DIMS];
  int32_t n = 0;
  strides_of(m, stride);
  for (int32_t i = 0; i < m->ndim; i++) {
    if (i != a && i != b)
      step[n++] = stride[i];
  }
  step[n] = stride[a] + stride[b];
  int64_t offset = out->shape[out->ndim - 1] == 0 ? 0 : k < 0 ? -k * stride[a] : k * stride[b];
  kiln__give_region(c, 0, c->g[0], out->shape, step, out->ndim, offset);
}

/* Windows may overlap. */
void kiln__grad_unfold(kiln_grad_call *c) {
  const kiln_meta *m = &c->in_meta[0], *out = &c->out_meta[0];
  int64_t stride[KILN_MAX_DIMS] = {1};
  strides_of(m, stride);
  int32_t dim = (int32_t)c->attr[0].i;
  int64_t inner = m->ndim ? stride[dim] : 1;
  if (m->ndim)
    stride[dim] *= c->attr[2].i;
  stride[out->ndim - 1] = inner;
  kiln__give(
      c, 0,
      kiln_as_strided_add(c->g[0], m->shape, m->ndim, out->shape, out->ndim, stride, out->ndim, 0));
}
