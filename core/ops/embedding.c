/* ops/embedding.c: shapes and gradients of looking up rows of a table, and of the largest element
** of each segment of rows.
*/
#include "../internal.h"

static kiln_tensor *zeros(const kiln_meta *m) {
  return kiln_full(m->shape, m->ndim, 0, m->dtype, m->device);
}

static kiln_tensor *zero(void) { return kiln_number_int(0); }

static const char *text(const kiln_tensor *x) { return kiln__shape_text(x->shape, x->ndim); }

/* (weight, index, padding_idx, scale_grad_by_freq, sparse) */
int32_t kiln__shape_embedding(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *weight = c->in[0], *index = c->in[1];
  int64_t padding = c->attr[0].i;
  if (weight->ndim != 2) {
    return kiln__fail_op(c->op, KILN_EARG, "weight must be [rows, width], its shape is %s",
                         text(weight));
  }
  if (index->ndim == KILN_MAX_DIMS) {
    return kiln__fail_op(c->op, KILN_EARG, "index has %d dims, at most %d are possible",
                         index->ndim, KILN_MAX_DIMS - 1);
  }
  if (padding != KILN_NONE && (padding < -weight->shape[0] || padding >= weight->shape[0])) {
    return kiln__fail_op(c->op, KILN_EARG, "padding_idx %lld is out of range 1..%lld",
                         (long long)(padding < 0 ? padding : padding + 1),
                         (long long)weight->shape[0]);
  }
  if (c->attr[1].i && c->attr[2].i) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "scale_grad_by_freq and sparse are both set; a row-sparse gradient is not "
                         "scaled");
  }
  out->ndim = index->ndim;
  memcpy(out->shape, index->shape, sizeof out->shape);
  out->shape[out->ndim++] = weight->shape[1];
  return KILN_OK;
}

/* Row-sparse if asked for, where the gradient ends: at a leaf, and without a graph of its own. */
void kiln__grad_embedding(kiln_grad_call *c) {
  int64_t rows = c->in_meta[0].shape[0], padding = c->attr[0].i;
  if (padding != KILN_NONE && padding < 0)
    padding += rows;
  if (c->attr[2].i && !c->create && c->edges[0].node->kind == KILN_NODE_LEAF) {
    kiln_tensor *g = kiln__rows_new(c->in[1], c->g[0], padding, &c->in_meta[0]);
    kiln__pool_add(&g, 1);
    kiln__give(c, 0, g);
    return;
  }
  kiln__give(c, 0, kiln_embedding_dw(c->g[0], c->in[1], rows, padding, c->attr[1].i));
}

/* (g, index, rows, padding, scale): g is [index..., width]. */
int32_t kiln__shape_embedding_dw(const kiln_call *c, kiln_meta *out) {
  out->ndim = 2;
  out->shape[0] = c->attr[0].i;
  out->shape[1] = c->in[0]->shape[c->in[0]->ndim - 1];
  return KILN_OK;
}

void kiln__grad_embedding_dw(kiln_grad_call *c) {
  kiln_tensor *index = c->in[1], *g = c->g[0];
  int64_t padding = c->attr[1].i, all = -1;
  if (c->attr[2].i) {
    const kiln_meta *m = &c->out_meta[0];
    kiln_tensor *ones = kiln_full(&index->numel, 1, 1, m->dtype, m->device);
    kiln_tensor *count = kiln_index_add(kiln_full(m->shape, 1, 0, m->dtype, m->device), 0,
                                        kiln_view(kiln_clone(index), &all, 1), ones, 1);
    g = kiln_div(g, kiln_unsqueeze(count, 1));
  }
  g = kiln_embedding(g, index, KILN_NONE, false, false);
  if (padding != KILN_NONE) {
    kiln_tensor *kept =
        kiln_unsqueeze(kiln_ne(index, kiln_number_int(padding + KILN_INDEX_BASE)), -1);
    g = kiln_where(kept, g, zero());
  }
  kiln__give(c, 0, g);
}

/* (x [n, width], segment [n], count) */
int32_t kiln__shape_segment_max(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *segment = c->in[1];
  if (x->ndim != 2 || segment->ndim != 1 || segment->numel != x->shape[0]) {
    return kiln__fail_op(c->op, KILN_EARG, "x must be [n, width] and segment [n], got %s and %s",
                         text(x), text(segment));
  }
  for (int32_t i = 0; i < 2; i++) {
    out[i].ndim = 2;
    out[i].shape[0] = c->attr[0].i;
    out[i].shape[1] = x->shape[1];
  }
  return KILN_OK;
}

/* Position 0 marks an empty segment, which has no gradient to pass on. */
void kiln__grad_segment_max(kiln_grad_call *c) {
  kiln_tensor *from = c->out[1], *some = kiln_gt(from, zero());
  kiln_tensor *g = kiln_where(some, c->g[0], zero());
  kiln_tensor *place = kiln_where(some, from, kiln_number_int(KILN_INDEX_BASE));
  const kiln_meta *m = &c->in_meta[0];
  if (m->shape[0] == 0)
    kiln__give(c, 0, zeros(m));
  else
    kiln__give(c, 0, kiln_scatter_add(zeros(m), 0, place, g));
}
