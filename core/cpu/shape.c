/* shape.c: joining tensors.
*/
#include "cpu.h"

/* cat(xs, dim).  An empty one-dimensional tensor joins anything. */
static int32_t cat(const kiln_call *c) {
  kiln_tensor part = *c->out[0];
  int64_t dim = c->attr[0].i;
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (x->numel == 0) continue;
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
