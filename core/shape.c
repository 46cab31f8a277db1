/* shape.c: geometry: broadcasting, contiguity, overlap, and the shape rules that many rows share.
** Rules that belong to one family stand in core/ops/FAMILY.c.  It refuses to allocate.
*/
#include "internal.h"

int64_t kiln__numel(const int64_t *shape, int32_t ndim) {
  int64_t n = 1;
  bool empty = false;
  for (int32_t i = 0; i < ndim; i++) {
    if (shape[i] < 0)
      return -1;
    if (shape[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(n, shape[i], &n))
      return -1;
  }
  return empty ? 0 : n;
}

bool kiln__is_plain(const kiln_list *size, const kiln_list *stride) {
  int64_t step = 1;
  for (int32_t i = size->n - 1; i >= 0; i--) {
    if (size->v[i] != 1 && stride->v[i] != step)
      return false;
    step *= size->v[i];
  }
  return true;
}

/* Sorts dims by stride; a dim must step over everything the smaller ones reach.  Exact for what
** views of ordinary tensors produce, conservative (true) for exotic as_strided ones. */
bool kiln__overlaps_itself(const kiln_tensor *x) {
  int64_t shape[KILN_MAX_DIMS], stride[KILN_MAX_DIMS];
  int32_t n = 0;
  if (x->numel < 2)
    return false;
  for (int32_t i = 0; i < x->ndim; i++) {
    if (x->shape[i] == 1)
      continue;
    int64_t s = x->stride[i] < 0 ? -x->stride[i] : x->stride[i];
    int32_t k = n++;
    for (; k > 0 && stride[k - 1] > s; k--) {
      stride[k] = stride[k - 1];
      shape[k] = shape[k - 1];
    }
    stride[k] = s;
    shape[k] = x->shape[i];
  }
  int64_t reach = 0;
  for (int32_t i = 0; i < n; i++) {
    if (stride[i] <= reach)
      return true;
    reach += stride[i] * (shape[i] - 1);
  }
  return false;
}

bool kiln__same_shape(const kiln_tensor *a, const kiln_tensor *b) {
  return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

bool kiln__same_view(const kiln_tensor *a, const kiln_tensor *b) {
  return a->storage == b->storage && a->offset == b->offset && a->dtype == b->dtype &&
         kiln__same_shape(a, b) &&
         memcmp(a->stride, b->stride, (size_t)a->ndim * sizeof *a->stride) == 0;
}

void kiln__meta_of(const kiln_tensor *x, kiln_meta *m) {
  m->dtype = x->dtype;
  m->ndim = x->ndim;
  m->device = x->device;
  memcpy(m->shape, x->shape, (size_t)x->ndim * sizeof *x->shape);
}

int32_t kiln__broadcast(int32_t op, kiln_meta *out, const int64_t *shape, int32_t ndim) {
  bool same = out->ndim == ndim;
  for (int32_t i = 0; same && i < ndim; i++)
    same = out->shape[i] == shape[i];
  if (same)
    return KILN_OK;
  int32_t n = out->ndim > ndim ? out->ndim : ndim;
  int64_t merged[KILN_MAX_DIMS];
  for (int32_t i = 0; i < n; i++) {
    int32_t ia = i - (n - out->ndim), ib = i - (n - ndim);
    int64_t a = ia < 0 ? 1 : out->shape[ia], b = ib < 0 ? 1 : shape[ib];
    if (a != b && a != 1 && b != 1) {
      return kiln__fail_op(op, KILN_EARG,
                           "shapes %s and %s do not broadcast at dim %d (%lld and %lld)",
                           kiln__shape_text(out->shape, out->ndim), kiln__shape_text(shape, ndim),
                           i + 1, (long long)a, (long long)b);
    }
    merged[i] = a == 1 ? b : a;
  }
  out->ndim = (uint8_t)n;
  memcpy(out->shape, merged, (size_t)n * sizeof *merged);
  return KILN_OK;
}

/* -- Rules --------------------------------------------------------------------------------- */

int32_t kiln__shape_broadcast(const kiln_call *c, kiln_meta *out) {
  out->ndim = 0;
  bool first = true;
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x || x->ndim == 0)
      continue;
    if (first) {
      out->ndim = x->ndim;
      memcpy(out->shape, x->shape, sizeof out->shape);
      first = false;
    } else if (kiln__broadcast(c->op, out, x->shape, x->ndim) < 0) {
      return KILN_EARG;
    }
  }
  return KILN_OK;
}

/* Every output is shaped like the first input. */
int32_t kiln__shape_same(const kiln_call *c, kiln_meta *out) {
  for (int32_t i = 0; i < c->n_out; i++) {
    out[i].ndim = c->in[0]->ndim;
    memcpy(out[i].shape, c->in[0]->shape, (size_t)c->in[0]->ndim * sizeof *out[i].shape);
  }
  return KILN_OK;
}

int32_t kiln__shape_scalar(const kiln_call *c, kiln_meta *out) {
  for (int32_t i = 0; i < c->n_out; i++)
    out[i].ndim = 0;
  return KILN_OK;
}

static void reduced(const kiln_call *c, uint32_t drop, bool keepdim, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  for (int32_t o = 0; o < c->n_out; o++) {
    int32_t n = 0;
    for (int32_t i = 0; i < x->ndim; i++) {
      if (!(drop >> i & 1))
        out[o].shape[n++] = x->shape[i];
      else if (keepdim)
        out[o].shape[n++] = 1;
    }
    out[o].ndim = (uint8_t)n;
  }
}

/* Rows with (x, ..., dims: axes, keepdim: bool): list[0] names dims, empty for all; keepdim is the
** last attribute. */
int32_t kiln__shape_reduce(const kiln_call *c, kiln_meta *out) {
  uint32_t drop = 0;
  for (int32_t i = 0; i < c->list[0].n; i++)
    drop |= 1u << c->list[0].v[i];
  if (c->list[0].n <= 0)
    drop = ~0u;
  reduced(c, drop, c->attr[kiln__ops[c->op].n_attr - 1].i != 0, out);
  return KILN_OK;
}

/* Rows with (x, ..., dim: axis, keepdim: bool): the last two attributes. */
int32_t kiln__shape_reduce_dim(const kiln_call *c, kiln_meta *out) {
  int32_t n = kiln__ops[c->op].n_attr;
  int64_t dim = c->attr[n - 2].i;
  reduced(c, dim == KILN_NONE ? ~0u : 1u << dim, c->attr[n - 1].i != 0, out);
  return KILN_OK;
}
