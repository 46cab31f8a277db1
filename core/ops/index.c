/* ops/index.c: shapes and gradients of choosing and placing elements.
** A result whose size depends on values (nonzero, masked_select) is counted by ops, so that the
** values may be on any device.
*/
#include "../internal.h"

static kiln_tensor *zeros(const kiln_meta *m) {
  return kiln_full(m->shape, m->ndim, 0, m->dtype, m->device);
}

static kiln_tensor *zero(void) { return kiln_number_int(0); }

static void set_shape(kiln_meta *out, const kiln_tensor *x) {
  out->ndim = x->ndim;
  memcpy(out->shape, x->shape, sizeof out->shape);
}

static const char *text(const kiln_tensor *x) { return kiln__shape_text(x->shape, x->ndim); }

/* How many elements are not 0; -1 after an error. */
static int64_t count_nonzero(kiln_tensor *x) {
  if (x->device == 0 && x->dtype == KILN_BOOL && kiln__is_contiguous(x)) {
    const uint8_t *p = kiln__data(x);
    int64_t n = 0;
    for (int64_t i = 0; i < x->numel; i++)
      n += p[i];
    return n;
  }
  kiln_pool pool;
  double unused;
  int64_t n = -1;
  bool was = kiln_set_grad_enabled(false);
  kiln__pool_open(&pool);
  kiln_tensor *mask = x->dtype == KILN_BOOL ? x : kiln_ne(x, zero());
  kiln_tensor *sum = kiln_sum(mask, NULL, 0, false);
  if (!sum || kiln_tensor_item(sum, &unused, &n) < 0)
    n = -1;
  kiln__pool_close(&pool);
  kiln_set_grad_enabled(was);
  return n;
}

/* -- Who wrote last ------------------------------------------------------------------------
**
** Of several writes to one place the last stays (at every run, on every device), and it alone has
** a gradient.  Which one that was is found by writing 0, 1, 2, ... where the values went: who reads
** back its own number has won. */

/* 0, 1, 2, ... in a shape. */
static kiln_tensor *numbered(const int64_t *shape, int32_t ndim, int32_t dtype, int32_t device) {
  int64_t n = kiln__numel(shape, ndim);
  return kiln_view(kiln_arange(0, 1, n, dtype, device), shape, ndim);
}

static int32_t dtype_for(int64_t n) { return n <= INT32_MAX ? KILN_INT32 : KILN_INT64; }

/* g where a number has come back, else 0. */
static kiln_tensor *of_winners(kiln_tensor *g, kiln_tensor *back, kiln_tensor *numbers) {
  return kiln_where(kiln_eq(back, numbers), g, zero());
}

/* Which of the positions in `index` (of n, seen as one line) have won: bool, shaped as index. */
static kiln_tensor *winners_of(kiln_tensor *index, int64_t n) {
  int32_t dtype = dtype_for(index->numel);
  kiln_tensor *numbers = numbered(index->shape, index->ndim, dtype, index->device);
  kiln_tensor *room = kiln_full(&n, 1, 0, dtype, index->device);
  if (kiln_put_(room, index, numbers, false) < 0)
    return NULL;
  return kiln_eq(kiln_take(room, index), numbers);
}

/* -- where ----------------------------------------------------------------------------------------
 */

void kiln__grad_where(kiln_grad_call *c) {
  kiln_tensor *condition = c->in[0];
  if (kiln__wants(c, 1))
    kiln__give(c, 1, kiln_where(condition, c->g[0], zero()));
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_where(condition, zero(), c->g[0]));
}

/* -- Along a dim ------------------------------------------------------------------------ */

/* An index laid over x: as many dims, no dim but `dim` longer than x's. */
static int32_t lies_over(const kiln_call *c, const kiln_tensor *x, const kiln_tensor *index,
                         int64_t dim) {
  bool ok = x->ndim == index->ndim;
  for (int32_t d = 0; ok && d < x->ndim; d++)
    ok = d == dim || index->shape[d] <= x->shape[d];
  if (ok)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG,
                       "index of shape %s does not lie over x of shape %s along dim %lld",
                       text(index), text(x), (long long)dim + 1);
}

int32_t kiln__shape_gather(const kiln_call *c, kiln_meta *out) {
  set_shape(out, c->in[1]);
  return lies_over(c, c->in[0], c->in[1], c->attr[0].i);
}

int32_t kiln__shape_scatter(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *index = c->in[1], *src = c->in[2];
  if (lies_over(c, c->in[0], index, c->attr[0].i) < 0)
    return KILN_EARG;
  if (src->ndim > 0 && !kiln__same_shape(src, index)) {
    return kiln__fail_op(c->op, KILN_EARG, "src of shape %s must be shaped as index %s or a number",
                         text(src), text(index));
  }
  set_shape(out, c->in[0]);
  return KILN_OK;
}

void kiln__grad_gather(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_scatter_add(zeros(&c->in_meta[0]), c->attr[0].i, c->in[1], c->g[0]));
}

void kiln__grad_scatter(kiln_grad_call *c) {
  int64_t dim = c->attr[0].i;
  if (kiln__wants(c, 0))
    kiln__give(c, 0, kiln_scatter(c->g[0], dim, c->in[1], zero()));
  if (!kiln__wants(c, 2))
    return;
  kiln_tensor *index = c->in[1], *g = kiln_gather(c->g[0], dim, index);
  if (index->numel > 1) {
    const kiln_meta *x = &c->in_meta[0];
    int32_t dtype = dtype_for(index->numel);
    kiln_tensor *numbers = numbered(index->shape, index->ndim, dtype, index->device);
    kiln_tensor *room = kiln_full(x->shape, x->ndim, 0, dtype, index->device);
    if (kiln_scatter_(room, dim, index, numbers) < 0)
      return;
    g = of_winners(g, kiln_gather(room, dim, index), numbers);
  }
  kiln__give(c, 2, g);
}

void kiln__grad_scatter_add(kiln_grad_call *c) {
  if (kiln__wants(c, 0))
    kiln__give(c, 0, c->g[0]);
  if (kiln__wants(c, 2))
    kiln__give(c, 2, kiln_gather(c->g[0], c->attr[0].i, c->in[1]));
}

/* -- Rows ------------------------------------------------------------------------------- */

static int32_t is_line(const kiln_call *c, const kiln_tensor *index) {
  if (index->ndim <= 1)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "index must have one dim, its shape is %s", text(index));
}

int32_t kiln__shape_index_select(const kiln_call *c, kiln_meta *out) {
  set_shape(out, c->in[0]);
  if (c->in[0]->ndim > 0) {
    out->shape[c->attr[0].i] = c->in[1]->numel;
  } else if (c->in[1]->numel != 1) {
    return kiln__fail_op(c->op, KILN_EARG, "%lld positions in a 0-dim tensor",
                         (long long)c->in[1]->numel);
  }
  return is_line(c, c->in[1]);
}

/* (x, dim, index, src): src is x with dim as long as index. */
int32_t kiln__shape_index_rows(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *src = c->in[2];
  int64_t dim = c->attr[0].i;
  if (is_line(c, c->in[1]) < 0)
    return KILN_EARG;
  bool ok = x->ndim == src->ndim || (x->ndim == 1 && src->ndim == 0);
  for (int32_t d = 0; ok && d < src->ndim; d++) {
    ok = src->shape[d] == (d == dim ? c->in[1]->numel : x->shape[d]);
  }
  if (!ok || (src->ndim == 0 && c->in[1]->numel != 1)) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "src of shape %s does not give %lld positions of dim %lld of x, shape %s",
                         text(src), (long long)c->in[1]->numel, (long long)dim + 1, text(x));
  }
  set_shape(out, x);
  return KILN_OK;
}

int32_t kiln__shape_index_fill(const kiln_call *c, kiln_meta *out) {
  if (is_line(c, c->in[1]) < 0)
    return KILN_EARG;
  if (c->in[2]->ndim > 0) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "value must be a number or a 0-dim tensor, its shape is %s",
                         text(c->in[2]));
  }
  set_shape(out, c->in[0]);
  return KILN_OK;
}

void kiln__grad_index_select(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_index_add(zeros(&c->in_meta[0]), c->attr[0].i, c->in[1], c->g[0], 1));
}

void kiln__grad_index_add(kiln_grad_call *c) {
  if (kiln__wants(c, 0))
    kiln__give(c, 0, c->g[0]);
  if (!kiln__wants(c, 2))
    return;
  kiln_tensor *g = kiln_index_select(c->g[0], c->attr[0].i, c->in[1]);
  double alpha = c->attr[1].f;
  kiln__give(c, 2, alpha == 1 ? g : kiln_mul(g, kiln_number(alpha)));
}

static void grad_placed_rows(kiln_grad_call *c) {
  int64_t dim = c->attr[0].i;
  if (kiln__wants(c, 0))
    kiln__give(c, 0, kiln_index_fill(c->g[0], dim, c->in[1], zero()));
  if (!kiln__wants(c, 2))
    return;
  const kiln_meta *x = &c->in_meta[0];
  if (x->ndim == 0) {
    kiln__give(c, 2, c->g[0]);
    return;
  }
  kiln_tensor *index = c->in[1], *g = kiln_index_select(c->g[0], dim, index);
  if (index->numel > 1) {
    int64_t shape[KILN_MAX_DIMS];
    for (int32_t d = 0; d < x->ndim; d++)
      shape[d] = d == dim ? index->numel : 1;
    kiln_tensor *won = kiln_view(winners_of(index, x->shape[dim]), shape, x->ndim);
    g = kiln_where(won, g, zero());
  }
  kiln__give(c, 2, g);
}
void kiln__grad_index_copy(kiln_grad_call *c) { grad_placed_rows(c); }
void kiln__grad_index_fill(kiln_grad_call *c) { grad_placed_rows(c); }

/* -- x as one line ---------------------------------------------------------------------- */

int32_t kiln__shape_take(const kiln_call *c, kiln_meta *out) {
  set_shape(out, c->in[1]);
  return KILN_OK;
}

int32_t kiln__shape_put(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *index = c->in[1], *src = c->in[2];
  if (src->ndim > 0 && src->numel != index->numel) {
    return kiln__fail_op(c->op, KILN_EARG, "src has %lld elements for %lld positions",
                         (long long)src->numel, (long long)index->numel);
  }
  set_shape(out, c->in[0]);
  return KILN_OK;
}

void kiln__grad_take(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_put(zeros(&c->in_meta[0]), c->in[1], c->g[0], true));
}

void kiln__grad_put(kiln_grad_call *c) {
  bool accumulate = c->attr[0].i != 0;
  if (kiln__wants(c, 0)) {
    kiln__give(c, 0, accumulate ? c->g[0] : kiln_put(c->g[0], c->in[1], zero(), false));
  }
  if (kiln__wants(c, 2)) {
    const kiln_meta *src = &c->in_meta[2];
    kiln_tensor *index = c->in[1], *g = kiln_take(c->g[0], index);
    if (!accumulate && index->numel > 1) {
      int64_t n = kiln__numel(c->in_meta[0].shape, c->in_meta[0].ndim);
      g = kiln_where(winners_of(index, n), g, zero());
    }
    kiln__give(c, 2, src->ndim > 0 ? kiln_view(g, src->shape, src->ndim) : g);
  }
}

/* -- Masks ------------------------------------------------------------------------------ */

static int32_t broadcast_two(int32_t op, const kiln_meta *a, const kiln_meta *b, kiln_meta *out) {
  out->ndim = a->ndim;
  memcpy(out->shape, a->shape, sizeof out->shape);
  return kiln__broadcast(op, out, b->shape, b->ndim);
}

/* How many elements of a mask are true once it is broadcast to `shape`; -1 after an error. */
static int64_t count_broadcast(kiln_tensor *mask, const kiln_meta *shape) {
  int64_t n = count_nonzero(mask);
  if (n <= 0)
    return n;
  return n * (kiln__numel(shape->shape, shape->ndim) / mask->numel);
}

int32_t kiln__shape_masked_select(const kiln_call *c, kiln_meta *out) {
  kiln_meta x, mask, both;
  kiln__meta_of(c->in[0], &x);
  kiln__meta_of(c->in[1], &mask);
  if (broadcast_two(c->op, &x, &mask, &both) < 0)
    return KILN_EARG;
  int64_t n = count_broadcast(c->in[1], &both);
  if (n < 0)
    return kiln_error_code();
  out->ndim = 1;
  out->shape[0] = n;
  return KILN_OK;
}

int32_t kiln__shape_masked_scatter(const kiln_call *c, kiln_meta *out) {
  kiln_meta x, mask;
  kiln__meta_of(c->in[0], &x);
  kiln__meta_of(c->in[1], &mask);
  if (broadcast_two(c->op, &x, &mask, out) < 0)
    return KILN_EARG;
  int64_t n = count_broadcast(c->in[1], out);
  if (n < 0)
    return kiln_error_code();
  if (n > c->in[2]->numel) {
    return kiln__fail_op(c->op, KILN_EARG, "the mask has %lld true elements and src only %lld",
                         (long long)n, (long long)c->in[2]->numel);
  }
  return KILN_OK;
}

int32_t kiln__shape_nonzero(const kiln_call *c, kiln_meta *out) {
  int64_t n = count_nonzero(c->in[0]);
  if (n < 0)
    return kiln_error_code();
  out->ndim = 2;
  out->shape[0] = n;
  out->shape[1] = c->in[0]->ndim;
  return KILN_OK;
}

void kiln__grad_masked_select(kiln_grad_call *c) {
  kiln_meta both = c->in_meta[0];
  if (broadcast_two(KILN_OP_MASKED_SELECT, &c->in_meta[0], &c->in_meta[1], &both) < 0)
    return;
  kiln__give(c, 0, kiln_masked_scatter(zeros(&both), c->in[1], c->g[0]));
}

/* Elements of src that were not used get a gradient of 0. */
void kiln__grad_masked_scatter(kiln_grad_call *c) {
  kiln_tensor *mask = c->in[1];
  if (kiln__wants(c, 0))
    kiln__give(c, 0, kiln_where(mask, zero(), c->g[0]));
  if (!kiln__wants(c, 2))
    return;
  const kiln_meta *src = &c->in_meta[2];
  kiln_tensor *used = kiln_masked_select(c->g[0], mask);
  if (!used)
    return;
  int64_t rest = kiln__numel(src->shape, src->ndim) - used->numel;
  kiln_tensor *parts[] = {used, kiln_full(&rest, 1, 0, src->dtype, src->device)};
  kiln__give(c, 2, kiln_view(rest > 0 ? kiln_cat(parts, 2, 0) : used, src->shape, src->ndim));
}

/* -- Several index tensors -------------------------------------------------------------- */

enum { MAX_INDEX = 8 };

/* The shape of x[{i, j, ...}]: the broadcast indices stand where the indexed dims stood if those
** are neighbours, else in front. */
static int32_t chosen(const kiln_call *c, const kiln_tensor *x, kiln_tensor *const *index,
                      kiln_meta *out) {
  kiln_meta place = {.ndim = 0};
  int32_t first = -1, last = -1, used = 0, n = 0;
  for (int32_t d = 0; d < MAX_INDEX; d++) {
    if (!index[d])
      continue;
    if (d >= x->ndim) {
      return kiln__fail_op(c->op, KILN_EARG, "index of dim %d in a tensor of shape %s", d + 1,
                           text(x));
    }
    if (first < 0)
      first = d;
    last = d;
    used++;
    if (kiln__broadcast(c->op, &place, index[d]->shape, index[d]->ndim) < 0)
      return KILN_EARG;
  }
  if (used == 0)
    return kiln__fail_op(c->op, KILN_EARG, "no index tensor is given");
  if (x->ndim - used + place.ndim > KILN_MAX_DIMS) {
    return kiln__fail_op(c->op, KILN_EARG, "the result would have %d dims, at most %d are possible",
                         x->ndim - used + place.ndim, KILN_MAX_DIMS);
  }
  int32_t lead = last - first + 1 == used ? first : 0;
  for (int32_t d = 0; d <= x->ndim; d++) {
    if (d == lead) {
      for (int32_t k = 0; k < place.ndim; k++)
        out->shape[n++] = place.shape[k];
    }
    if (d < x->ndim && !index[d])
      out->shape[n++] = x->shape[d];
  }
  out->ndim = (uint8_t)n;
  return KILN_OK;
}

int32_t kiln__shape_index(const kiln_call *c, kiln_meta *out) {
  return chosen(c, c->in[0], c->in + 1, out);
}

int32_t kiln__shape_index_put(const kiln_call *c, kiln_meta *out) {
  kiln_meta place, both;
  const kiln_tensor *value = c->in[1];
  if (chosen(c, c->in[0], c->in + 2, &place) < 0)
    return KILN_EARG;
  both = place;
  if (kiln__broadcast(c->op, &both, value->shape, value->ndim) < 0)
    return KILN_EARG;
  if (both.ndim != place.ndim ||
      memcmp(both.shape, place.shape, (size_t)place.ndim * sizeof *place.shape) != 0) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "value of shape %s does not broadcast to the places, shape %s",
                         text(value), kiln__shape_text(place.shape, place.ndim));
  }
  set_shape(out, c->in[0]);
  return KILN_OK;
}

#define INDICES(i) (i)[0], (i)[1], (i)[2], (i)[3], (i)[4], (i)[5], (i)[6], (i)[7]

void kiln__grad_index(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_index_put(zeros(&c->in_meta[0]), c->g[0], INDICES(c->in + 1), true));
}

/* g, shaped as the places, for those whose value has stayed. */
static kiln_tensor *of_placed(const kiln_grad_call *c, kiln_tensor *g) {
  kiln_tensor *const *index = c->in + 2;
  const kiln_meta *x = &c->in_meta[0];
  int64_t shape[KILN_MAX_DIMS]; /* of x, where dims that are not indexed do not matter */
  for (int32_t d = 0; d < x->ndim; d++)
    shape[d] = d < MAX_INDEX && index[d] ? x->shape[d] : 1;
  kiln_tensor *room = kiln_full(shape, x->ndim, 0, KILN_INT64, x->device);
  kiln_tensor *places = kiln_index(room, INDICES(index));
  if (!places || places->numel < 2)
    return places ? g : NULL;
  kiln_tensor *numbers = numbered(places->shape, places->ndim, KILN_INT64, x->device);
  if (kiln_index_put_(room, numbers, INDICES(index), false) < 0)
    return NULL;
  return of_winners(g, kiln_index(room, INDICES(index)), numbers);
}

void kiln__grad_index_put(kiln_grad_call *c) {
  bool accumulate = c->attr[0].i != 0;
  if (kiln__wants(c, 0)) {
    kiln__give(c, 0,
               accumulate ? c->g[0] : kiln_index_put(c->g[0], zero(), INDICES(c->in + 2), false));
  }
  if (!kiln__wants(c, 1))
    return;
  kiln_tensor *g = kiln_index(c->g[0], INDICES(c->in + 2));
  kiln__give(c, 1, accumulate ? g : of_placed(c, g));
}

/* -- Triangles and diagonals ------------------------------------------------------------ */

int32_t kiln__shape_triangle(const kiln_call *c, kiln_meta *out) {
  if (c->in[0]->ndim < 2) {
    return kiln__fail_op(c->op, KILN_EARG, "x must have two dims or more, its shape is %s",
                         text(c->in[0]));
  }
  set_shape(out, c->in[0]);
  return KILN_OK;
}

void kiln__grad_tril(kiln_grad_call *c) { kiln__give(c, 0, kiln_tril(c->g[0], c->attr[0].i)); }
void kiln__grad_triu(kiln_grad_call *c) { kiln__give(c, 0, kiln_triu(c->g[0], c->attr[0].i)); }

int32_t kiln__shape_diagonals(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int64_t k = c->attr[0].i;
  if (x->ndim < 1 || x->ndim == KILN_MAX_DIMS) {
    return kiln__fail_op(c->op, KILN_EARG, "x must have 1 to %d dims, its shape is %s",
                         KILN_MAX_DIMS - 1, text(x));
  }
  int64_t n, far = k < 0 ? -k : k;
  if (k == INT64_MIN || __builtin_add_overflow(x->shape[x->ndim - 1], far, &n)) {
    return kiln__fail_op(c->op, KILN_EARG, "diagonal %lld is too far out", (long long)k);
  }
  set_shape(out, x);
  out->shape[x->ndim - 1] = n;
  out->shape[out->ndim++] = n;
  return KILN_OK;
}

void kiln__grad_diagonals(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_diagonal(c->g[0], c->attr[0].i, -2, -1));
}

/* -- Looking up values ------------------------------------------------------------------ */

int32_t kiln__shape_searchsorted(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *s = c->in[0], *v = c->in[1];
  bool ok = s->ndim == 1 || (s->ndim > 1 && s->ndim == v->ndim);
  for (int32_t d = 0; ok && s->ndim > 1 && d < s->ndim - 1; d++)
    ok = s->shape[d] == v->shape[d];
  if (!ok) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "sorted must have one dim, or its dims but the last as x's; got %s and %s",
                         text(s), text(v));
  }
  set_shape(out, v);
  return KILN_OK;
}

int32_t kiln__shape_histc(const kiln_call *c, kiln_meta *out) {
  if (c->attr[0].i < 1) {
    return kiln__fail_op(c->op, KILN_EARG, "bins must be at least 1, got %lld",
                         (long long)c->attr[0].i);
  }
  if (!(c->attr[1].f <= c->attr[2].f) || __builtin_isinf(c->attr[1].f) ||
      __builtin_isinf(c->attr[2].f)) {
    return kiln__fail_op(c->op, KILN_EARG, "min %g and max %g are no range", c->attr[1].f,
                         c->attr[2].f);
  }
  out->ndim = 1;
  out->shape[0] = c->attr[0].i;
  return KILN_OK;
}
