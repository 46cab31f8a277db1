/* rnn.c: recurrent layers: what fits together, and gradients.  The fast gradient goes back through
** time in one kernel; when a graph of gradients is wanted, the layer is run again step by step out
** of recorded ops and its gradient composed of them.
*/
#include "../internal.h"

enum { LSTM, GRU, TANH, RELU };
enum { GATES, SIZES, H, C, W, B }; /* inputs of rnn_layer */
enum { MODE, REVERSE };            /* attributes of both rows */

static int64_t gates_of(int64_t mode) { return mode == LSTM ? 4 : mode == GRU ? 3 : 1; }

/* Columns of `reserve`: the activated gates, for lstm c, for gru h's share of n; then h before. */
static int64_t reserve_of(int64_t mode, int64_t hidden) {
  return hidden * (mode == LSTM ? 6 : mode == GRU ? 5 : 1);
}

static int32_t need(const kiln_call *c, int32_t i, int64_t rows, int64_t columns) {
  const kiln_tensor *x = c->in[i];
  int32_t ndim = columns < 0 ? 1 : 2;
  if (x->ndim == ndim && x->shape[0] == rows && (ndim == 1 || x->shape[1] == columns))
    return KILN_OK;
  int64_t wanted[] = {rows, columns};
  return kiln__fail_op(c->op, KILN_EARG, "%s must be %s, its shape is %s",
                       kiln__ops[c->op].in_names[i], kiln__shape_text(wanted, ndim),
                       kiln__shape_text(x->shape, x->ndim));
}

static void set2(kiln_meta *m, int64_t rows, int64_t columns) {
  m->ndim = 2;
  m->shape[0] = rows;
  m->shape[1] = columns;
}

int32_t kiln__shape_rnn_layer(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *gates = c->in[GATES], *h = c->in[H];
  int64_t mode = c->attr[MODE].i;
  if (gates->ndim != 2 || h->ndim != 2 || c->in[SIZES]->ndim != 1) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "gates, h and sizes must have 2, 2 and 1 dims, not %d, %d, %d",
                         gates->ndim, h->ndim, c->in[SIZES]->ndim);
  }
  int64_t rows = gates->shape[0], n = h->shape[0], hidden = h->shape[1], g = gates_of(mode);
  if (hidden == 0) {
    return kiln__fail_op(c->op, KILN_EARG, "h must have a width of at least 1, its shape is %s",
                         kiln__shape_text(h->shape, h->ndim));
  }
  if (need(c, GATES, rows, g * hidden) < 0 || need(c, W, g * hidden, hidden) < 0)
    return KILN_EARG;
  if (c->in[B] && need(c, B, g * hidden, -1) < 0)
    return KILN_EARG;
  if ((mode == LSTM) != (c->in[C] != NULL)) {
    return kiln__fail_op(c->op, KILN_EARG,
                         mode == LSTM ? "lstm needs cell" : "only lstm takes cell");
  }
  if (c->in[C] && need(c, C, n, hidden) < 0)
    return KILN_EARG;
  set2(&out[0], rows, hidden);
  set2(&out[1], n, hidden);
  set2(&out[2], mode == LSTM ? n : 0, hidden);
  set2(&out[3], rows, reserve_of(mode, hidden));
  return KILN_OK;
}

int32_t kiln__shape_rnn_layer_back(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *y = c->in[3], *h = c->in[6];
  int64_t mode = c->attr[MODE].i, hidden = h->shape[1], g = gates_of(mode) * hidden;
  set2(&out[0], y->shape[0], g);
  set2(&out[1], mode == GRU ? y->shape[0] : 0, g);
  set2(&out[2], h->shape[0], hidden);
  set2(&out[3], mode == LSTM ? h->shape[0] : 0, hidden);
  return KILN_OK;
}

/* -- Composed of recorded ops ----------------------------------------------------------------- */

/* One step, kept from the way there for the way back.  For lstm a is i, f, g, o; for gru r, z, n
** and h's share of n. */
typedef struct step {
  int64_t first, size;
  kiln_tensor *h, *c, *a[4], *tanh_c, *out;
} step;

static kiln_tensor *rows(kiln_tensor *x, int64_t from, int64_t to) {
  return kiln_slice(x, 0, from, to - 1, 1);
}
static kiln_tensor *gate(kiln_tensor *x, int64_t k, int64_t hidden) {
  return kiln_slice(x, 1, k * hidden, (k + 1) * hidden - 1, 1);
}
/* The first rows of x replaced. */
static kiln_tensor *with_rows(kiln_tensor *first, kiln_tensor *x, int64_t size) {
  if (!x || size == x->shape[0])
    return first;
  kiln_tensor *parts[] = {first, rows(x, size, x->shape[0])};
  return kiln_cat(parts, 2, 0);
}
static kiln_tensor *plus(kiln_tensor *a, kiln_tensor *b) {
  return !a ? b : !b ? a : kiln_add(a, b, 1);
}
static kiln_tensor *one_minus(kiln_tensor *x) { return kiln_add(kiln_neg(x), kiln_number(1), 1); }
/* g times the derivative of sigmoid, and of tanh, where y is their value. */
static kiln_tensor *back_sigmoid(kiln_tensor *g, kiln_tensor *y) {
  return kiln_mul(g, kiln_mul(y, one_minus(y)));
}
static kiln_tensor *back_tanh(kiln_tensor *g, kiln_tensor *y) {
  return kiln_mul(g, one_minus(kiln_mul(y, y)));
}

static void run_step(step *s, int64_t mode, kiln_tensor *x, kiln_tensor *w, kiln_tensor *b) {
  int64_t hidden = w->shape[1];
  kiln_tensor *mine = kiln_linear(s->h, w, b), **a = s->a;
  if (mode == GRU) {
    a[3] = gate(mine, 2, hidden);
    for (int32_t k = 0; k < 2; k++) {
      a[k] = kiln_sigmoid(kiln_add(gate(x, k, hidden), gate(mine, k, hidden), 1));
    }
    a[2] = kiln_tanh(kiln_add(gate(x, 2, hidden), kiln_mul(a[0], a[3]), 1));
    s->out = kiln_add(a[2], kiln_mul(a[1], kiln_sub(s->h, a[2], 1)), 1);
    return;
  }
  kiln_tensor *sum = kiln_add(x, mine, 1);
  if (mode != LSTM) {
    s->out = mode == TANH ? kiln_tanh(sum) : kiln_relu(sum);
    return;
  }
  for (int32_t k = 0; k < 4; k++) {
    a[k] = k == 2 ? kiln_tanh(gate(sum, k, hidden)) : kiln_sigmoid(gate(sum, k, hidden));
  }
  s->tanh_c = kiln_tanh(kiln_add(kiln_mul(a[1], s->c), kiln_mul(a[0], a[2]), 1));
  s->out = kiln_mul(a[3], s->tanh_c);
}

/* Gradients of a step's sum: of the gates in d[0], of h's share in d[1]; dh and *dc become those of
** the h and c before. */
static kiln_tensor *back_step(const step *s, int64_t mode, kiln_tensor *w, kiln_tensor *dh,
                              kiln_tensor **dc, kiln_tensor *d[2]) {
  kiln_tensor *const *a = s->a;
  if (mode == LSTM) {
    kiln_tensor *g = plus(*dc, back_tanh(kiln_mul(dh, a[3]), s->tanh_c));
    kiln_tensor *parts[] = {
        back_sigmoid(kiln_mul(g, a[2]), a[0]), back_sigmoid(kiln_mul(g, s->c), a[1]),
        back_tanh(kiln_mul(g, a[0]), a[2]), back_sigmoid(kiln_mul(dh, s->tanh_c), a[3])};
    *dc = kiln_mul(g, a[1]);
    d[0] = d[1] = kiln_cat(parts, 4, 1);
    return kiln_mm(d[1], w);
  }
  if (mode == GRU) {
    kiln_tensor *n = back_tanh(kiln_mul(dh, one_minus(a[1])), a[2]);
    kiln_tensor *z = back_sigmoid(kiln_mul(dh, kiln_sub(s->h, a[2], 1)), a[1]);
    kiln_tensor *r = back_sigmoid(kiln_mul(n, a[3]), a[0]);
    kiln_tensor *of_gates[] = {r, z, n}, *of_h[] = {r, z, kiln_mul(n, a[0])};
    d[0] = kiln_cat(of_gates, 3, 1);
    d[1] = kiln_cat(of_h, 3, 1);
    return kiln_add(kiln_mul(dh, a[1]), kiln_mm(d[1], w), 1);
  }
  d[0] = d[1] = mode == TANH
                    ? back_tanh(dh, s->out)
                    : kiln_mul(dh, kiln_cast(kiln_gt(s->out, kiln_number(0)), dh ? dh->dtype : 0));
  return kiln_mm(d[1], w);
}

/* The sizes of the steps as numbers of the host, which the caller frees; NULL after an error. */
static int64_t *read_sizes(kiln_tensor *x) {
  if (!kiln__is_contiguous(x) && !(x = kiln_clone(x)))
    return NULL;
  int64_t *sizes = malloc(((size_t)x->numel + 1) * sizeof *sizes);
  if (!sizes)
    kiln_fail(KILN_ENOMEM, "rnn_layer: out of memory for %lld steps", (long long)x->numel);
  else if (kiln__backend(x->device)->copy(sizes, 0, kiln__data(x), x->device, x->numel * 8) < 0) {
    free(sizes);
    sizes = NULL;
  }
  return sizes;
}

static void compose(kiln_grad_call *c) {
  int64_t mode = c->attr[MODE].i, count = c->in[SIZES]->shape[0];
  int64_t *sizes = read_sizes(c->in[SIZES]);
  kiln_tensor *h = c->in[H], *cell = c->in[C], *w = c->in[W];
  step *steps = calloc((size_t)count + 1, sizeof *steps);
  kiln_tensor **d_gates = calloc((size_t)count + 1, sizeof *d_gates);
  if (!sizes)
    goto end;
  if (!steps || !d_gates) {
    kiln_fail(KILN_ENOMEM, "rnn_layer: out of memory for %lld steps", (long long)count);
    goto end;
  }
  for (int64_t t = 0, first = 0; t < count; first += sizes[t++]) {
    steps[t].first = first;
    steps[t].size = sizes[t];
  }
  for (int64_t k = 0; k < count; k++) {
    step *s = &steps[c->attr[REVERSE].i ? count - 1 - k : k];
    s->h = rows(h, 0, s->size);
    s->c = cell ? rows(cell, 0, s->size) : NULL;
    run_step(s, mode, rows(c->in[GATES], s->first, s->first + s->size), w, c->in[B]);
    if (!s->out)
      goto end;
    h = with_rows(s->out, h, s->size);
    if (cell) {
      kiln_tensor *next = kiln_add(kiln_mul(s->a[1], s->c), kiln_mul(s->a[0], s->a[2]), 1);
      cell = with_rows(next, cell, s->size);
    }
  }
  kiln_tensor *dh = kiln__g(c, 1), *dc = cell ? kiln__g(c, 2) : NULL, *gy = kiln__g(c, 0);
  kiln_tensor *dw = NULL, *db = NULL;
  for (int64_t k = count - 1; k >= 0; k--) {
    int64_t t = c->attr[REVERSE].i ? count - 1 - k : k, axis = 0;
    step *s = &steps[t];
    kiln_tensor *d[2],
        *g = kiln_add(rows(gy, s->first, s->first + s->size), rows(dh, 0, s->size), 1);
    kiln_tensor *dc_here = dc ? rows(dc, 0, s->size) : NULL;
    kiln_tensor *before = back_step(s, mode, w, g, &dc_here, d);
    if (!before)
      goto end;
    dh = with_rows(before, dh, s->size);
    if (dc)
      dc = with_rows(dc_here, dc, s->size);
    d_gates[t] = d[0];
    dw = plus(dw, kiln_mm(kiln_transpose(d[1], 0, 1), s->h));
    db = plus(db, kiln_sum(d[1], &axis, 1, false));
  }
  if (kiln__wants(c, GATES))
    kiln__give(c, GATES, kiln_cat(d_gates, (int32_t)count, 0));
  if (kiln__wants(c, H))
    kiln__give(c, H, dh);
  if (dc && kiln__wants(c, C))
    kiln__give(c, C, dc);
  if (kiln__wants(c, W))
    kiln__give(c, W, dw);
  if (c->in[B] && kiln__wants(c, B))
    kiln__give(c, B, db);
end:
  free(sizes);
  free(steps);
  free(d_gates);
}

/* -- In one pass --------------------------------------------------------------------------------
 */

void kiln__grad_rnn_layer(kiln_grad_call *c) {
  if (c->create) {
    compose(c);
    return;
  }
  kiln_tensor *d[4], *reserve = c->out[3];
  int64_t axis = 0, hidden = c->in[H]->shape[1], mode = c->attr[MODE].i;
  if (kiln_rnn_layer_back(c->g[0], c->g[1], c->g[2], c->out[0], reserve, c->in[SIZES], c->in[H],
                          c->in[C], c->in[W], mode, c->attr[REVERSE].i, d) < 0) {
    return;
  }
  kiln_tensor *of_h = mode == GRU ? d[1] : d[0];
  if (kiln__wants(c, GATES))
    kiln__give(c, GATES, d[0]);
  if (kiln__wants(c, H))
    kiln__give(c, H, d[2]);
  if (mode == LSTM && kiln__wants(c, C))
    kiln__give(c, C, d[3]);
  if (kiln__wants(c, W)) {
    kiln_tensor *before = gate(reserve, reserve->shape[1] / hidden - 1, hidden);
    kiln__give(c, W, kiln_mm(kiln_transpose(of_h, 0, 1), before));
  }
  if (c->in[B] && kiln__wants(c, B))
    kiln__give(c, B, kiln_sum(of_h, &axis, 1, false));
}
