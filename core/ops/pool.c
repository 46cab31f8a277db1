/* pool.c: pooling: sizes, and gradients, each of which is again a pooling op.  The last dims of x
** make a plane, as many as the first list has entries; the dims before them only count planes.
*/
#include "rules.h"

enum { MOST_PLANE = INT32_MAX }; /* positions inside a plane are counted in 32 bits */

/* x has planes of n dims, not too large. */
static int32_t check_planes(const kiln_call *c, const kiln_tensor *x, int32_t n) {
  const char *list = kiln__ops[c->op].list_names[0];
  if (n < 1 || n > 3) {
    return kiln__fail_op(c->op, KILN_EARG, "%s must have 1 to 3 entries, it has %d", list, n);
  }
  if (x->ndim < n) {
    return kiln__fail_op(c->op, KILN_EARG, "x has %d dims and %s %d entries", x->ndim, list, n);
  }
  int64_t plane = kiln__numel(x->shape + x->ndim - n, n);
  if (plane > MOST_PLANE) {
    return kiln__fail_op(c->op, KILN_EARG, "a plane of %lld elements is more than %d",
                         (long long)plane, MOST_PLANE);
  }
  return KILN_OK;
}

/* x's shape with its last n dims replaced. */
static void set_planes(const kiln_call *c, const kiln_tensor *x, const int64_t *plane, int32_t n,
                       kiln_meta *out) {
  for (int32_t o = 0; o < c->n_out; o++) {
    out[o].ndim = x->ndim;
    memcpy(out[o].shape, x->shape, (size_t)x->ndim * sizeof *x->shape);
    memcpy(out[o].shape + x->ndim - n, plane, (size_t)n * sizeof *plane);
  }
}

/* -- Windows at even steps ------------------------------------------------------------------- */

/* Windows along dim i of a plane, where `size` elements are; lists from k on are the window's size,
** stride and padding.  Negative after an error. */
static int64_t windows(const kiln_call *c, int32_t k, int32_t i, int64_t size, int64_t dilation,
                       bool ceil_mode) {
  int64_t window = kiln__entry(&c->list[k], i), stride = kiln__entry(&c->list[k + 1], i);
  int64_t padding = kiln__entry(&c->list[k + 2], i), reach = dilation * (window - 1) + 1;
  if (2 * padding > window) {
    return kiln__fail_op(c->op, KILN_EARG, "padding %lld is more than half of the window, %lld",
                         (long long)padding, (long long)window);
  }
  /* In ceil_mode the first window, too, may reach beyond the end, if an element is in it. */
  int64_t room = size + 2 * padding - reach, spare = ceil_mode ? stride - 1 : 0;
  if (size < 1 || room + spare < 0 || (room < 0 && padding > 0 && size < dilation)) {
    return kiln__fail_op(
        c->op, KILN_EARG, "a window of %lld (padding %lld, dilation %lld) does not fit into %lld",
        (long long)window, (long long)padding, (long long)dilation, (long long)size);
  }
  int64_t n = (room + spare) / stride + 1;
  if (ceil_mode && (n - 1) * stride >= size + padding)
    n--; /* it would begin in the padding */
  return n;
}

static int32_t check_windows(const kiln_call *c, int32_t k, int32_t n) {
  return kiln__check_list(c, k, n, 1) < 0 || kiln__check_list(c, k + 1, n, 1) < 0 ||
                 kiln__check_list(c, k + 2, n, 0) < 0
             ? KILN_EARG
             : KILN_OK;
}

static int32_t pool_shape(const kiln_call *c, bool dilated, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int32_t n = c->list[0].n;
  int64_t plane[3] = {0};
  if (check_planes(c, x, n) < 0 || check_windows(c, 0, n) < 0)
    return KILN_EARG;
  if (dilated && kiln__check_list(c, 3, n, 1) < 0)
    return KILN_EARG;
  for (int32_t i = 0; i < n; i++) {
    plane[i] = windows(c, 0, i, x->shape[x->ndim - n + i],
                       dilated ? kiln__entry(&c->list[3], i) : 1, c->attr[0].i != 0);
    if (plane[i] < 0)
      return KILN_EARG;
  }
  set_planes(c, x, plane, n, out);
  return KILN_OK;
}

static int32_t check_divisor(const kiln_call *c) {
  if (c->attr[2].i != 0)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "divisor must not be 0");
}

int32_t kiln__shape_max_pool(const kiln_call *c, kiln_meta *out) {
  return pool_shape(c, true, out);
}
int32_t kiln__shape_avg_pool(const kiln_call *c, kiln_meta *out) {
  return check_divisor(c) < 0 ? KILN_EARG : pool_shape(c, false, out);
}

int32_t kiln__shape_avg_pool_dx(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *g = c->in[0];
  int32_t n = c->list[0].n;
  if (check_planes(c, g, n) < 0 || kiln__check_list(c, 0, n, 1) < 0 || check_windows(c, 1, n) < 0 ||
      check_divisor(c) < 0) {
    return KILN_EARG;
  }
  for (int32_t i = 0; i < n; i++) {
    int64_t want = windows(c, 1, i, c->list[0].v[i], 1, c->attr[0].i != 0);
    if (want < 0)
      return KILN_EARG;
    if (want != g->shape[g->ndim - n + i]) {
      return kiln__fail_op(c->op, KILN_EARG, "g has %lld entries where %lld windows fit",
                           (long long)g->shape[g->ndim - n + i], (long long)want);
    }
  }
  set_planes(c, g, c->list[0].v, n, out);
  return KILN_OK;
}

/* -- Windows that cover a dim, or are placed at random --------------------------------------- */

int32_t kiln__shape_adaptive_pool(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int32_t n = c->list[0].n;
  if (check_planes(c, x, n) < 0 || kiln__check_list(c, 0, n, 0) < 0)
    return KILN_EARG;
  for (int32_t i = 0; i < n; i++) {
    if (x->shape[x->ndim - n + i] > 0)
      continue;
    return kiln__fail_op(c->op, KILN_EARG, "x has no elements along dim %d: its shape is %s",
                         x->ndim - n + i + 1, kiln__shape_text(x->shape, x->ndim));
  }
  set_planes(c, x, c->list[0].v, n, out);
  return KILN_OK;
}

int32_t kiln__shape_adaptive_avg_pool_dx(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *g = c->in[0];
  int32_t n = c->list[0].n;
  if (check_planes(c, g, n) < 0 || kiln__check_list(c, 0, n, 1) < 0)
    return KILN_EARG;
  set_planes(c, g, c->list[0].v, n, out);
  return KILN_OK;
}

int32_t kiln__shape_fractional_max_pool(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *samples = c->in[1];
  int32_t n = x->ndim - 2;
  if ((n != 2 && n != 3) || samples->ndim != 3 || samples->shape[0] != x->shape[0] ||
      samples->shape[1] != x->shape[1] || samples->shape[2] != n) {
    return kiln__fail_op(
        c->op, KILN_EARG, "x must be [n, c, (d,) h, w] and samples [n, c, 2 or 3], got %s, %s",
        kiln__shape_text(x->shape, x->ndim), kiln__shape_text(samples->shape, samples->ndim));
  }
  if (c->list[0].n != n || c->list[1].n != n) {
    return kiln__fail_op(c->op, KILN_EARG, "size and output_size must have %d entries each", n);
  }
  if (check_planes(c, x, n) < 0 || kiln__check_list(c, 0, n, 1) < 0 ||
      kiln__check_list(c, 1, n, 1) < 0) {
    return KILN_EARG;
  }
  for (int32_t i = 0; i < n; i++) {
    if (c->list[1].v[i] + c->list[0].v[i] - 1 <= x->shape[i + 2])
      continue;
    return kiln__fail_op(c->op, KILN_EARG, "%lld windows of %lld do not fit into %lld",
                         (long long)c->list[1].v[i], (long long)c->list[0].v[i],
                         (long long)x->shape[i + 2]);
  }
  set_planes(c, x, c->list[1].v, n, out);
  return KILN_OK;
}

/* -- Planes by position ---------------------------------------------------------------------- */

static int32_t check_positions(const kiln_call *c) {
  const kiln_tensor *x = c->in[0], *p = c->in[1];
  return kiln__fail_op(c->op, KILN_EARG, "positions have shape %s, which does not fit %s",
                       kiln__shape_text(p->shape, p->ndim), kiln__shape_text(x->shape, x->ndim));
}

int32_t kiln__shape_max_unpool(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  int32_t n = c->list[0].n;
  if (!kiln__same_shape(x, c->in[1]))
    return check_positions(c);
  if (check_planes(c, x, n) < 0 || kiln__check_list(c, 0, n, 0) < 0)
    return KILN_EARG;
  int64_t plane = kiln__numel(c->list[0].v, n);
  if (plane < 0 || plane > MOST_PLANE) {
    return kiln__fail_op(c->op, KILN_EARG, "size %s is too large",
                         kiln__shape_text(c->list[0].v, n));
  }
  set_planes(c, x, c->list[0].v, n, out);
  return KILN_OK;
}

int32_t kiln__shape_max_unpool_dx(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *g = c->in[0], *p = c->in[1];
  int64_t dims = c->attr[0].i;
  if (g->ndim != p->ndim || dims < 1 || dims > g->ndim ||
      memcmp(g->shape, p->shape, (size_t)(g->ndim - dims) * sizeof *g->shape) != 0) {
    return check_positions(c);
  }
  kiln__meta_of(p, &out[0]);
  out[0].dtype = g->dtype;
  return KILN_OK;
}

/* -- Gradients ------------------------------------------------------------------------------- */

#define LIST(l) (l)->v, (l)->n

/* The sizes of the last n dims of an input. */
static const int64_t *plane_of(const kiln_meta *m, int32_t n) { return m->shape + m->ndim - n; }

/* Each output came from one place. */
static void grad_by_position(kiln_grad_call *c) {
  int32_t n = c->list[0].n;
  kiln__give(c, 0, kiln_max_unpool(c->g[0], c->out[1], plane_of(&c->in_meta[0], n), n, true));
}
void kiln__grad_max_pool(kiln_grad_call *c) { grad_by_position(c); }
void kiln__grad_adaptive_max_pool(kiln_grad_call *c) { grad_by_position(c); }
void kiln__grad_fractional_max_pool(kiln_grad_call *c) {
  if (kiln__wants(c, 0))
    grad_by_position(c);
}

/* Of equal positions only the last, whose value stayed, has a gradient: the one that reads back its
** own number. */
void kiln__grad_max_unpool(kiln_grad_call *c) {
  kiln_tensor *positions = c->in[1];
  int32_t n = c->list[0].n;
  kiln_tensor *g = kiln_max_unpool_dx(c->g[0], positions, n);
  if (!c->attr[0].i && positions->numel > 1) {
    kiln_tensor *numbers =
        kiln_view(kiln_arange(0, 1, positions->numel, KILN_FLOAT64, positions->device),
                  positions->shape, positions->ndim);
    kiln_tensor *left = kiln_max_unpool(numbers, positions, LIST(&c->list[0]), false);
    kiln_tensor *back = kiln_max_unpool_dx(left, positions, n);
    g = kiln_where(kiln_eq(back, numbers), g, kiln_number_int(0));
  }
  kiln__give(c, 0, g);
}
void kiln__grad_max_unpool_dx(kiln_grad_call *c) {
  int32_t n = (int32_t)c->attr[0].i;
  kiln__give(c, 0, kiln_max_unpool(c->g[0], c->in[1], plane_of(&c->in_meta[0], n), n, true));
}

void kiln__grad_avg_pool(kiln_grad_call *c) {
  int32_t n = c->list[0].n;
  kiln__give(c, 0,
             kiln_avg_pool_dx(c->g[0], plane_of(&c->in_meta[0], n), n, LIST(c->list),
                              LIST(c->list + 1), LIST(c->list + 2), c->attr[0].i, c->attr[1].i,
                              c->attr[2].i));
}
void kiln__grad_avg_pool_dx(kiln_grad_call *c) {
  const kiln_list *l = c->list + 1;
  int64_t size[3];
  for (int32_t i = 0; i < c->list[0].n; i++)
    size[i] = kiln__entry(l, i);
  kiln__give(c, 0,
             kiln_avg_pool(c->g[0], size, c->list[0].n, LIST(l + 1), LIST(l + 2), c->attr[0].i,
                           c->attr[1].i, c->attr[2].i));
}

void kiln__grad_adaptive_avg_pool(kiln_grad_call *c) {
  int32_t n = c->list[0].n;
  kiln__give(c, 0, kiln_adaptive_avg_pool_dx(c->g[0], plane_of(&c->in_meta[0], n), n));
}
void kiln__grad_adaptive_avg_pool_dx(kiln_grad_call *c) {
  int32_t n = c->list[0].n;
  kiln__give(c, 0, kiln_adaptive_avg_pool(c->g[0], plane_of(&c->in_meta[0], n), n));
}
