/* shape.c: joining tensors.
 */
#include "cpu.h"
#include "stream.h"

/* Positions from to to - 1 of the dims before `dim`: what each input has there, one after the
** other, so that the result is written in order. */
static void cat_rows(const kiln_call *c, int64_t inner, int64_t from, int64_t to) {
  const int64_t dim = c->attr[0].i;
  const int64_t total = c->out[0]->numel * kiln__size_of(c->out[0]->dtype);
  char *dst = (char *)kiln__data(c->out[0]) + from * c->out[0]->shape[dim] * inner;
  for (int64_t row = from; row < to; row++) {
    for (int32_t i = 0; i < c->n_in; i++) {
      const kiln_tensor *x = c->in[i];
      if (x->numel == 0)
        continue;
      const int64_t bytes = x->shape[dim] * inner;
      kiln__move(dst, (const char *)kiln__data(x) + row * bytes, bytes, total);
      dst += bytes;
    }
  }
  kiln__stream_end();
}

/* cat(xs, dim).  An empty one-dimensional tensor joins anything. */
static int32_t cat(const kiln_call *c) {
  kiln_tensor part = *c->out[0];
  const int64_t dim = c->attr[0].i;
  int64_t outer = 1, inner = kiln__size_of(part.dtype);
  bool dense = part.numel > 0;
  for (int32_t d = 0; d < part.ndim; d++) {
    if (d < dim)
      outer *= part.shape[d];
    if (d > dim)
      inner *= part.shape[d];
  }
  for (int32_t i = 0; i < c->n_in && dense; i++)
    dense = kiln__is_contiguous(c->in[i]);
  if (dense && outer >= 16) {
    int64_t grain = KILN_GRAIN / (part.numel / outer) + 1;
    KILN_PARALLEL(outer, 1, grain, cat_rows(c, inner, from, to));
    return KILN_OK;
  }
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (x->numel == 0)
      continue;
    part.shape[dim] = x->shape[dim];
    part.numel = x->numel;
    FN(kiln__cpu_write)(&part, x);
    part.offset += x->shape[dim] * part.stride[dim];
  }
  return KILN_OK;
}

static const kiln_entry shape_kernels[] = {
    {KILN_OP_CAT, KILN_D_ALL, 0, cat},
};

void FN(kiln__cpu_shape)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_shape)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, shape_kernels);
}
